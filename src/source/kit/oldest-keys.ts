// The oldest keys of a Map, for evicting from it when it is full.

/**
 * Gives the oldest keys one after the other; the caller deletes each. A new iterator over a Map skips all entries that
 * were deleted at the front since the Map was last rebuilt, so a new iterator for each key would be quadratic.
 */
export class OldestKeys<Key> {
  private readonly map: ReadonlyMap<Key, unknown>
  private keys: Iterator<Key> | undefined

  constructor(map: ReadonlyMap<Key, unknown>) {
    this.map = map
  }

  /** The oldest key; undefined when there is none. Delete it before the next call: it is not given twice. */
  next(): Key | undefined {
    let next = this.keys?.next()
    if (next === undefined || next.done === true) {
      this.keys = this.map.keys()
      next = this.keys.next()
    }
    return next.done === true ? undefined : next.value
  }

  /** Releases the iterator. Call it now and then: an idle iterator retains the Map's former tables. */
  release(): void {
    this.keys = undefined
  }
}
