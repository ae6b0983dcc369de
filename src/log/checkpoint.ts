// The checkpoint file: an image and a header. It appears under its name only when it is complete and on the disk; any
// octet of it that is changed or missing is found when it is read.

import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { type Column, ImageFault, type ImageReader, type ImageWriter, UnfitImage } from '../domain/image.ts'
import { DISK, type Disk, type PartRead, type ReadDisk, readAt, type SyncDisk } from './disk.ts'
import {
  CHECK_LENGTH,
  checkOf,
  DERIVED,
  describe,
  END,
  FORMAT,
  kindOf,
  MAGIC,
  octetsOf,
  pack,
  PART_LENGTH,
  partHead,
  PREFIX_LENGTH,
  unpack,
  VALUE,
} from './part-format.ts'

/** What a checkpoint says about itself: plain JSON. */
export type CheckpointHeader = Readonly<Record<string, unknown>>

// Octets that are read and summed up at once: they stay in the processor's cache. A single read takes at most 2 GB.
const BLOCK = 1 << 20

const HEADER_MAX = 1 << 20

// Octets of a part that are requested at once while others are: fresh memory costs more than reading, and other threads
// pay for it. Smaller parts are read at once.
const PIECE = 1 << 22
const FILLED_MIN = 1 << 20

/** Writes a checkpoint: all parts, then {@link finish}. If anything throws, call {@link abandon}. */
export class CheckpointWriter implements ImageWriter {
  private readonly path: string
  private readonly temporary: string
  private readonly disk: SyncDisk
  private readonly file: number
  private parts = 0
  /** Octets written so far. */
  size = 0

  /** @param temporary a name in the same folder; a file of this name is replaced */
  constructor(path: string, header: CheckpointHeader, temporary = `${path}.part`, disk: SyncDisk = DISK) {
    this.path = path
    this.temporary = temporary
    this.disk = disk
    this.file = disk.openSync(temporary, 'w', 0o600)
    const json = Buffer.from(JSON.stringify(header))
    if (json.length > HEADER_MAX) throw new RangeError(`the header is longer than ${HEADER_MAX} octets`)
    const start = Buffer.alloc(PREFIX_LENGTH + json.length + CHECK_LENGTH)
    MAGIC.copy(start)
    start.writeUInt32LE(FORMAT, MAGIC.length)
    start.writeUInt32LE(json.length, MAGIC.length + 4)
    json.copy(start, PREFIX_LENGTH)
    start.writeUInt32LE(crc32(start.subarray(0, -CHECK_LENGTH)), start.length - CHECK_LENGTH)
    this.write(start)
  }

  value(name: string, value: unknown): void {
    this.part(VALUE, name, pack(value))
  }

  column(name: string, values: Column): void {
    this.part(kindOf(values), name, octetsOf(values))
  }

  derived(name: string, values: Column): void {
    this.part(kindOf(values) + DERIVED, name, octetsOf(values))
  }

  /** Makes the file appear under its name: complete, and on the disk. */
  finish(): void {
    const count = Float64Array.of(this.parts)
    this.part(END, '', octetsOf(count))
    const { disk } = this
    disk.fsyncSync(this.file)
    disk.closeSync(this.file)
    disk.renameSync(this.temporary, this.path)
    const folder = disk.openSync(dirname(this.path), 'r')
    try {
      disk.fsyncSync(folder)
    } finally {
      disk.closeSync(folder)
    }
  }

  /** Removes what was written. */
  abandon(): void {
    this.disk.closeSync(this.file)
    this.disk.rmSync(this.temporary, { force: true })
  }

  private part(kind: number, name: string, payload: Uint8Array): void {
    this.write(partHead(kind, name, payload.length, checkOf(payload)))
    this.write(payload)
    this.parts++
  }

  private write(octets: Uint8Array): void {
    for (let done = 0; done < octets.length; ) {
      // A single write takes at most 2 GB.
      done += this.disk.writeSync(this.file, octets, done, Math.min(octets.length - done, 1 << 30))
    }
    this.size += octets.length
  }
}

/** What is wrong at a place of a file. */
export class CheckpointFault extends ImageFault {
  readonly offset: number
  readonly what: string

  constructor(path: string, offset: number, what: string) {
    super(`${path}, offset ${offset}: ${what}`)
    this.offset = offset
    this.what = what
  }
}

/** The next part, without its payload. */
interface PartHead {
  readonly kind: number
  readonly name: string
  /** Of the payload, in octets. */
  readonly length: number
  readonly check: number
  /** Where its payload begins in the file. */
  readonly start: number
}

/** A part in words; only the end has no name. */
const textOf = (name: string): string => (name === '' ? 'the end' : `"${name}"`)

/** A part that is read by and by. */
interface Filling {
  readonly head: PartHead
  readonly into: Uint8Array
  readonly done: Promise<void>
}

