// Warns the operator before the disk of the log is full: then nothing new could be published.

import { stat, statfs } from 'node:fs/promises'
import { LIMITS } from '../limits.ts'
import { checkpointPath } from '../log/log-folder.ts'

export class LogSpace {
  /** At the last look; undefined: not known. */
  freeBytes: number | undefined
  private readonly folder: string
  private readonly checkpoint: () => number
  private readonly report: (level: 'info' | 'warn', message: string) => void
  private nextMs = Number.NEGATIVE_INFINITY
  private isShort = false

  /** @param checkpoint the turn of the newest one; 0: there is none */
  constructor(folder: string, checkpoint: () => number, report: (level: 'info' | 'warn', message: string) => void) {
    this.folder = folder
    this.checkpoint = checkpoint
    this.report = report
  }

  /** Looks once a minute. Called often. */
  look(nowMs: number): void {
    if (nowMs < this.nextMs) return
    this.nextMs = nowMs + LIMITS.logSpaceMs
    // A file system that does not say it is no reason for a warning.
    this.measure().catch(() => undefined)
  }

  private async measure(): Promise<void> {
    const { bavail, bsize } = await statfs(this.folder)
    const freeBytes = bavail * bsize
    this.freeBytes = freeBytes
    const turn = this.checkpoint()
    const size = turn === 0 ? 0 : (await stat(checkpointPath(this.folder, turn))).size
    // A checkpoint is written beside the two before it.
    const neededBytes = 2 * size + LIMITS.logSegmentBytesMax
    const isShort = freeBytes < neededBytes
    if (isShort === this.isShort) return
    this.isShort = isShort
    const room = `the disk of the log has ${freeBytes} octets left`
    if (!isShort) this.report('info', `${room}: that is enough again`)
    else this.report('warn', `${room}, and a segment and two checkpoints need ${neededBytes}: free space on it`)
  }
}
