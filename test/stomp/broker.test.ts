// What the broker asks for besides serving sessions.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Price } from '../../src/domain/observation.ts'
import { bookmaker, LiveRoom, sighting } from './memory-carrier.ts'

const EVENTS = 50
const LINES = 45
const CHANGES_A_COLLECTION = 2_048

/** Two of each line. */
const prices = Array.from({ length: LINES }, (_, line) => line + 0.5).flatMap((line) =>
  (['over', 'under'] as const).map((outcome): Price => {
    return { type: 'total_goals', line, outcome, odds: 1.9, status: 'open' }
  }),
)

test('what is young is collected in steps while a statement about many quotes is carried out, and not otherwise', async (context) => {
  let collections = 0
  const room = new LiveRoom({
    walkVisitsMax: 256,
    collectYoung: () => void collections++,
    bookmakers: [bookmaker('alpha')],
  })
  context.after(() => room.close())
  const producer = 'source part 1.1'
  for (let n = 0; n < EVENTS; n++) {
    const observation = {
      bookmaker: 'alpha',
      transport: 'live',
      observedAt: room.nowAt,
      event: sighting(n),
      prices,
    } as const
    room.turns.add({ kind: 'observe', observation: { ...observation, others: 'keep' }, producer, doubt: undefined })
    room.turns.run()
    await room.settle()
  }
  const quotes = EVENTS * prices.length
  assert(room.engine.seq >= quotes)
  assert.equal(collections, 0, 'new prices are left to V8')
  room.advance(1)
  room.turns.add({ kind: 'leave', producer, doubt: 'source_down' })
  let turns = 0
  do {
    room.turns.run()
    await room.settle()
    turns++
  } while (room.engine.hasWalks)
  assert(turns >= 10, `${turns} turns`)
  // One when it begins, of what was young until then.
  const most = 1 + Math.floor(quotes / CHANGES_A_COLLECTION)
  assert(collections >= 2 && collections <= most, `${collections} of ${most}`)
  const before = collections
  // The timer by which walks go on.
  room.advance(1)
  await room.settle()
  assert.equal(collections, before)
})
