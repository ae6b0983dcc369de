// A STOMP broker as a source: payloads come from its queues. A message is acknowledged only when its observations are
// on the board, so that no message is lost with this process; some may come twice, which is harmless (the newest time
// wins).

import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gunzip as gunzipBytes } from 'node:zlib'
import type { Observation } from '../../domain/observation.ts'
import { unnamedText } from '../kit/format.ts'
import { isFormatFault, NOTHING_KNOWN, type Normaliser } from '../kit/normaliser.ts'
import { logLine, shown } from '../kit/text.ts'
import { type Endpoint, endpointText } from '../kit/stomp-connection.ts'
import type { Connector, ConnectorContext, Producer } from '../kit/connector.ts'
import { stompit } from '../kit/stompit.ts'
import type { Client, FailoverServer } from '../kit/stompit-types.d.ts'
import { dial, DialRefusal } from './upstream-dial.ts'
import { Link, type LinkEnd, type UpstreamMessage } from './upstream-link.ts'
import type { UpstreamOptions } from './upstream-options.ts'

type State = 'connecting' | 'subscribing' | 'open' | 'pausing' | 'stopped'

interface Held {
  readonly message: UpstreamMessage
  readonly link: Link
  /** Epoch ms. */
  readonly receivedAt: number
}

/**
 * The result of a message. `left`: it is not on the board, because the source is stopping or the message is outdated by
 * a gap.
 */
type Fate = 'recorded' | 'unreadable' | 'left'

// For a broker that words its errors differently each time.
const PROBLEMS_MAX = 20

const gunzip = promisify(gunzipBytes)

/** The observations of a message; counts those that were passed on, and notes the end. */
function* counted(
  observations: Iterable<Observation>,
  progress: { passedOn: number; isAll: boolean },
): Generator<Observation> {
  for (const observation of observations) {
    progress.passedOn++
    yield observation
  }
  progress.isAll = true
}

export class UpstreamBroker implements Connector {
  private readonly options: UpstreamOptions
  private readonly context: ConnectorContext
  private readonly producer: Producer
  private readonly normaliser: Normaliser
  private readonly running: Promise<void>
  private state: State = 'connecting'
  private readonly stopping = new AbortController()
  private link: Link | undefined
  private linkEnded: () => void = () => {}
  private address: Endpoint | undefined
  private readonly held: Held[] = []
  /** The warning about missing or slower heart-beats was logged. */
  private isSilenceLogged = false
  /** It was logged that payloads name no teams. */
  private isUnnamedLogged = false
  private work: Promise<void> | undefined
  private receivedAt = 0
  /** Connections lost in a row, without a heart-beat or a message in between. */
  private tries = 0
  /** Addresses that refused the connection in a row. */
  private refusals = 0
  private readonly problemsLogged = new Set<string>()
  private connections = 0
  private messages = 0
  private hasRecorded = false
  private redelivered = 0
  private unreadable = 0

  /** Connects at once. */
  constructor(options: UpstreamOptions, context: ConnectorContext) {
    this.options = options
    this.context = context
    this.producer = context.producer('messages')
    const { piece, normaliser } = options.format
    this.normaliser = normaliser({
      account: context.account,
      facts: {
        ...NOTHING_KNOWN,
        ...options.facts,
        bookmaker: options.bookmaker,
        receivedAt: () => this.receivedAt,
        isComplete: () => options.complete,
        isOneOfMany: () => true,
      },
      transport: options.transport,
      limits: options.limits,
      onMalformed: (place, reason) =>
        context.onMalformed(`message ${this.messages}${piece === 'line' ? '' : ` ${place}`}`, reason),
    })
    this.running = this.run().catch((error: unknown) => this.problem(`it cannot be run: ${String(error)}`))
  }

  /** Messages that are not acknowledged by then stay with the broker. */
  async stop(): Promise<void> {
    this.stopping.abort()
    this.held.length = 0
    await this.work
    this.link?.close()
    await this.running
    this.state = 'stopped'
  }

  refresh(): Promise<string | undefined> {
    return Promise.resolve('a broker has no current state to ask for: it passes on what others send')
  }

  /** The rest of the destinations is unknown: the first message that could be read counts. */
  hasDelivered(): boolean {
    return this.hasRecorded
  }

  /** The names that its messages lack, until they have them. */
  trouble(): string | null {
    return unnamedText(this.options.format, this.context.account) ?? null
  }

  facts(): Readonly<Record<string, string | number | boolean | null>> {
    const { state, connections, messages, redelivered, unreadable } = this
    const address = this.address === undefined ? null : endpointText(this.address)
    const { durable } = this.options
    return { state, address, connections, messages, redelivered, unreadable, held: this.held.length, durable }
  }

  // --- connections, one after the other ---

