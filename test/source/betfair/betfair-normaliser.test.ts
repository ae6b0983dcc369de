import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Observation } from '../../../src/domain/observation.ts'
import { Account } from '../../../src/source/kit/account.ts'
import { type BetfairNormaliser, betfairNormaliser } from '../../../src/source/betfair/betfair-normaliser.ts'
import { NOTHING_KNOWN, type NormaliserOptions } from '../../../src/source/kit/normaliser.ts'
import { Random, SEED } from '../../random.ts'
import { DATA, ROOT, testsWith } from '../../root.ts'
import { fatesOf } from '../kit/polled.ts'

const T = 1_772_964_000_000

type Fields = Readonly<Record<string, unknown>>

/** A normaliser, what it gave out so far, and shorthands to feed it. */
class Reading {
  readonly account = new Account()
  readonly malformed: string[] = []
  readonly observations: Observation[] = []
  readonly normaliser: BetfairNormaliser
  private lines = 0

  constructor(options: Partial<NormaliserOptions> = {}) {
    this.normaliser = betfairNormaliser({
      account: this.account,
      facts: NOTHING_KNOWN,
      transport: null,
      limits: { pricesMax: 100, textLengthMax: 200 },
      onMalformed: (place, reason) => this.malformed.push(`${place} ${reason}`),
      ...options,
    })
  }

  /** Takes a line; what it gave out, as texts. */
  line(text: string): string[] {
    return this.keep(this.normaliser.read(text, ++this.lines))
  }

  /** Takes a change message of some second. */
  mcm(second: number, fields: Fields): string[] {
    return this.line(JSON.stringify({ op: 'mcm', pt: T + second * 1000, ...fields }))
  }

  keep(observations: Iterable<Observation>): string[] {
    const all = [...observations]
    this.observations.push(...all)
    return textsOf(all)
  }

  /** Where the outcomes ended, by source market. */
  fates(): Record<string, Record<string, number>> {
    assert.deepEqual(this.keep(this.normaliser.end()), [])
    assert.ok(this.account.isBalanced(), 'each outcome has ended in one place')
    assert.equal(this.account.malformed, this.malformed.length)
    return fatesOf(this.account)
  }
}

/** One text a price: second, type and line, label, odds, status. */
const textsOf = (observations: readonly Observation[]): string[] =>
  observations.flatMap(({ observedAt, prices }) =>
    prices.map(({ type, line, outcome, odds, status }) =>
      [(observedAt - T) / 1000, type, ...(line === null ? [] : [line]), outcome, odds, status].join(' '),
    ),
  )

const FOOTBALL = { eventId: '501', eventTypeId: '1', eventName: 'Harbour Town v Kestrel & Vale' }

const definition = (fields: Fields = {}): Fields => ({
  ...FOOTBALL,
  marketType: 'MATCH_ODDS',
  bettingType: 'ODDS',
  marketTime: '2026-03-08T15:00:00.000Z',
  status: 'OPEN',
  runners: [
    { id: 11, name: 'Harbour Town', status: 'ACTIVE', sortPriority: 1 },
    { id: 12, name: 'Kestrel & Vale', status: 'ACTIVE', sortPriority: 2 },
    { id: 58805, name: 'The Draw', status: 'ACTIVE', sortPriority: 3 },
  ],
  ...fields,
})

const market = (fields: Fields = {}, id = '1.501'): Fields => ({ id, ...fields })

const priced = (home: number, away: number): Fields[] => [
  { id: 11, atb: [[home, 5]] },
  { id: 12, atb: [[away, 5]] },
]

test('a stream of our own, from image to close', () => {
  const reading = new Reading()
  const lines = readFileSync(join(ROOT, 'fixtures', 'betfair', 'stream.jsonl'), 'utf8')
    .trim()
    .split('\n')
  const given = lines.map((line) => reading.line(line))
  assert.deepEqual(given, [
    [],
    [],
    [
      '0 match_result_1x2 home 2.12 open',
      '0 match_result_1x2 away 3.6 open',
      '0 match_result_1x2 draw 3.4 open',
      '0 total_goals 2.5 over 1.95 open',
      '0 total_goals 2.5 under 1.98 open',
    ],
    [
      '0.04 first_half_total_goals 0.5 over 1.4 open',
      '0.04 btts yes 1.72 open',
      '0.04 btts no 2.2 open',
      '0.04 match_winner away 1.8 open',
      '0.04 match_winner home 2.06 open',
    ],
    [],
    ['6 match_result_1x2 home 2.1 open'],
    ['7 total_goals 2.5 over 1.94 open'],
    ['8 match_winner away 1.8 suspended', '8 match_winner home 2.06 suspended'],
    ['9 match_winner away 1.7 suspended'],
    ['10 match_winner away 1.7 open', '10 match_winner home 2.06 open'],
    ['11 btts no 2.2 suspended'],
    ['12 match_winner away 1.7 closed', '12 match_winner home 2.06 closed'],
  ])
  assert.deepEqual(reading.fates(), {
    MATCH_ODDS: { match_result_1x2: 3, match_winner: 2 },
    OVER_UNDER_25: { total_goals: 2 },
    FIRST_HALF_GOALS_05: { first_half_total_goals: 1, no_price: 1 },
    BOTH_TEAMS_TO_SCORE: { btts: 2 },
    CORRECT_SCORE: { market: 2 },
    'event type 4339 WIN': { sport: 3 },
  })
  assert.deepEqual(reading.malformed, [])
  const [first] = reading.observations
  assert.deepEqual(first && { ...first, prices: first.prices.length }, {
    bookmaker: 'betfair_ex_eu',
    transport: 'both',
    observedAt: T,
    event: {
      sport: 'football',
      leagueKey: 'unknown',
      leagueName: 'unknown',
      home: 'Harbour Town',
      away: 'Kestrel & Vale',
      kickoffAt: Date.parse('2026-03-08T15:00:00Z'),
      sourceKey: 'betfair:501',
    },
    prices: 3,
    others: 'keep',
  })
})

