// Subscribes over TCP with stompit. Prints what changes, with the names of the teams, and after a break goes on where it
// was.
//
//   node examples/subscribe-stompit.mjs KEY [localhost:61613] [/topic/status.#]

import stompit from 'stompit'

const [key, address = 'localhost:61613', destination = '/topic/status.#'] = process.argv.slice(2)
if (key === undefined) {
  console.error('usage: node examples/subscribe-stompit.mjs KEY [HOST:PORT] [DESTINATION]')
  process.exit(2)
}
const [host, port] = address.split(':')

// Why a session may end though the next one may do better. All other codes would only come again.
const PASSING = ['slow_consumer', 'server_shutdown', 'service_unavailable', 'rate_limit_exceeded', 'protocol_error']

// The last message that we have worked off, and so the point to go on from. A program that keeps its state on a disk
// keeps this with it.
let resumeFrom

// Messages of quotes name their event by its id. The names come first, from another topic, whenever we connect.
const names = new Map()
const takeName = (headers, body) => {
  if (headers.kind === 'snapshot-end') return
  const { id, homeTeam, awayTeam } = JSON.parse(body)
  names.set(id, awayTeam === '' ? homeTeam : `${homeTeam} v ${awayTeam}`)
}

const connect = () => {
  stompit.connect({ host, port, connectHeaders: { passcode: key, 'heart-beat': '10000,10000' } }, (error, client) => {
    if (error) return lost(error)
    client.on('error', lost)
    console.log(
      resumeFrom === undefined ? 'connected; asking for a snapshot' : `connected; going on from ${resumeFrom}`,
    )
    const from = resumeFrom === undefined ? { snapshot: 'true' } : { 'from-seq': resumeFrom }
    const subscribe = (headers, receive) =>
      client.subscribe(headers, (broken, message) => {
        // The client's own `error` tells of it, too.
        if (broken) return
        // A body must be read to its end, else nothing comes after it.
        message.readString('utf8', (unread, body) => {
          if (!unread) receive(message.headers, body)
        })
      })
    subscribe({ destination: '/topic/events.#', snapshot: 'true' }, takeName)
    subscribe({ destination, ...from }, take)
  })
}

// A connection that broke, could not be made, or was ended with an ERROR: then the message is its code.
const lost = (error) => {
  if (error.isApplicationError?.() && !PASSING.includes(error.message)) {
    console.log(`the server says ${error.message}`)
    process.exitCode = 1
    return
  }
  console.log(`no connection (${error.message}); trying again`)
  // Whose sessions end with errors again and again is refused for a minute at most.
  setTimeout(connect, error.message === 'rate_limit_exceeded' ? 10_000 : 1_000)
}

const take = (headers, body) => {
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

connect()
