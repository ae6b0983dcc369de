// `/portal/api/*` of the customers' port: reads requests with their bodies, in bounded memory and time.

import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { elapsedMs } from '../clock.ts'
import type { TrustedProxies } from '../domain/trusted-proxies.ts'
import {
  type PortalCode,
  type PortalReply,
  type PortalRequest,
  refusalReply,
  refuseAs,
} from '../portal/portal-request.ts'
import { statusLine } from '../rest/reply.ts'
import { countedAddress, Tally } from '../stomp/connections.ts'
import { writeHsts } from './listener.ts'

export const PORTAL_PATH = '/portal/api/'

export interface PortalLimits {
  readonly portalBodyBytesMax: number
  readonly portalBodyMsMax: number
  readonly portalRequestsMax: number
  readonly portalAddressRequestsMax: number
  readonly portalBodiesMax: number
  readonly portalAddressBodiesMax: number
}

export interface PortalServing {
  /** Never rejects. */
  readonly answer: (request: PortalRequest) => Promise<PortalReply>
  readonly limits: PortalLimits
  readonly proxies: TrustedProxies
}

interface Headers {
  cookies: string
  contentLength: string | undefined
  /** The length of the body is unclear, and so is all that follows on the connection. */
  isUnclear: boolean
  readonly values: Map<string, string>
}

/** Headers that are read; two of one are one that is wrong. */
const READ = new Set(['x-forwarded-for', 'origin', 'sec-fetch-site', 'x-csrf-token', 'content-type', 'host'])

const readHeaders = (req: HttpRequest): Headers => {
  const headers: Headers = { cookies: '', contentLength: undefined, isUnclear: false, values: new Map() }
  req.forEach((name, value) => {
    if (name === 'cookie') headers.cookies = headers.cookies === '' ? value : `${headers.cookies}; ${value}`
    else if (name === 'transfer-encoding') headers.isUnclear = true
    else if (name === 'content-length') {
      if (headers.contentLength !== undefined || !/^\d{1,15}$/.test(value)) headers.isUnclear = true
      headers.contentLength = value
    } else if (READ.has(name)) {
      const before = headers.values.get(name)
      headers.values.set(name, before === undefined ? value : `${before}, ${value}`)
    }
  })
  return headers
}

const refused = (code: PortalCode, message: string): PortalReply => refusalReply(refuseAs(code, message, 'body'))

const EMPTY = Buffer.alloc(0)

const BUSY = refused('service_unavailable', 'Too many requests at a time; try again.')

/** A request that is not answered yet. */
interface Open {
  readonly res: HttpResponse
  /** Its answer has no body (RFC 9110, 9.3.2). */
  readonly isHead: boolean
  readonly startedMs: number
}

export class PortalServer {
  private readonly serving: PortalServing
  private readonly isTls: boolean
  private readonly isDraining: () => boolean
  /** Called with the status of each answer, and how long it took. */
  private readonly count: (status: number, ms: number) => void
  /** Requests that are complete and not answered yet, also those whose client is gone: the work goes on. */
  waiting = 0
  /** The same, by address. */
  private readonly waitingBy = new Tally()
  /** Bodies that arrive, by address. */
  private readonly arriving = new Tally()
  private arrivingTotal = 0

  constructor(
    serving: PortalServing,
    isTls: boolean,
    isDraining: () => boolean,
    count: (status: number, ms: number) => void,
  ) {
    this.serving = serving
    this.isTls = isTls
    this.isDraining = isDraining
    this.count = count
  }

