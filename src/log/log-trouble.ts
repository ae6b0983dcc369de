// What is wrong with the disk of the log, in words for the operator.

import { elapsedMs } from '../clock.ts'
import type { DiskError } from './disk.ts'

const CHECK_MS = 100

/** Of the time between two looks, at most so many intervals of the checks count. */
const GAP_CHECKS = 2

const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free space on it',
  EDQUOT: 'the quota of the disk is used up: raise it, or free space',
  EFBIG: 'files may not be larger: raise the limit of the process (ulimit -f)',
  EROFS: 'the disk is mounted for reading only: check it (dmesg), and mount it for writing',
  EACCES: 'the process may not write there: give its user the right',
  EMFILE: 'the process has no file descriptors left: raise its limit (ulimit -n)',
}

export class LogTrouble {
  text: string | undefined
  private problem: string | undefined
  /** `beganMs`: in {@link ranMs}. */
  private readonly operations = new Set<{ readonly what: string; readonly path: string; readonly beganMs: number }>()
  private readonly listeners: ((trouble: string | undefined) => void)[] = []
  private readonly slowMsMax: number
  private readonly timer: NodeJS.Timeout
  private readonly checkMs: number
  private lookedMs = elapsedMs()
  private ran = 0

  constructor(slowMsMax: number) {
    this.slowMsMax = slowMsMax
    this.checkMs = Math.min(CHECK_MS, slowMsMax / 4)
    this.timer = setInterval(() => this.update(), this.checkMs).unref()
  }

  onChange(listener: (trouble: string | undefined) => void): void {
    this.listeners.push(listener)
  }

  /** Runs an operation of the disk; it is reported while it is slow. */
  async timed<Value>(what: string, path: string, start: () => Promise<Value>): Promise<Value> {
    const operation = { what, path, beganMs: this.ranMs() }
    this.operations.add(operation)
    try {
      return await start()
    } finally {
      this.operations.delete(operation)
    }
  }

  failed(error: unknown, path: string): void {
    const { code = 'error', message, syscall = 'write' } = error as DiskError
    const advice = ADVICE[code] ?? `check the disk (dmesg): ${message}`
    this.problem = `the log cannot be written (${code} at ${syscall} of ${path}): ${advice}; it is tried again`
    this.update()
  }

  /** Turns were written. */
  worked(): void {
    if (this.text === undefined) return
    this.problem = undefined
    this.update()
  }

  end(): void {
    clearInterval(this.timer)
  }

  private update(): void {
    const text = this.problem ?? this.slow()
    if (text === this.text) return
    this.text = text
    for (const listener of this.listeners) listener(text)
  }

  private slow(): string | undefined {
    const nowMs = this.ranMs()
    for (const { what, path, beganMs } of this.operations) {
      if (nowMs - beganMs < this.slowMsMax) continue
      return `the disk of the log has not finished a ${what} of ${path} within ${this.slowMsMax} ms: check it (dmesg, iostat)`
    }
    return undefined
  }

  /**
   * How long this process has run, ms: while it is stopped, or busy, it does not see that the disk has finished, and most
   * of that time is not counted.
   */
  private ranMs(): number {
    const nowMs = elapsedMs()
    this.ran += Math.min(nowMs - this.lookedMs, GAP_CHECKS * this.checkMs)
    this.lookedMs = nowMs
    return this.ran
  }
}
