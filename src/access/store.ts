// Store: organizations, plans, keys, coverage, verification, decisions about events, usage and the audit trail, in one
// SQLite file, which nothing else reads or writes. Everything here is synchronous and may wait for the disk: commands
// call it freely, the server only on its store thread. The records have their own files, as have its connection and the ways
// in which changes are made.

import Database from 'better-sqlite3'
import { AccountRecords } from './account-records.ts'
import { CoverageRecords } from './coverage-records.ts'
import { adviceOn, isBusy, isDamage, isDiskFault } from './database-faults.ts'
import { DecisionRecords } from './decision-records.ts'
import { isPutBack, logLostFault, lossFault, unacceptedFault } from './store-faults.ts'
import { type Fault, fault, isFault, messageOf } from './fault.ts'
import { isHeld } from './file-lock.ts'
import { forgetLoss, type Loss, lossOf } from './loss.ts'
import { MIGRATIONS } from './migrations.ts'
import { SharedRecords } from './shared-records.ts'
import { Sharing } from './sharing.ts'
import { StoreConnection } from './store-connection.ts'
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
import type { AuditFilter, AuditRow, Tables, Value, What, Written } from './tables.ts'
import { TrafficRecords } from './traffic-records.ts'
import { UsageRecords } from './usage-records.ts'
import { UserRecords } from './user-records.ts'
import { VerificationRecords } from './verification-records.ts'

const BUSY_PAUSE_MS = 20

/** The files of a server's run, for reopening its store. */
export interface Resumed {
  readonly store: FileId
  /** The lock of the data folder: if it is another one, another process may have acquired the folder. */
  readonly lock: FileId | undefined
}

/** Why a store was not opened. */
export interface OpenFault extends Fault {
  /** It is no longer the store of this run, or its content is wrong: while that is so, a retry cannot succeed. */
  readonly lost?: 'misplaced' | 'damaged'
}

export interface StoreOptions {
  /** How long opening waits for another process that is creating the store. */
  readonly waitMs: number
  /** How long a statement waits for another process that is writing. */
  readonly busyMs: number
  /** Now, epoch ms: when the store would be created. */
  readonly at: number
  /** Whether a server opens it. A server gets a suspect store only if it accepts that. */
  readonly serves?: boolean
  /** Opens the store even if it is suspect. */
  readonly accepts?: boolean | undefined
  /** Set by a server that had it open before. */
  readonly resumes?: Resumed | undefined
}

export class Store extends StoreConnection {
  readonly accounts: AccountRecords
  readonly usage: UsageRecords
  readonly coverage: CoverageRecords
  readonly verification: VerificationRecords
  readonly decisions: DecisionRecords
  readonly users: UserRecords
  readonly traffic: TrafficRecords
  /** What it knows of the log that it shares with other stores. */
  readonly shared: SharedRecords
  /** How it is changed. */
  readonly sharing: Sharing
  private actor = 'command'

  private constructor(database: Database.Database, dataDir: string) {
    super(database)
    const tables: Tables = {
      run: (sql, values) => this.sharing.travel(sql, values, false),
      runSoftly: (sql, values) => void this.sharing.travel(sql, values, true),
      get: (sql, values) => this.get(sql, values),
      all: (sql, values) => this.all(sql, values),
      write: (change) => this.sharing.change(change),
      note: (at, what, subject, detail, organization) => this.note(at, what, subject, detail, organization),
      actor: () => this.actor,
      as: (actor, work) => this.as(actor, work),
      lastAuditId: () => this.lastAuditId(),
    }
    const own: Tables = {
      ...tables,
      run: (sql, values) => Number(this.run(sql, values).lastInsertRowid),
      write: (change) => this.write(change),
    }
    this.shared = new SharedRecords(own)
    this.accounts = new AccountRecords(tables)
    this.usage = new UsageRecords(own)
    this.coverage = new CoverageRecords(tables)
    this.verification = new VerificationRecords(tables, this.coverage)
    this.decisions = new DecisionRecords(tables)
    this.users = new UserRecords(tables)
    this.traffic = new TrafficRecords(tables)
    const begin = (): void => void this.database.exec('BEGIN IMMEDIATE')
    const isInTransaction = (): boolean => this.database.inTransaction
    const rollBack = (): void => {
      if (this.database.inTransaction) this.database.exec('ROLLBACK')
    }
    this.sharing = new Sharing(dataDir, { ...own, begin, rollBack, isInTransaction }, this)
  }

