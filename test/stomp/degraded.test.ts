// `on-slow:conflate` (docs/live-protocol.md 6.6): a subscriber that falls behind is not disconnected. It gets every
// change of status and the latest price of each quote, is told so, and gets everything again when it keeps up.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { Random, SEED } from '../random.ts'
import { bodyOf, Desk, readPoint } from './desk.ts'
import { bookmaker, type Customer, LiveRoom, type LiveRoomOptions, type MemoryClient, price } from './memory-carrier.ts'
import type { ServerFrame } from './strict-frames.ts'

const BOOKS = ['alpha', 'beta']
const ALL = '/topic/odds.*.*.*'
const SMALL = { socketBytesMax: 2_000, degradeBytes: 8_000, pendingBytesMax: 30_000 }

let room: LiveRoom | undefined

afterEach(() => {
  room?.close()
  room = undefined
})

const newRoom = (options: LiveRoomOptions = {}): LiveRoom => {
  room = new LiveRoom({ bookmakers: BOOKS.map((slug) => bookmaker(slug)), ...options })
  return room
}

/** A subscription that reads some octets a time, and a desk that reads its messages. */
class Reader {
  readonly client: MemoryClient
  readonly desk: Desk
  readonly frames: ServerFrame[] = []
  error: ServerFrame | undefined
  private readonly headers: Readonly<Record<string, string>>

  constructor(live: LiveRoom, customer: Customer, headers: Readonly<Record<string, string>> = {}, from?: Reader) {
    this.client = live.connect(customer, headers.carrier === 'websocket' ? 'websocket' : 'tcp')
    const { destination = ALL, carrier: _, ...rest } = headers
    this.headers = headers
    this.desk = new Desk({
      destination,
      conflates: headers['conflate-ms'] !== undefined,
      // After its point it gets again what has come since.
      isPartial: from !== undefined,
      numbered:
        headers.quotes === 'numbered'
          ? { isBinary: headers['content-type'] === 'application/msgpack', now: () => live.nowAt }
          : undefined,
      name: JSON.stringify(headers),
    })
    this.client.subscribe(destination, { 'on-slow': 'conflate', ...rest })
    if (headers['from-seq'] === undefined) this.desk.awaitSnapshot()
    if (from === undefined) return
    for (const [name, quote] of from.desk.quotes) this.desk.quotes.set(name, quote)
    if (from.desk.numbers !== undefined) this.desk.numbers!.copyFrom(from.desk.numbers)
    this.desk.phase = 'state'
    this.desk.epoch = from.desk.epoch
    this.desk.goOn(from.desk.seq)
  }

  take(): void {
    for (const frame of this.client.take()) {
      if (frame.command === 'ERROR') this.error = frame
      if (frame.command !== 'MESSAGE') continue
      this.frames.push(frame)
      this.desk.apply(frame)
    }
  }

  /** Reads so much and no more. */
  async read(live: LiveRoom, octets: number): Promise<void> {
    this.client.carrier.allow(octets)
    await live.settle()
    this.take()
  }

  async readAll(live: LiveRoom): Promise<void> {
    this.client.carrier.allow(Number.POSITIVE_INFINITY)
    await live.settle()
    this.take()
  }

  /** Breaks the connection and resumes from its point. */
  resume(live: LiveRoom, customer: Customer): Reader {
    this.take()
    this.client.cut()
    const { snapshot: _, ...headers } = this.headers
    return new Reader(live, customer, { ...headers, ...this.desk.resumeHeaders }, this)
  }

  get transitions(): string[] {
    return this.desk
      .takeTold()
      .filter(({ change }) => change !== 'repriced')
      .map(({ text }) => text)
  }
}

/** Turns in which prices of `count` quotes change, and now and then a status. */
const change = (live: LiveRoom, random: Random, count: number, chance = 0.05): void => {
  for (let n = 0; n < count; n++) {
    const status = random.chance(chance) ? random.pick(['suspended', 'open', 'closed'] as const) : 'open'
    const outcome = random.pick(['home', 'draw', 'away'])
    live.tell(random.pick(BOOKS), random.int(1, 8), [price(outcome, random.int(101, 900) / 100, status)])
  }
  live.turn()
}

