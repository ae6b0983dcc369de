// The expiry wheel: which quotes may have aged out. Lazy (Varghese and Lauck, "Hashed and Hierarchical Timing Wheels",
// 1987, scheme 6, with one revolution longer than any deadline): a re-observation never touches it. When a bucket falls
// due, the true deadline of each quote in it is checked, and the quote is filed again or ages out. So every quote in
// use is in exactly one bucket, and a slot is freed here and nowhere else.
//
// Exact on demand: advance(now) also goes through the bucket that `now` lies in, and keeps what is not due yet.

import assert from 'node:assert/strict'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { GrowingColumn, readColumn } from '../domain/image-columns.ts'
import { memoryOf } from '../domain/memory.ts'
import { FRESHNESS_MS, SKEW_MS_MAX } from '../domain/quote.ts'

/** One bucket of time. */
const TICK_MS = 100

/** 2^20 buckets of 100 ms are 29 hours: longer than freshness plus the clock skew of a source. */
const BUCKETS_MAX = 2 ** 20

// A deadline beyond the revolution would be visited, and filed again, in each revolution.
assert(
  TICK_MS * BUCKETS_MAX > FRESHNESS_MS + SKEW_MS_MAX,
  'a turn of the wheel is longer than freshness and skew together',
)

/**
 * After an advance, the true deadlines of so many buckets ahead are looked at: readers know for longer that nothing can
 * fall due, although most buckets hold quotes that were observed again.
 */
const AHEAD = 4

/** An empty bucket costs far less than a visit; this many count as one. */
const EMPTY_PER_VISIT = 64

export class Wheel {
  /** Up to this time (exclusive) nothing can fall due, so a reader need not advance. Epoch ms. */
  quietUntil: number
  private readonly timer: Uint32Array
  private readonly heads = new Uint32Array(memoryOf(4 * BUCKETS_MAX))
  /** The first tick that is not done. */
  private tick: number
  /** Quotes of the current bucket that were checked and are not due yet. */
  private kept = 0
  private keptDueAt = Number.POSITIVE_INFINITY

  /** @param timer the column that links the quotes of a bucket */
  constructor(timer: Uint32Array, nowAt: number) {
    this.timer = timer
    this.tick = 0
    this.quietUntil = 0
    this.start(nowAt)
  }

  /** Sets the time of an empty wheel. */
  start(at: number): void {
    this.tick = Math.floor(at / TICK_MS)
    this.quietUntil = this.tick * TICK_MS
  }

  /** Files a quote that is in no bucket. */
  file(slot: number, dueAt: number): void {
    // A deadline already past goes into the current bucket; one beyond the revolution (time has jumped, the wheel is
    // behind) into the farthest, from where it is filed again.
    const tick = Math.min(Math.max(Math.floor(dueAt / TICK_MS), this.tick), this.tick + BUCKETS_MAX - 1)
    const bucket = tick % BUCKETS_MAX
    this.timer[slot] = this.heads[bucket]!
    this.heads[bucket] = slot
    if (dueAt < this.quietUntil) this.quietUntil = dueAt
  }

  /**
   * Moves time up to `nowAt`. `visit` gets each quote that may be due and returns its true deadline, or 0 once it has
   * aged it out and freed its slot.
   * @param deadlineOf the true deadline of a quote
   * @returns whether all that is due at `nowAt` has been visited; if not, call again: `visitsMax` bounds the work
   */
  advance(
    nowAt: number,
    visitsMax: number,
    visit: (slot: number) => number,
    deadlineOf: (slot: number) => number,
  ): boolean {
    const { timer, heads } = this
    const nowTick = Math.floor(nowAt / TICK_MS)
    if (nowTick < this.tick) return true
    // After a jump over more than a revolution one pass over all buckets is enough.
    if (nowTick - this.tick >= BUCKETS_MAX) this.skipTo(nowTick - BUCKETS_MAX + 1)
    let visits = 0
    let empty = 0
    for (;;) {
      const bucket = this.tick % BUCKETS_MAX
      let slot = heads[bucket]!
      if (slot === 0 && ++empty === EMPTY_PER_VISIT) {
        empty = 0
        visits++
      }
      while (slot !== 0) {
        if (visits++ >= visitsMax) return false
        heads[bucket] = timer[slot]!
        const dueAt = visit(slot)
        if (dueAt !== 0) this.keepOrFile(slot, dueAt)
        slot = heads[bucket]!
      }
      if (this.tick === nowTick) {
        heads[bucket] = this.kept
        this.quietUntil = Math.min(this.keptDueAt, this.lookAhead(visitsMax - visits, deadlineOf))
        this.forgetKept()
        return true
      }
      if (this.kept !== 0) {
        // They were kept while this was the current bucket; time has advanced, so they are checked once more.
        heads[bucket] = this.kept
        this.forgetKept()
        continue
      }
      if (visits >= visitsMax) return false
      this.tick++
    }
  }

  /** Without the timers, which are a column of quotes. */
  save(image: ImageWriter): void {
    const { tick, kept, keptDueAt, quietUntil, heads } = this
    image.value('wheel', [tick, kept, keptDueAt, quietUntil])
    // Pairs of bucket and head: a small board uses few of the buckets.
    const used = new GrowingColumn(Uint32Array)
    // Two at a time: most are empty.
    const pairs = new Float64Array(heads.buffer)
    for (let pair = 0; pair < pairs.length; pair++) {
      if (pairs[pair] === 0) continue
      for (let bucket = 2 * pair; bucket < 2 * pair + 2; bucket++) {
        if (heads[bucket] === 0) continue
        used.push(bucket)
        used.push(heads[bucket]!)
      }
    }
    used.save(image, 'wheel heads')
  }

  load(image: ImageReader): void {
    const [tick, kept, keptDueAt, quietUntil] = image.value('wheel') as [number, number, number, number]
    Object.assign(this, { tick, kept, keptDueAt, quietUntil })
    const used = readColumn(image, 'wheel heads', Uint32Array)
    for (let place = 0; place < used.length; place += 2) this.heads[used[place]!] = used[place + 1]!
  }

  /** The first deadline after the current bucket, or the end of the buckets that were looked at. */
  private lookAhead(visitsMax: number, deadlineOf: (slot: number) => number): number {
    let firstAt = Number.POSITIVE_INFINITY
    let visits = 0
    let tick = this.tick + 1
    for (; tick <= this.tick + AHEAD && tick * TICK_MS < firstAt; tick++) {
      for (let slot = this.heads[tick % BUCKETS_MAX]!; slot !== 0; slot = this.timer[slot]!) {
        if (visits++ >= visitsMax) return Math.min(firstAt, tick * TICK_MS)
        firstAt = Math.min(firstAt, deadlineOf(slot))
      }
    }
    return Math.min(firstAt, tick * TICK_MS)
  }

  private keepOrFile(slot: number, dueAt: number): void {
    if (Math.floor(dueAt / TICK_MS) > this.tick) {
      this.file(slot, dueAt)
      return
    }
    this.timer[slot] = this.kept
    this.kept = slot
    this.keptDueAt = Math.min(this.keptDueAt, dueAt)
  }

  private forgetKept(): void {
    this.kept = 0
    this.keptDueAt = Number.POSITIVE_INFINITY
  }

  private skipTo(tick: number): void {
    const bucket = this.tick % BUCKETS_MAX
    let slot = this.kept
    this.forgetKept()
    while (slot !== 0) {
      const next = this.timer[slot]!
      this.timer[slot] = this.heads[bucket]!
      this.heads[bucket] = slot
      slot = next
    }
    this.tick = tick
  }
}
