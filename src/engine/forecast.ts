// Whether observations fit on the board, checked before any of them is recorded: a transaction is recorded whole or not
// at all, and so is an observation that would make a book too long.

import { MARKET_TYPE_NUMBER } from '../domain/market.ts'
import type { Observation } from '../domain/observation.ts'
import { type Refusal, refuse } from '../domain/refusal.ts'
import { TRANSPORT_NUMBER, type TransportNumber } from '../domain/transport.ts'
import type { Board } from '../board/board.ts'
import { columnLine } from '../board/catalogue.ts'
import { isWorthKeeping, swapped } from './recorder.ts'
import type { Holding } from '../board/capacity.ts'
import type { Place, Sightings } from '../identity/sightings.ts'

/** What recording observations needs, at most. */
interface Need {
  quotes: number
  labels: number
  events: number
}

const BOTH_TRANSPORTS = [TRANSPORT_NUMBER.rest, TRANSPORT_NUMBER.live]

const transportsOf = ({ transport }: Observation): readonly TransportNumber[] =>
  transport === 'both' ? BOTH_TRANSPORTS : [TRANSPORT_NUMBER[transport]]

/** Refuses a list of observations that may not fit. Quotes on the board need no capacity. */
export const checkCapacity = (
  board: Board,
  sightings: Sightings,
  observations: readonly Observation[],
): Refusal | undefined => {
  const { bookmakers, capacity } = board
  const whole: Need = { quotes: 0, labels: 0, events: 0 }
  const needs = new Map<string, Need>()
  for (const observation of observations) {
    const need = needOf(board, sightings, observation)
    const own = needs.get(observation.bookmaker) ?? { quotes: 0, labels: 0, events: 0 }
    needs.set(observation.bookmaker, own)
    for (const sum of [whole, own]) for (const name of NAMES) sum[name] += need[name]
  }
  const isMore = (need: Need, left: (holding: Holding) => number): boolean =>
    NAMES.some((name) => need[name] > 0 && need[name] > left(capacity[name]))
  if (
    isMore(whole, (holding) => holding.capacityLeft) ||
    (whole.events > 0 && whole.events > capacity.sourceIds.capacityLeft)
  ) {
    return refuse('service_unavailable', 'The board is nearly full: a transaction that may not fit is refused')
  }
  for (const [slug, own] of needs) {
    const number = bookmakers.find(slug)
    if (!isMore(own, (holding) => holding.shareLeft(number))) continue
    const message = `${slug} has nearly its share of the board: a transaction that may not fit is refused`
    return refuse('service_unavailable', message, 'bookmaker')
  }
  return whole.quotes === 0 ? undefined : checkBooks(board, sightings, observations)
}

const NAMES = ['quotes', 'labels', 'events'] as const

const needOf = (board: Board, sightings: Sightings, observation: Observation): Need => {
  const { catalogue, outcomes, bookmakers } = board
  const { event, bookmaker, prices } = observation
  const known = sightings.lookUp(event)
  const transports = transportsOf(observation)
  let kept = 0
  let labels = 0
  for (const price of prices) {
    if (!isWorthKeeping(price)) continue
    kept++
    if (outcomes.find(price.outcome) === 0) labels++
  }
  // An event with another spelling may be on the board already, and need less.
  if (known === undefined) return { quotes: kept * transports.length, labels, events: kept > 0 ? 1 : 0 }
  const number = bookmakers.find(bookmaker)
  let quotes = 0
  for (const each of transports) {
    quotes += addedTo(board, known, catalogue.findBook(known.record, number, each), observation)
  }
  return { quotes, labels, events: 0 }
}

/** How many quotes an observation adds to a book of an event (0: to a new one). */
const addedTo = (board: Board, place: Place, book: number, { prices }: Observation): number => {
  const { catalogue, outcomes } = board
  let added = 0
  let type = -1
  let line = Number.NaN
  let market = 0
  for (const price of prices) {
    if (!isWorthKeeping(price)) continue
    const here = place.swapped ? swapped(price) : price
    const hereType = MARKET_TYPE_NUMBER.get(here.type)!
    const hereLine = columnLine(here.line)
    // Prices of one market are adjacent, so that most of them find it here.
    if (hereType !== type || hereLine !== line) {
      type = hereType
      line = hereLine
      market = book === 0 ? 0 : catalogue.findMarket(place.record, type, line)
    }
    const label = market === 0 ? 0 : outcomes.find(here.outcome)
    if (label === 0 || board.find(market, label, book) === 0) added++
  }
  return added
}

/**
 * Refuses observations that would make a book too long. Nearly always no book has to be checked, because none has ever
 * been so long.
 */
export const checkBooks = (
  board: Board,
  sightings: Sightings,
  observations: readonly Observation[],
): Refusal | undefined => {
  const { catalogue, bookmakers, capacity, longestBook } = board
  const { bookQuotesMax } = capacity
  let brought = 0
  for (const { prices } of observations) brought += prices.length
  if (longestBook + brought <= bookQuotesMax) return undefined
  const added = new Map<string, number>()
  for (const observation of observations) {
    const { bookmaker, event, prices } = observation
    const place = sightings.placeOf(event)
    const number = bookmakers.find(bookmaker)
    for (const transport of transportsOf(observation)) {
      const book = place === undefined ? 0 : catalogue.findBook(place.record, number, transport)
      const held = book === 0 ? 0 : catalogue.books.quotes[book]!
      // Two ids of one source are never one event.
      const { sourceKey, sport, home, away, kickoffAt } = event
      const name = place?.record.number ?? sourceKey ?? JSON.stringify([sport, home, away, kickoffAt])
      const key = `${bookmaker} ${transport} ${name}`
      const before = added.get(key) ?? 0
      // Prices are compared one by one only near the bound.
      const isNear = held + before + prices.length > bookQuotesMax
      const more =
        isNear && place !== undefined ? addedTo(board, place, book, observation) : prices.filter(isWorthKeeping).length
      added.set(key, before + more)
      if (more > 0 && held + before + more > bookQuotesMax) {
        return refuse('service_unavailable', capacity.longBookText(bookmaker, held, before + more), 'bookmaker')
      }
    }
  }
  return undefined
}
