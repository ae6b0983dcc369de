// The quotes: a row of 32 octets each. Whoever finds, compares and writes a quote, or walks over a book, touches one line
// of the processor's cache for it; with a column for each field it was up to nine. Number 0 is "none" everywhere.
//
//   row       market  outcome  book      u32   which market of which event; interned label; (event, bookmaker, transport), 0: free
//             odds                       u32   in ten thousandths; what is not a multiple of them is in `exact`
//             time                       u32   when it was observed, epoch ms: the low 32 bits
//             state                      u32   the high 24 bits of that, with sign; the status (status.ts), 8 bits, 0: not on the board
//             next  previous             u32   next quote of the same book (in a free row: next free one), and the one before
//   exact                                f64   odds as the source's number, where the row does not hold them exactly

import { type Column, type ImageReader, type ImageWriter, tooLarge } from '../domain/image.ts'
import { readColumn } from '../domain/image-columns.ts'
import { memoryOf } from '../domain/memory.ts'

const HEADROOM = 1 // for number 0

// Places in a row.
const MARKET = 0
const OUTCOME = 1
const BOOK = 2
const ODDS = 3
const TIME = 4
const STATE = 5
const NEXT = 6
const PREVIOUS = 7
/** By shifts, which cannot overflow: V8 checks products and sums of slots. */
const ROW_BITS = 3
const WIDTH = 1 << ROW_BITS

/** Large blocks of memory begin 16 octets into a line of 64: with so many more, two rows are one line. */
const TO_LINE = 48

const ODDS_UNIT = 10_000
/** Instead of odds: they are in `exact`. */
const EXACT = 0xffff_ffff

const HIGH = 2 ** 32

/** The columns of the rows as versions that write format 1 of checkpoints have saved them, in their order. */
const OLD_COLUMNS = {
  market: Uint32Array,
  outcome: Uint32Array,
  book: Uint32Array,
  status: Uint8Array,
  odds: Float64Array,
  observedAt: Float64Array,
  next: Uint32Array,
  previous: Uint32Array,
} as const

export class Quotes {
  // Declared as those of QuoteIndex, see there.
  /** Rows, that of number 0 included. */
  declare readonly length: number
  declare private readonly rows: Uint32Array
  declare private readonly exact: Float64Array
  /** All that `exact` has ever held is below. */
  private exactEnd = 0

  /** All is allocated at once; the system commits pages when they are first written. */
  constructor(quotesMax: number) {
    this.length = quotesMax + HEADROOM
    this.rows = new Uint32Array(memoryOf(this.length * WIDTH * 4 + TO_LINE), TO_LINE)
    this.exact = new Float64Array(memoryOf(8 * this.length))
  }

  marketOf(slot: number): number {
    return this.rows[(slot << ROW_BITS) | MARKET]!
  }

  outcomeOf(slot: number): number {
    return this.rows[(slot << ROW_BITS) | OUTCOME]!
  }

  bookOf(slot: number): number {
    return this.rows[(slot << ROW_BITS) | BOOK]!
  }

  /** Whether a row is of this quote. */
  is(slot: number, market: number, outcome: number, book: number): boolean {
    const { rows } = this
    const row = slot << ROW_BITS
    return rows[row | MARKET] === market && rows[row | OUTCOME] === outcome && rows[row | BOOK] === book
  }

  /** The source's status and whether it is suspect (status.ts); 0: it is not on the board. */
  statusOf(slot: number): number {
    return this.rows[(slot << ROW_BITS) | STATE]! & 0xff
  }

  /** Exactly the source's number, never rounded. */
  oddsOf(slot: number): number {
    const odds = this.rows[(slot << ROW_BITS) | ODDS]!
    return odds === EXACT ? this.exact[slot]! : odds / ODDS_UNIT
  }

  /** Epoch ms. */
  observedAtOf(slot: number): number {
    const row = slot << ROW_BITS
    return (this.rows[row | STATE]! >> 8) * HIGH + this.rows[row | TIME]!
  }

  /** The earliest time of the rows from one to another (exclusive) that are not free; Infinity: all are. Epoch ms. */
  firstObservedAt(from: number, end: number): number {
    const { rows } = this
    let firstAt = Number.POSITIVE_INFINITY
    for (let row = from << ROW_BITS; row < end << ROW_BITS; row += WIDTH) {
      if (rows[row | BOOK] === 0) continue
      const at = (rows[row | STATE]! >> 8) * HIGH + rows[row | TIME]!
      if (at < firstAt) firstAt = at
    }
    return firstAt
  }

  /** Reads some rows, to have them in the cache. @returns anything */
  read(slot: number, count: number): number {
    const { rows } = this
    let sum = 0
    // Two rows are one line.
    for (let n = 0; n < count; n += 2) sum += rows[(slot + n) << ROW_BITS] ?? 0
    return sum
  }

  nextOf(slot: number): number {
    return this.rows[(slot << ROW_BITS) | NEXT]!
  }

  previousOf(slot: number): number {
    return this.rows[(slot << ROW_BITS) | PREVIOUS]!
  }

  setMarket(slot: number, market: number): void {
    this.rows[(slot << ROW_BITS) | MARKET] = market
  }

