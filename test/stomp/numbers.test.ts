// `quotes:numbered` (docs/live-protocol.md 4.8): a desk with numbers knows what one without them knows, in far fewer
// octets. truth.test.ts, degraded.test.ts and the simulation have such desks among theirs.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { unpack } from 'msgpackr'
import { Changes } from '../../src/board/changes.ts'
import { NO_LINE } from '../../src/board/columns.ts'
import type { Event, EventView } from '../../src/domain/event.ts'
import { CAUSE, CHANGE, QUOTE_STATUS } from '../../src/domain/quote.ts'
import { JsonWriter, piece } from '../../src/json-writer.ts'
import { FrameRun, type MessageForm } from '../../src/stomp/frame-run.ts'
import { ALL_TYPES, newSelection, NONE, select } from '../../src/stomp/message.ts'
import { shortHeadOf, writeChanges } from '../../src/stomp/numbers.ts'
import { ReplayRing } from '../../src/stomp/replay-ring.ts'
import { Random, SEED } from '../random.ts'
import { appendChange } from './append-change.ts'
import { bodyOf, Desk } from './desk.ts'
import {
  bookmaker,
  type Customer,
  LiveRoom,
  type LiveRoomOptions,
  type MemoryClient,
  price,
  sighting,
} from './memory-carrier.ts'
import { type ServerFrame, shownFrame } from './strict-frames.ts'

const BOOKS = ['alpha', 'beta']
const ALL = '/topic/odds.*.*.*'
const HOUR_MS = 3_600_000
const NUMBERED = { quotes: 'numbered', snapshot: 'true' }

let room: LiveRoom | undefined

afterEach(() => {
  room?.close()
  room = undefined
})

const newRoom = (options: LiveRoomOptions = {}): LiveRoom => {
  room = new LiveRoom({ bookmakers: BOOKS.map((slug) => bookmaker(slug)), ...options })
  return room
}

/** A subscription and the desk that reads it. */
class Subscriber {
  readonly desk: Desk
  readonly client: MemoryClient
  readonly id: string

  constructor(live: LiveRoom, client: MemoryClient, headers: Readonly<Record<string, string>>, rolls = false) {
    const { destination = ALL, id = 'sub-0', ...rest } = headers
    const isBinary = rest['content-type'] === 'application/msgpack'
    this.client = client
    this.id = id
    this.desk = new Desk({
      destination,
      conflates: rest['conflate-ms'] !== undefined,
      rolls,
      numbered: rest.quotes === 'numbered' ? { isBinary, now: () => live.nowAt } : undefined,
      name: JSON.stringify(headers),
    })
    this.desk.awaitSnapshot()
    client.subscribe(destination, { ...rest, id })
  }
}

/** Each with a connection of its own, by carrier in turn. */
const subscribeAll = (live: LiveRoom, customer: Customer, all: readonly Readonly<Record<string, string>>[]) =>
  all.map((headers, n) => new Subscriber(live, live.connect(customer, n % 2 === 0 ? 'tcp' : 'websocket'), headers))

/** With numbers and `on-slow:conflate`; reads so many octets of its snapshot. */
const subscribeSlow = (live: LiveRoom, customer: Customer, octets: number): Subscriber => {
  const client = live.connect(customer)
  client.carrier.allow(octets)
  return new Subscriber(live, client, { ...NUMBERED, 'on-slow': 'conflate' }, true)
}

const readAll = (subscribers: readonly Subscriber[]): void => {
  for (const { client, desk } of subscribers) for (const frame of client.messages()) desk.apply(frame)
}

// --- octets

const EPOCH = 'mi8n2k4p'
const EVENT = { id: '104217389912345', sport: 'football' } as Event
const AT = Date.UTC(2026, 10, 20, 23, 59, 59, 999)
/** A seq of a log that has run for a month, and the number of a quote of a full board. */
const SEQ = 9_999_999_000
const NUMBER = 9_999_999

