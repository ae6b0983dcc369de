// The HTTP ceiling: bare uWebSockets.js that sends a file, and reads of a request what any service must.
//
//   node dist/bench/ceiling-http.js BODY_FILE [COPIES]
//
// With COPIES it holds so many bodies, each at its own place in memory, and sends one at random: as many different answers
// do not stay in the caches of a processor, whatever serves them.

import { readFileSync } from 'node:fs'
import { App, us_socket_local_port } from 'uWebSockets.js'

const body = readFileSync(process.argv[2]!)
const bodies = Array.from({ length: Number(process.argv[3] ?? 1) }, () => {
  const copy = Buffer.allocUnsafeSlow(body.length)
  body.copy(copy)
  return copy
})
let random = 1

App()
  .any('/*', (res, req) => {
    req.getUrl()
    req.getQuery()
    req.getHeader('authorization')
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
    res.writeHeader('content-type', 'application/json').end(bodies[Math.floor((random / 2 ** 32) * bodies.length)]!)
  })
  .listen(0, (socket) => {
    if (socket === false) throw new Error('no port')
    process.stdout.write(`${JSON.stringify({ ready: true, http: us_socket_local_port(socket) })}\n`)
  })
