// Store client: main's end of the store thread. A thread that ends is replaced; until the new one has said what has changed
// meanwhile, nobody's rights are known.

import { randomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import type { Bookmaker, Verification, VerificationPolicy } from '../domain/coverage.ts'
import { type Fault, fault, messageOf } from './fault.ts'
import type { Grant, Leftover, ReserveFailure, Want } from './reserving-ledger.ts'
import { type MintedKey, Store } from './store.ts'
import { type FileId, fileIdOf, lockPath } from './store-file.ts'
import {
  type FromThread,
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
  /** Whether the store is served though something in it may be missing. */
  readonly accepts: boolean
  /**
   * Takes changes over; once it returns they hold, and the command that made them may return.
   * @param isFirst all there is, at the start
   */
  readonly apply: (changes: StoreChanges, isFirst: boolean) => void
  /**
   * Told when polling for changes fails (with the reason) and when it works again (undefined): between the two a
   * revocation could be missed.
   */
  readonly onBlind: (reason: string | undefined) => void
  /** Told when nothing can be recorded (with the reason), and when that ends (undefined). */
  readonly onUnwritable: (reason: string | undefined) => void
}

/** How often the pulse of the thread is felt. */
const PULSE_MS = 250

/** Polls that fail in a row, and checks without any poll (a hanging disk), before we are blind. */
const FAILURES_MAX = 5
const SILENT_CHECKS_MAX = 20

/**
 * How long after its end a thread is replaced: longer each time, so that one that cannot live is not started in a loop,
 * and from the beginning after one that has lived as long as the longest pause.
 */
const RESTART_MS_MIN = 100
const RESTART_MS_MAX = 10_000

const ENDED = 'the store thread has ended'

const NO_PULSE = new Int32Array(2)

const HEALTHY: StoreHealth = { misplaced: undefined, unwritable: undefined }

export class StoreClient {
  /** Threads that were started in place of one that ended. */
  restarts = 0
  private readonly options: StoreClientOptions
  private readonly run = randomBytes(12).toString('hex')
  private readonly lockId: FileId | undefined
  private readonly waiting = new Map<number, (answer: Answer) => void>()
  private readonly timer: NodeJS.Timeout
  /** Undefined while no thread serves us. */
  private worker: Worker | undefined
  private starting: Promise<Fault | undefined> | undefined
  private pulse: Int32Array = NO_PULSE
  private health = HEALTHY
  /** The file that the threads have open, and the last audit row that we have applied. */
  private storeId: FileId | undefined
  private appliedAuditId = 0
  private numberNext = 1
  private beatsSeen = 0
  private silentChecks = 0
  private checksAlive = 0
  private restartMs = RESTART_MS_MIN
  private restartTimer: NodeJS.Timeout | undefined
  private endedBecause = ENDED
  private closing = false
  private blind: string | undefined
  private unwritable: string | undefined

  private constructor(options: StoreClientOptions) {
    this.options = options
    this.lockId = fileIdOf(lockPath(options.dataDir))
    this.timer = setInterval(() => this.feelPulse(), PULSE_MS).unref()
    process.on('exit', this.endUse)
  }

  /** Starts the thread. All there is has been applied when it resolves. */
  static async open(options: StoreClientOptions): Promise<StoreClient | Fault> {
    const client = new StoreClient(options)
    const failed = await client.start()
    if (failed === undefined) return client
    client.stop()
    return failed
  }

  /** Why access rights cannot be checked just now; undefined: they can. */
  get blindBecause(): string | undefined {
    return this.blind
  }

  /** Why nothing can be recorded just now; undefined: it can. */
  get unwritableBecause(): string | undefined {
    return this.unwritable
  }

  async reserve(wants: readonly Want[]): Promise<readonly Grant[] | ReserveFailure> {
    const answer = await this.ask({ task: 'reserve', wants })
    if (answer.kind === 'failed') return { failed: answer.message, busy: answer.busy }
    return answer.result as readonly Grant[]
  }

  /** What cannot be given back is lost, as after a crash. */
  async release(leftovers: readonly Leftover[]): Promise<void> {
    await this.ask({ task: 'release', leftovers })
  }

  async importCoverage(bookmakers: readonly Bookmaker[], at: number): Promise<Fault | undefined> {
    const answer = await this.ask({ task: 'import-coverage', bookmakers, at })
    return answer.kind === 'failed' ? fault(`coverage cannot be stored (${answer.message})`) : undefined
  }

  async createDemoKey(at: number): Promise<MintedKey | Fault> {
    const answer = await this.ask({ task: 'demo-key', at })
    if (answer.kind === 'failed') return fault(`the demo key cannot be stored (${answer.message})`)
    return answer.result as MintedKey
  }

  async removeDue(at: number): Promise<Fault | undefined> {
    const answer = await this.ask({ task: 'remove-due', at })
    return answer.kind === 'failed'
      ? fault(`removals of coverage cannot be carried out (${answer.message})`)
      : undefined
  }

  async recordVerification(
    run: Verification,
    policy: VerificationPolicy,
    request: number | null,
    at: number,
  ): Promise<VerificationEffect | Fault> {
    const answer = await this.ask({ task: 'record-verification', run, policy, request, at })
    if (answer.kind === 'failed') return fault(`the verification cannot be recorded (${answer.message})`)
    return answer.result as VerificationEffect
  }

  async finishRequest(id: number, detail: string): Promise<Fault | undefined> {
    const answer = await this.ask({ task: 'finish-request', id, detail })
    return answer.kind === 'failed' ? fault(`the request cannot be finished (${answer.message})`) : undefined
  }

  async lastVerifications(): Promise<readonly LastVerification[] | Fault> {
    const answer = await this.ask({ task: 'last-verifications' })
    if (answer.kind === 'failed') return fault(`verifications cannot be read (${answer.message})`)
    return answer.result as readonly LastVerification[]
  }

  /** Resolves when the store is closed and the thread has ended. */
  async close(): Promise<void> {
    this.closing = true
    clearTimeout(this.restartTimer)
    // One that is just being started is ended like any other.
    await this.starting
    const { worker } = this
    if (worker !== undefined) {
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      await this.ask({ task: 'close' })
      await ended
    } else this.endUse()
    this.stop()
  }

  private stop(): void {
    clearInterval(this.timer)
    process.off('exit', this.endUse)
  }

  /** What the thread cannot do any more when it has ended, or the process ends without closing. */
  private readonly endUse = (): void => {
    if (this.storeId !== undefined && this.health.misplaced === undefined) {
      Store.endUseOf(this.options.dataDir, this.run, this.storeId)
    }
  }

  // --- the thread

  private start(): Promise<Fault | undefined> {
    const { dataDir, at, accepts } = this.options
    const pulse = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
    const resumes = this.storeId === undefined ? undefined : { store: this.storeId, auditId: this.appliedAuditId }
    const workerData: ThreadData = { dataDir, at, run: this.run, accepts, lockId: this.lockId, resumes, pulse }
    this.starting = new Promise((resolve) => {
      let worker: Worker
      let reason: string | undefined
      try {
        // The compiler does not rewrite this name: it is that of the compiled file.
        worker = new Worker(new URL('./store-thread.js', import.meta.url), { workerData })
      } catch (error) {
        return resolve(fault(`the store thread cannot be started (${messageOf(error)})`))
      }
      // Thrown in the thread, or its memory is used up; its end follows.
      worker.on('error', (error) => {
        reason = messageOf(error)
      })
      worker.on('exit', () => {
        if (worker === this.worker) this.ended(reason)
        else resolve(fault(`the store cannot be opened (${reason ?? ENDED})`))
      })
      worker.on('message', (message: FromThread) => {
        if (message.kind === 'refused') resolve(fault(message.fault))
        else if (message.kind !== 'opened') this.receive(message)
        else {
          this.opened(worker, pulse, message)
          resolve(undefined)
        }
      })
    })
    return this.starting
  }

  private opened(worker: Worker, pulse: Int32Array, message: Extract<FromThread, { readonly kind: 'opened' }>): void {
    const isFirst = this.storeId === undefined
    this.worker = worker
    this.pulse = pulse
    this.health = HEALTHY
    this.beatsSeen = 0
    this.silentChecks = 0
    this.checksAlive = 0
    this.storeId = message.store
    // What was revoked meanwhile holds before anybody is let in again.
    if (message.changes !== undefined) this.apply(message.changes, isFirst)
    else this.send({ task: 'applied', auditId: this.appliedAuditId })
    this.judge()
  }

  private ended(reason: string | undefined): void {
    this.worker = undefined
    this.endedBecause = reason === undefined ? ENDED : `${ENDED} (${reason})`
    // Busy: whoever waits for a block may wait for the next thread, as long as a request waits at all.
    for (const [number, settle] of this.waiting) settle(this.down(number))
    this.waiting.clear()
    if (this.closing) return
    this.judge()
    this.restartLater()
  }

  private restartLater(): void {
    this.restartTimer = setTimeout(() => {
      this.restarts++
      void this.start().then((failed) => {
        if (failed === undefined || this.closing) return
        this.endedBecause = failed.fault
        this.judge()
        this.restartLater()
      })
    }, this.restartMs).unref()
    this.restartMs = Math.min(2 * this.restartMs, RESTART_MS_MAX)
  }

  private down(number: number): Answer {
    return { kind: 'failed', number, message: this.endedBecause, busy: !this.closing }
  }

  private ask(task: Task): Promise<Answer> {
    const number = this.numberNext++
    if (this.worker === undefined) return Promise.resolve(this.down(number))
    return new Promise((resolve) => {
      this.waiting.set(number, resolve)
      this.send({ ...task, number })
    })
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
    this.options.apply(changes, isFirst)
    this.appliedAuditId = changes.auditId
    this.send({ task: 'applied', auditId: changes.auditId })
  }

  // --- how it is

  private feelPulse(): void {
    if (this.worker !== undefined) {
      const beats = Atomics.load(this.pulse, PULSE.beats)
      this.silentChecks = beats === this.beatsSeen ? this.silentChecks + 1 : 0
      this.beatsSeen = beats
      if (++this.checksAlive * PULSE_MS >= RESTART_MS_MAX) this.restartMs = RESTART_MS_MIN
    }
    this.judge()
  }

  private judge(): void {
    // Before the first thread has opened the store nobody is served.
    if (this.closing || this.storeId === undefined) return
    const blind = this.blindness()
    if (blind !== this.blind) {
      // One line when it begins and one when it ends, whatever else goes wrong in between.
      const isNews = (blind === undefined) !== (this.blind === undefined)
      this.blind = blind
      if (isNews) this.options.onBlind(blind)
    }
    const unwritable = this.worker === undefined ? this.unwritable : this.health.unwritable
    if (unwritable === this.unwritable) return
    this.unwritable = unwritable
    this.options.onUnwritable(unwritable)
  }

  private blindness(): string | undefined {
    if (this.worker === undefined) return this.endedBecause
    if (this.health.misplaced !== undefined) return this.health.misplaced
    const isFailing = Atomics.load(this.pulse, PULSE.failures) >= FAILURES_MAX
    return isFailing || this.silentChecks >= SILENT_CHECKS_MAX ? 'the store cannot be read' : undefined
  }
}
