import assert from 'node:assert/strict'
import { test } from 'node:test'
import { handicapTypeOf, homeLine, moneylineTypeOf, totalTypeOf } from '../../../src/source/kit/market-words.ts'

test('handicaps, totals and moneylines have the type of their sport', () => {
  assert.equal(handicapTypeOf('baseball'), 'run_line')
  assert.equal(handicapTypeOf('ice_hockey'), 'puck_line')
  assert.equal(handicapTypeOf('football'), 'spread')
  assert.equal(totalTypeOf('football'), 'total_goals')
  assert.equal(totalTypeOf('ice_hockey'), 'total')
  assert.equal(moneylineTypeOf('football', true), 'match_result_1x2')
  assert.equal(moneylineTypeOf('football', false), 'match_result_1x2')
  assert.equal(moneylineTypeOf('combat_sport', true), 'fight_betting')
  assert.equal(moneylineTypeOf('combat_sport', false), 'match_winner')
  assert.equal(moneylineTypeOf('cricket', true), 'match_result_1x2')
  assert.equal(moneylineTypeOf('tennis', false), 'match_winner')
})

test('a handicap is the home side’s, and never -0', () => {
  assert.ok(Object.is(homeLine('home', -1.5), -1.5))
  assert.ok(Object.is(homeLine('away', 1.5), -1.5))
  for (const side of ['home', 'away'] as const) {
    assert.ok(Object.is(homeLine(side, 0), 0), side)
    assert.ok(Object.is(homeLine(side, -0), 0), side)
  }
})
