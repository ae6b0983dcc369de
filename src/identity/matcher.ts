// Finds the event of a sighting, by names, kickoff, sport and league (docs/identity.md 5). Only names that share the
// name or the beginning of a word are compared, so that a lookup costs the same among 100 and among 100 000 events.

import { isDeepStrictEqual } from 'node:util'
import type { Alias, ConflictReason, EventMatcher, Match, MatchLevel, Spellings } from '../domain/event-identity.ts'
import { GrowingColumn, readColumn } from '../domain/image-columns.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { EventSighting } from '../domain/observation.ts'
import { SPORT_NUMBER } from '../domain/sport.ts'
import { type AliasChange, changeOf } from './alias-change.ts'
import { Entries, type Entry } from './entries.ts'
import { LeagueReader } from './leagues.ts'
import { type Name, NameReader } from './names.ts'
import { areContrary, Outlines } from './outlines.ts'
import { isOfPersons } from './persons.ts'
import { Postings } from './postings.ts'
import { type Appearance, looseWindowMsOf, windowMsOf } from './rule.ts'

/**
 * Entries of one word that a lookup visits. A name with more within its window is not distinctive, and a source that
 * sends that many must not slow down the lookups of others.
 */
const ENTRIES_MAX = 512

/** Events that a report names. */
const REPORTED_MAX = 16

/** Slugs, times sports, by which names are looked up when aliases change; to read all names is cheaper than with more. */
const LOOKUPS_MAX = 8_192

interface EventEntry {
  readonly event: number
  readonly entry: Entry
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
  a.leagueName === b.leagueName &&
  a.sport === b.sport

export interface NameMatcherOptions {
  /** False omits the shipped alias table, to measure its effect. */
  readonly shippedAliases?: boolean
  /** The rules by which names are read: an image that was saved by others is read anew. */
  readonly rules?: string
  /** Spellings of events that have memory from the start, see {@link Outlines}. */
  readonly expected?: number
}

/** How outlines and their lists are saved. 1: the lists as they are, with kickoffs; none: by key. */
const LAYOUT = 1

/** What an image says of how its names were read; older ones have the aliases only. */
interface Reading {
  readonly rules: string
  readonly aliases: readonly Alias[]
  readonly layout?: number
}

/** The matcher by names. Symmetric: the order of two sightings does not change the result. */
export class NameMatcher implements EventMatcher {
  private readonly shippedAliases: boolean
  private readonly rules: string
  private names: NameReader
  private readonly leagues = new LeagueReader()
  private aliases: readonly Alias[] = []
  private readonly entries = new Entries()
  private readonly outlines: Outlines
  /** Numbers of outlines by the name of either side. */
  private readonly byName: Postings
  /** By the beginnings of a word of each side: for two sides of which neither is exact. */
  private readonly byBeginnings: Postings
  /** Of the current lookup, per event the outlines whose names contradict the sighting. */
  private readonly contraries = new Map<number, readonly number[] | 'all'>()

  constructor(options: NameMatcherOptions = {}) {
    this.shippedAliases = options.shippedAliases ?? true
    this.rules = options.rules ?? ''
    this.names = new NameReader([], this.shippedAliases)
    const { expected = 0 } = options
    this.outlines = new Outlines(expected, (outline, isAway) => this.readName(outline, isAway))
    this.byName = new Postings(this.outlines, expected)
    this.byBeginnings = new Postings(this.outlines, expected)
  }

  /** Number of known events. */
  get size(): number {
    return this.entries.size
  }

  add(event: number, key: string, sighting: EventSighting): void {
    const before = this.entries.get(event)?.find(({ keys }) => keys.includes(key))
    if (before !== undefined) {
      if (isSameSpelling(before.sighting, sighting)) return
      this.remove(event, key)
    }
    const entries = this.entries.get(event)
    const same = entries?.find((entry) => isSameSpelling(entry.sighting, sighting))
    if (same !== undefined) {
      same.keys = same.keys.concat(key)
      return
    }
    const entry: Entry = { sighting, keys: [key], outline: this.list(event, this.appearanceOf(sighting)) }
    this.entries.set(event, entries === undefined ? [entry] : entries.concat(entry))
  }

  remove(event: number, key: string): void {
    const entries = this.entries.get(event)
    const entry = entries?.find(({ keys }) => keys.includes(key))
    if (entries === undefined || entry === undefined) return
    entry.keys = entry.keys.filter((each) => each !== key)
    if (entry.keys.length > 0) return
    this.unlist(entry)
    if (entries.length === 1) this.entries.delete(event)
    else
      this.entries.set(
        event,
        entries.filter((each) => each !== entry),
      )
  }

