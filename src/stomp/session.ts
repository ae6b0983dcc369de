// A session: one connection of a client, from its first octet to its last. Commands in, frames out (LIVE 1 to 4).
//
//   connecting ──CONNECT──▶ connected ──DISCONNECT, ERROR, end──▶ closed

import type { Caller, Gate } from '../access/gate.ts'
import type { EventNotice } from '../board/changes.ts'
import type { Audience } from '../domain/audience.ts'
import type { Observation } from '../domain/observation.ts'
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts'
import type { Engine } from '../engine.ts'
import type { Carrier } from './carrier.ts'
import { CatchUp, type ResetReason, type Start } from './catch-up.ts'
import { credentialOf, type Credential } from './credential.ts'
import { feedOf, isTopic } from './destination.ts'
import type { ClassForm, Flow, Run } from './flow.ts'
import { type Frame, type FrameFault, FrameParser, type Version } from './frame-parser.ts'
import { escapeHeader, frameBytes, receiptText } from './frame-writer.ts'
import { badHeader, type ErrorCode, type Fault, faultOf, isFault, limitExceeded, protocolError } from './fault.ts'
import { HeartBeat, readHeartBeat } from './heart-beat.ts'
import { type OwnFrame, OwnTopics } from './own-topics.ts'
import type { LiveLimits } from './limits.ts'
import type { Renderer } from './renderer.ts'
import type { ReplayRing } from './replay-ring.ts'
import { type LogPoint, readSubscribe, type SubscribeFrame, type SubscribeRules } from './subscribe.ts'
import { Subscription, type SubscriptionOwner } from './subscription.ts'
import { type Acknowledgement, Transactions } from './transaction.ts'
import { movesBetween } from './visibility.ts'

export const VERSIONS: readonly Version[] = ['1.2', '1.1', '1.0']

const HEART_BEAT = Buffer.from('\n')

/** Octets that one session gets before others have their turn. */
const TURN_BYTES = 256 * 1024

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
  /** Sessions that the turn at hand writes to. */
  readonly posting: Session[]
  /** Sessions whose carriers do not keep up. */
  readonly behind: Set<Session>
  /** Set when a carrier has not let go of what it was given. */
  keepsRuns: boolean
  connected(session: Session, caller: Caller): void
  ended(session: Session): void
  /** Live connections of an organization. */
  connectionsOf(organizationId: string): number
  countError(code: ErrorCode): void
  /** What the body of an ERROR says beside code, message and field. */
  readonly errorMembers: (code: ErrorCode) => object
  subscribe(session: Session, request: SubscribeFrame, form: ClassForm, audience: Audience): Subscription
  unsubscribe(subscription: Subscription): void
  /** Moves a subscription to the same topics as another audience sees them. */
  move(subscription: Subscription, audience: Audience): void
  /** Whether a flow carries to another audience what it carries now. */
  seesSame(flow: Flow, audience: Audience): boolean
  /** What a caller may have seen at a seq of the log; undefined: that is too long ago. */
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
  /** Has {@link Session.pump} called, after others have had their turn. */
  pumpSoon(session: Session): void
}

type State = 'connecting' | 'connected' | 'closed'

