// The supervisor: starts the configured sources, gives each its lane into the engine, and reports the state of each.

import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { NO_PRODUCER, NO_SOURCE, sourceOfProducer } from '../domain/feed-source.ts'
import type { Observation } from '../domain/observation.ts'
import type { Sport } from '../domain/sport.ts'
import type { SourceMarketRow } from '../source/kit/account.ts'
import { ELSEWHERE } from './feed-clock.ts'
import { Intake } from './intake.ts'
import { type Leases, ownLeases } from './leases.ts'
import { type OthersParts, OthersProducers } from './others-producers.ts'
import { type PlaceParts, SourcePlace } from './source-place.ts'
import type { RunningSource, SourceFigures, SourceParts, SourcePlan, SourceStatus, Tap } from './running-source.ts'

export interface SupervisorParts extends Omit<SourceParts, 'nextProducer'>, OthersParts {
  /** Whether the engine can take no more just now, see {@link Supervisor.resume}. */
  readonly isFull?: () => boolean
  /** A monotonic clock, ms. */
  readonly elapsedMs: () => number
  /** Names of sources during the life of the process: the engine numbers them, and quotes store the number. */
  readonly sourcesMax: number
  /** Which sources run in this process; omitted: all. */
  readonly leases?: Leases
}

/** The result of a reload of the configuration: names of sources. */
export interface SourceChanges {
  readonly added: string[]
  readonly removed: string[]
  /** Configured differently than before. */
  readonly restarted: string[]
  readonly unchanged: string[]
}

/** Sorts the entries of a map; those without a place come first, in their former order. */
const sortByKey = <Value>(map: Map<string, Value>, place: ReadonlyMap<string, number>): void => {
  const entries = [...map].toSorted(([a], [b]) => (place.get(a) ?? -1) - (place.get(b) ?? -1))
  map.clear()
  for (const [key, value] of entries) map.set(key, value)
}

export class Supervisor {
  private readonly parts: SupervisorParts & PlaceParts
  private readonly intake: Intake
  private readonly byName = new Map<string, SourcePlace>()
  private readonly never = new Map<string, SourcePlan>()
  /** Names that the engine has a number for. */
  private readonly numbered = new Set<string>()
  /** The last configuration by name, without sources that were started one by one. */
  private configured: ReadonlyMap<string, SourcePlan> = new Map()
  /** Configured sources that are about to be started. */
  private readonly due = new Set<string>()
  /** Of sources that no process runs. */
  private readonly others: OthersProducers
  private isConfigured = false
  private configuring: Promise<unknown> = Promise.resolve()
  private isStopped = false

  constructor(parts: SupervisorParts) {
    let producersOpened = 0
    const { leases = ownLeases(parts.now()) } = parts
    this.parts = {
      ...parts,
      leases,
      nextProducer: () => ++producersOpened,
      newLane: ({ budget }) => this.intake.newLane(budget),
      takeFormers: (source) => this.others.takeFormers(source),
      onFault: (place, error) => this.cannotStart(place, error),
      isStopped: () => this.isStopped,
    }
    this.others = new OthersProducers({ ...parts, leases }, (source) => this.byName.has(source))
    this.intake = new Intake(parts)
  }

