// STOMP over TCP, or over TLS if there is a certificate.

import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls'
import type { Broker } from './broker.ts'
import type { Carrier } from './carrier.ts'
import { type ConnectionRefusal, type Connections, countedAddress, type Release } from './connections.ts'
import { frameBytes } from './frame-writer.ts'
import type { LiveLimits } from './session-limits.ts'
import { expiryOf, readTls, type Tls } from './tls.ts'

/** Keep-alive probes begin this long before a silent client is disconnected; ten of them, a second apart. */
const PROBE_MS = 10_000

/**
 * Connections that the system accepts until this process takes them, where `net.core.somaxconn` allows as many: after a restart all
 * subscribers come at once, and those beyond it wait for a second, or are reset.
 */
const BACKLOG = 4_096

/** Refused connections that may still read their ERROR: beyond this number they are closed without one. */
const REFUSING_MAX = 32

/** As many as Node reads at once, and hands over where a connection was not paused. */
const PIECE_BYTES_MAX = 64 * 1_024

class TcpCarrier implements Carrier {
  readonly kind = 'tcp'
  private readonly socket: Socket
  private readonly closeMsMax: number
  private readonly onConnected: Release
  private isGone = false
  private isReading = true

  /** @param onConnected called once CONNECT was accepted */
  constructor(socket: Socket, closeMsMax: number, onConnected: Release) {
    this.socket = socket
    this.closeMsMax = closeMsMax
    this.onConnected = onConnected
  }

  connected(): void {
    this.onConnected()
  }

  /** Called when the connection is gone: nothing is written any more. */
  gone(): void {
    this.isGone = true
  }

  get bufferedBytes(): number {
    return this.isGone ? 0 : this.socket.writableLength
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
    this.isReading = false
    this.socket.pause()
  }

  /**
   * What came meanwhile is held in pieces, as the client sent them: up to 16 KiB. A stream that flows again hands over the first of
   * them, and is paused again. With that a feed of 50 small SENDs a second had its RECEIPTs after a second beside 20 feeds that
   * flood; with all pieces at once it has them after 50 ms.
   */
  readOn(): void {
    this.isReading = true
    if (this.socket.readableLength > 0) process.nextTick(this.takeAll)
    else this.socket.resume()
  }

  private readonly takeAll = (): void => {
    const { socket } = this
    // A stream that does not flow hands over as much as is asked for, as `data`.
    while (this.isReading && !this.isGone && socket.readableLength > 0) {
      socket.read(Math.min(socket.readableLength, PIECE_BYTES_MAX))
    }
    if (this.isReading && !this.isGone) socket.resume()
  }

