// Cloudbet's answers: the fixture to the last outcome, statuses, what is missing, and what cannot be read.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isFormatFault } from '../../../src/source/kit/normaliser.ts'
import { CLOUDBET_MARKETS } from '../../../src/source/cloudbet/cloudbet-markets.ts'
import { cloudbetNormaliser } from '../../../src/source/cloudbet/cloudbet-normaliser.ts'
import { leagueWordsOf } from '../../../src/source/cloudbet/cloudbet-sports.ts'
import { ROOT } from '../../root.ts'
import { fatesOf, linesOf, poll, timesOf } from '../kit/polled.ts'

const FIXTURE = readFileSync(join(ROOT, 'fixtures/cloudbet/competition.json'), 'utf8')

const AT = '2030-01-05T11:30:00Z'
const LATER = '2030-01-05T11:31:00Z'
const CUTOFF = '2030-01-05T15:00:00Z'

type Sel = readonly [outcome: string, price: unknown, params?: string, more?: object]

const selectionsOf = (selections: readonly Sel[]): object => ({
  selections: selections.map(([outcome, price, params = '', more = {}]) => ({
    outcome,
    price,
    params,
    status: 'SELECTION_ENABLED',
    side: 'BACK',
    ...more,
  })),
})

const submarkets = (byKey: Readonly<Record<string, readonly Sel[]>>): object => ({
  submarkets: Object.fromEntries(Object.entries(byKey).map(([key, selections]) => [key, selectionsOf(selections)])),
})

const market = (...selections: readonly Sel[]): object => submarkets({ 'period=ft': selections })

const RESULT = market(['home', 1.5], ['draw', 4], ['away', 7])

const event = (markets: unknown, over: object = {}): Record<string, unknown> => ({
  id: 1,
  home: { name: 'Harbour Town' },
  away: { name: 'Kestrel & Vale' },
  status: 'TRADING',
  cutoffTime: CUTOFF,
  markets,
  ...over,
})

const competition = (events: unknown, sport = 'soccer'): object => ({
  name: 'First Division',
  key: `${sport}-northland-first-division`,
  sport: { name: sport, key: sport },
  events,
})

test('the fixture: each outcome is in one place, with its label and line', () => {
  const source = poll(cloudbetNormaliser)
  const observations = source.read(FIXTURE, { at: AT, isComplete: true })
  assert.deepEqual(linesOf(observations), [
    '900001 match_result_1x2  home 1.72 open',
    '900001 match_result_1x2  draw 3.45 open',
    '900001 match_result_1x2  away 5.4 open',
    '900001 spread -0.75 home 1.96 open',
    '900001 spread -0.75 away 1.85 open',
    '900001 total_goals 2.25 over 1.95 open',
    '900001 total_goals 2.25 under 1.87 open',
    '900001 total_goals 3.5 under 1.2 suspended',
    '900001 correct_score  2-1 9.4 open',
    '900001 correct_score  other 41 open',
    '900001 clean_sheet  away:yes 3.7 open',
    '900001 clean_sheet  away:no 1.24 open',
    '900001 clean_sheet  home:yes 1.9 open',
    '900001 clean_sheet  home:no 1.81 open',
    '900001 first_to_score  home 1.5 open',
    '900001 first_to_score  away 2.6 open',
    '900001 first_to_score  none 11 open',
    '900001 goalscorer  anytime:ivo_brandt 2.9 open',
    '900002 match_result_1x2  home 2.4 open',
    '900002 match_result_1x2  draw 2.9 open',
  ])
  assert.deepEqual(timesOf(observations), ['2030-01-05T11:30:00.000Z'])
  const [{ event: sighting, bookmaker, transport } = assert.fail('nothing')] = observations
  assert.deepEqual([bookmaker, transport], ['cloudbet', 'rest'])
  assert.deepEqual(sighting, {
    sport: 'football',
    leagueKey: 'northland_first_division',
    leagueName: 'First Division',
    home: 'Harbour Town',
    away: 'Kestrel & Vale',
    kickoffAt: Date.parse(CUTOFF),
    sourceKey: 'cloudbet:900001',
  })
  assert.deepEqual(fatesOf(source.account), {
    'soccer.match_odds': { match_result_1x2: 5, no_price: 1 },
    'soccer.asian_handicap': { spread: 2, market: 2 },
    'soccer.total_goals': { total_goals: 3, no_price: 1 },
    'soccer.correct_score': { correct_score: 2 },
    'soccer.team_clean_sheet': { clean_sheet: 4 },
    'soccer.goal_nr': { first_to_score: 3, market: 1 },
    'soccer.anytime_goalscorer': { goalscorer: 1, outcome: 1, twin: 1 },
    'soccer.team_total_goals': { market: 2 },
    'soccer.outright.v3': { event: 1 },
  })
  source.end()
})

