// Store: organizations, plans, keys, coverage, verification, decisions about events, usage and the audit trail, in one
// SQLite file. The only importer of the database. Everything here is synchronous and may wait for the disk: commands
// call it as they like, the server only on its store thread.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Bookmaker } from '../domain/coverage.ts'
import { type CoverageEffects, CoverageRecords } from './coverage-records.ts'
import { DecisionRecords } from './decision-records.ts'
import { type Fault, fault, isFault, messageOf } from './fault.ts'
import { hashOf, type KeyKind, type KeyRecord, mintId, mintSecret } from './key.ts'
import { MIGRATIONS } from './migrations.ts'
import type { Entitlement, OrganizationRecord } from './organization.ts'
import { BUILT_IN_PLANS, NEW_PLAN, type Plan } from './plan.ts'
import type { Grant, Leftover, Want } from './reserving-ledger.ts'
import { type Scope, UNRESTRICTED } from './scope.ts'
import type { StoreChanges } from './store-messages.ts'
import type { Tables, Value, What, Written } from './tables.ts'
import { VerificationRecords } from './verification-records.ts'

/** Hours of an organization older than this are dropped: clocks are never set back so far. Months stay. */
const USAGE_KEPT_MS = 48 * 3_600_000

const BUSY_PAUSE_MS = 20

const DEMO_KEY_MS = 24 * 3_600_000

const EXISTS = 'SQLITE_CONSTRAINT_UNIQUE'

export interface NewKey {
  readonly kind: KeyKind
  readonly organization: string
  readonly scope: Scope
  /** Epoch ms; null: never. */
  readonly expiresAt: number | null
}

/** A key just made. The secret exists nowhere else. */
export interface MintedKey extends Written {
  readonly id: string
  readonly organization: string
  readonly secret: string
}

/** One row of the audit trail. */
export interface AuditRow {
  readonly id: number
  readonly at: number
  readonly what: string
  readonly subject: string
  /** JSON. */
  readonly detail: string
}

export interface StoreOptions {
  /** How long opening waits for another process that is creating the store. */
  readonly waitMs: number
  /** How long a statement waits for another process that is writing. */
  readonly busyMs: number
  /** Now, epoch ms: when the store would be created. */
  readonly at: number
}

export class Store {
  readonly coverage: CoverageRecords
  readonly verification: VerificationRecords
  readonly decisions: DecisionRecords
  private readonly database: Database.Database
  private readonly statements = new Map<string, Database.Statement>()

  private constructor(database: Database.Database) {
    this.database = database
    const tables: Tables = {
      run: (sql, values) => Number(this.run(sql, values).lastInsertRowid),
      get: (sql, values) => this.get(sql, values),
      all: (sql, values) => this.all(sql, values),
      write: (change) => this.write(change),
      note: (at, what, subject, detail) => this.note(at, what, subject, detail),
      lastAuditId: () => this.lastAuditId(),
    }
    this.coverage = new CoverageRecords(tables)
    this.verification = new VerificationRecords(tables, this.coverage)
    this.decisions = new DecisionRecords(tables)
  }

