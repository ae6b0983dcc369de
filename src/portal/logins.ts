// Logging in and out: passwords, one-time links, sessions, and the token against requests of other pages.
//
// The cookie holds 256 random bits; the store has their SHA-256. Each login makes new ones, so that a cookie which somebody
// has planted before (session fixation) is worth nothing after.

import { createHash } from 'node:crypto'
import type { Access } from '../access/access.ts'
import { isFault } from '../access/fault.ts'
import type { Asker } from '../access/asker.ts'
import { hashOfToken, isToken, newToken } from '../access/token.ts'
import { type NewSession, normaliseEmail, type SessionRecord, type SessionTerms } from '../access/user-records.ts'
import type { SharedFailures, Trier } from '../access/redis-failures.ts'
import { BackOff, FORGET_MS } from './back-off.ts'
import { readMembers, readText } from './body.ts'
import { type PasswordLimits, Passwords } from './passwords.ts'
import { VisitRate } from './visit-rate.ts'
import {
  emptyReply,
  isPortalRefusal,
  jsonReply,
  NOT_LOGGED_IN,
  type PortalRefusal,
  type PortalReply,
  type PortalRequest,
  refuseAs,
  STORE_DOWN,
  timeText,
} from './portal-request.ts'

export interface LoginLimits extends PasswordLimits {
  readonly portalCookieBytesMax: number
  readonly passwordLengthMin: number
  readonly passwordLengthMax: number
  readonly portalIdleMs: number
  readonly portalSessionMsMax: number
  readonly portalSessionsMax: number
  readonly loginFailuresMax: number
  readonly addressFailuresMax: number
  readonly loginPauseMs: number
  readonly loginPauseMsMax: number
  readonly addressPauseMsMax: number
  readonly failuresKept: number
  readonly loginsMax: number
  readonly portalWriteWindowMs: number
}

export interface LoginOptions {
  readonly access: Access
  readonly limits: LoginLimits
  readonly now: () => number
  /** Failures at all processes of the service; left out: it is one. */
  readonly failures?: SharedFailures | undefined
  /** Whether browsers may send the cookie over TLS only. */
  readonly isSecure: boolean
}

/** Who asks, and as whom. */
export interface LoggedIn extends SessionRecord {
  readonly asker: Asker
  readonly csrf: string
}

/** Over TLS with the prefix by which browsers let no other host of the domain set it (RFC 6265bis, 4.1.3.2). */
export const cookieName = (isSecure: boolean): string => (isSecure ? '__Host-oddswire_session' : 'oddswire_session')

/** A page that has it has read an answer, which only pages of the own origin can. The cookie does not follow from it. */
const csrfOf = (token: string): string => createHash('sha256').update(`csrf ${token}`).digest('base64url')

const INVALID_LOGIN = refuseAs('invalid_login', 'There is no user with this email and password.')

const INVALID_LINK = refuseAs('invalid_link', 'This link was used, replaced or has expired; ask for a new one.')

export class Logins {
  private readonly options: LoginOptions
  private readonly passwords: Passwords
  private readonly terms: SessionTerms
  private readonly byEmail: BackOff
  private readonly byAddress: BackOff
  /** Logins that have succeeded, by email. */
  private readonly logins: VisitRate
  private readonly cookieName: string

  constructor(options: LoginOptions) {
    this.options = options
    const { limits } = options
    this.cookieName = cookieName(options.isSecure)
    this.logins = new VisitRate(limits.loginsMax, limits.portalWriteWindowMs)
    this.passwords = new Passwords(limits)
    this.terms = {
      idleMs: limits.portalIdleMs,
      msMax: limits.portalSessionMsMax,
      sessionsMax: limits.portalSessionsMax,
    }
    const common = { pauseMs: limits.loginPauseMs, kept: limits.failuresKept }
    this.byEmail = new BackOff({ ...common, failuresMax: limits.loginFailuresMax, pauseMsMax: limits.loginPauseMsMax })
    this.byAddress = new BackOff({
      ...common,
      failuresMax: limits.addressFailuresMax,
      pauseMsMax: limits.addressPauseMsMax,
    })
  }

