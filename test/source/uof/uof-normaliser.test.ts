// What each message of the Unified Odds Feed does to the quotes that are known.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Fixture, Observation } from '../../../src/domain/observation.ts'
import type { Sport } from '../../../src/domain/sport.ts'
import { Account } from '../../../src/source/kit/account.ts'
import { isFormatFault, NOTHING_KNOWN } from '../../../src/source/kit/normaliser.ts'
import { type UofNormaliser, type UofNormaliserOptions, uofNormaliser } from '../../../src/source/uof/uof-normaliser.ts'
import { ROOT } from '../../root.ts'

const EVENT = 'sr:match:1'

const fixtureIn = (sport: Sport): Fixture => ({
  sport,
  leagueKey: 'unknown',
  leagueName: 'unknown',
  home: 'Northport',
  away: 'Southgate',
  kickoffAt: Date.parse('2026-11-21T15:00:00Z'),
})

interface Reader {
  readonly account: Account
  readonly normaliser: UofNormaliser
  readonly malformed: string[]
  /** `AT type line outcome odds status` of each price that a text gives, AT relative to the first hundred. */
  take(text: string): string[]
}

const linesOf = (observations: Iterable<Observation>): string[] =>
  Array.from(observations).flatMap(({ observedAt, prices }) =>
    prices.map(({ type, line, outcome, odds, status }) =>
      [observedAt, type, line, outcome, odds, status].filter((part) => part !== null).join(' '),
    ),
  )

const reader = (options: Partial<UofNormaliserOptions> = {}, sport: Sport = 'football'): Reader => {
  const account = new Account()
  const malformed: string[] = []
  const normaliser = uofNormaliser({
    account,
    facts: { ...NOTHING_KNOWN, fixtureOf: () => fixtureIn(sport) },
    transport: null,
    limits: { pricesMax: 100, textLengthMax: 100 },
    onMalformed: (place, reason) => malformed.push(`${place} ${reason}`),
    ...options,
  })
  const take = (text: string): string[] => {
    const observations = normaliser.read(text, 1)
    assert(!isFormatFault(observations))
    const lines = linesOf(observations)
    assert.ok(account.isBalanced())
    return lines
  }
  return { account, normaliser, malformed, take }
}

type Outcome = readonly [id: string | number, odds: number | null, active?: 0 | 1]

const market = (id: number, specifiers: string, status: number, ...outcomes: readonly Outcome[]): string => {
  const rows = outcomes.map(
    ([key, odds, active = 1]) => `<outcome id="${key}"${odds === null ? '' : ` odds="${odds}"`} active="${active}"/>`,
  )
  return `<market id="${id}" specifiers="${specifiers}" status="${status}">${rows.join('')}</market>`
}

const message = (kind: string, at: number, markets = '', more = '', product = 1, event = EVENT): string =>
  `<${kind} product="${product}" event_id="${event}" timestamp="${at}" ${more}>${markets}</${kind}>`

const change = (at: number, markets: string, product = 1, event = EVENT): string =>
  message('odds_change', at, `<odds>${markets}</odds>`, '', product, event)

const BTTS = market(29, '', 1, [74, 1.8], [76, 2])

test('a recording of several messages is read one after the other', () => {
  const { account, normaliser, take } = reader()
  const text = readFileSync(join(ROOT, 'fixtures', 'uof', 'messages.xml'), 'utf8')
  const at = 1795284000000
  assert.deepEqual(take(text), [
    `${at + 1000} match_result_1x2 home 2.1 open`,
    `${at + 1000} match_result_1x2 draw 3.4 open`,
    `${at + 1000} match_result_1x2 away 3.6 open`,
    `${at + 1000} spread -0.5 home 2.08 open`,
    `${at + 1000} spread -0.5 away 1.78 open`,
    `${at + 1000} total_goals 2.5 over 1.9 open`,
    ...['match_result_1x2 home 2.1', 'match_result_1x2 draw 3.4', 'match_result_1x2 away 3.6'].map(
      (quote) => `${at + 2000} ${quote} suspended`,
    ),
    `${at + 2000} spread -0.5 home 2.08 suspended`,
    `${at + 2000} spread -0.5 away 1.78 suspended`,
    `${at + 2000} total_goals 2.5 over 1.9 suspended`,
    `${at + 3000} match_result_1x2 home 2.1 open`,
    `${at + 3000} match_result_1x2 draw 3.4 open`,
    `${at + 3000} match_result_1x2 away 3.6 open`,
    `${at + 3000} total_goals 2.5 over 1.95 suspended`,
    `${at + 4000} spread -0.5 home 2.08 closed`,
    `${at + 4000} spread -0.5 away 1.78 closed`,
    `${at + 7000} match_result_1x2 home 2.1 suspended`,
    `${at + 7000} match_result_1x2 draw 3.4 suspended`,
    `${at + 7000} match_result_1x2 away 3.6 suspended`,
  ])
  const { read, mapped, noPrice, unmapped } = account.totals()
  assert.deepEqual([read, mapped, noPrice, unmapped], [9, 7, 1, 1])
  assert.equal(normaliser.confirmAt(1), at + 7000)
})

