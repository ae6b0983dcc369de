// Inputs of the model of `scale.ts` that are no times (bench/README.md): how quotes and changes are spread over sports, and how
// many octets a price has in the log and a change on the live channel. From the simulator's world through engine and
// broker; quotes also from a recorded snapshot of The Odds API, where one is.
//
//   node dist/bench/sports.js [--seconds 600] [--data ../shared/data]

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import type { Observation } from '../src/domain/observation.ts'
import { LIMITS } from '../src/limits.ts'
import { TurnEncoder } from '../src/log/turn-encoder.ts'
import { FORMATS } from '../src/source/formats.ts'
import { Account } from '../src/source/kit/account.ts'
import { isFormatFault, NOTHING_KNOWN } from '../src/source/kit/normaliser.ts'
import { Simulator } from '../src/source/simulator/simulator.ts'
import { frameBytes } from '../src/stomp/frame-writer.ts'
import { InProcess, Sink, START } from './in-process.ts'
import { leaveOut } from './peer.ts'
import { machine, print, rounded } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    data: { type: 'string', default: '../shared/data' },
  },
})
const seconds = Number(flags.seconds)

const SEED = 43
const STEP_MS = 50
const QUOTES_MAX = 500_000
const OBSERVATIONS_MAX = 10_000
const SNAPSHOT = 'the-odds-api/snapshot.csv.gz'

/** What one sport had. */
interface Tally {
  readonly quotes: Set<string>
  readonly events: Set<string>
  observed: number
  changed: number
}

class Tallies {
  private readonly bySport = new Map<string, Tally>()

  of(sport: string): Tally {
    let tally = this.bySport.get(sport)
    if (tally === undefined) {
      tally = { quotes: new Set(), events: new Set(), observed: 0, changed: 0 }
      this.bySport.set(sport, tally)
    }
    return tally
  }

  /** Counts the quotes that an observation names; one for `both` is two. */
  note({ bookmaker, transport, event, prices }: Observation): Tally {
    const tally = this.of(event.sport)
    const id = `${event.home}|${event.away}|${event.kickoffAt}`
    tally.events.add(id)
    for (const { type, line, outcome, status } of prices) {
      for (const way of transport === 'both' ? ['rest', 'live'] : [transport]) {
        const quote = `${id}|${bookmaker}|${way}|${type}|${line}|${outcome}`
        if (status === 'closed') tally.quotes.delete(quote)
        else tally.quotes.add(quote)
      }
    }
    return tally
  }

  sports(): [sport: string, tally: Tally][] {
    return [...this.bySport].toSorted(([, a], [, b]) => b.quotes.size - a.quotes.size)
  }

  sum(figure: (tally: Tally) => number): number {
    return [...this.bySport.values()].reduce((sum, tally) => sum + figure(tally), 0)
  }
}

const END = 0
const OUTCOME = Buffer.from('"outcome":')

/** Counts MESSAGEs, and the quotes in them. */
class CountingSink extends Sink {
  messages = 0
  quotes = 0

  override write(frame: Buffer): void {
    super.write(frame)
    this.count(frame)
  }

  override writeRun(bytes: Buffer): void {
    super.writeRun(bytes)
    this.count(bytes)
  }

  private count(bytes: Buffer): void {
    for (let at = bytes.indexOf(END); at !== -1; at = bytes.indexOf(END, at + 1)) this.messages++
    for (let at = bytes.indexOf(OUTCOME); at !== -1; at = bytes.indexOf(OUTCOME, at + 1)) this.quotes++
  }
}

/** CPU time of this process, all threads, µs. */
const cpuUs = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