  private async run(): Promise<void> {
    let ca: string | undefined
    const { caFile, endpoints, heartbeatMs, login, passcode, vhost, limits } = this.options
    while (caFile !== null && ca === undefined && !this.isStopping()) {
      try {
        ca = await readFile(caFile, 'utf8')
      } catch (error) {
        this.problem(`certificates cannot be read: ${(error as Error).message}`)
        this.state = 'pausing'
        await this.pause(limits.refusedPauseMs)
      }
    }
    if (this.isStopping()) return
    const dialOptions = { login, passcode, vhost, ca, heartbeatMs, openMsMax: limits.openMsMax }
    const failover = new (stompit().ConnectFailover)(endpoints, {
      // The order is the configuration's: the preferred address first.
      randomize: false,
      connectFunction: (address: Endpoint, onConnected) => dial(address, dialOptions, onConnected),
    })
    failover.getReconnectDelay = (failed) => this.pauseMsOf(failed)
    failover.on('error', (error: Error, { serverProperties }: FailoverServer<Endpoint>) => {
      if (this.isStopping()) return
      this.refusals = error instanceof DialRefusal ? this.refusals + 1 : 0
      const verb = error instanceof DialRefusal ? 'refuses us' : 'cannot be reached'
      this.problem(`${endpointText(serverProperties.connectOptions)} ${verb}: ${error.message}`)
    })
    await new Promise<void>((resolve) => {
      this.linkEnded = resolve
      const search = failover.connect((_error, client, reconnect, { serverProperties }) =>
        this.open(client, reconnect, serverProperties.connectOptions),
      )
      this.stopping.signal.addEventListener('abort', () => {
        search.abort()
        if (this.link === undefined) resolve()
      })
    })
  }

  private open(client: Client, reconnect: () => void, address: Endpoint): void {
    const { limits } = this.options
    this.refusals = 0
    this.connections++
    this.address = address
    this.state = 'subscribing'
    const { bodyBytesMax, openMsMax, closeMsMax } = limits
    try {
      this.link = new Link(
        client,
        { ...this.options, bodyBytesMax, openMsMax, closeMsMax },
        {
          onOpen: () => this.onOpen(),
          fits: () => this.hasRoom(),
          onMessage: (message, link) => this.onMessage(message, link),
          onAlive: () => {
            if (this.state !== 'open') return
            this.tries = 0
            if (this.options.quietIsHealthy) this.context.alive()
          },
          onQuiet: () => {
            if (this.state === 'open' && this.options.quietIsHealthy) this.context.alive()
          },
          onEnd: (end) => this.onEnd(end, reconnect),
        },
      )
    } catch (error) {
      client.destroy()
      this.onEnd({ end: 'broken', reason: String(error) }, reconnect)
    }
  }

  private onOpen(): void {
    this.state = 'open'
    this.problemsLogged.clear()
    const { quietIsHealthy, heartbeatMs } = this.options
    const { beatMs } = this.link!
    if (!quietIsHealthy) return
    if (beatMs > 0) this.context.alive()
    if (this.isSilenceLogged || (beatMs > 0 && beatMs <= heartbeatMs)) return
    this.isSilenceLogged = true
    if (beatMs > 0) {
      this.context.log(
        'warn',
        `the broker agrees to a heart-beat every ${beatMs / 1000} s, and not every ${heartbeatMs / 1000} s as requested: ` +
          `its silence is noticed later; set heartbeatSeconds to ${beatMs / 1000}`,
      )
      return
    }
    this.context.log(
      'warn',
      'the broker agrees to no heart-beats: a quiet one cannot be distinguished from a dead one, and counts as dead; make it ' +
        'send some, or set quietIsHealthy to false, and then nothing is suspended however long it is quiet',
    )
  }

  /** Whether one more message fits, whatever its length. */
  private hasRoom(): boolean {
    const { prefetch, limits } = this.options
    let bytes = limits.bodyBytesMax
    for (const { message } of this.held) bytes += message.body?.length ?? 0
    return this.held.length < prefetch && (bytes <= limits.heldBytesMax || this.held.length === 0)
  }

  private onEnd({ end, reason }: LinkEnd, reconnect: () => void): void {
    const where = endpointText(this.address!)
    const wasOpen = this.state === 'open'
    this.link = undefined
    this.address = undefined
    // Unacknowledged messages come again; the current one is processed to its end, and not acknowledged either.
    this.held.length = 0
    if (this.isStopping()) return this.linkEnded()
    if (!this.options.durable) this.producer.suspect('gap')
    this.tries++
    this.problem(end === 'refusal' ? `${where} refused: ${reason}` : `${where} was lost: ${reason}`)
    this.state = 'pausing'
    const isRefused = end === 'refusal' && !wasOpen
    const pauseMs = isRefused ? this.jittered(this.options.limits.refusedPauseMs) : this.pauseMsOf(this.tries)
    void this.pause(pauseMs).then(() => {
      if (this.isStopping()) return this.linkEnded()
      this.state = 'connecting'
      reconnect()
    })
  }

