import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Account } from '../../../src/source/kit/account.ts'
import { isFormatFault, NOTHING_KNOWN } from '../../../src/source/kit/normaliser.ts'
import { pinnacleNormaliser } from '../../../src/source/pinnacle/pinnacle-normaliser.ts'
import { ROOT } from '../../root.ts'
import { fatesOf, linesOf, poll, timesOf } from '../kit/polled.ts'

const FIXTURES = join(ROOT, 'fixtures', 'pinnacle')
const MATCHUPS = readFileSync(join(FIXTURES, 'matchups.json'), 'utf8')
const MARKETS = readFileSync(join(FIXTURES, 'markets.json'), 'utf8')

const EXPECTED = `
100 match_result_1x2  home 1.704 open
100 match_result_1x2  away 5.46 open
100 match_result_1x2  draw 3.5 open
100 spread -0.75 home 2.07 open
100 spread -0.75 away 1.855 open
100 spread 0 home 1.313 open
100 spread 0 away 3.53 open
100 total_goals 2.5 over 1.909 open
100 total_goals 2.5 under 1.943 open
100 first_half_total_goals 1 over 2.05 open
100 first_half_total_goals 1 under 1.8 open
100 second_half_total_goals 1.5 over 1.962 open
100 second_half_total_goals 1.5 under 1.862 open
100 corners_total 9.5 over 1.909 open
100 corners_total 9.5 under 1.909 open
100 cards_total 3.5 over 1.98 open
100 cards_total 3.5 under 1.847 open
100 btts  yes 1.769 open
100 btts  no 2.05 open
100 double_chance  home_or_draw 1.25 open
100 double_chance  draw_or_away 1.909 open
100 double_chance  home_or_away 1.333 open
100 odd_even  odd 1.952 open
100 odd_even  even 1.952 open
100 correct_score  2-1 9.5 open
100 correct_score  0-3 31 open
100 winning_margin  home:1 4.2 open
100 winning_margin  home:4+ 10 open
100 winning_margin  away:2 8 open
100 winning_margin  draw:goals 5.5 open
100 winning_margin  draw:no_goals 12 open
120 match_result_1x2  home 1.1 open
120 match_result_1x2  away 26 open
120 match_result_1x2  draw 9 open
130 match_winner  home 1.833 open
130 match_winner  away 2 open
130 match_result_1x2  home 2.4 open
130 match_result_1x2  away 2.6 open
130 match_result_1x2  draw 4.1 open
130 puck_line -1.5 home 3 open
130 puck_line -1.5 away 1.4 open
130 total 5.5 over 1.909 open
130 total 5.5 under 1.909 open
140 match_winner  home 1.667 open
140 match_winner  away 2.3 open
140 spread -3.5 home 1.909 open
140 spread -3.5 away 1.909 open
140 total 22.5 over 1.909 open
140 total 22.5 under 1.909 open
`
  .trim()
  .split('\n')

const EXPECTED_FATES = {
  moneyline: { match_result_1x2: 9, match_winner: 2, event: 3 },
  spread: { spread: 4, market: 2, puck_line: 2 },
  total: { total_goals: 2, bad_price: 1, no_price: 1, total: 2 },
  'period 1 total': { first_half_total_goals: 2 },
  'period 2 total': { second_half_total_goals: 2 },
  'period 1 moneyline': { market: 3 },
  team_total: { market: 2 },
  'corners total': { corners_total: 2 },
  'corners moneyline': { market: 2 },
  'period 1 corners total': { market: 2 },
  'bookings total': { cards_total: 2 },
  'special: Both Teams To Score': { btts: 2 },
  'special: Double Chance': { double_chance: 3 },
  'special: Total Goals Odd/Even': { odd_even: 2 },
  'special: Correct Score': { correct_score: 2, outcome: 1 },
  'special: Winning Margin': { winning_margin: 5 },
  'special: Away To Win to Nil': { market: 2 },
  'special: Both Teams To Score 1st Half': { market: 2 },
  'sets moneyline': { match_winner: 2 },
  'sets total': { market: 2 },
  'games spread': { spread: 2 },
  'games total': { total: 2 },
  'Lacrosse moneyline': { sport: 2 },
}

