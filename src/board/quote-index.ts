// From a quote's identity (market, outcome, book) to its slot: open addressing with linear probing, at most two thirds
// full. An entry is the slot and, in the bits that no slot needs, a part of the hash: another quote's row is read for one
// entry of 256 at 10 M quotes, of more for fewer, so that finding a quote waits for memory twice.

import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { memoryOf } from '../domain/memory.ts'
import type { Quotes } from './quotes.ts'

/** 32-bit mix of the three numbers (the finalizer of MurmurHash3 over a multiplicative combination), with a sign, see below. */
const mix = (market: number, outcome: number, book: number): number => {
  let hash = Math.imul(market, 0x9e3779b1) ^ Math.imul(outcome, 0x85ebca6b) ^ Math.imul(book, 0xc2b2ae35)
  hash ^= hash >>> 16
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

/** Measured with 10 M quotes at random: 4/3 finds and writes one in 299 ns, 3/2 in 226, 2 in 242. */
const PLACES_A_QUOTE = 3 / 2

/**
 * Slots that wait to be inserted together: the places of all are read before the first is written, in a loop that does nothing else, so
 * that their waits for memory overlap. A new quote among 2 M took 237 ns, and takes 150; 16, 64 and 128 are no better.
 */
const TOGETHER = 32

/** The capacity is at most 2^UNIT_BITS units, and more than half as many: at most a sixteenth is for nothing. */
const UNIT_BITS = 5

/**
 * Up to so many places a slot, reading the places of an image is faster than inserting the slots: at two places, 0.04 s
 * against 0.6 s for 5 M quotes.
 */
const SAVED_PLACES_MAX = 8

/** Entries that are touched at a time: 64 pages of 4 KB, 0.2 to 0.9 ms where the host has to find the memory. */
const TOUCHED = 64 * 1_024
const PAGE = 1_024
/** Entries of an index whose memory is taken at once at most: 64 MB, of some ten million quotes. */
const TOUCHED_MAX = 2 ** 24

export class QuoteIndex {
  // Declared, and whole numbers: to V8 a field that is defined and then assigned may hold anything, and is checked at each
  // use. Without either, finding and writing one of 100 k quotes takes 44 ns instead of 34.
  declare private readonly quotes: Quotes
  // All with a sign: V8 checks and converts what has none. With that, and places that are known before they are read, a new quote among
  // 1 M takes 98 ns instead of 111.
  declare private readonly entries: Int32Array
  declare private readonly capacity: number
  // The capacity is `units` of a power of two: the high bits of the hash choose the place by one multiplication.
  declare private readonly units: number
  declare private readonly unitShift: number
  // Bits of a slot, as many as the capacity has: an image of the same length is of this form. Those above are the low bits of
  // the hash.
  declare private readonly slotBits: number
  declare private readonly slotMask: number
  declare private waiting: number
  /** Entries, and their homes. */
  private readonly waitingEntries = new Int32Array(TOGETHER)
  private readonly places = new Int32Array(TOGETHER)
  private readonly seen = new Int32Array(TOGETHER)

  constructor(quotes: Quotes) {
    this.quotes = quotes
    const places = quotes.length * PLACES_A_QUOTE + 1
    const unitBits = Math.max(Math.ceil(Math.log2(places)) - UNIT_BITS, 0) | 0
    this.units = Math.ceil(places / 2 ** unitBits) | 0
    this.unitShift = 32 - UNIT_BITS - unitBits
    this.capacity = this.units << unitBits
    this.entries = new Int32Array(memoryOf(4 * this.capacity))
    this.slotBits = 32 - Math.clz32(this.capacity)
    this.slotMask = (1 << this.slotBits) - 1
    this.waiting = 0
  }

  /** The slot of a quote, 0 where there is none. */
  find(market: number, outcome: number, book: number): number {
    if (this.waiting !== 0) this.settle()
    const { entries, capacity, quotes, slotBits, slotMask } = this
    const hash = mix(market, outcome, book)
    const tag = hash << slotBits
    let place = this.homeOf(hash)
    for (;;) {
      const entry = entries[place]!
      if (entry === 0) return 0
      if ((entry ^ tag) >>> slotBits === 0) {
        const slot = entry & slotMask
        if (quotes.is(slot, market, outcome, book)) return slot
      }
      if (++place === capacity) place = 0
    }
  }

  /** Inserts a slot whose row is written and that is not in the index; the row's names stay. */
  insert(slot: number): void {
    const hash = this.hashOf(slot)
    const { waiting } = this
    this.places[waiting] = this.homeOf(hash)
    this.waitingEntries[waiting] = slot | (hash << this.slotBits)
    this.waiting = waiting + 1
    if (this.waiting === TOGETHER) this.settle()
  }

  /** Inserts what waits. Whatever reads the places calls it before. */
  private settle(): void {
    const { entries, capacity, waitingEntries, places, seen, waiting } = this
    // Kept, so that they are read here.
    for (let n = 0; n < waiting; n++) seen[n] = entries[places[n]!]!
    for (let n = 0; n < waiting; n++) {
      let place = places[n]!
      while (entries[place] !== 0) if (++place === capacity) place = 0
      entries[place] = waitingEntries[n]!
    }
    this.waiting = 0
  }

  /**
   * Has the system give the memory of all entries, in steps. They are used at random: each of the first quotes would wait for a page,
   * twice, since it is read before it is written: a hundred quotes of a new board had some 165 page faults. Of a larger index each
   * page is given when it is used: who gives room for a hundred million quotes need not have so many.
   */
  *touchSteps(): Generator<undefined, void> {
    const { entries, capacity } = this
    if (capacity > TOUCHED_MAX) return
    for (let place = 0; place < capacity; place += PAGE) {
      // In one operation: what is read first is given as a page that cannot be written.
      Atomics.or(entries, place, 0)
      if (place % TOUCHED === 0) yield
    }
  }

  /** Removes a slot whose row is still valid. Later entries of the run move back, so no tombstones are left. */
  remove(slot: number): void {
    if (this.waiting !== 0) this.settle()
    const { entries, capacity, slotBits, slotMask } = this
    const hash = this.hashOf(slot)
    const removed = slot | (hash << slotBits)
    let hole = this.homeOf(hash)
    while (entries[hole] !== removed) if (++hole === capacity) hole = 0
    for (let place = hole; ; ) {
      if (++place === capacity) place = 0
      const moved = entries[place]!
      if (moved === 0) break
      // An entry may move back to the hole only if its home does not lie between the two.
      const home = this.homeOf(this.hashOf(moved & slotMask))
      const fromHome = place >= home ? place - home : place - home + capacity
      const fromHole = place >= hole ? place - hole : place - hole + capacity
      if (fromHome >= fromHole) {
        entries[hole] = moved
        hole = place
      }
    }
    entries[hole] = 0
  }

  /** @param used slots that have ever been used */
  save(image: ImageWriter, used: number): void {
    this.settle()
    const isWorthSaving = this.capacity <= used * SAVED_PLACES_MAX
    image.derived('index', isWorthSaving ? this.image : new Uint32Array(0))
  }

  /**
   * After the quotes.
   * @param isOurs whether it was saved in this form
   */
  load(image: ImageReader, used: number, isOurs: boolean): void {
    this.waiting = 0
    if (image.derived('index', isOurs ? this.image : new Uint32Array(0)) && isOurs) return
    image.settle()
    const { quotes } = this
    for (let slot = 1; slot <= used; slot++) if (quotes.statusOf(slot) !== 0) this.insert(slot)
    this.settle()
  }

  /** The entries as they are saved. */
  private get image(): Uint32Array {
    return new Uint32Array(this.entries.buffer)
  }

  private homeOf(hash: number): number {
    return Math.imul(hash >>> UNIT_BITS, this.units) >>> this.unitShift
  }

  private hashOf(slot: number): number {
    const { quotes } = this
    return mix(quotes.marketOf(slot), quotes.outcomeOf(slot), quotes.bookOf(slot))
  }
}
