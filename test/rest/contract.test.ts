// The contract: what the running service answers is what its own document says, operation by operation.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import * as clock from '../../src/clock.ts'
import { COVERAGE_STATUSES, SOURCE_MODES } from '../../src/domain/coverage.ts'
import { MARKET_TYPES } from '../../src/domain/market.ts'
import { REFUSAL_STATUS } from '../../src/domain/refusal.ts'
import { SPORTS } from '../../src/domain/sport.ts'
import {
  type Answer,
  done,
  get,
  type Json,
  list,
  newFolder,
  type RunningService,
  startService,
  writeCoverage,
} from '../service.ts'

const folder = newFolder()
let service: RunningService
let document: Json
let ajv: Ajv2020
const keys: Record<string, string> = {}
let eventId: string

before(async () => {
  const observedAt = new Date(clock.now() - 60_000).toISOString()
  const observation = (bookmaker: string, sport: string, quotes: object[]) =>
    JSON.stringify({
      ...{ bookmaker, transport: 'both', observedAt, quotes },
      event: {
        ...{ sport, home: 'Harbour Town', away: 'Ærø "1"', kickoffAt: observedAt },
        league: { key: 'l_1', name: 'League 1' },
      },
    })
  const recording = join(folder.path, 'observations.jsonl')
  const quotes = [
    { type: 'total_goals', line: 2.5, outcome: 'under', odds: 1.95 },
    { type: 'total_goals', line: 2.5, outcome: 'over', odds: 1.9 },
    { type: 'match_result_1x2', outcome: 'away', odds: 3.65 },
    { type: 'match_result_1x2', outcome: 'home', odds: 2.1 },
    { type: 'match_result_1x2', outcome: 'draw', odds: 3.4, status: 'suspended' },
    { type: 'total_goals', line: -0, outcome: 'over', odds: 1.01 },
  ]
  writeFileSync(
    recording,
    [
      observation('zebra', 'football', quotes),
      observation('northbank', 'football', quotes.slice(0, 4)),
      observation('northbank', 'tennis', [{ type: 'match_winner', outcome: 'home', odds: 1.5 }]),
    ].join('\n'),
  )
  const coverage = writeCoverage(folder.path, [
    ['northbank', 'verified_rest_live', true, true],
    ['zebra', 'verified_rest_only', true, false, ['football']],
  ])
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  done(folder.path, 'org', 'create', 'starter', '--plan', 'starter')
  done(folder.path, 'org', 'create', 'empty', '--plan', 'desk', '--bookmakers', 'nobody')
  done(folder.path, 'plan', 'set', 'two', '--hourly', '2', '--monthly', '0')
  done(folder.path, 'org', 'create', 'two', '--plan', 'two')
  keys.desk = done(folder.path, 'key', 'create', '--org', 'desk')
  keys.starter = done(folder.path, 'key', 'create', '--org', 'starter')
  keys.empty = done(folder.path, 'key', 'create', '--org', 'empty')
  keys.two = done(folder.path, 'key', 'create', '--org', 'two')
  keys.tennis = done(folder.path, 'key', 'create', '--org', 'desk', '--sports', 'tennis')
  service = await startService(
    folder.path,
    ...['--coverage', coverage, '--replay', recording, '--format', 'observations', '--log-level', 'error'],
  )
  document = (await get(service, '/spec')).body
  ajv = new Ajv2020({ strict: false, allErrors: true })
  ajvFormats.default(ajv)
  ajv.addSchema({ $id: 'doc', ...(document as object) })
  const events = await get(service, '/events?sport=football', keys.desk)
  eventId = String(events.body.data?.[0]?.id)
})

after(async () => {
  await service?.stop()
  folder.remove()
})

const dereference = (node: Json): Json => {
  const reference = node.$ref as unknown as string | undefined
  if (reference === undefined) return node
  return reference
    .slice(2)
    .split('/')
    .reduce((at, part) => at[part]!, document)
}

/** Checks an answer against the document: the status is listed, the body fits, its headers are there. */
const checkAnswer = (path: string, answer: Answer, at: string): void => {
  const response = document.paths?.[path]?.get?.responses?.[String(answer.status)]
  assert(response !== undefined, `${at}: the document has no ${answer.status} for ${path}`)
  const schema = dereference(response).content?.['application/json']?.schema
  assert(schema !== undefined, `${at}: no schema`)
  assert.equal(answer.headers.get('content-type'), 'application/json', at)
  const reference = schema.$ref as unknown as string
  const validate = ajv.getSchema(`doc${reference}`) ?? ajv.compile({ $ref: `doc${reference}` })
  assert(validate(answer.body), `${at}: ${ajv.errorsText(validate.errors)}: ${answer.text.slice(0, 300)}`)
}