/** Reads a checkpoint: the parts in their order, then {@link end}, and at last {@link finish}. */
export class CheckpointReader implements ImageReader {
  readonly header: CheckpointHeader
  private readonly path: string
  private readonly disk: ReadDisk
  private readonly file: number
  private readonly filling: Filling[] = []
  /** Octets of the file. */
  readonly size: number
  private place = 0
  private parts = 0
  private next: PartHead | undefined

  /** Throws ImageFault where the file is no checkpoint, has a newer format or is damaged. */
  constructor(path: string, disk: ReadDisk = DISK) {
    this.path = path
    this.disk = disk
    this.file = disk.openSync(path, 'r')
    try {
      this.size = disk.fstatSync(this.file).size
      this.header = this.readHeader()
    } catch (error) {
      disk.closeSync(this.file)
      throw error
    }
  }

  value(name: string): unknown {
    const head = this.open(name)
    if (head.kind !== VALUE) throw this.notA('a value', head)
    const octets = Buffer.allocUnsafe(head.length)
    this.readPayload(head, octets)
    try {
      return unpack(octets)
    } catch {
      throw this.fault(head.start, `"${name}" is not MessagePack`)
    }
  }

  column(name: string, into: Column): number {
    const head = this.openColumn(name, into)
    this.readPayload(head, octetsOf(into))
    return head.length / into.BYTES_PER_ELEMENT
  }

  fill(name: string, into: Column): number {
    const head = this.openColumn(name, into)
    this.readSoon(head, octetsOf(into))
    return head.length / into.BYTES_PER_ELEMENT
  }

  private openColumn(name: string, into: Column): PartHead {
    const head = this.open(name)
    const kind = kindOf(into)
    if (head.kind !== kind) throw this.notA(describe(kind)!.text, head)
    if (head.length > into.byteLength) {
      const { length } = into
      throw this.fault(
        head.start,
        `"${name}" has ${head.length / into.BYTES_PER_ELEMENT} entries, and only ${length} fit`,
      )
    }
    return head
  }

  lengthOf(name: string): number {
    const head = this.open(name)
    const { width } = describe(head.kind)!
    if (head.kind === VALUE || head.kind === END) throw this.notA('a column', head)
    return head.length / width
  }

  derived(name: string, into: Column, when: 'now' | 'later' = 'later'): boolean {
    const head = this.open(name)
    const kind = kindOf(into) + DERIVED
    if (head.kind !== kind) throw this.notA(describe(kind)!.text, head)
    const fits = head.length === into.byteLength
    if (fits && when === 'later') this.readSoon(head, octetsOf(into))
    else this.readPayload(head, fits ? octetsOf(into) : undefined)
    return fits
  }

  settle(): void {
    // The requests are under way, and can only bring the same.
    for (const { head, into } of this.filling) this.check(head, into)
  }

  /** Reads the end: there is no part left, and nothing after it. */
  end(): void {
    const head = this.open('')
    if (head.kind !== END) throw this.notA('the end', head)
    const count = new Float64Array(1)
    if (head.length !== count.byteLength) throw this.fault(head.start, 'the end has another length')
    this.readPayload(head, octetsOf(count))
    if (count[0] !== this.parts - 1) {
      throw this.fault(head.start, `the end counts ${count[0]} parts, and ${this.parts - 1} were read`)
    }
    if (this.place !== this.size) throw this.fault(this.place, `${this.size - this.place} octets follow the end`)
  }

  /** Checks all parts that were not read yet, and the end. */
  checkRest(): void {
    for (let head = this.peek(); head.kind !== END; head = this.peek()) this.readPayload(head, undefined)
    this.end()
  }

