// The broker: takes the changes of a turn and sees that every subscriber gets his messages, each rendered once per class
// (LIVE 6).
//
//   turn ──changes──▶ ring ──groups──▶ flows ──bodies──▶ streams ──runs──▶ sessions ──one write each──▶ sockets
//
// Which flows a book belongs to is found once, when it first appears or when flows come and go, and kept.

import type { Caller, Gate } from '../access/gate.ts'
import type { Registry } from '../access/registry.ts'
import { type Changes, type EventNotice, isEventNotice } from '../board/changes.ts'
import { type Audience, bookmakersOf } from '../domain/audience.ts'
import type { Event, EventView } from '../domain/event.ts'
import type { Observation } from '../domain/observation.ts'
import { isRefusal, type Refusal } from '../domain/refusal.ts'
import { SPORTS } from '../domain/sport.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import type { Engine } from '../engine/engine.ts'
import type { Carrier, Rooms } from './carrier.ts'
import { once, type Release, Tally } from './connections.ts'
import { TOPICS, type Topic } from './destination.ts'
import { EventIds } from './event-ids.ts'
import type { ErrorCode } from './session-fault.ts'
import { type ClassForm, flowKey, Flow, patternKey, Stream } from './flow.ts'
import type { LiveLimits } from './session-limits.ts'
import { LastSeqs } from './last-seqs.ts'
import { type HeldPrice, newSelection, NONE, select, type Subject } from './message.ts'
import { Passes } from './passes.ts'
import { Renderer } from './renderer.ts'
import { ReplayRing } from './replay-ring.ts'
import { RightsLog } from './rights-log.ts'
import { Session, type SessionHost } from './session.ts'
import type { SubscribeFrame, SubscribeRules } from './subscribe.ts'
import { type Place, Subscription } from './subscription.ts'
import { Throttle } from './throttle.ts'
import { seesBookmaker, takesEvent } from './visibility.ts'

export interface BrokerOptions {
  readonly engine: Engine
  readonly gate: Gate
  readonly registry: Registry
  readonly limits: LiveLimits
  /** The clock, epoch ms. */
  readonly now: () => number
  /** Monotonic ms with fraction, for durations. */
  readonly elapsedMs: () => number
  /** How CONNECTED names us: `oddswire/x.y.z`. */
  readonly server: string
  /** Reads the body of a SEND. */
  readonly readObservation: (body: Buffer, bookmaker: string) => Observation | Refusal
  /** A new id that nobody can guess. */
  readonly mintId: () => string
  /** What the body of an ERROR says beside code, message and field: the links of DESIGN §5.10. */
  readonly errorMembers?: (code: ErrorCode) => object
  /** Whether customers may connect: until the sources have delivered only feeds may. Left out: they may. */
  readonly isServing?: () => boolean
  /** Whether WebSockets wait until others have sent CONNECT; those get less time then. */
  readonly isCrowded?: () => boolean
}

/** The flows that carry a book's changes; found again when flows or the event are others. */
interface Route {
  readonly view: EventView
  readonly event: Event
  readonly bookmaker: number
  readonly version: number
  readonly subject: Subject
  readonly odds: readonly Flow[]
  readonly status: readonly Flow[]
}

const TICK_MS = 100
/** A message of one price; those that share a message take less. */
const BYTES_A_PRICE = 330
/** Held prices that are released in one step at the least, and quotes that are looked at for them at the most. */
const RELEASED_MIN = 16
const RELEASE_VISITS = 2_048
/** Sessions that are ended in one turn of the event loop: some milliseconds. */
const UNVERIFIED_A_TURN = 100

