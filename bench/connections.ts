// P11 (bench/README.md): ten thousand WebSocket subscribers. What they cost while nothing happens, beside bare
// uWebSockets.js with as many connections; and whether a SEND that two of them watch costs more because of the others.
//
//   node dist/bench/connections.js [--seconds 1] [--rounds 3] [--connections 10000] [--quiet-ms 3000]

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { BOOKMAKER, FEED_DESTINATION, type LiveService, readEventIds, startLiveService } from './live-service.ts'
import { buildLoad, endServer, Load, loadMarks, portOf, rssMb, startCpuMeter } from './load.ts'
import { leaveOut } from './peer.ts'
import { startServer } from './process.ts'
import { machine, median, print, ratio, rounded, spread } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '10000' },
    'quiet-ms': { type: 'string', default: '3000' },
  },
})
const seconds = Number(flags.seconds)
const rounds = Number(flags.rounds)
const connections = Number(flags.connections)
/** How long a process gets until its memory is looked at. */
const quietMs = Number(flags['quiet-ms'])

const WATCHERS_PER_EVENT = 2
/** Events that are published: more than SENDs go into a turn, else two of them could become one MESSAGE. */
const HOT_EVENTS = 500
const HOT_SUBSCRIBERS = HOT_EVENTS * WATCHERS_PER_EVENT
const SENDS_PER_SECOND = 5_000
const RAMP_MS = 300
/** Until what a SEND costs falls no more: V8 compiles what runs hot. */
const WARM_UP_ROUNDS = 3

const here = dirname(fileURLToPath(import.meta.url))

/** A publisher that rotates over the first `events` events. */
const feed = (service: LiveService, events: number) => ({
  port: service.stompPort,
  key: service.feedKey,
  dest: FEED_DESTINATION,
  rate: SENDS_PER_SECOND,
  events,
})

/** CPU of the server for one SEND, µs, and the MESSAGEs that came of it. */
const measureSends = async (program: string, service: LiveService, hot: Load) => {
  const publisher = await Load.start(program, 'pub', feed(service, HOT_EVENTS))
  try {
    await sleep(RAMP_MS)
    await Promise.all([hot.count(), publisher.count()])
    await sleep(seconds * 1000)
    const [received, published] = await Promise.all([hot.count(), publisher.count()])
    const cpuUs = (received.servers_cpu_s![0]! * 1e6) / published.sent
    await publisher.stop()
    const lost = received.closed + received.errors
    return { cpuUs, messages: received.frames / published.sent, lost, received, published }
  } finally {
    publisher.kill()
  }
}

/** A service with its watchers. */
interface Watched {
  readonly service: LiveService
  /** Those of the events that are published. */
  readonly hot: Load
  readonly others: Load | undefined
  readonly memory: { readonly before: number; readonly after: number; readonly growth: number }
  readonly idleCoreBusy: number
}

/** Starts a service with so many watchers, whose events are all there. */
const startWatched = async (
  program: string,
  parent: string,
  watchers: number,
  started: { readonly services: LiveService[]; readonly loads: Load[] },
): Promise<Watched> => {
  const events = Math.ceil(connections / WATCHERS_PER_EVENT)
  const folder = join(parent, `watchers-${watchers}`)
  mkdirSync(folder)
  const service = await startLiveService(folder)
  started.services.push(service)
  const startWatchers = async (n: number, ids: readonly string[]): Promise<Load> => {
    const file = join(folder, `ids-${n}`)
    writeFileSync(file, ids.join('\n'))
    const dest = `/topic/odds.football.${BOOKMAKER}.%`
    const { httpPort: port, customerKey: key, pid } = service
    const load = await Load.start(program, 'idle', { port, key, dest, n, ids: file, 'cpu-of': pid })
    started.loads.push(load)
    return load
  }
  const seeding = await Load.start(program, 'pub', { ...feed(service, events), receipts: SENDS_PER_SECOND })
  started.loads.push(seeding)
  // A busy machine is slower than its rate; the first round of SENDs is what makes the events.
  for (let receipts = 0; receipts < events; ) {
    await sleep(RAMP_MS)
    receipts += (await seeding.count()).receipts
  }
  await seeding.stop()
  const ids = await readEventIds(service.httpPort, service.customerKey, events)
  await sleep(quietMs)
  const before = rssMb(service.pid)
  const hot = await startWatchers(HOT_SUBSCRIBERS, ids.slice(0, HOT_EVENTS))
  const others =
    watchers > HOT_SUBSCRIBERS ? await startWatchers(watchers - HOT_SUBSCRIBERS, ids.slice(HOT_EVENTS)) : undefined
  const cpuIdle = startCpuMeter(service.pid)
  await sleep(quietMs)
  const idleCoreBusy = rounded((cpuIdle() * 1000) / quietMs)
  const after = rssMb(service.pid)
  const memory = { before: rounded(before), after: rounded(after), growth: rounded(after - before) }
  return { service, hot, others, memory, idleCoreBusy }
}

