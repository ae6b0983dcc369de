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
