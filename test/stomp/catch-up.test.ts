// Catching up: snapshots that are of one moment however slowly they are read, replays without gap or repetition, resets
// and their reasons, and what `resume-from` promises.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { EventSighting, Observation, Price } from '../../src/domain/observation.ts'
import { MemoryImage } from '../memory-image.ts'
import { Random, SEED } from '../random.ts'
import { Desk, type DeskOptions, type KnownQuote, readPoint } from './desk.ts'
import {
  bookmaker,
  type Customer,
  LiveRoom,
  type LiveRoomOptions,
  type MemoryClient,
  price,
  sighting,
} from './memory-carrier.ts'
import { clientFrame, jsonOf, type ServerFrame, shownFrame } from './strict-frames.ts'

const ALL = '/topic/odds.*.*.*'
const BOOKS = ['alpha', 'beta', 'gamma']
const DAY_MS = 86_400_000

let room: LiveRoom

afterEach(() => room.close())

const newRoom = (options: LiveRoomOptions = {}): LiveRoom =>
  new LiveRoom({ bookmakers: BOOKS.map((slug) => bookmaker(slug)), ...options })

/** A client with one subscription, and what its desk knows. */
class Watch {
  readonly client: MemoryClient
  readonly desk: Desk
  readonly told: string[] = []
  error: ServerFrame | undefined
  /** What the last snapshot held. */
  snapshot: ReadonlyMap<string, KnownQuote> = new Map()
  snapshotEvents: readonly string[] = []
  /** Destinations of the parts of its snapshots. */
  readonly parts: string[] = []

  constructor(
    client: MemoryClient,
    destination: string,
    headers: Readonly<Record<string, string>>,
    options: Partial<DeskOptions> = {},
  ) {
    this.client = client
    this.desk = new Desk({ destination, ...options })
    if (headers.snapshot === 'true') this.desk.awaitSnapshot()
    else {
      const from = headers['from-seq']
      this.desk.awaitChanges()
      if (from !== undefined) this.desk.goOn(readPoint(from).seq)
    }
    client.subscribe(destination, headers)
  }

  take(): void {
    for (const frame of this.client.take()) {
      if (frame.command === 'ERROR') this.error = frame
      if (frame.command !== 'MESSAGE') continue
      if (frame.headers.get('kind') === 'snapshot') this.parts.push(frame.headers.get('destination')!)
      this.desk.apply(frame)
      if (frame.headers.get('kind') !== 'snapshot-end') continue
      this.snapshot = new Map(this.desk.quotes)
      this.snapshotEvents = [...this.desk.events.keys()].sort()
    }
    this.told.push(...this.desk.takeTold().map(({ text }) => text))
  }

  /** Reads all that has arrived. */
  async drain(): Promise<void> {
    this.client.carrier.allow(Number.POSITIVE_INFINITY)
    await room.settle()
    this.take()
  }
}

const stateOf = (quotes: ReadonlyMap<string, KnownQuote>): string[] =>
  [...quotes].map(([name, { odds, status }]) => `${name} ${odds} ${status}`).sort()

// --- snapshots