test('the three shapes of an answer give the same; without a time it is just before betting on a match ends', () => {
  const one = event({ 'soccer.match_odds': RESULT })
  const { name, key, sport } = competition([]) as { name: string; key: string; sport: object }
  const shapes = [
    competition([one]),
    { competitions: [competition([one])] },
    { ...one, sport, competition: { name, key } },
  ]
  for (const shape of shapes) {
    const source = poll(cloudbetNormaliser)
    const observations = source.read(shape)
    assert.deepEqual(linesOf(observations), [
      '1 match_result_1x2  home 1.5 open',
      '1 match_result_1x2  draw 4 open',
      '1 match_result_1x2  away 7 open',
    ])
    assert.deepEqual(timesOf(observations), ['2030-01-05T14:59:59.000Z'])
    assert.equal(observations[0]!.event.leagueKey, 'northland_first_division')
    source.end()
  }
  for (const text of ['[]', '{}', '{"error":"unauthorized"}', '{"events":null}', 'x']) {
    const result = poll(cloudbetNormaliser).normaliser.read(text, 1)
    assert.ok(isFormatFault(result), text)
  }
  const live = poll(cloudbetNormaliser).read(
    competition([event({ 'soccer.match_odds': RESULT }, { status: 'TRADING_LIVE' })]),
  )
  assert.deepEqual(timesOf(live), ['2030-01-05T15:00:00.000Z'])
  assert.equal(leagueWordsOf('soccer-india-t6bbc-delhi-league-women', 'soccer'), 'india delhi league women')
  assert.equal(leagueWordsOf('tennis-atp-t20-cup', 'tennis'), 'atp t20 cup')
})

test('the status of an event holds for all its quotes; unknown ones suspend', () => {
  const cases = {
    TRADING: 'open',
    TRADING_LIVE: 'open',
    PRE_TRADING: 'suspended',
    POST_TRADING: 'suspended',
    INTERRUPTED: 'suspended',
    DISABLED: 'suspended',
    SOMETHING_NEW: 'suspended',
    '': 'suspended',
    AWAITING_RESULTS: 'closed',
    RESULTED: 'closed',
    CANCELLED: 'closed',
  }
  for (const [status, expected] of Object.entries(cases)) {
    for (const markets of [{ 'soccer.match_odds': RESULT }, {}]) {
      const source = poll(cloudbetNormaliser)
      source.read(competition([event({ 'soccer.match_odds': RESULT })]), { at: AT })
      const said = status === '' ? undefined : status
      const lines = linesOf(
        source.read(competition([event(markets, { status: said })]), { at: LATER, isComplete: true }),
      )
      // Missing from a complete answer of an open event, they are suspended.
      const wanted = expected === 'open' && !('soccer.match_odds' in markets) ? 'suspended' : expected
      assert.equal(lines.length, 3, status)
      assert.ok(
        lines.every((line) => line.endsWith(` ${wanted}`)),
        `${status}: ${lines.join(', ')}`,
      )
      source.end()
    }
  }
})

