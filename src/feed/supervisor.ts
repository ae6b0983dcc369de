// The supervisor: starts the configured sources, gives each its lane into the engine, and reports the state of each.

import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { SourceHealth } from '../domain/feed-health.ts'
import type { SourceTerms } from '../domain/feed-source.ts'
import type { AddInput, Input } from '../domain/input.ts'
import type { Observation } from '../domain/observation.ts'
import type { Refusal } from '../domain/refusal.ts'
import { type Sport, SPORTS } from '../domain/sport.ts'
import { Account, type AccountTotals, type SourceMarketRow } from '../source/kit/account.ts'
import type { Connector, ConnectorContext, Producer } from '../source/kit/connector.ts'
import type { FeedClock } from './feed-clock.ts'
import { type Budget, Intake, type Lane } from './intake.ts'

/** What the supervisor needs of the engine, which numbers producers. */
export interface EnginePort {
  addProducer(source: number, name: string): number
  /** The source of a producer. */
  sourceOf(producer: number): number
  /** Whether a walk over the quotes of a producer is still under way. */
  isWalking(producer: number): boolean
}

export interface SupervisorParts {
  readonly engine: EnginePort
  readonly add: AddInput
  /** Judges the health of the sources. */
  readonly clock: FeedClock
  /** Epoch ms. */
  readonly now: () => number
  /** A monotonic clock, ms. */
  readonly elapsedMs: () => number
  /** Random, from 0 to below 1. */
  readonly chance: () => number
  /** Whether coverage shows a bookmaker in a sport to any customer. */
  readonly isCovered: (bookmaker: string, sport: Sport) => boolean
  /** Logs a message of a source. */
  readonly log: (level: 'info' | 'warn', source: string, message: string) => void
  /** Names of sources during the life of the process: the engine numbers them, and quotes store the number. */
  readonly sourcesMax: number
}

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
  /**
   * Everything that it was made of, including secrets and files, as digests: a source whose plan has the same input is
   * not restarted.
   */
  readonly input: unknown
  readonly connect: (context: ConnectorContext) => Connector
}

/** The state of a source, for operators. Times are epoch ms. */
export interface SourceStatus extends SourceHealth {
  readonly name: string
  readonly kind: string
  /** Bookmakers that it feeds, by its plan or its observations. */
  readonly bookmakers: readonly string[]
  /** What it has fed and coverage shows to no customer: `SLUG SPORT`. */
  readonly uncovered: readonly string[]
  readonly observations: number
  readonly prices: number
  readonly refused: number
  /** Code and message of the newest refusal. */
  readonly lastRefusal: string | null
  readonly throttledMs: number
  /** Whether its first delivery is complete: see {@link Connector.hasDelivered}. */
  readonly delivered: boolean
  readonly totals: AccountTotals
  /** The last problem that it logged since its last sign of life; else the trouble of a part of it. */
  readonly problem: string | null
  readonly facts: Readonly<Record<string, string | number | boolean | null>>
}

/** The result of a reload of the configuration: names of sources. */
export interface SourceChanges {
  readonly added: string[]
  readonly removed: string[]
  /** Configured differently than before. */
  readonly restarted: string[]
  readonly unchanged: string[]
}

/** Interval of the checks whether the quotes of a stopped source are suspended. */
const SUSPEND_LOOK_MS = 5

/** Malformed parts of a source that are logged one by one; the account has the count of all. */
const MALFORMED_LOGGED_MAX = 20

/** Bookmakers of one source that its status lists. */
const BOOKMAKERS_MAX = 4_096

/** Gets the observations of a source, as the engine gets them. */
export type Tap = (observation: Observation, refusal: Refusal | undefined) => void

class Source {
  readonly plan: SourcePlan
  readonly number: number
  readonly lane: Lane
  readonly account = new Account()
  readonly bookmakers = new Set<string>()
  /** Bookmakers with the sports in which it has fed them, `SLUG SPORT`. */
  readonly fed = new Set<string>()
  readonly taps = new Set<Tap>()
  /** Those that have not left. */
  readonly producers = new Set<number>()
  connector: Connector | undefined
  problem: string | null = null
  refused = 0
  lastRefusal: string | null = null
  /** Code and field of the last refusal. */
  lastReason = ''
  /** It was logged that it feeds what coverage shows to no customer. */
  isUncoveredTold = false
  /** Its clock is ahead of ours: its times are wrong. */
  isAhead = false
  /** Since its last sign of life: observations recorded, and refused because they are ahead of the clock. */
  taken = 0
  ahead = 0
  /** It was stopped: signs of life of its connector are ignored. */
  isEnded = false
  private hasSpoken = false
  private isDelivered = false
  private lastBookmaker = ''
  private lastSport: Sport | undefined

