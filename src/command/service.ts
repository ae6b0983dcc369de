// The service: log, engine, access, REST and both ports, wired together. Commands start it; signals end it.
//
// The order in which the parts start is the order in which they depend on each other, and it is seen in one place.

import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Access } from '../access/access.ts'
import { type Fault, isFault } from '../access/fault.ts'
import { acquire } from '../access/lock.ts'
import * as clock from '../clock.ts'
import { type Settings } from '../config.ts'
import { LIMITS } from '../limits.ts'
import { isLoopback } from '../domain/loopback.ts'
import { TrustedProxies } from '../domain/trusted-proxies.ts'
import type { Engine } from '../engine/engine.ts'
import type { AnswerParts } from '../explain/answer.ts'
import { Turns } from '../engine/turns.ts'
import type { SourceChanges, Supervisor } from '../feed/supervisor.ts'
import { Metrics } from '../metrics.ts'
import type { FileLog } from '../log/file-log.ts'
import { ObservationScanner } from '../source/observations/observation-scanner.ts'
import type { Portal } from '../portal/portal.ts'
import { STARTING } from '../portal/portal-request.ts'
import { forbiddenLinks, type Rest } from '../rest/rest.ts'
import { AdminServer } from '../server/admin-server.ts'
import { HttpServer } from '../server/http-server.ts'
import { Broker } from '../stomp/broker.ts'
import { Connections } from '../stomp/connections.ts'
import type { LiveHistory } from '../stomp/live-history.ts'
import { CAN_SHARE_PORTS, TcpServer } from '../stomp/tcp.ts'
import type { Tls } from '../stomp/tls.ts'
import { newAdminPages, offTexts } from './admin.ts'
import { buildOf } from './build.ts'
import { newHealth } from './portal-parts.ts'
import { Certificates } from './certificates.ts'
import { Checkpoints } from './checkpoints.ts'
import { ClockFile } from './clock-file.ts'
import { resumedText } from './clock-texts.ts'
import { connectionLimitsOf, descriptorLimit } from './connection-limits.ts'
import type { Feeds } from './feeds-setup.ts'
import { LogSpace } from './log-space.ts'
import { LogWatch } from './log-watch.ts'
import {
  type ReloadCounts,
  readOut,
  readOutClock,
  readOutConnections,
  readOutFeeds,
  readOutLog,
  readOutService,
} from './read-outs.ts'
import { portFault, type StartFault } from './port-faults.ts'
import { readOutProcess } from './process-read-outs.ts'
import { Readiness } from './readiness.ts'
import { Replica } from './replica.ts'
import { readOutReplica } from './replica-read-outs.ts'
import { openAccess } from './service-access.ts'
import { newFeeds } from './service-feeds.ts'
import type { ServiceOptions } from './service-options.ts'
import { newPages } from './service-pages.ts'
import { logFolder, recover } from './log-recovery.ts'
import { newCollectYoung } from './thread-priority.ts'
import { Verifications } from './verification-command.ts'

/** Origins of the setting, and where these are listed our own: the live board is a page of this service. */
const originsOf = ({ origins, publicUrl }: Settings): readonly string[] =>
  origins.length === 0 || publicUrl === '' ? origins : [...origins, new URL(publicUrl).origin]

/** The ports in use. */
export type Ports = {
  readonly http: number
  readonly stomp: number
  readonly admin: number
  /** With shared ports: where REST and WebSockets of this process alone are. */
  readonly own?: number
}

/** Whether other processes listen on the port of STOMP over TCP, too. */
const sharesStomp = ({ sharedPorts, stompPort }: Settings): boolean => sharedPorts && stompPort !== 0 && CAN_SHARE_PORTS

/** What Node cannot do with the port of STOMP over TCP. */
const stompHint = ({ sharedPorts }: Settings): string =>
  sharedPorts && !CAN_SHARE_PORTS
    ? `. Node ${process.versions.node} cannot share it (22.12 can): each process needs a --stomp-port of its own`
    : ''

interface ServiceParts {
  readonly engine: Engine
  readonly history: LiveHistory
  readonly turns: Turns
  readonly access: Access
  readonly metrics: Metrics
  readonly supervisor: Supervisor
  readonly verifications: Verifications
  readonly http: HttpServer
  readonly admin: AdminServer
  readonly broker: Broker
  readonly stomp: TcpServer
  readonly readiness: Readiness
  readonly reloads: ReloadCounts
  readonly log: FileLog
  readonly replica: Replica | undefined
  readonly checkpoints: Checkpoints
  readonly clockFile: ClockFile
  readonly watcher: NodeJS.Timeout
  readonly certificates: Certificates
}

