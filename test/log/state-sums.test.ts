import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../src/limits.ts'
import { StateSums } from '../../src/log/state-sums.ts'

const newSums = (reporting: number) => {
  const differs: string[] = []
  const sums = new StateSums({ process: 'own', reporting: () => reporting, onDiffer: (reason) => differs.push(reason) })
  return { sums, differs }
}

test('equal sums are counted once all have reported', () => {
  const { sums, differs } = newSums(3)
  sums.note('a', 256, 7)
  sums.note('own', 256, 7)
  assert.equal(sums.equal, 0)
  sums.note('b', 256, 7)
  assert.deepEqual([sums.equal, differs], [1, []])
})

test('who is with more than half goes on; who is not must not, and says so once', () => {
  const most = newSums(3)
  most.sums.note('own', 256, 7)
  most.sums.note('a', 256, 8)
  most.sums.note('b', 256, 7)
  assert.deepEqual(most.differs, [])
  const least = newSums(3)
  for (const turn of [256, 512]) {
    least.sums.note('a', turn, 7)
    least.sums.note('b', turn, 7)
    least.sums.note('own', turn, 8)
  }
  assert.deepEqual(least.differs, ['the state after turn 256 is that of 1 of 3 processes'])
})

test('two that differ do not know who is right: neither goes on', () => {
  const { sums, differs } = newSums(2)
  sums.note('own', 256, 7)
  sums.note('a', 256, 8)
  assert.equal(differs.length, 1)
})

test('one alone, and rounds without a sum of our own, say nothing', () => {
  const { sums, differs } = newSums(1)
  sums.note('own', 256, 7)
  sums.note('a', 512, 7)
  sums.note('b', 512, 8)
  assert.deepEqual(differs, [])
})

test('old rounds are forgotten', () => {
  const { sums, differs } = newSums(2)
  sums.note('own', 0, 1)
  for (let round = 1; round <= LIMITS.checksumRounds; round++) sums.note('own', round * 256, 1)
  sums.note('a', 0, 2)
  assert.deepEqual(differs, [])
})
