// What the portal's interface answers with (docs/portal.md 3). Times are RFC 3339.

export interface Organization {
  readonly id: string
  readonly name: string
  readonly plan: PlanTerms
  readonly bookmakers: readonly string[] | '*'
  readonly sports: readonly string[]
  readonly channels: readonly string[]
  /** Names of the bookmakers, by slug. */
  readonly names: Readonly<Record<string, string>>
}

/** 0 is unlimited. */
export interface PlanTerms {
  readonly name: string
  readonly hourlyLimit: number
  readonly monthlyQuota: number
  readonly liveEnabled: boolean
}

export interface KeyScope {
  readonly channels: readonly string[] | null
  readonly bookmakers: readonly string[] | null
  readonly sports: readonly string[] | null
}

export interface KeyRow {
  readonly id: string
  /** Empty: it has none. */
  readonly name: string
  readonly kind: 'customer' | 'feed'
  readonly status: 'active' | 'expired' | 'revoked'
  readonly scope: KeyScope
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  /** The email of a user, `command`, or `server`. */
  readonly createdBy: string
}

export interface NewKey {
  readonly key: KeyRow
  readonly secret: string
}

export interface UsageBucket {
  readonly start: string
  readonly requests: number
  readonly refused: number
}

export interface Quota {
  readonly limit: number
  readonly used: number
  readonly resetAt: string
}

export interface Usage {
  readonly hours: readonly UsageBucket[]
  readonly days: readonly UsageBucket[]
  readonly quota: { readonly hour: Quota; readonly month: Quota }
  readonly refusedBy: Readonly<Record<string, number>>
}

export interface LiveSession {
  readonly id: string
  readonly carrier: string
  readonly keyId: string
  readonly since: string
  readonly subscriptions: number
  readonly queuedBytes: number
  readonly behindMs: number
}

export interface RefusedRequest {
  readonly at: string
  readonly keyId: string
  readonly method: string
  readonly path: string
  readonly code: string
  readonly message: string
}

/** Where a quote is shown: by REST, and by the live channel. */
export type Way = 'rest' | 'live'

export interface ExplainStep {
  readonly rule: string
  /** Whether the quote is still shown in some way after this rule. */
  readonly passed: boolean
  readonly detail: string
  /** The ways on which this rule hides it. */
  readonly hides: readonly Way[]
}

export interface ExplainedQuote {
  /** Such as `total_goals 2.5 over`. */
  readonly name: string
  readonly market: string
  readonly line: number | null
  readonly outcome: string
  readonly odds: number
  readonly status: string
  readonly cause: string | null
  readonly observedAt: string
  readonly agesOutAt: string
  /** Empty: nowhere. */
  readonly shownBy: readonly Way[]
}

export interface Explanation {
  readonly transport: 'rest' | 'live'
  readonly bookmaker: string
  /** Left out where the key may not know of it, or there is none. */
  readonly event?: { readonly id: string; readonly name: string; readonly sport: string; readonly kickoffAt: string }
  readonly steps: readonly ExplainStep[]
  readonly hiddenBy: string | null
  readonly shownBy: readonly Way[]
  readonly verdict: string
  readonly quotes: readonly ExplainedQuote[]
  /** How many there are: `quotes` has the first of them. */
  readonly quoteCount: number
}

export interface Candidate {
  readonly id: string
  readonly name: string
  readonly sport: string
  readonly league: string
  readonly kickoffAt: string
}

/** The events that names lead to: none, or several. */
export interface Candidates {
  readonly candidates: readonly Candidate[]
  readonly isCut: boolean
}

export interface AuditEntry {
  readonly at: string
  /** The email of a user, `command`, or `server`. */
  readonly by: string
  /** Such as `key create`. */
  readonly what: string
  readonly subject: string
  readonly detail: Readonly<Record<string, unknown>>
}

export interface BookmakerState {
  readonly slug: string
  readonly displayName: string
  /** `unknown`: nothing has come from it yet. */
  readonly state: string
  readonly delayMs: number | null
}
