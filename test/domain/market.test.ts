import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outcomeSortKey } from '../../src/domain/market.ts'

const sorted = (labels: readonly string[]): string[] =>
  [...labels].sort((a, b) => (outcomeSortKey(a) < outcomeSortKey(b) ? -1 : 1))

test('outcomes stand in their natural order', () => {
  const orders = [
    ['home', 'draw', 'away'],
    ['home_or_draw', 'home_or_away', 'draw_or_away'],
    ['over', 'under'],
    ['yes', 'no'],
    ['odd', 'even'],
    ['home', 'away', 'none'],
    ['0-0', '1-0', '2-0', '2-10', '10-2', 'other'],
    ['home/home', 'home/draw', 'home/away', 'draw/home', 'draw/draw', 'away/away'],
    ['home:1', 'home:2', 'home:3+', 'draw:goals', 'draw:no_goals', 'away:1'],
    ['home:yes', 'home:no', 'away:yes', 'away:no'],
    ['first:anna', 'first:zoe', 'anytime:anna', 'last:anna', 'no_goal'],
    ['anna', 'bert', 'ärger'],
  ]
  for (const order of orders) assert.deepEqual(sorted([...order].reverse()), order)
})

test('labels that differ have keys that differ', () => {
  const labels = ['2-1', '2:1', '2/1', '02-1', 'home', 'home:', 'x', 'X']
  assert.equal(new Set(labels.map(outcomeSortKey)).size, labels.length)
})
