// Seeded randomness for tests. The message of a failing run has its seed; ODDSWIRE_TEST_SEED repeats it.

import { randomInt } from 'node:crypto'
import { SeededRandom } from '../src/source/simulator/random.ts'

/** The seed of this run: given, or new each time. */
export const SEED = Number(process.env.ODDSWIRE_TEST_SEED ?? randomInt(2 ** 31))

export class Random extends SeededRandom {
  /** A whole number from `from` to `to`, both included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }
}
