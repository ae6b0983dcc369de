// Sets (tennis, esports). Best of three; a set is a race of games, each won with the same chance.

import {
  type Match,
  type MatchMarket,
  type Phase,
  SET_SCORE,
  fillDecided,
  fillPair,
  homeAway,
  linesAround,
  logistic,
  normalBelow,
  overUnder,
  walkBy,
} from './match.ts'
import type { SeededRandom } from './random.ts'

interface SetsRules {
  readonly gameS: number
  /** Games that win a set. */
  readonly games: number
  readonly byTwo: boolean
  /** Deviation of the log odds of a game. */
  readonly strengthDeviation: number
  /** Games of a set between equals, and the winner's lead in them. */
  readonly gamesOfSet: number
  readonly gamesAhead: number
  readonly markets: readonly MatchMarket[]
}

export const TENNIS: SetsRules = {
  gameS: 230,
  games: 6,
  byTwo: true,
  strengthDeviation: 0.16,
  gamesOfSet: 9.7,
  gamesAhead: 3.3,
  markets: [
    homeAway('match_winner', null, 1),
    ...linesAround(22.5, 2, 3).map((line) => overUnder('total', line, 1)),
    ...[-5.5, -3.5, -1.5, 1.5, 3.5, 5.5].map((line) => homeAway('spread', line, 2)),
    SET_SCORE,
  ],
}

export const ESPORTS: SetsRules = {
  gameS: 100,
  games: 13,
  byTwo: false,
  strengthDeviation: 0.12,
  gamesOfSet: 21.5,
  gamesAhead: 4.5,
  markets: [
    homeAway('match_winner', null, 1),
    overUnder('total', 2.5, 1),
    homeAway('spread', -1.5, 2),
    homeAway('spread', 1.5, 2),
    ...[1, 2, 3].map((map) => homeAway('map_winner', map, 3)),
  ],
}

const SETS_TO_WIN = 2

export class SetsMatch implements Match {
  readonly markets: readonly MatchMarket[]
  private readonly rules: SetsRules
  /** Log odds of the home side in a game. */
  private strength: number
  private homeSets = 0
  private awaySets = 0
  private homeGames = 0
  private awayGames = 0
  /** Games of the sets that are done: of both sides, and the lead of the home side. */
  private gamesDone = 0
  private gamesAheadDone = 0
  private readonly setsWonByHome: boolean[] = []
  private nextGameS: number
  private readonly table: Float64Array
  /** Possible endings: chance, sets of each side, sets after the current one, games that the home side gains. */
  private readonly endings: { chance: number; home: number; away: number; later: number; gained: number }[] = []

  constructor(rules: SetsRules, random: SeededRandom) {
    this.rules = rules
    this.markets = rules.markets
    this.strength = rules.strengthDeviation * random.gauss()
    this.nextGameS = rules.gameS
    this.table = new Float64Array((rules.games + 2) ** 2)
  }

  walk(seconds: number, strength: number, random: SeededRandom): void {
    // A set has many games, so a small step of one game's chance is a large step of the match's.
    this.strength += 0.25 * walkBy(seconds, strength, random)
  }

  play(seconds: number, random: SeededRandom): Phase {
    if (this.isOver()) return 'over'
    this.nextGameS -= seconds
    if (this.nextGameS > 0) return 'on'
    this.nextGameS += this.rules.gameS * random.between(0.5, 1.5)
    if (random.next() < logistic(this.strength)) this.homeGames += 1
    else this.awayGames += 1
    const chance = this.setChance(this.homeGames, this.awayGames)
    if (chance > 0 && chance < 1) return 'moved'
    this.setsWonByHome.push(chance === 1)
    if (chance === 1) this.homeSets += 1
    else this.awaySets += 1
    this.gamesDone += this.homeGames + this.awayGames
    this.gamesAheadDone += this.homeGames - this.awayGames
    this.homeGames = 0
    this.awayGames = 0
    return this.isOver() ? 'over' : 'stopped'
  }

  fillProbabilities(into: Float64Array): void {
    this.fillEndings()
    let homeWins = 0
    for (const ending of this.endings) if (ending.home === SETS_TO_WIN) homeWins += ending.chance
    let place = 0
    for (const { type, line, outcomes } of this.markets) {
      switch (type) {
        case 'match_winner':
          place = fillPair(into, place, homeWins)
          break
        case 'set_betting':
          for (const outcome of outcomes) into[place++] = this.chanceOfScore(outcome) // 0: no longer possible
          break
        case 'map_winner':
          place = this.fillSet(into, place, line!)
          break
        case 'total':
          place = this.rules.byTwo ? this.fillGames(into, place, line!) : this.fillThirdSet(into, place)
          break
        default:
          place = this.rules.byTwo ? this.fillAhead(into, place, -line!) : this.fillSetsAhead(into, place, -line!)
      }
    }
  }

