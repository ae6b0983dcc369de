// The log as files: segments of records. A turn is encoded at once, and written within the call while the disk is quick
// (quick-writer.ts). Where it is not, nothing here waits for it in the event loop: turns that wait are written together.

import { elapsedMs, now } from '../clock.ts'
import type { Turn } from '../domain/input.ts'
import { Durations } from '../durations.ts'
import { LIMITS } from '../limits.ts'
import { Batch, type Plan } from './batch.ts'
import type { Disk, DiskError } from './disk.ts'
import type { Log } from './log.ts'
import { LogTrouble } from './log-trouble.ts'
import { type Decoder, type KeptSegment, readTurns } from './read-turns.ts'
import { type Kept, type Retention, retain, trimTo } from './retention.ts'
import { RECORD_BYTES } from './segment.ts'
import { type FsyncMode, SegmentWriter } from './segment-writer.ts'
import { type Dictionary, type Recorded, UnsafeTurns } from './unsafe-turns.ts'

export interface Encoder {
  /** Begins with another dictionary. */
  begin(): void
  encode(turn: Turn): Uint8Array
  readonly isFull: boolean
  readonly dictionary: Dictionary
  /** Of the dictionary. */
  readonly size: number
}

/** How far a log was. */
export interface Witnessed {
  readonly epoch: string
  readonly position: number
  /** First turn of its last segment; undefined: not known. */
  readonly segment?: number | undefined
}

/** A place outside of the folder that knows how far the log was: a log that ends before was replaced by an older one. */
export interface Witness {
  read(): Witnessed | undefined
  /**
   * @param isDurable also after a power failure
   * @returns resolves when it is written; undefined: it is
   */
  write(at: Witnessed, isDurable?: boolean): Promise<void> | undefined
}

export interface FileLogOptions {
  readonly folder: string
  /** The rules by which turns are applied, and the limits that influence it. */
  readonly rules: string
  readonly fsync: FsyncMode
  /** For `interval`. */
  readonly fsyncEveryMs: number
  readonly encoder: Encoder
  readonly newDecoder: () => Decoder
  readonly witness: Witness
  readonly disk: Disk
  readonly segmentBytesMax?: number
  readonly unsafeBytesMax?: number
  readonly unsafeTurnsMax?: number
  readonly slowMsMax?: number
}

/** Where it goes on. */
export interface FileLogStart {
  readonly epoch: string
  readonly position: number
  /** Time of the last turn; epoch ms. */
  readonly at: number
  readonly segments: readonly KeptSegment[]
  /** The former last segment, which may not be synced. */
  readonly previous: string | undefined
  readonly keepsBirth: boolean
  /** Octets of all checkpoints. */
  readonly checkpointBytes: number
}

const HOUR_MS = 3_600_000

const waitMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** There is no room: the same octets are written again to the same place. After other errors a file is not trusted. */
const isNoRoom = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((error as DiskError | undefined)?.code ?? '')

export class FileLog implements Log {
  readonly epoch: string
  position: number
  written: number
  private readonly own = {
    appends: 0,
    /** Batches that could not be written, and were tried again. */
    faults: 0,
  }
  /** Of each turn, from append to written. */
  readonly writeDurations = new Durations()
  private latencyMsMax = 0
  private readonly options: FileLogOptions
  private readonly disk: Disk
  private readonly writer: SegmentWriter
  private readonly unsafe: UnsafeTurns
  private readonly problems: LogTrouble
  private readonly roomListeners: (() => void)[] = []
  private readonly witnessTimer: NodeJS.Timeout
  private queue: Batch[] = []
  private inFlight: Batch | undefined
  private plan: Plan
  private draining: Promise<void> | undefined
  private syncTimer: NodeJS.Timeout | undefined
  private syncing: Promise<void> | undefined
  private isOver = false
  private closing: Promise<boolean> | undefined
  private witnessed: Witnessed
  private checkpointBytes: number
  isFull = false

  constructor(options: FileLogOptions, start: FileLogStart) {
    const { epoch, position, at, segments, previous, keepsBirth } = start
    this.options = options
    this.disk = options.disk
    this.epoch = epoch
    this.position = position
    this.written = position
    this.witnessed = { epoch, position, segment: segments.at(-1)?.first }
    this.checkpointBytes = start.checkpointBytes
    const { folder, rules, fsync } = options
    this.writer = new SegmentWriter({
      disk: options.disk,
      folder,
      epoch,
      rules,
      fsync,
      keepsBirth,
      previous,
      segments,
    })
    this.unsafe = new UnsafeTurns(position)
    this.problems = new LogTrouble(options.slowMsMax ?? LIMITS.logSlowMsMax)
    this.witnessTimer = setInterval(() => void this.writeWitness(), LIMITS.logWitnessMs).unref()
    // At once, so that the folder says which epoch goes on even if no turn follows.
    this.plan = this.newPlan(Math.max(at, now()), false)
    this.queue.push(new Batch(this.plan, position))
    this.kick()
  }

