// A run with several processes: they share a log in a simulated Redis, desks and feeds move between them, and nobody can tell
// which one answered.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import * as clock from '../../src/clock.ts'
import type { Changes } from '../../src/board/changes.ts'
import { State } from '../../src/command/state.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { LIMITS } from '../../src/limits.ts'
import { refuse } from '../../src/domain/refusal.ts'
import { errorReply } from '../../src/rest/reply.ts'
import type { Exchange } from '../../src/rest/exchange.ts'
import { Random } from '../random.ts'
import { AccountBook } from './account-book.ts'
import { assertSameState, type Entry, entriesOf } from './record.ts'
import { ReplicaDesks } from './replica-desks.ts'
import { ReplicaFeeds } from './replica-feeds.ts'
import { type Peer, ReplicaProcess } from './replica-process.ts'
import { SimulatedRedis } from './simulated-redis.ts'
import { TIME } from './time.ts'
import { SPORTS } from './world-data.ts'

/** Until all serve again when all faults are over, ms. */
const RECOVERED_MS_MAX = 120_000

/** Until all have noticed where the log is, ms: some may have to begin again. */
const NOTICED_MS_MAX = 20_000

export class ReplicaWorld {
  readonly redis: SimulatedRedis
  readonly processes: readonly ReplicaProcess[]
  /** Where processes give their states. */
  readonly peers = new Map<string, Peer>()
  readonly limits: typeof LIMITS
  /** What customers may see: it does not change. */
  readonly book = new AccountBook(new Random(1), { hourly: 0, monthly: 0 })
  readonly desks: ReplicaDesks
  readonly feeds: ReplicaFeeds
  readonly hash = createHash('sha256')
  readonly counts = new Map<string, number>()
  /** Changes by epoch and seq, as the first process has published them. */
  private readonly changes = new Map<string, Map<number, Entry>>()
  private readonly chains = new Map<string, string>()
  private failure: unknown
  private checks = 0

