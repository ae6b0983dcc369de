// The engine: inputs and turn, the one write path. Nothing else writes to the board.
//
// The file is longer than others: every input depends on what the same turn has expired before, and all of them end in
// the same changes.

import { isDeepStrictEqual } from 'node:util'
import { crc32 } from 'node:zlib'
import { Board } from '../board/board.ts'
import type { Changes } from '../board/changes.ts'
import { NOBODY, type Producer, type Statement } from '../board/producers.ts'
import { Reader } from '../board/reader.ts'
import { LOST, suspectBy } from '../board/status.ts'
import { type PriceCounts, Recorder } from './recorder.ts'
import { Holds } from './holds.ts'
import { Rights } from './rights.ts'
import { checkBooks, checkCapacity } from './forecast.ts'
import { type BoardLimits, BOUNDS, type Bound, type Level } from '../board/capacity.ts'
import { Sightings } from '../identity/sightings.ts'
import { Settlement } from './settlement.ts'
import { Transitions } from './transitions.ts'
import { Walks } from './walks.ts'
import type { EventView } from '../domain/event.ts'
import type { Decision, EventDecision, EventMatcher, Suspension } from '../domain/event-identity.ts'
import type { BookmakerHealth, FeedState } from '../domain/feed-health.ts'
import { sourceOfProducer } from '../domain/feed-source.ts'
import type { Input, StoreInput, StoreMark } from '../domain/input.ts'
import type { Observation } from '../domain/observation.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { type Doubt, FRESHNESS_MS } from '../domain/quote.ts'
import { type Refusal, refuse } from '../domain/refusal.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'

/** Of each book, so many quotes are read ahead: more would displace those of others from the cache. */
const QUOTES_AHEAD = 10

export interface EngineOptions extends BoardLimits {
  /** A source's clock may run ahead by this much. */
  readonly skewMsMax: number
  readonly bookmakersMax: number
  /** Wheel entries looked at in one turn. */
  readonly wheelVisitsMax: number
  /** Books and quotes that the walks visit in one turn; left out: as many as there are. */
  readonly walkVisitsMax?: number
  /** Walks continue at most this often, ms; left out: in every turn. */
  readonly walkEveryMs?: number
  /** The wheel moves on when less than this is known to be quiet, ms; left out: when something may be due. */
  readonly quietMsMin?: number
  /** Finds the same event of another source; undefined: only events with equal spelling are the same. */
  readonly matcher?: EventMatcher
}

/** Gets the changes of a turn; they are valid until it returns. */
export type Publish = (changes: Changes) => void

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

/** The state of the engine itself in an image. */
interface Saved {
  readonly lastAt: number
  readonly settledAt: number
  readonly advancedAt: number
  readonly walkedAt: number
  readonly seq: number
  readonly decided: readonly EventDecision[]
  readonly undecided: number
  /** Left out: {@link NO_LINK}. */
  readonly link?: Link
  /** Left out: none. */
  readonly lastStore?: StoreInput
}

/** Up to where this is the state of a log that several processes share. */
export interface Link {
  /** Which log; empty: none. */
  readonly epoch: string
  /** Number of the last turn that was applied. */
  readonly turn: number
  /** A digest of all its turns up to the last one that was applied. */
  readonly chain: string
}

export const NO_LINK: Link = { epoch: '', turn: 0, chain: '' }

export class Engine {
  readonly board: Board
  /** Which event each sighting is of. */
  readonly sightings: Sightings
  /** What each key could see at which seq. */
  readonly rights = new Rights()
  /** How REST and topics read the board. */
  readonly reader: Reader
  /** Which log this is. */
  epoch: string
  link: Link = NO_LINK
  readonly counts: EngineCounts
  private readonly options: EngineOptions
  private readonly holds: Holds
  // Decisions about events, and how many of them are not done.
  private decided: readonly EventDecision[] = []
  private undecided = 0
  /**
   * The last change of the store that was accepted, whole: a process may end after it has applied the turn and before its
   * store has made the change. Undefined: none.
   */
  lastStore: StoreInput | undefined
  // Of the changes of the store of this turn: whose rights may have changed.
  private readonly rightsChanged: (readonly string[] | null)[] = []
  private settledAt = Number.NEGATIVE_INFINITY
  private advancedAt = Number.NEGATIVE_INFINITY
  private readonly transitions: Transitions
  private readonly recorder: Recorder
  private readonly walks: Walks
  private readonly settlement: Settlement
  private readonly publishers: Publish[] = []
  /** Of {@link readAhead}: so that nothing that it reads is left out as useless. */
  readSum = 0
  private readonly endListeners: (() => void)[] = []
  private lastAt = Number.NEGATIVE_INFINITY
  private walkedAt = Number.NEGATIVE_INFINITY

