// One product of the feed: whether it can be believed, and the recovery that makes it so again (FEEDS 9; docs.sportradar.com/uof,
// "recovery"). A product says with `alive` that all it had to say until then has been sent; when that fails, what it said
// before stands in doubt until a recovery has ended with its `snapshot_complete`.

import { type ApiFault, isApiFault } from './sports-api.ts'

export interface ProductLimits {
  /** Silence after which a product is not believed. */
  readonly aliveMsMax: number
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
  /** What it has said is not to be believed from now on. */
  readonly onDoubt: () => void
}

/**
 *   starting ──▶ up ──▶ down     `alive` begins a recovery in starting, in down, and in up after a gap;
 *                ▲        │      its `snapshot_complete` leads to up
 *                └────────┘
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
  /** It spoke of open quotes since the last doubt. */
  private hasSpoken = false
  /** Messages of it may have been lost. */
  private hasGap = false
  private recovery: Recovery | undefined
  private failures = 0
  private timer: NodeJS.Timeout | undefined
  private isStopped = false

  constructor(options: ProductOptions) {
    this.options = options
    this.heardAt = options.now()
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
      if (this.state === 'up' && !this.hasGap) this.completeTo = Math.min(sentAt, now())
      else if (this.recovery === undefined) this.begin()
    } else if (this.recovery === undefined || now() - this.recovery.startedAt > limits.aliveMsMax) {
      // Else it is of before our request.
      this.fall('it does not send us all it has')
      this.begin()
    }
  }

  onDown(): void {
    this.heardAt = -Infinity
    this.fall('it says so')
  }

  /** The connection broke: what came meanwhile is lost. */
  onGap(): void {
    if (this.state === 'up') this.hasGap = true
    // What a recovery sent is lost as well; the next `alive` begins another one.
    this.end('the connection broke')
  }

  /** @returns what has come; undefined: it is not our recovery */
  onSnapshotComplete(requestId: number | null): Recovered | undefined {
    const { recovery } = this
    if (recovery === undefined || recovery.requestId !== requestId) return undefined
    const { name, now, tell } = this.options
    const wasUp = this.state === 'up'
    this.state = 'up'
    this.hasGap = false
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
    if (this.state === 'up' || this.recovery !== undefined) this.fall(`no alive for ${limits.aliveMsMax / 1000} s`)
    // What it says without being alive is as doubtful as what it said before.
    else if (this.hasSpoken) this.doubt()
  }

  /** Has it send what has changed since it was last known to be complete. Resolves at the end; to a sentence if it failed. */
  refresh(): Promise<string | undefined> {
    if (this.isStopped || this.state !== 'up') return Promise.resolve(`product ${this.options.name} is ${this.state}`)
    if (this.recovery === undefined) this.begin()
    return new Promise((resolve) => this.recovery!.waiters.push(resolve))
  }

  stop(): void {
    this.isStopped = true
    this.end('it was stopped')
  }

  private fall(reason: string): void {
    const { name, tell } = this.options
    if (this.state === 'up') {
      tell('warn', `product ${name} is down: ${reason}; its quotes are suspended`)
      this.state = 'down'
    }
    this.end(reason)
    this.doubt()
  }

  private doubt(): void {
    this.hasSpoken = false
    this.options.onDoubt()
  }

  private begin(): void {
    const { limits, now, onDoubt } = this.options
    const isRecent = this.completeTo !== null && now() - this.completeTo <= limits.afterMsMax
    const afterAt = isRecent ? this.completeTo : null
    // What is not in the list of all that it has is gone; so all of it is in doubt until it is listed.
    if (afterAt === null) onDoubt()
    this.recovery = { requestId: 0, startedAt: now(), afterAt, waiters: [] }
    void this.request(this.recovery)
  }

  private async request(recovery: Recovery): Promise<void> {
    const { name, limits, nextRequestId, ask, tell } = this.options
    recovery.requestId = nextRequestId()
    this.recoveries++
    const since = recovery.afterAt === null ? 'of all it has' : `since ${new Date(recovery.afterAt).toISOString()}`
    tell('info', `product ${name}: recovery ${recovery.requestId} ${since}`)
    // Before the answer: the messages may be faster.
    this.arm(limits.recoveryMsMax, () => this.repeat(recovery, 'it took too long'))
    const answer = await ask(recovery.requestId, recovery.afterAt)
    if (isApiFault(answer) && this.recovery === recovery) this.repeat(recovery, answer.fault)
  }

  private repeat(recovery: Recovery, fault: string): void {
    const { name, limits, chance, tell } = this.options
    const pauseMs = Math.min(limits.pauseMsMax, limits.pauseMsMin * 2 ** Math.min(this.failures, 20))
    this.failures++
    tell('warn', `product ${name}: recovery ${recovery.requestId} failed: ${fault}; it is asked for again`)
    for (const waiter of recovery.waiters.splice(0)) waiter(`product ${name}: recovery failed: ${fault}`)
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
