// A subscription: its position in its stream, and what is still to be delivered.
//
//   waiting ──▶ catching up ──▶ behind ⇄ at the end (written to, or published to)
//                          └──▶ in the log (followers.ts)
//
//   any of these ──too far behind, `on-slow:conflate`──▶ degraded ──keeps up──▶ at the end, or in the log
//
// A session catches up with one subscription at a time: the others wait. A subscription that acknowledges is always
// `behind`, or in the log: its messages are written one by one.
//
// The file is longer than others: each state ends in another one, and what is delivered next depends on all of them.

import type { Carrier } from './carrier.ts'
import { type CatchUp, PartNumbers, type Replay, type Start } from './catch-up.ts'
import type { ConflationMemory } from './conflation.ts'
import type { Degraded } from './degraded.ts'
import type { Pattern } from './destination.ts'
import type { FlowFilter, Run, Stream, StreamReader } from './flow.ts'
import type { Outbox } from './outbox.ts'
import type { LiveLimits } from './session-limits.ts'
import { Unacked } from './unacked.ts'

export const ACK_MODES = ['auto', 'client', 'client-individual'] as const

export type AckMode = (typeof ACK_MODES)[number]

/** What becomes of a subscription that falls too far behind. */
export const ON_SLOW = ['disconnect', 'conflate'] as const

export type OnSlow = (typeof ON_SLOW)[number]

/** What a SUBSCRIBE asks for. */
export interface SubscribeRequest {
  /** The header `id`; undefined: STOMP 1.0 without one. */
  readonly id: string | undefined
  readonly destination: string
  readonly pattern: Pattern
  readonly filter: FlowFilter
  readonly ackMode: AckMode
  readonly onSlow: OnSlow
  readonly isBinary: boolean
  /** Whether a WebSocket message may have several frames. */
  readonly isBundled: boolean
  /** Whether it asked for the state (a snapshot, or to resume from a seq): it gets a reset if that becomes invalid. */
  readonly keepsState: boolean
}

/** Whether it is in the stream of its class, or follows the log by itself. */
export type Place = 'stream' | 'log'

/** The part of a session that its subscriptions use. */
export interface SubscriptionOwner extends ConflationMemory {
  readonly carrier: Carrier
  readonly outbox: Outbox
  /** How far the reader of a stream is that waits for a message: as of the replay ring. */
  seqBefore(waitingSeq: number, deliveredSeq: number): number
  /** Called when octets were published to a room that it is in. */
  published(bytes: number): void
  /** Called when a subscription has something to deliver. */
  wake(subscription: Subscription): void
  /** Called when a subscription has caught up and follows the log from now on. */
  followed(subscription: Subscription): void
  /** Called when a degraded subscription keeps up again. */
  restored(subscription: Subscription): void
  /** Sends a subscription a reset and a snapshot. */
  restart(subscription: Subscription): void
  /** Writes held prices that are due into the stream of a subscription. Returns their octets, approximately. */
  release(subscription: Subscription, nowAt: number): number
  /** Ends the session when it is served next: a budget was exceeded during a turn. */
  overdraw(limit: string, message: string): void
  /** Queues a run, to be written when the turn ends. */
  post(run: Run, isBinary: boolean): void
}

interface HeldRun {
  readonly bytes: Buffer
  readonly ends: readonly number[]
  readonly ids: readonly string[]
  /** The seq to resume from after each message; undefined: none. */
  readonly points: readonly (number | undefined)[]
  /** The greatest seq of a message, after each message. */
  readonly lastSeqs: readonly number[]
  next: number
}

export class Subscription implements StreamReader {
  readonly request: SubscribeRequest
  stream: Stream
  deliveredTo = 0
  /** Seq of the last message written to the carrier; valid only while it is behind. */
  deliveredSeq = 0
  /** Messages that wait to be acknowledged. */
  readonly unacked = new Unacked()
  readonly partNumbers = new PartNumbers()
  catchUp: CatchUp | undefined
  /** Serves it while it is degraded. */
  degraded: Degraded | undefined
  /** Where catching up will begin, while it waits for that. */
  waitsFor: Start | undefined
  /** Whether a held price may be due. */
  isReleaseDue = false
  readonly owner: SubscriptionOwner
  readonly place: Place
  private readonly unackedMax: number
  private readonly sessionUnackedMax: number
  // Frames of the catch-up that are rendered and not delivered.
  private held: HeldRun | undefined
  // The seq to resume from after the last message of the catch-up that was delivered.
  private point: number | undefined
  // Greatest seq of the messages before it joined the end of its stream, or that of the point that it began with.
  private ownSeq = 0
  private isIn: 'nowhere' | 'direct' | 'published' | 'behind' | 'log' = 'nowhere'

