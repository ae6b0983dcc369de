// One GET: whatever a server or a proxy does, a value comes back, in time and within its bounds.

import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { now } from '../../../src/clock.ts'
import {
  type HttpAnswer,
  HttpClient,
  type HttpLimits,
  type SourceAccess,
  whyNeverPolled,
} from '../../../src/source/kit/http-client.ts'
import { certificate, DIRECT, say, type Script, ScriptedProxy, ScriptedSource } from './scripted-source.ts'

const LIMITS: HttpLimits = {
  connectMsMax: 2_000,
  headersMsMax: 2_000,
  bodyMsMax: 2_000,
  totalMsMax: 5_000,
  documentBytesMax: 100_000,
}

const NEVER = new AbortController().signal

interface Stand {
  readonly source: ScriptedSource
  readonly client: HttpClient
}

const stand = async (
  context: TestContext,
  script: Script,
  limits: Partial<HttpLimits> = {},
  access: Partial<SourceAccess> = {},
  tls?: { readonly cert: string; readonly key: string },
): Promise<Stand> => {
  const source = await new ScriptedSource(script, tls).start()
  const client = new HttpClient({ ...DIRECT, ...access }, { ...LIMITS, ...limits }, 2, now)
  context.after(async () => {
    await client.close()
    await source.stop()
  })
  return { source, client }
}

const get = async ({ source, client }: Stand, path = '/odds'): Promise<HttpAnswer> => {
  const answer = await client.get(new URL(path, source.origin), null, NEVER)
  assert(!('fault' in answer), JSON.stringify(answer))
  return answer
}

const faultOf = async ({ source, client }: Stand, path = '/odds'): Promise<string> => {
  const answer = await client.get(new URL(path, source.origin), null, NEVER)
  assert('fault' in answer, 'an answer was taken that should not be')
  return answer.fault
}

const BODY = JSON.stringify({ odds: Array.from({ length: 500 }, (_, index) => index) })

test('every encoding that is asked for is read', async (context) => {
  const encoded: readonly [string, Buffer][] = [
    ['identity', Buffer.from(BODY)],
    ['gzip', gzipSync(BODY)],
    ['br', brotliCompressSync(BODY)],
    ['deflate', deflateSync(BODY)],
    ['deflate', deflateRawSync(BODY)],
  ]
  const one = await stand(context, ({ number }, response) => {
    const [encoding, bytes] = encoded[number - 1]!
    say(response, bytes, { 'content-encoding': encoding })
  })
  for (const [encoding] of encoded) assert.equal((await get(one)).text, BODY, encoding)
  assert.equal(one.source.seen[0]!.headers['accept-encoding'], 'gzip, deflate, br')
  assert.equal(one.source.seen[0]!.headers['if-none-match'], undefined)
})

test('a byte order mark is no part of the text', async (context) => {
  const one = await stand(context, (_seen, response) => say(response, `\uFEFF${BODY}`))
  assert.equal((await get(one)).text, BODY)
})

test('validators make a GET conditional', async (context) => {
  const one = await stand(context, ({ number }, response) => {
    const validators = { etag: '"v1"', 'last-modified': 'Sun, 08 Mar 2026 12:00:00 GMT' }
    if (number === 1) say(response, BODY, validators)
    else response.writeHead(304).end()
  })
  const { validators } = await get(one)
  assert.deepEqual(validators, { etag: '"v1"', lastModified: 'Sun, 08 Mar 2026 12:00:00 GMT' })
  const again = await one.client.get(new URL('/odds', one.source.origin), validators, NEVER)
  assert(!('fault' in again))
  assert.deepEqual([again.status, again.text], [304, ''])
  const { headers } = one.source.seen[1]!
  assert.equal(headers['if-none-match'], '"v1"')
  assert.equal(headers['if-modified-since'], 'Sun, 08 Mar 2026 12:00:00 GMT')
})

test('a body is bounded, packed and unpacked, at N and not at N + 1', async (context) => {
  const bytesMax = 1_000
  const bodies = [bytesMax, bytesMax + 1].map((length) => 'x'.repeat(length))
  const one = await stand(
    context,
    ({ url }, response) => {
      const body = bodies[Number(url.at(-1))]!
      if (url.startsWith('/packed')) say(response, gzipSync(body), { 'content-encoding': 'gzip' })
      else say(response, body)
    },
    { documentBytesMax: bytesMax },
  )
  assert.equal((await get(one, '/plain/0')).text.length, bytesMax)
  assert.equal((await get(one, '/packed/0')).text.length, bytesMax)
  assert.equal(await faultOf(one, '/plain/1'), 'the answer is longer than 1000 bytes')
  assert.equal(await faultOf(one, '/packed/1'), 'the answer unpacks to more than 1000 bytes')
})

