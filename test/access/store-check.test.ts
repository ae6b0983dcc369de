import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CheckSchedule } from '../../src/access/store-check.ts'

const MB = 1024 * 1024

/** Polls that pass; which of them asked for a check. */
const pass = (schedule: CheckSchedule, polls: number, stamp: string, bytes = 0, isOurs = false): number[] =>
  Array.from({ length: polls }, (_, n) => n + 1).filter(() => schedule.poll(stamp, bytes, isOurs))

test('a small store is checked once a minute, a larger one so that it needs a thousandth of the time', () => {
  assert.deepEqual(pass(new CheckSchedule(), 3_600, 'a'), [1_200, 2_400, 3_600])
  assert.deepEqual(pass(new CheckSchedule(), 5_000, 'a', 49 * MB), [2_450, 4_900])
  assert.deepEqual(pass(new CheckSchedule(), 128 * 50, 'a', 128 * MB), [128 * 50])
  assert.deepEqual(pass(new CheckSchedule(), 100_000, 'a', 128 * MB + 1), [], 'too large to be checked')
})

test('a change that is not ours is followed by a check, at most once a second', () => {
  const schedule = new CheckSchedule()
  assert.deepEqual(pass(schedule, 100, 'a'), [])
  assert.deepEqual(pass(schedule, 10, 'b'), [1])
  assert.deepEqual(pass(schedule, 100, 'c'), [11], 'the first was 20 polls ago')
  // A large store is checked less often.
  assert.deepEqual(pass(schedule, 100, 'd', 128 * MB), [39])
})

test('what we write ourselves is no reason', () => {
  const schedule = new CheckSchedule()
  pass(schedule, 100, 'a')
  for (let n = 0; n < 50; n++) assert.deepEqual(pass(schedule, 1, `ours ${n}`, 0, true), [])
  assert.deepEqual(pass(schedule, 1, 'damage'), [1])
})