  private readonly mergedBefore: number
  private mergedDegraded = 0

  constructor(
    owner: SubscriptionOwner,
    request: SubscribeRequest,
    stream: Stream,
    place: Place,
    { unackedMax, sessionUnackedMax }: LiveLimits,
  ) {
    this.mergedBefore = stream.flow.conflation?.merged ?? 0
    this.owner = owner
    this.request = request
    this.stream = stream
    this.place = place
    this.unackedMax = unackedMax
    this.sessionUnackedMax = sessionUnackedMax
  }

  get acknowledges(): boolean {
    return this.request.ackMode !== 'auto'
  }

  /** Prices that conflation has merged since the subscription began. */
  get mergedPrices(): number {
    const { conflation } = this.stream.flow
    const conflated = Math.max(0, (conflation?.merged ?? 0) - this.mergedBefore)
    return conflated + this.mergedDegraded + (this.degraded?.merged ?? 0)
  }

  get conflates(): boolean {
    return this.stream.flow.conflation !== undefined
  }

  /** Whether it waits for acknowledgements, and for nothing else. */
  get isPaused(): boolean {
    return this.acknowledges && this.unackedLeft <= 0
  }

  /** How many messages may be delivered before one has to be acknowledged. */
  private get unackedLeft(): number {
    return Math.min(this.unackedMax - this.unacked.count, this.sessionUnackedMax - this.owner.outbox.unackedCount)
  }

  get isCatchingUp(): boolean {
    return this.waitsFor !== undefined || (this.catchUp !== undefined && this.isIn !== 'log')
  }

  /** Whether it gets the latest prices when it is too far behind; otherwise its session ends. */
  get mayDegrade(): boolean {
    return this.request.onSlow === 'conflate'
  }

  /** Whether a replay from the log is under way: not a snapshot, and not the beginning of either. */
  get isReplaying(): boolean {
    return this.isCatchingUp && this.catchUp?.seq !== undefined
  }

  /** Octets that wait for it in its stream. */
  get backlogBytes(): number {
    return this.isIn === 'behind' ? this.stream.end - this.deliveredTo : 0
  }

  /** Seq of the first message that waits for it in its stream. */
  get waitingSeq(): number | undefined {
    // What of a replay is not delivered comes before.
    if (this.backlogBytes === 0 || this.held !== undefined) return undefined
    const run = this.stream.runAt(this.deliveredTo)
    return run?.seqs[frameAfter(run.ends, this.deliveredTo - run.startsAt)]
  }

  /** Greatest seq of the messages that were delivered. */
  get messageSeq(): number {
    // What is at the end of its stream has got all of it.
    const isAtEnd = this.isIn === 'direct' || this.isIn === 'published'
    return Math.max(this.ownSeq, isAtEnd ? this.stream.flow.lastSeq : 0)
  }

  /** Whether it has caught up and follows the log. */
  get isFollowing(): boolean {
    return this.isIn === 'log'
  }

  /** Whether it follows the log and the ring has dropped what comes next, even if it waits for acknowledgements. */
  get isOverrun(): boolean {
    return this.isIn === 'log' && this.catchUp?.isOverrun === true
  }

  /** Whether nothing of it can become late before its owner is woken. */
  get isAtRest(): boolean {
    return this.isIn !== 'nowhere' && this.backlogBytes === 0 && this.held === undefined && !this.isReleaseDue
  }

  /** Octets of its catch-up that are rendered and not delivered. */
  get catchUpBytes(): number {
    return (this.catchUp?.bytes ?? 0) + (this.held?.bytes.length ?? 0)
  }

  /** Whether something could be delivered now. */
  get hasPending(): boolean {
    // Prices that are due count even while the subscription is paused.
    if (this.isReleaseDue && !this.isCatchingUp && this.held === undefined) return true
    if (this.isPaused) return false
    if (this.held !== undefined) return true
    if (this.degraded !== undefined) return !this.degraded.isCurrent
    if (this.isIn === 'log') return this.catchUp?.isAtEnd === false
    return this.isCatchingUp || (this.isIn === 'behind' && this.deliveredTo < this.stream.end)
  }

  /**
   * The seq that a new session can resume from: the end of the log before the first message that waits, or `logSeq` if
   * nothing does. Undefined: in the middle of a snapshot, which can only be restarted.
   */
  resumeSeq(logSeq: number): number | undefined {
    if (this.held !== undefined) return this.point
    if (this.waitsFor !== undefined) return 'afterSeq' in this.waitsFor ? this.waitsFor.afterSeq : undefined
    if (this.degraded !== undefined) return this.degraded.seq
    if (this.catchUp !== undefined) return this.catchUp.seq
    if (this.isIn !== 'behind' || this.deliveredTo === this.stream.end) return logSeq
    // Held prices are older than messages that came before them.
    if (this.conflates) return this.deliveredSeq
    // After the last message there may have been none for hours: its own seq may be too old.
    return this.owner.seqBefore(this.waitingSeq ?? 0, this.deliveredSeq)
  }

