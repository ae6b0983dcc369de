// A walk through the groups of the replay ring that a flow may carry, from the oldest on: by a chain where there is one, else
// through all of them. What is visited is looked at all the same: a chain may have more than the flow carries.

import type { FlowFilter } from './flow.ts'
import type { GroupChain, GroupChains } from './group-chains.ts'
import type { ReplayRing } from './replay-ring.ts'

/** Events or groups examined in one step; most of them may not match. */
export const VISITS_A_STEP = 2_000

export class GroupWalk {
  /** The group that is visited next: nothing before it is left to visit. -1: the walk has not begun. */
  next = -1
  private readonly ring: ReplayRing
  private readonly chains: GroupChains | undefined
  private readonly filter: FlowFilter
  private chain: GroupChain | undefined
  // How far the search for the first group of the chain has come, from its end; -1: there is none under way.
  private found = -1

  /** @param chains undefined: all groups are visited */
  constructor(ring: ReplayRing, chains: GroupChains | undefined, filter: FlowFilter) {
    this.ring = ring
    this.chains = chains
    this.filter = filter
  }

  /** Whether the ring no longer holds what comes next. */
  get isLost(): boolean {
    return this.next < this.ring.groupsStart
  }

  /** Whether nothing is left to visit. */
  get isAtEnd(): boolean {
    return this.next === this.ring.groupsEnd
  }

  /** Finds the next group, to be called before those of a step. Returns false where it needs more time. */
  seek(isOver: () => boolean): boolean {
    const { ring, chains } = this
    if (this.isAtEnd) return true
    const chain = chainOf(chains, this.filter, this.next)
    const isOther = this.chain !== chain
    this.chain = chain === 'none' ? undefined : chain
    if (chain === undefined || chains === undefined) return true
    if (chain === 'none') {
      this.next = ring.groupsEnd
      return true
    }
    if (this.isIn(chain, this.next)) return true
    let group = isOther || this.found < this.next ? chain.last : this.found
    for (let visits = VISITS_A_STEP; ; visits--) {
      const before = chains.beforeOf(group)
      if (before < this.next) break
      group = before
      // From both ends: what is not of the chain may be dropped meanwhile, and nothing is lost by that.
      if (this.isIn(chain, ++this.next)) return true
      if (visits > 0 && !isOver()) continue
      this.found = group
      return false
    }
    this.next = group
    return true
  }

  private isIn(chain: GroupChain, group: number): boolean {
    const isNotice = this.ring.noticeOf(group) !== undefined
    return chain.view === undefined ? isNotice : !isNotice && this.ring.viewOf(group) === chain.view
  }

  /** Goes on to the group after this one. */
  advance(): void {
    this.next = this.chain === undefined ? this.next + 1 : this.chains!.afterOf(this.next)
  }
}

/** The chain with all groups that a filter carries, from a group on; undefined: there is none. */
export const chainOf = (
  chains: GroupChains | undefined,
  { topic, eventId, leagues }: FlowFilter,
  group: number,
): GroupChain | 'none' | undefined => {
  // With leagues, notices count that are about any event.
  if (chains === undefined || leagues !== null) return undefined
  if (topic !== 'odds' && topic !== 'status') return chains.notices.last < group ? 'none' : chains.notices
  if (eventId === null) return undefined
  const chain = chains.of(eventId, group)
  return chain === 'several' ? undefined : chain
}
