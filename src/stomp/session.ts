// A session of STOMP: one connection of a client, from its first octet to its last. This file is the protocol only:
// commands and their answers. The inbox holds the input, the outbox the output, and SessionSubscriptions the
// subscriptions; live-session.ts has what all protocols share.
//
//   connecting ──CONNECT──▶ connected ──DISCONNECT, ERROR, end──▶ closed
//
// The file is longer than others: every command and deadline may end the session, and all of them depend on its one
// state.

import { isRefusal, type Refusal } from '../domain/refusal.ts'
import type { Carrier } from './carrier.ts'
import type { Channel } from './channel.ts'
import { readConnect } from './connect.ts'
import { credentialOf } from './credential.ts'
import { type Effect, Effects, type Submission } from './effects.ts'
import type { Version } from './frame-headers.ts'
import type { Frame } from './frame-parser.ts'
import { errorBytes, escapeHeader, frameBytes, receiptText } from './frame-writer.ts'
import { HeartBeat } from './heart-beat.ts'
import { type FrameReader, Inbox } from './inbox.ts'
import { LiveSession, type LiveSessionOptions } from './live-session.ts'
import type { Reply } from './outbox.ts'
import type { Reader } from './read-bound.ts'
import {
  badHeader,
  type ErrorCode,
  type Fault,
  faultOf,
  isFault,
  limitExceeded,
  protocolError,
} from './session-fault.ts'
import { readSubscribe, type SubscribeFrame } from './subscribe.ts'

const HEART_BEAT = Buffer.from('\n')

export interface SessionOptions extends LiveSessionOptions {
  readonly id: string
  /** Headers of a WebSocket's upgrade. */
  readonly authorization: string | undefined
  readonly apiKey: string | undefined
}

export class Session extends LiveSession implements Reader, FrameReader {
  version: Version = '1.2'
  private readonly authorization: string | undefined
  private readonly apiKey: string | undefined
  private readonly inbox: Inbox
  /** Nothing more comes: the session ends when its inbox is empty. */
  private isInputOver = false
  readonly effects: Effects
  private openedAt: number
  private heartBeat: HeartBeat | undefined

  constructor(channel: Channel, carrier: Carrier, options: SessionOptions) {
    super(channel, carrier, options)
    this.authorization = options.authorization
    this.apiKey = options.apiKey
    this.openedAt = options.nowAt
    this.inbox = new Inbox(carrier, channel.limits, channel, this)
    this.effects = new Effects(channel, this.subscriptions)
  }

  protected override get resumeSeq(): number | undefined {
    return this.inbox.mayHoldSubscribe ? undefined : super.resumeSeq
  }

  // --- in

  /** Accepts octets of the client. @param chunk not needed after the call */
  receive(chunk: Uint8Array): void {
    if (this.state === 'closed') return
    const { passes, readBound } = this.channel
    this.heartBeat?.alive(this.now())
    this.inbox.add(chunk)
    passes.serve(this)
    if (this.hasInput) {
      this.stir()
      const fault = this.inbox.keep(chunk)
      if (fault !== undefined) this.fail(fault)
    }
    readBound.note(this, chunk.length, passes.isSpent(this))
  }

  /** Called when a WebSocket message is larger than any frame can be. */
  refuseMessage(bytesMax: number): void {
    this.fail(limitExceeded('webSocketSlackBytes', `A WebSocket message has at most ${bytesMax} octets`))
  }

  /**
   * The connection is gone, and all that came before was handed over: what a feed has sent is still read, and then the session
   * ends. Where too much waits to be read of all sessions, it ends at once.
   */
  inputEnded(): void {
    const { inputBytes, limits } = this.channel
    if (this.isFeed && this.hasInput && inputBytes <= limits.inputBytesTotalMax) this.isInputOver = true
    else this.closed()
  }

  /** Whether received octets wait to be read. */
  get hasInput(): boolean {
    return this.inbox.hasInput
  }

  readOn(): void {
    if (this.hasInput) this.channel.passes.ask(this)
    else this.inbox.readOn()
  }

  protected readInput(isOver: () => boolean): void {
    if (!this.hasInput) return
    const { readBound } = this.channel
    const fault = this.inbox.read(isOver)
    if (fault !== undefined) this.fail(fault.fault, fault.receipt)
    if (this.isInputOver && !this.hasInput) this.closed()
    else if (this.hasInput && this.waitsForRoom) readBound.pause(this)
    else if (this.inbox.isPaused && !readBound.isPaused(this)) this.inbox.readOn()
  }