/** A frame about one change, without the octets of TCP behind it. */
const frameOf = (
  encoding: MessageForm['encoding'],
  change: Partial<{ change: 2 | 3 | 4; odds: number; quote: number }>,
) => {
  const changes = new Changes()
  changes.seqBefore = SEQ - 1
  const ring = new ReplayRing({ replayBytesMax: 100_000, replayTextBytesMax: 100_000, replayMsMax: 1_000 }, SEQ - 1)
  const { change: kind = CHANGE.repriced, odds = 12.75, quote = NUMBER } = change
  appendChange(changes, {
    change: kind,
    cause: kind === CHANGE.repriced ? 0 : CAUSE.operator,
    quote,
    view: { event: EVENT, sportNumber: 0, formerIds: [], number: 1 } as unknown as EventView,
    book: 1,
    bookmaker: 1,
    transport: 1,
    type: 1,
    line: NO_LINE,
    outcome: piece('"home"'),
    odds,
    status: QUOTE_STATUS.open,
    observedAt: AT - 850,
    recordedAt: AT,
  })
  const group = ring.append(changes, AT)
  const selection = newSelection()
  select(ring, group, -1, ALL_TYPES, -1, NONE, selection)
  const writer = new JsonWriter()
  const isShort = writeChanges(writer, ring, group, selection)
  const run = new FrameRun(EPOCH, { subscription: 'sub-0', acknowledges: false, ackNumber: undefined, encoding })
  run.add(shortHeadOf('odds'), SEQ, -1, SEQ - 9, 'update', writer.view())
  return { isShort, body: writer.view().toString(), frame: run.detach().bytes }
}

test('a price is a frame of at most 120 octets, line end included', () => {
  for (const odds of [1.01, 2, 2.05, 12.75, 101, 999.99, 1000]) {
    const { isShort, frame } = frameOf('json', { odds })
    assert(isShort)
    assert(frame.length <= 120, `${frame.length} octets: ${frame.toString()}`)
  }
  const { frame } = frameOf('json', {})
  assert.equal(
    frame.toString(),
    'MESSAGE\ndestination:/o\nmessage-id:mi8n2k4p-9999999000\nsubscription:sub-0\nprev:9\n\n' +
      '[86399999,850,[9999999,12750]]\0\n',
  )
})

test('a price or a suspension is a body of at most 20 octets in MessagePack', () => {
  const sizeOf = (frame: Buffer): number => Number(/content-length:(\d+)/.exec(frame.toString('latin1'))![1])
  for (const odds of [1.01, 2.05, 12.75, 65.53, 1000]) {
    for (const quote of [7, 65_535, NUMBER, 4_000_000_000]) {
      const { frame } = frameOf('msgpack', { odds, quote })
      assert(sizeOf(frame) <= 20, `${sizeOf(frame)} octets with odds ${odds} of ${quote}`)
      const body = frame.subarray(-2 - sizeOf(frame), -2)
      assert.deepEqual(unpack(body), [86_399_999, 850, [quote, Math.round(odds * 1000)]])
    }
  }
  for (const change of [CHANGE.suspended, CHANGE.reopened]) {
    const { frame } = frameOf('msgpack', { change })
    assert(sizeOf(frame) <= 20)
    assert.deepEqual(unpack(frame.subarray(-2 - sizeOf(frame), -2)), [
      86_399_999,
      850,
      [NUMBER, 12_750, change * 10 + 5],
    ])
  }
})

test('odds have a short form only where nothing is lost', () => {
  const random = new Random(SEED)
  for (let n = 0; n < 20_000; n++) {
    const odds = random.chance(0.5) ? random.int(1_001, 2_000_000) / 1_000 : 1 + random.int(1, 1e9) / random.int(2, 1e6)
    const { isShort, body } = frameOf('json', { odds })
    const hasThreeDecimals = Number(odds.toFixed(3)) === odds && odds < 1e9
    assert.equal(isShort, hasThreeDecimals, `seed ${SEED}: ${odds}`)
    if (isShort) assert.equal((JSON.parse(body) as [0, 0, [0, number]])[2][1] / 1000, odds)
  }
})

