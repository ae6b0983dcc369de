import assert from 'node:assert/strict'
import { test } from 'node:test'
import { redisAddressOf } from '../../src/redis/redis-address.ts'

const optionsOf = (url: string) => {
  const address = redisAddressOf(url, 'oddswire')
  return typeof address === 'string' ? address : address.options
}

test('a URL names a server, its port, its database and who logs in', () => {
  assert.deepEqual(optionsOf('redis://localhost'), { host: 'localhost', port: 6379, db: 0 })
  assert.deepEqual(optionsOf('redis://[::1]:7000/3'), { host: '::1', port: 7000, db: 3 })
  assert.deepEqual(optionsOf('redis://:p%40ss@10.0.0.1'), { host: '10.0.0.1', port: 6379, db: 0, password: 'p@ss' })
  assert.deepEqual(optionsOf('rediss://ada:x@redis.example:6380'), {
    ...{ host: 'redis.example', port: 6380, db: 0, username: 'ada', password: 'x' },
    tls: { servername: 'redis.example' },
  })
})

test('Sentinels are a list with the name of their master', () => {
  assert.deepEqual(optionsOf('redis-sentinel://a,b:1000/main'), {
    sentinels: [
      { host: 'a', port: 26379 },
      { host: 'b', port: 1000 },
    ],
    ...{ name: 'main', db: 0 },
  })
})

test('the address that messages show has no password', () => {
  const address = redisAddressOf('redis://ada:secret@host:1/2', 'oddswire')
  assert(typeof address !== 'string')
  assert.equal(address.shown, 'redis://host:1/2')
})

test('what is no address is refused in words', () => {
  for (const url of [
    '',
    'localhost:6379',
    'http://x',
    'redis://a,b',
    'redis://a:99999',
    'redis-sentinel://a',
    'redis://a/x',
  ]) {
    assert.equal(typeof redisAddressOf(url, 'oddswire'), 'string', url)
  }
})
