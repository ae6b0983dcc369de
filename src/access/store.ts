// Store: organizations, plans, keys, coverage, verification, decisions about events, usage and the audit trail, in one
// SQLite file. The only importer of the database. Everything here is synchronous and may wait for the disk: commands
// call it as they like, the server only on its store thread.

import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { Bookmaker } from '../domain/coverage.ts'
import { type CoverageEffects, CoverageRecords } from './coverage-records.ts'
import { DecisionRecords } from './decision-records.ts'
import { type Fault, fault, isFault, messageOf } from './fault.ts'
import { holdsStore } from './holder.ts'
import { forgetLoss, type Loss, lossOf } from './loss.ts'
import { hashOf, type KeyKind, type KeyRecord, mintId, mintSecret } from './key.ts'
import { MIGRATIONS } from './migrations.ts'
import type { Entitlement, OrganizationRecord } from './organization.ts'
import { BUILT_IN_PLANS, NEW_PLAN, type Plan } from './plan.ts'
import type { Grant, Leftover, Want } from './reserving-ledger.ts'
import { type Scope, UNRESTRICTED } from './scope.ts'
import {
  type FileId,
  type Found,
  fileIdOf,
  inspect,
  lockPath,
  MARK,
  makePrivate,
  reasonOf,
  storePath,
} from './store-file.ts'
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

/** Why a store is not served until somebody accepts it: what was stored in it last, or since, may be missing. */
export const DOUBTS = ['log lost', 'restored', 'damaged'] as const

export type Doubt = (typeof DOUBTS)[number]

/** What a store says of itself. */
export interface StoreState {
  /** Another one whenever something that was stored may be missing. */
  readonly generation: string
  /** The run of a server that has it open, or had when it was killed; null: closed cleanly. */
  readonly usedBy: string | null
  readonly doubt: Doubt | null
  /** Of a backup that nobody has accepted yet: when it was made, epoch ms. */
  readonly backupAt: number | null
}

/** Told of a backup's progress, 0 to 1. */
export type OnBackupProgress = (done: number) => void

/** The files that a server's run has, when it opens its store again. */
export interface Resumed {
  readonly store: FileId
  /** The lock of the data folder: whoever has another one may have taken the folder over. */
  readonly lock: FileId | undefined
}

/** Why a store was not opened. */
export interface OpenFault extends Fault {
  /** It is not the store of this run any more, or its content is wrong: trying again is in vain while that is so. */
  readonly lost?: 'misplaced' | 'damaged'
}

export interface StoreOptions {
  /** How long opening waits for another process that is creating the store. */
  readonly waitMs: number
  /** How long a statement waits for another process that is writing. */
  readonly busyMs: number
  /** Now, epoch ms: when the store would be created. */
  readonly at: number
  /** Whether a server opens it. It does not get what is doubtful, unless it accepts that. */
  readonly serves?: boolean
  /** Opens the store whatever is doubtful about it. */
  readonly accepts?: boolean | undefined
  /** A server that had it open before. */
  readonly resumes?: Resumed | undefined
}

/** Pages of a backup between two turns of the event loop: 1 MB. */
const BACKUP_PAGES = 256

