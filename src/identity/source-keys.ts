// From a source's own id of an event to the sighting. Events have their sightings: a table that leads to the event needs neither
// the id nor the sighting, and is saved as it is.

import type { Catalogue } from '../board/catalogue.ts'
import type { KnownSighting } from '../board/event-record.ts'
import { EventTable } from '../board/event-table.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'

export class SourceKeys {
  private readonly catalogue: Catalogue
  private readonly table = new EventTable()

  constructor(catalogue: Catalogue) {
    this.catalogue = catalogue
  }

  /** The sighting of a source key; undefined if it is unknown. */
  find(key: string): KnownSighting | undefined {
    const { catalogue } = this
    let found: KnownSighting | undefined
    this.table.find(key, (number) => {
      found = catalogue.recordOf(number)!.sightings.find((known) => known.key === key)
      return found !== undefined
    })
    return found
  }

  /** Adds the key of a sighting that its event has, or is about to have. */
  add({ key, record }: KnownSighting): void {
    this.table.add(key, record.number)
  }

  /** Removes the key of a sighting; it is of the event that it was added with. */
  remove({ key, record }: KnownSighting): void {
    this.table.remove(key, record.number)
  }

  save(image: ImageWriter): void {
    this.table.save(image, 'source keys')
  }

  load(image: ImageReader): void {
    this.table.load(image, 'source keys')
  }
}
