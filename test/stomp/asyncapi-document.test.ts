// The AsyncAPI document: it is well-formed, its examples are true, and every frame that the service sends is as it says.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { Ajv, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'
import { unpack } from 'msgpackr'
import { WebSocket } from 'ws'
import { Access } from '../../src/access/access.ts'
import { isFault } from '../../src/access/fault.ts'
import { type Scope, UNRESTRICTED } from '../../src/access/scope.ts'
import { Store } from '../../src/access/store.ts'
import * as clock from '../../src/clock.ts'
import { LIMITS } from '../../src/limits.ts'
import { type Bookmaker, isBookmakerSlug } from '../../src/domain/coverage.ts'
import { CHANGES } from '../../src/domain/quote.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { FEED_STATES } from '../../src/domain/feed-health.ts'
import { Engine } from '../../src/engine/engine.ts'
import { Turns } from '../../src/engine/turns.ts'
import { observationSchema, type Schema } from '../../src/source/observations/observation-fields.ts'
import { parseObservation } from '../../src/source/observations/observations.ts'
import { Broker } from '../../src/stomp/broker.ts'
import { LiveHistory } from '../../src/stomp/live-history.ts'
import type { Carrier } from '../../src/stomp/carrier.ts'
import { RESET_REASONS } from '../../src/stomp/catch-up.ts'
import { TOPICS, type Topic } from '../../src/stomp/destination.ts'
import { asyncApiDocument } from '../../src/stomp/asyncapi-document.ts'
import { PAYLOADS } from '../../src/stomp/asyncapi-schemas.ts'
import { LIVE_CODES } from '../../src/stomp/asyncapi-words.ts'
import { ENCODINGS, KINDS, type Kind } from '../../src/stomp/message.ts'
import { isNumberedTopic, SHORT_DESTINATIONS } from '../../src/stomp/numbers.ts'
import type { Session } from '../../src/stomp/session.ts'
import { EVENT_CHANGES } from '../../src/stomp/visibility.ts'
import { Random, SEED } from '../random.ts'
import { done, type Json, list, newFolder, type RunningService, startService } from '../service.ts'
import { LIMIT_MS, RawClient } from './raw-client.ts'
import {
  clientFrame,
  isShortUpdate,
  type ServerFrame,
  shownFrame,
  StrictReader,
  type Version,
} from './strict-frames.ts'

const TOPIC_NAMES = Object.keys(TOPICS) as Topic[]

const document = asyncApiDocument({
  publicUrl: 'http://localhost:8080',
  stompPort: 61613,
  isTls: false,
  limits: LIMITS,
}) as unknown as Json

const channels = document.channels as Json

// --- frames against the document

/** Schemas that allow only the members that they name: what the document leaves out is then found. */
const closed = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const members = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  return 'properties' in node && 'type' in node ? { additionalProperties: false, ...members } : members
}

const topicOf = (headers: ReadonlyMap<string, string>): Topic => {
  const destination = headers.get('destination')!
  if (isShortUpdate(headers)) return destination === SHORT_DESTINATIONS.odds ? 'odds' : 'status'
  return destination.split(/[/.]/)[2] as Topic
}

const kindOf = (headers: ReadonlyMap<string, string>): string =>
  isShortUpdate(headers) ? 'short' : headers.get('kind')!

/** Of a short update, only MessagePack has a length. */
const contentTypeOf = (headers: ReadonlyMap<string, string>): string | undefined =>
  isShortUpdate(headers) ? ENCODINGS[headers.has('content-length') ? 'msgpack' : 'json'] : headers.get('content-type')

/** The messages of a topic: a short update has no kind. */
const messagesOf = (topic: Topic): string[] => [
  ...Object.keys(PAYLOADS[topic]),
  ...(isNumberedTopic(topic) ? ['short'] : []),
]

/** Checks frames against a document. */
class Contract {
  private readonly ajv = new Ajv({ strict: false, allErrors: true })
  private readonly validators = new Map<string, ValidateFunction>()
  private readonly channels: Json
  private readonly operations: Json

  constructor(contract: Json) {
    ajvFormats.default(this.ajv)
    this.ajv.addSchema({ $id: 'open', ...(contract as object) })
    this.ajv.addSchema({ ...(closed(contract) as object), $id: 'closed' })
    this.channels = contract.channels as Json
    this.operations = contract.operations as Json
  }

