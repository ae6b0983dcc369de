// The ceiling of the fan-out over WebSocket: bare uWebSockets.js that publishes one finished MESSAGE, as it lies in
// memory, to all its sockets; 64 messages in an iteration of the event loop, as long as the sockets accept them. Its
// subscribers speak no STOMP (`stomp-load sink-ws --plain`).
//
//   node dist/bench/ceiling-fanout.js MESSAGE_BYTES [--idle | --rate N --topics N --sockets N --origin NS]
//
// With --idle it publishes nothing, and each socket has a topic of its own: what bare connections cost (P11); a SUBSCRIBE gets a
// RECEIPT, so that the subscribers of P10 can connect to it all at once (`stomp-load sink-ws --at-once`). With --rate
// it publishes so many messages a second at fixed times, to its topics in turn, which the sockets share, once so many of
// these are open; a message has the time at which it was due, as those of stomp-load do.

import { parseArgs } from 'node:util'
import { App, us_socket_local_port, type WebSocket } from 'uWebSockets.js'

const MESSAGES_PER_TURN = 64
const TURNS_BETWEEN_CHECKS = 8
const PENDING_BYTES_MAX = 1024 * 1024
const TOPIC = 'all'

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    idle: { type: 'boolean', default: false },
    rate: { type: 'string', default: '0' },
    topics: { type: 'string', default: '1' },
    sockets: { type: 'string', default: '1' },
    origin: { type: 'string', default: '0' },
  },
})
const bytes = Number(positionals[0])
const isIdle = flags.idle
const rate = Number(flags.rate)
const topics = Number(flags.topics)
const origin = BigInt(flags.origin)

const head = 'MESSAGE\nsubscription:sub-0\nmessage-id:1\ndestination:/topic/ceiling\n\n'
const receipt = Buffer.from('RECEIPT\nreceipt-id:ready\n\n\0')
const S = 0x53
const message = Buffer.from(`${head.padEnd(bytes - 1, 'x')}\0`)

type Subscriber = WebSocket<unknown>

const sockets = new Set<Subscriber>()
let opened = 0

const app = App().ws('/stomp', {
  idleTimeout: 0,
  maxBackpressure: 64 * 1024 * 1024,
  open: (socket) => {
    sockets.add(socket)
    if (isIdle) socket.subscribe(`topic-${opened++}`)
    else socket.subscribe(rate > 0 ? `topic-${opened++ % topics}` : TOPIC)
    if (rate > 0 && opened === Number(flags.sockets)) publishDue()
  },
  message: (socket, frame) => {
    if (isIdle && new Uint8Array(frame)[0] === S) socket.send(receipt, false)
  },
  close: (socket) => {
    sockets.delete(socket)
  },
})

// A socket that is behind is waited for: what uWebSockets.js dropped would be work that is not counted.
const isBehind = (): boolean => {
  for (const socket of sockets) if (socket.getBufferedAmount() > PENDING_BYTES_MAX) return true
  return false
}

let turns = 0
const turn = (): void => {
  if (sockets.size === 0) {
    setTimeout(turn, 10)
    return
  }
  if (turns % TURNS_BETWEEN_CHECKS !== 0 || !isBehind()) {
    for (let count = 0; count < MESSAGES_PER_TURN; count++) app.publish(TOPIC, message, false)
    turns++
  }
  setImmediate(turn)
}

// Milliseconds since the origin, with three decimals.
const timed = (dueNs: bigint): Buffer => {
  const odds = `{"odds":${dueNs / 1_000_000n}.${String((dueNs / 1_000n) % 1_000n).padStart(3, '0')},"`
  return Buffer.from(`${(head + odds).padEnd(bytes - 1, 'x')}\0`)
}

const publishDue = (): void => {
  const startNs = process.hrtime.bigint()
  const everyNs = BigInt(Math.round(1e9 / rate))
  let number = 0n
  // The load is late by a millisecond at most: timers have no finer one.
  setInterval(() => {
    const nowNs = process.hrtime.bigint()
    for (; startNs + number * everyNs <= nowNs; number++) {
      const dueNs = startNs + number * everyNs
      app.publish(`topic-${Number(number) % topics}`, timed(dueNs - origin), false)
    }
  }, 1)
}

app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) throw new Error('no port')
  process.stdout.write(`${JSON.stringify({ ready: true, http: us_socket_local_port(socket) })}\n`)
  if (rate === 0 && !isIdle) turn()
})
