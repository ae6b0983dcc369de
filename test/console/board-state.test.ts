import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoardState, CELLS_MAX, type Cell, type QuoteMessage } from '../../src/console/board/board-state.ts'
import { EVENTS_MAX, EventList, type EventMessage } from '../../src/console/board/event-list.ts'
import { overround } from '../../src/console/board/overround.ts'
import { PATH_POINTS_MAX, PricePath } from '../../src/console/board/price-path.ts'
import { Random, SEED } from '../random.ts'

const quote = (outcome: string, odds: number, more: Partial<QuoteMessage> = {}): QuoteMessage => ({
  type: 'match_result_1x2',
  line: null,
  outcome,
  odds,
  status: 'open',
  lastUpdatedAt: '2026-11-20T19:03:11.482Z',
  ...more,
})

const apply = (state: BoardState, bookmaker: string, quotes: readonly QuoteMessage[], isSnapshot = false): void =>
  state.apply({ eventId: '1', bookmaker, quotes }, isSnapshot, 0)

const full = (): BoardState => {
  const state = new BoardState()
  apply(state, 'north', [quote('away', 3.65), quote('home', 2.1), quote('draw', 3.4)], true)
  apply(state, 'east', [quote('home', 2.2), quote('draw', 3.3), quote('away', 3.5)], true)
  state.takeChanged()
  return state
}

const cellOf = (state: BoardState, bookmaker: string, outcome: string): Cell =>
  state.markets[0]!.rows.find((row) => row.outcome === outcome)!.cells.get(bookmaker)!

test('markets, outcomes and bookmakers are in their order', () => {
  const state = full()
  apply(state, 'north', [quote('over', 1.9, { type: 'total_goals', line: 3.5 })])
  apply(state, 'north', [quote('over', 1.4, { type: 'total_goals', line: 2.5 })])
  apply(state, 'north', [quote('x', 9, { type: 'not_known_yet' })])
  assert.deepEqual(state.bookmakers, ['east', 'north'])
  assert.deepEqual(
    state.markets.map(({ type, line }) => [type, line]),
    [
      ['match_result_1x2', null],
      ['total_goals', 2.5],
      ['total_goals', 3.5],
      ['not_known_yet', null],
    ],
  )
  assert.deepEqual(
    state.markets[0]!.rows.map(({ outcome }) => outcome),
    ['home', 'draw', 'away'],
  )
})

test('the best open price of each outcome is marked, and follows', () => {
  const state = full()
  assert.ok(cellOf(state, 'east', 'home').isBest)
  apply(state, 'east', [quote('home', 2.2, { status: 'suspended', change: 'suspended', cause: 'book' })])
  const { cells } = state.takeChanged()
  assert.deepEqual(new Set(cells), new Set([cellOf(state, 'east', 'home'), cellOf(state, 'north', 'home')]))
  assert.ok(!cellOf(state, 'east', 'home').isBest)
  assert.ok(cellOf(state, 'north', 'home').isBest)
  assert.equal(cellOf(state, 'east', 'home').cause, 'book')
  apply(state, 'east', [quote('home', 2.1, { change: 'reopened', cause: 'book' })])
  state.takeChanged()
  assert.ok(cellOf(state, 'east', 'home').isBest && cellOf(state, 'north', 'home').isBest, 'equal prices are both best')
  assert.equal(cellOf(state, 'east', 'home').cause, '')
})

test('overrounds are those of open prices, of each bookmaker and of the best', () => {
  const state = full()
  const market = state.markets[0]!
  assert.equal(market.overrounds.get('north')!.toFixed(6), (1 / 2.1 + 1 / 3.4 + 1 / 3.65 - 1).toFixed(6))
  assert.equal(market.bestOverround!.toFixed(6), (1 / 2.2 + 1 / 3.4 + 1 / 3.65 - 1).toFixed(6))
  apply(state, 'north', [quote('draw', 3.4, { status: 'suspended' })])
  state.takeChanged()
  assert.equal(market.overrounds.has('north'), false)
  assert.equal(market.bestOverround!.toFixed(6), (1 / 2.2 + 1 / 3.3 + 1 / 3.65 - 1).toFixed(6))
})

