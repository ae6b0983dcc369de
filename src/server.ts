// The only importer of uWebSockets.js: sockets in, exchanges to REST, bytes out; the admin port; shutdown.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
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
import { type Refusal, refuse } from './domain/refusal.ts'
import type { Metrics } from './metrics.ts'
import { FIRST_LIMIT_HEADER, limitBlock } from './rest/limit-headers.ts'
import { errorReply, statusLine } from './rest/reply.ts'
import { type Exchange, METHOD_NOT_ALLOWED } from './rest/rest.ts'
import type { Broker } from './stomp/broker.ts'
import type { LiveLimits } from './stomp/limits.ts'
import type { Session } from './stomp/session.ts'
import { isOriginAllowed, roomsOf, subprotocolOf, WebSocketCarrier } from './stomp/websocket.ts'

/** Certificate and key files; null: plain. */
export interface Tls {
  readonly certFile: string
  readonly keyFile: string
}

/** Undefined: certificate or key cannot be used. */
const newApp = (tls: Tls | null): TemplatedApp | undefined => {
  if (tls === null) return App()
  try {
    return SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile })
  } catch {
    // It says no more than that it failed.
    return undefined
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
  session?: Session
  carrier?: WebSocketCarrier
}

const MS_PER_S = 1000

/** Takes WebSockets and hands them to the broker. */
const serveLive = (app: TemplatedApp, { broker, isOpen, limits, origins, compresses }: LiveOptions) => {
  const largestFrame =
    limits.commandBytesMax + limits.headersMax * (limits.headerLineBytesMax + 2) + limits.feedBodyBytesMax
  const messageBytesMax = largestFrame + limits.webSocketSlackBytes
  app.ws<SocketData>(STOMP_PATH, {
    compression: compresses ? SHARED_COMPRESSOR : DISABLED,
    // What is larger still is cut off by the library, without a word.
    maxPayloadLength: 2 * messageBytesMax,
    // Whoever does not keep up is the broker's to judge; this only bounds a fault of ours.
    maxBackpressure: 16 * limits.pendingBytesMax,
    idleTimeout: limits.silentMsMax / MS_PER_S,
    sendPingsAutomatically: true,
    upgrade: (res, req, context) => {
      const refuseUpgrade = (status: string, text: string): void => {
        res.writeStatus(status).writeHeader('Content-Type', 'text/plain; charset=utf-8').end(`${text}\n`, true)
      }
      if (!isOpen() || !broker.isOpen) return refuseUpgrade('503 Service Unavailable', 'Try again in a moment.')
      if (!isOriginAllowed(req.getHeader('origin'), origins)) {
        return refuseUpgrade('403 Forbidden', 'Pages of this origin may not connect.')
      }
      const subprotocol = subprotocolOf(req.getHeader('sec-websocket-protocol'))
      if (subprotocol === undefined) return refuseUpgrade('400 Bad Request', 'Offer v12.stomp, v11.stomp or v10.stomp.')
      res.upgrade<SocketData>(
        { authorization: req.getHeader('authorization') || undefined, apiKey: req.getHeader('x-api-key') || undefined },
        req.getHeader('sec-websocket-key'),
        subprotocol ?? '',
        req.getHeader('sec-websocket-extensions'),
        context,
      )
    },
    open: (socket) => {
      const data = socket.getUserData()
      data.carrier = new WebSocketCarrier(socket as WebSocket<unknown>, limits.closeMsMax)
      data.session = broker.open(data.carrier, data.authorization, data.apiKey)
    },
    message: (socket, message) => {
      const session = socket.getUserData().session!
      if (message.byteLength > messageBytesMax) session.refuseMessage(messageBytesMax)
      else session.receive(new Uint8Array(message))
    },
    drain: (socket) => {
      const { carrier, session } = socket.getUserData()
      carrier!.drained()
      session!.drained()
    },
    close: (socket) => {
      const { carrier, session } = socket.getUserData()
      carrier!.gone()
      session!.closed()
    },
  })
  broker.useRooms(roomsOf(app))
}

