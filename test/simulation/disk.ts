// A disk in memory: calls are answered later, in a seeded order; what was not synced may be lost when the power fails; and it
// can be full, slow, broken, or wrong.

import { dirname } from 'node:path'
import type { Disk, DiskError, QuickWrite } from '../../src/log/disk.ts'
import { Random } from '../random.ts'
import { TIME } from './time.ts'

/** A write that a power failure may undo. */
interface Write {
  readonly at: number
  readonly bytes: Buffer
  /** Before it. */
  readonly sizeBefore: number
  readonly old: Buffer
}

class File {
  readonly ino: number
  readonly isFolder: boolean
  readonly birthMs = TIME.wallMs
  changedMs = TIME.wallMs
  modifiedMs = TIME.wallMs
  bytes = Buffer.alloc(256)
  size = 0
  unsynced: Write[] = []
  /** A sync has failed: what was written before may be lost, whatever later ones report. */
  hasFailed = false

  constructor(ino: number, isFolder: boolean) {
    this.ino = ino
    this.isFolder = isFolder
  }

  write(bytes: Uint8Array, at: number): void {
    const end = at + bytes.length
    if (end > this.bytes.length) {
      const larger = Buffer.alloc(Math.max(2 * this.bytes.length, end))
      this.bytes.copy(larger, 0, 0, this.size)
      this.bytes = larger
    }
    const old = Buffer.from(this.bytes.subarray(at, Math.min(end, this.size)))
    this.unsynced.push({ at, bytes: Buffer.from(bytes), sizeBefore: this.size, old })
    this.bytes.set(bytes, at)
    this.size = Math.max(this.size, end)
    this.modifiedMs = this.changedMs = TIME.wallMs
  }

  get content(): Buffer {
    return this.bytes.subarray(0, this.size)
  }
}

/** What is wrong with it now. */
export interface DiskTrouble {
  isFull: boolean
  /** Calls that write or sync fail. */
  writeFails: boolean
  syncFails: boolean
  /** Calls are not answered until it ends. */
  isStalled: boolean
  /** A sync does nothing, and says that it did. */
  lies: boolean
}

const NO_TROUBLE: DiskTrouble = { isFull: false, writeFails: false, syncFails: false, isStalled: false, lies: false }

const failure = (code: string, syscall: string, path: string): DiskError =>
  Object.assign(new Error(`${code}: simulated, ${syscall} '${path}'`), { code, syscall, path })

const DEVICE = 7n

type Done = (error: DiskError | null, value?: never) => void

export class SimulatedDisk {
  readonly trouble: DiskTrouble = { ...NO_TROUBLE }
  boot = 'boot-1'
  readonly counts = { writes: 0, syncs: 0, faults: 0, torn: 0, flipped: 0, lost: 0 }
  private readonly random: Random
  private names = new Map<string, File>()
  /** Names as they were synced, and what has changed since, in order. */
  private syncedNames = new Map<string, File>()
  private changes: ((names: Map<string, File>) => void)[] = []
  private readonly open = new Map<number, { readonly file: File; readonly path: string }>()
  private waiting: (() => void)[] = []
  /** Calls under way, which may have their effect although the process ends. */
  private readonly underWay = new Set<(share: number) => void>()
  private fdNext = 10
  private inoNext = 100
  private boots = 1

  constructor(random: Random) {
    this.random = random
  }

  // --- as the product sees it

  /** The functions of node:fs that the log uses. */
  get functions(): Disk {
    const { calls } = this
    return { ...calls, boot: this.boot, quick: this.quick() } as unknown as Disk
  }

