// A Map in shards, for what has a key for each event or more. V8 copies a Map whole whenever it has doubled: 0.7 ms at 8 192
// keys, 8 at 131 072, 20 at 262 144 (measured); and all that have a key for each event grow with the same one.

/** 64 shards: one of 2^14 keys is copied in 1 ms. */
const SHARD_BITS = 6

type Key = string | number

/** Letters that choose the shard: ids that end alike (`…-2026-11-29`) differ before. */
const LETTERS = 16

/** Keys that somebody chooses to be of one shard are as in one Map, no worse. */
export class ShardedMap<K extends Key, Value> {
  private readonly shards = Array.from({ length: 2 ** SHARD_BITS }, () => new Map<K, Value>())
  private count = 0

  get size(): number {
    return this.count
  }

  get(key: K): Value | undefined {
    return this.shardOf(key).get(key)
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
    return this.shards[Math.imul(typeof key === 'number' ? key : hashOf(key), 0x9e37_79b1) >>> (32 - SHARD_BITS)]!
  }
}

/** FNV-1a of its last letters. */
const hashOf = (text: string): number => {
  let hash = text.length
  for (let place = Math.max(0, text.length - LETTERS); place < text.length; place++) {
    hash = Math.imul(hash ^ text.charCodeAt(place), 0x0100_0193)
  }
  return hash
}
