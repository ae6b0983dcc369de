// The Betfair Exchange stream (docs/feeds.md 8; the public ESASwaggerSchema.json of its sample code): one JSON message
// a line, of which `mcm`, the market changes, matter here. It sends only changes, so a book of each market is kept.
//
// A message may be a segment of a change: SEG_START, SEG …, SEG_END. Its prices are applied as they arrive. After a
// resumption from before a change whose last segment was lost, its first segments come again, which is harmless: a
// change states values, not differences.
//
// SUB_IMAGE is all that a subscription has: each market in it starts again, all its quotes are published, and when it
// is complete, the markets that were not in it are gone. Their quotes lose their prices, and so are suspended. Nothing
// more is needed after a connection without clocks, another subscription, or a loss.

import type { Observation } from '../../domain/observation.ts'
import { isRecord } from '../../domain/record.ts'
import { isEpochMs } from '../../domain/time.ts'
import { MarketBook, type Owners } from './betfair-book.ts'
import type { MarketNames } from './betfair-market.ts'
import { StreamTime } from './betfair-time.ts'
import type { Normaliser, NormaliserOptions } from '../kit/normaliser.ts'
import { parseJson } from '../kit/json.ts'
import { isCleanText } from '../kit/text.ts'

export interface BetfairNormaliserOptions extends NormaliserOptions {
  /** How far ahead of the time of receipt a message may be; at most what the engine accepts. */
  readonly aheadMsMax?: number
}

export interface BetfairNormaliser extends Normaliser {
  read(text: string, lineNumber: number): Observation[]
  end(): Observation[]
  /** Ids of the markets whose definition has no names: their prices are held back until {@link nameMarket}. */
  unnamedMarkets(): string[]
  /**
   * Names a market, as `listMarketCatalogue` does: recordings have names in the definition, a live stream has ids only.
   * The names serve later definitions, too.
   * @returns what was held back, as of the last message
   */
  nameMarket(marketId: string, names: MarketNames): Observation[]
}

// A subscription has at most some thousand markets; the rest are those of days before.
const MARKETS_MAX = 20_000
// Closed and gone markets are kept for a while: they may be sent again, and must not be counted again.
const FINISHED_MAX = 1_000

class Stream implements BetfairNormaliser {
  private readonly options: NormaliserOptions
  private readonly time: StreamTime
  private readonly books = new Map<string, MarketBook>()
  /** In the order in which they ended. */
  private readonly finished = new Set<MarketBook>()
  private readonly owners: Owners = new Map()
  /** Markets of the current image; undefined between images. */
  private imaged: Set<MarketBook> | undefined
  private lineNumber = 0

  constructor(options: BetfairNormaliserOptions) {
    this.options = options
    this.time = new StreamTime(options.facts.receivedAt, options.aheadMsMax)
  }

  read(text: string, lineNumber: number): Observation[] {
    this.lineNumber = lineNumber
    const json = parseJson(text)
    if ('fault' in json) return this.malformed('', json.fault)
    const { value: message } = json
    if (!isRecord(message)) return this.malformed('', 'must be an object')
    if (message.op !== 'mcm') return []
    const { pt, mc, ct, segmentType } = message
    if (!isEpochMs(pt)) return this.malformed('.pt', 'must be a time in ms, before the year 10000')
    this.time.moveTo(pt)
    if (ct === 'HEARTBEAT') return []
    const isWhole = segmentType === undefined || segmentType === null
    if (isWhole || segmentType === 'SEG_START') this.imaged = ct === 'SUB_IMAGE' ? new Set() : undefined
    const observations: Observation[] = []
    if (Array.isArray(mc)) {
      for (let index = 0; index < mc.length; index++) this.readChange(mc[index], index, observations)
    } else if (mc !== undefined && mc !== null) {
      this.imaged = undefined // what could not be read is not gone
      return this.malformed('.mc', 'must be an array')
    }
    if (this.imaged !== undefined && (isWhole || segmentType === 'SEG_END')) this.endImage(this.imaged, observations)
    return observations
  }

  unnamedMarkets(): string[] {
    return [...this.books.values()].filter(({ isUnnamed, isFinished }) => isUnnamed && !isFinished).map(({ id }) => id)
  }

  nameMarket(marketId: string, names: MarketNames): Observation[] {
    const observations: Observation[] = []
    this.books.get(marketId)?.name(names, observations)
    return observations
  }

  /** Holds no observation back; but only now it is known which runners never get a price, or a definition. */
  end(): Observation[] {
    for (const book of this.books.values()) book.countRest()
    return []
  }

  private readChange(change: unknown, index: number, observations: Observation[]): void {
    if (!isRecord(change)) {
      this.malformed(`.mc[${index}]`, 'must be an object')
      return
    }
    const { id, rc, marketDefinition } = change
    const book = typeof id === 'string' ? (this.books.get(id) ?? this.addBook(id)) : undefined
    if (book === undefined) {
      this.malformed(`.mc[${index}].id`, `must be a market id, one of at most ${MARKETS_MAX}`)
      return
    }
    if (change.img === true || (this.imaged !== undefined && !this.imaged.has(book))) book.clear()
    this.imaged?.add(book)
    if (book.isFinished) {
      book.isFinished = false
      this.finished.delete(book)
    }
    if (Array.isArray(rc)) {
      for (let runner = 0; runner < rc.length; runner++) {
        const reason = book.readRunner(rc[runner])
        if (reason !== undefined) this.malformed(`.mc[${index}].rc[${runner}]`, reason)
      }
    } else if (rc !== undefined && rc !== null) {
      this.malformed(`.mc[${index}].rc`, 'must be an array')
      book.clear() // the ladders are unknown now
    }
    // After the prices of the same change: both have the same time.
    if (marketDefinition === undefined || marketDefinition === null) book.settle(observations)
    else {
      const unread = book.define(marketDefinition, observations)
      if (unread !== undefined) this.malformed(`.mc[${index}].marketDefinition`, unread.reason, unread.parts)
    }
    if (book.isClosed) this.finish(book)
  }

  private addBook(id: string): MarketBook | undefined {
    if (this.books.size >= MARKETS_MAX || id === '') return undefined
    if (!isCleanText(id, this.options.limits.textLengthMax)) return undefined
    const book = new MarketBook(id, this.owners, this.time, this.options)
    this.books.set(id, book)
    return book
  }

  private endImage(imaged: ReadonlySet<MarketBook>, observations: Observation[]): void {
    this.imaged = undefined
    for (const book of this.books.values()) {
      if (book.isFinished || imaged.has(book)) continue
      book.clear()
      book.settle(observations)
      this.finish(book)
    }
  }

  private finish(book: MarketBook): void {
    book.isFinished = true
    book.countRest()
    this.finished.add(book)
    if (this.finished.size <= FINISHED_MAX) return
    const [oldest] = this.finished
    this.finished.delete(oldest!)
    this.books.delete(oldest!.id)
    oldest!.disown()
  }

  private malformed(place: string, reason: string, parts = 1): Observation[] {
    this.options.account.malformed += parts
    this.options.onMalformed(`line ${this.lineNumber}${place}`, reason)
    return []
  }
}

/**
 * The format `betfair`: one message of the stream a line. A line or part that cannot be read is skipped and reported.
 */
export const betfairNormaliser = (options: BetfairNormaliserOptions): BetfairNormaliser => new Stream(options)
