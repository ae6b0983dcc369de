// docs/live-protocol.md 3.3 and 3.4, the SUBSCRIBE headers `snapshot` and `from-seq`; 4.2, kinds snapshot, snapshot-end and
// reset.

import assert from 'node:assert/strict'
import { type At, type Case, holds, NEWEST, ONCE, quotesOf, seqOf } from '../conformance.ts'
import type { RawClient } from '../raw-client.ts'
import { jsonOf, type ServerFrame, shownFrame } from '../strict-frames.ts'
import { AWAY, DRAW, type Fixture, HOME, REST_ONLY } from '../world.ts'

export const SNAPSHOT =
  '| `snapshot: true` | first the present state of all that matches (`kind: snapshot`, one MESSAGE per event and bookmaker, then one `kind: snapshot-end`), then changes; nothing missing between, nothing twice |'
export const FROM =
  "| `from-seq: EPOCH-SEQ` | first everything after that point, then changes. The point may come from a `message-id` or from REST's `X-Odds-Seq`. Too old, another epoch, beyond the plan's replay window: one `kind: reset`, then a snapshot |"
const RECEIPT_FIRST = 'The RECEIPT of a SUBSCRIBE comes first, then snapshot or replay, then changes.'
const MALFORMED = '`from-seq` that is malformed: ERROR `validation_failed`; ahead of the log: `reset`.'
const KIND_SNAPSHOT =
  '`kind: snapshot`: open and suspended quotes, no `change`, on both topics; message-ids `EPOCH-SEQ.N`, which are no resume points. Then `kind: snapshot-end`, whose message-id is.'
export const KIND_RESET =
  '`kind: reset`: `{"reason":"epoch"|"ahead"|"too_old"|"window"|"audience"}`, then a snapshot (`audience`: what the key may see has changed, or may have changed, since the cursor). Their destination is the one subscribed to.'

export const isEnd = (frame: ServerFrame): boolean => frame.headers.get('kind') === 'snapshot-end'

/** The messages of a snapshot, and its end. */
export const snapshotOf = async (client: RawClient): Promise<{ messages: ServerFrame[]; end: ServerFrame }> => {
  const frames = await client.until(isEnd)
  for (const frame of frames.slice(0, -1)) assert.equal(frame.headers.get('kind'), 'snapshot', shownFrame(frame))
  return { messages: frames.slice(0, -1), end: frames.at(-1)! }
}

const idOf = (frame: ServerFrame): string => frame.headers.get('message-id')!

/** Expects a reset for this reason, and a whole snapshot of one event after it. */
const resetAndSnapshot = async (client: RawClient, destination: string, reasons: readonly string[]): Promise<void> => {
  const reset = await client.next('MESSAGE')
  assert.equal(reset.headers.get('kind'), 'reset', shownFrame(reset))
  assert.equal(reset.headers.get('destination'), destination)
  assert(reasons.includes(String(jsonOf(reset).reason)), shownFrame(reset))
  const { messages } = await snapshotOf(client)
  assert.equal(messages.length, 1)
}

/** Applies messages to a board of one event: outcome to odds. */
const apply = (board: Map<string, number>, frame: ServerFrame): void => {
  const body = JSON.parse(frame.body.toString('utf8')) as {
    quotes: { outcome: string; odds: number; change?: string }[]
  }
  for (const { outcome, odds, change } of body.quotes) {
    if (change === 'closed' || change === 'aged_out') board.delete(outcome)
    else board.set(outcome, odds)
  }
}

const resume = async (at: At, event: Fixture, from: string): Promise<RawClient> => {
  const client = await at.desk()
  await client.subscribe(event.topic(), { 'from-seq': from })
  return client
}

