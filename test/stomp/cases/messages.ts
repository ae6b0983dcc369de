// docs/live-protocol.md 4: what a MESSAGE says, and how a client knows that it has missed something.

import assert from 'node:assert/strict'
import * as clock from '../../../src/clock.ts'
import { type At, type Case, holds, NEWEST, ONCE, quotesOf, seqOf } from '../conformance.ts'
import type { RawClient } from '../raw-client.ts'
import { clientFrame, jsonOf, type ServerFrame, shownFrame } from '../strict-frames.ts'
import { AWAY, DRAW, type Fixture, HOME, timeText, type WireQuote } from '../world.ts'
import { isEnd } from './snapshots.ts'

const DAY_MS = 24 * 3_600_000

/** Two processes do not read the same millisecond. */
const SKEW_MS = 50

const SHAPE = '## 3. MESSAGE'
const ONE_A_TURN =
  "One MESSAGE per (event, bookmaker) and turn, with every change in order (a quote may stand twice); its seq is that of its last change, its `observedAt` the newest, `recordedAt` the engine's own time."
const NOTHING = 'What changes nothing sends nothing.'
const MINTED = 'Minted ids and topics use `[A-Za-z0-9._/-]` only.'
const SHORT = 'Headers are short on purpose: they are half of a small frame.'
const CHANGES =
  '`kind: update`: `change` is one of `added`, `repriced`, `suspended`, `reopened`, `closed`, `aged_out`; a price that moves together with a status is in that change.'
const FIRST_SEEN = 'A quote first seen suspended is `added`; first seen closed is counted and ignored.'
const AGED = '`aged_out` carries the last status and comes within 1 s of the 24 hours.'
const PREV = '`prev`: the seq of the message before this one in the same topic set and audience.'
const MISSED =
  'A client that has all up to S (message, snapshot-end, `from-seq`) has missed something exactly when `prev` > S.'
const LAG = '`/topic/lag`, `kind: lag`, every second: `{"seq","queuedBytes","behindMs","mergedPrices"}`.'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const idOf = (frame: ServerFrame): string => frame.headers.get('message-id')!

/** A subscriber and one change: its MESSAGE. */
const one = async (at: At, quote: WireQuote): Promise<{ client: RawClient; event: Fixture; message: ServerFrame }> => {
  const event = await at.event()
  const client = await at.desk()
  await client.subscribe(event.topic())
  await event.observe([quote])
  return { client, event, message: await client.next('MESSAGE') }
}

/** Steps: an observation's quotes, and what the odds topic says of it. */
type Steps = readonly (readonly [quotes: readonly WireQuote[], says: readonly string[]])[]

const LIFE: Steps = [
  [[{ ...HOME, odds: 2 }], ['home added 2 open']],
  [[{ ...HOME, odds: 2.5 }], ['home repriced 2.5 open']],
  [[{ ...HOME, odds: 2.75, status: 'suspended' }], ['home suspended 2.75 suspended']],
  [[{ ...HOME, odds: 3, status: 'suspended' }], ['home repriced 3 suspended']],
  [[{ ...HOME, odds: 3.25 }], ['home reopened 3.25 open']],
  [[{ ...HOME, odds: 3.25, status: 'suspended' }], ['home suspended 3.25 suspended']],
  [[{ ...HOME, odds: 3.5, status: 'closed' }], ['home closed 3.5 closed']],
  [[{ ...HOME, odds: 4 }], ['home added 4 open']],
  [[{ ...HOME, odds: 4.5, status: 'closed' }], ['home closed 4.5 closed']],
]

