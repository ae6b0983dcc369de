// Who saw which seq with which bytes, over all processes of a service: every answer and every message is noted, and two that
// should be equal are compared, however far they lie apart.
//
//   stream  (epoch, seq) ──▶ destination and body, equal for everybody; a number of a SEND in one seq alone
//   REST    (epoch, path, last change of the event up to X-Odds-Seq) ──▶ body, equal in all processes; the prices are those
//           that the stream says of that seq
//   RECEIPT of a number ──▶ the stream has it, in the epoch in which it was confirmed or in a state that came before a reset
//
// Prices are numbered as in test/faults/record.ts: the number of a SEND is in its odds.

import { createHash } from 'node:crypto'
import type { Violations } from '../faults/fault.ts'
import { isSuspended, numberOf } from '../faults/record.ts'
import { type Json, list } from '../json.ts'
import { readPoint } from '../stomp/desk.ts'
import type { ServerFrame } from '../stomp/strict-frames.ts'

const SEQS_KEPT = 400_000
const POINTS_KEPT = 4_000
const BODIES_KEPT = 50_000

const digestOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('md5')
  for (const part of parts) hash.update(part)
  return hash.digest('base64')
}

/** What one feed says of one event. */
export class Book {
  readonly bookmaker: string
  readonly event: number
  /** Numbers of the latest SENDs. */
  sent = 0
  receipted = 0
  /** Of the latest; epoch ms. */
  observedAt = 0
  /** Confirmed, and not seen in the stream yet. */
  readonly unseen = new Set<number>()
  /** The greatest that was seen anywhere. */
  seen = 0

  constructor(bookmaker: string, event: number) {
    this.bookmaker = bookmaker
    this.event = event
  }

  get name(): string {
    return `${this.bookmaker}/${this.event}`
  }
}

interface Shown {
  readonly process: string
  readonly event: number
  readonly seq: number
  readonly digest: string
  readonly text: string
  readonly numbers: ReadonlyMap<string, number>
}

/** What the stream says of one book, in one epoch. */
interface Point {
  readonly seq: number
  readonly number: number
}

class Epoch {
  readonly contents = new Map<number, string>()
  readonly points = new Map<Book, Point[]>()
  /** The greatest number that a snapshot has shown. */
  readonly shown = new Map<Book, number>()
  /** Bodies in REST, by event and its last change. */
  readonly bodies = new Map<string, { readonly digest: string; readonly shown: Shown }>()
  readonly ids = new Map<number, string>()
  /** The stream is known from (not included) and up to. */
  fromSeq: number | undefined
  toSeq = 0
  lastSeq = 0
  waiting: Shown[] = []
}

export class History {
  readonly books: readonly (readonly Book[])[]
  readonly events: number
  readonly epochs = new Map<string, Epoch>()
  /** In the order in which they were seen. */
  epoch = ''
  receipts = 0
  messages = 0
  /** Bodies of REST that were compared with one of another process or time, and with the stream. */
  compared = 0
  private readonly violations: Violations

  constructor(bookmakers: readonly string[], events: number, violations: Violations) {
    this.events = events
    this.violations = violations
    this.books = bookmakers.map((bookmaker) => Array.from({ length: events }, (_, event) => new Book(bookmaker, event)))
  }

  bookOf(bookmaker: string, number: number): Book | undefined {
    return this.books.find(([first]) => first!.bookmaker === bookmaker)?.[number % this.events]
  }

  /** The id of an event, in the latest epoch. */
  idOf(event: number): string | undefined {
    return this.epochs.get(this.epoch)?.ids.get(event)
  }

  private epochOf(name: string): Epoch {
    const known = this.epochs.get(name)
    if (known !== undefined) return known
    const epoch = new Epoch()
    this.epochs.set(name, epoch)
    // Later ones are greater numbers.
    if (Number.parseInt(name, 36) > Number.parseInt(this.epoch || '0', 36)) this.epoch = name
    return epoch
  }

