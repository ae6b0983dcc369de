// Sends observations into a running engine until each is answered: a bounded window of SENDs without RECEIPT, which are
// repeated over a new connection when the old one breaks (docs/live-protocol.md 7.3: a repeated SEND is harmless).

import { grouped } from '../domain/grouped.ts'
import type { Observation } from '../domain/observation.ts'
import { wireObservation } from '../source/observations/observations.ts'
import {
  Connection,
  type ConnectionEnd,
  type Endpoint,
  endpointText,
  type FarRefusal,
} from '../source/kit/stomp-connection.ts'

export interface SenderLimits {
  /** SENDs without an answer. */
  readonly unansweredMax: number
  /** Bytes of their bodies; a single body may be larger. */
  readonly unansweredBytesMax: number
  /** Body of a SEND of a feed key (docs/limits.md 2.1). */
  readonly bodyBytesMax: number
  readonly openMsMax: number
  readonly closeMsMax: number
  /** How long SENDs may wait without any RECEIPT before the connection counts as broken. */
  readonly answerMsMax: number
  /** Connections lost in a row, without a RECEIPT in between, before giving up. */
  readonly triesMax: number
  /** Pause before the first new try; it doubles with each try. */
  readonly pauseMsMin: number
  readonly pauseMsMax: number
}

export interface SenderOptions {
  readonly endpoint: Endpoint
  /** The secret of a feed key. */
  readonly key: string
  readonly limits: SenderLimits
  /** Random, from 0 to below 1: jitter for the reconnects of many senders. */
  readonly chance: () => number
  /** Called for each observation that is not on the board, in the order of the answers. */
  readonly onRefused: (refused: RefusedObservation) => void
  /** Called for each connection that broke and will be replaced, with the pause before the next try. */
  readonly onBroken: (reason: string, pauseMs: number) => void
}

/** Not sent because its body is too long. */
export const TOO_LONG = 'too_long'

export interface RefusedObservation {
  /** Number of the accepted observation, from 1; also the SEND's receipt. */
  readonly number: number
  readonly observation: Observation
  /** A code of the engine, or `too_long`: then it was not sent. */
  readonly code: string
  readonly message: string
}

/** Observations by state; `observations` = `sent` + `unsent`, `sent` = `receipted` + refused + `unanswered`. */
export interface SenderCounts {
  readonly observations: number
  /** Written to a connection at least once. */
  readonly sent: number
  /** RECEIPTs without a refusal. */
  readonly receipted: number
  /** RECEIPTs with a refusal. */
  readonly refused: number
  readonly unanswered: number
  /** Too long, or still waiting for a connection. */
  readonly unsent: number
  /** SENDs that were repeated over a new connection. */
  readonly repeated: number
}

/** Why sending has ended: one line with the counts so far and what to do. */
export interface SenderFault {
  readonly fault: string
}

/**
 * States of a sender:
 *
 *   connecting ──▶ open ──▶ closing ──▶ over
 *       ▲  │         │                   ▲
 *       │  ▼         ▼                   │
 *      pausing ◀── (broken) ─────────────┘ error, too many tries, stop
 */
type State = 'connecting' | 'open' | 'pausing' | 'closing' | 'over'

interface Unanswered {
  readonly number: number
  readonly observation: Observation
  readonly body: Buffer
  isSent: boolean
  refusal: FarRefusal | undefined
}

/**
 * ERRORs after which a new connection may work (docs/live-protocol.md 1.3, 6). Too many connections may be our own: the
 * engine keeps one that broke until its heart-beats are missed.
 */
const TEMPORARY = ['server_shutdown', 'service_unavailable', 'slow_consumer', 'rate_limit_exceeded']

const NEW_KEY = 'oddswire key create --org NAME --feed BOOKMAKERS makes one'

const ADVICE: Readonly<Record<string, string>> = {
  missing_api_key: `give --key a feed key; ${NEW_KEY}`,
  invalid_api_key: `the key is unknown, expired or revoked; ${NEW_KEY}`,
  api_key_scope_denied: `the key does not feed this bookmaker; ${NEW_KEY} that does`,
  forbidden: `only a feed key may send; ${NEW_KEY}`,
  live_not_enabled: "its organization's plan has no live channel; oddswire plan set PLAN --live true gives it one",
  rate_limit_exceeded: 'too many connections; end some, or raise --live-connections with oddswire plan set',
}

const destinationOf = ({ bookmaker }: Observation): string => `/feed/${bookmaker}`

export class Sender {
  private readonly options: SenderOptions
  private state: State = 'connecting'
  private connection!: Connection
  private readonly unanswered = new Map<number, Unanswered>()
  private unansweredBytes = 0
  /** Refused by their RECEIPT; the MESSAGE with the reason is still to come. */
  private readonly unexplained = new Map<number, { readonly observation: Observation; readonly code: string }>()
  private wasOpen = false
  private isStopping = false
  private tries = 0
  private fault: SenderFault | undefined
  private timer: NodeJS.Timeout | undefined
  private wake: () => void = () => {}
  private readonly ending = new AbortController()
  private observations = 0
  private sent = 0
  private receipted = 0
  private refused = 0
  private repeated = 0

