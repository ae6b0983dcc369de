// A session: one connection of a client, from its first octet to its last. Commands in, frames out (LIVE 1 to 4).
//
//   connecting ──CONNECT──▶ connected ──DISCONNECT, ERROR, end──▶ closed

import type { Caller, Gate } from '../access/gate.ts'
import type { EventNotice } from '../board/changes.ts'
import type { Audience } from '../domain/audience.ts'
import type { Observation } from '../domain/observation.ts'
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts'
import type { Engine } from '../engine/engine.ts'
import type { Carrier } from './carrier.ts'
import { Tally } from './connections.ts'
import { CatchUp, type ResetReason, type Start } from './catch-up.ts'
import { credentialOf, type Credential } from './credential.ts'
import { feedOf, isTopic } from './destination.ts'
import { type ClassForm, type Flow, patternKey, type Run } from './flow.ts'
import type { EventIds } from './event-ids.ts'
import { Followers } from './followers.ts'
import { type Frame, type FrameFault, FrameParser, type Version } from './frame-parser.ts'
import { escapeHeader, frameBytes, headerText, receiptText } from './frame-writer.ts'
import {
  badHeader,
  type ErrorCode,
  type Fault,
  faultOf,
  isFault,
  limitExceeded,
  protocolError,
} from './session-fault.ts'
import { HeartBeat, readHeartBeat } from './heart-beat.ts'
import type { ConflationMemory } from './conflation.ts'
import { OwnTopics } from './own-topics.ts'
import { Outbox } from './outbox.ts'
import type { Passes, Worker } from './passes.ts'
import type { LiveLimits } from './session-limits.ts'
import type { Renderer } from './renderer.ts'
import type { ReplayRing } from './replay-ring.ts'
import { type LogPoint, readSubscribe, type SubscribeFrame, type SubscribeRules } from './subscribe.ts'
import { type Place, Subscription, type SubscriptionOwner } from './subscription.ts'
import { type Acknowledgement, Transactions } from './transaction.ts'
import type { Throttle } from './throttle.ts'
import { movesBetween } from './visibility.ts'

export const VERSIONS: readonly Version[] = ['1.2', '1.1', '1.0']

const HEART_BEAT = Buffer.from('\n')

/** Octets that one session is given before others are served. */
const SHARE_BYTES = 256 * 1024

/** What serves sessions: the broker, as they know it. */
export interface SessionHost {
  readonly engine: Engine
  readonly gate: Gate
  readonly limits: LiveLimits
  readonly now: () => number
  /** How CONNECTED names us. */
  readonly server: string
  readonly ring: ReplayRing
  readonly renderer: Renderer
  readonly subscribeRules: SubscribeRules
  readonly readObservation: (body: Buffer, bookmaker: string) => Observation | Refusal
  readonly counts: { slowConsumers: number; sendsRefused: number; acked: number; nacked: number }
  /** Who is served when. */
  readonly passes: Passes
  /** Octets of all sessions that have come in and wait to be read. */
  inputBytes: number
  /** Has a session go on reading, unless the turn waits for others. */
  readOn(session: Session): void
  /** Sessions that the turn at hand writes to. */
  readonly posting: Session[]
  /** Sessions whose carriers do not keep up. */
  readonly behind: Set<Session>
  /** Sessions that have followers: they are served after each turn. */
  readonly following: Set<Session>
  /** Set when a carrier has not let go of what it was given. */
  keepsRuns: boolean
  /** WebSockets wait until others have sent CONNECT. */
  readonly isCrowded: () => boolean
  readonly throttle: Throttle
  readonly eventIds: EventIds
  connected(session: Session, caller: Caller): void
  /** @param code of the ERROR that the session has ended with, if there was one */
  ended(session: Session, code: ErrorCode | undefined): void
  /** Live connections of an organization. */
  connectionsOf(organizationId: string): number
  countError(code: ErrorCode): void
  /** What the body of an ERROR says beside code, message and field. */
  readonly errorMembers: (code: ErrorCode) => object
  /** Whether customers may connect; feeds may before. */
  readonly isServing: () => boolean
  subscribe(session: Session, request: SubscribeFrame, form: ClassForm, audience: Audience, place: Place): Subscription
  unsubscribe(subscription: Subscription): void
  /** Moves a subscription to the same topics as another audience sees them. */
  move(subscription: Subscription, audience: Audience): void
  /** Whether a flow carries to another audience what it carries now. */
  seesSame(flow: Flow, audience: Audience): boolean
  /** What a client that gives a point of the log may have seen there; undefined: nobody knows. */
  audiencesAt(caller: Caller, seq: number): readonly Audience[] | undefined
  /** Lets a subscription catch up; until its snapshot is whole, nothing may change unseen. */
  watch(subscription: Subscription): void
  observe(observation: Observation): Refusal | undefined
  /** Why observations would not be taken together. */
  checkAll(observations: readonly Observation[]): Refusal | undefined
  /** Ends the turn, so that all that has happened is in the ring. */
  endTurn(): void
  noteFrame(): void
  noteBytes(session: Session, bytes: number): void
  /** Has {@link Session.flushLater} called when the turn has ended. */
  flushLater(session: Session): void
  /** Writes held prices that are due into the stream of a subscription. Returns about how many octets. */
  release(subscription: Subscription, nowAt: number): number
  /** Hears that a session has something to hand out: it is served when the turn ends, or in the next pass. */
  woken(session: Session): void
}

type State = 'connecting' | 'connected' | 'closed'

export class Session implements SubscriptionOwner, Worker, ConflationMemory {
  readonly carrier: Carrier
  readonly outbox: Outbox
  private openedAt: number
  conflationBytes = 0
  version: Version = '1.2'
  private readonly broker: SessionHost
  private readonly id: string
  private readonly parser: FrameParser
  private readonly upgradeAuthorization: string | undefined
  private readonly upgradeApiKey: string | undefined
  private state: State = 'connecting'
  private bytesIn = 0
  private caller: Caller | undefined
  private heartBeat: HeartBeat | undefined
  private readonly subscriptions = new Map<string, Subscription>()
  private readonly byAckNumber = new Map<number, Subscription>()
  // Those that have something to hand out; of those that catch up, only the first is served.
  private readonly hungry = new Set<Subscription>()
  private readonly catchingUp = new Set<Subscription>()
  private readonly followers: Followers
  // Followers have had nothing since a subscription that catches up was served.
  private followersWait = false
  // Subscriptions that turns write to, by destination.
  private readonly streamed = new Tally()
  // Pieces of what came in that are not read yet, and whether the parser has stopped within one.
  private input: Uint8Array[] = []
  private inputBytes = 0
  private isParserStopped = false
  private isPaused = false
  private isReadOver: () => boolean = () => false
  /** Whether it is being served: then it needs no waking. */
  isWorking = false
  // A budget that has been passed where the session could not be ended.
  private overdrawn: Fault | undefined
  private readonly transactions: Transactions
  private readonly own: OwnTopics
  private progressAt: number
  private excusedAt = 0
  private takenBytes = 0
  private rateAt: number
  private rateBytes = 0

