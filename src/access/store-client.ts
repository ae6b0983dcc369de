// Store client: main's end of the store thread. A thread that ends or hangs is replaced; until the new one has reported
// what changed meanwhile, all access rights are unknown.
// Over 400 lines, because starting, watching and replacing a thread are one state machine, on which every task depends.

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { elapsedMs } from '../clock.ts'
import type { Bookmaker, Verification, VerificationPolicy } from '../domain/coverage.ts'
import type { StoreInput, StoreMark } from '../domain/input.ts'
import type { Refusal } from '../domain/refusal.ts'
import { Durations } from '../durations.ts'
import type { Grant, Want } from './block-window.ts'
import { beginThread } from './early-thread.ts'
import { type Fault, fault, isFault, messageOf } from './fault.ts'
import type { PortalResults, PortalTask } from './portal-tasks.ts'
import type { Verdict } from './proposer.ts'
import { type Draft, newName } from './rehearsal.ts'
import type { Leftover, ReserveFailure } from './reserving-ledger.ts'
import { type MintedKey } from './account-records.ts'
import type { Made } from './shared-records.ts'
import { Store } from './store.ts'
import { type FileId, fileIdOf, lockPath } from './store-file.ts'
import {
  type FromThread,
  type Outage,
  PULSE,
  type Standing,
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
  /** Set where other processes share the store. */
  readonly shared?: SharedStoreOptions | undefined
}

