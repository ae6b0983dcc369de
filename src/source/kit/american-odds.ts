// American odds (docs/feeds.md 2.9): what a stake of 100 wins where above 0, what must be staked to win 100 where below.

const LEAST = 100

/**
 * Decimal odds of American ones, to three digits, half goes up: 253 is 3.53, -142 is 1.704. Undefined when there is no
 * such price (between -100 and 100), nothing to win at it, or more than can be told.
 */
export const decimalOdds = (american: number): number | undefined => {
  if (!(Math.abs(american) >= LEAST)) return undefined
  const odds = Math.round(american > 0 ? 1000 + 10 * american : 1000 + 100_000 / -american) / 1000
  return odds > 1 && Number.isFinite(odds) ? odds : undefined
}
