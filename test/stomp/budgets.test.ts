// One client must never hurt the others: what each may ask for has a budget of octets and of time, on both carriers.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { Carrier } from '../../src/stomp/carrier.ts'
import { bookmaker, type Customer, LiveRoom, type LiveRoomOptions, type MemoryClient, price } from './memory-carrier.ts'
import { clientFrame, type ServerFrame, shownFrame } from './strict-frames.ts'

const ALL = '/topic/odds.#'
const CARRIERS: readonly Carrier['kind'][] = ['tcp', 'websocket']

let room: LiveRoom | undefined

afterEach(() => {
  room?.close()
  room = undefined
})

const newRoom = (options: LiveRoomOptions = {}): { readonly live: LiveRoom; readonly customer: Customer } => {
  room = new LiveRoom({ bookmakers: [bookmaker('alpha')], ...options })
  return { live: room, customer: room.addCustomer('desk') }
}

const endOf = (client: MemoryClient): ServerFrame => {
  client.carrier.allow(Number.POSITIVE_INFINITY)
  const frames = client.take()
  const last = frames.at(-1)
  assert(last?.command === 'ERROR', `no ERROR at the end of ${frames.length} frames`)
  return last
}

const assertLimit = (client: MemoryClient, limit: string): void => {
  const error = endOf(client)
  assert.equal(error.headers.get('message'), 'limit_exceeded', shownFrame(error))
  assert.equal(JSON.parse(error.body.toString()).error.field, limit)
}

const assertSlow = (client: MemoryClient, words: RegExp): void => {
  const error = endOf(client)
  assert.equal(error.headers.get('message'), 'slow_consumer', shownFrame(error))
  assert.match(JSON.parse(error.body.toString()).error.message, words)
}

const nextPass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Passes until a condition holds. Returns how many it took. */
const passesUntil = async (isDone: () => boolean): Promise<number> => {
  for (let passes = 0; ; passes++) {
    if (isDone()) return passes
    assert(passes < 100_000, 'it never comes')
    await nextPass()
  }
}

const pairs = (count: number): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, n) => [
      clientFrame('SUBSCRIBE', { id: `s${n}`, destination: ALL }, '1.2'),
      clientFrame('UNSUBSCRIBE', { id: `s${n}`, receipt: `r${n}` }, '1.2'),
    ]).flat(),
  )

for (const kind of CARRIERS) {
  test(`a chunk of many frames is read in shares, and others are served between them · ${kind}`, async () => {
    const { live, customer } = newRoom()
    const greedy = live.connect(customer, kind)
    const other = live.connect(customer, kind)
    // From now on each look at the clock finds it a quarter of a millisecond later: a share is some frames.
    live.lookMs = 0.25
    greedy.sendBytes(pairs(200))
    const first = greedy.take().length
    assert(first > 0 && first < 10, `${first} receipts at once`)
    assert(greedy.session.hasInput)
    assert.equal(live.rooms.isMoreDue?.(), true, 'bundles wait for it')
    if (kind === 'tcp') assert(!greedy.carrier.isReading, 'the socket waits')
    let passes = 0
    for (; greedy.session.hasInput; passes++) {
      other.request('SUBSCRIBE', { id: `o${passes}`, destination: ALL })
      assert.equal(other.take().length, 1, 'the other is answered at once')
      await nextPass()
    }
    assert(passes > 20, `${passes} passes`)
    assert(greedy.carrier.isReading)
    assert.equal(live.rooms.isMoreDue?.(), false)
    assert.equal(first + greedy.take().length, 200)
    assert.equal(live.broker.flowCount, 1)
  })
}

test('what waits to be read of a WebSocket has a bound, which the ERROR names', () => {
  for (const over of [0, 1]) {
    const { live, customer } = newRoom({ limits: { inputBytesMax: 10_000 } })
    const client = live.connect(customer, 'websocket')
    live.lookMs = 10
    // One frame is read and the parser stops behind it: the rest waits.
    const frame = clientFrame('BEGIN', { transaction: 'a' }, '1.2')
    client.sendBytes(Buffer.concat([frame, Buffer.alloc(10_000, '\n')]))
    if (over > 0) client.sendBytes(Buffer.alloc(over, '\n'))
    if (over === 0) assert.equal(client.carrier.ending, 'none')
    else assertLimit(client, 'inputBytesMax')
    live.close()
  }
  room = undefined
})

