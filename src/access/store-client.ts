// Store client: main's end of the store thread.

import { Worker } from 'node:worker_threads'
import type { Bookmaker, Verification, VerificationPolicy } from '../domain/coverage.ts'
import { type Fault, fault, messageOf } from './fault.ts'
import type { Grant, Leftover, ReserveFailure, Want } from './reserving-ledger.ts'
import type { MintedKey } from './store.ts'
import {
  type FromThread,
  PULSE,
  type StoreChanges,
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
  /** Takes changes over; once it returns they hold, and the command that made them may return. */
  readonly apply: (changes: StoreChanges) => void
  /**
   * Told when polling for changes fails (with the reason) and when it works again (undefined): between the two a
   * revocation could be missed.
   */
  readonly onBlind: (reason: string | undefined) => void
}

/** How often the pulse of the thread is felt. */
const PULSE_MS = 250

/** Polls that fail in a row, and checks without any poll (a hanging disk, a thread that died), before we are blind. */
const FAILURES_MAX = 5
const SILENT_CHECKS_MAX = 20

const DEAD = 'the store thread has ended'

export class StoreClient {
  private readonly worker: Worker
  private readonly options: StoreClientOptions
  private readonly pulse: Int32Array
  private readonly waiting = new Map<number, (answer: Answer) => void>()
  private readonly timer: NodeJS.Timeout
  private numberNext = 1
  private beatsSeen = 0
  private silentChecks = 0
  private closing = false
  private dead = false
  private blind = false

  private constructor(options: StoreClientOptions, worker: Worker, pulse: Int32Array) {
    this.options = options
    this.worker = worker
    this.pulse = pulse
    this.timer = setInterval(() => this.feelPulse(), PULSE_MS).unref()
    worker.on('message', (message: FromThread) => this.receive(message))
    worker.on('exit', () => this.die())
    // A bug in the thread; its end follows.
    worker.on('error', () => this.die())
  }

  /** Starts the thread. All there is has been applied when it resolves. */
  static open(options: StoreClientOptions): Promise<StoreClient | Fault> {
    const pulse = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
    const workerData: ThreadData = { dataDir: options.dataDir, at: options.at, pulse }
    // The compiler does not rewrite this name: it is that of the compiled file.
    const worker = new Worker(new URL('./store-thread.js', import.meta.url), { workerData })
    return new Promise((resolve) => {
      worker.once('error', (error) => resolve(fault(`the store cannot be opened (${messageOf(error)})`)))
      worker.once('message', (message: FromThread) => {
        if (message.kind === 'refused') return resolve(fault(message.fault))
        if (message.kind !== 'opened') throw new Error(`store thread: ${message.kind} before opened`)
        const client = new StoreClient(options, worker, pulse)
        client.apply(message.everything)
        resolve(client)
      })
    })
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
    clearInterval(this.timer)
    const ended = this.dead ? undefined : new Promise((resolve) => this.worker.once('exit', resolve))
    await this.ask({ task: 'close' })
    await ended
  }

  private ask(task: Task): Promise<Answer> {
    const number = this.numberNext++
    if (this.dead) return Promise.resolve({ kind: 'failed', number, message: DEAD, busy: false })
    return new Promise((resolve) => {
      this.waiting.set(number, resolve)
      this.send({ ...task, number })
    })
  }

  private send(message: ToThread): void {
    this.worker.postMessage(message)
  }

  private receive(message: FromThread): void {
    if (message.kind === 'changed') this.apply(message.changes)
    else if (message.kind === 'done' || message.kind === 'failed') {
      const settle = this.waiting.get(message.number)
      this.waiting.delete(message.number)
      settle?.(message)
    }
  }

  private apply(changes: StoreChanges): void {
    this.options.apply(changes)
    this.send({ task: 'applied', auditId: changes.auditId })
  }

  private feelPulse(): void {
    const beats = Atomics.load(this.pulse, PULSE.beats)
    const failures = Atomics.load(this.pulse, PULSE.failures)
    this.silentChecks = beats === this.beatsSeen ? this.silentChecks + 1 : 0
    this.beatsSeen = beats
    this.turnBlind(this.dead || failures >= FAILURES_MAX || this.silentChecks >= SILENT_CHECKS_MAX)
  }

  private turnBlind(blind: boolean): void {
    if (blind === this.blind) return
    this.blind = blind
    this.options.onBlind(blind ? (this.dead ? DEAD : 'the store cannot be read') : undefined)
  }

  private die(): void {
    if (this.dead) return
    this.dead = true
    for (const [number, settle] of this.waiting) settle({ kind: 'failed', number, message: DEAD, busy: false })
    this.waiting.clear()
    if (!this.closing) this.turnBlind(true)
  }
}