test('a bomb is not unpacked further than its bound', async (context) => {
  const bombs: Readonly<Record<string, Buffer>> = {
    gzip: gzipSync(Buffer.alloc(2 ** 26)),
    br: brotliCompressSync(Buffer.alloc(2 ** 26)),
    deflate: deflateSync(Buffer.alloc(2 ** 26)),
  }
  const one = await stand(context, ({ url }, response) => {
    const encoding = url.slice(1)
    say(response, bombs[encoding]!, { 'content-encoding': encoding })
  })
  for (const [encoding, bomb] of Object.entries(bombs)) {
    assert.ok(bomb.length < LIMITS.documentBytesMax, `${encoding}: ${bomb.length} bytes`)
    assert.equal(await faultOf(one, `/${encoding}`), 'the answer unpacks to more than 100000 bytes')
  }
})

test('bodies that are not what they say are faults', async (context) => {
  const one = await stand(context, ({ url }, response) => {
    if (url === '/cut') say(response, gzipSync(BODY).subarray(0, 40), { 'content-encoding': 'gzip' })
    else if (url === '/not') say(response, BODY, { 'content-encoding': 'gzip' })
    else if (url === '/other') say(response, BODY, { 'content-encoding': 'zstd' })
    else if (url === '/bytes') say(response, Buffer.from([0x7b, 0xff, 0x7d]))
    else {
      response.writeHead(200, { 'content-length': '1000' }).write('only this')
      response.socket!.end()
    }
  })
  assert.equal(await faultOf(one, '/cut'), 'the answer is not gzip, or not complete')
  assert.equal(await faultOf(one, '/not'), 'the answer is not gzip, or not complete')
  assert.equal(await faultOf(one, '/other'), 'the answer has an encoding that was not requested')
  assert.equal(await faultOf(one, '/bytes'), 'the answer is not UTF-8')
  assert.equal(await faultOf(one, '/short'), 'the connection was closed before the answer was complete')
})

test('headers that do not come, a body that stops and a body that drips end in time', async (context) => {
  const drips = new Set<NodeJS.Timeout>()
  context.after(() => drips.forEach(clearInterval))
  const script: Script = ({ url }, response) => {
    if (url === '/silent') return
    response.writeHead(200).write('{')
    if (url === '/drip') drips.add(setInterval(() => response.write(' '), 20))
  }
  const one = await stand(context, script, { headersMsMax: 150, bodyMsMax: 150 })
  assert.equal(await faultOf(one, '/silent'), 'no answer in time')
  assert.equal(await faultOf(one, '/stop'), 'the answer broke off: silence within its body')
  const other = await stand(context, script, { totalMsMax: 300 })
  assert.equal(await faultOf(other, '/drip'), 'not answered in full within 0.3 s')
})

