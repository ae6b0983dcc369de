// Sources side by side: each has its lane, its budget and its status, and none of them can hurt another.

import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import { sourceOfProducer } from '../../src/domain/feed-source.ts'
import type { Observation } from '../../src/domain/observation.ts'
import { CAUSES } from '../../src/domain/quote.ts'
import { type Refusal, refuse } from '../../src/domain/refusal.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { Connector, ConnectorContext, Producer } from '../../src/source/kit/connector.ts'
import type { SourcePlan, SourceStatus } from '../../src/feed/running-source.ts'
import { superviseOn } from '../fed-engine.ts'

const T0 = 1_790_000_000_000
const SOURCES_MAX = 6
const GENEROUS = { pricesPerSecond: 1e9, pricesBurst: 1e9 }

const observationOf = (bookmaker: string, n: number, prices = 1): Observation => ({
  bookmaker,
  transport: 'both',
  observedAt: T0 + n,
  event: {
    sport: 'golf',
    leagueKey: 'l',
    leagueName: 'L',
    home: 'Open',
    away: '',
    kickoffAt: T0,
    sourceKey: `${bookmaker}:1`,
  },
  prices: Array.from({ length: prices }, (_, place) => ({
    type: 'outright' as const,
    line: null,
    outcome: `p${place}`,
    odds: 2,
    status: 'open' as const,
  })),
  others: 'keep',
})

/** A source whose connector is the test. */
class Hand implements Connector {
  context: ConnectorContext | undefined
  producer: Producer | undefined
  stops = 0
  resumptions = 0
  suspensions = 0
  onRefresh: () => Promise<string | undefined> = async () => undefined
  troubled: string | null = null

  async stop(): Promise<void> {
    this.stops++
  }

  refresh(): Promise<string | undefined> {
    return this.onRefresh()
  }

  trouble(): string | null {
    return this.troubled
  }

  resume(): void {
    this.resumptions++
  }

  suspended(): void {
    this.suspensions++
  }

  facts(): Readonly<Record<string, number>> {
    return { stops: this.stops }
  }

  plan(name: string, over: Partial<SourcePlan> = {}): SourcePlan {
    return {
      terms: { name, lateMs: 1_000, downMs: 3_000, suspendMs: 0, behindMsMax: Number.POSITIVE_INFINITY },
      kind: 'hand',
      budget: GENEROUS,
      bookmakers: [],
      never: null,
      input: null,
      connect: (context) => {
        this.context = context
        this.producer = context.producer('hand')
        return this
      },
      ...over,
    }
  }

  take(observations: Iterable<Observation>): Promise<boolean> {
    return this.producer!.observe(observations)
  }
}

class World {
  nowAt = T0
  elapsedMs = 0
  readonly logged: string[] = []
  readonly seen: string[] = []
  readonly uncovered = new Set<string>()
  readonly registered = new Set<string>()
  /** In the place of the engine's answer, where it gives one. */
  refusalOf: (observation: Observation) => Refusal | undefined = () => undefined
  readonly engine = new Engine(
    {
      quotesMax: 10_000,
      skewMsMax: 5_000,
      bookmakersMax: 100,
      wheelVisitsMax: 1_000,
    },
    T0,
  )
  readonly run = superviseOn(
    this.engine,
    {
      now: () => this.nowAt,
      elapsedMs: () => this.elapsedMs,
      chance: () => 0.5,
      isCovered: (bookmaker, sport) => !this.uncovered.has(`${bookmaker} ${sport}`),
      isRegistered: (bookmaker) => this.registered.has(bookmaker),
      log: (level, source, message) => this.logged.push(`${level} ${source} ${message}`),
      sourcesMax: SOURCES_MAX,
    },
    (input) => {
      if (input.kind !== 'observe') return undefined
      this.seen.push(
        `${this.run.clock.numberOf(sourceOfProducer(input.producer))}:${input.observation.observedAt - T0}`,
      )
      return this.refusalOf(input.observation)
    },
  )
  readonly supervisor = this.run.supervisor

