// Event identity and verification of coverage end to end: the real service, its command line, REST and a desk. Two files
// are the sources; they are read again and again, so that what a test writes into them is what the sources say.

import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as clock from '../src/clock.ts'
import { command, rows, rowsIn } from './feeds/command.ts'
import { boardOf, Customer, listedEvents, quotesOf, type Shown } from './feeds/customer.ts'
import { Site } from './feeds/site.ts'
import { until } from './feeds/waiting.ts'
import { RawClient } from './stomp/raw-client.ts'
import { done, get, type Json, list, newFolder, type RunningService, startService, writeCoverage } from './service.ts'

const BOOKS = ['alpha', 'beta'] as const
type Book = (typeof BOOKS)[number]

type Price = readonly [type: string, line: number | null, outcome: string, odds: number]

interface Said {
  readonly sport?: string
  readonly home: string
  readonly away: string
  readonly prices: readonly Price[]
  /** Later than the others', ms. */
  readonly laterMs?: number
}

const folder = newFolder()
const site = new Site({ 'x-requests-remaining': '1000000', 'x-requests-used': '0', 'x-requests-last': '1' })
const kickoffAt = Math.floor(clock.now() / 3_600_000) * 3_600_000 + 7_200_000
let service: RunningService
let key = ''

/** What each source says of its events, by its own id of them. */
const said: Record<Book, Map<string, Said>> = { alpha: new Map(), beta: new Map() }

/** A source's file is replaced at once: it is never read in the middle of being written. */
const write = (book: Book): void => {
  const observedAt = new Date(clock.now()).toISOString()
  const lines = Array.from(said[book], ([sourceId, { sport = 'football', home, away, prices, laterMs = 0 }]) =>
    JSON.stringify({
      ...{ bookmaker: book, transport: 'both', observedAt },
      event: {
        ...{ sport, league: { key: 'quarry_league', name: 'Quarry League' }, home, away, sourceId },
        kickoffAt: new Date(kickoffAt + laterMs).toISOString(),
      },
      quotes: prices.map(([type, line, outcome, odds]) => ({ type, line, outcome, odds, status: 'open' })),
    }),
  )
  const path = join(folder.path, `${book}.jsonl`)
  writeFileSync(`${path}.new`, lines.join('\n'))
  renameSync(`${path}.new`, path)
}

const say = (book: Book, id: string, event: Said): void => {
  said[book].set(id, event)
  write(book)
}

const moneyline = (home: number, draw: number, away: number): readonly Price[] => [
  ['match_result_1x2', null, 'home', home],
  ['match_result_1x2', null, 'draw', draw],
  ['match_result_1x2', null, 'away', away],
]

/** One poll of The Odds API, with the price of a home win. */
const putAnswer = (price: number): void => {
  const last = new Date(clock.now()).toISOString()
  const outcomes = [
    ['Tarn Rovers', price],
    ['Beck Athletic', 2.9],
    ['Draw', 3.4],
  ].map(([name, odds]) => ({ name, price: odds }))
  const market = { key: 'h2h', last_update: last, outcomes }
  const event = {
    ...{ id: 'e1', sport_key: 'soccer_epl', sport_title: 'EPL', commence_time: new Date(kickoffAt).toISOString() },
    ...{ home_team: 'Tarn Rovers', away_team: 'Beck Athletic' },
    bookmakers: [{ key: 'gamma', title: 'Gamma', last_update: last, markets: [market] }],
  }
  site.put('/v4/sports/soccer_epl/odds', JSON.stringify([event]))
}

const config = (): object => ({
  sources: [
    ...BOOKS.map((name) => ({
      ...{ name, kind: 'file', path: `${name}.jsonl`, format: 'observations', repeatSeconds: 0.2 },
    })),
    {
      ...{ name: 'odds-api', kind: 'the-odds-api', baseUrl: site.origin, apiKey: '$IDENTITY_ODDS_KEY' },
      ...{ sports: [{ key: 'soccer_epl', intervalSeconds: 1 }], requestsPerSecond: 100, transport: 'both' },
    },
  ],
})

