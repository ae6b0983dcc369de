// P2 (bench/README.md): odds of 1 000 events for 4 audiences, drawn at random, while 50 000 quotes a second change. Flat out
// beside bare uWebSockets.js with a body of the same size (the ceiling), also with as many different bodies as there are answers
// (many: they do not stay in the caches of a processor), beside a bare program with the same changes (least; leastCounted hashes
// nothing), and 20 000 requests a second at fixed times, which the bare program gets, too.
//
//   node dist/bench/http-changing.js [--seconds 4] [--rounds 3] [--connections 64] [--rate 20000] [--changes 50000]
//                                  [--only flatOut,parts,unchanged,offered]
//
// parts: many, least, and what the changes cost when nobody asks (fedOnly).

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { now } from '../src/clock.ts'
import { wireObservation } from '../src/source/observations/observations.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { buildLoad, type Counted, endServer, Load, loadMarks, newOrigin, portOf, startCpuMeter } from './load.ts'
import { leaveOut } from './peer.ts'
import { type Server, startServer } from './process.ts'
import { observationOf } from './quotes.ts'
import { machine, median, print, ratio, rounded, spread } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    rate: { type: 'string', default: '20000' },
    changes: { type: 'string', default: '50000' },
    only: { type: 'string', default: 'flatOut,parts,unchanged,offered' },
  },
})
const seconds = Number(flags.seconds)
const rounds = Number(flags.rounds)
const connections = Number(flags.connections)
const wanted = flags.only.split(',')

const EVENTS = 1_000
const SEED = 31
const RAMP_MS = 400
/** Before the first round, each server once: until its code is compiled. */
const WARM_UP_MS = 2_000
const QUOTES_PER_SEND = 10
/** Quotes of each bookmaker at an event, 45 together. The first one is fed. */
const BOOKS = [QUOTES_PER_SEND, 15, 15, 5] as const
/** Candidates that are asked as fast as they answer, and at fixed times. */
const FLAT_OUT = ['ceiling', 'many', 'least', 'leastCounted', 'oddswire', 'unchanged'] as const
const OFFERED = ['ceilingOffered', 'leastOffered', 'offered'] as const
/** Candidates by the words of `--only`. */
const CANDIDATES = {
  flatOut: ['ceiling', 'leastCounted', 'oddswire'],
  parts: ['many', 'least', 'fedOnly'],
  unchanged: ['unchanged'],
  offered: OFFERED,
} as const
const AUDIENCES = ['*', 'book_0,book_1,book_2', 'book_0,book_1,book_3', 'book_0,book_2,book_3'] as const

/** See `http.ts`. They yield their core to who sends the changes. */
const AWAKE = { awake: true } as const

const here = dirname(fileURLToPath(import.meta.url))
const MAIN = join(here, '..', 'src', 'main.js')
const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'))
const dataDir = join(folder, 'data')

const cli = (...args: string[]): string =>
  execFileSync(process.execPath, [MAIN, ...args, '--data-dir', dataDir], { encoding: 'utf8', stdio: 'pipe' })
    .trim()
    .split('\n')
    .at(-1)!

const DAY_MS = 86_400_000

/** The events of `stomp-load pub`, as the other bookmakers have them. */
const writeInputs = (): void => {
  const random = new SeededRandom(SEED)
  const observedAt = now() - 60_000
  const tomorrowAt = observedAt - (observedAt % DAY_MS) + DAY_MS
  const lines: string[] = []
  for (let event = 0; event < EVENTS; event++) {
    for (const [bookmaker, quotes] of BOOKS.entries()) {
      if (bookmaker === 0) continue
      const observation = observationOf(event, bookmaker, observedAt, 'live', random)
      const named = {
        ...observation.event,
        leagueKey: 'england_premier_league',
        leagueName: 'Premier League',
        kickoffAt: tomorrowAt + (event % 1_440) * 60_000,
        sourceKey: `load-${event}`,
      }
      lines.push(
        JSON.stringify(wireObservation({ ...observation, event: named, prices: observation.prices.slice(0, quotes) })),
      )
    }
  }
  writeFileSync(join(folder, 'observations.jsonl'), lines.join('\n'))
  const bookmakers = BOOKS.map((_, n) => ({
    slug: `book_${n}`,
    displayName: `Book ${n}`,
    region: 'Europe',
    countries: ['SE'],
    sourceMode: 'direct',
    customerNote: '',
    coverage: [
      { sports: ['*'], status: 'verified_rest_live', restAvailable: true, liveAvailable: true, lastVerifiedAt: null },
    ],
  }))
  writeFileSync(join(folder, 'coverage.json'), JSON.stringify({ bookmakers }))
}

