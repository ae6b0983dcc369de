// P6, P7 and P4 over TCP (bench/README.md): the live channel, from the SEND of a feed to the MESSAGEs of its
// subscribers, beside what others do with the same load. Server on core 0, load on core 1, candidates in turn.
//
//   node dist/bench/live.js [--seconds 1] [--rounds 3] [--only P4,least,P6,P7]
//                           [--peers nats,rabbitmq] [--unlogged]
//
// --only least: in P4, beside the least program, too. --only tcp: P6 without WebSocket. --only numbered: P6 with the same changes in full messages and by numbers (`quotes:numbered`), over WebSocket also with
// several frames a message (`frames:bundled`).
// --unlogged: beside the same service without its log.

import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  BOOKMAKER,
  FEED_DESTINATION,
  hasCheckpoint,
  type LiveService,
  startLiveService,
  WITHOUT_LOG,
} from './live-service.ts'
import { buildLoad, type Counted, endServer, Load, loadMarks, newOrigin, portOf } from './load.ts'
import { isNatsInstalled, natsVersion, startNats } from './nats.ts'
import { leaveOut, type Peer } from './peer.ts'
import { LOAD_CORE, onCore, type Server, SERVER_CORE, startServer } from './process.ts'
import { isRabbitInstalled, RABBIT_USER, rabbitVersion, startRabbit } from './rabbitmq.ts'
import { machine, median, print, ratio, rounded, spread } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: 'P4,least,P6,P7' },
    peers: { type: 'string', default: 'nats,rabbitmq' },
    unlogged: { type: 'boolean' },
  },
})
const seconds = Number(flags.seconds)
const rounds = Number(flags.rounds)
const wanted = flags.only.split(',')
const peers = flags.peers.split(',')

const here = dirname(fileURLToPath(import.meta.url))

/** Before each count: connections stand, buffers are full, code is warm. */
const RAMP_MS = 300
const WARM_UP_MS = Math.min(500, seconds * 2000)
/**
 * The first code that runs hot: V8 compiled for a tenth of its CPU time in the second after 1.5 s. And the changes of the replay
 * ring have come round by then, as in the bench in process: in a virtual machine a page that nothing has touched takes 13 to
 * 20 us. (Its groups have not: they are as many as its changes.)
 */
const INGEST_WARM_UP_FACTOR = 8
/** Where none becomes due, or it takes longer, P4 is counted without. */
const CHECKPOINT_MS_MAX = 15_000
const ROUND_ATTEMPTS_MAX = 3

const FAN_OUT_SUBSCRIBERS = 100
/** Where the forms of quotes are compared: with fewer a change costs most where it comes in, which is the same for each. */
const FORMS_SUBSCRIBERS = 1_000
/** SENDs a second then: the same changes for each form, and the server has time left. */
const FORMS_RATE = 1_000
/** SENDs that are due at once: alone in its turn, a message costs a system call whatever its length. */
const FORMS_BURST = 128
/** Each changes once in a burst. */
const FORMS_EVENTS = 128
/** The snapshots of the subscribers are over before anything is counted. */
const FORMS_RAMP_MS = 1000
/** To connect so many, and their ramp, takes longer than what is counted: one round for so many of the others. */
const FORMS_ROUNDS_SHARE = 2
const FORMS_WARM_UP_FACTOR = 4
/** What a SUBSCRIBE asks for, by form. */
const FORMS = {
  full: 'snapshot:true,',
  numbered: 'snapshot:true,quotes:numbered,',
  bundled: 'snapshot:true,quotes:numbered,frames:bundled,',
} as const
const LATENCY_SUBSCRIBERS = 50
/**
 * SENDs a second, every how many-th MESSAGE is timed, and the least number of rounds, unless there is only one. With 20 000 the servers
 * have little of their core left: single rounds are at 0.8 to 1.35 times the relay's p50, and 0.4 to 3.3 times its p99.
 */
const LATENCY_LOADS = [
  { rate: 20_000, sample: 16, roundsMin: 6 },
  { rate: 2_000, sample: 1, roundsMin: 3 },
] as const

