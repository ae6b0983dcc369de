// What the store of the access rights has: accounts, coverage, decisions, and the requests that are counted. It survives the
// process; what it answers comes late.

import type { Changes } from '../../src/access/accounts.ts'
import { hashOf, type KeyRecord, mintSecret } from '../../src/access/key.ts'
import type { Entitlement, OrganizationRecord } from '../../src/access/organization.ts'
import type { Plan } from '../../src/access/plan.ts'
import type { Grant, Want } from '../../src/access/block-window.ts'
import type { Leftover, ReserveFailure } from '../../src/access/reserving-ledger.ts'
import { type Scope, UNRESTRICTED } from '../../src/access/scope.ts'
import type { Bookmaker } from '../../src/domain/coverage.ts'
import type { Decision } from '../../src/domain/event-identity.ts'
import type { Random } from '../random.ts'
import { bookmaker } from '../stomp/memory-carrier.ts'
import { BOOKS } from './world-data.ts'
import { SIM_START } from './time.ts'

export type BookChanges = Changes & { readonly decisions: readonly Decision[] | null }

/** A customer, and what it may see, by a naive rule. */
export interface Customer {
  readonly organization: string
  readonly plan: Plan
  entitlement: Entitlement
  scope: Scope
  keyId: string
  secret: string
  isRevoked: boolean
}

const NOTHING: BookChanges = {
  auditId: 0,
  plans: [],
  organizations: [],
  keys: [],
  keysDeleted: [],
  bookmakers: null,
  decisions: null,
}

const planOf = (name: string, over: Partial<Plan>): Plan => ({
  name,
  hourlyLimit: 0,
  monthlyQuota: 0,
  liveEnabled: true,
  historyEnabled: false,
  liveReplayWindowSeconds: 3_600,
  liveConnectionsMax: 1_000,
  isPublic: false,
  ...over,
})

// Secrets need no seed: nothing depends on their text. They are made once, because that costs a hash.
const SECRETS = Array.from({ length: 64 }, () => mintSecret('customer'))
const FEED_SECRET = mintSecret('feed')
const HASHES = new Map([...SECRETS, FEED_SECRET].map((secret) => [secret, hashOf(secret)]))

export class AccountBook {
  readonly customers: Customer[]
  readonly feedSecret = FEED_SECRET
  decisions: Decision[] = []
  /** Bookmakers that are not covered on transport live just now. */
  readonly ineligible = new Set<string>()
  /** Requests that were reserved, by organization and window. */
  readonly reserved = new Map<string, number>()
  /** Called with each change while a process runs. */
  apply: (changes: BookChanges) => void = () => {}
  /** Answers of the store fail. */
  isBroken = false
  private readonly random: Random
  private secretNext = 0

  constructor(random: Random, limitOf: { readonly hourly: number; readonly monthly: number }) {
    this.random = random
    const some = BOOKS.filter((_, n) => n % 3 !== 1)
    this.customers = [
      this.customer('all', planOf('all', {}), '*', UNRESTRICTED),
      this.customer('some', planOf('some', { liveReplayWindowSeconds: 120 }), some, UNRESTRICTED),
      this.customer('scoped', planOf('scoped', {}), '*', {
        channels: null,
        bookmakers: BOOKS.slice(0, 6),
        sports: ['football', 'tennis'],
      }),
      this.customer(
        'limited',
        planOf('limited', { hourlyLimit: limitOf.hourly, monthlyQuota: limitOf.monthly }),
        '*',
        UNRESTRICTED,
      ),
    ]
  }

  /** All of it, for a process that begins. */
  everything(): BookChanges {
    return {
      ...NOTHING,
      plans: this.customers.map(({ plan }) => plan),
      organizations: this.customers.map((customer) => this.organizationOf(customer)),
      keys: [...this.customers.map((customer) => this.keyOf(customer)), this.feedKey()],
      bookmakers: this.bookmakers(),
      decisions: this.decisions,
    }
  }

  setEntitlement(customer: Customer, entitlement: Entitlement): void {
    customer.entitlement = entitlement
    this.apply({ ...NOTHING, organizations: [this.organizationOf(customer)] })
  }

  setScope(customer: Customer, scope: Scope): void {
    customer.scope = scope
    this.apply({ ...NOTHING, keys: [this.keyOf(customer)] })
  }