  constructor(
    broker: SessionHost,
    carrier: Carrier,
    id: string,
    nowAt: number,
    upgradeAuthorization: string | undefined,
    upgradeApiKey: string | undefined,
  ) {
    this.broker = broker
    this.carrier = carrier
    this.outbox = new Outbox(carrier)
    this.id = id
    this.openedAt = nowAt
    this.progressAt = nowAt
    this.rateAt = nowAt
    this.upgradeAuthorization = upgradeAuthorization
    this.upgradeApiKey = upgradeApiKey
    this.parser = new FrameParser(broker.limits)
    this.transactions = new Transactions(broker.limits)
    this.followers = new Followers(broker.ring)
    this.own = new OwnTopics(broker.renderer.bodies, broker.engine.epoch)
  }

  get isConnected(): boolean {
    return this.state === 'connected'
  }

  get isFeed(): boolean {
    return this.caller?.kind === 'feed'
  }

  /** The organization whose live connections this session counts among. */
  get organizationId(): string | undefined {
    return this.caller?.kind === 'customer' ? this.caller.organization.id : undefined
  }

  /**
   * The key whose errors are counted. Those of feed keys are not: their prices are for everybody, and they can ask for
   * nothing that is expensive.
   */
  get customerKeyId(): string | undefined {
    return this.caller?.kind === 'customer' ? this.caller.keyId : undefined
  }

  get subscriptionCount(): number {
    return this.subscriptions.size + this.own.size
  }

  // --- in

  /** Accepts octets of the client. @param chunk not needed after the call */
  receive(chunk: Uint8Array): void {
    const { broker } = this
    if (this.state === 'closed') return
    this.heartBeat?.heard(broker.now())
    this.input.push(chunk)
    this.noteInput(this.inputBytes + weightOf(chunk))
    broker.passes.serve(this)
    if (this.hasInput && !this.isEnded) this.waitToRead(chunk)
    broker.noteBytes(this, chunk.length)
  }

  private noteInput(bytes: number): void {
    this.broker.inputBytes += bytes - this.inputBytes
    this.inputBytes = bytes
  }

  /** What came in is more than can be read now. */
  private waitToRead(chunk: Uint8Array): void {
    const { inputBytesMax, inputBytesTotalMax, turnBytesMax } = this.broker.limits
    this.carrier.pauseReading()
    this.isPaused = true
    // Only a WebSocket gets above that: a TCP socket stops here, with the chunk at hand and the frame that it goes on with.
    if (this.inputBytes > inputBytesMax) {
      this.fail(
        limitExceeded('inputBytesMax', `More than ${inputBytesMax} octets waited to be read; wait for RECEIPTs`),
      )
      return
    }
    // A socket that is paused holds one chunk: that is no reason.
    if (this.broker.inputBytes > inputBytesTotalMax && this.inputBytes > turnBytesMax) {
      this.fail(limitExceeded('inputBytesTotalMax', 'Too much waits to be read of all clients; send less at a time'))
      return
    }
    const last = this.input.at(-1)
    // The library takes its memory back when this call returns.
    if (last?.buffer === chunk.buffer && this.carrier.kind === 'websocket') {
      // Of thousands of small messages a buffer each would cost more than the copy.
      this.input[this.input.length - 1] = Buffer.from(last)
    }
  }

  /** Whether octets wait that have come in already. */
  get hasInput(): boolean {
    return this.input.length > 0 || this.isParserStopped
  }

  /** Goes on reading from the carrier, unless what has come in is not read yet. */
  readOn(): void {
    if (this.isEnded || this.hasInput) return
    this.isPaused = false
    this.carrier.readOn()
  }

  // --- what it is served

  work(isOver: () => boolean): boolean {
    if (this.state === 'closed') return false
    if (this.overdrawn !== undefined) {
      this.endSlow(this.overdrawn)
      return false
    }
    this.isWorking = true
    if (this.hasInput) {
      this.read(isOver)
      if (this.isPaused && !this.hasInput) this.broker.readOn(this)
    }
    const nowAt = this.broker.now()
    if (this.isConnected && this.owesLag(nowAt)) this.tellLag(nowAt)
    const hasMore = this.isConnected && this.pump(isOver)
    this.isWorking = false
    return this.hasInput || hasMore
  }

  /** Reads what has come in, until the time is over. */
  private read(isOver: () => boolean): void {
    this.isReadOver = isOver
    let fault: FrameFault | undefined
    if (this.isParserStopped) {
      this.isParserStopped = false
      fault = this.parser.resume(this.onFrame)
    }
    while (fault === undefined && !this.isParserStopped && this.input.length > 0 && !this.isEnded) {
      fault = this.readPiece(this.input.shift()!)
      // A piece may hold no frame that ends, and there may be thousands of them.
      if (isOver()) break
    }
    if (this.isEnded) return
    const heldBytes = this.isParserStopped ? this.parser.heldBytes : 0
    this.noteInput(this.input.reduce((sum, piece) => sum + weightOf(piece), heldBytes))
    if (fault !== undefined) this.failParse(fault)
  }

  private readPiece(piece: Uint8Array): FrameFault | undefined {
    if (this.isConnected) return this.parser.push(piece, this.onFrame)
    // A CONNECT may be followed in the same piece by anything; what is left after it is judged below.
    const { bytesBeforeConnectMax } = this.broker.limits
    const head = piece.subarray(0, bytesBeforeConnectMax - this.bytesIn)
    this.bytesIn += head.length
    const fault = this.parser.push(head, this.onFrame)
    if (fault !== undefined || head.length === piece.length || this.isEnded) return fault
    if (this.isConnected) this.input.unshift(piece.subarray(head.length))
    else this.fail(limitExceeded('bytesBeforeConnectMax', `No CONNECT within ${bytesBeforeConnectMax} octets`))
    return undefined
  }

  // The compiler does not know that a frame may have ended the session.
  private get isEnded(): boolean {
    return this.state === 'closed'
  }

  private readonly onFrame = (frame: Frame): boolean => {
    this.handle(frame)
    if (this.isEnded) return false
    this.isParserStopped = this.isReadOver()
    return !this.isParserStopped
  }

  private failParse({ fault, limit, message, receipt }: FrameFault): void {
    this.fail(fault === 'limit' ? limitExceeded(limit!, message) : protocolError(message), receipt)
  }