type LatencyLoad = (typeof LATENCY_LOADS)[number]

const roundsOfAtLeast = (roundsMin: number): number => (rounds === 1 ? 1 : Math.max(rounds, roundsMin))

const INGEST_QUOTES = 10
const INGEST_RECEIPTS = 256
/** The least number of rounds, unless there is only one: single ones are at 0.53 to 0.93 of the ceiling. */
const INGEST_ROUNDS_MIN = 4
/** With a subscriber each MESSAGE is rendered and written; without one it is not rendered. */
const INGEST_SUBSCRIBERS = [1, 0]
const INGEST_BODIES = 1024
const BODIES_BYTES_MAX = 64 * 1024 * 1024

const ODDS_TOPIC = `/topic/odds.football.${BOOKMAKER}.*`

/** What is around a body on its way to a subscriber: `MSG bench 1 456`, CRLF, and CRLF behind it. */
const NATS_OVERHEAD_BYTES = 19
/** uWebSockets.js writes four bytes before a message of this size. */
const WEBSOCKET_HEAD_BYTES = 4

type LoadFlags = Parameters<typeof Load.start>[2]

interface Candidate {
  readonly name: string
  /** Process of the server. */
  readonly pid: number
  readonly sink: readonly [what: string, flags: LoadFlags]
  /** None: the server publishes by itself. */
  readonly publisher?: readonly [what: string, flags: LoadFlags]
  /** Where it is not RAMP_MS. */
  readonly rampMs?: number
}

/** What one round of one candidate showed. */
interface Round {
  readonly received: Counted
  readonly published: Counted | undefined
  /** CPU time of the server, s. */
  readonly cpu: number
}

/** Connects subscribers and publisher, lets them run for a ramp, then counts for a while. */
const runRound = async (program: string, candidate: Candidate, rampMs: number, runMs: number): Promise<Round> => {
  const origin = newOrigin()
  const loads: Load[] = []
  const start = async ([what, loadFlags]: NonNullable<Candidate['publisher']>): Promise<Load> => {
    const load = await Load.start(program, what, { ...loadFlags, origin })
    loads.push(load)
    return load
  }
  try {
    const [what, sinkFlags] = candidate.sink
    const sink = await start([what, { ...sinkFlags, 'cpu-of': candidate.pid }])
    const publisher = candidate.publisher === undefined ? undefined : await start(candidate.publisher)
    await sleep(rampMs)
    await Promise.all([sink.count(), publisher?.count()])
    await sleep(runMs)
    const [received, published] = await Promise.all([sink.count(), publisher?.count()])
    await publisher?.stop()
    await sink.stop()
    return { received, published, cpu: received.servers_cpu_s![0]! }
  } finally {
    for (const load of loads) load.kill()
  }
}

/** A round in which connections were lost is void, and is made again: on a busy machine the load falls behind now and then. */
const runWholeRound = async (program: string, candidate: Candidate): Promise<Round> => {
  for (let attempt = 1; ; attempt++) {
    const round = await runRound(program, candidate, candidate.rampMs ?? RAMP_MS, seconds * 1000)
    if (attempt === ROUND_ATTEMPTS_MAX || lossesOf([round]) === 0) return round
  }
}

/** Warms candidates up, then measures them in turn, round by round. One whose ramp is long has its warm-up in it. */
const runRounds = async (
  program: string,
  candidates: readonly Candidate[],
  count = rounds,
): Promise<ReadonlyMap<string, Round[]>> => {
  const results = new Map<string, Round[]>(candidates.map(({ name }) => [name, []]))
  for (const candidate of candidates) {
    if (candidate.rampMs === undefined) await runRound(program, candidate, 0, WARM_UP_MS)
  }
  for (let round = 0; round < count; round++) {
    for (const candidate of candidates) {
      results.get(candidate.name)!.push(await runWholeRound(program, candidate))
    }
  }
  return results
}

type Rounds = readonly Round[]

const medianOf = (of: Rounds, figure: (round: Round) => number): number => median(of.map(figure))
const spreadOf = (of: Rounds, figure: (round: Round) => number) => spread(of.map(figure))

