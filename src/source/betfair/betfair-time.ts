// The observation time of what a stream sends. A stream is ordered, whatever its times: a later message is newer, and
// the board, which goes by times, must agree.

import { SKEW_MS_MAX } from '../../domain/quote.ts'

export class StreamTime {
  /** Observation time of the current message, epoch ms. */
  at = 0
  /** Newest time so far, epoch ms. */
  private newest = 0
  private readonly receivedAt: () => number | null
  private readonly aheadMsMax: number

  /**
   * @param receivedAt as of {@link SourceFacts}
   * @param aheadMsMax how far ahead of that a time may be; at most what the engine accepts
   */
  constructor(receivedAt: () => number | null, aheadMsMax = SKEW_MS_MAX) {
    this.receivedAt = receivedAt
    this.aheadMsMax = aheadMsMax
  }

  /**
   * Begins a message of time `at`, epoch ms: it is observed then, or at the newest time so far, if that is later. A
   * time too far ahead is left as it is: the engine refuses it, and it must not delay messages with the right time.
   */
  moveTo(at: number): void {
    const receivedAt = this.receivedAt()
    if (receivedAt !== null && at > receivedAt + this.aheadMsMax) {
      this.at = at
      return
    }
    this.newest = Math.max(this.newest, at)
    this.at = this.newest
  }

  /** A closed quote reopens only with a newer time (docs/feeds.md 2.8): moves the observation time on by 1 ms. */
  advance(): void {
    if (this.at === this.newest) this.newest++
    this.at++
  }
}
