// Key: a secret that identifies an organization. Only its SHA-256 is stored.
//
//   odds_live_ 7Qm…(43 base-62 characters: 32 random bytes) _ 0aZ3xK (checksum of all before it)
//
// Those of pages are longer, and stored nowhere: page-keys.ts.
//
// The checksum distinguishes a typo from a revoked key without a look-up, and makes secret scanners certain.

import { createHash, randomBytes } from 'node:crypto'
import type { Scope } from './scope.ts'

/** Customers read; feeds send observations. */
export type KeyKind = 'customer' | 'feed'

/** A key in the store. */
export interface KeyRecord {
  readonly id: string
  /** SHA-256 of the secret, hexadecimal. */
  readonly hash: string
  readonly kind: KeyKind
  /** Id of the organization. */
  readonly organization: string
  readonly scope: Scope
  /** Epoch ms, as are the others. */
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly revokedAt: number | null
  /** For people; empty: it has none. */
  readonly name: string
  /** Who created it: the email of a user, `command`, or `server`. */
  readonly createdBy: string
  /** When it was last used, to about a minute; null: never. */
  readonly lastUsedAt: number | null
}

const PREFIX: Readonly<Record<KeyKind, string>> = { customer: 'odds_live_', feed: 'odds_feed_' }

/** A key of a page (page-keys.ts): what it says, with its parts, and the signature. */
export const PAGE_KEY = /^(odds_page_([0-9A-Za-z]{12})([0-9a-f]{32})([0-9A-Za-z]{7}))([0-9A-Za-z]{43})_[0-9A-Za-z]{6}$/

const SECRET = /^(odds_(?:(?:live|feed)_[0-9A-Za-z]{43}|page_[0-9A-Za-z]{94}))_([0-9A-Za-z]{6})$/

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The lowest `length` base-62 digits of a number given as bytes. */
export const base62 = (bytes: Uint8Array, length: number): string => {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (let place = 0; place < length; place++) {
    text = DIGITS[Number(rest % 62n)]! + text
    rest /= 62n
  }
  return text
}

/** The same of a safe integer. */
export const text62 = (number: number, length: number): string => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(number))
  return base62(bytes, length)
}

export const numberOf62 = (text: string): number => {
  let number = 0
  for (const digit of text) number = number * 62 + DIGITS.indexOf(digit)
  return number
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

// 62^6 > 2^32: six digits hold four bytes.
const checksumOf = (text: string): string => base62(sha256(text).subarray(0, 4), 6)

export const withChecksum = (text: string): string => `${text}_${checksumOf(text)}`

/** A new secret. 62^43 > 2^256: no bit of the random bytes is lost. */
export const mintSecret = (kind: KeyKind): string => withChecksum(PREFIX[kind] + base62(randomBytes(32), 43))

/** Whether a text has the shape and the checksum of a secret. Says nothing about whether the key exists. */
export const isSecret = (text: string): boolean => {
  const match = SECRET.exec(text)
  return match !== null && checksumOf(match[1]!) === match[2]
}

export const hashOf = (secret: string): string => sha256(secret).toString('hex')

/** A new id: `key_`, `org_` or `user_` and 71 random bits. */
export const mintId = (prefix: 'key' | 'org' | 'user'): string => `${prefix}_${base62(randomBytes(9), 12)}`

/** The id of a key that is in no store: the same in every process. */
export const keyIdOf = (secret: string): string => `key_${base62(sha256(secret).subarray(0, 9), 12)}`