  // What customers ask for begins in the history; feeds do not.
  get mayRead(): boolean {
    if (this.isFeed) return !this.waitsForRoom
    return this.channel.history.isComplete || this.caller === undefined
  }

  // Whatever its carrier: a WebSocket cannot be paused, and while WebSockets used up all room, feeds on TCP were not read
  // for up to a second.
  protected override get waitsForRoom(): boolean {
    return this.isFeed && this.channel.turns.isFull
  }

  handle(frame: Frame): void {
    const { command, headers } = frame
    const receipt = headers.get('receipt')
    // Nearly all are SENDs.
    const run = command === 'SEND' ? runSend : COMMANDS.get(command)
    // It ends when what came before is settled.
    if (this.isEnding) return
    if (this.state === 'connecting' && command !== 'CONNECT') {
      this.fail(protocolError('The first frame must be CONNECT'), receipt)
      return
    }
    if (run === undefined || (command === 'NACK' && this.version === '1.0')) {
      this.fail(protocolError(`No such command in STOMP ${this.version}`), receipt)
      return
    }
    const fault = run(this, frame, receipt)
    if (fault !== undefined) this.fail(fault, receipt)
  }

  // --- CONNECT, DISCONNECT

  connect({ headers }: Frame): Fault | undefined {
    if (this.state !== 'connecting') return protocolError('A session has one CONNECT')
    const { limits, access, options } = this.channel
    const asked = readConnect(headers)
    if (isFault(asked)) return asked
    const { authorization, apiKey } = this
    const nowAt = this.now()
    const caller = access.admit(credentialOf(headers, authorization, apiKey), nowAt)
    if (isFault(caller)) return caller
    this.caller = caller
    const { version } = asked
    this.version = version
    // Other deadlines hold from now on.
    this.stir()
    this.state = 'connected'
    this.heartBeat = new HeartBeat(limits.heartBeatMs, asked.heartBeat, nowAt)
    this.inbox.connected(version, caller.kind === 'feed' ? limits.feedBodyBytesMax : limits.bodyBytesMax)
    this.carrier.connected()
    const members = [
      ['version', version],
      ['session', this.id],
      ['server', options.server],
      ['heart-beat', `${limits.heartBeatMs},${limits.heartBeatMs}`],
    ] as const
    this.outbox.sentAt = nowAt
    this.outbox.write(frameBytes('CONNECTED', members, version))
    this.checkBudget()
    return undefined
  }

  disconnect(_frame: Frame, receipt: string | undefined): Fault | undefined {
    this.endSettled(() => {
      this.confirm(receipt)
      this.end()
      this.carrier.end(false)
    })
    return undefined
  }

  // --- SUBSCRIBE, UNSUBSCRIBE

  subscribe(frame: Frame, receipt: string | undefined): Fault | undefined {
    const { limits, options } = this.channel
    const request = readSubscribe(frame.headers, this.caller!, options.registry, limits.conflateMsMax)
    if (isRefusal(request)) return faultOf(request)
    const { id } = request
    if (id === undefined && this.version !== '1.0') return badHeader('id', 'id is missing')
    const key = keyOf(id, request.destination)
    if (this.subscriptions.has(key) || this.own.has(key)) {
      return badHeader('id', 'There is a subscription with this id')
    }
    if (this.subscriptionCount >= limits.subscriptionsMax) {
      return limitExceeded('subscriptionsMax', `No more than ${limits.subscriptionsMax} subscriptions`)
    }
    const { topic } = request.pattern
    if (topic === 'lag' || topic === 'refusals') {
      const { ownSubscriptionsMax } = limits
      if (this.own.size >= ownSubscriptionsMax) {
        return limitExceeded('ownSubscriptionsMax', `No more than ${ownSubscriptionsMax} subscriptions to ${topic}`)
      }
      this.own.add(topic, key, this.formOf(request), this.now())
      this.stir()
      this.confirm(receipt)
      return undefined
    }
    const subscription = this.subscriptions.add(key, request, this.formOf(request), this.caller!.audience)
    if (isFault(subscription)) return subscription
    this.confirm(receipt)
    if (this.isConnected) this.subscriptions.begin(subscription, request, this.caller!)
    return undefined
  }

  private formOf(request: SubscribeFrame) {
    const acknowledges = request.ackMode !== 'auto'
    return {
      subscription: request.id === undefined ? '' : escapeHeader(request.id, this.version),
      acknowledges,
      hasAckHeader: acknowledges && this.version === '1.2',
      encoding: request.isBinary ? ('msgpack' as const) : ('json' as const),
      bundleBytes: request.isBundled && this.carrier.kind === 'websocket' ? this.channel.limits.bundleBytesMax : 0,
    }
  }

