// The board: the current quote of every outcome at every bookmaker. Outside this folder only the engine, its only
// writer, and the renderers, which get slots for the length of a call, know slots.

import { crc32 } from 'node:zlib'
import type { FeedHealth } from '../domain/feed-health.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { MARKET_TYPES, type MarketType } from '../domain/market.ts'
import { FRESHNESS_MS, QUOTE_STATUS } from '../domain/quote.ts'
import type { TransportNumber } from '../domain/transport.ts'
import { Catalogue } from './catalogue.ts'
import { Endings } from './endings.ts'
import type { EventRecord, KnownSighting } from './event-record.ts'
import { Interner } from './interning.ts'
import { invariant } from './invariant.ts'
import { Origins } from './origins.ts'
import { OutcomeLabels } from './outcome-labels.ts'
import { Producers } from './producers.ts'
import { QuoteIndex } from './quote-index.ts'
import { Quotes } from './quotes.ts'
import { type BoardLimits, type Bound, type Level, Capacity } from './capacity.ts'
import { NEVER, Wheel } from './wheel.ts'

interface LeftBook {
  readonly record: EventRecord
  readonly transport: TransportNumber
  readonly bookmaker: number
  readonly markets: Set<number>
}

/**
 * How quotes, their index and the wheel are saved. 1: each quote was in a bucket of the wheel by itself; none: and there
 * was a column for each field.
 */
const LAYOUT = 2

/** See {@link Board.save}. */
interface BoardNumbers {
  readonly layout?: number
  readonly slotsUsed: number
  readonly freeSlot: number
  readonly leaving: number
  readonly longestBook: number
  readonly counts: readonly [number, number]
  readonly healths: readonly (FeedHealth | undefined)[]
}

/** Rows of each column that are summed up at once: 0.4 MB. */
const ROWS_A_SUM = 4_096

/** Quotes of a new book that are looked through. */
const WALKED_MAX = 16

export class Board {
  readonly quotesMax: number
  readonly capacity: Capacity
  readonly bookmakers = new Interner()
  readonly outcomes: OutcomeLabels
  readonly catalogue: Catalogue
  readonly quotes: Quotes
  readonly producers: Producers
  readonly origins: Origins
  readonly endings: Endings
  /** Health of the bookmakers' sources, by number of the bookmaker, as it was last published. */
  readonly healths: (FeedHealth | undefined)[] = []
  private readonly index: QuoteIndex
  private readonly wheel: Wheel
  // Slots above `slotsUsed` have never been used; freed ones are chained through `next`.
  private slotsUsed = 0
  private freeSlot = 0
  // Slots whose quote was removed early: the wheel frees them when they are due.
  private leaving = 0
  // Books in which quotes have left `open` since the last refresh, with the markets concerned.
  private readonly left = new Map<number, LeftBook>()
  /** Events of which a book has aged out. The engine removes them or names them again, and clears the set. */
  readonly lostBook = new Set<EventRecord>()
  /** The most quotes that a book has ever held: below the bound, no book needs to be checked. */
  longestBook = 0
  /** Quotes on the board, per transport number. Closed ones count: they hold their slot until they age out. */
  readonly counts: [number, number] = [0, 0]

  constructor(limits: BoardLimits, nowAt: number) {
    const { quotesMax } = limits
    this.quotesMax = quotesMax
    this.capacity = new Capacity(limits)
    this.outcomes = new OutcomeLabels(this.capacity.labels)
    this.quotes = new Quotes(quotesMax)
    this.index = new QuoteIndex(this.quotes)
    this.wheel = new Wheel(this.quotes.length, nowAt)
    this.catalogue = new Catalogue(quotesMax, this.bookmakers, this.capacity.events)
    this.producers = new Producers(this.catalogue.books)
    this.origins = new Origins(this.catalogue.books, this.quotes, this.producers)
    this.endings = new Endings(this.catalogue.books, this.capacity.endings)
  }

  /** Sets the time of an empty board. */
  start(at: number): void {
    if (this.slotsUsed === 0) this.wheel.start(at)
  }

  /** The slot of a quote, 0 where there is none. */
  find(market: number, outcome: number, book: number): number {
    return this.index.find(market, outcome, book)
  }

  /** See {@link QuoteIndex.touchSteps}. */
  touchSteps(): Generator<undefined, void> {
    return this.index.touchSteps()
  }

  /**
   * The same of a book that is being filled: its quotes are in rows that were just written, so that the index, which is not,
   * is not asked. A new quote takes 0.92 to 0.95 of what it took, from observation to change.
   */
  findInNewBook(market: number, outcome: number, book: number): number {
    const { quotes } = this
    const { books } = this.catalogue
    if (books.quotes[book]! > WALKED_MAX) return this.index.find(market, outcome, book)
    let slot = books.head[book]!
    while (slot !== 0 && !quotes.is(slot, market, outcome, book)) slot = quotes.nextOf(slot)
    return slot
  }