export class Store {
  readonly coverage: CoverageRecords
  readonly verification: VerificationRecords
  readonly decisions: DecisionRecords
  private readonly database: Database.Database
  private readonly statements = new Map<string, Database.Statement>()
  /**
   * Of a server: a second connection, which may only read. While it is open the first is not the last one to close, and
   * so neither checkpoints nor deletes the log as it closes; and it cannot do so itself.
   */
  private guard: Database.Database | undefined

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
  static open(dataDir: string, options: StoreOptions): Store | OpenFault {
    const { waitMs, busyMs, at, serves = false, accepts = false, resumes } = options
    let database: Database.Database | undefined
    try {
      const path = storePath(dataDir)
      // A server that opens it again knows the store: when a thread ends, the database library may have deleted the log.
      const found = resumes === undefined ? inspect(dataDir) : resumed(dataDir, resumes)
      if (isFault(found)) return found
      const loss = resumes === undefined ? lossOf(dataDir) : undefined
      if (loss !== undefined) {
        // What is stored now the server does not see, and what it does not see may be lost.
        if (!serves && isHeld(dataDir)) return fault(reasonOf(loss))
        // Not even opened: SQLite would apply the log to whatever lies there.
        if (!accepts && !found.isBackup && !isPutBack(loss, path)) return lossFault(loss)
      }
      if (found.isLogLost) {
        if (!serves && isHeld(dataDir)) {
          return fault(`the log of ${path} was deleted or damaged while the server runs: stop the server first`)
        }
        // Not even opened: the log could not be put back then.
        if (!accepts) return logLostFault(path)
      }
      makePrivate(path)
      database = new Database(path, { timeout: waitMs })
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
      store.settle(dataDir, found, serves)
      if (loss !== undefined && store.isWholeAfter(loss, path)) forgetLoss(dataDir)
      else if (loss !== undefined) {
        store.doubt('damaged')
        if (accepts) forgetLoss(dataDir)
      }
      const refusal = serves && resumes === undefined ? store.accept(path, accepts, at) : undefined
      if (refusal !== undefined) {
        database.close()
        return refusal
      }
      database.pragma(`busy_timeout = ${busyMs}`)
      if (serves) {
        store.guard = new Database(path, { readonly: true, fileMustExist: true, timeout: busyMs })
        // From the first read on SQLite counts it among those that have the store open.
        store.guard.pragma('user_version')
      }
      return store
    } catch (error) {
      database?.close()
      const advice = isBusy(error) ? undefined : adviceOn(error)
      if (advice !== undefined) {
        const why = fault(`the store in ${dataDir} cannot be opened: ${advice}; or choose another with --data-dir`)
        return isDamage(error) ? { ...why, lost: 'damaged' } : why
      }
      return fault(`the store in ${dataDir} cannot be opened (${messageOf(error)}): choose another with --data-dir`)
    }
  }

  close(): void {
    this.guard?.close()
    this.database.close()
  }

  /**
   * Closes a server's store whose files are in doubt: they are left as they are, the log is neither brought into the
   * database nor deleted.
   */
  abandon(): void {
    this.database.close()
    this.guard?.close()
  }

  /**
   * Marks a store as closed for a run whose thread has not done so: where a process ends all the same, the database
   * library closes what is open, and deletes the log. Never throws, and never touches another file than this one.
   */
  static endUseOf(dataDir: string, run: string, files: Resumed): void {
    const path = storePath(dataDir)
    let database: Database.Database | undefined
    try {
      if (isFault(resumed(dataDir, files))) return
      database = new Database(path, { timeout: 100, fileMustExist: true })
      new Store(database).endUse(run)
    } catch {
      // Then the next start asks.
    } finally {
      database?.close()
    }
  }

  // Phase: who has it open, and whether anything is missing.

  state(): StoreState {
    return this.get<StoreState>('SELECT generation, usedBy, doubt, backupAt FROM state')!
  }

  /**
   * Whether a server's store can be read as it is in its files, whatever of it we remember.
   * @param auditId an audit row that must be there: else the content is an earlier one
   */
  isSound(auditId: number): boolean {
    const { guard } = this
    if (guard === undefined) return false
    // Pages that it has read for an earlier check.
    guard.pragma('shrink_memory')
    if (guard.pragma('quick_check(1)', { simple: true }) !== 'ok') return false
    return ((guard.prepare('SELECT max(id) FROM audit').pluck().get() as number | null) ?? 0) >= auditId
  }

  /** Marks the store as in use by a run, also in the header of the file. Whether the header says so now. */
  beginUse(run: string): boolean {
    this.write(() => {
      this.run('UPDATE state SET usedBy = ?', [run])
      this.mark(MARK.inUse)
    })
    return this.checkpoint()
  }

