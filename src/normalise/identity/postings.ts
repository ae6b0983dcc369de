// Lists by a number that stands for a name, each in the order of kickoff: what an index of events is asked for.

interface List {
  readonly values: number[]
  /** Kickoff of each value: beside each other, for a search. */
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

/** Kickoffs are epoch ms. */
export class Postings {
  private readonly lists = new Map<number, List>()

  /** Adding in the order of kickoff is the cheapest. */
  add(key: number, kickoffAt: number, value: number): void {
    const list = this.lists.get(key)
    if (list === undefined) {
      this.lists.set(key, { values: [value], kickoffs: [kickoffAt] })
    } else if (list.kickoffs.at(-1)! <= kickoffAt) {
      list.values.push(value)
      list.kickoffs.push(kickoffAt)
    } else {
      const place = firstPlace(list.kickoffs, kickoffAt)
      list.values.splice(place, 0, value)
      list.kickoffs.splice(place, 0, kickoffAt)
    }
  }

  remove(key: number, kickoffAt: number, value: number): void {
    const list = this.lists.get(key)
    if (list === undefined) return
    const { values, kickoffs } = list
    const place = values.indexOf(value, firstPlace(kickoffs, kickoffAt))
    if (place === -1) return
    values.splice(place, 1)
    kickoffs.splice(place, 1)
    if (values.length === 0) this.lists.delete(key)
  }

  clear(): void {
    this.lists.clear()
  }

  /**
   * Visits the values of a key that kick off from `fromAt` to `toAt`, both included, at most `max` of them.
   * @returns false where there were more
   */
  visit(
    key: number,
    fromAt: number,
    toAt: number,
    max: number,
    visit: (value: number, kickoffAt: number) => void,
  ): boolean {
    const list = this.lists.get(key)
    if (list === undefined) return true
    const { values, kickoffs } = list
    const start = firstPlace(kickoffs, fromAt)
    const end = Math.min(values.length, start + max)
    for (let place = start; place < end; place++) {
      const kickoffAt = kickoffs[place]!
      if (kickoffAt > toAt) return true
      visit(values[place]!, kickoffAt)
    }
    return end === values.length || kickoffs[end]! > toAt
  }
}
