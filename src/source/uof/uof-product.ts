// One product of the feed: whether it is suspect, and the recovery that ends that (docs/feeds.md 9;
// docs.sportradar.com/uof, "recovery"). `alive` means that all that the product had to send until then has been sent;
// when it is missing, the product's quotes are suspect until a recovery has ended with its `snapshot_complete`.

import type { SuspectCause } from '../kit/connector.ts'
import { type ApiFault, asFault, isApiFault } from './sports-api.ts'

export interface ProductLimits {
  /** Silence after which a product is suspect. */
  readonly aliveMsMax: number
  /**
   * After messages may have been lost: how long the product is not suspected while no recovery is complete. Covers
   * short interruptions; it ends early when a recovery is refused.
   */
  readonly gapMsMax: number
  /** How long a recovery may take before it is requested again. */
  readonly recoveryMsMax: number
  /** How far back a recovery may begin; beyond it, the product is asked for all that it has. */
  readonly afterMsMax: number
  /** Pause before a recovery that failed is requested again; it doubles with each failure. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
}

export interface ProductOptions {
  /** Number in messages. */
  readonly id: number
  /** Name in the paths of the API. */
  readonly name: string
  readonly limits: ProductLimits
  readonly now: () => number
  readonly chance: () => number
  /** A number that no other recovery has. */
  readonly nextRequestId: () => number
  readonly ask: (requestId: number, afterAt: number | null) => Promise<ApiFault | undefined>
  readonly log: (level: 'info' | 'warn', message: string) => void
  /** Its quotes are suspect from now on. */
  readonly onSuspect: (cause: SuspectCause) => void
  /** A full recovery starts: what it lists is all that the product offers. */
  readonly onAll: () => void
}

/**
 *   starting ──▶ up ──▶ down     `alive` begins a recovery in starting, in down, and in up after a gap, a connection that
 *                ▲        │      is back in the last two; its `snapshot_complete` leads to up. A gap that no recovery closes
 *                └────────┘      in time leads to down
 */
export type ProductState = 'starting' | 'up' | 'down'

interface Recovery {
  requestId: number
  readonly startedAt: number
  /** Epoch ms, the product's clock; null: all. */
  readonly afterAt: number | null
  readonly waiters: ((fault: string | undefined) => void)[]
}

/** The result of a complete recovery: everything, or what had changed. */
export type Recovered = 'all' | 'changes'

export class Product {
  readonly options: ProductOptions
  state: ProductState = 'starting'
  /** Recoveries requested. */
  recoveries = 0
  /** When `alive` last arrived; -Infinity after the product said that it is down. */
  private aliveAt: number
  /** Everything up to this time has arrived; epoch ms, the product's clock. */
  private completeTo: number | null = null
  /** The same, without what was lost and a recovery must restore. */
  private sentTo: number | null = null
  /** It stated quotes since it was last suspected. */
  private hasStated = false
  /** Runs while it is up and messages of it may have been lost; when it ends the product is down. */
  private grace: NodeJS.Timeout | undefined
  /** Whether messages arrive. */
  private isOpen = false
  private recovery: Recovery | undefined
  /** When a recovery was last requested. */
  private askedAt = -Infinity
  private failures = 0
  private timer: NodeJS.Timeout | undefined
  private isStopped = false

  constructor(options: ProductOptions) {
    this.options = options
    this.aliveAt = options.now()
  }

  /** Whether it is up, and nothing of it may have been lost. */
  get isWhole(): boolean {
    return this.state === 'up' && this.grace === undefined
  }

  /** An `alive` has arrived, though messages before it are not processed yet. */
  alive(): void {
    this.aliveAt = Math.max(this.aliveAt, this.options.now())
  }

  /** Its odds are being recorded. */
  stated(): void {
    this.hasStated = true
  }

  /** @param sentAt epoch ms, the product's clock */
  onAlive(sentAt: number, isSubscribed: boolean): void {
    const { limits, now } = this.options
    this.alive()
    if (isSubscribed) {
      this.sentTo = Math.min(sentAt, now())
      if (this.isWhole) this.completeTo = this.sentTo
      else if (this.recovery === undefined) this.begin()
    } else if (this.recovery === undefined || now() - this.recovery.startedAt > limits.aliveMsMax) {
      // Otherwise the message is older than our request.
      this.fail('it does not send all that it has')
      this.begin()
    }
  }

  onDown(): void {
    this.aliveAt = -Infinity
    this.fail('it says so')
  }

  /** Messages arrive. */
  onOpen(): void {
    this.isOpen = true
    const { limits, now } = this.options
    const isAlive = now() - this.aliveAt <= limits.aliveMsMax
    // Recoveries are rationed; when the connection breaks repeatedly each waits for an `alive`.
    const isRested = now() - this.askedAt >= limits.aliveMsMax / 2
    if (this.state !== 'starting' && isAlive && isRested) this.begin()
  }

  /** The connection broke: messages of the meantime are lost, including those of a recovery. */
  onBroken(): void {
    const reason = 'the connection broke'
    this.isOpen = false
    this.end(reason)
    if (this.isStopped) return
    if (this.state === 'up') this.grace ??= setTimeout(() => this.fall(reason, 'gap'), this.options.limits.gapMsMax)
    else if (this.hasStated) this.suspect('gap')
  }

