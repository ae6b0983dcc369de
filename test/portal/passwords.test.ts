import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../src/limits.ts'
import { Passwords } from '../../src/portal/passwords.ts'

const { passwordN } = LIMITS

const passwords = new Passwords({ passwordN, passwordsMax: 1, passwordsOfAddressMax: 100, passwordsWaitingMax: 16 })

test('a password is stored with a salt of its own and its costs, and matches in any form of Unicode', async () => {
  const [one, two] = [await passwords.store('Café crème au lait'), await passwords.store('Café crème au lait')]
  assert.match(one, /^scrypt\$32768\$8\$3\$[\w-]{22}\$[\w-]{43}$/)
  assert.notEqual(one, two)
  assert.equal(await passwords.matches('Cafe\u0301 cre\u0300me au lait', one), true)
  assert.equal(await passwords.matches('Cafe creme au lait', one), false)
  for (const broken of ['', 'scrypt', one.slice(0, -1), `${one}x`]) {
    assert.equal(await passwords.matches('Café crème au lait', broken), false)
  }
})

test('nobody has no password, and the answer takes as long', async () => {
  const stored = await passwords.store('correct horse battery')
  // Of the processor, of which others on the machine take none.
  const timed = async (of: string | undefined): Promise<number> => {
    const startedAt = process.cpuUsage()
    for (let n = 0; n < 3; n++) assert.equal(await passwords.matches('wrong', of), false)
    return process.cpuUsage(startedAt).user / 1_000
  }
  const [known, unknown] = [await timed(stored), await timed(undefined)]
  assert(unknown > known / 3 && unknown < known * 3, `${known} ms and ${unknown} ms`)
})

test('who has failed lately comes after the others, however many they are', async () => {
  const queue = new Passwords({ passwordN, passwordsMax: 1, passwordsOfAddressMax: 1, passwordsWaitingMax: 3 })
  const order: string[] = []
  const ask = (address: string, hasFailed: boolean): Promise<boolean | undefined> =>
    queue.queued({ address, hasFailed }, async () => {
      order.push(address)
      await new Promise((resolve) => setImmediate(resolve))
      return true
    })
  const answers = await Promise.all([
    ask('first', false),
    ...['a', 'b', 'c', 'd'].map((address) => ask(address, true)),
    ask('x', false),
    ask('x', false),
    ask('y', false),
  ])
  assert.deepEqual(order, ['first', 'x', 'y', 'a', 'b', 'c'])
  assert.deepEqual(answers, [true, true, true, true, undefined, true, undefined, true])
})

test('the event loop goes on meanwhile', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await passwords.store('correct horse battery')
  clearInterval(timer)
  assert(turns > 1, `${turns}`)
})
