// The overround of a market: by how much the chances that its prices stand for exceed certainty.

/** Outcomes of which exactly one wins, by market type. Of other types a list need not be complete, so no sum means anything. */
const EXHAUSTIVE: Readonly<Record<string, readonly string[]>> = {
  match_result_1x2: ['home', 'draw', 'away'],
  match_winner: ['home', 'away'],
  map_winner: ['home', 'away'],
  total_goals: ['over', 'under'],
  total: ['over', 'under'],
  first_half_total_goals: ['over', 'under'],
  second_half_total_goals: ['over', 'under'],
  corners_total: ['over', 'under'],
  cards_total: ['over', 'under'],
  btts: ['yes', 'no'],
  odd_even: ['odd', 'even'],
}

/** Three-way where somebody prices a draw, such as a fight. */
const MAY_DRAW = new Set(['match_winner'])

/**
 * @param odds decimal odds of an outcome; undefined where none is open
 * @returns such as 0.052 for 5.2 %; undefined where a price is missing, or the type has no complete list
 */
export const overround = (type: string, odds: (outcome: string) => number | undefined): number | undefined => {
  const outcomes = EXHAUSTIVE[type]
  if (outcomes === undefined) return undefined
  let sum = 0
  for (const outcome of outcomes) {
    const price = odds(outcome)
    if (price === undefined) return undefined
    sum += 1 / price
  }
  const draw = MAY_DRAW.has(type) ? odds('draw') : undefined
  return sum + (draw === undefined ? 0 : 1 / draw) - 1
}

export const hasOverround = (type: string): boolean => type in EXHAUSTIVE
