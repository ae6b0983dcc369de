import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Fixture, Observation } from '../../../src/domain/observation.ts'
import { Account } from '../../../src/source/kit/account.ts'
import { isFormatFault, NOTHING_KNOWN, type SourceFacts } from '../../../src/source/kit/normaliser.ts'
import { txlineNormaliser } from '../../../src/source/txline/txline-normaliser.ts'
import { DATA, ROOT, testsWith } from '../../root.ts'

const FILE = '17588223.odds.json'
const ROWS = readFileSync(join(ROOT, 'fixtures', 'txline', FILE), 'utf8')

interface Result {
  readonly observations: Observation[]
  readonly account: Account
  readonly malformed: string[]
  readonly fault: string | undefined
}

const read = (text: string, facts: Partial<SourceFacts> = {}): Result => {
  const account = new Account()
  const malformed: string[] = []
  const normaliser = txlineNormaliser({
    account,
    facts: { ...NOTHING_KNOWN, ...facts },
    transport: null,
    limits: { pricesMax: 100, textLengthMax: 200 },
    onMalformed: (place, reason) => malformed.push(`${place} ${reason}`),
  })
  const taken = normaliser.read(text, 1)
  const observations = isFormatFault(taken) ? [] : [...taken]
  assert.ok(account.isBalanced(), 'each outcome has ended in one place')
  assert.equal(account.malformed, malformed.length)
  return { observations, account, malformed, fault: isFormatFault(taken) ? taken.fault : undefined }
}

const linesOf = (observations: readonly Observation[]): string[] =>
  observations.map(
    ({ observedAt, prices }) =>
      `${new Date(observedAt).toISOString()} ${prices.map(({ outcome, odds, status }) => `${outcome} ${odds} ${status}`).join(', ')}`,
  )

const fatesOf = (account: Account): Record<string, Record<string, number>> =>
  Object.fromEntries(
    account.sourceMarkets().map(({ sourceMarket, fates }) => [sourceMarket, Object.fromEntries(fates)]),
  )

test('each row is an observation of three outcomes', () => {
  const { observations, account } = read(ROWS, { fileName: () => FILE })
  assert.deepEqual(linesOf(observations), [
    '2026-06-18T22:00:00.123Z home 2.16 open, draw 3.4 open, away 4.116 open',
    '2026-06-18T22:00:04.456Z home 2.17 open, draw 3.4 open, away 4.08 open',
    '2026-06-19T01:03:20.000Z home 2 open, draw 2 open',
  ])
  assert.deepEqual(fatesOf(account), { '1X2': { match_result_1x2: 8, no_price: 3, bad_price: 1 } })
  const [{ bookmaker, transport, event, prices, others }] = observations as [Observation]
  assert.deepEqual([bookmaker, transport, others], ['txline', 'rest', 'keep'])
  assert.deepEqual(event, {
    sport: 'football',
    leagueKey: 'fifa_world_cup',
    leagueName: 'FIFA World Cup',
    home: 'Mexico',
    away: 'South Korea',
    kickoffAt: Date.parse('2026-06-19T01:00:00Z'),
    sourceKey: 'txline:17588223',
  })
  assert.ok(prices.every(({ type, line }) => type === 'match_result_1x2' && line === null))
})

test('a fixture is that of the row, else that of the file; without names it is no event', () => {
  const fixture: Fixture = {
    sport: 'football',
    leagueKey: 'unknown',
    leagueName: 'unknown',
    home: 'Harbour Town',
    away: 'Kestrel & Vale',
    kickoffAt: 1,
  }
  const rows = [
    { Prices: [2000, 3000, 4000], Ts: 1 },
    { FixtureId: 7, Prices: [2000, 3000, 4000], Ts: 2 },
    { FixtureId: '8', Prices: [2000, 3000, 4000], Ts: 3 },
    { FixtureId: 7, Prices: [2000, 3000, 4000], Ts: 4 },
  ]
  const { observations, account } = read(JSON.stringify(rows), {
    fileName: () => 'rows.json',
    fixtureOf: (id) => (id === '7' ? fixture : undefined),
    bookmaker: 'ownbook',
  })
  assert.deepEqual(
    observations.map(({ observedAt, event, bookmaker }) => [observedAt, event.sourceKey, bookmaker]),
    [
      [2, 'txline:7', 'ownbook'],
      [4, 'txline:7', 'ownbook'],
    ],
  )
  assert.deepEqual(fatesOf(account), { '1X2': { event: 6, match_result_1x2: 6 } })
  assert.equal(read(JSON.stringify(rows[1]), { fixtureOf: () => fixture }).observations.length, 1, 'one row alone')
})

