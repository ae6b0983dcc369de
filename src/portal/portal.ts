// The portal's interface under `/portal/api/` (docs/portal.md): one request in, one reply out.
//
// Order of checks: origin, path, method, session, token against requests of other pages, role, body. An exception becomes
// a refusal.

import type { Access } from '../access/access.ts'
import type { SharedFailures } from '../access/redis-failures.ts'
import type { Role } from '../access/user-records.ts'
import { type Explain, type ExplainLimits, ExplainPage } from './explain-page.ts'
import { type KeyLimits, Keys } from './keys.ts'
import { type LoggedIn, type LoginLimits, Logins } from './logins.ts'
import { OperatorAccounts, type OperatorLimits } from './operator-accounts.ts'
import { OperatorCoverage } from './operator-coverage.ts'
import { OperatorPages, type OperatorParts } from './operator-pages.ts'
import { OrganizationPages } from './organization-pages.ts'
import {
  isPortalRefusal,
  jsonReply,
  NOT_FOUND,
  type PortalRefusal,
  type PortalReply,
  type PortalRequest,
  refusalReply,
  refuseAs,
  tooOften,
} from './portal-request.ts'
import { FORBIDDEN, organizationOf, type Visit } from './visit.ts'
import { type ReadLimits, Reads } from './reads.ts'
import { VisitRate } from './visit-rate.ts'

export interface PortalOptions {
  readonly access: Access
  readonly operator: OperatorParts
  readonly explain: Explain
  /** See {@link LoginOptions.failures}. */
  readonly failures?: SharedFailures | undefined
  /** The public status page: see {@link StatusRow}. */
  readonly status: () => readonly StatusRow[]
  readonly publicUrl: string
  /** Whether it was configured: then only its origin may use the interface. */
  readonly hasPublicUrl: boolean
  readonly isTls: boolean
  readonly limits: LoginLimits &
    KeyLimits &
    ExplainLimits &
    ReadLimits &
    OperatorLimits & {
      readonly reasonLengthMax: number
      readonly portalRowsMax: number
      readonly portalWritesMax: number
      readonly portalLiveKeysMax: number
      readonly portalWriteWindowMs: number
    }
  readonly now: () => number
  /** Called with every exception. */
  readonly onFault: (error: unknown) => void
}

/** The source of a bookmaker, as the public sees it. */
export interface StatusRow {
  readonly slug: string
  readonly displayName: string
  /** `unknown`: nothing has come from it yet. */
  readonly state: string
  readonly delayMs: number | null
}

type Answer = PortalReply | PortalRefusal | Promise<PortalReply | PortalRefusal>

interface Route {
  readonly method: string
  readonly path: RegExp
  /** Who may use it; `public`: everybody, without a session. */
  readonly role: Role | 'public'
  readonly answer: (visit: Visit) => Answer
}

/** Each role may do what those after it may. */
const RANK: Readonly<Record<Role, number>> = { operator: 2, owner: 1, member: 0 }

const CROSS_ORIGIN = refuseAs('cross_origin', 'Only pages of this service may use this interface.', 'Origin')

const CSRF_FAILED = refuseAs(
  'csrf_failed',
  'Send the csrf token of GET /portal/api/session as X-Csrf-Token.',
  'X-Csrf-Token',
)

const FAULT = refuseAs('service_unavailable', 'An internal fault; nothing was answered. Try again.')

export class Portal {
  private readonly options: PortalOptions
  private readonly logins: Logins
  private readonly routes: readonly Route[]
  private readonly ownOrigin: string
  private readonly writes: VisitRate
  private readonly liveKeys: VisitRate
  private readonly reads: Reads

