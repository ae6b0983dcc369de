// Market types (spec §2.11) and the natural order of their outcomes.

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

// One order serves every type, because no two types give the same words another order.
const PART_ORDER: ReadonlyMap<string, number> = new Map(
  [
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
  ].map((part, place) => [part, place]),
)

const LAST_LABELS = new Set(['other', 'no_goal'])

const compareParts = (a: string, b: string): number => {
  const placeA = PART_ORDER.get(a)
  const placeB = PART_ORDER.get(b)
  if (placeA !== undefined && placeB !== undefined) return placeA - placeB
  if (placeA !== undefined) return -1
  if (placeB !== undefined) return 1
  const numberA = Number.parseInt(a, 10)
  const numberB = Number.parseInt(b, 10)
  if (!Number.isNaN(numberA) && !Number.isNaN(numberB) && numberA !== numberB) return numberA - numberB
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * Natural order of two outcome labels of one market: home, draw, away; over, under; yes, no; scores by goals;
 * names by letter; catch-all labels last. A total order: 0 only for equal labels.
 */
export const compareOutcomes = (a: string, b: string): number => {
  if (a === b) return 0
  const lastA = LAST_LABELS.has(a)
  if (lastA !== LAST_LABELS.has(b)) return lastA ? 1 : -1
  const partsA = a.split(/[:/-]/)
  const partsB = b.split(/[:/-]/)
  const shared = Math.min(partsA.length, partsB.length)
  for (let place = 0; place < shared; place++) {
    const order = compareParts(partsA[place]!, partsB[place]!)
    if (order !== 0) return order
  }
  return partsA.length - partsB.length || (a < b ? -1 : 1)
}
