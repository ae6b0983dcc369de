// What a dead source left open is suspended, in bounded turns, on both channels; and is open again when the source says so.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEventNotice } from '../../src/board/changes.ts'
import type { Decision } from '../../src/domain/event-identity.ts'
import type { Observation, Price } from '../../src/domain/observation.ts'
import { CAUSES, CHANGE, CHANGES, QUOTE_STATUSES, type QuoteStatus } from '../../src/domain/quote.ts'
import type { FedTransport } from '../../src/domain/transport.ts'
import { LIMITS } from '../../src/limits.ts'
import { FedEngine } from '../fed-engine.ts'
import { Random, SEED } from '../random.ts'
import { checkInvariants } from './invariants.ts'

const T0 = 1_790_000_000_000
const EVERYBODY = new Uint32Array(4).fill(2 ** 32 - 1)
const TERMS = { lateMs: 1_000, downMs: 2_000, suspendMs: 500, behindMsMax: Number.POSITIVE_INFINITY }

const newEngine = (quotesMax: number): FedEngine =>
  new FedEngine(
    {
      quotesMax,
      skewMsMax: 5_000,
      bookmakersMax: 100,
      wheelVisitsMax: 4_096,
      walkVisitsMax: LIMITS.walkVisitsMax,
      feedLateMs: 10_000,
      feedDownMs: 60_000,
    },
    T0,
  )

const priceOf = (outcome: string, status: QuoteStatus = 'open', odds: number | null = 2): Price => ({
  type: 'outright',
  line: null,
  outcome,
  odds,
  status,
})

const observationOf = (
  bookmaker: string,
  event: number,
  observedAt: number,
  prices: readonly Price[],
  transport: FedTransport = 'both',
): Observation => ({
  bookmaker,
  transport,
  observedAt,
  event: {
    sport: 'golf',
    leagueKey: 'l',
    leagueName: 'L',
    home: `Open ${event}`,
    away: '',
    kickoffAt: T0,
    sourceKey: `s:${event}`,
  },
  prices,
  others: 'keep',
})

/** Statuses of the live quotes of an event by outcome, and of what is open on REST. */
const standing = (engine: FedEngine, key: string, bookmaker: string, nowAt: number): Record<string, string> => {
  const { reader } = engine
  const view = reader.eventOf(engine.sightings.knownEvent(key)!.event.id)!
  const number = reader.bookmakerNumber(bookmaker)
  const found: Record<string, string> = {}
  const textOf = (json: Uint8Array): string => JSON.parse(Buffer.from(json).toString())
  reader.visitLiveBook(view, number, nowAt, (_type, _line, outcome, _odds, status, observedAt) => {
    found[`live ${textOf(outcome)}`] = `${QUOTE_STATUSES[status - 1]} ${observedAt - T0}`
  })
  let book = ''
  reader.visitOdds(view, 0, EVERYBODY, EVERYBODY, nowAt, {
    beginMarket: () => {},
    beginBookmaker: (of) => (book = reader.bookmakerSlug(of)),
    outcome: (outcome, _odds, observedAt) => {
      if (book === bookmaker) found[`rest ${textOf(outcome)}`] = `open ${observedAt - T0}`
    },
    endBookmaker: () => {},
    endMarket: () => {},
  })
  return found
}

test('quotes of a dead source are suspended in bounded turns, all of them and no others', () => {
  const engine = newEngine(110_000)
  const [dead, alive] = ['dead', 'alive'].map((name) => engine.addSource({ name, ...TERMS }, T0)) as [number, number]
  const prices = ['a', 'b', 'c', 'd', 'e'].map((outcome) => priceOf(outcome))
  const events = 10_000
  for (let event = 0; event < events; event++) {
    assert.equal(engine.observe(observationOf('one', event, T0, prices), T0, dead), undefined)
    if (event % 10 === 0) engine.observe(observationOf('two', event, T0, prices, 'live'), T0, alive)
  }
  engine.hear(dead, T0)
  engine.hear(alive, T0)
  while (!engine.turn(T0));
  let suspended = 0
  const booksOfTurns: number[] = []
  engine.onTurn((changes) => {
    let books = 0
    for (let group = 0; group < changes.groups; group++) {
      if (changes.notice[group] !== undefined) continue
      books++
      assert.equal(engine.board.bookmakers.textOf(changes.bookmaker[group]!), 'one')
      for (let n = changes.first[group]!; n !== -1; n = changes.next[n]!) {
        assert.equal(CHANGES[changes.change[n]! - 1], 'suspended')
        assert.equal(changes.observedAt[n], T0, 'it keeps the time when it was seen')
        suspended++
      }
    }
    if (books > 0) booksOfTurns.push(books)
  })
  engine.hear(alive, T0 + 2_000)
  assert.equal(engine.turn(T0 + 2_000), true, 'down, and not yet suspended')
  assert.equal(suspended, 0)
  engine.hear(alive, T0 + 2_500)
  let turns = 1
  while (!engine.turn(T0 + 2_500)) turns++
  assert.equal(suspended, events * prices.length * 2)
  assert.ok(turns >= 5, `${turns} turns`)
  for (const books of booksOfTurns) assert.ok(books <= 4_096, `${books} books in a turn`)
  checkInvariants(engine)
  const { reader } = engine
  const view = reader.eventOf(engine.sightings.knownEvent('s:0')!.event.id)!
  assert.deepEqual(
    [0, 1].map((transport) => reader.marketCount(view, transport as 0 | 1, EVERYBODY, T0 + 2_500, true)),
    [0, 1],
    'the other source still has its market open',
  )
})

