import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_LINE } from '../../src/board/columns.ts'
import { CAUSES, CHANGES, type Doubt } from '../../src/domain/quote.ts'
import { MARKET_TYPES } from '../../src/domain/market.ts'
import { TRANSPORTS } from '../../src/domain/transport.ts'
import { FedEngine } from '../fed-engine.ts'
import { changeText, NaiveEngine } from '../naive-engine.ts'
import { Random, SEED } from '../random.ts'
import { randomObservation, WORLD_START } from '../random-observations.ts'
import { checkInvariants } from '../board/invariants.ts'

const SKEW_MS = 5_000

const newEngine = (quotesMax: number, wheelVisitsMax = 256): FedEngine =>
  new FedEngine(
    { quotesMax, skewMsMax: SKEW_MS, bookmakersMax: 1000, wheelVisitsMax, feedLateMs: 10_000, feedDownMs: 60_000 },
    WORLD_START,
  )

/** As {@link newEngine}, with room for all bet stops that may be remembered. */
const newRoomyEngine = (quotesMax: number): FedEngine =>
  new FedEngine(
    {
      quotesMax,
      eventsMax: 1_000_000,
      skewMsMax: SKEW_MS,
      bookmakersMax: 1000,
      wheelVisitsMax: 256,
      feedLateMs: 10_000,
      feedDownMs: 60_000,
    },
    WORLD_START,
  )

/** The changes that an engine has handed out since the last call, as text, in the order of their seqs. */
const collectChanges = (engine: FedEngine): { readonly take: () => string[]; notices: number } => {
  const texts: string[] = []
  const collected = { take: () => texts.splice(0), notices: 0 }
  engine.onTurn((changes) => {
    let seq = changes.seqBefore
    for (let group = 0; group < changes.groups; group++) {
      if (changes.notice[group] !== undefined) {
        collected.notices++
        seq++
        continue
      }
      let count = 0
      for (let n = changes.first[group]!; n !== -1; n = changes.next[n]!) {
        count++
        seq++
        texts.push(
          changeText(
            CHANGES[changes.change[n]! - 1]!,
            changes.event[group]!.id,
            engine.board.bookmakers.textOf(changes.bookmaker[group]!),
            TRANSPORTS[changes.transport[group]!],
            MARKET_TYPES[changes.type[n]!]!,
            changes.line[n] === NO_LINE ? null : changes.line[n]!,
            JSON.parse(Buffer.from(changes.outcome[n]!).toString()),
            changes.odds[n]!,
            ['', 'open', 'suspended', 'closed'][changes.status[n]!]!,
            changes.observedAt[n]!,
            ['', ...CAUSES][changes.cause[n]!]!,
          ),
        )
      }
      assert.equal(count, changes.count[group], 'a group holds as many changes as it says')
    }
    assert.equal(seq, changes.seq, 'the groups of a turn take all its seqs')
  })
  return collected
}

