// From a source's own id of an event to the sighting. Those of an image are found by a table that leads to their events, until
// they are first asked for: a start does not make a Map of all.

import type { Catalogue } from '../board/catalogue.ts'
import type { KnownSighting } from '../board/event-record.ts'
import { EventTable } from '../board/event-table.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { ShardedMap } from '../domain/sharded-map.ts'

export class SourceKeys {
  private readonly catalogue: Catalogue
  private readonly known = new ShardedMap<string, KnownSighting>()
  /** Keys that were loaded and not asked for yet. */
  private readonly rest = new EventTable()

  constructor(catalogue: Catalogue) {
    this.catalogue = catalogue
  }

  get size(): number {
    return this.known.size + this.rest.size
  }

  /** The sighting of a source key; undefined if it is unknown. */
  find(key: string): KnownSighting | undefined {
    return this.known.get(key) ?? (this.rest.size === 0 ? undefined : this.findLoaded(key))
  }

  /** Adds the key of a sighting that is not there. */
  add(known: KnownSighting): void {
    this.known.set(known.key, known)
  }

  /** Removes the key of a sighting that is there; its event is the one that it was added, or loaded, with. */
  remove({ key, record }: KnownSighting): void {
    if (!this.known.delete(key)) this.rest.remove(key, record.number)
  }

  save(image: ImageWriter): void {
    const { catalogue } = this
    const all = new EventTable()
    for (let number = 1; number < catalogue.recordsEnd; number++) {
      for (const { key } of catalogue.recordOf(number)?.sightings ?? []) all.add(key, number)
    }
    all.save(image, 'source keys')
  }

  /** Into an object without keys, after the events. */
  load(image: ImageReader): void {
    this.rest.load(image, 'source keys')
  }

  private findLoaded(key: string): KnownSighting | undefined {
    let found: KnownSighting | undefined
    const number = this.rest.find(key, (event) => {
      found = this.catalogue.recordOf(event)!.sightings.find((known) => known.key === key)
      return found !== undefined
    })
    if (found === undefined) return undefined
    this.rest.remove(key, number)
    this.known.set(key, found)
    return found
  }
}
