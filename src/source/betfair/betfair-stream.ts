// The Betfair exchange stream as a source (docs/feeds.md 8; the Exchange Stream API is public): one TLS connection that
// is greeted, authenticated and subscribed, and then gets every change of every market of the filter. When it breaks,
// the next one resumes from the clocks of the last message that was processed, so that nothing is missed and little is
// sent twice.
//
// One piece, although long: the connection, its image and the confirmations change one state, and their order matters.
// What has a state of its own has a file: bytes, login, messages, names, the normaliser.

import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Observation } from '../../domain/observation.ts'
import { type BetfairNormaliser, betfairNormaliser } from './betfair-normaliser.ts'
import type { MarketNames } from './betfair-market.ts'
import { isFormatFault } from '../kit/normaliser.ts'
import { logLine } from '../kit/text.ts'
import type { Connector, ConnectorContext, Producer } from '../kit/connector.ts'
import { askNames, type CatalogueFault } from './market-names.ts'
import { failureOf, type Remedy } from './stream-failure.ts'
import { type BetfairLogin, logIn } from './betfair-login.ts'
import { readMessage, type StreamMessage } from './stream-message.ts'
import { Naming } from './market-naming.ts'
import type { BetfairOptions } from './betfair-options.ts'
import { Wire, type WireFault } from './betfair-wire.ts'

/**
 * States of the stream:
 *
 *   connecting ──▶ authenticating ──▶ subscribing ──▶ streaming
 *       ▲               │                 │               │
 *       └─── pausing ◀──┴─────────────────┴───────────────┘          stopped: from anywhere
 */
type State = 'connecting' | 'authenticating' | 'subscribing' | 'streaming' | 'pausing' | 'stopped'

/** How a connection ended, and the remedy. */
interface Ending {
  readonly reason: string
  readonly remedy: Remedy
}

/** The point from which a subscription may resume. */
interface Clocks {
  readonly initialClk: string
  readonly clk: string
}

const AUTHENTICATION = 1

/** Silence, in heart-beats, after which the connection counts as broken. */
const HEARTBEATS_MISSED = 2.5

/** The longest heart-beat that the public schema of the stream names. */
const HEARTBEAT_MS_MAX = 30_000

/** Heart-beats without a delta after which a resumed exchange has no changes to send. */
const HEARTBEATS_WITHOUT_DELTA = 2

/** Places of a fault that makes the whole message unreadable. */
const WHOLE = /^line \d+(?:\.pt|\.mc)?$/

const UNREADABLE = 'a message could not be read; all markets are requested again'

/** The state is unknown: some of the message may have been recorded, and some not. */
const failed = (error: unknown): Ending => ({
  reason: `processing a message failed: ${String(error)}`,
  remedy: 'fresh',
})

const soon = (reason: string): Ending => ({ reason, remedy: 'soon' })

const isEnding = (value: object): value is Ending => 'remedy' in value

export class BetfairStream implements Connector {
  private readonly options: BetfairOptions
  private readonly context: ConnectorContext
  private readonly producer: Producer
  private readonly normaliser: BetfairNormaliser
  private readonly stopping = new AbortController()
  private readonly running: Promise<void>
  private state: State = 'connecting'
  private token: string | undefined
  /** Of the last whole message that was processed. */
  private clocks: Clocks | undefined
  private heartbeatMs: number
  /** Newest `pt`: time in the source's own clock, except times too far ahead; 0: none yet. */
  private publishedAt = 0
  /** The current message could not be read at all. */
  private isUnreadable = false
  private ca: string | undefined
  private requests = AUTHENTICATION
  /** Connections lost in a row, without a healthy message in between. */
  private tries = 0
  private lineNumber = 0
  /** The exchange says that its prices may be old. */
  private isStale = false
  /** The quotes are to be confirmed: they may have been suspended while the connection was down. */
  private isConfirmDue = false
  /** An observation is not on the board: all markets are to be requested again, now or instead of a confirmation. */
  private imageDue: 'no' | 'later' | 'now' = 'no'
  /** The image, or the changes since the clocks, have not arrived yet. */
  private isPictureDue = true
  /** They have begun to arrive. */
  private isPictureBegun = false
  /** The image was complete once since the start, while the exchange vouched for its prices. */
  private hasPicture = false
  private subscribedAt = 0
  private confirmedAt: number
  /** Of the current connection. */
  private wire: Wire | undefined
  /** Callers that wait for the image, or for why it did not come. */
  private readonly waiting: ((problem: string | undefined) => void)[] = []
  private readonly naming: Naming
  private problemLogged: string | undefined
  /** Serial queue: a confirmation must not get between a message and the board. */
  private queue: Promise<void> = Promise.resolve()
  private isUnnamedLogged = false
  private connectionId: string | null = null
  private connections = 0
  private images = 0
  private resumptions = 0
  private logins = 0
  private messages = 0

