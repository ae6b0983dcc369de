import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Observation } from '../../../src/domain/observation.ts'
import { Account } from '../../../src/source/kit/account.ts'
import {
  isFormatFault,
  NOTHING_KNOWN,
  type Normaliser,
  type NormaliserOptions,
} from '../../../src/source/kit/normaliser.ts'
import { theOddsApiCsvNormaliser } from '../../../src/source/the-odds-api/the-odds-api-csv.ts'
import { theOddsApiNormaliser } from '../../../src/source/the-odds-api/the-odds-api-normaliser.ts'
import { ROOT } from '../../root.ts'
import { fatesOf } from '../kit/polled.ts'

const FIXTURES = join(ROOT, 'fixtures', 'the-odds-api')
const ANSWER = readFileSync(join(FIXTURES, 'answer.json'), 'utf8')
const RECORDING = readFileSync(join(FIXTURES, 'recording.csv'), 'utf8').replaceAll('\r\n', '\n')

interface Result {
  readonly observations: Observation[]
  readonly account: Account
  readonly malformed: string[]
}

const run = (
  create: (options: NormaliserOptions) => Normaliser,
  pieces: readonly string[],
  options: Partial<NormaliserOptions> = {},
): Result => {
  const account = new Account()
  const malformed: string[] = []
  const normaliser = create({
    account,
    transport: null,
    facts: NOTHING_KNOWN,
    limits: { pricesMax: 100, textLengthMax: 200 },
    onMalformed: (place, reason) => malformed.push(`${place} ${reason}`),
    ...options,
  })
  const observations: Observation[] = []
  const gather = (result: ReturnType<Normaliser['end']>): void => {
    if (isFormatFault(result)) assert.fail(result.fault)
    observations.push(...result)
  }
  for (const [index, piece] of pieces.entries()) gather(normaliser.read(piece, index + 1))
  gather(normaliser.end())
  assert.ok(account.isBalanced(), 'each outcome has ended in one place')
  assert.equal(account.malformed, malformed.length)
  return { observations, account, malformed }
}

const fromJson = (answer: unknown, options?: Partial<NormaliserOptions>): Result =>
  run(theOddsApiNormaliser, [typeof answer === 'string' ? answer : JSON.stringify(answer)], options)

const fromCsv = (text: string, options?: Partial<NormaliserOptions>): Result =>
  run(theOddsApiCsvNormaliser, text.trim().split('\n'), options)

const linesOf = (observations: readonly Observation[]): string[] =>
  observations.flatMap(({ bookmaker, event, prices }) =>
    prices.map(({ type, line, outcome, odds }) =>
      [event.sport, bookmaker, type, Object.is(line, -0) ? '-0' : line, outcome, odds].join(' '),
    ),
  )

const EXPECTED = `
football northbet match_result_1x2  away 4.2
football northbet match_result_1x2  home 1.9
football northbet match_result_1x2  draw 3.55
football northbet spread 0 away 1.95
football northbet spread 0 home 1.87
football northbet spread -1.25 home 2.6
football northbet spread -1.25 away 1.5
football northbet total_goals 2.5 over 2.05
football northbet total_goals 2.5 under 1.8
football northbet btts  yes 1.75
football northbet btts  no 2.02
football southbet match_result_1x2  away 4
football swap_one match_result_1x2  home 1.01
football swap_one match_result_1x2  away 1000
football swap_one match_result_1x2  draw 1.01
ice_hockey northbet match_result_1x2  home 2.4
ice_hockey northbet match_result_1x2  away 2.5
ice_hockey northbet match_result_1x2  draw 4.1
ice_hockey northbet puck_line -1.5 away 1.3
ice_hockey southbet match_winner  home 1.85
ice_hockey southbet match_winner  away 1.95
ice_hockey southbet match_result_1x2  home 2.35
ice_hockey southbet match_result_1x2  away 2.45
ice_hockey southbet match_result_1x2  draw 4.2
ice_hockey southbet total 5.5 over 1.9
ice_hockey southbet total 5.5 under 1.9
combat_sport northbet fight_betting  home 1.6
combat_sport northbet fight_betting  away 2.5
combat_sport northbet fight_betting  draw 15
combat_sport southbet match_winner  home 1.55
combat_sport southbet match_winner  away 2.4
baseball northbet run_line 1.5 away 3.05
baseball northbet match_winner  away 2.2
baseball northbet match_winner  home 1.7
golf northbet outright  sami_valikangas 9
golf northbet outright  pat_odell 21
golf northbet outright  pat_odell 19.5
`
  .trim()
  .split('\n')

