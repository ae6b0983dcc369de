import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Observation } from '../../src/domain/observation.ts'
import { Intake, type Observe } from '../../src/feed/intake.ts'

const observationOf = (n: number, prices: number): Observation => ({
  bookmaker: 'northbank',
  transport: 'both',
  observedAt: n,
  event: {
    sport: 'football',
    leagueKey: 'l',
    leagueName: 'L',
    home: 'A',
    away: 'B',
    kickoffAt: 0,
    sourceKey: `s:${n}`,
  },
  prices: Array.from({ length: prices }, (_, place) => ({
    type: 'outright',
    line: null,
    outcome: `o${place}`,
    odds: 2,
    status: 'open',
  })),
  others: 'keep',
})

const flood = function* (count: number, prices: number, onTake?: (n: number) => void): Generator<Observation> {
  for (let n = 0; n < count; n++) {
    onTake?.(n)
    yield observationOf(n, prices)
  }
}

const newIntake = () => {
  let nowMs = 0
  const seen: string[] = []
  const intake = new Intake({ elapsedMs: () => nowMs })
  const observe =
    (source: number): Observe =>
    ({ observedAt }) =>
      seen.push(`${source}:${observedAt}`)
  return {
    intake,
    observe,
    seen,
    pass: (ms: number) => {
      nowMs += ms
    },
  }
}

const GENEROUS = { pricesPerSecond: 1_000_000, pricesBurst: 1_000_000 }

test('what fits is on the board before the caller goes on, in order', async () => {
  const { intake, observe, seen } = newIntake()
  const lane = intake.newLane(GENEROUS)
  const taken = lane.push(flood(5, 10), observe(1))
  assert.deepEqual(seen, ['1:0', '1:1', '1:2', '1:3', '1:4'])
  await taken
  assert.equal(lane.observations, 5)
  assert.equal(lane.prices, 50)
})

test('a source that floods does not keep another from its turn, and is not asked for more than there is room for', async () => {
  const { intake, observe, seen } = newIntake()
  let asked = 0
  const flooding = intake.newLane(GENEROUS)
  const flooded = flooding.push(
    flood(100, 100, (n) => (asked = n + 1)),
    observe(1),
  )
  assert.equal(asked, 10, 'one slice of a thousand prices')
  const other = intake.newLane(GENEROUS)
  await other.push(flood(1, 1), observe(2))
  assert.equal(seen.filter((each) => each.startsWith('1:')).length, 10)
  assert.equal(seen.at(-1), '2:0')
  await flooded
  assert.equal(seen.length, 101)
  assert.deepEqual(
    seen.filter((each) => each.startsWith('1:')),
    Array.from({ length: 100 }, (_, n) => `1:${n}`),
  )
})

test('past its budget a source waits; an observation is taken whole', async () => {
  const { intake, observe, seen, pass } = newIntake()
  const lane = intake.newLane({ pricesPerSecond: 1_000, pricesBurst: 100 })
  const taken = lane.push(flood(3, 150), observe(1))
  assert.equal(seen.length, 1, 'the burst allows one; what it has too much is owed')
  await nextTurn()
  assert.equal(seen.length, 1)
  // Time that passes gives 1 a millisecond: another is allowed as soon as nothing is owed.
  pass(51)
  while (seen.length < 2) await nextTurn()
  assert.equal(seen.length, 2)
  pass(1_000)
  await taken
  assert.equal(seen.length, 3)
  assert(lane.throttledMs >= 51, 'as long as it had to wait')
})

test('a lane that is closed drops what waits and lets its source go', async () => {
  const { intake, observe, seen } = newIntake()
  const lane = intake.newLane({ pricesPerSecond: 1, pricesBurst: 1 })
  const taken = lane.push(flood(10, 1), observe(1))
  lane.close()
  await taken
  await lane.push(flood(10, 1), observe(1))
  assert.equal(seen.length, 1)
})

test('a batch that throws is rejected, at once or in a later turn; what waits behind it is taken', async () => {
  const { intake, observe, seen } = newIntake()
  const lane = intake.newLane(GENEROUS)
  const breaking = (at: number): Generator<Observation> =>
    flood(20, 100, (n) => {
      if (n === at) throw new Error(`broken at ${n}`)
    })
  await assert.rejects(lane.push(breaking(0), observe(1)), /broken at 0/)
  assert.equal(seen.length, 0)
  const [later, behind] = [lane.push(breaking(15), observe(1)), lane.push(flood(2, 1), observe(1))]
  await assert.rejects(later, /broken at 15/)
  await behind
  assert.equal(seen.length, 17)
})

test('what is done in a lane is done in its order, whatever is left of the budget, and not once it is closed', async () => {
  const { intake, observe, seen, pass } = newIntake()
  const lane = intake.newLane({ pricesPerSecond: 1_000, pricesBurst: 100 })
  const act = (what: string): Promise<void> => lane.act(() => seen.push(what))
  await act('first')
  const [taken, between] = [lane.push(flood(2, 150), observe(1)), act('between')]
  assert.deepEqual(seen, ['first', '1:0'])
  pass(51)
  await Promise.all([taken, between])
  await act('owed')
  await assert.rejects(
    lane.act(() => assert.fail('broken')),
    /broken/,
  )
  lane.close()
  await act('closed')
  assert.deepEqual(seen, ['first', '1:0', '1:1', 'between', 'owed'])
})
