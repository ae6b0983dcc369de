// Inputs are gathered, applied together, published, and settled, in this order: readers see whole turns only.

import assert from 'node:assert/strict'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { test } from 'node:test'
import { NO_PRODUCER } from '../../src/domain/feed-source.ts'
import type { Input, Settled } from '../../src/domain/input.ts'
import type { Observation } from '../../src/domain/observation.ts'
import { CHANGE } from '../../src/domain/quote.ts'
import { Engine } from '../../src/engine/engine.ts'
import { Turns } from '../../src/engine/turns.ts'

const T0 = 1_790_000_000_000
const DAY_MS = 86_400_000
const LIMITS = { turnInputsMax: 4, turnPricesMax: 10, turnsWaitingMax: 4, turnBusyMs: 1, turnsMsMax: 1, walkEveryMs: 0 }

const observationOf = (bookmaker: string, event: number, prices = 1, observedAt = T0): Observation => ({
  bookmaker,
  transport: 'rest',
  observedAt,
  event: {
    sport: 'golf',
    leagueKey: 'l',
    leagueName: 'L',
    home: `Open ${event}`,
    away: '',
    kickoffAt: T0,
    sourceKey: `s:${event}`,
  },
  prices: Array.from({ length: prices }, (_, n) => ({
    type: 'outright' as const,
    line: null,
    outcome: `o${n}`,
    odds: 2,
    status: 'open' as const,
  })),
  others: 'keep',
})

const observe = (...args: Parameters<typeof observationOf>): Input => ({
  kind: 'observe',
  observation: observationOf(...args),
  producer: NO_PRODUCER,
  doubt: undefined,
})

const newWorld = (quotesMax = 1_000, limits = LIMITS, bookmakersMax = 100) => {
  let nowAt = T0
  let elapsedMs = 0
  const engine = new Engine(
    {
      quotesMax,
      skewMsMax: 5_000,
      bookmakersMax,
      wheelVisitsMax: 10,
      bookQuotesMax: 50,
      walkVisitsMax: 10,
      walkEveryMs: limits.walkEveryMs,
    },
    T0,
  )
  const happened: string[] = []
  const turns = new Turns(
    engine,
    limits,
    () => nowAt,
    undefined,
    () => elapsedMs,
  )
  engine.onTurn(({ length }) => happened.push(`${length} changes`))
  turns.onEnded(() => happened.push('ended'))
  const settled =
    (name: string): Settled =>
    (refusal) =>
      happened.push(`${name} ${refusal?.field ?? refusal?.refused ?? 'ok'}`)
  const events = (): number => {
    let count = 0
    engine.reader.visitEvents(undefined, undefined, 0, () => ++count > 0)
    return count
  }
  const pass = (ms: number): void => {
    nowAt += ms
  }
  const take = (ms: number): void => {
    elapsedMs += ms
  }
  return { engine, turns, happened, settled, events, pass, take }
}

test('inputs are applied together, published and settled, in their order', async () => {
  const { turns, happened, settled, events, engine } = newWorld()
  turns.add(observe('a', 1), settled('one'))
  turns.add(observe('a', 2, 1, T0 + 5_001), settled('two'))
  turns.add({ kind: 'suspect', producer: NO_PRODUCER, doubt: 'gap' })
  assert.deepEqual([events(), engine.seq, happened], [0, 0, []], 'nothing is seen before the turn')
  await nextIteration()
  assert.deepEqual(happened, ['1 changes', 'one ok', 'two observedAt', 'ended'])
  assert.deepEqual([events(), engine.seq], [1, 1])
  await nextIteration()
  assert.equal(happened.length, 4, 'and no turn without need')
})

