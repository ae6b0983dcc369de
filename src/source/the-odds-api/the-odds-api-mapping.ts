// The Odds API (docs/feeds.md 5): maps an event in the source's words, with all its outcomes, to observations; common
// to JSON and CSV.

import type { EventSighting, Observation, Price } from '../../domain/observation.ts'
import { leagueKeyOf } from '../kit/league.ts'
import type { NormaliserOptions } from '../kit/normaliser.ts'
import { isAmericanBook, type OddsFormat, oddsOf } from '../kit/odds-format.ts'
import { sportOfTheOddsApi } from '../kit/sport-words.ts'
import { DRAW, TOTAL_LABELS, YES_NO_LABELS, isLay, marketOf } from './the-odds-api-markets.ts'

const SOURCE = 'the-odds-api'

/** An event in the source's words. */
export interface SourceEvent {
  readonly id: string
  readonly sportKey: string
  readonly sportTitle: string
  readonly home: string
  readonly away: string
  /** Epoch ms; null when the source gives none. */
  readonly kickoffAt: number | null
}

/** An outcome in the source's words. */
export interface SourceOutcome {
  readonly bookmaker: string
  readonly market: string
  readonly name: string
  /** The player of a prop; empty: none. */
  readonly description: string
  /** In the format of its document. */
  readonly price: number | null
  readonly point: number | null
  /** Epoch ms; null when the source gives none. */
  readonly observedAt: number | null
}

interface Group {
  readonly bookmaker: string
  readonly observedAt: number
  readonly prices: Price[]
}

const sportPrefixOf = (sportKey: string): string => /^[^_]*/.exec(sportKey)![0]

/** The event as observations name it, or the reason why its outcomes cannot be mapped. */
const sightEvent = (event: SourceEvent): EventSighting | 'event' | 'sport' => {
  const { sportKey, kickoffAt } = event
  const isOutright = event.home === '' && event.away === ''
  const home = isOutright ? event.sportTitle : event.home
  // With a name missing, or the same name on both sides, it is unclear what a price is for.
  if (home.trim() === '' || home === event.away || (event.away.trim() === '' && !isOutright)) return 'event'
  if (sportKey === '' || kickoffAt === null) return 'event'
  const prefix = sportPrefixOf(sportKey)
  const sport = sportOfTheOddsApi(prefix)
  if (sport === undefined) return 'sport'
  const leagueKey = leagueKeyOf(sportKey.slice(prefix.length), sport)
  return {
    sport,
    leagueKey,
    leagueName: event.sportTitle.trim() === '' ? leagueKey : event.sportTitle,
    home,
    away: event.away,
    kickoffAt,
    sourceKey: `${SOURCE}:${event.id.trim()}`,
  }
}

/** Of one event. */
export interface SourceOutcomes {
  readonly outcomes: readonly SourceOutcome[]
  /** Refused outcomes that affect the others of their list. */
  readonly refused: readonly RefusedOutcome[]
}

/** An outcome that is listed but cannot be read. Without a name it may be any. */
export interface RefusedOutcome {
  readonly bookmaker: string
  readonly market: string
  readonly name: string | undefined
}

/** Whether a refused outcome affects the others of its list: it is a draw, or may be one. */
export const decidesDraw = ({ market, name }: RefusedOutcome): boolean =>
  marketOf(market, undefined)?.book === 'moneyline' && (name === DRAW || name === undefined)

/**
 * Which markets of which bookmaker have a draw, and which may have one: per event, bookmaker and market. A draw counts
 * as listed even if its price is invalid or unreadable.
 */
class Draws {
  private readonly lists = new Map<string, Map<string, true | undefined>>()

  constructor(outcomes: readonly SourceOutcome[], refused: readonly RefusedOutcome[]) {
    for (const outcome of outcomes) if (outcome.name === DRAW && decidesDraw(outcome)) this.add(outcome)
    for (const outcome of refused) this.add(outcome)
  }

  /** Undefined: unclear. */
  isIn(bookmaker: string, market: string): boolean | undefined {
    const markets = this.lists.get(bookmaker)
    return markets?.has(market) === true ? markets.get(market) : false
  }

  private add({ bookmaker, market, name }: RefusedOutcome): void {
    let markets = this.lists.get(bookmaker)
    if (markets === undefined) {
      markets = new Map()
      this.lists.set(bookmaker, markets)
    }
    if (name === DRAW) markets.set(market, true)
    else if (!markets.has(market)) markets.set(market, undefined)
  }
}

/** An outcome as parsed, readable or not. */
export interface JudgedOutcome {
  readonly name: unknown
  readonly price: unknown
  readonly point: unknown
}

/** Whether {@link americanBookIn} needs an outcome whatever its price is. */
export const isAlwaysJudged = (name: unknown): boolean => name === DRAW

