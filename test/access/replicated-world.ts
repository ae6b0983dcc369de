// Several processes that share a store, in one: each with a data folder, an engine and turns of its own, and one log in
// memory that gives all of them all turns in one order, each at a pace of its own. Commands run on threads, because a
// command waits without giving way.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setImmediate as nextIteration, setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { Access } from '../../src/access/access.ts'
import { type Fault, isFault } from '../../src/access/fault.ts'
import { SHARED_TABLES } from '../../src/access/rehearsal.ts'
import { storePath } from '../../src/access/store-file.ts'
import * as clock from '../../src/clock.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import type { StoreInput, Turn } from '../../src/domain/input.ts'
import { Engine } from '../../src/engine/engine.ts'
import { applyTurn } from '../../src/engine/inputs.ts'
import { Turns } from '../../src/engine/turns.ts'
import { LIMITS } from '../../src/limits.ts'
import { TurnDecoder } from '../../src/log/turn-decoder.ts'
import { TurnEncoder } from '../../src/log/turn-encoder.ts'
import { MemoryImage } from '../memory-image.ts'
import type { Random } from '../random.ts'
import type { CommandAnswer, CommandWork } from './command-thread.ts'
import { newFolder } from './folder.ts'

export const AT = Date.UTC(2026, 10, 20, 12, 30)

/** Waits for what must come sooner or later, however loaded the machine is. */
export const until = async (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => {
  const startedMs = clock.elapsedMs()
  while (!(await condition())) {
    assert.ok(clock.elapsedMs() - startedMs < 60_000, `in vain: ${what}`)
    await pause(1)
  }
}

interface Entry {
  readonly octets: Uint8Array
  readonly owner: Process
  readonly written: (turn: Turn) => void
}

/** One order of turns, as octets. */
export class World {
  readonly random: Random
  readonly entries: Entry[] = []
  readonly processes: Process[] = []
  isAway = false
  private isRunning = true

  constructor(random: Random) {
    this.random = random
    void this.run()
  }

  /** Starts a process. */
  async start(options: ProcessOptions = {}): Promise<Process> {
    const process = new Process(this, options)
    this.processes.push(process)
    await process.open()
    return process
  }

  /** All that lives has applied all that is in the log. */
  settled(): Promise<void> {
    return until('all is applied', () => this.processes.every(({ applied }) => applied === this.entries.length))
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.stop()))
    this.isRunning = false
  }

  /** Each process gets what is new when chance has it. */
  private async run(): Promise<void> {
    while (this.isRunning) {
      for (const process of this.processes) {
        for (let count = this.random.int(0, 3); count > 0; count--) process.deliver()
      }
      await nextIteration()
    }
  }
}

export interface ProcessOptions {
  readonly dataDir?: string
  /** The state that it starts from, and the number of its last turn. */
  readonly checkpoint?: Checkpoint
  /** Whether the log begins with it. */
  readonly begins?: boolean
  /** Leaves out what the store may not have made. */
  readonly forgets?: boolean
}

export interface Checkpoint {
  readonly image: MemoryImage
  readonly position: number
}

const OPTIONS = { quotesMax: 100, skewMsMax: 5_000, bookmakersMax: 99, wheelVisitsMax: 1_000 }

export class Process {
  readonly dataDir: string
  readonly engine = new Engine(OPTIONS, AT)
  turns!: Turns
  access!: Access
  joined: Fault | undefined
  /** Why it cannot go on. */
  missed: string | undefined
  delivered = 0
  /** Whether it gets no turns. */
  isPaused = false
  private isHolding = false
  private readonly world: World
  private readonly options: ProcessOptions
  private onForeign: ((turn: Turn) => void) | undefined
  private readonly decoder = new TurnDecoder()
  private commandThread: Worker | undefined
  private working = Promise.resolve()

  constructor(world: World, options: ProcessOptions) {
    this.world = world
    this.options = options
    this.dataDir = options.dataDir ?? newFolder()
  }

  /** Number of the last turn that was applied, with what it does to the store. */
  get applied(): number {
    return this.delivered - (this.isHolding ? 1 : 0)
  }