  /** Connects at once. */
  constructor(options: BetfairOptions, context: ConnectorContext) {
    this.options = options
    this.context = context
    this.heartbeatMs = options.heartbeatMs
    this.confirmedAt = context.now()
    this.producer = context.producer('stream')
    const { account, now, onMalformed } = context
    this.normaliser = betfairNormaliser({
      account,
      facts: {
        bookmaker: options.bookmaker,
        fixtureOf: () => undefined,
        receivedAt: now,
        isComplete: () => false,
        fileName: () => '',
      },
      transport: options.transport,
      limits: options.limits,
      aheadMsMax: options.limits.aheadMsMax,
      onMalformed: (place, reason) => {
        // A part may be skipped; without the message as a whole the state is unknown.
        if (WHOLE.test(place)) this.isUnreadable = true
        onMalformed(place, reason)
      },
    })
    this.naming = new Naming({
      unnamed: () => this.normaliser.unnamedMarkets(),
      ask: (marketIds) => this.askNames(marketIds),
      name: (id, names) =>
        this.queued(() => {
          // What was held back is as old as the stream: without a whole picture it is confirmed with the next one.
          const isOld = this.isStale || this.isPictureDue || this.state !== 'streaming'
          return this.record(this.normaliser.nameMarket(id, names), 'later', isOld)
        }),
      onFault: ({ fault, isSessionOver }) => {
        // A session that was given cannot be renewed here.
        if (isSessionOver) this.token = undefined
        if (!this.isStopping()) context.log('warn', this.clean(fault))
      },
      now,
      namesMsMin: options.limits.namesMsMin,
      namesAgainMs: options.limits.namesAgainMs,
    })
    this.running = this.run()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
    await this.naming.settled()
    await this.queue
  }

  /** Subscribes again, on the same connection: the exchange answers with all markets of the filter. */
  async refresh(): Promise<string | undefined> {
    if (this.state !== 'streaming') return `the stream is ${this.state}`
    if (this.isStale) return 'the exchange says that its prices may be old'
    if (this.isPictureDue) return 'the markets are still on their way'
    return new Promise((resolve) => {
      this.waiting.push(resolve)
      this.resubscribe()
    })
  }

  /** Whether all markets of the filter came, with the names that the catalogue has of them. */
  hasDelivered(): boolean {
    return this.hasPicture && (this.options.catalogueUrl === null || this.naming.isDone)
  }

  /** The names that are missing, where there is no catalogue to ask. */
  trouble(): string | null {
    const missing = this.options.catalogueUrl === null ? this.context.account.missingNames.text() : undefined
    return missing === undefined
      ? null
      : `does not name ${missing}, and nothing of them is published: give catalogueUrl`
  }

  facts(): Readonly<Record<string, string | number | boolean | null>> {
    const { state, isStale, connectionId, connections, images, resumptions, logins, messages, heartbeatMs } = this
    return { state, stale: isStale, connectionId, connections, images, resumptions, logins, messages, heartbeatMs }
  }

  // --- connections, one after the other ---

  private async run(): Promise<void> {
    while (!this.isStopping()) {
      this.state = 'connecting'
      const { reason, remedy } = await this.connect().catch(failed)
      this.settle(reason)
      if (this.isStopping()) break
      this.tries++
      const { pauseMsMin, pauseMsMax, refusedPauseMs } = this.options.limits
      const mustWait = remedy === 'slow' || (remedy === 'login' && typeof this.options.session === 'string')
      const pauseMsWhole = mustWait ? refusedPauseMs : Math.min(pauseMsMax, pauseMsMin * 2 ** (this.tries - 1))
      if (remedy === 'login') this.token = undefined
      if (remedy === 'fresh') this.clocks = undefined
      this.state = 'pausing'
      this.problem(reason)
      const pauseMs = pauseMsWhole * (0.5 + this.context.chance() / 2)
      await sleep(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => {})
    }
    this.state = 'stopped'
  }

