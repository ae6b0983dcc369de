// Finds the event that a sighting is about, by names, kickoff, sport and league (docs/identity.md 5). Only what shares a name
// or the beginning of a word is compared, so that a lookup costs the same among 100 and among 100 000 events.

import type { Alias, ConflictReason, EventMatcher, Match, MatchLevel } from '../domain/event-identity.ts'
import type { EventSighting } from '../domain/observation.ts'
import { SPORT_NUMBER } from '../domain/sport.ts'
import { isNumberedOtherwise, type Name, NameReader } from './names.ts'
import { Outlines } from './outlines.ts'
import { Postings } from './postings.ts'
import { type Appearance, NEAR_MS, windowMsOf } from './rule.ts'

/**
 * Entries of one word that a lookup looks at. A name with more within its window names nobody in particular; what makes
 * that many must not cost everybody else's time.
 */
const ENTRIES_MAX = 512

/** Events that a report names. */
const REPORTED_MAX = 16

/** A spelling of an event, under which one or more keys know it. */
interface Entry {
  readonly sighting: EventSighting
  readonly keys: Set<string>
  /** Number of its outline; undefined where the sighting cannot be compared: a side is missing, or names nobody. */
  outline: number | undefined
}

interface Candidate {
  readonly event: number
  readonly distanceMs: number
  readonly kind: 'same' | 'turned' | 'alike'
  /** With `same` only. */
  readonly level?: MatchLevel
}

const isSameSpelling = (a: EventSighting, b: EventSighting): boolean =>
  a.home === b.home &&
  a.away === b.away &&
  a.kickoffAt === b.kickoffAt &&
  a.leagueKey === b.leagueKey &&
  a.sport === b.sport

export interface NameMatcherOptions {
  /** False leaves the shipped alias table out, to measure what it is worth. */
  readonly shippedAliases?: boolean
}

/** The matcher by names. Symmetric: whichever of two sightings comes first, they are the same or are not. */
export class NameMatcher implements EventMatcher {
  private readonly shippedAliases: boolean
  private names: NameReader
  private readonly entries = new Map<number, Entry[]>()
  private readonly outlines = new Outlines()
  /** Numbers of outlines by the name of either side. */
  private readonly byName = new Postings()
  /** By the beginnings of a word of either side: for two sides of which neither is exact. */
  private readonly byBeginnings = new Postings()

  constructor(options: NameMatcherOptions = {}) {
    this.shippedAliases = options.shippedAliases ?? true
    this.names = new NameReader([], this.shippedAliases)
  }

  /** Events that are known. */
  get size(): number {
    return this.entries.size
  }

  add(event: number, key: string, sighting: EventSighting): void {
    const before = this.entries.get(event)?.find(({ keys }) => keys.has(key))
    if (before !== undefined) {
      if (isSameSpelling(before.sighting, sighting)) return
      this.remove(event, key)
    }
    const entries = this.entries.get(event)
    const same = entries?.find((entry) => isSameSpelling(entry.sighting, sighting))
    if (same !== undefined) {
      same.keys.add(key)
      return
    }
    const entry: Entry = { sighting, keys: new Set([key]), outline: this.list(event, this.appearanceOf(sighting)) }
    if (entries === undefined) this.entries.set(event, [entry])
    else entries.push(entry)
  }

  remove(event: number, key: string): void {
    const entries = this.entries.get(event)
    const place = entries?.findIndex(({ keys }) => keys.has(key)) ?? -1
    if (entries === undefined || place === -1) return
    const entry = entries[place]!
    entry.keys.delete(key)
    if (entry.keys.size > 0) return
    this.unlist(entry)
    entries.splice(place, 1)
    if (entries.length === 0) this.entries.delete(event)
  }

  match(sighting: EventSighting, isExcluded: (event: number) => boolean): Match | undefined {
    // Whose sighting it is cannot be told: it could be another event of a source that is already in.
    if (sighting.sourceKey === null) return undefined
    const seen = this.appearanceOf(sighting)
    if (seen === undefined) return undefined
    const candidates: Candidate[] = []
    const { outlines } = this
    const { sportNumber, kickoffAt, home, away } = seen
    const compare = (outline: number, knownAt: number): void => {
      const candidate = this.compare(outline, seen, Math.abs(knownAt - kickoffAt))
      if (candidate !== undefined && !isExcluded(candidate.event)) candidates.push(candidate)
    }
    const windowMs = windowMsOf(sportNumber)
    const [fromAt, toAt] = [kickoffAt - windowMs, kickoffAt + windowMs]
    if (!this.byName.visit(home.key, fromAt, toAt, ENTRIES_MAX, compare)) return undefined
    // What stood under the home side has been compared.
    const compareNext = (outline: number, knownAt: number): void => {
      if (!outlines.hasSide(outline, home)) compare(outline, knownAt)
    }
    if (!this.byName.visit(away.key, fromAt, toAt, ENTRIES_MAX, compareNext)) return undefined
    // No side is exact in what is left.
    const compareRest = (outline: number, knownAt: number): void => {
      if (!outlines.hasSide(outline, home) && !outlines.hasSide(outline, away)) compare(outline, knownAt)
    }
    for (const first of home.beginnings) {
      for (const second of away.beginnings) {
        const pair = pairOf(sportNumber, first, second)
        this.byBeginnings.visit(pair, kickoffAt - NEAR_MS, kickoffAt + NEAR_MS, ENTRIES_MAX, compareRest)
      }
    }
    return candidates.length === 0 ? undefined : decided(candidates)
  }

