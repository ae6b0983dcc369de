// American odds (docs/feeds.md 2.9): above 0 the profit on a stake of 100, below 0 the stake for a profit of 100.

const LEAST = 100

/**
 * Decimal odds of American ones, to three digits, half rounds up: 253 is 3.53, -142 is 1.704. Undefined when there is
 * no such price (between -100 and 100), when it has no profit, or when it is out of range.
 */
export const decimalOdds = (american: number): number | undefined => {
  if (!(Math.abs(american) >= LEAST)) return undefined
  const odds = Math.round(american > 0 ? 1000 + 10 * american : 1000 + 100_000 / -american) / 1000
  return odds > 1 && Number.isFinite(odds) ? odds : undefined
}
