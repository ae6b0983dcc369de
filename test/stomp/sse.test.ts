// Server-sent events without sockets: what a stream carries equals what a subscriber of STOMP gets, its clients resume by
// the last id that EventSource would send, and its limits are those of a session.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { Ajv } from 'ajv'
import ajvFormats from 'ajv-formats'
import { UNRESTRICTED } from '../../src/access/scope.ts'
import { LIMITS } from '../../src/limits.ts'
import { ON_SLOW, PARAMETERS, QUOTE_FORMS, STREAM_TOPICS } from '../../src/rest/schemas.ts'
import { asyncApiDocument } from '../../src/stomp/asyncapi-document.ts'
import { QUOTE_FORMS as LIVE_QUOTE_FORMS } from '../../src/stomp/numbers.ts'
import { isFault } from '../../src/stomp/session-fault.ts'
import { ON_SLOW as LIVE_ON_SLOW } from '../../src/stomp/subscription.ts'
import type { SseQuery } from '../../src/stomp/sse-request.ts'
import { Random, SEED } from '../random.ts'
import { Desk } from './desk.ts'
import { bodyText, messageOf, type ServerEvent } from './event-reader.ts'
import { bookmaker, LiveRoom, type LiveRoomOptions, price } from './memory-carrier.ts'
import { ASKED, type MemoryStream, openStream } from './memory-stream.ts'

const ALL = '/topic/odds.*.*.*'
const OUTCOMES = ['home', 'draw', 'away']

let room: LiveRoom | undefined
const streams: MemoryStream[] = []

afterEach(() => {
  for (const { response } of streams.splice(0)) response.cut()
  room?.close()
  room = undefined
})

const newRoom = (options: LiveRoomOptions = {}): LiveRoom => {
  room = new LiveRoom({ bookmakers: ['alpha', 'beta'].map((slug) => bookmaker(slug)), ...options })
  return room
}

const open = (...args: Parameters<typeof openStream>): MemoryStream => {
  const stream = openStream(...args)
  assert(typeof stream !== 'string', `refused: ${String(stream)}`)
  streams.push(stream)
  return stream
}

/** Waits until no stream was given anything for 20 iterations of the event loop: one that catches up goes on in each. */
const settle = async (live: LiveRoom): Promise<void> => {
  let before = -1
  for (let quiet = 0; quiet < 20; ) {
    await new Promise((resolve) => setImmediate(resolve))
    const written = streams.reduce((sum, { response }) => sum + response.chunks.length, 0)
    quiet = written === before ? quiet + 1 : 0
    before = written
  }
  await live.settle()
}

const tellRandom = (live: LiveRoom, random: Random, count: number, events = 6): void => {
  for (let n = 0; n < count; n++) {
    const quotes = OUTCOMES.filter(() => random.chance(0.6)).map((outcome) => {
      const status = random.chance(0.8) ? 'open' : random.pick(['suspended', 'closed'] as const)
      return price(outcome, 1 + random.int(1, 900) / 100, status)
    })
    live.tell(random.pick(['alpha', 'beta']), random.int(1, events), quotes)
    if (random.chance(0.5)) live.turn()
    live.advance(1)
  }
  live.turn()
}

const errorOf = (
  events: readonly ServerEvent[],
): { readonly code: string; readonly resumeFrom: string | undefined } => {
  const last = events.at(-1)
  assert.equal(last?.type, 'error', `the last event: ${JSON.stringify(last)}`)
  checkEvent(last!)
  assert.equal(events.filter(({ type }) => type === 'error').length, 1)
  const { error, resumeFrom } = JSON.parse(last!.data) as { error: { code: string }; resumeFrom?: string }
  // It is the id, too: EventSource resumes from there.
  if (resumeFrom !== undefined) assert.equal(last!.lastEventId, resumeFrom)
  return { code: error.code, resumeFrom }
}

const ajv = new Ajv({ strict: false })
ajvFormats.default(ajv)
const document = asyncApiDocument({ publicUrl: 'http://localhost', stompPort: 1, isTls: false, limits: LIMITS })
ajv.addSchema({ $id: 'document', ...document })

/** Checks an event against the document. */
const checkEvent = ({ type, data }: ServerEvent): void => {
  const validate = ajv.getSchema(`document#/channels/stream/messages/${type}/payload`)
  assert(validate?.(JSON.parse(data)), `${type}: ${ajv.errorsText(validate?.errors)}: ${data}`)
}