  private handle(frame: Frame): void {
    const { command, headers } = frame
    const receipt = headers.get('receipt')
    const run = COMMANDS.get(command)
    if (this.state === 'connecting' && command !== 'CONNECT') {
      this.fail(protocolError('The first frame must be CONNECT'), receipt)
      return
    }
    if (run === undefined || (command === 'NACK' && this.version === '1.0')) {
      this.fail(protocolError(`No such command in STOMP ${this.version}`), receipt)
      return
    }
    const fault = run(this, frame, receipt)
    if (fault !== undefined && this.state !== 'closed') this.fail(fault, receipt)
  }

  /** A message of a WebSocket is larger than any frame can be. */
  refuseMessage(bytesMax: number): void {
    this.fail(limitExceeded('webSocketSlackBytes', `A WebSocket message has at most ${bytesMax} octets`))
  }

  /** The system has taken what was written: there is room for more. */
  drained(): void {
    const isWaiting = this.hungry.size > 0 || this.followers.isBehind || this.broker.behind.has(this)
    if (isWaiting) this.broker.passes.serve(this)
  }

  /** The connection is gone. */
  closed(): void {
    this.end()
  }

  // --- CONNECT

  connect(frame: Frame, receipt: string | undefined): Fault | undefined {
    if (this.state !== 'connecting') return protocolError('A session has one CONNECT')
    const { headers } = frame
    const { broker } = this
    // Values of 1.0 are trimmed; nobody else gives any that begin or end with a space.
    const accepted = (headers.get('accept-version') ?? '1.0').split(',').map((text) => text.trim())
    const version = VERSIONS.find((each) => accepted.includes(each))
    if (version === undefined) {
      const message = `Supported versions are ${VERSIONS.toReversed().join(', ')}`
      this.fail(protocolError(message), receipt, [['version', VERSIONS.toReversed().join(',')]])
      return undefined
    }
    const asked = readHeartBeat(headers.get('heart-beat'))
    if (asked === undefined) return protocolError('heart-beat must be two whole numbers of ms with a comma between')
    const nowAt = broker.now()
    const caller = this.identify(credentialOf(headers, this.upgradeAuthorization, this.upgradeApiKey), nowAt)
    if (isRefusal(caller)) return faultOf(caller)
    // A snapshot of a board that the sources have not filled yet would say that there is nothing.
    if (caller.kind === 'customer' && !broker.isServing()) {
      return { code: 'service_unavailable', message: 'The service is starting; connect again in a moment' }
    }
    if (caller.kind === 'customer' && this.refuseThrottled(caller.keyId, receipt, nowAt)) return undefined
    this.caller = caller
    if (caller.kind === 'customer') {
      const most = caller.organization.plan.liveConnectionsMax
      if (most > 0 && broker.connectionsOf(caller.organization.id) >= most) {
        this.caller = undefined
        return {
          code: 'rate_limit_exceeded',
          message: `The plan of your organization allows ${most} live connections at the same time; close one, or ask for a larger plan`,
        }
      }
    } else this.parser.bodyBytesMax = broker.limits.feedBodyBytesMax
    this.version = version
    this.parser.version = version
    this.state = 'connected'
    this.heartBeat = new HeartBeat(broker.limits.heartBeatMs, asked, nowAt)
    broker.connected(this, caller)
    this.write(
      frameBytes(
        'CONNECTED',
        [
          ['version', version],
          ['session', this.id],
          ['server', broker.server],
          ['heart-beat', `${broker.limits.heartBeatMs},${broker.limits.heartBeatMs}`],
        ],
        version,
      ),
    )
    return undefined
  }

  /** Refuses a CONNECT whose key has to wait, see {@link Throttle}. Returns whether it has. */
  private refuseThrottled(keyId: string, receipt: string | undefined, nowAt: number): boolean {
    const { throttle } = this.broker
    const waitMs = throttle.waitMs(keyId, nowAt)
    if (waitMs === 0) return false
    throttle.refused++
    const seconds = Math.ceil(waitMs / 1000)
    const message = `Too many sessions of this key have ended with an ERROR; connect again in ${seconds} s, and see why they do`
    this.fail({ code: 'rate_limit_exceeded', message }, receipt, [['retry-after', String(seconds)]])
    return true
  }

  private identify(credential: Credential | Refusal, nowAt: number): Caller | Refusal {
    if (isRefusal(credential)) return credential
    const { gate } = this.broker
    if (gate.refusesAll) return refuse('service_unavailable', 'Access rights cannot be checked just now; try again')
    const caller = gate.identify(credential.authorization, credential.apiKey, nowAt)
    return isRefusal(caller) ? caller : (this.denied(caller) ?? caller)
  }

  /** Why a caller may not have a session at all. */
  private denied(caller: Caller): Refusal | undefined {
    // A feed key brings observations; what its organization may see is another matter.
    return caller.kind === 'feed' ? undefined : this.broker.gate.permit(caller, { transport: 'live' })
  }

  // --- SUBSCRIBE, UNSUBSCRIBE

  subscribe(frame: Frame, receipt: string | undefined): Fault | undefined {
    const { broker } = this
    const request = readSubscribe(frame.headers, this.caller!, broker.subscribeRules)
    if (isRefusal(request)) return faultOf(request)
    const { id } = request
    if (id === undefined && this.version !== '1.0') {
      return badHeader('id', 'id is missing')
    }
    const key = keyOf(id, request.destination)
    if (this.subscriptions.has(key) || this.own.has(key)) {
      return badHeader('id', 'There is a subscription with this id')
    }
    if (this.subscriptionCount >= broker.limits.subscriptionsMax) {
      return limitExceeded('subscriptionsMax', `No more than ${broker.limits.subscriptionsMax} subscriptions`)
    }
    const { topic } = request.pattern
    if (topic === 'lag' || topic === 'refusals') {
      const { ownSubscriptionsMax } = broker.limits
      if (this.own.size >= ownSubscriptionsMax) {
        return limitExceeded('ownSubscriptionsMax', `No more than ${ownSubscriptionsMax} subscriptions to ${topic}`)
      }
      this.own.add(topic, key, this.formOf(request), broker.now())
      this.confirm(receipt)
      return undefined
    }
    // What happened before this frame is not of it. It may have been too much for this session.
    broker.endTurn()
    if (!this.isConnected) return undefined
    const place = this.placeFor(request)
    if (typeof place !== 'string') return place
    const subscription = broker.subscribe(this, request, this.formOf(request), this.caller!.audience, place)
    this.subscriptions.set(key, subscription)
    if (place === 'stream') this.streamed.add(placeKeyOf(request.filter), 1)
    this.noteAcks(subscription)
    this.confirm(receipt)
    if (!this.isConnected) return undefined
    const start = this.startOf(request, subscription.stream.flow)
    if (start !== undefined) this.catchUp(subscription, start)
    else this.join(subscription, broker.ring.lastSeq)
    return undefined
  }

  /** Has a subscription take part from the end of the log on. */
  private join(subscription: Subscription, logSeq: number): void {
    if (subscription.place === 'stream') subscription.attach()
    else this.catchUp(subscription, { afterSeq: logSeq, lastSeq: subscription.stream.flow.lastSeq })
  }

