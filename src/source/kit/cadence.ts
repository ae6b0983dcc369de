// How long a source may be silent before it is late, and before it is down.

import { POLL_LIMITS, staleMsOf } from './poll-limits.ts'

/** When a silent source becomes late, and down. */
export interface Cadence {
  /** Interval of its heart-beats, ms; 0: none. A shorter `downSeconds` is refused. */
  readonly beatMs: number
  readonly lateMs: number
  readonly downMs: number
  /** How long after it went down its open quotes are suspended, ms; null: never. */
  readonly suspendMs: number | null
  readonly behindMsMax: number
}

export const NEVER_BEHIND = Number.POSITIVE_INFINITY

/** Of a poller: two failed polls make it late, four make it down, but not before 10 s and 30 s. */
export const cadenceOfPolls = (intervalMs: number, suspendMs: number | null): Cadence => ({
  // With several URLs every answer is a sign of life.
  beatMs: 0,
  lateMs: Math.max(2.5 * intervalMs, 10_000),
  downMs: staleMsOf(intervalMs, POLL_LIMITS),
  suspendMs,
  behindMsMax: NEVER_BEHIND,
})

export const cadenceOfBeats = (beatMs: number): Cadence => ({
  beatMs,
  lateMs: 2 * beatMs + 1_000,
  downMs: 4 * beatMs,
  suspendMs: 0,
  behindMsMax: 30_000,
})
