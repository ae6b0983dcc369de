// Seven kinds of sources and an upstream broker feed one service at once, from local servers that replay the recordings.
// They break in all sorts of ways; what REST and the stream show stays true, and in the end is what it would have been.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { certificate } from './source/betfair/exchange.ts'
import { TOKEN } from './source/uof/feed-stand-in.ts'
import { command, rowsIn } from './feeds/command.ts'
import { boardOf, Customer, quotesOf, type Shown } from './feeds/customer.ts'
import { type Expected, recordingsMissing } from './feeds/payloads.ts'
import { FOOTBALL_DATA_NAMES } from './feeds/replay-football-data.ts'
import { KAMBI_NAMES } from './feeds/replay-kambi.ts'
import { UOF_EVENTS } from './feeds/replay-push.ts'
import { until } from './feeds/waiting.ts'
import * as world from './feeds/world.ts'
import { rabbitMissing } from './rabbitmq.ts'
import { testsWith } from './root.ts'
import { quoteName } from './stomp/desk.ts'

const skip = recordingsMissing() || rabbitMissing() || (certificate === undefined && 'openssl is not installed')
const recorded = testsWith('recorded payloads, RabbitMQ and openssl', skip)

const { SLUGS, FLOOD, PLAYED_PER_BREAK, UPSTREAM_PRICES, folder, theOddsSite, kambiSite, pinnacleSite } = world
const { expectedQuotes, bestBacks, play, isUnseenBack, sayUnsure } = world

let customer: Customer

before(async () => {
  if (skip === false) await world.startWorld()
})

after(async () => {
  await customer?.leave()
  if (skip === false) await world.stopWorld()
  folder.remove()
})

// --- looking

interface Status {
  readonly name: string
  readonly state: string
  readonly prices: number
  readonly refused: number
  readonly lastRefusal: string | null
  readonly throttledMs: number
  readonly suspendedAt: string | null
  readonly problem: string | null
  readonly outcomes: Readonly<Record<string, unknown>>
  readonly facts: Readonly<Record<string, unknown>>
}

const ask = async (path: string): Promise<unknown> => {
  const response = await fetch(`${world.service.admin}${path}`)
  return response.status === 200 ? await response.json() : undefined
}

const statuses = async (): Promise<ReadonlyMap<string, Status>> => {
  const { feeds } = (await ask('/feeds')) as { readonly feeds: readonly Status[] }
  return new Map(feeds.map((status) => [status.name, status]))
}

const statusOf = async (name: string): Promise<Status> => (await statuses()).get(name)!

const untilState = (name: string, state: string): Promise<unknown> =>
  until(
    `${name} is ${state}`,
    async () => (await statusOf(name)).state === state,
    () => world.service.stderr().slice(-2_000),
  )

interface KnownEvent {
  readonly id: string
  readonly home: string
  readonly away: string
  readonly spellings: readonly { readonly key: string; readonly home: string; readonly away: string }[]
}

/** The events of source keys, as the operator's port shows them. */
const knownEvents = async (keys: Iterable<string>): Promise<ReadonlyMap<string, KnownEvent>> => {
  const left = [...new Set(keys)]
  const known = new Map<string, KnownEvent>()
  const read = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const event = (await ask(`/events/${encodeURIComponent(next)}`)) as KnownEvent | undefined
      assert(event !== undefined, `${next} is no event of the board`)
      known.set(next, event)
    }
  }
  await Promise.all(Array.from({ length: 8 }, read))
  return known
}

/** What the board must show, by name of the quote; of several sources of a quote the newest. */
const expectedBoard = (events: ReadonlyMap<string, KnownEvent>): ReadonlyMap<string, Expected> => {
  const board = new Map<string, Expected>()
  for (const quote of expectedQuotes()) {
    const { bookmaker, type, line, outcome } = quote
    const name = quoteName(events.get(quote.key)!.id, bookmaker, type, line, outcome)
    const known = board.get(name)
    if (known === undefined || known.at <= quote.at) board.set(name, quote)
  }
  return board
}

const countBy = <Item>(items: Iterable<Item>, nameOf: (item: Item) => string): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const item of items) counts[nameOf(item)] = (counts[nameOf(item)] ?? 0) + 1
  return counts
}

