// P7 over WebSocket (bench/README.md): many subscribers, each of which gets some messages a second. 40 000 with 5 each are
// 200 000 writes to sockets a second, nearly none of which have two messages. Service on core 0, load on core 1, bare
// uWebSockets.js with the same messages in turn.
//
//   node dist/bench/busy.js [--subscribers 40000] [--rate 200000] [--shares 0.25,0.5,1] [--seconds 1] [--rounds 3]
//
// --rate: deliveries a second, to all subscribers together; --shares: of it, in turn.
// 40 000 subscribers need 40 100 file descriptors for the load, and 53 900 for the service, which gives three quarters of its
// own to HTTP (`ulimit -n`). Where there are fewer, fewer subscribers get the same deliveries, and a line says so.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { descriptorLimit } from '../src/command/connection-limits.ts'
import { LIMITS } from '../src/limits.ts'
import {
  BOOKMAKER,
  FEED_DESTINATION,
  hasCheckpoint,
  type LiveService,
  readEventIds,
  startLiveService,
} from './live-service.ts'
import { buildLoad, type Counted, endServer, Load, loadMarks, newOrigin, portOf, startCpuMeter } from './load.ts'
import { leaveOut } from './peer.ts'
import { startServer } from './process.ts'
import { machine, median, print, rounded, spread } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    subscribers: { type: 'string', default: '40000' },
    rate: { type: 'string', default: '200000' },
    shares: { type: 'string', default: '0.25,0.5,1' },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
  },
})
const seconds = Number(flags.seconds)
const rounds = Number(flags.rounds)

/** Those of one event. */
const WATCHERS = 100
const SAMPLE = 16
const RAMP_MS = 500
/** Of the deliveries, by which the service is warmed up: its code is compiled, and its first checkpoint is over. */
const WARM_UP_SHARE = 1 / 4
const WARM_UP_MS = 3_000
/** Where none becomes due, or it takes longer, it is counted without. */
const CHECKPOINT_MS_MAX = 15_000
/** No subscriber sleeps, on either side: to wake its core is charged to the server, and one that is late has all of them asleep. */
const AWAKE = { awake: true } as const
/** Of a MESSAGE of one quote, as the service sends it over WebSocket. */
const MESSAGE_BYTES = 531
/** Descriptors of the load that are no connections. */
const LOAD_DESCRIPTORS = 100
/** The service gives this share of its descriptors to HTTP (`src/command/connection-limits.ts`). */
const HTTP_SHARE = 3 / 4

const here = dirname(fileURLToPath(import.meta.url))

/** As many as the limit of file descriptors allows, in whole events. */
const subscribersOf = (asked: number, descriptors: number): number => {
  const served = Math.floor((descriptors - LIMITS.reservedDescriptors) * HTTP_SHARE) - WATCHERS
  const most = Math.min(asked, served, descriptors - LOAD_DESCRIPTORS)
  return Math.max(WATCHERS, Math.floor(most / WATCHERS) * WATCHERS)
}

/** What a round has shown of a server. */
interface Round {
  readonly received: Counted
  readonly published: Counted | undefined
  /** CPU time of the server, s. */
  readonly cpu: number
}

const countRound = async (pid: number, sink: Load, publisher: Load | undefined): Promise<Round> => {
  await sleep(RAMP_MS)
  await Promise.all([sink.count(), publisher?.count()])
  const cpuUsed = startCpuMeter(pid)
  await sleep(seconds * 1000)
  const [received, published] = await Promise.all([sink.count(), publisher?.count()])
  return { received, published, cpu: cpuUsed() }
}

