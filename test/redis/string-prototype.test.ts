import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

const serve = new URL('../../src/command/serve-command.js', import.meta.url).href
const redis = new URL('../../src/redis/redis.js', import.meta.url).href
const redisAddress = new URL('../../src/redis/redis-address.js', import.meta.url).href

/** What a program prints after it has run some code; `%` names functions of V8. */
const printed = (code: string): string =>
  execFileSync(process.execPath, ['--allow-natives-syntax', '--input-type=module', '-e', code], {
    encoding: 'utf8',
  }).trim()

const PRINT = `console.log([String, Number, Boolean, BigInt, Symbol].map(({ prototype }) => %HasFastProperties(prototype)).join())`

test('after all modules of the service have loaded the methods of primitives are fast', () => {
  assert.equal(printed(`await import('${serve}'); ${PRINT}`), 'true,true,true,true,true')
})

test('so they are with a client of Redis, which is loaded with the first one', () => {
  const code = `const { Redis } = await import('${redis}')
    const { redisAddressOf } = await import('${redisAddress}')
    new Redis(redisAddressOf('redis://127.0.0.1:1', 'test')).close()
    ${PRINT}`
  assert.equal(printed(code), 'true,true,true,true,true')
})

test('a class that extends String makes them slow, which is why they are mended', () => {
  assert.match(printed(`class Text extends String {} ${PRINT}`), /^false,/)
})