const FIRST = '2026-03-07T12:00:00Z'
const SECOND = '2026-03-07T12:01:00Z'
const THIRD = '2026-03-07T12:02:00Z'

test('every rule of the format holds: types, lines of the home side, units, specials, places of the rest', () => {
  const polled = poll(pinnacleNormaliser)
  assert.deepEqual(polled.read(MATCHUPS, { at: FIRST }), [])
  const observations = polled.read(MARKETS, { at: FIRST })
  assert.deepEqual(linesOf(observations), EXPECTED)
  polled.end()
  assert.deepEqual(fatesOf(polled.account), EXPECTED_FATES)
  assert.deepEqual(polled.malformed, [])
  // One observation an event: corners, bookings, games and specials belong to their parent.
  assert.deepEqual(
    observations.map(({ event }) => event.sourceKey),
    ['pinnacle:100', 'pinnacle:120', 'pinnacle:130', 'pinnacle:140'],
  )
  assert.deepEqual(observations[0]!.event, {
    sport: 'football',
    leagueKey: 'england_premier_league',
    leagueName: 'England - Premier League',
    home: 'Harbour Town',
    away: 'Kestrel & Vale',
    kickoffAt: Date.parse('2026-03-08T15:00:00Z'),
    sourceKey: 'pinnacle:100',
  })
  assert.equal(observations[3]!.event.home, 'Silva') // by alignment, not by place
  for (const { bookmaker, transport, others } of observations) {
    assert.deepEqual([bookmaker, transport, others], ['pinnacle', 'rest', 'keep'])
  }
})

test('both kinds in one object, or markets first, give the same prices and the same account', () => {
  const together = poll(pinnacleNormaliser)
  const both = { markets: JSON.parse(MARKETS) as unknown, matchups: JSON.parse(MATCHUPS) as unknown }
  const expected = together.read(both, { at: FIRST })
  together.end()
  assert.deepEqual(linesOf(expected), EXPECTED)
  assert.deepEqual(fatesOf(together.account), EXPECTED_FATES)

  const reversed = poll(pinnacleNormaliser)
  assert.deepEqual(reversed.read(MARKETS, { at: FIRST }), [])
  assert.ok(!reversed.account.isBalanced(), 'what is kept back has ended nowhere yet')
  const observations = reversed.read(MATCHUPS, { at: SECOND })
  assert.deepEqual(linesOf(observations).toSorted(), EXPECTED.toSorted())
  assert.deepEqual(timesOf(observations), ['2026-03-07T12:00:00.000Z'])
  assert.deepEqual(observations.map(({ event }) => event.sourceKey).toSorted(), [
    'pinnacle:100',
    'pinnacle:120',
    'pinnacle:130',
    'pinnacle:140',
  ])
  reversed.end()
  assert.deepEqual(fatesOf(reversed.account), EXPECTED_FATES)
})

test('where nobody knows when it was received, it was a second before the first cutoff', () => {
  const polled = poll(pinnacleNormaliser, { bookmaker: 'pinnacle_eu' })
  polled.read(MATCHUPS)
  const observations = polled.read(MARKETS)
  assert.deepEqual(timesOf(observations), ['2026-03-08T14:59:59.000Z'])
  assert.ok(observations.every(({ bookmaker }) => bookmaker === 'pinnacle_eu'))
})

const CUTOFF = '2026-03-08T15:00:00Z'

const matchup = (more: object = {}): object => ({
  id: 1,
  parentId: null,
  type: 'matchup',
  units: 'Regular',
  status: 'pending',
  league: { name: 'England - Premier League', sport: { id: 29, name: 'Soccer' } },
  participants: [
    { alignment: 'home', name: 'Elm' },
    { alignment: 'away', name: 'Oak' },
  ],
  periods: [{ period: 0, status: 'open' }],
  startTime: CUTOFF,
  ...more,
})

