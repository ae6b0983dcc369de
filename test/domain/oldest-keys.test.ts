import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OldestKeys } from '../../src/domain/oldest-keys.ts'
import { Random, SEED } from '../random.ts'

test(`whatever comes, goes and comes again, the oldest key is given (seed ${SEED})`, () => {
  const random = new Random(SEED)
  const map = new Map<number, number>()
  const oldest = new OldestKeys(map)
  assert.equal(oldest.next(), undefined)
  for (let round = 0; round < 20_000; round++) {
    const key = random.int(0, 300)
    if (random.chance(0.3)) map.delete(key)
    if (random.chance(0.6)) map.set(key, round)
    if (random.chance(0.01)) oldest.release()
    if (!random.chance(0.3)) continue
    const expected = map.keys().next().value
    assert.equal(oldest.next(), expected, `round ${round}`)
    if (expected !== undefined) map.delete(expected)
  }
  for (const key of [...map.keys()]) {
    assert.equal(oldest.next(), key)
    map.delete(key)
  }
  assert.equal(oldest.next(), undefined)
  map.set(7, 0)
  assert.equal(oldest.next(), 7)
})
