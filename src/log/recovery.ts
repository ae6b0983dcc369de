// Opens the log of a folder: the newest checkpoint, the turns after it, and whether the epoch goes on.

import type { BigIntStats } from 'node:fs'
import { now } from '../clock.ts'
import type { Turn } from '../domain/input.ts'
import { call, type Disk, syncFile, syncFolder } from './disk.ts'
import { FileLog, type FileLogOptions, type Witnessed } from './file-log.ts'
import { LogFault } from './log-fault.ts'
import {
  checkpointPath,
  damagedFolder,
  isLaterEpoch,
  type Listing,
  listFolder,
  newEpoch,
  removeUnfinished,
  segmentPath,
  sparedFolder,
} from './log-folder.ts'
import { moveAside } from './move-aside.ts'
import type { KeptSegment } from './read-turns.ts'
import { keepsBirthTimes, whyNotSame } from './same-file.ts'
import type { SegmentHeader } from './segment.ts'
import { bootOf } from './segment-file.ts'
import { endOf, readHeader, readSegment, type SegmentEnd } from './segment-reader.ts'

export interface OpenOptions extends FileLogOptions {
  /**
   * Loads a checkpoint. @returns how it is damaged; then nothing of it may remain. It throws where it is not damaged and
   * cannot be used all the same: then nothing is changed.
   */
  readonly useCheckpoint: (path: string, turn: number) => Promise<LogFault | string | undefined>
  /** Applies a turn after the checkpoint. */
  readonly apply: (turn: Turn, number: number) => void
  /** See {@link whyNotSame}. */
  readonly fileMsMax?: number
}

export interface Recovered {
  readonly log: FileLog
  /** The turn of the checkpoint that was loaded; 0: none. */
  readonly checkpoint: number
  /** Why a new epoch has begun, in words for the operator; undefined: the former one goes on. */
  readonly newEpoch: string | undefined
  /** The former process has ended in order: it has lost nothing that it had not written yet. */
  readonly wasClosed: boolean
  /** Turns after the checkpoint were first applied by other rules. */
  readonly rulesChanged: boolean
  /** Where damaged files are kept now; undefined: there are none. */
  readonly aside: string | undefined
  /** What is damaged; `message` is a line that says what, where and what to do. */
  readonly faults: readonly LogFault[]
}

interface Segment extends KeptSegment {
  readonly header: SegmentHeader
  readonly headerLength: number
}

/** How far the good turns reach. */
interface Reached {
  readonly last: number
  readonly at: number
  readonly rulesChanged: boolean
  readonly lastSegment: Segment | undefined
  readonly end: SegmentEnd | undefined
  readonly fault: LogFault | undefined
}

/** The reason of the first epoch of a folder. */
export const NEW_LOG = 'the log is new'

/** Reads all headers. @returns the fault where one is of a newer format */
const readHeaders = async (
  disk: Disk,
  folder: string,
  { segments }: Listing,
): Promise<readonly (Segment | LogFault)[] | LogFault> => {
  const all: (Segment | LogFault)[] = []
  let epoch = ''
  for (const first of segments) {
    const path = segmentPath(folder, first)
    const parsed = await readHeader(disk, path)
    if (parsed.kind === 'newer') return LogFault.ofHeader(path, parsed)
    if (parsed.kind === 'damaged') all.push(LogFault.ofHeader(path, parsed))
    else if (parsed.header.first !== first) all.push(LogFault.ofDamage(path, 0, 'it has the name of another segment'))
    else if (isLaterEpoch(epoch, parsed.header.epoch)) {
      all.push(LogFault.ofDamage(path, 0, 'it is of an earlier epoch than the segment before it'))
    } else {
      const { header, length } = parsed
      epoch = header.epoch
      const { size } = await call<{ size: number }>((done) => disk.stat(path, done))
      all.push({ path, first, at: header.at, bytes: size, header, headerLength: length })
    }
  }
  return all
}

const missing = (path: string, from: number, to: number): LogFault =>
  LogFault.ofDamage(
    path,
    undefined,
    `${from === to ? `turn ${from} is` : `turns ${from} to ${to} are`} missing before this file`,
  )

