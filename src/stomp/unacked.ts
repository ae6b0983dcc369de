// Messages of a subscription that wait to be acknowledged, the oldest first. One id may stand for several: a price that
// was replayed may be shown again.

export class Unacked {
  private readonly counts = new Map<string, number>()
  /** Messages, not ids. */
  count = 0

  has(messageId: string): boolean {
    return this.counts.has(messageId)
  }

  add(messageId: string): void {
    this.counts.set(messageId, (this.counts.get(messageId) ?? 0) + 1)
    this.count++
  }

  /** Takes out a message, or (`isCumulative`) it and all before it. Returns how many there were. */
  remove(messageId: string, isCumulative: boolean): number {
    const before = this.count
    if (isCumulative) {
      for (const [id, count] of this.counts) {
        this.counts.delete(id)
        this.count -= count
        if (id === messageId) break
      }
    } else {
      const count = this.counts.get(messageId)!
      if (count === 1) this.counts.delete(messageId)
      else this.counts.set(messageId, count - 1)
      this.count--
    }
    return before - this.count
  }
}
