// The changes of a turn, as values: what the journal and the topics take. Columns that grow once and are used again, so
// that a change costs no object. A change refers to nothing on the board: its quote may be gone by the end of the turn.

import type { Event } from '../domain/event.ts'
import type { ChangeNumber, QuoteStatusNumber } from '../domain/quote.ts'
import type { TransportNumber } from '../domain/transport.ts'

export class Changes {
  /** Seq of the last change before this turn: change n of the turn (from 0) has seq `seqBefore + n + 1`. */
  seqBefore = 0
  length = 0
  readonly change: ChangeNumber[] = []
  readonly event: Event[] = []
  readonly bookmaker: number[] = []
  readonly transport: TransportNumber[] = []
  /** Number of the market type, as in the domain table. */
  readonly type: number[] = []
  readonly line: number[] = []
  readonly outcome: string[] = []
  readonly odds: number[] = []
  readonly status: QuoteStatusNumber[] = []
  readonly observedAt: number[] = []
  readonly recordedAt: number[] = []

  /** Seq of the last change. */
  get seq(): number {
    return this.seqBefore + this.length
  }

  append(
    change: ChangeNumber,
    event: Event,
    bookmaker: number,
    transport: TransportNumber,
    type: number,
    line: number,
    outcome: string,
    odds: number,
    status: QuoteStatusNumber,
    observedAt: number,
    recordedAt: number,
  ): void {
    const place = this.length++
    this.change[place] = change
    this.event[place] = event
    this.bookmaker[place] = bookmaker
    this.transport[place] = transport
    this.type[place] = type
    this.line[place] = line
    this.outcome[place] = outcome
    this.odds[place] = odds
    this.status[place] = status
    this.observedAt[place] = observedAt
    this.recordedAt[place] = recordedAt
  }

  /** Begins the next turn. */
  clear(): void {
    this.seqBefore = this.seq
    this.length = 0
  }
}