const pass = async (live: LiveRoom, ms: number): Promise<void> => {
  for (let left = ms; left > 0; left -= 100) {
    live.advance(Math.min(100, left))
    await live.settle()
  }
}

const snapshotOf = async (live: LiveRoom, customer: Customer, destination = ALL): Promise<Desk> => {
  const client = live.connect(customer)
  const desk = new Desk({ destination })
  desk.awaitSnapshot()
  client.subscribe(destination, { snapshot: 'true' })
  await live.settle()
  for (const frame of client.messages()) desk.apply(frame)
  client.cut()
  return desk
}

const NUMBERED = { quotes: 'numbered' } as const

/**
 * What a slow one reads in 20 ms, at most, in octets of its form, and for how many turns. Conflated and by numbers it gets some 130
 * octets a turn: it takes longer until it is behind, and has read that it is.
 */
const slownessOf = (headers: object): { readonly octets: number; readonly turns: number } => {
  if (!('quotes' in headers)) return { octets: 700, turns: 120 }
  return 'conflate-ms' in headers ? { octets: 80, turns: 300 } : { octets: 300, turns: 120 }
}

for (const headers of [
  {},
  { carrier: 'websocket' },
  { 'conflate-ms': '300' },
  { ack: 'client' },
  NUMBERED,
  { ...NUMBERED, 'conflate-ms': '300' },
  { ...NUMBERED, 'content-type': 'application/msgpack' },
] as const) {
  test(`far more than a subscriber can read, ${JSON.stringify(headers)}: no disconnection, no transition lost`, async () => {
    const random = new Random(SEED)
    const live = newRoom({ limits: SMALL })
    const customer = live.addCustomer('desk')
    const fast = new Reader(live, customer, { snapshot: 'true' })
    let slow = new Reader(live, customer, { snapshot: 'true', ...headers })
    const { octets, turns } = slownessOf(headers)
    const told: string[] = []
    const acknowledge = (): void => {
      const ack = slow.frames.at(-1)?.headers.get('ack')
      if (ack !== undefined) slow.client.send('ACK', { id: ack })
      slow.frames.length = 0
    }
    let degradedRuns = 0
    for (let run = 0; run < 2; run++) {
      for (let n = 0; n < turns; n++) {
        change(live, random, 12)
        live.advance(20)
        await slow.read(live, random.int(0, octets))
        fast.take()
        told.push(...slow.transitions)
        assert.equal(slow.error, undefined)
        if ('ack' in headers) acknowledge()
      }
      assert(slow.desk.isDegraded, `seed ${SEED}: it is told`)
      degradedRuns = slow.desk.counts.degraded
      assert(degradedRuns > run, 'it is told again while it lasts')
      // It catches up.
      slow.client.carrier.allow(Number.POSITIVE_INFINITY)
      for (let n = 0; n < 10; n++) {
        await pass(live, 100)
        slow.take()
        if ('ack' in headers) acknowledge()
      }
      told.push(...slow.transitions)
      assert(!slow.desk.isDegraded, `seed ${SEED}: it is restored within a second`)
      fast.take()
      assert.deepEqual(slow.desk.quotes, fast.desk.quotes, `seed ${SEED}: the state is whole`)
      // And gets everything again.
      const before = fast.frames.length
      const had = slow.desk.counts.update
      change(live, random, 3)
      await pass(live, 400)
      fast.take()
      slow.take()
      if (!('conflate-ms' in headers)) assert.equal(slow.desk.counts.update - had, fast.frames.length - before)
      told.push(...slow.transitions)
    }
    assert.deepEqual(told.sort(), fast.transitions.sort(), `seed ${SEED}: every transition came, and once`)
    assert.equal(live.broker.counts.slowConsumers, 0)
    assert(live.broker.counts.degraded >= 2)
    slow = slow.resume(live, customer)
    slow.client.cut()
  })
}