test('a snapshot that is read slowly is the board of its seq, while events change, come and go', async () => {
  const random = new Random(SEED)
  room = newRoom({ limits: { socketBytesMax: 1_000 } })
  const customer = room.addCustomer('desk')
  const mirror = new Watch(room.connect(customer), ALL, { snapshot: 'true' })
  const eventMirror = new Watch(room.connect(customer), '/topic/events.*.*', { snapshot: 'true' })
  const renamed = new Map<number, number>()
  const change = (): void => {
    const n = random.int(1, 80)
    if (random.chance(0.05)) renamed.set(n, random.int(1, 9))
    const event: Partial<EventSighting> = { home: `Home ${n} ${renamed.get(n) ?? 0}` }
    const prices: Price[] = ['home', 'draw', 'away']
      .filter(() => random.chance(0.6))
      .map((outcome) =>
        price(outcome, 1 + random.int(1, 99) / 10, random.chance(0.8) ? 'open' : random.pick(['suspended', 'closed'])),
      )
    // Some are observed so late that they age out while a desk reads its snapshot; the event may then end, and return.
    const observedAt = random.chance(0.3) ? room.nowAt - DAY_MS + random.int(1, 3_000) : room.nowAt
    room.tell(random.pick(BOOKS), n, prices, { observedAt, event: sighting(n, event) })
  }
  for (let count = 0; count < 200; count++) change()
  await mirror.drain()
  let aged = 0
  for (let round = 0; round < 60; round++) {
    const at = `seed ${SEED}, round ${round}`
    room.turn()
    await mirror.drain()
    await eventMirror.drain()
    const { seq } = room.engine
    const board = new Map(mirror.desk.quotes)
    const eventIds = [...eventMirror.desk.events.keys()].sort()
    mirror.told.length = 0
    const slow = new Watch(room.connect(customer, random.pick(['tcp', 'websocket'])), ALL, { snapshot: 'true' })
    const events = new Watch(room.connect(customer), '/topic/events.*.*', { snapshot: 'true' })
    for (let step = 0; slow.desk.phase === 'snapshot' || events.desk.phase === 'snapshot'; step++) {
      assert(step < 10_000, `${at}: the snapshots do not end`)
      for (let count = random.int(0, 3); count > 0; count--) change()
      if (random.chance(0.5)) room.turn()
      room.advance(random.int(0, 20))
      slow.client.carrier.allow(random.int(0, 700))
      events.client.carrier.allow(random.int(0, 300))
      if (random.chance(0.7)) await new Promise((resolve) => setImmediate(resolve))
      slow.take()
      events.take()
    }
    room.turn()
    for (const watch of [mirror, eventMirror, slow, events]) await watch.drain()
    const gone = new Set(
      mirror.told.filter((text) => text.startsWith('aged_out')).map((text) => text.split(' ').slice(1, -3).join(' ')),
    )
    aged += gone.size
    // A quote whose day was over when it was shown is not shown; its end is sent all the same.
    const isCertain = (text: string): boolean =>
      !gone.has(text.split(' ').slice(0, -2).toSpliced(2, 0, 'live').join(' '))
    assert.deepEqual(
      stateOf(slow.snapshot).filter(isCertain),
      stateOf(board).filter(isCertain),
      `${at}: the snapshot of ${seq}`,
    )
    for (const name of slow.snapshot.keys()) assert(board.has(name), `${at}: ${name} was not there at ${seq}`)
    assert.deepEqual(events.snapshotEvents, eventIds, `${at}: the events of ${seq}`)
    assert.deepEqual(slow.told, mirror.told, `${at}: sent since ${seq}`)
    assert.deepEqual(stateOf(slow.desk.quotes), stateOf(mirror.desk.quotes), `${at}: in the end`)
    assert.deepEqual(
      [...events.desk.events.keys()].sort(),
      [...eventMirror.desk.events.keys()].sort(),
      `${at}: events in the end`,
    )
    slow.client.cut()
    events.client.cut()
  }
  assert(aged > 0, `seed ${SEED}: nothing aged out`)
})

test('an event of many books is shown in shares, and whole before it changes: no book twice, none left out', async () => {
  const random = new Random(SEED)
  const books = Array.from({ length: 20 }, (_, n) => `book_${n}`)
  room = new LiveRoom({
    bookmakers: books.map((slug) => bookmaker(slug)),
    limits: { socketBytesMax: 2_000, stalledMsMax: 1_000_000 },
  })
  const customer = room.addCustomer('desk')
  const mirror = new Watch(room.connect(customer), ALL, { snapshot: 'true' })
  const change = (): void => {
    const prices = ['home', 'draw', 'away']
      .filter(() => random.chance(0.7))
      .map((outcome) => price(outcome, 1 + random.int(1, 99) / 10, random.chance(0.8) ? 'open' : 'closed'))
    room.tell(random.pick(books), random.int(1, 4), prices)
  }
  for (let count = 0; count < 200; count++) change()
  await mirror.drain()
  const { id } = room.engine.reader.eventAt(1)!.event
  for (let round = 0; round < 60; round++) {
    const at = `seed ${SEED}, round ${round}`
    room.turn()
    await mirror.drain()
    const board = new Map(mirror.desk.quotes)
    mirror.told.length = 0
    const destination = random.chance(0.4) ? `/topic/odds.*.*.${id}` : ALL
    const isAsked = (text: string): boolean => destination === ALL || text.includes(id)
    // From no time at all to a share that is over with the first book.
    const lookMs = random.pick([0, 0.2, 0.5, 2])
    room.lookMs = lookMs
    const slow = new Watch(room.connect(customer, random.pick(['tcp', 'websocket'])), destination, { snapshot: 'true' })
    for (let step = 0; slow.desk.phase === 'snapshot'; step++) {
      assert(step < 10_000, `${at}: the snapshot does not end`)
      slow.client.carrier.allow(random.int(0, 4_000))
      await new Promise((resolve) => setImmediate(resolve))
      slow.take()
      if (random.chance(0.3)) change()
      if (random.chance(0.3)) room.turn()
    }
    room.lookMs = 0
    room.turn()
    for (const watch of [mirror, slow]) await watch.drain()
    assert.equal(new Set(slow.parts).size, slow.parts.length, `${at}: a book occurs in the snapshot twice`)
    assert.deepEqual(stateOf(slow.snapshot), stateOf(board).filter(isAsked), `${at}: the snapshot`)
    assert.deepEqual(slow.told, mirror.told.filter(isAsked), `${at}: sent since then`)
    slow.client.cut()
  }
})

