// Bodies of the portal over real sockets: too large, too slow, unclear, broken off; and how many at a time.

import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { TrustedProxies } from '../../src/domain/trusted-proxies.ts'
import { LIMITS } from '../../src/limits.ts'
import { Metrics } from '../../src/metrics.ts'
import { jsonReply, type PortalReply, type PortalRequest } from '../../src/portal/portal-request.ts'
import { HttpServer } from '../../src/server/http-server.ts'
import type { Broker } from '../../src/stomp/broker.ts'
import { Connections } from '../../src/stomp/connections.ts'
import { until } from '../feeds/waiting.ts'
import { CONNECTION_LIMITS } from '../listeners.ts'

const servers: HttpServer[] = []
after(() => {
  for (const server of servers) server.close()
})

const newServer = async (
  answer: (request: PortalRequest) => Promise<PortalReply>,
  limits: Partial<Record<keyof typeof LIMITS, number>> = {},
): Promise<HttpServer> => {
  const server = await HttpServer.listen({
    bodyBytesNow: LIMITS.bodyBytesNow,
    answer: () => Promise.reject(new Error('not asked')),
    // It answers also while the service is not ready.
    isReady: () => false,
    metrics: new Metrics(),
    host: '127.0.0.1',
    port: 0,
    tls: null,
    connections: new Connections(CONNECTION_LIMITS),
    live: {
      broker: { isOpen: false, useRooms: () => {} } as unknown as Broker,
      ...{ limits: LIMITS, origins: ['*'], compresses: false, isOpen: () => true },
    },
    portal: { answer, limits: { ...LIMITS, ...limits }, proxies: new TrustedProxies(['127.0.0.1']) },
  })
  assert(!('busyPort' in server))
  servers.push(server)
  return server
}

/** A server that answers what it was asked. */
const echo = (limits = {}): Promise<HttpServer> =>
  newServer(async ({ body, ...request }) => jsonReply({ ...request, body: body.toString('latin1') }), limits)

class Client {
  text = ''
  isEnded = false
  readonly socket: Socket

  constructor({ port }: HttpServer, text: string) {
    this.socket = connect(port, '127.0.0.1', () => this.socket.write(text, 'latin1'))
    this.socket.setEncoding('latin1').on('data', (chunk) => (this.text += chunk))
    this.socket.on('close', () => (this.isEnded = true)).on('error', () => {})
  }

  answered(what: RegExp): Promise<unknown> {
    return until(
      `${what}`,
      () => what.test(this.text),
      () => this.text,
    )
  }

  ended(): Promise<unknown> {
    return until(
      'the connection ends',
      () => this.isEnded,
      () => this.text,
    )
  }
}

const post = (length: number | string, body = '', more = ''): string =>
  `POST /portal/api/keys?a=b HTTP/1.1\r\nHost: h:1\r\n${more}Content-Length: ${length}\r\n\r\n${body}`

test('a body is passed on as it came, in pieces too, with the headers; a page of another origin may not read it', async () => {
  const server = await echo()
  const more =
    'Cookie: a=1\r\nOrigin: http://h:1\r\nX-Csrf-Token: t\r\nSec-Fetch-Site: same-origin\r\nContent-Type: x/y\r\n'
  const client = new Client(server, post(8, '{"a"', more))
  await until(
    'the first piece is there',
    () => client.socket.bytesWritten > 0,
    () => '',
  )
  client.socket.write(': 1}')
  await client.answered(/\}$/)
  const [head, body] = client.text.split('\r\n\r\n') as [string, string]
  assert.deepEqual(JSON.parse(body), {
    ...{ method: 'post', path: 'keys', query: {}, cookies: 'a=1', origin: 'http://h:1', site: 'same-origin' },
    ...{ csrf: 't', contentType: 'x/y', host: 'h:1', address: '127.0.0.1', body: '{"a": 1}' },
  })
  assert(!/access-control/i.test(head), head)
  assert.match(head, /\r\nCache-Control: no-store\r\n/)
  // The connection goes on.
  client.socket.write(post(0))
  await client.answered(/"body":""\}$/)
  client.socket.destroy()
})

