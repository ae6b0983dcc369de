// Values by number, where any number may come first: an array of V8 that is written far beyond its end becomes a hash table,
// and after a restart the first numbers that are used may be those of any of a million books. The first 1 024 SENDs after a
// restart with 5 million quotes kept the event loop for 70 ms, half of it such tables; an array of so many values is copied
// whole when it grows, too.

const BITS = 10
const LENGTH = 1 << BITS

export class SparseList<Value> {
  private readonly pieces: ((Value | undefined)[] | undefined)[] = []

  get(number: number): Value | undefined {
    return this.pieces[number >>> BITS]?.[number & (LENGTH - 1)]
  }

  set(number: number, value: Value | undefined): void {
    this.pieceOf(number >>> BITS)[number & (LENGTH - 1)] = value
  }

  clear(): void {
    this.pieces.length = 0
  }

  private pieceOf(place: number): (Value | undefined)[] {
    const { pieces } = this
    while (pieces.length <= place) pieces.push(undefined)
    return (pieces[place] ??= Array.from({ length: LENGTH }, () => undefined))
  }
}
