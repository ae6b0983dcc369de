// The only importer of uWebSockets.js: sockets in, exchanges to REST, bytes out; the admin port; shutdown.

import { randomInt } from 'node:crypto'
import { createServer, isIP } from 'node:net'
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
  type WebSocket,
} from 'uWebSockets.js'
import { elapsedMs, epochMsOf } from './clock.ts'
import { isLoopback } from './domain/loopback.ts'
import { type Refusal, refuse } from './domain/refusal.ts'
import type { Metrics } from './metrics.ts'
import { FIRST_LIMIT_HEADER, limitBlock } from './rest/limit-headers.ts'
import { errorReply, statusLine } from './rest/reply.ts'
import { type Exchange, METHOD_NOT_ALLOWED } from './rest/rest.ts'
import type { Broker } from './stomp/broker.ts'
import { type Connections, countedAddress, type Release } from './stomp/connections.ts'
import type { LiveLimits } from './stomp/session-limits.ts'
import type { Session } from './stomp/session.ts'
import { readTls, type Tls, TLS12_CIPHERS } from './stomp/tls.ts'
import { isOriginAllowed, roomsOf, subprotocolOf, WebSocketCarrier } from './stomp/websocket.ts'

/** A string is the reason why certificate or key cannot be used. */
const newApp = (tls: Tls | null): TemplatedApp | string => {
  if (tls === null) return App()
  // uWebSockets.js says no more than that it failed, and reads the files itself.
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

/** A port that could not be taken, and the system's reason. */
export interface PortTaken {
  readonly takenPort: number
  /** `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, …; or what is wrong with the certificate. */
  readonly reason: string
}

// What the binary has and its typings leave out. Without the exclusive option two processes listen on one port.
const { LIBUS_LISTEN_EXCLUSIVE_PORT, DISABLED, SHARED_COMPRESSOR } = uws as unknown as Record<
  'LIBUS_LISTEN_EXCLUSIVE_PORT' | 'DISABLED' | 'SHARED_COMPRESSOR',
  number
>
type Listen = (host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void) => void

type HandOver = Record<'addChildAppDescriptor' | 'removeChildAppDescriptor', (app: unknown) => void> & {
  getDescriptor(): unknown
}

const listen = (app: TemplatedApp, host: string, port: number): Promise<Listening | PortTaken> =>
  new Promise((resolve) => {
    const listenOn = app.listen.bind(app) as unknown as Listen
    listenOn(host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, (socket) => {
      if (socket !== false) resolve({ socket, port: us_socket_local_port(socket) })
      else reasonOf(host, port).then((reason) => resolve({ takenPort: port, reason }))
    })
  })

// uWebSockets.js does not say why; the system does.
const reasonOf = (host: string, port: number): Promise<string> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve('EADDRINUSE')))
  })

/** An app, and how many connections it has. */
interface Serving {
  readonly app: TemplatedApp
  connections: number
}

/**
 * A listening socket and the app that serves what it accepts. The library cannot give an app another certificate: a new
 * one means a new app, to which the first one hands what it accepts from then on. The apps before it serve the
 * connections that they have.
 */
class Listener {
  readonly port: number
  private readonly tls: Tls | null
  private readonly setUp: (serving: Serving) => void
  private readonly socket: us_listen_socket
  private readonly first: Serving
  /** The apps that have connections, the current one last. */
  private servings: Serving[]

  /** @param setUp gives an app its routes, and counts its connections */
  static async listen(
    tls: Tls | null,
    host: string,
    port: number,
    setUp: (serving: Serving) => void,
  ): Promise<Listener | PortTaken> {
    const app = newApp(tls)
    if (typeof app === 'string') return { takenPort: port, reason: BAD_CERTIFICATE }
    const first = { app, connections: 0 }
    setUp(first)
    const listening = await listen(app, host, port)
    return 'takenPort' in listening ? listening : new Listener(tls, setUp, first, listening)
  }

  private constructor(tls: Tls | null, setUp: (serving: Serving) => void, first: Serving, listening: Listening) {
    this.tls = tls
    this.setUp = setUp
    this.first = first
    this.servings = [first]
    this.socket = listening.socket
    this.port = listening.port
  }

