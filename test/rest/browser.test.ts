// REST for pages in browsers: CORS by --origins, also on refusals, and gzip for those that take it.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import * as clock from '../../src/clock.ts'
import { LIMITS } from '../../src/limits.ts'
import { Metrics } from '../../src/metrics.ts'
import { Compressor } from '../../src/rest/compressor.ts'
import { takesGzip } from '../../src/rest/content-coding.ts'
import { publicReply } from '../../src/rest/reply.ts'
import { HttpServer } from '../../src/server/http-server.ts'
import type { Broker } from '../../src/stomp/broker.ts'
import { Connections } from '../../src/stomp/connections.ts'
import { isOriginAllowed } from '../../src/stomp/websocket.ts'
import { until } from '../feeds/waiting.ts'
import { CONNECTION_LIMITS } from '../listeners.ts'
import { done, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'

const APP = 'https://app.example.com'
const folder = newFolder()
let service: RunningService
let desk: string
let two: string

before(async () => {
  const observedAt = new Date(clock.now() - 60_000).toISOString()
  const recording = join(folder.path, 'observations.jsonl')
  const event = (n: number) =>
    JSON.stringify({
      ...{ bookmaker: 'northbank', transport: 'rest', observedAt },
      event: {
        sport: 'football',
        home: `H${n}`,
        away: `A${n}`,
        league: { key: 'l', name: 'L' },
        kickoffAt: observedAt,
      },
      quotes: [{ type: 'match_result_1x2', outcome: 'home', odds: 2 }],
    })
  writeFileSync(recording, Array.from({ length: 60 }, (_, n) => event(n)).join('\n'))
  const coverage = writeCoverage(folder.path, [['northbank', 'verified_rest_live', true, true]])
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  desk = done(folder.path, 'key', 'create', '--org', 'desk')
  done(folder.path, 'plan', 'set', 'two', '--hourly', '1', '--monthly', '0')
  done(folder.path, 'org', 'create', 'two', '--plan', 'two')
  two = done(folder.path, 'key', 'create', '--org', 'two')
  service = await startService(
    folder.path,
    ...['--coverage', coverage, '--replay', recording, '--format', 'observations', '--log-level', 'error'],
    ...['--origins', `${APP}, http://localhost:3000`],
  )
})

after(async () => {
  await service?.stop()
  folder.remove()
})

interface Raw {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** As it is on the wire: fetch would unpack it, and may not send Origin. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> =>
  new Promise((resolve, reject) => {
    const asked = request(`http://127.0.0.1:${service.port}${path}`, { method, headers, agent: false }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(parts) }),
      )
    })
    asked.on('error', reject).end()
  })

const authorization = (key: string) => ({ authorization: `Bearer ${key}` })

const allowed = ({ headers }: Raw): string | undefined => headers['access-control-allow-origin']

