// Writes batches to the last segment, and begins the next one.

import { elapsedMs } from '../clock.ts'
import { LIMITS } from '../limits.ts'
import type { Batch } from './batch.ts'
import { call, closeFile, type Disk, syncFile, writeAll } from './disk.ts'
import { DiskRest } from './disk-rest.ts'
import type { KeptSegment } from './read-turns.ts'
import { closeBytes, markBytes } from './segment.ts'
import { createSegment, type OpenSegment, type SegmentFacts, wallMs } from './segment-file.ts'

/** `always`: a turn is written once it is synced. `interval`: synced in the background. `off`: left to the system. */
export type FsyncMode = 'always' | 'interval' | 'off'

export interface SegmentWriterOptions {
  readonly disk: Disk
  readonly folder: string
  readonly epoch: string
  /** The rules by which turns are applied, and the limits that influence it. */
  readonly rules: string
  readonly fsync: FsyncMode
  readonly keepsBirth: boolean
  /** The former last segment, which may not be synced. */
  readonly previous: string | undefined
  readonly segments: readonly KeptSegment[]
}

export class SegmentWriter {
  /** All of them, ascending; the last one is written to. */
  readonly segments: KeptSegment[]
  readonly counters = { bytesWritten: 0, writes: 0, syncs: 0, syncFaults: 0 }
  file: OpenSegment | undefined
  /** This process has begun a segment. */
  private hasFile = false
  /** A sync has failed: pages of the file may be lost although they can still be read. It is not used any more. */
  hasFailed = false
  private readonly options: SegmentWriterOptions
  private readonly disk: Disk
  private previous: string | undefined
  /** The disk was slow: the event loop does not wait for it. */
  private readonly rest = new DiskRest()

  constructor(options: SegmentWriterOptions) {
    this.options = options
    this.disk = options.disk
    this.previous = options.previous
    this.segments = [...options.segments]
  }

  /**
   * Writes a batch within the call, unless the disk is or was slow.
   * @returns false: it is not written, or not completely; {@link write} writes the same octets to the same place
   */
  writeNow(batch: Batch): boolean {
    const { file } = this
    const { quick } = this.disk
    if (quick === undefined || file === undefined || batch.plan.file !== file) return false
    if (this.hasFailed || this.options.fsync === 'always') return false
    if (!this.rest.isOver(elapsedMs())) return false
    const buffers = this.buffersOf(file, batch)
    const bytes = buffers.length === 1 ? batch.bytes : Buffer.concat(buffers)
    const written = quick.write(file.fd, bytes, file.size)
    if (quick.idle !== undefined) this.rest.begin(elapsedMs())
    if (written !== bytes.length) return false
    this.written(file, buffers)
    return true
  }

  /** @returns whether it cannot be lost any more, as far as the mode promises */
  async write(batch: Batch): Promise<boolean> {
    const { fsync } = this.options
    const { file } = batch.plan
    if (file === undefined) {
      // The first one of a process in every mode: if a power failure loses the turns after a log that was closed, its name
      // still shows that some followed.
      const isDurable = fsync === 'always' || batch.plan.isAgain || !this.hasFile
      await this.create(batch, isDurable)
      return isDurable || fsync === 'off'
    }
    const buffers = this.buffersOf(file, batch)
    const triedMs = file.triedMs!
    await this.add(file, buffers)
    this.written(file, buffers)
    await this.noteDelay(file, batch.last, triedMs)
    if (fsync === 'always') await this.sync(file)
    return fsync !== 'interval'
  }

  /**
   * The octets of a batch, after a mark where one is due. What is tried again has the same octets: if the process ends in
   * the middle, nothing of two attempts is mixed.
   */
  private buffersOf(file: OpenSegment, { last, count, bytes }: Batch): readonly Uint8Array[] {
    file.triedMs ??= wallMs()
    const isDue = Math.abs(file.triedMs - file.markMs) >= LIMITS.logMarkMs
    return isDue ? [markBytes(last - count, file.triedMs), bytes] : [bytes]
  }

