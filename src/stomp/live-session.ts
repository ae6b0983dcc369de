// A live session, whatever protocol it speaks: its subscriptions and output, its rights, and its budgets over time. The
// protocols add how a session begins, what a client may send, and how an error is written.

import type { Caller } from '../access/gate.ts'
import { Filed } from '../domain/due-ring.ts'
import type { Carrier } from './carrier.ts'
import type { Channel } from './channel.ts'
import type { Recipient } from './delivery.ts'
import { Outbox } from './outbox.ts'
import { OwnTopics } from './own-topics.ts'
import { type ErrorCode, type Fault, isFault, limitExceeded, slowConsumer } from './session-fault.ts'
import { SessionSubscriptions } from './session-subscriptions.ts'

export interface LiveSessionOptions {
  readonly id: string
  readonly nowAt: number
  /** Called when it has ended. */
  readonly onEnd: (session: LiveSession) => void
}

/** A session as people see it. */
export interface LiveSessionView {
  readonly id: string
  readonly carrier: Carrier['kind']
  /** Id. */
  readonly organization: string
  readonly keyId: string
  /** Epoch ms. */
  readonly since: number
  readonly subscriptions: number
  /** Octets that wait for its client. */
  readonly queuedBytes: number
  /** How old the oldest change is that it has not got. */
  readonly behindMs: number
}

type State = 'connecting' | 'connected' | 'closed'

export abstract class LiveSession extends Filed implements Recipient {
  readonly id: string
  readonly carrier: Carrier
  /** When it was opened, epoch ms. */
  readonly since: number
  readonly outbox: Outbox
  readonly subscriptions: SessionSubscriptions
  isWorking = false
  protected readonly channel: Channel
  protected readonly own: OwnTopics
  protected state: State = 'connecting'
  // Nothing more of it is read.
  protected isEnding = false
  protected caller: Caller | undefined

  private readonly onEnd: LiveSessionOptions['onEnd']
  // Nothing can become due before it is looked at again, unless something stirs it.
  private isCalm = false

  constructor(channel: Channel, carrier: Carrier, { id, nowAt, onEnd }: LiveSessionOptions) {
    super()
    this.id = id
    this.since = nowAt
    const { limits, renderer } = channel
    this.channel = channel
    this.onEnd = onEnd
    this.carrier = carrier
    this.outbox = new Outbox(carrier, this, limits, nowAt)
    this.subscriptions = new SessionSubscriptions(channel, this, this.outbox)
    this.own = new OwnTopics(renderer.bodies, renderer.engine.epoch)
    channel.looks.file(this, nowAt)
  }

  get isConnected(): boolean {
    return this.state === 'connected'
  }

  get isFeed(): boolean {
    return this.caller?.kind === 'feed'
  }

  get organizationId(): string | undefined {
    return this.caller?.organization.id
  }

  get subscriptionCount(): number {
    return this.subscriptions.size + this.own.size
  }

  /** As people see it. */
  view(nowAt: number): LiveSessionView {
    const { id, carrier, since, subscriptionCount, outbox } = this
    const { keyId, organization } = this.caller!
    return {
      ...{ id, carrier: carrier.kind, organization: organization.id, keyId, since, subscriptions: subscriptionCount },
      ...{ queuedBytes: outbox.queuedBytes, behindMs: this.subscriptions.lag(nowAt).behindMs },
    }
  }

  /** Octets of conflation state. */
  get conflationBytes(): number {
    return this.subscriptions.conflationBytes
  }

  protected now(): number {
    return this.channel.options.now()
  }

  /** Everything up to this seq was written to the carrier; undefined: that cannot be said. */
  protected get resumeSeq(): number | undefined {
    return this.subscriptions.resumeSeq
  }

  // --- output

  /** The system has accepted what was written: the carrier can accept more. */
  drained(): void {
    if (this.subscriptions.awaitsCarrier) this.channel.passes.serve(this)
  }

