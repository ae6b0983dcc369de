// From probabilities to a bookmaker's odds: its margin, then its way of rounding.

/**
 * Probabilities up to this are priced. Beyond it a bookmaker suspends the market: odds would round to 1. With
 * {@link ODDS_RATIO_MAX} the shortest odds before rounding are 1.0135, so rounding down never falls below 1.01.
 */
export const PROBABILITY_MAX = 0.975

/** The least probability that is still priced; with every margin here that is below odds of 250. */
export const PROBABILITY_MIN = 0.004

/** More than this would push a favourite's odds to 1, whatever the margin. */
const ODDS_RATIO_MAX = 1.9

/** The usual British fractional odds, as decimals; no others are offered. */
const FRACTIONAL = [
  1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.1, 1.11, 1.12, 1.14, 1.16, 1.18, 1.2, 1.22, 1.25, 1.28, 1.3, 1.33,
  1.36, 1.4, 1.44, 1.5, 1.53, 1.57, 1.61, 1.66, 1.72, 1.8, 1.83, 1.9, 2, 2.1, 2.2, 2.25, 2.37, 2.4, 2.5, 2.62, 2.75,
  2.87, 3, 3.25, 3.5, 3.75, 4, 4.33, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 10, 11, 12, 13, 15, 17, 19, 21, 23, 26, 29,
  34, 41, 51, 67, 81, 101, 126, 151, 201, 251,
]

/** Steps of an exchange's ladder: up to these odds, in steps of so many hundredths. */
const LADDER = [
  [200, 1],
  [300, 2],
  [400, 5],
  [600, 10],
  [1_000, 20],
  [2_000, 50],
  [3_000, 100],
  [5_000, 200],
  [10_000, 500],
  [100_000, 1_000],
] as const

// A product such as 1.15 * 100 may be slightly below the exact whole number.
const HAIR = 1e-9

const floorToFractional = (odds: number): number => {
  let low = 0
  let high = FRACTIONAL.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (FRACTIONAL[middle]! <= odds + HAIR) low = middle
    else high = middle - 1
  }
  return FRACTIONAL[low]!
}

const floorToLadder = (odds: number): number => {
  const hundredths = Math.floor(odds * 100 + HAIR)
  const rung = LADDER.find(([upTo]) => hundredths < upTo) ?? LADDER[LADDER.length - 1]!
  return (hundredths - (hundredths % rung[1])) / 100
}

/** American odds in steps of 5, converted to decimals as in docs/feeds.md 2.9. */
const floorToAmerican = (odds: number): number => {
  if (odds >= 2) return Math.round(1000 + 50 * Math.floor((odds - 1) * 20 + HAIR)) / 1000
  return Math.round(1000 + 20_000 / Math.ceil(20 / (odds - 1) - HAIR)) / 1000
}

const floorToTwentieth = (odds: number): number =>
  odds < 1.5 ? Math.floor(odds * 100 + HAIR) / 100 : (Math.floor(odds * 20 + HAIR) * 5) / 100

/** Ways of rounding. All round down: rounding up would reduce the margin. */
export const ROUNDINGS = {
  thousandth: (odds: number): number => Math.floor(odds * 1000 + HAIR) / 1000,
  hundredth: (odds: number): number => Math.floor(odds * 100 + HAIR) / 100,
  twentieth: floorToTwentieth,
  ladder: floorToLadder,
  fractional: floorToFractional,
  american: floorToAmerican,
} as const

export type Rounding = keyof typeof ROUNDINGS

/**
 * How much a margin raises the odds ratio of every outcome of a market. Raising the ratio, not the probability, keeps
 * every raised probability below 1 (so odds above 1), and loads outsiders more than favourites, as bookmakers do.
 */
export const oddsRatioOf = (probabilities: ArrayLike<number>, margin: number): number => {
  let sum = 0
  let variance = 0
  for (let place = 0; place < probabilities.length; place++) {
    const probability = probabilities[place]!
    sum += probability
    variance += probability * (1 - probability)
  }
  return Math.min(1 + (margin * sum) / variance, ODDS_RATIO_MAX)
}

/** The odds of an outcome, before rounding. */
export const oddsOf = (probability: number, oddsRatio: number): number =>
  (1 - probability + oddsRatio * probability) / (oddsRatio * probability)
