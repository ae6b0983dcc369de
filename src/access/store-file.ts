// The files of the store, checked without opening the database: whether database and log belong together before they
// are opened, and whether the open files are still the ones at their paths.
//
//   oddswire.db       the checkpointed pages; a mark in its header shows a copy without the log
//   oddswire.db-wal   SQLite's log: what was committed since. Exists while the store is open, and after a kill
//
//   start: mark "in use" ──▶ commits ──▶ clean end: mark "closed", SQLite checkpoints and deletes the log
//
//   oddswire.db-shm   SQLite's index of the log: all processes that have the store open must share it
//
// So a database that is marked "in use" and has no log, or a log that SQLite would consider empty, has lost what was in
// it.
// Over 400 lines, because the checks of database, log and index share descriptors that must never be closed.

import { chmodSync, closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { endianness } from 'node:os'
import { join } from 'node:path'
import { type Fault, fault } from './fault.ts'
import { type Glance, StoreGlance } from './store-glance.ts'

const STORE_FILE = 'oddswire.db'
const LOCK_FILE = 'lock.db'

export const storePath = (dataDir: string): string => join(dataDir, STORE_FILE)
export const lockPath = (dataDir: string): string => join(dataDir, LOCK_FILE)

const logPath = (dataDir: string): string => `${storePath(dataDir)}-wal`
const indexPath = (dataDir: string): string => `${storePath(dataDir)}-shm`

/**
 * Marks in the header of the database, as its application id: SQLite keeps it at a fixed place, so that it can be read
 * without opening the database, which would already create a log. `file` shows these texts.
 */
export const MARK = {
  closed: Buffer.from('oddc').readInt32BE(),
  inUse: Buffer.from('oddu').readInt32BE(),
  /** A backup that was not opened yet. */
  backup: Buffer.from('oddb').readInt32BE(),
} as const

/** Where SQLite keeps the application id (https://sqlite.org/fileformat.html, 1.3). */
const APPLICATION_ID_OFFSET = 68

/** Identity of a file, whatever its name. */
export type FileId = string

const idOf = ({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): FileId => `${dev}:${ino}`

/** Undefined: no such file. */
const statOf = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

export const fileIdOf = (path: string): FileId | undefined => {
  const stat = statOf(path)
  return stat && idOf(stat)
}

const LOG_HEADER_BYTES = 32

/** The last bit is the byte order of the words in the checksum. */
const LOG_MAGIC = 0x377f0682
const LOG_VERSION = 3_007_000

/** Whether a log has a valid header (https://sqlite.org/fileformat.html, 4.1): else SQLite considers it empty. */
const hasLogHeader = (path: string): boolean => {
  const header = Buffer.alloc(LOG_HEADER_BYTES)
  // SQLite has no POSIX lock on its log, so closing a descriptor of it releases nothing.
  const descriptor = openSync(path, 'r')
  try {
    if (readSync(descriptor, header, 0, header.length, 0) < header.length) return false
  } finally {
    closeSync(descriptor)
  }
  const magic = header.readUInt32BE(0)
  if ((magic & ~1) !== LOG_MAGIC || header.readUInt32BE(4) !== LOG_VERSION) return false
  const word = (at: number): number => ((magic & 1) === 1 ? header.readUInt32BE(at) : header.readUInt32LE(at))
  let first = 0
  let second = 0
  for (let at = 0; at < 24; at += 8) {
    first = (first + word(at) + second) >>> 0
    second = (second + word(at + 4) + first) >>> 0
  }
  return header.readUInt32BE(24) === first && header.readUInt32BE(28) === second
}

/**
 * The index of the log (https://sqlite.org/walformat.html, 2.1), in the byte order of the machine: its first 48 octets
 * are stored twice, with the number of committed frames of the log and the checksum of the last one.
 */
const INDEX_HEADER_BYTES = 48
const INDEX_WORD = { version: 0, frames: 4, checksum: 6, salts: 8 } as const
const PAGE_SIZE_AT = 14
const FRAME_HEADER_BYTES = 24

/** Frames read at a time: 1 MB. */
const FRAMES_AT_A_TIME = 256

const wordsOf = (bytes: Uint8Array): Uint32Array => new Uint32Array(bytes.buffer, 0, bytes.byteLength / 4)

/** What an index states about its log; undefined while it is being written or created. */
const saidBy = (index: number): Uint32Array | undefined => {
  const bytes = new Uint8Array(2 * INDEX_HEADER_BYTES)
  if (readSync(index, bytes, 0, bytes.length, 0) < bytes.length) return undefined
  const words = wordsOf(bytes)
  const half = INDEX_HEADER_BYTES / 4
  if (words[INDEX_WORD.version] !== LOG_VERSION) return undefined
  for (let at = 0; at < half; at++) if (words[at] !== words[half + at]) return undefined
  return words
}

const framesOf = (said: Uint32Array): number => said[INDEX_WORD.frames]!

/** Minimum length of a log that holds all frames that its index counts, in octets. */
const loggedBytes = (said: Uint32Array): number => {
  const frames = framesOf(said)
  if (frames === 0) return 0
  const bytes = new DataView(said.buffer).getUint16(PAGE_SIZE_AT, endianness() === 'LE')
  // 64 KiB does not fit: it is written as 1 (https://sqlite.org/fileformat.html, 1.3.2).
  return LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + (bytes === 1 ? 65_536 : bytes))
}

/** The salts of a log: they change whenever the log is restarted. */
const saltsOf = (words: Uint32Array, at: number): string => `${words[at]} ${words[at + 1]}`

/** Whether one state of an index may follow another: within one log the number of frames only grows. */
const isLater = (said: Uint32Array, before: Uint32Array): boolean =>
  saltsOf(said, INDEX_WORD.salts) !== saltsOf(before, INDEX_WORD.salts) || framesOf(said) >= framesOf(before)

/** Whether all committed frames of a log are as they were written: SQLite checks that only when it opens the log. */
const areFramesWhole = (log: number, index: number): boolean => {
  const header = new Uint8Array(LOG_HEADER_BYTES)
  if (readSync(log, header, 0, header.length, 0) < header.length) return true
  const said = saidBy(index)
  const view = new DataView(header.buffer)
  // Checksums use the byte order of the machine that began the log: usually of this one.
  const isNative = (view.getUint32(0) & 1) === (endianness() === 'BE' ? 1 : 0)
  if (said === undefined || !isNative || saltsOf(said, INDEX_WORD.salts) !== saltsOf(wordsOf(header), 4)) return true
  const frames = framesOf(said)
  if (frames === 0) return true
  const frameWords = (FRAME_HEADER_BYTES + view.getUint32(8)) / 4
  const salts = [view.getUint32(16), view.getUint32(20)]
  let first = view.getUint32(24) | 0
  let second = view.getUint32(28) | 0
  const chunk = new Uint8Array(FRAMES_AT_A_TIME * frameWords * 4)
  const words = wordsOf(chunk)
  const octets = new DataView(chunk.buffer)
  for (let frame = 0; frame < frames; frame += FRAMES_AT_A_TIME) {
    const count = Math.min(FRAMES_AT_A_TIME, frames - frame)
    const bytes = count * frameWords * 4
    if (readSync(log, chunk, 0, bytes, LOG_HEADER_BYTES + frame * frameWords * 4) < bytes) return false
    for (let from = 0; from < count * frameWords; from += frameWords) {
      const at = from * 4
      if (octets.getUint32(at + 8) !== salts[0] || octets.getUint32(at + 12) !== salts[1]) return false
      // Its page number and size, then the page; the salts and the sum itself are not part of the sum.
      first = (first + words[from]! + second) | 0
      second = (second + words[from + 1]! + first) | 0
      for (let word = from + FRAME_HEADER_BYTES / 4; word < from + frameWords; word += 2) {
        first = (first + words[word]! + second) | 0
        second = (second + words[word + 1]! + first) | 0
      }
      if (octets.getUint32(at + 16) !== first >>> 0 || octets.getUint32(at + 20) !== second >>> 0) return false
    }
  }
  return said[INDEX_WORD.checksum] === first >>> 0 && said[INDEX_WORD.checksum + 1] === second >>> 0
}

/**
 * Whether the committed part of a store's log is intact, as far as the log's index shows. Needs some ms: a log usually
 * has 4 MB.
 */
export const isLogIntact = (dataDir: string): boolean => {
  // SQLite has POSIX locks on the index, so its descriptor stays open.
  const index = descriptorOf(indexPath(dataDir))
  if (index === undefined) return true
  const log = openSync(logPath(dataDir), 'r')
  try {
    // Another process may restart the log meanwhile; then it agrees with its index at the next look.
    for (let look = 0; look < LOG_LOOKS; look++) if (areFramesWhole(log, index)) return true
    return false
  } finally {
    closeSync(log)
  }
}

/** A header may be read while another process writes it: it is complete at the next look. */
const LOG_LOOKS = 3

/** Whether an index states that its log was checkpointed completely: then the log may be empty. */
const isLogDone = (dataDir: string): boolean => {
  const index = descriptorOf(indexPath(dataDir))
  const said = index === undefined ? undefined : saidBy(index)
  return said !== undefined && framesOf(said) === 0
}

/** Whether an index belongs to this log, if it counts any frames: a log gets its salts before its first frame. */
const isIndexOf = (said: Uint32Array, log: string): boolean => {
  if (framesOf(said) === 0) return true
  const header = new Uint8Array(LOG_HEADER_BYTES)
  const descriptor = openSync(log, 'r')
  try {
    if (readSync(descriptor, header, 0, header.length, 0) < header.length) return false
  } finally {
    closeSync(descriptor)
  }
  return saltsOf(wordsOf(header), 4) === saltsOf(said, INDEX_WORD.salts)
}

const isLogWhole = (path: string): boolean => {
  for (let look = 0; look < LOG_LOOKS; look++) if (hasLogHeader(path)) return true
  return false
}

// Not closed while the process has the store open: closing any descriptor of a file releases all POSIX locks that the
// process has on it, those of SQLite included (https://sqlite.org/howtocorrupt.html, 2.2). A process has one store, so one
// map is enough; each thread has its own.
const descriptors = new Map<FileId, number>()

/** To be called when nothing in the process has the store open, or will use this thread's watches of it. */
export const closeDescriptors = (): void => {
  for (const descriptor of descriptors.values()) closeSync(descriptor)
  descriptors.clear()
}

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

/** 0: no mark; undefined: no database, or an empty one. */
const markOf = (descriptor: number): number | undefined => {
  const mark = Buffer.alloc(4)
  return readSync(descriptor, mark, 0, mark.length, APPLICATION_ID_OFFSET) < mark.length
    ? undefined
    : mark.readInt32BE()
}

/** State of the files before the store is opened. */
export interface Found {
  /** The log of a store in use is missing or damaged: the last commits may be lost. */
  readonly isLogLost: boolean
  /** A backup that is opened for the first time. */
  readonly isBackup: boolean
}

/** Whether there is a log that SQLite does not consider empty: a store in use has one. */
const hasLog = (path: string): boolean => {
  try {
    return hasBytes(path) && isLogWhole(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

const sizeOf = (path: string): bigint => statOf(path)?.size ?? 0n

const hasBytes = (path: string): boolean => sizeOf(path) > 0n

/** Whether a data folder holds a store, or parts of one. */
export const hasStore = (dataDir: string): boolean =>
  [storePath(dataDir), logPath(dataDir)].some((path) => existsSync(path))

/** Checks the files of a store that is about to be opened. A fault where database and log do not belong together. */
export const inspect = (dataDir: string): Found | Fault => {
  const path = storePath(dataDir)
  // The log first: it never exists before its database.
  const isLogLeft = hasBytes(logPath(dataDir))
  const descriptor = descriptorOf(path)
  const mark = descriptor === undefined ? undefined : markOf(descriptor)
  if (mark === undefined && isLogLeft) {
    return fault(
      `${path} is missing or empty, but its log (${STORE_FILE}-wal) exists: put the database back, ` +
        `or move the log away to start with an empty store`,
    )
  }
  if (mark === MARK.backup && isLogLeft) {
    return fault(
      `${path} is a backup, and the log beside it (${STORE_FILE}-wal) belongs to another database: ` +
        `remove ${STORE_FILE}-wal and ${STORE_FILE}-shm`,
    )
  }
  // The log is checked after the mark was read, and then the mark is read again: a process that ends cleanly in between
  // changes the mark before its log is deleted.
  const isWhole = (): boolean =>
    hasLog(logPath(dataDir)) ? isLogIntact(dataDir) : !hasBytes(logPath(dataDir)) && isLogDone(dataDir)
  const isLogLost = mark === MARK.inUse && !isWhole() && markOf(descriptor!) === MARK.inUse
  return { isLogLost, isBackup: mark === MARK.backup }
}

/** Restricts a file of an earlier version to its owner, because it holds access rights. The umask covers new files. */
export const makePrivate = (path: string): void => {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0
  if ((mode & 0o077) === 0) return
  try {
    chmodSync(path, 0o600)
  } catch (error) {
    // It belongs to another user: its mode is that user's decision.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
  }
}

/** Watches the files of an open store: a check costs some microseconds. */
export class FileWatch {
  readonly storeId: FileId
  private readonly dataDir: string
  private readonly lockId: FileId | undefined
  private readonly logId: FileId | undefined
  private readonly indexId: FileId | undefined
  private readonly descriptor: number
  private readonly index: number | undefined
  private readonly glances: StoreGlance | undefined
  /** The largest size seen: we never shrink the database. */
  private storeSize: bigint
  /** What the index last stated about the log. */
  private said: Uint32Array | undefined
  /** Damage in place. It stays a fault when the files look right again: another process may have written in between. */
  private damage: FileFault | undefined

  /**
   * @param lockId the lock of the data folder, as it was acquired
   * @param before the watch of the same store, before it was reopened
   */
  constructor(dataDir: string, lockId: FileId | undefined, before?: FileWatch) {
    const storeId = fileIdOf(storePath(dataDir))
    if (storeId === undefined) throw new Error(`${storePath(dataDir)} has been deleted`)
    this.dataDir = dataDir
    this.storeId = storeId
    this.lockId = lockId
    this.logId = fileIdOf(logPath(dataDir))
    this.indexId = fileIdOf(indexPath(dataDir))
    this.descriptor = descriptorOf(storePath(dataDir))!
    this.index = descriptorOf(indexPath(dataDir))
    const paths = {
      store: storePath(dataDir),
      log: logPath(dataDir),
      index: indexPath(dataDir),
      lock: lockPath(dataDir),
    }
    this.glances = this.index === undefined ? undefined : new StoreGlance(paths, this.index)
    this.storeSize = before?.storeSize ?? 0n
    this.damage = before?.damage
  }

  /**
   * What is wrong with the files; undefined: nothing.
   * @param isMarked whether the header of the database must say that it is in use: a file that was overwritten in place
   *   keeps its identity
   * @param isOpen whether the store is open: else it may have no log
   */
  fault(isMarked: boolean, isOpen: boolean): FileFault | undefined {
    const { dataDir } = this
    const watched = [
      [storePath(dataDir), this.storeId],
      [logPath(dataDir), isOpen ? this.logId : undefined],
      [indexPath(dataDir), isOpen ? this.indexId : undefined],
      [lockPath(dataDir), this.lockId],
    ] as const
    for (const [path, id] of watched) {
      if (id === undefined) continue
      const now = fileIdOf(path)
      const what = now === undefined ? 'deleted' : 'replaced'
      if (now !== id) return { path, what, remedy: path === indexPath(dataDir) ? 'restart' : 'put back' }
    }
    if (!isMarked) return undefined
    // First, because a file that is being overwritten is empty for a moment.
    this.damage ??= this.damageNow(isOpen)
    if (this.damage !== undefined) return this.damage
    if (markOf(this.descriptor) === MARK.inUse) return undefined
    return { path: storePath(dataDir), what: 'written over', remedy: 'put content back' }
  }

  /** What shows each change of the files, see {@link StoreGlance.look}. */
  glance(): Glance | undefined {
    return this.glances?.look()
  }

  private damageNow(isOpen: boolean): FileFault | undefined {
    const path = storePath(this.dataDir)
    const log = logPath(this.dataDir)
    const size = sizeOf(path)
    if (size < this.storeSize) return damage(path, 'truncated')
    this.storeSize = size
    if (hasBytes(log) && !isLogWhole(log)) return damage(log, 'written over')
    // While it is closed, a command may have deleted the log and begun another one.
    return isOpen ? this.logFault(log) : undefined
  }

  /** What is wrong with the log and its index, as far as the index shows. */
  private logFault(log: string): FileFault | undefined {
    const { index } = this
    if (index === undefined) return undefined
    for (let look = 1; ; look++) {
      const said = saidBy(index)
      if (said === undefined) return undefined
      if (this.said !== undefined && !isLater(said, this.said)) {
        return damage(indexPath(this.dataDir), 'written over')
      }
      this.said = said
      const isShort = sizeOf(log) < loggedBytes(said)
      if (!isShort && isIndexOf(said, log)) return undefined
      // The log may have been restarted in between.
      if (look === LOG_LOOKS)
        return isShort ? damage(log, 'truncated') : damage(indexPath(this.dataDir), 'written over')
    }
  }
}

/** What is wrong with a file of an open store. */
export interface FileFault {
  readonly path: string
  /** In the past tense: deleted, replaced. */
  readonly what: string
  /**
   * What repairs it: the same file at its place, the same content in it, a restart, or nothing. A process that opens
   * the store without its index gets another index, and sees nothing of what others write; the log has all of it.
   */
  readonly remedy: 'put back' | 'put content back' | 'restart' | 'none'
}

/** For a store whose content is wrong: nothing repairs that in place. */
export const damage = (path: string, what: string): FileFault => ({ path, what, remedy: 'none' })

const RESTORE = 'stop the server, restore the store (docs/operations.md 8), and start it again'

const REMEDIES: Readonly<Record<FileFault['remedy'], string>> = {
  'put back': `put the same file back, or ${RESTORE}`,
  'put content back': `put the same file back, or ${RESTORE}`,
  restart: 'stop the server and start it again; nothing that was stored is lost',
  none: RESTORE,
}

export const reasonOf = ({ path, what, remedy }: FileFault): string =>
  `${path} was ${what} while the server runs: ${REMEDIES[remedy]}`
