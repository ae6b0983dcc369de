// Back-off: who has failed to log in too often waits, by email and by address.

export interface BackOffLimits {
  /** Failures before there is a pause. */
  readonly failuresMax: number
  /** The first pause, ms; each further one is twice as long, up to the longest. */
  readonly pauseMs: number
  readonly pauseMsMax: number
  /** Names that are remembered: for one more, the one that failed longest ago is forgotten. */
  readonly kept: number
}

interface Failures {
  count: number
  lastAt: number
  until: number
}

/** A failure is forgotten after so long: many people behind one address mistype now and then. */
export const FORGET_MS = 60_000

export class BackOff {
  private readonly limits: BackOffLimits
  /** The one that failed longest ago first. */
  private readonly byName = new Map<string, Failures>()

  constructor(limits: BackOffLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.byName.size
  }

  /** Whether a name has failures that are not forgotten yet. */
  hasFailed(name: string, now: number): boolean {
    const failures = this.byName.get(name)
    return failures !== undefined && failures.count > Math.max(0, Math.floor((now - failures.lastAt) / FORGET_MS))
  }

  /** How long a name has to wait before it may try, ms; 0: not at all. */
  waitMs(name: string, now: number): number {
    const failures = this.byName.get(name)
    return failures === undefined ? 0 : Math.max(0, failures.until - now)
  }

  /** A try begins: it counts as a failure until {@link succeeded}, so that many at once are no way around. */
  began(name: string, now: number): void {
    const { failuresMax, pauseMs, pauseMsMax, kept } = this.limits
    const before = this.byName.get(name)
    const forgotten = before === undefined ? 0 : Math.max(0, Math.floor((now - before.lastAt) / FORGET_MS))
    const count = Math.max(0, (before?.count ?? 0) - forgotten) + 1
    const pause = count < failuresMax ? 0 : Math.min(pauseMsMax, pauseMs * 2 ** Math.min(count - failuresMax, 30))
    this.byName.delete(name)
    this.byName.set(name, { count, lastAt: now, until: now + pause })
    if (this.byName.size > kept) this.byName.delete(this.byName.keys().next().value!)
  }

  /** The try was no failure. */
  succeeded(name: string): void {
    this.byName.delete(name)
  }

  /** The same where the other failures stay. */
  tookBack(name: string): void {
    const failures = this.byName.get(name)
    if (failures === undefined) return
    failures.count--
    failures.until = failures.lastAt
  }
}
