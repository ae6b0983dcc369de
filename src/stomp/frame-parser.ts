// Parses bytes into the frames of a client, however the bytes are split (docs/live-protocol.md 8; STOMP 1.0, 1.1, 1.2).
//
//   stream  = *( EOL / frame )                 between frames, EOLs are heart-beats
//   frame   = command EOL *( header EOL ) EOL body NUL
//   command = 1*commandBytesMax <0x21 to 0x7e>
//   header  = name ":" value                   split at the first colon
//   EOL     = LF in 1.0 and 1.1, [CR] LF in 1.2 and in a CONNECT of any version
//   body    = content-length octets, or all up to NUL; only in SEND
//
// Where the specifications leave a choice, or clients need one:
// - A raw colon in a value is accepted (1.2's grammar forbids it, clients send it).
// - A command has no space, so that an HTTP request is refused at its first one.
// - CR in a header line is an ordinary octet in 1.0 and 1.1, and a fault in 1.2.
// - 1.0 trims spaces, tabs and CRs from values. A CONNECT is not trimmed: its version is not known yet.
// - One EOL as the body of a CONNECT is dropped, if the frame has no content-length.
// - STOMP is read as CONNECT.
//
// A fault depends on the bytes only: the same bytes give the same fault, at the same byte, however they are split.
//
// The file is longer than others: the buffer of a frame and the parser's progress in it are one state, on the path of
// every octet received.

import { isUtf8 } from 'node:buffer'
import {
  FrameHeaders,
  KEPT_LINES,
  KNOWN_LINES,
  KeptLines,
  knownName,
  parseLength,
  trimHeader,
  unescaped,
  type Version,
} from './frame-headers.ts'

/** The most that is accepted, each inclusive (docs/live-protocol.md 8.2). */
export interface FrameLimits {
  readonly commandBytesMax: number
  /** One header line, without its EOL. */
  readonly headerLineBytesMax: number
  /** Header lines of a frame, repeated ones included. */
  readonly headersMax: number
  /** All header lines of a frame together, with their EOLs. */
  readonly headersBytesMax: number
  readonly bodyBytesMax: number
}

export interface Frame {
  /** `CONNECT` for STOMP, too. The session checks whether the command is known. */
  readonly command: string
  readonly headers: FrameHeaders
  /** Empty if there is none. A view into the pushed chunk or the parser's buffer: valid during the callback only. */
  readonly body: Buffer
}

/** Why a stream is not read any further. */
export interface FrameFault {
  readonly fault: 'limit' | 'syntax'
  /** The limit that was exceeded. */
  readonly limit?: keyof FrameLimits
  /** For the client. Contains nothing that the client sent. */
  readonly message: string
  /** The `receipt` header of the faulty frame, if it precedes the fault; may hold anything. */
  readonly receipt?: string
}

/** Called with a complete frame. `false` stops the parser after it. */
export type OnFrame = (frame: Frame) => boolean | void

const NUL = 0x00
const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const BACKSLASH = 0x5c

const STATE = {
  betweenFrames: 0,
  betweenFramesCr: 1, // after the CR of an EOL, before its LF
  command: 2,
  headers: 3,
  bodyByLength: 4,
  bodyToNul: 5,
  noBody: 6, // only the NUL is left, apart from a CONNECT's EOL
  done: 7, // after a fault or close()
} as const

type State = (typeof STATE)[keyof typeof STATE]

/** Result of a step: another step can follow, the frame is complete, more bytes are needed, the stream is faulty. */
const STEP = { next: 0, frame: 1, more: 2, fault: 3 } as const

type Step = (typeof STEP)[keyof typeof STEP]

const NO_BYTES = Buffer.alloc(0)
const HELD_BYTES_MIN = 512
// A buffer that grew beyond this for a large frame is not reused.
const HELD_BYTES_KEPT = 64 * 1024

