import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tableOf } from '../../src/command/action.ts'

test('a list on a terminal is a table: aligned, long cells truncated, nothing as a dash', () => {
  const lines = tableOf([
    { id: 'a', bookmakers: ['x', 'y'], expiresAt: null, liveEnabled: true },
    { id: 'longer', bookmakers: Array.from({ length: 30 }, (_, n) => `book${n}`), expiresAt: null, liveEnabled: false },
  ])
  assert.equal(lines.length, 3)
  assert.match(lines[0]!, /^id {6}bookmakers +expiresAt {2}liveEnabled$/)
  assert.match(lines[1]!, /^a {7}x,y +- {10}true$/)
  assert.match(lines[2]!, /^longer {2}book0,book1.*… {2}- {10}false$/)
  assert.deepEqual(tableOf([]), ['none'])
})
