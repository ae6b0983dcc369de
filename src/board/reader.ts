// Reading the board: events and their odds in the order of answers, without slots. Exact at any moment: while the wheel
// is up to date, the catalogue's bits say what is open; while it is behind (bounded work, many quotes due at once), the
// quotes themselves are read, so that a stale one is never shown.

import { memoryOf } from '../domain/memory.ts'
import { type BookmakerSet, hasBookmaker } from '../domain/audience.ts'
import type { EventView } from '../domain/event.ts'
import type { FeedHealth } from '../domain/feed-health.ts'
import { FRESHNESS_MS, QUOTE_STATUS, type QuoteStatusNumber } from '../domain/quote.ts'
import { TRANSPORT_NUMBER, type TransportNumber } from '../domain/transport.ts'
import type { Board } from './board.ts'
import type { EventRecord } from './event-record.ts'
import { NO_LINE } from './columns.ts'
import { shownOf } from './status.ts'

/** Receives the odds of an event: markets by type and line, bookmakers by slug, outcomes in natural order. */
export interface OddsVisitor {
  /** @param type number of the market type */
  beginMarket(type: number, line: number | null): void
  /** @param bookmaker number of the bookmaker, see {@link Reader.bookmakerSlug} */
  beginBookmaker(bookmaker: number): void
  /**
   * @param outcomeJson the label as a JSON string; valid during the call
   * @param quote its number, for {@link Reader.oddsOf}
   */
  outcome(outcomeJson: Uint8Array, odds: number, observedAt: number, quote: number): void
  endBookmaker(): void
  endMarket(): void
}

/** Receives the fresh quotes of a live book that are open or suspended; `number`: as changes give it. */
export type VisitQuote = (
  type: number,
  line: number,
  outcomeJson: Uint8Array,
  odds: number,
  status: QuoteStatusNumber,
  observedAt: number,
  number: number,
) => void

/** A fresh quote that is open or suspended. */
export interface CurrentQuote {
  readonly view: EventView
  readonly bookmaker: number
  readonly type: number
  readonly line: number
  /** The label as a JSON string. */
  readonly outcome: Uint8Array
  readonly odds: number
  readonly status: QuoteStatusNumber
  readonly observedAt: number
}

/** Few outcomes are sorted by insertion, in place; participants of a race by the library. */
const INSERTION_MAX = 16

export class Reader {
  private readonly board: Board
  // Scratch, reused from call to call: open quotes in the order of books, and the same by market.
  private found = new Uint32Array(1024)
  private sorted = new Uint32Array(1024)
  private count = 0
  private starts = new Uint32Array(256)
  private readonly placeOfMarket: Uint32Array
  private oldestAt = 0

  constructor(board: Board) {
    this.board = board
    this.placeOfMarket = new Uint32Array(memoryOf(4 * (board.quotesMax + 1)))
  }

  eventOf(id: string): EventView | undefined {
    return this.board.catalogue.names.eventOf(id)
  }

  /**
   * Visits the events of a league, else of a sport, else all that kick off at `kickoffAt` or later, by kickoff, then id, until `visit`
   * returns false. A league key may be of two sports (`unknown` is).
   * @param afterId of those that kick off at that time, up to this id they are left out
   */
  visitEvents(
    sportNumber: number | undefined,
    leagueKey: string | undefined,
    kickoffAt: number,
    visit: (view: EventView) => boolean,
    afterId = -1,
  ): void {
    this.board.catalogue.lists.visit(sportNumber, leagueKey, kickoffAt, visit, afterId)
  }

  /** How many events {@link visitEvents} has to look at, at most. */
  listSize(sportNumber: number | undefined, leagueKey: string | undefined): number {
    return this.board.catalogue.lists.sizeOf(sportNumber, leagueKey)
  }

