// docs/live-protocol.md 3 and 5.

import assert from 'node:assert/strict'
import { type At, type Case, holds, NEWEST, quotesOf } from '../conformance.ts'
import type { RawClient } from '../raw-client.ts'
import { type ServerFrame, shownFrame } from '../strict-frames.ts'
import { AWAY, type Fixture, HOME } from '../world.ts'

const NEEDS = 'Needs `destination`, and `id` from 1.1 on.'
const MODES = '`ack` is `auto`, `client` (cumulative) or `client-individual`; other values: ERROR.'
const ENDED = 'After the RECEIPT of UNSUBSCRIBE no MESSAGE of it is sent: what was queued is taken out.'

/** A frame that must be answered with ERROR. */
const refusedFrame = async (at: At, command: string, headers: Record<string, string>): Promise<void> => {
  const client = await at.desk()
  await client.frame(command, headers)
  await client.error()
}

export const SUBSCRIBE: readonly Case[] = [
  holds(NEEDS, (at) => refusedFrame(at, 'SUBSCRIBE', { id: 'a' }), { what: 'no destination' }),
  holds(NEEDS, (at) => refusedFrame(at, 'SUBSCRIBE', { destination: '/topic/lag' }), {
    what: 'no id',
    versions: ['1.1', '1.2'],
  }),
  holds(
    NEEDS,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.request('SUBSCRIBE', { destination: event.topic() })
      await event.observe([{ ...HOME, odds: 2.5 }])
      const message = await client.next('MESSAGE')
      assert.equal(message.headers.get('destination'), event.topic())
      await client.request('UNSUBSCRIBE', { destination: event.topic() })
      await client.subscribe(event.topic(), { id: 'later' })
      await event.observe([{ ...HOME, odds: 2.6 }])
      assert.equal((await client.next('MESSAGE')).headers.get('subscription'), 'later')
      assert.deepEqual((await client.barrier()).map(shownFrame), [])
    },
    { what: '1.0 goes without an id', versions: ['1.0'] },
  ),
  holds('Duplicate id: ERROR.', async (at) => {
    const client = await at.desk()
    await client.subscribe('/topic/lag', { id: 'twice' })
    await client.frame('SUBSCRIBE', { id: 'twice', destination: `/topic/odds.football.${at.book}.#` })
    await client.error()
  }),
  holds(
    'Duplicate id: ERROR.',
    async (at) => {
      const client = await at.desk()
      await client.subscribe('/topic/lag', { id: 'again' })
      await client.request('UNSUBSCRIBE', { id: 'again' })
      await client.request('SUBSCRIBE', { id: 'again', destination: `/topic/odds.football.${at.book}.#` })
    },
    { what: 'but it may be used again' },
  ),
  ...['odds', 'status', 'lag', 'refusals'].map((kind) =>
    holds(
      'Duplicate id: ERROR.',
      async (at) => {
        const client = kind === 'refusals' ? await at.feeder() : await at.desk()
        const isOwn = kind === 'lag' || kind === 'refusals'
        const destination = isOwn ? `/topic/${kind}` : `/topic/${kind}.football.${at.book}.*`
        await client.subscribe(destination, { id: 'one' })
        await client.subscribe(destination, { id: 'two' })
      },
      { ...NEWEST, what: `but one destination may be subscribed to twice, ${kind}` },
    ),
  ),
  ...['auto', 'client', 'client-individual'].map((ack) =>
    holds(
      MODES,
      async (at) => {
        const event = await at.event()
        const client = await at.desk()
        await client.subscribe(event.topic(), { ack })
        await event.observe([{ ...HOME, odds: 2.5 }])
        const message = await client.next('MESSAGE')
        // The header by which 1.2 acknowledges belongs where there is something to acknowledge.
        assert.equal(message.headers.has('ack'), at.version === '1.2' && ack !== 'auto', shownFrame(message))
      },
      { what: ack },
    ),
  ),
  ...['Auto', 'none', '', 'client,auto'].map((ack) =>
    holds(MODES, (at) => refusedFrame(at, 'SUBSCRIBE', { id: 'a', destination: '/topic/lag', ack }), {
      what: JSON.stringify(ack),
    }),
  ),
  holds(ENDED, async (at) => {
    const event = await at.event()
    const client = await at.desk()
    await client.subscribe(event.topic(), { id: 'ends' })
    await client.subscribe(event.topic(), { id: 'stays' })
    const sends = Array.from({ length: 200 }, (_, place) => event.observe([{ ...HOME, odds: 2 + place / 1_000 }]))
    await client.until((frame) => frame.command === 'MESSAGE')
    await client.request('UNSUBSCRIBE', { id: 'ends' })
    await Promise.all(sends)
    await event.observe([{ ...AWAY, odds: 9 }])
    const after = await client.until((frame) => quotesOf(frame).some((quote) => quote.startsWith('away')))
    const late = after.filter((frame) => frame.headers.get('subscription') !== 'stays')
    assert.deepEqual(late.map(shownFrame), [])
  }),
  holds(
    ENDED,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      // More than delivery lets through unacknowledged, so that some are queued.
      await client.subscribe(event.topic(), { id: 'ends', ack: 'client' })
      const witness = await at.desk()
      await witness.subscribe(event.topic())
      for (let place = 0; place < 1_010; place++) {
        await event.observe([{ ...HOME, odds: 2 + place / 1_000 }])
        await witness.next('MESSAGE')
      }
      const messages = await client.several(1_000)
      await client.request('UNSUBSCRIBE', { id: 'ends' })
      await client.subscribe(event.topic(), { id: 'next' })
      await event.observe([{ ...AWAY, odds: 9 }])
      assert.equal((await client.next('MESSAGE')).headers.get('subscription'), 'next', shownFrame(messages.at(-1)!))
    },
    { ...NEWEST, what: 'what waited for an ACK too' },
  ),
]

