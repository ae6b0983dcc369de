// Turns that a failure of the disk could lose still: they are kept, to be written again to another file. What is written and
// published is kept as its record alone. The inputs of a turn are thousands of objects, and those of the 50 ms between two
// syncs outlive the collector's next look, which copies what it finds: that cost 3 of the 21 us of a SEND of ten prices.

import type { Turn } from '../domain/input.ts'
import type { Decoder } from './read-turns.ts'

/** What records since an encoder's `begin` refer to: it only grows. */
export interface Dictionary {
  /** A decoder of the records that were encoded from a size of the dictionary on, in their order. */
  decoderFrom(size: number): Decoder
}

/** A turn as its record. */
export interface Recorded {
  readonly record: Uint8Array
  readonly dictionary: Dictionary
  /** Of the dictionary before it. */
  readonly size: number
}

/** What is done with a turn when it is written. */
export interface Unwritten {
  readonly turn: Turn
  readonly written: (turn: Turn) => void
  readonly appendedMs: number
}

interface UnsafeTurn {
  /** Undefined: it is written. */
  unwritten: Unwritten | undefined
  readonly bytes: number
  dictionary: Dictionary
  size: number
  // Where its record is.
  octets: Buffer
  start: number
  end: number
}

const BLOCK_OCTETS = 256 * 1024

/** First in, first out, by number. */
export class UnsafeTurns {
  private turns: UnsafeTurn[] = []
  /** Number of the first one. */
  first: number
  bytes = 0
  private block = Buffer.alloc(0)
  private used = 0

  /** @param last number of the last turn that is safe */
  constructor(last: number) {
    this.first = last + 1
  }

  get count(): number {
    return this.turns.length
  }

  /** @param bytes that it counts as */
  add(unwritten: Unwritten, bytes: number, { record, dictionary, size }: Recorded): void {
    const start = this.keep(record)
    this.turns.push({ unwritten, bytes, dictionary, size, octets: this.block, start, end: this.used })
    this.bytes += bytes
  }

  /** The turn with a number is written: from now on it is kept as its record. */
  written(number: number): Unwritten {
    const kept = this.turns[number - this.first]!
    const { unwritten } = kept
    kept.unwritten = undefined
    return unwritten!
  }

  /** Gives each turn to `encode`, in their order, and keeps its new record. */
  rewrite(encode: (turn: Turn) => Recorded): void {
    let former: Dictionary | undefined
    let decoder: Decoder | undefined
    for (const kept of this.turns) {
      const { unwritten, dictionary, size, octets, start, end } = kept
      let turn = unwritten?.turn
      // Those that are written come first: no record that follows needs what is left out here.
      if (turn === undefined) {
        if (dictionary !== former) decoder = dictionary.decoderFrom(size)
        former = dictionary
        turn = decoder!.decode(octets.subarray(start, end))
      }
      const next = encode(turn)
      kept.start = this.keep(next.record)
      kept.end = this.used
      kept.octets = this.block
      kept.dictionary = next.dictionary
      kept.size = next.size
    }
  }

  /** @param last number of the last one that is safe now */
  dropTo(last: number): void {
    const count = last + 1 - this.first
    if (count <= 0) return
    for (let place = 0; place < count; place++) this.bytes -= this.turns[place]!.bytes
    if (count === this.turns.length) this.turns = []
    else this.turns.splice(0, count)
    this.first += count
  }

  /** Copies a record into the block, or into a new one. @returns where it begins */
  private keep(record: Uint8Array): number {
    const { length } = record
    if (this.used + length > this.block.length) {
      this.block = Buffer.allocUnsafeSlow(Math.max(BLOCK_OCTETS, length))
      this.used = 0
    }
    const start = this.used
    this.block.set(record, start)
    this.used += length
    return start
  }
}
