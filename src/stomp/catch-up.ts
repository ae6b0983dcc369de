// Catching up: what a subscription gets before it takes part in its stream. A snapshot of one moment, or what it has
// missed since a point of the log, or a reset and a snapshot; then all that has happened in the meantime.
//
//   snapshot of seq S ──▶ snapshot-end ──▶ replay from S ──▶ at the end of the log: the stream
//
// It is written as fast as the client takes it, while the board goes on. What the snapshot shows is the board at S all
// the same: before an event changes, it is shown as it still is (copy on write, an event at a time).

import { isEventNotice } from '../board/changes.ts'
import type { EventView } from '../domain/event.ts'
import { CHANGE } from '../domain/quote.ts'
import type { EventIds } from './event-ids.ts'
import type { Flow } from './flow.ts'
import { FrameRun, headOf, type Kind, type MessageForm, NONE, type Repeated } from './message.ts'
import type { Renderer } from './renderer.ts'
import { movesBetween, seesBookmaker } from './visibility.ts'

/** Why a desk cannot go on from where it was. `audience`: what it may see has changed. */
export const RESET_REASONS = ['epoch', 'ahead', 'too_old', 'window', 'audience'] as const

export type ResetReason = (typeof RESET_REASONS)[number]

/**
 * Where catching up begins: after a seq of the log, or with a snapshot (and the reset that explains it). `lastSeq`: seq of
 * the last message that the client has got, where that is another.
 */
export type Start =
  | { readonly afterSeq: number; readonly lastSeq?: number }
  | { readonly reset: ResetReason | undefined }

/**
 * Numbers the messages of a subscription's snapshots that are no resume points: a reset 0, parts from 1. A second snapshot
 * of the same moment goes on counting: no two messages of a subscription have one id, or clients would take them for one.
 */
export class PartNumbers {
  private seq = -1
  private next = 0

  of(seq: number, kind: 'reset' | 'snapshot'): number {
    if (seq !== this.seq) {
      this.seq = seq
      this.next = kind === 'reset' ? 0 : 1
    }
    return this.next++
  }
}

export interface CatchUpOptions {
  readonly renderer: Renderer
  /** Undefined: it does not matter where the id asked for led before. */
  readonly eventIds: EventIds | undefined
  readonly flow: Flow
  readonly form: MessageForm
  /** The destination of the SUBSCRIBE. */
  readonly destination: string
  readonly start: Start
  /** Of the subscription. */
  readonly partNumbers: PartNumbers
  /** How late a price that conflation held may be delivered at the most, ms. */
  readonly heldLateMsMax: number
}

/** Events or groups looked at in one step; most of them may be of no interest. */
const VISITS_A_STEP = 2_000

/**
 * `more`: call again. `done`: all of the log is written. `lost`: the log no longer holds what comes next. `moved`: a source
 * has moved an event in or out of the leagues asked for, or the id asked for leads to another event, so that only a snapshot
 * can say what is there.
 */
export type Progress = 'more' | 'done' | 'lost' | 'moved'

/**
 * What a subscriber that conflates has to get again: when it got its last message, prices from before it may have been
 * held. Those of the time before it, where they are still the last that happened to their quotes.
 */
class Rewind implements Repeated {
  /** The group with which the replay begins, once {@link step} has said that it is found. */
  groupFirst: number
  private readonly renderer: Renderer
  private readonly flow: Flow
  private readonly seq: number
  private readonly fromAt: number
  private group: number
  // Bits: of quotes that were met, and of places in the ring whose price is repeated.
  private readonly met: Uint8Array
  private readonly repeated: Uint8Array

  constructor(renderer: Renderer, flow: Flow, seq: number, ms: number) {
    const { ring, engine } = renderer
    this.renderer = renderer
    this.flow = flow
    this.seq = seq
    this.groupFirst = ring.groupAfter(seq)
    // The group that holds the seq may go on after it.
    this.group = Math.min(this.groupFirst, ring.groupsEnd - 1)
    // Counted from the ends of turns: that is when a price is held, however long before it was recorded.
    this.fromAt =
      this.groupFirst === ring.groupsStart ? Number.POSITIVE_INFINITY : ring.turnAtOf(this.groupFirst - 1) - ms
    this.met = new Uint8Array((engine.board.quotesMax >>> 3) + 1)
    this.repeated = new Uint8Array((ring.capacity >>> 3) + 1)
  }