  /**
   * The slot that was added to a book after `slot`, if it is the quote of this type, line and label, else 0. Sources name
   * the quotes of a book again in the order in which they first did: four columns in rows that are needed anyway, instead
   * of two look-ups and a probe of the index, which waits for memory. A SEND of ten quotes at 8 000 books in random order,
   * frame to MESSAGE: 1.17 times as fast with the log, 1.14 without (medians of pairs, before quotes were rows).
   * @param type by its name, which needs no look-up
   * @param line as in the column
   */
  findAfter(slot: number, type: MarketType, line: number, label: string): number {
    const after = this.quotes.previousOf(slot)
    return after !== 0 && this.isNamed(after, type, line, label) ? after : 0
  }

  /** `slot`, if it is the quote of this type, line and label in a book, else 0. @param slot any */
  findAt(slot: number, book: number, type: MarketType, line: number, label: string): number {
    const { quotes } = this
    if (quotes.bookOf(slot) !== book || quotes.statusOf(slot) === 0) return 0
    return this.isNamed(slot, type, line, label) ? slot : 0
  }

  private isNamed(slot: number, type: MarketType, line: number, label: string): boolean {
    const { quotes, catalogue, outcomes } = this
    const { markets } = catalogue
    const market = quotes.marketOf(slot)
    if (MARKET_TYPES[markets.type[market]!] !== type || markets.line[market] !== line) return false
    return outcomes.textOf(quotes.outcomeOf(slot)) === label
  }

  /**
   * Adds a quote that is not on the board and that fits; the caller writes its status. Returns its slot.
   */
  add(market: number, outcome: number, book: number, odds: number, observedAt: number): number {
    const { quotes, catalogue } = this
    let slot = this.freeSlot
    if (slot !== 0) this.freeSlot = quotes.nextOf(slot)
    else slot = ++this.slotsUsed
    // A row is written before it is read: memory that is read first is given twice, as a page of zeros and then as one to write. A
    // new quote of 100 k took 102 ns, and takes 80.
    quotes.setNames(slot, market, outcome, book)
    invariant(slot <= this.quotesMax && quotes.statusOf(slot) === 0, 'a new quote has a free slot')
    quotes.setOdds(slot, odds)
    quotes.setObservedAt(slot, observedAt)
    const second = catalogue.books.head[book]!
    quotes.setNext(slot, second)
    quotes.setPrevious(slot, 0)
    if (second !== 0) quotes.setPrevious(second, slot)
    catalogue.books.head[book] = slot
    const held = ++catalogue.books.quotes[book]!
    if (held > this.longestBook) this.longestBook = held
    catalogue.markets.quotes[market]!++
    this.counts[catalogue.books.transport[book] as TransportNumber]++
    this.capacity.quotes.add()
    this.capacity.quotes.addOf(catalogue.books.bookmaker[book]!)
    this.outcomes.retain(outcome)
    this.index.insert(slot)
    this.wheel.file(slot, observedAt + FRESHNESS_MS)
    return slot
  }

  /** The bound that keeps a new quote with a label off the board; undefined: none. */
  boundFor(bookmaker: number, label: string): Bound | undefined {
    const { quotes, labels } = this.capacity
    const bound = quotes.boundFor(bookmaker)
    return bound === undefined && this.outcomes.find(label) === 0 ? labels.boundFor(bookmaker) : bound
  }

  /** A line for the log. */
  levelText(level: Level): string {
    return this.capacity.levelText(level, this.bookmakers.textOf(level.bookmaker))
  }

  /** Up to this time (exclusive) no quote can age out. Epoch ms. */
  get quietUntil(): number {
    return this.wheel.quietUntil
  }