test('what a source leaves open when it ends is suspended, whatever its terms, and nothing of another', () => {
  const engine = newEngine(110_000)
  const [ended, other] = ['ended', 'other'].map((name) =>
    engine.addSource({ name, ...TERMS, suspendMs: null }, T0),
  ) as [number, number]
  const prices = [priceOf('a'), priceOf('b')]
  const events = 6_000
  for (let event = 0; event < events; event++) {
    engine.observe(observationOf('one', event, T0, prices), T0, ended)
    engine.observe(observationOf('two', event, T0, prices), T0, other)
  }
  while (!engine.turn(T0));
  let suspended = 0
  engine.onTurn((changes) => {
    for (let group = 0; group < changes.groups; group++) {
      if (changes.notice[group] !== undefined) continue
      assert.equal(engine.board.bookmakers.textOf(changes.bookmaker[group]!), 'one')
      for (let n = changes.first[group]!; n !== -1; n = changes.next[n]!) suspended++
    }
  })
  engine.endSource(ended, T0 + 1)
  let turns = 1
  assert.equal(engine.isWalkingOn(ended), true)
  while (!engine.turn(T0 + 1)) turns++
  assert.deepEqual([engine.isWalkingOn(ended), suspended], [false, events * prices.length * 2])
  assert.ok(turns >= 3, `${turns} turns`)
  checkInvariants(engine)
})

test('a turn is bounded by quotes, too: books of many quotes', () => {
  const engine = newEngine(100_000)
  const source = engine.addSource({ name: 's', ...TERMS }, T0)
  const prices = Array.from({ length: 500 }, (_, n) => priceOf(`p${n}`))
  for (let event = 0; event < 200; event++) {
    engine.observe(observationOf('one', event, T0, prices, 'rest'), T0, source)
  }
  engine.hear(source, T0)
  while (!engine.turn(T0));
  const lengths: number[] = []
  engine.onTurn(({ length }) => lengths.push(length))
  engine.turn(T0 + 2_000)
  while (!engine.turn(T0 + 2_500));
  assert.ok(Math.max(...lengths) <= 50_000, `${Math.max(...lengths)} changes in one turn`)
})

test('what is seen again is open again, with an equal time, too; closed stays closed, an older word is none', () => {
  const engine = newEngine(100)
  const source = engine.addSource({ name: 's', ...TERMS, suspendMs: 0 }, T0)
  const observe = (observedAt: number, nowAt: number, ...prices: Price[]): void => {
    assert.equal(engine.observe(observationOf('one', 1, observedAt, prices), nowAt, source), undefined)
    while (!engine.turn(nowAt));
  }
  engine.hear(source, T0)
  observe(T0, T0, ...['a', 'b', 'c', 'd', 'e'].map((outcome) => priceOf(outcome)))
  observe(T0 + 10, T0 + 10, priceOf('c', 'closed'), priceOf('d', 'suspended', null))
  const at = T0 + 2_000
  while (!engine.turn(at));
  assert.deepEqual(standing(engine, 's:1', 'one', at), {
    'live a': 'suspended 0',
    'live b': 'suspended 0',
    'live d': 'suspended 10',
    'live e': 'suspended 0',
  })
  engine.hear(source, at + 1)
  while (!engine.turn(at + 1));
  assert.equal(standing(engine, 's:1', 'one', at + 1)['live a'], 'suspended 0', 'a heart-beat says no price')
  observe(T0 - 1, at + 2, priceOf('a'))
  assert.equal(standing(engine, 's:1', 'one', at + 2)['live a'], 'suspended 0', 'an older word')
  observe(T0, at + 3, priceOf('a'), priceOf('c'), priceOf('e', 'suspended'))
  assert.deepEqual(standing(engine, 's:1', 'one', at + 3), {
    'live a': 'open 0',
    'rest a': 'open 0',
    'live b': 'suspended 0',
    'live d': 'suspended 10',
    'live e': 'suspended 0',
  })
  assert.equal(engine.changeCounts[3], 8, 'suspended on both channels: three when it died, one before')
  assert.equal(engine.changeCounts[4], 2, 'reopened on both channels')
})

