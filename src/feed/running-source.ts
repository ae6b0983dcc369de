// A source that runs: its connector, its lane into the engine, its producers, and what is known of it for its status.

import { FEED_STATES, type SourceHealth } from '../domain/feed-health.ts'
import { producerName, type SourceTerms } from '../domain/feed-source.ts'
import type { AddInput, Input } from '../domain/input.ts'
import type { Observation } from '../domain/observation.ts'
import type { Refusal } from '../domain/refusal.ts'
import { type Sport, SPORTS } from '../domain/sport.ts'
import { Account, type AccountTotals } from '../source/kit/account.ts'
import type { Connector, ConnectorContext, Producer } from '../source/kit/connector.ts'
import { OFF_CAUSES } from '../source/kit/planner.ts'
import type { FeedClock } from './feed-clock.ts'
import type { Budget, Lane } from './intake.ts'
import type { Lease } from './leases.ts'

/** What sources need of the engine. */
export interface EnginePort {
  /** Whether a walk over the quotes of a producer is still under way. */
  isWalking(producer: string): boolean
  /** The run that has taken a source, as of the log; 0: none has. */
  runOf(source: string): number
  /** The producers that have not left, or still have quotes. */
  producers(): Iterable<{ readonly name: string; readonly isLeft: boolean }>
}

export interface SourceParts {
  readonly engine: EnginePort
  readonly add: AddInput
  /** Judges the health of the sources. */
  readonly clock: FeedClock
  /** Epoch ms. */
  readonly now: () => number
  /** Called with times that a source has just given, and that may be ahead. */
  readonly ahead?: (at: number) => void
  /** Random, from 0 to below 1. */
  readonly chance: () => number
  /** Whether coverage shows a bookmaker in a sport to any customer. */
  readonly isCovered: (bookmaker: string, sport: Sport) => boolean
  /** Whether coverage lists a bookmaker at all; omitted: no. */
  readonly isRegistered?: (bookmaker: string) => boolean
  /** Logs a message of a source. */
  readonly log: (level: 'info' | 'warn', source: string, message: string) => void
  /** A number for the name of a producer, which no other one of this process has. */
  readonly nextProducer: () => number
}

/** What keeps a source off: see {@link OFF_CAUSES}; or it could not be started. */
export const OFF_REASONS = [...OFF_CAUSES, 'start'] as const

export type OffReason = (typeof OFF_REASONS)[number]

/** A source that is to be run. */
export interface SourcePlan {
  readonly terms: SourceTerms
  /** Its kind: `kambi`, `betfair`, … */
  readonly kind: string
  readonly budget: Budget
  /** Bookmakers that it is known to feed before its first observation. */
  readonly bookmakers: readonly string[]
  /** Why it is never started; null: it is. */
  readonly never: string | null
  /** What keeps a source off that should run; null or omitted: nothing. */
  readonly off?: OffReason | null
  /**
   * Everything that it was made of, including secrets and files, as digests: a source whose plan has the same input is
   * not restarted.
   */
  readonly input: unknown
  readonly connect: (context: ConnectorContext) => Connector
}

/** A source that another process runs, or that none runs just now, is `standby`: it is not judged here. */
export const SOURCE_STATES = [...FEED_STATES, 'standby'] as const

export type SourceState = (typeof SOURCE_STATES)[number]

/** What is counted of a source: a scrape of the metrics asks for it several times. */
export interface SourceFigures extends Omit<SourceHealth, 'state'> {
  readonly state: SourceState
  readonly name: string
  readonly observations: number
  readonly prices: number
  readonly refused: number
  readonly throttledMs: number
  readonly totals: AccountTotals
}

/** The state of a source, for operators. Times are epoch ms. */
export interface SourceStatus extends SourceFigures {
  readonly kind: string
  /** The process that runs a source on `standby`; null: it runs here, or it is not known. */
  readonly holder: string | null
  /** Bookmakers that it feeds, by its plan or its observations. */
  readonly bookmakers: readonly string[]
  /** What it has fed and coverage shows to no customer: `SLUG SPORT`. */
  readonly uncovered: readonly string[]
  /** Code and message of the newest refusal. */
  readonly lastRefusal: string | null
  /** Whether its first delivery is complete: see {@link Connector.hasDelivered}. */
  readonly delivered: boolean
  /** The last problem that it logged since its last sign of life; else the trouble of a part of it. */
  readonly problem: string | null
  readonly facts: Readonly<Record<string, string | number | boolean | null>>
}

