// Short lists of numbers in one column: the markets of each event, and its books; the outlines of each name. Two arrays of V8
// for an event of three markets and five books are 160 octets, and each insertion leaves one behind as garbage (an eighth of all
// that arrives with new events); here they are 40.
//
//   words   … │ length  number  number  …  (to spare) │ length  …
//             └ the list is the place of its length

import type { ImageReader, ImageWriter } from './image.ts'
import { memoryOf } from './memory.ts'

/**
 * Blocks are of 2, 3, 4, 6, 8, 12, … words: to spare is a third at most, and a list that grows is seldom moved. The class of
 * `words` words.
 */
const classOf = (words: number): number => {
  const bits = 31 - Math.clz32(words - 1)
  return 2 * bits + (2 * words <= 3 << bits ? 0 : 1)
}

const sizeOf = (blocks: number): number => {
  const bits = blocks >> 1
  return (blocks & 1) === 0 ? (3 << bits) >> 1 : 2 << bits
}

const CLASSES = 64

/** A list is a number, which changes as the list grows or shrinks; 0: the empty one. */
export class NumberLists {
  /** For loops over a list, as {@link lengthOf} and {@link at} say; another one once it is full. */
  words: Uint32Array
  private end = 1
  /** The first free block of each class; each has the next one in its first word. */
  private readonly free = new Uint32Array(CLASSES)
  private readonly memoryOf: typeof memoryOf

  /**
   * @param wordsMax there is memory for so many, at first: the system commits pages when they are first written
   * @param hasLong whether lists may have thousands of numbers. Their memory is not shared: in shared memory V8 moves 100 000
   *   numbers in 0.26 ms, else in 0.008
   */
  constructor(wordsMax: number, hasLong = false) {
    this.memoryOf = hasLong ? (octets) => new ArrayBuffer(octets) : memoryOf
    this.words = new Uint32Array(this.memoryOf(4 * wordsMax))
  }

  lengthOf(list: number): number {
    return this.words[list]!
  }

  at(list: number, place: number): number {
    return this.words[list + 1 + place]!
  }

  /** A copy of a list. */
  numbersOf(list: number): number[] {
    return Array.from(this.words.subarray(list + 1, list + 1 + this.words[list]!))
  }

  /** @returns the list from now on */
  insert(list: number, place: number, number: number): number {
    const length = this.lengthOf(list)
    const grown = this.resize(list, length, length + 1)
    const { words } = this
    words.copyWithin(grown + 2 + place, grown + 1 + place, grown + 1 + length)
    words[grown + 1 + place] = number
    return grown
  }

  /** Removes a number. @returns the list from now on; undefined where the number is not in it */
  remove(list: number, number: number): number | undefined {
    const { words } = this
    const end = list + 1 + words[list]!
    let at = list + 1
    while (at < end && words[at] !== number) at++
    return at === end ? undefined : this.removeAt(list, at - list - 1)
  }

  /** Removes the number at a place. @returns the list from now on */
  removeAt(list: number, place: number): number {
    const { words } = this
    const length = words[list]!
    words.copyWithin(list + 1 + place, list + 2 + place, list + 1 + length)
    return this.resize(list, length, length - 1)
  }

  /** A new list of the numbers of a column from one place to another (exclusive). */
  add(column: Uint32Array, from: number, to: number): number {
    const list = this.resize(0, 0, to - from)
    // They are few, mostly: a call would take longer.
    for (let place = from; place < to; place++) this.words[list + 1 + place - from] = column[place]!
    return list
  }

  /** Removes all lists. */
  clear(): void {
    this.end = 1
    this.free.fill(0)
  }

  /** As numbers that follow from what refers to them. */
  save(image: ImageWriter, name: string): void {
    image.derived(`${name} free`, this.free)
    image.derived(`${name} words`, this.words.subarray(0, this.end))
  }

  /** Into an object without lists. They may be used when all of the image is there, or after `settle`. */
  load(image: ImageReader, name: string): void {
    image.derived(`${name} free`, this.free, 'now')
    this.end = image.lengthOf(`${name} words`)
    if (this.end > this.words.length) this.widen()
    image.derived(`${name} words`, this.words.subarray(0, this.end))
  }

  /** Passes over what was saved. */
  static skip(image: ImageReader, name: string): void {
    for (const part of ['free', 'words']) image.derived(`${name} ${part}`, new Uint32Array(0))
  }

  /** Gives a list room for `next` numbers; of `length` it keeps as many. */
  private resize(list: number, length: number, next: number): number {
    const before = length === 0 ? -1 : classOf(length + 1)
    const after = next === 0 ? -1 : classOf(next + 1)
    if (before === after) {
      if (next > 0) this.words[list] = next
      return list
    }
    const moved = after === -1 ? 0 : this.allocate(after)
    const { words } = this
    const kept = Math.min(length, next)
    for (let n = 1; n <= kept; n++) words[moved + n] = words[list + n]!
    if (moved !== 0) words[moved] = next
    if (before !== -1) {
      words[list] = this.free[before]!
      this.free[before] = list
    }
    return moved
  }

  private allocate(blocks: number): number {
    const freed = this.free[blocks]!
    if (freed !== 0) {
      this.free[blocks] = this.words[freed]!
      return freed
    }
    const block = this.end
    this.end += sizeOf(blocks)
    if (this.end > this.words.length) this.widen()
    return block
  }

  private widen(): void {
    const wider = new Uint32Array(this.memoryOf(4 * Math.max(this.end, this.words.length * 2)))
    wider.set(this.words)
    this.words = wider
  }
}
