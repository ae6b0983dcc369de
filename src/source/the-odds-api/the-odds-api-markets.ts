// The market keys of The Odds API and the market types that they settle like (docs/feeds.md 5).

import type { MarketType } from '../../domain/market.ts'
import { playerSlugOf, slugOf } from '../../domain/slug.ts'
import type { Sport } from '../../domain/sport.ts'
import { handicapTypeOf, homeLine, moneylineTypeOf, totalTypeOf } from '../kit/market-words.ts'

/** The sides of an event in the source's words; two empty ones: an outright. */
export interface SourceSides {
  readonly home: string
  readonly away: string
}

/** What a label and a line are made of. */
export interface LabelledOutcome {
  readonly name: string
  /** The player of a prop; empty: none. */
  readonly description: string
  readonly point: number | null
}

export interface Mapped {
  readonly type: MarketType
  readonly line: number | null
  readonly outcome: string
}

/** Which sides a book of the market has, as far as it can be judged whether its odds are American. */
type Book = 'moneyline' | 'handicap' | 'total' | 'yes_no' | 'unknown'

export interface TheOddsApiMarket {
  readonly book: Book
  /** Undefined: the outcome has no label. Twin: another market of the event lists it, too. */
  readonly map: (
    outcome: LabelledOutcome,
    sides: SourceSides,
    sport: Sport,
    hasDraw: boolean,
  ) => Mapped | 'twin' | undefined
}

type MapOutcome = TheOddsApiMarket['map']

export const DRAW = 'Draw'
export const TOTAL_LABELS: ReadonlyMap<string, string> = new Map([
  ['Over', 'over'],
  ['Under', 'under'],
])
export const YES_NO_LABELS: ReadonlyMap<string, string> = new Map([
  ['Yes', 'yes'],
  ['No', 'no'],
])

const sideOf = ({ home, away }: SourceSides, name: string): 'home' | 'away' | undefined => {
  if (name === '') return undefined // an outright event has two empty sides
  return name === home ? 'home' : name === away ? 'away' : undefined
}

const sideOrDraw = (sides: SourceSides, name: string): string | undefined =>
  name === DRAW ? 'draw' : sideOf(sides, name)

const without = (type: MarketType, label: string | undefined): Mapped | undefined =>
  label === undefined || label === '' ? undefined : { type, line: null, outcome: label }

const moneyline: MapOutcome = ({ name }, sides, sport, hasDraw) =>
  without(moneylineTypeOf(sport, hasDraw), sideOrDraw(sides, name))

const handicap: MapOutcome = ({ name, point }, sides, sport) => {
  const side = sideOf(sides, name)
  if (side === undefined || point === null) return undefined
  return { type: handicapTypeOf(sport), line: homeLine(side, point), outcome: side }
}

const totalOf =
  (typeOf: (sport: Sport) => MarketType): MapOutcome =>
  ({ name, point }, _sides, sport) => {
    const label = TOTAL_LABELS.get(name)
    return label === undefined || point === null ? undefined : { type: typeOf(sport), line: point + 0, outcome: label }
  }

const byName =
  (type: MarketType, labels: ReadonlyMap<string, string>): MapOutcome =>
  ({ name }) =>
    without(type, labels.get(name))

const outright: MapOutcome = ({ name }) => without('outright', slugOf(name))

// Compared as whole texts, not split: a team's name may contain the separator.
const pairOf = ({ home, away }: SourceSides, name: string, separator: string): readonly string[] | undefined => {
  const names = new Map([
    ['home', home],
    ['draw', DRAW],
    ['away', away],
  ])
  for (const [first, one] of names) {
    for (const [second, other] of names) if (name === `${one}${separator}${other}`) return [first, second]
  }
  return undefined
}

const DOUBLE_CHANCES: ReadonlySet<string> = new Set(['home_or_draw', 'home_or_away', 'draw_or_away'])

const doubleChance: MapOutcome = ({ name }, sides) => {
  const pair = pairOf(sides, name, ' or ') ?? pairOf(sides, name, '/') ?? []
  const label = [pair.join('_or_'), pair.toReversed().join('_or_')].find((either) => DOUBLE_CHANCES.has(either))
  return without('double_chance', label)
}

const halfAndFull: MapOutcome = ({ name }, sides) =>
  without('halftime_fulltime', (pairOf(sides, name, '/') ?? pairOf(sides, name, ' / '))?.join('/'))

const SCORE = /^(.+):(\d{1,2})\|(.+):(\d{1,2})$/

const score: MapOutcome = ({ name }, sides) => {
  const [, one = '', goals, other = '', otherGoals] = SCORE.exec(name) ?? []
  const isOf = `${sideOf(sides, one)} ${sideOf(sides, other)}`
  if (isOf === 'home away') return without('correct_score', `${Number(goals)}-${Number(otherGoals)}`)
  return isOf === 'away home' ? without('correct_score', `${Number(otherGoals)}-${Number(goals)}`) : undefined
}

const NOBODY: ReadonlySet<string> = new Set(['No Goal', 'No Goals', 'No Scorer', 'No Goalscorer', 'No Goal Scorer'])

const firstToScore: MapOutcome = ({ name }, sides) =>
  without('first_to_score', NOBODY.has(name) ? 'none' : sideOf(sides, name))

const quarter =
  (number: number): MapOutcome =>
  ({ name }, sides) => {
    const label = sideOrDraw(sides, name)
    return label === undefined ? undefined : { type: 'quarter_betting', line: number, outcome: label }
  }

// A label has the player, the statistic and a word.
const PLAYER_LENGTH_MAX = 100

