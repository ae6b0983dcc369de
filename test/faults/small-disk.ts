// A small file system of its own, which another file can fill.

import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const CHUNK_BYTES = 4_096

const mounted = new Set<string>()
process.on('exit', () => {
  for (const path of mounted) spawnSync('umount', ['-l', path])
})

export class SmallDisk {
  readonly path: string

  /** Mounts a tmpfs; a text where that is not possible. */
  static mount(path: string, megabytes: number): SmallDisk | string {
    mkdirSync(path, { recursive: true })
    const { error, status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path], {
      encoding: 'utf8',
    })
    if (error !== undefined) return `mount is not installed (${error.message})`
    if (status !== 0) return `a tmpfs cannot be mounted: ${stderr.trim().split('\n')[0]}`
    mounted.add(path)
    return new SmallDisk(path)
  }

  private constructor(path: string) {
    this.path = path
  }

  private get filler(): string {
    return join(this.path, 'filler')
  }

  /** Fills it to the last page. */
  fill(): void {
    const chunk = Buffer.alloc(CHUNK_BYTES, 'x')
    const fd = openSync(this.filler, 'a')
    try {
      for (;;) writeSync(fd, chunk)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    } finally {
      closeSync(fd)
    }
  }

  free(): void {
    rmSync(this.filler)
  }

  unmount(): void {
    spawnSync('umount', ['-l', this.path])
    mounted.delete(this.path)
  }
}
