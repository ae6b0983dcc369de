// How often a source may be asked, and how long requests may take.

import type { HttpLimits } from './http-client.ts'
import type { PaceLimits } from './rate.ts'

export interface PollLimits extends HttpLimits, PaceLimits {
  /** Requests under way at a time. */
  readonly concurrency: number
  /** Share of an interval by which it varies, from 0 to 1. */
  readonly jitter: number
  /** Bounds of the pause after failures; it doubles in between. */
  readonly backOffMsMin: number
  readonly backOffMsMax: number
  /** Pause when credentials are refused or a URL is wrong: only an operator can fix that. */
  readonly refusedMs: number
  /** The longest `Retry-After` that is honoured. */
  readonly retryAfterMsMax: number
  /** How long a refresh may take. */
  readonly refreshMsMax: number
  /** Price URLs of a group that a refresh polls. */
  readonly refreshesPerGroup: number
  /** Intervals without a good answer after which the quotes of a price URL become suspect. */
  readonly staleIntervals: number
  /** The least time for that, ms. */
  readonly staleMsMin: number
}

export const POLL_LIMITS: PollLimits = {
  connectMsMax: 10_000,
  headersMsMax: 20_000,
  bodyMsMax: 20_000,
  totalMsMax: 60_000,
  documentBytesMax: 2 ** 26,
  requestsPerSecond: 2,
  burst: 2,
  concurrency: 2,
  jitter: 0.2,
  backOffMsMin: 2_000,
  backOffMsMax: 300_000,
  refusedMs: 300_000,
  retryAfterMsMax: 3_600_000,
  refreshMsMax: 60_000,
  refreshesPerGroup: 3,
  staleIntervals: 4.5,
  staleMsMin: 30_000,
}

/** How long the last answer of what is polled at an interval stays valid, ms. */
export const staleMsOf = (intervalMs: number, limits: Pick<PollLimits, 'staleIntervals' | 'staleMsMin'>): number =>
  Math.max(limits.staleIntervals * intervalMs, limits.staleMsMin)
