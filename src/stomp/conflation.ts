// Conflation (`conflate-ms`): of each quote at most one price in a given time, the latest. The first price after a
// pause is delivered at once; one that follows it too early is held, and the last of those is delivered when the time
// is over. Changes of status (all changes other than `repriced`) are never held, and carry the current price.
//
// A held price is no copy: it is a mark that the quote has an undelivered price, with its seq and times. A later change
// of the quote removes or replaces the mark, so the price itself is read from the board when it is due.
//
// The state of a quote is in a page of 64 quotes, which is allocated when one of them is delivered and freed when none
// has state. The quotes are chained in the order of their last delivery: the first is due first. No step depends on the
// number of quotes, and growing copies nothing.

import { CHANGE } from '../domain/quote.ts'
import { pick, type Selection } from './message.ts'
import type { ReplayRing } from './replay-ring.ts'

const PAGE_BITS = 6
const PAGE_QUOTES = 2 ** PAGE_BITS
const PLACE_MASK = PAGE_QUOTES - 1

// The columns of a page, one after the other.
/** When the quote was last delivered, epoch ms; 0: it has no state. */
const SHOWN_AT = 0
/** Seq of the held price; 0: none. */
const HELD_SEQ = PAGE_QUOTES
/** When the engine recorded that price, epoch ms. */
const HELD_AT = 2 * PAGE_QUOTES
/** When that price was observed, epoch ms. */
const HELD_SEEN_AT = 3 * PAGE_QUOTES
const NEXT = 4 * PAGE_QUOTES
const PREVIOUS = 5 * PAGE_QUOTES
const CELLS = 6 * PAGE_QUOTES

/** Memory of a page, with its object and its entry in the table (measured). */
export const PAGE_BYTES = CELLS * Float64Array.BYTES_PER_ELEMENT + 256

interface Page {
  readonly cells: Float64Array
  /** Quotes with state. */
  count: number
}

/** Memory of all conflations of a session, octets. */
export interface ConflationMemory {
  readonly conflationBytes: number
  addConflation(bytes: number): void
}

const NO_MEMORY: ConflationMemory = { conflationBytes: 0, addConflation: () => {} }

/** A price that is due. */
export interface DuePrice {
  /** Number of the quote. */
  readonly quote: number
  readonly seq: number
  /** When the engine recorded it, and when it was observed, epoch ms. */
  readonly recordedAt: number
  readonly observedAt: number
}

export class Conflation {
  /** Prices that were never delivered, because a later one or a status came before their time. */
  merged = 0
  /** Quotes of which a price is held. */
  held = 0
  private onDue: (() => void) | undefined
  private readonly ms: number
  private memory = NO_MEMORY
  private readonly pages = new Map<number, Page>()
  private first = 0
  private last = 0
  private timer: NodeJS.Timeout | undefined
  // Scratch memory of `filter`: whether the next change of a quote is `repriced`.
  private readonly isPriceNext = new Map<number, boolean>()

  constructor(ms: number) {
    this.ms = ms
  }

  /** Starts to work for a session. @param onDue called when a held price is due, or the state of a quote expires */
  open(memory: ConflationMemory, onDue: () => void): void {
    this.memory = memory
    this.onDue = onDue
  }

  /** Clears all state and stops the timer. */
  clear(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.memory.addConflation(-this.pages.size * PAGE_BYTES)
    this.pages.clear()
    this.first = 0
    this.last = 0
    this.held = 0
  }

  close(): void {
    this.clear()
    this.onDue = undefined
  }

  /** How long the first price has been due, ms; 0: none is due. */
  lateMs(nowAt: number): number {
    return this.held === 0 ? 0 : Math.max(0, nowAt - this.shownAtOf(this.first) - this.ms)
  }

  /** Whether a price is due, or the state of a quote has expired. */
  isDue(nowAt: number): boolean {
    return this.first !== 0 && this.shownAtOf(this.first) + this.ms <= nowAt
  }

  /** Notes that a price of a quote is delivered. */
  show(quote: number, shownAt: number, nowAt = shownAt): void {
    const page = this.pageOf(quote)
    const { cells } = page
    const place = quote & PLACE_MASK
    if (cells[place] !== 0) {
      if (cells[HELD_SEQ + place] !== 0) this.held--
      this.unlink(cells, place)
    } else page.count++
    cells[SHOWN_AT + place] = shownAt
    cells[HELD_SEQ + place] = 0
    cells[PREVIOUS + place] = this.last
    cells[NEXT + place] = 0
    if (this.last === 0) this.first = quote
    else this.pageOf(this.last).cells[NEXT + (this.last & PLACE_MASK)] = quote
    this.last = quote
    this.schedule(nowAt)
  }

