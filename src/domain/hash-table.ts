// Numbers by hashes of 32 bits, in typed arrays: 8 octets a place, where an entry of a Map has 33 and its key besides; and V8
// does not look at them when it marks what is in use.

import { randomInt } from 'node:crypto'
import type { ImageReader, ImageWriter } from './image.ts'
import { memoryOf } from './memory.ts'

const LENGTH_MIN = 16

/** Chosen by the high bits of the hash. A shard is copied when it grows: two tables in one piece each took 14 to 17 ms at event 196 608. */
const SHARD_BITS = 6

/** In shards, each with open addressing and linear probing, up to three quarters full. Several numbers may have one hash. */
export class HashTable {
  size = 0
  /** For the hashes: who chooses what is hashed must not choose places. What is found does not depend on it. */
  seed = randomInt(2 ** 32)
  private shards = newShards()

  /**
   * A number with this hash, 0 where there is none.
   * @param isIt whether it is the one that is meant
   */
  find(hash: number, isIt: (number: number) => boolean): number {
    return this.shardOf(hash).find(hash, isIt)
  }

  /** @param number not 0 */
  add(hash: number, number: number): void {
    this.size++
    this.shardOf(hash).add(hash, number)
  }

  /** @returns whether it was there */
  remove(hash: number, number: number): boolean {
    if (!this.shardOf(hash).remove(hash, number)) return false
    this.size--
    return true
  }

  /** Writes another number in the place of one that is there. */
  replace(hash: number, number: number, by: number): void {
    this.shardOf(hash).replace(hash, number, by)
  }

  clear(): void {
    this.size = 0
    this.shards = newShards()
  }

  /** As numbers that follow from what is hashed, with the seed. */
  save(image: ImageWriter, name: string): void {
    const { shards, seed } = this
    image.derived(
      `${name} shards`,
      Uint32Array.from([seed, ...shards.flatMap(({ size, entries }) => [size, entries.length])]),
    )
    const all = new Uint32Array(shards.reduce((sum, { entries }) => sum + entries.length, 0))
    let start = 0
    for (const { entries } of shards) {
      all.set(entries, start)
      start += entries.length
    }
    image.derived(`${name} entries`, all)
  }

  /** Into an empty table. It may be used when all of the image is there, or after `settle`. */
  load(image: ImageReader, name: string): void {
    const heads = new Uint32Array(image.lengthOf(`${name} shards`))
    image.derived(`${name} shards`, heads, 'now')
    const entries = new Uint32Array(memoryOf(4 * image.lengthOf(`${name} entries`)))
    image.derived(`${name} entries`, entries)
    this.seed = heads[0]!
    let start = 0
    for (const [place, shard] of this.shards.entries()) {
      const [size, length] = [heads[2 * place + 1]!, heads[2 * place + 2]!]
      shard.load(size, entries.subarray(start, (start += length)))
      this.size += size
    }
  }

  /** Passes over what was saved. */
  static skip(image: ImageReader, name: string): void {
    for (const part of ['shards', 'entries']) image.derived(`${name} ${part}`, new Uint32Array(0))
  }

  private shardOf(hash: number): Shard {
    return this.shards[hash >>> (32 - SHARD_BITS)]!
  }
}

class Shard {
  size = 0
  /** Number (0: free) and hash, in turn. */
  entries: Uint32Array = new Uint32Array(2 * LENGTH_MIN)
  private mask = LENGTH_MIN - 1

  load(size: number, entries: Uint32Array): void {
    this.size = size
    this.entries = entries
    this.mask = entries.length / 2 - 1
  }

  find(hash: number, isIt: (number: number) => boolean): number {
    const { entries, mask } = this
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const number = entries[2 * place]!
      if (number === 0 || (entries[2 * place + 1] === hash && isIt(number))) return number
    }
  }

  add(hash: number, number: number): void {
    if (++this.size > (this.mask + 1) * 0.75) this.grow()
    this.insert(hash, number)
  }

  replace(hash: number, number: number, by: number): void {
    const place = this.placeOf(hash, number)
    if (place !== -1) this.entries[2 * place] = by
  }

  /** Later entries of the run move back, so no tombstones are left. */
  remove(hash: number, number: number): boolean {
    const { entries, mask } = this
    let hole = this.placeOf(hash, number)
    if (hole === -1) return false
    this.size--
    for (let place = (hole + 1) & mask; entries[2 * place] !== 0; place = (place + 1) & mask) {
      const home = entries[2 * place + 1]! & mask
      // It may move back to the hole only if its home does not lie between the two.
      if (((place - home) & mask) < ((place - hole) & mask)) continue
      entries[2 * hole] = entries[2 * place]!
      entries[2 * hole + 1] = entries[2 * place + 1]!
      hole = place
    }
    entries[2 * hole] = 0
    return true
  }

  /** Where a number is, -1: nowhere. */
  private placeOf(hash: number, number: number): number {
    const { entries, mask } = this
    for (let place = hash & mask; entries[2 * place] !== 0; place = (place + 1) & mask) {
      if (entries[2 * place] === number && entries[2 * place + 1] === hash) return place
    }
    return -1
  }

  private insert(hash: number, number: number): void {
    const { entries, mask } = this
    let place = hash & mask
    while (entries[2 * place] !== 0) place = (place + 1) & mask
    entries[2 * place] = number
    entries[2 * place + 1] = hash
  }

  private grow(): void {
    const before = this.entries
    this.entries = new Uint32Array(before.length * 2)
    this.mask = this.mask * 2 + 1
    for (let place = 0; place < before.length; place += 2) {
      if (before[place] !== 0) this.insert(before[place + 1]!, before[place]!)
    }
  }
}

const newShards = (): Shard[] => Array.from({ length: 2 ** SHARD_BITS }, () => new Shard())