const EXPECTED_FATES = {
  h2h: { match_result_1x2: 10, bad_price: 1, match_winner: 6, fight_betting: 3, outcome: 1 },
  spreads: { spread: 2, puck_line: 1, run_line: 1 },
  alternate_spreads: { spread: 2 },
  totals: { total_goals: 2, total: 2 },
  btts: { btts: 2 },
  team_totals: { market: 1 },
  h2h_lay: { lay: 2 },
  h2h_3_way: { match_result_1x2: 3 },
  outrights: { outright: 3, outcome: 1 },
  outrights_lay: { lay: 1 },
  'lacrosse h2h': { sport: 2 },
}

test('every rule of the format holds: types by sport, lines of the home side, draws by list, places of the rest', () => {
  const { observations, account, malformed } = fromJson(ANSWER)
  assert.deepEqual(linesOf(observations), EXPECTED)
  assert.deepEqual(fatesOf(account), EXPECTED_FATES)
  assert.deepEqual(malformed, [])
})

test('an answer and its recording give the same observations', () => {
  const json = fromJson(ANSWER)
  const csv = fromCsv(RECORDING)
  assert.deepEqual(csv.observations, json.observations)
  assert.deepEqual(fatesOf(csv.account), fatesOf(json.account))
})

test('an observation has event, time, transport and status as the source means them', () => {
  const { observations } = fromCsv(RECORDING)
  assert.deepEqual(observations[0]!.event, {
    sport: 'football',
    leagueKey: 'england_premier_league',
    leagueName: 'EPL',
    home: 'Harbour Town',
    away: 'Kestrel & Vale',
    kickoffAt: Date.parse('2026-03-08T15:00:00Z'),
    sourceKey: 'the-odds-api:f1',
  })
  const golf = observations.find(({ event }) => event.sport === 'golf')!
  assert.equal(golf.event.home, 'Harbour Open Winner')
  assert.equal(golf.event.away, '')
  assert.equal(golf.event.leagueKey, 'harbour_open_winner')
  for (const observation of observations) {
    assert.equal(observation.transport, 'rest')
    assert.equal(observation.others, 'keep')
    for (const price of observation.prices) assert.equal(price.status, 'open')
  }
  assert.equal(observations[0]!.observedAt, Date.parse('2026-03-07T11:58:10Z'))
  for (const { transport } of fromCsv(RECORDING, { transport: 'both' }).observations) assert.equal(transport, 'both')
})

// --- one event, changed ----------------------------------------------------------------------------------------------

const HEADER = RECORDING.slice(0, RECORDING.indexOf('\n'))
const COLUMNS = HEADER.split(',')

const ROW: Readonly<Record<string, string>> = {
  event_id: 'e1',
  sport_key: 'icehockey_nhl',
  sport_title: 'NHL',
  commence_time: '2026-03-08T15:00:00Z',
  home_team: 'Home',
  away_team: 'Away',
  snapshot_time: '2026-03-07T12:00:01.250990+00:00',
  market_type: 'main',
  bookmaker_key: 'northbet',
  bookmaker_title: 'NorthBet',
  last_update: '2026-03-07T11:58:10Z',
  market: 'h2h',
  outcome_name: 'Home',
  price: '1.9',
  point: '',
  implied_prob: '0.5',
}

const csvOf = (...rows: Readonly<Record<string, string>>[]): string =>
  [HEADER, ...rows.map((row) => COLUMNS.map((column) => row[column] ?? ROW[column]).join(','))].join('\n')

test('one observation for each bookmaker and time, prices in the order of the source', () => {
  const later = '2026-03-07T11:59:00Z'
  const { observations } = fromCsv(
    csvOf(
      { outcome_name: 'Home', price: '1.9' },
      { outcome_name: 'Home', price: '2.1', last_update: later },
      { outcome_name: 'Home', price: '1.8', bookmaker_key: 'southbet' },
      { outcome_name: 'Away', price: '1.95' },
      { outcome_name: 'Home', price: '1.85' },
      { outcome_name: 'Away', price: '1.7', last_update: later },
    ),
  )
  assert.deepEqual(
    observations.map(({ bookmaker, observedAt, prices }) => [
      bookmaker,
      new Date(observedAt).toISOString(),
      prices.map(({ outcome, odds }) => `${outcome} ${odds}`),
    ]),
    [
      ['northbet', '2026-03-07T11:58:10.000Z', ['home 1.9', 'away 1.95', 'home 1.85']],
      ['northbet', '2026-03-07T11:59:00.000Z', ['home 2.1', 'away 1.7']],
      ['southbet', '2026-03-07T11:58:10.000Z', ['home 1.8']],
    ],
  )
})

