// Listening sockets, the apps of uWebSockets.js that serve their connections, and the headers of every answer.

import { type AddressInfo, createServer } from 'node:net'
import * as uws from 'uWebSockets.js'
import {
  App,
  type HttpRequest,
  type HttpResponse,
  SSLApp,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
  type WebSocketBehavior,
} from 'uWebSockets.js'
import { expiryOf, readTls, type Tls, TLS12_CIPHERS } from '../stomp/tls.ts'

/** A string: the reason why certificate or key cannot be used. */
const newApp = (tls: Tls | null): TemplatedApp | string => {
  if (tls === null) return App()
  // uWebSockets.js reads the files itself, and gives no reason if that fails.
  const read = readTls(tls)
  if (typeof read === 'string') return read
  try {
    return SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile, ssl_ciphers: TLS12_CIPHERS })
  } catch (error) {
    return `certificate ${tls.certFile} and key ${tls.keyFile} cannot be used: ${(error as Error).message}`
  }
}

/** The reason when certificate and key cannot be used. */
export const BAD_CERTIFICATE = 'bad certificate'

interface Listening {
  readonly socket: us_listen_socket
  readonly port: number
}

/** A port that could not be used, and the system's reason. */
export interface PortFault {
  readonly busyPort: number
  /** `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, …; or the fault of the certificate. */
  readonly reason: string
}

// Exports that the typings omit. Without the exclusive option, two processes can listen on one port.
export const { LIBUS_LISTEN_EXCLUSIVE_PORT, DISABLED, SHARED_COMPRESSOR } = uws as unknown as Record<
  'LIBUS_LISTEN_EXCLUSIVE_PORT' | 'DISABLED' | 'SHARED_COMPRESSOR',
  number
>
type Listen = (host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void) => void

type ParentApp = Record<'addChildAppDescriptor' | 'removeChildAppDescriptor', (app: unknown) => void> & {
  getDescriptor(): unknown
}

/** A free port; undefined: the system gives none. */
const freePort = (host: string): Promise<number | undefined> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(undefined))
    probe.listen({ host, port: 0, exclusive: true }, () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })

const TRIES_MAX = 5

/** Of a port that the system chooses, uWebSockets.js could not be given the same again while former connections linger. */
const listen = async (app: TemplatedApp, host: string, port: number): Promise<Listening | PortFault> => {
  if (port !== 0) return listenOn(app, host, port)
  for (let left = TRIES_MAX; ; left--) {
    const listening = await listenOn(app, host, (await freePort(host)) ?? 0)
    if (!('busyPort' in listening) || left === 1) return listening
  }
}

/** The library's default: other sockets of this user that have the option, too, may listen on the same port (SO_REUSEPORT). */
const SHARED_PORT = 0

const listenOn = (
  app: TemplatedApp,
  host: string,
  port: number,
  option = LIBUS_LISTEN_EXCLUSIVE_PORT,
): Promise<Listening | PortFault> =>
  new Promise((resolve, reject) => {
    const listenAt = app.listen.bind(app) as unknown as Listen
    listenAt(host, port, option, (socket) => {
      if (socket !== false) resolve({ socket, port: us_socket_local_port(socket) })
      // uWebSockets.js gives no reason; the system does.
      else whyNotListen(host, port).then((reason = 'EADDRINUSE') => resolve({ busyPort: port, reason }), reject)
    })
  })

/** Why this process cannot listen there, as the system says it; undefined: it can. */
export const whyNotListen = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })

type HttpHandler = (res: HttpResponse, req: HttpRequest) => void

/**
 * The routes of an app. The library keeps an app and its handlers for as long as the process lives, also when the app is
 * closed: so it gets functions that lose their handlers then, and with them all that the handlers refer to.
 */
export class Routes {
  private readonly app: TemplatedApp
  private readonly held = new Set<{ handler: unknown }>()

  constructor(app: TemplatedApp) {
    this.app = app
  }

  get(pattern: string, handler: HttpHandler): void {
    this.app.get(pattern, this.holding(handler))
  }

  any(pattern: string, handler: HttpHandler): void {
    this.app.any(pattern, this.holding(handler))
  }

  /** @param handler gets 1 for each connection that is opened, -1 for each that is closed */
  filter(handler: (res: HttpResponse, change: number) => void): void {
    this.app.filter(this.holding(handler))
  }

  ws<UserData>(pattern: string, behavior: WebSocketBehavior<UserData>): void {
    const entries = Object.entries(behavior).map(([name, value]) => [
      name,
      typeof value === 'function' ? this.holding(value as (...args: unknown[]) => unknown) : value,
    ])
    this.app.ws<UserData>(pattern, Object.fromEntries(entries) as WebSocketBehavior<UserData>)
  }

  /** Runs it after that time, unless the app has ended: a timer would hold what it refers to. */
  after(ms: number, run: () => void): void {
    const held: { handler: typeof run | undefined } = { handler: run }
    this.held.add(held)
    const timer = setTimeout(() => {
      this.held.delete(held)
      held.handler?.()
    }, ms)
    timer.unref()
  }

  /** To be called when the app has no connections, and gets none. */
  end(): void {
    for (const each of this.held) each.handler = undefined
    this.held.clear()
  }

