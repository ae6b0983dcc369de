// Markets of Cloudbet that settle like one of our market types, by their keys (docs/feeds.md 16). What a key settles by,
// with or without overtime, is in the operator's public list of markets, with the periods of its submarkets; every key
// that is not here, and every submarket of other periods, is unmapped.

import type { MarketType } from '../../domain/market.ts'
import { playerSlugOf } from '../../domain/slug.ts'
import { decimalOf } from '../kit/text.ts'

/** The params of a selection (`handicap=-0.5`), or the parts of its outcome (`score=2:1`), by name. */
export type Params = ReadonlyMap<string, string>

/** Name of a player by the source's key of it; undefined: the event does not name it. */
export type NameOfPlayer = (key: string) => string | undefined

/**
 * Scores that a submarket settles by (`period=ot&period=ft`): regular time `ft`, with overtime `ot`, all of a match that has
 * no such parts `default`, or parts of it.
 */
interface Periods {
  /** `{map}` is that of the selection. */
  readonly all: readonly string[]
  /** What may be named besides: it does not change how the market settles. */
  readonly more: readonly string[]
}

/** What the key of a submarket says. */
export interface Submarket {
  readonly periods: ReadonlySet<string>
  /** All others (`team=home`): a selection has the same in its params. */
  readonly params: Params
}

export interface CloudbetMarket {
  readonly type: MarketType
  readonly periods: Periods
  /** Names of the params that its selections have: with others it is another market. */
  readonly params: readonly string[]
  /** Params that must have one value: the first goal, not the second. */
  readonly only?: { readonly name: string; readonly value: string }
  /** Label of an outcome; undefined: it has none. */
  readonly labelOf: (outcome: string, params: Params, nameOf: NameOfPlayer) => string | undefined
  /** Line of an outcome that has a label; undefined: it is missing. */
  readonly lineOf: (params: Params) => number | null | undefined
  /** Whether the outcome is in another list of the same market. */
  readonly isTwin?: (outcome: string) => boolean
  /** In play it may count from the score at that moment. */
  readonly isPrematchOnly?: true
}

/** A market whose periods are those of its sport unless it has its own. */
type Row = Omit<CloudbetMarket, 'periods'> & { readonly periods?: Periods }

type LabelOf = CloudbetMarket['labelOf']

const NONE: Params = new Map()

/** Names and values of parts joined by `&`; undefined where one cannot be read. */
const partsOf = (text: string): [string, string][] | undefined => {
  try {
    return text.split('&').map((part) => {
      const at = part.indexOf('=')
      return at === -1 ? [part, ''] : [part.slice(0, at), decodeURIComponent(part.slice(at + 1))]
    })
  } catch {
    return undefined
  }
}

/** Undefined where a part is named twice or cannot be read. */
export const paramsOf = (text: string): Params | undefined => {
  if (text === '') return NONE
  const parts = partsOf(text)
  const params = new Map(parts)
  return params.size === parts?.length ? params : undefined
}

/** Undefined where a part is given twice or cannot be read. */
export const submarketOf = (key: string): Submarket | undefined => {
  const parts = partsOf(key)
  if (parts === undefined) return undefined
  const periods = new Set(parts.filter(([name]) => name === 'period').map(([, period]) => period))
  const params = new Map(parts.filter(([name]) => name !== 'period'))
  return periods.size + params.size === parts.length ? { periods, params } : undefined
}

/** Whether what a selection with these params decides is settled in a submarket as the market is. */
export const settlesIn = (market: CloudbetMarket, { periods, params: parts }: Submarket, params: Params): boolean => {
  const { all, more } = market.periods
  const wanted = all.map((period) => period.replace('{map}', params.get('map') ?? ''))
  return (
    wanted.every((period) => periods.has(period)) &&
    [...periods].every((period) => wanted.includes(period) || more.includes(period)) &&
    [...parts].every(([name, value]) => params.get(name) === value)
  )
}

/** Whether a selection with these params is of a market. */
export const hasParamsOf = ({ params: names, only }: CloudbetMarket, params: Params): boolean =>
  params.size === names.length &&
  names.every((name) => params.has(name)) &&
  (only === undefined || params.get(only.name) === only.value)

const byOutcome = (labels: Readonly<Record<string, string>>): LabelOf => {
  const table = new Map(Object.entries(labels))
  return (outcome) => table.get(outcome)
}

const SIDES = ['home', 'draw', 'away']

const sides = byOutcome({ home: 'home', away: 'away' })
const threeWay = byOutcome({ home: 'home', draw: 'draw', away: 'away' })
const overUnder = byOutcome({ over: 'over', under: 'under' })
const doubleChance = byOutcome({
  home_draw: 'home_or_draw',
  home_away: 'home_or_away',
  draw_away: 'draw_or_away',
  home_or_draw: 'home_or_draw',
  home_or_away: 'home_or_away',
  draw_or_away: 'draw_or_away',
})
const halfAndFull = byOutcome(
  Object.fromEntries(SIDES.flatMap((half) => SIDES.map((full) => [`${half}_${full}`, `${half}/${full}`]))),
)

