// Runs a seed: the plan, step by step, with all checks after each.

import './time.ts'
import { TIME } from './time.ts'
import { act, planOf, type Step } from './plan.ts'
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

/** @param steps left out: the plan of the seed */
export const runSeed = async (
  seed: number,
  minutes: number,
  steps: readonly Step[] = planOf(seed, minutes),
): Promise<RunResult> => {
  const world = new World(optionsOf(seed))
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