  /** Whether turns write to a subscription: each write costs everybody time, so one session has only some of them. */
  private placeFor({ id, filter, destination }: SubscribeFrame): Place | Fault {
    const { streamedPerTopicMax, conflatingPerTopicMax, streamedIdBytesMax } = this.broker.limits
    const count = this.streamed.of(placeKeyOf(filter))
    if (filter.conflateMs > 0) {
      if (count < conflatingPerTopicMax) return 'stream'
      const message = `No more than ${conflatingPerTopicMax} subscriptions with conflate-ms to ${destination}`
      return limitExceeded('conflatingPerTopicMax', message)
    }
    return count < streamedPerTopicMax && Buffer.byteLength(id ?? '') <= streamedIdBytesMax ? 'stream' : 'log'
  }

  unsubscribe(frame: Frame, receipt: string | undefined): Fault | undefined {
    const { headers } = frame
    const id = headers.get('id')
    const destination = headers.get('destination')
    if (id === undefined && (this.version !== '1.0' || destination === undefined)) {
      return badHeader('id', 'id is missing')
    }
    const key = keyOf(id, destination ?? '')
    const subscription = this.subscriptions.get(key)
    if (subscription === undefined) {
      if (!this.own.has(key)) return badHeader('id', 'There is no subscription with this id')
      this.own.delete(key)
    } else {
      this.broker.endTurn()
      if (!this.isConnected) return undefined
      this.subscriptions.delete(key)
      this.drop(subscription)
    }
    this.confirm(receipt)
    return undefined
  }

  private formOf(request: SubscribeFrame) {
    const acknowledges = request.ackMode !== 'auto'
    return {
      subscription: request.id === undefined ? '' : escapeHeader(request.id, this.version),
      acknowledges,
      hasAckHeader: acknowledges && this.version === '1.2',
      encoding: request.isBinary ? ('msgpack' as const) : ('json' as const),
    }
  }

  private noteAcks(subscription: Subscription): void {
    const { ackNumber } = subscription.stream.form
    if (ackNumber !== undefined) this.byAckNumber.set(ackNumber, subscription)
  }

  private drop(subscription: Subscription): void {
    this.hungry.delete(subscription)
    this.catchingUp.delete(subscription)
    this.unfollow(subscription)
    if (subscription.place === 'stream') this.streamed.add(placeKeyOf(subscription.request.filter), -1)
    this.outbox.unackedCount -= subscription.unacked.count
    for (const [number, other] of this.byAckNumber) if (other === subscription) this.byAckNumber.delete(number)
    this.broker.unsubscribe(subscription)
  }

  /** Where a subscription begins; undefined: with what happens next. */
  private startOf(request: SubscribeFrame, flow: Flow): Start | undefined {
    if (request.from !== undefined) return this.startFrom(request.from, flow)
    return request.wantsSnapshot ? { reset: undefined } : undefined
  }

  private startFrom({ epoch, seq }: LogPoint, flow: Flow): Start {
    const { ring, engine } = this.broker
    const reset = (reason: ResetReason): Start => ({ reset: reason })
    if (epoch !== engine.epoch) return reset('epoch')
    if (seq > ring.lastSeq) return reset('ahead')
    if (seq < ring.floorSeq) return reset('too_old')
    const windowS = this.caller!.organization.plan.liveReplayWindowSeconds
    const group = ring.groupAfter(seq)
    const isMissing = group < ring.groupsEnd
    if (windowS > 0 && isMissing && ring.recordedAtOf(group) < this.broker.now() - windowS * 1000) {
      return reset('window')
    }
    // What it may see has changed since then, or may have: what it knows is too much or too little.
    const before = this.broker.audiencesAt(this.caller!, seq)
    if (before?.every((audience) => this.broker.seesSame(flow, audience)) !== true) return reset('audience')
    return { afterSeq: seq }
  }

  private catchUp(subscription: Subscription, start: Start): void {
    // Last of those that wait, whatever it was before.
    this.catchingUp.delete(subscription)
    this.unfollow(subscription)
    this.catchingUp.add(subscription)
    subscription.waitFor(start)
  }

  followed(subscription: Subscription): void {
    this.followers.add(subscription, this.broker.now())
    this.broker.following.add(this)
  }

  private unfollow(subscription: Subscription): void {
    if (!subscription.isFollowing) return
    this.followers.delete(subscription)
    if (this.followers.size === 0) this.broker.following.delete(this)
  }

  /** The one that catches up; those behind it wait, unless it waits itself for acknowledgements. */
  private nextToCatchUp(): Subscription | undefined {
    for (const subscription of this.catchingUp) if (!subscription.isPaused) return subscription
    return undefined
  }

  /** Has the next of those that wait to catch up begin, if none is at it. */
  private beginCatchUp(): void {
    const subscription = this.nextToCatchUp()
    if (subscription?.waitsFor === undefined) return
    const { broker } = this
    // A snapshot is of the board at the end of a turn.
    broker.endTurn()
    const { waitsFor } = subscription
    if (!this.isConnected || waitsFor === undefined) return
    const { flow, form } = subscription.stream
    const { partNumbers, request } = subscription
    const { destination } = request
    const { stalledMsMax: heldLateMsMax } = broker.limits
    // The log may have passed it while it waited.
    const isTooOld = 'afterSeq' in waitsFor && waitsFor.afterSeq < broker.ring.floorSeq
    const start = isTooOld ? ({ reset: 'too_old' } as const) : waitsFor
    const { renderer } = broker
    // Only who has the state has to be told that it is another event's by now.
    const eventIds = request.keepsState ? broker.eventIds : undefined
    subscription.begin(new CatchUp({ renderer, eventIds, flow, form, destination, start, partNumbers, heldLateMsMax }))
    broker.watch(subscription)
  }

  beginAnew(subscription: Subscription): void {
    this.catchUp(subscription, { reset: 'audience' })
  }

  /** A source has moved an event to another league: who filters by league and keeps the state begins anew. */
  eventMoved(notice: EventNotice): void {
    for (const subscription of this.subscriptions.values()) {
      // Those who are catching up will come to it.
      if (subscription.isCatchingUp || !subscription.request.keepsState) continue
      if (movesBetween(subscription.request.filter, notice)) this.beginAnew(subscription)
    }
  }

  /** Ids of events lead elsewhere since this seq: who has named one of them, and keeps the state, is told. */
  idsMoved(moved: ReadonlySet<string>, seqBefore: number): void {
    for (const subscription of this.subscriptions.values()) {
      const { filter, keepsState } = subscription.request
      // Those who are catching up will come to it.
      if (subscription.isCatchingUp || !keepsState) continue
      if (filter.eventId === null || !moved.has(filter.eventId)) continue
      const seq = subscription.resumeSeq(seqBefore)
      const lastSeq = Math.min(seq ?? 0, subscription.stream.flow.lastSeq)
      if (seq === undefined) this.beginAnew(subscription)
      else this.catchUp(subscription, { afterSeq: seq, lastSeq })
    }
  }

