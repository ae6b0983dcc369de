// Producers: the parts of a source that start, fail and end independently (a polled URL, a product, a subscription).
// Each has a queue of the books that it last set; those that its latest statement has not reached yet come first. So a
// statement about all its quotes needs no search, and the walk over the books can stop and resume at any book.

import { runOfProducer, runText, sourceOfProducer } from '../domain/feed-source.ts'
import { GrowingColumn, readColumn } from '../domain/image-columns.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { BookColumns } from './columns.ts'
import { Interner } from './interning.ts'
import { invariant } from './invariant.ts'

/** The number of what no producer has said, and of no source. */
export const NOBODY = 0

/** A statement of a producer about all its quotes: that they ended, or were valid at a time, or are suspect since. */
export interface Statement {
  /** When it was made, epoch ms: quotes that had aged out by then are not included. */
  readonly madeAt: number
  /** When they ended, and when they were last valid, epoch ms; left out: not said. */
  readonly endedAt?: number
  readonly confirmedAt?: number
  /** Bits of the status (status.ts); 0: none. */
  readonly doubt: number
}

interface Numbered extends Statement {
  readonly seq: number
}

export interface Producer {
  readonly number: number
  readonly source: number
  /** As inputs name it, see feed-source.ts. */
  readonly name: string
  /** The queue of books that it alone feeds. */
  first: number
  last: number
  /** Books that other producers feed, too, as a queue. */
  readonly shared: Set<number>
  /** Number of its last statement. */
  seq: number
  /** Statements that have not reached all books. */
  pending: Numbered[]
  /** It has stopped for good: its number is reused when its last book is gone. */
  isLeft: boolean
}

/** See {@link Producers.save}. `shared`: how many. */
interface SavedProducers {
  readonly partsEnd: number
  readonly free: readonly number[]
  readonly producers: readonly (Omit<Producer, 'shared'> & { readonly shared: number })[]
  /** Left out: no source was taken. */
  readonly runs?: readonly (readonly [source: string, run: number])[]
}

/**
 * A source itself is a producer with the number of the source; the numbers of its parts begin here. A source's number
 * has 16 bits in the columns. It is never released: sources beyond are numbered as none.
 */
const PARTS_FROM = 2 ** 16

/**
 * Statements that are stored separately while they reach the books; of more, the oldest two are joined. What was observed
 * between those two would get the older one, too, so it must not happen while a walk takes its usual time: several turns
 * with nothing but statements of one producer.
 */
const PENDING_MAX = 1_000

/** Joins a statement with the next one. */
const join = (first: Statement, next: Statement): Statement => {
  const { madeAt } = first
  if (first.endedAt !== undefined) return first
  // What was confirmed for a later time than it ended keeps that time.
  if (next.endedAt !== undefined)
    return first.confirmedAt === undefined ? { ...next, madeAt } : { ...first, ...next, madeAt }
  if (next.confirmedAt !== undefined)
    return { ...next, madeAt, confirmedAt: Math.max(next.confirmedAt, first.confirmedAt ?? 0) }
  return first.doubt === 0 ? { ...first, ...next, madeAt } : first
}

/** Whether it has stopped for good and has no book. */
const isDone = ({ number, isLeft, first, shared }: Producer): boolean =>
  isLeft && number >= PARTS_FROM && first === 0 && shared.size === 0

export class Producers {
  private readonly books: BookColumns
  private readonly sources = new Interner()
  private readonly byNumber = new Map<number, Producer>()
  private readonly byName = new Map<string, Producer>()
  private readonly free: number[] = []
  private readonly done = new Set<Producer>()
  private partsEnd = PARTS_FROM
  // By source that was taken: the run that has taken it.
  private readonly runs = new Map<string, number>()
  // The last answer of isHeard: most producers say several things in a turn.
  private askedName = ''
  private askedAnswer = true
  // The last answer of pendingFor: neighbours in a queue have the same.
  private joined: { readonly producer: Producer; seq: number; done: number; sum: Statement | undefined } | undefined

  constructor(books: BookColumns) {
    this.books = books
  }

  /** The number of a producer, a new one if it is unknown. */
  numberOf(name: string): number {
    const known = name === '' ? NOBODY : this.byName.get(name)?.number
    if (known !== undefined) return known
    const sourceName = sourceOfProducer(name)
    const source =
      this.sources.size === PARTS_FROM - 1 ? this.sources.find(sourceName) : this.sources.intern(sourceName)
    if (source === NOBODY) return NOBODY
    return this.insert(name === sourceName ? source : (this.free.pop() ?? this.partsEnd++), source, name).number
  }

  /**
   * A run takes a source: from now on only its producers are heard.
   * @returns whether it does; not if a later run has taken it, or there are too many sources
   */
  take(source: string, run: number): boolean {
    if (run <= this.runOf(source)) return false
    if (this.sources.size === PARTS_FROM - 1 && this.sources.find(source) === NOBODY) return false
    this.sources.intern(source)
    this.runs.set(source, run)
    this.askedName = ''
    this.askedAnswer = true
    return true
  }

  /** The run that has taken a source; 0: none has. */
  runOf(source: string): number {
    return this.runs.get(source) ?? 0
  }

  /** Whether a producer, by its name, may say something: see {@link take}. */
  isHeard(name: string): boolean {
    if (this.runs.size === 0 || name === this.askedName) return this.askedAnswer
    const run = this.runs.get(sourceOfProducer(name))
    this.askedName = name
    this.askedAnswer = run === undefined || runText(run) === runOfProducer(name)
    return this.askedAnswer
  }

