// A desk asks for the whole picture, and has a short rest in the middle of it, while a source says again all that it has:
// what is then shown out of turn is paced like all of a snapshot, and the desk is not cut.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { done, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'
import { Customer } from './customer.ts'
import { Site } from './site.ts'
import { until } from './waiting.ts'

const MATCHUPS = 4_000
// More than the system's buffers of a connection take.
const LINES = 20
const QUOTES = 2 * MATCHUPS * LINES

const folder = newFolder()
const site = new Site()
let service: RunningService
let key = ''

const startTime = new Date(clock.now() + 7_200_000).toISOString()
const ids = Array.from({ length: MATCHUPS }, (_, place) => place + 1)

const matchups = ids.map((id) => ({
  ...{ id, type: 'matchup', units: 'Regular', isLive: false, parentId: null, startTime },
  league: { id: 1, name: 'Unknown', sport: { id: 29, name: 'Soccer' } },
  participants: ['home', 'away'].map((alignment, order) => ({ alignment, order, name: `${alignment} ${id}` })),
  periods: [{ period: 0, status: 'open', cutoffAt: startTime }],
}))

const markets = ids.flatMap((matchupId) =>
  Array.from({ length: LINES }, (_, place) => place + 1.5).map((points) => ({
    ...{ matchupId, type: 'total', period: 0, key: `s;0;ou;${points}`, cutoffAt: startTime },
    prices: ['over', 'under'].map((designation) => ({ designation, points, price: -110 })),
  })),
)

before(async () => {
  await site.start()
  site.put('/matchups', JSON.stringify(matchups))
  site.put('/straight', JSON.stringify(markets))
  const source = {
    ...{ name: 'pinnacle', kind: 'pinnacle', baseUrl: site.origin, bookmaker: 'large_book', transport: 'both' },
    ...{ requestsPerSecond: 100, straightIntervalSeconds: 1, matchupsIntervalSeconds: 60 },
    ...{ pricesPerSecond: 1_000_000, pricesBurst: 1_000_000 },
    groups: [{ name: 'football', matchups: 'matchups', straight: 'straight' }],
  }
  const feeds = join(folder.path, 'oddswire.feeds.json')
  writeFileSync(feeds, JSON.stringify({ sources: [source] }))
  const coverage = writeCoverage(folder.path, [['large_book', 'verified_rest_live', true, true]])
  done(folder.path, 'coverage', 'import', coverage)
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  key = done(folder.path, 'key', 'create', '--org', 'desk')
  service = await startService(folder.path, '--feeds', feeds, '--log-level', 'warn')
})

after(async () => {
  await service?.stop()
  await site.stop()
  folder.remove()
})

/** Quotes on the board, of the live channel. */
const quotesThere = async (): Promise<number> => {
  const text = await (await fetch(`${service.admin}/metrics`)).text()
  return Number(/oddswire_quotes\{transport="live"\} (\d+)/.exec(text)?.[1] ?? 0)
}

test('a snapshot comes whole, though all that it shows is said again while the desk rests', async () => {
  await until('all of it is there', async () => (await quotesThere()) === QUOTES)
  const customer = await Customer.open(service, key)
  customer.pause()
  // On a slow machine it takes longer than a desk may take nothing at all.
  const sips = setInterval(() => {
    customer.readOn()
    setImmediate(() => customer.pause())
  }, 1_000)
  const { unchanged } = site
  await until('all is said again', () => site.unchanged > unchanged + 1)
  clearInterval(sips)
  await new Promise((resolve) => setImmediate(resolve))
  customer.readOn()
  await until('a whole picture', () => customer.isWhole)
  assert.equal(customer.countsOf('large_book').open, QUOTES)
  await customer.leave()
})