  /** Marks the store as closed, unless another run has taken it over. The header says so once the log is gone. */
  endUse(run: string): void {
    this.write(() => {
      if (this.state().usedBy !== run) return
      this.run('UPDATE state SET usedBy = NULL', [])
      this.mark(MARK.closed)
    })
  }

  /** Throws where nothing can be written. */
  tryWriting(): void {
    // Another value: SQLite writes nothing where nothing changes.
    this.run('UPDATE state SET tries = tries + 1', [])
  }

  /**
   * Copies the store as it is at this moment into a file that exists and is empty, however much is written meanwhile.
   * The copy knows that it is one: it is not served until somebody accepts it.
   */
  async backup(file: string, at: number, onProgress: OnBackupProgress): Promise<void> {
    // Held to the end, so that nothing that is written meanwhile makes the copying begin again.
    this.database.exec('BEGIN')
    try {
      this.state()
      await this.database.backup(file, {
        progress: ({ totalPages, remainingPages }) => {
          onProgress(totalPages === 0 ? 0 : 1 - remainingPages / totalPages)
          return BACKUP_PAGES
        },
      })
    } finally {
      this.database.exec('ROLLBACK')
    }
    const database = new Database(file, { fileMustExist: true })
    try {
      // One file, without a log.
      database.pragma('journal_mode = DELETE')
      const copy = new Store(database)
      copy.write(() => {
        copy.run(
          `UPDATE state SET usedBy = NULL, doubt = coalesce(doubt, 'restored'), backupAt = coalesce(backupAt, ?)`,
          [at],
        )
        copy.mark(MARK.backup)
      })
      const sound = copy.soundness()
      if (sound !== undefined) throw new Error(`the copy is damaged: ${sound}`)
    } finally {
      database.close()
    }
  }

  /** Whether this holds all that was in the store that a server lost. */
  private isWholeAfter(loss: Loss, path: string): boolean {
    if (!isPutBack(loss, path) || this.soundness() !== undefined) return false
    return this.state().generation === loss.generation && this.lastAuditId() >= loss.auditId
  }

  private doubt(doubt: Doubt): void {
    this.run('UPDATE state SET usedBy = NULL, doubt = coalesce(doubt, ?)', [doubt])
  }

  /** Records what was found of the files: it is no longer seen in them once the store has been open. */
  private settle(dataDir: string, found: Found, serves: boolean): void {
    if (found.isLogLost || found.isBackup) {
      this.write(() => {
        if (found.isLogLost) this.doubt('log lost')
        this.mark(MARK.closed)
      })
      this.checkpoint()
    }
    const { usedBy } = this.state()
    // Also where its lock was deleted: what it is to find in the file is its own business.
    if (serves || usedBy === null || isHeld(dataDir)) return
    try {
      // A server was killed. Its log was there, so nothing is lost; when a command ends, the log is deleted.
      this.endUse(usedBy)
    } catch (error) {
      if (!isBusy(error) && !isDiskFault(error)) throw error
    }
  }

  /** Reads all of it, and ends a doubt where the server accepts it. The fault says why it must not serve the store. */
  private accept(path: string, accepts: boolean, at: number): Fault | undefined {
    const damage = this.soundness()
    if (damage !== undefined) return fault(`${path} is damaged (${damage}): restore a backup`)
    const { doubt, backupAt } = this.state()
    if (doubt === null) return undefined
    if (!accepts) return doubtFault(path, doubt, backupAt)
    this.write(() => {
      this.run('UPDATE state SET generation = lower(hex(randomblob(8))), doubt = NULL, backupAt = NULL', [])
      this.note(at, 'store accept', doubt, {})
    })
    return undefined
  }