  status(name: string): SourceStatus {
    return this.supervisor.statuses().find((status) => status.name === name)!
  }

  turn(ms: number): void {
    this.nowAt = T0 + ms
    while (!this.run.turns.run());
  }
}

const flood = function* (bookmaker: string, count: number, prices: number): Generator<Observation> {
  for (let n = 0; n < count; n++) yield observationOf(bookmaker, n, prices)
}

test('a source that floods is held by its budget, and another is served meanwhile', async () => {
  const world = new World()
  const [loud, quiet] = [new Hand(), new Hand()]
  world.supervisor.start(loud.plan('loud', { budget: { pricesPerSecond: 1_000, pricesBurst: 500 } }))
  world.supervisor.start(quiet.plan('quiet'))
  let isDone = false
  const flooded = loud.take(flood('loud', 100, 100)).then(() => (isDone = true))
  assert.equal(world.status('loud').prices, 500, 'the burst')
  for (let n = 0; n < 50; n++) {
    await quiet.take([observationOf('quiet', n)])
    assert.equal(world.status('quiet').observations, n + 1, 'at once')
  }
  assert.equal(world.status('loud').prices, 500, 'no time has passed')
  assert.equal(world.status('quiet').throttledMs, 0)
  assert.equal(isDone, false)
  // Its clock goes on: 10 s are enough for the rest, and no more than a burst at a time is made up for.
  while (!isDone) {
    world.elapsedMs += 100
    const before = world.status('loud').prices
    await new Promise((resolve) => setTimeout(resolve, 1))
    assert.ok(world.status('loud').prices - before <= 600)
  }
  await flooded
  assert.ok(world.status('loud').throttledMs > 0)
  assert.ok(world.elapsedMs >= 9_000, `${world.elapsedMs} ms for 9 500 prices at 1 000 a second`)
  assert.equal(world.status('loud').prices, 10_000)
  assert.deepEqual(
    world.seen.filter((each) => each.startsWith('1:')),
    Array.from({ length: 100 }, (_, n) => `1:${n}`),
  )
  await world.supervisor.stop(10_000)
})

test('time that a source waits for its budget is counted once', async () => {
  const world = new World()
  const hand = new Hand()
  world.supervisor.start(hand.plan('s', { budget: { pricesPerSecond: 1_000, pricesBurst: 100 } }))
  const taken = [hand.take(flood('b', 2, 150)), hand.take(flood('b', 1, 1)), hand.take(flood('b', 1, 1))]
  for (let n = 0; n < 10; n++) await nextTurn()
  const { throttledMs } = world.status('s')
  await world.supervisor.stop(10_000)
  await Promise.all(taken)
  assert.ok(throttledMs <= 60, `${throttledMs} ms, and 50 ms are owed`)
})

test('refused observations are counted, and told once each', async () => {
  const world = new World()
  const hand = new Hand()
  world.supervisor.start(hand.plan('s'))
  await hand.take(Array.from({ length: 30 }, (_, n) => observationOf('b', 5_001 + n)))
  const status = world.status('s')
  assert.deepEqual([status.observations, status.refused], [30, 30])
  assert.match(status.lastRefusal!, /^validation_failed: observedAt lies more than 5000 ms ahead$/)
  assert.equal(world.logged.length, 1)
  assert.match(world.logged[0]!, /^warn s refused: validation_failed/)
  assert.deepEqual(status.bookmakers, [], 'it has fed nobody')
  await hand.take([observationOf('b', 0)])
  assert.equal(world.status('s').refused, 30)
  assert.deepEqual(world.supervisor.sourcesOf('b', 'golf', false), ['s'])
})

