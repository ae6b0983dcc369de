// What a board holds at most, of all and of one bookmaker: at the bound and one beyond it, what stays possible beyond it,
// and what is told before it is reached.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BoardLimits, Holding, type Level } from '../../src/board/capacity.ts'
import type { EventDecision } from '../../src/domain/event-identity.ts'
import type { EventSighting, Observation, Price } from '../../src/domain/observation.ts'
import type { QuoteStatus } from '../../src/domain/quote.ts'
import { shownOf } from '../../src/board/status.ts'
import { checkCapacity } from '../../src/engine/forecast.ts'
import { FedEngine } from '../fed-engine.ts'
import { Random, SEED } from '../random.ts'
import { randomObservation, WORLD_START } from '../random-observations.ts'
import { checkInvariants } from './invariants.ts'

const DAY_MS = 86_400_000
const OPTIONS = {
  skewMsMax: 5_000,
  bookmakersMax: 100,
  wheelVisitsMax: 100_000,
  feedLateMs: 10_000,
  feedDownMs: 60_000,
}

class Desk {
  readonly engine: FedEngine
  readonly levels: Level[] = []
  nowAt = WORLD_START

  constructor(limits: BoardLimits) {
    this.engine = new FedEngine({ ...OPTIONS, ...limits }, WORLD_START)
    this.engine.onLevel = (level) => this.levels.push(level)
  }

  observation(bookmaker: string, event: number | string, prices: readonly Price[], over: Partial<EventSighting> = {}) {
    const sighting: EventSighting = {
      sport: 'football',
      leagueKey: 'l',
      leagueName: 'L',
      home: `Home ${event}`,
      away: `Away ${event}`,
      kickoffAt: WORLD_START,
      sourceKey: `${bookmaker}:${event}`,
      ...over,
    }
    const observation: Observation = {
      bookmaker,
      transport: 'live',
      observedAt: this.nowAt,
      event: sighting,
      prices,
      others: 'keep',
    }
    return observation
  }

  /** The refusal's message; empty for none. */
  see(
    bookmaker: string,
    event: number | string,
    prices: readonly Price[] = [price('home')],
    over: Partial<EventSighting> = {},
  ): string {
    this.nowAt++
    const refusal = this.engine.observe(this.observation(bookmaker, event, prices, over), this.nowAt)
    this.engine.turn(this.nowAt)
    if (refusal !== undefined) assert.equal(refusal.refused, 'service_unavailable')
    return refusal?.message ?? ''
  }

  /** A day goes by: what was seen before is gone. */
  sleep(ms = DAY_MS): void {
    this.nowAt += ms
    while (!this.engine.turn(this.nowAt));
    this.check()
  }

  /** Quotes, events, labels and source ids on the board. */
  get held(): number[] {
    return this.engine.board.capacity.all.map(({ held }) => held)
  }

  get refused(): Record<string, number> {
    return Object.fromEntries(Object.entries(this.engine.counts.refused).filter(([, count]) => count > 0))
  }

  check(): void {
    checkInvariants(this.engine)
  }
}

const price = (outcome: string, status: QuoteStatus = 'open', odds: number | null = 2): Price => ({
  type: 'outright',
  line: null,
  outcome,
  odds,
  status,
})

const prices = (count: number, from = 0): Price[] => Array.from({ length: count }, (_, n) => price(`p${from + n}`))

test('a bookmaker holds its share of the quotes and no more; the rest is for the others', () => {
  const desk = new Desk({ quotesMax: 20, bookmakerShare: 0.5 })
  assert.equal(desk.see('greedy', 1, prices(10)), '')
  const message = desk.see('greedy', 1, prices(13))
  assert.match(
    message,
    /^greedy holds its share of the board \(10 of 20 quotes\): 3 prices left out; --bookmaker-share/,
  )
  assert.match(desk.see('greedy', 2, prices(1)), /10 of 20 quotes/)
  assert.deepEqual(desk.refused, { bookmaker_quotes: 4 })
  assert.equal(desk.engine.counts.full, 4)
  assert.deepEqual(desk.held, [10, 1, 10, 1, 0], 'an event without a place for a quote leaves nothing behind')
  assert.equal(desk.see('other', 1, prices(10)), '')
  assert.match(desk.see('third', 1, prices(1)), /^the board is full \(20 quotes\): 1 prices left out; --quotes-max/)
  desk.check()
})

