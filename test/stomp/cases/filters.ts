// docs/live-protocol.md 3.1, the SUBSCRIBE headers `conflate-ms`, `types`, `leagues` and `content-type`.

import assert from 'node:assert/strict'
import { unpack } from 'msgpackr'
import * as clock from '../../../src/clock.ts'
import { type At, type Case, holds, NEWEST, ONCE, quotesOf, seqOf } from '../conformance.ts'
import type { RawClient } from '../raw-client.ts'
import { jsonOf, type ServerFrame, shownFrame } from '../strict-frames.ts'
import { AWAY, type Fixture, HOME, OVER } from '../world.ts'
import { FROM, SNAPSHOT } from './snapshots.ts'

const CONFLATE =
  '| `conflate-ms: N` | 0 to 10 000; at most one price per quote per N ms, the latest; a status transition is never merged away, reordered or delayed, and brings the price of its moment. Other values: ERROR |'
const FILTERS = '| `types: a,b` · `leagues: a,b` | only these market types, leagues |'
const BINARY =
  '| `content-type: application/msgpack` | bodies in MessagePack instead of JSON (any case, parameters ignored; every other value means JSON: some clients send `text/plain` on every frame) |'
const MERGED = 'Only `repriced` is ever merged by conflation.'

/** Quotes of MESSAGEs until one fits. */
const quotesUntil = async (client: RawClient, fits: (quote: string) => boolean): Promise<string[]> => {
  const quotes: string[] = []
  while (!quotes.some(fits)) quotes.push(...quotesOf(await client.next('MESSAGE')))
  return quotes
}

/** Sends prices for a while, some hundred a second. */
const reprice = async (event: Fixture, forMs: number): Promise<number> => {
  const endsAt = clock.elapsedMs() + forMs
  let odds = 2
  while (clock.elapsedMs() < endsAt) {
    odds = Number((odds + 0.01).toFixed(2))
    await event.observe([{ ...HOME, odds }])
  }
  return odds
}