test('what a source with a clock ahead speaks of is suspected; it falls silent, and resumes when it is right', async () => {
  const world = new World()
  const hand = new Hand()
  world.supervisor.start(hand.plan('s'))
  const hear = (ms: number): void => {
    world.nowAt = T0 + ms
    hand.context!.alive()
    world.turn(ms)
  }
  assert.equal(await hand.take([observationOf('a', 0), observationOf('b', 0)]), true)
  hear(0)
  assert.equal(world.status('s').state, 'live')
  world.turn(1_000)
  assert.equal(await hand.take([observationOf('b', 6_001), observationOf('c', 6_001)]), false)
  assert.deepEqual(openQuotes(world), ['a'])
  await hand.producer!.confirm(T0 + 1_000)
  assert.deepEqual(openQuotes(world), ['a'], 'what was refused is not what is confirmed')
  assert.match(world.status('s').problem ?? '', /ahead/)
  for (let ms = 1_000; ms < 3_000; ms += 500) hear(ms)
  assert.equal(world.status('s').state, 'late', 'heart-beats of one that cannot be believed')
  hear(3_000)
  assert.equal(world.status('s').state, 'down')
  assert.equal(hand.resumptions, 0)
  // One that is right among others: it is not the clock of the source.
  await hand.take([observationOf('c', 9_000), observationOf('b', 3_000)])
  hear(3_000)
  assert.deepEqual([world.status('s').state, world.status('s').problem, hand.resumptions], ['live', null, 1])
  assert.deepEqual(openQuotes(world), ['b'], 'what it has spoken of')
  await hand.take([observationOf('b', 3_100)])
  hear(3_100)
  assert.equal(hand.resumptions, 1, 'once')
})

test('a source whose quotes were suspended while it was down resumes when it is heard, and opens what it confirms', async () => {
  const world = new World()
  const hand = new Hand()
  world.supervisor.start(hand.plan('s'))
  await hand.take([observationOf('b', 0)])
  hand.context!.alive()
  world.turn(0)
  world.turn(3_000)
  assert.notEqual(world.status('s').suspendedAt, null)
  assert.deepEqual([hand.suspensions, hand.resumptions], [1, 0])
  hand.context!.alive()
  hand.context!.alive()
  assert.equal(hand.resumptions, 1)
  assert.deepEqual(openQuotes(world), [])
  await hand.producer!.confirm(T0 + 3_000)
  assert.deepEqual(openQuotes(world), ['b'])
})

test('a producer whose leave still waits for the budget leaves when its source is removed', async () => {
  const world = new World()
  const hand = new Hand()
  await configured(world, hand.plan('s', { budget: { pricesPerSecond: 1, pricesBurst: 1 } }))
  await hand.take([observationOf('a', 0)])
  assert.deepEqual(openQuotes(world), ['a'])
  const waiting = [hand.take([observationOf('b', 0), observationOf('c', 0)]), hand.producer!.leave()]
  await configured(world)
  await Promise.all(waiting)
  world.turn(0)
  assert.deepEqual(openQuotes(world), [])
  await world.supervisor.stop(10_000)
})

test('producers of a source are suspected, confirmed and ended apart, in the order of what they say', async () => {
  const world = new World()
  const hand = new Hand()
  world.supervisor.start(hand.plan('s', { budget: { pricesPerSecond: 1_000, pricesBurst: 1 } }))
  const other = hand.context!.producer('hand')
  const said = [hand.take([observationOf('a', 0)]), other.observe([observationOf('b', 0)])]
  hand.producer!.suspect('gap')
  other.suspect('gap')
  said.push(other.observe([observationOf('c', 0)]))
  world.turn(0)
  assert.deepEqual(openQuotes(world), ['a'], 'what waits for the budget has not been said')
  // Time that passes gives one price after the other, and more than is needed at last.
  const passing = setInterval(() => {
    world.elapsedMs += 1_000
  }, 1)
  await Promise.all(said)
  assert.deepEqual(openQuotes(world), ['c'])
  await other.confirm(T0)
  assert.deepEqual(openQuotes(world), ['b', 'c'])
  await other.end(T0)
  await hand.producer!.confirm(T0)
  assert.deepEqual(openQuotes(world), ['a'])
  await hand.producer!.leave()
  assert.deepEqual(openQuotes(world), [])
  await hand.producer!.confirm(T0)
  await hand.take([observationOf('a', 1)])
  assert.deepEqual(openQuotes(world), [], 'one that has left says nothing')
  await other.observe([observationOf('a', 1), observationOf('b', 1)], 'gap')
  assert.deepEqual(openQuotes(world), [])
  await other.confirm(T0)
  assert.deepEqual(openQuotes(world), ['a', 'b'])
  clearInterval(passing)
  await world.supervisor.stop(10_000)
})