  unsubscribe({ headers }: Frame, receipt: string | undefined): Fault | undefined {
    const id = headers.get('id')
    const destination = headers.get('destination')
    if (id === undefined && (this.version !== '1.0' || destination === undefined)) {
      return badHeader('id', 'id is missing')
    }
    const key = keyOf(id, destination ?? '')
    if (this.own.has(key)) this.own.delete(key)
    else if (this.subscriptions.has(key)) this.subscriptions.remove(key)
    else return badHeader('id', 'There is no subscription with this id')
    this.confirm(receipt)
    return undefined
  }

  // --- SEND, ACK, NACK, BEGIN, ABORT, COMMIT

  send(frame: Frame, receipt: string | undefined): Fault | undefined {
    return this.conclude(this.effects.send(frame, receipt, this.caller!), receipt)
  }

  /** @param effect of a frame */
  conclude(effect: Effect, receipt: string | undefined): Fault | undefined {
    if (effect === 'now') this.confirm(receipt)
    else if ('input' in effect) this.submit(effect, receipt)
    else return isRefusal(effect) ? this.refuseSend(effect, receipt) : effect
    return undefined
  }

  /** A refusal ends the session, unless it is subscribed to `refusals`. @param reply that was reserved for it */
  private refuseSend(
    refusal: Refusal,
    receipt: string | undefined,
    reply?: Reply,
    listeners = this.own.listeners('refusals'),
  ): Fault | undefined {
    const { counts, ring } = this.channel
    counts.sendsRefused++
    if (listeners.length === 0) return faultOf(refusal)
    const { refused: code, message, field = null } = refusal
    const members = { code, message, field, receipt: receipt ?? null }
    const text = receipt === undefined ? '' : receiptText(receipt, this.version, code)
    this.outbox.settle(
      reply ?? this.outbox.reserve(text),
      text,
      this.own.frames('refusals', ring.lastSeq, members, listeners),
    )
    this.flushSoon()
    return undefined
  }

  // --- RECEIPT

  /** The RECEIPT of a frame that has taken effect. */
  private confirm(receipt: string | undefined): void {
    if (receipt === undefined) return
    // Receipts keep the order of what they confirm.
    this.outbox.writeInOrder(receiptText(receipt, this.version))
    this.outbox.sentAt = this.now()
    this.checkBudget()
  }

  /** Adds an input to the turn; its RECEIPT follows when the turn was published. */
  private submit({ input, applied }: Submission, receipt: string | undefined): void {
    // It has its place among the replies, and those that a refusal is reported to, as of now: the answers must not depend
    // on which frames are of one turn.
    const reply = this.outbox.reserve(receipt === undefined ? '' : receiptText(receipt, this.version))
    const listeners = this.own.listeners('refusals')
    this.channel.turns.add(input, (refusal) => {
      if (!this.isConnected) return
      const fault = refusal && this.refuseSend(refusal, receipt, reply, listeners)
      if (fault !== undefined) this.fail(fault, receipt)
      if (refusal !== undefined) return
      applied?.()
      this.outbox.settle(reply)
      this.flushSoon()
    })
    this.checkBudget()
  }

  /** Replies are written once for all that a turn has settled. */
  private flushSoon(): void {
    const { settled, turns } = this.channel
    if (turns.isRunning) settled.add(this)
    else this.flush()
  }

  /** Writes the replies that are settled. */
  flush(): void {
    if (!this.outbox.flush()) return
    this.outbox.sentAt = this.now()
    this.checkBudget()
  }

  // --- time

  protected tick(nowAt: number): boolean {
    if (this.state === 'connecting') return nowAt - this.openedAt >= this.connectLimit.ms
    if (this.state !== 'connected') return false
    const heartBeat = this.heartBeat!
    // The server does not read: the client is not silent.
    if (this.inbox.isPaused || this.hasInput) heartBeat.alive(nowAt)
    this.tickState(nowAt)
    if (!this.isConnected) return false
    if (heartBeat.isDue(nowAt, this.outbox.sentAt) && this.carrier.bufferedBytes === 0) {
      this.outbox.sentAt = nowAt
      this.carrier.write(HEART_BEAT, false)
    }
    return heartBeat.isClientSilent(nowAt) || this.isStalled(nowAt)
  }

