// The carrier of a session that gets server-sent events: the response to an HTTP request. Only src/server uses the
// library itself.

import type { Carrier } from './carrier.ts'
import type { Release } from './connections.ts'

/** The part of the library's response that is used. */
export interface ResponseHandle {
  /** False: the system has not accepted all that was written. */
  write(chunk: Buffer): boolean
  cork(write: () => void): unknown
  /** Without arguments: asked to close the connection as well, the library writes a header into the body. */
  end(): unknown
  close(): unknown
}

/**
 * Octets that the library is given at once, each piece in a cork of its own: with the chunk's header it fits the buffer
 * of a cork (16 KiB). Where it does not, and the system does not accept what was corked before, the library drops it.
 * It does not report either how many octets the system has accepted, so this is the grain in which a slow client's
 * progress is seen.
 */
const PIECE_BYTES = 12 * 1024

/** A comment between two events: clients ignore it. */
const COMMENT = Buffer.from(':\n')

export class SseCarrier implements Carrier {
  readonly kind = 'sse'
  private readonly response: ResponseHandle
  private readonly closeMsMax: number
  private readonly onGone: Release
  private readonly queue: Buffer[] = []
  private queuedBytes = 0
  // Octets that the library may still hold.
  private heldBytes = 0
  private isCorked = false
  private isEnding = false
  private isGone = false
  private endTimer: NodeJS.Timeout | undefined

  /** @param onGone called when it carries nothing any more */
  constructor(response: ResponseHandle, closeMsMax: number, onGone: Release) {
    this.response = response
    this.closeMsMax = closeMsMax
    this.onGone = onGone
  }

  connected(): void {}

  get bufferedBytes(): number {
    return this.queuedBytes + this.heldBytes
  }

  write(frame: Buffer): void {
    if (this.isGone || this.isEnding) return
    this.queue.push(frame)
    this.queuedBytes += frame.length
    if (!this.isCorked) this.flush()
  }

  writeRun(bytes: Buffer, ends: readonly number[], from: number, to: number): void {
    this.write(bytes.subarray(from === 0 ? 0 : ends[from - 1]!, ends[to - 1]))
  }

  cork(write: () => void): void {
    if (this.isCorked) return write()
    this.isCorked = true
    try {
      write()
    } finally {
      this.isCorked = false
      this.flush()
    }
  }

  join(): boolean {
    return false
  }

  leave(): void {}

  // The client sends nothing.
  pauseReading(): void {}

  readOn(): void {}

  end(): void {
    if (this.isGone) return
    this.isEnding = true
    if (this.bufferedBytes === 0) this.finish()
    else this.endTimer = setTimeout(() => this.destroy(), this.closeMsMax)
  }

  destroy(): void {
    if (this.isGone) return
    this.gone()
    this.response.close()
  }

  /** The system accepts octets again. */
  writable(): void {
    if (this.isGone) return
    // Nothing else has the library pass on what it holds, or shows whether that was all.
    if (this.queue.length === 0) {
      if (this.give(COMMENT)) this.heldBytes = 0
    } else {
      // What was held was accepted by now, at least in part.
      this.heldBytes = 0
      this.flush()
    }
    if (this.isEnding && this.bufferedBytes === 0) this.finish()
  }

  /** The connection is closed: the response must not be used any more. */
  gone(): void {
    if (this.isGone) return
    this.isGone = true
    clearTimeout(this.endTimer)
    this.queue.length = 0
    this.queuedBytes = 0
    this.heldBytes = 0
    this.onGone()
  }

  /** Writes what waits, as far as the system accepts it. */
  private flush(): void {
    while (this.heldBytes === 0 && this.queuedBytes > 0 && !this.isGone) {
      const piece = this.takePiece()
      if (!this.give(piece)) this.heldBytes = piece.length
    }
  }

  private takePiece(): Buffer {
    const { queue } = this
    const parts: Buffer[] = []
    let left = PIECE_BYTES
    while (left > 0 && queue.length > 0) {
      const first = queue[0]!
      const part = first.length > left ? first.subarray(0, left) : first
      if (part === first) queue.shift()
      else queue[0] = first.subarray(left)
      parts.push(part)
      left -= part.length
    }
    this.queuedBytes -= PIECE_BYTES - left
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
  }

  /** @returns whether the system has accepted all of it */
  private give(piece: Buffer): boolean {
    let isAccepted = false
    this.response.cork(() => {
      isAccepted = this.response.write(piece)
    })
    return isAccepted
  }

  private finish(): void {
    this.gone()
    this.response.cork(() => this.response.end())
  }
}
