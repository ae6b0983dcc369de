// Points of the log that this process has not reached: another one that shares the log has, and a client comes from there.
// They are reached within milliseconds, or never.

interface Awaited {
  readonly seq: number
  readonly untilMs: number
  readonly go: () => void
}

export class AwaitedPoints {
  private awaited: Awaited[] = []
  private readonly elapsedMs: () => number
  private readonly msMax: number

  /** @param msMax how long a point is waited for; 0: not at all */
  constructor(msMax: number, elapsedMs: () => number) {
    this.msMax = msMax
    this.elapsedMs = elapsedMs
  }

  /** Whether points that are ahead are waited for. */
  get waits(): boolean {
    return this.msMax > 0
  }

  /** Calls `go` when the log has reached a seq, or has not in time. */
  add(seq: number, go: () => void): void {
    this.awaited.push({ seq, untilMs: this.elapsedMs() + this.msMax, go })
  }

  /** Called after each turn, and now and then. @param seq which the log has reached */
  look(seq: number): void {
    if (this.awaited.length === 0) return
    const nowMs = this.elapsedMs()
    const isOver = (each: Awaited): boolean => each.seq <= seq || nowMs >= each.untilMs
    const over = this.awaited.filter(isOver)
    if (over.length === 0) return
    this.awaited = this.awaited.filter((each) => !isOver(each))
    for (const { go } of over) go()
  }
}
