// The store's files, seen from outside the database: whether database and log belong together before they are opened,
// and whether what is open is still what its path names.
//
//   oddswire.db       what was checkpointed; its header carries a mark, so that a copy of it alone can be recognised
//   oddswire.db-wal   SQLite's log: what was committed since. Exists as long as anybody has the store open, or after a kill
//
//   start: mark "in use" ──▶ commits ──▶ clean end: mark "closed", SQLite checkpoints and deletes the log
//
// So a database that says "in use" and has no log has lost what was in that log.

import { chmodSync, closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, fault } from './fault.ts'

const STORE_FILE = 'oddswire.db'
const LOCK_FILE = 'lock.db'

export const storePath = (dataDir: string): string => join(dataDir, STORE_FILE)
export const lockPath = (dataDir: string): string => join(dataDir, LOCK_FILE)

const logPath = (dataDir: string): string => `${storePath(dataDir)}-wal`

/**
 * Marks in the header of the database, as its application id: SQLite keeps it at a fixed place, so that it can be read
 * without opening the database, which would already create a log. The texts are what `file` shows of it.
 */
export const MARK = {
  closed: Buffer.from('oddc').readInt32BE(),
  inUse: Buffer.from('oddu').readInt32BE(),
  /** A backup that nobody has opened yet. */
  backup: Buffer.from('oddb').readInt32BE(),
} as const

/** Where SQLite keeps the application id (https://sqlite.org/fileformat.html, 1.3). */
const APPLICATION_ID_OFFSET = 68

/** Which file it is, whatever it is called. */
export type FileId = string

const idOf = ({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): FileId => `${dev}:${ino}`

/** Undefined: there is no such file. */
const statOf = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

export const fileIdOf = (path: string): FileId | undefined => {
  const stat = statOf(path)
  return stat && idOf(stat)
}

// Never closed: closing any descriptor of a file takes away all POSIX locks that the process has on it, those of SQLite
// included (https://sqlite.org/howtocorrupt.html, 2.2). A process has one store, so there is one of these.
const descriptors = new Map<FileId, number>()

const descriptorOf = (path: string): number | undefined => {
  const id = fileIdOf(path)
  if (id === undefined) return undefined
  const known = descriptors.get(id)
  if (known !== undefined) return known
  const descriptor = openSync(path, 'r')
  const opened = idOf(fstatSync(descriptor, { bigint: true }))
  const other = descriptors.get(opened)
  if (other === undefined) {
    descriptors.set(opened, descriptor)
    return descriptor
  }
  closeSync(descriptor)
  return other
}

/** 0: no mark; undefined: there is no database, or an empty one. */
const markOf = (descriptor: number): number | undefined => {
  const mark = Buffer.alloc(4)
  return readSync(descriptor, mark, 0, mark.length, APPLICATION_ID_OFFSET) < mark.length
    ? undefined
    : mark.readInt32BE()
}

/** What was found before the store was opened. */
export interface Found {
  /** The log of a store in use is missing: what was committed last may be lost. */
  readonly isLogLost: boolean
  /** A backup that is opened for the first time. */
  readonly isBackup: boolean
}

const hasBytes = (path: string): boolean => (statOf(path)?.size ?? 0n) > 0n

/** Looks at the files of a store that is about to be opened. A fault where database and log do not belong together. */
export const inspect = (dataDir: string): Found | Fault => {
  const path = storePath(dataDir)
  // The log first: it never exists before its database.
  const hasLog = hasBytes(logPath(dataDir))
  const descriptor = descriptorOf(path)
  const mark = descriptor === undefined ? undefined : markOf(descriptor)
  if (mark === undefined && hasLog) {
    return fault(
      `${path} is missing or empty, but its log (${STORE_FILE}-wal) is there: put the database back, ` +
        `or move the log away to begin with an empty store`,
    )
  }
  if (mark === MARK.backup && hasLog) {
    return fault(
      `${path} is a backup, and the log beside it (${STORE_FILE}-wal) belongs to another database: ` +
        `remove ${STORE_FILE}-wal and ${STORE_FILE}-shm`,
    )
  }
  // The log is looked for after the mark was read, and the mark is read again: whoever ends cleanly in between has set
  // another one before its log went.
  const isLogLost = mark === MARK.inUse && statOf(logPath(dataDir)) === undefined && markOf(descriptor!) === MARK.inUse
  return { isLogLost, isBackup: mark === MARK.backup }
}

/** Nobody else may read who may do what. New files are made so by the umask; these are of earlier versions. */
export const makePrivate = (path: string): void => {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o077) === 0) return
  try {
    chmodSync(path, 0o600)
  } catch (error) {
    // It belongs to another user, who has decided so.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

/** Watches the files of a store that is open: a look takes some microseconds. */
export class FileWatch {
  readonly storeId: FileId
  private readonly dataDir: string
  private readonly lockId: FileId | undefined
  private readonly logId: FileId | undefined
  private readonly descriptor: number

  /** @param lockId the lock of the data folder, as it was taken */
  constructor(dataDir: string, lockId: FileId | undefined) {
    const storeId = fileIdOf(storePath(dataDir))
    if (storeId === undefined) throw new Error(`${storePath(dataDir)} has been deleted`)
    this.dataDir = dataDir
    this.storeId = storeId
    this.lockId = lockId
    this.logId = fileIdOf(logPath(dataDir))
    this.descriptor = descriptorOf(storePath(dataDir))!
  }

  /**
   * What is wrong with the files; undefined: nothing.
   * @param isMarked whether the header of the database must say that it is in use: a file that was written over in place
   *   keeps its identity
   * @param isOpen whether the store is open: else it may have no log
   */
  fault(isMarked: boolean, isOpen: boolean): string | undefined {
    const { dataDir } = this
    const watched = [
      [storePath(dataDir), this.storeId],
      [logPath(dataDir), isOpen ? this.logId : undefined],
      [lockPath(dataDir), this.lockId],
    ] as const
    for (const [path, id] of watched) {
      if (id === undefined) continue
      const now = fileIdOf(path)
      if (now !== id) return wrong(path, now === undefined ? 'deleted' : 'replaced')
    }
    if (isMarked && markOf(this.descriptor) !== MARK.inUse) return wrong(storePath(dataDir), 'written over')
    return undefined
  }
}

const wrong = (path: string, what: string): string =>
  `${path} was ${what} while the server runs: put the same file back, or stop the server, see to the store ` +
  '(README: Backup and restore), and start it again'