  /** Opens the store of a data folder that exists, or creates it there. */
  static open(dataDir: string, { waitMs, busyMs, at }: StoreOptions): Store | Fault {
    let database: Database.Database | undefined
    try {
      database = new Database(join(dataDir, 'oddswire.db'), { timeout: waitMs })
      // While another process creates the store, changing the journal mode is refused without waiting.
      for (let tries = 0; ; tries++) {
        try {
          database.pragma('journal_mode = WAL')
          break
        } catch (error) {
          if (!isBusy(error) || tries * BUSY_PAUSE_MS >= waitMs) throw error
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_PAUSE_MS)
        }
      }
      database.pragma('synchronous = FULL')
      database.pragma('foreign_keys = ON')
      const store = new Store(database)
      const version = store.migrate(at)
      if (version > MIGRATIONS.length) {
        database.close()
        return fault(
          `the store in ${dataDir} is of version ${version}, written by a newer oddswire; this one knows up to ` +
            `${MIGRATIONS.length}: upgrade, or choose another folder with --data-dir`,
        )
      }
      database.pragma(`busy_timeout = ${busyMs}`)
      return store
    } catch (error) {
      database?.close()
      return fault(`the store in ${dataDir} cannot be opened (${messageOf(error)}): choose another with --data-dir`)
    }
  }

  close(): void {
    this.database.close()
  }

  // Phase: what is there.

  plans(): Plan[] {
    return this.all<PlanRow>('SELECT * FROM plans ORDER BY name').map(planOf)
  }

  organizations(): OrganizationRecord[] {
    return this.all<OrganizationRow>('SELECT * FROM organizations ORDER BY name').map(organizationOf)
  }

  /** Of one organization (its id), or all. Oldest first. */
  keys(organization?: string): KeyRecord[] {
    const where = organization === undefined ? '' : 'WHERE organization = ?'
    const values = organization === undefined ? [] : [organization]
    return this.all<KeyRow>(`SELECT * FROM keys ${where} ORDER BY createdAt, id`, values).map(keyOf)
  }

  bookmakers(): Bookmaker[] {
    return this.coverage.bookmakers()
  }

  audit(): AuditRow[] {
    return this.all<AuditRow>('SELECT * FROM audit ORDER BY id')
  }

  /** By id or by name. */
  organizationOf(idOrName: string): OrganizationRecord | Fault {
    const row = this.get<OrganizationRow>('SELECT * FROM organizations WHERE id = ? OR name = ?', [idOrName, idOrName])
    if (row !== undefined) return organizationOf(row)
    return fault(`there is no organization "${idOrName}"; oddswire org list shows them all`)
  }

  /** By id or by secret. */
  keyOf(idOrSecret: string): KeyRecord | undefined {
    const row = this.get<KeyRow>('SELECT * FROM keys WHERE id = ? OR hash = ?', [idOrSecret, hashOf(idOrSecret)])
    return row && keyOf(row)
  }

  // Phase: mutations. Each is one transaction that holds its audit row.

  /** Makes a plan, or changes the named fields of one. */
  setPlan(name: string, fields: Partial<Omit<Plan, 'name'>>, at: number): Written {
    return this.write(() => {
      const row = this.get<PlanRow>('SELECT * FROM plans WHERE name = ?', [name])
      const plan = { ...(row === undefined ? NEW_PLAN : planOf(row)), ...fields, name }
      this.putPlan(plan)
      return this.note(at, 'plan set', name, plan)
    })
  }

  createOrganization(
    { name, plan, entitlement }: Omit<OrganizationRecord, 'id'>,
    at: number,
  ): (Written & { readonly id: string }) | Fault {
    return this.write(() => {
      const missing = this.missingPlan(plan)
      if (missing !== undefined) return missing
      const id = mintId('org')
      try {
        this.run('INSERT INTO organizations VALUES (?, ?, ?, ?, ?)', [id, name, plan, JSON.stringify(entitlement), at])
      } catch (error) {
        if (codeOf(error) !== EXISTS) throw error
        return fault(
          `there is an organization "${name}" already; change it with oddswire org set, or choose another name`,
        )
      }
      return { id, ...this.note(at, 'organization create', id, { name, plan, entitlement }) }
    })
  }

  setOrganization(
    idOrName: string,
    fields: { readonly plan?: string | undefined; readonly entitlement?: Entitlement | undefined },
    at: number,
  ): Written | Fault {
    return this.write(() => {
      const organization = this.organizationOf(idOrName)
      if (isFault(organization)) return organization
      const { plan = organization.plan, entitlement = organization.entitlement } = fields
      const missing = this.missingPlan(plan)
      if (missing !== undefined) return missing
      const { id } = organization
      this.run('UPDATE organizations SET plan = ?, entitlement = ? WHERE id = ?', [
        plan,
        JSON.stringify(entitlement),
        id,
      ])
      return this.note(at, 'organization set', id, { plan, entitlement })
    })
  }

  /** Makes a key of an organization (its id). */
  createKey({ kind, organization, scope, expiresAt }: NewKey, at: number): MintedKey {
    return this.write(() => {
      const id = mintId('key')
      const secret = mintSecret(kind)
      this.run('INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?, NULL)', [
        id,
        hashOf(secret),
        kind,
        organization,
        JSON.stringify(scope),
        at,
        expiresAt,
      ])
      return { id, organization, secret, ...this.note(at, 'key create', id, { kind, organization, scope, expiresAt }) }
    })
  }

  /**
   * Revokes a key by id or secret. Revoking again is no fault: it returns the newest audit row, so that whoever
   * repeats a command that was not confirmed waits for the first revocation.
   */
  revokeKey(idOrSecret: string, at: number): (Written & { readonly id: string }) | Fault {
    return this.write(() => {
      const key = this.keyOf(idOrSecret)
      if (key === undefined) return fault('there is no such key; oddswire key list shows the ids of all')
      const { id } = key
      if (key.revokedAt !== null) return { id, auditId: this.lastAuditId() }
      this.run('UPDATE keys SET revokedAt = ? WHERE id = ?', [at, id])
      return { id, ...this.note(at, 'key revoke', id, {}) }
    })
  }

  /** Adds or replaces the bookmakers given, each with its whole coverage; others stay as they are. */
  importCoverage(bookmakers: readonly Bookmaker[], at: number): CoverageEffects {
    return this.coverage.import(bookmakers, at)
  }

  /**
   * A customer key of the organization `demo` (made here where it is missing: plan `desk`, every bookmaker) that
   * expires after a day. Its expired keys are deleted, so that a thousand demos leave no thousand keys.
   */
  createDemoKey(at: number): MintedKey {
    return this.write(() => {
      const found = this.organizationOf('demo')
      const demo = isFault(found)
        ? this.createOrganization({ name: 'demo', plan: 'desk', entitlement: '*' }, at)
        : found
      if (isFault(demo)) throw new Error(demo.fault)
      for (const { id, expiresAt } of this.keys(demo.id)) {
        if (expiresAt === null || expiresAt > at) continue
        this.run('DELETE FROM keys WHERE id = ?', [id])
        this.note(at, 'key delete', id, {})
      }
      const expiresAt = at + DEMO_KEY_MS
      return this.createKey({ kind: 'customer', organization: demo.id, scope: UNRESTRICTED, expiresAt }, at)
    })
  }

  // Phase: what a running server has taken over.

  /** Changes when another connection has written. Only comparable with earlier values of this very Store. */
  dataVersion(): number {
    return this.database.pragma('data_version', { simple: true }) as number
  }

  lastAuditId(): number {
    return this.get<{ id: number | null }>('SELECT max(id) AS id FROM audit')!.id ?? 0
  }

  appliedAuditId(): number {
    return this.get<{ auditId: number }>('SELECT auditId FROM applied')!.auditId
  }

  setApplied(auditId: number): void {
    this.run('UPDATE applied SET auditId = ?', [auditId])
  }

  /** All there is, as one moment saw it. */
  everything(): StoreChanges {
    return this.read(() => ({
      auditId: this.lastAuditId(),
      plans: this.plans(),
      organizations: this.organizations(),
      keys: this.keys(),
      keysDeleted: [],
      bookmakers: this.bookmakers(),
      decisions: this.decisions.holding(),
      requests: [],
    }))
  }

  /** What was touched after an audit row, as one moment saw it; undefined where nothing was. */
  changesSince(auditId: number): StoreChanges | undefined {
    return this.read(() => {
      const rows = this.all<AuditRow>('SELECT * FROM audit WHERE id > ? ORDER BY id', [auditId])
      if (rows.length === 0) return undefined
      const touched = (entity: string): string[] => [
        ...new Set(rows.filter(({ what }) => what.startsWith(`${entity} `)).map(({ subject }) => subject)),
      ]
      const keys = touched('key').map((id) => this.get<KeyRow>('SELECT * FROM keys WHERE id = ?', [id]) ?? id)
      return {
        auditId: rows.at(-1)!.id,
        plans: touched('plan').map((name) => planOf(this.get<PlanRow>('SELECT * FROM plans WHERE name = ?', [name])!)),
        organizations: touched('organization').map((id) =>
          organizationOf(this.get<OrganizationRow>('SELECT * FROM organizations WHERE id = ?', [id])!),
        ),
        keys: keys.filter((key) => typeof key !== 'string').map(keyOf),
        keysDeleted: keys.filter((key) => typeof key === 'string'),
        bookmakers: touched('coverage').length > 0 ? this.bookmakers() : null,
        decisions: touched('event').length > 0 ? this.decisions.holding() : null,
        requests: touched('verification').flatMap((id) => {
          const request = this.verification.requestOf(Number(id))
          if (request?.status !== 'pending') return []
          return [{ id: request.id, bookmaker: request.bookmaker, sport: request.sport }]
        }),
      }
    })
  }

  // Phase: usage.

  /** Records blocks of requests before any of them is admitted: all of them, or none (and throws). */
  reserve(wants: readonly Want[]): Grant[] {
    return this.write(() =>
      wants.map(({ organization, kind, start, limit, amount }) => {
        const row = this.get<{ reserved: number }>(
          'SELECT reserved FROM usage WHERE organization = ? AND kind = ? AND start = ?',
          [organization, kind, start],
        )
        const before = row?.reserved ?? 0
        const granted = Math.max(0, Math.min(amount, limit - before))
        if (row === undefined && kind === 'hour') {
          this.run(`DELETE FROM usage WHERE organization = ? AND kind = 'hour' AND start < ?`, [
            organization,
            start - USAGE_KEPT_MS,
          ])
        }
        this.run(
          `INSERT INTO usage VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET reserved = reserved + excluded.reserved`,
          [organization, kind, start, granted],
        )
        return { before, granted }
      }),
    )
  }

  /** Gives back what was reserved and not used. */
  release(leftovers: readonly Leftover[]): void {
    this.write(() => {
      for (const { organization, kind, start, amount } of leftovers) {
        this.run('UPDATE usage SET reserved = max(0, reserved - ?) WHERE organization = ? AND kind = ? AND start = ?', [
          amount,
          organization,
          kind,
          start,
        ])
      }
    })
  }

  // Phase: the database.

  /** Brings the store to the newest version. Returns the version found when it is a newer one, and does nothing then. */
  private migrate(at: number): number {
    const version = (): number => this.database.pragma('user_version', { simple: true }) as number
    if (version() >= MIGRATIONS.length) return version()
    return this.write(() => {
      const from = version()
      if (from > MIGRATIONS.length) return from
      for (const step of MIGRATIONS.slice(from)) this.database.exec(step)
      if (from === 0) {
        for (const plan of BUILT_IN_PLANS) {
          this.putPlan(plan)
          this.note(at, 'plan set', plan.name, plan)
        }
      }
      this.database.pragma(`user_version = ${MIGRATIONS.length}`)
      return MIGRATIONS.length
    })
  }

  private putPlan(plan: Plan): void {
    this.run(
      `INSERT INTO plans VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         hourlyLimit = excluded.hourlyLimit, monthlyQuota = excluded.monthlyQuota,
         liveEnabled = excluded.liveEnabled, historyEnabled = excluded.historyEnabled,
         liveReplayWindowSeconds = excluded.liveReplayWindowSeconds, liveConnectionsMax = excluded.liveConnectionsMax`,
      [
        plan.name,
        plan.hourlyLimit,
        plan.monthlyQuota,
        Number(plan.liveEnabled),
        Number(plan.historyEnabled),
        plan.liveReplayWindowSeconds,
        plan.liveConnectionsMax,
      ],
    )
  }

  private missingPlan(name: string): Fault | undefined {
    const names = this.plans().map((plan) => plan.name)
    return names.includes(name) ? undefined : fault(`--plan knows no "${name}"; the plans are ${names.join(', ')}`)
  }

  private note(at: number, what: What, subject: string, detail: object): Written {
    const { lastInsertRowid } = this.run('INSERT INTO audit (at, what, subject, detail) VALUES (?, ?, ?, ?)', [
      at,
      what,
      subject,
      JSON.stringify(detail),
    ])
    return { auditId: Number(lastInsertRowid) }
  }

  /** One transaction that takes the write lock at once: what it reads is what it changes. */
  private write<T>(change: () => T): T {
    return this.database.transaction(change).immediate()
  }

  private read<T>(look: () => T): T {
    return this.database.transaction(look).deferred()
  }

  private statement(sql: string): Database.Statement {
    let statement = this.statements.get(sql)
    if (statement === undefined) {
      statement = this.database.prepare(sql)
      this.statements.set(sql, statement)
    }
    return statement
  }

  private run(sql: string, values: readonly Value[]): Database.RunResult {
    return this.statement(sql).run(...values)
  }

  private get<Row>(sql: string, values: readonly Value[] = []): Row | undefined {
    return this.statement(sql).get(...values) as Row | undefined
  }

  private all<Row>(sql: string, values: readonly Value[] = []): Row[] {
    return this.statement(sql).all(...values) as Row[]
  }
}