test('the snapshot of an event of many books is made in shares, by its id too', async () => {
  const books = Array.from({ length: 20 }, (_, n) => `book_${n}`)
  room = new LiveRoom({ bookmakers: books.map((slug) => bookmaker(slug)) })
  for (const slug of books) room.tell(slug, 1, [price('home', 2)])
  room.turn()
  const { id } = room.engine.reader.eventAt(1)!.event
  const customer = room.addCustomer('desk')
  for (const destination of [ALL, `/topic/odds.*.*.${id}`]) {
    // The time of a share is always over.
    room.lookMs = 10
    const watch = new Watch(room.connect(customer), destination, { snapshot: 'true' })
    watch.take()
    assert(watch.parts.length < 3, `${watch.parts.length} books at once`)
    await watch.drain()
    assert.equal(watch.parts.length, books.length)
    assert.equal(watch.snapshot.size, books.length)
    room.lookMs = 0
  }
})

test('an event is in no snapshot before its first price', async () => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  room.tell('alpha', 1, [price('home', 2)])
  room.turn()
  const watch = new Watch(room.connect(customer), '/topic/events.*.*', { snapshot: 'true' })
  // The snapshot has not been read yet. Of the second event nothing is shown: its only price is closed already.
  room.tell('beta', 2, [price('home', 2)], { transport: 'rest' })
  room.tell('beta', 2, [price('home', 2, 'closed')])
  room.tell('beta', 3, [price('home', 2)])
  room.turn()
  await watch.drain()
  assert.equal(watch.snapshotEvents.length, 1)
  assert.equal(watch.desk.events.size, 2)
})

test('the snapshot of an empty board ends at once', async () => {
  room = newRoom()
  const watch = new Watch(room.connect(room.addCustomer('desk')), ALL, { snapshot: 'true' })
  await watch.drain()
  assert.equal(watch.desk.phase, 'state')
  assert.equal(watch.desk.seq, 0)
})

// --- going on, and resets

/** A desk that knows the board, and was disconnected. */
const cutDesk = async (options: LiveRoomOptions = {}, windowS = 3_600): Promise<{ customer: Customer; desk: Desk }> => {
  room = newRoom(options)
  const customer = room.addCustomer('desk', '*', undefined, windowS)
  room.tell('alpha', 1, [price('home', 2), price('away', 3)])
  room.turn()
  const watch = new Watch(room.connect(customer), ALL, { snapshot: 'true' })
  await watch.drain()
  watch.client.cut()
  return { customer, desk: watch.desk }
}

const RESETS: readonly (readonly [reason: string, from: (desk: Desk) => string])[] = [
  ['epoch', ({ seq }) => `zz9-${seq}`],
  ['ahead', ({ epoch, seq }) => `${epoch}-${seq! + 1}`],
]

for (const [reason, from] of RESETS) {
  const whose = reason === 'epoch' ? 'another log' : 'the future'
  test(`a point of ${whose} gives reset ${reason}, then the state`, async () => {
    const { customer, desk } = await cutDesk()
    const next = new Watch(room.connect(customer), ALL, { 'from-seq': from(desk) })
    next.desk.awaitChanges()
    await next.drain()
    assert.deepEqual(next.desk.resets, [reason])
    assert.deepEqual(stateOf(next.desk.quotes), stateOf(desk.quotes))
    assert.equal(next.desk.seq, room.engine.seq)
  })
}

test('a point that the log has lost gives reset too_old, then the state', async () => {
  const { customer, desk } = await cutDesk({ limits: { replayBytesMax: 100 * 16 } })
  for (let n = 0; n < 17; n++) {
    room.tell('alpha', 1, [price('home', 2.1 + n / 10)])
    room.turn()
  }
  const next = new Watch(room.connect(customer), ALL, { 'from-seq': `${desk.epoch}-${desk.seq}` })
  await next.drain()
  assert.deepEqual(next.desk.resets, ['too_old'])
  assert.equal(next.desk.phase, 'state')
})

/** A customer of a room, and a point of its log. */
const newCustomer = (): { readonly customer: Customer; readonly from: string } => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  room.use(customer)
  room.turn()
  return { customer, from: `${room.engine.epoch}-${room.engine.seq}` }
}

/** The history is as after a start: loaded, and not built. */
const loadHistory = (): void => {
  const image = MemoryImage.of(room.history).reader()
  room.history.load(image, 1)
  image.checkRead()
  assert.equal(room.history.isComplete, false)
}

test('while the history is still being built after a start, desks wait, and turns do not', async () => {
  const { customer, from } = newCustomer()
  for (let n = 1; n <= 5; n++) {
    room.tell('alpha', n, [price('home', 1 + n)])
    room.turn()
  }
  const before = room.connect(customer)
  before.subscribe(ALL, { 'from-seq': from })
  const desk = room.connect(customer)
  loadHistory()
  desk.sendBytes(clientFrame('SUBSCRIBE', { id: 'sub-0', destination: ALL, 'from-seq': from }, '1.2'))
  room.tell('alpha', 6, [price('home', 7)])
  room.turn()
  assert.deepEqual(desk.take(), [])
  room.history.build(() => false)
  await room.settle()
  const told = before.messages().map(({ body }) => body.toString())
  assert.equal(told.length, 6)
  assert.deepEqual(
    desk.messages().map(({ body }) => body.toString()),
    told,
  )
})

