// Verification of coverage, end to end (docs/feeds.md 14.6): fetched from the source, recorded, read back through REST
// over HTTP, and compared price by price. The rest of the system is behind ports: this module knows no engine and no
// server.
//
//   fetch ──observations──▶ board ──REST──▶ read back          what the source said = what customers would get?
//     ▲                                        │ not equal: it may have been replaced meanwhile
//     └──────────── a few times ───────────────┘

import { setTimeout as pause } from 'node:timers/promises'
import {
  type Bookmaker,
  type ChannelVerification,
  claimedTransports,
  coverageOf,
  outcomeOf,
  type Verification,
  type VerificationOutcome,
  type VerificationPolicy,
  type VerificationRequest,
} from '../domain/coverage.ts'
import type { EventSighting, Observation } from '../domain/observation.ts'
import { type Sport, SPORTS } from '../domain/sport.ts'
import type { Transport } from '../domain/transport.ts'
import { booksOf, type Comparison, compareBook, shownOf, verdictOf } from './read-back.ts'

/** A source that does not run here. */
export interface Elsewhere {
  readonly source: string
  readonly process: string | null
}

export interface VerifierPorts {
  /** Names of the configured sources that can fetch a bookmaker's prices in a sport, the best first. */
  readonly sourcesOf: (bookmaker: string, sport: Sport) => readonly string[]
  /** The same that another process runs, each with the process; null: it is not known. Omitted: there are none. */
  readonly elsewhere?: (bookmaker: string, sport: Sport) => readonly Elsewhere[]
  /**
   * Has a source fetch its current prices. Resolves once they are on the board: to its observations of this bookmaker
   * and sport, as recorded (in order, home and away as on the board); to a sentence when they are not available.
   */
  readonly fetch: (source: string, bookmaker: string, sport: Sport) => Promise<readonly Observation[] | string>
  /**
   * Reads the odds of an event through REST, over HTTP: `GET /events/{id}/odds?bookmaker=…&transport=…` with the
   * internal key. Resolves to the parsed body (docs/architecture.md 7), to null where there is no such event (404), and
   * to a sentence for any other answer.
   */
  readonly readBack: (event: EventSighting, bookmaker: string, transport: Transport) => Promise<unknown>
  /** Records a run, made for a request or (null) on schedule; resolves when its consequences are in effect. */
  readonly record: (run: Verification, request: number | null) => Promise<void>
  /** Epoch ms. */
  readonly now: () => number
}

export interface VerifierLimits {
  /** How often prices that differ are fetched and compared, at most. */
  readonly triesMax: number
  /** Pause between two tries. */
  readonly retryMs: number
  /** Time limit of a fetch, and of an answer of REST. */
  readonly answerMsMax: number
  /** Runs that one check of the schedule may start. */
  readonly runsMax: number
  /** Requests that wait; more are refused. */
  readonly requestsMax: number
}

export interface VerifierOptions {
  readonly ports: VerifierPorts
  readonly limits: VerifierLimits
  readonly everyHours: VerificationPolicy['everyHours']
  /** When each was last verified, epoch ms: from an earlier process. */
  readonly last: Iterable<{ readonly bookmaker: string; readonly sport: Sport; readonly at: number }>
}

/** The subject of a run. */
export interface Target {
  readonly bookmaker: Bookmaker
  readonly sport: Sport
}

const HOUR_MS = 3_600_000

/** Verifies one bookmaker in one sport at a time. */
export class Verifier {
  private readonly ports: VerifierPorts
  private readonly limits: VerifierLimits
  private readonly everyMs: number
  private readonly lastAt = new Map<string, number>()
  /** Settles after all runs that are under way or wait. */
  private tail: Promise<unknown> = Promise.resolve()
  private isScheduled = false
  private requestsWaiting = 0
  private isStopped = false

  constructor({ ports, limits, everyHours, last }: VerifierOptions) {
    this.ports = ports
    this.limits = limits
    this.everyMs = everyHours * HOUR_MS
    for (const { bookmaker, sport, at } of last) this.lastAt.set(keyOf(bookmaker, sport), at)
  }

  /** What is due at a time (epoch ms), the longest overdue first. Only what a source can fetch is ever due. */
  due(bookmakers: Iterable<Bookmaker>, nowAt: number): Target[] {
    return this.targetsOf(bookmakers, null)
      .filter((target) => this.canFetch(target) && nowAt - this.lastOf(target) >= this.everyMs)
      .toSorted((a, b) => this.lastOf(a) - this.lastOf(b))
  }

