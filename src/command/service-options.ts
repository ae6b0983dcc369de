// What a service is started with.

import type { SharedReservations } from '../access/reserving-ledger.ts'
import type { Settings } from '../config.ts'

export interface ServiceOptions {
  readonly settings: Settings
  /** Called with errors thrown while answering. */
  readonly onFault: (error: unknown) => void
  /** Called when all requests begin to be refused with 503 (with the reason), and when that ends (undefined). */
  readonly onRefuseAll: (reason: string | undefined) => void
  /** Called when requests cannot be counted (with the reason), and when that ends (undefined). */
  readonly onUnwritable: (reason: string | undefined) => void
  /** Serves a store although something that was stored in it may be missing. */
  readonly acceptsStore: boolean
  /** Ends a start that waits for other processes. */
  readonly signal: AbortSignal
  /** Where requests are counted that several processes admit; undefined: in the store of this one. */
  readonly reservations: SharedReservations | undefined
  /** Called where the log that is shared is not the one that was applied: stop this service, and start it again. */
  readonly onBreak: (reason: string) => void
  /** Called with log messages about a source. */
  readonly onFeed: (level: 'info' | 'warn' | 'error', source: string, message: string) => void
}
