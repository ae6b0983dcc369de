// The HTTP ceiling: bare uWebSockets.js that sends a file, and reads of a request what any service must.
//
//   node dist/bench/ceiling-http.js BODY_FILE

import { readFileSync } from 'node:fs'
import { App, us_socket_local_port } from 'uWebSockets.js'

const body = readFileSync(process.argv[2]!)

App()
  .any('/*', (res, req) => {
    req.getUrl()
    req.getQuery()
    req.getHeader('authorization')
    res.writeHeader('content-type', 'application/json').end(body)
  })
  .listen(0, (socket) => {
    if (socket === false) throw new Error('no port')
    process.stdout.write(`${JSON.stringify({ ready: true, http: us_socket_local_port(socket) })}\n`)
  })