  private async connect(): Promise<Ending> {
    const { host, port, caFile, limits } = this.options
    const { signal } = this.stopping
    try {
      this.ca = caFile === null ? undefined : await readFile(caFile, 'utf8')
    } catch (error) {
      return { reason: `certificates cannot be read: ${(error as Error).message}`, remedy: 'slow' }
    }
    const unable = await this.getToken()
    if (unable !== undefined) return unable
    const { openMsMax, lineBytesMax } = limits
    const wire = await Wire.open({ host, port, ca: this.ca, openMsMax, lineBytesMax, signal })
    if (!(wire instanceof Wire)) return soon(`the stream cannot be reached: ${wire.fault}`)
    this.connections++
    this.wire = wire
    try {
      return (await this.authenticate(wire)) ?? (await this.follow(wire))
    } finally {
      wire.close()
      this.connectionId = null
    }
  }

  private async getToken(): Promise<Ending | undefined> {
    const { session, appKey, limits } = this.options
    if (typeof session === 'string') this.token = session
    if (this.token !== undefined) return undefined
    const { signal } = this.stopping
    const answer = await logIn({
      login: session as BetfairLogin,
      appKey,
      ca: this.ca,
      openMsMax: limits.openMsMax,
      signal,
    })
    if ('fault' in answer) return { reason: answer.fault, remedy: answer.remedy }
    this.logins++
    this.token = answer.token
    return undefined
  }

  private async authenticate(wire: Wire): Promise<Ending | undefined> {
    const { openMsMax } = this.options.limits
    const greeting = await this.nextMessage(wire, openMsMax)
    if (isEnding(greeting)) return greeting
    if (greeting.op !== 'connection') return soon('the other side does not greet as the exchange does')
    this.connectionId = greeting.connectionId === undefined ? null : this.clean(greeting.connectionId)
    this.state = 'authenticating'
    this.requests = AUTHENTICATION
    wire.send({ op: 'authentication', id: AUTHENTICATION, appKey: this.options.appKey, session: this.token })
    const answer = await this.nextMessage(wire, openMsMax)
    if (isEnding(answer)) return answer
    if (answer.op !== 'status' || answer.id !== AUTHENTICATION) return soon('the authentication was not answered')
    return answer.statusCode === 'SUCCESS' ? undefined : this.endingOf(answer)
  }

  private async nextMessage(wire: Wire, silenceMsMax: number): Promise<StreamMessage | Ending> {
    const line = await wire.next(silenceMsMax)
    if (typeof line !== 'string') return soon(`the stream broke: ${line.fault}`)
    const message = readMessage(line)
    return typeof message === 'string' ? soon('the other side does not follow the protocol') : message
  }

  private subscribe(wire: Wire): void {
    const { marketFilter, heartbeatMs } = this.options
    this.state = 'subscribing'
    this.isPictureDue = true
    this.isPictureBegun = false
    this.subscribedAt = this.context.now()
    this.isConfirmDue = this.messages > 0
    if (this.clocks === undefined) this.imageDue = 'no'
    wire.send({
      op: 'marketSubscription',
      id: ++this.requests,
      segmentationEnabled: true,
      // Prices between two conflated ones would be missed; the engine conflates for subscribers that ask for it.
      conflateMs: 0,
      heartbeatMs,
      marketFilter,
      marketDataFilter: { fields: ['EX_MARKET_DEF', 'EX_ALL_OFFERS'] },
      ...this.clocks,
    })
  }

  /** Without clocks the exchange answers with all markets. */
  private resubscribe(): void {
    this.clocks = undefined
    this.subscribe(this.wire!)
  }

  /** Answers the callers that wait for the image. */
  private settle(problem: string | undefined): void {
    for (const resolve of this.waiting.splice(0)) resolve(problem)
  }

  // --- the stream ---

