// A GET from a source: conditional, with a bound on the unpacked body, a time-out for each part, and a proxy if the
// source's mode requires one. Every outcome is a value: it does not throw, follow redirects or retry.

import { isUtf8 } from 'node:buffer'
import { rootCertificates } from 'node:tls'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { SourceMode } from '../../domain/coverage.ts'
import { retryAfterMsOf } from './rate.ts'
import { reasonOf } from './socket-reasons.ts'
import { undici } from './undici.ts'

/** How a source is reached. */
export interface SourceAccess {
  readonly mode: SourceMode
  /** `http://USER:PASSWORD@HOST:PORT` or `https://…`; null: none. Used by the proxy modes only. */
  readonly proxy: string | null
  /** A request header that carries a secret (`X-API-Key`); null: none. */
  readonly credential: { readonly header: string; readonly value: string } | null
  /** Certificates of authorities to trust besides the usual ones, PEM; null: none. */
  readonly authorities: string | null
}

export interface HttpLimits {
  /** Address, socket and TLS, ms. */
  readonly connectMsMax: number
  /** From the request to the end of the answer's headers, ms. */
  readonly headersMsMax: number
  /** Silence within the body, ms. */
  readonly bodyMsMax: number
  /** The whole request, ms: bounds a body that arrives slowly. */
  readonly totalMsMax: number
  /** Of a body, packed and unpacked. */
  readonly documentBytesMax: number
}

/** What makes the next GET of the same URL conditional. */
export interface Validators {
  readonly etag: string | null
  readonly lastModified: string | null
}

export interface HttpAnswer {
  /** HTTP status; 304 is an answer like any other. */
  readonly status: number
  /** The unpacked body; of an answer other than 200 only its beginning, or empty. */
  readonly text: string
  /** Null: the next GET cannot be conditional. */
  readonly validators: Validators | null
  /** The delay that `Retry-After` asks for, ms from now; null: none. */
  readonly retryAfterMs: number | null
  /** First value of a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined
}

/** There is no answer, or none that can be read. One clause without the URL, whose query may hold a secret. */
export interface HttpFault {
  readonly fault: string
}

const PROXY_MODES: readonly SourceMode[] = ['worker_proxy', 'sidecar_proxy', 'cdp_proxy']

/** A proxy's URL; undefined when its protocol is not supported. */
const proxyUrlOf = (text: string): URL | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined
  try {
    decodeURIComponent(url.username + url.password)
    return url
  } catch {
    return undefined // a literal `%` in the password
  }
}

/** Why a source is never polled: its mode forbids it, or lacks what it needs. Null: it is polled. */
export const whyNeverPolled = ({ mode, proxy }: SourceAccess): string | null => {
  if (mode === 'disabled') return 'is disabled: never polled'
  if (mode === 'credential_required') {
    return 'has no credential, as its mode says: never polled; once it has one, its mode is how it is reached (direct, …)'
  }
  if (!PROXY_MODES.includes(mode)) return null
  if (proxy === null) return `has no proxy, which its mode ${mode} requires: never polled`
  return proxyUrlOf(proxy) === undefined ? 'has a proxy that is no http:// or https:// URL: never polled' : null
}

/** Texts of an access that must not be logged. */
export const secretsOf = ({ credential, proxy }: SourceAccess): string[] => {
  const url = proxy === null ? undefined : proxyUrlOf(proxy)
  const password = url?.password ?? ''
  return [credential?.value ?? '', proxy ?? '', password, decodeURIComponent(password)].filter((text) => text !== '')
}

/** Bound for answers other than prices: enough for an error message. */
const ERROR_BYTES_MAX = 16_384

const BYTE_ORDER_MARK = '\uFEFF'

type Unpack = (packed: Buffer, bytesMax: number) => Promise<Buffer>

const unpackerOf = (unpack: typeof gunzip | typeof inflate | typeof brotliDecompress): Unpack => {
  const promised = promisify(unpack as typeof inflate)
  return (packed, bytesMax) => promised(packed, { maxOutputLength: bytesMax })
}

