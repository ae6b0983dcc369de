// Server-sent events of the real service: refusals before the first octet, a plain reader and a public EventSource beside
// a subscriber of STOMP, breaks, kills and restarts, revocation and shutdown.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { Agent, EventSource } from 'undici'
import * as clock from '../../src/clock.ts'
import { done, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'
import { bodyText, EventReader, type ServerEvent } from '../stomp/event-reader.ts'
import { LIMIT_MS, RawClient } from '../stomp/raw-client.ts'
import { Wire } from '../stomp/wire.ts'

const BOOKS = ['alpha', 'beta']
const ORIGIN = 'https://page.example'

const folder = newFolder()
const keys: Record<string, string> = {}
let service: RunningService
let feed: RawClient | undefined
const opened: { close(): void }[] = []

const start = async (): Promise<void> => {
  feed?.destroy()
  feed = undefined
  service = await startService(folder.path, '--log-level', 'warn', '--origins', ORIGIN)
}

before(async () => {
  const { path } = folder
  const coverage = writeCoverage(
    path,
    BOOKS.map((slug) => [slug, 'verified_rest_live', true, true] as const),
  )
  done(path, 'coverage', 'import', coverage)
  done(path, 'plan', 'set', 'pair', '--live', 'true', '--hourly', '1', '--live-connections', '2')
  for (const plan of ['desk', 'pair', 'starter']) {
    done(path, 'org', 'create', plan, '--plan', plan)
    keys[plan] = done(path, 'key', 'create', '--org', plan)
  }
  keys.feed = done(path, 'key', 'create', '--org', 'desk', '--feed', BOOKS.join())
  keys.tennis = done(path, 'key', 'create', '--org', 'desk', '--sports', 'tennis')
  keys.rest = done(path, 'key', 'create', '--org', 'desk', '--channels', 'rest')
  keys.revoked = done(path, 'key', 'create', '--org', 'desk')
  await start()
})

after(async () => {
  for (const each of opened) each.close()
  feed?.destroy()
  await service?.stop()
  folder.remove()
})

let odds = 2

/** Sends an observation with a price that it did not have; resolves when it is on the board. */
const observe = async (book = 'alpha', outcomes = ['home']): Promise<void> => {
  if (feed === undefined) {
    feed = await RawClient.open({ stomp: service.stompPort, http: service.port }, 'tcp', '1.2')
    await feed.connect({ passcode: keys.feed! })
  }
  odds = odds === 900 ? 2 : odds + 1
  const body = {
    transport: 'live',
    observedAt: new Date(clock.now()).toISOString(),
    event: {
      sport: 'football',
      league: { key: 'league', name: 'League' },
      home: 'Home',
      away: 'Away "ø"',
      kickoffAt: '2030-01-01T12:00:00.000Z',
    },
    quotes: outcomes.map((outcome) => ({ type: 'player_prop', outcome, odds })),
  }
  await feed.request('SEND', { destination: `/feed/${book}` }, JSON.stringify(body))
}

const until = async (what: string, holds: () => boolean): Promise<void> => {
  const endMs = clock.elapsedMs() + LIMIT_MS
  while (!holds()) {
    assert(clock.elapsedMs() < endMs, `${what} did not come about`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** A plain reader of a stream. */
class Reader {
  readonly reader = new EventReader()
  readonly events: ServerEvent[] = []
  ending: 'none' | 'orderly' | 'broken' = 'none'
  readonly response: Response
  private readonly abort: AbortController

  static async open(query: string, key = keys.desk!, headers: Record<string, string> = {}): Promise<Reader> {
    const abort = new AbortController()
    const response = await fetch(`${service.api}/stream?${query}`, {
      headers: { authorization: `Bearer ${key}`, ...headers },
      signal: abort.signal,
    })
    assert.equal(response.status, 200, response.status === 200 ? '' : await response.text())
    const reader = new Reader(response, abort)
    opened.push(reader)
    void reader.run()
    return reader
  }

  private constructor(response: Response, abort: AbortController) {
    this.response = response
    this.abort = abort
  }

  private async run(): Promise<void> {
    try {
      for await (const bytes of this.response.body!) {
        this.reader.push(bytes)
        this.events.push(...this.reader.take())
      }
      this.ending = 'orderly'
    } catch (error) {
      // A fault of the events is none of the connection.
      if (error instanceof assert.AssertionError) throw error
      this.ending = 'broken'
    }
  }

  get updates(): string[] {
    return this.events.filter(({ type }) => type === 'update').map(({ data }) => data)
  }

  close(): void {
    this.abort.abort()
  }
}

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${service.admin}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  assert(line !== undefined, `no metric ${name}`)
  return Number(line.slice(name.length))
}

test('what cannot be streamed is refused before the first octet, with the code and the name of the parameter', async () => {
  const ask = async (query: string, key = keys.desk!, method = 'GET', headers: Record<string, string> = {}) => {
    const response = await fetch(`${service.api}/stream?${query}`, {
      method,
      headers: { ...(key === '' ? {} : { authorization: `Bearer ${key}` }), ...headers },
    })
    assert(method === 'HEAD' || response.status !== 200, `${query} was opened`)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text }
  }
  const wrong: readonly (readonly [query: string, field: string])[] = [
    ['', 'topic'],
    ['topic=refusals', 'topic'],
    ['topic=odds&topic=odds', 'topic'],
    ['topic=odds&sport=chess', 'sport'],
    ['topic=odds&bookmaker=alpha,beta', 'bookmaker'],
    ['topic=odds&event=12x', 'event'],
    ['topic=odds&event=1234567890123456', 'event'],
    ['topic=odds&snapshot=1', 'snapshot'],
    ['topic=odds&lag=', 'lag'],
    ['topic=odds&fromSeq=12', 'fromSeq'],
    ['topic=odds&conflateMs=10001', 'conflateMs'],
    ['topic=odds&conflateMs=-1', 'conflateMs'],
    ['topic=odds&onSlow=wait', 'onSlow'],
    ['topic=odds&types=nonsense', 'types'],
    ['topic=odds&leagues=a,,b', 'leagues'],
    ['topic=events&bookmaker=alpha', 'bookmaker'],
    ['topic=feeds&sport=football', 'sport'],
    ['topic=lag&event=1', 'event'],
  ]
  for (const [query, field] of wrong) {
    const { status, text } = await ask(query)
    const { error } = JSON.parse(text) as { error: { code: string; message: string } }
    assert.deepEqual([status, error.code], [400, 'validation_failed'], query)
    assert(error.message.startsWith(`${field} `), `${query}: ${error.message}`)
  }
  const refused: readonly (readonly [number, string, Promise<{ status: number; text: string }>])[] = [
    [401, 'missing_api_key', ask('topic=odds', '')],
    [401, 'invalid_api_key', ask('topic=odds', 'nonsense')],
    [403, 'live_not_enabled', ask('topic=odds', keys.starter)],
    [403, 'api_key_scope_denied', ask('topic=odds', keys.rest)],
    [403, 'api_key_scope_denied', ask('topic=lag', keys.feed)],
    [403, 'api_key_scope_denied', ask('topic=odds&sport=football', keys.tennis)],
    [403, 'forbidden', ask('topic=odds&bookmaker=nobody')],
    [400, 'validation_failed', ask('topic=odds', keys.desk, 'GET', { 'last-event-id': 'nonsense' })],
    // The parameters before the rights, as for the other operations.
    [400, 'validation_failed', ask('topic=x', keys.starter)],
    [405, 'method_not_allowed', ask('topic=odds', keys.desk, 'POST')],
  ]
  for (const [status, code, asked] of refused) {
    const answer = await asked
    const { error } = JSON.parse(answer.text) as { error: { code: string; upgradeUrl?: string } }
    assert.deepEqual([answer.status, error.code], [status, code])
    assert.equal(error.upgradeUrl !== undefined, code === 'forbidden')
  }
  // Parameters that it does not have are ignored, as everywhere. HEAD has the head, and leaves no session.
  const head = await ask('topic=odds&conflateMs=10000&unknown=1', keys.desk, 'HEAD', { origin: ORIGIN })
  assert.equal(head.status, 200)
  assert.equal(head.headers.get('content-type'), 'text/event-stream')
  assert.equal(head.headers.get('access-control-allow-origin'), ORIGIN)
  assert.match(head.headers.get('x-odds-seq')!, /^[0-9a-z]+-\d+$/)
  assert.equal(await metric('oddswire_stomp_sessions{carrier="sse"}'), 0)
})

test('a plain reader has the bytes of a STOMP subscriber; a client that reads nothing is disconnected', {
  timeout: 60_000,
}, async () => {
  await observe()
  const client = await RawClient.open({ stomp: service.stompPort, http: service.port }, 'tcp', '1.2')
  opened.push({ close: () => client.destroy() })
  await client.connect({ passcode: keys.desk! })
  await client.frame('SUBSCRIBE', { id: 'sub-0', destination: '/topic/odds.football.#', 'from-seq': 'x-0' })
  const reader = await Reader.open('topic=odds&sport=football&fromSeq=x-0')
  await until('the snapshot', () => reader.events.some(({ type }) => type === 'snapshot-end'))
  assert.equal(await metric('oddswire_stomp_sessions{carrier="sse"}'), 1)
  assert.equal(await metric('oddswire_connections{kind="sse"}'), 1)
  for (let n = 0; n < 20; n++) await observe(BOOKS[n % 2], ['home', 'draw'])
  await until('20 updates', () => reader.updates.length === 20)
  for (const event of reader.events) {
    const { headers, body } = await client.next()
    assert.deepEqual(
      [event.type, event.lastEventId, (JSON.parse(event.data) as { prev?: string }).prev],
      [headers.get('kind'), headers.get('message-id'), headers.get('prev')],
    )
    // The parts of two snapshots are of the moments at which each was written.
    if (event.type === 'update') assert.equal(bodyText(event), body.toString())
  }
  client.destroy()

  const slow = request(`${service.api}/stream?topic=odds`, { headers: { authorization: `Bearer ${keys.desk}` } })
  const arrived = new EventReader()
  let isOver = false
  slow.on('response', (response) => {
    response.pause()
    response.on('data', (bytes: Buffer) => arrived.push(bytes))
    for (const end of ['end', 'error', 'close']) response.on(end, () => (isOver = true))
    slow.on('read', () => response.resume())
  })
  slow.on('error', () => {})
  slow.end()
  const outcomes = Array.from({ length: 400 }, (_, n) => `player_${n}`)
  // Kernel buffers hold some megabytes before a client is found to be slow.
  for (let sent = 0; (await metric('oddswire_stomp_slow_consumers_total')) === 0; sent += 8) {
    assert(sent < 600, 'not disconnected')
    for (let n = 0; n < 8; n++) await observe('beta', outcomes)
  }
  slow.emit('read')
  await until('the end of the slow one', () => isOver)
  // It gets the error where it reads within a second, and a broken connection otherwise: both leave it a point.
  const events = arrived.take()
  const last = events.at(-1)!
  if (last.type === 'error') assert.match(last.data, /^\{"error":\{"code":"slow_consumer",.*"resumeFrom":"/)
  const seen = reader.updates.length
  const rest = await Reader.open('topic=odds', keys.desk, { 'last-event-id': last.lastEventId })
  await observe('beta', ['last'])
  await until('the last', () => rest.updates.at(-1)?.includes('"last"') === true)
  await until('the last', () => reader.updates.length > seen && reader.updates.at(-1)!.includes('"last"'))
  const got = [...events.filter(({ type }) => type === 'update').map(({ data }) => data), ...rest.updates]
  const bodies = (texts: readonly string[]) => texts.map((text) => text.replace(/^.{1,60}"seq"/, '"seq"'))
  assert.deepEqual(bodies(got), bodies(reader.updates.slice(-got.length)))
  reader.close()
  rest.close()
  await until('the end of the sessions', () => reader.ending !== 'none' && rest.ending !== 'none')
})

/** What a program that keeps everything has got: only what EventSource shows is used. */
class Taken {
  readonly seqs: number[] = []
  readonly codes: string[] = []
  readonly resets: string[] = []
  snapshots = 0
  lastId = ''
  private has = 0

  take(type: string, data: string, lastEventId: string): void {
    const { prev, seq, error } = JSON.parse(data) as { prev?: string; seq: string; error?: { code: string } }
    if (type === 'update') {
      assert.equal(seq, lastEventId)
      // Nothing is missing where `prev` is not beyond what it has.
      assert(seqOf(prev!) <= this.has, `prev ${prev}, has ${this.has}`)
      assert(seqOf(seq) > this.has, `${seq} came twice`)
      this.has = seqOf(seq)
      this.seqs.push(this.has)
    } else if (type === 'snapshot-end') {
      this.snapshots++
      this.has = seqOf(lastEventId)
    } else if (type === 'reset') this.resets.push(data)
    else if (type === 'error') this.codes.push(error!.code)
    this.lastId = lastEventId
  }
}

const seqOf = (id: string): number => Number(/-(\d+)/.exec(id)![1])

test('clients resume over a break, a kill and a shutdown with everything once; so does a public EventSource', {
  timeout: 60_000,
}, async (t) => {
  let reader: Reader | undefined
  let source: EventSource | undefined
  let isOver = false
  const plain = new Taken()
  t.after(() => {
    isOver = true
    reader?.close()
    source?.close()
  })
  const following = (async () => {
    while (!isOver) {
      const headers: Record<string, string> = plain.lastId === '' ? {} : { 'last-event-id': plain.lastId }
      try {
        reader = await Reader.open('topic=odds&snapshot=true', keys.desk, headers)
      } catch {
        // It is not there, or just starting.
        await new Promise((resolve) => setTimeout(resolve, 20))
        continue
      }
      const { events } = reader
      while (reader.ending === 'none' || events.length > 0) {
        for (const { type, data, lastEventId } of events.splice(0)) plain.take(type, data, lastEventId)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      // Beyond the last event: what the service has said of a stream without news.
      plain.lastId = reader.reader.lastEventId === '' ? plain.lastId : reader.reader.lastEventId
    }
  })()
  const told = async (count: number, ...all: Taken[]): Promise<void> => {
    const before = all.map(({ seqs }) => seqs.length)
    for (let n = 0; n < count; n++) await observe(BOOKS[n % 2])
    await until(`${count} updates`, () => all.every(({ seqs }, n) => seqs.length === before[n]! + count))
  }
  await until('the snapshot', () => plain.snapshots === 1)
  await told(5, plain)
  reader!.close()
  await told(5, plain)
  await service.kill()
  await start()
  await told(5, plain)

  const wire = await Wire.to(() => service.port)
  opened.push(wire)
  const dispatcher = new Agent().compose(
    (dispatch) => (options, handler) =>
      dispatch({ ...options, headers: { ...(options.headers as object), 'x-api-key': keys.desk! } }, handler),
  )
  const shown = new Taken()
  const open = (from: string): void => {
    const url = `http://127.0.0.1:${wire.port}/api/v1/stream?topic=odds&snapshot=true${from}`
    source = new EventSource(url, { dispatcher } as object)
    for (const type of ['update', 'snapshot', 'snapshot-end', 'reset', 'error']) {
      source.addEventListener(type, (event) => {
        const { data, lastEventId } = event as Partial<MessageEvent>
        // An `error` of the service has data; one of the library says that the connection is gone.
        if (typeof data === 'string') shown.take(type, data, lastEventId!)
        // What is final for this EventSource (an answer other than 200: the service is starting) is not for a program.
        else
          setTimeout(() => source!.readyState === EventSource.CLOSED && !isOver && open(`&fromSeq=${shown.lastId}`), 20)
      })
    }
  }
  open('')
  await until('the snapshot', () => shown.snapshots === 1)
  await told(5, plain, shown)
  assert.equal(await service.stop(), 0)
  await until('the errors', () => plain.codes.length + shown.codes.length === 2)
  await start()
  await told(5, plain, shown)
  isOver = true
  source!.close()
  reader!.close()
  await following
  assert.deepEqual([plain.codes, plain.resets, plain.snapshots, plain.seqs.length], [['server_shutdown'], [], 1, 25])
  assert.deepEqual([shown.codes, shown.resets, shown.snapshots, shown.seqs.length], [['server_shutdown'], [], 1, 10])
})

test('a revocation ends streams at once; streams count as live connections, and as no requests', async () => {
  const revoked = await Reader.open('topic=odds&snapshot=true', keys.revoked)
  await until('the snapshot', () => revoked.events.some(({ type }) => type === 'snapshot-end'))
  done(folder.path, 'key', 'revoke', keys.revoked!)
  await until('its end', () => revoked.ending !== 'none')
  assert.equal(revoked.ending, 'orderly')
  const last = JSON.parse(revoked.events.at(-1)!.data) as { error: { code: string }; resumeFrom: string }
  assert.equal(last.error.code, 'invalid_api_key')
  assert.equal(revoked.events.at(-1)!.lastEventId, last.resumeFrom)
  // Its plan has two live connections, and one request an hour.
  const [first] = [await Reader.open('topic=odds', keys.pair), await Reader.open('topic=status', keys.pair)]
  const open = () => fetch(`${service.api}/stream?topic=odds`, { headers: { 'x-api-key': keys.pair! } })
  const third = await open()
  assert.deepEqual([third.status, third.headers.get('x-ratelimit-limit')], [429, null])
  assert.match(await third.text(), /"rate_limit_exceeded".*2 live connections/)
  first.close()
  for (let status = 0; status !== 200; ) {
    const again = await open()
    status = again.status
    await again.body?.cancel()
  }
  const get = () => fetch(`${service.api}/sports`, { headers: { 'x-api-key': keys.pair! } })
  assert.deepEqual([(await get()).status, (await get()).status], [200, 429])
})
