// Points (basketball, handball, baseball). Margin and sum of what is to come are normal.

import {
  type Match,
  type MatchMarket,
  type Phase,
  fillDecided,
  fillPair,
  fillThree,
  homeAway,
  homeDrawAway,
  linesAround,
  normalBelow,
  overUnder,
  walkBy,
} from './match.ts'
import type { SeededRandom } from './random.ts'

interface PointsRules {
  readonly playS: number
  /** Points of both sides together, at least and at most, and the deviation of the result. */
  readonly points: readonly [number, number]
  readonly pointsDeviation: number
  readonly marginDeviation: number
  /** Differences in strength: deviation of the expected margin. */
  readonly strengthDeviation: number
  /** Points of one score. */
  readonly score: number
  readonly scoreStops: boolean
  readonly winnerType: 'match_winner' | 'match_result_1x2'
  readonly handicapType: 'spread' | 'run_line'
  /** Null: around the expected margin. */
  readonly handicapLines: readonly number[] | null
  readonly totalStep: number
}

export const BASKETBALL: PointsRules = {
  playS: 130 * 60,
  points: [152, 176],
  pointsDeviation: 17,
  marginDeviation: 11.5,
  strengthDeviation: 6,
  score: 2,
  scoreStops: false,
  winnerType: 'match_winner',
  handicapType: 'spread',
  handicapLines: null,
  totalStep: 4,
}

export const HANDBALL: PointsRules = {
  playS: 85 * 60,
  points: [54, 62],
  pointsDeviation: 6.5,
  marginDeviation: 5.5,
  strengthDeviation: 3.5,
  score: 1,
  scoreStops: false,
  winnerType: 'match_result_1x2',
  handicapType: 'spread',
  handicapLines: null,
  totalStep: 2,
}

export const BASEBALL: PointsRules = {
  playS: 175 * 60,
  points: [7.6, 9.8],
  pointsDeviation: 4.3,
  marginDeviation: 4.3,
  strengthDeviation: 0.8,
  score: 1,
  scoreStops: true,
  winnerType: 'match_winner',
  handicapType: 'run_line',
  handicapLines: [-2.5, -1.5, 1.5, 2.5],
  totalStep: 1,
}

export class PointsMatch implements Match {
  readonly markets: readonly MatchMarket[]
  private readonly rules: PointsRules
  /** Of a whole match: the margin of the home side, and the points of both. */
  private margin: number
  private points: number
  private home = 0
  private away = 0
  private playedS = 0

  constructor(rules: PointsRules, random: SeededRandom) {
    this.rules = rules
    this.margin = rules.strengthDeviation * (random.gauss() + 0.4)
    this.points = random.between(...rules.points)
    const handicapLines = rules.handicapLines ?? linesAround(0.5 - Math.round(this.margin), 2, 5)
    const totalLines = linesAround(Math.floor(this.points) + 0.5, rules.totalStep, 4)
    this.markets = [
      rules.winnerType === 'match_winner' ? homeAway('match_winner', null, 1) : homeDrawAway('match_result_1x2', 1),
      ...totalLines.map((line) => overUnder('total', line, 1)),
      ...handicapLines.map((line) => homeAway(rules.handicapType, line, rules.handicapLines === null ? 1 : 2)),
    ]
  }

  walk(seconds: number, strength: number, random: SeededRandom): void {
    // Half a deviation moves a probability near one half as far as a step of the logarithm of a rate.
    this.margin += this.rules.marginDeviation * 0.5 * walkBy(seconds, strength, random)
    this.points += this.rules.pointsDeviation * 0.5 * walkBy(seconds, strength, random)
  }

  play(seconds: number, random: SeededRandom): Phase {
    const { playS, score, scoreStops } = this.rules
    if (this.playedS >= playS) return 'over'
    this.playedS += seconds
    const before = this.home + this.away
    if (random.comes((this.points + this.margin) / 2 / score / playS, seconds)) this.home += score
    if (random.comes((this.points - this.margin) / 2 / score / playS, seconds)) this.away += score
    if (this.playedS >= playS) return 'over'
    return scoreStops && this.home + this.away > before ? 'stopped' : 'on'
  }

  fillProbabilities(into: Float64Array): void {
    const { pointsDeviation, marginDeviation } = this.rules
    const restShare = Math.max(1 - this.playedS / this.rules.playS, 0)
    const scale = Math.sqrt(restShare + 1e-4)
    const margin = this.home - this.away + this.margin * restShare
    const points = this.home + this.away + this.points * restShare
    let place = 0
    for (const { type, line } of this.markets) {
      switch (type) {
        case 'match_result_1x2': {
          const homeWins = normalBelow((margin - 0.5) / (marginDeviation * scale))
          const awayWins = normalBelow((-0.5 - margin) / (marginDeviation * scale))
          place = fillThree(into, place, homeWins, 1 - homeWins - awayWins, awayWins)
          break
        }
        case 'total':
          if (this.home + this.away > line!) place = fillDecided(into, place, true)
          else place = fillPair(into, place, normalBelow((points - line!) / (pointsDeviation * scale)))
          break
        default:
          place = fillPair(into, place, normalBelow((margin + (line ?? 0)) / (marginDeviation * scale)))
      }
    }
  }
}
