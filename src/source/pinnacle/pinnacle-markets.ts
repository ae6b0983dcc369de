// Straight markets of Pinnacle and the market types that they settle like (docs/feeds.md 7).

import type { MarketType } from '../../domain/market.ts'
import type { EventSighting } from '../../domain/observation.ts'
import type { QuoteStatus } from '../../domain/quote.ts'
import { handicapTypeOf, homeLine, moneylineTypeOf, totalTypeOf } from '../kit/market-words.ts'
import { isRecord } from '../../domain/record.ts'
import { isId, isNumberOrNone } from '../kit/json.ts'
import type { Matchup } from './pinnacle-matchup.ts'
import type { Special } from './pinnacle-specials.ts'

export interface SourcePrice {
  /** American; none: not offered at the moment. */
  readonly price?: number | null
  readonly designation?: string
  readonly points?: number | null
  readonly participantId?: number
}

export interface SourceMarket {
  readonly matchupId: number
  readonly type: string
  readonly period: number
  /** Epoch ms; Infinity: not given. */
  readonly closesAt: number
  readonly status: QuoteStatus
  /** Whether it lists a draw, at whatever price; undefined: a row is neither a draw nor a side. */
  readonly hasDraw: boolean | undefined
  readonly prices: readonly SourcePrice[]
}

/** Whether a price of a market can be read. */
export const isPrice = (value: unknown): value is SourcePrice => {
  if (!isRecord(value)) return false
  const { price, points, designation, participantId } = value
  return (
    isNumberOrNone(price) &&
    isNumberOrNone(points) &&
    (designation === undefined || typeof designation === 'string') &&
    (participantId === undefined || isId(participantId))
  )
}

/** Such a price exists in decimal odds only. */
const isDecimalPrice = (price: unknown): price is number =>
  typeof price === 'number' && price > 1 && price < 100 && !Number.isInteger(price)

/**
 * The first price of an answer that proves that its odds are decimal: read as American odds, its longshots would be
 * published as short prices. Its place is relative to the array of markets.
 */
export const decimalPriceIn = (
  rows: readonly unknown[],
): { readonly place: string; readonly price: number } | undefined => {
  for (let row = 0; row < rows.length; row++) {
    const market = rows[row]
    const prices = isRecord(market) && Array.isArray(market.prices) ? (market.prices as unknown[]) : []
    for (let at = 0; at < prices.length; at++) {
      const offered = prices[at]
      const price = isRecord(offered) ? offered.price : undefined
      if (isDecimalPrice(price)) return { place: `[${row}].prices[${at}].price`, price }
    }
  }
  return undefined
}

/** Whether all prices of a market can be read. */
export const arePrices = (values: readonly unknown[]): values is readonly SourcePrice[] => {
  for (let index = 0; index < values.length; index++) if (!isPrice(values[index])) return false
  return true
}

/** {@link SourceMarket.hasDraw} of unchecked rows. A draw without a price is listed, too. */
export const listsDraw = (rows: readonly unknown[]): boolean | undefined => {
  let isSure = true
  for (const row of rows) {
    const designation = isRecord(row) ? row.designation : undefined
    if (designation === 'draw') return true
    if (designation !== 'home' && designation !== 'away') isSure = false
  }
  return isSure ? false : undefined
}

const LABELS: ReadonlyMap<string, readonly string[]> = new Map([
  ['moneyline', ['home', 'draw', 'away']],
  ['spread', ['home', 'away']],
  ['total', ['over', 'under']],
])

// Types come from the payload, and go into the account.
export const MARKET_WORD = /^[a-z_]{1,40}$/

const WHOLE_MATCH = 0

/** Of ice hockey: without overtime and shoot-out, which the whole match has. */
const REGULATION_TIME = 6

/** Totals that count other units than the score. */
const TOTALS_OF_UNITS: ReadonlyMap<string, MarketType> = new Map([
  ['Corners', 'corners_total'],
  ['Bookings', 'cards_total'],
])

const FOOTBALL_HALVES: ReadonlyMap<number, MarketType> = new Map([
  [1, 'first_half_total_goals'],
  [2, 'second_half_total_goals'],
])

/** Type of a market; undefined: it settles like none of our types, or that is unclear. */
export const typeOfMarket = (
  market: SourceMarket,
  matchup: Matchup,
  { sport }: EventSighting,
): MarketType | undefined => {
  const { type, period, hasDraw } = market
  const { units, special, isLive } = matchup
  const isFootball = sport === 'football'
  if (special !== undefined) return type === special.market && period === WHOLE_MATCH ? special.type : undefined
  if (type === 'total' && isFootball && units === 'Regular' && period !== WHOLE_MATCH) {
    return FOOTBALL_HALVES.get(period)
  }
  if (sport === 'ice_hockey' && type === 'moneyline' && period === REGULATION_TIME) {
    return units === 'Regular' && hasDraw === true ? moneylineTypeOf(sport, hasDraw) : undefined
  }
  if (period !== WHOLE_MATCH) return undefined
  switch (type) {
    case 'moneyline': {
      if (units !== 'Regular' && units !== 'Sets') return undefined
      // In football, a market without a draw is not the result: most likely which side has more corners.
      return hasDraw === undefined || (isFootball && !hasDraw) ? undefined : moneylineTypeOf(sport, hasDraw)
    }
    case 'spread':
      if (units !== 'Regular' && units !== 'Games') return undefined
      // In play, football's handicap counts from the current score.
      return isFootball && isLive ? undefined : handicapTypeOf(sport)
    case 'total':
      return units === 'Regular' || units === 'Games' ? totalTypeOf(sport) : TOTALS_OF_UNITS.get(units)
    default:
      return undefined
  }
}

/** Name of a market in the account. */
export const nameOfMarket = ({ type, period }: SourceMarket, matchup: Matchup | undefined): string => {
  if (matchup?.special !== undefined) return `special: ${matchup.special.name}`
  const sport = typeof matchup?.sighting === 'string' ? `${matchup.sighting} ` : ''
  const units = matchup === undefined || matchup.units === 'Regular' ? '' : `${matchup.units.toLowerCase()} `
  return period === WHOLE_MATCH && sport === '' && units === ''
    ? type
    : `${sport}${period === WHOLE_MATCH ? '' : `period ${period} `}${units}${type}`
}

/** Line of a price that has a label; undefined: the line is missing. */
export const lineOfPrice = (
  type: string,
  label: string,
  points: number | null | undefined,
): number | null | undefined => {
  if (type === 'moneyline') return null
  if (typeof points !== 'number') return undefined
  return type === 'spread' ? homeLine(label === 'home' ? 'home' : 'away', points) : points + 0
}

/** Label of a price of a market that has a type; undefined: it has none. */
export const labelOfPrice = (
  { type }: SourceMarket,
  { designation, participantId }: SourcePrice,
  special: Special | undefined,
): string | undefined => {
  if (special !== undefined) return participantId === undefined ? undefined : special.labels.get(participantId)
  return LABELS.get(type)?.find((label) => label === designation)
}