test('quotes of a producer that leaves carry its cause; those of a source that is stopped, that it is down', async () => {
  const world = new World()
  const hand = new Hand()
  const causes: string[] = []
  world.engine.onTurn(({ length, cause }) => {
    for (let place = 0; place < length; place++) {
      const number = cause[place] ?? 0 // a notice has none
      if (number > 0) causes.push(CAUSES[number - 1]!)
    }
  })
  world.supervisor.start(hand.plan('s'))
  const page = hand.context!.producer('page')
  const said = [page.observe([observationOf('a', 0)]), hand.take([observationOf('b', 0)])]
  world.turn(0)
  await Promise.all(said)
  const left = page.leave('gap')
  world.turn(1)
  await left
  assert.deepEqual(new Set(causes.splice(0)), new Set(['gap']))
  const changed = world.supervisor.configure([])
  world.turn(2)
  await changed
  assert.deepEqual(causes, [], 'it was started by itself')
  const ended = hand.producer!.leave()
  world.turn(3)
  await ended
  assert.deepEqual(new Set(causes), new Set(['source_down']))
})

test('a full board is told once, too', async () => {
  const world = new World()
  const hand = new Hand()
  world.supervisor.start(hand.plan('s'))
  world.refusalOf = ({ prices }) =>
    refuse('service_unavailable', `the board is full (900 quotes): ${prices.length} prices left out`)
  await hand.take(Array.from({ length: 40 }, (_, n) => observationOf('b', n, 1 + (n % 7))))
  assert.equal(world.status('s').refused, 40)
  assert.equal(world.logged.length, 1)
})

test('a refresh shows whoever asked what comes meanwhile, refused or not, and nothing after it', async () => {
  const world = new World()
  const hand = new Hand()
  world.supervisor.start(hand.plan('s'))
  const tapped: string[] = []
  hand.onRefresh = async () => {
    await hand.take([observationOf('b', 1), observationOf('b', 9_000)])
    return undefined
  }
  const tap = ({ observedAt }: Observation, refusal: Refusal | undefined): void => {
    tapped.push(`${observedAt - T0} ${refusal?.refused ?? 'taken'}`)
  }
  await hand.take([observationOf('b', 0)])
  assert.equal(await world.supervisor.refresh('s', tap), undefined)
  await hand.take([observationOf('b', 2)])
  assert.deepEqual(tapped, ['1 taken', '9000 validation_failed'])
  hand.onRefresh = async () => 'it is asleep'
  assert.equal(await world.supervisor.refresh('s', tap), 'it is asleep')
  hand.onRefresh = async () => {
    throw new Error('broken')
  }
  await assert.rejects(world.supervisor.refresh('s', tap), /broken/)
  await hand.take([observationOf('b', 3)])
  assert.equal(tapped.length, 2, 'the tap is gone, however it ended')
  assert.match((await world.supervisor.refresh('nobody', tap)) ?? '', /no source "nobody"/)
})