  /** What is wrong with the pages of the database; undefined: nothing. */
  private soundness(): string | undefined {
    const said = this.database.pragma('quick_check(1)', { simple: true }) as string
    return said === 'ok' ? undefined : said.replaceAll(/\s+/g, ' ')
  }

  private mark(mark: number): void {
    this.database.pragma(`application_id = ${mark}`)
  }

  /** Brings what is in the log into the database. Whether all of it got there: readers may be in the way. */
  private checkpoint(): boolean {
    const [row] = this.database.pragma('wal_checkpoint(FULL)') as { readonly busy: number }[]
    return row?.busy === 0
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

/** Whether what the files hold makes no sense: they were damaged, or are those of something else. */
export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))

/** Whether it could not even be read. */
export const isUnreadable = (error: unknown): boolean =>
  /^SQLITE_IOERR_(READ|SHORT_READ|FSTAT|SHM|CORRUPTFS|DATA)/.test(codeOf(error))

/** Whether the disk is the reason: full, gone, or read only. */
export const isDiskFault = (error: unknown): boolean => /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(codeOf(error))

/** What is wrong and what to do, for people; undefined: it is not the disk, nor another process. */
export const adviceOn = (error: unknown): string | undefined => {
  if (isBusy(error)) return 'the store is busy: another process has been writing to it for seconds; try again'
  const what = messageOf(error)
  if (isDamage(error)) {
    return `the store is damaged (${what}): stop the server and restore a backup (README: Backup and restore)`
  }
  if (codeOf(error).startsWith('SQLITE_FULL')) return `the disk is full (${what}): free some space, and try again`
  if (!isDiskFault(error)) return undefined
  return `the disk refuses (${what}): see that the data folder can be read and written by this user, and try again`
}

const NOTHING_FOUND: Found = { isLogLost: false, isBackup: false }

/** The lock first: whoever has taken the folder over has a lock of its own before it writes. */
const resumed = (dataDir: string, { store, lock }: Resumed): Found | OpenFault => {
  for (const [path, id] of [
    [lockPath(dataDir), lock],
    [storePath(dataDir), store],
  ] as const) {
    if (id === undefined || fileIdOf(path) === id) continue
    const what = `${path} was deleted or replaced while the server runs: put the same file back, or restart the server`
    return { fault: what, lost: 'misplaced' }
  }
  return NOTHING_FOUND
}

const logLostFault = (path: string): Fault =>
  fault(
    `${path} was in use and its log (${path}-wal) is missing or damaged: what was recorded last, revocations too, is not in it; ` +
      'put the log back or restore a backup, or go on without it by --accept-store (README: Backup and restore)',
  )

/** Whether what a server lost is at its place again, as far as the files tell. */
const isPutBack = ({ remedy, store }: Loss, path: string): boolean =>
  (remedy === 'put back' || remedy === 'restart') && fileIdOf(path) === store

const lossFault = ({ path, what }: Loss): Fault =>
  fault(
    `${path} was ${what} while the last server had the store open: what was stored, revocations too, may be missing; ` +
      'put the same file back or restore a backup, or go on with what is there by --accept-store (README: Backup and restore)',
  )

const doubtFault = (path: string, doubt: Doubt, backupAt: number | null): Fault => {
  const what = {
    restored: `is a backup of ${new Date(backupAt ?? 0).toISOString()}: keys revoked since then are valid in it`,
    'log lost': 'was opened without its log: keys revoked just before may be valid in it',
    damaged: 'was replaced or damaged while a server had it open: keys that were revoked may be valid in it',
  }[doubt]
  return fault(`${path} ${what}; revoke them again, then start once with --accept-store (README: Backup and restore)`)
}

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

/** Whether a server holds the data folder. */
export const isHeld = (dataDir: string): boolean => isFileLocked(lockPath(dataDir)) || holdsStore(dataDir)

/** Whether a process holds the lock of a file. */
const isFileLocked = (path: string): boolean => {
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
