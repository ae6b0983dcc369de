// Tables: what a part of the store uses of the database. Only the store itself knows the database.

/** Result of a mutation: its audit row, which a running server must have applied before the change holds there. */
export interface Written {
  readonly auditId: number
}

/** Content of an audit row: the entity, whose id or name is the row's subject, and what was done to it. */
export type What =
  | 'plan set'
  | 'plan remove'
  | 'organization create'
  | 'organization set'
  | 'key create'
  | 'key rotate'
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
  | 'user create'
  | 'user set'
  | 'user remove'
  | 'user link'
  | 'user login'
  | 'user logout'
  | 'user password'

/** One row of the audit trail. */
export interface AuditRow {
  readonly id: number
  readonly at: number
  readonly what: string
  readonly subject: string
  /** JSON. */
  readonly detail: string
  /** Who did it: the email of a user, `command`, or `server`. */
  readonly by: string
  /** Id of the organization that it concerns; null: the operator's only. */
  readonly organization: string | null
}

/** Rows from a time on (epoch ms), and those of somebody ({@link AuditRow.by}). */
export interface AuditFilter {
  readonly since?: number
  readonly by?: string
}

export type Value = string | number | null

/** Statements of one database. All throw when the database does; {@link Tables.write} then has written nothing. */
export interface Tables {
  /** @returns the id of the row inserted */
  run(sql: string, values: readonly Value[]): number
  /** The same for what nobody has to wait for, where several processes share the store. */
  runSoftly(sql: string, values: readonly Value[]): void
  get<Row>(sql: string, values?: readonly Value[]): Row | undefined
  all<Row>(sql: string, values?: readonly Value[]): Row[]
  /** One transaction that acquires the write lock first, so that nothing changes between its reads and its writes. */
  write<T>(change: () => T): T
  /**
   * Appends to the audit trail, as done by {@link actor}. `at` is epoch ms.
   * @param organization id of the one whose users may read the row; left out: the operator's only
   */
  note(at: number, what: What, subject: string, detail: object, organization?: string): Written
  /** Who does what is noted now: the email of a user, `command`, or `server`. */
  actor(): string
  /** Does something as a user (by email). */
  as<T>(actor: string, work: () => T): T
  /** The newest row of the audit trail. */
  lastAuditId(): number
}
