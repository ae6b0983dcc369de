// The customers' port: reads requests into exchanges for REST, writes the answers, and drains.

import { randomInt } from 'node:crypto'
import { type HttpRequest, type HttpResponse } from 'uWebSockets.js'
import { elapsedMs, epochMsOf } from '../clock.ts'
import { type Refusal, refuse } from '../domain/refusal.ts'
import type { Metrics } from '../metrics.ts'
import { Cors, FIRST_CORS_HEADER, METHODS } from '../rest/cors.ts'
import type { Exchange } from '../rest/exchange.ts'
import { errorReply, noContent, type Reply } from '../rest/reply.ts'
import { METHOD_NOT_ALLOWED } from '../rest/rest.ts'
import type { StreamQuery } from '../rest/target.ts'
import { type Connections } from '../stomp/connections.ts'
import { type Tls } from '../stomp/tls.ts'
import { WebSocketRooms } from '../stomp/websocket-rooms.ts'
import { BodyPace, PACED_BYTES } from './body-pace.ts'
import { endWith, Listener, type PortFault, type Serving, writeHsts } from './listener.ts'
import { type LiveOptions, serveLive } from './live-server.ts'
import { repeatedText } from './named-once.ts'
import { PORTAL_PATH, PortalServer, type PortalServing } from './portal-server.ts'
import { openSse } from './sse-server.ts'

const LOADING_REPLY = errorReply(
  refuse('service_unavailable', 'The service is starting, or cannot record prices just now; try again in a moment.'),
  {
    headers: ['Retry-After: 1'],
  },
)

/** Of every path: a browser shows a page an answer, also a 404, only where its preflight has succeeded. */
const OPTIONS_HEAD = noContent([`Allow: ${METHODS}`, 'Vary: Origin'])

const newExchange = (): Exchange => ({
  method: '',
  path: '',
  rawQuery: '',
  authorization: undefined,
  apiKey: undefined,
  ifNoneMatch: undefined,
  acceptEncoding: undefined,
  origin: undefined,
  fault: undefined,
  operation: 'none',
  reply: LOADING_REPLY,
  head: LOADING_REPLY.head,
  admission: undefined,
  stream: undefined,
  lastEventId: undefined,
})

/** Headers that were seen in a request, as bits: which, and which more than once. */
const SEEN = { host: 1, authorization: 2, apiKey: 4, contentLength: 8, transferEncoding: 16, lastEventId: 32 } as const

// An empty value, or one that is not UTF-8, which arrives empty, is malformed, not missing (docs/architecture.md 7.2).
const UNREADABLE = ' '

export interface HttpServerOptions {
  /** Writes the answer into the exchange, at once or later. */
  readonly answer: (exchange: Exchange, nowAt: number) => undefined | Promise<void>
  /** While false, requests get 503, also while draining: an answer from a board that is not filled would be wrong. */
  readonly isReady: () => boolean
  /** Whether prices cannot change just now, because nothing can be recorded: answers say so. Left out: no. */
  readonly isLogAway?: () => boolean
  readonly metrics: Metrics
  /** Octets of large bodies that are handed to the system in one iteration of the event loop. */
  readonly bodyBytesNow: number
  readonly host: string
  readonly port: number
  readonly tls: Tls | null
  readonly connections: Connections
  /** STOMP over WebSocket, at `/stomp`. */
  readonly live: LiveOptions
  /** At `/portal/api/`; left out: there is none. It answers also while the service is not ready. */
  readonly portal?: PortalServing
}

export class HttpServer {
  readonly port: number
  private readonly options: HttpServerOptions
  private readonly metrics: Metrics
  private readonly listener: Listener
  private readonly isTls: boolean
  private readonly cors: Cors
  private readonly portal: PortalServer | undefined
  // One exchange serves all requests that are answered at once, which is nearly all of them.
  private exchange = newExchange()
  private seen = 0
  private seenTwice = 0
  private contentLength = ''
  private lot = randomInt(2 ** 32)
  private readonly bodies: BodyPace
  private isDraining = false
  private waiting = 0
  private lastRequestMs = 0

  static async listen(options: HttpServerOptions): Promise<HttpServer | PortFault> {
    let server: HttpServer | undefined
    const rooms = new WebSocketRooms({
      publish: (room, message, isBinary) => server!.listener.publish(room, message, isBinary),
    })
    const listener = await Listener.listen(options.tls, options.host, options.port, (serving) => {
      const { routes } = serving
      countHttp(serving, options.connections)
      serveLive(serving, options, rooms)
      if (options.portal !== undefined) {
        // Routes of a method come before those of any, so both are needed.
        routes.get(`${PORTAL_PATH}*`, (res, req) => server?.portal?.handle(res, req))
        routes.any(`${PORTAL_PATH}*`, (res, req) => server?.portal?.handle(res, req))
      }
      // For nearly all requests the method is known without a call.
      routes.get('/*', (res, req) => server?.handle(res, req, 'get'))
      routes.any('/*', (res, req) => server?.handle(res, req, req.getMethod()))
    })
    if ('busyPort' in listener) return listener
    server = new HttpServer(options, listener)
    options.live.broker.useRooms(rooms)
    return server
  }

