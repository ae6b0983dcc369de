// Organizations, plans and keys in the store. Each mutation is one transaction that includes its audit row.

import { isDuplicate } from './database-faults.ts'
import { broken, type Fault, fault, isFault } from './fault.ts'
import { hashOf, type KeyKind, type KeyRecord, mintId, mintSecret } from './key.ts'
import type { Entitlement, OrganizationRecord } from './organization.ts'
import { BUILT_IN_PLANS, NEW_PLAN, type Plan } from './plan.ts'
import { type Scope, UNRESTRICTED } from './scope.ts'
import type { Tables, Written } from './tables.ts'

const DEMO_KEY_MS = 24 * 3_600_000

/** Organizations that a refusal names. */
const NAMED_MAX = 5

export interface NewKey {
  readonly kind: KeyKind
  readonly organization: string
  readonly scope: Scope
  /** Epoch ms; null: never. */
  readonly expiresAt: number | null
  /** For people; left out: none. */
  readonly name?: string
}

/** A new key. The secret is stored nowhere else. */
export interface MintedKey extends Written {
  readonly id: string
  readonly organization: string
  readonly secret: string
}

/** Of a row of keys at a time, the parameter. */
const IS_VALID = '(revokedAt IS NULL AND (expiresAt IS NULL OR expiresAt > ?))'

export class AccountRecords {
  private readonly tables: Tables

  constructor(tables: Tables) {
    this.tables = tables
  }

  /** Creates the plans that every new store has. */
  addBuiltInPlans(at: number): void {
    for (const plan of BUILT_IN_PLANS) {
      this.putPlan(plan)
      this.tables.note(at, 'plan set', plan.name, plan)
    }
  }

  plans(): Plan[] {
    return this.tables.all<PlanRow>('SELECT * FROM plans ORDER BY name').map(planOf)
  }

  organizations(): OrganizationRecord[] {
    return this.tables.all<OrganizationRow>('SELECT * FROM organizations ORDER BY name').map(organizationOf)
  }

  /** Of one organization (by id), or of all. Oldest first. */
  keys(organization?: string): KeyRecord[] {
    const where = organization === undefined ? '' : 'WHERE organization = ?'
    const values = organization === undefined ? [] : [organization]
    return this.tables.all<KeyRow>(`SELECT * FROM keys ${where} ORDER BY createdAt, id`, values).map(keyOf)
  }

  /** The valid keys of an organization (by id), and the newest of the others, `limit` at most; the oldest first. */
  keysShown(organization: string, at: number, limit: number): KeyRecord[] {
    const rows = this.tables.all<KeyRow>(
      `SELECT * FROM keys WHERE organization = ? ORDER BY ${IS_VALID} DESC, createdAt DESC, id DESC LIMIT ?`,
      [organization, at, limit],
    )
    return rows.map(keyOf).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  }

  /** Keys of an organization (by id) that are neither revoked nor expired. */
  validKeyCount(organization: string, at: number): number {
    const sql = `SELECT count(*) AS rows FROM keys WHERE organization = ? AND ${IS_VALID}`
    return this.tables.get<{ rows: number }>(sql, [organization, at])!.rows
  }

  /** Whether a key was replaced by another one, and may live for a grace period only. */
  isRotated(id: string): boolean {
    return this.tables.get('SELECT 1 FROM rotations WHERE key = ?', [id]) !== undefined
  }

  /** By id or by name. */
  organizationOf(idOrName: string): OrganizationRecord | Fault {
    const row = this.tables.get<OrganizationRow>('SELECT * FROM organizations WHERE id = ? OR name = ?', [
      idOrName,
      idOrName,
    ])
    if (row !== undefined) return organizationOf(row)
    return fault(`there is no organization "${idOrName}"; oddswire org list shows them all`)
  }

  /** By id or by secret. */
  keyOf(idOrSecret: string): KeyRecord | undefined {
    const row = this.tables.get<KeyRow>('SELECT * FROM keys WHERE id = ? OR hash = ?', [idOrSecret, hashOf(idOrSecret)])
    return row && keyOf(row)
  }

  /** Creates a plan, or changes the named fields of one. */
  setPlan(name: string, fields: Partial<Omit<Plan, 'name'>>, at: number): Written {
    return this.tables.write(() => {
      const row = this.tables.get<PlanRow>('SELECT * FROM plans WHERE name = ?', [name])
      const plan = { ...(row === undefined ? NEW_PLAN : planOf(row)), ...fields, name }
      this.putPlan(plan)
      return this.tables.note(at, 'plan set', name, plan)
    })
  }

