// Kambi's criteria of football that settle like one of our market types (docs/feeds.md 6), and the labels and lines that
// all sports share. Every other criterion is unmapped.

import type { MarketType } from '../../domain/market.ts'
import { homeLine } from '../kit/market-words.ts'
import { playerSlugOf } from '../../domain/slug.ts'

/** The members of an outcome that labels and lines need. */
export interface KambiOutcome {
  /** `OT_ONE`, `OT_OVER`, … */
  readonly type: string
  /** Times 1000; null: none. */
  readonly line: number | null
  /** Team or player. */
  readonly participant: string | undefined
  /** Name of the participant, or a word, in English whatever the answer's language. */
  readonly englishLabel: string | undefined
  readonly participantId: number | undefined
  /** Goals, in digits. */
  readonly homeScore: string | undefined
  readonly awayScore: string | undefined
  readonly lowerLimit: number | undefined
}

/** The sides of an event, as outcomes name them. */
export interface KambiSides {
  readonly home: string
  readonly away: string
  readonly homeId: number | undefined
  readonly awayId: number | undefined
}

export interface KambiMarket {
  /** Kambi's English name for it. */
  readonly name: string
  readonly type: MarketType
  /** Ids of the bet offer types that it comes with: another shape settles in another way. */
  readonly offerTypes: readonly number[]
  /** Label of an outcome; undefined: it has none. `player`: the participant that one of the offer's outcomes names. */
  readonly labelOf: (outcome: KambiOutcome, sides: KambiSides, player: string | undefined) => string | undefined
  /** Line of an outcome that has a label; undefined: the line is missing. */
  readonly lineOf: (outcome: KambiOutcome, label: string) => number | null | undefined
  /** Whether the outcome is in another list of the same market. */
  readonly isTwin?: (outcome: KambiOutcome) => boolean
}

export type LabelOf = KambiMarket['labelOf']
export type LineOf = KambiMarket['lineOf']

/** Ids of Kambi's bet offer types. */
export const OFFER_TYPES = {
  handicap: 1,
  match: 2,
  correctScore: 3,
  overUnder: 6,
  asianHandicap: 7,
  halfAndFull: 8,
  oddEven: 10,
  doubleChance: 12,
  headToHead: 13,
  yesNo: 18,
  asianTotal: 21,
  position: 117,
  winningMargin: 124,
  nthScorer: 125,
  lastScorer: 126,
  player: 127,
} as const

export const byType = (labels: Readonly<Record<string, string>>): LabelOf => {
  const table = new Map(Object.entries(labels))
  return ({ type }) => table.get(type)
}

const SIDES = { ONE: 'home', CROSS: 'draw', TWO: 'away' }

export const threeWay = byType({ OT_ONE: 'home', OT_CROSS: 'draw', OT_TWO: 'away' })
export const doubleChance = byType({
  OT_ONE_OR_CROSS: 'home_or_draw',
  OT_ONE_OR_TWO: 'home_or_away',
  OT_CROSS_OR_TWO: 'draw_or_away',
})
export const overUnder = byType({ OT_OVER: 'over', OT_UNDER: 'under' })
const yesNo = byType({ OT_YES: 'yes', OT_NO: 'no' })
export const oddEven = byType({ OT_ODD: 'odd', OT_EVEN: 'even' })
const halfAndFull = byType(
  Object.fromEntries(
    Object.entries(SIDES).flatMap(([half, halfLabel]) =>
      Object.entries(SIDES).map(([full, fullLabel]) => [`OT_${half}_${full}`, `${halfLabel}/${fullLabel}`]),
    ),
  ),
)

const side = ({ participant, participantId }: KambiOutcome, sides: KambiSides): 'home' | 'away' | undefined => {
  if (participant === sides.home) return 'home'
  if (participant === sides.away) return 'away'
  if (participantId === undefined) return undefined
  return participantId === sides.homeId ? 'home' : participantId === sides.awayId ? 'away' : undefined
}

const GOALS = /^\d{1,2}$/

export const score: LabelOf = ({ homeScore = '', awayScore = '' }) =>
  GOALS.test(homeScore) && GOALS.test(awayScore) ? `${Number(homeScore)}-${Number(awayScore)}` : undefined

const MARGIN = /^OT_WM_(?:MARGIN_)?(HOME|AWAY)_WIN_(EXACT|SAME_OR_ABOVE)$/

const margin: LabelOf = ({ type, lowerLimit }) => {
  if (type === 'OT_WM_SCORE_DRAW') return 'draw:goals'
  if (type === 'OT_WM_SCORELESS_DRAW') return 'draw:no_goals'
  const [, winner, limit] = MARGIN.exec(type) ?? []
  if (winner === undefined || lowerLimit === undefined || !Number.isInteger(lowerLimit)) return undefined
  return `${winner.toLowerCase()}:${lowerLimit}${limit === 'EXACT' ? '' : '+'}`
}

// The same players occur in many offers, and in each answer.
const PLAYER_SLUGS_MAX = 10_000
const playerSlugs = new Map<string, string>()

const slugOfPlayer = (player: string): string => {
  let slug = playerSlugs.get(player)
  if (slug === undefined) {
    slug = playerSlugOf(player)
    if (playerSlugs.size >= PLAYER_SLUGS_MAX) playerSlugs.clear()
    playerSlugs.set(player, slug)
  }
  return slug
}

/** A label about a player: `before`, the player, `after`. */
const aboutPlayer = (player: string | undefined, before: string, after: string): string | undefined => {
  const slug = player === undefined ? '' : slugOfPlayer(player)
  return slug === '' ? undefined : `${before}${slug}${after}`
}

