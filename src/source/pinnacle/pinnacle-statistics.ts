// From Pinnacle's words for a statistic of a player to ours, which are those of The Odds API (docs/feeds.md 2.4).

import type { Sport } from '../../domain/sport.ts'
import { slugOf } from '../../domain/slug.ts'

/** Words that differ from ours, as a slug without a leading `total_`. */
const WORDS: Readonly<Partial<Record<Sport, Readonly<Record<string, string>>>>> = {
  // A player may bat and pitch.
  baseball: {
    home_runs: 'batter_home_runs',
    bases: 'batter_total_bases',
    hits: 'batter_hits',
    runs: 'batter_runs_scored',
    rbis: 'batter_rbis',
    singles: 'batter_singles',
    doubles: 'batter_doubles',
    stolen_bases: 'batter_stolen_bases',
    hits_runs_rbis: 'batter_hits_runs_rbis',
    strikeouts: 'pitcher_strikeouts',
    hits_allowed: 'pitcher_hits_allowed',
    earned_runs: 'pitcher_earned_runs',
    pitching_outs: 'pitcher_outs',
  },
  basketball: {
    pra: 'points_rebounds_assists',
    pts_rebs_asts: 'points_rebounds_assists',
    points_rebounds_assist: 'points_rebounds_assists',
    '3_point_fg': 'threes',
    three_point_field_goals: 'threes',
    double_double: 'double_double',
  },
  american_football: {
    passing_yards: 'pass_yds',
    touchdown_passes: 'pass_tds',
    passing_touchdowns: 'pass_tds',
    pass_attempts: 'pass_attempts',
    completions: 'pass_completions',
    pass_completions: 'pass_completions',
    interceptions: 'pass_interceptions',
    longest_pass_complete: 'pass_longest_completion',
    longest_pass_completion: 'pass_longest_completion',
    rushing_yards: 'rush_yds',
    rushing_attempts: 'rush_attempts',
    receiving_yards: 'reception_yds',
    pass_receptions: 'receptions',
    longest_reception: 'reception_longest',
    touchdowns: 'tds',
  },
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/**
 * Our word for a statistic.
 * @param words from the description of a special, `Total Bases`
 * @param units of its matchup, `TotalBases`: they confirm words that are not in the table
 * @returns undefined: the words may be no statistic
 */
export const statisticOf = (words: string, units: string, sport: Sport): string | undefined => {
  const slug = slugOf(words).replace(/^total_/, '')
  const ours = new Map(Object.entries(WORDS[sport] ?? {})).get(slug)
  if (ours !== undefined) return ours
  const isConfirmed = slug !== '' && lettersOf(units).replace(/^total/, '') === lettersOf(slug)
  return isConfirmed ? slug : undefined
}
