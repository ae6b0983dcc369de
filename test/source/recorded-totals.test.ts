// Every recorded file gives its row of docs/feeds.md 12, as `oddswire feed explain` reads it.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { after } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Fixture } from '../../src/domain/observation.ts'
import { explain } from '../../src/feed/explain.ts'
import type { FormatName } from '../../src/source/formats.ts'
import type { SourceFacts } from '../../src/source/kit/normaliser.ts'
import { DATA, testsWith } from '../root.ts'

const skip = existsSync(DATA) ? false : 'the recorded payloads are not on this machine'
const recorded = testsWith('recorded payloads', skip)

/** docs/feeds.md 12: names and kickoffs that are made up for the checks. */
const UOF_KICKOFFS: Readonly<Record<string, string>> = {
  'sr:match:10927088': '2017-02-16T14:00:00Z',
  'sr:match:31604309': '2022-05-27T00:00:00Z',
}

const uofFixtureOf = (id: string): Fixture | undefined => {
  const kickoff = UOF_KICKOFFS[id]
  const digits = id.replace(/\D/g, '')
  if (kickoff === undefined) return undefined
  const names = { home: `Home ${digits}`, away: `Away ${digits}` }
  return { sport: 'football', leagueKey: 'unknown', leagueName: 'unknown', ...names, kickoffAt: Date.parse(kickoff) }
}

const UOF = { fixtureOf: uofFixtureOf }
const RECEIVED_KAMBI = { receivedAt: () => Date.parse('2021-05-30T09:45:46Z') }
const RECEIVED_PINNACLE = { receivedAt: () => Date.parse('2021-01-13T20:09:59Z') }

/** A matchup for each id that has markets (docs/feeds.md 12); to check the mapping by, never to serve. */
const MADE_UP = 'made-up-matchups.json'

type Unmapped = Readonly<Record<string, number>>

/** Source outcomes, mapped, quotes, no_price, bad, unmapped by reason, events with quotes, books, mkts, book mkts. */
type Row = readonly [number, number, number, number, number, Unmapped, number, number, number, number]

const NOTHING: Row = [0, 0, 0, 0, 0, {}, 0, 0, 0, 0]

const uofRow = (name: string, row: Row): readonly [string[], FormatName, Partial<SourceFacts>, Row] => [
  [`uof/${name}.xml`],
  'uof',
  UOF,
  row,
]

const ROWS: readonly (readonly [string[], FormatName, Partial<SourceFacts>, Row])[] = [
  [
    ['the-odds-api/snapshot.csv.gz'],
    'the-odds-api-csv',
    {},
    [143_980, 134_474, 131_129, 0, 20, { lay: 7_686, sport: 1_800 }, 912, 72, 4_710, 50_285],
  ],
  [['the-odds-api/h2h.json.gz'], 'the-odds-api', {}, [851, 734, 734, 0, 5, { lay: 112 }, 28, 14, 28, 248]],
  [
    ['kambi/betoffers.json.gz'],
    'kambi',
    RECEIVED_KAMBI,
    [834, 429, 429, 82, 0, { market: 263, outcome: 45, twin: 15 }, 1, 1, 77, 77],
  ],
  [['kambi/unibet-type2.json.gz'], 'kambi', {}, [4_833, 1_061, 1_061, 1, 0, { market: 3_771 }, 354, 1, 354, 354]],
  [
    ['pinnacle/matchups.json.gz', 'pinnacle/straight.json.gz'],
    'pinnacle',
    {},
    [5_570, 0, 0, 0, 0, { event: 5_570 }, 0, 0, 0, 0],
  ],
  [
    [MADE_UP, 'pinnacle/straight.json.gz'],
    'pinnacle',
    RECEIVED_PINNACLE,
    [5_570, 3_690, 3_690, 0, 0, { market: 1_880 }, 563, 1, 1_605, 1_605],
  ],
  [['betfair-stream/1.166811431.jsonl.gz'], 'betfair', {}, [2, 2, 2, 0, 0, {}, 1, 1, 1, 1]],
  [['betfair-stream/1.206064380.jsonl.gz'], 'betfair', {}, [13, 0, 0, 0, 0, { sport: 13 }, 0, 0, 0, 0]],
  uofRow('odds_change', [805, 115, 115, 0, 0, { market: 597, twin: 93 }, 1, 1, 37, 37]),
  uofRow('feed_odds_change', [78, 18, 18, 2, 0, { market: 58 }, 1, 1, 9, 9]),
  uofRow('feed_odds_change_single_market', [2, 1, 1, 1, 0, {}, 1, 1, 1, 1]),
  ...[
    'feed_alive',
    'feed_bet_cancel',
    'feed_bet_settlement',
    'feed_bet_stop',
    'feed_fixture_change',
    'feed_odds_change_no_markets',
    'feed_product_down',
    'feed_rollback_bet_settlement',
  ].map((name) => uofRow(name, NOTHING)),
  [
    ['football-data/E0_2324.csv.gz'],
    'football-data',
    {},
    [30_400, 9_284, 9_284, 596, 0, { aggregate: 10_640, no_timestamp: 9_880 }, 380, 6, 1_140, 3_599],
  ],
  [
    ['football-data/E0_2425.csv.gz'],
    'football-data',
    {},
    [22_466, 7_883, 7_883, 4, 0, { aggregate: 6_692, no_timestamp: 7_887 }, 239, 7, 717, 3_105],
  ],
  [
    ['football-data/SP1_2324.csv.gz'],
    'football-data',
    {},
    [30_400, 9_277, 9_277, 603, 0, { aggregate: 10_640, no_timestamp: 9_880 }, 380, 6, 1_140, 3_599],
  ],
  [
    ['17588223', '17588229', '17588234', '17588235', '17588240'].map((id) => `txline/${id}.odds.json.gz`),
    'txline',
    {},
    [52_071, 52_071, 15, 0, 0, {}, 5, 1, 5, 5],
  ],
]

