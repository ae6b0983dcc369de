// The spellings of each event. Those of an image become objects when an event is asked for: a start does not wait for that.

import type { Spellings } from '../domain/event-identity.ts'
import type { EventSighting } from '../domain/observation.ts'
import { ShardedMap } from '../domain/sharded-map.ts'

/** A spelling of an event, used by one or more keys. */
export interface Entry {
  readonly sighting: EventSighting
  /** Replaced, never changed: a Set of one key has 200 octets, and a list that grew by pushing sixteen places to spare. */
  keys: readonly string[]
  /** Number of its outline; undefined where the sighting cannot be compared: a side is missing, or is no name. */
  outline: number | undefined
}

/** What was loaded and was not asked for yet. */
interface Rest {
  readonly spellings: Spellings
  /** Per event its number and how many spellings it has; per spelling its outline + 1, how many keys, and their numbers. */
  readonly rows: Uint32Array
  /** By number of the event: where its row begins, behind its number; 0: nowhere. */
  readonly places: Uint32Array
  /** Events. */
  count: number
}

export class Entries {
  /** Lists are replaced, never changed. */
  private readonly known = new ShardedMap<number, readonly Entry[]>()
  private rest: Rest | undefined

  /** Number of events. */
  get size(): number {
    return this.known.size + (this.rest?.count ?? 0)
  }

  get(event: number): readonly Entry[] | undefined {
    const { rest } = this
    if (rest === undefined || event >= rest.places.length || rest.places[event] === 0) return this.known.get(event)
    const entries = this.read(rest, event, (number) => rest.spellings.takeSighting(number))
    this.known.set(event, entries)
    rest.places[event] = 0
    if (--rest.count === 0) this.rest = undefined
    return entries
  }

  set(event: number, entries: readonly Entry[]): void {
    this.get(event)
    this.known.set(event, entries)
  }

  delete(event: number): void {
    this.get(event)
    this.known.delete(event)
  }

  /** The events, in the order of their numbers. */
  events(): Uint32Array {
    const events = new Uint32Array(this.size)
    let count = 0
    for (const [event] of this.known) events[count++] = event
    const places = this.rest?.places ?? []
    for (let event = 0; event < places.length; event++) if (places[event] !== 0) events[count++] = event
    return events.sort()
  }

  /** The spellings of an event that has some, without keeping what this reads. */
  peek(event: number): readonly Entry[] {
    const rest = this.rest!
    return this.known.get(event) ?? this.read(rest, event, (number) => rest.spellings.sightingAt(number))
  }

  /**
   * Into an object without entries.
   * @param rows as of {@link Rest}
   */
  load(rows: Uint32Array, spellings: Spellings): void {
    let [count, end] = [0, 0]
    const visit = (each: (event: number, place: number) => void): void => {
      for (let place = 0; place < rows.length; ) {
        each(rows[place]!, place)
        place += 2
        for (let left = rows[place - 1]!; left > 0; left--) place += 2 + rows[place + 1]!
      }
    }
    visit((event) => {
      count++
      end = Math.max(end, event + 1)
    })
    const places = new Uint32Array(end)
    visit((event, place) => {
      places[event] = place + 1
    })
    this.rest = count === 0 ? undefined : { rows, places, spellings, count }
  }

  private read(
    { rows, places, spellings }: Rest,
    event: number,
    sightingOf: (number: number) => EventSighting,
  ): readonly Entry[] {
    const entries: Entry[] = []
    let place = places[event]!
    for (let left = rows[place++]!; left > 0; left--) {
      const outline = rows[place]! - 1
      const end = place + 2 + rows[place + 1]!
      const keys: string[] = []
      const sightings: EventSighting[] = []
      for (place += 2; place < end; place++) {
        keys.push(spellings.keyAt(rows[place]!))
        sightings.push(sightingOf(rows[place]!))
      }
      // All keys of an entry have one spelling.
      const [sighting] = sightings as [EventSighting]
      entries.push({ sighting, keys: keys.slice(), outline: outline === -1 ? undefined : outline })
    }
    return entries.slice()
  }
}