  // --- SEND

  send(frame: Frame, receipt: string | undefined): Fault | undefined {
    const { broker } = this
    const destination = frame.headers.get('destination')
    if (destination === undefined) return badHeader('destination', 'destination is missing')
    if (this.caller!.kind !== 'feed') {
      return faultOf(refuse('forbidden', 'Only a feed key may SEND', 'destination'))
    }
    if (isTopic(destination)) return faultOf(refuse('forbidden', 'Nobody may SEND to a topic', 'destination'))
    const bookmaker = feedOf(destination)
    if (bookmaker === undefined) {
      return faultOf(refuse('not_found', 'SEND goes to /feed/{bookmaker}', 'destination'))
    }
    if (this.caller!.scope.bookmakers?.includes(bookmaker) !== true) {
      return faultOf(refuse('api_key_scope_denied', `This feed key does not feed ${bookmaker}`, 'destination'))
    }
    const transaction = frame.headers.get('transaction')
    if (transaction !== undefined) {
      // The bytes are the parser's, and valid now only.
      const fault = this.transactions.takeSend(transaction, { bookmaker, body: Buffer.from(frame.body), receipt })
      if (fault === undefined) this.confirm(receipt)
      return fault
    }
    const observation = broker.readObservation(frame.body, bookmaker)
    const refusal = isRefusal(observation) ? observation : broker.observe(observation)
    if (refusal !== undefined) return this.refuseSend(refusal, receipt)
    this.confirmLater(receipt)
    broker.noteFrame()
    return undefined
  }

  /** A refusal ends the session, unless it listens for refusals. */
  private refuseSend(refusal: Refusal, receipt: string | undefined): Fault | undefined {
    this.broker.counts.sendsRefused++
    if (!this.own.isHeard('refusals')) return faultOf(refusal)
    const { refused: code, message, field = null } = refusal
    const members = { code, message, field, receipt: receipt ?? null }
    for (const frame of this.own.frames('refusals', this.broker.ring.lastSeq, members)) this.outbox.writeLater(frame)
    if (receipt !== undefined) this.outbox.writeLater(receiptText(receipt, this.version, code))
    this.broker.flushLater(this)
    this.checkBudget()
    return undefined
  }

  // --- transactions

  begin(frame: Frame, receipt: string | undefined): Fault | undefined {
    const fault = this.transactions.begin(frame.headers.get('transaction'))
    if (fault === undefined) this.confirm(receipt)
    return fault
  }

  abort(frame: Frame, receipt: string | undefined): Fault | undefined {
    const transaction = this.transactions.end(frame.headers.get('transaction'))
    if (isFault(transaction)) return transaction
    this.confirm(receipt)
    return undefined
  }

  commit(frame: Frame, receipt: string | undefined): Fault | undefined {
    const transaction = this.transactions.end(frame.headers.get('transaction'))
    if (isFault(transaction)) return transaction
    const { broker } = this
    const observations: Observation[] = []
    for (const { bookmaker, body, receipt: sendReceipt } of transaction.sends) {
      const observation = broker.readObservation(body, bookmaker)
      // Whole or not at all.
      if (isRefusal(observation)) {
        const place = sendReceipt === undefined ? '' : ` (receipt ${sendReceipt})`
        const message = `The transaction was not taken: ${observation.message}${place}`
        return this.refuseSend({ ...observation, message }, receipt)
      }
      observations.push(observation)
    }
    const refusal = broker.checkAll(observations)
    if (refusal !== undefined) return this.refuseSend(refusal, receipt)
    for (const acknowledgement of transaction.acknowledgements) {
      if (!this.isPending(acknowledgement)) return UNKNOWN_ACK
    }
    for (const observation of observations) {
      const refusal = broker.observe(observation)
      if (refusal !== undefined) return this.refuseSend(refusal, receipt)
    }
    for (const acknowledgement of transaction.acknowledgements) this.acknowledge(acknowledgement)
    if (observations.length > 0) this.confirmLater(receipt)
    else this.confirm(receipt)
    return undefined
  }

  // --- ACK, NACK

  ack(frame: Frame, receipt: string | undefined): Fault | undefined {
    const acknowledgement = this.readAck(frame)
    if (isFault(acknowledgement)) return acknowledgement
    const transaction = frame.headers.get('transaction')
    if (transaction !== undefined) {
      const fault = this.transactions.takeAcknowledgement(transaction, acknowledgement)
      if (fault === undefined) this.confirm(receipt)
      return fault
    }
    if (!this.isPending(acknowledgement)) return UNKNOWN_ACK
    this.acknowledge(acknowledgement)
    this.confirm(receipt)
    return undefined
  }

  private readAck({ command, headers }: Frame): Acknowledgement | Fault {
    const isNack = command === 'NACK'
    if (this.version === '1.2') {
      const id = headers.get('id') ?? headers.get('message-id')
      if (id === undefined) return badHeader('id', 'id is missing')
      const slash = id.lastIndexOf('/')
      if (slash === -1) return this.readBareAck(id, headers.get('subscription'), isNack)
      const subscription = this.byAckNumber.get(Number(id.slice(slash + 1)))
      return subscription === undefined ? UNKNOWN_ACK : { subscription, messageId: id.slice(0, slash), isNack }
    }
    const messageId = headers.get('message-id')
    if (messageId === undefined) return badHeader('message-id', 'message-id is missing')
    const id = headers.get('subscription')
    if (this.version === '1.1' && id === undefined) {
      return badHeader('subscription', 'subscription is missing')
    }
    for (const subscription of this.subscriptions.values()) {
      const isMeant = id === undefined || subscription.request.id === id
      if (isMeant && subscription.unacked.has(messageId)) return { subscription, messageId, isNack }
    }
    return UNKNOWN_ACK
  }

  /**
   * An ACK of STOMP 1.2 that gives the `message-id` of a MESSAGE and not its `ack`, as clients written for 1.1 do. Taken
   * where one subscription alone waits for it; which of several was meant cannot be known.
   */
  private readBareAck(messageId: string, id: string | undefined, isNack: boolean): Acknowledgement | Fault {
    let found: Subscription | undefined
    for (const subscription of this.subscriptions.values()) {
      const isMeant = id === undefined || subscription.request.id === id
      if (!isMeant || !subscription.unacked.has(messageId)) continue
      if (found !== undefined) return AMBIGUOUS_ACK
      found = subscription
    }
    return found === undefined ? UNKNOWN_ACK : { subscription: found, messageId, isNack }
  }

  private isPending({ subscription, messageId }: Acknowledgement): boolean {
    return subscription.unacked.has(messageId)
  }