test('a source that is back before its quotes are all suspended has to confirm them all the same', () => {
  const engine = newEngine(20_000)
  const source = engine.addSource({ name: 's', ...TERMS, suspendMs: 0 }, T0)
  for (let event = 0; event < 6_000; event++) {
    engine.observe(observationOf('one', event, T0, [priceOf('a')], 'live'), T0, source)
  }
  engine.hear(source, T0)
  while (!engine.turn(T0));
  assert.equal(engine.turn(T0 + 2_000), false)
  const suspended = (): number => engine.changeCounts[CHANGE.suspended]!
  assert.ok(suspended() > 0 && suspended() < 6_000)
  assert.equal(engine.hear(source, T0 + 2_001), true, 'they were suspected')
  while (!engine.turn(T0 + 2_001));
  assert.equal(suspended(), 6_000)
  engine.confirm(source, T0 + 2_002, T0 + 2_002)
  while (!engine.turn(T0 + 2_002));
  assert.equal(engine.changeCounts[CHANGE.reopened], 6_000)
  checkInvariants(engine)
})

test('two sources that die together are both suspended', () => {
  const engine = newEngine(20_000)
  const sources = [1, 2].map((n) => engine.addSource({ name: `s${n}`, ...TERMS, suspendMs: 0 }, T0))
  for (let event = 0; event < 5_000; event++) {
    for (const [n, source] of sources.entries()) {
      engine.observe(observationOf(`book${n}`, event, T0, [priceOf('a')], 'live'), T0, source)
    }
  }
  for (const source of sources) engine.hear(source, T0)
  while (!engine.turn(T0));
  while (!engine.turn(T0 + 2_000));
  assert.equal(engine.changeCounts[3], 10_000)
})

test('of a book that two sources feed, each takes down what it spoke of last', () => {
  const engine = newEngine(100)
  const [one, two] = [1, 2].map((n) => engine.addSource({ name: `s${n}`, ...TERMS, suspendMs: 0 }, T0)) as [
    number,
    number,
  ]
  engine.observe(observationOf('x', 1, T0, [priceOf('a')], 'live'), T0, one)
  engine.hear(one, T0)
  engine.observe(observationOf('x', 1, T0 + 1_500, [priceOf('b')], 'live'), T0 + 1_500, two)
  engine.hear(two, T0 + 1_500)
  while (!engine.turn(T0 + 2_000));
  assert.deepEqual(standing(engine, 's:1', 'x', T0 + 2_000), { 'live a': 'suspended 0', 'live b': 'open 1500' })
  while (!engine.turn(T0 + 3_500));
  assert.deepEqual(standing(engine, 's:1', 'x', T0 + 3_500), { 'live a': 'suspended 0', 'live b': 'suspended 1500' })
})

test('health and suspensions stand in the log in their order', () => {
  const engine = newEngine(100)
  const source = engine.addSource({ name: 's', ...TERMS, suspendMs: 0 }, T0)
  engine.expectBookmaker('one', source, T0)
  const told: string[] = []
  engine.onTurn((changes) => {
    for (let group = 0; group < changes.groups; group++) {
      const notice = changes.notice[group]
      if (notice === undefined) told.push(CHANGES[changes.change[changes.first[group]!]! - 1]!)
      else if (!isEventNotice(notice)) told.push(notice.state)
    }
  })
  engine.turn(T0)
  engine.observe(observationOf('one', 1, T0, [priceOf('a')], 'live'), T0, source)
  engine.hear(source, T0)
  engine.turn(T0)
  for (let ms = 500; ms <= 4_000; ms += 500) engine.turn(T0 + ms)
  engine.hear(source, T0 + 4_100)
  engine.observe(observationOf('one', 1, T0 + 4_100, [priceOf('a')], 'live'), T0 + 4_100, source)
  engine.turn(T0 + 4_100)
  assert.deepEqual(told, ['starting', 'added', 'live', 'late', 'down', 'suspended', 'reopened', 'live'])
})

// A queue that empties after the line was cut: its prices are as old as the silence.
test('what comes of a source that is down does not stay open', () => {
  const engine = newEngine(100)
  const source = engine.addSource({ name: 's', ...TERMS, suspendMs: 0 }, T0)
  engine.observe(observationOf('one', 1, T0, [priceOf('a')], 'live'), T0, source)
  engine.hear(source, T0)
  while (!engine.turn(T0));
  while (!engine.turn(T0 + 2_000));
  engine.observe(observationOf('one', 1, T0 + 100, [priceOf('a')], 'live'), T0 + 2_100, source)
  for (let ms = 2_100; ms < 60_000; ms += 500) while (!engine.turn(T0 + ms));
  assert.equal(engine.clock.sourceHealth(source).state, 'down')
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 60_000), { 'live a': 'suspended 100' })
})

