// docs/live-protocol.md 8.6.

import assert from 'node:assert/strict'
import { unpack } from 'msgpackr'
import { type At, type Case, holds, OVER_WEBSOCKET } from '../conformance.ts'
import { HandshakeRefused, type OpenOptions } from '../raw-client.ts'
import { clientFrame } from '../strict-frames.ts'
import { HOME } from '../world.ts'

const ON_WEBSOCKET = { carriers: ['websocket'] } as const

const ACROSS = 'The byte stream is parsed across messages (clients split large frames)'
const OUTBOUND = 'one frame per message outbound'
const TEXT = 'text frames unless the body is binary'
const CLOSE = 'close 1002 after ERROR'

export const WEBSOCKET: readonly Case[] = [
  holds(
    ACROSS,
    async (at) => {
      const event = await at.event()
      const feeder = await at.feeder()
      const body = JSON.stringify(event.observation([{ ...HOME, odds: 2.5 }])).padEnd(200_000, ' ')
      const frame = clientFrame('SEND', { destination: `/feed/${event.book}`, receipt: 'large' }, at.version, body)
      await feeder.writeInPieces(frame, 8 * 1024)
      assert.equal((await feeder.next('RECEIPT')).headers.get('receipt-id'), 'large')
    },
    { ...ON_WEBSOCKET, what: 'one frame in many messages' },
  ),
  holds(
    ACROSS,
    async (at) => {
      const client = await at.desk()
      const begins = Array.from({ length: 10 }, (_, place) =>
        clientFrame('BEGIN', { transaction: `t${place}`, receipt: `r${place}` }, at.version),
      )
      await client.write(Buffer.concat(begins))
      const ids = (await client.several(10)).map((frame) => frame.headers.get('receipt-id'))
      assert.deepEqual(
        ids,
        Array.from(begins, (_, place) => `r${place}`),
      )
    },
    { ...ON_WEBSOCKET, what: 'many frames in one message' },
  ),
  holds(
    ACROSS,
    async (at) => {
      const client = await at.open()
      const connect = clientFrame('CONNECT', { 'accept-version': at.version, passcode: at.world.deskKey }, at.version)
      // As stompjs does with forceBinaryWSFrames.
      for (const piece of [connect.subarray(0, 12), connect.subarray(12)]) {
        await new Promise<void>((sent) => client.webSocket!.send(piece, { binary: true }, () => sent()))
      }
      await client.next('CONNECTED')
    },
    { ...ON_WEBSOCKET, what: 'binary messages' },
  ),
  holds(
    ACROSS,
    async (at) => {
      const client = await at.open()
      const connect = clientFrame('CONNECT', { 'accept-version': at.version, passcode: at.world.deskKey }, at.version)
      const text = connect.toString('utf8')
      client.webSocket!.send(text.slice(0, 9), { fin: false })
      client.webSocket!.send(text.slice(9), { fin: true })
      await client.next('CONNECTED')
    },
    { ...ON_WEBSOCKET, what: 'a message in fragments' },
  ),
  holds(
    OUTBOUND,
    async (at) => {
      const events = [await at.event(), await at.event(), await at.event()]
      const client = await at.desk({ 'heart-beat': '0,1000' })
      const sizes: number[] = []
      client.webSocket!.on('message', (data: Buffer) => sizes.push(data.length))
      await client.subscribe(`/topic/odds.football.${at.book}.*`, { snapshot: 'true' })
      const frames = await client.until((frame) => frame.headers.get('kind') === 'snapshot-end')
      await Promise.all(events.map((event) => event.observe([{ ...HOME, odds: 2.5 }])))
      frames.push(...(await client.several(events.length)))
      await client.beats(1)
      // The strict reader has refused anything else than one frame or one LF already; RECEIPT is the one more.
      assert.equal(sizes.filter((size) => size > 1).length, frames.length + 1)
      assert.equal(sizes.filter((size) => size === 1).length, client.reader.beats)
    },
    ON_WEBSOCKET,
  ),
  holds(
    TEXT,
    async (at) => {
      const event = await at.event()
      const client = await at.desk()
      await client.subscribe(event.topic(), { id: 'text' })
      await client.subscribe(event.topic(), { id: 'binary', 'content-type': 'application/msgpack' })
      await event.observe([{ ...HOME, odds: 2.5 }])
      const messages = new Map((await client.several(2)).map((frame) => [frame.headers.get('subscription'), frame]))
      assert.equal(messages.get('text')?.isBinary, false)
      assert.equal(messages.get('binary')?.isBinary, true)
      assert.deepEqual(unpack(messages.get('binary')!.body), JSON.parse(messages.get('text')!.body.toString('utf8')))
    },
    ON_WEBSOCKET,
  ),
  holds(
    CLOSE,
    async (at) => {
      const client = await at.desk()
      await client.frame('NONSENSE')
      assert.equal((await client.error()).ending.code, 1002)
      const early = await at.open()
      await early.frame('NONSENSE')
      assert.equal((await early.error()).ending.code, 1002)
      const refused = await at.open()
      await refused.frame('CONNECT', { 'accept-version': at.version, passcode: 'wrong' })
      assert.equal((await refused.error()).ending.code, 1002)
    },
    ON_WEBSOCKET,
  ),
]

