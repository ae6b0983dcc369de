// Sportradar's Unified Odds Feed (docs/feeds.md 9): from messages to observations. A message names an event by its id
// only, and often a quote only by its market; so names come from a fixture list, and earlier statements from a memory.

import type { EventSighting, Observation, Price } from '../../domain/observation.ts'
import { type QuoteStatus, SKEW_MS_MAX } from '../../domain/quote.ts'
import type { Fate } from '../kit/account.ts'
import { type FormatFault, isFormatFault, type Normaliser, type NormaliserOptions } from '../kit/normaliser.ts'
import { mapUofMarket, type UofMapping } from './uof-markets.ts'
import { type KnownEvent, type KnownMarket, type KnownQuote, UofMemory } from './uof-memory.ts'
import { readUofMessages, type UofMarket, type UofMessage, type UofOutcome } from './uof-message.ts'

const SOURCE = 'uof'

/** A supplier, not a bookmaker: the name that is used when no bookmaker is configured. */
const BOOKMAKER = 'sportradar'

const KNOWN_MAX = 1_000_000

export interface UofNormaliserOptions extends NormaliserOptions {
  /** Whether an event without fixture is of a sport that is not supported. Omitted: unknown. */
  readonly isOtherSport?: (sourceEventId: string) => boolean
  /** Quotes and markets kept, including closed ones of open events; beyond it the least recent events are suspended. */
  readonly knownMax?: number
  /**
   * How far ahead of the time of receipt a message may be. At most what the engine accepts: else refused messages would
   * be kept here, and messages with the right time would count as old.
   */
  readonly aheadMsMax?: number
}

export interface UofNormaliser extends Normaliser {
  /** Applies a parsed message. Everything is done when it returns. */
  apply(message: UofMessage): Observation[]
  /** Whether it keeps quotes of the event, and with them its names. */
  knows(sourceEventId: string): boolean
  /**
   * Suspends the quotes of a product until it states them again: it is down, or about to list all that it has. Returns
   * the changes, as of the product's newest time; a connector that suspects its producer need not pass them on.
   * @param sourceEventId only those of this event
   */
  suspendProduct(product: number, sourceEventId?: string): Observation[]
  /** The newest time of a product, epoch ms: no later message of any product will look older. */
  confirmAt(product: number): number
  /** The product's quotes that are not closed, as of its newest time. Counts nothing in the account. */
  current(product: number): Observation[]
  /** Number of quotes and markets kept. */
  readonly size: number
}

/** False: the market only states the status of what it listed before. */
const isList = ({ outcomes, illegible }: UofMarket): boolean => outcomes.length + illegible.length > 0

const newPrice = (market: KnownMarket, { outcome, odds, status }: KnownQuote): Price => ({
  type: market.type,
  line: market.line,
  outcome,
  odds,
  status,
})

class Uof implements UofNormaliser {
  private readonly options: UofNormaliserOptions
  private readonly memory: UofMemory
  /** Newest time of each product, epoch ms. */
  private readonly newestAt = new Map<number, number>()
  /** The newest time at which all quotes of a product were stated or confirmed, epoch ms. */
  private confirmedAt = 0

  constructor(options: UofNormaliserOptions) {
    this.options = options
    this.memory = new UofMemory(options.knownMax ?? KNOWN_MAX)
  }

  get size(): number {
    return this.memory.size
  }

  read(text: string, lineNumber: number): Iterable<Observation> | FormatFault {
    const { limits } = this.options
    const messages = readUofMessages(text, lineNumber, limits, (place, reason) => this.refuse(place, reason))
    return isFormatFault(messages) ? messages : this.applyAll(messages)
  }

  end(): Iterable<Observation> {
    return []
  }

  knows(sourceEventId: string): boolean {
    return this.memory.get(sourceEventId) !== undefined
  }

  confirmAt(product: number): number {
    const at = this.newestAt.get(product) ?? 0
    this.confirmedAt = Math.max(this.confirmedAt, at)
    return at
  }

  apply(message: UofMessage): Observation[] {
    const { kind, product, sentAt } = message
    const { facts, aheadMsMax = SKEW_MS_MAX } = this.options
    const receivedAt = facts.receivedAt()
    if (receivedAt !== null && sentAt > receivedAt + aheadMsMax) {
      // Its outcomes are not in the account: none of them was read.
      this.refuse(`message of product ${product}`, `its time is ${sentAt - receivedAt} ms ahead`)
      return []
    }
    this.newestAt.set(product, Math.max(sentAt, this.newestAt.get(product) ?? 0))
    switch (kind) {
      case 'odds_change':
        return this.changeOdds(message)
      case 'bet_stop':
        return this.changeKnown(message, (quote) => this.setStatus(quote, 'suspended', sentAt))
      case 'bet_settlement':
        return this.settle(message)
      case 'bet_cancel':
        return message.hasTimeRange ? [] : this.settle(message)
      case 'product_down':
        return this.suspendProduct(product)
      case 'alive':
        return message.isSubscribed ? [] : this.suspendProduct(product)
      case 'rollback_bet_settlement':
      case 'rollback_bet_cancel':
      case 'fixture_change':
      case 'snapshot_complete':
        return []
    }
  }