// In memory of its own, not from the pool: a slice would keep 8 KiB of it.
const copyOf = (bytes: Buffer): Buffer => Buffer.from(new Uint8Array(bytes).buffer)

const commandIn = (bytes: Buffer, start: number, end: number): string => {
  // Fast path: SEND arrives 20,000 times a second.
  if (
    end - start === 4 &&
    bytes[start] === 0x53 &&
    bytes[start + 1] === 0x45 &&
    bytes[start + 2] === 0x4e &&
    bytes[start + 3] === 0x44
  ) {
    return 'SEND'
  }
  const command = bytes.toString('latin1', start, end)
  return command === 'STOMP' ? 'CONNECT' : command
}

/**
 * Parses the frames of one client. A frame that lies in one chunk is read in place. The first part of a frame that does
 * not is held in a buffer that grows with it, is never sized by what a header claims, and is released when no frame is
 * incomplete. A parser that waits between frames holds no buffer.
 */
export class FrameParser {
  /** The session raises it for feeds, after CONNECT. Applies to frames whose headers are not complete yet. */
  bodyBytesMax: number
  /** Bytes consumed since the start; in a callback, up to the end of its frame. */
  consumedBytes = 0

  private readonly limits: FrameLimits
  private versionNow: Version = '1.2'
  private state: State = STATE.betweenFrames
  private stopped = false
  private bytesMissed = false
  private failure: FrameFault | undefined

  // The part of the current frame from earlier chunks. Empty exactly between frames.
  private held: Buffer = NO_BYTES
  private heldLength = 0
  /** What a stop left unread. */
  private rest: Buffer = NO_BYTES

  // The current frame; all offsets are relative to its first byte, wherever that lies.
  private command = ''
  private isSend = false
  private isConnect = false
  private allowsCrlf = true
  private pairs: string[] = []
  private lengthText: string | undefined
  private headersStart = 0
  private lineStart = 0
  private scanned = 0 // bytes before this offset are not examined again
  private bodyBytesMaxNow = 0
  private bodyStart = 0
  private bodyEnd = 0
  private frameEnd = 0

  private kept: KeptLines | undefined

  constructor(limits: FrameLimits) {
    this.limits = limits
    this.bodyBytesMax = limits.bodyBytesMax
  }

  /** The rules in force: 1.2's until the session sets a version, in the callback of CONNECT or while stopped there. */
  get version(): Version {
    return this.versionNow
  }

  set version(version: Version) {
    this.versionNow = version
    this.kept = undefined // its texts were read by the rules of the previous version
  }

  /** Bytes allocated for an incomplete frame and for what a stop left unread; 0 between frames. */
  get heldBytes(): number {
    return this.held.length + this.rest.buffer.byteLength
  }

  /** What a stop left unread; valid until the next call. */
  get unread(): Buffer {
    return this.rest
  }

  /**
   * Parses bytes, in pieces of any size. Calls `onFrame` for each complete frame, in order. When that returns false,
   * the rest of the chunk is kept for {@link resume}, and nothing more is accepted: a caller that stops the parser must
   * stop its source, too.
   * @param chunk not needed after the call
   * @returns the fault that ended the stream, once; after it, or after {@link close}, nothing more is read
   */
  push(chunk: Uint8Array, onFrame: OnFrame): FrameFault | undefined {
    if (this.state === STATE.done) return undefined
    if (this.stopped) {
      if (chunk.length > 0) this.bytesMissed = true
      return undefined
    }
    return this.feed(
      Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
      false,
      onFrame,
    )
  }

  /**
   * Continues after a stop with the bytes left unread; `onFrame` may stop again.
   * @returns as {@link push}; also a fault if bytes were pushed during the stop, because they are lost
   */
  resume(onFrame: OnFrame): FrameFault | undefined {
    if (this.state === STATE.done || !this.stopped) return undefined
    this.stopped = false
    if (this.bytesMissed) {
      this.fail('bytes came while the parser was stopped')
      return this.removeFailure()
    }
    const { rest } = this
    this.rest = NO_BYTES
    return this.feed(rest, true, onFrame)
  }