test('the best price left is the quote; only a change of it is told', () => {
  const reading = new Reading({ facts: { ...NOTHING_KNOWN, bookmaker: 'ownbook' }, transport: 'live' })
  const change = (second: number, atb: unknown): string[] =>
    reading.mcm(second, { mc: [market({ rc: [{ id: 11, atb }] })] })
  assert.deepEqual(reading.mcm(0, { mc: [market({ marketDefinition: definition() })] }), [], 'no price, no quote')
  assert.deepEqual(
    change(1, [
      [2.1, 5],
      [2.2, 1],
      [2.0, 9],
    ]),
    ['1 match_result_1x2 home 2.2 open'],
  )
  assert.deepEqual(change(2, [[2.1, 0]]), [], 'not the best')
  assert.deepEqual(change(3, [[2.2, 4]]), [], 'another size')
  assert.deepEqual(change(4, [[2.2, 0]]), ['4 match_result_1x2 home 2 open'])
  assert.deepEqual(change(5, [[2.0, 0]]), ['5 match_result_1x2 home 2 suspended'], 'the last odds stay')
  assert.deepEqual(change(6, [[2.5, 0]]), [], 'what is not there')
  assert.deepEqual(change(7, [[1.9, 1]]), ['7 match_result_1x2 home 1.9 open'])
  assert.deepEqual(
    change(8, [
      [1.9, 0],
      [1, 3],
    ]),
    ['8 match_result_1x2 home 1.9 suspended'],
    'no price above 1',
  )
  assert.deepEqual([reading.observations[0]?.bookmaker, reading.observations[0]?.transport], ['ownbook', 'live'])
  assert.deepEqual(reading.fates(), { MATCH_ODDS: { match_result_1x2: 1, no_price: 2 } })
})

test('statuses of market and runner', () => {
  const of = (status: string, runner: string): string[] => {
    const reading = new Reading()
    const runners = [{ id: 11, name: 'Harbour Town', status: runner }]
    return reading.mcm(0, { mc: [market({ marketDefinition: definition({ status, runners }), rc: priced(2, 3) })] })
  }
  const [open, suspended, closed] = ['open', 'suspended', 'closed'].map((status) => [
    `0 match_result_1x2 home 2 ${status}`,
  ])
  assert.deepEqual(of('OPEN', 'ACTIVE'), open)
  for (const status of ['SUSPENDED', 'INACTIVE', 'NEVER_SEEN'])
    assert.deepEqual(of(status, 'ACTIVE'), suspended, status)
  for (const runner of ['HIDDEN', 'NEVER_SEEN']) assert.deepEqual(of('OPEN', runner), suspended, runner)
  assert.deepEqual(of('CLOSED', 'ACTIVE'), closed)
  for (const runner of ['REMOVED', 'REMOVED_VACANT', 'WINNER', 'LOSER', 'PLACED']) {
    assert.deepEqual(of('OPEN', runner), closed, runner)
    assert.deepEqual(of('SUSPENDED', runner), closed, runner)
  }
})

test('a closed market is told once, and its runners are counted once', () => {
  const reading = new Reading()
  reading.mcm(0, { mc: [market({ marketDefinition: definition(), rc: priced(2, 3) })] })
  const close = { mc: [market({ marketDefinition: definition({ status: 'CLOSED' }) })] }
  assert.deepEqual(reading.mcm(1, close), ['1 match_result_1x2 home 2 closed', '1 match_result_1x2 away 3 closed'])
  assert.deepEqual(reading.mcm(2, close), [])
  assert.deepEqual(reading.mcm(3, { mc: [market({ rc: priced(5, 6) })] }), [], 'its odds stay')
  assert.deepEqual(reading.mcm(5, { mc: [market({ marketDefinition: definition() })] }), [
    '5 match_result_1x2 home 5 open',
    '5 match_result_1x2 away 6 open',
  ])
  assert.deepEqual(reading.fates(), { MATCH_ODDS: { match_result_1x2: 2, no_price: 1 } })
})

