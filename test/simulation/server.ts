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
import type { Replica } from '../../src/command/replica.ts'
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
  readonly onAppended?: (turn: Turn, number: number) => void
  readonly onWritten?: (number: number) => void
  /** How long every piece of work of the live channel lasts, ms: as much each time that its end is checked. */
  readonly lookMs: number
  /** One of several processes: how it comes to the log that they share, and its clock. */
  readonly shared?: {
    readonly open: () => Promise<{ recovered: RecoveredState; replica: Replica } | Fault>
    readonly now: () => number
  }
}

/** Turns from one checksum to the next, where processes share a log: few, so that there are many. */
const CHECKSUM_TURNS = 32

/** It keeps nothing, and costs as much as a second of a run. */
const SCANNER = new ObservationScanner(LIMITS)

export class Server {
  readonly recovered: RecoveredState
  readonly replica: Replica | undefined
  /** All of it was published when it stopped. */
  isPublished = false
  readonly log: FileLog
  readonly state: State
  readonly turns: Turns
  readonly gate: Gate
  readonly registry: Registry
  readonly ledger: ReservingLedger
  readonly broker: Broker
  readonly rest: Rest
  /** Turns of several messages take several iterations of the event loop. */
  readonly rooms = new MemoryRooms({ messages: 3, bytes: 2_000 })
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
    const { disk, witness, newState, settings, report, shared } = options
    if (shared !== undefined) {
      const joined = await shared.open()
      return isFault(joined) ? joined : new Server(options, joined.recovered, joined.replica)
    }
    const recovered = await recover(settings, report, { disk, witness, newState })
    return isFault(recovered) ? recovered : new Server(options, recovered)
  }

  private constructor(options: ServerOptions, recovered: RecoveredState, replica?: Replica) {
    const { limits, book, onAppended, onWritten, report, logAwayMs, lookMs, shared } = options
    this.recovered = recovered
    this.replica = replica
    const now = shared?.now ?? clock.now
    const { log, state } = recovered
    const { engine, history } = state
    // All processes of a run have one clock.
    if (replica === undefined) clock.ours.resume(options.clockMark, engine.lastTurnAt)
    this.log = log
    this.state = state
    this.startPosition = log.position
    const tapped: TurnLog = {
      append: (turn, written) => {
        TIME.touch()
        const number = log.position + 1
        onAppended?.(turn, number)
        log.append(turn, (as) => {
          onWritten?.(number)
          written(as)
        })
      },
      get isFull() {
        return log.isFull
      },
      onRoom: (listener) => log.onRoom(listener),
    }
    const turns = new Turns(engine, limits, now, replica?.log ?? tapped)
    this.turns = turns
    if (replica !== undefined) this.share(replica)
    this.watch = new LogWatch(replica?.log ?? log, logAwayMs, report)
    // It may be over, and begin again, between two looks.
    const watched = replica?.log ?? log
    watched.onTrouble((trouble) => {
      if (trouble === undefined) this.troubledMs = undefined
    })
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
      now,
      elapsedMs: replica === undefined ? () => (this.elapsedMs += lookMs) : clock.elapsedMs,
      aheadMsMax: replica === undefined ? 0 : limits.aheadMsMax,
      server: 'oddswire/0.0.0',
      readObservation: (body, slug) => SCANNER.read(body, slug),
      mintId: () => `session${++this.mintedIds}`,
      isServing: () => !this.isAway,
    })
    this.broker.useRooms(this.rooms)
    let wasAway = false
    this.watcher = setInterval(() => {
      this.watch.look(clock.elapsedMs())
      if (this.isAway !== wasAway) {
        wasAway = !wasAway
        if (wasAway) this.broker.endAway(() => this.isAway)
      }
      this.checkAway(logAwayMs)
    }, limits.turnMs)
    this.rest = new Rest({
      engine,
      // Nothing else of it is asked here.
      access: { gate: this.gate, registry: this.registry } as unknown as Access,
      publicUrl: 'http://localhost',
      documentUrl: '',
      targetsMax: 500,
      limits: LIMITS,
      cacheBytesMax: 1_000_000,
      pages: {},
      documents: {},
      now,
      onFault: (error) => this.faults.push(error),
    })
    turns.start(limits.turnMs)
  }

  /** Whether customers are refused. */
  get isAway(): boolean {
    return this.watch.isAway || this.replica?.isOut === true
  }

  private share(replica: Replica): void {
    const { turns } = this
    const { engine } = this.state
    turns.leads = () => replica.cluster.isLeader
    let summed = engine.link.turn
    turns.onEnded(() => {
      const { turn } = engine.link
      if (turn === summed || turn % CHECKSUM_TURNS !== 0) return
      summed = turn
      turns.add({ kind: 'checksum', process: replica.id, turn, sum: engine.checksum(turn / CHECKSUM_TURNS) })
    })
  }

  /** Prices that cannot change any more must not look tradable for longer than is configured. */
  private checkAway(awayMs: number): void {
    const log = this.replica?.log ?? this.log
    if (log.trouble === undefined) this.troubledMs = undefined
    else this.troubledMs ??= clock.elapsedMs()
    const troubledMs = clock.elapsedMs() - (this.troubledMs ?? clock.elapsedMs())
    // The interval of the watch itself, and a pause of the process.
    if (troubledMs <= awayMs + AWAY_SLACK_MS || this.isAway) return
    this.faults.push(new Error(`customers are answered ${troubledMs} ms after the log could be written`))
  }

  /** Number of the last turn that is published. */
  get publishedTo(): number {
    return this.startPosition + this.turns['published']
  }

  /**
   * As at SIGTERM. @returns whether the log was closed in order
   * @param isBroken the log that is shared is another one
   */
  async stop(isBroken = false): Promise<boolean> {
    const { turns, log, replica } = this
    this.isStopping = true
    const drainMs = isBroken ? LIMITS.brokenDrainMs : 10_000
    await this.broker.drain(drainMs)
    turns.stop()
    clearInterval(this.watcher)
    this.broker.close()
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, drainMs)
      turns.settle(() => {
        clearTimeout(timer)
        this.isPublished = true
        TIME.touch()
        resolve()
      })
    })
    await replica?.close()
    const isClosed = await log.close()
    await this.ledger.close()
    return isClosed
  }
}
