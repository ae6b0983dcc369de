// How hard a source may be asked, and how long anything may take.

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
  /** Pause when credentials are refused or a URL is wrong: only somebody can mend that. */
  readonly refusedMs: number
  /** What `Retry-After` may ask for. */
  readonly retryAfterMsMax: number
  /** How long a refresh may take. */
  readonly refreshMsMax: number
  /** Price URLs of a group that a refresh polls. */
  readonly refreshesPerGroup: number
  /** How long a price URL may fail, while others do not, before what stands from it is let go; null: for ever. */
  readonly staleMs: number | null
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
  staleMs: 300_000,
}
