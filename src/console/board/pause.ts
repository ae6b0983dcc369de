// The pause before the next attempt to connect: none after the first break, longer with each failure, never the same for all.

const FIRST_MS = 250
const MAX_MS = 4_000

export class Pause {
  private nextMs = 0
  private leastMs = 0
  private failures = 0
  private resume: (() => void) | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly random: () => number

  constructor(random: () => number = Math.random) {
    this.random = random
  }

  /** Ms of the next one. */
  get ms(): number {
    return Math.max(this.nextMs, this.leastMs)
  }

  /** An attempt has failed, or a connection is broken. */
  lengthen(): void {
    this.nextMs = Math.min(MAX_MS, FIRST_MS * 2 ** this.failures) * (0.5 + this.random() / 2)
    this.failures = Math.min(this.failures + 1, 10)
  }

  /** The service has asked for a pause. */
  atLeast(ms: number): void {
    this.leastMs = ms
  }

  /** All is well, or may be by now: the next attempt is made at once. */
  reset(): void {
    this.nextMs = 0
    this.failures = 0
    if (this.leastMs === 0) this.end()
  }

  /** Ends one that lasts. */
  end(): void {
    clearTimeout(this.timer)
    this.resume?.()
    this.resume = undefined
  }

  async wait(): Promise<void> {
    const { ms } = this
    this.leastMs = 0
    if (ms === 0) return
    await new Promise<void>((resolve) => {
      this.resume = resolve
      this.timer = setTimeout(() => this.end(), ms)
    })
  }
}
