// One of the simulated processes that share a log: its disk, its clock, its lives. It begins as src/command/serve-command.ts
// does it: a service that must not go on ends, and begins again in the same process.

import { isFault } from '../../src/access/fault.ts'
import * as clock from '../../src/clock.ts'
import { makeCheckpoint } from '../../src/command/checkpoint-maker.ts'
import { logFolder, recover } from '../../src/command/log-recovery.ts'
import { Replica } from '../../src/command/replica.ts'
import type { ReplicaHost, ReplicaMemory, ServiceMark } from '../../src/command/replica-host.ts'
import { State } from '../../src/command/state.ts'
import type { Witnessed } from '../../src/log/file-log.ts'
import { checkpointPath } from '../../src/log/log-folder.ts'
import { Random } from '../random.ts'
import { AccountBook } from './account-book.ts'
import { SimulatedDisk } from './disk.ts'
import type { ReplicaWorld } from './replica-world.ts'
import { Server } from './server.ts'
import { type Owner, TIME } from './time.ts'

const DATA_DIR = '/data'
const FOLDER = logFolder(DATA_DIR)
/** Until a service that did not begin is tried again. */
const AGAIN_MS = 1_000
/** How long a process waits for the state of another one. */
const FETCH_MS_MAX = 20_000

const sleep = (ms: number): Promise<undefined> => new Promise((resolve) => setTimeout(() => resolve(undefined), ms))

/** What it gives to others. */
export interface Peer {
  readonly process: ReplicaProcess
  readonly secret: string
  readonly checkpoint: () => Promise<Buffer | undefined>
  readonly turn: () => number
}

export class ReplicaProcess implements Owner {
  readonly name: string
  /** How far its clock is ahead, ms. */
  readonly skewMs: number
  readonly disk: SimulatedDisk
  server: Server | undefined
  /** Number of its life: what belongs to another one is over. */
  life = 0
  /** What it has reported last. */
  readonly lines: string[] = []
  private readonly world: ReplicaWorld
  private readonly random: Random
  private witnessed: Witnessed | undefined
  private memory: ReplicaMemory
  private mark: ServiceMark = { service: '', member: '' }
  private minted = 0
  private checkpointAt = 0
  private isCheckpointing = false

  constructor(world: ReplicaWorld, name: string, seed: number) {
    this.world = world
    this.name = name
    this.random = new Random(seed)
    this.skewMs = this.random.int(-450, 450)
    this.disk = new SimulatedDisk(new Random(seed + 1))
    this.memory = this.newMemory()
  }

  /** Whether customers are answered. */
  get isServing(): boolean {
    const { server } = this
    return server !== undefined && !server.isStopping && !server.isAway && !TIME.isPaused(this)
  }

  now(): number {
    return clock.now() + this.skewMs
  }

  // --- what happens to it

  start(afterMs: number): void {
    const life = ++this.life
    this.memory = this.newMemory()
    TIME.outside(afterMs, () => {
      if (life === this.life) this.act(() => this.serveOnce(life, false))
    })
  }

  /** @param powerFails of its disk is left what was synced */
  kill(powerFails = false): void {
    this.ended()
    if (powerFails) {
      this.disk.failPower()
      if (this.random.chance(0.3)) this.witnessed = undefined
    }
    this.start(this.random.int(10, 4_000))
  }

  /** As at SIGTERM. */
  stop(): void {
    const { server, life } = this
    if (server === undefined || server.isStopping) return
    this.act(async () => {
      await this.close(server, life, false)
      if (life !== this.life) return
      this.ended()
      this.start(this.random.int(10, 4_000))
    })
  }

  checkpoint(): void {
    const { server, life } = this
    if (server === undefined || server.isStopping || this.isCheckpointing) return
    this.act(async () => {
      await this.fresh(server)
      if (life !== this.life) return
      const bytesMax = this.random.pick([0, 20_000, 10_000_000])
      await server.log.retain({ bytesMax, keepFromAt: this.now() - this.random.int(0, 600_000) })
    })
  }

  /** Does something as this process. */
  act(act: () => Promise<void> | void): void {
    TIME.touch()
    TIME.as(this, () => {
      const done = act()
      if (done !== undefined) done.catch((error: unknown) => this.world.fail(error))
    })
  }

  private ended(): void {
    this.life++
    this.server = undefined
    this.isCheckpointing = false
    this.world.redis.gone(this)
    this.world.gone(this)
    TIME.endProcess(this)
    this.disk.endProcess()
  }

  private newMemory(): ReplicaMemory {
    return { standsAs: this.mint(), differedMs: Number.NEGATIVE_INFINITY, distrustsDisk: false, hasServed: false }
  }

  private mint(): string {
    return `${this.random.int(10_000, 99_999)}-${this.name}-${this.minted++}`
  }

  // --- the service

