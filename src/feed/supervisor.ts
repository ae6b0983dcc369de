// The supervisor: starts the configured sources, gives each its lane into the engine, and reports the state of each.

import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { NO_PRODUCER, NO_SOURCE, sourceOfProducer } from '../domain/feed-source.ts'
import type { Observation } from '../domain/observation.ts'
import type { Sport } from '../domain/sport.ts'
import type { SourceMarketRow } from '../source/kit/account.ts'
import { Intake } from './intake.ts'
import {
  RunningSource,
  type SourceFigures,
  type SourceParts,
  type SourcePlan,
  type SourceStatus,
  type Tap,
} from './running-source.ts'

export interface SupervisorParts extends Omit<SourceParts, 'nextProducer'> {
  /** Names of the producers of an earlier process that have quotes on the board, and when it ended, epoch ms. */
  readonly formers?: Iterable<string>
  readonly formerAt?: number
  /** When those of a source that is no longer configured leave, ms after that. */
  readonly formerMsMax?: number
  /** Whether the engine can take no more just now, see {@link Supervisor.resume}. */
  readonly isFull?: () => boolean
  /** A monotonic clock, ms. */
  readonly elapsedMs: () => number
  /** Names of sources during the life of the process: the engine numbers them, and quotes store the number. */
  readonly sourcesMax: number
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

/** Sorts the entries of a map; those without a place come first, in their former order. */
const sortByKey = <Value>(map: Map<string, Value>, place: ReadonlyMap<string, number>): void => {
  const entries = [...map].toSorted(([a], [b]) => (place.get(a) ?? -1) - (place.get(b) ?? -1))
  map.clear()
  for (const [key, value] of entries) map.set(key, value)
}

export class Supervisor {
  private readonly parts: SupervisorParts & SourceParts
  private readonly intake: Intake
  private readonly byName = new Map<string, RunningSource>()
  private readonly never = new Map<string, SourcePlan>()
  /** Names that the engine has a number for. */
  private readonly numbered = new Set<string>()
  /** The last configuration by name, without sources that were started one by one. */
  private configured: ReadonlyMap<string, SourcePlan> = new Map()
  /** Configured sources that are about to be started. */
  private readonly due = new Set<string>()
  /** Producers of an earlier process, by sources that have not been started since. */
  private readonly formers = new Map<string, readonly string[]>()
  private isConfigured = false
  private configuring: Promise<unknown> = Promise.resolve()
  private isStopped = false

  constructor(parts: SupervisorParts) {
    let producersOpened = 0
    const start = parts.now().toString(36)
    this.parts = { ...parts, nextProducer: () => `${start}.${++producersOpened}` }
    for (const producer of parts.formers ?? []) {
      const name = sourceOfProducer(producer)
      this.formers.set(name, [...(this.formers.get(name) ?? []), producer])
    }
    this.intake = new Intake(parts)
  }

  /** Sources that are never started, each with the reason. */
  get neverStarted(): readonly SourcePlan[] {
    return [...this.never.values()]
  }

  /** Those of them that should run, and cannot be started. */
  get off(): readonly SourcePlan[] {
    return this.neverStarted.filter(({ off = null }) => off !== null)
  }

  /** The engine can take more. */
  resume(): void {
    this.intake.resume()
  }

  /** Starts a source. A source with the same name must be stopped before. */
  start(plan: SourcePlan): void {
    const { log, sourcesMax } = this.parts
    const { name } = plan.terms
    const isOneTooMany = !this.numbered.has(name) && this.numbered.size >= sourcesMax
    const never = isOneTooMany
      ? `is one name of a source too many (${sourcesMax} since the start): restart the service`
      : plan.never
    if (never !== null) {
      this.never.set(name, { ...plan, never, ...(isOneTooMany ? { off: 'start' } : {}) })
      log('warn', name, never)
      return
    }
    this.numbered.add(name)
    const source = new RunningSource(
      plan,
      this.intake.newLane(plan.budget),
      this.parts,
      this.formers.get(name),
      this.parts.formerAt,
    )
    this.formers.delete(name)
    this.byName.set(name, source)
    source.connect()
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
      (source) => !source.hasDelivered && !source.isDown && !source.hasFormers,
    )
    return [...running.map(({ plan }) => plan.terms.name), ...this.due]
  }

  /** Ends all sources; observations that were not passed on by then are dropped. */
  async stop(): Promise<void> {
    this.isStopped = true
    const sources = [...this.byName.values()]
    for (const source of sources) source.close()
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
    this.isConfigured = true
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
      void source?.leave()
      const never = `cannot be started: ${(error as Error).message}`
      this.never.set(name, { ...plan, never, off: 'start' })
      this.parts.log('warn', name, never)
    }
  }

  /** Stops a source. Resolves when nothing of it is open or pending, and its open quotes on the board are suspended. */
  private async end(name: string): Promise<void> {
    const source = this.byName.get(name)
    this.byName.delete(name)
    this.never.delete(name)
    if (source === undefined) return
    const left = source.leave()
    await source.connector?.stop()
    await left
    while (!this.isStopped && source.isWalking) await pause(SUSPEND_LOOK_MS)
  }

  /** Notes an observation that the engine has applied, for the health of the bookmaker's source. */
  note({ bookmaker, observedAt }: Observation, producer: string, nowAt: number): void {
    const { clock } = this.parts
    const source = producer === NO_PRODUCER ? NO_SOURCE : clock.numberOf(sourceOfProducer(producer))
    clock.hear(bookmaker, observedAt, nowAt, source)
  }

  /** Judges the health of the sources: what has changed becomes inputs of the next turn. Called after each turn. */
  judge(nowAt: number): void {
    const { clock, add } = this.parts
    const { healths, suspended } = clock.look(nowAt)
    for (const health of healths) add({ kind: 'health', health })
    for (const source of this.byName.values()) if (suspended.includes(source.number)) source.suspect()
    for (const source of this.byName.values()) source.judgeFormers(nowAt)
    const { formerAt = 0, formerMsMax = 0 } = this.parts
    if (this.formers.size > 0 && this.isConfigured && nowAt - formerAt >= formerMsMax) this.leaveFormers()
  }

  /** Sources that are no longer configured, and that quotes are from: nothing keeps these up to date. */
  private leaveFormers(): void {
    for (const producer of [...this.formers.values()].flat()) {
      this.parts.add({ kind: 'leave', producer, doubt: 'source_down' })
    }
    this.formers.clear()
  }

  /** The state of every started source, in the order of the configuration. */
  statuses(): SourceStatus[] {
    return Array.from(this.byName.values(), (source) => source.status())
  }

  /** The state of one of them; undefined: no source of that name was started. */
  statusOf(name: string): SourceStatus | undefined {
    return this.byName.get(name)?.status()
  }

  /** The same, as far as it is counted. */
  figures(): SourceFigures[] {
    return Array.from(this.byName.values(), (source) => source.figures())
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
      .filter((source) => source.feeds(bookmaker, sport, orMay))
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
    return source.refresh(tap)
  }
}