  /** The connection is gone. */
  closed(): void {
    this.end()
  }

  /** Reads input and delivers what waits, until its share of the time is over. */
  work(isOver: () => boolean): boolean {
    if (this.state === 'closed') return false
    if (this.subscriptions.overdrawn !== undefined) {
      this.failSlow(this.subscriptions.overdrawn)
      return false
    }
    this.isWorking = true
    this.readInput(isOver)
    const nowAt = this.now()
    if (this.isConnected && this.owesLag(nowAt)) this.sendLag(nowAt)
    const hasMore = this.isConnected && this.subscriptions.pump(isOver)
    if (typeof hasMore === 'object') this.failSlow(hasMore)
    if (this.isCalm && !this.subscriptions.isAtRest) this.stir()
    this.isWorking = false
    return (this.hasInput && !this.waitsForRoom) || hasMore === true
  }

  /** Whether received octets wait to be read. */
  abstract get hasInput(): boolean

  /** Whether received octets are not to be read until there is room for them. */
  protected get waitsForRoom(): boolean {
    return false
  }

  /** Reads received octets, until the time is over. */
  protected abstract readInput(isOver: () => boolean): void

  checkBudget(): void {
    if (this.state !== 'connected') return
    let fault = this.outbox.overBudget()
    if (fault !== undefined && this.subscriptions.relieveAll()) fault = this.outbox.overBudget()
    if (fault !== undefined) this.failSlow(fault)
  }

  // --- time, and rights

  /** Checks what depends on time in every protocol; it may end the session. */
  protected tickState(nowAt: number): void {
    if (nowAt >= this.caller!.expiresAt) this.recheck(nowAt)
    if (this.isConnected) this.tickBudgets(nowAt)
    if (!this.isConnected) return
    // The lag is computed from all subscriptions, and due for all sessions at once: a pass spreads the work.
    if (this.subscriptions.relieve(nowAt) || this.owesLag(nowAt)) this.channel.passes.serve(this)
  }

  /**
   * Looks at everything that depends on time, and files the session by when that is to be done again: with the next tick where
   * something is under way, else when the first deadline is. Ten thousand idle sessions that were all looked at in each tick took
   * 5 % of a core.
   * @returns whether the client seems to have missed a deadline, see {@link judge}
   */
  look(nowAt: number): boolean {
    this.isCalm = false
    const isSuspect = this.tick(nowAt)
    if (this.state === 'closed') return false
    const at = this.nextLookAt
    this.isCalm = at > nowAt
    this.channel.looks.file(this, at)
    return isSuspect
  }

  /** Something begins that is not looked at when the session is calm. */
  stir(): void {
    if (!this.isCalm) return
    this.isCalm = false
    const { looks } = this.channel
    if (this.isConnected) this.outbox.wasCalmUntil(looks.at)
    looks.file(this, looks.at)
  }

  /** Checks everything that depends on time. Returns as {@link look}. */
  protected abstract tick(nowAt: number): boolean

  /**
   * When it is to be looked at next; a time that is past: in each tick. What makes it earlier calls {@link stir}, what makes it
   * later need not.
   */
  protected get nextLookAt(): number {
    if (!this.subscriptions.isAtRest) return 0
    return Math.min(this.caller!.expiresAt, this.outbox.rateDueAt, this.own.lagDueAt)
  }

  /**
   * Ends the session if its client has missed a deadline. To be called only after the sockets have been read since the
   * {@link tick} that suspected it: after a pause of this process, timers run first, and what the client has sent in
   * time is still unread.
   */
  abstract judge(nowAt: number): void

  /** Whether the client reads nothing of what waits for it. */
  protected isStalled(nowAt: number): boolean {
    return this.outbox.isStalled(nowAt, this.subscriptions.hasPending, this.subscriptions.stalledMsMax)
  }

  /** Ends a session whose client reads nothing. */
  protected failStalled(): void {
    this.failSlow(slowConsumer(`Nothing was read for ${this.subscriptions.stalledMsMax} ms`))
  }

