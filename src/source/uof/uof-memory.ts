// The quotes of the Unified Odds Feed by event and market, with the product that last stated each market. Needed
// because most messages are about known quotes and name neither odds nor outcomes. The board knows which quotes are
// suspect. Bounded.

import type { MarketType } from '../../domain/market.ts'
import type { EventSighting } from '../../domain/observation.ts'
import type { QuoteStatus } from '../../domain/quote.ts'

export interface KnownQuote {
  readonly outcome: string
  odds: number
  status: QuoteStatus
  /** The source lists it as active, with a price: it reopens with its market. */
  isListed: boolean
  /** When the source last stated it, by its clock; epoch ms. Older messages do not count. */
  statedAt: number
}

export interface KnownMarket {
  /** The product with the newest statement about the market. */
  product: number
  /** When the source last stated it or one of its quotes, by its clock; epoch ms. */
  statedAt: number
  readonly type: MarketType
  readonly line: number | null
  readonly quotes: Map<string, KnownQuote>
}

export interface KnownEvent {
  readonly id: string
  /** As last named. */
  sighting: EventSighting
  /** By id and specifiers. */
  readonly markets: Map<string, KnownMarket>
  /** The market that owns each set of labels: a second one is a twin. */
  readonly owners: Map<string, string>
}

export class UofMemory {
  private readonly events = new Map<string, KnownEvent>()
  private readonly knownMax: number
  private count = 0

  constructor(knownMax: number) {
    this.knownMax = knownMax
  }

  /** Number of known quotes and markets. */
  get size(): number {
    return this.count
  }

  get(id: string): KnownEvent | undefined {
    return this.events.get(id)
  }

  all(): IterableIterator<KnownEvent> {
    return this.events.values()
  }

  /** A new event, not kept until {@link keep}. */
  blank(id: string, sighting: EventSighting): KnownEvent {
    return { id, sighting, markets: new Map(), owners: new Map() }
  }

  addMarket(event: KnownEvent, key: string, market: KnownMarket): void {
    event.markets.set(key, market)
    this.count++
  }

  addQuote(market: KnownMarket, quote: KnownQuote): void {
    market.quotes.set(quote.outcome, quote)
    this.count++
  }

  /** Keeps an event after a change, as the most recent one; forgets it when all its quotes are closed. */
  keep(event: KnownEvent): void {
    this.events.delete(event.id)
    for (const { quotes } of event.markets.values()) {
      for (const { status } of quotes.values()) {
        if (status !== 'closed') return void this.events.set(event.id, event)
      }
    }
    this.uncount(event)
  }

  /** Forgets the least recent events until the rest fits, and returns them. */
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
