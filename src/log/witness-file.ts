// A small file outside of the folder of the log: how far the log was a moment ago. A log that ends before was replaced by
// an older one.

import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'

interface Position {
  readonly epoch: string
  readonly position: number
}

export class WitnessFile {
  private readonly path: string
  private isFirst = true
  private wanted: Position | undefined
  private isWriting = false

  constructor(path: string) {
    this.path = path
  }

  /** Undefined: it was never written, or cannot be read. */
  read(): Position | undefined {
    try {
      const { epoch, position } = JSON.parse(readFileSync(this.path, 'utf8')) as Partial<Position>
      return typeof epoch === 'string' && typeof position === 'number' ? { epoch, position } : undefined
    } catch {
      return undefined
    }
  }

  /**
   * The first time it is written when this returns, later soon after: the event loop does not wait for the disk. If it
   * cannot be written, it keeps an earlier position: of fewer turns it is still right.
   */
  write(epoch: string, position: number): void {
    this.wanted = { epoch, position }
    if (!this.isFirst) {
      void this.writeLater()
      return
    }
    this.isFirst = false
    writeFileSync(this.temporary, JSON.stringify(this.wanted), { mode: 0o600, flush: true })
    renameSync(this.temporary, this.path)
    this.wanted = undefined
  }

  private get temporary(): string {
    return `${this.path}.part`
  }

  private async writeLater(): Promise<void> {
    if (this.isWriting) return
    this.isWriting = true
    while (this.wanted !== undefined) {
      const next = this.wanted
      this.wanted = undefined
      try {
        await writeFile(this.temporary, JSON.stringify(next), { mode: 0o600, flush: true })
        await rename(this.temporary, this.path)
      } catch {
        // See above.
      }
    }
    this.isWriting = false
  }
}
