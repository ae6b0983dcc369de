// P4 in process (bench/README.md): from the bytes of SEND bodies to changes, against utf8 decode and JSON.parse of the
// same bodies. Batches of ten quotes, every one changed; all paths in one run, in turn, round by round; figures are CPU time.
//
//   node dist/bench/ingest.js [--events 2000] [--bookmakers 4] [--rounds 15] [--only ceiling,broker]
//
// --only: these paths; the small set is left out.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { LIMITS } from '../src/limits.ts'
import { CHANGE } from '../src/domain/quote.ts'
import { isRefusal } from '../src/domain/refusal.ts'
import { Engine } from '../src/engine/engine.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { ObservationScanner } from '../src/source/observations/observation-scanner.ts'
import { parseObservationBytes, wireObservation } from '../src/source/observations/observations.ts'
import type { FileLog } from '../src/log/file-log.ts'
import { frameBytes } from '../src/stomp/frame-writer.ts'
import { openBenchLog } from './bench-log.ts'
import { InProcess, Sink, START } from './in-process.ts'
import { observationOf } from './quotes.ts'
import { stayOnServerCore } from './process.ts'
import { machine, print, ratio, rounded, spread } from './report.ts'

const SEED = 13
const QUOTES_PER_BODY = 10
const OBSERVATIONS_PER_TURN = 64
const WARM_UP_ROUNDS = 3
// A set that stays in the caches of the processor, to see what reading costs without waiting for memory.
const FEW_EVENTS = 256

stayOnServerCore()

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '2000' },
    bookmakers: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string' },
  },
})

/** One SEND: its bookmaker, its body, and the place of the time in it. */
interface Sent {
  readonly bookmaker: string
  readonly body: Buffer
  readonly timeAt: number
}

/** A body of every event by every bookmaker, in an order drawn at random; odds have two decimals, as most sources' do. */
const sendsOf = (events: number, bookmakers: number, random: SeededRandom): Sent[] => {
  const sends: Sent[] = []
  for (let event = 0; event < events; event++) {
    for (let number = 0; number < bookmakers; number++) {
      const observation = observationOf(event, number, START, 'live', random)
      const prices = observation.prices
        .slice(0, QUOTES_PER_BODY)
        .map((price) => ({ ...price, odds: Math.round(price.odds! * 100) / 100 }))
      const { bookmaker, ...wire } = wireObservation({ ...observation, prices })
      const body = Buffer.from(JSON.stringify(wire))
      sends.push({ bookmaker, body, timeAt: body.indexOf('"observedAt":"') + '"observedAt":"'.length })
    }
  }
  for (let place = sends.length - 1; place > 0; place--) {
    const other = Math.floor(random.next() * (place + 1))
    ;[sends[place], sends[other]] = [sends[other]!, sends[place]!]
  }
  return sends
}

/** What is sent in a round. */
interface SendSet {
  readonly sends: readonly Sent[]
  /** The same as frames, in chunks as a socket gives them. */
  readonly chunks: readonly Buffer[]
}

const CHUNK_BYTES = 64 * 1024

/**
 * Bodies are in the memory of their frames: a new time is in both, and nothing is made anew in a round. What is, would be
 * collected while the paths are measured, by threads whose time counts: 3 us a SEND.
 */
const setOf = (sends: readonly Sent[]): SendSet => {
  const heads = sends.map(({ bookmaker, body }) =>
    Buffer.from(`SEND\ndestination:/feed/${bookmaker}\ncontent-length:${body.length}\n\n`),
  )
  const end = Buffer.from('\0\n')
  const frames = Buffer.concat(sends.flatMap(({ body }, place) => [heads[place]!, body, end]))
  let at = 0
  const placed = sends.map((send, place) => {
    const start = at + heads[place]!.length
    const body = frames.subarray(start, start + send.body.length)
    at = start + body.length + end.length
    return { ...send, body }
  })
  const chunks: Buffer[] = []
  for (let start = 0; start < frames.length; start += CHUNK_BYTES)
    chunks.push(frames.subarray(start, start + CHUNK_BYTES))
  return { sends: placed, chunks }
}

