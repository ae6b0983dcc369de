// Runs a seed: the plan, step by step, with all checks after each.

import './time.ts'
import { TIME } from './time.ts'
import { act, planOf, type Step } from './plan.ts'
import { replicaAct, replicaPlanOf } from './replica-plan.ts'
import { ReplicaWorld } from './replica-world.ts'
import { optionsOf, World } from './world.ts'

export interface RunResult {
  readonly seed: number
  /** Of all that has happened. */
  readonly hash: string
  readonly counts: ReadonlyMap<string, number>
  readonly simulatedMs: number
}

export class RunFailure extends Error {
  readonly seed: number
  readonly steps: readonly Step[]
  /** The step after which it was found; the number of steps: in the end. */
  readonly place: number
  readonly lines: readonly string[]

  constructor(seed: number, steps: readonly Step[], place: number, lines: readonly string[], cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.seed = seed
    this.steps = steps
    this.place = place
    this.lines = lines
  }
}

/** One run: what happens in it, and what must hold. */
interface Run {
  readonly hash: { digest(encoding: 'hex'): string }
  readonly counts: ReadonlyMap<string, number>
  readonly lines: readonly string[]
  runTo(ms: number): Promise<void>
  check(isQuiet: boolean): void
  note(text: string): void
  count(what: string): void
  finish(): Promise<void>
}

const runSteps = async <R extends Run>(
  seed: number,
  world: R,
  steps: readonly Step[],
  act: (world: R, step: Step) => void,
): Promise<RunResult> => {
  let place = 0
  try {
    for (; place < steps.length; place++) {
      const step = steps[place]!
      const beforeMs = TIME.nowMs
      await world.runTo(step.atMs)
      world.check(TIME.nowMs - beforeMs > 50)
      world.note(step.kind)
      world.count(`step ${step.kind}`)
      act(world, step)
    }
    await world.finish()
  } catch (error) {
    throw new RunFailure(seed, steps, place, world.lines, error)
  }
  return { seed, hash: world.hash.digest('hex').slice(0, 16), counts: world.counts, simulatedMs: TIME.nowMs }
}

/** Runs a seed, for so many minutes. `steps` left out: the plan of the seed. Rejects with {@link RunFailure}. */
export type RunSeed = (seed: number, minutes: number, steps?: readonly Step[]) => Promise<RunResult>

export const runSeed: RunSeed = (seed, minutes, steps = planOf(seed, minutes)) =>
  runSteps(seed, new World(optionsOf(seed)), steps, act)

/** The same with several processes. */
export const runReplicas =
  (processes: number): RunSeed =>
  (seed, minutes, steps = replicaPlanOf(seed, minutes)) =>
    runSteps(seed, new ReplicaWorld(seed, processes), steps, replicaAct)