test('a session that ends before its SUBSCRIBE was read has no point to resume from', () => {
  const { customer, from } = newCustomer()
  room.tell('alpha', 1, [price('home', 2)])
  room.turn()
  const [waiting, idle] = [room.connect(customer), room.connect(customer)]
  loadHistory()
  const subscribe = clientFrame('SUBSCRIBE', { id: 'sub-0', destination: ALL, 'from-seq': from }, '1.2')
  waiting.sendBytes(subscribe.subarray(0, 5))
  waiting.sendBytes(subscribe.subarray(5))
  for (const { session } of [waiting, idle]) session.shutDown()
  const points = [waiting, idle].map((client) => client.take().at(-1)!.headers.get('resume-from'))
  assert.deepEqual(points, [undefined, `${room.engine.epoch}-${room.engine.seq}`])
})

test('the window of the plan bounds how far back a desk may resume, and not how long it was away', async () => {
  const { customer, desk } = await cutDesk({}, 10)
  // Nothing has happened for long: nothing was missed.
  room.advance(60_000)
  const quiet = new Watch(room.connect(customer), ALL, { 'from-seq': `${desk.epoch}-${desk.seq}` })
  await quiet.drain()
  assert.deepEqual(quiet.desk.resets, [])
  room.tell('alpha', 1, [price('home', 2.5)])
  room.turn()
  room.advance(10_000)
  const within = new Watch(room.connect(customer), ALL, { 'from-seq': `${desk.epoch}-${desk.seq}` })
  await within.drain()
  assert.deepEqual(within.desk.resets, [])
  assert.equal(within.told.length, 1)
  room.advance(1)
  const past = new Watch(room.connect(customer), ALL, { 'from-seq': `${desk.epoch}-${desk.seq}` })
  await past.drain()
  assert.deepEqual(past.desk.resets, ['window'])
  assert.equal(past.desk.phase, 'state')
})

test('a point in the middle of a message resumes with the rest of that message', async () => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  const plain = new Watch(room.connect(customer), ALL, {})
  room.tell('alpha', 1, [price('home', 2), price('draw', 3), price('away', 4)])
  room.turn()
  await plain.drain()
  assert.equal(plain.told.length, 3)
  const { epoch, seq } = plain.desk
  for (let missed = 0; missed <= 3; missed++) {
    const watch = new Watch(room.connect(customer), ALL, { 'from-seq': `${epoch}-${seq! - missed}` })
    await watch.drain()
    assert.deepEqual(watch.told, plain.told.slice(3 - missed))
  }
})

test('a desk that lost or gained rights while it was away gets a reset', async () => {
  const { customer, desk } = await cutDesk()
  room.tell('beta', 1, [price('home', 2.2)])
  room.turn()
  room.setEntitlement(customer, ['beta'])
  const next = new Watch(room.connect(customer), ALL, { 'from-seq': `${desk.epoch}-${desk.seq}` })
  await next.drain()
  assert.deepEqual(next.desk.resets, ['audience'])
  assert.deepEqual(
    [...next.desk.quotes.keys()].map((name) => name.split(' ')[1]),
    ['beta'],
  )
})

test('a message that waits on a quiet topic can be resumed before, however long ago the one before it was', async () => {
  room = newRoom({ limits: { replayBytesMax: 256 * 100, unackedMax: 1 } })
  const customer = room.addCustomer('desk')
  const client = room.connect(customer)
  client.subscribe('/topic/odds.*.alpha.*', { ack: 'client', 'from-seq': `${room.engine.epoch}-${room.engine.seq}` })
  const tell = (slug: string, odds: number): number => {
    room.tell(slug, 1, [price('home', odds)])
    room.turn()
    return room.engine.seq
  }
  const first = tell('alpha', 2)
  await room.settle()
  for (let n = 0; n < 300; n++) tell('beta', 3 + n / 100)
  assert(room.broker.ring.floorSeq > first, 'the log has dropped the first message')
  tell('alpha', 2.1)
  room.setEntitlement(customer, ['alpha', 'beta'])
  await room.settle()
  tell('alpha', 2.2)
  const messages: ServerFrame[] = []
  for (let next = client.messages(); next.length > 0; next = client.messages()) {
    messages.push(...next)
    client.send('ACK', { id: next.at(-1)!.headers.get('ack')! })
    await room.settle()
  }
  assert.deepEqual(
    messages.map(({ headers }) => headers.get('kind')),
    ['update', 'update', 'update'],
  )
})

