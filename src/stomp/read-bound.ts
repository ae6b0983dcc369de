// The octets that all sessions together may send before what they caused is published. The session that exceeds this is
// paused, and reads on in the next iteration of the event loop.

import type { Turns } from '../engine/turns.ts'
import type { Carrier } from './carrier.ts'

/** The part of a session that is paused. */
export interface Reader {
  readonly carrier: Carrier
  readonly isConnected: boolean
  /** Continues reading, if all received octets are read. */
  readOn(): void
}

export class ReadBound {
  private readonly turns: Turns
  private readonly bytesMax: number
  private bytesIn = 0
  private readonly paused = new Set<Reader>()

  constructor(turns: Turns, bytesMax: number) {
    this.turns = turns
    this.bytesMax = bytesMax
    turns.onEnded(() => (this.bytesIn = 0))
  }

  /** Counts received octets; at the limit the turn ends, and the session that sent them is paused. */
  note(reader: Reader, bytes: number): void {
    this.bytesIn += bytes
    if (this.bytesIn < this.bytesMax || !reader.isConnected) return
    this.turns.end()
    this.bytesIn = 0
    // A refusal of the turn may have ended it: then the carrier reads to the end, so that the ERROR arrives.
    if (this.hasEnded(reader)) return
    reader.carrier.pauseReading()
    this.paused.add(reader)
    if (this.paused.size > 1) return
    setImmediate(() => {
      const readers = [...this.paused]
      this.paused.clear()
      for (const each of readers) each.readOn()
    })
  }

  // The compiler does not know that the end of a turn may have ended the session.
  private hasEnded(reader: Reader): boolean {
    return !reader.isConnected
  }

  /** Whether a session is paused, to read on later. */
  isPaused(reader: Reader): boolean {
    return this.paused.has(reader)
  }

  forget(reader: Reader): void {
    this.paused.delete(reader)
  }
}
