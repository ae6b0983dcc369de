// Which files of the log are kept. The newest checkpoint, and all turns after it, always.

import { call, type Disk, removeFile } from './disk.ts'
import { checkpointPath, listFolder } from './log-folder.ts'
import type { KeptSegment } from './read-turns.ts'

export interface Retention {
  /** Octets that segments and checkpoints may have together. */
  readonly bytesMax: number
  /** Turns from this time on are kept for readers; epoch ms. */
  readonly keepFromAt: number
}

export interface Kept {
  readonly bytes: number
  readonly checkpointBytes: number
  /** What must be kept is larger than allowed. */
  readonly isOver: boolean
}

/** Deletes the oldest segment. It leaves the list first: no reader begins with it. */
const dropOldest = async (disk: Disk, segments: KeptSegment[]): Promise<void> => {
  const segment = segments.shift()!
  try {
    await removeFile(disk, segment.path)
  } catch (error) {
    segments.unshift(segment)
    throw error
  }
}

const isBefore = (segments: readonly KeptSegment[], turn: number): boolean =>
  segments.length > 1 && segments[1]!.first <= turn + 1

/** @param segments all of them, ascending; those that are dropped are removed from it */
export const trimTo = async (disk: Disk, folder: string, segments: KeptSegment[], before: number): Promise<void> => {
  const newest = (await listFolder(disk, folder)).checkpoints.at(-1)
  if (newest === undefined) return
  while (isBefore(segments, Math.min(before - 1, newest))) await dropOldest(disk, segments)
}

/** See {@link trimTo}. */
export const retain = async (
  disk: Disk,
  folder: string,
  segments: KeptSegment[],
  { bytesMax, keepFromAt }: Retention,
): Promise<Kept> => {
  const turns = [...(await listFolder(disk, folder)).checkpoints]
  const sizes = new Map<number, number>()
  for (const turn of turns) {
    const path = checkpointPath(folder, turn)
    const { size } = await call<{ size: number }>((done) => disk.stat(path, done))
    sizes.set(turn, size)
  }
  const dropCheckpoint = async (): Promise<void> => {
    await removeFile(disk, checkpointPath(folder, turns[0]!))
    sizes.delete(turns.shift()!)
  }
  const checkpointBytes = (): number => [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const bytes = (): number => segments.reduce((sum, segment) => sum + segment.bytes, checkpointBytes())
  const kept = (): Kept => ({ bytes: bytes(), checkpointBytes: checkpointBytes(), isOver: bytes() > bytesMax })
  const newest = turns.at(-1)
  if (newest === undefined) return kept()
  // The one before the newest serves where the newest is damaged.
  while (turns.length > 2) await dropCheckpoint()
  while (isBefore(segments, turns[0]!) && segments[1]!.at <= keepFromAt) await dropOldest(disk, segments)
  while (bytes() > bytesMax) {
    // A checkpoint without the turns that follow it is of no use.
    if (turns.length > 1 && !isBefore(segments, turns[0]!)) await dropCheckpoint()
    else if (isBefore(segments, newest)) await dropOldest(disk, segments)
    else break
  }
  return kept()
}
