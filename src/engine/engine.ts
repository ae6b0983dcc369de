// The engine: inputs and turn, the one write path. Nothing else writes to the board.

import { Board } from '../board/board.ts'
import type { Changes } from '../board/changes.ts'
import { FeedClock } from '../board/feed-clock.ts'
import type { Producer, Statement } from '../board/producers.ts'
import { Reader } from '../board/reader.ts'
import { LOST, suspectBy } from '../board/status.ts'
import { type PriceCounts, Recorder } from './recorder.ts'
import { checkBooks, checkCapacity } from './forecast.ts'
import type { BoardLimits, Bound, Level } from '../board/capacity.ts'
import { Sightings } from '../identity/sightings.ts'
import { Settlement } from './settlement.ts'
import { Transitions } from './transitions.ts'
import { Walks } from './walks.ts'
import type { EventView } from '../domain/event.ts'
import type { Decision, EventDecision, EventMatcher, Suspension } from '../domain/event-identity.ts'
import { NO_PRODUCER, type SourceTerms } from '../domain/feed-source.ts'
import type { Observation } from '../domain/observation.ts'
import { type Doubt, FRESHNESS_MS } from '../domain/quote.ts'
import { type Refusal, refuse } from '../domain/refusal.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'

export interface EngineOptions extends BoardLimits {
  /** A source's clock may run ahead by this much. */
  readonly skewMsMax: number
  readonly bookmakersMax: number
  /** Wheel entries looked at in one turn. */
  readonly wheelVisitsMax: number
  /** Silence, or age of observations, after which a bookmaker's source is late, ms. */
  readonly feedLateMs: number
  /** Silence after which it is down, ms. */
  readonly feedDownMs: number
  /** Turns further apart than this: the process was paused, and sources are judged a moment later. Undefined: never. */
  readonly pauseMsMin?: number
  /** Books and quotes that the walks visit in one turn. */
  readonly walkVisitsMax?: number
  /** Finds the same event of another source; undefined: only events with equal spelling are the same. */
  readonly matcher?: EventMatcher
}

/** Receives the changes of a turn; they are valid until it returns. */
export type TakeChanges = (changes: Changes) => void

/** What became of observations and prices since the start. */
export interface EngineCounts extends PriceCounts {
  /** Observations recorded. */
  recorded: number
  /** Observations refused: their time lies ahead of the clock. */
  refusedAhead: number
  /** Observations with at least one price that did not fit on the board. */
  refusedFull: number
  /** Observations that were 24 h old or older. */
  stale: number
}

/** Books and quotes that the walks visit in one turn: a millisecond or two. */
const WALK_VISITS_MAX = 4_096

export class Engine {
  readonly board: Board
  /** Which event each sighting is of. */
  readonly sightings: Sightings
  /** How REST and topics read the board. */
  readonly reader: Reader
  /** Which log this is: every start begins a new one. */
  readonly epoch: string
  readonly counts: EngineCounts
  private readonly options: EngineOptions
  private readonly transitions: Transitions
  private readonly recorder: Recorder
  private readonly walks: Walks
  private readonly settlement: Settlement
  private readonly takers: TakeChanges[] = []
  private readonly feeds: FeedClock
  private isTurning = false

  /** @param nowAt epoch ms; also names the log */
  constructor(options: EngineOptions, nowAt: number) {
    this.options = options
    this.board = new Board(options, nowAt)
    this.sightings = new Sightings(this.board, options.matcher)
    const { walkVisitsMax = WALK_VISITS_MAX } = options
    this.transitions = new Transitions(this.board)
    this.walks = new Walks(this.board, walkVisitsMax, (...args) => this.transitions.apply(...args))
    this.recorder = new Recorder(this.board, this.transitions, this.walks)
    this.counts = Object.assign(this.recorder.counts, { recorded: 0, refusedAhead: 0, refusedFull: 0, stale: 0 })
    this.settlement = new Settlement(this.board, this.sightings, this.recorder, this.transitions)
    this.feeds = new FeedClock(options)
    this.reader = new Reader(this.board, this.feeds)
    this.epoch = Math.floor(nowAt).toString(36)
  }

  /** Called at the first change of a turn: the listener must see that {@link turn} is called soon. */
  set onPending(tell: (() => void) | undefined) {
    this.transitions.onPending = tell
  }

  /**
   * Called before the live quotes, the live books or the names of an event change. At the first call since a turn, the
   * event is as it was at the end of that turn.
   */
  set onBeforeChange(tell: ((view: EventView) => void) | undefined) {
    this.transitions.onBeforeChange = tell
  }