  /** Holds a price of a quote that has no state. @param shownAt it is due `conflate-ms` after that */
  hold(quote: number, seq: number, recordedAt: number, observedAt: number, shownAt: number, nowAt: number): void {
    this.show(quote, shownAt, nowAt)
    const { cells } = this.pageOf(quote)
    const place = quote & PLACE_MASK
    cells[HELD_SEQ + place] = seq
    cells[HELD_AT + place] = recordedAt
    cells[HELD_SEEN_AT + place] = observedAt
    this.held++
  }

  /**
   * Keeps in the selection what is delivered now, and holds the rest.
   * @param selection changes of the group, as {@link select} has picked them
   */
  filter(ring: ReplayRing, group: number, selection: Selection, nowAt: number): void {
    const { count, changes } = selection
    const { isPriceNext } = this
    const firstChange = ring.firstChangeOf(group)
    const firstSeq = ring.firstSeqOf(group)
    // From the last to the first, so that each finds its successor: a group may have ten thousand changes.
    isPriceNext.clear()
    for (let n = count - 1; n >= 0; n--) {
      const at = changes[n]!
      const quote = ring.quoteAt(at)
      const isPrice = ring.changeAt(at) === CHANGE.repriced
      // Of two successive prices of a quote in a group, only the later one is delivered.
      if (isPrice && isPriceNext.get(quote) === true) {
        this.merged++
        changes[n] = -1
      }
      isPriceNext.set(quote, isPrice)
    }
    selection.count = 0
    selection.observedAt = 0
    for (let n = 0; n < count; n++) {
      const at = changes[n]!
      if (at === -1) continue
      const quote = ring.quoteAt(at)
      const seq = firstSeq + (at - firstChange)
      const cells = this.pages.get(quote >>> PAGE_BITS)?.cells
      const place = quote & PLACE_MASK
      if (cells !== undefined && cells[SHOWN_AT + place] !== 0) {
        const isHeld = cells[HELD_SEQ + place] !== 0
        if (isHeld) this.merged++
        // A held price that is due and not delivered yet is replaced by this one.
        const isTooEarly = isHeld || nowAt < cells[SHOWN_AT + place]! + this.ms
        if (isTooEarly && ring.changeAt(at) === CHANGE.repriced) {
          if (!isHeld) this.held++
          cells[HELD_SEQ + place] = seq
          cells[HELD_AT + place] = ring.recordedAtOf(group)
          cells[HELD_SEEN_AT + place] = ring.observedAtAt(at)
          continue
        }
      }
      this.show(quote, nowAt)
      pick(ring, at, seq, selection)
    }
  }

  /**
   * Removes held prices that are due, and the state of quotes that expired without one.
   * @param pricesMax how many prices
   * @param visitsMax how many quotes are examined
   */
  removeDue(nowAt: number, pricesMax: number, visitsMax: number): DuePrice[] {
    const due: DuePrice[] = []
    for (let visits = 0; visits < visitsMax && due.length < pricesMax && this.isDue(nowAt); visits++) {
      const quote = this.first
      const page = this.pageOf(quote)
      const place = quote & PLACE_MASK
      const seq = page.cells[HELD_SEQ + place]!
      if (seq === 0) {
        this.forget(page, quote)
        continue
      }
      const recordedAt = page.cells[HELD_AT + place]!
      due.push({ quote, seq, recordedAt, observedAt: page.cells[HELD_SEEN_AT + place]! })
      this.show(quote, nowAt)
    }
    this.schedule(nowAt)
    return due
  }

  private shownAtOf(quote: number): number {
    return this.pageOf(quote).cells[SHOWN_AT + (quote & PLACE_MASK)]!
  }

  private pageOf(quote: number): Page {
    const number = quote >>> PAGE_BITS
    const known = this.pages.get(number)
    if (known !== undefined) return known
    const page = { cells: new Float64Array(CELLS), count: 0 }
    this.pages.set(number, page)
    this.memory.addConflation(PAGE_BYTES)
    return page
  }

  private forget(page: Page, quote: number): void {
    const place = quote & PLACE_MASK
    this.unlink(page.cells, place)
    page.cells[SHOWN_AT + place] = 0
    if (--page.count > 0) return
    this.pages.delete(quote >>> PAGE_BITS)
    this.memory.addConflation(-PAGE_BYTES)
  }

  private unlink(cells: Float64Array, place: number): void {
    const next = cells[NEXT + place]!
    const previous = cells[PREVIOUS + place]!
    if (previous === 0) this.first = next
    else this.pageOf(previous).cells[NEXT + (previous & PLACE_MASK)] = next
    if (next === 0) this.last = previous
    else this.pageOf(next).cells[PREVIOUS + (next & PLACE_MASK)] = previous
  }

  /** Sets the timer that calls {@link onDue} when the first quote is due. */
  private schedule(nowAt: number): void {
    if (this.timer !== undefined || this.first === 0 || this.onDue === undefined) return
    const dueAt = this.shownAtOf(this.first) + this.ms
    // What is already due is being delivered, as fast as the subscriber reads it.
    if (dueAt <= nowAt) return
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.onDue?.()
    }, dueAt - nowAt)
  }
}
