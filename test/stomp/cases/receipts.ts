// docs/live-protocol.md 8.3, 8.4, 8.5 and 8.7.

import assert from 'node:assert/strict'
import * as clock from '../../../src/clock.ts'
import { type At, type Case, holds, NEWEST, OVER_TCP, quotesOf } from '../conformance.ts'
import { jsonOf, shownFrame } from '../strict-frames.ts'
import { AWAY, HOME } from '../world.ts'

const ANY = '**RECEIPT** on any client frame but CONNECT, after the frame took effect'
const BEFORE = 'MESSAGEs caused before it come before it.'
const BYE = 'DISCONNECT with receipt: the RECEIPT arrives before the close.'
const CARRIES =
  '**ERROR** carries `message` (the code), `detail` and `field` (for clients that show headers only), `receipt-id` when there was a receipt, `content-type: text/plain;charset=utf-8` or JSON'
const FLUSHED = 'is flushed, FIN sent, and the socket destroyed after 1 s at the latest.'
const TAIL = 'On TCP every frame we send ends in NUL LF (one public client hangs without the LF).'
const NOT_OFFERED = 'SEND to `/topic/…`: ERROR `forbidden`.'

export const RECEIPTS: readonly Case[] = [
  holds(ANY, async (at) => {
    const event = await at.event()
    const client = await at.desk()
    await client.request('SUBSCRIBE', { id: 'a', destination: event.topic(), ack: 'client-individual' })
    await event.observe([{ ...HOME, odds: 2 }])
    await event.observe([{ ...AWAY, odds: 3 }])
    const messages = [await client.next('MESSAGE')]
    // Both changes may have come in one turn.
    if (quotesOf(messages[0]!).length === 1) messages.push(await client.next('MESSAGE'))
    await client.request('ACK', client.ackHeaders(messages[0]!))
    await client.request('BEGIN', { transaction: 't' })
    await client.request('COMMIT', { transaction: 't' })
    await client.request('BEGIN', { transaction: 't' })
    await client.request('ABORT', { transaction: 't' })
    await client.request('UNSUBSCRIBE', at.version === '1.0' ? { id: 'a', destination: event.topic() } : { id: 'a' })
    await client.request('DISCONNECT')
  }),
  holds(
    ANY,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic(), { ack: 'client' })
      await event.observe([{ ...HOME, odds: 2 }])
      await client.request('NACK', client.ackHeaders(await client.next('MESSAGE')))
    },
    { what: 'NACK', versions: ['1.1', '1.2'] },
  ),
  holds(
    ANY,
    async (at) => {
      const event = await at.event()
      const feeder = await at.feeder()
      const body = JSON.stringify(event.observation([{ ...HOME, odds: 2.5 }]))
      await feeder.request('SEND', { destination: `/feed/${event.book}` }, body)
      const odds = await at.world.oddsOnRest(event.id, event.book, 'live')
      assert.equal(odds.get('match_result_1x2 null home'), 2.5)
    },
    { what: 'SEND' },
  ),
  holds(
    ANY,
    async (at) => {
      const client = await at.desk({ receipt: 'connect' })
      // The next frame after CONNECTED is the answer to the next request.
      assert.deepEqual((await client.barrier()).map(shownFrame), [])
    },
    { what: 'not on CONNECT' },
  ),
  holds(
    ANY,
    async (at) => {
      const client = await at.desk()
      for (const receipt of ['same', 'same', '0', 'with space', 'ünï']) {
        await client.frame('BEGIN', { transaction: 't', receipt })
        assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), receipt)
        await client.frame('ABORT', { transaction: 't' })
      }
    },
    { what: 'with the same text' },
  ),
  holds(
    ANY,
    async (at) => {
      const client = await at.desk()
      for (let place = 0; place < 200; place++) {
        const transaction = `t${place % 16}`
        void client.frame('BEGIN', { transaction, receipt: `begin-${place}` })
        void client.frame('ABORT', { transaction, receipt: `abort-${place}` })
      }
      const ids = (await client.several(400)).map((frame) => frame.headers.get('receipt-id'))
      const expected = Array.from({ length: 200 }, (_, place) => [`begin-${place}`, `abort-${place}`]).flat()
      assert.deepEqual(ids, expected)
    },
    { what: 'in the order of the frames' },
  ),
  holds(BEFORE, async (at) => {
    const feeder = await at.feeder()
    await feeder.subscribe('/topic/refusals')
    const { receipt, before } = await feeder.request('SEND', { destination: `/feed/${at.book}` }, 'no JSON')
    assert.equal(receipt.headers.get('refused'), 'validation_failed')
    assert.deepEqual(
      before.map((frame) => frame.headers.get('destination')),
      ['/topic/refusals'],
    )
  }),
  holds(BYE, async (at) => {
    const client = await at.desk()
    void client.frame('BEGIN', { transaction: 't', receipt: 'one' })
    void client.frame('DISCONNECT', { receipt: 'bye' })
    // Nothing after a DISCONNECT is looked at.
    void client.frame('NONSENSE', { receipt: 'late' })
    assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'one')
    assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'bye')
    const ending = await client.closed()
    assert(ending.isOrderly, JSON.stringify(ending))
  }),
  holds(
    BYE,
    async (at) => {
      const client = await at.desk()
      await client.frame('DISCONNECT')
      const ending = await client.closed()
      assert(ending.isOrderly, JSON.stringify(ending))
    },
    { what: 'without a receipt there is only the close' },
  ),
  holds(
    BYE,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic())
      await client.request('DISCONNECT')
      await event.observe([{ ...HOME, odds: 2 }])
      await client.closed()
    },
    { what: 'and no MESSAGE after it' },
  ),
]

