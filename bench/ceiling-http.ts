// The HTTP ceiling: bare uWebSockets.js that sends a file, and reads of a request what any service must.
//
//   node dist/bench/ceiling-http.js BODY_FILE [COPIES] [HEAD_FILE] [least]
//
// With HEAD_FILE it sends that status line with its headers, in one piece, and visits all headers of a request, as it must be
// done to find one that is given twice: what the library takes for the same headers as ours.
//
// With `least` it does besides what any service must that answers safely: finds the caller and the answer by texts of the request,
// looks whether both are valid now, refuses a request whose end is not certain, or that gives a header twice, asks of an eighth of the
// answers whether their reader reads, and counts the request and its duration.
//
// With COPIES it holds so many bodies, each at its own place in memory, and sends one at random, or with `least` that of the
// path and query: as many different answers do not stay in the caches of a processor, whatever serves them.

import { readFileSync } from 'node:fs'
import { App, type HttpRequest, type HttpResponse, us_socket_local_port } from 'uWebSockets.js'
import { elapsedMs } from '../src/clock.ts'
import { Durations } from '../src/durations.ts'

const file = readFileSync(process.argv[2]!)
const bodies = Array.from({ length: Number(process.argv[3] ?? 1) }, () => {
  const copy = Buffer.allocUnsafeSlow(file.length)
  file.copy(copy)
  return copy
})
let random = 1

const nextBody = (): Buffer => {
  random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
  return bodies[Math.floor((random / 2 ** 32) * bodies.length)]!
}

let authorization = ''
const headers = { ifNoneMatch: '', acceptEncoding: '', origin: '', apiKey: '' }
let seen = 0
let seenTwice = 0

const noteSeen = (header: number): void => {
  seenTwice |= seen & header
  seen |= header
}

const HAS_BODY = 4 | 8

/** As src/server/http-server.ts does. */
const readAll = (name: string, value: string): void => {
  switch (name) {
    case 'host':
      return noteSeen(1)
    case 'authorization':
      authorization = value
      return noteSeen(2)
    case 'content-length':
      return noteSeen(4)
    case 'transfer-encoding':
      return noteSeen(8)
    case 'x-api-key':
      headers.apiKey = value
      return noteSeen(16)
    case 'if-none-match':
      headers.ifNoneMatch = value
      return
    case 'accept-encoding':
      headers.acceptEncoding = value
      return
    case 'origin':
      headers.origin = value
  }
}

const readHeader = (name: string, value: string): void => {
  if (name === 'authorization') authorization = value
}

const plain = (res: HttpResponse, req: HttpRequest): void => {
  req.getUrl()
  req.getQuery()
  req.getHeader('authorization')
  res.writeHeader('content-type', 'application/json').end(nextBody())
}

const withHead =
  (head: Buffer) =>
  (res: HttpResponse, req: HttpRequest): void => {
    req.getUrl()
    req.getQuery()
    req.forEach(readHeader)
    if (authorization === '') throw new Error('no Authorization')
    res.writeStatus(head).end(nextBody())
  }

interface Found {
  uses: number
  readonly validUntilMs: number
  readonly body: Buffer
}

/** What is kept of a text. */
const foundIn = (kept: Map<string, Found>, text: string): Found => {
  let found = kept.get(text)
  if (found === undefined) {
    found = { uses: 0, validUntilMs: Number.POSITIVE_INFINITY, body: bodies[kept.size % bodies.length]! }
    kept.set(text, found)
  }
  return found
}

const callers = new Map<string, Found>()
const byPath = new Map<string, Found>()
const byQuery = new Map<string, Map<string, Found>>()

/** The answer to a path, or to a query behind it: as a service finds it that makes no text of both. */
const answerTo = (path: string, query: string): Found => {
  if (query === '') return foundIn(byPath, path)
  let ofPath = byQuery.get(path)
  if (ofPath === undefined) byQuery.set(path, (ofPath = new Map()))
  return foundIn(ofPath, query)
}

const durations = new Durations()

/** An answer in so many, on average, asks whether its reader reads. */
const PROBES = 8

let lot = 1

const ignore = (): void => {}

const least =
  (head: Buffer) =>
  (res: HttpResponse, req: HttpRequest): void => {
    const startedMs = elapsedMs()
    const path = req.getUrl()
    const query = req.getQuery() ?? ''
    seen = 0
    seenTwice = 0
    headers.ifNoneMatch = headers.acceptEncoding = headers.origin = headers.apiKey = ''
    req.forEach(readAll)
    if ((seen & HAS_BODY) !== 0 || seenTwice !== 0) throw new Error('no certain end')
    const caller = foundIn(callers, authorization)
    const answer = answerTo(path, query)
    if (startedMs >= caller.validUntilMs || startedMs >= answer.validUntilMs) throw new Error('not valid')
    caller.uses++
    res.writeStatus(head)
    lot = (Math.imul(lot, 1_664_525) + 1_013_904_223) >>> 0
    const { body } = answer
    // Without a handler the library ends the process where it has dropped a body.
    res.onAborted(ignore)
    if (lot >= 2 ** 32 / PROBES) res.end(body)
    else res.tryEnd(body, body.length)
    durations.add(elapsedMs() - startedMs)
  }

const headFile = process.argv[4]
const handlerOf = process.argv[5] === 'least' ? least : withHead

App()
  .any('/*', headFile === undefined ? plain : handlerOf(readFileSync(headFile)))
  .listen(0, (socket) => {
    if (socket === false) throw new Error('no port')
    process.stdout.write(`${JSON.stringify({ ready: true, http: us_socket_local_port(socket) })}\n`)
  })
