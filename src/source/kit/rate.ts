// When the next request may go: spacing to one host, Retry-After, pauses after failures, and jitter. All of it is
// arithmetic on times that are arguments.

/** Requests to one host. */
export interface PaceLimits {
  /** On average; below 1 is slower than one a second. */
  readonly requestsPerSecond: number
  /** How many may go at once after a quiet time. */
  readonly burst: number
}

/**
 * A token bucket, kept as the time when it is full again: each request moves that time on by one spacing, and may go
 * when it is at most a burst away. Requests go in order of arrival.
 */
export class Pace {
  private limits: PaceLimits
  private readonly sharers = new Set<PaceLimits>()
  private fullAt = 0
  private heldUntil = 0

  constructor(limits: PaceLimits) {
    this.limits = limits
    this.sharers.add(limits)
  }

  /** Another source uses the same host. If their limits differ, the stricter ones hold for all of them. */
  join(limits: PaceLimits): void {
    this.sharers.add(limits)
    this.limits = strictestOf(this.sharers)
  }

  /** A source was stopped: its limits no longer count. @param limits the object that it joined with */
  leave(limits: PaceLimits): void {
    this.sharers.delete(limits)
    if (this.sharers.size > 0) this.limits = strictestOf(this.sharers)
  }

  /** Whether no source uses the host, and neither past requests nor a pause would delay a new one. */
  isIdle(nowAt: number): boolean {
    return this.sharers.size === 0 && nowAt >= Math.max(this.fullAt, this.heldUntil)
  }

  /** Reserves a token. @returns when the request may go, epoch ms; not before `nowAt` */
  reserve(nowAt: number): number {
    const spacingMs = 1000 / this.limits.requestsPerSecond
    const goAt = Math.max(nowAt, this.fullAt - (this.limits.burst - 1) * spacingMs)
    this.fullAt = Math.max(this.fullAt, nowAt) + spacingMs
    return goAt
  }

  /** The host asks for a pause until then, epoch ms. */
  hold(untilAt: number): void {
    this.heldUntil = Math.max(this.heldUntil, untilAt)
  }

  /** Until when the host wants a pause, epoch ms; in the past: it does not. */
  get quietUntil(): number {
    return this.heldUntil
  }
}

const strictestOf = (sharers: Iterable<PaceLimits>): PaceLimits => {
  const all = [...sharers]
  return {
    requestsPerSecond: Math.min(...all.map(({ requestsPerSecond }) => requestsPerSecond)),
    burst: Math.min(...all.map(({ burst }) => burst)),
  }
}

/**
 * The paces of all hosts: sources of one host share its pace. They outlive a reload of the configuration, so a restart
 * of a source does not shorten a pause that the host asked for.
 */
export class Paces {
  private readonly byHost = new Map<string, Pace>()

  /**
   * Joins the pace of a host; a source that is stopped must {@link Pace.leave} it.
   * @param host the origin, and the proxy where there is one: hosts limit by address
   */
  of(host: string, limits: PaceLimits, nowAt: number): Pace {
    for (const [each, pace] of this.byHost) if (pace.isIdle(nowAt)) this.byHost.delete(each)
    const known = this.byHost.get(host)
    if (known !== undefined) {
      known.join(limits)
      return known
    }
    const pace = new Pace(limits)
    this.byHost.set(host, pace)
    return pace
  }
}

// Above this doubling changes nothing: the cap is far below.
const DOUBLINGS_MAX = 30

/**
 * The pause after the n-th failure in a row (from 1): random, from nothing to a bound that doubles each time ("full
 * jitter"), so that sources that failed together do not reconnect together.
 * @param chance from 0 to 1
 */
export const backOffMs = (failures: number, minMs: number, maxMs: number, chance: number): number =>
  Math.round(chance * Math.min(maxMs, minMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX)))

/** A time span moved by up to half of `share` either way: 10 s with 0.2 is 9 to 11 s. */
export const jittered = (ms: number, share: number, chance: number): number =>
  Math.round(ms * (1 + share * (chance - 0.5)))

const SECONDS = /^\d{1,9}$/

/**
 * The delay that a `Retry-After` header asks for, ms from now; null: none that can be understood (RFC 9110, 10.2.3).
 * @param date the answer's own `Date`: a time of the server is best compared with the server's clock
 */
export const retryAfterMsOf = (value: string | undefined, date: string | undefined, nowAt: number): number | null => {
  const text = value?.trim() ?? ''
  if (SECONDS.test(text)) return Number(text) * 1000
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) return null
  const serverAt = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, at - (Number.isNaN(serverAt) ? nowAt : serverAt))
}