/** Errors of each kind: how to make the session end with one. */
const FAULTS: readonly (readonly [what: string, command: string, headers: Record<string, string>])[] = [
  ['syntax', 'NONSENSE', { receipt: 'r-7' }],
  ['a refusal', 'SUBSCRIBE', { id: 'a', destination: '/nowhere', receipt: 'r-7' }],
  ['a missing header', 'BEGIN', { receipt: 'r-7' }],
]

export const ERRORS: readonly Case[] = [
  ...FAULTS.map(([what, command, headers]) =>
    holds(
      CARRIES,
      async (at) => {
        const client = await at.desk()
        await client.frame(command, headers)
        const { error, ending } = await client.error()
        assert.notEqual(error.headers.get('message'), '')
        assert.notEqual(error.headers.get('detail') ?? '', '')
        assert.equal(error.headers.get('field'), jsonOf(error).error?.field)
        assert.equal(error.headers.get('receipt-id'), 'r-7')
        assert(error.headers.has('content-type'))
        if (error.headers.get('content-type') === 'application/json') {
          assert.equal(typeof jsonOf(error).error?.message, 'string', shownFrame(error))
        }
        assert(ending.isOrderly, JSON.stringify(ending))
        const other = await at.desk()
        const { receipt: _, ...quiet } = headers
        await other.frame(command, quiet)
        assert.equal((await other.error()).error.headers.get('receipt-id'), undefined)
      },
      { what },
    ),
  ),
  holds(
    CARRIES,
    async (at) => {
      const client = await at.desk()
      const receipt = at.version === '1.2' ? 'a:b\\c\nd\re' : 'a:b\\c\nd'
      await client.frame('BEGIN', { receipt })
      assert.equal((await client.error()).error.headers.get('receipt-id'), receipt)
    },
    { what: 'the receipt escaped', versions: ['1.1', '1.2'] },
  ),
  holds(
    FLUSHED,
    async (at) => {
      const client = await at.desk()
      await client.frame('NONSENSE')
      const { ending } = await client.error()
      // The FIN has come; our side stays open, and the service must not wait for it.
      assert(ending.isOrderly)
      const startedMs = clock.elapsedMs()
      const socket = client.socket!
      await new Promise<void>((resolve) => {
        socket.once('close', () => resolve())
        const timer = setInterval(() => socket.write('\n'), 50)
        socket.once('close', () => clearInterval(timer))
      })
      // One second, and time for a busy machine.
      assert(clock.elapsedMs() - startedMs < 5_000)
    },
    OVER_TCP,
  ),
  holds(
    FLUSHED,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic(), { snapshot: 'true' })
      await client.until((frame) => frame.headers.get('kind') === 'snapshot-end')
      await event.observe([{ ...HOME, odds: 2 }])
      void client.frame('NONSENSE', { receipt: 'r' })
      void client.frame('BEGIN', { transaction: 'late', receipt: 'late' })
      const { error } = await client.error()
      assert.equal(error.headers.get('receipt-id'), 'r')
    },
    { what: 'and is the last frame' },
  ),
]

export const LINE_ENDS: readonly Case[] = [
  holds(
    TAIL,
    async (at) => {
      const event = await at.event()
      const client = await at.open()
      const chunks: Buffer[] = []
      client.socket!.on('data', (chunk: Buffer) => chunks.push(chunk))
      await client.connect({ passcode: at.world.deskKey })
      await client.subscribe(event.topic())
      await event.observe([{ ...HOME, odds: 2 }])
      await client.next('MESSAGE')
      await client.frame('NONSENSE')
      await client.error()
      const text = Buffer.concat(chunks).toString('utf8')
      const tails = text.split('\0')
      // CONNECTED, RECEIPT, MESSAGE, ERROR: after each NUL an LF, and the last one ends the stream.
      assert.equal(tails.length, 5, JSON.stringify(text))
      assert.equal(tails.at(-1), '\n')
      for (const frame of tails.slice(1)) assert.equal(frame[0], '\n')
    },
    OVER_TCP,
  ),
]

const sendTo = async (at: At, key: string, destination: string): Promise<void> => {
  const client = await at.desk({}, key)
  await client.frame('SEND', { destination, receipt: 'r' }, '{}')
  const error = await client.refused('forbidden')
  assert.equal(error.headers.get('receipt-id'), 'r')
}

export const NOT_OFFERED_CASES: readonly Case[] = ['/topic/lag', '/topic/odds.football.book.1', '/topic/x'].flatMap(
  (destination) => [
    holds(NOT_OFFERED, (at) => sendTo(at, at.world.deskKey, destination), { what: `a customer's to ${destination}` }),
    holds(NOT_OFFERED, (at) => sendTo(at, at.world.feedKey, destination), {
      ...NEWEST,
      what: `a feed's to ${destination}`,
    }),
  ],
)