  /** Version of the lists of a sport (undefined: of all sports): changes with an event or its open markets. */
  listVersion(transport: TransportNumber, sportNumber: number | undefined): number {
    return this.board.catalogue.lists.versionOf(transport, sportNumber)
  }

  /** Version of the answers about an event: changes whenever one may have changed. No value is used twice. */
  eventVersion(view: EventView, transport: TransportNumber): number {
    return this.board.catalogue.versions.of(view, transport)
  }

  /** The same, unchanged while only odds and times of quotes have changed that were open and still are. */
  eventShape(view: EventView, transport: TransportNumber): number {
    return this.board.catalogue.versions.shapeOf(view, transport)
  }

  /** The health of a bookmaker's source; undefined: unknown. */
  healthOf(bookmaker: number): FeedHealth | undefined {
    return this.board.healths[bookmaker]
  }

  /** Bookmakers of known health have numbers below this. */
  get healthsEnd(): number {
    return this.board.healths.length
  }

  /** Whether every quote whose 24 hours are over at `nowAt` is off the board. */
  isSettled(nowAt: number): boolean {
    return nowAt < this.board.quietUntil
  }

  /** Number of a bookmaker, 0 where it is unknown. */
  bookmakerNumber(slug: string): number {
    return this.board.bookmakers.find(slug)
  }

  bookmakerSlug(bookmaker: number): string {
    return this.board.bookmakers.textOf(bookmaker)
  }

  /** Whether `bookmakers` have an open market at an event. */
  hasOpenMarket(
    view: EventView,
    transport: TransportNumber,
    bookmakers: BookmakerSet,
    nowAt: number,
    isSettled: boolean,
  ): boolean {
    const { catalogue, quotes } = this.board
    if (!catalogue.open.hasAny(catalogue.numbers, (view as EventRecord).markets, transport, bookmakers)) return false
    if (isSettled) return true
    // The bits may still count quotes that have aged out: look for one that is open and fresh.
    const isStale = (slot: number): boolean => quotes.statusOf(slot) !== QUOTE_STATUS.open
    return !this.visitFresh(view, transport, bookmakers, nowAt, isStale)
  }

  /** Events have numbers below this; see {@link eventAt}. */
  get eventNumbersEnd(): number {
    return this.board.catalogue.recordsEnd
  }

  /** The event of a number: an interruptible walk over all events goes by numbers. */
  eventAt(number: number): EventView | undefined {
    return this.board.catalogue.recordOf(number)
  }

  /** Numbers of the bookmakers that quote an event on transport live, by slug. */
  liveBookmakers(view: EventView): number[] {
    return this.board.catalogue.bookmakersOf(view as EventRecord, TRANSPORT_NUMBER.live)
  }

  /** Visits the quotes of a live book that are open or suspended and fresh, in order of arrival. */
  visitLiveBook(view: EventView, bookmaker: number, nowAt: number, visit: VisitQuote): void {
    const { quotes, catalogue, outcomes } = this.board
    const { markets } = catalogue
    const book = catalogue.findBook(view as EventRecord, bookmaker, TRANSPORT_NUMBER.live)
    if (book === 0) return
    let last = catalogue.books.head[book]!
    if (last === 0) return
    while (quotes.nextOf(last) !== 0) last = quotes.nextOf(last)
    for (let slot = last; slot !== 0; slot = quotes.previousOf(slot)) {
      const status = shownOf(quotes.statusOf(slot))
      if (status === QUOTE_STATUS.closed || quotes.observedAtOf(slot) + FRESHNESS_MS <= nowAt) continue
      const market = quotes.marketOf(slot)
      visit(
        markets.type[market]!,
        markets.line[market]!,
        outcomes.jsonOf(quotes.outcomeOf(slot)),
        quotes.oddsOf(slot),
        status,
        quotes.observedAtOf(slot),
        slot,
      )
    }
  }