  /** Creates a plan; one that exists stays as it is. */
  createPlan(name: string, fields: Partial<Omit<Plan, 'name'>>, at: number): Written | Fault {
    return this.tables.write(() =>
      this.hasPlan(name)
        ? broken('plan is new', `there is a plan "${name}" already; oddswire plan set changes it`)
        : this.setPlan(name, fields, at),
    )
  }

  /** Removes a plan that no organization has. */
  removePlan(name: string, at: number): Written | Fault {
    return this.tables.write(() => {
      if (!this.hasPlan(name)) {
        return broken('plan exists', `there is no plan "${name}"; oddswire plan list shows them all`)
      }
      const users = this.organizations().filter(({ plan }) => plan === name)
      if (users.length > 0) {
        const names = users.slice(0, NAMED_MAX).map((each) => each.name)
        const text = `${names.join(', ')}${users.length > NAMED_MAX ? ` and ${users.length - NAMED_MAX} others` : ''}`
        return broken('plan is unused', `the plan ${name} is that of ${text}: give them another one first`, text)
      }
      this.tables.run('DELETE FROM plans WHERE name = ?', [name])
      return this.tables.note(at, 'plan remove', name, {})
    })
  }

  createOrganization(
    { name, plan, entitlement }: Omit<OrganizationRecord, 'id'>,
    at: number,
  ): (Written & { readonly id: string }) | Fault {
    return this.tables.write(() => {
      const missing = this.missingPlan(plan)
      if (missing !== undefined) return missing
      const id = mintId('org')
      try {
        this.tables.run('INSERT INTO organizations VALUES (?, ?, ?, ?, ?)', [
          id,
          name,
          plan,
          JSON.stringify(entitlement),
          at,
        ])
      } catch (error) {
        if (!isDuplicate(error)) throw error
        return broken(
          'organization is new',
          `there is an organization "${name}" already; change it with oddswire org set, or choose another name`,
        )
      }
      return { id, ...this.tables.note(at, 'organization create', id, { name, plan, entitlement }, id) }
    })
  }

  setOrganization(
    idOrName: string,
    fields: { readonly plan?: string | undefined; readonly entitlement?: Entitlement | undefined },
    at: number,
  ): Written | Fault {
    return this.tables.write(() => {
      const organization = this.organizationOf(idOrName)
      if (isFault(organization)) return organization
      const { plan = organization.plan, entitlement = organization.entitlement } = fields
      const missing = this.missingPlan(plan)
      if (missing !== undefined) return missing
      const { id } = organization
      this.tables.run('UPDATE organizations SET plan = ?, entitlement = ? WHERE id = ?', [
        plan,
        JSON.stringify(entitlement),
        id,
      ])
      return this.tables.note(at, 'organization set', id, { plan, entitlement }, id)
    })
  }

  /** Creates a key of an organization (by id). */
  createKey({ kind, organization, scope, expiresAt, name = '' }: NewKey, at: number): MintedKey {
    return this.tables.write(() => {
      const id = mintId('key')
      const secret = mintSecret(kind)
      this.tables.run('INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, NULL)', [
        id,
        hashOf(secret),
        kind,
        organization,
        JSON.stringify(scope),
        at,
        expiresAt,
        name,
        this.tables.actor(),
      ])
      return {
        id,
        organization,
        secret,
        ...this.tables.note(at, 'key create', id, { kind, organization, scope, expiresAt, name }, organization),
      }
    })
  }

  /**
   * Revokes a key by id or secret. Revoking again is no fault: it returns the newest audit row, so that a caller that
   * repeats an unconfirmed command waits for the first revocation.
   */
  revokeKey(idOrSecret: string, at: number): (Written & { readonly id: string }) | Fault {
    return this.tables.write(() => {
      const key = this.keyOf(idOrSecret)
      if (key === undefined) return fault('there is no such key; oddswire key list shows the ids of all')
      const { id } = key
      if (key.revokedAt !== null) return { id, auditId: this.tables.lastAuditId() }
      this.tables.run('UPDATE keys SET revokedAt = ? WHERE id = ?', [at, id])
      return { id, ...this.tables.note(at, 'key revoke', id, {}, key.organization) }
    })
  }

  /**
   * Creates a key with the name, kind, scope and expiry of another one (by id), which expires at `until`, or when it did
   * anyway.
   */
  rotateKey(key: KeyRecord, until: number, at: number): MintedKey {
    return this.tables.write(() => {
      const { id, kind, organization, scope, name } = key
      const expiresAt = Math.min(until, key.expiresAt ?? until)
      const minted = this.createKey({ kind, organization, scope, expiresAt: key.expiresAt, name }, at)
      this.tables.run('UPDATE keys SET expiresAt = ? WHERE id = ?', [expiresAt, id])
      this.tables.run('INSERT OR REPLACE INTO rotations VALUES (?, ?)', [id, minted.id])
      const written = this.tables.note(at, 'key rotate', id, { to: minted.id, expiresAt }, organization)
      return { ...minted, ...written }
    })
  }