for (const headers of [{}, NUMBERED])
  test(`a degraded subscriber can resume from each of its points, ${JSON.stringify(headers)}`, async () => {
    const random = new Random(SEED)
    const live = newRoom({ limits: SMALL })
    const customer = live.addCustomer('desk')
    let slow = new Reader(live, customer, { snapshot: 'true', ...headers })
    let cuts = 0
    for (let n = 0; n < 400; n++) {
      change(live, random, 12)
      live.advance(50)
      await slow.read(live, random.int(0, 900))
      if (!slow.desk.isDegraded || !random.chance(0.05)) continue
      cuts++
      slow = slow.resume(live, customer)
      if (random.chance(0.5)) continue
      await slow.readAll(live)
      const desk = await snapshotOf(live, customer)
      for (let ms = 0; ms < 1_000; ms += 100) await pass(live, 100)
      slow.take()
      assert.deepEqual(slow.desk.quotes, desk.quotes, `seed ${SEED}: nothing is missing`)
    }
    assert(cuts > 2, `${cuts} cuts`)
    assert.deepEqual(slow.desk.resets, [])
  })

test('every quote has its turn, and its latest price, however often others change', async () => {
  const live = newRoom({ limits: SMALL })
  const customer = live.addCustomer('desk')
  const slow = new Reader(live, customer, { snapshot: 'true' })
  for (let n = 1; n <= 40; n++) live.tell('alpha', n, [price('home', 2), price('away', 2)])
  live.turn()
  const came = new Map<string, number>()
  let late = 0
  for (let turn = 1; turn <= 400; turn++) {
    for (let n = 1; n <= 40; n++) {
      live.tell('alpha', n, [price('home', 2 + turn / 1_000)])
      if (turn % 100 === 0) live.tell('alpha', n, [price('away', 2 + turn / 1_000)])
    }
    live.turn()
    live.advance(20)
    await slow.read(live, 1_500)
    for (const { text, change: kind } of slow.desk.takeTold()) {
      if (!slow.desk.isDegraded || kind !== 'repriced') continue
      const [, eventId, , , , , outcome] = text.split(' ')
      came.set(`${eventId} ${outcome}`, (came.get(`${eventId} ${outcome}`) ?? 0) + 1)
    }
    if (slow.desk.isDegraded) late++
  }
  assert(late > 300, `degraded in ${late} turns`)
  const counts = [...came.values()]
  assert(counts.length >= 40, `${counts.length} quotes came: ${[...came.keys()].slice(0, 3)}`)
  assert(Math.min(...counts) > 0)
  await slow.readAll(live)
  await pass(live, 1_000)
  slow.take()
  assert.deepEqual(slow.desk.quotes, (await snapshotOf(live, customer)).quotes)
})

test('what the log no longer holds: a reset and a snapshot, and the session goes on', async () => {
  const random = new Random(SEED)
  const live = newRoom({ limits: { ...SMALL, replayBytesMax: 40_000, stalledMsMax: 60_000 } })
  const customer = live.addCustomer('desk')
  const slow = new Reader(live, customer, { snapshot: 'true' })
  for (let n = 0; n < 300; n++) {
    change(live, random, 20)
    live.advance(20)
    await slow.read(live, 20)
  }
  await slow.readAll(live)
  await pass(live, 1_000)
  slow.take()
  assert.equal(slow.error, undefined)
  assert(slow.desk.resets.length > 0 && slow.desk.resets.every((reason) => reason === 'too_old'), `${slow.desk.resets}`)
  assert.equal(slow.desk.phase, 'state')
  assert.deepEqual(slow.desk.quotes, (await snapshotOf(live, customer)).quotes)
})

