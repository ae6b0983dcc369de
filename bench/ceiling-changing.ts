// The least that P2 asks of a program: what `ceiling-http.ts` does, for bodies whose prices change. No board, no limits, no
// checks, no subscribers; it trusts its clients.
//
//   node dist/bench/ceiling-changing.js BODY_FILE REQUESTS_FILE [counted]
//
// A SEND is searched for its event, its time and its odds, which are kept; its turn is one write to a file, which is synced
// every 50 ms. A request is found by its path and its key. Where its event has changed since its body was written, ten odds
// and times are written into that body, and a SHA-256 of 45 of them becomes its tag. With `counted` the tag is the number of
// the change: nothing is hashed, and no other process has the same tag.

import { hash } from 'node:crypto'
import { fdatasync, openSync, readFileSync, writeSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { App, us_socket_local_port } from 'uWebSockets.js'

const CONNECTED = 'CONNECTED\nversion:1.2\nheart-beat:0,0\n\n\0\n'
const QUOTES = 10
const ODDS_BYTES = 6
const TIME_BYTES = 24
/** Octets of odds and time of 45 quotes, as numbers. */
const TAGGED_BYTES = 45 * 12
const TAG_CHARS = 22
const SYNC_MS = 50
const RECORD_BYTES = 70

const body = readFileSync(process.argv[2]!)
const requests = readFileSync(process.argv[3]!, 'utf8').trim().split('\n')
const isCounted = process.argv[4] === 'counted'
const log = openSync(`${process.argv[3]}.${isCounted ? 'counted' : 'hashed'}.log`, 'w')

const events = new Map<string, number>()
const audiences = new Map<string, number>()
for (const request of requests) {
  const [target, key] = request.split('\t') as [string, string]
  const path = target.slice(0, target.indexOf('?'))
  if (!events.has(path)) events.set(path, events.size)
  if (!audiences.has(key)) audiences.set(key, audiences.size)
}

/** By event: how often it has changed, and what was said last. */
const versions = new Uint32Array(events.size)
const odds = new Uint8Array(events.size * QUOTES * ODDS_BYTES)
const times = new Uint8Array(events.size * TIME_BYTES)

interface Answer {
  version: number
  readonly body: Buffer
  readonly head: Buffer
}

const HEAD = '200 OK\r\ncontent-type: application/json\r\netag: "'
const answers = Array.from({ length: events.size * audiences.size }, (): Answer => {
  const copy = Buffer.allocUnsafeSlow(body.length)
  body.copy(copy)
  return { version: 0, body: copy, head: Buffer.from(`${HEAD}${'-'.repeat(TAG_CHARS)}"`) }
})
const tagged = Buffer.alloc(TAGGED_BYTES)

/** Writes the odds and times of an event into one of its bodies, and its tag. */
const write = (answer: Answer, event: number): void => {
  answer.version = versions[event]!
  const { body: into, head } = answer
  const step = Math.floor(into.length / (QUOTES + 1))
  for (let quote = 0; quote < QUOTES; quote++) {
    let place = quote * step
    const from = (event * QUOTES + quote) * ODDS_BYTES
    for (let n = 0; n < ODDS_BYTES; n++) into[place++] = odds[from + n]!
    for (let n = 0; n < TIME_BYTES; n++) into[place++] = times[event * TIME_BYTES + n]!
  }
  if (isCounted) {
    let rest = answer.version
    for (let place = HEAD.length + TAG_CHARS; rest > 0; rest = Math.floor(rest / 10)) head[--place] = ZERO + (rest % 10)
    return
  }
  tagged.writeUInt32LE(answer.version, 0)
  head.write(hash('sha256', tagged, 'base64url').slice(0, TAG_CHARS), HEAD.length, 'latin1')
}

const TIME = Buffer.from('"observedAt":"')
const EVENT = Buffer.from('"sourceId":"load-')
const ODDS = Buffer.from('"odds":')
const [QUOTE, COMMA, ZERO] = [0x22, 0x2c, 0x30]
let pending = 0
const record = Buffer.alloc(64 * 1024)
let isSyncDue = true

/** The end of a turn. */
const append = (): void => {
  writeSync(log, record, 0, Math.min(record.length, pending * RECORD_BYTES))
  pending = 0
  if (!isSyncDue) return
  isSyncDue = false
  setTimeout(() => fdatasync(log, () => (isSyncDue = true)), SYNC_MS)
}

const take = (frame: Buffer): void => {
  const timeAt = frame.indexOf(TIME) + TIME.length
  let place = frame.indexOf(EVENT, timeAt) + EVENT.length
  let event = 0
  for (; frame[place] !== QUOTE; place++) event = event * 10 + frame[place]! - ZERO
  for (let n = 0; n < TIME_BYTES; n++) times[event * TIME_BYTES + n] = frame[timeAt + n]!
  for (let quote = 0; quote < QUOTES; quote++) {
    place = frame.indexOf(ODDS, place) + ODDS.length
    const into = (event * QUOTES + quote) * ODDS_BYTES
    for (let n = 0; n < ODDS_BYTES; n++) odds[into + n] = frame[place] === COMMA ? ZERO : frame[place++]!
  }
  versions[event]!++
  if (pending++ === 0) setImmediate(append)
}

const serve = (socket: Socket): void => {
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let from = 0
    for (let end = bytes.indexOf(0); end !== -1; end = bytes.indexOf(0, from)) {
      const frame = bytes.subarray(from, end)
      if (frame.includes('SEND')) take(frame)
      else if (frame.includes('CONNECT')) socket.write(CONNECTED)
      from = end + 1
    }
    rest = bytes.subarray(from)
  })
  socket.on('error', () => socket.destroy())
}

const stomp = createServer({ noDelay: true }, serve)

const app = App().any('/*', (res, req) => {
  const event = events.get(req.getUrl())!
  req.getQuery()
  const audience = audiences.get(req.getHeader('authorization'))!
  const answer = answers[event * audiences.size + audience]!
  if (answer.version !== versions[event]) write(answer, event)
  res.writeStatus(answer.head).end(answer.body)
})

stomp.listen(0, '127.0.0.1', () => {
  const { port } = stomp.address() as AddressInfo
  app.listen(0, (socket) => {
    if (socket === false) throw new Error('no port')
    process.stdout.write(`${JSON.stringify({ ready: true, http: us_socket_local_port(socket), stomp: port })}\n`)
  })
})
