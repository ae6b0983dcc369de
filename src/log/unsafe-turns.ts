// Turns that a failure of the disk could lose still: they are kept, to be written again to another file.

import type { Turn } from '../domain/input.ts'

export interface UnsafeTurn {
  readonly turn: Turn
  readonly written: (turn: Turn) => void
  readonly appendedMs: number
  bytes: number
}

/** First in, first out, by number. */
export class UnsafeTurns {
  private turns: UnsafeTurn[] = []
  /** Number of the first one. */
  first: number
  bytes = 0

  /** @param last number of the last turn that is safe */
  constructor(last: number) {
    this.first = last + 1
  }

  get count(): number {
    return this.turns.length
  }

  get all(): readonly UnsafeTurn[] {
    return this.turns
  }

  at(number: number): UnsafeTurn {
    return this.turns[number - this.first]!
  }

  add(turn: UnsafeTurn): void {
    this.turns.push(turn)
    this.bytes += turn.bytes
  }

  /** @param last number of the last one that is safe now */
  dropTo(last: number): void {
    const count = last + 1 - this.first
    if (count <= 0) return
    for (let place = 0; place < count; place++) this.bytes -= this.turns[place]!.bytes
    if (count === this.turns.length) this.turns = []
    else this.turns.splice(0, count)
    this.first += count
  }
}
