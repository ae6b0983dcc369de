import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MARKET_TYPES, type MarketType } from '../../src/domain/market.ts'
import { swapLine, swapOutcome } from '../../src/domain/swapping.ts'

const PAIRS: readonly [MarketType, string, string][] = [
  ['match_result_1x2', 'home', 'away'],
  ['match_result_1x2', 'draw', 'draw'],
  ['double_chance', 'home_or_draw', 'draw_or_away'],
  ['double_chance', 'home_or_away', 'home_or_away'],
  ['correct_score', '2-1', '1-2'],
  ['correct_score', 'other', 'other'],
  ['halftime_fulltime', 'home/draw', 'away/draw'],
  ['winning_margin', 'home:3+', 'away:3+'],
  ['winning_margin', 'draw:no_goals', 'draw:no_goals'],
  ['clean_sheet', 'away:no', 'home:no'],
  ['first_to_score', 'none', 'none'],
  ['total_goals', 'over', 'over'],
  ['goalscorer', 'first:home', 'first:home'],
  ['outright', 'home', 'home'],
  ['spread', 'home', 'away'],
  ['map_winner', 'away', 'home'],
]

test('outcomes turn with the sides, and back again', () => {
  for (const [type, outcome, swapped] of PAIRS) {
    assert.equal(swapOutcome(type, outcome), swapped)
    assert.equal(swapOutcome(type, swapped), outcome)
  }
})

test('the sign of a handicap turns, every other line stays', () => {
  for (const type of MARKET_TYPES) {
    const isHandicap = ['spread', 'run_line', 'puck_line'].includes(type)
    assert.equal(swapLine(type, -1.5), isHandicap ? 1.5 : -1.5)
    assert.ok(Object.is(swapLine(type, 0), 0), 'no negative zero')
    assert.equal(swapLine(type, null), null)
  }
})