/** Makes the events, connects their watchers, and publishes at each rate. Returns the rounds of each. */
const measureOurs = async (program: string, folder: string, subscribers: number, rates: readonly number[]) => {
  const events = subscribers / WATCHERS
  const service: LiveService = await startLiveService(folder)
  const origin = newOrigin()
  const feed = { port: service.stompPort, key: service.feedKey, dest: FEED_DESTINATION, events, origin }
  const loads: Load[] = []
  const start = async (...args: Parameters<typeof Load.start>): Promise<Load> => {
    const load = await Load.start(...args)
    loads.push(load)
    return load
  }
  try {
    const seeding = await start(program, 'pub', { ...feed, rate: events, receipts: events })
    for (let receipts = 0; receipts < events; ) {
      await sleep(RAMP_MS)
      receipts += (await seeding.count()).receipts
    }
    await seeding.stop()
    const ids = join(folder, 'ids')
    writeFileSync(ids, (await readEventIds(service.httpPort, service.customerKey, events)).join('\n'))
    const { httpPort: port, customerKey: key } = service
    const dest = `/topic/odds.football.${BOOKMAKER}.%`
    const sinkFlags = { port, key, dest, n: subscribers, ids, origin, sample: SAMPLE, ...AWAKE }
    const sink = await start(program, 'idle', sinkFlags)
    const warming = await start(program, 'pub', { ...feed, rate: (WARM_UP_SHARE * Number(flags.rate)) / WATCHERS })
    const warmedAt = performance.now()
    await sleep(WARM_UP_MS)
    while (performance.now() - warmedAt < CHECKPOINT_MS_MAX && !(await hasCheckpoint(service))) await sleep(RAMP_MS)
    await warming.stop()
    const byRate: Round[][] = []
    for (const rate of rates) {
      const publisher = await start(program, 'pub', { ...feed, rate: rate / WATCHERS })
      const ofRate: Round[] = []
      for (let round = 0; round < rounds; round++) ofRate.push(await countRound(service.pid, sink, publisher))
      await publisher.stop()
      // What is late is delivered before the next rate begins.
      await sleep(RAMP_MS)
      byRate.push(ofRate)
    }
    await sink.stop()
    return byRate
  } finally {
    for (const load of loads) load.kill()
    await endServer(service.server)
  }
}

/** The same deliveries by bare uWebSockets.js. */
const measureBare = async (program: string, subscribers: number, rate: number): Promise<readonly Round[]> => {
  const origin = newOrigin()
  const topics = subscribers / WATCHERS
  const words = ['--rate', rate / WATCHERS, '--topics', topics, '--sockets', subscribers, '--origin', origin].map(
    String,
  )
  const bare = await startServer(join(here, 'ceiling-fanout.js'), [String(MESSAGE_BYTES), ...words])
  try {
    const port = portOf(bare, 'http')
    const sink = await Load.start(program, 'idle', {
      port,
      plain: true,
      n: subscribers,
      origin,
      sample: SAMPLE,
      ...AWAKE,
    })
    const all: Round[] = []
    for (let round = 0; round < rounds; round++) all.push(await countRound(bare.process.pid!, sink, undefined))
    sink.kill()
    return all
  } finally {
    await endServer(bare)
  }
}

const figuresOf = (of: readonly Round[], rate: number) => ({
  p50Us: spread(of.map(({ received }) => received.p50_us ?? Number.NaN)),
  p99Us: spread(of.map(({ received }) => received.p99_us ?? Number.NaN)),
  // Below 1: it did not keep up, and the times grow for as long as one measures.
  delivered: rounded(median(of.map(({ received }) => received.frames / (seconds * rate)))),
  serverCoreBusy: rounded(median(of.map(({ cpu }) => cpu / seconds))),
  cpuUsPerFrame: rounded(median(of.map(({ received, cpu }) => (cpu * 1e6) / received.frames))),
  ...loadMarks(of.map(({ received, published }) => [received, published])),
  lost: Math.max(...of.map(({ received }) => received.closed + received.errors)),
})

const measureAll = async (program: string, folder: string): Promise<void> => {
  const asked = Number(flags.subscribers)
  const descriptors = descriptorLimit()
  const subscribers = subscribersOf(asked, descriptors)
  if (subscribers < asked) {
    process.stderr.write(
      `${asked} subscribers are too many for ${descriptors} file descriptors: ${subscribers} connect\n`,
    )
  }
  const rates = flags.shares.split(',').map((share) => Number(share) * Number(flags.rate))
  const ours = await measureOurs(program, folder, subscribers, rates)
  const results = []
  for (const [place, rate] of rates.entries()) {
    const bare = await measureBare(program, subscribers, rate)
    results.push({
      id: 'busy',
      target: 'p99 ≤ 50 ms at 200 000 deliveries a second',
      subscribers,
      messagesPerSecond: rounded(rate / subscribers),
      deliveriesPerSecond: rate,
      oddswire: figuresOf(ours[place]!, rate),
      ceiling: figuresOf(bare, rate),
    })
  }
  print({ bench: 'busy', seconds, rounds, descriptors, watchersPerEvent: WATCHERS, ...machine(), results })
}

const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'))
try {
  const program = buildLoad(folder)
  if (program === undefined) leaveOut('bench/busy', 'there is no C compiler (gcc)')
  else await measureAll(program, folder)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
