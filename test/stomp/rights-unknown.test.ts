// While rights cannot be checked, a session continues for a bounded time: its key may have been revoked.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { LIMITS } from '../../src/limits.ts'
import { bookmaker, LiveRoom, type MemoryClient, price } from './memory-carrier.ts'

let room: LiveRoom | undefined

afterEach(() => {
  room?.close()
  room = undefined
})

const newRoom = (): LiveRoom => {
  room = new LiveRoom({ bookmakers: [bookmaker('alpha')] })
  return room
}

/** Turns the clock as a running process does. */
const pass = async (live: LiveRoom, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 100) {
    live.advance(100)
    await nextTurn()
  }
}

const isOpen = ({ carrier }: MemoryClient): boolean => carrier.ending === 'none'

test('sessions outlive an outage shorter than rightsUnknownMsMax, and no outage that is longer', async () => {
  const live = newRoom()
  const customer = live.addCustomer('desk')
  const clients = Array.from({ length: 250 }, (_, n) => live.connect(customer, n % 2 === 0 ? 'tcp' : 'websocket'))
  for (const client of clients) client.subscribe('/topic/odds.#')
  live.tell('alpha', 1, [price('home', 2)])
  live.turn()
  for (const client of clients) assert.equal(client.messages().length, 1)

  live.gate.refuseAll('the store thread has ended')
  await pass(live, LIMITS.rightsUnknownMsMax)
  assert.ok(clients.every(isOpen), 'up to the limit they continue')
  live.gate.refuseAll(undefined)
  await pass(live, LIMITS.rightsUnknownMsMax)
  assert.ok(clients.every(isOpen), 'two outages are not one')

  live.gate.refuseAll('the store thread has ended')
  await pass(live, LIMITS.rightsUnknownMsMax + 100)
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  // All that has happened was delivered.
  const resumeFrom = `${live.engine.epoch}-${live.engine.seq}`
  for (const client of clients) {
    assert.equal(client.carrier.ending, 'fault')
    const error = client.take().at(-1)!
    assert.equal(error.command, 'ERROR')
    assert.equal(error.headers.get('message'), 'service_unavailable')
    assert.equal(error.headers.get('resume-from'), resumeFrom)
  }
  assert.equal(live.broker.sessionCount, 0)
  assert.equal(live.broker.counts.errors.get('service_unavailable'), clients.length)
})

test('a store that is lost ends sessions at once, a hundred a turn; one that is out of reach until it is lost, too', async () => {
  const live = newRoom()
  const customer = live.addCustomer('desk')
  const connect = () => Array.from({ length: 250 }, () => live.connect(customer, 'tcp'))
  for (const isLostLater of [false, true]) {
    const clients = connect()
    live.gate.refuseAll('the store cannot be read', !isLostLater)
    live.advance(100)
    const open = clients.filter(isOpen).length
    if (isLostLater) {
      assert.equal(open, 250, 'it may be back soon')
      live.gate.refuseAll('the store was deleted', true)
      live.advance(100)
    } else assert.equal(open, 150)
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    assert.ok(clients.every(({ carrier }) => carrier.ending === 'fault'))
    assert.equal(clients[249]!.take().at(-1)!.headers.get('message'), 'service_unavailable')
    assert.equal(live.broker.sessionCount, 0)
    live.gate.refuseAll(undefined)
    live.advance(100)
  }
  const [again] = connect()
  await pass(live, 1_000)
  assert.ok(isOpen(again!), 'it is back')
})

test('a client that reconnects when rights are known again resumes where it was', async () => {
  const live = newRoom()
  const customer = live.addCustomer('desk')
  const client = live.connect(customer, 'tcp')
  client.subscribe('/topic/odds.#')
  live.gate.refuseAll('the store thread has ended')
  await pass(live, LIMITS.rightsUnknownMsMax + 100)
  const from = client.take().at(-1)!.headers.get('resume-from')!
  live.tell('alpha', 1, [price('home', 2)])
  live.turn()
  live.gate.refuseAll(undefined)
  const again = live.connect(customer, 'tcp')
  again.subscribe('/topic/odds.#', { 'from-seq': from })
  await nextTurn()
  const [message] = again.messages()
  assert.equal(message?.headers.get('kind'), 'update')
})
