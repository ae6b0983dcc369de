// Kambi's criteria of the sports beyond football that settle like one of our market types (docs/feeds.md 6). A criterion
// is known by its id, or by its English name; the type of the offer and of its outcomes must agree with it either way,
// because ids are not the same for each operator, and names alone are shared by markets that settle differently.

import type { MarketType } from '../../domain/market.ts'
import { isRecord } from '../../domain/record.ts'
import { playerSlugOf } from '../../domain/slug.ts'
import type { Sport } from '../../domain/sport.ts'
import { handicapTypeOf, moneylineTypeOf, totalTypeOf } from '../kit/market-words.ts'
import { byType, doubleChance, none, oddEven, ofHome, OFFER_TYPES } from './kambi-markets.ts'
import { type KambiMarket, type LabelOf, overUnder, own, score, threeWay } from './kambi-markets.ts'

/**
 * - `winner`: who wins, overtime included; never with a draw.
 * - `result`: home, draw or away of the regular time. A list without a draw pays in another way if there is one.
 * - `moneyline`: as the list says, with a draw or without.
 * - `sets`: the final score in sets.
 */
type Kind = 'winner' | 'result' | 'moneyline' | 'handicap' | 'total' | 'odd_even' | 'double_chance' | 'sets'

interface Row {
  readonly kind: Kind
  /** Kambi's English names, older ones too. */
  readonly names: readonly string[]
  readonly ids?: readonly number[]
}

const row = (kind: Kind, names: readonly string[], ...ids: readonly number[]): Row => ({ kind, names, ids })

const WINNER = ['Moneyline - Including Overtime', 'Including Overtime']
const SPREAD = ['Point Spread - Including Overtime', 'Handicap - Including Overtime']
const POINTS = ['Total Points - Including Overtime']
const MATCH_ODDS = ['Match Odds']
const REGULAR_TIME = ['Regular Time', 'Match Odds - Regular Time', 'Full Time']

const SHOOTOUT = ' - Including Overtime and Penalty Shootout'

/** What sets, frames or maps decide: neither side can draw. */
const IN_SETS = [row('winner', MATCH_ODDS, 1001160042), row('sets', ['Set Betting'])]

const ROWS: Partial<Record<Sport, readonly Row[]>> = {
  american_football: [
    row('winner', WINNER, 1001159990),
    row('handicap', SPREAD, 1001159928),
    row('total', POINTS, 1001159490),
  ],
  basketball: [
    row('winner', WINNER, 1001159732),
    row('handicap', SPREAD, 1001159512),
    row('total', POINTS, 1001159509),
    row('odd_even', ['Total Points Odd/Even - Including Overtime'], 1001223479),
    row('result', ['Result at end of 2nd Half', 'Result at end of Quarter 4'], 1001503228),
  ],
  baseball: [
    row('winner', ['Moneyline', ...MATCH_ODDS], 1001159860),
    row('handicap', ['Run Line'], 1001159777),
    row('total', ['Total Runs'], 1001159850),
    row('odd_even', ['Total Runs Odd/Even'], 1001300440),
  ],
  ice_hockey: [
    row('winner', [...WINNER, `Moneyline${SHOOTOUT}`, 'Including Overtime and Penalty Shootout'], 1001105828),
    row(
      'handicap',
      ['Puck Line', 'Handicap'].flatMap((name) => [`${name}${SHOOTOUT}`, `${name} - Including Overtime`]),
      1005584672,
    ),
    row('total', [`Total Goals${SHOOTOUT}`, 'Total Goals - Including Overtime'], 1005584670),
    row('result', ['Match Odds - Regular Time'], 1001105802),
    row('double_chance', ['Double Chance - Regular Time']),
  ],
  handball: [
    row('result', REGULAR_TIME, 1001105805),
    row('handicap', ['Handicap'], 1001105726),
    row('total', ['Total Goals'], 1001105866),
    row('double_chance', ['Double Chance'], 1001105804),
  ],
  waterpolo: [row('result', REGULAR_TIME)],
  rugby: [
    row('winner', WINNER),
    row('handicap', ['Handicap']),
    row('total', ['Total Points']),
    row('result', REGULAR_TIME, 1001159767),
  ],
  australian_rules: [
    row('winner', WINNER),
    row('handicap', ['Handicap']),
    row('total', ['Total Points']),
    row('result', REGULAR_TIME),
  ],
  tennis: [
    row('winner', MATCH_ODDS, 1001159551),
    row('handicap', ['Game Handicap'], 1001427539),
    row('total', ['Total Games'], 1001159891),
    row('sets', ['Set Betting']),
  ],
  volleyball: [...IN_SETS, row('total', ['Total Points'], 1001159603)],
  table_tennis: [...IN_SETS, row('total', ['Total Points'])],
  badminton: [...IN_SETS, row('total', ['Total Points'])],
  snooker: [row('moneyline', MATCH_ODDS), row('handicap', ['Frame Handicap']), row('total', ['Total Frames'])],
  darts: [row('moneyline', MATCH_ODDS)],
  cricket: [row('moneyline', MATCH_ODDS)],
  combat_sport: [row('moneyline', ['Bout Odds'], 1001160027), row('total', ['Total Rounds'], 1001985368)],
  esports: [row('moneyline', MATCH_ODDS), row('handicap', ['Map Handicap']), row('total', ['Total Maps'])],
}

