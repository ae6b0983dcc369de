// REST over a room, and requests as the server passes them to it, not answered yet.

import type { Access } from '../../src/access/access.ts'
import { refuse } from '../../src/domain/refusal.ts'
import { LIMITS } from '../../src/limits.ts'
import type { Exchange } from '../../src/rest/exchange.ts'
import { errorReply } from '../../src/rest/reply.ts'
import { Rest, type RestOptions } from '../../src/rest/rest.ts'
import type { LiveRoom } from '../stomp/memory-carrier.ts'

const reply = errorReply(refuse('service_unavailable', 'not answered yet'))

/** A GET with a key. */
export const newExchange = (
  secret: string,
  path: string,
  rawQuery: string,
  more: Partial<Exchange> = {},
): Exchange => ({
  method: 'get',
  path: `/api/v1${path}`,
  rawQuery,
  authorization: `Bearer ${secret}`,
  apiKey: undefined,
  ifNoneMatch: undefined,
  acceptEncoding: undefined,
  origin: undefined,
  fault: undefined,
  operation: 'none',
  reply,
  head: reply.head,
  admission: undefined,
  ...more,
})

export const newRest = (room: LiveRoom, more: Partial<RestOptions> = {}): Rest =>
  new Rest({
    engine: room.engine,
    // Nothing else of it is asked here.
    access: { gate: room.gate, registry: room.registry } as unknown as Access,
    publicUrl: 'http://localhost',
    documentUrl: '',
    targetsMax: 500,
    limits: LIMITS,
    cacheBytesMax: 10_000_000,
    pages: {},
    now: () => room.nowAt,
    onFault: (error) => {
      throw error
    },
    ...more,
  })
