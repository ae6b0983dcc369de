import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Observation } from '../../../src/domain/observation.ts'
import { kambiNormaliser } from '../../../src/source/kambi/kambi-normaliser.ts'
import { ROOT } from '../../root.ts'
import { fatesOf, linesOf, poll, timesOf } from '../kit/polled.ts'

const ANSWER = readFileSync(join(ROOT, 'fixtures', 'kambi', 'answer.json'), 'utf8')

const EXPECTED = `
9001 match_result_1x2  home 1.9 open
9001 match_result_1x2  draw 3.55 open
9001 match_result_1x2  away 4.2 open
9001 double_chance  home_or_draw 1.25 open
9001 double_chance  home_or_away 1.32 open
9001 double_chance  draw_or_away 1.95 open
9001 total_goals 2.5 over 2.05 open
9001 total_goals 2.5 under 1.8 open
9001 total_goals 2.25 over 1.87 open
9001 total_goals 2.25 under 1.95 open
9001 spread -0.25 home 1.9 open
9001 spread -0.25 away 1.99 open
9001 spread 0 home 1.6 open
9001 spread 0 away 2.3 open
9001 halftime_fulltime  home/home 2.9 open
9001 halftime_fulltime  home/draw 15 open
9001 halftime_fulltime  away/home 26 open
9001 correct_score  2-1 9.5 open
9001 winning_margin  home:1 4.2 open
9001 winning_margin  home:3+ 7.5 open
9001 winning_margin  away:4+ 34 open
9001 winning_margin  draw:goals 5 open
9001 winning_margin  draw:no_goals 12 open
9001 goalscorer  first:kare_bjorn_lund 6.5 open
9001 goalscorer  no_goal 12 open
9001 goalscorer  last:kare_bjorn_lund 7 open
9001 goalscorer  anytime:kare_bjorn_lund 2.6 open
9001 player_prop 1.5 kare_bjorn_lund:goals:over 13 open
9001 player_prop 0.5 pat_odell:cards:over 4 open
9001 player_prop 0.5 pat_odell:cards:under 1.2 open
9001 btts  yes 1.75 open
9001 odd_even  odd 1.9 suspended
9001 odd_even  even 1.92 open
9001 corners_total 9.5 over 1.85 suspended
9001 corners_total 9.5 under 1.85 suspended
9002 match_result_1x2  home 1.05 open
9002 match_result_1x2  draw 11 open
9002 match_result_1x2  away 41 open
9005 match_result_1x2  home 1.01 closed
`
  .trim()
  .split('\n')

test('every rule of the format holds: types, labels, lines of the home side, statuses, places of the rest', () => {
  const polled = poll(kambiNormaliser)
  const observations = polled.read(ANSWER)
  assert.deepEqual(linesOf(observations), EXPECTED)
  polled.end()
  assert.deepEqual(fatesOf(polled.account), {
    'Full Time (1001159858)': { match_result_1x2: 7, market: 3, sport: 1, event: 1 },
    'Double Chance (1001159922)': { double_chance: 3 },
    'Total Goals (1001159926)': { total_goals: 2 },
    'Asian Total (1002244276)': { total_goals: 2, twin: 2 },
    'Asian Handicap (1002275572)': { spread: 4, outcome: 1 },
    'Half Time/Full Time (1001159830)': { halftime_fulltime: 3 },
    'Correct Score (1001159780)': { correct_score: 1, outcome: 1 },
    'Exact Winning Margin (1001475014)': { winning_margin: 5 },
    'First Goal Scorer (1005153918)': { goalscorer: 2 },
    'Last Goal Scorer (1005153919)': { goalscorer: 1, twin: 1 },
    'To score (1001159886)': { goalscorer: 1, outcome: 1 },
    'To score at least N goals (1005153925)': { player_prop: 1, no_price: 1 },
    'To get a Card (1001159667)': { player_prop: 2 },
    'Both Teams To Score (1001642858)': { btts: 1, bad_price: 1 },
    'Total Goals Odd/Even (1001160038)': { odd_even: 2 },
    'Total Corners (1001159897)': { corners_total: 2 },
    'Draw No Bet (1001159666)': { market: 2 },
  })
  assert.deepEqual(polled.malformed, [])
})

