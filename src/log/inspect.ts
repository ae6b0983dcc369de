// What commands show of the folder of a log, also while a server writes to it.

import { basename } from 'node:path'
import type { Turn } from '../domain/input.ts'
import { call, type Disk, type DiskError } from './disk.ts'
import { LogFault } from './log-fault.ts'
import { checkpointPath, listFolder, segmentPath } from './log-folder.ts'
import { type Decoder, type KeptSegment, readTurns } from './read-turns.ts'
import type { SegmentHeader } from './segment.ts'
import { endOf, readHeader, readSegment } from './segment-reader.ts'

export interface SegmentStat {
  readonly file: string
  readonly header: SegmentHeader
  /** Number of its last turn; one less than the first: it has none. */
  readonly last: number
  readonly bytes: number
  readonly isClosed: boolean
}

export interface LogStat {
  readonly segments: readonly SegmentStat[]
  readonly checkpoints: readonly { readonly file: string; readonly turn: number; readonly bytes: number }[]
  /** In their order. */
  readonly epochs: readonly string[]
  readonly turns: number
  readonly bytes: number
  /** Files whose header cannot be read. */
  readonly faults: readonly LogFault[]
}

export interface LogCheck {
  readonly faults: readonly LogFault[]
  /** What is no damage, but worth a line. */
  readonly notes: readonly string[]
  readonly files: number
  readonly turns: number
  readonly bytes: number
}

interface Opened extends KeptSegment {
  readonly header: SegmentHeader
  readonly headerLength: number
}

/** A running server may delete the oldest files meanwhile. */
const unlessDeleted = async <Value>(read: () => Promise<Value>): Promise<Value | undefined> => {
  try {
    return await read()
  } catch (error) {
    if ((error as DiskError).code === 'ENOENT') return undefined
    throw error
  }
}

const sizeOf = (disk: Disk, path: string): Promise<number> =>
  call<{ size: number }>((done) => disk.stat(path, done)).then(({ size }) => size)

const openSegments = async (disk: Disk, folder: string): Promise<{ good: Opened[]; faults: LogFault[] }> => {
  const good: Opened[] = []
  const faults: LogFault[] = []
  for (const first of (await listFolder(disk, folder)).segments) {
    const path = segmentPath(folder, first)
    const parsed = await unlessDeleted(() => readHeader(disk, path))
    const bytes = await unlessDeleted(() => sizeOf(disk, path))
    if (parsed === undefined || bytes === undefined) continue
    if (parsed.kind !== 'header') faults.push(LogFault.ofHeader(path, parsed))
    else if (parsed.header.first !== first)
      faults.push(LogFault.ofDamage(path, 0, 'it has the name of another segment'))
    else good.push({ path, first, at: parsed.header.at, bytes, header: parsed.header, headerLength: parsed.length })
  }
  return { good, faults }
}

const listCheckpoints = async (disk: Disk, folder: string): Promise<LogStat['checkpoints']> => {
  const checkpoints: { readonly file: string; readonly turn: number; readonly bytes: number }[] = []
  for (const turn of (await listFolder(disk, folder)).checkpoints) {
    const file = checkpointPath(folder, turn)
    const bytes = await unlessDeleted(() => sizeOf(disk, file))
    if (bytes !== undefined) checkpoints.push({ file, turn, bytes })
  }
  return checkpoints
}

export const statLog = async (disk: Disk, folder: string): Promise<LogStat> => {
  const { good, faults } = await openSegments(disk, folder)
  const segments: SegmentStat[] = []
  for (const [place, { path, first, bytes, header, headerLength }] of good.entries()) {
    const next = good[place + 1]?.first
    // Only of the last one the end is not known by the next.
    const end = next === undefined ? await endOf(disk, path, headerLength, first) : undefined
    const last = end?.last ?? next! - 1
    segments.push({ file: path, header, last, bytes, isClosed: end?.isClosed ?? true })
  }
  const checkpoints = await listCheckpoints(disk, folder)
  return {
    segments,
    checkpoints,
    epochs: [...new Set(good.map(({ header }) => header.epoch))],
    turns: segments.reduce((sum, { header, last }) => sum + last - header.first + 1, 0),
    bytes: [...segments, ...checkpoints].reduce((sum, { bytes }) => sum + bytes, 0),
    faults,
  }
}

