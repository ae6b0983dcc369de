// Catching up: what a subscription gets before it joins its stream. A snapshot of one moment, or a replay from a point
// of the log, or a reset and a snapshot; then all that has happened in the meantime.
//
//   snapshot of seq S ──▶ snapshot-end ──▶ replay from S ──▶ at the end of the log: the stream
//
// It is written as fast as the client reads it, while the board changes. The snapshot shows the board at S all the
// same: before an event changes, it is written in its old state (copy on write, an event at a time).

import { isEventNotice } from '../board/changes.ts'
import type { EventView } from '../domain/event.ts'
import type { EventIds } from './event-ids.ts'
import type { Flow } from './flow.ts'
import { FrameRun, type MessageForm } from './frame-run.ts'
import type { GroupChains } from './group-chains.ts'
import { GroupWalk, VISITS_A_STEP } from './group-walk.ts'
import { headOf, type Kind, NONE, type Repeated } from './message.ts'
import type { Renderer } from './renderer.ts'
import { Rewind } from './rewind.ts'
import { movesBetween } from './visibility.ts'

/** Why a desk cannot resume from its point. `audience`: what it may see has changed. `incomplete`: it has half a snapshot. */
export const RESET_REASONS = ['epoch', 'ahead', 'too_old', 'window', 'audience', 'incomplete'] as const

export type ResetReason = (typeof RESET_REASONS)[number]

/**
 * Where catching up begins: after a seq of the log, or with a snapshot (and the reset that explains it). `lastSeq`: seq
 * of the last message that the client has got, if it differs.
 */
export type Start =
  | { readonly afterSeq: number; readonly lastSeq?: number }
  | { readonly reset: ResetReason | undefined }

/** Numbers the messages of a subscription that are no resume points: a reset from 0, others from 1. */
export class PartNumbers {
  private next = 0

  take(kind?: 'reset'): number {
    if (this.next === 0 && kind !== 'reset') this.next = 1
    return this.next++
  }
}

/** What a subscription is served while it is not in its stream. */
export interface Replay {
  readonly run: FrameRun
  /** Ids of the messages in the run, if they have to be acknowledged. */
  ids: string[]
  /** The seq to resume from after each message in the run; undefined: there is none. */
  points: (number | undefined)[]
  /** The greatest seq of a message, after each message in the run. */
  lastSeqs: number[]
  /** All up to this seq is written; undefined: it can only be restarted. */
  readonly seq: number | undefined
  /** Octets that are rendered and not delivered. */
  readonly bytes: number
  /** Writes about `bytesMax` octets into the run, or fewer when `isOver()` says that the time is up. */
  step(bytesMax: number, nowAt: number, isOver: () => boolean): Progress
}

export interface CatchUpOptions {
  readonly renderer: Renderer
  /** Undefined: it does not matter where the requested id led before. */
  readonly eventIds: EventIds | undefined
  /** Undefined: each group of the ring is visited. */
  readonly chains: GroupChains | undefined
  readonly flow: Flow
  readonly form: MessageForm
  /** The destination of the SUBSCRIBE. */
  readonly destination: string
  readonly start: Start
  /** Of the subscription. */
  readonly partNumbers: PartNumbers
  /** How late a price that conflation held may be delivered, ms. */
  readonly heldLateMsMax: number
}

/**
 * `more`: call again. `done`: all of the log is written. `lost`: the ring no longer holds what comes next. `moved`: a
 * source has moved an event in or out of the requested leagues, or the requested id leads to another event, so that a
 * snapshot is needed.
 */
export type Progress = 'more' | 'done' | 'lost' | 'moved'

/** An event of which only some books are written. */
interface HalfShown {
  readonly view: EventView
  readonly bookmakers: readonly number[]
  next: number
}

const never = (): boolean => false

export class CatchUp implements Replay {
  readonly run: FrameRun
  ids: string[] = []
  points: (number | undefined)[] = []
  lastSeqs: number[] = []
  private readonly renderer: Renderer
  private readonly eventIds: EventIds | undefined
  /** Version of the event ids at the moment of the client's state, or of its snapshot. */
  private readonly idsVersion: number
  private readonly flow: Flow
  private readonly destination: string
  private writtenSeq: number | undefined
  // Seq of the last message, for `prev`.
  private messageSeq = 0
  // The snapshot: its seq, the next event number, and the events that were written out of order.
  private readonly snapshotSeq: number
  private numberNext = 1
  private readonly numberEnd: number
  private readonly shown = new Set<EventView>()
  // Unchanged since the snapshot's moment: before it changes, the rest of it is written.
  private half: HalfShown | undefined
  private parts = 0
  private readonly partNumbers: PartNumbers
  // The replay.
  private readonly walk: GroupWalk
  private rewind: Rewind | undefined
  private repeated: Repeated = NONE
  private isAbandoned = false
  // A client that resumes may have got later changes already, out of order, so that a number in what is replayed up to here
  // may be that of a later quote to it; a snapshot that rolls shows such quotes.
  private fullUntil = -1
  /** See {@link roll}. */
  isRolling = false

