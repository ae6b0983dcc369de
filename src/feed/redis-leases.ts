// Leases in Redis, `lease:source:NAME`: each source runs in one process. A lease is renewed each second and ends after
// three; a process that could not renew for two stops the source, by its own clock, before anybody else can have it.
// Whatever a process still says after that is refused by the engine: the next run has taken the source (domain/input.ts).

import type { Redis, Reply } from '../redis/redis.ts'
import { LEASE_KEYS, LEASES } from './lease-script.ts'
import type { Holder, Leases, Lease, Tenant } from './leases.ts'

export interface RedisLeasesLimits {
  /** How long a lease holds without being renewed, ms. */
  readonly leaseMs: number
  /** How often leases are renewed, ms. */
  readonly leaseRenewMs: number
  /** A source is stopped when its lease was not renewed for so long, ms: well before it ends. */
  readonly leaseStopMs: number
  /** How often free leases are looked for, ms. */
  readonly leaseLookMs: number
  /** How long a process that has its share of the sources leaves a free one to others, ms. */
  readonly leaseWaitMs: number
  /** After its start a process takes the sources a few at a time, so that others that start have some, too: ms. */
  readonly leaseStartMs: number
}

export interface RedisLeasesOptions {
  readonly redis: Pick<Redis, 'run'>
  /** Of this process: no other one has or had it. Without spaces. */
  readonly id: string
  /** How many processes live, this one included. */
  readonly processes: () => Promise<number>
  /** A monotonic clock, ms. */
  readonly elapsedMs: () => number
  readonly limits: RedisLeasesLimits
  /** Called when Redis cannot be asked, and when it can be again (undefined). */
  readonly onTrouble?: (reason: string | undefined) => void
}

/** Of a process that starts, or that has its share: it takes one source in so many at a time. */
const PARTS = 8

/** A source that is to run here. */
interface Wanted {
  readonly source: string
  tenant: Tenant
  /** The lease that is ours; undefined: it is not. */
  held: Held | undefined
  /** It is ending here after its lease was lost: not taken again before. */
  isEnding: boolean
  holder: Holder | undefined
  /** The run of that one, where Redis said so when it was asked last. */
  othersRun: number | undefined
  /** Since when it is known that nobody runs it, by our clock; undefined: somebody does, or it is not known. */
  freeSince: number | undefined
}

interface Held extends Lease {
  /** Until when it is certainly ours, by our clock. */
  until: number
  /** Whether others can read that customers need not wait for it. */
  isShownSettled: boolean
}

interface Ask {
  readonly wanted: Wanted
  readonly act: 'keep' | 'must' | 'may' | 'look'
  readonly held: Held | undefined
}

export class RedisLeases implements Leases {
  readonly isShared = true
  private readonly options: RedisLeasesOptions
  private readonly wanted = new Map<string, Wanted>()
  private timer: NodeJS.Timeout | undefined
  private stopper: NodeJS.Timeout | undefined
  private startedMs: number | undefined
  private renewedMs = Number.NEGATIVE_INFINITY
  private isLooking = false
  private isTroubled = false
  private isStopped = false

  constructor(options: RedisLeasesOptions) {
    this.options = options
  }

  want(source: string, tenant: Tenant): void {
    const known = this.wanted.get(source)
    if (known === undefined) {
      const none = { held: undefined, holder: undefined, othersRun: undefined, freeSince: undefined }
      this.wanted.set(source, { source, tenant, isEnding: false, ...none })
      const { elapsedMs, limits } = this.options
      this.startedMs ??= elapsedMs()
      this.timer ??= setInterval(() => void this.round(), limits.leaseLookMs).unref()
      // All that are wanted in this turn of the event loop, in one round.
      if (!this.isLooking) setImmediate(() => void this.round())
      return
    }
    known.tenant = tenant
    if (known.held?.isHeld() === true) tenant.begin(known.held)
  }

