// The encoder's dictionary of texts: each gets a number at its first use.

/** A shard of 2^14 texts grows in under 1 ms; one Map of 2^18 would pause for 16 ms (measured). */
const SHARDS = 16

export class TextNumbers {
  private readonly shards = Array.from({ length: SHARDS }, () => new Map<string, number>())
  private size = 0

  get count(): number {
    return this.size
  }

  /** The number of a text; undefined: it has none. */
  of(text: string): number | undefined {
    return this.shardOf(text).get(text)
  }

  /** Gives the next number to a text that has none. */
  add(text: string): void {
    this.shardOf(text).set(text, this.size++)
  }

  clear(): void {
    for (const shard of this.shards) if (shard.size > 0) shard.clear()
    this.size = 0
  }

  private shardOf(text: string): Map<string, number> {
    const last = text.length - 1
    // Two letters and the length: texts of one kind (ids, names) spread over all shards.
    const mixed = last < 1 ? last : text.charCodeAt(last) + 5 * text.charCodeAt(last - 1) + last
    return this.shards[mixed & (SHARDS - 1)]!
  }
}
