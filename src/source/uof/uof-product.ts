// One product of the feed: whether it can be believed, and the recovery that makes it so again (docs/feeds.md 9;
// docs.sportradar.com/uof, "recovery"). A product says with `alive` that all it had to say until then has been sent; when
// that fails, what it said before stands in doubt until a recovery has ended with its `snapshot_complete`.

import type { ProducerDoubt } from '../kit/connector.ts'
import { type ApiFault, asFault, isApiFault } from './sports-api.ts'

export interface ProductLimits {
  /** Silence after which a product is not believed. */
  readonly aliveMsMax: number
  /**
   * After messages may have been lost: how long what a product said before is believed without a recovery that is complete.
   * For the connection that breaks for a moment; not where a recovery is refused.
   */
  readonly gapMsMax: number
  /** How long a recovery may take before it is asked for again. */
  readonly recoveryMsMax: number
  /** How far back a recovery may begin; beyond it, the product is asked for all it has. */
  readonly afterMsMax: number
  /** Pause before a recovery that failed is asked for again; doubles from one to the next. */
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
  readonly tell: (level: 'info' | 'warn', message: string) => void
  /** What it has said cannot be relied on from now on. */
  readonly onDoubt: (doubt: ProducerDoubt) => void
  /** It is asked for all it has: what it says from now on is all that it offers. */
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

/** What a recovery that is complete has brought: all there is, or what had changed. */
export type Recovered = 'all' | 'changes'

export class Product {
  readonly options: ProductOptions
  state: ProductState = 'starting'
  /** Recoveries asked for. */
  recoveries = 0
  /** When we heard `alive` last; of a product that says that it is down, long ago. */
  private heardAt: number
  /** All that it had to say until then has come; epoch ms, the product's clock. */
  private completeTo: number | null = null
  /** The same, but for what was lost before and a recovery is to bring. */
  private sentTo: number | null = null
  /** It spoke of open quotes since the last doubt. */
  private hasSpoken = false
  /** Runs while it is up and messages of it may have been lost; at its end it is down. */
  private grace: NodeJS.Timeout | undefined
  /** Whether messages come. */
  private isOpen = false
  private recovery: Recovery | undefined
  /** When a recovery was last asked for. */
  private askedAt = -Infinity
  private failures = 0
  private timer: NodeJS.Timeout | undefined
  private isStopped = false

  constructor(options: ProductOptions) {
    this.options = options
    this.heardAt = options.now()
  }

  /** Whether it is up, and nothing of it may have been lost. */
  get isWhole(): boolean {
    return this.state === 'up' && this.grace === undefined
  }

  /** Alive has arrived, though what came before it is not dealt with yet. */
  hear(): void {
    this.heardAt = Math.max(this.heardAt, this.options.now())
  }

  /** Its odds are taken. */
  speak(): void {
    this.hasSpoken = true
  }

  /** @param sentAt epoch ms, the product's clock */
  onAlive(sentAt: number, isSubscribed: boolean): void {
    const { limits, now } = this.options
    this.hear()
    if (isSubscribed) {
      this.sentTo = Math.min(sentAt, now())
      if (this.isWhole) this.completeTo = this.sentTo
      else if (this.recovery === undefined) this.begin()
    } else if (this.recovery === undefined || now() - this.recovery.startedAt > limits.aliveMsMax) {
      // Else it is of before our request.
      this.fail('it does not send us all it has')
      this.begin()
    }
  }

  onDown(): void {
    this.heardAt = -Infinity
    this.fail('it says so')
  }

  /** Messages come. */
  onOpen(): void {
    this.isOpen = true
    const { limits, now } = this.options
    const isHeard = now() - this.heardAt <= limits.aliveMsMax
    // Recoveries are rationed; where the connection breaks again and again each waits for an `alive`.
    const isRested = now() - this.askedAt >= limits.aliveMsMax / 2
    if (this.state !== 'starting' && isHeard && isRested) this.begin()
  }

  /** The connection broke: what it says meanwhile is lost, and what a recovery sends as well. */
  onBroken(): void {
    const reason = 'the connection broke'
    this.isOpen = false
    this.end(reason)
    if (this.isStopped) return
    if (this.state === 'up') this.grace ??= setTimeout(() => this.fall(reason, 'gap'), this.options.limits.gapMsMax)
    else if (this.hasSpoken) this.doubt('gap')
  }