  /** Called when the board comes near a bound, and when it no longer is near. */
  set onLevel(tell: (level: Level) => void) {
    for (const holding of this.board.capacity.all) holding.onLevel = tell
  }

  /** Called with the id of an event that leads to another event, or to none, from now on: by a merge or a split. */
  set onIdMoved(tell: ((id: string) => void) | undefined) {
    this.transitions.onIdMoved = tell
  }

  /** Changes since the start, by number of the change. */
  get changeCounts(): readonly number[] {
    return this.transitions.changeCounts
  }

  /** Seq of the last change: at the end of a turn, of the last one that was published. */
  get seq(): number {
    return this.transitions.changes.seq
  }

  /** Publishes the changes of every turn to `take`. */
  onTurn(take: TakeChanges): void {
    this.takers.push(take)
  }

  /**
   * Records an observation. Per quote the newest `observedAt` wins, of equal ones the later arrival; an older one is
   * counted and ignored. The same holds for the names, the league and the kickoff that a source gives its event.
   * @returns a refusal. Nothing was recorded if the time lies ahead of the clock, if there are too many bookmakers, or
   * if a bookmaker would hold more than `bookQuotesMax` quotes of one event; in the last case the open quotes of a
   * configured source are suspended there. If the board, or the bookmaker's share of it, is full, quotes that are on
   * the board are up to date all the same (a suspension is never lost), and only new prices are missing
   * @param producer that observed it, see {@link addProducer}
   * @param doubt why the observation may be old, by the producer itself: its quotes are suspect from the start
   */
  observe(observation: Observation, nowAt: number, producer = NO_PRODUCER, doubt?: Doubt): Refusal | undefined {
    const { board, counts, sightings } = this
    // Age out first: a quote that is seen again a moment after its 24 hours has aged out and is a new one.
    this.settle(nowAt)
    const ahead = this.check(observation, nowAt)
    if (ahead !== undefined) {
      counts.refusedAhead++
      this.lose(observation, nowAt, producer, 'clock')
      return ahead
    }
    if (observation.observedAt + FRESHNESS_MS <= nowAt) {
      counts.stale++
      return undefined
    }
    const bookmaker = this.bookmakerNumber(observation.bookmaker)
    if (bookmaker === 0) {
      this.recorder.miss('bookmakers', observation.prices)
      return this.refuseFull('bookmakers', observation, 0)
    }
    const source = board.producers.sourceOf(producer)
    this.feeds.hear(bookmaker, observation.observedAt, nowAt, source)
    const isLong = board.longestBook + observation.prices.length > board.capacity.bookQuotesMax
    const tooLong = isLong ? checkBooks(board, sightings, [observation]) : undefined
    if (tooLong !== undefined) return this.missBook(tooLong, observation, nowAt, producer)
    // An event needs capacity for at least one quote.
    const bound = board.capacity.events.boundFor(bookmaker) ?? board.capacity.quotes.boundFor(bookmaker)
    const known = sightings.resolve(observation.event, observation.observedAt, bound === undefined)
    if (known === undefined) return this.missEvent(bound ?? 'source_ids', observation)
    this.settlement.publishNames(nowAt)
    const { record, turned, number: sighting } = known
    const origin = { producer, sighting, turned, doubt: doubt === undefined ? 0 : suspectBy(doubt) }
    let missed = 0
    if (observation.transport !== 'live') {
      missed += this.recorder.record(record, bookmaker, TRANSPORT_NUMBER.rest, observation, origin, source, nowAt)
    }
    if (observation.transport !== 'rest') {
      missed += this.recorder.record(record, bookmaker, TRANSPORT_NUMBER.live, observation, origin, source, nowAt)
    }
    if (record.books.length === 0) sightings.removeEvent(record)
    if (sightings.hasPending) this.settlement.resettle(nowAt)
    if (missed > 0) return this.refuseFull(this.recorder.lastBound, observation, missed)
    counts.recorded++
    return undefined
  }

  /** A new event does not fit on the board. */
  private missEvent(bound: Bound, observation: Observation): Refusal | undefined {
    let missed = this.recorder.miss(bound, observation.prices)
    if (observation.transport === 'both') missed += this.recorder.miss(bound, observation.prices)
    if (missed > 0) return this.refuseFull(bound, observation, missed)
    // It would have added no quote anyway.
    this.counts.recorded++
    return undefined
  }

