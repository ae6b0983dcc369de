import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Observation } from '../../../src/domain/observation.ts'
import { Account } from '../../../src/source/kit/account.ts'
import { footballDataNormaliser } from '../../../src/source/football-data/football-data-normaliser.ts'
import { isFormatFault, NOTHING_KNOWN } from '../../../src/source/kit/normaliser.ts'
import { DATA, ROOT, testsWith } from '../../root.ts'

interface Result {
  readonly observations: Observation[]
  readonly account: Account
  readonly malformed: string[]
  readonly fault: string | undefined
}

const read = (text: string): Result => {
  const account = new Account()
  const malformed: string[] = []
  const observations: Observation[] = []
  const normaliser = footballDataNormaliser({
    account,
    facts: NOTHING_KNOWN,
    transport: null,
    limits: { pricesMax: 100, textLengthMax: 200 },
    onMalformed: (place, reason) => malformed.push(`${place} ${reason}`),
  })
  let fault: string | undefined
  const gather = (taken: ReturnType<typeof normaliser.end>): void => {
    if (isFormatFault(taken)) fault ??= taken.fault
    else observations.push(...taken)
  }
  // As lines of a file come: without their ends, and none that is empty.
  for (const [index, line] of text.split(/\r?\n/).entries()) if (line !== '') gather(normaliser.read(line, index + 1))
  gather(normaliser.end())
  assert.ok(account.isBalanced(), 'each outcome has ended in one place')
  assert.equal(account.malformed, malformed.length)
  return { observations, account, malformed, fault }
}

const linesOf = (observations: readonly Observation[]): string[] =>
  observations.flatMap(({ bookmaker, event, prices }) =>
    prices.map(({ type, line, outcome, odds, status }) =>
      [event.leagueKey, event.home, type, Object.is(line, -0) ? '-0' : line, bookmaker, outcome, odds, status].join(
        ' ',
      ),
    ),
  )

const FIXTURE = readFileSync(join(ROOT, 'fixtures', 'football-data', 'matches.csv'), 'utf8')
const [HEADER = '', FIRST = ''] = FIXTURE.split('\r\n')

test('closing prices become quotes as of kickoff', () => {
  const { observations, malformed } = read(FIXTURE)
  assert.deepEqual(malformed, [])
  assert.deepEqual(linesOf(observations), [
    'england_premier_league Harbour Town match_result_1x2  bet365 home 9 open',
    'england_premier_league Harbour Town match_result_1x2  bet365 draw 5.25 open',
    'england_premier_league Harbour Town match_result_1x2  bet365 away 1.33 open',
    'england_premier_league Harbour Town total_goals 2.5 bet365 over 1.67 open',
    'england_premier_league Harbour Town spread 1.5 bet365 away 1.98 open',
    'england_premier_league Harbour Town match_result_1x2  pinnacle home 9.62 open',
    'england_premier_league Harbour Town total_goals 2.5 pinnacle under 2.35 open',
    'england_premier_league Harbour Town spread 1.5 pinnacle home 1.95 open',
    'england_premier_league Harbour Town match_result_1x2  betvictor home 10 open',
    'spain_la_liga Peñas Altas match_result_1x2  bet365 home 1.55 open',
    'spain_la_liga Peñas Altas match_result_1x2  bet365 away 6 open',
    'spain_la_liga Peñas Altas total_goals 2.5 bet365 over 1.9 open',
    'spain_la_liga Peñas Altas spread -0.75 bet365 away 2.02 open',
    'spain_la_liga Peñas Altas match_result_1x2  pinnacle home 1.01 open',
    'spain_la_liga Peñas Altas spread -0.75 pinnacle home 1.9 open',
  ])
  const events = new Map(
    observations.map(({ event, observedAt, transport }) => [event.sourceKey, { event, observedAt, transport }]),
  )
  assert.deepEqual(
    Array.from(events, ([key, { event, observedAt, transport }]) => [
      key,
      new Date(event.kickoffAt).toISOString(),
      observedAt === event.kickoffAt,
      transport,
    ]),
    [
      ['football-data:E0:2023-08-11:harbour_town:kestrel_and_vale', '2023-08-11T19:00:00.000Z', true, 'rest'],
      ['football-data:SP1:2024-01-20:penas_altas:obrien', '2024-01-20T20:00:00.000Z', true, 'rest'],
    ],
  )
})