const simulate = async (isWatched: boolean) => {
  const simulator = new Simulator({ seed: SEED, startAt: START })
  const slugs = simulator.bookmakers().map(({ slug }) => slug)
  const world = await InProcess.open(QUOTES_MAX, slugs)
  const { engine } = world
  const settle = (): Promise<void> => new Promise((resolve) => world.turns.settle(resolve))
  const tallies = new Tallies()
  const encoder = new TurnEncoder()
  const sink = new CountingSink()
  const total = { observations: 0, octets: 0, turns: 0, publishUs: 0 }
  const changes = (): number => engine.changeCounts.reduce((sum, count) => sum + count, 0)
  const step = (): void => {
    const { nowAt } = world
    const observations: Observation[] = []
    simulator.advance(nowAt, (observation) => observations.push(observation), OBSERVATIONS_MAX)
    for (const observation of observations) {
      const tally = tallies.note(observation)
      const before = changes()
      const refusal = engine.observe(observation, nowAt)
      if (refusal !== undefined) throw new Error(refusal.message)
      tally.changed += changes() - before
      tally.observed += observation.prices.length * (observation.transport === 'both' ? 2 : 1)
    }
    const startedUs = cpuUs()
    engine.turn(nowAt)
    total.publishUs += cpuUs() - startedUs
    const inputs = observations.map(
      (observation) => ({ kind: 'observe', observation, producer: '', doubt: undefined }) as const,
    )
    const encoded = encoder.encode({ at: nowAt, inputs }).length
    if (observations.length === 0) return
    total.octets += encoded
    total.turns++
    total.observations += observations.length
  }
  try {
    // The opening prices are what a start costs, not what a day does.
    for (let n = 0; n < 40; n++) {
      world.nowAt += STEP_MS
      step()
    }
    Object.assign(total, { observations: 0, octets: 0, turns: 0, publishUs: 0 })
    for (const [, tally] of tallies.sports()) Object.assign(tally, { observed: 0, changed: 0 })
    const session = world.connect('customer', sink)
    const subscribe = [
      ['id', 'sub-0'],
      ['destination', '/topic/odds.#'],
    ] as const
    if (isWatched) world.receive(session, frameBytes('SUBSCRIBE', subscribe, '1.2'))
    await settle()
    Object.assign(sink, { bytes: 0, messages: 0, quotes: 0 })
    for (let ms = 0; ms < seconds * 1_000; ms += STEP_MS) {
      world.nowAt += STEP_MS
      step()
      if (ms % 1_000 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    await settle()
  } finally {
    await world.close()
  }
  const [observed, changed] = [tallies.sum((tally) => tally.observed), tallies.sum((tally) => tally.changed)]
  const quotes = tallies.sum((tally) => tally.quotes.size)
  const events = tallies.sum((tally) => tally.events.size)
  if (isWatched && sink.messages === 0) throw new Error('the subscriber got no messages')
  return {
    publishUs: total.publishUs,
    messages: sink.messages,
    source: 'simulator',
    seconds,
    quotes,
    events,
    quotesPerEvent: rounded(quotes / events),
    changesPerSecond: rounded(changed / seconds),
    changesPerQuoteSecond: rounded(changed / seconds / quotes),
    observedPerChange: rounded(observed / changed),
    octetsPerPrice: rounded(total.octets / observed),
    pricesPerTurn: rounded(observed / total.turns),
    messageOctets: rounded(sink.bytes / sink.messages),
    changesPerMessage: rounded(sink.quotes / sink.messages),
    sports: tallies.sports().map(([sport, tally]) => ({
      sport,
      quotes: rounded(tally.quotes.size / quotes),
      changes: rounded(tally.changed / changed),
    })),
  }
}

/** One moment at some forty bookmakers: it says where quotes are, not how often they change. */
const recorded = (path: string) => {
  const tallies = new Tallies()
  const normaliser = FORMATS['the-odds-api-csv'].normaliser({
    account: new Account(),
    transport: null,
    facts: { ...NOTHING_KNOWN, fileName: () => 'snapshot.csv' },
    limits: LIMITS,
    onMalformed: (place, reason) => {
      throw new Error(`${path} ${place}: ${reason}`)
    },
  })
  const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n')
  for (const [n, line] of lines.entries()) {
    if (line === '') continue
    const read = normaliser.read(line, n + 1)
    if (isFormatFault(read)) throw new Error(read.fault)
    for (const observation of read) tallies.note(observation)
  }
  const held = normaliser.end()
  if (isFormatFault(held)) throw new Error(held.fault)
  for (const observation of held) tallies.note(observation)
  const quotes = tallies.sum((tally) => tally.quotes.size)
  const events = tallies.sum((tally) => tally.events.size)
  return {
    source: SNAPSHOT,
    quotes,
    events,
    quotesPerEvent: rounded(quotes / events),
    sports: tallies.sports().map(([sport, tally]) => ({ sport, quotes: rounded(tally.quotes.size / quotes) })),
  }
}

const path = join(flags.data, SNAPSHOT)
// What publishing costs without anybody who watches, and with one subscriber to all: each change is rendered once.
const unwatched = await simulate(false)
const { publishUs, messages, ...world } = await simulate(true)
const rows: object[] = [
  {
    ...world,
    publishUsPerChange: rounded(unwatched.publishUs / (world.changesPerSecond * seconds)),
    renderUsPerMessage: rounded((publishUs - unwatched.publishUs) / messages),
  },
]
if (existsSync(path)) rows.push(recorded(path))
else leaveOut(SNAPSHOT, `it is not in ${flags.data}`)
print({ bench: 'sports', seed: SEED, ...machine(), rows })
