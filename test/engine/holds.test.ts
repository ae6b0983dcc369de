// Suspensions by operators: bounded work a turn, and no quote that they cover is shown open by a merge.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Decision } from '../../src/domain/event-identity.ts'
import type { Observation } from '../../src/domain/observation.ts'
import { CHANGES, QUOTE_STATUSES } from '../../src/domain/quote.ts'
import { Engine } from '../../src/engine/engine.ts'
import { checkInvariants } from '../board/invariants.ts'

const T0 = 1_790_000_000_000

const observationOf = (bookmaker: string, event: number, prices = 5): Observation => ({
  bookmaker,
  transport: 'live',
  observedAt: T0,
  event: {
    sport: 'golf',
    leagueKey: 'l',
    leagueName: 'L',
    home: `Open ${event}`,
    away: '',
    kickoffAt: T0,
    sourceKey: `${bookmaker}:${event}`,
  },
  prices: Array.from({ length: prices }, (_, n) => ({
    type: 'outright',
    line: null,
    outcome: `o${n}`,
    odds: 2,
    status: 'open',
  })),
  others: 'keep',
})

const newEngine = (quotesMax: number, walkVisitsMax?: number): Engine =>
  new Engine(
    {
      quotesMax,
      skewMsMax: 5_000,
      bookmakersMax: 100,
      wheelVisitsMax: 1_000,
      ...(walkVisitsMax === undefined ? {} : { walkVisitsMax }),
    },
    T0,
  )

const suspend = (bookmaker: string, event: string | null = null): Decision => ({ kind: 'suspend', bookmaker, event })

const openOf = (engine: Engine, bookmaker: string): number => {
  const { quotes, bookmakers, catalogue } = engine.board
  const number = bookmakers.find(bookmaker)
  let open = 0
  for (let slot = 1; slot <= engine.board.quotesMax; slot++) {
    if (QUOTE_STATUSES[quotes.statusOf(slot) - 1] !== 'open') continue
    if (catalogue.books.bookmaker[quotes.bookOf(slot)] === number) open++
  }
  return open
}

test('a suspension of a whole bookmaker reaches the board in bounded turns, whatever else happens', () => {
  const engine = newEngine(10_000, 100)
  for (let event = 0; event < 500; event++) {
    for (const slug of ['a', 'b']) engine.observe(observationOf(slug, event), T0)
  }
  while (!engine.turn(T0));
  const changesOfTurns: number[] = []
  engine.onTurn(({ length }) => changesOfTurns.push(length))
  const inTurns = (...decisions: Decision[]): void => {
    engine.decide(decisions, T0)
    assert(engine.isHolding)
    while (!engine.turn(T0));
    assert(!engine.isHolding)
    checkInvariants(engine)
  }
  inTurns(suspend('a'))
  assert.deepEqual([openOf(engine, 'a'), openOf(engine, 'b')], [0, 2_500])
  assert(changesOfTurns.length >= 25, `${changesOfTurns.length} turns`)
  for (const length of changesOfTurns) assert(length <= 110, `${length} changes in a turn`)
  // Replaced in the middle of the walk, while events come and are observed again.
  engine.decide([suspend('a'), suspend('b')], T0)
  engine.turn(T0)
  const open = openOf(engine, 'b')
  assert(open > 0 && open < 2_500)
  engine.observe({ ...observationOf('b', 499), observedAt: T0 + 1 }, T0 + 1)
  engine.observe(observationOf('b', 1_000), T0 + 1)
  assert.equal(openOf(engine, 'b'), open - 5, 'what is written to is up to date')
  inTurns(suspend('b'))
  assert.deepEqual([openOf(engine, 'a'), openOf(engine, 'b')], [2_500, 0])
  inTurns()
  assert.deepEqual([openOf(engine, 'a'), openOf(engine, 'b')], [2_500, 2_505])
  engine.decide([], T0)
  assert(!engine.isHolding, 'nothing has changed')
})

test('a merge into an event moves suspended quotes as suspended', () => {
  const engine = newEngine(100)
  engine.observe(observationOf('a', 1), T0)
  engine.observe(observationOf('b', 2), T0)
  while (!engine.turn(T0));
  const held = suspend('b', engine.sightings.knownEvent('b:2')!.event.id)
  engine.decide([held], T0)
  while (!engine.turn(T0));
  const shown: string[] = []
  engine.onTurn((changes) => {
    for (let group = 0; group < changes.groups; group++) {
      if (changes.notice[group] !== undefined || engine.reader.bookmakerSlug(changes.bookmaker[group]!) !== 'b')
        continue
      for (let n = changes.first[group]!; n !== -1; n = changes.next[n]!) {
        shown.push(`${CHANGES[changes.change[n]! - 1]} ${QUOTE_STATUSES[changes.status[n]! - 1]}`)
      }
    }
  })
  engine.decide([held, { kind: 'merge', keys: ['a:1', 'b:2'], swapped: false }], T0)
  while (!engine.turn(T0));
  assert.deepEqual(new Set(shown), new Set(['aged_out suspended', 'added suspended']))
  assert.deepEqual([openOf(engine, 'a'), openOf(engine, 'b')], [5, 0])
  engine.decide([held], T0)
  while (!engine.turn(T0));
  assert(!shown.includes('added open'), 'nor does a split')
  engine.decide([], T0)
  while (!engine.turn(T0));
  assert.deepEqual([openOf(engine, 'a'), openOf(engine, 'b')], [5, 5])
  checkInvariants(engine)
})

test('a merge while the last suspension is being lifted leaves nothing suspended', () => {
  const engine = newEngine(10_000, 20)
  for (let event = 0; event < 50; event++) {
    engine.observe(observationOf('a', event), T0)
    engine.observe(
      { ...observationOf('b', event), event: { ...observationOf('b', event).event, home: `B ${event}` } },
      T0,
    )
  }
  while (!engine.turn(T0));
  engine.decide([suspend('b')], T0)
  while (!engine.turn(T0));
  engine.decide([], T0)
  engine.turn(T0)
  assert(engine.isHolding && openOf(engine, 'b') > 0)
  engine.decide([{ kind: 'merge', keys: ['a:0', 'b:49'], swapped: false }], T0)
  while (!engine.turn(T0));
  assert.equal(openOf(engine, 'b'), 250)
  checkInvariants(engine)
})