test('a stream has the bodies of its twin on STOMP, byte by byte, on every topic', async () => {
  const live = newRoom()
  const customer = live.addCustomer('desk')
  const random = new Random(SEED)
  tellRandom(live, random, 40)
  const pairs = (['odds', 'status', 'events', 'feeds'] as const).map((topic) => {
    const client = live.connect(customer)
    client.subscribe(`/topic/${topic}.#`, { snapshot: 'true' })
    return { topic, client, stream: open(live, customer, { topic, snapshot: true }) }
  })
  await settle(live)
  tellRandom(live, random, 60)
  live.advance(31_000)
  await settle(live)
  for (const { topic, client, stream } of pairs) {
    const events = stream.response.reader.take()
    const shown = (kind: unknown, id: unknown, prev: unknown, body: string) => [kind, id, prev, body]
    const told = client.messages().map(({ headers, body }) => {
      return shown(headers.get('kind'), headers.get('message-id'), headers.get('prev'), body.toString())
    })
    const got = events.map((event) => {
      const { prev } = JSON.parse(event.data) as { prev?: string }
      return shown(event.type, event.lastEventId, prev, bodyText(event))
    })
    // No source is configured: of feeds there is the end of the snapshot.
    assert(got.length > (topic === 'feeds' ? 0 : 4), `seed ${SEED}: ${topic} has ${got.length} events`)
    assert.deepEqual(got, told, `seed ${SEED}: ${topic}`)
    for (const event of events) checkEvent(event)
    client.cut()
  }
  const [first, second] = [open(live, customer), open(live, customer)]
  live.tell('alpha', 1, [price('home', 42)])
  live.turn()
  const [chunk, other] = [first.response.chunks.at(-1)!, second.response.chunks.at(-1)!]
  assert.match(chunk.toString(), /"odds":42/)
  assert.equal(chunk, other, 'both are given the same Buffer')
})

const resumeAnywhere = async (quotes: (typeof QUOTE_FORMS)[number]): Promise<void> => {
  const live = newRoom({ limits: { socketBytesMax: 2_000 } })
  const customer = live.addCustomer('desk')
  const random = new Random(SEED)
  tellRandom(live, random, 30)
  const twin = open(live, customer, { snapshot: true })
  const desks = Array.from({ length: 6 }, (_, n) => ({
    desk: new Desk({
      destination: ALL,
      name: `seed ${SEED}: client ${n}`,
      numbered: quotes === 'numbered' ? { isBinary: false, now: () => live.nowAt } : undefined,
    }),
    lastEventId: '',
    updates: [] as string[],
    snapshots: 0,
  }))
  const apply = (one: (typeof desks)[number], { response }: MemoryStream): void => {
    for (const event of response.reader.take()) {
      checkEvent(event)
      one.desk.apply(messageOf(event, ALL))
      if (event.type === 'update' || event.type === 'short') one.updates.push(event.lastEventId)
      if (event.type === 'snapshot-end') one.updates.length = 0
    }
    one.lastEventId = response.reader.lastEventId === '' ? one.lastEventId : response.reader.lastEventId
  }
  const connect = (one: (typeof desks)[number], octets: number): MemoryStream => {
    const { desk, lastEventId } = one
    if (lastEventId === '') desk.awaitSnapshot()
    else if (desk.phase === 'state') desk.goOn()
    return open(live, customer, { snapshot: true, lastEventId, quotes }, octets)
  }
  for (let round = 0; round < 60; round++) {
    for (const one of desks) {
      const stream = connect(one, random.int(0, random.chance(0.5) ? 700 : 6_000))
      tellRandom(live, random, random.int(0, 3))
      await settle(live)
      apply(one, stream)
      stream.response.cut()
    }
  }
  let inSnapshot = 0
  for (const one of desks) {
    inSnapshot += one.desk.resets.length
    assert(one.desk.resets.every((reason) => reason === 'incomplete'))
  }
  assert(inSnapshot > 0, `seed ${SEED}: no connection broke within a snapshot`)
  const last = desks.map((one) => ({ one, stream: connect(one, Number.POSITIVE_INFINITY) }))
  // Most begin with a snapshot anew, which is served by and by.
  await settle(live)
  tellRandom(live, random, 5)
  await settle(live)
  const told = twin.response.reader.take()
  const updates = told.filter(({ type }) => type === 'update')
  const twinDesk = new Desk({ destination: ALL })
  twinDesk.awaitSnapshot()
  for (const event of told) twinDesk.apply(messageOf(event, ALL))
  for (const { one, stream } of last) {
    apply(one, stream)
    assert.deepEqual([...one.desk.quotes].sort(), [...twinDesk.quotes].sort(), `seed ${SEED}`)
    assert(one.updates.length > 0)
    const all = updates.map(({ lastEventId }) => lastEventId)
    assert.deepEqual(one.updates, all.slice(all.length - one.updates.length), `seed ${SEED}`)
    if (quotes === 'numbered') assert(one.desk.counts.short > 0, `seed ${SEED}: no short update`)
  }
}

