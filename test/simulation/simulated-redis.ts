// A Redis on a network, in simulated time: one server, and connections of several processes to it. Requests and answers take
// their time, connections break, and the server stops, ends, forgets and fills up.

import { type RedisPort, type RedisTerms, refusalOf, type Reply, type Script } from '../../src/redis/redis.ts'
import type { Random } from '../random.ts'
import { type Argument, asText, type Dump, RedisError, RedisStore } from './redis-store.ts'
import { type Owner, TIME } from './time.ts'

const PREFIX = '{sim}'
/** For how long back there is a dump of each write, and of each second, ms. */
const TAIL_MS = 3_000
const HISTORY_MS = 120_000

/** One connection, as long as it lasts. */
interface Link {
  readonly owner: Owner
  /** Of the client. */
  isOpen: boolean
  /** The server still carries out what is under way. */
  isServed: boolean
  arrivedMs: number
  answeredMs: number
  readonly broken: () => void
}

interface Written {
  readonly atMs: number
  readonly dump: Dump
}

interface Waiting {
  readonly key: string
  readonly look: () => boolean
}

/** What a restart finds. */
export type Found = 'all' | 'without the tail' | 'an older dump' | 'nothing'

/** Which way octets of a process do not go through. */
export type Direction = 'requests' | 'answers' | 'both'

/** Something was forgotten. */
export interface Loss {
  readonly atMs: number
  /** Up to then nothing was. */
  readonly keptMs: number
}

export class SimulatedRedis {
  readonly losses: Loss[] = []
  /** Added to each way, ms. */
  slowMs = 0
  isReadOnly = false
  private readonly random: Random
  private store = new RedisStore('run 0')
  private isUp = true
  private starts = 0
  private pausedUntilMs = 0
  private held: (() => void)[] = []
  private waiting: Waiting[] = []
  private readonly links = new Set<Link>()
  private readonly partitions = new Map<Owner, { readonly way: Direction; readonly untilMs: number }>()
  private history: Written[] = []
  private cutsAfterAppend = false

  constructor(random: Random) {
    this.random = random
  }

  // --- what happens to it

  set isFull(isFull: boolean) {
    this.store.isFull = isFull
  }

  /** Connections break; what is under way may have been carried out. @param owner of this process alone */
  cut(owner?: Owner): void {
    for (const link of [...this.links]) {
      if (owner === undefined || link.owner === owner) this.break(link, this.random.chance(0.5))
    }
  }

  /** The next turn is accepted, and its answer lost with the connection. */
  cutAfterAppend(): void {
    this.cutsAfterAppend = true
  }

