// Finds the event that a sighting is about, by names, kickoff, sport and league (FEEDS 13). Only what shares a name or
// the beginning of a word is compared, so that a lookup costs the same among 100 and among 100 000 events.

import type { Alias, ConflictReason, EventMatcher, Match, MatchLevel } from '../../domain/event-identity.ts'
import type { EventSighting } from '../../domain/observation.ts'
import { SPORT_NUMBER } from '../../domain/sport.ts'
import { isNumberedOtherwise, type Name, NameReader } from './names.ts'
import { Postings } from './postings.ts'
import { type Appearance, NEAR_MS, verdictOf, windowMsOf } from './rule.ts'

/**
 * Entries of one word that a lookup looks at. A name with more within its window names nobody in particular; what makes
 * that many must not cost everybody else's time.
 */
const ENTRIES_MAX = 512

/** Events that a report names. */
const REPORTED_MAX = 16

/** A spelling of an event, under which one or more keys know it. */
interface Entry {
  readonly event: number
  readonly sighting: EventSighting
  readonly kickoffAt: number
  readonly keys: Set<string>
  /** Undefined where the sighting cannot be compared: a side is missing, or names nobody. */
  appearance: Appearance | undefined
  /** The last lookup that looked at it. */
  lookup: number
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
  /** By the name of either side. */
  private readonly byName = new Postings<Entry>()
  /** By the beginnings of a word of either side: for two sides of which neither is exact. */
  private readonly byBeginnings = new Postings<Entry>()
  private lookup = 0

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
    const entries = this.entries.get(event) ?? []
    this.entries.set(event, entries)
    const same = entries.find((entry) => isSameSpelling(entry.sighting, sighting))
    if (same !== undefined) {
      same.keys.add(key)
      return
    }
    const entry: Entry = {
      event,
      sighting,
      kickoffAt: sighting.kickoffAt,
      keys: new Set([key]),
      appearance: this.appearanceOf(sighting),
      lookup: 0,
    }
    entries.push(entry)
    this.list(entry)
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
    const lookup = ++this.lookup
    const compare = (entry: Entry): void => {
      if (entry.lookup === lookup) return
      entry.lookup = lookup
      const candidate = this.compare(entry, seen)
      if (candidate !== undefined && !isExcluded(entry.event)) candidates.push(candidate)
    }
    const { kickoffAt, home, away } = seen
    const windowMs = windowMsOf(seen.sport)
    for (const { key } of [home, away]) {
      if (!this.byName.visit(key, kickoffAt - windowMs, kickoffAt + windowMs, ENTRIES_MAX, compare)) return undefined
    }
    const sportNumber = SPORT_NUMBER.get(seen.sport)!
    for (const first of home.beginnings) {
      for (const second of away.beginnings) {
        const pair = pairOf(sportNumber, first, second)
        this.byBeginnings.visit(pair, kickoffAt - NEAR_MS, kickoffAt + NEAR_MS, ENTRIES_MAX, compare)
      }
    }
    return candidates.length === 0 ? undefined : decided(candidates)
  }

  setAliases(aliases: readonly Alias[]): readonly number[] {
    this.names = new NameReader(aliases, this.shippedAliases)
    this.byName.clear()
    this.byBeginnings.clear()
    const all = [...this.entries.values()].flat().sort((a, b) => a.kickoffAt - b.kickoffAt)
    const changed = new Set<number>()
    for (const entry of all) {
      const before = entry.appearance
      const appearance = this.appearanceOf(entry.sighting)
      entry.appearance = appearance
      this.list(entry)
      if (meaningOf(before?.home) !== meaningOf(appearance?.home)) changed.add(entry.event)
      if (meaningOf(before?.away) !== meaningOf(appearance?.away)) changed.add(entry.event)
    }
    return [...changed]
  }

  /** What one entry is to a sighting; undefined where it is nothing. */
  private compare(entry: Entry, seen: Appearance): Candidate | undefined {
    const known = entry.appearance!
    const { event } = entry
    const distanceMs = Math.abs(known.kickoffAt - seen.kickoffAt)
    const verdict = verdictOf(known, seen, false)
    if (verdict !== undefined && verdict !== 'alike') {
      if (this.isAnotherNumber(event, seen)) return { event, distanceMs, kind: 'alike' }
      return { event, distanceMs, kind: 'same', level: verdict }
    }
    const isCrossed = known.home.key === seen.away.key || known.away.key === seen.home.key
    if (isCrossed && verdictOf(known, seen, true) !== undefined) return { event, distanceMs, kind: 'turned' }
    return verdict === 'alike' ? { event, distanceMs, kind: 'alike' } : undefined
  }

  private appearanceOf({ sport, leagueKey, home, away, kickoffAt }: EventSighting): Appearance | undefined {
    const homeName = this.names.nameOf(home, sport)
    const awayName = this.names.nameOf(away, sport)
    if (homeName === undefined || awayName === undefined) return undefined
    const leagueMarks = this.names.leagueMarksOf(leagueKey, sport)
    return { sport, leagueKey, leagueMarks, home: homeName, away: awayName, kickoffAt }
  }

  /** Whether another spelling of the event has other numbers: "Home 17" is not "Home 18" because both are "Home". */
  private isAnotherNumber(event: number, { home, away }: Appearance): boolean {
    if (home.numbers.length + away.numbers.length === 0) return false
    return this.entries
      .get(event)!
      .some(
        ({ appearance }) =>
          appearance !== undefined &&
          (isNumberedOtherwise(appearance.home, home) || isNumberedOtherwise(appearance.away, away)),
      )
  }

  private list(entry: Entry): void {
    const { appearance } = entry
    if (appearance === undefined) return
    this.byName.add(appearance.home.key, entry)
    if (appearance.away.key !== appearance.home.key) this.byName.add(appearance.away.key, entry)
    for (const beginnings of beginningsOf(appearance)) this.byBeginnings.add(beginnings, entry)
  }

  private unlist(entry: Entry): void {
    const { appearance } = entry
    if (appearance === undefined) return
    this.byName.remove(appearance.home.key, entry)
    if (appearance.away.key !== appearance.home.key) this.byName.remove(appearance.away.key, entry)
    for (const beginnings of beginningsOf(appearance)) this.byBeginnings.remove(beginnings, entry)
  }
}

/** A number for a pair of beginnings, the same for the same; others that share it only cost a comparison. */
const pairOf = (sportNumber: number, first: number, second: number): number =>
  Math.imul(Math.imul(first, 31) + sportNumber, 0x9e37_79b1) ^ second

/** The pairs of an appearance, each once. */
const beginningsOf = ({ sport, home, away }: Appearance): number[] => {
  const sportNumber = SPORT_NUMBER.get(sport)!
  const pairs: number[] = []
  for (const first of home.beginnings) {
    for (const second of away.beginnings) {
      const pair = pairOf(sportNumber, first, second)
      if (!pairs.includes(pair)) pairs.push(pair)
    }
  }
  return pairs
}

/** What of a name an alias can change. */
const meaningOf = (name: Name | undefined): string =>
  name === undefined ? '' : `${name.sorted} ${name.marks} ${name.isApart} ${name.words.join(' ')}`

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
