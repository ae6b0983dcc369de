// Accounts: organizations, plans and keys in memory, as of the last changes from the store.

import type { Bookmaker } from '../domain/coverage.ts'
import type { KeyRecord } from './key.ts'
import type { Organization, OrganizationRecord } from './organization.ts'
import type { Plan } from './plan.ts'

/** Changes of accounts: the entities touched up to an audit row, in their current state. */
export interface Changes {
  /** The last audit row that is included. */
  readonly auditId: number
  readonly plans: readonly Plan[]
  readonly organizations: readonly OrganizationRecord[]
  readonly keys: readonly KeyRecord[]
  /** Names of removed plans; left out: none. */
  readonly plansRemoved?: readonly string[]
  /** Ids of deleted keys. */
  readonly keysDeleted: readonly string[]
  /** All of them; null: the registry was not touched. */
  readonly bookmakers: readonly Bookmaker[] | null
}

export class Accounts {
  private readonly plans = new Map<string, Plan>()
  private readonly records = new Map<string, OrganizationRecord>()
  private readonly keys = new Map<string, KeyRecord>()
  private readonly keysByHash = new Map<string, KeyRecord>()
  /** Resolved on demand, discarded with every change. */
  private readonly organizations = new Map<string, Organization>()

  apply(changes: Changes): void {
    for (const plan of changes.plans) this.plans.set(plan.name, plan)
    for (const record of changes.organizations) this.records.set(record.id, record)
    for (const key of changes.keys) {
      this.keys.set(key.id, key)
      this.keysByHash.set(key.hash, key)
    }
    for (const id of changes.keysDeleted) this.remove(id)
    // No organization has one of them.
    for (const name of changes.plansRemoved ?? []) this.plans.delete(name)
    this.organizations.clear()
  }

  /** Adds a key that is not in the store. */
  add(key: KeyRecord): void {
    this.keys.set(key.id, key)
    this.keysByHash.set(key.hash, key)
  }

  remove(id: string): void {
    const key = this.keys.get(id)
    if (key === undefined) return
    this.keys.delete(id)
    this.keysByHash.delete(key.hash)
  }

  allOrganizations(): OrganizationRecord[] {
    return [...this.records.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  hasOrganization(id: string): boolean {
    return this.records.has(id)
  }

  allPlans(): Plan[] {
    return [...this.plans.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  keyOfHash(hash: string): KeyRecord | undefined {
    return this.keysByHash.get(hash)
  }

  keyOf(id: string): KeyRecord | undefined {
    return this.keys.get(id)
  }

  /** The organization with its plan. A key's organization and its plan always exist: the store ensures that. */
  organizationOf(id: string): Organization {
    const known = this.organizations.get(id)
    if (known !== undefined) return known
    const record = this.records.get(id)!
    const organization = { ...record, plan: this.plans.get(record.plan)! }
    this.organizations.set(id, organization)
    return organization
  }
}