  /** Of each process its own. */
  private quick(): QuickWrite {
    const { random } = this
    const quick = {
      idle: undefined as Promise<void> | undefined,
      close: () => {},
      write: (fd: number, bytes: Uint8Array, from: number): number | undefined => {
        // The log goes on with calls that may wait.
        if (random.chance(0.1)) return -1
        if (!this.trouble.isStalled && random.chance(0.9)) {
          try {
            return this.writeNow(fd, bytes, from, random.chance(0.03) ? random.next() : 1)
          } catch {
            return -1
          }
        }
        const copy = Buffer.from(bytes)
        const write = (share: number): number => this.writeNow(fd, copy, from, share)
        quick.idle = new Promise((resolve) => {
          const done = (): void => {
            quick.idle = undefined
            resolve()
          }
          this.answer(done, () => write(1), write)
        })
        return undefined
      },
    }
    return quick
  }

  private readonly calls = {
    open: (path: string, flags: string, _mode: number, done: Done) =>
      this.answer(done, () => this.openNow(path, flags)),
    close: (fd: number, done: Done) => this.answer(done, () => void this.open.delete(fd)),
    fstat: (fd: number, _options: object, done: Done) => this.answer(done, () => this.statNow(this.fileOf(fd))),
    stat: (path: string, ...rest: [Done] | [object, Done]) => {
      const done = rest.at(-1) as Done
      this.answer(done, () =>
        rest.length === 2 ? this.statNow(this.find(path, 'stat')) : { size: this.find(path, 'stat').size },
      )
    },
    read: (fd: number, into: Uint8Array, at: number, length: number, from: number, done: Done) =>
      this.answer(done, () => this.readNow(fd, into, at, length, from)),
    writev: (fd: number, buffers: readonly Uint8Array[], from: number, done: Done) => {
      // The caller must not change them meanwhile, and a real disk may read them at any time.
      const write = (share: number): number => this.writeNow(fd, Buffer.concat(buffers), from, share)
      this.answer(done, () => write(1), write)
    },
    fsync: (fd: number, done: Done) => this.answer(done, () => this.syncNow(fd)),
    fdatasync: (fd: number, done: Done) => this.answer(done, () => this.syncNow(fd)),
    rename: (from: string, to: string, done: Done) => this.answer(done, () => this.renameNow(from, to)),
    unlink: (path: string, done: Done) => this.answer(done, () => this.unlinkNow(path)),
    link: (from: string, to: string, done: Done) => this.answer(done, () => this.linkNow(from, to)),
    mkdir: (path: string, _options: object, done: Done) => this.answer(done, () => this.folderNow(path)),
    readdir: (path: string, done: Done) => this.answer(done, () => this.namesIn(path)),
    readFile: (path: string, done: Done) => this.answer(done, () => Buffer.from(this.find(path, 'open').content)),
    openSync: (path: string, flags: string) => this.openNow(path, flags),
    closeSync: (fd: number) => void this.open.delete(fd),
    fstatSync: (fd: number) => ({ size: this.fileOf(fd).size }),
    readSync: (fd: number, into: Uint8Array, at: number, length: number, from: number) =>
      this.readNow(fd, into, at, length, from),
    writeSync: (fd: number, bytes: Uint8Array, at: number, length: number) =>
      this.writeNow(fd, bytes.subarray(at, at + length), this.fileOf(fd).size, 1),
    fsyncSync: (fd: number) => this.syncNow(fd),
    renameSync: (from: string, to: string) => this.renameNow(from, to),
    rmSync: (path: string) => void (this.names.has(path) && this.unlinkNow(path)),
  }

  // --- as the simulation sees it

  /** What is wrong from now on, until the next call. */
  setTrouble(trouble: Partial<DiskTrouble>): void {
    Object.assign(this.trouble, NO_TROUBLE, trouble)
    if (this.trouble.isStalled) return
    for (const call of this.waiting.splice(0)) call()
  }

  /** The process ends: of what is under way some has its effect, and of a write perhaps a part. */
  endProcess(): void {
    for (const effect of this.underWay) {
      if (!this.random.chance(0.5)) continue
      const isTorn = this.random.chance(0.5)
      if (isTorn) this.counts.torn++
      try {
        effect(isTorn ? this.random.next() : 1)
      } catch {
        // It would have failed.
      }
    }
    this.underWay.clear()
    this.waiting = []
    this.open.clear()
  }