test('what is on the board is kept up to date when the share is used up, and so is what is closed', () => {
  const desk = new Desk({ quotesMax: 20, bookmakerShare: 0.5 })
  desk.see('greedy', 1, prices(10))
  const status = (outcome: string): number => {
    const { board, sightings } = desk.engine
    const record = sightings.find('greedy:1')!.record
    const book = board.catalogue.findBook(record, board.bookmakers.find('greedy'), 1)
    return board.quotes.statusOf(board.find(board.catalogue.marketsOf(record)[0]!, board.outcomes.find(outcome), book))
  }
  assert.match(desk.see('greedy', 1, [price('p99'), price('p3', 'suspended', null)]), /1 prices left out/)
  assert.equal(status('p3'), 2, 'a suspension is never lost')
  assert.equal(desk.see('greedy', 1, [price('p3')]), '')
  assert.equal(status('p3'), 1)
  assert.equal(desk.see('greedy', 1, [price('p3', 'closed', null)]), '')
  assert.match(desk.see('greedy', 1, [price('p99')]), /10 of 20 quotes/, 'a closed quote holds its place')
  assert.equal(desk.see('greedy', 7, [price('p1', 'closed'), price('p2', 'suspended', null)]), '', 'would be no quotes')
  desk.sleep()
  assert.deepEqual(desk.held, [0, 0, 0, 0, 0])
  assert.equal(desk.see('greedy', 1, prices(10)), '', 'a day later there is room again')
  desk.check()
})

test('with a share of 1 one bookmaker may fill the board', () => {
  const desk = new Desk({ quotesMax: 20, bookmakerShare: 1 })
  assert.equal(desk.see('only', 1, prices(20)), '')
  assert.match(desk.see('only', 1, prices(21)), /^the board is full \(20 quotes\)/)
})

test('events have a bound and a share of their own; at an event that is there everybody may quote', () => {
  const desk = new Desk({ quotesMax: 100, eventsMax: 6, bookmakerShare: 0.5 })
  for (let n = 0; n < 3; n++) assert.equal(desk.see('greedy', n), '')
  assert.match(desk.see('greedy', 3), /^greedy holds its share of the board \(3 of 6 events\): 1 prices left out/)
  assert.match(desk.see('greedy', 'nameless', prices(2), { sourceKey: null }), /3 of 6 events\): 2 prices/)
  assert.deepEqual(desk.refused, { bookmaker_events: 3 })
  for (let n = 3; n < 6; n++) assert.equal(desk.see('other', n), '')
  assert.equal(desk.see('greedy', 4), '', 'it costs no event')
  assert.match(desk.see('third', 6), /^the board is full \(6 events\): 1 prices left out; --events-max/)
  assert.equal(desk.see('third', 5, prices(2)), '')
  assert.equal(desk.see('greedy', 0, prices(2)), '')
  assert.equal(desk.engine.board.catalogue.eventCount, 6)
  desk.check()
  desk.sleep()
  assert.equal(desk.see('greedy', 9), '')
})

test('labels have a bound and a share of their own; one that is in use is open to everybody', () => {
  const desk = new Desk({ quotesMax: 100, labelsMax: 10, bookmakerShare: 0.5 })
  assert.match(
    desk.see('greedy', 1, prices(7)),
    /^greedy holds its share of the board \(5 of 10 outcome labels\): 2 prices/,
  )
  assert.equal(desk.see('greedy', 2, prices(5)), '', 'labels that it has used')
  assert.equal(desk.see('other', 1, prices(10)), '')
  assert.equal(desk.see('greedy', 1, prices(10)), '', 'labels that another has brought')
  assert.match(desk.see('third', 1, prices(1, 10)), /^the board is full \(10 outcome labels\): 1 prices.*--labels-max/)
  assert.deepEqual(desk.refused, { labels: 1, bookmaker_labels: 2 })
  desk.check()
  desk.sleep()
  assert.deepEqual(desk.held, [0, 0, 0, 0, 0])
})

