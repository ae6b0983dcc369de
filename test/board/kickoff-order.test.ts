import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KickoffOrder, type Listed } from '../../src/board/kickoff-order.ts'
import { Random, SEED } from '../random.ts'

const byPlace = (a: Listed, b: Listed): number => a.event.kickoffAt - b.event.kickoffAt || a.idNumber - b.idNumber

test('the order equals a sorted array, across splits of its chunks', () => {
  const random = new Random(SEED)
  let order = new KickoffOrder<Listed>()
  let twin: Listed[] = []
  for (let step = 0; step < 6_000; step++) {
    if (random.chance(0.65) || twin.length === 0) {
      const record = { idNumber: step, event: { id: String(step), kickoffAt: random.int(0, 900) } }
      order.insert(record)
      twin.push(record)
    } else {
      const gone = random.pick(twin)
      order.remove(gone)
      twin = twin.filter((record) => record !== gone)
    }
    if (step === 3_000) {
      // Built anew, from all that are in it.
      order = new KickoffOrder()
      for (const record of twin.toSorted(byPlace)) order.append(record)
    }
    assert.equal(order.size, twin.length)
    if (step % 100 !== 0) continue
    const from = random.int(-1, 901)
    const visited: Listed[] = []
    order.visitFrom(from, (record) => visited.push(record) > 0)
    const expected = twin.filter((record) => record.event.kickoffAt >= from).sort(byPlace)
    assert.deepEqual(visited, expected, `seed ${SEED}, step ${step}`)
  }
})