const ORIGINS = '`Origin` allow-list when configured (`ODDSWIRE_ORIGINS`)'
const DEFLATE = 'permessage-deflate off by default, `ODDSWIRE_WS_COMPRESSION` turns it on.'

const isTaken = async (at: At, options: OpenOptions): Promise<boolean> => {
  try {
    const client = await at.open(options)
    await client.connect({ passcode: at.world.deskKey })
    return true
  } catch (error) {
    if (error instanceof HandshakeRefused) return false
    throw error
  }
}

const from = (origin: string): OpenOptions => ({ headers: { origin } })

/** Of a service that is configured for none of it. */
export const UNCONFIGURED: readonly Case[] = [
  holds(ORIGINS, async (at) => assert(await isTaken(at, from('https://anywhere.example'))), {
    ...OVER_WEBSOCKET,
    what: 'not configured: any origin',
  }),
  holds(
    DEFLATE,
    async (at) => {
      const client = await at.open({ deflate: true })
      assert.equal(client.webSocket!.extensions, '')
      await client.connect({ passcode: at.world.deskKey })
    },
    { ...OVER_WEBSOCKET, what: 'off' },
  ),
]

export const ALLOWED_ORIGINS = ['https://desk.example', 'https://other.example:8443']

/** Of a service with {@link ALLOWED_ORIGINS} and compression. */
export const CONFIGURED: readonly Case[] = [
  ...ALLOWED_ORIGINS.map((origin) =>
    holds(ORIGINS, async (at) => assert(await isTaken(at, from(origin))), {
      ...OVER_WEBSOCKET,
      what: `${origin} is in`,
    }),
  ),
  ...[
    'https://evil.example',
    'http://desk.example',
    'https://desk.example.evil.example',
    'https://desk.example:444',
    'https://other.example',
    'null',
  ].map((origin) =>
    holds(ORIGINS, async (at) => assert.equal(await isTaken(at, from(origin)), false), {
      ...OVER_WEBSOCKET,
      what: `${origin} is not`,
    }),
  ),
  holds(ORIGINS, async (at) => assert(await isTaken(at, {})), {
    ...OVER_WEBSOCKET,
    what: 'programs send none and are in',
  }),
  holds(
    DEFLATE,
    async (at) => {
      const event = await at.event()
      const client = await at.open({ deflate: true })
      assert.match(client.webSocket!.extensions, /permessage-deflate/)
      await client.connect({ passcode: at.world.deskKey })
      await client.subscribe(event.topic(), { snapshot: 'true' })
      await client.until((frame) => frame.headers.get('kind') === 'snapshot-end')
      const plain = await at.desk()
      assert.equal(plain.webSocket!.extensions, '')
      await plain.subscribe(event.topic())
      await event.observe([{ ...HOME, odds: 2.5 }])
      assert.deepEqual((await client.next('MESSAGE')).body, (await plain.next('MESSAGE')).body)
    },
    { ...OVER_WEBSOCKET, what: 'on' },
  ),
]
