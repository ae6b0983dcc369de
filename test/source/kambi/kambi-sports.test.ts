// Kambi beyond football: each known criterion by id and by name, what contradicts it, and list views.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { kambiNormaliser } from '../../../src/source/kambi/kambi-normaliser.ts'
import { ROOT } from '../../root.ts'
import { fatesOf, linesOf, poll, type Polled } from '../kit/polled.ts'

const TYPES: Readonly<Record<string, string>> = {
  '1': 'OT_ONE',
  X: 'OT_CROSS',
  '2': 'OT_TWO',
  O: 'OT_OVER',
  U: 'OT_UNDER',
  o: 'OT_ODD',
  e: 'OT_EVEN',
  a: 'OT_ONE_OR_CROSS',
  b: 'OT_ONE_OR_TWO',
  c: 'OT_CROSS_OR_TWO',
  s: 'OT_UNTYPED',
}

/** An event of a sport with one bet offer; `outcomes`: a letter each, of those above. */
const answer = (
  sport: string,
  id: number,
  name: string | undefined,
  offerType: number | undefined,
  outcomes: string,
  more: { readonly event?: object; readonly offer?: object } = {},
): object => ({
  events: [
    {
      id: 1,
      homeName: 'Elm',
      awayName: 'Oak',
      start: '2026-03-08T15:00:00Z',
      path: [{ termKey: sport }, { termKey: 'league' }],
      ...more.event,
    },
  ],
  betOffers: [
    {
      id: 11,
      eventId: 1,
      criterion: { id, label: 'Lokaal', ...(name === undefined ? {} : { englishLabel: name }) },
      ...(offerType === undefined ? {} : { betOfferType: { id: offerType, name: 'Lokaal' } }),
      ...more.offer,
      outcomes: [...outcomes].map((letter, index) => ({
        type: TYPES[letter],
        odds: 1_900 + index,
        status: 'OPEN',
        ...('12OU'.includes(letter) ? { line: letter === '2' ? -1_500 : 1_500 } : {}),
        ...(letter === 's' ? { homeScore: '2', awayScore: String(index) } : {}),
      })),
    },
  ],
})

const AT = { at: '2026-03-07T12:00:00Z' }

/** Type, line and labels of what is mapped of an answer; otherwise why nothing is. */
const madeOf = (document: object, polled: Polled = poll(kambiNormaliser)): string => {
  const prices = polled.read(document, AT).flatMap((observation) => observation.prices)
  polled.end()
  const labels = prices.map(({ outcome }) => outcome).join()
  if (prices.length > 0) return [prices[0]!.type, prices[0]!.line ?? '', labels].join(' ')
  return Object.values(fatesOf(polled.account))
    .flatMap((fates) => Object.keys(fates))
    .join()
}

const UNKNOWN_ID = 77

type Case = readonly [sport: string, id: number, name: string, offerType: number, outcomes: string, made: string]

