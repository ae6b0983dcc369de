// When sessions are looked at: nothing that depends on time happens another time than if all of them were looked at in each
// tick, and none is looked at without need, or after its end.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { Channel } from '../../src/stomp/channel.ts'
import type { LiveSession } from '../../src/stomp/live-session.ts'
import { LIMITS } from '../../src/limits.ts'
import { Random, SEED } from '../random.ts'
import { bookmaker, type Customer, LiveRoom, type MemoryClient, price } from './memory-carrier.ts'
import { type MemoryStream, openStream } from './memory-stream.ts'

const TICK_MS = 100

let room: LiveRoom | undefined

afterEach(() => {
  room?.close()
  room = undefined
})

const insideOf = (live: LiveRoom) =>
  live.broker as unknown as { readonly sessions: ReadonlySet<LiveSession>; readonly channel: Channel }

/** Small limits, so that all of them are reached within seconds. */
const NARROW = {
  socketBytesMax: 1_500,
  pendingBytesMax: 30_000,
  bytesPerSecondMax: 12_000,
  conflationBytesMax: 16_000,
  stalledMsMax: 1_500,
  degradedStalledMsMax: 4_000,
  degradeBytes: 4_000,
  degradeMs: 700,
  degradedEveryMs: 500,
  restoreMs: 300,
  restoreMsMax: 1_200,
  connectMsMax: 3_000,
  crowdedConnectMsMax: 1_000,
  sseBeatMs: 1_200,
  unackedMax: 3,
  subscriptionsMax: 6,
}

const HEADERS: readonly Readonly<Record<string, string>>[] = [
  {},
  { snapshot: 'true' },
  { ack: 'client-individual' },
  { ack: 'client', snapshot: 'true', 'on-slow': 'conflate' },
  { 'conflate-ms': '300' },
  { 'conflate-ms': '1000', 'on-slow': 'conflate' },
  { 'conflate-ms': '300', ack: 'client-individual', 'on-slow': 'conflate', snapshot: 'true' },
  { 'on-slow': 'conflate' },
  { 'on-slow': 'conflate', ack: 'client' },
]

/**
 * What clients get, and when, of seconds in which all sorts of things happen.
 * @param looksAtAll whether all sessions are looked at in each tick
 */
const happenings = async (seed: number, looksAtAll: boolean): Promise<string[]> => {
  const random = new Random(seed)
  const live = new LiveRoom({ bookmakers: ['alpha', 'beta'].map((slug) => bookmaker(slug)), limits: NARROW })
  room = live
  const { sessions } = insideOf(live)
  const customers: Customer[] = ['desk', 'other'].map((name) => live.addCustomer(name))
  const clients: { readonly client: MemoryClient; readonly unacked: string[]; isConnected: boolean }[] = []
  const streams: MemoryStream[] = []
  const happened: string[] = []
  const note = (step: number): void => {
    for (const [n, { client, unacked }] of clients.entries()) {
      const { carrier } = client
      const frames = carrier.arrived.splice(0).map(({ frame, at }) => {
        const { command, headers, body } = frame
        const id = headers.get('ack')
        if (id !== undefined) unacked.push(id)
        const words = [headers.get('kind'), headers.get('message'), headers.get('message-id')].join(' ')
        return `${command} ${words} at ${at} ${body.length}`
      })
      const { writtenBytes, bufferedBytes, ending } = carrier
      happened.push(`${step}: client ${n}: ${writtenBytes} ${bufferedBytes} ${ending} ${frames.join(' | ')}`)
    }
    for (const [n, { response, carrier }] of streams.entries()) {
      const chunks = response.chunks.splice(0).map((chunk) => chunk.toString().slice(0, 40))
      happened.push(`${step}: stream ${n}: ${carrier.bufferedBytes} ${response.ending} ${chunks.join(' | ')}`)
    }
  }
  const act = (): void => {
    const chance = random.next()
    if (clients.length < 14 && chance < 0.12) {
      const client = live.open(random.pick(['tcp', 'websocket'] as const))
      clients.push({ client, unacked: [], isConnected: false })
      return
    }
    if (streams.length < 4 && chance < 0.15) {
      const conflateMs = random.pick([0, 0, 400])
      const query = { conflateMs, lag: random.chance(0.3), snapshot: random.chance(0.5) } as const
      const stream = openStream(live, random.pick(customers), {
        ...query,
        onSlow: random.pick(['disconnect', 'conflate']),
      })
      if (typeof stream !== 'string') streams.push(stream)
      return
    }
    if (chance < 0.18) live.setEntitlement(random.pick(customers), random.chance(0.7) ? '*' : ['alpha'])
    if (streams.length > 0 && chance < 0.22) {
      random.pick(streams).response.allow(random.pick([0, 500, Number.POSITIVE_INFINITY]))
      return
    }
    if (clients.length === 0) return
    const one = random.pick(clients)
    const { client, unacked } = one
    if (client.carrier.ending !== 'none') return
    if (!one.isConnected) {
      if (random.chance(0.5)) return
      one.isConnected = true
      const beat = random.pick(['0,0', '1000,1000', '0,1000', '1000,0'])
      const passcode = random.pick(customers).secret
      client.send('CONNECT', { 'accept-version': '1.2', passcode, 'heart-beat': beat })
    } else if (chance < 0.4) {
      const destination = random.pick(['/topic/odds.#', '/topic/odds.*.alpha.*', '/topic/lag', '/topic/status.#'])
      const id = `s${random.int(1, 5)}`
      if (client.session.subscriptions.has(`i ${id}`)) client.send('UNSUBSCRIBE', { id })
      else if (destination === '/topic/lag') client.send('SUBSCRIBE', { id: 'lag', destination })
      else client.send('SUBSCRIBE', { id, destination, ...random.pick(HEADERS) })
    } else if (chance < 0.6) client.session.receive(Buffer.from('\n'))
    else if (chance < 0.8) client.carrier.allow(random.pick([0, 0, 700, 4_000, Number.POSITIVE_INFINITY, Infinity]))
    else if (unacked.length > 0 && chance < 0.98) client.send('ACK', { id: unacked.shift()! })
    else if (chance > 0.99) client.cut()
  }
  for (let step = 0; step < 400; step++) {
    for (let acts = random.int(0, 4); acts > 0; acts--) act()
    if (random.chance(0.6)) {
      for (let told = random.int(1, 12); told > 0; told--) {
        const quotes = ['home', 'draw', 'away'].map((outcome) => price(outcome, 1 + random.int(1, 900) / 100))
        live.tell(random.pick(['alpha', 'beta']), random.int(1, 5), quotes)
      }
      live.turn()
    }
    // Late timers, a pause of the process, a clock that is set back.
    if (random.chance(0.03)) live.jump(random.pick([40, 150, 1_500, 3_000, -700]))
    if (looksAtAll) for (const session of sessions) session.stir()
    live.advance(random.pick([TICK_MS, TICK_MS, 37, 63]))
    await live.settle()
    note(step)
  }
  for (const { response } of streams) response.cut()
  live.close()
  room = undefined
  return happened
}

