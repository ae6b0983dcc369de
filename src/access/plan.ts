// Plan: what an organization has bought (docs/architecture.md 8.2). 0 is unlimited everywhere.

export interface Plan {
  readonly name: string
  /** Authenticated operations per hour. */
  readonly hourlyLimit: number
  /** Requests with `transport=rest` per month. */
  readonly monthlyQuota: number
  readonly liveEnabled: boolean
  readonly historyEnabled: boolean
  /** How far back a desk may resume. */
  readonly liveReplayWindowSeconds: number
  /** Live sessions at the same time. */
  readonly liveConnectionsMax: number
  /** Whether the public page of plans shows it. */
  readonly isPublic: boolean
}

/** The plans of a new store (docs/architecture.md 8.2); operators may edit them. */
export const BUILT_IN_PLANS: readonly Plan[] = [
  {
    name: 'starter',
    hourlyLimit: 100,
    monthlyQuota: 5_000,
    liveEnabled: false,
    historyEnabled: false,
    // Without live these have no effect; they bound replay and connections of a starter plan that gets live.
    liveReplayWindowSeconds: 120,
    liveConnectionsMax: 100,
    isPublic: true,
  },
  {
    name: 'pro',
    hourlyLimit: 10_000,
    monthlyQuota: 1_000_000,
    liveEnabled: true,
    historyEnabled: false,
    liveReplayWindowSeconds: 120,
    // Each session may have more than a megabyte waiting, and one message under way.
    liveConnectionsMax: 100,
    isPublic: true,
  },
  {
    name: 'desk',
    hourlyLimit: 0,
    monthlyQuota: 0,
    liveEnabled: true,
    historyEnabled: true,
    liveReplayWindowSeconds: 3_600,
    liveConnectionsMax: 20_000,
    isPublic: true,
  },
]

/** Defaults of a new plan: the narrowest one, and private, so that a forgotten flag gives too little and not too much. */
export const NEW_PLAN: Plan = { ...BUILT_IN_PLANS[0]!, isPublic: false }

/** The largest number that a plan may have. */
export const PLAN_COUNT_MAX = 999_999_999_999

export const isPlanName = (value: string): boolean => /^[a-z0-9][a-z0-9_-]{0,31}$/.test(value)