  has(change: number): boolean {
    const place = change & (this.renderer.ring.capacity - 1)
    return (this.repeated[place >>> 3]! & (1 << (place & 7))) !== 0
  }

  /** Goes back some groups. Whether all are found. */
  step(isOver: () => boolean): boolean {
    const { ring } = this.renderer
    for (
      let visits = VISITS_A_STEP;
      this.group >= ring.groupsStart && ring.turnAtOf(this.group) >= this.fromAt;
      visits--
    ) {
      if (visits === 0 || isOver()) return false
      this.visit(this.group--)
    }
    return true
  }

  private visit(group: number): void {
    const { ring } = this.renderer
    if (ring.noticeOf(group) !== undefined) return
    if (!seesBookmaker(this.flow, ring.viewOf(group).sportNumber, ring.bookmakerOf(group))) return
    const first = ring.firstChangeOf(group)
    const end = Math.min(ring.endOf(group), first + this.seq - ring.firstSeqOf(group) + 1)
    for (let at = end - 1; at >= first; at--) {
      const quote = ring.quoteAt(at)
      const bit = 1 << (quote & 7)
      if ((this.met[quote >>> 3]! & bit) !== 0) continue
      this.met[quote >>> 3]! |= bit
      if (ring.changeAt(at) !== CHANGE.repriced) continue
      const place = at & (ring.capacity - 1)
      this.repeated[place >>> 3]! |= 1 << (place & 7)
      this.groupFirst = Math.min(this.groupFirst, group)
    }
  }
}

/** An event of which some books are shown, and others not yet. */
interface HalfShown {
  readonly view: EventView
  readonly bookmakers: readonly number[]
  next: number
}

const never = (): boolean => false

export class CatchUp {
  readonly run: FrameRun
  /** Ids of the messages in the run, where somebody has to acknowledge them. */
  ids: string[] = []
  /** Where one can go on after each message in the run; undefined: the snapshot is not whole. */
  points: (number | undefined)[] = []
  private readonly renderer: Renderer
  private readonly eventIds: EventIds | undefined
  /** Of the event ids, when what the client has, or is given first, was true. */
  private readonly idsVersion: number
  private readonly flow: Flow
  private readonly destination: string
  private writtenSeq: number | undefined
  // Seq of the last message, for `prev`.
  private messageSeq = 0
  // The snapshot: its seq, the event number it has come to, and the events shown out of turn.
  private readonly snapshotSeq: number
  private numberNext = 1
  private readonly numberEnd: number
  private readonly shown = new Set<EventView>()
  // As it was at the snapshot's moment: whatever is about to change it has the rest of it shown before.
  private half: HalfShown | undefined
  private parts = 0
  private readonly partNumbers: PartNumbers
  // The replay.
  private groupNext = -1
  private rewind: Rewind | undefined
  private repeated: Repeated = NONE
  private isAbandoned = false

  constructor(options: CatchUpOptions) {
    const { renderer, eventIds, flow, form, destination, start, partNumbers, heldLateMsMax } = options
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
    this.snapshotSeq = ring.lastSeq
    this.numberEnd = engine.reader.eventNumbersEnd
    if ('afterSeq' in start) {
      this.writtenSeq = start.afterSeq
      this.messageSeq = start.lastSeq ?? start.afterSeq
      const { conflateMs } = flow.filter
      if (conflateMs > 0) this.rewind = new Rewind(renderer, flow, start.afterSeq, conflateMs + heldLateMsMax)
    } else if (start.reset !== undefined) {
      bodies.plain({ reason: start.reset })
      // Before all parts of the snapshot, and no resume point either.
      this.addPart(headOf(destination), 'reset')
    }
  }

  /** All up to this seq is written; undefined while the snapshot is not whole: it can only be had again. */
  get seq(): number | undefined {
    return this.writtenSeq
  }

  /** Octets that are rendered and not handed out. */
  get bytes(): number {
    return this.run.size
  }

  /** Whether the log no longer holds what comes next. */
  get isPassed(): boolean {
    return this.groupNext < this.renderer.ring.groupsStart
  }

  /** Whether all of the log is written. */
  get isAtEnd(): boolean {
    return this.groupNext === this.renderer.ring.groupsEnd
  }