  private acknowledge({ subscription, messageId, isNack }: Acknowledgement): void {
    const { unacked } = subscription
    // A cumulative one before it in the same transaction may have taken this one, too.
    if (!unacked.has(messageId)) return
    const { outbox, broker } = this
    const wasFull = outbox.unackedCount >= broker.limits.sessionUnackedMax
    const count = unacked.remove(messageId, subscription.request.ackMode === 'client')
    broker.counts[isNack ? 'nacked' : 'acked'] += count
    outbox.unackedCount -= count
    // The others waited for room, too.
    for (const each of wasFull ? this.subscriptions.values() : [subscription]) if (each.isHungry) this.wake(each)
  }

  disconnect(_frame: Frame, receipt: string | undefined): Fault | undefined {
    this.broker.endTurn()
    if (!this.isConnected) return undefined
    this.flushLater()
    this.confirm(receipt)
    this.end()
    this.carrier.end(false)
    return undefined
  }

  // --- out

  private write(frame: Buffer): void {
    this.heartBeat?.said(this.broker.now())
    this.outbox.write(frame)
    this.checkBudget()
  }

  /** The RECEIPT of a frame that has taken effect. */
  private confirm(receipt: string | undefined): void {
    if (receipt === undefined) return
    // Receipts keep the order of what they confirm.
    this.outbox.writeInOrder(receiptText(receipt, this.version))
    this.heartBeat?.said(this.broker.now())
    this.checkBudget()
  }

  /** The RECEIPT of what is on the board now, and in the stream at the end of the turn. */
  private confirmLater(receipt: string | undefined): void {
    if (receipt === undefined) return
    if (!this.outbox.waitsForTurn) this.broker.flushLater(this)
    this.outbox.writeLater(receiptText(receipt, this.version))
    this.checkBudget()
  }

  /** The turn has ended: what waited for that may go. */
  flushLater(): void {
    if (this.state !== 'connected' || !this.outbox.waitsForTurn) return
    this.outbox.turnEnded()
    this.heartBeat!.said(this.broker.now())
    this.checkBudget()
  }

  post(run: Run, isBinary: boolean): void {
    // Most sessions have one subscription: then this is all they get in this turn.
    if (this.subscriptions.size === 1) {
      this.outbox.hand(run, isBinary)
      this.checkCarrier()
    } else if (this.outbox.post(run, isBinary)) this.broker.posting.push(this)
  }

  /** Writes what the turn has brought to several subscriptions. */
  flushOutbox(): void {
    this.outbox.flushRuns()
    this.checkCarrier()
  }

  /** Octets were published to a room that it is in. */
  published(bytes: number): void {
    this.outbox.handedBytes += bytes
    this.checkCarrier()
  }

  /** Looks whether the carrier keeps up; if not, what comes next is kept here until it does. */
  checkCarrier(): void {
    const { bufferedBytes } = this.carrier
    if (bufferedBytes === 0) return
    this.broker.keepsRuns = true
    if (bufferedBytes > this.broker.limits.socketBytesMax) this.fallBehind()
  }

  private fallBehind(): void {
    for (const subscription of this.subscriptions.values()) subscription.fallBehind()
    this.broker.behind.add(this)
  }

  wake(subscription: Subscription): void {
    if (subscription.isFollowing) this.followers.add(subscription, this.broker.now())
    else this.hungry.add(subscription)
    this.broker.woken(this)
  }

  release(subscription: Subscription, nowAt: number): number {
    return this.broker.release(subscription, nowAt)
  }

  /**
   * Hands out what waits, as far as the carrier takes it and the time goes: at least one piece.
   * @returns whether there is more that waits for nothing but time
   */
  private pump(isOver: () => boolean): boolean {
    const { carrier, broker, hungry } = this
    const { socketBytesMax } = broker.limits
    if (hungry.size === 0 && !this.followers.isBehind && !broker.behind.has(this)) return false
    if (carrier.bufferedBytes > socketBytesMax) return false
    this.beginCatchUp()
    if (!this.isConnected) return false
    const nowAt = broker.now()
    let share = SHARE_BYTES
    let isLost = false
    const hasRoom = (): boolean => this.isConnected && carrier.bufferedBytes <= socketBytesMax
    const hasShare = (): boolean => share > 0 && (share === SHARE_BYTES || !isOver())
    const serve = (subscription: Subscription): void => {
      if (subscription.isPassed) isLost = true
      while (!isLost && hasRoom() && hasShare() && subscription.isHungry) {
        const octets = subscription.handOut(socketBytesMax, nowAt, isOver)
        if (octets === undefined) {
          isLost = true
          return
        }
        // A step that has written nothing returns 1 at most.
        if (octets > 1) this.heartBeat?.said(nowAt)
        share -= Math.max(octets, 256)
        if (octets === 0 || subscription.waitsFor !== undefined) break
      }
      if (!subscription.isHungry) hungry.delete(subscription)
      if (!subscription.isCatchingUp) this.catchingUp.delete(subscription)
    }
    carrier.cork(() => {
      // What has happened goes before what is caught up with, or it would wait for the whole of a snapshot.
      for (const subscription of hungry) if (!subscription.isCatchingUp) serve(subscription)
      // Followers may always be behind, and a snapshot may be long: neither keeps the other waiting for good.
      const followersFirst = this.followersWait
      if (followersFirst) this.serveFollowers(nowAt, serve)
      const catchingUp = this.nextToCatchUp()
      if (catchingUp?.waitsFor === undefined && catchingUp?.isHungry === true) serve(catchingUp)
      if (!followersFirst) this.serveFollowers(nowAt, serve)
    })
    if (!this.isConnected) return false
    if (isLost) {
      this.cutSlow('The log has passed what this subscription has still to get')
      return false
    }
    if (carrier.bufferedBytes > socketBytesMax) {
      this.fallBehind()
      return false
    }
    const next = this.nextToCatchUp()
    for (const subscription of hungry) {
      if (subscription.isHungry && (!subscription.isCatchingUp || subscription === next)) return true
    }
    if (this.followers.isBehind) return true
    for (const subscription of this.subscriptions.values()) subscription.rejoin()
    if (hungry.size === 0) broker.behind.delete(this)
    return false
  }

  private serveFollowers(nowAt: number, serve: (subscription: Subscription) => void): void {
    const { handedBytes } = this.outbox
    this.followers.serve(nowAt, serve)
    this.followersWait = this.followers.isBehind && this.outbox.handedBytes === handedBytes
  }

  /** Ends a session whose backlog, or what it asked for one by one, is over its budget. */
  checkBudget(): void {
    const { pendingBytesMax } = this.broker.limits
    if (this.state === 'connected' && this.outbox.pendingBytes > pendingBytesMax) {
      this.cutSlow(`More than ${pendingBytesMax} octets waited for this session`)
    }
  }

