// A TCP connection that is paused, and reads on.

import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { LIMITS } from '../../src/limits.ts'
import type { Broker } from '../../src/stomp/broker.ts'
import type { Carrier } from '../../src/stomp/carrier.ts'
import { Connections } from '../../src/stomp/connections.ts'
import { TcpServer } from '../../src/stomp/tcp.ts'
import { CONNECTION_LIMITS, until } from '../listeners.ts'

/** A server with one session, which pauses its connection whenever it has received something. */
const opened = async (t: { after(end: () => void): void }) => {
  const received: string[] = []
  let carrier: Carrier | undefined
  const session = {
    receive: (chunk: Uint8Array) => {
      received.push(Buffer.from(chunk).toString())
      carrier!.pauseReading()
    },
    drained: () => {},
    closed: () => {},
    inputEnded: () => {},
  }
  const open = (of: Carrier) => {
    carrier = of
    return session
  }
  const server = await TcpServer.listen({
    broker: { isOpen: true, open } as unknown as Broker,
    limits: LIMITS,
    connections: new Connections(CONNECTION_LIMITS),
    host: '127.0.0.1',
    port: 0,
    tls: null,
    isReady: () => true,
  })
  assert(!('busyPort' in server))
  const client = connect(server.port, '127.0.0.1').setNoDelay(true)
  t.after(() => {
    client.destroy()
    server.stopAccepting()
    void server.close(0)
  })
  await until('the session', () => carrier !== undefined)
  const { socket } = carrier as unknown as { readonly socket: Socket }
  let sent = 0
  /** Sends a piece, and waits until the process has it: it is a piece of its own there, too. */
  const send = async (text: string): Promise<void> => {
    client.write(text)
    sent += Buffer.byteLength(text)
    await until(text, () => socket.bytesRead === sent)
  }
  return { received, carrier: carrier!, client, socket, send }
}

test('pieces that came while a connection was paused are handed over at once when it reads on', async (t) => {
  const { received, carrier, send } = await opened(t)
  await send('one ')
  assert.deepEqual(received, ['one '])
  for (const text of ['two ', 'three ', 'four ']) await send(text)
  assert.deepEqual(received, ['one '], 'it is paused')
  carrier.readOn()
  await until('the pieces', () => received.length > 1)
  assert.deepEqual(received, ['one ', 'two three four '])
  // Paused again by those: what comes now waits, too.
  await send('five ')
  await send('six ')
  assert.equal(received.length, 2)
  carrier.readOn()
  // Paused before it could: nothing is lost, and nothing is handed over.
  carrier.pauseReading()
  await send('seven ')
  assert.equal(received.length, 2)
  carrier.readOn()
  await until('the rest', () => received.length > 2)
  assert.deepEqual(received.slice(2), ['five six seven '])
  // With nothing held it flows.
  carrier.readOn()
  await send('eight')
  await until('the last', () => received.length > 3)
  assert.equal(received.join(''), 'one two three four five six seven eight')
})

test('no more is handed over at once than what a connection that is not paused gives', async (t) => {
  const { received, carrier, client, socket, send } = await opened(t)
  await send('one ')
  // Less than the stream holds before it stops reading, and then as much as it reads at once: not all of that may come in one piece.
  const texts = ['a'.repeat(12_000), 'b'.repeat(65_536)]
  await send(texts[0]!)
  client.write(texts[1]!)
  await until('the stream is full', () => socket.readableLength >= socket.readableHighWaterMark)
  for (let pieces = 2; received.join('').length < 4 + 12_000 + 65_536; pieces++) {
    carrier.readOn()
    await until('a piece', () => received.length === pieces)
  }
  assert.equal(received.join(''), `one ${texts.join('')}`)
  const longest = Math.max(...received.map(({ length }) => length))
  assert.ok(longest <= LIMITS.turnBytesMax, `${longest} octets`)
})