  /** Checks a frame of the service; returns its body. */
  check(frame: ServerFrame): unknown {
    const { command, headers, body } = frame
    const channel = command === 'MESSAGE' ? topicOf(headers) : 'session'
    const message = command === 'MESSAGE' ? kindOf(headers) : command.toLowerCase()
    const payload =
      contentTypeOf(headers) === ENCODINGS.msgpack
        ? (unpack(body) as unknown)
        : body.length === 0
          ? ''
          : (JSON.parse(body.toString('utf8')) as unknown)
    this.checkMessage(channel, message, Object.fromEntries(headers), payload, shownFrame(frame))
    return payload
  }

  /** Checks headers and payload; of the messages that an operation names, they must match this one only. */
  checkMessage(channel: string, message: string, headers: object, payload: unknown, at: string): void {
    const messages = Object.keys(this.channels[channel]?.messages ?? {})
    assert(messages.includes(message), `the document has no ${message} on ${channel}: ${at}`)
    for (const [part, value] of Object.entries({ headers, payload })) {
      const validate = this.validatorOf('closed', channel, message, part)
      assert(validate(value), `${part}: ${this.ajv.errorsText(validate.errors)}: ${at}`)
    }
    for (const together of this.together(channel, message)) {
      const fitting = together.filter(
        (other) =>
          this.validatorOf('open', channel, other, 'headers')(headers) &&
          this.validatorOf('open', channel, other, 'payload')(payload),
      )
      assert.deepEqual(fitting, [message], at)
    }
  }

  /** The lists of messages in which an operation names this one. */
  private together(channel: string, message: string): string[][] {
    const own = `#/channels/${channel}/messages/`
    return Object.values(this.operations as object)
      .flatMap((operation: Json) => [operation.messages, operation.reply?.messages])
      .filter((messages) => messages !== undefined)
      .map((messages) => list(messages).map(({ $ref }) => String($ref)))
      .filter((references) => references.includes(`${own}${message}`))
      .map((references) => references.map((each) => each.slice(own.length)))
  }

  private validatorOf(how: 'open' | 'closed', channel: string, message: string, part: string): ValidateFunction {
    const pointer = `${how}#/channels/${channel}/messages/${message}/${part}`
    let validate = this.validators.get(pointer)
    if (validate === undefined) {
      validate = this.ajv.compile({ $ref: pointer })
      this.validators.set(pointer, validate)
    }
    return validate
  }
}

const contract = new Contract(document)

const compile = (schema: Schema): ValidateFunction => {
  const ajv = new Ajv({ strict: false, allErrors: true })
  ajvFormats.default(ajv)
  return ajv.compile(schema)
}

// --- the document by itself

test('the parser of AsyncAPI finds nothing to complain of', async (t) => {
  const folder = process.env.ODDSWIRE_TEST_TOOLS ?? ''
  const isRequired = (process.env.ODDSWIRE_TEST_REQUIRE ?? '').split(',').includes('asyncapi')
  if (folder === '' || !existsSync(join(folder, 'node_modules', '@asyncapi', 'parser'))) {
    assert(!isRequired, `@asyncapi/parser is required, and not in ODDSWIRE_TEST_TOOLS (${folder})`)
    return t.skip('ODDSWIRE_TEST_TOOLS names no folder with @asyncapi/parser')
  }
  const { Parser } = createRequire(join(folder, 'tools.js'))('@asyncapi/parser') as AsyncApiParser
  const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document))
  // That there is a newer AsyncAPI is no fault of the document.
  const complaints = diagnostics.filter(({ code }) => code !== 'asyncapi-latest-version')
  assert.deepEqual(complaints, [])
  assert.equal(parsed?.version(), '3.0.0')
  const operations = parsed.operations().all()
  assert.equal(operations.length, TOPIC_NAMES.length + 4)
})

/** What is used of `@asyncapi/parser`. */
interface AsyncApiParser {
  readonly Parser: new () => {
    parse(text: string): Promise<{
      readonly document?: { version(): string; operations(): { all(): readonly unknown[] } }
      readonly diagnostics: readonly { readonly code: string | number; readonly message: string }[]
    }>
  }
}

test('channels, parameters, limits and codes are those of the tables', () => {
  assert.deepEqual(Object.keys(channels), [...TOPIC_NAMES, 'feed', 'session', 'stream'])
  for (const topic of TOPIC_NAMES) {
    assert.deepEqual(Object.keys(channels[topic]?.parameters ?? {}), [...TOPICS[topic]])
    assert.deepEqual(Object.keys(channels[topic]?.messages as object), messagesOf(topic))
    for (const [kind, message] of Object.entries(channels[topic]?.messages as object)) {
      if (kind !== 'short') assert.equal(String((message as Json).headers?.properties?.kind?.const), kind)
    }
  }
  assert.equal(String(channels.status?.address), '/topic/status.{sport}.{bookmaker}.{eventId}')
  const kinds = new Set(TOPIC_NAMES.flatMap((topic) => Object.keys(PAYLOADS[topic])))
  assert.deepEqual([...kinds].sort(), [...KINDS].sort())
  for (const [name, limit] of Object.entries(document['x-limits'] as object)) {
    assert.equal((limit as Json).value as unknown, (LIMITS as Record<string, unknown>)[name], name)
  }
  assert.deepEqual(Object.keys(document['x-error-codes'] as object).sort(), [...LIVE_CODES].sort())
})

