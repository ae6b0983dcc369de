// A run: the service on a simulated disk, what happens to it, and what must hold.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { isFault } from '../../src/access/fault.ts'
import * as clock from '../../src/clock.ts'
import type { Mark } from '../../src/clock.ts'
import { makeCheckpoint } from '../../src/command/checkpoint-maker.ts'
import { logFolder } from '../../src/command/log-recovery.ts'
import { State } from '../../src/command/state.ts'
import type { Turn } from '../../src/domain/input.ts'
import { LIMITS } from '../../src/limits.ts'
import type { Witnessed } from '../../src/log/file-log.ts'
import { checkpointPath } from '../../src/log/log-folder.ts'
import type { FsyncMode } from '../../src/log/segment-writer.ts'
import { Random } from '../random.ts'
import { RandomInputs } from '../random-inputs.ts'
import { AccountBook } from './account-book.ts'
import { Callers } from './callers.ts'
import { Desks } from './desks.ts'
import { SimulatedDisk } from './disk.ts'
import { assertSameState, Record } from './record.ts'
import { Server } from './server.ts'
import { TIME } from './time.ts'
import { Reports } from './world-data.ts'

export interface RunOptions {
  readonly seed: number
  /** Events have names that are alike, and operators merge and split them: the naive twin does not know that. */
  readonly hasIdentity: boolean
  readonly fsync: FsyncMode
  readonly replayBytesMax: number
  readonly hourlyLimit: number
  readonly monthlyQuota: number
  readonly lookMs: number
}

export const optionsOf = (seed: number): RunOptions => {
  const random = new Random(seed)
  return {
    seed,
    hasIdentity: random.chance(0.25),
    fsync: random.pick(['always', 'interval', 'interval', 'off'] as const),
    // A turn of a burst must fit.
    replayBytesMax: random.pick([2 ** 18, 2 ** 19]),
    hourlyLimit: random.pick([0, 30, 120, 400]),
    monthlyQuota: random.pick([0, 60, 250]),
    lookMs: random.pick([0, 0.01, 0.4]),
  }
}

const DATA_DIR = '/data'
const FOLDER = logFolder(DATA_DIR)

/** How the process before has ended, and what may be lost by it. */
interface Ending {
  readonly how: string
  readonly mayLose: boolean
  /** Why a new epoch may begin; undefined: it must not. */
  readonly epochMayEnd: string | undefined
}

/** Where the service notes how far the log is: not synced, so a power failure may bring back an earlier one. */
class SimulatedWitness {
  private readonly all: Witnessed[] = []

  read(): Witnessed | undefined {
    return this.all.at(-1)
  }

  write(at: Witnessed, isDurable = false): undefined {
    if (isDurable) this.all.length = 0
    this.all.push(at)
  }

  /** An earlier one is there again. */
  failPower(): void {
    this.all.splice(-Math.min(this.all.length - 1, 2))
  }
}

export class World {
  readonly options: RunOptions
  readonly limits: typeof LIMITS
  readonly disk: SimulatedDisk
  readonly witness = new SimulatedWitness()
  readonly record: Record
  readonly book: AccountBook
  readonly reports = new Reports()
  readonly inputs: RandomInputs
  readonly hash = createHash('sha256')
  /** How often each has happened. */
  readonly counts = new Map<string, number>()
  /** Turns that the process has been told to be written. */
  writtenTo = 0
  server: Server | undefined
  epoch = ''
  /** Of the current process. */
  processes = 0
  fsync: FsyncMode
  eventsMax = 400
  readonly callers = new Callers(this)
  readonly desks = new Desks(this)
  private readonly epochs = new Set<string>()
  private ending: Ending = { how: 'first start', mayLose: false, epochMayEnd: 'new' }
  private hasStepped = false
  private hasOtherRules = false
  /** Turns that the epoch began with. */
  private epochBegan = 0
  private checks = 0
  private hasLied = false
  private isCheckpointing = false
  private clockMark: Mark | undefined
  private copyTurns: readonly Turn[] = []
  private copyHasOtherRules = false
  private copyEventsMax = 0
  private copy: ReadonlyMap<string, Buffer | undefined> | undefined
  private failure: unknown
  private troubleEndsMs = 0
  private reported: string[] = []