export const CONFLATION: readonly Case[] = [
  ...[500, 1_000].map((conflateMs) =>
    holds(
      CONFLATE,
      async (at) => {
        const event = await at.event()
        const client = await at.desk()
        await event.observe([{ ...HOME, odds: 2 }])
        await client.subscribe(event.topic(), { 'conflate-ms': String(conflateMs) })
        const startedMs = clock.elapsedMs()
        const last = await reprice(event, 3_000)
        const quotes = await quotesUntil(client, (quote) => quote === `home repriced ${last} open`)
        const tookMs = clock.elapsedMs() - startedMs
        assert(quotes.every((quote) => quote.startsWith('home repriced')))
        // One may come at once, and one when the last interval ends.
        const most = Math.floor(tookMs / conflateMs) + 2
        assert(quotes.length <= most, `${quotes.length} prices in ${tookMs.toFixed(0)} ms`)
        assert(quotes.length >= 2, 'prices did not continue')
        const prices = quotes.map((quote) => Number(quote.split(' ')[2]))
        assert.deepEqual(
          prices,
          [...prices].sort((a, b) => a - b),
        )
      },
      { ...NEWEST, what: `${conflateMs}` },
    ),
  ),
  ...['0', undefined].map((conflateMs) =>
    holds(
      CONFLATE,
      async (at) => {
        const event = await at.event()
        const client = await at.desk()
        await client.subscribe(event.topic(), conflateMs === undefined ? {} : { 'conflate-ms': conflateMs })
        for (let place = 0; place < 30; place++) await event.observe([{ ...HOME, odds: 2 + place }])
        const quotes = await quotesUntil(client, (quote) => quote === 'home repriced 31 open')
        assert.equal(quotes.length, 30)
      },
      { ...NEWEST, what: `${conflateMs ?? 'none'}: every price` },
    ),
  ),
  holds(
    CONFLATE,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic(), { 'conflate-ms': '10000' })
      const startedMs = clock.elapsedMs()
      await event.observe([{ ...HOME, odds: 2 }])
      for (const odds of [2.1, 2.2, 2.3]) await event.observe([{ ...HOME, odds }])
      await event.observe([{ ...HOME, odds: 2.4, status: 'suspended' }])
      await event.observe([{ ...HOME, odds: 2.5 }])
      await event.observe([{ ...HOME, odds: 2.6, status: 'suspended' }])
      await event.observe([{ ...HOME, odds: 2.7, status: 'closed' }])
      const frames: ServerFrame[] = []
      while (!frames.flatMap(quotesOf).some((quote) => quote.includes('closed')))
        frames.push(await client.next('MESSAGE'))
      // Long before the ten seconds are over.
      assert(clock.elapsedMs() - startedMs < 9_000, 'a transition was delayed')
      const quotes = frames.flatMap(quotesOf)
      assert.deepEqual(
        quotes.filter((quote) => !quote.includes('repriced')),
        [
          'home added 2 open',
          'home suspended 2.4 suspended',
          'home reopened 2.5 open',
          'home suspended 2.6 suspended',
          'home closed 2.7 closed',
        ],
      )
      // A price that was held back is not sent after the transition that replaced it.
      const places = quotes.map((quote) => Number(quote.split(' ')[2]))
      assert.deepEqual(
        places,
        [...places].sort((a, b) => a - b),
      )
      const seqs = frames.map((frame) => seqOf(frame.headers.get('message-id')))
      assert.deepEqual(
        seqs,
        [...seqs].sort((a, b) => a - b),
      )
    },
    { ...NEWEST, what: 'transitions' },
  ),
  holds(
    MERGED,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic(), { 'conflate-ms': '10000' })
      const outcomes = Array.from({ length: 30 }, (_, place) => `${place}-0`)
      const score = (outcome: string, odds: number) => ({ type: 'correct_score', outcome, odds }) as const
      for (const outcome of outcomes) await event.observe([score(outcome, 2)])
      const added = new Set<string>()
      while (added.size < outcomes.length) {
        for (const quote of quotesOf(await client.next('MESSAGE'))) {
          assert.match(quote, / added 2 open$/)
          added.add(quote)
        }
      }
    },
    { ...NEWEST, what: 'added is not' },
  ),
  holds(
    MERGED,
    async (at) => {
      const event = await at.event()
      await event.observe([{ ...HOME, odds: 2 }])
      await event.observe([{ ...AWAY, odds: 2 }])
      const slow = await at.desk()
      await slow.subscribe(event.topic(), { 'conflate-ms': '10000' })
      const fast = await at.desk()
      await fast.subscribe(event.topic())
      for (let place = 1; place <= 20; place++) {
        await event.observe([{ ...HOME, odds: 2 + place }])
        await event.observe([{ ...AWAY, odds: 3 + place }])
      }
      await event.observe([{ ...OVER, odds: 9 }])
      const isLast = (quote: string): boolean => quote === 'over added 9 open'
      assert.equal((await quotesUntil(fast, isLast)).length, 41)
      // Each quote for itself: one price of each at most so far.
      const quotes = await quotesUntil(slow, isLast)
      assert(quotes.length <= 3, quotes.join())
    },
    { ...NEWEST, what: 'by whoever asked for it' },
  ),
  ...['-1', '10001', '1.5', 'x', '', '1e3', '+5', '0x10', '99999999999999'].map((value) =>
    holds(
      CONFLATE,
      async (at) => {
        const client = await at.desk()
        const destination = `/topic/odds.football.${at.book}.*`
        await client.frame('SUBSCRIBE', { id: 'a', destination, 'conflate-ms': value })
        await client.error()
      },
      { ...ONCE, what: JSON.stringify(value) },
    ),
  ),
  holds(
    CONFLATE,
    async (at) => {
      const client = await at.desk()
      await client.subscribe(`/topic/odds.football.${at.book}.*`, { 'conflate-ms': '10000' })
    },
    { ...ONCE, what: '10000 is the most' },
  ),
]

const seqOfMessage = (frame: ServerFrame): number => seqOf(frame.headers.get('message-id'))

const HELD_MS = 2_000

const isPriceOfHome = (quote: string): boolean => quote.startsWith('home repriced')