test('a client that reads nothing at all is disconnected, with its point', async () => {
  const random = new Random(SEED)
  const live = newRoom({ limits: { ...SMALL, degradedStalledMsMax: 6_000 } })
  const customer = live.addCustomer('desk')
  const slow = new Reader(live, customer, { snapshot: 'true' })
  await slow.read(live, 0)
  for (let n = 0; n < 80 && slow.client.carrier.ending === 'none'; n++) {
    change(live, random, 12)
    await pass(live, 100)
  }
  assert.equal(slow.client.carrier.ending, 'fault')
  await slow.readAll(live)
  assert.equal(slow.error?.headers.get('message'), 'slow_consumer')
  const from = slow.error?.headers.get('resume-from') ?? assert.fail('no point')
  assert(readPoint(from).seq >= slow.desk.seq!, `${from}, but it has ${slow.desk.seq}`)
  slow.desk.goOn(readPoint(from).seq)
  const again = slow.resume(live, customer)
  await again.readAll(live)
  await pass(live, 1_000)
  again.take()
  assert.deepEqual(again.desk.quotes, (await snapshotOf(live, customer)).quotes)
})

test('a session of several: the degraded ones take turns, and others are not affected', async () => {
  const random = new Random(SEED)
  const live = newRoom({ limits: { ...SMALL, pendingBytesMax: 60_000, streamedPerTopicMax: 1 } })
  const customer = live.addCustomer('desk')
  const client = live.connect(customer)
  const names = ['a', 'b', 'c', 'status']
  const desks = names.map((name) => {
    const destination = name === 'status' ? '/topic/status.#' : ALL
    const desk = new Desk({ destination, name })
    desk.awaitSnapshot()
    client.subscribe(destination, { id: name, snapshot: 'true', 'on-slow': 'conflate' })
    return desk
  })
  const read = async (octets: number): Promise<void> => {
    client.carrier.allow(octets)
    await live.settle()
    for (const frame of client.messages()) desks[names.indexOf(frame.headers.get('subscription')!)]!.apply(frame)
  }
  for (let n = 0; n < 300; n++) {
    change(live, random, 12)
    live.advance(50)
    await read(1_500)
  }
  // All of the first three carry more than is read.
  const counts = desks.map((desk) => desk.counts.update)
  assert(
    desks.slice(0, 3).every(({ counts: { degraded } }) => degraded > 0),
    'all of them are told',
  )
  assert(Math.min(...counts.slice(0, 3)) * 4 > Math.max(...counts.slice(0, 3)), `they take turns: ${counts}`)
  client.carrier.allow(Number.POSITIVE_INFINITY)
  for (let n = 0; n < 10; n++) {
    await pass(live, 100)
    await read(Number.POSITIVE_INFINITY)
  }
  const known = await snapshotOf(live, customer)
  for (const desk of desks.slice(0, 3)) {
    assert(!desk.isDegraded)
    assert.deepEqual(desk.quotes, known.quotes, `seed ${SEED}`)
  }
})

test('where time allows one of them a pass, they come to rest all the same', async () => {
  const random = new Random(SEED)
  const live = newRoom({ limits: { ...SMALL, pendingBytesMax: 60_000 } })
  const customer = live.addCustomer('desk')
  const client = live.connect(customer)
  const desks = ['odds.#', 'odds.*.alpha.*', 'odds.*.beta.*', 'status.#', 'odds.*.*.*'].map((topics, n) => {
    const destination = `/topic/${topics}`
    const desk = new Desk({ destination, name: topics })
    desk.awaitSnapshot()
    client.subscribe(destination, { id: String(n), snapshot: 'true', 'on-slow': 'conflate' })
    return desk
  })
  const read = (): void => {
    for (const frame of client.messages()) desks[Number(frame.headers.get('subscription'))]!.apply(frame)
  }
  for (let n = 0; n < 100; n++) {
    change(live, random, 12)
    live.advance(50)
    client.carrier.allow(1_500)
    await live.settle()
    read()
  }
  live.lookMs = 0.4
  client.carrier.allow(Number.POSITIVE_INFINITY)
  const { passes } = live.broker
  for (let tick = 0; tick < 20; tick++) {
    // No time passes: what there is to do ends.
    for (let n = 0; n < 5_000 && passes.waiting > 0; n++) passes.pass()
    assert.equal(passes.waiting, 0, `seed ${SEED}: the session is at rest`)
    live.advance(100)
  }
  live.lookMs = 0
  await live.settle()
  read()
  for (const desk of desks) assert(!desk.isDegraded, desk.options.name)
})