  private isOver(): boolean {
    return this.homeSets === SETS_TO_WIN || this.awaySets === SETS_TO_WIN
  }

  /** The chance that the home side wins a set from `a` to `b` games: exactly 0 or 1 where it is done. */
  private setChance(a: number, b: number): number {
    const { games, byTwo } = this.rules
    const { table } = this
    const side = games + 2
    const chance = logistic(this.strength)
    for (let x = games + 1; x >= a; x--) {
      for (let y = games + 1; y >= b; y--) {
        const lead = byTwo && x + y < 2 * games + 1 ? 2 : 1
        let value: number
        if (x >= games && x - y >= lead) value = 1
        else if (y >= games && y - x >= lead) value = 0
        else if (x > games || y > games)
          value = 0.5 // cannot be reached
        else value = chance * table[(x + 1) * side + y]! + (1 - chance) * table[x * side + y + 1]!
        table[x * side + y] = value
      }
    }
    return table[a * side + b]!
  }

  private fillEndings(): void {
    const { homeGames, awayGames, endings } = this
    const { games, gamesAhead } = this.rules
    const fresh = this.setChance(0, 0)
    const current = homeGames + awayGames === 0 ? fresh : this.setChance(homeGames, awayGames)
    // What the winner of the current set still gains on the other side, by the games of each.
    const loser = games - gamesAhead
    const gainIfHome = games - homeGames - Math.max(loser - awayGames, 0.3)
    const gainIfAway = games - awayGames - Math.max(loser - homeGames, 0.3)
    endings.length = 0
    const visit = (home: number, away: number, chance: number, later: number, gained: number): void => {
      if (home === SETS_TO_WIN || away === SETS_TO_WIN) {
        endings.push({ chance, home, away, later: later - 1, gained })
        return
      }
      const homeChance = later === 0 ? current : fresh
      visit(home + 1, away, chance * homeChance, later + 1, gained + (later === 0 ? gainIfHome : gamesAhead))
      visit(home, away + 1, chance * (1 - homeChance), later + 1, gained - (later === 0 ? gainIfAway : gamesAhead))
    }
    visit(this.homeSets, this.awaySets, 1, 0, 0)
  }

  private chanceOfScore(score: string): number {
    let chance = 0
    for (const ending of this.endings) {
      if (ending.home === Number(score[0]) && ending.away === Number(score[2])) chance += ending.chance
    }
    return chance
  }

  /** Whether the home side wins set `number`, if it is played. */
  private fillSet(into: Float64Array, place: number, number: number): number {
    const done = this.setsWonByHome[number - 1]
    if (done !== undefined) return fillDecided(into, place, done)
    const isCurrent = number === this.setsWonByHome.length + 1
    return fillPair(into, place, isCurrent ? this.setChance(this.homeGames, this.awayGames) : this.setChance(0, 0))
  }

  private fillThirdSet(into: Float64Array, place: number): number {
    if (this.homeSets + this.awaySets === 2) return fillDecided(into, place, true)
    let chance = 0
    for (const ending of this.endings) if (ending.home + ending.away === 3) chance += ending.chance
    return fillPair(into, place, chance)
  }

  /** Whether the home side is more than `line` sets ahead at the end. */
  private fillSetsAhead(into: Float64Array, place: number, line: number): number {
    let chance = 0
    let above = 0
    for (const ending of this.endings) {
      if (ending.home - ending.away <= line) continue
      chance += ending.chance
      above += 1
    }
    const isDecided = above === 0 || above === this.endings.length
    return isDecided ? fillDecided(into, place, above > 0) : fillPair(into, place, chance)
  }

  private fillGames(into: Float64Array, place: number, line: number): number {
    const played = this.homeGames + this.awayGames
    if (this.gamesDone + played > line) return fillDecided(into, place, true)
    const { gamesOfSet } = this.rules
    const rest = Math.max(gamesOfSet - played, 1.2)
    let chance = 0
    for (const ending of this.endings) {
      const mean = this.gamesDone + played + rest + ending.later * gamesOfSet
      chance += ending.chance * normalBelow((mean - line) / Math.sqrt(rest * 0.8 + ending.later * 4.5))
    }
    return fillPair(into, place, chance)
  }

  /** Whether the home side is more than `line` games ahead at the end. */
  private fillAhead(into: Float64Array, place: number, line: number): number {
    const ahead = this.gamesAheadDone + this.homeGames - this.awayGames
    let chance = 0
    for (const ending of this.endings) {
      chance += ending.chance * normalBelow((ahead + ending.gained - line) / Math.sqrt(1.5 + ending.later * 3))
    }
    return fillPair(into, place, chance)
  }
}
