import assert from 'node:assert/strict'
import { test } from 'node:test'
import { coverageOf, isBookmakerSlug, isEligible, parseCoverage } from '../../../src/domain/coverage.ts'
import type { MarketType } from '../../../src/domain/market.ts'
import type { EventSighting, Observation } from '../../../src/domain/observation.ts'
import type { QuoteStatus } from '../../../src/domain/quote.ts'
import type { Sport } from '../../../src/domain/sport.ts'
import { Simulator } from '../../../src/source/simulator/simulator.ts'

const SEED = 20_261_120
const START_AT = Date.UTC(2026, 10, 20, 18, 0, 0)
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** More than any call here makes. */
const ALL = 1_000_000

const THREE_WAY = ['home', 'draw', 'away']
const TWO_WAY = ['home', 'away']
const OVER_UNDER = ['over', 'under']

/** docs/feeds.md 2.3 to 2.5: the types of each sport, with the labels of a whole market and whether it has a line. */
const LABELS: Readonly<Partial<Record<MarketType, readonly string[]>>> = {
  match_result_1x2: THREE_WAY,
  fight_betting: THREE_WAY,
  double_chance: ['home_or_draw', 'home_or_away', 'draw_or_away'],
  btts: ['yes', 'no'],
  total_goals: OVER_UNDER,
  first_half_total_goals: OVER_UNDER,
  total: OVER_UNDER,
  match_winner: TWO_WAY,
  map_winner: TWO_WAY,
  spread: TWO_WAY,
  run_line: TWO_WAY,
  puck_line: TWO_WAY,
  set_betting: ['2-0', '2-1', '1-2', '0-2'],
}

const WITHOUT_LINE = new Set<MarketType>([
  'match_result_1x2',
  'fight_betting',
  'double_chance',
  'btts',
  'match_winner',
  'set_betting',
])

const TYPES: Readonly<Partial<Record<Sport, readonly MarketType[]>>> = {
  football: ['match_result_1x2', 'double_chance', 'total_goals', 'btts', 'spread', 'first_half_total_goals'],
  tennis: ['match_winner', 'total', 'spread', 'set_betting'],
  basketball: ['match_winner', 'total', 'spread'],
  ice_hockey: ['match_result_1x2', 'match_winner', 'total', 'puck_line'],
  handball: ['match_result_1x2', 'total', 'spread'],
  baseball: ['match_winner', 'total', 'run_line'],
  combat_sport: ['fight_betting', 'match_winner', 'total'],
  esports: ['match_winner', 'map_winner', 'total', 'spread'],
}

/** What a reader of the observations knows of one outcome. */
interface Known {
  status: QuoteStatus
  odds: number
}

/** Messages are made only when they are needed: there are millions of checks. */
const check = (holds: boolean, message: () => string): void => {
  if (!holds) assert.fail(`seed ${SEED}, ${message()}`)
}

/** The naive reader: one map per (bookmaker, event), and a check of everything that it is told. */
class Reader {
  readonly events = new Map<string, EventSighting>()
  readonly observedAt = new Map<string, number>()
  readonly quotes = new Map<string, Map<string, Known>>()
  readonly transitions: Record<string, number> = {}
  observations = 0
  changes = 0