  /** Power fails: of what was not synced any part may be lost. */
  failPower(): void {
    const { random } = this
    const keeps = this.changes.slice(0, random.int(0, this.changes.length))
    this.names = new Map(this.syncedNames)
    for (const change of keeps) change(this.names)
    this.changes = []
    this.syncedNames = new Map(this.names)
    for (const file of new Set(this.names.values())) {
      const writes = file.unsynced
      file.unsynced = []
      if (writes.length === 0) continue
      this.counts.lost++
      for (const { at, old, sizeBefore } of writes.toReversed()) {
        file.bytes.fill(0, Math.min(at, file.size), file.size)
        file.size = sizeBefore
        file.bytes.set(old, at)
      }
      // Mostly in order, and the last one perhaps torn; at times any of them.
      const isOrdered = random.chance(0.8)
      const count = random.int(0, writes.length)
      for (const [place, { at, bytes }] of writes.entries()) {
        const isKept = isOrdered ? place < count : random.chance(0.5)
        const isTorn = isOrdered ? place === count : isKept && random.chance(0.2)
        if (!isKept && !isTorn) continue
        if (at > file.size) file.write(Buffer.alloc(at - file.size), file.size)
        file.write(isTorn ? bytes.subarray(0, random.int(0, bytes.length)) : bytes, at)
      }
      file.unsynced = []
    }
    this.boot = `boot-${++this.boots}`
  }

  /** Flips a bit of a file. @returns where; undefined: there is no file */
  flipBit(random: Random): string | undefined {
    const paths = [...this.names].filter(([path, { size }]) => /\.(seg|ckpt)$/.test(path) && size > 0)
    if (paths.length === 0) return undefined
    // What a start needs for sure is the end of the last segment.
    const last = paths
      .filter(([path]) => path.endsWith('.seg'))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .at(-1)
    const isLate = last !== undefined && random.chance(0.6)
    const [path, file] = isLate ? last : random.pick(paths)
    const at = random.int(isLate ? Math.floor(file.size / 2) : 0, file.size - 1)
    file.bytes[at]! ^= 1 << random.int(0, 7)
    this.counts.flipped++
    return `${path}, offset ${at}`
  }

  paths(): readonly string[] {
    return [...this.names.keys()]
  }

  /** An image of all files, which {@link restore} puts back, as other files. */
  copy(): ReadonlyMap<string, Buffer | undefined> {
    return new Map([...this.names].map(([path, file]) => [path, file.isFolder ? undefined : Buffer.from(file.content)]))
  }

  restore(copy: ReadonlyMap<string, Buffer | undefined>): void {
    this.names = new Map()
    for (const [path, bytes] of copy) {
      const file = this.newFile(bytes === undefined)
      if (bytes !== undefined) file.write(bytes, 0)
      file.unsynced = []
      this.names.set(path, file)
    }
    this.syncedNames = new Map(this.names)
    this.changes = []
  }

  // --- effects

  private answer(done: Done, act: () => unknown, partly: (share: number) => void = () => void act()): void {
    const effect = (share: number): void => partly(share)
    this.underWay.add(effect)
    const finish = (): void => {
      if (!this.underWay.has(effect)) return
      if (this.trouble.isStalled) {
        this.waiting.push(finish)
        return
      }
      this.underWay.delete(effect)
      TIME.touch()
      let value: unknown
      try {
        value = act()
      } catch (error) {
        this.counts.faults++
        done(error as DiskError)
        return
      }
      done(null, value as never)
    }
    const { random } = this
    TIME.after(random.chance(0.97) ? 0.02 + random.next() * 0.3 : random.next() * 30, finish)
  }

  private newFile(isFolder: boolean): File {
    return new File(this.inoNext++, isFolder)
  }

  private find(path: string, syscall: string): File {
    const file = this.names.get(path)
    if (file === undefined) throw failure('ENOENT', syscall, path)
    return file
  }

  private fileOf(fd: number): File {
    const opened = this.open.get(fd)
    if (opened === undefined) throw failure('EBADF', 'fd', String(fd))
    return opened.file
  }

