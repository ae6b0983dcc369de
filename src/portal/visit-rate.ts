// Visit rate: how often a user, or the users of an organization, may do something within a window. Each change of a key is
// written to the disk, and makes the rights of live sessions be checked again; an explanation compares names of events.

export class VisitRate {
  private readonly countMax: number
  private readonly windowMs: number
  /** Requests in the current window, by who is counted: a user, an organization. */
  private readonly counts = new Map<string, number>()
  private endsAt = 0

  constructor(countMax: number, windowMs: number) {
    this.countMax = countMax
    this.windowMs = windowMs
  }

  /** Counts a request. @returns how long to wait, ms; 0: it may be done */
  waitMs(who: string, now: number): number {
    // A clock that has gone back must not make a window longer.
    if (now >= this.endsAt || now < this.endsAt - this.windowMs) {
      this.counts.clear()
      this.endsAt = now + this.windowMs
    }
    const count = this.counts.get(who) ?? 0
    if (count >= this.countMax) return this.endsAt - now
    this.counts.set(who, count + 1)
    return 0
  }
}