  take(observation: Observation, now: number): void {
    const { bookmaker, event, observedAt, prices, others } = observation
    const key = `${bookmaker} ${event.sourceKey}`
    const at = (): string => `${key}, observed ${new Date(observedAt).toISOString()}`
    this.observations += 1
    check(Number.isInteger(observedAt) && observedAt <= now, () => `${at()}: ahead of ${now}`)
    check(observedAt >= (this.observedAt.get(key) ?? 0), () => `${at()}: goes back`)
    check(prices.length > 0 || others !== 'keep', () => `${at()}: says nothing`)
    this.observedAt.set(key, observedAt)
    const known = this.events.get(event.sourceKey!)
    if (known === undefined) this.events.set(event.sourceKey!, event)
    else if (known !== event) assert.deepEqual(event, known, at())

    let quotes = this.quotes.get(key)
    if (quotes === undefined) {
      quotes = new Map()
      this.quotes.set(key, quotes)
    }
    const touched = new Set<string>()
    const named = new Set<string>()
    for (const { type, line, outcome, odds, status } of prices) {
      const market = `${type} ${line}`
      const name = `${market} ${outcome}`
      const what = (): string => `${at()}: ${name}`
      check(TYPES[event.sport]?.includes(type) === true, () => `${what()}: no type of ${event.sport}`)
      check(LABELS[type]!.includes(outcome), () => `${what()}: no such label`)
      if (WITHOUT_LINE.has(type)) check(line === null, what)
      else if (type === 'map_winner') check([1, 2, 3].includes(line!), what)
      else check(Math.abs(line! % 1) === 0.5, what)
      check(!named.has(name), () => `${what()}: named twice`)
      const before = quotes.get(name)
      if (status === 'open') check(odds !== null && odds > 1 && odds <= 1000, () => `${what()}: ${odds}`)
      else check(before !== undefined && odds === null, () => `${what()}: ${status} before it was ever open`)
      this.note(before?.status, status)
      if (before?.status !== status || (odds !== null && before.odds !== odds)) this.changes += 1
      quotes.set(name, { status, odds: odds ?? before!.odds })
      named.add(name)
      touched.add(market)
    }
    if (others !== 'keep') {
      for (const [name, quote] of quotes) {
        if (named.has(name) || quote.status === 'closed') continue
        this.note(quote.status, others)
        quote.status = others
      }
    }
    for (const market of touched) this.checkMargin(market, quotes, at)
  }

  private note(before: QuoteStatus | undefined, after: QuoteStatus): void {
    if (before === after) return
    const transition = `${before ?? 'none'} ${after}`
    this.transitions[transition] = (this.transitions[transition] ?? 0) + 1
  }

  /** A market is complete when all outcomes that may still win are open; then the book must favour the bookmaker. */
  private checkMargin(market: string, quotes: ReadonlyMap<string, Known>, at: () => string): void {
    const type = market.split(' ')[0] as MarketType
    let sum = 0
    for (const outcome of LABELS[type]!) {
      const quote = quotes.get(`${market} ${outcome}`)
      if (quote?.status === 'closed') continue
      if (quote?.status !== 'open') return
      sum += 1 / quote.odds
    }
    const fair = type === 'double_chance' ? 2 : 1
    check(sum === 0 || (sum > fair && sum < fair * 1.2), () => `${at()}: ${market} adds up to ${sum}`)
  }
}

/** Runs a simulator through a stretch of time and hands every observation on. */
const run = (
  simulator: Simulator,
  fromAt: number,
  toAt: number,
  stepMs: number,
  observe: (observation: Observation, now: number) => void,
): void => {
  for (let now = fromAt; now <= toAt; now += stepMs) {
    simulator.advance(now, (observation) => observe(observation, now), ALL)
  }
}

const record = (seed: number, stepMs: number): string[] => {
  const lines: string[] = []
  const simulator = new Simulator({ seed, startAt: START_AT })
  run(simulator, START_AT, START_AT + 2 * MINUTE_MS, stepMs, (observation) => lines.push(JSON.stringify(observation)))
  return lines
}

test('the same seed gives the same observations, another seed gives others', () => {
  const lines = record(SEED, 1_000)
  assert.ok(lines.length > 5_000)
  assert.deepEqual(record(SEED, 1_000), lines)
  assert.notDeepEqual(record(SEED + 1, 1_000), lines)
})

test('as long as it keeps up, it does not matter how finely time is cut', () => {
  assert.deepEqual(record(SEED, 50), record(SEED, 1_000))
})