  /** Connects at once. */
  constructor(options: SenderOptions) {
    this.options = options
    this.connect()
  }

  /** Aborted when sending has ended, for any reason. */
  get over(): AbortSignal {
    return this.ending.signal
  }

  get counts(): SenderCounts {
    const { observations, sent, receipted, refused, repeated } = this
    const [unanswered, unsent] = [sent - receipted - refused, observations - sent]
    return { observations, sent, receipted, refused, repeated, unanswered, unsent }
  }

  /** Resolves when the first connection is open; to a fault when it cannot be opened: then there is no second try. */
  async opened(): Promise<SenderFault | undefined> {
    await this.until(() => this.state !== 'connecting')
    return this.fault
  }

  /**
   * Accepts an observation, to be sent as soon as there is a connection. Call it again only after the call before has
   * resolved.
   * @returns whether it was accepted; a promise of that while the window is full. False after {@link stop}, or when
   * sending is over
   */
  push(observation: Observation): boolean | Promise<boolean> {
    const { bookmaker: _inDestination, ...fields } = wireObservation(observation)
    const body = Buffer.from(JSON.stringify(fields))
    return this.fits(body) || this.isEnding()
      ? this.accept(observation, body)
      : this.until(() => this.fits(body) || this.isEnding()).then(() => this.accept(observation, body))
  }

  /**
   * Waits until all accepted observations are answered, then disconnects. Resolves when over; to a fault if it failed.
   */
  async close(): Promise<SenderFault | undefined> {
    await this.until(() => this.unanswered.size === 0 || this.state === 'over')
    if (this.state === 'open') {
      this.state = 'closing'
      this.connection.close()
    } else if (this.state !== 'over') this.end() // No connection is needed any more.
    await this.until(() => this.state === 'over')
    return this.fault
  }

  /** Accepts no more. SENDs under way have `closeMsMax` to be answered; without a connection it is over at once. */
  stop(): void {
    if (this.isStopping || this.state === 'over') return
    this.isStopping = true
    if (this.state === 'open') this.arm(this.options.limits.closeMsMax, () => this.end())
    else if (this.state !== 'closing') this.end()
    this.wake()
  }

  private isEnding(): boolean {
    return this.isStopping || this.state === 'over'
  }

  private fits(body: Buffer): boolean {
    const { unansweredMax, unansweredBytesMax, bodyBytesMax } = this.options.limits
    const { size } = this.unanswered
    if (size === 0 || body.length > bodyBytesMax) return true
    return size < unansweredMax && this.unansweredBytes + body.length <= unansweredBytesMax
  }

  private accept(observation: Observation, body: Buffer): boolean {
    if (this.isEnding()) return false
    const number = ++this.observations
    const { bodyBytesMax } = this.options.limits
    if (body.length > bodyBytesMax) {
      const message = `is longer than ${bodyBytesMax} bytes (${body.length}); it was not sent`
      this.options.onRefused({ number, observation, code: TOO_LONG, message })
      return true
    }
    const one: Unanswered = { number, observation, body, isSent: false, refusal: undefined }
    this.unanswered.set(number, one)
    this.unansweredBytes += body.length
    if (this.state === 'open') {
      if (this.unanswered.size === 1) this.awaitAnswer()
      this.send(one)
    }
    return true
  }

  private send(one: Unanswered): void {
    if (one.isSent) this.repeated++
    else this.sent++
    one.isSent = true
    this.connection.send(destinationOf(one.observation), one.number, one.body)
  }

  // --- the connection ---

  private connect(): void {
    const { endpoint, key, limits } = this.options
    this.state = 'connecting'
    this.connection = new Connection(
      { endpoint, key, openMsMax: limits.openMsMax, closeMsMax: limits.closeMsMax },
      {
        onOpen: () => this.onOpen(),
        onReceipt: (receipt, refused) => this.onReceipt(receipt, refused),
        onRefusal: (refusal) => this.onRefusal(refusal),
        onEnd: (end) => this.onEnd(end),
      },
    )
  }

  private onOpen(): void {
    this.state = 'open'
    this.wasOpen = true
    if (this.unanswered.size > 0) this.awaitAnswer()
    for (const one of this.unanswered.values()) {
      one.refusal = undefined // It will be refused again, with the RECEIPT that counts.
      this.send(one)
    }
    this.wake()
  }