  constructor(options: PortalOptions) {
    const { access, limits, operator, publicUrl, isTls, now } = options
    this.options = options
    this.ownOrigin = URL.canParse(publicUrl) ? new URL(publicUrl).origin : ''
    const { failures } = options
    this.logins = new Logins({ access, limits, now, failures, isSecure: isTls || publicUrl.startsWith('https:') })
    const keys = new Keys(access, limits)
    const pages = new OrganizationPages(access, operator.viewSessions, limits.portalRowsMax)
    const explanations = new ExplainPage(options.explain, limits)
    const operators = new OperatorPages(access, operator, limits.portalRowsMax)
    const accounts = new OperatorAccounts(access, limits, publicUrl)
    const coverage = new OperatorCoverage(access, limits)
    this.writes = new VisitRate(limits.portalWritesMax, limits.portalWriteWindowMs)
    this.liveKeys = new VisitRate(limits.portalLiveKeysMax, limits.portalWriteWindowMs)
    this.reads = new Reads(limits)
    const { logins } = this
    const route = (role: Route['role'], pattern: string, answer: Route['answer']): Route => {
      const [method, path] = pattern.split(' ') as [string, string]
      return {
        role,
        method: method.toLowerCase(),
        path: new RegExp(`^${path.replace('ID', '([\\w-]{1,40})')}$`),
        answer,
      }
    }
    this.routes = [
      route('public', 'GET status', () => this.status()),
      route('public', 'POST session', ({ request }) => logins.logIn(request)),
      route('public', 'POST link', ({ request }) => logins.useLink(request)),
      route('public', 'GET session', ({ request }) => logins.whoIsThere(request)),
      route('member', 'DELETE session', ({ user }) => logins.logOut(user)),
      route('member', 'GET organization', (visit) => pages.overview(visit)),
      route('member', 'GET keys', (visit) => keys.list(visit)),
      route('owner', 'POST keys', (visit) => keys.create(visit)),
      route('owner', 'POST keys/ID/rotate', (visit) => keys.rotate(visit)),
      route('owner', 'DELETE keys/ID', (visit) => keys.revoke(visit)),
      route('member', 'POST live-key', (visit) => keys.livePage(visit)),
      route('member', 'GET usage', (visit) => pages.usage(visit)),
      route('member', 'GET sessions', (visit) => pages.sessions(visit)),
      route('member', 'GET refusals', (visit) => pages.refusals(visit)),
      route('member', 'GET explain', (visit) => explanations.answer(visit)),
      route('member', 'GET audit', (visit) => pages.audit(visit)),
      route('operator', 'GET operator/organizations', () => accounts.organizations()),
      route('operator', 'POST operator/organizations', (visit) => accounts.createOrganization(visit)),
      route('operator', 'POST operator/organizations/ID', (visit) => accounts.setOrganization(visit)),
      route('operator', 'POST operator/plans', (visit) => accounts.createPlan(visit)),
      route('operator', 'POST operator/plans/ID', (visit) => accounts.setPlan(visit)),
      route('operator', 'DELETE operator/plans/ID', (visit) => accounts.removePlan(visit)),
      route('operator', 'GET operator/users', (visit) => accounts.users(visit)),
      route('operator', 'POST operator/users', (visit) => accounts.createUser(visit)),
      route('operator', 'POST operator/users/ID', (visit) => accounts.setUser(visit)),
      route('operator', 'POST operator/users/ID/link', (visit) => accounts.linkUser(visit)),
      route('operator', 'DELETE operator/users/ID', (visit) => accounts.removeUser(visit)),
      route('operator', 'GET operator/coverage', () => coverage.list()),
      route('operator', 'POST operator/coverage', (visit) => coverage.set(visit)),
      route('operator', 'POST operator/removals', (visit) => coverage.remove(visit)),
      route('operator', 'GET operator/sources', () => operators.sources()),
      route('operator', 'GET operator/verifications', (visit) => coverage.verifications(visit)),
      route('operator', 'POST operator/verifications', (visit) => coverage.verify(visit)),
      route('operator', 'GET operator/verifications/ID', (visit) => coverage.verification(visit)),
      route('operator', 'GET operator/conflicts', () => operators.conflicts()),
      route('operator', 'POST operator/conflicts/ID', (visit) => operators.decide(visit)),
      route('operator', 'GET operator/sessions', () => operators.sessions()),
      route('operator', 'GET operator/health', () => operators.health()),
    ]
  }

  /** Never rejects. */
  async answer(request: PortalRequest): Promise<PortalReply> {
    try {
      const answer = await this.route(request)
      return isPortalRefusal(answer) ? refusalReply(answer) : answer
    } catch (error) {
      this.options.onFault(error)
      return refusalReply(FAULT)
    }
  }

  private async route(request: PortalRequest): Promise<PortalReply | PortalRefusal> {
    const foreign = this.foreign(request)
    if (foreign !== undefined) return foreign
    const routes = this.routes.filter(({ path }) => path.test(request.path))
    if (routes.length === 0) return NOT_FOUND
    const route = routes.find(({ method }) => method === request.method)
    if (route === undefined) {
      const methods = routes.map(({ method }) => method.toUpperCase()).join(', ')
      const refusal = refusalReply(refuseAs('method_not_allowed', `Only ${methods}.`))
      return { ...refusal, headers: [...refusal.headers, ['Allow', methods]] }
    }
    // What is public uses nothing of a visit but the request.
    if (route.role === 'public') return route.answer({ request } as Visit)
    const user = await this.logins.who(request)
    if (isPortalRefusal(user)) return user
    if (request.method !== 'get' && request.csrf !== user.csrf) return CSRF_FAILED
    return this.visit(route, request, user)
  }

  private visit({ role, path, answer }: Route, request: PortalRequest, user: LoggedIn): Answer {
    if (RANK[user.role] < RANK[role as Role]) return role === 'operator' ? NOT_FOUND : FORBIDDEN
    const organization = organizationOf(request, user, this.options.access)
    if (isPortalRefusal(organization)) return organization
    const visit: Visit = { request, user, organization, id: path.exec(request.path)?.[1] ?? '' }
    const now = this.options.now()
    if (request.method === 'get') return this.reads.read(user.email, now, () => answer(visit))
    const waitMs = this.writeWaitMs(request, user, now)
    return waitMs > 0 ? tooOften('changes', waitMs) : answer(visit)
  }

  /**
   * How long a change by a user has to wait, ms. A logout, and what ends a key, a user or a plan, never do: what has leaked
   * must end at once, and there is no more of it than there is.
   */
  private writeWaitMs({ method, path }: PortalRequest, { email }: LoggedIn, now: number): number {
    if (method === 'delete') return 0
    // Pages open by themselves: they must not keep people from changing something.
    return path === 'live-key' ? this.liveKeys.waitMs(email, now) : this.writes.waitMs(email, now)
  }

  /** Refuses what the page of another origin has sent (https://www.w3.org/TR/fetch-metadata/). */
  private foreign({ origin, site, host }: PortalRequest): PortalRefusal | undefined {
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      return { ...CROSS_ORIGIN, field: 'Sec-Fetch-Site' }
    }
    if (origin === undefined || origin === this.ownOrigin) return undefined
    // Where nobody has said how the service is reached, by the name that the request has.
    const { hasPublicUrl, isTls } = this.options
    return !hasPublicUrl && origin === `${isTls ? 'https' : 'http'}://${host.toLowerCase()}` ? undefined : CROSS_ORIGIN
  }

  private status(): PortalReply {
    return jsonReply({ bookmakers: this.options.status(), at: new Date(this.options.now()).toISOString() })
  }
}
