// Refusals: what a caller gets instead of an answer. Returned, never thrown.

/** Every code that a caller can get, with its HTTP status (docs/architecture.md 7.8, and `method_not_allowed`). */
export const REFUSAL_STATUS = {
  validation_failed: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  live_not_enabled: 403,
  forbidden: 403,
  api_key_scope_denied: 403,
  not_found: 404,
  method_not_allowed: 405,
  rate_limit_exceeded: 429,
  service_unavailable: 503,
} as const

export type RefusalCode = keyof typeof REFUSAL_STATUS

export interface Refusal {
  readonly refused: RefusalCode
  readonly message: string
  /** The parameter or field at fault, if any. */
  readonly field?: string
}

export const refuse = (refused: RefusalCode, message: string, field?: string): Refusal =>
  field === undefined ? { refused, message } : { refused, message, field }

export const isRefusal = (value: object): value is Refusal => (value as Partial<Refusal>).refused !== undefined