const total = (points: number, prices: readonly (number | null)[], more: object = {}): object => ({
  matchupId: 1,
  type: 'total',
  period: 0,
  cutoffAt: CUTOFF,
  prices: prices.map((price, index) => ({ designation: ['over', 'under'][index], points, price })),
  ...more,
})

const BOTH = [total(2.5, [-110, 100]), total(3.5, [200, -250])]
const BOTH_OPEN = [
  '1 total_goals 2.5 over 1.909 open',
  '1 total_goals 2.5 under 2 open',
  '1 total_goals 3.5 over 3 open',
  '1 total_goals 3.5 under 1.4 open',
]

test('a market gone from a complete answer is suspended, and open again when it is back', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read([matchup()], { at: FIRST })
  assert.deepEqual(linesOf(polled.read(BOTH, { at: FIRST, isComplete: true })), BOTH_OPEN)
  const less = [total(2.5, [-120])]
  assert.deepEqual(linesOf(polled.read(less, { at: SECOND, isComplete: false })), ['1 total_goals 2.5 over 1.833 open'])
  assert.deepEqual(linesOf(polled.read(less, { at: SECOND, isComplete: true })), [
    '1 total_goals 2.5 over 1.833 open',
    '1 total_goals 2.5 under  suspended',
    '1 total_goals 3.5 over  suspended',
    '1 total_goals 3.5 under  suspended',
  ])
  // An answer with names alone says nothing of prices, complete or not.
  assert.deepEqual(polled.read([matchup()], { at: THIRD, isComplete: true }), [])
  assert.deepEqual(linesOf(polled.read([], { at: THIRD, isComplete: true })), ['1 total_goals 2.5 over  suspended'])
  assert.deepEqual(polled.read([], { at: THIRD, isComplete: true }), [], 'said once')
  assert.deepEqual(linesOf(polled.read(BOTH, { at: THIRD, isComplete: true })), BOTH_OPEN)
  // Once its cutoff is past, what is missing is closed.
  assert.deepEqual(polled.closeDue('2026-03-08T14:59:00Z'), [])
  const afterwards = linesOf(polled.read([], { at: CUTOFF, isComplete: true }))
  assert.deepEqual(
    afterwards.map((line) => line.split(' ').at(-1)),
    ['closed', 'closed', 'closed', 'closed'],
  )
  polled.end()
})

test('a cutoff closes, judged against the time of receiving, or of word that nothing is new', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read([matchup()], { at: FIRST })
  const noCutoff = total(3.5, [200], { cutoffAt: null })
  polled.read([total(2.5, [-110]), noCutoff], { at: FIRST })
  assert.deepEqual(polled.closeDue(SECOND), [])
  const due = polled.closeDue(CUTOFF)
  assert.deepEqual(timesOf(due), [new Date(CUTOFF).toISOString()])
  assert.deepEqual(linesOf(due), ['1 total_goals 2.5 over 1.909 closed'])
  assert.deepEqual(polled.closeDue(CUTOFF), [])
  assert.deepEqual(linesOf(polled.read([total(2.5, [-110])], { at: CUTOFF })), ['1 total_goals 2.5 over 1.909 closed'])
})

