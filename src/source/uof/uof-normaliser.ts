// Sportradar's Unified Odds Feed (docs/feeds.md 9): from messages to observations. A message names an event by its id only,
// and often a quote only by its market; so names come from a fixture list, and what was said before from a memory.

import type { MarketType } from '../../domain/market.ts'
import type { EventSighting, Observation, Price } from '../../domain/observation.ts'
import { type QuoteStatus, SKEW_MS_MAX } from '../../domain/quote.ts'
import type { Fate } from '../kit/account.ts'
import { moneylineTypeOf } from '../kit/market-words.ts'
import { type FormatFault, isFormatFault, type Normaliser, type NormaliserOptions } from '../kit/normaliser.ts'
import { DRAW, mapUofMarket, type UofMapping } from './uof-markets.ts'
import { type KnownEvent, type KnownMarket, type KnownQuote, UofMemory } from './uof-memory.ts'
import { readUofMessages, type UofMarket, type UofMessage, type UofOutcome } from './uof-message.ts'

const SOURCE = 'uof'

/** A supplier, not a book: what it is called where nobody says whose prices they are. */
const BOOKMAKER = 'sportradar'

const KNOWN_MAX = 1_000_000

export interface UofNormaliserOptions extends NormaliserOptions {
  /** Whether an event without fixture is one of a sport that we do not have. Without it nobody knows. */
  readonly isOtherSport?: (sourceEventId: string) => boolean
  /** Quotes and markets remembered, closed ones of open events too; past it the events longest silent are suspended. */
  readonly knownMax?: number
  /**
   * How far ahead of the time of receipt a message may be. Not more than the engine takes: else we would remember what it
   * has refused, and hold what comes at the right time for old.
   */
  readonly aheadMsMax?: number
}

export interface UofNormaliser extends Normaliser {
  /** Takes a message that was read already. Everything is done when it returns. */
  apply(message: UofMessage): Observation[]
  /** Whether it remembers quotes of the event, and with them its names. */
  knows(sourceEventId: string): boolean
  /**
   * What a product has said is not open any more, unless it says it again: it is down, or about to list all it has. Says so,
   * as of the newest time that it has named; a connector that has another way to say it need not take that.
   * @param sourceEventId only those of this event
   */
  suspendProduct(product: number, sourceEventId?: string): Observation[]
  /** The newest time that a product has named, epoch ms: what any product says later will not look older. */
  confirmAt(product: number): number
  /** What a product has said and not closed, as of the newest time that it has named. Counts nothing in the account. */
  standing(product: number): Observation[]
  /** Quotes and markets remembered. */
  readonly size: number
}

/** None: a market only states the status of what it listed before. */
const isList = ({ outcomes, illegible }: UofMarket): boolean => outcomes.length + illegible.length > 0

