// Tables: what a part of the store works with. The store itself alone knows the database.

/** What a mutation returns: its audit row, which a running server must have applied before it holds there. */
export interface Written {
  readonly auditId: number
}

/** What an audit row tells: the entity, whose id or name is the row's subject, and what was done to it. */
export type What =
  | 'plan set'
  | 'organization create'
  | 'organization set'
  | 'key create'
  | 'key revoke'
  | 'key delete'
  | 'coverage import'
  | 'coverage set'
  | 'coverage remove'
  | 'coverage verify'
  | 'removal announce'
  | 'verification request'
  | 'event decide'
  | 'event undo'
  | 'store accept'

export type Value = string | number | null

/** Statements of one database. All of it throws when the database does; {@link Tables.write} then has written nothing. */
export interface Tables {
  /** @returns the id of the row inserted */
  run(sql: string, values: readonly Value[]): number
  get<Row>(sql: string, values?: readonly Value[]): Row | undefined
  all<Row>(sql: string, values?: readonly Value[]): Row[]
  /** One transaction that takes the write lock at once: what it reads is what it changes. */
  write<T>(change: () => T): T
  /** Appends to the audit trail. `at` is epoch ms. */
  note(at: number, what: What, subject: string, detail: object): Written
  /** The newest row of the audit trail. */
  lastAuditId(): number
}
