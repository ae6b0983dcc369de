// For how long the event loop leaves a disk alone that was late. A single late write shows little of the disk: its thread
// had to wait for the core. Each further one makes the rest twice as long.

import { LIMITS } from '../limits.ts'

export class DiskRest {
  private untilMs = Number.NEGATIVE_INFINITY
  private nextMs = 0

  /** @param nowMs monotonic */
  isOver(nowMs: number): boolean {
    return nowMs >= this.untilMs
  }

  /** A write was not done in time. */
  begin(nowMs: number): void {
    const { logNowMsMax, logNowRest, logNowCalmMs } = LIMITS
    if (nowMs - this.untilMs > logNowCalmMs) this.nextMs = logNowMsMax
    this.untilMs = nowMs + this.nextMs
    this.nextMs = Math.min(2 * this.nextMs, logNowMsMax * logNowRest)
  }
}
