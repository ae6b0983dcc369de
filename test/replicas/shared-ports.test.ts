// Processes of one service that listen on one port: the system gives each connection to one of them.

import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { CAN_SHARE_PORTS } from '../../src/stomp/tcp.ts'
import { keysOf, storeOf } from '../faults/rig.ts'
import { Server } from '../faults/server.ts'
import { Site } from '../feeds/site.ts'
import { until } from '../feeds/waiting.ts'
import { freePort, redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import { command, newFolder } from '../service.ts'
import { withRig } from './with-rig.ts'

const test = testsWith('redis-server', redisMissing())

/** Connections that are enough for each of two processes to get one: all to one of them is as likely as 2⁻⁶³. */
const CONNECTIONS = 64

/** The status of a request on a connection of its own; 0: there was no answer. */
const ask = (port: number, key: string): Promise<number> =>
  new Promise((resolve) => {
    const path = '/api/v1/sports'
    const headers = { authorization: `Bearer ${key}` }
    request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode!))
    })
      .once('error', () => resolve(0))
      .end()
  })

const askAll = (port: number, key: string): Promise<readonly number[]> =>
  Promise.all(Array.from({ length: CONNECTIONS }, () => ask(port, key)))

const ALL_OK = Array.from({ length: CONNECTIONS }, () => 200)

const answered = (server: Server): Promise<number | undefined> =>
  server.metric('oddswire_http_requests_total{operation="listSports",status="200"}')

test('each of two processes answers connections of one port, and one alone all of them when the other is gone', async () => {
  const port = await freePort()
  const args = ['--shared-ports', 'true', '--http-port', String(port)]
  await withRig({ processes: 2, args }, { epochs: 1 }, async (rig) => {
    const [a, b] = [rig.member('A'), rig.member('B')]
    const { desk } = rig.keys
    assert.deepEqual(await askAll(port, desk), ALL_OK)
    for (const { server } of [a, b]) {
      assert((await answered(server))! > 0, 'it got connections')
      const ready = JSON.parse(server.stdout.split('\n')[0]!) as { readonly http: number; readonly own: number }
      assert.equal(ready.http, port)
      assert.equal(ready.own, server.ports.http)
      assert.notEqual(ready.own, port)
    }
    await rig.stop(a)
    assert.deepEqual(await askAll(port, desk), ALL_OK)
    await rig.restart(a)
    await rig.kill(b)
    assert.deepEqual(await askAll(port, desk), ALL_OK)
    const before = (await answered(a.server))!
    await rig.restart(b)
    assert.deepEqual(await askAll(port, desk), ALL_OK)
    assert((await answered(a.server))! < before + CONNECTIONS, 'the other one got connections, too')
  })
})

test('a process that is not ready yet gets no connections, and answers at its own port', async () => {
  const redis = await startRedis()
  const folder = newFolder()
  const site = new Site()
  const servers: Server[] = []
  try {
    await site.start()
    site.be('silence')
    const keys = keysOf(storeOf())
    const feeds = join(folder.path, 'feeds.json')
    const group = { name: 'football', matchups: 'matchups', straight: 'straight' }
    const terms = { name: 'slow', kind: 'pinnacle', baseUrl: site.origin, bookmaker: 'book_0', requestsPerSecond: 100 }
    writeFileSync(feeds, JSON.stringify({ sources: [{ ...terms, transport: 'both', groups: [group] }] }))
    const port = await freePort()
    const dataDir = join(folder.path, 'data')
    cpSync(join(storeOf(), 'data'), dataDir, { recursive: true })
    const args = ['--redis-url', redis.url, '--accept-store', '--shared-ports', 'true', '--http-port', String(port)]
    const server = new Server({ dataDir, args: [...args, '--feeds', feeds, '--ready-after', '600'] })
    servers.push(server)
    await server.listening()
    await until('it waits for its source', async () => (await server.admin('/readyz')).text.includes('source slow'))
    assert.equal(await ask(server.ports.http, keys.desk), 503)
    assert.equal(await ask(port, keys.desk), 0)
    await server.end('SIGTERM')
  } finally {
    await Promise.all(servers.filter(({ hasExited }) => !hasExited).map((server) => server.end('SIGKILL')))
    await site.stop()
    folder.remove()
    await redis.remove()
  }
})

test('STOMP over TCP shares its port where Node can; where it cannot, the second process says so', async () => {
  const redis = await startRedis()
  const folder = newFolder()
  const servers: Server[] = []
  try {
    for (const name of ['a', 'b']) cpSync(join(storeOf(), 'data'), join(folder.path, name), { recursive: true })
    const [http, stomp] = [await freePort(), await freePort()]
    const args = ['--redis-url', redis.url, '--accept-store', '--shared-ports', 'true']
    const start = (name: string): Server => {
      const ports = ['--http-port', String(http), '--stomp-port', String(stomp)]
      const server = new Server({ dataDir: join(folder.path, name), args: [...args, ...ports] })
      servers.push(server)
      return server
    }
    await start('a').ready()
    const second = start('b')
    if (CAN_SHARE_PORTS) {
      await second.ready()
      assert.equal(second.ports.stomp, stomp)
    } else {
      assert.equal(await second.gone(), 1)
      assert.match(
        second.stderr,
        /port \d+ is in use; .*cannot share it .* each process needs a --stomp-port of its own/,
      )
    }
  } finally {
    await Promise.all(servers.filter(({ hasExited }) => !hasExited).map((server) => server.end('SIGKILL')))
    folder.remove()
    await redis.remove()
  }
})

test('a shared port needs a log that is shared, and a number', () => {
  const folder = newFolder()
  const serve = (...args: string[]) => command(folder.path, 'serve', '--shared-ports', 'true', ...args)
  try {
    const alone = serve()
    assert.equal(alone.code, 1)
    assert.match(alone.stderr, /--shared-ports needs --redis-url/)
    const free = serve('--redis-url', 'redis://127.0.0.1:1', '--http-port', '0')
    assert.equal(free.code, 1)
    assert.match(free.stderr, /--http-port must be a fixed port with --shared-ports, not 0/)
  } finally {
    folder.remove()
  }
})
