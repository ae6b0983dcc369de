// The matches behind the simulated prices. Each kind of match has a hidden truth (rates of goals, strengths) that walks,
// a state of play, and the probability of every outcome that follows from both. So all markets of an event agree: double
// chance follows from the same goals as the 1x2, a handicap from the same margin as the winner.
//
// Not promised: rules of a sport beyond what prices show. Stoppage time, overtime and the serve are left out.

import type { MarketType } from '../../domain/market.ts'
import type { SeededRandom } from './random.ts'

/** A market of a match, common to all bookmakers. */
export interface MatchMarket {
  readonly type: MarketType
  readonly line: number | null
  readonly outcomes: readonly string[]
  /** How many of its outcomes win: 2 in a double chance. */
  readonly winners: 1 | 2
  /** How a view of the home side's strength moves the outcomes; with two winners, the outcomes that are left out. */
  readonly homeLean: readonly number[]
  /** How a view that there will be many goals (games, rounds) moves the outcomes. */
  readonly muchLean: readonly number[]
  /** The least depth of offer that has it. */
  readonly depth: Depth
  /** For a market with two forms: whether this is the one with a draw. A bookmaker offers only one of them. */
  readonly draws: boolean | null
}

/** 1: the main markets; 2: the usual ones; 3: everything. */
export type Depth = 1 | 2 | 3

/** The result of a step of play. `stopped`: bookmakers suspend their prices for a while. */
export type Phase = 'on' | 'moved' | 'stopped' | 'over'

export interface Match {
  readonly markets: readonly MatchMarket[]
  /** The hidden truth walks; `strength` 1 moves a probability by about 4 % in an hour. */
  walk(seconds: number, strength: number, random: SeededRandom): void
  /** Plays a step. A match that is over stays over. */
  play(seconds: number, random: SeededRandom): Phase
  /** Fills in the probabilities of all outcomes in the order of the markets: exactly 0 or 1 where it is decided. */
  fillProbabilities(into: Float64Array): void
}

const WALK_PER_ROOT_HOUR = 0.08

export const walkBy = (seconds: number, strength: number, random: SeededRandom): number =>
  WALK_PER_ROOT_HOUR * strength * Math.sqrt(seconds / 3600) * random.gauss()

/**
 * The least chance of an outcome that is not decided. Sums of small chances may come out as 0 or 1, and those two mean
 * that the outcome is settled.
 */
const CHANCE_MIN = 1e-6

const undecided = (chance: number): number => Math.min(Math.max(chance, CHANCE_MIN), 1 - CHANCE_MIN)

export const fillPair = (into: Float64Array, place: number, chance: number): number => {
  into[place] = undecided(chance)
  into[place + 1] = 1 - into[place]!
  return place + 2
}

export const fillDecided = (into: Float64Array, place: number, isFirst: boolean): number => {
  into[place] = isFirst ? 1 : 0
  into[place + 1] = isFirst ? 0 : 1
  return place + 2
}

export const fillThree = (into: Float64Array, place: number, first: number, second: number, third: number): number => {
  into[place] = undecided(first)
  into[place + 1] = undecided(second)
  into[place + 2] = undecided(third)
  return place + 3
}

export const logistic = (x: number): number => 1 / (1 + Math.exp(-x))

/** P(a normal deviate < z), to 7 digits (Abramowitz and Stegun 26.2.17). */
export const normalBelow = (z: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const above = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series
  return z > 0 ? 1 - above : above
}

// Phase: the shapes of markets

export const market = (
  type: MarketType,
  line: number | null,
  outcomes: readonly string[],
  homeLean: readonly number[],
  muchLean: readonly number[],
  depth: Depth,
): MatchMarket => ({ type, line, outcomes, winners: 1, homeLean, muchLean, depth, draws: null })

export const homeDrawAway = (type: MarketType, depth: Depth): MatchMarket =>
  market(type, null, ['home', 'draw', 'away'], [1, 0, -1], [0, -0.5, 0], depth)

export const homeAway = (type: MarketType, line: number | null, depth: Depth): MatchMarket =>
  market(type, line, ['home', 'away'], [1, -1], [0, 0], depth)

export const overUnder = (type: MarketType, line: number, depth: Depth): MatchMarket =>
  market(type, line, ['over', 'under'], [0, 0], [1, -1], depth)

export const DOUBLE_CHANCE: MatchMarket = {
  ...market('double_chance', null, ['home_or_draw', 'home_or_away', 'draw_or_away'], [-1, 0, 1], [0, -0.5, 0], 2),
  winners: 2,
}

export const BOTH_SCORE = market('btts', null, ['yes', 'no'], [0, 0], [0.8, -0.8], 2)

export const SET_SCORE = market(
  'set_betting',
  null,
  ['2-0', '2-1', '1-2', '0-2'],
  [1.2, 0.6, -0.6, -1.2],
  [0, 0, 0, 0],
  3,
)

/** Lines `middle - steps * step` to `middle + steps * step`. */
export const linesAround = (middle: number, step: number, steps: number): number[] =>
  Array.from({ length: 2 * steps + 1 }, (_, place) => middle + (place - steps) * step)
