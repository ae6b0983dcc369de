// Feeds while the log, or what it has written, is behind: whatever their carrier, none is read until there is room.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TurnLog } from '../../src/engine/turns.ts'
import type { LiveLimits } from '../../src/stomp/session-limits.ts'
import { bookmaker, LiveRoom, type MemoryClient, sighting } from './memory-carrier.ts'
import { clientFrame } from './strict-frames.ts'

class FakeLog implements TurnLog {
  isFull = false
  private room: () => void = () => {}

  append: TurnLog['append'] = (turn, written) => written(turn)

  onRoom(listener: () => void): void {
    this.room = listener
  }

  makeRoom(): void {
    this.isFull = false
    this.room()
  }
}

const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const newWorld = (t: { after(fn: () => void): void }, limits: Partial<LiveLimits> = {}) => {
  const log = new FakeLog()
  const room = new LiveRoom({ log, bookmakers: [bookmaker('alpha')], limits })
  t.after(() => room.close())
  const { home, away, kickoffAt, sourceKey } = sighting(1)
  const observation = {
    transport: 'live',
    observedAt: new Date(room.nowAt).toISOString(),
    event: {
      sport: 'football',
      league: { key: 'league', name: 'League' },
      ...{ home, away, kickoffAt: new Date(kickoffAt).toISOString(), sourceId: sourceKey },
    },
    quotes: [{ type: 'match_result_1x2', line: null, outcome: 'home', odds: 2 }],
  }
  const connect = (kind: 'tcp' | 'websocket'): MemoryClient => room.connect(room.addFeed(kind, 'alpha'), kind)
  /** Sends observations in one piece. */
  const send = (client: MemoryClient, ...receipts: string[]): void =>
    client.sendBytes(
      Buffer.concat(
        receipts.map((receipt) =>
          clientFrame('SEND', { destination: '/feed/alpha', receipt }, client.version, JSON.stringify(observation)),
        ),
      ),
    )
  const receiptsOf = (client: MemoryClient): (string | undefined)[] =>
    client.take().map(({ command, headers }) => `${command} ${headers.get('receipt-id')}`)
  return { room, log, connect, send, receiptsOf }
}

test('while there is no room no feed is read, whichever its carrier, and all are when there is', async (t) => {
  const { room, log, connect, send, receiptsOf } = newWorld(t)
  const [tcp, websocket] = [connect('tcp'), connect('websocket')]
  log.isFull = true
  for (const client of [websocket, tcp]) send(client, 'a')
  for (const client of [websocket, tcp]) send(client, 'b', 'c')
  await nextIteration()
  await nextIteration()
  assert.equal(room.broker.inputBytes, 4 * 1_024, 'nothing was read: four pieces wait')
  assert.equal(room.broker.passes.waiting, 0, 'and nobody asks for time meanwhile')
  assert.deepEqual([tcp.carrier.isReading, websocket.carrier.isReading], [false, false])
  log.makeRoom()
  await room.settle()
  assert.deepEqual(receiptsOf(tcp), ['RECEIPT a', 'RECEIPT b', 'RECEIPT c'])
  assert.deepEqual(receiptsOf(websocket), ['RECEIPT a', 'RECEIPT b', 'RECEIPT c'])
  assert.deepEqual([tcp.carrier.isReading, websocket.carrier.isReading], [true, true])
  assert.equal(room.broker.inputBytes, 0)
})

test('a piece of many frames is read only until the room is used up', async (t) => {
  const { room, log, connect, send, receiptsOf } = newWorld(t)
  const websocket = connect('websocket')
  const { add } = room.turns
  room.turns.add = (...args) => {
    add.apply(room.turns, args)
    log.isFull = true
  }
  send(websocket, 'a', 'b')
  await nextIteration()
  assert.equal(websocket.session.hasInput, true)
  room.turns.add = add
  log.makeRoom()
  await room.settle()
  assert.deepEqual(receiptsOf(websocket), ['RECEIPT a', 'RECEIPT b'])
})

test('customers are served while feeds wait for room', (t) => {
  const { room, log, receiptsOf } = newWorld(t)
  const client = room.connect(room.addCustomer('desk'))
  log.isFull = true
  client.request('SUBSCRIBE', { id: '0', destination: '/topic/odds.#' })
  assert.deepEqual(receiptsOf(client), ['RECEIPT r1'])
})

test('a feed whose connection breaks while it waits for room is forgotten', async (t) => {
  const { room, log, connect, send } = newWorld(t)
  const websocket = connect('websocket')
  log.isFull = true
  send(websocket, 'a')
  websocket.cut()
  log.makeRoom()
  await room.settle()
  assert.equal(room.broker.inputBytes, 0)
})

for (const kind of ['tcp', 'websocket'] as const) {
  test(`what a feed has sent before it ends is read when there is room (${kind})`, async (t) => {
    const { room, log, connect, send } = newWorld(t)
    const client = connect(kind)
    log.isFull = true
    send(client, 'a')
    client.session.inputEnded()
    await nextIteration()
    assert.equal(client.session.hasInput, true)
    log.makeRoom()
    await room.settle()
    assert.equal(room.engine.seq, 2, 'a quote, and a book')
    assert.equal(room.broker.sessionCount, 0)
    assert.equal(room.broker.inputBytes, 0)
  })
}

test('where too much waits to be read of all sessions, a feed that ends is not waited for', async (t) => {
  const { room, log, connect, send } = newWorld(t, { inputBytesTotalMax: 2 * 1_024 })
  const feeds = [connect('tcp'), connect('tcp'), connect('websocket')]
  log.isFull = true
  for (const feed of feeds) send(feed, 'a')
  assert.equal(room.broker.inputBytes, 3 * 1_024)
  feeds[0]!.session.inputEnded()
  assert.equal(room.broker.sessionCount, 2)
  feeds[1]!.session.inputEnded()
  assert.equal(room.broker.sessionCount, 2, 'as much as may wait')
  log.makeRoom()
  await room.settle()
  assert.equal(room.broker.sessionCount, 1)
  assert.equal(room.broker.inputBytes, 0)
})