  private async follow(wire: Wire): Promise<Ending> {
    const { openMsMax } = this.options.limits
    this.subscribe(wire)
    for (;;) {
      const silenceMsMax = HEARTBEATS_MISSED * this.heartbeatMs
      const line = await this.nextLine(
        wire,
        this.state === 'streaming' ? silenceMsMax : Math.max(openMsMax, silenceMsMax),
      )
      if (typeof line !== 'string') {
        return line.isMalformed ? this.unreadable(line.fault) : soon(`the stream broke: ${line.fault}`)
      }
      this.lineNumber++
      const message = readMessage(line)
      if (typeof message === 'string') return this.unreadable(message)
      if (message.op === 'mcm') {
        await this.process(line, message)
        if (this.isUnreadable) return { reason: UNREADABLE, remedy: 'fresh' }
        if (this.isPictureLate()) return soon('the exchange sends no picture')
      } else if (message.op === 'status' && message.statusCode !== 'SUCCESS') {
        const ending = this.endingOf(message)
        if (ending.remedy !== 'fresh' || message.connectionClosed) return ending
        this.problem(ending.reason)
        this.resubscribe()
      }
      if (this.isStopping()) return soon('stopped')
    }
  }

  /**
   * The next line. A connection within the heart-beat that was granted is healthy, even if that is longer than
   * requested.
   */
  private async nextLine(wire: Wire, silenceMsMax: number): Promise<string | WireFault> {
    const { heartbeatMs } = this.options
    if (this.heartbeatMs <= heartbeatMs || this.isPictureDue || this.isStale) return wire.next(silenceMsMax)
    const beat = setInterval(() => this.context.alive(), heartbeatMs)
    try {
      return await wire.next(silenceMsMax)
    } finally {
      clearInterval(beat)
    }
  }

  /** Without clocks the exchange must start with an image. */
  private isPictureLate(): boolean {
    if (!this.isPictureDue || this.isPictureBegun || this.clocks !== undefined) return false
    const lateMs = Math.max(this.options.limits.openMsMax, HEARTBEATS_MISSED * this.heartbeatMs)
    return this.context.now() - this.subscribedAt > lateMs
  }

  /** After a change that could not be read the state is unknown: all markets are requested again. */
  private unreadable(reason: string): Ending {
    this.context.account.malformed++
    this.context.onMalformed(`line ${this.lineNumber}`, reason)
    return { reason: UNREADABLE, remedy: 'fresh' }
  }

  private async process(line: string, message: StreamMessage): Promise<void> {
    const { ct, isWhole, status } = message
    this.messages++
    this.state = 'streaming'
    this.isUnreadable = false
    const isStale = status !== undefined && status !== 200
    await this.queued(async () => {
      const observations = this.normaliser.read(line, this.lineNumber)
      if (isFormatFault(observations)) this.isUnreadable = true
      else await this.record(observations, this.isAhead(message) ? 'now' : 'later', isStale)
    })
    if (this.isUnreadable) return
    this.note(message)
    if (isWhole && ct === 'SUB_IMAGE') this.images++
    if (isWhole && ct === 'RESUB_DELTA') this.resumptions++
    const wasStale = this.isStale
    this.isStale = isStale
    if (isStale) {
      this.isConfirmDue = true
      if (wasStale) return
      this.producer.suspect('gap')
      this.problem(`the exchange says that its prices may be old (status ${status})`)
      return
    }
    // A heart-beat before the image shows the connection, not that nothing has changed.
    if (this.isPictureDue) return
    this.tries = 0
    this.hasPicture = true
    this.context.alive()
    if (wasStale) this.context.log('info', 'the exchange says that its prices are current again')
    if (!isWhole) return
    this.problemLogged = undefined
    if (!this.isAhead(message)) await this.confirm()
    if (this.options.catalogueUrl !== null) this.naming.look()
    else this.logUnnamed()
  }

  /** Passes observations on; while the exchange cannot vouch for its prices they are not shown as open. */
  private async record(
    observations: readonly Observation[],
    imageDue: 'later' | 'now',
    isStale: boolean,
  ): Promise<void> {
    // The normaliser does not repeat what was refused.
    if (!(await this.producer.observe(observations, isStale ? 'gap' : undefined))) this.imageDue = imageDue
  }

  resume(): void {
    this.isConfirmDue = true
  }

  /** Confirms all quotes when that is due, as of the newest message, in the exchange's clock. */
  private async confirm(): Promise<void> {
    const nowAt = this.context.now()
    // Not on heart-beats alone: while other markets change there are none, and unchanged quotes must not age out.
    const isRestampDue = nowAt - this.confirmedAt >= this.options.limits.restampMs
    if (this.imageDue === 'now' || (this.imageDue === 'later' && isRestampDue)) {
      this.confirmedAt = nowAt
      return this.resubscribe()
    }
    this.settle(undefined)
    if (!this.isConfirmDue && !isRestampDue) return
    this.isConfirmDue = false
    this.confirmedAt = nowAt
    await this.queued(() => this.producer.confirm(this.publishedAt))
  }

