// docs/live-protocol.md 8.2: each is accepted exactly, and one more is an ERROR that names it.

import assert from 'node:assert/strict'
import { type At, type Case, holds, NEWEST, ONCE, OVER_TCP, OVER_WEBSOCKET } from '../conformance.ts'
import type { RawClient } from '../raw-client.ts'
import { clientFrame, type ServerFrame, shownFrame } from '../strict-frames.ts'
import { HOME, timeText } from '../world.ts'

const KIB = 1024

const textOf = (error: ServerFrame): string => `${error.headers.get('message')} ${error.body.toString('utf8')}`

/** Expects the ERROR of a limit, then the close. */
const limited = async (client: RawClient, names: RegExp): Promise<void> => {
  const { error, ending } = await client.error()
  assert.match(textOf(error), names)
  assert(ending.isOrderly, JSON.stringify(ending))
}

/** A SUBSCRIBE with a receipt, whose header `x` makes its line this long. */
const withLine = (at: At, bytes: number): Buffer =>
  clientFrame(
    'SUBSCRIBE',
    { id: 'a', destination: '/topic/lag', x: 'x'.repeat(bytes - 'x:'.length), receipt: 'r' },
    at.version,
  )

const withHeaders = (at: At, count: number): Buffer => {
  const more = Array.from({ length: count - 3 }, (_, place) => [`x${place}`, ''] as const)
  return clientFrame('SUBSCRIBE', [['id', 'a'], ['destination', '/topic/lag'], ['receipt', 'r'], ...more], at.version)
}

/** A CONNECT of so many bytes, its NUL included. */
const connectOf = (at: At, bytes: number): Buffer => {
  const lead = { 'accept-version': at.version, passcode: at.world.deskKey }
  const bare = clientFrame('CONNECT', { ...lead, a: '', b: '', c: '' }, at.version).length
  const share = Math.floor((bytes - bare) / 3)
  const padding = { a: 'x'.repeat(share), b: 'x'.repeat(share), c: 'x'.repeat(bytes - bare - 2 * share) }
  return clientFrame('CONNECT', { ...lead, ...padding }, at.version)
}

const subscribeTo = (at: At, count: number): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, place) =>
      clientFrame(
        'SUBSCRIBE',
        {
          id: `s${place}`,
          destination: `/topic/status.football.${at.book}.#`,
          ...(place === count - 1 ? { receipt: 'last' } : {}),
        },
        at.version,
      ),
    ),
  )

const begin = (at: At, count: number): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, place) => clientFrame('BEGIN', { transaction: `t${place}` }, at.version)),
  )

/** Frames for one transaction: observations that name nothing. */
const sendsIn = (at: At, event: object, count: number): Buffer => {
  const body = JSON.stringify({
    ...{ transport: 'live', observedAt: new Date().toISOString(), event },
    quotes: [],
  })
  const send = clientFrame('SEND', { destination: `/feed/${at.book}`, transaction: 't0' }, at.version, body)
  return Buffer.concat(Array.from({ length: count }, () => send))
}

const bodyOf = async (at: At, bytes: number): Promise<string> => {
  const event = await at.event()
  const body = JSON.stringify(event.observation([{ ...HOME, odds: 2.5 }]))
  return body.padEnd(bytes, ' ')
}

const COMMAND = 'command 32 B'
const LINE = 'header line 8 KiB'
const HEADERS = '64 headers'
const BODY = 'body 64 KiB (feed keys 1 MiB)'
const EARLY = '16 KiB before CONNECT'
const SUBSCRIPTIONS = '1 000 subscriptions'
const TRANSACTIONS = '16 transactions of 1 024 frames'
export const UNACKED =
  "At 1 000 unacked messages of a subscription delivery pauses (no ERROR); the backlog is the slow consumer's."
const LENGTH = '`content-length` negative, fractional, huge or wrong: ERROR, never an allocation of that size.'