  constructor(options: RunOptions) {
    TIME.reset()
    // The clock is one of the process that runs all seeds.
    clock.ours.resume(undefined, Number.NEGATIVE_INFINITY)
    this.options = options
    const { seed, fsync, replayBytesMax, hourlyLimit, monthlyQuota, hasIdentity } = options
    // Small sockets: readers that are slow fall behind.
    const sockets = seed % 2 === 0 ? { socketBytesMax: 200, degradeBytes: 400, degradeMs: 300 } : {}
    this.limits = { ...LIMITS, ...sockets, replayBytesMax, errorSessionsMax: 1_000_000 } as unknown as typeof LIMITS
    this.disk = new SimulatedDisk(new Random(seed + 1))
    this.book = new AccountBook(new Random(seed + 2), { hourly: hourlyLimit, monthly: monthlyQuota })
    this.inputs = new RandomInputs(new Random(seed + 3))
    this.fsync = fsync
    this.record = new Record({ newState: () => this.newState(0), limits: this.limits, hasTwin: !hasIdentity })
    this.start(0)
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by)
  }

  /** What goes wrong outside of the call that runs. */
  fail(error: unknown): void {
    this.failure ??= error
  }

  note(text: string): void {
    this.hash.update(`${TIME.nowMs} ${text}\n`)
  }

  /** What the service has reported lately. */
  get lines(): readonly string[] {
    return this.reported.slice(-12)
  }

  private get settings() {
    const { eventsMax, fsync } = this
    return {
      quotesMax: 4_000,
      eventsMax,
      labelsMax: 1_000,
      bookmakerShare: 1,
      warmUp: false,
      dataDir: DATA_DIR,
      fsync,
      fsyncEveryMs: 50,
    }
  }

  private newState(nowAt: number): State {
    return new State(this.settings, nowAt, this.disk.functions, this.limits)
  }

  // --- the process

  /** The process begins, after a while. */
  private start(afterMs: number): void {
    const process = ++this.processes
    TIME.outside(afterMs, () => {
      TIME.touch()
      if (process === this.processes) void this.startNow(process).catch((error) => (this.failure ??= error))
    })
  }

  private async startNow(process: number): Promise<void> {
    const { disk, witness, settings, limits, book } = this
    const server = await Server.start({
      settings,
      disk: disk.functions,
      witness: {
        read: () => witness.read(),
        write: (at, isDurable) => (process === this.processes ? witness.write(at, isDurable) : undefined),
      },
      newState: (nowAt) => this.newState(nowAt),
      limits,
      book,
      logAwayMs: 10_000,
      clockMark: this.clockMark,
      report: (level, message) => this.reported.push(`${TIME.nowMs} ${level} ${message}`),
      onAppended: (turn, number) => {
        if (process !== this.processes) return
        assert.equal(number, this.record.turns.push(turn), 'turns are numbered without a gap')
      },
      onWritten: (number) => {
        if (process !== this.processes) return
        assert.equal(number, this.writtenTo + 1, 'turns are written in order')
        this.writtenTo = number
      },
      lookMs: this.options.lookMs,
    })
    if (process !== this.processes) return
    if (isFault(server)) {
      const { isFull, writeFails, syncFails } = disk.trouble
      assert(isFull || writeFails || syncFails, `it does not start: ${server.fault}`)
      TIME.endProcess()
      disk.endProcess()
      this.start(1_000)
      return
    }
    this.recovered(server)
  }

  /** What a process has found after the last one has ended. */
  private recovered(server: Server): void {
    const { ending, record, writtenTo } = this
    const { log, state } = server
    const { position } = log
    const isNewEpoch = log.epoch !== this.epoch
    const where = `after ${ending.how}: ${position} turns, ${writtenTo} were written, ${record.turns.length} appended`
    if (isNewEpoch) {
      // Where nothing was written in the last one, nobody knows a cursor of a change of it.
      const isUnused = this.writtenTo === this.epochBegan
      assert(isUnused || ending.epochMayEnd !== undefined, `a new epoch begins ${where}; ${this.lines.join('; ')}`)
      assert(!this.epochs.has(log.epoch), `epoch ${log.epoch} begins twice`)
      this.epochs.add(log.epoch)
    } else assert(position >= writtenTo, `turns are lost in the same epoch ${where}`)
    assert(ending.mayLose || position >= writtenTo, `turns are lost ${where}; ${this.lines.join('; ')}`)
    this.count(isNewEpoch ? 'new epoch' : 'same epoch')
    if (position < writtenTo) this.count('turns lost', writtenTo - position)
    if (isNewEpoch) this.epochBegan = position
    this.epoch = log.epoch
    record.endAt(position, isNewEpoch)
    record.applyTo(position)
    this.writtenTo = position
    // Without a turn, a state has no time either.
    const sum = position === 0 ? '' : assertSameState(state, record.state, where)
    state.engine.onTurn((changes) => record.publish(state.engine, changes))
    this.server = server
    this.note(`started ${log.epoch} ${position} ${sum}`)
  }

  /** The process ends at once. `powerFails`: of the disk is left what was synced. */
  kill(how: string, powerFails = false): void {
    const { server, disk, fsync } = this
    const isSafe = fsync === 'always'
    // A disk that lies breaks what only a sync can promise, and nothing could notice that.
    const power = powerFails && !this.hasLied
    this.count(power ? 'power failure' : how)
    this.end({
      how: power ? 'a power failure' : how,
      mayLose: this.ending.mayLose && server === undefined ? true : power && !isSafe,
      epochMayEnd: this.epochMayEnd(server === undefined, power && !isSafe ? 'power' : undefined, power),
    })
    disk.endProcess()
    if (!power) return
    disk.failPower()
    this.hasLied = false
    // Not each is synced.
    if (new Random(this.options.seed + this.processes).chance(0.3)) this.witness.failPower()
  }

  /** As at SIGTERM; then the process begins again. */
  stop(random: Random): void {
    const { server, processes } = this
    if (server === undefined || server.isStopping) return
    this.count('SIGTERM')
    const { log, state } = server
    void (async () => {
      const isClosed = await server.stop()
      if (processes !== this.processes) return
      let hasCheckpoint = false
      if (isClosed) {
        try {
          // As Checkpoints.finish does.
          this.record.applyTo(this.publishedTo)
          assertSameState(state, this.record.state, 'at SIGTERM')
          state.save(checkpointPath(FOLDER, log.position), log.position)
          this.count('checkpoint at SIGTERM')
          hasCheckpoint = true
        } catch (error) {
          if (!('code' in (error as object))) throw error
        }
      }
      TIME.touch()
      const fails = random.chance(0.2)
      // It was closed, so that even a power failure loses nothing.
      this.end({
        how: `SIGTERM, ${isClosed ? '' : 'not '}closed${fails ? ', and a power failure' : ''}`,
        mayLose: fails && !isClosed && this.fsync !== 'always',
        epochMayEnd: this.epochMayEnd(false, fails && !isClosed ? 'power' : undefined),
      })
      this.disk.endProcess()
      if (fails && !this.hasLied) this.disk.failPower()
      if (random.chance(0.3)) {
        this.eventsMax = 300 + random.int(0, 200)
        this.hasOtherRules = true
        // Without a checkpoint, turns were applied by other rules.
        if (!hasCheckpoint) this.ending = { ...this.ending, epochMayEnd: 'other rules' }
      }
      if (random.chance(0.2)) this.fsync = random.pick(['always', 'interval', 'off'] as const)
    })().catch((error) => (this.failure ??= error))
  }

  /** The process is killed, and the files of its log change meanwhile. */
  damage(how: string, change: () => boolean): void {
    this.kill(how)
    if (change()) this.ending = { how, mayLose: true, epochMayEnd: how }
  }

  flipBit(random: Random): void {
    this.damage('a flipped bit', () => {
      const where = this.disk.flipBit(random)
      this.note(`flipped ${where}`)
      return where !== undefined
    })
  }

  /** Keeps a copy of the disk, or puts it back. */
  backUp(): void {
    if (this.copy === undefined) {
      this.copy = this.disk.copy()
      this.copyTurns = [...this.record.turns]
      this.copyHasOtherRules = this.hasOtherRules
      this.copyEventsMax = this.eventsMax
      return
    }
    const { copy, copyTurns } = this
    this.copy = undefined
    this.damage('a restored backup', () => {
      this.disk.restore(copy)
      this.record.replace(copyTurns)
      // A checkpoint that was made since then is not in it.
      this.hasOtherRules = this.copyHasOtherRules || this.copyEventsMax !== this.eventsMax
      this.writtenTo = 0
      return true
    })
  }

  stepClock(ms: number): void {
    TIME.stepMs += ms
    this.hasStepped = true
    this.count('clock step')
  }

  setTrouble(random: Random): void {
    const kind = random.int(0, 4)
    this.count(`disk ${['full', 'fails', 'sync fails', 'stalled', 'lies'][kind]}`)
    this.hasLied ||= kind === 4
    // A write that comes so late looks like one of another program.
    this.hasStepped ||= kind === 3
    this.disk.setTrouble({
      isFull: kind === 0,
      writeFails: kind === 1,
      syncFails: kind === 2,
      isStalled: kind === 3,
      lies: kind === 4,
    })
    const ms = random.chance(0.7) ? random.int(1, 3_000) : random.int(3_000, 25_000)
    this.troubleEndsMs = TIME.nowMs + ms
    TIME.outside(ms, () => {
      if (TIME.nowMs >= this.troubleEndsMs) this.disk.setTrouble({})
    })
  }

  private epochMayEnd(wasStarting: boolean, because: string | undefined, powerFails = false): string | undefined {
    if (because !== undefined) return because
    if (wasStarting && this.ending.epochMayEnd !== undefined) return this.ending.epochMayEnd
    // The trouble of the disk may be over, and the log has not tried again yet.
    const trouble = this.server?.log.trouble ?? ''
    // Octets of a write that did not fit make the file younger than what is in it.
    if (this.disk.trouble.isFull || trouble.includes('ENOSPC')) return 'the disk was full'
    // So do those of a write whose sync has failed, where a power failure then loses them.
    if (powerFails && (this.disk.trouble.syncFails || trouble.includes('fsync'))) return 'a sync had failed'
    // Until the next checkpoint, each start may have to apply turns of other rules again.
    if (this.hasOtherRules) return 'other rules'
    return this.hasStepped ? 'the clock was stepped' : undefined
  }

  private end(ending: Ending): void {
    // As the service notes it every few seconds.
    if (this.server !== undefined) this.clockMark = clock.ours.mark()
    this.processes++
    this.ending = ending
    this.isCheckpointing = false
    this.hasStepped = false
    this.book.apply = () => {}
    const wasServing = this.server !== undefined
    if (wasServing) this.record.applyTo(this.publishedTo)
    TIME.endProcess()
    if (wasServing) {
      this.callers.ended()
      this.desks.ended()
    }
    this.server = undefined
    this.note(`ended by ${ending.how}`)
    this.start(new Random(this.processes).int(10, 3_000))
  }

  // --- what is done beside

  /** As the thread of checkpoints does it. */
  checkpoint(random: Random): void {
    const { server, processes, settings } = this
    if (server === undefined || server.isStopping || this.isCheckpointing) return
    const { log } = server
    const position = log.written
    if (position === 0) return
    this.isCheckpointing = true
    const newState = (): State => this.newState(0)
    makeCheckpoint({ folder: FOLDER, settings, position }, this.disk.functions, newState)
      .then(() => {
        this.count('checkpoint')
        this.hasOtherRules = false
        if (random.chance(0.5)) log.rotate()
        const bytesMax = random.pick([0, 20_000, 10_000_000])
        return log.retain({ bytesMax, keepFromAt: clock.now() - random.int(0, 600_000) })
      })
      .catch((error: unknown) => {
        const isOver = processes !== this.processes || log.epoch !== this.epoch
        // Under a rotten disk it may fail; a good one must serve it.
        if (!isOver && TIME.nowMs > this.troubleEndsMs + 1_000 && !('code' in (error as object))) this.failure ??= error
        this.count('checkpoint failed')
      })
      .finally(() => (this.isCheckpointing = processes === this.processes ? false : this.isCheckpointing))
  }

  // --- time, and checks

  async runTo(ms: number, until?: () => boolean): Promise<void> {
    try {
      await TIME.run(ms, () => this.failure !== undefined || until?.() === true)
    } catch (error) {
      // What follows from the first failure is of no interest.
      throw this.failure ?? error
    }
    if (this.failure !== undefined) throw this.failure
  }

  /** What holds at any moment. */
  check(isQuiet = false): void {
    const { server, record } = this
    if (server === undefined) return
    record.applyTo(this.publishedTo)
    assert.equal(server.state.engine.seq, record.seq, 'the seq of the process and of the record')
    assert.deepEqual(server.faults, [])
    this.desks.check(isQuiet)
    // Comparing all quotes costs more than all else.
    if (this.checks++ % 4 === 0 && this.isSettled) record.check()
  }

  /** Whether changes of an epoch are known here. */
  isKnown(epoch: string | undefined): boolean {
    return epoch === this.epoch
  }

  /** Turns that anybody can have seen: of those that are written at once, the last ones are published later. */
  get publishedTo(): number {
    return this.server?.publishedTo ?? this.record.position
  }

  /** No statement is on its way to quotes. */
  get isSettled(): boolean {
    const { engine } = this.record.state
    return !engine.isHolding && ![...engine.producers()].some(({ name }) => engine.isWalking(name))
  }

  /** In the end all troubles are over: the service must recover, and a start from other files must give the same. */
  async finish(): Promise<void> {
    this.disk.setTrouble({})
    // Once more, because something may still be under way that ends the process.
    await this.runTo(TIME.nowMs + 5_000)
    await this.runTo(TIME.nowMs + 60_000, () => this.server?.isStopping === false)
    const { server } = this
    assert(server?.isStopping === false, 'it does not serve a minute after the last trouble')
    const { log, state } = server
    await this.runTo(TIME.nowMs + 5_000)
    await this.runTo(TIME.nowMs + 1_000, () => log.written === log.position)
    assert.equal(log.written, log.position, `turns are not written 5 s after the last trouble: ${log.trouble}`)
    assert.equal(log.trouble, undefined)
    this.check()
    const sum = assertSameState(state, this.record.state, 'in the end')
    this.note(`end ${this.record.seq} ${sum}`)
  }
}
