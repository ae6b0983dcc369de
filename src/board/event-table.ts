// From a text to the event that it leads to. A text that a Map has as its key costs 33 octets beside the text itself; here
// it costs 8 to 21, and the text need not be in memory, if the event can say whether it is one of its own.

import { HashTable } from '../domain/hash-table.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { invariant } from './invariant.ts'

const hashOf = (seed: number, text: string): number => {
  let hash = seed
  for (let place = 0; place < text.length; place++) hash = Math.imul(hash ^ text.charCodeAt(place), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** An event may be there under several texts. */
export class EventTable {
  private readonly table = new HashTable()

  get size(): number {
    return this.table.size
  }

  /**
   * The number of the event that a text leads to, 0 where there is none.
   * @param isOf whether it is a text of an event
   */
  find(text: string, isOf: (number: number) => boolean): number {
    const { table } = this
    return table.find(hashOf(table.seed, text), isOf)
  }

  /** Adds a text that is not there. */
  add(text: string, number: number): void {
    const { table } = this
    table.add(hashOf(table.seed, text), number)
  }

  /** Removes a text that is there. */
  remove(text: string, number: number): void {
    const { table } = this
    invariant(table.remove(hashOf(table.seed, text), number), 'a text that is removed is there')
  }

  /** See {@link HashTable.save}. */
  save(image: ImageWriter, name: string): void {
    this.table.save(image, name)
  }

  /** Into a table without texts, see {@link HashTable.load}. */
  load(image: ImageReader, name: string): void {
    this.table.load(image, name)
  }
}