export class Session implements SubscriptionOwner {
  readonly carrier: Carrier
  readonly openedAt: number
  backlogBytes = 0
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
  private readonly hungry = new Set<Subscription>()
  private readonly transactions: Transactions
  private readonly own: OwnTopics
  // Frames that wait for the end of the turn, because what they confirm has to be in the stream first.
  private later: (string | OwnFrame)[] = []
  private readonly outbox: { readonly run: Run; readonly isBinary: boolean }[] = []
  private progressAt: number
  private takenBytes = 0
  private handedBytes = 0

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
    this.id = id
    this.openedAt = nowAt
    this.progressAt = nowAt
    this.upgradeAuthorization = upgradeAuthorization
    this.upgradeApiKey = upgradeApiKey
    this.parser = new FrameParser(broker.limits)
    this.transactions = new Transactions(broker.limits)
    this.own = new OwnTopics(broker.renderer.bodies, broker.engine.epoch)
  }

  get isConnected(): boolean {
    return this.state === 'connected'
  }

  /** The organization whose live connections this session counts among. */
  get organizationId(): string | undefined {
    return this.caller?.kind === 'customer' ? this.caller.organization.id : undefined
  }

  get subscriptionCount(): number {
    return this.subscriptions.size + this.own.size
  }

  // --- in

  /** Takes octets of the client. */
  receive(chunk: Uint8Array): void {
    if (this.state === 'closed') return
    const nowAt = this.broker.now()
    this.heartBeat?.heard(nowAt)
    if (this.state === 'connecting') {
      this.bytesIn += chunk.length
      // A CONNECT may be followed in the same chunk by anything; what is left after it is judged below.
      const { bytesBeforeConnectMax } = this.broker.limits
      const before = this.bytesIn - chunk.length
      const head = chunk.subarray(0, Math.max(0, bytesBeforeConnectMax - before))
      this.parse(head)
      if (!this.isConnected && head.length < chunk.length) {
        this.fail(limitExceeded('bytesBeforeConnectMax', `No CONNECT within ${bytesBeforeConnectMax} octets`))
        return
      }
      if (head.length < chunk.length) this.parse(chunk.subarray(head.length))
    } else this.parse(chunk)
    this.broker.noteBytes(this, chunk.length)
  }

  private parse(chunk: Uint8Array): void {
    if (this.state === 'closed') return
    const fault = this.parser.push(chunk, this.onFrame)
    if (fault !== undefined) this.failParse(fault)
  }

  private readonly onFrame = (frame: Frame): boolean => {
    this.handle(frame)
    return this.state !== 'closed'
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
    if (this.state === 'connected') this.pump()
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
      this.own.add(topic, key, this.formOf(request), broker.now())
      this.confirm(receipt)
      return undefined
    }
    // What happened before this frame is not of it. It may have been too much for this session.
    broker.endTurn()
    if (!this.isConnected) return undefined
    const subscription = broker.subscribe(this, request, this.formOf(request), this.caller!.audience)
    this.subscriptions.set(key, subscription)
    this.noteAcks(subscription)
    this.confirm(receipt)
    const start = this.startOf(request, subscription.stream.flow)
    if (start === undefined) subscription.attach()
    else this.catchUp(subscription, start)
    return undefined
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
    const before = this.broker.audiencesAt(this.caller!, seq)
    if (epoch !== engine.epoch) return reset('epoch')
    if (seq > ring.lastSeq) return reset('ahead')
    if (seq < ring.floorSeq) return reset('too_old')
    const windowS = this.caller!.organization.plan.liveReplayWindowSeconds
    const group = ring.groupAfter(seq)
    const isMissing = group < ring.groupsEnd
    if (windowS > 0 && isMissing && ring.recordedAtOf(group) < this.broker.now() - windowS * 1000) {
      return reset('window')
    }
    // What it may see has changed since then: what it knows is too much or too little.
    if (before?.every((audience) => this.broker.seesSame(flow, audience)) !== true) return reset('audience')
    return { afterSeq: seq }
  }

  private catchUp(subscription: Subscription, start: Start): void {
    const { flow, form } = subscription.stream
    const { partNumbers, request } = subscription
    const { destination } = request
    subscription.begin(new CatchUp({ renderer: this.broker.renderer, flow, form, destination, start, partNumbers }))
    this.broker.watch(subscription)
  }

  beginAnew(subscription: Subscription): void {
    this.catchUp(subscription, { reset: 'audience' })
  }

  /** A source has moved an event to another league: who filters by league and keeps the state begins anew. */
  eventMoved(notice: EventNotice): void {
    for (const subscription of this.subscriptions.values()) {
      // Those who are catching up will come to it.
      if (subscription.catchUp !== undefined || !subscription.request.keepsState) continue
      if (movesBetween(subscription.request.filter, notice)) this.beginAnew(subscription)
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
    this.later.push(...this.own.frames('refusals', this.broker.ring.lastSeq, members))
    if (receipt !== undefined) this.later.push(receiptText(receipt, this.version, code))
    this.broker.flushLater(this)
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
      const id = headers.get('id')
      if (id === undefined) return badHeader('id', 'id is missing')
      const slash = id.lastIndexOf('/')
      const subscription = this.byAckNumber.get(Number(id.slice(slash + 1)))
      return slash === -1 || subscription === undefined
        ? UNKNOWN_ACK
        : { subscription, messageId: id.slice(0, slash), isNack }
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

  private isPending({ subscription, messageId }: Acknowledgement): boolean {
    return subscription.unacked.has(messageId)
  }

  private acknowledge({ subscription, messageId, isNack }: Acknowledgement): void {
    const { unacked } = subscription
    // A cumulative one before it in the same transaction may have taken this one, too.
    if (!unacked.has(messageId)) return
    this.broker.counts[isNack ? 'nacked' : 'acked'] += unacked.remove(
      messageId,
      subscription.request.ackMode === 'client',
    )
    if (subscription.isHungry) this.wake(subscription)
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

  private write(frame: Buffer, isBinary = false): void {
    this.heartBeat?.said(this.broker.now())
    this.handedBytes += frame.length
    this.carrier.write(frame, isBinary)
  }

  /** The RECEIPT of a frame that has taken effect. */
  private confirm(receipt: string | undefined): void {
    if (receipt === undefined) return
    const frame = receiptText(receipt, this.version)
    // Receipts keep the order of what they confirm.
    if (this.later.length > 0) this.later.push(frame)
    else this.write(Buffer.from(frame))
  }

  /** The RECEIPT of what is on the board now, and in the stream at the end of the turn. */
  private confirmLater(receipt: string | undefined): void {
    if (receipt === undefined) return
    if (this.later.length === 0) this.broker.flushLater(this)
    this.later.push(receiptText(receipt, this.version))
  }

  /** The turn has ended: what waited for that may go. */
  flushLater(): void {
    const { later } = this
    if (later.length === 0) return
    this.later = []
    if (this.state !== 'connected') return
    // Receipts are short and many: as one text they become bytes in one go.
    let texts = ''
    this.carrier.cork(() => {
      for (const frame of later) {
        if (typeof frame === 'string') {
          texts += frame
          if (this.carrier.kind === 'tcp') continue
        }
        if (texts !== '') this.write(Buffer.from(texts))
        texts = ''
        if (typeof frame !== 'string') this.write(frame.bytes, frame.isBinary)
      }
      if (texts !== '') this.write(Buffer.from(texts))
    })
  }

  post(run: Run, isBinary: boolean): void {
    // Most sessions have one subscription: then this is all they get in this turn.
    if (this.subscriptions.size === 1) this.hand(run, isBinary)
    else {
      if (this.outbox.length === 0) this.broker.posting.push(this)
      this.outbox.push({ run, isBinary })
    }
  }

  /** Writes what the turn has brought to several subscriptions. */
  flushOutbox(): void {
    const { outbox } = this
    if (outbox.length === 1) this.hand(outbox[0]!.run, outbox[0]!.isBinary)
    else {
      this.carrier.cork(() => {
        for (const { run, isBinary } of outbox) this.carrier.write(run.bytes, isBinary)
      })
      for (const { run } of outbox) this.handedBytes += run.bytes.length
      this.checkCarrier()
    }
    outbox.length = 0
  }

  private hand(run: Run, isBinary: boolean): void {
    this.carrier.write(run.bytes, isBinary)
    this.handedBytes += run.bytes.length
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
    this.hungry.add(subscription)
    this.broker.pumpSoon(this)
  }

  /** Hands out what waits, as far as the carrier takes it, and no more than its share of the loop. */
  pump(): void {
    if (this.state !== 'connected') return
    const { carrier, broker } = this
    const { socketBytesMax } = broker.limits
    if (carrier.bufferedBytes > socketBytesMax) return
    const nowAt = broker.now()
    let share = TURN_BYTES
    let isLost = false
    carrier.cork(() => {
      for (const subscription of this.hungry) {
        while (share > 0 && carrier.bufferedBytes <= socketBytesMax && subscription.isHungry) {
          const octets = subscription.handOut(socketBytesMax, nowAt)
          if (octets === undefined) {
            isLost = true
            return
          }
          share -= Math.max(octets, 256)
          this.handedBytes += octets
        }
        if (subscription.isHungry) continue
        this.hungry.delete(subscription)
      }
    })
    if (isLost) {
      this.cutSlow('The log has passed what this subscription has still to get')
      return
    }
    this.heartBeat?.said(nowAt)
    if (carrier.bufferedBytes > socketBytesMax) {
      this.fallBehind()
      return
    }
    if (this.hungry.size > 0) {
      if (share <= 0) broker.pumpSoon(this)
      return
    }
    for (const subscription of this.subscriptions.values()) subscription.rejoin()
    broker.behind.delete(this)
  }

  /** Cuts a session whose backlog is over the budget. */
  checkBacklog(): void {
    const { pendingBytesMax } = this.broker.limits
    if (this.state === 'connected' && this.backlogBytes + this.carrier.bufferedBytes > pendingBytesMax) {
      this.cutSlow(`More than ${pendingBytesMax} octets waited for this session`)
    }
  }

  private cutSlow(message: string): void {
    this.broker.counts.slowConsumers++
    this.fail({ code: 'slow_consumer', message }, undefined, this.resumeHeaders())
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

  /** Looks at everything that hangs on time. Called several times a second. */
  tick(nowAt: number): void {
    const { limits } = this.broker
    if (this.state === 'connecting') {
      if (nowAt - this.openedAt >= limits.connectMsMax) {
        this.fail(limitExceeded('connectMsMax', `No CONNECT within ${limits.connectMsMax} ms`))
      }
      return
    }
    if (this.state !== 'connected') return
    if (nowAt >= this.caller!.expiresAt) {
      this.recheck(nowAt)
      if (this.state !== 'connected') return
    }
    const heartBeat = this.heartBeat!
    if (heartBeat.isClientSilent(nowAt)) {
      this.fail(protocolError(`No heart-beat within ${heartBeat.silenceMsMax} ms`), undefined, this.resumeHeaders())
      return
    }
    this.tickStalled(nowAt)
    if (this.state !== 'connected') return
    // Not one after the other to a client that takes none of them.
    if (this.own.isLagDue(nowAt) && this.carrier.bufferedBytes <= limits.socketBytesMax) this.tellLag(nowAt)
    if (heartBeat.isDue(nowAt) && this.carrier.bufferedBytes === 0) {
      heartBeat.said(nowAt)
      this.carrier.write(HEART_BEAT, false)
    }
  }

  /** A client that takes nothing of what waits for it is cut, before its backlog is over the budget. */
  private tickStalled(nowAt: number): void {
    if (this.hungry.size === 0) {
      this.progressAt = nowAt
      return
    }
    const { bufferedBytes } = this.carrier
    const taken = this.handedBytes - bufferedBytes
    if (taken !== this.takenBytes || bufferedBytes === 0) {
      this.takenBytes = taken
      this.progressAt = nowAt
      return
    }
    const { stalledMsMax } = this.broker.limits
    if (nowAt - this.progressAt > stalledMsMax) this.cutSlow(`Nothing was taken for ${stalledMsMax} ms`)
  }

  private tellLag(nowAt: number): void {
    const { ring } = this.broker
    let behindMs = 0
    let mergedPrices = 0
    for (const subscription of this.subscriptions.values()) {
      mergedPrices += subscription.mergedPrices
      const seq = subscription.resumeSeq(ring.lastSeq)
      const group = seq === undefined ? ring.groupsEnd : ring.groupAfter(seq)
      if (group < ring.groupsEnd) behindMs = Math.max(behindMs, nowAt - ring.recordedAtOf(group))
    }
    const queuedBytes = this.backlogBytes + this.carrier.bufferedBytes
    for (const { bytes, isBinary } of this.own.frames('lag', ring.lastSeq, { queuedBytes, behindMs, mergedPrices })) {
      this.write(bytes, isBinary)
    }
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
    broker.move(subscription, this.caller!.audience)
    this.noteAcks(subscription)
    if (seq === undefined || (!isSame && subscription.request.keepsState)) {
      this.catchUp(subscription, { reset: 'audience' })
    } else if (seq < broker.ring.lastSeq || subscription.conflates) {
      // What conflation held back stays behind in the old stream: it is found in the log.
      this.catchUp(subscription, { afterSeq: seq, lastSeq: Math.min(seq, lastSeq) })
    } else subscription.attach()
  }

  // --- the end

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
    if (this.later.length > 0) {
      broker.endTurn()
      this.flushLater()
    }
    const wasConnected = this.state === 'connected'
    const echoes = receipt !== undefined && (wasConnected || /^[A-Za-z0-9._-]+$/.test(receipt))
    broker.countError(code)
    const error = { code, message, ...(field === undefined ? {} : { field }), ...broker.errorMembers(code) }
    const frame = frameBytes(
      'ERROR',
      [
        ['message', code],
        ...(echoes ? [['receipt-id', receipt] as const] : []),
        ...headers,
        ['content-type', 'application/json'],
      ],
      wasConnected ? this.version : '1.2',
      JSON.stringify({ error }),
    )
    this.end()
    this.carrier.write(frame, false)
    this.carrier.end(true)
  }

  private end(): void {
    if (this.state === 'closed') return
    this.state = 'closed'
    for (const subscription of this.subscriptions.values()) this.broker.unsubscribe(subscription)
    this.subscriptions.clear()
    this.byAckNumber.clear()
    this.own.clear()
    this.hungry.clear()
    this.later = []
    this.outbox.length = 0
    this.broker.ended(this)
  }
}

/** A subscription is known by its id, in 1.0 also by its destination. */
const keyOf = (id: string | undefined, destination: string): string =>
  id === undefined ? `d ${destination}` : `i ${id}`

const UNKNOWN_ACK: Fault = badHeader('id', 'No message with this id waits to be acknowledged')

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
