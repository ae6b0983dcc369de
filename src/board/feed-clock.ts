// When each bookmaker was last heard of, and what that says about its source.

import { FEED_STATES, type FeedHealth, type FeedState } from '../domain/feed-health.ts'

export interface FeedClockLimits {
  /** Silence, or age of what comes, after which a source is late, ms. */
  readonly feedLateMs: number
  /** Silence after which it is down, ms. */
  readonly feedDownMs: number
}

/** Silence is looked at this often: a state is told that much late at worst. */
const LOOK_MS = 250

export class FeedClock {
  private readonly limits: FeedClockLimits
  // By number of the bookmaker. State 0: never heard of; else place in FEED_STATES + 1.
  private readonly heardAt: number[] = []
  private readonly behindMs: number[] = []
  private readonly state: number[] = []
  private readonly since: number[] = []
  private lookAt = 0

  constructor(limits: FeedClockLimits) {
    this.limits = limits
  }

  /** Notes an observation of a bookmaker, whatever became of its prices. */
  hear(bookmaker: number, observedAt: number, nowAt: number): void {
    while (this.state.length <= bookmaker) {
      this.heardAt.push(0)
      this.behindMs.push(0)
      this.state.push(0)
      this.since.push(0)
    }
    this.heardAt[bookmaker] = nowAt
    this.behindMs[bookmaker] = Math.max(0, nowAt - observedAt)
    // What is not live just now must not wait to be told that it is again.
    if (this.state[bookmaker] !== 1) this.lookAt = 0
  }

  /** The health of a bookmaker's source; undefined: never heard of. */
  healthOf(bookmaker: number): FeedHealth | undefined {
    const state = this.state[bookmaker] ?? 0
    if (state === 0) return undefined
    return {
      bookmaker,
      state: FEED_STATES[state - 1]!,
      since: this.since[bookmaker]!,
      behindMs: this.behindMs[bookmaker]!,
    }
  }

  /** Bookmakers ever heard of have smaller numbers than this. */
  get size(): number {
    return this.state.length
  }

  /** Finds the sources whose state is another now. */
  look(nowAt: number, tell: (health: FeedHealth) => void): void {
    if (nowAt < this.lookAt) return
    this.lookAt = nowAt + LOOK_MS
    for (let bookmaker = 1; bookmaker < this.state.length; bookmaker++) {
      const heardAt = this.heardAt[bookmaker]!
      if (heardAt === 0) continue
      const state = FEED_STATES.indexOf(this.stateOf(nowAt - heardAt, this.behindMs[bookmaker]!)) + 1
      if (state === this.state[bookmaker]) continue
      this.state[bookmaker] = state
      this.since[bookmaker] = nowAt
      tell(this.healthOf(bookmaker)!)
    }
  }

  private stateOf(silentMs: number, behindMs: number): FeedState {
    if (silentMs >= this.limits.feedDownMs) return 'down'
    return silentMs >= this.limits.feedLateMs || behindMs >= this.limits.feedLateMs ? 'late' : 'live'
  }
}
