// The engine: observe and turn, the one write path. Nothing else writes to the board.

import { Board } from './board/board.ts'
import { columnLine, type EventRecord } from './board/catalogue.ts'
import { Changes } from './board/changes.ts'
import { FeedClock } from './board/feed-clock.ts'
import { Reader } from './board/reader.ts'
import type { EventView } from './domain/event.ts'
import { MARKET_TYPE_NUMBER } from './domain/market.ts'
import type { Observation, Price } from './domain/observation.ts'
import { CHANGE, type ChangeNumber, FRESHNESS_MS, QUOTE_STATUS, type QuoteStatusNumber } from './domain/quote.ts'
import { type Refusal, refuse } from './domain/refusal.ts'
import { TRANSPORT_NUMBER, type TransportNumber } from './domain/transport.ts'

export interface EngineOptions {
  readonly quotesMax: number
  /** A source's clock may run ahead by this much. */
  readonly skewMsMax: number
  readonly bookmakersMax: number
  /** Wheel entries looked at in one turn. */
  readonly wheelVisitsMax: number
  /** Silence, or age of what comes, after which a bookmaker's source is late, ms. */
  readonly feedLateMs: number
  /** Silence after which it is down, ms. */
  readonly feedDownMs: number
}

/** Takes the changes of a turn; they are valid until it returns. */
export type TakeChanges = (changes: Changes) => void

/** What became of observations and prices since the start. */
export interface EngineCounts {
  /** Observations taken. */
  recorded: number
  /** Observations refused: their time lies ahead of the clock. */
  refusedAhead: number
  /** Observations of which at least one price found the board full. */
  refusedFull: number
  /** Observations whose time is 24 h ago or longer. */
  stale: number
  /** Prices older than what the board holds. */
  older: number
  /** Prices that are not on the board and bring nothing to show: first seen closed, or without odds. */
  unpriced: number
  /** Prices that found no slot. */
  full: number
}

const { open: OPEN, suspended: SUSPENDED, closed: CLOSED } = QUOTE_STATUS

export class Engine {
  readonly board: Board
  /** How REST and topics read the board. */
  readonly reader: Reader
  /** Which log this is. A new one for every start, until a log is kept. */
  readonly epoch: string
  readonly counts: EngineCounts = {
    recorded: 0,
    refusedAhead: 0,
    refusedFull: 0,
    stale: 0,
    older: 0,
    unpriced: 0,
    full: 0,
  }
  /** Changes since the start, by number of the change. */
  readonly changeCounts: number[] = [0, 0, 0, 0, 0, 0, 0]
  private readonly options: EngineOptions
  private readonly changes = new Changes()
  private readonly takers: TakeChanges[] = []
  private readonly feeds: FeedClock
  /** Told when the first change of a turn is there: somebody has to call {@link turn} soon. */
  onPending: (() => void) | undefined
  /**
   * Told of an event before its live quotes, its live books or its names change. What it looks like now is what it looked
   * like at the end of the last turn, if it is told for the first time since then.
   */
  onBeforeChange: ((view: EventView) => void) | undefined
  private observingAt = 0
  private isTurning = false
  // Slots that the observation at hand names.
  private readonly named = new Set<number>()

  /** @param nowAt epoch ms; also names the log */
  constructor(options: EngineOptions, nowAt: number) {
    this.options = options
    this.board = new Board(options.quotesMax, nowAt)
    this.feeds = new FeedClock(options)
    this.reader = new Reader(this.board, this.feeds)
    this.epoch = Math.floor(nowAt).toString(36)
    this.board.onBookEnd = (record, bookmaker, transport, at) => {
      if (transport === TRANSPORT_NUMBER.live) this.tellBook(record, bookmaker, false, at)
    }
  }

  /** Seq of the last change: at the end of a turn, of the last one that was handed out. */
  get seq(): number {
    return this.changes.seq
  }

  /** Hands the changes of every turn to `take`. */
  onTurn(take: TakeChanges): void {
    this.takers.push(take)
  }

