// The simulator: a seeded sports world with some thirty invented bookmakers, for `--demo`.
//
// Each bookmaker has a desk for each event that it prices. A desk looks at its event at intervals, sees the chances as
// they were a moment ago (its reaction time), adds its own view and its margin, rounds, and sends what has changed.
// After a goal the desks of bookmakers with status semantics suspend their prices, each after its own reaction time,
// and send new ones some seconds later. When an event ends, all its desks close, and a new event is announced.
//
// The same seed, start and sequence of `now` give the same observations. Nothing here reads a clock or is random.
//
// Not promised: the time in which the process did not run. After a pause the world has advanced (matches are played,
// events end), but looks that are older than CATCH_UP_MS_MAX are skipped, as a real feed would not repeat them either.

import type { Bookmaker } from '../../domain/coverage.ts'
import type { Observation, Price } from '../../domain/observation.ts'
import { Agenda } from './agenda.ts'
import { BOOKS } from './books.ts'
import { Desk, keepPriceable, observationOf, type Plan, priceOf, SAID, Stage, viewOf } from './desk.ts'
import { type Fixture, FixtureList } from './fixture-maker.ts'
import type { MatchMarket } from './match.ts'
import { oddsOf, oddsRatioOf, PROBABILITY_MAX, PROBABILITY_MIN, ROUNDINGS } from './prices.ts'
import { SeededRandom } from './random.ts'

/**
 * How busy the world is: 1 gives about 350 changed prices a second (each on one or two transports), other values about
 * in proportion: truth and views walk, and desks look, so many times as fast. The length of matches stays.
 */
const PACE = 1

/** Looks that are overdue by more than this are skipped. Bounds the work after a pause, too. */
const CATCH_UP_MS_MAX = 2_000

/** The hidden truth moves in steps of this: in play, and before. */
const PLAY_STEP_MS = 1_000
const WAIT_STEP_MS = 20_000

/** After a pause a match is played in steps of this at most, so that its goals occur one by one. */
const PLAY_STEP_MS_MAX = 60_000

/** How fast the hidden truth walks, in play and before; 1 moves a probability by about 4 % in an hour. */
const PLAY_WALK = 3
const WAIT_WALK = 0.4

/** A desk's own view of an event: its deviation from the truth, and how long a view lasts. */
const OPINION_DEVIATION = 0.02
const OPINION_MS = 240_000

/** An open price is repeated after this, so that it does not age out while nothing moves (docs/feeds.md 2.6). */
const REPEAT_MS = 3_600_000

/** Before an event begins desks look at it less often: within so long of the kickoff, at so many times the interval. */
const WAIT_STRETCHES = [
  [30 * 60_000, 4],
  [6 * 3_600_000, 12],
  [Number.POSITIVE_INFINITY, 30],
] as const

const WAIT_REQUOTE_MS_MAX = 20 * 60_000

/** New events reach the bookmakers within this. */
const ANNOUNCE_MS_MAX = 90_000

/** Prices stay suspended for so many reaction times, and at least so long. */
const DOWN_REACTIONS = [3, 9] as const
const DOWN_MS_MIN = 2_500

/** Bookmakers this fast look at one market at a time, as their feeds do; those up to the second at three. */
const ONE_MARKET_MS_MAX = 1_000
const THREE_MARKETS_MS_MAX = 5_000

/** A market is priced again when one of its odds is off by more than this share of the margin. */
const MOVE_MARGINS = 0.5

/** A line is first offered where neither side has a higher chance, by depth of offer: one line, some, or all. */
const LINE_CHANCE_MAX = [0, 0.64, 0.78, 0.9] as const

/** A market that was suspended for a sure winner is reopened below this, not at the limit itself: no flapping. */
const RETURN_CHANCE_MAX = 0.95

/** A seeded world of bookmakers: the same seed, start and sequence of `now` give the same observations. */
export class Simulator {
  private readonly random: SeededRandom
  private readonly fixtures: FixtureList
  private readonly agenda = new Agenda<Stage | Desk>()
  /** Scratch for the chances of one market. */
  private readonly chances: number[] = []

