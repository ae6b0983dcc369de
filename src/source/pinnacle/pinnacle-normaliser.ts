// Pinnacle (docs/feeds.md 7): two kinds of answers that belong together, matchups (names) and straight markets
// (prices), in any order; one document an answer. Prices of an unknown matchup are held back until it is known. One
// normaliser for each polled league or sport: a complete answer of markets covers all that the normaliser remembers.

import type { Observation } from '../../domain/observation.ts'
import { OldestKeys } from '../../domain/oldest-keys.ts'
import type { QuoteStatus } from '../../domain/quote.ts'
import { parseDateTime } from '../../domain/time.ts'
import type { Fate } from '../kit/account.ts'
import { decimalOdds } from '../kit/american-odds.ts'
import type { ClosingNormaliser, FormatFault, NormaliserOptions } from '../kit/normaliser.ts'
import {
  type SourceMarket,
  type SourcePrice,
  MARKET_WORD,
  arePrices,
  decimalPriceIn,
  isPrice,
  labelOfPrice,
  lineOfPrice,
  listsDraw,
  nameOfMarket,
  typeOfMarket,
} from './pinnacle-markets.ts'
import { isRecord } from '../../domain/record.ts'
import { type Matchup, depthOf, readMatchup, restated, sportOf, statusOfPinnacle } from './pinnacle-matchup.ts'
import { type Listing, ListedQuotes } from '../kit/listed-quotes.ts'
import { isId, parseJson } from '../kit/json.ts'

const BOOKMAKER = 'pinnacle'

/** An answer of unknown time counts as seen so long before its first cutoff (docs/feeds.md 7). */
const BEFORE_CUTOFF_MS = 1_000

/** A period or a type that could not be read. */
const ANY = '*'

const MATCHUPS_MAX = 50_000
const HELD_MARKETS_MAX = 50_000

/** Markets of a matchup that is not known yet. */
interface Held {
  readonly at: number
  /** Number of their document. */
  readonly document: number
  readonly markets: SourceMarket[]
}

/** Whether a matchup, or one of its periods, is not open. */
const isOnHold = ({ status, periods }: Matchup): boolean => status !== 'open' || periods.size > 0

/** Status of a period by its matchup; a period that is not listed has the status of its market. */
const statusOfPeriod = ({ status, periods }: Matchup, period: number): QuoteStatus =>
  status === 'open' ? (periods.get(period) ?? 'open') : status

/** The arrays of a document; undefined where it has no known one. */
const partsOf = (document: unknown): { matchups?: readonly unknown[]; markets?: readonly unknown[] } | undefined => {
  if (isRecord(document)) {
    const { matchups = [], markets = [] } = document
    if (!('matchups' in document || 'markets' in document)) return undefined
    if (!Array.isArray(matchups) || !Array.isArray(markets)) return undefined
    return 'markets' in document ? { matchups, markets } : { matchups }
  }
  if (!Array.isArray(document)) return undefined
  const rows: readonly unknown[] = document
  // An empty array counts as markets: nothing is on offer.
  if (rows.length === 0) return { markets: rows }
  const first = rows.find((row) => isRecord(row) && ('matchupId' in row || 'participants' in row))
  if (!isRecord(first)) return undefined
  return 'matchupId' in first ? { markets: rows } : { matchups: rows }
}

class PinnacleNormaliser implements ClosingNormaliser {
  private readonly options: NormaliserOptions
  private readonly listed: ListedQuotes
  /** The one that was named longest ago is first. */
  private readonly matchups = new Map<number, Matchup>()
  /** By matchup, the one that was held longest ago first. */
  private readonly held = new Map<number, Held>()
  private readonly oldestHeld = new OldestKeys(this.held)
  private heldMarkets = 0
  private document = 0
  /** When the last document was seen, epoch ms. */
  private lastAt: number | undefined
  /** Parsed times of the current document, by their text. */
  private times = new Map<string, number>()
  /** By matchup: its markets that the current document may have changed in an unclear way ({@link noteUnclear}). */
  private unclear = new Map<number, Set<string>>()
  private lastTime = ''
  private lastClosesAt = 0

  constructor(options: NormaliserOptions) {
    this.options = options
    this.listed = new ListedQuotes(options.limits, options.transport ?? 'rest')
  }

