// Processes that share a log, as far as their sources are concerned: each with an engine, a supervisor and its leases in a
// real Redis. The log is one list; a process that is cut off gets and appends nothing until it is back.

import { elapsedMs, now } from '../../src/clock.ts'
import type { Input, Turn } from '../../src/domain/input.ts'
import { Engine } from '../../src/engine/engine.ts'
import { type TurnLog, Turns } from '../../src/engine/turns.ts'
import { FeedClock } from '../../src/feed/feed-clock.ts'
import { RedisLeases, type RedisLeasesLimits } from '../../src/feed/redis-leases.ts'
import type { SourcePlan } from '../../src/feed/running-source.ts'
import { Supervisor } from '../../src/feed/supervisor.ts'
import { LIMITS } from '../../src/limits.ts'
import type { RedisAddress } from '../../src/redis/redis-address.ts'
import { Redis } from '../../src/redis/redis.ts'

const TURN_MS = 5

/** The turns of all processes, in one order. */
export class SharedLog {
  readonly turns: Turn[] = []
  private readonly readers = new Set<SharedLogEnd>()

  open(): SharedLogEnd {
    const end = new SharedLogEnd(this)
    this.readers.add(end)
    return end
  }

  append(turn: Turn): void {
    this.turns.push(turn)
    for (const reader of this.readers) reader.deliver()
  }

  /** All inputs so far, in their order. */
  inputs(): Input[] {
    return this.turns.flatMap(({ inputs }) => inputs)
  }
}

/** The log as one process has it. */
export class SharedLogEnd implements TurnLog {
  readonly isFull = false
  private readonly log: SharedLog
  private readonly own = new Map<Turn, (turn: Turn) => void>()
  private foreign: (turn: Turn) => void = () => {}
  private readonly unsent: Turn[] = []
  private delivered = 0
  private isDelivering = false
  private isCut = false
  private isHolding = false

  constructor(log: SharedLog) {
    this.log = log
  }

  append(turn: Turn, written: (turn: Turn) => void): void {
    this.own.set(turn, written)
    if (this.isCut || this.isHolding) this.unsent.push(turn)
    else this.log.append(turn)
  }

  onForeign(listener: (turn: Turn) => void): void {
    this.foreign = listener
  }

  onRoom(): void {}

  /** What it has not been able to append. */
  unsentInputs(): Input[] {
    return this.unsent.flatMap(({ inputs }) => inputs)
  }

  /** What is appended while it is cut off comes late, after what others have said meanwhile. */
  cut(): void {
    this.isCut = true
  }

  /** What is appended comes late, and it still gets what others say. */
  hold(): void {
    this.isHolding = true
  }

  mend(): void {
    this.isCut = false
    this.isHolding = false
    for (const turn of this.unsent.splice(0)) this.log.append(turn)
    this.deliver()
  }

  deliver(): void {
    if (this.isDelivering) return
    this.isDelivering = true
    setImmediate(() => {
      this.isDelivering = false
      while (!this.isCut && this.delivered < this.log.turns.length) {
        const turn = this.log.turns[this.delivered++]!
        const written = this.own.get(turn)
        this.own.delete(turn)
        if (written === undefined) this.foreign(turn)
        else written(turn)
      }
    })
  }
}

export interface ReplicaOptions {
  readonly id: string
  readonly log: SharedLog
  readonly address: RedisAddress
  readonly limits?: RedisLeasesLimits
  readonly timeoutMs?: number
  readonly processes: () => number
  readonly isLeader?: () => boolean
}

export class Replica {
  readonly id: string
  readonly engine: Engine
  readonly turns: Turns
  readonly supervisor: Supervisor
  readonly end: SharedLogEnd
  readonly logged: string[] = []
  private readonly redis: Redis
  private readonly leases: RedisLeases
  private isMute = false

  constructor({
    id,
    log,
    address,
    limits = LIMITS,
    timeoutMs = 500,
    processes,
    isLeader = () => true,
  }: ReplicaOptions) {
    this.id = id
    const board = { quotesMax: 1_000, skewMsMax: 5_000, bookmakersMax: 100, wheelVisitsMax: 1_000 }
    this.engine = new Engine(board, now())
    this.end = log.open()
    this.turns = new Turns(this.engine, { ...LIMITS, walkEveryMs: 0 }, now, this.end)
    this.turns.leads = isLeader
    this.redis = new Redis(address, { timeoutMs })
    this.leases = new RedisLeases({
      redis: { run: (...args) => (this.isMute ? Promise.reject(new Error('cut off')) : this.redis.run(...args)) },
      id,
      processes: async () => processes(),
      elapsedMs,
      limits,
    })
    const clock = new FeedClock(
      { feedLateMs: 10_000, feedDownMs: 60_000 },
      { isLeader, stateOf: (bookmaker) => this.engine.stateOf(bookmaker) },
    )
    this.supervisor = new Supervisor({
      engine: this.engine,
      add: (input, settled) => this.turns.add(input, settled),
      clock,
      now,
      elapsedMs,
      chance: () => 0.5,
      isCovered: () => true,
      log: (level, source, message) => this.logged.push(`${level} ${source} ${message}`),
      sourcesMax: 100,
      formerMsMax: 300,
      leases: this.leases,
      isLeader,
    })
    this.turns.onObserved = (observation, producer, nowAt) => this.supervisor.note(observation, producer, nowAt)
    this.turns.onEnded((nowAt) => this.supervisor.judge(nowAt))
    this.turns.start(TURN_MS)
  }

  configure(...plans: SourcePlan[]): Promise<unknown> {
    return this.supervisor.configure(plans)
  }

  stateOf(source: string): string | undefined {
    return this.supervisor.statusOf(source)?.state
  }

  runs(source: string): boolean {
    const state = this.stateOf(source)
    return state !== undefined && state !== 'standby'
  }

  /** It reaches Redis no more, with its leases and its log: as if it were dead, or behind a network that is gone. */
  cut(): void {
    this.isMute = true
    this.end.cut()
  }

  /** It hears what others say, and is not heard. */
  mute(): void {
    this.isMute = true
    this.end.hold()
  }

  mend(): void {
    this.isMute = false
    this.end.mend()
  }

  async stop(): Promise<void> {
    await this.supervisor.stop(10_000)
    this.turns.stop()
    this.redis.close()
  }
}

const OPEN = 1

/** Open quotes on the board of a process, by bookmaker. */
export const openQuotes = ({ engine: { board } }: Replica): Record<string, number> => {
  const { bookmakers, catalogue, quotes } = board
  const open: Record<string, number> = {}
  for (let book = 1; book <= catalogue['booksUsed']; book++) {
    if (!catalogue.isBook(book)) continue
    const bookmaker = bookmakers.textOf(catalogue.books.bookmaker[book]!)
    for (let slot = catalogue.books.head[book]!; slot !== 0; slot = quotes.nextOf(slot)) {
      if (quotes.statusOf(slot) === OPEN) open[bookmaker] = (open[bookmaker] ?? 0) + 1
    }
  }
  return open
}
