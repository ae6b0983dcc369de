// American odds must never be published as decimals: how a document of The Odds API is judged, converted and refused.

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
import { isOddsFormat, type OddsFormat, OddsFormatJudge, oddsOf } from '../../../src/source/kit/odds-format.ts'
import { theOddsApiCsvExaminer, theOddsApiCsvNormaliser } from '../../../src/source/the-odds-api/the-odds-api-csv.ts'
import { theOddsApiNormaliser } from '../../../src/source/the-odds-api/the-odds-api-normaliser.ts'
import { ROOT } from '../../root.ts'

const fixture = (name: string): string => readFileSync(join(ROOT, 'fixtures', 'the-odds-api', name), 'utf8')

const AMERICAN = fixture('american.json')
const AMERICAN_CSV = fixture('american.csv')
const DECIMAL = fixture('answer.json')

interface Read {
  readonly observations: Observation[]
  readonly account: Account
  readonly fault: string | undefined
}

const read = (
  make: (options: NormaliserOptions) => Normaliser,
  pieces: readonly string[],
  oddsFormat: OddsFormat | null = null,
): Read => {
  const account = new Account()
  const observations: Observation[] = []
  const normaliser = make({
    account,
    transport: null,
    facts: { ...NOTHING_KNOWN, oddsFormat },
    limits: { pricesMax: 100, textLengthMax: 200 },
    onMalformed: (place, reason) => assert.fail(`${place} ${reason}`),
  })
  for (const [index, piece] of pieces.entries()) {
    const taken = normaliser.read(piece, index + 1)
    if (isFormatFault(taken)) return { observations, account, fault: taken.fault }
    observations.push(...taken)
  }
  const held = normaliser.end()
  if (isFormatFault(held)) return { observations, account, fault: held.fault }
  observations.push(...held)
  return { observations, account, fault: undefined }
}

const json = (text: string, oddsFormat?: OddsFormat): Read => read(theOddsApiNormaliser, [text], oddsFormat)

const csv = (text: string, oddsFormat?: OddsFormat): Read =>
  read(theOddsApiCsvNormaliser, text.trim().split('\n'), oddsFormat)

const examined = (text: string, oddsFormat: OddsFormat | null = null): string | undefined => {
  const examiner = theOddsApiCsvExaminer({ ...NOTHING_KNOWN, oddsFormat })
  for (const [index, line] of text.trim().split('\n').entries()) examiner.read(line, index + 1)
  return examiner.end()?.fault
}

const quotesOf = ({ observations }: Read): string[] =>
  observations.flatMap(({ bookmaker, prices }) =>
    prices.map(({ type, line, outcome, odds }) => [bookmaker, type, line, outcome, odds].join(' ')),
  )

/** An answer of one event, one outcome a price. */
const answerOf = (prices: readonly unknown[], event: object = {}): string =>
  JSON.stringify([
    {
      id: 'e1',
      sport_key: 'golf_masters_winner',
      sport_title: 'Masters Winner',
      commence_time: '2026-05-24T22:40:00Z',
      home_team: null,
      away_team: null,
      bookmakers: [
        {
          key: 'northbet',
          last_update: '2026-05-24T16:30:14Z',
          markets: [{ key: 'outrights', outcomes: prices.map((price, n) => ({ name: `Player ${n}`, price })) }],
        },
      ],
      ...event,
    },
  ])

const HEADER =
  'event_id,sport_key,sport_title,commence_time,home_team,away_team,snapshot_time,bookmaker_key,last_update,market,' +
  'outcome_name,price,point'

/** A recording of one event a price. */
const recordingOf = (prices: readonly (number | string)[], more: readonly string[] = []): string =>
  [
    more.length === 0 ? HEADER : `${HEADER},odds_format`,
    ...prices.map((price, n) =>
      [
        `e${n},golf_masters_winner,Masters Winner,2026-05-24T22:40:00Z,,,2026-05-24T16:31:00Z,northbet,`,
        `2026-05-24T16:30:14Z,outrights,Player ${n},${price},`,
        more.length === 0 ? '' : `,${more[n % more.length]}`,
      ].join(''),
    ),
  ].join('\n')