/**
 * Reads and applies the turns after a checkpoint, as far as they are good.
 * @param follower first turn of the segment after them, which cannot be read: what is damaged in the last one from there on
 *   is not what ends the good turns
 */
const replay = async (
  options: OpenOptions,
  segments: readonly Segment[],
  base: number,
  follower = Number.POSITIVE_INFINITY,
): Promise<Reached> => {
  const { disk, newDecoder, rules, apply } = options
  let last = base
  let at = 0
  let rulesChanged = false
  let lastSegment: Segment | undefined
  let end: SegmentEnd | undefined
  const reached = (fault: LogFault | undefined): Reached => ({ last, at, rulesChanged, lastSegment, end, fault })
  const decoder = newDecoder()
  for (const [place, segment] of segments.entries()) {
    const { path, first, header, headerLength } = segment
    if (first > last + 1) return reached(missing(path, last + 1, first - 1))
    lastSegment = segment
    end = undefined
    const next = segments[place + 1]?.first
    const limit = next === undefined ? Number.POSITIVE_INFINITY : next - 1
    // All of it is in the checkpoint: a normal end of the process.
    if (next === undefined && first <= base) {
      const only = await endOf(disk, path, headerLength, first)
      if (only.kind !== 'damaged' && only.last <= base) {
        end = only
        if (only.last === base) return reached(undefined)
        return reached(
          LogFault.ofDamage(path, only.offset, `it ends before turn ${base}, which the checkpoint contains`),
        )
      }
    }
    decoder.begin()
    const records = readSegment(disk, path, headerLength, first)
    let number = first - 1
    let step = await records.next()
    for (; step.done !== true && number < limit; step = await records.next()) {
      for (const record of step.value) {
        if (record.number > limit) break
        let turn: Turn
        try {
          turn = LogFault.around(path, record.offset, () => decoder.decode(record.payload))
        } catch (error) {
          await records.return(undefined as never)
          return reached(error as LogFault)
        }
        number = record.number
        if (number <= base) continue
        apply(turn, number)
        last = number
        at = turn.at
        rulesChanged ||= header.rules !== rules
      }
    }
    if (step.done !== true) {
      await records.return(undefined as never)
      continue
    }
    end = step.value
    const { kind, what, offset } = step.value
    const following = next ?? follower
    const isLast = following === Number.POSITIVE_INFINITY
    if (number >= following - 1 || (isLast && kind !== 'damaged' && number >= base)) continue
    if (kind === 'whole' && !isLast) {
      return reached(missing(segmentPath(options.folder, following), number + 1, following - 1))
    }
    return reached(LogFault.ofDamage(path, offset, what))
  }
  return reached(undefined)
}

/**
 * What a log lacks of what it once had; undefined: nothing.
 * @param first of its last segment
 */
export const whyIncomplete = (
  { position, segment = 0 }: Witnessed,
  last: number,
  first: number,
): string | undefined => {
  if (position > last) return `the log ends at turn ${last}, and was at ${position} before`
  return segment > first ? `the segment with turn ${segment} is missing` : undefined
}

/** Why nothing may be lost; undefined: nothing is. */
const whyNewEpoch = async (
  options: OpenOptions,
  listing: Listing,
  { last, lastSegment, end, fault, rulesChanged }: Reached,
): Promise<string | undefined> => {
  const { disk, witness, fileMsMax } = options
  const witnessed = witness.read()
  if (fault !== undefined) return 'the log is damaged'
  if (lastSegment === undefined || end === undefined) {
    return witnessed === undefined && last === 0 ? NEW_LOG : 'the log is missing'
  }
  const { epoch } = lastSegment.header
  if (listing.damagedEpochs.some((each) => isLaterEpoch(each, epoch))) return 'the log was damaged'
  if (witnessed === undefined) return 'the note of how far it was (log-position.json) is missing or damaged'
  if (witnessed.epoch !== epoch) return 'log-position.json is of another epoch'
  const incomplete = whyIncomplete(witnessed, last, lastSegment.first)
  if (incomplete !== undefined) return incomplete
  const stat = await call<BigIntStats>((done) => disk.stat(lastSegment.path, { bigint: true }, done))
  const why = whyNotSame(lastSegment.header, end, stat, fileMsMax, bootOf(disk))
  return why ?? (rulesChanged ? 'turns since the last checkpoint were applied by other rules' : undefined)
}

