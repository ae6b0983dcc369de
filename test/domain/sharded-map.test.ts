// A Map in shards beside one of V8.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ShardedMap } from '../../src/domain/sharded-map.ts'
import { Random, SEED } from '../random.ts'

const random = new Random(SEED)

const KEYS = {
  'source ids': () => `kambi:${random.int(1_000, 9_000)}`,
  'texts of any length, the empty one too': () => 'abc'.repeat(random.int(0, 300)).slice(0, random.int(0, 800)),
  numbers: () => random.int(0, 5_000),
  hashes: () => random.int(-(2 ** 31), 2 ** 31 - 1) & ~0xff_f000,
} as const

for (const [kind, keyOf] of Object.entries(KEYS)) {
  test(`it gives what a Map of V8 gives: ${kind}`, () => {
    const map = new ShardedMap<string | number, number>()
    const naive = new Map<string | number, number>()
    for (let step = 0; step < 30_000; step++) {
      const key = keyOf()
      const where = `seed ${SEED}, step ${step}: ${key}`
      if (random.chance(0.3)) assert.equal(map.delete(key), naive.delete(key), where)
      else if (random.chance(0.6)) {
        map.set(key, step)
        naive.set(key, step)
      } else if (random.chance(0.000_1)) {
        map.clear()
        naive.clear()
      }
      assert.equal(map.get(key), naive.get(key), where)
      assert.equal(map.size, naive.size, where)
    }
    assert.deepEqual(new Map(map), naive, `seed ${SEED}`)
  })
}

test('what is inserted in the order of another one has the same order', () => {
  const map = new ShardedMap<string, number>()
  for (let step = 0; step < 5_000; step++) {
    const key = `event ${random.int(0, 2_000)}`
    if (random.chance(0.3)) map.delete(key)
    else map.set(key, step)
  }
  const again = new ShardedMap<string, number>()
  for (const [key, value] of map) again.set(key, value)
  assert.deepEqual([...again], [...map], `seed ${SEED}`)
})
