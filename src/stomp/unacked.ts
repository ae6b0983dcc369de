// Messages of a subscription that wait to be acknowledged, the oldest first. Several may have one id: a change, and the
// end of a snapshot that was made right after it; a price that was replayed.

import { SparseMap } from './sparse.ts'

const NONE: ReadonlySet<string> = new Set()

export class Unacked {
  // An id has the position of its last message.
  private readonly counts = new SparseMap<string, number>()
  // Ids removed by a cumulative ACK that may have meant an earlier message of the same id: the client may still
  // acknowledge these.
  private removed: ReadonlySet<string> = NONE
  /** Messages, not ids. */
  count = 0

  has(messageId: string): boolean {
    return this.counts.has(messageId) || this.removed.has(messageId)
  }

  add(messageId: string): void {
    const before = this.counts.get(messageId)
    if (before !== undefined) this.counts.delete(messageId)
    this.counts.set(messageId, (before ?? 0) + 1)
    this.count++
  }

  /** Removes a message, or (`isCumulative`) it and all before it. Returns how many there were. */
  remove(messageId: string, isCumulative: boolean): number {
    const count = this.counts.get(messageId)
    if (count === undefined) return 0
    if (isCumulative) return this.removeThrough(messageId, count > 1 || this.removed.has(messageId))
    if (count === 1) this.counts.delete(messageId)
    else this.counts.set(messageId, count - 1)
    this.count--
    return 1
  }

  private removeThrough(messageId: string, isOneOfSeveral: boolean): number {
    const before = this.count
    const removed = isOneOfSeveral ? new Set(this.removed) : undefined
    for (const [id, count] of this.counts) {
      this.counts.delete(id)
      this.count -= count
      removed?.add(id)
      if (id === messageId) break
    }
    this.removed = removed ?? NONE
    return before - this.count
  }
}