const byEach = <Value>(results: ReadonlyMap<string, Rounds>, figure: (rounds: Rounds) => Value) =>
  Object.fromEntries([...results].map(([name, of]) => [name, figure(of)]))

const framesPerSecond = ({ received }: Round): number => received.frames_per_s
const cpuUsPerFrame = ({ received, cpu }: Round): number => (cpu * 1e6) / received.frames
const bytesPerFrame = ({ received }: Round): number => received.bytes / received.frames
const framesPerRead = ({ received }: Round): number => received.frames / received.reads

/** Of subscribers and publisher together, which share a core. Where the load was the limit, a rate says nothing of the server. */
const loadFigures = (results: ReadonlyMap<string, Rounds>) => {
  const marks = new Map(
    Array.from(results, ([name, of]) => [name, loadMarks(of.map(({ received, published }) => [received, published]))]),
  )
  const each = <Value>(figure: (mark: ReturnType<typeof loadMarks>) => Value) =>
    Object.fromEntries(Array.from(marks, ([name, mark]) => [name, figure(mark)]))
  return {
    loadCoreBusy: each((mark) => mark.loadCoreBusy),
    loadLimited: each((mark) => mark.loadLimited),
    lateShare: each((mark) => mark.lateShare),
    lateMs: each((mark) => mark.lateMs),
  }
}

/** Connections that a candidate lost, and refusals that it sent: a figure with such is not one. */
const lossesOf = (of: Rounds) => of.reduce((sum, { received }) => sum + received.closed + received.errors, 0)

const fanOutRatio = (of: Rounds, other: Rounds) => ({
  ...ratio('byCpu', other.map(cpuUsPerFrame), of.map(cpuUsPerFrame)),
  ...ratio('byRate', of.map(framesPerSecond), other.map(framesPerSecond)),
})

const fanOutFigures = (results: ReadonlyMap<string, Rounds>) => ({
  framesPerSecond: byEach(results, (of) => spreadOf(of, framesPerSecond)),
  cpuUsPerFrame: byEach(results, (of) => spreadOf(of, cpuUsPerFrame)),
  bytesPerFrame: byEach(results, (of) => Math.round(medianOf(of, bytesPerFrame))),
  framesPerRead: byEach(results, (of) => rounded(medianOf(of, framesPerRead))),
  ...loadFigures(results),
  sendsPerSecond: byEach(results, (of) => Math.round(medianOf(of, ({ published }) => published?.sent_per_s ?? 0))),
  lost: byEach(results, lossesOf),
})

const oursOver = (service: LiveService, carrier: 'tcp' | 'ws', n: number): Candidate['sink'] => [
  `sink-${carrier}`,
  { port: carrier === 'tcp' ? service.stompPort : service.httpPort, key: service.customerKey, dest: ODDS_TOPIC, n },
]

const ourFeed = (service: LiveService, more: LoadFlags = {}): NonNullable<Candidate['publisher']> => [
  'pub',
  { port: service.stompPort, key: service.feedKey, dest: FEED_DESTINATION, ...more },
]

/** The service, and where it was asked for, the one without log. */
interface Services {
  readonly logged: LiveService
  readonly unlogged: LiveService | undefined
}

/** A candidate of each. */
const ofEach = <Made>({ logged, unlogged }: Services, make: (service: LiveService, name: string) => Made): Made[] => [
  make(logged, 'oddswire'),
  ...(unlogged === undefined ? [] : [make(unlogged, 'unlogged')]),
]

const ourFanOut = (service: LiveService, carrier: 'tcp' | 'ws', name = 'oddswire'): Candidate => ({
  name,
  pid: service.pid,
  sink: oursOver(service, carrier, FAN_OUT_SUBSCRIBERS),
  publisher: ourFeed(service),
})

/**
 * Whoever writes to a socket whose reader sleeps has to wake its core, which costs half of a write and more. The ceiling keeps
 * its readers busy, and was spared that by as much as they had no rest: so that none sleeps on either side.
 */
