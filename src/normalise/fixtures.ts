// A fixture list: names and kickoffs of events that a source's payloads give only ids of (UOF, TxLINE).

import type { Fixture } from '../domain/observation.ts'
import { isRecord } from '../domain/record.ts'
import { isRefusal } from '../domain/refusal.ts'
import type { NormaliserLimits } from './normaliser.ts'
import { readEvent } from './observations.ts'
import { shown } from './text.ts'

/** Why a fixture list cannot be read: the place in it and what is wrong there. */
export interface FixtureFault {
  readonly field: string
  readonly message: string
}

/**
 * Reads a fixture list: `{"fixtures":[{"id", "sport", "league": {"key", "name"}, "home", "away", "kickoffAt"}]}`. `id` is
 * the source's own id of the event, the rest as in an observation (LIVE 3a). Taken whole or, with one fault in it, not at
 * all.
 */
export const parseFixtures = (text: string, limits: NormaliserLimits): ReadonlyMap<string, Fixture> | FixtureFault => {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch (error) {
    return { field: 'file', message: `is not JSON: ${shown((error as Error).message)}` }
  }
  if (!isRecord(file) || !Array.isArray(file.fixtures)) return { field: 'fixtures', message: 'must be an array' }
  const fixtures = new Map<string, Fixture>()
  for (const [index, entry] of file.fixtures.entries()) {
    const place = `fixtures[${index}]`
    if (!isRecord(entry)) return { field: place, message: 'must be an object' }
    const { id, ...event } = entry
    if (typeof id !== 'string' || id === '') return { field: `${place}.id`, message: 'must be a text' }
    if (fixtures.has(id)) return { field: `${place}.id`, message: `repeats ${shown(id)}` }
    const sighting = readEvent(event, place, limits)
    if (isRefusal(sighting)) {
      const { field = 'event', message } = sighting
      return { field: field.replace(/^event/, place), message: message.slice(field.length + 1) }
    }
    const { sourceKey: _, ...fixture } = sighting
    fixtures.set(id, fixture)
  }
  return fixtures
}
