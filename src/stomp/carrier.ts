// The carrier of a session: a TCP connection, a WebSocket, or a response of server-sent events. The session writes bytes and can ask how many still wait.

export const CARRIER_KINDS = ['tcp', 'websocket', 'sse'] as const

export type CarrierKind = (typeof CARRIER_KINDS)[number]

export interface Carrier {
  readonly kind: CarrierKind
  /** Octets that were written and that the system has not accepted yet. */
  readonly bufferedBytes: number
  /** CONNECT was accepted: the client has shown its key. */
  connected(): void
  /** Writes one frame (it ends in NUL LF), or an end of line as a heart-beat. */
  write(frame: Buffer, isBinary: boolean): void
  /**
   * Writes frames `from` to `to` (exclusive) of a run of frames, of which frame n ends at `ends[n]`.
   * @param bundleBytes how many octets of frames may share a WebSocket message; 0: each frame is one
   */
  writeRun(
    bytes: Buffer,
    ends: readonly number[],
    from: number,
    to: number,
    isBinary: boolean,
    bundleBytes: number,
  ): void
  /** What is written inside is sent in one write, if possible. */
  cork(write: () => void): void
  /** Joins a room, to which the broker publishes for all members at once; false: this carrier cannot. */
  join(room: string): boolean
  leave(room: string): void
  /** Stops reading until {@link readOn}. */
  pauseReading(): void
  /** First what came meanwhile. */
  readOn(): void
  /** Ends the connection when all output is sent, or at the deadline. `isFault`: after ERROR. */
  end(isFault: boolean): void
  /** Ends the connection now. */
  destroy(): void
}

/** Writes to all carriers of a room: of WebSockets, for which the library does that fastest. */
export interface Rooms {
  /** Whether so much is still to be written that nothing should be added. */
  readonly isFull: boolean
  /** Whether more is about to be published: bundles wait for that, for a moment. Undefined: they do not wait. */
  isMoreDue: (() => boolean) | undefined
  /** @param bundleBytes as of {@link Carrier.writeRun} */
  publish(room: string, bytes: Buffer, ends: readonly number[], isBinary: boolean, bundleBytes: number): void
  /** Writes what is still to be written: something else follows it. */
  flush(): void
}