export const LIMITS: readonly Case[] = [
  holds(COMMAND, async (at) => {
    const exact = await at.desk()
    await exact.write(`${'A'.repeat(32)}\n\n\0`)
    const { error } = await exact.error()
    assert.doesNotMatch(textOf(error), /32|commandBytesMax/, 'an unknown command of 32 B is no matter of length')
    const over = await at.desk()
    await over.write('A'.repeat(33))
    await limited(over, /32|commandBytesMax/)
  }),
  holds(LINE, async (at) => {
    const client = await at.desk()
    await client.write(withLine(at, 8 * KIB))
    assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'r')
    const over = await at.desk()
    await over.write(withLine(at, 8 * KIB + 1))
    await limited(over, /8 ?KiB|8,?192|headerLineBytesMax/)
  }),
  holds(
    LINE,
    async (at) => {
      const over = await at.desk()
      // No line end ever comes.
      await over.write(`SUBSCRIBE\nx:${'x'.repeat(8 * KIB)}`)
      await limited(over, /8 ?KiB|8,?192|headerLineBytesMax/)
    },
    { what: 'without an end' },
  ),
  holds(HEADERS, async (at) => {
    const client = await at.desk()
    await client.write(withHeaders(at, 64))
    assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'r')
    const over = await at.desk()
    await over.write(withHeaders(at, 65))
    await limited(over, /64|headersMax/)
  }),
  holds(
    HEADERS,
    async (at) => {
      const linesOf = (count: number): [string, string][] =>
        Array.from({ length: count }, (_, place) => [`x${place}`, 'x'.repeat(8 * KIB - 'x0:'.length)])
      const headers: [string, string][] = [
        ['id', 'a'],
        ['destination', '/topic/lag'],
        ['receipt', 'r'],
      ]
      const client = await at.desk()
      await client.write(clientFrame('SUBSCRIBE', [...headers, ...linesOf(7)], at.version))
      assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'r')
      const over = await at.desk()
      await over.write(clientFrame('SUBSCRIBE', [...headers, ...linesOf(8)], at.version))
      await limited(over, /headersBytesMax/)
    },
    { what: 'their octets together' },
  ),
  ...[
    ['uncounted', false],
    ['counted', true],
  ].map(([what, isCounted]) =>
    holds(
      BODY,
      async (at) => {
        const headers = (bytes: number): Record<string, string> => ({
          destination: `/feed/${at.book}`,
          ...(isCounted === true ? { 'content-length': String(bytes) } : {}),
        })
        const customer = await at.desk()
        await customer.frame('SEND', headers(64 * KIB), ' '.repeat(64 * KIB))
        await customer.refused('forbidden')
        const over = await at.desk()
        await over.frame('SEND', headers(64 * KIB + 1), ' '.repeat(64 * KIB + 1))
        await limited(over, /64 ?KiB|65,?536|bodyBytesMax/)
        const feeder = await at.feeder()
        await feeder.request('SEND', headers(KIB * KIB), await bodyOf(at, KIB * KIB))
        const overFed = await at.feeder()
        await overFed.frame('SEND', headers(KIB * KIB + 1), await bodyOf(at, KIB * KIB + 1))
        await limited(overFed, /1 ?MiB|1,?048,?576|1024 ?KiB|bodyBytesMax/)
      },
      { what: String(what) },
    ),
  ),
  holds(
    BODY,
    async (at) => {
      const over = await at.feeder()
      // The claim alone is enough.
      await over.write(`SEND\ndestination:/feed/${at.book}\ncontent-length:${KIB * KIB + 1}\n\n`)
      await limited(over, /1 ?MiB|1,?048,?576|1024 ?KiB|bodyBytesMax/)
    },
    { what: 'claimed only' },
  ),
  holds(EARLY, async (at) => {
    const client = await at.open()
    await client.write(connectOf(at, 16 * KIB))
    await client.next('CONNECTED')
    const over = await at.open()
    await over.write(connectOf(at, 16 * KIB + 1))
    await limited(over, /16 ?KiB|16,?384|[cC]onnect\w*BytesMax/)
  }),
  holds(
    EARLY,
    async (at) => {
      const over = await at.open()
      await over.write('\n'.repeat(16 * KIB + 1))
      await limited(over, /16 ?KiB|16,?384|[cC]onnect\w*BytesMax/)
    },
    { what: 'line ends' },
  ),
  holds(
    'CONNECT within 10 s',
    async (at) => {
      const silent = await at.open()
      const { error, ending } = await silent.error(30_000)
      assert.match(textOf(error), /10 ?s|10,?000|connect\w*Ms/i)
      assert(ending.isOrderly)
    },
    NEWEST,
  ),
  holds(
    'CONNECT within 10 s',
    async (at) => {
      const dribbling = await at.open()
      const timer = setInterval(() => void dribbling.write('\n'), 1_000)
      try {
        await dribbling.error(30_000)
      } finally {
        clearInterval(timer)
      }
    },
    { ...NEWEST, what: 'line ends do not count' },
  ),
  holds(SUBSCRIPTIONS, async (at) => {
    const client = await at.desk()
    await client.write(subscribeTo(at, 1_000))
    assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'last')
    await client.frame('SUBSCRIBE', { id: 'more', destination: '/topic/lag' })
    await limited(client, /1 ?,?000|subscriptionsMax/)
  }),
  holds(
    SUBSCRIPTIONS,
    async (at) => {
      const client = await at.desk()
      await client.write(subscribeTo(at, 1_000))
      await client.next('RECEIPT')
      await client.request('UNSUBSCRIBE', { id: 's7' })
      await client.subscribe('/topic/lag', { id: 'more' })
    },
    { ...ONCE, what: 'one that ended makes room' },
  ),
  holds(TRANSACTIONS, async (at) => {
    const client = await at.desk()
    await client.write(begin(at, 16))
    await client.request('ABORT', { transaction: 't15' })
    await client.request('BEGIN', { transaction: 't15' })
    await client.frame('BEGIN', { transaction: 'more' })
    await limited(client, /16|transactionsMax/)
  }),
  holds(
    TRANSACTIONS,
    async (at) => {
      const event = at.world.sighting()
      const feeder = await at.feeder()
      await feeder.write(begin(at, 1))
      await feeder.write(sendsIn(at, event, 1_024))
      await feeder.barrier()
      await feeder.write(sendsIn(at, event, 1))
      await limited(feeder, /1 ?,?024|transactionFramesMax/)
    },
    { what: 'frames' },
  ),
  holds(
    TRANSACTIONS,
    async (at) => {
      const feeder = await at.feeder()
      await feeder.write(begin(at, 2))
      // Of all open transactions; what the bodies hold is looked at when they are committed.
      const send = { destination: `/feed/${at.book}` }
      await feeder.request('SEND', { ...send, transaction: 't0' }, 'x'.repeat(900 * KIB))
      await feeder.request('SEND', { ...send, transaction: 't1' }, 'x'.repeat(124 * KIB))
      await feeder.request('ABORT', { transaction: 't1' })
      await feeder.request('BEGIN', { transaction: 't1' })
      await feeder.request('SEND', { ...send, transaction: 't1' }, 'x'.repeat(124 * KIB))
      await feeder.frame('SEND', { ...send, transaction: 't1' }, 'x')
      await limited(feeder, /1,?048,?576|transactionBytesMax/)
    },
    { what: 'octets' },
  ),
  holds(
    'WebSocket message = largest frame + 4 KiB',
    async (at) => {
      const feeder = await at.feeder()
      const body = await bodyOf(at, KIB * KIB)
      // Largest body, 3 KiB of headers around it, in one message.
      await feeder.request('SEND', { destination: `/feed/${at.book}`, x: 'x'.repeat(3 * KIB) }, body)
      const over = await at.feeder()
      // Frames that are each in order, but more of them in one message than a message may hold.
      const send = clientFrame('SEND', { destination: `/feed/${at.book}` }, at.version, body)
      await over.write(Buffer.concat([send, send, send]))
      await limited(over, /message/i)
    },
    OVER_WEBSOCKET,
  ),
  ...(['client', 'client-individual'] as const).map((ack) =>
    holds(
      UNACKED,
      async (at) => {
        const event = await at.event()
        const client = await at.desk()
        await client.subscribe(event.topic(), { ack })
        const witness = await at.desk()
        await witness.subscribe(event.topic())
        // One after the other, so that each is a message of its own.
        for (let place = 0; place < 1_003; place++) {
          await event.observe([{ ...HOME, odds: 2 + place / 1_000 }])
          await witness.next('MESSAGE')
        }
        const messages = await client.several(1_000)
        assert.deepEqual((await client.barrier()).map(shownFrame), [], 'the 1 001st was delivered')
        assert.equal(client.waiting, 0)
        await client.answer('ACK', messages[1]!)
        // A cumulative ACK frees two, one for itself frees one.
        const freed = await client.several(ack === 'client' ? 2 : 1)
        assert.deepEqual(
          freed.map((frame) => frame.command),
          freed.map(() => 'MESSAGE'),
        )
        assert.deepEqual((await client.barrier()).map(shownFrame), [])
      },
      { what: ack, versions: ['1.2'] },
    ),
  ),
  holds(
    UNACKED,
    async (at) => {
      const COUNT = 1_005
      const quotes = [{ ...HOME, odds: 2 }]
      const sends = Array.from({ length: COUNT }, () =>
        at.world.observe(at.book, {
          ...{ transport: 'live', observedAt: timeText(), event: at.world.sighting(), quotes },
        }),
      )
      await Promise.all(sends)
      const client = await at.desk()
      await client.subscribe(`/topic/odds.football.${at.book}.*`, { ack: 'client', snapshot: 'true' })
      const messages = await client.several(1_000)
      assert.deepEqual((await client.barrier()).map(shownFrame), [], 'the 1 001st was delivered')
      await client.answer('ACK', messages.at(-1)!)
      // The last five, and the end.
      const rest = await client.several(COUNT - 1_000 + 1)
      assert.equal(rest.at(-1)!.headers.get('kind'), 'snapshot-end')
    },
    { ...NEWEST, what: 'of a snapshot' },
  ),
  ...['-1', '1.5', '1e1', '99999999999999999999999', '+5', '0x5', '', 'five', '4294967296', '6', '4'].map((value) =>
    holds(
      LENGTH,
      async (at) => {
        const feeder = await at.feeder()
        // More bytes follow, so that a length that is too large ends inside them and not at a NUL.
        await feeder.write(`SEND\ndestination:/feed/${at.book}\ncontent-length:${value}\n\n12345\0\n\n\n\n`)
        await feeder.error()
      },
      { what: JSON.stringify(value) },
    ),
  ),
  holds(
    '**Limits** (each: ERROR naming the limit, then close)',
    async (at) => {
      const client = await at.desk()
      await client.write(Buffer.concat([withHeaders(at, 65), clientFrame('BEGIN', { receipt: 'b' }, at.version)]))
      // Nothing behind the faulty frame is answered.
      await limited(client, /64|headersMax/)
    },
    OVER_TCP,
  ),
]
