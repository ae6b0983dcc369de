// The prices of one quote since the page was opened, in bounded memory.

/** Points of a path. Older ones are dropped: at a change a second these are four minutes. */
export const PATH_POINTS_MAX = 256

const FIRST_POINTS = 8

/** Points that all paths of a board may hold beyond the first few of each: 16 MB. Where they are used up, paths are shorter. */
export const BOARD_POINTS_MAX = 1_000_000

export interface PathBudget {
  left: number
}

export interface PathPoint {
  /** Ms since the page was opened. */
  readonly at: number
  readonly odds: number
  readonly isOpen: boolean
}

/** A ring that grows up to {@link PATH_POINTS_MAX}: most quotes change rarely, and hold a few points only. */
export class PricePath {
  private at = new Float64Array(FIRST_POINTS)
  /** Negative where the quote was not open. */
  private odds = new Float64Array(FIRST_POINTS)
  private count = 0
  private readonly budget: PathBudget

  /** @param budget shared by the paths of a board */
  constructor(budget: PathBudget = { left: PATH_POINTS_MAX }) {
    this.budget = budget
  }

  get length(): number {
    return Math.min(this.count, this.at.length)
  }

  /** Gives back what it has of the budget; it is not used any more. */
  end(): void {
    this.budget.left += this.at.length - FIRST_POINTS
  }

  push(at: number, odds: number, isOpen: boolean): void {
    if (this.count === this.at.length && this.count < PATH_POINTS_MAX) this.grow()
    const place = this.count % this.at.length
    this.at[place] = at
    this.odds[place] = isOpen ? odds : -odds
    this.count++
  }

  /** Oldest first. */
  points(): PathPoint[] {
    const points: PathPoint[] = []
    for (let number = this.count - this.length; number < this.count; number++) {
      const place = number % this.at.length
      const odds = this.odds[place]!
      points.push({ at: this.at[place]!, odds: Math.abs(odds), isOpen: odds > 0 })
    }
    return points
  }

  private grow(): void {
    if (this.budget.left < this.at.length) return
    this.budget.left -= this.at.length
    const at = new Float64Array(this.at.length * 2)
    const odds = new Float64Array(this.at.length * 2)
    at.set(this.at)
    odds.set(this.odds)
    this.at = at
    this.odds = odds
  }
}