test('a draw row makes its list three-way wherever it stands, and no other book’s', () => {
  const { observations } = fromCsv(
    csvOf(
      { outcome_name: 'Home' },
      { outcome_name: 'Away' },
      { outcome_name: 'Home', bookmaker_key: 'southbet' },
      { outcome_name: 'Draw', price: '1.0' },
    ),
  )
  assert.deepEqual(linesOf(observations), [
    'ice_hockey northbet match_result_1x2  home 1.9',
    'ice_hockey northbet match_result_1x2  away 1.9',
    'ice_hockey southbet match_winner  home 1.9',
  ])
})

test('a draw row makes its list three-way though it cannot be read; the first row of its event, too', () => {
  const before = { event_id: 'e0', home_team: 'Else', outcome_name: 'Else' }
  const draws: readonly Readonly<Record<string, string>>[] = [
    { price: 'x' },
    { point: 'x' },
    { last_update: 'x' },
    { last_update: '', snapshot_time: 'x' },
  ]
  for (const draw of draws) {
    const row = { outcome_name: 'Draw', ...draw }
    const rows = [
      { outcome_name: 'Home', price: '1.9' },
      { outcome_name: 'Away', price: '2.5' },
    ]
    for (const order of [
      [before, row, ...rows],
      [before, ...rows, row],
    ]) {
      const { observations, malformed } = fromCsv(csvOf(...order))
      assert.deepEqual(linesOf(observations), [
        'ice_hockey northbet match_winner  home 1.9',
        'ice_hockey northbet match_result_1x2  home 1.9',
        'ice_hockey northbet match_result_1x2  away 2.5',
      ])
      assert.equal(malformed.length, 1)
    }
    const other = fromCsv(csvOf({ ...row, bookmaker_key: 'southbet' }, { ...row, market: 'totals' }, ...rows))
    assert.equal(linesOf(other.observations)[0], 'ice_hockey northbet match_winner  home 1.9')
  }
})

test('a book with a time of its own for each price is an observation for each', () => {
  const row = csvOf({}).split('\n')[1]!.split(',')
  const time = COLUMNS.indexOf('last_update')
  const rows = Array.from({ length: 6_000 }, (_, index) =>
    row.with(time, new Date(Date.UTC(2026, 2, 7) + index).toISOString()).join(','),
  )
  const { observations } = fromCsv([HEADER, ...rows].join('\n'), { limits: { pricesMax: 10_000, textLengthMax: 200 } })
  assert.equal(observations.length, 6_000)
})

test('a row without last_update is as old as the call; fractions are cut', () => {
  const { observations } = fromCsv(csvOf({ last_update: '' }))
  assert.equal(new Date(observations[0]!.observedAt).toISOString(), '2026-03-07T12:00:01.250Z')
})

test('prices: none, not above 1, and as given', () => {
  const prices = ['', '0', '1', '1.0', '-2', '1.0000001', '1000', '1e3', '2.5151515152']
  const { observations, account } = fromCsv(csvOf(...prices.map((price) => ({ price }))))
  assert.deepEqual(
    observations[0]!.prices.map(({ odds }) => odds),
    [1.0000001, 1000, 1000, 2.5151515152],
  )
  const { read, mapped, noPrice, badPrice } = account.totals()
  assert.deepEqual([read, mapped, noPrice, badPrice], [9, 4, 1, 4])
})