test('prev follows the messages that came, where rights change while a replay waits to be acknowledged', async () => {
  room = newRoom({ limits: { unackedMax: 1 } })
  const customer = room.addCustomer('desk')
  const from = `${room.engine.epoch}-${room.engine.seq}`
  for (const odds of [2, 2.1, 2.2, 2.3]) {
    room.tell('alpha', 1, [price('home', odds)])
    room.turn()
  }
  const client = room.connect(customer)
  client.subscribe('/topic/odds.*.alpha.*', { ack: 'client', 'from-seq': from })
  await room.settle()
  room.setEntitlement(customer, ['alpha', 'beta'])
  await room.settle()
  const seqs: (readonly [seq: number, prev: number])[] = []
  for (let next = client.messages(); next.length > 0; next = client.messages()) {
    for (const { headers } of next)
      seqs.push([readPoint(headers.get('message-id')!).seq, readPoint(headers.get('prev')!).seq])
    client.send('ACK', { id: next.at(-1)!.headers.get('ack')! })
    await room.settle()
  }
  assert.equal(seqs.length, 4)
  for (const [n, [, prev]] of seqs.entries()) if (n > 0) assert.equal(prev, seqs[n - 1]![0])
})

test('wherever a change of rights meets a snapshot, the next subscription gets its own', async () => {
  for (let unackedMax = 1; unackedMax <= 6; unackedMax++) {
    room = newRoom({ limits: { unackedMax } })
    for (const slug of BOOKS) for (const n of [1, 2]) room.tell(slug, n, [price('home', 2)])
    room.turn()
    const customer = room.addCustomer('desk')
    const client = room.connect(customer)
    const subscribe = async (id: string, slug: string): Promise<void> => {
      client.subscribe(`/topic/odds.*.${slug}.*`, { id, snapshot: 'true', ack: 'client-individual' })
      await room.settle()
    }
    const ended: string[] = []
    const acknowledge = async (): Promise<void> => {
      for (let next = client.messages(); next.length > 0; next = client.messages()) {
        for (const { headers } of next) {
          if (headers.get('kind') === 'snapshot-end') ended.push(headers.get('subscription')!)
          client.send('ACK', { id: headers.get('ack')! })
        }
        await room.settle()
      }
    }
    await subscribe('first', 'alpha')
    // It changes nothing for this topic, while some or all of the snapshot waits to be acknowledged.
    room.setEntitlement(customer, ['alpha', 'beta'])
    await acknowledge()
    await subscribe('next', 'beta')
    await acknowledge()
    assert.deepEqual(ended, ['first', 'next'], `with ${unackedMax} unacknowledged messages`)
    room.close()
  }
  room = newRoom()
})

test('rights that change before a snapshot is begun are what it shows, without a reset', async () => {
  room = newRoom({ limits: { socketBytesMax: 500 } })
  for (const slug of BOOKS) for (let n = 0; n < 20; n++) room.tell(slug, n, [price('home', 2)])
  room.turn()
  const customer = room.addCustomer('desk')
  const client = room.connect(customer)
  client.carrier.allow(2_000)
  const from = { 'from-seq': `otherepoch-${room.engine.seq}` }
  client.subscribe(ALL, { id: 'begun', snapshot: 'true' })
  client.subscribe(ALL, { id: 'next', snapshot: 'true' })
  client.subscribe(ALL, { id: 'reset', ...from })
  await room.settle()
  room.setEntitlement(customer, ['alpha', 'beta'])
  client.carrier.allow(Number.POSITIVE_INFINITY)
  await room.settle()
  const messages = client.messages()
  const seen = ['begun', 'next', 'reset'].map((id) => {
    const own = messages.filter(({ headers }) => headers.get('subscription') === id)
    const resets = own.filter(({ headers }) => headers.get('kind') === 'reset').map((frame) => jsonOf(frame).reason)
    const afterReset = own.findLastIndex(({ headers }) => headers.get('kind') === 'reset') + 1
    const books = own.slice(afterReset).filter(({ headers }) => headers.get('kind') === 'snapshot')
    return [id, resets, books.length, new Set(books.map((frame) => jsonOf(frame).bookmaker)).size]
  })
  assert.deepEqual(seen, [
    ['begun', ['audience'], 40, 2],
    ['next', [], 40, 2],
    ['reset', ['epoch'], 40, 2],
  ])
})