/** Malformed parts of a source that are logged one by one; the account has the count of all. */
const MALFORMED_LOGGED_MAX = 20

/** Bookmakers of one source that its status lists. */
const BOOKMAKERS_MAX = 4_096

/** Gets the observations of a source, as the engine gets them. */
export type Tap = (observation: Observation, refusal: Refusal | undefined) => void

export class RunningSource {
  readonly plan: SourcePlan
  readonly number: number
  readonly account = new Account()
  connector: Connector | undefined
  private readonly parts: SourceParts
  private readonly lane: Lane
  private readonly lease: Lease
  // By its plan or its observations; and those with the sports in which it has fed them, `SLUG SPORT`.
  private readonly bookmakers: Set<string>
  private readonly fed = new Set<string>()
  private readonly taps = new Set<Tap>()
  // Those that have not left.
  private readonly producers = new Set<string>()
  // Those of an earlier process, and until when what they have said counts: they leave then, and before when the first
  // delivery is complete.
  private formers: readonly string[]
  private readonly formersUntil: number
  private problem: string | null = null
  private refused = 0
  private lastRefusal: string | null = null
  // Code and field of the last refusal.
  private lastReason = ''
  // Once each: that a bookmaker is not in coverage, and that coverage shows it to nobody.
  private readonly uncoveredLogged = { unregistered: false, hidden: false }
  // Its clock is ahead of ours: its times are wrong.
  private isAhead = false
  // Since its last sign of life: observations recorded, and refused because they are ahead of the clock.
  private recorded = 0
  private ahead = 0
  private isEnded = false
  private hasRecorded = false
  private isDelivered = false
  private lastBookmaker = ''
  private lastSport: Sport | undefined

  /** @param formers its producers in an earlier process, which could hear it until `formerAt` */
  constructor(
    plan: SourcePlan,
    lane: Lane,
    parts: SourceParts,
    lease: Lease,
    formers: readonly string[] = [],
    formerAt = 0,
  ) {
    const { clock, now } = parts
    const { downMs, suspendMs } = plan.terms
    this.formers = formers
    this.formersUntil = formerAt + downMs + (suspendMs ?? Number.POSITIVE_INFINITY)
    this.plan = plan
    this.lane = lane
    this.lease = lease
    this.parts = parts
    this.bookmakers = new Set(plan.bookmakers)
    this.number = clock.addSource(plan.terms, now())
    for (const slug of plan.bookmakers) clock.expect(slug, this.number, now())
  }

  /** Opens its connection. */
  connect(): void {
    this.connector = this.plan.connect(this.context())
  }

  /** Whether its first delivery is complete; it stays so. */
  get hasDelivered(): boolean {
    this.isDelivered ||= this.connector?.hasDelivered?.() ?? this.hasRecorded
    return this.isDelivered
  }

  get isDown(): boolean {
    return this.parts.clock.sourceHealth(this.number).state === 'down'
  }

  /**
   * Whether it has fed a bookmaker in a sport.
   * @param orMay also true where it is configured for the bookmaker and has fed nothing of it yet
   */
  feeds(bookmaker: string, sport: Sport, orMay: boolean): boolean {
    if (this.connector === undefined || !this.bookmakers.has(bookmaker)) return false
    const { fed, plan } = this
    if (fed.has(`${bookmaker} ${sport}`)) return true
    return orMay && plan.bookmakers.includes(bookmaker) && !SPORTS.some((each) => fed.has(`${bookmaker} ${each}`))
  }

  /** It is down: all that it last said becomes suspect. */
  suspect(): void {
    if (!this.isHeard) return
    this.connector?.suspended?.()
    for (const producer of this.producers) this.parts.add({ kind: 'suspect', producer, doubt: 'source_down' })
  }