  constructor(seed: number, processes: number) {
    TIME.reset()
    clock.ours.resume(undefined, Number.NEGATIVE_INFINITY)
    this.limits = { ...LIMITS, replayBytesMax: 2 ** 22, errorSessionsMax: 1_000_000 } as unknown as typeof LIMITS
    this.redis = new SimulatedRedis(new Random(seed + 11))
    this.processes = Array.from(
      { length: processes },
      (_, n) => new ReplicaProcess(this, 'abcdefgh'[n]!, seed + 20 * n),
    )
    this.desks = new ReplicaDesks(this)
    this.feeds = new ReplicaFeeds(this)
    for (const [n, process] of this.processes.entries()) process.start(10 * n)
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by)
  }

  fail(error: unknown): void {
    this.failure ??= error
  }

  note(text: string): void {
    this.hash.update(`${TIME.nowMs} ${text}\n`)
  }

  get lines(): readonly string[] {
    const all = this.processes.flatMap(({ lines }) => lines)
    return all.toSorted((a, b) => Number.parseInt(a) - Number.parseInt(b)).slice(-16)
  }

  get serving(): readonly ReplicaProcess[] {
    return this.processes.filter(({ isServing }) => isServing)
  }

  /** Changes of an epoch, by seq. */
  entriesOf(epoch: string): ReadonlyMap<number, Entry> {
    return this.changes.get(epoch) ?? new Map<number, Entry>()
  }

  /** A process has ended, or its service has: its connections are gone. */
  gone(process: ReplicaProcess): void {
    this.desks.gone(process)
    this.feeds.gone(process)
  }

  /** A process has stopped in order: nothing of it may be left. */
  left(process: ReplicaProcess): void {
    const left = TIME.left(process)
    assert.deepEqual(left, [], `${process.name} has stopped, and waits for something`)
  }

  /** A state whose turns are compared with those of the others. */
  newState(process: ReplicaProcess, nowAt: number): State {
    const settings = { quotesMax: 4_000, eventsMax: 400, labelsMax: 1_000, bookmakerShare: 1 }
    const state = new State(settings, nowAt, process.disk.functions, this.limits)
    const { engine } = state
    engine.onTurn((changes) => {
      try {
        this.published(process, engine, changes)
      } catch (error) {
        // Not into what the process does.
        this.fail(error)
      }
    })
    return state
  }

  private published({ name }: ReplicaProcess, engine: Engine, changes: Changes): void {
    const { epoch, turn, chain } = engine.link
    const place = `turn ${turn} of epoch ${epoch}`
    const known = this.chains.get(place)
    assert(known === undefined || known === chain, `${place} is another one in ${name}`)
    this.chains.set(place, chain)
    const entries = this.changes.get(epoch) ?? new Map<number, Entry>()
    this.changes.set(epoch, entries)
    for (const entry of entriesOf(engine, changes)) {
      const { seq, text } = entry
      const before = entries.get(seq)
      if (before === undefined) {
        entries.set(seq, entry)
        this.feeds.changed(epoch, entry)
      } else assert.equal(text, before.text, `seq ${seq} of epoch ${epoch} has other content in ${name}`)
    }
  }

  // --- time, and checks

  async runTo(ms: number, until?: () => boolean): Promise<void> {
    try {
      await TIME.run(ms, () => this.failure !== undefined || until?.() === true)
    } catch (error) {
      throw this.failure ?? error
    }
    if (this.failure !== undefined) throw this.failure
  }

  /** What holds at any moment. */
  check(): void {
    this.desks.check()
    for (const { server } of this.processes) assert.deepEqual(server?.faults ?? [], [])
    if (this.checks++ % 3 === 0) this.compare()
  }

  /** Processes at the same turn have the same state, and give the same bytes. */
  private compare(): void {
    const groups = new Map<string, ReplicaProcess[]>()
    for (const process of this.serving) {
      const { engine } = process.server!.state
      const place = `turn ${engine.link.turn} of epoch ${engine.epoch}`
      groups.set(place, [...(groups.get(place) ?? []), process])
    }
    for (const [place, [first, ...others]] of groups) {
      if (others.length === 0) continue
      this.count('states compared')
      for (const other of others)
        assertSameState(other.server!.state, first!.server!.state, `of ${other.name}, ${place},`)
      const random = new Random(this.checks)
      const nowAt = Math.max(this.processes[0]!.now(), ...[first!, ...others].map((each) => each.now()))
      const events = [...this.desks.eventIds]
      const paths = [
        ['/events', `transport=live&sport=${random.pick(SPORTS)}`],
        ...(events.length === 0 ? [] : [[`/events/${random.pick(events)}/odds`, 'transport=rest']]),
      ] as [string, string][]
      for (const [path, query] of paths) {
        const bytes = [first!, ...others].map((each) => this.answerOf(each, path, query, nowAt))
        if (bytes.includes(undefined)) continue
        this.count('answers compared')
        for (const each of bytes) assert.equal(each, bytes[0], `${path}?${query}, ${place}`)
      }
    }
  }

  private answerOf(process: ReplicaProcess, path: string, rawQuery: string, nowAt: number): string | undefined {
    const unanswered = errorReply(refuse('service_unavailable', ''))
    const exchange: Exchange = {
      method: 'get',
      path: `/api/v1${path}`,
      rawQuery,
      authorization: `Bearer ${this.book.customers[0]!.secret}`,
      apiKey: undefined,
      ifNoneMatch: undefined,
      acceptEncoding: undefined,
      origin: undefined,
      fault: undefined,
      operation: 'none',
      reply: unanswered,
      head: unanswered.head,
      admission: undefined,
    }
    TIME.touch()
    const waits = TIME.as(process, () => process.server!.rest.answer(exchange, nowAt))
    return waits === undefined ? `${exchange.reply.etag} ${exchange.reply.body.toString()}` : undefined
  }

  private get places(): ReadonlySet<string> {
    return new Set(
      this.serving.map(({ server }) => {
        const { engine } = server!.state
        return `turn ${engine.link.turn} of epoch ${engine.epoch}`
      }),
    )
  }

  /** In the end all faults are over: all must serve again, with one state. */
  async finish(): Promise<void> {
    this.redis.heal()
    for (const { disk } of this.processes) disk.setTrouble({})
    // Something may still be under way that ends a process.
    await this.runTo(TIME.nowMs + 5_000)
    const isWhole = (): boolean => this.serving.length === this.processes.length
    await this.runTo(TIME.nowMs + RECOVERED_MS_MAX, isWhole)
    assert(
      isWhole(),
      `after two minutes without faults there serve ${this.serving.map(({ name }) => name).join() || 'none'}`,
    )
    // Also those that have nothing to append notice where the log is.
    const isOne = (): boolean => this.places.size === 1 && this.places.has(this.redis.place)
    await this.runTo(TIME.nowMs + NOTICED_MS_MAX, () => isWhole() && isOne())
    assert(isOne(), `the log is at ${this.redis.place}, and processes are at ${[...this.places].join(' and ')}`)
    this.feeds.sendAll(new Random(1))
    await this.runTo(TIME.nowMs + 15_000)
    assert(isWhole(), 'a process has ended without a fault')
    // A turn may be on its way just now.
    await this.runTo(TIME.nowMs + 2_000, () => this.places.size === 1)
    const { places } = this
    assert.equal(places.size, 1, `at rest, processes are at ${[...places].join(' and ')}`)
    const [first, ...others] = this.processes
    for (const { server, name } of others) assertSameState(server!.state, first!.server!.state, `of ${name}, at rest,`)
    this.check()
    this.desks.checkEnd()
    this.feeds.checkEnd(first!.server!.state)
    this.note(`end ${[...places].join()}`)
    for (const process of this.processes) process.act(async () => void (await process.server!.stop()))
    await this.runTo(TIME.nowMs + 30_000)
    for (const process of this.processes) this.left(process)
  }
}
