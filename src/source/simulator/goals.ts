// Goals (football, ice hockey). Both sides score as Poisson processes.

import {
  type Match,
  type MatchMarket,
  type Phase,
  BOTH_SCORE,
  DOUBLE_CHANCE,
  fillDecided,
  fillPair,
  fillThree,
  homeAway,
  homeDrawAway,
  linesAround,
  logistic,
  overUnder,
  walkBy,
} from './match.ts'
import type { SeededRandom } from './random.ts'

interface GoalsRules {
  readonly playS: number
  /** Goals of a side in a whole match, at least and at most. */
  readonly goals: readonly [number, number]
  /** Where a half is a market of its own: the share of goals that fall in the first. */
  readonly firstHalf: number | null
  /** Other stops in a match: penalties, cards, reviews. */
  readonly stops: number
  readonly markets: readonly MatchMarket[]
}

export const FOOTBALL: GoalsRules = {
  playS: 110 * 60,
  goals: [0.7, 2.1],
  firstHalf: 0.45,
  stops: 1.5,
  markets: [
    homeDrawAway('match_result_1x2', 1),
    DOUBLE_CHANCE,
    ...linesAround(3.5, 1, 3).map((line) => overUnder('total_goals', line, 1)),
    BOTH_SCORE,
    ...[-2.5, -1.5, -0.5, 0.5, 1.5, 2.5].map((line) => homeAway('spread', line, 3)),
    ...linesAround(1.5, 1, 1).map((line) => overUnder('first_half_total_goals', line, 3)),
  ],
}

export const ICE_HOCKEY: GoalsRules = {
  playS: 135 * 60,
  goals: [2.1, 3.6],
  firstHalf: null,
  stops: 0.5,
  markets: [
    homeDrawAway('match_result_1x2', 1),
    ...linesAround(5.5, 1, 3).map((line) => overUnder('total', line, 1)),
    homeAway('match_winner', null, 1),
    ...[-2.5, -1.5, 1.5, 2.5].map((line) => homeAway('puck_line', line, 2)),
  ],
}

/** Goals of one side that are distinguished; one more place is for all beyond. */
const GOALS_MAX = 14

const fillPoisson = (into: Float64Array, mean: number): void => {
  let rest = 1
  let chance = Math.exp(-mean)
  for (let goals = 0; goals < GOALS_MAX; goals++) {
    into[goals] = chance
    rest -= chance
    chance *= mean / (goals + 1)
  }
  into[GOALS_MAX] = Math.max(rest, 0)
}

export class GoalsMatch implements Match {
  readonly markets: readonly MatchMarket[]
  private readonly rules: GoalsRules
  /** Logarithms of the goals of a side in a whole match. */
  private homeRate: number
  private awayRate: number
  private home = 0
  private away = 0
  private firstHalfGoals = 0
  private playedS = 0
  private readonly homeGoals = new Float64Array(GOALS_MAX + 1)
  private readonly awayGoals = new Float64Array(GOALS_MAX + 1)
  /** Of the goals to come: by their difference (place 0 is -GOALS_MAX), and by their sum. */
  private readonly differences = new Float64Array(2 * GOALS_MAX + 1)
  private readonly sums = new Float64Array(2 * GOALS_MAX + 1)

  constructor(rules: GoalsRules, random: SeededRandom) {
    this.rules = rules
    this.markets = rules.markets
    this.homeRate = Math.log(random.between(...rules.goals) * 1.1)
    this.awayRate = Math.log(random.between(...rules.goals))
  }

  walk(seconds: number, strength: number, random: SeededRandom): void {
    this.homeRate += walkBy(seconds, strength, random)
    this.awayRate += walkBy(seconds, strength, random)
  }

