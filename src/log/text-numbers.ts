// The encoder's dictionary of texts: each gets a number at its first use.

import { ShardedMap } from '../domain/sharded-map.ts'

export class TextNumbers {
  private readonly numbers = new ShardedMap<string, number>()

  get count(): number {
    return this.numbers.size
  }

  /** The number of a text; undefined: it has none. */
  of(text: string): number | undefined {
    return this.numbers.get(text)
  }

  /** Gives the next number to a text that has none. */
  add(text: string): void {
    this.numbers.set(text, this.numbers.size)
  }

  clear(): void {
    this.numbers.clear()
  }
}
