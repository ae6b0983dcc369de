// The inbox of a session: received octets that are not read yet, and the parser that makes frames of them.

import type { Carrier } from './carrier.ts'
import type { Version } from './frame-headers.ts'
import { type Frame, type FrameFault, FrameParser } from './frame-parser.ts'
import { type Fault, limitExceeded, protocolError } from './session-fault.ts'
import type { LiveLimits } from './session-limits.ts'

/** Octets of all sessions that wait to be read. */
export interface InputTotal {
  inputBytes: number
}

/** Whom the frames are for. */
export interface FrameReader {
  /** Whether the next frame may be handled now, or waits. */
  readonly mayRead: boolean
  /** Called with each frame; it may close the inbox. */
  handle(frame: Frame): void
}

/** Why the session cannot continue reading. */
export interface ReadFault {
  readonly fault: Fault
  /** The receipt of the faulty frame. */
  readonly receipt: string | undefined
}

/** The minimum that a piece of input counts as: many small ones count by their number. */
const PIECE_BYTES_MIN = 1_024

const weightOf = (piece: Uint8Array): number => Math.max(PIECE_BYTES_MIN, piece.length)

export class Inbox {
  private readonly carrier: Carrier
  private readonly limits: LiveLimits
  private readonly total: InputTotal
  private readonly reader: FrameReader
  private readonly parser: FrameParser
  // Received pieces that are not read yet, and whether the parser has stopped within one.
  private pieces: Uint8Array[] = []
  private bytes = 0
  private isParserStopped = false
  private isPausedNow = false
  private isOver: () => boolean = () => false
  private isConnected = false
  private isClosed = false
  // Octets before the end of CONNECT.
  private bytesIn = 0

  constructor(carrier: Carrier, limits: LiveLimits, total: InputTotal, reader: FrameReader) {
    this.carrier = carrier
    this.limits = limits
    this.total = total
    this.reader = reader
    this.parser = new FrameParser(limits)
  }

  /** CONNECT was accepted. */
  connected(version: Version, bodyBytesMax: number): void {
    this.isConnected = true
    this.parser.version = version
    this.parser.bodyBytesMax = bodyBytesMax
  }

  close(): void {
    this.isClosed = true
    this.pieces = []
    this.isParserStopped = false
    this.note(0)
    this.parser.close()
  }

  /** Whether received octets wait to be read. */
  get hasInput(): boolean {
    return this.pieces.length > 0 || this.isParserStopped
  }

  /** Whether a SUBSCRIBE may be among the octets that wait to be read. */
  get mayHoldSubscribe(): boolean {
    return Buffer.concat([this.parser.unread, ...this.pieces]).includes('SUBSCRIBE')
  }

  /** Whether the carrier reads nothing until {@link readOn}. */
  get isPaused(): boolean {
    return this.isPausedNow
  }

  /** @param chunk not needed after the call that {@link keep}s it */
  add(chunk: Uint8Array): void {
    this.pieces.push(chunk)
    this.note(this.bytes + weightOf(chunk))
  }

  private note(bytes: number): void {
    this.total.inputBytes += bytes - this.bytes
    this.bytes = bytes
  }

  /** Called when not all input could be read now. @param chunk the last of it */
  keep(chunk: Uint8Array): Fault | undefined {
    const { inputBytesMax, inputBytesTotalMax, turnBytesMax } = this.limits
    this.carrier.pauseReading()
    this.isPausedNow = true
    // Only a WebSocket can exceed this: a TCP socket stops here, with the current chunk and an incomplete frame.
    if (this.bytes > inputBytesMax) {
      const message = `More than ${inputBytesMax} octets waited to be read, 1 KiB at least for each piece; wait for RECEIPTs`
      return limitExceeded('inputBytesMax', message)
    }
    // One chunk of a paused socket is no reason to end a session.
    if (this.total.inputBytes > inputBytesTotalMax && this.bytes > turnBytesMax) {
      return limitExceeded('inputBytesTotalMax', 'Too much waits to be read of all clients; send less at a time')
    }
    const last = this.pieces.at(-1)
    // The library reuses its memory when this call returns.
    if (last?.buffer === chunk.buffer && this.carrier.kind === 'websocket') {
      // The copy comes from the pool: a buffer for each of thousands of small messages would cost more.
      this.pieces[this.pieces.length - 1] = Buffer.from(last)
    }
    return undefined
  }

  /** Continues reading from the carrier, unless received input is not read yet. */
  readOn(): void {
    if (this.isClosed || this.hasInput) return
    this.isPausedNow = false
    this.carrier.readOn()
  }

  /** Reads received input, until the time is over. */
  read(isOver: () => boolean): ReadFault | undefined {
    if (!this.reader.mayRead) return undefined
    this.isOver = isOver
    let fault: ReadFault | undefined
    if (this.isParserStopped) {
      this.isParserStopped = false
      fault = readFault(this.parser.resume(this.onFrame))
    }
    while (fault === undefined && !this.isParserStopped && this.pieces.length > 0 && !this.isClosed) {
      fault = this.readPiece(this.pieces.shift()!)
      // There may be thousands of pieces without the end of a frame.
      if (isOver()) break
    }
    if (this.isClosed) return undefined
    const heldBytes = this.isParserStopped ? this.parser.heldBytes : 0
    this.note(this.pieces.reduce((sum, piece) => sum + weightOf(piece), heldBytes))
    return fault
  }

  private readPiece(piece: Uint8Array): ReadFault | undefined {
    if (this.isConnected) return readFault(this.parser.push(piece, this.onFrame))
    // A CONNECT may be followed by other frames in the same piece; the rest of the piece is handled below.
    const { bytesBeforeConnectMax } = this.limits
    const head = piece.subarray(0, bytesBeforeConnectMax - this.bytesIn)
    this.bytesIn += head.length
    const fault = readFault(this.parser.push(head, this.onFrame))
    if (fault !== undefined || head.length === piece.length || this.isClosed) return fault
    if (this.isPastConnect()) {
      this.pieces.unshift(piece.subarray(head.length))
      return undefined
    }
    const message = `No CONNECT within ${bytesBeforeConnectMax} octets`
    return { fault: limitExceeded('bytesBeforeConnectMax', message), receipt: undefined }
  }

  // The compiler does not know that a frame may have been CONNECT.
  private isPastConnect(): boolean {
    return this.isConnected
  }

  private readonly onFrame = (frame: Frame): boolean => {
    this.reader.handle(frame)
    if (this.isClosed) return false
    this.isParserStopped = this.isOver() || !this.reader.mayRead
    return !this.isParserStopped
  }
}

const readFault = (of: FrameFault | undefined): ReadFault | undefined => {
  if (of === undefined) return undefined
  const { fault, limit, message, receipt } = of
  return { fault: fault === 'limit' ? limitExceeded(limit!, message) : protocolError(message), receipt }
}
