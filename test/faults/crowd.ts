// Many clients at once: half of them stalled, connections that send nothing, a key that is revoked, more than can be served.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import * as clock from '../../src/clock.ts'
import { until } from '../feeds/waiting.ts'
import { clientFrame } from '../stomp/strict-frames.ts'
import { type Fault, spreadMs } from './fault.ts'
import { Link } from './link.ts'
import { sightingOf } from './publisher.ts'
import { request } from './reader.ts'
import { Rig } from './rig.ts'
import { command, MAIN } from './server.ts'
import { TOPIC } from './subscriber.ts'

const NUL = 0
const FIRST_FRAMES = 2

/** A subscriber that counts frames and keeps the last octets. */
class Sink {
  readonly socket: Socket
  messages = -FIRST_FRAMES
  hasEnded = false
  private tail = ''

  constructor(port: number, key: string) {
    this.socket = createConnection(port, '127.0.0.1')
    this.socket.on('error', () => {})
    this.socket.once('close', () => (this.hasEnded = true))
    this.socket.on('data', (bytes: Buffer) => {
      for (let at = bytes.indexOf(NUL); at >= 0; at = bytes.indexOf(NUL, at + 1)) this.messages++
      this.tail = (this.tail + bytes.toString('latin1', Math.max(0, bytes.length - 2_000))).slice(-2_000)
    })
    this.socket.write(clientFrame('CONNECT', { 'accept-version': '1.2', passcode: key, 'heart-beat': '0,0' }, '1.2'))
    this.socket.write(clientFrame('SUBSCRIBE', { id: 's', destination: TOPIC, receipt: 's' }, '1.2'))
  }

  /** Frames after CONNECTED and the RECEIPT of the SUBSCRIBE. */
  get isSubscribed(): boolean {
    return this.messages >= 0
  }

  get isSlow(): boolean {
    return /ERROR\n(.*\n)*?message:slow_consumer\n/.test(this.tail) && this.tail.includes('resume-from:')
  }
}

const OUTCOMES = Array.from({ length: 200 }, (_, n) => `player_${n}`)

/** A large observation: messages of about 40 KB. */
const largeBody = (number: number): string =>
  JSON.stringify({
    transport: 'live',
    observedAt: new Date(clock.now()).toISOString(),
    event: sightingOf(0),
    quotes: OUTCOMES.map((outcome, place) => ({
      type: 'player_prop',
      outcome,
      odds: 1.01 + ((number * 7 + place) % 500) / 100,
    })),
  })

/** What the system may keep of a connection that is not read, and some more. */
const SENDS_MAX = 2_000

