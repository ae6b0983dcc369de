// What a recording would leave on the board, against an engine that has really recorded it; and what cannot be read.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Observation } from '../../src/domain/observation.ts'
import { QUOTE_STATUSES } from '../../src/domain/quote.ts'
import { Engine } from '../../src/engine/engine.ts'
import { type Explained, explain } from '../../src/feed/explain.ts'
import type { FormatName } from '../../src/source/formats.ts'
import { wireObservation } from '../../src/source/observations/observations.ts'
import { Random, SEED } from '../random.ts'
import { randomObservation, WORLD_START } from '../random-observations.ts'
import { ROOT } from '../root.ts'

const LIMITS = { lineBytesMax: 2 ** 20, documentBytesMax: 2 ** 24, pricesMax: 10_000, textLengthMax: 200 }
const folder = await mkdtemp(join(tmpdir(), 'oddswire-explain-'))
after(() => rm(folder, { recursive: true, force: true }))

const explained = async (
  format: FormatName,
  paths: readonly string[],
): Promise<{ readonly result: Explained; readonly malformed: string[] }> => {
  const malformed: string[] = []
  const result = await explain({
    paths,
    format,
    transport: null,
    facts: {},
    limits: LIMITS,
    onMalformed: (place, reason) => malformed.push(`${place} ${reason}`),
  })
  assert.ok(!('fault' in result))
  return { result, malformed }
}

test('what it counts is what an engine holds that has recorded the same', async () => {
  const random = new Random(SEED)
  const engine = new Engine(
    {
      quotesMax: 20_000,
      skewMsMax: 5_000,
      bookmakersMax: 100,
      wheelVisitsMax: 4_096,
    },
    WORLD_START,
  )
  const observations: Observation[] = []
  for (let n = 0; n < 3_000; n++) {
    const observation = randomObservation(random, WORLD_START)
    // Nothing ages out here: a recording is read in no time.
    const observedAt = WORLD_START - random.int(0, 5_000)
    const { event } = observation
    const named = {
      ...event,
      // Which events of several bookmakers are one only the board knows.
      home: `Home ${observation.bookmaker} ${event.sourceKey ?? event.home}`,
      away: 'Away',
      leagueKey: 'l',
      leagueName: 'L',
      kickoffAt: WORLD_START,
      sourceKey: `${observation.bookmaker}:${event.sport}_${event.home.length}`,
    }
    // A quote that occurs twice in one observation is read as one.
    const prices = new Map(observation.prices.map((price) => [`${price.type} ${price.line} ${price.outcome}`, price]))
    observations.push({ ...observation, transport: 'rest', observedAt, event: named, prices: [...prices.values()] })
  }
  const path = join(folder, 'random.jsonl')
  await writeFile(
    path,
    observations
      .map((observation) => JSON.stringify({ ...wireObservation(observation), bookmaker: observation.bookmaker }))
      .join('\n'),
  )
  for (const observation of observations) engine.observe(observation, WORLD_START)
  const { result, malformed } = await explained('observations', [path])
  assert.deepEqual(malformed, [])
  assert.equal(result.observations, observations.length)
  const at = `seed ${SEED}`
  assert.equal(result.quotes, engine.board.counts[0], at)
  const { catalogue, quotes } = engine.board
  const byStatus: Record<string, number> = { open: 0, suspended: 0, closed: 0 }
  let books = 0
  catalogue.lists.visit(undefined, undefined, Number.NEGATIVE_INFINITY, (record) => {
    for (const book of catalogue.booksOf(record)) {
      books++
      for (let slot = catalogue.books.head[book]!; slot !== 0; slot = quotes.nextOf(slot)) {
        byStatus[QUOTE_STATUSES[quotes.statusOf(slot) - 1]!]!++
      }
    }
    return true
  })
  assert.deepEqual(result.byStatus, byStatus, at)
  assert.ok(books > 0 && result.events > 0 && result.events <= books)
})

test('several documents of one source make one picture, and a malformed part is named with its file', async () => {
  const matchups = join(ROOT, 'fixtures', 'pinnacle', 'matchups.json')
  const markets = join(ROOT, 'fixtures', 'pinnacle', 'markets.json')
  const alone = await explained('pinnacle', [markets])
  assert.equal(alone.result.quotes, 0, 'prices of events without a name')
  const together = await explained('pinnacle', [matchups, markets])
  assert.ok(together.result.quotes > 0)
  assert.equal(together.result.totals.read, alone.result.totals.read)
  const broken = join(folder, 'broken.json')
  await writeFile(broken, '[{"matchupId":1},7]')
  const { result, malformed } = await explained('pinnacle', [matchups, broken, markets])
  assert.equal(result.quotes, together.result.quotes, 'what cannot be read does not stop the rest')
  assert.ok(malformed.length > 0)
  for (const each of malformed) assert.match(each, /^broken\.json /)
})

test('each row has its sport, ours or else the word of the source', async () => {
  const sportsIn = async (format: FormatName, ...names: readonly string[]): Promise<(string | null)[]> => {
    const { result } = await explained(
      format,
      names.map((name) => join(ROOT, 'fixtures', name)),
    )
    return [...new Set(result.sourceMarkets.map(({ sport }) => sport))].toSorted()
  }
  const mixed = ['baseball', 'combat_sport', 'football', 'golf', 'ice_hockey', 'lacrosse']
  assert.deepEqual(await sportsIn('kambi', 'kambi/answer.json'), ['football', 'ice_hockey', 'lacrosse', null])
  assert.deepEqual(await sportsIn('pinnacle', 'pinnacle/matchups.json', 'pinnacle/markets.json'), [
    ...['Lacrosse', 'football', 'ice_hockey', null, 'tennis'],
  ])
  assert.deepEqual(await sportsIn('cloudbet', 'cloudbet/competition.json'), ['football'])
  assert.deepEqual(await sportsIn('the-odds-api', 'the-odds-api/answer.json'), mixed)
  assert.deepEqual(await sportsIn('the-odds-api-csv', 'the-odds-api/recording.csv'), mixed)
  assert.deepEqual(await sportsIn('betfair', 'betfair/stream.jsonl'), ['basketball', 'event type 4339', 'football'])
  assert.deepEqual(await sportsIn('football-data', 'football-data/matches.csv'), ['football'])
  assert.deepEqual(await sportsIn('txline', 'txline/17588223.odds.json'), ['football'])
  assert.deepEqual(await sportsIn('observations', 'observations/observations.jsonl'), ['football', 'golf'])
  // Its messages name no sport: only a fixture does.
  assert.deepEqual(await sportsIn('uof', 'uof/messages.xml'), [null])
})

test('a file that is not there is a fault, whatever was read before it', async () => {
  const path = join(folder, 'empty.jsonl')
  await writeFile(path, '')
  for (const paths of [[join(folder, 'none.jsonl')], [path, join(folder, 'none.jsonl')]]) {
    const result = await explain({
      paths,
      format: 'observations',
      transport: null,
      facts: {},
      limits: LIMITS,
      onMalformed: () => {},
    })
    assert.ok('fault' in result)
    assert.match(result.fault, /none\.jsonl does not exist/)
  }
  const { result } = await explained('observations', [path])
  assert.deepEqual([result.quotes, result.observations, result.totals.read], [0, 0, 0])
})
