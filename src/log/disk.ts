// The functions of the file system that the log uses. Tests pass others, to make them fail or wait.

import * as fs from 'node:fs'

/** The calls that wait for the disk, of whoever may wait: a checkpoint is written and read so. */
export type SyncDisk = Pick<
  typeof fs,
  'openSync' | 'closeSync' | 'fstatSync' | 'readSync' | 'writeSync' | 'fsyncSync' | 'renameSync' | 'rmSync'
>

/** What a checkpoint is read with: large parts by several threads, where `read` is there, or `parts`. */
export type ReadDisk = SyncDisk & { readonly read?: Disk['read'] | undefined; readonly parts?: PartRead }

/** A way to read much without taking the time of this thread. */
export interface PartRead {
  /**
   * Fills shared memory from a place of a file.
   * @returns the CRC-32 of what was read; undefined: it is not read, or not all of it
   */
  read(file: number, into: Uint8Array, start: number): Promise<number | undefined>
  /** What is not read by then is not read. */
  close(): void
}

/** A way to write within the call, as long as the disk answers within a few milliseconds. */
export interface QuickWrite {
  /**
   * @returns octets written; -1: it failed; undefined: it is not done in time (see {@link idle}), or cannot be done so.
   * What is not written is written again to the same place, in another way
   */
  write(fd: number, bytes: Uint8Array, from: number): number | undefined
  /** Resolves when a write that was not done in time has ended; undefined: there is none. */
  readonly idle: Promise<void> | undefined
  close(): void
}

export type Disk = SyncDisk &
  Pick<
    typeof fs,
    | 'open'
    | 'close'
    | 'fstat'
    | 'read'
    | 'writev'
    | 'fsync'
    | 'fdatasync'
    | 'rename'
    | 'unlink'
    | 'link'
    | 'mkdir'
    | 'readdir'
    | 'readFile'
    | 'stat'
  > & {
    /** Left out: no write is made within the call. */
    readonly quick?: QuickWrite
    /** Left out: large parts of a checkpoint are read by the threads of the runtime, and summed up by this one. */
    readonly parts?: PartRead
    /** The boot of the machine that has the disk; left out: this one. */
    readonly boot?: string
  }

export const DISK: Disk = fs

export type DiskError = NodeJS.ErrnoException

/** A call with a callback as a promise. Plain callbacks cost less than the promises of node:fs. */
export const call = <Value = void>(
  start: (done: (error: DiskError | null, value?: Value) => void) => void,
): Promise<Value> =>
  new Promise((resolve, reject) =>
    start((error, value) => {
      if (error === null || error === undefined) resolve(value as Value)
      else reject(error)
    }),
  )

export const openFile = (disk: Disk, path: string, flags: string): Promise<number> =>
  call<number>((done) => disk.open(path, flags, 0o600, done))

export const closeFile = (disk: Disk, fd: number): Promise<void> => call((done) => disk.close(fd, done))

export const statOf = (disk: Disk, fd: number): Promise<fs.BigIntStats> =>
  call<fs.BigIntStats>((done) => disk.fstat(fd, { bigint: true }, done))

/** @returns number of octets read; 0 at the end of the file */
export const readAt = (disk: Disk, fd: number, into: Uint8Array, at: number, length: number, from: number) =>
  call<number>((done) => disk.read(fd, into, at, length, from, done))

/** Writes all octets; a short write continues. */
export const writeAll = async (disk: Disk, fd: number, buffers: readonly Uint8Array[], from: number): Promise<void> => {
  let waiting = buffers.filter(({ length }) => length > 0)
  let position = from
  while (waiting.length > 0) {
    let written = await call<number>((done) => disk.writev(fd, waiting, position, done))
    if (written === 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' })
    position += written
    waiting = waiting.flatMap((buffer) => {
      const taken = Math.min(written, buffer.length)
      written -= taken
      return taken === buffer.length ? [] : [buffer.subarray(taken)]
    })
  }
}

/** Makes what is written to a file durable. */
export const syncFile = async (disk: Disk, path: string): Promise<void> => {
  const fd = await openFile(disk, path, 'r+')
  try {
    await call((done) => disk.fdatasync(fd, done))
  } finally {
    await closeFile(disk, fd)
  }
}

/** Makes names in a folder durable. */
export const syncFolder = async (disk: Disk, folder: string): Promise<void> => {
  const fd = await openFile(disk, folder, 'r')
  try {
    await call((done) => disk.fsync(fd, done))
  } finally {
    await closeFile(disk, fd)
  }
}

/** Unless it is not there. */
export const removeFile = (disk: Disk, path: string): Promise<void> =>
  call((done) => disk.unlink(path, (error) => done(error?.code === 'ENOENT' ? null : error)))