test('the document itself is public, cacheable and readable from any origin', async () => {
  const answer = await get(service, '/spec')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('access-control-allow-origin'), '*')
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=300')
  assert.equal(String(document.openapi), '3.1.0')
  assert.equal(String(document.info?.version), '1.0.0')
  assert.deepEqual(list(document.paths?.['/spec']?.get?.security), [])
  const again = await get(service, '/spec', undefined, { 'if-none-match': answer.headers.get('etag')! })
  assert.equal(again.status, 304)
  assert.equal(again.headers.get('cache-control'), 'public, max-age=300')
})

test('its enumerations are those of the domain', () => {
  const schemas = document.components?.schemas as Json
  const enumOf = (node: Json | undefined) => node?.enum as unknown as string[]
  assert.deepEqual(enumOf(schemas.SportSlug), SPORTS)
  assert.deepEqual(enumOf(schemas.CoverageStatus), COVERAGE_STATUSES)
  assert.deepEqual(enumOf(schemas.MarketOdds?.properties?.type), MARKET_TYPES)
  assert.deepEqual(enumOf(schemas.OutcomeOdds?.properties?.status), ['open', 'suspended', 'closed'])
  assert.deepEqual(enumOf(schemas.BookmakerProductCoverage?.properties?.sourceMode), SOURCE_MODES)
  assert.deepEqual(enumOf(schemas.Error?.properties?.error?.properties?.code), Object.keys(REFUSAL_STATUS))
})

test('it names the responses of docs/architecture.md 7.8 for every authenticated operation', () => {
  for (const path of ['/sports', '/events', '/events/{eventId}/odds', '/bookmakers']) {
    const responses = Object.keys(document.paths?.[path]?.get?.responses as object)
    const expected = ['200', '304', '400', '401', '403', '429', '503']
    if (path.includes('eventId')) expected.push('404')
    assert.deepEqual(responses.sort(), expected.sort(), path)
  }
  const stream = document.paths?.['/stream']?.get?.responses as Json
  assert.deepEqual(Object.keys(stream).sort(), ['200', '400', '401', '403', '429', '503'])
  assert.deepEqual(Object.keys(stream[200]?.content as object), ['text/event-stream'])
  const limited = document.components?.responses?.RateLimited
  assert.deepEqual(Object.keys(limited?.headers as object), [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Retry-After',
  ])
})

test('examples fit their schemas', () => {
  for (const [path, item] of Object.entries(document.paths as object)) {
    for (const response of Object.values((item as Json).get?.responses as object)) {
      const content = dereference(response as Json).content?.['application/json']
      if (content === undefined) continue
      const validate = ajv.compile({ $ref: `doc${content.schema?.$ref as unknown as string}` })
      for (const example of Object.values(content.examples as object)) {
        assert(validate((example as Json).value), `${path}: ${ajv.errorsText(validate.errors)}`)
      }
    }
  }
})

