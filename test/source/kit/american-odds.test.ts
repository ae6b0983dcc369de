import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decimalOdds } from '../../../src/source/kit/american-odds.ts'

test('American odds become decimal ones with three digits, half goes up', () => {
  const odds: readonly (readonly [number, number])[] = [
    [253, 3.53],
    [-142, 1.704],
    [-320, 1.313], // 1.3125
    [446, 5.46],
    [250.0, 3.5],
    [-117, 1.855],
    [100, 2],
    [-100, 2],
    [-110, 1.909],
    [-100_000, 1.001],
    [20_000, 201],
  ]
  for (const [american, decimal] of odds) assert.equal(decimalOdds(american), decimal, String(american))
})

test('what is no American price, or wins nothing, has no odds', () => {
  for (const american of [0, 99, -99, 99.9, -99.9, Number.NaN, Infinity, -Infinity, -1e9, 1e308]) {
    assert.equal(decimalOdds(american), undefined, String(american))
  }
})