  /** Fetches its current prices. @param tap gets what it passes on meanwhile */
  async refresh(tap: Tap): Promise<string | undefined> {
    this.taps.add(tap)
    try {
      return await this.connector!.refresh()
    } finally {
      this.taps.delete(tap)
    }
  }

  /** Drops what waits in its lane. */
  close(): void {
    this.lane.close()
  }

  /** Ends without a word: another process may run it by now, and has made suspect what it has said. */
  async endUnheard(): Promise<void> {
    this.isEnded = true
    this.formers = []
    this.close()
    await this.connector?.stop()
  }

  /** Whether what it says may be added to the log. */
  private get isHeard(): boolean {
    return !this.isEnded && this.lease.isHeld()
  }

  /**
   * It was stopped, so its open quotes are no longer updated: its producers leave, whatever its terms. Resolves when that
   * was published.
   */
  async leave(): Promise<void> {
    const { clock, now } = this.parts
    const all = this.isHeard ? [...this.formers, ...this.producers] : []
    this.isEnded = true
    this.close()
    clock.endSource(this.number, now())
    const doubt = 'source_down'
    this.formers = []
    await Promise.all(all.map((producer) => this.settle({ kind: 'leave', producer, doubt })))
  }

  /** Whether its quotes on the board are not all suspended yet, after it has left. */
  get isWalking(): boolean {
    return [...this.producers].some((producer) => this.parts.engine.isWalking(producer))
  }

  /** Adds an input. Resolves when its turn was published. */
  private settle(input: Input): Promise<unknown> {
    return new Promise((resolve) => this.parts.add(input, resolve))
  }

  private context(): ConnectorContext {
    const { now, chance, log } = this.parts
    const { name } = this.plan.terms
    let malformedLogged = 0
    return {
      name,
      account: this.account,
      now,
      chance,
      producer: (producer) => this.producerOf(producer),
      alive: () => this.alive(),
      ahead: (at) => this.parts.ahead?.(at),
      log: (level, message) => {
        if (level === 'warn') this.problem = message
        log(level, name, message)
      },
      onMalformed: (place, reason) => {
        if (malformedLogged++ < MALFORMED_LOGGED_MAX) log('warn', name, `${place}: ${reason}; skipped`)
      },
    }
  }

  private producerOf(name: string): Producer {
    const { add } = this.parts
    const { lane } = this
    // Always a new one: it must not confirm quotes of a former producer that it has not repeated.
    const producer = producerName(this.plan.terms.name, name, this.lease.run, this.parts.nextProducer())
    this.producers.add(producer)
    let isLeft = false
    const submit = async (input: Input): Promise<void> => {
      let settled: Promise<unknown> | undefined
      await lane.act(() => {
        if (isLeft || !this.isHeard) return
        settled = this.settle(input)
        if (input.kind !== 'leave') return
        isLeft = true
        // Not before: a source that is stopped meanwhile has all its producers leave.
        this.producers.delete(producer)
      })
      await settled
    }
    return {
      observe: async (observations, doubt) => {
        let refused = 0
        let unsettled = 0
        let onSettled: (() => void) | undefined
        await lane.push(observations, (observation) => {
          if (isLeft || !this.isHeard) return
          unsettled++
          add({ kind: 'observe', observation, producer, doubt }, (refusal) => {
            if (refusal !== undefined) refused++
            if (refusal?.field === 'producer') this.lease.giveUp()
            else this.observed(observation, refusal)
            if (--unsettled === 0) onSettled?.()
          })
        })
        if (unsettled > 0) await new Promise<void>((resolve) => (onSettled = resolve))
        return refused === 0
      },
      suspect: (doubt) => void submit({ kind: 'suspect', producer, doubt }),
      confirm: (at) => submit({ kind: 'confirm', producer, at }),
      end: (at) => submit({ kind: 'end', producer, at }),
      leave: (doubt = 'source_down') => submit({ kind: 'leave', producer, doubt }),
    }
  }

  /** Whether quotes of an earlier process still count as current: customers need not wait for its first delivery. */
  get hasFormers(): boolean {
    return this.formers.length > 0
  }

