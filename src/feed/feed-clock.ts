// Health of sources and of the bookmakers that they feed. A configured source is judged by its own cadence, and any
// sign of life counts; a bookmaker without a configured source is judged by its observations.

import type { BookmakerHealth, FeedState, SourceHealth } from '../domain/feed-health.ts'
import { NO_SOURCE, type SourceTerms } from '../domain/feed-source.ts'
import { FRESHNESS_MS } from '../domain/quote.ts'

export interface FeedClockLimits {
  /** Silence, or age of observations, after which a bookmaker without a configured source is late, ms. */
  readonly feedLateMs: number
  /** Silence after which it is down, ms. */
  readonly feedDownMs: number
  /**
   * Looks further apart than this: the process itself was paused, and messages of sources may still be unread.
   * Undefined: no pause is assumed (a test sets the clock).
   */
  readonly pauseMsMin?: number
}

/** Silence is checked this often: a state is reported that much late at worst. */
const LOOK_MS = 250

/** What a source sends while it is down is suspended after so long: it may be recovering. */
const BACK_MS = 1_000

/** After a pause of the process no state gets worse for so long: the received octets have to be read first. */
const UNREAD_MS = 1_000

/** What differs where several processes share a log. */
export interface FeedClockShared {
  /** Whether this process judges bookmakers without a configured source. */
  readonly isLeader: () => boolean
  /** What the log last said of a bookmaker; undefined: nothing. */
  readonly stateOf: (bookmaker: string) => FeedState | undefined
}

/** The number of a source that only other processes have. */
export const ELSEWHERE = -1

interface Source {
  readonly terms: SourceTerms
  heardAt: number | null
  state: FeedState
  since: number
  /** Since when its quotes are suspended because it is down; null: they are not. */
  suspendedAt: number | null
  /** When they will be suspended, while it is down; Infinity: nothing was observed since they were. */
  suspendAt: number
  /** It was stopped: a source of the same name reuses its number. */
  isEnded: boolean
  /** Another process runs it, and judges it. */
  isElsewhere: boolean
}

interface Feed {
  source: number
  heardAt: number
  behindMs: number
  /** Undefined: never reported. */
  state: FeedState | undefined
  since: number
  /** Whether this process has judged it at the last look: if not, it goes on from what the log last said. */
  isOurs: boolean
}

/** The result of a look. */
export interface Look {
  /** Health of bookmakers that has changed. */
  readonly healths: BookmakerHealth[]
  /** Sources whose quotes are to be suspended: down for as long as their terms allow, or observed after that. */
  readonly suspended: number[]
}

const NOTHING: Look = { healths: [], suspended: [] }

export class FeedClock {
  private readonly limits: FeedClockLimits
  private readonly shared: FeedClockShared | undefined
  // By number.
  private readonly sources: (Source | undefined)[] = [undefined]
  private readonly feeds = new Map<string, Feed>()
  private lookAt = 0
  private lookedAt: number | undefined
  private unreadUntil = 0

  /** @param shared omitted: this process is alone */
  constructor(limits: FeedClockLimits, shared?: FeedClockShared) {
    this.limits = limits
    this.shared = shared
  }

  /**
   * Registers a configured source that is about to start. Returns its number, from 1 on: a source that is started again
   * under its name keeps its number, so that reloading a configuration does not use them up.
   */
  addSource(terms: SourceTerms, nowAt: number): number {
    return this.put(terms, nowAt, false)
  }

  /**
   * Registers a configured source that another process may run: it is not judged here. Returns its number, which it keeps
   * when it starts here.
   */
  standBy(terms: SourceTerms, nowAt: number): number {
    return this.put(terms, nowAt, true)
  }

  /** Another process may run a source from now on. What is known of its bookmakers stays as the log has it. */
  leaveSource(source: number): void {
    this.sources[source]!.isElsewhere = true
  }

  private put(terms: SourceTerms, nowAt: number, isElsewhere: boolean): number {
    const former = this.sources.findIndex(
      (known) => known !== undefined && (known.isEnded || known.isElsewhere) && known.terms.name === terms.name,
    )
    const number = former === -1 ? this.sources.length : former
    const nothing = { heardAt: null, suspendedAt: null, suspendAt: Number.POSITIVE_INFINITY, isEnded: false }
    this.sources[number] = { terms, state: 'starting', since: nowAt, ...nothing, isElsewhere }
    this.lookAt = 0
    return number
  }

  /** The number of a source by its name, whether it runs or not; {@link NO_SOURCE} if there was none. */
  numberOf(name: string): number {
    return Math.max(
      NO_SOURCE,
      this.sources.findLastIndex((known) => known?.terms.name === name),
    )
  }

  /**
   * A source was stopped. Bookmakers that it fed last are `down` until another source feeds them, or it starts again.
   */
  endSource(source: number, nowAt: number): void {
    const known = this.sources[source]!
    known.isEnded = true
    known.state = 'down'
    known.since = nowAt
    this.lookAt = 0
  }

  /** A bookmaker that a source is going to feed: until it does, it is `starting`. */
  expect(bookmaker: string, source: number, nowAt: number): void {
    const feed = this.feeds.get(bookmaker)
    if (feed === undefined) {
      this.feeds.set(bookmaker, { source, heardAt: nowAt, behindMs: 0, state: undefined, since: nowAt, isOurs: false })
    } else if (feed.source === ELSEWHERE || this.sources[feed.source]?.isEnded === true) {
      feed.source = source
      feed.heardAt = nowAt
      feed.behindMs = 0
    }
    this.lookAt = 0
  }