  private holding<Args extends unknown[], Result>(
    handler: (...args: Args) => Result,
  ): (...args: Args) => Result | undefined {
    const held: { handler: typeof handler | undefined } = { handler }
    this.held.add(held)
    return (...args) => held.handler?.(...args)
  }
}

/** An app, its routes, and the number of its connections. */
export interface Serving {
  readonly app: TemplatedApp
  readonly routes: Routes
  connections: number
}

const newServing = (app: TemplatedApp): Serving => ({ app, routes: new Routes(app), connections: 0 })

/**
 * A listening socket and the app that serves its connections. The library cannot replace the certificate of an app: a
 * new certificate needs a new app, to which the first one passes new connections from then on. The apps before it serve
 * the connections that they have.
 */
export class Listener {
  readonly port: number
  /** See {@link expiryOf}; of the certificate that new connections get. */
  certificateExpiresAt: number | undefined
  private readonly tls: Tls | null
  private readonly setUp: (serving: Serving) => void
  private readonly sockets: us_listen_socket[]
  private readonly first: Serving
  /** The apps that have connections, the current one last. */
  private servings: Serving[]

  /** @param setUp gives an app its routes, and counts its connections */
  static async listen(
    tls: Tls | null,
    host: string,
    port: number,
    setUp: (serving: Serving) => void,
  ): Promise<Listener | PortFault> {
    const app = newApp(tls)
    if (typeof app === 'string') return { busyPort: port, reason: BAD_CERTIFICATE }
    const first = newServing(app)
    setUp(first)
    const listening = await listen(app, host, port)
    if (!('busyPort' in listening)) return new Listener(tls, setUp, first, listening)
    first.routes.end()
    return listening
  }

  private constructor(tls: Tls | null, setUp: (serving: Serving) => void, first: Serving, listening: Listening) {
    this.tls = tls
    this.setUp = setUp
    this.first = first
    this.servings = [first]
    this.sockets = [listening.socket]
    this.port = listening.port
    this.certificateExpiresAt = tls === null ? undefined : expiryOf(tls)
  }

  reloadCertificate(): true | string {
    if (this.tls === null) return true
    const app = newApp(this.tls)
    if (typeof app === 'string') return app
    const next = newServing(app)
    this.setUp(next)
    const current = this.servings.at(-1)!
    const parent = this.first.app as unknown as ParentApp
    if (current !== this.first) parent.removeChildAppDescriptor((current.app as unknown as ParentApp).getDescriptor())
    parent.addChildAppDescriptor((app as unknown as ParentApp).getDescriptor())
    this.certificateExpiresAt = expiryOf(this.tls)
    // A connection that was just accepted may still be passed to the current app.
    const isOver = (each: Serving): boolean => each !== current && each.connections === 0
    for (const each of this.servings) if (isOver(each) && each !== this.first) each.routes.end()
    this.servings = [...this.servings.filter((each) => !isOver(each)), next]
    return true
  }

  /** Publishes to all WebSockets that have joined the topic. */
  publish(topic: string, message: Buffer, isBinary: boolean): boolean {
    for (const { app } of this.servings) app.publish(topic, message, isBinary)
    return true
  }

  /**
   * Listens on a second port, which other processes may share: the system gives each new connection to one of them, by a
   * hash of its ends (socket(7), SO_REUSEPORT).
   */
  async share(host: string, port: number): Promise<PortFault | undefined> {
    const listening = await listenOn(this.first.app, host, port, SHARED_PORT)
    if ('busyPort' in listening) return listening
    this.sockets.push(listening.socket)
    return undefined
  }

  stopAccepting(): void {
    for (const socket of this.sockets.splice(0)) us_listen_socket_close(socket)
  }

  /** Ends all connections at once. */
  close(): void {
    for (const { app, routes } of new Set([this.first, ...this.servings])) {
      app.close()
      routes.end()
    }
  }
}

/** A year: browsers then return over TLS only (RFC 6797). */
const HSTS = 'max-age=31536000'

export const writeHsts = (res: HttpResponse, isTls: boolean): void => {
  if (isTls) res.writeHeader('Strict-Transport-Security', HSTS)
}

/** The headers of every answer that is written here; answers of REST have their own, except HSTS. */
export const writeFixedHeaders = (res: HttpResponse, contentType: string, isTls: boolean): void => {
  res.writeHeader('Content-Type', contentType).writeHeader('X-Content-Type-Options', 'nosniff')
  writeHsts(res, isTls)
}

const IGNORE = (): void => {}

/**
 * Ends a response with a body. Where a client has sent several requests at once and reads no answer, the library drops a body that does not
 * fit behind earlier answers, and leaves the response pending (`AsyncSocket::uncork` of uWebSockets); of a pending response that
 * has no handler it ends the process. So the client gets nothing more, and its connection ends with its next request, or by the
 * library's timeout.
 * @param closes whether the connection ends behind it
 */
export const endWith = (res: Pick<HttpResponse, 'onAborted' | 'end'>, body: Buffer | string, closes: boolean): void => {
  res.onAborted(IGNORE)
  res.end(body, closes)
}

export const TEXT = 'text/plain; charset=utf-8'