  /** An observation that would make a book too long is not recorded at all. */
  private missBook(refusal: Refusal, observation: Observation, nowAt: number, producer: number): Refusal {
    const { prices, transport } = observation
    this.counts.refusedFull++
    this.recorder.missWhole(prices.length * (transport === 'both' ? 2 : 1))
    this.lose(observation, nowAt, producer, 'gap')
    return refusal
  }

  private refuseFull(bound: Bound, { bookmaker }: Observation, missed: number): Refusal {
    this.counts.refusedFull++
    return refuse(
      'service_unavailable',
      bound === 'bookmakers'
        ? `no more than ${this.options.bookmakersMax} bookmakers`
        : this.board.capacity.fullText(bound, bookmaker, missed),
      bound.startsWith('bookmaker') ? 'bookmaker' : undefined,
    )
  }

  /**
   * Whether a list of observations fits on the board, as far as that can be known before they are recorded: the check
   * ignores what one of them adds for the next. Quotes on the board need no capacity.
   */
  checkRoom(observations: readonly Observation[]): Refusal | undefined {
    return checkCapacity(this.board, this.sightings, observations)
  }

  /**
   * An observation of a bookmaker at an event cannot be recorded: the earlier quotes of the source there are suspect
   * until it observes them again, because a configured source does not repeat itself, and this may have been a bet
   * stop. A SEND gets the refusal instead.
   */
  private lose({ bookmaker, event }: Observation, nowAt: number, producer: number, doubt: Doubt): void {
    if (producer === NO_PRODUCER) return
    const { bookmakers, catalogue, origins, producers } = this.board
    const number = bookmakers.find(bookmaker)
    const source = producers.sourceOf(producer)
    const statement = { madeAt: nowAt, doubt: suspectBy(doubt) | LOST }
    // The names in the observation are not reliable either: they are looked up, and rename nothing.
    for (const book of this.sightings.lookUp(event)?.record.books ?? []) {
      if (catalogue.books.bookmaker[book] !== number) continue
      this.walks.catchUp(book, nowAt)
      this.transitions.apply(book, statement, (slot) => origins.isOfSource(book, slot, source), nowAt)
    }
  }

  /** The refusal that does not depend on the board: the time lies ahead of the clock. */
  check(observation: Observation, nowAt: number): Refusal | undefined {
    const { skewMsMax } = this.options
    if (observation.observedAt <= nowAt + skewMsMax) return undefined
    return refuse('validation_failed', `observedAt lies more than ${skewMsMax} ms ahead`, 'observedAt')
  }

  /** The number of a bookmaker, always the same one; 0 if it is new and there are too many already. */
  bookmakerNumber(slug: string): number {
    const { bookmakers } = this.board
    const known = bookmakers.find(slug)
    return known !== 0 || bookmakers.size >= this.options.bookmakersMax ? known : bookmakers.intern(slug)
  }

  /**
   * Ends a turn: ages out what is due and publishes the changes of the turn.
   * @returns whether all that is due at `nowAt` is done; if not, call again soon
   */
  turn(nowAt: number): boolean {
    // A listener of a turn cannot end it.
    if (this.isTurning) return true
    const settled = this.settle(nowAt)
    const { healths, suspended } = this.feeds.look(nowAt)
    for (const health of healths) this.transitions.notify(health, nowAt)
    for (const source of suspended) this.suspectAll(source, nowAt, true)
    const walked = this.walks.turn(nowAt)
    this.board.checkTurn()
    this.transitions.changes.check()
    if (this.transitions.changes.length > 0) {
      this.isTurning = true
      try {
        for (const take of this.takers) take(this.transitions.changes)
      } finally {
        this.isTurning = false
        this.transitions.changes.clear()
      }
    }
    return settled && walked
  }

  /** Whether there are unpublished changes. Readers end the turn first, so that what they see is in the log. */
  get isTurnDue(): boolean {
    return this.transitions.changes.length > 0
  }

  /**
   * Ages out what is due, in bounded work.
   * @returns whether the board holds nothing that is due at `nowAt`
   */
  private settle(nowAt: number): boolean {
    const { board, transitions, walks } = this
    if (nowAt < board.quietUntil) return true
    const isDone = board.advance(nowAt, this.options.wheelVisitsMax, (slot) => {
      walks.catchUp(board.quotes.book[slot]!, nowAt)
      if (board.quotes.observedAt[slot]! + FRESHNESS_MS > nowAt) return false
      transitions.ageOut(slot, nowAt)
      return true
    })
    this.settlement.settleAged(nowAt)
    return isDone
  }

  // --- sources

  /**
   * Registers a configured source that is about to start. Returns its number, for {@link addProducer} and {@link hear}.
   */
  addSource(terms: SourceTerms, nowAt: number): number {
    return this.feeds.addSource(terms, nowAt)
  }

