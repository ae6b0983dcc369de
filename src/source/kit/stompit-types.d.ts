// The part of stompit 1.0.0 that is used here; the package has no types of its own. A module, and no declaration of
// 'stompit' for the whole program: other code must not miss the parts that are left out here.

import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Duplex, Readable, Writable } from 'node:stream'

/** Headers of a frame: the first of repeated ones. */
export type Headers = Readonly<Record<string, string | undefined>>

/** An incoming frame. Its body must be read to its end, else no further frame is read. */
export interface IncomingFrame extends Readable {
  readonly command: string
  readonly headers: Headers
  readString(encoding: BufferEncoding, callback: (error: Error | null, text: string) => void): void
}

export interface ClientOptions {
  /** What we can send and what we want to get, ms between heart-beats; 0: none. */
  readonly heartbeat?: readonly [sendMs: number, wantMs: number]
  /** Silence beyond the agreed interval that is tolerated, ms. */
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
  /** The listener also gets the error that ends the connection; then there is no message. */
  subscribe(
    headers: Record<string, string>,
    onMessage: (error: Error | null, message: IncomingFrame | undefined) => void,
  ): void
  destroy(error?: Error): void
  getTransportSocket(): Socket
  /** The heart-beats that we offer, ms; CONNECTED is evaluated with the values of that moment. */
  setHeartbeat(heartbeat: readonly [sendMs: number, wantMs: number]): void
  /** Of CONNECTED; undefined before it. */
  readonly headers: Headers | undefined
}

/**
 * Makes a client and reports once whether it reached CONNECTED. An error without `isApplicationError` is tried again.
 */
export type ConnectFunction<Address> = (
  address: Address,
  onConnected: (error: Error | null, client?: Client) => void,
) => Client

/** An address that was tried. */
export interface FailoverServer<Address> {
  readonly serverProperties: { readonly connectOptions: Address }
}

/** Tries addresses in their order, repeatedly, until one connects. */
export interface ConnectFailover<Address> extends EventEmitter {
  /** Pause before an address is tried, ms, by how often it has failed since it last connected. */
  getReconnectDelay: (failedConnects: number) => number
  /**
   * Events meanwhile: `error` with the error and the {@link FailoverServer}, for each address that failed.
   * @param onConnected `reconnect` drops the connection and tries the next address; then it is called again
   */
  connect(
    onConnected: (error: Error | null, client: Client, reconnect: () => void, server: FailoverServer<Address>) => void,
  ): { abort(): void }
}

export interface Stompit {
  readonly ConnectFailover: new <Address extends object>(
    addresses: readonly Address[],
    options: { readonly randomize: boolean; readonly connectFunction: ConnectFunction<Address> },
  ) => ConnectFailover<Address>
  readonly Client: new (transport: Duplex, options: ClientOptions) => Client
}