test('the engine equals its naive twin over days of random observations', () => {
  const random = new Random(SEED)
  const quotesMax = 900
  const engine = newRoomyEngine(quotesMax)
  const collected = collectChanges(engine)
  // Two sources that nobody declares down, with parts, and none at all.
  const terms = { lateMs: 1e12, downMs: 1e12, suspendMs: null, behindMsMax: Number.POSITIVE_INFINITY }
  const sourceOf = new Map([[0, 0]])
  for (const name of ['s', 't']) {
    const source = engine.addSource({ name, ...terms }, WORLD_START)
    sourceOf.set(source, source)
    for (const part of ['a', 'b']) sourceOf.set(engine.addProducer(source, part), source)
  }
  const producers = [...sourceOf.keys()]
  const twin = new NaiveEngine(quotesMax, SKEW_MS, (producer) => sourceOf.get(producer)!)
  let apart = 0
  let nowAt = WORLD_START
  let seq = 0
  let full = 0
  const seen = new Map<string, number>()
  for (let step = 0; step < 25_000; step++) {
    const at = `seed ${SEED}, step ${step}`
    nowAt += random.chance(0.98) ? random.int(0, 3_000) : random.int(0, 6 * 3_600_000)
    while (!engine.turn(nowAt));
    const aged = twin.age(nowAt).sort()
    assert.deepEqual(collected.take().sort(), aged, `${at}: aged out`)
    const producer = random.pick(producers)
    let changes: string[]
    if (producer !== 0 && random.chance(0.03)) {
      const said = random.pick(['suspect', 'suspect', 'confirm', 'end'] as const)
      const statedAt = nowAt - (random.chance(0.9) ? random.int(0, 10_000) : random.int(-10_000, 0))
      const doubt = random.pick<Doubt>(['source_down', 'gap', 'clock'])
      if (said === 'suspect') engine.suspect(producer, nowAt, doubt)
      else engine[said](producer, statedAt, nowAt)
      changes = said === 'suspect' ? twin.suspect(producer, doubt) : twin[said](producer, statedAt, nowAt)
      assert(!engine.isWalkingOn(producer), at)
    } else {
      const observation = randomObservation(random, nowAt)
      const refusal = engine.observe(observation, nowAt, producer)
      if (refusal?.refused === 'service_unavailable') full++
      changes = twin.observe(observation, nowAt, producer)
    }
    apart = Math.max(apart, engine.board.capacity.endings.held)
    engine.turn(nowAt)
    changes.sort()
    assert.deepEqual(collected.take().sort(), changes, at)
    seq += aged.length + changes.length
    assert.equal(engine.seq, seq + collected.notices, at)
    for (const change of [...aged, ...changes]) {
      for (const word of change.split(' ', 1)[0]!.split('/')) seen.set(word, (seen.get(word) ?? 0) + 1)
    }
    if (step % 2_000 === 0) checkInvariants(engine)
  }
  checkInvariants(engine)
  assert(nowAt - WORLD_START > 3 * 86_400_000, `${SEED}: time has moved over days`)
  for (const word of [...CHANGES, 'book', 'source_down', 'gap', 'clock']) {
    assert((seen.get(word) ?? 0) > 10, `seed ${SEED}: ${word} happened`)
  }
  assert(full > 0, `seed ${SEED}: the board was full at times`)
  assert(apart > 10, `seed ${SEED}: bet stops of books without a quote were remembered`)
  nowAt += 25 * 3_600_000
  while (!engine.turn(nowAt));
  assert.deepEqual([...engine.board.counts], [0, 0], 'a day later nothing is left')
  assert.equal(engine.board.catalogue.eventCount, 0)
  assert.equal(engine.board.outcomes.size, 0)
  assert.equal(engine.board.capacity.endings.held, 0)
  checkInvariants(engine)
})

const observation = (over: object) =>
  ({
    bookmaker: 'northbank',
    transport: 'rest',
    observedAt: WORLD_START,
    event: {
      sport: 'football',
      leagueKey: 'l',
      leagueName: 'L',
      home: 'H',
      away: 'A',
      kickoffAt: WORLD_START,
      sourceKey: null,
    },
    prices: [{ type: 'match_result_1x2', line: null, outcome: 'home', odds: 2, status: 'open' }],
    others: 'keep',
    ...over,
  }) as Parameters<FedEngine['observe']>[0]

test('an observation up to 5 s ahead of the clock is taken, one further ahead is refused and counted', () => {
  const engine = newEngine(10)
  assert.equal(engine.observe(observation({ observedAt: WORLD_START + SKEW_MS }), WORLD_START), undefined)
  const refusal = engine.observe(observation({ observedAt: WORLD_START + SKEW_MS + 1 }), WORLD_START)
  assert.equal(refusal?.field, 'observedAt')
  assert.equal(engine.counts.refusedAhead, 1)
  assert.equal(engine.counts.recorded, 1)
})

test('a quote ages out at 24 hours to the millisecond', () => {
  const engine = newEngine(10)
  engine.observe(observation({}), WORLD_START)
  while (!engine.turn(WORLD_START + 86_400_000 - 1));
  assert.deepEqual([...engine.board.counts], [1, 0])
  while (!engine.turn(WORLD_START + 86_400_000));
  assert.deepEqual([...engine.board.counts], [0, 0])
})

test('a full board refuses what is new, counts it, and keeps what is old up to date', () => {
  const engine = newEngine(2)
  const price = (outcome: string, status = 'open') => ({
    type: 'match_result_1x2',
    line: null,
    outcome,
    odds: 2,
    status,
  })
  assert.equal(engine.observe(observation({ prices: [price('home'), price('draw')] }), WORLD_START), undefined)
  const refusal = engine.observe(
    observation({ observedAt: WORLD_START + 1, prices: [price('away'), price('home', 'suspended')] }),
    WORLD_START + 1,
  )
  assert.equal(refusal?.refused, 'service_unavailable')
  assert.equal(engine.counts.full, 1)
  assert.equal(engine.counts.refusedFull, 1)
  assert.equal(engine.changeCounts[3], 1, 'the suspension is not lost')
  const elsewhere = observation({ bookmaker: 'other', prices: [price('home')] })
  assert.equal(engine.observe(elsewhere, WORLD_START + 2)?.refused, 'service_unavailable')
  checkInvariants(engine)
  assert.equal(engine.board.catalogue.eventCount, 1)
})

