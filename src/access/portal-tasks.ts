// What the portal asks of the store. A task that needs rights names its session: that it holds, and what its user may do,
// is checked in the transaction of the change, so that a user who was removed before changes nothing after.

import type { Decision } from '../domain/event-identity.ts'
import type { Asker, Denied } from './asker.ts'
import type { KeyRecord } from './key.ts'
import type { OperatorResults, OperatorTask } from './operator-tasks.ts'
import type { AuditRow } from './tables.ts'
import type { TrafficRow } from './traffic-records.ts'
import type { LinkRecord, NewSession, Role, SessionRecord } from './user-records.ts'
import type { VerificationRecord } from './verification-records.ts'
import type { WindowKind } from './ledger.ts'
import type { Scope } from './scope.ts'

interface OfOrganization extends Asker {
  /** Id. Another one than the user's own is there for operators only. */
  readonly organization: string
}

export interface NewKeyTerms {
  readonly name: string
  readonly scope: Scope
  /** Epoch ms; null: never. */
  readonly expiresAt: number | null
  /** Valid keys that an organization may have. */
  readonly keysMax: number
}

export type PortalTask =
  | OperatorTask
  | ({ readonly kind: 'session' } & Asker)
  | { readonly kind: 'end'; readonly session: string; readonly at: number }
  | { readonly kind: 'password'; readonly email: string }
  | {
      readonly kind: 'login'
      readonly email: string
      readonly password: string
      readonly next: NewSession
      readonly at: number
    }
  | { readonly kind: 'link'; readonly hash: string; readonly at: number }
  | {
      readonly kind: 'use-link'
      readonly hash: string
      readonly password: string | null
      readonly next: NewSession
      readonly at: number
    }
  | {
      readonly kind: 'demo-link'
      readonly email: string
      readonly role: Role
      readonly hash: string
      readonly expiresAt: number
      readonly at: number
    }
  | ({ readonly kind: 'keys'; readonly rowsMax: number } & OfOrganization)
  | ({ readonly kind: 'create-key' } & OfOrganization & NewKeyTerms)
  | ({
      readonly kind: 'rotate-key'
      readonly id: string
      readonly graceMs: number
      readonly keysMax: number
    } & OfOrganization)
  | ({ readonly kind: 'revoke-key'; readonly id: string } & OfOrganization)
  | ({ readonly kind: 'audit'; readonly rowsMax: number } & Omit<OfOrganization, 'organization'> & {
        /** Null: the whole trail. */
        readonly organization: string | null
      })
  | ({ readonly kind: 'usage' } & OfOrganization & {
        readonly hour: number
        readonly month: number
        readonly hoursFrom: number
      })
  | ({ readonly kind: 'verifications'; readonly rowsMax: number } & Asker)
  | ({ readonly kind: 'decide'; readonly decisions: readonly [Decision, ...Decision[]] } & Asker)
  | {
      readonly kind: 'note-use'
      readonly keys: readonly (readonly [id: string, at: number])[]
      readonly traffic: readonly TrafficRow[]
      readonly at: number
    }

export interface UsageRecord {
  /** By hour from `hoursFrom` on, before by day. */
  readonly traffic: readonly TrafficRow[]
  /** Requests that are reserved in the current windows. */
  readonly reserved: Readonly<Record<WindowKind, number>>
}

export interface PortalResults extends OperatorResults {
  readonly session: SessionRecord | undefined
  readonly end: undefined
  /** The stored password, if there is a user with one. */
  readonly password: string | undefined
  readonly login: SessionRecord | undefined
  readonly link: LinkRecord | undefined
  readonly 'use-link': SessionRecord | undefined
  readonly 'demo-link': undefined
  /** The valid ones, and the newest of the others; the oldest first. */
  readonly keys: readonly KeyRecord[] | Denied
  readonly 'create-key': { readonly key: KeyRecord; readonly secret: string } | Denied
  readonly 'rotate-key': { readonly key: KeyRecord; readonly secret: string } | Denied
  readonly 'revoke-key': true | Denied
  readonly audit: readonly AuditRow[] | Denied
  readonly usage: UsageRecord | Denied
  readonly verifications: readonly VerificationRecord[] | Denied
  readonly decide: true | Denied
  readonly 'note-use': undefined
}
