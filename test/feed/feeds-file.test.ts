// The configuration of sources: what the smallest of each kind is, how it is filled in, and where a fault is said to be.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { type FeedsFile, feedsSchema, parseFeeds } from '../../src/feed/feeds-file.ts'
import { ROOT } from '../root.ts'

/** The least that a source of each kind needs. */
const LEAST = {
  kambi: { baseUrl: 'https://kambi.example/', operator: 'ub' },
  pinnacle: { baseUrl: 'https://p.example/', groups: [{ name: 'g', matchups: 'm', straight: 's' }] },
  'the-odds-api': { apiKey: '$KEY', sports: [{ key: 'soccer_epl' }] },
  betfair: { appKey: '$APP' },
  uof: { amqpUrl: '$URL', apiToken: '$TOKEN' },
  stomp: { addresses: ['stomp://broker.example:61613'], destinations: ['/queue/odds'] },
  file: { path: 'odds.csv', format: 'the-odds-api-csv' },
  simulator: {},
  cloudbet: { apiKey: '$KEY', competitions: [{ key: 'soccer-england-premier-league' }] },
} as const

const KINDS = Object.keys(LEAST) as (keyof typeof LEAST)[]

const least = (kind: keyof typeof LEAST, over: object = {}): Record<string, unknown> => ({
  name: kind,
  kind,
  ...LEAST[kind],
  ...over,
})

const textOf = (...sources: unknown[]): string => JSON.stringify({ sources })

const parsed = (text: string): FeedsFile => {
  const file = parseFeeds(text)
  assert.deepEqual(file.faults, [])
  return file
}

const faults = (text: string): string[] => {
  const file = parseFeeds(text)
  assert.ok(file.faults.length > 0, `accepted: ${text}`)
  return file.faults.map(({ field, message }) => {
    assert.notEqual(message, '')
    assert.ok(!message.includes('undefined'), message)
    return `${field}: ${message}`
  })
}

const fault = (text: string): string => {
  const [only, ...others] = faults(text)
  assert.deepEqual(others, [], text)
  return only!
}

test('the least of each kind is accepted, and filled in', () => {
  const { sources, proxies, verification } = parsed(textOf(...KINDS.map((kind) => least(kind))))
  assert.deepEqual(
    sources.map(({ kind }) => kind),
    KINDS,
  )
  for (const source of sources) {
    assert.equal(source.pricesPerSecond, 50_000)
    assert.equal(source.pricesBurst, 200_000)
    assert.equal(source.lateSeconds, undefined)
    assert.equal(source.suspendSeconds, undefined)
  }
  assert.deepEqual(proxies, {})
  assert.equal(verification, null)
  const [, pinnacle, , betfair, uof, stomp] = sources
  assert.ok(pinnacle?.kind === 'pinnacle' && pinnacle.groups[0]?.complete === true, 'members of members are, too')
  assert.ok(betfair?.kind === 'betfair' && betfair.port === 443 && betfair.catalogueUrl?.startsWith('https://'))
  assert.ok(uof?.kind === 'uof' && uof.products.length === 2)
  assert.ok(stomp?.kind === 'stomp' && stomp.ack === 'client-individual' && stomp.quietIsHealthy)
  assert.deepEqual(parsed('{"sources":[],"verification":{}}').verification, {
    everyHours: 24,
    failuresMax: 2,
    onFailure: 'source_limited',
  })
})