test('what is missing is suspended, as far as the answer speaks of it', () => {
  const whole = competition([
    event({
      'soccer.match_odds': RESULT,
      'soccer.total_goals': market(['over', 2, 'total=2.5'], ['under', 1.8, 'total=2.5']),
    }),
    event({ 'soccer.match_odds': RESULT }, { id: 2, home: { name: 'Orrin' } }),
  ])
  const less = competition([event({ 'soccer.match_odds': market(['home', 1.6], ['draw', 4]) })])
  const partly = poll(cloudbetNormaliser)
  partly.read(whole, { at: AT })
  assert.deepEqual(linesOf(partly.read(less, { at: LATER })), [
    '1 match_result_1x2  home 1.6 open',
    '1 match_result_1x2  draw 4 open',
    '1 match_result_1x2  away  suspended',
  ])
  const fully = poll(cloudbetNormaliser)
  fully.read(whole, { at: AT })
  assert.deepEqual(linesOf(fully.read(less, { at: LATER, isComplete: true })), [
    '1 match_result_1x2  home 1.6 open',
    '1 match_result_1x2  draw 4 open',
    '1 match_result_1x2  away  suspended',
    '1 total_goals 2.5 over  suspended',
    '1 total_goals 2.5 under  suspended',
    '2 match_result_1x2  home  suspended',
    '2 match_result_1x2  draw  suspended',
    '2 match_result_1x2  away  suspended',
  ])
  // An empty competition closes nothing: it may be a mistake.
  assert.deepEqual(linesOf(fully.read(competition([]), { at: LATER, isComplete: true })).length, 2)
  const oneOfMany = poll(cloudbetNormaliser, { isOneOfMany: () => true })
  oneOfMany.read(whole, { at: AT, isComplete: true })
  const lines = linesOf(oneOfMany.read(less, { at: LATER, isComplete: true }))
  assert.ok(lines.every((line) => line.startsWith('1 ')))
})

test('betting on a match ends at its cutoff, and goes on when it is live', () => {
  const source = poll(cloudbetNormaliser)
  const said = (over: object): object => competition([event({ 'soccer.match_odds': RESULT }, over)])
  source.read(said({}), { at: '2030-01-05T14:59:59.999Z', isComplete: true })
  assert.deepEqual(linesOf(source.closeDue('2030-01-05T14:59:59.999Z')), [])
  const off = linesOf(source.closeDue(CUTOFF))
  assert.deepEqual(
    off.map((line) => line.split(' ').at(-1)),
    ['suspended', 'suspended', 'suspended'],
  )
  assert.deepEqual(linesOf(source.closeDue('2030-01-05T15:00:09Z')), [])
  const again = linesOf(source.read(said({}), { at: '2030-01-05T15:00:10Z', isComplete: true }))
  assert.ok(again.length === 3 && again.every((line) => line.endsWith('suspended')))
  // The end of betting moves while a match is live; its kickoff does not.
  const live = source.read(said({ status: 'TRADING_LIVE', cutoffTime: '2030-01-05T17:00:00Z' }), {
    at: '2030-01-05T15:00:30Z',
    isComplete: true,
  })
  assert.ok(linesOf(live).every((line) => line.endsWith('open')))
  assert.equal(live[0]!.event.kickoffAt, Date.parse(CUTOFF))
  assert.deepEqual(linesOf(source.closeDue('2030-01-05T18:00:00Z')), [])
  source.end()
})

const periodsKey = (names: string): string =>
  names
    .split(' ')
    .map((name) => `period=${name}`)
    .join('&')

const SPORT_KEYS: Readonly<Record<string, string>> = {
  soccer: 'soccer',
  basketball: 'basketball',
  tennis: 'tennis',
  counter_strike: 'counter-strike',
}

