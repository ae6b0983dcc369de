// The ceiling of the fan-out over WebSocket: bare uWebSockets.js that publishes one finished MESSAGE, as it lies in
// memory, to all its sockets; 64 messages in an iteration of the event loop, as long as the sockets accept them. Its
// subscribers speak no STOMP (`stomp-load sink-ws --plain`).
//
//   node dist/bench/ceiling-fanout.js MESSAGE_BYTES [--idle]
//
// With --idle it publishes nothing, and each socket has a topic of its own: what bare connections cost (P11).

import { App, us_socket_local_port, type WebSocket } from 'uWebSockets.js'

const MESSAGES_PER_TURN = 64
const TURNS_BETWEEN_CHECKS = 8
const PENDING_BYTES_MAX = 1024 * 1024
const TOPIC = 'all'

const isIdle = process.argv.includes('--idle')

const head = 'MESSAGE\nsubscription:sub-0\nmessage-id:1\ndestination:/topic/ceiling\n\n'
const message = Buffer.from(`${head.padEnd(Number(process.argv[2]) - 1, 'x')}\0`)

type Subscriber = WebSocket<unknown>

const sockets = new Set<Subscriber>()
let opened = 0

const app = App().ws('/stomp', {
  idleTimeout: 0,
  maxBackpressure: 64 * 1024 * 1024,
  open: (socket) => {
    sockets.add(socket)
    socket.subscribe(isIdle ? `topic-${opened++}` : TOPIC)
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

app.listen('127.0.0.1', 0, (socket) => {
  if (socket === false) throw new Error('no port')
  process.stdout.write(`${JSON.stringify({ ready: true, http: us_socket_local_port(socket) })}\n`)
  if (!isIdle) turn()
})
