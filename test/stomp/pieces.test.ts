// A list in pieces equals a plain one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SeededRandom } from '../../src/source/simulator/random.ts'
import { Pieces } from '../../src/stomp/pieces.ts'

test('a list in pieces equals a map, whatever is set, cleared and read, in any order', () => {
  const seed = Date.now() % 2 ** 31
  const random = new SeededRandom(seed)
  const below = (end: number): number => Math.floor(random.next() * end)
  const pieces = new Pieces<number>()
  const plain = new Map<number, number | undefined>()
  for (let step = 0; step < 200_000; step++) {
    // Around the ends of pieces, and anywhere.
    const place = random.next() < 0.5 ? below(12) * 4_096 + below(4) : below(50_000)
    if (random.next() < 0.6) {
      const value = random.next() < 0.2 ? undefined : step
      pieces.set(place, value)
      plain.set(place, value)
    }
    assert.equal(pieces.get(place), plain.get(place), `seed ${seed}, step ${step}, place ${place}`)
    if (random.next() < 0.00002) {
      pieces.clear()
      plain.clear()
    }
  }
})
