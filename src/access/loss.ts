// Loss: what a running server found to be wrong with the files of its store. It is written beside the store, so that commands
// and the next start know it too: what lies at the path then may be an older store, in which revoked keys are valid.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from './fault.ts'
import { damage, type FileFault, type FileId } from './store-file.ts'

export interface Loss extends FileFault {
  /** The database that the server had open. */
  readonly store: FileId
  /** What it held: content with an earlier audit row is not the same store. */
  readonly generation: string
  readonly auditId: number
}

const pathOf = (dataDir: string): string => join(dataDir, 'store-loss.json')

/** Throws where it cannot be written. */
export const recordLoss = (dataDir: string, loss: Loss): void => {
  const path = pathOf(dataDir)
  // Whole or not at all.
  writeFileSync(`${path}.new`, `${JSON.stringify(loss)}\n`, { mode: 0o600, flush: true } as object)
  renameSync(`${path}.new`, path)
}

/** The loss that is recorded of a data folder; undefined: none. One that cannot be read is a loss of which nothing is known. */
export const lossOf = (dataDir: string): Loss | undefined => {
  const path = pathOf(dataDir)
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Loss
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return { ...damage(path, `damaged (${messageOf(error)})`), store: '', generation: '', auditId: 0 }
  }
}

/** The store is whole, or what it holds has been accepted. */
export const forgetLoss = (dataDir: string): void => rmSync(pathOf(dataDir), { force: true })