export class Broker implements SessionHost {
  readonly engine: Engine
  readonly gate: Gate
  readonly limits: LiveLimits
  readonly now: () => number
  readonly server: string
  readonly ring: ReplayRing
  readonly renderer: Renderer
  readonly subscribeRules: SubscribeRules
  readonly readObservation: BrokerOptions['readObservation']
  readonly errorMembers: (code: ErrorCode) => object
  readonly isServing: () => boolean
  readonly isCrowded: () => boolean
  /** Sessions that the turn at hand writes to. */
  readonly posting: Session[] = []
  /** Sessions whose carriers do not keep up. */
  readonly behind = new Set<Session>()
  /** Sessions that have followers. */
  readonly following = new Set<Session>()
  keepsRuns = false
  /** Subscriptions that may be in the middle of a snapshot. */
  readonly catchingUp = new Set<Subscription>()
  readonly counts = {
    messages: Object.fromEntries(Object.keys(TOPICS).map((topic) => [topic, 0])) as Record<Topic, number>,
    bytes: 0,
    errors: new Map<string, number>(),
    slowConsumers: 0,
    sendsRefused: 0,
    acked: 0,
    nacked: 0,
    opened: 0,
  }
  readonly throttle: Throttle
  readonly eventIds = new EventIds()
  private readonly mintId: () => string
  private readonly rights = new RightsLog()
  private rooms: Rooms | undefined
  private readonly sessions = new Set<Session>()
  private readonly connections = new Map<string, number>()
  private reserved = 0
  /** Of these, those of customers, by organization. */
  private readonly reservedBy = new Tally()
  private readonly flows = new Map<string, Flow>()
  private readonly flowsOf = new Map<string, Set<Flow>>()
  private readonly routes: (Route | undefined)[] = []
  private version = 0
  private streamCount = 0
  private privateCount = 0
  private readonly touched: Stream[] = []
  readonly passes: Passes
  inputBytes = 0
  private readonly lastSeqs: LastSeqs
  private readonly selection = newSelection()
  private readonly passed = newSelection()
  // Sessions that this turn has brought something to hand out.
  private readonly wokenNow = new Set<Session>()
  private isPublishing = false
  private readonly toFlush = new Set<Session>()
  private framesIn = 0
  private bytesIn = 0
  private readonly paused = new Set<Session>()
  private readonly ticker: NodeJS.Timeout
  private tickedAt: number
  private isDraining = false
  /** Since when rights cannot be checked. */
  private rightsUnknownAt: number | undefined

  constructor(options: BrokerOptions) {
    const { engine, limits } = options
    this.engine = engine
    this.gate = options.gate
    this.limits = limits
    this.now = options.now
    this.server = options.server
    this.mintId = options.mintId
    this.readObservation = options.readObservation
    this.errorMembers = options.errorMembers ?? (() => ({}))
    this.isServing = options.isServing ?? (() => true)
    this.isCrowded = options.isCrowded ?? (() => false)
    this.subscribeRules = {
      registry: options.registry,
      conflateMsMax: limits.conflateMsMax,
    }
    this.throttle = new Throttle(limits)
    this.ring = new ReplayRing(limits, engine.seq)
    this.renderer = new Renderer(engine, this.ring)
    this.lastSeqs = new LastSeqs(this.ring, this.renderer)
    // What has come in since then belongs to the streams before anybody joins them.
    this.passes = new Passes(limits, options.elapsedMs, () => this.endTurn())
    engine.onTurn((changes) => this.take(changes))
    engine.onIdMoved = (id) => this.eventIds.note(id)
    this.gate.onUse((caller) => this.rights.meet(caller, this.ring.lastSeq))
    this.gate.onChange((concerned) => this.recheck(concerned))
    this.tickedAt = this.now()
    this.ticker = setInterval(() => this.tick(), TICK_MS)
    this.ticker.unref()
  }

  /** Who publishes to rooms of carriers; until then all are written to one by one. */
  useRooms(rooms: Rooms): void {
    this.rooms = rooms
  }

  // --- sessions

  get sessionCount(): number {
    return this.sessions.size
  }

  /** Sessions by carrier, for metrics. */
  countSessions(kind: Carrier['kind']): number {
    let count = 0
    for (const session of this.sessions) if (session.carrier.kind === kind) count++
    return count
  }

  get subscriptionCount(): number {
    let count = 0
    for (const session of this.sessions) count += session.subscriptionCount
    return count
  }