  private async serveOnce(life: number, isAgain: boolean): Promise<void> {
    const { world } = this
    const stopping = new AbortController()
    let broke: (() => void) | undefined
    let isBroken = false
    const onBreak = (reason: string): void => {
      world.count('break')
      world.note(`${this.name} breaks: ${reason}`)
      this.report('error', reason)
      isBroken = true
      broke?.()
    }
    const newState = (nowAt: number): State => world.newState(this, nowAt)
    const server = await Server.start({
      settings: this.settings,
      disk: this.disk.functions,
      witness: this.witness,
      newState,
      limits: world.limits,
      book: new AccountBook(new Random(1), { hourly: 0, monthly: 0 }),
      logAwayMs: 10_000,
      clockMark: undefined,
      report: (level, message) => this.report(level, message),
      lookMs: 0.01,
      shared: {
        now: () => this.now(),
        open: () =>
          Replica.openOn(
            {
              settings: this.settings,
              host: this.host(newState),
              report: (level, message) => this.report(level, message),
              signal: stopping.signal,
              acceptsStore: false,
              onBreak,
            },
            'simulated',
          ),
      },
    })
    if (life !== this.life) return
    if (isFault(server)) {
      world.count('start fault')
      this.report('error', server.fault)
      if (isAgain) await sleep(AGAIN_MS)
      else {
        this.ended()
        this.start(AGAIN_MS)
        return
      }
    } else {
      const { replica, log, state } = server
      const fault = await replica!.serve(
        () => ({ applied: replica!.log.position, checkpoint: this.checkpointAt }),
        () => this.fresh(server),
        // Stores are not simulated.
        async () => ({ fault: 'there is no store' }),
      )
      if (fault !== undefined) throw new Error(fault.fault)
      if (life !== this.life) return
      this.server = server
      world.note(`${this.name} serves ${state.engine.epoch} ${log.position}`)
      world.count('serves')
      if (!isBroken) await new Promise<void>((resolve) => (broke = resolve))
      // SIGTERM has come before.
      if (server.isStopping) return
      await this.close(server, life, true)
      if (life !== this.life) return
      this.server = undefined
    }
    await this.serveOnce(life, true)
  }

  private async close(server: Server, life: number, isBroken: boolean): Promise<void> {
    const isClosed = await server.stop(isBroken)
    if (life !== this.life) return
    this.world.gone(this)
    if (!isClosed || !server.isPublished || server.log.position === 0) return
    const { position } = server.log
    try {
      server.state.save(checkpointPath(FOLDER, position), position)
    } catch (error) {
      if (!('code' in (error as object))) throw error
    }
  }

  private async fresh(server: Server): Promise<number> {
    const { log } = server
    const position = log.written
    if (position === 0 || position === this.checkpointAt || this.isCheckpointing) return this.checkpointAt
    this.isCheckpointing = true
    const { life } = this
    try {
      const newState = (): State => this.world.newState(this, 0)
      await makeCheckpoint({ folder: FOLDER, settings: this.settings, position }, this.disk.functions, newState)
      if (life === this.life) this.checkpointAt = position
      this.world.count('checkpoint')
    } catch (error) {
      this.report('warn', `no checkpoint: ${(error as Error).message}`)
      this.world.count('checkpoint failed')
    } finally {
      if (life === this.life) this.isCheckpointing = false
    }
    return this.checkpointAt
  }

  // --- its machine

  private get settings() {
    return {
      quotesMax: 4_000,
      eventsMax: 400,
      labelsMax: 1_000,
      bookmakerShare: 1,
      warmUp: false,
      dataDir: DATA_DIR,
      fsync: 'interval',
      fsyncEveryMs: 50,
      redisReplicas: 0,
      redisLogBytesMax: 100_000,
      rightsAwayMs: 2_000,
    } as const
  }

  private get witness() {
    const { life } = this
    return {
      read: () => this.witnessed,
      write: (at: Witnessed): undefined => {
        if (life === this.life) this.witnessed = at
        return undefined
      },
    }
  }

  private host(newState: (nowAt: number) => State): ReplicaHost {
    const { world, random } = this
    const setAside = async (): Promise<void> => {
      this.disk.restore(new Map())
      this.witnessed = undefined
      this.checkpointAt = 0
    }
    return {
      memory: this.memory,
      mint: () => this.mint(),
      now: () => this.now(),
      connect: (terms) => world.redis.connect(this, terms),
      recover: async () => {
        const parts = { disk: this.disk.functions, witness: this.witness, newState }
        const recovered = await recover(this.settings, (level, message) => this.report(level, message), parts)
        if (!isFault(recovered)) this.checkpointAt = recovered.checkpoint
        return recovered
      },
      readMark: () => this.mark,
      writeMark: async (mark) => {
        this.mark = mark
      },
      hasPreparedStore: () => false,
      listen: async (secret) => {
        const url = `http://${this.name}:${this.minted++}`
        const { life } = this
        world.peers.set(url, {
          process: this,
          secret,
          turn: () => this.checkpointAt,
          checkpoint: async () => {
            const { server } = this
            if (life !== this.life || server === undefined) return undefined
            const turn = await this.fresh(server)
            return this.disk.copy().get(checkpointPath(FOLDER, turn))
          },
        })
        return { url, close: () => void world.peers.delete(url) }
      },
      // Nothing here has a store of access.
      fetchStore: () => Promise.resolve('it has none'),
      fetchState: async (url, secret) => {
        await sleep(random.int(1, 300))
        const peer = world.peers.get(url)
        if (peer === undefined) return 'ECONNREFUSED'
        if (peer.secret !== secret) return 'the secret is another one'
        TIME.touch()
        const { life } = this
        const bytes = await Promise.race([TIME.as(peer.process, () => peer.checkpoint()), sleep(FETCH_MS_MAX)])
        // The answer of the other one comes although this process has ended: nobody is there that hears it.
        if (life !== this.life) await new Promise(() => {})
        const turn = peer.turn()
        await sleep(random.int(1, 50))
        if (bytes === undefined) return 'it gives none'
        world.count('state fetched')
        await setAside()
        const path = checkpointPath(FOLDER, turn)
        this.disk.restore(
          new Map([
            [FOLDER, undefined],
            [path, bytes],
          ]),
        )
        return undefined
      },
      setAside,
    }
  }

  private report(level: string, message: string): void {
    this.lines.push(`${Math.round(TIME.nowMs)} ${this.name} ${level} ${message}`)
    if (this.lines.length > 40) this.lines.shift()
  }
}
