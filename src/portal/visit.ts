// A visit: a request of somebody who is logged in, about one organization.

import type { Access } from '../access/access.ts'
import type { Denied } from '../access/asker.ts'
import { type Fault, isFault } from '../access/fault.ts'
import type { Organization } from '../access/organization.ts'
import type { RuleDenied } from '../access/operator-tasks.ts'
import type { PortalTask, PortalResults } from '../access/portal-tasks.ts'
import { CHANNELS, type Channel } from '../access/scope.ts'
import { type Sport, SPORTS } from '../domain/sport.ts'
import type { LoggedIn } from './logins.ts'
import {
  NOT_FOUND,
  NOT_LOGGED_IN,
  type PortalRefusal,
  type PortalRequest,
  refuseAs,
  STORE_DOWN,
} from './portal-request.ts'
import { refusalOfRule } from './rules.ts'

export interface Visit {
  readonly request: PortalRequest
  readonly user: LoggedIn
  /** The user's own, or the one that an operator names. */
  readonly organization: Organization
  /** Of a path like `keys/ID`; empty: there is none. */
  readonly id: string
}

export const FORBIDDEN = refuseAs('forbidden', 'Your role does not allow this; ask an owner of your organization.')

/** The organization of a request: the user's own; an operator may name another one, anybody else may not know of it. */
export const organizationOf = (
  request: PortalRequest,
  user: LoggedIn,
  access: Access,
): Organization | PortalRefusal => {
  const named = request.query.get('organization') ?? user.organization.id
  if (named !== user.organization.id && user.role !== 'operator') return NOT_FOUND
  return access.organizationOf(named) ?? NOT_FOUND
}

const DENIALS: Readonly<Record<Denied['denied'], PortalRefusal>> = {
  session: NOT_LOGGED_IN,
  role: FORBIDDEN,
  missing: NOT_FOUND,
  full: refuseAs('conflict', 'Your organization has as many valid keys as it may have; revoke one first.'),
  rotated: refuseAs('conflict', 'This key was rotated, and has a successor; rotate that, or revoke this one.'),
  ended: refuseAs('conflict', 'This key is revoked or has expired; create a new one.'),
}

const isDenied = (value: unknown): value is Denied | RuleDenied =>
  typeof value === 'object' && value !== null && 'denied' in value

/** Asks the store. What it denies is refused. */
export const ask = async <T extends PortalTask['kind']>(
  access: Access,
  work: Extract<PortalTask, { readonly kind: T }>,
): Promise<Exclude<PortalResults[T], Denied | RuleDenied> | PortalRefusal> => {
  const result: PortalResults[T] | Fault = await access.portal<T>(work)
  if (isFault(result)) return STORE_DOWN
  if (!isDenied(result)) return result as Exclude<PortalResults[T], Denied | RuleDenied>
  return result.denied === 'rule' ? refusalOfRule(result.broken) : DENIALS[result.denied]
}

/** What keys of an organization can be made of. */
export interface Offer {
  readonly channels: readonly Channel[]
  /** Slugs. */
  readonly bookmakers: readonly string[]
  readonly sports: readonly Sport[]
}

export const offerOf = ({ plan, entitlement }: Organization, { registry }: Access): Offer => {
  const has: Readonly<Record<Channel, boolean>> = { rest: true, live: plan.liveEnabled, history: plan.historyEnabled }
  const isShown = (slug: string): boolean => SPORTS.some((sport) => registry.isCovered(slug, sport))
  const shown = (): string[] => registry.bookmakers.map(({ slug }) => slug).filter(isShown)
  const bookmakers = entitlement === '*' ? shown() : entitlement
  return {
    channels: CHANNELS.filter((channel) => has[channel]),
    bookmakers,
    sports: SPORTS.filter((sport) => bookmakers.some((slug) => registry.isCovered(slug, sport))),
  }
}