  constructor(plan: SourcePlan, number: number, lane: Lane) {
    this.plan = plan
    this.number = number
    this.lane = lane
    for (const slug of plan.bookmakers) this.bookmakers.add(slug)
  }

  /** An observation of it was recorded. */
  spoke(): void {
    this.taken++
    this.hasSpoken = true
  }

  /** Whether its first delivery is complete; it stays so. */
  get hasDelivered(): boolean {
    this.isDelivered ||= this.connector?.hasDelivered?.() ?? this.hasSpoken
    return this.isDelivered
  }

  /** Notes which bookmaker it feeds in which sport. @returns whether that is new */
  note({ bookmaker, event }: Observation): boolean {
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
}

/** Sorts the entries of a map; those without a place come first, in their former order. */
const sortByKey = <Value>(map: Map<string, Value>, place: ReadonlyMap<string, number>): void => {
  const entries = [...map].toSorted(([a], [b]) => (place.get(a) ?? -1) - (place.get(b) ?? -1))
  map.clear()
  for (const [key, value] of entries) map.set(key, value)
}

export class Supervisor {
  private readonly parts: SupervisorParts
  private readonly intake: Intake
  private readonly byName = new Map<string, Source>()
  private readonly never = new Map<string, SourcePlan>()
  /** Names that the engine has a number for. */
  private readonly numbered = new Set<string>()
  /** The last configuration by name, without sources that were started one by one. */
  private configured: ReadonlyMap<string, SourcePlan> = new Map()
  /** Configured sources that are about to be started. */
  private readonly due = new Set<string>()
  private configuring: Promise<unknown> = Promise.resolve()
  private isStopped = false
  private producersOpened = 0

  constructor(parts: SupervisorParts) {
    this.parts = parts
    this.intake = new Intake({ elapsedMs: parts.elapsedMs })
  }

  /** Sources that are never started, each with the reason. */
  get neverStarted(): readonly SourcePlan[] {
    return [...this.never.values()]
  }

  /** Starts a source. A source with the same name must be stopped before. */
  start(plan: SourcePlan): void {
    const { clock, now, log, sourcesMax } = this.parts
    const { name } = plan.terms
    const isOneTooMany = !this.numbered.has(name) && this.numbered.size >= sourcesMax
    const never = isOneTooMany
      ? `is one name of a source too many (${sourcesMax} since the start): restart the service`
      : plan.never
    if (never !== null) {
      this.never.set(name, { ...plan, never })
      log('warn', name, never)
      return
    }
    this.numbered.add(name)
    const number = clock.addSource(plan.terms, now())
    const source = new Source(plan, number, this.intake.newLane(plan.budget))
    this.byName.set(name, source)
    for (const slug of plan.bookmakers) clock.expect(slug, number, now())
    source.connector = plan.connect(this.contextOf(source))
  }

  /**
   * Replaces the sources of the last configuration. Sources whose plans have the same input are not touched. The open
   * quotes of a source that is removed or restarted are suspended: nothing keeps them up to date, and a quote that the
   * source withdrew meanwhile would stay open. A restarted source opens them again as it states them. Calls wait for
   * each other.
   */
  configure(plans: readonly SourcePlan[]): Promise<SourceChanges> {
    const done = this.configuring.then(() => this.change(plans))
    this.configuring = done.catch(() => {})
    return done
  }

  /** Sources that have not delivered yet, without those that are down and those that are never started. */
  undelivered(): string[] {
    const running = [...this.byName.values()].filter(
      (source) => !source.hasDelivered && this.parts.clock.sourceHealth(source.number).state !== 'down',
    )
    return [...running.map(({ plan }) => plan.terms.name), ...this.due]
  }

  /** Ends all sources; observations that were not passed on by then are dropped. */
  async stop(): Promise<void> {
    this.isStopped = true
    const sources = [...this.byName.values()]
    for (const { lane } of sources) lane.close()
    await Promise.all([...sources.map(({ connector }) => connector?.stop()), this.configuring])
  }

  private async change(plans: readonly SourcePlan[]): Promise<SourceChanges> {
    const former = this.configured
    const names = new Set(plans.map(({ terms }) => terms.name))
    const removed = [...former.keys()].filter((name) => !names.has(name))
    const changes: SourceChanges = { added: [], removed, restarted: [], unchanged: [] }
    if (this.isStopped) return changes
    const toStart: SourcePlan[] = []
    for (const plan of plans) {
      const { name } = plan.terms
      const known = former.get(name)
      const isSame = known !== undefined && isDeepStrictEqual(known.input, plan.input)
      const kind = known === undefined ? 'added' : isSame ? 'unchanged' : 'restarted'
      changes[kind].push(name)
      if (isSame) continue
      toStart.push(plan)
      this.due.add(name)
    }
    this.configured = new Map(plans.map((plan) => [plan.terms.name, plan]))
    await Promise.all([...changes.removed, ...changes.restarted].map((name) => this.end(name)))
    for (const plan of toStart) {
      if (!this.isStopped) this.startOrTell(plan)
      this.due.delete(plan.terms.name)
    }
    // Sources that were started one by one come first.
    const place = new Map(plans.map(({ terms }, index) => [terms.name, index]))
    sortByKey(this.byName, place)
    sortByKey(this.never, place)
    return changes
  }