test('a preflight is answered for every path, to pages of --origins only', async () => {
  const preflight = (path: string, origin: string) =>
    ask(
      path,
      { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
      'OPTIONS',
    )
  for (const path of ['/api/v1/events', '/api/v1/events/1/odds', '/api/v1/spec', '/nowhere']) {
    for (const origin of [APP, 'http://localhost:3000']) {
      const answer = await preflight(path, origin)
      assert.equal(answer.status, 204, path)
      assert.equal(answer.body.length, 0)
      assert.equal(answer.headers['content-length'], undefined)
      assert.equal(allowed(answer), origin)
      assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD, OPTIONS')
      for (const header of ['authorization', 'x-api-key', 'if-none-match']) {
        assert(answer.headers['access-control-allow-headers']!.toLowerCase().split(', ').includes(header), header)
      }
      assert(Number(answer.headers['access-control-max-age']) >= 600)
      assert.equal(answer.headers.vary, 'Origin')
      assert.equal(answer.headers['access-control-allow-credentials'], undefined)
    }
    for (const origin of ['https://evil.example', 'null', `${APP}:8443`, APP.toUpperCase(), '*']) {
      const answer = await preflight(path, origin)
      assert.equal(answer.status, 204)
      assert.equal(allowed(answer), undefined, origin)
      assert.equal(answer.headers['access-control-allow-methods'], undefined)
      assert.equal(answer.headers.vary, 'Origin')
    }
  }
  const plain = await ask('/api/v1/sports', {}, 'OPTIONS')
  assert.deepEqual([plain.status, plain.headers.allow], [204, 'GET, HEAD, OPTIONS'])
  const withBody = await ask('/api/v1/sports', { 'content-length': '2' }, 'OPTIONS').catch(() => undefined)
  assert(withBody === undefined || withBody.status === 400)
})

test('a page reads answers and refusals with the headers that it needs; others get no permission', async () => {
  const odds = '/api/v1/events/1/odds'
  const asked: [status: number, path: string, headers: Record<string, string>][] = [
    [200, '/api/v1/events', authorization(desk)],
    [400, '/api/v1/events?limit=0', authorization(desk)],
    [401, '/api/v1/events', {}],
    [403, '/api/v1/events?transport=live', authorization(two)],
    [404, odds, authorization(desk)],
    [404, '/nowhere', {}],
    [429, '/api/v1/events', authorization(two)],
    [200, '/docs/errors', {}],
  ]
  for (const [status, path, headers] of asked) {
    const answer = await ask(path, { ...headers, origin: APP })
    assert.equal(answer.status, status, path)
    assert.equal(allowed(answer), APP, path)
    const exposed = answer.headers['access-control-expose-headers']!.toLowerCase().split(', ')
    for (const header of [
      'etag',
      'x-odds-seq',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'retry-after',
    ]) {
      assert(exposed.includes(header), header)
    }
    for (const origin of ['https://evil.example', undefined]) {
      const other = await ask(path, { ...headers, ...(origin === undefined ? {} : { origin }) })
      assert.equal(allowed(other), undefined, path)
      assert.equal(other.headers['access-control-expose-headers'], undefined)
      assert(other.headers.vary!.split(', ').includes('Origin'), path)
    }
  }
  const { etag } = (await ask('/api/v1/events', authorization(desk))).headers
  const same = await ask('/api/v1/events', { ...authorization(desk), origin: APP, 'if-none-match': etag! })
  assert.deepEqual([same.status, allowed(same)], [304, APP])
  for (const origin of [APP, 'https://evil.example']) {
    const spec = await ask('/api/v1/spec', { origin })
    assert.equal(allowed(spec), '*', 'the contract is for all, and says so once')
    assert.equal(spec.headers['access-control-expose-headers'], 'ETag')
    assert.equal(spec.headers.vary, 'Accept-Encoding')
  }
})

test('with *, any page may read that the service is not ready; WebSockets follow the same list', async () => {
  const server = await HttpServer.listen({
    bodyBytesNow: LIMITS.bodyBytesNow,
    answer: () => undefined,
    isReady: () => false,
    metrics: new Metrics(),
    host: '127.0.0.1',
    port: 0,
    tls: null,
    connections: new Connections(CONNECTION_LIMITS),
    live: {
      broker: { isOpen: false, useRooms: () => {} } as unknown as Broker,
      limits: LIMITS,
      origins: ['*'],
      compresses: false,
      isOpen: () => false,
    },
  })
  assert(!('busyPort' in server))
  try {
    const refused = await fetch(`http://127.0.0.1:${server.port}/api/v1/sports`, { headers: { origin: APP } })
    assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [503, '*'])
    assert(refused.headers.get('access-control-expose-headers')!.includes('Retry-After'))
    const preflight = await fetch(`http://127.0.0.1:${server.port}/api/v1/sports`, {
      method: 'OPTIONS',
      headers: { origin: 'null' },
    })
    assert.deepEqual([preflight.status, preflight.headers.get('access-control-allow-origin')], [204, '*'])
  } finally {
    server.close()
  }
  for (const [origin, list, isAllowed] of [
    ['', [APP], true],
    [APP, [], true],
    [APP, ['*'], true],
    [APP, [APP], true],
    ['https://evil.example', [APP], false],
  ] as const) {
    assert.equal(isOriginAllowed(origin, list), isAllowed, `${origin} of ${list}`)
  }
})

/** Asks until the answer is in gzip. */
const askForGzip = async (path: string, headers: Record<string, string>): Promise<Raw> => {
  let answer: Raw | undefined
  await until(`${path} in gzip`, async () => {
    answer = await ask(path, headers)
    return answer.headers['content-encoding'] !== undefined
  })
  return answer!
}