  /** Opens the store of a data folder that exists, or creates it there. */
  static open(dataDir: string, options: StoreOptions): Store | OpenFault {
    const { waitMs, busyMs, at, serves = false, accepts = false, resumes } = options
    let database: Database.Database | undefined
    let store: Store | undefined
    try {
      const path = storePath(dataDir)
      // A server that reopens it knows the store: when a thread ends, the database library may have deleted the log.
      const found = resumes === undefined ? inspect(dataDir) : resumed(dataDir, resumes)
      if (isFault(found)) return found
      const loss = resumes === undefined ? lossOf(dataDir) : undefined
      if (loss !== undefined) {
        // The server would not see what is stored now, so it could be lost.
        if (!serves && isHeld(dataDir)) return fault(reasonOf(loss))
        // Do not even open it: SQLite would apply the log to whatever file is there.
        if (!accepts && !found.isBackup && !isPutBack(loss, path)) return lossFault(loss)
      }
      if (found.isLogLost) {
        if (!serves && isHeld(dataDir)) {
          return fault(`the log of ${path} was deleted or damaged while the server runs: stop the server first`)
        }
        // Do not even open it: the log could not be put back then.
        if (!accepts) return logLostFault(path)
      }
      makePrivate(path)
      database = new Database(path, { timeout: waitMs })
      // While another process creates the store, changing the journal mode fails without waiting.
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
      store = new Store(database, dataDir)
      const version = store.migrate(at)
      if (version > MIGRATIONS.length) {
        store.close()
        return fault(
          `the store in ${dataDir} is of version ${version}, written by a newer oddswire; this one knows up to ` +
            `${MIGRATIONS.length}: upgrade, or choose another folder with --data-dir`,
        )
      }
      store.settle(dataDir, found, serves)
      if (loss !== undefined && store.isWholeAfter(loss, path)) forgetLoss(dataDir)
      else if (loss !== undefined) {
        store.markSuspect('damaged')
        if (accepts) forgetLoss(dataDir)
      }
      const refusal = serves && resumes === undefined ? store.accept(path, accepts, at) : undefined
      if (refusal !== undefined) {
        store.close()
        return refusal
      }
      database.pragma(`busy_timeout = ${busyMs}`)
      if (serves) {
        store.openGuard(busyMs)
        store.actor = 'server'
      } else store.sharing.way = 'by a server'
      return store
    } catch (error) {
      if (store === undefined) database?.close()
      else store.close()
      const advice = isBusy(error) ? undefined : adviceOn(error)
      if (advice !== undefined) {
        const why = fault(`the store in ${dataDir} cannot be opened: ${advice}; or choose another with --data-dir`)
        return isDamage(error) ? { ...why, lost: 'damaged' } : why
      }
      return fault(`the store in ${dataDir} cannot be opened (${messageOf(error)}): choose another with --data-dir`)
    }
  }

  /**
   * Marks a store as closed for a run whose thread has not done so: when the process ends, the database library closes
   * open databases, and deletes the log. Never throws, and never touches another file than this one.
   */
  static endUseOf(dataDir: string, run: string, files: Resumed): void {
    const path = storePath(dataDir)
    let database: Database.Database | undefined
    try {
      if (isFault(resumed(dataDir, files))) return
      database = new Database(path, { timeout: 100, fileMustExist: true })
      new StoreConnection(database).endUse(run)
    } catch {
      // The next start asks whether anything is missing.
    } finally {
      database?.close()
    }
  }

  // --- which process has it open, and whether anything is missing

  /** Whether this store holds everything that was in the store that a server lost. */
  private isWholeAfter(loss: Loss, path: string): boolean {
    if (!isPutBack(loss, path) || this.soundness() !== undefined) return false
    return this.state().generation === loss.generation && this.lastAuditId() >= loss.auditId
  }

  /** Records what was found in the files: they no longer show it once the store has been open. */
  private settle(dataDir: string, found: Found, serves: boolean): void {
    if (found.isLogLost || found.isBackup) {
      this.write(() => {
        if (found.isLogLost) this.markSuspect('log lost')
        this.mark(MARK.closed)
      })
      this.checkpoint()
    }
    const { usedBy } = this.state()
    // A running server sets its own mark, even if its lock was deleted.
    if (serves || usedBy === null || isHeld(dataDir)) return
    try {
      // A server was killed. Its log existed, so nothing is lost; the log is deleted when a command ends.
      this.endUse(usedBy)
    } catch (error) {
      if (!isBusy(error) && !isDiskFault(error)) throw error
    }
  }

  /** Checks all of it, and clears the mark if the server accepts the store. The fault says why it must not be served. */
  private accept(path: string, accepts: boolean, at: number): Fault | undefined {
    const damage = this.soundness()
    if (damage !== undefined) return fault(`${path} is damaged (${damage}): restore a backup`)
    const { suspectBecause, backupAt } = this.state()
    if (suspectBecause === null) return undefined
    if (!accepts) return unacceptedFault(path, suspectBecause, backupAt)
    this.write(() => {
      this.run('UPDATE state SET generation = lower(hex(randomblob(8))), doubt = NULL, backupAt = NULL', [])
      // Whoever was logged out, removed or has another password since is logged in, in an older store.
      this.run('DELETE FROM sessions', [])
      this.run('DELETE FROM links', [])
      // It differs from every other store of its log now.
      this.shared.end()
      this.note(at, 'store accept', suspectBecause, {})
    })
    return undefined
  }

  // --- a store that several processes share

