// The subscriptions of a session: their states, and which of them is served next. A session catches up with one
// subscription at a time; those that are not the first of their topics follow the log (followers.ts).
//
// The file is longer than others: which subscription is served next depends on the state of each; both change together.

import type { Caller } from '../access/gate.ts'
import type { EventNotice } from '../board/changes.ts'
import type { Audience } from '../domain/audience.ts'
import type { Carrier } from './carrier.ts'
import { CatchUp, type ResetReason, type Start } from './catch-up.ts'
import type { Channel } from './channel.ts'
import { Tally } from './connections.ts'
import type { Postbox, Recipient } from './delivery.ts'
import { type ClassForm, type Flow, patternKey, type Run } from './flow.ts'
import { Followers } from './followers.ts'
import type { Outbox } from './outbox.ts'
import { type Fault, limitExceeded, slowConsumer } from './session-fault.ts'
import { SlowSubscriptions } from './slow-subscriptions.ts'
import { SparseMap, SparseSet } from './sparse.ts'
import type { LogPoint, SubscribeFrame } from './subscribe.ts'
import type { Place, Subscription, SubscriptionOwner } from './subscription.ts'
import type { Acknowledgement } from './transaction.ts'
import { movesBetween, seesSame, seesSameAs } from './visibility.ts'

/** Octets that are written to one session before others are served. */
const SHARE_BYTES = 256 * 1024

export class SessionSubscriptions implements SubscriptionOwner, Postbox {
  readonly carrier: Carrier
  readonly outbox: Outbox
  conflationBytes = 0
  /** A budget that was exceeded during a turn: the session ends when it is served next. */
  overdrawn: Fault | undefined
  /** Whether its carrier does not keep up. */
  isBehind = false
  private readonly channel: Channel
  private readonly session: Recipient
  private readonly byKey = new Map<string, Subscription>()
  private readonly byAckNumber = new SparseMap<number, Subscription>()
  // Subscriptions with something to deliver; of those that catch up, only the first is served.
  private readonly pending = new SparseSet<Subscription>()
  private readonly catchingUp = new SparseSet<Subscription>()
  // Subscriptions whose point is ahead of the log, with its seq: nothing is delivered to them before it is reached.
  private readonly awaiting = new SparseMap<Subscription, number>()
  private readonly followers: Followers
  private readonly slow: SlowSubscriptions
  // The one that catches up, followers and degraded ones may each use all that the socket accepts: those that have been
  // delivered nothing while others were go first.
  private readonly waits = [false, false, false]
  // Subscriptions that turns write to, by destination.
  private readonly streamed = new Tally()
  private excusedAt = 0

  constructor(channel: Channel, session: Recipient, outbox: Outbox) {
    this.channel = channel
    this.session = session
    this.carrier = outbox.carrier
    this.outbox = outbox
    this.followers = new Followers(channel.ring)
    this.slow = new SlowSubscriptions(channel, this)
  }

  get size(): number {
    return this.byKey.size
  }

  /** How long the carrier may make no progress, ms. */
  get stalledMsMax(): number {
    const { stalledMsMax, degradedStalledMsMax } = this.channel.limits
    return this.slow.isWatching ? degradedStalledMsMax : stalledMsMax
  }

  /** Subscriptions that get only the latest prices now. */
  get degradedCount(): number {
    return this.slow.size
  }

  /**
   * Whether time alone changes nothing for any of them: nothing waits that could become late, and none is degraded. What ends this
   * calls {@link Recipient.stir}.
   */
  get isAtRest(): boolean {
    return this.pending.size === 0 && !this.followers.isBehind && this.slow.isAtRest
  }

  /** Notes that conflation needs more octets, or fewer. */
  addConflation(bytes: number): void {
    this.conflationBytes += bytes
    this.channel.conflationBytes += bytes
    if (this.conflationBytes > this.channel.limits.conflationBytesMax) this.session.stir()
  }

  has(key: string): boolean {
    return this.byKey.has(key)
  }

  /** Whether something waits to be delivered. */
  get hasPending(): boolean {
    return this.pending.size > 0 || this.slow.size > 0
  }

  /** Called when the session has ended. */
  close(): void {
    for (const subscription of this.byKey.values()) this.leave(subscription)
    this.byKey.clear()
    this.byAckNumber.clear()
    this.pending.clear()
    this.catchingUp.clear()
    this.awaiting.clear()
    this.followers.clear()
    this.slow.clear()
    this.isBehind = false
  }