test('what coverage shows to nobody is in the status as long as it is so, and is logged once', async () => {
  const world = new World()
  const hand = new Hand()
  world.supervisor.start(hand.plan('a'))
  world.uncovered.add('x golf').add('y golf')
  await hand.take([observationOf('x', 1), observationOf('y', 2), observationOf('z', 3), observationOf('x', 4)])
  assert.deepEqual(world.status('a').uncovered, ['x golf', 'y golf'])
  const logged = world.logged.filter((line) => line.includes('coverage'))
  assert.equal(logged.length, 1)
  assert.match(
    logged[0]!,
    /^warn a feeds x in golf, which coverage shows to nobody; oddswire coverage import registers/,
  )
  // One that coverage lists and hides is somebody's decision.
  world.registered.add('w')
  world.uncovered.add('w golf')
  await hand.take([observationOf('w', 5)])
  assert.match(world.logged.at(-1)!, /^info a feeds w in golf, which coverage shows to nobody; feed status/)
  world.uncovered.delete('x golf')
  assert.deepEqual(world.status('a').uncovered, ['w golf', 'y golf'])
})

test('a source that is not to be started is there, says why, and is asked for nothing', async () => {
  const world = new World()
  const hand = new Hand()
  world.supervisor.start(hand.plan('off', { never: 'is disabled: never polled', bookmakers: ['b'] }))
  assert.deepEqual(
    world.supervisor.neverStarted.map(({ terms, never }) => [terms.name, never]),
    [['off', 'is disabled: never polled']],
  )
  assert.deepEqual(world.supervisor.statuses(), [], 'what is never started cannot be late')
  assert.equal(hand.context, undefined)
  assert.deepEqual(world.logged, ['warn off is disabled: never polled'])
  assert.match((await world.supervisor.refresh('off', () => {})) ?? '', /no source "off" that runs/)
  assert.deepEqual(world.supervisor.sourcesOf('b', 'golf', true), [])
  world.turn(0)
  assert.equal(world.engine.reader.healthOf(world.engine.bookmakerNumber('b')), undefined, 'nobody expects it')
  await world.supervisor.stop(10_000)
})

test('a stop lets go of those who wait, and drops what they still had', async () => {
  const world = new World()
  const [stuck, other] = [new Hand(), new Hand()]
  world.supervisor.start(stuck.plan('stuck', { budget: { pricesPerSecond: 1, pricesBurst: 1 } }))
  world.supervisor.start(other.plan('other'))
  const taken = stuck.take(flood('b', 50, 10))
  await world.supervisor.stop(10_000)
  await taken
  const { length } = world.seen
  assert.equal(length, 1)
  await stuck.take([observationOf('b', 99)])
  await other.take([observationOf('b', 99)])
  await nextTurn()
  assert.equal(world.seen.length, length)
  assert.deepEqual([stuck.stops, other.stops], [1, 1])
})

test('the status says what the source told until it is heard again, and how it is by its own terms', async () => {
  const world = new World()
  const hand = new Hand()
  world.supervisor.start(hand.plan('s', { bookmakers: ['b'] }))
  world.turn(0)
  assert.equal(world.status('s').state, 'starting')
  assert.deepEqual(world.status('s').bookmakers, ['b'])
  hand.context!.log('info', 'connected')
  assert.equal(world.status('s').problem, null)
  hand.context!.log('warn', 'cut off')
  assert.equal(world.status('s').problem, 'cut off')
  await hand.take([observationOf('b', 0)])
  assert.equal(world.status('s').problem, 'cut off', 'prices are no sign of life')
  hand.context!.alive()
  world.turn(0)
  assert.deepEqual([world.status('s').problem, world.status('s').state], [null, 'live'])
  hand.troubled = 'page 2 fails'
  hand.context!.alive()
  assert.equal(world.status('s').problem, 'page 2 fails', 'a part of it that fails is not well because others are')
  hand.troubled = null
  assert.equal(world.status('s').problem, null)
  world.turn(1_000)
  assert.equal(world.status('s').state, 'late')
  world.turn(3_000)
  const { state, suspendedAt } = world.status('s')
  assert.deepEqual([state, suspendedAt], ['down', T0 + 3_000])
  assert.equal(world.engine.changeCounts[3], 2, 'on both channels')
  for (let n = 0; n < 100; n++) hand.context!.onMalformed(`line ${n}`, 'is broken')
  assert.equal(world.logged.filter((line) => line.includes('is broken')).length, 20)
})