test('a turn that the log cannot hold ends in a reset for everybody, also where messages wait', async () => {
  room = newRoom({ limits: { replayBytesMax: 16 * 100, unackedMax: 1 } })
  const customer = room.addCustomer('desk')
  const kept = new Watch(room.connect(customer), ALL, { snapshot: 'true' })
  const plain = room.connect(customer)
  plain.subscribe('/topic/odds.*.alpha.*')
  const waiting = room.connect(customer)
  waiting.subscribe('/topic/odds.*.alpha.*', { ack: 'client' })
  const tellAll = (odds: number, events: number): void => {
    for (let n = 1; n <= events; n++) room.tell('alpha', n, [price('home', odds)])
    room.turn()
  }
  tellAll(2, 1)
  await kept.drain()
  assert.equal(plain.messages().length, 1)
  const [acked] = waiting.messages()
  assert(acked !== undefined)
  tellAll(3, 40)
  await kept.drain()
  assert.deepEqual(kept.desk.resets, ['too_old'])
  assert.equal(kept.desk.quotes.size, 40)
  const kinds = plain.messages().map(({ headers }) => headers.get('kind'))
  assert.deepEqual(kinds, ['reset', ...Array<string>(40).fill('snapshot'), 'snapshot-end'])
  waiting.send('ACK', { id: acked.headers.get('ack')! })
  await room.settle()
  assert.equal(waiting.messages()[0]!.headers.get('kind'), 'reset')
})

test('rights that changed while a desk was away, and nothing else did, cause a reset', async () => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  for (const slug of BOOKS) room.tell(slug, 1, [price('home', 2)])
  room.turn()
  const watch = new Watch(room.connect(customer), ALL, { snapshot: 'true' })
  await watch.drain()
  watch.client.cut()
  const { epoch, seq } = watch.desk
  room.setEntitlement(customer, ['beta'])
  const narrowed = new Watch(room.connect(customer), ALL, { 'from-seq': `${epoch}-${seq}` })
  await narrowed.drain()
  assert.deepEqual(narrowed.desk.resets, ['audience'])
  assert.equal(narrowed.desk.quotes.size, 1)
  narrowed.client.cut()
  room.setEntitlement(customer, '*')
  const widened = new Watch(room.connect(customer), ALL, { 'from-seq': `${epoch}-${narrowed.desk.seq}` })
  await widened.drain()
  assert.deepEqual(widened.desk.resets, ['audience'])
  assert.equal(widened.desk.quotes.size, 3)
})

test('rights that change while connected reset the state, and nothing of a removed bookmaker is sent', async () => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  for (const slug of BOOKS) room.tell(slug, 1, [price('home', 2)])
  room.turn()
  const watch = new Watch(room.connect(customer), ALL, { snapshot: 'true' })
  await watch.drain()
  assert.equal(watch.desk.quotes.size, 3)
  room.setEntitlement(customer, ['alpha', 'beta'])
  room.tell('gamma', 1, [price('home', 2.5)])
  room.turn()
  await watch.drain()
  assert.deepEqual(watch.desk.resets, ['audience'])
  assert.deepEqual([...watch.desk.quotes.keys()].map((name) => name.split(' ')[1]).sort(), ['alpha', 'beta'])
  // What does not concern its topics goes unnoticed.
  room.setBookmakers([...BOOKS, 'delta'].map((slug) => bookmaker(slug)))
  room.setEntitlement(customer, ['alpha', 'beta', 'unknown'])
  await watch.drain()
  assert.deepEqual(watch.desk.resets, ['audience'])
  room.setEntitlement(customer, '*')
  await watch.drain()
  assert.deepEqual(watch.desk.resets, ['audience', 'audience'])
  assert.equal(watch.desk.quotes.size, 3)
})

test('no two messages of a subscription have one id, however often it restarts at one moment', async () => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  for (const slug of BOOKS) room.tell(slug, 1, [price('home', 2)])
  room.turn()
  const client = room.connect(customer)
  client.subscribe(ALL, { snapshot: 'true', ack: 'client' })
  await room.settle()
  for (const slugs of [['alpha', 'beta'], ['alpha'], BOOKS]) {
    room.setEntitlement(customer, slugs)
    await room.settle()
  }
  const messages = client.take().filter(({ command }) => command === 'MESSAGE')
  const ids = messages.map(({ headers }) => headers.get('message-id')!)
  const parts = ids.filter((id) => readPoint(id).part !== undefined)
  // Three parts; reset and two; reset and one; reset and three.
  assert.equal(parts.length, 3 + 3 + 2 + 4)
  assert.equal(new Set(parts).size, parts.length, ids.join())
  // The end of a snapshot is a resume point, the same each time; a client that acknowledges in order is always understood.
  assert.equal(ids.length - parts.length, 4)
  for (const { headers } of messages) client.send('ACK', { id: headers.get('ack') })
  assert.deepEqual(client.take().map(shownFrame), [])
})

// --- resume-from

const resumeSeqOf = (watch: Watch): number => {
  assert(watch.error !== undefined, 'no ERROR has come')
  assert.equal(watch.error.headers.get('message'), 'slow_consumer', shownFrame(watch.error))
  return readPoint(watch.error.headers.get('resume-from') ?? assert.fail('no resume-from')).seq
}