  /** @param nowAt epoch ms: names the epoch, until a log gives its own */
  constructor(options: EngineOptions, nowAt: number) {
    this.options = options
    this.board = new Board(options, nowAt)
    this.sightings = new Sightings(this.board, options.matcher)
    const { walkVisitsMax = Number.POSITIVE_INFINITY } = options
    this.holds = new Holds(this.board)
    this.transitions = new Transitions(this.board, this.holds)
    this.walks = new Walks(this.board, walkVisitsMax, (...args) => this.transitions.apply(...args))
    this.recorder = new Recorder(this.board, this.transitions, this.walks)
    this.counts = Object.assign(this.recorder.counts, { recorded: 0, refusedAhead: 0, refusedFull: 0, stale: 0 })
    this.settlement = new Settlement(this.board, this.sightings, this.recorder, this.transitions)
    this.reader = new Reader(this.board)
    this.epoch = Math.floor(nowAt).toString(36)
  }

  /** Writes the whole state, between two turns. */
  save(image: ImageWriter): void {
    const { lastAt, settledAt, advancedAt, walkedAt, seq, decided, undecided, link } = this
    const own: Saved = { lastAt, settledAt, advancedAt, walkedAt, seq, decided, undecided, link }
    image.value('engine', this.lastStore === undefined ? own : { ...own, lastStore: this.lastStore })
    this.board.save(image)
    this.sightings.save(image)
    this.holds.save(image)
    this.walks.save(image)
    this.rights.save(image)
  }

  /** Reads the whole state into an engine that has had no turn. Throws ImageFault where it does not fit. */
  load(image: ImageReader): void {
    const { seq, ...own } = image.value('engine') as Saved
    Object.assign(this, own)
    this.transitions.changes.seqBefore = seq
    this.board.load(image)
    this.sightings.load(image)
    this.holds.load(image)
    this.walks.load(image)
    this.rights.load(image)
  }

  /**
   * Called before the live quotes, the live books or the names of an event change. At the first call since a turn, the
   * event is as it was at the end of that turn.
   */
  set onBeforeChange(listener: ((view: EventView) => void) | undefined) {
    this.transitions.onBeforeChange = listener
  }

  /** Called when the board comes near a bound, and when it no longer is near. */
  set onLevel(listener: (level: Level) => void) {
    for (const holding of this.board.capacity.all) holding.onLevel = listener
  }

  /** Called with the id of an event that leads to another event, or to none, from now on: by a merge or a split. */
  set onIdMoved(listener: ((id: string) => void) | undefined) {
    this.transitions.onIdMoved = listener
  }

  /** Counts nothing of what has been: the turns of an earlier process, say. */
  resetCounts(): void {
    const { counts } = this
    Object.assign(counts, { recorded: 0, refusedAhead: 0, refusedFull: 0, stale: 0, older: 0, unpriced: 0, full: 0 })
    for (const bound of BOUNDS) counts.refused[bound] = 0
    this.transitions.changeCounts.fill(0)
  }

  /** Changes since the start, by number of the change. */
  get changeCounts(): readonly number[] {
    return this.transitions.changeCounts
  }

  /** Seq of the last change: at the end of a turn, of the last one that was published. */
  get seq(): number {
    return this.transitions.changes.seq
  }

  /** Calls `listener` at the end of every turn, with changes or without, after they were published. */
  onTurnEnd(listener: () => void): void {
    this.endListeners.push(listener)
  }

  /** Publishes the changes of every turn to `publish`. */
  onTurn(publish: Publish): void {
    this.publishers.push(publish)
  }