export const MESSAGES: readonly Case[] = [
  holds(SHAPE, async (at) => {
    const { event, message } = await one(at, { ...HOME, odds: 2.1 })
    const headers = Object.fromEntries(message.headers)
    const own = ['destination', 'message-id', 'subscription', 'prev', 'kind', 'content-type', 'content-length']
    assert.deepEqual(Object.keys(headers).sort(), own.sort())
    assert.equal(headers.destination, event.topic())
    assert.equal(headers.subscription, 'sub-0')
    assert.equal(headers.kind, 'update')
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['content-length'], String(message.body.length))
    const body = jsonOf(message) as unknown as Record<string, unknown>
    assert.deepEqual(Object.keys(body), [
      ...['seq', 'eventId', 'sport', 'bookmaker', 'observedAt', 'recordedAt', 'quotes'],
    ])
    assert.equal(body.seq, headers['message-id'])
    assert.equal(body.eventId, event.id)
    assert.equal(body.sport, 'football')
    assert.equal(body.bookmaker, event.book)
    assert.match(String(body.observedAt), ISO)
    assert.match(String(body.recordedAt), ISO)
    const [quote] = body.quotes as Record<string, unknown>[]
    assert.deepEqual(Object.keys(quote!), ['type', 'line', 'outcome', 'odds', 'status', 'change', 'lastUpdatedAt'])
    const { lastUpdatedAt, ...rest } = quote!
    assert.deepEqual(rest, { ...HOME, odds: 2.1, status: 'open', change: 'added' })
    assert.match(String(lastUpdatedAt), ISO)
  }),
  holds(
    SHAPE,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(`/topic/odds.*.${at.book}.#`, { id: 'wild' })
      await event.observe([{ ...HOME, odds: 1.000001 }])
      const message = await client.next('MESSAGE')
      // The topic that it belongs to, not the pattern.
      assert.equal(message.headers.get('destination'), event.topic())
      assert.equal(message.headers.get('subscription'), 'wild')
      assert.deepEqual(quotesOf(message), ['home added 1.000001 open'])
    },
    { what: 'through a wildcard' },
  ),
  holds(
    SHAPE,
    async (at) => {
      const odds = [1.01, 2.1, 3.3333333333333335, 1e21, 1.7976931348623157e308, 1.0000000000000002]
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic())
      for (const each of odds) {
        await event.observe([{ ...HOME, odds: each }])
        const body = JSON.parse((await client.next('MESSAGE')).body.toString('utf8')) as { quotes: { odds: number }[] }
        assert.equal(body.quotes[0]!.odds, each)
      }
    },
    { ...ONCE, what: "odds are exactly the source's" },
  ),
  holds(
    ONE_A_TURN,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic())
      const feeder = await at.feeder()
      const startedAt = clock.now()
      await feeder.request('BEGIN', { transaction: 't' })
      const observedAt = [timeText(3_000), timeText(2_000), timeText(1_000)]
      const prices = [2, 2.5, 3]
      for (const [place, odds] of prices.entries()) {
        const quotes =
          place === 1
            ? [
                { ...HOME, odds },
                { ...AWAY, odds: 9 },
              ]
            : [{ ...HOME, odds }]
        const body = JSON.stringify(event.observation(quotes, { observedAt: observedAt[place]! }))
        await feeder.request('SEND', { destination: `/feed/${event.book}`, transaction: 't' }, body)
      }
      await feeder.request('COMMIT', { transaction: 't' })
      const message = await client.next('MESSAGE')
      assert.deepEqual(quotesOf(message), [
        'home added 2 open',
        'home repriced 2.5 open',
        'away added 9 open',
        'home repriced 3 open',
      ])
      const body = jsonOf(message)
      assert.equal(String(body.observedAt), observedAt[2])
      const recordedAt = Date.parse(String(body.recordedAt))
      assert(recordedAt >= startedAt - SKEW_MS && recordedAt <= clock.now() + SKEW_MS, String(body.recordedAt))
      assert.equal(String(body.seq), idOf(message))
      // Four changes: the seq is that of the last.
      assert(seqOf(idOf(message)) - seqOf(message.headers.get('prev')) >= 4)
    },
    { what: 'a transaction is one turn' },
  ),
  holds(
    ONE_A_TURN,
    async (at) => {
      const events = [await at.event(), await at.event()]
      const client = await at.desk()
      await client.subscribe(`/topic/odds.football.${at.book}.*`)
      const feeder = await at.feeder()
      const sends: Buffer[] = []
      for (let place = 0; place < 100; place++) {
        const event = events[place % 2]!
        const body = JSON.stringify(event.observation([{ ...HOME, odds: 2 + place }]))
        sends.push(clientFrame('SEND', { destination: `/feed/${at.book}` }, at.version, body))
      }
      await feeder.write(Buffer.concat(sends))
      const byTopic = new Map<string, number[]>()
      let count = 0
      let last = 0
      while (count < 100) {
        const message = await client.next('MESSAGE')
        assert(seqOf(idOf(message)) > last)
        last = seqOf(idOf(message))
        const body = JSON.parse(message.body.toString('utf8')) as { quotes: { odds: number }[] }
        const topic = message.headers.get('destination')!
        byTopic.set(topic, [...(byTopic.get(topic) ?? []), ...body.quotes.map((quote) => quote.odds)])
        count += body.quotes.length
      }
      for (const [place, event] of events.entries()) {
        assert.deepEqual(
          byTopic.get(event.topic()),
          Array.from({ length: 50 }, (_, round) => 2 + 2 * round + place),
        )
      }
    },
    { ...NEWEST, what: 'however the turns fall' },
  ),
  holds(NOTHING, async (at) => {
    const { client, event } = await one(at, { ...HOME, odds: 2 })
    await event.observe([{ ...HOME, odds: 2 }])
    await event.observe([{ ...HOME, odds: 2.5 }], { observedAt: timeText(60_000) })
    await event.observe([])
    await event.observe([{ ...DRAW, status: 'closed' }])
    await event.observe([{ ...AWAY, odds: 9 }])
    assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['away added 9 open'])
  }),
  holds(MINTED, async (at) => {
    const client = await at.desk()
    const sighting = { ...at.world.sighting(), home: 'Ærø & Søn: "1"', away: '東京\\n', sourceId: 'ä ö:#*' }
    await client.subscribe(`/topic/odds.football.${at.book}.#`)
    await at.world.observe(at.book, {
      ...{ transport: 'live', observedAt: timeText(), event: sighting },
      quotes: [{ type: 'outright', outcome: 'zoë: #1.*', odds: 2 }],
    })
    const message = await client.next('MESSAGE')
    for (const name of ['destination', 'message-id', 'prev']) {
      assert.match(message.headers.get(name)!, /^[A-Za-z0-9._/-]+$/)
    }
    assert.match(String(jsonOf(message).eventId), /^\d+$/)
    assert.deepEqual(quotesOf(message), ['zoë: #1.* added 2 open'])
  }),
  holds(
    SHORT,
    async (at) => {
      const { message } = await one(at, { ...HOME, odds: 2.1 })
      const bytes = Array.from(message.headers, ([name, value]) => name.length + value.length + 2)
      const head = bytes.reduce((sum, each) => sum + each, 'MESSAGE\n\n'.length)
      assert(head < 320, `${head} B of headers`)
    },
    ONCE,
  ),
  holds(CHANGES, async (at) => {
    const event = await at.event()
    const client = await at.desk()
    await client.subscribe(event.topic())
    // Each a millisecond later: what is seen in the very millisecond of a closing is not seen after it.
    for (const [n, [quotes, says]] of LIFE.entries()) {
      await event.observe(quotes, { observedAt: timeText(-n) })
      assert.deepEqual(quotesOf(await client.next('MESSAGE')), says)
    }
  }),
  holds(FIRST_SEEN, async (at) => {
    const { client, event, message } = await one(at, { ...HOME, odds: 2, status: 'suspended' })
    assert.deepEqual(quotesOf(message), ['home added 2 suspended'])
    await event.observe([{ ...DRAW, odds: 3, status: 'closed' }])
    await event.observe([{ ...HOME, odds: 2 }])
    assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['home reopened 2 open'])
  }),
  holds(
    FIRST_SEEN,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic('status'))
      await event.observe([{ ...HOME, odds: 2, status: 'suspended' }])
      await event.observe([{ ...HOME, odds: 2 }])
      // That it was added is no transition; that it opens is one.
      assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['home reopened 2 open'])
    },
    { ...NEWEST, what: 'on the status topic' },
  ),
  holds(
    AGED,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic())
      const observedAt = timeText(DAY_MS - 3_000)
      await event.observe(
        [
          { ...HOME, odds: 2 },
          { ...AWAY, odds: 3, status: 'suspended' },
        ],
        { observedAt },
      )
      await client.next('MESSAGE')
      const says: string[] = []
      while (says.length < 2) {
        const message = await client.next('MESSAGE')
        says.push(...quotesOf(message))
        const lateMs = Date.parse(String(jsonOf(message).recordedAt)) - (Date.parse(observedAt) + DAY_MS)
        assert(lateMs >= -SKEW_MS && lateMs <= 1_000 + SKEW_MS, `recorded ${lateMs} ms after the 24 hours`)
      }
      assert.deepEqual(says.sort(), ['away aged_out 3 suspended', 'home aged_out 2 open'])
    },
    NEWEST,
  ),
  holds(PREV, async (at) => {
    const { client, event, message } = await one(at, { ...HOME, odds: 2 })
    const other = await at.event()
    let before = idOf(message)
    for (let place = 1; place <= 20; place++) {
      // What happens elsewhere is no message of this topic set.
      await other.observe([{ ...HOME, odds: 2 + place }])
      await event.observe([{ ...HOME, odds: 2 + place }])
      const next = await client.next('MESSAGE')
      assert.equal(next.headers.get('prev'), before, shownFrame(next))
      before = idOf(next)
    }
  }),
  holds(
    PREV,
    async (at) => {
      const events = [await at.event(), await at.event()]
      const client = await at.desk()
      await client.subscribe(`/topic/odds.football.${at.book}.*`)
      let before: string | undefined
      for (let place = 0; place < 20; place++) {
        await events[place % 2]!.observe([{ ...HOME, odds: 2 + place }])
        const next = await client.next('MESSAGE')
        if (before !== undefined) assert.equal(next.headers.get('prev'), before, shownFrame(next))
        before = idOf(next)
      }
    },
    { ...NEWEST, what: 'over the events of a wildcard' },
  ),
  holds(
    PREV,
    async (at) => {
      const seen = await at.event()
      const hidden = seen.at(at.world.book())
      const key = await at.world.key('--bookmakers', seen.book)
      const client = await at.desk({}, key)
      await client.subscribe(`/topic/odds.football.*.${seen.id}`)
      await seen.observe([{ ...HOME, odds: 2 }])
      const first = await client.next('MESSAGE')
      // What another audience gets is none of this one's.
      await hidden.observe([{ ...HOME, odds: 3 }])
      await seen.observe([{ ...HOME, odds: 4 }])
      assert.equal((await client.next('MESSAGE')).headers.get('prev'), idOf(first))
    },
    { ...NEWEST, what: 'in the audience' },
  ),
  holds(MISSED, async (at) => {
    const { client, event, message } = await one(at, { ...HOME, odds: 2 })
    const has = seqOf(idOf(message))
    await client.request('UNSUBSCRIBE', { id: 'sub-0' })
    await client.subscribe(event.topic(), { id: 'again' })
    await event.observe([{ ...HOME, odds: 3 }])
    const next = await client.next('MESSAGE')
    assert(seqOf(next.headers.get('prev')) <= has, 'nothing was missed')
    await client.request('UNSUBSCRIBE', { id: 'again' })
    await event.observe([{ ...HOME, odds: 4 }])
    await client.subscribe(event.topic(), { id: 'third' })
    await event.observe([{ ...HOME, odds: 5 }])
    const later = await client.next('MESSAGE')
    assert(seqOf(later.headers.get('prev')) > seqOf(idOf(next)), 'one was missed')
  }),
  holds(
    MISSED,
    async (at) => {
      const { event } = await one(at, { ...HOME, odds: 2 })
      for (const headers of [{ snapshot: 'true' }, { 'from-seq': await at.world.restSeq() }]) {
        const client = await at.desk()
        await client.subscribe(event.topic(), headers)
        let has = seqOf(headers['from-seq'] ?? 'x-0')
        if ('snapshot' in headers) has = seqOf(idOf((await client.until(isEnd)).at(-1)!))
        await event.observe([{ ...HOME, odds: 2 + clock.now() }])
        const next = await client.next('MESSAGE')
        assert(seqOf(next.headers.get('prev')) <= has, shownFrame(next))
      }
    },
    { ...NEWEST, what: 'after a snapshot, after from-seq' },
  ),
  holds(LAG, async (at) => {
    const client = await at.desk()
    await client.subscribe('/topic/lag')
    const startedMs = clock.elapsedMs()
    const messages = await client.several(4)
    const meanMs = (clock.elapsedMs() - startedMs) / 4
    assert(meanMs > 500 && meanMs < 3_000, `one in ${meanMs.toFixed(0)} ms`)
    for (const message of messages) {
      assert.equal(message.headers.get('kind'), 'lag')
      const body = jsonOf(message) as unknown as Record<string, unknown>
      assert.deepEqual(Object.keys(body), ['seq', 'queuedBytes', 'behindMs', 'mergedPrices'])
      for (const name of ['queuedBytes', 'behindMs', 'mergedPrices']) {
        assert(Number.isFinite(body[name]) && Number(body[name]) >= 0, shownFrame(message))
      }
      assert.match(String(body.seq), /-\d+$/)
    }
  }),
]