  /** Waits until it can catch up; it joins the stream when that is done. */
  waitFor(start: Start): void {
    this.detach()
    this.stream.flow.conflation?.clear()
    this.isReleaseDue = false
    this.waitsFor = start
    if ('afterSeq' in start) this.ownSeq = Math.max(this.ownSeq, start.lastSeq ?? start.afterSeq)
    this.owner.wake(this)
  }

  /** Begins to catch up. */
  begin(catchUp: CatchUp): void {
    this.waitsFor = undefined
    this.catchUp = catchUp
    this.point = catchUp.seq
  }

  /** From now on it is served as a degraded subscription. What waited is discarded: it is in the log. */
  degrade(degraded: Degraded): void {
    this.detach()
    this.stream.flow.conflation?.clear()
    this.isReleaseDue = false
    this.degraded = degraded
    this.point = degraded.seq
  }

  /** Called when a held price is due, or conflation state expires. */
  releaseDue(): void {
    this.isReleaseDue = true
    this.owner.wake(this)
  }

  /** Joins the stream at its end. */
  attach(): void {
    this.stream.joined()
    if (this.acknowledges) this.fallBehind()
    else if (this.owner.carrier.join(this.stream.room)) {
      this.isIn = 'published'
      this.stream.published.add(this)
    } else {
      this.isIn = 'direct'
      this.stream.direct.add(this)
    }
  }

  /** Leaves the stream. What waited is discarded. */
  detach(): void {
    const { stream } = this
    if (this.isIn === 'behind') this.owner.outbox.backlogBytes -= stream.end - this.deliveredTo
    this.leaveStream()
    this.waitsFor = undefined
    this.catchUp = undefined
    this.held = undefined
    this.endDegraded()
  }

  private endDegraded(): void {
    this.mergedDegraded += this.degraded?.merged ?? 0
    this.degraded?.close()
    this.degraded = undefined
  }

  /** From now on runs are kept for it until its carrier can accept them. */
  fallBehind(): void {
    if (this.isIn === 'behind' || this.isIn === 'log' || this.isCatchingUp || this.degraded !== undefined) return
    this.leaveStream()
    this.isIn = 'behind'
    this.deliveredTo = this.stream.end
    this.deliveredSeq = this.stream.endSeq
    // Of what it still holds of its catch-up, each message counts when it is delivered.
    if (this.held === undefined) this.ownSeq = Math.max(this.ownSeq, this.deliveredSeq)
    this.stream.behind.add(this)
  }

  published(bytes: number): void {
    this.owner.published(bytes)
  }

  write(run: Run): void {
    this.owner.post(run, this.stream.isBinary)
  }

  queue(run: Run): void {
    this.owner.outbox.backlogBytes += run.bytes.length
    this.owner.wake(this)
  }

  /**
   * Writes about `bytesMax` octets to the carrier.
   * @returns octets written; 0: nothing more, or nothing yet; undefined: the ring no longer holds what comes next
   */
  deliver(bytesMax: number, nowAt: number, isOver: () => boolean): number | undefined {
    if (!this.isPaused) {
      if (this.held !== undefined) return this.deliverHeld(this.held, bytesMax)
      if (this.degraded !== undefined) return this.deliverDegraded(this.degraded, bytesMax, nowAt, isOver)
      if (this.catchUp !== undefined) return this.deliverCatchUp(this.catchUp, bytesMax, nowAt, isOver)
      if (this.isIn === 'behind' && this.deliveredTo < this.stream.end) return this.deliverRun(bytesMax)
    }
    return this.isReleaseDue && !this.isCatchingUp ? this.owner.release(this, nowAt) : 0
  }

  /** Joins the stream at its end again, if nothing waits. */
  rejoin(): void {
    if (this.isIn !== 'behind' || this.acknowledges || this.deliveredTo < this.stream.end) return
    this.leaveStream()
    this.attach()
  }

  private leaveStream(): void {
    const { stream } = this
    if (this.isIn === 'direct') stream.direct.delete(this)
    else if (this.isIn === 'behind') stream.behind.delete(this)
    else if (this.isIn === 'published') {
      stream.published.delete(this)
      this.owner.carrier.leave(stream.room)
    }
    this.isIn = 'nowhere'
  }

