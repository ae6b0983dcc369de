import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SPORTS } from '../../../src/domain/sport.ts'
import {
  sportOfBetfair,
  sportOfKambi,
  sportOfPinnacle,
  sportOfTheOddsApi,
  sportOfUof,
} from '../../../src/source/kit/sport-words.ts'

/** docs/feeds.md 3, a column a line. */
const THE_ODDS_API: Readonly<Record<string, readonly string[]>> = {
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

/** In the order of the sports; commas part the sports, spaces the words of one. */
const KAMBI =
  'football,tennis,basketball,ice_hockey,handball,baseball,darts,australian_rules,rugby_union rugby_league,cricket,' +
  'boxing ufc_mma martial_arts,volleyball,american_football,golf,motorsports formula_1 nascar,cycling,table_tennis,' +
  'snooker,badminton,esports,water_polo,winter_sports alpine_skiing biathlon cross_country ski_jumping'
const PINNACLE = '29,33,4,19,18,3,10,39,26 27,8,6 22,34,15,17,44 63,45,32,28,1,12,36,40 41 42 43'
const BETFAIR = '1,2,7522,7524,468328,7511,3503,61420,5 1477,4,6 26420387,998917,6423,3,8,11,,6422,,27454571,,451485'
const UOF =
  '1,5,2,4,6,3,22,13,12 59,21,10 117,23,16,9,11 40 70,17,20,19,31,' +
  '107 109 110 111 112 113 114 115 118 119 120 121 122 123 124 125 127 128 132 133 134,26,14 43 44 46 48'

const columnOf = (column: string): (readonly string[])[] =>
  column.split(',').map((words) => words.split(' ').filter((word) => word !== ''))

test('each word of a source has its sport', () => {
  for (const column of [KAMBI, PINNACLE, BETFAIR, UOF]) assert.equal(columnOf(column).length, SPORTS.length)
  for (const [place, sport] of SPORTS.entries()) {
    for (const prefix of THE_ODDS_API[sport] ?? []) assert.equal(sportOfTheOddsApi(prefix), sport, prefix)
    for (const termKey of columnOf(KAMBI)[place]!) assert.equal(sportOfKambi(termKey), sport, termKey)
    for (const id of columnOf(PINNACLE)[place]!) assert.equal(sportOfPinnacle(Number(id)), sport, id)
    for (const id of columnOf(BETFAIR)[place]!) assert.equal(sportOfBetfair(id), sport, id)
    for (const id of columnOf(UOF)[place]!) assert.equal(sportOfUof(`sr:sport:${id}`), sport, id)
  }
})

test('what is not listed has none, words of the language included', () => {
  for (const word of ['lacrosse', 'politics', '', 'Soccer', 'constructor', '__proto__']) {
    assert.equal(sportOfTheOddsApi(word), undefined, word)
    assert.equal(sportOfKambi(word), undefined, word)
    assert.equal(sportOfBetfair(word), undefined, word)
    assert.equal(sportOfUof(word), undefined, word)
  }
  assert.equal(sportOfBetfair('7'), undefined) // horse racing
  assert.equal(sportOfUof('1'), undefined)
  assert.equal(sportOfPinnacle(64), undefined)
  assert.equal(sportOfPinnacle(Number.NaN), undefined)
})
