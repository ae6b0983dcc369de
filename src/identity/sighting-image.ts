// The sightings in an image. They themselves are saved with their events, by the catalogue: each known one is of an
// event, and their order by source key has no effect. Here is the rest.

import type { Catalogue } from '../board/catalogue.ts'
import type { EventRecord, KnownSighting } from '../board/event-record.ts'
import type { Event } from '../domain/event.ts'
import type { EventMatcher } from '../domain/event-identity.ts'
import { ImageFault, type ImageReader, type ImageWriter } from '../domain/image.ts'
import type { Conflicts } from './conflicts.ts'
import type { Decisions, PairDecision } from './decisions.ts'
import type { SourceKeys } from './source-keys.ts'

/** An event that is to be renamed or rescheduled, see {@link Catalogue.renameEvent}. */
export interface Rename {
  readonly record: EventRecord
  readonly next: Event
  readonly key: string
}

/** What is saved of them, see sightings.ts. */
interface State {
  readonly catalogue: Catalogue
  readonly matcher: EventMatcher | undefined
  readonly separated: Conflicts
  readonly decisions: Decisions
  lacksDecision: boolean
  readonly toRematch: Set<EventRecord>
  readonly renames: Rename[]
}

interface Saved {
  readonly lastNumber: number
  readonly lacksDecision: boolean
  readonly toRematch: readonly number[]
  readonly renames: readonly { readonly number: number; readonly next: Event; readonly key: string }[]
  readonly decisions: readonly PairDecision[]
  readonly hasMatcher: boolean
  /** Omitted by earlier versions, which saved no table of keys. */
  readonly hasKeys?: true
}

/** @param lastNumber of a sighting */
export const saveSightings = (image: ImageWriter, state: State, bySourceKey: SourceKeys, lastNumber: number): void => {
  const { catalogue, matcher, separated, decisions, lacksDecision, toRematch, renames } = state
  const saved: Saved = {
    lastNumber,
    lacksDecision,
    toRematch: Array.from(toRematch, ({ number }) => number),
    renames: renames.map(({ record, next, key }) => ({ number: record.number, next, key })),
    // What follows from them is computed again.
    decisions: decisions.pairs,
    hasMatcher: matcher !== undefined,
    hasKeys: true,
  }
  image.value('sightings', saved)
  separated.save(image)
  bySourceKey.save(image)
  if (matcher === undefined) return
  const numbers = new Map<string, number>()
  for (const { key } of inOrder(catalogue)) numbers.set(key, numbers.size)
  matcher.save(image, (key) => numbers.get(key)!)
}

/**
 * @param bySourceKey empty
 * @returns the last number of a sighting
 */
export const loadSightings = (image: ImageReader, state: State, bySourceKey: SourceKeys): number => {
  const { catalogue, matcher, separated, decisions } = state
  const saved = image.value('sightings') as Saved
  if (saved.hasMatcher !== (matcher !== undefined)) throw new ImageFault('the saved state is that of another matcher')
  state.lacksDecision = saved.lacksDecision
  for (const number of saved.toRematch) state.toRematch.add(catalogue.recordOf(number)!)
  for (const { number, next, key } of saved.renames) {
    state.renames.push({ record: catalogue.recordOf(number)!, next, key })
  }
  decisions.replace(saved.decisions)
  separated.load(image)
  if (saved.hasKeys === true) bySourceKey.load(image)
  else for (const known of inOrder(catalogue)) bySourceKey.add(known)
  matcher?.load(image, catalogue.loadedSightings!)
  // Whoever has not asked for all of them keeps them.
  catalogue.loadedSightings = undefined
  return saved.lastNumber
}

/** All sightings, in an order that follows from the board: that of {@link LoadedSightings}. */
const inOrder = (catalogue: Catalogue): KnownSighting[] => {
  const all: KnownSighting[] = []
  for (let number = 1; number < catalogue.recordsEnd; number++) {
    for (const known of catalogue.recordOf(number)?.sightings ?? []) all.push(known)
  }
  return all
}
