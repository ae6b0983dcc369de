// The peer: what a user would build instead. Fastify and a finished body in Redis, one GET a request; no keys, no limits.
//
//   node dist/bench/peer-http.js BODY_FILE REDIS_PORT

import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import { Redis } from 'ioredis'

const redis = new Redis({ port: Number(process.argv[3]), host: '127.0.0.1', enableAutoPipelining: true })
await redis.set('body', readFileSync(process.argv[2]!))
const fastify = Fastify()
fastify.get('/*', async (_request, reply) => {
  reply.header('content-type', 'application/json')
  return redis.get('body')
})
await fastify.listen({ port: 0, host: '127.0.0.1' })
const address = fastify.server.address()
const port = typeof address === 'object' && address !== null ? address.port : 0
process.stdout.write(`${JSON.stringify({ ready: true, http: port })}\n`)
