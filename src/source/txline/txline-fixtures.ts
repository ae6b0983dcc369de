// Fixtures that recordings of TxLINE name by id only (docs/feeds.md 11). Names are from a public program's list of the
// competition's fixtures, kickoffs from the published match schedule; facts only, no text of a source.

import type { Fixture } from '../../domain/observation.ts'

const worldCup = (home: string, away: string, kickoff: string): Fixture => ({
  sport: 'football',
  leagueKey: 'fifa_world_cup',
  leagueName: 'FIFA World Cup',
  home,
  away,
  kickoffAt: Date.parse(kickoff),
})

/** By fixture id. */
export const TXLINE_FIXTURES: ReadonlyMap<string, Fixture> = new Map([
  ['17588223', worldCup('Mexico', 'South Korea', '2026-06-19T01:00:00Z')],
  ['17588229', worldCup('Paraguay', 'Australia', '2026-06-26T02:00:00Z')],
  ['17588234', worldCup('Norway', 'France', '2026-06-26T19:00:00Z')],
  ['17588235', worldCup('Uruguay', 'Cape Verde', '2026-06-21T22:00:00Z')],
  ['17588240', worldCup('Germany', 'Ivory Coast', '2026-06-20T20:00:00Z')],
])