  reloadCertificate(): true | string {
    if (this.tls === null) return true
    const app = newApp(this.tls)
    if (typeof app === 'string') return app
    const next = { app, connections: 0 }
    this.setUp(next)
    const current = this.servings.at(-1)!
    const handOver = this.first.app as unknown as HandOver
    if (current !== this.first) handOver.removeChildAppDescriptor((current.app as unknown as HandOver).getDescriptor())
    handOver.addChildAppDescriptor((app as unknown as HandOver).getDescriptor())
    // What was accepted just before is still on its way to the current app.
    this.servings = [...this.servings.filter((each) => each === current || each.connections > 0), next]
    return true
  }

  /** To all WebSockets that have joined the topic. */
  publish(topic: string, message: Buffer, isBinary: boolean): boolean {
    for (const { app } of this.servings) app.publish(topic, message, isBinary)
    return true
  }

  stopAccepting(): void {
    us_listen_socket_close(this.socket)
  }

  /** Ends all connections at once. */
  close(): void {
    for (const { app } of new Set([this.first, ...this.servings])) app.close()
  }
}

/** A year: browsers come back by TLS only (RFC 6797). */
const HSTS = 'max-age=31536000'

const writeHsts = (res: HttpResponse, isTls: boolean): void => {
  if (isTls) res.writeHeader('Strict-Transport-Security', HSTS)
}

/** The headers of every answer that is written here; the answers of REST bring theirs, but for HSTS. */
const writeFixedHeaders = (res: HttpResponse, contentType: string, isTls: boolean): void => {
  res.writeHeader('Content-Type', contentType).writeHeader('X-Content-Type-Options', 'nosniff')
  writeHsts(res, isTls)
}

const TEXT = 'text/plain; charset=utf-8'

const LOADING_REPLY = errorReply(refuse('service_unavailable', 'The service is starting; try again in a moment.'), {
  headers: ['Retry-After: 1'],
})

const newExchange = (): Exchange => ({
  method: '',
  path: '',
  rawQuery: '',
  authorization: undefined,
  apiKey: undefined,
  ifNoneMatch: undefined,
  fault: undefined,
  operation: 'none',
  reply: LOADING_REPLY,
  head: LOADING_REPLY.head,
  admission: undefined,
})

/** What was met among the headers of a request, as bits: which, and which more than once. */
const MET = { host: 1, authorization: 2, apiKey: 4, contentLength: 8, transferEncoding: 16 } as const

// Empty, or not UTF-8, which arrives empty: sent all the same, so it is malformed and not missing (DESIGN §5.6).
const UNREADABLE = ' '

export interface HttpServerOptions {
  /** Answers into the exchange, at once or later. */
  readonly answer: (exchange: Exchange, nowAt: number) => undefined | Promise<void>
  /** Until then requests get 503, also while draining: an answer from a board that is not filled would be wrong. */
  readonly isReady: () => boolean
  readonly metrics: Metrics
  readonly host: string
  readonly port: number
  readonly tls: Tls | null
  readonly connections: Connections
  /** STOMP over WebSocket, at {@link STOMP_PATH}. */
  readonly live: LiveOptions
}

export interface LiveOptions {
  readonly broker: Broker
  /** Until then upgrades get 503; whom a session serves is the broker's to say. */
  readonly isOpen: () => boolean
  readonly limits: LiveLimits
  /** Origins of pages that may connect; empty: all. */
  readonly origins: readonly string[]
  readonly compresses: boolean
}

const STOMP_PATH = '/stomp'

/** What the library keeps for us beside a WebSocket. */
interface SocketData {
  readonly authorization: string | undefined
  readonly apiKey: string | undefined
  /** It has sent CONNECT, or is gone: it counts no longer among those that have not. */
  readonly release: Release
  /** The same, of its place or of the connection that is reserved; also as soon as the library holds little of it. */
  readonly releasePlace: Release
  /** As limits count it. */
  readonly address: string
  /** What the library holds of it is small: a message is being read that is not much larger than CONNECT may be. */
  isSmall: boolean
  isConnected: boolean
  session?: Session
  carrier?: WebSocketCarrier
}

const MS_PER_S = 1000

/** The largest WebSocket message, in octets. */
const messageBytesMaxOf = (limits: LiveLimits): number =>
  limits.commandBytesMax + limits.headersBytesMax + limits.feedBodyBytesMax + limits.webSocketSlackBytes

