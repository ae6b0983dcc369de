// The plan of a run: what happens when. Each step has a seed of its own, so that leaving out one does not change the others.

import { Random } from '../random.ts'
import { SENDERS } from './feeds.ts'
import type { World } from './world.ts'

export interface Step {
  readonly atMs: number
  /** A name of a table of steps. */
  readonly kind: string
  readonly seed: number
}

/** The greatest seed of a step. */
export const SEED_MAX = 2 ** 31 - 2

type Act = (world: World, random: Random) => void

/** What can happen, and how often compared with the others. */
const STEPS = {
  ...SENDERS,
  request: [40, (world, random) => world.callers.request(random)],
  requestAging: [4, (world, random) => world.callers.requestAging(random)],
  subscribe: [10, (world, random) => world.desks.subscribe(random)],
  subscribeOften: [1.5, (world, random) => world.desks.subscribeOften(random)],
  unsubscribe: [3, (world, random) => world.desks.unsubscribe(random)],
  pace: [6, (world, random) => world.desks.pace(random)],
  cut: [4, (world, random) => world.desks.cut(random)],
  checkpoint: [1.5, (world, random) => world.checkpoint(random)],
  kill: [1, (world) => world.kill('kill -9')],
  stop: [0.8, (world, random) => world.stop(random)],
  power: [0.5, (world) => world.kill('kill -9', true)],
  flip: [0.5, (world, random) => world.flipBit(random)],
  backup: [0.4, (world) => world.backUp()],
  disk: [2, (world, random) => world.setTrouble(random)],
  clock: [0.3, (world, random) => world.stepClock(random.pick([-1, 1]) * random.int(1, 3_600_000))],
  rotate: [1, (world) => void world.server?.log.rotate()],
} as const satisfies Readonly<Record<string, readonly [weight: number, act: Act]>>

type StepKind = keyof typeof STEPS

export const act = (world: World, { kind, seed }: Step): void => STEPS[kind as StepKind][1](world, new Random(seed))

const KINDS = Object.keys(STEPS) as StepKind[]

export const planOf = (seed: number, minutes: number): Step[] => {
  const random = new Random(seed + 7)
  const total = KINDS.reduce((sum, kind) => sum + STEPS[kind][0], 0)
  const steps: Step[] = []
  // Runs differ in how much happens in them.
  const paceMs = random.pick([1_500, 3_000, 6_000])
  for (let atMs = 1_000; atMs < minutes * 60_000; ) {
    let place = random.next() * total
    const kind = KINDS.find((each) => (place -= STEPS[each][0]) < 0)!
    steps.push({ atMs, kind, seed: random.int(1, SEED_MAX) })
    // Several in one moment, and long pauses.
    const share = random.next()
    if (share < 0.3) continue
    atMs += share < 0.5 ? random.int(1, 20) : random.int(1, 3 * paceMs)
  }
  return steps
}