// Both events have the book; the newest quotes of it are those of the source that lives.
test('a merge does not give a live book to a dead source', () => {
  const engine = newEngine(100)
  const [live, dead] = [1, 2].map((n) => engine.addSource({ name: `s${n}`, ...TERMS, suspendMs: 0 }, T0)) as [
    number,
    number,
  ]
  engine.observe(observationOf('x', 2, T0, [priceOf('a')], 'live'), T0, dead)
  engine.hear(dead, T0)
  engine.observe(observationOf('x', 1, T0 + 1_000, [priceOf('a')], 'live'), T0 + 1_000, live)
  engine.hear(live, T0 + 1_000)
  engine.decide([{ kind: 'merge', keys: ['s:1', 's:2'], swapped: false }], T0 + 1_000)
  while (!engine.turn(T0 + 2_000));
  assert.deepEqual(standing(engine, 's:1', 'x', T0 + 2_000), { 'live a': 'open 1000' })
})

// The suspension goes by numbers of books, and a moved book must not get one that was passed.
test('a merge in the midst of a suspension lets no quote get away', () => {
  const engine = newEngine(40_000)
  const source = engine.addSource({ name: 's', ...TERMS, suspendMs: 0 }, T0)
  const other = engine.addSource({ name: 'o', ...TERMS, lateMs: 1e9, downMs: 1e9 }, T0)
  // The first book is free again when the others are there.
  engine.observe(observationOf('z', 9_999, T0 - 86_400_000 + 1_000, [priceOf('a')], 'live'), T0, other)
  for (let event = 0; event < 6_000; event++) {
    engine.observe(observationOf('one', event, T0, [priceOf('a')], 'live'), T0, source)
  }
  engine.observe(observationOf('two', 8_000, T0, [priceOf('a')], 'live'), T0, other)
  engine.hear(source, T0)
  while (!engine.turn(T0 + 1_000));
  assert.equal(engine.turn(T0 + 2_000), false)
  engine.decide([{ kind: 'merge', keys: ['s:8000', 's:5999'], swapped: false }], T0 + 2_000)
  while (!engine.turn(T0 + 2_000));
  assert.deepEqual(standing(engine, 's:5999', 'one', T0 + 2_000), { 'live a': 'suspended 0' })
})

test('what a source says and cannot be taken suspends what it has open there, and whatever can be taken later counts', () => {
  const engine = newEngine(100)
  const [source, other] = ['s', 'o'].map((name) => engine.addSource({ name, ...TERMS }, T0))
  engine.observe(observationOf('one', 1, T0, [priceOf('a'), priceOf('b', 'closed')]), T0, source)
  engine.observe(observationOf('one', 2, T0, [priceOf('a')]), T0, source)
  engine.observe(observationOf('two', 1, T0, [priceOf('a')]), T0, other)
  const early = observationOf('one', 1, T0 + 9_000, [priceOf('a', 'open', 3)])
  assert.equal(engine.observe(early, T0 + 1, source)?.field, 'observedAt')
  engine.observe(observationOf('nobody', 3, T0 + 9_000, [priceOf('a')]), T0 + 1, source)
  engine.observe(observationOf('two', 3, T0 + 9_000, [priceOf('a')]), T0 + 1, source)
  assert.equal(engine.board.catalogue.eventCount, 2)
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 1), { 'live a': 'suspended 0' })
  assert.deepEqual(standing(engine, 's:2', 'one', T0 + 1), { 'live a': 'open 0', 'rest a': 'open 0' })
  assert.deepEqual(standing(engine, 's:1', 'two', T0 + 1), { 'live a': 'open 0', 'rest a': 'open 0' })
  engine.observe(observationOf('one', 1, T0, [priceOf('a')]), T0 + 2, source)
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 2), { 'live a': 'open 0', 'rest a': 'open 0' })
  checkInvariants(engine)
})

/** Changes of all turns from now on: what, of which outcome, and why. */
const changesOf = (engine: FedEngine): (() => string[]) => {
  const texts: string[] = []
  engine.onTurn((changes) => {
    for (let group = 0; group < changes.groups; group++) {
      if (changes.notice[group] !== undefined) continue
      for (let n = changes.first[group]!; n !== -1; n = changes.next[n]!) {
        const outcome = JSON.parse(Buffer.from(changes.outcome[n]!).toString())
        texts.push(`${CHANGES[changes.change[n]! - 1]} ${outcome} ${['-', ...CAUSES][changes.cause[n]!]}`)
      }
    }
  })
  return () => texts.splice(0)
}

