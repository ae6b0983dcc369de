// P1 and P3 (bench/README.md): REST flat out, beside bare uWebSockets.js with the same body (the ceiling), the same with our
// headers (bare), and Fastify with Redis (the peer). All in one run, in turn, server on core 0, load on core 1; the real
// service, started as users start it, with a real key, plan and coverage. Rounds are short, since the pace of a machine changes.
//
//   node dist/bench/http.js [--seconds 0.3] [--rounds 9] [--connections 64] [--only P1,P3,bare,least] [--without-peer]
//
// bare: bare uWebSockets.js with our headers; least: and with what else any service must do that answers safely.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { now } from '../src/clock.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { freePort, isInstalled, leaveOut, untilListening } from './peer.ts'
import { BUSY_MAX, buildLoad, type Counted, Load } from './load.ts'
import { type Server, startServer, stopServer } from './process.ts'
import { observationOf } from './quotes.ts'
import { machine, median, print, ratio, rounded, spread } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '0.3' },
    rounds: { type: 'string', default: '9' },
    connections: { type: 'string', default: '64' },
    only: { type: 'string', default: 'P1,P3,bare,least' },
    'without-peer': { type: 'boolean', default: false },
  },
})
const seconds = Number(flags.seconds)
const rounds = Number(flags.rounds)
const connections = Number(flags.connections)
const wanted = flags.only.split(',')

const BOOKMAKERS = 3 // × 15 quotes: an odds answer of 45 quotes, about 6 KB
const EVENTS = 5000
const FILTERS = 200
/** Some twenty thousand requests: what answers them is compiled then. */
const WARM_UP_MS = 500
/** Before each count, all connections have been answered. */
const RAMP_MS = 30
const API = '/api/v1'
const SEED = 11
/**
 * Over loopback, whoever answers a client that sleeps has to wake its core. The slower a server, the more often its clients
 * sleep: of P3 a page of the service took 0.87 µs less with clients that do not, one of the ceiling 0.39.
 */
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