test('many small messages that wait to be read count by their number', () => {
  const { live, customer } = newRoom({ limits: { inputBytesMax: 100 * 1_024 } })
  const client = live.connect(customer, 'websocket')
  live.lookMs = 10
  client.sendBytes(clientFrame('BEGIN', { transaction: 'a' }, '1.2'))
  let count = 0
  for (; client.carrier.ending === 'none'; count++) {
    assert(count < 1_000, 'it does not end')
    client.sendBytes(Buffer.from('\n'))
  }
  assert(count > 90 && count <= 101, `${count} messages`)
  assertLimit(client, 'inputBytesMax')
})

for (const kind of CARRIERS) {
  test(`RECEIPTs that are not read end the session before they fill the memory · ${kind}`, () => {
    const { live, customer } = newRoom()
    const client = live.connect(customer, kind)
    client.carrier.allow(0)
    const receipt = 'x'.repeat(900)
    let most = 0
    for (let n = 0; client.carrier.ending === 'none'; n++) {
      assert(n < 10_000, 'it does not end')
      client.send(n % 2 === 0 ? 'BEGIN' : 'ABORT', { transaction: 'a', receipt })
      most = Math.max(most, client.carrier.bufferedBytes)
    }
    const { pendingBytesMax } = live.broker.limits
    assert(most > pendingBytesMax && most < pendingBytesMax + 10_000, `${most} octets`)
    assertSlow(client, /waited for this session/)
    assert.equal(live.broker.sessionCount, 0)
  })
}

test('RECEIPTs that are read cost nothing of the budget, however many', () => {
  const { live, customer } = newRoom({ limits: { pendingBytesMax: 1_000 } })
  const client = live.connect(customer)
  for (let n = 0; n < 200; n++) client.send(n % 2 === 0 ? 'BEGIN' : 'ABORT', { transaction: 'a', receipt: `${n}` })
  assert.equal(client.take().length, 200)
  assert.equal(client.carrier.ending, 'none')
})

test('a burst that the socket has not accepted yet is no reason to end a session for its RECEIPT', () => {
  const { live, customer } = newRoom({ limits: { pendingBytesMax: 5_000 } })
  const client = live.connect(customer)
  client.subscribe(ALL)
  client.carrier.allow(0)
  for (let n = 0; n < 30; n++) live.tell('alpha', n, [price('home', 2), price('draw', 3), price('away', 4)])
  live.turn()
  assert(client.carrier.bufferedBytes > 5_000)
  client.send('BEGIN', { transaction: 'a', receipt: 'r' })
  assert.equal(client.carrier.ending, 'none')
  client.carrier.allow(Number.POSITIVE_INFINITY)
  assert.equal(client.take().at(-1)?.command, 'RECEIPT')
})

test('own topics have a number of subscriptions', () => {
  const { live, customer } = newRoom()
  const client = live.connect(customer)
  for (let n = 0; n < 16; n++) client.subscribe('/topic/lag', { id: `l${n}` })
  assert.equal(client.carrier.ending, 'none')
  client.subscribe('/topic/lag', { id: 'l16' })
  assertLimit(client, 'ownSubscriptionsMax')
})

test('snapshots of a session come one after the other, and hold no more than one of them', async () => {
  const { live, customer } = newRoom({ quotesMax: 20_000, limits: { socketBytesMax: 4_000 } })
  for (let n = 0; n < 500; n++) live.tell('alpha', n, [price('home', 2), price('draw', 3), price('away', 4)])
  live.turn()
  const client = live.connect(customer)
  client.carrier.allow(0)
  for (let n = 0; n < 300; n++) client.subscribe(ALL, { id: `s${n}`, snapshot: 'true' })
  await nextPass()
  // Everything changes, so that the current snapshot has to hold all of it; the others have not begun.
  for (let n = 0; n < 500; n++) live.tell('alpha', n, [price('home', 2.5)])
  live.turn()
  await nextPass()
  const { catchUpBytes } = live.broker
  assert(catchUpBytes > 50_000 && catchUpBytes < 500_000, `${catchUpBytes} octets for 300 snapshots`)
  assert.equal(client.carrier.ending, 'none')
  client.carrier.allow(Number.POSITIVE_INFINITY)
  let ended = 0
  const order: string[] = []
  await passesUntil(() => {
    for (const { headers } of client.messages()) {
      if (headers.get('kind') !== 'snapshot-end') continue
      ended++
      order.push(headers.get('subscription')!)
    }
    return ended === 300
  })
  assert.deepEqual(
    order,
    Array.from({ length: 300 }, (_, n) => `s${n}`),
  )
  // And each gets the messages from there on.
  live.tell('alpha', 1, [price('home', 2.7)])
  live.turn()
  await live.settle()
  assert.equal(client.messages().length, 300)
})

