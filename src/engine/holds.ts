// Suspensions by operators: which quotes they cover, and the walk that brings the board up to date when they change. Its
// work is bounded: each turn resumes where the last one stopped. Whatever else is written to a quote meanwhile has the
// bit already.

import { isDeepStrictEqual } from 'node:util'
import type { Board } from '../board/board.ts'
import { HELD } from '../board/status.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { EventView } from '../domain/event.ts'
import type { Suspension } from '../domain/event-identity.ts'

/** By bookmaker the ids of events, or all. */
type ByBookmaker = ReadonlyMap<number, ReadonlySet<string> | 'all'>

interface SavedHolds {
  readonly current: readonly (readonly [bookmaker: number, events: readonly string[] | null])[]
  readonly changed: readonly number[]
  readonly next: number
  readonly end: number
}

export class Holds {
  private readonly board: Board
  private current: ByBookmaker = new Map()
  // Bookmakers whose books are not all up to date, and the numbers of the events that are still to be visited.
  private readonly changed = new Set<number>()
  private next = 0
  private end = 0

  constructor(board: Board) {
    this.board = board
  }

  save(image: ImageWriter): void {
    const current = Array.from(this.current, ([bookmaker, events]) => [
      bookmaker,
      events === 'all' ? null : [...events],
    ])
    image.value('holds', { current, changed: [...this.changed], next: this.next, end: this.end })
  }

  load(image: ImageReader): void {
    const { current, changed, next, end } = image.value('holds') as SavedHolds
    this.current = new Map(current.map(([bookmaker, events]) => [bookmaker, events === null ? 'all' : new Set(events)]))
    for (const bookmaker of changed) this.changed.add(bookmaker)
    this.next = next
    this.end = end
  }

  /** Whether a quote may have the bit, or have to get it. */
  get isActive(): boolean {
    return this.current.size > 0 || this.isWalking
  }

  /** Whether {@link bitOf} is 0 for every book. */
  get isNone(): boolean {
    return this.current.size === 0
  }

  /** Whether the board is not up to date yet. */
  get isWalking(): boolean {
    return this.next < this.end
  }

  /** Replaces all suspensions; {@link walk} applies them. @param numberOf the number of a bookmaker */
  replace(suspensions: readonly Suspension[], numberOf: (slug: string) => number): void {
    const former = this.current
    const current = new Map<number, ReadonlySet<string> | 'all'>()
    for (const { bookmaker: slug, event } of suspensions) {
      const bookmaker = numberOf(slug)
      const before = current.get(bookmaker)
      current.set(bookmaker, event === null || before === 'all' ? 'all' : new Set(before).add(event))
    }
    this.current = current
    for (const bookmaker of new Set([...former.keys(), ...current.keys()])) {
      if (isDeepStrictEqual(former.get(bookmaker), current.get(bookmaker))) continue
      this.changed.add(bookmaker)
      this.next = 0
      this.end = this.board.catalogue.recordsEnd
    }
  }

  /**
   * Visits books that may not be up to date.
   * @param visitsMax events and quotes visited
   * @param apply brings a book up to date, and returns how many quotes it visited
   * @returns whether all are up to date
   */
  walk(visitsMax: number, apply: (book: number) => number): boolean {
    const { catalogue } = this.board
    for (let visits = 0; this.next < this.end; visits++) {
      if (visits >= visitsMax) return false
      const record = catalogue.recordOf(this.next++)
      if (record === undefined) continue
      for (const book of catalogue.booksOf(record)) {
        if (this.changed.has(catalogue.books.bookmaker[book]!)) visits += apply(book)
      }
    }
    this.changed.clear()
    return true
  }

  /** The status bit of the quotes of a book. */
  bitOf(book: number): number {
    if (this.current.size === 0) return 0
    const { catalogue } = this.board
    return this.covering(catalogue.books.bookmaker[book]!, catalogue.eventOfBook(book)) === undefined ? 0 : HELD
  }

  /** What an operator has suspended of a bookmaker at an event: `all` of the bookmaker, or the event, by this id. */
  covering(bookmaker: number, { event, formerIds }: Pick<EventView, 'event' | 'formerIds'>): string | undefined {
    const events = this.current.get(bookmaker)
    if (events === undefined || events === 'all') return events
    return events.has(event.id) ? event.id : formerIds.find((id) => events.has(id))
  }
}