test('which side a runner is, and what is no runner of ours', () => {
  const labels = (fields: Fields): string[] => {
    const reading = new Reading()
    const runners = (fields.runners ?? definition().runners) as Fields[]
    const rc = runners.map(({ id, hc }) => ({ id, hc, atb: [[2, 1]] }))
    return reading
      .mcm(0, { mc: [market({ marketDefinition: definition(fields), rc })] })
      .map((text) => text.slice(2, -5))
  }
  const two = [
    { id: 11, name: ' Harbour Town ', status: 'ACTIVE' },
    { id: 12, name: 'Kestrel & Vale', status: 'ACTIVE' },
  ]
  assert.deepEqual(labels({ eventName: 'Kestrel & Vale @ Harbour Town' }), [
    'match_result_1x2 home 2',
    'match_result_1x2 away 2',
    'match_result_1x2 draw 2',
  ])
  assert.deepEqual(labels({ runners: two }), ['match_result_1x2 home 2', 'match_result_1x2 away 2'], 'football')
  assert.deepEqual(labels({ runners: two, eventTypeId: '7522' }), ['match_winner home 2', 'match_winner away 2'])
  assert.deepEqual(labels({ eventTypeId: '6' }).length, 3)
  assert.match(labels({ eventTypeId: '6' })[0]!, /^fight_betting/)
  assert.deepEqual(labels({ runners: [...two, { id: 13, name: 'Harbour', status: 'ACTIVE' }] }).length, 2)
  assert.deepEqual(labels({ runners: [...two, { id: 13, name: 'Harbour Town', status: 'ACTIVE' }] }).length, 2, 'twin')
  assert.deepEqual(labels({ runners: [{ ...two[0], hc: -1.5 }, two[1]] }), ['match_result_1x2 away 2'], 'handicap')
  assert.deepEqual(labels({ runners: [{ ...two[0], hc: 0 }] }), ['match_result_1x2 home 2'])
  for (const eventName of ['Harbour Town', 'A v B v C', 'A v A', ' v B']) assert.deepEqual(labels({ eventName }), [])
})

test('runners without a quote are counted by the first reason that fits', () => {
  const reading = new Reading()
  const runners = [
    { id: 11, name: 'Harbour Town', status: 'ACTIVE' },
    { id: 12, name: 'Somebody', status: 'ACTIVE' },
    { id: 13, name: 'Harbour Town', status: 'ACTIVE' },
    { id: 14, name: 'Kestrel & Vale', status: 'ACTIVE', hc: 1 },
  ]
  const changes = [
    definition({ runners }),
    definition({ runners, eventId: '502', eventTypeId: '7', eventName: 'Elm Park 8th Mar' }),
    definition({ runners, eventId: '503', marketType: 'TEAM_A_1' }),
    definition({ runners, eventId: '504', marketType: 'BOTH_TEAMS_TO_SCORE', eventTypeId: '2' }),
    definition({ runners, eventId: '505', marketType: 'OVER_UNDER_25', bettingType: 'LINE' }),
    definition({ runners, eventId: '506', eventName: 'Friendly' }),
    definition({ runners, marketType: 'MATCH_ODDS' }), // the same as the first, in another market
  ]
  reading.mcm(0, { mc: changes.map((marketDefinition, index) => market({ marketDefinition }, `1.${index}`)) })
  reading.mcm(1, {
    mc: [
      market(
        {
          rc: [
            { id: 11, atb: [[2, 1]] },
            { id: 99, atb: [[2, 1]] },
          ],
        },
        '1.never-defined',
      ),
    ],
  })
  reading.mcm(2, { mc: [market({ rc: [{ id: 11, atb: [[1, 1]] }] }, '1.0')] })
  assert.deepEqual(reading.fates(), {
    MATCH_ODDS: { bad_price: 1, outcome: 2, twin: 3, market: 2, event: 4 },
    'event type 7 MATCH_ODDS': { sport: 4 },
    TEAM_A_1: { market: 4 },
    BOTH_TEAMS_TO_SCORE: { market: 4 },
    OVER_UNDER_25: { market: 4 },
    '(no definition)': { event: 2 },
  })
})

test('prices that come before the definition are kept', () => {
  const reading = new Reading()
  assert.deepEqual(reading.mcm(0, { mc: [market({ rc: priced(2, 3) })] }), [])
  assert.deepEqual(reading.mcm(1, { mc: [market({ marketDefinition: definition() })] }), [
    '1 match_result_1x2 home 2 open',
    '1 match_result_1x2 away 3 open',
  ])
  assert.deepEqual(reading.fates(), { MATCH_ODDS: { match_result_1x2: 2, no_price: 1 } })
})

