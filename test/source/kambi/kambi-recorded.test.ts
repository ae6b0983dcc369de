// The recorded answers of Kambi give the totals and examples of docs/feeds.md 6 and 12.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { kambiNormaliser } from '../../../src/source/kambi/kambi-normaliser.ts'
import { DATA, testsWith } from '../../root.ts'
import { linesOf, poll, tally, timesOf } from '../kit/polled.ts'

const EVENT = join(DATA, 'kambi', 'betoffers.json.gz')
const PAGE = join(DATA, 'kambi', 'unibet-type2.json.gz')
const skip = existsSync(EVENT) && existsSync(PAGE) ? false : 'the recorded payloads are not on this machine'
const recorded = testsWith('recorded payloads', skip)

const textOf = (path: string): string => gunzipSync(readFileSync(path)).toString('utf8')
const keyOf = (line: string): string => line.split(' ').slice(0, -2).join(' ')
const statusOf = (line: string): string => line.split(' ').at(-1)!

recorded('betoffers.json gives the totals of docs/feeds.md 12', () => {
  const polled = poll(kambiNormaliser)
  const observations = polled.read(textOf(EVENT))
  polled.end()
  const { read, mapped, noPrice, badPrice, unmapped, unmappedBy } = polled.account.totals()
  assert.deepEqual([read, mapped, noPrice, badPrice, unmapped], [834, 429, 82, 0, 323])
  assert.deepEqual(Object.fromEntries(unmappedBy), { market: 263, outcome: 45, twin: 15 })
  assert.deepEqual(polled.malformed, [])
  assert.equal(observations.length, 1)
  const { bookmaker, event, prices } = observations[0]!
  assert.equal(bookmaker, 'ngbe')
  assert.deepEqual(event, {
    sport: 'football',
    leagueKey: 'norway_eliteserien',
    leagueName: 'Eliteserien',
    home: 'Mjøndalen',
    away: 'Molde',
    kickoffAt: Date.parse('2021-05-30T13:00:00Z'),
    sourceKey: 'kambi:1007519027',
  })
  const lines = linesOf(observations)
  assert.equal(lines.length, 429)
  assert.equal(new Set(lines.map(keyOf)).size, 429)
  assert.equal(new Set(prices.map(({ type, line }) => `${type} ${line}`)).size, 77)
  assert.deepEqual(tally(lines.map(statusOf)), { open: 429 })
  assert.deepEqual(tally(prices.map(({ type }) => type)), {
    goalscorer: 136,
    player_prop: 101,
    total_goals: 43,
    spread: 40,
    correct_score: 34,
    first_half_total_goals: 20,
    corners_total: 12,
    winning_margin: 10,
    halftime_fulltime: 9,
    second_half_total_goals: 8,
    cards_total: 6,
    match_result_1x2: 3,
    double_chance: 3,
    btts: 2,
    odd_even: 2,
  })
  assert.deepEqual(timesOf(observations), ['2021-05-30T09:45:46.000Z'])
  for (const example of [
    'match_result_1x2  away 1.6 open',
    'spread 0.25 away 1.41 open',
    'spread 0.25 home 2.95 open',
    'player_prop 1.5 martin_ovenstad_ronning:goals:over 67 open',
  ]) {
    assert.ok(lines.includes(`1007519027 ${example}`), example)
  }
  assert.ok(!lines.some((line) => line.includes('martin_ovenstad_ronning:goals:under')))
})

recorded('unibet-type2.json gives the totals of docs/feeds.md 12', () => {
  const polled = poll(kambiNormaliser)
  const observations = polled.read(textOf(PAGE), { isComplete: true })
  polled.end()
  const { read, mapped, noPrice, badPrice, unmapped, unmappedBy } = polled.account.totals()
  assert.deepEqual([read, mapped, noPrice, badPrice, unmapped], [4_833, 1_061, 1, 0, 3_771])
  assert.deepEqual(Object.fromEntries(unmappedBy), { market: 3_771 })
  assert.equal(observations.length, 354)
  const lines = linesOf(observations)
  assert.equal(new Set(lines.map(keyOf)).size, 1_061)
  assert.deepEqual(tally(lines.map(statusOf)), { open: 1_061 })
  assert.deepEqual(tally(observations.map(({ bookmaker }) => bookmaker)), { unibet: 354 })
  assert.deepEqual(tally(observations.flatMap(({ prices }) => prices.map(({ type }) => type))), {
    match_result_1x2: 1_061,
  })
})

recorded('received later, what has ended by then is closed', () => {
  const statuses = (path: string, at: string): Record<string, number> =>
    tally(linesOf(poll(kambiNormaliser).read(textOf(path), { at })).map(statusOf))
  assert.deepEqual(statuses(EVENT, '2021-05-30T13:00:00Z'), { closed: 429 })
  assert.deepEqual(statuses(EVENT, '2021-05-30T12:59:59.999Z'), { open: 429 })
  assert.deepEqual(statuses(PAGE, '2021-03-01T00:00:00Z'), { closed: 924, open: 137 })
  const polled = poll(kambiNormaliser)
  polled.read(textOf(PAGE))
  assert.deepEqual(tally(linesOf(polled.closeDue('2021-03-01T00:00:00Z')).map(statusOf)), { closed: 924 })
})
