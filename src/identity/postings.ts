// Posting lists of the index of events: by the number of a name, in the order of kickoff.

import { GrowingColumn, readColumn } from '../domain/image-columns.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { ShardedMap } from '../domain/sharded-map.ts'

/** Kickoff, value, kickoff, value, …: one array, because most lists hold one value, and a name may be in dozens. */
type List = number[]

/** First place of a value whose kickoff is `kickoffAt` or later. */
const firstPlace = (list: List, kickoffAt: number): number => {
  let low = 0
  let high = list.length >>> 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (list[2 * middle]! >= kickoffAt) high = middle
    else low = middle + 1
  }
  return low
}

/** A list that grows in place has some sixteen places to spare: shorter ones are copied. */
const SHORT = 32

/** A copy of exact length, with a value added. */
const longer = (list: List, kickoffAt: number, value: number): List => {
  const copy = list.concat([kickoffAt, value])
  const start = list[list.length - 2]! <= kickoffAt ? list.length : 2 * firstPlace(list, kickoffAt)
  for (let place = copy.length - 1; place >= start + 2; place--) copy[place] = copy[place - 2]!
  copy[start] = kickoffAt
  copy[start + 1] = value
  return copy
}

/** Kickoffs are epoch ms. */
export class Postings {
  private readonly lists = new ShardedMap<number, List>()

  /** Adding in the order of kickoff is the cheapest. */
  add(key: number, kickoffAt: number, value: number): void {
    const list = this.lists.get(key)
    if (list === undefined) {
      this.lists.set(key, [kickoffAt, value])
    } else if (list.length < SHORT) {
      this.lists.set(key, longer(list, kickoffAt, value))
    } else if (list[list.length - 2]! <= kickoffAt) {
      list.push(kickoffAt, value)
    } else {
      list.splice(2 * firstPlace(list, kickoffAt), 0, kickoffAt, value)
    }
  }

  remove(key: number, kickoffAt: number, value: number): void {
    const list = this.lists.get(key)
    if (list === undefined) return
    let place = firstPlace(list, kickoffAt)
    while (2 * place < list.length && list[2 * place + 1] !== value) place++
    if (2 * place === list.length) return
    list.splice(2 * place, 2)
    if (list.length === 0) this.lists.delete(key)
  }

  /** Without the kickoffs: they are those of the values. */
  save(image: ImageWriter, name: string): void {
    const keys = new GrowingColumn(Int32Array)
    const values = new GrowingColumn(Uint32Array)
    const lengths = new GrowingColumn(Uint32Array)
    for (const [key, list] of this.lists) {
      keys.push(key)
      lengths.push(list.length >>> 1)
      for (let place = 1; place < list.length; place += 2) values.push(list[place]!)
    }
    keys.save(image, `${name} keys`)
    lengths.save(image, `${name} lengths`)
    values.save(image, `${name} values`)
  }

  /** @param kickoffs by value */
  load(image: ImageReader, name: string, kickoffs: Float64Array): void {
    const keys = readColumn(image, `${name} keys`, Int32Array)
    const lengths = readColumn(image, `${name} lengths`, Uint32Array)
    const values = readColumn(image, `${name} values`, Uint32Array)
    let place = 0
    for (let n = 0; n < keys.length; n++) {
      const list = [kickoffs[values[place]!]!, values[place]!]
      for (const end = place + lengths[n]!; ++place < end; ) list.push(kickoffs[values[place]!]!, values[place]!)
      this.lists.set(keys[n]!, list)
    }
  }

  /** Passes over what was saved. */
  static skip(image: ImageReader, name: string): void {
    readColumn(image, `${name} keys`, Int32Array)
    readColumn(image, `${name} lengths`, Uint32Array)
    readColumn(image, `${name} values`, Uint32Array)
  }

  clear(): void {
    this.lists.clear()
  }

  /**
   * Visits the values of a key that kick off from `fromAt` to `toAt`, both included, at most `max` of them.
   * @returns false if there are more
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
    const count = list.length >>> 1
    const start = firstPlace(list, fromAt)
    const end = Math.min(count, start + max)
    for (let place = start; place < end; place++) {
      const kickoffAt = list[2 * place]!
      if (kickoffAt > toAt) return true
      visit(list[2 * place + 1]!, kickoffAt)
    }
    return end === count || list[2 * end]! > toAt
  }
}
