// The octets that all sessions together may send in a turn. The session that exceeds this is paused, and reads on in the
// next iteration of the event loop, or when the log has room for the next turn.

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
  private readonly turns: Pick<Turns, 'end' | 'ended' | 'isFull' | 'onRoom'>
  private readonly bytesMax: number
  // Octets of the current turn, and how many turns had ended before it.
  private bytesIn = 0
  private turnsEnded = 0
  private readonly paused = new Set<Reader>()

  constructor(turns: ReadBound['turns'], bytesMax: number) {
    this.turns = turns
    this.bytesMax = bytesMax
    turns.onRoom(() => this.readOn())
  }

  /** Counts received octets; at the limit the turn ends, and the session that sent them is paused. */
  note(reader: Reader, bytes: number): void {
    this.noteTurn()
    this.bytesIn += bytes
    if (this.bytesIn < this.bytesMax) return
    this.turns.end()
    this.noteTurn()
    // It may be about to end, by a refusal of this turn: then the carrier reads to the end, so that the ERROR arrives.
    if (!reader.isConnected) return
    reader.carrier.pauseReading()
    this.paused.add(reader)
    if (this.paused.size === 1) setImmediate(() => this.readOn())
  }

  /** Whether a session is paused, to read on later. */
  isPaused(reader: Reader): boolean {
    return this.paused.has(reader)
  }

  forget(reader: Reader): void {
    this.paused.delete(reader)
  }

  private noteTurn(): void {
    if (this.turnsEnded === this.turns.ended) return
    this.turnsEnded = this.turns.ended
    this.bytesIn = 0
  }

  private readOn(): void {
    if (this.turns.isFull) return
    const readers = [...this.paused]
    this.paused.clear()
    for (const reader of readers) reader.readOn()
  }
}