  handle(res: HttpResponse, req: HttpRequest): void {
    const { limits } = this.serving
    const startedMs = elapsedMs()
    const headers = readHeaders(req)
    if (headers.isUnclear) {
      res.close()
      return
    }
    const { values } = headers
    const remote = Buffer.from(res.getRemoteAddressAsText()).toString('latin1')
    const request = {
      method: req.getMethod(),
      path: req.getUrl().slice(PORTAL_PATH.length),
      // Undefined without a question mark, contrary to the typings.
      query: new URLSearchParams(req.getQuery() ?? ''),
      cookies: headers.cookies,
      origin: values.get('origin'),
      site: values.get('sec-fetch-site'),
      csrf: values.get('x-csrf-token'),
      contentType: values.get('content-type'),
      host: values.get('host') ?? '',
      address: countedAddress(this.serving.proxies.clientOf(remote, values.get('x-forwarded-for'))),
    }
    const length = Number(headers.contentLength ?? 0)
    const isHead = request.method === 'head'
    const open: Open = { res, isHead, startedMs }
    const isRead = request.method === 'get' || isHead
    res.onAborted(() => {})
    if (isRead && length > 0) this.send(open, refused('validation_failed', 'A GET has no body.'), true)
    else if (length > limits.portalBodyBytesMax) this.send(open, this.tooLarge(), true)
    else if (length === 0) this.answer(open, { ...request, body: EMPTY })
    else this.receive(open, request, length)
  }

  /** Receives a body. Who sends it slowly takes a place of the own address only, and none of those of the answers. */
  private receive(open: Open, request: Omit<PortalRequest, 'body'>, length: number): void {
    const { res } = open
    const { address } = request
    const { portalBodiesMax, portalAddressBodiesMax, portalBodyMsMax } = this.serving.limits
    if (this.arrivingTotal >= portalBodiesMax || this.arriving.of(address) >= portalAddressBodiesMax) {
      this.send(open, BUSY, true)
      return
    }
    this.arriving.add(address, 1)
    this.arrivingTotal++
    let isArriving = true
    /** Whether it was still arriving. */
    const settle = (): boolean => {
      const was = isArriving
      isArriving = false
      clearTimeout(timer)
      if (was) this.leave(address)
      return was
    }
    const timer = setTimeout(() => {
      if (!settle()) return
      res.cork(() => this.send(open, refused('body_too_slow', 'The body did not arrive in time.'), true))
    }, portalBodyMsMax)
    res.onAborted(() => void settle())
    const chunks: Buffer[] = []
    let bytes = 0
    res.onData((chunk, isLast) => {
      if (!isArriving) return
      bytes += chunk.byteLength
      if (bytes > length) {
        if (settle()) res.close()
        return
      }
      // The library uses its memory again.
      chunks.push(Buffer.from(new Uint8Array(chunk)))
      if (isLast && settle()) this.answer(open, { ...request, body: Buffer.concat(chunks) })
    })
  }

  private leave(address: string): void {
    this.arrivingTotal--
    this.arriving.add(address, -1)
  }

  private answer(open: Open, request: PortalRequest): void {
    const { address } = request
    const { portalRequestsMax, portalAddressRequestsMax } = this.serving.limits
    if (this.waiting >= portalRequestsMax || this.waitingBy.of(address) >= portalAddressRequestsMax) {
      this.send(open, BUSY, true)
      return
    }
    const { res } = open
    this.waiting++
    this.waitingBy.add(address, 1)
    let isAborted = false
    res.onAborted(() => (isAborted = true))
    void this.serving.answer(request).then((reply) => {
      this.waiting--
      this.waitingBy.add(address, -1)
      if (!isAborted) res.cork(() => this.send(open, reply, false))
    })
  }

  private tooLarge(): PortalReply {
    return refused('body_too_large', `A body has at most ${this.serving.limits.portalBodyBytesMax} octets.`)
  }

  private send({ res, isHead, startedMs }: Open, { status, headers, body }: PortalReply, closes: boolean): void {
    res.writeStatus(statusLine(status))
    for (const [name, value] of headers) res.writeHeader(name, value)
    writeHsts(res, this.isTls)
    const isLast = closes || this.isDraining()
    if (body === undefined || isHead) {
      if (body !== undefined) res.writeHeader('Content-Length', String(Buffer.byteLength(body)))
      if (isLast) res.writeHeader('Connection', 'close')
      res.endWithoutBody()
    } else this.sendBody(res, Buffer.from(body), isLast)
    this.count(status, elapsedMs() - startedMs)
  }

  /** A client that reads no answer must not fill the memory: see HttpServer. */
  private sendBody(res: HttpResponse, body: Buffer, isLast: boolean): void {
    if (isLast) {
      res.end(body, true)
      return
    }
    const [, isDone] = res.tryEnd(body, body.length)
    if (!isDone) res.onWritable((offset) => res.tryEnd(body.subarray(offset), body.length)[0])
  }
}
