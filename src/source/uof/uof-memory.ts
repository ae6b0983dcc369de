// What the Unified Odds Feed has said of each quote, because most of its messages are about quotes that were named
// before, and name neither their odds nor their outcomes: by event and market, with the product that last spoke of it. What
// of it can be relied on the board knows. Bounded.

import type { MarketType } from '../../domain/market.ts'
import type { EventSighting } from '../../domain/observation.ts'
import type { QuoteStatus } from '../../domain/quote.ts'

export interface KnownQuote {
  readonly outcome: string
  odds: number
  status: QuoteStatus
  /** The source lists it as active, with a price; so it opens again with its market. */
  isListed: boolean
  /** When the source last said something of it, by its clock; epoch ms. Older messages do not count. */
  heardAt: number
}

export interface KnownMarket {
  /** Whose newest word on the market counts. */
  product: number
  /** When the source last said something of it or of one of its quotes, by its clock; epoch ms. */
  heardAt: number
  readonly type: MarketType
  readonly line: number | null
  readonly quotes: Map<string, KnownQuote>
}

export interface KnownEvent {
  readonly id: string
  /** As it was last named. */
  sighting: EventSighting
  /** By id and specifiers. */
  readonly markets: Map<string, KnownMarket>
  /** Which market has which labels: a second one is a twin. */
  readonly owners: Map<string, string>
}

export class UofMemory {
  private readonly events = new Map<string, KnownEvent>()
  private readonly knownMax: number
  private count = 0

  constructor(knownMax: number) {
    this.knownMax = knownMax
  }

  /** Quotes and markets known. */
  get size(): number {
    return this.count
  }

  get(id: string): KnownEvent | undefined {
    return this.events.get(id)
  }

  all(): IterableIterator<KnownEvent> {
    return this.events.values()
  }

  /** An event that is not among those known, until {@link keep}. */
  blank(id: string, sighting: EventSighting): KnownEvent {
    return { id, sighting, markets: new Map(), owners: new Map() }
  }

  addMarket(event: KnownEvent, key: string, market: KnownMarket): void {
    event.markets.set(key, market)
    this.count++
  }

  /** Its labels are free for another market. */
  dropMarket(event: KnownEvent, key: string, market: KnownMarket): void {
    event.markets.delete(key)
    for (const [slot, owner] of event.owners) if (owner === key) event.owners.delete(slot)
    this.count -= 1 + market.quotes.size
  }

  addQuote(market: KnownMarket, quote: KnownQuote): void {
    market.quotes.set(quote.outcome, quote)
    this.count++
  }

  /** Keeps an event after a change of it, as the one last spoken of; forgets it when all its quotes are closed. */
  keep(event: KnownEvent): void {
    this.events.delete(event.id)
    for (const { quotes } of event.markets.values()) {
      for (const { status } of quotes.values()) {
        if (status !== 'closed') return void this.events.set(event.id, event)
      }
    }
    this.uncount(event)
  }

  /** Forgets the events longest not spoken of while too much is known, and returns them. */
  shed(): KnownEvent[] {
    const shed: KnownEvent[] = []
    for (const event of this.events.values()) {
      if (this.count <= this.knownMax || this.events.size === 1) break
      this.events.delete(event.id)
      this.uncount(event)
      shed.push(event)
    }
    return shed
  }

  private uncount(event: KnownEvent): void {
    for (const { quotes } of event.markets.values()) this.count -= 1 + quotes.size
  }
}