  /**
   * Verifies what is due, one after the other; requests go first. Does nothing while an earlier call runs.
   * @returns how many runs were recorded
   */
  async verifyDue(bookmakers: Iterable<Bookmaker>): Promise<number> {
    if (this.isScheduled || this.isStopped) return 0
    this.isScheduled = true
    try {
      return await this.oneByOne(async () => {
        let runs = 0
        for (const target of this.due(bookmakers, this.ports.now()).slice(0, this.limits.runsMax)) {
          if (this.isStopped || this.requestsWaiting > 0) break
          await this.run(target, null)
          runs += 1
        }
        return runs
      })
    } finally {
      this.isScheduled = false
    }
  }

  /** Verifies what was requested. Resolves when all runs are recorded; to a sentence on what was not verified. */
  async verifyRequest({ id, bookmaker, sport }: VerificationRequest, bookmakers: Iterable<Bookmaker>): Promise<string> {
    if (this.requestsWaiting >= this.limits.requestsMax) return 'too many requests are waiting; try again later'
    const asked = [...bookmakers].filter(({ slug }) => bookmaker === null || slug === bookmaker)
    const targets = this.targetsOf(asked, sport)
    this.requestsWaiting += 1
    let isWaiting = true
    const begin = (): void => {
      if (isWaiting) this.requestsWaiting -= 1
      isWaiting = false
    }
    return await this.oneByOne(async () => {
      begin()
      const elsewhere = new Set<string>()
      for (const target of targets) {
        if (this.isStopped) return 'the server has stopped before all was verified'
        const others = this.elsewhereOf(target)
        for (const other of others) elsewhere.add(elsewhereText(other))
        // Nothing is recorded: only the process that runs the source can say how it is.
        if (others.length === 0) await this.run(target, id)
      }
      if (targets.length === 0) return 'no coverage matches, or no configured source can fetch it'
      return [...elsewhere].join('; ')
    }).finally(begin)
  }

  /** Starts no more runs; resolves when the current one is recorded. */
  async stop(): Promise<void> {
    this.isStopped = true
    await this.tail.catch(() => {})
  }

  /** One end-to-end run. Never rejects: a failure is a result. */
  async verify({ bookmaker, sport }: Target): Promise<Verification> {
    const { slug, sourceMode } = bookmaker
    const coverage = coverageOf(bookmaker, sport)
    const claimed = coverage === undefined ? [] : claimedTransports(coverage)
    // A request may name it all the same; then the answer is about REST.
    const transports: readonly Transport[] = claimed.length === 0 ? ['rest'] : claimed
    const all = (outcome: VerificationOutcome, detail: string): Verification => ({
      bookmaker: slug,
      sport,
      channels: transports.map((transport) => ({ transport, outcome, quotes: 0, detail })),
    })
    if (claimed.length === 0) return all('skipped', 'its coverage claims no channel')
    if (sourceMode === 'disabled') return all('skipped', 'its source mode is disabled')
    const sources = this.ports.sourcesOf(slug, sport)
    if (sources.length === 0) return all('skipped', 'no configured source can fetch it')
    const problems: string[] = []
    for (const source of sources) {
      const fetched = await this.fetched(source, slug, sport)
      if (typeof fetched === 'string') problems.push(`${source}: ${fetched}`)
      else if (fetched.length > 0) {
        const channels = await this.compareAll(source, slug, sport, transports, fetched)
        return { bookmaker: slug, sport, channels }
      }
    }
    // A source that answers without prices is no failure: out of season there is nothing to compare.
    if (problems.length < sources.length) return all('skipped', 'the source has nothing of it just now')
    return all('failed', `could not be fetched (${problems.join('; ')})`)
  }

  /** Compares until nothing differs or the tries are used up; each time also with what was fetched last. */
  private async compareAll(
    source: string,
    bookmaker: string,
    sport: Sport,
    transports: readonly Transport[],
    fetched: readonly Observation[],
  ): Promise<ChannelVerification[]> {
    const { triesMax, retryMs } = this.limits
    const observations = [...fetched]
    for (let tries = 1; ; tries++) {
      const compared: Comparison[] = []
      for (const transport of transports) compared.push(await this.compare(observations, bookmaker, transport))
      const isSettled = compared.every(({ differing, replaced }) => differing.length === 0 && replaced === 0)
      if (isSettled || tries >= triesMax) return compared.map(verdictOf)
      await pause(retryMs)
      const again = await this.fetched(source, bookmaker, sport)
      // A source that fails now has not caused the difference: the earlier observations are read back once more.
      if (typeof again !== 'string') observations.push(...again)
    }
  }

