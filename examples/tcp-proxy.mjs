// A plain TCP proxy in front of several oddswire processes: each connection goes to the next one that accepts it.
//
//   node examples/tcp-proxy.mjs 8080:8081,8082,8083 61613:61614,61615,61616
//
// For trying replicas on one machine. In service, use what you know: HAProxy, NGINX stream, a load balancer of the network.

import { connect, createServer } from 'node:net'

const lists = process.argv.slice(2).map((text) => /^(\d+):(\d+(?:,\d+)*)$/.exec(text))
if (lists.length === 0 || lists.includes(null)) {
  console.error('usage: node examples/tcp-proxy.mjs PORT:PORT,PORT,… …')
  process.exit(2)
}

for (const [, port, behind] of lists) {
  const ports = behind.split(',').map(Number)
  let next = 0
  const server = createServer({ pauseOnConnect: true }, (client) => {
    // As many attempts as there are processes: one that is not there is left out.
    const attempt = (left) => {
      if (left === 0) return client.destroy()
      const server = connect(ports[next++ % ports.length], '127.0.0.1')
      server.once('error', () => attempt(left - 1))
      server.once('connect', () => {
        server.removeAllListeners('error')
        for (const [one, other] of [
          [client, server],
          [server, client],
        ]) {
          one.setNoDelay(true)
          one.on('error', () => other.destroy())
          one.on('close', () => other.destroy())
          one.pipe(other)
        }
      })
    }
    client.on('error', () => {})
    attempt(ports.length)
  })
  server.on('error', (error) => {
    console.error(`port ${port}: ${error.message}`)
    process.exit(1)
  })
  server.listen(Number(port), '127.0.0.1', () => console.log(`127.0.0.1:${port} leads to ${ports.join(', ')}`))
}
