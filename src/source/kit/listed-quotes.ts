// The quotes that a polled source has listed. Its answers say what is on offer; to say what is gone, or has reached its
// closing time, the listed quotes and their closing times are kept here. The board keeps the rest.

import type { MarketType } from '../../domain/market.ts'
import type { EventSighting, Observation, Price } from '../../domain/observation.ts'
import { OldestKeys } from '../../domain/oldest-keys.ts'
import { FRESHNESS_MS, type QuoteStatus } from '../../domain/quote.ts'
import type { FedTransport } from '../../domain/transport.ts'
import type { NormaliserLimits } from './normaliser.ts'
import { keyOf } from '../observations/observations.ts'

/** What the source lists quotes in: a bet offer of Kambi, a market of Pinnacle. */
export interface Listing {
  /** The source's id of it, or of what contains it. */
  readonly id: number
  /** Part of the event that it is about; 0: all of it. */
  readonly period: number
  /** The source's type of it, where it lists more than one thing under an id. */
  readonly type?: string
  /** It is closed from this time on, epoch ms; Infinity: the source has named none. */
  readonly closesAt: number
}

interface ListedQuote {
  /** As last published, with the last odds that the source gave. */
  price: Price
  /** The source's status, whatever the time. */
  status: QuoteStatus
  listing: Listing
  /** Number of the document that last named it. */
  document: number
}

// Up to this number scanning the quotes is faster than an index.
const SCANNED_MAX = 12

const isOf = (price: Price, type: MarketType, line: number | null, outcome: string): boolean =>
  price.outcome === outcome && price.line === line && price.type === type

/**
 * The quotes of an event. Sources list them in nearly the same order each time, so the quote that is looked for is
 * mostly the one after the last found, and needs no key.
 */
class QuoteList {
  private quotes: ListedQuote[] = []
  private byKey: Map<string, ListedQuote> | undefined
  private next = 0

  get size(): number {
    return this.quotes.length
  }

  [Symbol.iterator](): Iterator<ListedQuote> {
    return this.quotes[Symbol.iterator]()
  }

  /** The next search is likely to be for the first one. */
  rewind(): void {
    this.next = 0
  }

  find(type: MarketType, line: number | null, outcome: string): ListedQuote | undefined {
    const likely = this.quotes[this.next]
    if (likely !== undefined && isOf(likely.price, type, line, outcome)) {
      this.next++
      return likely
    }
    if (this.quotes.length > SCANNED_MAX) {
      this.byKey ??= new Map(this.quotes.map((quote) => [keyOf(quote.price), quote]))
      return this.byKey.get(keyOf({ type, line, outcome }))
    }
    const place = this.quotes.findIndex(({ price }) => isOf(price, type, line, outcome))
    if (place === -1) return undefined
    this.next = place + 1
    return this.quotes[place]
  }

  /** Adds a quote that is not in the list. */
  add(quote: ListedQuote): void {
    this.quotes.push(quote)
    this.byKey?.set(keyOf(quote.price), quote)
    this.next = this.quotes.length
  }

  retain(keeps: (quote: ListedQuote) => boolean): void {
    const kept = this.quotes.filter(keeps)
    if (kept.length === this.quotes.length) return
    this.quotes = kept
    this.byKey = undefined
    this.next = 0
  }
}

/** Identifies an event of one normaliser. */
type EventKey = string | number

/** An event and its quotes. */
export interface EventQuotes {
  readonly bookmaker: string
  sighting: EventSighting
  readonly quotes: QuoteList
  /** When the source last mentioned it, epoch ms. */
  saidAt: number
  /** Number of the last document that mentions or changes it, and its prices then. */
  document: number
  prices: Price[]
}

/** An event that kicked off this long ago and has no open quote is over. */
const OVER_MS = 6 * 3_600_000
const SWEEP_MS = 10 * 60_000
const EVENTS_MAX = 20_000
// Bound of the quotes kept of one event, in multiples of `pricesMax`.
const QUOTES_FACTOR = 10

const statusAt = ({ status, listing }: ListedQuote, at: number): QuoteStatus =>
  at >= listing.closesAt ? 'closed' : status

/** Sets the published price of a quote. A new object only if it differs: most prices are the same for a long time. */
const setPrice = (quote: ListedQuote, odds: number | null, status: QuoteStatus): void => {
  const { price } = quote
  if (price.odds !== odds || price.status !== status) quote.price = { ...price, odds, status }
}

export class ListedQuotes {
  private readonly limits: NormaliserLimits
  private readonly transport: FedTransport
  /** The event that was mentioned longest ago comes first. */
  private readonly byKey = new Map<EventKey, EventQuotes>()
  private readonly oldest = new OldestKeys(this.byKey)
  private document = 0
  private observedAt = 0
  private judgedAt = 0
  /** Events that the current document mentions or changes. */
  private touched: EventQuotes[] = []
  private sweptAt = Number.NEGATIVE_INFINITY

  constructor(limits: NormaliserLimits, transport: FedTransport) {
    this.limits = limits
    this.transport = transport
  }

