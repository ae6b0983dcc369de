// Store client: main's end of the store thread. A thread that ends or hangs is replaced; until the new one has reported
// what changed meanwhile, all access rights are unknown.
// Over 400 lines, because starting, watching and replacing a thread are one state machine, on which every task depends.

import { randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { elapsedMs } from '../clock.ts'
import type { Bookmaker, Verification, VerificationPolicy } from '../domain/coverage.ts'
import { Durations } from '../durations.ts'
import type { Grant, Want } from './block-window.ts'
import { type Fault, fault, messageOf } from './fault.ts'
import type { PortalResults, PortalTask } from './portal-tasks.ts'
import type { Leftover, ReserveFailure } from './reserving-ledger.ts'
import { type MintedKey } from './account-records.ts'
import { Store } from './store.ts'
import { type FileId, fileIdOf, lockPath } from './store-file.ts'
import {
  type FromThread,
  type Outage,
  PULSE,
  type StoreChanges,
  type StoreHealth,
  type Task,
  type ThreadData,
  type ToThread,
} from './store-messages.ts'
import type { LastVerification, VerificationEffect } from './verification-records.ts'

type Answer = Extract<FromThread, { readonly kind: 'done' | 'failed' }>

export interface StoreClientOptions {
  readonly dataDir: string
  /** Now, epoch ms. */
  readonly at: number
  /** Whether to serve the store although something in it may be missing. */
  readonly accepts: boolean
  /**
   * Applies changes; once it returns they hold, and the command that made them may return.
   * @param isFirst everything, at the start
   */
  readonly apply: (changes: StoreChanges, isFirst: boolean) => Promise<void> | undefined
  /**
   * Called when polling for changes fails (with the reason) and when it works again (undefined): in between, a
   * revocation could be missed. Called again when the store is found to be lost, or is no longer lost.
   */
  readonly onBlind: (outage: Outage | undefined) => void
  /** Called when nothing can be recorded (with the reason), and when that ends (undefined). */
  readonly onUnwritable: (reason: string | undefined) => void
}

/** Tasks that /metrics counts together. */
const OPERATION = {
  reserve: 'reserve',
  release: 'release',
  'import-coverage': 'coverage',
  'remove-due': 'coverage',
  'demo-key': 'key',
  'record-verification': 'verification',
  'finish-request': 'verification',
  'last-verifications': 'verification',
  portal: 'portal',
  close: 'close',
} as const satisfies Record<Task['task'], string>

/** Interval of the checks of the thread's pulse. */
const PULSE_MS = 250

/** Polls that fail in a row, and checks without any poll (a hanging disk), after which rights are unknown. */
const FAILURES_MAX = 5
const SILENT_CHECKS_MAX = 20

/**
 * Checks without any poll, successful or not, after which a thread counts as hanging and is replaced: 10 s. Counted in
 * our own checks, so that nothing is replaced when the whole process was paused. Any single operation of a thread is
 * shorter.
 */
const HUNG_CHECKS = 40

/**
 * Threads that hang at the same time: one that is blocked in the system ends only when the system returns. While there
 * are this many, no other is started, because the same cause would block it.
 */
const HUNG_MAX = 2

/**
 * Delay before a thread that ended is replaced: longer each time, so that a thread that cannot run is not started in a
 * tight loop, and reset after one that has lived as long as the longest delay.
 */
const RESTART_MS_MIN = 100
const RESTART_MS_MAX = 10_000

const ENDED = 'the store thread has ended'
const HANGS = 'the store thread hangs'

const PULSES = Object.keys(PULSE).length
const NO_PULSE = new Int32Array(PULSES)

/** A thread that is being started as a replacement. */
interface Starting {
  readonly worker: Worker
  /** Checks since it was started. */
  checks: number
  readonly giveUp: () => void
}

const HEALTHY: StoreHealth = { misplaced: undefined, unwritable: undefined }

export class StoreClient {
  /** Threads that were started in place of one that ended. */
  restarts = 0
  /** How long answers took, by {@link OPERATION}. */
  readonly durations = new Map<string, Durations>()
  private readonly options: StoreClientOptions
  private readonly run = randomBytes(12).toString('hex')
  private readonly lockId: FileId | undefined
  private readonly waiting = new Map<number, (answer: Answer) => void>()
  private readonly timer: NodeJS.Timeout
  /** Undefined while there is no thread. */
  private worker: Worker | undefined
  private starting: Promise<Outage | undefined> | undefined
  private replacement: Starting | undefined
  private pulse: Int32Array = NO_PULSE
  private health = HEALTHY
  /** The file that the threads have open, and the last audit row that was applied. */
  private storeId: FileId | undefined
  private appliedAuditId = 0
  // Changes that are applied in several turns.
  private applying: Promise<void> | undefined
  private numberNext = 1
  private beatsSeen = 0
  private silentChecks = 0
  private pollsSeen = 0
  private stillChecks = 0
  /** Threads that were terminated because they hang, and have not ended. */
  private readonly givenUp = new Set<Worker>()
  private checksAlive = 0
  private restartMs = RESTART_MS_MIN
  private restartTimer: NodeJS.Timeout | undefined
  private endedBecause: Outage = { reason: ENDED, isLost: false }
  private closing = false
  private onHung = (): void => {}
  private blind: Outage | undefined
  private unwritable: string | undefined

  private constructor(options: StoreClientOptions) {
    this.options = options
    this.lockId = fileIdOf(lockPath(options.dataDir))
    this.timer = setInterval(() => this.feelPulse(), PULSE_MS).unref()
    process.on('exit', this.endUse)
  }

  /** Starts the thread. Everything has been applied when it resolves. */
  static async open(options: StoreClientOptions): Promise<StoreClient | Fault> {
    const client = new StoreClient(options)
    const failed = await client.start()
    if (failed === undefined) return client
    client.stop()
    return fault(failed.reason)
  }

  /** Why access rights cannot be checked; undefined: they can. */
  get blindBecause(): string | undefined {
    return this.blind?.reason
  }

  /** Why nothing can be recorded; undefined: it can. */
  get unwritableBecause(): string | undefined {
    return this.unwritable
  }

  async reserve(wants: readonly Want[]): Promise<readonly Grant[] | ReserveFailure> {
    const answer = await this.ask({ task: 'reserve', wants })
    if (answer.kind === 'failed') return { failed: answer.message, busy: answer.busy }
    return answer.result as readonly Grant[]
  }

  /** Reservations that cannot be given back are lost, as after a crash. */
  async release(leftovers: readonly Leftover[]): Promise<void> {
    await this.ask({ task: 'release', leftovers })
  }

  importCoverage(bookmakers: readonly Bookmaker[], at: number): Promise<Fault | undefined> {
    return this.perform<undefined>({ task: 'import-coverage', bookmakers, at }, 'coverage cannot be stored')
  }

  createDemoKey(at: number): Promise<MintedKey | Fault> {
    return this.perform({ task: 'demo-key', at }, 'the demo key cannot be stored')
  }

  removeDue(at: number): Promise<Fault | undefined> {
    return this.perform<undefined>({ task: 'remove-due', at }, 'removals of coverage cannot be carried out')
  }

  recordVerification(
    run: Verification,
    policy: VerificationPolicy,
    request: number | null,
    at: number,
  ): Promise<VerificationEffect | Fault> {
    const task = { task: 'record-verification', run, policy, request, at } as const
    return this.perform(task, 'the verification cannot be recorded')
  }

  finishRequest(id: number, detail: string): Promise<Fault | undefined> {
    return this.perform<undefined>({ task: 'finish-request', id, detail }, 'the request cannot be finished')
  }

  /** What the portal asks for. All changes that it made hold when this resolves. */
  async portal<T extends PortalTask['kind']>(
    work: Extract<PortalTask, { readonly kind: T }>,
  ): Promise<PortalResults[T] | Fault> {
    const result = await this.perform<PortalResults[T]>({ task: 'portal', work }, 'the store cannot be asked')
    await this.applying
    return result
  }

  lastVerifications(): Promise<readonly LastVerification[] | Fault> {
    return this.perform({ task: 'last-verifications' }, 'verifications cannot be read')
  }

  /** The result of a task that the thread performs; a fault says what is not possible, and why. */
  private async perform<T>(task: Task, impossible: string): Promise<T | Fault> {
    const answer = await this.ask(task)
    return answer.kind === 'failed' ? fault(`${impossible} (${answer.message})`) : (answer.result as T)
  }

  /**
   * Resolves when the store is closed and the thread has ended, or hangs. With a hanging thread the process ends only
   * when that thread returns, or by SIGKILL; then the next start finds the log as it is.
   */
  async close(): Promise<void> {
    this.closing = true
    clearTimeout(this.restartTimer)
    // A thread that is being started is ended in the same way.
    await this.starting
    const { worker } = this
    if (worker !== undefined) {
      const ended = new Promise<void>((resolve) => {
        worker.once('exit', () => resolve())
        this.onHung = resolve
      })
      await this.ask({ task: 'close' })
      await ended
    }
    // If a thread hangs, the exit of the process ends the use: what blocks that thread could block this one, too.
    if (this.givenUp.size > 0) clearInterval(this.timer)
    else {
      if (worker === undefined) this.endUse()
      this.stop()
    }
  }

  private stop(): void {
    clearInterval(this.timer)
    process.off('exit', this.endUse)
  }

  /** Does what the thread no longer can when it has ended, or when the process ends without closing. */
  private readonly endUse = (): void => {
    if (this.storeId !== undefined && this.health.misplaced === undefined) {
      Store.endUseOf(this.options.dataDir, this.run, { store: this.storeId, lock: this.lockId })
    }
  }

  // --- the thread

  private start(): Promise<Outage | undefined> {
    const { dataDir, at, accepts } = this.options
    const pulse = new Int32Array(new SharedArrayBuffer(PULSES * Int32Array.BYTES_PER_ELEMENT))
    const resumes = this.storeId === undefined ? undefined : { store: this.storeId, auditId: this.appliedAuditId }
    const workerData: ThreadData = { dataDir, at, run: this.run, accepts, lockId: this.lockId, resumes, pulse }
    const starting = new Promise<Outage | undefined>((resolve) => {
      let worker: Worker
      let reason: string | undefined
      try {
        // The compiler does not rewrite this name: it is the name of the compiled file.
        // Closing a descriptor of a database releases all locks that the process has on that file, those of the
        // replacement thread included (fcntl(2)): so Node must not close what a thread leaves open.
        const options = { workerData, trackUnmanagedFds: false }
        worker = new Worker(new URL('./store-thread.js', import.meta.url), options)
      } catch (error) {
        return resolve(outageOf(`the store thread cannot be started (${messageOf(error)})`))
      }
      // The first thread may migrate a large store, and no request is served before that.
      if (resumes !== undefined) {
        this.replacement = { worker, checks: 0, giveUp: () => resolve(outageOf(HANGS)) }
      }
      // An exception in the thread, or its memory is used up; its exit follows.
      worker.on('error', (error) => {
        reason = messageOf(error)
      })
      worker.on('exit', () => {
        if (worker === this.worker) this.ended(reason)
        else resolve(outageOf(`the store cannot be opened (${reason ?? ENDED})`))
      })
      worker.on('message', (message: FromThread) => {
        // A terminated thread may still have sent a message.
        if (this.givenUp.has(worker)) return
        if (message.kind === 'refused') resolve(message.outage)
        else if (message.kind !== 'opened') {
          if (worker === this.worker) this.receive(message)
        } else {
          this.opened(worker, pulse, message)
          resolve(undefined)
        }
      })
    }).finally(() => {
      this.replacement = undefined
    })
    this.starting = starting
    return starting
  }

  private opened(worker: Worker, pulse: Int32Array, message: Extract<FromThread, { readonly kind: 'opened' }>): void {
    const isFirst = this.storeId === undefined
    this.worker = worker
    this.pulse = pulse
    this.health = HEALTHY
    this.beatsSeen = 0
    this.silentChecks = 0
    this.pollsSeen = 0
    this.stillChecks = 0
    this.checksAlive = 0
    this.storeId = message.store
    // Revocations made meanwhile hold before any request is admitted.
    if (message.changes !== undefined) this.apply(message.changes, isFirst)
    else this.send({ task: 'applied', auditId: this.appliedAuditId })
    this.judge()
  }

  private ended(reason: string | undefined): void {
    this.worker = undefined
    this.replace(reason === undefined ? ENDED : `${ENDED} (${reason})`)
  }

  /** Terminates a thread that does not answer. It ends as soon as it can; a write in progress may still succeed. */
  private giveUp(worker: Worker): void {
    this.givenUp.add(worker)
    worker.once('exit', () => this.givenUp.delete(worker))
    // It must not keep the process alive.
    worker.unref()
    void worker.terminate()
  }

  private replace(reason: string): void {
    this.endedBecause = outageOf(reason)
    // Busy: a request that waits for a block may wait for the next thread, up to its deadline.
    for (const [number, settle] of this.waiting) settle(this.down(number))
    this.waiting.clear()
    if (this.closing) return
    this.judge()
    this.restartLater()
  }

  private restartLater(): void {
    this.restartTimer = setTimeout(() => {
      if (this.givenUp.size >= HUNG_MAX) return this.restartLater()
      this.restarts++
      void this.start().then((failed) => {
        if (failed === undefined || this.closing) return
        this.endedBecause = failed
        this.judge()
        this.restartLater()
      })
    }, this.restartMs).unref()
    this.restartMs = Math.min(2 * this.restartMs, RESTART_MS_MAX)
  }

  private down(number: number): Answer {
    return { kind: 'failed', number, message: this.endedBecause.reason, busy: !this.closing }
  }

  private ask(task: Task): Promise<Answer> {
    const number = this.numberNext++
    if (this.worker === undefined) return Promise.resolve(this.down(number))
    const startedMs = elapsedMs()
    return new Promise((resolve) => {
      this.waiting.set(number, (answer) => {
        this.noteDuration(OPERATION[task.task], elapsedMs() - startedMs)
        resolve(answer)
      })
      this.send({ ...task, number })
    })
  }

  private noteDuration(operation: string, ms: number): void {
    let durations = this.durations.get(operation)
    if (durations === undefined) {
      durations = new Durations()
      this.durations.set(operation, durations)
    }
    durations.add(ms)
  }

  private send(message: ToThread): void {
    this.worker?.postMessage(message)
  }

  private receive(message: FromThread): void {
    switch (message.kind) {
      case 'changed':
        this.apply(message.changes, false)
        return
      case 'health':
        this.health = message.health
        this.judge()
        return
      case 'done':
      case 'failed': {
        const settle = this.waiting.get(message.number)
        this.waiting.delete(message.number)
        settle?.(message)
      }
    }
  }

  private apply(changes: StoreChanges, isFirst: boolean): void {
    const later = this.options.apply(changes, isFirst)
    if (later === undefined && this.applying === undefined) this.applied(changes.auditId)
    else {
      // All changes up to an audit row have been applied when it is reported.
      const applying = Promise.all([this.applying, later]).then(() => {
        this.applied(changes.auditId)
        if (this.applying === applying) this.applying = undefined
      })
      this.applying = applying
    }
  }

  private applied(auditId: number): void {
    this.appliedAuditId = auditId
    this.send({ task: 'applied', auditId })
  }

  // --- its state

  private feelPulse(): void {
    const { worker, replacement } = this
    if (replacement !== undefined && ++replacement.checks >= HUNG_CHECKS) {
      this.giveUp(replacement.worker)
      replacement.giveUp()
    }
    if (worker !== undefined) {
      const polls = Atomics.load(this.pulse, PULSE.polls)
      this.stillChecks = polls === this.pollsSeen ? this.stillChecks + 1 : 0
      this.pollsSeen = polls
      if (this.stillChecks >= HUNG_CHECKS) {
        this.worker = undefined
        this.giveUp(worker)
        this.replace(HANGS)
        this.onHung()
        return
      }
      const beats = Atomics.load(this.pulse, PULSE.beats)
      this.silentChecks = beats === this.beatsSeen ? this.silentChecks + 1 : 0
      this.beatsSeen = beats
      if (++this.checksAlive * PULSE_MS >= RESTART_MS_MAX) this.restartMs = RESTART_MS_MIN
    }
    this.judge()
  }

  private judge(): void {
    // No request is served before the first thread has opened the store.
    if (this.closing || this.storeId === undefined) return
    const blind = this.blindness()
    // undefined: there is no outage.
    const isNews = blind?.isLost !== this.blind?.isLost
    this.blind = blind
    if (isNews) this.options.onBlind(blind)
    const unwritable = this.worker === undefined ? this.unwritable : this.health.unwritable
    if (unwritable === this.unwritable) return
    this.unwritable = unwritable
    this.options.onUnwritable(unwritable)
  }

  private blindness(): Outage | undefined {
    if (this.worker === undefined) return this.endedBecause
    if (this.health.misplaced !== undefined) return this.health.misplaced
    const isFailing = Atomics.load(this.pulse, PULSE.failures) >= FAILURES_MAX
    return isFailing || this.silentChecks >= SILENT_CHECKS_MAX ? outageOf('the store cannot be read') : undefined
  }
}

/** An outage that may end by itself. */
const outageOf = (reason: string): Outage => ({ reason, isLost: false })
