// Long lists, which are read in steps, against the same lists read at once.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { LIMITS } from '../../src/limits.ts'
import type { Exchange } from '../../src/rest/exchange.ts'
import type { Rest } from '../../src/rest/rest.ts'
import { newExchange, newRest } from './exchanges.ts'
import { Random, SEED } from '../random.ts'
import { WORLD_START } from '../random-observations.ts'
import { bookmaker, type Customer, LiveRoom, price, sighting } from '../stomp/memory-carrier.ts'

const EVENTS = 100
const IN_STEPS = { ...LIMITS, listAtOnceMax: 20, listStepMax: 7, listsWaitingMax: 3, listsPerOrganizationMax: 3 }

let room: LiveRoom

afterEach(() => room?.close())

/** Events of two sports in three leagues, one of which is of both; many kick off at the same time. */
const tell = (n: number, status: 'open' | 'closed', slug = 'a'): void => {
  const event = sighting(n, {
    sport: n % 3 === 0 ? 'tennis' : 'football',
    leagueKey: `league_${n % 4}`,
    kickoffAt: WORLD_START + 3_600_000 + (n % 5) * 60_000,
  })
  room.tell(slug, n, [price('home', 2, status)], { transport: 'rest', event })
  room.turn()
}

const newRoom = (): void => {
  room = new LiveRoom({ bookmakers: ['a', 'b'].map((slug) => bookmaker(slug)) })
  for (let n = 0; n < EVENTS; n++) tell(n, 'open', n % 10 === 0 ? 'b' : 'a')
}

interface Asked {
  readonly exchange: Exchange
  readonly later: undefined | Promise<void>
  /** Whether it is answered. */
  isDone: boolean
}

const ask = (rest: Rest, customer: Customer, rawQuery: string): Asked => {
  const exchange = newExchange(customer.secret, '/events', rawQuery)
  const later = rest.answer(exchange, room.nowAt)
  const asked = { exchange, later, isDone: later === undefined }
  void later?.then(() => (asked.isDone = true))
  return asked
}

const textOf = ({ exchange }: Asked): string => `${exchange.head.status} ${exchange.reply.body.toString()}`

const seqOf = ({ exchange }: Asked): number =>
  Number(/X-Odds-Seq: *\S+-(\d+)/.exec(exchange.head.block.toString('latin1'))![1])

test('a list that is read in steps is the one that is read at once', async () => {
  newRoom()
  const random = new Random(SEED)
  const [atOnce, inSteps] = [newRest(room), newRest(room, { limits: IN_STEPS })]
  const customers = [room.addCustomer('all'), room.addCustomer('one', ['b'])]
  let stepped = 0
  for (let round = 0; round < 400; round++) {
    if (random.chance(0.3)) tell(random.int(0, EVENTS - 1), random.pick(['open', 'closed']))
    const at = (): string => new Date(WORLD_START + 3_600_000 + random.int(-1, 6) * 60_000).toISOString()
    const query = [
      ...(random.chance(0.5) ? [`sport=${random.pick(['football', 'tennis'])}`] : []),
      ...(random.chance(0.3) ? [`league=league_${random.int(0, 4)}`] : []),
      ...(random.chance(0.3) ? [`kickoffFrom=${at()}`] : []),
      ...(random.chance(0.3) ? [`kickoffTo=${at()}`] : []),
      ...(random.chance(0.7) ? [`limit=${random.int(1, 60)}`, `offset=${random.int(0, 80)}`] : []),
      'transport=rest',
    ].join('&')
    const customer = random.pick(customers)
    const asked = ask(inSteps, customer, query)
    if (asked.later !== undefined) stepped++
    await asked.later
    assert.equal(textOf(asked), textOf(ask(atOnce, customer, query)), `seed ${SEED}, round ${round}: ${query}`)
    assert.match(textOf(asked), /^200 /)
  }
  assert.ok(stepped > 50, `seed ${SEED}: only ${stepped} in steps`)
})

test('between two steps the event loop turns, and what was read of a list that has not changed is kept', async () => {
  newRoom()
  const rest = newRest(room, { limits: IN_STEPS })
  const customer = room.addCustomer('all')
  const asked = ask(rest, customer, 'transport=rest&limit=3')
  let iterations = 0
  for (; !asked.isDone; iterations++) await nextIteration()
  assert.ok(iterations >= Math.floor(EVENTS / IN_STEPS.listStepMax), `${iterations} iterations`)
  assert.equal(ask(rest, customer, 'transport=rest&limit=3').later, undefined)
})

