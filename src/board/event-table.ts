// From a text to the event that it leads to. A text that a Map has as its key costs 33 octets beside the text itself; here
// it costs 8 to 21, and the text need not be in memory, if the event can say whether it is one of its own.

import { randomInt } from 'node:crypto'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { memoryOf } from '../domain/memory.ts'
import { invariant } from './invariant.ts'

const LENGTH_MIN = 16

const hashOf = (seed: number, text: string): number => {
  let hash = seed
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Chosen by the high bits of the hash. A shard is copied when it grows: two tables in one piece each took 14 to 17 ms at event 196 608. */
const SHARD_BITS = 6

/** In shards, each with open addressing and linear probing, up to three quarters full. An event may be there under several texts. */
export class EventTable {
  size = 0
  /** A source chooses the texts, and must not choose their places. What is found does not depend on it. */
  private seed = randomInt(2 ** 32)
  private readonly shards = Array.from({ length: 2 ** SHARD_BITS }, () => new Shard())

  /**
   * The number of the event that a text leads to, 0 where there is none.
   * @param isOf whether it is a text of an event
   */
  find(text: string, isOf: (number: number) => boolean): number {
    const hash = hashOf(this.seed, text)
    return this.shardOf(hash).find(hash, isOf)
  }

  /** Adds a text that is not there. */
  add(text: string, number: number): void {
    const hash = hashOf(this.seed, text)
    this.size++
    this.shardOf(hash).add(hash, number)
  }

  /** Removes a text that is there. */
  remove(text: string, number: number): void {
    const hash = hashOf(this.seed, text)
    this.size--
    this.shardOf(hash).remove(hash, number)
  }

  /** As numbers that follow from the texts, with the seed. */
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

  /** Into a table without texts. It may be used when all of the image is there, or after `settle`. */
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

  private shardOf(hash: number): Shard {
    return this.shards[hash >>> (32 - SHARD_BITS)]!
  }
}

class Shard {
  size = 0
  /** Number of the event (0: free) and hash of the text, in turn. */
  entries: Uint32Array = new Uint32Array(2 * LENGTH_MIN)
  private mask = LENGTH_MIN - 1

  load(size: number, entries: Uint32Array): void {
    this.size = size
    this.entries = entries
    this.mask = entries.length / 2 - 1
  }

  find(hash: number, isOf: (number: number) => boolean): number {
    const { entries, mask } = this
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const number = entries[2 * place]!
      if (number === 0 || (entries[2 * place + 1] === hash && isOf(number))) return number
    }
  }

  add(hash: number, number: number): void {
    if (++this.size > (this.mask + 1) * 0.75) this.grow()
    this.insert(hash, number)
  }

  /** Later entries of the run move back, so no tombstones are left. */
  remove(hash: number, number: number): void {
    const { entries, mask } = this
    this.size--
    let hole = hash & mask
    while (entries[2 * hole] !== number || entries[2 * hole + 1] !== hash) {
      invariant(entries[2 * hole] !== 0, 'a text that is removed is there')
      hole = (hole + 1) & mask
    }
    for (let place = (hole + 1) & mask; entries[2 * place] !== 0; place = (place + 1) & mask) {
      const home = entries[2 * place + 1]! & mask
      // It may move back to the hole only if its home does not lie between the two.
      if (((place - home) & mask) < ((place - hole) & mask)) continue
      entries[2 * hole] = entries[2 * place]!
      entries[2 * hole + 1] = entries[2 * place + 1]!
      hole = place
    }
    entries[2 * hole] = 0
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