  current(product: number): Observation[] {
    return [...this.state(product, ({ status }) => status !== 'closed')]
  }

  suspendProduct(product: number, sourceEventId?: string): Observation[] {
    const suspend = (quote: KnownQuote): boolean =>
      quote.status === 'open' && this.setStatus(quote, 'suspended', quote.statedAt)
    return [...this.state(product, suspend, sourceEventId)]
  }

  private *applyAll(messages: Iterable<UofMessage>): Generator<Observation> {
    for (const message of messages) yield* this.apply(message)
  }

  private refuse(place: string, reason: string): void {
    this.options.account.malformed++
    this.options.onMalformed(place, reason)
  }

  // --- statements of our own ---

  /** States the quotes of a product that `isStated` picks; it may change them first. */
  private *state(
    product: number,
    isStated: (quote: KnownQuote) => boolean,
    sourceEventId?: string,
  ): Generator<Observation> {
    const newestAt = this.confirmAt(product)
    for (const event of sourceEventId === undefined ? this.memory.all() : [this.memory.get(sourceEventId)]) {
      if (event === undefined) continue
      const prices: Price[] = []
      let at = newestAt
      for (const market of event.markets.values()) {
        if (market.product !== product) continue
        for (const quote of market.quotes.values()) {
          if (!isStated(quote)) continue
          // Another product may have stated it later, by a bet_stop.
          at = Math.max(at, quote.statedAt)
          prices.push(newPrice(market, quote))
        }
      }
      if (prices.length > 0) this.confirmedAt = Math.max(this.confirmedAt, at)
      yield* this.observe(event, at, prices)
    }
  }

  // --- messages ---

  private changeOdds(message: UofMessage): Observation[] {
    const { account } = this.options
    const { eventId, sentAt, markets } = message
    for (const { outcomes } of markets) account.read += outcomes.length
    let event = this.memory.get(eventId)
    const sighting = this.sightingOf(eventId) ?? event?.sighting
    account.sport = sighting?.sport ?? null
    if (sighting === undefined) {
      const fate: Fate = this.options.isOtherSport?.(eventId) === true ? 'sport' : 'event'
      if (fate === 'event') account.missingNames.miss('event', eventId)
      for (const { id, outcomes } of markets) if (outcomes.length > 0) account.count(id, fate, outcomes.length)
      return []
    }
    account.missingNames.find('event', eventId)
    event ??= this.memory.blank(eventId, sighting)
    event.sighting = sighting
    const prices: Price[] = []
    for (const market of markets) this.changeMarket(event, market, message, prices)
    this.memory.keep(event)
    return [...this.observe(event, sentAt, prices), ...this.shed()]
  }

  private changeMarket(event: KnownEvent, market: UofMarket, message: UofMessage, prices: Price[]): void {
    const { account } = this.options
    const { id, specifiers, outcomes } = market
    const mapping = mapUofMarket(event.sighting.sport, id, specifiers)
    if (typeof mapping === 'string') {
      if (outcomes.length > 0) account.count(id, mapping, outcomes.length)
      return
    }
    const key = `${id} ${specifiers}`
    const known = this.marketOf(event, key, market, mapping, message)
    if (known === 'twin') {
      account.count(id, 'twin', outcomes.length)
      return
    }
    if (known === undefined) return // it never listed an outcome
    // Only counted: older than the newest statement about the market by any product, or that a product leaves it to
    // another one that has stated it already.
    const isOld = message.sentAt < known.statedAt || (market.isHandedOver && message.product !== known.product)
    if (!isOld) {
      known.product = message.product
      known.statedAt = message.sentAt
    }
    const listed = new Set<KnownQuote>()
    for (const outcome of outcomes) {
      const label = mapping.labels.get(outcome.id)
      if (label === undefined) {
        account.count(id, 'outcome')
        continue
      }
      const { odds } = outcome
      account.count(id, odds === null ? 'no_price' : odds > 1 ? known.type : 'bad_price')
      if (isOld) continue
      const before = known.quotes.get(label)
      if (before !== undefined) listed.add(before)
      // A closed quote opens only by a newer message (docs/feeds.md 2.8).
      if (before?.status === 'closed' && message.sentAt <= before.statedAt) continue
      const quote = this.changeQuote(known, label, outcome, market.status, message.sentAt)
      if (quote === undefined) continue
      listed.add(quote)
      prices.push(newPrice(known, quote))
    }
    if (isOld) return
    for (const quote of known.quotes.values()) {
      if (!listed.has(quote) && this.changeUnlisted(quote, market, message.sentAt)) prices.push(newPrice(known, quote))
    }
  }