/** @returns what goes on; a fault if that would destroy something */
export const openFileLog = async (options: OpenOptions): Promise<Recovered | LogFault> => {
  const { disk, folder, witness } = options
  await call((done) => disk.mkdir(folder, { recursive: true, mode: 0o700 }, (error) => done(error)))
  const listing = await listFolder(disk, folder)
  const headers = await readHeaders(disk, folder, listing)
  if (headers instanceof LogFault) return headers
  await removeUnfinished(disk, folder, listing)
  const keepsBirth = keepsBirthTimes(disk, folder)
  const faults: LogFault[] = []
  const badPaths: string[] = []
  let base = 0
  for (const turn of listing.checkpoints.toReversed()) {
    const path = checkpointPath(folder, turn)
    const why = await options.useCheckpoint(path, turn)
    if (why === undefined) {
      base = turn
      break
    }
    badPaths.push(path)
    faults.push(typeof why === 'string' ? LogFault.ofDamage(path, undefined, why) : why)
  }
  // Segments before the one with the next turn are not needed.
  const begin = Math.max(
    0,
    listing.segments.findLastIndex((first) => first <= base + 1),
  )
  const unneeded = headers.slice(0, begin)
  for (const fault of unneeded) {
    if (!(fault instanceof LogFault)) continue
    faults.push(fault)
    badPaths.push(fault.file!)
  }
  const needed = headers.slice(begin)
  const bad = needed.findIndex((each) => each instanceof LogFault)
  const good = (bad < 0 ? needed : needed.slice(0, bad)) as readonly Segment[]
  let reached = await replay(options, good, base, bad < 0 ? undefined : listing.segments[begin + bad])
  if (bad >= 0) {
    const fault = needed[bad] as LogFault
    if (reached.fault === undefined) reached = { ...reached, fault }
    else faults.push(fault)
  }
  const { last, fault } = reached
  const why = await whyNewEpoch(options, listing, reached)
  const kept = [...unneeded, ...good].filter((each): each is Segment => !(each instanceof LogFault))
  const epochs = [...kept.map(({ header }) => header.epoch), ...listing.damagedEpochs]
  const witnessed = witness.read()
  if (witnessed !== undefined) epochs.push(witnessed.epoch)
  const epoch = why === undefined ? reached.lastSegment!.header.epoch : newEpoch(now(), epochs)
  if (fault !== undefined) faults.push(fault)
  if (bad >= 0 && needed[bad] === fault) badPaths.push(fault!.file!)
  const moved = await moveAside(disk, folder, epoch, listing, { last, badPaths, damagedPath: fault?.file })
  if (moved instanceof LogFault) return moved
  const segments = kept.filter(({ path }) => !moved.has(path))
  let checkpointBytes = 0
  for (const path of listing.checkpoints.map((turn) => checkpointPath(folder, turn))) {
    if (!moved.has(path)) checkpointBytes += (await call<{ size: number }>((done) => disk.stat(path, done))).size
  }
  // What is read was perhaps only in memory when the last process ended; here customers will see it.
  if (options.fsync === 'always' && segments.length > 0) {
    await syncFile(disk, segments.at(-1)!.path)
    await syncFolder(disk, folder)
  }
  // Before the first turn of the epoch: if the process ends now, the next one sees that another one had begun.
  const isDurable = options.fsync === 'always'
  await witness.write({ epoch, position: last, segment: segments.at(-1)?.first }, isDurable)
  const log = new FileLog(options, {
    epoch,
    position: last,
    at: reached.at,
    segments: segments.map(({ path, first, at, bytes }) => ({ path, first, at, bytes })),
    previous: segments.at(-1)?.path,
    keepsBirth: await keepsBirth,
    checkpointBytes,
  })
  let aside: string | undefined
  if (faults.length > 0) aside = fault === undefined ? sparedFolder(folder) : damagedFolder(folder, epoch)
  const wasClosed = why === undefined && reached.end?.isClosed === true
  return { log, checkpoint: base, newEpoch: why, wasClosed, rulesChanged: reached.rulesChanged, aside, faults }
}