test('an observation has event, time, bookmaker and transport as the source means them', () => {
  const observations = poll(kambiNormaliser).read(ANSWER)
  assert.deepEqual(
    observations.map(({ event }) => event),
    [
      {
        sport: 'football',
        leagueKey: 'england_premier_league',
        leagueName: 'Premier League',
        home: 'Harbour Town',
        away: 'Kestrel & Vale',
        kickoffAt: Date.parse('2026-03-08T15:00:00Z'),
        sourceKey: 'kambi:9001',
      },
      {
        sport: 'football',
        leagueKey: 'uefa_champions_league',
        leagueName: 'Champions League',
        home: 'Tarn Rovers',
        away: 'Old Quay',
        kickoffAt: Date.parse('2026-03-07T11:04:10Z'),
        sourceKey: 'kambi:9002',
      },
      {
        sport: 'football',
        leagueKey: 'unknown',
        leagueName: 'unknown',
        home: 'Elm',
        away: 'Oak',
        kickoffAt: Date.parse('2026-03-07T09:00:00Z'),
        sourceKey: 'kambi:9005',
      },
    ],
  )
  // Where nobody knows when it was received, the newest change is the time: of another event here.
  assert.deepEqual(timesOf(observations), ['2026-03-07T12:00:00.000Z'])
  for (const { bookmaker, transport, others } of observations) {
    assert.deepEqual([bookmaker, transport, others], ['north_bet', 'rest', 'keep'])
  }
  const received = poll(kambiNormaliser, { bookmaker: 'southbet' }).read(ANSWER, { at: '2026-03-07T12:34:56.789Z' })
  assert.deepEqual(timesOf(received), ['2026-03-07T12:34:56.789Z'])
  assert.ok(received.every(({ bookmaker }) => bookmaker === 'southbet'))
})

test('at its planned end an offer is closed; one without an end is not', () => {
  const at = (time: string): string[] => linesOf(poll(kambiNormaliser).read(ANSWER, { at: time }))
  const isStill = (line: string): boolean => line.startsWith('9001') && !line.endsWith('closed')
  assert.equal(at('2026-03-08T14:59:59.999Z').filter(isStill).length, 35)
  const after = at('2026-03-08T15:00:00.000Z')
  assert.equal(after.filter(isStill).length, 0)
  assert.ok(after.includes('9002 match_result_1x2  home 1.05 open'))
})

interface OutcomeSaid {
  readonly type: string
  readonly odds?: number
  readonly status?: string
}

const TOTAL = { id: 1001159926, englishLabel: 'Total Goals' }

const offer = (id: number, line: number, outcomes: readonly OutcomeSaid[], more: object = {}): object => ({
  id,
  eventId: 1,
  criterion: TOTAL,
  outcomes: outcomes.map((outcome) => ({ status: 'OPEN', line: line * 1000, ...outcome })),
  ...more,
})

const over = (odds?: number): OutcomeSaid => ({ type: 'OT_OVER', ...(odds === undefined ? {} : { odds }) })
const under = (odds?: number): OutcomeSaid => ({ type: 'OT_UNDER', ...(odds === undefined ? {} : { odds }) })

const answer = (betOffers: readonly object[], more: object = {}, event: object = {}): object => ({
  betOffers,
  events: [
    {
      id: 1,
      homeName: 'Elm',
      awayName: 'Oak',
      start: '2026-03-08T15:00:00Z',
      path: [{ termKey: 'football' }],
      state: 'STARTED',
      ...event,
    },
  ],
  ...more,
})

const statusesOf = (observations: readonly Observation[]): string[] =>
  observations.flatMap(({ prices }) => prices.map(({ status }) => status))

const FIRST = '2026-03-08T15:10:00Z'
const SECOND = '2026-03-08T15:11:00Z'
const THIRD = '2026-03-08T15:12:00Z'
const BOTH = answer([offer(11, 1.5, [over(1400), under(2800)]), offer(12, 2.5, [over(2000), under(1800)])])