  /** Closes the file when all parts are read and checked. Rejects with the fault of the first that is damaged. */
  async finish(): Promise<void> {
    const results = await Promise.allSettled(this.filling.map(({ done }) => done))
    this.close()
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  /** Closes the file, where nothing was filled. */
  close(): void {
    this.disk.closeSync(this.file)
  }

  /** Octets read so far. */
  get offset(): number {
    return this.place
  }

  private readHeader(): CheckpointHeader {
    const prefix = this.read(PREFIX_LENGTH, 'the header')
    if (!prefix.subarray(0, MAGIC.length).equals(MAGIC)) throw this.fault(0, 'is not a checkpoint')
    const format = prefix.readUInt32LE(MAGIC.length)
    const length = prefix.readUInt32LE(MAGIC.length + 4)
    if (length > HEADER_MAX) throw this.fault(MAGIC.length, 'has a damaged header')
    const rest = this.read(length + CHECK_LENGTH, 'the header')
    const json = rest.subarray(0, length)
    if (crc32(json, crc32(prefix)) !== rest.readUInt32LE(length)) throw this.fault(0, 'has a damaged header')
    // The layout up to here is that of all formats.
    if (format > FORMAT) {
      const what = `${this.path} has format ${format}, and this version of oddswire reads formats up to ${FORMAT}`
      throw new UnfitImage(`${what}: start the version that has written it, or move the folder of the log away`)
    }
    return JSON.parse(json.toString()) as CheckpointHeader
  }

  /** The next part, which must have a name. */
  private open(name: string): PartHead {
    const head = this.peek()
    if (head.name === name) return head
    throw this.fault(head.start, `has ${textOf(head.name)} where ${textOf(name)} was expected`)
  }

  private peek(): PartHead {
    if (this.next !== undefined) return this.next
    const at = this.place
    const fixed = this.read(PART_LENGTH, 'a part')
    const nameLength = fixed.readUInt8(1)
    const rest = this.read(nameLength + CHECK_LENGTH, 'a part')
    const name = rest.subarray(0, nameLength)
    if (crc32(name, crc32(fixed)) !== rest.readUInt32LE(nameLength))
      throw this.fault(at, 'the head of a part is damaged')
    const kind = fixed.readUInt8(0)
    const length = fixed.readDoubleLE(8)
    const described = describe(kind)
    if (described === undefined || !Number.isInteger(length / described.width) || length < 0) {
      throw this.fault(at, `a part has the unknown kind ${kind} or an impossible length`)
    }
    if (length > this.size - this.place) {
      throw this.fault(at, `"${name.toString('latin1')}" is cut off: it has ${length} octets`)
    }
    const head = { kind, name: name.toString('latin1'), length, check: fixed.readUInt32LE(4), start: this.place }
    this.next = head
    return head
  }

  /** Requests the payload of the next part, and reads it now where that is better or the only way. */
  private readSoon(head: PartHead, into: Uint8Array): void {
    const { disk } = this
    if (disk.read === undefined || head.length < FILLED_MIN) {
      this.readPayload(head, into)
      return
    }
    const { parts } = disk
    const done =
      parts !== undefined && into.buffer instanceof SharedArrayBuffer
        ? this.readBy(parts, head, into)
        : this.request(head, into)
    // The fault is for whoever waits for it.
    done.catch(() => {})
    this.filling.push({ head, into, done })
    this.skip(head)
  }

  private async readBy(parts: PartRead, head: PartHead, into: Uint8Array): Promise<void> {
    // What a thread cannot read, or reads otherwise, is read once more here: that says what is wrong.
    const payload = into.subarray(0, head.length)
    if ((await parts.read(this.file, payload, head.start)) !== head.check) this.check(head, payload)
  }

  /** Requests all pieces at once, and sums them up as they arrive. */
  private async request({ name, length, check, start }: PartHead, into: Uint8Array): Promise<void> {
    const { file } = this
    const disk = this.disk as Disk
    const pieces: Promise<Uint8Array>[] = []
    for (let at = 0; at < length; at += PIECE) {
      const end = Math.min(length, at + PIECE)
      const piece = async (): Promise<Uint8Array> => {
        for (let done = at; done < end; ) {
          const read = await readAt(disk, file, into, done, end - done, start + done)
          if (read === 0) throw this.fault(start + done, `"${name}" is cut off`)
          done += read
        }
        return into.subarray(at, end)
      }
      pieces.push(piece())
    }
    // All have ended before the file is closed.
    const results = Promise.allSettled(pieces)
    let sum = 0
    try {
      for (const piece of pieces) sum = crc32(await piece, sum)
    } finally {
      await results
    }
    if (sum !== check) throw this.damaged(name, start, sum, check)
  }

  /** Reads the payload of the next part and checks it. @param into undefined: only checks it */
  private readPayload(head: PartHead, into: Uint8Array | undefined): void {
    this.check(head, into)
    this.skip(head)
  }

  private skip({ start, length }: PartHead): void {
    this.place = start + length
    this.parts++
    this.next = undefined
  }

  private check({ name, length, check, start }: PartHead, into: Uint8Array | undefined): void {
    const scratch = into ?? new Uint8Array(Math.min(length, BLOCK))
    let sum = 0
    for (let done = 0; done < length; ) {
      const size = Math.min(length - done, BLOCK)
      const from = into === undefined ? 0 : done
      const read = this.disk.readSync(this.file, scratch, from, size, start + done)
      if (read === 0) throw this.fault(start + done, `"${name}" is cut off`)
      sum = crc32(scratch.subarray(from, from + read), sum)
      done += read
    }
    if (sum !== check) throw this.damaged(name, start, sum, check)
  }

  private damaged(name: string, start: number, sum: number, check: number): CheckpointFault {
    return this.fault(start, `"${name}" is damaged (its check sum is ${sum}, not ${check})`)
  }

  private read(length: number, what: string): Buffer {
    const octets = Buffer.alloc(length)
    for (let done = 0; done < length; ) {
      const read = this.disk.readSync(this.file, octets, done, length - done, this.place + done)
      if (read === 0) throw this.fault(this.place, `${what} is cut off`)
      done += read
    }
    this.place += length
    return octets
  }

  private notA(what: string, { kind, name, start }: PartHead): CheckpointFault {
    return this.fault(start, `"${name}" is ${describe(kind)!.text}, not ${what}`)
  }

  private fault(offset: number, what: string): CheckpointFault {
    return new CheckpointFault(this.path, offset, what)
  }
}