  /** A source that cannot be started does not keep the others from running. */
  private startOrTell(plan: SourcePlan): void {
    const { name } = plan.terms
    try {
      this.start(plan)
    } catch (error) {
      const source = this.byName.get(name)
      this.byName.delete(name)
      if (source !== undefined) void this.leave(source)
      const never = `cannot be started: ${(error as Error).message}`
      this.never.set(name, { ...plan, never })
      this.parts.log('warn', name, never)
    }
  }

  /** Stops a source. Resolves when nothing of it is open or pending, and its open quotes on the board are suspended. */
  private async end(name: string): Promise<void> {
    const source = this.byName.get(name)
    this.byName.delete(name)
    this.never.delete(name)
    if (source === undefined) return
    const left = this.leave(source)
    await source.connector?.stop()
    await left
    const isWalking = (producer: number): boolean => this.parts.engine.isWalking(producer)
    while (!this.isStopped && [...source.producers].some(isWalking)) await pause(SUSPEND_LOOK_MS)
  }

  /** A source was stopped, so its open quotes are no longer updated: its producers leave, whatever its terms. */
  private async leave(source: Source): Promise<void> {
    const { clock, now } = this.parts
    source.isEnded = true
    source.lane.close()
    clock.endSource(source.number, now())
    const { producers } = source
    await Promise.all(Array.from(producers, (producer) => this.settle({ kind: 'leave', producer })))
  }

  /** Adds an input. Resolves when its turn was published. */
  private settle(input: Input): Promise<unknown> {
    return new Promise((resolve) => this.parts.add(input, resolve))
  }

  /** Notes an observation that the engine has applied, for the health of the bookmaker's source. */
  note({ bookmaker, observedAt }: Observation, producer: number, nowAt: number): void {
    const { clock, engine } = this.parts
    clock.hear(bookmaker, observedAt, nowAt, engine.sourceOf(producer))
  }

  /** Judges the health of the sources: what has changed becomes inputs of the next turn. Called after each turn. */
  judge(nowAt: number): void {
    const { clock, add } = this.parts
    const { healths, suspended } = clock.look(nowAt)
    for (const health of healths) add({ kind: 'health', health })
    for (const { number, producers } of this.byName.values()) {
      if (!suspended.includes(number)) continue
      for (const producer of producers) add({ kind: 'suspect', producer, doubt: 'source_down' })
    }
  }

  /** The state of every started source, in the order of the configuration. */
  statuses(): SourceStatus[] {
    return Array.from(this.byName.values(), (source) => this.statusOf(source))
  }

  /** Where the outcomes of each source market of a source ended; undefined: no such source was started. */
  sourceMarketsOf(name: string): readonly SourceMarketRow[] | undefined {
    return this.byName.get(name)?.account.sourceMarkets()
  }

  /**
   * Names of the running sources that have fed a bookmaker in a sport.
   * @param orMay include a source that is configured for the bookmaker and has fed nothing of it yet
   */
  sourcesOf(bookmaker: string, sport: Sport, orMay: boolean): string[] {
    return [...this.byName.values()]
      .filter(({ plan, connector, bookmakers, fed }) => {
        if (connector === undefined || !bookmakers.has(bookmaker)) return false
        if (fed.has(`${bookmaker} ${sport}`)) return true
        return orMay && plan.bookmakers.includes(bookmaker) && !SPORTS.some((each) => fed.has(`${bookmaker} ${each}`))
      })
      .map(({ plan }) => plan.terms.name)
  }

  /**
   * Has a source fetch its current prices.
   * @param tap gets what it passes on meanwhile
   * @returns why they are not available; undefined: they are on the board
   */
  async refresh(name: string, tap: Tap): Promise<string | undefined> {
    const source = this.byName.get(name)
    if (source?.connector === undefined) return `there is no source "${name}" that runs`
    source.taps.add(tap)
    try {
      return await source.connector.refresh()
    } finally {
      source.taps.delete(tap)
    }
  }

