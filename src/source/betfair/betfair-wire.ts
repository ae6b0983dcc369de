// The bytes of the exchange stream: JSON messages over TLS, one a line, each with a CRLF at its end. Nothing more is
// read until all lines were fetched: a slow reader slows the sender, and memory stays bounded.

import { isUtf8 } from 'node:buffer'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { reasonOf } from '../kit/socket-reasons.ts'

export interface WireOptions {
  /** Name or address; IPv6 without brackets. */
  readonly host: string
  readonly port: number
  /** Certificates (PEM) to trust instead of the public authorities. */
  readonly ca: string | undefined
  /** Time limit up to the end of the TLS handshake. */
  readonly openMsMax: number
  /** Of a line, without its end. */
  readonly lineBytesMax: number
  /** Ends the wire in any state. */
  readonly signal: AbortSignal
}

/** There is no further line. */
export interface WireFault {
  /** Words to follow a colon. */
  readonly fault: string
  /** Because the bytes are no line of text. */
  readonly isMalformed: boolean
}

const LF = 0x0a
const CR = 0x0d

export class Wire {
  private readonly socket: TLSSocket
  private readonly lineBytesMax: number
  private lines: string[] = []
  private fetched = 0
  private parts: Buffer[] = []
  private partBytes = 0
  private fault: WireFault | undefined
  private wake: () => void = () => {}

  /** Connects. A certificate that is not trusted is a fault. */
  static async open(options: WireOptions): Promise<Wire | WireFault> {
    const wire = new Wire(options)
    await wire.within(options.openMsMax, 'no answer', (resolve) => wire.socket.once('secureConnect', resolve))
    return wire.fault ?? wire
  }

  private constructor(options: WireOptions) {
    const { host, port, ca, signal } = options
    this.lineBytesMax = options.lineBytesMax
    const name = isIP(host) === 0 ? { servername: host } : {}
    this.socket = connect({ host, port, ...name, ...(ca === undefined ? {} : { ca }) })
    this.socket.setNoDelay(true)
    this.socket.pause()
    this.socket.on('data', (chunk: Buffer) => this.split(chunk))
    this.socket.on('error', (error) => this.finish(reasonOf(error)))
    this.socket.on('end', () => this.finish('the connection was closed'))
    this.socket.on('close', () => {
      signal.removeEventListener('abort', abort)
      this.finish('the connection was closed')
    })
    const abort = (): void => this.finish('stopped')
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
  }

  /** Sends a message. Ignored by a wire that is over. */
  send(message: Readonly<Record<string, unknown>>): void {
    if (this.fault === undefined) this.socket.write(`${JSON.stringify(message)}\r\n`)
  }

  /**
   * The next line, without its end and never empty; or why there is none. Lines that came before the end are delivered
   * first. Call it again only after it has resolved.
   * @param silenceMsMax how long there may be no whole line before the wire counts as broken: bytes alone do not count;
   * time in which the caller did not fetch is no silence
   */
  async next(silenceMsMax: number): Promise<string | WireFault> {
    for (;;) {
      const line = this.lines[this.fetched]
      if (line !== undefined) {
        this.fetched++
        return line
      }
      if (this.fault !== undefined) return this.fault
      this.lines = []
      this.fetched = 0
      await this.within(silenceMsMax, 'no message came', () => this.socket.resume())
      this.socket.pause()
    }
  }

  /** Ends it now. */
  close(): void {
    this.finish('closed')
  }

  /** Waits until `begin` or the end of the wire wakes it; after `msMax` the wire ends. */
  private async within(msMax: number, what: string, begin: (resolve: () => void) => void): Promise<void> {
    if (this.fault !== undefined) return
    let isAwake = false
    // After a pause of this process timers run first, and data that arrived in time is still unread.
    const timer = setTimeout(
      () => setImmediate(() => !isAwake && this.finish(`${what} within ${msMax / 1000} s`)),
      msMax,
    )
    await new Promise<void>((resolve) => {
      const awake = (): void => {
        isAwake = true
        resolve()
      }
      this.wake = awake
      begin(awake)
    })
    clearTimeout(timer)
  }

  private split(chunk: Buffer): void {
    if (this.fault !== undefined) return
    let start = 0
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      if (!this.addLine(chunk.subarray(start, end))) return
      start = end + 1
    }
    if (start < chunk.length) this.hold(chunk.subarray(start))
    if (this.lines.length > 0) this.wake()
  }

  private hold(part: Buffer): void {
    this.parts.push(part)
    this.partBytes += part.length
    // One more than allowed may still be the CR of the line end.
    if (this.partBytes > this.lineBytesMax + 1) this.finish(`a line is longer than ${this.lineBytesMax} bytes`, true)
  }

  /** Adds a line. @returns whether there may be more */
  private addLine(last: Buffer): boolean {
    let bytes = this.partBytes === 0 ? last : Buffer.concat([...this.parts, last])
    this.parts = []
    this.partBytes = 0
    if (bytes.at(-1) === CR) bytes = bytes.subarray(0, -1)
    if (bytes.length > this.lineBytesMax) this.finish(`a line is longer than ${this.lineBytesMax} bytes`, true)
    else if (!isUtf8(bytes)) this.finish('a line is not UTF-8', true)
    else if (bytes.length > 0) this.lines.push(bytes.toString('utf8'))
    return this.fault === undefined
  }

  private finish(fault: string, isMalformed = false): void {
    if (this.fault !== undefined) return
    this.fault = { fault, isMalformed }
    this.parts = []
    this.socket.destroy()
    this.wake()
  }
}