test('a snapshot that is not read while the board changes ends at its budget, and releases its memory', async () => {
  const { live, customer } = newRoom({ quotesMax: 20_000, limits: { catchUpBytesMax: 20_000, socketBytesMax: 1_000 } })
  for (let n = 0; n < 300; n++) live.tell('alpha', n, [price('home', 2), price('draw', 3)])
  live.turn()
  const client = live.connect(customer)
  client.carrier.allow(0)
  client.subscribe(ALL, { snapshot: 'true' })
  await nextPass()
  for (let n = 0; n < 300; n++) live.tell('alpha', n, [price('home', 2.5)])
  live.turn()
  await passesUntil(() => client.carrier.ending !== 'none')
  assertSlow(client, /snapshots/)
  assert.equal(live.broker.catchUpBytes, 0)
})

test('snapshots of all sessions have a budget together: the one that holds the most ends', async () => {
  const { live, customer } = newRoom({
    quotesMax: 20_000,
    limits: { catchUpBytesTotalMax: 200_000, socketBytesMax: 1_000 },
  })
  for (let n = 0; n < 300; n++) live.tell('alpha', n, [price('home', 2), price('draw', 3)])
  live.turn()
  const clients = [ALL, '/topic/odds.football.#', '/topic/odds.*.alpha.*'].map((destination) => {
    const client = live.connect(customer)
    client.carrier.allow(0)
    client.subscribe(destination, { snapshot: 'true' })
    return client
  })
  await nextPass()
  for (let n = 0; n < 300; n++) live.tell('alpha', n, [price('home', 2.5)])
  live.turn()
  assert(live.broker.catchUpBytes > 200_000)
  live.advance(100)
  await nextPass()
  const ended = clients.filter(({ carrier }) => carrier.ending !== 'none').length
  assert(ended > 0 && ended < clients.length, `${ended} of ${clients.length} ended`)
  assert(live.broker.catchUpBytes <= 200_000)
})

test('a replay that waits behind a snapshot until the log has dropped its point gets a reset', async () => {
  const { live, customer } = newRoom({ limits: { socketBytesMax: 500, replayBytesMax: 256 * 100 } })
  const change = (odds: number): void => {
    for (let n = 0; n < 40; n++) live.tell('alpha', n, [price('home', odds)])
    live.turn()
  }
  change(2)
  const point = `${live.engine.epoch}-${live.engine.seq}`
  for (const odds of [2.1, 2.2]) change(odds)
  const client = live.connect(customer)
  client.carrier.allow(0)
  client.subscribe(ALL, { id: 'first', snapshot: 'true' })
  client.subscribe(ALL, { id: 'second', 'from-seq': point })
  await nextPass()
  for (const odds of [2.3, 2.4, 2.5, 2.6, 2.7]) change(odds)
  client.carrier.allow(Number.POSITIVE_INFINITY)
  await live.settle()
  const second = client.messages().filter(({ headers }) => headers.get('subscription') === 'second')
  assert.equal(second[0]?.headers.get('kind'), 'reset')
  assert.equal(second[0].body.toString(), '{"reason":"too_old"}')
  assert.equal(second.at(-1)?.headers.get('kind'), 'snapshot-end')
})

test('a subscription that waits for acknowledgements within its snapshot does not keep the others waiting', async () => {
  const { live, customer } = newRoom({ limits: { unackedMax: 5 } })
  for (let n = 0; n < 40; n++) live.tell('alpha', n, [price('home', 2)])
  live.turn()
  const client = live.connect(customer)
  client.subscribe(ALL, { id: 'acks', ack: 'client', snapshot: 'true' })
  client.subscribe(ALL, { id: 'auto', snapshot: 'true' })
  await live.settle()
  const messages = client.messages()
  assert.equal(messages.filter(({ headers }) => headers.get('subscription') === 'acks').length, 5)
  assert.equal(messages.at(-1)?.headers.get('kind'), 'snapshot-end')
  assert.equal(messages.at(-1)?.headers.get('subscription'), 'auto')
})