const awake = (candidate: Candidate): Candidate => {
  const [what, sinkFlags] = candidate.sink
  return { ...candidate, sink: [what, { ...sinkFlags, awake: true }] }
}

const natsCandidate = ({ pid, port }: Peer, bytes: number): Candidate => ({
  name: 'nats',
  pid,
  sink: ['nats-sink', { port, n: FAN_OUT_SUBSCRIBERS, dest: 'bench' }],
  publisher: ['nats-pub', { port, dest: 'bench', bytes: bytes - NATS_OVERHEAD_BYTES }],
})

const rabbitCandidate = ({ pid, port }: Peer): Candidate => ({
  name: 'rabbitmq',
  pid,
  sink: ['sink-tcp', { port, n: FAN_OUT_SUBSCRIBERS, dest: '/topic/bench', ...RABBIT_USER }],
  publisher: ['pub', { port, dest: '/topic/bench', ...RABBIT_USER }],
})

/** P6 over TCP: nats-server alternates with us; RabbitMQ, which is late by seconds, comes alone, after us. */
const measureFanOutTcp = async (program: string, services: Services, folder: string) => {
  const ours = ourFanOut(services.logged, 'tcp')
  const bytes = Math.round(bytesPerFrame(await runRound(program, ours, RAMP_MS, RAMP_MS)))
  const nats = peers.includes('nats') && isNatsInstalled() ? await startNats() : undefined
  if (nats === undefined && peers.includes('nats')) leaveOut('nats-server', 'it is not installed')
  const results = new Map<string, Rounds>()
  try {
    const candidates = ofEach(services, (service, name) => ourFanOut(service, 'tcp', name))
    if (nats !== undefined) candidates.push(natsCandidate(nats, bytes))
    for (const [name, of] of await runRounds(program, candidates)) results.set(name, of)
  } finally {
    await nats?.stop()
  }
  const rabbit = peers.includes('rabbitmq') && isRabbitInstalled() ? await startRabbit(folder) : undefined
  if (rabbit === undefined && peers.includes('rabbitmq')) leaveOut('RabbitMQ', 'it is not installed')
  if (rabbit !== undefined) {
    try {
      for (const [name, of] of await runRounds(program, [rabbitCandidate(rabbit)])) results.set(name, of)
    } finally {
      await rabbit.stop()
    }
  }
  const ratioTo = (name: string) => {
    const other = results.get(name)
    return other && fanOutRatio(results.get('oddswire')!, other)
  }
  return {
    id: 'P6',
    carrier: 'tcp',
    target: '≥ 1 × nats-server, ≥ 50 × the STOMP plugin of RabbitMQ',
    subscribers: FAN_OUT_SUBSCRIBERS,
    peers: { nats: nats && natsVersion(), rabbitmq: rabbit && rabbitVersion() },
    toNats: ratioTo('nats'),
    toRabbit: ratioTo('rabbitmq'),
    toUnlogged: ratioTo('unlogged'),
    ...fanOutFigures(results),
  }
}

const measureFanOutWs = async (program: string, service: LiveService) => {
  const ours = ourFanOut(service, 'ws')
  const bytes = Math.round(bytesPerFrame(await runRound(program, ours, RAMP_MS, RAMP_MS)))
  const ceiling = await startServer(join(here, 'ceiling-fanout.js'), [String(bytes - WEBSOCKET_HEAD_BYTES)])
  try {
    const port = portOf(ceiling, 'http')
    const bare: Candidate = {
      name: 'ceiling',
      pid: ceiling.process.pid!,
      sink: ['sink-ws', { port, n: FAN_OUT_SUBSCRIBERS, plain: true }],
    }
    const results = await runRounds(program, [awake(ours), awake(bare)])
    return {
      id: 'P6',
      carrier: 'websocket',
      target: '≥ 0.7 × bare uWebSockets.js',
      subscribers: FAN_OUT_SUBSCRIBERS,
      toCeiling: fanOutRatio(results.get('oddswire')!, results.get('ceiling')!),
      ...fanOutFigures(results),
    }
  } finally {
    await endServer(ceiling)
  }
}