test('a body of 16 KiB is read; one octet more is refused at once, and the connection ends', async () => {
  const server = await echo()
  const { portalBodyBytesMax: max } = LIMITS
  const fits = new Client(server, post(max, 'x'.repeat(max)))
  await fits.answered(/^HTTP\/1\.1 200 /)
  fits.socket.destroy()
  const large = new Client(server, post(max + 1))
  await large.ended()
  assert.match(large.text, /^HTTP\/1\.1 413 .*"field":"body"/s)
})

test('a body that does not arrive in time is refused, and the connection ends', async () => {
  const server = await echo({ portalBodyMsMax: 50 })
  const slow = new Client(server, post(10, '{'))
  await slow.ended()
  assert.match(slow.text, /^HTTP\/1\.1 408 .*body_too_slow/s)
})

test('a request whose length is unclear ends the connection; a GET has no body', async () => {
  const server = await echo()
  for (const text of [
    'POST /portal/api/keys HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    post(0, '', 'Content-Length: 0\r\n'),
    post('1e1'),
  ]) {
    const client = new Client(server, text)
    await client.ended()
    assert(!client.text.includes(' 200 '), client.text)
  }
  const get = new Client(server, post(1, 'x').replace('POST', 'GET'))
  await get.ended()
  assert.match(get.text, /^HTTP\/1\.1 400 /)
})

test('so many answers at a time and no more, also where clients are gone; a body that arrives takes no place of them', async () => {
  const resolves: (() => void)[] = []
  const server = await newServer(
    () => new Promise((resolve) => resolves.push(() => resolve(jsonReply({ done: true })))),
    { portalRequestsMax: 1, portalAddressBodiesMax: 2 },
  )
  const first = new Client(server, post(0))
  await until(
    'the first waits',
    () => resolves.length === 1,
    () => '',
  )
  const slow = [new Client(server, post(5, 'ab')), new Client(server, post(5, 'ab'))]
  const third = new Client(server, post(0))
  await third.ended()
  assert.match(third.text, /^HTTP\/1\.1 503 /)
  // Its answer is still being made.
  first.socket.destroy()
  const fourth = new Client(server, post(0))
  await fourth.ended()
  assert.match(fourth.text, /^HTTP\/1\.1 503 /)
  for (const resolve of resolves.splice(0)) resolve()
  const isFull = async (text: string): Promise<boolean> => {
    const client = new Client(server, text)
    await until(
      'it is refused, or waits',
      () => client.isEnded || resolves.length > 0,
      () => client.text,
    )
    for (const resolve of resolves.splice(0)) resolve()
    if (!client.isEnded) await client.answered(/\{"done":true\}$/)
    const isRefused = client.text.startsWith('HTTP/1.1 503 ')
    client.socket.destroy()
    return isRefused
  }
  assert.equal(await isFull(post(0)), false)
  assert.equal(await isFull(post(2, 'ab')), true, 'two bodies of this address arrive')
  assert.equal(await isFull(post(2, 'ab', 'X-Forwarded-For: 198.51.100.7\r\n')), false, 'another client of the proxy')
  for (const client of slow) client.socket.destroy()
  await until(
    'there is a place again',
    async () => !(await isFull(post(2, 'ab'))),
    () => '',
  )
})

test('HEAD is answered without a body', async () => {
  const server = await echo()
  const client = new Client(server, 'HEAD /portal/api/keys HTTP/1.1\r\nHost: h:1\r\n\r\n')
  await client.answered(/\r\n\r\n/)
  client.socket.write('GET /portal/api/keys HTTP/1.1\r\nHost: h:1\r\n\r\n')
  await client.answered(/\}$/)
  assert.match(client.text, /^HTTP\/1\.1 200 OK[^{]*Content-Length: \d+[^{]*\r\n\r\nHTTP\/1\.1 200 OK/)
  client.socket.destroy()
})