test('messages that wait for acknowledgement have a bound for the whole session, too', async () => {
  const { live, customer } = newRoom({ limits: { sessionUnackedMax: 5 } })
  const client = live.connect(customer)
  for (const id of ['a', 'b']) client.subscribe(ALL, { id, ack: 'client-individual' })
  for (let n = 0; n < 10; n++) {
    live.tell('alpha', n, [price('home', 2)])
    live.turn()
  }
  await live.settle()
  const got = client.messages()
  assert.equal(got.length, 5)
  let count = got.length
  const waiting = got.map(({ headers }) => headers.get('ack')!)
  while (waiting.length > 0) {
    client.send('ACK', { id: waiting.shift()! })
    await live.settle()
    for (const { headers } of client.messages()) {
      count++
      waiting.push(headers.get('ack')!)
    }
  }
  assert.equal(count, 20, 'all come in the end, of either')
  // What is dropped with its subscription makes room again.
  live.tell('alpha', 50, [price('home', 2)])
  live.turn()
  await live.settle()
  assert.equal(client.messages().length, 2)
  client.send('UNSUBSCRIBE', { id: 'a' })
  assert.equal(client.session.outbox.unackedCount, 1)
})

for (const kind of CARRIERS) {
  test(`octets a second have a bound, and below it no session ends · ${kind}`, () => {
    for (const isOver of [false, true]) {
      const bytesPerSecondMax = isOver ? 20_000 : 2_000_000
      const { live, customer } = newRoom({ limits: { bytesPerSecondMax, socketBytesMax: 500 } })
      const client = live.connect(customer, kind)
      for (let n = 0; n < 40; n++) client.subscribe(ALL, { id: `s${n}` })
      for (let turn = 0; turn < 30; turn++) {
        live.tell('alpha', 1, [price('home', 2 + turn / 100)])
        live.turn()
        live.advance(100)
        if (client.carrier.ending !== 'none') break
      }
      if (isOver) assertLimit(client, 'bytesPerSecondMax')
      else assert.equal(client.carrier.ending, 'none', client.carrier.arrived.at(-1)?.frame.body.toString())
      live.close()
    }
    room = undefined
  })
}

test('what conflation remembers has a bound, and is forgotten when its time is over', () => {
  const { live, customer } = newRoom({ quotesMax: 20_000, limits: { conflationBytesMax: 40_000 } })
  const client = live.connect(customer)
  client.subscribe(ALL, { 'conflate-ms': '1000' })
  const tell = (from: number, to: number, odds: number): void => {
    for (let n = from; n < to; n++) live.tell('alpha', n, [price('home', odds), price('draw', 3), price('away', 4)])
    live.turn()
  }
  tell(0, 100, 2)
  const { conflationBytes } = client.session
  assert(conflationBytes > 10_000 && conflationBytes < 40_000, `${conflationBytes} octets`)
  live.advance(100)
  assert.equal(client.carrier.ending, 'none')
  for (let ms = 0; ms < 2_000; ms += 100) live.advance(100)
  assert.equal(client.session.conflationBytes, 0)
  tell(0, 1_000, 2.5)
  assert(client.session.conflationBytes > 40_000)
  live.advance(100)
  assertLimit(client, 'conflationBytesMax')
  assert.equal(live.broker.conflationBytes, 0)
})

for (const kind of CARRIERS) {
  test(`many held prices are released in shares, as fast as they are read, and none is lost · ${kind}`, async () => {
    const { live, customer } = newRoom({ quotesMax: 60_000 })
    const client = live.connect(customer, kind)
    const other = live.connect(customer)
    client.subscribe(ALL, { 'conflate-ms': '5000' })
    const last = new Map<string, number>()
    let messages = 0
    const read = (): void => {
      for (const { body } of client.messages()) {
        messages++
        const { eventId, quotes } = JSON.parse(body.toString()) as {
          eventId: string
          quotes: { outcome: string; odds: number }[]
        }
        for (const { outcome, odds } of quotes) last.set(`${eventId} ${outcome}`, odds)
      }
    }
    const outcomes = Array.from({ length: 10 }, (_, n) => `o${n}`)
    const tell = (odds: number): void => {
      for (let n = 0; n < 2_000; n++)
        live.tell(
          'alpha',
          n,
          outcomes.map((outcome) => price(outcome, odds)),
        )
      live.turn()
    }
    tell(2)
    tell(2.1)
    tell(2.2)
    await live.settle()
    read()
    assert.equal(messages, 2_000, 'only what came first')
    client.carrier.allow(0)
    live.lookMs = 0.2
    live.advance(5_000)
    await live.settle()
    assert(client.carrier.bufferedBytes < 3 * live.broker.limits.socketBytesMax, 'the socket sets the pace')
    assert.equal(live.broker.counts.slowConsumers, 0)
    other.request('BEGIN', { transaction: 'a' })
    assert.equal(other.take().length, 1)
    // While they wait, a price is replaced by a later one, and a status carries its price.
    live.tell('alpha', 1_990, [price('o3', 9)])
    live.tell('alpha', 1_991, [price('o4', 8, 'suspended')])
    live.turn()
    client.carrier.allow(Number.POSITIVE_INFINITY)
    const before = messages
    await passesUntil(() => {
      read()
      return last.size === 20_000 && [...last.values()].every((odds) => odds >= 2.2)
    })
    assert(messages - before >= 2_000)
    assert.equal(client.carrier.ending, 'none')
  })
}