const twoWay: LabelOf = byType({ OT_ONE: 'home', OT_TWO: 'away' })

const KINDS: Readonly<
  Record<Kind, Pick<KambiMarket, 'labelOf' | 'lineOf'> & { offerType: number; type: (sport: Sport) => MarketType }>
> = {
  winner: { offerType: OFFER_TYPES.match, type: () => 'match_winner', labelOf: twoWay, lineOf: none },
  result: { offerType: OFFER_TYPES.match, type: () => 'match_result_1x2', labelOf: threeWay, lineOf: none },
  moneyline: {
    offerType: OFFER_TYPES.match,
    type: (sport) => moneylineTypeOf(sport, false),
    labelOf: twoWay,
    lineOf: none,
  },
  handicap: { offerType: OFFER_TYPES.handicap, type: handicapTypeOf, labelOf: twoWay, lineOf: ofHome },
  total: { offerType: OFFER_TYPES.overUnder, type: totalTypeOf, labelOf: overUnder, lineOf: own },
  odd_even: { offerType: OFFER_TYPES.oddEven, type: () => 'odd_even', labelOf: oddEven, lineOf: none },
  double_chance: {
    offerType: OFFER_TYPES.doubleChance,
    type: () => 'double_chance',
    labelOf: doubleChance,
    lineOf: none,
  },
  sets: { offerType: OFFER_TYPES.correctScore, type: () => 'set_betting', labelOf: score, lineOf: none },
}

interface Known {
  readonly kind: Kind
  readonly market: KambiMarket
  /** The same with a draw, where that changes its type. */
  readonly withDraw: KambiMarket
  readonly isWithOvertime: boolean
}

const OVERTIME = /overtime/i

const knownOf = (sport: Sport, { kind, names }: Row): Known => {
  const { offerType, type, labelOf, lineOf } = KINDS[kind]
  const market = { name: names[0]!, type: type(sport), offerTypes: [offerType], labelOf, lineOf }
  const withDraw = { ...market, type: moneylineTypeOf(sport, true), labelOf: threeWay }
  return {
    kind,
    market,
    withDraw,
    isWithOvertime: OVERTIME.test(names[0]!),
  }
}

interface SportMarkets {
  readonly byId: ReadonlyMap<number, Known>
  /** By lower case name. */
  readonly byName: ReadonlyMap<string, Known>
}

const marketsOf = (sport: Sport, rows: readonly Row[]): SportMarkets => {
  const known = rows.map((one) => [one, knownOf(sport, one)] as const)
  return {
    byId: new Map(known.flatMap(([{ ids = [] }, one]) => ids.map((id) => [id, one]))),
    byName: new Map(known.flatMap(([{ names }, one]) => names.map((name) => [name.toLowerCase(), one]))),
  }
}