  constructor(options: CatchUpOptions) {
    const { renderer, eventIds, chains, flow, form, destination, start, partNumbers, heldLateMsMax } = options
    const { ring, engine, bodies } = renderer
    this.renderer = renderer
    this.eventIds = eventIds
    const { eventId } = flow.filter
    const isOfFormer =
      'afterSeq' in start && eventId !== null && eventIds?.hasMovedSince(eventId, start.afterSeq) === true
    this.idsVersion = isOfFormer ? -1 : (eventIds?.version ?? 0)
    this.flow = flow
    this.destination = destination
    this.partNumbers = partNumbers
    this.run = new FrameRun(engine.epoch, form)
    this.walk = new GroupWalk(ring, chains, flow.filter)
    this.snapshotSeq = ring.lastSeq
    this.numberEnd = engine.reader.eventNumbersEnd
    if ('afterSeq' in start) {
      this.writtenSeq = start.afterSeq
      this.fullUntil = ring.lastSeq
      this.messageSeq = start.lastSeq ?? start.afterSeq
      const { conflateMs } = flow.filter
      if (conflateMs > 0) this.rewind = new Rewind(renderer, chains, flow, start.afterSeq, conflateMs + heldLateMsMax)
    } else if (start.reset !== undefined) {
      bodies.plain({ reason: start.reset })
      // It precedes all parts of the snapshot, and is no resume point either.
      this.addPart(headOf(destination), 'reset')
    }
  }

  get seq(): number | undefined {
    return this.writtenSeq
  }

  get bytes(): number {
    return this.run.size
  }

  /** Whether the ring no longer holds what comes next. */
  get isOverrun(): boolean {
    return this.walk.isLost
  }

  /** Whether all of the log is written. */
  get isAtEnd(): boolean {
    return this.walk.isAtEnd
  }

  /** Releases the memory. Nothing more is written: the session is about to end. */
  abandon(): void {
    this.isAbandoned = true
    this.run.end(false)
    this.shown.clear()
    this.half = undefined
  }

  /**
   * From now on events that change are not written before: the rest of the snapshot shows them as they are when it
   * reaches them. The replay after it leads to the right state all the same.
   */
  roll(): void {
    this.isRolling = true
  }

  /** Called before an event changes: writes it in its old state, if the snapshot has not reached it yet. */
  beforeChange(view: EventView, nowAt: number): void {
    if (this.writtenSeq !== undefined || this.isAbandoned) return
    if (this.half?.view === view) {
      this.showBooks(this.half, nowAt, never)
      return
    }
    if (this.isRolling || view.number < this.numberNext || this.shown.has(view)) return
    // An event that is newer than the snapshot has no quotes yet. It is marked, so that it is not written later.
    this.show(view, nowAt, never)
    this.shown.add(view)
  }

  step(bytesMax: number, nowAt: number, isOver: () => boolean): Progress {
    if (this.isAbandoned) return 'more'
    if (this.writtenSeq === undefined) {
      this.stepSnapshot(bytesMax, nowAt, isOver)
      return 'more'
    }
    if (this.rewind !== undefined) {
      if (!this.rewind.step(isOver)) return 'more'
      this.repeated = this.rewind
      this.walk.next = this.rewind.groupFirst
      this.rewind = undefined
    }
    return this.stepReplay(this.writtenSeq, bytesMax, nowAt, isOver)
  }

  private stepSnapshot(bytesMax: number, nowAt: number, isOver: () => boolean): void {
    const { reader } = this.renderer.engine
    const { topic, eventId } = this.flow.filter
    const isFull = (): boolean => this.run.size >= bytesMax || isOver()
    if (this.half !== undefined && !this.showBooks(this.half, nowAt, isFull)) return
    if (topic === 'feeds') {
      for (let bookmaker = 1; bookmaker < reader.healthsEnd; bookmaker++) {
        this.addSnapshot(this.renderer.feed(this.flow, bookmaker, this.snapshotSeq, nowAt))
      }
    } else if (eventId !== null) {
      const view = reader.eventOf(eventId)
      if (view !== undefined && !this.shown.has(view)) {
        this.shown.add(view)
        if (!this.show(view, nowAt, isFull)) return
      }
    } else {
      const stepEnd = Math.min(this.numberEnd, this.numberNext + VISITS_A_STEP)
      while (this.numberNext < stepEnd && this.run.size < bytesMax) {
        const view = reader.eventAt(this.numberNext++)
        if (view === undefined || this.shown.has(view)) continue
        if (!this.show(view, nowAt, isFull)) return
        if (isOver()) break
      }
      if (this.numberNext < this.numberEnd) return
    }
    this.shown.clear()
    this.renderer.bodies.object(this.snapshotSeq, { messages: this.parts })
    this.add(headOf(this.destination), this.snapshotSeq, -1, -1, 'snapshot-end')
    this.writtenSeq = this.snapshotSeq
    this.messageSeq = this.snapshotSeq
    if (this.isRolling) this.fullUntil = this.renderer.ring.lastSeq
  }