const SCORE = /^score=(\d{1,2}):(\d{1,2})$/

const score: LabelOf = (outcome) => {
  const [, home, away] = SCORE.exec(outcome) ?? []
  return home === undefined ? undefined : `${Number(home)}-${Number(away)}`
}

const scoreOrOther: LabelOf = (outcome, ...rest) => (outcome === 'other' ? 'other' : score(outcome, ...rest))

const cleanSheet: LabelOf = (outcome, params) => {
  const team = params.get('team')
  return (team === 'home' || team === 'away') && (outcome === 'yes' || outcome === 'no')
    ? `${team}:${outcome}`
    : undefined
}

const NO_GOAL = 'no_goal'

const scorer =
  (which: 'first' | 'anytime' | 'last'): LabelOf =>
  (outcome, _params, nameOf) => {
    if (outcome === NO_GOAL) return NO_GOAL
    const name = nameOf(paramsOf(outcome)?.get('player') ?? '')
    const slug = name === undefined ? '' : playerSlugOf(name)
    return slug === '' ? undefined : `${which}:${slug}`
  }

/** "No goal" counts in the list of first scorers. */
const isNoGoal = (outcome: string): boolean => outcome === NO_GOAL

const lineBy =
  (name: string): CloudbetMarket['lineOf'] =>
  (params) => {
    const value = decimalOf(params.get(name) ?? '')
    return value === null || value === undefined ? undefined : value + 0 // never -0
  }

const MAP_NUMBER = /^[1-9]\d?$/

const mapNumber: CloudbetMarket['lineOf'] = (params) => {
  const map = params.get('map') ?? ''
  return MAP_NUMBER.test(map) ? Number(map) : undefined
}

/** Names joined by blanks. */
const namesIn = (text: string): string[] => text.split(' ').filter((name) => name !== '')

const periods = (all: string, more = ''): Periods => ({ all: namesIn(all), more: namesIn(more) })

const REGULAR = periods('ft')
const OVERTIME = periods('ot', 'ft')
const MATCH = periods('default', 'wo')
/** The winner of sets; `wo` is a match that is not played to its end. */
const SETS = periods('default', 'wo set1 set2 set3 set4 set5')
/** Games or points in the sets: without them, a total is one of sets. */
const IN_SETS = periods('default set1', 'wo set2 set3 set4 set5')
const HALVES = periods('ft', '1h')

const by = (settled: Periods, row: Row): Row => ({ ...row, periods: settled })

const plain = (type: MarketType, labelOf: LabelOf): Row => ({
  type,
  params: [],
  labelOf,
  lineOf: () => null,
})

const winner = plain('match_winner', sides)
const result = plain('match_result_1x2', threeWay)
const oddEven = plain('odd_even', byOutcome({ odd: 'odd', even: 'even' }))
const bothScore = plain('btts', byOutcome({ yes: 'yes', no: 'no' }))
const sets = plain('set_betting', score)
const total = (type: MarketType): Row => ({
  type,
  params: ['total'],
  labelOf: overUnder,
  lineOf: lineBy('total'),
})
/** The param is the handicap of the home side, for both sides. */
const handicap = (type: MarketType): Row => ({
  type,
  params: ['handicap'],
  labelOf: sides,
  lineOf: lineBy('handicap'),
})
const asianHandicap: Row = { ...handicap('spread'), isPrematchOnly: true }
const spread = handicap('spread')
const points = total('total')
const firstToScore: Row = {
  type: 'first_to_score',
  params: ['goal'],
  only: { name: 'goal', value: '1' },
  labelOf: byOutcome({ home: 'home', away: 'away', none: 'none' }),
  lineOf: () => null,
}
const cleanSheets: Row = { ...plain('clean_sheet', cleanSheet), params: ['team'] }
const mapWinner: Row = {
  type: 'map_winner',
  periods: periods('map{map}', 'default'),
  params: ['map'],
  labelOf: sides,
  lineOf: mapNumber,
}

/** A row for each key below a sport. @param settled of the markets that have no periods of their own */
const of = (prefix: string, settled: Periods, rows: Readonly<Record<string, Row>>): [string, CloudbetMarket][] =>
  Object.entries(rows).map(([key, row]) => [`${prefix}.${key}`, { ...row, periods: row.periods ?? settled }])

const RUGBY = {
  moneyline: result, // its name is that of a two-way market; its outcomes and rules are three-way
  handicap: spread,
  totals: points,
  odd_even: oddEven,
  halftime_fulltime_result: by(HALVES, plain('halftime_fulltime', halfAndFull)),
}
const FIGHT = { winner, '1x2': plain('fight_betting', threeWay), totals: points }
const GAMES_OF_POINTS = { winner: by(SETS, winner), handicap: spread, totals: points }
const MAPS = { winner, match_odds: result, map_handicap: spread, total_maps: points }