  /** This process was paused: silence, or octets that were not read, are not the client's fault. */
  excuse(nowAt: number): void {
    this.outbox.excuse(nowAt)
    this.subscriptions.excuse(nowAt)
  }

  /** Checks the budgets over time: octets a second, conflation state, and how late messages are. */
  private tickBudgets(nowAt: number): void {
    const fast = this.outbox.overRate(nowAt)
    if (fast !== undefined) this.failResumable(fast)
    else if (this.conflationBytes > this.channel.limits.conflationBytesMax) this.endConflation('conflationBytesMax')
    else {
      const late = this.subscriptions.late(nowAt)
      if (late !== undefined) this.failSlow(late)
    }
  }

  /** Whether a lag message is due. None is sent to a client that does not read. */
  private owesLag(nowAt: number): boolean {
    return nowAt >= this.own.lagDueAt && !this.outbox.isFull
  }

  private sendLag(nowAt: number): void {
    const { lastSeq } = this.channel.ring
    this.own.lagSent(nowAt)
    const members = { queuedBytes: this.outbox.queuedBytes, ...this.subscriptions.lag(nowAt) }
    for (const { bytes, isBinary } of this.own.frames('lag', lastSeq, members)) this.outbox.write(bytes, isBinary)
    this.outbox.sentAt = nowAt
    this.checkBudget()
  }

  /** Rights may have changed: what the key may see, or whether it is still valid. */
  recheck(nowAt: number): void {
    if (this.state !== 'connected') return
    const { keyId, audience } = this.caller!
    const caller = this.channel.access.again(keyId, nowAt)
    if (isFault(caller)) {
      this.failResumable(caller)
      return
    }
    this.caller = caller
    this.stir()
    if (caller.audience !== audience) this.subscriptions.narrow(caller.audience)
  }

  // --- the end

  /** Ends a session with too much conflation state. */
  endConflation(limit: 'conflationBytesMax' | 'conflationBytesTotalMax'): void {
    const message = `Conflation remembers more than ${this.channel.limits[limit]} octets; subscribe to less`
    this.failResumable(limitExceeded(limit, message))
  }

  /** Customers are refused for a while: their rights cannot be checked, say. */
  endRefused(message: string): void {
    if (this.state !== 'connected') return
    // What is not confirmed by now is not waited for.
    this.isEnding = true
    this.failResumable({ code: 'service_unavailable', message })
  }

  /** Called when the service ends. */
  shutDown(): void {
    const fault: Fault = { code: 'server_shutdown', message: 'The server is shutting down; connect again' }
    if (this.state === 'connected') this.failResumable(fault)
    else this.fail(fault)
  }

  private failSlow(fault: Fault): void {
    this.channel.counts.slowConsumers++
    this.failResumable(fault)
  }

  /**
   * ERROR with the point that a new session can resume from. There is none in the middle of a snapshot, and none where a
   * subscription was requested that has not begun: it may begin far back.
   */
  protected failResumable(fault: Fault): void {
    const { epoch } = this.channel.renderer.engine
    const seq = this.resumeSeq
    this.fail(seq === undefined ? fault : { ...fault, headers: [['resume-from', `${epoch}-${seq}`]] })
  }

  /** ERROR, and the end of the session. */
  protected abstract fail(fault: Fault, receipt?: string): void

  /** @param code of the ERROR, if it ends with one */
  protected end(code?: ErrorCode): void {
    if (this.state === 'closed') return
    this.state = 'closed'
    this.subscriptions.close()
    this.own.clear()
    this.outbox.clear()
    const { access, delivery, passes, looks } = this.channel
    this.isCalm = false
    looks.forget(this)
    delivery.forget(this)
    passes.forget(this)
    if (this.caller !== undefined) access.ended(this.caller, code, this.now())
    this.onEnd(this)
  }
}