  play(seconds: number, random: SeededRandom): Phase {
    const { playS, stops, firstHalf } = this.rules
    if (this.playedS >= playS) return 'over'
    const inFirstHalf = this.playedS < playS / 2
    this.playedS += seconds
    let phase: Phase = inFirstHalf && this.playedS >= playS / 2 && firstHalf !== null ? 'moved' : 'on'
    if (random.comes(Math.exp(this.homeRate) / playS, seconds)) {
      this.home += 1
      phase = 'stopped'
    }
    if (random.comes(Math.exp(this.awayRate) / playS, seconds)) {
      this.away += 1
      phase = 'stopped'
    }
    if (inFirstHalf) this.firstHalfGoals = this.home + this.away
    if (random.comes(stops / playS, seconds)) {
      // A card, a penalty, a review: play stops, and one side is the weaker for it.
      if (random.next() < 0.5) this.homeRate -= 0.15
      else this.awayRate -= 0.15
      phase = 'stopped'
    }
    return this.playedS >= playS ? 'over' : phase
  }

  fillProbabilities(into: Float64Array): void {
    const { home, away, differences, sums } = this
    const restShare = Math.max(1 - this.playedS / this.rules.playS, 0)
    this.fillGoalsToCome(restShare)
    const homeWins = this.differenceAbove(0)
    const draw = differences[away - home + GOALS_MAX] ?? 0
    const awayWins = Math.max(1 - homeWins - draw, 0)
    let place = 0
    for (const { type, line } of this.markets) {
      switch (type) {
        case 'match_result_1x2':
          place = fillThree(into, place, homeWins, draw, awayWins)
          break
        case 'double_chance':
          place = fillThree(into, place, homeWins + draw, homeWins + awayWins, draw + awayWins)
          break
        case 'match_winner': {
          // After a draw the next goal decides, and each side scores it by its rate.
          const nextIsHome = logistic(this.homeRate - this.awayRate)
          place = fillPair(into, place, homeWins + draw * nextIsHome)
          break
        }
        case 'btts': {
          const homeScores = home > 0 ? 1 : 1 - this.homeGoals[0]!
          const awayScores = away > 0 ? 1 : 1 - this.awayGoals[0]!
          if (home > 0 && away > 0) place = fillDecided(into, place, true)
          else place = fillPair(into, place, homeScores * awayScores)
          break
        }
        case 'first_half_total_goals':
          place = this.fillFirstHalf(into, place, line!)
          break
        case 'spread':
        case 'puck_line':
          place = fillPair(into, place, this.differenceAbove(-line!))
          break
        default: {
          const missing = line! - home - away
          let under = 0
          for (let goals = 0; goals <= missing; goals++) under += sums[goals] ?? 0
          if (missing < 0) place = fillDecided(into, place, true)
          else place = fillPair(into, place, 1 - under)
        }
      }
    }
  }

  private fillGoalsToCome(restShare: number): void {
    const { homeGoals, awayGoals, differences, sums } = this
    fillPoisson(homeGoals, Math.exp(this.homeRate) * restShare)
    fillPoisson(awayGoals, Math.exp(this.awayRate) * restShare)
    differences.fill(0)
    sums.fill(0)
    for (let a = 0; a <= GOALS_MAX; a++) {
      for (let b = 0; b <= GOALS_MAX; b++) {
        const chance = homeGoals[a]! * awayGoals[b]!
        differences[a - b + GOALS_MAX]! += chance
        sums[a + b]! += chance
      }
    }
  }

  /** P(home - away > line) at the end. */
  private differenceAbove(line: number): number {
    const { differences } = this
    let chance = 0
    const missing = line - (this.home - this.away)
    for (let place = Math.max(Math.floor(missing) + 1 + GOALS_MAX, 0); place < differences.length; place++) {
      chance += differences[place]!
    }
    return chance
  }

  private fillFirstHalf(into: Float64Array, place: number, line: number): number {
    const { playS, firstHalf } = this.rules
    const missing = line - this.firstHalfGoals
    if (missing < 0) return fillDecided(into, place, true)
    if (this.playedS >= playS / 2) return fillDecided(into, place, false)
    const mean = (Math.exp(this.homeRate) + Math.exp(this.awayRate)) * firstHalf! * (1 - this.playedS / (playS / 2))
    let under = 0
    let chance = Math.exp(-mean)
    for (let goals = 0; goals <= missing; goals++) {
      under += chance
      chance *= mean / (goals + 1)
    }
    return fillPair(into, place, 1 - under)
  }
}