test('the worst word of matchup, period and market counts', () => {
  const status = (ofMatchup: string, ofPeriod: string, ofMarket: string | undefined): string => {
    const polled = poll(pinnacleNormaliser)
    polled.read([matchup({ status: ofMatchup, periods: [{ period: 0, status: ofPeriod }] })], { at: FIRST })
    const market = total(2.5, [-110], ofMarket === undefined ? {} : { status: ofMarket })
    return linesOf(polled.read([market], { at: FIRST }))[0]!
      .split(' ')
      .at(-1)!
  }
  const words: readonly (readonly [string, string, string | undefined, string])[] = [
    ['pending', 'open', undefined, 'open'],
    ['started', 'open', 'open', 'open'],
    ['pending', 'suspended', undefined, 'suspended'],
    ['pending', 'open', 'suspended', 'suspended'],
    ['pending', 'unheard of', 'open', 'suspended'],
    ['unheard of', 'open', 'open', 'suspended'],
    ['pending', 'open', 'settled', 'closed'],
    ['pending', 'suspended', 'cancelled', 'closed'],
    ['suspended', 'open', 'settled', 'closed'],
    ['settled', 'open', 'open', 'closed'],
    ['cancelled', 'suspended', 'suspended', 'closed'],
    ['pending', 'closed', 'open', 'suspended'],
    // How far the match is, is said of matchups alone.
    ['pending', 'open', 'pending', 'suspended'],
    ['pending', 'open', 'started', 'suspended'],
    ['pending', 'pending', 'open', 'suspended'],
    ['pending', 'started', 'open', 'suspended'],
    ['OPEN', 'open', 'open', 'suspended'],
    ['pending', 'open', 'OPEN', 'suspended'],
  ]
  for (const [ofMatchup, ofPeriod, ofMarket, expected] of words) {
    assert.equal(status(ofMatchup, ofPeriod, ofMarket), expected, `${ofMatchup}, ${ofPeriod}, ${ofMarket}`)
  }
})

test('what the source has closed stays closed when it is gone', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read([matchup()], { at: FIRST })
  polled.read([total(2.5, [-110], { status: 'settled', cutoffAt: null })], { at: FIRST, isComplete: true })
  assert.deepEqual(polled.read([], { at: SECOND, isComplete: true }), [])
  assert.deepEqual(polled.closeDue(THIRD), [])
})

test('a matchup that comes again changes names, start and statuses; prices alone reopen', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read([matchup()], { at: FIRST })
  polled.read(BOTH, { at: FIRST })
  const renamed = matchup({
    participants: [
      { alignment: 'away', name: 'Oak' },
      { alignment: 'home', name: 'Elm United' },
    ],
    startTime: '2026-03-08T15:30:00Z',
  })
  assert.deepEqual(polled.read([renamed], { at: SECOND }), [])
  const [observation] = polled.read(BOTH, { at: SECOND })
  assert.equal(observation!.event.home, 'Elm United')
  assert.equal(observation!.event.kickoffAt, Date.parse('2026-03-08T15:30:00Z'))

  const onHold = matchup({ periods: [{ period: 0, status: 'suspended' }] })
  const suspended = polled.read([onHold], { at: THIRD })
  assert.deepEqual(
    suspended.flatMap(({ prices }) => prices.map(({ odds, status }) => `${odds} ${status}`)),
    ['null suspended', 'null suspended', 'null suspended', 'null suspended'],
  )
  assert.deepEqual(timesOf(suspended), ['2026-03-07T12:02:00.000Z'])
  assert.deepEqual(polled.read([onHold], { at: THIRD }), [], 'said once')
  assert.deepEqual(polled.read([matchup()], { at: THIRD }), [], 'no price was seen')
  assert.deepEqual(linesOf(polled.read(BOTH, { at: THIRD })), BOTH_OPEN)
  const settled = linesOf(polled.read([matchup({ status: 'settled' })], { at: '2026-03-07T12:03:00Z' }))
  assert.equal(settled.length, 4)
  assert.ok(settled.every((line) => line.endsWith('closed')))
})

test('a live matchup belongs to its parent, and its special to that one; football handicaps in play are not mapped', () => {
  const polled = poll(pinnacleNormaliser)
  const live = matchup({ id: 2, parentId: 1, isLive: true, status: 'started', startTime: '2026-03-08T15:01:00Z' })
  const special = {
    id: 3,
    parentId: 2,
    type: 'special',
    units: null,
    special: { description: 'Both Teams To Score' },
    league: { sport: { id: 29 } },
    participants: [{ id: 31, name: 'Yes' }],
  }
  polled.read([special, live, matchup()], { at: FIRST }) // parents are read first, wherever they stand
  const markets = [
    total(2.5, [-110, 100], { matchupId: 2 }),
    { matchupId: 2, type: 'spread', period: 0, prices: [{ designation: 'home', points: -0.5, price: 110 }] },
    { matchupId: 3, type: 'moneyline', period: 0, prices: [{ participantId: 31, price: 150 }] },
  ]
  const observations = polled.read(markets, { at: FIRST })
  assert.deepEqual(linesOf(observations), [
    '1 total_goals 2.5 over 1.909 open',
    '1 total_goals 2.5 under 2 open',
    '1 btts  yes 2.5 open',
  ])
  assert.equal(observations[0]!.event.kickoffAt, Date.parse(CUTOFF))
  polled.end()
  assert.deepEqual(fatesOf(polled.account).spread, { market: 1 })
})