  /** Octets that snapshots hold and that are not read yet. */
  get catchUpBytes(): number {
    let bytes = 0
    for (const subscription of this.catchingUp) bytes += subscription.catchUpBytes
    return bytes
  }

  /** Octets that conflation remembers. */
  get conflationBytes(): number {
    let bytes = 0
    for (const session of this.sessions) bytes += session.conflationBytes
    return bytes
  }

  /** The flows that have subscribers, as they are now. */
  openFlows(): Iterable<Flow> {
    return this.flows.values()
  }

  get flowCount(): number {
    return this.flows.size
  }

  /** Whether connections are welcome. */
  get isOpen(): boolean {
    return !this.isDraining
  }

  /**
   * Reserves a live connection where the headers of an upgrade are those of a key that may have one now, so that no more
   * WebSockets than that come without a place.
   * @returns gives it back: when CONNECT was accepted, or the WebSocket is gone
   */
  reserve(authorization: string | undefined, apiKey: string | undefined): Release | undefined {
    if ((authorization === undefined && apiKey === undefined) || this.gate.refusesAll) return undefined
    const nowAt = this.now()
    const caller = this.gate.identify(authorization, apiKey, nowAt)
    if (isRefusal(caller)) return undefined
    const isCustomer = caller.kind === 'customer'
    const { id } = caller.organization
    if (isCustomer) {
      if (!this.isServing() || this.throttle.waitMs(caller.keyId, nowAt) > 0) return undefined
      if (this.gate.permit(caller, { transport: 'live' }) !== undefined) return undefined
      const most = caller.organization.plan.liveConnectionsMax
      if (most > 0 && this.connectionsOf(id) + this.reservedBy.of(id) >= most) return undefined
      this.reservedBy.add(id, 1)
    }
    this.reserved++
    return once(() => {
      this.reserved--
      if (isCustomer) this.reservedBy.add(id, -1)
    })
  }

  /** WebSockets whose upgrade has shown a key, and that have not sent CONNECT. */
  get reservedCount(): number {
    return this.reserved
  }

  /** Begins a session. `authorization`, `apiKey`: headers of a WebSocket's upgrade. */
  open(carrier: Carrier, authorization?: string, apiKey?: string): Session {
    const session = new Session(this, carrier, this.mintId(), this.now(), authorization, apiKey)
    this.sessions.add(session)
    this.counts.opened++
    return session
  }

  connected(session: Session, caller: Caller): void {
    session.carrier.connected()
    if (caller.kind === 'customer') this.throttle.opened(caller.keyId)
    const id = session.organizationId
    if (id !== undefined) this.connections.set(id, this.connectionsOf(id) + 1)
  }

  /** Live connections of an organization. */
  connectionsOf(organizationId: string): number {
    return this.connections.get(organizationId) ?? 0
  }

  ended(session: Session, code: ErrorCode | undefined): void {
    if (!this.sessions.delete(session)) return
    const { customerKeyId } = session
    if (customerKeyId !== undefined) this.throttle.ended(customerKeyId, code, this.now())
    this.behind.delete(session)
    this.following.delete(session)
    this.wokenNow.delete(session)
    this.passes.forget(session)
    this.paused.delete(session)
    this.toFlush.delete(session)
    const id = session.organizationId
    if (id === undefined) return
    const left = this.connectionsOf(id) - 1
    if (left <= 0) this.connections.delete(id)
    else this.connections.set(id, left)
  }

  countError(code: ErrorCode): void {
    this.counts.errors.set(code, (this.counts.errors.get(code) ?? 0) + 1)
  }