const CONVERTED = [
  'northbet match_winner  away 1.667',
  'northbet match_winner  home 2.38',
  'northbet total 8.5 over 1.909',
  'northbet total 8.5 under 1.909',
  'southbet match_winner  away 1.704',
  'southbet match_winner  home 2',
  'southbet run_line 1.5 away 3.53',
  'southbet run_line 1.5 home 1.313',
]

test('an answer in American odds is refused as a whole, with the price that proves it and what to do', () => {
  const { observations, account, fault } = json(AMERICAN)
  assert.deepEqual(observations, [])
  assert.equal(account.read, 0)
  assert.match(fault!, /American odds \(\[0\]\.bookmakers\[0\]\.markets\[0\]\.outcomes\[0\]\.price is -150\)/)
  assert.match(fault!, /oddsFormat=decimal/)
  assert.match(fault!, /--odds-format american/)
})

test('American odds are converted where they are said to be, in answers and in recordings alike', () => {
  const answer = json(AMERICAN, 'american')
  assert.equal(answer.fault, undefined)
  assert.deepEqual(quotesOf(answer), CONVERTED)
  assert.deepEqual(quotesOf(csv(AMERICAN_CSV, 'american')), CONVERTED)
  assert.equal(examined(AMERICAN_CSV, 'american'), undefined)
})

test('one price of -100 or less proves it, wherever it is, whatever its market is and whoever reads it', () => {
  for (const price of [-100, -101, -100.5, -20_000]) {
    for (const prices of [[price], [2.5, 1.91, price], [price, 101, 1.5], [101, 150, price]]) {
      assert.match(json(answerOf(prices)).fault ?? '', /American odds/, String(prices))
      assert.match(examined(recordingOf(prices)) ?? '', /American odds/, String(prices))
    }
  }
  const events = JSON.parse(DECIMAL)
  events.at(-1).bookmakers.push({ key: 'Not A Slug', markets: [{ key: 'player_points', outcomes: [{ price: -115 }] }] })
  const { observations, fault } = json(JSON.stringify(events))
  assert.match(fault!, /\.price is -115\)/)
  assert.deepEqual(observations, [])
})

test('whole numbers of 100 or more throughout prove it as well: an only longshot must be said to be decimal', () => {
  for (const prices of [[150], [101, 151, 1000], [100, 138, null], [150, 0], [150, -50], [150, 1]]) {
    const { fault, observations } = json(answerOf(prices))
    assert.match(fault ?? '', /American odds, as far as can be seen .*every price is a whole number/, String(prices))
    assert.match(fault!, /--odds-format decimal/)
    assert.deepEqual(observations, [])
  }
  assert.match(examined(recordingOf([150, 101])) ?? '', /whole number of 100 or more/)
  assert.match(csv(recordingOf([150])).fault ?? '', /whole number of 100 or more/)
  assert.deepEqual(quotesOf(json(answerOf([150]), 'decimal')), ['northbet outright  player_0 150'])
  assert.equal(examined(recordingOf([150, 101]), 'decimal'), undefined)
})

test('longshots among decimals are decimals', () => {
  const cases: readonly (readonly number[])[] = [
    [101, 1.5],
    [101, 101, 34],
    [1000, 99.5],
    [110.5, 200],
  ]
  for (const prices of cases) {
    const { observations, fault } = json(answerOf(prices))
    assert.equal(fault, undefined, String(prices))
    assert.deepEqual(
      observations.flatMap((observation) => observation.prices.map(({ odds }) => odds)),
      prices,
    )
    assert.equal(examined(recordingOf(prices)), undefined)
  }
  assert.equal(json(DECIMAL).fault, undefined)
})