const measureOurs = async (program: string, folder: string) => {
  const started: { services: LiveService[]; loads: Load[] } = { services: [], loads: [] }
  try {
    const all = await startWatched(program, folder, connections, started)
    const hotOnly = await startWatched(program, folder, HOT_SUBSCRIBERS, started)
    const measured = new Map([all, hotOnly].map((each) => [each, [] as Awaited<ReturnType<typeof measureSends>>[]]))
    // In turn: rounds of one that lie apart from those of the other say what the machine did meanwhile.
    for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
      for (const [each, of] of measured) {
        const sends = await measureSends(program, each.service, each.hot)
        if (round >= WARM_UP_ROUNDS) of.push(sends)
      }
    }
    const left = await all.others?.stop()
    if (left !== undefined && left.closed + left.errors > 0) {
      throw new Error(`${left.closed} idle connections were closed`)
    }
    const [many, few] = [measured.get(all)!, measured.get(hotOnly)!]
    const cpuOf = (of: typeof many) => of.map(({ cpuUs }) => cpuUs)
    return {
      memory: all.memory,
      idleCoreBusy: all.idleCoreBusy,
      ...ratio('growthOfCost', cpuOf(many), cpuOf(few)),
      ...loadMarks([...many, ...few].map(({ received, published }) => [received, published])),
      cpuUsPerSend: { [connections]: spread(cpuOf(many)), [HOT_SUBSCRIBERS]: spread(cpuOf(few)) },
      messagesPerSend: rounded(median([...many, ...few].map(({ messages }) => messages))),
      lost: Math.max(...[...many, ...few].map(({ lost }) => lost)),
    }
  } finally {
    for (const load of started.loads) load.kill()
    for (const { server } of started.services) await endServer(server)
  }
}

const measureBare = async (program: string) => {
  const bare = await startServer(join(here, 'ceiling-fanout.js'), ['400', '--idle'])
  try {
    await sleep(quietMs / 3)
    const before = rssMb(bare.process.pid!)
    const idle = await Load.start(program, 'idle', { port: portOf(bare, 'http'), plain: true, n: connections })
    await sleep(quietMs)
    const after = rssMb(bare.process.pid!)
    idle.kill()
    return { before: rounded(before), after: rounded(after), growth: rounded(after - before) }
  } finally {
    await endServer(bare)
  }
}

const measureAll = async (program: string, folder: string): Promise<void> => {
  const { memory, ...ours } = await measureOurs(program, folder)
  const results = [
    {
      id: 'P11',
      target: '10 000 idle ≤ 100 MB; the cost of a SEND grows with those who watch its event, not with subscribers',
      memoryMb: { oddswire: memory, ceiling: await measureBare(program) },
      watchersPerEvent: WATCHERS_PER_EVENT,
      sendsPerSecond: SENDS_PER_SECOND,
      ...ours,
    },
  ]
  print({ bench: 'connections', seconds, rounds, connections, ...machine(), results })
}

const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-'))
try {
  const program = buildLoad(folder)
  if (program === undefined) leaveOut('bench/connections', 'there is no C compiler (gcc)')
  else await measureAll(program, folder)
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
