// The health of the source behind a bookmaker: whether what it last said can still be believed (LIVE 2, `/topic/feeds`).

export const FEED_STATES = ['live', 'late', 'down'] as const

export type FeedState = (typeof FEED_STATES)[number]

export interface FeedHealth {
  /** Number of the bookmaker. */
  readonly bookmaker: number
  readonly state: FeedState
  /** Since when, epoch ms. */
  readonly since: number
  /** How old its last observation was when it came, ms. */
  readonly behindMs: number
}