  // --- messages, one after the other ---

  private onMessage(message: UpstreamMessage, link: Link): void {
    if (this.isStopping()) return
    this.held.push({ message, link, receivedAt: this.context.now() })
    this.schedule()
  }

  /** Starts processing the held messages, unless that is under way. */
  private schedule(): void {
    this.work ??= this.processAll().catch((error: unknown) => {
      this.work = undefined
      // Not acknowledged, it comes again, after a pause.
      const reason = `processing a message failed: ${String(error)}`
      if (this.link === undefined) this.problem(reason)
      else this.link.fail(reason)
      if (this.held.length > 0) this.schedule()
    })
  }

  private async processAll(): Promise<void> {
    for (;;) {
      const next = this.held[0]
      if (next === undefined) break
      let fate: Fate = 'left'
      try {
        fate = await this.process(next)
      } finally {
        // After a reset the first place belongs to another message.
        if (this.held[0] === next) this.held.shift()
      }
      if (next.link === this.link && fate !== 'left') {
        next.link.answer(next.message, fate === 'recorded' || this.options.onMalformed === 'ack')
        next.link.readOn()
      }
    }
    this.work = undefined
  }

  private async process({ message, link, receivedAt }: Held): Promise<Fate> {
    const { account } = this.context
    this.messages++
    this.receivedAt = receivedAt
    if (message.headers.redelivered === 'true') this.redelivered++
    const text = await this.textOf(message)
    // Messages before it are suspect by now.
    if (link !== this.link && !this.options.durable) return 'left'
    if (typeof text !== 'string') return this.refuse(text.fault)
    const malformedBefore = account.malformed
    const result = this.normaliser.read(text, this.messages)
    if (isFormatFault(result)) return this.refuse(result.fault)
    const progress = { passedOn: 0, isAll: false }
    await this.producer.observe(counted(result, progress))
    // A closed lane drops the rest.
    if (!progress.isAll) return 'left'
    this.tries = 0
    this.context.alive()
    this.logUnnamed()
    if (progress.passedOn > 0 || account.malformed === malformedBefore) {
      this.hasRecorded = true
      return 'recorded'
    }
    this.unreadable++
    return 'unreadable'
  }

  private refuse(fault: string): Fate {
    this.tries = 0
    this.unreadable++
    this.context.account.malformed++
    this.context.onMalformed(`message ${this.messages}`, fault)
    return 'unreadable'
  }

  private async textOf({ headers, body }: UpstreamMessage): Promise<string | { readonly fault: string }> {
    const { bodyBytesMax } = this.options.limits
    if (body === undefined) return { fault: `is longer than ${bodyBytesMax} bytes` }
    const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
    let bytes = body
    if (encoding === 'gzip' || encoding === 'x-gzip') {
      try {
        bytes = await gunzip(body, { maxOutputLength: bodyBytesMax })
      } catch (error) {
        const isLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
        return {
          fault: isLong ? `is longer than ${bodyBytesMax} bytes, unpacked` : 'is damaged: it cannot be unpacked',
        }
      }
    } else if (encoding !== 'identity') return { fault: `has an unknown content-encoding: ${shown(encoding)}` }
    return isUtf8(bytes) ? bytes.toString('utf8') : { fault: 'is not UTF-8' }
  }

  // --- the log ---

  private logUnnamed(): void {
    const unnamed = this.isUnnamedLogged ? null : this.trouble()
    if (unnamed === null) return
    this.isUnnamedLogged = true
    this.context.log('warn', unnamed)
  }

  /** Logs a problem, unless it was logged already. */
  private problem(reason: string): void {
    const line = logLine(reason, [this.options.passcode ?? ''], '(passcode)')
    if (this.problemsLogged.has(line)) return
    if (this.problemsLogged.size >= PROBLEMS_MAX) this.problemsLogged.clear()
    this.problemsLogged.add(line)
    this.context.log('warn', line)
  }

  // --- waiting ---

  private jittered(ms: number): number {
    return ms * (0.5 + this.context.chance() / 2)
  }

  /** The pause before the next try, by the number of failed ones. */
  private pauseMsOf(failed: number): number {
    const { pauseMsMin, pauseMsMax, refusedPauseMs } = this.options.limits
    if (this.refusals >= this.options.endpoints.length) return this.jittered(refusedPauseMs)
    return failed === 0 ? 0 : this.jittered(Math.min(pauseMsMax, pauseMsMin * 2 ** (failed - 1)))
  }

  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => {})
  }

  private isStopping(): boolean {
    return this.stopping.signal.aborted
  }
}
