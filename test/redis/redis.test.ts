// Connections to a real Redis: deadlines, losses, scripts.

import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { after, before } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis, refusalOf, type Script } from '../../src/redis/redis.ts'
import { type RedisAddress, redisAddressOf } from '../../src/redis/redis-address.ts'
import { toldOf as toldOfError } from '../../src/redis/redis-faults.ts'
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

/** What a command is told of an address that is not to be used, once the client knows why. */
const toldOf = async (url: string, says: RegExp): Promise<string> => {
  const redis = new Redis(addressOf(url), { timeoutMs: 2_000 })
  const end = Date.now() + 30_000
  try {
    for (;;) {
      const told = await redis.run(ADD, ['told'], [1]).then(
        () => 'it works',
        (error: unknown) => (error as Error).message,
      )
      if (says.test(told) || Date.now() > end) return told
      await pause(5)
    }
  } finally {
    redis.close()
  }
}

test('a command that fails for want of a connection, or of rights, says where, why, and what to do', async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  t.after(() => silent.close())
  await new Promise((resolve) => silent.once('listening', resolve))
  const here = `127.0.0.1:${server.port}`
  server.cli('ACL', 'SETUSER', 'weak', 'on', '>secret', '~*', '+@all', '-eval', '-evalsha')
  server.cli('ACL', 'SETUSER', 'other', 'on', '>secret', '~foo:*', '+@all')
  const urls: Readonly<Record<string, readonly [why: RegExp, todo: RegExp]>> = {
    'redis://127.0.0.1:1': [/ECONNREFUSED 127\.0\.0\.1:1/, /start Redis there/],
    'redis://nowhere.invalid': [/(ENOTFOUND|EAI_AGAIN) nowhere\.invalid/, /the host in --redis-url/],
    [`redis://user:secret@${here}`]: [/WRONGPASS/, /user and password in --redis-url/],
    [`rediss://${here}`]: [/TLS|SSL/, /redis:\/\/ in place of rediss/],
    [`redis://127.0.0.1:${(silent.address() as AddressInfo).port}`]: [/does not answer/, /network/],
    'redis-sentinel://127.0.0.1:1/main': [/no Sentinel answers/, /name of the master/],
    [`redis-sentinel://${here}/main`]: [/unknown command 'sentinel'/, /it is a Redis, no Sentinel/],
    // The client would go on in database 0.
    [`redis://${here}/99`]: [/DB index is out of range/, /the database at the end of --redis-url/],
    [`redis://weak:secret@${here}`]: [/^NOPERM/, /\(ACL SETUSER\)/],
    [`redis://other:secret@${here}`]: [/^NOPERM/, /keys of --redis-prefix/],
  }
  await Promise.all(
    Object.entries(urls).map(async ([url, [why, todo]]) => {
      const told = await toldOf(url, why)
      for (const part of [why, todo, /oddswire doctor/]) assert.match(told, part, url)
      assert(told.includes(addressOf(url).shown) && !told.includes('secret'), told)
    }),
  )
  assert.equal(server.cli('EXISTS', '{test}:told'), '0')
})

test('an older Redis that compiles no such script is named', () => {
  const told = toldOfError(
    new Error("ERR Error compiling script (new function): unexpected symbol near '#'"),
    'redis://a',
    '',
  )
  assert.match(
    (told as Error).message,
    /^ERR Error compiling.*\(redis:\/\/a: install Redis 7 or newer; oddswire doctor/,
  )
  const other = new Error('OOM command not allowed')
  assert.equal(toldOfError(other, 'redis://a', ''), other)
})