  /**
   * Records an observation. Per quote the newest `observedAt` wins, of equal ones the later arrival; an older one is
   * counted and ignored. The same holds for the names, the league and the kickoff that a source gives its event.
   * @returns a refusal. Nothing was recorded if the time lies ahead of the clock, if there are too many bookmakers, or
   * if a bookmaker would hold more than `bookQuotesMax` quotes of one event; in the last case the open quotes of a
   * configured source are suspended there. If the board, or the bookmaker's share of it, is full, quotes that are on
   * the board are up to date all the same (a suspension is never lost), and only new prices are missing
   * @param producer that observed it, see {@link producerNumber}
   * @param doubt why the observation may be old, by the producer itself: its quotes are suspect from the start
   */
  observe(observation: Observation, nowAt: number, producer = NOBODY, doubt?: Doubt): Refusal | undefined {
    const { board, counts, sightings, recorder } = this
    // Age out first: a quote that is seen again a moment after its 24 hours has aged out and is a new one.
    this.settleOnce(nowAt)
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
    const isLong = board.longestBook + observation.prices.length > board.capacity.bookQuotesMax
    const tooLong = isLong ? checkBooks(board, sightings, [observation]) : undefined
    if (tooLong !== undefined) return this.missBook(tooLong, observation, nowAt, producer)
    // An event needs capacity for at least one quote.
    const bound = board.capacity.events.boundFor(bookmaker) ?? board.capacity.quotes.boundFor(bookmaker)
    const known = sightings.resolve(observation.event, observation.observedAt, bound === undefined)
    if (known === undefined) return this.missEvent(bound ?? 'source_ids', observation)
    this.settlement.publishNames(nowAt)
    const { record, swapped, number: sighting, found } = known
    const origin = { producer, sighting, swapped, doubt: doubt === undefined ? 0 : suspectBy(doubt) }
    let missed = 0
    if (observation.transport !== 'live') {
      missed += recorder.record(record, bookmaker, TRANSPORT_NUMBER.rest, observation, origin, source, nowAt, found)
    }
    if (observation.transport !== 'rest') {
      missed += recorder.record(record, bookmaker, TRANSPORT_NUMBER.live, observation, origin, source, nowAt, found)
    }
    if (record.books === 0) sightings.removeEvent(record)
    if (sightings.hasPending) this.settlement.resettle(nowAt)
    if (missed > 0) return this.refuseFull(this.recorder.lastBound, observation, missed)
    counts.recorded++
    return undefined
  }