  read(text: string): readonly Observation[] | FormatFault {
    const json = parseJson(text)
    if ('fault' in json) return json
    const { value: document } = json
    const parts = partsOf(document)
    if (parts === undefined) {
      return { fault: 'is not an answer of Pinnacle: it must be an array of matchups or of straight markets' }
    }
    const prefix = Array.isArray(document) ? '' : 'markets'
    const decimal = decimalPriceIn(parts.markets ?? [])
    if (decimal !== undefined) {
      return { fault: `holds decimal odds (${prefix}${decimal.place} is ${decimal.price}): Pinnacle's are American` }
    }
    this.document++
    this.times = new Map()
    this.unclear = new Map()
    this.oldestHeld.release()
    const markets = this.readMarkets(parts.markets ?? [], prefix)
    const at = this.options.facts.receivedAt() ?? this.beforeCutoffs(markets) ?? this.lastAt
    this.lastAt = at
    const named = this.readMatchups(parts.matchups ?? [], Array.isArray(document) ? '' : 'matchups')
    const observations = this.release(named, at)
    if (at === undefined) {
      for (const market of markets) this.count(market, this.fateWithoutTime(market))
      return observations
    }
    this.listed.begin(at)
    for (const market of markets) {
      const matchup = this.matchups.get(market.matchupId)
      if (matchup === undefined) this.hold(market, at)
      else if (!this.mapMarket(market, matchup)) this.noteUnclear(market.matchupId, market.period, market.type)
    }
    this.fall(named, parts.markets !== undefined && this.options.facts.isComplete())
    return [...observations, ...this.listed.observations()]
  }

  /** Prices that are still held back are counted as prices of unnamed events. */
  end(): readonly Observation[] {
    for (const matchupId of this.held.keys()) this.dropHeld(matchupId)
    return []
  }

  closeDue(at: number): Iterable<Observation> {
    return this.listed.closeDue(at)
  }

  private readMatchups(rows: readonly unknown[], prefix: string): ReadonlySet<number> {
    const named = new Set<number>()
    for (const depth of [0, 1, 2] as const) {
      for (let index = 0; index < rows.length; index++) {
        if (depthOf(rows[index]) !== depth) continue
        const matchup = this.readMatchupRow(rows[index], `${prefix}[${index}]`)
        if (matchup === undefined) continue
        this.matchups.delete(matchup.id)
        this.matchups.set(matchup.id, matchup)
        named.add(matchup.id)
      }
    }
    for (const id of this.matchups.keys()) {
      if (this.matchups.size <= MATCHUPS_MAX) break
      this.matchups.delete(id)
    }
    return named
  }

  private readMatchupRow(row: unknown, place: string): Matchup | undefined {
    const result = readMatchup(row, (id) => this.matchups.get(id), this.options.limits.textLengthMax)
    if (result !== undefined && !('fault' in result)) return result
    const known = isRecord(row) && isId(row.id) ? this.matchups.get(row.id) : undefined
    if (result !== undefined) this.malformed(result.field === '' ? place : `${place}.${result.field}`, result.fault)
    else if (known !== undefined) this.malformed(place, 'does not name its event, as it did before')
    return known === undefined ? undefined : restated(known, row as Record<string, unknown>)
  }

  private readMarkets(rows: readonly unknown[], prefix: string): SourceMarket[] {
    const markets: SourceMarket[] = []
    for (let index = 0; index < rows.length; index++) {
      const market = this.readMarket(rows[index], prefix, index)
      if (market !== undefined) markets.push(market)
    }
    return markets
  }

  private readMarket(row: unknown, prefix: string, index: number): SourceMarket | undefined {
    const place = `${prefix}[${index}]`
    if (!isRecord(row)) return this.malformed(place, 'must be an object')
    const { matchupId, type, period } = row
    if (!isId(matchupId)) return this.malformed(`${place}.matchupId`, 'must be a whole number')
    const refuse = (field: string, reason: string): undefined => {
      this.noteUnclear(matchupId, period, type)
      return this.malformed(`${place}.${field}`, reason)
    }
    if (typeof type !== 'string' || !MARKET_WORD.test(type)) return refuse('type', 'must be a word')
    if (!isId(period)) return refuse('period', 'must be a whole number')
    if (!Array.isArray(row.prices)) return refuse('prices', 'must be an array')
    const closesAt = this.closingTime(row.cutoffAt)
    if (closesAt === undefined) return refuse('cutoffAt', 'must be an RFC 3339 date-time')
    const isWhole = arePrices(row.prices)
    if (!isWhole) this.noteUnclear(matchupId, period, type)
    const prices = isWhole ? row.prices : this.readablePrices(row.prices, place)
    const hasDraw = type === 'moneyline' ? listsDraw(row.prices) : false
    this.options.account.read += prices.length
    return { matchupId, type, period, closesAt, status: statusOfPinnacle(row.status), hasDraw, prices }
  }