/** A recording of every event by every bookmaker, and the coverage that makes them visible. */
const writeInputs = () => {
  const random = new SeededRandom(SEED)
  const observedAt = now() - 60_000
  const lines: string[] = []
  for (let event = 0; event < EVENTS; event++) {
    for (let bookmaker = 0; bookmaker < BOOKMAKERS; bookmaker++) {
      const { event: sighting, prices, ...rest } = observationOf(event, bookmaker, observedAt, 'rest', random)
      lines.push(
        JSON.stringify({
          ...rest,
          observedAt: new Date(observedAt).toISOString(),
          event: {
            sport: sighting.sport,
            league: { key: sighting.leagueKey, name: sighting.leagueName },
            home: sighting.home,
            away: sighting.away,
            kickoffAt: new Date(sighting.kickoffAt).toISOString(),
          },
          quotes: prices,
        }),
      )
    }
  }
  writeFileSync(join(folder, 'observations.jsonl'), lines.join('\n'))
  const bookmakers = Array.from({ length: BOOKMAKERS }, (_, n) => ({
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

/** 200 list queries: leagues, dates, pages. The load draws from them at random. */
const listTargets = (firstKickoffAt: number): string[] => {
  const random = new SeededRandom(SEED)
  return Array.from({ length: FILTERS }, (_, n) => {
    const from = encodeURIComponent(new Date(firstKickoffAt + Math.floor(random.next() * 2000) * 60_000).toISOString())
    const kinds = [
      `sport=football&offset=${Math.floor(random.next() * (EVENTS - 50))}`,
      `dateFrom=${from}&offset=${n}`,
      `offset=${Math.floor(random.next() * (EVENTS - 50))}`,
      `sport=football&dateFrom=${from}&limit=50`,
    ]
    return `${API}/events?${kinds[n % kinds.length]}`
  })
}

/** A file of requests for the load. */
const writeRequests = (name: string, targets: readonly string[], key: string): string => {
  const file = join(folder, name)
  writeFileSync(file, targets.map((target) => `${target}\tBearer ${key}\n`).join(''))
  return file
}

interface Candidate {
  readonly name: string
  readonly pid: number
  /** Another process that works for its answers: its CPU time counts, too. */
  readonly helperPid?: number
  readonly port: number
  /** A file of {@link writeRequests}. */
  readonly requests: string
}

/** Measures candidates in turn, round by round: requests per second, and CPU per request. */
const compare = async (program: string, candidates: readonly Candidate[]) => {
  const results = new Map(
    candidates.map(({ name }) => [
      name,
      { perSecond: [] as number[], cpuUs: [] as number[], ownCpuUs: [] as number[], loadBusy: [] as number[] },
    ]),
  )
  const run = async ({ pid, helperPid, port, requests }: Candidate, ms: number): Promise<Counted> => {
    const pids = helperPid === undefined ? [pid] : [pid, helperPid]
    const asked = { port, requests, n: connections, 'cpu-of': pids.join(), seed: SEED, ...AWAKE }
    const load = await Load.start(program, 'get', asked)
    try {
      await sleep(RAMP_MS)
      await load.count()
      await sleep(ms)
      const counted = await load.count()
      await load.stop()
      return counted
    } finally {
      load.kill()
    }
  }
  for (const candidate of candidates) await run(candidate, WARM_UP_MS)
  for (let round = 0; round < rounds; round++) {
    for (const candidate of candidates) {
      const { frames, frames_per_s, errors, closed, busy, servers_cpu_s } = await run(candidate, seconds * 1_000)
      if (errors + closed > 0) throw new Error(`${candidate.name}: ${errors + closed} requests failed`)
      const result = results.get(candidate.name)!
      const [own, helper = 0] = servers_cpu_s!
      result.perSecond.push(frames_per_s)
      result.loadBusy.push(busy)
      result.cpuUs.push(((own! + helper) * 1e6) / frames)
      result.ownCpuUs.push((own! * 1e6) / frames)
    }
  }
  const of = (name: string) => results.get(name)!
  const loadBusy = (name: string): number => rounded(median(of(name).loadBusy))
  return {
    load: {
      loadCoreBusy: Object.fromEntries(candidates.map(({ name }) => [name, loadBusy(name)])),
      loadLimited: Object.fromEntries(candidates.map(({ name }) => [name, loadBusy(name) > BUSY_MAX])),
    },
    requestsPerSecond: Object.fromEntries(candidates.map(({ name }) => [name, spread(of(name).perSecond)])),
    cpuUsPerRequest: Object.fromEntries(candidates.map(({ name }) => [name, spread(of(name).cpuUs)])),
    ratioTo: (name: string, other: string) => ({
      ...ratio('byCpu', of(other).cpuUs, of(name).cpuUs),
      ...ratio('byRate', of(name).perSecond, of(other).perSecond),
    }),
    ratioToOwn: (name: string, other: string) => ratio('byCpu', of(other).ownCpuUs, of(name).cpuUs),
  }
}

interface Setting {
  readonly ours: Server
  readonly unlimitedKey: string
  readonly limitedKey: string
  readonly firstEvent: { readonly id: string; readonly kickoffAt: string }
  readonly odds: Buffer
  /** Requests of P3, and the answer to one of them, of median length. */
  readonly lists: readonly string[]
  readonly page: Buffer
}

const setUp = async (): Promise<Setting> => {
  writeInputs()
  cli('org', 'create', 'unlimited', '--plan', 'desk', '--bookmakers', '*')
  cli('plan', 'set', 'wide', '--hourly', '1000000000', '--monthly', '2000000000')
  cli('org', 'create', 'limited', '--plan', 'wide', '--bookmakers', '*')
  const unlimitedKey = cli('key', 'create', '--org', 'unlimited')
  const limitedKey = cli('key', 'create', '--org', 'limited')
  const recording = ['--replay', join(folder, 'observations.jsonl'), '--format', 'observations']
  const ours = await startServer(MAIN, [
    ...['serve', '--data-dir', dataDir, '--http-port', '0', '--stomp-port', '0', '--admin-port', '0'],
    ...['--log-level', 'warn', '--coverage', join(folder, 'coverage.json'), ...recording],
  ])
  const get = async (path: string): Promise<Buffer> => {
    // The load takes no gzip: none is made.
    const response = await fetch(`http://127.0.0.1:${ours.ready.http}${path}`, {
      headers: { authorization: `Bearer ${unlimitedKey}`, 'accept-encoding': 'identity' },
    })
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return Buffer.from(await response.arrayBuffer())
  }
  const { data: events } = JSON.parse((await get(`${API}/events?limit=1`)).toString()) as {
    data: Setting['firstEvent'][]
  }
  const odds = await get(`${API}/events/${events[0]!.id}/odds`)
  writeFileSync(join(folder, 'odds.json'), odds)
  // Not the first page, whose names and numbers are shorter: 2 % fewer octets.
  const lists = listTargets(Date.parse(events[0]!.kickoffAt))
  const pages = await Promise.all(lists.map(get))
  const page = pages.toSorted((a, b) => a.length - b.length)[pages.length >> 1]!
  writeFileSync(join(folder, 'page.json'), page)
  return { ours, unlimitedKey, limitedKey, firstEvent: events[0]!, odds, lists, page }
}

const startCeiling = (bodyFile: string, copies = 1, ...more: string[]): Promise<Server> =>
  startServer(join(here, 'ceiling-http.js'), [join(folder, bodyFile), String(copies), ...more])

/** What the library adds to the head of each answer. */
const ADDED = /^(Date|uWebSockets|Content-Length|Connection):/i

/** The head of an answer to a request, as the service gives it to the library: a file. */
const headFileOf = async (port: number, path: string, key: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`)
  const answer = await buffer(socket)
  const lines = answer.toString('latin1', 'HTTP/1.1 '.length, answer.indexOf('\r\n\r\n')).split('\r\n')
  if (!lines[0]!.startsWith('200 ')) throw new Error(`${path}: ${lines[0]}`)
  const file = join(folder, 'head')
  writeFileSync(file, lines.filter((line) => !ADDED.test(line)).join('\r\n'))
  return file
}

/** Fastify and Redis; undefined where there is none. */
const startPeer = async (
  bodyFile: string,
): Promise<{ server: Server; redisPid: number; stop: () => Promise<void> } | undefined> => {
  if (!isInstalled('redis-server', '--version')) {
    leaveOut('the peer of P1', 'redis-server is not installed')
    return undefined
  }
  const port = await freePort()
  const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
    stdio: 'ignore',
  })
  await untilListening(port, () => redis.exitCode !== null)
  const server = await startServer(join(here, 'peer-http.js'), [join(folder, bodyFile), String(port)])
  return {
    server,
    redisPid: redis.pid!,
    stop: async () => {
      await stopServer(server)
      redis.kill('SIGTERM')
    },
  }
}

/** A server that answers requests; none where it was not asked for. */
const candidate = (name: string, server: Server | undefined, requests: string): readonly Candidate[] =>
  server === undefined ? [] : [{ name, pid: server.process.pid!, port: server.ready.http, requests }]

const measureOdds = async (program: string, { ours, unlimitedKey, limitedKey, firstEvent, odds }: Setting) => {
  const path = `${API}/events/${firstEvent.id}/odds`
  const ceiling = await startCeiling('odds.json')
  const headFile = await headFileOf(ours.ready.http, path, unlimitedKey)
  const bare = wanted.includes('bare') ? await startCeiling('odds.json', 1, headFile) : undefined
  const least = wanted.includes('least') ? await startCeiling('odds.json', 1, headFile, 'least') : undefined
  const peer = flags['without-peer'] ? undefined : await startPeer('odds.json')
  const unlimited = writeRequests('unlimited', [path], unlimitedKey)
  const candidates: Candidate[] = [
    ...candidate('ceiling', ceiling, unlimited),
    ...candidate('bare', bare, unlimited),
    ...candidate('least', least, unlimited),
    ...candidate('oddswire', ours, unlimited),
    ...candidate('limited', ours, writeRequests('limited', [path], limitedKey)),
    ...candidate('peer', peer?.server, unlimited).map((each) => ({ ...each, helperPid: peer!.redisPid })),
  ]
  const result = await compare(program, candidates)
  await stopServer(ceiling)
  if (bare !== undefined) await stopServer(bare)
  if (least !== undefined) await stopServer(least)
  await peer?.stop()
  return {
    id: 'P1',
    target: '≥ 0.95 of the ceiling by CPU per request, ≥ 0.85 on a limited plan, ≥ 4 × the peer',
    bodyBytes: odds.length,
    toCeiling: result.ratioTo('oddswire', 'ceiling'),
    limitedToCeiling: result.ratioTo('limited', 'ceiling'),
    bareToCeiling: bare && result.ratioTo('bare', 'ceiling'),
    toBare: bare && result.ratioTo('oddswire', 'bare'),
    leastToCeiling: least && result.ratioTo('least', 'ceiling'),
    toLeast: least && result.ratioTo('oddswire', 'least'),
    toPeer: peer && result.ratioTo('oddswire', 'peer'),
    toPeerWithoutRedis: peer && result.ratioToOwn('oddswire', 'peer'),
    ...result.load,
    requestsPerSecond: result.requestsPerSecond,
    cpuUsPerRequest: result.cpuUsPerRequest,
  }
}

const measureLists = async (program: string, { ours, unlimitedKey, lists, page }: Setting) => {
  const ceiling = await startCeiling('page.json')
  // As many bodies as there are answers: they do not stay in the nearest caches of a processor.
  const headFile = await headFileOf(ours.ready.http, lists[0]!, unlimitedKey)
  const bare = wanted.includes('bare') ? await startCeiling('page.json', FILTERS, headFile) : undefined
  const least = wanted.includes('least') ? await startCeiling('page.json', FILTERS, headFile, 'least') : undefined
  const requests = writeRequests('lists', lists, unlimitedKey)
  const result = await compare(program, [
    ...candidate('ceiling', ceiling, requests),
    ...candidate('bare', bare, requests),
    ...candidate('least', least, requests),
    ...candidate('oddswire', ours, requests),
  ])
  await stopServer(ceiling)
  if (bare !== undefined) await stopServer(bare)
  if (least !== undefined) await stopServer(least)
  return {
    id: 'P3',
    target: '≥ 0.85 of the ceiling by CPU per request',
    bodyBytes: page.length,
    events: EVENTS,
    filters: FILTERS,
    toCeiling: result.ratioTo('oddswire', 'ceiling'),
    bareToCeiling: bare && result.ratioTo('bare', 'ceiling'),
    toBare: bare && result.ratioTo('oddswire', 'bare'),
    leastToCeiling: least && result.ratioTo('least', 'ceiling'),
    toLeast: least && result.ratioTo('oddswire', 'least'),
    ...result.load,
    requestsPerSecond: result.requestsPerSecond,
    cpuUsPerRequest: result.cpuUsPerRequest,
  }
}

const measureAll = async (program: string): Promise<void> => {
  const setting = await setUp()
  try {
    const results: object[] = []
    if (wanted.includes('P1')) results.push(await measureOdds(program, setting))
    if (wanted.includes('P3')) results.push(await measureLists(program, setting))
    print({ bench: 'http', seconds, rounds, connections, seed: SEED, ...machine(), results })
  } finally {
    await stopServer(setting.ours)
  }
}

try {
  const program = buildLoad(folder, 'http-load')
  if (program === undefined) leaveOut('bench/http', 'there is no C compiler (gcc)')
  else await measureAll(program)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