for (const quotes of QUOTE_FORMS) {
  test(`clients whose connections break anywhere resume by their last id: nothing is missing, nothing comes twice; ${quotes}`, () =>
    resumeAnywhere(quotes))
}

test('with quotes=numbered a price is a short event, with the SEQ of the one before; without a state it is refused', async () => {
  const live = newRoom()
  const customer = live.addCustomer('desk')
  live.tell('alpha', 1, [price('home', 2)])
  live.turn()
  const { reader } = open(live, customer, { snapshot: true, quotes: 'numbered', conflateMs: 1_000 }).response
  await settle(live)
  const snapshot = reader.take()[0]!
  const { number } = (JSON.parse(snapshot.data) as { quotes: { number: number }[] }).quotes[0]!
  for (const odds of [2.1, 2.2]) {
    live.tell('alpha', 1, [price('home', odds)])
    live.turn()
  }
  live.tell('alpha', 1, [price('draw', 4)])
  live.turn()
  live.advance(1_100)
  const [first, added, held, ...rest] = reader.take()
  for (const event of [first!, added!, held!]) checkEvent(event)
  assert.deepEqual(rest, [])
  const seq = ({ lastEventId }: ServerEvent): number => Number.parseInt(lastEventId.split('-')[1]!, 10)
  const dataOf = (event: ServerEvent) => (JSON.parse(event.data) as unknown[]).filter((_, n) => n !== 1 && n !== 2)
  assert.deepEqual([first!.type, dataOf(first!)], ['short', [seq(snapshot), [number, 2_100]]])
  assert.equal(added!.type, 'update')
  // A price that was held is older than the message before it, and has no id.
  assert.deepEqual([held!.type, held!.hasId, dataOf(held!)], ['short', false, [seq(added!), [number, 2_200]]])
  for (const query of [{}, { topic: 'events', snapshot: true }] as const) {
    const admission = live.broker.admitSse(undefined, customer.secret, { ...ASKED, ...query, quotes: 'numbered' })
    assert(isFault(admission))
    assert.deepEqual([admission.code, admission.field], ['validation_failed', 'quotes'])
  }
})

test('a stream that cannot go on says why, and sends a snapshot; one without a point gets one at once', async () => {
  const live = newRoom()
  const customer = live.addCustomer('desk')
  tellRandom(live, new Random(SEED), 20)
  const { epoch, seq } = live.engine
  const reasons = {
    epoch: { lastEventId: `other-${seq}` },
    ahead: { fromSeq: `${epoch}-${seq + 1}` },
    incomplete: { lastEventId: `${epoch}-${seq}.3` },
  }
  for (const [reason, query] of Object.entries(reasons)) {
    const { reader } = open(live, customer, query).response
    await settle(live)
    const [reset, ...rest] = reader.take()
    assert.deepEqual([reset!.type, JSON.parse(reset!.data)], ['reset', { reason }])
    // Whoever breaks off here has half a snapshot, whatever becomes of the point that it had.
    assert.equal(reset!.lastEventId, `${epoch}-${seq}.0`)
    assert.deepEqual([...new Set(rest.map(({ type }) => type))], ['snapshot', 'snapshot-end'])
    assert.equal(reader.lastEventId, `${epoch}-${seq}`)
  }
  // The header is of a later connection than the parameter.
  const resumed = open(live, customer, { fromSeq: `${epoch}-1`, lastEventId: `${epoch}-${seq}`, snapshot: true })
  const joined = open(live, customer)
  const first = open(live, customer, { lastEventId: '' })
  await settle(live)
  assert.deepEqual(resumed.response.reader.take(), [])
  for (const { response } of [joined, first]) {
    assert.deepEqual([response.reader.take(), response.reader.lastEventId], [[], `${epoch}-${seq}`])
    assert.equal(response.reader.retryMs, LIMITS.sseRetryMs)
  }
})

