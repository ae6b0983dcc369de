// What the board has of a quote, also where readers do not show it: for whoever explains why.

import type { EventView } from '../domain/event.ts'
import { CAUSES, type Cause, FRESHNESS_MS, QUOTE_STATUS, QUOTE_STATUSES, type QuoteStatus } from '../domain/quote.ts'
import type { TransportNumber } from '../domain/transport.ts'
import type { Board } from './board.ts'
import { columnLine } from './catalogue.ts'
import { NO_LINE } from './columns.ts'
import type { EventRecord } from './event-record.ts'
import { NOBODY } from './producers.ts'
import { causeOf, LOST, saidOf, shownOf } from './status.ts'

export interface QuoteState {
  /** Number of the market type. */
  readonly type: number
  readonly line: number | null
  readonly outcome: string
  readonly odds: number
  /** What its source said last. */
  readonly said: QuoteStatus
  /** What that is shown as, while it is fresh. */
  readonly shown: QuoteStatus
  /** Why it is shown suspended; null: it is not. */
  readonly cause: Cause | null
  /** Its last observation could not be recorded: only a new one ends the suspension. */
  readonly isLost: boolean
  /** Epoch ms. */
  readonly observedAt: number
  /** When it ages out, epoch ms: from then on nobody shows it. */
  readonly staleAt: number
  /** Name of the producer that last spoke of it; null: it was sent, or is from a recording. */
  readonly producer: string | null
}

/** Which quotes of a book are meant; what is left out means any. `line` null: quotes without a line. */
export interface QuoteFilter {
  readonly type?: number | undefined
  readonly line?: number | null | undefined
  readonly outcome?: string | undefined
}

const { open: OPEN, suspended: SUSPENDED } = QUOTE_STATUS

export class QuoteStates {
  private readonly board: Board

  constructor(board: Board) {
    this.board = board
  }

  /**
   * The quotes of a bookmaker at an event, in order of arrival, closed and stale ones included. It visits each quote of
   * the book (`bookQuotesMax`), or, where the filter is complete, one.
   */
  find(view: EventView, bookmaker: number, transport: TransportNumber, filter: QuoteFilter): QuoteState[] {
    const { catalogue, quotes, outcomes } = this.board
    const record = view as EventRecord
    const book = catalogue.findBook(record, bookmaker, transport)
    if (book === 0) return []
    const { type, line, outcome } = filter
    const label = outcome === undefined ? undefined : outcomes.find(outcome)
    // A label that nobody uses.
    if (label === 0) return []
    if (type !== undefined && line !== undefined && label !== undefined) {
      const market = catalogue.findMarket(record, type, columnLine(line))
      const slot = market === 0 ? 0 : this.board.find(market, label, book)
      return slot === 0 ? [] : [this.stateOf(slot)]
    }
    const found: QuoteState[] = []
    const { markets } = catalogue
    for (let slot = catalogue.books.head[book]!; slot !== 0; slot = quotes.nextOf(slot)) {
      const market = quotes.marketOf(slot)
      if (type !== undefined && markets.type[market] !== type) continue
      if (line !== undefined && markets.line[market] !== columnLine(line)) continue
      if (label !== undefined && quotes.outcomeOf(slot) !== label) continue
      found.push(this.stateOf(slot))
    }
    return found.reverse()
  }

  /** How many quotes a bookmaker has at an event, closed and stale ones included. */
  count(view: EventView, bookmaker: number, transport: TransportNumber): number {
    const { catalogue } = this.board
    const book = catalogue.findBook(view as EventRecord, bookmaker, transport)
    return book === 0 ? 0 : catalogue.books.quotes[book]!
  }

  private stateOf(slot: number): QuoteState {
    const { catalogue, quotes, outcomes, origins, producers } = this.board
    const status = quotes.statusOf(slot)
    const market = quotes.marketOf(slot)
    const line = catalogue.markets.line[market]!
    const observedAt = quotes.observedAtOf(slot)
    const shown = shownOf(status)
    const isSuspended = shown === SUSPENDED
    const producer = origins.producerOf(quotes.bookOf(slot), slot)
    return {
      type: catalogue.markets.type[market]!,
      line: line === NO_LINE ? null : line,
      outcome: outcomes.textOf(quotes.outcomeOf(slot)),
      odds: quotes.oddsOf(slot),
      said: QUOTE_STATUSES[saidOf(status) - OPEN]!,
      shown: QUOTE_STATUSES[shown - OPEN]!,
      cause: isSuspended ? CAUSES[causeOf(status) - 1]! : null,
      isLost: isSuspended && (status & LOST) !== 0,
      observedAt,
      staleAt: observedAt + FRESHNESS_MS,
      producer: producer === NOBODY ? null : producers.get(producer).name,
    }
  }
}