test('about 30 bookmakers of every kind, as a coverage file would have them', () => {
  const bookmakers = new Simulator({ seed: SEED, startAt: START_AT }).bookmakers()
  assert.ok(bookmakers.length >= 28 && bookmakers.length <= 32)
  const slugs = bookmakers.map((bookmaker) => bookmaker.slug)
  assert.deepEqual(slugs, [...new Set(slugs)].sort())
  assert.ok(slugs.every(isBookmakerSlug))
  const file = {
    bookmakers: bookmakers.map((bookmaker) => ({
      ...bookmaker,
      coverage: bookmaker.coverage.map((row) => ({ ...row, sports: [row.sport] })),
    })),
  }
  assert.deepEqual(parseCoverage(JSON.stringify(file)), bookmakers)

  const statuses = bookmakers.map((bookmaker) => coverageOf(bookmaker, 'football')?.status)
  const count = (status: string): number => statuses.filter((other) => other === status).length
  assert.ok(count('verified_rest_live') >= 20)
  assert.ok(count('verified_rest_only') >= 2)
  assert.equal(count('verified_live_only'), 1)
  assert.equal(count('live_beta'), 1)
  assert.equal(count('source_limited'), 1)
})

test('the opening book: everything at once, shortly before now, in play and up to three days ahead', () => {
  const reader = new Reader()
  const feeds = new Map<string, Set<string>>()
  const simulator = new Simulator({ seed: SEED, startAt: START_AT })
  simulator.advance(
    START_AT,
    (observation) => {
      reader.take(observation, START_AT)
      assert.ok(observation.observedAt >= START_AT - 2_000 && observation.observedAt < START_AT)
      if (!feeds.has(observation.bookmaker)) feeds.set(observation.bookmaker, new Set())
      feeds.get(observation.bookmaker)!.add(observation.transport)
    },
    ALL,
  )
  const bookmakers = simulator.bookmakers()
  assert.equal(feeds.size, bookmakers.length)
  for (const bookmaker of bookmakers) {
    // A verified bookmaker feeds exactly the channels that it is verified for.
    const coverage = coverageOf(bookmaker, 'football') ?? bookmaker.coverage[0]!
    const [transport] = [...feeds.get(bookmaker.slug)!]
    assert.equal(feeds.get(bookmaker.slug)!.size, 1)
    if (!coverage.status.startsWith('verified')) continue
    assert.equal(isEligible(coverage, 'rest'), transport !== 'live', bookmaker.slug)
    assert.equal(isEligible(coverage, 'live'), transport !== 'rest', bookmaker.slug)
  }

  const events = [...reader.events.values()]
  assert.ok(events.length >= 60 && events.length <= 120, `${events.length} events`)
  assert.ok(new Set(events.map((event) => event.sport)).size >= 6)
  assert.ok(new Set(events.map((event) => event.leagueKey)).size >= 12)
  assert.ok(events.every((event) => event.kickoffAt >= START_AT - 2 * HOUR_MS))
  assert.ok(events.every((event) => event.kickoffAt <= START_AT + 73 * HOUR_MS))
  assert.ok(events.some((event) => event.kickoffAt < START_AT - HOUR_MS))
  assert.ok(events.some((event) => event.kickoffAt > START_AT + 48 * HOUR_MS))
  const entrants = events.flatMap((event) => [`${event.sport} ${event.home}`, `${event.sport} ${event.away}`])
  assert.equal(new Set(entrants).size, entrants.length, 'someone plays twice at a time')
})

test('markets of an event agree with each other', () => {
  const reader = new Reader()
  const simulator = new Simulator({ seed: SEED, startAt: START_AT })
  simulator.advance(START_AT, (observation) => reader.take(observation, START_AT), ALL)
  let compared = 0
  for (const [key, quotes] of reader.quotes) {
    const chance = (name: string): number => 1 / (quotes.get(name)?.odds ?? Number.NaN)
    const homeOrDraw = chance('double_chance null home_or_draw')
    const home = chance('match_result_1x2 null home')
    const homeHalfAhead = chance('spread -0.5 home')
    const draw = chance('match_result_1x2 null draw')
    if (!Number.isNaN(homeOrDraw + home + draw)) {
      assert.ok(Math.abs(homeOrDraw - home - draw) < 0.12, `${key}: double chance and 1x2 are apart`)
      compared++
    }
    if (key.startsWith('ostrel ') && !Number.isNaN(home + homeHalfAhead)) {
      assert.ok(Math.abs(home - homeHalfAhead) < 0.04, `${key}: handicap -0.5 and home win are apart`)
    }
    for (let line = 0.5; line < 6; line++) {
      const over = chance(`total_goals ${line} over`)
      const overNext = chance(`total_goals ${line + 1} over`)
      assert.ok(!(over <= overNext), `${key}: over ${line} is no likelier than over ${line + 1}`)
    }
  }
  assert.ok(compared > 200)
})

