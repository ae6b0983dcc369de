// What the portal's interface answers with.

export interface Organization {
  readonly id: string
  readonly name: string
  readonly plan: PlanTerms
  readonly bookmakers: readonly string[] | '*'
  readonly sports: readonly string[]
  readonly channels: readonly string[]
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
  readonly name: string
  readonly kind: string
  readonly status: 'active' | 'expired' | 'revoked'
  readonly scope: KeyScope
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  readonly createdBy: string | null
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
  readonly keyId: string | null
  readonly method: string
  readonly path: string
  readonly code: string
  readonly message: string
}

export interface ExplainStep {
  readonly rule: string
  readonly passed: boolean
  readonly detail: string
}

export interface Explanation {
  readonly steps: readonly ExplainStep[]
  readonly hiddenBy: string | null
}

export interface AuditEntry {
  readonly at: string
  readonly by: string
  readonly what: string
  readonly subject: string
  readonly detail: string
}

export interface BookmakerState {
  readonly slug: string
  readonly displayName: string
  readonly state: string
  readonly delayMs: number | null
}
