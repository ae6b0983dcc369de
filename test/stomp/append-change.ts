import type { Changes } from '../../src/board/changes.ts'
import type { EventView } from '../../src/domain/event.ts'
import type { CauseNumber, ChangeNumber, QuoteStatusNumber } from '../../src/domain/quote.ts'
import type { TransportNumber } from '../../src/domain/transport.ts'

/** A change of a quote, see the columns of {@link Changes}. */
export interface QuoteChange {
  readonly change: ChangeNumber
  readonly cause: CauseNumber | 0
  readonly quote: number
  readonly view: EventView
  readonly book: number
  readonly bookmaker: number
  readonly transport: TransportNumber
  readonly type: number
  readonly line: number
  readonly outcome: Uint8Array
  readonly odds: number
  readonly status: QuoteStatusNumber
  readonly observedAt: number
  readonly recordedAt: number
}

/** Appends a change to those of a turn. */
export const appendChange = (changes: Changes, change: QuoteChange): void => {
  const { view, book, bookmaker, transport, recordedAt } = change
  const place = changes.add(view, book, bookmaker, transport, recordedAt)
  changes.change[place] = change.change
  changes.cause[place] = change.cause
  changes.quote[place] = change.quote
  changes.type[place] = change.type
  changes.line[place] = change.line
  changes.outcome[place] = change.outcome
  changes.odds[place] = change.odds
  changes.status[place] = change.status
  changes.observedAt[place] = change.observedAt
}