test('an overround needs every outcome, and a type whose outcomes exclude each other', () => {
  const prices = (odds: Readonly<Record<string, number>>) => (outcome: string) => odds[outcome]
  assert.equal(overround('match_result_1x2', prices({ home: 2, draw: 4 })), undefined)
  assert.equal(overround('double_chance', prices({ home_or_draw: 1.2 })), undefined)
  assert.equal(overround('match_winner', prices({ home: 2, away: 2 })), 0)
  assert.equal(overround('match_winner', prices({ home: 2, away: 2, draw: 10 }))!.toFixed(3), '0.100')
})

test('a change has a direction, a snapshot has none', () => {
  const state = full()
  assert.equal(cellOf(state, 'north', 'home').direction, 0)
  apply(state, 'north', [quote('home', 2.15, { change: 'repriced' })])
  assert.equal(cellOf(state, 'north', 'home').direction, 1)
  apply(state, 'north', [quote('home', 2.05, { change: 'repriced' })])
  assert.equal(cellOf(state, 'north', 'home').direction, -1)
  assert.deepEqual(
    cellOf(state, 'north', 'home')
      .path.points()
      .map(({ odds }) => odds),
    [2.1, 2.15, 2.05],
  )
})

test('what is closed or aged out leaves the grid', () => {
  const state = full()
  const before = state.structure
  apply(state, 'north', [quote('home', 2.1, { status: 'closed', change: 'closed' })])
  apply(state, 'north', [quote('draw', 3.4, { change: 'aged_out' }), quote('away', 3.65, { change: 'aged_out' })])
  apply(state, 'west', [quote('home', 2, { status: 'closed', change: 'closed' })])
  state.takeChanged()
  assert.equal(cellOf(state, 'north', 'home').status, 'gone')
  state.prune()
  assert.deepEqual(state.bookmakers, ['east'])
  assert.ok(state.structure > before)
})

test('a price that comes to an empty place makes the grid draw anew', () => {
  const state = full()
  apply(state, 'east', [quote('home', 2.2, { status: 'closed', change: 'closed' })])
  state.takeChanged()
  state.prune()
  assert.equal(state.markets[0]!.rows[0]!.cells.has('east'), false)
  const before = state.structure
  apply(state, 'east', [quote('home', 2.4, { change: 'added' })])
  assert.ok(state.structure > before)
})

test('what has ended stays to be seen for a while, and says why', () => {
  const state = full()
  state.apply({ eventId: '1', bookmaker: 'north', quotes: [quote('home', 2.1, { status: 'closed' })] }, false, 1_000)
  state.apply({ eventId: '1', bookmaker: 'north', quotes: [quote('draw', 3.4, { change: 'aged_out' })] }, false, 9_000)
  state.prune(5_000)
  const [home, draw] = state.markets[0]!.rows
  assert.equal(home!.cells.has('north'), false)
  assert.deepEqual([draw!.cells.get('north')!.status, draw!.cells.get('north')!.cause], ['gone', 'aged_out'])
  state.prune(9_000)
  assert.equal(draw!.cells.has('north'), false)
})

test('after a reset only what the snapshot confirms stays, with its path', () => {
  const state = full()
  const kept = cellOf(state, 'north', 'home')
  state.void()
  assert.ok(!state.takeChanged().cells.some(({ isBest }) => isBest))
  apply(state, 'north', [quote('home', 2.3)], true)
  state.prune()
  assert.deepEqual(
    state.markets[0]!.rows.map(({ outcome }) => outcome),
    ['home'],
  )
  assert.equal(cellOf(state, 'north', 'home'), kept)
  assert.equal(kept.path.points().at(-1)!.odds, 2.3)
})

