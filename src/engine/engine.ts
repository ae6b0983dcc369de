// The engine: observe and turn, the one write path. Nothing else writes to the board.

import { Board } from '../board/board.ts'
import type { EventRecord } from '../board/catalogue.ts'
import type { Changes } from '../board/changes.ts'
import { FeedClock } from '../board/feed-clock.ts'
import type { Producer, Statement } from '../board/producers.ts'
import { Reader } from '../board/reader.ts'
import { LOST, suspectBy } from '../board/status.ts'
import { type PriceCounts, Recorder } from './recorder.ts'
import { checkBooks, checkRoom } from './forecast.ts'
import type { BoardLimits, Bound, Level } from '../board/room.ts'
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
  /** Silence, or age of what comes, after which a bookmaker's source is late, ms. */
  readonly feedLateMs: number
  /** Silence after which it is down, ms. */
  readonly feedDownMs: number
  /** Turns further apart than this: the process was paused, and sources are judged a moment later. Undefined: never. */
  readonly pauseMsMin?: number
  /** Books and quotes looked at in one turn for what producers say of all their quotes. */
  readonly walkVisitsMax?: number
  /** Finds events of other sources that are the same; none: only what is spelt the same is. */
  readonly matcher?: EventMatcher
}

/** Takes the changes of a turn; they are valid until it returns. */
export type TakeChanges = (changes: Changes) => void

/** What became of observations and prices since the start. */
export interface EngineCounts extends PriceCounts {
  /** Observations taken. */
  recorded: number
  /** Observations refused: their time lies ahead of the clock. */
  refusedAhead: number
  /** Observations of which at least one price found the board full. */
  refusedFull: number
  /** Observations whose time is 24 h ago or longer. */
  stale: number
}

/** Books and quotes looked at in one turn for what producers say of all their quotes: a millisecond or two. */
const WALK_VISITS_MAX = 4_096

export class Engine {
  readonly board: Board
  /** How REST and topics read the board. */
  readonly reader: Reader
  /** Which log this is. A new one for every start, until a log is kept. */
  readonly epoch: string
  readonly counts: EngineCounts
  private readonly options: EngineOptions
  private readonly transitions: Transitions
  private readonly recorder: Recorder
  private readonly walks: Walks
  private readonly settlement: Settlement
  private readonly takers: TakeChanges[] = []
  private readonly feeds: FeedClock
  private observingAt = 0
  private isTurning = false

  /** @param nowAt epoch ms; also names the log */
  constructor(options: EngineOptions, nowAt: number) {
    this.options = options
    this.board = new Board(options, nowAt, options.matcher)
    const { walkVisitsMax = WALK_VISITS_MAX } = options
    this.transitions = new Transitions(this.board)
    this.walks = new Walks(this.board, walkVisitsMax, (...args) => this.transitions.apply(...args))
    this.recorder = new Recorder(this.board, this.transitions, this.walks)
    this.counts = Object.assign(this.recorder.counts, { recorded: 0, refusedAhead: 0, refusedFull: 0, stale: 0 })
    this.settlement = new Settlement(this.board, this.recorder, this.transitions)
    this.board.catalogue.onFormerId = (record, id, isLeading) => {
      this.transitions.tellFormerId(record, id, isLeading, this.observingAt)
      this.transitions.holdEvent(record, this.observingAt)
    }
    this.feeds = new FeedClock(options)
    this.reader = new Reader(this.board, this.feeds)
    this.epoch = Math.floor(nowAt).toString(36)
  }

  /** Told when the first change of a turn is there: somebody has to call {@link turn} soon. */
  set onPending(tell: (() => void) | undefined) {
    this.transitions.onPending = tell
  }

  /**
   * Told of an event before its live quotes, its live books or its names change. What it looks like now is what it looked
   * like at the end of the last turn, if it is told for the first time since then.
   */
  set onBeforeChange(tell: ((view: EventView) => void) | undefined) {
    this.transitions.onBeforeChange = tell
  }