  /** Like SIGSTOP. */
  pause(ms: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, TIME.nowMs + ms)
    TIME.outside(ms, () => this.goOn())
  }

  /** @param downMs until it runs again; 0: a replica takes over at once */
  restart(found: Found, downMs: number): void {
    for (const link of [...this.links]) this.break(link, false)
    this.waiting = []
    this.held = []
    this.pausedUntilMs = 0
    this.isUp = false
    const start = ++this.starts
    const { nowMs } = TIME
    const keptMs = this.keptOf(found)
    const isFull = this.store.isFull
    const kept = this.history.findLast(({ atMs }) => atMs <= keptMs)
    const isSame = kept === this.history.at(-1)
    if (!isSame) this.losses.push({ atMs: nowMs, keptMs: kept === undefined ? 0 : keptMs })
    this.history = this.history.filter(({ atMs }) => atMs <= keptMs)
    this.store = new RedisStore(`run ${start}`, kept?.dump)
    this.store.isFull = isFull
    TIME.outside(downMs, () => (this.isUp ||= start === this.starts))
  }

  /** Somebody gives it FLUSHALL. */
  empty(): void {
    const { isFull, runId } = this.store
    this.losses.push({ atMs: TIME.nowMs, keptMs: 0 })
    this.store = new RedisStore(runId)
    this.store.isFull = isFull
    this.remember()
  }

  /** Octets of a process come late; then its connections may break. */
  partition(owner: Owner, way: Direction, ms: number): void {
    this.partitions.set(owner, { way, untilMs: TIME.nowMs + ms })
    const breaks = this.random.chance(0.5)
    TIME.outside(ms, () => breaks && this.cut(owner))
  }

  /** Where the log is, as text. */
  get place(): string {
    const reply = this.store.execute(TIME.wallMs, 'HMGET', `${PREFIX}:meta`, 'epoch', 'position')
    const [epoch, position] = reply as readonly Reply[]
    return `turn ${String(position)} of epoch ${String(epoch)}`
  }

  /** All that was wrong is over. */
  heal(): void {
    this.slowMs = 0
    this.isReadOnly = false
    this.isFull = false
    this.partitions.clear()
    this.cutsAfterAppend = false
    this.pausedUntilMs = 0
    this.goOn()
  }

  /** The process has ended: its connections are gone. */
  gone(owner: Owner): void {
    this.cut(owner)
    this.partitions.delete(owner)
  }

  private keptOf(found: Found): number {
    const { nowMs } = TIME
    switch (found) {
      case 'all':
        return nowMs
      case 'without the tail':
        return nowMs - this.random.next() * 1_500
      case 'an older dump':
        return nowMs - 2_000 - this.random.next() * 60_000
      case 'nothing':
        return Number.NEGATIVE_INFINITY
    }
  }

  // --- as processes see it

  /** A connection of the process that calls. */
  connect(owner: Owner, { timeoutMs }: RedisTerms = {}): RedisPort {
    return new SimulatedConnection(this, owner, timeoutMs)
  }

  /** @returns undefined: it cannot be reached */
  open(owner: Owner, broken: () => void): Link | undefined {
    const isParted = (this.partitions.get(owner)?.untilMs ?? 0) > TIME.nowMs
    if (!this.isUp || this.isPaused || isParted) return undefined
    const link = { owner, isOpen: true, isServed: true, arrivedMs: 0, answeredMs: 0, broken }
    this.links.add(link)
    return link
  }

  break(link: Link, isServed: boolean): void {
    link.isOpen = false
    link.isServed = isServed
    if (this.links.delete(link)) TIME.after(this.wayMs(), link.broken, undefined, link.owner)
  }

  /**
   * Sends a request.
   * @param act carries it out; undefined: the answer comes later
   * @param answered called with the answer, unless the connection breaks before
   */
  send(
    link: Link,
    act: (server: SimulatedRedis, answer: (reply: Reply | Error) => void) => void,
    answered: (reply: Reply | Error) => void,
  ): void {
    link.arrivedMs = this.arrivalMs(link, link.arrivedMs, 'requests')
    TIME.outside(link.arrivedMs - TIME.nowMs, () =>
      this.whenAwake(() => {
        if (!link.isServed || !this.isUp) return
        act(this, (reply) => {
          link.answeredMs = this.arrivalMs(link, link.answeredMs, 'answers')
          TIME.after(link.answeredMs - TIME.nowMs, () => link.isOpen && answered(reply), undefined, link.owner)
          if (reply instanceof Error && refusalOf(reply) === 'READONLY') this.break(link, false)
        })
      }),
    )
  }

  /** Carries out a command or a script. */
  carryOut(isAppend: boolean, act: (store: RedisStore, nowAt: number) => Reply): Reply | Error {
    const { store } = this
    const before = this.isReadOnly ? store.dump() : undefined
    store.isDirty = false
    let reply: Reply | Error
    try {
      reply = act(store, TIME.wallMs)
    } catch (error) {
      if (!(error instanceof RedisError)) throw error
      reply = error
    }
    if (!store.isDirty) return reply
    if (before !== undefined) {
      const { isFull } = store
      this.store = new RedisStore(store.runId, before)
      this.store.isFull = isFull
      return new RedisError("READONLY You can't write against a read only replica.")
    }
    this.remember()
    this.waiting = this.waiting.filter(({ look }) => !look())
    if (isAppend && this.cutsAfterAppend && Array.isArray(reply)) {
      this.cutsAfterAppend = false
      this.cut()
    }
    return reply
  }

  /** XREAD with BLOCK. */
  read(key: string, id: string, count: number, blockMs: number, answer: (reply: Reply | Error) => void): void {
    let isOver = false
    const look = (): boolean => {
      if (isOver) return true
      const reply = this.store.after(TIME.wallMs, key, id, count)
      if (reply === null) return false
      isOver = true
      answer(reply)
      return true
    }
    if (look()) return
    this.waiting.push({ key, look })
    const { starts } = this
    TIME.outside(blockMs, () =>
      this.whenAwake(() => {
        if (isOver || starts !== this.starts) return
        isOver = true
        answer(null)
      }),
    )
  }

  /** Time that octets need for one way, ms. */
  wayMs(): number {
    const { random, slowMs } = this
    return (random.chance(0.98) ? 0.05 + random.next() * 0.4 : random.next() * 60) + slowMs * random.next()
  }

  private arrivalMs({ owner }: Link, beforeMs: number, way: 'requests' | 'answers'): number {
    const parted = this.partitions.get(owner)
    const fromMs =
      parted !== undefined && parted.way !== (way === 'requests' ? 'answers' : 'requests') ? parted.untilMs : 0
    return Math.max(beforeMs, Math.max(TIME.nowMs, fromMs) + this.wayMs())
  }

  private get isPaused(): boolean {
    return this.pausedUntilMs > TIME.nowMs
  }

  private whenAwake(act: () => void): void {
    if (this.isPaused) this.held.push(act)
    else act()
  }

  private goOn(): void {
    if (this.isPaused) return
    for (const act of this.held.splice(0)) act()
  }

  private remember(): void {
    const { nowMs } = TIME
    const { history } = this
    history.push({ atMs: nowMs, dump: this.store.dump() })
    if (history.length < 2_000) return
    this.history = history.filter(({ atMs }, place) => {
      if (atMs > nowMs - TAIL_MS) return true
      return atMs > nowMs - HISTORY_MS && Math.floor(atMs / 1_000) !== Math.floor(history[place + 1]!.atMs / 1_000)
    })
  }
}