test('a subscriber that does not read its held prices in time is slow, and can resume without a gap', async () => {
  const { live, customer } = newRoom({ quotesMax: 60_000, limits: { socketBytesMax: 2_000 } })
  const client = live.connect(customer)
  client.subscribe(ALL, { 'conflate-ms': '1000' })
  for (const odds of [2, 2.1]) {
    for (let n = 0; n < 200; n++) live.tell('alpha', n, [price('home', odds)])
    live.turn()
    await live.settle()
  }
  const frames = client.messages()
  client.carrier.allow(0)
  // A little is read now and then, so that it is not stalled; it is late all the same.
  for (let ms = 0; ms < 7_000 && client.carrier.ending === 'none'; ms += 100) {
    live.advance(100)
    client.carrier.allow(20)
    await nextPass()
  }
  client.carrier.allow(Number.POSITIVE_INFINITY)
  frames.push(...client.take())
  const error = frames.at(-1)!
  assert.equal(error.headers.get('message'), 'slow_consumer', shownFrame(error))
  const again = live.connect(customer)
  again.subscribe(ALL, { 'conflate-ms': '1000', 'from-seq': error.headers.get('resume-from')! })
  await live.settle()
  const priced = new Set<string>()
  for (const { command, body } of [...frames, ...again.take()]) {
    if (command !== 'MESSAGE') continue
    const { eventId, quotes } = JSON.parse(body.toString()) as { eventId: string; quotes: { odds: number }[] }
    if (quotes.some(({ odds }) => odds === 2.1)) priced.add(eventId)
  }
  assert.equal(priced.size, 200)
})

test('what waits to be read of all sessions has a bound: one that adds to it ends, and the others are read', async () => {
  const { live, customer } = newRoom({ limits: { inputBytesTotalMax: 200_000, turnBytesMax: 10_000 } })
  const clients = Array.from({ length: 5 }, () => live.connect(customer, 'websocket'))
  live.lookMs = 10
  for (const client of clients) {
    client.sendBytes(clientFrame('BEGIN', { transaction: 'a' }, '1.2'))
    client.sendBytes(Buffer.alloc(60_000, '\n'))
  }
  const ended = clients.filter(({ carrier }) => carrier.ending !== 'none')
  assert.equal(ended.length, 2)
  for (const client of ended) assertLimit(client, 'inputBytesTotalMax')
  await passesUntil(() => live.broker.inputBytes === 0)
  for (const client of clients.filter((each) => !ended.includes(each))) assert.equal(client.carrier.ending, 'none')
})

test('what conflation remembers of all sessions has a bound: the one that uses the most ends', () => {
  const { live, customer } = newRoom({ quotesMax: 20_000, limits: { conflationBytesTotalMax: 100_000 } })
  const narrow = live.connect(customer)
  narrow.subscribe('/topic/odds.football.alpha.*', { 'conflate-ms': '1000', types: 'btts' })
  const clients = [1, 2].map(() => {
    const client = live.connect(customer)
    client.subscribe(ALL, { 'conflate-ms': '1000' })
    return client
  })
  for (let n = 0; n < 600; n++) live.tell('alpha', n, [price('home', 2), price('draw', 3), price('away', 4)])
  live.turn()
  assert(live.broker.conflationBytes > 100_000)
  live.advance(100)
  const ended = clients.filter(({ carrier }) => carrier.ending !== 'none')
  assert.equal(ended.length, 1)
  assertLimit(ended[0]!, 'conflationBytesTotalMax')
  assert.equal(narrow.carrier.ending, 'none')
  assert(live.broker.conflationBytes <= 100_000)
})
