// How many connections the service accepts: what the system's limit of file descriptors leaves.

import { readFileSync } from 'node:fs'
import { type Settings } from '../config.ts'
import { LIMITS } from '../limits.ts'
import { unconnectedWebSocketsMax } from '../server/live-server.ts'
import type { ConnectionLimits } from '../stomp/connections.ts'

/** Where the system does not report one. */
const USUAL_LIMIT = 1_024

/** Share of all connections that may be HTTP: live sessions over TCP have room when REST has none. */
const HTTP_SHARE = 3 / 4

/** File descriptors that this process may have. */
export const descriptorLimit = (): number => {
  try {
    const soft = /^Max open files +(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    if (soft === 'unlimited') return Number.MAX_SAFE_INTEGER
    if (soft !== undefined) return Number(soft)
  } catch {
    // Not Linux.
  }
  return USUAL_LIMIT
}

/** The limits, and a line for the log where a setting asks for more than is possible. */
export const connectionLimitsOf = (
  { connectionsMax: asked, unconnectedMax, addressUnconnectedMax }: Settings,
  descriptors: number,
): { readonly limits: ConnectionLimits; readonly warning: string | undefined } => {
  const most = Math.max(1, descriptors - Math.min(LIMITS.reservedDescriptors, Math.ceil(descriptors / 4)))
  const connectionsMax = asked === 0 ? most : Math.min(asked, most)
  const places = unconnectedWebSocketsMax(LIMITS)
  return {
    limits: {
      connectionsMax,
      httpConnectionsMax: Math.max(1, Math.floor(connectionsMax * HTTP_SHARE)),
      unconnectedMax,
      addressUnconnectedMax,
      unconnectedWebSocketsMax: places,
      // The same share of the places as of the connections.
      addressUnconnectedWebSocketsMax: Math.max(
        1,
        Math.floor((places * Math.min(addressUnconnectedMax, unconnectedMax)) / unconnectedMax),
      ),
    },
    warning:
      asked <= most
        ? undefined
        : `--connections-max ${asked} is more than ${descriptors} file descriptors allow: at most ${most} connections ` +
          'are accepted; raise the limit (ulimit -n)',
  }
}
