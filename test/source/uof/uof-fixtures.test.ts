// Fixtures are asked for once, a few at a time, and kept within a bound.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fixtures, type FixtureLimits } from '../../../src/source/uof/uof-fixtures.ts'
import type { ApiFault } from '../../../src/source/uof/sports-api.ts'
import { fixtureXml } from './feed-stand-in.ts'

const LIMITS: FixtureLimits = {
  fixturesMax: 2,
  parallelMax: 2,
  pauseMsMin: 1,
  pauseMsMax: 4,
  absentMs: 1_000,
  textLengthMax: 100,
}

/** Answers when it is told to. */
const shelf = () => {
  const asked: { readonly id: string; readonly answer: (answer: string | ApiFault) => Promise<void> }[] = []
  const known: string[] = []
  const told: string[] = []
  const clock = { now: 0 }
  let wake = (): void => {}
  const fixtures = new Fixtures({
    limits: LIMITS,
    ask: (id) =>
      new Promise((resolve) => {
        // Whoever answers sees what follows from it.
        asked.push({ id, answer: (answer) => Promise.resolve(resolve(answer)).then(() => {}) })
        wake()
      }),
    now: () => clock.now,
    chance: () => 0.5,
    log: (_level, message) => told.push(message),
    onKnown: (id) => known.push(id),
  })
  const untilAsked = (count: number): Promise<void> =>
    new Promise((resolve) => {
      wake = () => {
        if (asked.length >= count) resolve()
      }
      wake()
    })
  const give = async (place: number): Promise<void> => {
    const { id, answer } = asked[place]!
    await answer(fixtureXml(id, `Home of ${id}`, 'Away'))
  }
  return { fixtures, asked, known, told, clock, untilAsked, give }
}

const DOWN: ApiFault = { fault: 'down', isFinal: false }
const NONE: ApiFault = { fault: 'none', isFinal: true }

test('each is asked for once, a few at a time, and those not asked for longest go', async () => {
  const { fixtures, asked, known, give, untilAsked } = shelf()
  for (const id of ['a', 'b', 'a', 'c']) fixtures.want(id)
  assert.deepEqual(
    asked.map(({ id }) => id),
    ['a', 'b'],
  )
  await give(0)
  await untilAsked(3)
  await give(1)
  assert.equal(fixtures.get('a')?.home, 'Home of a')
  await give(2)
  assert.deepEqual(known, ['a', 'b', 'c'])
  assert.deepEqual(
    ['a', 'b', 'c'].map((id) => fixtures.isKnown(id)),
    [true, false, true],
  )
})

test('while the API is down all wait together, and all are asked for in the end', async () => {
  const { fixtures, asked, told, known, give, untilAsked } = shelf()
  for (const id of ['a', 'b', 'c']) fixtures.want(id)
  await asked[0]!.answer(DOWN)
  await asked[1]!.answer(DOWN)
  await untilAsked(4)
  for (const place of [2, 3]) await give(place)
  await untilAsked(5)
  await give(4)
  assert.deepEqual(known.toSorted(), ['a', 'b', 'c'])
  assert.deepEqual(told, [
    'fixtures are not available: down; messages of new events wait',
    'fixtures are available again',
  ])
})

test('no more wait than can be kept; what is left out is counted and told once, until nobody waits', async () => {
  const { fixtures, asked, told, give, untilAsked } = shelf()
  // Two are asked for, two wait.
  for (const id of ['a', 'b', 'c', 'd']) assert.equal(fixtures.want(id), true)
  for (const id of ['e', 'f']) assert.equal(fixtures.want(id), false)
  for (const id of ['a', 'c']) assert.equal(fixtures.want(id), true, 'it is on its way')
  // One that is known, and has changed, is not a new one.
  fixtures.renew('g')
  assert.deepEqual([fixtures.leftOut, told], [2, ['2 events wait for their fixture; further ones are left out']])
  for (const place of [0, 1, 2, 3, 4]) {
    await untilAsked(place + 1)
    await give(place)
  }
  assert.equal(asked.length, 5)
  for (const id of ['h', 'i', 'j', 'k', 'l']) fixtures.want(id)
  assert.deepEqual([fixtures.leftOut, told.length], [3, 2])
})

test('one that is not there is not asked for again soon; one that is kept is better than none', async () => {
  const { fixtures, asked, clock, give } = shelf()
  fixtures.want('a')
  await asked[0]!.answer(NONE)
  assert.deepEqual([fixtures.isKnown('a'), fixtures.get('a'), fixtures.absent], [true, undefined, 1])
  clock.now = 1_000
  assert.equal(fixtures.isKnown('a'), false)
  fixtures.want('a')
  await give(1)
  fixtures.renew('a')
  await asked[2]!.answer(NONE)
  assert.equal(fixtures.get('a')?.home, 'Home of a')
})

test('one that changes while it is asked for is asked for again', async () => {
  const { fixtures, asked, give, untilAsked } = shelf()
  fixtures.want('a')
  fixtures.renew('a')
  await give(0)
  await untilAsked(2)
  await give(1)
  fixtures.stop()
  fixtures.want('b')
  assert.equal(asked.length, 2)
})