/**
 * What one WebSocket can have the library hold: the message that is not whole yet. One that is above the limit, but not
 * above this, is refused by an ERROR; beyond it the library closes the connection.
 */
const heldBytesMaxOf = (limits: LiveLimits): number => 3 * messageBytesMaxOf(limits)

/** With all that may not have sent CONNECT, so much of each is half of what the places are for. */
const SMALL_FACTOR = 2

/** How long the library keeps a WebSocket that it has ended and whose client does not close (measured: up to 16 s). */
const LINGER_MS = 20_000

/** How many WebSockets may have shown no key, for all of them to stay within their budget. */
export const unconnectedWebSocketsMax = (limits: LiveLimits): number =>
  Math.floor(limits.unconnectedBytesMax / heldBytesMaxOf(limits))

const TOO_BIG = 'Received too big message'

/** Takes WebSockets and hands them to the broker. */
const serveLive = (serving: Serving, { connections, live, tls }: HttpServerOptions): void => {
  const { broker, isOpen, limits, origins, compresses } = live
  const refuseUpgrade = (res: HttpResponse, status: string, text: string): void => {
    res.writeStatus(status)
    if (status.startsWith('503')) res.writeHeader('Retry-After', '1')
    writeFixedHeaders(res, TEXT, tls !== null)
    res.end(`${text}\n`, true)
  }
  const messageBytesMax = messageBytesMaxOf(limits)
  serving.app.ws<SocketData>(STOMP_PATH, {
    compression: compresses ? SHARED_COMPRESSOR : DISABLED,
    maxPayloadLength: heldBytesMaxOf(limits),
    // Whoever does not keep up is the broker's to judge; this only bounds a fault of ours.
    maxBackpressure: 16 * limits.pendingBytesMax,
    idleTimeout: limits.silentMsMax / MS_PER_S,
    sendPingsAutomatically: true,
    upgrade: (res, req, context) => {
      if (!isOpen() || !broker.isOpen) return refuseUpgrade(res, '503 Service Unavailable', 'Try again in a moment.')
      if (!isOriginAllowed(req.getHeader('origin'), origins)) {
        return refuseUpgrade(res, '403 Forbidden', 'Pages of this origin may not connect.')
      }
      const twice = repeatedIn(req)
      if (twice !== undefined) return refuseUpgrade(res, '400 Bad Request', repeatedText(twice))
      const subprotocol = subprotocolOf(req.getHeader('sec-websocket-protocol'))
      if (subprotocol === undefined) {
        return refuseUpgrade(res, '400 Bad Request', 'Offer v12.stomp, v11.stomp or v10.stomp.')
      }
      const address = countedAddress(Buffer.from(res.getRemoteAddressAsText()).toString('latin1'))
      const authorization = req.getHeader('authorization') || undefined
      const apiKey = req.getHeader('x-api-key') || undefined
      const key = req.getHeader('sec-websocket-key')
      const extensions = req.getHeader('sec-websocket-extensions')
      const upgrade = (release: Release, releasePlace: Release): void => {
        serving.connections++
        connections.upgraded()
        const data: SocketData = {
          authorization,
          apiKey,
          release,
          releasePlace,
          address,
          isSmall: false,
          isConnected: false,
        }
        res.upgrade<SocketData>(data, key, subprotocol ?? '', extensions, context)
      }
      const giveBack = broker.reserve(authorization, apiKey)
      if (giveBack !== undefined) return upgrade(() => {}, giveBack)
      const release = connections.connecting('websocket', address)
      if (typeof release === 'string') {
        return refuseUpgrade(res, '503 Service Unavailable', 'Too many connections have not sent CONNECT.')
      }
      waitForPlace(res, address, release, (releasePlace) => upgrade(release, releasePlace))
    },
    open: (socket) => {
      const data = socket.getUserData()
      const onConnected = (): void => {
        data.isConnected = true
        data.release()
        data.releasePlace()
      }
      const { places } = connections
      const endsAtOnce = (): boolean =>
        !data.isConnected &&
        ((!data.isSmall && (places.isTight || places.hasWaiting)) || !connections.mayLinger(data.address))
      data.carrier = new WebSocketCarrier(socket as WebSocket<unknown>, limits.closeMsMax, onConnected, endsAtOnce)
      data.session = broker.open(data.carrier, data.authorization, data.apiKey)
    },
    message: (socket, message) => {
      const data = socket.getUserData()
      const session = data.session!
      data.isSmall = message.byteLength <= SMALL_FACTOR * limits.bytesBeforeConnectMax
      if (message.byteLength > messageBytesMax) session.refuseMessage(messageBytesMax)
      else session.receive(new Uint8Array(message))
      data.isSmall = false
    },
    drain: (socket) => {
      const { carrier, session } = socket.getUserData()
      carrier!.drained()
      session!.drained()
    },
    close: (socket, _code, message) => {
      const { carrier, session, address, isSmall, isConnected, release, releasePlace } = socket.getUserData()
      if (Buffer.from(message).toString('latin1') === TOO_BIG) broker.countError('limit_exceeded')
      carrier!.gone()
      session!.closed()
      release()
      if (isSmall) releasePlace()
      const freed = (): void => {
        serving.connections--
        connections.closed('websocket')
        releasePlace()
      }
      if (!carrier!.isEnded) return freed()
      // The descriptor and what the library holds may stay for a while, and nobody says when they are free.
      const endLinger = isConnected ? undefined : connections.lingering(address)
      const timer = setTimeout(() => {
        freed()
        endLinger?.()
      }, LINGER_MS)
      timer.unref()
    },
  })

  // A WebSocket that has shown no key can have the library hold a whole message of a feed: only so many at a time, and
  // the others wait as HTTP requests, which hold next to nothing.
  const waitForPlace = (
    res: HttpResponse,
    address: string,
    release: Release,
    upgrade: (releasePlace: Release) => void,
  ): void => {
    let state: 'waiting' | 'upgraded' | 'over' = 'waiting'
    let timer: NodeJS.Timeout | undefined
    let leave: Release | undefined
    const over = (): void => {
      clearTimeout(timer)
      release()
      leave?.()
    }
    leave = connections.places.take(address, () => {
      clearTimeout(timer)
      state = 'upgraded'
      // `leave` is not known yet where there is a place at once.
      res.cork(() => upgrade(() => leave?.()))
    })
    if (state !== 'waiting') return
    timer = setTimeout(() => {
      state = 'over'
      connections.refuse('websocket', 'upgrade_timeout')
      over()
      res.cork(() =>
        refuseUpgrade(res, '503 Service Unavailable', 'Too many connections have not sent CONNECT; try again.'),
      )
    }, limits.upgradeMsMax)
    res.onAborted(() => {
      if (state === 'waiting') over()
      state = 'over'
    })
  }
}

