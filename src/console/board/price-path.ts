// The prices of one quote since the page was opened, in bounded memory.

/** Points of a path. Older ones are dropped: at a change a second these are four minutes. */
export const PATH_POINTS_MAX = 256

const FIRST_POINTS = 8

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

  get length(): number {
    return Math.min(this.count, PATH_POINTS_MAX)
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
    const at = new Float64Array(this.at.length * 2)
    const odds = new Float64Array(this.at.length * 2)
    at.set(this.at)
    odds.set(this.odds)
    this.at = at
    this.odds = odds
  }
}