interface Listed {
  readonly book?: string
  readonly market?: string
  /** Name, price, and the point. */
  readonly outcomes: readonly (readonly [string, number, number?])[]
}

const DECIMALS: Listed = {
  book: 'southbet',
  outcomes: [
    ['Iron Bay Gulls', 2.5],
    ['Tall Pines', 1.6],
    ['Draw', 9],
  ],
}

const sportKeyOf = (isSoccer: boolean): string => (isSoccer ? 'soccer_usa_mls' : 'baseball_mlb')

/** An answer of one event, a list a bookmaker and market; and the same as a recording. */
const listsOf = (
  lists: readonly Listed[],
  isSoccer = false,
): { readonly answer: string; readonly recording: string } => {
  const members = { home_team: 'Iron Bay Gulls', away_team: 'Tall Pines', sport_key: sportKeyOf(isSoccer) }
  const answer = answerOf([], {
    ...members,
    bookmakers: lists.map(({ book = 'northbet', market = 'h2h', outcomes }) => ({
      key: book,
      last_update: '2026-05-24T16:30:14Z',
      markets: [{ key: market, outcomes: outcomes.map(([name, price, point]) => ({ name, price, point })) }],
    })),
  })
  const rows = lists.flatMap(({ book = 'northbet', market = 'h2h', outcomes }) =>
    outcomes.map(
      ([name, price, point]) =>
        `e1,${members.sport_key},S,2026-05-24T22:40:00Z,Iron Bay Gulls,Tall Pines,2026-05-24T16:31:00Z,${book},` +
        `2026-05-24T16:30:14Z,${market},${name},${price},${point ?? ''}`,
    ),
  )
  return { answer, recording: [HEADER, ...rows].join('\n') }
}

