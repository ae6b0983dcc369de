// From configured sources to plans: cadences, how a source is reached, secrets, files; what is wrong names its place.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { SourceMode } from '../../src/domain/coverage.ts'
import type { SourceTerms } from '../../src/domain/feed-source.ts'
import { parseFeeds } from '../../src/feed/feeds-file.ts'
import { type PlanParts, plansOf } from '../../src/feed/plans.ts'
import type { SourcePlan } from '../../src/feed/running-source.ts'
import { Account } from '../../src/source/kit/account.ts'
import { ROOT } from '../root.ts'
import { SaidBoard } from '../source/kit/said-board.ts'

const folder = await mkdtemp(join(tmpdir(), 'oddswire-plans-'))
after(() => rm(folder, { recursive: true, force: true }))

const SECRETS: Readonly<Record<string, string>> = {
  KEY: 'k',
  APP: 'a',
  SESSION: 's',
  URL: 'amqps://token@mq.example/vhost',
  TOKEN: 't',
  EMPTY: '',
  PERCENT: 'amqps://to%ken@mq.example/vhost',
  PERCENT_PASSWORD: 'amqps://token@mq.example:s%3x@mq.example/vhost',
}

const plans = (
  sources: object[],
  { proxies = {}, ...over }: Partial<PlanParts> & { readonly proxies?: object } = {},
): ReturnType<typeof plansOf> => {
  const file = parseFeeds(JSON.stringify({ proxies, sources }))
  assert.deepEqual(file.faults, [])
  return plansOf(file, {
    path: join(folder, 'oddswire.feeds.json'),
    secretOf: (name) => SECRETS[name],
    sourceModeOf: () => undefined,
    limits: { lineBytesMax: 2 ** 20, documentBytesMax: 2 ** 20, pricesMax: 1_000, textLengthMax: 200 },
    skewMsMax: 5_000,
    ...over,
  })
}

const planOf = (source: object, over: Parameters<typeof plans>[1] = {}): SourcePlan => {
  const made = plans([{ name: 's', ...source }], over)
  assert.ok(made.plans.length === 1, JSON.stringify(made.faults))
  return made.plans[0]!
}

const faultsOf = (...sources: object[]): string[] =>
  plans(sources.map((source, n) => ({ name: `s${n}`, ...source }))).faults.map(
    ({ field, message }) => `${field}: ${message}`,
  )

const faultOf = (...sources: object[]): string => {
  const [only, ...others] = faultsOf(...sources)
  assert.ok(only !== undefined, 'it is accepted')
  assert.deepEqual(others, [])
  return only
}

const KAMBI = { kind: 'kambi', baseUrl: 'https://k.example/', operator: 'o', pages: [{ path: 'p' }] }
const PINNACLE = {
  kind: 'pinnacle',
  baseUrl: 'https://p.example/',
  groups: [{ name: 'g', matchups: 'm', straight: 's' }],
}
const ODDS_API = { kind: 'the-odds-api', apiKey: '$KEY', sports: [{ key: 'soccer_epl' }] }
const BETFAIR = { kind: 'betfair', appKey: '$APP', session: '$SESSION' }
const UOF = { kind: 'uof', amqpUrl: '$URL', apiToken: '$TOKEN' }
const STOMP = { kind: 'stomp', addresses: ['stomp://b.example:61613'], destinations: ['/queue/odds'] }
const FILE = { kind: 'file', path: 'odds.csv', format: 'the-odds-api-csv' }
const SIMULATOR = { kind: 'simulator' }

