// A request as the server passes it to REST, not answered yet.

import { refuse } from '../../src/domain/refusal.ts'
import type { Exchange } from '../../src/rest/exchange.ts'
import { errorReply } from '../../src/rest/reply.ts'

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