  private constructor(options: HttpServerOptions, listener: Listener) {
    this.options = options
    this.metrics = options.metrics
    this.listener = listener
    this.isTls = options.tls !== null
    this.bodies = new BodyPace(options.bodyBytesNow)
    this.cors = new Cors(options.live.origins)
    this.port = listener.port
    const { portal, metrics } = options
    this.portal =
      portal &&
      new PortalServer(
        portal,
        this.isTls,
        () => this.isDraining,
        (status, ms) => metrics.countRequest('portal', status, ms),
      )
  }

  /** Epoch ms; undefined without TLS. */
  get certificateExpiresAt(): number | undefined {
    return this.listener.certificateExpiresAt
  }

  /**
   * Reads certificate and key from their files again, for new connections. Open ones continue unchanged.
   * @returns the reason if they cannot be used; then the old ones stay
   */
  reloadCertificate(): true | string {
    return this.listener.reloadCertificate()
  }

  /** See {@link Listener.share}. */
  share(host: string, port: number): Promise<PortFault | undefined> {
    return this.listener.share(host, port)
  }

  /** Ends all connections at once, idle ones included. To be called after {@link drain}, so that no answer is lost. */
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
      const waiting = this.waiting + this.bodies.waiting
      if (waiting === 0 && (this.portal?.waiting ?? 0) === 0 && quietForMs >= quietMs) return
      await new Promise((resolve) => setTimeout(resolve, Math.max(5, quietMs - quietForMs)))
    }
  }

  private handle(res: HttpResponse, req: HttpRequest, method: string): void {
    const startedMs = elapsedMs()
    this.lastRequestMs = startedMs
    const { exchange } = this
    exchange.method = method
    exchange.path = req.getUrl()
    // Undefined without a question mark, contrary to the typings.
    exchange.rawQuery = req.getQuery() ?? ''
    if (!this.readHeaders(req)) {
      // If the length of a request is unclear, so is all that follows on the connection (request smuggling).
      res.close()
      return
    }
    if (method === 'options' && exchange.fault === undefined) {
      // Also before it is ready: without a preflight a page could not read why it is refused.
      exchange.operation = 'none'
      exchange.admission = undefined
      exchange.reply = LOADING_REPLY
      exchange.head = OPTIONS_HEAD
      this.send(res, exchange, startedMs)
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
    if (later !== undefined) return this.sendLater(res, exchange, startedMs, later)
    if (exchange.stream !== undefined) this.stream(res, exchange, exchange.stream, startedMs)
    else this.send(res, exchange, startedMs)
  }

  // Apart: a function that has closures allocates its variables, whether or not it gets to them.
  private sendLater(res: HttpResponse, exchange: Exchange, startedMs: number, later: Promise<void>): void {
    // The exchange now belongs to this request.
    this.exchange = newExchange()
    this.waiting++
    let isAborted = false
    res.onAborted(() => {
      isAborted = true
    })
    // A rejection must be handled here, or the process would end.
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
    exchange.acceptEncoding = undefined
    exchange.origin = undefined
    exchange.lastEventId = undefined
    exchange.fault = undefined
    this.seen = 0
    this.seenTwice = 0
    req.forEach(this.readHeader)
    if ((this.seen & (SEEN.contentLength | SEEN.transferEncoding)) === 0 && this.seenTwice === 0) return true
    return this.judgeHeaders(exchange)
  }

  /** Sets the fault of a malformed request that can be answered. False: the request has no certain end. */
  private judgeHeaders(exchange: Exchange): boolean {
    const { seen, seenTwice, contentLength } = this
    if ((seen & SEEN.transferEncoding) !== 0 || (seenTwice & SEEN.contentLength) !== 0) return false
    if ((seen & SEEN.contentLength) !== 0 && contentLength !== '0') {
      if (!/^\d{1,15}$/.test(contentLength)) return false
      exchange.fault =
        methodFault(exchange.method) ?? refuse('validation_failed', 'GET, HEAD and OPTIONS have no body.', 'body')
    }
    if ((seenTwice & SEEN.host) !== 0) exchange.fault = repeated('Host')
    if ((seenTwice & SEEN.authorization) !== 0) exchange.fault = repeated('Authorization')
    if ((seenTwice & SEEN.apiKey) !== 0) exchange.fault = repeated('X-Api-Key')
    if ((seenTwice & SEEN.lastEventId) !== 0) exchange.fault = repeated('Last-Event-ID')
    return true
  }

  private readonly readHeader = (name: string, value: string): void => {
    const { exchange } = this
    switch (name) {
      case 'host':
        this.noteSeen(SEEN.host)
        return
      case 'authorization':
        this.noteSeen(SEEN.authorization)
        exchange.authorization = value === '' ? UNREADABLE : value
        return
      case 'x-api-key':
        this.noteSeen(SEEN.apiKey)
        exchange.apiKey = value === '' ? UNREADABLE : value
        return
      case 'if-none-match':
        // A list may be split over several lines (RFC 9110 §5.3).
        exchange.ifNoneMatch = exchange.ifNoneMatch === undefined ? value : `${exchange.ifNoneMatch}, ${value}`
        return
      case 'accept-encoding':
        exchange.acceptEncoding = exchange.acceptEncoding === undefined ? value : `${exchange.acceptEncoding}, ${value}`
        return
      case 'origin':
        // Two of them are none.
        exchange.origin = exchange.origin === undefined ? value : ''
        return
      case 'last-event-id':
        this.noteSeen(SEEN.lastEventId)
        exchange.lastEventId = value
        return
      case 'content-length':
        this.noteSeen(SEEN.contentLength)
        this.contentLength = value
        return
      case 'transfer-encoding':
        this.noteSeen(SEEN.transferEncoding)
        return
    }
  }

  private noteSeen(header: number): void {
    this.seenTwice |= this.seen & header
    this.seen |= header
  }

  private send(res: HttpResponse, exchange: Exchange, startedMs: number): void {
    const { reply, head } = exchange
    const closes = this.isDraining || exchange.fault !== undefined
    this.writeHead(res, exchange)
    const hasBody = head === reply.head && exchange.method !== 'head'
    if (hasBody) this.sendBody(res, reply, closes)
    else {
      // Either argument of endWithoutBody leaves the response pending forever; without any it is complete.
      if (head === reply.head) res.writeHeader('Content-Length', String(reply.body.length))
      if (closes) res.writeHeader('Connection', 'close')
      res.endWithoutBody()
    }
    this.metrics.countRequest(exchange.operation, head.status, elapsedMs() - startedMs)
  }

  private writeCors(res: HttpResponse, { origin, head }: Exchange): void {
    const blocks = this.cors.blocks(origin!)
    if (blocks !== undefined)
      res.writeHeader(FIRST_CORS_HEADER, head === OPTIONS_HEAD ? blocks.preflight : blocks.answer)
  }

  /** Status and headers of every answer, streams included. */
  private writeHead(res: HttpResponse, exchange: Exchange): void {
    const { head, reply, admission, stream } = exchange
    // uWebSockets.js writes this text unchanged: status line and headers in one.
    if (admission === undefined) res.writeStatus(head.block)
    else res.writeStatus(head.limited.with(admission.limit, admission.remaining, admission.resetAt))
    const isOpen = stream === undefined && reply.isOpen
    if (exchange.origin !== undefined && !isOpen) this.writeCors(res, exchange)
    writeHsts(res, this.isTls)
    if (this.options.isLogAway?.() === true) res.writeHeader('X-Odds-Log', 'away')
  }

  /** Opens a stream of server-sent events, or refuses it. */
  private stream(res: HttpResponse, exchange: Exchange, query: StreamQuery, startedMs: number): void {
    const { live, connections } = this.options
    const reply = openSse(res, exchange, query, live, connections, () => this.writeHead(res, exchange))
    if (reply === undefined) {
      this.metrics.countRequest(exchange.operation, exchange.head.status, elapsedMs() - startedMs)
      return
    }
    exchange.reply = reply
    exchange.head = reply.head
    this.send(res, exchange, startedMs)
  }

  // A client that keeps sending requests and reads no answer must not fill the memory. end() buffers what the socket
  // does not accept; tryEnd() leaves the answer pending instead, and uWebSockets.js closes a connection that sends
  // another request meanwhile. It costs 5 % of a small answer, so only a random eighth of these use it: a client that
  // does not read is disconnected after eight answers on average.
  private sendBody(res: HttpResponse, reply: Reply, closes: boolean): void {
    this.lot = (Math.imul(this.lot, 1_664_525) + 1_013_904_223) >>> 0
    if (reply.body.length < PACED_BYTES && (closes || this.lot >= PROBES_OF)) endWith(res, reply.body, closes)
    else this.bodies.send(res, reply, closes)
  }
}

/** Counts HTTP connections, and ends those over the limit. The library does not report one that becomes a WebSocket. */
const countHttp = (serving: Serving, connections: Connections): void => {
  serving.routes.filter((res, change) => {
    // `change` is 1 or -1; the latter also within close().
    serving.connections += change
    if (change < 0) connections.closed('http')
    else if (connections.opened('http') !== undefined) res.close()
  })
}

const PROBES_OF = 2 ** 29 // one in eight of 2^32

const methodFault = (method: string): Refusal | undefined =>
  method === 'get' || method === 'head' || method === 'options' ? undefined : METHOD_NOT_ALLOWED

const repeated = (header: string): Refusal => refuse('validation_failed', repeatedText(header), header)
