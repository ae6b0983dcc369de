// The oldest keys of a Map or Set, one after the other: what is evicted when it is full, or served first.

type Keyed<Key> = Pick<ReadonlyMap<Key, unknown>, 'keys'> | Pick<ReadonlySet<Key>, 'keys'>

/**
 * Gives the oldest keys one after the other; the caller deletes each. A new iterator over a Map or Set skips all entries
 * that were deleted at the front since it was last rebuilt, so a new iterator for each key would be quadratic: to take the
 * first one and add it again costs 3 µs among 3 000, 10 µs among 10 000, and 0.2 µs or less so.
 */
export class OldestKeys<Key> {
  private readonly all: Keyed<Key>
  private keys: Iterator<Key> | undefined

  constructor(all: Keyed<Key>) {
    this.all = all
  }

  /** The oldest key; undefined when there is none. Delete it before the next call: it is not given twice. */
  next(): Key | undefined {
    let next = this.keys?.next()
    if (next === undefined || next.done === true) {
      this.keys = this.all.keys()
      next = this.keys.next()
    }
    return next.done === true ? undefined : next.value
  }

  /** Releases the iterator. Call it now and then: an idle iterator retains former tables of the Map. */
  release(): void {
    this.keys = undefined
  }
}
