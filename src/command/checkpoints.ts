// Checkpoints while the server runs: a restart reads the newest one and applies the turns since. A thread makes them.

import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { messageOf } from '../access/fault.ts'
import * as clock from '../clock.ts'
import type { Settings } from '../config.ts'
import { LIMITS } from '../limits.ts'
import type { FileLog } from '../log/file-log.ts'
import { checkpointPath } from '../log/log-folder.ts'
import { THREAD_LIMITS } from '../domain/memory.ts'
import type { CheckpointTask } from './checkpoint-maker.ts'
import { logFolder } from './log-recovery.ts'
import type { State } from './state.ts'

export interface CheckpointsOptions {
  readonly settings: Settings
  readonly state: State
  readonly log: FileLog
  /** Turn of the newest checkpoint. */
  readonly position: number
  /** Turns since then that the start has applied. */
  readonly turnsSince: number
  readonly report: (level: 'info' | 'warn' | 'error', message: string) => void
}

export class Checkpoints {
  /** For metrics. */
  readonly counts = { done: 0, failed: 0, lastMs: 0 }
  /** Turn of the newest one. */
  position: number
  private readonly options: CheckpointsOptions
  private worker: Worker | undefined
  private making: Promise<void> | undefined
  // Octets of the log at the last one, and when the next one may begin.
  private bytesThen = 0
  private notBeforeMs: number
  private isOver = false

  constructor(options: CheckpointsOptions) {
    this.options = options
    this.position = options.position
    // Soon after a start that found turns without a checkpoint: else short lives would make the next starts ever longer,
    // and turns that were first applied by another version of the program would begin an epoch each time.
    if (options.turnsSince > 0) this.bytesThen = -LIMITS.checkpointLogBytes
    this.notBeforeMs = clock.elapsedMs() + LIMITS.checkpointMsMin
  }

  /** Begins one if much has been written since the last: called often. */
  look(): void {
    const { log } = this.options
    const bytes = log.counters.bytesWritten - this.bytesThen
    const isDue = bytes >= LIMITS.checkpointLogBytes && clock.elapsedMs() >= this.notBeforeMs
    if (isDue && this.making === undefined && !this.isOver && log.trouble === undefined) {
      this.making = this.make().finally(() => (this.making = undefined))
    }
  }

  /**
   * Makes one for another process, unless the newest one is nearly as new.
   * @param least the first turn that it may be of
   * @returns its turn; 0: there is none
   */
  async fresh(least = 1): Promise<number> {
    const { log } = this.options
    await this.making
    const isOld = this.position < least || log.position - this.position > LIMITS.peerTurnsMax
    if (isOld && log.position > this.position && !this.isOver) {
      this.making ??= this.make().finally(() => (this.making = undefined))
      await this.making
    }
    return this.position >= least ? this.position : 0
  }

  private async make(): Promise<void> {
    const { settings, log, report } = this.options
    const { quotesMax, eventsMax, labelsMax, bookmakerShare, dataDir } = settings
    const startedMs = clock.elapsedMs()
    this.bytesThen = log.counters.bytesWritten
    // The turns that follow are in a segment of their own: a restart reads no part of one.
    const position = log.rotate()
    while (log.written < position && !this.isOver) await pause(LIMITS.turnMs)
    const task: CheckpointTask = {
      folder: logFolder(dataDir),
      settings: { quotesMax, eventsMax, labelsMax, bookmakerShare },
      position,
    }
    try {
      await this.run(task)
      this.position = position
      this.counts.done++
      await this.drop()
    } catch (error) {
      if (this.isOver) return
      this.counts.failed++
      report('warn', `a checkpoint could not be made, a restart takes longer: ${messageOf(error)}`)
    }
    this.counts.lastMs = clock.elapsedMs() - startedMs
    this.notBeforeMs = clock.elapsedMs() + Math.max(LIMITS.checkpointMsMin, LIMITS.checkpointRest * this.counts.lastMs)
  }

  private run(task: CheckpointTask): Promise<void> {
    return new Promise((resolve, reject) => {
      const worker = new Worker(new URL('./checkpoint-thread.js', import.meta.url), {
        workerData: task,
        execArgv: [],
        resourceLimits: THREAD_LIMITS,
      })
      this.worker = worker
      worker.once('message', () => resolve())
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('its thread ended')))
    })
  }

  /** Drops what no restart and no reader needs. */
  private async drop(): Promise<void> {
    const { settings, log, report } = this.options
    const keepFromAt = clock.now() - LIMITS.replayMsMax
    const { isOver, bytes } = await log.retain({ bytesMax: settings.logBytesMax, keepFromAt })
    if (isOver) {
      report(
        'warn',
        `the log needs ${bytes} octets, more than --log-bytes-max: what a restart needs is kept all the same`,
      )
    }
  }

  /**
   * Ends the thread, and writes a checkpoint of the state as it is now: a restart needs no turn then. All turns must be
   * published and written.
   */
  async finish(): Promise<void> {
    const { settings, state, log, report } = this.options
    this.isOver = true
    await this.worker?.terminate()
    await this.making
    if (this.position === log.position) return
    try {
      state.save(checkpointPath(logFolder(settings.dataDir), log.position), log.position)
      this.position = log.position
      await this.drop()
    } catch (error) {
      report('warn', `the last checkpoint could not be written, the next start takes longer: ${messageOf(error)}`)
    }
  }
}
