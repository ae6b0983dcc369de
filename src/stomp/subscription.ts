// A subscription: where it stands in its stream, and what it has still to get.
//
//   catching-up ──▶ behind ⇄ at the end (written to, or published to)
//
// A subscription that acknowledges is always `behind`: its messages are handed out one by one.

import type { Carrier } from './carrier.ts'
import { type CatchUp, PartNumbers } from './catch-up.ts'
import type { Pattern } from './destination.ts'
import type { FlowFilter, Run, Stream, StreamReader } from './flow.ts'
import { Unacked } from './unacked.ts'

export const ACK_MODES = ['auto', 'client', 'client-individual'] as const

export type AckMode = (typeof ACK_MODES)[number]

/** What a SUBSCRIBE asks for. */
export interface SubscribeRequest {
  /** The header `id`; undefined: STOMP 1.0 without one. */
  readonly id: string | undefined
  readonly destination: string
  readonly pattern: Pattern
  readonly filter: FlowFilter
  readonly ackMode: AckMode
  readonly isBinary: boolean
  /** Whether it asked for the state (a snapshot, or to go on from a seq), so that it has to be told when it loses it. */
  readonly keepsState: boolean
}

/** The session of a subscription, as far as it is needed here. */
export interface SubscriptionOwner {
  readonly carrier: Carrier
  /** Octets that wait for subscriptions that are behind. */
  backlogBytes: number
  /** Looks whether the carrier keeps up. */
  checkCarrier(): void
  /** Hears that a subscription has something to hand out. */
  wake(subscription: Subscription): void
  /** Gives a subscription a reset and a snapshot. */
  beginAnew(subscription: Subscription): void
  /** Takes a run to be written when the turn ends. */
  post(run: Run, isBinary: boolean): void
}

interface HeldRun {
  readonly bytes: Buffer
  readonly ends: readonly number[]
  readonly ids: readonly string[]
  /** Where one can go on after each message; undefined: nowhere. */
  readonly points: readonly (number | undefined)[]
  next: number
}

export class Subscription implements StreamReader {
  readonly request: SubscribeRequest
  stream: Stream
  handedTo = 0
  /** Seq of the last message handed to the carrier; true only of those who are behind. */
  handedSeq = 0
  /** Messages that wait to be acknowledged. */
  readonly unacked = new Unacked()
  readonly partNumbers = new PartNumbers()
  catchUp: CatchUp | undefined
  private readonly owner: SubscriptionOwner
  private readonly unackedMax: number
  // Frames of the catch-up that are rendered and not handed out.
  private held: HeldRun | undefined
  // Where one can go on after the last message of the catch-up that was handed out.
  private point: number | undefined
  private isIn: 'nowhere' | 'direct' | 'published' | 'behind' = 'nowhere'

  private readonly mergedBefore: number

  constructor(owner: SubscriptionOwner, request: SubscribeRequest, stream: Stream, unackedMax: number) {
    this.mergedBefore = stream.flow.conflation?.merged ?? 0
    this.owner = owner
    this.request = request
    this.stream = stream
    this.unackedMax = unackedMax
  }

  get acknowledges(): boolean {
    return this.request.ackMode !== 'auto'
  }

  /** Prices that conflation has merged since it began. */
  get mergedPrices(): number {
    return Math.max(0, (this.stream.flow.conflation?.merged ?? 0) - this.mergedBefore)
  }

  get conflates(): boolean {
    return this.stream.flow.conflation !== undefined
  }

  /** Whether it waits for acknowledgements, and for nothing else. */
  get isPaused(): boolean {
    return this.unacked.count >= this.unackedMax
  }

  /** Whether there is something that could be handed out now. */
  get isHungry(): boolean {
    if (this.isPaused) return false
    if (this.held !== undefined) return true
    return this.catchUp !== undefined || (this.isIn === 'behind' && this.handedTo < this.stream.end)
  }

  /**
   * Where a new session can go on: the last message that was handed out, or `logSeq` where nothing waits. Undefined: in
   * the middle of a snapshot, which can only be had again.
   */
  resumeSeq(logSeq: number): number | undefined {
    if (this.held !== undefined) return this.point
    if (this.catchUp !== undefined) return this.catchUp.seq
    return this.isIn === 'behind' && this.handedTo < this.stream.end ? this.handedSeq : logSeq
  }

  /** Begins to catch up; the stream is joined when that is done. */
  begin(catchUp: CatchUp): void {
    this.detach()
    this.catchUp = catchUp
    this.point = catchUp.seq
    this.owner.wake(this)
  }