test('its servers are where the public address and the certificate say', () => {
  const serversOf = (publicUrl: string, isTls: boolean) => {
    const { tcp, websocket, sse } = asyncApiDocument({ publicUrl, stompPort: 7, isTls, limits: LIMITS }).servers
    assert.equal(
      `${sse.protocol}://${sse.host}${sse.pathname}`,
      `${new URL(publicUrl).href.replace(/\/$/, '')}/api/v1/stream`,
    )
    return [`${tcp.protocol}://${tcp.host}`, `${websocket.protocol}://${websocket.host}${websocket.pathname}`]
  }
  assert.deepEqual(serversOf('http://localhost:8080', false), ['stomp://localhost:7', 'ws://localhost:8080/stomp'])
  assert.deepEqual(serversOf('https://localhost:8080', true), ['stomps://localhost:7', 'wss://localhost:8080/stomp'])
  assert.deepEqual(serversOf('https://a.example/odds', false), ['stomp://a.example:7', 'wss://a.example/odds/stomp'])
  assert.deepEqual(serversOf('http://[::1]:80', false), ['stomp://[::1]:7', 'ws://[::1]/stomp'])
})

interface Example {
  readonly name: string
  readonly headers: Record<string, string>
  readonly payload?: unknown
}

const examplesOf = (channel: string, message: string): readonly Example[] =>
  (channels[channel]?.messages?.[message]?.examples ?? []) as unknown as readonly Example[]

test('its examples are what their schemas say, and as long as they say', () => {
  let count = 0
  for (const channel of Object.keys(channels)) {
    for (const message of Object.keys(channels[channel]?.messages as object)) {
      for (const { name, headers, payload = '' } of examplesOf(channel, message)) {
        count++
        contract.checkMessage(channel, message, headers, payload, `${channel} ${message} ${name}`)
        const claimed = headers['content-length']
        if (claimed !== undefined) assert.equal(claimed, String(Buffer.byteLength(JSON.stringify(payload))), name)
      }
    }
  }
  assert(count >= 25, `${count} examples`)
})

test('bookmaker slugs are what the domain says', () => {
  const validate = compile((document.components?.schemas?.Bookmaker ?? {}) as unknown as Schema)
  const random = new Random(SEED)
  const letters = [...'az09_.-AZ #*/é', 'x'.repeat(63)]
  for (let round = 0; round < 20_000; round++) {
    const slug = Array.from({ length: random.int(0, 4) }, () => random.pick(letters)).join('')
    assert.equal(validate(slug), isBookmakerSlug(slug), JSON.stringify(slug))
  }
})

// --- observations

test(`an observation is accepted exactly when the document allows it (seed ${SEED})`, () => {
  const random = new Random(SEED)
  const validate = compile(observationSchema(LIMITS))
  const long = 'x'.repeat(LIMITS.textLengthMax + 1)
  const time = '2026-11-20T19:03:11.482Z'
  // Values for any place.
  const values: readonly unknown[] = [
    ...[null, true, false, 0, 1, 1.01, -2.5, 1e300, '', ' ', 'a', ' a', 'a ', 'a b', 'ä', 'a\u0007', 'a\u2028', long],
    ...[[], [null], {}, { key: 'k', name: 'n' }, time, '2026-11-20T19:03:11+01:00', '2026-02-30T00:00:00Z'],
    ...['2026-11-20', 'football', 'chess', 'rest', 'live', 'both', 'open', 'suspended', 'closed', 'keep'],
    ...['match_result_1x2', 'k:1/2', '#', 'a\ud800', '😀'],
  ]
  const whole = (): Record<string, unknown> => ({
    bookmaker: 'northbank',
    transport: random.pick(['rest', 'live', 'both']),
    observedAt: time,
    event: {
      sport: 'football',
      league: { key: 'k', name: 'League' },
      home: 'Home',
      away: 'Away',
      kickoffAt: time,
      sourceId: random.pick([null, 'x1']),
    },
    quotes: Array.from({ length: random.int(0, 2) }, (_, place) => ({
      type: 'total_goals',
      line: place,
      outcome: `${place}`,
      odds: random.pick([1.5, 2, null]),
      status: random.pick(['open', 'suspended', 'closed']),
    })),
    complete: random.chance(0.2),
    others: random.pick(['keep', 'suspended', 'closed']),
  })
  /** Changes, drops or adds a member somewhere within. */
  const spoil = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const members = value as Record<string, unknown>
    const name = random.pick([...Object.keys(members), 'unknown'])
    if (typeof members[name] === 'object' && members[name] !== null && random.chance(0.6)) return spoil(members[name])
    if (Array.isArray(value)) return
    if (random.chance(0.3)) delete members[name]
    // Which bookmaker it is the destination says.
    else
      members[name] =
        name === 'bookmaker' ? random.pick(['northbank', '#', null, 1]) : structuredClone(random.pick(values))
  }
  const verdicts = { taken: 0, refused: 0 }
  for (let round = 0; round < 50_000; round++) {
    const observation = whole()
    for (let times = random.int(0, 2); times > 0; times--) spoil(observation)
    const text = JSON.stringify(observation)
    const read = parseObservation(text, 'northbank', LIMITS)
    const isTaken = !isRefusal(read)
    if (isRefusal(read) && read.message === 'event.away must differ from event.home') continue
    assert.equal(
      validate(JSON.parse(text)),
      isTaken,
      `${text}: ${isTaken ? JSON.stringify(validate.errors) : 'message' in read && read.message}`,
    )
    verdicts[isTaken ? 'taken' : 'refused']++
  }
  assert(verdicts.taken > 5_000 && verdicts.refused > 5_000, JSON.stringify(verdicts))
})

