// Walks: a statement of a producer about all its quotes (suspect, confirmed, ended) is applied book by book, in bounded
// work: each turn resumes where the last one stopped. A book is brought up to date before it is written to, so that the
// result is the same as if each statement had been applied at once, in order.

import type { Board } from '../board/board.ts'
import type { Producer, Statement } from '../board/producers.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'

/**
 * Applies a statement to the quotes of one book that it is about.
 * @param isMeant whether the statement is about a quote
 * @returns how many quotes were visited
 */
export type Apply = (book: number, statement: Statement, isMeant: (slot: number) => boolean, nowAt: number) => number

export class Walks {
  private readonly board: Board
  private readonly apply: Apply
  private readonly visitsMax: number
  private readonly walking = new Set<Producer>()
  private visitsLeft: number

  /** @param visitsMax books and quotes visited from one turn to the next */
  constructor(board: Board, visitsMax: number, apply: Apply) {
    this.board = board
    this.apply = apply
    this.visitsMax = visitsMax
    this.visitsLeft = visitsMax
  }

  save(image: ImageWriter): void {
    // One that has left may have lost its last book, and its number, before its turn came: it has nothing to visit.
    const known = [...this.walking].filter((producer) => this.board.producers.has(producer))
    const walking = known.map(({ number }) => number)
    image.value('walks', { walking, visitsLeft: this.visitsLeft })
  }

  load(image: ImageReader): void {
    const { walking, visitsLeft } = image.value('walks') as { walking: number[]; visitsLeft: number }
    for (const number of walking) this.walking.add(this.board.producers.get(number))
    this.visitsLeft = visitsLeft
  }

  isWalking(number: number): boolean {
    for (const producer of this.walking) if (producer.number === number) return true
    return false
  }

  /** Begins a walk, as far as this turn still allows. */
  begin(producer: Producer, statement: Statement, nowAt: number): void {
    this.board.producers.addStatement(producer, statement)
    this.walking.add(producer)
    this.resume(nowAt)
  }

  /** Whether a walk is not complete. */
  get hasPending(): boolean {
    return this.walking.size > 0
  }

  /** Continues with the visits of a new turn. Returns whether all walks are complete. */
  turn(nowAt: number): boolean {
    this.visitsLeft = this.visitsMax
    return this.resume(nowAt)
  }

  /** Applies the pending statements to a book; called before it is written to. */
  catchUp(book: number, nowAt: number): void {
    if (this.walking.size === 0) return
    const { origins, producers } = this.board
    for (const number of origins.producersOf(book)) this.visit(producers.get(number), book, nowAt)
  }

  private resume(nowAt: number): boolean {
    for (const producer of this.walking) {
      if (this.visitsLeft <= 0) return false
      this.walking.delete(producer)
      if (this.walk(producer, nowAt)) producer.pending = []
      // The other producers have their share first.
      else this.walking.add(producer)
    }
    return this.walking.size === 0
  }

  private walk(producer: Producer, nowAt: number): boolean {
    const { books } = this.board.catalogue
    const { seq, shared } = producer
    // A visited book moves to the end of the queue.
    while (producer.first !== 0 && books.done[producer.first] !== seq) {
      if (this.visitsLeft <= 0) return false
      this.visitsLeft -= 1 + this.visit(producer, producer.first, nowAt)
    }
    for (const book of shared) {
      if (this.board.origins.doneOf(book, producer) === seq) break
      if (this.visitsLeft <= 0) return false
      this.visitsLeft -= 1 + this.visit(producer, book, nowAt)
    }
    return true
  }

  private visit(producer: Producer, book: number, nowAt: number): number {
    const { origins, producers } = this.board
    const statement = producers.pendingFor(producer, origins.doneOf(book, producer))
    if (statement === undefined) return 0
    origins.setDone(book, producer)
    const { number } = producer
    return this.apply(book, statement, (slot) => origins.producerOf(book, slot) === number, nowAt)
  }
}
