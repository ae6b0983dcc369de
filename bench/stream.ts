// What a log on a Redis Stream costs its Redis (bench/README.md): entries appended by the script of the log, which checks the
// epoch, counts, chains and adds, and read by several connections that wait for them. CPU time of redis-server by its threads, from /proc.
//
//   node dist/bench/stream.js [--seconds 0.5] [--rounds 3] [--octets 1000,10000,100000] [--readers 1,3,10] [--fsync no,everysec,always]

import { parseArgs } from 'node:util'
import { APPEND, BEGIN } from '../src/log/stream-scripts.ts'
import type { Redis, Reply, Script } from '../src/redis/redis.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { type RedisServer, startRedis } from '../test/redis-server.ts'
import { isInstalled, leaveOut, versionOf } from './peer.ts'
import { machine, median, print, rounded } from './report.ts'
import { connect, redisCpu } from './stream-redis.ts'
import { fitCosts, type StreamCost } from './stream-costs.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '0.5' },
    rounds: { type: 'string', default: '3' },
    octets: { type: 'string', default: '1000,10000,100000' },
    readers: { type: 'string', default: '1,3,10' },
    fsync: { type: 'string', default: 'no,everysec,always' },
  },
})
const numbersOf = (list: string): number[] => list.split(',').map(Number)
const seconds = Number(flags.seconds)
const rounds = Number(flags.rounds)
const payloads = numbersOf(flags.octets)
const readerCounts = numbersOf(flags.readers)
const fsyncs = flags.fsync.split(',')

const SEED = 41
const EPOCH = 'epoch'
/** Entries that stay in the stream, and how often the rest is trimmed, so that its memory is bounded. */
const KEPT = 500
const TRIM_EVERY = 50
const COUNT_MAX = 100
const BLOCK_MS = 1_000
const WARM_UP_SECONDS = 0.2

const HASH = 'redis.sha1hex(meta[3] .. ARGV[4])'
/** The same but for the hash: what it costs is the difference. */
const UNCHAINED: Script = { ...APPEND, name: 'benchUnchained', lua: APPEND.lua.replace(HASH, 'meta[3]') }
if (UNCHAINED.lua === APPEND.lua) throw new Error(`the script of the log has no ${HASH}`)

const ownCpu = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** A connection that waits for entries, and counts them and the answers that brought them. */
class Reader {
  entries = 0
  reads = 0
  /** From the call that appended an entry to its arrival here, ms. */
  readonly latenciesMs: number[] = []
  private readonly redis: Redis
  private isEnded = false

  constructor(redis: Redis) {
    this.redis = redis
  }

  async run(appendedAt: ReadonlyMap<string, number>): Promise<void> {
    const key = this.redis.key('log')
    let last = '$'
    while (!this.isEnded) {
      const words = ['COUNT', COUNT_MAX, 'BLOCK', BLOCK_MS, 'STREAMS', key, last]
      const reply = await this.redis.callBuffer('XREAD', ...words).catch((error: unknown): Reply => {
        if (this.isEnded) return null
        throw error
      })
      if (reply === null) continue
      const [[, entries]] = reply as unknown as [[Buffer, [Buffer, Buffer[]][]]]
      this.reads++
      this.entries += entries.length
      last = entries.at(-1)![0].toString()
      const at = appendedAt.get(last)
      if (at !== undefined) this.latenciesMs.push(performance.now() - at)
    }
  }

  end(): void {
    this.isEnded = true
    this.redis.close()
  }
}

const quantile = (values: readonly number[], share: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN)
}

interface Row extends StreamCost {
  /** All that were appended, those before the count included. */
  readonly appended: number
  readonly entriesPerSecond: number
  readonly entriesPerRead: number
  readonly appendMs: { readonly p50: number; readonly p99: number }
  readonly readMs: { readonly p50: number; readonly p99: number }
}

/** The run whose CPU time of Redis is in the middle: its figures belong together. */
const medianOf = (runs: readonly Row[]): Row => {
  const sorted = runs.toSorted((a, b) => a.mainUsPerEntry - b.mainUsPerEntry)
  return sorted[sorted.length >>> 1]!
}