/** The customers' port. */
export class HttpServer {
  readonly port: number
  private readonly options: HttpServerOptions
  private readonly metrics: Metrics
  private readonly listener: Listener
  private readonly isTls: boolean
  // One exchange serves all requests that are answered at once, which is nearly all of them.
  private exchange = newExchange()
  private met = 0
  private metTwice = 0
  private contentLength = ''
  private lot = randomInt(2 ** 32)
  private isDraining = false
  private waiting = 0
  private lastRequestMs = 0

  static async listen(options: HttpServerOptions): Promise<HttpServer | PortTaken> {
    let server: HttpServer | undefined
    const listener = await Listener.listen(options.tls, options.host, options.port, (serving) => {
      const { app } = serving
      countHttp(serving, options.connections)
      serveLive(serving, options)
      // The method of nearly all requests is known without asking.
      app.get('/*', (res, req) => server?.handle(res, req, 'get'))
      app.any('/*', (res, req) => server?.handle(res, req, req.getMethod()))
    })
    if ('takenPort' in listener) return listener
    options.live.broker.useRooms(roomsOf(listener))
    server = new HttpServer(options, listener)
    return server
  }

  private constructor(options: HttpServerOptions, listener: Listener) {
    this.options = options
    this.metrics = options.metrics
    this.listener = listener
    this.isTls = options.tls !== null
    this.port = listener.port
  }

  /**
   * Takes certificate and key from their files again: for connections from now on. Those that are open go on.
   * @returns the reason where they cannot be used; then the old ones stay
   */
  reloadCertificate(): true | string {
    return this.listener.reloadCertificate()
  }