const inflated = unpackerOf(inflate)
const inflatedRaw = unpackerOf(inflateRaw)

const ZLIB_METHOD = 8

/** `deflate` should have a zlib wrapper; some servers send it without. */
const undeflated: Unpack = (packed, bytesMax) =>
  ((packed[0] ?? 0) & 0x0f) === ZLIB_METHOD && packed.length > 1 && packed.readUInt16BE(0) % 31 === 0
    ? inflated(packed, bytesMax)
    : inflatedRaw(packed, bytesMax)

const UNPACKERS: Readonly<Record<string, Unpack>> = {
  gzip: unpackerOf(gunzip),
  'x-gzip': unpackerOf(gunzip),
  deflate: undeflated,
  br: unpackerOf(brotliDecompress),
}

/** Unpacked bytes, or why there are none. Works on the whole packed body: its bound holds before and after. */
const unpack = async (packed: Buffer, encoding: string, bytesMax: number): Promise<Buffer | HttpFault> => {
  if (encoding === '' || encoding === 'identity' || packed.length === 0) return packed
  const unpacker = Object.hasOwn(UNPACKERS, encoding) ? UNPACKERS[encoding]! : undefined
  if (unpacker === undefined) return { fault: 'the answer has an encoding that was not requested' }
  try {
    return await unpacker(packed, bytesMax)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? { fault: `the answer unpacks to more than ${bytesMax} bytes` }
      : { fault: `the answer is not ${encoding}, or not complete` }
  }
}

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)

const validatorsOf = (header: HttpAnswer['header']): Validators | null => {
  const etag = header('etag') ?? null
  const lastModified = header('last-modified') ?? null
  return etag === null && lastModified === null ? null : { etag, lastModified }
}

const basicOf = ({ username, password }: URL): string | undefined =>
  username === '' && password === ''
    ? undefined
    : `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`

/** The route to a source. */
interface Way {
  readonly dispatcher: Dispatcher
  /** A proxy that gets http:// URLs as they are; https:// ones go through a tunnel that the dispatcher makes. */
  readonly plainProxy: { readonly origin: string; readonly authorization: string | undefined } | undefined
}

/** For a source that {@link whyNeverPolled} allows. */
export class HttpClient {
  private readonly access: SourceAccess
  private readonly limits: HttpLimits
  private readonly now: () => number
  private readonly tls: Way
  private readonly plain: Way

  /** @param connectionsMax to one origin */
  constructor(access: SourceAccess, limits: HttpLimits, connectionsMax: number, now: () => number) {
    this.access = access
    this.limits = limits
    this.now = now
    const { authorities, proxy, mode } = access
    const trust = authorities === null ? {} : { ca: [...rootCertificates, authorities] }
    const connect = { timeout: limits.connectMsMax, ...trust }
    const timeouts = { headersTimeout: limits.headersMsMax, bodyTimeout: limits.bodyMsMax, connections: connectionsMax }
    const url = proxy !== null && PROXY_MODES.includes(mode) ? proxyUrlOf(proxy) : undefined
    const { Agent, Pool, ProxyAgent } = undici()
    const agent = new Agent({ ...timeouts, connect })
    this.plain = { dispatcher: agent, plainProxy: undefined }
    this.tls = this.plain
    if (url === undefined) return
    const authorization = basicOf(url)
    this.plain = { dispatcher: agent, plainProxy: { origin: url.origin, authorization } }
    const tunnels = new ProxyAgent({
      ...timeouts,
      uri: url.origin,
      ...(authorization === undefined ? {} : { token: authorization }),
      proxyTls: connect,
      requestTls: connect,
      // Otherwise a proxy that never answers CONNECT would block for five minutes.
      clientFactory: (origin, options) => new Pool(origin, { ...options, headersTimeout: limits.headersMsMax }),
    })
    this.tls = { dispatcher: tunnels, plainProxy: undefined }
  }

