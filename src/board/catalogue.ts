// The catalogue: the events on the board, with their markets and books.

import type { Event } from '../domain/event.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { readColumn } from '../domain/image-columns.ts'
import type { EventSighting } from '../domain/observation.ts'
import { SPORT_NUMBER } from '../domain/sport.ts'
import type { TransportNumber } from '../domain/transport.ts'
import {
  allocateBooks,
  allocateMarkets,
  type BookColumns,
  loadColumns,
  type MarketColumns,
  NEVER_ENDED,
  NO_LINE,
  saveColumns,
} from './columns.ts'
import { EventLists } from './event-lists.ts'
import { EventNames } from './event-names.ts'
import { EventRecord } from './event-record.ts'
import type { Interner } from './interning.ts'
import { invariant } from './invariant.ts'
import type { LoadedSightings } from './loaded-sightings.ts'
import { NumberLists } from '../domain/number-lists.ts'
import { OpenMarkets } from './open-markets.ts'
import { loadRecords, saveRecords } from './record-image.ts'
import { Versions } from './versions.ts'
import type { Holding } from './capacity.ts'

/**
 * How events are saved. 1: with the tables of their names, and identities only where they are not those of the names; none:
 * without tables, and with all identities.
 */
const LAYOUT = 1

/** What earlier versions have saved for {@link NEVER_ENDED}. */
const NEVER_ENDED_BEFORE = Number.NEGATIVE_INFINITY

/** Of a quote alone in its market and its book, two lists of one number. */
const LIST_WORDS_A_QUOTE = 4

export class Catalogue {
  readonly books: BookColumns
  readonly markets: MarketColumns
  readonly names: EventNames
  /** Of the answers about each event. */
  readonly versions = new Versions()
  readonly lists = new EventLists()
  /** The markets and books of each event. */
  readonly numbers: NumberLists
  readonly open: OpenMarkets
  /** Those of an image, for whoever loads the rest of it; undefined: none is being loaded. */
  loadedSightings: LoadedSightings | undefined
  private readonly bookmakers: Interner
  private readonly capacity: Holding
  private readonly records: (EventRecord | undefined)[] = [undefined]
  private readonly freeRecords: number[] = []
  private booksUsed = 0
  private freeBook = 0
  private marketsUsed = 0
  private freeMarket = 0

  /** @param capacity counts the events, and those at which a bookmaker has a quote */
  constructor(quotesMax: number, bookmakers: Interner, capacity: Holding) {
    this.bookmakers = bookmakers
    this.capacity = capacity
    this.books = allocateBooks(quotesMax)
    this.markets = allocateMarkets(quotesMax)
    this.open = new OpenMarkets(this.markets.type.length)
    this.numbers = new NumberLists(LIST_WORDS_A_QUOTE * quotesMax)
    this.names = new EventNames(this.records)
  }

  // --- reading

  get eventCount(): number {
    return this.lists.size
  }

  eventOfBook(book: number): EventRecord {
    return this.records[this.books.event[book]!]!
  }

  findBook(record: EventRecord, bookmaker: number, transport: TransportNumber): number {
    const { books } = this
    const { words } = this.numbers
    const last = record.books + words[record.books]!
    for (let place = record.books + 1; place <= last; place++) {
      const book = words[place]!
      if (books.bookmaker[book] === bookmaker && books.transport[book] === transport) return book
    }
    return 0
  }

  /** Whether a number is that of the book that {@link findBook} finds. */
  isBookOf(book: number, record: EventRecord, bookmaker: number, transport: TransportNumber): boolean {
    const { books } = this
    return (
      books.event[book] === record.number && books.bookmaker[book] === bookmaker && books.transport[book] === transport
    )
  }

  /** Reads what an observation needs of a book, to have it in the cache. @returns anything */
  read(book: number): number {
    const { event, bookmaker, transport, head, producer, sighting, endedAt } = this.books
    const names = event[book]! + bookmaker[book]! + transport[book]! + head[book]!
    return names + producer[book]! + sighting[book]! + endedAt[book]!
  }

  /** The books of an event, by bookmaker slug; of one bookmaker, rest before live. A copy. */
  booksOf(record: EventRecord): number[] {
    return this.numbers.numbersOf(record.books)
  }

  /** The markets of an event by type, then line (none first). A copy. */
  marketsOf(record: EventRecord): number[] {
    return this.numbers.numbersOf(record.markets)
  }

  /** Numbers of the bookmakers that have a book at an event. */
  bookmakersOf(record: EventRecord, transport: TransportNumber): number[] {
    const { books } = this
    return this.booksOf(record)
      .filter((book) => books.transport[book] === transport)
      .map((book) => books.bookmaker[book]!)
  }

