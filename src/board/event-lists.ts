// The events in the order of lists: all of them, by sport, and by league. Each list has a version.

import type { Event } from '../domain/event.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import { readColumn } from '../domain/image-columns.ts'
import { SPORTS } from '../domain/sport.ts'
import { TRANSPORTS, type TransportNumber } from '../domain/transport.ts'
import type { EventRecord } from './event-record.ts'
import { KickoffOrder } from './kickoff-order.ts'

type LeagueNames = Pick<Event, 'leagueKey' | 'leagueName'>

export class EventLists {
  private readonly all = new KickoffOrder<EventRecord>()
  private readonly bySport = SPORTS.map(() => new KickoffOrder<EventRecord>())
  private readonly byLeague = new Map<string, KickoffOrder<EventRecord>>()
  // One per (transport, sport), and one per transport over all sports.
  private readonly versions = TRANSPORTS.map(() => new Float64Array(SPORTS.length + 1))
  private lastVersion = 0

  get size(): number {
    return this.all.size
  }

  /**
   * Visits the events of a league, else of a sport, else all that kick off at `kickoffAt` or later, in the order of lists, until `visit`
   * returns false. A league key may be of two sports (`unknown` is).
   * @param afterId of those that kick off at that time, up to this id they are left out
   */
  visit(
    sportNumber: number | undefined,
    leagueKey: string | undefined,
    kickoffAt: number,
    visit: (record: EventRecord) => boolean,
    afterId = -1,
  ): void {
    this.orderOf(sportNumber, leagueKey)?.visitFrom(kickoffAt, visit, afterId)
  }

  /** How many events {@link visit} has to look at, at most. */
  sizeOf(sportNumber: number | undefined, leagueKey: string | undefined): number {
    return this.orderOf(sportNumber, leagueKey)?.size ?? 0
  }

  /** Version of the lists of a sport (undefined: of all sports): changes with an event or its open markets. */
  versionOf(transport: TransportNumber, sportNumber: number | undefined): number {
    return this.versions[transport]![sportNumber ?? SPORTS.length]!
  }

  /** The names of a league, in memory once: those of its first event, where they are the same. */
  sharedNames({ leagueKey, leagueName }: LeagueNames): LeagueNames {
    const first = this.byLeague.get(leagueKey)?.first?.event
    return first?.leagueName === leagueName ? first : { leagueKey: first?.leagueKey ?? leagueKey, leagueName }
  }

  add(record: EventRecord): void {
    this.all.insert(record)
    this.bySport[record.sportNumber]!.insert(record)
    this.leagueOf(record).insert(record)
  }

  /** The numbers of the events, in their order. The versions are of this process: they are keys of its caches. */
  save(image: ImageWriter): void {
    const numbers = new Uint32Array(this.size)
    let place = 0
    this.all.visitFrom(Number.NEGATIVE_INFINITY, ({ number }) => {
      numbers[place++] = number
      return true
    })
    image.column('lists', numbers)
  }

  load(image: ImageReader, records: readonly (EventRecord | undefined)[]): void {
    for (const number of readColumn(image, 'lists', Uint32Array)) {
      const record = records[number]!
      this.all.append(record)
      this.bySport[record.sportNumber]!.append(record)
      this.leagueOf(record).append(record)
    }
    for (const versions of this.versions) versions.fill(++this.lastVersion)
  }

  private orderOf(
    sportNumber: number | undefined,
    leagueKey: string | undefined,
  ): KickoffOrder<EventRecord> | undefined {
    if (leagueKey !== undefined) return this.byLeague.get(leagueKey)
    return sportNumber === undefined ? this.all : this.bySport[sportNumber]!
  }

  private leagueOf({ event: { leagueKey } }: EventRecord): KickoffOrder<EventRecord> {
    const league = this.byLeague.get(leagueKey) ?? new KickoffOrder<EventRecord>()
    this.byLeague.set(leagueKey, league)
    return league
  }

  /** Removes an event that still has the names and the kickoff that it was added with. */
  remove(record: EventRecord): void {
    this.all.remove(record)
    this.bySport[record.sportNumber]!.remove(record)
    const league = this.byLeague.get(record.event.leagueKey)!
    league.remove(record)
    if (league.size === 0) this.byLeague.delete(record.event.leagueKey)
  }

  /** Notes that the lists with an event may have changed. */
  touch({ sportNumber }: EventRecord, transport: TransportNumber): void {
    const versions = this.versions[transport]!
    versions[sportNumber] = ++this.lastVersion
    versions[SPORTS.length] = this.lastVersion
  }
}
