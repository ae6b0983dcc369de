// Makes a failing run short: steps are left out, as long as it still fails.

import type { Step } from './plan.ts'
import { RunFailure, type RunSeed, runSeed } from './simulate.ts'

const failureOf = async (
  run: RunSeed,
  seed: number,
  minutes: number,
  steps: readonly Step[],
): Promise<RunFailure | undefined> => {
  try {
    await run(seed, minutes, steps)
    return undefined
  } catch (error) {
    if (error instanceof RunFailure) return error
    throw error
  }
}

/** What is compared of two failures: not the numbers and names in them. */
const kindOf = ({ message }: RunFailure): string =>
  message.replaceAll(/[\d.]+|book_\w+|\/topic\S*|org_\w+/g, '').slice(0, 24)

/**
 * Leaves out halves, quarters and so on of the steps.
 * @param runsMax runs at most
 * @returns the shortest failure that was found
 */
export const shrink = async (
  failure: RunFailure,
  minutes: number,
  runsMax = 150,
  run: RunSeed = runSeed,
): Promise<RunFailure> => {
  const { seed } = failure
  let best = failure
  let steps = failure.steps.slice(0, failure.place + 1)
  let runs = 0
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < steps.length && runs < runsMax; ) {
      const fewer = [...steps.slice(0, at), ...steps.slice(at + size)]
      runs++
      const found = await failureOf(run, seed, minutes, fewer)
      if (found !== undefined && kindOf(found) === kindOf(failure)) {
        best = found
        steps = fewer.slice(0, found.place + 1)
      } else at += size
    }
  }
  return best
}

/** The failure as lines: what differs, and the steps that lead to it. */
export const reportOf = ({ seed, message, steps, place, lines, cause }: RunFailure): string => {
  const at = steps[place]
  const stack =
    cause instanceof Error ? (cause.stack ?? '').split('\n').filter((line) => line.startsWith('    at ')) : []
  return [
    `seed ${seed} fails ${at === undefined ? 'in the end' : `before step ${place} (${at.kind}), at ${at.atMs} ms`}: ${message}`,
    ...stack.slice(0, 6),
    `what the service reported last:`,
    ...lines.slice(-16).map((line) => `  ${line}`),
    `its ${Math.min(place + 1, steps.length)} steps:`,
    ...steps.slice(0, place + 1).map((step) => `  ${step.atMs} ms ${step.kind} (seed ${step.seed})`),
  ].join('\n')
}
