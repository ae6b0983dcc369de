// Sets and maps of a session, nearly all of which stay empty: they have memory only once something was added. Ten thousand
// sessions are made within seconds when all desks come back, and each empty set or map takes 152 to 184 octets, which are copied
// twice until they are old: it is the copying that delays the event loop.

/** A Set, made when the first value is added. */
export class SparseSet<T> {
  private values: Set<T> | undefined

  get size(): number {
    return this.values === undefined ? 0 : this.values.size
  }

  has(value: T): boolean {
    return this.values !== undefined && this.values.has(value)
  }

  add(value: T): void {
    this.values ??= new Set()
    this.values.add(value)
  }

  /** Returns whether it was in it. */
  delete(value: T): boolean {
    return this.values !== undefined && this.values.delete(value)
  }

  clear(): void {
    this.values?.clear()
  }

  /** Gives the memory back, if nothing is left. Not while somebody walks through it. */
  trim(): void {
    if (this.values?.size === 0) this.values = undefined
  }

  [Symbol.iterator](): Iterator<T> {
    return (this.values ?? NO_VALUES).values()
  }
}

/** A Map, made when the first entry is added. */
export class SparseMap<Key, T> {
  private entries: Map<Key, T> | undefined

  get size(): number {
    return this.entries === undefined ? 0 : this.entries.size
  }

  has(key: Key): boolean {
    return this.entries !== undefined && this.entries.has(key)
  }

  get(key: Key): T | undefined {
    return this.entries?.get(key)
  }

  set(key: Key, value: T): void {
    this.entries ??= new Map()
    this.entries.set(key, value)
  }

  /** Returns whether it was in it. */
  delete(key: Key): boolean {
    return this.entries !== undefined && this.entries.delete(key)
  }

  clear(): void {
    this.entries?.clear()
  }

  values(): Iterable<T> {
    return (this.entries ?? NO_ENTRIES).values()
  }

  [Symbol.iterator](): Iterator<[Key, T]> {
    return (this.entries ?? NO_ENTRIES).entries()
  }
}

const NO_VALUES: ReadonlySet<never> = new Set<never>()
const NO_ENTRIES: ReadonlyMap<never, never> = new Map<never, never>()
