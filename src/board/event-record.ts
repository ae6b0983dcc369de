// An event on the board, and the sightings that are of it.

import type { Event, EventView } from '../domain/event.ts'
import type { EventSighting } from '../domain/observation.ts'

/** An event on the board. */
export interface EventRecord extends EventView {
  // Each list is assigned with its first entry: pushing into an empty array allocates seventeen places.
  readonly idNumber: number
  event: Event
  /** Market numbers by type, then line (none first). */
  markets: number[]
  /** Book numbers by bookmaker slug; of one bookmaker, rest before live. */
  books: number[]
  readonly versions: [number, number]
  readonly shapes: [number, number]
  /** Its sightings; the source of the first one may rename or reschedule it. */
  sightings: KnownSighting[]
  /** The sighting of sources that give no id. */
  readonly nameless: KnownSighting
  /** Finds it by spelling where no source id is known, see event-names.ts. */
  identity: string
  /** Other ids that lead here, such as those of events that were merged into it. */
  readonly formerIds: string[]
  /** The identities of those events. */
  readonly formerIdentities: string[]
}

/** An event as one source knows it. */
export interface KnownSighting {
  /** `SOURCE:ID`; empty for {@link EventRecord.nameless}. */
  readonly key: string
  /** `SOURCE`: two ids of one source are never the same event. */
  readonly source: string
  /** Its number in the column of books; 0 for {@link EventRecord.nameless}. */
  readonly number: number
  record: EventRecord
  /** Its current spelling. */
  sighting: EventSighting
  /** `observedAt` of the newest observation with this spelling, epoch ms: an older one that arrives late is ignored. */
  spelledAt: number
  /** Whether the source names it with swapped sides. */
  swapped: boolean
}
