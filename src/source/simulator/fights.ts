// Fights (combat sport). Each side may stop the other at any time; else the judges decide.

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
  logistic,
  overUnder,
  walkBy,
} from './match.ts'
import type { SeededRandom } from './random.ts'

const ROUND_S = 360

const FIGHT_MARKETS: readonly MatchMarket[] = [
  { ...homeDrawAway('fight_betting', 1), draws: true },
  { ...homeAway('match_winner', null, 1), draws: false },
]

const DRAWN_DECISIONS = 0.04

export class FightMatch implements Match {
  readonly markets: readonly MatchMarket[]
  private readonly rounds: number
  /** Log odds of the home side, of stopping the other and before the judges. */
  private strength: number
  /** Logarithm of the stops in a round. */
  private stopRate: number
  private playedS = 0
  private isStopped = false

  constructor(random: SeededRandom) {
    this.rounds = random.next() < 0.25 ? 5 : 3
    this.strength = 0.7 * random.gauss()
    this.stopRate = Math.log(random.between(0.15, 0.4))
    const lines = linesAround(this.rounds / 2, 1, this.rounds === 3 ? 1 : 2)
    this.markets = [...FIGHT_MARKETS, ...lines.map((line) => overUnder('total', line, 1))]
  }

  walk(seconds: number, strength: number, random: SeededRandom): void {
    this.strength += walkBy(seconds, strength, random)
    this.stopRate += walkBy(seconds, strength, random)
  }

  play(seconds: number, random: SeededRandom): Phase {
    if (this.isOver()) return 'over'
    const round = Math.floor(this.playedS / ROUND_S)
    this.playedS += seconds
    this.isStopped = random.comes(Math.exp(this.stopRate) / ROUND_S, seconds)
    if (this.isOver()) return 'over'
    if (random.comes(0.25 / ROUND_S, seconds)) {
      // A knock-down.
      this.strength += random.next() < logistic(this.strength) ? 0.8 : -0.8
      return 'stopped'
    }
    return Math.floor(this.playedS / ROUND_S) > round ? 'moved' : 'on'
  }

  fillProbabilities(into: Float64Array): void {
    const played = this.playedS / ROUND_S
    const rate = Math.exp(this.stopRate)
    const home = logistic(this.strength)
    const draw = DRAWN_DECISIONS * Math.exp(-rate * Math.max(this.rounds - played, 0))
    const homeWins = home * (1 - draw)
    let place = 0
    for (const { type, line } of this.markets) {
      if (type === 'fight_betting') {
        place = fillThree(into, place, homeWins, draw, 1 - homeWins - draw)
      } else if (type === 'match_winner') {
        place = fillPair(into, place, home)
      } else if (played >= line!) {
        place = fillDecided(into, place, true)
      } else {
        place = fillPair(into, place, Math.exp(-rate * (line! - played)))
      }
    }
  }

  private isOver(): boolean {
    return this.isStopped || this.playedS >= this.rounds * ROUND_S
  }
}
