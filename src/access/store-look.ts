// A look at a store that changes none of its files: SQLite writes beside a database that it opens, so a store that no
// server has open is read from memory.

import { readFileSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { type Fault, fault, isFault, messageOf } from './fault.ts'
import { isHeld } from './file-lock.ts'
import { lossOf } from './loss.ts'
import { MIGRATIONS } from './migrations.ts'
import { isPutBack, logLostFault, lossFault, unacceptedFault, type StoreFault } from './store-faults.ts'
import { hasStore, inspect, storePath } from './store-file.ts'

export interface StoreLook {
  readonly version: number
  readonly organizations: number
  /** Bookmakers with verified coverage: only these are shown to customers. */
  readonly bookmakers: number
}

/** Longer stores would take memory that a busy machine may not have. */
const READ_BYTES_MAX = 256 * 1024 * 1024

/** Where the header says that there is a log (https://sqlite.org/fileformat.html, 1.3.3): in memory there is none. */
const FORMAT_AT = [18, 19] as const
const FORMAT_WITHOUT_LOG = 1

const TRIES_MS = 1_000

const count = (database: Database.Database, table: string): number =>
  (database.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { readonly rows: number }).rows

const read = (database: Database.Database): StoreLook => ({
  version: database.pragma('user_version', { simple: true }) as number,
  organizations: count(database, 'organizations'),
  bookmakers: (
    database.prepare("SELECT count(DISTINCT bookmaker) AS rows FROM coverage WHERE status LIKE 'verified%'").get() as {
      readonly rows: number
    }
  ).rows,
})

const ofOpenStore = (path: string): StoreLook => {
  const database = new Database(path, { readonly: true, fileMustExist: true, timeout: TRIES_MS })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

const inMemory = (path: string): Database.Database => {
  const octets = readFileSync(path)
  for (const at of FORMAT_AT) octets[at] = FORMAT_WITHOUT_LOG
  return new Database(octets, { readonly: true })
}

const ofClosedStore = (path: string): StoreLook | Fault => {
  const database = inMemory(path)
  try {
    const checked = database.pragma('quick_check(1)', { simple: true }) as string
    if (checked !== 'ok') return fault(`${path} is damaged (${checked}); restore a backup (docs/operations.md 8)`)
    const found = read(database)
    if (found.version > MIGRATIONS.length) {
      return fault(
        `${path} is of version ${found.version}, and this program knows up to ${MIGRATIONS.length}; start the newer oddswire that has written it`,
      )
    }
    const { doubt, backupAt } = database.prepare('SELECT doubt, backupAt FROM state').get() as {
      readonly doubt: StoreFault | null
      readonly backupAt: number | null
    }
    return doubt === null ? found : unacceptedFault(path, doubt, backupAt)
  } finally {
    database.close()
  }
}

/** What a data folder has of a store. A text: it was not read, and why; undefined: there is none. */
export const lookAtStore = (dataDir: string): StoreLook | Fault | string | undefined => {
  if (!hasStore(dataDir)) return undefined
  const path = storePath(dataDir)
  try {
    if (isHeld(dataDir)) return ofOpenStore(path)
    const found = inspect(dataDir)
    if (isFault(found)) return found
    const loss = lossOf(dataDir)
    if (loss !== undefined && !found.isBackup && !isPutBack(loss, path)) return lossFault(loss)
    if (found.isLogLost) return logLostFault(path)
    if (found.isBackup) {
      return fault(
        `${path} is a backup that was not accepted yet; revoke again what was revoked since, then start once with --accept-store (docs/operations.md 8)`,
      )
    }
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
      return 'the last process was not ended in order: the next start reads its log'
    }
    const { size } = statSync(path)
    if (size > READ_BYTES_MAX) return `it has ${size} octets: a start reads all of it`
    return ofClosedStore(path)
  } catch (error) {
    return fault(
      `${path} cannot be read (${messageOf(error)}); make it readable for this user, or restore a backup (docs/operations.md 8)`,
    )
  }
}

/**
 * Whether a store has been changed by operators and was never shared with other processes, so that no other process can have what is in
 * it. No server may have it open. False also where it cannot be read so: it is damaged, or too long.
 */
export const isPrepared = (dataDir: string): boolean => {
  const path = storePath(dataDir)
  try {
    if (!hasStore(dataDir) || statSync(path).size > READ_BYTES_MAX) return false
    const database = inMemory(path)
    try {
      const { isChanged } = database.prepare('SELECT EXISTS (SELECT 1 FROM audit) AS isChanged').get() as {
        readonly isChanged: number
      }
      if (isChanged === 0) return false
      // Written by a version that knew no other processes.
      if (database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'shared'`).get() === undefined) return true
      const { isShared, head } = database.prepare('SELECT isShared, head FROM shared').get() as {
        readonly isShared: number
        readonly head: string
      }
      return isShared === 0 && head === ''
    } finally {
      database.close()
    }
  } catch {
    // What is wrong with it is found, and told, when it is opened.
    return false
  }
}
