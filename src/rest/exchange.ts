// A request to REST and its answer.

import type { Admission } from '../access/ledger.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { OperationId } from './operations.ts'
import type { Head, Reply } from './reply.ts'
import type { StreamQuery } from './target.ts'

/** A request and, once answered, its reply. The server owns it and may reuse it. */
export interface Exchange {
  method: string
  /** Raw, without the query. */
  path: string
  rawQuery: string
  authorization: string | undefined
  apiKey: string | undefined
  ifNoneMatch: string | undefined
  acceptEncoding: string | undefined
  /** The page that asks, where a browser names it; empty: one that may not read answers. */
  origin: string | undefined
  /** Of a stream. */
  lastEventId?: string | undefined
  /** What is malformed in the request: it is refused with this. */
  fault: Refusal | undefined
  operation: OperationId | 'none'
  reply: Reply
  /** The head to send: the reply's own, or that of a 304. */
  head: Head
  /** The window with fewer requests left; undefined: no limit headers. */
  admission: Admission | undefined
  /** The parameters of a stream that the live channel is to open; `head` is that of the stream. */
  stream?: StreamQuery | undefined
}