test('plans are made of the same exactly when everything that they were made of is the same', async () => {
  const certificates = join(folder, 'authorities.pem')
  await writeFile(certificates, 'one')
  const polled = { ...PINNACLE, credential: { header: 'X-Key', value: '$KEY' }, caFile: 'authorities.pem' }
  const first = planOf(polled).input
  const { groups, ...rest } = polled
  assert.deepEqual(planOf({ groups, ...rest }).input, first, 'in another order')
  assert.ok(!JSON.stringify(first).includes('"k"'), 'no secret is kept in it')
  const changed: Readonly<Record<string, Parameters<typeof planOf>>> = {
    'a setting': [{ ...polled, concurrency: 3 }],
    'a secret': [polled, { secretOf: () => 'rotated' }],
    'a proxy of its mode': [
      { ...polled, sourceMode: 'worker_proxy' },
      { proxies: { worker_proxy: 'http://proxy.example:1' } },
    ],
    'how its bookmaker is reached': [{ ...polled, bookmaker: 'b' }, { sourceModeOf: () => 'disabled' }],
  }
  for (const [what, [source, over]] of Object.entries(changed)) {
    const before = what.startsWith('how') ? planOf({ ...polled, bookmaker: 'b' }).input : first
    assert.notDeepEqual(planOf(source, over).input, before, what)
  }
  await writeFile(certificates, 'two')
  assert.notDeepEqual(planOf(polled).input, first, 'a file that it names')
  const unset = planOf(ODDS_API, { secretOf: () => undefined })
  assert.notEqual(unset.never, null)
  assert.notDeepEqual(unset.input, planOf(ODDS_API).input, 'a secret that was not set')
  assert.notDeepEqual(planOf({ ...SIMULATOR, seed: 2 }).input, planOf(SIMULATOR).input)
})

test('each kind has a cadence of its own, and what is configured goes before it', () => {
  const NEVER = Number.POSITIVE_INFINITY
  const cases: readonly (readonly [object, Omit<SourceTerms, 'name'>])[] = [
    [KAMBI, { lateMs: 150_000, downMs: 270_000, suspendMs: 0, behindMsMax: NEVER }],
    [PINNACLE, { lateMs: 75_000, downMs: 135_000, suspendMs: 0, behindMsMax: NEVER }],
    [
      { ...PINNACLE, straightIntervalSeconds: 1 },
      { lateMs: 10_000, downMs: 30_000, suspendMs: 0, behindMsMax: NEVER },
    ],
    [ODDS_API, { lateMs: 150_000, downMs: 270_000, suspendMs: null, behindMsMax: NEVER }],
    [BETFAIR, { lateMs: 11_000, downMs: 20_000, suspendMs: 0, behindMsMax: 30_000 }],
    [UOF, { lateMs: 15_000, downMs: 25_000, suspendMs: 0, behindMsMax: 30_000 }],
    [STOMP, { lateMs: 21_000, downMs: 40_000, suspendMs: 0, behindMsMax: 30_000 }],
    [
      { ...STOMP, quietIsHealthy: false },
      { lateMs: 21_000, downMs: 40_000, suspendMs: null, behindMsMax: 30_000 },
    ],
    [FILE, { lateMs: 10_000, downMs: 30_000, suspendMs: null, behindMsMax: NEVER }],
    [SIMULATOR, { lateMs: 2_000, downMs: 5_000, suspendMs: 0, behindMsMax: 10_000 }],
    [
      { ...SIMULATOR, lateSeconds: 1.5, downSeconds: 1.5, suspendSeconds: 60 },
      { lateMs: 1_500, downMs: 1_500, suspendMs: 60_000, behindMsMax: 10_000 },
    ],
    [
      { ...SIMULATOR, lateSeconds: 100 },
      { lateMs: 100_000, downMs: 100_000, suspendMs: 0, behindMsMax: 10_000 },
    ],
    [
      { ...SIMULATOR, downSeconds: 1, suspendSeconds: null },
      { lateMs: 1_000, downMs: 1_000, suspendMs: null, behindMsMax: 10_000 },
    ],
  ]
  for (const [source, terms] of cases) {
    assert.deepEqual(planOf(source).terms, { name: 's', ...terms }, JSON.stringify(source))
  }
})

