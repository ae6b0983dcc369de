// The sightings of the events of an image. They become objects when they are asked for: a start does not wait for that.

import type { Spellings } from '../domain/event-identity.ts'
import type { LoadedTexts } from '../domain/image-columns.ts'
import type { EventSighting } from '../domain/observation.ts'
import { SPORTS } from '../domain/sport.ts'
import { type EventRecord, type KnownSighting, newSighting, rightWayRound } from './event-record.ts'

// The fields of a spelling: sport, league, name of the league, home, away, key (0: none, else the text's number + 1).
export const SPELLING_WIDTH = 6
/** Per sighting: its key, and its source, doubled, plus one where it has swapped sides. */
export const SIGHTING_WIDTH = 2
/** Per sighting: its number, when it was spelled so, and the kickoff of the spelling. */
export const SIGHTING_TIMES = 3

/** Where the columns are; see record-image.ts. */
export interface SightingColumns {
  readonly texts: LoadedTexts
  readonly times: Float64Array
  readonly known: Uint32Array
  readonly spellings: Uint32Array
}

/** Sightings have numbers: in the order of their events' numbers, and in that of each event. */
export class LoadedSightings implements Spellings {
  private readonly columns: SightingColumns
  /** By number of a sighting: its first place in `times`, and in `spellings`. */
  private readonly timePlaces: Uint32Array
  private readonly spellingPlaces: Uint32Array
  /** By number of the event: its first sighting, and how many. */
  private readonly firsts: Uint32Array
  private readonly counts: Uint32Array
  private length = 0
  /** Spellings that one of the two that keep them has asked for: an event and the matcher share it. */
  private readonly shared: (EventSighting | undefined)[]

  /** @param recordsEnd all events have numbers below this */
  constructor(columns: SightingColumns, recordsEnd: number) {
    this.columns = columns
    const length = columns.known.length / SIGHTING_WIDTH
    this.timePlaces = new Uint32Array(length)
    this.spellingPlaces = new Uint32Array(length)
    this.firsts = new Uint32Array(recordsEnd)
    this.counts = new Uint32Array(recordsEnd)
    this.shared = Array.from({ length }, () => undefined)
  }

  /** Adds the sightings of an event, which lie one behind the other. In the order of the events' numbers. */
  add(event: number, count: number, timePlace: number, spellingPlace: number): void {
    this.firsts[event] = this.length
    this.counts[event] = count
    for (let n = 0; n < count; n++) {
      this.timePlaces[this.length] = timePlace + SIGHTING_TIMES * n
      this.spellingPlaces[this.length++] = spellingPlace + SPELLING_WIDTH * n
    }
  }

  /** To be asked once. */
  sightingsOf(record: EventRecord): readonly KnownSighting[] {
    const first = this.firsts[record.number]!
    const { texts, times, known } = this.columns
    const sightings: KnownSighting[] = []
    for (let n = first; n < first + this.counts[record.number]!; n++) {
      const source = known[SIGHTING_WIDTH * n + 1]!
      const time = this.timePlaces[n]!
      const sourceText = texts.at(source >>> 1)!
      const sighting = newSighting(this.keyAt(n), sourceText, times[time]!, record, this.take(n), this.isSwapped(n))
      sighting.spelledAt = times[time + 1]!
      sightings.push(sighting)
    }
    // A copy of exact length.
    return sightings.slice()
  }

  keyAt(n: number): string {
    return this.columns.texts.at(this.columns.known[SIGHTING_WIDTH * n]!)!
  }

  takeSighting(n: number): EventSighting {
    return rightWayRound({ sighting: this.take(n), swapped: this.isSwapped(n) })
  }

  sightingAt(n: number): EventSighting {
    return rightWayRound({ sighting: this.shared[n] ?? this.read(n), swapped: this.isSwapped(n) })
  }

  /** Whoever asks first leaves it for the other one. */
  private take(n: number): EventSighting {
    const shared = this.shared[n]
    const sighting = shared ?? this.read(n)
    this.shared[n] = shared === undefined ? sighting : undefined
    return sighting
  }

  private isSwapped(n: number): boolean {
    return (this.columns.known[SIGHTING_WIDTH * n + 1]! & 1) === 1
  }

  private read(n: number): EventSighting {
    const { texts, spellings } = this.columns
    const place = this.spellingPlaces[n]!
    const key = spellings[place + 5]!
    return {
      sport: SPORTS[spellings[place]!]!,
      leagueKey: texts.at(spellings[place + 1]!)!,
      leagueName: texts.at(spellings[place + 2]!)!,
      home: texts.at(spellings[place + 3]!)!,
      away: texts.at(spellings[place + 4]!)!,
      kickoffAt: this.columns.times[this.timePlaces[n]! + SIGHTING_TIMES - 1]!,
      sourceKey: key === 0 ? null : texts.at(key - 1)!,
    }
  }
}
