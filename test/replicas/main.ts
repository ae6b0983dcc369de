// The long form: three processes under load for minutes, with random crashes and a desk that is moved once a second; then
// figures. One JSON object a line; exit code 1 where the history was not as it must be.
//
//   node dist/test/replicas/main.js --minutes 10 --seed 1 [--processes 3] [--quotes 50000] [--redis] [--figures]
//
// With --redis also Redis is killed, stopped and cut off; it keeps all that it has accepted (appendfsync always).

import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import * as clock from '../../src/clock.ts'
import type { Random } from '../random.ts'
import { type RedisServer, startRedis } from '../redis-server.ts'
import { catchUp, latency, percentile, quotesOf, throughput } from './measure.ts'
import { Rig } from './rig.ts'

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    processes: { type: 'string', default: '3' },
    quotes: { type: 'string', default: '50000' },
    redis: { type: 'boolean', default: false },
    figures: { type: 'boolean', default: false },
  },
})

const FEEDS = 3
const LINES = 10
const THROUGHPUT_S = 8
const SENDS = 1_000
const SENDS_EVERY_MS = 5
const CATCH_UP_QUOTES = 1_000_000

const print = (row: object): void => void process.stdout.write(`${JSON.stringify(row)}\n`)

const faultOf = async (
  redis: RedisServer,
  random: Random,
  counts: { redisKills: number; redisPauses: number; cuts: number },
): Promise<void> => {
  const kind = random.int(0, 2)
  if (kind === 0) {
    counts.redisKills++
    await redis.kill9()
    await pause(random.int(0, 2_000))
    await redis.start()
  } else if (kind === 1) {
    counts.redisPauses++
    redis.freeze()
    await pause(random.int(100, 5_000))
    redis.thaw()
  } else {
    counts.cuts++
    redis.cli('CLIENT', 'KILL', 'TYPE', 'normal')
  }
}

const run = async (minutes: number, seed: number, processes: number, quotesPerS: number): Promise<boolean> => {
  const redis = await startRedis('--appendonly', 'yes', '--appendfsync', flags.redis ? 'always' : 'everysec')
  const rate = Math.ceil(quotesPerS / quotesOf(LINES) / FEEDS)
  const terms = { processes, feeds: FEEDS, lines: LINES, rate, window: 64, desks: 2, events: 20, restPauseMs: 50 }
  const rig = new Rig({ redisUrl: redis.url, seed, ...terms })
  const counts = { kills: 0, pauses: 0, moves: 0, redisKills: 0, redisPauses: 0, cuts: 0 }
  const readyMs: number[] = []
  try {
    await rig.begin()
    const before = rig.history.receipts
    const startedMs = clock.elapsedMs()
    const endsMs = startedMs + minutes * 60_000
    const moves = setInterval(() => {
      counts.moves++
      rig.desks[0]!.move()
    }, 1_000)
    while (clock.elapsedMs() < endsMs && rig.violations.count === 0) {
      await pause(rig.random.int(2_000, 15_000))
      if (flags.redis && rig.random.chance(0.6)) {
        await faultOf(redis, rig.random, counts)
        continue
      }
      const member = rig.random.pick(rig.up)
      if (rig.random.chance(0.2)) {
        counts.pauses++
        member.server.signal('SIGSTOP')
        await pause(rig.random.int(100, 4_000))
        member.server.signal('SIGCONT')
        continue
      }
      counts.kills++
      await rig.kill(member)
      await pause(rig.random.int(0, 3_000))
      await rig.restart(member)
      readyMs.push(member.server.readyMs)
    }
    clearInterval(moves)
    const tookS = (clock.elapsedMs() - startedMs) / 1_000
    const receipts = rig.history.receipts - before
    await rig.check()
    const { violations, history, rest, desks, epochs, resets } = rig
    const latencies = rig.feeders.flatMap((feeder) => feeder.latencies)
    print({
      ...{ what: 'history', seed, processes, minutes: Number((tookS / 60).toFixed(2)), ...counts },
      ...{ quotesPerS: Math.round((receipts * quotesOf(LINES)) / tookS), askedQuotesPerS: quotesPerS },
      ...{ receipts: history.receipts, messages: history.messages, restCompared: history.compared },
      ...{ receiptP50Ms: percentile(latencies, 0.5), receiptP99Ms: percentile(latencies, 0.99) },
      ...{ readyP50Ms: percentile(readyMs, 0.5), readyMaxMs: percentile(readyMs, 1) },
      ...{ epochs: epochs.length, resets, desks: desks.map(({ desk, ends }) => ({ ...desk.counts, ends: [...ends] })) },
      ...{ statuses: Object.fromEntries(rest.statuses), violations: violations.lines },
    })
    return violations.count === 0
  } finally {
    await rig.end()
    await redis.remove()
  }
}

const seed = Number(flags.seed)
let isKept = true
const minutes = Number(flags.minutes)
if (minutes > 0) isKept = await run(minutes, seed, Number(flags.processes), Number(flags.quotes))
if (flags.figures) {
  for (const processes of [1, 2, 3]) print(await throughput(processes, seed, THROUGHPUT_S))
  for (const row of await latency(seed, SENDS, SENDS_EVERY_MS)) print(row)
  for (const row of await catchUp(CATCH_UP_QUOTES, seed)) print(row)
}
process.exit(isKept ? 0 : 1)
