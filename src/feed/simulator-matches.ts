// The matches behind the simulated prices. Each kind of match has a hidden truth (rates of goals, strengths) that walks,
// a state of play, and the probability of every outcome that follows from both. So all markets of an event agree: double
// chance follows from the same goals as the 1x2, a handicap from the same margin as the winner.
//
// Not promised: rules of a sport beyond what prices show. Stoppage time, overtime and the serve are left out.

import type { MarketType } from '../domain/market.ts'
import type { SeededRandom } from './simulator-random.ts'

/** A market of a match: what all bookmakers price, each in its own way. */
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
  /** From which depth of offer on a bookmaker has it. */
  readonly depth: Depth
  /** Set where bookmakers offer one of two forms of the market: the one with a draw or the one without. */
  readonly draws: boolean | null
}

/** 1: the main markets; 2: the usual ones; 3: everything. */
export type Depth = 1 | 2 | 3

/** What a while of play has brought. `stopped`: something after which bookmakers take their prices down for a while. */
export type Turn = 'on' | 'moved' | 'stopped' | 'over'

export interface Match {
  readonly markets: readonly MatchMarket[]
  /** The hidden truth walks; `strength` 1 moves a probability by about 4 % in an hour. */
  walk(seconds: number, strength: number, random: SeededRandom): void
  /** Plays on. A match that is over stays over. */
  play(seconds: number, random: SeededRandom): Turn
  /** Fills in the probabilities of all outcomes in the order of the markets: exactly 0 or 1 where it is decided. */
  fillProbabilities(into: Float64Array): void
}

const WALK_PER_ROOT_HOUR = 0.08

const walkBy = (seconds: number, strength: number, random: SeededRandom): number =>
  WALK_PER_ROOT_HOUR * strength * Math.sqrt(seconds / 3600) * random.gauss()

/**
 * What is not decided has at least this chance. Sums of small chances may come out as 0 or 1, and those two mean that
 * the outcome is settled.
 */
const CHANCE_MIN = 1e-6

const undecided = (chance: number): number => Math.min(Math.max(chance, CHANCE_MIN), 1 - CHANCE_MIN)

const fillPair = (into: Float64Array, place: number, chance: number): number => {
  into[place] = undecided(chance)
  into[place + 1] = 1 - into[place]!
  return place + 2
}

const fillDecided = (into: Float64Array, place: number, isFirst: boolean): number => {
  into[place] = isFirst ? 1 : 0
  into[place + 1] = isFirst ? 0 : 1
  return place + 2
}

const fillThree = (into: Float64Array, place: number, first: number, second: number, third: number): number => {
  into[place] = undecided(first)
  into[place + 1] = undecided(second)
  into[place + 2] = undecided(third)
  return place + 3
}

const logistic = (x: number): number => 1 / (1 + Math.exp(-x))

/** P(a normal deviate < z), to 7 digits (Abramowitz and Stegun 26.2.17). */
const normalBelow = (z: number): number => {
  const t = 1 / (1 + 0.2316419 * Math.abs(z))
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  const above = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series
  return z > 0 ? 1 - above : above
}

// Phase: the shapes of markets

const market = (
  type: MarketType,
  line: number | null,
  outcomes: readonly string[],
  homeLean: readonly number[],
  muchLean: readonly number[],
  depth: Depth,
): MatchMarket => ({ type, line, outcomes, winners: 1, homeLean, muchLean, depth, draws: null })

const homeDrawAway = (type: MarketType, depth: Depth): MatchMarket =>
  market(type, null, ['home', 'draw', 'away'], [1, 0, -1], [0, -0.5, 0], depth)

const homeAway = (type: MarketType, line: number | null, depth: Depth): MatchMarket =>
  market(type, line, ['home', 'away'], [1, -1], [0, 0], depth)

const overUnder = (type: MarketType, line: number, depth: Depth): MatchMarket =>
  market(type, line, ['over', 'under'], [0, 0], [1, -1], depth)

const DOUBLE_CHANCE: MatchMarket = {
  ...market('double_chance', null, ['home_or_draw', 'home_or_away', 'draw_or_away'], [-1, 0, 1], [0, -0.5, 0], 2),
  winners: 2,
}

const BOTH_SCORE = market('btts', null, ['yes', 'no'], [0, 0], [0.8, -0.8], 2)

