// Keeps a board by numbers: `quotes:numbered` has updates of some hundred octets instead of five hundred. Prints how many
// quotes it knows and how long its messages are, and after a break goes on where it was.
//
//   node examples/numbered.mjs KEY [ws://localhost:8080/stomp] [/topic/odds.#]

import { Client } from '@stomp/stompjs'
import { WebSocket } from 'ws'

const [key, brokerURL = 'ws://localhost:8080/stomp', destination = '/topic/odds.#'] = process.argv.slice(2)
if (key === undefined) {
  console.error('usage: node examples/numbered.mjs KEY [URL] [DESTINATION]')
  process.exit(2)
}

// A browser has one.
globalThis.WebSocket = WebSocket

const board = new Map() // by number
let point // undefined: the board is not whole
const counts = { short: 0, full: 0 }

const isSame = (a, b) =>
  a !== undefined && ['eventId', 'bookmaker', 'type', 'line', 'outcome'].every((name) => a[name] === b[name])

/** Full quotes: those of a snapshot, and `added`, give a number its meaning. */
const takeFull = ({ eventId, bookmaker, quotes }) => {
  for (const { number, change, ...rest } of quotes) {
    const quote = { ...rest, eventId, bookmaker }
    if (change === undefined || change === 'added') board.set(number, quote)
    else if (!isSame(board.get(number), quote))
      continue // another one has the number already
    else if (change === 'closed' || change === 'aged_out') board.delete(number)
    else board.set(number, quote)
  }
}

/** Changes by number: [recorded, age, [number, thousandths, code?, older?], …]. */
const takeShort = ([, , ...changes]) => {
  for (const [number, thousandths, code = 0] of changes) {
    const quote = board.get(number)
    quote.odds = thousandths / 1000
    if (code > 0) quote.status = code < 40 ? 'suspended' : 'open'
  }
}

const receive = ({ headers, body }) => {
  const { kind, 'message-id': id } = headers
  counts[kind === undefined ? 'short' : 'full']++
  if (kind === undefined) takeShort(JSON.parse(body))
  else if (kind === 'snapshot' || kind === 'update') takeFull(JSON.parse(body))
  else if (kind === 'reset') {
    board.clear()
    point = undefined
  }
  // An id with a dot is no point to go on from.
  if (kind !== 'snapshot' && kind !== 'reset' && !id.includes('.')) point = id
}

const client = new Client({
  brokerURL,
  connectHeaders: { passcode: key },
  reconnectDelay: 1_000,
  onConnect: () => {
    if (point === undefined) board.clear()
    const from = point === undefined ? { snapshot: 'true' } : { 'from-seq': point }
    client.subscribe(destination, receive, { id: 'n', quotes: 'numbered', ...from })
  },
  onStompError: ({ headers }) => console.error(headers.message, headers.detail),
})
client.activate()

setInterval(() => {
  const open = [...board.values()].filter(({ status }) => status === 'open').length
  console.log(`${point}: ${board.size} quotes, ${open} open; ${counts.short} short updates, ${counts.full} others`)
}, 1_000)