test('every price is counted by its column', () => {
  const { account } = read(FIXTURE)
  const fates = Object.fromEntries(
    account.sourceMarkets().map(({ sourceMarket, fates: row }) => [sourceMarket, Object.fromEntries(row)]),
  )
  assert.deepEqual(fates, {
    B365H: { no_timestamp: 3, event: 1 },
    VCH: { no_timestamp: 3, event: 1 },
    MaxH: { aggregate: 3, event: 1 },
    B365CH: { match_result_1x2: 2, event: 1, no_price: 1 },
    B365CD: { match_result_1x2: 1, event: 1, no_price: 2 },
    B365CA: { match_result_1x2: 2, event: 1, no_price: 1 },
    PSCH: { match_result_1x2: 2, event: 1, no_price: 1 },
    ZZCH: { market: 3, event: 1 },
    MaxCH: { aggregate: 3, event: 1 },
    VCCH: { match_result_1x2: 1, bad_price: 1, event: 1, no_price: 1 },
    'B365C>2.5': { total_goals: 2, event: 1, no_price: 1 },
    'PC<2.5': { total_goals: 1, event: 1, no_price: 2 },
    PCAHH: { spread: 2, event: 1, outcome: 1 },
    B365CAHA: { spread: 2, event: 1, outcome: 1 },
  })
  assert.equal(account.totals().read, 4 * 14, 'results, corners and the line are no prices')
})

test('a line of zero is never negative', () => {
  const row = FIRST.split(',')
  row[HEADER.split(',').indexOf('AHCh')] = '-0'
  const { observations } = read(`${HEADER}\n${row.join(',')}`)
  const lines = observations.flatMap(({ prices }) => prices.filter(({ type }) => type === 'spread'))
  assert.deepEqual(
    lines.map(({ line }) => Object.is(line, 0)),
    [true, true],
  )
})

test('commas behind the last column are ignored, values there are not', () => {
  for (const commas of [',,', ',', '']) assert.deepEqual(read(`${HEADER},,\n${FIRST}${commas}`).malformed, [])
  const { observations, malformed } = read(`${HEADER}\n${FIRST},,\n${FIRST},1.5\n${FIRST.replace(/,[^,]*$/, '')}`)
  assert.deepEqual(malformed, ['line 3 has 27 columns, not 26', 'line 4 has 25 columns, not 26'])
  assert.equal(observations.length, 3)
})

test('a row that cannot be read is skipped, with its line and reason', () => {
  const change = (column: string, text: string): string => {
    const row = FIRST.split(',')
    row[HEADER.split(',').indexOf(column)] = text
    return row.join(',')
  }
  const { observations, malformed } = read(
    [
      HEADER,
      change('Date', '31/06/2023'),
      change('Time', '8 pm'),
      change('B365CH', 'evens'),
      change('AHCh', '1.5.0'),
      change('HomeTeam', 'Harbour\tTown'),
      change('HomeTeam', '"Harbour'),
      FIRST,
    ].join('\n'),
  )
  assert.deepEqual(malformed, [
    'line 2 Date and Time are not dd/mm/yyyy and hh:mm: "31/06/2023 20:00"',
    'line 3 Date and Time are not dd/mm/yyyy and hh:mm: "11/08/2023 8 pm"',
    'line 4 B365CH is not a number: "evens"',
    'line 5 AHCh is not a number: "1.5.0"',
    'line 6 HomeTeam has control characters or more than 200: "Harbour\\tTown"',
    'line 7 has a quote out of place',
  ])
  assert.equal(observations.length, 3)
})

test('a match that its key would not tell from others is refused', () => {
  const row = (division: string, home: string, away: string): string =>
    `${division},11/08/2023,20:00,${home},${away},1.5`
  const { observations, malformed } = read(
    [
      'Div,Date,Time,HomeTeam,AwayTeam,B365CH',
      row('G1', 'ΑΕΚ', 'ΠΑΟΚ'),
      row('G1', 'AEK', 'ΟΦΗ B'),
      row('G1', '??', 'PAOK'),
      row('G1', 'Őriszentpéter 2', 'Łódź'),
      row('G1', ' ', 'PAOK'),
    ].join('\n'),
  )
  assert.deepEqual(malformed, [
    'line 2 HomeTeam is not in Latin letters and digits: "ΑΕΚ"',
    'line 3 AwayTeam is not in Latin letters and digits: "ΟΦΗ B"',
    'line 4 HomeTeam is not in Latin letters and digits: "??"',
  ])
  assert.deepEqual(
    observations.map(({ event }) => event.sourceKey),
    ['football-data:G1:2023-08-11:oriszentpeter_2:lodz'],
  )
})

test('spaces around a division are none of it; nothing but spaces is no division', () => {
  const leagues = ['E0 ', '  ', ''].map((division) => {
    const text = `Div,Date,Time,HomeTeam,AwayTeam,B365CH\n${division},11/08/2023,20:00,A,B,1.5`
    const { leagueKey, leagueName, sourceKey } = read(text).observations[0]!.event
    return [leagueKey, leagueName, sourceKey]
  })
  assert.deepEqual(leagues, [
    ['england_premier_league', 'England Premier League', 'football-data:E0:2023-08-11:a:b'],
    ['unknown', 'unknown', 'football-data::2023-08-11:a:b'],
    ['unknown', 'unknown', 'football-data::2023-08-11:a:b'],
  ])
})