test('a turn that is at its limit of inputs or of prices ends before the next input', () => {
  const { turns, happened, settled } = newWorld()
  for (let n = 1; n <= LIMITS.turnInputsMax; n++) turns.add(observe('a', n), settled(`${n}`))
  assert.deepEqual(happened, [])
  turns.add(observe('a', 5, LIMITS.turnPricesMax - 1))
  assert.deepEqual(happened, ['4 changes', '1 ok', '2 ok', '3 ok', '4 ok', 'ended'])
  happened.length = 0
  turns.add(observe('a', 6), settled('six'))
  assert.deepEqual(happened, [])
  turns.add(observe('a', 7), settled('seven'))
  assert.deepEqual(happened, ['10 changes', 'six ok', 'ended'])
})

test('a turn that is at its limit ends when the sockets have been looked at, if nothing comes', async () => {
  const { turns, happened, settled } = newWorld()
  turns.add(observe('a', 1, LIMITS.turnPricesMax), settled('one'))
  await nextIteration()
  assert.deepEqual(happened, [])
  await nextIteration()
  assert.deepEqual(happened, [`${LIMITS.turnPricesMax} changes`, 'one ok', 'ended'])
})

test('turns that take long end with fewer prices, and with more again when they are done in time', async () => {
  const limits = {
    turnInputsMax: 1_000,
    turnPricesMax: 320,
    turnsWaitingMax: 4,
    turnBusyMs: 1,
    turnsMsMax: 1,
    walkEveryMs: 0,
  }
  const { turns, engine, take } = newWorld(10_000, limits)
  let msPerPrice = 0.02
  engine.onTurn(({ length }) => take(length * msPerPrice))
  let event = 0
  let gathered = 0
  const pricesOfTurn = async (): Promise<number> => {
    for (const before = turns.ended; ; gathered++) {
      turns.add(observe('a', ++event))
      if (turns.ended !== before) break
    }
    const prices = gathered
    // What was added behind it is a turn of its own; then the sockets were looked at.
    turns.end()
    gathered = 0
    for (let n = 0; n < 3; n++) await nextIteration()
    return prices
  }
  assert.deepEqual(
    [await pricesOfTurn(), await pricesOfTurn(), await pricesOfTurn(), await pricesOfTurn()],
    [64, 50, 63, 50],
    'few at first, then as many as are done in a millisecond, or a fourth more',
  )
  msPerPrice = 1
  for (let turn = 0; turn < 3; turn++) await pricesOfTurn()
  assert.equal(await pricesOfTurn(), 20, 'but a sixteenth at least')
  msPerPrice = 0
  for (let turn = 0; turn < 13; turn++) await pricesOfTurn()
  assert.equal(await pricesOfTurn(), 320, 'and no more than ever')
})

test('the observations of a transaction are recorded all, or none', () => {
  const { turns, happened, settled, events } = newWorld()
  const ahead = [observationOf('a', 1), observationOf('a', 2, 1, T0 + 5_001)]
  turns.add({ kind: 'commit', observations: ahead }, settled('ahead'))
  turns.add({ kind: 'commit', observations: [observationOf('a', 1), observationOf('a', 2, 51)] }, settled('long'))
  turns.end()
  assert.deepEqual(happened, ['ahead observedAt', 'long bookmaker', 'ended'])
  assert.equal(events(), 0)
  turns.add({ kind: 'commit', observations: [observationOf('a', 1), observationOf('b', 1)] }, settled('both'))
  turns.end()
  assert.deepEqual(happened.slice(3), ['2 changes', 'both ok', 'ended'])
})

test('inputs that a turn causes belong to the next one', async () => {
  const { engine, turns, happened, settled } = newWorld()
  let isFirst = true
  engine.onTurn(() => {
    if (!isFirst) return
    isFirst = false
    // More than a turn has: while one is published, none ends.
    for (let n = 0; n < 6; n++) turns.add(observe('b', n), settled(`b${n}`))
    turns.end()
    assert.equal(turns.run(), false)
  })
  turns.add(observe('a', 1), (refusal) => {
    settled('a')(refusal)
    turns.end()
  })
  assert.equal(turns.run(), false, 'there is more to do')
  assert.deepEqual(happened, ['1 changes', 'a ok', 'ended'])
  await nextIteration()
  await nextIteration()
  assert.deepEqual(happened.slice(3), ['6 changes', 'b0 ok', 'b1 ok', 'b2 ok', 'b3 ok', 'b4 ok', 'b5 ok', 'ended'])
  assert.equal(turns.run(), true)
})