/** Advances the clock until a client that reads nothing is disconnected. */
const stall = async (): Promise<void> => {
  for (let ms = 0; ms < 7_000; ms += 100) room.advance(100)
  await room.settle()
}

test('a desk that does not acknowledge gets its own point, and not the end of the log', async () => {
  const { customer, desk } = await cutDesk({ limits: { unackedMax: 2, pendingBytesMax: 20_000 } })
  for (let n = 0; n < 6; n++) {
    room.tell('alpha', 1, [price('home', 2.1 + n / 10)])
    room.turn()
  }
  // The replay is six messages, of which it may have two before it acknowledges.
  const next = new Watch(room.connect(customer), ALL, {
    'from-seq': `${desk.epoch}-${desk.seq}`,
    ack: 'client-individual',
  })
  await next.drain()
  assert.equal(next.told.length, 2)
  // It never does. What comes now waits for it, until that is too much.
  for (let n = 0; n < 100 && next.error === undefined; n++) {
    room.tell('alpha', 1, [price('home', 3 + n / 10)])
    room.turn()
    await next.drain()
  }
  assert(resumeSeqOf(next) <= next.desk.seq!, `resume-from ${resumeSeqOf(next)}, but it has only ${next.desk.seq}`)
})

test('of two subscriptions the one that is further behind gives the point to resume from, on WebSocket too', async () => {
  room = newRoom({ limits: { socketBytesMax: 500 } })
  const customer = room.addCustomer('desk')
  const client = room.connect(customer, 'websocket')
  const desks = new Map<string, Desk>()
  for (const slug of ['alpha', 'beta']) {
    const destination = `/topic/odds.*.${slug}.*`
    const desk = new Desk({ destination })
    desk.awaitChanges(room.engine.epoch, room.engine.seq)
    desks.set(slug, desk)
    client.subscribe(destination, { id: slug })
  }
  const tell = (odds: number): void => {
    // The first one's last message of a turn comes after the second one's.
    room.tell('alpha', 1, [price('home', odds), price('away', odds)])
    room.tell('beta', 1, [price('home', odds), price('away', odds)])
    room.tell('alpha', 2, [price('home', odds), price('away', odds)])
    room.turn()
  }
  tell(2)
  client.carrier.allow(0)
  // From the first of these turns on the client reads nothing.
  for (let n = 0; n < 4; n++) tell(3 + n)
  await stall()
  client.carrier.allow(Number.POSITIVE_INFINITY)
  let error: ServerFrame | undefined
  for (const frame of client.take()) {
    if (frame.command === 'ERROR') error = frame
    if (frame.command === 'MESSAGE') desks.get(frame.headers.get('subscription')!)!.apply(frame)
  }
  assert(error !== undefined, 'it was not disconnected')
  assert.equal(String(jsonOf(error).error?.code), 'slow_consumer')
  const { seq } = readPoint(error.headers.get('resume-from') ?? assert.fail('no resume-from'))
  for (const [slug, desk] of desks) {
    const destination = `/topic/odds.*.${slug}.*`
    // What it has missed, from its own last message on; and what it would be given from the server's point on.
    const own = new Watch(room.connect(customer), destination, { 'from-seq': `${desk.epoch}-${desk.seq}` })
    const said = new Watch(room.connect(customer), destination, { 'from-seq': `${desk.epoch}-${seq}` })
    await own.drain()
    await said.drain()
    assert.deepEqual(
      said.told.slice(-own.told.length || said.told.length),
      own.told,
      `${slug} has ${desk.seq}, not ${seq}`,
    )
  }
})

test('in the middle of a snapshot there is no point to resume from', async () => {
  room = newRoom({ limits: { socketBytesMax: 500 } })
  for (let n = 0; n < 50; n++) room.tell('alpha', n, [price('home', 2), price('away', 3)])
  room.turn()
  const client = room.connect(room.addCustomer('desk'))
  client.carrier.allow(2_000)
  const watch = new Watch(client, ALL, { snapshot: 'true' })
  await room.settle()
  await stall()
  await watch.drain()
  assert.equal(watch.error?.headers.get('message'), 'slow_consumer')
  assert.equal(watch.error?.headers.get('resume-from'), undefined)
})

test('a replay that the log overtakes ends with the point from which nothing is lost', async () => {
  const { customer, desk } = await cutDesk({ limits: { replayBytesMax: 100 * 64, socketBytesMax: 300 } })
  const tell = (n: number): void => {
    room.tell('alpha', 1, [price('home', 2.1 + n / 100)])
    room.turn()
  }
  for (let n = 0; n < 50; n++) tell(n)
  const client = room.connect(customer)
  client.carrier.allow(3_000)
  const next = new Watch(client, ALL, { 'from-seq': `${desk.epoch}-${desk.seq}` })
  await room.settle()
  for (let n = 50; n < 200; n++) tell(n)
  await next.drain()
  assert(resumeSeqOf(next) <= next.desk.seq!)
  const again = new Watch(room.connect(customer), ALL, { 'from-seq': `${desk.epoch}-${resumeSeqOf(next)}` })
  await again.drain()
  assert.deepEqual(again.desk.resets, ['too_old'])
  assert.equal(again.desk.phase, 'state')
})

