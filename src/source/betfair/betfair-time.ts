// When what a stream says is observed. A stream says things in their order, whatever times it gives them: what it says later
// is newer, and the board, which goes by times, must end with that.

import { SKEW_MS_MAX } from '../../domain/quote.ts'

export class StreamTime {
  /** When what is being said is observed, epoch ms. */
  at = 0
  /** Of what was said so far, epoch ms. */
  private newest = 0
  private readonly receivedAt: () => number | null
  private readonly aheadMsMax: number

  /**
   * @param receivedAt as of {@link SourceFacts}
   * @param aheadMsMax how far ahead of that a time may be; not more than the engine takes
   */
  constructor(receivedAt: () => number | null, aheadMsMax = SKEW_MS_MAX) {
    this.receivedAt = receivedAt
    this.aheadMsMax = aheadMsMax
  }

  /**
   * Something else is said at `at`, epoch ms. Observed it is then, or with what was said last, if that is later. A time too
   * far ahead stays as it is: the engine is to refuse it, and what comes at the right time must not be held up by it.
   */
  turnTo(at: number): void {
    const receivedAt = this.receivedAt()
    if (receivedAt !== null && at > receivedAt + this.aheadMsMax) {
      this.at = at
      return
    }
    this.newest = Math.max(this.newest, at)
    this.at = this.newest
  }

  /**
   * What is closed begins again only with a newer time (docs/feeds.md 2.8): what is being said is observed a moment later.
   */
  pass(): void {
    if (this.at === this.newest) this.newest++
    this.at++
  }
}
