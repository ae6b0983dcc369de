// GET /events/{eventId}/odds (docs/architecture.md 7).

import type { BookmakerSet } from '../domain/audience.ts'
import type { EventView } from '../domain/event.ts'
import { MARKET_TYPES } from '../domain/market.ts'
import { TRANSPORTS, type TransportNumber } from '../domain/transport.ts'
import type { Engine } from '../engine/engine.ts'
import { type JsonWriter, piece } from '../json-writer.ts'
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

/** Writes the odds of events, as a visitor of the board. */
export class OddsWriter {
  private readonly writer: JsonWriter
  private readonly bookmakerHead: BookmakerHead
  private transportOdds = TRANSPORT_ODDS[0]!
  private isFirstMarket = true
  private isFirstBookmaker = true
  private isFirstOutcome = true

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
    writer.raw(EVENT)
    writeEvent(writer, view.event, marketCount)
    writer.raw(MARKETS)
    const freshUntil = engine.reader.visitOdds(view, transport, seen, asked, nowAt, this)
    writer.raw(END)
    return freshUntil
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

  outcome(outcomeJson: Uint8Array, odds: number, observedAt: number): void {
    const { writer } = this
    if (!this.isFirstOutcome) writer.char(COMMA)
    this.isFirstOutcome = false
    writer.raw(OUTCOME)
    writer.raw(outcomeJson)
    writer.raw(this.transportOdds)
    writer.number(odds)
    writer.raw(STATUS_TIME)
    writer.time(observedAt)
    writer.char(CLOSE_BRACE)
  }

  endBookmaker(): void {
    this.writer.raw(LIST_OBJECT_END)
  }

  endMarket(): void {
    this.writer.raw(LIST_OBJECT_END)
  }
}