test('every operation answers as the document says, in success and in refusal', async () => {
  const odds = `/events/${eventId}/odds`
  const template = '/events/{eventId}/odds'
  const cases: readonly [path: string, template: string, key: string | undefined, status: number, code?: string][] = [
    ['/sports', '/sports', keys.desk, 200],
    ['/sports?transport=live&limit=1&offset=1', '/sports', keys.desk, 200],
    ['/events', '/events', keys.desk, 200],
    ['/events?sport=tennis&league=l_1&transport=live', '/events', keys.desk, 200],
    ['/events?offset=100', '/events', keys.desk, 200],
    [odds, template, keys.desk, 200],
    [`${odds}?bookmaker=zebra`, template, keys.desk, 200],
    [`${odds}?bookmaker=nobody&transport=live`, template, keys.desk, 200],
    ['/bookmakers', '/bookmakers', keys.desk, 200],
    ['/bookmakers?sport=tennis', '/bookmakers', keys.desk, 200],
    ['/bookmakers?sport=golf&offset=10', '/bookmakers', keys.desk, 200],
    ['/spec', '/spec', undefined, 200],
    ['/stream', '/stream', keys.desk, 400, 'validation_failed'],
    ['/stream?topic=odds', '/stream', undefined, 401, 'missing_api_key'],
    ['/stream?topic=odds', '/stream', keys.starter, 403, 'live_not_enabled'],
    ['/sports?limit=0', '/sports', keys.desk, 400, 'validation_failed'],
    ['/events?dateFrom=yesterday', '/events', keys.desk, 400, 'validation_failed'],
    ['/events/x/odds', template, keys.desk, 400, 'validation_failed'],
    ['/bookmakers?sport=chess', '/bookmakers', keys.desk, 400, 'validation_failed'],
    ['/sports', '/sports', undefined, 401, 'missing_api_key'],
    ['/events', '/events', 'odds_live_wrong', 401, 'invalid_api_key'],
    [odds, template, `${keys.desk!.slice(0, -1)}x`, 401, 'invalid_api_key'],
    ['/events?transport=live', '/events', keys.starter, 403, 'live_not_enabled'],
    ['/bookmakers', '/bookmakers', keys.tennis, 403, 'api_key_scope_denied'],
    [odds, template, keys.tennis, 403, 'api_key_scope_denied'],
    [odds, template, keys.empty, 403, 'forbidden'],
    ['/events/1/odds', template, keys.desk, 404, 'not_found'],
    ['/sports', '/sports', keys.two, 200],
    ['/bookmakers?limit=x', '/bookmakers', keys.two, 400, 'validation_failed'],
    ['/events', '/events', keys.two, 429, 'rate_limit_exceeded'],
    ['/bookmakers?limit=x', '/bookmakers', keys.two, 429, 'rate_limit_exceeded'],
  ]
  for (const [path, pathTemplate, key, status, code] of cases) {
    const answer = await get(service, path, key)
    const at = `${path} → ${answer.status}`
    assert.equal(answer.status, status, `${at}: ${answer.text}`)
    assert.equal(answer.body.error?.code, code, at)
    checkAnswer(pathTemplate, answer, at)
  }
})

test('odds come in the order of the design, exactly as the source gave them', async () => {
  const { body } = await get(service, `/events/${eventId}/odds`, keys.desk)
  const shape = list(body.data?.markets).map((market) => [
    market.type,
    market.line,
    list(market.bookmakers).map((book) => [
      book.slug,
      book.displayName,
      list(book.outcomes).map((outcome) => [outcome.outcome, outcome.odds]),
    ]),
  ])
  assert.deepEqual(shape, [
    [
      'match_result_1x2',
      null,
      [
        [
          'northbank',
          'NORTHBANK',
          [
            ['home', 2.1],
            ['away', 3.65],
          ],
        ],
        [
          'zebra',
          'ZEBRA',
          [
            ['home', 2.1],
            ['away', 3.65],
          ],
        ],
      ],
    ],
    ['total_goals', 0, [['zebra', 'ZEBRA', [['over', 1.01]]]]],
    [
      'total_goals',
      2.5,
      [
        [
          'northbank',
          'NORTHBANK',
          [
            ['over', 1.9],
            ['under', 1.95],
          ],
        ],
        [
          'zebra',
          'ZEBRA',
          [
            ['over', 1.9],
            ['under', 1.95],
          ],
        ],
      ],
    ],
  ])
  assert.equal(Number(body.data?.event?.marketCount), 3)
  assert.equal(String(body.data?.event?.awayTeam), 'Ærø "1"')
})

test('an ETag identifies its bytes: 304 while they are current, per caller', async () => {
  const first = await get(service, `/events/${eventId}/odds`, keys.desk)
  const etag = first.headers.get('etag')!
  assert.match(etag, /^"[^"]+"$/)
  for (const value of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const same = await get(service, `/events/${eventId}/odds`, keys.desk, { 'if-none-match': value })
    assert.equal(same.status, 304, value)
    assert.equal(same.text, '')
    assert.equal(same.headers.get('etag'), etag)
    assert.equal(same.headers.get('vary'), 'Authorization, X-Api-Key, Accept-Encoding, Origin')
  }
  const other = await get(service, `/events/${eventId}/odds`, keys.desk, { 'if-none-match': '"x"' })
  assert.equal(other.status, 200)
  assert.equal(other.text, first.text)
  assert.match(first.headers.get('x-odds-seq')!, /^[a-z0-9]+-\d+$/)
  assert.equal(first.headers.get('cache-control'), 'private, no-cache')
})

