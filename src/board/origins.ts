// The origin of each quote: which producer set it last, and by which sighting of the event. Nearly always it is one for
// all quotes of a book, and is in the book's columns. A book with more than one is shared: then the origin of each of
// its quotes is stored apart from the columns, so that it costs nothing for the many others.

import { GrowingColumn, readColumn } from '../domain/image-columns.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { BookColumns } from './columns.ts'
import { NOBODY, type Producer, type Producers } from './producers.ts'
import type { Quotes } from './quotes.ts'

/** The origin of an observation: the producer and, by number, the sighting of the event (catalogue). */
export interface Origin {
  readonly producer: number
  readonly sighting: number
  /** Whether it has swapped sides. */
  readonly swapped: boolean
  /** Status bits (status.ts) that its quotes get; left out: none. */
  readonly doubt?: number
}

type OfQuote = Pick<Origin, 'producer' | 'sighting'>

interface SharedBook {
  readonly own: Map<number, OfQuote>
  /** By producer: how many quotes it last set, and up to which of its statements the book is up to date. */
  readonly shares: Map<number, { quotes: number; done: number }>
}

export class Origins {
  private readonly producers: Producers
  private readonly books: BookColumns
  private readonly quotes: Quotes
  private readonly shared = new Map<number, SharedBook>()

  constructor(books: BookColumns, quotes: Quotes, producers: Producers) {
    this.books = books
    this.quotes = quotes
    this.producers = producers
  }

  /** Notes that a book is written to; by another origin than before it becomes a shared one. */
  setBook(book: number, { producer, sighting }: Origin): void {
    const { books, producers } = this
    if (books.producer[book] === producer && books.sighting[book] === sighting) return
    const isShared = this.shared.has(book)
    if (books.head[book] !== 0 && !isShared) this.share(book)
    books.producer[book] = producer
    books.sighting[book] = sighting
    if (books.head[book] === 0) producers.link(book)
  }

  /** Notes the origin of a quote. */
  note(book: number, slot: number, origin: Origin): void {
    const shared = this.shared.size === 0 ? undefined : this.shared.get(book)
    if (shared === undefined) return
    const before = shared.own.get(slot)
    shared.own.set(slot, origin)
    if (before?.producer === origin.producer) return
    this.count(book, shared, origin.producer)
    if (before !== undefined && this.discount(book, shared, before.producer)) this.unshare(book, shared)
  }

  /** Moves a book that has only one origin again back to the columns. */
  private unshare(book: number, { own, shares }: SharedBook): void {
    const { books, producers } = this
    if (shares.size > 1) return
    const [number, sighting] = [books.producer[book]!, books.sighting[book]!]
    for (const of of own.values()) if (of.producer !== number || of.sighting !== sighting) return
    this.shared.delete(book)
    if (number !== NOBODY) producers.get(number).shared.delete(book)
    // It is up to date, because it was just written to.
    producers.link(book)
  }

  of(book: number, slot: number): OfQuote {
    const { books } = this
    const own = this.shared.size === 0 ? undefined : this.shared.get(book)?.own.get(slot)
    return own ?? { producer: books.producer[book]!, sighting: books.sighting[book]! }
  }

  producerOf(book: number, slot: number): number {
    const own = this.shared.size === 0 ? undefined : this.shared.get(book)?.own.get(slot)
    return own?.producer ?? this.books.producer[book]!
  }

  isOfSource(book: number, slot: number, source: number): boolean {
    return this.producers.sourceOf(this.producerOf(book, slot)) === source
  }

  mayBeOfSighting(book: number, sighting: number): boolean {
    return this.books.sighting[book] === sighting || this.shared.has(book)
  }

  /** Numbers of the producers that have a quote in a book, and may have made statements about all their quotes. */
  producersOf(book: number): Iterable<number> {
    const shared = this.shared.size === 0 ? undefined : this.shared.get(book)
    if (shared !== undefined) return [...shared.shares.keys()]
    const producer = this.books.producer[book]!
    return producer === NOBODY ? [] : [producer]
  }

  /** Up to which statement of a producer a book is up to date. */
  doneOf(book: number, producer: Producer): number {
    return this.shared.get(book)?.shares.get(producer.number)!.done ?? this.books.done[book]!
  }

  /** Notes that all statements of a producer have reached a book. */
  setDone(book: number, producer: Producer): void {
    const share = this.shared.get(book)?.shares.get(producer.number)
    if (share === undefined) {
      this.producers.setDone(producer, book)
      return
    }
    share.done = producer.seq
    producer.shared.delete(book)
    producer.shared.add(book)
  }

  /** A quote has left the board. */
  forget(book: number, slot: number): void {
    const shared = this.shared.size === 0 ? undefined : this.shared.get(book)
    const own = shared?.own.get(slot)
    if (own === undefined) return
    shared!.own.delete(slot)
    this.discount(book, shared!, own.producer)
  }

  /** A book has left the board: its number will be reused. */
  forgetBook(book: number): void {
    if (!this.shared.delete(book)) this.producers.unlink(book)
  }

  /** Shared books, in rows of different lengths: the book, its quotes and their origins, its shares. */
  save(image: ImageWriter): void {
    const rows = new GrowingColumn(Uint32Array)
    const push = (...numbers: number[]): void => {
      for (const number of numbers) rows.push(number)
    }
    for (const [book, { own, shares }] of this.shared) {
      push(book, own.size, shares.size)
      for (const [slot, { producer, sighting }] of own) push(slot, producer, sighting)
      for (const [producer, { quotes, done }] of shares) push(producer, quotes, done)
    }
    rows.save(image, 'origins')
  }

  load(image: ImageReader): void {
    const rows = readColumn(image, 'origins', Uint32Array)
    let place = 0
    const next = (): number => rows[place++]!
    while (place < rows.length) {
      const [book, quotes, shareCount] = [next(), next(), next()]
      const own = new Map<number, OfQuote>()
      const shares = new Map<number, { quotes: number; done: number }>()
      for (let n = 0; n < quotes; n++) own.set(next(), { producer: next(), sighting: next() })
      for (let n = 0; n < shareCount; n++) shares.set(next(), { quotes: next(), done: next() })
      this.shared.set(book, { own, shares })
    }
  }

  private share(book: number): void {
    const { books, quotes, producers } = this
    const before = { producer: books.producer[book]!, sighting: books.sighting[book]! }
    const own = new Map<number, OfQuote>()
    for (let slot = books.head[book]!; slot !== 0; slot = quotes.nextOf(slot)) own.set(slot, before)
    const shares = new Map<number, { quotes: number; done: number }>()
    this.shared.set(book, { own, shares })
    if (before.producer === NOBODY) return
    shares.set(before.producer, { quotes: own.size, done: books.done[book]! })
    producers.get(before.producer).shared.add(book)
    producers.unlink(book)
  }

  private count(book: number, { shares }: SharedBook, number: number): void {
    if (number === NOBODY) return
    const share = shares.get(number)
    if (share !== undefined) {
      share.quotes++
      return
    }
    const producer = this.producers.get(number)
    shares.set(number, { quotes: 1, done: producer.seq })
    producer.shared.add(book)
  }

  /** @returns whether it was the producer's last one */
  private discount(book: number, { shares }: SharedBook, number: number): boolean {
    const share = shares.get(number)
    if (share === undefined || --share.quotes > 0) return false
    shares.delete(number)
    const producer = this.producers.get(number)
    producer.shared.delete(book)
    this.producers.release(producer)
    return true
  }
}