  audit(): AuditRow[] {
    return this.all<AuditRow>('SELECT * FROM audit ORDER BY id')
  }

  /** The newest rows that concern an organization (by id), or (null) all of them; the newest first. */
  newestAudit(organization: string | null, limit: number, { since = 0, by }: AuditFilter = {}): AuditRow[] {
    const terms: readonly (readonly [term: string, value: Value])[] = [
      ['at >= ?', since],
      ...(organization === null ? [] : [['organization = ?', organization] as const]),
      ...(by === undefined ? [] : [['by = ?', by] as const]),
    ]
    const where = terms.map(([term]) => term).join(' AND ')
    return this.all<AuditRow>(`SELECT * FROM audit WHERE ${where} ORDER BY id DESC LIMIT ?`, [
      ...terms.map(([, value]) => value),
      limit,
    ])
  }

  /** Does something as a user (by email): the audit trail says so. */
  as<T>(actor: string, work: () => T): T {
    const before = this.actor
    this.actor = actor
    try {
      return work()
    } finally {
      this.actor = before
    }
  }

  // --- what a running server has applied

  lastAuditId(): number {
    return this.get<{ id: number | null }>('SELECT max(id) AS id FROM audit')!.id ?? 0
  }

  appliedAuditId(): number {
    return this.get<{ auditId: number }>('SELECT auditId FROM applied')!.auditId
  }

  setApplied(auditId: number): void {
    this.run('UPDATE applied SET auditId = ?', [auditId])
  }

  /** Everything, as of one moment. */
  everything(): StoreChanges {
    return this.read(() => ({
      auditId: this.lastAuditId(),
      plans: this.accounts.plans(),
      plansRemoved: [],
      organizations: this.accounts.organizations(),
      keys: this.accounts.keys(),
      keysDeleted: [],
      bookmakers: this.coverage.bookmakers(),
      decisions: this.decisions.holding(),
      removals: this.coverage.announced(),
      requests: [],
      done: [],
      sessions: this.users.sessions(),
    }))
  }

  /** Everything touched after an audit row, as of one moment; undefined: nothing was. */
  changesSince(auditId: number): StoreChanges | undefined {
    return this.read(() => {
      const rows = this.all<AuditRow>('SELECT * FROM audit WHERE id > ? ORDER BY id', [auditId])
      if (rows.length === 0) return undefined
      const touched = (entity: string): string[] => [
        ...new Set(rows.filter(({ what }) => what.startsWith(`${entity} `)).map(({ subject }) => subject)),
      ]
      const keys = touched('key').map((id) => this.accounts.keyWithId(id) ?? id)
      const plans = touched('plan').map((name) => this.accounts.planNamed(name) ?? name)
      return {
        auditId: rows.at(-1)!.id,
        plans: plans.filter((plan) => typeof plan !== 'string'),
        plansRemoved: plans.filter((plan) => typeof plan === 'string'),
        organizations: touched('organization').map((id) => this.accounts.organizationWithId(id)),
        keys: keys.filter((key) => typeof key !== 'string'),
        keysDeleted: keys.filter((key) => typeof key === 'string'),
        bookmakers: touched('coverage').length > 0 ? this.coverage.bookmakers() : null,
        decisions: touched('event').length > 0 ? this.decisions.holding() : null,
        removals: touched('coverage').length + touched('removal').length > 0 ? this.coverage.announced() : null,
        done: rows,
        sessions: touched('user').map((email) => this.users.sessionsOf(email)),
        requests: touched('verification').flatMap((id) => {
          const request = this.verification.requestOf(Number(id))
          if (request?.status !== 'pending') return []
          return [{ id: request.id, bookmaker: request.bookmaker, sport: request.sport }]
        }),
      }
    })
  }

  // --- the database

  /** Migrates the store to the newest version. A newer store is left as it is, and its version is returned. */
  private migrate(at: number): number {
    const version = (): number => this.database.pragma('user_version', { simple: true }) as number
    if (version() >= MIGRATIONS.length) return version()
    return this.write(() => {
      const from = version()
      if (from > MIGRATIONS.length) return from
      for (const step of MIGRATIONS.slice(from)) this.database.exec(step)
      if (from === 0) this.accounts.addBuiltInPlans(at)
      this.database.pragma(`user_version = ${MIGRATIONS.length}`)
      return MIGRATIONS.length
    })
  }

  private note(at: number, what: What, subject: string, detail: object, organization: string | null = null): Written {
    const auditId = this.sharing.travel(
      'INSERT INTO audit (at, what, subject, detail, by, organization) VALUES (?, ?, ?, ?, ?, ?)',
      [at, what, subject, JSON.stringify(detail), this.actor, organization],
      false,
    )
    return { auditId }
  }

  /** Several changes in one transaction. */
  inOne<T>(change: () => T): T {
    return this.sharing.change(change)
  }
}

const NOTHING_FOUND: Found = { isLogLost: false, isBackup: false }

/** The lock first: a process that has acquired the folder has a lock of its own before it writes. */
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
