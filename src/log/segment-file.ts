// Creates segments: completely under another name first, so that a file with a segment's name has a whole header.

import { readFileSync } from 'node:fs'
import { driftMs, now } from '../clock.ts'
import { call, closeFile, type Disk, openFile, removeFile, statOf, syncFolder, writeAll } from './disk.ts'
import { segmentPath } from './log-folder.ts'
import { headerBytes, type SegmentHeader } from './segment.ts'

/** The time by the clock of the system, which also dates files. */
export const wallMs = (): number => now() + driftMs()

const BOOT: string = ((): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    // Not known: no two processes have the same.
    return `unknown-${process.pid}-${wallMs()}`
  }
})()

/** This boot of the machine; another one may have lost what was not synced. */
export const bootOf = ({ boot = BOOT }: Pick<Disk, 'boot'>): string => boot

export interface OpenSegment {
  readonly fd: number
  readonly path: string
  readonly first: number
  /** Octets written. */
  size: number
  /** When the last mark was written. */
  markMs: number
  /** When what is written next was tried first. */
  triedMs: number | undefined
}

export type SegmentFacts = Pick<SegmentHeader, 'epoch' | 'rules' | 'first' | 'at' | 'fsync'>

/**
 * @param content first octets after the header
 * @param isDurable whether file and name are synced
 * @param keepsBirth whether the file system keeps the time at which a file was created
 */
export const createSegment = async (
  disk: Disk,
  folder: string,
  facts: SegmentFacts,
  content: readonly Uint8Array[],
  isDurable: boolean,
  keepsBirth: boolean,
): Promise<OpenSegment> => {
  const path = segmentPath(folder, facts.first)
  const unfinished = `${path}.tmp`
  await removeFile(disk, unfinished)
  const fd = await openFile(disk, unfinished, 'wx')
  try {
    const { ino, dev, birthtimeNs } = await statOf(disk, fd)
    const markMs = wallMs()
    const header = headerBytes({
      ...facts,
      boot: bootOf(disk),
      inode: String(ino),
      device: String(dev),
      birth: keepsBirth ? String(birthtimeNs) : '0',
      created: markMs,
    })
    await writeAll(disk, fd, [header, ...content], 0)
    if (isDurable) await call((done) => disk.fdatasync(fd, done))
    await call((done) => disk.rename(unfinished, path, done))
    if (isDurable) await syncFolder(disk, folder)
    const size = content.reduce((sum, { length }) => sum + length, header.length)
    return { fd, path, first: facts.first, size, markMs, triedMs: undefined }
  } catch (error) {
    await closeFile(disk, fd).catch(() => undefined)
    throw error
  }
}
