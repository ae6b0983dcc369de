// A list in pieces: it grows by a piece at a time. An array that grows is copied as a whole, and at a million entries the
// event loop stands still for 8 ms or more.

const SHIFT = 12
const PIECE = 2 ** SHIFT

/** A piece of which nothing is set, for all lists. Never written: a list of a million places that begins at its end has few of its own. */
const EMPTY: readonly undefined[] = Array.from({ length: PIECE }, () => undefined)

/** Entries by place, from 0 on; a place that was never set is undefined. */
export class Pieces<T> {
  private readonly pieces: (readonly (T | undefined)[])[] = []

  get(place: number): T | undefined {
    return this.pieces[place >>> SHIFT]?.[place & (PIECE - 1)]
  }

  set(place: number, value: T | undefined): void {
    const number = place >>> SHIFT
    const { pieces } = this
    // Pieces before the first place that is set are added, too: a list of pieces without holes is read faster.
    while (pieces.length <= number) pieces.push(EMPTY)
    if (pieces[number] === EMPTY) {
      if (value === undefined) return
      pieces[number] = EMPTY.slice()
    }
    const piece = pieces[number] as (T | undefined)[]
    piece[place & (PIECE - 1)] = value
  }

  clear(): void {
    this.pieces.length = 0
  }
}
