// A session of the exchange: the token that the stream needs, obtained by user name and password, with a client
// certificate where the account has one (the exchange's "non-interactive" login, intended for programs), or without.

import type { Remedy } from './stream-failure.ts'
import { isPassing, post } from './https-post.ts'

export interface BetfairLogin {
  /** `https://identitysso-cert.betfair.com/api/certlogin`, or of another country; `…/api/login` without certificate. */
  readonly url: string
  readonly username: string
  readonly password: string
  /** Client certificate and its key, PEM; null where the account has none. */
  readonly certificate: { readonly cert: string; readonly key: string } | null
}

export interface LoginOptions {
  readonly login: BetfairLogin
  readonly appKey: string
  /** Certificates (PEM) to trust instead of the public authorities. */
  readonly ca: string | undefined
  /** Time limit of the whole login. */
  readonly openMsMax: number
  readonly signal: AbortSignal
}

/** Why there is no session, and the remedy. */
export interface LoginFault {
  readonly fault: string
  readonly remedy: Remedy
}

const ANSWER_BYTES_MAX = 64 * 1024

// Any other text in place of a code would let the answer write into our log.
const CODE = /^[A-Z][A-Z0-9_]{1,60}$/

const codeOf = (value: unknown): string | undefined =>
  typeof value === 'string' && CODE.test(value) ? value : undefined

/** Logs in. Reads both forms of the answer: of `certlogin` and of `login`. */
export const logIn = async (options: LoginOptions): Promise<{ readonly token: string } | LoginFault> => {
  const { login, appKey, ca, openMsMax, signal } = options
  const answer = await post({
    url: login.url,
    headers: { 'X-Application': appKey, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ username: login.username, password: login.password }).toString(),
    ca,
    certificate: login.certificate,
    openMsMax,
    answerBytesMax: ANSWER_BYTES_MAX,
    signal,
  })
  if ('fault' in answer) return { fault: `login failed: ${answer.fault}`, remedy: 'soon' }
  const { statusCode, body } = answer
  if (statusCode !== 200) {
    return { fault: `login failed: HTTP ${statusCode}`, remedy: isPassing(statusCode) ? 'soon' : 'slow' }
  }
  let fields: Readonly<Record<string, unknown>>
  try {
    fields = Object(JSON.parse(body)) as Record<string, unknown>
  } catch {
    return { fault: 'login failed: the answer is not JSON', remedy: 'soon' }
  }
  const token = fields.sessionToken ?? fields.token
  const status = codeOf(fields.loginStatus ?? fields.status)
  if (status === 'SUCCESS' && typeof token === 'string' && token !== '') return { token }
  const said = [status, codeOf(fields.error)].filter((code) => code !== undefined).join(' ')
  // After repeated tries with a wrong password the exchange locks the account.
  return { fault: `login was refused${said === '' ? '' : `: ${said}`}`, remedy: 'slow' }
}
