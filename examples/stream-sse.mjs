// Reads server-sent events with fetch. Prints what changes, with the names of the teams, and after a break goes on where it
// was. For those whose proxies block WebSocket. EventSource of a browser cannot send a key, and must not have it in the URL.
//
//   node examples/stream-sse.mjs KEY [http://localhost:8080/api/v1/stream] [topic=status]

const [key, url = 'http://localhost:8080/api/v1/stream', query = 'topic=status'] = process.argv.slice(2)
if (key === undefined) {
  console.error('usage: node examples/stream-sse.mjs KEY [URL] [QUERY]')
  process.exit(2)
}

// Answers after which another try may do better. All others would only come again.
const PASSING = [429, 503]

// Events of quotes name their match by its id. The names are a stream of their own, which is a live connection more.
const names = new Map()
const takeName = (type, data) => {
  if (type !== 'update' && type !== 'snapshot') return
  const { id, homeTeam, awayTeam } = JSON.parse(data)
  names.set(id, awayTeam === '' ? homeTeam : `${homeTeam} v ${awayTeam}`)
}

const take = (type, data) => {
  const content = JSON.parse(data)
  const name = names.get(content.eventId) ?? content.eventId
  switch (type) {
    case 'update':
      // One event has all that has changed at one bookmaker for one match. Events and feeds have no quotes. We have
      // missed something where `content.prev` is beyond the last id that we had.
      for (const { type: market, line, outcome, odds, change } of content.quotes ?? []) {
        console.log(`${name}, ${content.bookmaker}, ${market} ${line ?? '-'} ${outcome}: ${change} at ${odds}`)
      }
      if (content.quotes === undefined) console.log(data)
      break
    case 'snapshot':
      // The quotes of one bookmaker for one match.
      break
    case 'snapshot-end':
      console.log(`snapshot: ${content.messages} messages; whole at ${content.seq}`)
      break
    case 'reset':
      // The server cannot go on from there. What we had is void, until the snapshot that follows is whole.
      console.log(`reset (${content.reason}): some changes are lost to us; a snapshot follows`)
      break
    case 'error':
      // The last event of a response. Its id is the point to go on from.
      console.log(`the server says ${content.error.code}: ${content.error.message}`)
      break
    default:
      console.log(data)
  }
}

/** Reads a response to its end: lines to fields, and at an empty line fields to an event. */
const read = async (body, onFields) => {
  let fields = {}
  let rest = ''
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line)
      if (line !== '') {
        fields[name] = value
        continue
      }
      onFields(fields)
      fields = {}
    }
  }
}

/** Reads a stream for ever. @param say prints what happens to the connection */
const follow = async (wanted, onEvent, say) => {
  // The id of the last event that we have processed, and so the point to go on from. A program that keeps its state on a
  // disk keeps this with it.
  let lastEventId = ''
  let retryMs = 1_000
  for (;;) {
    let waitMs = retryMs
    try {
      const resume = lastEventId === '' ? {} : { 'last-event-id': lastEventId }
      const response = await fetch(`${url}?${wanted}&snapshot=true`, {
        headers: { authorization: `Bearer ${key}`, ...resume },
      })
      if (response.status === 200) {
        say(lastEventId === '' ? 'connected; asking for a snapshot' : `connected; going on from ${lastEventId}`)
        await read(response.body, (fields) => {
          if (fields.retry !== undefined) retryMs = Number(fields.retry)
          if (fields.data !== undefined) onEvent(fields.event, fields.data)
          // When it is processed, and not before. An event without an id is no point to go on from.
          lastEventId = fields.id ?? lastEventId
        })
      } else {
        const { error } = await response.json()
        console.log(`the server says ${error.code}: ${error.message}`)
        if (!PASSING.includes(response.status)) process.exit(1)
        waitMs = Number(response.headers.get('retry-after') ?? 1) * 1_000
      }
    } catch {
      // Refused, or broken off.
    }
    say('no connection; trying again')
    await new Promise((resolve) => setTimeout(resolve, waitMs))
  }
}

// The names come first; then what changes.
await new Promise((resolve) => {
  const onEvent = (type, data) => {
    takeName(type, data)
    if (type === 'snapshot-end') resolve()
  }
  void follow('topic=events', onEvent, () => {})
})
await follow(query, take, console.log)
