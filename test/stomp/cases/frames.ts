// docs/live-protocol.md 8.1 and the differences between versions.

import assert from 'node:assert/strict'
import { type At, type Case, holds } from '../conformance.ts'
import type { RawClient } from '../raw-client.ts'
import { clientFrame, jsonOf, type ServerFrame, shownFrame } from '../strict-frames.ts'
import { HOME } from '../world.ts'

/** Sends lines as they are; the RECEIPT that follows. */
const receiptFor = async (client: RawClient, text: string): Promise<ServerFrame> => {
  await client.write(text)
  return client.next('RECEIPT')
}

const receiptIdFor = async (at: At, header: string): Promise<string | undefined> => {
  const client = await at.desk()
  const receipt = await receiptFor(client, `BEGIN\ntransaction:t\n${header}\n\n\0`)
  return receipt.headers.get('receipt-id')
}

const errorFor = async (at: At, text: string): Promise<ServerFrame> => {
  const client = await at.desk()
  await client.write(text)
  return (await client.error()).error
}

const inPieces = async (at: At, size: number): Promise<void> => {
  const event = await at.event()
  const client = await at.open()
  const { version } = at
  const connect = { 'accept-version': version, passcode: at.world.feedKey }
  await client.writeInPieces(clientFrame('CONNECT', connect, version), size)
  await client.next('CONNECTED')
  const body = JSON.stringify(event.observation([{ ...HOME, odds: 2.5 }]))
  const send = { destination: `/feed/${event.book}`, receipt: 'send' }
  await client.writeInPieces(clientFrame('SEND', send, version, body), size)
  assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'send')
  assert.equal((await at.world.oddsOnRest(event.id, event.book, 'live')).get('match_result_1x2 null home'), 2.5)
  const counted = { ...send, receipt: 'counted', 'content-length': String(Buffer.byteLength(body)) }
  await client.writeInPieces(clientFrame('SEND', counted, version, body), size)
  assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'counted')
  await client.writeInPieces(clientFrame('DISCONNECT', { receipt: 'bye' }, version), size)
  assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'bye')
}

const CHUNKING = 'Any chunking, one byte at a time included.'
const EOLS = 'Any EOLs between frames.'
const OCTETS = '`content-length` counts octets and bodies may hold NUL.'
const ESCAPES_11 = '1.1 knows `\\n \\c \\\\`'
const UNESCAPED = 'CONNECT and CONNECTED are never escaped (split at the first colon).'
const BODIES = 'Body only on SEND, MESSAGE, ERROR (a lone newline after CONNECT is tolerated).'
const CASE = 'Commands are case-sensitive.'

