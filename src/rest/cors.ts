// Cross-origin requests of browsers (https://fetch.spec.whatwg.org/#http-cors-protocol): which pages may read answers.

/** What is answered, to preflights too. */
export const METHODS = 'GET, HEAD, OPTIONS'

/** How long a browser need not ask again. Chromium forgets it after two hours in any case. */
const PREFLIGHT_S = 7_200

/** Headers that a page may send; what needs no preflight is not listed. `*` would not include Authorization. */
const REQUEST_HEADERS = 'Authorization, X-Api-Key, If-None-Match, Cache-Control, Last-Event-ID'

/** Headers that a page may read, besides those that any may. */
const RESPONSE_HEADERS = [
  'ETag',
  'X-Odds-Seq',
  'X-Odds-Log',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
].join(', ')

/** The header whose value the blocks begin with. */
export const FIRST_CORS_HEADER = 'Access-Control-Allow-Origin'

interface Blocks {
  readonly answer: string
  readonly preflight: string
}

const blocksOf = (origin: string): Blocks => ({
  answer: `${origin}\r\nAccess-Control-Expose-Headers: ${RESPONSE_HEADERS}`,
  preflight: [
    origin,
    `Access-Control-Allow-Methods: ${METHODS}`,
    `Access-Control-Allow-Headers: ${REQUEST_HEADERS}`,
    `Access-Control-Max-Age: ${PREFLIGHT_S}`,
  ].join('\r\n'),
})

/**
 * The CORS headers, as blocks that are written in one piece. Keys are sent in headers, never in cookies, so credentials
 * in the sense of the protocol are not allowed.
 */
export class Cors {
  private readonly byOrigin: ReadonlyMap<string, Blocks>
  private readonly ofAll: Blocks | undefined

  /** @param origins as in the setting: empty: none; `*`: all */
  constructor(origins: readonly string[]) {
    this.byOrigin = new Map(origins.map((origin) => [origin, blocksOf(origin)]))
    this.ofAll = this.byOrigin.get('*')
  }

  /** What a page of this origin gets; undefined: it may not read answers. */
  blocks(origin: string): Blocks | undefined {
    return this.ofAll ?? this.byOrigin.get(origin)
  }
}
