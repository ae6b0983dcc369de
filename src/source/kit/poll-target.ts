// What a connector gives the poller to poll.

export interface PollTarget {
  /** Unique within the source, and its name in messages: it contains no secret. */
  readonly key: string
  readonly url: URL
  /** A list says what there is to poll, or what prices are about; it is no sign of fresh prices. */
  readonly kind: 'list' | 'prices'
  /** A refresh polls some targets of each group: a sport, a league. */
  readonly group: string
  /** Of the targets that are due, the one with the largest product of lateness and priority (1) goes first. */
  readonly priority?: number
  /** Interval between polls, ms; read after each poll. */
  readonly intervalMs: (nowAt: number) => number
  /**
   * Reads a body. @returns whether all of it is on the board, so that a 304 is enough from now on; or why it cannot
   * be read, as words after the key
   * @param onReadable called as soon as it is known that the body can be read: the URL is answered, though its prices
   * may take seconds to get on the board
   */
  readonly read: (text: string, receivedAt: number, onReadable: () => void) => Promise<string | boolean>
  /**
   * The source says that its last answer still holds. @returns whether that is enough; else the next request is
   * unconditional. Omitted: it is
   */
  readonly unchanged?: (receivedAt: number) => Promise<boolean>
  /**
   * The URL is missing, and was missing at `sinceAt` already (the same time when that is new). A connector that
   * considers it over drops it; else it is polled again, and its quotes become suspect. Omitted: it should exist; keep
   * polling, slowly.
   */
  readonly gone?: (receivedAt: number, sinceAt: number) => Promise<void>
  /** There was no good answer for too long: its quotes become suspect. Omitted: they age out. */
  readonly stale?: (nowAt: number) => void
}

/** Why a target is not polled before a time. */
export interface Hold {
  readonly untilAt: number
  readonly reason: string
}