  /**
   * The next document begins. What is over is forgotten.
   * @param observedAt when it was seen, epoch ms
   * @param judgedAt the time that closing times are compared with
   */
  begin(observedAt: number, judgedAt = observedAt): void {
    this.document++
    this.observedAt = observedAt
    this.judgedAt = judgedAt
    this.touched = []
    this.oldest.release()
    if (observedAt - this.sweptAt < SWEEP_MS) return
    this.sweptAt = observedAt
    for (const [key, event] of this.byKey) if (this.isOver(event)) this.byKey.delete(key)
  }

  /** The event of a key as last listed. */
  known(key: EventKey): EventQuotes | undefined {
    return this.byKey.get(key)
  }

  events(): Iterable<EventQuotes> {
    return this.byKey.values()
  }

  /** Events that the current document has mentioned or changed so far. */
  mentioned(): readonly EventQuotes[] {
    return this.touched
  }

  /** The event of a key with the names in the document, and with its earlier quotes. */
  sight(key: EventKey, bookmaker: string, sighting: EventSighting): EventQuotes {
    let event = this.byKey.get(key)
    if (event?.document === this.document) return event
    if (event !== undefined) {
      this.byKey.delete(key)
      event.sighting = sighting
    } else {
      if (this.byKey.size >= EVENTS_MAX) this.byKey.delete(this.oldest.next()!)
      event = { bookmaker, sighting, quotes: new QuoteList(), saidAt: this.observedAt, document: 0, prices: [] }
    }
    this.byKey.set(key, event)
    this.touch(event)
    return event
  }

  /**
   * The document lists an outcome. Without odds that is a price only if it had odds before: it is then suspended, with
   * the last odds (docs/feeds.md 2.8).
   * @param odds null: the source gives none, or none above 1
   * @param status the source's status; the listing's closing time may override it
   */
  list(
    event: EventQuotes,
    listing: Listing,
    type: MarketType,
    line: number | null,
    outcome: string,
    odds: number | null,
    status: QuoteStatus,
  ): void {
    let quote = event.quotes.find(type, line, outcome)
    if (quote === undefined) {
      if (odds === null) return
      const published = this.judgedAt >= listing.closesAt ? 'closed' : status
      quote = { price: { type, line, outcome, odds, status: published }, status, listing, document: this.document }
      if (event.quotes.size < this.limits.pricesMax * QUOTES_FACTOR) event.quotes.add(quote)
      event.prices.push(quote.price)
      return
    }
    quote.listing = listing
    quote.document = this.document
    quote.status = odds === null && status === 'open' ? 'suspended' : status
    setPrice(quote, odds ?? quote.price.odds, statusAt(quote, this.judgedAt))
    event.prices.push(odds === null ? { ...quote.price, odds } : quote.price)
  }

  /**
   * Gives the status of `statusOf` to the event's quotes that the document has not listed; undefined leaves a quote as
   * it is. Only changes are published. A closed quote is forgotten: it is gone, or it returns as a new one.
   */
  fall(event: EventQuotes, statusOf: (listing: Listing) => 'suspended' | 'closed' | undefined): void {
    event.quotes.retain((quote) => {
      const status = quote.document === this.document ? undefined : statusOf(quote.listing)
      if (status === undefined) return true
      if (quote.status !== 'closed') quote.status = status // its absence does not open it
      const published = statusAt(quote, this.judgedAt)
      if (published !== quote.price.status) {
        if (event.document !== this.document) this.touch(event)
        setPrice(quote, quote.price.odds, published)
        event.prices.push({ ...quote.price, odds: null })
      }
      return published !== 'closed'
    })
  }

  /** The observations of the document, event by event. Consume them before the next one begins. */
  *observations(): Generator<Observation> {
    for (const event of this.touched) yield* this.observe(event, this.observedAt, event.prices)
  }

  /** Nothing else is new at `at`, epoch ms: closes the quotes that have reached their closing time. */
  *closeDue(at: number): Generator<Observation> {
    for (const event of this.byKey.values()) {
      const prices: Price[] = []
      for (const quote of event.quotes) {
        if (at < quote.listing.closesAt || quote.price.status === 'closed') continue
        setPrice(quote, quote.price.odds, 'closed')
        prices.push(quote.price)
      }
      event.saidAt = at
      yield* this.observe(event, at, prices)
    }
  }

  private touch(event: EventQuotes): void {
    event.document = this.document
    event.saidAt = this.observedAt
    event.prices = []
    event.quotes.rewind()
    this.touched.push(event)
  }

  /** Observations within the limit of prices. */
  private *observe(event: EventQuotes, observedAt: number, prices: readonly Price[]): Generator<Observation> {
    const { bookmaker, sighting } = event
    const { pricesMax } = this.limits
    for (let first = 0; first < prices.length; first += pricesMax) {
      yield {
        bookmaker,
        transport: this.transport,
        observedAt,
        event: sighting,
        prices: prices.length <= pricesMax ? prices : prices.slice(first, first + pricesMax),
        others: 'keep', // what is gone is named
      }
    }
  }

  private isOver({ sighting, quotes, saidAt }: EventQuotes): boolean {
    if (this.observedAt - saidAt >= FRESHNESS_MS) return true // its quotes have aged out
    if (this.observedAt - sighting.kickoffAt < OVER_MS) return false
    for (const quote of quotes) if (statusAt(quote, this.judgedAt) === 'open') return false
    return true
  }
}