test('work of a turn is bounded when many quotes fall due at once', () => {
  const engine = newEngine(20_000, 500)
  for (let n = 0; n < 10_000; n++) {
    engine.observe(
      observation({ prices: [{ type: 'outright', line: null, outcome: `p${n}`, odds: 2, status: 'open' }] }),
      WORLD_START,
    )
  }
  const dueAt = WORLD_START + 86_400_000
  let turns = 1
  let before = engine.board.counts[0]
  while (!engine.turn(dueAt)) {
    turns++
    assert(before - engine.board.counts[0] <= 500, 'no turn does more than its bound')
    before = engine.board.counts[0]
  }
  assert(turns >= 20)
  assert.deepEqual([...engine.board.counts], [0, 0])
  checkInvariants(engine)
})

test('an event keeps its id through a restart, and through being renamed by its source', () => {
  const first = newEngine(10)
  const second = newEngine(10)
  const event = { ...observation({}).event, sourceKey: 's:1' }
  first.observe(observation({ event }), WORLD_START)
  second.observe(observation({ event }), WORLD_START + 5)
  const ids = [first, second].map((engine) => {
    const found: string[] = []
    engine.board.catalogue.lists.visit(undefined, undefined, 0, (record) => found.push(record.event.id) > 0)
    return found
  })
  assert.deepEqual(ids[0], ids[1])
  first.observe(
    observation({
      event: { ...event, home: 'H United', kickoffAt: WORLD_START + 60_000 },
      observedAt: WORLD_START + 1,
    }),
    WORLD_START + 1,
  )
  const record = first.board.catalogue.names.eventOf(ids[0]![0]!)
  assert.equal(record?.event.homeTeam, 'H United')
  assert.equal(record?.event.kickoffAt, WORLD_START + 60_000)
  checkInvariants(first)
})

test('what finds the board full leaves nothing behind', () => {
  const engine = newEngine(2)
  for (let n = 0; n < 100; n++) {
    const event = { ...observation({}).event, home: `H${n}`, sourceKey: `s${n}:1` }
    const refusal = engine.observe(observation({ event, bookmaker: `b${n}`, transport: 'both' }), WORLD_START)
    assert.equal(refusal === undefined, n === 0)
  }
  assert.equal(engine.board.catalogue.eventCount, 1)
  checkInvariants(engine)
})

test('an event does not remember source ids without bound', () => {
  const engine = newEngine(10)
  for (let n = 0; n < 1_000; n++) {
    const event = { ...observation({}).event, sourceKey: `s${n}:1` }
    assert.equal(engine.observe(observation({ event, observedAt: WORLD_START + n }), WORLD_START + n), undefined)
  }
  assert.equal(engine.board.catalogue.eventCount, 1)
  checkInvariants(engine)
})

test('lists are touched when a market opens or closes to a bookmaker, not by prices or second quotes', () => {
  const engine = newEngine(100)
  const price = (outcome: string, odds: number, status = 'open') => ({
    type: 'match_result_1x2',
    line: null,
    outcome,
    odds,
    status,
  })
  let at = WORLD_START
  const observe = (bookmaker: string, ...prices: object[]): number => {
    at++
    assert.equal(engine.observe(observation({ bookmaker, observedAt: at, prices }), at), undefined)
    return engine.reader.listVersion(0, 0)
  }
  // Enough bookmakers that every bit of a word is used.
  let version = 0
  for (let n = 1; n <= 40; n++) {
    const opened = observe(`b${n}`, price('home', 2))
    assert(opened > version, `b${n} opens the market`)
    version = opened
    assert.equal(observe(`b${n}`, price('home', 2.1)), version, `b${n} moves its price`)
    assert.equal(observe(`b${n}`, price('away', 3)), version, `b${n} has a second quote`)
    assert.equal(observe(`b${n}`, price('away', 3, 'suspended')), version, `b${n} still has one open`)
    const closed = observe(`b${n}`, price('home', 2, 'suspended'))
    assert(closed > version, `b${n} has none open`)
    version = closed
  }
  checkInvariants(engine)
})