/**
 * The prices of a market of one bookmaker, or of one line of it, if all sides are listed and can only be American odds;
 * else undefined. For outrights it is unknown whether all are listed.
 */
export const americanBookIn = (
  { sportKey, home, away }: { readonly [name in 'sportKey' | 'home' | 'away']: unknown },
  market: unknown,
  outcomes: readonly JudgedOutcome[],
): readonly number[] | undefined => {
  const sport = sportOfTheOddsApi(sportPrefixOf(String(sportKey)))
  const kind = marketOf(String(market), sport)?.book ?? 'unknown'
  if (kind === 'unknown') return undefined
  // By line, then by side.
  const books = new Map<string, Map<unknown, number>>()
  for (const { name, price, point } of outcomes) {
    if (typeof price !== 'number') continue
    // One side of a handicap has the line with the other sign.
    const line =
      kind === 'moneyline' || kind === 'yes_no' ? 0 : kind === 'handicap' && name === away ? -Number(point) : point
    const book = books.get(String(line)) ?? new Map<unknown, number>()
    books.set(String(line), book)
    book.set(name, price)
  }
  const sides: readonly unknown[] =
    kind === 'total'
      ? [...TOTAL_LABELS.keys()]
      : kind === 'yes_no'
        ? [...YES_NO_LABELS.keys()]
        : kind === 'moneyline' && (sport === 'football' || market === 'h2h_3_way')
          ? [home, away, DRAW]
          : [home, away]
  for (const book of books.values()) {
    const isListed = kind === 'moneyline' && !sides.includes(DRAW) && book.has(DRAW)
    const prices = (isListed ? [...sides, DRAW] : sides).map((side) => book.get(side) ?? 0)
    if (isAmericanBook(prices)) return prices
  }
  return undefined
}

/** The observations of one event: one for each bookmaker and time, in the order in which they begin. */
class Groups {
  readonly all: Group[] = []
  private readonly ofBookmaker = new Map<string, Map<number, Group>>()
  private last: Group | undefined

  of(bookmaker: string, observedAt: number): Group {
    // The rows of a book are adjacent: most belong to the group of the one before.
    const { last } = this
    if (last !== undefined && last.observedAt === observedAt && last.bookmaker === bookmaker) return last
    let own = this.ofBookmaker.get(bookmaker)
    if (own === undefined) {
      own = new Map()
      this.ofBookmaker.set(bookmaker, own)
    }
    let group = own.get(observedAt)
    if (group === undefined) {
      group = { bookmaker, observedAt, prices: [] }
      own.set(observedAt, group)
      this.all.push(group)
    }
    this.last = group
    return group
  }
}

/** Maps all outcomes of one event: one observation for each bookmaker and time, prices in the order of the source. */
export const mapEvent = (
  event: SourceEvent,
  { outcomes, refused }: SourceOutcomes,
  format: OddsFormat,
  options: NormaliserOptions,
): Observation[] => {
  const { account } = options
  const sighting = sightEvent(event)
  const prefix = sportPrefixOf(event.sportKey)
  account.sport = sportOfTheOddsApi(prefix) ?? (prefix === '' ? null : prefix)
  if (typeof sighting === 'string') {
    // In the account, the same market key of another sport is another market.
    const sport = sighting === 'sport' ? `${prefix} ` : ''
    for (const { market } of outcomes) account.count(`${sport}${market}`, sighting)
    return []
  }
  const draws = new Draws(outcomes, refused)
  const groups = new Groups()
  for (const outcome of outcomes) {
    const { bookmaker, market, price, observedAt } = outcome
    if (isLay(market)) {
      account.count(market, 'lay')
      continue
    }
    if (observedAt === null) {
      account.count(market, 'no_timestamp')
      continue
    }
    const known = marketOf(market, sighting.sport)
    // In football it is three-way in any case.
    const hasDraw = known?.book === 'moneyline' && (sighting.sport === 'football' || draws.isIn(bookmaker, market))
    if (known === undefined || hasDraw === undefined) {
      account.count(market, 'market')
      continue
    }
    const mapped = known.map(outcome, event, sighting.sport, hasDraw)
    if (mapped === undefined || mapped === 'twin') {
      account.count(market, mapped ?? 'outcome')
      continue
    }
    const odds = price === null ? undefined : oddsOf(price, format)
    if (odds === undefined) {
      account.count(market, price === null ? 'no_price' : 'bad_price')
      continue
    }
    account.count(market, mapped.type)
    const { type, line, outcome: label } = mapped
    groups.of(bookmaker, observedAt).prices.push({ type, line, outcome: label, odds, status: 'open' })
  }
  const transport = options.transport ?? 'rest'
  return groups.all.map(
    ({ bookmaker, observedAt, prices }): Observation => ({
      bookmaker,
      transport,
      observedAt,
      event: sighting,
      prices,
      others: 'keep', // what is missing from an answer means nothing: it ages out
    }),
  )
}