test('who feeds a bookmaker in a sport is known by what it brought, or by what it is configured for', async () => {
  const world = new World()
  const [one, two] = [new Hand(), new Hand()]
  world.supervisor.start(one.plan('one', { bookmakers: ['b'] }))
  world.supervisor.start(two.plan('two'))
  assert.deepEqual(world.supervisor.sourcesOf('b', 'golf', false), [])
  assert.deepEqual(world.supervisor.sourcesOf('b', 'golf', true), ['one'])
  await two.take([observationOf('b', 0)])
  assert.deepEqual(world.supervisor.sourcesOf('b', 'golf', true), ['one', 'two'])
  assert.deepEqual(world.supervisor.sourcesOf('b', 'tennis', true), ['one'])
  await one.take([observationOf('b', 0)])
  assert.deepEqual(world.supervisor.sourcesOf('b', 'tennis', true), [], 'by now it is known what it feeds')
})

/** A configuration is exchanged while the engine turns, as it does in the service. */
const configured = async (world: World, ...plans: SourcePlan[]) => {
  const turns = setInterval(() => world.turn(world.nowAt - T0), 1)
  try {
    return await world.supervisor.configure(plans)
  } finally {
    clearInterval(turns)
  }
}

const OPEN = 1

/** Open quotes of the live channel, by bookmaker and price. */
const openQuotes = ({ engine: { board } }: World): string[] => {
  const { bookmakers, catalogue, quotes } = board
  const open: string[] = []
  for (let book = 1; book <= catalogue['booksUsed']; book++) {
    if (!catalogue.isBook(book)) continue
    const bookmaker = bookmakers.textOf(catalogue.books.bookmaker[book]!)
    for (let slot = catalogue.books.head[book]!; slot !== 0; slot = quotes.nextOf(slot)) {
      if (quotes.statusOf(slot) === OPEN) open.push(bookmaker)
    }
  }
  return [...new Set(open)].sort()
}

test('of a configuration only what is new or made of something else is started, and what is gone is stopped', async () => {
  const world = new World()
  const [demo, same, gone, before, after, fresh] = Array.from({ length: 6 }, () => new Hand())
  world.supervisor.start(demo!.plan('demo'))
  const first = await configured(
    world,
    same!.plan('same'),
    gone!.plan('gone'),
    before!.plan('other', { input: { a: 1 } }),
  )
  assert.deepEqual(first, { added: ['same', 'gone', 'other'], removed: [], restarted: [], unchanged: [] })
  for (const [bookmaker, hand] of Object.entries({ same, gone, other: before })) {
    await hand!.take([observationOf(bookmaker, 0)])
    hand!.context!.alive()
  }
  assert.deepEqual(openQuotes(world), ['gone', 'other', 'same'])
  const never = new Hand()
  const changes = await configured(
    world,
    fresh!.plan('fresh'),
    after!.plan('other', { input: { a: 2 } }),
    never.plan('same', { input: null }),
  )
  assert.deepEqual(changes, { added: ['fresh'], removed: ['gone'], restarted: ['other'], unchanged: ['same'] })
  assert.deepEqual([demo!.stops, same!.stops, gone!.stops, before!.stops], [0, 0, 1, 1])
  assert.equal(never.context, undefined, 'what is the same is not touched')
  assert.deepEqual(
    world.supervisor.statuses().map(({ name }) => name),
    ['demo', 'fresh', 'other', 'same'],
    'in the order of the configuration',
  )
  assert.deepEqual(openQuotes(world), ['same'], 'nobody keeps the others up to date')
  assert.equal(world.status('other').state, 'starting')
  // What they still say while they end is not heard.
  await before!.take([observationOf('other', 1)])
  before!.context!.alive()
  world.turn(1)
  assert.equal(world.status('other').state, 'starting')
  assert.deepEqual(openQuotes(world), ['same'])
  await after!.take([observationOf('other', 0)])
  assert.deepEqual(openQuotes(world), ['other', 'same'], 'what it says again is open again')
  await world.supervisor.stop(10_000)
})

