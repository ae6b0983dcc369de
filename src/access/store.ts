// Store: organizations, plans, keys, coverage, verification, decisions about events, usage and the audit trail, in one
// SQLite file, which only this file reads and writes. Everything here is synchronous and may wait for the disk: commands
// call it freely, the server only on its store thread.
// Over 400 lines, because opening, checking, marking and reading belong to one connection; the records have their own
// files.

import Database from 'better-sqlite3'
import { elapsedMs } from '../clock.ts'
import type { StoreInput, StoreMark } from '../domain/input.ts'
import { AccountRecords } from './account-records.ts'
import { CoverageRecords } from './coverage-records.ts'
import { adviceOn, isBusy, isDamage, isDiskFault } from './database-faults.ts'
import { DecisionRecords } from './decision-records.ts'
import { isPutBack, logLostFault, lossFault, type StoreFault, unacceptedFault } from './store-faults.ts'
import { type Fault, fault, isFault, messageOf } from './fault.ts'
import { isHeld } from './file-lock.ts'
import { forgetLoss, type Loss, lossOf } from './loss.ts'
import { MIGRATIONS } from './migrations.ts'
import { checkShared, type Draft, newName, Rehearsal } from './rehearsal.ts'
import { type Made, type Outcome, SHARED_TRIES_MAX, SharedRecords } from './shared-records.ts'
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

/** What a store records about itself. */
export interface StoreState {
  /** Changes whenever something that was stored may be missing. */
  readonly generation: string
  /** The run of the server that has it open, or had it open when it was killed; null: closed cleanly. */
  readonly usedBy: string | null
  /** Why a server must not serve it until an operator accepts it. */
  readonly suspectBecause: StoreFault | null
  /** Of a backup that was not accepted yet: when it was made, epoch ms. */
  readonly backupAt: number | null
}

/** Called with the progress of a backup, 0 to 1. */
export type OnBackupProgress = (done: number) => void

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

/** Pages of a backup between two iterations of the event loop: 1 MB. */
const BACKUP_PAGES = 256

/**
 * How changes that other processes must know are made. Directly: there are none, or nobody serves the store. By the log:
 * this is a server that shares it. By a server: this is a command, and the server may share it.
 */
type Way = 'directly' | 'by the log' | 'by a server'

/** How long a command waits for its change to hold in all processes, ms: longer than the server waits for the log, and for them. */
const PROPOSAL_MS = 25_000
const PROPOSAL_LOOK_MS = 5

/** A change was not made: one line says why, and what to do. */
export class NotShared extends Error {
  override readonly name = 'NotShared'
}

export class Store {
  readonly accounts: AccountRecords
  readonly usage: UsageRecords
  readonly coverage: CoverageRecords
  readonly verification: VerificationRecords
  readonly decisions: DecisionRecords
  readonly users: UserRecords
  readonly traffic: TrafficRecords
  /** What it knows of the log that it shares with other stores. */
  readonly shared: SharedRecords
  /** Why a change of a command does not hold everywhere, or is perhaps not stored; undefined: nothing is known of that. */
  unconfirmed: string | undefined
  private readonly database: Database.Database
  private readonly statements = new Map<string, Database.Statement>()
  /**
   * Of a server, and of whoever closes what a server uses: a second, read-only connection. While it is open, the first
   * connection is not the last one to close, so closing it neither checkpoints nor deletes the log; and this one cannot.
   */
  private guard: Database.Database | undefined
  private actor = 'command'
  private way: Way = 'directly'
  private dataDir = ''
  private rehearsal: Rehearsal | undefined

