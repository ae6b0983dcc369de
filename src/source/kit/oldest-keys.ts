// The keys that a Map has had longest, for what forgets the oldest when it is full.

/**
 * Gives the oldest key again and again, each of which its owner deletes. A look at the front of a Map steps over all that
 * was deleted there since the Map was last rebuilt, so a new look for each key takes a time that grows with the square.
 */
export class OldestKeys<Key> {
  private readonly map: ReadonlyMap<Key, unknown>
  private keys: Iterator<Key> | undefined

  constructor(map: ReadonlyMap<Key, unknown>) {
    this.map = map
  }

  /** The oldest key; undefined when there is none. To be deleted before the next call: it is not given twice. */
  next(): Key | undefined {
    let next = this.keys?.next()
    if (next === undefined || next.done === true) {
      this.keys = this.map.keys()
      next = this.keys.next()
    }
    return next.done === true ? undefined : next.value
  }

  /** Lets go of the Map's front: to be called now and then, since a look that rests holds on to what the Map once was. */
  release(): void {
    this.keys = undefined
  }
}