test('a moneyline of football without a draw is none of ours, nor is anything of unnamed units', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read([matchup(), matchup({ id: 2, units: null })], { at: FIRST })
  const moneyline = { matchupId: 1, type: 'moneyline', period: 0, prices: [{ designation: 'home', price: 110 }] }
  assert.deepEqual(polled.read([moneyline, total(2.5, [-110], { matchupId: 2 })], { at: FIRST }), [])
  polled.end()
  assert.equal(polled.account.totals().unmappedBy.get('market'), 2)
})

test('a quote that loses its price is suspended; one that never had any is not told', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read([matchup()], { at: FIRST })
  assert.deepEqual(linesOf(polled.read([total(2.5, [null, 100])], { at: FIRST })), ['1 total_goals 2.5 under 2 open'])
  assert.deepEqual(linesOf(polled.read([total(2.5, [-110, 99])], { at: SECOND })), [
    '1 total_goals 2.5 over 1.909 open',
    '1 total_goals 2.5 under  suspended',
  ])
  polled.end()
  assert.deepEqual(fatesOf(polled.account), { total: { total_goals: 2, no_price: 1, bad_price: 1 } })
})

test('of what is kept back only the latest counts, and a cutoff that passed meanwhile closes it', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read([total(2.5, [-110, 100])], { at: FIRST })
  polled.read([total(3.5, [200, -250]), total(4.5, [300], { matchupId: 9 })], { at: SECOND })
  assert.deepEqual(fatesOf(polled.account), { total: { event: 2 } }, 'replaced: it can never be mapped any more')
  const observations = polled.read([matchup()], { at: '2026-03-08T16:00:00Z' })
  assert.deepEqual(linesOf(observations), ['1 total_goals 3.5 over 3 closed', '1 total_goals 3.5 under 1.4 closed'])
  assert.deepEqual(timesOf(observations), ['2026-03-07T12:01:00.000Z'])
  polled.end()
  assert.deepEqual(fatesOf(polled.account), { total: { event: 3, total_goals: 2 } })
})

test('what is missing from a complete answer is not kept back any longer', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read(BOTH, { at: FIRST, isComplete: true })
  polled.read([total(2.5, [-110], { matchupId: 9 })], { at: SECOND, isComplete: true })
  assert.deepEqual(polled.read([matchup()], { at: THIRD }), [])
  polled.end()
  assert.deepEqual(fatesOf(polled.account), { total: { event: 5 } })
})

test('a matchup that does not name its event leaves prices kept back', () => {
  const polled = poll(pinnacleNormaliser)
  const nameless: readonly object[] = [
    { participants: [{ alignment: 'home', name: 'Elm' }] },
    { participants: [{ alignment: 'neutral', name: 'Elm' }] },
    { startTime: undefined },
    { league: null },
    { parentId: 77 },
  ]
  polled.read(BOTH, { at: FIRST })
  for (const more of nameless) assert.deepEqual(polled.read([matchup(more)], { at: FIRST }), [], JSON.stringify(more))
  assert.deepEqual(linesOf(polled.read([matchup()], { at: FIRST })), BOTH_OPEN)
  polled.end()
})

