// Values by number, in any order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SparseList } from '../../src/domain/sparse-list.ts'
import { Random, SEED } from '../random.ts'

test('it gives what a map of the same numbers gives', () => {
  const random = new Random(SEED)
  const list = new SparseList<number>()
  const naive = new Map<number, number>()
  for (let step = 0; step < 20_000; step++) {
    const number = random.int(0, random.chance(0.5) ? 5_000 : 3_000_000)
    if (random.chance(0.2)) {
      list.set(number, undefined)
      naive.delete(number)
    } else if (random.chance(0.6)) {
      list.set(number, step)
      naive.set(number, step)
    }
    assert.equal(list.get(number), naive.get(number), `seed ${SEED}: ${number}`)
  }
  for (const [number, value] of naive) assert.equal(list.get(number), value, `seed ${SEED}: ${number}`)
  list.clear()
  for (const number of naive.keys()) assert.equal(list.get(number), undefined)
})