  /** It is unknown which of its messages were recorded: the next recovery is a full one. */
  forget(): void {
    this.completeTo = null
    this.sentTo = null
  }

  /** @returns what was recovered; undefined: it is not our recovery */
  onSnapshotComplete(requestId: number | null): Recovered | undefined {
    const { recovery } = this
    if (recovery === undefined || recovery.requestId !== requestId) return undefined
    const { name, now, log } = this.options
    const wasUp = this.state === 'up'
    this.state = 'up'
    this.endGrace()
    // All before the last `alive` was sent has arrived, and the recovery has restored what was lost before it.
    this.completeTo = this.sentTo ?? this.completeTo
    this.failures = 0
    this.end(undefined)
    if (!wasUp) log('info', `product ${name} is up, after ${now() - recovery.startedAt} ms of recovery`)
    return recovery.afterAt === null ? 'all' : 'changes'
  }

  /** Call it a few times within `aliveMsMax`. */
  check(): void {
    const { limits, now } = this.options
    const silentMs = now() - this.aliveAt
    if (silentMs <= limits.aliveMsMax) return
    if (this.state === 'up' || this.recovery !== undefined) this.fail(`no alive for ${limits.aliveMsMax / 1000} s`)
    // Odds without an `alive` are as suspect as earlier ones.
    else if (this.hasStated) this.suspect('source_down')
  }

  /** Recovers what has changed since it was last complete. Resolves at the end; to a sentence if it failed. */
  refresh(): Promise<string | undefined> {
    const { name } = this.options
    if (this.isStopped || this.state !== 'up') return Promise.resolve(`product ${name} is ${this.state}`)
    if (!this.isOpen) return Promise.resolve(`product ${name}: the connection broke`)
    if (this.recovery === undefined) this.begin()
    return new Promise((resolve) => this.recovery!.waiters.push(resolve))
  }

  stop(): void {
    this.isStopped = true
    this.endGrace()
    this.end('it was stopped')
  }

  /** Ends the recovery, which would not help now. */
  private fail(reason: string): void {
    this.end(reason)
    this.fall(reason, 'source_down')
  }

  private fall(reason: string, cause: SuspectCause): void {
    const { name, log } = this.options
    this.endGrace()
    if (this.state === 'up') {
      log('warn', `product ${name} is down: ${reason}; its quotes are suspended`)
      this.state = 'down'
    }
    this.suspect(cause)
  }

  private endGrace(): void {
    clearTimeout(this.grace)
    this.grace = undefined
  }

  private suspect(cause: SuspectCause): void {
    this.hasStated = false
    this.options.onSuspect(cause)
  }

  private begin(): void {
    // Its messages would not arrive.
    if (!this.isOpen) return
    const { limits, now } = this.options
    const isRecent = this.completeTo !== null && now() - this.completeTo <= limits.afterMsMax
    const afterAt = isRecent ? this.completeTo : null
    // What the list does not contain is gone; so everything is suspect until it is listed.
    if (afterAt === null) {
      this.fall('a full recovery is requested', 'gap')
      this.options.onAll()
    }
    this.recovery = { requestId: 0, startedAt: now(), afterAt, waiters: [] }
    void this.request(this.recovery)
  }

  private async request(recovery: Recovery): Promise<void> {
    const { name, limits, now, nextRequestId, ask, log } = this.options
    recovery.requestId = nextRequestId()
    this.askedAt = now()
    this.recoveries++
    const since = recovery.afterAt === null ? 'of all it has' : `since ${new Date(recovery.afterAt).toISOString()}`
    log('info', `product ${name}: recovery ${recovery.requestId} ${since}`)
    // Before the answer: the messages may be faster.
    this.arm(limits.recoveryMsMax, () => this.repeat(recovery, 'it took too long'))
    const answer = await ask(recovery.requestId, recovery.afterAt).catch(asFault)
    if (isApiFault(answer) && this.recovery === recovery) this.repeat(recovery, answer.fault)
  }

  private repeat(recovery: Recovery, fault: string): void {
    const { name, limits, chance, log } = this.options
    const pauseMs = Math.min(limits.pauseMsMax, limits.pauseMsMin * 2 ** Math.min(this.failures, 20))
    this.failures++
    log('warn', `product ${name}: recovery ${recovery.requestId} failed: ${fault}; it is requested again`)
    for (const waiter of recovery.waiters.splice(0)) waiter(`product ${name}: recovery failed: ${fault}`)
    if (this.grace !== undefined) this.fall('messages were lost, and no recovery restored them', 'gap')
    this.arm(pauseMs * (0.5 + chance() / 2), () => void this.request(recovery))
  }

  private arm(ms: number, then: () => void): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(then, ms)
  }

  private end(fault: string | undefined): void {
    clearTimeout(this.timer)
    const { recovery } = this
    this.recovery = undefined
    for (const waiter of recovery?.waiters ?? []) {
      waiter(fault === undefined ? undefined : `product ${this.options.name}: ${fault}`)
    }
  }
}
