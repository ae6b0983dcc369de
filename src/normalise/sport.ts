// From a source's own word for a sport to ours (FEEDS 3). What is not listed has no sport here.

import type { Sport } from '../domain/sport.ts'

/** The Odds API: the part of `sport_key` before the first `_`. */
const THE_ODDS_API_SPORTS: ReadonlyMap<string, Sport> = new Map([
  ['soccer', 'football'],
  ['tennis', 'tennis'],
  ['basketball', 'basketball'],
  ['icehockey', 'ice_hockey'],
  ['handball', 'handball'],
  ['baseball', 'baseball'],
  ['darts', 'darts'],
  ['aussierules', 'australian_rules'],
  ['rugbyleague', 'rugby'],
  ['rugbyunion', 'rugby'],
  ['cricket', 'cricket'],
  ['boxing', 'combat_sport'],
  ['mma', 'combat_sport'],
  ['volleyball', 'volleyball'],
  ['americanfootball', 'american_football'],
  ['golf', 'golf'],
  ['tabletennis', 'table_tennis'],
  ['snooker', 'snooker'],
])

/** Sport of The Odds API's word for it (`soccer`). */
export const sportOfTheOddsApi = (prefix: string): Sport | undefined => THE_ODDS_API_SPORTS.get(prefix)
