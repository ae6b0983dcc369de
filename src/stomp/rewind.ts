// Rewinding: prices of the time before a point of the log that conflation may have held when the point was delivered.

import { CHANGE } from '../domain/quote.ts'
import type { Flow } from './flow.ts'
import type { Repeated } from './message.ts'
import type { Renderer } from './renderer.ts'
import { seesBookmaker } from './visibility.ts'

/** Events or groups examined in one step; most of them may not match. */
export const VISITS_A_STEP = 2_000

/**
 * What a subscriber that conflates has to get again: when it got its last message, earlier prices may have been held.
 * Finds the prices of that time that are still the last change of their quotes up to that message.
 */
export class Rewind implements Repeated {
  /** The group with which the replay begins, once {@link step} has returned true. */
  groupFirst: number
  private readonly renderer: Renderer
  private readonly flow: Flow
  private readonly seq: number
  private readonly fromAt: number
  private group: number
  // Bits of the quotes that were seen, and of the ring positions whose price is repeated.
  private readonly seen: Uint8Array
  private readonly repeated: Uint8Array

  constructor(renderer: Renderer, flow: Flow, seq: number, ms: number) {
    const { ring, engine } = renderer
    this.renderer = renderer
    this.flow = flow
    this.seq = seq
    this.groupFirst = ring.groupAfter(seq)
    // The group that holds the seq may extend beyond it.
    this.group = Math.min(this.groupFirst, ring.groupsEnd - 1)
    this.fromAt =
      this.groupFirst === ring.groupsStart ? Number.POSITIVE_INFINITY : ring.recordedAtOf(this.groupFirst - 1) - ms
    this.seen = new Uint8Array((engine.board.quotesMax >>> 3) + 1)
    this.repeated = new Uint8Array((ring.capacity >>> 3) + 1)
  }

  has(change: number): boolean {
    const place = change & (this.renderer.ring.capacity - 1)
    return (this.repeated[place >>> 3]! & (1 << (place & 7))) !== 0
  }

  /** Goes back some groups. Returns whether all are found. */
  step(isOver: () => boolean): boolean {
    const { ring } = this.renderer
    for (
      let visits = VISITS_A_STEP;
      this.group >= ring.groupsStart && ring.recordedAtOf(this.group) >= this.fromAt;
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
      if ((this.seen[quote >>> 3]! & bit) !== 0) continue
      this.seen[quote >>> 3]! |= bit
      if (ring.changeAt(at) !== CHANGE.repriced) continue
      const place = at & (ring.capacity - 1)
      this.repeated[place >>> 3]! |= 1 << (place & 7)
      this.groupFirst = Math.min(this.groupFirst, group)
    }
  }
}
