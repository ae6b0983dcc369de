// Subscribes over WebSocket with @stomp/stompjs. Prints what changes, with the names of the teams, and after a break goes on
// where it was.
//
//   node examples/subscribe-stompjs.mjs KEY [ws://localhost:8080/stomp] [/topic/status.#]

import { Client } from '@stomp/stompjs'
import { WebSocket } from 'ws'

const [key, url = 'ws://localhost:8080/stomp', destination = '/topic/status.#'] = process.argv.slice(2)
if (key === undefined) {
  console.error('usage: node examples/subscribe-stompjs.mjs KEY [URL] [DESTINATION]')
  process.exit(2)
}

// A browser has one.
globalThis.WebSocket = WebSocket

// Why a session may end though the next one may do better. All other codes would only come again.
const PASSING = ['slow_consumer', 'server_shutdown', 'service_unavailable', 'rate_limit_exceeded', 'protocol_error']

// The last message that we have worked off, and so the point to go on from. A program that keeps its state on a disk
// keeps this with it.
let resumeFrom

// Messages of quotes name their event by its id. The names come first, from another topic, whenever we connect.
const names = new Map()
const takeName = ({ headers, body }) => {
  if (headers.kind === 'snapshot-end') return
  const { id, homeTeam, awayTeam } = JSON.parse(body)
  names.set(id, awayTeam === '' ? homeTeam : `${homeTeam} v ${awayTeam}`)
}

const client = new Client({
  brokerURL: url,
  connectHeaders: { passcode: key },
  reconnectDelay: 1_000,

  onConnect: () => {
    console.log(
      resumeFrom === undefined ? 'connected; asking for a snapshot' : `connected; going on from ${resumeFrom}`,
    )
    client.subscribe('/topic/events.#', takeName, { snapshot: 'true' })
    client.subscribe(destination, take, resumeFrom === undefined ? { snapshot: 'true' } : { 'from-seq': resumeFrom })
  },

  // An ERROR ends the session; the library then connects again.
  onStompError: ({ headers, body }) => {
    console.log(`the server says ${headers.message}: ${JSON.parse(body).error.message}`)
    // Seconds, where our key has to wait before it may connect again.
    client.reconnectDelay = Number(headers['retry-after'] ?? 1) * 1_000
    if (PASSING.includes(headers.message)) return
    process.exitCode = 1
    void client.deactivate()
  },

  onWebSocketClose: () => {
    if (client.active) console.log('no connection; trying again')
  },
})

const take = ({ headers, body }) => {
  const id = headers['message-id']
  const content = JSON.parse(body)
  const name = names.get(content.eventId) ?? content.eventId
  switch (headers.kind) {
    case 'update':
      // One message tells all that has changed at one bookmaker for one event. Events and feeds have no quotes.
      for (const { type, line, outcome, odds, change } of content.quotes ?? []) {
        console.log(`${name}, ${content.bookmaker}, ${type} ${line ?? '-'} ${outcome}: ${change} at ${odds}`)
      }
      if (content.quotes === undefined) console.log(body)
      resumeFrom = id
      break
    case 'snapshot':
      // The quotes of one bookmaker for one event. Its id is no point to resume from.
      break
    case 'snapshot-end':
      console.log(`snapshot: ${content.messages} messages; whole at ${id}`)
      resumeFrom = id
      break
    case 'reset':
      // The server cannot go on from there. What we had is void, until the snapshot that follows is whole.
      console.log(`reset (${content.reason}): some changes are lost to us; a snapshot follows`)
      resumeFrom = undefined
      break
    default:
      console.log(body)
  }
}

client.activate()
