// The markets of the Unified Odds Feed by sport (docs/feeds.md 9), after the feed's own descriptions. A market settles
// like its type only with exactly the specifiers of its row: with one more it may be about a part of the match.

import type { MarketType } from '../../domain/market.ts'
import type { Sport } from '../../domain/sport.ts'
import { handicapTypeOf, moneylineTypeOf, totalTypeOf } from '../kit/market-words.ts'

type Labels = ReadonlyMap<string, string>

interface Row {
  /** The words are types that differ by sport. */
  readonly type: MarketType | 'three_way' | 'handicap' | 'total'
  /** Labels by outcome id. */
  readonly labels: Labels
  /** The one specifier, whose value is the line; omitted: the key of the row holds all specifiers. */
  readonly line?: string
}

/** Key of a row: the market's id where it has a line, else id and specifiers. */
type Entry = readonly [key: string, row: Row]

/** A market that has a type. */
export interface UofMapping {
  readonly type: MarketType
  readonly line: number | null
  readonly labels: Labels
}

/**
 * Why a market has no mapping: no type of ours settles like it, a type has it from another market already, or its
 * outcomes are players, whom messages name by id only.
 */
export type UofUnmapped = 'market' | 'twin' | 'outcome'

const labels = (pairs: Readonly<Record<string, string>>): Labels => new Map(Object.entries(pairs))

const THREE_WAY = labels({ '1': 'home', '2': 'draw', '3': 'away' })
const TWO_WAY = labels({ '4': 'home', '5': 'away' })
const OVER_UNDER = labels({ '12': 'over', '13': 'under' })
const HANDICAP = labels({ '1714': 'home', '1715': 'away' })
const YES_NO = labels({ '74': 'yes', '76': 'no' })
const ODD_EVEN = labels({ '70': 'odd', '72': 'even' })

const GOALS = [0, 1, 2, 3, 4]
const FIRST_SCORE = 274

// Ids rise by two, from 0-0 over 1-0 to 4-0, then from 0-1 on.
const SCORES: Labels = new Map([
  ...GOALS.flatMap((away) =>
    GOALS.map((home): [string, string] => [String(FIRST_SCORE + 2 * (5 * away + home)), `${home}-${away}`]),
  ),
  ['324', 'other'],
])

const HALFTIME_FULLTIME = labels({
  '418': 'home/home',
  '420': 'home/draw',
  '422': 'home/away',
  '424': 'draw/home',
  '426': 'draw/draw',
  '428': 'draw/away',
  '430': 'away/home',
  '432': 'away/draw',
  '434': 'away/away',
})

const WINNING_MARGIN = labels({
  'sr:winning_margin:3+:113': 'home:1',
  'sr:winning_margin:3+:114': 'home:2',
  'sr:winning_margin:3+:115': 'home:3+',
  'sr:winning_margin:3+:116': 'away:1',
  'sr:winning_margin:3+:117': 'away:2',
  'sr:winning_margin:3+:118': 'away:3+',
  'sr:winning_margin:3+:119': 'draw',
})

/** Most sets of a match; number of its first outcome, and of the second one, from which on they are consecutive. */
const SET_SCORES = [
  [3, 4, 5],
  [5, 8, 9],
  [7, 14, 15],
  [9, 22, 23],
  [11, 179, 181],
  [13, 206, 220],
] as const

/** From 2-0 over 2-1 and 1-2 to 0-2. */
const setScores = (setsMax: number): string[] => {
  const toWin = (setsMax + 1) / 2
  const lost = Array.from({ length: toWin }, (_, sets) => sets)
  return [...lost.map((sets) => `${toWin}-${sets}`), ...lost.toReversed().map((sets) => `${sets}-${toWin}`)]
}

const setBetting = (id: string): Entry[] =>
  SET_SCORES.map(([setsMax, first, second]) => {
    const variant = `sr:correct_score:bestof:${setsMax}`
    const rows = setScores(setsMax).map((score, place): [string, string] => [
      `${variant}:${place === 0 ? first : second + place - 1}`,
      score,
    ])
    return [`${id} variant=${variant}`, { type: 'set_betting', labels: new Map(rows) }]
  })

// --- rows that several sports have ---

const winner = (id: string): Entry => [`${id} `, { type: 'match_winner', labels: TWO_WAY }]
const handicap = (id: string): Entry => [id, { type: 'handicap', line: 'hcp', labels: HANDICAP }]
const total = (id: string, type: Row['type'] = 'total'): Entry => [id, { type, line: 'total', labels: OVER_UNDER }]
/** Of the total: with overtime where that includes it. */
const oddEven = (id: string): Entry => [`${id} `, { type: 'odd_even', labels: ODD_EVEN }]
const mapWinner = (id: string): Entry => [id, { type: 'map_winner', line: 'mapnr', labels: TWO_WAY }]

/** With a draw, also where a message lists none. */
const RESULT: Entry = ['1 ', { type: 'three_way', labels: THREE_WAY }]
const DOUBLE_CHANCE: Entry = [
  '10 ',
  { type: 'double_chance', labels: labels({ '9': 'home_or_draw', '10': 'home_or_away', '11': 'draw_or_away' }) },
]
const HALVES: Entry = ['47 ', { type: 'halftime_fulltime', labels: HALFTIME_FULLTIME }]
const QUARTER: Entry = ['235', { type: 'quarter_betting', line: 'quarternr', labels: THREE_WAY }]