  /**
   * The producers of an earlier process leave when the first delivery is complete: what it has not repeated may be as
   * old as the end of that process. They leave without it when the source has been silent, or was not listened to, for
   * as long as its terms allow.
   */
  judgeFormers(nowAt: number): void {
    if (this.formers.length === 0 || (nowAt < this.formersUntil && !this.hasDelivered)) return
    const { suspendMs } = this.plan.terms
    const doubt = suspendMs === null ? undefined : this.hasDelivered ? 'gap' : 'source_down'
    for (const producer of this.formers) this.parts.add({ kind: 'leave', producer, doubt })
    this.formers = []
  }

  private alive(): void {
    if (this.isEnded) return
    const { clock, now } = this.parts
    const wasAhead = this.isAhead
    if (this.recorded + this.ahead > 0) this.isAhead = this.recorded === 0
    this.recorded = 0
    this.ahead = 0
    // No sign of life: it becomes silent, and its quotes are suspended at last.
    if (this.isAhead) return
    this.problem = null
    if (clock.beat(this.number, now()) || wasAhead) this.connector?.resume?.()
  }

  private observed(observation: Observation, refusal: Refusal | undefined): void {
    if (refusal === undefined) {
      this.recorded++
      this.hasRecorded = true
      if (this.isNew(observation)) this.warnUncovered(observation)
    } else {
      this.refused++
      const { refused, message, field = '' } = refusal
      const text = `${refused}: ${message}`
      // Logged once for each reason: a source whose clock is wrong is refused with every price.
      const reason = `${refused} ${field}`
      if (reason !== this.lastReason) this.parts.log('warn', this.plan.terms.name, `refused: ${text}`)
      this.lastReason = reason
      this.lastRefusal = text
      if (field === 'observedAt') {
        this.ahead++
        this.problem = text
      }
    }
    for (const tap of this.taps) tap(observation, refusal)
  }

  /** Notes which bookmaker it feeds in which sport. Returns whether that is new. */
  private isNew({ bookmaker, event }: Observation): boolean {
    // Mostly the same as the one before.
    if (bookmaker === this.lastBookmaker && event.sport === this.lastSport) return false
    this.lastBookmaker = bookmaker
    this.lastSport = event.sport
    const pair = `${bookmaker} ${event.sport}`
    if (this.bookmakers.size >= BOOKMAKERS_MAX || this.fed.has(pair)) return false
    this.bookmakers.add(bookmaker)
    this.fed.add(pair)
    return true
  }

  /** Reports a source whose prices no customer sees; its state is healthy otherwise. */
  private warnUncovered({ bookmaker, event: { sport } }: Observation): void {
    const { isCovered, isRegistered, log } = this.parts
    if (isCovered(bookmaker, sport)) return
    const isHidden = isRegistered?.(bookmaker) === true
    const kind = isHidden ? 'hidden' : 'unregistered'
    if (this.uncoveredLogged[kind]) return
    this.uncoveredLogged[kind] = true
    // Where coverage lists it, somebody has decided so.
    log(
      isHidden ? 'info' : 'warn',
      this.plan.terms.name,
      `feeds ${bookmaker} in ${sport}, which coverage shows to nobody; ` +
        `${isHidden ? '' : 'oddswire coverage import registers bookmakers, '}feed status lists all such`,
    )
  }

  figures(): SourceFigures {
    const { plan, lane, account, refused, number } = this
    return {
      name: plan.terms.name,
      ...this.parts.clock.sourceHealth(number),
      observations: lane.observations,
      prices: lane.prices,
      refused,
      throttledMs: lane.throttledMs,
      totals: account.totals(),
    }
  }

  status(): SourceStatus {
    const { plan, bookmakers, fed, lastRefusal, problem, connector } = this
    const isUncovered = ([bookmaker, sport]: string[]): boolean => !this.parts.isCovered(bookmaker!, sport as Sport)
    return {
      ...this.figures(),
      kind: plan.kind,
      holder: null,
      bookmakers: [...bookmakers].sort(),
      uncovered: [...fed].filter((pair) => isUncovered(pair.split(' '))).sort(),
      lastRefusal,
      delivered: this.hasDelivered,
      problem: problem ?? connector?.trouble?.() ?? null,
      facts: connector?.facts() ?? {},
    }
  }
}