test('a source that would be down between two of its signs of life is refused', () => {
  for (const [source, leastSeconds] of [
    [BETFAIR, 5],
    [UOF, 10],
    [STOMP, 10],
  ] as const) {
    planOf({ ...source, downSeconds: leastSeconds })
    assert.match(
      faultOf({ ...source, downSeconds: leastSeconds - 0.1 }),
      new RegExp(`^sources\\[0\\]\\.downSeconds: must be ${leastSeconds} or more`),
    )
  }
})

test('a plan says its kind, its budget and whom it feeds', () => {
  const { kind, budget, bookmakers } = planOf({ ...KAMBI, bookmaker: 'unibet', pricesPerSecond: 7, pricesBurst: 9 })
  assert.deepEqual(
    { kind, budget, bookmakers },
    {
      kind: 'kambi',
      budget: { pricesPerSecond: 7, pricesBurst: 9 },
      bookmakers: ['unibet'],
    },
  )
  assert.deepEqual(planOf(ODDS_API).bookmakers, [])
})

test('only queues are known to keep what comes while a broker is away, unless it is said', async () => {
  const cases: readonly (readonly [destinations: string[], durable: boolean | undefined, expected: boolean])[] = [
    [['/queue/odds', '/amq/queue/odds'], undefined, true],
    [['/queue/odds', '/topic/odds'], undefined, false],
    [['/exchange/odds/#'], undefined, false],
    [['/topic/odds'], true, true],
    [['/queue/odds'], false, false],
  ]
  for (const [destinations, durable, expected] of cases) {
    const source = { ...STOMP, addresses: ['stomp://127.0.0.1:1'], destinations, durable }
    const connector = planOf(source).connect({
      name: 's',
      account: new Account(),
      now: () => 0,
      chance: () => 0,
      producer: new SaidBoard().producer,
      alive: () => {},
      log: () => {},
      onMalformed: () => {},
    })
    assert.equal(connector.facts().durable, expected, destinations.join())
    await connector.stop()
  }
})

test('what is wrong is said with its place, and nothing is planned', async () => {
  await writeFile(join(folder, 'broken.json'), '{"fixtures":[{"id":"1"}]}')
  const cases: readonly (readonly [object, RegExp])[] = [
    [{ ...KAMBI, pages: [] }, /^sources\[1\]\.lists: /],
    [{ ...KAMBI, lists: [{ path: 'l' }] }, /^sources\[1\]\.event: is missing/],
    [{ ...KAMBI, caFile: 'none.pem' }, /^sources\[1\]\.caFile: none\.pem cannot be read/],
    [{ ...BETFAIR, session: undefined }, /^sources\[1\]\.session: /],
    [
      { ...BETFAIR, login: { url: 'https://l.example/', username: '$APP', password: '$APP' } },
      /^sources\[1\]\.session: /,
    ],
    [{ ...BETFAIR, appKey: '$NOBODY' }, /^sources\[1\]\.appKey: \$NOBODY is not set in the environment, nor in \.env$/],
    [{ ...BETFAIR, appKey: '$EMPTY' }, /^sources\[1\]\.appKey: \$EMPTY is not set/],
    [
      {
        ...BETFAIR,
        session: undefined,
        login: { url: 'https://l.example/', username: '$APP', password: '$APP', certFile: 'c.pem' },
      },
      /^sources\[1\]\.login\.keyFile: /,
    ],
    [{ ...UOF, amqpUrl: '$KEY' }, /^sources\[1\]\.amqpUrl: \$KEY must hold amqps:/],
    [{ ...UOF, amqpUrl: '$PERCENT' }, /^sources\[1\]\.amqpUrl: \$PERCENT must hold amqps:.* as %25$/],
    [{ ...UOF, amqpUrl: '$PERCENT_PASSWORD' }, /^sources\[1\]\.amqpUrl: /],
    [{ ...STOMP, addresses: ['stomp://b.example:1', 'stomp://b.example:70000'] }, /^sources\[1\]\.addresses\[1\]: /],
    [{ ...STOMP, passcode: '$NOBODY' }, /^sources\[1\]\.passcode: /],
    [{ ...FILE, fixtures: 'none.json' }, /^sources\[1\]\.fixtures: none\.json cannot be read/],
    [{ ...FILE, fixtures: 'broken.json' }, /^sources\[1\]\.fixtures: fixtures\[0\]/],
    [{ ...FILE, receivedAt: 'yesterday' }, /^sources\[1\]\.receivedAt: /],
    [{ ...STOMP, format: 'betfair', fixtures: 'none.json' }, /^sources\[1\]\.fixtures: none\.json cannot be read/],
    [{ ...FILE, format: 'kambi', oddsFormat: 'american' }, /^sources\[1\]\.oddsFormat: goes with .*the-odds-api/],
    [{ ...STOMP, oddsFormat: 'american' }, /^sources\[1\]\.oddsFormat: goes with .*the-odds-api/],
    // Rows that come one by one cannot be judged as a whole.
    [{ ...STOMP, format: 'the-odds-api-csv' }, /^sources\[1\]\.oddsFormat: is missing/],
  ]
  for (const [source, expected] of cases) {
    const said = faultOf(SIMULATOR, source)
    assert.match(said, expected)
    for (const secret of ['token@', 'mq.example']) assert.ok(!said.includes(secret), said)
  }
})

