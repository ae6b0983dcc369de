// When the quotes of a URL become suspect.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PollSchedule } from '../../../src/source/kit/poll-schedule.ts'
import type { PollTarget } from '../../../src/source/kit/poll-target.ts'
import { PollWatch } from '../../../src/source/kit/poll-watch.ts'
import { Problems } from '../../../src/source/kit/problems.ts'
import { Pace } from '../../../src/source/kit/rate.ts'
import { QUICK } from './scripted-source.ts'

const T0 = 1_790_000_000_000

/** Two URLs that are polled each second, and stale after 5 s. */
const newWatch = () => {
  let nowAt = T0
  const stale: string[] = []
  const limits = { ...QUICK, staleMsMin: 5_000 }
  const now = (): number => nowAt
  const schedule = new PollSchedule({ limits, pace: new Pace(limits), now, chance: () => 0, holdOf: () => undefined })
  const target = (key: string): PollTarget => ({
    key,
    url: new URL(key, 'http://host'),
    kind: 'prices',
    group: 'all',
    intervalMs: () => 1_000,
    read: async () => true,
    stale: () => stale.push(key),
  })
  for (const key of ['/dead', '/well']) schedule.add(target(key))
  const watch = new PollWatch(schedule, limits, new Problems(() => {}, []))
  /** Looks after so many ms. @returns what has become stale, and after how many ms to look again */
  const look = (ms: number): [stale: string[], againMs: number] => {
    nowAt = T0 + ms
    const againAt = watch.look(nowAt)
    return [stale.splice(0), againAt - nowAt]
  }
  return { schedule, look }
}

test('a URL without a good answer is stale at its very millisecond', () => {
  const { look } = newWatch()
  for (let ms = 0; ms < 4_900; ms += 700) assert.deepEqual(look(ms)[0], [])
  assert.deepEqual(look(4_900), [[], 100])
  assert.deepEqual(look(4_999), [[], 1])
  assert.deepEqual(look(5_000)[0], ['/dead', '/well'])
  assert.deepEqual(look(5_700)[0], [], 'once')
})

test('after a pause of the process no URL is stale before its answer could be read', () => {
  const { schedule, look } = newWatch()
  look(0)
  assert.deepEqual(look(60_000), [[], 1_000], 'paused for a minute')
  schedule.entries.get('/well')!.okAt = T0 + 60_300
  assert.deepEqual(look(60_999)[0], [])
  assert.deepEqual(look(61_000)[0], ['/dead'], 'the one that is still silent is')
  assert.deepEqual(look(62_000)[0], [])
  for (let ms = 62_500; ms < 65_300; ms += 500) assert.deepEqual(look(ms)[0], [])
  assert.deepEqual(look(65_300)[0], ['/well'], 'by its own time')
})