  async open(): Promise<void> {
    const { world, engine, options } = this
    const missed: StoreInput[] = []
    if (options.checkpoint !== undefined) {
      const image = options.checkpoint.image.reader()
      engine.load(image)
      image.checkRead()
      if (engine.lastStore !== undefined) missed.push(engine.lastStore)
      this.delivered = options.checkpoint.position
    }
    // As from a file, before anything else.
    while (options.checkpoint !== undefined && this.delivered < world.entries.length) {
      const turn = this.read(this.delivered++)
      applyTurn(engine, turn, (input, _place, refusal) => {
        if (input.kind === 'store' && refusal?.field !== 'expects') missed.push(input)
      })
    }
    this.turns = new Turns(
      engine,
      { turnInputsMax: 3, turnPricesMax: 100, turnsWaitingMax: 4, turnBusyMs: 1, turnsMsMax: 1, walkEveryMs: 0 },
      () => AT,
      {
        isFull: false,
        onRoom: () => {},
        onForeign: (listener) => {
          this.onForeign = listener
        },
        append: (turn, written) => {
          world.entries.push({ octets: Uint8Array.from(new TurnEncoder().encode(turn)), owner: this, written })
        },
      },
    )
    this.turns.leads = () => world.processes[0] === this
    const access = await Access.open({
      dataDir: this.dataDir,
      numberOf: (slug) => engine.board.bookmakers.find(slug),
      addBookmakers: () => assert.fail('numbers come with the change'),
      onDecisions: () => assert.fail('decisions come with the change'),
      now: () => AT,
      limits: { ...LIMITS, credentialsMax: 1_000, ledgerDeadlineMs: 3_000 },
      shared: {
        mark: () => engine.storeMark,
        missed: options.forgets === true ? [] : missed,
        propose: (input) => new Promise((resolve) => this.turns.add(input, resolve)),
        holdsEverywhere: async () => {
          const position = this.applied
          await until('all have it', () => world.processes.every(({ applied }) => applied >= position))
          return true
        },
        onMissed: (reason) => {
          this.missed = reason
        },
        isLeader: () => world.processes[0] === this,
      },
    })
    assert.ok(!isFault(access), isFault(access) ? access.fault : '')
    this.access = access
    this.turns.onStore = async (input) => {
      this.isHolding = true
      await access.makeStore(input)
      this.isHolding = false
    }
    this.joined = await access.join(options.begins ?? false)
  }

  /** The next turn, if there is one. */
  deliver(): void {
    if (this.isPaused || this.world.isAway || this.turns?.onStore === undefined || this.isHolding) return
    const entry = this.world.entries[this.delivered]
    if (entry === undefined) return
    const turn = this.read(this.delivered++)
    if (entry.owner === this) entry.written(turn)
    else this.onForeign!(turn)
  }

  private read(place: number): Turn {
    this.decoder.begin()
    return this.decoder.decode(this.world.entries[place]!.octets)
  }

  checkpoint(): Checkpoint {
    const image = new MemoryImage()
    this.engine.save(image)
    return { image, position: this.delivered }
  }

  /** What a command answers, once its change holds everywhere. */
  command(work: CommandWork): Promise<CommandAnswer> {
    const answer = this.working.then(async () => {
      this.commandThread ??= new Worker(new URL('./command-thread.js', import.meta.url))
      this.commandThread.postMessage({ dataDir: this.dataDir, work })
      const [message] = (await once(this.commandThread, 'message')) as [CommandAnswer]
      return message
    })
    this.working = answer.then(() => {})
    return answer
  }

  /** Whether a request with a key is let in. */
  admits(secret: string): boolean {
    return !isRefusal(this.access.gate.identify(undefined, secret, AT))
  }

  /** Changes of commands that wait for the server. */
  proposals(): number {
    const database = new Database(storePath(this.dataDir), { readonly: true })
    try {
      return (database.prepare('SELECT count(*) AS count FROM proposals').get() as { count: number }).count
    } finally {
      database.close()
    }
  }

  /** All tables that travel, with their rows in order, and which change was made last. */
  content(): Readonly<Record<string, unknown>> {
    const database = new Database(storePath(this.dataDir), { readonly: true })
    try {
      const of = (table: string): unknown[] =>
        database
          .prepare(`SELECT * FROM ${table}`)
          .all()
          .map((row) => JSON.stringify(row))
          .toSorted()
      return Object.fromEntries([...SHARED_TABLES, 'shared', 'sharedChanges'].map((table) => [table, of(table)]))
    } finally {
      database.close()
    }
  }

  async stop(): Promise<void> {
    const { processes } = this.world
    await this.working
    await this.commandThread?.terminate()
    await this.access.close()
    this.turns.stop()
    if (processes.includes(this)) processes.splice(processes.indexOf(this), 1)
  }
}