// --- every frame of a broker with a clock of its own

const START = 1_790_000_000_000
const HOUR_MS = 3_600_000

/** A carrier that reads what is written as a strict client does, as much as a test allows. */
class Tap implements Carrier {
  readonly kind = 'tcp'
  bufferedBytes = 0
  readonly frames: ServerFrame[] = []
  private readonly reader = new StrictReader()

  connected(): void {}

  write(bytes: Buffer): void {
    this.reader.pushBytes(bytes, (frame) => this.frames.push(frame))
  }

  writeRun(bytes: Buffer, ends: readonly number[], from: number, to: number): void {
    this.write(bytes.subarray(from === 0 ? 0 : ends[from - 1]!, ends[to - 1]!))
  }

  cork(write: () => void): void {
    write()
  }

  join(): boolean {
    return false
  }

  leave(): void {}
  pauseReading(): void {}
  readOn(): void {}
  end(): void {}
  destroy(): void {}
}

const until = async (isSo: () => boolean, what: () => string): Promise<void> => {
  const endsAt = clock.elapsedMs() + LIMIT_MS
  while (!isSo()) {
    assert(clock.elapsedMs() < endsAt, what())
    await turnOfTheLoop()
  }
}

/** A client in process. */
class Client {
  readonly tap = new Tap()
  private readonly session: Session
  private readonly version: Version
  private receipts = 0

  constructor(broker: Broker, version: Version = '1.2') {
    this.session = broker.open(this.tap)
    this.version = version
  }

  get frames(): readonly ServerFrame[] {
    return this.tap.frames
  }

  say(command: string, headers: Record<string, string>, body: string | object = ''): void {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    this.session.receive(clientFrame(command, headers, this.version, text))
  }

  connect(passcode?: string): this {
    this.say('CONNECT', { 'accept-version': this.version, ...(passcode === undefined ? {} : { passcode }) })
    return this
  }

  /** Says a frame and waits for its RECEIPT. */
  async ask(command: string, headers: Record<string, string>, body: string | object = ''): Promise<void> {
    const receipt = `r-${++this.receipts}`
    this.say(command, { ...headers, receipt }, body)
    await this.until(({ headers: own }) => own.get('receipt-id') === receipt)
  }

  /** Waits for a frame. */
  async until(fits: (frame: ServerFrame) => boolean): Promise<ServerFrame> {
    await until(
      () => this.frames.some(fits),
      () => `waited in vain; the last: ${this.frames.slice(-3).map(shownFrame).join('\n')}`,
    )
    return this.frames.find(fits)!
  }
}

const bookmakerNamed = (slug: string, isLive = true): Bookmaker => ({
  slug,
  displayName: slug,
  region: 'Europe',
  countries: ['SE'],
  sourceMode: 'direct',
  customerNote: '',
  coverage: [
    {
      sport: '*',
      status: isLive ? 'verified_rest_live' : 'verified_rest_only',
      restAvailable: true,
      liveAvailable: isLive,
      lastVerifiedAt: null,
    },
  ],
})

