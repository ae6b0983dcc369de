// The broker publishes the changes of a turn to subscribers; each message is rendered once per class.
//
//   turn ──changes──▶ ring ──groups──▶ flows ──bodies──▶ streams ──runs──▶ sessions ──one write each──▶ sockets

import type { Caller, Gate } from '../access/gate.ts'
import { type EventNotice, isEventNotice } from '../board/changes.ts'
import { isRefusal } from '../domain/refusal.ts'
import type { Carrier, Rooms } from './carrier.ts'
import { Channel, type ChannelOptions, type Looked, TICK_MS } from './channel.ts'
import type { Release } from './connections.ts'
import type { Delivery } from './delivery.ts'
import type { Flow, FlowFilter } from './flow.ts'
import type { Flows } from './flows.ts'
import type { LiveHistory, LiveTurn } from './live-history.ts'
import type { LiveSession, LiveSessionView } from './live-session.ts'
import { changesOf, newSelection, NONE, select, type Subject } from './message.ts'
import type { Passes } from './passes.ts'
import type { Renderer } from './renderer.ts'
import type { ReplayRing } from './replay-ring.ts'
import { type ErrorCode, type Fault, faultOf, isFault } from './session-fault.ts'
import type { LiveLimits } from './session-limits.ts'
import { Session } from './session.ts'
import { readSse, type SseAdmission, type SseQuery } from './sse-request.ts'
import { SseSession } from './sse-session.ts'
import type { Throttle } from './throttle.ts'

/** How long sessions are looked at in one iteration of the event loop, ms: 10 000 that are due at once took 10. */
const LOOK_MS_MAX = 0.5
/** Sessions between two looks at the clock. */
const LOOKED_AT_ONCE = 64
/**
 * Sessions that are opened between two collections of what is young. V8 collects that when 16 MB were allocated: where thousands
 * connect at once, it had hundreds of new sessions to copy then, twice until they are old, which took 10 to 17 ms. It copies as
 * much in steps of 1 ms; of twice as many sessions, in steps of up to 4.8.
 */
const OPENED_A_COLLECTION = 16
/**
 * Changes between two collections of what is young, while statements about many quotes are carried out: what the ring keeps of them
 * stays, and was copied in up to 4 ms at once. While 500 000 quotes of sources that had gone were suspended, the longest tick of
 * the last third of them took 1.8 to 2.1 ms so, and 2.7 to 3.3 without it (AMD EPYC, four runs in turn).
 */
const WALKED_A_COLLECTION = 2_048
/** Sessions that are ended in one iteration of the event loop: some milliseconds. */
const REFUSED_A_TURN = 100

export class Broker {
  readonly limits: LiveLimits
  readonly ring: ReplayRing
  readonly renderer: Renderer
  readonly passes: Passes
  readonly throttle: Throttle
  readonly counts: Channel['counts']
  private readonly channel: Channel
  private readonly flows: Flows
  private readonly delivery: Delivery
  private readonly history: LiveHistory
  private readonly gate: Gate
  private readonly now: () => number
  private readonly sessions = new Set<LiveSession>()
  private readonly onEnd = (ended: LiveSession): void => void this.sessions.delete(ended)
  private readonly selection = newSelection()
  private readonly unheld = newSelection()
  private readonly ticker: NodeJS.Timeout
  private tickedAt: number
  // The current round excuses all: this process was paused before it.
  private excuses = false
  // The next step of it is scheduled.
  private looksSoon = false
  // Since the last collection.
  private openedCount = 0
  // The last change at the last collection for walks.
  private walkedSeq = 0
  private isDraining = false
  // When rights could first not be checked.
  private rightsUnknownAt: number | undefined

