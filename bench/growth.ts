// P12 (bench/README.md): what a quote, a read and a message cost as the board grows, beside bare typed arrays of the same
// size: everything at random, so that both wait for memory alike. In process; figures are CPU time.
//
//   node dist/bench/growth.js [--quotes 10000,100000,1000000,10000000] [--rounds 5]

import { parseArgs } from 'node:util'
import { type Engine } from '../src/engine/engine.ts'
import type { EventView } from '../src/domain/event.ts'
import { TRANSPORT_NUMBER } from '../src/domain/transport.ts'
import type { Observation } from '../src/domain/observation.ts'
import { OddsWriter } from '../src/rest/get-event-odds.ts'
import { JsonWriter, piece } from '../src/json-writer.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { BareTable } from './bare-table.ts'
import { InProcess, Sink, START } from './in-process.ts'
import { observationOf, QUOTES_PER_BOOK } from './quotes.ts'
import { stayOnServerCore } from './process.ts'
import { machine, median, print, ratio, rounded, spread } from './report.ts'
import { frameBytes } from '../src/stomp/frame-writer.ts'

const SEED = 41
const BOOKMAKERS = 3
const QUOTES_PER_EVENT = BOOKMAKERS * QUOTES_PER_BOOK
const HEAD = piece('{"outcomes":[')
const OBSERVATIONS = 2_000
const READS = 2_000
const OBSERVATIONS_PER_TURN = 16
const WARM_UP_ROUNDS = 2

stayOnServerCore()

const { values: flags } = parseArgs({
  options: {
    quotes: { type: 'string', default: '10000,100000,1000000,10000000' },
    rounds: { type: 'string', default: '5' },
  },
})
const rounds = Number(flags.rounds)

const cpuUs = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

const observe = (engine: Engine, observation: Observation, nowAt: number): void => {
  const refusal = engine.observe(observation, nowAt)
  if (refusal !== undefined) throw new Error(refusal.message)
}

const measure = async (quotes: number) => {
  const events = Math.floor(quotes / QUOTES_PER_EVENT)
  const world = await InProcess.open(quotes, BOOKMAKERS)
  const { engine } = world
  const random = new SeededRandom(SEED)
  for (let event = 0; event < events; event++) {
    for (let book = 0; book < BOOKMAKERS; book++) {
      observe(engine, observationOf(event, book, START, 'live', random), START)
      if ((event * BOOKMAKERS + book) % 64 === 63) engine.turn(START)
    }
  }
  engine.turn(START)
  const bare = new BareTable(quotes)
  for (let quote = 0; quote < quotes; quote++) bare.upsert(quote, quote % 7, 1.5, START)

  const sink = new Sink()
  const subscribe = [
    ['id', 'sub-0'],
    ['destination', '/topic/odds.#'],
  ] as const
  const figures = new Map<string, number[]>()
  const timed = (name: string, count: number, work: () => void): void => {
    const before = cpuUs()
    work()
    const list = figures.get(name) ?? []
    figures.set(name, list)
    list.push(((cpuUs() - before) * 1_000) / count)
  }
  const writer = new JsonWriter()
  const odds = new OddsWriter(writer, () => HEAD)
  const seen = Uint32Array.of(0xffff_ffff)
  let nowAt = START
  const all: EventView[] = []
  engine.reader.visitEvents(undefined, undefined, Number.NEGATIVE_INFINITY, (view) => all.push(view) > 0)
  if (all.length !== events) throw new Error(`the board has ${all.length} events, not ${events}`)

  const round = (quoteName: string, bareName: string): void => {
    nowAt += 1_000
    const observations = Array.from({ length: OBSERVATIONS }, () => {
      const event = Math.floor(random.next() * events)
      return observationOf(event, Math.floor(random.next() * BOOKMAKERS), nowAt, 'live', random)
    })
    timed(quoteName, OBSERVATIONS * QUOTES_PER_BOOK, () => {
      for (const [n, observation] of observations.entries()) {
        observe(engine, observation, nowAt)
        if (n % OBSERVATIONS_PER_TURN === OBSERVATIONS_PER_TURN - 1) engine.turn(nowAt)
      }
      engine.turn(nowAt)
    })
    // As the board: fifteen neighbours at a time, in a place drawn at random.
    const places = observations.map(() => Math.floor(random.next() * (quotes - QUOTES_PER_BOOK)))
    timed(bareName, OBSERVATIONS * QUOTES_PER_BOOK, () => {
      for (const place of places) {
        for (let quote = place; quote < place + QUOTES_PER_BOOK; quote++) bare.upsert(quote, quote % 7, 1.6, nowAt)
      }
    })
  }
  const readRound = (): void => {
    const views = Array.from({ length: READS }, () => all[Math.floor(random.next() * events)]!)
    timed('read', READS * QUOTES_PER_EVENT, () => {
      for (const view of views) {
        writer.clear()
        odds.write(engine, view, TRANSPORT_NUMBER.live, seen, seen, 1, nowAt)
      }
    })
    const places = views.map(() => Math.floor(random.next() * (quotes - QUOTES_PER_EVENT)))
    let sum = 0
    timed('bareRead', READS * QUOTES_PER_EVENT, () => {
      for (const place of places) {
        for (let quote = place; quote < place + QUOTES_PER_EVENT; quote++) sum += bare.oddsOf(quote, quote % 7)
      }
    })
    if (!(sum > 0)) throw new Error('nothing was read')
  }

  for (let n = 0; n < rounds + WARM_UP_ROUNDS; n++) {
    round('quote', 'bare')
    readRound()
    if (n === WARM_UP_ROUNDS - 1) figures.clear()
  }
  // With a subscriber to everything, the same changes are messages, too.
  world.nowAt = nowAt
  world.receive(world.connect('customer', sink), frameBytes('SUBSCRIBE', subscribe, '1.2'))
  const before = sink.bytes
  for (let n = 0; n < rounds + WARM_UP_ROUNDS; n++) {
    world.nowAt = nowAt
    round('message', 'bareMessage')
    if (n === WARM_UP_ROUNDS - 1) for (const name of ['message', 'bareMessage']) figures.delete(name)
  }
  if (sink.bytes - before < OBSERVATIONS) throw new Error('the subscriber has got no messages')
  await world.close()
  return figures
}

const KINDS = { quote: 'bare', read: 'bareRead', message: 'bareMessage' } as const

type Figures = ReadonlyMap<string, readonly number[]>

const sizes: { quotes: number; figures: Figures }[] = []
for (const quotes of flags.quotes.split(',').map(Number)) sizes.push({ quotes, figures: await measure(quotes) })
const first = sizes[0]!.figures

/** What a kind costs beside the bare arrays of its size, round by round. */
const besideBare = (figures: Figures, name: string, bare: string): number[] =>
  figures.get(name)!.map((ns, round) => ns / figures.get(bare)![round]!)

print({
  bench: 'growth',
  target:
    'P12: what a quote, a read and a message cost grows at most 1.3 times as much as bare typed arrays, from 10 k to 10 M',
  seed: SEED,
  rounds,
  ...machine(),
  sizes: sizes.map(({ quotes, figures }) => ({
    quotes,
    ns: Object.fromEntries(Array.from(figures, ([name, values]) => [name, spread(values)])),
    growth: Object.fromEntries(
      Array.from(figures, ([name, values]) => [name, rounded(median(values) / median(first.get(name)!))]),
    ),
    toBare: Object.assign(
      {},
      ...Object.entries(KINDS).map(([name, bare]) =>
        ratio(name, besideBare(figures, name, bare), besideBare(first, name, bare)),
      ),
    ) as object,
  })),
})