test('an outcome that is not listed, has no price, a bad one, or is not active is suspended', () => {
  const { account, take } = reader()
  take(change(1, market(1, '', 1, [1, 2.1], [2, 3.4], [3, 3.6]) + BTTS))
  assert.deepEqual(take(change(2, market(1, '', 1, [1, null], [2, 1]))), [
    '2 match_result_1x2 home 2.1 suspended',
    '2 match_result_1x2 draw 3.4 suspended',
    '2 match_result_1x2 away 3.6 suspended',
  ])
  assert.deepEqual(take(change(3, market(29, '', 1, [74, 1.7, 0], [76, 2.2]))), [
    '3 btts yes 1.7 suspended',
    '3 btts no 2.2 open',
  ])
  // Open again, but not what was not open within it.
  assert.deepEqual(take(change(4, market(29, '', 0))), ['4 btts no 2.2 suspended'])
  assert.deepEqual(take(change(5, market(29, '', 1) + market(1, '', 1))), ['5 btts no 2.2 open'])
  assert.deepEqual(take(change(6, market(29, '', -3))), ['6 btts yes 1.7 closed', '6 btts no 2.2 closed'])
  const { mapped, noPrice, badPrice } = account.totals()
  assert.deepEqual([mapped, noPrice, badPrice], [7, 1, 1])
})

test('what is closed is touched by nothing but a newer price', () => {
  const { take } = reader()
  take(change(1, BTTS + market(26, '', 1, [70, 1.9], [72, 1.9])))
  assert.equal(take(message('bet_settlement', 5, `<outcomes>${market(29, '', 1)}</outcomes>`)).length, 2)
  assert.deepEqual(take(message('bet_stop', 6)), ['6 odd_even odd 1.9 suspended', '6 odd_even even 1.9 suspended'])
  assert.deepEqual(take(change(7, market(29, '', 1))), [])
  assert.deepEqual(take(change(5, BTTS)), [])
  assert.deepEqual(take(change(8, BTTS)), ['8 btts yes 1.8 open', '8 btts no 2 open'])
})

test('bet_cancel closes, but not for a span of time; rollbacks and fixture changes do nothing', () => {
  const { take, normaliser } = reader()
  take(change(1, BTTS))
  const rows = market(29, '', 1)
  assert.deepEqual(take(message('bet_cancel', 2, rows, 'end_time="5"')), [])
  assert.deepEqual(take(message('bet_cancel', 2, market(18, 'total=2.5', 1))), [])
  for (const kind of ['rollback_bet_settlement', 'rollback_bet_cancel', 'fixture_change']) {
    assert.deepEqual(take(message(kind, 3, rows)), [], kind)
  }
  assert.deepEqual(take(message('bet_cancel', 4, rows)), ['4 btts yes 1.8 closed', '4 btts no 2 closed'])
  assert.equal(normaliser.size, 0, 'an event with nothing open is forgotten')
  assert.deepEqual(take(message('bet_stop', 5)), [])
})

test('an older message does not count, one of the same time does', () => {
  const { take } = reader()
  take(change(10, BTTS))
  assert.deepEqual(take(message('bet_stop', 9)), [])
  assert.deepEqual(take(change(9, market(29, '', 1, [74, 1.5], [76, 2.5]))), [])
  assert.deepEqual(take(change(10, market(29, '', 1, [74, 1.6], [76, 2.4]))), [
    '10 btts yes 1.6 open',
    '10 btts no 2.4 open',
  ])
})