  // --- subscribe, unsubscribe

  /** Adds a subscription; its messages start with {@link begin}. */
  add(key: string, request: SubscribeFrame, form: ClassForm, audience: Audience): Subscription | Fault {
    const place = this.placeFor(request)
    if (typeof place !== 'string') return place
    const subscription = this.channel.flows.subscribe(this, request, form, audience, place)
    this.byKey.set(key, subscription)
    this.slow.watch(subscription)
    if (place === 'stream') this.streamed.add(placeKeyOf(request.filter), 1)
    this.noteAcks(subscription)
    return subscription
  }

  /** Starts with a snapshot, with a replay from a point of the log, or with the next changes. */
  begin(subscription: Subscription, request: SubscribeFrame, caller: Caller): void {
    const { awaited } = this.channel
    if (awaited.waits && this.isAhead(request.from)) {
      const { seq } = request.from!
      this.awaiting.set(subscription, seq)
      awaited.add(seq, () => {
        if (this.awaiting.delete(subscription)) this.beginNow(subscription, request, caller)
      })
    } else this.beginNow(subscription, request, caller)
  }

  private isAhead(from: LogPoint | undefined): boolean {
    const { ring, options } = this.channel
    return from !== undefined && from.epoch === options.engine.epoch && from.seq > ring.lastSeq
  }

  private beginNow(subscription: Subscription, request: SubscribeFrame, caller: Caller): void {
    if (request.from !== undefined) {
      this.catchUp(subscription, this.startFrom(request.from, subscription.stream.flow, caller))
    } else if (request.wantsSnapshot) this.catchUp(subscription, { reset: undefined })
    else this.join(subscription, this.channel.ring.lastSeq)
  }

  /** Ends a subscription. */
  remove(key: string): void {
    const subscription = this.byKey.get(key)!
    this.byKey.delete(key)
    this.pending.delete(subscription)
    this.catchingUp.delete(subscription)
    this.awaiting.delete(subscription)
    this.unfollow(subscription)
    this.slow.forget(subscription)
    if (subscription.place === 'stream') this.streamed.add(placeKeyOf(subscription.request.filter), -1)
    this.outbox.unackedCount -= subscription.unacked.count
    for (const [number, other] of this.byAckNumber) if (other === subscription) this.byAckNumber.delete(number)
    this.leave(subscription)
  }

  private leave(subscription: Subscription): void {
    this.channel.flows.unsubscribe(subscription)
    this.channel.snapshots.unwatch(subscription)
  }

  /** Whether turns write to a subscription: a write delays every session, so the number per session is limited. */
  private placeFor({ id, filter, destination }: SubscribeFrame): Place | Fault {
    const { streamedPerTopicMax, conflatingPerTopicMax, streamedIdBytesMax } = this.channel.limits
    const count = this.streamed.of(placeKeyOf(filter))
    if (filter.conflateMs > 0) {
      if (count < conflatingPerTopicMax) return 'stream'
      const message = `No more than ${conflatingPerTopicMax} subscriptions with conflate-ms to ${destination}`
      return limitExceeded('conflatingPerTopicMax', message)
    }
    return count < streamedPerTopicMax && Buffer.byteLength(id ?? '') <= streamedIdBytesMax ? 'stream' : 'log'
  }

  private startFrom({ epoch, seq, isInSnapshot }: LogPoint, flow: Flow, caller: Caller): Start {
    const { ring, rights, options } = this.channel
    const reset = (reason: ResetReason): Start => ({ reset: reason })
    if (epoch !== options.engine.epoch) return reset('epoch')
    if (isInSnapshot === true) return reset('incomplete')
    if (seq > ring.lastSeq) return reset('ahead')
    if (seq < ring.floorSeq) return reset('too_old')
    const nowAt = options.now()
    const windowS = caller.organization.plan.liveReplayWindowSeconds
    const group = ring.groupAfter(seq)
    const isMissing = group < ring.groupsEnd
    if (windowS > 0 && isMissing && ring.recordedAtOf(group) < nowAt - windowS * 1000) return reset('window')
    // Its rights have changed since then, or may have: the state that it has is too much or too little.
    const before = rights.audiencesAt(caller, seq, (keyId) => options.gate.isValid(keyId, nowAt))
    if (before?.every((audience) => seesSameAs(flow, audience)) !== true) return reset('audience')
    return { afterSeq: seq }
  }