const start = async (): Promise<void> => {
  const feeds = join(folder.path, 'oddswire.feeds.json')
  service = await startService(folder.path, '--feeds', feeds, '--log-level', 'warn')
}

before(async () => {
  await site.start()
  site.put('/v4/sports', '[]')
  putAnswer(2.1)
  process.env.IDENTITY_ODDS_KEY = 'identity-odds-key'
  for (const book of BOOKS) write(book)
  writeFileSync(join(folder.path, 'oddswire.feeds.json'), JSON.stringify(config()))
  const coverage = writeCoverage(folder.path, [
    ...BOOKS.map((slug) => [slug, 'verified_rest_live', true, true] as const),
    ['gamma', 'verified_rest_live', true, true, ['football']],
  ])
  done(folder.path, 'coverage', 'import', coverage)
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  key = done(folder.path, 'key', 'create', '--org', 'desk')
  await start()
  // The files say nothing yet: later it would come at any moment of the first test, between two looks at the board.
  await until('the poller has sent its event', async () => (await listedEvents(service, key)).length === 1)
})

after(async () => {
  await service?.stop()
  await site.stop()
  delete process.env.IDENTITY_ODDS_KEY
  folder.remove()
})

/** The event of a source key, as the operator's port shows it. */
const eventOf = async (sourceKey: string): Promise<Json | undefined> => {
  const response = await fetch(`${service.admin}/events/${encodeURIComponent(sourceKey)}`)
  return response.status === 200 ? ((await response.json()) as Json) : undefined
}

const idOf = async (sourceKey: string): Promise<string> => {
  const event = await until(`${sourceKey} is on the board`, () => eventOf(sourceKey))
  return String(event.id)
}

const line = ({ bookmaker, type, line: at, outcome, odds }: Shown): string =>
  [bookmaker, type, at ?? 'none', outcome, odds].join(' ')

/** The quotes of an event on REST, as lines. */
const shown = async (id: string): Promise<string[]> => (await quotesOf(service, key, id)).map(line).sort()

/** Event and bookmaker of each message of a desk's snapshot of an event. */
const onDesk = async (id: string): Promise<Set<string>> => {
  const client = await RawClient.open({ stomp: service.stompPort, http: service.port }, 'tcp', '1.2')
  await client.connect({ passcode: key })
  await client.frame('SUBSCRIBE', { id: '0', destination: `/topic/odds.football.*.${id}`, snapshot: 'true' })
  const found = new Set<string>()
  for (;;) {
    const frame = await client.next()
    if (frame.headers.get('kind') === 'snapshot-end') break
    const { eventId, bookmaker } = JSON.parse(frame.body.toString('utf8')) as Json
    found.add(`${eventId} ${bookmaker}`)
  }
  client.destroy()
  return found
}

const linesOf = (book: Book, prices: readonly Price[]): string[] =>
  prices.map(([type, at, outcome, odds]) => [book, type, at ?? 'none', outcome, odds].join(' '))

const conflictOf = async (id: string): Promise<Record<string, unknown> | undefined> =>
  (await rows(folder.path, 'event', 'conflicts')).find(
    (row) => row.id === id || JSON.stringify(row.candidates).includes(id),
  )

const decided = async (...args: string[]): Promise<string> => {
  const result = await command(folder.path, 'event', ...args)
  assert.equal(result.code, 0, `oddswire event ${args.join(' ')}: ${result.stderr}`)
  return /decision (\d+)/.exec(result.stderr)?.[1] ?? ''
}

/** Two spellings that the rule must keep apart: one side is the same, the other says nothing. */
const ALPHA: Said = { home: 'Northfield Rovers', away: 'Kestrel and Vale', prices: moneyline(2.1, 3.2, 3.6) }
const BETA: Said = { home: 'Northfield Rovers', away: 'Sandpiper Union', prices: moneyline(2.2, 3.1, 3.5) }