test('parts that cannot be read are told and skipped, and the rest is read', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read(
    [3, { participants: [] }, { id: 5, participants: {} }, matchup({ league: { name: 'A\nB' } }), matchup()],
    {
      at: FIRST,
    },
  )
  const markets = [
    total(2.5, [-110]),
    null,
    total(2.5, [], { matchupId: '1' }),
    total(2.5, [], { type: 'Total <1>' }),
    total(2.5, [], { period: null }),
    total(2.5, [], { prices: {} }),
    total(2.5, [], { cutoffAt: 'soon' }),
    total(3.5, [], {
      prices: [7, { designation: 'over', points: 3.5, price: '2' }, { designation: 'under', points: 3.5, price: 120 }],
    }),
    total(4.5, [], {
      prices: [
        { designation: 'exactly', points: 4.5, price: 120 },
        { designation: 'over', price: 120 },
      ],
    }),
  ]
  assert.deepEqual(linesOf(polled.read(markets, { at: FIRST })), [
    '1 total_goals 2.5 over 1.909 open',
    '1 total_goals 3.5 under 2.2 open',
  ])
  polled.end()
  assert.deepEqual(
    polled.malformed.map((line) => line.split(' ')[0]),
    [
      '[0]',
      '[1].id',
      '[2].participants',
      '[3].league.name',
      '[1]',
      '[2].matchupId',
      '[3].type',
      '[4].period',
      '[5].prices',
      '[6].cutoffAt',
      '[7].prices[0]',
      '[7].prices[1]',
    ],
  )
  assert.deepEqual(fatesOf(polled.account), { total: { total_goals: 2, outcome: 2 } })
})

test('without any time no price can be told', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read([matchup()])
  const markets = [total(2.5, [-110], { cutoffAt: null }), total(2.5, [-110, 100], { cutoffAt: null, matchupId: 9 })]
  assert.deepEqual(polled.read(markets), [])
  polled.end()
  assert.deepEqual(fatesOf(polled.account), { total: { no_timestamp: 1, event: 2 } })
})

test('what is no answer of Pinnacle is refused with a reason, and does not stop what comes after', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read([matchup()], { at: FIRST })
  for (const text of ['', '[{"id":1', 'null', '7', '{"title":"Unauthorized"}', '{"markets":{}}', '[{"id":1}]', '[4]']) {
    const result = polled.normaliser.read(text, 1)
    assert.ok('fault' in result && result.fault.startsWith('is not '), text)
  }
  assert.deepEqual(linesOf(polled.read(BOTH, { at: FIRST })), BOTH_OPEN)
})

test('a number that is not finite is none, and one too large to be odds is no price', () => {
  const polled = poll(pinnacleNormaliser)
  polled.read([matchup()], { at: FIRST })
  const markets = [
    '{"matchupId":1,"type":"total","period":0,"prices":[',
    '{"designation":"over","points":-1e999,"price":110},{"designation":"under","points":1e999,"price":110},',
    '{"designation":"over","points":2.5,"price":1e999},{"designation":"over","points":3.5,"price":1e308},',
    '{"designation":"under","points":2.5,"price":120}]}',
  ]
  assert.deepEqual(linesOf(polled.read(`[${markets.join('')}]`, { at: FIRST })), ['1 total_goals 2.5 under 2.2 open'])
  const reason = 'must be an object with numbers for price and points'
  assert.deepEqual(
    polled.malformed,
    [0, 1, 2].map((index) => `[0].prices[${index}] ${reason}`),
  )
  polled.end()
  assert.deepEqual(fatesOf(polled.account), { total: { total_goals: 1, bad_price: 1 } })
})

const moneyline = (prices: readonly (readonly [unknown, unknown])[], more: object = {}): object => ({
  matchupId: 1,
  type: 'moneyline',
  period: 0,
  prices: prices.map(([designation, price]) => ({ designation, price })),
  ...more,
})

const HOCKEY = matchup({ league: { name: 'NHL', sport: { id: 19, name: 'Hockey' } } })

