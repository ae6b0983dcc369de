// Whether the store can be written: judged by regular writes, and by test writes where there are none. Time is counted
// in polls of the store thread.

/**
 * Polls in a row for which another process may hold the store before that is a problem: commands write for a moment,
 * and their waiters have their own deadlines.
 */
const BUSY_POLLS_MAX = 10

/** Polls without a failure that end a problem: a disk that is nearly full accepts one write and refuses the next. */
const STEADY_POLLS = 20

/** Polls between two test writes while writing fails, and while nothing else is written. */
const RETRY_POLLS = 5
const IDLE_POLLS = 100

export class WriteHealth {
  private reported: string | undefined
  private failure: string | undefined
  private failingPolls = 0
  private steadyPolls = 0
  private quietPolls = 0

  /** Why the store cannot be written; undefined: it can. */
  get problem(): string | undefined {
    return this.reported
  }

  worked(): void {
    this.failure = undefined
    this.failingPolls = 0
    this.quietPolls = 0
  }

  /** @param isBusy another process holds the store, which usually ends by itself */
  failed(reason: string, isBusy: boolean): void {
    this.failure = reason
    this.steadyPolls = 0
    this.quietPolls = 0
    if (!isBusy) this.reported ??= reason
  }

  /** Counts a poll. Returns whether a write should be tried. */
  poll(isUrgent: boolean): boolean {
    if (this.failure !== undefined) {
      if (++this.failingPolls >= BUSY_POLLS_MAX) this.reported ??= this.failure
    } else if (this.reported !== undefined && ++this.steadyPolls >= STEADY_POLLS) this.reported = undefined
    const isFailing = this.failure !== undefined || this.reported !== undefined
    return ++this.quietPolls >= (isUrgent || isFailing ? RETRY_POLLS : IDLE_POLLS)
  }
}