export const FRAMES: readonly Case[] = [
  holds(CHUNKING, (at) => inPieces(at, 1), { what: 'one byte at a time' }),
  holds(CHUNKING, (at) => inPieces(at, 7), { what: 'seven bytes' }),
  holds(
    CHUNKING,
    async (at) => {
      const client = await at.open()
      const { version } = at
      const frames = [
        clientFrame('CONNECT', { 'accept-version': version, passcode: at.world.deskKey }, version),
        clientFrame('SUBSCRIBE', { id: 'a', destination: '/topic/lag', receipt: 'one' }, version),
        clientFrame('UNSUBSCRIBE', { id: 'a', receipt: 'two' }, version),
      ]
      const last = clientFrame('DISCONNECT', { receipt: 'three' }, version)
      // The last frame is split in two.
      await client.write(Buffer.concat([...frames, last.subarray(0, 9)]))
      await client.next('CONNECTED')
      const ids = (await client.several(2)).map((frame) => frame.headers.get('receipt-id'))
      assert.deepEqual(ids, ['one', 'two'])
      await client.write(last.subarray(9))
      assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'three')
    },
    { what: 'many frames at once' },
  ),
  holds('CONNECT = STOMP.', async (at) => {
    const client = await at.open()
    await client.frame('STOMP', { 'accept-version': at.version, passcode: at.world.deskKey })
    const connected = await client.next('CONNECTED')
    assert.equal(connected.headers.get('version'), at.version)
  }),
  holds(EOLS, async (at) => {
    const client = await at.open()
    await client.write('\n\n')
    await client.connect({ passcode: at.world.deskKey })
    await client.write('\n')
    await client.write('\n\n\nBEGIN\ntransaction:a\nreceipt:one\n\n\0\n\n\nABORT\ntransaction:a\nreceipt:two\n\n\0')
    const ids = (await client.several(2)).map((frame) => frame.headers.get('receipt-id'))
    assert.deepEqual(ids, ['one', 'two'])
  }),
  holds(
    '1.2 adds `\\r` and CRLF line ends.',
    async (at) => {
      const client = await at.open()
      await client.write(`CONNECT\r\naccept-version:1.2\r\npasscode:${at.world.deskKey}\r\n\r\n\0\r\n`)
      await client.next('CONNECTED')
      const receipt = await receiptFor(client, '\r\n\r\nBEGIN\r\ntransaction:t\r\nreceipt:r\r\n\r\n\0\r\n')
      assert.equal(receipt.headers.get('receipt-id'), 'r')
      await client.frame('ABORT', { transaction: 't', receipt: 'done' })
      assert.equal((await client.next('RECEIPT')).headers.get('receipt-id'), 'done')
    },
    { what: 'line ends', versions: ['1.2'] },
  ),
  holds(
    '1.2 adds `\\r` and CRLF line ends.',
    async (at) => assert.equal(await receiptIdFor(at, 'receipt:a\\rb\\nc\\cd\\\\e'), 'a\rb\nc:d\\e'),
    { what: 'escapes', versions: ['1.2'] },
  ),
  holds(ESCAPES_11, async (at) => assert.equal(await receiptIdFor(at, 'receipt:a\\nb\\cc\\\\d'), 'a\nb:c\\d'), {
    versions: ['1.1', '1.2'],
  }),
  holds(ESCAPES_11, async (at) => assert.equal(await receiptIdFor(at, 're\\nceipt:x\nreceipt:\\\\n'), '\\n'), {
    what: 'in names too, and once only',
    versions: ['1.1', '1.2'],
  }),
  holds(
    '1.0 trims header values and has no escapes',
    async (at) => assert.equal(await receiptIdFor(at, 'receipt:  a\\nb:c\\t  '), 'a\\nb:c\\t'),
    { versions: ['1.0'] },
  ),
  holds(
    '1.0 trims header values and has no escapes',
    async (at) => assert.equal(await receiptIdFor(at, 'receipt:  a b '), '  a b '),
    { what: 'the others trim nothing', versions: ['1.1', '1.2'] },
  ),
  holds(OCTETS, async (at) => {
    const feeder = await at.feeder()
    const sighting = { ...at.world.sighting(), home: 'Ærø Boldklub', away: '深圳队 🂡' }
    const body = JSON.stringify({
      ...{ transport: 'live', observedAt: new Date().toISOString(), event: sighting },
      quotes: [{ ...HOME, odds: 3 }],
    })
    const length = String(Buffer.byteLength(body))
    await feeder.request('SEND', { destination: `/feed/${at.book}`, 'content-length': length }, body)
    await at.world.eventId(sighting)
  }),
  holds(
    OCTETS,
    async (at) => {
      const feeder = await at.feeder()
      await feeder.subscribe('/topic/refusals')
      const body = '{"transport":"\0live"}\0\0'
      const headers = { destination: `/feed/${at.book}`, 'content-length': String(body.length) }
      const { receipt, before } = await feeder.request('SEND', headers, body)
      assert.equal(receipt.headers.get('refused'), 'validation_failed', shownFrame(receipt))
      assert.equal(before.length, 1)
      assert.equal(String(jsonOf(before[0]!).code), 'validation_failed')
      await feeder.barrier()
    },
    { what: 'NUL in a body' },
  ),
  holds('First of repeated headers wins.', async (at) => {
    const client = await at.desk()
    const repeated = 'id:a\nid:b\ndestination:/topic/lag\ndestination:/nowhere\nreceipt:one\nreceipt:two'
    const receipt = await receiptFor(client, `SUBSCRIBE\n${repeated}\n\n\0`)
    assert.equal(receipt.headers.get('receipt-id'), 'one')
    const lag = await client.next('MESSAGE')
    assert.equal(lag.headers.get('subscription'), 'a')
  }),
  ...['a\\t', '\\', 'a\\', '\\C', '\\0'].map((value) =>
    holds(
      'Undefined escape: ERROR.',
      async (at) => void (await errorFor(at, `BEGIN\ntransaction:t\nx:${value}\n\n\0`)),
      { what: value, versions: ['1.1', '1.2'] },
    ),
  ),
  holds('Undefined escape: ERROR.', async (at) => void (await errorFor(at, 'BEGIN\ntransaction:t\nx:\\r\n\n\0')), {
    what: '\\r',
    versions: ['1.1'],
  }),
  holds(UNESCAPED, async (at) => {
    const client = await at.open()
    await client.connect({ login: 'a:b\\c\\t\\', 'x-note': '::', passcode: at.world.deskKey })
  }),
  ...[
    ['SUBSCRIBE', 'id:a\ndestination:/topic/lag'],
    ['BEGIN', 'transaction:a'],
    ['DISCONNECT', 'receipt:a'],
  ].flatMap(([command, headers]) => [
    holds(BODIES, async (at) => void (await errorFor(at, `${command}\n${headers}\n\nbody\0`)), {
      what: `${command} with one`,
    }),
    holds(BODIES, async (at) => void (await errorFor(at, `${command}\n${headers}\ncontent-length:4\n\nbody\0`)), {
      what: `${command} with a counted one`,
    }),
  ]),
  holds(
    BODIES,
    async (at) => {
      const client = await at.open()
      await client.write(`CONNECT\naccept-version:${at.version}\npasscode:${at.world.deskKey}\n\nbody\0`)
      await client.error()
    },
    { what: 'CONNECT with one' },
  ),
  holds(
    BODIES,
    async (at) => {
      const client = await at.open()
      await client.write(`CONNECT\naccept-version:${at.version}\npasscode:${at.world.deskKey}\n\n\n\0`)
      await client.next('CONNECTED')
      await client.barrier()
    },
    { what: 'CONNECT with a newline' },
  ),
  ...['subscribe', 'Subscribe', 'SUBSCRIBED', 'MESSAGE', 'CONNECTED', ' SUBSCRIBE'].map((command) =>
    holds(CASE, async (at) => void (await errorFor(at, `${command}\nid:a\ndestination:/topic/lag\n\n\0`)), {
      what: command,
    }),
  ),
  ...['connect', 'Stomp'].map((command) =>
    holds(
      CASE,
      async (at) => {
        const client = await at.open()
        await client.write(`${command}\naccept-version:${at.version}\npasscode:${at.world.deskKey}\n\n\0`)
        await client.error()
      },
      { what: command },
    ),
  ),
  ...['no colon', ':no name', 'nul\0inside:x'].map((header) =>
    holds('**Frames.**', async (at) => void (await errorFor(at, `BEGIN\ntransaction:t\n${header}\n\n\0`)), {
      what: `header ${JSON.stringify(header)} is ERROR`,
    }),
  ),
]
