// What several programs of a run need alike is made by the first of them: the load programs, data folders with keys, boards
// of millions of quotes. A program that is started alone makes it for itself.

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Names the folder of a run, for its programs. */
export const SHARED_FOLDER = 'ODDSWIRE_BENCH_FOLDER'

/** Where something is made that takes the place `folder` when it is whole. */
const newPlace = (folder: string): string => {
  const making = `${folder}.making`
  // Of a program that has failed.
  rmSync(making, { recursive: true, force: true })
  mkdirSync(making)
  return making
}

const folderOf = (own: string, name: string): string => join(process.env[SHARED_FOLDER] ?? own, name)

/**
 * A folder that is made once for all programs of a run, which do not change it.
 * @param own where it is made when a program runs alone
 */
export const madeOnce = (own: string, name: string, make: (folder: string) => void): string => {
  const folder = folderOf(own, name)
  if (!existsSync(folder)) {
    const making = newPlace(folder)
    make(making)
    renameSync(making, folder)
  }
  return folder
}

/** The same, where it takes processes that are waited for. */
export const madeOnceLater = async (
  own: string,
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<string> => {
  const folder = folderOf(own, name)
  if (!existsSync(folder)) {
    const making = newPlace(folder)
    await make(making)
    renameSync(making, folder)
  }
  return folder
}