test('who asks after a change gets it, also where the same list is being read', async () => {
  newRoom()
  const [atOnce, rest] = [newRest(room), newRest(room, { limits: IN_STEPS })]
  const customer = room.addCustomer('all')
  const seq = room.engine.seq
  const first = ask(rest, customer, 'transport=rest')
  await nextIteration()
  await nextIteration()
  assert.equal(first.isDone, false)
  // Of the first events of the list, which has passed them.
  for (const n of [5, 10, 15]) tell(n, 'closed', n === 10 ? 'b' : 'a')
  const second = ask(rest, customer, 'transport=rest')
  await first.later
  await second.later
  // Who resumes from there is told of what has changed since the first step.
  assert.ok(room.engine.seq > seq)
  assert.equal(seqOf(first), seq)
  assert.equal(seqOf(second), room.engine.seq)
  assert.match(textOf(second), /"total":97,/)
  assert.equal(textOf(second), textOf(ask(atOnce, customer, 'transport=rest')))
  // What has changed while it was read is not taken for the current list.
  const third = ask(rest, customer, 'transport=rest')
  await third.later
  assert.equal(textOf(third), textOf(second))
})

test('the same list is read twice at most, however often it is asked for meanwhile', async () => {
  newRoom()
  const rest = newRest(room, { limits: IN_STEPS })
  const customer = room.addCustomer('all')
  const all: Asked[] = []
  let iterations = 0
  for (; iterations < 10; iterations++) {
    all.push(ask(rest, customer, 'transport=rest'))
    await nextIteration()
  }
  for (; all.some(({ isDone }) => !isDone); iterations++) await nextIteration()
  // Another time for each would be 150.
  assert.ok(iterations < 3 * Math.ceil(EVENTS / IN_STEPS.listStepMax), `${iterations} iterations`)
  for (const asked of all) assert.match(textOf(asked), /^200 .*"total":100,/)
})

test('an event that is rescheduled while a list is read is on it once', async () => {
  newRoom()
  const rest = newRest(room, { limits: IN_STEPS })
  const customer = room.addCustomer('all')
  const asked = ask(rest, customer, 'transport=rest&limit=200')
  await nextIteration()
  await nextIteration()
  // It is on the page as it was when it was read: where its kickoff says.
  const event = sighting(5, { leagueKey: 'league_1', kickoffAt: WORLD_START + 7_200_000 })
  room.tell('a', 5, [price('home', 2)], { transport: 'rest', event, observedAt: room.nowAt + 1 })
  room.turn()
  await asked.later
  const data = JSON.parse(asked.exchange.reply.body.toString()).data as { id: string; kickoffAt: string }[]
  const ids = data.map(({ id }) => id)
  const kickoffs = data.map(({ kickoffAt }) => kickoffAt)
  assert.deepEqual(kickoffs, kickoffs.toSorted())
  assert.equal(ids.length, EVENTS)
  assert.equal(new Set(ids).size, EVENTS)
})

test('more lists than may wait are refused, but for those that are asked for again', async () => {
  newRoom()
  const rest = newRest(room, { limits: IN_STEPS })
  const customer = room.addCustomer('all')
  const all = [1, 2, 3, 4, 5].map((limit) => ask(rest, customer, `transport=rest&limit=${limit}`))
  const again = ask(rest, customer, 'transport=rest&limit=2')
  assert.deepEqual(
    all.map(({ later }) => later === undefined),
    [false, false, false, true, true],
  )
  for (const { exchange } of all.slice(3)) {
    assert.equal(exchange.head.status, 503)
    assert.match(exchange.head.block.toString(), /Retry-After: 1/)
  }
  for (const { later } of [...all, again]) await later
  for (const asked of [...all.slice(0, 3), again]) assert.match(textOf(asked), /^200 .*"total":100,/)
  assert.equal(textOf(again), textOf(all[1]!))
  await ask(rest, customer, 'transport=rest&limit=9').later
})

test('an organization does not take the places of the others', async () => {
  newRoom()
  const rest = newRest(room, { limits: { ...IN_STEPS, listsPerOrganizationMax: 2 } })
  const [one, other] = [room.addCustomer('one'), room.addCustomer('other')]
  const all = [1, 2, 3].map((limit) => ask(rest, one, `transport=rest&limit=${limit}`))
  const theirs = ask(rest, other, 'transport=rest&limit=4')
  assert.equal(all[2]!.exchange.head.status, 503)
  for (const { later } of [...all, theirs]) await later
  for (const asked of [all[0]!, all[1]!, theirs]) assert.match(textOf(asked), /^200 /)
  await ask(rest, one, 'transport=rest&limit=3').later
})

test('rights that change while a list is read are not passed over', async () => {
  newRoom()
  const rest = newRest(room, { limits: IN_STEPS })
  const customer = room.addCustomer('all')
  const asked = ask(rest, customer, 'transport=rest')
  room.setEntitlement(customer, ['b'])
  await asked.later
  assert.equal(asked.exchange.head.status, 503)
  const again = ask(rest, customer, 'transport=rest')
  await again.later
  assert.match(textOf(again), /^200 .*"total":10,/)
})