test('every fault names its field', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /^file: is not JSON/],
    ['[]', /^file: /],
    ['null', /^file: /],
    ['{}', /^sources: is missing$/],
    ['{"sources":{}}', /^sources: /],
    ['{"sources":[],"verify":{}}', /^verify: is not known here$/],
    ['{"sources":[],"proxies":{"direct":"http://x"}}', /^proxies\.direct: is not known here$/],
    ['{"sources":[],"verification":{"onFailure":"verified_rest_live"}}', /^verification\.onFailure: must be one of /],
    [textOf(7), /^sources\[0\]\.kind: must be one of the-odds-api, /],
    [textOf({ name: 'a' }), /^sources\[0\]\.kind: /],
    [textOf({ name: 'a', kind: 'toString' }), /^sources\[0\]\.kind: /],
    [textOf({ ...least('file'), name: undefined }), /^sources\[0\]\.name: is missing$/],
    [textOf(least('file', { name: 'Über' })), /^sources\[0\]\.name: must match /],
    [textOf(least('file'), least('file')), /^sources\[1\]\.name: repeats file$/],
    ['{\n  "sources": [\n    {}}\n', /^file: is not JSON: .*\(line 3, column 7\)$/],
    [textOf(least('file', { pace: 3 })), /^sources\[0\]\.pace: is not known here$/],
    [textOf(least('file', { format: 'xml' })), /^sources\[0\]\.format: must be one of the-odds-api-csv, /],
    [textOf(least('file', { speed: 0 })), /^sources\[0\]\.speed: /],
    [textOf(least('file', { transport: 'push' })), /^sources\[0\]\.transport: must be one of /],
    [textOf(least('file', { suspendSeconds: -1 })), /^sources\[0\]\.suspendSeconds: /],
    [textOf(least('file', { suspendSeconds: 'never' })), /^sources\[0\]\.suspendSeconds: /],
    [textOf(least('file', { lateSeconds: 9, downSeconds: 3 })), /^sources\[0\]\.lateSeconds: must not be longer/],
    [textOf(least('file', { pricesPerSecond: 0 })), /^sources\[0\]\.pricesPerSecond: /],
    [textOf(least('file', { pricesPerSecond: 1.5 })), /^sources\[0\]\.pricesPerSecond: /],
    [textOf(least('file', { bookmaker: 'Bet 365' })), /^sources\[0\]\.bookmaker: must match /],
    [textOf(least('kambi', { lists: [{ intervalSeconds: 5 }] })), /^sources\[0\]\.lists\[0\]\.path: is missing$/],
    [
      textOf(least('kambi', { lists: [{ path: 'x', every: 5 }] })),
      /^sources\[0\]\.lists\[0\]\.every: is not known here$/,
    ],
    [textOf(least('kambi', { event: { intervalSeconds: 0 } })), /^sources\[0\]\.event\.intervalSeconds: /],
    [textOf(least('kambi', { baseUrl: 'ftp://kambi.example/' })), /^sources\[0\]\.baseUrl: must match /],
    [textOf(least('kambi', { sourceMode: 'proxy' })), /^sources\[0\]\.sourceMode: must be one of direct, /],
    [textOf(least('pinnacle', { groups: [] })), /^sources\[0\]\.groups: /],
    [textOf(least('the-odds-api', { creditsResetDay: 31 })), /^sources\[0\]\.creditsResetDay: /],
    [
      textOf(least('the-odds-api', { bookmaker: 'x' })),
      /^sources\[0\]\.bookmaker: is not known here; did you mean "bookmakers"\?$/,
    ],
    [textOf(least('betfair', { heartbeatSeconds: 6 })), /^sources\[0\]\.heartbeatSeconds: /],
    [
      textOf(least('betfair', { marketFilter: { raceTypes: [] } })),
      /^sources\[0\]\.marketFilter\.raceTypes: is not known/,
    ],
    [textOf(least('stomp', { addresses: [] })), /^sources\[0\]\.addresses: /],
    [textOf(least('stomp', { addresses: ['amqp://x'] })), /^sources\[0\]\.addresses\[0\]: must match /],
    [textOf(least('stomp', { onMalformed: 'drop' })), /^sources\[0\]\.onMalformed: must be one of ack, nack$/],
    [textOf(least('uof', { products: [{ id: 1 }] })), /^sources\[0\]\.products\[0\]\.name: is missing$/],
  ]
  for (const [text, expected] of cases) assert.match(fault(text), expected, text)
})

