// What a producer says of all that it last said (it cannot be relied on, it still holds, it has ended) goes from book to book,
// in bounded work: the turns go on where the last one has stopped. A book that is about to be written to comes first, so that
// it looks as if all had been done at once, in the order in which it was said.

import type { Board } from '../board/board.ts'
import type { Producer, Statement } from '../board/producers.ts'

/**
 * Applies to quotes of a book what was said of all that was said before.
 * @param isMeant says whose quotes are meant
 * @returns how many quotes were looked at
 */
export type Apply = (book: number, statement: Statement, isMeant: (slot: number) => boolean, nowAt: number) => number

export class Walks {
  private readonly board: Board
  private readonly apply: Apply
  private readonly visitsMax: number
  private readonly walking = new Set<Producer>()
  private visitsLeft: number

  /** @param visitsMax books and quotes looked at from one turn to the next */
  constructor(board: Board, visitsMax: number, apply: Apply) {
    this.board = board
    this.apply = apply
    this.visitsMax = visitsMax
    this.visitsLeft = visitsMax
  }

  isWalking(number: number): boolean {
    for (const producer of this.walking) if (producer.number === number) return true
    return false
  }

  /** What a producer says reaches its books, as many as this turn still allows. Returns whether that is all. */
  begin(producer: Producer, statement: Statement, nowAt: number): boolean {
    this.board.speakers.producers.say(producer, statement)
    this.walking.add(producer)
    return this.goOn(nowAt)
  }

  /** A source is heard of again: what is revocable has not been said to the books that it has not reached. */
  revoke(source: number): void {
    for (const producer of this.walking) {
      if (producer.source !== source) continue
      producer.pending = producer.pending.map((each) => (each.isRevocable === true ? { ...each, doubt: 0 } : each))
    }
  }

  /** Goes on, with the visits of a new turn. Returns whether all have come to their ends. */
  turn(nowAt: number): boolean {
    this.visitsLeft = this.visitsMax
    return this.goOn(nowAt)
  }

  /** Brings a book up to what was said of all its quotes: whoever is about to write to it calls this first. */
  catchUp(book: number, nowAt: number): void {
    if (this.walking.size === 0) return
    const { speakers } = this.board
    for (const number of speakers.producersOf(book)) this.visit(speakers.producers.get(number), book, nowAt)
  }

  private goOn(nowAt: number): boolean {
    for (const producer of this.walking) {
      if (this.visitsLeft <= 0) return false
      this.walking.delete(producer)
      if (this.walk(producer, nowAt)) producer.pending = []
      // The others have their share first.
      else this.walking.add(producer)
    }
    return this.walking.size === 0
  }

  private walk(producer: Producer, nowAt: number): boolean {
    const { books } = this.board.catalogue
    const { seq, shared } = producer
    // What is done goes to the end of its queue.
    while (producer.first !== 0 && books.done[producer.first] !== seq) {
      if (this.visitsLeft <= 0) return false
      this.visitsLeft -= 1 + this.visit(producer, producer.first, nowAt)
    }
    for (const book of shared) {
      if (this.board.speakers.doneOf(book, producer) === seq) break
      if (this.visitsLeft <= 0) return false
      this.visitsLeft -= 1 + this.visit(producer, book, nowAt)
    }
    return true
  }

  private visit(producer: Producer, book: number, nowAt: number): number {
    const { speakers } = this.board
    const statement = speakers.producers.toDo(producer, speakers.doneOf(book, producer))
    if (statement === undefined) return 0
    speakers.setDone(book, producer)
    const { number } = producer
    return this.apply(book, statement, (slot) => speakers.producerOf(book, slot) === number, nowAt)
  }
}