/** The customers' port. */
export class HttpServer {
  readonly port: number
  private readonly options: HttpServerOptions
  private readonly metrics: Metrics
  private readonly app: TemplatedApp
  private readonly socket: us_listen_socket
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
    const app = newApp(options.tls)
    if (app === undefined) return { takenPort: options.port, reason: BAD_CERTIFICATE }
    let server: HttpServer | undefined
    serveLive(app, options.live)
    // The method of nearly all requests is known without asking.
    app.get('/*', (res, req) => server?.handle(res, req, 'get'))
    app.any('/*', (res, req) => server?.handle(res, req, req.getMethod()))
    const listening = await listen(app, options.host, options.port)
    if ('takenPort' in listening) return listening
    server = new HttpServer(options, app, listening)
    return server
  }

  private constructor(options: HttpServerOptions, app: TemplatedApp, listening: Listening) {
    this.options = options
    this.metrics = options.metrics
    this.app = app
    this.socket = listening.socket
    this.port = listening.port
  }

  /** Ends all connections at once, idle ones included. After {@link drain} nobody is cut off. */
  close(): void {
    this.app.close()
  }

  /** Stops accepting, answers with `Connection: close`, and resolves when quiet or after `msMax`. */
  async drain(msMax: number, quietMs: number): Promise<void> {
    this.isDraining = true
    us_listen_socket_close(this.socket)
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

const PROBES_OF = 2 ** 29 // one in eight of 2^32
const LARGE_BODY_BYTES = 64 * 1024

const methodFault = (method: string): Refusal | undefined =>
  method === 'get' || method === 'head' ? undefined : METHOD_NOT_ALLOWED

const repeated = (header: string): Refusal =>
  refuse('validation_failed', `The header ${header} is given more than once.`, header)

export interface AdminServerOptions {
  readonly metrics: Metrics
  readonly port: number
  readonly tls: Tls | null
  /** What keeps requests from being welcome, a line each; none: the service is ready. */
  readonly notReady: () => readonly string[]
  /** What else operators and commands may ask for, by path: an object for JSON; undefined: there is no such thing. */
  readonly ask: (path: string) => object | undefined
}

const ADMIN_HOST = '127.0.0.1'

const ADMIN_PAGES = '/livez, /readyz, /metrics, /feeds, /events/conflicts, /events/ID\n'

/** The operator's port, on the loopback: `/livez`, `/readyz`, `/metrics`, and what is asked in JSON. */
export class AdminServer {
  readonly port: number
  private readonly socket: us_listen_socket

  static async listen(options: AdminServerOptions): Promise<AdminServer | PortTaken> {
    const app = newApp(options.tls)
    if (app === undefined) return { takenPort: options.port, reason: BAD_CERTIFICATE }
    app.any('/livez', (res) => {
      res.writeHeader('Content-Type', 'text/plain').end('live\n')
    })
    app.any('/readyz', (res) => {
      const reasons = options.notReady()
      if (reasons.length > 0) res.writeStatus(statusLine(503))
      const lines = reasons.length === 0 ? ['ready'] : ['not ready', ...reasons.map((reason) => `- ${reason}`)]
      res.writeHeader('Content-Type', 'text/plain').end(`${lines.join('\n')}\n`)
    })
    app.get('/metrics', (res) => {
      let isAborted = false
      res.onAborted(() => {
        isAborted = true
      })
      options.metrics.scrape().then(
        ({ contentType, text }) => {
          if (!isAborted) res.cork(() => res.writeHeader('Content-Type', contentType).end(text))
        },
        () => {
          if (!isAborted) res.cork(() => res.writeStatus(statusLine(500)).end())
        },
      )
    })
    // Not `get`, which would come before the pages above.
    app.any('/*', (res, req) => {
      let answer: object | undefined
      try {
        answer = options.ask(req.getUrl())
      } catch {
        // Thrown into the library it would end the process.
        res.writeStatus(statusLine(500)).end()
        return
      }
      if (answer !== undefined) {
        res.writeHeader('Content-Type', 'application/json').end(JSON.stringify(answer))
        return
      }
      res.writeStatus(statusLine(404)).writeHeader('Content-Type', 'text/plain').end(ADMIN_PAGES)
    })
    const listening = await listen(app, ADMIN_HOST, options.port)
    return 'takenPort' in listening ? listening : new AdminServer(listening)
  }

  private constructor(listening: Listening) {
    this.socket = listening.socket
    this.port = listening.port
  }

  close(): void {
    us_listen_socket_close(this.socket)
  }
}
