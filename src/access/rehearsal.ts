// Rehearsal: a change of a store that several processes share is first made in a transaction that is rolled back. What it
// would write is what goes into the log, so that every process writes the same.

import { randomBytes } from 'node:crypto'
import type { StoredValue, StoreInput, StoreStatement } from '../domain/input.ts'

/** The tables that are equal in all processes. The others are about this process, or about its files. */
export const SHARED_TABLES = [
  'plans',
  'organizations',
  'keys',
  'rotations',
  'bookmakers',
  'coverage',
  'imported',
  'coverageHistory',
  'coverageRemovals',
  'verifications',
  'verificationRequests',
  'eventDecisions',
  'users',
  'links',
  'sessions',
  'traffic',
  'audit',
] as const

/** A name for a change, or for a store before its first one. */
export const newName = (): string => randomBytes(12).toString('base64url')

/** A change as it was rehearsed: a {@link StoreInput} without its name and place in the log. */
export interface Draft
  extends Pick<StoreInput, 'after' | 'version' | 'statements' | 'decisions' | 'bookmakers' | 'organizations'> {
  /** Whether nobody has to wait for it: that a session was used, say. */
  readonly isSoft: boolean
}

const WRITES = new RegExp(`^(INSERT( OR REPLACE)? INTO|UPDATE|DELETE FROM) (${SHARED_TABLES.join('|')})\\b`)

/** What would give another value in another process, or at another time. */
const VARIES = /\b(random\w*|changes|last_insert_rowid|date|time|datetime|julianday|unixepoch|strftime|current_\w+)\b/i

const known = new Set<string>()

/** Throws where a statement may not be in the log: it writes something else, or not everywhere the same. */
export const checkShared = (sql: string): void => {
  if (known.has(sql)) return
  if (!WRITES.test(sql) || VARIES.test(sql)) throw new Error(`not a statement of a shared store: ${sql.slice(0, 80)}`)
  known.add(sql)
}

const NEW_BOOKMAKER = 'INSERT INTO bookmakers '

/** What was written so far. */
export class Rehearsal {
  readonly statements: StoreStatement[] = []
  isSoft = true

  add(sql: string, values: readonly StoredValue[], isSoft: boolean): void {
    checkShared(sql)
    this.statements.push([sql, values])
    this.isSoft &&= isSoft
  }

  touches(table: (typeof SHARED_TABLES)[number]): boolean {
    return this.statements.some(([sql]) => WRITES.exec(sql)?.[3] === table)
  }

  /** Slugs of bookmakers that were added or replaced. */
  bookmakers(): string[] {
    const added = this.statements.filter(([sql]) => sql.startsWith(NEW_BOOKMAKER))
    return [...new Set(added.map(([, values]) => String(values[0])))]
  }
}
