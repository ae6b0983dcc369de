// The customers' port alone, on a free port, with answers of a test.

import assert from 'node:assert/strict'
import { LIMITS } from '../../src/limits.ts'
import { Metrics } from '../../src/metrics.ts'
import { HttpServer, type HttpServerOptions } from '../../src/server/http-server.ts'
import type { Broker } from '../../src/stomp/broker.ts'
import { Connections } from '../../src/stomp/connections.ts'
import { CONNECTION_LIMITS } from '../listeners.ts'

export const listenHttp = async (answer: HttpServerOptions['answer']): Promise<HttpServer> => {
  const broker = { isOpen: false, useRooms: () => {} } as unknown as Broker
  const server = await HttpServer.listen({
    bodyBytesNow: LIMITS.bodyBytesNow,
    answer,
    isReady: () => true,
    metrics: new Metrics(),
    host: '127.0.0.1',
    port: 0,
    tls: null,
    connections: new Connections(CONNECTION_LIMITS),
    live: { broker, limits: LIMITS, origins: [], compresses: false, isOpen: () => true },
  })
  assert.ok(!('busyPort' in server))
  return server
}
