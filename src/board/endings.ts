// The last statement of a source about the quotes of a book that it did not name: a bet stop, or that its list was
// complete. It holds for prices that were observed before it and arrive later. Nearly always one source feeds a book
// that is on the board, and the statement is in the book's columns. Those of further sources, and those about a book
// without a quote, are stored apart: they are bounded like events, and are dropped with the book's last quote or with
// the event.

import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { GrowingColumn, readColumn } from '../domain/image-columns.ts'
import type { QuoteStatusNumber } from '../domain/quote.ts'
import { TRANSPORTS, type TransportNumber } from '../domain/transport.ts'
import type { EventRecord } from './event-record.ts'
import { type BookColumns, NEVER_ENDED } from './columns.ts'
import type { Bound, Holding } from './capacity.ts'

/** A bet stop or a complete list. */
export interface Ending {
  /** When it was observed, epoch ms. */
  readonly at: number
  /** The status that it gave the quotes it did not name. */
  readonly to: QuoteStatusNumber
  /** The sighting (catalogue) that it came with: where that is moved, it is moved, too. */
  readonly sighting: number
}

/** A book, which need not be on the board. */
export interface BookPlace {
  readonly record: EventRecord
  readonly bookmaker: number
  readonly transport: TransportNumber
  /** Its number; 0: it is not on the board. */
  readonly book: number
}

// A source's number is 16 bits wide in the columns.
const SOURCES = 2 ** 16

const keyOf = (bookmaker: number, transport: number): number => (bookmaker * TRANSPORTS.length + transport) * SOURCES

const COLUMNS = ['endings record', 'endings key', 'endings at', 'endings to', 'endings sighting']

export class Endings {
  private readonly books: BookColumns
  private readonly capacity: Holding
  // By event, then by book and source.
  private readonly apart = new Map<EventRecord, Map<number, Ending>>()

  /** @param capacity counts those that are stored apart */
  constructor(books: BookColumns, capacity: Holding) {
    this.books = books
    this.capacity = capacity
  }

  /**
   * Stores a statement of a source about a book, unless it has made a newer one.
   * @returns the bound that refused it; undefined: none
   */
  note({ record, bookmaker, transport, book }: BookPlace, source: number, ending: Ending): Bound | undefined {
    const { books } = this
    const key = keyOf(bookmaker, transport) + source
    const apart = this.apart.size === 0 ? undefined : this.apart.get(record)
    const before = apart?.get(key)
    if (before !== undefined && ending.at < before.at) return undefined
    const hasNone = books.endedAt[book] === NEVER_ENDED
    if (book !== 0 && (hasNone || books.endedBy[book] === source)) {
      if (ending.at < books.endedAt[book]!) return undefined
      books.endedAt[book] = ending.at
      books.endedTo[book] = ending.to
      books.endedBy[book] = source
      if (before !== undefined) this.drop(record, apart!, key)
      return undefined
    }
    if (before === undefined) {
      const bound = this.capacity.boundFor(bookmaker)
      if (bound !== undefined) return bound
      this.capacity.add()
      this.capacity.addOf(bookmaker)
    }
    if (apart === undefined) this.apart.set(record, new Map([[key, ending]]))
    else apart.set(key, ending)
    return undefined
  }

  /**
   * Whether a statement about a book that is on the board may have been observed after a time: cheaper than a look-up.
   */
  mayBeAfter(record: EventRecord, book: number, observedAt: number): boolean {
    return observedAt < this.books.endedAt[book]! || (this.apart.size > 0 && this.apart.has(record))
  }

  /** The statement of a source about a book that was observed after a time; undefined: none. */
  after(place: BookPlace, source: number, observedAt: number): Ending | undefined {
    const { books } = this
    const { book } = place
    if (book !== 0 && books.endedBy[book] === source && observedAt < books.endedAt[book]!) {
      return this.inColumns(book)
    }
    if (this.apart.size === 0) return undefined
    const ending = this.apart.get(place.record)?.get(keyOf(place.bookmaker, place.transport) + source)
    return ending !== undefined && observedAt < ending.at ? ending : undefined
  }