test('quotes of a source without suspensions do not stay open either when it is removed', async () => {
  const world = new World()
  const hand = new Hand()
  const plan = hand.plan('s', { bookmakers: ['b'] })
  await configured(world, { ...plan, terms: { ...plan.terms, suspendMs: null } })
  await hand.take([observationOf('b', 0)])
  hand.context!.alive()
  world.turn(0)
  const health = () => world.engine.reader.healthOf(world.engine.bookmakerNumber('b'))?.state
  assert.equal(health(), 'live')
  await configured(world)
  world.turn(0)
  assert.deepEqual([openQuotes(world), health()], [[], 'down'])
  assert.deepEqual(world.supervisor.statuses(), [])
  assert.match((await world.supervisor.refresh('s', () => {})) ?? '', /no source "s" that runs/)
  // Another source takes the bookmaker over.
  await configured(world, new Hand().plan('t', { bookmakers: ['b'] }))
  world.turn(0)
  assert.equal(health(), 'starting')
  await world.supervisor.stop(10_000)
})

test('a source is started again only when its connector has ended', async () => {
  const world = new World()
  const [before, after] = [new Hand(), new Hand()]
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  before.stop = () => ended
  await world.supervisor.configure([before.plan('s')])
  await before.take([observationOf('b', 0)])
  const changed = world.supervisor.configure([after.plan('s', { input: 2 })])
  for (let n = 0; n < 5; n++) await nextTurn()
  assert.equal(after.context, undefined)
  assert.deepEqual(world.supervisor.undelivered(), ['s'], 'it is still waited for')
  assert.deepEqual(openQuotes(world), [], 'nobody keeps it up to date')
  end()
  await changed
  assert.notEqual(after.context, undefined)
  await world.supervisor.stop(10_000)
})

test('numbers of sources do not grow with reloads, and of names there is a bound', async () => {
  const world = new World()
  for (let round = 0; round < 50; round++) {
    const hand = new Hand()
    await configured(world, hand.plan('s', { input: round }), ...(round % 2 === 0 ? [new Hand().plan('t')] : []))
    await hand.take([observationOf('b', round)])
  }
  assert.deepEqual([...new Set(world.seen.map((each) => each.split(':')[0]))], ['1'], 'always the same one')
  const names = Array.from({ length: SOURCES_MAX - 2 }, (_, n) => `n${n}`)
  await configured(world, ...names.map((name) => new Hand().plan(name)))
  assert.equal(world.supervisor.neverStarted.length, 0)
  const [last, again] = [new Hand(), new Hand()]
  await configured(world, last.plan('one-more'), again.plan('s'))
  assert.deepEqual(
    world.supervisor.neverStarted.map(({ terms, never }) => `${terms.name} ${never}`),
    [`one-more is one name of a source too many (${SOURCES_MAX} since the start): restart the service`],
  )
  assert.equal(last.context, undefined)
  assert.notEqual(again.context, undefined, 'a name that was there before has its number')
  await world.supervisor.stop(10_000)
})

test('a source that cannot be started does not keep the others from running, and is tried again by the next reload', async () => {
  const world = new World()
  const [broken, well] = [new Hand(), new Hand()]
  const connect = (): Connector => {
    throw new Error('no such place')
  }
  await configured(world, broken.plan('broken', { connect }), well.plan('well'))
  assert.deepEqual(
    world.supervisor.statuses().map(({ name }) => name),
    ['well'],
  )
  assert.deepEqual(
    world.supervisor.neverStarted.map(({ never }) => never),
    ['cannot be started: no such place'],
  )
  assert.deepEqual(world.supervisor.undelivered(), ['well'])
  const changes = await configured(world, broken.plan('broken', { input: 2 }), well.plan('well'))
  assert.deepEqual(changes.restarted, ['broken'])
  assert.equal(world.supervisor.neverStarted.length, 0)
  assert.notEqual(broken.context, undefined)
  await world.supervisor.stop(10_000)
})