/** The log that several processes share, as far as the store needs it. */
export interface SharedStoreOptions {
  /** The last change of the store that the engine has accepted, as of the last turn that was applied. */
  readonly mark: () => StoreMark
  /** Changes that the engine has accepted before, of turns that it was given again: the store may not have made the last ones. */
  readonly missed: readonly StoreInput[]
  /** Brings a change into the log; resolves when its turn is settled. Refused with field `expects`: others were first. */
  readonly propose: (input: StoreInput) => Promise<Refusal | undefined>
  /** Resolves when everything that was applied here holds in all living processes; a text: why it may not. */
  readonly holdsEverywhere: () => Promise<true | string>
  /** Called when this process must not go on with its store: another one has a copy for it. */
  readonly onMissed: (reason: string) => void
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
  make: 'make',
  compare: 'compare',
  copy: 'copy',
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

/** How often a store is compared with the log while others change theirs. */
const JOIN_TRIES_MAX = 100

/** Pause before a change that could not be made is tried again, ms. */
const MAKE_RETRY_MS = 50

/** How long a change may take in the log. It may be accepted later: whoever made it looks, and makes it again. */
const LOG_MS = 10_000
const TOO_LATE: Verdict = {
  failed: 'the log has not taken it in time, and may take it later: look whether it holds before it is tried again',
}

/**
 * Threads of the process that were terminated because they hang, and have not ended. One may outlive its client, where the
 * service begins again.
 */
const givenUp = new Set<Worker>()

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
  // Of a store that others share: why it cannot go on with the log, or has not made a change of it yet.
  private missed: string | undefined
  private stuck: string | undefined
  /** The last change of the log that was made. */
  private made = ''
  // Resolves when the store is that of the log.
  private readonly joined: Promise<void>
  private haveJoined = (): void => {}
  private numberNext = 1
  private beatsSeen = 0
  private silentChecks = 0
  private pollsSeen = 0
  private stillChecks = 0
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
    this.joined = new Promise((resolve) => {
      this.haveJoined = resolve
    })
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
    // What was used changes nothing. At the end of the service a change may wait for a log that is never written any more.
    if (work.kind !== 'note-use') await this.applying
    return result
  }

  lastVerifications(): Promise<readonly LastVerification[] | Fault> {
    return this.perform({ task: 'last-verifications' }, 'verifications cannot be read')
  }

  /** The result of a task that the thread performs; a fault says what is not possible, and why. */
  private async perform<T>(task: Task, impossible: string): Promise<T | Fault> {
    const answer = await this.ask(task)
    if (answer.kind === 'failed') return fault(`${impossible} (${answer.message})`)
    const unconfirmed = answer.isInLog ? await this.unconfirmed() : undefined
    return unconfirmed === undefined ? (answer.result as T) : fault(`not confirmed by all processes (${unconfirmed})`)
  }

  // --- a store that other processes share

  /**
   * Makes the store that of the log, when the engine has applied all that was in it. Nothing is proposed before.
   * @param begins whether the log begins with this process: then an earlier history of the store does not count
   * @returns why the store cannot go on with the log: it needs a copy of that of another process
   */
  async join(begins: boolean): Promise<Fault | undefined> {
    const { shared } = this.options
    if (shared === undefined) return undefined
    for (let tries = 0; tries < JOIN_TRIES_MAX; tries++) {
      const mark = shared.mark()
      const standing = await this.perform<Standing>({ task: 'compare', mark, begins }, 'the store cannot be compared')
      if (isFault(standing)) return standing
      if (standing.kind === 'missed' || this.missed !== undefined) {
        this.miss(standing.kind === 'missed' ? standing.reason : this.missed!)
        return fault(this.missed!)
      }
      if (standing.kind === 'even') {
        this.haveJoined()
        return undefined
      }
      const verdict = await this.bring(standing.draft, newName(), mark.proposal)
      if (typeof verdict !== 'string') return fault(`the store cannot become that of the log (${verdict.failed})`)
    }
    return fault('the store cannot become that of the log: other processes change theirs all the time')
  }

  /** Makes a change that the log has accepted; until it is made, and without end while it cannot be, nothing is answered. */
  async make(input: StoreInput): Promise<void> {
    while (!this.closing && this.missed === undefined) {
      const answer = await this.ask({ task: 'make', input })
      if (answer.kind === 'done') {
        const made = answer.result as Made
        if (typeof made === 'string') this.made = input.proposal
        else this.miss(made.missed)
        this.stuck = undefined
        this.judge()
        return
      }
      this.stuck = `a change of access rights cannot be stored: ${answer.message}`
      this.judge()
      await pause(MAKE_RETRY_MS)
    }
  }

  /** Copies the store into a file that does not exist yet, for another process. */
  copy(file: string): Promise<StoreMark | Fault> {
    return this.perform({ task: 'copy', file }, 'the store cannot be copied')
  }

  private async propose({ draft, proposal }: FromThread & { readonly kind: 'propose' }): Promise<void> {
    await this.joined
    this.send({ task: 'settled', proposal, verdict: await this.bring(draft, proposal, draft.after) })
  }

  private async bring(draft: Draft, proposal: string, expects: string): Promise<Verdict> {
    const { after, version, statements, decisions, bookmakers, organizations } = draft
    const input: StoreInput = {
      ...{ kind: 'store', proposal, expects, after, version },
      ...{ statements, decisions, bookmakers, organizations },
    }
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<Verdict>((resolve) => {
      timer = setTimeout(() => resolve(TOO_LATE), LOG_MS).unref()
    })
    const settled = this.options.shared!.propose(input).then((refusal): Verdict => {
      clearTimeout(timer)
      if (refusal === undefined || this.made === proposal) return 'accepted'
      return refusal.field === 'expects' ? 'late' : { failed: refusal.message }
    })
    return Promise.race([settled, late])
  }

  /** Why what holds here may not hold in all processes; undefined: it does. */
  private async unconfirmed(): Promise<string | undefined> {
    const holds = await this.options.shared?.holdsEverywhere()
    return typeof holds === 'string' ? holds : undefined
  }

  private async confirm(proposal: string): Promise<void> {
    const reason = await this.unconfirmed()
    const detail = reason === undefined ? '' : `stored, but not confirmed by all processes (${reason})`
    this.send({ task: 'confirmed', proposal, detail })
  }

  private miss(reason: string): void {
    if (this.missed !== undefined) return
    this.missed = reason
    this.judge()
    this.options.shared?.onMissed(reason)
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
    if (givenUp.size > 0) clearInterval(this.timer)
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
    const shared = this.options.shared && { missed: this.options.shared.missed }
    const isAlone = givenUp.size === 0
    const { run, lockId } = this
    const data: ThreadData = { dataDir, at, run, accepts, lockId, resumes, shared, isAlone, pulse }
    const starting = new Promise<Outage | undefined>((resolve) => {
      let worker: Worker
      let reason: string | undefined
      try {
        worker = beginThread(data)
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
        if (givenUp.has(worker)) return
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
    givenUp.add(worker)
    worker.once('exit', () => givenUp.delete(worker))
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
      if (givenUp.size >= HUNG_MAX) return this.restartLater()
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
      case 'propose':
        void this.propose(message)
        return
      case 'confirm':
        void this.confirm(message.proposal)
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
    if (this.missed !== undefined) return { reason: this.missed, isLost: true }
    if (this.stuck !== undefined) return outageOf(this.stuck)
    const isFailing = Atomics.load(this.pulse, PULSE.failures) >= FAILURES_MAX
    return isFailing || this.silentChecks >= SILENT_CHECKS_MAX ? outageOf('the store cannot be read') : undefined
  }
}

/** An outage that may end by itself. */
const outageOf = (reason: string): Outage => ({ reason, isLost: false })