/** By market key. */
export const CLOUDBET_MARKETS: ReadonlyMap<string, CloudbetMarket> = new Map([
  ...of('soccer', REGULAR, {
    match_odds: result,
    double_chance: plain('double_chance', doubleChance),
    total_goals: total('total_goals'),
    total_goals_period_first_half: by(periods('1h'), total('first_half_total_goals')),
    total_goals_period_second_half: by(periods('2h', 'ft 1h'), total('second_half_total_goals')),
    asian_handicap: asianHandicap,
    both_teams_to_score: bothScore,
    correct_score: plain('correct_score', scoreOrOther),
    halftime_fulltime_result: by(HALVES, plain('halftime_fulltime', halfAndFull)),
    team_clean_sheet: cleanSheets,
    goal_nr: firstToScore,
    total_corners: by(periods('ft_corners'), total('corners_total')),
    goalnr_goalscorer: {
      ...plain('goalscorer', scorer('first')),
      periods: periods('', 'ft'),
      params: ['goal'],
      only: { name: 'goal', value: '1' },
    },
    anytime_goalscorer: { ...plain('goalscorer', scorer('anytime')), isTwin: isNoGoal },
    last_goalscorer: { ...plain('goalscorer', scorer('last')), isTwin: isNoGoal },
  }),
  ...of('tennis', IN_SETS, {
    winner: by(SETS, winner),
    game_handicap: spread,
    total_games: points,
    correct_score: by(SETS, sets),
  }),
  ...of('basketball', OVERTIME, {
    moneyline: winner,
    '1x2': by(REGULAR, result),
    handicap: spread,
    totals: points,
    odd_even: oddEven,
  }),
  ...of('ice_hockey', REGULAR, {
    winner: by(OVERTIME, winner),
    '1x2': result,
    handicap: by(OVERTIME, handicap('puck_line')),
    totals: by(OVERTIME, points),
    double_chance: plain('double_chance', doubleChance),
    both_teams_to_score: bothScore,
    goal_nr: firstToScore,
    team_clean_sheet: cleanSheets,
    correct_score: by(periods('ft', 'p1 p2 p3'), plain('correct_score', score)),
  }),
  ...of('handball', REGULAR, {
    match_odds: result,
    handicap: spread,
    totals: points,
    double_chance: plain('double_chance', doubleChance),
    odd_even: oddEven,
    halftime_fulltime_result: by(HALVES, plain('halftime_fulltime', halfAndFull)),
  }),
  ...of('baseball', OVERTIME, { moneyline: winner, run_line: handicap('run_line'), totals: points, odd_even: oddEven }),
  ...of('darts', MATCH, { winner }),
  ...of('aussie_rules', REGULAR, {
    match_odds: result,
    handicap: spread,
    totals: points,
    double_chance: plain('double_chance', doubleChance),
    odd_even: oddEven,
  }),
  ...of('rugby_league', REGULAR, RUGBY),
  ...of('rugby_union', REGULAR, RUGBY),
  ...of('cricket', REGULAR, { winner: by(OVERTIME, winner), test_1x2: result }),
  ...of('boxing', MATCH, FIGHT),
  ...of('mma', MATCH, FIGHT),
  ...of('volleyball', IN_SETS, { ...GAMES_OF_POINTS, correct_score: by(SETS, sets) }),
  ...of('american_football', OVERTIME, { moneyline: winner, handicap: spread, totals: points, odd_even: oddEven }),
  ...of('golf', MATCH, { winner }),
  ...of('motorsport', MATCH, { head2head: winner }),
  ...of('cycling', MATCH, { head2head: winner }),
  ...of('table_tennis', IN_SETS, GAMES_OF_POINTS),
  ...of('badminton', IN_SETS, GAMES_OF_POINTS),
  ...of('snooker', MATCH, { winner, handicap: spread, totals: points }),
  ...of('waterpolo', REGULAR, { match_odds: result, handicap: spread, totals: points }),
  ...of('counter_strike', MATCH, { ...MAPS, map_winner: mapWinner }),
  ...of('dota_2', MATCH, { ...MAPS, map_winner_v2: mapWinner }),
  ...of('league_of_legends', MATCH, { ...MAPS, map_winner_v2: mapWinner }),
  ...of('starcraft', MATCH, { winner, map_handicap: spread, total_maps: points, map_winner_v2: mapWinner }),
  ...of('overwatch', MATCH, { winner, map_handicap: spread, total_maps: points, map_winner: mapWinner }),
  ...of('esport_king_of_glory', MATCH, { winner, map_handicap: spread, total_maps: points, map_winner: mapWinner }),
  ...of('rocket_league', MATCH, { winner, handicap: spread, total_maps: points, map_winner: mapWinner }),
  ...of('esport_valorant', MATCH, { winner, handicap: spread, totals: points, map_winner: mapWinner }),
  ...of('call_of_duty', MATCH, { winner, handicap: spread, totals: points, map_winner_v2: mapWinner }),
  ...of('rainbow_six', MATCH, { winner, map_winner: mapWinner }),
  ...of('esport_fifa', REGULAR, { match_odds: result, asian_handicap: asianHandicap, total_goals: points }),
])

/** Market keys: they come from the payload, and go into the account. */
export const MARKET_KEY = /^[a-z0-9_]{1,40}\.[a-z0-9_.]{1,80}$/