test('a source that was never started is configured anew, too', async () => {
  const world = new World()
  const hand = new Hand()
  const never = hand.plan('off', { never: 'is disabled: never polled', input: 1 })
  await configured(world, never)
  assert.deepEqual((await configured(world, never)).unchanged, ['off'])
  assert.equal(world.supervisor.neverStarted.length, 1)
  await configured(world, hand.plan('off', { input: 2 }))
  assert.equal(world.supervisor.neverStarted.length, 0)
  assert.equal(world.status('off').name, 'off')
  await configured(world, never)
  assert.deepEqual([world.supervisor.neverStarted.length, world.supervisor.statuses(), hand.stops], [1, [], 1])
  await configured(world)
  assert.equal(world.supervisor.neverStarted.length, 0)
  await world.supervisor.stop(10_000)
})

test('a stop in the middle of a reload ends it: nothing is started any more', async () => {
  const world = new World()
  const [before, after] = [new Hand(), new Hand()]
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  before.stop = () => ended
  await world.supervisor.configure([before.plan('s')])
  await before.take([observationOf('b', 0)])
  const changed = world.supervisor.configure([after.plan('s', { input: 2 })])
  await nextTurn()
  const stopped = world.supervisor.stop(10_000)
  end()
  await Promise.all([stopped, changed])
  await world.supervisor.configure([after.plan('s', { input: 3 })])
  assert.equal(after.context, undefined)
})

test('a source has delivered once an observation is on the board, or once its connector says so; one that is down is not waited for', async () => {
  const world = new World()
  const [speaks, refused, says, silent] = [new Hand(), new Hand(), new Hand(), new Hand()]
  let isDone = false
  Object.assign(says, { hasDelivered: () => isDone })
  const off = new Hand().plan('off', { never: 'is disabled: never polled' })
  await configured(world, speaks.plan('speaks'), refused.plan('refused'), says.plan('says'), silent.plan('silent'), off)
  assert.deepEqual(world.supervisor.undelivered(), ['speaks', 'refused', 'says', 'silent'])
  await refused.take([observationOf('b', 9_000)])
  await says.take([observationOf('b', 0)])
  await speaks.take([observationOf('b', 0)])
  for (const hand of [refused, says, speaks]) hand.context!.alive()
  assert.deepEqual(world.supervisor.undelivered(), ['refused', 'says', 'silent'])
  assert.deepEqual([world.status('speaks').delivered, world.status('says').delivered], [true, false])
  isDone = true
  assert.deepEqual(world.supervisor.undelivered(), ['refused', 'silent'])
  isDone = false
  assert.deepEqual(world.supervisor.undelivered(), ['refused', 'silent'], 'what has come once has come')
  world.turn(3_000)
  assert.deepEqual(world.supervisor.undelivered(), [], 'both are down: nothing will come')
  await world.supervisor.stop(10_000)
})

test('a process that is alone goes on with a log that several have shared: its runs are later ones, and heard', async () => {
  const world = new World()
  const [before, after] = [new Hand(), new Hand()]
  const later = T0 + 86_400_000
  world.run.turns.add({ kind: 'take', source: 's', run: later })
  world.turn(0)
  await configured(world, before.plan('s'), new Hand().plan('t'))
  assert.equal(world.engine.runOf('t'), 0, 'of others nothing is said')
  await before.take([observationOf('a', 0)])
  assert.deepEqual(openQuotes(world), ['a'])
  await configured(world, after.plan('s', { input: 2 }), new Hand().plan('t'))
  assert.deepEqual(openQuotes(world), [])
  await after.take([observationOf('a', 1)])
  assert.deepEqual([openQuotes(world), world.engine.runOf('s')], [['a'], later + 2])
  await world.supervisor.stop(10_000)
})