  private async compare(
    observations: readonly Observation[],
    bookmaker: string,
    transport: Transport,
  ): Promise<Comparison> {
    const nowAt = this.ports.now()
    const comparison: Comparison = { transport, equal: 0, replaced: 0, differing: [] }
    for (const book of booksOf(observations, transport)) {
      const body = await this.limited(this.ports.readBack(book.event, bookmaker, transport), 'REST')
      if (typeof body === 'string') {
        comparison.differing.push(body)
        continue
      }
      const shown = shownOf(body, bookmaker, transport)
      if (typeof shown === 'string') comparison.differing.push(shown)
      else compareBook(book, shown, nowAt, comparison)
    }
    return comparison
  }

  private async fetched(source: string, bookmaker: string, sport: Sport): Promise<readonly Observation[] | string> {
    const observations = await this.limited(this.ports.fetch(source, bookmaker, sport), 'the source')
    if (typeof observations === 'string') return observations
    return observations.filter((each) => each.bookmaker === bookmaker && each.event.sport === sport)
  }

  /** The value of a promise; a sentence when it rejects, or is too late. */
  private async limited<T>(promise: Promise<T>, party: string): Promise<T | string> {
    const { answerMsMax } = this.limits
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`${party} has not answered within ${answerMsMax / 1000} s`), answerMsMax)
    })
    try {
      return await Promise.race([promise, late])
    } catch (error) {
      return `${party}: ${error instanceof Error ? error.message : String(error)}`
    } finally {
      clearTimeout(timer)
    }
  }

  private async run(target: Target, request: number | null): Promise<void> {
    const verification = await this.verify(target)
    this.lastAt.set(keyOf(target.bookmaker.slug, target.sport), this.ports.now())
    await this.ports.record(verification, request)
  }

  /** Starts after all earlier calls have settled. */
  private oneByOne<T>(work: () => Promise<T>): Promise<T> {
    const done = this.tail.then(work, work)
    this.tail = done
    // The caller gets the error; the next call starts anyway.
    done.catch(() => {})
    return done
  }

  /** Sports that coverage names, and for `*` those that a source can fetch: most sports have none. */
  private targetsOf(bookmakers: Iterable<Bookmaker>, only: Sport | null): Target[] {
    return [...bookmakers].flatMap((bookmaker) =>
      SPORTS.filter((sport) => only === null || sport === only)
        .map((sport) => ({ bookmaker, sport }))
        .filter((target) => {
          const coverage = coverageOf(bookmaker, target.sport)
          if (coverage === undefined) return false
          return coverage.sport !== '*' || only !== null || this.canFetch(target) || this.elsewhereOf(target).length > 0
        }),
    )
  }

  private canFetch({ bookmaker, sport }: Target): boolean {
    const coverage = coverageOf(bookmaker, sport)
    // Disabled until an operator has reviewed it: the schedule does not count as a review.
    if (coverage === undefined || coverage.status === 'disabled_until_review') return false
    if (bookmaker.sourceMode === 'disabled' || claimedTransports(coverage).length === 0) return false
    return this.ports.sourcesOf(bookmaker.slug, sport).length > 0
  }

  /** Sources of a target that run in other processes, where none of it runs here. */
  private elsewhereOf({ bookmaker, sport }: Target): readonly Elsewhere[] {
    const { elsewhere, sourcesOf } = this.ports
    if (elsewhere === undefined || sourcesOf(bookmaker.slug, sport).length > 0) return []
    return elsewhere(bookmaker.slug, sport)
  }

  private lastOf({ bookmaker, sport }: Target): number {
    return this.lastAt.get(keyOf(bookmaker.slug, sport)) ?? 0
  }
}

const elsewhereText = ({ source, process }: Elsewhere): string =>
  process === null
    ? `source ${source} runs in no process just now: try again soon`
    : `source ${source} runs in process ${process}: ask that one`

const keyOf = (bookmaker: string, sport: Sport): string => `${bookmaker}:${sport}`

/** A run on one line, for logs: `acme football passed (rest: 42 prices equal)`. */
export const verificationLine = (run: Verification): string => {
  const channels = run.channels.map(({ transport, detail }) => `${transport}: ${detail}`)
  return `${run.bookmaker} ${run.sport} ${outcomeOf(run)} (${channels.join('; ')})`
}
