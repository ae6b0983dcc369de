import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pinnacleNormaliser } from '../../../src/source/pinnacle/pinnacle-normaliser.ts'
import { fatesOf, linesOf, poll } from '../kit/polled.ts'

const START = '2026-03-08T15:00:00Z'
const AT = '2026-03-07T12:00:00Z'

const PARENT = {
  id: 1,
  startTime: START,
  participants: [
    { alignment: 'home', name: 'Alder' },
    { alignment: 'away', name: 'Birch' },
  ],
}

interface Shape {
  readonly sport: number
  readonly category?: string
  readonly units?: string
  readonly names?: readonly string[]
  /** Of a competition: it has no parent. */
  readonly isFuture?: boolean
  readonly league?: string
  /** Its straight market. */
  readonly type?: string
  readonly period?: number
  readonly points?: number
}

/** The lines and the places of a special whose participants all have a price. */
const read = (description: string, shape: Shape): { lines: string[]; fates: unknown; home: string | undefined } => {
  const { sport, category = 'Player Props', units = null, names = ['Over', 'Under'], isFuture = false } = shape
  const { league = 'Elm League', type = 'total', period = 0, points } = shape
  const polled = poll(pinnacleNormaliser)
  const special = {
    id: 10,
    type: 'special',
    ...(isFuture ? { parentId: null, parent: null } : { parentId: 1, parent: PARENT }),
    units,
    startTime: START,
    league: { name: league, sport: { id: sport, name: 'x' } },
    special: { category, description },
    participants: names.map((name, at) => ({ id: 100 + at, alignment: 'neutral', name })),
  }
  polled.read([special], { at: AT })
  const prices = names.map((_, at) => ({
    participantId: 100 + at,
    price: 100,
    ...(points === undefined ? {} : { points }),
  }))
  const observations = polled.read([{ matchupId: 10, type, period, cutoffAt: START, prices }], { at: AT })
  polled.end()
  return { lines: linesOf(observations), fates: fatesOf(polled.account), home: observations[0]?.event.home }
}

const BASEBALL = 3
const BASKETBALL = 4
const AMERICAN_FOOTBALL = 15
const GOLF = 17
const ICE_HOCKEY = 19
const FOOTBALL = 29

test('a special of a player and a statistic is a player_prop, however its description is written', () => {
  const cases: readonly (readonly [string, Partial<Shape>, string])[] = [
    ['José Núñez Jr. (Home Runs)(must start)', { units: 'HomeRuns' }, 'jose_nunez_jr:batter_home_runs'],
    ['Ana Ruiz (Total Strikeouts)(must start)', { units: 'Strikeouts' }, 'ana_ruiz:pitcher_strikeouts'],
    ['Ana Ruiz (Total Bases)', {}, 'ana_ruiz:batter_total_bases'],
    ['Ana Ruiz Total Bases', { units: 'Bases' }, 'ana_ruiz:batter_total_bases'],
    ['Ana Ruiz (Pitching Outs)(must start)', {}, 'ana_ruiz:pitcher_outs'],
    ['Ana Ruiz (PRA)', { sport: BASKETBALL }, 'ana_ruiz:points_rebounds_assists'],
    ['Ana Ruiz Total Rebounds', { sport: BASKETBALL, units: 'Rebounds' }, 'ana_ruiz:rebounds'],
    ['Ana Ruiz (Shots On Goal)', { sport: ICE_HOCKEY, units: 'ShotsOnGoal' }, 'ana_ruiz:shots_on_goal'],
    ['Ana Ruiz Total Receiving Yards', { sport: AMERICAN_FOOTBALL }, 'ana_ruiz:reception_yds'],
    ['Ana Ruiz Total Shots (must start)', { sport: FOOTBALL, units: 'Shots' }, 'ana_ruiz:shots'],
  ]
  for (const [description, more, label] of cases) {
    const { lines, fates } = read(description, { sport: BASEBALL, points: 2.5, ...more })
    assert.deepEqual(
      lines,
      ['over', 'under'].map((side) => `1 player_prop 2.5 ${label}:${side} 2 open`),
      description,
    )
    assert.deepEqual(fates, { [`special: Player Props: ${label.split(':')[1]}`]: { player_prop: 2 } })
  }
})

