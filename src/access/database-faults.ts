// Meaning of the database's errors.

import Database from 'better-sqlite3'
import { messageOf } from './fault.ts'

const codeOf = (error: unknown): string => (error instanceof Database.SqliteError ? error.code : '')

/** Whether another process holds the store. */
export const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY')

/** Whether the content of the files is invalid: they are damaged, or not those of a store. */
export const isDamage = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error))

/** Whether the store could not even be read. */
export const isUnreadable = (error: unknown): boolean =>
  /^SQLITE_IOERR_(READ|SHORT_READ|FSTAT|SHM|CORRUPTFS|DATA)/.test(codeOf(error))

/** Whether the disk is the reason: full, gone, or read only. */
export const isDiskFault = (error: unknown): boolean => /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN)/.test(codeOf(error))

/** What is wrong and what to do, for people; undefined: it is neither the disk nor another process. */
export const adviceOn = (error: unknown): string | undefined => {
  if (isBusy(error)) return 'the store is busy: another process has been writing to it for seconds; try again'
  const what = messageOf(error)
  if (isDamage(error)) {
    return `the store is damaged (${what}): stop the server and restore a backup (docs/operations.md 8)`
  }
  if (codeOf(error).startsWith('SQLITE_FULL')) return `the disk is full (${what}): free some space, and try again`
  if (!isDiskFault(error)) return undefined
  return `the disk refuses (${what}): make the data folder readable and writable for this user, and try again`
}

/** Whether a row with this unique value exists already. */
export const isDuplicate = (error: unknown): boolean => codeOf(error) === 'SQLITE_CONSTRAINT_UNIQUE'
