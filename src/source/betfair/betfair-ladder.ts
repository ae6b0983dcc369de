// The prices at which a runner of the exchange can be backed (docs/feeds.md 8). A stream sends only changes, so all
// prices are kept; the quote needs only the highest.

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

// The exchange has 350 price increments. A longer list is no ladder; the bound limits memory.
const PRICES_MAX = 1_000

export class BackLadder {
  /** Prices with money at them, rising: a change is found by binary search, and the best is the last. */
  private readonly prices: number[] = []
  /** By level, 0 the best; 0 where a level is empty. Display forms come by level and not by price. */
  private levels: number[] | undefined
  private displayed: number[] | undefined

  /** The highest price that can be backed; 0: none. */
  get best(): number {
    const { prices, levels, displayed } = this
    let best = prices.length === 0 ? 0 : prices[prices.length - 1]!
    if (levels !== undefined) best = Math.max(best, ...levels)
    if (displayed !== undefined) best = Math.max(best, ...displayed)
    return best
  }

  clear(): void {
    this.prices.length = 0
    this.levels = undefined
    this.displayed = undefined
  }

  /**
   * Applies changes of `atb`: `[price, size]`, size 0 removes. False: they cannot be read, and the ladder is unknown.
   */
  applyPrices(changes: unknown): boolean {
    if (!Array.isArray(changes)) return false
    for (const change of changes as unknown[]) {
      if (!Array.isArray(change)) return false
      const [price, size] = change as unknown[]
      if (!isNumber(price) || !isNumber(size)) return false
      this.set(price, size)
    }
    return true
  }

  /** Applies changes of `batb`: `[level, price, size]`; a level is replaced, size 0 removes it. */
  applyLevels(changes: unknown): boolean {
    this.levels ??= []
    return this.setLevels(this.levels, changes)
  }

  /** Applies changes of `bdatb`, which have the form of `batb` but count other levels. */
  applyDisplayed(changes: unknown): boolean {
    this.displayed ??= []
    return this.setLevels(this.displayed, changes)
  }

  private set(price: number, size: number): void {
    const { prices } = this
    let from = 0
    let to = prices.length
    while (from < to) {
      const middle = (from + to) >>> 1
      if (prices[middle]! < price) from = middle + 1
      else to = middle
    }
    const isKnown = prices[from] === price
    if (size > 0 && !isKnown) {
      prices.splice(from, 0, price)
      if (prices.length > PRICES_MAX) prices.shift()
    } else if (size <= 0 && isKnown) {
      prices.splice(from, 1)
    }
  }

  private setLevels(levels: number[], changes: unknown): boolean {
    if (!Array.isArray(changes)) return false
    for (const change of changes as unknown[]) {
      if (!Array.isArray(change)) return false
      const [level, price, size] = change as unknown[]
      if (!isNumber(level) || !isNumber(price) || !isNumber(size)) return false
      if (!Number.isInteger(level) || level < 0 || level >= PRICES_MAX) return false
      while (levels.length < level) levels.push(0)
      levels[level] = size > 0 ? price : 0
    }
    return true
  }
}
