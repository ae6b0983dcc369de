// Comparisons of spellings: of the names and times of sightings.

import type { EventSighting } from '../domain/observation.ts'

export const sourceOf = (key: string): string => key.slice(0, key.indexOf(':'))

export const isSameSpelling = (a: EventSighting, b: EventSighting): boolean =>
  a === b || (a.kickoffAt === b.kickoffAt && a.home === b.home && a.away === b.away && a.leagueKey === b.leagueKey)

export const isSameSighting = (a: EventSighting, b: EventSighting): boolean =>
  isSameSpelling(a, b) && a.leagueName === b.leagueName