for (const [what, entitlement, isSame] of [
  ['does not concern it: it goes on as it is', ['alpha'], true],
  ['concerns it: it begins anew', ['beta'], false],
] as const) {
  for (const snapshot of ['true', 'false']) {
    test(`a change of rights ${what} (snapshot:${snapshot}); no price goes back`, async () => {
      const live = newRoom({ limits: SMALL })
      const customer = live.addCustomer('desk')
      const destination = isSame ? '/topic/odds.*.alpha.*' : ALL
      const client = live.connect(customer)
      client.subscribe(destination, { snapshot, 'on-slow': 'conflate' })
      await live.settle()
      client.carrier.allow(0)
      const shown = new Map<string, number>()
      const kinds: string[] = []
      let odds = 2
      const take = (): void => {
        for (const frame of client.messages()) {
          const kind = frame.headers.get('kind')!
          kinds.push(kind)
          if (kind !== 'update') continue
          const { eventId, bookmaker: slug, quotes } = bodyOf(frame)
          for (const { outcome, odds: price } of quotes as unknown as { outcome: string; odds: number }[]) {
            const name = `${eventId} ${slug} ${outcome}`
            assert(price > (shown.get(name) ?? 0), `${name} goes from ${shown.get(name)} to ${price}`)
            shown.set(name, price)
          }
        }
      }
      const turns = async (count: number): Promise<void> => {
        for (let turn = 0; turn < count; turn++) {
          odds = Math.round((odds + 0.01) * 100) / 100
          for (let n = 1; n <= 60; n++) {
            for (const slug of BOOKS)
              live.tell(
                slug,
                n,
                ['home', 'draw', 'away'].map((outcome) => price(outcome, odds)),
              )
          }
          live.turn()
          await pass(live, 100)
          client.carrier.allow(4_000)
          await live.settle()
          take()
        }
      }
      await turns(40)
      assert(kinds.includes('degraded'))
      kinds.length = 0
      live.setEntitlement(customer, entitlement)
      await turns(40)
      if (isSame) assert.equal(live.broker.degradedCount, 1)
      client.carrier.allow(Number.POSITIVE_INFINITY)
      for (let n = 0; n < 30; n++) {
        await pass(live, 100)
        take()
      }
      assert.equal(kinds.includes('reset'), !isSame, kinds.filter((kind) => kind !== 'update').join())
      const mine = [...shown].filter(([name]) => name.includes(` ${entitlement[0]} `))
      assert.equal(mine.length, 180)
      if (isSame) for (const [name, last] of mine) assert.equal(last, odds, name)
    })
  }
}

test('an update that is a point has an id without a dot; the others and the reports say what waits', async () => {
  const live = newRoom({ limits: SMALL })
  const slow = new Reader(live, live.addCustomer('desk'), { snapshot: 'true' })
  for (let n = 1; n <= 60; n++) live.tell('alpha', n, [price('home', 2)])
  live.turn()
  await slow.readAll(live)
  await slow.read(live, 0)
  for (let turn = 1; turn <= 5; turn++) {
    for (let n = 1; n <= 60; n++) live.tell('alpha', n, [price('home', 2 + turn)])
    live.turn()
    await pass(live, 100)
  }
  slow.frames.length = 0
  await slow.readAll(live)
  await pass(live, 700)
  slow.take()
  const kinds = slow.frames.map(({ headers }) => headers.get('kind'))
  const degraded = bodyOf(slow.frames[kinds.indexOf('degraded')]!)
  assert(Number(degraded.behindMs) >= 0 && Number(degraded.heldPrices) >= 0 && Number(degraded.sinceMs) >= 0)
  const restored = bodyOf(slow.frames[kinds.indexOf('restored')]!)
  assert(Number(restored.mergedPrices) > 100, JSON.stringify(restored))
  assert(Number(restored.sinceMs) >= 500)
  assert(
    slow.frames.some(({ headers }) => headers.get('kind') === 'update' && headers.get('message-id')!.includes('.')),
  )
})