test('a price that conflation has held has no id: EventSource goes on from the greatest', () => {
  const live = newRoom()
  const { response } = open(live, live.addCustomer('desk'), { conflateMs: 1_000 })
  const { reader } = response
  live.tell('alpha', 1, [price('home', 2)])
  live.turn()
  live.tell('alpha', 1, [price('home', 3)])
  live.turn()
  live.tell('alpha', 1, [price('draw', 4)])
  live.turn()
  const before = reader.lastEventId
  live.advance(1_100)
  const events = reader.take()
  const seqs = events.map(({ data }) => Number((JSON.parse(data) as { seq: string }).seq.split('-')[1]))
  assert.deepEqual(
    events.map(({ hasId }) => hasId),
    [true, true, false],
  )
  assert(seqs[2]! < seqs[1]!, 'the held price is older')
  assert.equal(reader.lastEventId, before)
})

test('with onSlow=conflate a slow client is degraded, and its last id stays a point until it is restored', async () => {
  const live = newRoom({ limits: { socketBytesMax: 1_000 } })
  const customer = live.addCustomer('desk')
  const random = new Random(SEED)
  tellRandom(live, random, 20)
  const { response, session } = open(live, customer, { snapshot: true, onSlow: 'conflate' })
  const { reader } = response
  await settle(live)
  const points: string[] = []
  const types = new Set<string>()
  const look = (): void => {
    for (const event of reader.take()) {
      checkEvent(event)
      types.add(event.type)
      if (event.hasId && event.type !== 'snapshot') points.push(event.lastEventId)
    }
  }
  response.allow(0)
  for (let ms = 0; ms < 8_000; ms += 100) {
    tellRandom(live, random, 3)
    live.advance(100)
    response.allow(400)
    await settle(live)
    look()
  }
  assert(session.isConnected && types.has('degraded'), `seed ${SEED}`)
  response.allow(Number.POSITIVE_INFINITY)
  for (let ms = 0; ms < 3_000; ms += 100) {
    live.advance(100)
    await settle(live)
    look()
  }
  assert(types.has('restored'), `seed ${SEED}: ${[...types].join()}`)
  assert(
    points.every((id) => /^[0-9a-z]+-\d+$/.test(id)),
    'no id is within a snapshot',
  )
  const seqs = points.map((id) => Number(id.split('-')[1]))
  assert.deepEqual(
    seqs,
    [...seqs].sort((a, b) => a - b),
    'ids never go back',
  )
})

test('a silent stream gets a comment and its point after sseBeatMs; lag comes once a second', async () => {
  const live = newRoom()
  const customer = live.addCustomer('desk')
  const quiet = open(live, customer, { sport: 'tennis', snapshot: true })
  const lagging = open(live, customer, { sport: 'tennis', lag: true })
  const lagOnly = open(live, customer, { topic: 'lag' })
  await settle(live)
  const { reader } = quiet.response
  const begun = reader.comments
  live.tell('alpha', 1, [price('home', 2)])
  live.turn()
  // The tick that sees the last octets begins to count.
  for (let ms = 0; ms < LIMITS.sseBeatMs; ms += 100) live.advance(100)
  assert.equal(reader.comments, begun)
  live.advance(100)
  assert.equal(reader.comments, begun + 1)
  assert.equal(reader.lastEventId, `${live.engine.epoch}-${live.engine.seq}`, 'though nothing of that was for it')
  assert.deepEqual(
    reader.take().map(({ type }) => type),
    ['snapshot-end'],
  )
  for (const { response } of [lagging, lagOnly]) {
    const events = response.reader.take()
    assert(events.length >= LIMITS.sseBeatMs / 1_000 - 1, `${events.length} in ${LIMITS.sseBeatMs} ms`)
    assert(events.every(({ type, hasId }) => type === 'lag' && !hasId))
    checkEvent(events[0]!)
    assert.deepEqual(Object.keys(JSON.parse(events[0]!.data) as object), [
      ...['seq', 'queuedBytes', 'behindMs', 'mergedPrices'],
    ])
  }
})