  // What the client still sends is read and dropped: unread octets would turn the FIN into a reset, and the ERROR
  // before it would be lost.
  end(): void {
    const { socket } = this
    if (this.isGone) return
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
  readonly connections: Connections
  readonly host: string
  readonly port: number
  /** It listens only from {@link TcpServer.share} on, and lets other processes listen there, too. Left out: false. */
  readonly isShared?: boolean
  /** Certificate and key files; null: plain. */
  readonly tls: Tls | null
  /** While false, connections are closed at once. */
  readonly isReady: () => boolean
}

/** The port could not be used; the system's reason. */
export interface PortFault {
  readonly busyPort: number
  readonly reason: string
}

/** A connection with a TLS handshake in progress. */
interface Handshake {
  readonly release: Release
  readonly timer: NodeJS.Timeout
}

/** Reset by the client; `close` follows. */
const ignore = (): void => {}

/** Both ends of a connection: unique among open connections. */
const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`

const REFUSAL_WORDS: Readonly<Record<ConnectionRefusal, readonly [code: string, message: string]>> = {
  connections: ['service_unavailable', 'There are too many connections just now; try again in a moment'],
  http_connections: ['service_unavailable', 'Try again in a moment'],
  unconnected: ['service_unavailable', 'Too many connections have not sent CONNECT; try again in a moment'],
  address_unconnected: [
    'rate_limit_exceeded',
    'Too many connections from your address have not sent CONNECT; try again in a moment',
  ],
  upgrade_timeout: ['service_unavailable', 'Try again in a moment'],
}

const refusalFrame = (refusal: ConnectionRefusal): Buffer => {
  const [code, message] = REFUSAL_WORDS[refusal]
  const headers = [
    ['message', code],
    ['detail', message],
    ['content-type', 'application/json'],
  ] as const
  return frameBytes('ERROR', headers, '1.2', JSON.stringify({ error: { code, message } }))
}

/** Whether this Node has `reusePort`: https://nodejs.org/docs/latest-v22.x/api/net.html#serverlistenoptions-callback. */
export const CAN_SHARE_PORTS = /^(?:2[3-9]|[3-9]\d)\.|^22\.(?:1[2-9]|[2-9]\d)\./.test(process.versions.node)

const listen = (server: Server, options: ListenOptions): Promise<PortFault | undefined> =>
  new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      resolve({ busyPort: options.port!, reason: error.code ?? error.message }),
    )
    server.listen({ ...options, backlog: BACKLOG }, () => {
      // Out of file descriptors: one connection is lost, which is no fault of this process.
      server.removeAllListeners('error')
      server.on('error', () => {})
      resolve(undefined)
    })
  })

export class TcpServer {
  readonly port: number
  /** Epoch ms; undefined without TLS. */
  certificateExpiresAt: number | undefined
  private readonly options: TcpServerOptions
  private readonly server: Server
  /** It never listens: {@link server} passes it the connections that it has accepted. */
  private readonly tlsServer: TlsServer | undefined
  /** All connections, TLS handshakes and refused ones included. */
  private readonly sockets = new Set<Socket>()
  private readonly handshakes = new Map<string, Handshake>()
  private refusing = 0

  static listen(options: TcpServerOptions): Promise<TcpServer | PortFault> {
    const { host, port, tls } = options
    const context = tls === null ? undefined : readTls(tls)
    if (typeof context === 'string') return Promise.resolve({ busyPort: port, reason: context })
    const server = createServer()
    const newServer = (): TcpServer =>
      new TcpServer(server, context === undefined ? undefined : createTlsServer(context), options)
    if (options.isShared === true) return Promise.resolve(newServer())
    return listen(server, { host, port, exclusive: true }).then((fault) => fault ?? newServer())
  }

  private constructor(server: Server, tlsServer: TlsServer | undefined, options: TcpServerOptions) {
    this.server = server
    this.tlsServer = tlsServer
    this.options = options
    this.port = (server.address() as AddressInfo | null)?.port ?? options.port
    this.certificateExpiresAt = options.tls === null ? undefined : expiryOf(options.tls)
    server.on('connection', (socket) => this.accept(socket))
    tlsServer?.on('secureConnection', (socket) => {
      const handshake = this.handshakes.get(endsOf(socket))
      this.handshakes.delete(endsOf(socket))
      clearTimeout(handshake?.timer)
      // The connection has been closed meanwhile.
      if (handshake === undefined) socket.destroy()
      else this.serve(socket, handshake.release)
    })
    // A failed handshake closes its connection.
    tlsServer?.on('tlsClientError', () => {})
  }

  /**
   * Reads certificate and key from their files again, for new connections. Open ones continue unchanged.
   * @returns the reason if they cannot be used; then the old ones stay
   */
  reloadCertificate(): true | string {
    if (this.tlsServer === undefined) return true
    const context = readTls(this.options.tls!)
    if (typeof context === 'string') return context
    this.tlsServer.setSecureContext(context)
    this.certificateExpiresAt = expiryOf(this.options.tls!)
    return true
  }

  /** Listens, with `isShared`; the system gives each new connection to one of the processes that do. */
  share(): Promise<PortFault | undefined> {
    const { host, port } = this.options
    // `reusePort` is not in the typings of Node 20.
    return listen(this.server, { host, port, exclusive: true, reusePort: true } as ListenOptions)
  }

  /** Stops accepting connections. */
  stopAccepting(): void {
    this.server.close()
  }

  /** Resolves when all connections are gone, at the latest after `msMax`; then they are ended. */
  async close(msMax: number): Promise<void> {
    // Connections in a handshake have no session that could have ended them.
    for (const { timer } of this.handshakes.values()) clearTimeout(timer)
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

  private accept(socket: Socket): void {
    const { broker, connections, isReady, limits } = this.options
    socket.on('error', ignore)
    const refusal = connections.opened('tcp')
    this.sockets.add(socket)
    let release: Release | ConnectionRefusal | undefined = refusal
    // One listener for all: `once` makes three more objects, and ten thousand connect within seconds.
    socket.on('close', () => {
      this.sockets.delete(socket)
      connections.closed('tcp')
      if (typeof release === 'function') release()
    })
    const { remoteAddress } = socket
    // The client is already gone, or the service is not ready or shuts down.
    if (remoteAddress === undefined || !isReady() || !broker.isOpen) {
      socket.destroy()
      return
    }
    release ??= connections.connecting('tcp', countedAddress(remoteAddress))
    if (typeof release === 'string') {
      this.refuse(socket, release)
      return
    }
    socket.setNoDelay(true)
    socket.setKeepAlive(true, limits.silentMsMax - PROBE_MS)
    if (this.tlsServer === undefined) this.serve(socket, release)
    else this.shakeHands(this.tlsServer, socket, release)
  }

  /** Sends an ERROR, unless that needs a TLS handshake, or too many refused connections are still reading theirs. */
  private refuse(socket: Socket, refusal: ConnectionRefusal): void {
    if (this.tlsServer !== undefined || this.refusing >= REFUSING_MAX) {
      socket.destroy()
      return
    }
    this.refusing++
    const timer = setTimeout(() => socket.destroy(), this.options.limits.closeMsMax)
    socket.once('close', () => {
      this.refusing--
      clearTimeout(timer)
    })
    socket.end(refusalFrame(refusal))
    socket.resume()
  }

  // The timeout of node:tls measures silence only: a client that sends an octet now and then would never reach it.
  private shakeHands(tlsServer: TlsServer, socket: Socket, release: Release): void {
    const ends = endsOf(socket)
    const timer = setTimeout(() => socket.destroy(), this.options.limits.handshakeMsMax)
    this.handshakes.set(ends, { release, timer })
    socket.once('close', () => {
      clearTimeout(timer)
      if (this.handshakes.get(ends)?.timer === timer) this.handshakes.delete(ends)
    })
    tlsServer.emit('connection', socket)
  }

  private serve(socket: Socket, onConnected: Release): void {
    const { broker, limits } = this.options
    if (!broker.isOpen) {
      socket.on('error', ignore)
      socket.destroy()
      return
    }
    const carrier = new TcpCarrier(socket, limits.closeMsMax, onConnected)
    const session = broker.open(carrier)
    let hasEnded = false
    const end = (): void => {
      if (hasEnded) return
      carrier.gone()
      session.closed()
    }
    socket.on('data', (chunk) => session.receive(chunk))
    socket.on('drain', () => session.drained())
    // All that has come was handed over before. The session may still have to read it.
    socket.on('end', () => {
      hasEnded = true
      carrier.gone()
      session.inputEnded()
    })
    socket.on('error', end)
    socket.on('close', end)
  }
}