test('what cannot be labelled is unmapped by its first reason', () => {
  const cases: readonly [Readonly<Record<string, string>>, string][] = [
    [{ outcome_name: 'Someone' }, 'outcome'],
    [{ outcome_name: 'draw' }, 'outcome'],
    [{ market: 'totals', outcome_name: 'Over' }, 'outcome'], // no point
    [{ market: 'totals', outcome_name: 'Home', point: '1.5' }, 'outcome'],
    [{ market: 'spreads' }, 'outcome'],
    [{ home_team: '', away_team: '', outcome_name: '' }, 'outcome'],
    [{ market: 'spreads', outcome_name: 'Draw', point: '0' }, 'outcome'],
    [{ market: 'btts', outcome_name: 'yes' }, 'outcome'],
    [{ market: 'player_points', outcome_name: 'Over', point: '1.5' }, 'outcome'], // no description
    [{ market: 'spreads_lay', point: '1.5' }, 'lay'],
    [{ market: '' }, 'market'],
    [{ market: 'h2h_lay', price: '1.0' }, 'lay'],
    [{ market: 'constructor' }, 'market'],
    [{ sport_key: 'lacrosse_ncaa', market: 'h2h_lay' }, 'sport'],
    [{ sport_key: 'lacrosse_ncaa', home_team: '' }, 'event'],
    [{ sport_key: '' }, 'event'],
    [{ home_team: '' }, 'event'],
    [{ away_team: '' }, 'event'],
    [{ away_team: 'Home' }, 'event'],
    [{ home_team: ' ' }, 'event'],
    [{ home_team: '', away_team: '', sport_title: '' }, 'event'],
    [{ commence_time: '' }, 'event'],
    [{ last_update: '', snapshot_time: '' }, 'no_timestamp'],
    [{ last_update: '', snapshot_time: '', market: 'player_points' }, 'no_timestamp'],
  ]
  for (const [row, reason] of cases) {
    const { observations, account } = fromCsv(csvOf(row))
    assert.deepEqual([...account.totals().unmappedBy], [[reason, 1]], JSON.stringify(row))
    assert.deepEqual(observations, [])
  }
})

test('a row that cannot be read is named with its line, and nothing around it is lost', () => {
  const cases: readonly [Readonly<Record<string, string>>, string][] = [
    [{ price: 'abc' }, 'line 3 price is not a number: "abc"'],
    [{ price: '0x10' }, 'line 3 price is not a number: "0x10"'],
    [{ price: 'NaN' }, 'line 3 price is not a number: "NaN"'],
    [{ price: '1e999' }, 'line 3 price is not a number: "1e999"'],
    [{ price: ' 2' }, 'line 3 price is not a number: " 2"'],
    [{ point: '2,5' }, 'line 3 has 17 columns, not 16'],
    [{ point: 'x' }, 'line 3 point is not a number: "x"'],
    [{ last_update: 'today' }, 'line 3 last_update is not an RFC 3339 date-time: "today"'],
    [
      { last_update: '', snapshot_time: '2026-03-07' },
      'line 3 snapshot_time is not an RFC 3339 date-time: "2026-03-07"',
    ],
    [{ commence_time: 'x' }, 'line 3 commence_time is not an RFC 3339 date-time: "x"'],
    [{ bookmaker_key: 'North Bet' }, 'line 3 bookmaker_key is not a bookmaker slug: "North Bet"'],
    [{ event_id: '' }, 'line 3 event_id is empty'],
    [{ outcome_name: 'a\u0000' }, 'line 3 outcome_name has control characters or more than 200: "a\\u0000"'],
    [{ home_team: '"Home' }, 'line 3 has a quote out of place'],
  ]
  for (const [row, message] of cases) {
    const { observations, malformed, account } = fromCsv(csvOf({ price: '2.1' }, row, { price: '2.2' }))
    assert.deepEqual(malformed, [message])
    assert.deepEqual(
      observations.flatMap(({ prices }) => prices.map(({ odds }) => odds)),
      [2.1, 2.2],
    )
    assert.equal(account.totals().read, 2)
  }
  const long = fromCsv(
    csvOf({ home_team: 'x'.repeat(201) }, { home_team: 'x'.repeat(200), outcome_name: 'x'.repeat(200) }),
  )
  assert.equal(long.malformed.length, 1)
  assert.equal(long.account.totals().mapped, 1)
})

test('quoted fields and columns in another order are read', () => {
  const { observations } = fromCsv(csvOf({ home_team: '"Town, ""Old"""', outcome_name: '"Town, ""Old"""' }))
  assert.equal(observations[0]!.event.home, 'Town, "Old"')
  assert.equal(observations[0]!.prices[0]!.outcome, 'home')
  const reversed = csvOf({})
    .split('\n')
    .map((line) => line.split(',').reverse().join(','))
    .join('\n')
  assert.deepEqual(fromCsv(reversed).observations, fromCsv(csvOf({})).observations)
})

test('a file with other columns is not a recording', () => {
  const normaliser = theOddsApiCsvNormaliser({
    account: new Account(),
    transport: null,
    facts: NOTHING_KNOWN,
    limits: { pricesMax: 10, textLengthMax: 10 },
    onMalformed: () => assert.fail(),
  })
  const result = normaliser.read('event_id,price', 1)
  assert.ok(isFormatFault(result))
  assert.match(result.fault, /must name the columns sport_key, /)
  const end = normaliser.end()
  assert.ok(isFormatFault(end))
  assert.match(end.fault, /is empty/)
})

