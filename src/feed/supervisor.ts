// The supervisor: starts the configured sources, gives each its lane into the engine, and knows how each of them is.

import type { SourceHealth } from '../domain/feed-health.ts'
import type { SourceTerms } from '../domain/feed-source.ts'
import type { Observation } from '../domain/observation.ts'
import type { Refusal } from '../domain/refusal.ts'
import { type Sport, SPORTS } from '../domain/sport.ts'
import { Account, type AccountTotals, type SourceMarketRow } from '../normalise/account.ts'
import type { Connector, ConnectorContext } from './connector.ts'
import { type Budget, Intake, type Lane } from './intake.ts'

/** What the supervisor needs of the engine. */
export interface EnginePort {
  addSource(terms: SourceTerms, nowAt: number): number
  expectBookmaker(slug: string, source: number, nowAt: number): void
  observe(observation: Observation, nowAt: number, source: number): Refusal | undefined
  doubt(observation: Observation, nowAt: number, source: number): void
  /** Says whether what stands has to be said anew. */
  hear(source: number, nowAt: number): boolean
}

export interface SupervisorParts {
  readonly engine: EnginePort
  readonly healthOf: (source: number) => SourceHealth
  /** Epoch ms. */
  readonly now: () => number
  /** A monotonic clock, ms. */
  readonly elapsedMs: () => number
  /** Chance, from 0 to below 1. */
  readonly chance: () => number
  /** Whether coverage shows a bookmaker in a sport to anybody. */
  readonly isCovered: (bookmaker: string, sport: Sport) => boolean
  /** Takes what there is to log of a source. */
  readonly log: (level: 'info' | 'warn', source: string, message: string) => void
}

/** A source that is to be run. */
export interface SourcePlan {
  readonly terms: SourceTerms
  /** What it is: `kambi`, `betfair`, … */
  readonly kind: string
  readonly budget: Budget
  /** Bookmakers that it is known to feed before it has said a word. */
  readonly bookmakers: readonly string[]
  /** Why it is never started; null: it is. */
  readonly never: string | null
  /** Starts it. */
  readonly connect: (context: ConnectorContext) => Connector
}

/** How a source is, for operators. Times are epoch ms. */
export interface SourceStatus extends SourceHealth {
  readonly name: string
  readonly kind: string
  /** Bookmakers that it has fed. */
  readonly bookmakers: readonly string[]
  /** Of what it has fed, what coverage shows to nobody: `SLUG SPORT`. */
  readonly uncovered: readonly string[]
  readonly observations: number
  readonly prices: number
  readonly refused: number
  /** Code and message of the newest refusal. */
  readonly lastRefusal: string | null
  readonly throttledMs: number
  readonly totals: AccountTotals
  /** The last problem that it told, until it was heard again; then what is wrong with a part of it. */
  readonly problem: string | null
  readonly facts: Readonly<Record<string, string | number | boolean | null>>
}

/** Malformed parts of a source that are logged one by one; the account has the count of all. */
const MALFORMED_LOGGED_MAX = 20

/** Bookmakers of one source that are told apart in its status. */
const BOOKMAKERS_MAX = 4_096