test('ten minutes second by second: valid, a few hundred changes a second, all transitions', () => {
  const reader = new Reader()
  const simulator = new Simulator({ seed: SEED, startAt: START_AT })
  const observe = (observation: Observation, now: number) => reader.take(observation, now)
  run(simulator, START_AT, START_AT, 1, observe)
  reader.changes = 0
  run(simulator, START_AT + 1_000, START_AT + 10 * MINUTE_MS, 1_000, observe)
  const changesPerSecond = reader.changes / 600
  assert.ok(changesPerSecond > 100 && changesPerSecond < 700, `${changesPerSecond} changes a second`)
  for (const transition of ['none open', 'open suspended', 'suspended open', 'open closed', 'suspended closed']) {
    assert.ok(reader.transitions[transition]! > 0, `no ${transition}: ${JSON.stringify(reader.transitions)}`)
  }
  for (const transition of ['closed open', 'closed suspended', 'none suspended', 'none closed']) {
    assert.equal(reader.transitions[transition], undefined, transition)
  }
})

test('around a goal bookmakers suspend, each at its own speed, and are back within a minute', () => {
  const suspendedAt = new Map<string, number>()
  const downMs: number[] = []
  const perEvent = new Map<string, Set<number>>()
  const silent = new Set<string>()
  const simulator = new Simulator({ seed: SEED, startAt: START_AT })
  run(simulator, START_AT, START_AT + 30 * MINUTE_MS, 1_000, ({ bookmaker, event, observedAt, prices, others }) => {
    const key = `${bookmaker} ${event.sourceKey}`
    silent.add(bookmaker)
    if (others === 'suspended') {
      assert.equal(prices.length, 0)
      suspendedAt.set(key, observedAt)
      const times = perEvent.get(event.sourceKey!) ?? new Set()
      perEvent.set(event.sourceKey!, times.add(observedAt))
    } else if (suspendedAt.has(key)) {
      if (others === 'keep') downMs.push(observedAt - suspendedAt.get(key)!)
      suspendedAt.delete(key)
    }
    if (others !== 'keep') assert.equal(prices.length, 0)
  })
  assert.ok(downMs.length > 100)
  assert.ok(
    Math.min(...downMs) >= 1_000 && Math.max(...downMs) <= MINUTE_MS,
    `${Math.min(...downMs)}-${Math.max(...downMs)}`,
  )
  assert.ok([...perEvent.values()].some((times) => times.size >= 10))
})

test('some bookmakers never suspend anything', () => {
  const suspending = new Set<string>()
  const simulator = new Simulator({ seed: SEED, startAt: START_AT })
  run(simulator, START_AT, START_AT + HOUR_MS, 5_000, ({ bookmaker, prices, others }) => {
    if (others === 'suspended' || prices.some((price) => price.status === 'suspended')) suspending.add(bookmaker)
  })
  const all = simulator.bookmakers().map((bookmaker) => bookmaker.slug)
  const never = all.filter((slug) => !suspending.has(slug))
  assert.ok(never.length >= 5 && never.length <= 12, `never suspended: ${never.join(', ')}`)
})