  private written(file: OpenSegment, buffers: readonly Uint8Array[], isMarked = buffers.length > 1): void {
    if (isMarked) file.markMs = file.triedMs!
    file.triedMs = undefined
    this.grow(file, buffers)
  }

  async sync({ fd }: OpenSegment): Promise<void> {
    try {
      await call((done) => this.disk.fdatasync(fd, done))
      this.counters.syncs++
    } catch (error) {
      this.counters.syncFaults++
      this.hasFailed = true
      throw error
    }
  }

  /** The last file gets no further turns: it is durable before the next one exists. */
  async endFile(): Promise<void> {
    if (this.previous !== undefined) await this.syncPrevious(this.previous)
    this.previous = undefined
    const { file } = this
    if (file === undefined) return
    // A sync in the background must not begin now: its number would be that of another file.
    this.file = undefined
    const { fsync } = this.options
    // Where nothing is promised, do not wait for it.
    if (fsync === 'off') this.disk.fdatasync(file.fd, () => this.disk.close(file.fd, () => undefined))
    else {
      try {
        if (fsync === 'interval') await this.sync(file)
      } finally {
        await closeFile(this.disk, file.fd).catch(() => undefined)
      }
    }
  }

  /** Gives up a file that cannot be trusted. */
  dropFile(): void {
    this.hasFailed = false
    const { file } = this
    this.file = undefined
    if (file !== undefined) this.disk.close(file.fd, () => undefined)
  }

  /** @param last number of the last turn */
  async close(file: OpenSegment, last: number): Promise<void> {
    file.triedMs ??= wallMs()
    const closing = [closeBytes(last, file.triedMs)]
    await this.add(file, closing)
    this.grow(file, closing)
    await this.sync(file)
    await closeFile(this.disk, file.fd).catch(() => undefined)
    this.file = undefined
  }

  /** What was tried for long has an old mark: the time of the file would not fit it, and it would look like a copy. */
  private async noteDelay(file: OpenSegment, last: number, markMs: number): Promise<void> {
    const nowMs = wallMs()
    if (Math.abs(nowMs - markMs) < LIMITS.logMarkMs) return
    file.triedMs = nowMs
    try {
      const marks = [markBytes(last, nowMs)]
      await this.add(file, marks)
      this.written(file, marks, true)
    } catch {
      // The next write begins with the same mark.
    }
  }

  /** A write that failed is repeated at the same place. */
  private async add(file: OpenSegment, buffers: readonly Uint8Array[]): Promise<void> {
    await this.disk.quick?.idle
    await writeAll(this.disk, file.fd, buffers, file.size)
  }

  private grow(file: OpenSegment, buffers: readonly Uint8Array[]): void {
    const octets = buffers.reduce((sum, { length }) => sum + length, 0)
    this.counters.writes++
    this.counters.bytesWritten += octets
    file.size += octets
    this.segments.at(-1)!.bytes = file.size
  }

  private async create(batch: Batch, isDurable: boolean): Promise<void> {
    const { plan } = batch
    const { folder, epoch, rules, fsync, keepsBirth } = this.options
    const facts: SegmentFacts = { epoch, rules, first: plan.first, at: plan.at, fsync }
    const file = await createSegment(this.disk, folder, facts, [batch.bytes], isDurable, keepsBirth)
    plan.file = file
    this.file = file
    this.hasFile = true
    // What is written again replaces a segment with the same first turn.
    if (this.segments.at(-1)?.first === plan.first) this.segments.pop()
    this.segments.push({ path: file.path, first: plan.first, at: plan.at, bytes: file.size })
    this.counters.writes++
    this.counters.bytesWritten += file.size
    if (isDurable) this.counters.syncs++
  }

  /** Of the process before: if that fails, a power failure may leave a gap, which the next start finds. */
  private async syncPrevious(path: string): Promise<void> {
    try {
      await syncFile(this.disk, path)
    } catch {
      this.counters.syncFaults++
    }
  }
}