test('all faults are reported at once, each with its field, and with what was probably meant', () => {
  const text = textOf(
    least('kambi', {
      ...{ operator: undefined, operater: 'ub', sourceMode: 'dirct', suspendSeconds: 'x', color: 'red' },
      ...{
        lists: [
          { path: 7, interval: 5 },
          { path: 'x', every: 1 },
        ],
        baseUrl: 'kambi.example',
      },
      ...{ event: { intervalSeconds: 0, liveInterval: 3 } },
    }),
    { name: 'b', kind: 'the_odds_api' },
    { name: 'b', kind: 'pinacle' },
    { name: 'c' },
    least('stomp', { onMalformed: 'akc', pricesPerSecond: 0 }),
    ...Array.from({ length: 20 }, (_, n) => least('file', { name: `f${n}`, pace: 3 })),
  )
  const said = faults(text.replace('{"sources"', '{"proxys":{},"verification":{"everyHour":1},"sources"'))
  const kinds = 'the-odds-api, betfair, kambi, pinnacle, cloudbet, uof, stomp, simulator, file'
  assert.deepEqual(said.slice(0, -20).toSorted(), [
    'proxys: is not known here; did you mean "proxies"?',
    'sources[0].baseUrl: must match ^(https?)://[^\\s]+$ (https://HOST/offering/v2018/)',
    'sources[0].color: is not known here',
    'sources[0].event.intervalSeconds: must be >= 1',
    'sources[0].event.liveInterval: is not known here; did you mean "liveIntervalSeconds"?',
    'sources[0].lists[0].interval: is not known here; did you mean "intervalSeconds"?',
    'sources[0].lists[0].path: must be string',
    'sources[0].lists[1].every: is not known here',
    'sources[0].operater: is not known here; did you mean "operator"?',
    `sources[0].sourceMode: must be one of direct, worker_proxy, sidecar_proxy, cdp_proxy, credential_required, disabled; did you mean "direct"?`,
    'sources[0].suspendSeconds: must be number',
    `sources[1].kind: must be one of ${kinds}; did you mean "the-odds-api"?`,
    `sources[2].kind: must be one of ${kinds}; did you mean "pinnacle"?`,
    'sources[2].name: repeats b',
    `sources[3].kind: must be one of ${kinds}`,
    'sources[4].onMalformed: must be one of ack, nack; did you mean "ack"?',
    'sources[4].pricesPerSecond: must be >= 1',
    'verification.everyHour: is not known here; did you mean "everyHours"?',
  ])
  assert.equal(said.at(-1), 'sources[24].pace: is not known here')
})

test('the file holds no secrets', () => {
  const cases: readonly (readonly [string, Record<string, unknown>])[] = [
    ['apiKey', least('the-odds-api', { apiKey: 'abcdef' })],
    ['appKey', least('betfair', { appKey: '$app' })],
    ['session', least('betfair', { session: 'token' })],
    ['login.password', least('betfair', { login: { url: 'https://x.example/', username: '$U', password: 'geheim' } })],
    ['amqpUrl', least('uof', { amqpUrl: 'amqps://token@mq.example/unifiedfeed' })],
    ['apiToken', least('uof', { apiToken: '$TOKEN ' })],
    ['passcode', least('stomp', { passcode: '' })],
    ['credential.value', least('pinnacle', { credential: { header: 'X-Key', value: 'abc' } })],
    ['proxy', least('kambi', { proxy: 'http://user:password@proxy.example' })],
  ]
  for (const [field, source] of cases) {
    const said = fault(textOf(source))
    assert.ok(said.startsWith(`sources[0].${field}: must be the name of a variable`), said)
    for (const secret of ['abcdef', 'geheim', 'token@', 'password@']) assert.ok(!said.includes(secret), said)
  }
  parsed(textOf(least('kambi', { proxy: 'http://proxy.example:3128' })))
  parsed(textOf(least('kambi', { proxy: '$PROXY' })))
})

test('what comes in is not changed, and what is given is kept', () => {
  const source = least('kambi', {
    suspendSeconds: null,
    lateSeconds: 3,
    downSeconds: 3,
    event: { intervalSeconds: 12 },
    caFile: 'ca.pem',
  })
  const [kambi] = parsed(JSON.stringify({ $schema: './feeds.schema.json', sources: [source] })).sources
  assert.ok(kambi?.kind === 'kambi')
  assert.equal(kambi.suspendSeconds, null)
  assert.equal(kambi.lateSeconds, 3)
  assert.deepEqual(
    { ...kambi.event },
    {
      path: '{operator}/betoffer/event/{id}.json?lang=en_GB',
      intervalSeconds: 12,
      liveIntervalSeconds: 10,
    },
  )
})

const ajv = new Ajv2020({ strict: false, allErrors: true })
const validate = ajv.compile(feedsSchema())
const isValid = (text: string): string => {
  validate(JSON.parse(text))
  return ajv.errorsText(validate.errors?.slice(0, 3))
}

test('the schema refuses what is refused here', () => {
  for (const text of [
    '{}',
    '{"sources":[],"verify":{}}',
    textOf(least('file', { pace: 3 })),
    textOf(least('the-odds-api', { apiKey: 'abcdef' })),
    textOf({ name: 'a', kind: 'nobody' }),
  ]) {
    fault(text)
    assert.notEqual(isValid(text), 'No errors', text)
  }
})

test('the schema accepts what is accepted here: the least of each kind, and the example', () => {
  for (const kind of KINDS) {
    const text = textOf(least(kind))
    parsed(text)
    assert.equal(isValid(text), 'No errors', kind)
  }
  const example = readFileSync(join(ROOT, 'examples', 'feeds.json'), 'utf8')
  assert.ok(parsed(example).sources.length > 0)
  assert.equal(isValid(example), 'No errors')
})
