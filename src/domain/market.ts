// Market types (docs/feeds.md 2.4) and the natural order of their outcomes.

/** The market types in the order in which odds list them. */
export const MARKET_TYPES = [
  'match_result_1x2',
  'double_chance',
  'total_goals',
  'btts',
  'match_winner',
  'total',
  'spread',
  'first_half_total_goals',
  'second_half_total_goals',
  'correct_score',
  'halftime_fulltime',
  'odd_even',
  'corners_total',
  'cards_total',
  'goalscorer',
  'player_prop',
  'shots_total',
  'first_to_score',
  'winning_margin',
  'clean_sheet',
  'race_to',
  'outright',
  'map_winner',
  'set_betting',
  'fight_betting',
  'run_line',
  'puck_line',
  'quarter_betting',
] as const

export type MarketType = (typeof MARKET_TYPES)[number]

/** Place of a market type in {@link MARKET_TYPES}; also its number inside the stores. */
export const MARKET_TYPE_NUMBER: ReadonlyMap<string, number> = new Map(
  MARKET_TYPES.map((type, number) => [type, number]),
)

export const isMarketType = (value: string): value is MarketType => MARKET_TYPE_NUMBER.has(value)

// One order serves every type, because no two types order the same words differently.
const PARTS_IN_ORDER = [
  'home',
  'home_or_draw',
  'home_or_away',
  'draw',
  'draw_or_away',
  'away',
  'none',
  'over',
  'under',
  'yes',
  'no',
  'odd',
  'even',
  'first',
  'anytime',
  'last',
]

// Each part becomes a text that sorts in the right place: known words, then numbers, then names.
const KEY_OF_WORD: ReadonlyMap<string, string> = new Map(
  PARTS_IN_ORDER.map((part, place) => [part, `0${String(place).padStart(2, '0')}`]),
)
const NUMBER_DIGITS = 9

const keyOfPart = (part: string): string => {
  const word = KEY_OF_WORD.get(part)
  if (word !== undefined) return word
  const number = /^\d+/.exec(part)?.[0]
  if (number !== undefined && number.length <= NUMBER_DIGITS) {
    return `1${number.padStart(NUMBER_DIGITS, '0')}${part.slice(number.length)}`
  }
  return `2${part}`
}

const CATCH_ALL_LABELS = new Set(['other', 'no_goal'])

/**
 * A text by which outcome labels of one market sort in their natural order (compare with `<`): home, draw, away; over,
 * under; yes, no; scores by goals; names by letter; catch-all labels last. Different labels have different keys.
 */
export const outcomeSortKey = (label: string): string =>
  `${CATCH_ALL_LABELS.has(label) ? '1' : '0'}${label.split(/[:/-]/).map(keyOfPart).join('\u0001')}\u0000${label}`