/** Sports whose handicap and total are those of the regular time. */
const REGULAR_TIME = [RESULT, DOUBLE_CHANCE, handicap('16'), total('18'), oddEven('26')]

/** Sports whose handicap and total count points, in sets. */
const POINTS = [winner('186'), handicap('237'), total('238'), ...setBetting('199')]

/** Where overtime may follow, the market that includes it is mapped: it is what the other sources call by the type. */
const ENTRIES: Partial<Record<Sport, readonly Entry[]>> = {
  football: [
    ...REGULAR_TIME,
    HALVES,
    total('68', 'first_half_total_goals'),
    total('90', 'second_half_total_goals'),
    total('166', 'corners_total'),
    total('139', 'cards_total'),
    ['29 ', { type: 'btts', labels: YES_NO }],
    ['31 ', { type: 'clean_sheet', labels: labels({ '74': 'home:yes', '76': 'home:no' }) }],
    ['32 ', { type: 'clean_sheet', labels: labels({ '74': 'away:yes', '76': 'away:no' }) }],
    ['45 ', { type: 'correct_score', labels: SCORES }],
    ['8 goalnr=1', { type: 'first_to_score', labels: labels({ '6': 'home', '7': 'none', '8': 'away' }) }],
    ['15 variant=sr:winning_margin:3+', { type: 'winning_margin', labels: WINNING_MARGIN }],
  ],
  handball: [...REGULAR_TIME, HALVES, winner('406')],
  rugby: [...REGULAR_TIME, HALVES],
  australian_rules: [...REGULAR_TIME, winner('186'), QUARTER],
  waterpolo: REGULAR_TIME,
  basketball: [RESULT, winner('219'), handicap('223'), total('225'), oddEven('229'), QUARTER],
  american_football: [RESULT, DOUBLE_CHANCE, winner('219'), handicap('223'), total('225'), oddEven('229'), QUARTER],
  ice_hockey: [RESULT, DOUBLE_CHANCE, winner('406'), handicap('410'), total('412'), oddEven('419')],
  baseball: [RESULT, winner('251'), handicap('256'), total('258'), oddEven('264')],
  cricket: [RESULT, DOUBLE_CHANCE, winner('340')],
  combat_sport: [RESULT, winner('186'), total('18')],
  // A match has more games, points or legs than sets, so a total of sets has lines of its own; a handicap has not.
  tennis: [winner('186'), handicap('187'), total('189'), total('314'), ...setBetting('199')],
  volleyball: [...POINTS, total('314')],
  table_tennis: POINTS,
  badminton: POINTS,
  darts: [RESULT, winner('186'), handicap('188'), total('314'), total('367'), ...setBetting('532')],
  snooker: [RESULT, winner('186'), handicap('493'), total('494')],
  esports: [RESULT, winner('186'), handicap('327'), total('328'), mapWinner('330'), mapWinner('395')],
}

const typeOf = (sport: Sport, type: Row['type']): MarketType => {
  if (type === 'three_way') return moneylineTypeOf(sport, true)
  if (type === 'handicap') return handicapTypeOf(sport)
  return type === 'total' ? totalTypeOf(sport) : type
}

const ROWS: ReadonlyMap<string, ReadonlyMap<string, Row>> = new Map(
  Object.entries(ENTRIES).map(([sport, entries]) => [sport, new Map(entries)]),
)

/** Further lists of what has a type: the correct score of football, and handicaps and totals in the US form. */
const TWINS: ReadonlySet<string> = new Set(['224', '226', '257', '259', '411', '413'])
const FOOTBALL_TWINS: ReadonlySet<string> = new Set(['41', '199'])

const range = (first: number, last: number): string[] =>
  Array.from({ length: last - first + 1 }, (_, place) => String(first + place))

/** Goalscorers, and what players reach: `goalscorer` and `player_prop`, if the players had names. */
const OF_PLAYERS: ReadonlySet<string> = new Set([
  ...['38', '39', '40', '892', '893', '898', '899', '968', '1152', '1183', '1185', '1187', '1189'],
  ...range(759, 796),
  ...range(914, 928),
])

const NUMBER = /^[+-]?\d+(\.\d+)?$/

/** The value of the specifier `name`, if it is the only one and a number. Never -0. */
const lineOf = (specifiers: string, name: string): number | undefined => {
  if (!specifiers.startsWith(`${name}=`)) return undefined
  const text = specifiers.slice(name.length + 1)
  return NUMBER.test(text) ? Number(text) + 0 : undefined
}

/** Type, line and labels of a market, or why it has none. */
export const mapUofMarket = (sport: Sport, id: string, specifiers: string): UofMapping | UofUnmapped => {
  const rows = ROWS.get(sport)
  const plain = rows?.get(`${id} ${specifiers}`)
  if (plain !== undefined) return { type: typeOf(sport, plain.type), line: null, labels: plain.labels }
  const row = rows?.get(id)
  if (row?.line !== undefined) {
    const line = lineOf(specifiers, row.line)
    return line === undefined ? 'market' : { type: typeOf(sport, row.type), line, labels: row.labels }
  }
  if (TWINS.has(id) || (sport === 'football' && FOOTBALL_TWINS.has(id))) return 'twin'
  return OF_PLAYERS.has(id) ? 'outcome' : 'market'
}
