// What the connection of the board is made of, without a browser: its lag, and its pauses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LagMeter, SILENT_MS } from '../../src/console/board/lag-meter.ts'
import { Pause } from '../../src/console/board/pause.ts'

/** The service's clock is ahead of the page's by this. */
const AHEAD = 1_700_000_000_000

const begun = (): LagMeter => {
  const meter = new LagMeter()
  meter.begin(0)
  return meter
}

test('the lag is what a message took longer than the quickest one, whatever the clocks show', () => {
  const meter = begun()
  meter.changed(AHEAD + 1_000, 1_040)
  assert.equal(meter.take(1_040), 0)
  meter.heard(1_500)
  meter.changed(AHEAD + 1_100, 1_440)
  meter.changed(AHEAD + 1_400, 1_450)
  assert.equal(meter.take(1_500), 300, 'the longest since it was asked')
  assert.equal(meter.take(1_501), 0)
})

test('what waits in the service counts, and so does silence', () => {
  const meter = begun()
  meter.said(700)
  meter.heard(1_000)
  assert.equal(meter.take(1_100), 700)
  assert.equal(meter.take(1_000 + SILENT_MS), 700)
  assert.equal(meter.take(1_001 + SILENT_MS), SILENT_MS + 1)
  assert.equal(meter.silence(2_000), 1_000)
})

test('clocks that drift apart are no lag for long', () => {
  const meter = begun()
  for (let at = 0; at < 3_600_000; at += 1_000) {
    // 100 ppm: a third of a second an hour.
    meter.changed(AHEAD + at * (1 - 1e-4), at)
    meter.heard(at)
    assert.ok(meter.take(at) <= 65, `at ${at}`)
  }
})

test('pauses grow to a bound, differ, and end when all is well', () => {
  const pause = new Pause(() => 1)
  assert.equal(pause.ms, 0)
  const taken: number[] = []
  for (let failure = 0; failure < 8; failure++) {
    pause.lengthen()
    taken.push(pause.ms)
  }
  assert.deepEqual(taken, [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000])
  pause.reset()
  assert.equal(pause.ms, 0)
  const shorter = new Pause(() => 0)
  shorter.lengthen()
  assert.equal(shorter.ms, 125)
})

test('a pause that the service asks for is kept, once', async () => {
  const pause = new Pause(() => 1)
  pause.atLeast(30)
  pause.reset()
  assert.equal(pause.ms, 30)
  await pause.wait()
  assert.equal(pause.ms, 0)
})

test('a pause ends early when the network is back', async () => {
  const pause = new Pause(() => 1)
  for (let failure = 0; failure < 8; failure++) pause.lengthen()
  const waiting = pause.wait()
  pause.reset()
  await waiting
})
