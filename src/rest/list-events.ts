// GET /events (docs/architecture.md 7): events with at least one market open to the caller, by kickoff.

import { type Audience, bookmakersOf } from '../domain/audience.ts'
import type { EventView } from '../domain/event.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import type { Engine } from '../engine/engine.ts'
import type { JsonWriter } from '../json-writer.ts'
import { writeEvent } from './event-json.ts'
import { writePage } from './page-json.ts'
import type { Query } from './target.ts'

const COMMA = 0x2c

export const writeEvents = (
  writer: JsonWriter,
  engine: Engine,
  audience: Audience,
  query: Query,
  nowAt: number,
  isSettled: boolean,
): void => {
  const transport = TRANSPORT_NUMBER[query.transport]
  const { reader } = engine
  const shown: EventView[] = []
  const counts: number[] = []
  let total = 0
  reader.visitEvents(query.sportNumber, query.league, query.kickoffFrom, (view) => {
    if (view.event.kickoffAt > query.kickoffTo) return false
    const bookmakers = bookmakersOf(audience, transport, view.sportNumber)
    const isOnPage = total >= query.offset && shown.length < query.limit
    // Off the page, one open market is enough.
    if (!isOnPage) {
      if (reader.hasOpenMarket(view, transport, bookmakers, nowAt, isSettled)) total++
      return true
    }
    const count = reader.marketCount(view, transport, bookmakers, nowAt, isSettled)
    if (count === 0) return true
    total++
    shown.push(view)
    counts.push(count)
    return true
  })
  writePage(writer, total, query, query.sport, () => {
    for (const [place, view] of shown.entries()) {
      if (place > 0) writer.char(COMMA)
      writeEvent(writer, view.event, counts[place]!)
    }
  })
}
