// The HTTP ceiling: bare uWebSockets.js that sends a file, and reads of a request what any service must.
//
//   node dist/bench/ceiling-http.js BODY_FILE [COPIES] [HEAD_FILE] [required]
//
// With HEAD_FILE it sends that status line with its headers, in one piece, and visits all headers of a request, as it must be
// done to find one that is given twice: what the library takes for the same headers as ours.
//
// With `required` it does besides what the work itself asks for: finds the caller and the answer by texts of the request, looks
// whether both are valid now, and counts the request and its duration.
//
// With COPIES it holds so many bodies, each at its own place in memory, and sends one at random: as many different answers
// do not stay in the caches of a processor, whatever serves them.

import { readFileSync } from 'node:fs'
import { App, type HttpRequest, type HttpResponse, us_socket_local_port } from 'uWebSockets.js'
import { elapsedMs } from '../src/clock.ts'
import { Durations } from '../src/durations.ts'

const body = readFileSync(process.argv[2]!)
const bodies = Array.from({ length: Number(process.argv[3] ?? 1) }, () => {
  const copy = Buffer.allocUnsafeSlow(body.length)
  body.copy(copy)
  return copy
})
let random = 1

const nextBody = (): Buffer => {
  random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
  return bodies[Math.floor((random / 2 ** 32) * bodies.length)]!
}

let authorization = ''

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
}

/** What is kept of a text. */
const foundIn = (kept: Map<string, Found>, text: string): Found => {
  let found = kept.get(text)
  if (found === undefined) kept.set(text, (found = { uses: 0, validUntilMs: Number.POSITIVE_INFINITY }))
  return found
}

const callers = new Map<string, Found>()
const answers = new Map<string, Found>()
const durations = new Durations()

const required =
  (head: Buffer) =>
  (res: HttpResponse, req: HttpRequest): void => {
    const startedMs = elapsedMs()
    const path = req.getUrl()
    req.getQuery()
    req.forEach(readHeader)
    const caller = foundIn(callers, authorization)
    const answer = foundIn(answers, path)
    if (startedMs >= caller.validUntilMs || startedMs >= answer.validUntilMs) throw new Error('not valid')
    caller.uses++
    res.writeStatus(head).end(nextBody())
    durations.add(elapsedMs() - startedMs)
  }

const headFile = process.argv[4]
const handlerOf = process.argv[5] === 'required' ? required : withHead

App()
  .any('/*', headFile === undefined ? plain : handlerOf(readFileSync(headFile)))
  .listen(0, (socket) => {
    if (socket === false) throw new Error('no port')
    process.stdout.write(`${JSON.stringify({ ready: true, http: us_socket_local_port(socket) })}\n`)
  })
