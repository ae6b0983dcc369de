// Versions of the answers about events, in a column that grows. They are of this process: they are keys of its caches.

import type { TransportNumber } from '../domain/transport.ts'

/** Of each event: version and shape of each transport. */
const WIDTH = 4

interface Numbered {
  readonly number: number
}

export class Versions {
  private column = new Float64Array(WIDTH * 1_024)
  private last = 0

  /** Changes whenever an answer about the event may have changed. No value is used twice. */
  of({ number }: Numbered, transport: TransportNumber): number {
    return this.column[number * WIDTH + transport]!
  }

  /**
   * Changes whenever an answer about the event may have changed otherwise than by the odds and times of quotes that were open
   * and still are. No value is used twice.
   */
  shapeOf({ number }: Numbered, transport: TransportNumber): number {
    return this.column[number * WIDTH + 2 + transport]!
  }

  /** Of an event that was reshaped before, as each is when it is added: there is room for it. */
  touch({ number }: Numbered, transport: TransportNumber): void {
    this.column[number * WIDTH + transport] = ++this.last
  }

  reshape({ number }: Numbered, transport: TransportNumber): void {
    if ((number + 1) * WIDTH > this.column.length) this.grow(number)
    this.column[number * WIDTH + 2 + transport] = ++this.last
    this.column[number * WIDTH + transport] = ++this.last
  }

  /** As {@link reshape}, for each event with a number below `end`. */
  reshapeAll(end: number): void {
    if (end * WIDTH > this.column.length) this.grow(end)
    for (let place = 0; place < end * WIDTH; place++) this.column[place] = ++this.last
  }

  /** What is not used yet costs nothing: the system commits pages when they are first written. */
  private grow(number: number): void {
    const wider = new Float64Array(Math.max(this.column.length * 2, (number + 1) * WIDTH))
    wider.set(this.column)
    this.column = wider
  }
}
