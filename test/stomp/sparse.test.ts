// Sets, maps and tallies that have memory only for what was added, beside those of the language, with random operations.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Tally } from '../../src/stomp/connections.ts'
import { SparseMap, SparseSet } from '../../src/stomp/sparse.ts'
import { Random, SEED } from '../random.ts'

const RUNS = 200
const STEPS = 60

const forRuns = (run: (random: Random) => void): void => {
  for (let number = 0; number < RUNS; number++) run(new Random(SEED + number))
}

test(`a sparse set is a set, also while somebody walks through it (seed ${SEED})`, () => {
  forRuns((random) => {
    const [sparse, plain] = [new SparseSet<number>(), new Set<number>()]
    // What both are told, and what they answer.
    const change = (set: SparseSet<number> | Set<number>, kind: number, value: number): unknown => {
      if (kind < 4) return void set.add(value)
      if (kind < 8) return set.delete(value)
      return kind === 8 ? set.has(value) : undefined
    }
    for (let step = 0; step < STEPS; step++) {
      const [kind, value] = [random.int(0, 11), random.int(0, 5)]
      if (kind === 9) {
        sparse.clear()
        plain.clear()
      } else if (kind === 10) sparse.trim()
      else if (kind === 11) {
        // The same changes at the same places of both walks.
        const changes = Array.from({ length: 8 }, () => [random.int(0, 8), random.int(0, 5)] as const)
        const walk = (set: SparseSet<number> | Set<number>): number[] => {
          const seen: number[] = []
          for (const each of set) {
            seen.push(each)
            const next = changes[seen.length - 1]
            if (next === undefined) break
            change(set, ...next)
          }
          return seen
        }
        assert.deepEqual(walk(sparse), walk(plain))
      } else assert.equal(change(sparse, kind, value), change(plain, kind, value))
      assert.equal(sparse.size, plain.size)
      assert.deepEqual([...sparse], [...plain])
    }
  })
})

test(`a sparse map is a map (seed ${SEED})`, () => {
  forRuns((random) => {
    const [sparse, plain] = [new SparseMap<string, number>(), new Map<string, number>()]
    for (let step = 0; step < STEPS; step++) {
      const [kind, key] = [random.int(0, 6), `k${random.int(0, 5)}`]
      if (kind < 3) {
        sparse.set(key, step)
        plain.set(key, step)
      } else if (kind < 5) assert.equal(sparse.delete(key), plain.delete(key))
      else if (kind === 5) assert.deepEqual([sparse.get(key), sparse.has(key)], [plain.get(key), plain.has(key)])
      else if (random.chance(0.2)) {
        sparse.clear()
        plain.clear()
      }
      assert.equal(sparse.size, plain.size)
      assert.deepEqual([...sparse], [...plain])
      assert.deepEqual([...sparse.values()], [...plain.values()])
    }
  })
})

test(`a tally counts each key (seed ${SEED})`, () => {
  forRuns((random) => {
    const [tally, plain] = [new Tally(), new Map<string, number>()]
    for (let step = 0; step < STEPS; step++) {
      const key = `k${random.int(0, 3)}`
      const count = plain.get(key) ?? 0
      const by = count > 0 && random.chance(0.6) ? -1 : 1
      tally.add(key, by)
      plain.set(key, count + by)
      for (let number = 0; number <= 3; number++) assert.equal(tally.of(`k${number}`), plain.get(`k${number}`) ?? 0)
    }
  })
})
