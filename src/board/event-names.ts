// Which event an id, or a spelling, leads to: to the event that has it, or to the one that this became by a merge.

import { createHash } from 'node:crypto'
import type { Event } from '../domain/event.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { EventSighting } from '../domain/observation.ts'
import { type EventRecord, identityOf, keyOfIdentity } from './event-record.ts'
import { EventTable } from './event-table.ts'

/** A former id leads to an event from now on, or no longer. */
interface IdMove {
  readonly record: EventRecord
  readonly id: string
  readonly isLeading: boolean
}

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

const without = (texts: readonly string[], text: string): readonly string[] => texts.filter((each) => each !== text)

export class EventNames {
  /** Former ids that have moved, for the engine to publish and clear. Not those of events that are added or removed. */
  readonly idMoves: IdMove[] = []
  private readonly records: readonly (EventRecord | undefined)[]
  private readonly byId = new EventTable()
  private readonly byIdentity = new EventTable()

  /** @param records the events by number */
  constructor(records: readonly (EventRecord | undefined)[]) {
    this.records = records
  }

  eventOf(id: string): EventRecord | undefined {
    const { records } = this
    return records[
      this.byId.find(id, (number) => records[number]!.event.id === id || records[number]!.formerIds.includes(id))
    ]
  }

  /** The event of exactly this spelling and kickoff. */
  findSame(sighting: EventSighting): EventRecord | undefined {
    return this.ownerOf(keyOfIdentity(identityOfSighting(sighting)))
  }

  /**
   * An id and an identity for a new event; undefined: that of its names. `key` distinguishes it from another one of the
   * same spelling.
   */
  newNames(sighting: EventSighting, key: string): { readonly id: string; readonly ownIdentity: string | undefined } {
    const plain = identityOfSighting(sighting)
    const identity = this.freeIdentity(plain, key)
    let idNumber = idNumberOf(identity)
    while (this.eventOf(String(idNumber)) !== undefined) idNumber++
    return { id: String(idNumber), ownIdentity: identity === plain ? undefined : keyOfIdentity(identity) }
  }

  /** Adds an event that has its number. */
  add(record: EventRecord): void {
    this.byId.add(record.event.id, record.number)
    this.byIdentity.add(record.identity, record.number)
  }

  /** No id has moved between two turns. */
  save(image: ImageWriter): void {
    this.byId.save(image, 'events by id')
    this.byIdentity.save(image, 'events by identity')
  }

  /** After the events. */
  load(image: ImageReader): void {
    this.byId.load(image, 'events by id')
    this.byIdentity.load(image, 'events by identity')
  }

  /** For an image without the tables: names that are of no event lead nowhere. */
  build(): void {
    for (const record of this.records) {
      if (record === undefined) continue
      const { event, identity, formerIds, formerIdentities, number } = record
      // One that is both is added once.
      for (const id of new Set([event.id, ...formerIds])) this.byId.add(id, number)
      for (const each of new Set([identity, ...formerIdentities])) this.byIdentity.add(each, number)
    }
  }

  /** Renames an event, and replaces its identity. */
  rename(record: EventRecord, next: Event, key: string): void {
    const before = record.identity
    if (!record.formerIdentities.includes(before)) this.byIdentity.remove(before, record.number)
    const identity = identityOf(next.sport, next.leagueKey, next.homeTeam, next.awayTeam, next.kickoffAt)
    // It may have had these names before.
    const plain = keyOfIdentity(identity)
    const isFormer = record.formerIdentities.includes(plain)
    const free = isFormer ? plain : keyOfIdentity(this.freeIdentity(identity, key))
    record.event = next
    record.ownIdentity = free === plain ? undefined : free
    if (!record.formerIdentities.includes(free)) this.byIdentity.add(free, record.number)
  }

  remove(record: EventRecord): void {
    const { event, identity, formerIds, formerIdentities, number } = record
    for (const id of new Set([event.id, ...formerIds])) this.byId.remove(id, number)
    for (const each of new Set([identity, ...formerIdentities])) this.byIdentity.remove(each, number)
  }

  /** Makes ids and identities that are free lead to an event, too. */
  addFormer(record: EventRecord, ids: readonly string[], identities: readonly string[]): void {
    for (const id of ids) {
      if (this.eventOf(id) !== undefined) continue
      record.formerIds = record.formerIds.concat(id)
      this.byId.add(id, record.number)
      this.idMoves.push({ record, id, isLeading: true })
    }
    for (const identity of identities) {
      if (this.ownerOf(identity) !== undefined) continue
      record.formerIdentities = record.formerIdentities.concat(identity)
      this.byIdentity.add(identity, record.number)
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
      const owner = this.ownerOf(identity)
      if (owner === undefined || !owner.formerIdentities.includes(identity)) return false
      owner.formerIdentities = without(owner.formerIdentities, identity)
      // The event may have these names again.
      if (owner.identity === identity) return false
      this.byIdentity.remove(identity, owner.number)
      return true
    })
    const ids = both
      .map((identity) => String(idNumberOf(identity)))
      .filter((id) => {
        const owner = this.eventOf(id)
        if (owner === undefined || !owner.formerIds.includes(id)) return false
        owner.formerIds = without(owner.formerIds, id)
        this.byId.remove(id, owner.number)
        this.idMoves.push({ record: owner, id, isLeading: false })
        return true
      })
    return { ids, identities }
  }

  private ownerOf(identity: string): EventRecord | undefined {
    const { records } = this
    const isOf = (number: number): boolean =>
      records[number]!.identity === identity || records[number]!.formerIdentities.includes(identity)
    return records[this.byIdentity.find(identity, isOf)]
  }

  /** An identity; where it is used by another event, with a key appended. */
  private freeIdentity(identity: string, key: string): string {
    return this.ownerOf(keyOfIdentity(identity)) === undefined
      ? identity
      : this.freeIdentity(`${identity}\n${key}`, key)
  }
}
