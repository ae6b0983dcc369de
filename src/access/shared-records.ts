// What a store knows of the log that it shares with the stores of other processes: the changes that it has made, and those
// that commands propose. It is about this store, and does not travel.
//
//   command ──rehearsed change──▶ proposals ──store thread──▶ log ──accepted──▶ every store makes it ──▶ outcome ──▶ command

import type { StoreInput, StoreMark } from '../domain/input.ts'
import type { Draft } from './rehearsal.ts'
import type { Tables } from './tables.ts'

/** Names of made changes that are kept. A store that is further ahead of a log than this takes a copy of another one. */
const KEPT = 10_000

/** Outcomes that are kept for commands that have not seen them. */
const OUTCOMES_KEPT = 100

/** How often a change is made anew because others have changed the store meanwhile. Of three that try, one succeeds. */
export const SHARED_TRIES_MAX = 100

export interface SharedState {
  /** Whether the last server has shared it: a command may not change it alone. */
  readonly isShared: boolean
  /** Number of changes that came from a log. */
  readonly version: number
  /** Name of the last one; before the first one, a name of the store; empty: it has none yet. */
  readonly head: string
}

/** What became of a change: it was made now, or before; or why this store cannot make it. */
export type Made = 'made' | 'had' | { readonly missed: string }

/** What a server says of a proposal. Again: others have changed the store meanwhile. */
export type Outcome =
  | { readonly outcome: 'done' | 'again'; readonly detail: '' }
  | { readonly outcome: 'unconfirmed' | 'failed'; readonly detail: string }

/** A change that a command proposes. */
export interface Proposal {
  readonly id: string
  readonly draft: Draft
}

export class SharedRecords {
  private readonly tables: Tables

  /** @param tables those of this store alone */
  constructor(tables: Tables) {
    this.tables = tables
  }

  state(): SharedState {
    const row = this.tables.get<Omit<SharedState, 'isShared'> & { isShared: number }>(
      'SELECT isShared, version, head FROM shared',
    )!
    return { ...row, isShared: row.isShared === 1 }
  }

  /** A server shares the store from now on. @param name for a store that has none */
  begin(name: string): void {
    this.tables.write(() => {
      this.tables.run(`UPDATE shared SET isShared = 1, head = iif(head = '', ?, head)`, [name])
      // Of commands that were killed; others remove theirs.
      this.tables.run(
        'DELETE FROM proposals WHERE outcome IS NOT NULL AND rowid < (SELECT max(rowid) FROM proposals) - ?',
        [OUTCOMES_KEPT],
      )
    })
  }

  /** The store is no longer that of a log: it is changed without one. */
  end(): void {
    const { isShared, head } = this.state()
    if (!isShared && head === '') return
    this.tables.write(() => {
      this.tables.run(`UPDATE shared SET isShared = 0, version = 0, head = ''`, [])
      this.tables.run('DELETE FROM sharedChanges', [])
      this.tables.run('DELETE FROM proposals', [])
    })
  }

  /** Whether it has made a change. */
  has({ proposal, version }: StoreMark): boolean {
    const row = this.tables.get<{ proposal: string }>('SELECT proposal FROM sharedChanges WHERE version = ?', [version])
    return row?.proposal === proposal
  }

  /** Why it cannot make a change; undefined: it can. */
  obstacleTo({ after, version }: Pick<StoreInput, 'after' | 'version'>): string | undefined {
    const own = this.state()
    if (own.head === after) return undefined
    return own.version < version - 1
      ? `the store has missed changes of access rights (it has made ${own.version} of ${version - 1})`
      : 'the store has another history than the log: changes of access rights that the log does not have, or a copy of another store'
  }

  /** It makes a change, in the transaction of the caller. */
  note({ proposal, version }: StoreMark): void {
    this.tables.run('UPDATE shared SET version = ?, head = ?', [version, proposal])
    this.tables.run('INSERT INTO sharedChanges VALUES (?, ?)', [version, proposal])
    this.tables.run('DELETE FROM sharedChanges WHERE version <= ?', [version - KEPT])
  }

  // --- what commands propose

  propose({ id, draft }: Proposal): void {
    this.tables.run('INSERT INTO proposals VALUES (?, ?, NULL, NULL)', [id, JSON.stringify(draft)])
  }

  /** Those without an outcome. */
  proposals(): Proposal[] {
    return this.tables
      .all<{ id: string; draft: string }>('SELECT id, draft FROM proposals WHERE outcome IS NULL ORDER BY rowid')
      .map(({ id, draft }) => ({ id, draft: JSON.parse(draft) as Draft }))
  }

  conclude(id: string, { outcome, detail }: Outcome): void {
    this.tables.run('UPDATE proposals SET outcome = ?, detail = ? WHERE id = ?', [outcome, detail, id])
  }

  /** Undefined: there is none yet. */
  outcomeOf(id: string): Outcome | undefined {
    return this.tables.get<Outcome>('SELECT outcome, detail FROM proposals WHERE id = ? AND outcome IS NOT NULL', [id])
  }

  withdraw(id: string): void {
    this.tables.run('DELETE FROM proposals WHERE id = ?', [id])
  }
}
