// How far behind the service this page is, by everything that can be late: what waits in the service for this session, the
// way here together with the page's own queue, and silence.

/** The service says its part once a second: two of them missing are a silence. */
export const SILENT_MS = 2_500

/** The quickest message of the last two of these tells the difference of the clocks. */
const WINDOW_MS = 300_000

export class LagMeter {
  /** Ms, of the page's clock, when something last came. */
  private heardAt = 0
  private behindMs = 0
  /** The longest way since it was last asked, ms longer than the quickest one. */
  private slowest = 0
  private least = Number.POSITIVE_INFINITY
  private leastBefore = Number.POSITIVE_INFINITY
  private windowEndsAt = 0

  /** A new connection: clocks may have been set meanwhile. @param at ms, of the page's clock */
  begin(at: number): void {
    this.heardAt = at
    this.behindMs = 0
    this.slowest = 0
    this.least = Number.POSITIVE_INFINITY
    this.leastBefore = Number.POSITIVE_INFINITY
    this.windowEndsAt = at + WINDOW_MS
  }

  heard(at: number): void {
    this.heardAt = at
  }

  /** What topic `lag` says. */
  said(behindMs: number): void {
    this.behindMs = behindMs
  }

  /** A change. @param recordedAt epoch ms, of the service's clock */
  changed(recordedAt: number, at: number): void {
    const way = at - recordedAt
    if (at >= this.windowEndsAt) {
      this.leastBefore = this.least
      this.least = Number.POSITIVE_INFINITY
      this.windowEndsAt = at + WINDOW_MS
    }
    this.least = Math.min(this.least, way)
    this.slowest = Math.max(this.slowest, way - Math.min(this.least, this.leastBefore))
  }

  silence(at: number): number {
    return Math.max(0, at - this.heardAt)
  }

  /** The lag since it was last asked, ms. */
  take(at: number): number {
    const silence = this.silence(at)
    const lag = Math.max(this.behindMs, this.slowest, silence > SILENT_MS ? silence : 0)
    this.slowest = 0
    return lag
  }
}