test('a hundred thousand names in a day leave no more labels than there are quotes', () => {
  const desk = new Desk({ quotesMax: 400, labelsMax: 200, bookmakerShare: 0.5 })
  for (let hour = 0; hour < 100; hour++) {
    for (let n = 0; n < 1_000; n += 100) desk.see('greedy', 1, prices(100, hour * 1_000 + n))
    assert(desk.engine.board.outcomes.size <= 100)
    desk.sleep(DAY_MS / 24)
  }
  desk.sleep()
  assert.equal(desk.engine.board.outcomes.size, 0)
})

test('source ids have a bound: past it an event is known by what it is called, and new ones with an id are refused', () => {
  const desk = new Desk({ quotesMax: 100, eventsMax: 4, sourceIdsPerEvent: 1 })
  const same = { home: 'H', away: 'A' }
  for (const slug of ['a', 'b', 'c', 'd', 'e', 'f']) assert.equal(desk.see(slug, 1, [price('home')], same), '')
  assert.deepEqual(desk.held, [6, 1, 1, 4, 0])
  assert.match(desk.see('g', 2), /^the board is full \(4 source ids of events\)/)
  assert.equal(desk.see('g', 2, [price('home')], { sourceKey: null }), '')
  desk.check()
  desk.sleep()
  assert.deepEqual(desk.held, [0, 0, 0, 0, 0])
})

test('events that turn out to be one give a bookmaker no more than its share', () => {
  const desk = new Desk({ quotesMax: 100, bookmakerShare: 0.5 })
  const nameless = { home: 'H', away: 'A', sourceKey: null }
  assert.equal(desk.see('greedy', 1, prices(15), nameless), '')
  assert.equal(desk.see('greedy', 2, prices(15)), '')
  // It becomes the other one: its quotes are of that now, and their old places stay taken until they age out.
  assert.equal(desk.see('greedy', 2, [], { home: 'H', away: 'A' }), '')
  assert.equal(desk.engine.board.catalogue.eventCount, 1)
  assert.deepEqual([...desk.engine.board.counts], [0, 15])
  assert.equal(desk.held[0], 30)
  desk.check()
  assert.match(desk.see('greedy', 3, prices(21), { sourceKey: 'x:3' }), /50 of 100 quotes\): 1 prices left out/)
  // Again: there is no room within the share to move them, so they stay apart.
  assert.equal(desk.see('greedy', 3, [], { home: 'H', away: 'A', sourceKey: 'x:3' }), '')
  assert.equal(desk.engine.board.catalogue.eventCount, 2)
  desk.check()
  assert.equal(desk.held[0], 50)
  assert.equal(desk.see('other', 4, prices(50)), '')
  desk.sleep()
  assert.deepEqual(desk.held, [0, 0, 0, 0, 0])
})