  private change(change: (names: Map<string, File>) => void): void {
    change(this.names)
    this.changes.push(change)
  }

  private openNow(path: string, flags: string): number {
    let file = this.names.get(path)
    if (flags.includes('x') && file !== undefined) throw failure('EEXIST', 'open', path)
    if (flags.startsWith('w')) {
      if (this.trouble.isFull && file === undefined) throw failure('ENOSPC', 'open', path)
      if (file === undefined) {
        const made = this.newFile(false)
        this.change((names) => names.set(path, made))
        file = made
      } else {
        file.size = 0
        file.bytes.fill(0)
        file.unsynced = []
      }
    }
    if (file === undefined) throw failure('ENOENT', 'open', path)
    const fd = this.fdNext++
    this.open.set(fd, { file, path })
    return fd
  }

  private statNow(file: File): object {
    const ns = (ms: number): bigint => BigInt(Math.round(ms * 1_000)) * 1_000n
    return {
      ino: BigInt(file.ino),
      dev: DEVICE,
      size: BigInt(file.size),
      birthtimeNs: ns(file.birthMs),
      mtimeNs: ns(file.modifiedMs),
      ctimeNs: ns(file.changedMs),
    }
  }

  private readNow(fd: number, into: Uint8Array, at: number, length: number, from: number): number {
    const part = this.fileOf(fd).content.subarray(from, from + length)
    into.set(part, at)
    return part.length
  }

  private writeNow(fd: number, bytes: Uint8Array, from: number, share: number): number {
    const { file, path } = this.open.get(fd) ?? {}
    if (file === undefined) throw failure('EBADF', 'write', String(fd))
    const { trouble, random } = this
    this.counts.writes++
    if (trouble.writeFails) throw failure('EIO', 'write', path!)
    let length = Math.floor(bytes.length * share)
    if (trouble.isFull) {
      // Some octets may still fit.
      length = random.chance(0.3) ? random.int(0, bytes.length - 1) : 0
      if (length === 0) throw failure('ENOSPC', 'write', path!)
    } else if (random.chance(0.01)) length = Math.min(length, random.int(1, bytes.length))
    file.write(bytes.subarray(0, length), from)
    return length
  }

  private syncNow(fd: number): void {
    const { file, path } = this.open.get(fd) ?? {}
    if (file === undefined) throw failure('EBADF', 'fsync', String(fd))
    this.counts.syncs++
    if (this.trouble.syncFails) {
      // What was not written then is forgotten, and the next sync does not report it. Names are not forgotten so: a file system
      // that cannot keep them in its journal takes nothing more, and a sync that succeeds later holds for all of them.
      file.hasFailed = !file.isFolder
      throw failure('EIO', 'fsync', path!)
    }
    if (this.trouble.lies || file.hasFailed) return
    if (file.isFolder) {
      this.syncedNames = new Map(this.names)
      this.changes = []
    } else file.unsynced = []
  }

  private renameNow(from: string, to: string): void {
    const file = this.find(from, 'rename')
    file.changedMs = TIME.wallMs
    this.change((names) => {
      names.delete(from)
      names.set(to, file)
    })
  }

  private unlinkNow(path: string): void {
    this.find(path, 'unlink')
    this.change((names) => names.delete(path))
  }

  private linkNow(from: string, to: string): void {
    const file = this.find(from, 'link')
    this.change((names) => names.set(to, file))
  }

  private folderNow(path: string): void {
    if (this.names.has(path)) return
    if (path !== '/') this.folderNow(dirname(path))
    const made = this.newFile(true)
    this.change((names) => names.set(path, made))
  }

  private namesIn(path: string): string[] {
    this.find(path, 'scandir')
    const prefix = `${path}/`
    const names = [...this.names.keys()].filter(
      (each) => each.startsWith(prefix) && !each.slice(prefix.length).includes('/'),
    )
    return names.map((each) => each.slice(prefix.length)).toSorted()
  }
}
