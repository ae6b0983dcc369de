// The history of the live channel, as part of the state behind the log: the last changes, the ids of events that have
// moved, and what the first messages of new flows need. It follows from the turns of the engine alone: a process without
// sessions has the same one.

import type { Changes } from '../board/changes.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { Engine } from '../engine/engine.ts'
import { EventIds } from './event-ids.ts'
import { GroupChains } from './group-chains.ts'
import { LastSeqs } from './last-seqs.ts'
import { ReplayRing, type RingLimits } from './replay-ring.ts'

/** A turn with changes, once the history has it. */
export interface LiveTurn {
  /** The first group of the turn that is in the ring. */
  readonly firstGroup: number
  /** The time of the turn, epoch ms. */
  readonly at: number
  /** Seq of the log before it. */
  readonly seqBefore: number
  /** Ids of events that lead elsewhere since then; undefined: none. */
  readonly movedIds: ReadonlySet<string> | undefined
}

/** Less than a millisecond. */
const BUILT_A_STEP = 1_024

export class LiveHistory {
  readonly ring: ReplayRing
  readonly eventIds = new EventIds()
  readonly chains: GroupChains
  readonly lastSeqs: LastSeqs
  /** Ids that lead elsewhere since the last turn, which had no change of its own for that; undefined: none. */
  movedIds: ReadonlySet<string> | undefined
  /** Publishes a turn. */
  onTurn: ((turn: LiveTurn) => void) | undefined
  private readonly engine: Engine
  /** What is left of {@link load}. */
  private building: Generator<undefined, void> | undefined

  /** Begins at the engine's seq: what came before is there only after {@link load}. */
  constructor(engine: Engine, limits: RingLimits) {
    this.engine = engine
    this.ring = new ReplayRing(limits, engine.seq)
    this.chains = new GroupChains(this.ring)
    this.lastSeqs = new LastSeqs(this.ring, this.chains)
    engine.onTurn((changes) => this.append(changes))
    engine.onTurnEnd(() => (this.movedIds = this.settleIds()))
    engine.onIdMoved = (id) => this.idMoved(id)
  }

  /** An id of an event leads elsewhere from now on. */
  idMoved(id: string): void {
    this.eventIds.note(id)
    const view = this.engine.reader.eventOf(id)
    if (view !== undefined) this.chains.lead(id, view)
  }

  private append(changes: Changes): void {
    const { ring, chains, lastSeqs } = this
    // The time of the turn: all of its changes were recorded at it.
    const at = changes.recordedAt[0]!
    const firstGroup = ring.append(changes, at)
    const movedIds = this.settleIds()
    for (let group = firstGroup; group < ring.groupsEnd; group++) {
      chains.note(group)
      lastSeqs.note(group)
    }
    this.onTurn?.({ firstGroup, at, seqBefore: changes.seqBefore, movedIds })
  }

  private settleIds(): ReadonlySet<string> | undefined {
    const { ring, eventIds } = this
    return eventIds.hasPending ? eventIds.settle(ring.lastSeq, ring.floorSeq) : undefined
  }

  /** Between two turns. */
  save(image: ImageWriter): void {
    this.build(() => false)
    this.ring.save(image, this.engine.board.catalogue)
    this.eventIds.save(image)
    this.lastSeqs.save(image)
  }

  /** Whether all of it may be read; until {@link build} is done, only new turns may. */
  get isComplete(): boolean {
    return this.building === undefined
  }

  /** Builds what {@link load} has left, as long as `isOver` is false. @returns whether something is left */
  build(isOver: () => boolean): boolean {
    while (this.building !== undefined) {
      if (this.building.next().done === true) this.building = undefined
      else if (isOver()) return true
    }
    return false
  }

  private *parts(step: number): Generator<undefined, void> {
    yield* this.ring.build(step)
    yield* this.chains.build(step)
  }

  /**
   * Replaces all of it, but for what {@link build} builds. The engine is the one of the same image, loaded before.
   * @param step what is built at once, of groups or changes
   */
  load(image: ImageReader, step = BUILT_A_STEP): void {
    const { catalogue, outcomes } = this.engine.board
    this.ring.load(image, catalogue, outcomes)
    this.eventIds.load(image)
    this.lastSeqs.load(image)
    this.chains.clear()
    this.building = this.parts(step)
  }
}