  /** Ends all connections at once, idle ones included. After {@link drain} nobody is cut off. */
  close(): void {
    this.listener.close()
  }

  /** Stops accepting, answers with `Connection: close`, and resolves when quiet or after `msMax`. */
  async drain(msMax: number, quietMs: number): Promise<void> {
    this.isDraining = true
    this.listener.stopAccepting()
    const startedMs = elapsedMs()
    this.lastRequestMs = Math.max(this.lastRequestMs, startedMs)
    while (elapsedMs() - startedMs < msMax) {
      const quietForMs = elapsedMs() - this.lastRequestMs
      if (this.waiting === 0 && quietForMs >= quietMs) return
      await new Promise((resolve) => setTimeout(resolve, Math.max(5, quietMs - quietForMs)))
    }
  }

  private handle(res: HttpResponse, req: HttpRequest, method: string): void {
    const startedMs = elapsedMs()
    this.lastRequestMs = startedMs
    const { exchange } = this
    exchange.method = method
    exchange.path = req.getUrl()
    // Undefined where there is no question mark, whatever the typings say.
    exchange.rawQuery = req.getQuery() ?? ''
    if (!this.readHeaders(req)) {
      // Where the length of a request is in doubt, whatever follows on the connection is too (request smuggling).
      res.close()
      return
    }
    if (!this.options.isReady()) {
      exchange.operation = 'none'
      exchange.admission = undefined
      exchange.reply = LOADING_REPLY
      exchange.head = LOADING_REPLY.head
      this.send(res, exchange, startedMs)
      return
    }
    const later = this.options.answer(exchange, epochMsOf(startedMs))
    if (later === undefined) {
      this.send(res, exchange, startedMs)
      return
    }
    // The exchange belongs to this request now.
    this.exchange = newExchange()
    this.waiting++
    let isAborted = false
    res.onAborted(() => {
      isAborted = true
    })
    // Nobody else would take what is thrown here, and the process would end.
    const finish = (answer: () => void): void => {
      this.waiting--
      if (!isAborted) answer()
    }
    later.then(
      () => finish(() => res.cork(() => this.send(res, exchange, startedMs))),
      () => finish(() => res.close()),
    )
  }

  /** Reads the headers into the exchange. False: the request has no certain end. */
  private readHeaders(req: HttpRequest): boolean {
    const { exchange } = this
    exchange.authorization = undefined
    exchange.apiKey = undefined
    exchange.ifNoneMatch = undefined
    exchange.fault = undefined
    this.met = 0
    this.metTwice = 0
    req.forEach(this.readHeader)
    if ((this.met & (MET.contentLength | MET.transferEncoding)) === 0 && this.metTwice === 0) return true
    return this.judgeHeaders(exchange)
  }

  /** Of the requests that are not clean, what is refused with an answer. False: the request has no certain end. */
  private judgeHeaders(exchange: Exchange): boolean {
    const { met, metTwice, contentLength } = this
    if ((met & MET.transferEncoding) !== 0 || (metTwice & MET.contentLength) !== 0) return false
    if ((met & MET.contentLength) !== 0 && contentLength !== '0') {
      if (!/^\d{1,15}$/.test(contentLength)) return false
      exchange.fault = methodFault(exchange.method) ?? refuse('validation_failed', 'A GET takes no body.', 'body')
    }
    if ((metTwice & MET.host) !== 0) exchange.fault = repeated('Host')
    if ((metTwice & MET.authorization) !== 0) exchange.fault = repeated('Authorization')
    if ((metTwice & MET.apiKey) !== 0) exchange.fault = repeated('X-Api-Key')
    return true
  }

  private readonly readHeader = (name: string, value: string): void => {
    const { exchange } = this
    switch (name) {
      case 'host':
        this.meet(MET.host)
        return
      case 'authorization':
        this.meet(MET.authorization)
        exchange.authorization = value === '' ? UNREADABLE : value
        return
      case 'x-api-key':
        this.meet(MET.apiKey)
        exchange.apiKey = value === '' ? UNREADABLE : value
        return
      case 'if-none-match':
        // A list may come in several lines (RFC 9110 §5.3).
        exchange.ifNoneMatch = exchange.ifNoneMatch === undefined ? value : `${exchange.ifNoneMatch}, ${value}`
        return
      case 'content-length':
        this.meet(MET.contentLength)
        this.contentLength = value
        return
      case 'transfer-encoding':
        this.meet(MET.transferEncoding)
        return
    }
  }

