// Events that were kept separate although they look alike, for an operator to decide about.

import type { Catalogue } from '../board/catalogue.ts'
import type { EventRecord } from '../board/event-record.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { ConflictReason, EventConflict, KnownEvent } from '../domain/event-identity.ts'

/** A conflict as it is stored: the others by id, because their events may end before it does. */
interface KeptConflict {
  readonly reason: ConflictReason
  readonly others: readonly string[]
}

/** A source that makes up names must not fill the memory with them. */
const CONFLICTS_MAX = 10_000

/** An event with its sightings, as others see it. */
export const knownEvent = ({ event, sightings }: EventRecord): KnownEvent => ({ event, sightings })

export class Conflicts {
  private readonly catalogue: Catalogue
  private readonly kept = new Map<EventRecord, KeptConflict>()

  constructor(catalogue: Catalogue) {
    this.catalogue = catalogue
  }

  /** @param events numbers of the others */
  add(record: EventRecord, reason: ConflictReason, events: readonly number[]): void {
    if (this.kept.size >= CONFLICTS_MAX) return
    this.kept.set(record, { reason, others: events.map((number) => this.catalogue.recordOf(number)!.event.id) })
  }

  delete(record: EventRecord): void {
    this.kept.delete(record)
  }

  save(image: ImageWriter): void {
    image.value(
      'conflicts',
      Array.from(this.kept, ([{ number }, { reason, others }]) => [number, reason, others]),
    )
  }

  load(image: ImageReader): void {
    for (const [number, reason, others] of image.value('conflicts') as [number, ConflictReason, string[]][]) {
      this.kept.set(this.catalogue.recordOf(number)!, { reason, others })
    }
  }

  /** The events that one was kept separate from, as far as they are on the board. */
  othersOf(record: EventRecord): EventRecord[] {
    return (this.kept.get(record)?.others ?? []).flatMap((id) => {
      const other = this.catalogue.names.eventOf(id)
      // It may have ended, or have been merged into another.
      return other === undefined || other.event.id !== id || other === record ? [] : [other]
    })
  }

  /** @param isSettled whether a decision separates two events */
  list(isSettled: (record: EventRecord, other: EventRecord) => boolean): EventConflict[] {
    return Array.from(this.kept, ([record, { reason }]): EventConflict[] => {
      const left = this.othersOf(record)
        .filter((other) => !isSettled(record, other))
        .map(knownEvent)
      return left.length === 0 ? [] : [{ reason, event: knownEvent(record), others: left }]
    }).flat()
  }
}
