// Which bookmakers have an open quote in which market, per transport, as bit sets: lists are answered without touching
// quotes.

import type { BookmakerSet } from '../domain/audience.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { TRANSPORTS, type TransportNumber } from '../domain/transport.ts'
import type { NumberLists } from '../domain/number-lists.ts'

export class OpenMarkets {
  // Words of (market, transport) at (market * 2 + transport) * wordsPerSet.
  private words: Uint32Array
  private wordsPerSet = 1
  private readonly marketsMax: number
  // All markets so far have numbers below this.
  private marketsEnd = 1

  constructor(marketsMax: number) {
    this.marketsMax = marketsMax
    this.words = new Uint32Array(marketsMax * TRANSPORTS.length)
  }

  /** How many of a list of markets have an open quote of one of `bookmakers`. */
  count({ words }: NumberLists, markets: number, transport: TransportNumber, bookmakers: BookmakerSet): number {
    let count = 0
    const last = markets + words[markets]!
    for (let place = markets + 1; place <= last; place++) if (this.isOpen(words[place]!, transport, bookmakers)) count++
    return count
  }

  /** Whether one of a list of markets has an open quote of one of `bookmakers`. */
  hasAny({ words }: NumberLists, markets: number, transport: TransportNumber, bookmakers: BookmakerSet): boolean {
    const last = markets + words[markets]!
    for (let place = markets + 1; place <= last; place++) {
      if (this.isOpen(words[place]!, transport, bookmakers)) return true
    }
    return false
  }

  has(market: number, transport: TransportNumber, bookmaker: number): boolean {
    return (this.words[this.placeOf(market, transport, bookmaker)]! & (1 << (bookmaker & 31))) !== 0
  }

  /** Returns whether that is a change. */
  set(market: number, transport: TransportNumber, bookmaker: number, isOpen: boolean): boolean {
    const place = this.placeOf(market, transport, bookmaker)
    const bit = 1 << (bookmaker & 31)
    const word = this.words[place]!
    const next = (isOpen ? word | bit : word & ~bit) >>> 0
    if (next === word) return false
    this.words[place] = next
    return true
  }

  /** A new market: no bookmaker has an open quote in it. */
  clear(market: number): void {
    // A number that was never used has no bit set.
    if (market >= this.marketsEnd) this.marketsEnd = market + 1
    else this.words.fill(0, this.placeOf(market, 0, 0), this.placeOf(market + 1, 0, 0))
  }

  /** Makes the sets wide enough for a bookmaker. Rare: once every 32 bookmakers. */
  widen(bookmaker: number): void {
    const perSet = (bookmaker >>> 5) + 1
    if (perSet <= this.wordsPerSet) return
    const wider = new Uint32Array(this.marketsMax * TRANSPORTS.length * perSet)
    for (let set = 0; set < this.marketsEnd * TRANSPORTS.length; set++) {
      for (let word = 0; word < this.wordsPerSet; word++) {
        wider[set * perSet + word] = this.words[set * this.wordsPerSet + word]!
      }
    }
    this.words = wider
    this.wordsPerSet = perSet
  }

  save(image: ImageWriter): void {
    const { marketsEnd, wordsPerSet } = this
    image.value('open', [marketsEnd, wordsPerSet])
    image.column('open words', this.words.subarray(0, marketsEnd * TRANSPORTS.length * wordsPerSet))
  }

  /** After the columns of markets, of which there are enough. */
  load(image: ImageReader): void {
    const [marketsEnd, wordsPerSet] = image.value('open') as [number, number]
    this.marketsEnd = marketsEnd
    this.wordsPerSet = wordsPerSet
    if (wordsPerSet > 1) this.words = new Uint32Array(this.marketsMax * TRANSPORTS.length * wordsPerSet)
    image.column('open words', this.words)
  }

  private isOpen(market: number, transport: TransportNumber, bookmakers: BookmakerSet): boolean {
    const { words, wordsPerSet } = this
    const base = (market * TRANSPORTS.length + transport) * wordsPerSet
    const length = Math.min(wordsPerSet, bookmakers.length)
    for (let word = 0; word < length; word++) if ((words[base + word]! & bookmakers[word]!) !== 0) return true
    return false
  }

  private placeOf(market: number, transport: TransportNumber, bookmaker: number): number {
    return (market * TRANSPORTS.length + transport) * this.wordsPerSet + (bookmaker >>> 5)
  }
}