  async release(source: string): Promise<void> {
    const wanted = this.wanted.get(source)
    this.wanted.delete(source)
    const held = wanted?.held
    if (held === undefined) return
    wanted!.held = undefined
    await this.giveBack([[source, held.run]])
  }

  holderOf(source: string): Holder | undefined {
    return this.wanted.get(source)?.holder
  }

  /**
   * Whether each wanted source runs somewhere, and the log as it is applied here knows that run: what a run before it said is
   * shown no more unless it was confirmed.
   */
  get areAttended(): boolean {
    return [...this.wanted.values()].every(({ tenant, held, othersRun }) => {
      const run = held?.run ?? othersRun
      return run !== undefined && run <= tenant.lastRun
    })
  }

  async free(sources: readonly string[]): Promise<readonly string[]> {
    if (sources.length === 0) return []
    const args = sources.flatMap((source) => [source, 'keep', '0', '0'])
    const answers = (await this.run(0, args)) as readonly string[]
    return sources.filter((source, place) => answers[place] === '' && this.wanted.get(source)?.held === undefined)
  }

  async stop(givesBack: boolean): Promise<void> {
    this.isStopped = true
    clearInterval(this.timer)
    clearTimeout(this.stopper)
    const all = [...this.wanted.values()].flatMap(({ source, held }): [string, number][] =>
      held === undefined ? [] : [[source, held.run]],
    )
    this.wanted.clear()
    if (givesBack) await this.giveBack(all)
  }

  /** What is not given back ends by itself. */
  private async giveBack(runs: readonly (readonly [source: string, run: number])[]): Promise<void> {
    if (runs.length === 0) return
    const args = runs.flatMap(([source, run]) => [source, 'free', String(run), '0'])
    await this.run(0, args).catch(() => {})
  }

  private run(count: number, args: readonly string[]): Promise<Reply> {
    const { redis, id, limits } = this.options
    return redis.run(LEASES, LEASE_KEYS, [id, limits.leaseMs, count, ...args])
  }

  /** Renews, when it is time; and looks for leases, unless the last look is not answered yet. */
  private async round(): Promise<void> {
    if (this.isStopped) return
    const { elapsedMs, limits } = this.options
    const isRenewing = elapsedMs() - this.renewedMs >= limits.leaseRenewMs || this.hasNews
    const isWanting = [...this.wanted.values()].some(({ held, isEnding }) => held === undefined && !isEnding)
    const isLooking = isWanting && !this.isLooking
    if (!isRenewing && !isLooking) return
    if (isRenewing) this.renewedMs = elapsedMs()
    if (isRenewing) void this.ask(this.renewals(), 0)
    if (!isLooking) return
    this.isLooking = true
    try {
      const processes = await this.options.processes().catch(() => 1)
      if (!this.isStopped) await this.ask(...this.looks(Math.max(1, processes)))
    } finally {
      this.isLooking = false
    }
  }

  private get hasNews(): boolean {
    return [...this.wanted.values()].some(
      ({ held, tenant }) => held !== undefined && tenant.isSettled !== held.isShownSettled,
    )
  }

  private renewals(): Ask[] {
    return [...this.wanted.values()].flatMap((wanted) => {
      const { held, tenant } = wanted
      if (held === undefined) return []
      held.isShownSettled = tenant.isSettled
      return [{ wanted, act: 'keep' as const, held }]
    })
  }

  /** @returns which leases to ask for, and how many of those that are free to take */
  private looks(processes: number): [asks: Ask[], count: number] {
    const { elapsedMs, limits } = this.options
    const { leaseWaitMs, leaseStartMs } = limits
    const nowMs = elapsedMs()
    const all = [...this.wanted.values()]
    const part = Math.ceil(all.length / PARTS)
    const isStarting = nowMs - this.startedMs! < leaseStartMs
    const share = Math.ceil(all.length / processes) - all.filter(({ held }) => held !== undefined).length
    // Where all others have their share, or do not want it, it is ours.
    let left = isStarting ? 0 : part
    const asks = all
      .filter(({ held, isEnding }) => held === undefined && !isEnding)
      .map((wanted): Ask => {
        const { freeSince } = wanted
        const isMust = freeSince !== undefined && nowMs - freeSince >= leaseWaitMs && left-- > 0
        return { wanted, act: isMust ? 'must' : 'may', held: undefined }
      })
    return [asks, Math.max(0, isStarting ? Math.min(part, share) : share)]
  }