test('a market whose definition has ids only waits for its names', () => {
  const reading = new Reading()
  const runners = [11, 12, 58805].map((id) => ({ id, status: 'ACTIVE' }))
  const unnamed = definition({ eventName: undefined, runners })
  assert.deepEqual(reading.mcm(0, { mc: [market({ marketDefinition: unnamed, rc: priced(2, 3) })] }), [])
  assert.deepEqual(reading.normaliser.unnamedMarkets(), ['1.501'])
  assert.equal(reading.account.totals().mapped, 0)
  reading.mcm(3, { ct: 'HEARTBEAT' })
  const names = {
    eventName: FOOTBALL.eventName,
    runners: new Map([
      [11, 'Harbour Town'],
      [12, 'Kestrel & Vale'],
    ]),
  }
  assert.deepEqual(reading.keep(reading.normaliser.nameMarket('1.501', names)), [
    '3 match_result_1x2 home 2 open',
    '3 match_result_1x2 away 3 open',
  ])
  assert.deepEqual(reading.normaliser.unnamedMarkets(), [])
  assert.deepEqual(reading.keep(reading.normaliser.nameMarket('1.999', names)), [])
  const suspended = { ...unnamed, status: 'SUSPENDED' }
  assert.equal(reading.mcm(4, { mc: [market({ marketDefinition: suspended })] }).length, 2, 'names serve on')
  assert.deepEqual(reading.fates(), { MATCH_ODDS: { match_result_1x2: 2, no_price: 1 } })
})

test('an image replaces what was known of its market', () => {
  const reading = new Reading()
  reading.mcm(0, { mc: [market({ marketDefinition: definition(), rc: priced(2, 3) })] })
  assert.deepEqual(reading.mcm(1, { mc: [market({ img: true, rc: [{ id: 11, atb: [[1.8, 2]] }] })] }), [
    '1 match_result_1x2 home 1.8 open',
    '1 match_result_1x2 away 3 suspended',
  ])
})

test('an image gives out all that is in it once more; a market that is missing from it is gone', () => {
  const reading = new Reading()
  const other = definition({ eventId: '502' })
  const image = (second: number, fields: Fields, ids: readonly string[]): string[] =>
    reading.mcm(second, {
      ct: 'SUB_IMAGE',
      ...fields,
      mc: ids.map((id) =>
        market({ img: true, marketDefinition: id === '1.1' ? definition() : other, rc: priced(2, 3) }, id),
      ),
    })
  assert.equal(image(0, {}, ['1.1', '1.2']).length, 4)
  const all = (second: number, status = 'open'): string[] => [
    `${second} match_result_1x2 home 2 ${status}`,
    `${second} match_result_1x2 away 3 ${status}`,
  ]
  assert.deepEqual(image(1, { segmentType: 'SEG_START' }, ['1.2']), all(1), 'the other may come in the next segment')
  assert.deepEqual(reading.mcm(2, { ct: 'HEARTBEAT' }), [])
  assert.deepEqual(image(3, { segmentType: 'SEG_END' }, ['1.1']), all(3))
  assert.deepEqual(image(4, { segmentType: 'SEG_START' }, ['1.2']), all(4))
  assert.deepEqual(reading.mcm(5, { ct: 'RESUB_DELTA' }), [], 'an image that was broken off says nothing of the rest')
  assert.deepEqual(image(6, {}, ['1.2']), [...all(6), ...all(6, 'suspended')])
  assert.equal(reading.observations.at(-1)!.event.sourceKey, 'betfair:501')
  assert.deepEqual(image(7, {}, ['1.1', '1.2']), [...all(7), ...all(7)])
  assert.equal(image(8, {}, []).length, 4)
  assert.deepEqual(reading.fates(), { MATCH_ODDS: { match_result_1x2: 4, no_price: 2 } })
})

test('an image of what has no price any more says so once more, and counts nothing', () => {
  const reading = new Reading()
  reading.mcm(0, { mc: [market({ marketDefinition: definition(), rc: priced(2, 3) })] })
  reading.mcm(1, { mc: [market({ rc: [{ id: 12, atb: [[3, 0]] }] })] })
  const before = reading.account.totals()
  const rc = [{ id: 11, atb: [[2, 2]] }]
  assert.deepEqual(reading.mcm(60, { ct: 'SUB_IMAGE', mc: [market({ marketDefinition: definition(), rc })] }), [
    '60 match_result_1x2 home 2 open',
    '60 match_result_1x2 away 3 suspended',
  ])
  assert.deepEqual(reading.account.totals(), before)
  assert.deepEqual(reading.mcm(61, { mc: [market({ rc: [{ id: 11, atl: [[4, 1]] }] })] }), [])
})

test('an event that moves is told anew; quotes under another name do not stay open', () => {
  const reading = new Reading()
  reading.mcm(0, { mc: [market({ marketDefinition: definition(), rc: priced(2, 3) })] })
  const moved = definition({ marketTime: '2026-03-09T18:00:00.000Z' })
  assert.deepEqual(reading.mcm(1, { mc: [market({ marketDefinition: moved })] }), [
    '1 match_result_1x2 home 2 open',
    '1 match_result_1x2 away 3 open',
  ])
  assert.equal(reading.observations.at(-1)?.event.kickoffAt, Date.parse('2026-03-09T18:00:00Z'))
  const swapped = definition({ ...moved, eventName: 'Kestrel & Vale v Harbour Town' })
  assert.deepEqual(reading.mcm(2, { mc: [market({ marketDefinition: swapped })] }), [
    '2 match_result_1x2 home 2 suspended',
    '2 match_result_1x2 away 3 suspended',
    '2 match_result_1x2 away 2 open',
    '2 match_result_1x2 home 3 open',
  ])
  const [{ runners }] = [swapped] as [{ runners: Fields[] }]
  const fewer = definition({ ...swapped, runners: runners.slice(1) })
  assert.deepEqual(reading.mcm(3, { mc: [market({ marketDefinition: fewer })] }), [
    '3 match_result_1x2 away 2 suspended',
  ])
  assert.deepEqual(reading.fates(), { MATCH_ODDS: { match_result_1x2: 2, no_price: 1 } })
})

