// Producers that follow each other, and what a producer itself doubts: recorded as it is said, and shown suspended until it
// is confirmed or said again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownOf } from '../../src/board/status.ts'
import { CHANGES, QUOTE_STATUSES, type QuoteStatus } from '../../src/domain/quote.ts'
import type { Observation } from '../../src/domain/observation.ts'
import { Engine } from '../../src/engine/engine.ts'
import { checkInvariants } from '../board/invariants.ts'
import { FedEngine } from '../fed-engine.ts'

const T0 = 1_790_000_000_000
const DAY_MS = 86_400_000

const observationOf = (ms: number, odds: number, status: QuoteStatus): Observation => ({
  bookmaker: 'northbet',
  transport: 'live',
  observedAt: T0 + ms,
  event: {
    sport: 'golf',
    leagueKey: 'l',
    leagueName: 'L',
    home: 'Open',
    away: '',
    kickoffAt: T0,
    sourceKey: 's:1',
  },
  prices: [{ type: 'outright', line: null, outcome: 'a', odds, status }],
  others: 'keep',
})

const newEngine = (): FedEngine => {
  const limits = { quotesMax: 10, skewMsMax: 5_000, bookmakersMax: 10, wheelVisitsMax: 10 }
  return new FedEngine({ ...limits, feedLateMs: 10_000, feedDownMs: 60_000 }, T0)
}

const TERMS = { name: 's', lateMs: 1e6, downMs: 1e6, suspendMs: 0, behindMsMax: 1e6 }

test('a book that one producer after the other speaks of is not kept apart for long, and is the last one’s', () => {
  const engine = newEngine()
  const source = engine.addSource(TERMS, T0)
  const said = observationOf(0, 2, 'open')
  const [price] = said.prices
  const prices = ['a', 'b', 'c'].map((outcome) => ({ ...price!, outcome }))
  const { quotes, origins } = engine.board
  const shown = (): string => [1, 2, 3].map((slot) => QUOTE_STATUSES[shownOf(quotes.statusOf(slot)) - 1]).join()
  let before = 0
  for (let round = 1; round <= 20; round++) {
    const producer = engine.addProducer(source, `answer ${round}`)
    engine.observe({ ...said, observedAt: T0 + round, prices: prices.slice(1) }, T0, producer)
    assert.equal(origins['shared'].size, before === 0 ? 0 : 1, 'two speak of it')
    engine.observe({ ...said, observedAt: T0 + round, prices }, T0, producer)
    assert.equal(origins['shared'].size, 0)
    if (before !== 0) engine.leave(before, T0, 'source_down')
    assert.equal(shown(), 'open,open,open')
    checkInvariants(engine)
    engine.suspect(producer, T0, 'gap')
    assert.equal(shown(), 'suspended,suspended,suspended')
    engine.confirm(producer, T0 + round, T0)
    assert.equal(shown(), 'open,open,open')
    checkInvariants(engine)
    before = producer
  }
})

test('quotes of a producer that has left move with their event, and its number is free when the last is gone', () => {
  const engine = newEngine()
  const source = engine.addSource(TERMS, T0)
  const producer = engine.addProducer(source, 'one')
  const said = observationOf(0, 2, 'open')
  engine.observe(said, T0, producer)
  engine.observe({ ...said, bookmaker: 'other', event: { ...said.event, home: 'Masters', sourceKey: 's:2' } }, T0)
  engine.leave(producer, T0, 'source_down')
  engine.turn(T0)
  for (const keys of [
    ['s:2', 's:1'],
    ['s:1', 's:2'],
  ] as const) {
    engine.decide([{ kind: 'merge', keys: [...keys], swapped: false }], T0)
    checkInvariants(engine)
    engine.turn(T0)
    checkInvariants(engine)
    engine.decide([], T0)
    engine.turn(T0)
    checkInvariants(engine)
  }
  assert.equal(engine.sourceOf(producer), source, 'it still has a quote')
  engine.decide([], T0 + DAY_MS)
  while (!engine.turn(T0 + DAY_MS));
  assert.equal(engine.addProducer(source, 'next'), producer)
})