  /** Has the session ended when it is served next: a budget is passed in the midst of a turn. */
  overdraw(limit: string, message: string): void {
    this.overdrawn ??= { ...limitExceeded(limit, message), code: 'slow_consumer' }
    this.broker.passes.ask(this)
  }

  private cutSlow(message: string): void {
    this.endSlow({ code: 'slow_consumer', message })
  }

  private endSlow(fault: Fault): void {
    this.broker.counts.slowConsumers++
    this.fail(fault, undefined, this.resumeHeaders())
  }

  /** `resume-from`: everything up to it was handed to the socket. None in the middle of a snapshot. */
  private resumeHeaders(): [string, string][] {
    const { epoch } = this.broker.engine
    const logSeq = this.broker.ring.lastSeq
    let least: number | undefined = logSeq
    for (const subscription of this.subscriptions.values()) {
      const seq = subscription.resumeSeq(logSeq)
      if (seq === undefined) least = undefined
      else if (least !== undefined) least = Math.min(least, seq)
    }
    return least === undefined ? [] : [['resume-from', `${epoch}-${least}`]]
  }

  // --- time

  /**
   * Looks at everything that hangs on time. Called several times a second.
   * @returns whether the client seems to have missed a deadline, see {@link judge}
   */
  tick(nowAt: number): boolean {
    if (this.state === 'connecting') return nowAt - this.openedAt >= this.connectLimit.ms
    if (this.state !== 'connected') return false
    if (nowAt >= this.caller!.expiresAt) {
      this.recheck(nowAt)
      if (this.state !== 'connected') return false
    }
    const heartBeat = this.heartBeat!
    // It is us who do not read.
    if (this.isPaused || this.hasInput) heartBeat.heard(nowAt)
    this.tickBudgets(nowAt)
    if (!this.isConnected) return false
    // It is worked out from all subscriptions, and due for all sessions at once.
    if (this.owesLag(nowAt)) this.broker.passes.serve(this)
    if (!this.isConnected) return false
    if (heartBeat.isDue(nowAt) && this.carrier.bufferedBytes === 0) {
      heartBeat.said(nowAt)
      this.carrier.write(HEART_BEAT, false)
    }
    return heartBeat.isClientSilent(nowAt) || this.isStalled(nowAt)
  }

  /**
   * Ends the session if its client has missed a deadline. Only to be called once the sockets have been read since the
   * {@link tick} that suspected it: after a pause of this process timers come first, and what the client has sent in time
   * is still unread.
   */
  judge(nowAt: number): void {
    const { stalledMsMax } = this.broker.limits
    if (this.state === 'connecting') {
      const { name, ms } = this.connectLimit
      if (nowAt - this.openedAt >= ms) this.fail(limitExceeded(name, `No CONNECT within ${ms} ms`))
    } else if (this.state === 'connected') {
      const heartBeat = this.heartBeat!
      if (heartBeat.isClientSilent(nowAt)) {
        const fault = protocolError(`No heart-beat within ${heartBeat.silenceMsMax} ms`)
        this.fail(fault, undefined, this.resumeHeaders())
      } else if (this.isStalled(nowAt)) this.cutSlow(`Nothing was taken for ${stalledMsMax} ms`)
    }
  }

  /** How long it may take to CONNECT: less while other WebSockets wait for its place. */
  private get connectLimit(): { readonly name: 'connectMsMax' | 'crowdedConnectMsMax'; readonly ms: number } {
    const isHurried = this.carrier.kind === 'websocket' && this.broker.isCrowded()
    const name = isHurried ? 'crowdedConnectMsMax' : 'connectMsMax'
    return { name, ms: this.broker.limits[name] }
  }

  /** This process was paused: what was not heard or taken meanwhile says nothing about the client. */
  excuse(nowAt: number): void {
    this.openedAt = nowAt
    this.progressAt = nowAt
    this.excusedAt = nowAt
    this.followers.excuse(nowAt)
    this.heartBeat?.heard(nowAt)
  }

  /** Whether the client takes nothing of what waits for it: it is cut before its backlog is over the budget. */
  private isStalled(nowAt: number): boolean {
    const { bufferedBytes } = this.carrier
    const taken = this.outbox.handedBytes - bufferedBytes
    if (this.hungry.size === 0 || taken !== this.takenBytes || bufferedBytes === 0) {
      this.takenBytes = taken
      this.progressAt = nowAt
      return false
    }
    return nowAt - this.progressAt > this.broker.limits.stalledMsMax
  }

  /** What adds up over time: octets a second, memory of conflation, and how late held prices are. */
  private tickBudgets(nowAt: number): void {
    const { bytesPerSecondMax, conflationBytesMax, stalledMsMax } = this.broker.limits
    if (nowAt - this.rateAt >= 1_000) {
      const { handedBytes } = this.outbox
      const perSecond = ((handedBytes - this.rateBytes) * 1_000) / (nowAt - this.rateAt)
      this.rateAt = nowAt
      this.rateBytes = handedBytes
      if (perSecond > bytesPerSecondMax) {
        const message = `More than ${bytesPerSecondMax} octets a second; subscribe to less, and to nothing twice`
        this.fail(limitExceeded('bytesPerSecondMax', message), undefined, this.resumeHeaders())
        return
      }
    }
    if (this.conflationBytes > conflationBytesMax) {
      this.endConflation('conflationBytesMax')
      return
    }
    if (this.followers.lateMs(nowAt) > stalledMsMax) {
      const count = this.followers.size
      const words = `${count} subscriptions that are not the first of their destination or have a long id`
      this.cutSlow(
        `It takes more than ${stalledMsMax} ms to serve the ${words}; subscribe to less, or from several connections`,
      )
      return
    }
    // After a pause of this process all prices are late.
    if (nowAt - this.excusedAt <= stalledMsMax) return
    for (const subscription of this.hungry) {
      if ((subscription.stream.flow.conflation?.lateMs(nowAt) ?? 0) <= stalledMsMax) continue
      this.cutSlow(`Prices that were due ${stalledMsMax} ms ago were not read`)
      return
    }
  }

  /** Ends a session for which conflation remembers too much. */
  endConflation(limit: 'conflationBytesMax' | 'conflationBytesTotalMax'): void {
    const message = `Conflation remembers more than ${this.broker.limits[limit]} octets; subscribe to less`
    this.fail(limitExceeded(limit, message), undefined, this.resumeHeaders())
  }

  /** Whether its lag has to be told: not one after the other to a client that takes none of them. */
  private owesLag(nowAt: number): boolean {
    return this.own.isLagDue(nowAt) && this.carrier.bufferedBytes <= this.broker.limits.socketBytesMax
  }

