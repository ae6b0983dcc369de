// Pace: work that takes milliseconds of the event loop is done one at a time, and takes a share of it only.

import { elapsedMs } from '../clock.ts'

export class Pace {
  /** Rest after a piece of work, as a multiple of what it took. */
  private readonly rest: number
  private readonly waitingMax: number
  private readonly waiting: (() => void)[] = []
  private isBusy = false

  constructor(rest: number, waitingMax: number) {
    this.rest = rest
    this.waitingMax = waitingMax
  }

  /** @returns undefined: too many wait already, and nothing was done */
  async do<T>(work: () => T): Promise<T | undefined> {
    if (this.isBusy) {
      if (this.waiting.length >= this.waitingMax) return undefined
      await new Promise<void>((resolve) => this.waiting.push(resolve))
    }
    this.isBusy = true
    const beganMs = elapsedMs()
    try {
      return work()
    } finally {
      setTimeout(() => this.next(), Math.ceil((elapsedMs() - beganMs) * this.rest))
    }
  }

  private next(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.isBusy = false
    else next()
  }
}
