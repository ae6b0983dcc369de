// Faults: why a session ends with an ERROR (docs/live-protocol.md 8.4), as values.

import { type Refusal, refuse } from '../domain/refusal.ts'

/** Codes of ERRORs that REST does not have (docs/live-protocol.md 9). */
export const PROTOCOL_CODES = ['protocol_error', 'limit_exceeded', 'slow_consumer', 'server_shutdown'] as const

export type ErrorCode = Refusal['refused'] | (typeof PROTOCOL_CODES)[number]

export interface Fault {
  readonly code: ErrorCode
  readonly message: string
  readonly field?: string | undefined
  /** Of the ERROR, in addition to those that it always has. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
}

export const protocolError = (message: string): Fault => ({ code: 'protocol_error', message })

/** `limit`: its name in the table of limits.ts. */
export const limitExceeded = (limit: string, message: string): Fault => ({
  code: 'limit_exceeded',
  message,
  field: limit,
})

/** A client that does not read what it has asked for. */
export const slowConsumer = (message: string): Fault => ({ code: 'slow_consumer', message })

export const faultOf = ({ refused, message, field }: Refusal): Fault => ({ code: refused, message, field })

/** A header that is missing or wrong. */
export const badHeader = (header: string, message: string): Fault =>
  faultOf(refuse('validation_failed', message, header))

export const isFault = (value: object): value is Fault => 'code' in value
