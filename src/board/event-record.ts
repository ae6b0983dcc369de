// An event on the board, and the sightings that are of it.

import { createHash } from 'node:crypto'
import type { Event, EventView } from '../domain/event.ts'
import type { EventSighting } from '../domain/observation.ts'

export const identityOf = (sport: string, leagueKey: string, home: string, away: string, kickoffAt: number): string =>
  `${sport}\n${leagueKey}\n${home}\n${away}\n${kickoffAt}`

// The names of an event may be a thousand characters long.
const IDENTITY_LENGTH_MAX = 192

/** The key of an identity in the index: itself, or 128 bits of its hash if it is long. */
export const keyOfIdentity = (identity: string): string =>
  identity.length <= IDENTITY_LENGTH_MAX
    ? identity
    : createHash('sha256').update(identity).digest('base64url').slice(0, 22)

// Lists are replaced, never changed: one that grows by pushing, or by splice, has sixteen places to spare.
const NO_TEXTS: readonly string[] = []
const NO_SIGHTINGS: readonly KnownSighting[] = []

/** What few events have, apart from the others: 16 octets of each are saved. It is replaced, never changed. */
interface OtherNames {
  readonly ownIdentity: string | undefined
  readonly formerIds: readonly string[]
  readonly formerIdentities: readonly string[]
}

const NO_NAMES: OtherNames = { ownIdentity: undefined, formerIds: NO_TEXTS, formerIdentities: NO_TEXTS }

/** See loaded-sightings.ts. */
interface SightingsOfImage {
  sightingsOf(record: EventRecord): readonly KnownSighting[]
}

/** An event on the board. There are hundreds of thousands: what follows from other fields is computed. */
export class EventRecord implements EventView {
  readonly number: number
  event: Event
  readonly sportNumber: number
  /** List of market numbers by type, then line (none first); see {@link NumberLists}. 0: none. */
  markets = 0
  /** List of book numbers by bookmaker slug; of one bookmaker, rest before live. 0: none. */
  books = 0
  private ownSightings: readonly KnownSighting[] | SightingsOfImage = NO_SIGHTINGS
  private names = NO_NAMES

  constructor(number: number, event: Event, sportNumber: number, ownIdentity: string | undefined) {
    this.number = number
    this.event = event
    this.sportNumber = sportNumber
    if (ownIdentity !== undefined) this.ownIdentity = ownIdentity
  }

  /** Its sightings; the source of the first one may rename or reschedule it. */
  get sightings(): readonly KnownSighting[] {
    const own = this.ownSightings
    if (Array.isArray(own)) return own as readonly KnownSighting[]
    const sightings = (own as SightingsOfImage).sightingsOf(this)
    this.ownSightings = sightings
    return sightings
  }

  /** Those of an image are made when they are first asked for. */
  set sightings(sightings: readonly KnownSighting[] | SightingsOfImage) {
    this.ownSightings = sightings
  }

  /** Its identity, where it is not that of its names; see {@link identity}. */
  get ownIdentity(): string | undefined {
    return this.names.ownIdentity
  }

  set ownIdentity(ownIdentity: string | undefined) {
    this.names = { ...this.names, ownIdentity }
  }

  /** Other ids that lead here, such as those of events that were merged into it. */
  get formerIds(): readonly string[] {
    return this.names.formerIds
  }

  set formerIds(formerIds: readonly string[]) {
    this.names = { ...this.names, formerIds }
  }

  /** The identities of those events. */
  get formerIdentities(): readonly string[] {
    return this.names.formerIdentities
  }

  set formerIdentities(formerIdentities: readonly string[]) {
    this.names = { ...this.names, formerIdentities }
  }

  get idNumber(): number {
    return Number(this.event.id)
  }

  /** Finds it by spelling where no source id is known, see event-names.ts. */
  get identity(): string {
    const { sport, leagueKey, homeTeam, awayTeam, kickoffAt } = this.event
    return this.ownIdentity ?? keyOfIdentity(identityOf(sport, leagueKey, homeTeam, awayTeam, kickoffAt))
  }

  /** The sighting of sources that give no id. */
  get nameless(): KnownSighting {
    const { sport, leagueKey, leagueName, homeTeam, awayTeam, kickoffAt } = this.event
    const sighting = { sport, leagueKey, leagueName, home: homeTeam, away: awayTeam, kickoffAt, sourceKey: null }
    return newSighting('', '', 0, this, sighting, false)
  }
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
  readonly found: LastFound
}

/** Where an observation of a sighting was found last. */
export interface LastFound {
  /** Undefined: its event has left the board. */
  known: KnownSighting | undefined
  /** The book that was written, and the quote that was named first: where to look first. 0: none. */
  book: number
  first: number
}

export const newSighting = (
  key: string,
  source: string,
  number: number,
  record: EventRecord,
  sighting: EventSighting,
  swapped: boolean,
): KnownSighting => {
  const found: LastFound = { known: undefined, book: 0, first: 0 }
  const known = { key, source, number, record, sighting, spelledAt: 0, swapped, found }
  found.known = known
  return known
}

/** A sighting with home and away as its event has them. */
export const rightWayRound = ({ sighting, swapped }: Pick<KnownSighting, 'sighting' | 'swapped'>): EventSighting =>
  swapped ? { ...sighting, home: sighting.away, away: sighting.home } : sighting