const KNOWN: readonly Case[] = [
  ['american_football', 1001159990, 'Moneyline - Including Overtime', 2, '12', 'match_winner  home,away'],
  ['american_football', 1001159928, 'Point Spread - Including Overtime', 1, '12', 'spread 1.5 home,away'],
  ['american_football', 1001159490, 'Total Points - Including Overtime', 6, 'OU', 'total 1.5 over,under'],
  ['basketball', 1001159732, 'Including Overtime', 2, '21', 'match_winner  away,home'],
  ['basketball', 1001159512, 'Handicap - Including Overtime', 1, '12', 'spread 1.5 home,away'],
  ['basketball', 1001159509, 'Total Points - Including Overtime', 6, 'OU', 'total 1.5 over,under'],
  ['basketball', 1001223479, 'Total Points Odd/Even - Including Overtime', 10, 'oe', 'odd_even  odd,even'],
  ['basketball', 1001503228, 'Result at end of 2nd Half', 2, '1X2', 'match_result_1x2  home,draw,away'],
  ['baseball', 1001159860, 'Moneyline', 2, '12', 'match_winner  home,away'],
  ['baseball', 1001159777, 'Run Line', 1, '12', 'run_line 1.5 home,away'],
  ['baseball', 1001159850, 'Total Runs', 6, 'OU', 'total 1.5 over,under'],
  ['ice_hockey', 1001105828, 'Moneyline - Including Overtime and penalty shootout', 2, '12', 'match_winner  home,away'],
  ['ice_hockey', 1005584672, 'Puck Line - Including Overtime and Penalty Shootout', 1, '12', 'puck_line 1.5 home,away'],
  ['ice_hockey', 1005584670, 'Total Goals - Including Overtime and Penalty Shootout', 6, 'OU', 'total 1.5 over,under'],
  ['ice_hockey', 1001105802, 'Match Odds - Regular Time', 2, '1X2', 'match_result_1x2  home,draw,away'],
  ['handball', 1001105805, 'Full Time', 2, '1X2', 'match_result_1x2  home,draw,away'],
  ['handball', 1001105726, 'Handicap', 1, '12', 'spread 1.5 home,away'],
  ['handball', 1001105804, 'Double Chance', 12, 'abc', 'double_chance  home_or_draw,home_or_away,draw_or_away'],
  ['rugby_union', 1001159767, 'Regular Time', 2, '1X2', 'match_result_1x2  home,draw,away'],
  ['tennis', 1001159551, 'Match Odds', 2, '12', 'match_winner  home,away'],
  ['tennis', 1001427539, 'Game Handicap', 1, '12', 'spread 1.5 home,away'],
  ['tennis', 1001159891, 'Total Games', 6, 'OU', 'total 1.5 over,under'],
  ['volleyball', 1001160042, 'Match Odds', 2, '12', 'match_winner  home,away'],
  ['ufc_mma', 1001160027, 'Bout Odds', 2, '12', 'match_winner  home,away'],
  ['boxing', 1001160027, 'Bout Odds', 2, '1X2', 'fight_betting  home,draw,away'],
]

// Known by their names alone.
const NAMED: readonly Case[] = [
  ['rugby_league', UNKNOWN_ID, 'Including Overtime', 2, '12', 'match_winner  home,away'],
  ['australian_rules', UNKNOWN_ID, 'Handicap', 1, '12', 'spread 1.5 home,away'],
  ['tennis', UNKNOWN_ID, 'Set Betting', 3, 'ss', 'set_betting  2-0,2-1'],
  ['table_tennis', UNKNOWN_ID, 'Total Points', 6, 'OU', 'total 1.5 over,under'],
  ['snooker', UNKNOWN_ID, 'Frame Handicap', 1, '12', 'spread 1.5 home,away'],
  ['darts', UNKNOWN_ID, 'Match Odds', 2, '1X2', 'match_result_1x2  home,draw,away'],
  ['cricket', UNKNOWN_ID, 'Match Odds', 2, '12', 'match_winner  home,away'],
  ['esports', UNKNOWN_ID, 'Map 2', 2, '12', 'map_winner 2 home,away'],
]

test('a criterion is known by its id or by its name, where the types of offer and outcomes agree', () => {
  for (const [sport, id, name, offerType, outcomes, made] of KNOWN) {
    assert.equal(madeOf(answer(sport, id, name, offerType, outcomes)), made, `${sport} ${name}`)
    assert.equal(madeOf(answer(sport, id, undefined, undefined, outcomes)), made, `${sport} ${id}`)
    assert.equal(madeOf(answer(sport, UNKNOWN_ID, name, offerType, outcomes)), made, `${sport} ${name} by its name`)
    // The id with the shape of another market, or with the name of a part of the match.
    assert.equal(madeOf(answer(sport, id, name, offerType + 1, outcomes)), 'market', `${sport} ${id}: shape`)
    assert.equal(
      madeOf(answer(sport, id, `${name} - 1st Period`, offerType, outcomes)),
      'market',
      `${sport} ${id}: part`,
    )
    // A list with a draw pays in another way than one without.
    if (offerType !== 2 || sport === 'boxing' || sport === 'ufc_mma') continue
    const other = outcomes.includes('X') ? '12' : '1X2'
    assert.equal(madeOf(answer(sport, id, name, offerType, other)), 'market', `${sport} ${name}: ${other}`)
  }
  for (const [sport, id, name, offerType, outcomes, made] of NAMED) {
    assert.equal(madeOf(answer(sport, id, name, offerType, outcomes)), made, `${sport} ${name}`)
    assert.equal(madeOf(answer(sport, id, name, undefined, outcomes)), 'market', `${sport} ${name} without a shape`)
  }
})

