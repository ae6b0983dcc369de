// Several processes of one service on one port (docs/replicas.md 7): requests and deliveries a second, and what each costs in
// CPU time of all processes, with 1, 2 and 3 of them; and what a process costs that only applies what others append. The
// processes take turns with the cores, the load has the second one: on a machine with two, the rates of more than one
// process are those of what the load leaves.
//
//   node dist/bench/shared-port.js [--seconds 2] [--rounds 3] [--processes 1,2,3]

import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { BOOKMAKER, FEED_DESTINATION, prepareKeys } from './live-service.ts'
import { buildLoad, type Counted, endServer, Load, loadMarks, newOrigin, portOf } from './load.ts'
import { freePort, isInstalled, isOnPath, leaveOut, untilListening } from './peer.ts'
import { cpuSeconds, type Server, startServer, wrk } from './process.ts'
import { machine, print, rounded, spread } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    processes: { type: 'string', default: '1,2,3' },
  },
})
const seconds = Number(flags.seconds)
const rounds = Number(flags.rounds)

const MAIN = join(dirname(fileURLToPath(import.meta.url)), '..', 'src', 'main.js')
const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'))

const CONNECTIONS = 64
const SUBSCRIBERS = 100
/** SENDs of one quote a second, each to all subscribers. */
const FAN_OUT_RATE = 1_000
/** SENDs of ten quotes a second, to nobody. */
const APPLY_RATE = 2_000
const APPLY_QUOTES = 10
const RAMP_MS = 500

interface Service {
  readonly servers: readonly Server[]
  readonly httpPort: number
  readonly customerKey: string
  readonly feedKey: string
}

/** Starts so many processes of a service, one after another: the first one has the keys. */
const start = async (count: number, redisUrl: string, servers: Server[]): Promise<Service> => {
  const home = join(folder, `of-${count}`)
  mkdirSync(home)
  const keys = prepareKeys(home, [BOOKMAKER])
  const httpPort = await freePort()
  for (let place = 0; place < count; place++) {
    servers.push(
      await startServer(
        MAIN,
        [
          ...['serve', '--data-dir', join(home, place === 0 ? 'oddswire' : String(place))],
          ...['--redis-url', redisUrl, '--redis-prefix', `of-${count}`],
          ...['--shared-ports', 'true', '--http-port', String(httpPort), '--stomp-port', '0', '--admin-port', '0'],
          ...['--log-level', 'warn', '--error-sessions-max', '1000000'],
        ],
        String(place % cpus().length),
      ),
    )
  }
  return { servers, httpPort, ...keys }
}

/** CPU seconds of each process so far. */
const cpuOf = ({ servers }: Service): number[] => servers.map((server) => cpuSeconds(server.process.pid!))

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** CPU seconds of each process since. */
const cpuSince = (service: Service, before: readonly number[]): number[] =>
  cpuOf(service).map((used, place) => used - before[place]!)

const startPublisher = (program: string, { servers, feedKey }: Service, rate: number, quotes: number): Promise<Load> =>
  Load.start(program, 'pub', {
    ...{ port: portOf(servers[0]!, 'stomp'), key: feedKey, dest: FEED_DESTINATION, rate, quotes },
    origin: newOrigin(),
  })

/** Puts some events on the board. Returns the path of the odds of one. */
const fill = async (program: string, service: Service): Promise<string> => {
  const publisher = await startPublisher(program, service, 2_000, APPLY_QUOTES)
  await pause(1_000)
  await publisher.stop()
  const url = `http://127.0.0.1:${service.httpPort}/api/v1`
  const headers = { authorization: `Bearer ${service.customerKey}` }
  const response = await fetch(`${url}/events?transport=live&limit=1`, { headers })
  const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] }
  if (data?.[0] === undefined) throw new Error(`${response.status}, and no event`)
  return `${url}/events/${data[0].id}/odds?transport=live`
}

const requestsOf = (service: Service, url: string) => {
  const before = cpuOf(service)
  const { requests, perSecond, failed, busy } = wrk(url, {
    headers: [`Authorization: Bearer ${service.customerKey}`],
    connections: CONNECTIONS,
    // It accepts whole seconds only.
    seconds: Math.ceil(seconds),
  })
  if (failed > 0) throw new Error(`${failed} requests failed`)
  return { perSecond, busy, cpuUs: (sum(cpuSince(service, before)) * 1e6) / requests }
}