/** A conflated subscriber with a held price, and another one that joins while it is held back. */
const joined = async (at: At, headers: (last: ServerFrame) => Record<string, string>, isAlone: boolean) => {
  const event = await at.event()
  const first = await at.desk()
  const conflated = { 'conflate-ms': String(HELD_MS) }
  await first.subscribe(event.topic(), conflated)
  for (const odds of [2, 3, 4]) await event.observe([{ ...HOME, odds }])
  await event.observe([{ ...AWAY, odds: 9 }])
  const before = await first.until((frame) => quotesOf(frame).some((quote) => quote.startsWith('away')))
  if (isAlone) {
    first.destroy()
    await first.closed()
  }
  const second = await at.desk()
  await second.subscribe(event.topic(), { ...conflated, ...headers(before.at(-1)!) })
  // Until what was held back must have come.
  const stopwatch = await at.desk()
  await stopwatch.subscribe('/topic/lag')
  await stopwatch.several(HELD_MS / 1_000 + 2)
  await event.observe([{ ...OVER, odds: 7 }])
  const after = await second.until((frame) => quotesOf(frame).some((quote) => quote.startsWith('over')))
  const priceAtMs = after.filter((frame) => quotesOf(frame).some(isPriceOfHome)).map((frame) => second.arrivedMs(frame))
  return { before, after, priceAtMs }
}

/** Subscribers of the same topic that come while a price is held back for others, and alone. */
const JOINING: readonly Case[] = [false, true].flatMap((isAlone) => {
  const what = isAlone ? 'resumed alone' : 'resumed beside another'
  const resumed = (at: At) => joined(at, (last) => ({ 'from-seq': last.headers.get('message-id')! }), isAlone)
  return [
    holds(
      CONFLATE,
      async (at) => {
        const { priceAtMs } = await resumed(at)
        for (let place = 1; place < priceAtMs.length; place++) {
          const gapMs = priceAtMs[place]! - priceAtMs[place - 1]!
          // Half of it, because what was sent in time may arrive late.
          assert(gapMs > HELD_MS / 2, `two prices of one quote within ${gapMs.toFixed(0)} ms`)
        }
      },
      { ...NEWEST, what },
    ),
    holds(
      FROM,
      async (at) => {
        const { before, after } = await resumed(at)
        const ids = after.map((frame) => frame.headers.get('message-id'))
        assert.deepEqual(ids, [...new Set(ids)], 'a message came twice')
        const prices = [...before, ...after].flatMap(quotesOf).filter((quote) => quote.startsWith('home'))
        assert.equal(prices.at(-1), 'home repriced 4 open', 'the price that was held back is lost')
      },
      { ...NEWEST, what: `conflated, ${what}` },
    ),
  ]
})

const AFTER_SNAPSHOT: Case = holds(
  SNAPSHOT,
  async (at) => {
    const { after } = await joined(at, () => ({ snapshot: 'true' }), false)
    const end = after.findIndex((frame) => frame.headers.get('kind') === 'snapshot-end')
    const later = after.slice(end + 1).filter((frame) => seqOfMessage(frame) <= seqOfMessage(after[end]!))
    assert.deepEqual(later.map(shownFrame), [], 'a change that the snapshot holds already')
  },
  { ...NEWEST, what: 'conflated, beside another' },
)

const bothWays = (name: string, run: (at: At, headers: Record<string, string>) => Promise<void>): Case[] =>
  ['update', 'snapshot', 'from-seq'].map((way) =>
    holds(
      FILTERS,
      async (at) => {
        const from = await at.world.restSeq()
        const headers: Record<string, Record<string, string>> = {
          update: {},
          snapshot: { snapshot: 'true' },
          'from-seq': { 'from-seq': from },
        }
        await run(at, headers[way]!)
      },
      { ...NEWEST, what: `${name}, ${way}` },
    ),
  )

/** The quotes that come, of a snapshot or as changes, up to a last one. */
const cameUntil = async (client: RawClient, last: string): Promise<string[]> => {
  const names = (frame: ServerFrame): string[] => quotesOf(frame).map((quote) => quote.split(' ')[0]!)
  const seen: string[] = []
  while (!seen.includes(last)) seen.push(...names(await client.next('MESSAGE')))
  return seen
}

