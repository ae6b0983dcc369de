// What is done once before the service is ready, so that it is compiled.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { warmUp } from '../../src/command/warm-up.ts'

test('warming up records, changes and ages out quotes, and leaves nothing', () => {
  const { state, broker } = warmUp()
  const { engine } = state
  // Of each of 12 quotes: added, suspended, reopened, aged out; and a book of two bookmakers appears and ends.
  assert.equal(engine.seq, 12 * 4 + 2 * 2)
  const { reader } = engine
  for (let number = 0; number < reader.eventNumbersEnd; number++) assert.equal(reader.eventAt(number), undefined)
  // Of twelve sessions half got the two changes of both books, half those of one.
  assert.equal(broker.counts.opened, 12)
  assert.equal(broker.counts.messages.odds, 2 * (6 * 2 + 6))
  assert.deepEqual([...broker.counts.errors], [])
  assert.equal(broker.sessionCount, 0)
  assert.equal(broker.flowCount, 0)
  assert.equal(broker.inputBytes + broker.catchUpBytes + broker.conflationBytes + broker.passes.waiting, 0)
})
