// The portal's interface, below /portal/api/, as this page calls it.

import { signal } from '@preact/signals'
import { urlOf } from './place.ts'

export interface User {
  readonly email: string
  readonly role: 'operator' | 'owner' | 'member'
  readonly organization: { readonly id: string; readonly name: string }
}

interface SessionReply {
  readonly user: User
  readonly csrf: string
  readonly expiresAt: string
}

export interface ApiFault {
  /** HTTP status; 0: there was no answer. */
  readonly status: number
  readonly code: string
  readonly message: string
  readonly field?: string
}

export type Result<Data> =
  | { readonly data: Data; readonly fault?: undefined }
  | { readonly data?: undefined; readonly fault: ApiFault }

/** undefined: not asked yet; null: nobody is logged in. */
export const user = signal<User | null | undefined>(undefined)
/** Whether somebody was logged in on this page, and no longer is. */
export const hasEnded = signal(false)
/** Why there is no session, where that is not just that nobody is logged in. */
export const sessionFault = signal<ApiFault | undefined>(undefined)

let csrf = ''

const noAnswer: ApiFault = { status: 0, code: 'no_answer', message: 'The service does not answer. Is it running?' }

const faultOf = async (response: Response): Promise<ApiFault> => {
  let error: Partial<ApiFault> = {}
  try {
    error = ((await response.json()) as { error?: Partial<ApiFault> }).error ?? {}
  } catch {
    // Not ours: a proxy's page, say.
  }
  return {
    status: response.status,
    code: error.code ?? `http_${response.status}`,
    message: error.message ?? `The service answered ${response.status}.`,
    ...(error.field === undefined ? {} : { field: error.field }),
  }
}

/** The organization that an operator looks at, by its id; null: the own one. */
export const organizationShown = (): string | null => new URLSearchParams(location.search).get('organization')

/** Paths of the operator's view name the organization themselves. */
const addressOf = (path: string): string => {
  const organization = organizationShown()
  const isOfOne = organization !== null && !/^(session$|link$|status$|operator\/)/.test(path)
  const rest = isOfOne ? `${path.includes('?') ? '&' : '?'}organization=${encodeURIComponent(organization)}` : ''
  return urlOf(`portal/api/${path}${rest}`)
}

const end = (): void => {
  if (user.value) hasEnded.value = true
  user.value = null
}

type Method = 'GET' | 'POST' | 'DELETE'

type Body = Readonly<Record<string, unknown>>

/** @param path below /portal/api/ */
export const call = async <Data>(method: Method, path: string, body?: Body): Promise<Result<Data>> => {
  const first = await send<Data>(method, path, body)
  const email = user.value?.email
  if (first.fault?.code !== 'csrf_failed' || email === undefined) return first
  // There was a login in another tab. What somebody has begun here is not done as somebody else.
  await loadSession()
  return user.value?.email === email ? send(method, path, body) : first
}

const send = async <Data>(method: Method, path: string, body: Body | undefined): Promise<Result<Data>> => {
  try {
    const response = await fetch(addressOf(path), {
      method,
      cache: 'no-store',
      headers: {
        ...(method === 'GET' ? {} : { 'X-Csrf-Token': csrf }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) {
      const fault = await faultOf(response)
      // The session has ended meanwhile; a wrong password is none of that.
      if (fault.code === 'not_logged_in') end()
      return { fault }
    }
    return { data: (response.status === 204 ? undefined : await response.json()) as Data }
  } catch {
    return { fault: noAnswer }
  }
}

const begin = (result: Result<SessionReply>): ApiFault | undefined => {
  if (result.fault !== undefined) return result.fault
  csrf = result.data.csrf
  user.value = result.data.user
  return undefined
}

/** Finds out who is logged in. */
export const loadSession = async (): Promise<void> => {
  const { data, fault } = await call<SessionReply | NoSession>('GET', 'session')
  sessionFault.value = fault
  if (data === undefined) user.value ??= null
  else if (data.user === null) end()
  else begin({ data })
}

/** Asks again when somebody comes back to the page, which may have been hours in another tab or in the history. */
export const watchSession = (): void => {
  const ask = (): void => {
    if (user.value && document.visibilityState === 'visible') void loadSession()
  }
  document.addEventListener('visibilitychange', ask)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) ask()
  })
}

export const logIn = async (email: string, password: string): Promise<ApiFault | undefined> =>
  begin(await call<SessionReply>('POST', 'session', { email, password }))

interface NoSession {
  readonly user: null
}

/**
 * Logs in by a link.
 * @param password undefined: not asked for yet
 * @returns undefined: done; `needs-password`: give one, the link is as good as before
 */
export const redeemLink = async (
  token: string,
  password?: string,
): Promise<ApiFault | 'needs-password' | undefined> => {
  const given = { token, ...(password === undefined ? {} : { password }) }
  const result = await call<SessionReply | NoSession>('POST', 'link', given)
  if (result.fault !== undefined) return result.fault
  const { data } = result
  return data.user === null ? 'needs-password' : begin({ data })
}

/** @returns why the session still is */
export const logOut = async (): Promise<ApiFault | undefined> => {
  const { fault } = await call('DELETE', 'session')
  return fault?.code === 'not_logged_in' ? undefined : fault
}

/** A key for this browser, for an hour. */
export const liveKey = (): Promise<Result<{ readonly secret: string; readonly expiresAt: string }>> =>
  call('POST', 'live-key')
