// Verification against a small world: a source, and what was recorded of it, read back over real HTTP.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import {
  type Bookmaker,
  type Coverage,
  type CoverageStatus,
  outcomeOf,
  type Verification,
} from '../../src/domain/coverage.ts'
import type { Observation, Price } from '../../src/domain/observation.ts'
import type { Sport } from '../../src/domain/sport.ts'
import type { Transport } from '../../src/domain/transport.ts'
import { Verifier, type VerifierLimits, type VerifierPorts, verificationLine } from '../../src/feed/verification.ts'

const AT = Date.UTC(2026, 10, 20, 12)
const HOUR_MS = 3_600_000

const LIMITS: VerifierLimits = { triesMax: 3, retryMs: 1, answerMsMax: 5_000, runsMax: 100, requestsMax: 2 }

const price = (outcome: string, odds: number, status: Price['status'] = 'open'): Price => ({
  type: 'match_result_1x2',
  line: null,
  outcome,
  odds,
  status,
})

const observation = (prices: readonly Price[], more: Partial<Observation> = {}): Observation => ({
  bookmaker: 'a',
  transport: 'rest',
  observedAt: AT,
  event: { sport: 'football', leagueKey: 'l', leagueName: 'L', home: 'H', away: 'A', kickoffAt: AT, sourceKey: 's:1' },
  prices,
  others: 'keep',
  ...more,
})

const coverage = (sport: Sport | '*', status: CoverageStatus, live = false): Coverage => ({
  sport,
  status,
  restAvailable: true,
  liveAvailable: live,
  lastVerifiedAt: null,
})

const bookmaker = (slug: string, ...rows: readonly Coverage[]): Bookmaker => ({
  slug,
  displayName: slug,
  region: '',
  countries: [],
  sourceMode: 'direct',
  customerNote: '',
  coverage: rows,
})

const BOOK = bookmaker('a', coverage('football', 'verified_rest_only'))

interface ShownOutcome {
  readonly outcome: string
  readonly odds: number
  readonly at?: number
}

/** The body of the odds operation (docs/architecture.md 7) with one market. */
const body = (outcomes: readonly ShownOutcome[], transport: Transport = 'rest', status = 'open'): object => ({
  data: {
    event: { id: '1' },
    markets: [
      {
        type: 'match_result_1x2',
        line: null,
        bookmakers: [
          {
            slug: 'a',
            displayName: 'A',
            outcomes: outcomes.map(({ outcome, odds, at = AT }) => ({
              outcome,
              transport,
              odds,
              status,
              lastUpdatedAt: new Date(at).toISOString(),
            })),
          },
        ],
      },
    ],
  },
})

interface World {
  readonly ports: VerifierPorts
  readonly recorded: (readonly [Verification, number | null])[]
  /** How often the source was asked. */
  fetches: number
}