  protected override get nextLookAt(): number {
    if (this.state === 'connecting') {
      const { connectMsMax, crowdedConnectMsMax } = this.channel.limits
      return this.openedAt + Math.min(connectMsMax, crowdedConnectMsMax)
    }
    if (this.inbox.isPaused || this.hasInput) return 0
    return Math.min(super.nextLookAt, this.heartBeat!.nextAt(this.outbox.sentAt))
  }

  judge(nowAt: number): void {
    if (this.state === 'connecting') {
      const { name, ms } = this.connectLimit
      if (nowAt - this.openedAt >= ms) this.fail(limitExceeded(name, `No CONNECT within ${ms} ms`))
    } else if (this.state === 'connected') {
      const heartBeat = this.heartBeat!
      if (heartBeat.isClientSilent(nowAt)) {
        this.failResumable(protocolError(`No heart-beat within ${heartBeat.silenceMsMax} ms`))
      } else if (this.isStalled(nowAt)) this.failStalled()
    }
  }

  /** The time limit for CONNECT: shorter while other WebSockets wait for its place. */
  private get connectLimit(): { readonly name: 'connectMsMax' | 'crowdedConnectMsMax'; readonly ms: number } {
    const isHurried = this.carrier.kind === 'websocket' && this.channel.options.isCrowded?.() === true
    const name = isHurried ? 'crowdedConnectMsMax' : 'connectMsMax'
    return { name, ms: this.channel.limits[name] }
  }

  override excuse(nowAt: number): void {
    super.excuse(nowAt)
    this.openedAt = nowAt
    this.heartBeat?.alive(nowAt)
  }

  // --- the end

  /** Ends the session when all that it has sent is settled: what took effect is confirmed. */
  private endSettled(end: () => void): void {
    const { turns } = this.channel
    const finish = (): void => {
      if (!this.isConnected) return
      this.outbox.flush()
      end()
    }
    const isWaiting = this.isEnding
    this.isEnding = true
    // While a turn is settled, all that came before is. What must end the session now does not wait for the log.
    if (turns.isRunning || isWaiting || !this.outbox.hasReplies) finish()
    else turns.settle(finish)
  }

  protected fail(fault: Fault, receipt?: string): void {
    if (this.state === 'closed') return
    if (this.isConnected) this.endSettled(() => this.failNow(fault, receipt))
    else this.failNow(fault, receipt)
  }

  private failNow(fault: Fault, receipt: string | undefined): void {
    const { options } = this.channel
    const wasConnected = this.state === 'connected'
    const echoes = receipt !== undefined && (wasConnected || /^[A-Za-z0-9._-]+$/.test(receipt))
    this.channel.countError(fault.code)
    const frame = errorBytes(
      fault,
      echoes ? receipt : undefined,
      wasConnected ? this.version : '1.2',
      options.errorMembers?.(fault.code),
    )
    this.end(fault.code)
    this.carrier.write(frame, false)
    this.carrier.end(true)
  }

  protected override end(code?: ErrorCode): void {
    if (this.state === 'closed') return
    super.end(code)
    this.inbox.close()
    const { readBound, settled } = this.channel
    readBound.forget(this)
    settled.delete(this)
  }
}

/** A subscription is identified by its id, in 1.0 without one by its destination. */
const keyOf = (id: string | undefined, destination: string): string =>
  id === undefined ? `d ${destination}` : `i ${id}`

type RunCommand = (session: Session, frame: Frame, receipt: string | undefined) => Fault | undefined

const runSend: RunCommand = (session, frame, receipt) => session.send(frame, receipt)

const COMMANDS: ReadonlyMap<string, RunCommand> = new Map<string, RunCommand>([
  ['CONNECT', (session, frame) => session.connect(frame)],
  ['SUBSCRIBE', (session, frame, receipt) => session.subscribe(frame, receipt)],
  ['UNSUBSCRIBE', (session, frame, receipt) => session.unsubscribe(frame, receipt)],
  ['SEND', runSend],
  ['ACK', (session, frame, receipt) => session.conclude(session.effects.acknowledge(frame, session.version), receipt)],
  ['NACK', (session, frame, receipt) => session.conclude(session.effects.acknowledge(frame, session.version), receipt)],
  ['BEGIN', (session, frame, receipt) => session.conclude(session.effects.begin(frame), receipt)],
  ['COMMIT', (session, frame, receipt) => session.conclude(session.effects.commit(frame), receipt)],
  ['ABORT', (session, frame, receipt) => session.conclude(session.effects.abort(frame), receipt)],
  ['DISCONNECT', (session, frame, receipt) => session.disconnect(frame, receipt)],
])
