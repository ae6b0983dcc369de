// What operators ask of the store in the portal: organizations, plans, users, coverage, verification. As all tasks of the
// portal, each is done in one transaction with the check that its session holds and its user may do this.

import type { Coverage } from '../domain/coverage.ts'
import type { Sport } from '../domain/sport.ts'
import type { Asker, Denied } from './asker.ts'
import type { CoverageEffects, CoverageRemoval, Haste } from './coverage-records.ts'
import type { Broken } from './fault.ts'
import type { Entitlement } from './organization.ts'
import type { Plan } from './plan.ts'
import type { Role } from './user-records.ts'
import type { RequestRecord } from './verification-records.ts'

export type PlanFields = Partial<Omit<Plan, 'name'>>

interface OfUser extends Asker {
  /** Id of the organization that the user must be of. */
  readonly organization: string
  /** Id of the user. */
  readonly user: string
}

/** A one-time link that sets a password. */
export interface NewLink {
  /** SHA-256 of its token. */
  readonly hash: string
  readonly expiresAt: number
}

interface OfCoverage extends Asker {
  readonly bookmaker: string
  readonly sport: Sport | '*'
}

export type OperatorTask =
  | ({
      readonly kind: 'create-organization'
      readonly name: string
      readonly plan: string
      readonly entitlement: Entitlement
      readonly organizationsMax: number
    } & Asker)
  | ({
      readonly kind: 'set-organization'
      readonly id: string
      readonly plan: string | undefined
      readonly entitlement: Entitlement | undefined
    } & Asker)
  | ({
      readonly kind: 'create-plan'
      readonly name: string
      readonly fields: PlanFields
      readonly plansMax: number
    } & Asker)
  | ({ readonly kind: 'set-plan'; readonly name: string; readonly fields: PlanFields } & Asker)
  | ({ readonly kind: 'remove-plan'; readonly name: string } & Asker)
  | ({ readonly kind: 'users'; readonly organization: string } & Asker)
  | ({
      readonly kind: 'create-user'
      readonly organization: string
      readonly email: string
      readonly role: Role
      readonly link: NewLink
      readonly usersMax: number
    } & Asker)
  | ({ readonly kind: 'set-user'; readonly role: Role } & OfUser)
  | ({ readonly kind: 'link-user'; readonly link: NewLink } & OfUser)
  | ({ readonly kind: 'remove-user' } & OfUser)
  | ({
      readonly kind: 'set-coverage'
      readonly fields: Partial<Pick<Coverage, 'status' | 'restAvailable' | 'liveAvailable'>>
      readonly haste: Haste
    } & OfCoverage)
  | ({
      readonly kind: 'remove-coverage'
      readonly haste: Haste
      /** Epoch ms. */
      readonly effectiveAt: number | undefined
    } & OfCoverage)
  | ({ readonly kind: 'verify'; readonly bookmaker: string | null; readonly sport: Sport | null } & Asker)
  | ({ readonly kind: 'verification'; readonly id: number } & Asker)

/** A user as others may see it. */
export interface UserRow {
  readonly id: string
  readonly email: string
  readonly role: Role
  /** Whether a password is set: before, only a link logs in. */
  readonly hasPassword: boolean
  /** Epoch ms. */
  readonly createdAt: number
}

/** It would break a rule of the store, or of the portal: nobody changes or removes the own account. */
export interface RuleDenied {
  readonly denied: 'rule'
  readonly broken: Broken | { readonly rule: 'own account' | 'no more'; readonly detail: string }
}

type Refused = Denied | RuleDenied

export interface OperatorResults {
  readonly 'create-organization': { readonly id: string } | Refused
  readonly 'set-organization': true | Refused
  readonly 'create-plan': true | Refused
  readonly 'set-plan': true | Refused
  readonly 'remove-plan': true | Refused
  readonly users: readonly UserRow[] | Refused
  readonly 'create-user': UserRow | Refused
  readonly 'set-user': true | Refused
  readonly 'link-user': UserRow | Refused
  readonly 'remove-user': true | Refused
  readonly 'set-coverage': Pick<CoverageEffects, 'withdrawn' | 'immediate'> | Refused
  readonly 'remove-coverage': { readonly removal: CoverageRemoval | undefined } | Refused
  readonly verify: { readonly id: number } | Refused
  readonly verification: RequestRecord | Refused
}
