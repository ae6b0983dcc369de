import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MARKET_TYPES } from '../../../src/domain/market.ts'
import { Account, UNMAPPED_REASONS } from '../../../src/source/kit/account.ts'

test('every outcome is in one place, and the places add up', () => {
  const account = new Account()
  account.read += 12
  account.count('h2h', 'match_result_1x2', 5)
  account.count('h2h', 'match_winner', 2)
  account.count('h2h', 'bad_price')
  account.count('lay', 'lay', 2)
  account.count('h2h', 'no_price')
  assert.equal(account.isBalanced(), false, 'one is missing')
  account.count('h2h', 'outcome')
  assert.equal(account.isBalanced(), true)
  assert.deepEqual(account.totals(), {
    read: 12,
    mapped: 7,
    noPrice: 1,
    badPrice: 1,
    unmapped: 3,
    unmappedBy: new Map([
      ['outcome', 1],
      ['lay', 2],
    ]),
    malformed: 0,
    dated: 0,
  })
  assert.deepEqual(
    account.sourceMarkets().map(({ sourceMarket, fates }) => [sourceMarket, Object.fromEntries(fates)]),
    [
      ['h2h', { match_result_1x2: 5, match_winner: 2, bad_price: 1, no_price: 1, outcome: 1 }],
      ['lay', { lay: 2 }],
    ],
  )
})

test('a source market of another sport is another row', () => {
  const account = new Account()
  account.read += 4
  for (const sport of ['basketball', 'lacrosse', 'basketball', null]) {
    account.sport = sport
    account.count('total', sport === 'basketball' ? 'total' : 'sport')
  }
  assert.deepEqual(
    account.sourceMarkets().map(({ sport, sourceMarket, fates }) => [sport, sourceMarket, ...fates]),
    [
      ['basketball', 'total', ['total', 2]],
      ['lacrosse', 'total', ['sport', 1]],
      [null, 'total', ['sport', 1]],
    ],
  )
  assert.ok(account.isBalanced())
})

test('no market type is called like a place', () => {
  for (const place of [...UNMAPPED_REASONS, 'no_price', 'bad_price']) {
    assert.ok(!(MARKET_TYPES as readonly string[]).includes(place), place)
  }
})

test('a payload cannot grow the account for ever, and nothing goes uncounted', () => {
  const account = new Account()
  for (let market = 0; market < 10_000; market++) {
    account.read++
    account.count(`market ${market}`, 'market')
  }
  assert.ok(account.sourceMarkets().length <= 2_001)
  assert.ok(account.isBalanced())
})
