// The part of Sportradar's HTTP API that the feed needs: fixtures, and recoveries, which are requested here and
// answered by messages of the feed (docs.sportradar.com/uof).

import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Agent } from 'undici'
import { shown } from '../kit/text.ts'
import { reasonOf } from '../kit/socket-reasons.ts'
import { undici } from '../kit/undici.ts'

const unpack = promisify(gunzip)

export interface SportsApiOptions {
  /** `https://HOST`, without a path. */
  readonly url: string
  /** Sent as `x-access-token`. Never part of a message. */
  readonly token: string
  /** From the first byte sent to the last one received. */
  readonly requestMsMax: number
  /** Of an answer, unpacked. */
  readonly bodyBytesMax: number
  readonly connectionsMax: number
}

/** Why there is no answer. */
export interface ApiFault {
  readonly fault: string
  /** Asking for the same again would not help. */
  readonly isFinal: boolean
}

export const isApiFault = (value: object | string | undefined): value is ApiFault =>
  typeof value === 'object' && 'fault' in value

/** For a request that broke: its result is unknown. */
export const asFault = (error: Error): ApiFault => ({ fault: error.message, isFinal: false })

// With any of these the API has understood the request, and has no such thing.
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 404, 410, 422])

const wordsFor = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'no answer in time'
  return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'its answer is too long' : reasonOf(error)
}

export class SportsApi {
  private readonly options: SportsApiOptions
  private readonly agent: Agent
  private readonly stopping = new AbortController()

  constructor(options: SportsApiOptions) {
    this.options = options
    this.agent = new (undici().Agent)({ connections: options.connectionsMax })
  }

  /** The fixture of an event, as XML. */
  fixture(eventId: string): Promise<string | ApiFault> {
    return this.ask('GET', ['sports', 'en', 'sport_events', eventId, 'fixture.xml'])
  }

  /**
   * Requests the product's odds, which end with a `snapshot_complete` of `requestId`.
   * @param afterAt epoch ms: only what has changed since; null: all
   */
  recover(product: string, requestId: number, afterAt: number | null): Promise<ApiFault | undefined> {
    const after = afterAt === null ? '' : `after=${afterAt}&`
    return this.post([product, 'recovery', 'initiate_request'], `?${after}request_id=${requestId}`)
  }

  /** Like {@link recover}, for all that the product has of one event. */
  recoverEvent(product: string, eventId: string, requestId: number): Promise<ApiFault | undefined> {
    return this.post([product, 'odds', 'events', eventId, 'initiate_request'], `?request_id=${requestId}`)
  }

  /** Resolves when no request is open; open requests end with a fault. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await this.agent.destroy()
  }

  private async post(path: readonly string[], query: string): Promise<ApiFault | undefined> {
    const answer = await this.ask('POST', path, query)
    return isApiFault(answer) ? answer : undefined
  }

  /**
   * Never rejects.
   * @param path its parts after the version
   */
  private async ask(method: 'GET' | 'POST', path: readonly string[], query = ''): Promise<string | ApiFault> {
    const { url, token, requestMsMax } = this.options
    const what = `${method} /v1/${path.join('/')}`
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(requestMsMax)])
    try {
      const { statusCode, headers, body } = await undici().request(
        new URL(`/v1/${path.map(encodeURIComponent).join('/')}${query}`, url),
        {
          method,
          headers: { 'x-access-token': token, accept: 'application/xml', 'accept-encoding': 'gzip' },
          dispatcher: this.agent,
          signal,
        },
      )
      const text = await this.read(body, headers['content-encoding'] === 'gzip')
      if (text === undefined) return { fault: `${what}: its answer is too long`, isFinal: true }
      if (statusCode >= 200 && statusCode < 300) return text
      return { fault: `${what}: ${statusCode} ${shown(text)}`, isFinal: FINAL_STATUSES.has(statusCode) }
    } catch (error) {
      return { fault: `${what}: ${this.withoutToken(wordsFor(error))}`, isFinal: false }
    }
  }

  /** The text without the token. Call it before truncating: a partial token would not be found. */
  private withoutToken(text: string): string {
    const { token } = this.options
    return token === '' ? text : text.replaceAll(token, '(the token)')
  }

  private async read(body: AsyncIterable<Buffer>, isPacked: boolean): Promise<string | undefined> {
    const { bodyBytesMax } = this.options
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of body) {
      length += chunk.length
      if (length > bodyBytesMax) return undefined
      chunks.push(chunk)
    }
    const bytes = Buffer.concat(chunks)
    // Parts of the answer may be logged.
    const unpacked = isPacked ? await unpack(bytes, { maxOutputLength: bodyBytesMax }) : bytes
    return this.withoutToken(unpacked.toString('utf8'))
  }
}
