// `/portal/api/*` of the customers' port: reads requests with their bodies, in bounded memory and time.

import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { elapsedMs } from '../clock.ts'
import {
  type PortalCode,
  type PortalReply,
  type PortalRequest,
  refusalReply,
  refuseAs,
} from '../portal/portal-request.ts'
import { statusLine } from '../rest/reply.ts'
import { countedAddress } from '../stomp/connections.ts'
import { writeHsts } from './listener.ts'

export const PORTAL_PATH = '/portal/api/'

export interface PortalLimits {
  readonly portalBodyBytesMax: number
  readonly portalBodyMsMax: number
  readonly portalRequestsMax: number
}

export interface PortalServing {
  /** Never rejects. */
  readonly answer: (request: PortalRequest) => Promise<PortalReply>
  readonly limits: PortalLimits
}

interface Headers {
  cookies: string
  contentLength: string | undefined
  /** The length of the body is unclear, and so is all that follows on the connection. */
  isUnclear: boolean
  readonly values: Map<string, string>
}

/** Headers that are read; two of one are one that is wrong. */
const READ = new Set(['origin', 'sec-fetch-site', 'x-csrf-token', 'content-type', 'host'])

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

export class PortalServer {
  private readonly serving: PortalServing
  private readonly isTls: boolean
  private readonly isDraining: () => boolean
  /** Called with the status of each answer, and how long it took. */
  private readonly count: (status: number, ms: number) => void
  /** Requests that are not answered yet. */
  waiting = 0

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
      address: countedAddress(Buffer.from(res.getRemoteAddressAsText()).toString('latin1')),
    }
    const length = Number(headers.contentLength ?? 0)
    const isRead = request.method === 'get' || request.method === 'head'
    res.onAborted(() => {})
    if (isRead && length > 0) this.send(res, refused('validation_failed', 'A GET has no body.'), true, startedMs)
    else if (length > limits.portalBodyBytesMax) this.send(res, this.tooLarge(), true, startedMs)
    else if (this.waiting >= limits.portalRequestsMax) {
      this.send(res, refused('service_unavailable', 'Too many requests at a time; try again.'), true, startedMs)
    } else this.receive(res, request, length, startedMs)
  }

  private receive(res: HttpResponse, request: Omit<PortalRequest, 'body'>, length: number, startedMs: number): void {
    this.waiting++
    let isOpen = true
    /** Whether this was not settled before. */
    const settle = (): boolean => {
      const was = isOpen
      isOpen = false
      clearTimeout(timer)
      if (was) this.waiting--
      return was
    }
    const timer = setTimeout(() => {
      if (!settle()) return
      res.cork(() => this.send(res, refused('body_too_slow', 'The body did not arrive in time.'), true, startedMs))
    }, this.serving.limits.portalBodyMsMax)
    res.onAborted(() => void settle())
    const answer = (body: Buffer): void => {
      clearTimeout(timer)
      void this.serving.answer({ ...request, body }).then((reply) => {
        if (settle()) res.cork(() => this.send(res, reply, false, startedMs))
      })
    }
    if (length === 0) {
      answer(EMPTY)
      return
    }
    const chunks: Buffer[] = []
    let bytes = 0
    res.onData((chunk, isLast) => {
      if (!isOpen) return
      bytes += chunk.byteLength
      if (bytes > length) {
        if (settle()) res.close()
        return
      }
      // The library uses its memory again.
      chunks.push(Buffer.from(new Uint8Array(chunk)))
      if (isLast) answer(Buffer.concat(chunks))
    })
  }

  private tooLarge(): PortalReply {
    return refused('body_too_large', `A body has at most ${this.serving.limits.portalBodyBytesMax} octets.`)
  }

  private send(res: HttpResponse, { status, headers, body }: PortalReply, closes: boolean, startedMs: number): void {
    res.writeStatus(statusLine(status))
    for (const [name, value] of headers) res.writeHeader(name, value)
    writeHsts(res, this.isTls)
    const isLast = closes || this.isDraining()
    if (body === undefined) {
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
