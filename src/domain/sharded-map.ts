// A Map in shards, for what has a key for each event or more. V8 copies a Map whole whenever it has doubled: 0.7 ms at 8 192
// keys, 8 at 131 072, 20 at 262 144 (measured); and all that have a key for each event grow with the same one.

/** Of a shard of 2^14 keys V8 copies less than 1 ms. */
const SHARDS = 64

type Key = string | number

/** Keys are ids, names, numbers and hashes: what is spread by its last letters, or by its low bits. */
export class ShardedMap<K extends Key, Value> {
  private readonly shards = Array.from({ length: SHARDS }, () => new Map<K, Value>())
  private count = 0

  get size(): number {
    return this.count
  }

  get(key: K): Value | undefined {
    return this.shardOf(key).get(key)
  }

  has(key: K): boolean {
    return this.shardOf(key).has(key)
  }

  set(key: K, value: Value): void {
    const shard = this.shardOf(key)
    this.count -= shard.size
    shard.set(key, value)
    this.count += shard.size
  }

  /** @returns whether it was there */
  delete(key: K): boolean {
    const wasThere = this.shardOf(key).delete(key)
    if (wasThere) this.count--
    return wasThere
  }

  clear(): void {
    // Clearing makes a new table, also where nothing is.
    for (const shard of this.shards) if (shard.size > 0) shard.clear()
    this.count = 0
  }

  /** Shard by shard, in each in the order of insertion: what is inserted in this order again has the same order. */
  *[Symbol.iterator](): Generator<[K, Value], void> {
    for (const shard of this.shards) yield* shard
  }

  private shardOf(key: K): Map<K, Value> {
    return this.shards[mixOf(key) & (SHARDS - 1)]!
  }
}

/** Of a text: of its last three letters and its length. */
const mixOf = (key: Key): number => {
  if (typeof key === 'number') return key ^ (key >>> 6) ^ (key >>> 12)
  const last = key.length - 1
  if (last < 2) return last < 0 ? 0 : key.charCodeAt(0) + last
  return key.charCodeAt(last) + 11 * key.charCodeAt(last - 1) + 37 * key.charCodeAt(last - 2) + last
}