test('gone from a complete answer: an offer is closed, an outcome is suspended; what comes back is open again', () => {
  const polled = poll(kambiNormaliser)
  polled.read(BOTH, { at: FIRST, isComplete: true })
  const less = answer([offer(12, 2.5, [over(2100)])])
  assert.deepEqual(linesOf(polled.read(less, { at: SECOND, isComplete: true })), [
    '1 total_goals 2.5 over 2.1 open',
    '1 total_goals 1.5 over  closed',
    '1 total_goals 1.5 under  closed',
    '1 total_goals 2.5 under  suspended',
  ])
  // Said once.
  assert.deepEqual(linesOf(polled.read(less, { at: THIRD, isComplete: true })), ['1 total_goals 2.5 over 2.1 open'])
  assert.deepEqual(linesOf(polled.read(BOTH, { at: THIRD, isComplete: true })), [
    '1 total_goals 1.5 over 1.4 open',
    '1 total_goals 1.5 under 2.8 open',
    '1 total_goals 2.5 over 2 open',
    '1 total_goals 2.5 under 1.8 open',
  ])
  const nothing = polled.read(answer([]), { at: '2026-03-08T15:13:00Z', isComplete: true })
  assert.deepEqual(
    linesOf(nothing).map((line) => line.split(' ').at(-1)),
    ['closed', 'closed', 'closed', 'closed'],
  )
  polled.end()
})

test('absence from a page, or from an answer that may not be complete, proves nothing', () => {
  const less = [offer(12, 2.5, [over(2100)])]
  const page = answer(less, { range: { start: 0, size: 1, total: 2 } })
  const lastPage = answer(less, { range: { start: 1, size: 1, total: 2 } })
  const whole = answer(less, { range: { start: 0, size: 5, total: 1 } })
  const after = (document: object, isComplete: boolean): number => {
    const polled = poll(kambiNormaliser)
    polled.read(BOTH, { at: FIRST, isComplete })
    return linesOf(polled.read(document, { at: SECOND, isComplete })).length
  }
  assert.equal(after(page, true), 1)
  assert.equal(after(lastPage, true), 1)
  assert.equal(after(answer(less), false), 1)
  assert.equal(after(whole, true), 4)
})

test('a quote that moves to another offer stays, whatever becomes of the old one', () => {
  const polled = poll(kambiNormaliser)
  polled.read(BOTH, { at: FIRST, isComplete: true })
  const moved = answer([offer(12, 2.5, [over(2000), under(1800)]), offer(99, 1.5, [over(1450), under(2700)])])
  assert.deepEqual(linesOf(polled.read(moved, { at: SECOND, isComplete: true })), [
    '1 total_goals 2.5 over 2 open',
    '1 total_goals 2.5 under 1.8 open',
    '1 total_goals 1.5 over 1.45 open',
    '1 total_goals 1.5 under 2.7 open',
  ])
})

test('without a price nothing is said until there was one; then it stands suspended', () => {
  const polled = poll(kambiNormaliser)
  const priceless = answer([offer(11, 1.5, [over(), under(2800)])])
  assert.deepEqual(linesOf(polled.read(priceless, { at: FIRST })), ['1 total_goals 1.5 under 2.8 open'])
  assert.deepEqual(linesOf(polled.read(BOTH, { at: SECOND })).slice(0, 1), ['1 total_goals 1.5 over 1.4 open'])
  assert.deepEqual(linesOf(polled.read(priceless, { at: THIRD })), [
    '1 total_goals 1.5 over  suspended',
    '1 total_goals 1.5 under 2.8 open',
  ])
  // Odds of 1 are no price either.
  const bad = answer([offer(11, 1.5, [over(1000), under(2800)])])
  assert.equal(linesOf(polled.read(bad, { at: THIRD }))[0], '1 total_goals 1.5 over  suspended')
  polled.end()
  assert.deepEqual(fatesOf(polled.account), {
    'Total Goals (1001159926)': { total_goals: 7, no_price: 2, bad_price: 1 },
  })
})