/** What is done with a set; returns something that depends on all of it. */
interface Path {
  readonly name: string
  /** Quotes that it has to be given before it is measured. */
  readonly warmUpQuotes?: number
  run(set: SendSet, nowAt: number): number | Promise<number>
}

const ceilingPath = (): Path => ({
  name: 'ceiling',
  run({ sends }) {
    let quotes = 0
    for (const { body } of sends) {
      const { quotes: parsed } = JSON.parse(body.toString('utf8')) as { quotes: unknown[] }
      quotes += parsed.length
    }
    return quotes
  },
})

const slowPath = (): Path => ({
  name: 'parseObservation',
  run({ sends }) {
    let quotes = 0
    for (const { body, bookmaker } of sends) {
      const observation = parseObservationBytes(body, bookmaker, LIMITS)
      if (isRefusal(observation)) throw new Error(observation.message)
      quotes += observation.prices.length
    }
    return quotes
  },
})

const scannerPath = (): Path => {
  const scanner = new ObservationScanner(LIMITS)
  return {
    name: 'scanner',
    run({ sends }) {
      let quotes = 0
      for (const { body, bookmaker } of sends) {
        const observation = scanner.read(body, bookmaker)
        if (isRefusal(observation)) throw new Error(observation.message)
        quotes += observation.prices.length
      }
      return quotes
    },
  }
}

/** Quotes that were added or repriced since the start. */
const changesOf = ({ changeCounts }: Engine): number => changeCounts[CHANGE.added]! + changeCounts[CHANGE.repriced]!

/** Bodies through scanner, engine and turn; without listeners. */
const enginePath = (quotesMax: number): Path => {
  const scanner = new ObservationScanner(LIMITS)
  const engine = new Engine({ ...LIMITS, quotesMax }, START)
  return {
    name: 'engine',
    run({ sends }, nowAt) {
      const changesBefore = changesOf(engine)
      let pending = 0
      for (const { body, bookmaker } of sends) {
        const observation = scanner.read(body, bookmaker)
        if (isRefusal(observation)) throw new Error(observation.message)
        const refusal = engine.observe(observation, nowAt)
        if (refusal !== undefined) throw new Error(refusal.message)
        if (++pending === OBSERVATIONS_PER_TURN) {
          engine.turn(nowAt)
          pending = 0
        }
      }
      engine.turn(nowAt)
      return changesOf(engine) - changesBefore
    },
  }
}

/**
 * SEND frames, in chunks as a socket gives them, through the broker: parsed, on the board, rendered for one subscriber.
 * `logged`: each turn is written to the log before it is applied.
 */
const brokerPath = async (
  name: string,
  quotesMax: number,
  bookmakers: number,
  openLog?: (folder: string) => Promise<FileLog>,
): Promise<Path & { end(): Promise<void> }> => {
  const inProcess = await InProcess.open(quotesMax, bookmakers, openLog)
  const { engine, turns } = inProcess
  const settle = (): Promise<void> => new Promise((resolve) => turns.settle(resolve))
  const sink = new Sink()
  const subscribe = [
    ['id', 'sub-0'],
    ['destination', '/topic/odds.#'],
  ] as const
  inProcess.receive(inProcess.connect('customer', sink), frameBytes('SUBSCRIBE', subscribe, '1.2'))
  await settle()
  const feed = inProcess.connect('feed', new Sink())
  return {
    name,
    // Once around the replay ring: until then each change takes memory that nothing has touched, for which the system may need as
    // long as for all else (0.08 pages a SEND, 17 us a page in some virtual machines). A service has that behind it after 2 M changes.
    warmUpQuotes: inProcess.broker.ring.capacity,
    async run({ sends, chunks }, at) {
      inProcess.nowAt = at
      const changesBefore = changesOf(engine)
      const bytesBefore = sink.bytes
      for (const chunk of chunks) {
        inProcess.receive(feed, chunk)
        // The event loop turns between two reads of a socket, and while the log has no room for what was read.
        do await new Promise((resolve) => setImmediate(resolve))
        while (feed.hasInput)
      }
      await settle()
      if (sink.bytes - bytesBefore < sends.length * 1_000) throw new Error('the subscriber has not got its messages')
      return changesOf(engine) - changesBefore
    },
    async end() {
      await inProcess.close()
    },
  }
}