/** `replies`: what REST says each time, the last one from then on; null is 404. */
const newWorld = async (
  context: TestContext,
  fetched: readonly (readonly Observation[] | string)[],
  replies: readonly (object | null)[],
  more: Partial<VerifierPorts> = {},
): Promise<World> => {
  let answered = 0
  const server = createServer((_, response) => {
    const reply = replies[Math.min(answered++, replies.length - 1)] ?? null
    response.writeHead(reply === null ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  const { port } = server.address() as AddressInfo
  const recorded: [Verification, number | null][] = []
  const world: World = {
    fetches: 0,
    recorded,
    ports: {
      sourcesOf: () => ['s'],
      fetch: async () => fetched[Math.min(world.fetches++, fetched.length - 1)] ?? [],
      readBack: async (event, slug, transport) => {
        const query = `bookmaker=${slug}&transport=${transport}`
        const response = await fetch(`http://127.0.0.1:${port}/events/${event.sourceKey}/odds?${query}`)
        return response.status === 404 ? null : await response.json()
      },
      record: async (run, request) => void recorded.push([run, request]),
      now: () => AT,
      ...more,
    },
  }
  return world
}

const verifierOf = ({ ports }: World, limits: Partial<VerifierLimits> = {}, last: readonly never[] = []): Verifier =>
  new Verifier({ ports, limits: { ...LIMITS, ...limits }, everyHours: 24, last })

const verify = (world: World, target = BOOK, sport: Sport = 'football', limits: Partial<VerifierLimits> = {}) =>
  verifierOf(world, limits).verify({ bookmaker: target, sport })

test('passed: every open price is read back with exactly equal odds', async (context) => {
  const said = observation([price('home', 2.35), price('draw', 3.1000000000000005), price('away', 4, 'suspended')])
  const shown = body([
    { outcome: 'home', odds: 2.35 },
    { outcome: 'draw', odds: 3.1000000000000005 },
  ])
  const world = await newWorld(context, [[said]], [shown])
  const run = await verify(world)
  assert.deepEqual(run.channels, [{ transport: 'rest', outcome: 'passed', quotes: 2, detail: '2 prices equal' }])
  assert.equal(world.fetches, 1)
  assert.equal(verificationLine(run), 'a football passed (rest: 2 prices equal)')
})

test('failed: whatever is not as the source has said it, by its own sentence', async (context) => {
  const home = { outcome: 'home', odds: 2 }
  const cases: [string, Observation, object | null, RegExp][] = [
    ['other odds', observation([price('home', 2.1)]), body([home]), /2\.1 at the source and 2 here/],
    ['the last digit', observation([price('home', 2.0000000000000004)]), body([home]), /2\.0000000000000004 at the/],
    ['missing', observation([price('home', 2), price('away', 3)]), body([home]), /away at 3 is not shown/],
    ['no event', observation([price('home', 2)]), null, /home at 2 is not shown/],
    ['suspended', observation([price('home', 2, 'suspended')]), body([home]), /shown, though suspended/],
    ['closed', observation([price('home', 2, 'closed')]), body([home]), /shown, though closed/],
    ['not offered', observation([price('away', 2)], { others: 'closed' }), body([home]), /home is shown, though not/],
    ['not recorded', observation([price('home', 2)]), body([{ ...home, at: AT - 1 }]), /shown as it was before/],
    ['another status', observation([price('home', 2)]), body([home], 'rest', 'suspended'), /as suspended/],
    ['another channel', observation([price('home', 2)]), body([home], 'live'), /of another channel/],
    [
      'another bookmaker',
      observation([price('home', 2)], { bookmaker: 'a' }),
      { data: {} },
      /something else than odds/,
    ],
  ]
  for (const [name, said, shown, detail] of cases) {
    const world = await newWorld(context, [[said]], [shown])
    const run = await verify(world)
    assert.equal(outcomeOf(run), 'failed', name)
    assert.match(run.channels[0]!.detail, detail, name)
    assert.equal(world.fetches, LIMITS.triesMax, `${name}: tried again`)
  }
})

test('the last of several observations counts, and others that it suspends or closes are not to be shown', async (context) => {
  const first = observation([price('home', 2), price('away', 3)], { observedAt: AT - 10 })
  const late = observation([price('home', 9)], { observedAt: AT - 20 })
  const second = observation([price('home', 2.5)], { others: 'suspended' })
  const right = await verify(await newWorld(context, [[first, second, late]], [body([{ outcome: 'home', odds: 2.5 }])]))
  assert.equal(outcomeOf(right), 'passed')
  const both = body([
    { outcome: 'home', odds: 2.5 },
    { outcome: 'away', odds: 3, at: AT - 10 },
  ])
  const wrong = await verify(await newWorld(context, [[first, second]], [both]))
  assert.match(wrong.channels[0]!.detail, /away is shown, though suspended/)
})

test('a price that was replaced meanwhile is compared again with what the source says then', async (context) => {
  const newer = observation([price('home', 2.2)], { observedAt: AT + 5 })
  const shown = body([{ outcome: 'home', odds: 2.2, at: AT + 5 }])
  const world = await newWorld(context, [[observation([price('home', 2)])], [newer]], [shown])
  const run = await verify(world)
  assert.deepEqual([outcomeOf(run), world.fetches], ['passed', 2])
  const restless = await newWorld(context, [[observation([price('home', 2)])], 'not again'], [shown])
  const skipped = await verify(restless)
  assert.deepEqual([outcomeOf(skipped), restless.fetches], ['skipped', LIMITS.triesMax])
  assert.match(skipped.channels[0]!.detail, /faster/)
})

test('what comes late to REST is right the second time', async (context) => {
  const said = observation([price('home', 2)])
  const world = await newWorld(context, [[said]], [body([]), body([{ outcome: 'home', odds: 2 }])])
  assert.equal(outcomeOf(await verify(world)), 'passed')
})

test('an aged-out price is not to be shown, and compares nothing', async (context) => {
  const old = observation([price('home', 2)], { observedAt: AT - 24 * HOUR_MS })
  const run = await verify(await newWorld(context, [[old]], [body([])]))
  assert.equal(outcomeOf(run), 'skipped')
  assert.match(run.channels[0]!.detail, /no open price/)
})

test('skipped or failed: who is to blame when nothing could be compared', async (context) => {
  const nothing = await newWorld(context, [[]], [null])
  assert.match(verificationLine(await verify(nothing)), /skipped .*nothing of it just now/)
  const elsewhere = await newWorld(context, [[observation([price('home', 2)], { bookmaker: 'b' })]], [null])
  assert.equal(outcomeOf(await verify(elsewhere)), 'skipped')
  const broken = await newWorld(context, ['status 500'], [null])
  assert.match(verificationLine(await verify(broken)), /failed .*s: status 500/)
  const rejecting = await newWorld(context, [], [null], { fetch: () => Promise.reject(new Error('boom')) })
  assert.match(verificationLine(await verify(rejecting)), /failed .*boom/)
  const silent = await newWorld(context, [], [null], { fetch: () => new Promise(() => {}) })
  assert.match(verificationLine(await verify(silent, BOOK, 'football', { answerMsMax: 5 })), /failed .*not answered/)
  const orphan = await newWorld(context, [], [null], { sourcesOf: () => [] })
  assert.match(verificationLine(await verify(orphan)), /skipped .*no configured source/)
  assert.match(verificationLine(await verify(nothing, { ...BOOK, sourceMode: 'disabled' })), /skipped .*disabled/)
})

test('a source that fails gives way to the next one', async (context) => {
  const asked: string[] = []
  const world = await newWorld(context, [], [body([{ outcome: 'home', odds: 2 }])], {
    sourcesOf: () => ['one', 'two'],
    fetch: async (source) => {
      asked.push(source)
      return source === 'one' ? 'down' : [observation([price('home', 2)])]
    },
  })
  assert.equal(outcomeOf(await verify(world)), 'passed')
  assert.deepEqual(asked, ['one', 'two'])
})

test('each channel that coverage claims is verified for itself', async (context) => {
  const both = bookmaker('a', coverage('football', 'verified_rest_live', true))
  const said = observation([price('home', 2)], { transport: 'both' })
  const asked: Transport[] = []
  const shown = (transport: Transport): object => body([{ outcome: 'home', odds: 2 }], transport)
  const readBack: VerifierPorts['readBack'] = async (_, __, transport) => {
    asked.push(transport)
    return shown(transport)
  }
  const run = await verify(await newWorld(context, [[said]], [null], { readBack }), both)
  assert.deepEqual([outcomeOf(run), asked], ['passed', ['rest', 'live']])
  const restOnly = observation([price('home', 2)])
  const half = await verify(await newWorld(context, [[restOnly]], [null], { readBack }), both)
  assert.deepEqual(
    half.channels.map(({ transport, outcome }) => [transport, outcome]),
    [
      ['rest', 'passed'],
      ['live', 'skipped'],
    ],
  )
  assert.equal(outcomeOf(half), 'skipped', 'half of it is not verified')
})

test('due: longest overdue first, only what a source can fetch, and nothing that waits for a review', async (context) => {
  const world = await newWorld(context, [[]], [null], {
    sourcesOf: (slug, sport) => (sport === 'golf' && slug !== 'c' ? [] : ['s']),
  })
  const books = [
    bookmaker('a', coverage('football', 'verified_rest_only'), coverage('golf', 'verified_rest_only')),
    bookmaker('b', coverage('tennis', 'disabled_until_review'), coverage('darts', 'source_limited')),
    bookmaker('c', coverage('golf', 'verified_rest_only')),
  ]
  const last = [
    { bookmaker: 'a', sport: 'football', at: AT - 24 * HOUR_MS },
    { bookmaker: 'c', sport: 'golf', at: AT - 30 * HOUR_MS },
    { bookmaker: 'b', sport: 'darts', at: AT - 24 * HOUR_MS + 1 },
  ] as const
  const verifier = new Verifier({ ports: world.ports, limits: LIMITS, everyHours: 24, last })
  const names = (nowAt: number): string[] =>
    verifier.due(books, nowAt).map(({ bookmaker: { slug }, sport }) => `${slug} ${sport}`)
  assert.deepEqual(names(AT), ['c golf', 'a football'])
  assert.deepEqual(names(AT + 1), ['c golf', 'a football', 'b darts'])
  assert.equal(await verifier.verifyDue(books), 2)
  assert.deepEqual(
    world.recorded.map(([{ bookmaker: slug }, request]) => [slug, request]),
    [
      ['c', null],
      ['a', null],
    ],
  )
  assert.deepEqual(names(AT + 1), ['b darts'])
})

test('one run at a time; requests go before what is due, are bounded, and end with the verifier', async (context) => {
  let running = 0
  let most = 0
  let release = (): void => {}
  const first = new Promise<void>((resolve) => {
    release = resolve
  })
  let begun = (): void => {}
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve
  })
  const world = await newWorld(context, [], [null], {
    fetch: async () => {
      most = Math.max(most, ++running)
      begun()
      await first
      running -= 1
      return []
    },
  })
  const verifier = verifierOf(world)
  const books = ['a', 'b', 'c'].map((slug) => bookmaker(slug, coverage('football', 'verified_rest_only')))
  const due = verifier.verifyDue(books)
  await hasBegun
  assert.equal(await verifier.verifyDue(books), 0, 'one look at a time')
  const ask = (id: number, slug: string | null): Promise<string> =>
    verifier.verifyRequest({ id, bookmaker: slug, sport: null }, books)
  const [one, none] = [ask(1, 'b'), ask(2, 'x')]
  assert.match(await ask(3, 'b'), /too many/)
  release()
  assert.equal(await due, 1, 'gave way')
  assert.equal(await one, '')
  assert.match(await none, /no coverage/)
  assert.deepEqual(
    world.recorded.map(([{ bookmaker: slug }, request]) => [slug, request]),
    [
      ['a', null],
      ['b', 1],
    ],
  )
  assert.equal(most, 1)
  await verifier.stop()
  assert.match(await ask(4, 'c'), /stopped/)
  assert.equal(await verifier.verifyDue(books), 0)
})

test('of * only sports that a source can fetch are verified, unless one is asked for by name', async (context) => {
  const world = await newWorld(context, [[]], [null], { sourcesOf: (_, sport) => (sport === 'golf' ? ['s'] : []) })
  const verifier = verifierOf(world)
  const books = [bookmaker('a', coverage('*', 'verified_rest_only'))]
  assert.equal(await verifier.verifyRequest({ id: 1, bookmaker: null, sport: null }, books), '')
  assert.equal(await verifier.verifyRequest({ id: 2, bookmaker: null, sport: 'darts' }, books), '')
  assert.deepEqual(
    world.recorded.map(([{ sport, channels }]) => [sport, channels[0]?.detail]),
    [
      ['golf', 'the source has nothing of it just now'],
      ['darts', 'no configured source can fetch it'],
    ],
  )
})

test('what runs in another process is not verified here, nor recorded: the answer names the process', async (context) => {
  const said = [observation([price('home', 2)])]
  const world = await newWorld(context, [said], [body([{ outcome: 'home', odds: 2 }])], {
    sourcesOf: (slug) => (slug === 'a' ? ['s'] : []),
    elsewhere: (slug) => (slug === 'a' ? [] : [{ source: 't', process: slug === 'b' ? 'p2' : null }]),
  })
  const verifier = verifierOf(world)
  const row = coverage('football', 'verified_rest_only')
  const books = ['a', 'b', 'c'].map((slug) => bookmaker(slug, row))
  const ask = (slug: string | null) => verifier.verifyRequest({ id: 1, bookmaker: slug, sport: null }, books)
  assert.equal(await ask('b'), 'source t runs in process p2: ask that one')
  assert.equal(await ask('c'), 'source t runs in no process just now: try again soon')
  assert.equal(world.recorded.length, 0)
  assert.match(await ask(null), /process p2.*; .*no process/)
  assert.deepEqual(
    world.recorded.map((each) => each[0].bookmaker),
    ['a'],
  )
  assert.deepEqual(
    verifier.due(books, AT + 25 * HOUR_MS).map((target) => target.bookmaker.slug),
    ['a'],
    'the schedule is that of the process that runs the source',
  )
})