test('a source that is disabled, or lacks what its mode requires, is never polled and says why', () => {
  const cases: readonly (readonly [object, Parameters<typeof plans>[1], RegExp])[] = [
    [{ ...PINNACLE, sourceMode: 'disabled' }, {}, /^is disabled: never polled$/],
    [{ ...PINNACLE, bookmaker: 'pinnacle' }, { sourceModeOf: () => 'disabled' }, /^is disabled: never polled$/],
    [{ ...KAMBI, sourceMode: 'disabled' }, {}, /^is disabled: never polled$/],
    [{ ...PINNACLE, sourceMode: 'credential_required' }, {}, /^has no credential, as its mode says: never polled/],
    [
      { ...PINNACLE, sourceMode: 'credential_required', credential: { header: 'X-Key', value: '$NOBODY' } },
      {},
      /^has no credential/,
    ],
    [{ ...ODDS_API, apiKey: '$NOBODY', sourceMode: 'credential_required' }, {}, /^has no credential, as its mode says/],
    [{ ...ODDS_API, sourceMode: 'credential_required' }, {}, /^has no credential, as its mode says/],
    [{ ...ODDS_API, sourceMode: 'disabled' }, {}, /^is disabled: never polled$/],
    [{ ...PINNACLE, sourceMode: 'worker_proxy' }, {}, /^has no proxy/],
    [{ ...PINNACLE, sourceMode: 'sidecar_proxy' }, { proxies: { worker_proxy: 'http://p.example' } }, /^has no proxy/],
    [{ ...PINNACLE, sourceMode: 'cdp_proxy' }, { proxies: { cdp_proxy: 'socks5://p.example' } }, /no http/],
  ]
  for (const [source, over, expected] of cases) assert.match(planOf(source, over).never ?? 'polled', expected)
})

test('the mode in the file goes before the one of the registry', () => {
  const sourceModeOf = (): SourceMode => 'disabled'
  assert.equal(planOf({ ...PINNACLE, bookmaker: 'pinnacle', sourceMode: 'direct' }, { sourceModeOf }).never, null)
})

test('a proxy that the file names by a variable must be set', () => {
  const made = plans([{ name: 's', ...KAMBI, sourceMode: 'worker_proxy' }], { proxies: { worker_proxy: '$NOBODY' } })
  assert.deepEqual(
    made.faults.map(({ field }) => field),
    ['sources[0].proxy'],
  )
})

