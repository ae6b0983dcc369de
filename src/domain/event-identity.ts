// Which events are one and the same: what a matcher is asked, and what people have decided (docs/identity.md).

import type { Event } from './event.ts'
import type { EventSighting } from './observation.ts'
import type { Sport } from './sport.ts'

/** How sure a match is, as the rule (docs/identity.md 4) names it. */
export type MatchLevel = 'A' | 'B' | 'C'

/** Why a sighting was kept apart although it looks like an event that is there. */
export type ConflictReason =
  /** Two or more events match. */
  | 'ambiguous'
  /** A side is compatible, but it is not enough for a match. */
  | 'alike'
  /** They match with home and away the other way round. */
  | 'turned'

export type Match =
  | { readonly kind: 'same'; readonly event: number; readonly level: MatchLevel }
  | { readonly kind: ConflictReason; readonly events: readonly number[] }

/** Finds the event that a sighting is about, by names, kickoff, sport and league, never by prices. */
export interface EventMatcher {
  /** An event is known under a spelling: numbers are the catalogue's; `key` tells its spellings apart. Replaces that key's. */
  add(event: number, key: string, sighting: EventSighting): void
  /** Forgets a spelling of an event; the last one takes the event out. */
  remove(event: number, key: string): void
  /** @param isExcluded events that cannot be it: the same source has another id for them, or somebody has said so */
  match(sighting: EventSighting, isExcluded: (event: number) => boolean): Match | undefined
  /**
   * Names that mean others, beyond the shipped table. Replaces what was set before; what is known stands under the new ones.
   * @returns the events whose names now mean another: they may match what they did not match before
   */
  setAliases(aliases: readonly Alias[]): readonly number[]
}

/** A name and what it means, in any spelling of the slug rule; in all sports where `sport` is null. */
export interface Alias {
  readonly sport: Sport | null
  readonly name: string
  readonly means: string
}

/** What somebody has decided about events; kept, and stronger than any rule. Events go by source keys (`SOURCE:ID`). */
export type EventDecision =
  /** Both keys are of one event; `turned`: the second names home and away the other way round. */
  | { readonly kind: 'merge'; readonly keys: readonly [string, string]; readonly turned: boolean }
  /** They are not. */
  | { readonly kind: 'split'; readonly keys: readonly [string, string] }
  | ({ readonly kind: 'alias' } & Alias)

/** An operator's word: what a bookmaker has open is shown suspended, at one event (by id) or at all (null). */
export interface Suspension {
  readonly kind: 'suspend'
  readonly bookmaker: string
  readonly event: string | null
}

/** All that people decide about what is on the board. */
export type Decision = EventDecision | Suspension

/** An event, and as which sources know it: the one that brought it first. */
export interface KnownEvent {
  readonly event: Event
  readonly sightings: readonly {
    /** `SOURCE:ID` */
    readonly key: string
    /** As the source spells it. */
    readonly sighting: EventSighting
    /** Whether the source names home and away the other way round. */
    readonly turned: boolean
  }[]
}

/** An event that was kept apart from others that look like it. */
export interface EventConflict {
  readonly reason: ConflictReason
  readonly event: KnownEvent
  readonly others: readonly KnownEvent[]
}