  /** The known market, or a new one if the message lists outcomes; undefined: it is unknown and lists none. */
  private marketOf(
    event: KnownEvent,
    key: string,
    market: UofMarket,
    mapping: UofMapping,
    { product, sentAt }: UofMessage,
  ): KnownMarket | 'twin' | undefined {
    const known = event.markets.get(key)
    if (known !== undefined || !isList(market)) return known
    const { type } = mapping
    // Two markets may share type and line but no label: clean sheet of home and of away.
    const [firstLabel] = mapping.labels.values()
    const slot = `${type} ${mapping.line} ${firstLabel}`
    if (event.owners.has(slot)) return 'twin'
    const begun: KnownMarket = { product, statedAt: sentAt, type, line: mapping.line, quotes: new Map() }
    event.owners.set(slot, key)
    this.memory.addMarket(event, key, begun)
    return begun
  }

  /** Applies a listed outcome to its quote; undefined while it has never had a price. */
  private changeQuote(
    market: KnownMarket,
    label: string,
    { odds, isActive }: UofOutcome,
    marketStatus: QuoteStatus,
    sentAt: number,
  ): KnownQuote | undefined {
    const hasPrice = odds !== null && odds > 1
    const isListed = hasPrice && isActive
    const status = marketStatus === 'open' && !isListed ? 'suspended' : marketStatus
    const known = market.quotes.get(label)
    if (known === undefined) {
      if (!hasPrice) return undefined
      const quote = { outcome: label, odds, status, isListed, statedAt: sentAt }
      this.memory.addQuote(market, quote)
      return quote
    }
    if (hasPrice) known.odds = odds
    known.status = status
    known.isListed = isListed
    known.statedAt = sentAt
    return known
  }

  /**
   * Applies a listed market to a quote that it does not list. @returns whether to publish it: it changed, or is open
   */
  private changeUnlisted(quote: KnownQuote, market: UofMarket, sentAt: number): boolean {
    const { status } = market
    if (quote.status === 'closed') return false
    if (isList(market)) quote.isListed = false
    const isOpen = status === 'open' && quote.isListed
    return this.setStatus(quote, isOpen ? 'open' : status === 'closed' ? 'closed' : 'suspended', sentAt)
  }

  private setStatus(quote: KnownQuote, status: QuoteStatus, sentAt: number): boolean {
    // The board may have suspected an open quote since: it is stated again.
    const isNews = quote.status !== status || status === 'open'
    quote.statedAt = sentAt
    quote.status = status
    return isNews
  }

  private settle(message: UofMessage): Observation[] {
    const keys = new Set(message.markets.map(({ id, specifiers }) => `${id} ${specifiers}`))
    return this.changeKnown(message, (quote, key) => keys.has(key) && this.setStatus(quote, 'closed', message.sentAt))
  }

  /** @param change may change a quote that is not closed and not newer than the message; true: publish it */
  private changeKnown(message: UofMessage, change: (quote: KnownQuote, key: string) => boolean): Observation[] {
    const { eventId, sentAt } = message
    const event = this.memory.get(eventId)
    if (event === undefined) return []
    event.sighting = this.sightingOf(eventId) ?? event.sighting
    const prices: Price[] = []
    for (const [key, market] of event.markets) {
      for (const quote of market.quotes.values()) {
        if (quote.status === 'closed' || quote.statedAt > sentAt) continue
        if (change(quote, key)) prices.push(newPrice(market, quote))
        market.statedAt = Math.max(market.statedAt, quote.statedAt)
      }
    }
    this.memory.keep(event)
    return [...this.observe(event, sentAt, prices)]
  }

  // --- observations ---

  private sightingOf(eventId: string): EventSighting | undefined {
    const fixture = this.options.facts.fixtureOf(eventId)
    return fixture === undefined ? undefined : { ...fixture, sourceKey: `${SOURCE}:${eventId}` }
  }

  private *observe(event: KnownEvent, at: number, prices: readonly Price[]): Generator<Observation> {
    const { facts, transport, limits } = this.options
    for (let start = 0; start < prices.length; start += limits.pricesMax) {
      yield {
        bookmaker: facts.bookmaker ?? BOOKMAKER,
        transport: transport ?? 'both',
        observedAt: Math.max(at, this.confirmedAt),
        event: event.sighting,
        prices: prices.slice(start, start + limits.pricesMax),
        others: 'keep',
      }
    }
  }

  /** A forgotten quote can be neither suspended nor settled: it must not stay open. */
  private *shed(): Generator<Observation> {
    for (const event of this.memory.shed()) {
      const prices: Price[] = []
      let at = 0
      for (const market of event.markets.values()) {
        for (const quote of market.quotes.values()) {
          at = Math.max(at, quote.statedAt)
          if (quote.status === 'open') prices.push({ ...newPrice(market, quote), status: 'suspended' })
        }
      }
      yield* this.observe(event, at, prices)
    }
  }
}

/** The format `uof`: one document, a message or several one after the other. */
export const uofNormaliser = (options: UofNormaliserOptions): UofNormaliser => new Uof(options)