test('one market in American odds proves it, whatever other markets and bookmakers have beside it', () => {
  const cases: readonly [string, Listed, boolean?][] = [
    [
      'two-way',
      {
        outcomes: [
          ['Iron Bay Gulls', 102],
          ['Tall Pines', 104],
        ],
      },
    ],
    [
      'two-way with a draw',
      {
        outcomes: [
          ['Iron Bay Gulls', 138],
          ['Draw', 310],
          ['Tall Pines', 150],
        ],
      },
    ],
    [
      'three-way',
      {
        outcomes: [
          ['Iron Bay Gulls', 138],
          ['Tall Pines', 210],
          ['Draw', 230],
        ],
      },
      true,
    ],
    [
      'three-way',
      {
        market: 'h2h_3_way',
        outcomes: [
          ['Iron Bay Gulls', 138],
          ['Tall Pines', 210],
          ['Draw', 230],
        ],
      },
    ],
    [
      'handicap',
      {
        market: 'spreads',
        outcomes: [
          ['Iron Bay Gulls', 100, -1.5],
          ['Tall Pines', 100, 1.5],
        ],
      },
    ],
    [
      'total',
      {
        market: 'totals',
        outcomes: [
          ['Over', 101, 8.5],
          ['Under', 105, 8.5],
          ['Over', 400, 11.5],
        ],
      },
    ],
    [
      'btts',
      {
        market: 'btts',
        outcomes: [
          ['Yes', 100],
          ['No', 110],
        ],
      },
      true,
    ],
  ]
  const decimalLay: Listed = {
    market: 'h2h_lay',
    outcomes: [
      ['Iron Bay Gulls', 2.4],
      ['Tall Pines', 1.9],
    ],
  }
  const decimalElsewhere: Listed = { market: 'player_points', outcomes: [['Over', 1.91, 20.5]] }
  for (const [what, american, isSoccer] of cases) {
    for (const others of [[DECIMALS], [decimalLay], [decimalElsewhere], []]) {
      for (const lists of [
        [american, ...others],
        [...others, american],
      ]) {
        const { answer, recording } = listsOf(lists, isSoccer)
        for (const read of [json(answer), csv(recording)]) {
          assert.match(read.fault ?? '', /American odds/, what)
          assert.deepEqual(read.observations, [], what)
        }
        assert.match(examined(recording) ?? '', /American odds/, what)
      }
    }
  }
  const { answer, recording } = listsOf([DECIMALS, cases[0]![1]])
  assert.match(
    json(answer).fault!,
    /American odds beside decimal odds \(\[0\]\.bookmakers\[0\].*price is 2\.5\).*\(\[0\]\.bookmakers\[1\]\.markets\[0\] has 102, 104/,
  )
  assert.match(examined(recording)!, /\(line 5, "h2h" of "northbet", has 102, 104, .*--odds-format decimal/)
  assert.equal(json(answer, 'decimal').fault, undefined, 'they are said to be decimal')
})

test('longshots in markets that are not whole, or would be no market either way, prove nothing', () => {
  const cases: readonly [string, Listed, boolean?][] = [
    [
      'the favourite has a decimal price',
      {
        outcomes: [
          ['Iron Bay Gulls', 1.01],
          ['Tall Pines', 101],
        ],
      },
    ],
    [
      'the draw is the favourite',
      {
        outcomes: [
          ['Iron Bay Gulls', 101],
          ['Tall Pines', 101],
          ['Draw', 1.02],
        ],
      },
    ],
    [
      'the draw is not offered any more',
      {
        outcomes: [
          ['Iron Bay Gulls', 101],
          ['Tall Pines', 151],
        ],
      },
      true,
    ],
    [
      'the home side is not',
      {
        outcomes: [
          ['Draw', 101],
          ['Tall Pines', 501],
        ],
      },
      true,
    ],
    [
      'what stands in for prices',
      {
        outcomes: [
          ['Iron Bay Gulls', 1001],
          ['Tall Pines', 1001],
        ],
      },
    ],
    [
      'sides of other lines',
      {
        market: 'alternate_totals',
        outcomes: [
          ['Over', 101, 8.5],
          ['Under', 101, 1.5],
        ],
      },
    ],
    [
      'handicaps of one sign',
      {
        market: 'alternate_spreads',
        outcomes: [
          ['Iron Bay Gulls', 101, -5.5],
          ['Tall Pines', 101, -5.5],
        ],
      },
    ],
    [
      'outrights',
      {
        market: 'outrights',
        outcomes: [
          ['Iron Bay Gulls', 101],
          ['Tall Pines', 101],
        ],
      },
    ],
    [
      'lay prices',
      {
        market: 'h2h_lay',
        outcomes: [
          ['Iron Bay Gulls', 101],
          ['Tall Pines', 101],
        ],
      },
    ],
    [
      'one has a fraction',
      {
        outcomes: [
          ['Iron Bay Gulls', 101.5],
          ['Tall Pines', 101],
        ],
      },
    ],
  ]
  for (const [what, longshots, isSoccer] of cases) {
    const { answer, recording } = listsOf([longshots, DECIMALS], isSoccer)
    assert.equal(json(answer).fault, undefined, what)
    assert.equal(csv(recording).fault, undefined, what)
    assert.equal(examined(recording), undefined, what)
  }
})

test('what is a price in neither format is bad, and proves nothing', () => {
  for (const price of [-99.5, -1, 0, 0.5, 1]) {
    const decimals = json(answerOf([price, 2.5]))
    assert.equal(decimals.fault, undefined)
    assert.equal(decimals.account.totals().badPrice, 1, String(price))
    const american = json(answerOf([price, 250]), 'american')
    assert.equal(american.fault, undefined)
    assert.equal(american.account.totals().badPrice, 1, String(price))
    assert.deepEqual(quotesOf(american), ['northbet outright  player_1 3.5'])
  }
  for (const empty of [[], [null], [0], [0.5, null]]) assert.equal(json(answerOf(empty)).fault, undefined)
})

test('what is said of the odds is not believed against their proof', () => {
  assert.match(json(AMERICAN, 'decimal').fault ?? '', /price is -150\), not decimal odds as was given as --odds-format/)
  assert.match(
    json(DECIMAL, 'american').fault ?? '',
    /price is 4\.2\), not American odds as was given as --odds-format/,
  )
  assert.match(examined(recordingOf([250, 1.91]), 'american') ?? '', /line 3, price is 1\.91/)
  assert.match(examined(recordingOf([250, -110]), 'decimal') ?? '', /line 3, price is -110/)
})

