// Posting lists of the index of events: outlines by the number of a name, in the order of kickoff, in typed arrays. As arrays of
// V8 in a Map, most of one outline, they were a hundred octets each, which a start had to make and every collection to look at.

import { HashTable } from '../domain/hash-table.ts'
import { readColumn } from '../domain/image-columns.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { NumberLists } from '../domain/number-lists.ts'

/** When the match of each outline kicks off, epoch ms, by the number of the outline. It may be another array once it is full. */
export interface Kickoffs {
  readonly kickoffs: Float64Array
}

/** Memory of lists for each outline, in words: of five pairs of beginnings, with a third to spare. */
const WORDS_AN_OUTLINE = 8

/** A hash that no two keys share, of a key of 32 bits: each step can be undone. */
const hashOf = (seed: number, key: number): number => {
  let hash = Math.imul(key ^ seed, 0x9e37_79b1)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}

/** Of a key: an outline, doubled, plus one, or a list of two or more, doubled. */
type Posting = number

const ofOne = (outline: number): Posting => outline * 2 + 1
const ofList = (list: number): Posting => list * 2
const isOne = (posting: Posting): boolean => (posting & 1) === 1
const numberOf = (posting: Posting): number => posting >>> 1

const isAny = (): boolean => true

/** What is the same for all processes: outlines of one kickoff are in the order of their numbers. */
export class Postings {
  private readonly table = new HashTable()
  private readonly lists: NumberLists
  private readonly outlines: Kickoffs

  /** @param expected outlines for which there is memory, a page of which the system gives when it is first written */
  constructor(outlines: Kickoffs, expected: number) {
    this.outlines = outlines
    // A name may be in as many matches as a source likes.
    this.lists = new NumberLists(Math.max(64, expected * WORDS_AN_OUTLINE), true)
  }

  /** Adds an outline that a key does not have. */
  add(key: number, outline: number): void {
    const { table, lists } = this
    const hash = hashOf(table.seed, key)
    const posting = table.find(hash, isAny)
    if (posting === 0) {
      table.add(hash, ofOne(outline))
      return
    }
    const list = isOne(posting) ? lists.insert(0, 0, numberOf(posting)) : numberOf(posting)
    const grown = lists.insert(list, this.placeOf(list, this.outlines.kickoffs[outline]!, outline), outline)
    if (ofList(grown) !== posting) table.replace(hash, posting, ofList(grown))
  }

  /** Removes an outline, whose kickoff is still the one that it was added with; nothing where a key does not have it. */
  remove(key: number, outline: number): void {
    const { table, lists } = this
    const hash = hashOf(table.seed, key)
    const posting = table.find(hash, isAny)
    if (isOne(posting)) {
      if (numberOf(posting) === outline) table.remove(hash, posting)
      return
    }
    const list = numberOf(posting)
    const place = this.placeOf(list, this.outlines.kickoffs[outline]!, outline)
    if (place === lists.lengthOf(list) || lists.at(list, place) !== outline) return
    const left = lists.removeAt(list, place)
    if (lists.lengthOf(left) > 1) {
      if (left !== list) table.replace(hash, posting, ofList(left))
      return
    }
    table.replace(hash, posting, ofOne(lists.at(left, 0)))
    lists.removeAt(left, 0)
  }

  save(image: ImageWriter, name: string): void {
    this.table.save(image, name)
    this.lists.save(image, name)
  }

  /** Into an object without outlines. It may be used as {@link HashTable.load} says. */
  load(image: ImageReader, name: string): void {
    this.table.load(image, name)
    this.lists.load(image, name)
  }

  /**
   * Passes over what was saved.
   * @param isBefore by an earlier version
   */
  static skip(image: ImageReader, name: string, isBefore: boolean): void {
    if (isBefore) {
      readColumn(image, `${name} keys`, Int32Array)
      for (const part of ['lengths', 'values']) readColumn(image, `${name} ${part}`, Uint32Array)
      return
    }
    HashTable.skip(image, name)
    NumberLists.skip(image, name)
  }

  clear(): void {
    this.table.clear()
    this.lists.clear()
  }

  /**
   * Visits the outlines of a key that kick off from `fromAt` to `toAt`, both included, at most `max` of them.
   * @returns false if there are more
   */
  visit(
    key: number,
    fromAt: number,
    toAt: number,
    max: number,
    visit: (outline: number, kickoffAt: number) => void,
  ): boolean {
    const { table, lists, outlines } = this
    const posting = table.find(hashOf(table.seed, key), isAny)
    if (posting === 0) return true
    if (isOne(posting)) {
      const outline = numberOf(posting)
      const kickoffAt = outlines.kickoffs[outline]!
      if (kickoffAt < fromAt || kickoffAt > toAt) return true
      if (max < 1) return false
      visit(outline, kickoffAt)
      return true
    }
    const list = numberOf(posting)
    const count = lists.lengthOf(list)
    const start = this.placeOf(list, fromAt, 0)
    for (let place = start; place < count; place++) {
      const outline = lists.at(list, place)
      const kickoffAt = outlines.kickoffs[outline]!
      if (kickoffAt > toAt) return true
      if (place - start === max) return false
      visit(outline, kickoffAt)
    }
    return true
  }

  /** First place of a list whose outline kicks off later, or then and has this number or a higher one. */
  private placeOf(list: number, kickoffAt: number, outline: number): number {
    const { lists } = this
    const { kickoffs } = this.outlines
    let low = 0
    let high = lists.lengthOf(list)
    while (low < high) {
      const middle = (low + high) >>> 1
      const other = lists.at(list, middle)
      if (kickoffs[other]! > kickoffAt || (kickoffs[other] === kickoffAt && other >= outline)) high = middle
      else low = middle + 1
    }
    return low
  }
}
