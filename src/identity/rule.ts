// When two sightings are of one event (docs/identity.md 4): home matches home, away matches away, and the kickoff is near
// enough for how well they match.

import type { MatchLevel } from '../domain/event-identity.ts'
import { SPORTS, type Sport } from '../domain/sport.ts'
import type { LeagueRelation } from './leagues.ts'
import type { Name, Relation } from './names.ts'
import { isFree } from './persons.ts'

const MINUTE_MS = 60_000

const WINDOW_MS = 180 * MINUTE_MS
// Here two matches of the same sides may be closer, or a match starts when the one before has ended.
const WINDOWS_MS: ReadonlyMap<Sport, number> = new Map([
  ['baseball', 60 * MINUTE_MS],
  ['esports', 60 * MINUTE_MS],
  ['table_tennis', 30 * MINUTE_MS],
  ['tennis', 720 * MINUTE_MS],
  ['combat_sport', 1440 * MINUTE_MS],
])

/** Largest difference of kickoffs where the match is not exact. */
export const NEAR_MS = 15 * MINUTE_MS

/** Sides meet twice a day, at times that a source may only estimate: only what is near is one match. */
const REPEATED_SPORTS: ReadonlySet<Sport> = new Set<Sport>(['baseball', 'esports', 'table_tennis'])

/** Games of some minutes follow each other. */
export const SIMULATED_WINDOW_MS = 5 * MINUTE_MS

/** Many sides of similar names play at one time: both must be exact. */
const EXACT_ONLY_SPORTS: ReadonlySet<Sport> = new Set<Sport>([
  'combat_sport',
  'tennis',
  'table_tennis',
  'darts',
  'snooker',
  'badminton',
  'esports',
])

/** Books write surname and initial here, and few sides that share those play at one time. */
const INITIALLED_SPORTS: ReadonlySet<Sport> = new Set<Sport>([
  'combat_sport',
  'tennis',
  'darts',
  'snooker',
  'badminton',
])

// By the sport's number.
const IS_FREE = SPORTS.map(isFree)
const WINDOW_MS_OF = SPORTS.map((sport) => WINDOWS_MS.get(sport) ?? WINDOW_MS)
const EXACT_ONLY = SPORTS.map((sport) => EXACT_ONLY_SPORTS.has(sport))
const IS_REPEATED = SPORTS.map((sport) => REPEATED_SPORTS.has(sport))
const MAY_BE_INITIALLED = SPORTS.map((sport) => INITIALLED_SPORTS.has(sport))

const isPerson = (relation: Relation): boolean => relation === 'exact' || relation === 'initialled'

/** Whether neither the league nor the time separates two matches of the same sides in the window. */
export const isAnyLeague = (sportNumber: number): boolean => IS_FREE[sportNumber]!

export const isRepeatedSport = (sportNumber: number): boolean => IS_REPEATED[sportNumber]!

/** Largest difference of kickoffs. */
export const windowMsOf = (sportNumber: number): number => WINDOW_MS_OF[sportNumber]!

/** Largest difference of kickoffs where no side is exact. */
export const looseWindowMsOf = (sportNumber: number): number =>
  isAnyLeague(sportNumber) ? windowMsOf(sportNumber) : NEAR_MS

/** A sighting, parsed for comparison. */
export interface Appearance {
  readonly sportNumber: number
  /** Numbers of the league and its country, see League in leagues.ts. */
  readonly league: number
  readonly country: number
  /** Which team of the club it is, by its name or the league: bits of a name's marks. */
  readonly homeMarks: number
  readonly awayMarks: number
  readonly home: Name
  readonly away: Name
  /** Epoch ms. */
  readonly kickoffAt: number
}

/** How two sightings match: a level; alike, for an operator to decide; or not. */
export type Verdict = MatchLevel | 'alike' | undefined

/**
 * Compares two sightings of one sport.
 * @param home how the home sides match, and `away` the away sides
 * @param leagues how their leagues relate; unknown where one names none
 * @param isSwapped `home` compares the home side of one with the away side of the other; then only a level counts, and
 * only with an exact side
 * @param isRepeated the same sides may play again within the window: then only what is near is one match
 */
export const verdictOf = (
  sportNumber: number,
  distanceMs: number,
  home: Relation,
  away: Relation,
  leagues: LeagueRelation,
  isSwapped: boolean,
  isRepeated: boolean,
): Verdict => {
  if (!(distanceMs <= windowMsOf(sportNumber))) return undefined
  const isAnyTime = isAnyLeague(sportNumber)
  const isNear = distanceMs <= NEAR_MS
  if (home === 'exact' && away === 'exact') {
    if (isAnyTime || (leagues !== 'other' && (isNear || (!isRepeated && leagues !== 'reworded')))) return 'A'
    return isSwapped ? undefined : 'alike'
  }
  if (
    (isAnyTime || (isNear && leagues !== 'other')) &&
    MAY_BE_INITIALLED[sportNumber]! &&
    isPerson(home) &&
    isPerson(away)
  ) {
    if (home === 'exact' || away === 'exact') return 'B'
    return isSwapped ? undefined : 'C'
  }
  const isLoose = isNear && leagues !== 'other' && !EXACT_ONLY[sportNumber]!
  const oneExact = home === 'exact' || away === 'exact'
  if (home !== 'unlike' && away !== 'unlike') {
    if (isLoose && oneExact) return 'B'
    if (isSwapped) return undefined
    return isLoose && leagues === 'same' ? 'C' : 'alike'
  }
  // A side plays once at a time: its opponent is most likely the same, under an alias that is not listed.
  return isLoose && oneExact && !isSwapped ? 'alike' : undefined
}