test('a product that cannot be believed: suspended at its newest time, open again by what is not older than before', () => {
  const { normaliser, take } = reader()
  take(change(10, BTTS) + change(20, market(26, '', 1, [70, 1.9], [72, 1.9])) + change(15, BTTS, 3, 'sr:match:2'))
  assert.deepEqual(linesOf(normaliser.suspendProduct(1)), [
    '20 btts yes 1.8 suspended',
    '20 btts no 2 suspended',
    '20 odd_even odd 1.9 suspended',
    '20 odd_even even 1.9 suspended',
  ])
  assert.deepEqual(normaliser.suspendProduct(1), [])
  // Sent before it went down, and lost: its time is lifted, or the board would not take it.
  assert.deepEqual(take(change(12, market(29, '', 1, [74, 1.5], [76, 2.5]))), [
    '20 btts yes 1.5 open',
    '20 btts no 2.5 open',
  ])
  assert.deepEqual(normaliser.suspendProduct(3, 'sr:match:1'), [])
  assert.equal(normaliser.suspendProduct(3, 'sr:match:2').length, 1)
})

test('a market whose status alone is stated is open once more, though that is nothing new: the board may suspect it', () => {
  const { take } = reader()
  take(change(10, BTTS))
  assert.deepEqual(take(change(11, market(29, '', 1))), ['11 btts yes 1.8 open', '11 btts no 2 open'])
  take(change(12, market(29, '', -1)))
  assert.deepEqual(take(change(13, market(29, '', -1))), [])
})

test('the product that last spoke of a market decides about it; alive without subscription is as down', () => {
  const { normaliser, take } = reader()
  take(change(1, BTTS, 3) + change(2, BTTS, 1))
  assert.deepEqual(normaliser.suspendProduct(3), [])
  assert.deepEqual(take('<alive product="1" timestamp="3" subscribed="1"/>'), [])
  assert.deepEqual(take('<alive product="1" timestamp="4" subscribed="0"/>'), [
    '4 btts yes 1.8 suspended',
    '4 btts no 2 suspended',
  ])
})

test('an older message of another product takes no market over, and adds nothing to it', () => {
  const { account, normaliser, take } = reader()
  take(change(100, market(1, '', 1, [1, 2.1], [3, 3.6]), 1))
  assert.deepEqual(take(change(90, market(1, '', 1, [1, 2], [2, 3.4], [3, 3.5]), 3)), [])
  assert.equal(account.totals().mapped, 5)
  assert.deepEqual(normaliser.suspendProduct(3), [])
  assert.deepEqual(take('<product_down product="1" timestamp="200"/>'), [
    '200 match_result_1x2 home 2.1 suspended',
    '200 match_result_1x2 away 3.6 suspended',
  ])
  // A newer one that only says that it is suspended is a word on the market, too; so is a bet_stop.
  take(change(210, market(1, '', -1), 3) + message('bet_stop', 220, '', '', 1) + change(215, BTTS, 1))
  assert.deepEqual(take(change(219, market(1, '', 1, [1, 2], [2, 3.4], [3, 3.5]), 1)), [])
})

test('what a product has said is stated as of its newest time; what comes after that is not older', () => {
  const { account, normaliser, take } = reader()
  take(change(1, BTTS + market(26, '', 0, [70, 1.9], [72, 1.9]) + market(31, '', 1, [74, 3])))
  take(message('bet_settlement', 2, `<outcomes>${market(31, '', 1)}</outcomes>`))
  take('<alive product="1" timestamp="100" subscribed="1"/>')
  const { read } = account.totals()
  assert.deepEqual(linesOf(normaliser.current(1)), [
    '100 btts yes 1.8 open',
    '100 btts no 2 open',
    '100 odd_even odd 1.9 suspended',
    '100 odd_even even 1.9 suspended',
  ])
  assert.deepEqual(normaliser.current(3), [])
  assert.equal(account.totals().read, read)
  assert.deepEqual(take(message('bet_stop', 99)), ['100 btts yes 1.8 suspended', '100 btts no 2 suspended'])
})

/** What an odds change with these markets becomes, without time and status, in the order of the messages. */
const mapped = (sport: Sport, ...markets: readonly string[]): [string[], Record<string, number>] => {
  const { account, take } = reader({}, sport)
  const lines = take(change(1, markets.join('')))
  return [lines.map((line) => line.slice(2, -5)), Object.fromEntries(account.totals().unmappedBy)]
}