  /** Replaces the key of a customer. */
  replaceKey(customer: Customer): void {
    const revoked = { ...this.keyOf(customer), revokedAt: SIM_START }
    Object.assign(customer, this.newKey(customer.organization))
    this.apply({ ...NOTHING, keys: [revoked, this.keyOf(customer)] })
  }

  toggleCoverage(slug: string): void {
    if (!this.ineligible.delete(slug)) this.ineligible.add(slug)
    this.apply({ ...NOTHING, bookmakers: this.bookmakers() })
  }

  decide(decisions: readonly Decision[]): void {
    this.decisions = [...decisions]
    this.apply({ ...NOTHING, decisions: this.decisions })
  }

  /** Whether a customer sees a bookmaker's quotes. */
  sees({ entitlement, scope }: Customer, slug: string, sport: string, transport: string): boolean {
    const n = BOOKS.indexOf(slug)
    if (n === -1) return false
    if (entitlement !== '*' && !entitlement.includes(slug)) return false
    if (scope.bookmakers !== null && !scope.bookmakers.includes(slug)) return false
    if (scope.sports !== null && !scope.sports.includes(sport as never)) return false
    if (n % 5 === 4 && sport !== 'football') return false
    return transport === 'rest' || !(n % 7 === 6 || this.ineligible.has(slug))
  }

  // --- requests

  async reserve(wants: readonly Want[]): Promise<readonly Grant[] | ReserveFailure> {
    await this.later()
    if (this.isBroken) return { failed: 'simulated', busy: this.random.chance(0.5) }
    const grants = wants.map(({ organization, kind, start, limit, amount }) => {
      const key = `${organization} ${kind} ${start}`
      const before = this.reserved.get(key) ?? 0
      const granted = Math.max(0, Math.min(amount, limit - before))
      this.reserved.set(key, before + granted)
      return { before, granted }
    })
    await this.later()
    return grants
  }

  async release(leftovers: readonly Leftover[]): Promise<void> {
    for (const { organization, kind, start, amount } of leftovers) {
      const key = `${organization} ${kind} ${start}`
      this.reserved.set(key, this.reserved.get(key)! - amount)
    }
  }

  private later(): Promise<void> {
    const ms = this.random.chance(0.95) ? this.random.next() * 4 : this.random.next() * 400
    return new Promise((resolve) => setTimeout(resolve, ms))
  }

  private customer(name: string, plan: Plan, entitlement: Entitlement, scope: Scope): Customer {
    const organization = `org_${name}`
    return { organization, plan, entitlement, scope, isRevoked: false, ...this.newKey(organization) }
  }

  private newKey(organization: string): { readonly keyId: string; readonly secret: string } {
    const number = this.secretNext++
    return { keyId: `key_${organization}_${number}`, secret: SECRETS[number % SECRETS.length]! }
  }

  private organizationOf({ organization, plan, entitlement }: Customer): OrganizationRecord {
    return { id: organization, name: organization, plan: plan.name, entitlement }
  }

  private keyOf({ organization, keyId, secret, scope }: Customer): KeyRecord {
    const hash = HASHES.get(secret)!
    return {
      id: keyId,
      hash,
      kind: 'customer',
      organization,
      scope,
      createdAt: SIM_START,
      expiresAt: null,
      revokedAt: null,
      name: '',
      createdBy: 'command',
      lastUsedAt: null,
    }
  }

  private feedKey(): KeyRecord {
    const scope: Scope = { channels: null, bookmakers: BOOKS, sports: null }
    return {
      id: 'key_feed',
      hash: HASHES.get(FEED_SECRET)!,
      kind: 'feed',
      organization: 'org_all',
      scope,
      createdAt: SIM_START,
      expiresAt: null,
      revokedAt: null,
      name: '',
      createdBy: 'command',
      lastUsedAt: null,
    }
  }

  bookmakers(): readonly Bookmaker[] {
    return BOOKS.map((slug, n) => {
      const isLive = n % 7 !== 6 && !this.ineligible.has(slug)
      return bookmaker(slug, {
        sport: n % 5 === 4 ? 'football' : '*',
        status: isLive ? 'verified_rest_live' : 'verified_rest_only',
        liveAvailable: isLive,
      })
    })
  }
}