const playerOf = (description: string): string | undefined => {
  const slug = playerSlugOf(description)
  return slug === '' || slug.length > PLAYER_LENGTH_MAX ? undefined : slug
}

// "No" is no label of a goalscorer: the market lists who scores.
const scorer =
  (which: 'first' | 'anytime' | 'last'): MapOutcome =>
  ({ name, description }) => {
    if (name !== 'Yes') return undefined
    if (NOBODY.has(description)) return which === 'first' ? without('goalscorer', 'no_goal') : 'twin'
    const player = playerOf(description)
    return player === undefined ? undefined : without('goalscorer', `${which}:${player}`)
  }

const PROP = /^(?:player_|(?=(?:batter|pitcher)_))([a-z0-9_]{1,60}?)(?:_alternate)?$/
const ONCE = 0.5

/** Statistics that have another name, too. */
const STATISTICS: ReadonlyMap<string, string> = new Map([
  ['to_receive_card', 'cards'],
  ['to_receive_red_card', 'red_cards'],
  ['to_score_or_assist', 'goals_and_assists'],
  ['anytime_td', 'tds'],
  ['tds_over', 'tds'],
  ['try_scorer_anytime', 'tries'],
  ['try_scorer_over', 'tries'],
])

/** "Yes" and "no" are above and below 0.5 of what is counted. */
const prop =
  (statistic: string): MapOutcome =>
  ({ name, description, point }) => {
    const player = playerOf(description)
    const isCount = TOTAL_LABELS.has(name)
    const label = isCount ? name.toLowerCase() : name === 'Yes' ? 'over' : name === 'No' ? 'under' : undefined
    const line = isCount ? point : point === null || point === 0 ? ONCE : null
    if (player === undefined || label === undefined || line === null) return undefined
    return { type: 'player_prop', line: line + 0, outcome: `${player}:${statistic}:${label}` }
  }

const market = (book: Book, map: MapOutcome): TheOddsApiMarket => ({ book, map })

const MONEYLINE = market('moneyline', moneyline)
const HANDICAP = market('handicap', handicap)
const TOTAL = market('total', totalOf(totalTypeOf))
const total = (type: MarketType): TheOddsApiMarket =>
  market(
    'total',
    totalOf(() => type),
  )

const MARKETS: ReadonlyMap<string, TheOddsApiMarket> = new Map([
  ['h2h', MONEYLINE],
  ['h2h_3_way', MONEYLINE],
  ['spreads', HANDICAP],
  ['alternate_spreads', HANDICAP],
  ['totals', TOTAL],
  ['alternate_totals', TOTAL],
  ['outrights', market('unknown', outright)],
  ['btts', market('yes_no', byName('btts', YES_NO_LABELS))],
  [
    'odd_even',
    market(
      'unknown',
      byName(
        'odd_even',
        new Map([
          ['Odd', 'odd'],
          ['Even', 'even'],
        ]),
      ),
    ),
  ],
  ['first_team_to_score', market('unknown', firstToScore)],
  ...[1, 2, 3, 4].map((number): [string, TheOddsApiMarket] => [
    `h2h_3_way_q${number}`,
    market('unknown', quarter(number)),
  ]),
])

const ANYTIME = market('unknown', scorer('anytime'))
const FIRST = market('unknown', scorer('first'))
const LAST = market('unknown', scorer('last'))

/** Where a team or a player scores goals. */
const GOAL_MARKETS: ReadonlyMap<string, TheOddsApiMarket> = new Map([
  ['player_goal_scorer_anytime', ANYTIME],
  ['player_goal_scorer_first', FIRST],
  ['player_first_goal_scorer', FIRST],
  ['player_goal_scorer_last', LAST],
  ['player_last_goal_scorer', LAST],
])

const FOOTBALL_MARKETS: ReadonlyMap<string, TheOddsApiMarket> = new Map([
  ['alternate_asian_handicap', HANDICAP],
  ['double_chance', market('unknown', doubleChance)],
  ['halftime_fulltime', market('unknown', halfAndFull)],
  ['correct_score', market('unknown', score)],
  ['totals_h1', total('first_half_total_goals')],
  ['alternate_totals_h1', total('first_half_total_goals')],
  ['totals_h2', total('second_half_total_goals')],
  ['alternate_totals_h2', total('second_half_total_goals')],
  ['alternate_totals_corners', total('corners_total')],
  ['alternate_totals_cards', total('cards_total')],
])

// Keys come from the payload, and players' props have no end of them.
const PROPS_MAX = 1_000
const props = new Map<string, TheOddsApiMarket>()

const propOf = (key: string): TheOddsApiMarket | undefined => {
  const known = props.get(key)
  if (known !== undefined) return known
  const [, statistic] = PROP.exec(key) ?? []
  if (statistic === undefined) return undefined
  const made = market('unknown', prop(STATISTICS.get(statistic) ?? statistic))
  if (props.size < PROPS_MAX) props.set(key, made)
  return made
}

/** Whether a market lists what can be laid at an exchange. */
export const isLay = (key: string): boolean => key.endsWith('_lay')

/** The market of a key; undefined: it settles like none of our types, or it is a lay list. */
export const marketOf = (key: string, sport: Sport | undefined): TheOddsApiMarket | undefined => {
  if (isLay(key)) return undefined
  const everywhere = MARKETS.get(key)
  if (everywhere !== undefined) return everywhere
  const ofGoals = GOAL_MARKETS.get(key)
  if (ofGoals !== undefined) return ofGoals
  return (sport === 'football' ? FOOTBALL_MARKETS.get(key) : undefined) ?? propOf(key)
}
