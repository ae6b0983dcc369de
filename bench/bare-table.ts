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

const ROW_BITS = 3
const UNIT_BITS = 5
/** Slots of a block of the wheel. */
const BLOCK_BITS = 4
const BUCKETS = 2 ** 20

/**
 * The least board: what a board cannot do without, in one class, and nothing else. Of a known quote: a probe of an index of six
 * octets a quote, as large as P8 allows; the three names in a row of 32 octets are compared, since the index does not hold
 * them; the time is compared, so that an older price changes nothing; odds as whole numbers where they are exactly that. Of
 * a new one, too: the list of its book, the counts of book and market, without which neither is known to be empty, those of its
 * bookmaker, which has a share, and of its label, which goes with its last quote, and the list of a wheel, without which it does
 * not age out.
 */
export class BareRows {
  // Declared: see QuoteIndex in board/quote-index.ts.
  declare private readonly entries: Int32Array
  declare private readonly capacity: number
  declare private readonly units: number
  declare private readonly unitShift: number
  declare private readonly slotMask: number
  declare private readonly rows: Int32Array
  private readonly head: Int32Array
  private readonly bookQuotes: Int32Array
  private readonly marketQuotes: Int32Array
  /** By book. */
  private readonly bookmakers: Uint16Array
  private readonly bookmakerQuotes = new Int32Array(2 ** 16)
  private readonly labelUses = new Int32Array(2 ** 16)
  private readonly buckets: Int32Array
  private readonly nextBlock: Int32Array
  private readonly firstBlock = new Int32Array(BUCKETS)
  private used = 0

  constructor(quotes: number) {
    const places = quotes * 1.5 + 1
    const unitBits = Math.max(Math.ceil(Math.log2(places)) - UNIT_BITS, 0) | 0
    this.units = Math.ceil(places / 2 ** unitBits) | 0
    this.unitShift = 32 - UNIT_BITS - unitBits
    this.capacity = this.units << unitBits
    this.slotMask = (1 << (32 - Math.clz32(this.capacity))) - 1
    this.entries = new Int32Array(this.capacity)
    this.rows = new Int32Array((quotes + 1) << ROW_BITS)
    this.head = new Int32Array(quotes + 1)
    this.bookQuotes = new Int32Array(quotes + 1)
    this.marketQuotes = new Int32Array(quotes + 1)
    this.bookmakers = new Uint16Array(quotes + 1)
    this.buckets = new Int32Array((quotes >>> BLOCK_BITS) + 2)
    this.nextBlock = new Int32Array((quotes >>> BLOCK_BITS) + 2)
  }

  /** @param odds with at most four decimals. @returns whether it was written */
  upsert(market: number, outcome: number, book: number, odds: number, observedAt: number): boolean {
    const { entries, rows, capacity, slotMask } = this
    let hash = Math.imul(market, 0x9e3779b1) ^ Math.imul(outcome, 0x85ebca6b) ^ Math.imul(book, 0xc2b2ae35)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    hash ^= hash >>> 13
    let place = Math.imul(hash >>> UNIT_BITS, this.units) >>> this.unitShift
    // The bits of the hash that no slot needs are of it.
    const tag = Math.imul(hash, slotMask + 1)
    let row = 0
    for (let entry = entries[place]!; entry !== 0; entry = entries[place]!) {
      if (((entry ^ tag) & ~slotMask) === 0) {
        row = (entry & slotMask) << ROW_BITS
        if (rows[row] === market && rows[row | 1] === outcome && rows[row | 2] === book) break
        row = 0
      }
      if (++place === capacity) place = 0
    }
    if (row === 0) {
      const slot = ++this.used
      row = slot << ROW_BITS
      entries[place] = slot | tag
      rows[row] = market
      rows[row | 1] = outcome
      rows[row | 2] = book
      this.list(slot, row, market, outcome, book, observedAt)
    } else if ((rows[row | 5]! >> 8) * 2 ** 32 + (rows[row | 4]! >>> 0) > observedAt) return false
    const units = (odds * 10_000 + 0.5) | 0
    if (units / 10_000 !== odds) throw new RangeError('odds have four decimals')
    rows[row | 3] = units
    rows[row | 4] = observedAt
    rows[row | 5] = ((observedAt / 2 ** 32) << 8) | 1
    return true
  }

  /** A new quote in the lists of its book and of the wheel, and in all counts. */
  private list(slot: number, row: number, market: number, outcome: number, book: number, observedAt: number): void {
    const { rows, head, bookQuotes, marketQuotes, bookmakerQuotes, labelUses, buckets } = this
    const second = head[book]!
    rows[row | 6] = second
    if (second !== 0) rows[(second << ROW_BITS) | 7] = slot
    head[book] = slot
    bookQuotes[book] = bookQuotes[book]! + 1
    marketQuotes[market] = marketQuotes[market]! + 1
    const bookmaker = this.bookmakers[book]!
    bookmakerQuotes[bookmaker] = bookmakerQuotes[bookmaker]! + 1
    labelUses[outcome] = labelUses[outcome]! + 1
    const block = (slot >>> BLOCK_BITS) + 1
    if (buckets[block] !== 0) return
    const bucket = Math.floor(observedAt / 100) & (BUCKETS - 1)
    buckets[block] = bucket + 1
    this.nextBlock[block] = this.firstBlock[bucket]!
    this.firstBlock[bucket] = block
  }
}
