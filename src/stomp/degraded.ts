// A subscription that has fallen behind and asked for `on-slow:conflate` (docs/live-protocol.md 6.6). It is served from
// the replay ring, at the pace of its socket: all changes of status first, and of each quote only the latest price.
//
//   ring ──changes other than prices───────────────────▶ run ──▶ socket
//        └─prices──▶ next ──(a round)──▶ current ──▶ run      a later change of the quote replaces or removes its price
//
// Prices are delivered in rounds: those that came before the round began (`current`), then those that have come since
// (`next`). So every quote has its turn, however often others change; and when a round is over, everything up to its
// beginning was delivered, which is the point to resume from. With `conflate-ms` a round begins at most that often.

import { isEventNotice } from '../board/changes.ts'
import { CHANGE } from '../domain/quote.ts'
import type { PartNumbers, Progress, Replay } from './catch-up.ts'
import type { ConflationMemory } from './conflation.ts'
import type { Flow } from './flow.ts'
import { FrameRun, type MessageForm } from './frame-run.ts'
import type { GroupChains } from './group-chains.ts'
import { GroupWalk, VISITS_A_STEP } from './group-walk.ts'
import { headOf, NONE, pick, type Repeated } from './message.ts'
import type { Renderer } from './renderer.ts'
import { Rewind } from './rewind.ts'
import { movesBetween } from './visibility.ts'

/** Memory of a held price: its entry in a map (measured). */
const HELD_BYTES = 64

export interface DegradedOptions {
  readonly renderer: Renderer
  /** As of CatchUp. */
  readonly chains: GroupChains | undefined
  readonly flow: Flow
  readonly form: MessageForm
  /** The destination of the SUBSCRIBE. */
  readonly destination: string
  /** Of the subscription. */
  readonly partNumbers: PartNumbers
  /** Whether it has to know that an event has moved into its leagues, or out of them. */
  readonly keepsState: boolean
  /** Everything up to this seq was delivered. */
  readonly afterSeq: number
  /** Seq of the last message that was delivered. */
  readonly lastSeq: number
  readonly nowAt: number
  /** Held prices count here; at `bytesMax` no more are read from the ring until some are delivered. */
  readonly memory: ConflationMemory
  readonly bytesMax: number
  /** How late a price that `conflate-ms` held may have been delivered, ms. */
  readonly heldLateMsMax: number
  /** Interval of the messages of kind `degraded`, ms. */
  readonly everyMs: number
  /** How long it must have kept up before it is restored, ms. */
  readonly restoreMs: number
}

export class Degraded implements Replay {
  readonly run: FrameRun
  ids: string[] = []
  points: (number | undefined)[] = []
  lastSeqs: number[] = []
  /** Prices that were not delivered because the quote has a later one, or a later status. */
  merged = 0
  /** Nothing is due: neither changes of the ring nor prices. */
  isCurrent = false
  /** What it is served; replaced by one that carries the same. */
  flow: Flow
  private readonly options: DegradedOptions
  private readonly startedAt: number
  // What it has got after its point comes again: see CatchUp.
  private readonly fullUntil: number
  // Held prices by quote, in the order in which they are delivered: the seq of the change in the ring.
  private current = new Map<number, number>()
  private next = new Map<number, number>()
  // Everything up to here was read from the ring.
  private readSeq: number
  // The same when the current round began, and when that was.
  private roundSeq: number
  private roundAt = 0
  // Everything up to here was delivered.
  private point: number
  // The greatest id of a message that is a point to resume from, and the greatest seq of any message.
  private idSeq: number
  private messageSeq: number
  private readonly walk: GroupWalk
  private mustRewind: boolean
  private rewind: Rewind | undefined
  private repeated: Repeated = NONE
  private toldAt = 0
  // When it last did not keep up.
  private behindAt: number

  constructor(options: DegradedOptions) {
    const { renderer, chains, flow, form, afterSeq, lastSeq, nowAt } = options
    this.options = options
    // The flow may be replaced, by one with the same filter.
    this.walk = new GroupWalk(renderer.ring, chains, flow.filter)
    this.flow = flow
    this.startedAt = nowAt
    this.fullUntil = renderer.ring.lastSeq
    this.behindAt = nowAt
    this.readSeq = afterSeq
    this.roundSeq = afterSeq
    this.point = afterSeq
    this.idSeq = lastSeq
    this.messageSeq = lastSeq
    this.run = new FrameRun(renderer.engine.epoch, form)
    // Of prices that `conflate-ms` has held, some may have waited in the stream that it has left.
    this.mustRewind = flow.filter.conflateMs > 0
  }

