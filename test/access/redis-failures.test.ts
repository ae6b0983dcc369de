import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { RedisFailures, type Trier } from '../../src/access/redis-failures.ts'
import { Redis } from '../../src/redis/redis.ts'
import { redisAddressOf } from '../../src/redis/redis-address.ts'
import { redisMissing, startRedis } from '../redis-server.ts'

const TERMS = { failuresMax: 3, pauseMs: 100_000, pauseMsMax: 300_000, forgetMs: 60_000 }
const EMAIL: Trier = { kind: 'email', name: 'ada@example.com', terms: TERMS }
const ADDRESS: Trier = { kind: 'address', name: '192.0.2.1', terms: { ...TERMS, failuresMax: 100 } }

/** Two processes on one Redis. */
const newPair = async (context: TestContext) => {
  const server = await startRedis()
  const address = redisAddressOf(server.url, 'test')
  if (typeof address === 'string') throw new Error(address)
  const connections: Redis[] = []
  const connected = await Promise.all(
    [0, 1].map(
      () =>
        new Promise<RedisFailures>((resolve) => {
          const redis: Redis = new Redis(address, {
            timeoutMs: 1_000,
            onState: () => resolve(new RedisFailures(redis)),
          })
          connections.push(redis)
        }),
    ),
  )
  context.after(async () => {
    for (const redis of connections) redis.close()
    await server.remove()
  })
  const [a, b] = connected as [RedisFailures, RedisFailures]
  /** The last failure of each name was so long ago. */
  const pass = (ms: number): void => {
    for (const key of server.cli('KEYS', '*').split('\n')) {
      for (const field of ['at', 'until']) server.cli('HINCRBY', key, field, String(-ms))
    }
  }
  return { server, a, b, pass }
}

const isNear = (ms: number, expected: number): boolean => ms <= expected && ms > expected - 30_000

test('failures at any process count for all; pauses double up to the longest, and a try that has to wait is none', {
  skip: redisMissing(),
}, async (context) => {
  const { server, a, b, pass } = await newPair(context)
  const both = [EMAIL, ADDRESS]
  for (const process of [a, b, a]) assert.equal(await process.began(both), 0)
  for (const process of [b, a, b]) assert.ok(isNear(await process.began(both), 100_000))
  assert.equal(await b.began([{ ...EMAIL, name: 'bob@example.com' }, ADDRESS]), 0, 'not of the address yet')
  pass(100_000)
  // One of them is forgotten.
  assert.equal(await b.began(both), 0)
  assert.ok(isNear(await a.began([EMAIL]), 100_000))
  const name = { ...EMAIL, name: 'cyd@example.com' }
  const known = new Set(server.cli('KEYS', '*').split('\n'))
  const pauses: number[] = []
  for (let n = 0; n < 6; n++) {
    assert.equal(await [a, b][n % 2]!.began([name]), 0)
    const key = server
      .cli('KEYS', '*')
      .split('\n')
      .find((each) => !known.has(each))!
    const [at, until] = server.cli('HMGET', key, 'at', 'until').split('\n').map(Number)
    pauses.push(until! - at!)
    server.cli('HSET', key, 'until', '0')
  }
  assert.deepEqual(pauses, [0, 0, 100_000, 200_000, 300_000, 300_000])
  const keys = server.cli('KEYS', '*').split('\n')
  assert.equal(keys.length, 4)
  for (const key of keys) {
    assert.match(key, /^\{test\}:fail:(email|address):[\w-]{22}$/)
    const ttlMs = Number(server.cli('PTTL', key))
    assert.ok(ttlMs > 0 && ttlMs <= 86_400_000, String(ttlMs))
  }
})

test('a try that was no failure is taken back; a login makes those before forgotten', {
  skip: redisMissing(),
}, async (context) => {
  const { server, a, b, pass } = await newPair(context)
  for (let n = 0; n < 10; n++) {
    assert.equal(await a.began([EMAIL]), 0)
    await b.tookBack(EMAIL, false)
  }
  assert.equal(server.cli('KEYS', '*'), '')
  for (let n = 0; n < 3; n++) await a.began([EMAIL])
  assert.ok((await b.began([EMAIL])) > 0)
  await a.tookBack(EMAIL, false)
  assert.equal(await b.began([EMAIL]), 0)
  assert.ok((await b.began([EMAIL])) > 0)
  await a.tookBack(EMAIL, true)
  for (let n = 0; n < 3; n++) assert.equal(await b.began([EMAIL]), 0)
  pass(600_000)
  for (let n = 0; n < 3; n++) assert.equal(await b.began([EMAIL]), 0)
  await b.tookBack({ ...EMAIL, name: 'nobody' }, false)
})

test('while Redis does not answer nobody waits for it', { skip: redisMissing() }, async (context) => {
  const { server, a } = await newPair(context)
  for (let n = 0; n < 3; n++) await a.began([EMAIL])
  await server.kill9()
  assert.equal(await a.began([EMAIL]), 0)
  await a.tookBack(EMAIL, true)
})