  private deliverCatchUp(catchUp: CatchUp, bytesMax: number, nowAt: number, isOver: () => boolean): number | undefined {
    const progress = catchUp.step(bytesMax, nowAt, isOver)
    if (progress === 'lost') return undefined
    if (progress === 'moved') {
      this.owner.restart(this)
      return 1
    }
    const isFollower = progress === 'done' && this.place === 'log'
    const held = takeRun(catchUp)
    // Before it joins the stream: these messages come first, and are not delivered yet.
    this.held = held
    if (isFollower) {
      this.isIn = 'log'
      this.owner.followed(this)
    } else if (progress === 'done') {
      this.catchUp = undefined
      this.attach()
    }
    if (held === undefined) return progress === 'more' ? 1 : 0
    // If it has joined the stream, all that precedes must be written now.
    const isJoined = progress === 'done' && this.place === 'stream'
    return this.deliverHeld(held, isJoined ? Number.POSITIVE_INFINITY : bytesMax)
  }

  private deliverDegraded(
    degraded: Degraded,
    bytesMax: number,
    nowAt: number,
    isOver: () => boolean,
  ): number | undefined {
    const progress = degraded.step(bytesMax, nowAt, isOver)
    if (progress === 'lost') return undefined
    if (progress === 'moved') {
      this.owner.restart(this)
      return 1
    }
    const held = takeRun(degraded)
    if (held === undefined) return degraded.isCurrent ? 0 : 1
    this.held = held
    const size = this.deliverHeld(held, progress === 'done' ? Number.POSITIVE_INFINITY : bytesMax)
    if (progress === 'done') {
      this.endDegraded()
      this.owner.restored(this)
    }
    return size
  }

  private deliverHeld(held: HeldRun, bytesMax: number): number {
    const { bytes, ends, ids, points, lastSeqs, next } = held
    const most = this.acknowledges ? Math.min(ends.length, next + this.unackedLeft) : ends.length
    // Events that change during a snapshot are written early, and may be many: the socket paces these, too.
    const from = next === 0 ? 0 : ends[next - 1]!
    let end = Math.min(next + 1, most)
    while (end < most && ends[end]! - from <= bytesMax) end++
    this.owner.carrier.writeRun(bytes, ends, next, end, this.stream.isBinary, this.stream.bundleBytes)
    for (let n = next; n < end && this.acknowledges; n++) this.noteUnacked(ids[n]!)
    held.next = end
    this.point = points[end - 1]
    // Not the point: where a held price came late, that is after all messages.
    this.ownSeq = Math.max(this.ownSeq, lastSeqs[end - 1] ?? 0)
    if (end === ends.length) this.held = undefined
    const size = end === next ? 0 : ends[end - 1]! - from
    this.owner.outbox.notePaced(size)
    return size
  }

  private deliverRun(bytesMax: number): number {
    const run = this.stream.runAt(this.deliveredTo)
    if (run === undefined) return 0
    const { ends } = run
    const from = this.deliveredTo - run.startsAt
    const next = from === 0 ? 0 : frameAfter(ends, from)
    const most = this.acknowledges ? Math.min(ends.length, next + this.unackedLeft) : ends.length
    let end = next + 1
    while (end < most && ends[end]! - from <= bytesMax) end++
    this.owner.carrier.writeRun(run.bytes, ends, next, end, this.stream.isBinary, this.stream.bundleBytes)
    for (let n = next; n < end && this.acknowledges; n++) this.noteUnacked(run.ids[n]!)
    const size = ends[end - 1]! - from
    this.deliveredTo += size
    this.deliveredSeq = run.seqs[end - 1]!
    // A held price is older than the messages that have overtaken it.
    for (let n = next; n < end; n++) this.ownSeq = Math.max(this.ownSeq, run.seqs[n]!)
    this.owner.outbox.backlogBytes -= size
    this.owner.outbox.noteWritten(size)
    return size
  }

  private noteUnacked(messageId: string): void {
    this.unacked.add(messageId)
    this.owner.outbox.unackedCount++
  }
}

/** Takes what a replay has written. */
const takeRun = (replay: Replay): HeldRun | undefined => {
  const { run, ids, points, lastSeqs } = replay
  replay.ids = []
  replay.points = []
  replay.lastSeqs = []
  return run.size === 0 ? undefined : { ...run.detach(), ids, points, lastSeqs, next: 0 }
}

/** Index of the frame that begins at an octet where another one ends. */
const frameAfter = (ends: readonly number[], octet: number): number => {
  let low = 0
  let high = ends.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ends[middle]! <= octet) low = middle + 1
    else high = middle
  }
  return low
}
