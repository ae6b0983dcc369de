// The operator's view, accounts: organizations with their users, and plans.

import type { Access } from '../access/access.ts'
import type { NewLink, PlanFields, UserRow } from '../access/operator-tasks.ts'
import { type Entitlement, isOrganizationName } from '../access/organization.ts'
import { isPlanName, PLAN_COUNT_MAX } from '../access/plan.ts'
import { hashOfToken, LINK_MS, linkUrl, newToken } from '../access/token.ts'
import { normaliseEmail, type Role, ROLES } from '../access/user-records.ts'
import { isBookmakerSlug } from '../domain/coverage.ts'
import { type Members, readCount, readMembers, readSwitch, readText, readWord, refusalIn } from './body.ts'
import {
  emptyReply,
  isPortalRefusal,
  jsonReply,
  type PortalRefusal,
  type PortalReply,
  refuseAs,
  timeText,
} from './portal-request.ts'
import { ask, type Visit } from './visit.ts'

export interface OperatorLimits {
  readonly organizationsMax: number
  readonly plansMax: number
  readonly organizationUsersMax: number
}

type Answer = Promise<PortalReply | PortalRefusal>

const COUNTS = ['hourlyLimit', 'monthlyQuota', 'liveReplayWindowSeconds', 'liveConnectionsMax'] as const
const SWITCHES = ['liveEnabled', 'historyEnabled', 'isPublic'] as const

const EMAIL_LENGTH_MAX = 254
const NAME_LENGTH_MAX = 100

const wrong = (field: string, message: string): PortalRefusal => refuseAs('validation_failed', message, field)

const isRefused = <T>(value: T | PortalRefusal): value is PortalRefusal =>
  typeof value === 'object' && value !== null && isPortalRefusal(value)

/** `*`, or slugs, each once; also some that coverage does not have yet, as with the command. */
const readEntitlement = (value: unknown): Entitlement | PortalRefusal => {
  if (value === '*') return value
  if (!Array.isArray(value)) return wrong('bookmakers', 'bookmakers must be "*", or a list of slugs.')
  const place = value.findIndex((slug) => typeof slug !== 'string' || !isBookmakerSlug(slug))
  if (place !== -1) return wrong(`bookmakers[${place}]`, 'A slug has lower-case letters, digits, _ . - only.')
  return [...new Set(value as string[])]
}

const readTerms = (members: Members): PlanFields | PortalRefusal => {
  const terms: Record<string, unknown> = {}
  for (const name of COUNTS) {
    if (members[name] !== undefined) terms[name] = readCount(members[name], name, PLAN_COUNT_MAX)
  }
  for (const name of SWITCHES) {
    if (members[name] !== undefined) terms[name] = readSwitch(members[name], name)
  }
  return refusalIn(Object.values(terms)) ?? (terms as PlanFields)
}

const userRow = ({ createdAt, ...user }: UserRow) => ({ ...user, createdAt: timeText(createdAt) })

export class OperatorAccounts {
  private readonly access: Access
  private readonly limits: OperatorLimits
  private readonly publicUrl: string

  constructor(access: Access, limits: OperatorLimits, publicUrl: string) {
    this.access = access
    this.limits = limits
    this.publicUrl = publicUrl
  }

  // --- organizations

  /** `GET operator/organizations`. */
  organizations(): PortalReply {
    const data = this.access
      .organizations()
      .map(({ id, name, plan, entitlement }) => ({ id, name, plan, bookmakers: entitlement }))
    return jsonReply({ data, plans: this.access.plans() })
  }

  /** `POST operator/organizations`. */
  async createOrganization({ request, user: { asker } }: Visit): Answer {
    const members = readMembers(request, ['name', 'plan'], ['bookmakers'])
    if (isPortalRefusal(members)) return members
    const name = readText(members.name, 'name', NAME_LENGTH_MAX)
    const plan = readText(members.plan, 'plan', NAME_LENGTH_MAX)
    const entitlement = readEntitlement(members.bookmakers ?? '*')
    if (isRefused(name)) return name
    if (isRefused(plan)) return plan
    if (isRefused(entitlement)) return entitlement
    if (!isOrganizationName(name)) {
      return wrong('name', 'name must have 1 to 100 printable characters, and not begin with org_ (ids do) or -.')
    }
    const { organizationsMax } = this.limits
    const created = await ask(this.access, {
      ...{ kind: 'create-organization', ...asker, name, plan, entitlement, organizationsMax },
    })
    if (isPortalRefusal(created)) return created
    const { id } = created
    const uncovered = this.uncovered(entitlement)
    return jsonReply({ organization: { id, name, plan, bookmakers: entitlement }, uncovered }, { status: 201 })
  }

  /** `POST operator/organizations/ID`. */
  async setOrganization({ request, user: { asker }, id }: Visit): Answer {
    const members = readMembers(request, [], ['plan', 'bookmakers'])
    if (isPortalRefusal(members)) return members
    const plan = members.plan === undefined ? undefined : readText(members.plan, 'plan', NAME_LENGTH_MAX)
    const entitlement = members.bookmakers === undefined ? undefined : readEntitlement(members.bookmakers)
    if (isRefused(plan)) return plan
    if (isRefused(entitlement)) return entitlement
    if (plan === undefined && entitlement === undefined) return wrong('body', 'Give a plan, or bookmakers.')
    const set = await ask(this.access, { kind: 'set-organization', ...asker, id, plan, entitlement })
    return set === true ? jsonReply({ uncovered: this.uncovered(entitlement ?? '*') }) : set
  }

