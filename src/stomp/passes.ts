// Who is served when. Sessions ask for work that has no natural end: a chunk of many frames, a snapshot, held prices. A
// pass of the event loop has a few milliseconds for all of that together, and one session a small share of it; what is
// left waits for the next pass, behind the others. Between two passes the sockets are read and REST is answered.

/** Work that can be interrupted. */
export interface Worker {
  /**
   * Works until there is no more to do, or `isOver()` says that its share is used up.
   * @returns whether there is more to do that waits for nothing but time
   */
  work(isOver: () => boolean): boolean
}

export interface PassLimits {
  /** How long one session is served before others are, ms. */
  readonly shareMsMax: number
  /** How long sessions are served in one pass of the event loop, ms. */
  readonly passMsMax: number
}

export class Passes {
  readonly counts = {
    /** Times that a session had more to do than its share allowed. */
    deferred: 0,
  }
  private readonly limits: PassLimits
  private readonly elapsedMs: () => number
  private readonly before: () => void
  private readonly queue = new Set<Worker>()
  private spentMs = 0
  private isScheduled = false
  private overAt = 0
  private readonly isOver = (): boolean => this.elapsedMs() >= this.overAt

  /**
   * @param elapsedMs monotonic, with fraction
   * @param before called before a pass serves those who wait
   */
  constructor(limits: PassLimits, elapsedMs: () => number, before: () => void) {
    this.limits = limits
    this.elapsedMs = elapsedMs
    this.before = before
  }

  /** Workers that wait. */
  get waiting(): number {
    return this.queue.size
  }

  /** Serves a worker at once, as far as its share of this pass allows; otherwise, and with what is left, it waits. */
  serve(worker: Worker): void {
    // Who waits already is not served before those who wait longer.
    if (this.queue.has(worker) || this.spentMs >= this.limits.passMsMax) this.ask(worker)
    else this.serveShare(worker)
  }

  /** Has a worker served in the next pass. */
  ask(worker: Worker): void {
    this.queue.add(worker)
    this.schedule()
  }

  forget(worker: Worker): void {
    this.queue.delete(worker)
  }

  private serveShare(worker: Worker): void {
    const startedAt = this.elapsedMs()
    const outerOverAt = this.overAt
    this.overAt = startedAt + Math.min(this.limits.shareMsMax, this.limits.passMsMax - this.spentMs)
    const hasMore = worker.work(this.isOver)
    this.overAt = outerOverAt
    this.spentMs += this.elapsedMs() - startedAt
    this.schedule()
    if (!hasMore) return
    this.counts.deferred++
    this.queue.add(worker)
  }

  private schedule(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.pass()
    })
  }

  /** A new pass: serves those who wait, each once, until the time of the pass is spent. */
  pass(): void {
    this.spentMs = 0
    if (this.queue.size === 0) return
    this.before()
    // Each that waits now, once: who asks again waits for the next pass.
    for (let left = this.queue.size; left > 0 && this.spentMs < this.limits.passMsMax; left--) {
      const [worker] = this.queue
      if (worker === undefined) break
      this.queue.delete(worker)
      this.serveShare(worker)
    }
    if (this.queue.size > 0) this.schedule()
  }
}
