// The fixtures of the events that the feed speaks of: asked for once, kept, asked for again when they change. While the
// API cannot be reached all of them wait together.

import type { Fixture } from '../../domain/observation.ts'
import { type FixtureAnswer, readFixture } from './fixture-xml.ts'
import { type ApiFault, asFault, isApiFault } from './sports-api.ts'

export interface FixtureLimits {
  /** Fixtures kept; those longest not asked for go first. As many new events may wait. */
  readonly fixturesMax: number
  /** Requests at one time. */
  readonly parallelMax: number
  /** Pause after a request that failed; doubles from one to the next. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
  /** How long an event that has no fixture is not asked for again. */
  readonly absentMs: number
  readonly textLengthMax: number
}

export interface FixturesOptions {
  readonly limits: FixtureLimits
  /** Gives the XML of a fixture. */
  readonly ask: (eventId: string) => Promise<string | ApiFault>
  readonly now: () => number
  readonly chance: () => number
  readonly tell: (level: 'info' | 'warn', message: string) => void
  /** An event that was wanted is known now: as a fixture, or as one that there is none of. */
  readonly onKnown: (eventId: string) => void
}

type Entry = Fixture | 'other_sport' | { readonly absentUntil: number }

export class Fixtures {
  private readonly options: FixturesOptions
  /** Those asked for last stand last. */
  private readonly entries = new Map<string, Entry>()
  private readonly waiting = new Set<string>()
  private readonly asked = new Set<string>()
  /** Changed while they were being asked for: the answer may be of before. */
  private readonly changed = new Set<string>()
  private failures = 0
  private pause: NodeJS.Timeout | undefined
  private isStopped = false
  /** Whether new events are left out; told at its beginning. */
  private isFull = false
  /** Events that the API has no fixture of. */
  absent = 0
  /** How often an event was not even waited for. */
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

  /** Whether it is known what there is to know: a fixture, another sport, or that there is none. */
  isKnown(eventId: string): boolean {
    const entry = this.entries.get(eventId)
    if (entry === undefined) return false
    return entry === 'other_sport' || !('absentUntil' in entry) || this.options.now() < entry.absentUntil
  }

  isOtherSport(eventId: string): boolean {
    return this.entries.get(eventId) === 'other_sport'
  }

  /**
   * Asks for a fixture, unless it is being asked for.
   * @returns false: too many wait already; it is not asked for
   */
  want(eventId: string): boolean {
    if (this.asked.has(eventId) || this.waiting.has(eventId)) return true
    const { limits, tell } = this.options
    if (this.waiting.size >= limits.fixturesMax) {
      this.leftOut++
      if (!this.isFull) tell('warn', `${this.waiting.size} events wait for their fixture; further ones are left out`)
      this.isFull = true
      return false
    }
    this.await(eventId)
    return true
  }

  /** It has changed: asks again. Until the answer is here the old one holds. */
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
    const { limits, chance, tell } = this.options
    this.waiting.add(eventId)
    if (this.pause !== undefined) return // one of several that failed together
    this.failures++
    const pauseMs = Math.min(limits.pauseMsMax, limits.pauseMsMin * 2 ** (this.failures - 1)) * (0.5 + chance() / 2)
    if (this.failures === 1) tell('warn', `fixtures cannot be had: ${fault}; messages of new events wait`)
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
    const { limits, now, tell, onKnown } = this.options
    if (this.failures > 0) tell('info', 'fixtures can be had again')
    this.failures = 0
    const fixture = isApiFault(answer) ? answer : this.read(answer)
    if (fixture !== 'other_sport' && 'fault' in fixture) {
      this.absent++
      tell('info', `${eventId} has no fixture: ${fixture.fault}`)
      // One that we have is better than none.
      if (this.get(eventId) === undefined) this.keep(eventId, { absentUntil: now() + limits.absentMs })
    } else this.keep(eventId, fixture)
    if (this.changed.delete(eventId)) this.waiting.add(eventId)
    onKnown(eventId)
  }
}