  /** Told when a bound of the board comes near, and when it no longer is. */
  set onLevel(tell: (level: Level) => void) {
    for (const holding of this.board.room.all) holding.onLevel = tell
  }

  /** Told of the id of an event that leads to another one from now on, or to none: by a merge or a split. */
  set onIdMoved(tell: ((id: string) => void) | undefined) {
    this.board.catalogue.onIdMoved = tell
  }

  /** Changes since the start, by number of the change. */
  get changeCounts(): readonly number[] {
    return this.transitions.changeCounts
  }

  /** Seq of the last change: at the end of a turn, of the last one that was handed out. */
  get seq(): number {
    return this.transitions.changes.seq
  }

  /** Hands the changes of every turn to `take`. */
  onTurn(take: TakeChanges): void {
    this.takers.push(take)
  }

  /**
   * Records an observation. Per quote the newest `observedAt` wins, of equal ones the later arrival; an older one is
   * counted and ignored. The same holds for the names, the league and the kickoff that a source gives its event.
   * @returns a refusal when nothing was recorded because its time lies ahead of the clock or there are too many
   * bookmakers, or when the board is full, or the bookmaker's share of it: then what was on the board already is up to date
   * all the same (a suspension is never lost), and only prices without room are missing. Nothing is recorded either where
   * a bookmaker would hold more than `bookQuotesMax` quotes of one event; what a configured source has open there is
   * suspended then
   * @param producer that says it, see {@link addProducer}
   * @param doubt why it may be old, by the producer's own word: as if it were suspected at once
   */
  observe(observation: Observation, nowAt: number, producer = NO_PRODUCER, doubt?: Doubt): Refusal | undefined {
    const { board, counts } = this
    // What is due goes first: a quote that is seen again a moment after its 24 hours has aged out and is a new one.
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
    const source = board.speakers.producers.sourceOf(producer)
    this.feeds.hear(bookmaker, observation.observedAt, nowAt, source)
    const isLong = board.longestBook + observation.prices.length > board.room.bookQuotesMax
    const tooLong = isLong ? checkBooks(board, [observation]) : undefined
    if (tooLong !== undefined) return this.missBook(tooLong, observation, nowAt, producer)
    this.observingAt = nowAt
    // Without a place for a quote of it there is none for an event.
    const bound = board.room.events.boundFor(bookmaker) ?? board.room.quotes.boundFor(bookmaker)
    const known = board.sightings.resolve(
      observation.event,
      observation.observedAt,
      bound === undefined,
      this.onRefresh,
    )
    if (known === undefined) return this.missEvent(bound ?? 'source_ids', observation)
    const { record, turned, number: sighting } = known
    const speaker = { producer, sighting, turned, doubt: doubt === undefined ? 0 : suspectBy(doubt) }
    let missed = 0
    if (observation.transport !== 'live') {
      missed += this.recorder.record(record, bookmaker, TRANSPORT_NUMBER.rest, observation, speaker, source, nowAt)
    }
    if (observation.transport !== 'rest') {
      missed += this.recorder.record(record, bookmaker, TRANSPORT_NUMBER.live, observation, speaker, source, nowAt)
    }
    if (record.books.length === 0) board.removeEvent(record)
    if (board.sightings.isUnsettled) this.settlement.settleAnew(nowAt)
    if (missed > 0) return this.refuseFull(this.recorder.lastBound, observation, missed)
    counts.recorded++
    return undefined
  }