test('frames of a running room are as short, and say what full ones say', async () => {
  const live = newRoom()
  const customer = live.addCustomer('desk')
  const [client, plain] = [live.connect(customer), live.connect(customer)]
  live.tell('alpha', 1, [price('home', 2), price('away', 3)])
  live.turn()
  client.subscribe(ALL, NUMBERED)
  plain.subscribe(ALL)
  await live.settle()
  const parts = client.messages()
  const numbers = (bodyOf(parts[0]!).quotes as unknown as { number: number; outcome: string }[]).map(
    ({ number, outcome }) => [outcome, number] as const,
  )
  const [home, away] = ['home', 'away'].map((outcome) => new Map(numbers).get(outcome)!)
  plain.messages()
  live.advance(1_000)
  const [written, before] = [client.carrier.writtenBytes, plain.carrier.writtenBytes]
  live.tell('alpha', 1, [price('home', 2.05)], { observedAt: live.nowAt - 21 })
  live.turn()
  const octets = client.carrier.writtenBytes - written
  assert(octets <= 120, `${octets} octets`)
  assert(plain.carrier.writtenBytes - before > 3 * octets)
  const [frame] = client.messages()
  assert.equal(frame?.headers.get('destination'), '/o')
  assert.deepEqual(JSON.parse(frame.body.toString()), [live.nowAt % (24 * HOUR_MS), 21, [home, 2050]])
  // Two observations of a book in one turn, and changes of status.
  live.tell('alpha', 1, [price('home', 2.1)], { observedAt: live.nowAt - 40 })
  live.tell('alpha', 1, [price('away', 3, 'suspended')], { observedAt: live.nowAt - 15 })
  live.tell('alpha', 1, [price('home', 2.1)], { observedAt: live.nowAt - 4 })
  live.turn()
  const [both] = client.messages()
  // The first of them is older than what the board holds.
  assert.deepEqual(JSON.parse(both!.body.toString()).slice(1), [4, [away, 3000, 31, 11], [home, 2100]])
})

// --- equal to a desk without numbers

test('desks with numbers know and are told the same as those without, whatever else they ask for', async () => {
  const random = new Random(SEED)
  const live = newRoom({ quotesMax: 60, limits: { streamedPerTopicMax: 1 } })
  const customer = live.addCustomer('desk')
  const msgpack = { 'content-type': 'application/msgpack' }
  const filters: Readonly<Record<string, string>>[] = [
    {},
    { destination: '/topic/odds.football.alpha.#' },
    { types: 'total_goals' },
    { leagues: 'league' },
    { 'on-slow': 'conflate' },
    { 'conflate-ms': '300' },
    { ack: 'client' },
    { ack: 'client-individual' },
  ]
  const pairs = filters.map((filter, n) => {
    const asked = { ...filter, snapshot: 'true' }
    const client = live.connect(customer, n % 2 === 0 ? 'tcp' : 'websocket')
    // The second and third follow the log, see followers.ts.
    return [
      new Subscriber(live, client, { ...asked, id: 'plain' }),
      new Subscriber(live, client, { ...asked, ...NUMBERED, id: 'numbered' }),
      new Subscriber(live, client, { ...asked, ...NUMBERED, ...msgpack, id: 'packed' }),
    ]
  })
  const status = subscribeAll(live, customer, [
    { destination: '/topic/status.#', snapshot: 'true' },
    { destination: '/topic/status.#', ...NUMBERED },
    { destination: '/topic/status.#', ...NUMBERED, ...msgpack },
  ])
  const clients = [...pairs.map(([first]) => first!.client), ...status.map(({ client }) => client)]
  let short = 0
  for (let step = 0; step < 600; step++) {
    live.advance(random.chance(0.02) ? random.int(0, 25 * HOUR_MS) : random.int(0, 400))
    for (let count = random.int(1, 6); count > 0; count--) {
      const state = random.chance(0.15) ? random.pick(['suspended', 'closed'] as const) : 'open'
      const outcome = random.pick(['home', 'draw', 'away'])
      // Some of them have no thousandths.
      const odds = random.chance(0.1) ? 1 + 10 / random.int(3, 30) : random.int(101, 900) / 100
      const quote = random.chance(0.3)
        ? ({ type: 'total_goals', line: 2.5, outcome: 'over', odds, status: state } as const)
        : price(outcome, odds, state)
      const others = random.chance(0.03) ? random.pick(['suspended', 'closed'] as const) : 'keep'
      const observation = { observedAt: live.nowAt - random.int(0, 50), others } as const
      // The board is small: some do not fit.
      live.observe({
        bookmaker: random.pick(BOOKS),
        transport: 'live',
        event: sighting(random.int(1, 9)),
        prices: [quote],
        ...observation,
      })
    }
    live.turn()
    await live.settle()
    for (const client of clients) {
      const own = [...pairs.flat(), ...status].filter((each) => each.client === client)
      for (const frame of client.messages()) {
        own.find(({ id }) => own.length === 1 || id === frame.headers.get('subscription'))!.desk.apply(frame)
        const ack = frame.headers.get('ack')
        if (ack !== undefined) client.send('ACK', { id: ack })
      }
    }
    const at = `seed ${SEED}, step ${step}`
    for (const [plain, ...others] of pairs) {
      const told = plain!.desk.takeTold()
      for (const { desk } of others) {
        assert.deepEqual(desk.quotes, plain!.desk.quotes, `${at}: ${desk.options.name}`)
        assert.deepEqual(desk.takeTold(), told, `${at}: ${desk.options.name}`)
        assert.equal(desk.numbers?.size, desk.quotes.size, at)
      }
    }
    const [plain, ...others] = status
    const transitions = plain!.desk.takeTold()
    for (const { desk } of others) {
      const told = desk.takeTold().filter(({ change }) => change !== 'added' && change !== 'aged_out')
      assert.deepEqual(
        told.map(({ text }) => text),
        transitions.map(({ text }) => text),
        at,
      )
    }
    short = pairs[0]![1]!.desk.counts.short
  }
  assert(short > 200, `${short} short updates`)
  assert(status[1]!.desk.counts.short > 20)
})

