// Event: what bookmakers price (docs/architecture.md 7).

import type { Sport } from './sport.ts'

export interface Event {
  /** Digits only; the same for the same first sighting, in every process. */
  readonly id: string
  readonly sport: Sport
  readonly leagueKey: string
  readonly leagueName: string
  readonly homeTeam: string
  readonly awayTeam: string
  /** Epoch ms. */
  readonly kickoffAt: number
}

/** Whether two events are the same in each field. */
export const isSameEvent = (a: Event, b: Event): boolean =>
  a === b ||
  (a.id === b.id &&
    a.sport === b.sport &&
    a.kickoffAt === b.kickoffAt &&
    a.homeTeam === b.homeTeam &&
    a.awayTeam === b.awayTeam &&
    a.leagueKey === b.leagueKey &&
    a.leagueName === b.leagueName)

/** An event as readers see it on the board. Valid until the engine's next turn. */
export interface EventView {
  /** Its number on the board; reused when the event is gone. */
  readonly number: number
  /** Replaced, never changed: renderers may key on it. */
  readonly event: Event
  readonly sportNumber: number
  /** Ids of events that were merged into this one: they lead here. */
  readonly formerIds: readonly string[]
}