  private readablePrices(prices: readonly unknown[], place: string): SourcePrice[] {
    for (let index = 0; index < prices.length; index++) {
      if (isPrice(prices[index])) continue
      this.malformed(`${place}.prices[${index}]`, 'must be an object with numbers for price and points')
    }
    return prices.filter(isPrice)
  }

  /** Epoch ms; Infinity where there is none, undefined when it is no time. */
  private closingTime(value: unknown): number | undefined {
    if (value === undefined || value === null) return Number.POSITIVE_INFINITY
    if (typeof value !== 'string') return undefined
    // The markets of a matchup are adjacent, and mostly close at one time.
    if (value === this.lastTime) return this.lastClosesAt
    let at = this.times.get(value)
    if (at === undefined) {
      at = parseDateTime(value)?.epochMs
      if (at === undefined) return undefined
      this.times.set(value, at)
    }
    this.lastTime = value
    this.lastClosesAt = at
    return at
  }

  private beforeCutoffs(markets: readonly SourceMarket[]): number | undefined {
    let first = Number.POSITIVE_INFINITY
    for (const { closesAt } of markets) if (closesAt < first) first = closesAt
    return first === Number.POSITIVE_INFINITY ? undefined : first - BEFORE_CUTOFF_MS
  }

  /** @returns whether the outcome of each of its prices is known */
  private mapMarket(market: SourceMarket, matchup: Matchup): boolean {
    const { account, facts } = this.options
    const { sighting, special, eventId } = matchup
    account.sport = sportOf(matchup)
    const type = typeof sighting === 'string' ? undefined : typeOfMarket(market, matchup, sighting)
    if (typeof sighting === 'string' || type === undefined) {
      this.count(market, typeof sighting === 'string' ? 'sport' : 'market')
      return false
    }
    const name = nameOfMarket(market, matchup)
    const { matchupId: id, period, closesAt } = market
    const listing: Listing = { id, period, type: market.type, closesAt }
    const ofPeriod = statusOfPeriod(matchup, period)
    const status = ofPeriod === 'closed' || market.status === 'open' ? ofPeriod : market.status
    const event = this.listed.sight(eventId, facts.bookmaker ?? BOOKMAKER, sighting)
    let mapped = 0
    let labelled = 0
    for (const offered of market.prices) {
      const { price, points } = offered
      const label = labelOfPrice(market, offered, special)
      const line = label === undefined ? undefined : lineOfPrice(market.type, label, points)
      if (label === undefined || line === undefined) {
        account.count(name, 'outcome')
        continue
      }
      labelled++
      const odds = typeof price === 'number' ? decimalOdds(price) : undefined
      if (odds !== undefined) mapped++
      else account.count(name, typeof price === 'number' ? 'bad_price' : 'no_price')
      this.listed.list(event, listing, type, line, label, odds ?? null, status)
    }
    if (mapped > 0) account.count(name, type, mapped)
    return labelled > 0 && labelled === market.prices.length
  }

  /**
   * A market may have changed in an unclear way: those of its quotes that are not listed do not stay open. An
   * unreadable period or type means all periods or types.
   */
  private noteUnclear(matchupId: number, period: unknown, type: unknown): void {
    let doubts = this.unclear.get(matchupId)
    if (doubts === undefined) {
      doubts = new Set()
      this.unclear.set(matchupId, doubts)
    }
    doubts.add(`${isId(period) ? period : ANY} ${typeof type === 'string' && MARKET_WORD.test(type) ? type : ANY}`)
  }

  private isUnclear({ id, period, type = '' }: Listing): boolean {
    const doubts = this.unclear.get(id)
    if (doubts === undefined) return false
    return (
      doubts.has(`${period} ${type}`) ||
      doubts.has(`${period} ${ANY}`) ||
      doubts.has(`${ANY} ${type}`) ||
      doubts.has(`${ANY} ${ANY}`)
    )
  }

