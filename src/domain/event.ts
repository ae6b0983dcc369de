// Event: what bookmakers price (spec §2.9).

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