test('a draw makes a list three-way though its price cannot be read; a row that may be one makes it nobody’s', () => {
  const of = (...prices: (readonly [unknown, unknown])[]): string[] => {
    const polled = poll(pinnacleNormaliser)
    polled.read([HOCKEY], { at: FIRST })
    const lines = linesOf(polled.read([moneyline(prices)], { at: FIRST }))
    polled.end()
    return lines
  }
  const threeWay = ['1 match_result_1x2  home 2.6 open', '1 match_result_1x2  away 2.5 open']
  assert.deepEqual(of(['home', 160], ['draw', '310'], ['away', 150]), threeWay)
  assert.deepEqual(of(['home', 160], ['draw', null], ['away', 150]), threeWay)
  assert.deepEqual(of(['home', 160], ['draw', 5], ['away', 150]), threeWay)
  assert.deepEqual(of(['home', 160], ['home', '1'], ['away', 150]), [
    '1 match_winner  home 2.6 open',
    '1 match_winner  away 2.5 open',
  ])
  for (const designation of [5, null, 'tie', undefined]) {
    assert.deepEqual(of(['home', 160], [designation, 310], ['away', 150]), [], String(designation))
  }
})

test('what an entry of a known matchup says of its status holds, whatever else is wrong with it', () => {
  const cases: readonly (readonly [object, string[], told: number])[] = [
    [{ status: 'settled', league: {} }, ['closed'], 1],
    [{ status: 'settled', league: { name: 'A\nB' } }, ['closed'], 1],
    [{ status: 'settled', participants: null }, ['closed'], 1],
    [{ status: 'cancelled', startTime: 'x' }, ['closed'], 1],
    [{ status: 'settled', participants: [] }, ['closed'], 1],
    [{ status: 'on hold', participants: [] }, ['suspended'], 1],
    [{ periods: [{ period: 0, status: 'suspended' }], startTime: 5 }, ['suspended'], 1],
    [{ status: undefined, periods: undefined, participants: [] }, [], 1],
    [{ status: 'settled' }, ['closed'], 0],
  ]
  for (const [more, expected, told] of cases) {
    const polled = poll(pinnacleNormaliser)
    polled.read([matchup()], { at: FIRST })
    polled.read([total(2.5, [-110])], { at: FIRST })
    const observations = polled.read([matchup(more)], { at: SECOND })
    const what = JSON.stringify(more)
    assert.deepEqual(
      observations.flatMap(({ prices }) => prices.map(({ status }) => status)),
      expected,
      what,
    )
    assert.equal(polled.malformed.length, told, what)
    // It holds for prices that come later, under the names that are known.
    const later = linesOf(polled.read([total(2.5, [-110])], { at: THIRD }))
    assert.deepEqual(later, [`1 total_goals 2.5 over 1.909 ${expected[0] ?? 'open'}`], what)
    polled.end()
  }
})

test('a market of which nobody can tell what it says leaves none of its quotes open', () => {
  const spread = { matchupId: 1, type: 'spread', period: 0, prices: [{ designation: 'home', points: -1, price: 110 }] }
  const threeWay = moneyline([
    ['home', 160],
    ['draw', 310],
    ['away', 150],
  ])
  const half = total(1.5, [120], { period: 1 })
  const all = [threeWay, spread, total(2.5, [-110, 100]), half]
  const result = ['home', 'away', 'draw'].map((side) => `match_result_1x2  ${side}`)
  const totals = ['total_goals 2.5 over', 'total_goals 2.5 under']
  const handicap = ['spread -1 home']
  const ofHalf = ['first_half_total_goals 1.5 over']
  const odd = { prices: [{ designation: 'over', points: 2.5, price: '1' }] }
  const cases: readonly (readonly [object, string[], told: number])[] = [
    [total(2.5, [-110], { status: 'suspended', cutoffAt: 3 }), totals, 1],
    [total(2.5, [-110], { prices: null }), totals, 1],
    [total(2.5, [], odd), totals, 1],
    [total(2.5, [], { status: 'suspended' }), totals, 0],
    [total(2.5, [], { prices: [{ designation: 'over', price: 110 }] }), totals, 0],
    [total(2.5, [-110], { period: '0' }), [...totals, ...ofHalf], 1],
    [total(2.5, [-110], { type: 7 }), [...result, ...handicap, ...totals], 1],
    [total(2.5, [-110], { type: 7, period: null }), [...result, ...handicap, ...totals, ...ofHalf], 1],
    // Without its draw it is no result of a match any more.
    [
      moneyline(
        [
          ['home', 500],
          ['away', -150],
        ],
        { status: 'suspended' },
      ),
      result,
      0,
    ],
    [moneyline([]), result, 0],
    [total(2.5, [-110], { matchupId: null }), [], 1],
    [total(4.5, [-110], { matchupId: 2, prices: 3 }), [], 1],
  ]
  const textsOf = (lines: readonly string[]): string[] => lines.map((line) => line.replace(/^1 /, '')).toSorted()
  for (const [market, expected, told] of cases) {
    const polled = poll(pinnacleNormaliser)
    polled.read([matchup()], { at: FIRST })
    assert.equal(linesOf(polled.read(all, { at: FIRST })).length, 7)
    const lines = linesOf(polled.read([market], { at: SECOND }))
    const what = JSON.stringify(market)
    assert.deepEqual(textsOf(lines), expected.map((quote) => `${quote}  suspended`).toSorted(), what)
    assert.equal(polled.malformed.length, told, what)
    polled.end()
  }
})

