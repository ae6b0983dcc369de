// STOMP over WebSocket: the carrier, and the rules of the upgrade. Only src/server uses the library itself.

import type { Carrier, Rooms } from './carrier.ts'
import type { Release } from './connections.ts'
import { withoutTail } from './frame-writer.ts'

/** The part of the library's WebSocket that is used. */
export interface WebSocketHandle {
  send(message: Buffer, isBinary: boolean): unknown
  getBufferedAmount(): number
  subscribe(topic: string): boolean
  unsubscribe(topic: string): boolean
  cork(write: () => void): unknown
  end(code: number): void
  close(): void
}

const NORMAL = 1000
const PROTOCOL_ERROR = 1002

const SUBPROTOCOLS = ['v12.stomp', 'v11.stomp', 'v10.stomp']

/** The subprotocol to echo: the client's first supported one. Null: none was offered; undefined: none is supported. */
export const subprotocolOf = (offered: string): string | null | undefined => {
  if (offered === '') return null
  return offered
    .split(',')
    .map((text) => text.trim())
    .find((text) => SUBPROTOCOLS.includes(text))
}

/**
 * Whether a header `Connection` names the upgrade (RFC 6455, 4.2.1). The library takes any value of five characters for `close`, and
 * ends the connection of such a request within its upgrade, where that comes later: the process crashed.
 */
export const namesUpgrade = (connection: string): boolean =>
  connection.split(',').some((option) => option.trim().toLowerCase() === 'upgrade')

/** Whether a page of this origin may connect; none are listed: all. Clients other than browsers send none. */
export const isOriginAllowed = (origin: string, allowed: readonly string[]): boolean =>
  origin === '' || allowed.length === 0 || allowed.includes('*') || allowed.includes(origin)

export class WebSocketCarrier implements Carrier {
  readonly kind = 'websocket'
  private readonly socket: WebSocketHandle
  private readonly rooms: Pick<Rooms, 'flush'>
  private readonly closeMsMax: number
  private readonly onConnected: Release
  private readonly endsAtOnce: () => boolean
  /** A close frame was sent: the library may keep the socket and its memory, and does not report when it frees them. */
  isEnded = false
  private isGone = false
  /** Rooms that it is in: what was published to them comes before what is written. */
  private joined = 0
  // Set when it is to be ended as soon as all output is sent.
  private endCode: number | undefined
  private endTimer: NodeJS.Timeout | undefined

  /**
   * @param onConnected called once CONNECT was accepted
   * @param endsAtOnce whether to end it without a close frame, so that its memory is freed
   */
  constructor(
    socket: WebSocketHandle,
    rooms: Pick<Rooms, 'flush'>,
    closeMsMax: number,
    onConnected: Release,
    endsAtOnce: () => boolean,
  ) {
    this.socket = socket
    this.rooms = rooms
    this.closeMsMax = closeMsMax
    this.onConnected = onConnected
    this.endsAtOnce = endsAtOnce
  }

  connected(): void {
    this.onConnected()
  }

  get bufferedBytes(): number {
    return this.isGone ? 0 : this.socket.getBufferedAmount()
  }

  write(frame: Buffer, isBinary: boolean): void {
    if (this.isGone) return
    if (this.joined > 0) this.rooms.flush()
    // A heart-beat is a single LF.
    this.socket.send(frame.length === 1 ? frame : withoutTail(frame), isBinary)
  }

  writeRun(
    bytes: Buffer,
    ends: readonly number[],
    from: number,
    to: number,
    isBinary: boolean,
    bundleBytes: number,
  ): void {
    if (this.isGone) return
    if (this.joined > 0) this.rooms.flush()
    eachMessage(bytes, ends, from, to, bundleBytes, (message) => this.socket.send(message, isBinary))
  }

  cork(write: () => void): void {
    if (this.isGone) return
    // Not inside: the others of a room are written to, too.
    if (this.joined > 0) this.rooms.flush()
    this.socket.cork(write)
  }

  join(room: string): boolean {
    if (this.isGone) return true
    // What was published before is not for it.
    this.rooms.flush()
    this.joined++
    this.socket.subscribe(room)
    return true
  }

  leave(room: string): void {
    if (this.isGone) return
    this.rooms.flush()
    this.joined--
    this.socket.unsubscribe(room)
  }

  // The library cannot stop reading a WebSocket; it reads at most half a megabyte at a time.
  pauseReading(): void {}

  readOn(): void {}

  // Under back-pressure the library's end() leaves the socket open for good and forbids close().
  end(isFault: boolean): void {
    if (this.isGone) return
    this.endCode = isFault ? PROTOCOL_ERROR : NORMAL
    this.endTimer = setTimeout(() => this.destroy(), this.closeMsMax)
    this.drained()
  }

  destroy(): void {
    if (!this.isGone) this.socket.close()
  }

  /** Called when the library has sent buffered output. */
  drained(): void {
    if (this.endCode === undefined || this.isGone || this.socket.getBufferedAmount() > 0) return
    const code = this.endCode
    this.endCode = undefined
    if (this.endsAtOnce()) {
      this.socket.close()
      return
    }
    this.isEnded = true
    this.socket.end(code)
  }

  /** The library has closed the socket: it must not be used any more. */
  gone(): void {
    this.isGone = true
    clearTimeout(this.endTimer)
  }
}

/** Cuts frames into WebSocket messages. Between frames of one message there is an LF; its last one ends in NUL. */
export const eachMessage = (
  bytes: Buffer,
  ends: readonly number[],
  from: number,
  to: number,
  bundleBytes: number,
  send: (message: Buffer) => void,
): void => {
  let start = from === 0 ? 0 : ends[from - 1]!
  for (let n = from; n < to; n++) {
    if (n + 1 < to && ends[n + 1]! - start <= bundleBytes) continue
    send(bytes.subarray(start, ends[n]! - 1))
    start = ends[n]!
  }
}