/** Rows whose quotes are not all open in the end. */
const STATUSES: Readonly<Record<string, object>> = {
  'betfair-stream/1.166811431.jsonl.gz': { open: 0, suspended: 0, closed: 2 },
}

const folder = await mkdtemp(join(tmpdir(), 'oddswire-totals-'))
after(() => rm(folder, { recursive: true, force: true }))

const writeMadeUp = async (): Promise<void> => {
  const straight = gunzipSync(readFileSync(join(DATA, 'pinnacle', 'straight.json.gz'))).toString('utf8')
  const cutoffs = new Map<number, string>()
  for (const { matchupId, cutoffAt } of JSON.parse(straight) as { matchupId: number; cutoffAt: string }[]) {
    const earliest = cutoffs.get(matchupId)
    if (earliest === undefined || Date.parse(cutoffAt) < Date.parse(earliest)) cutoffs.set(matchupId, cutoffAt)
  }
  const matchups = Array.from(cutoffs, ([id, startTime]) => ({
    id,
    type: 'matchup',
    units: 'Regular',
    league: { name: 'Unknown', sport: { id: 29 } },
    participants: [
      { alignment: 'home', name: `Home ${id}` },
      { alignment: 'away', name: `Away ${id}` },
    ],
    startTime,
  }))
  await writeFile(join(folder, MADE_UP), JSON.stringify(matchups))
}

recorded('every recorded file gives its row of expected totals', async () => {
  await writeMadeUp()
  for (const [names, format, facts, row] of ROWS) {
    const explained = await explain({
      paths: names.map((name) => join(name === MADE_UP ? folder : DATA, name)),
      format,
      transport: null,
      facts,
      limits: { lineBytesMax: 2 ** 20, documentBytesMax: 2 ** 28, pricesMax: 10_000, textLengthMax: 200 },
      onMalformed: (place, reason) => assert.fail(`${names.join()}: ${place} ${reason}`),
    })
    assert.ok(!('fault' in explained))
    const { totals, quotes, events, bookmakers, markets, bookMarkets, byStatus, byType, sourceMarkets } = explained
    const unmapped = Object.fromEntries([...totals.unmappedBy].filter(([, count]) => count > 0))
    const { read, mapped, noPrice, badPrice } = totals
    const found: Row = [read, mapped, quotes, noPrice, badPrice, unmapped, events, bookmakers, markets, bookMarkets]
    assert.deepEqual(found, row, names.join())
    assert.equal(totals.malformed, 0, names.join())
    assert.equal(read, mapped + noPrice + badPrice + totals.unmapped, `${names.join()}: the places add up`)
    const outcomes = sourceMarkets.flatMap(({ fates }) => [...fates.values()])
    assert.equal(
      outcomes.reduce((sum, count) => sum + count, 0),
      read,
      `${names.join()}: and so do the source markets`,
    )
    assert.deepEqual(byStatus, STATUSES[names[0]!] ?? { open: quotes, suspended: 0, closed: 0 }, names.join())
    assert.equal(
      Object.values(byType).reduce((sum, count) => sum + count, 0),
      quotes,
    )
  }
})