test('the matches of a file without times are dated: 12:00 UTC of the day, and counted as such', () => {
  const header = 'Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR,B365H,GBAH,LBAH,PSH,PSCH,PSCD,PSCA,BbAvAHH'
  const rows = [
    'E0,26/08/17,Alder,Birch,1,0,H,1.9,-0.5,-0.5,1.95,2,3.5,4.1,1.9',
    'E0,27/08/17,Cedar,Elder,,,,,,,,,3.4,,',
  ]
  const { observations, account, malformed } = read([header, ...rows].join('\n'))
  assert.deepEqual(malformed, [])
  assert.deepEqual(linesOf(observations), [
    'england_premier_league Alder match_result_1x2  pinnacle home 2 open',
    'england_premier_league Alder match_result_1x2  pinnacle draw 3.5 open',
    'england_premier_league Alder match_result_1x2  pinnacle away 4.1 open',
    'england_premier_league Cedar match_result_1x2  pinnacle draw 3.4 open',
  ])
  const [{ event, observedAt }] = observations as [Observation]
  assert.equal(event.sourceKey, 'football-data:E0:2017-08-26:alder:birch')
  assert.equal(new Date(observedAt).toISOString(), '2017-08-26T12:00:00.000Z')
  assert.equal(event.kickoffAt, observedAt)
  const { read: outcomes, mapped, dated, noPrice, unmappedBy } = account.totals()
  assert.deepEqual([outcomes, mapped, dated, noPrice], [12, 4, 4, 2], 'GBAH and LBAH are lines')
  assert.deepEqual(Object.fromEntries(unmappedBy), { no_timestamp: 4, aggregate: 2 })

  assert.deepEqual(read(`${header}\n${rows[0]!.replace('26/08', '31/06')}`).malformed, [
    'line 2 Date is not dd/mm/yyyy: "31/06/17"',
  ])
})

test('the books of 2025/26 and of 2026/27 have their slugs', () => {
  const letters = ['BFD', 'BMGM', 'BV', 'CL', 'LB', 'PP', 'SKB', 'BFE', 'BW']
  const header = ['Div,Date,Time,HomeTeam,AwayTeam,HxG,AxG', ...letters.map((book) => `${book}H,${book}CH`)].join(',')
  const row = ['E0,15/08/2025,20:00,Alder,Birch,1.88,0.2', ...letters.map(() => '1.9,1.8')].join(',')
  const { observations, account } = read(`${header}\n${row}`)
  assert.deepEqual(
    observations.map(({ bookmaker }) => bookmaker),
    [
      ...['betfred_uk', 'betmgm', 'betvictor', 'coral', 'ladbrokes_uk', 'paddypower', 'skybet'],
      ...['betfair_ex_uk', 'bwin'],
    ],
  )
  const { read: outcomes, mapped, dated, unmappedBy } = account.totals()
  assert.deepEqual([outcomes, mapped, dated, unmappedBy.get('no_timestamp')], [18, 9, 0, 9])
})

test('a country file names country and league, and its teams by other columns', () => {
  const rows = [
    'Norway,Eliteserien ,2024,01/04/2024,17:00,Alder,Birch,1,0,H,2.1,1.9,2.05',
    'Brazil,Serie A,2024,13/04/2024,22:30,Cedar,Elder,1,1,D,2.16,,',
  ]
  const teams = ['Home,Away,HG,AG,Res', 'HomeTeam,AwayTeam,FTHG,FTAG,FTR'].map((columns) =>
    read([`Country,League,Season,Date,Time,${columns},PSCH,MaxCH,B365CH`, ...rows].join('\n')),
  )
  for (const { observations, malformed } of teams) {
    assert.deepEqual(malformed, [])
    assert.deepEqual(
      observations.map(({ bookmaker, event }) => [bookmaker, event.leagueKey, event.leagueName, event.sourceKey]),
      [
        ...['pinnacle', 'bet365'].map((book) => [
          ...[book, 'norway_eliteserien', 'Norway Eliteserien'],
          'football-data:norway_eliteserien:2024-04-01:alder:birch',
        ]),
        [...['pinnacle', 'brazil_campeonato', 'Brazil Serie A'], 'football-data:brazil_serie_a:2024-04-13:cedar:elder'],
      ],
    )
    assert.equal(new Date(observations[0]!.event.kickoffAt).toISOString(), '2024-04-01T16:00:00.000Z')
  }
})