/**
 * Two sets of bodies that differ in every price, and a new time in each body every round: nothing that is sent repeats
 * what is on the board.
 */
const twoSets = (events: number, bookmakers: number): readonly [SendSet, SendSet] => {
  const random = new SeededRandom(SEED)
  const first = sendsOf(events, bookmakers, random)
  const second = first.map(({ bookmaker, body, timeAt }) => {
    const wire = JSON.parse(body.toString('utf8')) as { quotes: { odds: number }[] }
    for (const quote of wire.quotes) quote.odds = Math.round((quote.odds + 0.01) * 100) / 100
    return { bookmaker, body: Buffer.from(JSON.stringify(wire)), timeAt }
  })
  return [setOf(first), setOf(second)]
}

/** CPU time of this process so far, all threads, ms. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const measure = async (events: number, bookmakers: number, paths: readonly Path[], rounds: number) => {
  const sets = twoSets(events, bookmakers)
  const count = sets[0].sends.length
  const results = new Map(paths.map(({ name }) => [name, [] as number[]]))
  // As many bodies in a round of the small set as of the large one.
  const passes = Math.max(1, Math.round(8_000 / count))
  const warmUpOf = ({ warmUpQuotes = 0 }: Path): number =>
    Math.max(WARM_UP_ROUNDS, Math.ceil(warmUpQuotes / (count * passes * QUOTES_PER_BODY)))
  const warmUp = Math.max(...paths.map(warmUpOf))
  for (let round = -warmUp; round < rounds; round++) {
    for (const path of paths) {
      if (round < -warmUpOf(path)) continue
      let usedMs = 0
      for (let pass = 0; pass < passes; pass++) {
        const step = (round + warmUp) * passes + pass
        const set = sets[step % 2]!
        const nowAt = START + step * 1_000
        for (const [place, { body, timeAt }] of set.sends.entries()) {
          body.write(new Date(nowAt + (place % 1_000)).toISOString(), timeAt, 'latin1')
        }
        const started = cpuMs()
        const done = await path.run(set, nowAt)
        usedMs += cpuMs() - started
        if (done !== count * QUOTES_PER_BODY) throw new Error(`${path.name}: ${done} quotes of ${count} bodies`)
      }
      if (round >= 0) results.get(path.name)!.push((usedMs * 1e6) / (count * passes))
    }
  }
  const nsPerBody = Object.fromEntries(Array.from(results, ([name, values]) => [name, spread(values)]))
  const ratioToCeiling: Readonly<Record<string, number | readonly number[]>> = Object.assign(
    {},
    ...Array.from(results, ([name, values]) => ratio(name, results.get('ceiling')!, values)),
  )
  const costOf = (name: string): number => nsPerBody[name]?.median ?? Number.NaN
  const bytes = sets[0].sends.reduce((sum, { body }) => sum + body.length, 0)
  return {
    bodies: count,
    bodyBytes: Math.round(bytes / count),
    nsPerBody,
    ratioToCeiling,
    loggedToUnlogged: rounded(costOf('broker') / costOf('logged')),
  }
}

const events = Number(flags.events)
const bookmakers = Number(flags.bookmakers)
const rounds = Number(flags.rounds)
const quotesMax = events * bookmakers * QUOTES_PER_BODY
const broker = await brokerPath('broker', quotesMax, bookmakers)
const logged = await brokerPath('logged', quotesMax, bookmakers, (folder) =>
  openBenchLog(join(folder, 'log'), 'interval'),
)
const only = flags.only?.split(',')
const all = [ceilingPath(), slowPath(), scannerPath(), enginePath(quotesMax), broker, logged].filter(
  ({ name }) => only === undefined || only.includes(name),
)
print({
  bench: 'ingest',
  target: 'P4: the whole path, frame to MESSAGE, ≥ 0.8 of utf8 decode + JSON.parse of the same bodies',
  seed: SEED,
  rounds,
  ...machine(),
  few:
    only === undefined ? await measure(FEW_EVENTS, 1, [ceilingPath(), slowPath(), scannerPath()], rounds) : undefined,
  many: await measure(events, bookmakers, all, rounds),
})
await broker.end()
await logged.end()
