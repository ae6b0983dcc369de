// Refusals of the exchange and their remedies. The codes are those of the Exchange Stream API's public schema
// (ESASwaggerSchema.json, ErrorCode).

/**
 * - `soon`: try again, after the pause of any broken connection
 * - `fresh`: like `soon`, without the clocks: all markets again
 * - `login`: like `soon`, with a new session; where the session was given, `slow`
 * - `slow`: only an operator can fix it; tried again after minutes, so that it does no harm to the account
 */
export type Remedy = 'soon' | 'fresh' | 'login' | 'slow'

interface Failure {
  readonly remedy: Remedy
  /** Words that follow the code. */
  readonly meaning: string
}

const FAILURES: Readonly<Record<string, Failure>> = {
  NO_APP_KEY: { remedy: 'slow', meaning: 'no application key was given' },
  INVALID_APP_KEY: {
    remedy: 'slow',
    meaning: 'the application key is not known; a live one, with stream access, is needed',
  },
  NO_SESSION: { remedy: 'login', meaning: 'no session token was given' },
  INVALID_SESSION_INFORMATION: { remedy: 'login', meaning: 'the session token is wrong or has expired' },
  NOT_AUTHORIZED: { remedy: 'slow', meaning: 'the account has no access to the stream; the exchange must grant it' },
  INVALID_INPUT: { remedy: 'slow', meaning: 'the market filter or another part of the subscription is not understood' },
  INVALID_REQUEST: {
    remedy: 'slow',
    meaning: 'the market filter or another part of the subscription is not understood',
  },
  INVALID_CLOCK: {
    remedy: 'fresh',
    meaning: 'too much was missed to resume from there; all markets are requested again',
  },
  UNEXPECTED_ERROR: { remedy: 'soon', meaning: 'the exchange gives no reason' },
  TIMEOUT: { remedy: 'soon', meaning: 'the exchange waited too long for us' },
  CONNECTION_FAILED: { remedy: 'soon', meaning: 'the exchange gave the connection up' },
  SUBSCRIPTION_LIMIT_EXCEEDED: {
    remedy: 'slow',
    meaning: 'the market filter names more markets than the account may follow; narrow it',
  },
  MAX_CONNECTION_LIMIT_EXCEEDED: {
    remedy: 'soon',
    meaning: 'the account has as many connections open as it may; end another one',
  },
  TOO_MANY_REQUESTS: { remedy: 'slow', meaning: 'too many connections were opened within a short time' },
}

/** What a failure means; an unknown code counts as temporary. */
export const failureOf = (code: string | undefined): Failure =>
  (code !== undefined && Object.hasOwn(FAILURES, code) ? FAILURES[code] : undefined) ?? {
    remedy: 'soon',
    meaning: 'no reason is known',
  }