test('each suspension and reopening has the cause of what is, or was, shown', () => {
  const engine = newEngine(100)
  const source = engine.addSource({ name: 's', ...TERMS }, T0)
  const part = engine.addProducer(source, 'part')
  const other = engine.addProducer(source, 'other')
  const told = changesOf(engine)
  let at = T0
  const after = (change: () => unknown): string[] => {
    at++
    change()
    engine.turn(at)
    return told()
  }
  const see = (outcome: string, status: QuoteStatus, by = part) =>
    engine.observe(observationOf('one', 1, at, [priceOf(outcome, status)], 'live'), at, by)
  after(() => [see('a', 'open'), see('b', 'open'), see('c', 'open', other)])
  assert.deepEqual(
    after(() => see('b', 'suspended')),
    ['suspended b book'],
  )
  assert.deepEqual(
    after(() => engine.suspect(part, at, 'gap')),
    ['suspended a gap'],
    'of the one producer',
  )
  assert.deepEqual(
    after(() => engine.suspect(part, at, 'source_down')),
    [],
  )
  assert.deepEqual(
    after(() => engine.confirm(part, at, at)),
    ['reopened a gap'],
    'what is suspended by its bookmaker stays so',
  )
  assert.deepEqual(standing(engine, 's:1', 'one', at)['live a'], `open ${at - T0}`, 'it was seen then')
  assert.deepEqual(
    after(() => see('b', 'open')),
    ['reopened b book'],
  )
  assert.deepEqual(
    after(() => engine.confirm(part, at + 5_001, at)).sort(),
    ['suspended a clock', 'suspended b clock'],
    'a confirmation from the future is none',
  )
  assert.deepEqual(
    after(() => see('a', 'open')),
    ['reopened a clock'],
  )
  assert.deepEqual(after(() => engine.end(part, at, at)).sort(), ['closed a -', 'closed b -'])
  const suspended = [{ kind: 'suspend', bookmaker: 'one', event: null }] as const
  assert.deepEqual(
    after(() => engine.decide(suspended, at)),
    ['suspended c operator'],
  )
  assert.deepEqual(
    after(() => engine.suspect(other, at, 'gap')),
    [],
  )
  assert.deepEqual(
    after(() => see('d', 'open')),
    ['added d -'],
  )
  assert.deepEqual(
    after(() => engine.decide([], at)),
    ['reopened d operator'],
    'what is suspect, too, is suspended on',
  )
  assert.deepEqual(standing(engine, 's:1', 'one', at)['live c'], 'suspended 1')
  checkInvariants(engine)
})

test('what an operator suspended at an event goes with its id through a merge and back', () => {
  const engine = newEngine(100)
  for (const event of [1, 2]) {
    engine.observe(observationOf('x', event, T0, [priceOf(`of ${event}`)], 'live'), T0)
    engine.observe(observationOf('y', event, T0, [priceOf('a')], 'live'), T0)
  }
  const { id } = engine.sightings.knownEvent('s:2')!.event
  const suspended = [{ kind: 'suspend', bookmaker: 'x', event: id }] as const
  const decide = (...decisions: Decision[]): void => {
    engine.decide(decisions, T0)
    while (!engine.turn(T0));
  }
  decide(...suspended)
  assert.deepEqual(standing(engine, 's:1', 'x', T0), { 'live of 1': 'open 0' })
  assert.deepEqual(standing(engine, 's:2', 'x', T0), { 'live of 2': 'suspended 0' })
  decide(...suspended, { kind: 'merge', keys: ['s:1', 's:2'], swapped: false })
  assert.deepEqual(standing(engine, 's:1', 'x', T0), { 'live of 1': 'suspended 0', 'live of 2': 'suspended 0' })
  assert.equal(standing(engine, 's:1', 'y', T0)['live a'], 'open 0')
  decide(...suspended)
  assert.deepEqual(standing(engine, 's:1', 'x', T0)['live of 1'], 'open 0')
  assert.deepEqual(standing(engine, 's:2', 'x', T0), { 'live of 2': 'suspended 0' })
  checkInvariants(engine)
})

test('a producer that is left has its number given again when its last quote is gone, and not before', () => {
  const engine = newEngine(100)
  const source = engine.addSource({ name: 's', ...TERMS }, T0)
  const first = engine.addProducer(source, 'first')
  engine.observe(observationOf('one', 1, T0, [priceOf('a')], 'live'), T0, first)
  engine.leave(first, T0, 'source_down')
  assert.deepEqual(standing(engine, 's:1', 'one', T0), { 'live a': 'suspended 0' })
  const second = engine.addProducer(source, 'second')
  assert.notEqual(second, first)
  engine.observe(observationOf('one', 1, T0, [priceOf('a')], 'live'), T0, second)
  engine.turn(T0)
  assert.equal(engine.addProducer(source, 'third'), first, 'nobody has a quote of it')
  checkInvariants(engine)
})

