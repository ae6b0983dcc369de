// The part of stompit 1.0.0 that connection.ts uses; the package has no types of its own. A module, and no declaration
// of 'stompit' for the whole program: what is left out here nobody else should find missing.

import type { EventEmitter } from 'node:events'
import type { Duplex, Readable, Writable } from 'node:stream'

/** Headers of a frame: the first of repeated ones. */
export type Headers = Readonly<Record<string, string | undefined>>

/** A frame that comes in. Its body must be read to its end, else no further frame is. */
export interface IncomingFrame extends Readable {
  readonly command: string
  readonly headers: Headers
  readString(encoding: BufferEncoding, callback: (error: Error | null, text: string) => void): void
}

export interface ClientOptions {
  /** What we can send and what we want to get, ms between heart-beats; 0: none. */
  readonly heartbeat?: readonly [sendMs: number, wantMs: number]
  /** Silence beyond the agreed interval that is put up with, ms. */
  readonly heartbeatDelayMargin?: number
  /** How much sooner than agreed heart-beats are sent, ms. */
  readonly heartbeatOutputMargin?: number
}

/**
 * Events: `connect` after CONNECTED; exactly one of `error` (with an Error) and `end` when the connection is over.
 * `connect()` and the arrival of CONNECTED each replace all command handlers by stompit's own.
 */
export interface Client extends EventEmitter {
  connect(headers: Readonly<Record<string, string>>): void
  sendFrame(command: string, headers: Record<string, string | number>): Writable
  setCommandHandler(command: string, handler: (frame: IncomingFrame) => void): void
  readEmptyBody(frame: IncomingFrame, callback: () => void): void
  /** The listener is also told of the error that ends the connection; then there is no message. */
  subscribe(
    headers: Record<string, string>,
    onMessage: (error: Error | null, message: IncomingFrame | undefined) => void,
  ): void
  destroy(error?: Error): void
}

export interface Stompit {
  readonly Client: new (transport: Duplex, options: ClientOptions) => Client
}