  private meet(header: number): void {
    this.metTwice |= this.met & header
    this.met |= header
  }

  private send(res: HttpResponse, exchange: Exchange, startedMs: number): void {
    const { reply, head, admission } = exchange
    const closes = this.isDraining || exchange.fault !== undefined
    // uWebSockets.js writes what it is given here as it is: status line and headers in one.
    res.writeStatus(head.block)
    if (admission !== undefined) {
      res.writeHeader(FIRST_LIMIT_HEADER, limitBlock(admission.limit, admission.remaining, admission.resetAt))
    }
    writeHsts(res, this.isTls)
    const hasBody = head === reply.head && exchange.method !== 'head'
    if (hasBody) this.sendBody(res, reply.body, closes)
    else {
      // Both arguments of endWithoutBody leave the response pending for good; without any it is complete.
      if (head === reply.head) res.writeHeader('Content-Length', String(reply.body.length))
      if (closes) res.writeHeader('Connection', 'close')
      res.endWithoutBody()
    }
    this.metrics.countRequest(exchange.operation, head.status, elapsedMs() - startedMs)
  }

  // A client that sends one request after the other and reads no answer must not fill our memory. end() keeps whatever
  // the socket does not take; tryEnd() leaves the answer pending then, and uWebSockets.js closes a connection that sends
  // another request meanwhile. It costs 5 % of a small answer, so of those only some are sent so, by lot: a client that
  // does not read is met after eight answers on average.
  private sendBody(res: HttpResponse, body: Buffer, closes: boolean): void {
    this.lot = (Math.imul(this.lot, 1_664_525) + 1_013_904_223) >>> 0
    if (closes || (this.lot >= PROBES_OF && body.length < LARGE_BODY_BYTES)) {
      res.end(body, closes)
      return
    }
    const [, isDone] = res.tryEnd(body, body.length)
    if (isDone) return
    res.onAborted(() => {})
    res.onWritable((offset) => res.tryEnd(body.subarray(offset), body.length)[0])
  }
}

/** Counts HTTP connections, and ends those that are too many. The library says of one that becomes a WebSocket nothing. */
const countHttp = (serving: Serving, connections: Connections): void => {
  serving.app.filter((res, change) => {
    // It calls with 1 and -1, the latter within close(), too.
    serving.connections += change
    if (change < 0) connections.closed('http')
    else if (connections.opened('http') !== undefined) res.close()
  })
}

const PROBES_OF = 2 ** 29 // one in eight of 2^32
const LARGE_BODY_BYTES = 64 * 1024

const methodFault = (method: string): Refusal | undefined =>
  method === 'get' || method === 'head' ? undefined : METHOD_NOT_ALLOWED

const repeatedText = (header: string): string => `The header ${header} is given more than once.`

const repeated = (header: string): Refusal => refuse('validation_failed', repeatedText(header), header)

/** What a request may name once: of several it would be unclear which one holds. By the name that arrives. */
const NAMED_ONCE: ReadonlyMap<string, string> = new Map([
  ['host', 'Host'],
  ['authorization', 'Authorization'],
  ['x-api-key', 'X-Api-Key'],
])

/** A header of an upgrade that is given more than once and may not be, as REST refuses it. */
const repeatedIn = (req: HttpRequest): string | undefined => {
  const met = new Set<string>()
  let twice: string | undefined
  req.forEach((name) => {
    if (met.has(name)) twice ??= NAMED_ONCE.get(name)
    met.add(name)
  })
  return twice
}

export interface AdminServerOptions {
  readonly metrics: Metrics
  readonly host: string
  readonly port: number
  /** Null: plain. */
  readonly tls: Tls | null
  /** Names by which it may be addressed, besides localhost, `host` and addresses of this machine. */
  readonly names: readonly string[]
  /** What keeps requests from being welcome, a line each; none: the service is ready. */
  readonly notReady: () => readonly string[]
  /** What else operators and commands may ask for, by path: an object for JSON; undefined: there is no such thing. */
  readonly ask: (path: string) => object | undefined
}

