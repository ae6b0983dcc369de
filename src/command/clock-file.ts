// A small file beside the log: a moment of the time of the service, from which the next process continues it.

import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkedText, readChecked } from '../log/checked-file.ts'
import type { Clock, Mark, Resumed } from '../clock.ts'

/** The name of the file in the data folder. */
const CLOCK_FILE = 'clock.json'

/** The mark that the last process has left; undefined: none that can be read. */
export const markOf = (dataDir: string): Mark | undefined => {
  const { at, bootId, uptimeMs } = (readChecked(join(dataDir, CLOCK_FILE)) ?? {}) as Partial<Mark>
  if (!Number.isFinite(at) || !Number.isFinite(uptimeMs) || typeof bootId !== 'string') return undefined
  return { at: at!, bootId, uptimeMs: uptimeMs! }
}

/** Any moment will do, so a mark that could not be written is no loss. What our time followed the system's clock since is. */
const MARK_EVERY_MS = 10_000

export class ClockFile {
  private readonly dataDir: string
  private readonly path: string
  private readonly clock: Pick<Clock, 'mark' | 'resume'>
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> | undefined

  constructor(dataDir: string, clock: Pick<Clock, 'mark' | 'resume'>) {
    this.dataDir = dataDir
    this.path = join(dataDir, CLOCK_FILE)
    this.clock = clock
  }

  /** Continues the time of the process that has written the log. */
  resume(lastTurnAt: number): Resumed {
    return this.clock.resume(markOf(this.dataDir), lastTurnAt)
  }

  /** Writes marks from now on. */
  start(): void {
    this.mark()
    this.timer = setInterval(() => this.mark(), MARK_EVERY_MS).unref()
  }

  mark(): void {
    this.writing ??= this.write().finally(() => {
      this.writing = undefined
    })
  }

  /** Resolves when nothing is being written. */
  async stop(): Promise<void> {
    clearInterval(this.timer)
    await this.writing
  }

  private async write(): Promise<void> {
    try {
      await writeFile(`${this.path}.part`, checkedText(this.clock.mark()), { mode: 0o600 })
      await rename(`${this.path}.part`, this.path)
    } catch {
      // See above.
    }
  }
}
