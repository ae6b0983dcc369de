// The place of a configured source in this process: the source runs here while its lease is ours, and stands by otherwise.

import { setTimeout as pause } from 'node:timers/promises'
import type { Observation } from '../domain/observation.ts'
import type { Sport } from '../domain/sport.ts'
import { Account } from '../source/kit/account.ts'
import type { Lane } from './intake.ts'
import type { Holder, Lease, Leases, Tenant } from './leases.ts'
import { RunningSource, type SourceParts, type SourcePlan, type SourceStatus } from './running-source.ts'

export interface PlaceParts extends SourceParts {
  readonly leases: Leases
  readonly newLane: (plan: SourcePlan) => Lane
  /** Takes the source's producers of an earlier process from the list of those that nobody has taken. */
  readonly takeFormers: (source: string) => readonly string[] | undefined
  readonly formerAt?: number
  /** Called when its connector cannot be made. */
  readonly onFault: (place: SourcePlace, error: Error) => void
  /** Whether all sources are stopped. */
  readonly isStopped: () => boolean
}

/** Interval of the checks whether the quotes of a stopped source are suspended. */
const SUSPEND_LOOK_MS = 5

/** Bookmakers and sports that another process has fed from it, and that are remembered here. */
const FED_MAX = 4_096

export class SourcePlace implements Tenant {
  readonly plan: SourcePlan
  /** Undefined: it does not run here. */
  running: RunningSource | undefined
  /** Its number for the clock of sources. */
  readonly number: number
  private readonly parts: PlaceParts
  /** What other processes have fed from it: `SLUG SPORT`. */
  private readonly fed = new Set<string>()
  private lastBookmaker = ''
  private lastSport: Sport | undefined
  private since: number
  private ending: Promise<void> = Promise.resolve()
  private isClosed = false

  constructor(plan: SourcePlan, parts: PlaceParts) {
    this.plan = plan
    this.parts = parts
    this.since = parts.now()
    this.number = parts.clock.standBy(plan.terms, this.since)
  }

  private get name(): string {
    return this.plan.terms.name
  }

  /** Runs it when its lease is ours: at once where no other process may run it. */
  open(): void {
    this.parts.leases.want(this.name, this)
  }

  begin(lease: Lease): void {
    if (this.isClosed) return
    const { parts, plan, name } = this
    const { isShared } = parts.leases
    const lane = parts.newLane(plan)
    const formers = parts.takeFormers(name)
    // Where processes share sources, or have, all earlier ones are suspected at once, by the input below.
    const waiting = isShared || !lease.isTaken ? [] : formers
    const source = new RunningSource(plan, lane, parts, lease, waiting, parts.formerAt)
    this.running = source
    // Before anything that it says, and for producers that this process has not heard of yet, too.
    if (!lease.isTaken) {
      lease.isTaken = true
      parts.add({ kind: 'take', source: name, run: lease.run }, (refusal) => {
        if (refusal !== undefined) lease.giveUp()
      })
    }
    if (isShared) parts.log('info', name, 'runs in this process')
    try {
      source.connect()
    } catch (error) {
      parts.onFault(this, error as Error)
    }
  }

  end(): Promise<void> {
    const { running: source, parts } = this
    if (source === undefined || this.isClosed) return this.ending
    this.running = undefined
    parts.clock.leaveSource(this.number)
    this.since = parts.now()
    parts.log('warn', this.name, 'is stopped in this process: its lease was lost')
    this.ending = source.endUnheard()
    return this.ending
  }

  /**
   * It is not configured any more, or differently. Resolves when nothing of it is open or pending, and its open quotes on
   * the board are suspended, or others see to that.
   */
  close(): Promise<void> {
    const { running: source } = this
    if (source !== undefined && !this.isClosed) this.ending = this.leave(source)
    this.isClosed = true
    return this.ending
  }

  /** Stops it without a word: the service ends. */
  stop(): Promise<void> {
    const { running: source } = this
    if (source === undefined || this.isClosed) return this.ending
    this.isClosed = true
    source.close()
    this.ending = source.connector?.stop() ?? this.ending
    return this.ending
  }

  private async leave(source: RunningSource): Promise<void> {
    const left = source.leave()
    await source.connector?.stop()
    await left
    while (!this.parts.isStopped() && source.isWalking) await pause(SUSPEND_LOOK_MS)
  }

  get isSettled(): boolean {
    const { running: source } = this
    return source !== undefined && (source.hasDelivered || source.isDown || source.hasFormers)
  }

  get lastRun(): number {
    return this.parts.engine.runOf(this.name)
  }

  /** Which other process runs it; undefined: none, or it is not known. */
  get holder(): Holder | undefined {
    return this.running === undefined ? this.parts.leases.holderOf(this.name) : undefined
  }

  /** Whether customers need not wait for it, here or in the process that runs it. */
  get isDelivered(): boolean {
    return this.running === undefined ? this.holder?.isSettled === true : this.isSettled
  }

  /** Notes an observation of it that another process has made. */
  noteForeign({ bookmaker, event: { sport } }: Observation): void {
    if (bookmaker === this.lastBookmaker && sport === this.lastSport) return
    this.lastBookmaker = bookmaker
    this.lastSport = sport
    if (this.fed.size < FED_MAX) this.fed.add(`${bookmaker} ${sport}`)
  }

  /** Whether it feeds a bookmaker in a sport, as far as is known; see {@link RunningSource.feeds}. */
  feedsElsewhere(bookmaker: string, sport: Sport): boolean {
    if (this.running !== undefined) return false
    return this.fed.has(`${bookmaker} ${sport}`) || this.plan.bookmakers.includes(bookmaker)
  }

  status(): SourceStatus {
    const { running: source, plan, fed, since, holder } = this
    if (source !== undefined) return source.status()
    const bookmakers = new Set([...plan.bookmakers, ...Array.from(fed, (pair) => pair.split(' ')[0]!)])
    return {
      name: this.name,
      ...{ state: 'standby', since, heardAt: null, suspendedAt: null },
      ...{ observations: 0, prices: 0, refused: 0, throttledMs: 0 },
      totals: NOTHING.totals(),
      kind: plan.kind,
      holder: holder?.process ?? null,
      bookmakers: [...bookmakers].sort(),
      uncovered: [],
      lastRefusal: null,
      delivered: holder?.isSettled === true,
      problem: null,
      facts: {},
    }
  }
}

const NOTHING = new Account()
