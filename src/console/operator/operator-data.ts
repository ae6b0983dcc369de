// What the portal's interface answers operators with.

export interface Health {
  readonly version: string
  readonly revision: string
  readonly uptimeSeconds: number
  readonly ready: boolean
  readonly reasons: readonly string[]
  readonly eventLoop: { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number }
  readonly memory: { readonly residentBytes: number; readonly heapUsedBytes: number }
  readonly store: { readonly isUp: boolean; readonly isWritable: boolean; readonly restarts: number }
  readonly log: {
    readonly position: number
    readonly unwrittenTurns: number
    readonly trouble: string | null
    readonly diskBytes: number
    readonly freeBytes: number | null
    readonly turnsSinceCheckpoint: number
  }
  readonly board: {
    readonly quotesMax: number
    readonly events: number
    /** Shares of what it can hold, 0 to 1. */
    readonly held: Readonly<Record<string, number>>
  }
  readonly live: {
    readonly sessions: number
    readonly behind: number
    readonly subscriptions: number
    readonly degraded: number
  }
}

export interface SourceRow {
  readonly name: string
  readonly kind: string
  readonly state: string
  readonly since: string
  readonly heardAt: string | null
  readonly suspendedAt: string | null
  readonly bookmakers: readonly string[]
  readonly uncovered: readonly string[]
  readonly observations: number
  readonly prices: number
  readonly refused: number
  readonly lastRefusal: string | null
  readonly delayMs: number | null
  /** The process that runs one on standby; null: this one, or it is not known. */
  readonly holder: string | null
  readonly problem: string | null
  readonly facts: Readonly<Record<string, string | number | boolean | null>>
}

export interface Sources {
  readonly feeds: readonly SourceRow[]
  readonly neverStarted: readonly {
    readonly name: string
    readonly kind: string
    readonly never: string
    readonly off: string | null
  }[]
}

export interface OrganizationRow {
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly bookmakers: readonly string[] | '*'
}

/** 0 is unlimited. */
export interface PlanRow {
  readonly name: string
  readonly hourlyLimit: number
  readonly monthlyQuota: number
  readonly liveEnabled: boolean
  readonly historyEnabled: boolean
  readonly liveReplayWindowSeconds: number
  readonly liveConnectionsMax: number
  readonly isPublic: boolean
}

export interface Organizations {
  readonly data: readonly OrganizationRow[]
  readonly plans: readonly PlanRow[]
}

export interface UserRow {
  readonly id: string
  readonly email: string
  readonly role: string
  readonly hasPassword: boolean
  readonly createdAt: string
}

export interface NewLink {
  readonly user: UserRow
  readonly link: string
  readonly expiresAt: string
}

export interface CoverageTerms {
  readonly sport: string
  readonly status: string
  readonly restAvailable: boolean
  readonly liveAvailable: boolean
  readonly lastVerifiedAt: string | null
}

export interface Removal {
  readonly id: string
  readonly sport: string
  readonly announcedOn: string
  readonly effectiveOn: string
  readonly reason: string
}

export interface CoverageRow {
  readonly bookmaker: string
  readonly displayName: string
  readonly sourceMode: string
  readonly coverage: readonly CoverageTerms[]
  readonly removals: readonly Removal[]
}

export interface Coverage {
  readonly data: readonly CoverageRow[]
  readonly sports: readonly string[]
  readonly statuses: readonly string[]
}

export interface VerificationRow {
  readonly id: number
  readonly at: string
  readonly bookmaker: string
  readonly sport: string
  readonly outcome: string
  readonly channels: readonly {
    readonly transport: string
    readonly outcome: string
    readonly quotes: number
    readonly detail: string
  }[]
  /** Null: on schedule. */
  readonly request: number | null
}

export interface ConflictEvent {
  readonly id: string
  readonly sport: string
  readonly leagueKey: string
  readonly home: string
  readonly away: string
  readonly kickoffAt: string
  readonly spellings: readonly {
    readonly key: string
    readonly home: string
    readonly away: string
    readonly leagueKey: string
    readonly kickoffAt: string
    /** With swapped sides. */
    readonly turned: boolean
  }[]
}

export interface Conflict {
  readonly id: string
  readonly reason: string
  readonly event: ConflictEvent
  readonly candidates: readonly ConflictEvent[]
}
