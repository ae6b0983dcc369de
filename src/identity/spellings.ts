// Comparisons of spellings: of the names and times of sightings and events.

import type { KnownSighting } from '../board/event-record.ts'
import type { Event } from '../domain/event.ts'
import type { EventSighting } from '../domain/observation.ts'

export const sourceOf = (key: string): string => key.slice(0, key.indexOf(':'))

export const isSameSpelling = (a: EventSighting, b: EventSighting): boolean =>
  a === b || (a.kickoffAt === b.kickoffAt && a.home === b.home && a.away === b.away && a.leagueKey === b.leagueKey)

export const isSameSighting = (a: EventSighting, b: EventSighting): boolean =>
  isSameSpelling(a, b) && a.leagueName === b.leagueName

export const isSameEvent = (a: Event, b: Event): boolean =>
  a.kickoffAt === b.kickoffAt &&
  a.homeTeam === b.homeTeam &&
  a.awayTeam === b.awayTeam &&
  a.leagueKey === b.leagueKey &&
  a.leagueName === b.leagueName

/** A sighting with home and away as its event has them. */
export const rightWayRound = ({ sighting, swapped }: KnownSighting): EventSighting =>
  swapped ? { ...sighting, home: sighting.away, away: sighting.home } : sighting
