// Changes of a store: made directly, or, where several processes share it, by the log, so that each process makes the same.
//
//   nobody shares it    command ──▶ store
//   a server shares it  server ──rehearsed──▶ log ──▶ every store makes it
//                       command ──rehearsed──▶ proposal ──▶ server, as above ──outcome──▶ command

import { elapsedMs } from '../clock.ts'
import type { StoreInput, StoreMark } from '../domain/input.ts'
import type { CoverageRecords } from './coverage-records.ts'
import type { DecisionRecords } from './decision-records.ts'
import { isHeld } from './file-lock.ts'
import { checkShared, type Draft, newName, Rehearsal } from './rehearsal.ts'
import { type Made, type Outcome, SHARED_TRIES_MAX, type SharedRecords } from './shared-records.ts'
import type { AuditRow, Tables, Value } from './tables.ts'

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

/** Statements of this store alone, and transactions that are rolled back. */
export interface OwnTables extends Pick<Tables, 'run' | 'all' | 'write' | 'lastAuditId'> {
  /** Begins a transaction that acquires the write lock. */
  begin(): void
  /** Ends it without a trace, unless the database library has. */
  rollBack(): void
  isInTransaction(): boolean
}

/** The records that changes refer to. */
export interface ConcernedRecords {
  readonly shared: SharedRecords
  readonly decisions: DecisionRecords
  readonly coverage: CoverageRecords
}

export class Sharing {
  /** Why a change of a command does not hold everywhere, or is perhaps not stored; undefined: nothing is known of that. */
  unconfirmed: string | undefined
  /** Set once the store is open. */
  way: Way = 'directly'
  private readonly dataDir: string
  private readonly tables: OwnTables
  private readonly records: SharedRecords
  private readonly decisions: DecisionRecords
  private readonly coverage: CoverageRecords
  private rehearsal: Rehearsal | undefined

  /** @param dataDir of the store, whose server a command asks */
  constructor(dataDir: string, tables: OwnTables, { shared, decisions, coverage }: ConcernedRecords) {
    this.dataDir = dataDir
    this.tables = tables
    this.records = shared
    this.decisions = decisions
    this.coverage = coverage
  }

  /** A server shares the store: all changes that others must know are rehearsed, and made as the log says. */
  begin(): void {
    this.records.begin(newName())
    this.way = 'by the log'
  }

  /**
   * Makes a change in a transaction that is rolled back. Throws as the change does.
   * @returns its result, and what it would write; undefined: nothing that others must know
   */
  rehearse<T>(work: () => T): { readonly result: T; readonly draft: Draft | undefined } {
    const rehearsal = new Rehearsal()
    this.tables.begin()
    this.rehearsal = rehearsal
    try {
      const { version, head } = this.records.state()
      const auditId = this.tables.lastAuditId()
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
      this.tables.rollBack()
    }
  }

  /** Organizations whose keys may see something else since an audit row; null: all. */
  private concernedSince(auditId: number): string[] | null {
    const rows = this.tables.all<AuditRow>('SELECT * FROM audit WHERE id > ?', [auditId])
    if (rows.some(({ what }) => what.startsWith('coverage '))) return null
    const concerned = rows.filter(({ what }) => what.startsWith('key ') || what.startsWith('organization '))
    return [...new Set(concerned.flatMap(({ organization }) => organization ?? []))]
  }

  /** The change by which the store becomes that of a log: it writes nothing, and says all that the engine has to know. */
  adoption(): Draft {
    const { version, head } = this.records.state()
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
    return this.tables.write((): Made => {
      if (this.records.has(input)) return 'had'
      const missed = this.records.obstacleTo(input)
      if (missed !== undefined) return { missed }
      for (const [sql, values] of input.statements) {
        checkShared(sql)
        this.tables.run(sql, values)
      }
      this.records.note(input)
      return 'made'
    })
  }

  /** Whether it can go on with a log: its last change, if there is any, is one that the store has made. */
  canFollow(mark: StoreMark): boolean {
    return mark.proposal === '' || this.records.has(mark)
  }

  /** A transaction of the records: see {@link Way}. */
  change<T>(work: () => T): T {
    const { rehearsal } = this
    if (rehearsal !== undefined) {
      const { length } = rehearsal.statements
      try {
        return this.tables.write(work)
      } catch (error) {
        // Rolled back to where it began.
        rehearsal.statements.length = length
        throw error
      }
    }
    if (this.way !== 'by a server' || this.tables.isInTransaction()) return this.tables.write(work)
    const made = this.tables.write(() => (this.records.state().isShared ? undefined : { result: work() }))
    return made === undefined ? this.propose(work) : made.result
  }

  /** A writing statement of the records. @returns the id of the row inserted */
  travel(sql: string, values: readonly Value[], isSoft: boolean): number {
    const { rehearsal, way } = this
    if (rehearsal === undefined) {
      if (way === 'by the log') throw new Error('a change of a shared store was not rehearsed')
      if (way === 'by a server' && !this.tables.isInTransaction()) {
        return this.change(() => this.travel(sql, values, isSoft))
      }
    }
    const id = this.tables.run(sql, values)
    rehearsal?.add(sql, values, isSoft)
    return id
  }

  /** A change that changes nothing. */
  private noChange(): Draft {
    const { version, head } = this.records.state()
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
      this.records.propose({ id, draft })
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
      const outcome = this.records.outcomeOf(id)
      if (outcome !== undefined) {
        this.records.withdraw(id)
        return outcome
      }
      if (elapsedMs() - startedMs >= PROPOSAL_MS || !isHeld(this.dataDir)) {
        this.records.withdraw(id)
        const detail =
          'not confirmed by the running server, and perhaps not stored: see its log, then repeat the command'
        return { outcome: 'unconfirmed', detail }
      }
      Atomics.wait(sleeper, 0, 0, PROPOSAL_LOOK_MS)
    }
  }
}
