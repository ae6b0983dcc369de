// GET /events/{eventId}/odds (docs/architecture.md 7).

import { hash } from 'node:crypto'
import type { Reader } from '../board/reader.ts'
import type { BookmakerSet } from '../domain/audience.ts'
import type { EventView } from '../domain/event.ts'
import { MARKET_TYPES } from '../domain/market.ts'
import { TRANSPORTS, type TransportNumber } from '../domain/transport.ts'
import type { Engine } from '../engine/engine.ts'
import { JsonWriter, piece } from '../json-writer.ts'
import { writeEvent } from './event-json.ts'

const EVENT = piece('{"data":{"event":')
const MARKETS = piece(',"markets":[')
const MARKET_HEADS = MARKET_TYPES.map((type) => piece(`{"type":"${type}","line":`))
const NULL = piece('null')
const BOOKMAKERS = piece(',"bookmakers":[')
const OUTCOME = piece('{"outcome":')
const TRANSPORT_ODDS = TRANSPORTS.map((transport) => piece(`,"transport":"${transport}","odds":`))
const STATUS_TIME = piece(',"status":"open","lastUpdatedAt":')
const LIST_OBJECT_END = piece(']}')
const END = piece(']}}')
const COMMA = 0x2c
const CLOSE_BRACE = 0x7d

/** Bytes of a bookmaker up to its outcomes: `{"slug":…,"displayName":…,"outcomes":[`. */
export type BookmakerHead = (bookmaker: number) => Uint8Array

/** What is kept of a body, so that other odds and times can be written into it. */
export interface OddsPlaces {
  /** Of the event when the body was written: while it has the same, only odds and times can have changed. */
  readonly shape: number
  /** In the order of the body: numbers of the quotes, and where the odds of each begin. */
  readonly quotes: Uint32Array
  readonly starts: Uint32Array
  /**
   * All that the body says, for its ETag: 32 octets of SHA-256 of the body without its odds and times, then odds and time of each
   * quote. Hashing this again takes a fifth of what hashing the body takes.
   */
  readonly content: Float64Array
}

/** Doubles of {@link OddsPlaces.content} before the odds of the first quote. */
const CONTENT_HEAD = 4

/** Memory of places, per quote and for all. */
const PLACE_BYTES = 24
const PLACES_BYTES = 512

export const placesBytes = ({ quotes }: OddsPlaces): number => PLACES_BYTES + quotes.length * PLACE_BYTES

/** Octets behind the odds, up to the end of the time. */
const TAIL_BYTES = STATUS_TIME.length + '"2026-11-20T19:03:11.482Z"'.length

/** Octets of the longest odds: `-2.2250738585072014e-308`. */
const ODDS_BYTES_MAX = 24

/** Where odds and time end that begin at `start`: odds contain no comma. */
const endOfPrice = (body: Uint8Array, start: number): number => {
  let end = start + 1
  while (body[end] !== COMMA) end++
  return end + TAIL_BYTES
}

/** Writes the odds of events, as a visitor of the board. */
export class OddsWriter {
  private readonly writer: JsonWriter
  private readonly bookmakerHead: BookmakerHead
  private transportOdds = TRANSPORT_ODDS[0]!
  private isFirstMarket = true
  private isFirstBookmaker = true
  private isFirstOutcome = true
  private readonly quotes: number[] = []
  private readonly starts: number[] = []
  private readonly values: number[] = []
  private readonly frame = new JsonWriter()

  constructor(writer: JsonWriter, bookmakerHead: BookmakerHead) {
    this.writer = writer
    this.bookmakerHead = bookmakerHead
  }

  /**
   * @param seen the bookmakers that may be seen
   * @param asked those of them that pass the filter
   * @param marketCount of the event, without the filter
   * @returns the moment until which the body is valid, epoch ms
   */
  write(
    engine: Engine,
    view: EventView,
    transport: TransportNumber,
    seen: BookmakerSet,
    asked: BookmakerSet,
    marketCount: number,
    nowAt: number,
  ): number {
    const { writer } = this
    this.transportOdds = TRANSPORT_ODDS[transport]!
    this.isFirstMarket = true
    this.quotes.length = 0
    this.starts.length = 0
    this.values.length = 0
    writer.raw(EVENT)
    writeEvent(writer, view.event, marketCount)
    writer.raw(MARKETS)
    const freshUntil = engine.reader.visitOdds(view, transport, seen, asked, nowAt, this)
    writer.raw(END)
    return freshUntil
  }