  match(sighting: EventSighting, isExcluded: (event: number) => boolean): Match | undefined {
    // Its source is unknown: it could be a second event of a source that the match already has.
    if (sighting.sourceKey === null) return undefined
    const seen = this.appearanceOf(sighting)
    if (seen === undefined) return undefined
    const candidates: Candidate[] = []
    const { outlines } = this
    this.contraries.clear()
    const { sportNumber, kickoffAt, home, away } = seen
    const compare = (outline: number, knownAt: number): void => {
      const candidate = this.compare(outline, seen, Math.abs(knownAt - kickoffAt))
      if (candidate !== undefined && !isExcluded(candidate.event)) candidates.push(candidate)
    }
    const windowMs = windowMsOf(sportNumber)
    const [fromAt, toAt] = [kickoffAt - windowMs, kickoffAt + windowMs]
    if (!this.byName.visit(home.key, fromAt, toAt, ENTRIES_MAX, compare)) return undefined
    // Entries found by the home side were compared above.
    const compareNext = (outline: number, knownAt: number): void => {
      if (!outlines.hasSide(outline, home)) compare(outline, knownAt)
    }
    if (!this.byName.visit(away.key, fromAt, toAt, ENTRIES_MAX, compareNext)) return undefined
    // The remaining entries have no exact side.
    const compareRest = (outline: number, knownAt: number): void => {
      if (!outlines.hasSide(outline, home) && !outlines.hasSide(outline, away)) compare(outline, knownAt)
    }
    const looseMs = looseWindowMsOf(sportNumber)
    for (const first of home.beginnings) {
      for (const second of away.beginnings) {
        const pair = pairOf(sportNumber, first, second)
        this.byBeginnings.visit(pair, kickoffAt - looseMs, kickoffAt + looseMs, ENTRIES_MAX, compareRest)
      }
    }
    return candidates.length === 0 ? undefined : decided(candidates)
  }

  areOtherTeams(event: number, other: number, by: EventSighting | undefined = undefined): boolean {
    const { outlines } = this
    const known = this.outlinesOf(event)
    const link = by && this.appearanceOf(by)
    return (this.entries.get(other) ?? []).some(({ sighting }) => {
      const seen = this.appearanceOf(sighting)
      if (seen === undefined) return false
      if (known.some((outline) => outlines.isOtherMatch(outline, seen))) return true
      if (link === undefined || areContrary(seen, link)) return false
      return known.some((outline) => outlines.isContraryTo(outline, seen, link))
    })
  }

  setAliases(aliases: readonly Alias[]): readonly number[] {
    // Most decisions are of another kind.
    if (isDeepStrictEqual(aliases, this.aliases)) return []
    const concerned = this.entriesOf(changeOf(this.aliases, aliases))
    const all = concerned ?? this.allEntries()
    const meanings = new Map(all.map(({ entry }) => [entry, this.meaningOf(entry)]))
    // By their names of before.
    if (concerned !== undefined) for (const { entry } of concerned) this.unlist(entry)
    this.aliases = aliases
    this.names = new NameReader(aliases, this.shippedAliases)
    if (concerned === undefined) this.readAnew()
    else for (const { event, entry } of concerned) entry.outline = this.list(event, this.appearanceOf(entry.sighting))
    const changed = all.filter(({ entry }) => this.meaningOf(entry) !== meanings.get(entry))
    return [...new Set(changed.map(({ event }) => event))]
  }

  save(image: ImageWriter, numberOf: (key: string) => number): void {
    const reading: Reading = { rules: this.rules, aliases: this.aliases, layout: LAYOUT }
    image.value('aliases', reading)
    // As `Rest` in entries.ts has them.
    const rows = new GrowingColumn(Uint32Array)
    for (const event of this.entries.events()) {
      const entries = this.entries.peek(event)
      rows.push(event)
      rows.push(entries.length)
      for (const { keys, outline } of entries) {
        rows.push(outline === undefined ? 0 : outline + 1)
        rows.push(keys.length)
        // Their order has no effect.
        const numbers = keys.map(numberOf)
        for (const number of keys.length === 1 ? numbers : numbers.sort((a, b) => a - b)) rows.push(number)
      }
    }
    this.outlines.save(image)
    rows.save(image, 'matcher')
    this.byName.save(image, 'by name')
    this.byBeginnings.save(image, 'by beginnings')
  }

