// P11 (bench/README.md): ten thousand WebSocket subscribers. What they cost while nothing happens, beside bare
// uWebSockets.js with as many connections; and whether a SEND that two of them watch costs more because of the others.
//
//   node dist/bench/connections.js [--seconds 1] [--rounds 3] [--connections 10000] [--quiet-ms 3000]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

const measureOurs = async (program: string, folder: string) => {
  const events = Math.ceil(connections / WATCHERS_PER_EVENT)
  const service = await startLiveService(folder)
  const loads: Load[] = []
  const startWatchers = async (n: number, ids: readonly string[]): Promise<Load> => {
    const file = join(folder, `ids-${n}`)
    writeFileSync(file, ids.join('\n'))
    const dest = `/topic/odds.football.${BOOKMAKER}.%`
    const { httpPort: port, customerKey: key } = service
    const load = await Load.start(program, 'idle', { port, key, dest, n, ids: file, 'cpu-of': service.pid })
    loads.push(load)
    return load
  }
  try {
    const seeding = await Load.start(program, 'pub', { ...feed(service, events), receipts: SENDS_PER_SECOND })
    loads.push(seeding)
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
    const others = await startWatchers(connections - HOT_SUBSCRIBERS, ids.slice(HOT_EVENTS))
    const cpuIdle = startCpuMeter(service.pid)
    await sleep(quietMs)
    const idleCoreBusy = rounded((cpuIdle() * 1000) / quietMs)
    const after = rssMb(service.pid)
    const measureRounds = async () => {
      await measureSends(program, service, hot) // a warm-up
      const sends: Awaited<ReturnType<typeof measureSends>>[] = []
      for (let round = 0; round < rounds; round++) sends.push(await measureSends(program, service, hot))
      return sends
    }
    const many = await measureRounds()
    const left = await others.stop()
    if (left.closed > 0 || left.errors > 0) throw new Error(`${left.closed} idle connections were closed`)
    // Closing thousands of connections is work of its own.
    await sleep(quietMs / 3)
    const few = await measureRounds()
    const cpuOf = (of: typeof many) => of.map(({ cpuUs }) => cpuUs)
    return {
      memory: { before: rounded(before), after: rounded(after), growth: rounded(after - before) },
      idleCoreBusy,
      ...ratio('growthOfCost', cpuOf(many), cpuOf(few)),
      ...loadMarks([...many, ...few].map(({ received, published }) => [received, published])),
      cpuUsPerSend: { [connections]: spread(cpuOf(many)), [HOT_SUBSCRIBERS]: spread(cpuOf(few)) },
      messagesPerSend: rounded(median([...many, ...few].map(({ messages }) => messages))),
      lost: Math.max(...[...many, ...few].map(({ lost }) => lost)),
    }
  } finally {
    for (const load of loads) load.kill()
    await endServer(service.server)
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