  setAliases(aliases: readonly Alias[]): readonly number[] {
    const all = Array.from(this.entries, ([event, entries]) => entries.map((entry) => ({ event, entry }))).flat()
    all.sort((a, b) => a.entry.sighting.kickoffAt - b.entry.sighting.kickoffAt)
    const meanings = all.map(({ entry }) => this.meaningOf(entry))
    this.names = new NameReader(aliases, this.shippedAliases)
    this.byName.clear()
    this.byBeginnings.clear()
    this.outlines.clear()
    for (const { event, entry } of all) entry.outline = this.list(event, this.appearanceOf(entry.sighting))
    const changed = all.filter(({ entry }, place) => this.meaningOf(entry) !== meanings[place])
    return [...new Set(changed.map(({ event }) => event))]
  }

  /** What one outline is to a sighting; undefined where it is nothing. */
  private compare(outline: number, seen: Appearance, distanceMs: number): Candidate | undefined {
    const verdict = this.outlines.verdictOf(outline, seen, distanceMs, false)
    const isCrossed = this.outlines.isCrossed(outline, seen)
    if (verdict === undefined && !isCrossed) return undefined
    const event = this.outlines.eventOf(outline)
    if (verdict !== undefined && verdict !== 'alike') {
      if (this.isAnotherNumber(event, seen)) return { event, distanceMs, kind: 'alike' }
      return { event, distanceMs, kind: 'same', level: verdict }
    }
    if (isCrossed && this.outlines.verdictOf(outline, seen, distanceMs, true) !== undefined) {
      return { event, distanceMs, kind: 'turned' }
    }
    return verdict === 'alike' ? { event, distanceMs, kind: 'alike' } : undefined
  }

  private appearanceOf({ sport, leagueKey, home, away, kickoffAt }: EventSighting): Appearance | undefined {
    const sportNumber = SPORT_NUMBER.get(sport)!
    const homeName = this.names.nameOf(home, sport)
    const awayName = this.names.nameOf(away, sport)
    if (homeName === undefined || awayName === undefined) return undefined
    const league = this.names.leagueOf(leagueKey, sport)
    return {
      sportNumber,
      league: league.number,
      homeMarks: homeName.marks | league.marks,
      awayMarks: awayName.marks | league.marks,
      home: homeName,
      away: awayName,
      kickoffAt,
    }
  }

  /** Whether another spelling of the event has other numbers: "Home 17" is not "Home 18" because both are "Home". */
  private isAnotherNumber(event: number, { home, away }: Appearance): boolean {
    if (home.numbers.length + away.numbers.length === 0) return false
    return this.entries
      .get(event)!
      .some(
        ({ outline }) =>
          outline !== undefined &&
          (isNumberedOtherwise(this.outlines.homeOf(outline), home) ||
            isNumberedOtherwise(this.outlines.awayOf(outline), away)),
      )
  }

  /** @returns the number of its outline */
  private list(event: number, appearance: Appearance | undefined): number | undefined {
    if (appearance === undefined) return undefined
    const { sportNumber, kickoffAt, home, away } = appearance
    const outline = this.outlines.add(event, appearance)
    this.byName.add(home.key, kickoffAt, outline)
    if (away.key !== home.key) this.byName.add(away.key, kickoffAt, outline)
    for (const pair of pairsOf(sportNumber, home, away)) this.byBeginnings.add(pair, kickoffAt, outline)
    return outline
  }

  private unlist({ sighting: { sport, kickoffAt }, outline }: Entry): void {
    if (outline === undefined) return
    const home = this.outlines.homeOf(outline)
    const away = this.outlines.awayOf(outline)
    this.byName.remove(home.key, kickoffAt, outline)
    if (away.key !== home.key) this.byName.remove(away.key, kickoffAt, outline)
    for (const pair of pairsOf(SPORT_NUMBER.get(sport)!, home, away)) this.byBeginnings.remove(pair, kickoffAt, outline)
    this.outlines.remove(outline)
  }

  /** What of an entry's names an alias can change. */
  private meaningOf({ outline }: Entry): string {
    if (outline === undefined) return ''
    const names = [this.outlines.homeOf(outline), this.outlines.awayOf(outline)]
    return names.map(({ words, marks, isApart }) => `${words.join(' ')} ${marks} ${isApart}`).join(' v ')
  }
}

/** A number for a pair of beginnings, the same for the same; others that share it only cost a comparison. */
const pairOf = (sportNumber: number, first: number, second: number): number =>
  Math.imul(Math.imul(first, 31) + sportNumber, 0x9e37_79b1) ^ second

/** The pairs of two names, each once. */
const pairsOf = (sportNumber: number, home: Name, away: Name): number[] => {
  const pairs: number[] = []
  for (const first of home.beginnings) {
    for (const second of away.beginnings) {
      const pair = pairOf(sportNumber, first, second)
      if (!pairs.includes(pair)) pairs.push(pair)
    }
  }
  return pairs
}

/** What all that was found says together: two events that match are none, and a match is worth more than a report. */
const decided = (candidates: Candidate[]): Match => {
  const same = candidates.filter(({ kind }) => kind === 'same')
  const [first] = same
  if (first !== undefined) {
    if (same.some(({ event }) => event !== first.event)) return report('ambiguous', same)
    const level = same.reduce((best, candidate) => (candidate.level! < best ? candidate.level! : best), first.level!)
    return { kind: 'same', event: first.event, level }
  }
  const turned = candidates.filter(({ kind }) => kind === 'turned')
  return turned.length > 0 ? report('turned', turned) : report('alike', candidates)
}

/** The nearest first, each event once. */
const report = (kind: ConflictReason, candidates: Candidate[]): Match => {
  candidates.sort((a, b) => a.distanceMs - b.distanceMs || a.event - b.event)
  const events = new Set(candidates.map(({ event }) => event))
  return { kind, events: [...events].slice(0, REPORTED_MAX) }
}