test('what is large is in gzip for those that take it, with a tag of its own', async () => {
  for (const [path, key] of [
    ['/api/v1/events', authorization(desk)],
    ['/api/v1/spec', {}],
    ['/asyncapi.json', {}],
    ['/docs/errors', {}],
  ] as const) {
    const plain = await ask(path, key)
    const first = await ask(path, { ...key, 'accept-encoding': 'gzip' })
    assert.equal(first.headers['content-encoding'], undefined, 'the first one does not wait')
    assert.deepEqual(first.body, plain.body)
    const gzip = await askForGzip(path, { ...key, 'accept-encoding': 'br, gzip;q=0.8' })
    assert.equal(gzip.headers['content-encoding'], 'gzip')
    assert.equal(gzip.headers['content-length'], String(gzip.body.length))
    assert(gzip.body.length < plain.body.length / 2)
    assert.deepEqual(gunzipSync(gzip.body), plain.body)
    assert(gzip.headers.vary!.split(', ').includes('Accept-Encoding'))
    const [tag, gzipTag] = [plain.headers.etag!, gzip.headers.etag!]
    assert.equal(gzipTag, tag.replace(/"$/, '-gzip"'))
    const head = await ask(path, { ...key, 'accept-encoding': 'gzip' }, 'HEAD')
    assert.deepEqual(
      ['content-encoding', 'content-length', 'etag'].map((name) => head.headers[name]),
      ['gzip', String(gzip.body.length), gzipTag],
    )
    for (const asked of [tag, gzipTag, `W/${gzipTag}`, '*']) {
      const same = await ask(path, { ...key, 'accept-encoding': 'gzip', 'if-none-match': asked })
      assert.deepEqual([same.status, same.body.length], [304, 0], asked)
      assert.equal(same.headers.etag, asked === tag ? tag : gzipTag)
      assert.equal(same.headers['content-encoding'], undefined)
    }
    for (const accept of ['identity', 'gzip;q=0', 'deflate, br', '', 'gzip;q=0.5, identity']) {
      const identity = await ask(path, { ...key, 'accept-encoding': accept })
      assert.deepEqual([identity.headers['content-encoding'], identity.headers.etag], [undefined, tag], accept)
      assert.deepEqual(identity.body, plain.body)
      const other = await ask(path, { ...key, 'accept-encoding': accept, 'if-none-match': gzipTag })
      assert.equal(other.status, 200, 'it may not have understood what it has')
    }
  }
})

test('gzip forms count as octets of the cache', async () => {
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${service.admin}/metrics`)).text()
    return Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)![1])
  }
  const plain = await ask('/api/v1/events?limit=55', authorization(desk))
  const [bytes, count] = [await metric('oddswire_reply_cache_bytes'), await metric('oddswire_replies_compressed_total')]
  const { body } = await askForGzip('/api/v1/events?limit=55', { ...authorization(desk), 'accept-encoding': 'gzip' })
  assert.equal(await metric('oddswire_replies_compressed_total'), count + 1)
  const more = (await metric('oddswire_reply_cache_bytes')) - bytes
  assert(more >= body.length && more <= body.length + 2_048, `${more} for ${body.length} of ${plain.body.length}`)
})

test('Accept-Encoding by RFC 9110', () => {
  for (const [value, takes] of [
    ['gzip', true],
    ['GZip', true],
    ['x-gzip', true],
    ['gzip, deflate, br, zstd', true],
    ['deflate, gzip;q=1.0, *;q=0.5', true],
    ['compress;q=0.5,\tgzip; q=1', true],
    ['*', true],
    ['*;q=0.001', true],
    ['gzip;q=0.5', true],
    [', gzip,', true],
    ['', false],
    ['identity', false],
    ['*;q=0', false],
    ['gzip;q=0', false],
    ['gzip;q=0.000', false],
    ['gzip;q=0, *', false],
    ['br, deflate', false],
    ['identity;q=0.5, gzip;q=0.4', false],
    ['identity, *;q=0.9', false],
    ['gzip;q=2', false],
    ['gzip;q=0.1234', false],
    ['gzip;level=9', false],
    ['gzip;q=1;q=0', false],
    ['gzipped', false],
    [`${'a,'.repeat(100)}gzip`, true],
  ] as const) {
    assert.equal(takesGzip(value), takes, value)
    assert.equal(takesGzip(value), takes, `${value}, remembered`)
  }
})

test('a reply is compressed once, when it is asked for again, within its bounds and its share of time', () => {
  const under: ((compressed: Buffer | undefined) => void)[] = []
  let nowMs = 0
  const compressor = new Compressor({
    bytesMin: LIMITS.gzipBytesMin,
    bytesMax: LIMITS.gzipBytesMin + 10,
    rest: LIMITS.gzipRest,
    elapsedMs: () => nowMs,
    compress: (_body, done) => under.push(done),
  })
  const replyOf = (length: number) => publicReply('x'.repeat(length), 'text/plain', [], false)
  for (const [length, covers] of [
    [LIMITS.gzipBytesMin - 1, false],
    [LIMITS.gzipBytesMin, true],
    [LIMITS.gzipBytesMin + 10, true],
    [LIMITS.gzipBytesMin + 11, false],
  ] as const) {
    assert.equal(compressor.covers(replyOf(length)), covers, String(length))
  }
  const [first, second] = [replyOf(LIMITS.gzipBytesMin), replyOf(LIMITS.gzipBytesMin + 1)]
  const finished: unknown[] = []
  const note = (reply: typeof first): void => compressor.note(reply, () => finished.push(reply))
  note(first)
  assert.equal(under.length, 0, 'asked for once')
  for (let times = 0; times < 3; times++) note(first)
  note(second)
  note(second)
  assert.equal(under.length, 1, 'one at a time')
  nowMs = 10
  under[0]!(Buffer.from('short'))
  assert.deepEqual(finished, [first])
  assert.equal(first.gzip!.body.toString(), 'short')
  nowMs = 10 + LIMITS.gzipRest * 10 - 1
  note(second)
  assert.equal(under.length, 1, 'it rests')
  nowMs++
  note(second)
  assert.equal(under.length, 2)
  under[1]!(undefined)
  assert.equal(second.gzip, undefined, 'a fault leaves it as it is')
})
