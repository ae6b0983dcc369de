// Rewinding: prices of the time before a point of the log that conflation may have held when the point was delivered.

import { CHANGE } from '../domain/quote.ts'
import type { Flow } from './flow.ts'
import type { GroupChains } from './group-chains.ts'
import { chainOf, VISITS_A_STEP } from './group-walk.ts'
import type { Repeated } from './message.ts'
import type { Renderer } from './renderer.ts'
import { seesBookmaker } from './visibility.ts'

/**
 * What a subscriber that conflates has to get again: when it got its last message, earlier prices may have been held.
 * Finds the prices of that time that are still the last change of their quotes up to that message.
 */
export class Rewind implements Repeated {
  /** The group with which the replay begins, once {@link step} has returned true. */
  groupFirst: number
  private readonly renderer: Renderer
  private readonly chains: GroupChains | undefined
  private readonly flow: Flow
  private readonly seq: number
  private readonly fromAt: number
  /** The last group that may hold anything up to the seq. */
  private readonly groupLast: number
  private group: number
  // The quotes that were seen, and the ring positions whose price is repeated.
  private readonly seen = new Bits()
  private readonly repeated = new Bits()

  /** @param chains undefined: each group of the time is visited */
  constructor(renderer: Renderer, chains: GroupChains | undefined, flow: Flow, seq: number, ms: number) {
    const { ring } = renderer
    this.renderer = renderer
    this.flow = flow
    this.seq = seq
    this.groupFirst = ring.groupAfter(seq)
    // The group that holds the seq may extend beyond it.
    this.groupLast = Math.min(this.groupFirst, ring.groupsEnd - 1)
    this.fromAt =
      this.groupFirst === ring.groupsStart ? Number.POSITIVE_INFINITY : ring.recordedAtOf(this.groupFirst - 1) - ms
    const chain = chainOf(chains, flow.filter, ring.groupsStart)
    this.chains = chain === undefined ? undefined : chains
    this.group = chain === undefined ? this.groupLast : chain === 'none' ? -1 : chain.last
  }

  has(change: number): boolean {
    return this.repeated.has(change & (this.renderer.ring.capacity - 1))
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
      if (this.group <= this.groupLast) this.visit(this.group)
      this.group = this.chains === undefined ? this.group - 1 : this.chains.beforeOf(this.group)
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
      if (!this.seen.add(ring.quoteAt(at)) || ring.changeAt(at) !== CHANGE.repriced) continue
      this.repeated.add(at & (ring.capacity - 1))
      this.groupFirst = Math.min(this.groupFirst, group)
    }
  }
}

const PAGE_SHIFT = 12

/** A set of numbers, a bit each, in pages: board and ring have millions of places, an event has a few of them. */
class Bits {
  private readonly pages = new Map<number, Uint8Array>()
  // The page that was used last.
  private number = -1
  private page: Uint8Array | undefined

  has(value: number): boolean {
    const page = this.pageOf(value)
    return page !== undefined && (page[(value >>> 3) & PAGE_MASK]! & (1 << (value & 7))) !== 0
  }

  /** Returns whether it was not in the set. */
  add(value: number): boolean {
    let page = this.pageOf(value)
    if (page === undefined) {
      page = new Uint8Array(PAGE_MASK + 1)
      this.pages.set(this.number, page)
      this.page = page
    }
    const bit = 1 << (value & 7)
    const place = (value >>> 3) & PAGE_MASK
    const isNew = (page[place]! & bit) === 0
    page[place]! |= bit
    return isNew
  }

  private pageOf(value: number): Uint8Array | undefined {
    const number = value >>> PAGE_SHIFT
    if (number !== this.number) {
      this.number = number
      this.page = this.pages.get(number)
    }
    return this.page
  }
}

const PAGE_MASK = (1 << (PAGE_SHIFT - 3)) - 1