test('other sports: types, lines and labels by market key', () => {
  const cases: readonly (readonly [sport: string, key: string, sel: Sel, line: string, periods?: string])[] = [
    ['tennis', 'tennis.winner', ['away', 2.2], 'tennis match_winner  away', 'default wo set1 set2 set3 set4 set5'],
    [
      'tennis',
      'tennis.game_handicap',
      ['away', 2, 'handicap=-2.5'],
      'tennis spread -2.5 away',
      'default set1 set2 set3 wo',
    ],
    ['tennis', 'tennis.correct_score', ['score=0:2', 4], 'tennis set_betting  0-2', 'default wo'],
    ['basketball', 'basketball.moneyline', ['home', 1.3], 'basketball match_winner  home', 'ot ft'],
    ['basketball', 'basketball.totals', ['under', 1.9, 'total=204.5'], 'basketball total 204.5 under', 'ft ot'],
    ['ice-hockey', 'ice_hockey.handicap', ['home', 1.9, 'handicap=1.5'], 'ice_hockey puck_line 1.5 home', 'ot ft'],
    ['ice-hockey', 'ice_hockey.double_chance', ['draw_or_away', 1.5], 'ice_hockey double_chance  draw_or_away'],
    ['baseball', 'baseball.run_line', ['home', 2.3, 'handicap=-1.5'], 'baseball run_line -1.5 home', 'ot ft'],
    ['handball', 'handball.halftime_fulltime_result', ['away_draw', 15], 'handball halftime_fulltime  away/draw'],
    ['rugby-union', 'rugby_union.moneyline', ['draw', 21], 'rugby match_result_1x2  draw'],
    ['mma', 'mma.1x2', ['draw', 51], 'combat_sport fight_betting  draw', 'default'],
    [
      'american-football',
      'american_football.totals',
      ['over', 1.9, 'total=44'],
      'american_football total 44 over',
      'ot ft',
    ],
    ['dota-2', 'dota_2.map_winner_v2', ['home', 1.6, 'map=2'], 'esports map_winner 2 home', 'default map2'],
    ['counter-strike', 'counter_strike.match_odds', ['draw', 3], 'esports match_result_1x2  draw', 'default'],
    ['waterpolo', 'waterpolo.match_odds', ['draw', 9], 'waterpolo match_result_1x2  draw'],
    ['soccer', 'soccer.asian_handicap', ['home', 1.9, 'handicap=-0'], 'football spread 0 home'],
    ['soccer', 'soccer.goalnr_goalscorer', ['no_goal', 12, 'goal=1'], 'football goalscorer  no_goal'],
  ]
  for (const [sport, key, sel, expected, periods = 'ft'] of cases) {
    const source = poll(cloudbetNormaliser)
    const [observation] = source.read(
      competition([event({ [key]: submarkets({ [periodsKey(periods)]: [sel] }) })], sport),
      { at: AT },
    )
    const [price] = observation?.prices ?? []
    assert.equal(`${observation?.event.sport} ${price?.type} ${price?.line ?? ''} ${price?.outcome}`, expected, key)
    source.end()
  }
})

test('a submarket that settles in another way is no part of the market', () => {
  const cases: readonly (readonly [key: string, sel: Sel, good: readonly string[], bad: readonly string[]])[] = [
    [
      'soccer.match_odds',
      ['home', 2],
      ['period=ft'],
      ['period=1h', 'period=ot&period=ft', 'period=ft&period=1h', 'period=default', 'period=ft&period=ft', 'x', ''],
    ],
    [
      'soccer.match_odds',
      ['home', 2],
      [],
      ['period=ft&team=home', 'period=%E0', 'period=ft&period', 'period=FT', 'ft'],
    ],
    ['soccer.total_goals_period_first_half', ['over', 2, 'total=1'], ['period=1h'], ['period=ft', 'period=2h']],
    [
      'soccer.total_goals_period_second_half',
      ['over', 2, 'total=1'],
      ['period=2h', 'period=2h&period=ft&period=1h'],
      ['period=ft', 'period=1h', 'period=ft&period=1h'],
    ],
    [
      'soccer.halftime_fulltime_result',
      ['home_home', 2],
      ['period=1h&period=ft'],
      ['period=1h', 'period=2h&period=1h'],
    ],
    ['soccer.total_corners', ['over', 2, 'total=9.5'], ['period=ft_corners'], ['period=ft', 'period=1h_corners']],
    [
      'soccer.team_clean_sheet',
      ['yes', 2, 'team=home'],
      ['period=ft&team=home', 'team=home&period=ft'],
      ['period=ft&team=away', 'period=1h&team=home', 'period=ft&team=home&team=home'],
    ],
    [
      'soccer.goalnr_goalscorer',
      ['no_goal', 9, 'goal=1'],
      ['goal=1', 'period=ft&goal=1'],
      ['goal=2', 'period=1h&goal=1'],
    ],
    ['basketball.totals', ['over', 2, 'total=200'], ['period=ot&period=ft', 'period=ot'], ['period=ft', 'period=q1']],
    ['basketball.1x2', ['draw', 9], ['period=ft'], ['period=ot&period=ft']],
    ['tennis.winner', ['home', 2], ['period=default', 'period=default&period=wo&period=set1'], ['period=set1']],
    ['tennis.total_games', ['over', 2, 'total=22'], ['period=default&period=set1&period=set2'], ['period=default']],
    [
      'counter_strike.map_winner',
      ['home', 2, 'map=2'],
      ['period=map2', 'period=default&period=map2', 'period=map2&map=2'],
      ['period=map1', 'period=default', 'period=map2&map=1'],
    ],
  ]
  for (const [key, sel, good, bad] of cases) {
    for (const submarket of [...good, ...bad]) {
      const source = poll(cloudbetNormaliser)
      const answer = competition([event({ [key]: submarkets({ [submarket]: [sel] }) })], SPORT_KEYS[key.split('.')[0]!])
      const { length } = linesOf(source.read(answer, { at: AT }))
      assert.equal(length, good.includes(submarket) ? 1 : 0, `${key} ${submarket}`)
      if (length === 0) assert.deepEqual(fatesOf(source.account), { [key]: { market: 1 } })
      source.end()
    }
  }
})

