// One of several processes that share a log: how it comes to it, and what it knows of the others.

import { createHmac, randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join as pathJoin } from 'node:path'
import { type Fault, fault, isFault, messageOf } from '../access/fault.ts'
import { RedisFailures } from '../access/redis-failures.ts'
import * as clock from '../clock.ts'
import type { StoreMark } from '../domain/input.ts'
import type { Settings } from '../config.ts'
import { LIMITS } from '../limits.ts'
import type { Leases } from '../feed/leases.ts'
import { RedisLeases } from '../feed/redis-leases.ts'
import { Cluster, type LeftBehind, type Member } from '../log/cluster.ts'
import { checkpointPath } from '../log/log-folder.ts'
import { beginEpoch, join, type Joined, type Place, standFor } from '../log/stream-join.ts'
import { StreamHold } from '../log/stream-hold.ts'
import { StateSums } from '../log/state-sums.ts'
import { entriesOf, StreamLog, type TurnCodec } from '../log/stream-log.ts'
import { TurnDecoder } from '../log/turn-decoder.ts'
import { TurnEncoder } from '../log/turn-encoder.ts'
import { requirePermissions } from '../redis/redis-permissions.ts'
import type { RedisPort } from '../redis/redis.ts'
import { redisAddressOf } from '../redis/redis-address.ts'
import { logFolder, type RecoveredState } from './log-recovery.ts'
import type { PeerFile } from './peer-server.ts'
import { type ReplicaHost, replicaHost, type Report } from './replica-host.ts'
import { OUTGOING } from './shared-access.ts'
import { rulesOf, type StateSettings } from './state.ts'

/** Texts and sightings of one turn. */
const TURN_TEXTS_MAX = 2 ** 16

