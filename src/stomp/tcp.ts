// STOMP over TCP, or over TLS where there is a certificate.

import { readFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Broker } from './broker.ts'
import type { Carrier } from './carrier.ts'
import type { LiveLimits } from './limits.ts'

/** Probes begin this long before a client that answers none of them is given up; ten of them, a second apart. */
const PROBE_MS = 10_000

class TcpCarrier implements Carrier {
  readonly kind = 'tcp'
  private readonly socket: Socket
  private readonly closeMsMax: number
  private isGone = false

  constructor(socket: Socket, closeMsMax: number) {
    this.socket = socket
    this.closeMsMax = closeMsMax
  }

  /** Nothing can be written any more. */
  gone(): void {
    this.isGone = true
  }

  get bufferedBytes(): number {
    return this.socket.writableLength
  }

  write(frame: Buffer): void {
    if (!this.isGone) this.socket.write(frame)
  }

  writeRun(bytes: Buffer, ends: readonly number[], from: number, to: number): void {
    const start = from === 0 ? 0 : ends[from - 1]!
    this.write(bytes.subarray(start, ends[to - 1]))
  }

  cork(write: () => void): void {
    this.socket.cork()
    write()
    this.socket.uncork()
  }

  join(): boolean {
    return false
  }

  leave(): void {}

  pauseReading(): void {
    this.socket.pause()
  }

  readOn(): void {
    this.socket.resume()
  }

  // What the client still sends is read and dropped: octets that nobody has read would turn our FIN into a reset, and the
  // ERROR before it would be lost.
  end(): void {
    const { socket } = this
    this.isGone = true
    socket.end()
    socket.resume()
    const timer = setTimeout(() => socket.destroy(), this.closeMsMax)
    socket.once('close', () => clearTimeout(timer))
  }

  destroy(): void {
    this.socket.destroy()
  }
}

export interface TcpServerOptions {
  readonly broker: Broker
  readonly limits: LiveLimits
  readonly host: string
  readonly port: number
  /** Certificate and key files; null: plain. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  /** Until then connections are closed at once. */
  readonly isReady: () => boolean
}

/** The port could not be taken; the system's reason. */
export interface TcpPortTaken {
  readonly takenPort: number
  readonly reason: string
}

export class TcpServer {
  readonly port: number
  private readonly server: Server
  private readonly sockets: Set<Socket>

  static listen(options: TcpServerOptions): Promise<TcpServer | TcpPortTaken> {
    const { broker, limits, host, port, tls, isReady } = options
    const sockets = new Set<Socket>()
    const accept = (socket: Socket): void => {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      // A reset by the client; `close` follows.
      socket.on('error', () => {})
      if (!isReady() || !broker.isOpen) {
        socket.destroy()
        return
      }
      socket.setNoDelay(true)
      socket.setKeepAlive(true, limits.silentMsMax - PROBE_MS)
      const carrier = new TcpCarrier(socket, limits.closeMsMax)
      const session = broker.open(carrier)
      const end = (): void => {
        carrier.gone()
        session.closed()
      }
      socket.on('data', (chunk) => session.receive(chunk))
      socket.on('drain', () => session.drained())
      socket.on('end', end)
      socket.on('error', end)
      socket.on('close', end)
    }
    const server =
      tls === null
        ? createServer(accept)
        : createTlsServer({ cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }, accept)
    return new Promise((resolve) => {
      server.once('error', (error: NodeJS.ErrnoException) =>
        resolve({ takenPort: port, reason: error.code ?? error.message }),
      )
      server.listen({ host, port, exclusive: true }, () => {
        // A failed handshake, or no more file descriptors: one connection less, not a fault of ours.
        server.removeAllListeners('error')
        server.on('error', () => {})
        server.on('tlsClientError', () => {})
        resolve(new TcpServer(server, sockets))
      })
    })
  }

  private constructor(server: Server, sockets: Set<Socket>) {
    this.server = server
    this.sockets = sockets
    this.port = (server.address() as { port: number }).port
  }

  /** Accepts no more connections. */
  stopAccepting(): void {
    this.server.close()
  }

  /** Resolves when all connections are gone, at the latest after `msMax`; then they are ended. */
  async close(msMax: number): Promise<void> {
    if (this.sockets.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, msMax)
        this.server.once('close', () => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
    for (const socket of this.sockets) socket.destroy()
  }
}