const threeWay = market(1, '', 1, [1, 2.1], [2, 4], [3, 3])
const winner = (id: number): string => market(id, '', 1, [4, 1.7], [5, 2.2])
const handicap = (id: number, line = -1.5): string => market(id, `hcp=${line}`, 1, [1714, 2.6], [1715, 1.5])
const total = (id: number, line = 5.5): string => market(id, `total=${line}`, 1, [13, 1.9], [12, 1.8])
const oddEven = (id: number): string => market(id, '', 1, [70, 1.9], [72, 1.8])
const setScore = (id: number, setsMax: number, ...numbers: readonly number[]): string => {
  const variant = `sr:correct_score:bestof:${setsMax}`
  const outcomes = numbers.map((number): Outcome => [`${variant}:${number}`, 3])
  return market(id, `variant=${variant}`, 1, ...outcomes)
}

const RESULT = ['match_result_1x2 home 2.1', 'match_result_1x2 draw 4', 'match_result_1x2 away 3']
const WINNER = ['match_winner home 1.7', 'match_winner away 2.2']
const handicapOf = (type: string, line = -1.5): string[] => [`${type} ${line} home 2.6`, `${type} ${line} away 1.5`]
const totalOf = (type: string, line = 5.5): string[] => [`${type} ${line} under 1.9`, `${type} ${line} over 1.8`]
const MAP = (map: number): string[] => [`map_winner ${map} home 1.7`, `map_winner ${map} away 2.2`]
const QUARTER = market(235, 'quarternr=3', 1, [1, 2.5], [2, 9], [3, 1.5])
const QUARTERS = ['home 2.5', 'draw 9', 'away 1.5'].map((outcome) => `quarter_betting 3 ${outcome}`)
const HALVES = market(47, '', 1, [418, 4], [428, 9])
const CHANCES = market(10, '', 1, [9, 1.4], [10, 1.3], [11, 1.7])
const CHANCE = ['home_or_draw 1.4', 'home_or_away 1.3', 'draw_or_away 1.7'].map((label) => `double_chance ${label}`)
const PARITY = ['odd_even odd 1.9', 'odd_even even 1.8']
const HALF = ['halftime_fulltime home/home 4', 'halftime_fulltime draw/away 9']
const SPREAD = handicapOf('spread')
const TOTAL = totalOf('total')