/** One entry after the other: each wakes all readers, as the turns of a service do. */
const measure = async (server: RedisServer, octets: number, readers: number, append = APPEND): Promise<Row> => {
  const writer = await connect(server.url)
  await writer.call('DEL', writer.key('meta'), writer.key('producer'))
  await writer.run(BEGIN, ['meta', 'log'], ['', EPOCH, 0, '', 'rules', 'secret', 0, 0, 'bench'])
  const random = new SeededRandom(SEED)
  const turn = Buffer.from(Uint8Array.from({ length: octets }, () => Math.floor(random.next() * 256)))
  const appendedAt = new Map<string, number>()
  const all: Reader[] = []
  const runs: Promise<void>[] = []
  for (let n = 0; n < readers; n++) {
    const redis = await connect(server.url)
    const reader = new Reader(redis)
    all.push(reader)
    runs.push(reader.run(appendedAt))
  }
  const appendsMs: number[] = []
  let number = 0
  const appendFor = async (forSeconds: number): Promise<number> => {
    const before = number
    const until = performance.now() + forSeconds * 1e3
    while (performance.now() < until) {
      const startedAt = performance.now()
      number++
      appendedAt.set(`${number}-0`, startedAt)
      if (number > KEPT) appendedAt.delete(`${number - KEPT}-0`)
      const position = await writer.run(append, ['meta', 'log', 'producer'], [EPOCH, 'process', number, turn])
      if (number % TRIM_EVERY === 0) await writer.call('XTRIM', writer.key('log'), 'MAXLEN', '~', KEPT)
      const at = Number((position as readonly string[])[0])
      if (at !== number) throw new Error(`entry ${number} is at ${at}`)
      appendsMs.push(performance.now() - startedAt)
    }
    return number - before
  }
  const readSoFar = (): number => all.reduce((sum, { entries }) => sum + entries, 0)
  const untilRead = async (entries: number): Promise<void> => {
    for (let left = 3_000; readSoFar() < entries; left--) {
      if (left === 0) throw new Error(`${readSoFar()} of ${entries} entries were read`)
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  // A reader that begins behind the first entries never gets them: what is counted begins when all wait.
  await untilBlocked(writer, readers)
  await untilRead(readers * (await appendFor(WARM_UP_SECONDS)))
  appendsMs.length = 0
  for (const reader of all) {
    reader.reads = 0
    reader.latenciesMs.length = 0
  }
  const [redisBefore, ownBefore, startedAt] = [redisCpu(server.pid!), ownCpu(), performance.now()]
  const entries = await appendFor(seconds)
  const tookSeconds = (performance.now() - startedAt) / 1e3
  await untilRead(readers * number)
  const [redisAfter, ownAfter] = [redisCpu(server.pid!), ownCpu()]
  const reads = all.reduce((sum, reader) => sum + reader.reads, 0)
  const latencies = all.flatMap(({ latenciesMs }) => latenciesMs)
  for (const reader of all) reader.end()
  await Promise.all(runs)
  const kept = Number(await writer.call('XLEN', writer.key('log')))
  const memory = Number(await writer.call('MEMORY', 'USAGE', writer.key('log'), 'SAMPLES', 0))
  writer.close()
  return {
    octets,
    readers,
    mainUsPerEntry: rounded(((redisAfter.main - redisBefore.main) * 1e6) / entries),
    allUsPerEntry: rounded(((redisAfter.all - redisBefore.all) * 1e6) / entries),
    clientUsPerEntry: rounded(((ownAfter - ownBefore) * 1e6) / entries),
    memoryOctetsPerEntry: Math.round(memory / kept),
    appended: number,
    entriesPerSecond: Math.round(entries / tookSeconds),
    entriesPerRead: rounded((entries * readers) / reads),
    appendMs: { p50: quantile(appendsMs, 0.5), p99: quantile(appendsMs, 0.99) },
    readMs: { p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) },
  }
}

const untilBlocked = async (writer: Redis, clients: number): Promise<void> => {
  for (let left = 3_000; ; left--) {
    const info = String(await writer.call('INFO', 'clients'))
    if (Number(/blocked_clients:(\d+)/.exec(info)?.[1]) >= clients) return
    if (left === 0) throw new Error('the readers do not wait')
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

const replicationOffset = async (redis: Redis): Promise<number> =>
  Number(/master_repl_offset:(\d+)/.exec(String(await redis.call('INFO', 'replication')))?.[1])

/** Octets that Redis sends to a replica of its own, for an entry; and what a replica costs the thread of the first one. */
const measureReplication = async () => {
  const server = await startRedis('--appendonly', 'no', '--repl-diskless-sync-delay', '0')
  const replica = await startRedis('--replicaof', '127.0.0.1', String(server.port))
  try {
    const redis = await connect(server.url)
    for (let left = 1_000; !String(await redis.call('INFO', 'replication')).includes('state=online'); left--) {
      if (left === 0) throw new Error('the replica does not follow')
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const rows: object[] = []
    for (const octets of payloads) {
      const before = await replicationOffset(redis)
      const row = await measure(server, octets, 1)
      const after = await replicationOffset(redis)
      const octetsPerEntry = Math.round((after - before) / row.appended)
      rows.push({ octets, mainUsPerEntry: row.mainUsPerEntry, octetsPerEntry })
    }
    redis.close()
    return rows
  } finally {
    await replica.remove()
    await server.remove()
  }
}

const measureAll = async (): Promise<void> => {
  const results: object[] = []
  for (const fsync of fsyncs) {
    const server = await startRedis('--appendonly', 'yes', '--appendfsync', fsync, '--auto-aof-rewrite-percentage', '0')
    try {
      const cases = payloads.flatMap((octets) =>
        readerCounts.map((readers) => ({ octets, readers, runs: [] as Row[] })),
      )
      const bare = payloads.map((octets) => ({ octets, mainUs: [] as number[] }))
      for (let round = 0; round < rounds; round++) {
        for (const { octets, readers, runs } of cases) runs.push(await measure(server, octets, readers))
        for (const { octets, mainUs } of bare)
          mainUs.push((await measure(server, octets, readerCounts[0]!, UNCHAINED)).mainUsPerEntry)
      }
      const rows = cases.map(({ runs }) => medianOf(runs))
      const unchained = bare.map(({ octets, mainUs }) => ({
        octets,
        readers: readerCounts[0]!,
        mainUsPerEntry: median(mainUs),
      }))
      results.push({ fsync, fit: fitCosts(rows), rows, unchained })
    } finally {
      await server.remove()
    }
  }
  const replication = await measureReplication()
  const redis = versionOf('redis-server', '--version')
  print({ bench: 'stream', seconds, rounds, seed: SEED, kept: KEPT, redis, ...machine(), results, replication })
}

if (isInstalled('redis-server', '--version')) await measureAll()
else leaveOut('bench/stream', 'redis-server is not installed')