test('two spellings are kept apart and listed; merged they are one event at once, everywhere', async () => {
  say('alpha', '1', ALPHA)
  say('beta', '1', BETA)
  const [alpha, beta] = [await idOf('alpha:1'), await idOf('beta:1')]
  assert.notEqual(alpha, beta)
  const conflict = await conflictOf(alpha)
  assert(conflict !== undefined, 'it is in doubt')
  assert.match(JSON.stringify(conflict), /Kestrel and Vale.*Sandpiper Union|Sandpiper Union.*Kestrel and Vale/)
  const customer = await Customer.open(service, key)
  try {
    await until('a whole picture', () => customer.isWhole)
    assert.equal(customer.odds.quotes.size, (await boardOf(service, key)).size)
    await decided('merge', alpha, beta)
    // At once: the first look after the command.
    const both = [...linesOf('alpha', ALPHA.prices), ...linesOf('beta', BETA.prices)].sort()
    assert.deepEqual(await shown(alpha), both)
    assert.deepEqual(await shown(beta), both, 'the former id leads to it')
    const listed = async (): Promise<string[]> =>
      (await listedEvents(service, key)).filter((id) => id === alpha || id === beta)
    assert.deepEqual(await listed(), [alpha])
    await until('the desk was notified', () => customer.eventMessages.some(({ change }) => String(change) === 'gone'))
    await customer.settle()
    const told = customer.eventMessages.filter(({ id }) => String(id) === beta)
    assert.deepEqual(
      told.map(({ change, mergedInto }) => [change, mergedInto]),
      [
        ['changed', alpha],
        ['gone', undefined],
      ],
    )
    const live = [...customer.odds.quotes].filter(([name]) => name.startsWith(`${alpha} beta`))
    assert.equal(live.length, 3)
    assert(![...customer.odds.quotes.keys()].some((name) => name.startsWith(`${beta} `)))
    assert.equal(await conflictOf(alpha), undefined, 'what is settled is in doubt no more')
    assert.deepEqual(await onDesk(beta), new Set([`${alpha} alpha`, `${alpha} beta`]), 'and a desk, too')
    // What the source says later belongs there, too.
    say('beta', '1', { ...BETA, prices: moneyline(2.3, 3.1, 3.4) })
    await until('a later price is there', async () =>
      (await shown(alpha)).includes('beta match_result_1x2 none home 2.3'),
    )
    assert.deepEqual(await listed(), [alpha])
  } finally {
    await customer.leave()
  }
})

test('a server that is killed and started again knows it; a split makes two events again', async () => {
  await service.kill()
  await start()
  for (const book of BOOKS) write(book)
  const alpha = await idOf('alpha:1')
  await until('beta is there', async () => (await shown(alpha)).some((text) => text.startsWith('beta')))
  assert.equal(await idOf('beta:1'), alpha)
  assert.equal((await shown(alpha)).length, 6)

  const customer = await Customer.open(service, key)
  try {
    await until('a whole picture', () => customer.isWhole)
    await decided('split', alpha, 'beta:1')
    const beta = await idOf('beta:1')
    assert.notEqual(beta, await idOf('alpha:1'))
    assert((await shown(beta)).every((text) => text.startsWith('beta')))
    assert.equal((await shown(beta)).length, 3)
    assert.deepEqual(await shown(await idOf('alpha:1')), linesOf('alpha', ALPHA.prices).sort())
    for (const book of BOOKS) write(book)
    await until('the desk has both', () => {
      customer.check()
      const names = [...customer.odds.quotes.keys()]
      return (
        names.some((name) => name.startsWith(`${beta} beta`)) && !names.some((name) => name.startsWith(`${alpha} beta`))
      )
    })
  } finally {
    await customer.leave()
  }
  await service.stop()
  await start()
  for (const book of BOOKS) write(book)
  assert.notEqual(await idOf('beta:1'), await idOf('alpha:1'), 'the split is kept')
})