test('what settles in another way than its type, or in an unknown unit, is a market that is left out', () => {
  const cases: readonly (readonly [sport: string, id: number, name: string, offerType: number, outcomes: string])[] = [
    ['american_football', 1001159490, 'Point Spread - Including Overtime', 6, 'OU'], // another criterion's name
    ['american_football', 1001159928, 'Total Points - Including Overtime', 6, 'OU'],
    ['ice_hockey', 1001105889, 'Puck Line - Regular Time', 1, '12'],
    ['ice_hockey', 1005584670, 'Total Goals - Regular Time', 6, 'OU'],
    ['basketball', 1001159855, 'Total Points by Elm - Including Overtime', 6, 'OU'],
    ['baseball', 1007286089, 'Match Odds (Alba, Juno must start)', 2, '12'],
    ['baseball', 1001159589, 'Total Runs - Inning 1', 6, 'OU'],
    ['tennis', 1001159846, 'Set 1', 2, '12'],
    ['tennis', 1001419385, 'Set Handicap', 1, '12'],
    ['tennis', 1001159758, 'Total Sets', 6, 'OU'],
    ['rugby_union', UNKNOWN_ID, 'Total Points - Including Overtime', 6, 'OU'],
    ['volleyball', 1001639432, 'Set Handicap', 1, '12'],
    ['darts', UNKNOWN_ID, 'Map 1', 2, '12'],
    ['cycling', UNKNOWN_ID, 'Match Odds', 2, '12'],
    ['football', 1001159858, 'Full Time', 6, 'OU'], // not the shape of a result
    ['football', 1001159551, 'Match Odds', 2, '12'],
  ]
  for (const [sport, id, name, offerType, outcomes] of cases) {
    assert.equal(madeOf(answer(sport, id, name, offerType, outcomes)), 'market', `${sport} ${name}`)
  }
})

test('a moneyline that had a draw has not become a two-way one because the draw is missing', () => {
  const polled = poll(kambiNormaliser)
  assert.equal(
    madeOf(answer('cricket', UNKNOWN_ID, 'Match Odds', 2, '1X2'), polled),
    'match_result_1x2  home,draw,away',
  )
  assert.deepEqual(linesOf(polled.read(answer('cricket', UNKNOWN_ID, 'Match Odds', 2, '12'), AT)), [
    '1 match_result_1x2  home 1.9 open',
    '1 match_result_1x2  away 1.901 open',
  ])
})

test('the winner of a competition is an outright; nothing else of it is mapped', () => {
  const event = { awayName: undefined, homeName: 'Harbour Classic', tags: ['COMPETITION'] }
  const outcomes = ['Brandt, Ola', 'Any other', 'Quarry FC'].map((englishLabel, index) => ({
    ...{ type: 'OT_UNTYPED', label: 'Lokaal', englishLabel, odds: 5_000 + index, status: 'OPEN' },
  }))
  const made = (name: string, offerType: number, offer: object): string =>
    madeOf(answer('golf', UNKNOWN_ID, name, offerType, '', { event, offer: { ...offer } }))
  const position = (from: number, to: number): object => ({ from, to, outcomes })
  const document = answer('golf', UNKNOWN_ID, 'Finishing Position', 117, '', { event })
  const [offer] = (document as { betOffers: object[] }).betOffers
  Object.assign(offer!, position(1, 1))
  assert.equal(madeOf(document), 'outright  ola_brandt,quarry_fc')
  Object.assign(offer!, position(1, 5))
  assert.equal(madeOf(document), 'market')
  assert.equal(made('Match Odds', 2, {}), '')
  // A match with one name is none.
  assert.equal(madeOf(answer('golf', UNKNOWN_ID, 'Match Odds', 2, '12', { event: { awayName: '' } })), 'event')
})