test('a number that passes from one book to another within a turn', async () => {
  const live = newRoom({ quotesMax: 4 })
  const customer = live.addCustomer('desk')
  const [plain, numbered] = subscribeAll(live, customer, [{ snapshot: 'true' }, NUMBERED])
  // What ages out together does in the order of numbers, so that messages of beta come first; the last number is given first.
  live.tell('beta', 1, [price('home', 2)])
  live.tell('alpha', 1, [price('home', 2)])
  live.turn()
  live.advance(HOUR_MS)
  live.tell('beta', 1, [price('away', 2)])
  live.tell('alpha', 1, [price('away', 2)])
  live.turn()
  await live.settle()
  readAll([plain!, numbered!])
  live.jump(23 * HOUR_MS + 1)
  live.tell('beta', 1, [price('draw', 3)])
  live.turn()
  await live.settle()
  const frames = numbered!.client.messages()
  const changes = frames.flatMap((frame) => {
    const { bookmaker: slug, quotes } = bodyOf(frame)
    return (quotes as unknown as { number: number; change: string }[]).map((quote) => ({ slug, ...quote }))
  })
  const added = changes.findIndex(({ change }) => change === 'added')
  const { number } = changes[added]!
  const isPassedBack = changes.slice(added + 1).some((each) => each.number === number && String(each.slug) === 'alpha')
  assert(isPassedBack, `the end of the former quote comes later: ${frames.map(shownFrame).join('\n')}`)
  for (const frame of frames) numbered!.desk.apply(frame)
  live.tell('beta', 1, [price('draw', 3.5)])
  live.turn()
  await live.settle()
  readAll([plain!, numbered!])
  assert(numbered!.desk.counts.short > 0)
  assert.deepEqual(numbered!.desk.quotes, plain!.desk.quotes)
  assert.equal([...numbered!.desk.quotes.values()].filter(({ odds }) => odds === 3.5).length, 1)
})

test('a snapshot that is read too slowly and shows some events as they are later', async () => {
  const random = new Random(SEED)
  const limits = { catchUpBytesMax: 5_000, socketBytesMax: 1_000, degradeBytes: 50_000_000 }
  const live = newRoom({ quotesMax: 400, limits })
  const customer = live.addCustomer('desk')
  const [plain] = subscribeAll(live, customer, [{ snapshot: 'true' }])
  const tell = (n: number, outcome: string): void => {
    live.tell(random.pick(BOOKS), n, [price(outcome, random.int(101, 900) / 100, random.pick(['open', 'closed']))])
  }
  for (let n = 0; n < 60; n++) for (const outcome of ['home', 'away']) live.tell('alpha', n, [price(outcome, 2)])
  live.turn()
  const slow = subscribeSlow(live, customer, 3_000)
  for (let step = 0; step < 60; step++) {
    live.advance(step === 20 ? 24 * HOUR_MS : 10)
    for (let n = 0; n < 30; n++) tell(random.int(0, 59), random.pick(['home', 'draw', 'away']))
    live.turn()
    slow.client.carrier.allow(600)
    await live.settle()
    readAll([plain!, slow])
  }
  slow.client.carrier.allow(Number.POSITIVE_INFINITY)
  for (let n = 0; n < 20; n++) {
    live.advance(100)
    await live.settle()
    readAll([plain!, slow])
  }
  assert.equal(slow.desk.phase, 'state')
  assert.deepEqual(slow.desk.quotes, plain!.desk.quotes, `seed ${SEED}`)
  assert.equal(slow.desk.numbers!.size, slow.desk.quotes.size)
})

