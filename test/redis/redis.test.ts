// Connections to a real Redis: deadlines, losses, scripts.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis, refusalOf, type Script } from '../../src/redis/redis.ts'
import { type RedisAddress, redisAddressOf } from '../../src/redis/redis-address.ts'
import { type RedisServer, redisMissing, startRedis } from '../redis-server.ts'
import { testsWith } from '../root.ts'

const skip = redisMissing()
const test = testsWith('redis-server', skip)

let server: RedisServer

before(async () => {
  if (skip === false) server = await startRedis()
})

after(async () => {
  await server?.remove()
})

const addressOf = (url: string): RedisAddress => {
  const address = redisAddressOf(url, 'test')
  assert(typeof address !== 'string', String(address))
  return address
}

/** Waits for a connection: there is no queue that would. */
const connected = async (redis: Redis): Promise<void> => {
  while (!redis.isConnected) await pause(5)
}

const ADD: Script = {
  name: 'testAdd',
  keys: 1,
  lua: `if ARGV[1] == '0' then return redis.error_reply('ZERO nothing to add') end
return redis.call('INCRBY', KEYS[1], ARGV[1])`,
}

test('scripts run with keys of the prefix, and their refusals have a word', async () => {
  const redis = new Redis(addressOf(server.url), { timeoutMs: 2_000 })
  await connected(redis)
  assert.equal(await redis.run(ADD, ['sum'], [3]), 3)
  assert.equal(await redis.run(ADD, ['sum'], ['4']), 7)
  assert.equal(await redis.call('GET', redis.key('sum')), '7')
  assert.deepEqual(await redis.callBuffer('GET', redis.key('sum')), Buffer.from('7'))
  assert.equal(server.cli('GET', '{test}:sum'), '7')
  await assert.rejects(redis.run(ADD, ['sum'], [0]), (error) => refusalOf(error) === 'ZERO')
  redis.close()
})

test('a server that answers nothing costs the deadline, one that has gone costs nothing', async () => {
  const states: boolean[] = []
  const redis = new Redis(addressOf(server.url), { timeoutMs: 50, onState: (isThere) => states.push(isThere) })
  await connected(redis)
  server.freeze()
  await assert.rejects(redis.call('PING'), /timed out/)
  server.thaw()
  await server.kill9()
  while (redis.isConnected) await pause(5)
  await assert.rejects(redis.call('PING'))
  await server.start()
  await connected(redis)
  assert.equal(await redis.call('PING'), 'PONG')
  assert.deepEqual(states, [true, false, true])
  redis.close()
})