// --- whose changes they are

/** A book that was there for a day, and ends in the moment in which another one of the same event begins. */
const successor = (over: Partial<Observation>): void => {
  room.tell('alpha', 1, [price('home', 2)], { transport: 'live' })
  // The event stays, so that it is the same one.
  room.turn()
  room.advance(DAY_MS - 1_000)
  room.tell('gamma', 1, [price('home', 5)])
  room.turn()
  room.advance(1_000)
  room.tell('beta', 1, [price('home', 3)], over)
}

test('a book that begins in the turn in which another one ends is published as its own', async () => {
  room = newRoom()
  const all = new Watch(room.connect(room.addCustomer('desk')), ALL, {})
  const alpha = new Watch(room.connect(room.addCustomer('alpha', ['alpha'])), ALL, {})
  successor({})
  room.turn()
  await all.drain()
  await alpha.drain()
  const told = (watch: Watch): string[] =>
    watch.told.map((text) => text.split(' ').toSpliced(1, 1).slice(0, 2).join(' '))
  assert.deepEqual(told(all), ['added alpha', 'added gamma', 'aged_out alpha', 'added beta'])
  assert.deepEqual(told(alpha), ['added alpha', 'aged_out alpha'])
})

test('a live book that begins in the turn in which a book of REST ends is published', async () => {
  room = newRoom()
  const all = new Watch(room.connect(room.addCustomer('desk')), ALL, { snapshot: 'true' })
  room.tell('alpha', 1, [price('home', 2)], { transport: 'rest' })
  room.turn()
  room.advance(DAY_MS - 1_000)
  room.tell('gamma', 1, [price('home', 5)])
  room.turn()
  room.advance(1_000)
  room.tell('beta', 1, [price('home', 3)])
  room.turn()
  await all.drain()
  assert.deepEqual([...all.desk.quotes.keys()].map((name) => name.split(' ')[1]).sort(), ['beta', 'gamma'])
})

test('a book that begins after another one has ended is published as its own', async () => {
  room = newRoom()
  const all = new Watch(room.connect(room.addCustomer('desk')), ALL, {})
  const alpha = new Watch(room.connect(room.addCustomer('alpha', ['alpha'])), ALL, {})
  room.tell('alpha', 1, [price('home', 2)])
  room.turn()
  room.advance(DAY_MS - 1_000)
  room.tell('gamma', 1, [price('home', 5)])
  room.turn()
  room.advance(1_000)
  room.turn()
  room.tell('beta', 1, [price('home', 3)])
  room.turn()
  await all.drain()
  await alpha.drain()
  assert.equal(all.told.filter((text) => text.includes(' beta ')).length, 1)
  assert.deepEqual(
    alpha.told.filter((text) => !text.includes(' alpha ')),
    [],
  )
  assert.equal(alpha.told.length, 2)
})

test('a desk that filters by league is reset when a source moves an event in or out of its leagues', async () => {
  room = newRoom()
  const customer = room.addCustomer('desk')
  const event = { ...sighting(1), sourceKey: 'alpha:1' }
  const tell = (leagueKey: string, odds: number): void => {
    room.tell('alpha', 1, [price('home', odds)], { event: { ...event, leagueKey } })
    room.turn()
  }
  tell('first', 2)
  const watches = ['first', 'second'].map(
    (leagues) => new Watch(room.connect(customer), ALL, { leagues, snapshot: 'true' }),
  )
  const plain = new Watch(room.connect(customer), ALL, { snapshot: 'true' })
  const [first, second] = watches as [Watch, Watch]
  const drain = async (): Promise<void> => {
    for (const watch of [first, second, plain]) await watch.drain()
  }
  await drain()
  assert.deepEqual([first.desk.quotes.size, second.desk.quotes.size], [1, 0])
  const away = { epoch: first.desk.epoch, seq: first.desk.seq }
  tell('second', 2.1)
  await drain()
  assert.deepEqual([first.desk.quotes.size, second.desk.quotes.size], [0, 1])
  assert.deepEqual([first.desk.resets, second.desk.resets, plain.desk.resets], [['audience'], ['audience'], []])
  tell('second', 2.2)
  await drain()
  assert.deepEqual(
    [...second.desk.quotes.values()].map(({ odds }) => odds),
    [2.2],
  )
  // A desk that was away finds it in the log.
  const back = new Watch(room.connect(customer), ALL, { leagues: 'first', 'from-seq': `${away.epoch}-${away.seq}` })
  await back.drain()
  assert.deepEqual(back.desk.resets, ['audience'])
  assert.equal(back.desk.quotes.size, 0)
})
