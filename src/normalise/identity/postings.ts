// Entries by a number that stands for a name, each list in the order of kickoff: what an index of events is asked for.

/** What is found by its kickoff. */
export interface Timed {
  /** Epoch ms; must not change while the entry is in. */
  readonly kickoffAt: number
}

interface List<Entry> {
  readonly entries: Entry[]
  /** Of each entry: beside each other, so that a search does not touch the entries. */
  readonly kickoffs: number[]
}

/** First place whose kickoff is `kickoffAt` or later. */
const firstPlace = (kickoffs: readonly number[], kickoffAt: number): number => {
  let low = 0
  let high = kickoffs.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (kickoffs[middle]! >= kickoffAt) high = middle
    else low = middle + 1
  }
  return low
}

export class Postings<Entry extends Timed> {
  private readonly lists = new Map<number, List<Entry>>()

  /** Adding in the order of kickoff is the cheapest. */
  add(key: number, entry: Entry): void {
    const { kickoffAt } = entry
    const list = this.lists.get(key)
    if (list === undefined) {
      this.lists.set(key, { entries: [entry], kickoffs: [kickoffAt] })
    } else if (list.kickoffs.at(-1)! <= kickoffAt) {
      list.entries.push(entry)
      list.kickoffs.push(kickoffAt)
    } else {
      const place = firstPlace(list.kickoffs, kickoffAt)
      list.entries.splice(place, 0, entry)
      list.kickoffs.splice(place, 0, kickoffAt)
    }
  }

  remove(key: number, entry: Entry): void {
    const list = this.lists.get(key)
    if (list === undefined) return
    const { entries, kickoffs } = list
    const place = entries.indexOf(entry, firstPlace(kickoffs, entry.kickoffAt))
    if (place === -1) return
    entries.splice(place, 1)
    kickoffs.splice(place, 1)
    if (entries.length === 0) this.lists.delete(key)
  }

  clear(): void {
    this.lists.clear()
  }

  /**
   * Visits the entries of a key that kick off from `fromAt` to `toAt`, both included, at most `max` of them.
   * @returns false where there were more
   */
  visit(key: number, fromAt: number, toAt: number, max: number, visit: (entry: Entry) => void): boolean {
    const list = this.lists.get(key)
    if (list === undefined) return true
    const { entries, kickoffs } = list
    const start = firstPlace(kickoffs, fromAt)
    const end = Math.min(entries.length, start + max)
    for (let place = start; place < end; place++) {
      if (kickoffs[place]! > toAt) return true
      visit(entries[place]!)
    }
    return end === entries.length || kickoffs[end]! > toAt
  }
}