const deliveriesOf = async (program: string, service: Service) => {
  const origin = newOrigin()
  const dest = `/topic/odds.football.${BOOKMAKER}.*`
  const sinkFlags = { port: service.httpPort, key: service.customerKey, dest, n: SUBSCRIBERS, origin }
  const loads: Load[] = []
  try {
    const sink = await Load.start(program, 'sink-ws', sinkFlags)
    loads.push(sink)
    const publisher = await startPublisher(program, service, FAN_OUT_RATE, 1)
    loads.push(publisher)
    await pause(RAMP_MS)
    await Promise.all([sink.count(), publisher.count()])
    const before = cpuOf(service)
    await pause(seconds * 1_000)
    const counts = await Promise.all([sink.count(), publisher.count()])
    const cpu = cpuSince(service, before)
    const [{ frames, frames_per_s: perSecond, closed, errors }] = counts
    return { perSecond, lost: closed + errors, cpuUs: (sum(cpu) * 1e6) / frames, counts: counts as readonly Counted[] }
  } finally {
    for (const load of loads) load.kill()
  }
}

/** What the process costs that takes the SENDs, and each other one, which only applies them: shares of a core. */
const applyingOf = async (program: string, service: Service) => {
  const publisher = await startPublisher(program, service, APPLY_RATE, APPLY_QUOTES)
  try {
    await pause(RAMP_MS)
    const before = cpuOf(service)
    await pause(seconds * 1_000)
    const [taking, ...applying] = cpuSince(service, before).map((used) => used / seconds)
    return { taking: taking!, applying }
  } finally {
    publisher.kill()
  }
}

const measure = async (program: string, count: number, redisUrl: string) => {
  const servers: Server[] = []
  try {
    const service = await start(count, redisUrl, servers)
    const url = await fill(program, service)
    requestsOf(service, url)
    const requests: ReturnType<typeof requestsOf>[] = []
    const deliveries: Awaited<ReturnType<typeof deliveriesOf>>[] = []
    const applyings: Awaited<ReturnType<typeof applyingOf>>[] = []
    for (let round = 0; round < rounds; round++) {
      requests.push(requestsOf(service, url))
      deliveries.push(await deliveriesOf(program, service))
      applyings.push(await applyingOf(program, service))
    }
    const applying = applyings.flatMap((each) => each.applying)
    return {
      processes: count,
      requests: {
        perSecond: spread(requests.map((each) => each.perSecond)),
        cpuUs: spread(requests.map((each) => each.cpuUs)),
        loadCoreBusy: rounded(Math.max(...requests.map(({ busy }) => busy))),
      },
      deliveries: {
        perSecond: spread(deliveries.map((each) => each.perSecond)),
        cpuUs: spread(deliveries.map((each) => each.cpuUs)),
        lost: sum(deliveries.map(({ lost }) => lost)),
        ...loadMarks(deliveries.map(({ counts }) => counts)),
      },
      quotesPerSecond: APPLY_RATE * APPLY_QUOTES,
      takingCoreShare: spread(applyings.map(({ taking }) => taking)),
      ...(applying.length > 0 && { applyingCoreShare: spread(applying) }),
    }
  } finally {
    for (const server of servers) await endServer(server)
  }
}

const measureAll = async (program: string): Promise<void> => {
  const port = await freePort()
  const redis = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
    stdio: 'ignore',
  })
  try {
    await untilListening(port, () => redis.exitCode !== null)
    const results: object[] = []
    for (const count of flags.processes.split(',').map(Number)) {
      results.push(await measure(program, count, `redis://127.0.0.1:${port}`))
    }
    print({ bench: 'shared-port', seconds, rounds, subscribers: SUBSCRIBERS, ...machine(), results })
  } finally {
    redis.kill('SIGTERM')
  }
}

try {
  const program = buildLoad(folder)
  if (program === undefined) leaveOut('bench/shared-port', 'there is no C compiler (gcc)')
  else if (!isOnPath('wrk')) leaveOut('bench/shared-port', 'there is no load generator (wrk)')
  else if (!isInstalled('redis-server', '--version')) leaveOut('bench/shared-port', 'redis-server is not installed')
  else await measureAll(program)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