test('a transaction needs room only for what is not on the board', () => {
  const desk = new Desk({ quotesMax: 20, eventsMax: 3, bookmakerShare: 0.5 })
  desk.see('greedy', 1, prices(8))
  const check = (...observations: Observation[]): string =>
    checkCapacity(desk.engine.board, desk.engine.sightings, observations)?.message ?? ''
  assert.equal(check(desk.observation('greedy', 1, prices(10))), '', 'to the last place')
  assert.match(check(desk.observation('greedy', 1, prices(11))), /^greedy has nearly its share of the board/)
  assert.match(check(desk.observation('greedy', 1, prices(9)), desk.observation('greedy', 2, prices(2))), /^greedy has/)
  desk.see('greedy', 1, prices(10))
  assert.equal(check(desk.observation('greedy', 1, [price('p1', 'suspended', null)])), '', 'a suspension is never lost')
  assert.match(check(desk.observation('other', 1, prices(11))), /^The board is nearly full/)
  assert.equal(check(desk.observation('other', 1, prices(10))), '')
  const both = { ...desk.observation('other', 1, prices(5)), transport: 'both' } as const
  assert.equal(check(both), '')
  assert.match(check({ ...both, prices: prices(6) }), /^The board is nearly full/)
  const twoEvents = [2, 3].map((n) => desk.observation('other', n, prices(1)))
  assert.match(check(...twoEvents), /^other has nearly its share/, 'of 3 events it may hold 1')
  assert.equal(check(twoEvents[0]!), '')
})

/** Quotes of a bookmaker at an event, on one transport. */
const heldBy = ({ engine }: Desk, bookmaker: string, key: string, transport: 0 | 1 = 1): number => {
  const { board, sightings } = engine
  const { record } = sightings.find(key)!
  return board.catalogue.books.quotes[board.catalogue.findBook(record, board.bookmakers.find(bookmaker), transport)]!
}

test('a book holds bookQuotesMax quotes; an observation that brings one more is refused whole', () => {
  const desk = new Desk({ quotesMax: 1_000, bookQuotesMax: 10 })
  const { engine } = desk
  assert.equal(desk.see('long', 1, prices(10)), '', 'at the bound')
  desk.check()
  const { seq } = engine
  const refusal = engine.observe(
    { ...desk.observation('long', 1, [price('p3', 'suspended', null), price('p10')]), others: 'suspended' },
    desk.nowAt + 1,
  )
  assert.deepEqual([refusal?.refused, refusal?.field], ['service_unavailable', 'bookmaker'])
  assert.match(
    refusal!.message,
    /^long holds 10 of at most 10 quotes of this event, and 1 new ones do not fit: nothing/,
  )
  engine.turn(desk.nowAt + 1)
  assert.equal(engine.seq, seq, 'nothing of it is recorded')
  assert.deepEqual(desk.refused, { book_quotes: 2 })
  assert.equal(engine.counts.refusedFull, 1)
  assert.equal(desk.see('long', 1, [price('p3', 'suspended', null), price('p4', 'closed', null)]), '', 'what is held')
  assert.equal(desk.see('long', 1, [price('p10', 'closed')]), '', 'would be no quote')
  assert.match(desk.see('long', 1, prices(2, 9)), /10 of at most 10/, 'a closed quote holds its place')
  assert.equal(desk.see('long', 2, prices(10)), '', 'another event')
  assert.equal(
    desk.see('other', 1, prices(10), { sourceKey: 'other:1', home: 'Home 1', away: 'Away 1' }),
    '',
    'another',
  )
  assert.equal(engine.board.catalogue.eventCount, 2)
  assert.equal(engine.observe({ ...desk.observation('long', 1, prices(10)), transport: 'rest' }, desk.nowAt), undefined)
  desk.check()
  desk.sleep()
  assert.equal(desk.see('long', 1, prices(10, 20)), '', 'a day later there is room again')
  assert.equal(heldBy(desk, 'long', 'long:1'), 10)
  desk.check()
})

test('an observation for both transports is refused where one of the two books would be too long', () => {
  const desk = new Desk({ quotesMax: 1_000, bookQuotesMax: 10 })
  const both = { ...desk.observation('long', 1, prices(4)), transport: 'both' } as const
  assert.equal(desk.engine.observe(both, desk.nowAt), undefined)
  assert.equal(desk.see('long', 1, prices(10)), '')
  const next = desk.engine.observe({ ...both, prices: prices(1, 10) }, desk.nowAt)
  assert.match(next!.message, /10 of at most 10/)
  assert.deepEqual([heldBy(desk, 'long', 'long:1', 0), heldBy(desk, 'long', 'long:1')], [4, 10])
  assert.equal(desk.engine.observe({ ...both, prices: prices(10) }, desk.nowAt), undefined)
  desk.check()
})

