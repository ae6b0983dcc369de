// Sports of Cloudbet by `sport.key` (docs/feeds.md 16). A key that is not here has no sport of ours.

import type { Sport } from '../../domain/sport.ts'

const SPORTS: ReadonlyMap<string, Sport> = new Map([
  ['soccer', 'football'],
  ['tennis', 'tennis'],
  ['basketball', 'basketball'],
  ['ice-hockey', 'ice_hockey'],
  ['handball', 'handball'],
  ['baseball', 'baseball'],
  ['darts', 'darts'],
  ['aussie-rules', 'australian_rules'],
  ['rugby-league', 'rugby'],
  ['rugby-union', 'rugby'],
  ['cricket', 'cricket'],
  ['boxing', 'combat_sport'],
  ['mma', 'combat_sport'],
  ['volleyball', 'volleyball'],
  ['american-football', 'american_football'],
  ['golf', 'golf'],
  ['formula-1', 'motorsport'],
  ['formula-e', 'motorsport'],
  ['motorsport', 'motorsport'],
  ['cycling', 'cycling'],
  ['table-tennis', 'table_tennis'],
  ['snooker', 'snooker'],
  ['badminton', 'badminton'],
  ['call-of-duty', 'esports'],
  ['counter-strike', 'esports'],
  ['dota-2', 'esports'],
  ['esport-fifa', 'esports'],
  ['esport-king-of-glory', 'esports'],
  ['esport-valorant', 'esports'],
  ['league-of-legends', 'esports'],
  ['overwatch', 'esports'],
  ['rainbow-six', 'esports'],
  ['rocket-league', 'esports'],
  ['starcraft', 'esports'],
  ['waterpolo', 'waterpolo'],
  ['winter-sports', 'winter_sport'],
])

/** Sport of Cloudbet's key for it (`ice-hockey`). */
export const sportOfCloudbet = (key: string): Sport | undefined => SPORTS.get(key)

/** The part of its market keys before the first `.` (`ice_hockey`). */
export const prefixOf = (sportKey: string): string => sportKey.replaceAll('-', '_')

/** A word of the source in keys of competitions that only makes them unique: `t6bbc`. */
const UNIQUE_WORD = /^t(?=[0-9a-f]*\d)[0-9a-f]{3,6}$/

/** The words of a competition key for country and league: `soccer-england-premier-league` is `england premier league`. */
export const leagueWordsOf = (competitionKey: string, sportKey: string): string => {
  const rest = competitionKey.startsWith(`${sportKey}-`) ? competitionKey.slice(sportKey.length + 1) : competitionKey
  return rest
    .split('-')
    .filter((word) => !UNIQUE_WORD.test(word))
    .join(' ')
}
