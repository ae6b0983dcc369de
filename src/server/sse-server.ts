// Server-sent events: passes a request for a stream to the broker, and what its response reports to the session.

import type { HttpResponse } from 'uWebSockets.js'
import type { RefusalCode } from '../domain/refusal.ts'
import type { Exchange } from '../rest/exchange.ts'
import { errorReply, type Reply } from '../rest/reply.ts'
import type { StreamQuery } from '../rest/target.ts'
import type { Broker } from '../stomp/broker.ts'
import type { Connections } from '../stomp/connections.ts'
import { type Fault, isFault } from '../stomp/session-fault.ts'
import type { LiveLimits } from '../stomp/session-limits.ts'
import { SseCarrier } from '../stomp/sse-carrier.ts'

/** A request is refused with the codes of REST only. */
const refusalReply = ({ code, message, headers = [] }: Fault, members: object): Reply =>
  errorReply(
    { refused: code as RefusalCode, message },
    {
      members: { ...members },
      headers: headers.flatMap(([name, value]) => (name === 'retry-after' ? [`Retry-After: ${value}`] : [])),
    },
  )

/**
 * Opens a stream.
 * @param writeHead writes status and headers
 * @returns the answer where it is refused
 */
export const openSse = (
  res: HttpResponse,
  { method, authorization, apiKey, lastEventId }: Exchange,
  query: StreamQuery,
  { broker, limits }: { readonly broker: Broker; readonly limits: LiveLimits },
  connections: Connections,
  writeHead: () => void,
): Reply | undefined => {
  const admission = broker.admitSse(authorization, apiKey, { ...query, lastEventId })
  if (isFault(admission)) return refusalReply(admission, broker.errorMembers(admission.code))
  writeHead()
  if (method === 'head') {
    broker.dropSse(admission)
    res.endWithoutBody()
    return undefined
  }
  const carrier = new SseCarrier(res, limits.closeMsMax, connections.streaming())
  const session = broker.openSse(carrier, admission)
  res.onAborted(() => {
    carrier.gone()
    session.closed()
  })
  res.onWritable(() => {
    carrier.writable()
    session.drained()
    return true
  })
  // Here the head is corked: see SseCarrier for what may be written beside it.
  setImmediate(() => session.open())
  return undefined
}