export const stalled: Fault = {
  name: 'stalled',
  promise: 'clients that do not read are disconnected with a point to resume from; the others get every message',
  async run({ isLong, runs = isLong ? 500 : 50, seed, folder, store }) {
    const rig = new Rig({ folder, store, seed, publishers: 1, events: 1 })
    const { violations, keys } = rig
    await rig.start()
    const { stomp } = rig.server.ports
    const receipts = new Map<string, () => void>()
    const feed = await Link.open(stomp, keys.feed, ({ command: name, headers }) => {
      if (name === 'RECEIPT') receipts.get(headers.get('receipt-id')!)?.()
    })
    let sent = 0
    const send = async (): Promise<void> => {
      const receipt = String(++sent)
      const confirmed = new Promise<void>((resolve) => receipts.set(receipt, resolve))
      feed.send('SEND', { destination: '/feed/book_0', receipt }, largeBody(sent))
      await Promise.race([confirmed, feed.ended])
      receipts.delete(receipt)
      if (feed.hasEnded) throw new Error('the session of the feed has ended')
    }
    const sinks = Array.from({ length: 2 * runs }, () => new Sink(stomp, keys.desk))
    await rig.until('all are subscribed', () => sinks.every(({ isSubscribed }) => isSubscribed))
    const healthy = sinks.slice(runs)
    const deliver = async (): Promise<number> => {
      const startedMs = clock.elapsedMs()
      await send()
      await rig.until('all healthy clients have it', () =>
        healthy.every(({ messages, hasEnded }) => hasEnded || messages >= sent),
      )
      return clock.elapsedMs() - startedMs
    }
    const beforeMs: number[] = []
    const afterMs: number[] = []
    for (let n = 0; n < 10; n++) beforeMs.push(await deliver())
    for (const { socket } of sinks.slice(0, runs)) socket.pause()
    const slow = async (): Promise<number> => (await rig.server.metric('oddswire_stomp_slow_consumers_total')) ?? 0
    while ((await slow()) < runs && sent < SENDS_MAX) {
      for (let n = 0; n < 8; n++) afterMs.push(await deliver())
    }
    const ended = await slow()
    violations.check(
      ended === runs,
      () => `${ended} of ${runs} stalled clients were disconnected after ${sent} messages`,
    )
    for (const { socket } of sinks.slice(0, runs)) socket.resume()
    await rig.until('stalled clients see their end', () => sinks.slice(0, runs).every(({ hasEnded }) => hasEnded))
    const told = sinks.slice(0, runs).filter(({ isSlow }) => isSlow).length
    for (const { messages, hasEnded } of healthy) {
      violations.check(!hasEnded && messages === sent, () => `a client that reads has ${messages} of ${sent} messages`)
    }
    for (const { socket } of healthy) socket.destroy()
    feed.destroy()
    await rig.server.end('SIGTERM')
    return {
      runs,
      seen: `${runs} stalled (${told} found ERROR and resume-from), ${runs} healthy, ${sent} messages; to all healthy: ${spreadMs(beforeMs)} before, ${spreadMs(afterMs)} beside them`,
      violations: violations.lines,
    }
  },
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0

/** Callers of REST over connections of their own, and how long each answer took. */
class Callers {
  tookMs: number[] = []
  readonly statuses = new Map<number, number>()
  broken = 0
  private isOver = false
  private readonly loops: Promise<unknown>

  constructor(
    port: number,
    path: string,
    key: string,
    connections: number,
    onAnswer: (status: number, sentMs: number) => void = () => {},
  ) {
    const agent = new Agent({ keepAlive: true, maxSockets: connections })
    const loop = async (): Promise<void> => {
      while (!this.isOver) {
        const sentMs = clock.elapsedMs()
        try {
          const { status } = await request(port, path, key, agent)
          this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
          this.tookMs.push(clock.elapsedMs() - sentMs)
          onAnswer(status, sentMs)
        } catch {
          this.broken++
        }
      }
    }
    this.loops = Promise.all(Array.from({ length: connections }, loop)).finally(() => agent.destroy())
  }

  async stop(): Promise<void> {
    this.isOver = true
    await this.loops
  }
}

export const loris: Fault = {
  name: 'loris',
  promise: 'connections that send an octet now and then, and connects in a storm: REST answers every request',
  async run({ isLong, runs = isLong ? 2_000 : 200, seed, folder, store }) {
    const rig = new Rig({ folder, store, seed })
    const { violations, keys, record } = rig
    await rig.begin()
    await rig.reader.stop()
    await rig.quiet()
    const { http, stomp } = rig.server.ports
    const callers = new Callers(http, `/events/${record.eventIds[0]}/odds`, keys.desk, 4)
    const secondsOf = isLong ? 10 : 3
    const measure = async (): Promise<{ readonly p50: number; readonly p99: number; readonly count: number }> => {
      callers.tookMs = []
      const startMs = clock.elapsedMs()
      await rig.until('the time of the measurement is over', () => clock.elapsedMs() - startMs > secondsOf * 1_000)
      return { p50: quantile(callers.tookMs, 0.5), p99: quantile(callers.tookMs, 0.99), count: callers.tookMs.length }
    }
    const quiet = await measure()
    let isOver = false
    let connects = 0
    const open = (port: number): Socket => createConnection(port, '127.0.0.1').on('error', () => {})
    const slow = async (port: number, text: string): Promise<void> => {
      while (!isOver) {
        const socket = open(port)
        const closed = once(socket, 'close').catch(() => undefined)
        let isClosed = false
        void closed.then(() => (isClosed = true))
        for (const letter of text) {
          if (isOver || isClosed) break
          socket.write(letter)
          // Its slowness is the fault.
          await pause(500)
        }
        socket.destroy()
        await closed
      }
    }
    const storm = async (): Promise<void> => {
      const perTick = Math.ceil(runs / 100)
      while (!isOver) {
        for (let n = 0; n < perTick; n++) {
          connects++
          const socket = open(n % 2 === 0 ? http : stomp)
          socket.once('connect', () => socket.destroy())
        }
        await pause(10)
      }
    }
    const attackers = Array.from({ length: runs / 2 }, (_, n) =>
      n % 2 === 0
        ? slow(http, 'GET /api/v1/sports HTTP/1.1\r\nHost: x\r\n')
        : slow(stomp, 'CONNECT\naccept-version:1.2\n'),
    )
    attackers.push(storm())
    const attacked = await measure()
    rig.flow()
    await rig.receipts(100)
    isOver = true
    await Promise.all(attackers)
    await callers.stop()
    violations.check(callers.broken === 0, () => `${callers.broken} requests were not answered`)
    violations.check(
      [...callers.statuses.keys()].every((status) => status === 200),
      () => `REST: ${[...callers.statuses]}`,
    )
    violations.check(
      rig.publishers.every(({ link }) => !link!.hasEnded),
      () => 'a feed was disconnected',
    )
    violations.check(!rig.subscriber.link!.hasEnded, () => 'the desk was disconnected')
    await rig.quiet()
    await rig.settled()
    await rig.end()
    return {
      runs: connects,
      seen: `${runs / 2} slow, ${Math.round(connects / secondsOf)} connects/s; REST p50/p99 ${quiet.p50.toFixed(1)}/${quiet.p99.toFixed(1)} ms before (${quiet.count}), ${attacked.p50.toFixed(1)}/${attacked.p99.toFixed(1)} ms meanwhile (${attacked.count})`,
      violations: violations.lines,
    }
  },
}

export const revocation: Fault = {
  name: 'revoke',
  promise: 'no request is accepted that was sent after `key revoke` returned, and no live session goes on',
  async run({ isLong, runs = isLong ? 10 : 2, seed, folder, store }) {
    const callersMax = isLong ? 1_000 : 200
    const rig = new Rig({ folder, store, seed, publishers: 1, events: 2 })
    const { violations, record } = rig
    await rig.begin()
    await rig.reader.stop()
    let answered = 0
    for (let run = 0; run < runs; run++) {
      const key = command(rig.dataDir, 'key', 'create', '--org', 'desks')
      let returnedMs = Number.POSITIVE_INFINITY
      let late = 0
      let refused = 0
      const onAnswer = (status: number, sentMs: number): void => {
        if (status === 401) refused++
        else if (sentMs > returnedMs) late++
        else answered++
      }
      const { http, stomp } = rig.server.ports
      let messages = 0
      const session = await Link.open(stomp, key, () => messages++)
      session.send('SUBSCRIBE', { id: 's', destination: TOPIC })
      const callers = new Callers(http, `/events/${record.eventIds[0]}/odds`, key, callersMax, onAnswer)
      const startedWith = answered
      await rig.until('all call', () => answered > startedWith + callersMax && messages > 0)
      const child: ChildProcess = spawn(process.execPath, [MAIN, 'key', 'revoke', key, '--data-dir', rig.dataDir])
      const [code] = (await once(child, 'exit')) as [number | null]
      returnedMs = clock.elapsedMs()
      violations.check(code === 0, () => `key revoke: exit code ${code}`)
      await rig.until('all are refused', () => refused > 2 * callersMax)
      await rig.until('the session has ended', () => session.hasEnded)
      await callers.stop()
      violations.check(late === 0, () => `${late} requests were accepted after the command had returned`)
    }
    await rig.quiet()
    await rig.end()
    return { runs, seen: `${callersMax} callers, ${answered} answers before`, violations: violations.lines }
  },
}

/** Of the capacity, what must be left under overload: the machine of a short run is shared. */
const GOODPUT_MIN = { long: 0.8, short: 0.5 } as const
const OVERLOAD = 3

export const overload: Fault = {
  name: 'overload',
  promise: `goodput at ${OVERLOAD} times the load that the service can confirm is at least ${GOODPUT_MIN.long} of its capacity`,
  async run({ isLong, runs = isLong ? 5 : 2, seed, folder, store }) {
    const window = 256
    const rig = new Rig({ folder, store, seed, publishers: 2 * OVERLOAD, window })
    const { violations, record, publishers } = rig
    await rig.start()
    await rig.connectDesk()
    await rig.connectPublishers()
    await rig.until('all events have an id', () => record.eventIds.every((id) => id !== undefined))
    // It shares the processor of the feeds here, and comes back when they are quiet.
    rig.subscriber.link!.destroy()
    const measure = async (count: number): Promise<number> => {
      for (const [n, publisher] of publishers.entries()) {
        publisher.isFlowing = n < count
        publisher.flow()
      }
      await rig.until('the others are quiet', () => publishers.slice(count).every(({ waiting }) => waiting === 0))
      const startMs = clock.elapsedMs()
      const before = record.receipts
      await until('the time of the measurement is over', () => clock.elapsedMs() - startMs > (isLong ? 5_000 : 1_500))
      return ((record.receipts - before) * 1_000) / (clock.elapsedMs() - startMs)
    }
    const ratios: number[] = []
    const capacities: number[] = []
    for (let run = 0; run < runs; run++) {
      const capacity = await measure(2)
      const goodput = await measure(2 * OVERLOAD)
      capacities.push(capacity)
      ratios.push(goodput / capacity)
    }
    const least = GOODPUT_MIN[isLong ? 'long' : 'short']
    const middle = quantile(ratios, 0.5)
    violations.check(middle >= least, () => `goodput is ${middle.toFixed(2)} of the capacity`)
    await rig.quiet()
    await rig.connectDesk()
    await rig.settled()
    await rig.end()
    return {
      runs,
      seen: `${Math.round(quantile(capacities, 0.5))} SENDs/s with 2 feeds, ${middle.toFixed(2)} of it with ${2 * OVERLOAD}`,
      violations: violations.lines,
    }
  },
}

export const crowd: readonly Fault[] = [stalled, loris, revocation, overload]