export class Service {
  readonly engine: Engine
  private readonly history: LiveHistory
  readonly turns: Turns
  readonly access: Access
  readonly metrics: Metrics
  readonly ports: Ports
  readonly publicUrl: string
  /** What the start has found of the log, if that is as usual; anything else was reported at once. */
  readonly recoveryText: string | undefined
  /** Runs the sources; the caller that starts the service starts them. */
  readonly supervisor: Supervisor
  private readonly http: HttpServer
  private readonly admin: AdminServer
  private readonly readiness: Readiness
  private verification: Feeds['verification'] = null
  /** Reloads, by whether all parts were applied. */
  readonly reloads: ReloadCounts
  private readonly broker: Broker
  private readonly stomp: TcpServer
  private readonly verifications: Verifications
  private readonly log: FileLog
  private readonly replica: Replica | undefined
  private readonly checkpoints: Checkpoints
  private readonly clockFile: ClockFile
  private readonly watcher: NodeJS.Timeout
  private readonly certificates: Certificates
  private readonly settings: Settings
  private readonly onFeed: ServiceOptions['onFeed']

  /** Acquires the data folder and the ports. Requests are answered with 503 until {@link serve} says otherwise. */
  static async start(options: ServiceOptions): Promise<Service | StartFault> {
    const { settings, acceptsStore, onFault, onFeed, signal, onBreak } = options
    // Undone in reverse order where the service cannot start.
    const undo: (() => unknown)[] = []
    const giveUp = async (reason: Fault): Promise<StartFault> => {
      for (const step of undo.toReversed()) await step()
      return reason
    }
    const lock = acquire(settings.dataDir, clock.now())
    if (isFault(lock)) return lock
    undo.push(() => lock.release())
    const report = (level: 'info' | 'warn' | 'error', message: string): void => onFeed(level, 'log', message)
    const joined =
      settings.redisUrl === '' ? undefined : await Replica.open({ settings, report, signal, acceptsStore, onBreak })
    if (joined !== undefined && isFault(joined)) return giveUp(joined)
    const recovered = joined === undefined ? await recover(settings, report) : joined.recovered
    if (isFault(recovered)) return giveUp(recovered)
    const replica = joined?.replica
    const { state, log } = recovered
    const { engine, history } = state
    const began = log.written
    // Before this start applies turns of its own: since then nobody has heard the sources.
    const formerAt = engine.lastTurnAt
    undo.push(() => log.close())
    undo.push(() => replica?.close())
    const clockFile = new ClockFile(settings.dataDir, clock.ours)
    if (log.position > 0) {
      const text = resumedText(clockFile.resume(engine.lastTurnAt))
      if (text !== undefined) onFeed('warn', 'clock', text)
    }
    clockFile.start()
    undo.push(() => clockFile.stop())
    engine.onLevel = (level) => onFeed(level.isNear ? 'warn' : 'info', 'board', engine.board.levelText(level))
    const turns = new Turns(engine, LIMITS, clock.now, replica?.log ?? log, clock.elapsedMs)
    if (replica !== undefined) {
      turns.leads = () => replica.cluster.isLeader
      let summed = engine.link.turn
      turns.onEnded(() => {
        const { turn } = engine.link
        if (turn === summed || turn % LIMITS.checksumTurns !== 0) return
        summed = turn
        const sum = engine.checksum(turn / LIMITS.checksumTurns)
        turns.add({ kind: 'checksum', process: replica.id, turn, sum })
      })
    }
    const logWatch = new LogWatch(replica?.log ?? log, settings.logAwayMs, report)
    const verifications = new Verifications()
    const opened = await openAccess({ options, lock, engine, turns, replica, missed: state.storeInputs, verifications })
    if (isFault(opened)) return giveUp(opened)
    const { access, isNumbering } = opened
    undo.push(() => access.close())
    const { supervisor, senderTimes } = newFeeds({ engine, formerAt, turns, access, replica, clockFile, onFeed })
    const build = buildOf()
    const metrics = new Metrics()
    const tls: Tls | null = settings.tlsCert === '' ? null : { certFile: settings.tlsCert, keyFile: settings.tlsKey }
    const readiness = new Readiness(
      () => supervisor.undelivered(),
      // A log that cannot be written says so itself.
      () => isNumbering() && !logWatch.isTroubled,
    )
    const isAway = () => logWatch.isAway || replica?.isOut === true
    const isServing = () => readiness.isServing && !isAway()
    const isOpen = () => readiness.isLoaded
    const notReady = () => [
      ...readiness.reasons(),
      ...access.problems(),
      ...logWatch.problems(),
      ...(replica?.problems() ?? []),
      ...senderTimes.problems(clock.now()),
    ]
    const liveLimits = { ...LIMITS, errorSessionsMax: settings.errorSessionsMax }
    const scanner = new ObservationScanner(LIMITS)
    const { limits: connectionLimits, warning } = connectionLimitsOf(settings, descriptorLimit())
    if (warning !== undefined) onFeed('warn', 'connections', warning)
    const connections = new Connections(connectionLimits)
    const broker = new Broker({
      wasClosed: recovered.wasClosed,
      isShared: replica !== undefined,
      engine,
      history,
      turns,
      gate: access.gate,
      registry: access.registry,
      limits: liveLimits,
      now: clock.now,
      elapsedMs: clock.elapsedMs,
      server: `oddswire/${build.version}`,
      readObservation: (body, bookmaker) => scanner.read(body, bookmaker),
      mintId: () => randomBytes(12).toString('hex'),
      errorMembers: (code) => (code === 'forbidden' ? forbiddenLinks(publicUrl) : {}),
      isServing,
      isOut: () => replica?.isOut === true,
      aheadMsMax: replica === undefined ? 0 : LIMITS.aheadMsMax,
      isCrowded: () => connections.places.hasWaiting,
      collectYoung: newCollectYoung(),
    })
    // Our own address is only known once the port is in use; no request is answered before that.
    let publicUrl = settings.publicUrl
    const proxies = new TrustedProxies(settings.trustedProxies)
    let pages: { readonly rest: Rest; readonly portal: Portal } | undefined
    const http = await HttpServer.listen({
      bodyBytesNow: LIMITS.bodyBytesNow,
      portal: { answer: async (request) => pages?.portal.answer(request) ?? STARTING, limits: LIMITS, proxies },
      answer: (exchange, nowAt) => pages!.rest.answer(exchange, nowAt),
      isReady: isServing,
      isLogAway: () => logWatch.isTroubled,
      metrics,
      host: settings.host,
      // Where others share the port, it is opened when this process can answer; until then it has one of its own.
      port: settings.sharedPorts ? 0 : settings.httpPort,
      tls,
      connections,
      live: { broker, isOpen, limits: LIMITS, origins: originsOf(settings), compresses: settings.wsCompression },
    })
    if ('busyPort' in http) return giveUp(portFault(http, settings.host, '--http-port', tls))
    undo.push(() => http.close())
    const stomp = await TcpServer.listen({
      broker,
      limits: LIMITS,
      connections,
      host: settings.host,
      port: settings.stompPort,
      isShared: sharesStomp(settings),
      tls,
      isReady: isOpen,
    })
    if ('busyPort' in stomp)
      return giveUp(portFault(stomp, settings.host, '--stomp-port', tls, { hint: stompHint(settings) }))
    undo.push(() => stomp.stopAccepting())
    const explains: AnswerParts = {
      ...LIMITS.explain,
      engine,
      gate: access.gate,
      registry: access.registry,
      removalsOf: (bookmaker) => access.removalsOf(bookmaker),
      sessionRefusal: (caller, nowAt) => broker.refusalOf(caller, nowAt),
      isServing,
      sourceOf: (name) => supervisor.statusOf(name),
      ring: broker.ring,
      now: clock.now,
    }
    const adminPages = newAdminPages(engine, supervisor, explains)
    const admin = await AdminServer.listen({
      metrics,
      host: settings.adminHost,
      port: settings.adminPort,
      tls: settings.adminTls ? tls : null,
      names: settings.adminHosts,
      notReady,
      notes: () => offTexts(supervisor),
      ask: adminPages,
    })
    if ('busyPort' in admin)
      return giveUp(portFault(admin, settings.adminHost, '--admin-port', tls, { hostFlag: '--admin-host' }))
    const checkpoints = new Checkpoints({
      settings,
      state,
      log,
      position: recovered.checkpoint,
      turnsSince: recovered.turns,
      report,
    })
    const peers = await replica?.serve(
      // Not what was delivered: others wait until it is published here, with what it does to the store.
      () => ({
        applied: Math.max(began, engine.link.turn - (turns.isHeld ? 1 : 0)),
        checkpoint: checkpoints.position,
      }),
      (least) => checkpoints.fresh(least),
      (file) => access.copyStore(file),
    )
    if (peers !== undefined) return giveUp(peers)
    const space = new LogSpace(
      logFolder(settings.dataDir),
      () => checkpoints.position,
      (level, message) => onFeed(level, 'log', message),
    )
    const certificates = new Certificates({ http, stomp, admin }, (message) => onFeed('warn', 'listeners', message))
    let wasAway = false
    const watcher = setInterval(() => {
      checkpoints.look()
      certificates.look(clock.elapsedMs(), clock.now())
      space.look(clock.elapsedMs())
      logWatch.look(clock.elapsedMs())
      if (isAway() !== wasAway) {
        wasAway = !wasAway
        if (wasAway) broker.endAway(isAway)
      }
    }, LIMITS.turnMs)
    const scheme = tls === null ? 'http' : 'https'
    const ports: Ports = {
      http: settings.sharedPorts ? settings.httpPort : http.port,
      stomp: stomp.port,
      admin: admin.port,
      ...(settings.sharedPorts && { own: http.port }),
    }
    if (publicUrl === '') publicUrl = `${scheme}://localhost:${ports.http}`
    pages = newPages({
      settings,
      publicUrl,
      stompPort: stomp.port,
      isTls: tls !== null,
      engine,
      access,
      explains,
      liveLimits,
      failures: replica?.newFailures(),
      operator: {
        ask: adminPages,
        conflicts: () => engine.sightings.conflicts(),
        health: newHealth({ access, engine, broker, log, checkpoints, space, notReady, build }),
        viewSessions: (organization, countMax) => broker.viewSessions(organization, countMax),
      },
      onFault,
    })
    readOutProcess(metrics, build)
    certificates.readOut(metrics)
    readOut(metrics, engine, access, pages.rest, broker)
    readOutConnections(metrics, connections)
    readOutClock(metrics, senderTimes)
    readOutFeeds(metrics, supervisor)
    if (replica !== undefined) readOutReplica(metrics, replica)
    readOutLog(metrics, { log, checkpoints, space, recovered })
    if (settings.tlsCert === '' && !isLoopback(settings.host)) {
      onFeed('warn', 'listeners', `keys sent to ${settings.host} can be read on the way: set --tls-cert and --tls-key`)
    }
    const reloads: ReloadCounts = { done: 0, refused: 0 }
    readOutService(metrics, notReady, reloads)
    access.announce(ports, tls !== null, { host: settings.adminHost, tls: settings.adminTls }, publicUrl)
    const parts = {
      engine,
      history,
      turns,
      access,
      metrics,
      supervisor,
      verifications,
      http,
      admin,
      broker,
      stomp,
      readiness,
      reloads,
      log,
      replica,
      checkpoints,
      clockFile,
      watcher,
      certificates,
    }
    // What the shared log has is reported already.
    const text = replica === undefined ? recovered.text : undefined
    return new Service(parts, ports, publicUrl, { settings, onFeed }, text)
  }