test('a client that does not read is disconnected at its budget and not before, and resumes', async () => {
  for (const extra of [0, 1]) {
    const live = newRoom({ limits: { socketBytesMax: 1_000 } })
    const customer = live.addCustomer('desk')
    const random = new Random(SEED)
    // All seqs have three digits.
    tellRandom(live, random, 150)
    const stream = open(live, customer)
    stream.response.allow(100)
    // Until the carrier is full, and what follows is the backlog of the session.
    while (!stream.session.subscriptions.isBehind) tellRandom(live, random, 1)
    const healthy = open(live, customer)
    const { outbox } = stream.session
    const tell = (odds: number): number => {
      live.tell('alpha', 1, [price('home', odds)])
      live.turn()
      return outbox.pendingBytes
    }
    tell(11)
    const before = tell(12)
    const size = tell(13) - before
    // The next message reaches the budget, or exceeds it by an octet.
    Object.assign(live.broker.limits, { pendingBytesMax: before + 2 * size - extra })
    tell(14)
    const isOver = extra === 1
    assert.equal(live.broker.counts.slowConsumers, extra)
    assert.equal(stream.session.isConnected, !isOver)
    assert(healthy.session.isConnected)
    stream.response.allow(Number.POSITIVE_INFINITY)
    await settle(live)
    if (isOver) {
      const events = stream.response.reader.take()
      const { code, resumeFrom } = errorOf(events)
      assert.equal(code, 'slow_consumer')
      assert.equal(stream.response.ending, 'ended')
      const { reader } = open(live, customer, { lastEventId: resumeFrom }).response
      await settle(live)
      const prevs = reader.take().map(({ data }) => JSON.parse(data) as { prev: string })
      assert(prevs.length >= 2)
      assert(Number(prevs[0]!.prev.split('-')[1]) <= Number(resumeFrom!.split('-')[1]))
    }
    for (const { response } of streams.splice(0)) response.cut()
    live.close()
    room = undefined
  }
})

test('a client that reads nothing for stalledMsMax is disconnected; one that reads a piece now and then is not', async () => {
  const live = newRoom({ limits: { pendingBytesMax: 50_000_000 } })
  const customer = live.addCustomer('desk')
  const [stalled, slow] = [open(live, customer), open(live, customer)]
  for (const { response } of [stalled, slow]) response.allow(0)
  for (let turn = 0; turn < 60; turn++) {
    for (let n = 1; n <= 6; n++) live.tell('alpha', n, [price('home', 2 + turn / 10), price('draw', 2 + turn / 10)])
    live.turn()
  }
  await settle(live)
  for (let ms = 0; ms <= LIMITS.stalledMsMax + 200; ms += 100) {
    if (ms % 2_000 === 0) slow.response.allow(2_000)
    live.advance(100)
    await settle(live)
    // The tick that first sees it waiting counts from there.
    if (ms <= LIMITS.stalledMsMax - 200) assert(stalled.session.isConnected, `after ${ms} ms`)
  }
  assert(!stalled.session.isConnected && slow.session.isConnected)
  assert.equal(stalled.response.ending, 'none')
  live.advance(LIMITS.closeMsMax)
  assert.equal(stalled.response.ending, 'closed', 'at the deadline')
  slow.response.allow(Number.POSITIVE_INFINITY)
  await settle(live)
  assert(slow.response.reader.take().length > 300)
})