  constructor(options: { readonly seed: number; readonly startAt: number }) {
    const { seed, startAt } = options
    this.random = new SeededRandom(seed)
    this.fixtures = new FixtureList(this.random, startAt)
    for (const fixture of this.fixtures.opening(startAt)) this.raise(fixture, startAt, true)
  }

  /** The bookmakers with their coverage, sorted by slug. */
  bookmakers(): readonly Bookmaker[] {
    return BOOKS.map((book) => book.bookmaker)
  }

  /**
   * Advances the world to `now` and passes on what the bookmakers have seen by then, in order of time. The first call
   * gives the opening prices of everything.
   * @returns the observations made; if equal to `observationsMax`, call again
   */
  advance(now: number, observe: (observation: Observation) => void, observationsMax: number): number {
    const caughtUpAt = now - CATCH_UP_MS_MAX
    let made = 0
    while (made < observationsMax) {
      const due = this.agenda.next(now)
      if (due === undefined) break
      const at = Math.max(due.at, caughtUpAt)
      if (due.task instanceof Stage) {
        this.move(due.task, at)
        continue
      }
      const observation = this.wake(due.task, at)
      if (observation === undefined) continue
      observe(observation)
      made++
    }
    return made
  }

  /** Adds an event, with a desk of every bookmaker that prices its sport. */
  private raise(fixture: Fixture, now: number, isOpening: boolean): void {
    const { random, agenda } = this
    const { kickoffAt, sport } = fixture.event
    const stage = new Stage(fixture, Math.min(kickoffAt, now))
    if (!this.move(stage, now)) return
    for (const book of BOOKS) {
      if (book.sports !== null && !book.sports.has(sport)) continue
      if (stage.isInPlay && !book.inPlay) continue
      const desk = new Desk(book, stage)
      stage.desks.push(desk)
      desk.homeView = OPINION_DEVIATION * random.gauss()
      desk.muchView = OPINION_DEVIATION * random.gauss()
      // The opening prices are available at once, observed a little earlier.
      agenda.enter(desk, isOpening ? now - random.between(100, 1_500) : now + random.between(0, ANNOUNCE_MS_MAX))
    }
  }

  /** Plays an event up to `at`, and plans the reactions of its desks. Returns whether it continues. */
  private move(stage: Stage, at: number): boolean {
    const { match, event } = stage.fixture
    const { random } = this
    if (stage.playedAt < event.kickoffAt) {
      const waitedMs = Math.min(at, event.kickoffAt) - stage.playedAt
      match.walk((PACE * waitedMs) / 1000, WAIT_WALK, random)
      stage.playedAt += waitedMs
    }
    if (!stage.isInPlay && at >= event.kickoffAt) {
      stage.isInPlay = true
      for (const desk of stage.desks) this.kickOff(desk, at)
    }
    while (stage.playedAt < at) {
      const stepMs = Math.min(at - stage.playedAt, PLAY_STEP_MS_MAX)
      match.walk((PACE * stepMs) / 1000, PLAY_WALK, random)
      const phase = match.play(stepMs / 1000, random)
      stage.playedAt += stepMs
      if (phase === 'over') {
        for (const desk of stage.desks) this.plan(desk, 'close', at + desk.book.reactionMs * random.between(1, 2))
        this.raise(this.fixtures.replace(stage.fixture, at), at, false)
        return false
      }
      if (phase !== 'on') for (const desk of stage.desks) this.react(desk, phase === 'stopped', at)
    }
    stage.record(at)
    const nextAt = stage.isInPlay ? at + PLAY_STEP_MS : Math.min(at + WAIT_STEP_MS, event.kickoffAt)
    this.agenda.enter(stage, nextAt)
    return true
  }

  private plan(desk: Desk, plan: Plan, at: number): void {
    desk.plan = plan
    this.agenda.enter(desk, at)
  }

