import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leagueKeyOf } from '../../../src/source/kit/league.ts'

/** docs/feeds.md 4, whole. */
const ALIASES = `
  epl england_premier_league | efl_champ england_championship | england_the_championship england_championship
  england_league1 england_league_one | england_league2 england_league_two | fa_cup england_fa_cup
  spl scotland_premiership | germany_bundesliga2 germany_2_bundesliga | germany_liga3 germany_3_liga
  france_ligue_one france_ligue_1 | france_ligue_two france_ligue_2 | uefa_champs_league uefa_champions_league
  champions_league uefa_champions_league | europa_league uefa_europa_league | mexico_ligamx mexico_liga_mx
  australia_aleague australia_a_league | switzerland_superleague switzerland_super_league
  denmark_superligaen denmark_superliga | copa_libertadores conmebol_copa_libertadores
  copa_sudamericana conmebol_copa_sudamericana | italy_tim_cup italy_coppa_italia
  belgium_jupiler_pro_league belgium_first_div | saudi_arabia_professional_league saudi_arabia_pro_league
`

test('a known spelling of a football league gives its one key', () => {
  const rows = ALIASES.trim().split(/[|\n]/)
  assert.equal(rows.length, 23)
  for (const row of rows) {
    const [source, key] = row.trim().split(' ')
    assert.equal(leagueKeyOf(source!, 'football'), key)
    assert.equal(leagueKeyOf(key!, 'football'), key, 'a key is its own')
  }
})

test('any other league is the slug of its words', () => {
  assert.equal(leagueKeyOf('Spain - La Liga', 'football'), 'spain_la_liga')
  assert.equal(leagueKeyOf('_pga_championship_winner', 'golf'), 'pga_championship_winner')
})

test('the aliases are of football only', () => {
  assert.equal(leagueKeyOf('champions_league', 'handball'), 'champions_league')
})

test('a league without words is unknown', () => {
  assert.equal(leagueKeyOf('', 'football'), 'unknown')
  assert.equal(leagueKeyOf('Премьер-лига', 'football'), 'unknown')
})