test('rights hold as on STOMP: who may open a stream, how many, and what becomes of one when they change', async () => {
  const live = newRoom()
  const customer = live.addCustomer('desk')
  tellRandom(live, new Random(SEED), 20)
  const codes = (query: Partial<SseQuery>, who = customer) => {
    const opened = openStream(live, who, query)
    if (typeof opened === 'string') return opened
    streams.push(opened)
    return 'opened'
  }
  assert.equal(
    codes({}, { ...customer, secret: `${customer.secret.slice(0, -1)}${customer.secret.endsWith('x') ? 'y' : 'x'}` }),
    'invalid_api_key',
  )
  const narrow = live.addCustomer('narrow', ['alpha'], { ...UNRESTRICTED, sports: ['football'] })
  assert.equal(codes({ sport: 'tennis' }, narrow), 'api_key_scope_denied')
  assert.equal(codes({ bookmaker: 'beta' }, narrow), 'forbidden')
  assert.equal(codes({ bookmaker: 'alpha', snapshot: true }, narrow), 'opened')
  assert.equal(codes({ topic: 'events', bookmaker: 'alpha' }), 'validation_failed')
  assert.equal(codes({ topic: 'feeds', sport: 'football' }), 'validation_failed')
  assert.equal(codes({ topic: 'feeds', event: '1' }), 'validation_failed')
  assert.equal(codes({ lastEventId: 'nonsense' }), 'validation_failed')
  // STOMP sessions and streams share the connections of the plan.
  const few = live.addCustomer('few')
  const plan = { ...PLAN, name: 'plan-few', liveConnectionsMax: 2 }
  live.gate.apply({ ...NO_CHANGE, plans: [plan] })
  const session = live.connect(few)
  assert.deepEqual([codes({}, few), codes({}, few)], ['opened', 'rate_limit_exceeded'])
  session.cut()
  assert.deepEqual([codes({}, few), codes({}, few)], ['opened', 'rate_limit_exceeded'])
  streams.at(-1)!.response.cut()
  assert.equal(codes({}, few), 'opened', 'an end frees the place')

  const stream = open(live, customer, { snapshot: true })
  await settle(live)
  stream.response.reader.take()
  live.setEntitlement(customer, ['beta'])
  await settle(live)
  const [reset, ...parts] = stream.response.reader.take()
  assert.deepEqual([reset!.type, JSON.parse(reset!.data)], ['reset', { reason: 'audience' }])
  assert(parts.length > 1 && !parts.some(({ data }) => data.includes('"alpha"')))
  live.gate.apply({ ...NO_CHANGE, keysDeleted: [customer.keyId] })
  assert.equal(errorOf(stream.response.reader.take()).code, 'invalid_api_key')
  assert.equal(stream.response.ending, 'ended')

  const drained = open(live, narrow, { snapshot: true })
  await settle(live)
  const draining = live.broker.drain(1_000)
  for (let n = 0; n < 100; n++) {
    live.advance(50)
    await settle(live)
  }
  await draining
  const { code, resumeFrom } = errorOf(drained.response.reader.take())
  assert.deepEqual([code, resumeFrom], ['server_shutdown', `${live.engine.epoch}-${live.engine.seq}`])
  assert.equal(codes({}, narrow), 'service_unavailable')
})

const NO_CHANGE = { auditId: 0, plans: [], organizations: [], keys: [], keysDeleted: [], bookmakers: null } as const
const PLAN = {
  ...{ hourlyLimit: 0, monthlyQuota: 0, liveEnabled: true, historyEnabled: false },
  ...{ liveReplayWindowSeconds: 3_600, isPublic: false },
} as const

test('streams of a key that end with errors too often are refused for a while, as its sessions are', async () => {
  const live = newRoom({ limits: { errorSessionsMax: 1, stalledMsMax: 100, socketBytesMax: 1_000 } })
  const customer = live.addCustomer('desk')
  const codes: string[] = []
  for (let n = 0; n < 4; n++) {
    const stream = openStream(live, customer)
    codes.push(typeof stream === 'string' ? stream : 'opened')
    if (typeof stream === 'string') continue
    streams.push(stream)
    stream.response.allow(0)
    for (const round of [1, 2, 3]) {
      for (let event = 1; event <= 10; event++) live.tell('alpha', event, [price('home', 2 + n + round / 10)])
      live.turn()
    }
    await settle(live)
    for (let ms = 0; ms < 400; ms += 100) {
      live.advance(100)
      await settle(live)
    }
    assert(!stream.session.isConnected)
  }
  assert.deepEqual(codes, ['opened', 'opened', 'opened', 'rate_limit_exceeded'])
  const admission = live.broker.admitSse(undefined, customer.secret, ASKED)
  assert(isFault(admission))
  assert.deepEqual(admission.headers, [['retry-after', '1']])
  live.advance(LIMITS.throttleMs)
  streams.push(open(live, customer))
})

test('the parameters agree with the live channel', () => {
  assert.deepEqual((PARAMETERS.conflateMs.schema as { maximum?: number }).maximum, LIMITS.conflateMsMax)
  assert.deepEqual([...ON_SLOW].sort(), [...LIVE_ON_SLOW].sort())
  assert.deepEqual(QUOTE_FORMS, LIVE_QUOTE_FORMS)
  assert.deepEqual([...STREAM_TOPICS].sort(), ['events', 'feeds', 'lag', 'odds', 'status'])
})
