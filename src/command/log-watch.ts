// What the service does while the log cannot be written: nothing new is published or confirmed. Answers go on for a
// while; then they end, because prices that cannot change any more must not look like those that can.

import * as clock from '../clock.ts'
import type { Log } from '../log/log.ts'

type WatchedLog = Pick<Log, 'trouble' | 'onTrouble'>

export class LogWatch {
  private readonly log: WatchedLog
  private readonly awayMs: number
  private readonly report: (level: 'warn' | 'error', message: string) => void
  // When the trouble began.
  private troubledMs: number | undefined
  private isAwayNow = false

  /** @param awayMs how long answers go on */
  constructor(log: WatchedLog, awayMs: number, report: (level: 'warn' | 'error', message: string) => void) {
    this.log = log
    this.awayMs = awayMs
    this.report = report
    log.onTrouble((trouble) => this.note(trouble))
  }

  /** Whether the log cannot be written: prices do not change. */
  get isTroubled(): boolean {
    return this.troubledMs !== undefined
  }

  /** Whether customers are refused. */
  get isAway(): boolean {
    return this.isAwayNow
  }

  /** Why the service is not ready, a line each. */
  problems(): readonly string[] {
    const { trouble } = this.log
    return trouble === undefined ? [] : [trouble]
  }

  /** Called often. @returns whether customers are refused, and were not before */
  look(nowMs: number): boolean {
    if (this.isAwayNow || this.troubledMs === undefined || nowMs - this.troubledMs < this.awayMs) return false
    this.isAwayNow = true
    this.report('error', 'customers are refused with 503 until the log can be written')
    return true
  }

  private note(trouble: string | undefined): void {
    if (trouble === undefined) {
      this.troubledMs = undefined
      this.isAwayNow = false
      this.report('warn', 'the log can be written again')
      return
    }
    this.troubledMs ??= clock.elapsedMs()
    this.report('error', `${trouble}; nothing new is published or receipted meanwhile`)
  }
}