  /** Ends all sessions with `server_shutdown`, spread over time. Resolves when the last has been told. */
  async drain(msMax: number): Promise<void> {
    this.isDraining = true
    this.endTurn()
    const sessions = [...this.sessions]
    const everyMs = Math.min(this.limits.closeEveryMs, msMax / 2 / sessions.length)
    const startedAt = this.now()
    for (let told = 0; told < sessions.length; ) {
      const due = Math.min(sessions.length, Math.floor((this.now() - startedAt) / everyMs) + 1)
      for (; told < due; told++) sessions[told]!.shutDown()
      if (told < sessions.length) await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  }

  /** No more timers. */
  close(): void {
    clearInterval(this.ticker)
    for (const { conflation } of this.flows.values()) conflation?.close()
  }

  // --- what comes in

  /** Ends the turn, so that all that has happened is in the ring. */
  endTurn(): void {
    if (this.engine.isTurnDue || this.toFlush.size > 0) this.turn()
  }

  private turn(): void {
    this.engine.turn(this.now())
    this.flushReceipts()
  }

  /** Records an observation of a feed. */
  observe(observation: Observation): Refusal | undefined {
    return this.engine.observe(observation, this.now())
  }

  checkAll(observations: readonly Observation[]): Refusal | undefined {
    for (const observation of observations) {
      const refusal = this.engine.check(observation, this.now())
      if (refusal !== undefined) return refusal
    }
    return this.engine.checkRoom(observations)
  }

  /** Counts a SEND; a turn is bounded. */
  noteFrame(): void {
    if (++this.framesIn >= this.limits.turnFramesMax) this.turn()
  }

  /** Counts octets that came in; past the bound the turn ends, and whoever sent them waits for the next one. */
  noteBytes(session: Session, bytes: number): void {
    this.bytesIn += bytes
    if (this.bytesIn < this.limits.turnBytesMax || !session.isConnected) return
    this.endTurn()
    this.bytesIn = 0
    session.carrier.pauseReading()
    this.paused.add(session)
    if (this.paused.size > 1) return
    setImmediate(() => {
      const sessions = [...this.paused]
      this.paused.clear()
      for (const each of sessions) each.readOn()
    })
  }

  readOn(session: Session): void {
    if (!this.paused.has(session)) session.readOn()
  }

  /** Has a session's receipts sent when the turn ends. */
  flushLater(session: Session): void {
    // A SEND that changes nothing causes no turn, and is confirmed all the same.
    if (this.toFlush.size === 0) setImmediate(() => this.endTurn())
    this.toFlush.add(session)
  }

  private flushReceipts(): void {
    this.framesIn = 0
    this.bytesIn = 0
    if (this.toFlush.size === 0) return
    for (const session of this.toFlush) session.flushLater()
    this.toFlush.clear()
  }

  // --- subscriptions

  subscribe(
    session: Session,
    request: SubscribeFrame,
    form: ClassForm,
    audience: Audience,
    place: Place,
  ): Subscription {
    const { filter } = request
    // What is held back depends on what this one has been shown, so conflation is shared with nobody.
    const isShared = filter.conflateMs === 0 && place === 'stream'
    const own = isShared ? filter : { ...filter, privateTo: ++this.privateCount }
    const stream = this.streamOf(this.flowOf(own, audience, place), form)
    stream.users++
    const subscription = new Subscription(session, request, stream, place, this.limits)
    stream.flow.conflation?.open(session, () => subscription.releaseDue())
    return subscription
  }

  unsubscribe(subscription: Subscription): void {
    subscription.detach()
    this.unwatch(subscription)
    this.leave(subscription.stream)
  }

  /** Moves a subscription to the same topics as another audience sees them. */
  move(subscription: Subscription, audience: Audience): void {
    const { stream } = subscription
    subscription.detach()
    const { form, flow } = stream
    const isNew = !this.flows.has(flowKey(flow.filter, audience))
    const nextFlow = this.flowOf(flow.filter, audience, subscription.place)
    // What is not in the ring any more was no message to it, as far as it was none before.
    if (isNew) nextFlow.lastSeq = Math.min(nextFlow.lastSeq, flow.lastSeq)
    const next = this.streamOf(nextFlow, { ...form, hasAckHeader: form.ackNumber !== undefined })
    next.users++
    this.leave(stream)
    subscription.stream = next
    nextFlow.conflation?.open(subscription.owner, () => subscription.releaseDue())
  }

  /** Whether a flow carries to another audience what it carries now. */
  seesSame(flow: Flow, audience: Audience): boolean {
    const { sportNumber, bookmaker } = flow.filter
    return SPORTS.every((_, number) => {
      if (sportNumber !== null && number !== sportNumber) return true
      const before = bookmakersOf(flow.audience, TRANSPORT_NUMBER.live, number)
      const after = bookmakersOf(audience, TRANSPORT_NUMBER.live, number)
      if (bookmaker === null) return before.join() === after.join()
      const other = { filter: flow.filter, audience } as Flow
      return seesBookmaker(flow, number, bookmaker) === seesBookmaker(other, number, bookmaker)
    })
  }

  /** @param place `log`: the turn does not look at the flow */
  private flowOf(filter: Flow['filter'], audience: Audience, place: Place): Flow {
    const key = flowKey(filter, audience)
    const known = this.flows.get(key)
    if (known !== undefined) return known
    const flow = new Flow(key, filter, audience, this.ring.floorSeq)
    this.lastSeqs.setFor(flow)
    if (place === 'log') return flow
    this.flows.set(key, flow)
    const { topic, sportNumber, bookmaker, eventId } = filter
    const pattern = patternKey(topic, sportNumber, bookmaker, eventId)
    const flows = this.flowsOf.get(pattern)
    if (flows === undefined) this.flowsOf.set(pattern, new Set([flow]))
    else flows.add(flow)
    this.version++
    return flow
  }

  private streamOf(flow: Flow, form: ClassForm): Stream {
    const { subscription, acknowledges, hasAckHeader, encoding } = form
    const key = `${encoding} ${acknowledges} ${hasAckHeader} ${subscription}`
    const known = flow.streams.get(key)
    if (known !== undefined) return known
    const number = ++this.streamCount
    const ackNumber = hasAckHeader ? number : undefined
    const stream = new Stream(
      flow,
      { subscription, acknowledges, ackNumber, encoding },
      String(number),
      this.engine.epoch,
      key,
    )
    flow.streams.set(key, stream)
    return stream
  }

  private leave(stream: Stream): void {
    if (--stream.users > 0) return
    const { flow } = stream
    flow.streams.delete(stream.key)
    if (flow.streams.size > 0 || !this.flows.delete(flow.key)) return
    flow.conflation?.close()
    const { topic, sportNumber, bookmaker, eventId } = flow.filter
    const pattern = patternKey(topic, sportNumber, bookmaker, eventId)
    const flows = this.flowsOf.get(pattern)!
    flows.delete(flow)
    if (flows.size === 0) this.flowsOf.delete(pattern)
    this.version++
  }

  // --- the turn

  private take(changes: Changes): void {
    this.isPublishing = true
    try {
      this.publish(changes)
    } finally {
      this.isPublishing = false
    }
    this.flushReceipts()
    this.serveWoken()
  }

  private publish(changes: Changes): void {
    const nowAt = this.now()
    const { ring } = this
    const first = ring.take(changes, nowAt)
    if (this.eventIds.hasPending) this.followIds(changes.seqBefore)
    for (let group = first; group < ring.groupsEnd; group++) {
      this.lastSeqs.note(group)
      const notice = ring.noticeOf(group)
      if (notice !== undefined && isEventNotice(notice)) this.lookForMove(notice)
    }
    for (let group = first; group < ring.groupsEnd; group++) {
      const notice = ring.noticeOf(group)
      if (notice === undefined) this.takeGroup(group, nowAt)
      else this.takeNotice(group, isEventNotice(notice) ? notice.sportNumber : null)
    }
    this.handOut()
    for (const session of this.following) this.woken(session)
  }

  /**
   * Ids of events lead elsewhere since this seq. Before the messages of the turn: who has the state of what an id stood for
   * gets those that concern it one by one, and then the state of what it stands for now.
   */
  private followIds(seqBefore: number): void {
    const { ring } = this
    const moved = this.eventIds.settle(ring.lastSeq, ring.floorSeq)
    this.version++
    // Ids move by the thousand while sources start, and hardly ever one that somebody has named.
    const isNamed = [...this.flows.values()].some(({ filter }) => filter.eventId !== null && moved.has(filter.eventId))
    for (const session of isNamed ? this.sessions : this.following) session.idsMoved(moved, seqBefore)
  }

  /** Before the messages of the turn: who needs a snapshot instead gets none of them. */
  private lookForMove(notice: EventNotice): void {
    if (notice.was === undefined || notice.was.leagueKey === notice.event.leagueKey) return
    for (const session of this.sessions) session.eventMoved(notice)
  }

  private takeGroup(group: number, nowAt: number): void {
    const { ring, renderer, selection } = this
    const route = this.routeOf(group)
    if (route.odds.length + route.status.length === 0) return
    const { subject } = route
    for (const topic of ['odds', 'status'] as const) {
      // What is rendered now: of which market types; none yet.
      let rendered: number | undefined
      for (const flow of route[topic]) {
        const { filter, conflation } = flow
        if (conflation !== undefined) {
          // Those who are still catching up will find it in the ring.
          if (!flow.hasReaders) continue
          select(ring, group, topic, filter.types, -1, NONE, this.passed)
          conflation.pass(ring, group, this.passed, nowAt)
          if (this.passed.count > 0) {
            renderer.bodies.update(ring, group, this.passed, subject)
            this.write(flow, subject[topic], this.passed.lastSeq)
          }
          rendered = undefined
          continue
        }
        if (rendered !== filter.types) {
          select(ring, group, topic, filter.types, -1, NONE, selection)
          rendered = filter.types
          if (selection.count > 0) renderer.bodies.update(ring, group, selection, subject)
        }
        if (selection.count > 0) this.write(flow, subject[topic], selection.lastSeq)
      }
    }
  }

  private takeNotice(group: number, sportNumber: number | null): void {
    const { ring, renderer } = this
    const notice = ring.noticeOf(group)!
    const keys =
      'event' in notice
        ? [sportNumber, null].flatMap((sport) =>
            [notice.event.id, ...notice.formerIds, null].map((eventId) => patternKey('events', sport, null, eventId)),
          )
        : [notice.bookmaker, null].map((bookmaker) => patternKey('feeds', null, bookmaker, null))
    const seq = ring.firstSeqOf(group)
    for (const key of keys) {
      for (const flow of this.flowsOf.get(key) ?? []) {
        const head = renderer.notice(flow, notice, seq, ring.recordedAtOf(group))
        if (head !== undefined) this.write(flow, head, seq)
      }
    }
  }

  private readonly touch = (stream: Stream): void => {
    this.touched.push(stream)
  }

  private write(flow: Flow, head: Uint8Array, seq: number): void {
    flow.write(head, seq, 'update', this.renderer.bodies, this.touch)
  }

  private routeOf(group: number): Route {
    const { ring, version } = this
    const book = ring.bookOf(group)
    const view = ring.viewOf(group)
    const event = ring.eventOf(group)
    const bookmaker = ring.bookmakerOf(group)
    const known = this.routes[book]
    // The number of a book is given again, even to another bookmaker's of the same event.
    if (
      known !== undefined &&
      known.version === version &&
      known.view === view &&
      known.event === event &&
      known.bookmaker === bookmaker
    ) {
      return known
    }
    const route = {
      view,
      event,
      bookmaker,
      version,
      subject: this.renderer.bodies.subjectOf(view, bookmaker),
      odds: this.flowsFor('odds', view, event, bookmaker),
      status: this.flowsFor('status', view, event, bookmaker),
    }
    this.routes[book] = route
    return route
  }

  private flowsFor(topic: 'odds' | 'status', view: EventView, event: Event, bookmaker: number): Flow[] {
    const found: Flow[] = []
    for (const sport of [view.sportNumber, null]) {
      for (const book of [bookmaker, null]) {
        for (const eventId of [event.id, ...view.formerIds, null]) {
          for (const flow of this.flowsOf.get(patternKey(topic, sport, book, eventId)) ?? []) {
            const { leagues } = flow.filter
            if (leagues !== null && !leagues.has(event.leagueKey)) continue
            if (seesBookmaker(flow, view.sportNumber, bookmaker)) found.push(flow)
          }
        }
      }
    }
    // Flows of the same market types side by side, so that they share what is rendered.
    return found.sort((a, b) => a.filter.types - b.filter.types)
  }

  /** Hands the runs of this turn out: one write for each session, one publication for each room. */
  private handOut(): void {
    const { touched, posting, counts } = this
    for (const stream of touched) {
      const run = stream.seal()
      const readers = stream.direct.size + stream.published.size + stream.behind.size
      counts.messages[stream.flow.filter.topic] += run.ends.length * readers
      counts.bytes += run.bytes.length * readers
      if (stream.published.size > 0) {
        this.rooms!.publish(stream.room, run.bytes, run.ends, stream.isBinary)
        stream.publishedBytes += run.bytes.length
        if (stream.publishedBytes >= this.limits.socketBytesMax) {
          for (const reader of stream.published) reader.published(stream.publishedBytes)
          stream.publishedBytes = 0
        }
      }
    }
    // Nearly always the system takes all at once, and the memory of the runs is free again.
    for (const session of posting) session.flushOutbox()
    for (const stream of touched) stream.release(this.keepsRuns)
    this.keepsRuns = false
    touched.length = 0
    posting.length = 0
  }

  // --- those who are behind

  woken(session: Session): void {
    if (this.isPublishing) this.wokenNow.add(session)
    else if (!session.isWorking) this.passes.serve(session)
  }

  /** Serves those whom the turn has brought something to hand out. */
  private serveWoken(): void {
    if (this.wokenNow.size === 0) return
    const sessions = [...this.wokenNow]
    this.wokenNow.clear()
    for (const session of sessions) {
      session.checkBudget()
      if (session.isConnected && !session.isWorking) this.passes.serve(session)
    }
  }

  /** Lets a subscription catch up; until its snapshot is whole, nothing may change unseen. */
  watch(subscription: Subscription): void {
    this.catchingUp.add(subscription)
    this.engine.onBeforeChange = this.beforeChange
  }

  private unwatch(subscription: Subscription): void {
    if (this.catchingUp.delete(subscription) && this.catchingUp.size === 0) this.engine.onBeforeChange = undefined
  }

  /** While a subscription is in the middle of a snapshot, the engine says what is about to change. */
  private readonly beforeChange = (view: EventView): void => {
    const nowAt = this.now()
    const { catchUpBytesMax } = this.limits
    for (const subscription of this.catchingUp) {
      const { catchUp } = subscription
      if (catchUp === undefined || catchUp.seq !== undefined) {
        this.unwatch(subscription)
        continue
      }
      catchUp.beforeChange(view, nowAt)
      if (subscription.catchUpBytes > catchUpBytesMax) this.overdraw(subscription, 'catchUpBytesMax')
    }
  }

  /** Ends the session of a subscription whose snapshot takes too much memory. */
  private overdraw(subscription: Subscription, limit: 'catchUpBytesMax' | 'catchUpBytesTotalMax'): void {
    subscription.catchUp?.abandon()
    this.unwatch(subscription)
    const message = `More than ${this.limits[limit]} octets of snapshots waited to be read while the board went on`
    subscription.owner.overdraw(limit, message)
  }

  /** Snapshots of all sessions have a budget together: the one that takes the most is ended first. */
  private checkCatchUps(): void {
    let total = this.catchUpBytes
    while (total > this.limits.catchUpBytesTotalMax) {
      let most: Subscription | undefined
      for (const subscription of this.catchingUp) {
        if (most === undefined || subscription.catchUpBytes > most.catchUpBytes) most = subscription
      }
      if (most === undefined) return
      total -= most.catchUpBytes
      this.overdraw(most, 'catchUpBytesTotalMax')
    }
  }

  /** The same of what conflation remembers. */
  private checkConflations(): void {
    const { conflationBytesTotalMax } = this.limits
    let total = this.conflationBytes
    while (total > conflationBytesTotalMax) {
      let most: Session | undefined
      for (const session of this.sessions) {
        if (session.conflationBytes > (most?.conflationBytes ?? 0)) most = session
      }
      if (most === undefined) return
      total -= most.conflationBytes
      most.endConflation('conflationBytesTotalMax')
    }
  }

  // --- time

  /** Writes held prices whose time is over into the stream of their subscription, in one message of each book. */
  release(subscription: Subscription, nowAt: number): number {
    const { flow } = subscription.stream
    const { conflation, filter } = flow
    // The board is to be what the stream has come to: a status that is pending takes the price with it.
    this.endTurn()
    if (conflation === undefined || !flow.hasReaders) return 0
    const pricesMax = Math.max(RELEASED_MIN, Math.floor(this.limits.socketBytesMax / BYTES_A_PRICE))
    const due = conflation.takeDue(nowAt, pricesMax, RELEASE_VISITS).sort((a, b) => a.seq - b.seq)
    const books = new Map<EventView, Map<number, HeldPrice[]>>()
    for (const moment of due) {
      const quote = this.engine.reader.quoteAt(moment.quote, nowAt)
      if (quote === undefined || !takesEvent(filter, quote.view.event, quote.view)) continue
      let ofEvent = books.get(quote.view)
      if (ofEvent === undefined) books.set(quote.view, (ofEvent = new Map()))
      const together = ofEvent.get(quote.bookmaker)
      if (together === undefined) ofEvent.set(quote.bookmaker, [{ quote, moment }])
      else together.push({ quote, moment })
    }
    const { bodies } = this.renderer
    const before = subscription.stream.end
    for (const [view, ofEvent] of books) {
      for (const [bookmaker, together] of ofEvent) {
        const subject = bodies.subjectOf(view, bookmaker)
        this.write(flow, subject.odds, bodies.held(together, subject))
      }
    }
    // Whoever is woken by that is the session that is being served.
    this.handOut()
    subscription.isReleaseDue = conflation.isDue(nowAt)
    const octets = subscription.stream.end - before
    return octets > 0 || !subscription.isReleaseDue ? octets : 1
  }

  audiencesAt(caller: Caller, seq: number): readonly Audience[] | undefined {
    const nowAt = this.now()
    return this.rights.audiencesAt(caller, seq, (keyId) => this.gate.isValid(keyId, nowAt))
  }

  private recheck(concerned: ReadonlySet<string> | 'all'): void {
    this.endTurn()
    this.rights.change(concerned, this.ring.lastSeq)
    const nowAt = this.now()
    for (const session of this.sessions) session.recheck(nowAt)
  }

  private tick(): void {
    const nowAt = this.now()
    this.checkCatchUps()
    this.checkConflations()
    this.checkRights(nowAt)
    // They may have moved without a change of the log.
    if (this.eventIds.hasPending && !this.engine.isTurnDue) this.followIds(this.ring.lastSeq)
    const wasPaused = nowAt - this.tickedAt > this.limits.pauseMsMin
    this.tickedAt = nowAt
    const suspects: Session[] = []
    for (const session of this.sessions) {
      if (wasPaused) session.excuse(nowAt)
      if (session.tick(nowAt)) suspects.push(session)
    }
    if (suspects.length === 0) return
    // The event loop reads all sockets between its timers and this.
    setImmediate(() => {
      const judgedAt = this.now()
      for (const session of suspects) session.judge(judgedAt)
    })
  }

  /** Ends sessions whose rights have been unknown for too long; at once where they will not be known again by waiting. */
  private checkRights(nowAt: number): void {
    if (!this.gate.refusesAll) {
      this.rightsUnknownAt = undefined
      return
    }
    this.rightsUnknownAt ??= nowAt
    const msMax = this.gate.isStoreLost ? 0 : this.limits.rightsUnknownMsMax
    if (nowAt - this.rightsUnknownAt >= msMax) this.endUnverified()
  }

  /** Some at a time, so that others have their turn in between; nobody can connect meanwhile. */
  private endUnverified(): void {
    let ended = 0
    for (const session of this.sessions) {
      if (!session.isConnected) continue
      if (ended === UNVERIFIED_A_TURN) {
        setImmediate(() => {
          if (this.gate.refusesAll) this.endUnverified()
        })
        return
      }
      session.endUnverified()
      ended++
    }
  }
}