/** Sees what a source hands over, as the engine gets it. */
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
  connector: Connector | undefined
  problem: string | null = null
  refused = 0
  lastRefusal: string | null = null
  /** Code and field of it. */
  lastReason = ''
  /** It was logged that it feeds what nobody is shown. */
  isUncoveredTold = false
  /** Its clock is ahead of ours: nothing that it says can be believed. */
  isAhead = false
  /** Since it was last heard: observations that were taken, and refused because they are ahead of the clock. */
  taken = 0
  ahead = 0
  private lastBookmaker = ''
  private lastSport: Sport | undefined

  constructor(plan: SourcePlan, number: number, lane: Lane) {
    this.plan = plan
    this.number = number
    this.lane = lane
    for (const slug of plan.bookmakers) this.bookmakers.add(slug)
  }

  /** Remembers whom it feeds, in which sport, and says whether that is new. */
  note({ bookmaker, event }: Observation): boolean {
    // Most often the same as the one before.
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

export class Supervisor {
  private readonly parts: SupervisorParts
  private readonly intake: Intake
  // By number; numbers begin at 1, and belong to the engine.
  private readonly byNumber: Source[] = []
  private readonly byName = new Map<string, Source>()
  /** Sources that are never started, each with the reason. */
  readonly neverStarted: SourcePlan[] = []

  constructor(parts: SupervisorParts) {
    this.parts = parts
    const { elapsedMs } = parts
    this.intake = new Intake({
      observe: (observation, number) => this.observe(observation, this.byNumber[number]!),
      elapsedMs,
    })
  }

  /** Starts a source. Names are given once. */
  start(plan: SourcePlan): void {
    const { engine, now, log } = this.parts
    const { name } = plan.terms
    if (plan.never !== null) {
      this.neverStarted.push(plan)
      log('warn', name, plan.never)
      return
    }
    const number = engine.addSource(plan.terms, now())
    const source = new Source(plan, number, this.intake.newLane(number, plan.budget))
    this.byNumber[number] = source
    this.byName.set(name, source)
    for (const slug of plan.bookmakers) engine.expectBookmaker(slug, number, now())
    source.connector = plan.connect(this.contextOf(source))
  }

  /** Ends all sources; what they have not handed over by then is dropped. */
  async stop(): Promise<void> {
    const sources = [...this.byName.values()]
    for (const { lane } of sources) lane.close()
    await Promise.all(sources.map(({ connector }) => connector?.stop()))
  }

  /** How every source is that was started, in the order of the configuration. */
  statuses(): SourceStatus[] {
    return Array.from(this.byName.values(), (source) => this.statusOf(source))
  }

  /** What became of each source market of a source; undefined: no such source was started. */
  sourceMarketsOf(name: string): readonly SourceMarketRow[] | undefined {
    return this.byName.get(name)?.account.sourceMarkets()
  }

  /**
   * Names of the sources that run and have fed a bookmaker in a sport.
   * @param orMay whether one counts, too, that is configured for the bookmaker and has fed nothing of it yet
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
   * Asks a source for what stands now.
   * @param tap sees what it hands over meanwhile
   * @returns why it could not be had; undefined: it is on the board
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
      take: (observations) => source.lane.take(observations),
      hear: () => this.hear(source),
      tell: (level, message) => {
        if (level === 'warn') source.problem = message
        log(level, name, message)
      },
      onMalformed: (place, reason) => {
        if (malformedLogged++ < MALFORMED_LOGGED_MAX) log('warn', name, `${place}: ${reason}; skipped`)
      },
    }
  }

  private hear(source: Source): void {
    const { engine, now } = this.parts
    const wasAhead = source.isAhead
    if (source.taken + source.ahead > 0) source.isAhead = source.taken === 0
    source.taken = 0
    source.ahead = 0
    // Let it fall silent: its quotes are suspended in the end.
    if (source.isAhead) return
    source.problem = null
    if (engine.hear(source.number, now()) || wasAhead) source.connector?.restate?.()
  }

  private observe(observation: Observation, source: Source): void {
    const { engine, now } = this.parts
    const nowAt = now()
    const refusal = engine.observe(observation, nowAt, source.number)
    if (refusal === undefined) {
      source.taken++
      if (source.note(observation)) this.seeToCoverage(source, observation)
    } else {
      source.refused++
      const { refused, message, field = '' } = refusal
      const text = `${refused}: ${message}`
      // Once for each reason: a source whose clock is wrong says so with every price.
      const reason = `${refused} ${field}`
      if (reason !== source.lastReason) this.parts.log('warn', source.plan.terms.name, `refused: ${text}`)
      source.lastReason = reason
      source.lastRefusal = text
      if (field === 'observedAt') {
        // What it spoke of is not what it was, and must not stay open.
        source.ahead++
        source.problem = text
        engine.doubt(observation, nowAt, source.number)
      }
    }
    for (const tap of source.taps) tap(observation, refusal)
  }

  /** A source of which nobody sees anything looks well in all else. */
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
      ...this.parts.healthOf(number),
      bookmakers: [...bookmakers].sort(),
      uncovered: [...fed].filter(isUncovered).sort(),
      observations: lane.observations,
      prices: lane.prices,
      refused,
      lastRefusal,
      throttledMs: lane.throttledMs,
      totals: account.totals(),
      problem: problem ?? connector?.trouble?.() ?? null,
      facts: connector?.facts() ?? {},
    }
  }
}
