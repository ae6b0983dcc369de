// The fixtures of the feed's events: requested once, kept, and requested again when they change. While the API cannot
// be reached all requests wait together.

import type { Fixture } from '../../domain/observation.ts'
import { type FixtureAnswer, readFixture } from './fixture-xml.ts'
import { type ApiFault, asFault, isApiFault } from './sports-api.ts'

export interface FixtureLimits {
  /** Fixtures kept; the least recently used go first. As many new events may wait. */
  readonly fixturesMax: number
  /** Concurrent requests. */
  readonly parallelMax: number
  /** Pause after a request that failed; it doubles with each failure. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
  /** How long an event without fixture is not requested again. */
  readonly absentMs: number
  readonly textLengthMax: number
}

export interface FixturesOptions {
  readonly limits: FixtureLimits
  /** Fetches the XML of a fixture. */
  readonly ask: (eventId: string) => Promise<string | ApiFault>
  readonly now: () => number
  readonly chance: () => number
  readonly log: (level: 'info' | 'warn', message: string) => void
  /** A requested event is known now: its fixture, or that there is none. */
  readonly onKnown: (eventId: string) => void
}

type Entry = Fixture | 'other_sport' | { readonly absentUntil: number }

export class Fixtures {
  private readonly options: FixturesOptions
  /** Least recently used first. */
  private readonly entries = new Map<string, Entry>()
  private readonly waiting = new Set<string>()
  private readonly asked = new Set<string>()
  /** Changed while they were being requested: the answer may be older. */
  private readonly changed = new Set<string>()
  private failures = 0
  private pause: NodeJS.Timeout | undefined
  private isStopped = false
  /** Whether new events are left out; logged when that starts. */
  private isFull = false
  /** Events that the API has no fixture of. */
  absent = 0
  /** How often an event could not even wait. */
  leftOut = 0

  constructor(options: FixturesOptions) {
    this.options = options
  }

  get size(): number {
    return this.entries.size
  }

  get(eventId: string): Fixture | undefined {
    const entry = this.entries.get(eventId)
    if (entry === undefined || entry === 'other_sport' || 'absentUntil' in entry) return undefined
    this.keep(eventId, entry)
    return entry
  }

  /** Whether the answer is known: a fixture, another sport, or none. */
  isKnown(eventId: string): boolean {
    const entry = this.entries.get(eventId)
    if (entry === undefined) return false
    return entry === 'other_sport' || !('absentUntil' in entry) || this.options.now() < entry.absentUntil
  }

  isOtherSport(eventId: string): boolean {
    return this.entries.get(eventId) === 'other_sport'
  }

  /**
   * Requests a fixture, unless that is under way.
   * @returns false: too many wait already; it is not requested
   */
  want(eventId: string): boolean {
    if (this.asked.has(eventId) || this.waiting.has(eventId)) return true
    const { limits, log } = this.options
    if (this.waiting.size >= limits.fixturesMax) {
      this.leftOut++
      if (!this.isFull) log('warn', `${this.waiting.size} events wait for their fixture; further ones are left out`)
      this.isFull = true
      return false
    }
    this.await(eventId)
    return true
  }

  /** Requests a changed fixture again. Until the answer the old one is used. */
  renew(eventId: string): void {
    if (this.asked.has(eventId)) this.changed.add(eventId)
    else this.await(eventId)
  }

  stop(): void {
    this.isStopped = true
    clearTimeout(this.pause)
    this.waiting.clear()
  }

  private keep(eventId: string, entry: Entry): void {
    this.entries.delete(eventId)
    this.entries.set(eventId, entry)
    if (this.entries.size <= this.options.limits.fixturesMax) return
    const [first] = this.entries.keys()
    this.entries.delete(first!)
  }

  private await(eventId: string): void {
    this.waiting.add(eventId)
    this.askNext()
  }

  private askNext(): void {
    const { parallelMax } = this.options.limits
    for (const eventId of this.waiting) {
      if (this.isStopped || this.pause !== undefined || this.asked.size >= parallelMax) return
      this.waiting.delete(eventId)
      this.asked.add(eventId)
      void this.ask(eventId)
    }
    this.isFull = false
  }

  private async ask(eventId: string): Promise<void> {
    const answer = await this.options.ask(eventId).catch(asFault)
    this.asked.delete(eventId)
    if (this.isStopped) return
    if (isApiFault(answer) && !answer.isFinal) this.fail(eventId, answer.fault)
    else this.learn(eventId, answer)
    this.askNext()
  }

  private fail(eventId: string, fault: string): void {
    const { limits, chance, log } = this.options
    this.waiting.add(eventId)
    if (this.pause !== undefined) return // one of several that failed together
    this.failures++
    const pauseMs = Math.min(limits.pauseMsMax, limits.pauseMsMin * 2 ** (this.failures - 1)) * (0.5 + chance() / 2)
    if (this.failures === 1) log('warn', `fixtures are not available: ${fault}; messages of new events wait`)
    this.pause = setTimeout(() => {
      this.pause = undefined
      this.askNext()
    }, pauseMs)
  }

  private read(xml: string): FixtureAnswer {
    try {
      return readFixture(xml, this.options.limits.textLengthMax)
    } catch (error) {
      return { fault: `cannot be read: ${(error as Error).message}` }
    }
  }

  private learn(eventId: string, answer: string | ApiFault): void {
    const { limits, now, log, onKnown } = this.options
    if (this.failures > 0) log('info', 'fixtures are available again')
    this.failures = 0
    const fixture = isApiFault(answer) ? answer : this.read(answer)
    if (fixture !== 'other_sport' && 'fault' in fixture) {
      this.absent++
      log('info', `${eventId} has no fixture: ${fixture.fault}`)
      // A known fixture is better than none.
      if (this.get(eventId) === undefined) this.keep(eventId, { absentUntil: now() + limits.absentMs })
    } else this.keep(eventId, fixture)
    if (this.changed.delete(eventId)) this.waiting.add(eventId)
    onKnown(eventId)
  }
}