/** Compares REST with what the payloads say, each quote and its price. */
const assertBoard = async (): Promise<void> => {
  const events = await knownEvents([...expectedQuotes().map((quote) => quote.key), ...Object.values(UOF_KEYS)])
  const expected = expectedBoard(events)
  const board = await boardOf(world.service, world.key)
  const kambiEventId = ((await ask(`/events/kambi%3A${world.replays.kambi.eventId}`)) as KnownEvent).id
  const wrong: string[] = []
  for (const [name, { odds }] of expected) {
    const shown = board.get(name)
    if (shown?.odds !== odds) wrong.push(`${name} is ${shown?.odds}, not ${odds}`)
  }
  const others: Shown[] = []
  for (const [name, shown] of board) if (!expected.has(name)) others.push(shown)
  assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} quotes are not as their payloads have them`)
  // What no table here lists is checked by the number of each type.
  const { [SLUGS.uof]: uof, [SLUGS.kambi]: kambi, [SLUGS.flood]: flood, ...strangers } = countBy(others, bookmakerOf)
  assert.deepEqual(strangers, {}, 'quotes that no payload has')
  assert.deepEqual([uof, kambi, flood], [115 + 18, 429, 2 * FLOOD.lines])
  const ofKambi = others.filter((shown) => shown.bookmaker === SLUGS.kambi)
  assert(ofKambi.every(({ eventId }) => eventId === kambiEventId))
  assert.deepEqual(countBy(ofKambi, typeOf), KAMBI_EVENT_TYPES)
  const beforeId = events.get(UOF_KEYS.before)!.id
  const ofUof = others.filter(({ bookmaker, eventId }) => bookmaker === SLUGS.uof && eventId === beforeId)
  assert.deepEqual(countBy(ofUof, typeOf), UOF_BEFORE_TYPES)
  const handicap = ofUof.find(({ type, line, outcome }) => type === 'spread' && line === -0.25 && outcome === 'away')
  assert.equal(handicap?.odds, 1.79)
  const total = ofUof.find(({ type, line, outcome }) => type === 'total_goals' && line === 3.25 && outcome === 'over')
  assert.equal(total?.odds, 2.5151515152)
  assertPicture(board)
}

/** What the desk knows equals what REST shows: it has more, what is suspended. */
const assertPicture = (board: ReadonlyMap<string, Shown>): void => {
  customer.check()
  const open = [...customer.odds.quotes].filter(([, { status }]) => status === 'open')
  assert.equal(open.length, board.size, 'open quotes of the desk and of REST')
  for (const [name, { odds }] of open) assert.equal(board.get(name)?.odds, odds, name)
}

const bookmakerOf = ({ bookmaker }: Shown): string => bookmaker
const typeOf = ({ type }: Shown): string => type

const UOF_KEYS = { before: `uof:${UOF_EVENTS.before}`, live: `uof:${UOF_EVENTS.live}` } as const

const KAMBI_EVENT_TYPES = {
  ...{ goalscorer: 136, player_prop: 101, total_goals: 43, spread: 40, correct_score: 34 },
  ...{ first_half_total_goals: 20, corners_total: 12, winning_margin: 10, halftime_fulltime: 9 },
  ...{ second_half_total_goals: 8, cards_total: 6, match_result_1x2: 3, double_chance: 3, btts: 2, odd_even: 2 },
}

const UOF_BEFORE_TYPES = {
  ...{ correct_score: 26, spread: 22, total_goals: 22, halftime_fulltime: 9, winning_margin: 7 },
  ...{ first_half_total_goals: 6, second_half_total_goals: 6, clean_sheet: 4, match_result_1x2: 3 },
  ...{ double_chance: 3, first_to_score: 3, btts: 2, odd_even: 2 },
}

const KAMBI_PAGE = 1_061

/** What each source must have sent before anything breaks, in outcomes that became quotes. */
const MAPPED: Readonly<Record<string, number>> = {
  'odds-api': 134_474,
  kambi: KAMBI_PAGE + 429,
  pinnacle: 3_690,
  'football-data-e0_2324': 9_284,
  'football-data-e0_2425': 7_883,
  'football-data-sp1_2324': 9_277,
  txline: 52_071,
}

// --- the tests, one after the other on one service

recorded('all sources are on the board, one that floods among them', async (context) => {
  for (const [name, mapped] of Object.entries(MAPPED)) {
    await until(
      `${name} has brought everything`,
      async () => Number((await statusOf(name)).outcomes.mapped) >= mapped,
      () => world.service.stderr().slice(-2_000),
    )
  }
  const flood = await statusOf('flood')
  assert(flood.throttledMs > 0, 'a flood is held')
  for (const [name, mapped] of Object.entries(MAPPED)) {
    const { outcomes, refused, lastRefusal } = await statusOf(name)
    // What is read again is counted again: a page of Kambi's each time that it is unchanged, any answer after a silence that a
    // busy machine can cause.
    const again = (Number(outcomes.mapped) - mapped) % (name === 'kambi' ? KAMBI_PAGE : mapped)
    assert.equal(again, 0, `${name}: ${JSON.stringify(outcomes)}`)
    assert.equal(refused, 0, `${name}: ${lastRefusal}`)
  }
  assert.deepEqual((await statusOf('odds-api')).outcomes.unmappedBy, { lay: 7_686, sport: 1_800 })
  for (const name of ['uof', 'betfair', 'upstream']) await untilState(name, 'live')
  await until('the feed of odds has spoken', async () => Number((await statusOf('uof')).outcomes.mapped) >= 133)
  await until('the flood is over', async () => (await statusOf('flood')).prices === 2 * FLOOD.lines * FLOOD.rounds)
  customer = await Customer.open(world.service, world.key)
  await until('a whole picture', () => customer.isWhole)
  context.diagnostic(`snapshot: ${customer.odds.counts.snapshot} parts, ${customer.odds.quotes.size} quotes`)
  await customer.settle()
  await assertBoard()
})

recorded('at least 20 events have books of several sources, and none joins what is not one', async (context) => {
  const events = await knownEvents([...expectedQuotes().map((quote) => quote.key), ...Object.values(UOF_KEYS)])
  const several = new Map<string, KnownEvent>()
  for (const event of events.values()) {
    const sources = new Set(event.spellings.map((spelling) => spelling.key.split(':')[0]))
    if (sources.size > 1) several.set(event.id, event)
  }
  for (const { spellings } of several.values()) {
    const names = spellings.map(({ key: source, home, away }) =>
      [home, away].map((name) => trueNameOf(source, name)).join(' v '),
    )
    assert.equal(new Set(names).size, 1, spellings.map(({ key: source, home, away }) => [source, home, away]).join(' '))
    context.diagnostic(spellings.map(({ key: source, home, away }) => `${source} ${home} v ${away}`).join(' = '))
  }
  const books = await boardOf(world.service, world.key)
  const fed = new Set([...books.values()].map(({ eventId }) => eventId))
  assert([...several.keys()].every((id) => fed.has(id)))
  context.diagnostic(`${several.size} events of several sources`)
  const keys = [...several.values()].flatMap(({ spellings }) => spellings.map((spelling) => spelling.key))
  assert.deepEqual(
    countBy(keys, (source) => source.split(':')[0]!),
    EVENTS_OF_SEVERAL,
  )
  assert(several.size >= 20)
})

const EVENTS_OF_SEVERAL = { 'the-odds-api': 38, 'football-data': 32, kambi: 5, uof: 2 }

/** Names as The Odds API has them; by hand. */
const trueNameOf = (source: string, name: string): string =>
  (source.startsWith('football-data:')
    ? FOOTBALL_DATA_NAMES[name]
    : source.startsWith('kambi:') && KAMBI_NAMES[name]) || name

const ALL_SLUGS = (): readonly string[] => [
  ...new Set([...customer.odds.quotes.keys()].map((name) => name.split(' ')[1]!)),
]

/** Since the last call, of all but these. */
const changedBut = (...slugs: readonly string[]): Record<string, number> => {
  const changed = Object.fromEntries([...customer.changes].filter(([slug]) => !slugs.includes(slug)))
  customer.changes.clear()
  return changed
}

/** The states that a source went through are among those reported, in this order. */
const assertTold = (slug: string, from: number, states: readonly string[]): void => {
  const told = customer.states.slice(from).flatMap(({ bookmaker, state }) => (bookmaker === slug ? [state] : []))
  let place = 0
  for (const state of told) if (state === states[place]) place++
  assert.equal(place, states.length, `${slug} had ${told.join(', ')}, not ${states.join(', ')}`)
}

recorded('sites that fail, ask for patience or fall silent: status semantics decide what is still open', async () => {
  const totals = { kambi: customer.countsOf(SLUGS.kambi), pinnacle: customer.countsOf(SLUGS.pinnacle) }
  const fanduel = customer.countsOf('fanduel')
  const toldFrom = customer.states.length
  changedBut()
  kambiSite.be('error')
  pinnacleSite.be('silence')
  theOddsSite.be('patience')
  for (const name of ['kambi', 'pinnacle', 'odds-api']) await untilState(name, 'down')
  for (const slug of [SLUGS.kambi, SLUGS.pinnacle]) {
    await until(`${slug} is suspended on the stream`, () => customer.countsOf(slug).open === 0)
  }
  assert.deepEqual(customer.countsOf(SLUGS.kambi).suspended, totals.kambi.open)
  assert.deepEqual(customer.countsOf(SLUGS.pinnacle).suspended, totals.pinnacle.open)
  const board = await boardOf(world.service, world.key)
  assertPicture(board)
  const open = countBy(board.values(), bookmakerOf)
  assert.deepEqual([open[SLUGS.kambi], open[SLUGS.pinnacle], open.fanduel], [undefined, undefined, fanduel.open])

  const status = await command(folder.path, 'feed', 'status')
  assert.equal(status.code, 1, 'something is down')
  const states = Object.fromEntries(rowsIn(status.stdout).map(({ id, state }) => [id, state]))
  assert.deepEqual([states.kambi, states.pinnacle, states['odds-api']], ['down', 'down', 'down'])
  for (const name of ['betfair', 'uof', 'upstream', 'txline']) assert.notEqual(states[name], 'down', name)

  kambiSite.be('garbage')
  theOddsSite.be('silence')
  await until('garbage was read', () => kambiSite.asked.garbage > 0)
  await until('patience has ended', () => theOddsSite.asked.silence > 0)
  assert.equal((await statusOf('kambi')).state, 'down')
  assert(theOddsSite.asked.patience <= 10, `${theOddsSite.asked.patience} requests in spite of Retry-After`)

  for (const site of [kambiSite, theOddsSite]) site.be('well')
  for (const name of ['kambi', 'odds-api']) await untilState(name, 'live')
  await until('Kambi is open again', () => customer.countsOf(SLUGS.kambi).open === totals.kambi.open)
  pinnacleSite.be('well')
  await untilState('pinnacle', 'live')
  await until('Pinnacle is open again', () => customer.countsOf(SLUGS.pinnacle).open === totals.pinnacle.open)
  assert.deepEqual(customer.countsOf('fanduel'), fanduel)
  for (const slug of [SLUGS.kambi, SLUGS.pinnacle]) assertTold(slug, toldFrom, ['late', 'down', 'live'])
  // Its polls come in a bunch every ten seconds: it may have been late before.
  assertTold('fanduel', toldFrom, ['down', 'live'])
  for (const slug of [SLUGS.betfair, SLUGS.uof, SLUGS.upstream, SLUGS.txline]) {
    assert(
      !customer.states.slice(toldFrom).some(({ bookmaker, state }) => bookmaker === slug && state === 'down'),
      slug,
    )
  }
  assert.deepEqual(changedBut(SLUGS.kambi, SLUGS.pinnacle), {}, 'the others have not noticed')
  await assertBoard()
})

recorded('a broken socket, an exchange that is unsure and a broker that is killed', async () => {
  const toldFrom = customer.states.length
  changedBut()
  const connections = world.exchange.clients.length
  play(PLAYED_PER_BREAK)
  world.breakExchangeMidLine()
  await until(
    'the exchange is called again',
    () => world.exchange.clients.length > connections && world.exchange.newest!.isSubscribed,
  )
  play(PLAYED_PER_BREAK)
  await until('the best backs are on REST', () => isOnRest(bestBacks()))
  world.beUnsure(true)
  await world.killBroker()
  for (const name of ['betfair', 'uof', 'upstream']) await untilState(name, 'down')
  for (const slug of [SLUGS.betfair, SLUGS.uof, SLUGS.upstream]) {
    await until(`${slug} is suspended on the stream`, () => customer.countsOf(slug).open === 0)
    assert(customer.countsOf(slug).suspended > 0)
  }
  const board = await boardOf(world.service, world.key)
  assertPicture(board)
  for (const { bookmaker } of board.values()) {
    assert(![SLUGS.betfair, SLUGS.uof, SLUGS.upstream].some((slug) => slug === bookmaker), bookmaker)
  }
  // What the exchange says while it is unsure of itself opens nothing.
  sayUnsure([world.UNSEEN_BACK, 1])
  await until('the unsure price has come', () => [...customer.odds.quotes].some(isUnseenBack))
  assert.equal(customer.countsOf(SLUGS.betfair).open, 0, 'a price of a source that is down is not open')
  sayUnsure([world.UNSEEN_BACK, 0])
  await until('the unsure price has gone', () => ![...customer.odds.quotes].some(isUnseenBack))
  assert.equal(customer.countsOf(SLUGS.betfair).open, 0)
  play(PLAYED_PER_BREAK)
  world.beUnsure(false)
  await world.restartBroker()
  for (const name of ['betfair', 'uof', 'upstream']) await untilState(name, 'live')
  await until('the exchange is open again', () => customer.countsOf(SLUGS.betfair).open === 2)
  await until('the feed of odds is open again', () => customer.countsOf(SLUGS.uof).open === 115 + 18)
  // A broker hands on what others say: what it has not said again is not known to stand.
  await world.publishUpstream()
  await until('the upstream is open again', () => customer.countsOf(SLUGS.upstream).open === UPSTREAM_PRICES.length)
  for (const slug of [SLUGS.betfair, SLUGS.uof, SLUGS.upstream]) assertTold(slug, toldFrom, ['late', 'down', 'live'])
  assert.deepEqual(changedBut(SLUGS.betfair, SLUGS.uof, SLUGS.upstream), {}, 'the others have not noticed')
  await until('the best backs are on REST', () => isOnRest(bestBacks()))
  await customer.settle()
  await assertBoard()
})

recorded('what the sources have is verified from end to end', async () => {
  for (const [slug, sport] of VERIFIED) {
    const result = await command(folder.path, 'coverage', 'verify', '--bookmaker', slug, '--sport', sport)
    assert.equal(result.code, 0, `${slug}: ${result.stderr} ${result.stdout}`)
    assert(rowsIn(result.stdout).every(({ outcome, quotes }) => outcome === 'passed' && Number(quotes) > 0))
  }
  await assertBoard()
})

const VERIFIED = [
  [SLUGS.kambi, 'football'],
  [SLUGS.pinnacle, 'football'],
  [SLUGS.betfair, 'basketball'],
  [SLUGS.uof, 'football'],
  ['fanduel', 'baseball'],
] as const

recorded('nothing that was said on the way is wrong', async () => {
  customer.check()
  assert.deepEqual([customer.odds.resets, customer.events.resets], [[], []])
  assert(ALL_SLUGS().length >= 72)
  for (const status of (await statuses()).values()) {
    assert.equal(status.refused, 0, `${status.name}: ${status.lastRefusal}`)
  }
  const log = world.service.stderr()
  for (const secret of ['odds-key', 'app-key', 'session-token', TOKEN]) assert(!log.includes(secret))
  assert(!log.includes('"level":50'), log.slice(-3_000))
})

const isOnRest = async (quotes: readonly Expected[]): Promise<boolean> => {
  const [first] = quotes
  const event = (await ask(`/events/${encodeURIComponent(first!.key)}`)) as KnownEvent | undefined
  if (event === undefined) return false
  const shown = await quotesOf(world.service, world.key, event.id, `?bookmaker=${first!.bookmaker}`)
  return quotes.every(({ type, line, outcome, odds }) =>
    shown.some((each) => each.type === type && each.line === line && each.outcome === outcome && each.odds === odds),
  )
}