/** Observed so long ago that it ages out in some seconds. */
const leftAt = (live: LiveRoom, ms: number): number => live.nowAt - 24 * HOUR_MS + ms

const numbersOf = (frames: readonly ServerFrame[]): Map<string, number> =>
  new Map(
    frames
      .filter((frame) => frame.headers.get('kind') === 'snapshot')
      .flatMap((frame) => bodyOf(frame).quotes as unknown as { number: number; outcome: string }[])
      .map(({ outcome, number }) => [outcome, number]),
  )

test('a client that resumes from a point before what it has read, over which a number has passed on', async () => {
  const live = newRoom()
  const customer = live.addCustomer('desk')
  live.tell('alpha', 1, [price('home', 2)], { observedAt: leftAt(live, 5_000) })
  live.tell('alpha', 1, [price('away', 2)])
  live.turn()
  const [plain, numbered] = subscribeAll(live, customer, [{ snapshot: 'true' }, NUMBERED])
  await live.settle()
  const snapshot = numbered!.client.messages()
  for (const frame of snapshot) numbered!.desk.apply(frame)
  readAll([plain!])
  const point = numbered!.desk.seq!
  live.tell('alpha', 1, [price('home', 2.5)], { observedAt: leftAt(live, 6_000) })
  live.turn()
  live.advance(7_000)
  live.turn()
  live.tell('beta', 2, [price('draw', 3)])
  live.turn()
  await live.settle()
  readAll([plain!, numbered!])
  const told = plain!.desk.takeTold()
  assert.deepEqual(
    told.map(({ change }) => change),
    ['repriced', 'aged_out', 'added'],
  )
  assert.deepEqual(numbered!.desk.takeTold(), told)
  assert(numbered!.desk.counts.short === 1)
  // As a client does that was degraded: its point was before that.
  const again = live.connect(customer)
  const desk = new Desk({ destination: ALL, isPartial: true, numbered: { isBinary: false, now: () => live.nowAt } })
  desk.numbers!.copyFrom(numbered!.desk.numbers!)
  desk.phase = 'state'
  desk.epoch = live.engine.epoch
  desk.goOn(point)
  again.subscribe(ALL, { quotes: 'numbered', 'from-seq': `${live.engine.epoch}-${point}` })
  await live.settle()
  for (const frame of again.messages()) desk.apply(frame)
  assert.deepEqual(desk.takeTold(), told)
  live.tell('beta', 2, [price('draw', 3.5)])
  live.turn()
  await live.settle()
  for (const frame of again.messages()) desk.apply(frame)
  readAll([plain!, numbered!])
  assert.deepEqual(desk.takeTold(), plain!.desk.takeTold())
  assert.equal(desk.counts.short, 1)
})

