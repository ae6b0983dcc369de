// A session's answers to single frames: encodings, errors as headers, acknowledgements by message-id.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bookmaker, LiveRoom, type LiveRoomOptions, type MemoryClient, price } from './memory-carrier.ts'
import { type ServerFrame, shownFrame, type Version } from './strict-frames.ts'

const ALL = '/topic/odds.#'

const roomFor = (t: { after(fn: () => void): void }, options: LiveRoomOptions = {}) => {
  const room = new LiveRoom({ bookmakers: [bookmaker('alpha')], ...options })
  t.after(() => room.close())
  return { room, customer: room.addCustomer('desk') }
}

test('only application/msgpack selects MessagePack, in any case and with parameters; everything else is JSON', (t) => {
  const { room, customer } = roomFor(t)
  const expected: readonly (readonly [contentType: string, encoding: string])[] = [
    ['application/msgpack', 'application/msgpack'],
    ['Application/MsgPack', 'application/msgpack'],
    ['application/msgpack;charset=utf-8', 'application/msgpack'],
    ['application/msgpack ; q=1', 'application/msgpack'],
    ['application/json', 'application/json'],
    ['text/plain', 'application/json'],
    ['text/plain;charset=UTF-8', 'application/json'],
    ['application/msgpack2', 'application/json'],
    ['', 'application/json'],
  ]
  const clients = expected.map(([contentType]) => {
    const client = room.connect(customer)
    client.subscribe(ALL, { 'content-type': contentType })
    return client
  })
  room.tell('alpha', 1, [price('home', 2)])
  room.turn()
  for (const [n, [contentType, encoding]] of expected.entries()) {
    const [message] = clients[n]!.messages()
    assert.equal(message?.headers.get('content-type'), encoding, contentType)
  }
})

const errorOf = (client: MemoryClient): ServerFrame => {
  const frame = client.take().at(-1)
  assert.equal(frame?.command, 'ERROR', frame && shownFrame(frame))
  return frame!
}

const messageOf = (frame: ServerFrame): string => JSON.parse(frame.body.toString('utf8')).error.message

for (const version of ['1.0', '1.1', '1.2'] as const satisfies readonly Version[]) {
  test(`an ERROR carries detail and field as headers, on one short line (STOMP ${version})`, (t) => {
    const { room, customer } = roomFor(t)
    const short = room.connect(customer, 'tcp', version)
    short.send('SUBSCRIBE', { id: '1', destination: ALL, snapshot: 'maybe' })
    const error = errorOf(short)
    assert.equal(error.headers.get('message'), 'validation_failed')
    assert.equal(error.headers.get('detail'), messageOf(error))
    assert.equal(error.headers.get('field'), 'snapshot')

    // A text with colons, and longer than a header of some clients may be.
    const long = room.connect(customer, 'tcp', version)
    long.send('SUBSCRIBE', { id: '1', destination: ALL, types: 'none' })
    const listed = errorOf(long)
    const detail = listed.headers.get('detail')!
    assert(messageOf(listed).startsWith(detail.replace(/…$/, '')), detail)
    assert(Buffer.byteLength(`detail:${detail}`) < 500, detail)
  })
}

test('an ERROR before CONNECTED repeats nothing of the client but a plain receipt', (t) => {
  const { room } = roomFor(t)
  const mark = 'm4rk-of-the-client'
  for (const headers of [
    { 'accept-version': mark },
    { 'accept-version': '1.2', 'heart-beat': mark },
    { 'accept-version': '1.2', passcode: mark },
    { 'accept-version': '1.2', Authorization: mark },
    { 'accept-version': '1.2', [mark]: mark, passcode: 'odds_live_x' },
  ]) {
    const client = room.open()
    client.send('CONNECT', { ...headers, receipt: 'plain.1' })
    const error = errorOf(client)
    assert(error.headers.has('detail'))
    assert(![...error.headers.values(), error.body.toString('utf8')].join('\n').includes(mark), shownFrame(error))
    assert.equal(error.headers.get('receipt-id'), 'plain.1')
  }
})

/** Two messages that wait to be acknowledged, in a subscription of this id. */
const waiting = async (
  room: LiveRoom,
  client: MemoryClient,
  ...ids: readonly string[]
): Promise<readonly ServerFrame[]> => {
  for (const id of ids) client.subscribe(ALL, { id, ack: 'client-individual' })
  room.tell('alpha', 1, [price('home', 2)])
  room.turn()
  room.tell('alpha', 1, [price('home', 3)])
  room.turn()
  await room.settle()
  return client.messages()
}

test('ACK and NACK of 1.2 accept a message-id if only one subscription waits for it', async (t) => {
  const { room, customer } = roomFor(t)
  for (const header of ['id', 'message-id']) {
    for (const command of ['ACK', 'NACK']) {
      const client = room.connect(customer)
      const messages = await waiting(room, client, 'sub')
      const id = messages.at(-1)!.headers.get('message-id')!
      const receipt = client.request(command, { [header]: id })
      assert.equal(client.take().at(-1)?.headers.get('receipt-id'), receipt)
      // It waits no more.
      client.send(command, { [header]: id })
      assert.equal(errorOf(client).headers.get('message'), 'validation_failed')
    }
  }
})

test('a message-id that several subscriptions wait for is refused as ambiguous; with a subscription it is not', async (t) => {
  const { room, customer } = roomFor(t)
  const client = room.connect(customer)
  const messages = await waiting(room, client, 'a', 'b')
  const id = messages[0]!.headers.get('message-id')!
  const receipt = client.request('ACK', { 'message-id': id, subscription: 'a' })
  assert.equal(client.take().at(-1)?.headers.get('receipt-id'), receipt)
  // Now b alone waits for it.
  const second = client.request('ACK', { id })
  assert.equal(client.take().at(-1)?.headers.get('receipt-id'), second)
  const other = messages.find((message) => message.headers.get('message-id') !== id)!.headers.get('message-id')!
  client.send('ACK', { id: other })
  const error = errorOf(client)
  assert.equal(error.headers.get('field'), 'id')
  assert.match(error.headers.get('detail')!, /^Several subscriptions wait/)
})

test('the ack header still names a message among several', async (t) => {
  const { room, customer } = roomFor(t)
  const client = room.connect(customer)
  for (const message of await waiting(room, client, 'a', 'b')) {
    const receipt = client.request('ACK', { id: message.headers.get('ack')! })
    assert.equal(client.take().at(-1)?.headers.get('receipt-id'), receipt)
  }
})
