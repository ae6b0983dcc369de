// Half of the load that the service can confirm, for a long time: whether its memory grows.

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import * as clock from '../../src/clock.ts'
import type { Fault } from './fault.ts'
import { Rig } from './rig.ts'

/** Too short to judge the memory: what is shown is that all is confirmed and seen under a steady load. */
const SHORT_S = 8
const LONG_S = 30 * 60
/** The first part of the time is no steady state: code is compiled, and the replay ring fills. */
const WARM_UP_SHARE = 1 / 3
const RING_LOOK_S = 10
/** What is judged has at least so many samples, a second each, with a ring that is full. */
const STEADY_MIN = 300
const CAPACITY_MS = 2_000
const TICK_MS = 20
const SLOPE_MB_H_MAX = 1

interface Sample {
  readonly hours: number
  readonly mb: number
}

const rssMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

/** Slope by least squares, and its standard error; MB an hour. */
const slopeOf = (samples: readonly Sample[]): { readonly slope: number; readonly error: number } => {
  const n = samples.length
  const x = samples.reduce((sum, { hours }) => sum + hours, 0) / n
  const y = samples.reduce((sum, { mb }) => sum + mb, 0) / n
  const xx = samples.reduce((sum, { hours }) => sum + (hours - x) ** 2, 0)
  const slope = samples.reduce((sum, { hours, mb }) => sum + (hours - x) * (mb - y), 0) / xx
  const rest = samples.reduce((sum, { hours, mb }) => sum + (mb - y - slope * (hours - x)) ** 2, 0)
  return { slope, error: Math.sqrt(rest / Math.max(1, n - 2) / xx) }
}

export const soak: Fault = {
  name: 'soak',
  promise: `at half load the memory grows by less than ${SLOPE_MB_H_MAX} MB an hour (judged in the long form)`,
  async run({ isLong, runs = isLong ? LONG_S : SHORT_S, seed, folder, store, note }) {
    const rig = new Rig({ folder, store, seed, window: 64 })
    const { violations, record, publishers } = rig
    await rig.begin()
    const startMs = clock.elapsedMs()
    await rig.until('the capacity is known', () => clock.elapsedMs() - startMs > CAPACITY_MS)
    const rate = (record.receipts * 1_000) / (clock.elapsedMs() - startMs) / 2
    await rig.quiet()
    const samples: Sample[] = []
    let ring = 0
    let isSteady = false
    const beginMs = clock.elapsedMs()
    const before = record.receipts
    let sent = 0
    let second = 0
    for (;;) {
      const elapsedMs = clock.elapsedMs() - beginMs
      if (elapsedMs > runs * 1_000) break
      const due = Math.floor((elapsedMs * rate) / 1_000)
      for (; sent < due; sent++) publishers[sent % publishers.length]!.sendOne()
      if (elapsedMs > second * 1_000) {
        second++
        if (elapsedMs > WARM_UP_SHARE * runs * 1_000) {
          samples.push({ hours: elapsedMs / 3_600_000, mb: rssMb(rig.server.child.pid!) })
        }
        if (second % RING_LOOK_S === 0) {
          const changes = (await rig.server.metric('oddswire_replay_ring_changes')) ?? 0
          if (isLong && !isSteady && changes > ring) samples.length = 0
          isSteady ||= ring > 0 && changes <= ring
          ring = changes
        }
        if (second % 120 === 0) note(`${second} s, ${rssMb(rig.server.child.pid!).toFixed(0)} MB`)
      }
      await pause(TICK_MS)
    }
    const took = (clock.elapsedMs() - beginMs) / 1_000
    const ringSeconds = await rig.server.metric('oddswire_replay_ring_seconds')
    await rig.quiet()
    await rig.settled()
    const done = (record.receipts - before) / took
    const { slope, error } = slopeOf(samples)
    const isJudged = isLong && isSteady && samples.length >= STEADY_MIN
    violations.check(
      !isJudged || slope - 2 * error < SLOPE_MB_H_MAX,
      () => `${slope.toFixed(1)} ± ${error.toFixed(1)} MB an hour`,
    )
    violations.check(done > rate / 2, () => `${Math.round(done)} SENDs/s were confirmed, ${Math.round(rate)} were due`)
    await rig.reader.stop()
    await rig.reader.audit(rig.server.ports.http)
    await rig.end()
    return {
      runs: Math.round(took),
      seen: `${Math.round(done)} SENDs/s, ${samples.at(-1)?.mb.toFixed(0)} MB, ${slope.toFixed(1)} ± ${error.toFixed(1)} MB/h ${isJudged ? '' : ', not judged'} (the replay ring holds ${Math.round(ringSeconds ?? 0)} s)`,
      violations: violations.lines,
    }
  },
}