  constructor(options: ChannelOptions) {
    const { history, turns, gate, limits, now } = options
    const channel = new Channel(options)
    this.channel = channel
    this.limits = limits
    this.gate = gate
    this.now = now
    this.ring = channel.ring
    this.renderer = channel.renderer
    this.passes = channel.passes
    this.throttle = channel.access.throttle
    this.flows = channel.flows
    this.delivery = channel.delivery
    this.history = history
    this.counts = channel.counts
    history.onTurn = (turn) => this.delivery.publish(() => this.publish(turn))
    turns.onEnded(() => this.turnEnded())
    turns.customersMs = () => this.passes.customersMs
    gate.onUse((caller) => channel.rights.use(caller))
    gate.onChange((concerned) => this.recheck(concerned))
    // Customers wait for it, see Session; turns and feeds do not.
    if (!history.isComplete) this.passes.ask({ isFeed: false, work: (isOver) => this.buildHistory(isOver) })
    this.tickedAt = now()
    this.ticker = setInterval(() => this.tick(), TICK_MS)
    this.ticker.unref()
  }

  // --- sessions

  /** Why a customer cannot open one more session now, although its key allows it; undefined: it can. */
  refusalOf(caller: Caller, nowAt: number): Fault | undefined {
    return this.channel.access.refusalOf(caller, nowAt)
  }

  get sessionCount(): number {
    return this.sessions.size
  }

  /** Sessions by carrier, for metrics. */
  countSessions(kind: Carrier['kind']): number {
    return this.sum(({ carrier }) => (carrier.kind === kind ? 1 : 0))
  }

  /**
   * Connected sessions of an organization (by id), or (null) of all, the newest first.
   * @param countMax so many at most
   */
  viewSessions(organization: string | null, countMax: number): LiveSessionView[] {
    const nowAt = this.now()
    return [...this.sessions]
      .filter((session) => session.isConnected && (organization === null || session.organizationId === organization))
      .slice(-countMax)
      .toReversed()
      .map((session) => session.view(nowAt))
  }

  /** Sessions whose carriers do not keep up. */
  get behindCount(): number {
    return this.sum(({ subscriptions }) => (subscriptions.isBehind ? 1 : 0))
  }

  /** Subscriptions that get only the latest prices now. */
  get degradedCount(): number {
    return this.sum(({ subscriptions }) => subscriptions.degradedCount)
  }

  get subscriptionCount(): number {
    return this.sum(({ subscriptionCount }) => subscriptionCount)
  }

  /** Received octets of all sessions that wait to be read. */
  get inputBytes(): number {
    return this.channel.inputBytes
  }

  /** Octets that snapshots hold and that are not written yet. */
  get catchUpBytes(): number {
    return this.channel.snapshots.bytes
  }

  /** Octets of conflation state. */
  get conflationBytes(): number {
    return this.channel.conflationBytes
  }

  private sum(of: (session: LiveSession) => number): number {
    let sum = 0
    for (const session of this.sessions) sum += of(session)
    return sum
  }

  /** The flows that have subscribers now. */
  openFlows(): Iterable<Flow> {
    return this.flows.all()
  }

  get flowCount(): number {
    return this.flows.size
  }

  /** Whether new connections are accepted. */
  get isOpen(): boolean {
    return !this.isDraining
  }

  /** Reserves a live connection for an upgrade, see {@link Channel.access}. */
  reserve(authorization: string | undefined, apiKey: string | undefined): Release | undefined {
    return this.channel.access.reserve(authorization, apiKey, this.now())
  }

  get reservedCount(): number {
    return this.channel.access.reservedCount
  }

  /** Begins a session. `authorization`, `apiKey`: headers of a WebSocket's upgrade. */
  open(carrier: Carrier, authorization?: string, apiKey?: string): Session {
    const id = this.channel.options.mintId()
    const { onEnd } = this
    const session = new Session(this.channel, carrier, { id, nowAt: this.now(), authorization, apiKey, onEnd })
    this.opened(session)
    return session
  }

  /** What is built stays: V8 copies it behind each step, and not 4 MB of it at once. See {@link OPENED_A_COLLECTION}. */
  private buildHistory(isOver: () => boolean): boolean {
    const isLeft = this.history.build(isOver)
    const { collectYoung } = this.channel.options
    if (collectYoung !== undefined) this.passes.askFirst(collectYoung)
    return isLeft
  }