test('limits are on every authenticated answer, and on a refusal when to try again', async (t) => {
  // The windows are real ones: what begins in one hour must end in it.
  if (clock.now() % 3_600_000 > 3_600_000 - 60_000) return t.skip('less than a minute to the full hour')
  done(folder.path, 'plan', 'set', 'three', '--hourly', '3', '--monthly', '2', '--live', 'true')
  done(folder.path, 'org', 'create', 'three', '--plan', 'three')
  const key = done(folder.path, 'key', 'create', '--org', 'three')
  const facts = ({ headers }: Answer) =>
    ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`x-ratelimit-${name}`)))
  const now = new Date(clock.now())
  const monthEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1) / 1_000
  const first = await get(service, '/sports', key)
  const [limit, remaining, reset] = facts(first)
  assert.deepEqual([limit, remaining], [2, 1], 'the month has fewer left')
  assert.equal(reset, monthEnd)
  assert.deepEqual(facts(await get(service, '/events?limit=0', key)).slice(0, 2), [2, 0], 'a 400 counts')
  const quota = await get(service, '/sports', key)
  assert.equal(quota.status, 429)
  assert.match(String(quota.body.error?.message), /month/i)
  const live = await get(service, '/sports?transport=live', key)
  assert.equal(live.status, 200, 'live requests are not REST requests')
  assert.deepEqual(facts(live).slice(0, 2), [3, 0])
  const hour = await get(service, '/sports?transport=live', key)
  assert.equal(hour.status, 429)
  assert.match(String(hour.body.error?.message), /hour/i)
  const retryAfter = Number(hour.headers.get('retry-after'))
  assert(retryAfter >= 1 && retryAfter <= 3600)
  assert.equal(facts(hour)[1], 0)
  const unlimited = await get(service, '/sports', keys.desk)
  assert.equal(unlimited.headers.get('x-ratelimit-limit'), null)
})

test('HEAD answers as GET without a body; other methods and paths are refused before the credential', async () => {
  const url = `${service.api}/events/${eventId}/odds`
  const headers = { authorization: `Bearer ${keys.desk}` }
  const whole = await fetch(url, { headers })
  const head = await fetch(url, { method: 'HEAD', headers })
  assert.equal(head.status, 200)
  assert.equal(head.headers.get('content-length'), whole.headers.get('content-length'))
  assert.equal(head.headers.get('etag'), whole.headers.get('etag'))
  assert.equal(await head.text(), '')
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
    const refused = await fetch(`${service.api}/events`, { method })
    assert.equal(refused.status, 405, method)
    assert.equal(refused.headers.get('allow'), 'GET, HEAD, OPTIONS')
    assert.equal(((await refused.json()) as Json).error?.code, 'method_not_allowed')
  }
  for (const path of ['/events/', '/nothing', '/Events']) {
    const refused = await fetch(`${service.api}${path}`)
    assert.equal(refused.status, 404, path)
    assert.equal(((await refused.json()) as Json).error?.code, 'not_found')
  }
})

test('both credential headers are accepted, alone or agreeing', async () => {
  const status = async (headers: Record<string, string>) => {
    const response = await fetch(`${service.api}/sports`, { headers })
    return [response.status, ((await response.json()) as Json).error?.code]
  }
  const key = keys.desk!
  assert.deepEqual(await status({ 'x-api-key': key }), [200, undefined])
  assert.deepEqual(await status({ authorization: `bearer ${key}` }), [200, undefined])
  assert.deepEqual(await status({ authorization: `Bearer ${key}`, 'x-api-key': key }), [200, undefined])
  assert.deepEqual(await status({ authorization: `Bearer ${key}`, 'x-api-key': keys.starter! }), [
    401,
    'invalid_api_key',
  ])
  assert.deepEqual(await status({ authorization: `Basic ${key}` }), [401, 'invalid_api_key'])
  assert.deepEqual(await status({ authorization: `Bearer ${key}`, 'x-api-key': 'x' }), [401, 'invalid_api_key'])
  assert.deepEqual(await status({ 'x-api-key': '' }), [401, 'invalid_api_key'])
  assert.deepEqual(await status({ 'x-api-key': '\u00e9' }), [401, 'invalid_api_key'])
  assert.deepEqual(await status({}), [401, 'missing_api_key'])
})

test('the pages that refusals point to exist', async () => {
  for (const path of ['/', '/billing', '/docs/errors']) {
    const response = await fetch(`http://127.0.0.1:${service.port}${path}`)
    assert.equal(response.status, 200, path)
    assert.match(response.headers.get('content-type')!, /^text\/html/)
  }
})