test('every frame of every kind, topic and encoding is as the document says', async (t) => {
  const folder = newFolder()
  const store = Store.open(folder.path, { waitMs: 5_000, busyMs: 5_000, at: START })
  assert(!isFault(store))
  store.coverage.import([bookmakerNamed('northbank'), bookmakerNamed('south.bank')], START)
  store.accounts.setPlan('single', { liveEnabled: true, liveConnectionsMax: 1 }, START)
  const keyOf = (plan: string, kind: 'customer' | 'feed', scope: Scope): string => {
    const organization = store.accounts.createOrganization({ name: `${plan} ${kind}`, plan, entitlement: '*' }, START)
    assert(!isFault(organization))
    return store.accounts.createKey({ kind, organization: organization.id, scope, expiresAt: null }, START).secret
  }
  const keys = {
    desk: keyOf('desk', 'customer', UNRESTRICTED),
    // Its replay window is two minutes.
    pro: keyOf('pro', 'customer', { ...UNRESTRICTED, sports: ['football'] }),
    starter: keyOf('starter', 'customer', UNRESTRICTED),
    single: keyOf('single', 'customer', UNRESTRICTED),
    feed: keyOf('desk', 'feed', { ...UNRESTRICTED, bookmakers: ['northbank', 'south.bank'] }),
  }
  store.close()
  let nowAt = START
  const engine = new Engine({ ...LIMITS, quotesMax: 1_000 }, nowAt)
  const turns = new Turns(engine, { ...LIMITS, walkEveryMs: 0 }, () => nowAt)
  const access = await Access.open({
    dataDir: folder.path,
    numberOf: (slug) => engine.bookmakerNumber(slug),
    now: () => nowAt,
    limits: LIMITS,
  })
  assert(!isFault(access))
  const broker = new Broker({
    engine,
    history: new LiveHistory(engine, LIMITS),
    turns,
    gate: access.gate,
    registry: access.registry,
    limits: LIMITS,
    now: () => nowAt,
    elapsedMs: () => 0,
    server: 'oddswire/0.0.0',
    readObservation: (body, bookmaker) => parseObservation(body.toString('utf8'), bookmaker, LIMITS),
    mintId: () => 'session',
  })
  t.after(async () => {
    broker.close()
    await access.close()
    folder.remove()
  })
  const clients: Client[] = []
  const client = (version?: Version): Client => {
    const made = new Client(broker, version)
    clients.push(made)
    return made
  }
  const pass = (ms: number): void => {
    nowAt += ms
    while (!turns.run());
  }

  const STATE = TOPIC_NAMES.filter((topic) => PAYLOADS[topic].snapshot !== undefined)
  const subscribeToAll = async (desk: Client, headers: Record<string, string>, hasIds = true): Promise<void> => {
    for (const topic of [...STATE, 'lag']) {
      const destination = topic === 'lag' ? '/topic/lag' : `/topic/${topic}.#`
      await desk.ask('SUBSCRIBE', { destination, ...headers, ...(hasIds ? { id: topic } : {}) })
    }
  }
  /** Subscribes to all, and waits until all snapshots are whole. */
  const subscribeAndCatchUp = async (desk: Client, headers: Record<string, string>, hasIds = true): Promise<void> => {
    await subscribeToAll(desk, headers, hasIds)
    await until(
      () => desk.frames.filter(isSnapshotEnd).length === STATE.length,
      () => 'a snapshot that does not end',
    )
  }
  const binary = { 'content-type': ENCODINGS.msgpack }
  const watchers: readonly (readonly [Client, Record<string, string>, boolean?])[] = [
    [client(), {}],
    [client(), binary],
    [client(), { ack: 'client-individual' }],
    [client('1.1'), { ack: 'client', snapshot: 'true', ...binary }],
    [client('1.0'), { snapshot: 'true' }, false],
  ]
  for (const encoding of [{}, binary]) {
    const desk = client().connect(keys.desk)
    for (const topic of Object.keys(SHORT_DESTINATIONS)) {
      const destination = `/topic/${topic}.#`
      await desk.ask('SUBSCRIBE', { id: topic, destination, ...encoding, quotes: 'numbered', snapshot: 'true' })
    }
  }
  for (const [desk, headers, hasIds] of watchers) {
    const catchUp = headers.snapshot === undefined ? subscribeToAll : subscribeAndCatchUp
    await catchUp(desk.connect(keys.desk), headers, hasIds)
  }

  // A match from its first price to its last.
  const feeds = [client(), client('1.1')]
  for (const [place, feed] of feeds.entries()) {
    const encoding: Record<string, string> = place === 0 ? {} : binary
    await feed.connect(keys.feed).ask('SUBSCRIBE', { id: 'own', destination: '/topic/refusals', ...encoding })
    await feed.ask('SUBSCRIBE', { id: 'lag', destination: '/topic/lag', ...encoding })
  }
  const observe = (bookmaker: string, quotes: readonly object[], over: object = {}, home = 'Home'): Promise<void> =>
    feeds[0]!.ask(
      'SEND',
      { destination: `/feed/${bookmaker}` },
      {
        transport: 'live',
        observedAt: new Date(nowAt).toISOString(),
        event: {
          sport: 'football',
          league: { key: 'l', name: 'League' },
          home,
          away: 'Ærø "1"',
          kickoffAt: new Date(START + HOUR_MS).toISOString(),
          sourceId: 'x1',
        },
        quotes,
        ...over,
      },
    )
  const one = { type: 'match_result_1x2', outcome: 'home' }
  const two = { type: 'total_goals', line: 2.5, outcome: 'over' }
  await observe('northbank', [
    { ...one, odds: 2.1 },
    { ...two, odds: 1.9, status: 'suspended' },
  ])
  const firstPoint = `${engine.epoch}-${engine.seq}`
  for (const state of FEED_STATES) {
    turns.add({ kind: 'health', health: { bookmaker: 'south.bank', state, since: nowAt, behindMs: 0 } })
  }
  pass(1)
  await observe('south.bank', [{ ...one, odds: 1e21 }])
  await observe('northbank', [{ ...one, odds: 2.2 }])
  await observe('northbank', [], { others: 'suspended' })
  await observe('northbank', [{ ...one, odds: 2.3 }])
  await observe('northbank', [{ ...two, status: 'closed' }])
  await observe('northbank', [{ ...one, outcome: 'away', odds: 3, status: 'suspended' }])
  await observe('northbank', [{ ...one, odds: 2.3 }], {}, 'Renamed')
  // The same match under other names, until a decision merges them.
  const other = {
    sport: 'football',
    league: { key: 'l', name: 'League' },
    home: 'Aero',
    away: 'Renamed FC',
    kickoffAt: new Date(START + HOUR_MS).toISOString(),
    sourceId: 'x2',
  }
  await observe('south.bank', [{ ...one, odds: 1.5 }], { event: other })
  turns.add({ kind: 'decide', decisions: [{ kind: 'merge', keys: ['northbank:x1', 'south.bank:x2'], swapped: true }] })
  pass(1)
  for (const feed of feeds) {
    await feed.ask('SEND', { destination: '/feed/northbank' }, '{"transport":"fax"}')
    feed.say('SEND', { destination: '/feed/northbank' }, 'no JSON')
  }

  // What a desk gets that comes later, and one that has been away.
  for (const encoding of [{}, binary]) {
    await subscribeAndCatchUp(client().connect(keys.desk), { ...encoding, snapshot: 'true' })
    for (const from of ['zz-1', `${engine.epoch}-999999`]) {
      await subscribeAndCatchUp(client().connect(keys.desk), { ...encoding, 'from-seq': from })
    }
    await subscribeToAll(client().connect(keys.desk), { ...encoding, 'from-seq': firstPoint })
  }
  await access.importCoverage([bookmakerNamed('south.bank', false)])
  pass(LIMITS.feedLateMs)
  for (const each of [watchers[0]![0], watchers[1]![0]]) {
    await each.until(({ headers }) => headers.get('destination') === '/topic/lag')
  }
  pass(LIMITS.feedDownMs)
  await observe('northbank', [{ ...one, odds: 2.4 }])
  pass(120_001)
  for (const encoding of [{}, binary]) {
    await subscribeAndCatchUp(client().connect(keys.pro), { ...encoding, 'from-seq': firstPoint })
  }
  pass(LIMITS.replayMsMax + 1)
  await observe('northbank', [{ ...one, odds: 2.5 }])
  for (const encoding of [{}, binary]) {
    await subscribeAndCatchUp(client().connect(keys.desk), { ...encoding, 'from-seq': firstPoint })
  }
  pass(24 * HOUR_MS)

  // Subscriptions that fall behind, and catch up.
  const behind = [client(), client()]
  for (const [place, desk] of behind.entries()) {
    await subscribeToAll(desk.connect(keys.desk), { 'on-slow': 'conflate', ...(place === 0 ? {} : binary) })
    desk.tap.bufferedBytes = LIMITS.pendingBytesMax + 1
  }
  for (const name of ['Behind', 'Late']) {
    await observe(
      'northbank',
      [{ ...one, odds: name.length, status: name === 'Late' ? 'suspended' : 'open' }],
      {},
      name,
    )
    turns.add({
      kind: 'health',
      health: { bookmaker: 'northbank', state: 'late', since: nowAt, behindMs: name.length },
    })
    pass(1)
  }
  await until(
    () => broker.degradedCount === behind.length * STATE.length,
    () => `${broker.degradedCount} subscriptions are degraded`,
  )
  for (const desk of behind) desk.tap.bufferedBytes = 0
  await until(
    () => {
      pass(100)
      return broker.degradedCount === 0
    },
    () => 'subscriptions that are not restored',
  )

  // Everything that ends a session.
  const ends = async (wrong: (bad: Client) => void): Promise<void> => {
    const bad = client()
    wrong(bad)
    await bad.until(({ command }) => command === 'ERROR')
  }
  const subscribe = { id: 's', destination: '/topic/odds.#' }
  await ends((bad) => bad.connect())
  await ends((bad) => bad.connect('nonsense'))
  await ends((bad) => bad.connect(keys.starter))
  await ends((bad) => bad.say('CONNECT', { 'accept-version': '2.0', receipt: 'r' }))
  await ends((bad) => bad.connect(keys.desk).say('SUBSCRIBE', { ...subscribe, 'from-seq': 'x', receipt: 'a b' }))
  await ends((bad) => bad.connect(keys.desk).say('SUBSCRIBE', { id: 's', destination: '/topic/scores' }))
  await ends((bad) => bad.connect(keys.desk).say('SUBSCRIBE', { id: 's', destination: '/topic/refusals' }))
  await ends((bad) => bad.connect(keys.pro).say('SUBSCRIBE', { id: 's', destination: '/topic/odds.golf.#' }))
  await ends((bad) => bad.connect(keys.desk).say('NONSENSE', {}))
  await ends((bad) => bad.connect(keys.desk).say('SUBSCRIBE', { ...subscribe, long: 'x'.repeat(10_000) }))
  client().connect(keys.single)
  await ends((bad) => bad.connect(keys.single))
  access.gate.refuseAll('the store is gone')
  await ends((bad) => bad.connect(keys.desk))
  access.gate.refuseAll(undefined)
  const slow = client().connect(keys.desk)
  await slow.ask('SUBSCRIBE', subscribe)
  slow.tap.bufferedBytes = LIMITS.pendingBytesMax + 1
  await observe('northbank', [{ ...one, odds: 3 }])
  await observe('northbank', [{ ...one, odds: 4 }])
  await slow.until(({ command }) => command === 'ERROR')
  let isDrained = false
  const drained = broker.drain(1_000).then(() => {
    isDrained = true
  })
  await until(
    () => {
      nowAt++
      return isDrained
    },
    () => 'the broker does not end its sessions',
  )
  await drained

  const seen = new Set<string>()
  const told = new Map<string, Set<unknown>>()
  const tell = (what: string, value: unknown): void => {
    if (value === undefined) return
    const values = told.get(what) ?? new Set()
    told.set(what, values.add(value))
  }
  for (const { frames } of clients) {
    for (const frame of frames) {
      const body = contract.check(frame) as Json
      const { command, headers } = frame
      if (command === 'ERROR') tell('code', headers.get('message'))
      if (command !== 'MESSAGE') continue
      const topic = topicOf(headers)
      const contentType = contentTypeOf(headers)
      seen.add(`${topic} ${kindOf(headers)} ${contentType}`)
      if (isShortUpdate(headers)) continue
      const kind = headers.get('kind') as Kind
      tell('reason', body.reason)
      tell('state', body.state)
      if (topic === 'events') tell('event', body.mergedInto === undefined ? body.change : 'merged')
      for (const quote of Array.isArray(body.quotes) ? (body.quotes as Json[]) : []) {
        tell(kind === 'snapshot' ? kind : topic, kind === 'snapshot' ? quote.status : quote.change)
      }
      const [example] = examplesOf(topic, kind)
      if (headers.get('content-type') === ENCODINGS.json) {
        // Optional members are last.
        const members = Object.keys(body).filter((member) => member !== 'mergedInto')
        assert.deepEqual(members, Object.keys(example?.payload as object), 'as the example has them')
      }
      const common = [...headers.keys()].filter((name) => name !== 'ack' && name !== 'subscription')
      const inExample = Object.keys(example?.headers ?? {}).filter((name) => name !== 'subscription')
      assert.deepEqual(common, inExample, shownFrame(frame))
    }
  }
  const cells = TOPIC_NAMES.flatMap((topic) =>
    messagesOf(topic).flatMap((kind) =>
      Object.values(ENCODINGS).map((contentType) => `${topic} ${kind} ${contentType}`),
    ),
  )
  assert.deepEqual(
    cells.filter((cell) => !seen.has(cell)),
    [],
    'every kind of every topic, in both encodings',
  )
  assert.equal(seen.size, cells.length)
  const all = (what: string): unknown[] => [...(told.get(what) ?? [])].sort()
  assert.deepEqual(all('code'), [...LIVE_CODES].sort())
  // Of server-sent events alone: sse.test.ts.
  const reasons = RESET_REASONS.filter((reason) => reason !== 'incomplete')
  assert.deepEqual(all('reason'), reasons.sort())
  assert.deepEqual(all('state'), [...FEED_STATES].sort())
  assert.deepEqual(all('event'), [...EVENT_CHANGES, 'merged'].sort())
  assert.deepEqual(all('odds'), [...CHANGES].sort())
  // With numbers, those that begin and end a quote, too.
  assert.deepEqual(all('status'), ['added', 'aged_out', 'closed', 'reopened', 'suspended'])
  assert.deepEqual(all('snapshot'), ['open', 'suspended'])
})