test('a source id that is new, and of an event that is there by its name, makes its book no longer', () => {
  const desk = new Desk({ quotesMax: 1_000, bookQuotesMax: 10 })
  assert.equal(desk.see('long', 1, prices(8)), '')
  const named = { home: 'Home 1', away: 'Away 1', sourceKey: 'elsewhere:7' }
  const ids = [...desk.held]
  assert.match(desk.see('long', 1, prices(3, 8), named), /8 of at most 10 quotes of this event, and 3 new/)
  assert.deepEqual(desk.held, ids, 'the id is not known either')
  assert.equal(desk.see('long', 1, prices(2, 8), named), '')
  desk.check()
})

test('what a configured source has open in a book that would be too long is suspended', () => {
  const desk = new Desk({ quotesMax: 1_000, bookQuotesMax: 10 })
  const source = desk.engine.addSource(
    { name: 's', lateMs: 10_000, downMs: 60_000, suspendMs: null, behindMsMax: Number.POSITIVE_INFINITY },
    desk.nowAt,
  )
  desk.engine.observe(desk.observation('long', 1, prices(10)), desk.nowAt, source)
  desk.engine.turn(desk.nowAt)
  assert.match(
    desk.engine.observe(desk.observation('long', 1, prices(11)), desk.nowAt, source)!.message,
    /10 of at most/,
  )
  desk.engine.turn(desk.nowAt)
  const suspended = Array.from({ length: 10 }, (_, n) => shownOf(desk.engine.board.quotes.statusOf(n + 1)))
  assert.deepEqual(
    suspended,
    Array.from({ length: 10 }, () => 2),
  )
  assert.equal(desk.engine.observe(desk.observation('long', 1, prices(10)), desk.nowAt, source), undefined)
  assert.equal(desk.engine.board.quotes.statusOf(1), 1)
})

test('events that turn out to be one by their names make no book too long; decisions of people may', () => {
  const desk = new Desk({ quotesMax: 1_000, bookQuotesMax: 20 })
  assert.equal(desk.see('long', 1, prices(15), { home: 'H', away: 'A', sourceKey: null }), '')
  assert.equal(desk.see('long', 2, prices(15)), '')
  assert.equal(desk.see('long', 2, [], { home: 'H', away: 'A' }), '')
  assert.equal(desk.engine.board.catalogue.eventCount, 2, 'they stay apart')
  desk.check()
  assert.equal(desk.see('long', 3, prices(15, 50)), '')
  const decided: EventDecision[] = [{ kind: 'merge', keys: ['long:2', 'long:3'], swapped: false }]
  assert.equal(desk.engine.decide(decided, desk.nowAt), 0)
  assert.equal(heldBy(desk, 'long', 'long:2'), 30)
  assert.equal(desk.see('long', 2, [price('p1', 'suspended', null)], { home: 'H', away: 'A' }), '', 'what is held')
  assert.match(desk.see('long', 2, prices(1, 90), { home: 'H', away: 'A' }), /30 of at most 20/)
  desk.check()
})

test('a transaction makes no book too long', () => {
  const desk = new Desk({ quotesMax: 1_000, bookQuotesMax: 10 })
  const check = (...observations: Observation[]): string =>
    checkCapacity(desk.engine.board, desk.engine.sightings, observations)?.message ?? ''
  const of = (event: number, count: number, from = 0): Observation =>
    desk.observation('long', event, prices(count, from))
  desk.see('long', 1, prices(8))
  assert.equal(check(of(1, 10)), '')
  assert.match(check(of(1, 11)), /8 of at most 10/)
  assert.match(check(of(1, 9), of(1, 2, 9)), /8 of at most 10 quotes of this event, and 3 new/)
  assert.equal(check(of(1, 9), of(2, 10)), '')
  const both = { ...of(1, 10), transport: 'both' } as const
  assert.equal(check(both), '')
  assert.match(check({ ...both, prices: prices(11) }), /at most 10/)
  assert.match(check(of(2, 6), of(2, 5, 6)), /0 of at most 10 quotes of this event, and 11 new/)
  assert.equal(check(of(2, 10), of(3, 10)), '', 'two that are new, of one source, are never one')
})