// Of each sport: its markets, what becomes of them, and markets of the feed that settle otherwise.
const BY_SPORT: Record<Exclude<Sport, 'football'>, readonly [string[], string[], string[]]> = {
  tennis: [
    [
      winner(186),
      handicap(187),
      total(189, 22.5),
      total(314, 2.5),
      setScore(199, 3, 4, 7) + setScore(199, 5, 8, 10, 11),
    ],
    [
      ...[...WINNER, ...SPREAD, ...totalOf('total', 22.5), ...totalOf('total', 2.5)],
      ...['2-0', '0-2', '3-0', '3-2', '2-3'].map((score) => `set_betting ${score} 3`),
    ],
    [handicap(188), threeWay, market(202, 'setnr=1', 1, [4, 2]), market(204, 'setnr=1|total=9.5', 1, [12, 2])],
  ],
  basketball: [
    [threeWay, winner(219), handicap(223), total(225), oddEven(229), QUARTER],
    [...RESULT, ...WINNER, ...SPREAD, ...TOTAL, ...PARITY, ...QUARTERS],
    [winner(11), handicap(16), total(18), oddEven(26), total(68), market(236, 'quarternr=1|total=50.5', 1, [12, 2])],
  ],
  ice_hockey: [
    [threeWay, CHANCES, winner(406), handicap(410), total(412), oddEven(419)],
    [...RESULT, ...CHANCE, ...WINNER, ...handicapOf('puck_line'), ...TOTAL, ...PARITY],
    [
      handicap(16),
      total(18),
      winner(123),
      market(446, 'periodnr=1|total=1.5', 1, [12, 2]),
      market(443, 'periodnr=1', 1, [1, 2]),
    ],
  ],
  handball: [
    [threeWay, CHANCES, winner(406), handicap(16), total(18), oddEven(26), HALVES],
    [...RESULT, ...CHANCE, ...WINNER, ...SPREAD, ...TOTAL, ...PARITY, ...HALF],
    [winner(11), total(19), market(14, 'hcp=0:1', 1, [1711, 2]), total(68)],
  ],
  baseball: [
    [threeWay, winner(251), handicap(256), total(258), oddEven(264)],
    [...RESULT, ...WINNER, ...handicapOf('run_line'), ...TOTAL, ...PARITY],
    [handicap(275), total(276), total(260), market(288, 'inningnr=1|total=0.5', 1, [12, 2]), handicap(16), total(18)],
  ],
  darts: [
    [
      threeWay,
      winner(186),
      handicap(188),
      total(314),
      total(367, 30.5),
      setScore(532, 11, 179, 181, 191) + setScore(532, 13, 206, 220, 232),
    ],
    [
      ...[...RESULT, ...WINNER, ...SPREAD, ...TOTAL, ...totalOf('total', 30.5)],
      ...['6-0', '6-1', '0-6', '7-0', '7-1', '0-7'].map((score) => `set_betting ${score} 3`),
    ],
    [handicap(366), total(384), oddEven(368)],
  ],
  australian_rules: [
    [threeWay, CHANCES, winner(186), handicap(16), total(18), oddEven(26), QUARTER],
    [...RESULT, ...CHANCE, ...WINNER, ...SPREAD, ...TOTAL, ...PARITY, ...QUARTERS],
    [HALVES, total(68)],
  ],
  rugby: [
    [threeWay, CHANCES, handicap(16), total(18), oddEven(26), HALVES],
    [...RESULT, ...CHANCE, ...SPREAD, ...TOTAL, ...PARITY, ...HALF],
    [total(478), handicap(477), winner(2)],
  ],
  cricket: [
    [threeWay, CHANCES, winner(340)],
    [...RESULT, ...CHANCE, ...WINNER],
    [total(639), market(605, 'inningnr=1|total=160.5', 1, [12, 2]), market(606, 'inningnr=1|total=160.5', 1, [12, 2])],
  ],
  combat_sport: [
    [threeWay, winner(186), total(18, 2.5)],
    [...RESULT.map((line) => line.replace('match_result_1x2', 'fight_betting')), ...WINNER, ...totalOf('total', 2.5)],
    [market(911, '', 1, [74, 2], [76, 2])],
  ],
  volleyball: [
    [winner(186), handicap(237), total(238, 180.5), total(314, 3.5), setScore(199, 5, 9, 13)],
    [
      ...[...WINNER, ...SPREAD, ...totalOf('total', 180.5)],
      ...totalOf('total', 3.5),
      'set_betting 3-1 3',
      'set_betting 0-3 3',
    ],
    [handicap(188), threeWay, market(310, 'setnr=1|total=45.5', 1, [12, 2])],
  ],
  american_football: [
    [threeWay, CHANCES, winner(219), handicap(223), total(225), oddEven(229), QUARTER],
    [...RESULT, ...CHANCE, ...WINNER, ...SPREAD, ...TOTAL, ...PARITY, ...QUARTERS],
    [
      market(610, '', 1, [1, 2]),
      market(611, 'quarternr=4', 1, [1, 2]),
      handicap(16),
      total(18),
      total(227),
      oddEven(26),
    ],
  ],
  golf: [[], [], [winner(186), market(1159, 'version=v1', 1, ['sr:competitor:1', 9])]],
  motorsport: [[], [], [market(1110, '', 1, ['sr:competitor:1', 9]), market(539, 'id=1', 1, ['sr:competitor:1', 2])]],
  cycling: [[], [], [market(559, 'variant=pre:markettext:1', 1, ['pre:outcometext:1', 2])]],
  table_tennis: [
    [winner(186), handicap(237), total(238, 74.5), setScore(199, 7, 14, 15, 21)],
    [
      ...WINNER,
      ...SPREAD,
      ...totalOf('total', 74.5),
      ...['4-0', '4-1', '0-4'].map((score) => `set_betting ${score} 3`),
    ],
    [
      handicap(187),
      total(189),
      total(314),
      market(241, 'variant=sr:exact_games:bestof:5', 1, ['sr:exact_games:bestof:5:39', 2]),
    ],
  ],
  snooker: [
    [threeWay, winner(186), handicap(493), total(494)],
    [...RESULT, ...WINNER, ...SPREAD, ...TOTAL],
    [setScore(199, 9, 22), market(499, 'framenr=1', 1, [4, 2]), market(501, 'framenr=1|total=60.5', 1, [12, 2])],
  ],
  badminton: [
    [winner(186), handicap(237), total(238, 74.5), setScore(199, 3, 5, 6)],
    [...WINNER, ...SPREAD, ...totalOf('total', 74.5), 'set_betting 2-1 3', 'set_betting 1-2 3'],
    [handicap(187), handicap(188)],
  ],
  esports: [
    [
      ...[threeWay, winner(186), handicap(327), total(328, 2.5)],
      ...[market(330, 'mapnr=2', 1, [4, 1.7], [5, 2.2]), market(395, 'mapnr=3', 1, [4, 1.7], [5, 2.2])],
    ],
    [...RESULT, ...WINNER, ...SPREAD, ...totalOf('total', 2.5), ...MAP(2), ...MAP(3)],
    [setScore(329, 3, 4), market(334, 'mapnr=1', 1, [1, 2]), market(332, 'mapnr=1|total=26.5', 1, [12, 2])],
  ],
  waterpolo: [
    [threeWay, CHANCES, handicap(16), total(18), oddEven(26)],
    [...RESULT, ...CHANCE, ...SPREAD, ...TOTAL, ...PARITY],
    [total(412), handicap(410)],
  ],
  winter_sport: [[], [], [winner(186), market(539, 'id=1', 1, ['sr:competitor:1', 2])]],
}

