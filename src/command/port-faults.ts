// Why a service does not start: what to do about a port that it cannot have.

import { BAD_CERTIFICATE, type PortFault } from '../server/listener.ts'
import type { Tls } from '../stomp/tls.ts'

/** Why the service did not start: one line that says what to do. */
export interface StartFault {
  readonly fault: string
}

/** What to do about a port that cannot be used. */
export const portFault = (
  { busyPort, reason }: PortFault,
  host: string,
  flag: string,
  tls: Tls | null,
  { hostFlag = '--host', hint = '' }: { readonly hostFlag?: string; readonly hint?: string } = {},
): StartFault => {
  switch (reason) {
    case BAD_CERTIFICATE:
      return { fault: `--tls-cert ${tls?.certFile} and --tls-key ${tls?.keyFile} cannot be used: give a PEM pair` }
    case 'EADDRINUSE':
      return {
        fault: `port ${busyPort} is in use; stop its owner, or choose another with ${flag} (0: a free one)${hint}`,
      }
    case 'EACCES':
      return { fault: `port ${busyPort} may not be taken by this user; choose another with ${flag}` }
    default:
      return { fault: `cannot listen on ${host}:${busyPort} (${reason}); choose another address with ${hostFlag}` }
  }
}
