// Figures of a service of several processes: throughput, what the log adds to the way of a price, and how long a new process
// takes.

import { setTimeout as pause } from 'node:timers/promises'
import * as clock from '../../src/clock.ts'
import { Link } from '../faults/link.ts'
import { sightingOf } from '../faults/publisher.ts'
import { numberOf, oddsOf } from '../faults/record.ts'
import type { Server } from '../faults/server.ts'
import { type Json, list } from '../json.ts'
import { type RedisServer, startRedis } from '../redis-server.ts'
import { Rig, type RigOptions } from './rig.ts'

const PRICES = 3
const LINES = 10

export const quotesOf = (lines: number): number => PRICES + 2 * lines

const rounded = (value: number, digits = 0): number => Number(value.toFixed(digits))

export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted.length === 0 ? Number.NaN : sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

const withRig = async <Value>(
  options: Omit<RigOptions, 'redisUrl'> & { readonly file?: boolean; readonly redis?: readonly string[] },
  run: (rig: Rig, redis: RedisServer) => Promise<Value>,
): Promise<Value> => {
  const redis = await startRedis(...(options.redis ?? []))
  const rig = new Rig({ ...options, redisUrl: options.file === true ? '' : redis.url })
  try {
    return await run(rig, redis)
  } finally {
    await rig.end()
    await redis.remove()
  }
}

/** Quotes a second that are confirmed, sent to all processes as fast as that. */
export const throughput = (processes: number, seed: number, seconds: number): Promise<object> =>
  withRig(
    { processes, seed, feeds: 6, window: 64, lines: LINES, desks: 1, events: 50, restPauseMs: 1_000 },
    async (rig) => {
      await rig.begin()
      await Promise.all([rig.rest.stop(), ...rig.desks.map((desk) => desk.stop())])
      await pause(1_000)
      const before = rig.history.receipts
      const startedMs = clock.elapsedMs()
      await pause(seconds * 1_000)
      const sends = ((rig.history.receipts - before) / (clock.elapsedMs() - startedMs)) * 1_000
      return { what: 'throughput', processes, sendsPerS: rounded(sends), quotesPerS: rounded(sends * quotesOf(LINES)) }
    },
  )

/** From SEND to MESSAGE and to RECEIPT, ms. */
interface Ways {
  readonly message: readonly number[]
  readonly receipt: readonly number[]
}

const wayOf = async (rig: Rig, to: Server, from: Server, sends: number, everyMs: number): Promise<Ways> => {
  const sentMs = new Map<number, number>()
  const took: number[] = []
  const receipts: number[] = []
  const desk = await Link.open(from.ports.stomp, rig.keys.desk, (frame) => {
    if (frame.command !== 'MESSAGE') return
    const nowMs = clock.elapsedMs()
    const [first] = list((JSON.parse(frame.body.toString('utf8')) as Json).quotes)
    took.push(nowMs - sentMs.get(numberOf(Number(first!.odds)))!)
  })
  desk.send('SUBSCRIBE', { id: 'desk', destination: '/topic/odds.#' })
  const feed = await Link.open(to.ports.stomp, rig.keys.feed, (frame) => {
    if (frame.command === 'RECEIPT')
      receipts.push(clock.elapsedMs() - sentMs.get(Number(frame.headers.get('receipt-id')))!)
  })
  await pause(300)
  for (let number = 1; number <= sends; number++) {
    const quotes = ['home', 'draw', 'away'].map((outcome) => ({
      ...{ type: 'match_result_1x2', outcome, odds: oddsOf(number), status: 'open' },
    }))
    const event = sightingOf(number % 50)
    const observedAt = new Date(clock.now()).toISOString()
    sentMs.set(number, clock.elapsedMs())
    feed.send(
      'SEND',
      { destination: '/feed/book_0', receipt: String(number) },
      JSON.stringify({ transport: 'both', observedAt, event, quotes }),
    )
    await pause(everyMs)
  }
  await rig.until('all have come', () => took.length >= sends && receipts.length >= sends)
  desk.destroy()
  feed.destroy()
  // The first ones name all events.
  return { message: took.slice(100), receipt: receipts.slice(100) }
}