test('rows held for one event have a bound', () => {
  const rows = Array.from({ length: 25 }, (_, index) => ({ market: 'outrights', outcome_name: `p${index}` }))
  const { observations } = fromCsv(csvOf(...rows), { limits: { pricesMax: 1, textLengthMax: 200 } })
  assert.deepEqual(
    observations.map(({ prices }) => prices.length),
    [10, 10, 5],
  )
})

// --- JSON ------------------------------------------------------------------------------------------------------------

const answerOf = (
  event: Readonly<Record<string, unknown>> = {},
  bookmaker: Readonly<Record<string, unknown>> = {},
  market: Readonly<Record<string, unknown>> = {},
  outcome: Readonly<Record<string, unknown>> = {},
): unknown => [
  {
    id: 'e1',
    sport_key: 'icehockey_nhl',
    sport_title: 'NHL',
    commence_time: '2026-03-08T15:00:00Z',
    home_team: 'Home',
    away_team: 'Away',
    bookmakers: [
      {
        key: 'northbet',
        title: 'NorthBet',
        last_update: '2026-03-07T11:58:10Z',
        markets: [
          {
            key: 'h2h',
            last_update: '2026-03-07T11:59:10Z',
            outcomes: [
              { name: 'Home', price: 1.9, ...outcome },
              { name: 'Away', price: 1.95 },
            ],
            ...market,
          },
        ],
        ...bookmaker,
      },
    ],
    ...event,
  },
]

test('a market’s own time counts, else the bookmaker’s; without both the prices have none', () => {
  const timeOf = (result: Result): string => new Date(result.observations[0]!.observedAt).toISOString()
  assert.equal(timeOf(fromJson(answerOf())), '2026-03-07T11:59:10.000Z')
  assert.equal(timeOf(fromJson(answerOf({}, {}, { last_update: undefined }))), '2026-03-07T11:58:10.000Z')
  const { account } = fromJson(answerOf({}, { last_update: null }, { last_update: undefined }))
  assert.deepEqual([...account.totals().unmappedBy], [['no_timestamp', 2]])
})

test('the player of a prop is in the description of its outcome, in JSON as in a column of a recording', () => {
  const outcomes = ['Over', 'Under'].map((name) => ({ name, description: 'Ana Ruiz', price: 1.9, point: 2.5 }))
  const expected = ['over', 'under'].map(
    (side) => `ice_hockey northbet player_prop 2.5 ana_ruiz:shots_on_goal:${side} 1.9`,
  )
  const json = fromJson(answerOf({}, {}, { key: 'player_shots_on_goal', outcomes }))
  assert.deepEqual(linesOf(json.observations), expected)
  const row = { sport_key: 'icehockey_nhl', bookmaker_key: 'northbet', market: 'player_shots_on_goal', point: '2.5' }
  const [header = '', ...rows] = csvOf(
    ...['Over', 'Under'].map((name) => ({ ...row, outcome_name: name, price: '1.9' })),
  ).split('\n')
  for (const column of ['description', 'outcome_description']) {
    const text = [`${header},${column}`, ...rows.map((line) => `${line},Ana Ruiz`)].join('\n')
    assert.deepEqual(linesOf(fromCsv(text).observations), expected)
    const { malformed } = fromCsv(text.replaceAll('Ana', 'A\tna'))
    assert.match(malformed[0]!, /^line 2 description has control characters/)
  }
  const bad = fromJson(answerOf({}, {}, { key: 'player_points' }, { description: 7 }))
  assert.deepEqual(bad.malformed, ['[0].bookmakers[0].markets[0].outcomes[0].description must be a text'])
})

test('one event instead of an array of events is an answer, too', () => {
  const [event] = answerOf() as unknown[]
  assert.deepEqual(fromJson(event).observations, fromJson(answerOf()).observations)
})

test('an outright event may have no team fields, or null', () => {
  const outrights = { key: 'outrights' }
  for (const team of [null, undefined, '']) {
    const { observations } = fromJson(answerOf({ home_team: team, away_team: team }, {}, outrights))
    assert.equal(observations[0]!.event.home, 'NHL')
    assert.equal(observations[0]!.event.away, '')
  }
})