  /**
   * Into a matcher without events. No name is read, unless the image was saved by other rules: most are needed late, or
   * never.
   */
  load(image: ImageReader, spellings: Spellings): void {
    const saved = image.value('aliases') as Reading | readonly Alias[]
    const isBefore = !('layout' in saved)
    const isAsSaved = !isBefore && saved.rules === this.rules
    this.aliases = 'rules' in saved ? saved.aliases : saved
    if (this.aliases.length > 0) this.names = new NameReader(this.aliases, this.shippedAliases)
    if (isAsSaved) this.outlines.load(image)
    else Outlines.skip(image, isBefore)
    this.entries.load(readColumn(image, 'matcher', Uint32Array), spellings)
    if (isAsSaved) {
      this.byName.load(image, 'by name')
      this.byBeginnings.load(image, 'by beginnings')
      return
    }
    for (const name of ['by name', 'by beginnings']) Postings.skip(image, name, isBefore)
    this.readAnew()
  }

  /**
   * Entries of which a name can be another one after a change of aliases, in the order of the events' numbers; to read the names of
   * all would keep everybody waiting for a second among 60 000 events. Undefined: they cannot be told.
   */
  private entriesOf({ slugs, sports }: AliasChange): readonly EventEntry[] | undefined {
    if (slugs.size * sports.size > LOOKUPS_MAX) return undefined
    const { names, byName } = this
    const outlines = new Set<number>()
    const pairs = { sums: new Set<number>(), letters: new Set<number>() }
    for (const sport of sports) {
      const traces = names.tracesOf(slugs, sport)
      if (traces === undefined) return undefined
      for (const key of traces.keys) {
        byName.visit(key, -Infinity, Infinity, Infinity, (outline) => void outlines.add(outline))
      }
      if (!isOfPersons(sport)) continue
      for (const sum of traces.sums) pairs.sums.add(sum)
      for (const letters of traces.letters) pairs.letters.add(letters)
    }
    // A pair has one key for both names.
    for (const outline of pairs.letters.size === 0 ? [] : this.outlines.pairsWith(pairs.letters)) {
      if (this.entryOf(outline) === undefined) continue
      const { home, away } = this.outlines.sidesOf(outline)
      if (names.hasPartnerOf(home, pairs.sums) || names.hasPartnerOf(away, pairs.sums)) outlines.add(outline)
    }
    const concerned = Array.from(outlines, (outline) => this.entryOf(outline))
    return concerned.filter((each) => each !== undefined).sort((a, b) => a.event - b.event)
  }

  /** The entry that has an outline; undefined: none. */
  private entryOf(outline: number): EventEntry | undefined {
    const event = this.outlines.eventOf(outline)
    const entry = this.entries.get(event)?.find((each) => each.outline === outline)
    return entry && { event, entry }
  }

  /** Reads the names of all spellings, and lists them. */
  private readAnew(): void {
    this.byName.clear()
    this.byBeginnings.clear()
    this.outlines.clear()
    const all = this.allEntries()
    all.sort((a, b) => a.entry.sighting.kickoffAt - b.entry.sighting.kickoffAt || a.event - b.event)
    for (const { event, entry } of all) entry.outline = this.list(event, this.appearanceOf(entry.sighting))
  }

  /** In the order of the events' numbers. */
  private allEntries(): EventEntry[] {
    const { entries } = this
    return Array.from(entries.events(), (event) => entries.get(event)!.map((entry) => ({ event, entry }))).flat()
  }

  /** Of an outline that was loaded. */
  private readName(outline: number, isAway: boolean): Name {
    const { home, away, sport, leagueKey, leagueName } = this.entryOf(outline)!.entry.sighting
    const { colleges } = this.leagues.leagueOf(leagueKey, leagueName, sport)
    return this.names.nameOf(isAway ? away : home, sport, colleges)!
  }

  /** Compares an outline with a sighting; undefined: unlike. */
  private compare(outline: number, seen: Appearance, distanceMs: number): Candidate | undefined {
    const verdict = this.outlines.verdictOf(outline, seen, distanceMs, false)
    const isCrossed = this.outlines.isCrossed(outline, seen)
    if (verdict === undefined && !isCrossed) return undefined
    const event = this.outlines.eventOf(outline)
    if (verdict !== undefined && verdict !== 'alike') {
      if (this.isContradicted(event, outline, seen)) return { event, distanceMs, kind: 'alike' }
      return { event, distanceMs, kind: 'same', level: verdict }
    }
    if (isCrossed && this.outlines.verdictOf(outline, seen, distanceMs, true) !== undefined) {
      return { event, distanceMs, kind: 'turned' }
    }
    return verdict === 'alike' ? { event, distanceMs, kind: 'alike' } : undefined
  }