test('a finished event closes all its quotes, listed or not', () => {
  const polled = poll(kambiNormaliser)
  polled.read(BOTH, { at: FIRST })
  const end = answer([offer(12, 2.5, [over(2000)])], {}, { state: 'FINISHED' })
  assert.deepEqual(linesOf(polled.read(end, { at: SECOND })), [
    '1 total_goals 2.5 over 2 closed',
    '1 total_goals 1.5 over  closed',
    '1 total_goals 1.5 under  closed',
    '1 total_goals 2.5 under  closed',
  ])
})

test('what has come to its planned end since the last answer is closed, and said once', () => {
  const polled = poll(kambiNormaliser)
  const closed = '2026-03-08T15:11:30Z'
  polled.read(answer([offer(11, 1.5, [over(1400)], { closed }), offer(12, 2.5, [over(2000)])]), { at: FIRST })
  assert.deepEqual(polled.closeDue(SECOND), [])
  const due = polled.closeDue(THIRD)
  assert.deepEqual(timesOf(due), ['2026-03-08T15:12:00.000Z'])
  assert.deepEqual(linesOf(due), ['1 total_goals 1.5 over 1.4 closed'])
  assert.deepEqual(polled.closeDue(THIRD), [])
  assert.equal(polled.account.read, 2)
})

test('names and kickoff are those of the latest answer', () => {
  const polled = poll(kambiNormaliser)
  polled.read(BOTH, { at: FIRST })
  polled.read(answer([], {}, { homeName: 'Elm United', start: '2026-03-08T15:07:00Z' }), { at: SECOND })
  const [observation] = polled.read(answer([offer(12, 2.5, [over(2000)])], {}, { homeName: 'Elm United' }), {
    at: THIRD,
  })
  assert.equal(observation!.event.home, 'Elm United')
})

test('an answer that names no event is read with what an earlier one said', () => {
  const polled = poll(kambiNormaliser)
  polled.read(BOTH, { at: FIRST })
  const bare = { betOffers: [offer(12, 2.5, [over(2200)])], events: [] }
  assert.deepEqual(linesOf(polled.read(bare, { at: SECOND })), ['1 total_goals 2.5 over 2.2 open'])
})

test('a large event comes in observations as small as the limits want them', () => {
  const polled = poll(kambiNormaliser, {}, 3)
  const observations = polled.read(BOTH, { at: FIRST })
  assert.deepEqual(
    observations.map(({ prices }) => prices.length),
    [3, 1],
  )
})

test('an event that is long over is forgotten, one with something open is not', () => {
  const polled = poll(kambiNormaliser)
  polled.read(answer([offer(11, 1.5, [over(1400)], { closed: SECOND })]), { at: FIRST })
  polled.read(answer([{ ...offer(21, 2.5, [over(2000)]), eventId: 2 }], {}, { id: 2 }), { at: FIRST })
  polled.closeDue(THIRD)
  polled.read(answer([], {}, { id: 3 }), { at: '2026-03-08T21:30:00Z' })
  // Only what is remembered can fall.
  const back = answer([], {}, { state: 'FINISHED' })
  assert.deepEqual(linesOf(polled.read(back, { at: '2026-03-08T21:31:00Z' })), [])
  const end = answer([], {}, { id: 2, state: 'FINISHED' })
  // Unheard of for a day, its quotes have aged out anyway.
  for (const [at, lines] of [
    ['2026-03-09T15:09:59Z', ['2 total_goals 2.5 over  closed']],
    ['2026-03-09T21:33:00Z', []],
  ] as const) {
    const other = poll(kambiNormaliser)
    other.read(answer([{ ...offer(21, 2.5, [over(2000)]), eventId: 2 }], {}, { id: 2 }), { at: FIRST })
    assert.deepEqual(linesOf(other.read(end, { at })), lines)
  }
})