  /** The event of a number, undefined where there is none. The number of an event that is gone is reused. */
  recordOf(number: number): EventRecord | undefined {
    return this.records[number]
  }

  /** All events have numbers below this. */
  get recordsEnd(): number {
    return this.records.length
  }

  /** The market of a type and line, 0 where the event has none. `line` as in the column. */
  findMarket(record: EventRecord, type: number, line: number): number {
    const place = this.placeOfMarket(record, type, line)
    if (place === this.numbers.lengthOf(record.markets)) return 0
    const market = this.numbers.at(record.markets, place)
    return this.markets.type[market] === type && this.markets.line[market] === line ? market : 0
  }

  /** Whether a number is that of a current book, or market. */
  isBook(book: number): boolean {
    return this.books.event[book] !== 0
  }

  isMarket(market: number): boolean {
    return this.markets.event[market] !== 0
  }

  // --- writing (the engine only)

  addBook(record: EventRecord, bookmaker: number, transport: TransportNumber): number {
    const { books } = this
    this.open.widen(bookmaker)
    if (!this.isQuotedBy(record, bookmaker)) this.capacity.addOf(bookmaker)
    let book = this.freeBook
    if (book === 0) book = ++this.booksUsed
    else {
      this.freeBook = books.head[book]!
      books.head[book] = 0
      books.producer[book] = 0
      books.sighting[book] = 0
      books.endedAt[book] = NEVER_ENDED
    }
    // A number that was never used is of zeros. They are not written: the system gives no memory for them.
    invariant(book < books.head.length && books.quotes[book] === 0, 'a book for every quote is enough')
    books.event[book] = record.number
    books.bookmaker[book] = bookmaker
    books.transport[book] = transport
    const slug = this.bookmakers.textOf(bookmaker)
    const { numbers } = this
    const length = numbers.lengthOf(record.books)
    let place = 0
    for (; place < length; place++) {
      const other = numbers.at(record.books, place)
      const otherSlug = this.bookmakers.textOf(books.bookmaker[other]!)
      if (otherSlug > slug || (otherSlug === slug && books.transport[other]! > transport)) break
    }
    record.books = numbers.insert(record.books, place, book)
    return book
  }

  /** Removes a book without quotes. */
  removeBook(record: EventRecord, book: number): void {
    const bookmaker = this.books.bookmaker[book]!
    record.books = this.without(record.books, book)
    if (!this.isQuotedBy(record, bookmaker)) this.capacity.removeOf(bookmaker)
    this.books.event[book] = 0
    this.books.head[book] = this.freeBook
    this.freeBook = book
  }

  addMarket(record: EventRecord, type: number, line: number): number {
    const { markets } = this
    let market = this.freeMarket
    if (market === 0) market = ++this.marketsUsed
    else {
      this.freeMarket = markets.quotes[market]!
      markets.quotes[market] = 0
    }
    invariant(market < markets.quotes.length, 'a market for every quote is enough')
    markets.event[market] = record.number
    markets.type[market] = type
    markets.line[market] = line
    this.open.clear(market)
    record.markets = this.numbers.insert(record.markets, this.placeOfMarket(record, type, line), market)
    return market
  }

  /** Removes a market without quotes. */
  removeMarket(record: EventRecord, market: number): void {
    record.markets = this.without(record.markets, market)
    this.markets.event[market] = 0
    this.markets.quotes[market] = this.freeMarket
    this.freeMarket = market
    this.touchAll(record)
  }

  /** Notes that a bookmaker has (or no longer has) an open quote in a market. */
  setOpen(record: EventRecord, market: number, transport: TransportNumber, bookmaker: number, isOpen: boolean): void {
    if (this.open.set(market, transport, bookmaker, isOpen)) this.lists.touch(record, transport)
  }

  /** Adds an event. `key` distinguishes it from another one of the same spelling. */
  addEvent(sighting: EventSighting, key: string): EventRecord {
    const { sport, home, away, kickoffAt } = sighting
    const { id, ownIdentity } = this.names.newNames(sighting, key)
    const { leagueKey, leagueName } = this.lists.sharedNames(sighting)
    const event = { id, sport, leagueKey, leagueName, homeTeam: home, awayTeam: away, kickoffAt }
    const number = this.freeRecords.pop() ?? this.records.length
    const record = new EventRecord(number, event, SPORT_NUMBER.get(sport)!, ownIdentity)
    this.records[record.number] = record
    this.names.add(record)
    this.capacity.add()
    this.lists.add(record)
    this.touchAll(record)
    return record
  }

