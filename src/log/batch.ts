// Records that are written together, and the segment that they belong to.

import { putTurn, RECORD_BYTES } from './segment.ts'
import type { OpenSegment } from './segment-file.ts'

/** A segment, before and after its file is created. */
export interface Plan {
  readonly first: number
  /** No turn of it is older; epoch ms. */
  at: number
  /** The hour of its first turn; undefined: it has none yet. */
  hour: number | undefined
  bytes: number
  /** It takes no further turns. */
  isEnded: boolean
  /** Its content has been in a file that failed: it is synced before anything relies on it. */
  readonly isAgain: boolean
  file: OpenSegment | undefined
}

const BUFFER_BYTES = 64 * 1024
/** A larger buffer is not used again, so that a burst does not hold memory for ever. */
const REUSED_BYTES_MAX = 1024 * 1024

let spare: Buffer | undefined

export class Batch {
  readonly plan: Plan
  /** Number of its last turn. */
  last: number
  count = 0
  private buffer: Buffer
  private used = 0

  /** @param last number of the turn before it */
  constructor(plan: Plan, last: number) {
    this.plan = plan
    this.last = last
    this.buffer = spare ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
    spare = undefined
  }

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.used)
  }

  /** @returns octets of the record */
  add(number: number, payload: Uint8Array): number {
    const size = RECORD_BYTES + payload.length
    const needed = this.used + size
    if (needed > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.buffer.length, needed))
      this.buffer.copy(larger, 0, 0, this.used)
      this.buffer = larger
    }
    putTurn(this.buffer, this.used, number, payload)
    this.used = needed
    this.last = number
    this.count++
    return size
  }

  /** It was written: its buffer serves another one. */
  release(): void {
    if (this.buffer.length <= REUSED_BYTES_MAX) spare = this.buffer
    this.buffer = Buffer.alloc(0)
    this.used = 0
  }
}