test('parts that cannot be read are told and skipped, and the rest is read', () => {
  const polled = poll(kambiNormaliser)
  const good = offer(12, 2.5, [over(2000)])
  const document = {
    betOffers: [
      7,
      { ...good, id: 'x' },
      { ...good, eventId: null },
      { ...good, criterion: {} },
      { ...good, outcomes: {} },
      { ...good, closed: 'soon' },
      { ...good, outcomes: [null, { type: 3 }, { type: 'OT_OVER', odds: '2', status: 'OPEN' }] },
      {
        ...good,
        outcomes: [
          { type: 'OT_OVER', line: [], status: 'OPEN' },
          { type: 'OT_OVER', odds: 2000 },
        ],
      },
      { ...good, criterion: { id: 5, englishLabel: 'Line\nbreak' }, outcomes: [true, { type: 'OT_YES' }] },
      good,
    ],
    events: [
      null,
      { id: 1.5 },
      { id: 2, homeName: 'A\u0000', awayName: 'B' },
      { id: 3, homeName: 'A', awayName: 'B', start: 'now' },
      ...(answer([]) as { events: object[] }).events,
    ],
  }
  assert.deepEqual(linesOf(polled.read(document, { at: FIRST })), ['1 total_goals 2.5 over 2 open'])
  polled.end()
  assert.deepEqual(
    polled.malformed.map((line) => line.split(' ')[0]),
    [
      'events[0]',
      'events[1].id',
      'events[2].homeName',
      'events[3].start',
      'betOffers[0]',
      'betOffers[1].id',
      'betOffers[2].eventId',
      'betOffers[3].criterion.id',
      'betOffers[4].outcomes',
      'betOffers[5].closed',
      'betOffers[6].outcomes[0]',
      'betOffers[6].outcomes[1].type',
      'betOffers[6].outcomes[2].odds',
      'betOffers[7].outcomes[0].line',
      'betOffers[7].outcomes[1].status',
      'betOffers[8].outcomes[0]',
    ],
  )
  assert.deepEqual(fatesOf(polled.account), { '(5)': { market: 1 }, 'Total Goals (1001159926)': { total_goals: 1 } })
})

test('behind an offer that cannot be read may be one that is missing: it is suspended, not closed', () => {
  const polled = poll(kambiNormaliser)
  polled.read(BOTH, { at: FIRST, isComplete: true })
  const damaged = answer([offer(12, 2.5, [over(2000), under(1800)]), { id: 11 }])
  assert.deepEqual(linesOf(polled.read(damaged, { at: SECOND, isComplete: true })).slice(2), [
    '1 total_goals 1.5 over  suspended',
    '1 total_goals 1.5 under  suspended',
  ])
})

test('without any time no price can be told; with an earlier one that is the time', () => {
  const polled = poll(kambiNormaliser)
  assert.deepEqual(polled.read(BOTH), [])
  assert.deepEqual(fatesOf(polled.account), { 'Total Goals (1001159926)': { no_timestamp: 4 } })
  polled.read(BOTH, { at: FIRST })
  assert.deepEqual(timesOf(polled.read(BOTH)), ['2026-03-08T15:10:00.000Z'])
  polled.end()
})

test('what is no answer of Kambi is refused with a reason, and does not stop what comes after', () => {
  const polled = poll(kambiNormaliser)
  for (const text of ['', '{"betOffers":[', '[]', 'null', '{"error":{"status":404}}', '{"betOffers":[]}']) {
    const result = polled.normaliser.read(text, 1)
    assert.ok('fault' in result && result.fault.startsWith('is not '), text)
  }
  assert.equal(linesOf(polled.read(BOTH, { at: FIRST })).length, 4)
})

