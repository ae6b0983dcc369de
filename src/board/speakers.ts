// Who last spoke of a quote: which source, and by which sighting of the event. Nearly always it is one for all quotes of a
// book, and stands in the book's columns. A book that more than one speaks of is mixed: then each of its quotes remembers
// its own, apart from the columns, so that the many others pay nothing for it.

import type { BookColumns, QuoteColumns } from './columns.ts'

/** Who says it: the source and, by number, the sighting of the event (catalogue). */
export interface Speaker {
  readonly source: number
  readonly sighting: number
  /** Whether it names home and away the other way round. */
  readonly turned: boolean
}

type OfQuote = Pick<Speaker, 'source' | 'sighting'>

export class Speakers {
  private readonly books: BookColumns
  private readonly quotes: QuoteColumns
  // By book, then by slot.
  private readonly mixed = new Map<number, Map<number, OfQuote>>()

  constructor(books: BookColumns, quotes: QuoteColumns) {
    this.books = books
    this.quotes = quotes
  }

  /** Somebody speaks of a book: with another than before it becomes a mixed one. */
  speak(book: number, { source, sighting }: Speaker): void {
    const { books, quotes } = this
    if (books.source[book] === source && books.sighting[book] === sighting) return
    if (books.head[book] !== 0 && !this.mixed.has(book)) {
      const before = { source: books.source[book]!, sighting: books.sighting[book]! }
      const own = new Map<number, OfQuote>()
      for (let slot = books.head[book]!; slot !== 0; slot = quotes.next[slot]!) own.set(slot, before)
      this.mixed.set(book, own)
    }
    books.source[book] = source
    books.sighting[book] = sighting
  }

  /** What it said of a quote holds. */
  note(book: number, slot: number, speaker: Speaker): void {
    if (this.mixed.size > 0) this.mixed.get(book)?.set(slot, speaker)
  }

  of(book: number, slot: number): OfQuote {
    const { books } = this
    const own = this.mixed.size === 0 ? undefined : this.mixed.get(book)?.get(slot)
    return own ?? { source: books.source[book]!, sighting: books.sighting[book]! }
  }

  isOfSource(book: number, slot: number, source: number): boolean {
    return this.mixed.size > 0 && this.mixed.has(book)
      ? this.of(book, slot).source === source
      : this.books.source[book] === source
  }

  /** Whether a book may have a quote of a source, of a sighting. */
  mayBeOfSource(book: number, source: number): boolean {
    return this.books.source[book] === source || this.mixed.has(book)
  }

  mayBeOfSighting(book: number, sighting: number): boolean {
    return this.books.sighting[book] === sighting || this.mixed.has(book)
  }

  /** A quote has left the board. */
  forget(book: number, slot: number): void {
    if (this.mixed.size > 0) this.mixed.get(book)?.delete(slot)
  }

  /** A book has: its number will be given again. */
  forgetBook(book: number): void {
    if (this.mixed.size > 0) this.mixed.delete(book)
  }

  /** Test only: throws where a mixed book does not know all of its quotes, or others. */
  checkInvariants(): void {
    for (const [book, own] of this.mixed) {
      let count = 0
      for (let slot = this.books.head[book]!; slot !== 0; slot = this.quotes.next[slot]!, count++) {
        if (!own.has(slot)) throw new Error(`quote ${slot} of the mixed book ${book} has no speaker`)
      }
      if (count !== own.size) throw new Error(`the mixed book ${book} remembers quotes that it has not`)
    }
  }
}
