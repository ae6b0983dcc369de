// Ledger: counts requests against the hourly rate limit and the monthly quota (docs/architecture.md 7.6).

import { type Refusal, refuse } from '../domain/refusal.ts'
import type { Transport } from '../domain/transport.ts'
import type { Organization } from './organization.ts'

/** Result for one request. */
export interface Admission {
  /** Undefined: admitted. Else `rate_limit_exceeded` or `service_unavailable`. */
  readonly refusal: Refusal | undefined
  /** For `X-RateLimit-*`: the window with fewer requests left, the hour if equal. 0: no limit, no headers. */
  readonly limit: number
  readonly remaining: number
  /** When the window ends, epoch seconds. */
  readonly resetAt: number
  /** Seconds for `Retry-After`, at least 1; 0: not refused for a limit. */
  readonly retryAfterS: number
}

/** A window as it is now. */
export interface WindowUse {
  readonly kind: WindowKind
  readonly limit: number
  /** Requests counted in it; undefined: none since the process started, so that only the store knows. */
  readonly used: number | undefined
  /** Epoch ms. */
  readonly endsAt: number
}

/** What the next request would get, as far as that is known without asking the store. */
export interface Prospect {
  /** Undefined: it would be admitted, or the store would be asked. */
  readonly refusal: Refusal | undefined
  /** The windows that apply; none: there is no limit. */
  readonly windows: readonly WindowUse[]
}

/** Where requests are counted: the store of this process, or one that several processes share. */
export interface Ledger {
  /**
   * Counts one request against the organization's windows, as its plan says now: the hour always, the month with
   * transport `rest`. A refused request is not counted. An admission that is not a promise is valid until the next
   * `admit` of the same organization. `now` is epoch ms.
   */
  admit(organization: Organization, transport: Transport, now: number): Admission | Promise<Admission>
  /** What {@link admit} would say, without counting anything. Left out: nothing is refused. */
  prospect?(organization: Organization, transport: Transport, now: number): Prospect
  /** Stops counting, and gives back what was reserved and not used. */
  close(): Promise<void>
}

export const WINDOW_KINDS = ['hour', 'month'] as const

export type WindowKind = (typeof WINDOW_KINDS)[number]

const HOUR_MS = 3_600_000

/** First millisecond of the fixed UTC window that contains `at`. */
export const windowStart = (kind: WindowKind, at: number): number => {
  if (kind === 'hour') return at - (at % HOUR_MS)
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

/** First millisecond after that window. */
export const windowEnd = (kind: WindowKind, at: number): number => {
  if (kind === 'hour') return windowStart(kind, at) + HOUR_MS
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
}

/** The refusal of a window that is used up; its message names the window (docs/architecture.md 7.8). */
export const exhausted = (kind: WindowKind, limit: number): Refusal =>
  refuse(
    'rate_limit_exceeded',
    kind === 'hour'
      ? `Hourly rate limit of ${limit} requests exhausted; the next full hour (UTC) has a new one`
      : `Monthly REST request quota of ${limit} requests exhausted; the next month (UTC) has a new one`,
  )

/** The admission of a plan without limits. */
export const UNLIMITED: Admission = { refusal: undefined, limit: 0, remaining: 0, resetAt: 0, retryAfterS: 0 }

/** The prospect of a plan without limits. */
export const NO_LIMIT: Prospect = { refusal: undefined, windows: [] }

/** A request that could not be counted is refused: the service fails closed. */
export const unavailable = (message: string): Admission => ({
  ...UNLIMITED,
  refusal: refuse('service_unavailable', message),
})