test('the markets of each sport by their descriptions; what settles in another way has no type', () => {
  for (const [sport, [markets, lines, others]] of Object.entries(BY_SPORT)) {
    assert.deepEqual(mapped(sport as Sport, ...markets), [lines, {}], sport)
    const [none, reasons] = mapped(sport as Sport, ...others)
    assert.deepEqual([none, Object.keys(reasons)], [[], ['market']], sport)
  }
})

test('further lists of a market are twins, and of players only the ids are known', () => {
  assert.deepEqual(
    mapped('ice_hockey', total(412), total(412, 5.5).replace('5.5', '5.50'), total(413), handicap(411))[1],
    {
      twin: 6,
    },
  )
  assert.deepEqual(mapped('basketball', handicap(224), total(226))[1], { twin: 4 })
  assert.deepEqual(mapped('football', setScore(199, 3, 4), market(41, 'score=0:0', 1, [110, 9]))[1], { twin: 2 })
  assert.deepEqual(
    mapped(
      'basketball',
      market(921, 'total=14.5|player=sr:player:1', 1, [12, 1.9], [13, 1.9]),
      market(768, 'variant=pre:playerprops:1:1', 1, ['pre:playerprops:1:1:20', 1.9]),
    )[1],
    { outcome: 3 },
  )
  assert.deepEqual(mapped('football', market(40, '', 1, ['sr:player:1', 3], ['sr:player:2', 4]))[1], { outcome: 2 })
})

test('the result with a draw is that also where a message does not list the draw', () => {
  const { account, take } = reader({}, 'basketball')
  assert.deepEqual(take(change(1, market(1, '', 1, [1, 1.9], [3, 2]) + winner(219))), [
    '1 match_result_1x2 home 1.9 open',
    '1 match_result_1x2 away 2 open',
    '1 match_winner home 1.7 open',
    '1 match_winner away 2.2 open',
  ])
  assert.deepEqual(take(change(2, market(1, '', 1, [1, 1.9], [2, 15], [4, 2]))), [
    '2 match_result_1x2 home 1.9 open',
    '2 match_result_1x2 draw 15 open',
    '2 match_result_1x2 away 2 suspended',
  ])
  assert.deepEqual(Object.fromEntries(account.totals().unmappedBy), { outcome: 1 })
})

test('a market that its product hands over is suspended, unless the other product has stated it already', () => {
  const { account, take } = reader()
  take(change(1, BTTS + market(26, '', 1, [70, 1.9], [72, 1.9]), 3))
  take(change(2, market(29, '', 1, [74, 1.7], [76, 2.1]), 1))
  assert.deepEqual(take(change(3, market(29, '', -2) + market(26, '', -2), 3)), [
    '3 odd_even odd 1.9 suspended',
    '3 odd_even even 1.9 suspended',
  ])
  assert.deepEqual(take(change(4, market(26, '', 1, [70, 1.8], [72, 2]) + market(29, '', -2, [74, 1.6]), 1)), [
    '4 odd_even odd 1.8 open',
    '4 odd_even even 2 open',
    '4 btts yes 1.6 suspended',
    '4 btts no 2.1 suspended',
  ])
  // Its outcomes are counted, too.
  assert.deepEqual(take(change(5, market(26, '', -2, [70, 1.7]), 3)), [])
  assert.deepEqual([account.totals().read, account.totals().mapped], [10, 10])
})