  /** The quote of a number, as changes give it; undefined where it is closed, aged out or gone. */
  quoteAt(number: number, nowAt: number): CurrentQuote | undefined {
    const { quotes, catalogue, outcomes } = this.board
    const { markets, books } = catalogue
    const status = shownOf(quotes.statusOf(number))
    const observedAt = quotes.observedAtOf(number)
    if (status !== QUOTE_STATUS.open && status !== QUOTE_STATUS.suspended) return undefined
    const book = quotes.bookOf(number)
    if (book === 0 || observedAt + FRESHNESS_MS <= nowAt) return undefined
    const market = quotes.marketOf(number)
    return {
      view: catalogue.eventOfBook(book),
      bookmaker: books.bookmaker[book]!,
      type: markets.type[market]!,
      line: markets.line[market]!,
      outcome: outcomes.jsonOf(quotes.outcomeOf(number)),
      odds: quotes.oddsOf(number),
      status,
      observedAt,
    }
  }

  /** Odds of the quote of a number: the same quote while the shape of its event is the same. */
  oddsOf(number: number): number {
    return this.board.quotes.oddsOf(number)
  }

  /** When the quote of a number was observed, epoch ms; see {@link oddsOf}. */
  observedAtOf(number: number): number {
    return this.board.quotes.observedAtOf(number)
  }

  /** How many markets of an event have an open quote of one of `bookmakers`. */
  marketCount(
    view: EventView,
    transport: TransportNumber,
    bookmakers: BookmakerSet,
    nowAt: number,
    isSettled: boolean,
  ): number {
    const { board } = this
    if (isSettled) {
      const { open, numbers } = board.catalogue
      return open.count(numbers, (view as EventRecord).markets, transport, bookmakers)
    }
    const markets = new Set<number>()
    this.visitFresh(view, transport, bookmakers, nowAt, (slot) => {
      if (board.quotes.statusOf(slot) === QUOTE_STATUS.open) markets.add(board.quotes.marketOf(slot))
      return true
    })
    return markets.size
  }

  /** Whether one of `bookmakers` has quoted the event within the last 24 hours, open or not (docs/architecture.md 7.1). */
  isQuoted(view: EventView, transport: TransportNumber, bookmakers: BookmakerSet, nowAt: number): boolean {
    return !this.visitFresh(view, transport, bookmakers, nowAt, () => false)
  }

  /**
   * Passes the open, fresh odds of an event to a visitor.
   * @param seen the bookmakers that may be seen
   * @param asked those of them that are requested
   * @returns the time at which the answer may change: a quote of `seen` ages out, epoch ms
   */
  visitOdds(
    view: EventView,
    transport: TransportNumber,
    seen: BookmakerSet,
    asked: BookmakerSet,
    nowAt: number,
    visitor: OddsVisitor,
  ): number {
    this.collect(view, transport, seen, asked, nowAt)
    this.sortByMarket(view as EventRecord)
    this.visitSorted(visitor)
    return this.oldestAt + FRESHNESS_MS
  }

  /**
   * Visits the fresh quotes (open or not) of the books that may be seen, books in the order of slugs, until `visit`
   * returns false. Returns whether it never did.
   */
  private visitFresh(
    view: EventView,
    transport: TransportNumber,
    bookmakers: BookmakerSet,
    nowAt: number,
    visit: (slot: number) => boolean,
  ): boolean {
    const { quotes } = this.board
    const { books, numbers } = this.board.catalogue
    const { books: list } = view as EventRecord
    const count = numbers.lengthOf(list)
    for (let place = 0; place < count; place++) {
      const book = numbers.at(list, place)
      if (books.transport[book] !== transport || !hasBookmaker(bookmakers, books.bookmaker[book]!)) continue
      for (let slot = books.head[book]!; slot !== 0; slot = quotes.nextOf(slot)) {
        if (quotes.observedAtOf(slot) + FRESHNESS_MS > nowAt && !visit(slot)) return false
      }
    }
    return true
  }