  /** Counts all outcomes of a market under one fate. */
  private count(market: SourceMarket, fate: Fate): void {
    const outcomes = market.prices.length
    if (outcomes === 0) return
    const matchup = this.matchups.get(market.matchupId)
    this.options.account.sport = sportOf(matchup)
    this.options.account.count(nameOfMarket(market, matchup), fate, outcomes)
  }

  private fateWithoutTime({ matchupId }: SourceMarket): Fate {
    const matchup = this.matchups.get(matchupId)
    return matchup === undefined ? 'event' : typeof matchup.sighting === 'string' ? 'sport' : 'no_timestamp'
  }

  /** Suspends or closes quotes that were not listed: on hold, unclear, or missing from a complete answer. */
  private fall(named: ReadonlySet<number>, isComplete: boolean): void {
    const isOneOfMany = this.options.facts.isOneOfMany?.() ?? false
    const ofAll = isOneOfMany ? this.listed.mentioned() : this.listed.events()
    const complete = new Set(isComplete ? ofAll : [])
    const events = new Set(complete)
    for (const id of [...named, ...this.unclear.keys()]) {
      const matchup = this.matchups.get(id)
      const event = matchup === undefined ? undefined : this.listed.known(matchup.eventId)
      if (event !== undefined && (isOnHold(matchup!) || this.unclear.has(id))) events.add(event)
    }
    for (const id of this.unclear.keys()) if (this.held.get(id)?.document !== this.document) this.dropHeld(id)
    for (const event of events) {
      const isAll = complete.has(event)
      this.listed.fall(event, (listing) => {
        const matchup = this.matchups.get(listing.id)
        const status = matchup === undefined ? 'open' : statusOfPeriod(matchup, listing.period)
        return status !== 'open' ? status : isAll || this.isUnclear(listing) ? 'suspended' : undefined
      })
    }
    if (!isComplete || isOneOfMany) return
    for (const [matchupId, { document }] of this.held) if (document !== this.document) this.dropHeld(matchupId)
  }

  // --- Held markets --------------------------------------------------------------------------------------------------

  /** Holds a market until its matchup is known. Until then its outcomes count as read, and under no fate. */
  private hold(market: SourceMarket, at: number): void {
    const { matchupId } = market
    let held = this.held.get(matchupId)
    if (held !== undefined && held.document !== this.document) {
      this.dropHeld(matchupId)
      held = undefined
    }
    if (held === undefined) {
      held = { at, document: this.document, markets: [] }
      this.held.set(matchupId, held)
    }
    held.markets.push(market)
    this.options.account.missingNames.miss('event', String(matchupId))
    this.heldMarkets++
    while (this.heldMarkets > HELD_MARKETS_MAX) this.dropHeld(this.oldestHeld.next()!)
  }

  /** Discards the held markets of a matchup. */
  private dropHeld(matchupId: number): void {
    for (const market of this.removeHeld(matchupId)?.markets ?? []) this.count(market, 'event')
  }

  private removeHeld(matchupId: number): Held | undefined {
    const held = this.held.get(matchupId)
    if (held === undefined) return undefined
    this.held.delete(matchupId)
    this.heldMarkets -= held.markets.length
    return held
  }

  /**
   * Maps the held markets of matchups that are known now, with the time at which they were seen. A market that has
   * closed meanwhile is closed: the next answer with prices may come late.
   */
  private release(named: ReadonlySet<number>, judgedAt: number | undefined): Observation[] {
    const released: Held[] = []
    for (const matchupId of this.held.size === 0 ? [] : named) {
      const held = this.removeHeld(matchupId)
      if (held === undefined) continue
      released.push(held)
      this.options.account.missingNames.find('event', String(matchupId))
    }
    released.sort((one, other) => one.at - other.at)
    const observations: Observation[] = []
    for (let first = 0; first < released.length; ) {
      const { at } = released[first]!
      this.listed.begin(at, Math.max(at, judgedAt ?? at))
      for (; released[first]?.at === at; first++) {
        for (const market of released[first]!.markets) this.mapMarket(market, this.matchups.get(market.matchupId)!)
      }
      observations.push(...this.listed.observations())
    }
    return observations
  }

  private malformed(place: string, reason: string): undefined {
    this.options.account.malformed++
    this.options.onMalformed(place, reason)
    return undefined
  }
}

/**
 * The format `pinnacle`: one document, an array of matchups or of straight markets, or both as
 * `{"matchups":[…],"markets":[…]}`.
 */
export const pinnacleNormaliser = (options: NormaliserOptions): ClosingNormaliser => new PinnacleNormaliser(options)