  /** Gives the memory back. Nothing more is written: the session is about to end. */
  abandon(): void {
    this.isAbandoned = true
    this.run.take()
    this.shown.clear()
    this.half = undefined
  }

  /** Before an event changes: shows it as it is, if the snapshot has not come to it yet. */
  beforeChange(view: EventView, nowAt: number): void {
    if (this.writtenSeq !== undefined || this.isAbandoned) return
    if (this.half?.view === view) {
      this.showBooks(this.half, nowAt, never)
      return
    }
    if (view.number < this.numberNext || this.shown.has(view)) return
    // An event that came after the snapshot's moment has nothing to show yet; it must not be shown later, either.
    this.show(view, nowAt, never)
    this.shown.add(view)
  }

  /** Writes about as many octets as asked for into the run, or fewer when `isOver()` says that the time is up. */
  step(bytesMax: number, nowAt: number, isOver: () => boolean): Progress {
    if (this.isAbandoned) return 'more'
    if (this.writtenSeq === undefined) {
      this.stepSnapshot(bytesMax, nowAt, isOver)
      return 'more'
    }
    if (this.rewind !== undefined) {
      if (!this.rewind.step(isOver)) return 'more'
      this.repeated = this.rewind
      this.groupNext = this.rewind.groupFirst
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
      for (let bookmaker = 1; bookmaker < reader.feeds.size; bookmaker++) {
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
  }

  /** Shows an event, or its first books until `isFull()`: at least one. Returns whether that is all of it. */
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

  /** The next books of an event, as {@link show}. */
  private showBooks(half: HalfShown, nowAt: number, isFull: () => boolean): boolean {
    const { renderer, flow, snapshotSeq } = this
    const { view, bookmakers } = half
    do this.addSnapshot(renderer.book(flow, view, bookmakers[half.next++]!, snapshotSeq, nowAt))
    while (half.next < bookmakers.length && !isFull())
    if (half.next < bookmakers.length) {
      this.half = half
      return false
    }
    // Another one may be half shown while this one is shown out of turn.
    if (this.half === half) this.half = undefined
    return true
  }

  private addSnapshot(head: Uint8Array | undefined): void {
    if (head === undefined) return
    this.parts++
    this.addPart(head, 'snapshot')
  }

  private addPart(head: Uint8Array, kind: 'reset' | 'snapshot'): void {
    this.add(head, this.snapshotSeq, this.partNumbers.of(this.snapshotSeq, kind), -1, kind)
  }

  private stepReplay(afterSeq: number, bytesMax: number, nowAt: number, isOver: () => boolean): Progress {
    const { ring, selection } = this.renderer
    const { conflation } = this.flow
    if (this.groupNext === -1) {
      if (afterSeq < ring.floorSeq) return 'lost'
      this.groupNext = ring.groupAfter(afterSeq)
    }
    if (this.groupNext < ring.groupsStart) return 'lost'
    const { eventId } = this.flow.filter
    const move = eventId === null ? undefined : this.eventIds?.moveAfter(eventId, this.idsVersion)
    let written = afterSeq
    for (let visits = VISITS_A_STEP; this.groupNext < ring.groupsEnd; visits--) {
      if (move !== undefined && ring.firstSeqOf(this.groupNext) > move.seq) break
      if (this.run.size >= bytesMax || visits === 0 || isOver()) {
        this.writtenSeq = written
        return 'more'
      }
      const notice = ring.noticeOf(this.groupNext)
      const isMissed = ring.lastSeqOf(this.groupNext) > afterSeq
      const isEvent = notice !== undefined && isEventNotice(notice)
      // Only who has the state has to be told that it has lost it.
      if (isEvent && this.eventIds !== undefined && isMissed && movesBetween(this.flow.filter, notice)) return 'moved'
      if (move !== undefined && this.idOf(this.groupNext) !== eventId) {
        // Until the id leads where it does now, what happens to its own event is told: how that ends, or begins.
        this.groupNext++
        continue
      }
      const head = this.renderer.group(this.flow, this.groupNext++, written, this.repeated)
      if (head === undefined) continue
      // A flow that is this subscription's own stands still while it catches up.
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

  /** Id of the event of a group of the ring. */
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
    if (!this.run.form.acknowledges) return
    this.ids.push(`${engine.epoch}-${seq}${part < 0 ? '' : `.${part}`}`)
  }
}