test('what cannot be read is skipped, with its place, and does not leave a price open', () => {
  const reading = new Reading()
  const start = { mc: [market({ marketDefinition: definition(), rc: priced(2, 3) })] }
  reading.mcm(0, start)
  assert.deepEqual(reading.line('{"op":"mcm"'), [])
  assert.deepEqual(reading.line('[]'), [])
  assert.deepEqual(reading.line('{"op":"mcm","pt":"now"}'), [])
  assert.deepEqual(reading.line('{"op":"mcm","pt":253402300800000}'), [])
  assert.deepEqual(reading.mcm(1, { mc: {} }), [])
  assert.deepEqual(reading.mcm(1, { mc: [null, { id: '' }, { id: 7 }, { id: 'a\nb' }] }), [])
  const broken = (rc: unknown): string[] => {
    reading.mcm(2, { mc: [market({ rc: priced(2, 3) })] })
    return reading.mcm(2, { mc: [market({ rc })] })
  }
  const home = ['2 match_result_1x2 home 2 suspended']
  assert.deepEqual(broken([{ id: 11, atb: [[2.5, '9']] }]), home)
  assert.deepEqual(broken([{ id: 11, atb: [7] }]), home)
  assert.deepEqual(broken([{ id: 11, batb: [[0, 2.5]] }]), home)
  assert.deepEqual(broken([{ id: 11, bdatb: [[-1, 2.5, 1]] }]), home)
  assert.deepEqual(broken([{ id: '11' }, null]), [])
  assert.deepEqual(broken({}), [...home, '2 match_result_1x2 away 3 suspended'])
  const wrong = (fields: Fields): string[] => {
    reading.mcm(3, { mc: [market({ marketDefinition: definition(), rc: priced(2, 3) })] })
    return reading.mcm(3, { mc: [market({ marketDefinition: definition(fields) })] })
  }
  const both = ['3 match_result_1x2 home 2 suspended', '3 match_result_1x2 away 3 suspended']
  assert.deepEqual(wrong({ eventId: 5 }), both)
  assert.deepEqual(wrong({ eventId: '' }), both)
  assert.deepEqual(wrong({ eventName: 'A\u0000 v B' }), both)
  assert.deepEqual(wrong({ marketTime: 'soon' }), both)
  assert.deepEqual(wrong({ runners: null }), both)
  assert.deepEqual(wrong({ runners: [null] }), both)
  assert.deepEqual(wrong({ runners: [{ id: '11' }] }), both)
  const places = reading.malformed.map((text) => text.replace(/^line \d+/, ''))
  const rc = 'must have lists of numbers for atb, batb and bdatb'
  assert.match(places[0]!, /^ is not JSON: /)
  assert.deepEqual(places.slice(1), [
    ' must be an object',
    '.pt must be a time in ms, before the year 10000',
    '.pt must be a time in ms, before the year 10000',
    '.mc must be an array',
    '.mc[0] must be an object',
    ...[1, 2, 3].map((index) => `.mc[${index}].id must be a market id, one of at most 20000`),
    ...Array.from({ length: 4 }, () => `.mc[0].rc[0] ${rc}`),
    ...[0, 1].map((index) => `.mc[0].rc[${index}] must have a selection id, one of at most 1000`),
    '.mc[0].rc must be an array',
    '.mc[0].marketDefinition eventId must be a text of one line',
    '.mc[0].marketDefinition eventId must not be empty',
    '.mc[0].marketDefinition eventName must be a text of one line',
    '.mc[0].marketDefinition marketTime must be an RFC 3339 date-time',
    '.mc[0].marketDefinition runners must be an array',
    '.mc[0].marketDefinition runners must be objects',
    '.mc[0].marketDefinition runners must have numbers for id and hc',
  ])
  assert.equal(reading.line('{"op":"status","id":1,"statusCode":"FAILURE"}').length, 0)
  assert.deepEqual(reading.fates(), { MATCH_ODDS: { match_result_1x2: 2, no_price: 1 } })
})

test('runners that are too many are told, and counted as what could not be read', () => {
  const reading = new Reading()
  const runners = Array.from({ length: 1_004 }, (_, id) => ({ id, name: `Runner ${id}`, status: 'ACTIVE' }))
  reading.mcm(0, { mc: [market({ marketDefinition: definition({ runners }) })] })
  assert.deepEqual(reading.malformed, ['line 1.mc[0].marketDefinition has more than 1000 runners: 4 are left out'])
  assert.equal(reading.account.malformed, 4)
  assert.equal(reading.account.read, 1_000)
})