test('redirects are answers, never followed', async (context) => {
  const one = await stand(context, (_seen, response) => {
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  assert.equal((await get(one)).status, 302)
  assert.deepEqual(one.source.urlsOf('/'), ['/odds'])
})

test('an error tells its beginning only, and Retry-After', async (context) => {
  const one = await stand(context, ({ url }, response) => {
    if (url === '/long') say(response, 'x'.repeat(50_000), {}, 500)
    else say(response, '{"message":"slowly"}', { 'retry-after': '7' }, 429)
  })
  const { status, text, retryAfterMs } = await get(one)
  assert.deepEqual([status, text, retryAfterMs], [429, '{"message":"slowly"}', 7_000])
  assert.deepEqual([(await get(one, '/long')).text, one.source.seen.length], ['', 2])
})

test('nobody there is a fault; so is a GET that was aborted, at once', async (context) => {
  const listener = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  const { port } = listener.address() as AddressInfo
  await new Promise((resolve) => listener.close(resolve))
  const client = new HttpClient(DIRECT, LIMITS, 1, now)
  context.after(() => client.close())
  assert.deepEqual(await client.get(new URL(`http://127.0.0.1:${port}/`), null, NEVER), {
    fault: 'nothing listens there',
  })

  const ending = new AbortController()
  const one = await stand(context, () => ending.abort())
  assert('fault' in (await one.client.get(new URL(one.source.origin), null, ending.signal)))
  assert('fault' in (await one.client.get(new URL(one.source.origin), null, ending.signal)), 'also before it begins')
  assert.equal(one.source.seen.length, 1)
})

test('the credential goes as its header', async (context) => {
  const one = await stand(
    context,
    (_seen, response) => say(response, '{}'),
    {},
    {
      mode: 'direct',
      credential: { header: 'X-API-Key', value: 'open sesame' },
    },
  )
  await get(one)
  assert.equal(one.source.seen[0]!.headers['x-api-key'], 'open sesame')
})

test('a mode says who is never polled, and why', () => {
  const why = (access: Partial<SourceAccess>): string | null => whyNeverPolled({ ...DIRECT, ...access })
  assert.equal(why({ mode: 'direct' }), null)
  assert.equal(why({ mode: 'disabled' }), 'is disabled: never polled')
  assert.match(why({ mode: 'credential_required' })!, /no credential/)
  assert.match(
    why({ mode: 'credential_required', credential: { header: 'X-API-Key', value: 'open sesame' } })!,
    /how it is reached/,
  )
  for (const mode of ['worker_proxy', 'sidecar_proxy', 'cdp_proxy'] as const) {
    assert.equal(why({ mode }), `has no proxy, which its mode ${mode} requires: never polled`)
    assert.equal(why({ mode, proxy: 'http://user:pass@proxy.example:3128' }), null)
    for (const proxy of ['socks5://proxy.example', 'proxy.example:3128', '', 'http://user:100%@proxy.example']) {
      assert.match(why({ mode, proxy })!, /no http:\/\/ or https:\/\/ URL/, proxy)
    }
  }
})

// --- proxies ---

const AUTHORIZATION = `Basic ${Buffer.from('scout:p@ss word').toString('base64')}`

const proxied = async (
  context: TestContext,
  userInfo: string,
  tls?: { readonly cert: string; readonly key: string },
  access: Partial<SourceAccess> = {},
): Promise<Stand & { readonly proxy: ScriptedProxy }> => {
  const proxy = await new ScriptedProxy(AUTHORIZATION).start()
  context.after(() => proxy.stop())
  const url = `http://${userInfo}127.0.0.1:${proxy.port}`
  const script: Script = ({ headers }, response) =>
    say(response, JSON.stringify({ leaked: headers['proxy-authorization'] ?? null }))
  const one = await stand(context, script, {}, { mode: 'worker_proxy', proxy: url, ...access }, tls)
  return { ...one, proxy }
}

test('http:// goes to the proxy as it is, with the credentials of its URL', async (context) => {
  const one = await proxied(context, 'scout:p%40ss%20word@')
  const { text } = await get(one, '/odds?page=2')
  assert.equal(text, '{"leaked":null}')
  assert.deepEqual(one.proxy.asked, [{ line: `GET ${one.source.origin}/odds?page=2`, authorization: AUTHORIZATION }])
  assert.equal(`http://${one.source.seen[0]!.headers.host}`, one.source.origin)
})

test('a proxy that wants other credentials answers 407', async (context) => {
  const one = await proxied(context, '')
  assert.equal((await get(one)).status, 407)
  assert.equal(one.source.seen.length, 0)
})

const pair = certificate()
const skip = pair === undefined ? 'openssl is not installed' : false

test('https:// goes through a tunnel', { skip }, async (context) => {
  const one = await proxied(context, 'scout:p%40ss%20word@', pair!, { authorities: pair!.cert })
  assert.equal((await get(one)).text, '{"leaked":null}')
  assert.deepEqual(one.proxy.asked, [
    { line: `CONNECT ${new URL(one.source.origin).host}`, authorization: AUTHORIZATION },
  ])
})

test('a tunnel that is refused, and one to a server that nobody vouches for, are faults', { skip }, async (context) => {
  const refused = await proxied(context, 'scout:wrong@', pair!, { authorities: pair!.cert })
  assert.equal(await faultOf(refused), 'the proxy refuses the tunnel with status 407')
  const unknown = await proxied(context, 'scout:p%40ss%20word@', pair!)
  assert.equal(await faultOf(unknown), 'its certificate is self-signed; NODE_EXTRA_CA_CERTS=FILE makes it trusted')
  assert.equal(unknown.source.seen.length, 0)
})

test('https:// without a proxy trusts the given authorities only besides the usual ones', { skip }, async (context) => {
  const one = await stand(context, (_seen, response) => say(response, '{}'), {}, { authorities: pair!.cert }, pair!)
  assert.equal((await get(one)).status, 200)
  const other = await stand(context, (_seen, response) => say(response, '{}'), {}, {}, pair!)
  assert.equal(await faultOf(other), 'its certificate is self-signed; NODE_EXTRA_CA_CERTS=FILE makes it trusted')
})

test('a direct source is asked directly, whatever proxy is written down', async (context) => {
  const proxy = await new ScriptedProxy().start()
  context.after(() => proxy.stop())
  const one = await stand(
    context,
    (_seen, response) => say(response, '{}'),
    {},
    {
      proxy: `http://127.0.0.1:${proxy.port}`,
    },
  )
  await get(one)
  assert.deepEqual([proxy.asked.length, one.source.seen.length], [0, 1])
})