test('a list that cannot be read opens nothing again', () => {
  const { malformed, take } = reader({}, 'ice_hockey')
  const illegible = (text: string): string => text.replaceAll(/odds="9+"/g, 'odds="much"')
  assert.deepEqual(take(illegible(change(1, market(1, '', 1, [1, 2.1], [2, 99], [3, 3])))), [
    '1 match_result_1x2 home 2.1 open',
    '1 match_result_1x2 away 3 open',
  ])
  take(message('bet_stop', 2))
  assert.deepEqual(take(illegible(change(3, market(1, '', 1, [1, 99], [3, 99])))), [])
  assert.deepEqual(take(change(4, market(1, '', 1))), [])
  assert.equal(malformed.length, 3)
})

test('a market with other specifiers settles otherwise', () => {
  const { account, take } = reader()
  const odd = [
    market(18, 'total=2.5|from=1', 1, [12, 2]),
    market(18, 'total=two', 1, [12, 2]),
    market(18, '', 1, [12, 2]),
  ]
  const even = [market(16, 'hcp=0:1', 1, [1714, 2]), market(29, 'x=1', 1, [74, 2]), market(8, 'goalnr=2', 1, [6, 2])]
  assert.deepEqual(take(change(1, [...odd, ...even].join(''))), [])
  // Nor is an id with a space one without.
  const ids = ['1 ', '8 goalnr=1'].map((id) => market(1, '', 1, [1, 2], [6, 2]).replace('id="1"', `id="${id}"`))
  assert.deepEqual(take(change(2, ids.join(''))), [])
  assert.deepEqual(Object.fromEntries(account.totals().unmappedBy), { market: 10 })
})

test('without a fixture outcomes are counted and nothing comes; so of a sport that we do not have', () => {
  const facts = { ...NOTHING_KNOWN, fixtureOf: () => undefined }
  const unknown = reader({ facts, isOtherSport: (id) => id === 'sr:match:2' })
  assert.deepEqual(unknown.take(change(1, BTTS) + change(1, BTTS, 1, 'sr:match:2') + message('bet_stop', 2)), [])
  assert.deepEqual(Object.fromEntries(unknown.account.totals().unmappedBy), { event: 2, sport: 2 })
  assert.equal(unknown.normaliser.size, 0)
})

test('past its bound it forgets the event that was silent longest, and suspends it', () => {
  const { normaliser, take } = reader({ knownMax: 6 })
  take(change(1, BTTS, 1, 'sr:match:1') + change(2, BTTS, 1, 'sr:match:2'))
  assert.equal(normaliser.size, 6)
  take(change(3, BTTS, 1, 'sr:match:1'))
  assert.deepEqual(take(change(4, BTTS, 1, 'sr:match:3')), [
    '4 btts yes 1.8 open',
    '4 btts no 2 open',
    '2 btts yes 1.8 suspended',
    '2 btts no 2 suspended',
  ])
  assert.equal(normaliser.size, 6)
  assert.equal(normaliser.knows('sr:match:2'), false)
})

test('many prices are cut into observations that are allowed', () => {
  const { normaliser } = reader({ limits: { pricesMax: 2, textLengthMax: 100 } })
  const observations = normaliser.read(change(1, market(1, '', 1, [1, 2.1], [2, 3.4], [3, 3.6])), 1)
  assert(!isFormatFault(observations))
  assert.deepEqual(
    Array.from(observations, ({ prices }) => prices.length),
    [2, 1],
  )
})

test('a time far ahead is refused where it is known when the message came', () => {
  const facts = { ...NOTHING_KNOWN, fixtureOf: () => fixtureIn('football'), receivedAt: () => 1_000 }
  const { account, malformed, take } = reader({ facts })
  assert.deepEqual(take(change(6_001, BTTS)), [])
  assert.deepEqual(malformed, ['message of product 1 its time is 5001 ms ahead'])
  assert.equal(account.totals().malformed, 1)
  assert.equal(take(change(6_000, BTTS)).length, 2)
})