/** Of each quote what a board ends with that goes by times: the newest one, of equal ones the later. */
const boardOf = (observations: readonly Observation[]): string[] => {
  const quotes = new Map<string, { readonly at: number; readonly text: string; readonly isClosed: boolean }>()
  for (const { observedAt: at, prices } of observations) {
    for (const { outcome, odds, status } of prices) {
      const known = quotes.get(outcome)
      const isClosed = status === 'closed'
      if (known !== undefined && (at < known.at || (at === known.at && known.isClosed && !isClosed))) continue
      quotes.set(outcome, { at, text: `${outcome} ${odds} ${status}`, isClosed })
    }
  }
  return Array.from(quotes.values(), ({ text }) => text)
}

test('what the stream says last holds, also where its times go back', () => {
  const reading = new Reading()
  reading.mcm(10, { mc: [market({ marketDefinition: definition(), rc: priced(2, 3) })] })
  const suspended = definition({ status: 'SUSPENDED' })
  assert.deepEqual(reading.mcm(8, { mc: [market({ marketDefinition: suspended })] }), [
    '10 match_result_1x2 home 2 suspended',
    '10 match_result_1x2 away 3 suspended',
  ])
  assert.deepEqual(reading.mcm(11, { mc: [market({ rc: [{ id: 11 }] })] }), [])
  assert.deepEqual(boardOf(reading.observations), ['home 2 suspended', 'away 3 suspended'])
  assert.deepEqual(reading.mcm(9, { mc: [market({ marketDefinition: definition() })] }), [
    '11 match_result_1x2 home 2 open',
    '11 match_result_1x2 away 3 open',
  ])
  assert.deepEqual(boardOf(reading.observations), ['home 2 open', 'away 3 open'])
})

test('a heart-beat has said at its time that all is as before: what the stream says after it is not older', () => {
  const reading = new Reading()
  reading.mcm(0, { mc: [market({ marketDefinition: definition(), rc: priced(2, 3) })] })
  reading.mcm(5, { ct: 'HEARTBEAT' })
  assert.deepEqual(reading.mcm(3, { mc: [market({ rc: [{ id: 11, atb: [[2.5, 1]] }] })] }), [
    '5 match_result_1x2 home 2.5 open',
  ])
  assert.deepEqual(reading.mcm(6, { mc: [market({ rc: [{ id: 11, atb: [[2.5, 0]] }] })] }), [
    '6 match_result_1x2 home 2 open',
  ])
})

test('a time that the engine refuses does not hold up what comes at the right time', () => {
  const reading = new Reading({ facts: { ...NOTHING_KNOWN, receivedAt: () => T + 1_000 } })
  reading.mcm(0, { mc: [market({ marketDefinition: definition(), rc: priced(2, 3) })] })
  const price = (second: number, odds: number): string[] =>
    reading.mcm(second, { mc: [market({ rc: [{ id: 11, atb: [[odds, 1]] }] })] })
  assert.deepEqual(price(6, 2.1), ['6 match_result_1x2 home 2.1 open'], 'just not too far ahead')
  assert.deepEqual(price(3_600, 2.2), ['3600 match_result_1x2 home 2.2 open'])
  assert.deepEqual(price(1, 2.3), ['6 match_result_1x2 home 2.3 open'])
})

test('what is closed and begins again within a millisecond does so on the board', () => {
  const reading = new Reading()
  reading.mcm(0, { mc: [market({ marketDefinition: definition(), rc: priced(2, 3) })] })
  for (let round = 0; round < 3; round++) {
    reading.mcm(1, { mc: [market({ marketDefinition: definition({ status: 'CLOSED' }) })] })
    assert.deepEqual(boardOf(reading.observations), ['home 2 closed', 'away 3 closed'])
    reading.mcm(1, { mc: [market({ marketDefinition: definition() })] })
    assert.deepEqual(boardOf(reading.observations), ['home 2 open', 'away 3 open'])
  }
  assert.deepEqual(
    reading.observations.map(({ observedAt }) => observedAt - T),
    [0, 1_000, 1_001, 1_001, 1_002, 1_002, 1_003],
  )
})

test('a market that has the quotes of one that was closed a moment ago begins them again', () => {
  const reading = new Reading()
  reading.mcm(0, { mc: [market({ marketDefinition: definition(), rc: priced(2, 3) })] })
  reading.mcm(1, {
    mc: [
      market({ marketDefinition: definition({ status: 'CLOSED' }) }),
      market({ marketDefinition: definition(), rc: priced(2.5, 3.5) }, '1.502'),
    ],
  })
  assert.deepEqual(boardOf(reading.observations), ['home 2.5 open', 'away 3.5 open'])
})

test('closed markets are forgotten in time, the rest are not', () => {
  const reading = new Reading()
  for (let index = 0; index < 1_200; index++) {
    const closed = definition({ eventId: `e${index}`, status: 'CLOSED' })
    reading.mcm(0, { mc: [market({ marketDefinition: closed }, `1.${index}`)] })
  }
  assert.equal(reading.account.read, 3_600)
  reading.mcm(1, { mc: [market({ rc: [{ id: 11 }] }, '1.1199')] })
  assert.equal(reading.account.read, 3_600, 'still known')
  reading.mcm(2, { mc: [market({ rc: [{ id: 11 }] }, '1.0')] })
  assert.equal(reading.account.read, 3_601, 'forgotten')
  assert.deepEqual(reading.fates(), { MATCH_ODDS: { no_price: 3_600 }, '(no definition)': { event: 1 } })
})

