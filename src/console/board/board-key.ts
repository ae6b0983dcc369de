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

/** A key of the session that would end soon is replaced. */
const SPARE_MS = 60_000

/** @param now epoch ms  @returns asks for the key to connect with; rejects where there is none */
export const credentialOf = (now: () => number): (() => Promise<string>) => {
  let known = { secret: '', endsAt: 0 }
  return async () => {
    const typed = typedKey()
    if (typed !== '') return typed
    if (known.secret !== '' && now() < known.endsAt - SPARE_MS) return known.secret
    const result = await liveKey()
    if (result.fault !== undefined) throw new Error(result.fault.message)
    known = { secret: result.data.secret, endsAt: Date.parse(result.data.expiresAt) }
    return known.secret
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
