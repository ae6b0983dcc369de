// The simulator's only random numbers: one seed gives one sequence, on every machine.

export class SeededRandom {
  private state: number
  private spare = 0
  private hasSpare = false

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** Uniform over [0, 1): mulberry32, which is small, fast, and good enough for prices. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = this.state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.next()
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)]!
  }

  /** Whether something that occurs `ratePerSecond` times a second on average occurs within `seconds`. */
  comes(ratePerSecond: number, seconds: number): boolean {
    return this.next() < 1 - Math.exp(-ratePerSecond * seconds)
  }

  /** A normal deviate (Marsaglia's polar method, which gives two at a time). */
  gauss(): number {
    if (this.hasSpare) {
      this.hasSpare = false
      return this.spare
    }
    for (;;) {
      const x = 2 * this.next() - 1
      const y = 2 * this.next() - 1
      const square = x * x + y * y
      if (square > 0 && square < 1) {
        const scale = Math.sqrt((-2 * Math.log(square)) / square)
        this.spare = y * scale
        this.hasSpare = true
        return x * scale
      }
    }
  }
}