test('football’s handicap is suspended when its matchup goes into play', () => {
  const spread = { matchupId: 1, type: 'spread', period: 0, prices: [{ designation: 'home', points: -1, price: 110 }] }
  for (const isLive of [true, 'true', 1]) {
    const polled = poll(pinnacleNormaliser)
    polled.read([matchup()], { at: FIRST })
    polled.read([spread, total(2.5, [-110])], { at: FIRST })
    polled.read([matchup({ isLive })], { at: SECOND })
    assert.deepEqual(linesOf(polled.read([spread], { at: THIRD })), ['1 spread -1 home  suspended'])
  }
})

test('where answers about other leagues come the same way, one is complete only for the events in it', () => {
  const polled = poll(pinnacleNormaliser, { isOneOfMany: () => true })
  polled.read([matchup(), matchup({ id: 2 })], { at: FIRST })
  polled.read(BOTH, { at: FIRST, isComplete: true })
  const lines = linesOf(polled.read([total(2.5, [-110], { matchupId: 2 })], { at: SECOND, isComplete: true }))
  assert.deepEqual(lines, ['2 total_goals 2.5 over 1.909 open'])
  assert.deepEqual(linesOf(polled.read([total(2.5, [-110])], { at: THIRD, isComplete: true })), [
    '1 total_goals 2.5 over 1.909 open',
    '1 total_goals 2.5 under  suspended',
    '1 total_goals 3.5 over  suspended',
    '1 total_goals 3.5 under  suspended',
  ])
})

test('an answer in decimal odds is refused as a whole: its longshots would be published as short prices', () => {
  const normaliser = pinnacleNormaliser({
    account: new Account(),
    transport: null,
    facts: { ...NOTHING_KNOWN, receivedAt: () => Date.parse(FIRST) },
    limits: { pricesMax: 100, textLengthMax: 200 },
    onMalformed: (place, reason) => assert.fail(`${place} ${reason}`),
  })
  const priced = (price: unknown) => ({
    matchupId: 1,
    type: 'moneyline',
    period: 0,
    prices: [{ designation: 'home', price }],
  })
  for (const document of [[priced(101), priced(1.91)], { matchups: [], markets: [priced(101), priced(1.91)] }]) {
    const taken = normaliser.read(JSON.stringify(document), 1)
    assert.ok(isFormatFault(taken))
    assert.match(taken.fault, /decimal odds \((markets)?\[1\]\.prices\[0\]\.price is 1\.91\)/)
  }
  // A price that is none in American odds is bad by itself, and proves nothing.
  for (const price of [50, -1.5, 0.5, 100.5])
    assert.ok(!isFormatFault(normaliser.read(JSON.stringify([priced(price)]), 1)))
})