/** Reads a segment completely. @param limit number of the last turn that counts */
const checkSegment = async (
  disk: Disk,
  { path, first, headerLength }: Opened,
  limit: number,
  decoder: Decoder,
  notes: string[],
): Promise<{ readonly turns: number; readonly fault: LogFault | undefined }> => {
  decoder.begin()
  const records = readSegment(disk, path, headerLength, first)
  let last = first - 1
  for (;;) {
    const next = await records.next()
    if (next.done === true) {
      const { kind, what, offset, bytes } = next.value
      const turns = last - first + 1
      const isLast = limit === Number.POSITIVE_INFINITY
      if (last >= limit) return { turns, fault: undefined }
      if (kind === 'damaged') {
        const rest = `${what}; ${bytes - offset} octets from there on cannot be used`
        return { turns, fault: LogFault.ofDamage(path, offset, rest) }
      }
      if (!isLast) {
        const fault = LogFault.ofDamage(path, offset, `turns ${last + 1} to ${limit} are missing`)
        return { turns, fault }
      }
      if (kind === 'torn')
        notes.push(`${path} at offset ${offset}: the last record is being written, or was interrupted`)
      return { turns, fault: undefined }
    }
    for (const record of next.value) {
      // The rest of the file was replaced by the next one.
      if (record.number > limit) continue
      try {
        LogFault.around(path, record.offset, () => decoder.decode(record.payload))
      } catch (error) {
        await records.return(undefined as never)
        return { turns: last - first + 1, fault: error as LogFault }
      }
      last = record.number
    }
  }
}

/** @param checkCheckpoint says how a checkpoint is damaged */
export const checkLog = async (
  disk: Disk,
  folder: string,
  newDecoder: () => Decoder,
  checkCheckpoint: (path: string) => Promise<LogFault | string | undefined>,
): Promise<LogCheck> => {
  const { good, faults } = await openSegments(disk, folder)
  const notes: string[] = []
  const decoder = newDecoder()
  let turns = 0
  for (const [place, segment] of good.entries()) {
    const limit = (good[place + 1]?.first ?? Number.POSITIVE_INFINITY) - 1
    const found = await unlessDeleted(() => checkSegment(disk, segment, limit, decoder, notes))
    if (found === undefined) continue
    turns += found.turns
    if (found.fault !== undefined) faults.push(found.fault)
  }
  const checkpoints = await listCheckpoints(disk, folder)
  for (const { file } of checkpoints) {
    const why = await unlessDeleted(() => checkCheckpoint(file))
    if (why !== undefined) faults.push(typeof why === 'string' ? LogFault.ofDamage(file, undefined, why) : why)
  }
  const newest = checkpoints.at(-1)?.turn ?? 0
  if (good.length > 0 && good[0]!.first > newest + 1) {
    const what = `turns ${newest + 1} to ${good[0]!.first - 1} are in no checkpoint and no segment`
    faults.push(LogFault.ofDamage(good[0]!.path, undefined, what))
  }
  const { damagedEpochs } = await listFolder(disk, folder)
  for (const epoch of damagedEpochs) {
    notes.push(`damaged-${epoch}: moved there when epoch ${epoch} began; delete it when it is no longer of interest`)
  }
  const bytes = [...good, ...checkpoints].reduce((sum, each) => sum + each.bytes, 0)
  return { faults, notes, files: good.length + checkpoints.length, turns, bytes }
}

export interface DumpedTurn {
  readonly number: number
  readonly turn: Turn
  /** Name of the segment. */
  readonly file: string
}

/** Turns from a number on, or from the first one that is kept. */
export async function* dumpLog(
  disk: Disk,
  folder: string,
  newDecoder: () => Decoder,
  from: number,
): AsyncGenerator<DumpedTurn> {
  const { good, faults } = await openSegments(disk, folder)
  const newer = faults.find(({ isNewer }) => isNewer)
  if (newer !== undefined) throw newer
  if (good.length === 0) {
    if (faults.length > 0) throw faults[0]!
    return
  }
  let number = Math.max(from, good[0]!.first)
  for await (const turn of readTurns(disk, good, newDecoder, number, Number.POSITIVE_INFINITY)) {
    const place = good.findLastIndex(({ first }) => first <= number)
    yield { number, turn, file: basename(good[place]!.path) }
    number++
  }
  // The turns between good files are found to be missing; these are behind all.
  const last = faults.find(({ file }) => file! > good.at(-1)!.path)
  if (last !== undefined) throw last
}