/** Octets and CPU time of a delivery by form of the quotes, for the same changes. */
const measureForms = async (program: string, service: LiveService, carrier: 'tcp' | 'ws') => {
  // Over TCP frames are bundled anyway.
  const forms = Object.entries(FORMS).filter(([name]) => carrier === 'ws' || name !== 'bundled')
  const candidates = forms.map(([name, more]): Candidate => {
    const [what, sinkFlags] = oursOver(service, carrier, FORMS_SUBSCRIBERS)
    const publisher = ourFeed(service, { rate: FORMS_RATE, burst: FORMS_BURST, events: FORMS_EVENTS })
    return { name, pid: service.pid, sink: [what, { ...sinkFlags, more }], publisher, rampMs: FORMS_RAMP_MS }
  })
  // At its rate the service would be compiled in what is counted: a fifth of the CPU time of bundles.
  // Of the same events: more of them would be in each snapshot.
  const flatOut = { ...ourFanOut(service, carrier), publisher: ourFeed(service, { events: FORMS_EVENTS }) }
  await runRound(program, flatOut, 0, FORMS_WARM_UP_FACTOR * WARM_UP_MS)
  const results = await runRounds(program, candidates, Math.ceil(rounds / FORMS_ROUNDS_SHARE))
  const full = results.get('full')!.map(cpuUsPerFrame)
  return {
    id: 'numbered',
    carrier: carrier === 'tcp' ? 'tcp' : 'websocket',
    target: '≤ 120 octets a frame, ≥ 3 × the deliveries per CPU second',
    subscribers: FORMS_SUBSCRIBERS,
    toFull: {
      ...ratio('byCpu', full, results.get('numbered')!.map(cpuUsPerFrame)),
      ...(carrier === 'ws' && ratio('bundledByCpu', full, results.get('bundled')!.map(cpuUsPerFrame))),
    },
    ...fanOutFigures(results),
  }
}

const runLatency = async (program: string, services: Services, load: LatencyLoad) => {
  const { rate, sample, roundsMin } = load
  const count = roundsOfAtLeast(roundsMin)
  const relay = await startServer(join(here, 'relay.js'), [])
  try {
    const relayFlags = { port: portOf(relay, 'stomp'), dest: '/topic/relay' }
    const candidates: Candidate[] = [
      {
        name: 'relay',
        pid: relay.process.pid!,
        sink: ['sink-tcp', { ...relayFlags, n: LATENCY_SUBSCRIBERS, sample }],
        publisher: ['pub', { ...relayFlags, rate }],
      },
      ...ofEach(services, (service, name): Candidate => {
        const [what, sinkFlags] = oursOver(service, 'tcp', LATENCY_SUBSCRIBERS)
        return { name, pid: service.pid, sink: [what, { ...sinkFlags, sample }], publisher: ourFeed(service, { rate }) }
      }),
    ]
    return await runRounds(program, candidates, count)
  } finally {
    await endServer(relay)
  }
}

const measureLatency = async (program: string, services: Services, load: LatencyLoad) => {
  const { rate } = load
  const n = LATENCY_SUBSCRIBERS
  const results = await runLatency(program, services, load)
  const ours = results.get('oddswire')!
  const p50 = ({ received }: Round): number => received.p50_us ?? Number.NaN
  const p99 = ({ received }: Round): number => received.p99_us ?? Number.NaN
  const ratioTo = (name: string) => {
    const other = results.get(name)
    if (other === undefined) return undefined
    return {
      ...ratio('p50', ours.map(p50), other.map(p50)),
      ...ratio('p99', ours.map(p99), other.map(p99)),
    }
  }
  return {
    id: 'P7',
    target: 'p50 and p99 ≤ 1.3 × the relay',
    sendsPerSecond: rate,
    subscribers: n,
    toRelay: ratioTo('relay'),
    toUnlogged: ratioTo('unlogged'),
    p50Us: byEach(results, (of) => spreadOf(of, p50)),
    p90Us: byEach(results, (of) => spreadOf(of, ({ received }) => received.p90_us ?? Number.NaN)),
    p99Us: byEach(results, (of) => spreadOf(of, p99)),
    p999Us: byEach(results, (of) => spreadOf(of, ({ received }) => received.p999_us ?? Number.NaN)),
    maxUs: byEach(results, (of) => spreadOf(of, ({ received }) => received.max_us ?? Number.NaN)),
    // Below 1: the server did not keep up, and the times above grow for as long as one measures.
    delivered: byEach(results, (of) =>
      rounded(medianOf(of, ({ received }) => received.frames / (received.span_s * rate * n))),
    ),
    serverCoreBusy: byEach(results, (of) => rounded(medianOf(of, ({ received, cpu }) => cpu / received.span_s))),
    // Near 1 the times are those of the load, too, and the ratio is drawn to 1.
    ...loadFigures(results),
    publisherLateMaxUs: byEach(results, (of) =>
      Math.round(medianOf(of, ({ published }) => published?.late_max_us ?? 0)),
    ),
    lost: byEach(results, lossesOf),
  }
}