  /** Those that run in this process. */
  private get running(): RunningSource[] {
    return [...this.byName.values()].flatMap(({ running }) => running ?? [])
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

  /** Starts a source, when its lease is ours. A source with the same name must be stopped before. */
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
    const place = new SourcePlace(plan, this.parts)
    this.byName.set(name, place)
    place.open()
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

  /**
   * Sources that have not delivered yet, here or in the process that runs them, without those that are down and those
   * that are never started.
   */
  undelivered(): string[] {
    const places = [...this.byName.values()].filter((place) => !place.isDelivered)
    return [...places.map(({ plan }) => plan.terms.name), ...this.due]
  }

  /**
   * Ends all sources; observations that were not passed on by then are dropped.
   * @param msMax how long it is waited for them: a source, and a change of the configuration, may wait for the log, for
   *   ever if that is broken. Then the leases are not given back, and end by themselves.
   */
  async stop(msMax: number): Promise<void> {
    this.isStopped = true
    const stopped = Promise.all([...Array.from(this.byName.values(), (place) => place.stop()), this.configuring])
    const areStopped = await Promise.race([stopped.then(() => true), pause(msMax, false, { ref: false })])
    await this.parts.leases.stop(areStopped)
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
    // One that is only configured differently keeps its lease: another process might still have the former configuration.
    await Promise.all([
      ...changes.removed.map((name) => this.end(name).then(() => this.parts.leases.release(name))),
      ...changes.restarted.map((name) => this.end(name)),
    ])
    for (const plan of toStart) {
      const { name } = plan.terms
      if (!this.isStopped) this.start(plan)
      this.due.delete(name)
      if (this.byName.get(name)?.plan !== plan) await this.parts.leases.release(name)
    }
    // Sources that were started one by one come first.
    const place = new Map(plans.map(({ terms }, index) => [terms.name, index]))
    sortByKey(this.byName, place)
    sortByKey(this.never, place)
    return changes
  }

  /** A source that cannot be started does not keep the others from running, nor another process from running it. */
  private cannotStart(place: SourcePlace, error: Error): void {
    const { plan } = place
    const { name } = plan.terms
    this.byName.delete(name)
    void place.close().then(() => (this.byName.has(name) ? undefined : this.parts.leases.release(name)))
    const never = `cannot be started: ${error.message}`
    this.never.set(name, { ...plan, never, off: 'start' })
    this.parts.log('warn', name, never)
  }

  /** Stops a source. Resolves when nothing of it is open or pending, and its open quotes on the board are suspended. */
  private async end(name: string): Promise<void> {
    const place = this.byName.get(name)
    this.byName.delete(name)
    this.never.delete(name)
    await place?.close()
  }

  /** Notes an observation that the engine has applied, of any process, for the health of the bookmaker's source. */
  note(observation: Observation, producer: string, nowAt: number): void {
    const { clock, leases } = this.parts
    const { bookmaker, observedAt } = observation
    if (producer === NO_PRODUCER) return clock.hear(bookmaker, observedAt, nowAt, NO_SOURCE)
    const name = sourceOfProducer(producer)
    const place = this.byName.get(name)
    if (place !== undefined && place.running === undefined) place.noteForeign(observation)
    const number = clock.numberOf(name)
    // Of a source that is configured for other processes alone.
    clock.hear(bookmaker, observedAt, nowAt, number === NO_SOURCE && leases.isShared ? ELSEWHERE : number)
  }

  /** Judges the health of the sources: what has changed becomes inputs of the next turn. Called after each turn. */
  judge(nowAt: number): void {
    const { clock, add } = this.parts
    const { healths, suspended } = clock.look(nowAt)
    for (const health of healths) add({ kind: 'health', health })
    const { running } = this
    for (const source of running) if (suspended.includes(source.number)) source.suspect()
    for (const source of running) source.judgeFormers(nowAt)
    if (this.isConfigured) this.others.judge(nowAt)
  }

  /** The state of every started source, and of those on standby, in the order of the configuration. */
  statuses(): SourceStatus[] {
    return Array.from(this.byName.values(), (place) => place.status())
  }

  /** The state of one of them; undefined: no source of that name was started. */
  statusOf(name: string): SourceStatus | undefined {
    return this.byName.get(name)?.status()
  }

  /** What is counted of those that run in this process. */
  figures(): SourceFigures[] {
    return this.running.map((source) => source.figures())
  }

  /** Names of the sources that another process runs, or nobody just now. */
  standby(): string[] {
    return [...this.byName.values()].flatMap(({ running, plan }) => (running === undefined ? [plan.terms.name] : []))
  }

  /** Those of them that may feed a bookmaker in a sport, each with the process that runs it. */
  elsewhere(bookmaker: string, sport: Sport): { readonly source: string; readonly process: string | null }[] {
    return [...this.byName.values()]
      .filter((place) => place.feedsElsewhere(bookmaker, sport))
      .map(({ plan, holder }) => ({ source: plan.terms.name, process: holder?.process ?? null }))
  }

  /** Where the outcomes of each source market of a source ended; undefined: no such source runs here. */
  sourceMarketsOf(name: string): readonly SourceMarketRow[] | undefined {
    return this.byName.get(name)?.running?.account.sourceMarkets()
  }

  /**
   * Names of the running sources that have fed a bookmaker in a sport.
   * @param orMay include a source that is configured for the bookmaker and has fed nothing of it yet
   */
  sourcesOf(bookmaker: string, sport: Sport, orMay: boolean): string[] {
    return this.running.filter((source) => source.feeds(bookmaker, sport, orMay)).map(({ plan }) => plan.terms.name)
  }

  /**
   * Has a source fetch its current prices.
   * @param tap gets what it passes on meanwhile
   * @returns why they are not available; undefined: they are on the board
   */
  async refresh(name: string, tap: Tap): Promise<string | undefined> {
    const place = this.byName.get(name)
    const holder = place?.holder
    if (holder !== undefined) return `source "${name}" runs in process ${holder.process}`
    const source = place?.running
    if (source?.connector === undefined) return `there is no source "${name}" that runs`
    return source.refresh(tap)
  }
}