  /** A RECEIPT. */
  confirmed(book: Book, number: number): void {
    this.receipts++
    book.receipted = Math.max(book.receipted, number)
    // What is sent once more after a new epoch may be in the snapshot already, and changes nothing.
    const isShown = number <= (this.epochs.get(this.epoch)?.shown.get(book) ?? 0)
    const isSeen =
      isShown ||
      [...this.epochs.values()].some((epoch) => epoch.points.get(book)?.some((point) => point.number === number))
    if (!isSeen) book.unseen.add(number)
  }

  /** A snapshot is whole, as of a seq: from there on the subscriber has everything. */
  sawSnapshot(name: string, seq: number): void {
    const epoch = this.epochOf(name)
    if (epoch.fromSeq !== undefined && seq <= epoch.toSeq) return
    epoch.fromSeq = seq
    epoch.toSeq = seq
    // What it said before is not known as a whole.
    epoch.points.clear()
  }

  /** A part of a snapshot shows a number: what was confirmed before is in it. */
  sawInSnapshot(frame: ServerFrame): void {
    const { bookmaker, quotes } = JSON.parse(frame.body.toString('utf8')) as Json
    const { shown } = this.epochOf(readPoint(frame.headers.get('message-id')!).epoch)
    for (const { odds } of list(quotes)) {
      const number = numberOf(Number(odds))
      const book = this.bookOf(String(bookmaker), number)
      if (book === undefined) continue
      shown.set(book, Math.max(shown.get(book) ?? 0, number))
      for (const each of book.unseen) if (each <= number) book.unseen.delete(each)
    }
  }

  /** An update that a subscriber got; all before it since its snapshot were seen, too. */
  sawMessage(who: string, frame: ServerFrame): void {
    this.messages++
    const { epoch: name, seq } = readPoint(frame.headers.get('message-id')!)
    const epoch = this.epochOf(name)
    const { violations } = this
    const destination = frame.headers.get('destination')!
    const content = digestOf(destination, frame.body)
    const known = epoch.contents.get(seq)
    if (known !== undefined) {
      violations.check(known === content, () => `${who}: ${name}-${seq} has other bytes than before: ${frame.body}`)
      return
    }
    epoch.contents.set(seq, content)
    epoch.lastSeq = Math.max(epoch.lastSeq, seq)
    const dropped = seq - SEQS_KEPT
    if (epoch.contents.size > 2 * SEQS_KEPT) {
      for (const old of epoch.contents.keys()) if (old < dropped) epoch.contents.delete(old)
    }
    const { eventId, bookmaker, quotes } = JSON.parse(frame.body.toString('utf8')) as Json
    const numbers = new Set(list(quotes).map(({ odds }) => numberOf(Number(odds))))
    const number = [...numbers].at(-1)!
    const book = this.bookOf(String(bookmaker), number)
    if (book === undefined || number > book.sent) {
      violations.add(`${who}: ${name}-${seq} is about what nobody has sent: ${frame.body}`)
      return
    }
    // A turn that was long may hold several SENDs for the same book: one message has the changes of all.
    for (const each of numbers) book.unseen.delete(each)
    book.seen = Math.max(book.seen, number)
    this.sawId(epoch, name, book.event, String(eventId))
    if (epoch.fromSeq === undefined || seq <= epoch.fromSeq) return
    epoch.toSeq = Math.max(epoch.toSeq, seq)
    const points = epoch.points.get(book) ?? []
    epoch.points.set(book, points)
    const before = points.at(-1)
    if (before !== undefined && before.seq < seq) {
      violations.check(
        before.number < number,
        () => `${who}: ${book.name} goes from ${before.number} (seq ${before.seq}) to ${number} (${name}-${seq})`,
      )
    }
    for (const each of numbers) points.push({ seq, number: each })
    if (before !== undefined && before.seq > seq) points.sort((a, b) => a.seq - b.seq)
    if (points.length >= 2 * POINTS_KEPT) points.splice(0, POINTS_KEPT)
  }