test('another value is refused, and names the header', () => {
  const live = newRoom()
  const client = live.connect(live.addCustomer('desk'))
  client.subscribe(ALL, { 'on-slow': 'drop' })
  const [error] = client.take()
  assert.equal(error?.headers.get('message'), 'validation_failed')
  assert.equal(error?.headers.get('field'), 'on-slow')
  assert.match(error.headers.get('detail')!, /disconnect, conflate/)
})

test('what a replay holds for acknowledgements is not lost when more comes', async () => {
  const live = newRoom({ limits: { unackedMax: 20 } })
  const customer = live.addCustomer('desk')
  const fast = new Reader(live, customer, { snapshot: 'true' })
  for (let n = 1; n <= 25; n++) live.tell('alpha', n, [price('home', 2)])
  live.turn()
  await live.settle()
  fast.take()
  const from = `${live.engine.epoch}-${live.engine.seq}`
  for (let n = 1; n <= 25; n++) live.tell('alpha', n, [price('home', null, 'suspended')])
  live.turn()
  const client = live.connect(customer)
  const desk = new Desk({ destination: ALL })
  desk.awaitChanges(live.engine.epoch, readPoint(from).seq)
  client.subscribe(ALL, { 'from-seq': from, 'on-slow': 'conflate', ack: 'client' })
  const acks: string[] = []
  const read = async (): Promise<void> => {
    await live.settle()
    for (const frame of client.messages()) {
      desk.apply(frame)
      acks.push(frame.headers.get('ack')!)
    }
  }
  await read()
  assert.equal(acks.length, 20)
  for (let n = 1; n <= 3; n++) live.tell('beta', n, [price('home', 3)])
  live.turn()
  await pass(live, 3_000)
  for (let n = 0; n < 12; n++) {
    if (acks.length > 0) client.send('ACK', { id: acks.splice(0).at(-1)! })
    await pass(live, 100)
    await read()
  }
  fast.take()
  const suspended = desk.takeTold().filter(({ change: what }) => what === 'suspended')
  assert.equal(suspended.length, 25, 'each suspension came')
})

test('one that reads everything is restored, however often a quote changes in a turn', async () => {
  const live = newRoom({ limits: SMALL })
  const customer = live.addCustomer('desk')
  const slow = new Reader(live, customer, { snapshot: 'true' })
  const turn = (n: number): void => {
    for (let times = 0; times < 20; times++) live.tell('alpha', 1, [price('home', 2 + n / 100 + times / 10_000)])
    live.turn()
  }
  await slow.read(live, 0)
  for (let n = 0; n < 60; n++) {
    turn(n)
    live.advance(50)
  }
  await live.settle()
  slow.client.carrier.allow(Number.POSITIVE_INFINITY)
  for (let n = 0; n < 20; n++) {
    turn(n)
    await pass(live, 50)
    slow.take()
  }
  assert.equal(slow.desk.counts.restored, 1)
  assert(!slow.desk.isDegraded)
})

test('a system that takes long to accept more is no reason to disconnect it', async () => {
  const random = new Random(SEED)
  const live = newRoom({ limits: SMALL })
  const slow = new Reader(live, live.addCustomer('desk'), { snapshot: 'true' })
  await slow.read(live, 0)
  for (let n = 0; n < 300; n++) {
    change(live, random, 3)
    live.advance(100)
  }
  await live.settle()
  assert.equal(slow.client.carrier.ending, 'none')
  await slow.readAll(live)
  assert.equal(slow.desk.counts.degraded > 0, true)
})
