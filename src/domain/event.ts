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

/** An event as readers meet it on the board. Valid until the engine's next turn. */
export interface EventView {
  /** Its number on the board; given again when the event is gone. */
  readonly number: number
  /** Replaced, never changed: renderers may key on it. */
  readonly event: Event
  readonly sportNumber: number
  /** Ids of events that have turned out to be this one: they lead here. */
  readonly formerIds: readonly string[]
  /** Per transport number: moves whenever an answer about this event may have changed. Never the same twice. */
  readonly versions: readonly [number, number]
}
