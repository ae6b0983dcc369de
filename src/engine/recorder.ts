// The recorder: compares observations with the board, and writes them. Only it writes prices, on behalf of the engine.

import { MARKET_TYPE_NUMBER, MARKET_TYPES } from '../domain/market.ts'
import type { Observation, Price } from '../domain/observation.ts'
import { CHANGE, FRESHNESS_MS, QUOTE_STATUS, QUOTE_STATUSES, type QuoteStatusNumber } from '../domain/quote.ts'
import { TRANSPORT_NUMBER, type TransportNumber } from '../domain/transport.ts'
import { swapLine, swapOutcome } from '../domain/swapping.ts'
import type { Board } from '../board/board.ts'
import { columnLine } from '../board/catalogue.ts'
import { NO_LINE } from '../board/columns.ts'
import type { BookPlace, Ending } from '../board/endings.ts'
import type { EventRecord, LastFound } from '../board/event-record.ts'
import { BOUNDS, type Bound } from '../board/capacity.ts'
import type { Origin } from '../board/origins.ts'
import { HELD, saidOf } from '../board/status.ts'
import type { Transitions } from './transitions.ts'
import type { Walks } from './walks.ts'

/** What became of prices since the start. */
export interface PriceCounts {
  /** Prices older than what the board holds. */
  older: number
  /** Prices that are not on the board and add nothing to it: first seen closed, or without odds. */
  unpriced: number
  /** Prices that did not fit on the board. */
  full: number
  /** The same, by the bound that refused them. */
  readonly refused: Record<(typeof BOUNDS)[number], number>
}

/** Quotes of a book that moves to another event. */
interface MovedQuotes {
  readonly observedAt: number
  readonly origin: Origin
  /** Status bits beside the source's own status, see status.ts. */
  readonly bits: number
  readonly prices: Price[]
}

const { closed: CLOSED } = QUOTE_STATUS

export class Recorder {
  readonly counts: PriceCounts = {
    older: 0,
    unpriced: 0,
    full: 0,
    refused: Object.fromEntries(BOUNDS.map((bound) => [bound, 0])) as PriceCounts['refused'],
  }
  /** The bound that refused the last price. */
  lastBound: Bound = 'quotes'
  private readonly board: Board
  private readonly transitions: Transitions
  private readonly walks: Walks
  // Slots that the current observation names.
  private readonly named = new Set<number>()

  constructor(board: Board, transitions: Transitions, walks: Walks) {
    this.board = board
    this.transitions = transitions
    this.walks = walks
  }

