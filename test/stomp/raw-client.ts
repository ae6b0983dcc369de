// A raw client, the same on TCP and on WebSocket. It sends any bytes in any pieces, and reads with a strict parser;
// whatever the server sends ill-formed fails the test that waits for the next frame.

import assert from 'node:assert/strict'
import { createConnection, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { WebSocket } from 'ws'
import * as clock from '../../src/clock.ts'
import {
  clientFrame,
  type Fields,
  type Headers,
  jsonOf,
  type ServerFrame,
  shownFrame,
  StrictReader,
  type Version,
} from './strict-frames.ts'

export const CARRIERS = ['tcp', 'websocket'] as const

export type Carrier = (typeof CARRIERS)[number]

/** Where a service listens. */
export interface Endpoint {
  readonly stomp: number
  readonly http: number
  /** The certificate to trust, where the service speaks TLS. */
  readonly ca?: string
}

/** What belongs to the WebSocket handshake; TCP has none. */
export interface OpenOptions {
  /** Subprotocols offered. */
  readonly protocols?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** Whether pings are answered by themselves. */
  readonly autoPong?: boolean
  /** Whether permessage-deflate is offered. */
  readonly deflate?: boolean
}

/** How a connection ended. */
export interface Ending {
  /** The server ended it in order: FIN on TCP, a close frame on WebSocket. */
  readonly isOrderly: boolean
  /** Close code on WebSocket. */
  readonly code?: number
  /** `ECONNRESET` and the like. */
  readonly error?: string
}

/** Any wait of a test; far above what a loaded machine needs. */
export const LIMIT_MS = 15_000

/** A WebSocket handshake that was answered with something else than 101. */
export class HandshakeRefused extends Error {
  override name = 'HandshakeRefused'
  readonly status: number

  constructor(status: number) {
    super(`the handshake was answered with ${status}`)
    this.status = status
  }
}

/** What carries the bytes. */
interface Wire {
  write(bytes: string | Buffer): Promise<void>
  /** FIN, or a close frame. */
  end(): void
  destroy(): void
  pause(): void
  resume(): void
}

interface Listener {
  data(bytes: Buffer, isBinary: boolean): void
  ended(ending: Ending): void
}

const openTcp = (endpoint: Endpoint, listener: Listener): Promise<{ wire: Wire; socket: Socket }> =>
  new Promise((resolve, reject) => {
    const { stomp: port, ca } = endpoint
    const address = { host: '127.0.0.1', port, allowHalfOpen: true }
    const socket: Socket =
      ca === undefined ? createConnection(address) : connectTls({ ...address, ca, servername: 'localhost' })
    socket.setNoDelay(true)
    socket.once('error', reject)
    const wire: Wire = {
      write: (bytes) => new Promise((written) => socket.write(bytes, () => written())),
      end: () => socket.end(),
      destroy: () => socket.destroy(),
      pause: () => socket.pause(),
      resume: () => socket.resume(),
    }
    socket.once(ca === undefined ? 'connect' : 'secureConnect', () => {
      socket.off('error', reject)
      socket.on('data', (bytes) => listener.data(bytes, false))
      socket.once('end', () => listener.ended({ isOrderly: true }))
      socket.on('error', (error: NodeJS.ErrnoException) =>
        listener.ended({ isOrderly: false, error: error.code ?? error.message }),
      )
      socket.once('close', () => listener.ended({ isOrderly: false, error: 'closed without FIN' }))
      resolve({ wire, socket })
    })
  })

const openWebSocket = (
  endpoint: Endpoint,
  options: OpenOptions,
  listener: Listener,
): Promise<{ wire: Wire; webSocket: WebSocket }> =>
  new Promise((resolve, reject) => {
    const { http, ca } = endpoint
    const webSocket = new WebSocket(
      `${ca === undefined ? 'ws' : 'wss'}://127.0.0.1:${http}/stomp`,
      [...(options.protocols ?? [])],
      {
        headers: { ...options.headers },
        perMessageDeflate: options.deflate ?? false,
        autoPong: options.autoPong ?? true,
        ...(ca === undefined ? {} : { ca }),
      },
    )
    webSocket.once('error', reject)
    webSocket.once('unexpected-response', (request, response) => {
      reject(new HandshakeRefused(response.statusCode ?? 0))
      request.destroy()
    })
    // At once, and not when the promise is looked at: the first frame may come with the handshake.
    webSocket.on('message', (data, isBinary) => listener.data(data as Buffer, isBinary))
    webSocket.on('close', (code) => listener.ended({ isOrderly: code !== 1006, code }))
    const wire: Wire = {
      write: (bytes) => new Promise((written) => webSocket.send(bytes, () => written())),
      end: () => webSocket.close(),
      destroy: () => webSocket.terminate(),
      pause: () => webSocket.pause(),
      resume: () => webSocket.resume(),
    }
    webSocket.once('open', () => {
      webSocket.off('error', reject)
      webSocket.on('error', () => {})
      resolve({ wire, webSocket })
    })
  })

const TRANSCRIPT_LINES_MAX = 40

export class RawClient {
  readonly carrier: Carrier
  readonly version: Version
  readonly reader = new StrictReader()
  /** Present on WebSocket. */
  readonly webSocket: WebSocket | undefined
  /** Present on TCP. */
  readonly socket: Socket | undefined
  /** When heart-beats arrived, monotonic ms. */
  readonly beatsAt: number[] = []
  private readonly wire: Wire
  private readonly arrived: ServerFrame[] = []
  private readonly notes: (string | ServerFrame)[] = []
  private readonly arrivedAtMs = new WeakMap<ServerFrame, number>()
  private fault: Error | undefined
  private ending: Ending | undefined
  private wake: () => void = () => {}
  private nextId = 1
  private throttling: NodeJS.Timeout | undefined

  /**
   * Connects the carrier; sends nothing.
   * @param version in which {@link frame} writes, and of which {@link connect} speaks
   * @throws HandshakeRefused
   */
  static async open(
    endpoint: Endpoint,
    carrier: Carrier,
    version: Version,
    options: OpenOptions = {},
  ): Promise<RawClient> {
    let client: RawClient | undefined
    // The first frame cannot come before the first bytes were sent, but the end of the connection can.
    const early: (() => void)[] = []
    const later = (act: (to: RawClient) => void): void => {
      if (client === undefined) early.push(() => act(client!))
      else act(client)
    }
    const listener: Listener = {
      data: (bytes, isBinary) => later((to) => to.take(bytes, isBinary)),
      ended: (ending) => later((to) => to.end(ending)),
    }
    if (carrier === 'tcp') {
      const { wire, socket } = await openTcp(endpoint, listener)
      client = new RawClient(carrier, version, wire, undefined, socket)
    } else {
      const protocols = options.protocols ?? [`v${version.replace('.', '')}.stomp`]
      const { wire, webSocket } = await openWebSocket(endpoint, { ...options, protocols }, listener)
      client = new RawClient(carrier, version, wire, webSocket, undefined)
    }
    for (const act of early) act()
    return client
  }

  private constructor(
    carrier: Carrier,
    version: Version,
    wire: Wire,
    webSocket: WebSocket | undefined,
    socket: Socket | undefined,
  ) {
    this.carrier = carrier
    this.version = version
    this.wire = wire
    this.webSocket = webSocket
    this.socket = socket
  }

  /** What was sent and what came, the last lines; keys are left out. */
  transcript(): string[] {
    return this.notes
      .map((note) => (typeof note === 'string' ? note : `← ${shownFrame(note)}`))
      .map((line) => line.replaceAll(/odds_(live|feed)_\w+/g, 'odds_$1_…'))
  }

  // ---- out

  /** Sends bytes as they are: one write on TCP; one message on WebSocket, a text one where they are UTF-8. */
  write(bytes: string | Buffer): Promise<void> {
    const text = typeof bytes === 'string' ? bytes : bytes.toString('utf8')
    this.note(`→ ${JSON.stringify(text.slice(0, 400))}${text.length > 400 ? ` … ${text.length} characters` : ''}`)
    const isText = typeof bytes === 'string' || Buffer.from(text).equals(bytes)
    return this.wire.write(isText ? text : bytes)
  }

  /** Sends bytes in pieces of `size`, each only after the system has accepted the one before. */
  async writeInPieces(bytes: Buffer, size = 1): Promise<void> {
    this.note(`→ in pieces of ${size}: ${JSON.stringify(bytes.toString('utf8').slice(0, 400))}`)
    for (let from = 0; from < bytes.length; from += size) await this.wire.write(bytes.subarray(from, from + size))
  }

  /** Sends one frame. */
  frame(command: string, headers: Headers = {}, body: string | Uint8Array = ''): Promise<void> {
    return this.write(clientFrame(command, headers, this.version, body))
  }

  /** Sends CONNECT and expects CONNECTED in this client's version. */
  async connect(headers: Headers = {}): Promise<ServerFrame> {
    const own = Array.isArray(headers) ? headers : Object.entries(headers)
    await this.frame('CONNECT', [['accept-version', this.version], ['host', 'localhost'], ...own])
    const connected = await this.next('CONNECTED')
    assert.equal(connected.headers.get('version'), this.version)
    return connected
  }

  /** A receipt id that this client has not used. */
  receiptId(): string {
    return `r-${this.nextId++}`
  }

  /** Sends a frame that asks for a RECEIPT. Returns the RECEIPT and, in `before`, what came before it. */
  async request(
    command: string,
    headers: Fields = {},
    body: string | Uint8Array = '',
  ): Promise<{ readonly receipt: ServerFrame; readonly before: readonly ServerFrame[] }> {
    const id = this.receiptId()
    await this.frame(command, { ...headers, receipt: id }, body)
    const frames = await this.until((frame) => frame.command === 'RECEIPT' || frame.command === 'ERROR')
    const receipt = frames.at(-1)!
    assert.equal(receipt.command, 'RECEIPT', `${command} was answered with ${shownFrame(receipt)}`)
    assert.equal(receipt.headers.get('receipt-id'), id)
    return { receipt, before: frames.slice(0, -1) }
  }

  /** SUBSCRIBE with a receipt, which must come before any MESSAGE (docs/live-protocol.md 3.2). */
  async subscribe(destination: string, headers: Fields = {}): Promise<void> {
    const { before } = await this.request('SUBSCRIBE', { id: 'sub-0', destination, ...headers })
    const id = headers.id ?? 'sub-0'
    const own = before.filter((frame) => frame.headers.get('subscription') === id)
    assert.deepEqual(own.map(shownFrame), [], 'a MESSAGE before the RECEIPT of its SUBSCRIBE')
  }

  /** ACK or NACK of a MESSAGE as this version does it; does not wait. */
  answer(command: 'ACK' | 'NACK', message: ServerFrame, headers: Fields = {}): Promise<void> {
    return this.frame(command, { ...this.ackHeaders(message), ...headers })
  }

  /** The headers by which this version names a MESSAGE in ACK and NACK. */
  ackHeaders(message: ServerFrame): Record<string, string> {
    const pick = (name: string): string => {
      const value = message.headers.get(name)
      assert(value !== undefined, `no ${name} to answer: ${shownFrame(message)}`)
      return value
    }
    if (this.version === '1.2') return { id: pick('ack') }
    if (this.version === '1.1') return { 'message-id': pick('message-id'), subscription: pick('subscription') }
    return { 'message-id': pick('message-id') }
  }

  /** Ends our side: FIN, or a close frame. */
  finish(): void {
    this.wire.end()
  }

  /** Breaks the connection. */
  destroy(): void {
    clearInterval(this.throttling)
    this.wire.destroy()
  }

  pause(): void {
    this.wire.pause()
  }

  resume(): void {
    this.wire.resume()
  }

  /** Reads one piece every so many ms, and no more; undefined: reads freely again. */
  throttle(everyMs: number | undefined): void {
    clearInterval(this.throttling)
    this.throttling = undefined
    if (everyMs !== undefined) this.throttling = setInterval(() => this.resume(), everyMs)
    this.resume()
  }

  // ---- in

  /** The next frame, which must have this command. Fails when the connection ends first, or after `ms`. */
  async next(command?: string, ms = LIMIT_MS): Promise<ServerFrame> {
    const frame = await this.waitFor(() => this.arrived.shift(), command ?? 'a frame', ms)
    if (command !== undefined) {
      assert.equal(frame.command, command, `waiting for ${command}, got ${shownFrame(frame)}`)
    }
    return frame
  }

  /** The next frame, a MESSAGE; its body as JSON beside it. */
  async message(ms = LIMIT_MS): Promise<ServerFrame> {
    return this.next('MESSAGE', ms)
  }

  /** All frames up to the first one that fits, which is the last returned. */
  async until(fits: (frame: ServerFrame) => boolean, ms = LIMIT_MS): Promise<ServerFrame[]> {
    const frames: ServerFrame[] = []
    const endsAt = clock.elapsedMs() + ms
    for (;;) {
      const frame = await this.next(undefined, Math.max(1, endsAt - clock.elapsedMs()))
      frames.push(frame)
      if (fits(frame)) return frames
    }
  }

  /** A number of frames. */
  async several(count: number): Promise<ServerFrame[]> {
    const frames: ServerFrame[] = []
    while (frames.length < count) frames.push(await this.next())
    return frames
  }

  /** Whether the connection has ended, as far as has been read. */
  get hasEnded(): boolean {
    return this.ending !== undefined
  }

  /** When a frame arrived, monotonic ms. */
  arrivedMs(frame: ServerFrame): number {
    return this.arrivedAtMs.get(frame)!
  }

  /** How many frames have arrived and were not fetched. */
  get waiting(): number {
    return this.arrived.length
  }

  /**
   * Sends a frame that changes nothing and returns what arrives before its RECEIPT: after it, everything that this
   * session's earlier frames caused is here.
   */
  async barrier(): Promise<readonly ServerFrame[]> {
    const transaction = `barrier-${this.nextId}`
    const { before } = await this.request('BEGIN', { transaction })
    const { before: between } = await this.request('ABORT', { transaction })
    return [...before, ...between]
  }

  /** The ERROR that the session ends with, and how the server closes then. MESSAGEs before it are skipped. */
  async error(ms = LIMIT_MS): Promise<{ readonly error: ServerFrame; readonly ending: Ending }> {
    const frames = await this.until((frame) => frame.command === 'ERROR' || frame.command === 'RECEIPT', ms)
    const error = frames.at(-1)!
    assert.equal(error.command, 'ERROR', `waiting for ERROR, got ${shownFrame(error)}`)
    const ending = await this.closed(ms)
    return { error, ending }
  }

  /** Expects an ERROR with this code as its message and in its JSON body, then the close. */
  async refused(code: string, ms = LIMIT_MS): Promise<ServerFrame> {
    const { error, ending } = await this.error(ms)
    assert.equal(error.headers.get('message'), code, shownFrame(error))
    assert.equal(error.headers.get('content-type'), 'application/json', shownFrame(error))
    const { error: inside } = jsonOf(error)
    assert.equal(String(inside?.code), code, shownFrame(error))
    assert.equal(typeof inside?.message, 'string', shownFrame(error))
    assert(ending.isOrderly, `closed by ${JSON.stringify(ending)}`)
    return error
  }

  /** Waits until the server has closed; no frame may come before. */
  async closed(ms = LIMIT_MS): Promise<Ending> {
    return this.waitFor(
      () => {
        const frame = this.arrived[0]
        if (frame !== undefined) assert.fail(`instead of the close came ${shownFrame(frame)}`)
        if (this.fault !== undefined) throw this.fault
        return this.ending
      },
      'the close',
      ms,
    )
  }

  /** Waits until so many heart-beats have arrived. */
  async beats(count: number, ms = LIMIT_MS): Promise<void> {
    await this.waitFor(() => (this.beatsAt.length >= count ? true : undefined), `${count} heart-beats`, ms)
  }

  private take(bytes: Buffer, isBinary: boolean): void {
    if (this.throttling !== undefined) this.pause()
    if (this.fault !== undefined) return
    const onFrame = (frame: ServerFrame): void => {
      this.note(frame)
      this.arrivedAtMs.set(frame, clock.elapsedMs())
      this.arrived.push(frame)
    }
    const { beats } = this.reader
    try {
      if (this.carrier === 'tcp') this.reader.pushBytes(bytes, onFrame)
      else this.reader.pushMessage(bytes, isBinary, onFrame)
    } catch (error) {
      this.note(`← ill-formed: ${JSON.stringify(bytes.toString('utf8').slice(0, 400))}`)
      this.fault = error as Error
    }
    for (let beat = beats; beat < this.reader.beats; beat++) this.beatsAt.push(clock.elapsedMs())
    this.wake()
  }

  private end(ending: Ending): void {
    if (this.ending !== undefined) return
    this.note(`← closed ${JSON.stringify(ending)}`)
    this.ending = ending
    clearInterval(this.throttling)
    if (this.reader.heldBytes > 0) this.fault ??= new Error(`closed inside a frame (${this.reader.heldBytes} B of it)`)
    this.wake()
  }

  private async waitFor<Value>(look: () => Value | undefined, what: string, ms: number): Promise<Value> {
    const endsAt = clock.elapsedMs() + ms
    for (;;) {
      const value = look()
      if (value !== undefined) return value
      if (this.fault !== undefined) throw this.fault
      if (this.ending !== undefined && what !== 'the close') {
        throw new Error(`waiting for ${what}, the connection was closed: ${JSON.stringify(this.ending)}`)
      }
      const leftMs = endsAt - clock.elapsedMs()
      if (leftMs <= 0) throw new Error(`waiting for ${what}: nothing within ${ms} ms`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs)
        this.wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }

  private note(line: string | ServerFrame): void {
    this.notes.push(line)
    if (this.notes.length > TRANSCRIPT_LINES_MAX) this.notes.shift()
  }
}