  private opened(session: LiveSession): void {
    this.sessions.add(session)
    this.counts.opened++
    const { collectYoung } = this.channel.options
    if (++this.openedCount < OPENED_A_COLLECTION || collectYoung === undefined) return
    this.openedCount = 0
    this.passes.askFirst(collectYoung)
  }

  /**
   * Admits a request for server-sent events; it counts as a session until it ends. {@link openSse} or {@link dropSse} is to
   * be called at once.
   */
  admitSse(authorization: string | undefined, apiKey: string | undefined, query: SseQuery): SseAdmission | Fault {
    const { access, options } = this.channel
    const { gate, limits } = this
    const nowAt = this.now()
    const caller = gate.identify(authorization, apiKey, nowAt)
    if (isRefusal(caller)) return faultOf(caller)
    const denied = gate.permit(caller, { transport: 'live' })
    if (denied !== undefined) return faultOf(denied)
    const request = readSse(query, caller, options.registry, limits.conflateMsMax)
    if (isRefusal(request)) return faultOf(request)
    if (!this.isOpen) return { code: 'service_unavailable', message: 'The server is shutting down; connect again' }
    const admitted = access.admit({ authorization, apiKey }, nowAt)
    return isFault(admitted) ? admitted : { caller: admitted, request, wantsLag: query.lag }
  }

  /** Begins the session of an admitted request; {@link SseSession.open} follows when its carrier can be written to. */
  openSse(carrier: Carrier, admission: SseAdmission): SseSession {
    const { onEnd } = this
    const id = this.channel.options.mintId()
    const session = new SseSession(this.channel, carrier, admission, { id, nowAt: this.now(), onEnd })
    this.opened(session)
    return session
  }

  /** An admitted request gets no session: it was a HEAD. */
  dropSse({ caller }: SseAdmission): void {
    this.channel.access.ended(caller, undefined, this.now())
  }

  /** The body of an error of this code has these members, too. */
  errorMembers(code: ErrorCode): object {
    return this.channel.options.errorMembers?.(code) ?? {}
  }

  countError(code: ErrorCode): void {
    this.channel.countError(code)
  }

  /** Sets what publishes to rooms of carriers; without it, each carrier is written to. */
  useRooms(rooms: Rooms): void {
    this.delivery.useRooms(rooms)
    const { turns } = this.channel
    turns.isDelivering = () => rooms.isFull
    // To read a burst may take longer than a pass has for it: some bundles of 128 frames went out as 98 and 30.
    rooms.isMoreDue = () => turns.isUnderway || this.channel.inputBytes > 0
  }

  /** Ends all sessions with `server_shutdown`, spread over time. Resolves when the last was ended. */
  async drain(msMax: number): Promise<void> {
    this.isDraining = true
    this.channel.turns.end()
    const sessions = [...this.sessions]
    const everyMs = Math.min(this.limits.closeEveryMs, msMax / 2 / sessions.length)
    const startedAt = this.now()
    for (let ended = 0; ended < sessions.length; ) {
      const due = Math.min(sessions.length, Math.floor((this.now() - startedAt) / everyMs) + 1)
      for (; ended < due; ended++) sessions[ended]!.shutDown()
      if (ended < sessions.length) await new Promise((resolve) => setTimeout(resolve, everyMs))
    }
  }

  /** Stops all timers. */
  close(): void {
    clearInterval(this.ticker)
    // Without ticks, a round that is interrupted by a pause would wait for the next one for ever.
    while (this.channel.looks.next() !== undefined);
    this.flows.close()
  }

  // --- the turn

  private turnEnded(): void {
    // Ids may move without a change in the log.
    const { movedIds } = this.history
    this.history.movedIds = undefined
    if (movedIds !== undefined) this.followIds(movedIds, this.ring.lastSeq)
    const { settled, awaited } = this.channel
    awaited.look(this.ring.lastSeq)
    for (const session of settled) session.flush()
    settled.clear()
    this.delivery.serveWoken()
    this.collectWalked()
  }

