// A STOMP server for tests of those who send: it answers as docs/live-protocol.md 1 and 7 say, unless the script of a test
// takes a frame into its own hands.

import assert from 'node:assert/strict'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

export interface Frame {
  readonly command: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Which connection it came by, from 1. */
  readonly connection: number
}

/** One connection, as a script sees it. */
export interface Peer {
  /** Which one it is, from 1. */
  readonly number: number
  readonly socket: Socket
  send(command: string, headers?: Readonly<Record<string, string | number>>, body?: string): void
  /** RECEIPT for a frame. */
  receipt(frame: Frame, headers?: Readonly<Record<string, string>>): void
  /** MESSAGE of `/topic/refusals` for a SEND. */
  refusal(frame: Frame, code: string, message: string, field?: string): void
}

/** Sees each frame first; true: the script has dealt with it. */
export type Script = (frame: Frame, peer: Peer, broker: ScriptedBroker) => boolean | void

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll(':', '\\c')

/** Cuts bytes into frames; the CONNECT frame is not unescaped. */
class Frames {
  private held = Buffer.alloc(0)
  private readonly connection: number

  constructor(connection: number) {
    this.connection = connection
  }

  cut(chunk: Buffer): Frame[] {
    this.held = Buffer.concat([this.held, chunk])
    const frames: Frame[] = []
    for (;;) {
      let start = 0
      while (this.held[start] === 0x0a) start++
      const blank = this.held.indexOf('\n\n', start)
      if (blank === -1) return frames
      const [command = '', ...lines] = this.held.toString('utf8', start, blank).split('\n')
      const headers: Record<string, string> = {}
      for (const line of lines) headers[line.slice(0, line.indexOf(':'))] ??= line.slice(line.indexOf(':') + 1)
      const bodyStart = blank + 2
      const { 'content-length': length } = headers
      const end = length === undefined ? this.held.indexOf(0, bodyStart) : bodyStart + Number(length)
      if (end === -1 || end >= this.held.length) return frames
      assert.equal(this.held[end], 0, 'a body is as long as its content-length says')
      frames.push({ command, headers, body: this.held.toString('utf8', bodyStart, end), connection: this.connection })
      this.held = this.held.subarray(end + 1)
    }
  }
}

export class ScriptedBroker {
  /** Everything that came, in its order. */
  readonly frames: Frame[] = []
  readonly sockets = new Set<Socket>()
  connections = 0
  private readonly server: Server
  private readonly script: Script
  private waiters: { readonly isSo: () => boolean; readonly resolve: () => void }[] = []

  /** Listens on a free port of the loopback; or on a given one, to come back there. */
  static async listen(script: Script = () => {}, options: ListenOptions = {}): Promise<ScriptedBroker> {
    const broker = new ScriptedBroker(script, options)
    await new Promise<void>((resolve) => broker.server.listen(options.port ?? 0, '127.0.0.1', resolve))
    return broker
  }

  private constructor(script: Script, { tls, onConnection }: ListenOptions) {
    this.script = script
    const accept = (socket: Socket): void => {
      const peer = this.peerOf(socket, ++this.connections)
      const frames = new Frames(peer.number)
      this.sockets.add(socket)
      socket.on('close', () => {
        this.sockets.delete(socket)
        this.look()
      })
      socket.on('error', () => {}) // The other side may break off as it likes.
      onConnection?.(peer)
      socket.on('data', (chunk: Buffer) => {
        for (const frame of frames.cut(chunk)) {
          if (socket.destroyed) return
          this.frames.push(frame)
          if (this.script(frame, peer, this) !== true) this.answer(frame, peer)
        }
        this.look()
      })
      this.look()
    }
    this.server = tls === undefined ? createServer({ noDelay: true }, accept) : createTlsServer(tls, accept)
  }

  get port(): number {
    return (this.server.address() as { port: number }).port
  }

  /** SENDs so far, of one connection or of all. */
  sends(connection?: number): Frame[] {
    return this.frames.filter(
      (frame) => frame.command === 'SEND' && (connection === undefined || frame.connection === connection),
    )
  }

  /** Resolves as soon as it is so; looked at whenever something has come. */
  until(isSo: () => boolean): Promise<void> {
    if (isSo()) return Promise.resolve()
    return new Promise((resolve) => this.waiters.push({ isSo, resolve }))
  }

  /** Stops listening and breaks every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve))
    for (const socket of this.sockets) socket.destroy()
    await closed
  }

  private look(): void {
    this.waiters = this.waiters.filter(({ isSo, resolve }) => {
      if (!isSo()) return true
      resolve()
      return false
    })
  }

  private answer(frame: Frame, peer: Peer): void {
    if (frame.command === 'CONNECT') {
      peer.send('CONNECTED', { version: '1.2', session: 's', server: 'scripted/1', 'heart-beat': '1000,1000' })
      return
    }
    if (frame.headers.receipt !== undefined) peer.receipt(frame)
    if (frame.command === 'DISCONNECT') peer.socket.end()
  }

  private peerOf(socket: Socket, number: number): Peer {
    const send: Peer['send'] = (command, headers = {}, body = '') => {
      const lines = Object.entries(headers).map(([name, value]) => {
        const text = String(value)
        return `${name}:${command === 'CONNECTED' ? text : escaped(text)}\n`
      })
      socket.write(`${command}\n${lines.join('')}\n${body}\0\n`)
    }
    return {
      number,
      socket,
      send,
      receipt: (frame, headers = {}) => send('RECEIPT', { 'receipt-id': frame.headers.receipt!, ...headers }),
      refusal: (frame, code, message, field) => {
        const body = JSON.stringify({ code, message, field, receipt: frame.headers.receipt })
        send(
          'MESSAGE',
          {
            destination: '/topic/refusals',
            'message-id': `m-${frame.headers.receipt}`,
            subscription: 'refusals',
            kind: 'refusal',
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(body),
          },
          body,
        )
      },
    }
  }
}

export interface ListenOptions {
  readonly port?: number
  readonly tls?: { readonly key: string; readonly cert: string }
  readonly onConnection?: (peer: Peer) => void
}