test('a special that may be of nobody, or of no statistic, is unmapped', () => {
  const cases: readonly (readonly [string, Partial<Shape>])[] = [
    ['Ana Ruiz (Extra Time Excluded)', { units: 'Shots' }],
    ['Distance of First Touchdown Pass', { units: 'Yards' }],
    ['Total Touchdown Passes by Ana Ruiz', {}],
    ['Ana Ruiz (Home Runs)(must start)(listed)', {}],
    ['Ana Ruiz (Home Runs)', { category: 'Team Props' }],
    ['Ana Ruiz (Home Runs)', { names: ['Yes', 'No'] }],
    ['Ana Ruiz (Home Runs)', { names: ['Over', 'Under', 'Exactly'] }],
    ['Ana Ruiz (Home Runs)', { type: 'moneyline' }],
    ['Ana Ruiz (Home Runs)', { period: 1 }],
  ]
  for (const [description, more] of cases) {
    const { lines, fates } = read(description, { sport: BASEBALL, points: 2.5, ...more })
    assert.deepEqual(lines, [], description)
    const [places] = Object.values(fates as Record<string, Record<string, number>>)
    assert.deepEqual(Object.keys(places!), ['market'], description)
  }
  const { fates } = read('Ana Ruiz (Home Runs)', { sport: BASEBALL })
  assert.deepEqual(fates, { 'special: Player Props: batter_home_runs': { outcome: 2 } }, 'no line')
})

test('scorers of football are goalscorers', () => {
  const names = ['Ana Ruiz', 'No Goalscorer']
  const of = (description: string): readonly [string[], unknown] => {
    const { lines, fates } = read(description, { sport: FOOTBALL, type: 'moneyline', names })
    return [lines, Object.values(fates as object)[0]]
  }
  assert.deepEqual(of('First Goalscorer'), [
    ['1 goalscorer  first:ana_ruiz 2 open', '1 goalscorer  no_goal 2 open'],
    { goalscorer: 2 },
  ])
  assert.deepEqual(of('Anytime Goalscorer'), [['1 goalscorer  anytime:ana_ruiz 2 open'], { outcome: 1, goalscorer: 1 }])
})

test('the winner of a competition is an outright; its other specials are no prices without an event', () => {
  const names = ['Ana Ruiz', 'Bo Lee', 'Óscar Søby']
  const future: Shape = {
    sport: GOLF,
    type: 'moneyline',
    isFuture: true,
    names,
    category: 'Futures',
    league: 'PGA - Elm Open',
  }
  const winner = read('PGA - Elm Open Winner', future)
  assert.deepEqual(winner.lines, [
    '10 outright  ana_ruiz 2 open',
    '10 outright  bo_lee 2 open',
    '10 outright  oscar_soby 2 open',
  ])
  assert.deepEqual([winner.home, winner.fates], ['PGA - Elm Open Winner', { 'special: Winner': { outright: 3 } }])
  assert.equal(read('Winner', future).home, 'PGA - Elm Open - Winner')
  for (const [description, category] of [
    ['Winning Margin', 'Futures'],
    ['European Winner', 'General Props'],
    ['Bo Lee Top 20 Finish (including ties)', 'Top 20 Finish'],
  ] as const) {
    assert.deepEqual(read(description, { ...future, category }).fates, { [`special: ${description}`]: { market: 3 } })
  }
  // Of a match, it is no competition.
  assert.deepEqual(read('Elm Winner', { ...future, isFuture: false }).fates, { 'special: Elm Winner': { market: 3 } })
})

test('period 6 of ice hockey is regulation time: its moneyline with a draw is the three-way result', () => {
  const read6 = (sport: number, type: string, designations: readonly string[]): readonly [string[], unknown] => {
    const polled = poll(pinnacleNormaliser)
    const league = { name: 'Elm League', sport: { id: sport, name: 'x' } }
    polled.read([{ ...PARENT, type: 'matchup', units: 'Regular', league }], { at: AT })
    const prices = designations.map((designation) => ({ designation, price: 100, points: 5.5 }))
    const lines = linesOf(polled.read([{ matchupId: 1, type, period: 6, cutoffAt: START, prices }], { at: AT }))
    return [lines, Object.values(fatesOf(polled.account))[0]]
  }
  assert.deepEqual(read6(ICE_HOCKEY, 'moneyline', ['home', 'away', 'draw']), [
    ['home', 'away', 'draw'].map((side) => `1 match_result_1x2  ${side} 2 open`),
    { match_result_1x2: 3 },
  ])
  // Without a draw nobody knows what a tie does; totals and handicaps of the whole match have overtime.
  for (const [sport, type, designations] of [
    [ICE_HOCKEY, 'moneyline', ['home', 'away']],
    [ICE_HOCKEY, 'total', ['over', 'under']],
    [ICE_HOCKEY, 'spread', ['home', 'away']],
    [BASKETBALL, 'moneyline', ['home', 'away', 'draw']],
  ] as const) {
    assert.deepEqual(read6(sport, type, designations), [[], { market: designations.length }])
  }
})
