// Which event an id, or a spelling, leads to: to the event that has it, or to the one that this became by a merge.

import { createHash } from 'node:crypto'
import type { Event } from '../domain/event.ts'
import type { EventSighting } from '../domain/observation.ts'
import type { EventRecord } from './event-record.ts'

/** A former id leads to an event from now on, or no longer. */
interface IdMove {
  readonly record: EventRecord
  readonly id: string
  readonly isLeading: boolean
}

const identityOf = (sport: string, leagueKey: string, home: string, away: string, kickoffAt: number): string =>
  `${sport}\n${leagueKey}\n${home}\n${away}\n${kickoffAt}`

// The names of an event may be a thousand characters long, and would be stored twice.
const IDENTITY_LENGTH_MAX = 192

/** The key of an identity in the index: itself, or 128 bits of its hash if it is long. */
const keyOfIdentity = (identity: string): string =>
  identity.length <= IDENTITY_LENGTH_MAX
    ? identity
    : createHash('sha256').update(identity).digest('base64url').slice(0, 22)

const identityOfSighting = ({ sport, leagueKey, home, away, kickoffAt }: EventSighting): string =>
  identityOf(sport, leagueKey, home, away, kickoffAt)

// 48 bits: 15 digits at most, exact as a double, and at 100 000 events a collision is one in 50 000 (then the next
// number is used).
const ID_BYTES = 6

/**
 * The id of an event, from its first sighting: the same in every process and after every restart, so that a stored id
 * never answers for another event.
 */
const idNumberOf = (identity: string): number =>
  createHash('sha256').update(identity).digest().readUIntBE(0, ID_BYTES) || 1

/** Removes a text from a list; returns whether it was there. */
const remove = (texts: string[], text: string): boolean => {
  const place = texts.indexOf(text)
  if (place !== -1) texts.splice(place, 1)
  return place !== -1
}

export class EventNames {
  /** Former ids that have moved, for the engine to publish and clear. Not those of events that are added or removed. */
  readonly idMoves: IdMove[] = []
  private readonly byId = new Map<string, EventRecord>()
  private readonly byIdentity = new Map<string, EventRecord>()

  eventOf(id: string): EventRecord | undefined {
    return this.byId.get(id)
  }

  /** The event of exactly this spelling and kickoff. */
  findSame(sighting: EventSighting): EventRecord | undefined {
    return this.byIdentity.get(keyOfIdentity(identityOfSighting(sighting)))
  }

  /** An id and an identity for a new event. `key` distinguishes it from another one of the same spelling. */
  newNames(sighting: EventSighting, key: string): Pick<EventRecord, 'idNumber' | 'identity'> {
    const identity = this.freeIdentity(identityOfSighting(sighting), key)
    let idNumber = idNumberOf(identity)
    while (this.byId.has(String(idNumber))) idNumber++
    return { idNumber, identity: keyOfIdentity(identity) }
  }

  add(record: EventRecord): void {
    this.byId.set(record.event.id, record)
    this.byIdentity.set(record.identity, record)
  }

  /** The names of all events on the board; names that are not theirs lead nowhere. No id has moved between two turns. */
  load(records: readonly (EventRecord | undefined)[]): void {
    for (const record of records) {
      if (record === undefined) continue
      this.add(record)
      for (const id of record.formerIds) this.byId.set(id, record)
      for (const identity of record.formerIdentities) this.byIdentity.set(identity, record)
    }
  }

  /** Replaces the identity of an event that is renamed. */
  rename(record: EventRecord, { sport, leagueKey, homeTeam, awayTeam, kickoffAt }: Event, key: string): void {
    if (!record.formerIdentities.includes(record.identity)) this.byIdentity.delete(record.identity)
    const identity = identityOf(sport, leagueKey, homeTeam, awayTeam, kickoffAt)
    // It may have had these names before.
    const plain = keyOfIdentity(identity)
    record.identity = this.byIdentity.get(plain) === record ? plain : keyOfIdentity(this.freeIdentity(identity, key))
    this.byIdentity.set(record.identity, record)
  }

  remove(record: EventRecord): void {
    for (const id of [record.event.id, ...record.formerIds]) this.byId.delete(id)
    for (const identity of [record.identity, ...record.formerIdentities]) this.byIdentity.delete(identity)
  }

  /** Makes ids and identities that are free lead to an event, too. */
  addFormer(record: EventRecord, ids: readonly string[], identities: readonly string[]): void {
    for (const id of ids) {
      if (this.byId.has(id)) continue
      record.formerIds.push(id)
      this.byId.set(id, record)
      this.idMoves.push({ record, id, isLeading: true })
    }
    for (const identity of identities) {
      if (this.byIdentity.has(identity)) continue
      record.formerIdentities.push(identity)
      this.byIdentity.set(identity, record)
    }
  }

  /** A sighting is of an event with another spelling: the id that it would have had leads there, if it is free. */
  addSpelling(record: EventRecord, sighting: EventSighting): void {
    this.addFormer(record, [String(idNumberOf(identityOfSighting(sighting)))], [])
  }

  /**
   * Removes the former ids and identities that a sighting would have as its own event from the event that they lead to.
   */
  free(sighting: EventSighting, key: string): { readonly ids: string[]; readonly identities: string[] } {
    const plain = identityOfSighting(sighting)
    const both = [plain, `${plain}\n${key}`]
    const identities = both.map(keyOfIdentity).filter((identity) => {
      const owner = this.byIdentity.get(identity)
      const isFormer = owner !== undefined && remove(owner.formerIdentities, identity)
      // The event may have these names again.
      return isFormer && owner.identity !== identity && this.byIdentity.delete(identity)
    })
    const ids = both
      .map((identity) => String(idNumberOf(identity)))
      .filter((id) => {
        const owner = this.byId.get(id)
        if (owner === undefined || !remove(owner.formerIds, id)) return false
        this.idMoves.push({ record: owner, id, isLeading: false })
        return this.byId.delete(id)
      })
    return { ids, identities }
  }

  /** An identity; where it is used by another event, with a key appended. */
  private freeIdentity(identity: string, key: string): string {
    const isUsed = this.byIdentity.has(keyOfIdentity(identity))
    return isUsed ? this.freeIdentity(`${identity}\n${key}`, key) : identity
  }
}
