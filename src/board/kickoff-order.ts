// Events in the order in which lists show them: by kickoff, then by numeric id. A sorted list in chunks, so that an
// insertion among 200 000 events moves some hundred entries and not all that follow.

import { invariant } from './invariant.ts'

const CHUNK_MAX = 512

/** Length of the chunks of records that are appended: half empty, as after a split. */
const CHUNK_FILLED = 256

/** An entry of the order. */
export interface Listed {
  readonly idNumber: number
  readonly event: { readonly id: string; readonly kickoffAt: number }
}

const compare = (a: Listed, b: Listed): number => a.event.kickoffAt - b.event.kickoffAt || a.idNumber - b.idNumber

/** First place of a sorted array where `reached` is true; its length where it never is. */
const firstPlace = <T>(sorted: readonly T[], reached: (entry: T) => boolean): number => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (reached(sorted[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

export class KickoffOrder<T extends Listed> {
  size = 0
  // No chunk is ever empty; each ends before the next begins.
  private chunks: T[][] = []

  get first(): T | undefined {
    return this.chunks[0]?.[0]
  }

  insert(record: T): void {
    this.size++
    const place = this.chunkOf((last) => compare(last, record) >= 0)
    // Beyond the last chunk's end it is added to that chunk.
    const chunk = this.chunks[Math.min(place, this.chunks.length - 1)]
    if (chunk === undefined) {
      this.chunks = [[record]]
      return
    }
    chunk.splice(
      firstPlace(chunk, (other) => compare(other, record) >= 0),
      0,
      record,
    )
    if (chunk.length > CHUNK_MAX) {
      this.chunks.splice(this.chunks.indexOf(chunk) + 1, 0, chunk.splice(CHUNK_MAX >>> 1))
    }
  }

  /** Adds a record that comes after all others. */
  append(record: T): void {
    this.size++
    const chunk = this.chunks.at(-1)
    if (chunk === undefined || chunk.length >= CHUNK_FILLED) this.chunks.push([record])
    else chunk.push(record)
  }

  /** Removes a record, whose kickoff must still be the one it was inserted with. */
  remove(record: T): void {
    const place = this.chunkOf((last) => compare(last, record) >= 0)
    const chunk = this.chunks[place]
    const index = chunk === undefined ? -1 : firstPlace(chunk, (other) => compare(other, record) >= 0)
    invariant(chunk?.[index] === record, 'an event is where its kickoff says')
    chunk.splice(index, 1)
    if (chunk.length === 0) this.chunks.splice(place, 1)
    this.size--
  }

  /**
   * Visits the events that kick off at `kickoffAt` or later, in order, until `visit` returns false.
   * @param afterId of those that kick off at that time, up to this id they are left out
   */
  visitFrom(kickoffAt: number, visit: (record: T) => boolean, afterId = -1): void {
    const reached = (record: T): boolean =>
      record.event.kickoffAt > kickoffAt || (record.event.kickoffAt === kickoffAt && record.idNumber > afterId)
    let place = this.chunkOf(reached)
    let index = place < this.chunks.length ? firstPlace(this.chunks[place]!, reached) : 0
    for (; place < this.chunks.length; place++, index = 0) {
      const chunk = this.chunks[place]!
      for (; index < chunk.length; index++) if (!visit(chunk[index]!)) return
    }
  }

  /** First chunk whose last record satisfies `reached`. */
  private chunkOf(reached: (last: T) => boolean): number {
    return firstPlace(this.chunks, (chunk) => reached(chunk[chunk.length - 1]!))
  }
}