  private async ask(asks: readonly Ask[], count: number): Promise<void> {
    if (asks.length === 0) return
    // What is renewed holds from when it was asked for: Redis cannot have renewed it before.
    const sentMs = this.options.elapsedMs()
    const args = asks.flatMap(({ wanted: { source, tenant }, act, held }) => [
      source,
      act,
      String(held?.run ?? tenant.lastRun),
      tenant.isSettled ? '1' : '0',
    ])
    let answers: readonly string[]
    try {
      answers = (await this.run(count, args)) as readonly string[]
    } catch (error) {
      // What was known of the others may have changed.
      for (const { wanted } of asks) {
        wanted.freeSince = undefined
        wanted.othersRun = undefined
      }
      // Soon again: a lease lasts for two renewals only.
      if (asks[0]!.act === 'keep') this.renewedMs = Number.NEGATIVE_INFINITY
      this.tell((error as Error).message)
      return
    }
    if (this.isStopped) return
    this.tell(undefined)
    for (const [place, ask] of asks.entries()) this.answered(ask, answers[place]!, sentMs)
    this.watch()
  }

  private answered({ wanted, act, held }: Ask, answer: string, sentMs: number): void {
    const { elapsedMs, limits } = this.options
    // Released, or lost, meanwhile.
    if (this.wanted.get(wanted.source) !== wanted || wanted.held !== held) return
    const [first = '', run = '', settled] = answer.split(' ')
    const isOwn = first === 'own'
    const until = sentMs + limits.leaseStopMs
    if (act === 'keep') {
      if (isOwn) held!.until = Math.max(held!.until, until)
      else this.lose(wanted)
      return
    }
    wanted.holder = isOwn || answer === '' ? undefined : { process: first, isSettled: settled === '1' }
    wanted.othersRun = wanted.holder && Number(run)
    if (answer !== '') wanted.freeSince = undefined
    else wanted.freeSince ??= elapsedMs()
    // One that was answered too late ends by itself.
    if (isOwn && elapsedMs() < until) this.begin(wanted, Number(run), until)
  }

  private begin(wanted: Wanted, run: number, until: number): void {
    const { elapsedMs } = this.options
    const held: Held = {
      run,
      until,
      isShownSettled: false,
      isTaken: false,
      isHeld: () => wanted.held === held && elapsedMs() < held.until,
      giveUp: () => {
        if (wanted.held === held) this.lose(wanted)
      },
    }
    wanted.held = held
    wanted.tenant.begin(held)
  }

  /** The source stops; then its lease is wanted again. */
  private lose(wanted: Wanted): void {
    wanted.held = undefined
    wanted.isEnding = true
    const ended = (): void => {
      wanted.isEnding = false
    }
    wanted.tenant.end().then(ended, ended)
  }

  /** Stops what could not be renewed in time, on the millisecond. */
  private watch(): void {
    clearTimeout(this.stopper)
    const nowMs = this.options.elapsedMs()
    let firstMs = Number.POSITIVE_INFINITY
    for (const wanted of this.wanted.values()) {
      const { held } = wanted
      if (held === undefined) continue
      if (held.until <= nowMs) this.lose(wanted)
      else firstMs = Math.min(firstMs, held.until)
    }
    if (firstMs === Number.POSITIVE_INFINITY) return
    this.stopper = setTimeout(() => this.watch(), Math.max(0, Math.ceil(firstMs - nowMs))).unref()
  }

  private tell(reason: string | undefined): void {
    if (reason === undefined && !this.isTroubled) return
    if (reason !== undefined && this.isTroubled) return
    this.isTroubled = reason !== undefined
    this.options.onTrouble?.(reason)
  }
}
