// When two sightings are of one event (FEEDS 13): home matches home, away matches away, and the kickoff is near enough
// for how well they match.

import type { MatchLevel } from '../../domain/event-identity.ts'
import type { Sport } from '../../domain/sport.ts'
import { UNKNOWN_LEAGUE } from '../league.ts'
import { type Name, relationOf } from './names.ts'

const MINUTE_MS = 60_000

const WINDOW_MS = 180 * MINUTE_MS
// Two matches of the same sides follow each other sooner, or a match starts whenever the one before has ended.
const WINDOWS_MS: ReadonlyMap<Sport, number> = new Map([
  ['baseball', 60 * MINUTE_MS],
  ['esports', 60 * MINUTE_MS],
  ['table_tennis', 30 * MINUTE_MS],
  ['tennis', 720 * MINUTE_MS],
  ['combat_sport', 1440 * MINUTE_MS],
])

/** How far a kickoff may be off where the evidence is not the best. */
export const NEAR_MS = 15 * MINUTE_MS

/** Many sides of nearly one name stand at one time: both must be exact. */
const EXACT_ONLY: ReadonlySet<Sport> = new Set<Sport>([
  'combat_sport',
  'tennis',
  'table_tennis',
  'darts',
  'snooker',
  'badminton',
  'esports',
])

/** How far a kickoff may be off at most. */
export const windowMsOf = (sport: Sport): number => WINDOWS_MS.get(sport) ?? WINDOW_MS

/** What a sighting says of its event, ready to be compared. */
export interface Appearance {
  readonly sport: Sport
  readonly leagueKey: string
  /** The team that the league is for: bits of a name's marks. */
  readonly leagueMarks: number
  readonly home: Name
  readonly away: Name
  /** Epoch ms. */
  readonly kickoffAt: number
}

/** How two sightings go together: a level, or alike where somebody should look, or nothing. */
export type Verdict = MatchLevel | 'alike' | undefined

const isKnown = (leagueKey: string): boolean => leagueKey !== UNKNOWN_LEAGUE && leagueKey !== ''

/**
 * Compares two sightings of one sport. Symmetric.
 * @param isTurned compares the home side of one with the away side of the other; then only a level counts, and only
 * with an exact side
 */
export const verdictOf = (a: Appearance, b: Appearance, isTurned: boolean): Verdict => {
  const distanceMs = Math.abs(a.kickoffAt - b.kickoffAt)
  if (!(distanceMs <= windowMsOf(a.sport))) return undefined
  const [first, second] = isTurned ? [b.away, b.home] : [b.home, b.away]
  // Another team of the club is another team, whoever it plays; and leagues of women or youth need not say so in names.
  const marks = (name: Name, { leagueMarks }: Appearance): number => name.marks | leagueMarks
  if (marks(a.home, a) !== marks(first, b) || marks(a.away, a) !== marks(second, b)) return undefined
  const home = relationOf(a.home, first)
  // Then nothing is left but one exact side, and most entries have none.
  if (home === 'unlike' && a.away.key !== second.key) return undefined
  const away = relationOf(a.away, second)
  const isNear = distanceMs <= NEAR_MS
  const bothKnown = isKnown(a.leagueKey) && isKnown(b.leagueKey)
  const differ = bothKnown && a.leagueKey !== b.leagueKey
  if (home === 'exact' && away === 'exact') {
    if (!differ || isNear) return 'A'
    return isTurned ? undefined : 'alike'
  }
  const isLoose = isNear && !differ && !EXACT_ONLY.has(a.sport)
  const oneExact = home === 'exact' || away === 'exact'
  if (home !== 'unlike' && away !== 'unlike') {
    if (isLoose && oneExact) return 'B'
    if (isTurned) return undefined
    return isLoose && bothKnown ? 'C' : 'alike'
  }
  // A side plays once at a time: its opponent is most likely the same, under a name that nobody has listed.
  return isLoose && oneExact && !isTurned ? 'alike' : undefined
}
