// Swapped sides: the same price with home and away exchanged (docs/feeds.md 2.4, 2.5).

import type { MarketType } from './market.ts'

/** Types whose line is the home side's handicap. */
const HANDICAPS: ReadonlySet<MarketType> = new Set(['spread', 'run_line', 'puck_line'])

/** The line of a market when the sides are swapped: handicaps change their sign, thresholds and map numbers stay. */
export const swapLine = (type: MarketType, line: number | null): number | null =>
  line === null || !HANDICAPS.has(type) ? line : 0 - line

const SIDES: ReadonlyMap<string, string> = new Map([
  ['home', 'away'],
  ['away', 'home'],
  ['home_or_draw', 'draw_or_away'],
  ['draw_or_away', 'home_or_draw'],
])

const swapPart = (part: string): string => SIDES.get(part) ?? part

/**
 * The label of an outcome when the sides are swapped: `home` is `away`, `2-1` is `1-2`, `home/draw` is `away/draw`,
 * `away:3+` is `home:3+`. Names of players and participants, over and under, yes and no stay.
 */
export const swapOutcome = (type: MarketType, outcome: string): string => {
  switch (type) {
    case 'correct_score':
    case 'set_betting':
      return outcome.replace(/^(\d+)-(\d+)$/, '$2-$1')
    case 'halftime_fulltime':
      return outcome.split('/').map(swapPart).join('/')
    case 'winning_margin':
    case 'clean_sheet':
    case 'race_to':
      return outcome.replace(/^(home|away)(?=:|$)/, swapPart)
    case 'goalscorer':
    case 'player_prop':
    case 'outright':
      return outcome // slugs of people: one of them may be called "home"
    default:
      return swapPart(outcome)
  }
}
