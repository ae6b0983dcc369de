// A list in pieces: it grows by a piece at a time. An array that grows is copied as a whole, and at a million entries the
// event loop stands still for 8 ms or more.

const SHIFT = 12
const PIECE = 2 ** SHIFT

/** Entries by place, from 0 on; a place that was never set is undefined. */
export class Pieces<T> {
  private readonly pieces: (T | undefined)[][] = []

  get(place: number): T | undefined {
    return this.pieces[place >>> SHIFT]?.[place & (PIECE - 1)]
  }

  set(place: number, value: T | undefined): void {
    const number = place >>> SHIFT
    // Pieces before the first place that is set are added, too: a list of pieces without holes is read faster.
    while (this.pieces.length <= number) this.pieces.push(Array.from({ length: PIECE }))
    this.pieces[number]![place & (PIECE - 1)] = value
  }

  clear(): void {
    this.pieces.length = 0
  }
}