const LIST = readFileSync(join(ROOT, 'fixtures', 'kambi', 'list-view.json'), 'utf8')

const LISTED = [
  '9101 match_winner  home 1.64 open',
  '9101 match_winner  away 2.28 open',
  '9101 total 21.5 over 1.85 open',
  '9102 match_result_1x2  home 1.42 suspended',
  '9102 match_result_1x2  draw 4.6 suspended',
  '9102 match_result_1x2  away 7.2 suspended',
  '9103 outright  icebreakers 3.5 open',
]

test('a list view is read; what it does not list of an event is not gone', () => {
  const polled = poll(kambiNormaliser, { bookmaker: 'northbet' })
  // From an answer about the event by itself: the list view does not repeat it.
  const whole = answer('tennis', 1001427539, 'Game Handicap', 1, '12', {
    event: { id: 9101 },
    offer: { eventId: 9101 },
  })
  assert.equal(linesOf(polled.read(whole, { at: '2026-03-07T08:59:00Z' })).length, 2)
  assert.deepEqual(linesOf(polled.read(LIST, { at: '2026-03-07T09:00:00Z' })), LISTED)
  polled.end()
  assert.deepEqual(fatesOf(polled.account), {
    'Game Handicap (1001427539)': { spread: 2 },
    'Match Odds (1001159551)': { match_winner: 2 },
    'Total Games (1001159891)': { total: 1, no_price: 1 },
    'Match Odds - Regular Time (1001105802)': { match_result_1x2: 3 },
    'Season Finishing Position (1004240932)': { outright: 1, outcome: 1 },
  })
  assert.deepEqual(polled.malformed, [])
  // The main line moves: the old one is on offer still, as far as is known.
  const moved = LIST.replaceAll('21500', '22500').replace('NOT_STARTED', 'STARTED')
  assert.deepEqual(linesOf(polled.read(moved, { at: '2026-03-07T09:01:00Z' })).slice(0, 3), [
    ...LISTED.slice(0, 2),
    '9101 total 22.5 over 1.85 open',
  ])
  // An event that is over is.
  const over = linesOf(polled.read(LIST.replace('NOT_STARTED', 'FINISHED'), { at: '2026-03-07T09:02:00Z' }))
  const statuses = over.filter((line) => line.startsWith('9101')).map((line) => line.split(' ').at(-1))
  assert.deepEqual([statuses.length, new Set(statuses)], [6, new Set(['closed'])])
})

test('a list view has places for what cannot be read, may be empty, and is never complete', () => {
  const polled = poll(kambiNormaliser)
  const entry = (JSON.parse(LIST) as { events: { betOffers: object[] }[] }).events[0]!
  const document = {
    events: [7, { event: 'x' }, { event: { id: 5 }, betOffers: 3 }, { ...entry, betOffers: [null] }, entry],
  }
  assert.equal(linesOf(polled.read(document, AT)).length, 3)
  polled.end()
  assert.deepEqual(
    polled.malformed.map((line) => line.split(' ')[0]),
    ['events[0]', 'events[1].event', 'events[2].betOffers', 'events[3].betOffers[0]'],
  )
  assert.deepEqual(polled.read({ events: [] }, AT), [])
  const complete = poll(kambiNormaliser, { isComplete: () => true }).normaliser.read(LIST, 1)
  assert.ok('fault' in complete && complete.fault.includes('cannot be complete'))
})