const NO_GOAL = 'OT_NO_GOAL'

const scorer =
  (which: 'first' | 'last'): LabelOf =>
  ({ type, participant }) => {
    if (type === NO_GOAL) return 'no_goal'
    return type === 'OT_PLAYER_PARTICIPANT' ? aboutPlayer(participant, `${which}:`, '') : undefined
  }

// "No" is no label of a goalscorer: the market lists who scores.
const anytimeScorer: LabelOf = ({ type, participant }) =>
  type === 'OT_YES' ? aboutPlayer(participant, 'anytime:', '') : undefined

const overUnderOfYesNo = byType({ OT_YES: 'over', OT_NO: 'under' })

const playerProp =
  (what: string): LabelOf =>
  (outcome, sides, player) => {
    const label = overUnderOfYesNo(outcome, sides, player)
    return label === undefined ? undefined : aboutPlayer(outcome.participant ?? player, '', `:${what}:${label}`)
  }

const THOUSANDTHS = 1000
const HALF = 500

export const none: LineOf = () => null
export const own: LineOf = ({ line }) => (line === null ? undefined : line / THOUSANDTHS + 0)
export const ofHome: LineOf = ({ line }, label) =>
  line === null ? undefined : homeLine(label === 'home' ? 'home' : 'away', line / THOUSANDTHS)
/** "At least N" is above N-0.5. */
const atLeast: LineOf = ({ line }) => (line === null ? undefined : (line - HALF) / THOUSANDTHS)
const once: LineOf = () => 0.5

// The plain list of totals has these lines as well, at slightly other prices.
const endsInHalf = ({ line }: KambiOutcome): boolean => line !== null && Math.abs(line) % THOUSANDTHS === HALF

const total = (name: string, type: MarketType): KambiMarket => ({
  name,
  type,
  offerTypes: [OFFER_TYPES.overUnder],
  labelOf: overUnder,
  lineOf: own,
})
const asianTotal = (name: string, type: MarketType): KambiMarket => ({
  ...total(name, type),
  offerTypes: [OFFER_TYPES.asianTotal],
  isTwin: endsInHalf,
})
const plain = (name: string, type: MarketType, offerType: number, labelOf: LabelOf): KambiMarket => ({
  name,
  type,
  offerTypes: [offerType],
  labelOf,
  lineOf: none,
})
const prop = (name: string, offerTypes: readonly number[], what: string, lineOf: LineOf): KambiMarket => ({
  name,
  type: 'player_prop',
  offerTypes,
  labelOf: playerProp(what),
  lineOf,
})

const { match, player, headToHead } = OFFER_TYPES

/** By `criterion.id`; of football alone. */
export const KAMBI_MARKETS: ReadonlyMap<number, KambiMarket> = new Map([
  [1001159858, plain('Full Time', 'match_result_1x2', match, threeWay)],
  [1001159922, plain('Double Chance', 'double_chance', OFFER_TYPES.doubleChance, doubleChance)],
  [1001159926, total('Total Goals', 'total_goals')],
  [1002244276, asianTotal('Asian Total', 'total_goals')],
  [1001159532, total('Total Goals - 1st Half', 'first_half_total_goals')],
  [1002558602, asianTotal('Asian Total - 1st Half', 'first_half_total_goals')],
  [1001243173, total('Total Goals - 2nd Half', 'second_half_total_goals')],
  [1001159897, total('Total Corners', 'corners_total')],
  [1001159529, total('Total Cards', 'cards_total')],
  [
    1002275572,
    {
      name: 'Asian Handicap',
      type: 'spread',
      offerTypes: [OFFER_TYPES.asianHandicap],
      labelOf: side,
      lineOf: ofHome,
    },
  ],
  [1001642858, plain('Both Teams To Score', 'btts', OFFER_TYPES.yesNo, yesNo)],
  [1001160038, plain('Total Goals Odd/Even', 'odd_even', OFFER_TYPES.oddEven, oddEven)],
  [1001159830, plain('Half Time/Full Time', 'halftime_fulltime', OFFER_TYPES.halfAndFull, halfAndFull)],
  [1001159780, plain('Correct Score', 'correct_score', OFFER_TYPES.correctScore, score)],
  [1001475014, plain('Exact Winning Margin', 'winning_margin', OFFER_TYPES.winningMargin, margin)],
  [1005153918, plain('First Goal Scorer', 'goalscorer', OFFER_TYPES.nthScorer, scorer('first'))],
  [
    1005153919,
    {
      ...plain('Last Goal Scorer', 'goalscorer', OFFER_TYPES.lastScorer, scorer('last')),
      isTwin: ({ type }: KambiOutcome) => type === NO_GOAL,
    },
  ],
  [1001159886, plain('To score', 'goalscorer', player, anytimeScorer)],
  [1005153925, prop('To score at least N goals', [player], 'goals', atLeast)],
  // Both types occur in recordings, the first in older ones.
  [1001159667, prop('To get a Card', [headToHead, player], 'cards', once)],
  [1001264082, prop('To give an assist', [headToHead, player], 'assists', once)],
])

/** The market of an offer of a football match; undefined: none, or the type of the offer does not agree. */
export const footballMarketOf = (id: number, offerTypeOf: () => number | undefined): KambiMarket | undefined => {
  const market = KAMBI_MARKETS.get(id)
  const offerType = market === undefined ? undefined : offerTypeOf()
  return offerType === undefined || market!.offerTypes.includes(offerType) ? market : undefined
}