  /** Takes part in the stream from its end on. */
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

  /** Takes no part any more. What waited is forgotten. */
  detach(): void {
    const { stream } = this
    if (this.isIn === 'behind') this.owner.backlogBytes -= stream.end - this.handedTo
    this.leaveStream()
    this.catchUp = undefined
    this.held = undefined
  }

  /** From now on runs are kept for it until its carrier can take them. */
  fallBehind(): void {
    if (this.isIn === 'behind' || this.catchUp !== undefined) return
    this.leaveStream()
    this.isIn = 'behind'
    this.handedTo = this.stream.end
    this.handedSeq = this.stream.endSeq
    this.stream.behind.add(this)
  }

  checkCarrier(): void {
    this.owner.checkCarrier()
  }

  take(run: Run): void {
    this.owner.post(run, this.stream.isBinary)
  }

  queue(run: Run): void {
    this.owner.backlogBytes += run.bytes.length
    this.owner.wake(this)
  }

  /**
   * Hands about as many octets as asked for to the carrier.
   * @returns octets handed out; 0: there is nothing more, or nothing yet; undefined: the log no longer holds what comes
   */
  handOut(bytesMax: number, nowAt: number): number | undefined {
    if (this.isPaused) return 0
    if (this.held !== undefined) return this.handOutHeld(this.held, bytesMax)
    if (this.catchUp !== undefined) return this.handOutCatchUp(this.catchUp, bytesMax, nowAt)
    return this.isIn === 'behind' ? this.handOutRun(bytesMax) : 0
  }

  /** Joins those at the end again, if nothing waits. */
  rejoin(): void {
    if (this.isIn !== 'behind' || this.acknowledges || this.handedTo < this.stream.end) return
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

  private handOutCatchUp(catchUp: CatchUp, bytesMax: number, nowAt: number): number | undefined {
    const progress = catchUp.step(bytesMax, nowAt)
    if (progress === 'lost') return undefined
    if (progress === 'moved') {
      this.owner.beginAnew(this)
      return 1
    }
    const { ids, points } = catchUp
    catchUp.ids = []
    catchUp.points = []
    const size = catchUp.run.size
    if (progress === 'done') {
      this.catchUp = undefined
      // All that was held back meanwhile has just been replayed.
      this.stream.flow.conflation?.forgetHeld(nowAt)
      this.attach()
    }
    if (size === 0) return progress === 'more' ? 1 : 0
    const { bytes, ends } = catchUp.run.take()
    this.held = { bytes, ends, ids, points, next: 0 }
    // Who takes part in the stream by now must have all that was before it.
    return this.handOutHeld(this.held, progress === 'done' ? Number.POSITIVE_INFINITY : bytesMax)
  }

  private handOutHeld(held: HeldRun, bytesMax: number): number {
    const { bytes, ends, ids, points, next } = held
    const most = this.acknowledges ? Math.min(ends.length, next + this.unackedMax - this.unacked.count) : ends.length
    // What changes while a snapshot is made is shown out of turn, and may be much: the socket sets the pace of that, too.
    const from = next === 0 ? 0 : ends[next - 1]!
    let end = Math.min(next + 1, most)
    while (end < most && ends[end]! - from <= bytesMax) end++
    this.owner.carrier.writeRun(bytes, ends, next, end, this.stream.isBinary)
    for (let n = next; n < end && this.acknowledges; n++) this.unacked.add(ids[n]!)
    held.next = end
    this.point = points[end - 1]
    if (end === ends.length) this.held = undefined
    return end === next ? 0 : ends[end - 1]! - from
  }

  private handOutRun(bytesMax: number): number {
    const run = this.stream.runAt(this.handedTo)
    if (run === undefined) return 0
    const { ends } = run
    const from = this.handedTo - run.startsAt
    const next = from === 0 ? 0 : ends.indexOf(from) + 1
    const most = this.acknowledges ? Math.min(ends.length, next + this.unackedMax - this.unacked.count) : ends.length
    let end = next + 1
    while (end < most && ends[end]! - from <= bytesMax) end++
    this.owner.carrier.writeRun(run.bytes, ends, next, end, this.stream.isBinary)
    for (let n = next; n < end && this.acknowledges; n++) this.unacked.add(run.ids[n]!)
    const size = ends[end - 1]! - from
    this.handedTo += size
    this.handedSeq = run.seqs[end - 1]!
    this.owner.backlogBytes -= size
    return size
  }
}