test('only the 1X2 of the full match is mapped', () => {
  const row = { FixtureId: 17588223, Ts: 1, Prices: [2000, 3000, 4000] }
  const { observations, account } = read(
    JSON.stringify([
      { ...row, SuperOddsType: '1X2_PARTICIPANT_RESULT', MarketPeriod: null, MarketParameters: null },
      { ...row, SuperOddsType: '1X2_PARTICIPANT_RESULT', MarketPeriod: 'half=1' },
      { ...row, SuperOddsType: 'OVERUNDER_PARTICIPANT_GOALS', MarketParameters: 'line=2.5', Prices: [1900, 1950] },
      { ...row, Prices: [1900, 1950] },
    ]),
  )
  assert.equal(observations.length, 1)
  assert.deepEqual(fatesOf(account), {
    '1X2': { match_result_1x2: 3, market: 2 },
    '1X2_PARTICIPANT_RESULT half=1': { market: 3 },
    'OVERUNDER_PARTICIPANT_GOALS line=2.5': { market: 2 },
  })
})

test('a row that cannot be read is skipped, with its place', () => {
  const good = { FixtureId: 17588223, Ts: 5, Prices: [2000, 3000, 4000] }
  const { observations, malformed } = read(
    JSON.stringify([
      null,
      [],
      { ...good, Ts: '5' },
      { ...good, Ts: 253_402_300_800_000 },
      { ...good, Prices: {} },
      { ...good, Prices: [1, '2', 3] },
      { ...good, FixtureId: {} },
      { ...good, FixtureId: 'x'.repeat(201) },
      good,
    ]),
  )
  assert.deepEqual(malformed, [
    '[0] must be an object',
    '[1] must be an object',
    '[2] must have a time in ms, before the year 10000, as Ts',
    '[3] must have a time in ms, before the year 10000, as Ts',
    '[4] must have an array of Prices',
    '[5] must have numbers as Prices',
    '[6] must have a text or number as FixtureId',
    '[7] must have a text or number as FixtureId',
  ])
  assert.equal(observations.length, 1)
})

test('what is no list of rows is a fault', () => {
  assert.match(read('[{').fault!, /^is not JSON: /)
  assert.match(read('{"message":"no"}').fault!, /^is no list of TxLINE/)
  assert.match(read('7').fault!, /^is no list of TxLINE/)
})

const RECORDED = [
  { id: '17588223', rows: 4_044, changes: 9_601 },
  { id: '17588229', rows: 3_237, changes: 8_527 },
  { id: '17588234', rows: 2_158, changes: 4_629 },
  { id: '17588235', rows: 3_931, changes: 8_898 },
  { id: '17588240', rows: 3_987, changes: 10_216 },
] as const

const pathOf = (id: string): string => join(DATA, 'txline', `${id}.odds.json.gz`)
const skip = RECORDED.every(({ id }) => existsSync(pathOf(id)))
  ? false
  : 'the recorded payloads are not on this machine'
const recorded = testsWith('recorded payloads', skip)

recorded('the recorded fixtures give the totals of docs/feeds.md 12', () => {
  let total = 0
  const quotes = new Map<string, number>()
  const shown: string[] = []
  for (const { id, rows, changes } of RECORDED) {
    const text = gunzipSync(readFileSync(pathOf(id))).toString('utf8')
    const { observations, account, malformed } = read(text, { fileName: () => `${id}.odds.json.gz` })
    assert.equal(malformed.length, 0)
    assert.equal(observations.length, rows)
    assert.deepEqual(fatesOf(account), { '1X2': { match_result_1x2: 3 * rows } })
    total += account.totals().mapped
    let changed = 0
    for (const { event, prices } of observations) {
      for (const { outcome, odds, status } of prices) {
        assert.equal(status, 'open')
        const key = `${event.sourceKey} ${outcome}`
        if (quotes.has(key) && quotes.get(key) !== odds) changed++
        quotes.set(key, odds!)
      }
    }
    assert.equal(changed, changes, id)
    if (id === '17588223') shown.push(...linesOf([observations[0]!, observations.at(-1)!]))
  }
  assert.equal(total, 52_071)
  assert.equal(quotes.size, 15)
  // The examples of section 11.
  assert.deepEqual(shown, [
    '2026-06-18T22:02:17.669Z home 2.123 open, draw 3.448 open, away 4.183 open',
    '2026-06-19T02:55:07.374Z home 1.041 open, draw 29.8 open, away 170 open',
  ])
})
