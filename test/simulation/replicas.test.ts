// The simulation of several processes in short, and faults that are planted in what they share: each must be found.

import './time.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLANTS, plantedSteps } from './replica-plants.ts'
import { reportOf, shrink } from './shrink.ts'
import { RunFailure, type RunResult, runReplicas } from './simulate.ts'

const MINUTES = 2
const runSeed = runReplicas(3)

const run = async (seed: number): Promise<RunResult> => {
  try {
    return await runSeed(seed, MINUTES)
  } catch (error) {
    throw error instanceof RunFailure ? new Error(reportOf(await shrink(error, MINUTES, 20, runSeed))) : error
  }
}

test('a seed is the same run each time, with several processes', async () => {
  const [one, two] = [await runSeed(3, 1), await runSeed(3, 1)]
  assert.equal(one.hash, two.hash)
  assert.deepEqual([...one.counts], [...two.counts])
})

test('some seeds hold with several processes, and everything happens in them', async () => {
  const counts = new Map<string, number>()
  for (let seed = 201; seed <= 202; seed++) {
    for (const [what, count] of (await run(seed)).counts) counts.set(what, (counts.get(what) ?? 0) + count)
  }
  const needed = [
    'break',
    'checkpoint',
    'state fetched',
    'resume',
    'reset epoch',
    'receipt',
    'feed compared',
    'short update',
  ]
  for (const what of [...needed, 'states compared', 'answers compared', 'frames compared', 'desk compared']) {
    assert((counts.get(what) ?? 0) > 0, `${what}: ${JSON.stringify([...counts])}`)
  }
})

for (const { what, seed, kinds, ends, plant } of PLANTS) {
  test(`it is found that ${what}`, async (t) => {
    const steps = plantedSteps(seed, kinds, ends)
    // By the plant alone.
    await runSeed(seed, 1, steps)
    const remove = plant()
    try {
      await assert.rejects(runSeed(seed, 1, steps), (error) => {
        assert(error instanceof RunFailure, String(error))
        t.diagnostic(error.message.split('\n')[0]!.slice(0, 120))
        return true
      })
    } finally {
      remove()
    }
  })
}
