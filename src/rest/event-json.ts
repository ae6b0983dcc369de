// An event as JSON (docs/architecture.md 7). All but the market count is the same for all callers, and cached as bytes.

import type { Event } from '../domain/event.ts'
import { JsonWriter, piece } from '../json-writer.ts'

// Keyed by the immutable domain record: a renamed event has a new one.
const heads = new WeakMap<Event, Uint8Array>()
const headWriter = new JsonWriter(1024)

const SPORT = piece(',"sport":')
const LEAGUE_KEY = piece(',"leagueKey":')
const LEAGUE_NAME = piece(',"leagueName":')
const HOME = piece(',"homeTeam":')
const AWAY = piece(',"awayTeam":')
const KICKOFF = piece(',"kickoffAt":')
const COUNT = piece(',"marketCount":')
const ID = piece('{"id":')
const CLOSE_BRACE = 0x7d

const headOf = (event: Event): Uint8Array => {
  const known = heads.get(event)
  if (known !== undefined) return known
  headWriter.raw(ID)
  headWriter.string(event.id)
  headWriter.raw(SPORT)
  headWriter.string(event.sport)
  headWriter.raw(LEAGUE_KEY)
  headWriter.string(event.leagueKey)
  headWriter.raw(LEAGUE_NAME)
  headWriter.string(event.leagueName)
  headWriter.raw(HOME)
  headWriter.string(event.homeTeam)
  headWriter.raw(AWAY)
  headWriter.string(event.awayTeam)
  headWriter.raw(KICKOFF)
  headWriter.time(event.kickoffAt)
  headWriter.raw(COUNT)
  const head = headWriter.detach()
  heads.set(event, head)
  return head
}

export const writeEvent = (writer: JsonWriter, event: Event, marketCount: number): void => {
  writer.raw(headOf(event))
  writer.number(marketCount)
  writer.char(CLOSE_BRACE)
}