  private constructor(
    parts: ServiceParts,
    ports: Ports,
    publicUrl: string,
    { settings, onFeed }: Pick<ServiceOptions, 'settings' | 'onFeed'>,
    recoveryText: string | undefined,
  ) {
    this.recoveryText = recoveryText
    this.engine = parts.engine
    this.history = parts.history
    this.turns = parts.turns
    this.access = parts.access
    this.metrics = parts.metrics
    this.supervisor = parts.supervisor
    this.verifications = parts.verifications
    this.http = parts.http
    this.admin = parts.admin
    this.broker = parts.broker
    this.stomp = parts.stomp
    this.ports = ports
    this.publicUrl = publicUrl
    this.readiness = parts.readiness
    this.reloads = parts.reloads
    this.log = parts.log
    this.replica = parts.replica
    this.checkpoints = parts.checkpoints
    this.clockFile = parts.clockFile
    this.watcher = parts.watcher
    this.certificates = parts.certificates
    this.settings = settings
    this.onFeed = onFeed
    this.turns.start(LIMITS.turnMs)
  }

  /** Takes a step in each iteration of the event loop, once what was published before the start is built, which takes steps, too. */
  inSteps(steps: Iterator<undefined, void>): void {
    setImmediate(() => {
      if (!this.history.isComplete || steps.next().done !== true) this.inSteps(steps)
    })
  }