  private sawId(epoch: Epoch, name: string, event: number, id: string): void {
    const known = epoch.ids.get(event)
    if (known === undefined) epoch.ids.set(event, id)
    else this.violations.check(known === id, () => `event ${event} had id ${known} in ${name}, now ${id}`)
  }

  /** An answer about the odds of an event. @param point `X-Odds-Seq` */
  sawRest(process: string, event: number, point: string, text: string, numbers: ReadonlyMap<string, number>): void {
    const { epoch: name, seq } = readPoint(point)
    this.epochOf(name).waiting.push({ process, event, seq, text, digest: digestOf(text), numbers })
  }

  /** Compares the answers, as far as the stream is known. */
  compare(): void {
    for (const [name, epoch] of this.epochs) {
      const { waiting, toSeq } = epoch
      epoch.waiting = waiting.filter(({ seq }) => seq > toSeq).slice(-BODIES_KEPT)
      for (const shown of waiting) if (shown.seq <= toSeq) this.compareOne(name, epoch, shown)
    }
  }

  private compareOne(name: string, epoch: Epoch, shown: Shown): void {
    const { process, event, seq, digest, text, numbers } = shown
    const { violations } = this
    let lastChange = 0
    for (const books of this.books) {
      const book = books[event]!
      const said = epoch.points.get(book)?.findLast((point) => point.seq <= seq)
      // Not since the snapshot from which the stream is known.
      if (said === undefined) return
      lastChange = Math.max(lastChange, said.seq)
      const expected = isSuspended(said.number) ? undefined : said.number
      const number = numbers.get(book.bookmaker)
      violations.check(
        number === expected,
        () => `${process}: REST shows ${number} of ${book.name} at ${name}-${seq}, the stream says ${expected}`,
      )
    }
    this.compared++
    const key = `${event} ${lastChange}`
    const known = epoch.bodies.get(key)
    if (known === undefined) {
      epoch.bodies.set(key, { digest, shown })
      if (epoch.bodies.size > BODIES_KEPT) epoch.bodies.delete(epoch.bodies.keys().next().value!)
      return
    }
    violations.check(
      known.digest === digest,
      () =>
        `event ${event} after ${name}-${lastChange}: ${known.shown.process} (seq ${known.shown.seq}) ${known.shown.text}` +
        ` and ${process} (seq ${seq}) ${text}`,
    )
  }

  /** Of the last message in the latest epoch. */
  get lastSeq(): number {
    return this.epochs.get(this.epoch)?.lastSeq ?? 0
  }

  /** Whether all that was confirmed was seen. */
  get isSeen(): boolean {
    return this.books.flat().every(({ unseen }) => unseen.size === 0)
  }

  /** All that was confirmed must have been seen by now. Call when the desks have everything. */
  checkReceipts(): void {
    for (const book of this.books.flat()) {
      this.violations.check(
        book.unseen.size === 0,
        () => `${book.name}: ${[...book.unseen].join(', ')} confirmed, and never in the stream`,
      )
    }
  }

  /** A board as one process shows it now: nothing is older than what was confirmed. */
  checkBoard(process: string, event: number, numbers: ReadonlyMap<string, number>): void {
    for (const books of this.books) {
      const book = books[event]!
      const number = numbers.get(book.bookmaker)
      const least = book.receipted
      if (number === undefined) {
        let isAllowed = least === 0
        for (let each = least; each <= book.sent; each += this.events) isAllowed ||= isSuspended(each)
        this.violations.check(isAllowed, () => `${process}: ${book.name} is not shown, ${least} was confirmed`)
        continue
      }
      this.violations.check(number >= least, () => `${process}: ${book.name} shows ${number}, ${least} was confirmed`)
    }
  }

  /** After a Redis has lost what only it had: what was confirmed may be gone. */
  forgive(): void {
    for (const book of this.books.flat()) {
      book.unseen.clear()
      book.receipted = 0
    }
  }
}