  /**
   * Checks the true deadlines of the quotes that may be due.
   * @param ageOut is called for each that has aged out, before its slot is freed. Returns whether it really has: a
   * pending statement, applied first, may have given it a later time
   * @returns whether all that is due at `nowAt` is gone; if not, call again
   */
  advance(nowAt: number, visitsMax: number, ageOut: (slot: number) => boolean): boolean {
    const { quotes, catalogue } = this
    const deadlineOf = (from: number, end: number): number => quotes.firstObservedAt(from, end) + FRESHNESS_MS
    const visit = (slot: number): number => {
      if (quotes.statusOf(slot) === 0) {
        invariant(--this.leaving >= 0, 'a slot in the wheel is in use, or was removed early')
        this.free(slot, quotes.marketOf(slot))
        return NEVER
      }
      if (!ageOut(slot)) {
        const dueAt = quotes.observedAtOf(slot) + FRESHNESS_MS
        invariant(dueAt > nowAt, 'a quote that is due ages out')
        return dueAt
      }
      const book = quotes.bookOf(slot)
      const bookmaker = catalogue.books.bookmaker[book]!
      const record = catalogue.eventOfBook(book)
      this.remove(slot)
      this.free(slot, bookmaker)
      if (!catalogue.isBook(book)) this.lostBook.add(record)
      return NEVER
    }
    const isDone = this.wheel.advance(nowAt, visitsMax, visit, deadlineOf)
    this.refreshOpen()
    return isDone
  }

  /** Notes that a quote has left `open`, or the board. {@link refreshOpen} follows, once for all of them. */
  noteLeft(slot: number): void {
    const { quotes } = this
    const { books } = this.catalogue
    const number = quotes.bookOf(slot)
    let left = this.left.get(number)
    if (left === undefined) {
      left = {
        record: this.catalogue.eventOfBook(number),
        transport: books.transport[number] as TransportNumber,
        bookmaker: books.bookmaker[number]!,
        markets: new Set(),
      }
      this.left.set(number, left)
    }
    left.markets.add(quotes.marketOf(slot))
  }

  /** Updates the catalogue's bits for the quotes that have left `open`: one walk of each book concerned. */
  refreshOpen(): void {
    if (this.left.size === 0) return
    const { quotes, catalogue } = this
    for (const [book, { record, transport, bookmaker, markets }] of this.left) {
      let slot = catalogue.isBook(book) ? catalogue.books.head[book]! : 0
      for (; slot !== 0 && markets.size > 0; slot = quotes.nextOf(slot)) {
        if (quotes.statusOf(slot) === QUOTE_STATUS.open) markets.delete(quotes.marketOf(slot))
      }
      for (const market of markets) {
        if (catalogue.isMarket(market)) catalogue.setOpen(record, market, transport, bookmaker, false)
      }
    }
    this.left.clear()
  }

  /**
   * Removes a quote before it ages out. Market and book are removed with their last quote; the event, which may have
   * none left, is the caller's to remove. Until it is due in the wheel, the slot counts as its bookmaker's: events that
   * are merged later must not give a source twice its share.
   */
  removeEarly(slot: number): void {
    const { quotes, catalogue } = this
    const bookmaker = catalogue.books.bookmaker[quotes.bookOf(slot)]!
    this.remove(slot)
    quotes.setMarket(slot, bookmaker)
    this.leaving++
  }

  /** Whether a sighting was the last to set some quote of its event. */
  hasQuote({ record, number }: KnownSighting): boolean {
    const { quotes, catalogue, origins } = this
    return catalogue.booksOf(record).some((book) => {
      if (!origins.mayBeOfSighting(book, number)) return false
      let slot = catalogue.books.head[book]!
      while (slot !== 0 && origins.of(book, slot).sighting !== number) slot = quotes.nextOf(slot)
      return slot !== 0
    })
  }

  /** Removes an event without quotes, with its endings. */
  removeEvent(record: EventRecord): void {
    this.endings.forget(record)
    this.catalogue.removeEvent(record)
  }

  private free(slot: number, bookmaker: number): void {
    this.capacity.quotes.remove()
    this.capacity.quotes.removeOf(bookmaker)
    this.quotes.setBook(slot, 0)
    this.quotes.setNext(slot, this.freeSlot)
    this.freeSlot = slot
  }

  /** Removes a quote from the index and the chains; market and book are removed with their last quote. */
  private remove(slot: number): void {
    const { quotes, catalogue } = this
    const book = quotes.bookOf(slot)
    const market = quotes.marketOf(slot)
    invariant(quotes.statusOf(slot) !== 0, 'a quote is removed once')
    if (quotes.statusOf(slot) === QUOTE_STATUS.open) this.noteLeft(slot)
    const record = catalogue.eventOfBook(book)
    const transport = catalogue.books.transport[book] as TransportNumber
    this.index.remove(slot)
    this.unchain(slot, book)
    const left = --catalogue.books.quotes[book]!
    invariant((left === 0) === (catalogue.books.head[book] === 0), 'a book counts its quotes')
    this.origins.forget(book, slot)
    quotes.setStatus(slot, 0)
    this.counts[transport]--
    this.outcomes.release(quotes.outcomeOf(slot))
    catalogue.reshape(record, transport)
    if (--catalogue.markets.quotes[market]! === 0) catalogue.removeMarket(record, market)
    if (left === 0) {
      const bookmaker = catalogue.books.bookmaker[book]!
      this.endings.forgetBook(record, bookmaker, transport)
      catalogue.removeBook(record, book)
      this.origins.forgetBook(book)
    }
  }