  /** Ends the stream and releases its memory; may be called in a callback. */
  close(): void {
    this.state = STATE.done
    this.held = NO_BYTES
    this.heldLength = 0
    this.rest = NO_BYTES
    this.kept = undefined
    this.pairs = []
  }

  private feed(chunk: Buffer, isOurs: boolean, onFrame: OnFrame): FrameFault | undefined {
    const size = chunk.length
    const consumedBefore = this.consumedBytes
    let at = 0
    while (at < size) {
      let frame: Frame
      if (this.heldLength > 0) {
        const end = this.pieceEnd(chunk, at)
        this.hold(chunk, at, end)
        at = end
        const step = this.advance(this.held, 0, this.heldLength)
        if (step === STEP.more) continue
        if (step === STEP.fault) break
        frame = this.frameIn(this.held, 0)
        this.heldLength = 0
      } else {
        at = this.skipEols(chunk, at)
        if (this.state !== STATE.command) break
        const step = this.advance(chunk, at, size)
        if (step === STEP.more) {
          this.hold(chunk, at, size)
          at = size
          break
        }
        if (step === STEP.fault) break
        frame = this.frameIn(chunk, at)
        at += this.frameEnd
      }
      this.consumedBytes = consumedBefore + at
      // A callback that throws or pushes must not make the parser continue at an undefined position.
      this.stopped = true
      const continues = onFrame(frame) !== false
      if (this.isDone()) return undefined
      this.stopped = !continues
      if (!continues) {
        if (at < size) this.rest = isOurs ? chunk.subarray(at) : copyOf(chunk.subarray(at))
        break
      }
    }
    this.consumedBytes = consumedBefore + at
    if (this.heldLength === 0) this.held = NO_BYTES
    return this.failure === undefined ? undefined : this.removeFailure()
  }

  // The compiler does not know that a callback may have closed the parser.
  private isDone(): boolean {
    return this.state === STATE.done
  }