/** A snapshot without its moment. */
const withoutMoment = (body: object): object => {
  const { seq: _seq, recordedAt: _recordedAt, ...rest } = body as { seq?: unknown; recordedAt?: unknown }
  return rest
}

export const FILTERING: readonly Case[] = [
  ...JOINING,
  AFTER_SNAPSHOT,
  ...bothWays('types', async (at, headers) => {
    const event = await at.event()
    const act = async (): Promise<void> => {
      await event.observe([
        { ...HOME, odds: 2 },
        { ...OVER, odds: 3 },
        { type: 'btts', outcome: 'yes', odds: 4 },
      ])
    }
    const client = await at.desk()
    const isLater = Object.keys(headers).length > 0
    if (isLater) await act()
    await client.subscribe(event.topic(), { ...headers, types: 'match_result_1x2,btts' })
    if (!isLater) await act()
    assert.deepEqual((await cameUntil(client, 'yes')).sort(), ['home', 'yes'])
    // What is filtered out makes no message.
    await event.observe([{ ...OVER, odds: 5 }])
    await event.observe([{ ...AWAY, odds: 6 }])
    if (headers.snapshot !== undefined) await client.next('MESSAGE')
    assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['away added 6 open'])
  }),
  ...bothWays('leagues', async (at, headers) => {
    const events = [await at.event(), await at.event(), await at.event()]
    const act = async (): Promise<void> => {
      for (const [place, event] of events.entries()) {
        await event.observe([{ type: 'correct_score', outcome: `${place}-0`, odds: 2 }])
      }
    }
    const client = await at.desk()
    const isLater = Object.keys(headers).length > 0
    if (isLater) await act()
    const leagues = [events[0]!, events[2]!].map((event) => event.sighting.league.key).join()
    await client.subscribe(`/topic/odds.football.${at.book}.*`, { ...headers, leagues })
    if (!isLater) await act()
    const seen = await cameUntil(client, '2-0')
    assert(seen.includes('0-0') || headers.snapshot !== undefined)
    assert(!seen.includes('1-0'))
  }),
  holds(BINARY, async (at) => {
    const event = await at.event()
    await event.observe([{ ...AWAY, odds: 2.345 }])
    const read = async (headers: Record<string, string>) => {
      const client = await at.desk()
      await client.subscribe(event.topic(), { snapshot: 'true', ...headers })
      return client
    }
    const packed = await read({ 'content-type': 'Application/MsgPack;charset=utf-8' })
    const plain = await read({})
    const frames = [packed, plain].map((client) =>
      client.until((frame) => frame.headers.get('kind') === 'snapshot-end'),
    )
    const [packedSnapshot, plainSnapshot] = (await Promise.all(frames)) as [ServerFrame[], ServerFrame[]]
    await event.observe([{ ...HOME, odds: 2.1, status: 'suspended' }])
    packedSnapshot.push(await packed.next('MESSAGE'))
    plainSnapshot.push(await plain.next('MESSAGE'))
    assert.equal(packedSnapshot.length, plainSnapshot.length)
    for (const [place, frame] of packedSnapshot.entries()) {
      if (frame.body.length === 0) continue
      assert.equal(frame.headers.get('content-type'), 'application/msgpack', shownFrame(frame))
      const bodies = [unpack(frame.body) as object, jsonOf(plainSnapshot[place]!)]
      const [binary, text] = frame.headers.get('kind') === 'update' ? bodies : bodies.map(withoutMoment)
      assert.deepEqual(binary, text)
    }
  }),
  ...['application/json', 'text/plain', 'text/plain;charset=UTF-8'].map((contentType) =>
    holds(
      BINARY,
      async (at) => {
        const event = await at.event()
        const client = await at.desk()
        await client.subscribe(event.topic(), { 'content-type': contentType })
        await event.observe([{ ...HOME, odds: 2 }])
        assert.equal((await client.next('MESSAGE')).headers.get('content-type'), 'application/json')
      },
      { ...NEWEST, what: `${contentType} is JSON` },
    ),
  ),
]