test('what was refused is not confirmed: the board does not have what the producer said last', () => {
  const engine = newEngine(100)
  const source = engine.addSource({ name: 's', ...TERMS }, T0)
  const producer = engine.addProducer(source, 'p')
  engine.observe(observationOf('one', 1, T0, [priceOf('a')], 'live'), T0, producer)
  engine.observe(observationOf('one', 2, T0, [priceOf('a')], 'live'), T0, producer)
  engine.observe(observationOf('one', 1, T0 + 9_000, [priceOf('a', 'suspended')], 'live'), T0, producer)
  engine.confirm(producer, T0 + 1, T0 + 1)
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 1), { 'live a': 'suspended 0' })
  assert.equal(standing(engine, 's:2', 'one', T0 + 1)['live a'], 'open 1')
})

// --- a price that comes later than a statement about the whole book which was observed after it

const withOthers = (others: Observation['others'], observedAt: number, prices: readonly Price[] = []): Observation => ({
  ...observationOf('one', 1, observedAt, prices),
  others,
})

const priced = (observedAt: number, ...prices: Price[]): Observation => observationOf('one', 1, observedAt, prices)

test('a late price of a quote that is not on the board does not open it after a newer bet stop', () => {
  const engine = newEngine(100)
  const source = engine.addSource({ name: 's', ...TERMS }, T0)
  const observe = (observation: Observation): void => {
    assert.equal(engine.observe(observation, T0 + 10, source), undefined)
  }
  observe(priced(T0, priceOf('a')))
  observe(withOthers('suspended', T0 + 5))
  observe(priced(T0 + 4, priceOf('b'), priceOf('c', 'closed'), priceOf('d', 'suspended', null)))
  const all = { 'live a': 'suspended 5', 'live b': 'suspended 5' }
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 10), all)
  assert.equal(engine.changeCounts[4], 0, 'nothing is reopened')
  observe(withOthers('suspended', T0 + 3))
  observe(priced(T0 + 4, priceOf('b', 'open', 3), priceOf('e')))
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 10), { ...all, 'live e': 'suspended 5' }, 'the newest counts')
  observe(priced(T0 + 5, priceOf('b'), priceOf('f')))
  assert.deepEqual(
    standing(engine, 's:1', 'one', T0 + 10),
    {
      'live a': 'suspended 5',
      'live b': 'open 5',
      'rest b': 'open 5',
      'live e': 'suspended 5',
      'live f': 'open 5',
      'rest f': 'open 5',
    },
    'of equal times the later arrival',
  )
  checkInvariants(engine)
})

test('a late price of a quote that is not on the board is ignored after a newer complete list, and counted', () => {
  const engine = newEngine(100)
  const source = engine.addSource({ name: 's', ...TERMS }, T0)
  engine.observe(priced(T0, priceOf('a')), T0 + 10, source)
  engine.observe(withOthers('closed', T0 + 5, [priceOf('a')]), T0 + 10, source)
  const { older } = engine.counts
  engine.observe(priced(T0 + 4, priceOf('b')), T0 + 10, source)
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 10), { 'live a': 'open 5', 'rest a': 'open 5' })
  assert.equal(engine.counts.older, older + 2, 'on both channels')
  engine.observe(priced(T0 + 6, priceOf('b')), T0 + 10, source)
  assert.equal(standing(engine, 's:1', 'one', T0 + 10)['live b'], 'open 6')
  checkInvariants(engine)
})

test('a late price does not open a quote that was closed before a newer statement about the book', () => {
  for (const [others, expected] of [
    ['suspended', { 'live a': 'suspended 6', 'live b': 'suspended 6' }],
    ['closed', {}],
  ] as const) {
    const engine = newEngine(100)
    const source = engine.addSource({ name: 's', ...TERMS }, T0)
    engine.observe(priced(T0, priceOf('a'), priceOf('b')), T0 + 10, source)
    engine.observe(priced(T0 + 2, priceOf('b', 'closed')), T0 + 10, source)
    engine.observe(withOthers(others, T0 + 6), T0 + 10, source)
    engine.observe(priced(T0 + 4, priceOf('b')), T0 + 10, source)
    assert.deepEqual(standing(engine, 's:1', 'one', T0 + 10), expected, others)
    checkInvariants(engine)
  }
})

