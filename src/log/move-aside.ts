// Moves files that cannot be used out of the way of a new epoch. Nothing is deleted.

import { basename, join } from 'node:path'
import { call, type Disk, type DiskError, syncFolder } from './disk.ts'
import { LogFault } from './log-fault.ts'
import { damagedFolder, type Listing, segmentPath, sparedFolder } from './log-folder.ts'

export interface Unusable {
  /** Number of the last good turn. */
  readonly last: number
  /** Files of which nothing can be used. */
  readonly badPaths: readonly string[]
  /** The file in which the good turns end, or that follows them; undefined: no turns are lost. */
  readonly damagedPath: string | undefined
}

/** @returns paths that are no longer in the folder; or why they cannot be moved */
export const moveAside = async (
  disk: Disk,
  folder: string,
  epoch: string,
  listing: Listing,
  { last, badPaths, damagedPath }: Unusable,
): Promise<ReadonlySet<string> | LogFault> => {
  const moved = new Set<string>()
  const aside = damagedPath === undefined ? sparedFolder(folder) : damagedFolder(folder, epoch)
  const move = async (path: string): Promise<void> => {
    if (moved.has(path)) return
    await call((done) => disk.rename(path, join(aside, basename(path)), done))
    moved.add(path)
  }
  if (damagedPath === undefined && badPaths.length === 0) return moved
  try {
    await call((done) => disk.mkdir(aside, { recursive: true, mode: 0o700 }, (error) => done(error)))
    await syncFolder(disk, folder)
    if (damagedPath !== undefined) {
      // The newest first: if this is interrupted, what remains is still recognized as damaged.
      const later = listing.segments.filter((first) => first > last)
      for (const first of later.toReversed()) await move(segmentPath(folder, first))
      // Good turns are before the damage: both folders have the file.
      if (!moved.has(damagedPath) && !badPaths.includes(damagedPath)) {
        await call((done) => disk.link(damagedPath, join(aside, basename(damagedPath)), done))
      }
    }
    for (const path of badPaths) await move(path)
    await syncFolder(disk, folder)
    return moved
  } catch (error) {
    const { path, message } = error as DiskError
    return new LogFault(path ?? folder, undefined, `a damaged file cannot be moved (${message})`, 'move it by hand')
  }
}