  /** The places of the body that was written last, and is still in the writer. */
  places(shape: number): OddsPlaces {
    const { quotes, starts, values, frame } = this
    const body = this.writer.view()
    const count = quotes.length
    // One piece of memory for the three.
    const content = new Float64Array(CONTENT_HEAD + 3 * count)
    const numbers = new Uint32Array(content.buffer, (CONTENT_HEAD + 2 * count) * content.BYTES_PER_ELEMENT)
    const places = {
      shape,
      quotes: numbers.subarray(0, count),
      starts: numbers.subarray(count),
      content: content.subarray(0, CONTENT_HEAD + 2 * count),
    }
    let from = 0
    frame.begin(body, 0)
    for (let n = 0; n < count; n++) {
      const start = starts[n]!
      frame.keep(from, start)
      from = endOfPrice(body, start)
      places.quotes[n] = quotes[n]!
      places.starts[n] = start
      content[CONTENT_HEAD + 2 * n] = values[2 * n]!
      content[CONTENT_HEAD + 2 * n + 1] = values[2 * n + 1]!
    }
    frame.keep(from, body.length)
    Buffer.from(content.buffer).set(hash('sha256', frame.view(), 'buffer'))
    return places
  }

  /**
   * Writes a body again with the odds and times that its quotes have now, and brings its places up to date: 45 quotes, 10 of
   * which have changed, take a seventh of what {@link write} takes.
   * @returns false: they are the same, and nothing was written
   */
  rewrite(reader: Reader, body: Uint8Array, { quotes, starts, content }: OddsPlaces): boolean {
    const { writer } = this
    // Up to here the old body is written.
    let from = 0
    // The time that was written last, and where what stands behind its odds ends. What is sent together has one time.
    let timeAt = Number.NaN
    let timeEnd = 0
    for (let n = 0; n < quotes.length; n++) {
      const quote = quotes[n]!
      const odds = reader.oddsOf(quote)
      const observedAt = reader.observedAtOf(quote)
      const start = starts[n]!
      const place = CONTENT_HEAD + 2 * n
      if (odds === content[place] && observedAt === content[place + 1]) {
        starts[n] = writer.size + start - from
        continue
      }
      if (from === 0) writer.begin(body, quotes.length * ODDS_BYTES_MAX)
      writer.keep(from, start)
      starts[n] = writer.size
      content[place] = odds
      content[place + 1] = observedAt
      writer.number(odds)
      if (observedAt === timeAt) writer.repeat(timeEnd - TAIL_BYTES, timeEnd)
      else this.time(observedAt)
      timeAt = observedAt
      timeEnd = writer.size
      from = endOfPrice(body, start)
    }
    if (from === 0) return false
    writer.keep(from, body.length)
    return true
  }

  beginMarket(type: number, line: number | null): void {
    const { writer } = this
    if (!this.isFirstMarket) writer.char(COMMA)
    this.isFirstMarket = false
    this.isFirstBookmaker = true
    writer.raw(MARKET_HEADS[type]!)
    if (line === null) writer.raw(NULL)
    else writer.number(line)
    writer.raw(BOOKMAKERS)
  }

  beginBookmaker(bookmaker: number): void {
    if (!this.isFirstBookmaker) this.writer.char(COMMA)
    this.isFirstBookmaker = false
    this.isFirstOutcome = true
    this.writer.raw(this.bookmakerHead(bookmaker))
  }

  outcome(outcomeJson: Uint8Array, odds: number, observedAt: number, quote: number): void {
    const { writer } = this
    if (!this.isFirstOutcome) writer.char(COMMA)
    this.isFirstOutcome = false
    writer.raw(OUTCOME)
    writer.raw(outcomeJson)
    writer.raw(this.transportOdds)
    this.quotes.push(quote)
    this.starts.push(writer.size)
    this.values.push(odds, observedAt)
    writer.number(odds)
    this.time(observedAt)
    writer.char(CLOSE_BRACE)
  }

  endBookmaker(): void {
    this.writer.raw(LIST_OBJECT_END)
  }

  endMarket(): void {
    this.writer.raw(LIST_OBJECT_END)
  }

  private time(observedAt: number): void {
    this.writer.raw(STATUS_TIME)
    this.writer.time(observedAt)
  }
}
