// Between the processes and Redis: a slow way, one that breaks, and a Redis that cannot write.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { redisMissing, type RedisServer } from '../redis-server.ts'
import { testsWith } from '../root.ts'
import { Proxy } from './proxy.ts'
import { withRig } from './with-rig.ts'

const test = testsWith('redis-server', redisMissing())

const proxies: Proxy[] = []
after(async () => {
  for (const proxy of proxies) await proxy.close()
})

/** The processes reach Redis through a proxy. */
const proxied = () => {
  let proxy: Proxy | undefined
  return {
    urlOf: async ({ port }: RedisServer): Promise<string> => {
      proxy = await Proxy.listen(port)
      proxies.push(proxy)
      return `redis://127.0.0.1:${proxy.port}`
    },
    get proxy(): Proxy {
      return proxy!
    },
  }
}

test('100 ms each way: turns take longer, and nothing is refused', () => {
  const way = proxied()
  // Counted requests are refused where Redis takes over 50 ms to grant a block.
  return withRig({ urlOf: way.urlOf, restAs: 'desk' }, { epochs: 1 }, async (rig) => {
    way.proxy.delayMs = 100
    await rig.receipts(100)
    for (const desk of rig.desks) desk.move()
    await rig.receipts(50)
    for (const { name } of rig.members)
      assert.equal(rig.rest.statuses.get(`${name} 503`) ?? 0, 0, JSON.stringify([...rig.rest.statuses]))
    way.proxy.delayMs = 0
  })
})

test('200 breaks of all connections: nothing is confirmed twice or lost', () => {
  const way = proxied()
  return withRig({ urlOf: way.urlOf }, { epochs: 1 }, async (rig) => {
    for (let flap = 0; flap < 200; flap++) {
      way.proxy.cut()
      await pause(rig.random.int(1, 60))
    }
    await rig.receipts(200)
  })
})

test('a way that swallows everything for a while: refused, then the epoch goes on', () => {
  const way = proxied()
  return withRig({ urlOf: way.urlOf }, { epochs: 1 }, async (rig) => {
    way.proxy.isSilent = true
    await rig.until('all refuse', () => rig.up.every(({ name }) => (rig.rest.statuses.get(`${name} 503`) ?? 0) > 0))
    way.proxy.isSilent = false
    // Octets are missing in what the connections have had.
    way.proxy.cut()
    await rig.receipts(200)
  })
})

test('full memory: answers go on, marked, then they are refused; with room again the epoch goes on', () =>
  withRig({ args: ['--log-away', '2'] }, { epochs: 1 }, async (rig, redis) => {
    redis.cli('CONFIG', 'SET', 'maxmemory', '1')
    await rig.until('all say so', () => rig.members.every(({ name }) => rig.rest.away.has(name)))
    await rig.until('all refuse', () =>
      rig.members.every(({ name }) => (rig.rest.statuses.get(`${name} 503`) ?? 0) > 0),
    )
    redis.cli('CONFIG', 'SET', 'maxmemory', '0')
    await rig.receipts(200)
  }))