test('a file without the columns of a match is a fault that names them', () => {
  const fault = 'cannot be read as football-data.co.uk: its first line does not name'
  assert.equal(
    read('Country,Date,Home,Team,B365CH\nX,11/08/2023,A,B,2').fault,
    `${fault} Div, or Country and League; AwayTeam or Away or AT`,
  )
  assert.equal(
    read('a,b\n1,2').fault,
    `${fault} Div, or Country and League; Date; HomeTeam or Home or HT; AwayTeam or Away or AT`,
  )
  assert.equal(read('').fault, 'is empty: it must begin with a line of column names')
})

// --- the recorded files ----------------------------------------------------------------------------------------------

const RECORDED = [
  {
    name: 'E0_2324',
    totals: { read: 30_400, mapped: 9_284, noPrice: 596, badPrice: 0, unmapped: 20_520 },
    unmappedBy: { aggregate: 10_640, no_timestamp: 9_880 },
    events: 380,
    books: 6,
    markets: 1_140,
    bookMarkets: 3_599,
    types: { match_result_1x2: 6_258, spread: 1_520, total_goals: 1_506 },
  },
  {
    name: 'E0_2425',
    totals: { read: 22_466, mapped: 7_883, noPrice: 4, badPrice: 0, unmapped: 14_579 },
    unmappedBy: { aggregate: 6_692, no_timestamp: 7_887 },
    events: 239,
    books: 7,
    markets: 717,
    bookMarkets: 3_105,
    types: { match_result_1x2: 5_019, spread: 1_434, total_goals: 1_430 },
  },
  {
    name: 'SP1_2324',
    totals: { read: 30_400, mapped: 9_277, noPrice: 603, badPrice: 0, unmapped: 20_520 },
    unmappedBy: { aggregate: 10_640, no_timestamp: 9_880 },
    events: 380,
    books: 6,
    markets: 1_140,
    bookMarkets: 3_599,
    types: { match_result_1x2: 6_237, spread: 1_520, total_goals: 1_520 },
  },
] as const

const pathOf = (name: string): string => join(DATA, 'football-data', `${name}.csv.gz`)
const skip = RECORDED.every(({ name }) => existsSync(pathOf(name)))
  ? false
  : 'the recorded payloads are not on this machine'
const recorded = testsWith('recorded payloads', skip)

const readRecorded = (name: string): Result =>
  read(
    gunzipSync(readFileSync(pathOf(name)))
      .toString('utf8')
      .replace('\ufeff', ''),
  )

for (const { name, totals, unmappedBy, events, books, markets, bookMarkets, types } of RECORDED) {
  recorded(`${name} gives the totals of docs/feeds.md 12`, () => {
    const { observations, account } = readRecorded(name)
    const { unmappedBy: reasons, ...counts } = account.totals()
    assert.deepEqual(counts, { ...totals, malformed: 0, dated: 0 })
    assert.deepEqual(Object.fromEntries([...reasons].sort()), unmappedBy)
    const quotes = observations.flatMap(({ event, bookmaker, prices }) =>
      prices.map((price) => ({ ...price, event: event.sourceKey, bookmaker })),
    )
    const distinct = (keyOf: (quote: (typeof quotes)[number]) => string): number => new Set(quotes.map(keyOf)).size
    assert.equal(
      distinct(({ event, bookmaker, type, line, outcome }) => [event, bookmaker, type, line, outcome].join()),
      totals.mapped,
    )
    assert.equal(
      distinct(({ event }) => event!),
      events,
    )
    assert.equal(
      distinct(({ bookmaker }) => bookmaker),
      books,
    )
    assert.equal(
      distinct(({ event, type, line }) => [event, type, line].join()),
      markets,
    )
    assert.equal(
      distinct(({ event, bookmaker, type, line }) => [event, bookmaker, type, line].join()),
      bookMarkets,
    )
    const byType: Record<string, number> = {}
    for (const { type, status } of quotes) {
      assert.equal(status, 'open')
      byType[type] = (byType[type] ?? 0) + 1
    }
    assert.deepEqual(byType, types)
  })
}

recorded('the examples of docs/feeds.md 10', () => {
  const { observations } = readRecorded('E0_2324')
  const first = observations.filter(({ event }) => event.home === 'Burnley' && event.away === 'Man City')
  const lines = linesOf(first)
  for (const line of [
    'england_premier_league Burnley match_result_1x2  bet365 away 1.33 open',
    'england_premier_league Burnley spread 1.5 pinnacle home 1.95 open',
    'england_premier_league Burnley total_goals 2.5 pinnacle over 1.65 open',
  ]) {
    assert.ok(lines.includes(line), line)
  }
  for (const { event, observedAt } of first) {
    assert.equal(event.sourceKey, 'football-data:E0:2023-08-11:burnley:man_city')
    assert.equal(new Date(event.kickoffAt).toISOString(), '2023-08-11T19:00:00.000Z')
    assert.equal(observedAt, event.kickoffAt)
  }
})
