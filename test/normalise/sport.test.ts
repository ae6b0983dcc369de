import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SPORTS } from '../../src/domain/sport.ts'
import { sportOfTheOddsApi } from '../../src/normalise/sport.ts'

/** FEEDS section 3, the column of The Odds API. */
const PREFIXES: Readonly<Record<string, readonly string[]>> = {
  football: ['soccer'],
  tennis: ['tennis'],
  basketball: ['basketball'],
  ice_hockey: ['icehockey'],
  handball: ['handball'],
  baseball: ['baseball'],
  darts: ['darts'],
  australian_rules: ['aussierules'],
  rugby: ['rugbyleague', 'rugbyunion'],
  cricket: ['cricket'],
  combat_sport: ['boxing', 'mma'],
  volleyball: ['volleyball'],
  american_football: ['americanfootball'],
  golf: ['golf'],
  table_tennis: ['tabletennis'],
  snooker: ['snooker'],
}

test('each prefix of The Odds API has its sport', () => {
  for (const sport of SPORTS) {
    for (const prefix of PREFIXES[sport] ?? []) assert.equal(sportOfTheOddsApi(prefix), sport)
  }
})

test('what is not listed has none, words of the language included', () => {
  for (const prefix of ['lacrosse', 'politics', '', 'Soccer', 'constructor', '__proto__']) {
    assert.equal(sportOfTheOddsApi(prefix), undefined, prefix)
  }
})