test('what changed is given once', () => {
  const state = full()
  apply(state, 'north', [quote('home', 2.15), quote('home', 2.16)])
  assert.equal(state.takeChanged().cells.length, 1)
  assert.equal(state.takeChanged().cells.length, 0)
})

test('a board keeps so many quotes and no more', () => {
  const state = new BoardState()
  const quotes = Array.from({ length: 100 }, (_, number) => quote(`player ${number}`, 2, { type: 'goalscorer' }))
  for (let book = 0; book < CELLS_MAX / 100; book++) apply(state, `book${book}`, quotes, true)
  assert.equal(state.leftOut, 0)
  apply(state, 'one-more', quotes.slice(0, 1), true)
  assert.equal(state.leftOut, 1)
})

test('a path keeps the last points, and equals a plain list', () => {
  const random = new Random(SEED)
  const path = new PricePath()
  const plain: { at: number; odds: number; isOpen: boolean }[] = []
  for (let at = 0; at < PATH_POINTS_MAX * 3; at++) {
    const point = { at, odds: 1 + Math.floor(random.next() * 1000) / 100 + 0.01, isOpen: random.chance(0.8) }
    path.push(point.at, point.odds, point.isOpen)
    plain.push(point)
    if (at % 7 === 0) assert.deepEqual(path.points(), plain.slice(-PATH_POINTS_MAX), `seed ${SEED}, point ${at}`)
  }
  assert.equal(path.length, PATH_POINTS_MAX)
})

test('paths of a board share their memory', () => {
  const budget = { left: PATH_POINTS_MAX }
  const paths = [new PricePath(budget), new PricePath(budget)]
  for (let at = 0; at < 2 * PATH_POINTS_MAX; at++) for (const path of paths) path.push(at, 2, true)
  assert.ok(paths[0]!.length + paths[1]!.length <= PATH_POINTS_MAX + 16)
  for (const path of paths) {
    const points = path.points().map(({ at }) => at)
    assert.deepEqual(
      points,
      points.map((_, place) => 2 * PATH_POINTS_MAX - points.length + place),
    )
    path.end()
  }
  assert.equal(budget.left, PATH_POINTS_MAX)
})

const event = (id: string, more: Partial<EventMessage> = {}): EventMessage => ({
  id,
  sport: 'football',
  leagueKey: 'a',
  leagueName: 'A League',
  homeTeam: `Home ${id}`,
  awayTeam: `Away ${id}`,
  kickoffAt: `2026-11-2${id}T20:00:00.000Z`,
  marketCount: 1,
  ...more,
})

test('events are listed by sport and league in the order of their kickoff, and found by words', () => {
  const list = new EventList()
  list.take(event('3'))
  list.take(event('1', { leagueKey: 'b', leagueName: 'B League' }))
  list.take(event('2'))
  list.take(event('4', { sport: 'tennis' }))
  assert.deepEqual(list.sports(), [
    ['football', 3],
    ['tennis', 1],
  ])
  assert.deepEqual(
    list.leagues('football', '').map(({ key, events }) => [key, events.map(({ id }) => id)]),
    [
      ['b', ['1']],
      ['a', ['2', '3']],
    ],
  )
  assert.deepEqual(
    list.leagues('football', ' aWAY  3 ').map(({ events }) => events.map(({ id }) => id)),
    [['3']],
  )
  assert.equal(list.liveliest('football', '2026-11-22T20:30:00Z')!.id, '2')
  assert.equal(list.liveliest('football', '2026-01-01T00:00:00Z')!.id, '1')
  list.take(event('2', { change: 'gone' }))
  assert.equal(list.events.size, 2 + 1)
})

test('a list keeps so many events and no more', () => {
  const list = new EventList()
  for (let id = 0; id < EVENTS_MAX; id++) list.take(event(String(id)))
  assert.equal(list.leftOut, 0)
  list.take(event('more'))
  list.take(event('7', { homeTeam: 'Changed' }))
  assert.equal(list.leftOut, 1)
  assert.equal(list.events.get('7')!.homeTeam, 'Changed')
})