  get trouble(): string | undefined {
    return this.problems.text
  }

  get counters() {
    return { ...this.own, ...this.writer.counters }
  }

  get bytesOnDisk(): number {
    return this.writer.segments.reduce((sum, { bytes }) => sum + bytes, this.checkpointBytes)
  }

  /** The longest time from append to written, in ms, since this was read the last time. */
  readLatencyMsMax(): number {
    const max = this.latencyMsMax
    this.latencyMsMax = 0
    return max
  }

  onRoom(listener: () => void): void {
    this.roomListeners.push(listener)
  }

  onTrouble(listener: (trouble: string | undefined) => void): void {
    this.problems.onChange(listener)
  }

  append(turn: Turn, written: (turn: Turn) => void): void {
    if (this.closing !== undefined) throw new Error('the log is closed')
    const { encoder, segmentBytesMax = LIMITS.logSegmentBytesMax } = this.options
    const hour = Math.floor(turn.at / HOUR_MS)
    const { plan } = this
    if (plan.isEnded || plan.bytes >= segmentBytesMax || (plan.hour ?? hour) !== hour) {
      this.plan = this.newPlan(turn.at, false)
    }
    this.plan.hour ??= hour
    const recorded = this.encode(encoder, turn)
    const number = ++this.position
    let batch = this.queue.at(-1)
    if (batch === undefined || batch === this.inFlight || batch.plan !== this.plan) {
      batch = new Batch(this.plan, number - 1)
      this.queue.push(batch)
    }
    const bytes = batch.add(number, recorded.record)
    this.plan.bytes += bytes
    this.plan.isEnded ||= encoder.isFull
    this.unsafe.add(turn, written, elapsedMs(), bytes, recorded)
    this.own.appends++
    this.isFull ||= this.hasAtLeast(1)
    if (batch === this.queue[0] && this.isQuick && this.writer.writeNow(batch))
      this.wrote(batch, this.options.fsync === 'off')
    else this.kick()
  }

  /** The next turn begins a segment, so that a checkpoint needs no part of one. @returns number of the last turn */
  rotate(): number {
    this.plan.isEnded ||= this.plan.hour !== undefined
    return this.position
  }

  read(from: number): AsyncIterable<Turn> {
    const segments = this.writer.segments.map((segment) => ({ ...segment }))
    return readTurns(this.disk, segments, this.options.newDecoder, from, this.written)
  }

  trim(before: number): void {
    // A file that cannot be deleted now is deleted by the next call.
    trimTo(this.disk, this.options.folder, this.writer.segments, before).catch(() => undefined)
  }

  async retain(retention: Retention): Promise<Kept> {
    const kept = await retain(this.disk, this.options.folder, this.writer.segments, retention)
    this.checkpointBytes = kept.checkpointBytes
    return kept
  }

  close(): Promise<boolean> {
    // Whoever still gathers turns keeps them to itself.
    this.isFull = true
    this.closing ??= this.end()
    return this.closing
  }

  private encode(encoder: Encoder, turn: Turn): Recorded {
    const { dictionary, size } = encoder
    try {
      const record = encoder.encode(turn)
      const { length } = record
      if (length > 0 && length <= LIMITS.logRecordBytesMax - RECORD_BYTES) return { record, dictionary, size }
      throw new RangeError(`a turn of ${length} octets does not fit a record of the log`)
    } catch (error) {
      // The encoder may have remembered a part of it: what follows must not refer to that.
      this.plan.isEnded = true
      throw error
    }
  }

  private newPlan(at: number, isAgain: boolean): Plan {
    this.options.encoder.begin()
    const first = isAgain ? this.unsafe.first : this.position + 1
    return { first, at, hour: undefined, bytes: 0, isEnded: false, isAgain, file: undefined }
  }

  private hasAtLeast(share: number): boolean {
    const { unsafeBytesMax = LIMITS.logUnsafeBytesMax, unsafeTurnsMax = LIMITS.logUnsafeTurnsMax } = this.options
    return this.unsafe.bytes >= share * unsafeBytesMax || this.unsafe.count >= share * unsafeTurnsMax
  }

  /**
   * No other write is under way. A file that is synced can be written to (ext4: 0.03 ms at p99, as without a sync); where
   * that is late, the write itself shows it.
   */
  private get isQuick(): boolean {
    return this.draining === undefined && this.problems.text === undefined
  }

  private kick(): void {
    this.draining ??= Promise.resolve().then(() => this.drain())
  }

  /** Writes what waits, a batch at a time. */
  private async drain(): Promise<void> {
    for (;;) {
      if (this.writer.hasFailed) {
        // It may still use the file.
        await this.syncing
        await this.disk.quick?.idle
        this.rewrite()
      }
      const batch = this.queue[0]
      if (batch === undefined || this.isOver) break
      this.inFlight = batch
      let isSafe: boolean
      try {
        isSafe = await this.problems.timed('write', this.pathOf(batch), () => this.write(batch))
      } catch (error) {
        this.failed(error, batch)
        await waitMs(LIMITS.logRetryMs)
        continue
      } finally {
        this.inFlight = undefined
      }
      // Meanwhile a sync of the same file has failed.
      if (this.writer.hasFailed) continue
      this.wrote(batch, isSafe)
    }
    this.draining = undefined
  }