test('twelve hours: events end with all their quotes closed, others begin, the number stays', () => {
  const reader = new Reader()
  const closed = new Set<string>()
  const simulator = new Simulator({ seed: SEED, startAt: START_AT })
  let begun = 0
  const endAt = START_AT + 12 * HOUR_MS
  for (let now = START_AT; now <= endAt; now += 5 * MINUTE_MS) {
    simulator.advance(
      now,
      (observation) => {
        const key = `${observation.bookmaker} ${observation.event.sourceKey}`
        assert.ok(!closed.has(key), `seed ${SEED}, ${key}: speaks after its last word`)
        if (observation.others === 'closed') closed.add(key)
        reader.take(observation, now)
      },
      ALL,
    )
    if (now === START_AT) begun = reader.events.size
    else if (now % (10 * MINUTE_MS) === 0) {
      const open = new Set<string>()
      for (const [key, quotes] of reader.quotes) {
        if ([...quotes.values()].some((quote) => quote.status !== 'closed')) open.add(key.split(' ')[1]!)
      }
      assert.ok(open.size >= 60 && open.size <= 120, `${open.size} events after ${(now - START_AT) / MINUTE_MS} min`)
    }
  }
  const later = reader.events.size - begun
  assert.ok(later > 40, `${later} new events`)
  const past = [...reader.events.values()].filter((event) => event.kickoffAt <= endAt - 6 * HOUR_MS)
  assert.ok(past.length > 20)
  const pastKeys = new Set(past.map((event) => event.sourceKey))
  for (const [key, quotes] of reader.quotes) {
    if (!pastKeys.has(key.split(' ')[1]!)) continue
    for (const [name, quote] of quotes) check(quote.status === 'closed', () => `${key}: ${name} is not closed`)
  }
})

test('a quiet price is said again before it ages out', () => {
  const saidAt = new Map<string, Map<string, number>>()
  const simulator = new Simulator({ seed: SEED, startAt: START_AT })
  const endAt = START_AT + 4 * HOUR_MS
  run(simulator, START_AT, endAt, 5 * MINUTE_MS, ({ bookmaker, event, prices, others, observedAt }) => {
    const key = `${bookmaker} ${event.sourceKey}`
    const times = others === 'keep' ? (saidAt.get(key) ?? new Map<string, number>()) : new Map<string, number>()
    saidAt.set(key, times)
    for (const { type, line, outcome, status } of prices) {
      if (status === 'open') times.set(`${type} ${line} ${outcome}`, observedAt)
      else times.delete(`${type} ${line} ${outcome}`)
    }
  })
  for (const [key, times] of saidAt) {
    for (const [name, at] of times) {
      // The last price of a decided market stands at those who cannot take it down.
      const isKept = name.startsWith('match_')
      check(!isKept || endAt - at < 2 * HOUR_MS, () => `${key}: ${name} not said for ${(endAt - at) / MINUTE_MS} min`)
    }
  }
})

test('a call makes no more than it was asked for, and goes on where it stopped', () => {
  const whole: string[] = []
  const parts: string[] = []
  const one = new Simulator({ seed: SEED, startAt: START_AT })
  const other = new Simulator({ seed: SEED, startAt: START_AT })
  for (let now = START_AT; now <= START_AT + 30_000; now += 1_000) {
    one.advance(now, (observation) => whole.push(JSON.stringify(observation)), ALL)
    for (;;) {
      let told = 0
      const made = other.advance(
        now,
        (observation) => {
          told += 1
          parts.push(JSON.stringify(observation))
        },
        50,
      )
      assert.equal(made, told)
      assert.ok(made <= 50)
      if (made < 50) break
    }
  }
  assert.deepEqual(parts, whole)
  assert.equal(
    one.advance(START_AT + 30_000, () => assert.fail(), ALL),
    0,
    'all was done',
  )
})

test('after a pause the world has gone on, and what was missed is not made up for', () => {
  const reader = new Reader()
  const simulator = new Simulator({ seed: SEED, startAt: START_AT })
  simulator.advance(START_AT, (observation) => reader.take(observation, START_AT), ALL)
  const opening = reader.observations
  for (const pauseMs of [10 * MINUTE_MS, 8 * HOUR_MS, 100 * HOUR_MS]) {
    const now = START_AT + pauseMs
    const made = simulator.advance(now, (observation) => reader.take(observation, now), ALL)
    assert.ok(made > 0 && made < 2 * opening, `${made} observations after a pause of ${pauseMs} ms`)
  }
})
