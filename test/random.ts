// Seeded randomness for tests. The seed of a failing run stands in its message; ODDSWIRE_TEST_SEED repeats it.

import { randomInt } from 'node:crypto'

/** The seed of this run: given, or new each time. */
export const SEED = Number(process.env.ODDSWIRE_TEST_SEED ?? randomInt(2 ** 31))

export class Random {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** From 0 to 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  pick<T>(values: readonly T[]): T {
    return values[this.int(0, values.length - 1)]!
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }
}
