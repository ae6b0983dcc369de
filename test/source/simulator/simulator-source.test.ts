import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as clock from '../../../src/clock.ts'
import { SimulatorSource } from '../../../src/source/simulator/simulator-source.ts'
import { Account } from '../../../src/source/kit/account.ts'
import { SaidBoard } from '../kit/said-board.ts'

test('it has delivered when the opening prices of all its bookmakers are on the board', async () => {
  const board = new SaidBoard()
  const source = new SimulatorSource(
    { seed: 1 },
    {
      name: 'world',
      account: new Account(),
      now: clock.now,
      chance: () => 0,
      producer: board.producer,
      alive: () => {},
      log: () => {},
      onMalformed: () => {},
    },
  )
  assert.equal(source.hasDelivered(), false)
  assert.equal(await source.refresh(), undefined)
  assert.equal(source.hasDelivered(), true)
  assert.ok(board.observations.length > 1_000, `${board.observations.length} observations`)
  await source.stop()
})