const isSnapshotEnd = ({ headers }: ServerFrame): boolean => headers.get('kind') === 'snapshot-end'

// --- the document of a running service

const folder = newFolder()
let service: RunningService
let key: string

before(async () => {
  done(folder.path, 'org', 'create', 'me', '--plan', 'desk')
  key = done(folder.path, 'key', 'create', '--org', 'me')
  service = await startService(folder.path, '--demo', '--log-level', 'error')
})

after(async () => {
  await service?.stop()
  folder.remove()
})

const urlOf = (): string => `http://127.0.0.1:${service.port}/asyncapi.json`

test('the service shows it without a key, to any origin, with a validator', async () => {
  const answer = await fetch(urlOf())
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'application/json')
  assert.equal(answer.headers.get('access-control-allow-origin'), '*')
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=300')
  const etag = answer.headers.get('etag')!
  assert.match(etag, /^"[^"]+"$/)
  const text = await answer.text()
  assert.equal((JSON.parse(text) as Json).asyncapi as unknown, '3.0.0')
  const same = await fetch(urlOf(), { headers: { 'if-none-match': etag } })
  assert.equal(same.status, 304)
  assert.equal(same.headers.get('etag'), etag)
  assert.equal(same.headers.get('access-control-allow-origin'), '*')
  const head = await fetch(urlOf(), { method: 'HEAD' })
  assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(text)))
  assert.equal((await fetch(urlOf(), { method: 'POST' })).status, 405)
  assert.equal((await fetch(`${urlOf()}/`)).status, 404)
})

