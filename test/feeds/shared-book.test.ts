// Two sources feed one bookmaker at one event: a source that goes down takes its own quotes with it, and no others.

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { done, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'
import { quotesOf } from './customer.ts'
import { Site } from './site.ts'
import { until } from './waiting.ts'

const folder = newFolder()
const site = new Site()
const kickoffAt = new Date(Math.floor(clock.now() / 3_600_000) * 3_600_000 + 7_200_000).toISOString()
let service: RunningService
let key = ''

/** Kambi has who wins, and whether both score. */
const kambiEvent = (): string => {
  const outcome = (id: number, type: string, odds: number) => ({ id, type, odds, englishLabel: type, status: 'OPEN' })
  const offer = (id: number, criterion: number, name: string, kind: number, outcomes: readonly object[]) => ({
    ...{ id, eventId: 1, closed: kickoffAt, betOfferType: { id: kind, englishName: name } },
    ...{ criterion: { id: criterion, englishLabel: name }, outcomes },
  })
  const path = ['football', 'england', 'premier_league'].map((termKey) => ({ termKey, englishName: termKey }))
  const event = { id: 1, homeName: 'Arsenal', awayName: 'Chelsea', start: kickoffAt, state: 'NOT_STARTED', path }
  return JSON.stringify({
    events: [event],
    betOffers: [
      offer(1, 1001159858, 'Full Time', 2, [
        ...[outcome(1, 'OT_ONE', 2_000), outcome(2, 'OT_CROSS', 3_400), outcome(3, 'OT_TWO', 3_800)],
      ]),
      offer(2, 1001642858, 'Both Teams To Score', 18, [outcome(4, 'OT_YES', 1_800), outcome(5, 'OT_NO', 1_950)]),
    ],
  })
}

/** The other source of the same book has who wins, seen now. */
const writeOther = (): void => {
  const line = JSON.stringify({
    ...{ bookmaker: 'shared', transport: 'rest', observedAt: new Date(clock.now()).toISOString() },
    event: {
      ...{ sport: 'football', league: { key: 'england_premier_league', name: 'EPL' }, home: 'Arsenal' },
      ...{ away: 'Chelsea', kickoffAt, sourceId: 'other' },
    },
    quotes: ['home', 'draw', 'away'].map((outcome) => ({ type: 'match_result_1x2', outcome, odds: 3, status: 'open' })),
  })
  const path = join(folder.path, 'other.jsonl')
  writeFileSync(`${path}.new`, line)
  renameSync(`${path}.new`, path)
}

before(async () => {
  await site.start()
  site.put('/op/listView/football.json', JSON.stringify({ events: [{ event: { id: 1, start: kickoffAt } }] }))
  site.put('/op/betoffer/event/1.json', kambiEvent())
  writeOther()
  const sources = [
    {
      ...{ name: 'kambi', kind: 'kambi', baseUrl: site.origin, operator: 'op', bookmaker: 'shared' },
      ...{ lists: [{ path: '{operator}/listView/football.json', intervalSeconds: 1 }], requestsPerSecond: 100 },
      event: { path: '{operator}/betoffer/event/{id}.json', intervalSeconds: 1, liveIntervalSeconds: 1 },
      ...{ lateSeconds: 2, downSeconds: 3 },
    },
    { name: 'other', kind: 'file', path: 'other.jsonl', format: 'observations', repeatSeconds: 0.2 },
  ]
  const feeds = join(folder.path, 'oddswire.feeds.json')
  writeFileSync(feeds, JSON.stringify({ sources }))
  done(folder.path, 'coverage', 'import', writeCoverage(folder.path, [['shared', 'verified_rest_only', true, false]]))
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  key = done(folder.path, 'key', 'create', '--org', 'desk')
  service = await startService(folder.path, '--feeds', feeds, '--log-level', 'warn')
})

after(async () => {
  await service?.stop()
  await site.stop()
  folder.remove()
})

const shown = async (): Promise<string[]> => {
  const response = await fetch(`${service.admin}/events/${encodeURIComponent('kambi:1')}`)
  if (response.status !== 200) return []
  const { id } = (await response.json()) as { readonly id: string }
  return (await quotesOf(service, key, id)).map(({ type, outcome }) => `${type} ${outcome}`)
}

/** It is suspended as soon as it is down. */
const SUSPENDED_MS_MAX = 3_000

const WHO_WINS = ['match_result_1x2 home', 'match_result_1x2 draw', 'match_result_1x2 away']

test('a source that is down takes with it what it alone has, whoever spoke of the book last', async () => {
  await until('both are on the board', async () => (await shown()).length === 5)
  site.be('error')
  await until('Kambi is down', async () => {
    const { feeds } = (await (await fetch(`${service.admin}/feeds`)).json()) as {
      readonly feeds: readonly { readonly name: string; readonly state: string }[]
    }
    return feeds.some(({ name, state }) => name === 'kambi' && state === 'down')
  })
  writeOther()
  const isSuspended = async (): Promise<boolean> => !(await shown()).some((one) => one.startsWith('btts'))
  await until('what Kambi alone had is suspended', isSuspended, undefined, SUSPENDED_MS_MAX)
  // It has said it anew, and later than Kambi did.
  await until('what the other has is open', async () => (await shown()).sort().join() === [...WHO_WINS].sort().join())
})
