// What the load has sent, what was confirmed, and what clients have seen. Prices are numbered: the number of an observation
// is in its odds, so each price that is shown anywhere says which SEND it is from.

import { createHash } from 'node:crypto'
import type { ServerFrame } from '../stomp/strict-frames.ts'
import type { Violations } from './fault.ts'

/** Every so many-th observation suspends its quotes: REST must not show them. Shares no factor with the events. */
const SUSPENDED_EVERY = 13

/** More than a replay of the checks reaches back. */
const MESSAGES_KEPT = 200_000
const POINTS_KEPT = 2_000

export const isSuspended = (number: number): boolean => number % SUSPENDED_EVERY === 0

export const oddsOf = (number: number): number => 1 + number / 1_000

export const numberOf = (odds: number): number => Math.round((odds - 1) * 1_000)

/** What one publisher says of one event. */
export class BookRecord {
  readonly bookmaker: string
  readonly event: number
  /** Numbers of the latest observations. */
  sent = 0
  receipted = 0
  /** Of the latest; epoch ms. */
  observedAt = 0
  /** What the stream has said: seq and number, ascending. */
  readonly points: { readonly seq: number; readonly number: number }[] = []

  constructor(bookmaker: string, event: number) {
    this.bookmaker = bookmaker
    this.event = event
  }

  /** The number that the stream had said at a seq; undefined: not known any more. */
  at(seq: number): number | undefined {
    return this.points.findLast((point) => point.seq <= seq)?.number
  }
}

interface SeenInRest {
  readonly book: BookRecord
  readonly seq: number
  /** Undefined: the book was not shown. */
  readonly number: number | undefined
}

export class Record {
  readonly books: readonly (readonly BookRecord[])[]
  readonly eventIds: (string | undefined)[]
  epoch: string | undefined
  /** The latest seq that any client has seen. */
  seqSeen = 0
  /** Seqs of the stream in their order. */
  seqs: number[] = []
  receipts = 0
  restSeen = 0
  private readonly contents = new Map<number, string>()
  private readonly violations: Violations
  private waiting: SeenInRest[] = []

  constructor(bookmakers: readonly string[], events: number, violations: Violations) {
    this.violations = violations
    this.books = bookmakers.map((bookmaker) =>
      Array.from({ length: events }, (_, event) => new BookRecord(bookmaker, event)),
    )
    this.eventIds = Array.from({ length: events })
  }

  /** A new epoch: what was confirmed may be lost, and nothing of the former seqs can be compared. */
  beginEpoch(): void {
    this.epoch = undefined
    this.seqSeen = 0
    this.seqs = []
    this.contents.clear()
    this.waiting = []
    this.eventIds.fill(undefined)
    for (const book of this.books.flat()) {
      book.points.length = 0
      book.receipted = 0
    }
  }

  sawEpoch(epoch: string, where: string): boolean {
    this.epoch ??= epoch
    this.violations.check(this.epoch === epoch, () => `${where}: epoch ${epoch} after ${this.epoch}`)
    return this.epoch === epoch
  }

  private sawEventId(event: number, id: string): void {
    this.eventIds[event] ??= id
    this.violations.check(this.eventIds[event] === id, () => `event ${event} had id ${this.eventIds[event]}, now ${id}`)
  }

  bookOf(bookmaker: string, event: number): BookRecord | undefined {
    return this.books.find(([first]) => first!.bookmaker === bookmaker)?.[event]
  }

  /** An update of the stream. @param isAgain replayed: it must have been seen before */
  sawMessage(seq: number, frame: ServerFrame, isAgain: boolean): void {
    const { eventId, bookmaker, quotes } = JSON.parse(frame.body.toString('utf8')) as {
      readonly eventId: string
      readonly bookmaker: string
      readonly quotes: readonly { readonly odds: number }[]
    }
    const content = createHash('md5').update(frame.headers.get('destination')!).update(frame.body).digest('base64')
    const known = this.contents.get(seq)
    if (known !== undefined) {
      this.violations.check(
        known === content,
        () => `seq ${seq} has another content than before: ${frame.body.toString()}`,
      )
      return
    }
    if (isAgain) {
      this.violations.add(`seq ${seq} is in the replay, and was not in the stream`)
      return
    }
    this.contents.set(seq, content)
    this.seqs.push(seq)
    if (this.seqs.length >= 2 * MESSAGES_KEPT) {
      for (const old of this.seqs.splice(0, MESSAGES_KEPT)) this.contents.delete(old)
    }
    this.seqSeen = Math.max(this.seqSeen, seq)
    const number = numberOf(quotes.at(-1)!.odds)
    const event = number % this.eventIds.length
    this.sawEventId(event, eventId)
    const book = this.bookOf(bookmaker, event)
    if (book === undefined || number > book.sent) {
      this.violations.add(`a message about what nobody has sent: ${frame.body.toString()}`)
      return
    }
    book.points.push({ seq, number })
    if (book.points.length >= 2 * POINTS_KEPT) book.points.splice(0, POINTS_KEPT)
  }

  /** A book as REST shows it. @param number undefined: it does not */
  sawInRest(book: BookRecord, seq: number, number: number | undefined): void {
    this.restSeen++
    this.seqSeen = Math.max(this.seqSeen, seq)
    this.waiting.push({ book, seq, number })
  }

  /** Compares what REST has shown with what the stream says of that moment, as far as it has come. */
  compare(streamSeq: number): void {
    const later: SeenInRest[] = []
    for (const seen of this.waiting) {
      const { book, seq, number } = seen
      if (seq > streamSeq) {
        later.push(seen)
        continue
      }
      const said = book.at(seq)
      if (said === undefined) continue
      const expected = isSuspended(said) ? undefined : said
      this.violations.check(
        expected === number,
        () => `REST showed ${number} of ${book.bookmaker}/${book.event} at seq ${seq}, the stream says ${expected}`,
      )
    }
    this.waiting = later
  }

  /** Whether a book may be shown so, after everything that was confirmed and seen. */
  checkShown(
    book: BookRecord,
    number: number | undefined,
    least = Math.max(book.receipted, book.points.at(-1)?.number ?? 0),
  ): void {
    const what = `${book.bookmaker}/${book.event}`
    if (number === undefined) {
      if (least === 0) return
      const events = this.eventIds.length
      for (let each = least; each <= book.sent; each += events) if (isSuspended(each)) return
      this.violations.add(`${what} is not shown, ${least} was confirmed or seen (sent: up to ${book.sent})`)
      return
    }
    this.checkSent(book, number)
    this.violations.check(number >= least, () => `${what} shows ${number}, but ${least} was confirmed or seen`)
  }

  /** Whether a book may ever have been shown so. */
  checkSent(book: BookRecord, number: number): void {
    const isRight = number % this.eventIds.length === book.event && number <= book.sent && !isSuspended(number)
    this.violations.check(isRight, () => `${book.bookmaker}/${book.event} shows ${number}, which was never its price`)
  }
}
