// Who asks the store for something in the portal, and why it is denied.

import type { SessionTerms } from './user-records.ts'

/** Who asks. */
export interface Asker {
  /** SHA-256 of the session's token. */
  readonly session: string
  readonly terms: SessionTerms
  readonly at: number
}

/** Why a task with a session was not done. */
export type Denied = { readonly denied: 'session' | 'role' | 'missing' | 'full' | 'ended' | 'rotated' }
