// The simulation in short: a few seeds of a few minutes. `npm run simulate` runs as many as wanted.

import './time.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planOf } from './plan.ts'
import { reportOf, shrink } from './shrink.ts'
import { RunFailure, runSeed, type RunResult } from './simulate.ts'
import { World } from './world.ts'

const MINUTES = 4

/** Runs a seed; a failure says which steps lead to it. */
const run = async (seed: number): Promise<RunResult> => {
  try {
    return await runSeed(seed, MINUTES)
  } catch (error) {
    throw error instanceof RunFailure ? new Error(reportOf(await shrink(error, MINUTES, 30))) : error
  }
}

test('a seed is the same run each time', async () => {
  const [one, two] = [await run(3), await run(3)]
  assert.equal(one.hash, two.hash)
  assert.deepEqual([...one.counts], [...two.counts])
})

test('some seeds hold, and everything happens in them', async () => {
  const counts = new Map<string, number>()
  for (let seed = 101; seed <= 112; seed++) {
    for (const [what, count] of (await run(seed)).counts) counts.set(what, (counts.get(what) ?? 0) + count)
  }
  const needed = [
    'kill -9',
    'SIGTERM',
    'power failure',
    'checkpoint',
    'disk full',
    'a flipped bit',
    'same epoch',
    'new epoch',
  ]
  for (const what of [
    ...needed,
    'resume',
    'reset audience',
    'request compared',
    'desk compared',
    'conflated desk compared',
    'degraded',
  ]) {
    assert((counts.get(what) ?? 0) > 0, `${what}: ${JSON.stringify([...counts])}`)
  }
})

test('what is wrong is found, and the steps that lead to it', async () => {
  const { check } = World.prototype
  // A seq that is wrong once a process has been killed.
  World.prototype.check = function (this: World, isQuiet?: boolean) {
    check.call(this, isQuiet)
    assert((this.counts.get('kill -9') ?? 0) === 0, 'planted')
  }
  try {
    const found = await runSeed(5, 10).then(
      () => undefined,
      (error: unknown) => error,
    )
    assert(found instanceof RunFailure && found.message === 'planted')
    const short = await shrink(found, 10, 40)
    assert(short.steps.some(({ kind }) => kind === 'kill' || kind === 'power' || kind === 'flip' || kind === 'backup'))
    assert(short.steps.length <= 3, `${short.steps.length} of ${planOf(5, 10).length} steps are left`)
    assert(reportOf(short).includes('planted'))
  } finally {
    World.prototype.check = check
  }
})