  private isAhead({ pt = 0 }: StreamMessage): boolean {
    return pt > this.context.now() + this.options.limits.aheadMsMax
  }

  /** Reads the fields of a message about the stream itself. */
  private note(message: StreamMessage): void {
    const { ct, isWhole, initialClk, clk, pt, heartbeatMs } = message
    if (!this.isAhead(message) && pt !== undefined && pt > this.publishedAt) this.publishedAt = pt
    if (heartbeatMs !== undefined && heartbeatMs > 0) this.grant(Math.min(heartbeatMs, HEARTBEAT_MS_MAX))
    const isPicture = ct === 'SUB_IMAGE' || ct === 'RESUB_DELTA'
    if (isPicture) this.isPictureBegun = true
    // No resumption is possible from a segment that is not the last.
    if (!isWhole) return
    if (isPicture || this.isDeltaEmpty()) this.isPictureDue = false
    // Nor from a heart-beat that has overtaken what was missed.
    if (this.isPictureDue) return
    // An image has both clocks, later messages only the second.
    const first = initialClk ?? this.clocks?.initialClk
    const second = clk ?? this.clocks?.clk
    if (first !== undefined && second !== undefined) this.clocks = { initialClk: first, clk: second }
  }

  /** Whether a resumed exchange has had the time to send the changes, and has sent none. */
  private isDeltaEmpty(): boolean {
    if (this.clocks === undefined || this.isPictureBegun) return false
    return this.context.now() - this.subscribedAt >= HEARTBEATS_WITHOUT_DELTA * this.heartbeatMs
  }

  /** Sets the interval of heart-beats that the exchange has granted. */
  private grant(heartbeatMs: number): void {
    if (heartbeatMs === this.heartbeatMs) return
    this.heartbeatMs = heartbeatMs
    const { heartbeatMs: askedMs } = this.options
    if (heartbeatMs <= askedMs) return
    this.context.log(
      'warn',
      `the exchange grants a heart-beat every ${heartbeatMs / 1000} s, and not every ${askedMs / 1000} s as requested: ` +
        `its silence is noticed later; set heartbeatSeconds to ${Math.min(5, heartbeatMs / 1000)}`,
    )
  }

  private async askNames(marketIds: readonly string[]): Promise<ReadonlyMap<string, MarketNames> | CatalogueFault> {
    const { catalogueUrl, appKey, limits } = this.options
    const unable = await this.getToken()
    if (unable !== undefined) return { fault: unable.reason, isSessionOver: false }
    return askNames(marketIds, {
      url: catalogueUrl!,
      appKey,
      token: this.token!,
      ca: this.ca,
      openMsMax: limits.openMsMax,
      signal: this.stopping.signal,
    })
  }

  private queued(task: () => Promise<void>): Promise<void> {
    const done = this.queue.then(task)
    // The caller gets the error; the next task runs anyway. What was lost has to be requested again.
    this.queue = done.catch(() => {
      this.imageDue = 'now'
    })
    return done
  }

  // --- the log ---

  /** Without a catalogue missing names are logged once, since that does not change by itself. */
  private logUnnamed(): void {
    const unnamed = this.isUnnamedLogged ? null : this.trouble()
    if (unnamed === null) return
    this.isUnnamedLogged = true
    this.context.log('warn', unnamed)
  }

  private endingOf({ errorCode, errorMessage }: StreamMessage): Ending {
    const { remedy, meaning } = failureOf(errorCode)
    const said = errorMessage === undefined ? '' : ` (${this.clean(errorMessage)})`
    return { reason: `the exchange refused: ${this.clean(errorCode ?? 'FAILURE')}: ${meaning}${said}`, remedy }
  }

  /** Logs a problem, unless it is the last one again. */
  private problem(reason: string): void {
    const line = this.clean(reason)
    if (line === this.problemLogged) return
    this.problemLogged = line
    this.context.log('warn', line)
  }

  private clean(text: string): string {
    const { appKey, session } = this.options
    const secrets = [appKey, this.token ?? '', typeof session === 'string' ? session : session.password]
    return logLine(text, secrets, '(secret)')
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted
  }
}