test('half time beside full time changes nothing, in its place suspends', () => {
  const full: readonly Sel[] = [
    ['home', 1.5],
    ['draw', 4],
    ['away', 7],
  ]
  const half: readonly Sel[] = [
    ['home', 2],
    ['draw', 2.2],
    ['away', 8],
  ]
  const read = (byKey: Readonly<Record<string, readonly Sel[]>>): object =>
    competition([event({ 'soccer.match_odds': submarkets(byKey) })])
  const source = poll(cloudbetNormaliser)
  const first = linesOf(source.read(read({ 'period=ft': full }), { at: AT }))
  assert.equal(first.length, 3)
  for (const both of [
    { 'period=ft': full, 'period=1h': half },
    { 'period=1h': half, 'period=ft': full },
  ]) {
    assert.deepEqual(linesOf(source.read(read(both), { at: LATER })), first)
  }
  const lines = linesOf(source.read(read({ 'period=1h': half }), { at: LATER }))
  assert.ok(lines.length === 3 && lines.every((line) => line.endsWith('suspended')), lines.join(', '))
  assert.deepEqual(fatesOf(source.account), { 'soccer.match_odds': { match_result_1x2: 9, market: 9 } })
  source.end()
  // Of two submarkets that settle alike, the same one counts in any order.
  for (const keys of [
    ['period=ot&period=ft', 'period=ft&period=ot'],
    ['period=ft&period=ot', 'period=ot&period=ft'],
  ]) {
    const other = poll(cloudbetNormaliser)
    const odds = keys.map((key): [string, readonly Sel[]] => [key, [['home', key.startsWith('period=ft') ? 1.5 : 3]]])
    const answer = competition([event({ 'basketball.moneyline': submarkets(Object.fromEntries(odds)) })], 'basketball')
    assert.deepEqual(linesOf(other.read(answer, { at: AT })), ['1 match_winner  home 1.5 open'])
    assert.deepEqual(fatesOf(other.account), { 'basketball.moneyline': { match_winner: 1, twin: 1 } })
    other.end()
  }
})