/** A subscription with some messages delivered and unanswered. */
const delivered = async (
  at: At,
  ack: string,
  count: number,
): Promise<{ readonly client: RawClient; readonly event: Fixture; readonly messages: readonly ServerFrame[] }> => {
  const event = await at.event()
  const client = await at.desk()
  await client.subscribe(event.topic(), { ack })
  const messages: ServerFrame[] = []
  for (let place = 0; place < count; place++) {
    await event.observe([{ ...HOME, odds: 2 + place / 100 }])
    messages.push(await client.next('MESSAGE'))
  }
  return { client, event, messages }
}

/** Asks for the RECEIPT of an ACK or NACK. */
const answered = (client: RawClient, command: 'ACK' | 'NACK', message: ServerFrame) =>
  client.request(command, client.ackHeaders(message))

const BY =
  "1.2 by `id` (the MESSAGE's `ack` header; a bare message-id where it is unambiguous), 1.1 by `message-id` and `subscription`, 1.0 by `message-id`."
const CUMULATIVE = '`client` (cumulative)'
const NACKED = 'NACK not in 1.0; it counts, nothing is redelivered'
const UNKNOWN = 'Unknown: ERROR.'
const NACK_FROM_11 = ['1.1', '1.2'] as const

export const ACKS: readonly Case[] = [
  ...(['client', 'client-individual'] as const).map((ack) =>
    holds(
      BY,
      async (at) => {
        const { client, messages } = await delivered(at, ack, 3)
        for (const message of messages) await answered(client, 'ACK', message)
        assert.deepEqual((await client.barrier()).map(shownFrame), [])
      },
      { what: ack },
    ),
  ),
  holds(
    BY,
    async (at) => {
      const { client, messages } = await delivered(at, 'client-individual', 2)
      const [first, second] = messages.map((message) => message.headers.get('message-id')!)
      await client.request('ACK', { id: first! })
      await client.request('NACK', { 'message-id': second! })
      await client.frame('ACK', { id: first! })
      await client.error()
    },
    { ...NEWEST, what: 'a bare message-id' },
  ),
  holds(CUMULATIVE, async (at) => {
    const { client, messages } = await delivered(at, 'client', 3)
    await answered(client, 'ACK', messages[1]!)
    await answered(client, 'ACK', messages[2]!)
    // The second ACK covered what was before it, too.
    await client.answer('ACK', messages[0]!)
    await client.error()
  }),
  holds(
    CUMULATIVE,
    async (at) => {
      const { client, messages } = await delivered(at, 'client-individual', 3)
      await answered(client, 'ACK', messages[2]!)
      await answered(client, 'ACK', messages[0]!)
      await answered(client, 'ACK', messages[1]!)
    },
    { what: 'client-individual is not' },
  ),
  holds(
    NACKED,
    async (at) => {
      const { client, messages } = await delivered(at, 'client', 1)
      await client.answer('NACK', messages[0]!)
      await client.error()
    },
    { what: '1.0', versions: ['1.0'] },
  ),
  ...(['client', 'client-individual'] as const).map((ack) =>
    holds(
      NACKED,
      async (at) => {
        const { client, event, messages } = await delivered(at, ack, 2)
        await answered(client, 'NACK', messages[1]!)
        await event.observe([{ ...AWAY, odds: 9 }])
        // The next message is a new one.
        assert.deepEqual(quotesOf(await client.next('MESSAGE')), ['away added 9 open'])
        // It counted as an answer to that message.
        await client.answer('NACK', messages[1]!)
        await client.error()
      },
      { what: ack, versions: NACK_FROM_11 },
    ),
  ),
  ...(['ACK', 'NACK'] as const).flatMap((command) => {
    const versions = command === 'ACK' ? (['1.0', '1.1', '1.2'] as const) : NACK_FROM_11
    return [
      holds(
        UNKNOWN,
        async (at) => {
          const { client } = await delivered(at, 'client', 1)
          await client.frame(command, { id: 'no', 'message-id': 'no', subscription: 'sub-0' })
          await client.error()
        },
        { what: `${command} of no message`, versions },
      ),
      holds(
        UNKNOWN,
        async (at) => {
          const { client, messages } = await delivered(at, 'client-individual', 1)
          await answered(client, 'ACK', messages[0]!)
          await client.answer(command, messages[0]!)
          await client.error()
        },
        { what: `${command} of a message that is answered already`, versions },
      ),
      holds(UNKNOWN, (at) => refusedFrame(at, command, {}), { what: `${command} that names nothing`, versions }),
    ]
  }),
  holds(
    UNKNOWN,
    async (at) => {
      const { client, messages } = await delivered(at, 'auto', 1)
      const id = messages[0]!.headers.get('message-id')!
      await client.frame('ACK', { id, 'message-id': id, subscription: 'sub-0' })
      await client.error()
    },
    { what: 'ACK where nothing waits for one' },
  ),
  holds(
    UNKNOWN,
    async (at) => {
      const { client, messages } = await delivered(at, 'client', 1)
      const id = messages[0]!.headers.get('message-id')!
      await client.frame('ACK', { 'message-id': id, subscription: 'other' })
      await client.error()
    },
    { what: 'ACK with the id of another subscription', versions: ['1.1'] },
  ),
]