/** The way of a price with the file log, with the shared log, and between two processes. */
export const latency = async (seed: number, sends: number, everyMs: number): Promise<object[]> => {
  const rows: object[] = []
  const row = (log: string, { message, receipt }: Ways): void => {
    const sendsPerS = rounded(1_000 / everyMs)
    for (const [what, took] of [
      ['SEND to MESSAGE', message],
      ['SEND to RECEIPT', receipt],
    ] as const) {
      const [p50Ms, p99Ms] = [0.5, 0.99].map((share) => rounded(percentile(took, share), 2))
      rows.push({ what, log, sendsPerS, p50Ms, p99Ms, sends: took.length })
    }
  }
  const idle = { seed, desks: 0, feeds: 1 }
  await withRig({ ...idle, file: true }, async (rig) => {
    const { server } = rig.add()
    await server.ready()
    row('file', await wayOf(rig, server, server, sends, everyMs))
  })
  for (const redis of [[], ['--appendonly', 'yes', '--appendfsync', 'always']]) {
    await withRig({ ...idle, redis }, async (rig) => {
      const [a, b] = [rig.add(), rig.add()]
      await Promise.all([a.server.ready(), b.server.ready()])
      const name = redis.length === 0 ? 'Redis' : 'Redis, appendfsync always'
      row(`${name}, same process`, await wayOf(rig, a.server, a.server, sends, everyMs))
    })
    await withRig({ ...idle, redis }, async (rig) => {
      const [a, b] = [rig.add(), rig.add()]
      await Promise.all([a.server.ready(), b.server.ready()])
      const name = redis.length === 0 ? 'Redis' : 'Redis, appendfsync always'
      row(`${name}, to another process`, await wayOf(rig, a.server, b.server, sends, everyMs))
    })
  }
  // What a replica of Redis has, too, before it is receipted (WAIT).
  await withRig({ ...idle, args: ['--redis-replicas', '1'] }, async (rig, redis) => {
    const copy = await startRedis('--replicaof', '127.0.0.1', String(redis.port))
    try {
      const { server } = rig.add()
      await server.ready()
      row('Redis and one replica of it (WAIT)', await wayOf(rig, server, server, sends, everyMs))
    } finally {
      await copy.remove()
    }
  })
  return rows
}

/** How long a new process takes until it is ready, with a board of so many quotes. */
export const catchUp = (quotes: number, seed: number): Promise<object[]> => {
  const lines = 130
  const feeds = 6
  // Each price is two quotes: one a transport.
  const events = Math.ceil(quotes / feeds / quotesOf(lines) / 2)
  const args = ['--quotes-max', String(2 * quotes)]
  return withRig(
    { processes: 1, args, seed, feeds, window: 8, lines, desks: 0, events, restPauseMs: 1_000 },
    async (rig, redis) => {
      const first = rig.add()
      await rig.ready(first)
      for (const feeder of rig.feeders) feeder.start()
      await rig.until(
        'the board is full',
        () => rig.history.books.flat().every(({ receipted }) => receipted > 0),
        300_000,
      )
      rig.hold()
      const held = 2 * events * feeds * quotesOf(lines)
      const rows: object[] = []
      const add = async (): Promise<void> => {
        const member = rig.add()
        await rig.ready(member)
        const how = member.server.stderr.includes('was fetched') ? 'checkpoint of a peer' : 'the stream'
        rows.push({ what: 'a new process', from: how, quotes: held, readyMs: rounded(member.server.readyMs) })
      }
      await add()
      redis.cli('XTRIM', '{oddswire}:log', 'MAXLEN', '1')
      await add()
      return rows
    },
  )
}