  private onReceipt(receipt: string, code: string | undefined): void {
    const number = Number(receipt)
    const one = this.unanswered.get(number)
    if (one === undefined) return
    this.unanswered.delete(number)
    this.unansweredBytes -= one.body.length
    this.tries = 0
    const { observation, refusal } = one
    if (refusal !== undefined) this.reportRefused(number, observation, refusal)
    else if (code === undefined) this.receipted++
    else {
      this.unexplained.set(number, { observation, code })
      // Bounds this map when the engine refuses without ever giving a reason.
      if (this.unexplained.size > this.options.limits.unansweredMax) this.reportUnexplained(1)
    }
    if (this.unanswered.size > 0) this.awaitAnswer()
    else if (!this.isStopping) clearTimeout(this.timer)
    this.wake()
  }

  private onRefusal(refusal: FarRefusal): void {
    const number = Number(refusal.receipt)
    const one = this.unanswered.get(number)
    if (one !== undefined) one.refusal = refusal
    const waiting = this.unexplained.get(number)
    if (waiting === undefined) return
    this.unexplained.delete(number)
    this.reportRefused(number, waiting.observation, refusal)
  }

  private reportRefused(number: number, observation: Observation, refusal: Omit<FarRefusal, 'receipt'>): void {
    const { code, message, field } = refusal
    this.refused++
    const named = field === undefined || message.includes(field) ? message : `${field}: ${message}`
    this.options.onRefused({ number, observation, code, message: named })
  }

  private reportUnexplained(count: number): void {
    for (const [number, { observation, code }] of [...this.unexplained].slice(0, count)) {
      this.unexplained.delete(number)
      this.reportRefused(number, observation, { code, message: 'no reason was given', field: undefined })
    }
  }

  private onEnd(end: ConnectionEnd): void {
    clearTimeout(this.timer)
    this.reportUnexplained(this.unexplained.size)
    if (end.end === 'closed' || this.isStopping) return this.end()
    const isTemporary = end.end === 'broken' || TEMPORARY.includes(end.code)
    if (!isTemporary || !this.wasOpen) return this.end(this.faultOf(end))
    this.tries++
    const { triesMax, pauseMsMin, pauseMsMax } = this.options.limits
    if (this.tries >= triesMax) return this.end(this.lost(end))
    const pauseMs = Math.min(pauseMsMax, pauseMsMin * 2 ** (this.tries - 1)) * (0.5 + this.options.chance() / 2)
    this.state = 'pausing'
    this.arm(pauseMs, () => this.connect())
    this.options.onBroken(end.end === 'broken' ? end.reason : `${end.code} ${end.message}`.trim(), pauseMs)
  }

  private end(fault?: SenderFault): void {
    if (this.state === 'over') return
    clearTimeout(this.timer)
    this.state = 'over'
    this.fault = fault
    this.connection.end({ end: 'closed' })
    this.reportUnexplained(this.unexplained.size)
    this.ending.abort()
    this.wake()
  }

  // --- texts of faults ---

  private soFar(): string {
    const { sent, receipted, refused, unanswered } = this.counts
    if (sent === 0) return 'nothing was sent'
    const observations = sent === 1 ? 'observation was' : 'observations were'
    const no = refused === 0 ? '' : `, ${grouped(refused)} refused`
    const open = unanswered === 0 ? '' : `, ${grouped(unanswered)} without an answer`
    return `${grouped(sent)} ${observations} sent, ${grouped(receipted)} receipted${no}${open}`
  }

  private faultOf(end: Exclude<ConnectionEnd, { readonly end: 'closed' }>): SenderFault {
    const where = endpointText(this.options.endpoint)
    if (end.end === 'broken') {
      return {
        fault: `${where} cannot be reached: ${end.reason}; is the engine running, and is this its --stomp-port?`,
      }
    }
    const about = this.unanswered.get(Number(end.receipt))
    const what = about === undefined ? '' : ` SEND ${destinationOf(about.observation)}`
    const said = [end.code, end.message].filter((text) => text !== '').join(': ')
    const advice = ADVICE[end.code]
    return {
      fault: `${where} refused${what}: ${said}; ${advice === undefined ? '' : `${advice}; `}${this.soFar()}`,
    }
  }

  private lost(end: Exclude<ConnectionEnd, { readonly end: 'closed' }>): SenderFault {
    const reason = end.end === 'broken' ? end.reason : end.code
    return {
      fault:
        `${endpointText(this.options.endpoint)} was lost, also after ${this.tries - 1} new tries (${reason}); ` +
        `${this.soFar()}; send the recording again: what is sent twice does no harm`,
    }
  }

  // --- waiting ---

  private awaitAnswer(): void {
    if (this.isStopping) return // Stopping has its own timer.
    const { answerMsMax } = this.options.limits
    this.arm(answerMsMax, () =>
      this.connection.end({ end: 'broken', reason: `no RECEIPT within ${answerMsMax / 1000} s` }),
    )
  }

  private arm(ms: number, then: () => void): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(then, ms)
  }

  /** One caller waits at a time: `push`, then `close`. */
  private async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }
}