  /** The number of a producer; undefined: it is unknown. */
  find(name: string): number | undefined {
    return this.byName.get(name)?.number
  }

  get(number: number): Producer {
    const producer = this.byNumber.get(number)
    invariant(producer !== undefined, 'a producer that has quotes, or has not left, is known')
    return producer
  }

  /** Whether a producer still has its number. */
  has(producer: Producer): boolean {
    return this.byNumber.get(producer.number) === producer
  }

  sourceOf(number: number): number {
    return number < PARTS_FROM ? number : this.get(number).source
  }

  /** All producers that have not left, or still have quotes. */
  all(): Iterable<Producer> {
    return this.byNumber.values()
  }

  private insert(number: number, source: number, name: string): Producer {
    const producer: Producer = {
      number,
      source,
      name,
      first: 0,
      last: 0,
      shared: new Set<number>(),
      seq: 0,
      pending: [],
      isLeft: false,
    }
    this.byNumber.set(number, producer)
    this.byName.set(name, producer)
    return producer
  }

  // --- books

  /** Adds a book to the queue of its producer: no earlier statement is about it. */
  link(book: number): void {
    const { producer: number, done } = this.books
    if (number[book] === NOBODY) return
    const producer = this.get(number[book]!)
    done[book] = producer.seq
    this.append(producer, book)
  }

  unlink(book: number): void {
    const { producer: number } = this.books
    if (number[book] === NOBODY) return
    const producer = this.get(number[book]!)
    this.remove(producer, book)
    this.release(producer)
  }

  /** Notes that all statements of a producer have reached a book of its queue. */
  setDone(producer: Producer, book: number): void {
    this.books.done[book] = producer.seq
    this.remove(producer, book)
    this.append(producer, book)
  }

  /** Notes that a producer has stopped for good. */
  leave(number: number): void {
    if (number === NOBODY) return
    const producer = this.get(number)
    producer.isLeft = true
    this.release(producer)
  }

  /** A producer may have lost its last book, see {@link sweep}. */
  release(producer: Producer): void {
    if (isDone(producer)) this.done.add(producer)
  }

  /**
   * Frees the numbers of producers that have stopped for good and have no book. At the end of a turn: a quote that moves
   * to another event has left one book before it is in the next.
   */
  sweep(): void {
    for (const producer of this.done) {
      if (!isDone(producer)) continue
      this.byNumber.delete(producer.number)
      this.byName.delete(producer.name)
      this.free.push(producer.number)
    }
    this.done.clear()
  }

  // --- images

  /** The queues of books are in the columns of books. The order of producers is that of {@link all}. */
  save(image: ImageWriter): void {
    const { partsEnd, free } = this
    this.sources.save(image, 'sources')
    const sharedBooks = new GrowingColumn(Uint32Array)
    const producers = Array.from(this.byNumber.values(), ({ shared, pending, ...producer }) => {
      for (const book of shared) sharedBooks.push(book)
      return { ...producer, shared: shared.size, pending }
    })
    const runs = this.runs.size === 0 ? {} : { runs: [...this.runs] }
    image.value('producers', { partsEnd, free, producers, ...runs })
    sharedBooks.save(image, 'producers shared')
  }

  load(image: ImageReader): void {
    this.sources.load(image, 'sources')
    const { partsEnd, free, producers, runs = [] } = image.value('producers') as SavedProducers
    for (const [source, run] of runs) this.runs.set(source, run)
    const sharedBooks = readColumn(image, 'producers shared', Uint32Array)
    this.partsEnd = partsEnd
    for (const number of free) this.free.push(number)
    let place = 0
    for (const { number, source, name, shared, ...others } of producers) {
      const producer = Object.assign(this.insert(number, source, name), others)
      for (const end = place + shared; place < end; place++) producer.shared.add(sharedBooks[place]!)
      // Between two turns there are none, see sweep.
      this.release(producer)
    }
  }

  private append(producer: Producer, book: number): void {
    const { after, before } = this.books
    after[book] = 0
    before[book] = producer.last
    if (producer.last === 0) producer.first = book
    else after[producer.last] = book
    producer.last = book
  }

  private remove(producer: Producer, book: number): void {
    const { after, before } = this.books
    const next = after[book]!
    const previous = before[book]!
    if (previous === 0) producer.first = next
    else after[previous] = next
    if (next === 0) producer.last = previous
    else before[next] = previous
  }

  // --- statements

  addStatement(producer: Producer, statement: Statement): void {
    const { pending } = producer
    pending.push({ ...statement, seq: ++producer.seq })
    if (pending.length <= PENDING_MAX) return
    const [first, second] = pending.splice(0, 2) as [Numbered, Numbered]
    pending.unshift({ ...join(first, second), seq: second.seq })
  }

  /** The statements that have not reached a book that is up to date as of statement `done`, joined. Undefined: none. */
  pendingFor(producer: Producer, done: number): Statement | undefined {
    const { pending, seq } = producer
    if (done === seq) return undefined
    const { joined } = this
    if (joined?.producer === producer && joined.seq === seq && joined.done === done) return joined.sum
    let sum: Statement | undefined
    for (const statement of pending) {
      if (statement.seq > done) sum = sum === undefined ? statement : join(sum, statement)
    }
    this.joined = { producer, seq, done, sum }
    return sum
  }
}