test('an alias joins events that match only with it', async () => {
  const alpha: Said = { home: 'Gravel Pit Wanderers', away: 'Mill End', prices: moneyline(1.9, 3.4, 4.2) }
  const beta: Said = { home: 'Diggers', away: 'Mill End', prices: moneyline(1.95, 3.3, 4.1) }
  say('alpha', '2', alpha)
  say('beta', '2', beta)
  assert.notEqual(await idOf('alpha:2'), await idOf('beta:2'))
  const decision = await decided('alias', 'Diggers', '--means', 'Gravel Pit Wanderers', '--sport', 'football')
  const id = await idOf('alpha:2')
  assert.equal(await idOf('beta:2'), id)
  assert.deepEqual(await shown(id), [...linesOf('alpha', alpha.prices), ...linesOf('beta', beta.prices)].sort())
  // A later event of that name as well.
  say('alpha', '3', { ...alpha, away: 'Lock Keepers' })
  say('beta', '3', { ...beta, away: 'Lock Keepers' })
  await until('both are there', async () => (await shown(await idOf('alpha:3'))).length === 6)
  assert.equal(await idOf('beta:3'), await idOf('alpha:3'))
  await decided('undo', decision)
  assert.equal(await idOf('beta:2'), await idOf('alpha:2'), 'a merge is never undone by a name')
})

test('an event that a source names the other way round is swapped, and swapped back when that is undone', async () => {
  const prices: readonly Price[] = [
    ['match_winner', null, 'home', 1.5],
    ['match_winner', null, 'away', 2.6],
    ['spread', -4.5, 'home', 1.9],
    ['spread', -4.5, 'away', 1.92],
    ['total', 160.5, 'over', 1.85],
  ]
  const swapped: readonly Price[] = [
    ['match_winner', null, 'home', 2.65],
    ['match_winner', null, 'away', 1.48],
    ['spread', 4.5, 'home', 1.91],
    ['spread', 4.5, 'away', 1.88],
    ['total', 160.5, 'over', 1.86],
  ]
  say('alpha', '4', { sport: 'basketball', home: 'Ash Giants', away: 'Birch Hoops', prices })
  say('beta', '4', { sport: 'basketball', home: 'Birch Hoops', away: 'Ash Giants', prices: swapped })
  const [alpha, beta] = [await idOf('alpha:4'), await idOf('beta:4')]
  assert.notEqual(alpha, beta, 'who is at home is not guessed')
  assert(await conflictOf(alpha), 'but it is reported')
  const decision = await decided('merge', 'alpha:4', 'beta:4', '--swapped')
  const straight: readonly Price[] = [
    ['match_winner', null, 'away', 2.65],
    ['match_winner', null, 'home', 1.48],
    ['spread', -4.5, 'away', 1.91],
    ['spread', -4.5, 'home', 1.88],
    ['total', 160.5, 'over', 1.86],
  ]
  const both = [...linesOf('alpha', prices), ...linesOf('beta', straight)].sort()
  assert.deepEqual(await shown(alpha), both)
  write('beta')
  say('beta', '4', {
    sport: 'basketball',
    ...{ home: 'Birch Hoops', away: 'Ash Giants' },
    prices: [...swapped.slice(1), ['match_winner', null, 'home', 2.7]],
  })
  await until('a later price is swapped as well', async () =>
    (await shown(alpha)).includes('beta match_winner none away 2.7'),
  )
  assert.equal((await shown(alpha)).length, both.length)
  await decided('undo', decision)
  const own = await idOf('beta:4')
  assert.notEqual(own, await idOf('alpha:4'))
  assert.deepEqual(await shown(await idOf('alpha:4')), linesOf('alpha', prices).sort())
  assert((await shown(own)).includes('beta match_winner none home 2.7'))
  assert((await shown(own)).includes('beta spread 4.5 home 1.91'))
})

