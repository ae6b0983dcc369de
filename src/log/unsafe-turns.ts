// Turns that a failure of the disk could lose still: they are kept, to be written again to another file. What is written is
// kept as its record alone. The inputs of a turn are thousands of objects: those of the 50 ms between two syncs would outlive
// the collector's next look, which copies what it finds, and that cost 2 of the 21 us of a SEND of ten prices.

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

export type Written = (turn: Turn) => void

interface UnsafeTurn {
  // Until it is written.
  turn: Turn | undefined
  written: Written | undefined
  readonly appendedMs: number
  readonly bytes: number
  dictionary: Dictionary
  size: number
  // Where its record is.
  octets: Buffer
  start: number
  end: number
}

const BLOCK_OCTETS = 256 * 1024
/** 2 MiB: of 50 ms at 40 MB/s. */
const SPARE_MAX = 8

/** First in, first out, by number. */
export class UnsafeTurns {
  private turns: UnsafeTurn[] = []
  /** Number of the first one. */
  first: number
  bytes = 0
  private block: Buffer = Buffer.alloc(0)
  private used = 0
  /**
   * Blocks of turns that are safe. New ones were old by V8's count when they were free again, and it marked the whole heap for
   * them once a second: 0.8 of the 10.8 us of a SEND of ten prices, over TCP.
   */
  private readonly spare: Buffer[] = []
  private readonly blockOctets: number

  /**
   * @param last number of the last turn that is safe
   * @param blockOctets records are kept in blocks of this size; one that is longer has its own
   */
  constructor(last: number, blockOctets = BLOCK_OCTETS) {
    this.first = last + 1
    this.blockOctets = blockOctets
  }

  get count(): number {
    return this.turns.length
  }

  /** @param bytes that it counts as */
  add(turn: Turn, written: Written, appendedMs: number, bytes: number, recorded: Recorded): void {
    const start = this.keep(recorded.record)
    const { dictionary, size } = recorded
    this.turns.push({ turn, written, appendedMs, bytes, dictionary, size, octets: this.block, start, end: this.used })
    this.bytes += bytes
  }

  /** When the turn with a number was appended, of which {@link written} was not called yet. */
  appendedMs(number: number): number {
    return this.turns[number - this.first]!.appendedMs
  }

  /** The turn with a number is written: from now on it is kept as its record, and whoever waits for it is called. */
  written(number: number): void {
    const kept = this.turns[number - this.first]!
    const { turn, written } = kept
    kept.turn = undefined
    kept.written = undefined
    written!(turn!)
  }

  /** Gives each turn to `encode`, in their order, and keeps its new record. */
  rewrite(encode: (turn: Turn) => Recorded): void {
    let former: Dictionary | undefined
    let decoder: Decoder | undefined
    for (const kept of this.turns) {
      const { dictionary, size, octets, start, end } = kept
      let { turn } = kept
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
    this.releaseBlocks(count)
    if (count === this.turns.length) this.turns = []
    else this.turns.splice(0, count)
    this.first += count
  }

  /** The blocks that only the first `count` turns use serve others. */
  private releaseBlocks(count: number): void {
    let former = this.block
    const next = this.turns[count]?.octets
    for (let place = 0; place < count; place++) {
      const { octets } = this.turns[place]!
      if (octets === former || octets === next || octets === this.block) continue
      former = octets
      if (octets.length === this.blockOctets && this.spare.length < SPARE_MAX) this.spare.push(octets)
    }
  }

  /** Copies a record into the block, or into another one. @returns where it begins */
  private keep(record: Uint8Array): number {
    const { length } = record
    if (this.used + length > this.block.length) {
      const spare = length <= this.blockOctets ? this.spare.pop() : undefined
      this.block = spare ?? Buffer.allocUnsafeSlow(Math.max(this.blockOctets, length))
      this.used = 0
    }
    const start = this.used
    this.block.set(record, start)
    this.used += length
    return start
  }
}
