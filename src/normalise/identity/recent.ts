// A bounded memory of what was worked out: two generations, of which the older is forgotten when the newer is full. Costs
// no more than a Map, and nothing before it is used.

export class Recent<Value> {
  private readonly max: number
  private newer = new Map<string, Value>()
  private older = new Map<string, Value>()

  /** @param max entries of a generation; up to twice as many are kept */
  constructor(max: number) {
    this.max = max
  }

  get(key: string): Value | undefined {
    const value = this.newer.get(key)
    if (value !== undefined) return value
    const before = this.older.get(key)
    if (before !== undefined) this.set(key, before)
    return before
  }

  set(key: string, value: Value): void {
    if (this.newer.size >= this.max) {
      this.older = this.newer
      this.newer = new Map()
    }
    this.newer.set(key, value)
  }
}
