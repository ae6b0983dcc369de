// A desk that keeps a board: the best open price of each outcome, with the names of the teams, every 2 s. After a break it
// goes on where it was, or begins anew where the server says that it must.
//
//   node examples/board.mjs KEY [ws://localhost:8080/stomp] [football] [match_result_1x2]

import { Client } from '@stomp/stompjs'
import { WebSocket } from 'ws'

const [key, url = 'ws://localhost:8080/stomp', sport = 'football', type = 'match_result_1x2'] = process.argv.slice(2)

// `state` is what a topic has said; `point`, once its snapshot is whole, the last message that is in it.
const events = { destination: `/topic/events.${sport}.#`, state: new Map() }
const board = { destination: `/topic/odds.${sport}.#`, state: new Map(), headers: { types: type } }
events.keep = (event) => events.state[event.change === 'gone' ? 'delete' : 'set'](event.id, event)
board.keep = ({ eventId, bookmaker, quotes }) => {
  for (const { line, outcome, odds, status, change } of quotes) {
    const id = [eventId, line, outcome, bookmaker].join()
    if (status !== 'open' || change === 'aged_out') board.state.delete(id)
    else board.state.set(id, { eventId, line, outcome, odds, bookmaker })
  }
}

const receive = (topic, { kind, 'message-id': id }, body) => {
  if (kind === 'reset') topic.state.clear()
  else if (kind !== 'snapshot-end') topic.keep(JSON.parse(body))
  // The parts of a snapshot are no points to go on from.
  if (kind !== 'snapshot') topic.point = kind === 'reset' ? undefined : id
}
const client = new Client({ webSocketFactory: () => new WebSocket(url), connectHeaders: { passcode: key } })
const subscribe = (topic) => {
  if (topic.point === undefined) topic.state.clear()
  const from = topic.point === undefined ? { snapshot: 'true' } : { 'from-seq': topic.point }
  client.subscribe(topic.destination, (it) => receive(topic, it.headers, it.body), { ...topic.headers, ...from })
}
client.onConnect = () => [events, board].forEach(subscribe)
// An ERROR ends the session, and the library connects again; after other codes than these that would not help.
client.onStompError = ({ headers, body }) => {
  console.error(`the server says ${headers.message}: ${JSON.parse(body).error.message}`)
  if (!/^(slow_|server_|service_|rate_|protocol_)/.test(headers.message)) process.exit(1)
  client.reconnectDelay = Number(headers['retry-after'] ?? 1) * 1_000
}
client.activate()

setInterval(() => {
  if (events.point === undefined || board.point === undefined) return
  const best = {}
  for (const { eventId, line, outcome, odds, bookmaker } of [...board.state.values()].sort((a, b) => a.odds - b.odds)) {
    const { kickoffAt = '', homeTeam = eventId, awayTeam = '' } = events.state.get(eventId) ?? {}
    const market = (best[`${kickoffAt.slice(0, 16)} ${homeTeam} v ${awayTeam} ${line ?? ''}`] ??= {})
    market[outcome] = `${odds} ${bookmaker}`
  }
  console.table(best)
}, 2_000)