const SET_SCORE = market('set_betting', null, ['2-0', '2-1', '1-2', '0-2'], [1.2, 0.6, -0.6, -1.2], [0, 0, 0, 0], 3)

/** Lines `middle - steps * step` to `middle + steps * step`. */
const linesAround = (middle: number, step: number, steps: number): number[] =>
  Array.from({ length: 2 * steps + 1 }, (_, place) => middle + (place - steps) * step)

// Phase: goals (football, ice hockey). Both sides score as Poisson processes.

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

/** Goals of one side that are told apart; one more place takes all that is beyond. */
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

  play(seconds: number, random: SeededRandom): Turn {
    const { playS, stops, firstHalf } = this.rules
    if (this.playedS >= playS) return 'over'
    const inFirstHalf = this.playedS < playS / 2
    this.playedS += seconds
    let turn: Turn = inFirstHalf && this.playedS >= playS / 2 && firstHalf !== null ? 'moved' : 'on'
    if (random.comes(Math.exp(this.homeRate) / playS, seconds)) {
      this.home += 1
      turn = 'stopped'
    }
    if (random.comes(Math.exp(this.awayRate) / playS, seconds)) {
      this.away += 1
      turn = 'stopped'
    }
    if (inFirstHalf) this.firstHalfGoals = this.home + this.away
    if (random.comes(stops / playS, seconds)) {
      // A card, a penalty, a review: play stops, and one side is the weaker for it.
      if (random.next() < 0.5) this.homeRate -= 0.15
      else this.awayRate -= 0.15
      turn = 'stopped'
    }
    return this.playedS >= playS ? 'over' : turn
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
          // After a draw the next goal decides, and falls to each side by its rate.
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

// Phase: points (basketball, handball, baseball). Margin and sum of what is to come are normal.

interface PointsRules {
  readonly playS: number
  /** Points of both sides together, at least and at most, and how far the result strays from that. */
  readonly points: readonly [number, number]
  readonly pointsDeviation: number
  readonly marginDeviation: number
  /** How far apart the sides are: deviation of the expected margin. */
  readonly strengthDeviation: number
  /** Points of one score. */
  readonly score: number
  readonly scoreStops: boolean
  readonly winnerType: 'match_winner' | 'match_result_1x2'
  readonly handicapType: 'spread' | 'run_line'
  /** Null: around the margin that is expected. */
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
    // Half a deviation is what moves a probability near one half as far as a step of the logarithm of a rate does.
    this.margin += this.rules.marginDeviation * 0.5 * walkBy(seconds, strength, random)
    this.points += this.rules.pointsDeviation * 0.5 * walkBy(seconds, strength, random)
  }

  play(seconds: number, random: SeededRandom): Turn {
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

// Phase: sets (tennis, esports). Best of three; a set is a race of games, each won with the same chance.

interface SetsRules {
  readonly gameS: number
  /** Games that win a set. */
  readonly games: number
  readonly byTwo: boolean
  /** Deviation of the log odds of a game. */
  readonly strengthDeviation: number
  /** Games of a set between equals, and of what the winner of a set is ahead. */
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
  /** Games of the sets that are done: of both sides, and what the home side is ahead. */
  private gamesDone = 0
  private gamesAheadDone = 0
  private readonly setsWonByHome: boolean[] = []
  private nextGameS: number
  private readonly table: Float64Array
  /** How the match may go on: chance, sets of each side, sets after the current one, games that the home side gains. */
  private readonly endings: { chance: number; home: number; away: number; later: number; gained: number }[] = []

  constructor(rules: SetsRules, random: SeededRandom) {
    this.rules = rules
    this.markets = rules.markets
    this.strength = rules.strengthDeviation * random.gauss()
    this.nextGameS = rules.gameS
    this.table = new Float64Array((rules.games + 2) ** 2)
  }

  walk(seconds: number, strength: number, random: SeededRandom): void {
    // A set adds many games up, so a small step of one game's chance is a large one of the match's.
    this.strength += 0.25 * walkBy(seconds, strength, random)
  }

  play(seconds: number, random: SeededRandom): Turn {
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
    // What the winner of the current set still gains on the other side, from the games that each has.
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

  /** Whether the home side wins set `number`, if it comes to it. */
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

// Phase: fights (combat sport). Each side may stop the other at any time; else the judges decide.

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

  play(seconds: number, random: SeededRandom): Turn {
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
