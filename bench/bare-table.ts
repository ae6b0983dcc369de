// The least that a board can do: an upsert into bare typed arrays, with open addressing.

/** Bare columns: key in two words, row, odds, time, status. No chains, no wheel, no catalogue. */
export class BareTable {
  private readonly capacity: number
  private readonly mask: number
  private readonly low: Uint32Array
  private readonly high: Uint32Array
  private readonly rows: Int32Array
  private readonly odds: Float64Array
  private readonly observedAt: Float64Array
  private readonly status: Uint8Array
  private used = 0

  constructor(quotes: number) {
    this.capacity = 2 ** Math.ceil(Math.log2(quotes * 2))
    this.mask = this.capacity - 1
    this.low = new Uint32Array(this.capacity)
    this.high = new Uint32Array(this.capacity)
    this.rows = new Int32Array(this.capacity).fill(-1)
    this.odds = new Float64Array(quotes)
    this.observedAt = new Float64Array(quotes)
    this.status = new Uint8Array(quotes)
  }

  upsert(low: number, high: number, odds: number, observedAt: number): void {
    let place = this.placeOf(low, high)
    let row = this.rows[place]!
    while (row >= 0 && (this.low[place] !== low || this.high[place] !== high)) {
      place = (place + 1) & this.mask
      row = this.rows[place]!
    }
    if (row < 0) {
      row = this.used++
      this.rows[place] = row
      this.low[place] = low
      this.high[place] = high
    }
    this.odds[row] = odds
    this.observedAt[row] = observedAt
    this.status[row] = 1
  }

  /** The odds of a quote that is there. */
  oddsOf(low: number, high: number): number {
    let place = this.placeOf(low, high)
    while (this.low[place] !== low || this.high[place] !== high) place = (place + 1) & this.mask
    return this.odds[this.rows[place]!]!
  }

  private placeOf(low: number, high: number): number {
    let hash = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b)
    hash ^= hash >>> 13
    hash = Math.imul(hash, 0xc2b2ae35)
    return (hash ^ (hash >>> 16)) & this.mask
  }

  get checksum(): number {
    return this.odds.reduce((sum, odds) => sum + odds, 0)
  }
}

const ROW = 8
const TAG_BITS = 8
const SLOT_MASK = 2 ** (32 - TAG_BITS) - 1

/**
 * What a board cannot do without, in one class, and nothing else: four octets in the index; a row of 32, whose three names are compared before it is written, since the index does not hold them; the time that
 * is compared, so that an older price changes nothing; odds as whole numbers where they are exactly that. Up to 16 M quotes.
 */
export class BareRows {
  // Declared: see QuoteIndex in board/quote-index.ts.
  declare private readonly entries: Int32Array
  declare private readonly mask: number
  declare private readonly rows: Int32Array
  private used = 0

  constructor(quotes: number) {
    if (quotes > SLOT_MASK) throw new RangeError(`at most ${SLOT_MASK} quotes`)
    const capacity = 1 << Math.ceil(Math.log2(quotes * 2))
    this.mask = capacity - 1
    this.entries = new Int32Array(capacity)
    this.rows = new Int32Array((quotes + 1) * ROW)
  }

  /** @param odds with at most four decimals. @returns whether it was written */
  upsert(market: number, outcome: number, book: number, odds: number, observedAt: number): boolean {
    const { entries, rows, mask } = this
    let hash = Math.imul(market, 0x9e3779b1) ^ Math.imul(outcome, 0x85ebca6b) ^ Math.imul(book, 0xc2b2ae35)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    hash ^= hash >>> 15
    let place = hash & mask
    let row = 0
    for (let entry = entries[place]!; entry !== 0; entry = entries[place]!) {
      if (((entry ^ hash) & ~SLOT_MASK) === 0) {
        row = (entry & SLOT_MASK) << 3
        if (rows[row] === market && rows[row | 1] === outcome && rows[row | 2] === book) break
        row = 0
      }
      place = (place + 1) & mask
    }
    if (row === 0) {
      row = ++this.used << 3
      entries[place] = this.used | (hash & ~SLOT_MASK)
      rows[row] = market
      rows[row | 1] = outcome
      rows[row | 2] = book
    } else if ((rows[row | 5]! >> 8) * 2 ** 32 + (rows[row | 4]! >>> 0) > observedAt) return false
    const units = (odds * 10_000 + 0.5) | 0
    if (units / 10_000 !== odds) throw new RangeError('odds have four decimals')
    rows[row | 3] = units
    rows[row | 4] = observedAt
    rows[row | 5] = ((observedAt / 2 ** 32) << 8) | 1
    return true
  }
}
