// Ids of events that lead elsewhere than before. The board knows where an id leads: to its own event, or to the one
// that it became when it was merged, or to none. A client that names an id has to be notified when that changes, at
// once or when it resumes from an earlier point of the log.

import type { ImageReader, ImageWriter } from '../domain/image.ts'

/** The last move of an id. */
export interface Move {
  /** Seq of the log when it had moved. Moves without a change in the log share it with what came before. */
  readonly seq: number
  /** Numbers the moves in order. */
  readonly version: number
}

/** Ids kept, some 100 octets each. A point from before a dropped move is answered with a reset. */
const MOVES_KEPT = 50_000

export class EventIds {
  /** Increased whenever ids have moved. */
  version = 0
  private readonly pending = new Set<string>()
  // The oldest move first.
  private readonly moves = new Map<string, Move>()
  private forgotten: Move = { seq: -1, version: 0 }

  /** An id leads elsewhere from now on. */
  note(id: string): void {
    this.pending.add(id)
  }

  /** Whether ids have moved since the last {@link settle}. */
  get hasPending(): boolean {
    return this.pending.size > 0
  }

  /**
   * Returns the ids that have moved since the last call.
   * @param seq of the log now
   * @param floorSeq of the log: no resume from before it is possible
   */
  settle(seq: number, floorSeq: number): ReadonlySet<string> {
    const moved = new Set(this.pending)
    this.pending.clear()
    this.version++
    for (const id of moved) {
      this.moves.delete(id)
      this.moves.set(id, { seq, version: this.version })
    }
    for (const [id, move] of this.moves) {
      if (this.moves.size <= MOVES_KEPT && move.seq >= floorSeq) break
      this.moves.delete(id)
      this.forgotten = move
    }
    return moved
  }

  /** Whether an id may lead elsewhere than it did at a seq. */
  hasMovedSince(id: string, seq: number): boolean {
    return Math.max(this.moves.get(id)?.seq ?? -1, this.forgotten.seq) >= seq
  }

  /** The last move of an id, if it came after a version. */
  moveAfter(id: string, version: number): Move | undefined {
    const move = this.moves.get(id) ?? this.forgotten
    return move.version > version ? move : undefined
  }

  save(image: ImageWriter): void {
    const moves = [...this.moves].map(([id, { seq, version }]) => [id, seq, version])
    image.value('ids', JSON.stringify([this.version, this.forgotten, [...this.pending], moves]))
  }

  load(image: ImageReader): void {
    const [version, forgotten, pending, moves] = JSON.parse(image.value('ids') as string) as [
      number,
      Move,
      string[],
      [id: string, seq: number, version: number][],
    ]
    this.version = version
    this.forgotten = forgotten
    this.pending.clear()
    for (const id of pending) this.pending.add(id)
    this.moves.clear()
    for (const [id, seq, at] of moves) this.moves.set(id, { seq, version: at })
  }
}
