// Tokens of the portal: of one-time links, and of sessions. Only their SHA-256 is stored.

import { createHash, randomBytes } from 'node:crypto'

/** How long a one-time link can be used. */
export const LINK_MS = 24 * 3_600_000

/** 256 random bits. */
export const newToken = (): string => randomBytes(32).toString('base64url')

export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text)

export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** The page of a link. The token is behind the number sign: no server and no log gets it. */
export const linkUrl = (publicUrl: string, token: string): string => `${publicUrl}/login#link=${token}`