  // --- states

  /** Makes a subscription current: it gets what follows this seq. */
  private join(subscription: Subscription, logSeq: number): void {
    if (subscription.place === 'stream') {
      // It may have waited for acknowledgements at the end of its catch-up: the others would wait for it for ever.
      this.catchingUp.delete(subscription)
      subscription.attach()
    } else this.catchUp(subscription, { afterSeq: logSeq, lastSeq: subscription.stream.flow.lastSeq })
  }

  private catchUp(subscription: Subscription, start: Start): void {
    // It goes to the end of the queue, even if it was in it before.
    this.catchingUp.delete(subscription)
    this.unfollow(subscription)
    this.slow.leave(subscription)
    this.catchingUp.add(subscription)
    subscription.waitFor(start)
  }

  followed(subscription: Subscription): void {
    this.followers.add(subscription, this.channel.options.now())
    this.follow()
  }

  private unfollow(subscription: Subscription): void {
    if (subscription.isFollowing) this.followers.delete(subscription)
    this.follow()
  }

  /** Followers and degraded subscriptions are served after each turn. */
  private follow(): void {
    const { following } = this.channel.delivery
    if (this.followers.size + this.slow.size > 0) following.add(this.session)
    else following.delete(this.session)
  }

  /** From now on a subscription gets the latest prices. Not in the middle of a snapshot, which its socket paces. */
  degrade(subscription: Subscription): void {
    const afterSeq = subscription.resumeSeq(this.channel.ring.lastSeq)
    if (afterSeq === undefined) return
    this.pending.delete(subscription)
    this.catchingUp.delete(subscription)
    this.unfollow(subscription)
    this.session.stir()
    this.slow.degrade(subscription, afterSeq)
    this.follow()
    this.channel.delivery.wake(this.session)
  }

  restored(subscription: Subscription): void {
    this.slow.noteRestored(subscription)
    this.slow.leave(subscription)
    this.follow()
    this.join(subscription, this.channel.ring.lastSeq)
  }

  /** The one that catches up: the first that does not wait for acknowledgements. The others wait. */
  private nextToCatchUp(): Subscription | undefined {
    for (const subscription of this.catchingUp) if (!subscription.isPaused) return subscription
    return undefined
  }

  /** Starts the next catch-up, if none is in progress. */
  private beginCatchUp(): void {
    const subscription = this.nextToCatchUp()
    if (subscription?.waitsFor === undefined) return
    const { ring, renderer, history, limits, snapshots } = this.channel
    const { waitsFor } = subscription
    const { flow, form } = subscription.stream
    const { partNumbers, request } = subscription
    const { destination } = request
    // The ring may have dropped its point while it waited.
    const isTooOld = 'afterSeq' in waitsFor && waitsFor.afterSeq < ring.floorSeq
    const start = isTooOld ? ({ reset: 'too_old' } as const) : waitsFor
    // Only a subscription that keeps state has to know that its id leads to another event now.
    const eventIds = request.keepsState ? this.channel.eventIds : undefined
    const of = { renderer, eventIds, chains: history.chains, flow, form, destination, start, partNumbers }
    subscription.begin(new CatchUp({ ...of, heldLateMsMax: limits.stalledMsMax }))
    snapshots.watch(subscription)
  }

  restart(subscription: Subscription, reset: ResetReason = 'audience'): void {
    this.catchUp(subscription, { reset })
  }

  /** A source has moved an event to another league: subscriptions that filter by league and keep state restart. */
  eventMoved(notice: EventNotice): void {
    for (const subscription of this.byKey.values()) {
      // Catching up finds it in the log.
      if (subscription.isCatchingUp || this.awaiting.has(subscription) || !subscription.request.keepsState) continue
      if (movesBetween(subscription.request.filter, notice)) this.restart(subscription)
    }
  }

  /** The ring does not hold all of a turn: its messages are not all published, and subscriptions to the stream restart. */
  overrun(): void {
    for (const subscription of this.byKey.values()) {
      const { isCatchingUp, isFollowing, degraded } = subscription
      // Those that read the ring notice it themselves.
      if (isCatchingUp || isFollowing || degraded !== undefined || this.awaiting.has(subscription)) continue
      this.restart(subscription, 'too_old')
    }
  }

