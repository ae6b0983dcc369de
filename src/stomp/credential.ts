// The credential of a CONNECT (docs/live-protocol.md 1.2): `Authorization`, `X-Api-Key` or `passcode`, and the headers
// of the WebSocket's upgrade.

import { type Refusal, refuse } from '../domain/refusal.ts'
import type { FrameHeaders } from './frame-headers.ts'

/** The gate's input; undefined: not sent. */
export interface Credential {
  readonly authorization: string | undefined
  readonly apiKey: string | undefined
}

const DISAGREE = refuse('invalid_api_key', 'Different keys are given at the same time; send one of them')

// Clients send an empty passcode if none is set. STOMP 1.0 trims values, and no key begins or ends with a space.
const sent = (text: string | undefined): string | undefined => text?.trim() || undefined

const tokenOf = (authorization: string): string => /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? authorization

/** Combines the places that may have the credential. If they disagree, the refusal is `invalid_api_key`. */
export const credentialOf = (
  headers: FrameHeaders,
  upgradeAuthorization: string | undefined,
  upgradeApiKey: string | undefined,
): Credential | Refusal => {
  const authorizations = [
    headers.get('Authorization')?.trim() ?? headers.get('authorization')?.trim(),
    upgradeAuthorization,
  ].filter((text) => text !== undefined)
  const apiKeys = [
    headers.get('X-Api-Key')?.trim() ?? headers.get('x-api-key')?.trim(),
    sent(headers.get('passcode')),
    upgradeApiKey,
  ].filter((text) => text !== undefined)
  if (new Set(authorizations.map(tokenOf)).size > 1 || new Set(apiKeys).size > 1) return DISAGREE
  return { authorization: authorizations[0], apiKey: apiKeys[0] }
}