  private contextOf(source: Source): ConnectorContext {
    const { now, chance, log } = this.parts
    const { name } = source.plan.terms
    let malformedLogged = 0
    return {
      name,
      account: source.account,
      now,
      chance,
      producer: (producer) => this.producerOf(source, producer),
      alive: () => this.hear(source),
      log: (level, message) => {
        if (level === 'warn') source.problem = message
        log(level, name, message)
      },
      onMalformed: (place, reason) => {
        if (malformedLogged++ < MALFORMED_LOGGED_MAX) log('warn', name, `${place}: ${reason}; skipped`)
      },
    }
  }

  private producerOf(source: Source, name: string): Producer {
    const { engine, add } = this.parts
    const { lane } = source
    // Always a new one: it must not confirm quotes of a former producer that it has not repeated.
    const producer = engine.addProducer(source.number, `${name} ${++this.producersOpened}`)
    source.producers.add(producer)
    // After it has left its number may belong to another producer.
    let isLeft = false
    const submit = async (input: Input): Promise<void> => {
      let settled: Promise<unknown> | undefined
      await lane.act(() => {
        if (isLeft) return
        settled = this.settle(input)
        if (input.kind !== 'leave') return
        isLeft = true
        // Not before: a source that is stopped meanwhile has all its producers leave.
        source.producers.delete(producer)
      })
      await settled
    }
    return {
      observe: async (observations, doubt) => {
        let refused = 0
        let unsettled = 0
        let onSettled: (() => void) | undefined
        await lane.take(observations, (observation) => {
          if (isLeft) return
          unsettled++
          add({ kind: 'observe', observation, producer, doubt }, (refusal) => {
            if (refusal !== undefined) refused++
            this.observed(observation, source, refusal)
            if (--unsettled === 0) onSettled?.()
          })
        })
        if (unsettled > 0) await new Promise<void>((resolve) => (onSettled = resolve))
        return refused === 0
      },
      suspect: (doubt) => void submit({ kind: 'suspect', producer, doubt }),
      confirm: (at) => submit({ kind: 'confirm', producer, at }),
      end: (at) => submit({ kind: 'end', producer, at }),
      leave: () => submit({ kind: 'leave', producer }),
    }
  }

  private hear(source: Source): void {
    if (source.isEnded) return
    const { clock, now } = this.parts
    const wasAhead = source.isAhead
    if (source.taken + source.ahead > 0) source.isAhead = source.taken === 0
    source.taken = 0
    source.ahead = 0
    // No sign of life: it becomes silent, and its quotes are suspended at last.
    if (source.isAhead) return
    source.problem = null
    if (clock.beat(source.number, now()) || wasAhead) source.connector?.resume?.()
  }

  private observed(observation: Observation, source: Source, refusal: Refusal | undefined): void {
    if (refusal === undefined) {
      source.spoke()
      if (source.note(observation)) this.seeToCoverage(source, observation)
    } else {
      source.refused++
      const { refused, message, field = '' } = refusal
      const text = `${refused}: ${message}`
      // Logged once for each reason: a source whose clock is wrong is refused with every price.
      const reason = `${refused} ${field}`
      if (reason !== source.lastReason) this.parts.log('warn', source.plan.terms.name, `refused: ${text}`)
      source.lastReason = reason
      source.lastRefusal = text
      if (field === 'observedAt') {
        source.ahead++
        source.problem = text
      }
    }
    for (const tap of source.taps) tap(observation, refusal)
  }

  /** Warns of a source whose prices no customer sees; its state is healthy otherwise. */
  private seeToCoverage(source: Source, { bookmaker, event: { sport } }: Observation): void {
    const { isCovered, log } = this.parts
    if (source.isUncoveredTold || isCovered(bookmaker, sport)) return
    source.isUncoveredTold = true
    log(
      'warn',
      source.plan.terms.name,
      `feeds ${bookmaker} in ${sport}, which coverage shows to nobody; oddswire coverage import registers bookmakers, ` +
        'feed status lists all such',
    )
  }

  private statusOf(source: Source): SourceStatus {
    const { plan, lane, account, bookmakers, fed, refused, lastRefusal, problem, connector, number } = source
    const isUncovered = (pair: string): boolean => {
      const [bookmaker, sport] = pair.split(' ')
      return !this.parts.isCovered(bookmaker!, sport as Sport)
    }
    return {
      name: plan.terms.name,
      kind: plan.kind,
      ...this.parts.clock.sourceHealth(number),
      bookmakers: [...bookmakers].sort(),
      uncovered: [...fed].filter(isUncovered).sort(),
      observations: lane.observations,
      prices: lane.prices,
      refused,
      lastRefusal,
      throttledMs: lane.throttledMs,
      delivered: source.hasDelivered,
      totals: account.totals(),
      problem: problem ?? connector?.trouble?.() ?? null,
      facts: connector?.facts() ?? {},
    }
  }
}
