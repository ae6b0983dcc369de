// An event of the simulator as its bookmakers see it, and a bookmaker's pricing of it: a desk.

import type { Observation, Others, Price } from '../../domain/observation.ts'
import type { Ticketed } from './agenda.ts'
import type { Book } from './books.ts'
import type { Fixture } from './fixture-maker.ts'
import type { MatchMarket } from './match.ts'

/** Past states of an event that desks can still see; with steps of a second this covers the slowest reaction. */
const VIEWS_MAX = 8

/** A bookmaker that cannot suspend a price keeps pricing, with chances no smaller than this. */
const PLAIN_CHANCE_MIN = 0.025

/** The status that a desk last sent for an outcome. */
export const SAID = { nothing: 0, open: 1, suspended: 2, closed: 3 } as const

/** What a desk does when it is due. */
export type Plan = 'look' | 'review' | 'suspend' | 'reopen' | 'close'

/** An event as desks see it. */
export class Stage implements Ticketed {
  ticket = 0
  readonly fixture: Fixture
  /** Place of each market's first outcome. */
  readonly offsets: readonly number[]
  readonly outcomesTotal: number
  readonly desks: Desk[] = []
  isInPlay = false
  /** The event was played up to here. */
  playedAt: number
  private readonly views: { at: number; chances: Float64Array }[] = []
  private newest = 0

  constructor(fixture: Fixture, now: number) {
    this.fixture = fixture
    this.playedAt = now
    let total = 0
    this.offsets = fixture.match.markets.map((market) => {
      const offset = total
      total += market.outcomes.length
      return offset
    })
    this.outcomesTotal = total
    for (let place = 0; place < VIEWS_MAX; place++) this.views.push({ at: -1, chances: new Float64Array(total) })
  }

  /** Stores the current chances. */
  record(at: number): void {
    this.newest = (this.newest + 1) % VIEWS_MAX
    const view = this.views[this.newest]!
    view.at = at
    this.fixture.match.fillProbabilities(view.chances)
  }

  /** The chances at a time, or the oldest that are stored. */
  chancesAt(at: number): Float64Array {
    let place = this.newest
    for (let back = 1; back < VIEWS_MAX && this.views[place]!.at > at; back++) {
      const before = (place + VIEWS_MAX - 1) % VIEWS_MAX
      if (this.views[before]!.at === -1) break
      place = before
    }
    return this.views[place]!.chances
  }
}

/** A bookmaker's pricing of one event. */
export class Desk implements Ticketed {
  ticket = 0
  plan: Plan = 'review'
  readonly book: Book
  readonly stage: Stage
  /** What it last sent: status and odds of every outcome of the event. */
  readonly said: Uint8Array
  readonly odds: Float64Array
  hasQuoted = false
  /** No observation goes back in time. */
  observedAt = 0
  /** When it last sent everything. */
  repeatedAt = 0
  lookedAt = 0
  homeView = 0
  muchView = 0
  nextMarket = 0

  constructor(book: Book, stage: Stage) {
    this.book = book
    this.stage = stage
    this.said = new Uint8Array(stage.outcomesTotal)
    this.odds = new Float64Array(stage.outcomesTotal)
  }
}

export const priceOf = (market: MatchMarket, place: number, odds: number | null, status: Price['status']): Price => ({
  type: market.type,
  line: market.line,
  outcome: market.outcomes[place]!,
  odds,
  status,
})

export const observationOf = (desk: Desk, at: number, prices: Price[], others: Others): Observation => {
  desk.observedAt = Math.max(desk.observedAt, Math.floor(at))
  return {
    bookmaker: desk.book.bookmaker.slug,
    transport: desk.book.transport,
    observedAt: desk.observedAt,
    event: desk.stage.fixture.event,
    prices,
    others,
  }
}

/** The chances of a market as a desk sees them: the truth, shifted by its views, with the same sum. */
export const viewOf = (
  desk: Desk,
  market: MatchMarket,
  offset: number,
  truth: Float64Array,
  into: number[],
): number[] => {
  const { outcomes, homeLean, muchLean, winners } = market
  into.length = 0
  let sum = 0
  for (let place = 0; place < outcomes.length; place++) {
    // With two winners the left-out outcome is shifted: "home or draw" is the complement of away.
    const chance = winners === 1 ? truth[offset + place]! : 1 - truth[offset + place]!
    const bent = chance * Math.exp(desk.homeView * homeLean[place]! + desk.muchView * muchLean[place]!)
    into.push(bent)
    sum += bent
  }
  for (let place = 0; place < outcomes.length; place++) {
    into[place] = winners === 1 ? into[place]! / sum : 1 - into[place]! / sum
  }
  return into
}

/** Lifts the smallest chances, at the cost of the largest, until all can be priced. */
export const keepPriceable = (chances: number[]): void => {
  let lifted = 0
  let largest = 0
  for (let place = 0; place < chances.length; place++) {
    if (chances[place]! > chances[largest]!) largest = place
    if (chances[place]! >= PLAIN_CHANCE_MIN) continue
    lifted += PLAIN_CHANCE_MIN - chances[place]!
    chances[place] = PLAIN_CHANCE_MIN
  }
  chances[largest]! -= lifted
}