  /**
   * Records one transport of an observation. Returns how many prices did not fit; they are counted. Quotes that are on
   * the board are updated however full it is.
   * @param source of the origin
   * @param found where to look first; keeps where it was found
   * @param moved undefined: an observation. Else the quotes are moved within the board, with these status bits
   * (status.ts), which they keep; closed ones keep their slot
   */
  record(
    record: EventRecord,
    bookmaker: number,
    transport: TransportNumber,
    observation: Pick<Observation, 'observedAt' | 'prices' | 'others'>,
    origin: Origin,
    source: number,
    nowAt: number,
    found: LastFound | undefined = undefined,
    moved: number | undefined = undefined,
  ): number {
    const { board, named } = this
    const isMoved = moved !== undefined
    const { catalogue } = board
    const { observedAt, others } = observation
    const prices = origin.swapped ? observation.prices.map(swapped) : observation.prices
    const knownBook =
      found !== undefined && catalogue.isBookOf(found.book, record, bookmaker, transport)
        ? found.book
        : catalogue.findBook(record, bookmaker, transport)
    // Without a slot there is no book either.
    const bound = knownBook !== 0 || isMoved ? undefined : board.capacity.quotes.boundFor(bookmaker)
    if (knownBook === 0 && (prices.length === 0 || bound !== undefined)) {
      if (others !== 'keep') {
        const ending = { at: observedAt, to: QUOTE_STATUS[others], sighting: origin.sighting }
        this.noteEnding({ record, bookmaker, transport, book: 0 }, source, ending)
      }
      return bound === undefined ? 0 : this.miss(bound, prices)
    }
    if (knownBook !== 0) this.walks.catchUp(knownBook, nowAt)
    if (transport === TRANSPORT_NUMBER.live) this.transitions.onBeforeChange?.(record)
    const book = knownBook === 0 ? catalogue.addBook(record, bookmaker, transport) : knownBook
    board.origins.setBook(book, origin)
    let isNewBook = knownBook === 0
    const namesOthers = others !== 'keep'
    let name = ''
    let line = Number.NaN
    let market = 0
    let missed = 0
    let slot = 0
    // Where the last observation began: two look-ups and a probe of the index less.
    const expected = found?.first ?? 0
    let first = 0
    for (const price of prices) {
      const priceLine = columnLine(price.line)
      // Prices of one market are adjacent, so that most of them find it here.
      const isSameMarket = price.type === name && priceLine === line
      if (!isSameMarket) {
        name = price.type
        line = priceLine
      }
      slot =
        slot === 0
          ? board.findAt(expected, book, price.type, line, price.outcome)
          : board.findAfter(slot, price.type, line, price.outcome)
      if (slot !== 0) market = board.quotes.marketOf(slot)
      else {
        if (!isSameMarket || market === 0) market = catalogue.findMarket(record, MARKET_TYPE_NUMBER.get(name)!, line)
        const outcome = market === 0 ? 0 : board.outcomes.find(price.outcome)
        if (outcome === 0) slot = 0
        else if (knownBook === 0) slot = board.findInNewBook(market, outcome, book)
        else slot = board.find(market, outcome, book)
      }
      if (slot === 0) {
        if (price.odds === null || (price.status === 'closed' && !isMoved)) {
          this.counts.unpriced++
          continue
        }
        // Moved quotes were on the board when the others were ended: they have their status already.
        const ending = isMoved
          ? undefined
          : board.endings.after({ record, bookmaker, transport, book }, source, observedAt)
        if (ending?.to === CLOSED) {
          this.counts.older++
          continue
        }
        // The capacity for moved quotes was checked before.
        const fullBy = isMoved ? undefined : board.boundFor(bookmaker, price.outcome)
        if (fullBy !== undefined) {
          missed++
          this.countMissed(fullBy, 1)
          continue
        }
        if (market === 0) market = catalogue.addMarket(record, MARKET_TYPE_NUMBER.get(name)!, line)
        const { at: seenAt, to: status } = ending ?? { at: observedAt, to: QUOTE_STATUS[price.status] }
        const label = board.outcomes.intern(price.outcome, bookmaker)
        slot = board.add(market, label, book, price.odds, seenAt)
        if (isNewBook) {
          isNewBook = false
          if (transport === TRANSPORT_NUMBER.live) this.transitions.notifyBook(record, bookmaker, true, nowAt)
        }
        board.origins.note(book, slot, origin)
        this.transitions.setStatus(slot, status | (moved ?? origin.doubt ?? 0), nowAt)
      } else if (this.update(record, slot, book, price, observedAt, source, origin.doubt ?? 0, nowAt, moved)) {
        board.origins.note(book, slot, origin)
      }
      if (first === 0) first = slot
      if (namesOthers) named.add(slot)
    }
    if (found !== undefined) {
      found.book = book
      found.first = first
    }
    if (namesOthers) {
      this.end(book, others, source, observedAt, nowAt)
      named.clear()
      const isLeft = catalogue.books.head[book] !== 0
      const ending = { at: observedAt, to: QUOTE_STATUS[others], sighting: origin.sighting }
      this.noteEnding({ record, bookmaker, transport, book: isLeft ? book : 0 }, source, ending)
    }
    board.refreshOpen()
    if (catalogue.books.head[book] === 0) {
      catalogue.removeBook(record, book)
      board.origins.forgetBook(book)
    } else catalogue.touch(record, transport)
    return missed
  }