test('a bound that comes near is told once, and again only after there was room', () => {
  const levels: string[] = []
  const holding = new Holding('quotes', 100, 0.5)
  holding.onLevel = ({ bookmaker, held, max, isNear }) => levels.push(`${bookmaker} ${held} ${max} ${isNear}`)
  const add = (bookmaker: number, count: number): void => {
    for (let n = 0; n < count; n++) {
      holding.add()
      holding.addOf(bookmaker)
    }
  }
  const remove = (bookmaker: number, count: number): void => {
    for (let n = 0; n < count; n++) {
      holding.remove()
      holding.removeOf(bookmaker)
    }
  }
  add(1, 39)
  assert.deepEqual(levels.splice(0), [])
  add(1, 1)
  assert.deepEqual(levels.splice(0), ['1 40 50 true'])
  add(1, 10)
  remove(1, 14)
  add(1, 14)
  assert.deepEqual(levels.splice(0), [], 'about there it is told no more')
  add(2, 30)
  assert.deepEqual(levels.splice(0), ['0 80 100 true'])
  remove(1, 15)
  assert.deepEqual(levels.splice(0), ['0 70 100 false', '1 35 50 false'])
  add(1, 15)
  assert.deepEqual(levels.splice(0), ['1 40 50 true', '0 80 100 true'])
})

test('with a share of 1 only the whole is told', () => {
  const desk = new Desk({ quotesMax: 10 })
  desk.see('only', 1, prices(10))
  assert.deepEqual(
    desk.levels.map(({ kind, bookmaker, held, isNear }) => [kind, bookmaker, held, isNear]),
    [
      ['labels', 0, 8, true],
      ['quotes', 0, 8, true],
    ].toSorted(),
  )
})

test('random observations within tight bounds: nothing passes one, and what leaves makes room', () => {
  const random = new Random(SEED)
  const limits = {
    quotesMax: 200,
    eventsMax: 10,
    labelsMax: 11,
    sourceIdsPerEvent: 0.3,
    bookmakerShare: 0.4,
    bookQuotesMax: 12,
  }
  const desk = new Desk(limits)
  const { capacity } = desk.engine.board
  for (let step = 0; step < 5_000; step++) {
    desk.nowAt += random.chance(0.98) ? random.int(0, 3_000) : random.int(0, 6 * 3_600_000)
    while (!desk.engine.turn(desk.nowAt));
    const bookmaker = random.chance(0.5) ? 'greedy' : `book_${random.int(0, 3)}`
    desk.engine.observe({ ...randomObservation(random, desk.nowAt), bookmaker }, desk.nowAt)
    const at = `seed ${SEED}, step ${step}`
    for (const { kind, held, max } of capacity.all) assert(held <= max, `${at}: ${held} ${kind}`)
    for (let n = 1; n <= desk.engine.board.bookmakers.size; n++) {
      for (const holding of [capacity.quotes, capacity.labels]) assert(holding.ownOf(n) <= holding.shareMax, at)
    }
    const { catalogue, longestBook } = desk.engine.board
    assert(longestBook <= limits.bookQuotesMax, `${at}: a book of ${longestBook} quotes`)
    assert(
      catalogue.books.quotes.every((held) => held <= longestBook),
      at,
    )
    if (step % 1_000 === 0) desk.check()
  }
  desk.sleep(26 * 3_600_000)
  assert.deepEqual(desk.held, [0, 0, 0, 0, 0])
  assert(Object.keys(desk.refused).length >= 4, `seed ${SEED}: ${JSON.stringify(desk.refused)}`)
})
