// Clients that send many requests at once and read no answer: the library drops what does not fit, and must not end the process.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { okReply } from '../../src/rest/reply.ts'
import { listenHttp } from './http.ts'

/** Three answers leave room for one more head in the library's buffer of 16 KiB, and for no body. */
const BODY_BYTES = 4_600
const REQUEST = 'GET /api/v1/sports HTTP/1.1\r\nHost: localhost\r\n\r\n'
const TOGETHER = 4
const CONNECTIONS = 60
/** More than the system holds of the answers. */
const WRITES_MAX = 1_000
const ITERATIONS_MAX = 1_000

const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('a client that reads no answer of requests that it has sent at once ends nobody but itself', async (t) => {
  const reply = okReply(Buffer.alloc(BODY_BYTES, 'x'), '"tag"')
  let asked = 0
  const server = await listenHttp((exchange) => {
    asked++
    exchange.reply = reply
    exchange.head = reply.head
    return undefined
  })
  t.after(() => server.close())
  let closed = 0
  for (let connection = 0; connection < CONNECTIONS; connection++) {
    const client = connect(server.port, '127.0.0.1').setNoDelay(true).pause()
    client.on('error', () => {})
    let isOver = false
    client.on('close', () => (isOver = true))
    await once(client, 'connect')
    for (let write = 0; write < WRITES_MAX && !isOver; write++) {
      const before = asked
      client.write(REQUEST.repeat(TOGETHER))
      // What comes later would be read together with it. A client that is not reading does not see that it was disconnected.
      for (let wait = 0; asked < before + TOGETHER && !isOver; wait++) {
        if (wait > ITERATIONS_MAX) isOver = true
        await nextIteration()
      }
    }
    if (isOver) closed++
    client.destroy()
  }
  assert(closed > 0, 'no client was disconnected')
  // Whoever reads is answered.
  const response = await fetch(`http://127.0.0.1:${server.port}/api/v1/sports`)
  assert.equal((await response.text()).length, BODY_BYTES)
})