test('an event that a complete answer names nowhere has nothing on offer any more', () => {
  const gone = { betOffers: [], events: [] }
  const polled = poll(kambiNormaliser)
  polled.read(BOTH, { at: FIRST, isComplete: true })
  assert.deepEqual(
    polled.read({ ...gone, range: { start: 0, size: 1, total: 2 } }, { at: SECOND, isComplete: true }),
    [],
  )
  assert.deepEqual(polled.read(gone, { at: SECOND, isComplete: false }), [])
  assert.deepEqual(statusesOf(polled.read(gone, { at: SECOND, isComplete: true })), [
    'closed',
    'closed',
    'closed',
    'closed',
  ])
  assert.deepEqual(polled.read(gone, { at: THIRD, isComplete: true }), [], 'said once')
  // One of its offers, without the event: the others are gone.
  const other = poll(kambiNormaliser)
  other.read(BOTH, { at: FIRST, isComplete: true })
  const bare = { betOffers: [offer(12, 2.5, [over(2200), under(1700)])], events: [] }
  assert.deepEqual(linesOf(other.read(bare, { at: SECOND, isComplete: true })), [
    '1 total_goals 2.5 over 2.2 open',
    '1 total_goals 2.5 under 1.7 open',
    '1 total_goals 1.5 over  closed',
    '1 total_goals 1.5 under  closed',
  ])
})

test('where answers about other events come the same way, one is complete only for those that it names', () => {
  const polled = poll(kambiNormaliser, { isOneOfMany: () => true })
  polled.read(BOTH, { at: FIRST, isComplete: true })
  const other = answer([{ ...offer(21, 2.5, [over(2000)]), eventId: 2 }], {}, { id: 2 })
  assert.deepEqual(linesOf(polled.read(other, { at: SECOND, isComplete: true })), ['2 total_goals 2.5 over 2 open'])
  assert.deepEqual(polled.read({ betOffers: [], events: [] }, { at: THIRD, isComplete: true }), [])
  assert.equal(statusesOf(polled.read(answer([]), { at: THIRD, isComplete: true })).length, 4)
})

test('an entry of an event that cannot be read leaves its quotes suspended, or closed where it says that it is over', () => {
  const after = (entry: object, betOffers: readonly object[] = []): string[] => {
    const polled = poll(kambiNormaliser)
    polled.read(BOTH, { at: FIRST, isComplete: true })
    const lines = linesOf(polled.read(answer(betOffers, {}, entry), { at: SECOND, isComplete: true }))
    assert.equal(polled.malformed.length, 1)
    polled.end()
    return lines
  }
  const said = (status: string): string[] => Array<string>(4).fill(status)
  const statuses = (lines: readonly string[]): (string | undefined)[] => lines.map((line) => line.split(' ').at(-1))
  assert.deepEqual(statuses(after({ homeName: 5 })), said('suspended'))
  assert.deepEqual(statuses(after({ start: 'tomorrow' })), said('suspended'))
  assert.deepEqual(statuses(after({ id: null })), said('suspended'), 'it may be this one')
  assert.deepEqual(statuses(after({ awayName: 'A\nB', state: 'FINISHED' })), said('closed'))
  // Its offers are read with what an earlier answer said of it.
  const offers = [offer(12, 2.5, [over(2100)])]
  assert.deepEqual(after({ homeName: 5 }, offers), [
    '1 total_goals 2.5 over 2.1 open',
    '1 total_goals 1.5 over  suspended',
    '1 total_goals 1.5 under  suspended',
    '1 total_goals 2.5 under  suspended',
  ])
  assert.deepEqual(after({ start: 1, state: 'FINISHED' }, offers)[0], '1 total_goals 2.5 over 2.1 closed')
})

test('an offer that is listed is not gone, though it cannot be mapped any more', () => {
  const after = (more: object, event: object, isComplete: boolean): string[] => {
    const polled = poll(kambiNormaliser)
    polled.read(answer([offer(11, 1.5, [over(1400)])]), { at: FIRST, isComplete })
    return linesOf(polled.read(answer([offer(11, 1.5, [over(1300)], more)], {}, event), { at: SECOND, isComplete }))
  }
  for (const isComplete of [true, false]) {
    assert.deepEqual(after({}, { path: null }, isComplete), ['1 total_goals 1.5 over  suspended'])
    assert.deepEqual(after({ criterion: { id: 5 } }, {}, isComplete), ['1 total_goals 1.5 over  suspended'])
  }
})