  private constructor(database: Database.Database) {
    this.database = database
    const tables: Tables = {
      run: (sql, values) => this.travel(sql, values, false),
      runSoftly: (sql, values) => void this.travel(sql, values, true),
      get: (sql, values) => this.get(sql, values),
      all: (sql, values) => this.all(sql, values),
      write: (change) => this.change(change),
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
      store = new Store(database)
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
      store.dataDir = dataDir
      if (serves) {
        store.openGuard(busyMs)
        store.actor = 'server'
      } else store.way = 'by a server'
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

  close(): void {
    if (this.guard === undefined && this.mustLeaveLog()) {
      this.abandon()
      return
    }
    this.guard?.close()
    this.database.close()
  }

  /**
   * Whether a server uses the store: one that was killed, or starts. Its header says that there is a log, so the last to
   * close must not delete it; there is a guard then.
   */
  private mustLeaveLog(): boolean {
    try {
      if (this.state().usedBy === null) return false
      this.openGuard(0)
      return true
    } catch {
      // It cannot be read, or has no tables yet.
      return false
    }
  }

  private openGuard(busyMs: number): void {
    const guard = new Database(this.database.name, { readonly: true, fileMustExist: true, timeout: busyMs })
    // SQLite counts a connection as open from its first read.
    guard.pragma('user_version')
    this.guard = guard
  }

  /**
   * Closes a server's suspect store: its files are left as they are, and the log is neither checkpointed nor deleted.
   */
  abandon(): void {
    this.database.close()
    this.guard?.close()
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
      new Store(database).endUse(run)
    } catch {
      // The next start asks whether anything is missing.
    } finally {
      database?.close()
    }
  }

  // --- which process has it open, and whether anything is missing

  state(): StoreState {
    return this.get<StoreState>('SELECT generation, usedBy, doubt AS suspectBecause, backupAt FROM state')!
  }

  /**
   * Whether a server's store can be read from its files, regardless of cached pages.
   * @param auditId an audit row that must exist: else the content is an earlier one
   */
  isSound(auditId: number): boolean {
    const { guard } = this
    if (guard === undefined) return false
    // Drops the pages that an earlier check has cached.
    guard.pragma('shrink_memory')
    if (guard.pragma('quick_check(1)', { simple: true }) !== 'ok') return false
    return ((guard.prepare('SELECT max(id) FROM audit').pluck().get() as number | null) ?? 0) >= auditId
  }

  /** Marks the store as in use by a run, also in the header of the file. Returns whether the header says so. */
  beginUse(run: string): boolean {
    this.write(() => {
      this.run('UPDATE state SET usedBy = ?', [run])
      this.mark(MARK.inUse)
    })
    return this.checkpoint()
  }

  /** Marks the store as closed, unless another run uses it. The header says so once the log is gone. */
  endUse(run: string): void {
    this.write(() => {
      if (this.state().usedBy !== run) return
      this.run('UPDATE state SET usedBy = NULL', [])
      this.mark(MARK.closed)
    })
  }

  /** Throws if the store cannot be written. */
  tryWriting(): void {
    // A new value, because SQLite writes nothing where nothing changes.
    this.run('UPDATE state SET tries = tries + 1', [])
  }

  /**
   * Copies the store as of this moment into an existing, empty file, however much is written meanwhile. The copy is
   * marked as a backup: it is not served until it is accepted.
   */
  async backup(file: string, at: number, onProgress: OnBackupProgress): Promise<void> {
    // Held to the end, because a write meanwhile would restart the copying.
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
      // A single file, without a log.
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

  /** Whether this store holds everything that was in the store that a server lost. */
  private isWholeAfter(loss: Loss, path: string): boolean {
    if (!isPutBack(loss, path) || this.soundness() !== undefined) return false
    return this.state().generation === loss.generation && this.lastAuditId() >= loss.auditId
  }

  private markSuspect(because: StoreFault): void {
    this.run('UPDATE state SET usedBy = NULL, doubt = coalesce(doubt, ?)', [because])
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

  /** What is wrong with the pages of the database; undefined: nothing. */
  private soundness(): string | undefined {
    const said = this.database.pragma('quick_check(1)', { simple: true }) as string
    return said === 'ok' ? undefined : said.replaceAll(/\s+/g, ' ')
  }

  private mark(mark: number): void {
    this.database.pragma(`application_id = ${mark}`)
  }

  /** Checkpoints the log. Returns whether all of it was checkpointed: readers may prevent it. */
  private checkpoint(): boolean {
    const [row] = this.database.pragma('wal_checkpoint(FULL)') as { readonly busy: number }[]
    return row?.busy === 0
  }

  // --- a store that several processes share

  /** A server shares the store: all changes that others must know are rehearsed, and made as the log says. */
  share(): void {
    this.shared.begin(newName())
    this.way = 'by the log'
  }

  /**
   * Makes a change in a transaction that is rolled back. Throws as the change does.
   * @returns its result, and what it would write; undefined: nothing that others must know
   */
  rehearse<T>(work: () => T): { readonly result: T; readonly draft: Draft | undefined } {
    const rehearsal = new Rehearsal()
    this.database.exec('BEGIN IMMEDIATE')
    this.rehearsal = rehearsal
    try {
      const { version, head } = this.shared.state()
      const auditId = this.lastAuditId()
      const result = work()
      const { statements, isSoft } = rehearsal
      if (statements.length === 0) return { result, draft: undefined }
      const decisions = rehearsal.touches('eventDecisions') ? this.decisions.holding() : null
      const bookmakers = rehearsal.bookmakers()
      const organizations = this.concernedSince(auditId)
      const made = { statements, decisions, bookmakers, organizations, isSoft }
      return { result, draft: { after: head, version: version + 1, ...made } }
    } finally {
      this.rehearsal = undefined
      // The database library may have rolled it back.
      if (this.database.inTransaction) this.database.exec('ROLLBACK')
    }
  }

  /** Organizations whose keys may see something else since an audit row; null: all. */
  private concernedSince(auditId: number): string[] | null {
    const rows = this.all<AuditRow>('SELECT * FROM audit WHERE id > ?', [auditId])
    if (rows.some(({ what }) => what.startsWith('coverage '))) return null
    const concerned = rows.filter(({ what }) => what.startsWith('key ') || what.startsWith('organization '))
    return [...new Set(concerned.flatMap(({ organization }) => organization ?? []))]
  }

  /** The change by which the store becomes that of a log: it writes nothing, and says all that the engine has to know. */
  adoption(): Draft {
    const { version, head } = this.shared.state()
    const bookmakers = this.coverage.bookmakers().map(({ slug }) => slug)
    const decisions = this.decisions.holding()
    return {
      after: head,
      version: version + 1,
      statements: [],
      decisions,
      bookmakers,
      organizations: null,
      isSoft: false,
    }
  }

  /** Makes a change that the log has accepted, unless it has made it. */
  make(input: StoreInput): Made {
    return this.write((): Made => {
      if (this.shared.has(input)) return 'had'
      const missed = this.shared.obstacleTo(input)
      if (missed !== undefined) return { missed }
      for (const [sql, values] of input.statements) {
        checkShared(sql)
        this.run(sql, values)
      }
      this.shared.note(input)
      return 'made'
    })
  }

  /** Whether it can go on with a log: its last change, if there is any, is one that the store has made. */
  canFollow(mark: StoreMark): boolean {
    return mark.proposal === '' || this.shared.has(mark)
  }

  /** A change that changes nothing. */
  private noChange(): Draft {
    const { version, head } = this.shared.state()
    const nothing = { statements: [], decisions: null, bookmakers: [], organizations: [] }
    return { after: head, version: version + 1, ...nothing, isSoft: false }
  }

  /**
   * Has the running server bring a change into the log, and waits until it holds in all processes. What changes nothing is
   * waited for, too: the key that it revokes may have been revoked by another process, of which a third one does not know.
   */
  private propose<T>(work: () => T): T {
    for (let tries = 0; tries < SHARED_TRIES_MAX; tries++) {
      const { result, draft = this.noChange() } = this.rehearse(work)
      if (!isHeld(this.dataDir)) {
        if (draft.statements.length === 0) return result
        throw new NotShared(
          `the store in ${this.dataDir} is shared with other processes, and no server runs with it: start it with ` +
            '--redis-url, so that they learn of the change, or without, to use the store alone',
        )
      }
      const id = newName()
      this.shared.propose({ id, draft })
      const { outcome, detail } = this.outcomeOf(id)
      if (outcome === 'failed') throw new NotShared(detail)
      if (outcome === 'unconfirmed') this.unconfirmed = detail
      if (outcome !== 'again') return result
    }
    throw new NotShared('other processes change the store all the time: repeat the command')
  }

  private outcomeOf(id: string): Outcome {
    const startedMs = elapsedMs()
    const sleeper = new Int32Array(new SharedArrayBuffer(4))
    for (;;) {
      const outcome = this.shared.outcomeOf(id)
      if (outcome !== undefined) {
        this.shared.withdraw(id)
        return outcome
      }
      if (elapsedMs() - startedMs >= PROPOSAL_MS || !isHeld(this.dataDir)) {
        this.shared.withdraw(id)
        const detail =
          'not confirmed by the running server, and perhaps not stored: see its log, then repeat the command'
        return { outcome: 'unconfirmed', detail }
      }
      Atomics.wait(sleeper, 0, 0, PROPOSAL_LOOK_MS)
    }
  }

  /** A transaction of the records: see {@link Way}. */
  private change<T>(work: () => T): T {
    const { rehearsal } = this
    if (rehearsal !== undefined) {
      const { length } = rehearsal.statements
      try {
        return this.write(work)
      } catch (error) {
        // Rolled back to where it began.
        rehearsal.statements.length = length
        throw error
      }
    }
    if (this.way !== 'by a server' || this.database.inTransaction) return this.write(work)
    const made = this.write(() => (this.shared.state().isShared ? undefined : { result: work() }))
    return made === undefined ? this.propose(work) : made.result
  }

  /** A writing statement of the records. @returns the id of the row inserted */
  private travel(sql: string, values: readonly Value[], isSoft: boolean): number {
    const { rehearsal, way } = this
    if (rehearsal === undefined) {
      if (way === 'by the log') throw new Error('a change of a shared store was not rehearsed')
      if (way === 'by a server' && !this.database.inTransaction) {
        return this.change(() => this.travel(sql, values, isSoft))
      }
    }
    const { lastInsertRowid } = this.run(sql, values)
    rehearsal?.add(sql, values, isSoft)
    return Number(lastInsertRowid)
  }

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

  /** Changes when another connection has written. Comparable only with earlier values of this very Store. */
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
    const auditId = this.travel(
      'INSERT INTO audit (at, what, subject, detail, by, organization) VALUES (?, ?, ?, ?, ?, ?)',
      [at, what, subject, JSON.stringify(detail), this.actor, organization],
      false,
    )
    return { auditId }
  }

  /** One transaction that acquires the write lock first, so that nothing changes between its reads and its writes. */
  private write<T>(change: () => T): T {
    return this.database.transaction(change).immediate()
  }

  /** Several changes in one transaction. */
  inOne<T>(change: () => T): T {
    return this.change(change)
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
    return this.reading(sql).get(...values) as Row | undefined
  }

  private all<Row>(sql: string, values: readonly Value[] = []): Row[] {
    return this.reading(sql).all(...values) as Row[]
  }

  /** What writes goes through {@link run}: where the store is shared, it must not be missed. */
  private reading(sql: string): Database.Statement {
    const statement = this.statement(sql)
    if (!statement.readonly) throw new Error(`a statement that writes is read: ${sql.slice(0, 80)}`)
    return statement
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