test('a listener that throws ends the turn, and the next one works', () => {
  const { engine, turns, happened, settled } = newWorld()
  let isBroken = true
  engine.onTurn(() => {
    if (isBroken) throw new RangeError('a bug')
  })
  turns.add(observe('a', 1), settled('one'))
  assert.throws(() => turns.end(), { message: 'a bug' })
  isBroken = false
  turns.add(observe('a', 2), settled('two'))
  turns.end()
  assert.deepEqual(happened, ['1 changes', '1 changes', 'two ok', 'ended'])
})

test('observations are reported with their producer, but for those ahead of the clock', () => {
  const { turns } = newWorld(2)
  const observed: string[] = []
  turns.onObserved = ({ bookmaker }, producer) => observed.push(`${bookmaker} ${producer}`)
  turns.add(observe('a', 1))
  turns.add(observe('ahead', 1, 1, T0 + 5_001))
  turns.add(observe('full', 1, 3))
  turns.end()
  turns.add({ kind: 'commit', observations: [observationOf('c', 9)] })
  turns.add({ kind: 'commit', observations: [observationOf('a', 1), observationOf('a', 1)] })
  turns.end()
  assert.deepEqual(observed, ['a ', 'full ', 'a ', 'a '])
})

test('a transaction with a bookmaker too many is refused whole', () => {
  const { turns, happened, settled, events } = newWorld(1_000, LIMITS, 2)
  turns.add(observe('a', 1))
  turns.end()
  const observations = [observationOf('a', 2), observationOf('b', 2), observationOf('c', 2)]
  turns.add({ kind: 'commit', observations }, settled('commit'))
  turns.end()
  assert.deepEqual([happened.at(-2), events()], ['commit bookmaker', 1])
})

test('walks have a pace, by the times of turns, whatever else comes', () => {
  const { engine, turns, pass } = newWorld(1_000, { ...LIMITS, walkEveryMs: 10 })
  for (let event = 0; event < 40; event++) turns.add(observe('a', event))
  turns.end()
  pass(100)
  turns.add({ kind: 'decide', decisions: [{ kind: 'suspend', bookmaker: 'a', event: null }] })
  turns.end()
  const suspended = (): number => engine.changeCounts[CHANGE.suspended]!
  const first = suspended()
  assert(first > 0 && first <= 10)
  for (let n = 0; n < 5; n++) {
    turns.add(observe('b', n))
    turns.end()
  }
  assert.equal(suspended(), first, 'no time has passed')
  let rounds = 0
  while (engine.isHolding) {
    pass(10)
    turns.run()
    rounds++
  }
  assert.equal(suspended(), 40)
  assert(rounds >= 4, `${rounds} rounds`)
  turns.stop()
})

test('what is due is aged out in bounded work a turn, however many inputs it has', () => {
  const { engine, turns, pass } = newWorld(1_000, { ...LIMITS, turnInputsMax: 100, turnPricesMax: 1_000 })
  for (let event = 0; event < 90; event++) turns.add(observe('a', event))
  turns.end()
  // The wheel keeps up until a moment before.
  pass(DAY_MS - 50)
  while (!turns.run());
  pass(50)
  for (let event = 100; event < 150; event++) turns.add(observe('b', event, 1, T0 + DAY_MS))
  turns.end()
  const aged = engine.changeCounts[CHANGE.aged_out]!
  // Ten visits and the rest of a block, twice.
  assert(aged > 0 && aged <= 2 * (10 + 16), `${aged} aged out`)
  while (!turns.run());
  assert.equal(engine.changeCounts[CHANGE.aged_out], 90)
})