  private kickOff(desk: Desk, at: number): void {
    if (!desk.book.inPlay) this.plan(desk, 'close', at)
    else this.react(desk, true, at)
  }

  /** Something has happened. A desk sees it after its reaction time; if play has stopped, it suspends its prices. */
  private react(desk: Desk, isStopped: boolean, at: number): void {
    const { book, plan } = desk
    // A desk that is suspended, or about to be, sees the rest when it reopens.
    if (plan === 'suspend' || plan === 'reopen' || plan === 'close') return
    const next = isStopped && book.suspends && desk.hasQuoted ? 'suspend' : 'review'
    // A planned review is not postponed, or a slow bookmaker would never reach it in a fast match.
    if (plan === next) return
    this.plan(desk, next, at + book.reactionMs * this.random.between(1, 1.3))
  }

  /** Runs a desk that is due. Returns its observation, if any. */
  private wake(desk: Desk, at: number): Observation | undefined {
    const { random } = this
    switch (desk.plan) {
      case 'suspend': {
        const downMs = Math.max(desk.book.reactionMs * random.between(...DOWN_REACTIONS), DOWN_MS_MIN)
        this.plan(desk, 'reopen', at + downMs)
        for (let place = 0; place < desk.said.length; place++) {
          if (desk.said[place] === SAID.open) desk.said[place] = SAID.suspended
        }
        return observationOf(desk, at, [], 'suspended')
      }
      case 'close':
        // Also from bookmakers that never suspend: the event has left their offer.
        if (!desk.hasQuoted) return undefined
        desk.hasQuoted = false
        return observationOf(desk, at, [], 'closed')
      case 'look':
        return this.look(desk, at, false)
      case 'review':
      case 'reopen':
        return this.look(desk, at, true)
    }
  }

  /** Looks at some markets or at all. Returns what has changed. */
  private look(desk: Desk, at: number, isReview: boolean): Observation | undefined {
    const { book, stage } = desk
    const { markets } = stage.fixture.match
    this.plan(desk, 'look', at + this.requoteMs(desk, at))
    this.changeViews(desk, at)
    const isRepeat = at - desk.repeatedAt >= REPEAT_MS
    const prices: Price[] = []
    const chances = stage.chancesAt(at - book.reactionMs)
    let looks = markets.length
    if (isReview || isRepeat) desk.nextMarket = 0
    else if (book.requoteMs <= ONE_MARKET_MS_MAX) looks = 1
    else if (book.requoteMs <= THREE_MARKETS_MS_MAX) looks = 3
    for (let done = 0, skipped = 0; done < looks && skipped < markets.length; ) {
      const number = desk.nextMarket
      desk.nextMarket = (number + 1) % markets.length
      // A market that is not offered costs a fast desk no look.
      if (this.price(desk, number, chances, isRepeat, prices) || isReview || isRepeat) done++
      else skipped++
    }
    // Random offsets keep repeats from coming all at once.
    if (isRepeat) desk.repeatedAt = desk.repeatedAt === 0 ? at - REPEAT_MS * this.random.next() : at
    return prices.length > 0 ? observationOf(desk, at, prices, 'keep') : undefined
  }

  private requoteMs(desk: Desk, at: number): number {
    const { book, stage } = desk
    const jitter = this.random.between(0.7, 1.3) / PACE
    if (stage.isInPlay) return book.requoteMs * jitter
    const toGoMs = stage.fixture.event.kickoffAt - at
    const stretch = WAIT_STRETCHES.find(([within]) => toGoMs <= within)![1]
    return Math.min(book.requoteMs * stretch, WAIT_REQUOTE_MS_MAX) * jitter
  }

