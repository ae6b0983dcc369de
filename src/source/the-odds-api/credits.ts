// The credits of The Odds API: how many are left, what a poll costs, and how far apart polls must be for the credits to last
// until there are new ones.

/** What may be spent. */
export interface CreditLimits {
  /** What the plan gives each month; null: known only by what the answers say. */
  readonly perMonth: number | null
  /** What is left for others: no poll goes below. */
  readonly reserve: number
  /** Day of the month, UTC, from 1 to 28, on which the credits are new. */
  readonly resetDay: number
}

/** Something polled for credits. */
export interface Spender {
  readonly key: string
  /** What it gets when there is enough, ms. */
  readonly intervalMs: number
  /** Share of what there is when there is not enough: twice the priority is polled twice as often. */
  readonly priority: number
  /** What a poll costs by the price list: markets times regions. */
  readonly cost: number
}

const NUMBER = /^\d{1,12}(\.\d+)?$/

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && NUMBER.test(text) ? Number(text) : undefined

/** The first moment of the next period after a time, epoch ms. */
export const resetAfter = (nowAt: number, resetDay: number): number => {
  const now = new Date(nowAt)
  const thisMonth = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), resetDay)
  return thisMonth > nowAt ? thisMonth : Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, resetDay)
}

export class Credits {
  private readonly limits: CreditLimits
  private readonly spenders: readonly Spender[]
  /** What the last poll of a spender really cost: nothing where nothing was on offer. */
  private readonly costs = new Map<string, number>()
  private remainingNow: number | null
  private usedNow: number | null = null
  private lastCost: number | null = null
  private periodEndAt: number

  constructor(limits: CreditLimits, spenders: readonly Spender[], nowAt: number) {
    this.limits = limits
    this.spenders = spenders
    this.remainingNow = limits.perMonth
    this.periodEndAt = resetAfter(nowAt, limits.resetDay)
  }

  /** Null: nobody has said yet. */
  get remaining(): number | null {
    return this.remainingNow
  }

  get used(): number | null {
    return this.usedNow
  }

  /** Cost of the last request. */
  get last(): number | null {
    return this.lastCost
  }

  /** When there are new ones, epoch ms. */
  get resetAt(): number {
    return this.periodEndAt
  }

  /**
   * Reads the headers of an answer.
   * @param spenderKey of the spender that was polled; anything else: a request that is free
   * @returns whether there are more credits than before
   */
  read(spenderKey: string, header: (name: string) => string | undefined, nowAt: number): boolean {
    this.turnTo(nowAt)
    const before = this.remainingNow
    const last = numberOf(header('x-requests-last'))
    this.usedNow = numberOf(header('x-requests-used')) ?? this.usedNow
    this.remainingNow = numberOf(header('x-requests-remaining')) ?? before
    if (last !== undefined) {
      this.lastCost = last
      if (this.spenders.some(({ key }) => key === spenderKey)) this.costs.set(spenderKey, last)
    }
    return before !== null && this.remainingNow !== null && this.remainingNow > before
  }

  /** The source says that there are none left. */
  exhaust(): void {
    this.remainingNow = 0
  }

  /** Whether a poll leaves the reserve as it is. Unknown credits are tried. */
  affords({ key, cost }: Spender, nowAt: number): boolean {
    this.turnTo(nowAt)
    // Not what it cost last: that may have been nothing, out of season.
    const costMax = Math.max(cost, this.costs.get(key) ?? 0)
    return this.remainingNow === null || this.remainingNow - costMax >= this.limits.reserve
  }

  /** From one poll of a spender to the next, ms: its own interval, or longer so that the credits last. */
  intervalMs(spender: Spender, nowAt: number): number {
    this.turnTo(nowAt)
    const leftMs = this.periodEndAt - nowAt
    if (this.remainingNow === null) return spender.intervalMs
    const share = this.shareOf((this.remainingNow - this.limits.reserve) / leftMs)
    const stretchedMs = share > 0 ? 1 / (share * spender.priority) : leftMs
    return Math.max(spender.intervalMs, Math.min(stretchedMs, leftMs))
  }

  /** How many times slower than configured the slowest spender is polled; 1: none is. */
  stretch(nowAt: number): number {
    let stretch = 1
    for (const spender of this.spenders) {
      stretch = Math.max(stretch, this.intervalMs(spender, nowAt) / spender.intervalMs)
    }
    return stretch
  }

  /**
   * Polls per ms for a priority of 1. Whoever needs less than its share leaves the rest to the others: those that get all
   * they want are taken out, one after the other, until the rest is short together. Infinity: nobody is short.
   * @param creditsPerMs to be spent by all
   */
  private shareOf(creditsPerMs: number): number {
    let left = Math.max(0, creditsPerMs)
    let weight = 0
    const wanting = this.spenders
      .map(({ key, priority, intervalMs, cost }) => {
        const paid = this.costs.get(key) ?? cost
        weight += paid * priority
        return { spending: paid / intervalMs, weight: paid * priority, shareWanted: 1 / (intervalMs * priority) }
      })
      .sort((one, other) => one.shareWanted - other.shareWanted)
    for (const { spending, weight: own, shareWanted } of wanting) {
      if (weight <= 0 || left / weight < shareWanted) break
      left -= spending
      weight -= own
      if (weight <= 1e-9) return Number.POSITIVE_INFINITY
    }
    return weight <= 0 ? Number.POSITIVE_INFINITY : Math.max(0, left) / weight
  }

  private turnTo(nowAt: number): void {
    if (nowAt < this.periodEndAt) return
    this.periodEndAt = resetAfter(nowAt, this.limits.resetDay)
    this.remainingNow = this.limits.perMonth
    this.usedNow = null
  }
}