  /** All statements about a book, by source. */
  of({ record, bookmaker, transport, book }: BookPlace): Map<number, Ending> {
    const { books } = this
    const all = new Map<number, Ending>()
    if (book !== 0 && books.endedAt[book] !== NEVER_ENDED) {
      all.set(books.endedBy[book]!, this.inColumns(book))
    }
    const first = keyOf(bookmaker, transport)
    for (const [key, ending] of this.apart.get(record) ?? []) {
      if (key >= first && key < first + SOURCES) all.set(key - first, ending)
    }
    return all
  }

  /**
   * Moves the statements that are stored apart, with their sightings, to another event.
   * @param find a book of the other event
   * @param sightings undefined: all
   */
  move(
    from: EventRecord,
    into: EventRecord,
    find: (bookmaker: number, transport: TransportNumber) => number,
    sightings: ReadonlySet<number> | undefined = undefined,
  ): void {
    const apart = this.apart.size === 0 ? undefined : this.apart.get(from)
    if (apart === undefined) return
    for (const [key, ending] of [...apart]) {
      if (sightings !== undefined && !sightings.has(ending.sighting)) continue
      this.drop(from, apart, key)
      const bookmaker = bookmakerOf(key)
      const transport = (Math.floor(key / SOURCES) % TRANSPORTS.length) as TransportNumber
      const place = { record: into, bookmaker, transport, book: find(bookmaker, transport) }
      this.note(place, key % SOURCES, ending)
    }
  }

  /** Drops what is stored apart for a book that has lost its last quote. */
  forgetBook(record: EventRecord, bookmaker: number, transport: TransportNumber): void {
    const apart = this.apart.size === 0 ? undefined : this.apart.get(record)
    if (apart === undefined) return
    const first = keyOf(bookmaker, transport)
    for (const key of apart.keys()) if (key >= first && key < first + SOURCES) this.drop(record, apart, key)
  }

  /** Drops what is stored apart for an event that has left the board. */
  forget(record: EventRecord): void {
    const apart = this.apart.size === 0 ? undefined : this.apart.get(record)
    if (apart !== undefined) for (const key of apart.keys()) this.drop(record, apart, key)
  }

  /** Those that are stored apart, in their order; the others are in the columns of books. */
  save(image: ImageWriter): void {
    const columns = COLUMNS.map(() => new GrowingColumn(Float64Array))
    for (const [{ number }, apart] of this.apart) {
      for (const [key, { at, to, sighting }] of apart) {
        for (const [place, value] of [number, key, at, to, sighting].entries()) columns[place]!.push(value)
      }
    }
    for (const [place, column] of columns.entries()) column.save(image, COLUMNS[place]!)
  }

  load(image: ImageReader, recordOf: (number: number) => EventRecord): void {
    const [numbers, keys, at, to, sightings] = COLUMNS.map((name) => readColumn(image, name, Float64Array))
    for (let row = 0; row < numbers!.length; row++) {
      const record = recordOf(numbers![row]!)
      const ending = { at: at![row]!, to: to![row] as QuoteStatusNumber, sighting: sightings![row]! }
      const apart = this.apart.get(record)
      if (apart === undefined) this.apart.set(record, new Map([[keys![row]!, ending]]))
      else apart.set(keys![row]!, ending)
    }
  }

  private inColumns(book: number): Ending {
    const { endedAt, endedTo, sighting } = this.books
    return { at: endedAt[book]!, to: endedTo[book] as QuoteStatusNumber, sighting: sighting[book]! }
  }

  private drop(record: EventRecord, apart: Map<number, Ending>, key: number): void {
    apart.delete(key)
    this.capacity.remove()
    this.capacity.removeOf(bookmakerOf(key))
    if (apart.size === 0) this.apart.delete(record)
  }
}

const bookmakerOf = (key: number): number => Math.floor(key / SOURCES / TRANSPORTS.length)