  /** The carrier cannot accept more: it does not keep up. */
  blocked(nowAt: number): void {
    this.behindAt = nowAt
  }

  /** Releases the memory. */
  close(): void {
    this.countHeld(-this.current.size - this.next.size)
    this.current.clear()
    this.next.clear()
  }

  get seq(): number {
    return this.heldCount === 0 ? this.readSeq : this.point
  }

  get bytes(): number {
    return this.run.size
  }

  private get heldCount(): number {
    return this.current.size + this.next.size
  }

  /** `done`: it has kept up for a while, and the message that says so is written. */
  step(bytesMax: number, nowAt: number, isOver: () => boolean): Progress {
    const { everyMs, restoreMs, form } = this.options
    if (this.toldAt === 0) this.tell('degraded', nowAt)
    const read = this.read(bytesMax, isOver)
    if (read === 'lost' || read === 'moved') return read
    const isDelivered = this.deliverPrices(bytesMax, nowAt, isOver)
    if (isDelivered === undefined) return 'lost'
    this.isCurrent = read === 'done' && isDelivered
    if (!this.isCurrent) this.behindAt = nowAt
    // Messages that are acknowledged may have to wait: the last one must not.
    if (this.isCurrent && nowAt - this.behindAt >= restoreMs && !(form.acknowledges && this.run.size > 0)) {
      this.passOn(nowAt)
      this.tell('restored', nowAt)
      return 'done'
    }
    if (nowAt - this.toldAt >= everyMs) this.tell('degraded', nowAt)
    return 'more'
  }

  /** Writes the changes of the ring that are no prices, and holds the prices. */
  private read(bytesMax: number, isOver: () => boolean): Progress {
    const { flow, walk } = this
    const { renderer, chains, afterSeq, keepsState } = this.options
    const { ring, selection } = renderer
    if (this.mustRewind) {
      if (afterSeq < ring.floorSeq) return 'lost'
      this.mustRewind = false
      // Its bitmaps are as large as the board and the ring: they exist while they are needed.
      this.rewind = new Rewind(renderer, chains, flow, afterSeq, flow.filter.conflateMs + this.options.heldLateMsMax)
    }
    if (this.rewind !== undefined) {
      if (!this.rewind.step(isOver)) return 'more'
      this.repeated = this.rewind
      walk.next = this.rewind.groupFirst
      this.rewind = undefined
    }
    if (walk.next === -1) {
      if (afterSeq < ring.floorSeq) return 'lost'
      walk.next = ring.groupAfter(afterSeq)
    }
    if (walk.isLost) return 'lost'
    if (!walk.seek(isOver)) return 'more'
    for (let visits = VISITS_A_STEP; !walk.isAtEnd; visits--) {
      if (this.run.size >= bytesMax || this.isMemoryFull || visits === 0 || isOver()) return 'more'
      const group = walk.next
      walk.advance()
      const lastSeq = ring.lastSeqOf(group)
      if (this.repeated !== NONE && ring.firstSeqOf(group) > afterSeq) this.repeated = NONE
      const notice = ring.noticeOf(group)
      const isMove = notice !== undefined && isEventNotice(notice) && movesBetween(flow.filter, notice)
      if (isMove && keepsState && lastSeq > afterSeq) return 'moved'
      const isPicked = renderer.pickGroup(flow, group, afterSeq, this.repeated)
      // A private flow gets no messages meanwhile.
      if (isPicked && flow.filter.privateTo > 0) flow.lastSeq = Math.max(flow.lastSeq, selection.lastSeq)
      if (isPicked) this.readGroup(group)
      this.readSeq = Math.max(this.readSeq, lastSeq)
    }
    this.readSeq = Math.max(this.readSeq, ring.lastSeq)
    return 'done'
  }

  /** What it holds itself has to be delivered first. */
  private get isMemoryFull(): boolean {
    const { memory, bytesMax } = this.options
    return memory.conflationBytes >= bytesMax && this.heldCount > 0
  }

  /** Reads the picked changes of a group. */
  private readGroup(group: number): void {
    const { flow } = this
    const { renderer } = this.options
    const { ring, selection } = renderer
    if (ring.noticeOf(group) === undefined) this.hold(group)
    if (selection.count === 0 && ring.noticeOf(group) === undefined) return
    const head = renderer.picked(flow, group, this.fullUntil)
    if (head === undefined) return
    // While a price is held, a client that resumed after this message would miss it.
    const isPoint = this.heldCount === 0 && selection.lastSeq > this.idSeq
    this.write(head, selection.lastSeq, isPoint, 'update')
  }