test('what is not mapped has a reason', () => {
  const reasonOf = (
    sport: string,
    key: string,
    sel: Sel,
    over: object = {},
    submarket = 'period=ft',
  ): string | undefined => {
    const source = poll(cloudbetNormaliser)
    const markets = { [key]: submarkets({ [submarket]: [sel] }) }
    assert.deepEqual(linesOf(source.read(competition([event(markets, over)], sport), { at: AT })), [])
    source.end()
    return Object.keys(fatesOf(source.account)[key] ?? {})[0]
  }
  assert.equal(reasonOf('soccer', 'soccer.match_odds', ['home', 2], { home: null, away: null }), 'event')
  assert.equal(reasonOf('soccer', 'soccer.match_odds', ['home', 2], { cutoffTime: '' }), 'event')
  assert.equal(reasonOf('soccer', 'soccer.match_odds', ['home', 2], { type: 'EVENT_TYPE_VIRTUAL' }), 'sport')
  assert.equal(reasonOf('kabaddi', 'kabaddi.winner', ['home', 2]), 'sport')
  assert.equal(reasonOf('soccer', 'soccer.match_odds', ['home', 2, '', { side: 'LAY' }]), 'lay')
  assert.equal(reasonOf('soccer', 'soccer.draw_no_bet', ['home', 2]), 'market')
  assert.equal(reasonOf('tennis', 'soccer.match_odds', ['home', 2]), 'market')
  assert.equal(reasonOf('ice-hockey', 'ice_hockey.total', ['over', 2, 'total=5.5']), 'market')
  assert.equal(reasonOf('baseball', 'baseball.moneyline', ['home', 2, 'home_pitcher=x&away_pitcher=y']), 'market')
  assert.equal(reasonOf('soccer', 'soccer.total_goals', ['over', 2]), 'market')
  assert.equal(reasonOf('soccer', 'soccer.total_goals', ['over', 2, 'total=%E0']), 'market')
  assert.equal(reasonOf('soccer', 'soccer.total_goals', ['over', 2, 'total=1&total=2']), 'market')
  assert.equal(reasonOf('soccer', 'soccer.last_goalscorer', ['no_goal', 12]), 'twin')
  assert.equal(reasonOf('soccer', 'soccer.total_goals', ['over', 2, 'total=x']), 'outcome')
  assert.equal(reasonOf('soccer', 'soccer.match_odds', ['constructor', 2]), 'outcome')
  assert.equal(reasonOf('soccer', 'soccer.anytime_goalscorer', ['player=__proto__', 2]), 'outcome')
  assert.equal(reasonOf('dota-2', 'dota_2.map_winner_v2', ['home', 2, 'map=0'], {}, 'period=map0'), 'outcome')
  assert.equal(reasonOf('soccer', 'soccer.match_odds', ['home', 0]), 'no_price')
  assert.equal(reasonOf('soccer', 'soccer.match_odds', ['home', 1]), 'bad_price')
})

test('what cannot be read has a place, and what it may have spoken of does not stay open', () => {
  const broken: readonly (readonly [value: object, place: string])[] = [
    [event({ 'soccer.match_odds': market(['home', '2']) }), 'events[0].markets.soccer.match_odds.selections[0].price'],
    [
      event({ 'soccer.match_odds': market(['home', 2, '', { status: 1 }]) }),
      'events[0].markets.soccer.match_odds.selections[0].status',
    ],
    [event({ 'soccer.match_odds': { submarkets: { x: {} } } }), 'events[0].markets.soccer.match_odds.selections'],
    [event({ 'soccer.match_odds': {} }), 'events[0].markets.soccer.match_odds.submarkets'],
    [event({ 'soccer\nx': RESULT }), 'events[0].markets.?'],
    [event('none'), 'events[0].markets'],
    [event({}, { cutoffTime: 'soon' }), 'events[0].cutoffTime'],
    [event({ 'soccer.match_odds': RESULT }, { home: { name: 'a\u0000b' } }), 'events[0].home.name'],
    [event({ 'soccer.match_odds': RESULT }, { id: 'x' }), 'events[0].id'],
    [[], 'events[0]'],
  ]
  for (const [value, place] of broken) {
    const source = poll(cloudbetNormaliser)
    source.read(competition([event({ 'soccer.match_odds': RESULT })]), { at: AT })
    const lines = linesOf(source.read(competition([value]), { at: LATER }))
    assert.ok(lines.length === 3 && lines.every((line) => line.endsWith('suspended')), `${place}: ${lines.join(', ')}`)
    assert.equal(source.malformed.length, 1, place)
    assert.ok(source.malformed[0]!.startsWith(`${place} must `), source.malformed[0])
    source.end()
  }
  const source = poll(cloudbetNormaliser)
  source.read(competition([event({ 'soccer.match_odds': RESULT })]), { at: AT })
  const lines = linesOf(source.read({ competitions: [competition([]), { events: 1 }] }, { at: LATER }))
  assert.ok(lines.length === 3 && lines.every((line) => line.endsWith('suspended')))
  assert.deepEqual(source.malformed, ['competitions[1].events must be an array'])
})

test('each mapped key is in the form of a market key', () => {
  for (const key of CLOUDBET_MARKETS.keys()) assert.match(key, /^[a-z0-9_]+\.[a-z0-9_]+$/)
  assert.equal(CLOUDBET_MARKETS.size, new Set(CLOUDBET_MARKETS.keys()).size)
})