  /** See {@link WALKED_A_COLLECTION}. */
  private collectWalked(): void {
    const { engine, collectYoung } = this.channel.options
    const { lastSeq } = this.ring
    if (collectYoung === undefined || !engine.hasWalks || lastSeq - this.walkedSeq < WALKED_A_COLLECTION) return
    this.walkedSeq = lastSeq
    this.passes.askFirst(collectYoung)
  }

  private publish({ firstGroup: first, at: nowAt, seqBefore, movedIds }: LiveTurn): void {
    const { ring } = this
    if (movedIds !== undefined) this.followIds(movedIds, seqBefore)
    if (ring.overrunSeq > seqBefore) for (const { subscriptions } of this.sessions) subscriptions.overrun()
    for (let group = first; group < ring.groupsEnd; group++) {
      const notice = ring.noticeOf(group)
      if (notice !== undefined && isEventNotice(notice)) this.lookForMove(notice)
    }
    for (let group = first; group < ring.groupsEnd; group++) {
      if (ring.noticeOf(group) === undefined) this.publishGroup(group, nowAt)
      else this.publishNotice(group)
    }
  }

  /**
   * Ids of events lead elsewhere since this seq. Called before the messages of the turn: a subscription that has the
   * state of the old event gets the remaining messages about it from the log, and then the state of the new one.
   */
  private followIds(moved: ReadonlySet<string>, seqBefore: number): void {
    // Thousands of ids move while sources start, and hardly ever one that a subscription names.
    const isNamed = this.flows.idsMoved(moved)
    const concerned = isNamed ? this.sessions : this.delivery.following
    for (const { subscriptions } of concerned) subscriptions.idsMoved(moved, seqBefore)
  }

  /** Called before the messages of the turn: a subscription that needs a snapshot gets none of them. */
  private lookForMove(notice: EventNotice): void {
    if (notice.was === undefined || notice.was.leagueKey === notice.event.leagueKey) return
    for (const session of this.sessions) session.subscriptions.eventMoved(notice)
  }

  private publishGroup(group: number, nowAt: number): void {
    const { odds, status, subject } = this.flows.routeOf(group)
    if (subject === undefined) return
    if (odds.length > 0) this.publishTo(odds, subject, subject.odds, group, nowAt)
    if (status.length > 0) this.publishTo(status, subject, subject.status, group, nowAt)
  }

  /** @param headOf of the topic of the flows */
  private publishTo(flows: readonly Flow[], subject: Subject, headOf: Uint8Array, group: number, nowAt: number): void {
    const { ring, renderer, selection, delivery } = this
    // What the current body and its head are for; undefined: there is none.
    let rendered: FlowFilter | undefined
    let head = headOf
    for (const flow of flows) {
      const { filter, conflation } = flow
      if (conflation !== undefined) {
        // Subscriptions that are still catching up find it in the ring.
        if (!flow.hasReaders) continue
        select(ring, group, changesOf(filter), filter.types, -1, NONE, this.unheld)
        conflation.filter(ring, group, this.unheld, nowAt)
        if (this.unheld.count > 0) {
          delivery.write(flow, renderer.update(flow, group, this.unheld, subject), this.unheld.lastSeq)
        }
        rendered = undefined
        continue
      }
      if (rendered?.types !== filter.types || rendered.isNumbered !== filter.isNumbered) {
        select(ring, group, changesOf(filter), filter.types, -1, NONE, selection)
        rendered = filter
        if (selection.count > 0) head = renderer.update(flow, group, selection, subject)
      }
      if (selection.count > 0) delivery.write(flow, head, selection.lastSeq)
    }
  }

  private publishNotice(group: number): void {
    const { ring, renderer } = this
    const notice = ring.noticeOf(group)!
    const seq = ring.firstSeqOf(group)
    for (const flow of this.flows.ofNotice(notice)) {
      const head = renderer.notice(flow, notice, seq, ring.recordedAtOf(group))
      if (head !== undefined) this.delivery.write(flow, head, seq)
    }
  }

