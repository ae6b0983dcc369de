// Market types of a source's handicaps, totals and moneylines, by sport (docs/feeds.md 2.3), and the form of lines
// (2.5).

import type { MarketType } from '../../domain/market.ts'
import type { Sport } from '../../domain/sport.ts'

const HANDICAP_TYPES: Partial<Record<Sport, MarketType>> = { baseball: 'run_line', ice_hockey: 'puck_line' }

/** Type of a handicap; football's Asian handicap is a spread, too. */
export const handicapTypeOf = (sport: Sport): MarketType => HANDICAP_TYPES[sport] ?? 'spread'

/** Type of an over/under on the whole match. */
export const totalTypeOf = (sport: Sport): MarketType => (sport === 'football' ? 'total_goals' : 'total')

/** Type of a moneyline. `hasDraw`: whether this bookmaker's list for the event has a draw. */
export const moneylineTypeOf = (sport: Sport, hasDraw: boolean): MarketType => {
  if (sport === 'football') return 'match_result_1x2' // three-way even if the draw row is missing
  if (!hasDraw) return 'match_winner'
  return sport === 'combat_sport' ? 'fight_betting' : 'match_result_1x2'
}

/** The home side's handicap, from the handicap of either side. Never -0. */
export const homeLine = (side: 'home' | 'away', handicap: number): number =>
  side === 'home' ? handicap + 0 : 0 - handicap
