// Slow consumers (docs/live-protocol.md 6): they are disconnected with the point to resume from, and the others do not
// notice. A thousand connections in memory, where every octet is counted; and the real service, with sockets that are not
// reads.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createConnection } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { WebSocket } from 'ws'
import { Random, SEED } from '../random.ts'
import { done, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'
import { Desk, readPoint } from './desk.ts'
import { bookmaker, LiveRoom, type LiveRoomOptions, type MemoryClient, price } from './memory-carrier.ts'
import { RawClient } from './raw-client.ts'
import { clientFrame, type ServerFrame, shownFrame, StrictReader } from './strict-frames.ts'

const ALL = '/topic/odds.*.*.*'

let room: LiveRoom | undefined

afterEach(() => {
  room?.close()
  room = undefined
})

const newRoom = (options: LiveRoomOptions = {}): LiveRoom => {
  room = new LiveRoom({ bookmakers: ['alpha', 'beta'].map((slug) => bookmaker(slug)), ...options })
  return room
}

const errorOf = (frames: readonly ServerFrame[]): ServerFrame => {
  const error = frames.find(({ command }) => command === 'ERROR')
  assert(error !== undefined, `no ERROR among ${frames.length} frames`)
  assert.equal(error.headers.get('message'), 'slow_consumer', shownFrame(error))
  return error
}

test('of 1 000 clients 500 stall: these are disconnected and lose nothing, the others get everything at once', async () => {
  const random = new Random(SEED)
  const live = newRoom({ limits: { socketBytesMax: 4_000, pendingBytesMax: 24_000 } })
  const customer = live.addCustomer('desk')
  const clients: { readonly client: MemoryClient; readonly isStalled: boolean; readonly desk: Desk }[] = []
  for (let n = 0; n < 1_000; n++) {
    const client = live.connect(customer, n % 4 < 2 ? 'tcp' : 'websocket')
    const desk = new Desk({ destination: ALL, name: `client ${n}` })
    desk.awaitChanges(live.engine.epoch, live.engine.seq)
    client.subscribe(ALL)
    clients.push({ client, isStalled: n % 2 === 1, desk })
  }
  // They read some messages, a part of another one, and no more.
  for (const { client, isStalled } of clients) if (isStalled) client.carrier.allow(random.int(0, 6_000))
  for (let turn = 0; turn < 60; turn++) {
    for (const outcome of ['home', 'draw', 'away']) live.tell('alpha', 1, [price(outcome, 2 + turn / 100)])
    live.turn()
    // Now, and not some time later.
    for (const { client, isStalled } of clients) {
      if (!isStalled) assert.equal(client.carrier.arrived.length, turn + 1)
    }
    live.advance(10)
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.equal(live.broker.counts.slowConsumers, 500, 'all that stall are disconnected')
  assert.equal(live.broker.sessionCount, 500)
  for (const { client, isStalled, desk } of clients) {
    if (!isStalled) continue
    client.carrier.allow(Number.POSITIVE_INFINITY)
    const frames = client.take()
    const error = errorOf(frames)
    assert.equal(frames.at(-1), error, 'after the ERROR comes nothing')
    for (const frame of frames) if (frame.command === 'MESSAGE') desk.apply(frame)
    const { seq } = readPoint(error.headers.get('resume-from')!)
    assert.equal(seq, desk.seq, 'all up to resume-from was delivered, and nothing after it')
    const again = live.connect(customer, client.carrier.kind)
    again.subscribe(ALL, { 'from-seq': error.headers.get('resume-from')! })
    await live.settle()
    const missed = again.messages()
    desk.goOn()
    for (const frame of missed) desk.apply(frame)
    assert.equal(desk.counts.update, 60)
    again.cut()
  }
  const healthy = clients.filter(({ isStalled }) => !isStalled)
  const idsOf = (frames: readonly ServerFrame[]) => frames.map(({ headers }) => headers.get('message-id'))
  const ids = idsOf(healthy[0]!.client.messages())
  assert.equal(ids.length, 60)
  for (const { client, desk } of healthy.slice(1)) {
    const messages = client.messages()
    assert.deepEqual(idsOf(messages), ids)
    for (const frame of messages) desk.apply(frame)
  }
  assert.equal(live.broker.flowCount, 1)
})

test('a client that reads a little now and then is not disconnected, however long that lasts', async () => {
  const live = newRoom({ limits: { socketBytesMax: 2_000, pendingBytesMax: 30_000 } })
  const client = live.connect(live.addCustomer('desk'))
  client.subscribe(ALL)
  const desk = new Desk({ destination: ALL })
  desk.awaitChanges(live.engine.epoch, live.engine.seq)
  for (let turn = 0; turn < 400; turn++) {
    live.tell('alpha', 1, [price('home', 2 + turn / 100)])
    live.turn()
    for (let ms = 0; ms < 1_000; ms += 100) live.advance(100)
    client.carrier.allow(turn % 4 === 3 ? 3_000 : 0)
    await new Promise((resolve) => setImmediate(resolve))
    for (const frame of client.messages()) desk.apply(frame)
  }
  client.carrier.allow(Number.POSITIVE_INFINITY)
  await live.settle()
  for (const frame of client.messages()) desk.apply(frame)
  assert.equal(desk.counts.update, 400)
})

test('a snapshot that is larger than the budget does not count against it, beside a subscription that goes on', async () => {
  const live = newRoom({ limits: { socketBytesMax: 2_000, pendingBytesMax: 5_000 } })
  for (let n = 0; n < 60; n++) live.tell('beta', 1, [price(`outcome ${n}`, 2)])
  live.tell('alpha', 1, [price('home', 2)])
  live.turn()
  const client = live.connect(live.addCustomer('desk'))
  client.subscribe('/topic/odds.*.alpha.*')
  client.subscribe('/topic/odds.*.beta.*', { id: 'sub-1', snapshot: 'true' })
  client.carrier.allow(100)
  await live.settle()
  client.subscribe('/topic/odds.#', { id: 'sub-2', snapshot: 'true' })
  await live.settle()
  assert(client.carrier.bufferedBytes > 5_000, `${client.carrier.bufferedBytes} octets of the snapshot wait`)
  for (let turn = 0; turn < 5; turn++) {
    live.tell('alpha', 1, [price('home', 3 + turn)])
    live.turn()
    live.advance(100)
  }
  assert.equal(client.carrier.ending, 'none')
  // What waits behind it counts: some messages more are too many.
  for (let turn = 0; turn < 20 && client.carrier.ending === 'none'; turn++) {
    live.tell('alpha', 1, [price('home', 9 + turn)])
    live.turn()
  }
  client.carrier.allow(Number.POSITIVE_INFINITY)
  errorOf(client.take())
})

/** A client that reads nothing and has nearly as much pending as it may. */
const fallenBehind = () => {
  const live = newRoom({ limits: { socketBytesMax: 500, pendingBytesMax: 3_000 } })
  const client = live.connect(live.addCustomer('desk'))
  client.subscribe(ALL)
  client.carrier.allow(0)
  for (let n = 0; n < 4; n++) {
    live.tell('alpha', 1, [price('home', 2 + n / 10)])
    live.turn()
  }
  return { live, client }
}

test('a session that is ended by the turn after its SUBSCRIBE leaves nothing behind', async () => {
  const { live, client } = fallenBehind()
  for (let n = 0; n < 20; n++) live.tell('alpha', n, [price('home', 5), price('draw', 5), price('away', 5)])
  client.subscribe('/topic/odds.*.beta.*', { id: 'sub-1', receipt: 'late' })
  live.turn()
  client.carrier.allow(Number.POSITIVE_INFINITY)
  const frames = client.take()
  errorOf(frames)
  assert.equal(frames.at(-1)?.command, 'ERROR', 'nothing comes after the ERROR')
  assert.equal(live.broker.sessionCount, 0)
  assert.equal(live.broker.flowCount, 0, 'a subscription of a session that has ended')
})

test('a session that is disconnected by the turn that its own DISCONNECT ends, ends once', async () => {
  const { live, client } = fallenBehind()
  for (let n = 0; n < 20; n++) live.tell('alpha', n, [price('home', 5), price('draw', 5), price('away', 5)])
  client.send('DISCONNECT', { receipt: 'late' })
  assert.notEqual(client.carrier.ending, 'none')
  assert.equal(live.broker.sessionCount, 0)
})

// --- the real service

const folder = newFolder()
let service: RunningService
let deskKey: string
let feedKey: string

before(async () => {
  const coverage = writeCoverage(folder.path, [['alpha', 'verified_rest_live', true, true]])
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  deskKey = done(folder.path, 'key', 'create', '--org', 'desk')
  feedKey = done(folder.path, 'key', 'create', '--org', 'desk', '--feed', 'alpha')
  service = await startService(folder.path, '--coverage', coverage, '--log-level', 'warn')
})

after(async () => {
  assert.equal(await service?.stop(), 0)
  folder.remove()
})

const CONNECT = (): Buffer => clientFrame('CONNECT', { 'accept-version': '1.2', passcode: deskKey }, '1.2')
const SUBSCRIBE = clientFrame('SUBSCRIBE', { id: 'sub-0', destination: ALL, receipt: 'ready' }, '1.2')

/** A client of the real service of which only a digest of what it gets is kept, or what it gets once it reads. */
interface Sink {
  readonly carrier: 'tcp' | 'websocket'
  readonly ready: Promise<void>
  readonly ended: Promise<void>
  pause(): void
  resume(): void
  destroy(): void
  readonly frames: ServerFrame[]
  messages: number
  /** Resolves when so many messages have arrived, or when no more can. */
  until(messages: number): Promise<void>
  digest(): string
  isEnded: boolean
  fault: Error | undefined
}

/** Bytes in, by either carrier. */
const openSink = (carrier: 'tcp' | 'websocket'): Sink => {
  const reader = new StrictReader()
  const hash = createHash('sha256')
  let isReady: () => void = () => {}
  let isEnded: () => void = () => {}
  let awaited: { readonly messages: number; readonly resolve: () => void } | undefined
  const look = (): void => {
    if (awaited === undefined) return
    if (sink.messages >= awaited.messages || sink.isEnded || sink.fault !== undefined) awaited.resolve()
  }
  const sink: Sink = {
    carrier,
    ready: new Promise((resolve) => {
      isReady = resolve
    }),
    ended: new Promise((resolve) => {
      isEnded = resolve
    }),
    pause: () => {},
    resume: () => {},
    destroy: () => {},
    frames: [],
    messages: 0,
    until: (messages) =>
      new Promise((resolve) => {
        awaited = { messages, resolve }
        look()
      }),
    digest: () => hash.copy().digest('hex'),
    isEnded: false,
    fault: undefined,
  }
  const onFrame = (frame: ServerFrame): void => {
    if (frame.command === 'RECEIPT') isReady()
    if (frame.command === 'ERROR') sink.frames.push(frame)
    if (frame.command !== 'MESSAGE') return
    sink.messages++
    hash.update(frame.headers.get('message-id')!).update(frame.headers.get('prev')!).update(frame.body)
    sink.frames[0] ??= frame
    sink.frames[1] = frame
  }
  const guarded = (take: () => void): void => {
    try {
      take()
    } catch (error) {
      sink.fault ??= error as Error
    }
    look()
  }
  const end = (): void => {
    sink.isEnded = true
    isEnded()
    look()
  }
  if (carrier === 'tcp') {
    const socket = createConnection(service.stompPort, '127.0.0.1')
    socket.on('data', (bytes) => guarded(() => reader.pushBytes(bytes, onFrame)))
    socket.on('error', () => {})
    socket.on('close', end)
    socket.write(Buffer.concat([CONNECT(), SUBSCRIBE]))
    sink.pause = () => socket.pause()
    sink.resume = () => socket.resume()
    sink.destroy = () => socket.destroy()
  } else {
    const socket = new WebSocket(`ws://127.0.0.1:${service.port}/stomp`, ['v12.stomp'], { perMessageDeflate: false })
    socket.on('open', () => socket.send(Buffer.concat([CONNECT(), SUBSCRIBE])))
    socket.on('message', (data, isBinary) => guarded(() => reader.pushMessage(data as Buffer, isBinary, onFrame)))
    socket.on('error', () => {})
    socket.on('close', end)
    sink.pause = () => socket.pause()
    sink.resume = () => socket.resume()
    sink.destroy = () => socket.terminate()
  }
  return sink
}

const slowConsumers = async (): Promise<number> => {
  const text = await (await fetch(`${service.admin}/metrics`)).text()
  return Number(/^oddswire_stomp_slow_consumers_total (\d+)/m.exec(text)?.[1] ?? 0)
}

const OUTCOMES = Array.from({ length: 400 }, (_, n) => `player_${n}`)

test('sockets that are not read are disconnected, and the others get every message', { timeout: 120_000 }, async () => {
  const sinks = Array.from({ length: 24 }, (_, n) => openSink(n % 2 === 0 ? 'tcp' : 'websocket'))
  await Promise.all(sinks.map(({ ready }) => ready))
  const stalled = sinks.slice(0, 12)
  const healthy = sinks.slice(12)
  for (const sink of stalled) sink.pause()
  const feed = await RawClient.open({ stomp: service.stompPort, http: service.port }, 'tcp', '1.2')
  await feed.connect({ passcode: feedKey })
  let sent = 0
  // Kernel buffers hold some megabytes before a client is found to be slow.
  while ((await slowConsumers()) < stalled.length) {
    assert(sent < 600, `${await slowConsumers()} disconnected after ${sent} messages`)
    for (let n = 0; n < 8; n++) {
      const quotes = OUTCOMES.map((outcome, place) => ({
        type: 'player_prop',
        outcome,
        odds: 1 + ((sent * 7 + place) % 500) / 100 + 0.01,
      }))
      const body = {
        transport: 'live',
        observedAt: new Date().toISOString(),
        event: {
          sport: 'football',
          league: { key: 'league', name: 'League' },
          home: 'Home',
          away: 'Away',
          kickoffAt: '2030-01-01T12:00:00.000Z',
        },
        quotes,
      }
      await feed.request('SEND', { destination: '/feed/alpha' }, JSON.stringify(body))
      sent++
    }
  }
  // Clients that begin to read within a second of the disconnect find the ERROR after what they had been sent.
  for (const sink of stalled) sink.resume()
  await Promise.all(stalled.map(({ ended }) => ended))
  await Promise.all(healthy.map((sink) => sink.until(sent)))
  for (const { messages, isEnded, fault } of healthy) {
    assert.equal(fault, undefined)
    assert(!isEnded, 'one that keeps up is not disconnected')
    assert.equal(messages, sent)
  }
  assert.equal(new Set(healthy.map((sink) => sink.digest())).size, 1, 'all got the same')
  for (const { messages, fault, frames, carrier } of stalled) {
    assert.equal(fault, undefined, carrier)
    assert(messages < sent)
    const error = frames.at(-1)
    if (error?.command !== 'ERROR') continue
    assert.equal(error.headers.get('message'), 'slow_consumer')
    const last = frames.filter(({ command }) => command === 'MESSAGE').at(-1)
    assert(last !== undefined)
    assert.equal(
      readPoint(error.headers.get('resume-from')!).seq,
      readPoint(last.headers.get('message-id')!).seq,
      'resume-from is the last message that was handed out',
    )
  }
  feed.destroy()
  for (const sink of healthy) sink.destroy()
})