type PlanRow = Omit<Plan, 'liveEnabled' | 'historyEnabled'> & {
  readonly liveEnabled: number
  readonly historyEnabled: number
}

const planOf = (row: PlanRow): Plan => ({
  ...row,
  liveEnabled: row.liveEnabled === 1,
  historyEnabled: row.historyEnabled === 1,
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

const codeOf = (error: unknown): string => (error instanceof Database.SqliteError ? error.code : '')

/** Whether another process holds the store just now. */
export const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY')

/** A lock that the system takes back when the process ends, however it ends. */
export interface FileLock {
  release(): void
}

/** Takes the lock of a file, which holds nothing else; undefined when another process has it for longer than this. */
export const lockFile = (path: string, waitMs: number): FileLock | undefined => {
  const database = new Database(path, { timeout: waitMs })
  try {
    database.pragma('journal_mode = MEMORY')
    database.exec('BEGIN EXCLUSIVE')
    return { release: () => database.close() }
  } catch (error) {
    database.close()
    if (isBusy(error)) return undefined
    throw error
  }
}

/** Whether a process holds the lock of a file. */
export const isFileLocked = (path: string): boolean => {
  if (!existsSync(path)) return false
  const database = new Database(path, { readonly: true, timeout: 0 })
  try {
    database.pragma('user_version')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    database.close()
  }
}
