// Deadlines after a pause: the process was stopped, or its event loop was blocked, and what clients have sent meanwhile is
// still unread when the first timer fires. And our own heart-beats, which no state of a subscription may stop.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { LIMITS } from '../../src/limits.ts'
import { bookmaker, LiveRoom, type MemoryClient, price } from './memory-carrier.ts'
import { CARRIERS, RawClient } from './raw-client.ts'
import { World } from './world.ts'

let world: World

before(async () => {
  world = await World.start()
})

after(() => world?.stop())

/** Longer than the 2 500 ms of silence that a heart-beat of 1 000 ms allows. */
const PAUSE_MS = 4_000

test('a service that was stopped for 4 s disconnects no client with a heart-beat of 1 s', async (t) => {
  const clients = await Promise.all(
    [...CARRIERS, ...CARRIERS].map(async (carrier) => {
      const client = await RawClient.open(world.endpoint, carrier, '1.2')
      await client.connect({ passcode: world.deskKey, 'heart-beat': '1000,1000' })
      return client
    }),
  )
  const beating = setInterval(() => {
    for (const client of clients) void client.write('\n')
  }, 500)
  const { pid } = world.service.process
  t.after(() => {
    clearInterval(beating)
    process.kill(pid!, 'SIGCONT')
    for (const client of clients) client.destroy()
  })
  process.kill(pid!, 'SIGSTOP')
  await pause(PAUSE_MS)
  const beats = clients.map((client) => client.beatsAt.length)
  process.kill(pid!, 'SIGCONT')
  for (const [n, client] of clients.entries()) {
    await client.barrier()
    await client.beats(beats[n]! + 2)
  }
})

const roomFor = (t: { after(fn: () => void): void }) => {
  const room = new LiveRoom({ bookmakers: [bookmaker('alpha')] })
  t.after(() => room.close())
  return { room, customer: room.addCustomer('desk') }
}

const beating = (room: LiveRoom, customer: Parameters<LiveRoom['connect']>[0]): MemoryClient => {
  const client = room.open()
  client.send('CONNECT', { 'accept-version': '1.2', passcode: customer.secret, 'heart-beat': '1000,1000' })
  assert.equal(client.take()[0]?.command, 'CONNECTED')
  return client
}

const codeOf = (client: MemoryClient): string | undefined => client.take().at(-1)?.headers.get('message')

/** Turns the clock in steps in which timers fire in time. */
const wait = async (room: LiveRoom, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += 100) {
    room.advance(100)
    await room.settle()
  }
}

test('a silent client ends, but not before the sockets have been read after the look that finds it silent', async (t) => {
  const { room, customer } = roomFor(t)
  const silent = beating(room, customer)
  const saved = beating(room, customer)
  await wait(room, 2_500)
  room.advance(100)
  // The timer has fired. What lay in the socket of one of them is read now.
  saved.session.receive(Buffer.from('\n'))
  assert.equal(silent.carrier.ending, 'none')
  await room.settle()
  assert.equal(silent.carrier.ending, 'fault')
  assert.equal(codeOf(silent), 'protocol_error')
  assert.equal(saved.carrier.ending, 'none')
})

test('after a pause silence, stalls and the time to CONNECT are counted from its end; without one they end sessions', async (t) => {
  const { room, customer } = roomFor(t)
  const silent = beating(room, customer)
  const connecting = room.open()
  const stalled = room.connect(customer)
  stalled.subscribe('/topic/odds.#', { snapshot: 'true' })
  for (let n = 0; n < 200; n++) room.tell('alpha', n, [price('home', 2), price('away', 3)])
  room.turn()
  await room.settle()
  stalled.carrier.allow(0)
  for (let n = 0; n < 1_000; n++) room.tell('alpha', n % 200, [price('home', 2 + n / 100)])
  room.turn()
  await room.settle()
  assert(stalled.carrier.bufferedBytes > LIMITS.socketBytesMax)
  // What comes now waits for it.
  room.tell('alpha', 1, [price('home', 50)])
  room.turn()
  for (let n = 0; n < 5; n++) {
    room.advance(60_000)
    await room.settle()
  }
  for (const client of [silent, connecting, stalled]) assert.equal(client.carrier.ending, 'none')
  await wait(room, 2_600)
  assert.equal(silent.carrier.ending, 'fault')
  await wait(room, LIMITS.connectMsMax)
  assert.equal(codeOf(connecting), 'limit_exceeded')
  assert.equal(stalled.carrier.ending, 'fault')
})

test('a subscription that waits for acknowledgements does not stop our heart-beats', async (t) => {
  const { room, customer } = roomFor(t)
  const client = beating(room, customer)
  client.subscribe('/topic/odds.#', { ack: 'client-individual' })
  for (let n = 0; n < LIMITS.unackedMax; n++) room.tell('alpha', n, [price('home', 2)])
  room.turn()
  await room.settle()
  assert.equal(client.messages().length, LIMITS.unackedMax)
  const written = client.carrier.writtenBytes
  for (let n = 0; n < 20; n++) {
    client.session.receive(Buffer.from('\n'))
    room.tell('alpha', 1, [price('home', 3 + n)])
    room.turn()
    await wait(room, 100)
  }
  // Two seconds, a heart-beat every half.
  const beats = client.carrier.writtenBytes - written
  assert(beats >= 3 && beats <= 5, `${beats} octets were written`)
})