  private tellLag(nowAt: number): void {
    const { ring } = this.broker
    let behindMs = 0
    let mergedPrices = 0
    for (const subscription of this.subscriptions.values()) {
      mergedPrices += subscription.mergedPrices
      const seq = subscription.resumeSeq(ring.lastSeq)
      if (seq === undefined || seq >= ring.lastSeq) continue
      const group = ring.groupAfter(seq)
      if (group < ring.groupsEnd) behindMs = Math.max(behindMs, nowAt - ring.recordedAtOf(group))
    }
    this.own.lagTold(nowAt)
    const { queuedBytes } = this.outbox
    for (const { bytes, isBinary } of this.own.frames('lag', ring.lastSeq, { queuedBytes, behindMs, mergedPrices })) {
      this.outbox.write(bytes, isBinary)
    }
    this.heartBeat!.said(nowAt)
    this.checkBudget()
  }

  // --- rights

  /** Rights may have changed: what the key may see, or whether it may at all. */
  recheck(nowAt: number): void {
    if (this.state !== 'connected') return
    const { broker } = this
    const caller = broker.gate.callerOf(this.caller!.keyId, nowAt)
    const refusal = isRefusal(caller) ? caller : this.denied(caller)
    if (refusal !== undefined) {
      this.fail(faultOf(refusal), undefined, this.resumeHeaders())
      return
    }
    const before = this.caller!.audience
    this.caller = caller as Caller
    const { audience } = this.caller
    if (audience === before) return
    for (const subscription of this.subscriptions.values()) this.narrow(subscription)
  }

  /** Moves a subscription to what its key may see now. */
  private narrow(subscription: Subscription): void {
    const { broker } = this
    const isSame = broker.seesSame(subscription.stream.flow, this.caller!.audience)
    // What waits for it goes on from where it is, as the new audience sees it. A snapshot that is not whole, or that holds
    // more or less than what may be seen now, is begun again.
    const seq = subscription.resumeSeq(broker.ring.lastSeq)
    const { lastSeq } = subscription.stream.flow
    this.unfollow(subscription)
    broker.move(subscription, this.caller!.audience)
    this.noteAcks(subscription)
    if (seq === undefined || (!isSame && subscription.request.keepsState)) {
      this.catchUp(subscription, { reset: 'audience' })
    } else if (seq < broker.ring.lastSeq || subscription.conflates) {
      // What conflation held back stays behind in the old stream: it is found in the log.
      this.catchUp(subscription, { afterSeq: seq, lastSeq: Math.min(seq, lastSeq) })
    } else this.join(subscription, seq)
  }

  // --- the end

  /** Rights have been unknown for too long: the key may have been revoked. */
  endUnverified(): void {
    if (this.state !== 'connected') return
    const message = 'Access rights cannot be checked; connect again in a moment'
    this.fail({ code: 'service_unavailable', message }, undefined, this.resumeHeaders())
  }

  /** The service ends. */
  shutDown(): void {
    if (this.state === 'closed') return
    const headers = this.state === 'connected' ? this.resumeHeaders() : []
    this.fail({ code: 'server_shutdown', message: 'The server is shutting down; connect again' }, undefined, headers)
  }

  /** ERROR, and the end of the session (LIVE 4). */
  private fail(fault: Fault, receipt?: string, headers: readonly (readonly [string, string])[] = []): void {
    const { code, message, field } = fault
    const { broker } = this
    if (this.state === 'closed') return
    // What was confirmed before the fault stays confirmed.
    if (this.outbox.waitsForTurn) {
      broker.endTurn()
      if (this.isEnded) return
      this.outbox.turnEnded()
    }
    const wasConnected = this.state === 'connected'
    const echoes = receipt !== undefined && (wasConnected || /^[A-Za-z0-9._-]+$/.test(receipt))
    broker.countError(code)
    const error = { code, message, ...(field === undefined ? {} : { field }), ...broker.errorMembers(code) }
    const frame = frameBytes(
      'ERROR',
      [
        ['message', code],
        // For clients that show the headers of an ERROR and not its body.
        ['detail', headerText(message)],
        ...(field === undefined ? [] : [['field', headerText(field)] as const]),
        ...(echoes ? [['receipt-id', receipt] as const] : []),
        ...headers,
        ['content-type', 'application/json'],
      ],
      wasConnected ? this.version : '1.2',
      JSON.stringify({ error }),
    )
    this.end(code)
    this.carrier.write(frame, false)
    this.carrier.end(true)
  }

  /** @param code of the ERROR, if it ends with one */
  private end(code?: ErrorCode): void {
    if (this.state === 'closed') return
    this.state = 'closed'
    for (const subscription of this.subscriptions.values()) this.broker.unsubscribe(subscription)
    this.subscriptions.clear()
    this.byAckNumber.clear()
    this.own.clear()
    this.hungry.clear()
    this.catchingUp.clear()
    this.followers.clear()
    this.outbox.clear()
    this.input = []
    this.noteInput(0)
    this.parser.close()
    this.broker.ended(this, code)
  }
}

/** What a piece of input takes at the least, whatever its size: many small ones count by their number. */
const PIECE_BYTES_MIN = 1_024

const weightOf = (piece: Uint8Array): number => Math.max(PIECE_BYTES_MIN, piece.length)

/** A subscription is known by its id, in 1.0 also by its destination. */
const keyOf = (id: string | undefined, destination: string): string =>
  id === undefined ? `d ${destination}` : `i ${id}`

/** The topics that a subscription names, whatever it filters them by; those that conflate count by themselves. */
const placeKeyOf = ({ topic, sportNumber, bookmaker, eventId, conflateMs }: SubscribeFrame['filter']): string =>
  `${patternKey(topic, sportNumber, bookmaker, eventId)}${conflateMs > 0 ? ' conflated' : ''}`

const UNKNOWN_ACK: Fault = badHeader('id', 'No message with this id waits to be acknowledged')

const AMBIGUOUS_ACK: Fault = badHeader(
  'id',
  'Several subscriptions wait for an acknowledgement of this message-id; give the ack header of the MESSAGE as id',
)

type RunCommand = (session: Session, frame: Frame, receipt: string | undefined) => Fault | undefined

const COMMANDS: ReadonlyMap<string, RunCommand> = new Map<string, RunCommand>([
  ['CONNECT', (session, frame, receipt) => session.connect(frame, receipt)],
  ['SUBSCRIBE', (session, frame, receipt) => session.subscribe(frame, receipt)],
  ['UNSUBSCRIBE', (session, frame, receipt) => session.unsubscribe(frame, receipt)],
  ['SEND', (session, frame, receipt) => session.send(frame, receipt)],
  ['ACK', (session, frame, receipt) => session.ack(frame, receipt)],
  ['NACK', (session, frame, receipt) => session.ack(frame, receipt)],
  ['BEGIN', (session, frame, receipt) => session.begin(frame, receipt)],
  ['COMMIT', (session, frame, receipt) => session.commit(frame, receipt)],
  ['ABORT', (session, frame, receipt) => session.abort(frame, receipt)],
  ['DISCONNECT', (session, frame, receipt) => session.disconnect(frame, receipt)],
])
