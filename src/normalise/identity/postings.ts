// Entries by a word or name, each list in the order of kickoff: what an index of events is asked for.

/** What is found by its kickoff. */
export interface Timed {
  /** Epoch ms; must not change while the entry is in. */
  readonly kickoffAt: number
}

/** First place whose kickoff is `kickoffAt` or later. */
const firstPlace = (sorted: readonly Timed[], kickoffAt: number): number => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]!.kickoffAt >= kickoffAt) high = middle
    else low = middle + 1
  }
  return low
}

export class Postings<Word extends string | number, Entry extends Timed> {
  private readonly lists = new Map<Word, Entry[]>()

  get size(): number {
    return this.lists.size
  }

  /** Adding in the order of kickoff is the cheapest. */
  add(word: Word, entry: Entry): void {
    const list = this.lists.get(word)
    if (list === undefined) this.lists.set(word, [entry])
    else if (list.at(-1)!.kickoffAt <= entry.kickoffAt) list.push(entry)
    else list.splice(firstPlace(list, entry.kickoffAt), 0, entry)
  }

  remove(word: Word, entry: Entry): void {
    const list = this.lists.get(word)
    if (list === undefined) return
    const place = list.indexOf(entry, firstPlace(list, entry.kickoffAt))
    if (place !== -1) list.splice(place, 1)
    if (list.length === 0) this.lists.delete(word)
  }

  clear(): void {
    this.lists.clear()
  }

  /**
   * Visits the entries of a word that kick off from `fromAt` to `toAt`, both included, at most `max` of them.
   * @returns false where there were more
   */
  visit(word: Word, fromAt: number, toAt: number, max: number, visit: (entry: Entry) => void): boolean {
    const list = this.lists.get(word)
    if (list === undefined) return true
    const start = firstPlace(list, fromAt)
    const end = Math.min(list.length, start + max)
    for (let place = start; place < end; place++) {
      const entry = list[place]!
      if (entry.kickoffAt > toAt) return true
      visit(entry)
    }
    return end === list.length || list[end]!.kickoffAt > toAt
  }
}