  /** The offset of the next frame's first byte, or the chunk's end. */
  private skipEols(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (byte === LF) this.state = STATE.betweenFrames
      else if (this.state === STATE.betweenFramesCr) {
        this.fail('a CR without LF')
        return at
      } else if (byte === CR && this.versionNow === '1.2') this.state = STATE.betweenFramesCr
      else {
        this.state = STATE.command
        this.scanned = 0
        return at
      }
    }
    return chunk.length
  }

  /**
   * The end of the piece of the chunk that is added next to the current frame: never past that frame's end, so that the
   * frames after it are read in place.
   */
  private pieceEnd(chunk: Buffer, at: number): number {
    const size = chunk.length
    switch (this.state) {
      case STATE.bodyByLength:
        return Math.min(size, at + this.bodyEnd + 1 - this.heldLength)
      case STATE.bodyToNul: {
        const most = Math.min(size, at + this.bodyStart + this.bodyBytesMaxNow + 1 - this.heldLength)
        const nul = chunk.indexOf(NUL, at)
        return nul === -1 ? most : Math.min(most, nul + 1)
      }
      case STATE.noBody:
        return at + 1
      default: {
        // At most one line: the longest that is allowed, with its CR and LF.
        const most = Math.min(size, at + this.limits.headerLineBytesMax + 2)
        for (let end = at; end < most; end++) if (chunk[end] === LF) return end + 1
        return most
      }
    }
  }

  /** Appends a piece of the chunk to the held part. */
  private hold(chunk: Buffer, from: number, to: number): void {
    const length = this.heldLength + (to - from)
    if (this.heldLength === 0 && this.held.length > HELD_BYTES_KEPT) this.held = NO_BYTES
    if (length > this.held.length) {
      let size = Math.max(HELD_BYTES_MIN, length, this.held.length * 2)
      // No more than the frame needs: doubling may exceed it.
      if (this.state === STATE.bodyByLength) size = Math.max(length, Math.min(size, this.bodyEnd + 1))
      // Not from the pool: a slice would keep its 8 KiB alive until a slow frame is complete.
      const larger = Buffer.allocUnsafeSlow(size)
      this.held.copy(larger, 0, 0, this.heldLength)
      this.held = larger
    }
    chunk.copy(this.held, this.heldLength, from, to)
    this.heldLength = length
  }

  /** Continues to read the frame whose first byte is at `origin`. */
  private advance(bytes: Buffer, origin: number, end: number): Step {
    let step: Step
    do step = this.step(bytes, origin, end)
    while (step === STEP.next)
    return step
  }

  private step(bytes: Buffer, origin: number, end: number): Step {
    switch (this.state) {
      case STATE.command:
        return this.readCommand(bytes, origin, end)
      case STATE.headers:
        return this.readHeaders(bytes, origin, end)
      case STATE.bodyByLength:
        return this.readBodyByLength(bytes, origin, end)
      case STATE.bodyToNul:
        return this.readBodyToNul(bytes, origin, end)
      case STATE.noBody:
        return this.readNoBody(bytes, origin, end)
      case STATE.betweenFrames:
      case STATE.betweenFramesCr:
      case STATE.done:
        return STEP.fault
    }
  }

  private readCommand(bytes: Buffer, origin: number, end: number): Step {
    const { commandBytesMax } = this.limits
    for (let at = origin + this.scanned; at < end; at++) {
      const byte = bytes[at]!
      if (byte === LF) return this.startHeaders(commandIn(bytes, origin, at), at + 1 - origin)
      if (byte === CR) {
        const command = commandIn(bytes, origin, at)
        if (this.versionNow !== '1.2' && command !== 'CONNECT') return this.fail('a CR in the command')
        if (at + 1 === end) {
          this.scanned = at - origin
          return STEP.more
        }
        if (bytes[at + 1] !== LF) return this.fail('a CR without LF')
        return this.startHeaders(command, at + 2 - origin)
      }
      if (byte < 0x21 || byte > 0x7e) return this.fail('not a STOMP command')
      if (at - origin === commandBytesMax)
        return this.failLimit('commandBytesMax', `a command over ${commandBytesMax} bytes`)
    }
    this.scanned = end - origin
    return STEP.more
  }

  private startHeaders(command: string, at: number): Step {
    this.command = command
    this.isSend = command === 'SEND'
    this.isConnect = command === 'CONNECT'
    this.allowsCrlf = this.isConnect || this.versionNow === '1.2'
    this.headersStart = at
    this.lineStart = at
    this.scanned = at
    this.state = STATE.headers
    if (this.isSend && this.kept === undefined) this.kept = new KeptLines()
    return STEP.next
  }

  private readHeaders(bytes: Buffer, origin: number, end: number): Step {
    const { pairs } = this
    const { headerLineBytesMax, headersMax, headersBytesMax } = this.limits
    const headersEnd = this.headersStart + headersBytesMax
    for (;;) {
      const start = origin + this.lineStart
      const index = pairs.length / 2
      const kept = this.isSend && index < KEPT_LINES ? this.kept : undefined
      let same = 0
      if (kept !== undefined) {
        same = kept.same(index, bytes, start, end)
        const size = kept.sizeOfWhole(index, same) || kept.keepNumber(index, bytes, start, end, same)
        if (size > 0 && size <= headerLineBytesMax && this.lineStart + size <= headersEnd) {
          this.addHeader(kept.nameOf(index), kept.valueOf(index))
          this.lineStart += size
          this.scanned = this.lineStart
          continue
        }
      }
      // The longest line that is allowed, with its CR and LF.
      const last = Math.min(end, start + headerLineBytesMax + 2)
      let at = origin + this.scanned
      while (at < last && bytes[at] !== LF && bytes[at] !== NUL) at++
      const length = at - start
      if (length > headerLineBytesMax) {
        const endsInCr = length === headerLineBytesMax + 1 && this.allowsCrlf && bytes[at - 1] === CR
        if (!endsInCr) return this.failLimit('headerLineBytesMax', `a header line over ${headerLineBytesMax} bytes`)
      }
      if (at === end) {
        this.scanned = at - origin
        return STEP.more
      }
      if (bytes[at] !== LF) return this.fail('a NUL among the headers')
      const lineEnd = this.allowsCrlf && length > 0 && bytes[at - 1] === CR ? at - 1 : at
      this.lineStart = at + 1 - origin
      this.scanned = this.lineStart
      if (lineEnd === start) return this.endHeaders()
      if (index === headersMax) return this.failLimit('headersMax', `more than ${headersMax} headers`)
      if (this.lineStart > headersEnd) {
        return this.failLimit('headersBytesMax', `header lines over ${headersBytesMax} bytes together`)
      }
      if (!this.readHeader(bytes, start, lineEnd, at + 1, kept, index, same)) return STEP.fault
    }
  }

  /** Reads a complete header line, of which `kept` has the first `same` bytes. False: it is faulty. */
  private readHeader(
    bytes: Buffer,
    start: number,
    end: number,
    next: number,
    kept: KeptLines | undefined,
    index: number,
    same: number,
  ): boolean {
    const known = kept === undefined || this.versionNow === '1.0' ? -1 : KNOWN_LINES.find(bytes, start, end)
    if (known !== -1) {
      const name = KNOWN_LINES.nameOf(known)
      const value = KNOWN_LINES.valueOf(known)
      kept!.keep(index, bytes, start, next, same, start + KNOWN_LINES.colonOf(known), name, value)
      this.addHeader(name, value)
      return true
    }
    let colon = -1
    let bitsSeen = 0
    let hasEscape = false
    let hasCr = false
    for (let at = start; at < end; at++) {
      const byte = bytes[at]!
      bitsSeen |= byte
      if (byte > BACKSLASH) continue
      if (byte === COLON) {
        if (colon === -1) colon = at
      } else if (byte === BACKSLASH) hasEscape = true
      else if (byte === CR) hasCr = true
    }
    if (hasCr && this.allowsCrlf) return this.failHeader(index, 'has a CR without LF')
    if (colon === -1) return this.failHeader(index, 'has no colon')
    if (colon === start) return this.failHeader(index, 'has no name')
    let encoding: 'latin1' | 'utf8' = 'latin1' // right for ASCII
    if (bitsSeen > 0x7f) {
      if (!isUtf8(bytes.subarray(start, end))) return this.failHeader(index, 'is not UTF-8')
      encoding = 'utf8'
    }
    let name = kept?.nameIn(index, same) ?? knownName(bytes.toString(encoding, start, colon))
    let value = bytes.toString(encoding, colon + 1, end)
    const version = this.versionNow
    if (!this.isConnect) {
      if (version === '1.0') value = trimHeader(value)
      else if (hasEscape) {
        const plainName = unescaped(bytes.toString(encoding, start, colon), version)
        const plainValue = unescaped(value, version)
        if (plainName === undefined || plainValue === undefined) {
          return this.failHeader(index, `has an escape that STOMP ${version} does not know`)
        }
        name = knownName(plainName)
        value = plainValue
      }
    }
    kept?.keep(index, bytes, start, next, same, colon, name, value)
    if (kept !== undefined && version !== '1.0' && bitsSeen <= 0x7f && !hasEscape && !hasCr) {
      KNOWN_LINES.keep(bytes, start, end, colon - start, name, value)
    }
    this.addHeader(name, value)
    return true
  }

  private addHeader(name: string, value: string): void {
    this.pairs.push(name, value)
    if (name === 'content-length' && this.lengthText === undefined) this.lengthText = value
  }

  private endHeaders(): Step {
    this.bodyBytesMaxNow = this.bodyBytesMax
    this.bodyStart = this.lineStart
    this.bodyEnd = this.bodyStart
    const { lengthText } = this
    if (lengthText === undefined) {
      this.state = this.isSend ? STATE.bodyToNul : STATE.noBody
      return STEP.next
    }
    const length = parseLength(this.isConnect ? trimHeader(lengthText) : lengthText)
    if (length === undefined) return this.fail('content-length is not a number of bytes')
    if (length > this.bodyBytesMaxNow) return this.failBodyLimit()
    if (length > 0 && !this.isSend) return this.failBody()
    this.bodyEnd += length
    this.state = STATE.bodyByLength
    return STEP.next
  }

  private readBodyByLength(bytes: Buffer, origin: number, end: number): Step {
    const at = origin + this.bodyEnd
    if (at >= end) return STEP.more
    if (bytes[at] !== NUL) return this.fail('content-length is wrong: no NUL after the body')
    return this.endFrame(this.bodyEnd)
  }

  private readBodyToNul(bytes: Buffer, origin: number, end: number): Step {
    const start = origin + this.bodyStart
    // The held buffer has an unwritten end. Searching it for each byte that arrives would be quadratic.
    const written = end === bytes.length ? bytes : bytes.subarray(0, end)
    const nul = written.indexOf(NUL, origin + this.scanned)
    const at = nul === -1 ? end : nul
    if (at - start > this.bodyBytesMaxNow) return this.failBodyLimit()
    if (at === end) {
      this.scanned = at - origin
      return STEP.more
    }
    return this.endFrame(at - origin)
  }

  private readNoBody(bytes: Buffer, origin: number, end: number): Step {
    let at = origin + this.bodyStart
    if (this.isConnect && at < end) {
      if (bytes[at] === CR) {
        at++
        if (at < end && bytes[at] !== LF) return this.failBody()
      }
      if (at < end && bytes[at] === LF) at++
    }
    if (at >= end) return STEP.more
    if (bytes[at] !== NUL) return this.failBody()
    this.endFrame(at - origin)
    this.bodyEnd = this.bodyStart
    return STEP.frame
  }

  private endFrame(nul: number): Step {
    this.bodyEnd = nul
    this.frameEnd = nul + 1
    return STEP.frame
  }

  /** Returns the complete frame; the parser is between frames again. */
  private frameIn(bytes: Buffer, origin: number): Frame {
    const { command, pairs, bodyStart, bodyEnd } = this
    this.pairs = []
    this.lengthText = undefined
    this.state = STATE.betweenFrames
    return {
      command,
      headers: new FrameHeaders(pairs),
      body: bodyEnd === bodyStart ? NO_BYTES : bytes.subarray(origin + bodyStart, origin + bodyEnd),
    }
  }

  private fail(message: string, limit?: keyof FrameLimits): Step {
    const receipt = new FrameHeaders(this.pairs).get('receipt')
    this.failure = {
      fault: limit === undefined ? 'syntax' : 'limit',
      ...(limit !== undefined && { limit }),
      message,
      ...(receipt !== undefined && { receipt }),
    }
    this.close()
    return STEP.fault
  }

  private failLimit(limit: keyof FrameLimits, message: string): Step {
    return this.fail(`${message} (${limit})`, limit)
  }

  private failHeader(index: number, what: string): false {
    this.fail(`header ${index + 1} ${what}`)
    return false
  }

  private failBody(): Step {
    return this.fail('a body, which only SEND may have')
  }

  private failBodyLimit(): Step {
    return this.failLimit('bodyBytesMax', `a body over ${this.bodyBytesMaxNow} bytes`)
  }

  private removeFailure(): FrameFault | undefined {
    const { failure } = this
    this.failure = undefined
    return failure
  }
}