  private collect(
    view: EventView,
    transport: TransportNumber,
    seen: BookmakerSet,
    asked: BookmakerSet,
    nowAt: number,
  ): void {
    const { quotes } = this.board
    const { books } = this.board.catalogue
    this.count = 0
    this.oldestAt = Number.POSITIVE_INFINITY
    this.visitFresh(view, transport, seen, nowAt, (slot) => {
      // Also of quotes that are not shown: the market count depends on them, and a 404 when the last of them ages out.
      const observedAt = quotes.observedAtOf(slot)
      if (observedAt < this.oldestAt) this.oldestAt = observedAt
      if (quotes.statusOf(slot) !== QUOTE_STATUS.open) return true
      if (asked !== seen && !hasBookmaker(asked, books.bookmaker[quotes.bookOf(slot)]!)) return true
      if (this.count === this.found.length) this.grow()
      this.found[this.count++] = slot
      return true
    })
  }

  private grow(): void {
    const wider = new Uint32Array(this.found.length * 2)
    wider.set(this.found)
    this.found = wider
    this.sorted = new Uint32Array(wider.length)
  }

  /** A counting sort: stable, so that books stay in order within a market. */
  private sortByMarket(record: EventRecord): void {
    const { placeOfMarket, found, sorted } = this
    const { quotes } = this.board
    const { numbers } = this.board.catalogue
    const markets = numbers.lengthOf(record.markets)
    if (this.starts.length <= markets) this.starts = new Uint32Array(markets * 2)
    const starts = this.starts.fill(0, 0, markets + 1)
    for (let place = 0; place < markets; place++) placeOfMarket[numbers.at(record.markets, place)] = place
    for (let n = 0; n < this.count; n++) starts[placeOfMarket[quotes.marketOf(found[n]!)]! + 1]!++
    for (let place = 0; place < markets; place++) starts[place + 1]! += starts[place]!
    for (let n = 0; n < this.count; n++) {
      const slot = found[n]!
      sorted[starts[placeOfMarket[quotes.marketOf(slot)]!]!++] = slot
    }
  }

  private visitSorted(visitor: OddsVisitor): void {
    const { sorted, count } = this
    const { quotes, catalogue, outcomes } = this.board
    const { markets, books } = catalogue
    for (let start = 0; start < count; ) {
      const market = quotes.marketOf(sorted[start]!)
      const line = markets.line[market]!
      visitor.beginMarket(markets.type[market]!, line === NO_LINE ? null : line)
      while (start < count && quotes.marketOf(sorted[start]!) === market) {
        const book = quotes.bookOf(sorted[start]!)
        let end = start + 1
        while (end < count && quotes.bookOf(sorted[end]!) === book && quotes.marketOf(sorted[end]!) === market) end++
        this.sortOutcomes(start, end)
        visitor.beginBookmaker(books.bookmaker[book]!)
        for (let n = start; n < end; n++) {
          const slot = sorted[n]!
          visitor.outcome(outcomes.jsonOf(quotes.outcomeOf(slot)), quotes.oddsOf(slot), quotes.observedAtOf(slot), slot)
        }
        visitor.endBookmaker()
        start = end
      }
      visitor.endMarket()
    }
  }

  private sortOutcomes(start: number, end: number): void {
    const { sorted } = this
    const { quotes, outcomes } = this.board
    if (end - start > INSERTION_MAX) {
      const keyOf = (slot: number): string => outcomes.sortKeyOf(quotes.outcomeOf(slot))
      sorted.subarray(start, end).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
      return
    }
    for (let n = start + 1; n < end; n++) {
      const slot = sorted[n]!
      const key = outcomes.sortKeyOf(quotes.outcomeOf(slot))
      let place = n
      for (; place > start && outcomes.sortKeyOf(quotes.outcomeOf(sorted[place - 1]!)) > key; place--) {
        sorted[place] = sorted[place - 1]!
      }
      sorted[place] = slot
    }
  }
}
