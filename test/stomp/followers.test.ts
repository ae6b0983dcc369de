// Subscriptions of one session that are more than a turn writes to: they follow the log, and get the same messages.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { Random, SEED } from '../random.ts'
import { bookmaker, type Customer, LiveRoom, type LiveRoomOptions, type MemoryClient, price } from './memory-carrier.ts'
import { CARRIERS } from './raw-client.ts'
import { type ServerFrame, shownFrame } from './strict-frames.ts'

const ALL = '/topic/odds.#'

let room: LiveRoom | undefined

afterEach(() => {
  room?.close()
  room = undefined
})

const newRoom = (limits: LiveRoomOptions['limits'] = {}): { readonly live: LiveRoom; readonly customer: Customer } => {
  room = new LiveRoom({ bookmakers: [bookmaker('alpha'), bookmaker('beta')], limits })
  return { live: room, customer: room.addCustomer('desk') }
}

const nextPass = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Waits until everything is delivered. */
const settled = async ({ broker }: LiveRoom): Promise<void> => {
  do await nextPass()
  while (broker.passes.waiting > 0)
}

/** What a message says to any subscriber. */
const said = (frame: ServerFrame): string =>
  ['destination', 'message-id', 'prev', 'kind'].map((name) => frame.headers.get(name)).join(' ') +
  // An event says how many markets it has by now, whenever it appeared.
  frame.body.toString('latin1').replace(/"marketCount":\d+/, '')

const bySubscription = (frames: readonly ServerFrame[]): Map<string, string[]> => {
  const found = new Map<string, string[]>()
  for (const frame of frames) {
    const id = frame.headers.get('subscription')!
    const texts = found.get(id)
    if (texts === undefined) found.set(id, [said(frame)])
    else texts.push(said(frame))
  }
  return found
}

for (const kind of CARRIERS) {
  test(`a follower of the log gets what the stream carries, message for message · ${kind}`, async () => {
    const random = new Random(SEED)
    const { live, customer } = newRoom({ streamedPerTopicMax: 1, socketBytesMax: 4_096 })
    const client = live.connect(customer, kind)
    const FORMS: readonly Readonly<Record<string, string>>[] = [
      { destination: ALL },
      { destination: '/topic/odds.*.beta.#' },
      { destination: ALL, types: 'match_result_1x2' },
      { destination: '/topic/status.#' },
      { destination: '/topic/events.#' },
    ]
    const COPIES = 4
    for (let copy = 0; copy < COPIES; copy++) {
      for (const [form, headers] of FORMS.entries()) client.send('SUBSCRIBE', { id: `${form} ${copy}`, ...headers })
    }
    await settled(live)
    const frames: ServerFrame[] = []
    for (let step = 0; step < 400; step++) {
      live.lookMs = random.pick([0, 0.01, 0.3])
      live.tell(random.pick(['alpha', 'beta']), random.int(1, 6), [
        price(random.pick(['home', 'draw', 'away']), random.int(110, 900) / 100, random.pick(['open', 'suspended'])),
      ])
      if (random.chance(0.6)) live.turn()
      if (random.chance(0.1)) await nextPass()
      if (random.chance(0.2)) frames.push(...client.messages())
      live.advance(random.int(0, 40))
    }
    live.lookMs = 0
    live.turn()
    await settled(live)
    frames.push(...client.messages())
    const texts = bySubscription(frames)
    for (const form of FORMS.keys()) {
      const first = texts.get(`${form} 0`)!
      assert(first.length > (form < 4 ? 50 : 3), `form ${form}: ${first.length} messages`)
      for (let copy = 1; copy < COPIES; copy++) {
        assert.deepEqual(texts.get(`${form} ${copy}`), first, `seed ${SEED}: form ${form}, copy ${copy}`)
      }
    }
    // Two of the forms name the same topics.
    assert.equal(live.broker.flowCount, FORMS.length - 1)
  })
}

test('a turn writes to so many subscriptions of a session to the same topics; the others wait for their share', async () => {
  const { live, customer } = newRoom({ streamedPerTopicMax: 4 })
  const client = live.connect(customer)
  const longId = 'y'.repeat(257)
  for (let n = 0; n < 300; n++) client.send('SUBSCRIBE', { id: `s${n}`, destination: ALL })
  client.send('SUBSCRIBE', { id: longId, destination: '/topic/odds.football.#' })
  client.send('SUBSCRIBE', { id: longId.slice(1), destination: '/topic/odds.*.alpha.#' })
  await settled(live)
  // Each look at the clock finds it half a share later.
  live.lookMs = 0.5
  live.tell('alpha', 1, [price('home', 2)])
  live.turn()
  const atOnce = client.messages().map((frame) => frame.headers.get('subscription')!)
  assert.deepEqual(
    atOnce.filter((id) => id.length > 4).map((id) => id.length),
    [256],
    'a long id waits',
  )
  assert(atOnce.length >= 5 && atOnce.length < 5 + 8, `${atOnce.length} at once`)
  const other = live.connect(live.addCustomer('other'))
  other.subscribe(ALL)
  assert.equal(other.request('SUBSCRIBE', { id: 'o', destination: ALL }), 'r1')
  assert.equal(other.take().at(-1)?.command, 'RECEIPT', 'others are served in between')
  await settled(live)
  assert.equal(atOnce.length + client.messages().length, 302)
})