  /** Checks, at the end of a turn, what can be checked without visiting quotes or events. */
  checkTurn(): void {
    const { capacity, counts, catalogue, outcomes } = this
    invariant(counts[0] >= 0 && counts[1] >= 0 && this.leaving >= 0, 'no count of quotes is negative')
    invariant(counts[0] + counts[1] + this.leaving === capacity.quotes.held, 'each slot in use is counted once')
    invariant(
      capacity.quotes.held <= this.slotsUsed && this.slotsUsed <= this.quotesMax,
      'no more slots than there are',
    )
    invariant(catalogue.eventCount === capacity.events.held, 'each event is listed once')
    invariant(outcomes.size === capacity.labels.held, 'each label is counted once')
    invariant(
      this.left.size + this.lostBook.size + catalogue.names.idMoves.length === 0,
      'a turn leaves nothing undone',
    )
  }

  /** A checksum of some thousand rows of quotes, books and markets: with each round of the next ones, again and again. */
  checksum(round: number): number {
    const { quotes, catalogue, slotsUsed } = this
    const slices = Math.floor(slotsUsed / ROWS_A_SUM) + 1
    const from = (round % slices) * ROWS_A_SUM
    let sum = slotsUsed
    const others = [catalogue.books, catalogue.markets].flatMap((columns) => Object.values(columns))
    const rows = others.map((column) => column.subarray(from, from + ROWS_A_SUM))
    for (const { buffer, byteOffset, byteLength } of [...quotes.columns(from, from + ROWS_A_SUM), ...rows]) {
      sum = crc32(Buffer.from(buffer, byteOffset, byteLength), sum)
    }
    return sum
  }

  /**
   * Between two turns: {@link checkTurn} holds. What readers and caches keep of the board is not saved: it follows from
   * the board, or is of this process.
   */
  save(image: ImageWriter): void {
    const { slotsUsed, freeSlot, leaving, longestBook, counts, healths } = this
    image.value('board', {
      layout: LAYOUT,
      slotsUsed,
      freeSlot,
      leaving,
      longestBook,
      counts: [...counts],
      healths: Array.from(healths),
    })
    this.capacity.save(image, this.bookmakers.size + 1)
    this.bookmakers.save(image, 'bookmakers')
    this.outcomes.save(image, 'labels')
    this.quotes.save(image, slotsUsed)
    this.index.save(image, slotsUsed)
    this.wheel.save(image, slotsUsed)
    this.catalogue.save(image)
    this.producers.save(image)
    this.origins.save(image)
    this.endings.save(image)
  }

  /** Into a board without quotes, whose limits may be others. Throws ImageFault where they are too small. */
  load(image: ImageReader): void {
    invariant(this.slotsUsed === 0 && this.bookmakers.size === 0, 'an image is loaded into an empty board')
    const { layout, counts, healths, ...numbers } = image.value('board') as BoardNumbers
    Object.assign(this, numbers)
    Object.assign(this.counts, counts)
    for (const health of healths) this.healths.push(health)
    this.capacity.load(image)
    this.bookmakers.load(image, 'bookmakers')
    this.outcomes.load(image, 'labels')
    if (layout === LAYOUT) {
      this.quotes.load(image)
      this.index.load(image, this.slotsUsed, true)
      this.wheel.load(image)
    } else {
      const timer = layout === 1 ? this.quotes.loadWithTimer(image) : this.quotes.loadColumns(image)
      this.index.load(image, this.slotsUsed, layout === 1)
      image.settle()
      this.refile(this.wheel.loadSlots(image, timer))
    }
    this.catalogue.load(image)
    this.producers.load(image)
    this.origins.load(image)
    this.endings.load(image, (number) => this.catalogue.recordOf(number)!)
  }

  /** @param filed by slot: whether it was in the wheel of an earlier version; the others are free */
  private refile(filed: Uint8Array): void {
    for (let slot = 1; slot <= this.slotsUsed; slot++) {
      if (filed[slot] === 1) this.wheel.file(slot, this.quotes.observedAtOf(slot) + FRESHNESS_MS)
      else this.quotes.setBook(slot, 0)
    }
  }

  private unchain(slot: number, book: number): void {
    const { quotes } = this
    const after = quotes.nextOf(slot)
    const before = quotes.previousOf(slot)
    if (before === 0) this.catalogue.books.head[book] = after
    else quotes.setNext(before, after)
    if (after !== 0) quotes.setPrevious(after, before)
  }
}