  /** Counts prices of which none is on the board and none fits. Returns how many would have been quotes. */
  miss(bound: Bound, prices: readonly Price[]): number {
    const missed = prices.reduce((count, price) => count + (isWorthKeeping(price) ? 1 : 0), 0)
    this.counts.unpriced += prices.length - missed
    if (missed > 0) this.countMissed(bound, missed)
    return missed
  }

  /** Counts the prices of an observation that is refused because a book would be too long. */
  missWhole(count: number): void {
    this.counts.full += count
    this.counts.refused.book_quotes += count
  }

  private countMissed(bound: Bound, count: number): void {
    this.lastBound = bound
    this.counts.full += count
    this.counts.refused[bound] += count
  }

  /**
   * Moves the quotes of a book to the book of the same bookmaker and transport at another event: they are removed here
   * and recorded there with their own times, where the newest wins. All of them must fit on the board.
   * @param sightings only quotes that these set last; undefined: all
   */
  moveBook(
    book: number,
    into: EventRecord,
    isSwapped: boolean,
    nowAt: number,
    sightings: ReadonlySet<number> | undefined = undefined,
  ): void {
    const { board } = this
    const { quotes, catalogue, outcomes } = board
    const { books, markets } = catalogue
    this.walks.catchUp(book, nowAt)
    const bookmaker = books.bookmaker[book]!
    const transport = books.transport[book] as TransportNumber
    // The book may be removed with its last quote, and its endings with it.
    const endings = board.endings.of({ record: catalogue.eventOfBook(book), bookmaker, transport, book })
    const slots: number[] = []
    for (let slot = books.head[book]!; slot !== 0; slot = quotes.nextOf(slot)) {
      if (sightings === undefined || sightings.has(board.origins.of(book, slot).sighting)) slots.push(slot)
    }
    // Quotes of one time, one origin and the same status bits.
    const groups = new Map<string, MovedQuotes>()
    // The newest is first in the chain; the order must stay the same.
    for (const slot of slots.reverse()) {
      const observedAt = quotes.observedAtOf(slot)
      const status = quotes.statusOf(slot)
      this.transitions.leave(slot, nowAt)
      if (observedAt + FRESHNESS_MS > nowAt) {
        const line = markets.line[quotes.marketOf(slot)]!
        const origin = { ...board.origins.of(book, slot), swapped: isSwapped }
        const said = saidOf(status)
        // In a merge, the event inherits the id that an operator may have suspended.
        const bits = (status ^ said) & (sightings === undefined ? ~0 : ~HELD)
        const key = `${observedAt} ${origin.producer} ${origin.sighting} ${bits}`
        const group: MovedQuotes = groups.get(key) ?? { observedAt, origin, bits, prices: [] }
        groups.set(key, group)
        group.prices.push({
          type: MARKET_TYPES[markets.type[quotes.marketOf(slot)]!]!,
          line: line === NO_LINE ? null : line,
          outcome: outcomes.textOf(quotes.outcomeOf(slot)),
          odds: quotes.oddsOf(slot),
          status: QUOTE_STATUSES[said - 1]!,
        })
      }
      board.removeEarly(slot)
    }
    board.refreshOpen()
    for (const { observedAt, origin, bits, prices } of groups.values()) {
      const source = board.producers.sourceOf(origin.producer)
      const observation = { observedAt, prices, others: 'keep' } as const
      this.record(into, bookmaker, transport, observation, origin, source, nowAt, undefined, bits)
    }
    const there = catalogue.findBook(into, bookmaker, transport)
    for (const [source, ending] of endings) {
      this.noteEnding({ record: into, bookmaker, transport, book: there }, source, ending)
    }
  }

