// A subscriber with `on-slow:conflate` that reads a tenth of what its topic carries (bench/README.md): how late it gets
// changes of status and prices, whether it is ever disconnected, and whether a change of status is lost. Beside it a
// subscriber that reads everything.
//
//   node dist/bench/slow.js [--seconds 20] [--factor 10] [--rate 1000]

import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { FEED_DESTINATION, type LiveService, startLiveService } from './live-service.ts'
import { endServer } from './load.ts'
import { machine, print, rounded } from './report.ts'

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    factor: { type: 'string', default: '10' },
    rate: { type: 'string', default: '1000' },
  },
})
const seconds = Number(flags.seconds)
const rate = Number(flags.rate)

const EVENTS = 200
const QUOTES = 10
/** Of so many SENDs one suspends its event, and the next one of this event reopens it. */
const SUSPENDED_ONE_OF = 100
const READ_MS = 10
/** Octets that are read at a time at most. */
const READ_BYTES = 4_096

interface Seen {
  transitions: number
  prices: number
  degraded: number
  restoredAfterMs: number
  /** Seq of the last message, and of the last `restored`. */
  lastSeq: number
  restoredSeq: number
  ended: string | undefined
  readonly lateMs: { readonly transitions: number[]; readonly prices: number[] }
  /** By quote: its price and status. */
  readonly state: Map<string, string>
}

/** A subscriber that reads so many octets a second. */
class Subscriber {
  readonly seen: Seen = {
    transitions: 0,
    prices: 0,
    degraded: 0,
    restoredAfterMs: Number.NaN,
    lastSeq: 0,
    restoredSeq: 0,
    ended: undefined,
    lateMs: { transitions: [], prices: [] },
    state: new Map(),
  }
  bytes = 0
  /** Octets that may be read now; everything: infinity. */
  allowance = Number.POSITIVE_INFINITY
  catchUpFromAt = Number.NaN
  private readonly socket: Socket
  private rest = ''

  constructor({ stompPort, customerKey }: LiveService, headers: string) {
    const onread = {
      buffer: Buffer.alloc(READ_BYTES),
      callback: (count: number, buffer: Uint8Array): boolean => {
        this.receive(Buffer.from(buffer.subarray(0, count)).toString('latin1'))
        this.bytes += count
        this.allowance -= count
        return this.allowance > 0
      },
    }
    this.socket = connect({ port: stompPort, host: '127.0.0.1', onread })
    this.socket.on('close', () => {
      this.seen.ended ??= 'closed'
    })
    this.socket.write(`CONNECT\naccept-version:1.2\npasscode:${customerKey}\n\n\0`)
    this.socket.write(`SUBSCRIBE\nid:0\ndestination:/topic/odds.#\n${headers}\n\n\0`)
  }

  allow(octets: number): void {
    // What was read beyond it counts against the next.
    this.allowance = Math.min(this.allowance + octets, octets * 10)
    if (this.allowance > 0) this.socket.resume()
  }

  readAll(): void {
    this.allowance = Number.POSITIVE_INFINITY
    this.catchUpFromAt = Date.now()
    this.socket.resume()
  }

  end(): void {
    this.socket.destroy()
  }

  private receive(text: string): void {
    const frames = (this.rest + text).split('\0')
    this.rest = frames.pop()!
    for (const frame of frames) this.read(frame.trimStart())
  }

  private read(frame: string): void {
    const { seen } = this
    if (frame.startsWith('ERROR')) seen.ended = frame
    const kind = /\nkind:(\w+)/.exec(frame)?.[1]
    if (kind === 'degraded') seen.degraded++
    const seq = Number(/\nmessage-id:\w+-(\d+)/.exec(frame)?.[1] ?? 0)
    seen.lastSeq = Math.max(seen.lastSeq, seq)
    if (kind === 'restored') {
      seen.restoredSeq = seq
      seen.restoredAfterMs = Date.now() - this.catchUpFromAt
    }
    if (kind !== 'update') return
    const body = JSON.parse(frame.slice(frame.indexOf('\n\n') + 2)) as {
      eventId: string
      recordedAt: string
      quotes: { outcome: string; odds: number; status: string; change: string }[]
    }
    const lateMs = Date.now() - Date.parse(body.recordedAt)
    for (const { outcome, odds, status, change } of body.quotes) {
      seen.state.set(`${body.eventId} ${outcome}`, `${odds} ${status}`)
      const what = change === 'repriced' ? 'prices' : 'transitions'
      seen[what]++
      seen.lateMs[what].push(lateMs)
    }
  }
}