const SPORTS: ReadonlyMap<Sport, SportMarkets> = new Map(
  (Object.entries(ROWS) as [Sport, readonly Row[]][]).map(([sport, rows]) => [sport, marketsOf(sport, rows)]),
)

// Names of a part of a match, of one side, or with a condition.
const NOT_THE_MATCH =
  /\b(?:half|quarter|period|by|must start|(?:inning|set|map|round|game|frame|leg) \d+|first \d+|1st|2nd|3rd|\dth)\b/i

/** The known criterion; undefined: none, or its id, its name and the offer's type contradict each other. */
const knownIn = ({ byId, byName }: SportMarkets, { id, name, offerType }: KambiOffer): Known | undefined => {
  const ofId = byId.get(id)
  const ofName = byName.get(name.toLowerCase())
  const known = ofId ?? ofName
  if (known === undefined || (ofName !== undefined && ofName !== known)) return undefined
  // Without a type, only an id says enough.
  if (offerType === undefined ? ofId === undefined : !known.market.offerTypes.includes(offerType)) return undefined
  if (ofName !== undefined || name === '') return known
  return NOT_THE_MATCH.test(name) || OVERTIME.test(name) !== known.isWithOvertime ? undefined : known
}

const MAP = /^map (\d{1,2})$/i
const mapWinners = new Map<number, KambiMarket>()

/** The winner of a map, which its name numbers. */
const mapWinnerOf = ({ name, offerType }: KambiOffer): KambiMarket | undefined => {
  const number = Number(MAP.exec(name)?.[1] ?? 0)
  if (number === 0 || offerType !== OFFER_TYPES.match) return undefined
  let market = mapWinners.get(number)
  if (market === undefined) {
    market = { name, type: 'map_winner', offerTypes: [offerType], labelOf: twoWay, lineOf: () => number }
    mapWinners.set(number, market)
  }
  return market
}

// "Any other" is not a participant.
const participant: LabelOf = ({ type, englishLabel = '' }) =>
  type === 'OT_UNTYPED' && !/^any other\b/i.test(englishLabel) ? playerSlugOf(englishLabel) || undefined : undefined

const OUTRIGHT: KambiMarket = {
  name: 'Finishing Position: Winner',
  type: 'outright',
  offerTypes: [OFFER_TYPES.position],
  labelOf: participant,
  lineOf: none,
}

const FINISHING_POSITION = /^(?:season |group )?finishing position$/i

/** What of a bet offer says which market it is. */
export interface KambiOffer {
  /** `criterion.id` and `criterion.englishLabel`; '' where there is no name. */
  readonly id: number
  readonly name: string
  /** `betOfferType.id`. */
  readonly offerType: number | undefined
  /** First and last position that win, where the offer is about positions. */
  readonly from: unknown
  readonly to: unknown
  readonly outcomes: readonly unknown[]
}

const isDraw = (outcome: unknown): boolean => isRecord(outcome) && outcome.type === 'OT_CROSS'

/** The market of an offer of a competition as a whole. */
export const competitionMarketOf = ({ name, offerType, from, to }: KambiOffer): KambiMarket | undefined =>
  offerType === OFFER_TYPES.position && from === 1 && to === 1 && FINISHING_POSITION.test(name) ? OUTRIGHT : undefined

/**
 * The market of an offer of a match, football aside; undefined: it settles like none of our types, or that is unclear.
 * @param hadDraw whether the moneyline has listed a draw before: it may be missing while it is suspended
 */
export const matchMarketOf = (sport: Sport, offer: KambiOffer, hadDraw: () => boolean): KambiMarket | undefined => {
  const sportMarkets = SPORTS.get(sport)
  const known = sportMarkets === undefined ? undefined : knownIn(sportMarkets, offer)
  const hasDraw = offer.outcomes.some(isDraw)
  if (known === undefined) return sport === 'esports' && !hasDraw ? mapWinnerOf(offer) : undefined
  if (known.kind === 'moneyline') return hasDraw || hadDraw() ? known.withDraw : known.market
  return hasDraw === (known.kind === 'result') ? known.market : undefined
}