  private pathOf({ plan }: Batch): string {
    return plan.file?.path ?? this.options.folder
  }

  private failed(error: unknown, batch: Batch): void {
    this.own.faults++
    this.problems.failed(error, this.pathOf(batch))
    if (batch.plan.file !== undefined && !isNoRoom(error)) this.writer.hasFailed = true
  }

  private async write(batch: Batch): Promise<boolean> {
    const { writer } = this
    if (batch.plan.file === undefined) {
      await this.syncing
      if (writer.hasFailed) return false
      await writer.endFile()
      this.safeTo(batch.plan.first - 1)
      const isSafe = await writer.write(batch)
      // Before a turn of it is published: a segment that is removed is missed.
      await this.writeWitness()
      return isSafe
    }
    return writer.write(batch)
  }

  /** Encodes all that is unsafe anew, for a segment that replaces the end of the last one. */
  private rewrite(): void {
    this.writer.dropFile()
    const { encoder } = this.options
    const plan = this.newPlan(this.plan.at, true)
    const batch = new Batch(plan, plan.first - 1)
    this.unsafe.rewrite((turn) => {
      if (batch.count === 0) plan.at = turn.at
      const { dictionary, size } = encoder
      const record = encoder.encode(turn)
      batch.add(batch.last + 1, record)
      return { record, dictionary, size }
    })
    plan.bytes = batch.bytes.length
    if (batch.count > 0) plan.hour = Math.floor(plan.at / HOUR_MS)
    plan.isEnded = encoder.isFull
    this.plan = plan
    this.queue = [batch]
  }

  private wrote(batch: Batch, isSafe: boolean): void {
    this.queue.shift()
    batch.release()
    this.problems.worked()
    const { last } = batch
    const nowMs = elapsedMs()
    while (this.written < last) {
      const number = ++this.written
      const latencyMs = nowMs - this.unsafe.appendedMs(number)
      this.writeDurations.add(latencyMs)
      this.latencyMsMax = Math.max(this.latencyMsMax, latencyMs)
      this.unsafe.written(number)
    }
    if (isSafe) this.safeTo(last)
    else this.syncTimer ??= setTimeout(() => this.sync(), this.options.fsyncEveryMs)
  }

  private safeTo(last: number): void {
    this.unsafe.dropTo(last)
    if (!this.isFull || this.closing !== undefined || this.hasAtLeast(1 / 2)) return
    this.isFull = false
    for (const listener of this.roomListeners) listener()
  }

  /** In the background, for `interval`. */
  private sync(): void {
    this.syncTimer = undefined
    const { written } = this
    const { file } = this.writer
    if (file === undefined || this.syncing !== undefined || this.writer.hasFailed) return
    this.syncing = this.problems
      .timed('fdatasync', file.path, () => this.writer.sync(file))
      .then(
        () => this.safeTo(written),
        (error: unknown) => this.problems.failed(error, file.path),
      )
      .then(() => {
        this.syncing = undefined
        if (this.writer.hasFailed) this.kick()
        else if (this.written >= this.unsafe.first) {
          this.syncTimer ??= setTimeout(() => this.sync(), this.options.fsyncEveryMs)
        }
      })
  }

  private async writeWitness(): Promise<void> {
    const { epoch, written } = this
    const segment = this.writer.segments.at(-1)?.first
    if (written === this.witnessed.position && segment === this.witnessed.segment) return
    try {
      const at = { epoch, position: written, segment }
      await this.options.witness.write(at)
      this.witnessed = at
    } catch {
      // It is tried again; an older witness recognizes less, and is not wrong.
    }
  }

  private async end(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), LIMITS.logCloseMsMax)
    })
    const isClosed = await Promise.race([late, this.endInOrder()])
    this.isOver = true
    clearTimeout(timer)
    clearTimeout(this.syncTimer)
    clearInterval(this.witnessTimer)
    this.disk.quick?.close()
    this.problems.end()
    return isClosed
  }

  private async endInOrder(): Promise<boolean> {
    while (!this.isOver) {
      if (this.writer.hasFailed) this.kick()
      await this.draining
      await this.syncing
      const { file } = this.writer
      if (file === undefined || this.writer.hasFailed) continue
      clearTimeout(this.syncTimer)
      this.syncTimer = undefined
      try {
        await this.writer.close(file, this.position)
        this.safeTo(this.position)
        await this.writeWitness()
        return true
      } catch (error) {
        this.problems.failed(error, file.path)
        await waitMs(LIMITS.logRetryMs)
      }
    }
    return false
  }
}