test('a document that says that its odds are American is converted, by event or by a column', () => {
  for (const member of ['odds_format', 'oddsFormat']) {
    const said = json(answerOf([138, -150], { [member]: 'american' }))
    assert.equal(said.fault, undefined)
    assert.deepEqual(quotesOf(said), ['northbet outright  player_0 2.38', 'northbet outright  player_1 1.667'])
  }
  const recording = recordingOf([138, -150], ['american'])
  assert.equal(examined(recording), undefined)
  assert.deepEqual(quotesOf(csv(recording)), ['northbet outright  player_0 2.38', 'northbet outright  player_1 1.667'])
  assert.deepEqual(quotesOf(json(answerOf([150], { odds_format: 'decimal' }))), ['northbet outright  player_0 150'])

  assert.match(
    json(answerOf([138, 1.91], { odds_format: 'american' })).fault ?? '',
    /is 1\.91\), not American odds as it says itself/,
  )
  assert.match(
    json(answerOf([138], { odds_format: 'fractional' })).fault ?? '',
    /"fractional", not decimal or american/,
  )
  assert.match(json(answerOf([138], { odds_format: 'american' }), 'decimal').fault ?? '', /though --odds-format/)
  assert.match(examined(recordingOf([138, 2], ['american', 'decimal'])) ?? '', /says both/)
})

test('a recording may write the sign of its American odds', () => {
  const signed = recordingOf(['+138', '+250'])
  assert.match(examined(signed) ?? '', /holds American odds/)
  assert.deepEqual(quotesOf(csv(signed, 'american')), [
    'northbet outright  player_0 2.38',
    'northbet outright  player_1 3.5',
  ])
  // Nobody writes decimal odds with a sign: it proves them, whatever stands beside it.
  assert.match(examined(recordingOf([2.1, '+450'])) ?? '', /holds American odds/)
})

test('of a recording that is read line by line nothing follows the row that proves it', () => {
  // Without an examination before: a row of an event is published when the next event begins.
  const prices = [2.5, 3.5, -110, 4.5, 5.5]
  const { observations, fault } = csv(recordingOf(prices))
  assert.match(fault ?? '', /American odds \(line 4, price is -110\)/)
  assert.equal(observations.length, 1)
})

test('a judge knows a price of its kind again, and never a proof', () => {
  const judge = new OddsFormatJudge(null)
  assert.equal(judge.isKnown(2), false)
  judge.price(2, () => 'here')
  for (const price of [1.01, 2, 99.99]) assert.ok(judge.isKnown(price))
  for (const price of [-100, 100, 1, 0, Number.NaN]) assert.equal(judge.isKnown(price), false)
  judge.price(Number.POSITIVE_INFINITY, () => assert.fail('it is no price'))
  judge.price(Number.NEGATIVE_INFINITY, () => assert.fail('it is no price'))
  assert.equal(judge.verdict, undefined)
})

test('odds of a price by its format', () => {
  assert.equal(oddsOf(138, 'american'), 2.38)
  assert.equal(oddsOf(138, 'decimal'), 138)
  assert.equal(oddsOf(1, 'decimal'), undefined)
  assert.equal(oddsOf(99, 'american'), undefined)
  assert.ok(isOddsFormat('american') && isOddsFormat('decimal') && !isOddsFormat('American') && !isOddsFormat(1))
})