test('a place in the stream that is given up is had by the next', async () => {
  const { live, customer } = newRoom({ streamedPerTopicMax: 1 })
  const client = live.connect(customer)
  client.send('SUBSCRIBE', { id: 'a', destination: ALL })
  client.send('UNSUBSCRIBE', { id: 'a' })
  client.send('SUBSCRIBE', { id: 'b', destination: ALL })
  client.send('SUBSCRIBE', { id: 'c', destination: ALL })
  await settled(live)
  client.send('UNSUBSCRIBE', { id: 'c' })
  assert.equal(live.broker.flowCount, 1)
  live.tell('alpha', 1, [price('home', 2)])
  live.turn()
  assert.deepEqual(
    client.messages().map((frame) => frame.headers.get('subscription')),
    ['b'],
  )
})

const assertLimit = (client: MemoryClient, limit: string): void => {
  const error = client.take().at(-1)!
  assert.equal(error.headers.get('message'), 'limit_exceeded', shownFrame(error))
  assert.equal(error.headers.get('field'), limit)
}

test('subscriptions with conflate-ms to the same topics have a number', () => {
  const { live, customer } = newRoom()
  const { conflatingPerTopicMax } = live.broker.limits
  const client = live.connect(customer)
  const headers = { destination: ALL, 'conflate-ms': '1000' }
  for (let n = 0; n < conflatingPerTopicMax; n++) client.send('SUBSCRIBE', { id: `s${n}`, ...headers })
  client.send('UNSUBSCRIBE', { id: 's0' })
  client.send('SUBSCRIBE', { id: 'again', ...headers })
  client.send('SUBSCRIBE', { id: 'other', destination: '/topic/odds.football.#', 'conflate-ms': '1000' })
  assert.equal(client.carrier.ending, 'none')
  client.send('SUBSCRIBE', { id: 'one more', ...headers })
  assertLimit(client, 'conflatingPerTopicMax')
})

test('a follower gets its messages while a long snapshot is read, and is no reason to end the session', async () => {
  const { live, customer } = newRoom({ streamedPerTopicMax: 1, socketBytesMax: 1_000, stalledMsMax: 1_000 })
  for (let event = 1; event <= 60; event++) live.tell('alpha', event, [price('home', 2)])
  live.turn()
  const client = live.connect(customer)
  client.send('SUBSCRIBE', { id: 'first', destination: ALL })
  client.send('SUBSCRIBE', { id: 'follower', destination: ALL })
  await settled(live)
  client.carrier.allow(0)
  client.send('SUBSCRIBE', { id: 'snapshot', destination: ALL, snapshot: 'true' })
  const frames: ServerFrame[] = []
  const isWhole = (): boolean => frames.some((frame) => frame.headers.get('kind') === 'snapshot-end')
  let followed = 0
  for (let odds = 3; !isWhole(); odds++) {
    assert(odds < 300, 'the snapshot never ends')
    live.tell('beta', 1, [price('home', odds)])
    live.turn()
    client.carrier.allow(1_500)
    live.advance(100)
    await settled(live)
    const taken = client.messages()
    if (!isWhole()) followed += taken.filter((frame) => frame.headers.get('subscription') === 'follower').length
    frames.push(...taken)
  }
  assert.equal(client.carrier.ending, 'none')
  assert(followed > 5, `${followed} messages of the follower before the end of the snapshot`)
})

test('a session that cannot be served in time ends, and can resume without a gap', async () => {
  const { live, customer } = newRoom({ streamedPerTopicMax: 1, socketBytesMax: 1_000 })
  const client = live.connect(customer)
  const point = `${live.engine.epoch}-${live.engine.seq}`
  for (let n = 0; n < 20; n++) client.send('SUBSCRIBE', { id: `s${n}`, destination: ALL, 'from-seq': point })
  await settled(live)
  client.take()
  for (const odds of [2, 3, 4]) {
    live.tell('alpha', 1, [price('home', odds)])
    live.turn()
    await settled(live)
  }
  client.carrier.allow(5_000)
  for (const odds of [5, 6, 7]) {
    live.tell('alpha', 1, [price('home', odds)])
    live.turn()
    await settled(live)
  }
  const { stalledMsMax } = live.broker.limits
  for (let passed = 0; passed <= stalledMsMax && client.carrier.ending === 'none'; passed += 100) {
    live.advance(100)
    // It reads a little, so that it is not stalled: it is too slow for what it asked for.
    client.carrier.allow(10)
    await settled(live)
  }
  assert.equal(client.carrier.ending, 'fault')
  client.carrier.allow(Number.POSITIVE_INFINITY)
  const frames = client.take()
  const error = frames.at(-1)!
  assert.equal(error.headers.get('message'), 'slow_consumer', shownFrame(error))
  const from = error.headers.get('resume-from')!
  const next = live.connect(customer)
  next.send('SUBSCRIBE', { id: 's19', destination: ALL, 'from-seq': from })
  await settled(live)
  const had = bySubscription(frames.filter((frame) => frame.command === 'MESSAGE')).get('s19') ?? []
  const got = bySubscription(next.messages()).get('s19') ?? []
  const ids = [...had, ...got].map((text) => text.split(' ')[1])
  assert.equal(new Set(ids).size, 6, ids.join('\n'))
})
