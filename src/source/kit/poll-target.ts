// What there is to poll, as a connector tells it to the poller.

/** A URL to be polled. */
export interface PollTarget {
  /** One of its own within the source; also what messages call it: no secret is in it. */
  readonly key: string
  readonly url: URL
  /** A list says what there is to poll, or names what prices are about; it is no sign of fresh prices. */
  readonly kind: 'list' | 'prices'
  /** What a refresh wants some of each: a sport, a league. */
  readonly group: string
  /** Of those that are due, the one that is late by the largest product of time and priority goes first. */
  readonly priority: number
  /** From one poll to the next, ms; asked after each. */
  readonly intervalMs: (nowAt: number) => number
  /**
   * Deals with a body. @returns whether all of it is on the board, so that word that nothing is new is enough from now on; why
   * it cannot be read, as words after the key
   */
  readonly take: (text: string, receivedAt: number) => Promise<string | boolean>
  /** The source says that what it said last still holds. @returns whether that is enough; else it is asked for all of it */
  readonly stands: (receivedAt: number) => Promise<boolean>
  /**
   * The URL is not there, and was not there at `sinceAt` either: the same time when that is new. Whoever believes that it is
   * over drops it; else it is asked again, and what it said is suspected. Null: it should be there, keep asking, slowly.
   */
  readonly gone: ((receivedAt: number, sinceAt: number) => Promise<void>) | null
  /** There was no good answer for too long: what it said is to be suspected. Null: that ages out. */
  readonly stale: ((nowAt: number) => void) | null
}

/** Why a target is not polled before a time. */
export interface Hold {
  readonly untilAt: number
  readonly reason: string
}