  /**
   * Gets a URL. Never rejects.
   * @param validators of the answer that is still held; null: unconditional
   * @param signal aborts it at once; the fault of an aborted GET means nothing
   */
  async get(url: URL, validators: Validators | null, signal: AbortSignal): Promise<HttpAnswer | HttpFault> {
    const { totalMsMax } = this.limits
    const ending = new AbortController()
    const abort = (): void => ending.abort()
    let isLate = false
    const deadline = setTimeout(() => {
      isLate = true
      abort()
    }, totalMsMax)
    signal.addEventListener('abort', abort)
    if (signal.aborted) abort()
    try {
      return await this.answer(url, validators, ending.signal)
    } catch (error) {
      return { fault: isLate ? `not answered in full within ${totalMsMax / 1000} s` : this.reasonOf(error) }
    } finally {
      clearTimeout(deadline)
      signal.removeEventListener('abort', abort)
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.plain.dispatcher.destroy(), this.tls.dispatcher.destroy()])
  }

  private async answer(url: URL, validators: Validators | null, signal: AbortSignal): Promise<HttpAnswer | HttpFault> {
    const { dispatcher, plainProxy } = url.protocol === 'https:' ? this.tls : this.plain
    const headers: Record<string, string> = { accept: 'application/json', 'accept-encoding': 'gzip, deflate, br' }
    const { credential } = this.access
    if (credential !== null) headers[credential.header.toLowerCase()] = credential.value
    if (validators?.etag != null) headers['if-none-match'] = validators.etag
    if (validators?.lastModified != null) headers['if-modified-since'] = validators.lastModified
    if (plainProxy !== undefined) headers.host = url.host
    if (plainProxy?.authorization !== undefined) headers['proxy-authorization'] = plainProxy.authorization
    const target =
      plainProxy === undefined
        ? { origin: url.origin, path: url.pathname + url.search }
        : { origin: plainProxy.origin, path: url.origin + url.pathname + url.search }
    const response = await dispatcher.request({ ...target, method: 'GET', headers, signal })
    const { statusCode: status, body } = response
    const header = (name: string): string | undefined => first(response.headers[name])
    const text = await this.textOf(status, header, body)
    if (typeof text !== 'string') return text
    return {
      status,
      text,
      validators: validatorsOf(header),
      retryAfterMs: retryAfterMsOf(header('retry-after'), header('date'), this.now()),
      header,
    }
  }

  private async textOf(
    status: number,
    header: HttpAnswer['header'],
    body: Dispatcher.ResponseData['body'],
  ): Promise<string | HttpFault> {
    const bytesMax = status === 200 ? this.limits.documentBytesMax : ERROR_BYTES_MAX
    const tooLong = status === 200 ? { fault: `the answer is longer than ${bytesMax} bytes` } : ''
    const parts: Buffer[] = []
    let length = 0
    // Leaving the loop early destroys the body and its connection, without waiting for the rest.
    for await (const part of body as AsyncIterable<Buffer>) {
      length += part.length
      if (length > bytesMax) return tooLong
      parts.push(part)
    }
    const encoding = (header('content-encoding') ?? '').trim().toLowerCase()
    const bytes = await unpack(Buffer.concat(parts), encoding, bytesMax)
    if ('fault' in bytes) return status === 200 ? bytes : ''
    if (!isUtf8(bytes)) return status === 200 ? { fault: 'the answer is not UTF-8' } : ''
    const text = bytes.toString('utf8')
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  }

  private reasonOf(thrown: unknown): string {
    const error = thrown as NodeJS.ErrnoException & { readonly cause?: NodeJS.ErrnoException }
    const tunnel = /^Proxy response \((\d+)\)/.exec(error.message ?? '')
    if (tunnel !== null) return `the proxy refuses the tunnel with status ${tunnel[1]}`
    return reasonOf(error.code === undefined && error.cause?.code !== undefined ? error.cause : error)
  }
}
