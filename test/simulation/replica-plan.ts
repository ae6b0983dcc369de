// The plan of a run with several processes: what happens when.

import { Random } from '../random.ts'
import { SEED_MAX, type Step } from './plan.ts'
import type { ReplicaProcess } from './replica-process.ts'
import type { ReplicaWorld } from './replica-world.ts'
import type { Direction, Found } from './simulated-redis.ts'
import { TIME } from './time.ts'

type Act = (world: ReplicaWorld, random: Random) => void

const shortOrLong = (random: Random): number => (random.chance(0.7) ? random.int(1, 1_500) : random.int(1_500, 15_000))

const one = ({ processes }: ReplicaWorld, random: Random): ReplicaProcess => random.pick(processes)

/** What Redis finds when it begins again. */
const restart =
  (found: Found): Act =>
  ({ redis }, random) =>
    redis.restart(found, random.chance(0.3) ? 0 : shortOrLong(random))

/** What can happen, and how often compared with the others. */
const STEPS: Readonly<Record<string, readonly [weight: number, act: Act]>> = {
  input: [100, ({ feeds }, random) => feeds.some(random)],
  burst: [3, ({ feeds }, random) => feeds.burst(random)],
  send: [50, ({ feeds }, random) => feeds.send(random)],
  move: [40, ({ desks }, random) => desks.move(random)],
  checkpoint: [6, (world, random) => one(world, random).checkpoint()],
  kill: [2, (world, random) => one(world, random).kill()],
  killAll: [
    0.3,
    ({ processes }) => {
      for (const process of processes) process.kill()
    },
  ],
  power: [0.7, (world, random) => one(world, random).kill(true)],
  stop: [2, (world, random) => one(world, random).stop()],
  pause: [2, (world, random) => TIME.pause(one(world, random), shortOrLong(random))],
  disk: [
    1,
    (world, random) => {
      const { disk } = one(world, random)
      disk.setTrouble({ isFull: random.chance(0.5), isStalled: random.chance(0.5) })
      TIME.outside(shortOrLong(random), () => disk.setTrouble({}))
    },
  ],
  flip: [
    0.3,
    (world, random) => {
      const process = one(world, random)
      process.kill()
      process.disk.flipBit(random)
    },
  ],
  cut: [3, (world, random) => world.redis.cut(random.chance(0.5) ? one(world, random) : undefined)],
  cutAfterAppend: [4, ({ redis }) => redis.cutAfterAppend()],
  partition: [
    3,
    (world, random) =>
      world.redis.partition(
        one(world, random),
        random.pick<Direction>(['requests', 'answers', 'both']),
        shortOrLong(random),
      ),
  ],
  redisPause: [1.5, ({ redis }, random) => redis.pause(shortOrLong(random))],
  redisSlow: [
    1.5,
    ({ redis }, random) => {
      redis.slowMs = random.pick([5, 50, 400])
      TIME.outside(shortOrLong(random), () => (redis.slowMs = 0))
    },
  ],
  redisFull: [
    1.5,
    ({ redis }, random) => {
      redis.isFull = true
      TIME.outside(shortOrLong(random), () => (redis.isFull = false))
    },
  ],
  redisReadOnly: [
    0.8,
    ({ redis }, random) => {
      redis.isReadOnly = true
      TIME.outside(shortOrLong(random), () => (redis.isReadOnly = false))
    },
  ],
  redisRestart: [1, restart('all')],
  redisTail: [0.8, restart('without the tail')],
  redisOlder: [0.4, restart('an older dump')],
  redisEmpty: [0.4, restart('nothing')],
  redisFlushed: [0.3, ({ redis }) => redis.empty()],
}

export const replicaAct = (world: ReplicaWorld, { kind, seed }: Step): void => STEPS[kind]![1](world, new Random(seed))

const KINDS = Object.keys(STEPS)

export const replicaPlanOf = (seed: number, minutes: number): Step[] => {
  const random = new Random(seed + 7)
  const total = KINDS.reduce((sum, kind) => sum + STEPS[kind]![0], 0)
  const steps: Step[] = []
  // Runs differ in how much happens in them.
  const paceMs = random.pick([300, 1_000, 3_000])
  for (let atMs = 3_000; atMs < minutes * 60_000; ) {
    let place = random.next() * total
    const kind = KINDS.find((each) => (place -= STEPS[each]![0]) < 0)!
    steps.push({ atMs, kind, seed: random.int(1, SEED_MAX) })
    const share = random.next()
    if (share < 0.3) continue
    atMs += share < 0.5 ? random.int(1, 20) : random.int(1, 3 * paceMs)
  }
  return steps
}