  private appearanceOf(sighting: EventSighting): Appearance | undefined {
    const { sport, leagueKey, leagueName, home, away, kickoffAt } = sighting
    const sportNumber = SPORT_NUMBER.get(sport)!
    const league = this.leagues.leagueOf(leagueKey, leagueName, sport)
    const homeName = this.names.nameOf(home, sport, league.colleges)
    const awayName = this.names.nameOf(away, sport, league.colleges)
    if (homeName === undefined || awayName === undefined) return undefined
    return {
      sportNumber,
      league: league.number,
      country: league.country,
      homeMarks: homeName.marks | league.marks,
      awayMarks: awayName.marks | league.marks,
      home: homeName,
      away: awayName,
      kickoffAt,
    }
  }

  /**
   * Whether another spelling of the event says that it is another match: "Manchester City" is not "Manchester United"
   * because both are "Manchester". One that is unlike the spelling that matches is there by a decision, and is not asked.
   */
  private isContradicted(event: number, matching: number, seen: Appearance): boolean {
    const { outlines } = this
    let contrary = this.contraries.get(event)
    if (contrary === undefined) {
      const known = this.outlinesOf(event)
      const isOther = known.some((outline) => outlines.isOtherMatch(outline, seen))
      contrary = isOther ? 'all' : known.filter((outline) => outlines.areNamesContrary(outline, seen))
      this.contraries.set(event, contrary)
    }
    if (contrary === 'all') return true
    return contrary.some((outline) => outlines.isContraryTo(outline, seen, outlines.sidesOf(matching)))
  }

  private outlinesOf(event: number): number[] {
    return (this.entries.get(event) ?? []).flatMap(({ outline }) => (outline === undefined ? [] : [outline]))
  }

  /** @returns the number of its outline */
  private list(event: number, appearance: Appearance | undefined): number | undefined {
    if (appearance === undefined) return undefined
    const { sportNumber, home, away } = appearance
    const outline = this.outlines.add(event, appearance)
    this.byName.add(home.key, outline)
    if (away.key !== home.key) this.byName.add(away.key, outline)
    for (const pair of pairsOf(sportNumber, home, away)) this.byBeginnings.add(pair, outline)
    return outline
  }

  private unlist({ sighting: { sport }, outline }: Entry): void {
    if (outline === undefined) return
    const home = this.outlines.homeOf(outline)
    const away = this.outlines.awayOf(outline)
    this.byName.remove(home.key, outline)
    if (away.key !== home.key) this.byName.remove(away.key, outline)
    for (const pair of pairsOf(SPORT_NUMBER.get(sport)!, home, away)) this.byBeginnings.remove(pair, outline)
    this.outlines.remove(outline)
  }

  /** The part of an entry's names that an alias can change. */
  private meaningOf({ outline }: Entry): string {
    if (outline === undefined) return ''
    const names = [this.outlines.homeOf(outline), this.outlines.awayOf(outline)]
    return names.map(({ words, marks, isApart }) => `${words.join(' ')} ${marks} ${isApart}`).join(' v ')
  }
}

/** A hash of a pair of beginnings; a collision only costs a comparison. */
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

/** The result of all candidates: two matching events are ambiguous, and a match takes precedence over a conflict. */
const decided = (candidates: Candidate[]): Match => {
  const same = candidates.filter(({ kind }) => kind === 'same')
  const [first] = same
  if (first !== undefined) {
    if (same.some(({ event }) => event !== first.event)) return report('ambiguous', same)
    const level = same.reduce((best, candidate) => (candidate.level! < best ? candidate.level! : best), first.level!)
    return { kind: 'same', event: first.event, level }
  }
  const swapped = candidates.filter(({ kind }) => kind === 'turned')
  return swapped.length > 0 ? report('turned', swapped) : report('alike', candidates)
}

/** The nearest first, each event once. */
const report = (kind: ConflictReason, candidates: Candidate[]): Match => {
  candidates.sort((a, b) => a.distanceMs - b.distanceMs || a.event - b.event)
  const events = new Set(candidates.map(({ event }) => event))
  return { kind, events: [...events].slice(0, REPORTED_MAX) }
}
