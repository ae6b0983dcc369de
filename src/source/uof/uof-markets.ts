// The markets of the Unified Odds Feed (docs/feeds.md 9). A market settles like its type only with exactly the
// specifiers of its row: with one more it may be about a part of the match.

import type { MarketType } from '../../domain/market.ts'
import type { Sport } from '../../domain/sport.ts'
import { handicapTypeOf, totalTypeOf } from '../kit/market-words.ts'

type Labels = ReadonlyMap<string, string>

interface Row {
  readonly type: MarketType | 'moneyline' | 'handicap' | 'total'
  /** Labels by outcome id. */
  readonly labels: Labels
  /** The one specifier, whose value is the line. */
  readonly line?: string
  /** All specifiers, as they are written; omitted where there is no `line` either. */
  readonly specifiers?: string
}

/** A market that has a type. */
export interface UofMapping {
  /** `moneyline`: depends on whether the list has a draw (docs/feeds.md 2.3). */
  readonly type: MarketType | 'moneyline'
  readonly line: number | null
  readonly labels: Labels
}

const labels = (pairs: Readonly<Record<string, string>>): Labels => new Map(Object.entries(pairs))

/** Outcome of the draw in a moneyline. */
export const DRAW = '2'

const THREE_WAY = labels({ '1': 'home', [DRAW]: 'draw', '3': 'away' })
const TWO_WAY = labels({ '4': 'home', '5': 'away' })
const OVER_UNDER = labels({ '12': 'over', '13': 'under' })
const HANDICAP = labels({ '1714': 'home', '1715': 'away' })
const YES_NO = labels({ '74': 'yes', '76': 'no' })

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

const FOOTBALL: ReadonlyMap<string, Row> = new Map<string, Row>([
  ['1', { type: 'match_result_1x2', labels: THREE_WAY }],
  [
    '10',
    { type: 'double_chance', labels: labels({ '9': 'home_or_draw', '10': 'home_or_away', '11': 'draw_or_away' }) },
  ],
  ['18', { type: 'total_goals', line: 'total', labels: OVER_UNDER }],
  ['68', { type: 'first_half_total_goals', line: 'total', labels: OVER_UNDER }],
  ['90', { type: 'second_half_total_goals', line: 'total', labels: OVER_UNDER }],
  ['166', { type: 'corners_total', line: 'total', labels: OVER_UNDER }],
  ['139', { type: 'cards_total', line: 'total', labels: OVER_UNDER }],
  ['16', { type: 'spread', line: 'hcp', labels: HANDICAP }],
  ['26', { type: 'odd_even', labels: labels({ '70': 'odd', '72': 'even' }) }],
  ['29', { type: 'btts', labels: YES_NO }],
  ['31', { type: 'clean_sheet', labels: labels({ '74': 'home:yes', '76': 'home:no' }) }],
  ['32', { type: 'clean_sheet', labels: labels({ '74': 'away:yes', '76': 'away:no' }) }],
  ['45', { type: 'correct_score', labels: SCORES }],
  ['47', { type: 'halftime_fulltime', labels: HALFTIME_FULLTIME }],
  ['8', { type: 'first_to_score', specifiers: 'goalnr=1', labels: labels({ '6': 'home', '7': 'none', '8': 'away' }) }],
  ['15', { type: 'winning_margin', specifiers: 'variant=sr:winning_margin:3+', labels: WINNING_MARGIN }],
])

/** Further lists of the correct score. */
const FOOTBALL_TWINS: ReadonlySet<string> = new Set(['41', '199'])

const rows = (ids: readonly string[], row: Row): [string, Row][] => ids.map((id) => [id, row])

const OTHER_SPORTS: ReadonlyMap<string, Row> = new Map([
  ['1', { type: 'moneyline', labels: THREE_WAY }],
  ...rows(['186', '219', '251', '406'], { type: 'match_winner', labels: TWO_WAY }),
  ...rows(['187', '223', '237', '256', '410'], { type: 'handicap', line: 'hcp', labels: HANDICAP }),
  ...rows(['189', '225', '238', '258', '412'], { type: 'total', line: 'total', labels: OVER_UNDER }),
  ['330', { type: 'map_winner', line: 'mapnr', labels: TWO_WAY }],
])

const NUMBER = /^[+-]?\d+(\.\d+)?$/

/** The value of the specifier `name`, if it is the only one and a number. Never -0. */
const lineOf = (specifiers: string, name: string): number | undefined => {
  if (!specifiers.startsWith(`${name}=`)) return undefined
  const text = specifiers.slice(name.length + 1)
  return NUMBER.test(text) ? Number(text) + 0 : undefined
}

/** Type, line and labels of a market, or why it has none. */
export const mapUofMarket = (sport: Sport, id: string, specifiers: string): UofMapping | 'market' | 'twin' => {
  const isFootball = sport === 'football'
  if (isFootball && FOOTBALL_TWINS.has(id)) return 'twin'
  const row = (isFootball ? FOOTBALL : OTHER_SPORTS).get(id)
  if (row === undefined) return 'market'
  let line: number | null = null
  if (row.line === undefined) {
    if (specifiers !== (row.specifiers ?? '')) return 'market'
  } else {
    const value = lineOf(specifiers, row.line)
    if (value === undefined) return 'market'
    line = value
  }
  const { type } = row
  return {
    type: type === 'handicap' ? handicapTypeOf(sport) : type === 'total' ? totalTypeOf(sport) : type,
    line,
    labels: row.labels,
  }
}