  /** Holds the prices of a selection, and leaves the rest in it. */
  private hold(group: number): void {
    const { ring, selection } = this.options.renderer
    const { changes, count } = selection
    const first = ring.firstChangeOf(group)
    const firstSeq = ring.firstSeqOf(group)
    const before = this.heldCount
    selection.count = 0
    selection.observedAt = 0
    for (let n = 0; n < count; n++) {
      const at = changes[n]!
      const seq = firstSeq + (at - first)
      const quote = ring.quoteAt(at)
      if (ring.changeAt(at) === CHANGE.repriced) {
        const held = this.current.has(quote) ? this.current : this.next
        if (held.has(quote)) this.merged++
        held.set(quote, seq)
        continue
      }
      if (this.current.delete(quote) || this.next.delete(quote)) this.merged++
      pick(ring, at, seq, selection)
    }
    this.countHeld(this.heldCount - before)
  }

  private countHeld(count: number): void {
    this.options.memory.addConflation(count * HELD_BYTES)
  }

  /** Writes held prices. Returns whether all that are due are written; undefined: the ring no longer holds one. */
  private deliverPrices(bytesMax: number, nowAt: number, isOver: () => boolean): boolean | undefined {
    const { ring } = this.options.renderer
    const { conflateMs } = this.flow.filter
    for (;;) {
      for (const seq of this.current.values()) {
        if (this.run.size >= bytesMax || isOver()) return false
        if (seq <= ring.floorSeq) return undefined
        this.writePrices(seq)
      }
      this.point = this.roundSeq
      const isTooEarly = nowAt < this.roundAt + conflateMs && !this.isMemoryFull
      if (this.next.size === 0 || isTooEarly) return true
      const round = this.next
      this.next = this.current
      this.current = round
      this.roundSeq = this.readSeq
      this.roundAt = nowAt
    }
  }

  /** Writes a held price, and with it the others that are in the same group of the ring. */
  private writePrices(heldSeq: number): void {
    const { renderer } = this.options
    const { ring, selection } = renderer
    const group = ring.groupAfter(heldSeq - 1)
    const first = ring.firstChangeOf(group)
    const end = ring.endOf(group)
    const firstSeq = ring.firstSeqOf(group)
    selection.count = 0
    selection.observedAt = 0
    for (let at = first; at < end; at++) {
      const quote = ring.quoteAt(at)
      const seq = firstSeq + (at - first)
      if (this.current.get(quote) !== seq) continue
      this.current.delete(quote)
      pick(ring, at, seq, selection)
    }
    this.countHeld(-selection.count)
    const head = renderer.picked(this.flow, group, this.fullUntil)!
    this.write(head, selection.lastSeq, false, 'update')
  }

  /** Prices whose time has not come are left to the conflation of the stream. */
  private passOn(nowAt: number): void {
    const { flow } = this
    const { ring } = this.options.renderer
    for (const [quote, seq] of this.next) {
      const group = ring.groupAfter(seq - 1)
      const at = ring.firstChangeOf(group) + (seq - ring.firstSeqOf(group))
      flow.conflation?.hold(quote, seq, ring.recordedAtOf(group), ring.observedAtAt(at), this.roundAt, nowAt)
    }
  }

  /** Writes a message about its state: everything up to its seq was delivered. */
  private tell(kind: 'degraded' | 'restored', nowAt: number): void {
    const { renderer, destination } = this.options
    const { ring, bodies } = renderer
    this.toldAt = nowAt
    const seq = kind === 'restored' ? this.readSeq : this.seq
    const group = ring.groupAfter(seq)
    const behindMs = group < ring.groupsEnd ? Math.max(0, nowAt - ring.recordedAtOf(group)) : 0
    const common = { mergedPrices: this.merged, sinceMs: nowAt - this.startedAt }
    bodies.object(seq, kind === 'restored' ? common : { behindMs, heldPrices: this.heldCount, ...common })
    this.write(headOf(destination), seq, seq > this.idSeq, kind)
  }

  /** @param isPoint whether a client can resume after this message */
  private write(head: Uint8Array, seq: number, isPoint: boolean, kind: 'update' | 'degraded' | 'restored'): void {
    const { renderer, partNumbers } = this.options
    const { engine, bodies } = renderer
    const part = isPoint ? -1 : partNumbers.take()
    if (isPoint) this.idSeq = seq
    const prev = kind === 'update' ? this.messageSeq : -1
    this.run.add(head, seq, part, prev, kind, bodies.writer.view())
    this.messageSeq = Math.max(this.messageSeq, seq)
    this.points.push(isPoint ? seq : this.point)
    this.lastSeqs.push(this.messageSeq)
    if (this.run.form.acknowledges) this.ids.push(`${engine.epoch}-${seq}${isPoint ? '' : `.${part}`}`)
  }
}