test('its servers can be reached as it names them', async () => {
  const servers = ((await (await fetch(urlOf())).json()) as Json).servers as Json
  const connect = clientFrame('CONNECT', { 'accept-version': '1.2', passcode: 'x' }, '1.2')
  const { host, pathname, protocol } = servers.websocket as unknown as Record<string, string>
  const overWebSocket = await new Promise<string>((resolve, reject) => {
    const subprotocols = list(servers.websocket?.['x-subprotocols']) as unknown as string[]
    const socket = new WebSocket(`${protocol}://${host}${pathname}`, subprotocols)
    socket.once('error', reject)
    socket.once('open', () => socket.send(connect))
    socket.once('message', (data) => resolve(String(data)))
  })
  assert.match(overWebSocket, /^ERROR\nmessage:invalid_api_key\n/)
  const [name, port] = String(servers.tcp?.host).split(':')
  const overTcp = await new Promise<string>((resolve, reject) => {
    const socket = createConnection({ host: name!, port: Number(port) }, () => socket.write(connect))
    socket.once('error', reject)
    socket.once('data', (data) => resolve(String(data)))
  })
  assert.match(overTcp, /^ERROR\nmessage:invalid_api_key\n/)
})

test('a world of simulated bookmakers is as the document says, too', async () => {
  const own = new Contract((await (await fetch(urlOf())).json()) as Json)
  const client = await RawClient.open({ http: service.port, stomp: service.stompPort }, 'tcp', '1.2')
  await client.connect({ passcode: key })
  const wanted = new Set(['odds.football', 'events', 'feeds'])
  for (const topic of wanted) {
    await client.frame('SUBSCRIBE', { id: topic, destination: `/topic/${topic}.#`, snapshot: 'true' })
  }
  // Read first, and checked afterwards: a client that stops reading for too long is disconnected.
  const frames: ServerFrame[] = []
  let updates = 0
  while (wanted.size > 0 || updates < 50) {
    const frame = await client.next('MESSAGE')
    frames.push(frame)
    if (frame.headers.get('kind') === 'snapshot-end') wanted.delete(frame.headers.get('subscription')!)
    if (frame.headers.get('kind') === 'update') updates++
  }
  client.destroy()
  for (const frame of frames) own.check(frame)
})
