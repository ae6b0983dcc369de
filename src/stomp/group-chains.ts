// Chains through the groups of the replay ring: those of each event, and the notices. Whoever resumes with one event visits
// its groups alone: a storm of 10 000 that come back would else look through the whole time that they were away, each.
//
//   ring     A B A · C A B ·          A: 0 ⇄ 2 ⇄ 5    B: 1 ⇄ 6    notices (·): 3 ⇄ 7
//
// An id leads to the events that have it, or had it as a former one, while any of their groups is held: it may be more of
// them than the id leads to now, never fewer.

import type { EventView } from '../domain/event.ts'
import { memoryOf } from '../domain/memory.ts'
import { ShardedMap } from '../domain/sharded-map.ts'
import { SparseList } from '../domain/sparse-list.ts'
import type { ReplayRing } from './replay-ring.ts'

/** The groups of an event, or the notices. */
export interface GroupChain {
  /** Undefined: of the notices. */
  readonly view: EventView | undefined
  /** Its last group; -1: there was none. */
  last: number
}

interface EventChain extends GroupChain {
  readonly view: EventView
  /** That lead to it. Replaced, never changed: a list that grew by pushing has sixteen places to spare. */
  ids: readonly string[]
}

const NO_IDS: readonly string[] = []

/** Events of which is looked whether the ring holds any of their groups still, for each that is added. */
const SWEPT = 2

export class GroupChains {
  readonly notices: GroupChain = { view: undefined, last: -1 }
  private readonly ring: ReplayRing
  // How far the groups of its chain before and after each are away; 0: there is none.
  private readonly before: Uint32Array
  private readonly after: Uint32Array
  // By number of the event. Numbers are reused.
  private readonly byNumber = new SparseList<EventChain>()
  private readonly byId = new ShardedMap<string, EventChain | readonly EventChain[]>()
  // Not a Set, from which the first one is taken and added again: V8 keeps the places of what was taken until the table is
  // full, and looks for the first one behind all of them (45 of 48 µs a book among 222 000 events).
  private readonly all: EventChain[] = []
  /** The place in {@link all} that is swept next. */
  private next = 0
  private isBuilt = true

  constructor(ring: ReplayRing) {
    this.ring = ring
    this.before = new Uint32Array(memoryOf(4 * ring.capacity))
    this.after = new Uint32Array(memoryOf(4 * ring.capacity))
  }

  /** Events with a chain. */
  get size(): number {
    return this.all.length
  }

  /** Called with each group that was appended to the ring. */
  note(group: number): void {
    // Else {@link build} comes to it.
    if (this.isBuilt) this.add(group)
  }

  private add(group: number): void {
    const { ring } = this
    const isNotice = ring.noticeOf(group) !== undefined
    const chain = isNotice ? this.notices : this.chainOf(ring.viewOf(group))
    const mask = ring.capacity - 1
    const { last } = chain
    const isFirst = last < ring.groupsStart
    this.before[group & mask] = isFirst ? 0 : group - last
    this.after[group & mask] = 0
    if (!isFirst) this.after[last & mask] = group - last
    chain.last = group
  }

  /** The ring was loaded: its groups follow with {@link build}. */
  clear(): void {
    this.notices.last = -1
    this.byNumber.clear()
    this.byId.clear()
    this.all.length = 0
    this.next = 0
    this.isBuilt = false
  }

  /** Builds the chains, when {@link ReplayRing.build} is done, so many groups at each step. */
  *build(step: number): Generator<undefined, void> {
    const { ring } = this
    let group = ring.groupsStart
    for (let count = 1; group < ring.groupsEnd; group++, count++) {
      this.add(group)
      if (count % step !== 0) continue
      yield
      // Meanwhile, groups may have been dropped, and appended.
      group = Math.max(group, ring.groupsStart - 1)
    }
    this.isBuilt = true
  }

  /** An id leads to an event from now on. */
  lead(id: string, view: EventView): void {
    const chain = this.byNumber.get(view.number)
    // What has no groups yet is found by its ids when the first one comes.
    if (chain?.view === view) this.enter(chain, id)
  }

  /** The last group of an event that the ring holds; -1: none. */
  lastOf(view: EventView): number {
    const chain = this.byNumber.get(view.number)
    return chain?.view === view && chain.last >= this.ring.groupsStart ? chain.last : -1
  }

  /** The group before one in its chain; -1: the ring holds none. */
  beforeOf(group: number): number {
    const distance = this.before[group & (this.ring.capacity - 1)]!
    return distance === 0 || group - distance < this.ring.groupsStart ? -1 : group - distance
  }

  /** The group after one in its chain; `groupsEnd` of the ring: there is none. */
  afterOf(group: number): number {
    const distance = this.after[group & (this.ring.capacity - 1)]!
    return distance === 0 ? this.ring.groupsEnd : group + distance
  }

  /**
   * The chain with all groups from `group` on of the events that an id leads to, or has led to; 'none': there are no such groups;
   * 'several': they are of several events.
   */
  of(id: string, group: number): GroupChain | 'none' | 'several' {
    const known = this.byId.get(id)
    if (known === undefined) return 'none'
    if (!Array.isArray(known)) return (known as EventChain).last < group ? 'none' : (known as EventChain)
    const found = (known as readonly EventChain[]).filter(({ last }) => last >= group)
    return found.length === 0 ? 'none' : found.length === 1 ? found[0]! : 'several'
  }

  private chainOf(view: EventView): EventChain {
    const known = this.byNumber.get(view.number)
    if (known?.view === view) return known
    const chain: EventChain = { view, last: -1, ids: NO_IDS }
    for (const id of [view.event.id, ...view.formerIds]) this.enter(chain, id)
    this.byNumber.set(view.number, chain)
    this.sweep()
    this.all.push(chain)
    return chain
  }

  private enter(chain: EventChain, id: string): void {
    if (chain.ids.includes(id)) return
    chain.ids = chain.ids.concat(id)
    const known = this.byId.get(id)
    this.byId.set(id, known === undefined ? chain : [...listOf(known), chain])
  }

  /** Forgets events of which the ring holds nothing: all are looked at in turn, so that there are never many more. */
  private sweep(): void {
    const { all, ring } = this
    for (let count = SWEPT; count > 0 && all.length > 0; count--) {
      if (this.next >= all.length) this.next = 0
      const chain = all[this.next]!
      if (chain.last >= ring.groupsStart) {
        this.next++
        continue
      }
      const last = all.pop()!
      if (last !== chain) all[this.next] = last
      this.forget(chain)
    }
  }

  private forget(chain: EventChain): void {
    const { byId, byNumber } = this
    for (const id of chain.ids) {
      const others = listOf(byId.get(id)!).filter((each) => each !== chain)
      if (others.length === 0) byId.delete(id)
      else byId.set(id, others.length === 1 ? others[0]! : others)
    }
    if (byNumber.get(chain.view.number) === chain) byNumber.set(chain.view.number, undefined)
  }
}

const listOf = (known: EventChain | readonly EventChain[]): readonly EventChain[] =>
  Array.isArray(known) ? (known as readonly EventChain[]) : [known as EventChain]
