import type { Spellings } from '../../src/domain/event-identity.ts'
import type { EventSighting } from '../../src/domain/observation.ts'

/** Spellings by number, of two lists. */
export const spellingsOf = (keys: readonly string[], sightings: readonly EventSighting[]): Spellings => ({
  keyAt: (number) => keys[number]!,
  sightingAt: (number) => sightings[number]!,
  takeSighting: (number) => sightings[number]!,
})