  /** Changes the views (an Ornstein-Uhlenbeck process): their deviation does not depend on how often a desk looks. */
  private changeViews(desk: Desk, at: number): void {
    const kept = Math.exp((-PACE * (at - desk.lookedAt)) / OPINION_MS)
    const news = OPINION_DEVIATION * Math.sqrt(1 - kept * kept)
    desk.homeView = desk.homeView * kept + news * this.random.gauss()
    desk.muchView = desk.muchView * kept + news * this.random.gauss()
    desk.lookedAt = at
  }

  /** Prices one market and adds what is to be sent. Returns whether the desk has the market on offer. */
  private price(desk: Desk, number: number, truth: Float64Array, isRepeat: boolean, prices: Price[]): boolean {
    const { book, stage, said, odds } = desk
    const market = stage.fixture.match.markets[number]!
    if (market.depth > book.depth || (market.draws !== null && market.draws !== book.draws)) return false
    const offset = stage.offsets[number]!
    const { outcomes } = market
    if (said[offset] === SAID.nothing && !this.isOffered(desk, market, offset, truth)) return false
    const chances = viewOf(desk, market, offset, truth, this.chances)
    if (truth[offset] === 1 || truth[offset + 1] === 1) {
      // Decided. A bookmaker without status semantics leaves the last price open until the event is over.
      if (book.suspends) this.say(desk, market, offset, 'closed', prices)
      return false
    }
    let most = 0
    let least = 1
    for (const chance of chances) {
      most = Math.max(most, chance)
      if (chance > 0) least = Math.min(least, chance)
    }
    const wasDown = said[offset] === SAID.suspended && most > RETURN_CHANCE_MAX
    if (book.suspends && (most > PROBABILITY_MAX || least < PROBABILITY_MIN || wasDown)) {
      this.say(desk, market, offset, 'suspended', prices)
      return false
    }
    if (!book.suspends) keepPriceable(chances)
    const oddsRatio = oddsRatioOf(chances, book.margin)
    const round = ROUNDINGS[book.rounding]
    let isMove = isRepeat
    for (let place = 0; place < outcomes.length; place++) {
      const slot = offset + place
      const off = Math.abs(round(oddsOf(chances[place]!, oddsRatio)) / odds[slot]! - 1)
      if (said[slot] !== SAID.closed && (said[slot] !== SAID.open || off > book.margin * MOVE_MARGINS)) isMove = true
    }
    if (!isMove) return true
    for (let place = 0; place < outcomes.length; place++) {
      const slot = offset + place
      if (said[slot] === SAID.closed) continue
      const chance = chances[place]!
      if (chance === 0) {
        if (said[slot] !== SAID.nothing) prices.push(priceOf(market, place, null, 'closed'))
        said[slot] = SAID.closed
        continue
      }
      const priced = round(oddsOf(chance, oddsRatio))
      if (!isRepeat && said[slot] === SAID.open && odds[slot] === priced) continue
      said[slot] = SAID.open
      odds[slot] = priced
      desk.hasQuoted = true
      prices.push(priceOf(market, place, priced, 'open'))
    }
    return true
  }

  /** Whether a desk begins to offer a market. */
  private isOffered(desk: Desk, market: MatchMarket, offset: number, truth: Float64Array): boolean {
    // A market with a line is offered where its sides are about even.
    const limit = market.line === null ? RETURN_CHANCE_MAX : LINE_CHANCE_MAX[desk.book.depth]
    for (let place = 0; place < market.outcomes.length; place++) {
      const chance = truth[offset + place]!
      if (chance > limit || (chance < PROBABILITY_MIN && chance > 0)) return false
    }
    return true
  }

  /** Gives all outcomes of a market that are not closed the same status. */
  private say(desk: Desk, market: MatchMarket, offset: number, status: 'suspended' | 'closed', prices: Price[]): void {
    const { said } = desk
    for (let place = 0; place < market.outcomes.length; place++) {
      const before = said[offset + place]!
      if (before === SAID.nothing || before === SAID.closed || before === SAID[status]) continue
      said[offset + place] = SAID[status]
      prices.push(priceOf(market, place, null, status))
    }
  }
}