  /** Writes an event, or its first books until `isFull()`: at least one. Returns whether it is complete. */
  private show(view: EventView, nowAt: number, isFull: () => boolean): boolean {
    const { renderer, flow, snapshotSeq } = this
    if (flow.filter.topic === 'events') {
      this.addSnapshot(renderer.event(flow, view, snapshotSeq, nowAt))
      return true
    }
    const bookmakers = renderer.booksOf(flow, view)
    if (bookmakers.length === 0) return true
    return this.showBooks({ view, bookmakers, next: 0 }, nowAt, isFull)
  }

  /** Writes the next books of an event, as {@link show}. */
  private showBooks(half: HalfShown, nowAt: number, isFull: () => boolean): boolean {
    const { renderer, flow, snapshotSeq } = this
    const { view, bookmakers } = half
    do this.addSnapshot(renderer.book(flow, view, bookmakers[half.next++]!, snapshotSeq, nowAt))
    while (half.next < bookmakers.length && !isFull())
    if (half.next < bookmakers.length) {
      this.half = half
      return false
    }
    // While this one is written out of order, another one may be half written.
    if (this.half === half) this.half = undefined
    return true
  }

  private addSnapshot(head: Uint8Array | undefined): void {
    if (head === undefined) return
    this.parts++
    this.addPart(head, 'snapshot')
  }

  private addPart(head: Uint8Array, kind: 'reset' | 'snapshot'): void {
    this.add(head, this.snapshotSeq, this.partNumbers.take(kind === 'reset' ? kind : undefined), -1, kind)
  }

  private stepReplay(afterSeq: number, bytesMax: number, nowAt: number, isOver: () => boolean): Progress {
    const { walk } = this
    const { ring, selection } = this.renderer
    const { conflation } = this.flow
    if (walk.next === -1) {
      if (afterSeq < ring.floorSeq) return 'lost'
      walk.next = ring.groupAfter(afterSeq)
    }
    if (walk.isLost) return 'lost'
    if (!walk.seek(isOver)) return 'more'
    const { eventId } = this.flow.filter
    const move = eventId === null ? undefined : this.eventIds?.moveAfter(eventId, this.idsVersion)
    let written = afterSeq
    for (let visits = VISITS_A_STEP; !walk.isAtEnd; visits--) {
      const group = walk.next
      if (move !== undefined && ring.firstSeqOf(group) > move.seq) break
      if (this.run.size >= bytesMax || visits === 0 || isOver()) {
        this.writtenSeq = written
        return 'more'
      }
      const notice = ring.noticeOf(group)
      const isMissed = ring.lastSeqOf(group) > afterSeq
      const isEvent = notice !== undefined && isEventNotice(notice)
      // Only a subscription that keeps state has to know that it is no longer valid.
      if (isEvent && this.eventIds !== undefined && isMissed && movesBetween(this.flow.filter, notice)) return 'moved'
      walk.advance()
      // Before the move, only the changes of the event that has this id itself are sent: its end, or its beginning.
      if (move !== undefined && this.idOf(group) !== eventId) continue
      if (!this.renderer.pickGroup(this.flow, group, written, this.repeated)) continue
      const head = this.renderer.picked(this.flow, group, this.fullUntil)
      if (head === undefined) continue
      // A private flow gets no messages while its subscription catches up.
      if (this.flow.filter.privateTo > 0) this.flow.lastSeq = Math.max(this.flow.lastSeq, selection.lastSeq)
      if (conflation !== undefined) {
        for (let n = 0; n < selection.count; n++) conflation.show(ring.quoteAt(selection.changes[n]!), nowAt)
      }
      this.add(head, selection.lastSeq, -1, this.messageSeq, 'update')
      written = Math.max(written, selection.lastSeq)
      this.messageSeq = Math.max(this.messageSeq, selection.lastSeq)
    }
    if (move !== undefined) {
      this.writtenSeq = written
      return this.run.size > 0 ? 'more' : 'moved'
    }
    this.writtenSeq = Math.max(written, ring.lastSeq)
    this.flow.caughtUp(this.messageSeq)
    return 'done'
  }

  /** Id of the event of a group. */
  private idOf(group: number): string | undefined {
    const notice = this.renderer.ring.noticeOf(group)
    if (notice === undefined) return this.renderer.ring.eventOf(group).id
    return isEventNotice(notice) ? notice.event.id : undefined
  }

  private add(head: Uint8Array, seq: number, part: number, prev: number, kind: Kind): void {
    const { engine, bodies } = this.renderer
    this.run.add(head, seq, part, prev, kind, bodies.writer.view())
    // A repeated price is older than what the client has.
    this.points.push(part < 0 ? Math.max(seq, this.writtenSeq ?? seq) : undefined)
    this.lastSeqs.push(part < 0 ? Math.max(seq, this.messageSeq) : this.messageSeq)
    if (!this.run.form.acknowledges) return
    this.ids.push(`${engine.epoch}-${seq}${part < 0 ? '' : `.${part}`}`)
  }
}
