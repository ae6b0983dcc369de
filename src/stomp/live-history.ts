// The history of the live channel, as part of the state behind the log: the last changes, the ids of events that have
// moved, and what the first messages of new flows need. It follows from the turns of the engine alone: a process without
// sessions has the same one.

import type { Changes } from '../board/changes.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { Engine } from '../engine/engine.ts'
import { EventIds } from './event-ids.ts'
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

export class LiveHistory {
  readonly ring: ReplayRing
  readonly eventIds = new EventIds()
  readonly lastSeqs: LastSeqs
  /** Ids that lead elsewhere since the last turn, which had no change of its own for that; undefined: none. */
  movedIds: ReadonlySet<string> | undefined
  /** Publishes a turn. */
  onTurn: ((turn: LiveTurn) => void) | undefined
  private readonly engine: Engine

  /** Begins at the engine's seq: what came before is there only after {@link load}. */
  constructor(engine: Engine, limits: RingLimits) {
    this.engine = engine
    this.ring = new ReplayRing(limits, engine.seq)
    this.lastSeqs = new LastSeqs(this.ring)
    engine.onTurn((changes) => this.append(changes))
    engine.onTurnEnd(() => (this.movedIds = this.settleIds()))
    engine.onIdMoved = (id) => this.eventIds.note(id)
  }

  private append(changes: Changes): void {
    const { ring, lastSeqs } = this
    // The time of the turn: all of its changes were recorded at it.
    const at = changes.recordedAt[0]!
    const firstGroup = ring.append(changes, at)
    const movedIds = this.settleIds()
    for (let group = firstGroup; group < ring.groupsEnd; group++) lastSeqs.note(group)
    this.onTurn?.({ firstGroup, at, seqBefore: changes.seqBefore, movedIds })
  }

  private settleIds(): ReadonlySet<string> | undefined {
    const { ring, eventIds } = this
    return eventIds.hasPending ? eventIds.settle(ring.lastSeq, ring.floorSeq) : undefined
  }

  /** Between two turns. */
  save(image: ImageWriter): void {
    this.ring.save(image, this.engine.board.catalogue)
    this.eventIds.save(image)
    this.lastSeqs.save(image)
  }

  /** Replaces all of it. The engine is the one of the same image, loaded before. */
  load(image: ImageReader): void {
    const { catalogue, outcomes } = this.engine.board
    this.ring.load(image, catalogue, outcomes)
    this.eventIds.load(image)
    this.lastSeqs.load(image)
  }
}
