// The connection to a store's file: its statements and transactions, and what the file says of itself. Which process has it
// open, whether anything may be missing, whether its pages can be read; and how it is closed so that nothing is lost.

import Database from 'better-sqlite3'
import type { StoreFault } from './store-faults.ts'
import { MARK } from './store-file.ts'
import type { Value } from './tables.ts'

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

/** Pages of a backup between two iterations of the event loop: 1 MB. */
const BACKUP_PAGES = 256

export class StoreConnection {
  protected readonly database: Database.Database
  private readonly statements = new Map<string, Database.Statement>()
  /**
   * Of a server, and of whoever closes what a server uses: a second, read-only connection. While it is open, the first
   * connection is not the last one to close, so closing it neither checkpoints nor deletes the log; and this one cannot.
   */
  private guard: Database.Database | undefined

  constructor(database: Database.Database) {
    this.database = database
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

  protected openGuard(busyMs: number): void {
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
      const copy = new StoreConnection(database)
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

  /** Changes when another connection has written. Comparable only with earlier values of this very Store. */
  dataVersion(): number {
    return this.database.pragma('data_version', { simple: true }) as number
  }

  protected markSuspect(because: StoreFault): void {
    this.run('UPDATE state SET usedBy = NULL, doubt = coalesce(doubt, ?)', [because])
  }

  /** What is wrong with the pages of the database; undefined: nothing. */
  protected soundness(): string | undefined {
    const said = this.database.pragma('quick_check(1)', { simple: true }) as string
    return said === 'ok' ? undefined : said.replaceAll(/\s+/g, ' ')
  }

  protected mark(mark: number): void {
    this.database.pragma(`application_id = ${mark}`)
  }

  /** Checkpoints the log. Returns whether all of it was checkpointed: readers may prevent it. */
  protected checkpoint(): boolean {
    const [row] = this.database.pragma('wal_checkpoint(FULL)') as { readonly busy: number }[]
    return row?.busy === 0
  }

  // --- statements

  /** One transaction that acquires the write lock first, so that nothing changes between its reads and its writes. */
  protected write<T>(change: () => T): T {
    return this.database.transaction(change).immediate()
  }

  protected read<T>(look: () => T): T {
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

  protected run(sql: string, values: readonly Value[]): Database.RunResult {
    return this.statement(sql).run(...values)
  }

  protected get<Row>(sql: string, values: readonly Value[] = []): Row | undefined {
    return this.reading(sql).get(...values) as Row | undefined
  }

  protected all<Row>(sql: string, values: readonly Value[] = []): Row[] {
    return this.reading(sql).all(...values) as Row[]
  }

  /** What writes goes through {@link run}: where the store is shared, it must not be missed. */
  private reading(sql: string): Database.Statement {
    const statement = this.statement(sql)
    if (!statement.readonly) throw new Error(`a statement that writes is read: ${sql.slice(0, 80)}`)
    return statement
  }
}
