// How long the event loop leaves a late disk alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../src/limits.ts'
import { DiskRest } from '../../src/log/disk-rest.ts'

const { logNowMsMax, logNowRest, logNowCalmMs } = LIMITS

/** A write is late. @returns how long the rest takes, and when it ends */
const restOf = (rest: DiskRest, nowMs: number): readonly [ms: number, endMs: number] => {
  rest.begin(nowMs)
  let ms = 0
  while (!rest.isOver(nowMs + ms)) ms++
  return [ms, nowMs + ms]
}

test('a disk that is late again and again takes a small share of the time', () => {
  const rest = new DiskRest()
  assert(rest.isOver(0))
  const rests: number[] = []
  for (let nowMs = 0; rests.length < 8; ) {
    const [ms, endMs] = restOf(rest, nowMs)
    rests.push(ms / logNowMsMax)
    nowMs = endMs + logNowMsMax
  }
  assert.deepEqual(rests, [1, 2, 4, 8, 16, logNowRest, logNowRest, logNowRest])
})

test('a write that is late once costs a short rest each time', () => {
  const rest = new DiskRest()
  let nowMs = 0
  for (let n = 0; n < 5; n++) {
    const [ms, endMs] = restOf(rest, nowMs)
    assert.equal(ms, logNowMsMax)
    nowMs = endMs + logNowCalmMs + 1
  }
  restOf(rest, nowMs)
  const [, endMs] = restOf(rest, nowMs + 2 * logNowMsMax)
  assert.equal(restOf(rest, endMs + logNowCalmMs)[0], 4 * logNowMsMax)
})