interface Pending {
  timer: NodeJS.Timeout | undefined
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

/** As src/redis/redis.ts: no queue, a deadline, and a new connection after each loss. */
class SimulatedConnection implements RedisPort {
  private readonly server: SimulatedRedis
  private readonly owner: Owner
  private readonly timeoutMs: number | undefined
  private link: Link | undefined
  private readonly pending = new Set<Pending>()
  private attempts = 0
  private isClosed = false

  constructor(server: SimulatedRedis, owner: Owner, timeoutMs: number | undefined) {
    this.server = server
    this.owner = owner
    this.timeoutMs = timeoutMs
    this.attempt()
  }

  get isConnected(): boolean {
    return this.link !== undefined
  }

  key(name: string): string {
    return `${PREFIX}:${name}`
  }

  async call(command: string, ...args: readonly Argument[]): Promise<Reply> {
    return asText(await this.callBuffer(command, ...args))
  }

  callBuffer(command: string, ...args: readonly Argument[]): Promise<Reply> {
    if (command !== 'XREAD') {
      return this.send((server, answer) =>
        answer(server.carryOut(false, (store, nowAt) => store.execute(nowAt, command, ...args))),
      )
    }
    const [, count, , blockMs, , key, id] = args
    return this.send((server, answer) => server.read(String(key), String(id), Number(count), Number(blockMs), answer))
  }

  async run({ name }: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply> {
    const all = keys.map((key) => this.key(key))
    const isAppend = name === 'oddswireAppend'
    return asText(
      await this.send((server, answer) =>
        answer(server.carryOut(isAppend, (store, nowAt) => store.run(nowAt, name, all, args))),
      ),
    )
  }

  close(): void {
    this.isClosed = true
    const { link } = this
    if (link !== undefined) this.server.break(link, true)
    this.lose()
  }

  private send(act: Parameters<SimulatedRedis['send']>[1]): Promise<Reply> {
    const { link, timeoutMs } = this
    if (link === undefined || this.isClosed) {
      return Promise.reject(new Error("Stream isn't writeable and enableOfflineQueue options is false"))
    }
    return new Promise((resolve, reject) => {
      const pending: Pending = { resolve, reject, timer: undefined }
      this.pending.add(pending)
      pending.timer =
        timeoutMs === undefined
          ? undefined
          : setTimeout(() => this.pending.delete(pending) && reject(new Error('Command timed out')), timeoutMs)
      this.server.send(link, act, (reply) => {
        clearTimeout(pending.timer)
        if (!this.pending.delete(pending)) return
        TIME.touch()
        if (reply instanceof Error) reject(reply)
        else resolve(reply)
      })
    })
  }

  private attempt(): void {
    if (this.isClosed) return
    const link: Link | undefined = this.server.open(this.owner, () => {
      if (this.link !== link) return
      this.lose()
      this.later()
    })
    if (link === undefined) {
      this.later()
      return
    }
    TIME.after(
      this.server.wayMs(),
      () => {
        if (!link.isOpen) {
          this.later()
          return
        }
        if (this.isClosed) {
          this.server.break(link, false)
          return
        }
        this.attempts = 0
        this.link = link
      },
      undefined,
      this.owner,
    )
  }

  private later(): void {
    if (this.isClosed) return
    TIME.after(Math.min(20 * ++this.attempts, 500), () => this.attempt(), undefined, this.owner)
  }

  private lose(): void {
    this.link = undefined
    TIME.touch()
    for (const { reject, timer } of this.pending) {
      clearTimeout(timer)
      reject(new Error('Connection is closed.'))
    }
    this.pending.clear()
  }
}
