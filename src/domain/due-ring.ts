// What has to be looked at by when, to the tick: a ring of buckets, one a tick (Varghese and Lauck, "Hashed and Hierarchical Timing
// Wheels", 1987, scheme 6). A round takes what is due; what it takes is to be filed again. Filing allocates nothing, whatever
// is filed is in one list, and none of these steps depends on how many others are filed.
//
//   file ──▶ bucket of its tick ──begin──▶ round ──next──▶ looked at, and filed again

/** What can be filed. */
export class Filed {
  // Of the ring: its neighbours in its list, itself where it is in none, and the tick of its bucket.
  ringBefore: Filed = this
  ringAfter: Filed = this
  ringTick = 0
}

/** Whether it is in a list; whether the list is not empty, of what stands for its beginning and its end. */
const isIn = (item: Filed): boolean => item.ringAfter !== item

const unlink = (item: Filed): void => {
  item.ringBefore.ringAfter = item.ringAfter
  item.ringAfter.ringBefore = item.ringBefore
  item.ringBefore = item
  item.ringAfter = item
}

/** Adds all of one list to the end of another one. */
const move = (from: Filed, to: Filed): void => {
  if (!isIn(from)) return
  from.ringAfter.ringBefore = to.ringBefore
  to.ringBefore.ringAfter = from.ringAfter
  from.ringBefore.ringAfter = to
  to.ringBefore = from.ringBefore
  from.ringBefore = from
  from.ringAfter = from
}

export class DueRing<Item extends Filed> {
  /** When the last round began, epoch ms. */
  at: number
  private readonly tickMs: number
  private readonly startedAt: number
  private readonly buckets: readonly Filed[]
  private readonly round = new Filed()
  /** The last tick of which a round has taken all, counted from the start: a small integer, also in each item. */
  private tick = 0

  /** @param ticks what is due later than so many ticks ahead is looked at by then, too */
  constructor(tickMs: number, ticks: number, nowAt: number) {
    this.tickMs = tickMs
    this.buckets = Array.from({ length: ticks }, () => new Filed())
    this.startedAt = nowAt
    this.at = nowAt
  }

  /**
   * Files it for the first round that begins at `dueAt` or later, or an earlier one; for the next round where that is past.
   * Where it is filed for an earlier round, it stays so.
   */
  file(item: Item, dueAt: number): void {
    const ahead = this.tickOf(dueAt) - this.tick
    const tick = this.tick + Math.min(Math.max(ahead, 1), this.buckets.length)
    if (isIn(item)) {
      if (item.ringTick <= tick) return
      unlink(item)
    }
    item.ringTick = tick
    const bucket = this.bucketOf(tick)
    item.ringBefore = bucket.ringBefore
    item.ringAfter = bucket
    bucket.ringBefore.ringAfter = item
    bucket.ringBefore = item
  }

  forget(item: Item): void {
    unlink(item)
  }

  /** Begins a round, or adds to the one that is not over. Each takes what is due, and what was filed for the next one. */
  begin(nowAt: number): void {
    this.at = nowAt
    const last = Math.max(this.tickOf(nowAt), this.tick + 1)
    for (let tick = Math.max(this.tick + 1, last - this.buckets.length + 1); tick <= last; tick++) {
      move(this.bucketOf(tick), this.round)
    }
    this.tick = last
  }

  /** Whether something of the round is left. */
  get isInRound(): boolean {
    return isIn(this.round)
  }

  /** Takes the next of the round, which is filed nowhere then. */
  next(): Item | undefined {
    const first = this.round.ringAfter
    if (first === this.round) return undefined
    unlink(first)
    return first as Item
  }

  private tickOf(at: number): number {
    return Math.floor((at - this.startedAt) / this.tickMs)
  }

  private bucketOf(tick: number): Filed {
    return this.buckets[tick % this.buckets.length]!
  }
}