const ADMIN_PAGES = '/livez, /readyz, /metrics, /feeds, /events/conflicts, /events/ID\n'

const isAnyAddress = (host: string): boolean => host === '0.0.0.0' || /^[0:]+$/.test(host)

/** The host of a `Host` header, without port, brackets and the dot of a full name. */
const hostOf = (header: string): string =>
  header
    .toLowerCase()
    // An IPv6 address without brackets has no port.
    .replace(/^(\[.*\]|[^:]*):\d{1,5}$/, '$1')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')

/**
 * Whether a request may be meant for the admin port. A page anywhere can have a browser ask it under the page's own name,
 * once that name leads to this machine (DNS rebinding); under an address, or under our names, it cannot.
 */
export const isAdminHost = (header: string, boundTo: string, names: readonly string[]): boolean => {
  const host = hostOf(header)
  if (isLoopback(host) || host === hostOf(boundTo)) return true
  if (isAnyAddress(boundTo) && isIP(host) !== 0) return true
  return names.some((name) => hostOf(name) === host)
}

/** The operator's port: `/livez`, `/readyz`, `/metrics`, and what is asked in JSON. GET and HEAD only. */
export class AdminServer {
  readonly port: number
  private readonly listener: Listener

  static async listen(options: AdminServerOptions): Promise<AdminServer | PortTaken> {
    const { host, port, tls, names, metrics } = options
    const listener = await Listener.listen(tls, host, port, (serving) => {
      serving.app.filter((_res, change) => {
        serving.connections += change
      })
      serving.app.any('/*', (res, req) => {
        const method = req.getMethod()
        const answer = (status: number, contentType: string, body: string): void => {
          res.writeStatus(statusLine(status))
          if (status === 405) res.writeHeader('Allow', 'GET, HEAD')
          writeFixedHeaders(res, contentType, tls !== null)
          if (method === 'head') res.writeHeader('Content-Length', String(Buffer.byteLength(body))).endWithoutBody()
          // What follows may be the body of a request that is not read.
          else res.end(body, status === 400 || status === 405)
        }
        let hosts = 0
        req.forEach((name) => {
          if (name === 'host') hosts++
        })
        // Which of them is meant is in doubt (RFC 9112 §3.2).
        if (hosts > 1) return answer(400, TEXT, 'The header Host is given more than once.\n')
        if (!isAdminHost(req.getHeader('host'), host, names)) {
          return answer(403, TEXT, 'Use localhost or the address, or add the name to --admin-hosts.\n')
        }
        if (method !== 'get' && method !== 'head') return answer(405, TEXT, 'Only GET and HEAD.\n')
        const path = req.getUrl()
        switch (path) {
          case '/livez':
            return answer(200, TEXT, 'live\n')
          case '/readyz': {
            const reasons = options.notReady()
            if (reasons.length === 0) return answer(200, TEXT, 'ready\n')
            return answer(503, TEXT, ['not ready', ...reasons.map((reason) => `- ${reason}`), ''].join('\n'))
          }
          case '/metrics': {
            let isAborted = false
            res.onAborted(() => {
              isAborted = true
            })
            metrics.scrape().then(
              ({ contentType, text }) => {
                if (!isAborted) res.cork(() => answer(200, contentType, text))
              },
              () => {
                if (!isAborted) res.cork(() => answer(500, TEXT, 'The metrics cannot be read; the log says why.\n'))
              },
            )
            return
          }
          default: {
            let found: object | undefined
            try {
              found = options.ask(path)
            } catch {
              // Thrown into the library it would end the process.
              return answer(500, TEXT, 'This cannot be answered just now.\n')
            }
            if (found === undefined) answer(404, TEXT, ADMIN_PAGES)
            else answer(200, 'application/json', JSON.stringify(found))
          }
        }
      })
    })
    return 'takenPort' in listener ? listener : new AdminServer(listener)
  }

  private constructor(listener: Listener) {
    this.listener = listener
    this.port = listener.port
  }

  /** As of {@link HttpServer.reloadCertificate}. */
  reloadCertificate(): true | string {
    return this.listener.reloadCertificate()
  }

  /** Stops accepting and ends all connections at once: a client that polls would keep the process. */
  close(): void {
    this.listener.close()
  }
}