  // --- time, and rights

  private recheck(concerned: ReadonlySet<string> | 'all'): void {
    this.channel.rights.change(concerned)
    const nowAt = this.now()
    for (const session of this.sessions) session.recheck(nowAt)
  }

  private tick(): void {
    const nowAt = this.now()
    this.channel.snapshots.checkTotal()
    this.channel.awaited.look(this.ring.lastSeq)
    this.checkConflations()
    this.checkRights(nowAt)
    const { looks } = this.channel
    const wasPaused = nowAt - this.tickedAt > this.limits.pauseMsMin
    // Where the clock was set back, deadlines that were computed since then come before those that sessions are filed by.
    if (wasPaused || nowAt < this.tickedAt) for (const session of this.sessions) session.stir()
    this.tickedAt = nowAt
    if (!looks.isInRound || wasPaused) {
      looks.begin(nowAt)
      this.excuses = wasPaused
    }
    if (!this.looksSoon) this.lookOn()
  }

  /** Looks at the next sessions of a round, in steps. */
  private lookOn(): void {
    const { looks, options } = this.channel
    if (!looks.isInRound) return
    const nowAt = this.now()
    const { elapsedMs } = options
    const overAt = elapsedMs() + LOOK_MS_MAX
    const suspects: Looked[] = []
    // After a pause, the next tick begins a round that excuses all: this process did not read.
    while (nowAt - this.tickedAt <= this.limits.pauseMsMin) {
      let left = LOOKED_AT_ONCE
      for (; left > 0; left--) {
        const session = looks.next()
        if (session === undefined) break
        if (this.excuses) session.excuse(nowAt)
        if (session.look(nowAt)) suspects.push(session)
      }
      if (left > 0 || elapsedMs() >= overAt) break
    }
    this.looksSoon = looks.isInRound || suspects.length > 0
    if (!this.looksSoon) return
    // The event loop reads all sockets between its timers and `setImmediate`, and between two of these.
    setImmediate(() => {
      this.looksSoon = false
      const judgedAt = this.now()
      for (const session of suspects) session.judge(judgedAt)
      this.lookOn()
    })
  }

  /** Conflation state of all sessions has a budget: over it, the sessions with most of it are ended first. */
  private checkConflations(): void {
    const { conflationBytesTotalMax } = this.limits
    let total = this.conflationBytes
    while (total > conflationBytesTotalMax) {
      let most: LiveSession | undefined
      for (const session of this.sessions) {
        if (session.conflationBytes > (most?.conflationBytes ?? 0)) most = session
      }
      if (most === undefined) return
      total -= most.conflationBytes
      most.endConflation('conflationBytesTotalMax')
    }
  }

  /** Ends sessions whose rights have been unknown for too long; at once if the store is lost: waiting does not help. */
  private checkRights(nowAt: number): void {
    if (!this.gate.refusesAll) {
      this.rightsUnknownAt = undefined
      return
    }
    this.rightsUnknownAt ??= nowAt
    const msMax = this.gate.isStoreLost ? 0 : this.limits.rightsUnknownMsMax
    if (nowAt - this.rightsUnknownAt < msMax) return
    this.endRefused(() => this.gate.refusesAll, 'Access rights cannot be checked; connect again in a moment')
  }

  /** Ends all sessions because prices cannot be recorded. @param isAway whether that is still so */
  endAway(isAway: () => boolean): void {
    this.endRefused(isAway, 'Prices cannot be recorded just now; connect again in a moment')
  }

  /** Some at a time, so that other work runs in between; no client can connect meanwhile. */
  private endRefused(isRefusing: () => boolean, message: string): void {
    let ended = 0
    for (const session of this.sessions) {
      if (!session.isConnected) continue
      if (ended === REFUSED_A_TURN) {
        setImmediate(() => {
          if (isRefusing()) this.endRefused(isRefusing, message)
        })
        return
      }
      session.endRefused(message)
      ended++
    }
  }
}
