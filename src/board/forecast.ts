// Whether observations have room on the board, said before any of them is recorded: a transaction is taken whole or not at
// all.

import { MARKET_TYPE_NUMBER } from '../domain/market.ts'
import type { Observation } from '../domain/observation.ts'
import { type Refusal, refuse } from '../domain/refusal.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import type { Board } from './board.ts'
import { columnLine, type KnownSighting } from './catalogue.ts'
import { isWorthKeeping, turned } from './recorder.ts'
import type { Holding } from './room.ts'

/** What it takes to record observations, at most. */
interface Need {
  quotes: number
  labels: number
  events: number
}

const BOTH_TRANSPORTS = [TRANSPORT_NUMBER.rest, TRANSPORT_NUMBER.live]

/** Refuses a list of observations that may not fit. What is on the board already needs no room. */
export const checkRoom = (board: Board, observations: readonly Observation[]): Refusal | undefined => {
  const { bookmakers, room } = board
  const whole: Need = { quotes: 0, labels: 0, events: 0 }
  const needs = new Map<string, Need>()
  for (const observation of observations) {
    const need = needOf(board, observation)
    const own = needs.get(observation.bookmaker) ?? { quotes: 0, labels: 0, events: 0 }
    needs.set(observation.bookmaker, own)
    for (const sum of [whole, own]) for (const name of NAMES) sum[name] += need[name]
  }
  const isMore = (need: Need, left: (holding: Holding) => number): boolean =>
    NAMES.some((name) => need[name] > 0 && need[name] > left(room[name]))
  if (isMore(whole, (holding) => holding.roomLeft) || (whole.events > 0 && whole.events > room.sourceIds.roomLeft)) {
    return refuse('service_unavailable', 'The board is nearly full: a transaction that may not fit is not taken')
  }
  for (const [slug, own] of needs) {
    const number = bookmakers.find(slug)
    if (!isMore(own, (holding) => holding.shareLeft(number))) continue
    const message = `${slug} has nearly its share of the board: a transaction that may not fit is not taken`
    return refuse('service_unavailable', message, 'bookmaker')
  }
  return undefined
}

const NAMES = ['quotes', 'labels', 'events'] as const

const needOf = (board: Board, { event, bookmaker, prices, transport }: Observation): Need => {
  const { catalogue, sightings, bookmakers, outcomes } = board
  const { sourceKey } = event
  const known = sourceKey === null ? catalogue.findSame(event)?.nameless : sightings.find(sourceKey)
  const kept = prices.filter(isWorthKeeping)
  const labels = kept.filter(({ outcome }) => outcomes.find(outcome) === 0).length
  const transports = transport === 'both' ? BOTH_TRANSPORTS : [TRANSPORT_NUMBER[transport]]
  // What is spelt otherwise may be an event that is there, and need less.
  if (known === undefined) return { quotes: kept.length * transports.length, labels, events: kept.length > 0 ? 1 : 0 }
  const number = bookmakers.find(bookmaker)
  let quotes = 0
  for (const each of transports) {
    const book = catalogue.findBook(known.record, number, each)
    for (const price of kept) if (!isOnBoard(board, known, book, price)) quotes++
  }
  return { quotes, labels, events: 0 }
}

const isOnBoard = (board: Board, known: KnownSighting, book: number, price: Observation['prices'][number]): boolean => {
  const { type, line, outcome } = known.turned ? turned(price) : price
  const market = board.catalogue.findMarket(known.record, MARKET_TYPE_NUMBER.get(type)!, columnLine(line))
  const label = board.outcomes.find(outcome)
  return book !== 0 && market !== 0 && label !== 0 && board.find(market, label, book) !== 0
}