interface Ingest extends Candidate {
  readonly subscribers: number
}

/** Ours, and the least program: a relay that answers with receipts; with a subscriber each, and with none. */
const ingestCandidates = (services: Services, least: Server | undefined): readonly Ingest[] => {
  const load = { quotes: INGEST_QUOTES, receipts: INGEST_RECEIPTS }
  const bare = (server: Server, n: number): Ingest => {
    const relayFlags = { port: portOf(server, 'stomp'), dest: '/topic/relay' }
    return {
      name: 'least',
      subscribers: n,
      pid: server.process.pid!,
      sink: ['sink-tcp', { ...relayFlags, n }],
      publisher: ['pub', { ...relayFlags, ...load }],
    }
  }
  return INGEST_SUBSCRIBERS.flatMap((n) => [
    ...ofEach(services, (service, name) => ({
      name,
      subscribers: n,
      pid: service.pid,
      sink: oursOver(service, 'tcp', n),
      publisher: ourFeed(service, load),
    })),
    // What it costs without a subscriber says nothing of a target.
    ...(least === undefined || n === 0 ? [] : [bare(least, n)]),
  ])
}

/** Decoding and parsing of the bodies in a file, for as long as a round. */
const parseAll = (bodies: string): { readonly quotesPerSecond: number; readonly cpuUsPerQuote: number } => {
  const [file, args] = onCore(
    SERVER_CORE,
    process.execPath,
    ...[join(here, 'ceiling-parse.js'), bodies, String(seconds)],
  )
  return JSON.parse(execFileSync(file, args, { encoding: 'utf8' }))
}

