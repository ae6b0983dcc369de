// As which sources know which events: the way from a sighting to its event. By the source's own id, else by what people have
// decided, else by what is spelt the same, else by what the rule says looks the same; a new event where it is none of these.

import assert from 'node:assert/strict'
import type { Event } from '../domain/event.ts'
import type { ConflictReason, EventDecision, EventMatcher } from '../domain/event-identity.ts'
import type { EventSighting } from '../domain/observation.ts'
import type { Catalogue, EventRecord, KnownSighting } from './catalogue.ts'
import { Decisions, type PairDecision } from './decisions.ts'

/** An event that was kept apart from others that look like it. */
export interface Conflict {
  readonly reason: ConflictReason
  readonly record: EventRecord
  readonly others: readonly EventRecord[]
}

/** Told where an event's names or time change; it makes them change by calling `refresh`. */
type OnRefresh = (record: EventRecord, refresh: () => void) => void

/** Source ids of one event: some hundred bookmakers, each with its own. More comes from a feed that makes them up. */
const SIGHTINGS_MAX = 256

/** Events kept apart that are remembered for somebody to decide about. */
const CONFLICTS_MAX = 10_000

const sourceOf = (key: string): string => key.slice(0, key.indexOf(':'))

const isSameSighting = (a: EventSighting, b: EventSighting): boolean =>
  a === b ||
  (a.kickoffAt === b.kickoffAt &&
    a.home === b.home &&
    a.away === b.away &&
    a.leagueKey === b.leagueKey &&
    a.leagueName === b.leagueName)

export class Sightings {
  private readonly catalogue: Catalogue
  private readonly matcher: EventMatcher | undefined
  private readonly decisions = new Decisions()
  private readonly bySourceKey = new Map<string, KnownSighting>()
  private readonly kept = new Map<EventRecord, Conflict>()
  private lastNumber = 0
  /** Whether a sighting has come of which decisions say more than is done: they are to be settled anew. */
  isUnsettled = false

  /** @param matcher finds events of other sources that are the same; none: only what is spelt the same is */
  constructor(catalogue: Catalogue, matcher: EventMatcher | undefined) {
    this.catalogue = catalogue
    this.matcher = matcher
  }

  // --- reading

  /** The event as a source knows it; undefined where no source has that key. */
  find(key: string): KnownSighting | undefined {
    return this.bySourceKey.get(key)
  }

  /** Events that were kept apart from others that look like them. */
  conflicts(): Conflict[] {
    return [...this.kept.values()].flatMap(({ reason, record, others }) => {
      const isSettled = (other: EventRecord): boolean => record.sightings.some(({ key }) => this.isApart(other, key))
      const left = others.filter(
        (other) => this.catalogue.recordOf(other.number) === other && other !== record && !isSettled(other),
      )
      return left.length === 0 ? [] : [{ reason, record, others: left }]
    })
  }

  /** The decisions about pairs that hold. */
  get decidedPairs(): readonly PairDecision[] {
    return this.decisions.pairs
  }

  /** Whether somebody has said that a source's event is not this one. */
  isApart(record: EventRecord, key: string): boolean {
    const apart = this.decisions.apartFrom(key)
    return apart !== undefined && record.sightings.some((known) => apart.has(known.key))
  }

  /** Whether somebody has said that two sources' events are not the same. */
  areApart(key: string, other: string): boolean {
    return this.decisions.apartFrom(key)?.has(other) ?? false
  }

  /** How many sightings of its event somebody has said a sighting is not of. */
  countApart({ record, key }: KnownSighting): number {
    const apart = this.decisions.apartFrom(key)
    return apart === undefined ? 0 : record.sightings.filter((each) => apart.has(each.key)).length
  }

  /** The sightings that decisions bind to one, itself first, as far as they stand in the same event. */
  groupOf(known: KnownSighting): KnownSighting[] {
    const partners = this.decisions.partnersOf(known.key).map(({ key }) => this.bySourceKey.get(key))
    return [known, ...partners.filter((each) => each !== undefined && each.record === known.record)] as KnownSighting[]
  }

  // --- writing (the engine only)

  /** The event of a sighting, as its source knows it. */
  resolve(sighting: EventSighting, onRefresh: OnRefresh): KnownSighting {
    const { catalogue } = this
    const key = sighting.sourceKey
    if (key === null) return (catalogue.findSame(sighting) ?? catalogue.addEvent(sighting, '')).nameless
    const known = this.bySourceKey.get(key)
    if (known !== undefined) {
      if (!isSameSighting(known.sighting, sighting)) this.respell(known, sighting, onRefresh)
      return known
    }
    const decided = this.byDecision(key, sighting)
    if (decided !== undefined) return decided
    const same = catalogue.findSame(sighting)
    if (same !== undefined && !this.isApart(same, key)) return this.attach(same, key, sighting, false)
    const source = sourceOf(key)
    const match = this.matcher?.match(sighting, (number) => {
      const record = catalogue.recordOf(number)!
      return this.isApart(record, key) || record.sightings.some((other) => other.source === source)
    })
    if (match?.kind === 'same') return this.attach(catalogue.recordOf(match.event)!, key, sighting, false)
    const record = catalogue.addEvent(sighting, key)
    if (match !== undefined) this.keepApart(record, match.kind, match.events)
    return this.attach(record, key, sighting, false)
  }

  /** Takes over what has been decided, all of it. */
  decide(decisions: readonly EventDecision[]): void {
    this.decisions.replace(decisions)
  }