test('what its producer doubts is recorded, and shown suspended until it is confirmed, or said again without doubt', () => {
  const engine = newEngine()
  const producer = engine.addProducer(engine.addSource(TERMS, T0), 'one')
  const seen: string[] = []
  engine.onTurn((changes) => {
    for (let n = 0; n < changes.length; n++) {
      seen.push(`${CHANGES[changes.change[n]! - 1]} ${changes.odds[n]}`)
    }
  })
  const say = (ms: number, odds: number, status: QuoteStatus, isDoubted = true): void => {
    assert.equal(
      engine.observe(observationOf(ms, odds, status), T0, producer, isDoubted ? 'gap' : undefined),
      undefined,
    )
  }
  const shown = (): string => {
    while (!engine.turn(T0));
    checkInvariants(engine)
    const { quotes } = engine.board
    return `${QUOTE_STATUSES[shownOf(quotes.statusOf(1)) - 1]} ${quotes.oddsOf(1)}`
  }
  say(0, 2, 'open')
  assert.equal(shown(), 'suspended 2')
  say(1, 3, 'open')
  assert.equal(shown(), 'suspended 3')
  engine.confirm(producer, T0 + 2, T0)
  assert.equal(shown(), 'open 3')
  say(3, 4, 'open')
  assert.equal(shown(), 'suspended 4')
  say(4, 5, 'open', false)
  assert.equal(shown(), 'open 5')
  say(5, 5, 'suspended')
  engine.confirm(producer, T0 + 6, T0)
  assert.equal(shown(), 'suspended 5', 'as it was said')
  say(7, 5, 'closed')
  assert.equal(shown(), 'closed 5')
  assert.ok(seen.includes('closed 5') && seen.includes('reopened 3'), seen.join())
})

/** Prices of one producer in several books, which its statements reach one book a turn. */
const walkingEngine = (): { readonly engine: Engine; readonly producer: number } => {
  const limits = { quotesMax: 100, skewMsMax: 5_000, bookmakersMax: 10, wheelVisitsMax: 10, walkVisitsMax: 1 }
  const engine = new Engine(limits, T0)
  engine.begin(T0)
  const producer = engine.producerNumber('s part')
  for (const bookmaker of ['a', 'b', 'c', 'd']) {
    engine.observe({ ...observationOf(0, 2, 'open'), bookmaker }, T0, producer)
  }
  engine.turn(T0)
  return { engine, producer }
}

const statusesOf = ({ board: { quotes } }: Engine, count: number): string[] =>
  Array.from({ length: count }, (_, n) => QUOTE_STATUSES[shownOf(quotes.statusOf(n + 1)) - 1]!)

test('a confirmation that is followed by the end before it has reached all quotes is not lost', () => {
  const { engine, producer } = walkingEngine()
  engine.suspect(producer, T0, 'gap')
  engine.confirm(producer, T0 + 3_000, T0)
  engine.end(producer, T0 - 1_000, T0)
  while (!engine.turn(T0));
  assert.deepEqual(statusesOf(engine, 4), ['closed', 'closed', 'closed', 'closed'])
  for (const slot of [1, 2, 3, 4]) assert.equal(engine.board.quotes.observedAtOf(slot), T0 + 3_000)
})

test('the end of what a producer has said does not reach what it says later, however often it speaks', () => {
  const { engine, producer } = walkingEngine()
  engine.suspect(producer, T0, 'gap')
  engine.end(producer, T0 - 1_000, T0)
  engine.observe({ ...observationOf(1, 3, 'open'), bookmaker: 'e' }, T0, producer)
  for (let n = 0; n < 20; n++) {
    engine.suspect(producer, T0, 'gap')
    engine.confirm(producer, T0 + n, T0)
  }
  while (!engine.turn(T0));
  assert.deepEqual(statusesOf(engine, 5), ['closed', 'closed', 'closed', 'closed', 'open'])
})
