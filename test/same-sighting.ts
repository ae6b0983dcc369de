// Sightings that come again as the same object, as those of the scanner do: engines and logs keep where they have found them.

import { type EventSighting, withMemo } from '../src/domain/observation.ts'

const kept = new Map<string, EventSighting>()

/** An equal sighting, always the same object, with a memo. Of several engines, each gets the same one. */
export const sameSighting = (sighting: EventSighting): EventSighting => {
  const key = JSON.stringify(sighting)
  const same = kept.get(key) ?? withMemo({ ...sighting })
  kept.set(key, same)
  return same
}