  /** Replaces the names of names; returns the events that they may concern. */
  setAliases(aliases: Parameters<EventMatcher['setAliases']>[0]): EventRecord[] {
    return (this.matcher?.setAliases(aliases) ?? []).map((number) => this.catalogue.recordOf(number)!)
  }

  /** The event that a known one turns out to be, by the rule, if there is exactly one. Brings its conflict up to date. */
  matchAnew(record: EventRecord): EventRecord | undefined {
    const { catalogue } = this
    const [owner] = record.sightings
    if (owner === undefined) return undefined
    const match = this.matcher?.match(owner.sighting, (number) => {
      const other = catalogue.recordOf(number)!
      return (
        other === record ||
        record.sightings.some(
          (known) => this.isApart(other, known.key) || other.sightings.some((theirs) => theirs.source === known.source),
        )
      )
    })
    this.kept.delete(record)
    if (match?.kind === 'same') return catalogue.recordOf(match.event)
    if (match !== undefined) this.keepApart(record, match.kind, match.events)
    return undefined
  }

  /**
   * Makes a sighting one of another event; its quotes are the caller's to move.
   * @param isTurned whether the two events name home and away the other way round
   */
  move(known: KnownSighting, into: EventRecord, isTurned: boolean): void {
    const { record: from, key } = known
    from.sightings.splice(from.sightings.indexOf(known), 1)
    this.matcher?.remove(from.number, key)
    known.record = into
    known.turned = known.turned !== isTurned
    into.sightings.push(known)
    this.spell(known)
  }

  /** Makes all sightings of one event those of another, as {@link move}. */
  moveAll(from: EventRecord, into: EventRecord, isTurned: boolean): void {
    for (const known of [...from.sightings]) this.move(known, into, isTurned)
    this.kept.delete(from)
  }

  /** Gives a sighting an event of its own; books and quotes are the caller's to move. */
  splitOff(known: KnownSighting): EventRecord {
    const record = this.catalogue.addSplit(known.sighting, known.key, known.record)
    this.move(known, record, known.turned)
    return record
  }

  /** An event is gone: nobody knows it any more. */
  forget(record: EventRecord): void {
    for (const { key } of record.sightings) {
      this.bySourceKey.delete(key)
      this.matcher?.remove(record.number, key)
    }
    this.kept.delete(record)
  }

  // --- inside

  /** The event that people have said a source's is, with whichever of its partners is there. */
  private byDecision(key: string, sighting: EventSighting): KnownSighting | undefined {
    const partners = this.decisions.partnersOf(key).flatMap((partner) => {
      const known = this.bySourceKey.get(partner.key)
      if (known === undefined || known.record.event.sport !== sighting.sport || this.isApart(known.record, key))
        return []
      return [{ record: known.record, turned: known.turned !== partner.turned }]
    })
    const [first] = partners
    if (first === undefined) return undefined
    // They may stand in several events as yet, or the other way round: it is the link that was missing.
    const isOne = partners.every(({ record, turned }) => record === first.record && turned === first.turned)
    if (!isOne) this.isUnsettled = true
    return this.attach(first.record, key, sighting, first.turned)
  }

  /** Makes a source's id known as that of an event. */
  private attach(record: EventRecord, key: string, sighting: EventSighting, turned: boolean): KnownSighting {
    // Past the bound an event is still known by what it is.
    if (record.sightings.length >= SIGHTINGS_MAX) return record.nameless
    const number = ++this.lastNumber
    const known: KnownSighting = { key, source: sourceOf(key), number, record, sighting, turned }
    this.bySourceKey.set(key, known)
    record.sightings.push(known)
    this.spell(known)
    return known
  }

  /** Tells the matcher under which names a source knows an event, the right way round. */
  private spell({ record, key, sighting, turned }: KnownSighting): void {
    const { home, away } = sighting
    this.matcher?.add(record.number, key, turned ? { ...sighting, home: away, away: home } : sighting)
  }

  private keepApart(record: EventRecord, reason: ConflictReason, events: readonly number[]): void {
    // A feed that makes up names must not fill the memory with them.
    if (this.kept.size >= CONFLICTS_MAX) return
    this.kept.set(record, { reason, record, others: events.map((number) => this.catalogue.recordOf(number)!) })
  }

  /** A source spells an event another way, or moves it: the one that brought it renames and reschedules it; the id stays. */
  private respell(known: KnownSighting, sighting: EventSighting, onRefresh: OnRefresh): void {
    const { record } = known
    const take = (): void => {
      known.sighting = sighting
      this.spell(known)
    }
    if (record.sightings[0] !== known) return take()
    const next: Event = {
      ...record.event,
      leagueKey: sighting.leagueKey,
      leagueName: sighting.leagueName,
      homeTeam: known.turned ? sighting.away : sighting.home,
      awayTeam: known.turned ? sighting.home : sighting.away,
      kickoffAt: sighting.kickoffAt,
    }
    // Tried again with the next sighting, and people may merge the two.
    if (!this.catalogue.canBecome(record, next)) return
    take()
    onRefresh(record, () => this.catalogue.renameEvent(record, next))
  }

  /** Test only: throws where keys and events contradict each other. */
  checkInvariants(): void {
    for (const [key, known] of this.bySourceKey) {
      assert.equal(known.key, key)
      assert(known.record.sightings.includes(known), `${key} is not a sighting of its event`)
      assert.equal(this.catalogue.recordOf(known.record.number), known.record, `the event of ${key} is gone`)
    }
    let count = 0
    this.catalogue.visit(undefined, undefined, Number.NEGATIVE_INFINITY, ({ sightings }) => {
      count += sightings.length
      return true
    })
    assert.equal(this.bySourceKey.size, count)
  }
}