test(`what happens is the same as if all sessions were looked at in each tick (seed ${SEED})`, async () => {
  const seen = new Set<string>()
  for (let n = 0; n < 10; n++) {
    const lazy = await happenings(SEED + n, false)
    const naive = await happenings(SEED + n, true)
    for (const [place, line] of naive.entries()) assert.equal(lazy[place], line, `seed ${SEED + n}`)
    const all = naive.join('\n')
    for (const word of ['slow_consumer', 'protocol_error', 'limit_exceeded', 'degraded', 'restored', 'lag']) {
      if (all.includes(word)) seen.add(word)
    }
  }
  assert(seen.size >= 4, `only ${[...seen].join()} happened`)
})

/** Connects with heart-beats. */
const beating = (live: LiveRoom, { secret }: Customer, beat: string): MemoryClient => {
  const client = live.open('websocket')
  client.send('CONNECT', { 'accept-version': '1.2', passcode: secret, 'heart-beat': beat })
  assert.equal(client.take()[0]?.command, 'CONNECTED')
  return client
}

const wait = async (live: LiveRoom, ms: number): Promise<void> => {
  for (let passed = 0; passed < ms; passed += TICK_MS) {
    live.advance(TICK_MS)
    await live.settle()
  }
}

test('an idle session is looked at when something is due, however many ticks there are, and not after its end', async (t) => {
  const live = new LiveRoom({ bookmakers: [bookmaker('alpha')] })
  room = live
  const customer = live.addCustomer('desk')
  const { channel } = insideOf(live)
  const clients = ['0,0', '0,0', '0,1000'].map((beat) => beating(live, customer, beat))
  for (const client of clients) client.subscribe('/topic/odds.#')
  await wait(live, 2_000)
  const looks = clients.map(({ session }) => t.mock.method(session, 'look').mock)
  await wait(live, 60_000)
  const [first, second, third] = looks.map((look) => look.callCount())
  assert(first! >= 2 && first! <= 3 && second === first, `${first} looks at an idle one`)
  // A heart-beat each 500 ms.
  assert(third! >= 100 && third! <= 300, `${third} looks at one with heart-beats`)
  for (const client of clients) client.cut()
  channel.looks.begin(live.nowAt + 1_000_000)
  assert.equal(channel.looks.next(), undefined)
})

test('a client of which nothing is read for a while is not silent, even if that ends just before it is looked at', async () => {
  const live = new LiveRoom({ bookmakers: [bookmaker('alpha')] })
  room = live
  const client = beating(live, live.addCustomer('desk'), '1000,0')
  await wait(live, 1_000)
  // Each frame takes more than the share of a session: the others wait for passes, of which there are none meanwhile.
  live.lookMs = LIMITS.passMsMax
  const subscribe = (n: number): string => `SUBSCRIBE\nid:s${n}\ndestination:/topic/odds.#\n\n\0`
  client.sendBytes(Buffer.from([1, 2, 3, 4].map(subscribe).join('')))
  assert(client.session.hasInput)
  for (let n = 0; n < 24; n++) live.advance(TICK_MS)
  assert(client.session.hasInput)
  live.lookMs = 0
  await live.settle()
  assert(!client.session.hasInput)
  await wait(live, 2_400)
  assert.equal(client.carrier.ending, 'none')
  await wait(live, 300)
  assert.equal(client.carrier.ending, 'fault')
})