test('a bet stop does not hold for another source, another book, or the next book of the same number', () => {
  const engine = newEngine(100)
  const [one, two] = ['s', 't'].map((name) => engine.addSource({ name, ...TERMS }, T0)) as [number, number]
  engine.observe({ ...priced(T0, priceOf('a')), transport: 'live' }, T0 + 10, one)
  engine.observe({ ...withOthers('suspended', T0 + 5), transport: 'live' }, T0 + 10, one)
  engine.observe({ ...priced(T0 + 4, priceOf('b')), transport: 'live' }, T0 + 10, two)
  engine.observe({ ...priced(T0 + 4, priceOf('c')), transport: 'rest' }, T0 + 10, one)
  engine.observe(observationOf('two', 1, T0 + 4, [priceOf('d')], 'live'), T0 + 10, one)
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 10), {
    'live a': 'suspended 5',
    'live b': 'open 4',
    'rest c': 'open 4',
  })
  assert.deepEqual(standing(engine, 's:1', 'two', T0 + 10), { 'live d': 'open 4' })
  const nextAt = T0 + 86_400_000 + 10
  while (!engine.turn(nextAt));
  assert.equal(engine.board.catalogue.eventCount, 0)
  engine.observe({ ...priced(T0 + 11, priceOf('a')), transport: 'live' }, nextAt, one)
  assert.deepEqual(standing(engine, 's:1', 'one', nextAt), { 'live a': 'open 11' })
})

test('what a source says of a book that has no quote yet holds for its prices that come late', () => {
  for (const [others, expected] of [
    ['suspended', { 'live a': 'suspended 5', 'live b': 'suspended 5' }],
    ['closed', {}],
  ] as const) {
    for (const prices of [[], [priceOf('x', 'closed')], [priceOf('x', 'suspended', null)]]) {
      const engine = newEngine(100)
      const [one, two] = ['s', 't'].map((name) => engine.addSource({ name, ...TERMS }, T0)) as [number, number]
      const observe = (observation: Observation, source = one): void => {
        assert.equal(engine.observe(observation, T0 + 10, source), undefined)
      }
      observe(observationOf('two', 1, T0, [priceOf('z')]))
      observe(withOthers(others, T0 + 5, prices))
      observe(withOthers('suspended', T0 + 2))
      assert.equal(engine.board.capacity.endings.held, 2, 'one of each transport')
      observe(priced(T0 + 4, priceOf('a')))
      observe(priced(T0 + 3, priceOf('b')))
      assert.deepEqual(standing(engine, 's:1', 'one', T0 + 10), expected, others)
      observe({ ...priced(T0 + 4, priceOf('c')), transport: 'live' }, two)
      observe({ ...priced(T0 + 5, priceOf('d')), transport: 'live' })
      assert.deepEqual(
        standing(engine, 's:1', 'one', T0 + 10),
        { ...expected, 'live c': 'open 4', 'live d': 'open 5' },
        'neither another source, nor what is as new',
      )
      checkInvariants(engine)
      while (!engine.turn(T0 + 86_400_000 + 10));
      assert.equal(engine.board.capacity.endings.held, 0)
      checkInvariants(engine)
    }
  }
})

test('a bet stop of an event that is not on the board is not remembered', () => {
  const engine = newEngine(100)
  assert.equal(engine.observe(withOthers('suspended', T0 + 5), T0 + 10), undefined)
  assert.equal(engine.board.capacity.endings.held, 0)
  engine.observe(priced(T0 + 4, priceOf('a')), T0 + 10)
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 10), { 'live a': 'open 4', 'rest a': 'open 4' })
  checkInvariants(engine)
})

test('of a book that two sources feed, the bet stop of each holds for its own late prices', () => {
  const engine = newEngine(100)
  const [one, two] = ['s', 't'].map((name) => engine.addSource({ name, ...TERMS }, T0)) as [number, number]
  const observe = (observation: Observation, source: number): void => {
    assert.equal(engine.observe({ ...observation, transport: 'live' }, T0 + 10, source), undefined)
  }
  observe(priced(T0, priceOf('a')), one)
  observe(priced(T0, priceOf('b')), two)
  observe(withOthers('suspended', T0 + 5), one)
  observe(withOthers('closed', T0 + 7), two)
  observe(withOthers('suspended', T0 + 3), one)
  observe(priced(T0 + 4, priceOf('c')), one)
  observe(priced(T0 + 6, priceOf('d')), one)
  observe(priced(T0 + 6, priceOf('e')), two)
  observe(priced(T0 + 8, priceOf('f')), two)
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 10), {
    'live a': 'suspended 5',
    'live c': 'suspended 5',
    'live d': 'open 6',
    'live f': 'open 8',
  })
  checkInvariants(engine)
})

test('what is remembered of books without a quote goes with their event when it is merged', () => {
  const engine = newEngine(100)
  const [one, two] = ['s', 't'].map((name) => engine.addSource({ name, ...TERMS }, T0)) as [number, number]
  engine.observe(observationOf('two', 1, T0, [priceOf('z')], 'live'), T0 + 10, two)
  engine.observe(observationOf('two', 2, T0, [priceOf('z')], 'live'), T0 + 10, two)
  engine.observe({ ...withOthers('suspended', T0 + 5), transport: 'live' }, T0 + 10, one)
  engine.decide([{ kind: 'merge', keys: ['s:2', 's:1'], swapped: false }], T0 + 10)
  assert.equal(engine.board.catalogue.eventCount, 1)
  engine.observe({ ...priced(T0 + 4, priceOf('a')), transport: 'live' }, T0 + 10, one)
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 10), { 'live a': 'suspended 5' })
  checkInvariants(engine)
})