  /**
   * Records an observation. Per quote the newest `observedAt` wins, of equal ones the later arrival; an older one is
   * counted and ignored.
   * @returns a refusal when nothing was recorded because its time lies ahead of the clock or there are too many
   * bookmakers, or when the board is full: then what was on the board already is up to date all the same (a suspension
   * is never lost), and only prices without a slot are missing
   */
  observe(observation: Observation, nowAt: number): Refusal | undefined {
    const { board, counts, options } = this
    // What is due goes first: a quote that is seen again a moment after its 24 hours has aged out and is a new one.
    this.settle(nowAt)
    const ahead = this.check(observation, nowAt)
    if (ahead !== undefined) {
      counts.refusedAhead++
      return ahead
    }
    if (observation.observedAt + FRESHNESS_MS <= nowAt) {
      counts.stale++
      return undefined
    }
    const bookmaker = this.bookmakerNumber(observation.bookmaker)
    if (bookmaker === 0) {
      counts.refusedFull++
      return refuse('service_unavailable', `no more than ${options.bookmakersMax} bookmakers`, 'bookmaker')
    }
    this.feeds.hear(bookmaker, observation.observedAt, nowAt)
    this.observingAt = nowAt
    const record = board.catalogue.resolve(observation.event, this.onRefresh)
    let missed = 0
    if (observation.transport !== 'live') {
      missed += this.record(record, bookmaker, TRANSPORT_NUMBER.rest, observation, nowAt)
    }
    if (observation.transport !== 'rest') {
      missed += this.record(record, bookmaker, TRANSPORT_NUMBER.live, observation, nowAt)
    }
    if (record.books.length === 0) board.catalogue.removeEvent(record)
    if (missed > 0) {
      counts.full += missed
      counts.refusedFull++
      return refuse('service_unavailable', `the board is full (${board.quotesMax} quotes): ${missed} prices left out`)
    }
    counts.recorded++
    return undefined
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
    this.feeds.look(nowAt, (health) => this.changes.notify(health, nowAt))
    if (this.changes.length > 0) {
      this.isTurning = true
      try {
        for (const take of this.takers) take(this.changes)
      } finally {
        this.isTurning = false
        this.changes.clear()
      }
    }
    return settled
  }

  /** Whether there are changes that have not been handed out. Readers end the turn first: what they see is then in the log. */
  get isTurnDue(): boolean {
    return this.changes.length > 0
  }

  /**
   * Ages out what is due, in bounded work.
   * @returns whether the board holds nothing that is due at `nowAt`
   */
  private settle(nowAt: number): boolean {
    if (nowAt < this.board.quietUntil) return true
    return this.board.advance(nowAt, this.options.wheelVisitsMax, (slot) => this.ageOut(slot, nowAt))
  }

  private ageOut(slot: number, nowAt: number): void {
    const { quotes, catalogue } = this.board
    const book = quotes.book[slot]!
    if (catalogue.books.transport[book] === TRANSPORT_NUMBER.live) this.onBeforeChange?.(catalogue.eventOfBook(book))
    const status = quotes.status[slot]
    // A closed quote has ended already.
    if (status !== CLOSED) this.append(CHANGE.aged_out, slot, nowAt)
  }

  /** An event is renamed or rescheduled. */
  private readonly onRefresh = (record: EventRecord, refresh: () => void): void => {
    this.onBeforeChange?.(record)
    const was = record.event
    refresh()
    const bookmakers = this.board.catalogue.bookmakersOf(record, TRANSPORT_NUMBER.live)
    if (bookmakers.length === 0) return
    const { event, sportNumber } = record
    this.pend()
    this.changes.notify({ event, sportNumber, before: bookmakers, after: bookmakers, was }, this.observingAt)
  }

  /** Tells that a bookmaker has begun (or ended) to quote an event live. */
  private tellBook(record: EventRecord, bookmaker: number, isNew: boolean, nowAt: number): void {
    const { event, sportNumber } = record
    const others = this.board.catalogue
      .bookmakersOf(record, TRANSPORT_NUMBER.live)
      .filter((number) => number !== bookmaker)
    const all = [...others, bookmaker]
    const [before, after] = isNew ? [others, all] : [all, others]
    this.pend()
    this.changes.notify({ event, sportNumber, before, after, was: undefined }, nowAt)
  }

  private pend(): void {
    if (this.changes.length === 0) this.onPending?.()
  }

  /** Records one transport of an observation. Returns how many prices found no slot. */
  private record(
    record: EventRecord,
    bookmaker: number,
    transport: TransportNumber,
    observation: Observation,
    nowAt: number,
  ): number {
    const { board, named } = this
    const { catalogue } = board
    const { observedAt, prices, others } = observation
    const knownBook = catalogue.findBook(record, bookmaker, transport)
    if (knownBook === 0 && prices.length === 0) return 0
    // Without a slot there is no book either.
    if (knownBook === 0 && board.isFull) return prices.length
    if (transport === TRANSPORT_NUMBER.live) this.onBeforeChange?.(record)
    const book = knownBook === 0 ? catalogue.addBook(record, bookmaker, transport) : knownBook
    let isNewBook = knownBook === 0
    const namesOthers = others !== 'keep'
    let type = -1
    let line = Number.NaN
    let market = 0
    let missed = 0
    for (const price of prices) {
      const priceType = MARKET_TYPE_NUMBER.get(price.type)!
      const priceLine = columnLine(price.line)
      // Prices of one market stand together, so that most of them find it here.
      if (priceType !== type || priceLine !== line) {
        type = priceType
        line = priceLine
        market = catalogue.findMarket(record, type, line)
      }
      const outcome = market === 0 ? 0 : board.outcomes.find(price.outcome)
      let slot = outcome === 0 ? 0 : board.find(market, outcome, book)
      if (slot === 0) {
        if (price.status === 'closed' || price.odds === null) {
          this.counts.unpriced++
          continue
        }
        if (board.isFull) {
          missed++
          continue
        }
        if (market === 0) market = catalogue.addMarket(record, type, line)
        const status = QUOTE_STATUS[price.status]
        const label = board.outcomes.intern(price.outcome)
        slot = board.add(market, label, book, price.odds, status, observedAt)
        if (status === OPEN) catalogue.setOpen(record, market, transport, bookmaker, true)
        if (isNewBook) {
          isNewBook = false
          if (transport === TRANSPORT_NUMBER.live) this.tellBook(record, bookmaker, true, nowAt)
        }
        this.append(CHANGE.added, slot, nowAt)
      } else {
        this.update(record, slot, book, price, observedAt, nowAt)
      }
      if (namesOthers) named.add(slot)
    }
    if (namesOthers) {
      this.end(book, others, observedAt, nowAt)
      named.clear()
    }
    board.refreshOpen()
    if (catalogue.books.head[book] === 0) catalogue.removeBook(record, book)
    else catalogue.touch(record, transport)
    return missed
  }