  /** Ids of events lead elsewhere since this seq: subscriptions to one of them that keep state are notified. */
  idsMoved(moved: ReadonlySet<string>, seqBefore: number): void {
    for (const subscription of this.byKey.values()) {
      const { filter, keepsState } = subscription.request
      // Catching up finds it in the log.
      if (subscription.isCatchingUp || this.awaiting.has(subscription) || !keepsState) continue
      if (filter.eventId === null || !moved.has(filter.eventId)) continue
      const seq = subscription.resumeSeq(seqBefore)
      const lastSeq = subscription.messageSeq
      // Behind the point of a degraded one, later changes were delivered.
      if (seq === undefined || subscription.degraded !== undefined) this.restart(subscription)
      else this.catchUp(subscription, { afterSeq: seq, lastSeq })
    }
  }

  /** Moves all subscriptions to the audience that their key has now. */
  narrow(audience: Audience): void {
    const { flows, ring } = this.channel
    for (const subscription of this.byKey.values()) {
      const isSame = seesSame(subscription.stream.flow, audience)
      if (this.awaiting.has(subscription)) {
        // What it could see at its point is looked up when that is reached.
        flows.move(subscription, audience)
        this.noteAcks(subscription)
        continue
      }
      if (subscription.degraded !== undefined) {
        // Behind its point, later changes were delivered: it goes on as it is, or begins anew.
        if (!isSame) subscription.detach()
        flows.move(subscription, audience)
        this.noteAcks(subscription)
        if (!isSame) this.restart(subscription)
        continue
      }
      // What is pending continues from its point, as the new audience sees it. A snapshot that is incomplete, or that
      // shows more or less than the new audience may see, starts again.
      const seq = subscription.resumeSeq(ring.lastSeq)
      const lastSeq = subscription.messageSeq
      const { waitsFor } = subscription
      this.unfollow(subscription)
      this.slow.leave(subscription)
      flows.move(subscription, audience)
      this.noteAcks(subscription)
      // A snapshot of which nothing was written shows what the new audience may see: no reset has to explain it.
      if (waitsFor !== undefined && 'reset' in waitsFor) this.catchUp(subscription, waitsFor)
      else if (seq === undefined || (!isSame && subscription.request.keepsState)) this.restart(subscription)
      else if (seq < ring.lastSeq || subscription.conflates) {
        // Prices that conflation held are lost with the old stream; the log has them.
        this.catchUp(subscription, { afterSeq: seq, lastSeq })
      } else this.join(subscription, seq)
    }
  }

  /** Everything up to this seq was written to the carrier; undefined in the middle of a snapshot. */
  get resumeSeq(): number | undefined {
    const logSeq = this.channel.ring.lastSeq
    // One that awaits its point has been delivered all up to there, elsewhere.
    let least: number | undefined = this.awaiting.size === this.size ? Number.POSITIVE_INFINITY : logSeq
    if (this.size === 0) return logSeq
    for (const subscription of this.byKey.values()) {
      const seq = this.awaiting.get(subscription) ?? subscription.resumeSeq(logSeq)
      if (seq === undefined) least = undefined
      else if (least !== undefined) least = Math.min(least, seq)
    }
    return least
  }

  /** How far the subscriptions are behind the log, and how many prices conflation has merged. */
  lag(nowAt: number): { readonly behindMs: number; readonly mergedPrices: number } {
    const { ring } = this.channel
    let behindMs = 0
    let mergedPrices = 0
    for (const subscription of this.byKey.values()) {
      mergedPrices += subscription.mergedPrices
      const seq = subscription.resumeSeq(ring.lastSeq)
      if (seq === undefined || seq >= ring.lastSeq) continue
      const group = ring.groupAfter(seq)
      if (group < ring.groupsEnd) behindMs = Math.max(behindMs, nowAt - ring.recordedAtOf(group))
    }
    return { behindMs, mergedPrices }
  }

  // --- acknowledgements

  private noteAcks(subscription: Subscription): void {
    const { ackNumber } = subscription.stream.form
    if (ackNumber !== undefined) this.byAckNumber.set(ackNumber, subscription)
  }

  /** The subscription whose `ack` headers end in this number. */
  ofAckNumber(number: number): Subscription | undefined {
    return this.byAckNumber.get(number)
  }