test('random changes give the quotes that a plain list of sizes gives, also when parts are sent again', () => {
  const random = new Random(SEED)
  const reading = new Reading()
  const sizes = new Map<number, Map<number, number>>([11, 12, 58805].map((id) => [id, new Map()]))
  const labels = new Map([
    [11, 'home'],
    [12, 'away'],
    [58805, 'draw'],
  ])
  const quotes = new Map<string, string>()
  const expected = new Map<string, string>()
  let status = 'OPEN'
  reading.mcm(0, { mc: [market({ marketDefinition: definition() })] })
  let before: Fields = { rc: [] }
  for (let step = 1; step <= 5_000; step++) {
    const fields: Record<string, unknown> = {}
    if (random.chance(0.05)) {
      status = random.pick(['OPEN', 'SUSPENDED', 'INACTIVE'])
      fields.marketDefinition = definition({ status })
    }
    if (random.chance(0.02)) {
      fields.img = true
      for (const ladder of sizes.values()) ladder.clear()
    }
    fields.rc = Array.from({ length: random.int(0, 4) }, () => {
      const id = random.pick([...sizes.keys()])
      const atb = Array.from({ length: random.int(0, 5) }, () => {
        const price = random.int(101, 130) / 100
        const size = random.chance(0.5) ? 0 : random.int(1, 9)
        if (size === 0) sizes.get(id)!.delete(price)
        else sizes.get(id)!.set(price, size)
        return [price, size]
      })
      return { id, atb }
    })
    // A resumed stream tells again what was told before, and then what is new.
    const again = random.chance(0.1) && fields.img === undefined ? [market({ rc: before.rc })] : []
    for (const text of reading.mcm(step, { mc: [...again, market(fields)] })) {
      const [, , label, odds, now] = text.split(' ')
      quotes.set(label!, `${odds} ${now}`)
    }
    for (const [id, ladder] of sizes) {
      const best = Math.max(...ladder.keys())
      const odds = ladder.size > 0 ? String(best) : expected.get(labels.get(id)!)?.split(' ')[0]
      if (odds === undefined) continue
      expected.set(labels.get(id)!, `${odds} ${status === 'OPEN' && ladder.size > 0 ? 'open' : 'suspended'}`)
    }
    assert.deepEqual([...quotes].sort(), [...expected].sort(), `seed ${SEED}, step ${step}`)
    before = fields
  }
})

// --- the recorded files ----------------------------------------------------------------------------------------------

const pathOf = (name: string): string => join(DATA, 'betfair-stream', `${name}.jsonl.gz`)
const skip = ['1.166811431', '1.206064380'].every((name) => existsSync(pathOf(name)))
  ? false
  : 'the recorded payloads are not on this machine'
const recorded = testsWith('recorded payloads', skip)

const linesOf = (name: string): string[] =>
  gunzipSync(readFileSync(pathOf(name)))
    .toString('utf8')
    .trim()
    .split('\n')

recorded('1.166811431 gives the totals and transitions of docs/feeds.md 12 and 8', () => {
  const account = new Account()
  const normaliser = betfairNormaliser({
    account,
    facts: NOTHING_KNOWN,
    transport: null,
    limits: { pricesMax: 100, textLengthMax: 200 },
    onMalformed: (place, reason) => assert.fail(`${place} ${reason}`),
  })
  const lines = linesOf('1.166811431')
  assert.equal(lines.length, 11_357)
  let prices = 0
  const quotes = new Map<string, { odds: number | null; status: string; at: string }>()
  const transitions: Record<string, number> = {}
  const examples: Record<number, string[]> = { 2: [], 2904: [], 11357: [] }
  for (const [index, line] of lines.entries()) {
    for (const { observedAt, event, bookmaker, prices: given } of normaliser.read(line, index + 1)) {
      assert.equal(
        [bookmaker, event.sport, event.home, event.away, event.sourceKey].join(),
        'betfair_ex_eu,basketball,Minnesota Timberwolves,Cleveland Cavaliers,betfair:29635049',
      )
      for (const { type, outcome, odds, status } of given) {
        prices++
        const before = quotes.get(`${type} ${outcome}`)
        if (before !== undefined && before.status !== status) {
          const transition = `${before.status}>${status}`
          transitions[transition] = (transitions[transition] ?? 0) + 1
        }
        const at = new Date(observedAt).toISOString()
        quotes.set(`${type} ${outcome}`, { odds, status, at })
        examples[index + 1]?.push(`${outcome} ${odds} ${status} ${at}`)
      }
    }
  }
  assert.equal(prices, 2_593)
  assert.deepEqual(transitions, { 'open>suspended': 5, 'suspended>open': 3, 'suspended>closed': 2 })
  assert.deepEqual(Object.fromEntries(quotes), {
    'match_winner away': { odds: 1.01, status: 'closed', at: '2019-12-29T03:41:41.894Z' },
    'match_winner home': { odds: 110, status: 'closed', at: '2019-12-29T03:41:41.894Z' },
  })
  // The examples of section 8.
  assert.deepEqual(examples, {
    2: ['away 1.03 open 2019-12-28T02:23:04.040Z', 'home 1.03 open 2019-12-28T02:23:04.040Z'],
    2904: ['away 3.4 suspended 2019-12-29T01:10:05.318Z', 'home 1.4 suspended 2019-12-29T01:10:05.318Z'],
    11357: ['away 1.01 closed 2019-12-29T03:41:41.894Z', 'home 110 closed 2019-12-29T03:41:41.894Z'],
  })
  normaliser.end()
  const { read, mapped, noPrice, badPrice, unmapped } = account.totals()
  assert.deepEqual([read, mapped, noPrice, badPrice, unmapped], [2, 2, 0, 0, 0])
})