  /** Nobody knows what of its messages was recorded: it is to be asked for all it has. */
  forget(): void {
    this.completeTo = null
    this.sentTo = null
  }

  /** @returns what has come; undefined: it is not our recovery */
  onSnapshotComplete(requestId: number | null): Recovered | undefined {
    const { recovery } = this
    if (recovery === undefined || recovery.requestId !== requestId) return undefined
    const { name, now, tell } = this.options
    const wasUp = this.state === 'up'
    this.state = 'up'
    this.endGrace()
    // What was sent before its last `alive` has come, and what was lost before the recovery has come with it.
    this.completeTo = this.sentTo ?? this.completeTo
    this.failures = 0
    this.end(undefined)
    if (!wasUp) tell('info', `product ${name} is up, after ${now() - recovery.startedAt} ms of recovery`)
    return recovery.afterAt === null ? 'all' : 'changes'
  }

  /** To be called a few times within `aliveMsMax`. */
  check(): void {
    const { limits, now } = this.options
    const silentMs = now() - this.heardAt
    if (silentMs <= limits.aliveMsMax) return
    if (this.state === 'up' || this.recovery !== undefined) this.fail(`no alive for ${limits.aliveMsMax / 1000} s`)
    // What it says without being alive is as doubtful as what it said before.
    else if (this.hasSpoken) this.doubt('source_down')
  }

  /** Has it send what has changed since it was last known to be complete. Resolves at the end; to a sentence if it failed. */
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

  /** A recovery would not help now. */
  private fail(reason: string): void {
    this.end(reason)
    this.fall(reason, 'source_down')
  }

  private fall(reason: string, doubt: ProducerDoubt): void {
    const { name, tell } = this.options
    this.endGrace()
    if (this.state === 'up') {
      tell('warn', `product ${name} is down: ${reason}; its quotes are suspended`)
      this.state = 'down'
    }
    this.doubt(doubt)
  }

  private endGrace(): void {
    clearTimeout(this.grace)
    this.grace = undefined
  }

  private doubt(doubt: ProducerDoubt): void {
    this.hasSpoken = false
    this.options.onDoubt(doubt)
  }

  private begin(): void {
    // Nothing would hear it.
    if (!this.isOpen) return
    const { limits, now } = this.options
    const isRecent = this.completeTo !== null && now() - this.completeTo <= limits.afterMsMax
    const afterAt = isRecent ? this.completeTo : null
    // What is not in the list of all that it has is gone; so all of it is in doubt until it is listed.
    if (afterAt === null) {
      this.fall('it is asked for all it has', 'gap')
      this.options.onAll()
    }
    this.recovery = { requestId: 0, startedAt: now(), afterAt, waiters: [] }
    void this.request(this.recovery)
  }

  private async request(recovery: Recovery): Promise<void> {
    const { name, limits, now, nextRequestId, ask, tell } = this.options
    recovery.requestId = nextRequestId()
    this.askedAt = now()
    this.recoveries++
    const since = recovery.afterAt === null ? 'of all it has' : `since ${new Date(recovery.afterAt).toISOString()}`
    tell('info', `product ${name}: recovery ${recovery.requestId} ${since}`)
    // Before the answer: the messages may be faster.
    this.arm(limits.recoveryMsMax, () => this.repeat(recovery, 'it took too long'))
    const answer = await ask(recovery.requestId, recovery.afterAt).catch(asFault)
    if (isApiFault(answer) && this.recovery === recovery) this.repeat(recovery, answer.fault)
  }

  private repeat(recovery: Recovery, fault: string): void {
    const { name, limits, chance, tell } = this.options
    const pauseMs = Math.min(limits.pauseMsMax, limits.pauseMsMin * 2 ** Math.min(this.failures, 20))
    this.failures++
    tell('warn', `product ${name}: recovery ${recovery.requestId} failed: ${fault}; it is asked for again`)
    for (const waiter of recovery.waiters.splice(0)) waiter(`product ${name}: recovery failed: ${fault}`)
    if (this.grace !== undefined) this.fall('messages were lost, and no recovery brings them', 'gap')
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