export const SNAPSHOTS: readonly Case[] = [
  holds(SNAPSHOT, async (at) => {
    const events = [await at.event(), await at.event(), await at.event('tennis')]
    const other = events[0]!.at(at.world.book())
    await other.observe([{ ...HOME, odds: 5 }])
    const client = await at.desk()
    await client.subscribe(`/topic/odds.*.${at.book}.#`, { snapshot: 'true' })
    const { messages } = await snapshotOf(client)
    const topics = messages.map((frame) => frame.headers.get('destination'))
    assert.deepEqual(topics.sort(), events.map((event) => event.topic()).sort())
    await events[1]!.observe([{ ...HOME, odds: 2.5 }])
    const change = await client.next('MESSAGE')
    assert.equal(change.headers.get('kind'), 'update')
    assert.deepEqual(quotesOf(change), ['home added 2.5 open'])
  }),
  holds(
    SNAPSHOT,
    async (at) => {
      const client = await at.desk()
      await client.subscribe(`/topic/odds.*.${at.book}.#`, { snapshot: 'true' })
      const { messages } = await snapshotOf(client)
      assert.deepEqual(messages, [])
    },
    { what: 'of nothing' },
  ),
  holds(
    SNAPSHOT,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      for (const snapshot of ['false', undefined]) {
        const id = `sub-${snapshot}`
        await client.subscribe(event.topic(), { id, ...(snapshot === undefined ? {} : { snapshot }) })
        await event.observe([{ ...HOME, odds: snapshot === undefined ? 2 : 3 }])
        const message = await client.next('MESSAGE')
        assert.equal(message.headers.get('kind'), 'update')
        await client.request('UNSUBSCRIBE', { id })
      }
    },
    { ...NEWEST, what: 'not asked for' },
  ),
  holds(
    SNAPSHOT,
    async (at) => {
      const event = await at.event()
      const other = event.at(at.world.book())
      const client = await at.desk()
      await client.subscribe(`/topic/odds.football.*.${event.id}`, { snapshot: 'true' })
      await snapshotOf(client)
      const narrow = event.at(REST_ONLY)
      await narrow.observe([{ ...HOME, odds: 7 }], { transport: 'both' })
      await other.observe([{ ...HOME, odds: 2 }])
      const again = await at.desk()
      await again.subscribe(`/topic/odds.football.*.${event.id}`, { snapshot: 'true' })
      const { messages } = await snapshotOf(again)
      assert.deepEqual(messages.map((frame) => String(jsonOf(frame).bookmaker)).sort(), [event.book, other.book].sort())
    },
    { ...NEWEST, what: 'one MESSAGE per event and bookmaker' },
  ),
  holds(
    SNAPSHOT,
    async (at) => {
      const event = await at.event()
      const outcomes = Array.from({ length: 5 }, (_, place) => `${place}-0`)
      const ROUNDS = 400
      // A stream of prices, and subscribers that join it anywhere.
      const sends: Promise<unknown>[] = []
      const subscribers: Promise<RawClient>[] = []
      for (let round = 1; round <= ROUNDS; round++) {
        const outcome = outcomes[round % outcomes.length]!
        sends.push(event.observe([{ type: 'correct_score', outcome, odds: 1 + round }]))
        if (round % 80 === 40) {
          subscribers.push(
            at.desk().then(async (client) => {
              await client.subscribe(event.topic(), { snapshot: 'true' })
              return client
            }),
          )
        }
        if (round % 10 === 0) await sends.at(-1)
      }
      await Promise.all(sends)
      await event.observe([{ ...HOME, odds: 1_000 }])
      for (const client of await Promise.all(subscribers)) {
        const board = new Map<string, number>()
        const { messages, end } = await snapshotOf(client)
        for (const frame of messages) apply(board, frame)
        let last = seqOf(idOf(end))
        while (!board.has('home')) {
          const frame = await client.next('MESSAGE')
          // Nothing twice: strictly after. Nothing missing: what was before it is already here.
          assert(seqOf(idOf(frame)) > last, `${idOf(frame)} after ${last}`)
          assert(seqOf(frame.headers.get('prev')) <= last, `${shownFrame(frame)} after ${last}`)
          last = seqOf(idOf(frame))
          apply(board, frame)
        }
        for (const [place, outcome] of outcomes.entries()) {
          // The last round that named this outcome.
          const round = ROUNDS - ((ROUNDS - place) % outcomes.length)
          assert.equal(board.get(outcome), 1 + round, outcome)
        }
      }
    },
    { ...NEWEST, what: 'while prices move' },
  ),
  holds(KIND_SNAPSHOT, async (at) => {
    const event = await at.event()
    await event.observe([
      { ...HOME, odds: 2 },
      { ...DRAW, odds: 3, status: 'suspended' },
      { ...AWAY, odds: 4 },
    ])
    await event.observe([{ ...AWAY, status: 'closed' }])
    const client = await at.desk()
    for (const kind of ['odds', 'status'] as const) {
      await client.subscribe(event.topic(kind), { id: kind, snapshot: 'true' })
      const { messages, end } = await snapshotOf(client)
      assert.equal(messages.length, 1)
      const [snapshot] = messages as [ServerFrame]
      assert.equal(snapshot.headers.get('subscription'), kind)
      assert.deepEqual(quotesOf(snapshot).sort(), ['draw - 3 suspended', 'home - 2 open', 'odd - 1.9 open'])
      assert(!snapshot.body.includes('"change"'), shownFrame(snapshot))
      assert.match(idOf(snapshot), /^[A-Za-z0-9_/]+-\d+\.\d+$/)
      assert.match(idOf(end), /^[A-Za-z0-9_/.]+-\d+$/)
      assert(idOf(snapshot).startsWith(`${idOf(end)}.`), `${idOf(snapshot)} in ${idOf(end)}`)
      assert.equal(end.headers.get('destination'), event.topic(kind))
    }
  }),
  holds(
    KIND_SNAPSHOT,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic(), { snapshot: 'true' })
      const { messages, end } = await snapshotOf(client)
      const resumed = await resume(at, event, idOf(end))
      await event.observe([{ ...HOME, odds: 2 }])
      assert.deepEqual(quotesOf(await resumed.next('MESSAGE')), ['home added 2 open'])
      const refused = await at.desk()
      await refused.frame('SUBSCRIBE', { id: 'a', destination: event.topic(), 'from-seq': idOf(messages[0]!) })
      await refused.refused('validation_failed')
    },
    { ...NEWEST, what: 'resume points' },
  ),
  holds(
    KIND_RESET,
    async (at) => {
      const event = await at.event()
      const pattern = `/topic/odds.*.${at.book}.#`
      const client = await at.desk()
      await client.subscribe(pattern, { 'from-seq': 'anotherepoch-1' })
      const reset = await client.next('MESSAGE')
      assert.equal(reset.headers.get('kind'), 'reset')
      assert.equal(reset.headers.get('destination'), pattern)
      assert.deepEqual(jsonOf(reset), { reason: 'epoch' })
      const { messages, end } = await snapshotOf(client)
      assert.deepEqual(
        messages.map((frame) => frame.headers.get('destination')),
        [event.topic()],
      )
      assert.equal(end.headers.get('destination'), pattern)
    },
    { what: 'wildcards' },
  ),
]