  /** Slugs that coverage does not have: a typo there would only show as missing data. */
  private uncovered(entitlement: Entitlement): readonly string[] {
    if (entitlement === '*') return []
    return entitlement.filter((slug) => this.access.registry.bookmakerOf(slug) === undefined)
  }

  // --- plans

  /** `POST operator/plans`: what is left out is as in the narrowest plan, and private. */
  async createPlan({ request, user: { asker } }: Visit): Answer {
    const members = readMembers(request, ['name'], [...COUNTS, ...SWITCHES])
    if (isPortalRefusal(members)) return members
    const { name } = members
    if (typeof name !== 'string' || !isPlanName(name)) {
      return wrong('name', 'name must have 1 to 32 lower-case letters, digits, _ or -.')
    }
    const fields = readTerms(members)
    if (isRefused(fields)) return fields
    const { plansMax } = this.limits
    const created = await ask(this.access, { kind: 'create-plan', ...asker, name, fields, plansMax })
    if (created !== true) return created
    return jsonReply({ plan: this.access.plans().find((plan) => plan.name === name) ?? { name } }, { status: 201 })
  }

  /** `POST operator/plans/NAME`: what is left out stays. */
  async setPlan({ request, user: { asker }, id: name }: Visit): Answer {
    const members = readMembers(request, [], [...COUNTS, ...SWITCHES])
    if (isPortalRefusal(members)) return members
    const fields = readTerms(members)
    if (isRefused(fields)) return fields
    if (Object.keys(fields).length === 0) return wrong('body', 'Give at least one term of the plan.')
    const set = await ask(this.access, { kind: 'set-plan', ...asker, name, fields })
    return set === true ? emptyReply() : set
  }

  /** `DELETE operator/plans/NAME`. */
  async removePlan({ user: { asker }, id: name }: Visit): Answer {
    const removed = await ask(this.access, { kind: 'remove-plan', ...asker, name })
    return removed === true ? emptyReply() : removed
  }

  // --- users of the organization that the request names

  /** `GET operator/users`. */
  async users({ user: { asker }, organization: { id: organization } }: Visit): Answer {
    const rows = await ask(this.access, { kind: 'users', ...asker, organization })
    return isPortalRefusal(rows) ? rows : jsonReply({ data: rows.map(userRow) })
  }

  /** `POST operator/users`. */
  async createUser({ request, user: { asker }, organization }: Visit): Answer {
    const members = readMembers(request, ['email', 'role'])
    if (isPortalRefusal(members)) return members
    const text = readText(members.email, 'email', EMAIL_LENGTH_MAX)
    if (isRefused(text)) return text
    const email = normaliseEmail(text)
    if (email === undefined) return wrong('email', 'email must be an address like ada@example.com.')
    const role = readWord(members.role, 'role', ROLES)
    if (isRefused(role)) return role
    const { organizationUsersMax: usersMax } = this.limits
    const { token, link } = newLink(asker.at)
    const created = await ask(this.access, {
      ...{ kind: 'create-user', ...asker, organization: organization.id, email, role, link, usersMax },
    })
    return this.linked(created, token, link)
  }

  /** `POST operator/users/ID`. */
  async setUser({ request, user: { asker }, organization, id: user }: Visit): Answer {
    const members = readMembers(request, ['role'])
    if (isPortalRefusal(members)) return members
    const role: Role | PortalRefusal = readWord(members.role, 'role', ROLES)
    if (isRefused(role)) return role
    const set = await ask(this.access, { kind: 'set-user', ...asker, organization: organization.id, user, role })
    return set === true ? emptyReply() : set
  }

  /** `POST operator/users/ID/link`. */
  async linkUser({ user: { asker }, organization, id: user }: Visit): Answer {
    const { token, link } = newLink(asker.at)
    const made = await ask(this.access, { kind: 'link-user', ...asker, organization: organization.id, user, link })
    return this.linked(made, token, link)
  }

  /** `DELETE operator/users/ID`. */
  async removeUser({ user: { asker }, organization, id: user }: Visit): Answer {
    const removed = await ask(this.access, { kind: 'remove-user', ...asker, organization: organization.id, user })
    return removed === true ? emptyReply() : removed
  }

  /** The link is in this answer, and nowhere else. */
  private linked(user: UserRow | PortalRefusal, token: string, { expiresAt }: NewLink): PortalReply | PortalRefusal {
    if (isPortalRefusal(user)) return user
    const link = linkUrl(this.publicUrl, token)
    return jsonReply({ user: userRow(user), link, expiresAt: timeText(expiresAt) }, { status: 201 })
  }
}

const newLink = (at: number): { readonly token: string; readonly link: NewLink } => {
  const token = newToken()
  return { token, link: { hash: hashOfToken(token), expiresAt: at + LINK_MS } }
}
