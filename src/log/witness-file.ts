// A small file outside of the folder of the log: how far the log was a moment ago. A log that ends before was replaced by
// an older one.

import { open, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { checkedText, readChecked } from './checked-file.ts'
import type { Witness, Witnessed } from './file-log.ts'

const isTurn = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

export class WitnessFile implements Witness {
  private readonly path: string
  private writing: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.path = path
  }

  /** Undefined: it was never written, or cannot be read. */
  read(): Witnessed | undefined {
    const { epoch, position, segment } = (readChecked(this.path) ?? {}) as Partial<Witnessed>
    if (typeof epoch !== 'string' || !/^[0-9a-z]+$/.test(epoch) || !isTurn(position)) return undefined
    return { epoch, position: position!, segment: isTurn(segment) ? segment : undefined }
  }

  /** If it cannot be written, it keeps an earlier position: of fewer turns it is still right. */
  write(at: Witnessed, isDurable = false): Promise<void> {
    const write = async (): Promise<void> => {
      await writeFile(`${this.path}.part`, checkedText(at), { mode: 0o600, flush: true })
      await rename(`${this.path}.part`, this.path)
      if (!isDurable) return
      const folder = await open(dirname(this.path), 'r')
      try {
        await folder.sync()
      } finally {
        await folder.close()
      }
    }
    const written = this.writing.then(write)
    this.writing = written.catch(() => undefined)
    return written
  }
}