export const RESUMING: readonly Case[] = [
  holds(
    FROM,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic())
      await event.observe([{ ...HOME, odds: 2 }])
      const seen = await client.next('MESSAGE')
      client.destroy()
      await event.observe([{ ...HOME, odds: 2.1 }])
      await event.observe([{ ...DRAW, odds: 3 }])
      const resumed = await resume(at, event, idOf(seen))
      await event.observe([{ ...AWAY, odds: 4 }])
      const quotes: string[] = []
      let last = seqOf(idOf(seen))
      while (quotes.length < 3) {
        const frame = await resumed.next('MESSAGE')
        assert.equal(frame.headers.get('kind'), 'update')
        assert(seqOf(frame.headers.get('prev')) <= last, shownFrame(frame))
        last = seqOf(idOf(frame))
        quotes.push(...quotesOf(frame))
      }
      assert.deepEqual(quotes, ['home repriced 2.1 open', 'draw added 3 open', 'away added 4 open'])
    },
    { what: 'a message-id' },
  ),
  holds(
    FROM,
    async (at) => {
      const event = await at.event()
      const from = await at.world.restSeq()
      await event.observe([{ ...HOME, odds: 2 }])
      const resumed = await resume(at, event, from)
      assert.deepEqual(quotesOf(await resumed.next('MESSAGE')), ['home added 2 open'])
      const now = await resume(at, event, await at.world.restSeq())
      await event.observe([{ ...HOME, odds: 3 }])
      assert.deepEqual(quotesOf(await now.next('MESSAGE')), ['home repriced 3 open'])
    },
    { what: 'X-Odds-Seq' },
  ),
  holds(
    FROM,
    async (at) => {
      const event = await at.event()
      const other = await at.event()
      const from = await at.world.restSeq()
      await event.observe([{ ...HOME, odds: 2 }])
      await other.observe([{ ...HOME, odds: 5 }])
      await event.observe([{ ...HOME, odds: 2, status: 'suspended' }])
      const client = await at.desk()
      await client.subscribe(event.topic('status'), { 'from-seq': from })
      assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['home suspended 2 suspended'])
    },
    { ...NEWEST, what: 'only what the topic carries' },
  ),
  holds(
    FROM,
    async (at) => {
      const event = await at.event()
      const ROUNDS = 300
      const first = await at.world.restSeq()
      const sends = Array.from({ length: ROUNDS }, (_, round) => event.observe([{ ...HOME, odds: 2 + round }]))
      await sends[100]
      // It joins while the stream continues.
      const client = await resume(at, event, first)
      await Promise.all(sends)
      const odds: number[] = []
      while (odds.length < ROUNDS) {
        const body = JSON.parse((await client.next('MESSAGE')).body.toString('utf8')) as { quotes: { odds: number }[] }
        odds.push(...body.quotes.map((quote) => quote.odds))
      }
      assert.deepEqual(
        odds,
        Array.from({ length: ROUNDS }, (_, round) => 2 + round),
      )
    },
    { ...NEWEST, what: 'while prices move' },
  ),
  holds(
    FROM,
    async (at) => {
      const event = await at.event()
      const client = await resume(at, event, 'another-1')
      await resetAndSnapshot(client, event.topic(), ['epoch'])
      await event.observe([{ ...HOME, odds: 2 }])
      assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['home added 2 open'])
    },
    { what: 'another epoch' },
  ),
  holds(
    FROM,
    async (at) => {
      const plan = `brief-${at.carrier}`
      await at.world.command('plan', 'set', plan, '--live', 'true', '--replay-window', '1')
      const { key, name } = await at.world.keyOfNewOrganization('desk')
      await at.world.command('org', 'set', name, '--plan', plan)
      const event = await at.event()
      const from = await at.world.restSeq()
      await event.observe([{ ...HOME, odds: 2 }])
      const client = await at.desk({}, key)
      // Three seconds by the clock of the service: a message each.
      await client.subscribe('/topic/lag', { id: 'lag' })
      await client.several(4)
      await client.request('UNSUBSCRIBE', { id: 'lag' })
      await client.subscribe(event.topic(), { 'from-seq': from })
      await resetAndSnapshot(client, event.topic(), ['window', 'too_old'])
    },
    { ...NEWEST, what: "beyond the plan's replay window" },
  ),
  ...[
    '',
    'x',
    '-',
    'epoch-',
    '-5',
    'epoch-x',
    'epoch-1.5',
    'epoch--1',
    'epoch-1 ',
    'epoch-1e3',
    'a b-1',
    '12',
    'epoch-0x1',
  ].map((from) =>
    holds(
      MALFORMED,
      async (at) => {
        const client = await at.desk()
        await client.frame('SUBSCRIBE', {
          ...{ id: 'a', destination: `/topic/odds.football.${at.book}.*` },
          ...{ 'from-seq': from, receipt: 'r' },
        })
        const error = await client.refused('validation_failed')
        assert.equal(error.headers.get('receipt-id'), 'r')
      },
      { ...ONCE, what: JSON.stringify(from) },
    ),
  ),
  holds(
    MALFORMED,
    async (at) => {
      const event = await at.event()
      const [epoch, seq] = (await at.world.restSeq()).split(/-(?=\d+$)/) as [string, string]
      const client = await resume(at, event, `${epoch}-${Number(seq) + 1_000_000}`)
      await resetAndSnapshot(client, event.topic(), ['ahead'])
    },
    { what: 'ahead' },
  ),
  ...(['snapshot', 'from-seq'] as const).map((header) =>
    holds(
      RECEIPT_FIRST,
      async (at) => {
        const event = await at.event()
        const from = await at.world.restSeq()
        const sends = Array.from({ length: 50 }, (_, place) => event.observe([{ ...HOME, odds: 2 + place }]))
        const client = await at.desk()
        const asked = header === 'snapshot' ? { snapshot: 'true' } : { 'from-seq': from }
        await client.frame('SUBSCRIBE', { id: 'a', destination: event.topic(), receipt: 'r', ...asked })
        assert.equal((await client.next()).command, 'RECEIPT')
        const first = await client.next('MESSAGE')
        assert.equal(first.headers.get('kind'), header === 'snapshot' ? 'snapshot' : 'update')
        await Promise.all(sends)
        await event.observe([{ ...AWAY, odds: 9 }])
        const frames = await client.until((frame) => quotesOf(frame).some((quote) => quote.startsWith('away')))
        const kinds = [first, ...frames].map((frame) => frame.headers.get('kind'))
        const firstUpdate = kinds.indexOf('update')
        assert(!kinds.slice(firstUpdate).includes('snapshot'), kinds.join())
      },
      { what: header },
    ),
  ),
]