test('a source that lacks a variable or a file is planned, is off, and says all that it lacks', () => {
  const login = {
    url: 'https://l.example/',
    username: '$NOBODY',
    password: '$EMPTY',
    certFile: 'c.pem',
    keyFile: 'k.pem',
  }
  const sources = [
    SIMULATOR,
    { ...BETFAIR, session: undefined, appKey: '$NOBODY', login },
    { ...ODDS_API, apiKey: '$NOBODY' },
    { ...UOF, amqpUrl: '$NOBODY' },
    { ...UOF, amqpUrl: '$KEY' },
    { ...PINNACLE, caFile: 'none.pem' },
    { ...FILE, receivedAt: 'yesterday', fixtures: 'none.json' },
  ]
  const { plans: made, faults } = plans(sources.map((source, n) => ({ name: `s${n}`, ...source })))
  assert.deepEqual(
    faults.map(({ source, field, cause }) => `${source} ${field} ${cause}`),
    [
      ...['appKey', 'login.username', 'login.password'].map((field) => `s1 sources[1].${field} secret`),
      ...['login.certFile', 'login.keyFile'].map((field) => `s1 sources[1].${field} file`),
      ...['s2 sources[2].apiKey secret', 's3 sources[3].amqpUrl secret', 's4 sources[4].amqpUrl secret'],
      ...['s5 sources[5].caFile file', 's6 sources[6].receivedAt null', 's6 sources[6].fixtures file'],
    ],
  )
  assert.deepEqual(
    made.map(({ terms, off = null }) => [terms.name, off]),
    [
      ['s0', null],
      ['s1', 'secret'],
      ['s2', 'secret'],
      ['s3', 'secret'],
      ['s4', 'secret'],
      ['s5', 'file'],
    ],
  )
  assert.equal(made[2]!.never, 'is off: apiKey $NOBODY is not set in the environment, nor in .env')
  assert.match(made[1]!.never!, /^is off: appKey \$NOBODY is not set .*; login\.keyFile k\.pem cannot be read/)
})

test('what is not set is found also in a source whose settings cannot be read', () => {
  const odd = { ...ODDS_API, apiKey: '$NOBODY', pace: 1, credential: { header: 'X', value: '$EMPTY' } }
  const file = parseFeeds(
    JSON.stringify({
      sources: [
        { name: 's', ...odd },
        { name: 't', ...odd, sourceMode: 'disabled' },
      ],
    }),
  )
  assert.equal(file.faults.length, 2)
  const { faults } = plansOf(file, {
    ...{ path: '', secretOf: (name) => SECRETS[name], sourceModeOf: () => undefined, skewMsMax: 1 },
    limits: { lineBytesMax: 1, documentBytesMax: 1, pricesMax: 1, textLengthMax: 1 },
  })
  assert.deepEqual(
    faults.map(({ field }) => field),
    ['sources[0].apiKey', 'sources[0].credential.value'],
  )
})

test('a file or a broker may be given the odds format and the names that its payloads lack', async () => {
  for (const [source, path, odds] of [
    [{ format: 'the-odds-api-csv', oddsFormat: 'american' }, 'the-odds-api/american.csv', 1.667],
    [{ format: 'betfair', fixtures: join(ROOT, 'fixtures/betfair/fixtures.json') }, 'betfair/unnamed.jsonl', 2.12],
  ] as const) {
    const board = new SaidBoard()
    const told: string[] = []
    const connector = planOf({ ...FILE, ...source, path: join(ROOT, 'fixtures', path) }).connect({
      name: 's',
      account: new Account(),
      now: () => 0,
      chance: () => 0,
      producer: board.producer,
      alive: () => {},
      log: (_level, message) => void told.push(message),
      onMalformed: (place, reason) => assert.fail(`${place} ${reason}`),
    })
    assert.equal(await connector.refresh(), undefined)
    await connector.stop()
    assert.equal(board.observations[0]!.prices[0]!.odds, odds)
    assert.deepEqual(told, [])
  }
  planOf({ ...STOMP, format: 'the-odds-api-csv', oddsFormat: 'decimal' })
  planOf({ ...STOMP, format: 'the-odds-api', oddsFormat: 'american' })
  planOf({ ...STOMP, format: 'uof', fixtures: join(ROOT, 'fixtures/betfair/fixtures.json') })
})