  /**
   * Compares a price with its quote, writes it, and appends the changes. Returns whether the price was applied.
   * @param source that observed it
   * @param doubt see {@link Origin}
   * @param moved see {@link record}
   */
  private update(
    record: EventRecord,
    slot: number,
    book: number,
    price: Price,
    observedAt: number,
    source: number,
    doubt: number,
    nowAt: number,
    moved: number | undefined,
  ): boolean {
    const { quotes, catalogue } = this.board
    let status: QuoteStatusNumber = QUOTE_STATUS[price.status]
    let validAt = observedAt
    const seenAt = quotes.observedAtOf(slot)
    if (seenAt + FRESHNESS_MS <= nowAt) {
      this.transitions.retire(slot, nowAt)
      if (price.status === 'closed' || price.odds === null) {
        this.counts.unpriced++
        return false
      }
    }
    const before = quotes.statusOf(slot)
    // A closed quote is added again only with a newer time (docs/feeds.md 2.8); else of equal times the later arrival
    // wins.
    if (observedAt < seenAt || (observedAt === seenAt && before === CLOSED && status !== CLOSED)) {
      this.counts.older++
      return false
    }
    // A closed quote keeps its time when its book is ended later, so that it ages out; and an ending by one source does
    // not cover a quote that another source set last. So the endings are checked here.
    if (status !== CLOSED && moved === undefined && this.board.endings.mayBeAfter(record, book, observedAt)) {
      const { books } = catalogue
      const transport = books.transport[book] as TransportNumber
      const place = { record, bookmaker: books.bookmaker[book]!, transport, book }
      const ending = this.board.endings.after(place, source, observedAt)
      if (ending?.to === CLOSED) {
        this.counts.older++
        return false
      }
      if (ending !== undefined) {
        status = ending.to
        validAt = ending.at
      }
    }
    const { odds } = price
    const repriced = odds !== null && quotes.setOdds(slot, odds)
    quotes.setObservedAt(slot, validAt)
    const given = status === CLOSED ? CLOSED : status | (moved ?? doubt)
    const isChanged = !this.transitions.isSettled(before, given) && this.transitions.setStatus(slot, given, nowAt)
    if (repriced && !isChanged && status !== CLOSED) this.transitions.append(CHANGE.repriced, slot, nowAt, 0, odds)
    return true
  }

  /** Remembers what an observation said of the quotes that it did not name: it holds for prices that arrive late. */
  private noteEnding(place: BookPlace, source: number, ending: Ending): void {
    const bound = this.board.endings.note(place, source, ending)
    if (bound !== undefined) this.counts.refused[bound]++
  }

  /** Suspends or closes the quotes of a book that the same source set and the observation does not name. */
  private end(book: number, others: 'suspended' | 'closed', source: number, observedAt: number, nowAt: number): void {
    const { quotes, catalogue } = this.board
    const status = QUOTE_STATUS[others]
    for (let slot = catalogue.books.head[book]!; slot !== 0; slot = quotes.nextOf(slot)) {
      if (quotes.statusOf(slot) === CLOSED || this.named.has(slot)) continue
      if (!this.board.origins.isOfSource(book, slot, source)) continue
      if (quotes.observedAtOf(slot) + FRESHNESS_MS <= nowAt) {
        this.transitions.retire(slot, nowAt)
        continue
      }
      if (observedAt < quotes.observedAtOf(slot)) {
        this.counts.older++
        continue
      }
      quotes.setObservedAt(slot, observedAt)
      this.transitions.setStatus(slot, status, nowAt)
    }
  }
}

/** Whether a price that is not on the board becomes a quote. */
export const isWorthKeeping = ({ status, odds }: Price): boolean => status !== 'closed' && odds !== null

export const swapped = (price: Price): Price => ({
  ...price,
  line: swapLine(price.type, price.line),
  outcome: swapOutcome(price.type, price.outcome),
})
