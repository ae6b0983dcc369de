// The credits of The Odds API: how many are left, what a poll costs, and how far apart polls must be for the credits to
// last until the next period.

/** The budget. */
export interface CreditLimits {
  /** Credits of the plan in a month; null: known only from the answers. */
  readonly perMonth: number | null
  /** Credits that are left for others: no poll goes below. */
  readonly reserve: number
  /** Day of the month, UTC, from 1 to 28, on which a period begins. */
  readonly resetDay: number
}

/** A target whose polls cost credits. */
export interface Spender {
  readonly key: string
  /** Its interval when credits suffice, ms. */
  readonly intervalMs: number
  /** Its share when credits are short: twice the priority is polled twice as often. */
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
  /** The actual cost of a spender's last poll: 0 where nothing was on offer. */
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

  /** Null: not known yet. */
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

  /** When the next period begins, epoch ms. */
  get resetAt(): number {
    return this.periodEndAt
  }

  /**
   * Reads the headers of an answer.
   * @param spenderKey of the spender that was polled; anything else: a free request
   * @returns whether there are more credits than before
   */
  read(spenderKey: string, header: (name: string) => string | undefined, nowAt: number): boolean {
    this.rollOver(nowAt)
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

  /** The source answered that none are left. */
  exhaust(): void {
    this.remainingNow = 0
  }

  /** Whether a poll leaves the reserve untouched. True while the credits are unknown. */
  affords({ key, cost }: Spender, nowAt: number): boolean {
    this.rollOver(nowAt)
    // Not only its last cost: that may have been 0, out of season.
    const costMax = Math.max(cost, this.costs.get(key) ?? 0)
    return this.remainingNow === null || this.remainingNow - costMax >= this.limits.reserve
  }

  /** Interval of a spender, ms: its own, or longer so that the credits last. */
  intervalMs(spender: Spender, nowAt: number): number {
    this.rollOver(nowAt)
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
   * Polls per ms for a priority of 1. A spender that needs less than its share leaves the rest to the others: spenders
   * that get their full interval are removed one after the other, until the rest are short together. Infinity: no
   * spender is short.
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

  private rollOver(nowAt: number): void {
    if (nowAt < this.periodEndAt) return
    this.periodEndAt = resetAfter(nowAt, this.limits.resetDay)
    this.remainingNow = this.limits.perMonth
    this.usedNow = null
  }
}
