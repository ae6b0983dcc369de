// Observations that name the quotes of a book again and again, in their order or not, while quotes age out and their
// rows, markets and labels are used again: the recorder begins where the last observation began, and follows the chain of a
// book (Board.findAt, findAfter). It must find what the index would.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnLine } from '../../src/board/catalogue.ts'
import type { MarketType } from '../../src/domain/market.ts'
import { MARKET_TYPE_NUMBER } from '../../src/domain/market.ts'
import type { EventSighting, Price } from '../../src/domain/observation.ts'
import { FRESHNESS_MS } from '../../src/domain/quote.ts'
import { Engine } from '../../src/engine/engine.ts'
import { checkInvariants } from '../board/invariants.ts'
import { Random, SEED } from '../random.ts'
import { WORLD_START } from '../random-observations.ts'
import { sameSighting } from '../same-sighting.ts'

const HOUR_MS = 3_600_000
const MARKETS: readonly (readonly [MarketType, number | null])[] = [
  ['match_result_1x2', null],
  ['total_goals', 2.5],
  ['total_goals', -0],
  ['spread', 0.25],
  ['outright', null],
]

const sightingOf = (event: number): EventSighting =>
  sameSighting({
    sport: 'football',
    leagueKey: 'league',
    leagueName: 'League',
    home: `Home ${event}`,
    away: `Away ${event}`,
    kickoffAt: WORLD_START,
    sourceKey: event % 2 === 0 ? `source:${event}` : null,
  })

type Named = Pick<Price, 'type' | 'line' | 'outcome'>

const textOf = ({ type, line, outcome }: Named): string =>
  JSON.stringify([MARKET_TYPE_NUMBER.get(type), `${columnLine(line)}`, outcome])

test('a book that is named again has the odds and times of a plain map', () => {
  const random = new Random(SEED)
  const engine = new Engine({ quotesMax: 300, skewMsMax: 0, bookmakersMax: 10, wheelVisitsMax: 64 }, WORLD_START)
  let nowAt = WORLD_START
  // The order in which a book is mostly named; new quotes come at any place of it.
  const orders = new Map<string, Named[]>()
  const held = new Map<string, Map<string, readonly [odds: number, observedAt: number]>>()
  for (let step = 0; step < 3_000; step++) {
    nowAt += random.chance(0.01) ? random.int(20, 30) * HOUR_MS : random.int(1, 60_000)
    const event = random.int(0, 2)
    const bookmaker = `book_${random.int(0, 1)}`
    const book = `${event} ${bookmaker}`
    const order = orders.get(book) ?? []
    orders.set(book, order)
    const [type, line] = random.pick(MARKETS)
    const named: Named = { type, line, outcome: `label_${random.int(0, 4)}` }
    if (!order.some((other) => textOf(other) === textOf(named))) order.splice(random.int(0, order.length), 0, named)
    if (order.length > 12) order.splice(random.int(0, order.length - 1), 1)
    const from = random.chance(0.7) ? 0 : random.int(0, order.length - 1)
    let chosen = order.slice(from).filter(() => !random.chance(0.1))
    if (random.chance(0.1)) chosen = chosen.toReversed()
    const prices = chosen.map((each): Price => ({ ...each, odds: 1 + random.int(1, 900) / 100, status: 'open' }))
    const observation = { bookmaker, transport: 'live', observedAt: nowAt, event: sightingOf(event), prices } as const
    assert.equal(engine.observe({ ...observation, others: 'keep' }, nowAt), undefined)
    const quotes = held.get(book) ?? new Map<string, readonly [number, number]>()
    held.set(book, quotes)
    for (const price of prices) quotes.set(textOf(price), [price.odds!, nowAt])
    engine.turn(nowAt)
    const record = engine.sightings.lookUp(sightingOf(event))?.record
    const shown = new Map<string, readonly [number, number]>()
    const number = engine.bookmakerNumber(bookmaker)
    if (record !== undefined) {
      engine.reader.visitLiveBook(record, number, nowAt, (ofType, ofLine, label, odds, _status, observedAt) => {
        shown.set(JSON.stringify([ofType, `${ofLine}`, JSON.parse(Buffer.from(label).toString())]), [odds, observedAt])
      })
    }
    for (const [key, [, observedAt]] of quotes) if (observedAt + FRESHNESS_MS <= nowAt) quotes.delete(key)
    assert.deepEqual([...shown].sort(), [...quotes].sort(), `seed ${SEED}, step ${step}`)
  }
  // Where time has jumped by more than a revolution of the wheel, blocks look filed too late until it has caught up.
  while (!engine.reader.isSettled(nowAt)) engine.turn(nowAt)
  checkInvariants(engine)
})
