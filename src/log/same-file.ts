// Whether nothing can have been lost at the end of a log: what was written is still there, and it is still the same file.
// It does not see a snapshot of the whole machine, or of its disk, that is put back: the files in it are the same.

import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { LIMITS } from '../limits.ts'
import { closeFile, type Disk, openFile, removeFile, statOf, writeAll } from './disk.ts'
import type { SegmentHeader } from './segment.ts'
import { bootOf } from './segment-file.ts'
import type { SegmentEnd } from './segment-reader.ts'

const msOf = (ns: bigint): number => Number(ns / 1_000n) / 1_000

/**
 * @param end of the last segment
 * @returns why turns may be lost, in words for the operator; undefined: none is
 */
export const whyNotSame = (
  header: SegmentHeader,
  end: SegmentEnd,
  stat: BigIntStats,
  fileMsMax: number = LIMITS.logFileMsMax,
  here: string = bootOf({}),
): string | undefined => {
  const { boot, fsync, inode, device, birth } = header
  const isSameBoot = boot === here
  // The system has written everything to the file that the process has; a power failure may lose what was not synced.
  if (!isSameBoot && !end.isClosed && fsync !== 'always')
    return 'the machine has started again, and the log was not closed'
  // A copy, and what an archive contained, are other files. (Numbers of devices may change with a boot.)
  if (inode !== String(stat.ino) || (isSameBoot && device !== String(stat.dev))) return 'the log is a copy'
  // The number of a deleted file is given to the next one.
  if (birth !== '0' && birth !== String(stat.birthtimeNs)) return 'the log is a copy'
  // Writing sets both times; whoever copies over a file and restores its time cannot set the time of the change.
  if (msOf(stat.ctimeNs - stat.mtimeNs) > fileMsMax) return 'the log was changed, or restored, by another program'
  // Written over, without restoring the time of the file.
  const noted = end.wallMs === 0 ? header.created : end.wallMs
  const modified = msOf(stat.mtimeNs)
  if (modified < noted - fileMsMax || modified > noted + LIMITS.logMarkMs + fileMsMax) {
    return 'the log was written by another program'
  }
  return undefined
}

/** The resolution of the times of files is 10 ms at most. */
const PROBES_MAX = 20

/** Whether the file system keeps the time at which a file was created: not all do, and some show another time. */
export const keepsBirthTimes = async (disk: Disk, folder: string): Promise<boolean> => {
  const path = join(folder, 'probe.tmp')
  try {
    const fd = await openFile(disk, path, 'w')
    try {
      const before = await statOf(disk, fd)
      for (let probe = 0; probe < PROBES_MAX; probe++) {
        await new Promise((resolve) => setTimeout(resolve, 1))
        await writeAll(disk, fd, [Buffer.from('?')], 0)
        const { birthtimeNs, ctimeNs } = await statOf(disk, fd)
        if (ctimeNs !== before.ctimeNs) return birthtimeNs > 0n && birthtimeNs === before.birthtimeNs
      }
      return false
    } finally {
      await closeFile(disk, fd)
      await removeFile(disk, path)
    }
  } catch {
    // A full disk, for example: then nothing is claimed about it.
    return false
  }
}
