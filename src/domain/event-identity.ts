// Event identity (docs/identity.md): the matcher's interface, and decisions about events.

import type { Event } from './event.ts'
import type { ImageReader, ImageWriter } from './image.ts'
import type { EventSighting } from './observation.ts'
import type { Sport } from './sport.ts'

/** How sure a match is, as the rule (docs/identity.md 4) names it. */
export type MatchLevel = 'A' | 'B' | 'C'

/** Why a sighting was kept separate although it looks like an event that is on the board. */
export type ConflictReason =
  /** Two or more events match. */
  | 'ambiguous'
  /** A side is compatible, but it is not enough for a match. */
  | 'alike'
  /** They match with swapped sides. */
  | 'turned'

export type Match =
  | { readonly kind: 'same'; readonly event: number; readonly level: MatchLevel }
  | { readonly kind: ConflictReason; readonly events: readonly number[] }

/** Finds the event that a sighting is about, by names, kickoff, sport and league, never by prices. */
export interface EventMatcher {
  /**
   * Adds a spelling of an event, or replaces that of `key`: numbers are the catalogue's; `key` distinguishes the
   * spellings of an event.
   */
  add(event: number, key: string, sighting: EventSighting): void
  /** Removes a spelling of an event; the last one removes the event. */
  remove(event: number, key: string): void
  /** @param isExcluded events that are ruled out: the same source has another id for them, or a decision says so */
  match(sighting: EventSighting, isExcluded: (event: number) => boolean): Match | undefined
  /**
   * Whether some spellings of two events are of other teams: women and men, of two ages.
   * @param by a spelling of `other` that matches `event`: then also whether the names of two others contradict
   */
  areOtherTeams(event: number, other: number, by?: EventSighting): boolean
  /**
   * Replaces the aliases beyond the shipped table; known names are read again with the new ones.
   * @returns the events whose names have changed by that: they may match events that they did not match before
   */
  setAliases(aliases: readonly Alias[]): readonly number[]
  /**
   * Saves the spellings; their texts are the caller's to save.
   * @param numberOf the number of a key in the image
   */
  save(image: ImageWriter, numberOf: (key: string) => number): void
  /** @param spellings of the keys by number: those that they had in the image, also later */
  load(image: ImageReader, spellings: Spellings): void
}

/** Keys of events and what {@link EventMatcher.add} gets of each, by the numbers that they have in an image. */
export interface Spellings {
  keyAt(number: number): string
  sightingAt(number: number): EventSighting
  /** The same, from a caller that keeps it and does not ask again. */
  takeSighting(number: number): EventSighting
}

/** A name and what it means, in any spelling of the slug rule; in all sports where `sport` is null. */
export interface Alias {
  readonly sport: Sport | null
  readonly name: string
  readonly means: string
}

/**
 * A decision about events, stored; it takes precedence over any rule. Events are given by source keys (`SOURCE:ID`).
 */
export type EventDecision =
  /** Both keys are of one event; `swapped`: the second has its sides swapped. */
  | { readonly kind: 'merge'; readonly keys: readonly [string, string]; readonly swapped: boolean }
  /** The keys are not of one event. */
  | { readonly kind: 'split'; readonly keys: readonly [string, string] }
  | ({ readonly kind: 'alias' } & Alias)

/**
 * A suspension by an operator: open quotes of a bookmaker are shown suspended, at one event (by id) or at all (null).
 */
export interface Suspension {
  readonly kind: 'suspend'
  readonly bookmaker: string
  readonly event: string | null
}

/** Everything that can be decided about the board. */
export type Decision = EventDecision | Suspension

/** An event with its sightings: the one that names it first. */
export interface KnownEvent {
  readonly event: Event
  readonly sightings: readonly {
    /** `SOURCE:ID` */
    readonly key: string
    /** The source's spelling. */
    readonly sighting: EventSighting
    /** Whether the source names it with swapped sides. */
    readonly swapped: boolean
  }[]
}

/** An event that was kept separate from others that look like it. */
export interface EventConflict {
  readonly reason: ConflictReason
  readonly event: KnownEvent
  readonly others: readonly KnownEvent[]
}