  /** Subscriptions with an id (undefined: with any) in which a message waits to be acknowledged. */
  *waitingFor(messageId: string, id: string | undefined): Generator<Subscription> {
    for (const subscription of this.byKey.values()) {
      const isMeant = id === undefined || subscription.request.id === id
      if (isMeant && subscription.unacked.has(messageId)) yield subscription
    }
  }

  acknowledge({ subscription, messageId, isNack }: Acknowledgement): void {
    const { unacked } = subscription
    // An earlier cumulative one in the same transaction may have acknowledged this message, too.
    if (!unacked.has(messageId)) return
    const { outbox } = this
    const { counts, limits } = this.channel
    const wasFull = outbox.unackedCount >= limits.sessionUnackedMax
    const count = unacked.remove(messageId, subscription.request.ackMode === 'client')
    counts[isNack ? 'nacked' : 'acked'] += count
    outbox.unackedCount -= count
    // When the session's limit was reached, the others waited for it, too.
    for (const each of wasFull ? this.byKey.values() : [subscription]) if (each.hasPending) this.wake(each)
  }

  // --- output of turns

  post(run: Run, isBinary: boolean): void {
    // Most sessions have one subscription: this run is then all of the turn.
    if (this.byKey.size === 1) {
      this.outbox.writeRun(run, isBinary)
      this.checkCarrier()
    } else if (this.outbox.post(run, isBinary)) this.channel.delivery.post(this)
  }

  flushRuns(): void {
    this.outbox.flushRuns()
    this.checkCarrier()
  }

  seqBefore(waitingSeq: number, deliveredSeq: number): number {
    return this.channel.ring.seqBefore(waitingSeq, deliveredSeq)
  }

  published(bytes: number): void {
    this.outbox.noteWritten(bytes)
    this.checkCarrier()
  }

  /** Checks whether the carrier keeps up; if not, what follows is kept here until it does. */
  private checkCarrier(): void {
    if (this.carrier.bufferedBytes === 0) return
    this.channel.delivery.keepsRuns = true
    if (this.outbox.isFull) this.fallBehind()
  }

  private fallBehind(): void {
    for (const subscription of this.byKey.values()) subscription.fallBehind()
    this.isBehind = true
  }

  wake(subscription: Subscription): void {
    this.session.stir()
    if (subscription.degraded !== undefined) this.follow()
    else if (subscription.isFollowing) this.followers.add(subscription, this.channel.options.now())
    else this.pending.add(subscription)
    this.channel.delivery.wake(this.session)
  }

  release(subscription: Subscription, nowAt: number): number {
    return this.channel.delivery.release(subscription, nowAt)
  }

  overdraw(limit: string, message: string): void {
    this.overdrawn ??= { ...limitExceeded(limit, message), code: 'slow_consumer' }
    this.channel.passes.ask(this.session)
  }

  // --- delivery

  /** Whether something may wait until the carrier can accept more. */
  get awaitsCarrier(): boolean {
    return this.pending.size > 0 || this.followers.isBehind || this.slow.size > 0 || this.isBehind
  }

  /**
   * Delivers what waits, as far as the carrier accepts it and time allows: at least one piece.
   * @returns whether more could be delivered, given time; a fault where it can never be delivered
   */
  pump(isOver: () => boolean): boolean | Fault {
    const { carrier, pending, catchingUp, outbox } = this
    if (!this.awaitsCarrier) return false
    const { limits, options } = this.channel
    const nowAt = options.now()
    if (outbox.isFull) {
      this.slow.blocked(nowAt)
      return false
    }
    this.beginCatchUp()
    let share = SHARE_BYTES
    let isLost = false
    const hasShare = (): boolean => share > 0 && (share === SHARE_BYTES || !isOver())
    const lose = (subscription: Subscription): void => {
      if (subscription.mayDegrade) this.restart(subscription, 'too_old')
      else isLost = true
    }
    // Returns whether it had its turn.
    const serve = (subscription: Subscription): boolean => {
      let isServed = !subscription.hasPending
      let octets: number | undefined = subscription.isOverrun ? undefined : 0
      while (octets !== undefined && !isLost && !outbox.isFull && hasShare() && subscription.hasPending) {
        isServed = true
        octets = subscription.deliver(limits.socketBytesMax, nowAt, isOver)
        if (octets === undefined) break
        // A step that writes nothing returns at most 1.
        if (octets > 1) outbox.sentAt = nowAt
        share -= Math.max(octets, 256)
        if (octets === 0 || subscription.waitsFor !== undefined) break
      }
      if (octets === undefined) lose(subscription)
      if (!subscription.hasPending) pending.delete(subscription)
      if (!subscription.isCatchingUp) catchingUp.delete(subscription)
      return isServed || octets === undefined
    }
    carrier.cork(() => {
      // Current messages go first, or they would wait for a whole snapshot.
      for (const subscription of pending) if (!subscription.isCatchingUp) serve(subscription)
      this.serveOthers(nowAt, serve)
    })
    if (isLost) return slowConsumer('The log no longer holds what this subscription still has to get')
    if (outbox.isFull) {
      this.slow.blocked(nowAt)
      this.fallBehind()
      return false
    }
    const next = this.nextToCatchUp()
    for (const subscription of pending) {
      if (subscription.hasPending && (!subscription.isCatchingUp || subscription === next)) return true
    }
    if (this.followers.isBehind || this.slow.isBehind) return true
    for (const subscription of this.byKey.values()) subscription.rejoin()
    if (pending.size === 0) this.isBehind = false
    pending.trim()
    catchingUp.trim()
    return false
  }