const hasDraw = ({ outcomes, illegible }: UofMarket): boolean =>
  outcomes.some(({ id }) => id === DRAW) || illegible.includes(DRAW)

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
  /** Newest time that a product has named, epoch ms. */
  private readonly newestAt = new Map<number, number>()
  /** The newest of them that all of a product was stated or confirmed at, epoch ms. */
  private confirmedAt = 0

  constructor(options: UofNormaliserOptions) {
    this.options = options
    this.memory = new UofMemory(options.knownMax ?? KNOWN_MAX)
  }

  get size(): number {
    return this.memory.size
  }

  take(text: string, lineNumber: number): Iterable<Observation> | FormatFault {
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
      this.refuse(`message of product ${product}`, `its time lies ${sentAt - receivedAt} ms ahead`)
      return []
    }
    this.newestAt.set(product, Math.max(sentAt, this.newestAt.get(product) ?? 0))
    switch (kind) {
      case 'odds_change':
        return this.changeOdds(message)
      case 'bet_stop':
        return this.changeKnown(message, (quote) => this.turn(quote, 'suspended', sentAt))
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

  standing(product: number): Observation[] {
    return [...this.state(product, ({ status }) => status !== 'closed')]
  }

  suspendProduct(product: number, sourceEventId?: string): Observation[] {
    const suspend = (quote: KnownQuote): boolean =>
      quote.status === 'open' && this.turn(quote, 'suspended', quote.heardAt)
    return [...this.state(product, suspend, sourceEventId)]
  }

  private *applyAll(messages: Iterable<UofMessage>): Generator<Observation> {
    for (const message of messages) yield* this.apply(message)
  }

  private refuse(place: string, reason: string): void {
    this.options.account.malformed++
    this.options.onMalformed(place, reason)
  }

  // --- what we state by ourselves ---

  /** States the quotes of a product that `isStated` picks, and may change before. */
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
          // Another product may have spoken of it later, by a bet_stop.
          at = Math.max(at, quote.heardAt)
          prices.push(newPrice(market, quote))
        }
      }
      if (prices.length > 0) this.confirmedAt = Math.max(this.confirmedAt, at)
      yield* this.observe(event, at, prices)
    }
  }

  // --- what the source says ---

  private changeOdds(message: UofMessage): Observation[] {
    const { account } = this.options
    const { eventId, sentAt, markets } = message
    for (const { outcomes } of markets) account.read += outcomes.length
    let event = this.memory.get(eventId)
    const sighting = this.sightingOf(eventId) ?? event?.sighting
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
    this.dropTwoWay(event, key, market, mapping, message, prices)
    const known = this.marketOf(event, key, market, mapping, message)
    if (known === 'twin') {
      account.count(id, 'twin', outcomes.length)
      return
    }
    if (known === undefined) return // nothing was ever listed, and nothing is
    // Older than the newest word on the market, whoever had it: only counted.
    const isOld = message.sentAt < known.heardAt
    if (!isOld) {
      known.product = message.product
      known.heardAt = message.sentAt
    }
    const listed = new Set<KnownQuote>()
    for (const outcome of outcomes) {
      const label = mapping.labels.get(outcome.id)
      if (label === undefined || (label === 'draw' && known.type === 'match_winner')) {
        account.count(id, 'outcome')
        continue
      }
      const { odds } = outcome
      account.count(id, odds === null ? 'no_price' : odds > 1 ? known.type : 'bad_price')
      if (isOld) continue
      const before = known.quotes.get(label)
      if (before !== undefined) listed.add(before)
      // What is closed opens only by something newer (docs/feeds.md 2.8).
      if (before?.status === 'closed' && message.sentAt <= before.heardAt) continue
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

  /** The market as it is known; undefined: not at all, and this is not the time to begin. */
  private marketOf(
    event: KnownEvent,
    key: string,
    market: UofMarket,
    mapping: UofMapping,
    { product, sentAt }: UofMessage,
  ): KnownMarket | 'twin' | undefined {
    const known = event.markets.get(key)
    if (known !== undefined || !isList(market)) return known
    const type: MarketType =
      mapping.type === 'moneyline' ? moneylineTypeOf(event.sighting.sport, hasDraw(market)) : mapping.type
    // Two markets may share type and line and not a label: clean sheet of home and of away.
    const [firstLabel] = mapping.labels.values()
    const slot = `${type} ${mapping.line} ${firstLabel}`
    if (event.owners.has(slot)) return 'twin'
    const begun: KnownMarket = { product, heardAt: sentAt, type, line: mapping.line, quotes: new Map() }
    event.owners.set(slot, key)
    this.memory.addMarket(event, key, begun)
    return begun
  }

  /**
   * A moneyline whose list has a draw now was never the two-way market that it looked like without: what was said of it as
   * such is offered no more. The other way round a draw that is not listed is only not current.
   */
  private dropTwoWay(
    event: KnownEvent,
    key: string,
    market: UofMarket,
    mapping: UofMapping,
    { sentAt }: UofMessage,
    prices: Price[],
  ): void {
    const known = event.markets.get(key)
    if (known?.type !== 'match_winner' || mapping.type !== 'moneyline' || !hasDraw(market)) return
    if (sentAt < known.heardAt) return
    for (const quote of known.quotes.values()) {
      if (quote.status !== 'closed' && this.turn(quote, 'suspended', sentAt)) prices.push(newPrice(known, quote))
    }
    this.memory.dropMarket(event, key, known)
  }

  /** The quote after what a listed outcome says of it; undefined while it has never had a price. */
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
      const quote = { outcome: label, odds, status, isListed, heardAt: sentAt }
      this.memory.addQuote(market, quote)
      return quote
    }
    if (hasPrice) known.odds = odds
    known.status = status
    known.isListed = isListed
    known.heardAt = sentAt
    return known
  }

  /** What a listed market says of a quote that it does not list. True: something new, or that it is open. */
  private changeUnlisted(quote: KnownQuote, market: UofMarket, sentAt: number): boolean {
    const { status } = market
    if (quote.status === 'closed') return false
    if (isList(market)) quote.isListed = false
    const isOpen = status === 'open' && quote.isListed
    return this.turn(quote, isOpen ? 'open' : status === 'closed' ? 'closed' : 'suspended', sentAt)
  }

  private turn(quote: KnownQuote, status: QuoteStatus, sentAt: number): boolean {
    // That it is open may be news to the board, which may have suspected it since it was said last.
    const isNews = quote.status !== status || status === 'open'
    quote.heardAt = sentAt
    quote.status = status
    return isNews
  }

  private settle(message: UofMessage): Observation[] {
    const keys = new Set(message.markets.map(({ id, specifiers }) => `${id} ${specifiers}`))
    return this.changeKnown(message, (quote, key) => keys.has(key) && this.turn(quote, 'closed', message.sentAt))
  }

  /** @param change may change a quote that is not closed and not newer than the message; true: it has */
  private changeKnown(message: UofMessage, change: (quote: KnownQuote, key: string) => boolean): Observation[] {
    const { eventId, sentAt } = message
    const event = this.memory.get(eventId)
    if (event === undefined) return []
    event.sighting = this.sightingOf(eventId) ?? event.sighting
    const prices: Price[] = []
    for (const [key, market] of event.markets) {
      for (const quote of market.quotes.values()) {
        if (quote.status === 'closed' || quote.heardAt > sentAt) continue
        if (change(quote, key)) prices.push(newPrice(market, quote))
        market.heardAt = Math.max(market.heardAt, quote.heardAt)
      }
    }
    this.memory.keep(event)
    return [...this.observe(event, sentAt, prices)]
  }

  // --- out ---

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

  /** What is forgotten can be neither stopped nor settled: so it must not stay open. */
  private *shed(): Generator<Observation> {
    for (const event of this.memory.shed()) {
      const prices: Price[] = []
      let at = 0
      for (const market of event.markets.values()) {
        for (const quote of market.quotes.values()) {
          at = Math.max(at, quote.heardAt)
          if (quote.status === 'open') prices.push({ ...newPrice(market, quote), status: 'suspended' })
        }
      }
      yield* this.observe(event, at, prices)
    }
  }
}

/** The format `uof`: one document, a message or several one after the other. */
export const uofNormaliser = (options: UofNormaliserOptions): UofNormaliser => new Uof(options)