/** Each turn for itself: whoever reads it may not have those before. */
const newCodec = (): TurnCodec => {
  const encoder = new TurnEncoder({ textsMax: TURN_TEXTS_MAX, sightingsMax: TURN_TEXTS_MAX })
  const decoder = new TurnDecoder()
  return {
    encode: (turn) => {
      encoder.begin()
      return encoder.encode(turn)
    },
    decode: (octets) => {
      decoder.begin()
      return decoder.decode(octets)
    },
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export type ReplicaSettings = StateSettings &
  Pick<Settings, 'dataDir' | 'redisReplicas' | 'redisLogBytesMax' | 'rightsAwayMs'>

export interface ReplicaOptions {
  readonly settings: ReplicaSettings
  readonly host: ReplicaHost
  readonly report: Report
  readonly signal: AbortSignal
  /** Whether a store of the data folder may be left for that of the other processes without a word of its own (`--accept-store`). */
  readonly acceptsStore: boolean
  /** Called once where this process must not go on: end the service, and start it again. */
  readonly onBreak: (reason: string) => void
}

export class Replica {
  readonly id: string
  readonly cluster: Cluster
  private readonly options: ReplicaOptions
  private readonly redis: RedisPort
  readonly sums: StateSums
  private readonly hold: StreamHold
  private readonly timer: NodeJS.Timeout
  private streamLog: StreamLog | undefined
  private peers: { readonly url: string; close(): void } | undefined
  private secret: string
  private facts: () => { readonly applied: number; readonly checkpoint: number } = () => ({ applied: 0, checkpoint: 0 })
  // Up to this turn its states are of a log that was not shared: no other process can go on from them.
  private unlinkedTo = 0
  private isTrimming = false
  // The log was here when Redis was heard again after a silence: others have not waited for this process meanwhile.
  private missedTo = 0
  // For so long it is waited after a silence that sources run again.
  private sourcesByMs = 0
  private leases: RedisLeases | undefined
  private leftBehind: LeftBehind | undefined
  private service = ''
  private hasBroken = false
  /** Whether the log, or its epoch, began with this process. */
  hasBegun = false

  /** @returns the state of the log that is shared, and this process in it */
  static async open(
    options: Omit<ReplicaOptions, 'host'> & { readonly settings: Settings },
  ): Promise<{ recovered: RecoveredState; replica: Replica } | Fault> {
    const { settings, report } = options
    const address = redisAddressOf(settings.redisUrl, settings.redisPrefix)
    if (typeof address === 'string') return fault(`--redis-url: ${address}`)
    const host = replicaHost(settings, address, report)
    return Replica.openOn({ ...options, host }, address.shown)
  }

  /** @param where the log is, as operators see it */
  static async openOn(
    options: ReplicaOptions,
    where: string,
  ): Promise<{ recovered: RecoveredState; replica: Replica } | Fault> {
    const replica = new Replica(options)
    let recovered: RecoveredState | Fault
    try {
      recovered = await replica.enter()
    } catch (error) {
      recovered = fault(`the log in ${where} cannot be joined: ${messageOf(error)}`)
    }
    if (!isFault(recovered)) return { recovered, replica }
    await replica.close()
    return recovered
  }

  private constructor(options: ReplicaOptions) {
    const { host } = options
    this.options = options
    this.id = host.mint(9)
    this.secret = host.mint(18)
    this.redis = host.connect({ timeoutMs: LIMITS.streamMsMax })
    this.cluster = new Cluster({
      redis: this.redis,
      id: this.id,
      facts: () => ({ ...this.facts(), peer: this.peers?.url ?? '', silentMs: options.settings.rightsAwayMs }),
      onHeard: (heard, applied, silentMs) => {
        if (silentMs >= options.settings.rightsAwayMs) {
          this.missedTo = heard.position
          // Those that ran before the silence have stopped; not at the start of this process.
          if (silentMs < Number.POSITIVE_INFINITY) this.sourcesByMs = clock.elapsedMs() + LIMITS.attendMsMax
        }
        this.leftBehind = heard.leftBehind
        if (heard.leftBehind === 'over' && this.peers !== undefined) {
          this.break('Redis has lost its replicas, and processes that have not ended are silent')
        }
        this.streamLog?.look(heard.epoch, heard.position, applied)
        this.hold.look(heard, this.peers !== undefined && !this.hasBroken)
      },
      onWritable: (trouble) => this.streamLog?.noteWritable(trouble),
      now: host.now,
    })
    this.hold = new StreamHold({
      redis: this.redis,
      id: this.id,
      place: () => this.log.place,
      onMissing: (reason) => this.break(reason),
    })
    this.sums = new StateSums({
      process: this.id,
      reporting: () => this.alive().filter(({ peer }) => peer !== '').length,
      onDiffer: (reason) => this.differs(reason),
    })
    // Until it has caught up.
    this.cluster.lead(false)
    this.timer = setInterval(() => void this.trim(), LIMITS.streamTrimMs)
  }

  private get standsAs(): string {
    return this.options.host.memory.standsAs
  }

  get log(): StreamLog {
    return this.streamLog!
  }

  /** A secret of all processes of the log, for one purpose. */
  secretFor(purpose: string): Uint8Array {
    return createHmac('sha256', this.secret).update(purpose).digest()
  }

  /** Whether nothing was heard of Redis for so long that a revocation could be missed. */
  get isSilent(): boolean {
    return this.cluster.silentMs >= this.options.settings.rightsAwayMs
  }

  /** Whether turns that others did not wait for have still to be applied, with what they do to the store. */
  private get isBehind(): boolean {
    return this.missedTo > 0 && this.facts().applied < this.missedTo
  }

  /** Whether after a silence a source is not known to run again: its prices would be shown as if it did. */
  private get isUnattended(): boolean {
    if (this.sourcesByMs === 0) return false
    if (this.leases?.areAttended !== false || clock.elapsedMs() >= this.sourcesByMs) this.sourcesByMs = 0
    return this.sourcesByMs > 0
  }

  /** Whether nobody may be answered: this process does not know what others have decided, or has left the log. */
  get isOut(): boolean {
    return this.isSilent || this.isBehind || this.isUnattended || this.hasBroken
  }

  /** What is wrong with the clock of this process; undefined: nothing, or it is not known. */
  private wrongClock(): string | undefined {
    const { skewMs } = this.cluster
    if (skewMs === undefined || Math.abs(skewMs) <= LIMITS.replicaSkewMsMax) return undefined
    return `the clock is ${Math.abs(skewMs)} ms ${skewMs > 0 ? 'ahead of' : 'behind'} that of Redis: set it`
  }

  /** Why the service is not ready, a line each. */
  problems(): readonly string[] {
    const lines: string[] = []
    if (this.leftBehind === 'wait')
      lines.push('Redis has lost its replicas, and other processes are silent: it may be a former master')
    else if (this.isSilent) lines.push(`Redis has not answered for ${Math.round(this.cluster.silentMs / 1_000)} s`)
    else if (this.isBehind)
      lines.push(`turns up to ${this.missedTo} are applied, that were missed while Redis was silent`)
    else if (this.isUnattended) lines.push('Redis was silent, and a source does not run again yet')
    const wrongClock = this.wrongClock()
    return wrongClock === undefined ? lines : [...lines, wrongClock]
  }

  /** Members that are there. */
  alive(): readonly Member[] {
    return this.cluster.members.filter(({ ageMs }) => ageMs < LIMITS.memberMsMax)
  }

  /** Which sources run in this process, and which in others. */
  newLeases(): Leases {
    this.leases = new RedisLeases({
      redis: this.redis,
      id: this.id,
      processes: async () => this.alive().filter(({ peer }) => peer !== '').length,
      elapsedMs: clock.elapsedMs,
      limits: LIMITS,
    })
    return this.leases
  }

  /** Failures to log in at all processes. */
  newFailures(): RedisFailures {
    return new RedisFailures(this.redis)
  }

  /**
   * The service runs: it gives its state to others, and may lead.
   * @param makeCheckpoint of the state as it is now, or shortly before, but not before a turn; 0: there is none
   * @param copyStore of the store as it is now, into a file that does not exist yet
   */
  async serve(
    facts: () => { readonly applied: number; readonly checkpoint: number },
    makeCheckpoint: (least: number) => Promise<number>,
    copyStore: (file: string) => Promise<StoreMark | Fault>,
  ): Promise<Fault | undefined> {
    const { host } = this.options
    this.facts = facts
    const files = { '/checkpoint': () => this.fileOf(makeCheckpoint), '/store': () => this.storeFile(copyStore) }
    const peers = await host.listen(this.secret, files)
    if (typeof peers === 'string') return fault(peers)
    this.peers = peers
    this.cluster.lead(true)
    // From now on others wait for what this process applies: it must have what they did not wait for.
    const heard = await this.cluster.beat()
    const isBehind = (): boolean => heard !== undefined && this.facts().applied < heard.position
    while (isBehind() && !this.options.signal.aborted && !this.hasBroken) await pause(5)
    host.memory.hasServed = true
    return undefined
  }

  /** Says that this process goes, and ends its connections. */
  async close(): Promise<void> {
    clearInterval(this.timer)
    this.peers?.close()
    await this.streamLog?.close()
    // One that begins again still stands.
    const stand = this.hasBroken ? undefined : this.redis.call('HDEL', this.redis.key('candidates'), this.standsAs)
    await Promise.race([Promise.allSettled([stand, this.cluster.leave()]), pause(LIMITS.streamMsMax)])
    this.cluster.end()
    this.redis.close()
  }

  private async fileOf(makeCheckpoint: (least: number) => Promise<number>): Promise<PeerFile | undefined> {
    // The stream must go on from it.
    const { redis } = this
    const [first] = entriesOf(await redis.callBuffer('XRANGE', redis.key('log'), '-', '+', 'COUNT', 1))
    const turn = await makeCheckpoint(Math.max(this.unlinkedTo + 1, (first?.position ?? this.log.position) - 1))
    return turn === 0 ? undefined : { path: checkpointPath(logFolder(this.options.settings.dataDir), turn), turn }
  }

  private async storeFile(copyStore: (file: string) => Promise<StoreMark | Fault>): Promise<PeerFile | undefined> {
    const path = pathJoin(this.options.settings.dataDir, `${OUTGOING}${randomBytes(6).toString('hex')}`)
    const mark = await copyStore(path)
    if (!isFault(mark)) return { path, turn: mark.version, isTemporary: true }
    await rm(path, { force: true })
    return undefined
  }

  // --- what the store has to know of the others

  get isLeader(): boolean {
    return this.cluster.isLeader
  }

  /**
   * Resolves when all living processes have applied a turn. One that does not say so for as long as it goes on without a
   * word of Redis refuses its customers by then.
   */
  async haveApplied(turn: number): Promise<true | string> {
    const untilMs = clock.elapsedMs() + LIMITS.everywhereMsMax
    for (;;) {
      const heard = await this.cluster.beat()
      const late = (heard?.members ?? []).filter(
        // One that is left behind at a former master notices that with a sign of life.
        ({ applied, ageMs, silentMs, peer }) =>
          peer !== '' && applied < turn && ageMs < Math.max(silentMs, LIMITS.memberMsMax) + 2 * LIMITS.beatMs,
      )
      const isLeft = heard?.leftBehind !== undefined
      if (heard !== undefined && late.length === 0 && !isLeft) return true
      if (clock.elapsedMs() >= untilMs || this.hasBroken) {
        if (isLeft) return 'Redis may be a former master'
        return heard === undefined ? 'Redis does not answer' : `${late.length} have not applied turn ${turn}`
      }
      await pause(LIMITS.everywhereLookMs)
    }
  }

  /** A copy of the store of another process, into a file. @returns why there is none */
  fetchStore(file: string): Promise<string | undefined> {
    return this.fromAnother((peer) => this.options.host.fetchStore(peer, this.secret, file))
  }

  /** @param take what another process gives, by its URL; it returns why it could not. @returns the last such reason, where none gave it */
  private async fromAnother(take: (peer: string) => Promise<string | undefined>): Promise<string | undefined> {
    const untilMs = clock.elapsedMs() + LIMITS.peerWaitMs
    let last = 'no other process is there'
    while (clock.elapsedMs() < untilMs && !this.options.signal.aborted) {
      await this.cluster.beat()
      for (const { peer, id } of this.alive()) {
        if (peer === '' || id === this.id) continue
        const failed = await take(peer)
        if (failed === undefined) return undefined
        last = `${peer}: ${failed}`
      }
      await pause(LIMITS.beatMs)
    }
    return last
  }

  /** From the state of the data folder, or that of another process, to the end of the log. */
  private async enter(): Promise<RecoveredState | Fault> {
    const { host, report, signal, acceptsStore } = this.options
    let saidMs = clock.elapsedMs()
    let wrongSaidMs: number | undefined
    if (host.memory.distrustsDisk) {
      host.memory.distrustsDisk = false
      await host.setAside()
    }
    const { service, member } = host.readMark()
    this.service = service
    let isFormerTold = member === ''
    let isBranch = false
    for (let fetched = 0; !signal.aborted; ) {
      const recovered = await host.recover()
      if (isFault(recovered)) return recovered
      const { engine } = recovered.state
      const own: Place = { epoch: engine.link.epoch, chain: engine.link.chain, position: recovered.log.position }
      this.facts = () => ({ applied: own.position, checkpoint: own.position })
      let joined: Joined | undefined
      while (joined === undefined && !signal.aborted) {
        try {
          if (!isFormerTold) {
            // It did not end in order: nobody need wait for it. Its turns are numbered still, if it is a copy that lives.
            await this.redis.call('HDEL', this.redis.key('members'), member)
            isFormerTold = true
          }
          // Without rights to write, what another process has would not be found, and the reason never said.
          if ((await this.cluster.beat()) === undefined) await requirePermissions(this.redis)
          const wrong = this.wrongClock()
          if (wrong !== undefined) {
            // The time of its turns would be that of the log: too late, and the quotes of all would age out.
            if (wrongSaidMs === undefined || clock.elapsedMs() - wrongSaidMs >= LIMITS.joinSayMs) {
              wrongSaidMs = clock.elapsedMs()
              report('error', `the start waits: ${wrong}`)
            }
            await pause(LIMITS.beatMs)
            continue
          }
          joined = await this.join(own)
        } catch (error) {
          if (clock.elapsedMs() - saidMs >= LIMITS.joinSayMs) {
            saidMs = clock.elapsedMs()
            report('warn', `the start waits for Redis: ${messageOf(error)}`)
          }
          await pause(LIMITS.streamRetryMs)
        }
      }
      if (joined === undefined) {
        await recovered.log.close()
        return fault('stopped before Redis has answered')
      }
      // The others have none of its keys. Their store would take its place, and who was given one of them would get 401.
      const isNewcomer = service === '' && !(joined.kind === 'on' && joined.isOurs)
      if (isNewcomer && (joined.kind === 'on' || joined.kind === 'unfit') && !acceptsStore && host.hasPreparedStore()) {
        await recovered.log.close()
        return fault(
          'the data folder has a store of its own (organizations, keys, coverage), and other processes have begun the service with ' +
            'another one: nothing was changed. To keep what this store has, stop the others, empty the log (docs/replicas.md 4), and ' +
            'start this process first; to take over the store of the others, move oddswire.db out of the data folder',
        )
      }
      if (joined.kind === 'on') {
        const done = await this.catchUp(recovered, own, { ...joined, begins: joined.begins || isBranch })
        isBranch = false
        if (done === true) {
          await host.writeMark({ service: joined.meta.service, member: this.id })
          return recovered
        }
        await this.streamLog?.close()
        await recovered.log.close()
        if (done === false) continue
        return done
      }
      await recovered.log.close()
      if (joined.kind === 'rules') {
        return fault(
          'processes of the service apply turns by other rules (another version, or other --quotes-max, --events-max, ' +
            '--labels-max, --bookmaker-share): start all with the same, or stop the others first',
        )
      }
      if (joined.kind === 'foreign') {
        return fault(
          `the data folder is of another service than the log in Redis (--redis-prefix): nothing was changed. Give the folder ` +
            'of this service or an empty one, or another --redis-prefix',
        )
      }
      isBranch ||= joined.isBranch
      if (++fetched > FETCHES_MAX) return fault(`${joined.reason}; a state of another process did not fit either`)
      const failed = await this.fetchState(joined.reason, joined.meta.secret)
      if (failed !== undefined) return failed
    }
    return fault('stopped')
  }

  private join(own: Place): Promise<Joined> {
    const { redis, id, secret, service } = this
    const { host, report } = this.options
    let saidMs = clock.elapsedMs()
    return join({
      redis,
      id: this.standsAs,
      own,
      rules: rulesOf(this.options.settings),
      secret,
      service,
      hasServed: host.memory.hasServed,
      mint: () => host.mint(9),
      look: async () => {
        const heard = await this.cluster.beat()
        const areOthers = this.alive().some((member) => member.id !== id && member.peer !== '')
        return { areOthers, leftBehind: heard?.leftBehind }
      },
      onWait: (reason) => {
        if (clock.elapsedMs() - saidMs < LIMITS.joinSayMs) return
        saidMs = clock.elapsedMs()
        report('error', `the start waits: ${reason}`)
      },
    })
  }

  /** Applies the turns that the log has after a state. @returns false: a new epoch goes on from there, begin again */
  private async catchUp(
    recovered: RecoveredState,
    own: Place,
    { meta, begins, isOurs }: Extract<Joined, { kind: 'on' }>,
  ): Promise<boolean | Fault> {
    const { report, settings, host } = this.options
    const { state, log: local } = recovered
    this.secret = meta.secret
    this.service = meta.service
    this.hasBegun ||= isOurs
    if (own.chain === '') this.unlinkedTo = own.position
    const log = new StreamLog({
      ...{ redis: this.redis, reader: host.connect(), local, process: this.id, codec: newCodec() },
      replicas: settings.redisReplicas,
      ...{ epoch: meta.epoch, position: own.position, lastAt: state.engine.lastTurnAt },
      // Where we have begun the epoch, it may have another one.
      chain: own.position === meta.position ? meta.chain : own.chain,
      onChecksum: (process, turn, sum) => this.sums.note(process, turn, sum),
      onBreak: (reason) => this.break(reason),
    })
    const startedMs = clock.elapsedMs()
    let turns = 0
    log.onForeign((turn) => {
      turns++
      state.apply(turn)
    })
    this.streamLog = log
    this.facts = () => ({ applied: log.position, checkpoint: log.position })
    log.start()
    let saidMs = startedMs
    const reached = (position: number): boolean => local.written >= position && log.position >= position
    while (!reached(meta.position) && !this.hasBroken) {
      if (clock.elapsedMs() - saidMs >= LIMITS.joinSayMs) {
        saidMs = clock.elapsedMs()
        report('info', `reads the log that is shared: turn ${log.position} of ${meta.position}`)
      }
      await pause(5)
    }
    if (this.hasBroken) return fault('the log that is shared has changed during the start: start again')
    state.engine.epoch = meta.epoch
    if (begins) {
      const at = { ...state.engine.link, position: log.position }
      const options = { own: at, rules: rulesOf(settings), secret: meta.secret, service: meta.service }
      const begun = await beginEpoch(this.redis, options, meta, log.position)
      if (begun === undefined) report('info', 'another process has begun an epoch meanwhile')
      return false
    }
    const tookMs = clock.elapsedMs() - startedMs
    const took = `${turns} turns in ${(tookMs / 1_000).toFixed(1)} s`
    report('info', `epoch ${meta.epoch} of the log that is shared, turn ${log.position} (${took})`)
    return true
  }

  /** Replaces the log of the data folder by the state of another process. */
  private async fetchState(reason: string, secret: string): Promise<Fault | undefined> {
    const { host, report } = this.options
    report('warn', `${reason}: the state is fetched from another process`)
    const failed = await this.fromAnother((peer) => host.fetchState(peer, secret))
    if (failed === undefined) return undefined
    return fault(
      `${reason}, and no other process gives its state (${failed}): start one that has it, or let its --peer-host be reached`,
    )
  }

  /**
   * What is in memory is wrong, here or elsewhere: it is read anew from the disk. Where that does not help, the disk is not
   * trusted either.
   */
  private differs(reason: string): void {
    const nowMs = clock.elapsedMs()
    const { memory } = this.options.host
    memory.distrustsDisk = nowMs - memory.differedMs < LIMITS.differAgainMs
    memory.differedMs = nowMs
    this.break(reason)
  }

  private break(reason: string): void {
    if (this.hasBroken) return
    this.hasBroken = true
    this.cluster.lead(false)
    const { service } = this
    void standFor(this.redis, this.standsAs, {
      ...this.log.place,
      service,
      hasServed: this.options.host.memory.hasServed,
    })
    this.options.onBreak(reason)
  }

  /** Drops what no process needs: each has what it has applied on its own disk, and those that begin need a checkpoint. */
  private async trim(): Promise<void> {
    if (!this.cluster.isLeader || this.isTrimming || this.hasBroken) return
    this.isTrimming = true
    try {
      const { redis } = this
      const alive = this.alive()
      const key = redis.key('log')
      const bytes = Number(await redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 100))
      const bytesMax = this.options.settings.redisLogBytesMax
      const isOver = bytes > bytesMax
      let before = Math.min(
        ...alive.map(({ applied, checkpoint }) => (isOver ? applied : Math.min(applied, checkpoint))),
      )
      if (bytes > 2 * bytesMax) {
        // One that does not get on would fill the memory of all: it takes the state of another one later.
        const length = Number(await redis.call('XLEN', key))
        before = Math.max(before, this.log.position - Math.floor((length * bytesMax) / bytes))
      }
      if (Number.isFinite(before)) await redis.call('XTRIM', key, 'MINID', `${Math.max(1, before)}-0`)
      const gone = this.cluster.members.filter(({ ageMs }) => ageMs > LIMITS.memberKeptMs).map(({ id }) => id)
      if (gone.length > 0) await redis.call('HDEL', redis.key('members'), ...gone)
    } catch {
      // It is tried again.
    } finally {
      this.isTrimming = false
    }
  }
}

/** States that are fetched before the start gives up. */
const FETCHES_MAX = 3