const measureIngest = async (program: string, services: Services, folder: string) => {
  const bodies = join(folder, 'bodies')
  const quotes = INGEST_QUOTES
  const bodyFlags = ['--count', String(INGEST_BODIES), '--quotes', String(quotes), '--origin', newOrigin()]
  writeFileSync(bodies, execFileSync(program, ['bodies', ...bodyFlags], { maxBuffer: BODIES_BYTES_MAX }))
  const least = wanted.includes('least') ? await startServer(join(here, 'relay.js'), ['--receipts']) : undefined
  const candidates = ingestCandidates(services, least)
  const results = candidates.map((): Round[] => [])
  const ceiling: ReturnType<typeof parseAll>[] = []
  try {
    // The first one warms the service up for all of its candidates.
    for (const [place, candidate] of candidates.entries()) {
      await runRound(program, candidate, 0, (place === 0 ? INGEST_WARM_UP_FACTOR : 1) * WARM_UP_MS)
    }
    // Under load it takes longest, and the next one is farthest away.
    const warmedAt = performance.now()
    while (performance.now() - warmedAt < CHECKPOINT_MS_MAX && !(await hasCheckpoint(services.logged))) {
      await runRound(program, candidates[0]!, 0, WARM_UP_MS)
    }
    for (let round = roundsOfAtLeast(INGEST_ROUNDS_MIN); round > 0; round--) {
      for (const [place, candidate] of candidates.entries()) {
        results[place]!.push(await runWholeRound(program, candidate))
      }
      ceiling.push(parseAll(bodies))
    }
  } finally {
    if (least !== undefined) await endServer(least)
  }
  const quotesPerSecond = ({ published }: Round): number => published!.receipts_per_s * quotes
  const cpuUsPerQuote = ({ published, cpu }: Round): number => (cpu * 1e6) / (published!.receipts * quotes)
  const parsedPerSecond = ceiling.map((run) => run.quotesPerSecond)
  const parsedCpuUs = ceiling.map((run) => run.cpuUsPerQuote)
  const roundsOf = (name: string, subscribers: number): Rounds | undefined =>
    results[candidates.findIndex((each) => each.name === name && each.subscribers === subscribers)]
  const figuresOf = (name: string, of: Rounds) => ({
    toCeiling: {
      ...ratio('byCpu', parsedCpuUs, of.map(cpuUsPerQuote)),
      ...ratio('byRate', of.map(quotesPerSecond), parsedPerSecond),
    },
    ...loadFigures(new Map([[name, of]])),
    lost: lossesOf(of),
  })
  return INGEST_SUBSCRIBERS.map((subscribers) => {
    const of = roundsOf('oddswire', subscribers)!
    const unlogged = roundsOf('unlogged', subscribers)
    const bare = roundsOf('least', subscribers)
    return {
      id: 'P4',
      carrier: 'tcp',
      target: '≥ 0.6 × decoding and parsing the same bodies',
      quotesPerSend: quotes,
      unansweredMax: INGEST_RECEIPTS,
      subscribers,
      ...figuresOf('oddswire', of),
      // It keeps the times of its load to itself: they say nothing of ours.
      least: bare && figuresOf('least', bare),
      toLeast: bare && ratio('byCpu', bare.map(cpuUsPerQuote), of.map(cpuUsPerQuote)),
      toUnlogged: unlogged && {
        ...ratio('byCpu', unlogged.map(cpuUsPerQuote), of.map(cpuUsPerQuote)),
        ...ratio('byRate', of.map(quotesPerSecond), unlogged.map(quotesPerSecond)),
      },
      quotesPerSecond: {
        oddswire: spreadOf(of, quotesPerSecond),
        least: bare && spreadOf(bare, quotesPerSecond),
        unlogged: unlogged && spreadOf(unlogged, quotesPerSecond),
        ceiling: spread(parsedPerSecond),
      },
      cpuUsPerQuote: {
        oddswire: spreadOf(of, cpuUsPerQuote),
        least: bare && spreadOf(bare, cpuUsPerQuote),
        unlogged: unlogged && spreadOf(unlogged, cpuUsPerQuote),
        ceiling: spread(parsedCpuUs),
      },
    }
  })
}

const measureAll = async (program: string, folder: string): Promise<void> => {
  const results: object[] = []
  const logged = await startLiveService(folder)
  let unlogged: LiveService | undefined
  try {
    if (flags.unlogged === true) {
      const other = join(folder, 'unlogged')
      mkdirSync(other)
      unlogged = await startLiveService(other, WITHOUT_LOG)
    }
    const services: Services = { logged, unlogged }
    if (wanted.includes('P4')) results.push(...(await measureIngest(program, services, folder)))
    if (wanted.includes('P6') || wanted.includes('tcp')) {
      results.push(await measureFanOutTcp(program, services, folder))
    }
    if (wanted.includes('P6')) results.push(await measureFanOutWs(program, logged))
    if (wanted.includes('numbered')) {
      for (const carrier of ['tcp', 'ws'] as const) results.push(await measureForms(program, logged, carrier))
    }
    if (wanted.includes('P7')) {
      for (const load of LATENCY_LOADS) results.push(await measureLatency(program, services, load))
    }
  } finally {
    await endServer(logged.server)
    if (unlogged !== undefined) await endServer(unlogged.server)
  }
  print({ bench: 'live', seconds, rounds, loadCore: LOAD_CORE, ...machine(), results })
}

const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'))
try {
  const program = buildLoad(folder)
  if (program === undefined) leaveOut('bench/live', 'there is no C compiler (gcc)')
  else await measureAll(program, folder)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
