// File locks that the system releases when a process ends, and whether a server holds a data folder.

import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { isBusy } from './database-faults.ts'
import { holdsStore } from './holder.ts'
import { lockPath } from './store-file.ts'

/** A lock that the system releases when the process ends, however it ends. */
export interface FileLock {
  release(): void
}

/** Acquires the lock of a file that has no other use; undefined: another process holds it for longer than this. */
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
