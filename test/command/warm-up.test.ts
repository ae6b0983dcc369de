// What is done once before the service is ready, so that it is compiled.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feedSteps } from '../../src/command/warm-feed.ts'
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

test('what feeds send is done once, in steps', () => {
  const steps = feedSteps()
  let step = steps.next()
  let count = 1
  for (; step.done !== true; step = steps.next()) count++
  assert.equal(count, 71)
  // Of each of 65 SENDs all quotes are on the board: nothing was refused.
  const { capacity, catalogue } = step.value.board
  assert.equal(capacity.quotes.held, 31 + 60 * 48)
  assert.equal(catalogue.eventCount, 65)
})