  /** Who is logged in. */
  async who(request: PortalRequest): Promise<LoggedIn | PortalRefusal> {
    const token = this.tokenOf(request)
    if (token === undefined) return NOT_LOGGED_IN
    const asker = { session: hashOfToken(token), terms: this.terms, at: this.options.now() }
    const found = await this.options.access.portal({ kind: 'session', ...asker })
    if (found === undefined) return NOT_LOGGED_IN
    return isFault(found) ? STORE_DOWN : { ...found, asker, csrf: csrfOf(token) }
  }

  /** `GET session`: that nobody is logged in is an answer, no fault, which the console of a browser would report. */
  async whoIsThere(request: PortalRequest): Promise<PortalReply | PortalRefusal> {
    const user = await this.who(request)
    if (!isPortalRefusal(user)) return this.shown(user)
    return user === NOT_LOGGED_IN ? jsonReply({ user: null }) : user
  }

  private shown(
    { email, role, organization, expiresAt, csrf }: Omit<LoggedIn, 'asker'>,
    headers: PortalReply['headers'] = [],
  ) {
    return jsonReply({ user: { email, role, organization }, csrf, expiresAt: timeText(expiresAt) }, { headers })
  }

  /** `POST session`. */
  async logIn(request: PortalRequest): Promise<PortalReply | PortalRefusal> {
    const { limits, now } = this.options
    const members = readMembers(request, ['email', 'password'])
    if (isPortalRefusal(members)) return members
    const given = readText(members.email, 'email', 254)
    if (typeof given !== 'string') return given
    const password = readText(members.password, 'password', limits.passwordLengthMax)
    if (typeof password !== 'string') return password
    // What is no email is nobody's; it is refused after the same time as the email of nobody.
    const email = normaliseEmail(given) ?? ''
    const { address } = request
    const at = now()
    const paused = this.pauseOf(email, address)
    if (paused !== undefined) return paused
    const asker = { address, hasFailed: this.byAddress.hasFailed(address, at) }
    const done = await this.passwords.queued(asker, () => this.checkPassword(request, email, password))
    return done ?? BUSY
  }

  private async checkPassword(
    request: PortalRequest,
    email: string,
    password: string,
  ): Promise<PortalReply | PortalRefusal> {
    const { now } = this.options
    const { address } = request
    // Others may have failed while this one waited.
    const paused = this.pauseOf(email, address)
    if (paused !== undefined) return paused
    this.byEmail.began(email, now())
    this.byAddress.began(address, now())
    const { failures } = this.options
    const [byEmail, byAddress] = this.triers(email, address)
    const elsewhere = pauseOf((await failures?.began([byEmail, byAddress])) ?? 0)
    if (elsewhere !== undefined) {
      this.byEmail.tookBack(email)
      this.byAddress.tookBack(address)
      return elsewhere
    }
    const answer = await this.tryPassword(request, email, password)
    if (answer === INVALID_LOGIN) return answer
    const isAway = answer === STORE_DOWN
    if (isAway) this.byEmail.tookBack(email)
    else this.byEmail.succeeded(email)
    this.byAddress.tookBack(address)
    await Promise.all([failures?.tookBack(byEmail, !isAway), failures?.tookBack(byAddress, false)])
    return answer
  }

  private triers(email: string, address: string): readonly [Trier, Trier] {
    const { limits } = this.options
    const common = { pauseMs: limits.loginPauseMs, forgetMs: FORGET_MS }
    const [ofEmail, ofAddress] = [
      { ...common, failuresMax: limits.loginFailuresMax, pauseMsMax: limits.loginPauseMsMax },
      { ...common, failuresMax: limits.addressFailuresMax, pauseMsMax: limits.addressPauseMsMax },
    ]
    return [
      { kind: 'email', name: email, terms: ofEmail },
      { kind: 'address', name: address, terms: ofAddress },
    ]
  }

  /** @returns `INVALID_LOGIN`, where it has failed; `STORE_DOWN`, where nobody knows */
  private async tryPassword(
    request: PortalRequest,
    email: string,
    password: string,
  ): Promise<PortalReply | PortalRefusal> {
    const { access, now } = this.options
    const stored = await access.portal({ kind: 'password', email })
    if (isFault(stored)) return STORE_DOWN
    if (!(await this.passwords.matches(password, stored)) || stored === undefined) return INVALID_LOGIN
    // Only those who know the password are counted: nobody can use it up for somebody else.
    const waitMs = this.logins.waitMs(email, now())
    if (waitMs > 0) return pauseOf(waitMs)!
    const token = newToken()
    const next = this.nextSession(request, token)
    const session = await access.portal({ kind: 'login', email, password: stored, next, at: now() })
    if (session === undefined) return INVALID_LOGIN
    return isFault(session) ? STORE_DOWN : this.begun(session, token)
  }

