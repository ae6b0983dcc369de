// GET /events (docs/architecture.md 7): events with at least one market open to the caller, by kickoff.

import { type Audience, bookmakersOf } from '../domain/audience.ts'
import type { Event, EventView } from '../domain/event.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import type { Engine } from '../engine/engine.ts'
import type { JsonWriter } from '../json-writer.ts'
import { writeEvent } from './event-json.ts'
import { writePage } from './page-json.ts'
import type { Query } from './target.ts'

const COMMA = 0x2c

/** A page of events, and how many there are in all: read in steps, each event as it is when it is visited. */
export class EventList {
  private readonly engine: Engine
  private readonly audience: Audience
  private readonly query: Query
  /** Those of the page, as they were when they were visited, with how many of their markets were open. */
  private readonly shown = new Map<EventView, { readonly event: Event; readonly count: number }>()
  private total = 0
  /** The last that was visited, as it was then. */
  private last: Event | undefined
  /** Whether quotes that were due were off the board, at each step. */
  wasSettled = true

  constructor(engine: Engine, audience: Audience, query: Query) {
    this.engine = engine
    this.audience = audience
    this.query = query
  }

  get isBegun(): boolean {
    return this.last !== undefined
  }

  /**
   * Visits the next events, so many at most.
   * @returns whether there are no more
   */
  visit(visitsMax: number, nowAt: number): boolean {
    const { audience, query, shown } = this
    const { reader } = this.engine
    const { sportNumber, league, kickoffTo } = query
    const isSettled = reader.isSettled(nowAt)
    this.wasSettled &&= isSettled
    const transport = TRANSPORT_NUMBER[query.transport]
    let left = visitsMax
    let isOver = true
    const visit = (view: EventView): boolean => {
      if (view.event.kickoffAt > kickoffTo) return false
      if (left-- === 0) return (isOver = false)
      this.last = view.event
      // A league key may be of two sports: a visit, too.
      if (sportNumber !== undefined && view.sportNumber !== sportNumber) return true
      const bookmakers = bookmakersOf(audience, transport, view.sportNumber)
      // Off the page, one open market is enough.
      if (this.total < query.offset || shown.size >= query.limit) {
        if (reader.hasOpenMarket(view, transport, bookmakers, nowAt, isSettled)) this.total++
        return true
      }
      const count = reader.marketCount(view, transport, bookmakers, nowAt, isSettled)
      // Rescheduled between two steps, it may come twice.
      if (count === 0 || shown.has(view)) return true
      this.total++
      shown.set(view, { event: view.event, count })
      return true
    }
    const { last } = this
    if (last === undefined) reader.visitEvents(sportNumber, league, query.kickoffFrom, visit)
    else reader.visitEvents(sportNumber, league, last.kickoffAt, visit, Number(last.id))
    return isOver
  }

  write(writer: JsonWriter): void {
    const { query, shown } = this
    writePage(writer, this.total, query, query.sport, () => {
      let isFirst = true
      for (const { event, count } of shown.values()) {
        if (!isFirst) writer.char(COMMA)
        isFirst = false
        writeEvent(writer, event, count)
      }
    })
  }
}
