import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BackOff } from '../../src/portal/back-off.ts'

const LIMITS = { failuresMax: 3, pauseMs: 1_000, pauseMsMax: 8_000, kept: 4 }

test('pauses begin with a number of failures, double, and stay below the longest', () => {
  const backOff = new BackOff(LIMITS)
  let now = 1_000_000
  const pauses: number[] = []
  for (let n = 0; n < 8; n++) {
    backOff.began('a', now)
    const waitMs = backOff.waitMs('a', now)
    pauses.push(waitMs)
    now += waitMs
    assert.equal(backOff.waitMs('a', now), 0)
  }
  assert.deepEqual(pauses, [0, 0, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
  assert.equal(backOff.waitMs('b', now), 0)
  backOff.succeeded('a')
  backOff.began('a', now)
  assert.equal(backOff.waitMs('a', now), 0)
})

test('failures are forgotten after a long time without one; a try that was none is taken back', () => {
  const backOff = new BackOff(LIMITS)
  for (let n = 0; n < 3; n++) backOff.began('a', 0)
  backOff.tookBack('a')
  assert.equal(backOff.waitMs('a', 0), 0)
  backOff.began('a', 0)
  assert.equal(backOff.waitMs('a', 0), 1_000)
  backOff.began('a', 59_999)
  assert.equal(backOff.waitMs('a', 59_999), 2_000)
  // Four failures, of which one is forgotten each minute.
  backOff.began('a', 180_000)
  assert.equal(backOff.waitMs('a', 180_000), 1_000)
  backOff.began('a', 600_000)
  assert.equal(backOff.waitMs('a', 600_000), 0)
})

test('the number of names is bounded: the one that failed longest ago is forgotten', () => {
  const backOff = new BackOff(LIMITS)
  for (let n = 0; n < 3; n++) backOff.began('first', 0)
  for (let n = 0; n < 3; n++) backOff.began('second', 1)
  for (const name of ['c', 'd']) backOff.began(name, 2)
  assert.deepEqual([backOff.size, backOff.waitMs('first', 0)], [4, 1_000])
  backOff.began('e', 3)
  assert.deepEqual([backOff.size, backOff.waitMs('first', 3), backOff.waitMs('second', 1)], [4, 0, 1_000])
})
