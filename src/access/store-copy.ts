// Copies of a store for a new process of those that share it: the copy is the store at one moment, and goes on with the
// log from there. Unlike a backup it needs nobody's word, because the log has all that was changed since.

import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import type { StoreMark } from '../domain/input.ts'
import { type Fault, fault, messageOf } from './fault.ts'
import { forgetLoss } from './loss.ts'
import { hasStore, MARK, storePath } from './store-file.ts'

/** Pages between two iterations of the event loop: 1 MB. */
const PAGES = 256

/** What is of a process, and not for another one. */
const OWN = `
  UPDATE state SET usedBy = NULL, tries = 0;
  UPDATE applied SET auditId = 0;
  DELETE FROM usage;
  DELETE FROM proposals;
`

/**
 * Copies the store of a running process into a file that does not exist yet, however much is written meanwhile.
 * @returns the last change of the log that it has made. Rejects where the store is not shared, or cannot be copied
 */
export const copyStore = async (dataDir: string, file: string): Promise<StoreMark> => {
  if (existsSync(file)) throw new Error(`${file} exists`)
  closeSync(openSync(file, 'wx', 0o600))
  const source = new Database(storePath(dataDir), { readonly: true, fileMustExist: true })
  try {
    // Held to the end, because a write meanwhile would restart the copying.
    source.exec('BEGIN')
    source.prepare('SELECT version FROM shared').get()
    await source.backup(file, { progress: () => PAGES })
  } finally {
    source.close()
  }
  const copy = new Database(file, { fileMustExist: true })
  try {
    // A single file, without a log.
    copy.pragma('journal_mode = DELETE')
    copy.transaction(() => {
      copy.exec(OWN)
      copy.pragma(`application_id = ${MARK.closed}`)
    })()
    const { version, proposal, isShared, doubt } = copy
      .prepare('SELECT version, head AS proposal, isShared, doubt FROM shared, state')
      .get() as StoreMark & { readonly isShared: number; readonly doubt: string | null }
    if (isShared !== 1 || doubt !== null) throw new Error('the store is not shared with other processes')
    const sound = copy.pragma('quick_check(1)', { simple: true }) as string
    if (sound !== 'ok') throw new Error(`the copy is damaged: ${sound}`)
    return { proposal, version }
  } finally {
    copy.close()
  }
}

/** Where a store is moved that a copy replaces. */
export const replacedPath = (dataDir: string): string => `${storePath(dataDir)}.replaced`

/**
 * Makes a copy the store of a data folder that no process has open, and removes the file of the copy. Call it with the
 * lock of the folder, before its store is opened.
 * @param replaces whether a store that is there is moved to {@link replacedPath}, in place of an earlier one; otherwise it
 *   is a fault
 * @param keeps false: it is removed instead, because it has nothing of its own
 */
export const installStore = (
  dataDir: string,
  file: string,
  { replaces = false, keeps = true } = {},
): Fault | undefined => {
  const path = storePath(dataDir)
  try {
    const found = checkCopy(file)
    if (found !== undefined) return found
    if (hasStore(dataDir)) {
      if (!replaces) return fault(`there is a store in ${dataDir} already: choose an empty folder with --data-dir`)
      if (keeps) rmSync(replacedPath(dataDir), { force: true })
      // The log first: a log beside another database would be applied to it.
      for (const end of ['-wal', '-shm', '']) {
        if (!keeps) rmSync(`${path}${end}`, { force: true })
        else if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${replacedPath(dataDir)}${end}`)
      }
    }
    // Complete, or not at all.
    const part = `${path}.part`
    copyFileSync(file, part)
    flush(part)
    renameSync(part, path)
    flush(dataDir)
    rmSync(file, { force: true })
    // What was lost is in the copy.
    forgetLoss(dataDir)
    return undefined
  } catch (error) {
    return fault(`the copy of the store cannot be put into ${dataDir} (${messageOf(error)})`)
  }
}

const checkCopy = (file: string): Fault | undefined => {
  const copy = new Database(file, { readonly: true, fileMustExist: true })
  try {
    const sound = copy.pragma('quick_check(1)', { simple: true }) as string
    const mark = copy.pragma('application_id', { simple: true }) as number
    if (sound === 'ok' && mark === MARK.closed) return undefined
    return fault(`the copy of the store is not one (${sound === 'ok' ? 'it has another mark' : sound}): fetch it again`)
  } finally {
    copy.close()
  }
}

/** Flushes a file, or the names in a folder, to the disk. */
const flush = (path: string): void => {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
