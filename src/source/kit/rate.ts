// When the next request may go: spacing to one host, what Retry-After asks for, pauses after failures, and jitter. All of
// it is arithmetic on times that come in as arguments.

/** Requests to one host. */
export interface PaceLimits {
  /** Over time; below 1 is slower than one a second. */
  readonly requestsPerSecond: number
  /** How many may go at once after a quiet while. */
  readonly burst: number
}

/**
 * A bucket of tokens, kept as the moment when it is full again: each request moves that moment on by one spacing, and may
 * go when it is at most a burst away. Whoever comes first goes first, however many wait.
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

  /** Another source asks the same host. Where their limits differ, the stricter ones count for all of them. */
  join(limits: PaceLimits): void {
    this.sharers.add(limits)
    this.limits = strictestOf(this.sharers)
  }

  /** A source was stopped: its limits count no longer. @param limits the object that it joined with */
  leave(limits: PaceLimits): void {
    this.sharers.delete(limits)
    if (this.sharers.size > 0) this.limits = strictestOf(this.sharers)
  }

  /** Whether nobody asks the host any more, and what was asked of it holds nobody back who comes now. */
  isIdle(nowAt: number): boolean {
    return this.sharers.size === 0 && nowAt >= Math.max(this.fullAt, this.heldUntil)
  }

  /** Takes a token. @returns when the request may go, epoch ms; not before `nowAt` */
  reserve(nowAt: number): number {
    const spacingMs = 1000 / this.limits.requestsPerSecond
    const goAt = Math.max(nowAt, this.fullAt - (this.limits.burst - 1) * spacingMs)
    this.fullAt = Math.max(this.fullAt, nowAt) + spacingMs
    return goAt
  }

  /** The host asks for quiet until then, epoch ms. */
  hold(untilAt: number): void {
    this.heldUntil = Math.max(this.heldUntil, untilAt)
  }

  /** Until when the host wants quiet, epoch ms; in the past: it does not. */
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
 * The paces of all hosts: sources that share a host share its pace. They outlive a reload of the configuration: a host that
 * asked for quiet is not asked sooner because its source was restarted.
 */
export class Paces {
  private readonly byHost = new Map<string, Pace>()

  /**
   * Joins the pace of a host; whoever is stopped has to {@link Pace.leave} it.
   * @param host the origin that is asked, and the proxy where there is one: limits are kept by address
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

// From here on doubling changes nothing: the cap is far below.
const DOUBLINGS_MAX = 30

/**
 * The pause after the n-th failure in a row (from 1): anywhere from nothing to a bound that doubles each time ("full
 * jitter"), so that those who failed together do not come back together.
 * @param chance from 0 to 1
 */
export const backOffMs = (failures: number, minMs: number, maxMs: number, chance: number): number =>
  Math.round(chance * Math.min(maxMs, minMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX)))

/** A time span moved by up to half of `share` either way: 10 s with 0.2 is 9 to 11 s. */
export const jittered = (ms: number, share: number, chance: number): number =>
  Math.round(ms * (1 + share * (chance - 0.5)))

const SECONDS = /^\d{1,9}$/

/**
 * What a `Retry-After` header asks for, ms from now; null: nothing that can be understood (RFC 9110, 10.2.3).
 * @param date the answer's own `Date`: a time of the server's is best compared with the server's clock
 */
export const retryAfterMsOf = (value: string | undefined, date: string | undefined, nowAt: number): number | null => {
  const text = value?.trim() ?? ''
  if (SECONDS.test(text)) return Number(text) * 1000
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) return null
  const serverAt = date === undefined ? Number.NaN : Date.parse(date)
  return Math.max(0, at - (Number.isNaN(serverAt) ? nowAt : serverAt))
}