  /** Compares a price with the quote it is about, writes it, and appends what changed. */
  private update(
    record: EventRecord,
    slot: number,
    book: number,
    price: Price,
    observedAt: number,
    nowAt: number,
  ): void {
    const { quotes, catalogue } = this.board
    const status = QUOTE_STATUS[price.status]
    const seenAt = quotes.observedAt[slot]!
    if (seenAt + FRESHNESS_MS <= nowAt) {
      this.retire(slot, nowAt)
      if (price.status === 'closed' || price.odds === null) {
        this.counts.unpriced++
        return
      }
    }
    const before = quotes.status[slot] as QuoteStatusNumber
    // A closed quote begins again only with a newer time (FEEDS §2.8); otherwise of equal times the later arrival wins.
    if (observedAt < seenAt || (observedAt === seenAt && before === CLOSED && status !== CLOSED)) {
      this.counts.older++
      return
    }
    const odds = price.odds ?? quotes.odds[slot]!
    const repriced = odds !== quotes.odds[slot]
    quotes.odds[slot] = odds
    quotes.status[slot] = status
    quotes.observedAt[slot] = observedAt
    if (status === before) {
      if (repriced && status !== CLOSED) this.append(CHANGE.repriced, slot, nowAt)
      return
    }
    if (status === OPEN) {
      const { bookmaker, transport } = catalogue.books
      catalogue.setOpen(record, quotes.market[slot]!, transport[book] as TransportNumber, bookmaker[book]!, true)
    }
    if (before === OPEN) this.board.noteLeft(slot)
    this.append(changeOf(before, status), slot, nowAt)
  }

  /** Suspends or closes the quotes of a book that the observation does not name. */
  private end(book: number, others: 'suspended' | 'closed', observedAt: number, nowAt: number): void {
    const { quotes, catalogue } = this.board
    const status = QUOTE_STATUS[others]
    for (let slot = catalogue.books.head[book]!; slot !== 0; slot = quotes.next[slot]!) {
      const before = quotes.status[slot] as QuoteStatusNumber
      if (before === CLOSED || this.named.has(slot)) continue
      if (quotes.observedAt[slot]! + FRESHNESS_MS <= nowAt) {
        this.retire(slot, nowAt)
        continue
      }
      if (observedAt < quotes.observedAt[slot]!) {
        this.counts.older++
        continue
      }
      quotes.status[slot] = status
      quotes.observedAt[slot] = observedAt
      if (before === status) continue
      if (before === OPEN) this.board.noteLeft(slot)
      this.append(changeOf(before, status), slot, nowAt)
    }
  }

  /** A quote whose 24 hours are over, met before the wheel came to it: it has aged out, whatever comes next. */
  private retire(slot: number, nowAt: number): void {
    const { status } = this.board.quotes
    if (status[slot] === CLOSED) return
    this.append(CHANGE.aged_out, slot, nowAt)
    if (status[slot] === OPEN) this.board.noteLeft(slot)
    status[slot] = CLOSED
  }

  private append(change: ChangeNumber, slot: number, nowAt: number): void {
    const { quotes, catalogue, outcomes } = this.board
    const book = quotes.book[slot]!
    const market = quotes.market[slot]!
    this.changeCounts[change]!++
    this.pend()
    this.changes.append(
      change,
      slot,
      catalogue.eventOfBook(book),
      book,
      catalogue.books.bookmaker[book]!,
      catalogue.books.transport[book] as TransportNumber,
      catalogue.markets.type[market]!,
      catalogue.markets.line[market]!,
      outcomes.jsonOf(quotes.outcome[slot]!),
      quotes.odds[slot]!,
      quotes.status[slot] as QuoteStatusNumber,
      quotes.observedAt[slot]!,
      nowAt,
    )
  }
}

/** The name of a transition (DESIGN §5.15): a closed quote that is seen again is a new one. */
const changeOf = (before: QuoteStatusNumber, after: QuoteStatusNumber): ChangeNumber => {
  if (after === CLOSED) return CHANGE.closed
  if (before === CLOSED) return CHANGE.added
  return after === SUSPENDED ? CHANGE.suspended : CHANGE.reopened
}
