import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sport } from '../../../src/domain/sport.ts'
import { type LabelledOutcome, isLay, marketOf } from '../../../src/source/the-odds-api/the-odds-api-markets.ts'

const SIDES = { home: 'Tom or Draw', away: 'Elm/Oak' }

/** `type line label`; `market` or `outcome` where there is none. */
const mapped = (
  key: string,
  name: string,
  { sport = 'football', ...more }: Partial<LabelledOutcome> & { sport?: Sport } = {},
): string => {
  const market = marketOf(key, sport)
  if (market === undefined) return isLay(key) ? 'lay' : 'market'
  const result = market.map({ name, description: '', point: null, ...more }, SIDES, sport, false)
  if (result === undefined) return 'outcome'
  return result === 'twin' ? result : `${result.type} ${result.line} ${result.outcome}`
}

const { home, away } = SIDES

test('a prop is labelled by its player and its statistic, which two props never share', () => {
  const of = (key: string, name: string, description: string, point: number | null = null): string =>
    mapped(key, name, { sport: 'baseball', description, point })
  const cases: readonly (readonly [string, string])[] = [
    [of('player_points', 'Over', "D'Arcy Núñez Jr.", 20.5), 'player_prop 20.5 darcy_nunez_jr:points:over'],
    [of('player_points_alternate', 'Under', 'Ana Ruiz', 24.5), 'player_prop 24.5 ana_ruiz:points:under'],
    [of('player_points_q1', 'Over', 'Ana Ruiz', 5.5), 'player_prop 5.5 ana_ruiz:points_q1:over'],
    // A player may bat and pitch.
    [of('batter_strikeouts', 'Over', 'Ana Ruiz', 1.5), 'player_prop 1.5 ana_ruiz:batter_strikeouts:over'],
    [of('pitcher_strikeouts_alternate', 'Over', 'Ana Ruiz', 1.5), 'player_prop 1.5 ana_ruiz:pitcher_strikeouts:over'],
    [of('player_double_double', 'Yes', 'Ana Ruiz'), 'player_prop 0.5 ana_ruiz:double_double:over'],
    [of('player_double_double', 'No', 'Ana Ruiz', 0), 'player_prop 0.5 ana_ruiz:double_double:under'],
    [of('player_to_receive_card', 'Yes', 'Ana Ruiz'), 'player_prop 0.5 ana_ruiz:cards:over'],
    [of('player_anytime_td', 'Yes', 'Ana Ruiz'), 'player_prop 0.5 ana_ruiz:tds:over'],
    [of('player_tds_over', 'Over', 'Ana Ruiz', 1.5), 'player_prop 1.5 ana_ruiz:tds:over'],
    [of('player_points', 'Over', 'Ana Ruiz'), 'outcome'], // no line
    [of('player_points', 'Over', '', 20.5), 'outcome'], // nobody
    [of('player_points', 'Over', 'x'.repeat(101), 20.5), 'outcome'],
    [of('player_points', 'Ana Ruiz', '', 20.5), 'outcome'],
    [of('player_double_double', 'Yes', 'Ana Ruiz', 1.5), 'outcome'],
    [of('player_goal_scorer_anytime_lay', 'Yes', 'Ana Ruiz'), 'lay'],
    [of('players', 'Over', 'Ana Ruiz', 1.5), 'market'],
    [of('player_', 'Over', 'Ana Ruiz', 1.5), 'market'],
  ]
  for (const [found, expected] of cases) assert.equal(found, expected)
})

test('scorers of goals are goalscorers, with the same labels in football and in ice hockey', () => {
  const of = (key: string, name: string, description: string): string => mapped(key, name, { description })
  assert.deepEqual(
    [
      of('player_goal_scorer_anytime', 'Yes', 'Ana Ruiz'),
      of('player_first_goal_scorer', 'Yes', 'Ana Ruiz'),
      of('player_goal_scorer_last', 'Yes', 'Ana Ruiz'),
      of('player_goal_scorer_anytime', 'No', 'Ana Ruiz'),
      of('player_goal_scorer_first', 'Yes', 'No Scorer'),
      of('player_last_goal_scorer', 'Yes', 'No Scorer'),
    ],
    [
      'goalscorer null anytime:ana_ruiz',
      'goalscorer null first:ana_ruiz',
      'goalscorer null last:ana_ruiz',
      'outcome',
      'goalscorer null no_goal',
      'twin',
    ],
  )
})

test('markets of football: names of teams are compared whole', () => {
  const cases: readonly (readonly [string, string])[] = [
    [mapped('double_chance', `${home} or Draw`), 'double_chance null home_or_draw'],
    [mapped('double_chance', `Draw or ${home}`), 'double_chance null home_or_draw'],
    [mapped('double_chance', `${away}/${home}`), 'double_chance null home_or_away'],
    [mapped('double_chance', `${away} or Draw`), 'double_chance null draw_or_away'],
    [mapped('double_chance', `${home} or ${home}`), 'outcome'],
    [mapped('halftime_fulltime', `${away}/${home}`), 'halftime_fulltime null away/home'],
    [mapped('halftime_fulltime', 'Draw / Draw'), 'halftime_fulltime null draw/draw'],
    [mapped('halftime_fulltime', 'Elm/Oak'), 'outcome'],
    [mapped('correct_score', `${home}:1|${away}:0`), 'correct_score null 1-0'],
    [mapped('correct_score', `${away}:2|${home}:03`), 'correct_score null 3-2'],
    [mapped('correct_score', '1-0'), 'outcome'], // nobody knows whose
    [mapped('odd_even', 'Odd'), 'odd_even null odd'],
    [mapped('first_team_to_score', away), 'first_to_score null away'],
    [mapped('first_team_to_score', 'No Goal'), 'first_to_score null none'],
    [mapped('alternate_asian_handicap', away, { point: 0.25 }), 'spread -0.25 away'],
    [mapped('totals_h1', 'Over', { point: 1 }), 'first_half_total_goals 1 over'],
    [mapped('alternate_totals_h2', 'Under', { point: 1.5 }), 'second_half_total_goals 1.5 under'],
    [mapped('alternate_totals_corners', 'Over', { point: 9.5 }), 'corners_total 9.5 over'],
    [mapped('alternate_totals_cards', 'Over', { point: 3.5 }), 'cards_total 3.5 over'],
    // The same keys of other sports settle like none of our types.
    [mapped('totals_h1', 'Over', { point: 110.5, sport: 'basketball' }), 'market'],
    [mapped('h2h_3_way_q4', 'Draw', { sport: 'basketball' }), 'quarter_betting 4 draw'],
    [mapped('h2h_3_way_q1', home, { sport: 'basketball' }), 'quarter_betting 1 home'],
  ]
  for (const [found, expected] of cases) assert.equal(found, expected)
  const left = [
    ...['draw_no_bet', 'to_qualify', 'team_totals', 'alternate_team_totals_h1', 'last_team_to_score', 'corners_1x2'],
    ...['h2h_h1', 'h2h_3_way_h1', 'h2h_q1', 'h2h_p1', 'h2h_1st_5_innings', 'spreads_q1', 'totals_p1', 'btts_h1'],
    ...['alternate_totals_corners_h1', 'alternate_spreads_cards', 'correct_score_h1', 'odd_even_h1', 'h2h_ot'],
  ]
  for (const key of left) assert.equal(mapped(key, 'Over', { point: 1 }), 'market', key)
  for (const key of ['h2h_3_way_lay', 'btts_lay', 'alternate_totals_lay']) assert.equal(mapped(key, home), 'lay', key)
})