  /**
   * Replaces the sources by those of a configuration; sources that are the same in both continue. Their coverage is
   * verified once the service is ready.
   */
  async feed({ plans, verification }: Pick<Feeds, 'plans' | 'verification'>): Promise<SourceChanges> {
    const changes = await this.supervisor.configure(plans)
    // Before customers are answered: what a source said before a long pause of the service may have changed.
    this.supervisor.judge(clock.now())
    this.verification = verification
    if (this.readiness.isServing) await this.verify()
    return changes
  }

  /**
   * Waits until the sources have delivered, `msMax` at most; from then on customers are answered.
   * @returns names of sources that have not delivered by then, or why a shared port cannot be used
   */
  async serve(msMax: number, signal: AbortSignal): Promise<readonly string[] | StartFault> {
    const left = await this.readiness.serve(msMax, signal)
    const fault = signal.aborted ? undefined : await this.share()
    if (fault !== undefined) return fault
    if (!signal.aborted) await this.verify()
    return left
  }

  /** Listens on the ports that other processes have, too: only a process that can answer gets connections there. */
  private async share(): Promise<StartFault | undefined> {
    const { host, httpPort, sharedPorts } = this.settings
    if (!sharedPorts) return undefined
    const http = await this.http.share(host, httpPort)
    if (http !== undefined) return portFault(http, host, '--http-port', null)
    const stomp = sharesStomp(this.settings) ? await this.stomp.share() : undefined
    return stomp && portFault(stomp, host, '--stomp-port', null)
  }