  /** An event that is not on the board has no room there. */
  private missEvent(bound: Bound, observation: Observation): Refusal | undefined {
    let missed = this.recorder.miss(bound, observation.prices)
    if (observation.transport === 'both') missed += this.recorder.miss(bound, observation.prices)
    if (missed > 0) return this.refuseFull(bound, observation, missed)
    // It would have brought no quote anyway.
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
        : this.board.room.fullText(bound, bookmaker, missed),
      bound.startsWith('bookmaker') ? 'bookmaker' : undefined,
    )
  }

  /**
   * Whether a list of observations has room on the board, as far as that can be said before they are recorded: what one of
   * them adds is not known to the next. What is on the board needs none.
   */
  checkRoom(observations: readonly Observation[]): Refusal | undefined {
    return checkRoom(this.board, observations)
  }

  /**
   * What a source says of a bookmaker in an event cannot be recorded: what it said before is suspect there until it speaks of
   * it again. It may have been a bet stop, and nobody would repeat it; whoever SENDs knows of the refusal.
   */
  private lose({ bookmaker, event }: Observation, nowAt: number, producer: number, doubt: Doubt): void {
    if (producer === NO_PRODUCER) return
    const { bookmakers, catalogue, sightings, speakers } = this.board
    const number = bookmakers.find(bookmaker)
    const source = speakers.producers.sourceOf(producer)
    const statement = { madeAt: nowAt, doubt: suspectBy(doubt) | LOST }
    const { sourceKey } = event
    // What it says of the event itself is not to be believed, either: it is only looked up.
    const record = sourceKey === null ? catalogue.findSame(event) : sightings.find(sourceKey)?.record
    for (const book of record?.books ?? []) {
      if (catalogue.books.bookmaker[book] !== number) continue
      this.walks.catchUp(book, nowAt)
      this.transitions.apply(book, statement, (slot) => speakers.isOfSource(book, slot, source), nowAt)
    }
  }

  /** What an observation is refused for, whatever is on the board: its time lies ahead of the clock. */
  check(observation: Observation, nowAt: number): Refusal | undefined {
    const { skewMsMax } = this.options
    if (observation.observedAt <= nowAt + skewMsMax) return undefined
    return refuse('validation_failed', `observedAt lies more than ${skewMsMax} ms ahead`, 'observedAt')
  }

  /** The number of a bookmaker, always the same one; 0 where there are too many to be told apart. */
  bookmakerNumber(slug: string): number {
    const { bookmakers } = this.board
    const known = bookmakers.find(slug)
    return known !== 0 || bookmakers.size >= this.options.bookmakersMax ? known : bookmakers.intern(slug)
  }

  /**
   * Ends a turn: ages out what is due and hands the changes of the turn to those who take them.
   * @returns whether all that is due at `nowAt` is gone; if not, call again soon
   */
  turn(nowAt: number): boolean {
    // Whoever takes the changes of a turn cannot end it.
    if (this.isTurning) return true
    const settled = this.settle(nowAt)
    const { healths, suspended } = this.feeds.look(nowAt)
    for (const health of healths) this.transitions.notify(health, nowAt)
    for (const source of suspended) this.suspectAll(source, nowAt, true)
    const walked = this.walks.turn(nowAt)
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

  /** Whether there are changes that have not been handed out. Readers end the turn first: what they see is then in the log. */
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
    for (const event of board.bereft) {
      board.sightings.passOn(event, (record, change) => transitions.refresh(record, change, nowAt))
    }
    board.bereft.clear()
    return isDone
  }

  // --- sources

  /** Takes in a configured source that is about to start. Returns its number, for {@link addProducer} and {@link hear}. */
  addSource(terms: SourceTerms, nowAt: number): number {
    return this.feeds.addSource(terms, nowAt)
  }

  /**
   * A source was stopped: nobody keeps what it left open up to date any more. All its producers are left, whatever its terms
   * say of silence.
   */
  endSource(source: number, nowAt: number): void {
    this.feeds.endSource(source, nowAt)
    this.suspectAll(source, nowAt, false)
    for (const producer of [...this.board.speakers.producers.ofSource(source)]) this.leave(producer.number, nowAt)
  }

  /** A bookmaker that a source is going to feed: its health is known from now on. */
  expectBookmaker(slug: string, source: number, nowAt: number): void {
    const bookmaker = this.bookmakerNumber(slug)
    if (bookmaker !== 0) this.feeds.expect(bookmaker, source, nowAt)
  }

  /**
   * A sign of life of a source that has nothing to say.
   * @returns whether its producers have been suspect since the last one, because it was down: each has to confirm what it
   * last said, or say it anew
   */
  hear(source: number, nowAt: number): boolean {
    this.walks.revoke(source)
    return this.feeds.beat(source, nowAt)
  }

  /** Makes all that a source last said suspect, because it is down. */
  private suspectAll(source: number, nowAt: number, isRevocable: boolean): void {
    const statement = { madeAt: nowAt, doubt: suspectBy('source_down'), isRevocable }
    for (const producer of this.board.speakers.producers.ofSource(source)) this.begin(producer, statement)
  }

  // --- producers: parts of a source that live and die on their own. What they say of all that they last said holds for what
  // they have said so far, reaches the board in bounded work of this and the next turns, and looks as if it were done at once
  // and in the order in which it was said.

  /** Takes in a part of a source. One that is known by its name, because the board has a quote of it, has the number it had. */
  addProducer(source: number, name: string): number {
    return this.board.speakers.producers.add(source, name).number
  }

  /** It may have missed something: what it last said is shown suspended until it confirms it, or speaks of it again. */
  suspect(producer: number, nowAt: number, doubt: Doubt): void {
    this.say(producer, { madeAt: nowAt, doubt: suspectBy(doubt) })
  }

  /** What it last said still holds at `at`, the source's time. One that lies ahead of the clock says nothing. */
  confirm(producer: number, at: number, nowAt: number): void {
    if (at > nowAt + this.options.skewMsMax) this.suspect(producer, nowAt, 'clock')
    else this.say(producer, { madeAt: nowAt, confirmedAt: at, doubt: 0 })
  }

  /** It no longer offers anything of what it last said: that is closed. */
  end(producer: number, at: number, nowAt: number): void {
    this.say(producer, { madeAt: nowAt, endedAt: Math.min(at, nowAt + this.options.skewMsMax), doubt: 0 })
  }

  /** It is not run any more: what it last said is suspect for good, and its number is given again when that is gone. */
  leave(producer: number, nowAt: number): void {
    this.suspect(producer, nowAt, 'source_down')
    this.board.speakers.producers.leave(producer)
  }

  /** Whether what a producer said of all its quotes has not reached all of them yet. */
  isWalking(producer: number): boolean {
    return this.walks.isWalking(producer)
  }

  private say(producer: number, statement: Statement): void {
    const { madeAt } = statement
    // What is due has aged out, and is not meant.
    this.settle(madeAt)
    this.begin(this.board.speakers.producers.get(producer), statement)
  }

  private begin(producer: Producer, statement: Statement): void {
    if (!this.walks.begin(producer, statement, statement.madeAt)) this.transitions.onPending?.()
  }

  // --- event identity

  /**
   * Takes over what has been decided about events, all of it; it holds on the board when this returns.
   * @returns merges and splits that are not done, because the board has no room to move the quotes
   */
  decide(decisions: readonly Decision[], nowAt: number): number {
    this.observingAt = nowAt
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

  /** Takes over what operators have suspended, all of it. */
  private hold(suspensions: readonly Suspension[], nowAt: number): void {
    const holds = new Map<number, ReadonlySet<string> | 'all'>()
    for (const { bookmaker: slug, event } of suspensions) {
      const bookmaker = this.bookmakerNumber(slug)
      const before = holds.get(bookmaker)
      holds.set(bookmaker, event === null || before === 'all' ? 'all' : new Set(before).add(event))
    }
    this.transitions.hold(holds, nowAt)
  }

  /** An event is renamed or rescheduled. */
  private readonly onRefresh = (record: EventRecord, change: () => void): void =>
    this.transitions.refresh(record, change, this.observingAt)
}