  private serveOthers(nowAt: number, serve: (subscription: Subscription) => boolean): void {
    const { followers, slow, waits, outbox } = this
    const kinds = [
      (): boolean => {
        followers.serve(nowAt, serve)
        return followers.isBehind
      },
      (): boolean => {
        slow.serve(serve)
        return slow.isBehind
      },
      (): boolean => {
        const catchingUp = this.nextToCatchUp()
        if (catchingUp?.waitsFor === undefined && catchingUp?.hasPending === true) serve(catchingUp)
        return this.nextToCatchUp() !== undefined
      },
    ]
    // What is current goes before what catches up, unless that has waited and the current has not.
    const order = [0, 1, 2].sort((a, b) => Number(waits[b]) - Number(waits[a]) || (waits[a] ? a - b : b - a))
    for (const kind of order) {
      const { writtenBytes } = outbox
      const isBehind = kinds[kind]!()
      waits[kind] = isBehind && outbox.writtenBytes === writtenBytes
    }
  }

  // --- time

  /** This process was paused: lateness is not the client's fault. */
  excuse(nowAt: number): void {
    this.excusedAt = nowAt
    this.followers.excuse(nowAt)
  }

  /**
   * Degrades the subscriptions that asked for it and are too far behind. To be called several times a second.
   * @returns whether degraded ones have to be served
   */
  relieve(nowAt: number): boolean {
    const isExcused = nowAt - this.excusedAt <= this.channel.limits.stalledMsMax
    const late = this.slow.tooFarBehind(nowAt, this.followers.lateMs(nowAt), isExcused)
    for (const subscription of late) this.degrade(subscription)
    this.slow.timePassed()
    return this.slow.size > 0
  }

  /** Degrades all that asked for it and are behind: the session's budget is exceeded. Returns whether there are any. */
  relieveAll(): boolean {
    const behind = this.slow.withBacklog()
    for (const subscription of behind) this.degrade(subscription)
    return behind.length > 0
  }

  /** The fault of messages that are too late: those of followers, or prices that conflation held. */
  late(nowAt: number): Fault | undefined {
    const { stalledMsMax } = this.channel.limits
    if (this.followers.lateMs(nowAt) > stalledMsMax) {
      const words = `${this.followers.size} subscriptions that are not the first of their destination or have a long id`
      return slowConsumer(
        `It takes more than ${stalledMsMax} ms to serve the ${words}; subscribe to less, or from several connections`,
      )
    }
    // After a pause of this process, all prices are late.
    if (nowAt - this.excusedAt <= stalledMsMax) return undefined
    for (const subscription of this.pending) {
      if ((subscription.stream.flow.conflation?.lateMs(nowAt) ?? 0) <= stalledMsMax) continue
      return slowConsumer(`Prices that were due ${stalledMsMax} ms ago were not read`)
    }
    return undefined
  }
}

/** The topics that a subscription names, whatever its filter; those that conflate are counted separately. */
const placeKeyOf = ({ topic, sportNumber, bookmaker, eventId, conflateMs }: SubscribeFrame['filter']): string =>
  `${patternKey(topic, sportNumber, bookmaker, eventId)}${conflateMs > 0 ? ' conflated' : ''}`