  /** A row without a book is free. */
  setBook(slot: number, book: number): void {
    this.rows[(slot << ROW_BITS) | BOOK] = book
  }

  setStatus(slot: number, status: number): void {
    const row = (slot << ROW_BITS) | STATE
    this.rows[row] = (this.rows[row]! & ~0xff) | status
  }

  /** @returns whether they were others before: by whole numbers where they can be, two divisions less */
  setOdds(slot: number, odds: number): boolean {
    const { rows } = this
    const units = (odds * ODDS_UNIT + 0.5) >>> 0
    const row = (slot << ROW_BITS) | ODDS
    const before = rows[row]!
    const fits = units / ODDS_UNIT === odds && units !== EXACT
    if (!fits || before === EXACT) return this.setExact(slot, fits ? units : EXACT, odds)
    rows[row] = units
    return before !== units
  }

  /** Where the row holds them, `exact` is 0, so that it depends on nothing but the quotes. */
  private setExact(slot: number, units: number, odds: number): boolean {
    const before = this.oddsOf(slot)
    this.rows[(slot << ROW_BITS) | ODDS] = units
    this.exact[slot] = units === EXACT ? odds : 0
    if (slot >= this.exactEnd) this.exactEnd = slot + 1
    return before !== odds
  }

  /** @param at whole ms */
  setObservedAt(slot: number, at: number): void {
    const row = slot << ROW_BITS
    const low = at >>> 0
    this.rows[row | TIME] = low
    this.rows[row | STATE] = (((at - low) / HIGH) << 8) | (this.rows[row | STATE]! & 0xff)
  }

  setNext(slot: number, next: number): void {
    this.rows[(slot << ROW_BITS) | NEXT] = next
  }

  setPrevious(slot: number, previous: number): void {
    this.rows[(slot << ROW_BITS) | PREVIOUS] = previous
  }

  /** Names the quote of a row. */
  setNames(slot: number, market: number, outcome: number, book: number): void {
    const { rows } = this
    const row = slot << ROW_BITS
    rows[row | MARKET] = market
    rows[row | OUTCOME] = outcome
    rows[row | BOOK] = book
  }

  /** What some rows hold, for a checksum. */
  columns(from: number, to: number): Column[] {
    return [this.rows.subarray(from * WIDTH, to * WIDTH), this.exact.subarray(from, to)]
  }

  /** @param used how many numbers have ever been used */
  save(image: ImageWriter, used: number): void {
    image.column('quotes rows', this.rows.subarray(0, (used + HEADROOM) * WIDTH))
    while (this.exactEnd > 0 && this.exact[this.exactEnd - 1] === 0) this.exactEnd--
    image.column('quotes exact', this.exact.subarray(0, this.exactEnd))
  }

  load(image: ImageReader): void {
    this.fit(image.lengthOf('quotes rows') / WIDTH - HEADROOM)
    image.fill('quotes rows', this.rows)
    this.loadExact(image)
  }

  /**
   * Loads what versions that write format 2 of checkpoints have saved.
   * @returns their column of the wheel, see {@link Wheel.loadSlots}
   */
  loadWithTimer(image: ImageReader): Uint32Array {
    this.fit(image.lengthOf('quotes rows') / WIDTH - HEADROOM)
    image.fill('quotes rows', this.rows)
    const timer = readColumn(image, 'quotes timer', Uint32Array)
    this.loadExact(image)
    return timer
  }

  private loadExact(image: ImageReader): void {
    this.exactEnd = image.lengthOf('quotes exact')
    image.fill('quotes exact', this.exact)
  }

  /** The same of format 1: a column for each field. */
  loadColumns(image: ImageReader): Uint32Array {
    const used = image.lengthOf('quotes market') - HEADROOM
    this.fit(used)
    const read = (name: keyof typeof OLD_COLUMNS): Column =>
      readColumn<Column>(image, `quotes ${name}`, OLD_COLUMNS[name])
    const [market, outcome, book] = [read('market'), read('outcome'), read('book')]
    for (let slot = 1; slot <= used; slot++) this.setNames(slot, market[slot]!, outcome[slot]!, book[slot]!)
    const status = read('status')
    for (let slot = 1; slot <= used; slot++) this.setStatus(slot, status[slot]!)
    const odds = read('odds')
    for (let slot = 1; slot <= used; slot++) this.setOdds(slot, odds[slot]!)
    const observedAt = read('observedAt')
    for (let slot = 1; slot <= used; slot++) this.setObservedAt(slot, observedAt[slot]!)
    const next = read('next')
    for (let slot = 1; slot <= used; slot++) this.setNext(slot, next[slot]!)
    const previous = read('previous')
    for (let slot = 1; slot <= used; slot++) this.setPrevious(slot, previous[slot]!)
    return readColumn(image, 'quotes timer', Uint32Array)
  }

  /** There are as many rows as the board may hold quotes. A row that was used once keeps its number. */
  private fit(used: number): void {
    if (used + HEADROOM > this.length) throw tooLarge(`${used} quotes, free ones included,`, 'quotes-max', used)
  }
}