test('as many bet stops are remembered of books without a quote as there may be events, and a share by one bookmaker', () => {
  const engine = new FedEngine(
    {
      quotesMax: 100,
      eventsMax: 20,
      bookmakerShare: 0.5,
      skewMsMax: 5_000,
      bookmakersMax: 100,
      wheelVisitsMax: 4_096,
      feedLateMs: 10_000,
      feedDownMs: 60_000,
    },
    T0,
  )
  const stop = (bookmaker: string, event: number): void => {
    const observation = { ...observationOf(bookmaker, event, T0 + 5, [], 'live'), others: 'suspended' } as const
    assert.equal(engine.observe(observation, T0 + 10), undefined)
  }
  for (let event = 0; event < 20; event++) {
    const bookmaker = event < 10 ? 'x' : 'y'
    assert.equal(engine.observe(observationOf(bookmaker, event, T0, [priceOf('z')], 'live'), T0 + 10), undefined)
  }
  const { endings } = engine.board.capacity
  const { refused } = engine.counts
  for (let event = 0; event < 10; event++) stop('one', event)
  assert.deepEqual([endings.held, refused.bookmaker_endings], [10, 0])
  stop('one', 10)
  assert.deepEqual([endings.held, refused.bookmaker_endings], [10, 1])
  stop('one', 9)
  assert.equal(refused.bookmaker_endings, 1, 'a newer one of the same book needs no room')
  for (let event = 0; event < 10; event++) stop('two', event)
  assert.deepEqual([endings.held, refused.endings], [20, 0])
  stop('three', 1)
  assert.deepEqual([endings.held, refused.endings], [20, 1])
  stop('x', 1)
  assert.equal(refused.endings, 1, 'nor does one of a book that is on the board')
  checkInvariants(engine)
})

test('a bet stop holds for late prices after a merge and after it is taken back', () => {
  const engine = newEngine(100)
  const [one, two] = ['s', 't'].map((name) => engine.addSource({ name, ...TERMS }, T0)) as [number, number]
  engine.observe(observationOf('two', 2, T0, [priceOf('z')], 'live'), T0 + 10, two)
  engine.observe({ ...priced(T0, priceOf('a')), transport: 'live' }, T0 + 10, one)
  engine.observe({ ...withOthers('suspended', T0 + 5), transport: 'live' }, T0 + 10, one)
  const late = (outcome: string): void => {
    engine.observe({ ...priced(T0 + 4, priceOf(outcome)), transport: 'live' }, T0 + 10, one)
  }
  engine.decide([{ kind: 'merge', keys: ['s:2', 's:1'], swapped: false }], T0 + 10)
  assert.equal(engine.board.catalogue.eventCount, 1)
  late('b')
  const merged = { 'live a': 'suspended 5', 'live b': 'suspended 5' }
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 10), merged)
  engine.decide([], T0 + 10)
  assert.equal(engine.board.catalogue.eventCount, 2)
  late('c')
  assert.deepEqual(standing(engine, 's:1', 'one', T0 + 10), { ...merged, 'live c': 'suspended 5' })
  checkInvariants(engine)
})

test('any order of the observations that one source makes of an event gives the same statuses', () => {
  const random = new Random(SEED)
  for (let run = 0; run < 25; run++) {
    const others = run % 2 === 0 ? 'suspended' : 'closed'
    const observations = Array.from({ length: random.int(2, 7) }, (_, n) => {
      const names = ['a', 'b', 'c', 'd'].filter(() => random.chance(0.4))
      const prices = names.map((name) => priceOf(name, random.pick(['open', 'open', 'suspended'])))
      return withOthers(random.chance(0.4) ? others : 'keep', T0 + 1 + n, prices)
    })
    const statusesOf = (ordered: readonly Observation[]): Record<string, string> => {
      const engine = newEngine(100)
      const source = engine.addSource({ name: 's', ...TERMS }, T0)
      // The event is there: without it there is nothing that a bet stop could be remembered of.
      for (const each of [observationOf('two', 1, T0, [priceOf('first')]), ...ordered]) {
        engine.observe(each, T0 + 20, source)
      }
      checkInvariants(engine)
      return standing(engine, 's:1', 'one', T0 + 20)
    }
    const expected = statusesOf(observations)
    for (let order = 0; order < 5; order++) {
      const shuffled = observations.map((each) => ({ each, at: random.int(0, 1e9) })).sort((a, b) => a.at - b.at)
      assert.deepEqual(
        statusesOf(shuffled.map(({ each }) => each)),
        expected,
        `seed ${SEED}, run ${run}, order ${order}`,
      )
    }
  }
})
