// Loss: a fault that a running server found in the files of its store. It is written beside the store, so that commands
// and the next start know it, too: the file at the path may then be an older store, in which revoked keys are valid.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../domain/record.ts'
import { messageOf } from './fault.ts'
import { damage, type FileFault, type FileId } from './store-file.ts'

export interface Loss extends FileFault {
  /** The database that the server had open. */
  readonly store: FileId
  /** Its content: with an earlier audit row it is not the same store. */
  readonly generation: string
  readonly auditId: number
}

const pathOf = (dataDir: string): string => join(dataDir, 'store-loss.json')

const sparePathOf = (dataDir: string): string => join(dataDir, 'store-loss.spare')

const isLoss = (value: unknown): value is Loss =>
  isRecord(value) &&
  [value.path, value.what, value.remedy, value.store, value.generation].every((member) => typeof member === 'string') &&
  Number.isInteger(value.auditId)

/**
 * Prepares a file for recording a loss when the disk is full: renaming it needs no space. It says that nothing in the
 * store is certain, and exists only while a server runs, or after it was killed.
 */
export const prepareLoss = (dataDir: string, loss: Loss): void =>
  writeFileSync(sparePathOf(dataDir), `${JSON.stringify(loss)}\n`, { mode: 0o600 })

/** Throws if it cannot be written. */
export const recordLoss = (dataDir: string, loss: Loss): void => {
  const path = pathOf(dataDir)
  try {
    // Written completely or not at all.
    writeFileSync(`${path}.new`, `${JSON.stringify(loss)}\n`, { mode: 0o600 })
    renameSync(`${path}.new`, path)
  } catch {
    if (existsSync(path)) return
    renameSync(sparePathOf(dataDir), path)
  }
}

/** Whether a loss is recorded: the file may have been deleted meanwhile. */
export const isLossRecorded = (dataDir: string): boolean => existsSync(pathOf(dataDir))

/** The recorded loss of a data folder; undefined: none. One that cannot be read counts as a loss without details. */
export const lossOf = (dataDir: string): Loss | undefined => {
  const path = pathOf(dataDir)
  try {
    const loss: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isLoss(loss)) return loss
    throw new Error('it does not describe a loss')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return unknownLoss(path, `damaged (${messageOf(error)})`)
  }
}

/** A loss after which nothing in a store is certain. */
export const unknownLoss = (path: string, what: string): Loss => ({
  ...damage(path, what),
  store: '',
  generation: '',
  auditId: 0,
})

/** The store is complete, or its content was accepted. */
export const forgetLoss = (dataDir: string): void => rmSync(pathOf(dataDir), { force: true, recursive: true })

/** The server has ended, and knows of no loss. */
export const discardPreparedLoss = (dataDir: string): void => rmSync(sparePathOf(dataDir), { force: true })