const feedOf = ({ stompPort, feedKey }: LiveService) => {
  const socket = connect({ port: stompPort, host: '127.0.0.1' })
  socket.write(`CONNECT\naccept-version:1.2\npasscode:${feedKey}\n\n\0`)
  let receipts = 0
  socket.on('data', (data) => {
    receipts += data.toString('latin1').split('RECEIPT').length - 1
  })
  let sent = 0
  return {
    send: (): void => {
      const event = sent % EVENTS
      const round = Math.floor(sent / EVENTS)
      const isSuspended = (event + round) % SUSPENDED_ONE_OF === 0
      const quotes = Array.from({ length: QUOTES }, (_, n) => ({
        ...{ type: 'correct_score', outcome: `${n}-${event % 7}`, odds: 2 + ((sent * 7 + n) % 900) / 100 },
        status: isSuspended ? 'suspended' : 'open',
      }))
      const body = JSON.stringify({
        transport: 'live',
        observedAt: new Date().toISOString(),
        event: {
          ...{ sport: 'football', league: { key: 'l', name: 'L' }, home: `Home ${event}`, away: `Away ${event}` },
          ...{ kickoffAt: '2035-01-01T20:00:00Z', sourceId: `e${event}` },
        },
        quotes,
      })
      socket.write(`SEND\ndestination:${FEED_DESTINATION}\nreceipt:${sent++}\n\n${body}\0`)
    },
    settled: async (): Promise<void> => {
      while (receipts < sent) await sleep(20)
    },
    end: (): void => void socket.destroy(),
  }
}

const percentile = (values: number[], of: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted.length === 0 ? Number.NaN : rounded(sorted[Math.floor((sorted.length - 1) * of)]!)
}

const folder = mkdtempSync(join(tmpdir(), 'oddswire-slow-'))
const service = await startLiveService(folder)
try {
  const fast = new Subscriber(service, 'snapshot:true')
  const slow = new Subscriber(service, 'snapshot:true\non-slow:conflate')
  const feed = feedOf(service)
  const everyMs = 10
  const startedAt = Date.now()
  let due = 0
  const bytesBefore = (): number => fast.bytes
  while (Date.now() - startedAt < seconds * 1_000) {
    const passedMs = Date.now() - startedAt
    for (; due < (passedMs * rate) / 1_000; due++) feed.send()
    // What the fast one gets in a second, once all events are known.
    const perSecond = passedMs < 1_000 ? Number.POSITIVE_INFINITY : (bytesBefore() / passedMs) * 1_000
    if (perSecond === Number.POSITIVE_INFINITY) slow.allow(1e9)
    else slow.allow((perSecond / Number(flags.factor)) * (READ_MS / 1_000))
    await sleep(everyMs)
  }
  const behind = { ...slow.seen, bytes: slow.bytes }
  const lateness = {
    transitions: {
      p50: percentile(slow.seen.lateMs.transitions, 0.5),
      p99: percentile(slow.seen.lateMs.transitions, 0.99),
    },
    prices: { p50: percentile(slow.seen.lateMs.prices, 0.5), p99: percentile(slow.seen.lateMs.prices, 0.99) },
  }
  await feed.settled()
  slow.readAll()
  const deadline = Date.now() + 30_000
  // In a run that is too short to fall behind nothing has to be restored.
  const isCurrent = (): boolean =>
    (slow.seen.degraded > 0 ? slow.seen.restoredSeq : slow.seen.lastSeq) >= fast.seen.lastSeq
  while (!isCurrent() && slow.seen.ended === undefined && Date.now() < deadline) {
    await sleep(20)
  }
  const isEqual =
    fast.seen.state.size === slow.seen.state.size &&
    [...fast.seen.state].every(([name, value]) => slow.seen.state.get(name) === value)
  print({
    bench: 'slow',
    ...machine(),
    seconds,
    sendsPerSecond: rate,
    quotesPerSend: QUOTES,
    octets: { fast: fast.bytes, slow: behind.bytes },
    transitions: { fast: fast.seen.transitions, slow: slow.seen.transitions },
    lost: fast.seen.transitions - slow.seen.transitions,
    pricesWhileBehind: { fast: fast.seen.prices, slow: behind.prices },
    degradedMessages: behind.degraded,
    disconnects: [fast, slow].filter(({ seen }) => seen.ended !== undefined).length,
    lateMs: lateness,
    restoredAfterMs: slow.seen.restoredAfterMs,
    stateIsEqual: isEqual,
  })
  if (slow.seen.ended !== undefined) console.error(slow.seen.ended)
  for (const end of [fast, slow, feed]) end.end()
} finally {
  await endServer(service.server)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