  /** Records when keys were last used; epoch ms by id. */
  noteUses(uses: readonly (readonly [id: string, at: number])[]): void {
    this.tables.write(() => {
      for (const [id, at] of uses)
        this.tables.run('UPDATE keys SET lastUsedAt = max(coalesce(lastUsedAt, 0), ?) WHERE id = ?', [at, id])
    })
  }

  /** The organization of the demo; created where it is missing: plan `desk`, every bookmaker. */
  demoOrganization(at: number): OrganizationRecord {
    const found = this.organizationOf('demo')
    if (!isFault(found)) return found
    const demo = this.createOrganization({ name: 'demo', plan: 'desk', entitlement: '*' }, at)
    if (isFault(demo)) throw new Error(demo.fault)
    return this.organizationWithId(demo.id)
  }

  /**
   * A customer key of the organization `demo` (created here where it is missing: plan `desk`, every bookmaker) that
   * expires after a day. Deletes its expired keys, so that they do not accumulate.
   */
  createDemoKey(at: number): MintedKey {
    return this.tables.write(() => {
      const demo = this.demoOrganization(at)
      for (const { id, expiresAt } of this.keys(demo.id)) {
        if (expiresAt === null || expiresAt > at) continue
        this.tables.run('DELETE FROM keys WHERE id = ?', [id])
        this.tables.note(at, 'key delete', id, {}, demo.id)
      }
      const expiresAt = at + DEMO_KEY_MS
      return this.createKey(
        { kind: 'customer', organization: demo.id, scope: UNRESTRICTED, expiresAt, name: 'Demo' },
        at,
      )
    })
  }

  private putPlan(plan: Plan): void {
    this.tables.run(
      `INSERT INTO plans VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         hourlyLimit = excluded.hourlyLimit, monthlyQuota = excluded.monthlyQuota,
         liveEnabled = excluded.liveEnabled, historyEnabled = excluded.historyEnabled,
         liveReplayWindowSeconds = excluded.liveReplayWindowSeconds, liveConnectionsMax = excluded.liveConnectionsMax,
         isPublic = excluded.isPublic`,
      [
        plan.name,
        plan.hourlyLimit,
        plan.monthlyQuota,
        Number(plan.liveEnabled),
        Number(plan.historyEnabled),
        plan.liveReplayWindowSeconds,
        plan.liveConnectionsMax,
        Number(plan.isPublic),
      ],
    )
  }

  private missingPlan(name: string): Fault | undefined {
    const names = this.plans().map((plan) => plan.name)
    if (names.includes(name)) return undefined
    return broken('plan exists', `--plan has no value "${name}"; use one of ${names.join(', ')}`, names.join(', '))
  }

  // --- by the subject of an audit row; undefined: deleted since

  planNamed(name: string): Plan | undefined {
    const row = this.tables.get<PlanRow>('SELECT * FROM plans WHERE name = ?', [name])
    return row && planOf(row)
  }

  hasPlan(name: string): boolean {
    return this.planNamed(name) !== undefined
  }

  organizationWithId(id: string): OrganizationRecord {
    return organizationOf(this.tables.get<OrganizationRow>('SELECT * FROM organizations WHERE id = ?', [id])!)
  }

  hasOrganization(id: string): boolean {
    return this.tables.get('SELECT id FROM organizations WHERE id = ?', [id]) !== undefined
  }

  keyWithId(id: string): KeyRecord | undefined {
    const row = this.tables.get<KeyRow>('SELECT * FROM keys WHERE id = ?', [id])
    return row && keyOf(row)
  }
}

type PlanRow = Omit<Plan, 'liveEnabled' | 'historyEnabled' | 'isPublic'> & {
  readonly liveEnabled: number
  readonly historyEnabled: number
  readonly isPublic: number
}

const planOf = (row: PlanRow): Plan => ({
  ...row,
  liveEnabled: row.liveEnabled === 1,
  historyEnabled: row.historyEnabled === 1,
  isPublic: row.isPublic === 1,
})

interface OrganizationRow {
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly entitlement: string
}

const organizationOf = ({ id, name, plan, entitlement }: OrganizationRow): OrganizationRecord => ({
  id,
  name,
  plan,
  entitlement: JSON.parse(entitlement) as Entitlement,
})

type KeyRow = Omit<KeyRecord, 'scope'> & { readonly scope: string }

const keyOf = (row: KeyRow): KeyRecord => ({ ...row, scope: JSON.parse(row.scope) as Scope })