test('what stood in an offer is suspended where the offer is, or where a part of it cannot be read; on a page too', () => {
  const odd = { type: 'OT_OVER', odds: '1400', status: 'OPEN' } as unknown as OutcomeSaid
  const statusless = { type: 'OT_OVER', odds: 1400, status: null } as unknown as OutcomeSaid
  const wordless = { type: 'OT_UNTYPED', odds: 1400 }
  const cases: readonly (readonly [OutcomeSaid[], object, string[], told: number])[] = [
    [[], { suspended: true }, ['over  suspended', 'under  suspended'], 0],
    [[over(1500)], { suspended: true }, ['over 1.5 suspended', 'under  suspended'], 0],
    [[odd], { suspended: true }, ['over  suspended', 'under  suspended'], 1],
    [[odd, under(2700)], {}, ['under 2.7 open', 'over  suspended'], 1],
    [[statusless, under(2700)], {}, ['under 2.7 open', 'over  suspended'], 1],
    [[wordless, under(2700)], {}, ['under 2.7 open', 'over  suspended'], 0],
    [[over(1500), under(2700)], { closed: 5 }, ['over  suspended', 'under  suspended'], 1],
    [[over(1500), under(2700)], { eventId: '1' }, ['over  suspended', 'under  suspended'], 1],
    [[over(1500), under(2700)], { criterion: 7 }, ['over  suspended', 'under  suspended'], 1],
    [[], { outcomes: null }, ['over  suspended', 'under  suspended'], 1],
    ...['true', 1, 0, {}].map((suspended): readonly [OutcomeSaid[], object, string[], number] => [
      [over(1500), under(2700)],
      { suspended },
      ['over 1.5 suspended', 'under 2.7 suspended'],
      1,
    ]),
    ...[false, null, undefined].map((suspended): readonly [OutcomeSaid[], object, string[], number] => [
      [over(1500)],
      { suspended },
      ['over 1.5 open'],
      0,
    ]),
  ]
  for (const [outcomes, more, expected, told] of cases) {
    const polled = poll(kambiNormaliser)
    polled.read(BOTH, { at: FIRST })
    const lines = linesOf(polled.read(answer([offer(11, 1.5, outcomes, more)]), { at: SECOND }))
    const what = JSON.stringify([outcomes, more])
    assert.deepEqual(
      lines,
      expected.map((line) => `1 total_goals 1.5 ${line}`),
      what,
    )
    assert.equal(polled.malformed.length, told, what)
    polled.end()
  }
})

test('a number that is not finite is none', () => {
  const document = answer([offer(11, 1.5, [over(1), under(2800)]), offer(12, 2, [over(2000), under(1800)])])
  const text = JSON.stringify(document).replace('"odds":1}', '"odds":1e999}').replaceAll('"line":2000', '"line":-1e999')
  assert.match(text, /1e999.*-1e999/)
  const polled = poll(kambiNormaliser)
  assert.deepEqual(linesOf(polled.read(text, { at: FIRST })), ['1 total_goals 1.5 under 2.8 open'])
  assert.deepEqual(polled.malformed, [
    'betOffers[0].outcomes[0].odds must be a number',
    'betOffers[1].outcomes[0].line must be a number',
    'betOffers[1].outcomes[1].line must be a number',
  ])
  polled.end()
})

test('a side is known by its id only where the event says which side that is', () => {
  const spread = {
    ...offer(11, 0, []),
    criterion: { id: 1002275572 },
    outcomes: [
      { type: 'OT_UNTYPED', participantId: 7, line: -250, odds: 1900, status: 'OPEN' },
      { type: 'OT_UNTYPED', participantId: 8, line: 250, odds: 1990, status: 'OPEN' },
    ],
  }
  const sides = (one: object, other: object): string[] => {
    const participants = [
      { participantId: 7, ...one },
      { participantId: 8, ...other },
    ]
    return linesOf(poll(kambiNormaliser).read(answer([spread], {}, { participants }), { at: FIRST }))
  }
  const home = '1 spread -0.25 home 1.9 open'
  assert.deepEqual(sides({ home: true }, { home: false }), [home, '1 spread -0.25 away 1.99 open'])
  assert.deepEqual(sides({}, {}), [])
  assert.deepEqual(sides({ home: true }, {}), [home])
  assert.deepEqual(sides({ home: 'true' }, { home: 0 }), [])
})