interface Setting {
  readonly ours: Server
  readonly ceiling: Server
  readonly many: Server | undefined
  readonly least: Server | undefined
  readonly leastCounted: Server
  readonly requestsFile: string
  readonly feedKey: string
  readonly bodyBytes: number
}

const setUp = async (stompLoad: string): Promise<Setting> => {
  writeInputs()
  const keys = AUDIENCES.map((bookmakers, n) => {
    cli('org', 'create', `audience-${n}`, '--plan', 'desk', '--bookmakers', bookmakers)
    return cli('key', 'create', '--org', `audience-${n}`)
  })
  const feedKey = cli('key', 'create', '--org', 'audience-0', '--feed', 'book_0')
  const ours = await startServer(MAIN, [
    ...['serve', '--data-dir', dataDir, '--http-port', '0', '--stomp-port', '0', '--admin-port', '0'],
    ...['--log-level', 'warn', '--coverage', join(folder, 'coverage.json')],
    ...['--replay', join(folder, 'observations.jsonl'), '--format', 'observations'],
  ])
  // One round of all events by the fed bookmaker.
  const feed = await Load.start(stompLoad, 'pub', {
    ...feedFlags(ours, feedKey),
    receipts: 64,
    rate: EVENTS,
    seconds: 1.2,
  })
  await feed.stop()
  const get = async (path: string, key: string): Promise<Buffer> => {
    const response = await fetch(`http://127.0.0.1:${ours.ready.http}/api/v1${path}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return Buffer.from(await response.arrayBuffer())
  }
  const ids: string[] = []
  for (let offset = 0; offset < EVENTS; offset += 500) {
    const page = await get(`/events?transport=live&limit=500&offset=${offset}`, keys[0]!)
    ids.push(...(JSON.parse(page.toString()) as { data: { id: string }[] }).data.map(({ id }) => id))
  }
  if (ids.length !== EVENTS) throw new Error(`${ids.length} events are listed, not ${EVENTS}`)
  const pathOf = (id: string): string => `/events/${id}/odds?transport=live`
  const bodies = await Promise.all(keys.map((key) => get(pathOf(ids[0]!), key)))
  const bodyBytes = Math.round(bodies.reduce((sum, { length }) => sum + length, 0) / bodies.length)
  // What the ceiling sends is as long as the answers are on average.
  writeFileSync(join(folder, 'odds.json'), bodies[0]!.subarray(0, bodyBytes))
  const requestsFile = join(folder, 'requests')
  writeFileSync(requestsFile, ids.flatMap((id) => keys.map((key) => `/api/v1${pathOf(id)}\tBearer ${key}\n`)).join(''))
  const bare = (bodies: number): Promise<Server> =>
    startServer(join(here, 'ceiling-http.js'), [join(folder, 'odds.json'), String(bodies)])
  const ceiling = await bare(1)
  const many = wanted.includes('parts') ? await bare(EVENTS * AUDIENCES.length) : undefined
  const changing = (...more: string[]): Promise<Server> =>
    startServer(join(here, 'ceiling-changing.js'), [join(folder, 'odds.json'), requestsFile, ...more])
  const least = wanted.includes('parts') ? await changing() : undefined
  const leastCounted = await changing('counted')
  return { ours, ceiling, many, least, leastCounted, requestsFile, feedKey, bodyBytes }
}

const feedFlags = (ours: Server, key: string) => ({
  port: portOf(ours, 'stomp'),
  key,
  dest: '/feed/book_0',
  events: EVENTS,
  quotes: QUOTES_PER_SEND,
  origin: newOrigin(),
})

interface Round {
  /** Nothing asks where the service only takes prices. */
  readonly read: Counted | undefined
  readonly fed: Counted | undefined
  readonly cpu: number
}

interface Candidate {
  readonly server: Server
  readonly isFed: boolean
  /** Requests a second; 0: flat out; undefined: none. */
  readonly rate: number | undefined
}

const runRound = async (
  programs: Programs,
  setting: Setting,
  { server, isFed, rate }: Candidate,
  rampMs = RAMP_MS,
  runMs = seconds * 1_000,
): Promise<Round> => {
  const loads: Load[] = []
  const start = async (program: string, what: string, more: Parameters<typeof Load.start>[2]): Promise<Load> => {
    const load = await Load.start(program, what, more)
    loads.push(load)
    return load
  }
  try {
    const feed = isFed
      ? await start(programs.stomp, 'pub', {
          ...feedFlags(server, setting.feedKey),
          rate: Number(flags.changes) / QUOTES_PER_SEND,
        })
      : undefined
    const pid = server.process.pid!
    const requests = { requests: setting.requestsFile, seed: SEED }
    const readFlags = { port: server.ready.http, n: connections, 'cpu-of': pid, ...requests }
    const reads =
      rate === undefined
        ? undefined
        : await start(programs.http, 'get', { ...readFlags, ...(rate === 0 ? AWAKE : { rate }) })
    await sleep(rampMs)
    await Promise.all([reads?.count(), feed?.count()])
    const cpuUsed = startCpuMeter(pid)
    await sleep(runMs)
    const [read, fed] = await Promise.all([reads?.count(), feed?.count()])
    const cpu = cpuUsed()
    await reads?.stop()
    await feed?.stop()
    if (read !== undefined && read.errors + read.closed > 0) throw new Error('requests failed')
    return { read, fed, cpu: read?.servers_cpu_s![0] ?? cpu }
  } finally {
    for (const load of loads) load.kill()
  }
}

interface Programs {
  readonly stomp: string
  readonly http: string
}

const measure = async (programs: Programs): Promise<object> => {
  const setting = await setUp(programs.stomp)
  const { ours, ceiling, many, least, leastCounted } = setting
  const candidates: Record<string, Candidate> = {
    ceiling: { server: ceiling, isFed: false, rate: 0 },
    ...(many !== undefined && { many: { server: many, isFed: false, rate: 0 } }),
    ...(least !== undefined && { least: { server: least, isFed: true, rate: 0 } }),
    leastCounted: { server: leastCounted, isFed: true, rate: 0 },
    oddswire: { server: ours, isFed: true, rate: 0 },
    unchanged: { server: ours, isFed: false, rate: 0 },
    fedOnly: { server: ours, isFed: true, rate: undefined },
    ceilingOffered: { server: ceiling, isFed: false, rate: Number(flags.rate) },
    leastOffered: { server: leastCounted, isFed: true, rate: Number(flags.rate) },
    offered: { server: ours, isFed: true, rate: Number(flags.rate) },
  }
  for (const [word, names] of Object.entries(CANDIDATES)) {
    if (!wanted.includes(word)) for (const name of names) delete candidates[name]
  }
  const results = new Map(Object.keys(candidates).map((name) => [name, [] as Round[]]))
  try {
    const warm = new Set<Server>()
    for (const candidate of Object.values(candidates)) {
      if (warm.has(candidate.server)) continue
      warm.add(candidate.server)
      await runRound(programs, setting, candidate, candidate.isFed ? WARM_UP_MS : RAMP_MS, 0)
    }
    for (let round = 0; round < rounds; round++) {
      for (const [name, candidate] of Object.entries(candidates)) {
        results.get(name)!.push(await runRound(programs, setting, candidate))
      }
    }
  } finally {
    await endServer(ours)
    await endServer(ceiling)
    if (many !== undefined) await endServer(many)
    if (least !== undefined) await endServer(least)
    await endServer(leastCounted)
  }
  const has = (...names: readonly string[]): boolean => names.every((name) => results.has(name))
  const of = (name: string, figure: (round: Round) => number): number[] => (results.get(name) ?? []).map(figure)
  const rate = ({ read }: Round): number => read!.frames / seconds
  const cpuUs = ({ read, cpu }: Round): number => (cpu * 1e6) / read!.frames
  const fedCpu = median(of('fedOnly', ({ cpu }) => cpu / seconds))
  const readCpuUs = (round: Round): number => ((round.cpu - fedCpu * seconds) * 1e6) / round.read!.frames
  const each = <Name extends string, Value>(names: readonly Name[], figure: (name: Name) => Value) =>
    Object.fromEntries(names.filter((name) => results.has(name)).map((name) => [name, figure(name)]))
  const latency = (figure: (count: Counted) => number) =>
    each(OFFERED, (name) => spread(of(name, ({ read }) => figure(read!))))
  const marks = (name: string) => loadMarks(results.get(name)!.map(({ read, fed }) => [read, fed]))
  const all = [...FLAT_OUT, ...OFFERED]
  return {
    id: 'P2',
    target: 'flat out ≥ 0.75 of the ceiling; at 20 000 requests a second p99 < 5 ms',
    events: EVENTS,
    audiences: AUDIENCES.length,
    bodyBytes: setting.bodyBytes,
    toCeiling: has('ceiling', 'oddswire') && {
      ...ratio('byCpuWithChanges', of('ceiling', cpuUs), of('oddswire', cpuUs)),
      ...ratio('leastCountedByCpuWithChanges', of('ceiling', cpuUs), of('leastCounted', cpuUs)),
      ...(has('least') && ratio('leastByCpuWithChanges', of('ceiling', cpuUs), of('least', cpuUs))),
      // Of the requests alone: without what the same changes cost when nobody asks.
      ...(has('fedOnly') && ratio('byCpu', of('ceiling', cpuUs), of('oddswire', readCpuUs))),
      ...(has('fedOnly') && ratio('byCpuToMany', of('many', cpuUs), of('oddswire', readCpuUs))),
      ...ratio('byRate', of('oddswire', rate), of('ceiling', rate)),
      ...(has('unchanged') && ratio('unchangedByCpu', of('ceiling', cpuUs), of('unchanged', cpuUs))),
      ...(has('unchanged', 'many') && ratio('unchangedByCpuToMany', of('many', cpuUs), of('unchanged', cpuUs))),
    },
    requestsPerSecond: each(FLAT_OUT, (name) => spread(of(name, rate))),
    cpuUsPerRequest: each(FLAT_OUT, (name) => spread(of(name, cpuUs))),
    cpuUsPerRequestAlone: has('oddswire', 'fedOnly') && spread(of('oddswire', readCpuUs)),
    changesPerSecond: spread(
      of(results.has('oddswire') ? 'oddswire' : 'offered', ({ fed }) => fed!.sent_per_s * QUOTES_PER_SEND),
    ),
    changesCoreBusy: has('fedOnly') && rounded(fedCpu),
    requestsOffered: Number(flags.rate),
    requestsAnswered: each(OFFERED, (name) => spread(of(name, rate))),
    p50Us: latency((count) => count.p50_us!),
    p90Us: latency((count) => count.p90_us!),
    p99Us: latency((count) => count.p99_us!),
    p999Us: latency((count) => count.p999_us!),
    maxUs: latency((count) => count.max_us!),
    serverCoreBusy: each(OFFERED, (name) => rounded(median(of(name, ({ cpu }) => cpu / seconds)))),
    loadCoreBusy: each(all, (name) => marks(name).loadCoreBusy),
    loadLimited: each(all, (name) => marks(name).loadLimited),
    lateShare: each(all, (name) => marks(name).lateShare),
    lateMs: each(all, (name) => marks(name).lateMs),
    lateMaxUs: each(OFFERED, (name) => Math.round(median(of(name, ({ read }) => read!.late_max_us)))),
  }
}

try {
  const stomp = buildLoad(folder)
  const http = buildLoad(folder, 'http-load')
  if (stomp === undefined || http === undefined) leaveOut('bench/http-changing', 'there is no C compiler (gcc)')
  else {
    const result = await measure({ stomp, http })
    print({ bench: 'http-changing', seconds, rounds, connections, seed: SEED, ...machine(), results: [result] })
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