test('a snapshot that shows a number as that of a later quote: what is replayed names its quotes', async () => {
  const limits = { catchUpBytesMax: 3_000, socketBytesMax: 500 }
  const live = newRoom({ limits })
  const customer = live.addCustomer('desk')
  live.tell('alpha', 0, [price('home', 2)], { observedAt: leftAt(live, 5_000) })
  for (let n = 0; n < 40; n++) live.tell('alpha', n, [price('away', 2)])
  live.turn()
  const [plain] = subscribeAll(live, customer, [{ snapshot: 'true' }])
  await live.settle()
  readAll([plain!])
  const slow = subscribeSlow(live, customer, 1_000)
  await live.settle()
  // Too many events change before the snapshot has reached them: from then on they are not kept as they were.
  for (let n = 20; n < 35; n++) live.tell('alpha', n, [price('away', 2.1)])
  live.turn()
  live.tell('alpha', 0, [price('home', 2.5)], { observedAt: leftAt(live, 6_000) })
  live.turn()
  live.advance(1)
  live.jump(7_000)
  live.turn()
  live.tell('alpha', 39, [price('draw', 3)])
  live.turn()
  slow.client.carrier.allow(Number.POSITIVE_INFINITY)
  await live.settle()
  const frames = slow.client.messages()
  for (const frame of frames) slow.desk.apply(frame)
  readAll([plain!])
  const told = plain!.desk.takeTold()
  assert.equal(slow.desk.phase, 'state')
  const { home, draw } = Object.fromEntries(numbersOf(frames))
  assert(home !== undefined && home === draw, `it has passed on: ${home}, ${draw}`)
  assert.deepEqual(slow.desk.takeTold(), told)
  assert.deepEqual(slow.desk.quotes, plain!.desk.quotes)
  live.tell('alpha', 39, [price('draw', 3.5)])
  live.turn()
  await live.settle()
  readAll([plain!, slow])
  assert(slow.desk.counts.short > 0)
  assert.deepEqual(slow.desk.takeTold(), plain!.desk.takeTold())
})

// --- limits

test('numbers are those of the rows of the board: never above quotesMax, and used again when a quote has left it', async () => {
  const quotesMax = 30
  const live = newRoom({ quotesMax })
  const customer = live.addCustomer('desk')
  const [plain, numbered] = subscribeAll(live, customer, [{ snapshot: 'true' }, NUMBERED])
  const used = new Set<number>()
  for (let day = 0; day < 5; day++) {
    for (let n = 1; n <= quotesMax; n++) {
      live.tell(n % 2 === 0 ? 'alpha' : 'beta', 100 * day + n, [price('home', 2 + day)])
      live.turn()
    }
    // It does not fit.
    const event = sighting(100 * day + quotesMax + 1)
    const observation = { bookmaker: 'alpha', transport: 'live', event, prices: [price('home', 2)] } as const
    live.observe({ ...observation, observedAt: live.nowAt, others: 'keep' })
    live.turn()
    await live.settle()
    readAll([plain!])
    for (const frame of numbered!.client.messages()) {
      numbered!.desk.apply(frame)
      if (frame.headers.get('kind') !== 'update') continue
      for (const { number } of bodyOf(frame).quotes as unknown as { number: number }[]) used.add(number)
    }
    assert.equal(plain!.desk.quotes.size, quotesMax, 'the board is full')
    assert.equal(numbered!.desk.numbers!.size, quotesMax)
    assert.deepEqual(numbered!.desk.quotes, plain!.desk.quotes)
    assert.deepEqual(
      [...used].sort((a, b) => a - b),
      Array.from({ length: quotesMax }, (_, n) => n + 1),
    )
    live.jump(24 * HOUR_MS + 2_000)
    live.turn()
  }
})

// --- refusals

test('what cannot be numbered is refused, and the header named', () => {
  const live = newRoom()
  const customer = live.addCustomer('desk')
  const refusalOf = (headers: Record<string, string>, version: '1.0' | '1.2' = '1.2'): ServerFrame => {
    const client = live.connect(customer, 'tcp', version)
    client.send('SUBSCRIBE', { ...(version === '1.0' ? {} : { id: 'a' }), destination: ALL, ...headers })
    return client.take().at(-1) ?? assert.fail(`accepted: ${JSON.stringify(headers)}`)
  }
  for (const frame of [
    refusalOf({ quotes: 'short', snapshot: 'true' }),
    refusalOf({ quotes: '', snapshot: 'true' }),
    refusalOf({ quotes: 'numbered' }),
    refusalOf({ quotes: 'numbered', snapshot: 'false' }),
    refusalOf({ ...NUMBERED, destination: '/topic/events.#' }),
    refusalOf({ ...NUMBERED, destination: '/topic/feeds.#' }),
    refusalOf({ ...NUMBERED, destination: '/topic/lag' }),
    refusalOf(NUMBERED, '1.0'),
  ]) {
    assert.equal(frame.command, 'ERROR', shownFrame(frame))
    assert.equal(frame.headers.get('message'), 'validation_failed')
    assert.equal(frame.headers.get('field'), 'quotes', shownFrame(frame))
  }
  const client = live.connect(customer)
  client.subscribe(ALL, { quotes: 'full' })
  assert.deepEqual(client.messages(), [])
})
