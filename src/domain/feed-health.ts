// The health of the source behind a bookmaker: whether its last prices are still reliable (docs/live-protocol.md 4.6).

export const FEED_STATES = ['starting', 'live', 'late', 'down'] as const

export type FeedState = (typeof FEED_STATES)[number]

export interface BookmakerHealth {
  readonly bookmaker: string
  readonly state: FeedState
  /** Since when, epoch ms. */
  readonly since: number
  /** Age of its last observation on arrival, ms. */
  readonly behindMs: number
}

/** The same, by number of the bookmaker. */
export interface FeedHealth extends Omit<BookmakerHealth, 'bookmaker'> {
  readonly bookmaker: number
}

/** The health of a configured source, whichever bookmakers it feeds. */
export interface SourceHealth {
  readonly state: FeedState
  /** Since when, epoch ms. */
  readonly since: number
  /** When it last gave a sign of life, epoch ms; null: never. */
  readonly heardAt: number | null
  /** Since when its open quotes are suspended because it is down, epoch ms; null: they are not. */
  readonly suspendedAt: number | null
}