test('an event that is moved to another hour stays what it is, with all its books', async () => {
  const alpha: Said = { home: 'Weir Athletic', away: 'Ford Rangers', prices: moneyline(2.4, 3.1, 3) }
  const beta: Said = { home: 'Weir Athletic FC', away: 'Ford Rangers', prices: moneyline(2.45, 3.2, 2.95) }
  say('alpha', '5', alpha)
  const id = await idOf('alpha:5')
  say('beta', '5', beta)
  await until('both are there', async () => (await shown(id)).length === 6)
  assert.equal(await idOf('beta:5'), id, 'club words do not distinguish clubs')
  const laterMs = 5 * 3_600_000
  say('alpha', '5', { ...alpha, laterMs })
  const kickoffOf = async (): Promise<string> =>
    String((await get(service, `/events/${id}/odds`, key)).body.data?.event?.kickoffAt)
  const moved = new Date(kickoffAt + laterMs).toISOString()
  await until('it is moved', async () => Date.parse(await kickoffOf()) === Date.parse(moved))
  say('beta', '5', { ...beta, laterMs, prices: moneyline(2.5, 3.2, 2.9) })
  await until('a later price', async () => (await shown(id)).includes('beta match_result_1x2 none home 2.5'))
  assert.equal(await idOf('beta:5'), id)
  assert.equal((await shown(id)).length, 6)
})

const coverageOf = async (slug: string): Promise<Json | undefined> => {
  const { status, body, text } = await get(service, '/bookmakers?limit=50', key)
  assert.equal(status, 200, text)
  return list(body.data).find((row) => String(row.slug) === slug)
}

test('coverage is verified from the source to REST; two failures remove it, and that is reported', async () => {
  const id = await idOf('the-odds-api:e1')
  assert.deepEqual(await shown(id), [
    'gamma match_result_1x2 none away 2.9',
    'gamma match_result_1x2 none draw 3.4',
    'gamma match_result_1x2 none home 2.1',
  ])
  // The source has another price by now: what is verified is what was just fetched.
  putAnswer(2.05)
  const passed = await command(folder.path, 'coverage', 'verify', '--bookmaker', 'gamma', '--sport', 'football')
  assert.equal(passed.code, 0, passed.stderr)
  assert.deepEqual(
    rowsIn(passed.stdout).map(({ id: row, outcome, quotes }) => [row, outcome, quotes]),
    [
      ['gamma:football:rest', 'passed', 3],
      ['gamma:football:live', 'passed', 3],
    ],
  )
  const today = new Date(clock.now()).toISOString().slice(0, 10)
  assert.match(JSON.stringify(await coverageOf('gamma')), new RegExp(`"lastVerifiedAt":"${today}`))
  assert((await shown(id)).includes('gamma match_result_1x2 none home 2.05'))

  // An answer that cannot be read; errors are answered with patience, which would take long here.
  site.be('garbage')
  for (const left of [1, 0]) {
    const failed = await command(folder.path, 'coverage', 'verify', '--bookmaker', 'gamma', '--sport', 'football')
    assert.equal(failed.code, 1, failed.stderr)
    assert.match(failed.stderr, /verification failed: 1 of 1/)
    assert(rowsIn(failed.stdout).every(({ outcome }) => outcome === 'failed'))
    const isThere = (await shown(id)).length === 3
    assert.equal(isThere, left === 1, `${left} failures are left`)
  }
  assert(!(await listedEvents(service, key)).includes(id), 'what no other source has is not listed')
  const history = await rows(folder.path, 'coverage', 'history', '--bookmaker', 'gamma')
  assert.match(String(history.at(-1)!.after), /^source_limited/)
  const removals = await rows(folder.path, 'coverage', 'removals')
  assert.equal(removals.length, 1)
  assert.deepEqual(
    [removals[0]!.bookmaker, removals[0]!.sports, removals[0]!.kind],
    ['gamma', ['football'], 'coverage_removal'],
  )
  site.be('well')
})