recorded('1.206064380, a horse race, has nothing for us', () => {
  const reading = new Reading()
  const lines = linesOf('1.206064380')
  assert.equal(lines.length, 18_793)
  for (const line of lines) reading.line(line)
  assert.equal(reading.observations.length, 0)
  assert.deepEqual(reading.fates(), { 'event type 7 WIN': { sport: 13 } })
  assert.deepEqual(reading.malformed, [])
})

// --- names from a fixture list ---------------------------------------------------------------------------------------

const LISTED = {
  sport: 'football',
  leagueKey: 'harbour_league',
  leagueName: 'Harbour League',
  home: 'Harbour Town',
  away: 'Kestrel & Vale',
  kickoffAt: 0,
} as const

const AS_STREAMED = {
  eventName: undefined,
  runners: [11, 12, 58_805].map((id) => ({ id, status: 'ACTIVE' })),
}

const listed = (names: Readonly<Record<number, string>>, id = '501', over: object = {}): Reading =>
  new Reading({
    facts: {
      ...NOTHING_KNOWN,
      fixtureOf: (asked) => (asked === id ? { ...LISTED, ...over } : undefined),
      runnerNameOf: (selection) => names[selection],
    },
  })

test('a fixture list names a market by the id of its event or by its own, and its runners by selection id', () => {
  for (const id of ['501', '1.501']) {
    const reading = listed({ 11: 'Harbour Town', 12: 'Kestrel & Vale' }, id)
    reading.mcm(0, { mc: [market({ marketDefinition: definition(AS_STREAMED), rc: priced(2, 3) })] })
    assert.deepEqual(
      reading.observations.flatMap(({ prices }) => prices.map(({ outcome }) => outcome)),
      ['home', 'away'],
      id,
    )
    const [{ event }] = reading.observations as [Observation]
    assert.equal(event.leagueKey, 'harbour_league')
    assert.equal(event.home, 'Harbour Town')
    // The market's own time, which the stream keeps up to date.
    assert.equal(event.kickoffAt, Date.parse('2026-03-08T15:00:00.000Z'))
    assert.deepEqual(reading.normaliser.unnamedMarkets(), [])
    assert.equal(reading.account.missingNames.text(), undefined)
  }
})

test('what a fixture list leaves out is told: the event, or its runners', () => {
  const none = new Reading()
  none.mcm(0, { mc: [market({ marketDefinition: definition(AS_STREAMED), rc: priced(2, 3) })] })
  assert.equal(none.account.missingNames.text(), '1 event (501) and 2 runners (11, 12)')

  const half = listed({ 11: 'Harbour Town' })
  half.mcm(0, { mc: [market({ marketDefinition: definition(AS_STREAMED), rc: priced(2, 3) })] })
  assert.deepEqual(half.observations, [])
  assert.equal(half.account.missingNames.text(), '1 runner (12)')
  // A later definition that has its names ends it.
  half.mcm(1, { mc: [market({ marketDefinition: definition() })] })
  assert.equal(half.account.missingNames.text(), undefined)

  // Of what is not published anyhow nobody needs names.
  const foreign = new Reading()
  foreign.mcm(0, { mc: [market({ marketDefinition: definition({ ...AS_STREAMED, marketType: 'CORRECT_SCORE' }) })] })
  assert.equal(foreign.account.missingNames.text(), undefined)
})

test('a fixture of another sport than the market is refused, with both', () => {
  const reading = listed({ 11: 'Harbour Town', 12: 'Kestrel & Vale' }, '501', { sport: 'tennis' })
  reading.mcm(0, { mc: [market({ marketDefinition: definition(AS_STREAMED), rc: priced(2, 3) })] })
  assert.deepEqual(reading.observations, [])
  assert.deepEqual(reading.malformed, [
    'line 1.mc[0].marketDefinition eventTypeId 1 is football, but the fixture of event 501 is tennis',
  ])
})

test('a fixture without two sides names no match', () => {
  for (const over of [{ away: '' }, { away: LISTED.home }]) {
    const reading = listed({ 11: 'Harbour Town', 12: 'Kestrel & Vale' }, '501', over)
    reading.mcm(0, { mc: [market({ marketDefinition: definition(AS_STREAMED), rc: priced(2, 3) })] })
    assert.deepEqual(reading.observations, [])
    assert.deepEqual(Object.keys(Object.values(reading.fates())[0]!), ['event'])
  }
})
