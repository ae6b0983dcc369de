// The recorded answers of Pinnacle give the totals and examples of docs/feeds.md 7 and 12.

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { pinnacleNormaliser } from '../../../src/source/pinnacle/pinnacle-normaliser.ts'
import { DATA, testsWith } from '../../root.ts'
import { type Polled, linesOf, poll, tally, timesOf } from '../kit/polled.ts'

const STRAIGHT = join(DATA, 'pinnacle', 'straight.json.gz')
const MATCHUPS = join(DATA, 'pinnacle', 'matchups.json.gz')
const skip = existsSync(STRAIGHT) && existsSync(MATCHUPS) ? false : 'the recorded payloads are not on this machine'
const recorded = testsWith('recorded payloads', skip)

const textOf = (path: string): string => gunzipSync(readFileSync(path)).toString('utf8')
const keyOf = (line: string): string => line.split(' ').slice(0, -2).join(' ')
const statusOf = (line: string): string => line.split(' ').at(-1)!

/** docs/feeds.md 12: a matchup for each id that has markets. To check the mapping by, never to serve. */
const madeUpMatchups = (straight: string): object[] => {
  const cutoffs = new Map<number, string>()
  for (const { matchupId, cutoffAt } of JSON.parse(straight) as { matchupId: number; cutoffAt: string }[]) {
    const first = cutoffs.get(matchupId)
    if (first === undefined || Date.parse(cutoffAt) < Date.parse(first)) cutoffs.set(matchupId, cutoffAt)
  }
  return Array.from(cutoffs, ([id, startTime]) => ({
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
}

const made = (straight: string): Polled => {
  const polled = poll(pinnacleNormaliser)
  polled.read(madeUpMatchups(straight))
  return polled
}

recorded('as recorded nothing can be served: the two files are about different events', () => {
  for (const order of [
    [MATCHUPS, STRAIGHT],
    [STRAIGHT, MATCHUPS],
  ]) {
    const polled = poll(pinnacleNormaliser)
    for (const path of order) assert.deepEqual(polled.read(textOf(path)), [])
    polled.end()
    const { read, mapped, noPrice, badPrice, unmapped, unmappedBy, malformed } = polled.account.totals()
    assert.deepEqual([read, mapped, noPrice, badPrice, unmapped, malformed], [5_570, 0, 0, 0, 5_570, 0])
    assert.deepEqual(Object.fromEntries(unmappedBy), { event: 5_570 })
  }
})

recorded('straight.json with made-up matchups gives the totals of docs/feeds.md 12', () => {
  const straight = textOf(STRAIGHT)
  const polled = made(straight)
  const observations = polled.read(straight)
  polled.end()
  const { read, mapped, noPrice, badPrice, unmapped, unmappedBy, malformed } = polled.account.totals()
  assert.deepEqual([read, mapped, noPrice, badPrice, unmapped, malformed], [5_570, 3_690, 0, 0, 1_880, 0])
  assert.deepEqual(Object.fromEntries(unmappedBy), { market: 1_880 })
  const team = polled.account.sourceMarkets().find(({ sourceMarket }) => sourceMarket === 'team_total')
  assert.deepEqual(Object.fromEntries(team!.fates), { market: 1_880 })
  assert.equal(observations.length, 563)
  const lines = linesOf(observations)
  assert.equal(new Set(lines.map(keyOf)).size, 3_690)
  assert.deepEqual(tally(lines.map(statusOf)), { open: 3_690 })
  assert.equal(
    new Set(
      observations.flatMap(({ event, prices }) => prices.map(({ type, line }) => `${event.sourceKey} ${type} ${line}`)),
    ).size,
    1_605,
  )
  assert.deepEqual(tally(observations.flatMap(({ prices }) => prices.map(({ type }) => type))), {
    match_result_1x2: 1_440,
    spread: 1_126,
    total_goals: 1_124,
  })
  assert.deepEqual(timesOf(observations), ['2021-01-13T20:09:59.000Z'])
  for (const example of [
    'match_result_1x2  home 1.704 open',
    'match_result_1x2  away 5.46 open',
    'match_result_1x2  draw 3.5 open',
    'spread -0.75 away 1.855 open',
  ]) {
    assert.ok(lines.includes(`1238406077 ${example}`), example)
  }
})

recorded('received later, what has its cutoff behind it is closed', () => {
  const straight = textOf(STRAIGHT)
  const statuses = (at: string): Record<string, number> => {
    const polled = made(straight)
    const received = tally(linesOf(polled.read(straight, { at })).map(statusOf))
    const earlier = made(straight)
    earlier.read(straight)
    assert.equal(linesOf(earlier.closeDue(at)).length, received.closed)
    return received
  }
  assert.deepEqual(statuses('2021-01-13T22:00:00Z'), { open: 3_570, closed: 120 })
  assert.deepEqual(statuses('2021-01-16T15:00:00Z'), { open: 1_761, closed: 1_929 })
})
