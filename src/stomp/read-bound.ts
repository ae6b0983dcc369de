// The octets that all sessions together may send in a turn. The session that exceeds this is paused, and reads on in the
// next iteration of the event loop, or when the log has room for the next turn.

import type { Turns } from '../engine/turns.ts'
import type { Carrier } from './carrier.ts'

/** The part of a session that is paused. */
export interface Reader {
  readonly carrier: Carrier
  readonly isConnected: boolean
  /** Continues reading: first the octets that were received and are not read. */
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

  /**
   * Counts received octets; at the limit the turn ends, and the session that sent them is paused.
   * @param isLong reading has taken all the time of this iteration of the event loop: the turn has the next one. Without it the
   *   longest tick of a feed's begin was 5.2 ms instead of 3.8; with it for each full turn a SEND over TCP took 3 % more.
   */
  note(reader: Reader, bytes: number, isLong: boolean): void {
    this.noteTurn()
    this.bytesIn += bytes
    if (this.bytesIn < this.bytesMax) return
    const isFirst = this.paused.size === 0
    // What others send meanwhile is no part of it.
    const endsLater = isLong && isFirst && reader.isConnected
    if (!endsLater) this.end()
    // It may be about to end, by a refusal of this turn: then the carrier reads to the end, so that the ERROR arrives.
    if (!reader.isConnected) return
    this.pause(reader)
    if (endsLater) setImmediate(() => setImmediate(() => this.endAndReadOn()))
    else if (isFirst) setImmediate(() => this.readOn())
  }

  /** Pauses a session until there is room for the next turn. */
  pause(reader: Reader): void {
    reader.carrier.pauseReading()
    this.paused.add(reader)
  }

  private endAndReadOn(): void {
    this.end()
    this.readOn()
  }

  private end(): void {
    this.turns.end()
    this.noteTurn()
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
