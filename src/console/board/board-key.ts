// The key with which the board connects: one for this browser where somebody is logged in, or one that was typed in.

import { call, liveKey, user } from '../portal-api.ts'
import { hashMembers, setHash } from '../place.ts'

const STORED = 'oddswire-key'

/** Takes a key out of the address, so that it is neither bookmarked nor seen over a shoulder. It stays in this tab. */
const takeFromAddress = (): void => {
  const members = hashMembers()
  const key = members.get('key')
  if (key === null) return
  sessionStorage.setItem(STORED, key)
  members.delete('key')
  setHash(Object.fromEntries(members))
}

export const typedKey = (): string => {
  takeFromAddress()
  return sessionStorage.getItem(STORED) ?? ''
}

export const keepKey = (key: string): void => sessionStorage.setItem(STORED, key.trim())

export const forgetKey = (): void => sessionStorage.removeItem(STORED)

/** A key that would end so soon is replaced. */
const SPARE_MS = 60_000

export type KeyAnswer =
  | { readonly key: string; readonly endsAt: number | undefined }
  /** @field isFinal  asking again would not help */
  | { readonly key?: undefined; readonly fault: string; readonly isFinal: boolean }

/** Where the connection gets its keys from. */
export interface KeyRing {
  take(): Promise<KeyAnswer>
  /** The service has refused the last key. @returns whether there may be another one */
  drop(): boolean
}

/** The typed key, or keys of the session, each for an hour. @param now epoch ms */
export const keyRing = (now: () => number): KeyRing => {
  let known = { secret: '', endsAt: 0 }
  return {
    async take() {
      const typed = typedKey()
      if (typed !== '') return { key: typed, endsAt: undefined }
      if (known.secret === '' || now() >= known.endsAt - SPARE_MS) {
        const { data, fault } = await liveKey()
        if (fault !== undefined) {
          const { status, message } = fault
          return { fault: message, isFinal: status >= 400 && status < 500 && status !== 408 && status !== 429 }
        }
        known = { secret: data.secret, endsAt: Date.parse(data.expiresAt) }
      }
      return { key: known.secret, endsAt: known.endsAt - SPARE_MS }
    },
    drop() {
      known = { secret: '', endsAt: 0 }
      return typedKey() === ''
    },
  }
}

/** The same for single requests. @returns asks for a key; rejects where there is none */
export const credentialOf = (now: () => number): (() => Promise<string>) => {
  const ring = keyRing(now)
  return async () => {
    const answer = await ring.take()
    if (answer.key === undefined) throw new Error(answer.fault)
    return answer.key
  }
}

/** Display names by slug: of the public status where it is served, else of REST with this key. */
export const loadNames = async (api: string, sport: string, key: string): Promise<ReadonlyMap<string, string>> => {
  interface Row {
    readonly slug: string
    readonly displayName: string
  }
  if (user.value) {
    const { data } = await call<{ readonly bookmakers: readonly Row[] }>('GET', 'status')
    if (data !== undefined) return new Map(data.bookmakers.map(({ slug, displayName }) => [slug, displayName]))
  }
  try {
    const answer = await fetch(`${api}/bookmakers?sport=${encodeURIComponent(sport)}&transport=live&limit=200`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    const { data = [] } = (await answer.json()) as { data?: readonly Row[] }
    return new Map(data.map(({ slug, displayName }) => [slug, displayName]))
  } catch {
    // Slugs do as well.
    return new Map()
  }
}
