// Pace, pauses and Retry-After: arithmetic, so time is a number here.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backOffMs, jittered, Pace, Paces, retryAfterMsOf } from '../../../src/source/kit/rate.ts'
import { Random, SEED } from '../../random.ts'

const T0 = Date.parse('2026-03-08T12:00:00Z')

test('a pace lets a burst go, then one after each spacing', () => {
  const pace = new Pace({ requestsPerSecond: 4, burst: 3 })
  const goAt = Array.from({ length: 6 }, () => pace.reserve(T0) - T0)
  assert.deepEqual(goAt, [0, 0, 0, 250, 500, 750])
  // A quiet while fills the bucket, and never beyond its brim.
  assert.deepEqual(
    Array.from({ length: 4 }, () => pace.reserve(T0 + 60_000) - T0),
    [60_000, 60_000, 60_000, 60_250],
  )
})

test('a pace never lets more through than its rate, whenever it is asked', () => {
  const random = new Random(SEED)
  const limits = { requestsPerSecond: 5, burst: 4 }
  const pace = new Pace(limits)
  let nowAt = T0
  const went: number[] = []
  for (let request = 0; request < 2_000; request++) {
    nowAt += random.chance(0.05) ? random.int(0, 5_000) : random.int(0, 150)
    went.push(pace.reserve(nowAt))
  }
  for (const [index, at] of went.entries()) {
    const before = went[index - limits.burst]
    assert(at >= (went[index - 1] ?? 0), `seed ${SEED}: request ${index} went before its turn`)
    if (before !== undefined) assert(at - before >= 200 - 1e-3, `seed ${SEED}: too many around request ${index}`)
  }
})

test('sources of one host share its pace, and the stricter limits count', () => {
  const paces = new Paces()
  const one = paces.of('https://odds.example', { requestsPerSecond: 10, burst: 5 }, T0)
  const other = paces.of('https://odds.example', { requestsPerSecond: 2, burst: 1 }, T0)
  assert.equal(one, other)
  assert.notEqual(one, paces.of('https://else.example', { requestsPerSecond: 10, burst: 5 }, T0))
  assert.deepEqual([one.reserve(T0) - T0, other.reserve(T0) - T0, one.reserve(T0) - T0], [0, 500, 1000])
  other.hold(T0 + 9_000)
  one.hold(T0 + 5_000)
  assert.equal(one.quietUntil, T0 + 9_000)
})

test('the limits of a source that was stopped count no longer; a host that asked for quiet still has it', () => {
  const paces = new Paces()
  const [loose, strict] = [
    { requestsPerSecond: 10, burst: 5 },
    { requestsPerSecond: 1, burst: 1 },
  ]
  const pace = paces.of('https://odds.example', loose, T0)
  paces.of('https://odds.example', strict, T0)
  assert.deepEqual([pace.reserve(T0) - T0, pace.reserve(T0) - T0], [0, 1_000])
  pace.leave(strict)
  const later = T0 + 10_000
  assert.deepEqual(
    Array.from({ length: 6 }, () => pace.reserve(later) - later),
    [0, 0, 0, 0, 0, 100],
  )
  pace.hold(T0 + 20_000)
  pace.leave(loose)
  assert.equal(paces.of('https://odds.example', { ...loose }, T0 + 19_999), pace, 'restarted before the quiet is over')
})

test('a host that nobody asks any more is forgotten', () => {
  const paces = new Paces()
  const limits = { requestsPerSecond: 10, burst: 5 }
  const pace = paces.of('https://odds.example', limits, T0)
  pace.hold(T0 + 20_000)
  pace.leave(limits)
  paces.of('https://else.example', { ...limits }, T0 + 20_000)
  assert.notEqual(paces.of('https://odds.example', { ...limits }, T0 + 20_000), pace)
})

test('pauses after failures double up to their bound, and may be anything below it', () => {
  const bounds = [1, 2, 3, 4, 5, 6, 1_000].map((failures) => backOffMs(failures, 100, 2_000, 1))
  assert.deepEqual(bounds, [100, 200, 400, 800, 1_600, 2_000, 2_000])
  assert.equal(backOffMs(3, 100, 2_000, 0), 0)
  assert.equal(backOffMs(3, 100, 2_000, 0.25), 100)
})

test('jitter moves an interval by half of its share either way', () => {
  assert.deepEqual(
    [0, 0.5, 1].map((chance) => jittered(10_000, 0.2, chance)),
    [9_000, 10_000, 11_000],
  )
})

test('Retry-After is read as seconds and as a date', () => {
  const date = 'Sun, 08 Mar 2026 12:00:30 GMT'
  assert.equal(retryAfterMsOf('120', undefined, T0), 120_000)
  assert.equal(retryAfterMsOf(' 0 ', undefined, T0), 0)
  assert.equal(retryAfterMsOf(date, undefined, T0), 30_000)
  assert.equal(retryAfterMsOf(date, undefined, T0 + 60_000), 0)
  // The server's clock is an hour ahead of ours: its own Date says how long it means.
  assert.equal(retryAfterMsOf('Sun, 08 Mar 2026 13:00:05 GMT', 'Sun, 08 Mar 2026 13:00:00 GMT', T0), 5_000)
  for (const nonsense of [undefined, '', 'soon', '-5', '1.5', '12 March', '99999999999999']) {
    assert.equal(retryAfterMsOf(nonsense, undefined, T0), null, String(nonsense))
  }
})
