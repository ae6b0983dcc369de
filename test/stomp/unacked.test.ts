// What waits to be acknowledged, also where several messages have one id.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unacked } from '../../src/stomp/unacked.ts'
import { Random, SEED } from '../random.ts'

test('one by one, each message counts, and an id as often as it was delivered', () => {
  const unacked = new Unacked()
  for (const id of ['a', 'b', 'a']) unacked.add(id)
  assert.equal(unacked.count, 3)
  assert.equal(unacked.remove('a', false), 1)
  assert(unacked.has('a'))
  assert.equal(unacked.remove('a', false), 1)
  assert(!unacked.has('a'))
  assert.deepEqual([unacked.has('b'), unacked.count], [true, 1])
})

test('a cumulative one includes all before it; what was acknowledged is not known any more', () => {
  const unacked = new Unacked()
  for (const id of ['a', 'b', 'c']) unacked.add(id)
  assert.equal(unacked.remove('b', true), 2)
  assert.deepEqual([unacked.has('a'), unacked.has('b'), unacked.has('c'), unacked.count], [false, false, true, 1])
})

test('of an id of several messages, a cumulative one may mean any of them', () => {
  const unacked = new Unacked()
  for (const id of ['a', 'b', 'a', 'c']) unacked.add(id)
  // All but the last are gone, if the client has seen them or not; what it says of them yet is right all the same.
  assert.equal(unacked.remove('a', true), 3)
  assert.equal(unacked.count, 1)
  for (const id of ['b', 'a']) {
    assert(unacked.has(id))
    assert.equal(unacked.remove(id, true), 0)
  }
  assert.equal(unacked.remove('c', true), 1)
  assert.deepEqual([unacked.has('a'), unacked.has('b'), unacked.count], [false, false, 0])
})

test('whatever is repeated, all that a client says in the order of its messages is accepted, and nothing is left', () => {
  const random = new Random(SEED)
  for (const isCumulative of [true, false]) {
    for (let run = 0; run < 300; run++) {
      const unacked = new Unacked()
      const sent: string[] = []
      let said = 0
      const at = `seed ${SEED}, run ${run}, ${sent.join()}`
      for (let step = 0; step < 60; step++) {
        if (random.chance(0.5)) {
          const id =
            sent.length > 0 && random.chance(0.2)
              ? sent.at(-1 - random.int(0, Math.min(3, sent.length - 1)))!
              : `m${step}`
          sent.push(id)
          unacked.add(id)
        } else if (said < sent.length) {
          said = isCumulative ? said + 1 + random.int(0, sent.length - said - 1) : said + 1
          assert(unacked.has(sent[said - 1]!), `${at}: ${sent[said - 1]}`)
          unacked.remove(sent[said - 1]!, isCumulative)
        }
        assert(unacked.count <= sent.length, at)
      }
      while (said < sent.length) {
        said = isCumulative ? sent.length : said + 1
        assert(unacked.has(sent[said - 1]!), at)
        unacked.remove(sent[said - 1]!, isCumulative)
      }
      assert.equal(unacked.count, 0, at)
    }
  }
})