  /** Renames and reschedules an event; its id stays. `key` distinguishes it from another one of the same spelling. */
  renameEvent(record: EventRecord, next: Event, key: string): void {
    this.lists.remove(record)
    this.names.rename(record, next, key)
    this.lists.add(record)
    this.touchAll(record)
  }

  /** Removes an event without books. */
  removeEvent(record: EventRecord): void {
    invariant(record.books === 0 && record.markets === 0, 'an event without quotes has no book, no market')
    this.names.remove(record)
    this.lists.remove(record)
    this.capacity.remove()
    this.records[record.number] = undefined
    this.freeRecords.push(record.number)
    this.touchAll(record)
  }

  /**
   * Removes an event without books that was merged into another: its ids lead there.
   * @param isSwapped whether it has swapped sides
   */
  replaceEvent(record: EventRecord, by: EventRecord, isSwapped: boolean): void {
    this.removeEvent(record)
    // Without a source id, a sighting with swapped sides cannot be distinguished from one without.
    const identities = isSwapped ? [] : [record.identity, ...record.formerIdentities]
    this.names.addFormer(by, [record.event.id, ...record.formerIds], identities)
  }

  /** Notes that an answer about the event may have changed, by odds and times: what else has changed is noted by {@link reshape}. */
  touch(record: EventRecord, transport: TransportNumber): void {
    this.versions.touch(record, transport)
  }

  /** Notes that an answer about the event may have changed by more than the odds and times of its quotes. */
  reshape(record: EventRecord, transport: TransportNumber): void {
    this.versions.reshape(record, transport)
  }

  /** The versions are of this process: they are keys of its caches. */
  save(image: ImageWriter): void {
    const { booksUsed, freeBook, marketsUsed, freeMarket, records, freeRecords } = this
    image.value('catalogue', [booksUsed, freeBook, marketsUsed, freeMarket, records.length, LAYOUT])
    saveColumns(image, 'books', this.books, booksUsed)
    saveColumns(image, 'markets', this.markets, marketsUsed)
    this.open.save(image)
    // The last one is used first.
    image.column('events free', Uint32Array.from(freeRecords))
    saveRecords(image, records, this.numbers)
    this.names.save(image)
    this.lists.save(image)
  }

  load(image: ImageReader): void {
    const numbers = image.value('catalogue') as [number, number, number, number, number, number | undefined]
    const [booksUsed, freeBook, marketsUsed, freeMarket, recordsEnd, layout] = numbers
    Object.assign(this, { booksUsed, freeBook, marketsUsed, freeMarket })
    loadColumns(image, 'books', this.books)
    const { endedAt } = this.books
    for (let book = 1; book <= booksUsed; book++) if (endedAt[book] === NEVER_ENDED_BEFORE) endedAt[book] = NEVER_ENDED
    loadColumns(image, 'markets', this.markets)
    this.open.load(image)
    for (const number of readColumn(image, 'events free', Uint32Array)) this.freeRecords.push(number)
    while (this.records.length < recordsEnd) this.records.push(undefined)
    this.loadedSightings = loadRecords(image, this.records, this.numbers, layout !== LAYOUT)
    this.versions.reshapeAll(recordsEnd)
    if (layout === LAYOUT) this.names.load(image)
    else this.names.build()
    this.lists.load(image, this.records)
  }

  // --- inside

  private touchAll(record: EventRecord): void {
    for (const transport of [0, 1] as const) {
      this.reshape(record, transport)
      this.lists.touch(record, transport)
    }
  }

  private isQuotedBy(record: EventRecord, bookmaker: number): boolean {
    const { books } = this
    const { words } = this.numbers
    const last = record.books + words[record.books]!
    for (let place = record.books + 1; place <= last; place++)
      if (books.bookmaker[words[place]!] === bookmaker) return true
    return false
  }

  private placeOfMarket(record: EventRecord, type: number, line: number): number {
    const { markets, numbers } = this
    let low = 0
    let high = numbers.lengthOf(record.markets)
    while (low < high) {
      const middle = (low + high) >>> 1
      const market = numbers.at(record.markets, middle)
      const otherType = markets.type[market]!
      if (otherType < type || (otherType === type && markets.line[market]! < line)) low = middle + 1
      else high = middle
    }
    return low
  }

  private without(list: number, number: number): number {
    const left = this.numbers.remove(list, number)
    invariant(left !== undefined, 'a market, or book, is one of its event')
    return left
  }
}

/** A line as the column holds it: none before every other, and no negative zero. */
export const columnLine = (line: number | null): number => (line === null ? NO_LINE : line + 0)