  /**
   * Notes an observation of a bookmaker, whatever became of its prices, unless it has expired already. It is no sign of life of a configured source:
   * one that reports itself stale can still send observations.
   */
  hear(bookmaker: string, observedAt: number, nowAt: number, source: number): void {
    if (observedAt + FRESHNESS_MS <= nowAt) return
    const feed = this.feeds.get(bookmaker)
    const behindMs = Math.max(0, nowAt - observedAt)
    if (feed === undefined) {
      this.feeds.set(bookmaker, { source, heardAt: nowAt, behindMs, state: undefined, since: nowAt, isOurs: false })
      this.lookAt = 0
    } else {
      feed.source = source
      feed.heardAt = nowAt
      feed.behindMs = behindMs
      // A bookmaker that was not live is reported live without delay.
      if (feed.isOurs && feed.state !== 'live') this.lookAt = 0
    }
    const known = this.sources[source]
    if (known !== undefined && known.suspendedAt !== null) known.suspendAt = Math.min(known.suspendAt, nowAt + BACK_MS)
  }

  /**
   * A sign of life of a source, which need not have any data.
   * @returns whether its quotes have been suspended since the last one: they have to be confirmed or observed again
   */
  beat(source: number, nowAt: number): boolean {
    const known = this.sources[source]!
    const wasSuspended = known.suspendedAt !== null
    known.heardAt = nowAt
    known.suspendedAt = null
    if (known.state !== 'live') this.lookAt = 0
    return wasSuspended
  }

  sourceHealth(source: number): SourceHealth {
    const { state, since, heardAt, suspendedAt } = this.sources[source]!
    return { state, since, heardAt, suspendedAt }
  }

  /** The host was suspended, and messages of that time are lost: states may get worse with the next look. */
  wake(): void {
    this.lookedAt = undefined
    this.unreadUntil = 0
    this.lookAt = 0
  }

  /** Finds the states that have changed. */
  look(nowAt: number): Look {
    this.notePause(nowAt)
    if (nowAt < this.lookAt) return NOTHING
    const found: Look = { healths: [], suspended: [] }
    this.lookAt = nowAt + LOOK_MS
    const isUnread = nowAt < this.unreadUntil
    for (const [number, source] of this.sources.entries()) {
      if (source === undefined || source.isEnded || source.isElsewhere) continue
      if (isUnread && isWorse(stateOfSource(source, nowAt), source.state)) continue
      if (judge(source, nowAt)) found.suspended.push(number)
    }
    for (const [bookmaker, feed] of this.feeds) {
      if (!this.judges(feed)) {
        feed.isOurs = false
        continue
      }
      if (!feed.isOurs && this.shared !== undefined) feed.state = this.shared.stateOf(bookmaker)
      feed.isOurs = true
      const state = this.stateOf(feed, nowAt)
      if (state === feed.state || (isUnread && isWorse(state, feed.state))) continue
      feed.state = state
      feed.since = nowAt
      found.healths.push({ bookmaker, state, since: nowAt, behindMs: feed.behindMs })
    }
    return found
  }

  /** Whether this process says how the source of a bookmaker is: the one that runs it does, or the leader. */
  private judges({ source }: Feed): boolean {
    if (source === NO_SOURCE) return this.shared === undefined || this.shared.isLeader()
    return source !== ELSEWHERE && !this.sources[source]!.isElsewhere
  }

  private notePause(nowAt: number): void {
    const { pauseMsMin = Number.POSITIVE_INFINITY } = this.limits
    if (this.lookedAt !== undefined && nowAt - this.lookedAt > pauseMsMin) this.unreadUntil = nowAt + UNREAD_MS
    this.lookedAt = nowAt
  }

  private stateOf({ source, heardAt, behindMs }: Feed, nowAt: number): FeedState {
    const known = this.sources[source]
    if (known === undefined) {
      const { feedLateMs, feedDownMs } = this.limits
      return stateBy(nowAt - heardAt, feedLateMs, feedDownMs, behindMs >= feedLateMs)
    }
    return known.state === 'live' && behindMs >= known.terms.behindMsMax ? 'late' : known.state
  }
}

const isWorse = (state: FeedState, before: FeedState | undefined): boolean =>
  state === 'down' ? before !== 'down' : state === 'late' && before === 'live'

const stateBy = (silentMs: number, lateMs: number, downMs: number, isBehind: boolean): FeedState => {
  if (silentMs >= downMs) return 'down'
  return silentMs >= lateMs || isBehind ? 'late' : 'live'
}

const stateOfSource = ({ terms, heardAt, since, state }: Source, nowAt: number): FeedState => {
  if (heardAt !== null) return stateBy(nowAt - heardAt, terms.lateMs, terms.downMs, false)
  // Before its first sign of life a source is starting for as long as it may be silent.
  return state === 'starting' && nowAt - since < terms.downMs ? 'starting' : 'down'
}

/** Finds the state of a source. Returns whether its quotes are to be suspended now. */
const judge = (source: Source, nowAt: number): boolean => {
  const state = stateOfSource(source, nowAt)
  if (state !== source.state) {
    source.state = state
    source.since = nowAt
    source.suspendedAt = null
    const { suspendMs } = source.terms
    source.suspendAt = state === 'down' && suspendMs !== null ? nowAt + suspendMs : Number.POSITIVE_INFINITY
  }
  if (nowAt < source.suspendAt) return false
  source.suspendedAt ??= nowAt
  source.suspendAt = Number.POSITIVE_INFINITY
  return true
}