test('a part that cannot be read is named with its place, and the rest is taken', () => {
  const good = (answerOf() as unknown[])[0]
  const cases: readonly [unknown, string, number][] = [
    [[7, good], '[0] must be an object', 2],
    [[...(answerOf({ id: '' }) as unknown[]), good], '[0].id must not be empty', 2],
    [answerOf({ commence_time: 'x' }), '[0].commence_time must be an RFC 3339 date-time', 0],
    [answerOf({ home_team: 7 }), '[0].home_team must be a text', 0],
    [answerOf({ bookmakers: {} }), '[0].bookmakers must be an array', 0],
    [answerOf({ bookmakers: [null] }), '[0].bookmakers[0] must be an object', 0],
    [answerOf({}, { key: 'North Bet' }), '[0].bookmakers[0].key must be a bookmaker slug', 0],
    [answerOf({}, { last_update: 7 }), '[0].bookmakers[0].last_update must be an RFC 3339 date-time', 0],
    [answerOf({}, {}, { outcomes: 'none' }), '[0].bookmakers[0].markets[0].outcomes must be an array', 0],
    [
      answerOf({}, {}, { last_update: 'x' }),
      '[0].bookmakers[0].markets[0].last_update must be an RFC 3339 date-time',
      0,
    ],
    [answerOf({}, {}, {}, { price: '1.9' }), '[0].bookmakers[0].markets[0].outcomes[0].price must be a number', 1],
    [answerOf({}, {}, {}, { point: [] }), '[0].bookmakers[0].markets[0].outcomes[0].point must be a number', 1],
    [
      answerOf({}, {}, {}, { name: 'a\nb' }),
      '[0].bookmakers[0].markets[0].outcomes[0].name must have at most 200 characters, none a control character',
      1,
    ],
  ]
  for (const [answer, message, mapped] of cases) {
    const { malformed, account } = fromJson(answer)
    assert.deepEqual(malformed, [message])
    assert.equal(account.totals().mapped, mapped, message)
  }
})

test('an outcome that cannot be read is listed all the same: a draw, or nobody can tell what', () => {
  const list = (odd: unknown, more: object = {}): string[] => {
    const outcomes = [{ name: 'Home', price: 2.6 }, odd, { name: 'Away', price: 2.5 }]
    return linesOf(fromJson(answerOf(more as Record<string, unknown>, {}, { outcomes })).observations)
  }
  const threeWay = ['home 2.6', 'away 2.5'].map((price) => `ice_hockey northbet match_result_1x2  ${price}`)
  assert.deepEqual(list({ name: 'Draw', price: '4.1' }), threeWay)
  assert.deepEqual(list({ name: 'Draw', price: 4.1, point: [] }), threeWay)
  assert.deepEqual(list({ name: 'Draw', price: null }), threeWay)
  for (const odd of [7, null, { name: 5, price: 4.1 }]) assert.deepEqual(list(odd), [], JSON.stringify(odd))
  const twoWay = ['home 2.6', 'away 2.5'].map((price) => `ice_hockey northbet match_winner  ${price}`)
  assert.deepEqual(list({ name: 'Home', price: '4.1' }), twoWay)
  // Football is bet on three ways in any case.
  const football = ['home 2.6', 'away 2.5'].map((price) => `football northbet match_result_1x2  ${price}`)
  assert.deepEqual(list(7, { sport_key: 'soccer_epl' }), football)
})

test('an answer without bookmakers, or an empty one, is no fault', () => {
  assert.deepEqual(fromJson([]).observations, [])
  assert.deepEqual(fromJson(answerOf({ bookmakers: [] })).observations, [])
  assert.deepEqual(fromJson(answerOf({ bookmakers: undefined })).malformed, [])
})

test('a document that is no answer is a fault', () => {
  const options = {
    account: new Account(),
    transport: null,
    facts: NOTHING_KNOWN,
    limits: { pricesMax: 10, textLengthMax: 10 },
    onMalformed: () => assert.fail(),
  }
  for (const [text, message] of [
    ['[{"id":', /^is not JSON: /],
    ['', /^is not JSON: /],
    ['7', /^is not an answer of The Odds API/],
    ['null', /^is not an answer of The Odds API/],
    ['{"message":"Usage quota has been reached","error_code":"OUT_OF_USAGE_CREDITS"}', /^is not an answer/],
  ] as const) {
    const result = theOddsApiNormaliser(options).read(text, 1)
    assert.ok(isFormatFault(result), text)
    assert.match(result.fault, message)
  }
})
