// League keys (docs/feeds.md 4): the slug of the source's own words, then the alias table.

import type { Sport } from '../../domain/sport.ts'
import { UNKNOWN_LEAGUE } from '../../domain/observation.ts'
import { slugOf } from '../../domain/slug.ts'

const KEY_LENGTH_MAX = 200

// Football leagues only: `champions_league` is another competition in basketball, handball or volleyball.
const FOOTBALL_ALIASES: ReadonlyMap<string, string> = new Map([
  ['epl', 'england_premier_league'],
  ['efl_champ', 'england_championship'],
  ['england_the_championship', 'england_championship'],
  ['england_league1', 'england_league_one'],
  ['england_league2', 'england_league_two'],
  ['fa_cup', 'england_fa_cup'],
  ['spl', 'scotland_premiership'],
  ['germany_bundesliga2', 'germany_2_bundesliga'],
  ['germany_liga3', 'germany_3_liga'],
  ['france_ligue_one', 'france_ligue_1'],
  ['france_ligue_two', 'france_ligue_2'],
  ['uefa_champs_league', 'uefa_champions_league'],
  ['champions_league', 'uefa_champions_league'],
  ['europa_league', 'uefa_europa_league'],
  ['mexico_ligamx', 'mexico_liga_mx'],
  ['australia_aleague', 'australia_a_league'],
  ['switzerland_superleague', 'switzerland_super_league'],
  ['denmark_superligaen', 'denmark_superliga'],
  ['copa_libertadores', 'conmebol_copa_libertadores'],
  ['copa_sudamericana', 'conmebol_copa_sudamericana'],
  ['italy_tim_cup', 'italy_coppa_italia'],
  ['belgium_jupiler_pro_league', 'belgium_first_div'],
  ['saudi_arabia_professional_league', 'saudi_arabia_pro_league'],
])

/** Key of a league from the source's country and league words in any spelling; `unknown` when there are none. */
export const leagueKeyOf = (words: string, sport: Sport): string => {
  // Joins several texts of the source, each of which may have the maximum length.
  const key = slugOf(words).slice(0, KEY_LENGTH_MAX)
  if (key === '') return UNKNOWN_LEAGUE
  return (sport === 'football' ? FOOTBALL_ALIASES.get(key) : undefined) ?? key
}
