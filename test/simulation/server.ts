// The service of a run, wired as src/command/service.ts does it, without sockets, threads or a database.

import type { Access } from '../../src/access/access.ts'
import { Accounts } from '../../src/access/accounts.ts'
import { Gate } from '../../src/access/gate.ts'
import { Registry } from '../../src/access/registry.ts'
import { ReservingLedger } from '../../src/access/reserving-ledger.ts'
import * as clock from '../../src/clock.ts'
import type { Mark } from '../../src/clock.ts'
import { LogWatch } from '../../src/command/log-watch.ts'
import { type RecoveredState, recover, type RecoverySettings } from '../../src/command/log-recovery.ts'
import type { State } from '../../src/command/state.ts'
import { type Fault, isFault } from '../../src/access/fault.ts'
import { Turns, type TurnLog } from '../../src/engine/turns.ts'
import { LIMITS } from '../../src/limits.ts'
import type { Disk } from '../../src/log/disk.ts'
import type { FileLog, Witness } from '../../src/log/file-log.ts'
import { Rest } from '../../src/rest/rest.ts'
import { ObservationScanner } from '../../src/source/observations/observation-scanner.ts'
import { Broker } from '../../src/stomp/broker.ts'
import { MemoryRooms } from '../stomp/memory-carrier.ts'
import { TIME } from './time.ts'
import type { AccountBook } from './account-book.ts'
import type { Turn } from '../../src/domain/input.ts'

const AWAY_SLACK_MS = 1_000

export interface ServerOptions {
  readonly settings: RecoverySettings
  readonly disk: Disk
  readonly witness: Witness
  readonly newState: (nowAt: number) => State
  readonly limits: typeof LIMITS
  readonly book: AccountBook
  readonly logAwayMs: number
  /** Where the time of the process before was; undefined: not known. */
  readonly clockMark: Mark | undefined
  readonly report: (level: string, message: string) => void
  readonly onAppended: (turn: Turn, number: number) => void
  readonly onWritten: (number: number) => void
  /** How long every piece of work of the live channel lasts, ms: as much each time that its end is checked. */
  readonly lookMs: number
}

/** It keeps nothing, and costs as much as a second of a run. */
const SCANNER = new ObservationScanner(LIMITS)

export class Server {
  readonly recovered: RecoveredState
  readonly log: FileLog
  readonly state: State
  readonly turns: Turns
  readonly gate: Gate
  readonly registry: Registry
  readonly ledger: ReservingLedger
  readonly broker: Broker
  readonly rest: Rest
  readonly rooms = new MemoryRooms()
  readonly watch: LogWatch
  readonly faults: unknown[] = []
  isStopping = false
  private readonly startPosition: number
  private readonly watcher: NodeJS.Timeout
  private elapsedMs = 0
  private mintedIds = 0
  /** Since when the log cannot be written. */
  private troubledMs: number | undefined

  static async start(options: ServerOptions): Promise<Server | Fault> {
    const { disk, witness, newState, settings, report } = options
    const recovered = await recover(settings, report, { disk, witness, newState })
    return isFault(recovered) ? recovered : new Server(options, recovered)
  }

  private constructor(options: ServerOptions, recovered: RecoveredState) {
    const { limits, book, onAppended, onWritten, report, logAwayMs, lookMs } = options
    this.recovered = recovered
    const { log, state } = recovered
    const { engine, history } = state
    clock.ours.resume(options.clockMark, engine.lastTurnAt)
    this.log = log
    this.state = state
    this.startPosition = log.position
    const tapped: TurnLog = {
      append: (turn, written) => {
        TIME.touch()
        const number = log.position + 1
        onAppended(turn, number)
        log.append(turn, (as) => {
          onWritten(number)
          written(as)
        })
      },
      get isFull() {
        return log.isFull
      },
      onRoom: (listener) => log.onRoom(listener),
    }
    const turns = new Turns(engine, limits, clock.now, tapped)
    this.turns = turns
    this.watch = new LogWatch(log, logAwayMs, report)
    this.registry = new Registry((slug) => engine.board.bookmakers.find(slug))
    this.ledger = new ReservingLedger({
      reserve: (wants) => book.reserve(wants),
      release: (leftovers) => book.release(leftovers),
      deadlineMs: limits.ledgerDeadlineMs,
    })
    this.gate = new Gate({
      accounts: new Accounts(),
      registry: this.registry,
      ledger: this.ledger,
      credentialsMax: 1_000,
    })
    book.apply = (changes) => {
      this.gate.apply(changes)
      if (changes.decisions !== null) turns.add({ kind: 'decide', decisions: changes.decisions })
      const slugs = this.registry.unnumbered()
      if (slugs.length === 0) return
      turns.add({ kind: 'bookmakers', slugs }, () => this.gate.renumber())
    }
    book.apply(book.everything())
    this.broker = new Broker({
      wasClosed: recovered.wasClosed,
      engine,
      history,
      turns,
      gate: this.gate,
      registry: this.registry,
      limits,
      now: clock.now,
      elapsedMs: () => (this.elapsedMs += lookMs),
      server: 'oddswire/0.0.0',
      readObservation: (body, slug) => SCANNER.read(body, slug),
      mintId: () => `session${++this.mintedIds}`,
      isServing: () => !this.watch.isAway,
    })
    this.broker.useRooms(this.rooms)
    this.watcher = setInterval(() => {
      if (this.watch.look(clock.elapsedMs())) this.broker.endAway(() => this.watch.isAway)
      this.checkAway(logAwayMs)
    }, limits.turnMs)
    this.rest = new Rest({
      engine,
      // Nothing else of it is asked here.
      access: { gate: this.gate, registry: this.registry } as unknown as Access,
      publicUrl: 'http://localhost',
      documentUrl: '',
      targetsMax: 500,
      cacheBytesMax: 1_000_000,
      pages: {},
      documents: {},
      now: clock.now,
      onFault: (error) => this.faults.push(error),
    })
    turns.start(limits.turnMs)
  }

  /** Prices that cannot change any more must not look tradable for longer than is configured. */
  private checkAway(awayMs: number): void {
    if (this.log.trouble === undefined) this.troubledMs = undefined
    else this.troubledMs ??= clock.elapsedMs()
    const troubledMs = clock.elapsedMs() - (this.troubledMs ?? clock.elapsedMs())
    // The interval of the watch itself, and a pause of the process.
    if (troubledMs <= awayMs + AWAY_SLACK_MS || this.watch.isAway) return
    this.faults.push(new Error(`customers are answered ${troubledMs} ms after the log could be written`))
  }

  /** Number of the last turn that is published. */
  get publishedTo(): number {
    return this.startPosition + this.turns['published']
  }

  /** As at SIGTERM. @returns whether the log was closed in order */
  async stop(): Promise<boolean> {
    const { turns, log } = this
    this.isStopping = true
    await this.broker.drain(10_000)
    turns.stop()
    clearInterval(this.watcher)
    this.broker.close()
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 10_000)
      turns.settle(() => {
        clearTimeout(timer)
        TIME.touch()
        resolve()
      })
    })
    const isClosed = await log.close()
    await this.ledger.close()
    return isClosed
  }
}