  /**
   * Reads what the observations of a turn are going to need, for all of them before the first is recorded: changes nothing. The
   * waits for memory overlap then, where each by itself takes as long as a hundred instructions. SENDs of ten quotes by 8 000
   * books in random order, frame to MESSAGE without log: 1.08 times as fast (two times ten pairs of rounds).
   */
  readAhead(inputs: readonly Input[]): void {
    const { sightings } = this
    const { quotes, catalogue } = this.board
    let sum = 0
    for (const input of inputs) {
      if (input.kind === 'observe') sum += sightings.foundOf(input.observation.event)?.book ?? 0
    }
    for (const input of inputs) {
      const found = input.kind === 'observe' ? sightings.foundOf(input.observation.event) : undefined
      if (found === undefined) continue
      sum += (found.known?.number ?? 0) + catalogue.read(found.book) + quotes.read(found.first, QUOTES_AHEAD)
    }
    this.readSum = sum
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
   * Records all observations of a transaction, or none. Whether they fit on the board is checked before, as far as that
   * can be known: the check ignores what one of them adds for the next.
   */
  commit(observations: readonly Observation[], nowAt: number): Refusal | undefined {
    for (const observation of observations) {
      const ahead = this.check(observation, nowAt)
      if (ahead !== undefined) return ahead
    }
    const slugs = new Set(observations.map(({ bookmaker }) => bookmaker))
    const unknown = [...slugs].filter((slug) => this.board.bookmakers.find(slug) === 0)
    if (this.board.bookmakers.size + unknown.length > this.options.bookmakersMax) {
      return this.refuseFull('bookmakers', observations[0]!, 0)
    }
    const full = checkCapacity(this.board, this.sightings, observations)
    if (full !== undefined) return full
    for (const observation of observations) {
      const refusal = this.observe(observation, nowAt)
      if (refusal !== undefined) return refusal
    }
    return undefined
  }

  /**
   * An observation of a bookmaker at an event cannot be recorded: the earlier quotes of the source there are suspect
   * until it observes them again, because a configured source does not repeat itself, and this may have been a bet
   * stop. A SEND gets the refusal instead.
   */
  private lose({ bookmaker, event }: Observation, nowAt: number, producer: number, doubt: Doubt): void {
    if (producer === NOBODY) return
    const { bookmakers, catalogue, origins, producers } = this.board
    const number = bookmakers.find(bookmaker)
    const source = producers.sourceOf(producer)
    const statement = { madeAt: nowAt, doubt: suspectBy(doubt) | LOST }
    // The names in the observation are not reliable either: they are looked up, and rename nothing.
    const known = this.sightings.lookUp(event)
    if (known === undefined) return
    for (const book of catalogue.booksOf(known.record)) {
      if (catalogue.books.bookmaker[book] !== number) continue
      this.walks.catchUp(book, nowAt)
      this.transitions.apply(book, statement, (slot) => origins.isOfSource(book, slot, source), nowAt)
    }
  }

  /** The refusal that does not depend on the board: the time lies ahead of the clock. */
  private check(observation: Observation, nowAt: number): Refusal | undefined {
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
   * Begins a turn. Times of turns never go back.
   * @returns its time: `at`, or that of the last turn
   */
  begin(at: number): number {
    // The first turn of all: what an engine does depends on its turns alone.
    if (this.lastAt === Number.NEGATIVE_INFINITY) this.board.start(at)
    this.lastAt = Math.max(at, this.lastAt)
    return this.lastAt
  }

  /** Time of the last turn, epoch ms; -Infinity: there was none. */
  get lastTurnAt(): number {
    return this.lastAt
  }

  /** A checksum of a part of the board, another one each time: equal for equal states, in any process. 0.3 ms. */
  checksum(round: number): number {
    return crc32(Buffer.from(Float64Array.of(this.seq, this.lastAt).buffer), this.board.checksum(round))
  }

  /** Whether a turn without inputs would do anything. */
  isDue(nowAt: number): boolean {
    return this.isWheelDue(nowAt) || (this.hasWalks && this.isWalkDue(nowAt))
  }

  /**
   * Ends a turn: ages out what is due, continues walks, and publishes the changes of the turn.
   * @returns whether all that is due at `nowAt` is done; if not, call again soon
   */
  turn(nowAt: number): boolean {
    const isSettled = this.settle(nowAt)
    const isWalked = this.isWalkDue(nowAt) ? this.walk(nowAt) : !this.hasWalks
    this.board.producers.sweep()
    const { changes } = this.transitions
    this.board.checkTurn()
    changes.check()
    if (changes.length > 0) {
      try {
        for (const publish of this.publishers) publish(changes)
      } finally {
        changes.clear()
      }
    }
    // What this turn has published was seen by the former rights.
    for (const organizations of this.rightsChanged.splice(0)) this.rights.change(organizations, this.seq)
    for (const listener of this.endListeners) listener()
    return isSettled && isWalked
  }

  /** Whether statements of producers, or suspensions by operators, have not reached all quotes that they are about. */
  get hasWalks(): boolean {
    return this.isHolding || this.walks.hasPending
  }

  /** By the times of turns alone: subscribers have to read what walks change, so they have a pace. */
  private isWalkDue(nowAt: number): boolean {
    const { walkEveryMs = 0 } = this.options
    return nowAt - this.walkedAt >= walkEveryMs || nowAt < this.walkedAt
  }

  private walk(nowAt: number): boolean {
    this.walkedAt = nowAt
    const isWalked = this.walks.turn(nowAt)
    const { walkVisitsMax = Number.POSITIVE_INFINITY } = this.options
    return this.transitions.walkHolds(walkVisitsMax, nowAt) && isWalked
  }

  /** The same before an input, once for all inputs of one time: the bound on the work is one of the turn. */
  private settleOnce(nowAt: number): void {
    if (nowAt !== this.settledAt) this.settle(nowAt)
  }

  /**
   * Ages out what is due, in bounded work.
   * @returns whether the board holds nothing that is due at `nowAt`
   */
  private settle(nowAt: number): boolean {
    const { board, transitions, walks } = this
    this.settledAt = nowAt
    if (!this.isWheelDue(nowAt)) return true
    this.advancedAt = nowAt
    const isDone = board.advance(nowAt, this.options.wheelVisitsMax, (slot) => {
      walks.catchUp(board.quotes.bookOf(slot), nowAt)
      if (board.quotes.observedAtOf(slot) + FRESHNESS_MS > nowAt) return false
      transitions.ageOut(slot, nowAt)
      return true
    })
    this.settlement.settleAged(nowAt)
    return isDone
  }

  /** A moment early, so that readers never have to look at quotes one by one until the next turn. */
  private isWheelDue(nowAt: number): boolean {
    const { quietMsMin = 0 } = this.options
    const quietMs = this.board.quietUntil - nowAt
    return quietMs <= 0 || (quietMs <= quietMsMin && nowAt - this.advancedAt >= quietMsMin / 2)
  }

  // --- producers: parts of a source that start, fail and end independently. A statement about all quotes of a producer
  // holds for what it has set so far. It reaches the board in bounded work of this turn and the next ones, with the
  // same result as if all statements were applied at once, in order.

  /** The number of a producer, by its name (domain/feed-source.ts). */
  producerNumber(name: string): number {
    return this.board.producers.numberOf(name)
  }

  /** The producers that have not left, or still have quotes. */
  producers(): Iterable<Readonly<Pick<Producer, 'name' | 'isLeft'>>> {
    return this.board.producers.all()
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

  /**
   * It has stopped for good: its number is reused when its quotes are gone.
   * @param doubt its quotes stay suspect; undefined: they stay as they are
   */
  leave(producer: number, nowAt: number, doubt?: Doubt): void {
    if (doubt !== undefined) this.suspect(producer, nowAt, doubt)
    this.board.producers.leave(producer)
  }

  /**
   * A run of a source begins, see domain/input.ts.
   * @returns whether it counts: a later one may have taken the source already
   */
  take(source: string, run: number, nowAt: number): boolean {
    const { producers } = this.board
    if (!producers.take(source, run)) return false
    for (const { name, number, isLeft } of [...producers.all()]) {
      if (!isLeft && sourceOfProducer(name) === source && !producers.isHeard(name)) this.leave(number, nowAt, 'gap')
    }
    return true
  }

  /** The run that has taken a source; 0: none has. */
  runOf(source: string): number {
    return this.board.producers.runOf(source)
  }

  /** Whether what a producer says counts: of a source that a run has taken, only what that run says. */
  isHeard(producer: string): boolean {
    return this.board.producers.isHeard(producer)
  }

  /** What the log last said of the source of a bookmaker; undefined: nothing. */
  stateOf(bookmaker: string): FeedState | undefined {
    return this.reader.healthOf(this.reader.bookmakerNumber(bookmaker))?.state
  }

  /** The health of a bookmaker's source has changed. */
  noteHealth({ bookmaker: slug, ...health }: BookmakerHealth, nowAt: number): void {
    const bookmaker = this.bookmakerNumber(slug)
    if (bookmaker === 0) return
    const notice = { ...health, bookmaker }
    this.board.healths[bookmaker] = notice
    this.transitions.notify(notice, nowAt)
  }

  /** Whether a statement of a producer about all its quotes has not reached all of them yet. */
  isWalking(producer: string): boolean {
    const number = this.board.producers.find(producer)
    return number !== undefined && this.walks.isWalking(number)
  }

  private say(producer: number, statement: Statement): void {
    const { madeAt } = statement
    if (producer === NOBODY) return
    // Quotes that are due have aged out: the statement is not about them.
    this.settleOnce(madeAt)
    this.walks.begin(this.board.producers.get(producer), statement, madeAt)
  }

  // --- the store that several processes share

  /** The last change of the store that was accepted. */
  get storeMark(): StoreMark {
    return this.lastStore ?? { proposal: '', version: 0 }
  }

  /**
   * A change of the store is accepted where it was made from the last accepted one: its bookmakers get their numbers, and
   * its decisions take effect.
   * @returns undefined: it was not accepted; else as {@link decide}
   */
  changeStore(input: StoreInput, nowAt: number): number | undefined {
    if (input.expects !== this.storeMark.proposal) return undefined
    this.lastStore = input
    this.rightsChanged.push(input.organizations)
    for (const slug of input.bookmakers) this.bookmakerNumber(slug)
    return input.decisions === null ? 0 : this.decide(input.decisions, nowAt)
  }

  // --- event identity

  /**
   * Replaces all decisions about events; merges and splits are applied when this returns, suspensions reach the board with
   * the turns, see {@link isHolding}.
   * @returns how many merges and splits were not done, because the quotes to be moved do not fit on the board
   */
  decide(decisions: readonly Decision[], nowAt: number): number {
    const suspensions: Suspension[] = []
    const others: EventDecision[] = []
    for (const decision of decisions) {
      if (decision.kind === 'suspend') suspensions.push(decision)
      else others.push(decision)
    }
    // They are compared with every event: not where only the suspensions have changed.
    if (this.undecided > 0 || !isDeepStrictEqual(others, this.decided)) {
      this.decided = others
      this.undecided = this.settlement.settle(others, nowAt)
    }
    this.holds.replace(suspensions, (slug) => this.bookmakerNumber(slug))
    return this.undecided
  }

  /** What an operator has suspended, see {@link Holds.covering}. */
  heldBy(bookmaker: number, view: EventView): string | undefined {
    return this.holds.covering(bookmaker, view)
  }

  /** Whether suspensions by operators have not reached all quotes yet. */
  get isHolding(): boolean {
    return this.holds.isWalking
  }
}
