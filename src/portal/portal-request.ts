// A request of the portal, its reply, and why one is refused. HTTP itself is in server/portal-server.ts.

/** What the server has read of a request. */
export interface PortalRequest {
  /** Lower case. */
  readonly method: string
  /** Below `/portal/api/`, without query. */
  readonly path: string
  readonly query: URLSearchParams
  /** All `Cookie` headers in one; empty: none. */
  readonly cookies: string
  /** Each undefined where it was not sent. */
  readonly origin: string | undefined
  readonly site: string | undefined
  readonly csrf: string | undefined
  readonly contentType: string | undefined
  readonly host: string
  /** Address of the client as failures are counted: of IPv6 its network. */
  readonly address: string
  /** Empty: none. */
  readonly body: Buffer
}

/** Every code of an error of the portal, with its status. */
export const PORTAL_STATUS = {
  validation_failed: 400,
  not_logged_in: 401,
  invalid_login: 401,
  invalid_link: 401,
  csrf_failed: 403,
  cross_origin: 403,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  body_too_slow: 408,
  conflict: 409,
  body_too_large: 413,
  not_json: 415,
  too_many_attempts: 429,
  service_unavailable: 503,
} as const

export type PortalCode = keyof typeof PORTAL_STATUS

export interface PortalReply {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  /** JSON; undefined: none. */
  readonly body: string | undefined
}

export interface PortalRefusal {
  readonly refusedAs: PortalCode
  readonly message: string
  /** The member, parameter or header at fault. */
  readonly field?: string
  /** Seconds for `Retry-After`. */
  readonly retryS?: number
}

export const refuseAs = (refusedAs: PortalCode, message: string, field?: string): PortalRefusal =>
  field === undefined ? { refusedAs, message } : { refusedAs, message, field }

/** Somebody has done something too often. */
export const tooOften = (does: 'asks' | 'changes', waitMs: number): PortalRefusal => {
  const retryS = Math.ceil(waitMs / 1_000)
  const message = `Too much was ${does === 'asks' ? 'asked' : 'changed'} in a short time; try again in ${retryS} s.`
  return { ...refuseAs('too_many_attempts', message), retryS }
}

export const isPortalRefusal = (value: object): value is PortalRefusal => 'refusedAs' in value

export const NOT_LOGGED_IN = refuseAs('not_logged_in', 'Log in first.')

export const NOT_FOUND = refuseAs('not_found', 'There is nothing here, or nothing that you may see.')

/** The store does not answer: nothing is known, so nothing is done. */
export const STORE_DOWN: PortalRefusal = {
  ...refuseAs('service_unavailable', 'The store does not answer just now; try again in a moment.'),
  retryS: 1,
}

/** No page of another origin may read it, no cache may keep it, no browser may take it for another type. */
const HEADERS = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Vary', 'Cookie'],
] as const

const JSON_TYPE = ['Content-Type', 'application/json'] as const

export const jsonReply = (
  value: object,
  { status = 200, headers = [] }: { readonly status?: number; readonly headers?: PortalReply['headers'] } = {},
): PortalReply => ({
  status,
  headers: [JSON_TYPE, ...HEADERS, ...headers],
  body: JSON.stringify(value).replaceAll('<', '\\u003c'),
})

export const emptyReply = (headers: PortalReply['headers'] = []): PortalReply => ({
  status: 204,
  headers: [...HEADERS, ...headers],
  body: undefined,
})

export const refusalReply = ({ refusedAs: code, message, field, retryS }: PortalRefusal): PortalReply =>
  jsonReply(
    { error: { code, message, ...(field === undefined ? {} : { field }) } },
    { status: PORTAL_STATUS[code], headers: retryS === undefined ? [] : [['Retry-After', String(retryS)]] },
  )

/** RFC 3339, as all times of the portal. */
export const timeText = (epochMs: number | null): string | null =>
  epochMs === null ? null : new Date(epochMs).toISOString()

/** Of a service that has its port, and not its store yet. */
export const STARTING = refusalReply({
  ...refuseAs('service_unavailable', 'The service is starting; try again in a moment.'),
  retryS: 1,
})
