// The whole state of an engine as an image: the rooms' own parts, and what the engine keeps beside them.

import type { ImageReader, ImageWriter } from '../src/domain/image.ts'
import type { Engine } from '../src/engine/engine.ts'

const FIELDS = ['decided', 'undecided', 'settledAt', 'advancedAt', 'lastAt', 'walkedAt'] as const

export const saveEngine = (engine: Engine, image: ImageWriter): void => {
  const { board, sightings } = engine
  const { transitions, walks, holds, recorder } = engine as unknown as Rooms
  image.value(
    'engine',
    FIELDS.map((field) => engine[field as keyof Engine]),
  )
  image.value('counts', [transitions.changeCounts, { ...engine.counts }, recorder.lastBound])
  // One that has left and lost its last book may not have been visited once more.
  const walking = [...walks.walking].filter((producer) => [...board.producers.all()].includes(producer))
  image.value('walking', [walking.map(({ number }) => number), walks.visitsLeft])
  image.value('holds', [
    Array.from(holds.current, ([number, events]) => [number, events === 'all' ? 'all' : [...events]]),
    [...holds.changed],
    holds.next,
    holds.end,
  ])
  board.save(image)
  sightings.save(image)
  transitions.changes.save(image)
}

/** Loads into an engine that was just constructed. */
export const loadEngine = (engine: Engine, image: ImageReader): void => {
  const { board, sightings } = engine
  const { transitions, walks, holds, recorder } = engine as unknown as Rooms
  const values = image.value('engine') as unknown[]
  Object.assign(engine, Object.fromEntries(FIELDS.map((field, n) => [field, values[n]])))
  const [changeCounts, counts, lastBound] = image.value('counts') as [number[], object, string]
  Object.assign(transitions.changeCounts, changeCounts)
  Object.assign(engine.counts, counts)
  recorder.lastBound = lastBound
  const [walking, visitsLeft] = image.value('walking') as [number[], number]
  const [current, changed, next, end] = image.value('holds') as [[number, 'all' | string[]][], number[], number, number]
  holds.current = new Map(current.map(([number, events]) => [number, events === 'all' ? 'all' : new Set(events)]))
  for (const number of changed) holds.changed.add(number)
  Object.assign(holds, { next, end })
  board.load(image)
  for (const number of walking) walks.walking.add(board.producers.get(number))
  walks.visitsLeft = visitsLeft
  sightings.load(image)
  transitions.changes.load(image)
}

interface Rooms {
  readonly transitions: Engine['transitions']
  readonly recorder: { lastBound: string }
  readonly walks: { readonly walking: Set<ReturnType<Engine['board']['producers']['get']>>; visitsLeft: number }
  readonly holds: {
    current: Map<number, ReadonlySet<string> | 'all'>
    readonly changed: Set<number>
    next: number
    end: number
  }
}