  private pauseOf(email: string, address: string): PortalRefusal | undefined {
    const at = this.options.now()
    return pauseOf(Math.max(this.byEmail.waitMs(email, at), this.byAddress.waitMs(address, at)))
  }

  /** `POST link`. */
  async useLink(request: PortalRequest): Promise<PortalReply | PortalRefusal> {
    const { access, limits, now } = this.options
    const members = readMembers(request, ['token'], ['password'])
    if (isPortalRefusal(members)) return members
    const linkToken = readText(members.token, 'token', 100)
    if (typeof linkToken !== 'string') return linkToken
    const { address } = request
    const at = now()
    const paused = pauseOf(this.byAddress.waitMs(address, at))
    if (paused !== undefined) return paused
    const asker = { address, hasFailed: this.byAddress.hasFailed(address, at) }
    this.byAddress.began(address, at)
    const hash = hashOfToken(linkToken)
    // Before the password is hashed, which is expensive.
    const link = await access.portal({ kind: 'link', hash, at })
    if (link === undefined) return INVALID_LINK
    this.byAddress.tookBack(address)
    if (isFault(link)) return STORE_DOWN
    const { passwordLengthMin: min, passwordLengthMax: max } = limits
    // Which it is can be asked before: a page asks for the password then.
    if (members.password === undefined && link.needsPassword) return jsonReply({ user: null, needsPassword: true })
    let password: string | null = null
    const given = members.password
    if (given !== undefined) {
      if (typeof given !== 'string' || given.length < min || given.length > max) {
        return refuseAs('validation_failed', `Choose a password of ${min} to ${max} characters.`, 'password')
      }
      const stored = await this.passwords.queued(asker, () => this.passwords.store(given))
      if (stored === undefined) return BUSY
      password = stored
    }
    const token = newToken()
    const next = this.nextSession(request, token)
    const session = await access.portal({ kind: 'use-link', hash, password, next, at: now() })
    if (session === undefined) return INVALID_LINK
    return isFault(session) ? STORE_DOWN : this.begun(session, token)
  }

  /** `DELETE session`. */
  async logOut({ asker: { session, at } }: LoggedIn): Promise<PortalReply | PortalRefusal> {
    const failed = await this.options.access.portal({ kind: 'end', session, at })
    if (failed !== undefined) return STORE_DOWN
    return emptyReply([this.cookie('', 0)])
  }

  private nextSession(request: PortalRequest, token: string): NewSession {
    const before = this.tokenOf(request)
    const replaces = before === undefined ? null : hashOfToken(before)
    return { hash: hashOfToken(token), replaces, terms: this.terms }
  }

  private begun(session: SessionRecord, token: string): PortalReply {
    const seconds = Math.floor(this.options.limits.portalSessionMsMax / 1_000)
    return this.shown({ ...session, csrf: csrfOf(token) }, [this.cookie(token, seconds)])
  }

  private cookie(token: string, seconds: number): readonly [string, string] {
    const secure = this.options.isSecure ? '; Secure' : ''
    return ['Set-Cookie', `${this.cookieName}=${token}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`]
  }

  /** The token of the cookie; undefined: there is none, or two, of which one may be planted. */
  private tokenOf({ cookies }: PortalRequest): string | undefined {
    if (cookies.length > this.options.limits.portalCookieBytesMax) return undefined
    const tokens = cookies
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(`${this.cookieName}=`))
      .map((pair) => pair.slice(this.cookieName.length + 1))
    const [token] = tokens
    return tokens.length === 1 && token !== undefined && isToken(token) ? token : undefined
  }
}

const pauseOf = (ms: number): PortalRefusal | undefined => {
  if (ms === 0) return undefined
  const retryS = Math.ceil(ms / 1_000)
  return { ...refuseAs('too_many_attempts', `Too many attempts; try again in ${retryS} s.`), retryS }
}

const BUSY: PortalRefusal = {
  ...refuseAs('service_unavailable', 'Too many people log in just now; try again in a moment.'),
  retryS: 1,
}