  /**
   * Reloads the certificate from its files, on all ports: for connections from now on.
   * @returns the reason where it is invalid; then the old one stays in use
   */
  reloadCertificate(): true | string {
    this.certificates.changed()
    for (const server of [this.http, this.stomp, this.admin]) {
      const done = server.reloadCertificate()
      if (done !== true) return done
    }
    return true
  }

  /** Verifies the coverage of the sources, as configured. Needs REST. */
  private verify(): Promise<void> {
    return this.verifications.start(
      {
        engine: this.engine,
        access: this.access,
        supervisor: this.supervisor,
        host: this.settings.host,
        port: this.http.port,
        isTls: this.settings.tlsCert !== '',
        log: (level, message) => this.onFeed(level, 'verification', message),
      },
      this.verification,
    )
  }

  /**
   * Stops the sources and accepting, completes requests under way, gives reservations back, frees the data folder.
   * @param isBroken the log that is shared is another one: nothing that waits for it will ever be done
   */
  async stop(isBroken = false): Promise<void> {
    const drainMs = isBroken ? LIMITS.brokenDrainMs : LIMITS.drainMsMax
    const endMs = clock.elapsedMs() + drainMs
    const leftMs = () => Math.max(0, endMs - clock.elapsedMs())
    this.readiness.stop()
    this.stomp.stopAccepting()
    await Promise.all([
      // They ask sources.
      Promise.race([this.verifications.stop(), pause(drainMs / 2, undefined, { ref: false })]).then(() =>
        this.supervisor.stop(leftMs()),
      ),
      this.http.drain(drainMs, LIMITS.drainQuietMs),
      this.broker.drain(drainMs).then(() => this.stomp.close(LIMITS.closeMsMax)),
    ])
    // The store takes changes as long as the log does.
    if (this.replica !== undefined && !isBroken) {
      await Promise.race([this.access.collect(), pause(LIMITS.streamMsMax, undefined, { ref: false })])
    }
    this.turns.stop()
    clearInterval(this.watcher)
    await this.clockFile.stop()
    this.broker.close()
    this.http.close()
    this.admin.close()
    // What is left over, as far as the log can be written: nobody has seen it.
    const isPublished = await Promise.race([
      new Promise<true>((resolve) => this.turns.settle(() => resolve(true))),
      pause(Math.max(LIMITS.brokenDrainMs, leftMs()), false, { ref: false }),
    ])
    await this.replica?.close()
    // A checkpoint of turns that are not applied yet would lose them.
    if ((await this.log.close()) && isPublished) await this.checkpoints.finish()
    await this.access.close()
  }
}