  /** A source was stopped, so its open quotes are no longer updated: all its producers leave, whatever its terms. */
  endSource(source: number, nowAt: number): void {
    this.feeds.endSource(source, nowAt)
    this.suspectAll(source, nowAt, false)
    for (const producer of [...this.board.producers.ofSource(source)]) this.leave(producer.number, nowAt)
  }

  /** A bookmaker that a source will feed: its health is known from now on. */
  expectBookmaker(slug: string, source: number, nowAt: number): void {
    const bookmaker = this.bookmakerNumber(slug)
    if (bookmaker !== 0) this.feeds.expect(bookmaker, source, nowAt)
  }

  /**
   * A sign of life of a source, which need not have any data.
   * @returns whether its producers have been suspect since the last one, because it was down: each has to confirm its
   * quotes or observe them again
   */
  hear(source: number, nowAt: number): boolean {
    this.walks.revoke(source)
    return this.feeds.beat(source, nowAt)
  }

  /** Makes all quotes that a source last set suspect, because it is down. */
  private suspectAll(source: number, nowAt: number, isRevocable: boolean): void {
    const statement = { madeAt: nowAt, doubt: suspectBy('source_down'), isRevocable }
    for (const producer of this.board.producers.ofSource(source)) this.begin(producer, statement)
  }

  // --- producers: parts of a source that start, fail and end independently. A statement about all quotes of a producer
  // holds for what it has set so far. It reaches the board in bounded work of this turn and the next ones, with the
  // same result as if all statements were applied at once, in order.

  /** Registers a new part of a source. */
  addProducer(source: number, name: string): number {
    return this.board.producers.add(source, name).number
  }

  /** It may have missed something: its quotes are shown suspended until it confirms them or observes them again. */
  suspect(producer: number, nowAt: number, doubt: Doubt): void {
    this.say(producer, { madeAt: nowAt, doubt: suspectBy(doubt) })
  }

  /**
   * What it last said still holds at `at`, the source's time. If `at` is ahead of the clock, its quotes are suspect.
   */
  confirm(producer: number, at: number, nowAt: number): void {
    if (at > nowAt + this.options.skewMsMax) this.suspect(producer, nowAt, 'clock')
    else this.say(producer, { madeAt: nowAt, confirmedAt: at, doubt: 0 })
  }

  /** It no longer offers anything that it last said: those quotes are closed. */
  end(producer: number, at: number, nowAt: number): void {
    this.say(producer, { madeAt: nowAt, endedAt: Math.min(at, nowAt + this.options.skewMsMax), doubt: 0 })
  }

  /** It has stopped for good: its quotes stay suspect, and its number is reused when they are gone. */
  leave(producer: number, nowAt: number): void {
    this.suspect(producer, nowAt, 'source_down')
    this.board.producers.leave(producer)
  }

  /** Whether a statement of a producer about all its quotes has not reached all of them yet. */
  isWalking(producer: number): boolean {
    return this.walks.isWalking(producer)
  }

  private say(producer: number, statement: Statement): void {
    const { madeAt } = statement
    // Quotes that are due have aged out: the statement is not about them.
    this.settle(madeAt)
    this.begin(this.board.producers.get(producer), statement)
  }

  private begin(producer: Producer, statement: Statement): void {
    if (!this.walks.begin(producer, statement, statement.madeAt)) this.transitions.onPending?.()
  }

  // --- event identity

  /**
   * Replaces all decisions about events; they are applied when this returns.
   * @returns how many merges and splits were not done, because the quotes to be moved do not fit on the board
   */
  decide(decisions: readonly Decision[], nowAt: number): number {
    const suspensions: Suspension[] = []
    const others: EventDecision[] = []
    for (const decision of decisions) {
      if (decision.kind === 'suspend') suspensions.push(decision)
      else others.push(decision)
    }
    const left = this.settlement.settle(others, nowAt)
    this.hold(suspensions, nowAt)
    return left
  }

  /** Replaces all suspensions by operators. */
  private hold(suspensions: readonly Suspension[], nowAt: number): void {
    const holds = new Map<number, ReadonlySet<string> | 'all'>()
    for (const { bookmaker: slug, event } of suspensions) {
      const bookmaker = this.bookmakerNumber(slug)
      const before = holds.get(bookmaker)
      holds.set(bookmaker, event === null || before === 'all' ? 'all' : new Set(before).add(event))
    }
    this.transitions.hold(holds, nowAt)
  }
}
