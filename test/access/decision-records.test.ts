import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFault } from '../../src/access/fault.ts'
import { Store } from '../../src/access/store.ts'
import type { EventDecision } from '../../src/domain/event-identity.ts'
import { newFolder } from './folder.ts'

const AT = Date.UTC(2026, 10, 20, 12)

const openStore = (dataDir: string): Store => {
  const store = Store.open(dataDir, { waitMs: 5_000, busyMs: 5_000, at: AT })
  assert.ok(!isFault(store))
  return store
}

const merge = (a: string, b: string): EventDecision => ({ kind: 'merge', keys: [a, b], swapped: false })
const split = (a: string, b: string): EventDecision => ({ kind: 'split', keys: [a, b] })
const alias = (name: string, means: string, sport: 'golf' | null = null): EventDecision => ({
  kind: 'alias',
  sport,
  name,
  means,
})

test('the latest decision about the same keys or name holds, whichever way they stand, and outlives the process', () => {
  const dataDir = newFolder()
  const first = openStore(dataDir)
  const merged = first.decisions.add([merge('a:1', 'b:1'), merge('a:1', 'c:1')], AT)
  first.decisions.add([alias('Spurs', 'Tottenham')], AT)
  first.decisions.add([alias('Spurs', 'San Antonio', 'golf')], AT)
  const apart = first.decisions.add([split('b:1', 'a:1')], AT + 1)
  first.decisions.add([alias('Spurs', 'Tottenham Hotspur')], AT + 1)
  first.close()
  const store = openStore(dataDir)
  assert.deepEqual(store.decisions.holding(), [
    merge('a:1', 'c:1'),
    alias('Spurs', 'San Antonio', 'golf'),
    split('b:1', 'a:1'),
    alias('Spurs', 'Tottenham Hotspur'),
  ])
  assert.deepEqual(
    store.decisions.all().map(({ kind, holds }) => [kind, holds]),
    [
      ['merge', true],
      ['alias', false],
      ['alias', true],
      ['split', true],
      ['alias', true],
    ],
  )
  assert.ok(!isFault(store.decisions.remove(apart.id, AT)))
  assert.ok(store.decisions.holding().some((each) => JSON.stringify(each) === JSON.stringify(merge('a:1', 'b:1'))))
  assert.ok(!isFault(store.decisions.remove(merged.id, AT)))
  assert.ok(store.decisions.holding().every(({ kind }) => kind === 'alias'))
  assert.ok(isFault(store.decisions.remove(merged.id, AT)))
  store.close()
})
