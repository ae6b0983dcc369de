// Which sighting belongs to which event. Looked up by the source's own id, then by decisions, then by equal spelling,
// then by the rule of the matcher; if none of these finds an event, the sighting is of a new one.

import type { Board } from '../board/board.ts'
import type { Catalogue } from '../board/catalogue.ts'
import {
  type EventRecord,
  type KnownSighting,
  type LastFound,
  newSighting,
  rightWayRound,
} from '../board/event-record.ts'
import type { Holding } from '../board/capacity.ts'
import { type Event, isSameEvent } from '../domain/event.ts'
import type { ImageReader, ImageWriter } from '../domain/image.ts'
import type { EventConflict, EventDecision, EventMatcher, KnownEvent, Match } from '../domain/event-identity.ts'
import type { EventSighting } from '../domain/observation.ts'
import { Conflicts, knownEvent } from './conflicts.ts'
import { Decisions } from './decisions.ts'
import { doLeaguesAgree } from './leagues.ts'
import { isPlaceholder } from './placeholders.ts'
import { loadSightings, type Rename, saveSightings } from './sighting-image.ts'
import { SourceKeys } from './source-keys.ts'
import { isSameSighting, isSameSpelling, sourceOf } from './spellings.ts'

/** Source ids of one event: some hundred bookmakers, each with its own. More are from a source that makes them up. */
const SIGHTINGS_MAX = 256

/** An event, and whether a source names it with swapped sides. */
export type Place = Pick<KnownSighting, 'record' | 'swapped'>

/** See {@link Sightings.newPlaceOf}. */
interface NewPlace {
  readonly place: Place | undefined
  readonly isNamedSo: boolean
  readonly isLacking: boolean
  readonly match: Match | undefined
}

export class Sightings {
  private readonly board: Board
  readonly catalogue: Catalogue
  readonly matcher: EventMatcher | undefined
  private readonly bySourceKey: SourceKeys
  /** Events that were kept separate although they look alike. */
  readonly separated: Conflicts
  private readonly capacity: Holding
  private lastNumber = 0
  /** What operators have decided; {@link decide} replaces it. */
  readonly decisions = new Decisions()
  /** Whether some decision is not applied yet. */
  lacksDecision = false
  /** Events to match again. */
  readonly toRematch = new Set<EventRecord>()
  /** Events to rename, in order; the engine does so and clears the list. */
  readonly renames: Rename[] = []

  /** @param matcher finds the same event of another source; undefined: only events with equal spelling are the same */
  constructor(board: Board, matcher: EventMatcher | undefined) {
    this.board = board
    this.capacity = board.capacity.sourceIds
    this.catalogue = board.catalogue
    this.bySourceKey = new SourceKeys(board.catalogue)
    this.separated = new Conflicts(board.catalogue)
    this.matcher = matcher
  }

  // --- reading

  /** The sighting of a source key; undefined if it is unknown. */
  find(key: string): KnownSighting | undefined {
    return this.bySourceKey.find(key)
  }

  /** Where a sighting was found last, by its memo; undefined: that does not say. */
  foundOf({ memo }: EventSighting): LastFound | undefined {
    return memo === undefined || memo.foundBy !== this ? undefined : (memo.found as LastFound)
  }

  /** The sighting by its source key, or by its spelling if it has none; undefined if it is unknown. */
  lookUp(sighting: EventSighting): KnownSighting | undefined {
    const { sourceKey } = sighting
    return sourceKey === null ? this.catalogue.names.findSame(sighting)?.nameless : this.find(sourceKey)
  }

  /** An event by its id or by a source's own id (`SOURCE:ID`). */
  knownEvent(idOrKey: string): KnownEvent | undefined {
    const record = this.find(idOrKey)?.record ?? this.catalogue.names.eventOf(idOrKey)
    return record && knownEvent(record)
  }

  /** Events that were kept separate although they look alike. */
  conflicts(): EventConflict[] {
    return this.separated.list((record, other) => record.sightings.some(({ key }) => this.isApart(other, key)))
  }

  /** Other events that decisions keep separate from one, or that it was kept separate from because they look alike. */
  separateFrom(record: EventRecord): { readonly decided: readonly Event[]; readonly alike: readonly Event[] } {
    const decided = new Set<EventRecord>()
    for (const { key } of record.sightings) {
      for (const other of this.decisions.apartFrom(key) ?? []) {
        const known = this.bySourceKey.find(other)
        if (known !== undefined && known.record !== record) decided.add(known.record)
      }
    }
    const alike = this.separated.othersOf(record).filter((other) => !decided.has(other))
    return { decided: Array.from(decided, ({ event }) => event), alike: alike.map(({ event }) => event) }
  }

  /** Whether decisions or matches are pending. */
  get hasPending(): boolean {
    return this.lacksDecision || this.toRematch.size > 0
  }

  /** Whether a sighting is still known: its event may have ended. */
  isKnown(known: KnownSighting): boolean {
    return known.number !== 0 && known.found.known !== undefined
  }

  /** Whether a sighting belongs to an event by equal spelling or by the rule. */
  isAlike({ sighting }: KnownSighting, record: EventRecord): boolean {
    if (this.findSame(sighting, (other) => other !== record) === record) return true
    return this.matcher?.match(sighting, (number) => number !== record.number)?.kind === 'same'
  }

  /** Whether a decision separates a source key from an event. */
  isApart(record: EventRecord, key: string): boolean {
    const apart = this.decisions.apartFrom(key)
    return apart !== undefined && record.sightings.some((known) => apart.has(known.key))
  }

  /** How many sightings of its event decisions separate from a sighting. */
  countApart({ record, key }: KnownSighting): number {
    const apart = this.decisions.apartFrom(key)
    return apart === undefined ? 0 : record.sightings.filter((each) => apart.has(each.key)).length
  }

  /** The sightings that decisions bind to one, itself first, as far as they are of the same event. */
  groupOf(known: KnownSighting): KnownSighting[] {
    const partners = this.decisions.partnersOf(known.key).map(({ key }) => this.bySourceKey.find(key))
    return [known, ...partners.filter((each) => each !== undefined && each.record === known.record)] as KnownSighting[]
  }

  /** The event that {@link resolve} would find for a sighting, without changing anything; undefined: a new one. */
  placeOf(sighting: EventSighting): Place | undefined {
    const { sourceKey } = sighting
    return this.lookUp(sighting) ?? (sourceKey === null ? undefined : this.newPlaceOf(sighting, sourceKey).place)
  }

  // --- writing (the engine only)

  /**
   * The sighting with its event, which is added if it is new.
   * @param observedAt of the observation. Per source id the newest spelling holds, of equal times the later arrival, as
   * with prices: a repeated or late observation neither renames nor reschedules an event.
   * @param mayAdd whether one more event fits on the board
   * @returns undefined if the event is not on the board and does not fit
   */
  resolve(sighting: EventSighting, observedAt: number, mayAdd: boolean): KnownSighting | undefined {
    const { catalogue } = this
    const key = sighting.sourceKey
    if (key === null) {
      return (catalogue.names.findSame(sighting) ?? (mayAdd ? catalogue.addEvent(sighting, '') : undefined))?.nameless
    }
    const known = this.foundOf(sighting)?.known ?? this.bySourceKey.find(key)
    if (known === undefined) {
      const first = this.resolveNew(sighting, key, mayAdd)
      if (first !== undefined) first.spelledAt = observedAt
      return first
    }
    if (observedAt < known.spelledAt) return known
    known.spelledAt = observedAt
    if (known.sighting !== sighting && !isSameSighting(known.sighting, sighting)) this.respell(known, sighting)
    const { memo } = sighting
    if (memo !== undefined) {
      memo.foundBy = this
      memo.found = known.found
    }
    return known
  }

  /** Replaces all decisions. */
  decide(decisions: readonly EventDecision[]): void {
    this.decisions.replace(decisions)
    this.lacksDecision = true
  }

  /** Replaces the aliases; returns the events that they may concern. */
  setAliases(aliases: Parameters<EventMatcher['setAliases']>[0]): EventRecord[] {
    return (this.matcher?.setAliases(aliases) ?? []).map((number) => this.catalogue.recordOf(number)!)
  }

  /**
   * The other event that is the same as a known one, by equal spelling or by the rule, if there is exactly one. Updates
   * the conflict of the known one. Events that are still to be matched are ignored: the result would be ambiguous.
   */
  rematch(record: EventRecord): EventRecord | undefined {
    const { catalogue } = this
    const isOther = (other: EventRecord): boolean =>
      other === record ||
      this.toRematch.has(other) ||
      record.sightings.some(
        (known) => this.isApart(other, known.key) || other.sightings.some((theirs) => theirs.source === known.source),
      ) ||
      this.matcher?.areOtherTeams(other.number, record.number) === true
    let conflict: Match | undefined
    this.separated.delete(record)
    for (const known of record.sightings) {
      const sighting = rightWayRound(known)
      const same = this.findSame(sighting, isOther)
      if (same !== undefined) return same
      const match = this.matcher?.match(sighting, (number) => isOther(catalogue.recordOf(number)!))
      if (match?.kind === 'same') {
        // Their other spellings may be of two matches, which this one leaves open.
        if (this.matcher?.areOtherTeams(match.event, record.number, sighting) !== true)
          return catalogue.recordOf(match.event)
        conflict ??= { kind: 'alike', events: [match.event] }
        continue
      }
      conflict ??= match
    }
    if (conflict !== undefined && conflict.kind !== 'same') this.separated.add(record, conflict.kind, conflict.events)
    return undefined
  }

  /**
   * Moves a sighting to another event; its quotes are the caller's to move.
   * @param isSwapped whether the two events have swapped sides
   */
  move(known: KnownSighting, into: EventRecord, isSwapped: boolean): void {
    const { record: from, key } = known
    this.bySourceKey.remove(known)
    from.sightings = from.sightings.filter((each) => each !== known)
    this.matcher?.remove(from.number, key)
    known.record = into
    known.swapped = known.swapped !== isSwapped
    into.sightings = into.sightings.concat(known)
    this.bySourceKey.add(known)
    this.spell(known)
  }

  /** Moves all sightings of one event to another, as {@link move}. */
  moveAll(from: EventRecord, into: EventRecord, isSwapped: boolean): void {
    for (const known of [...from.sightings]) this.move(known, into, isSwapped)
    this.separated.delete(from)
    this.toRematch.delete(from)
  }

  /** Gives a sighting an event of its own, with others that go along; books and quotes are the caller's to move. */
  splitOff(known: KnownSighting, others: readonly KnownSighting[]): EventRecord {
    const { swapped } = known
    const { names } = this.catalogue
    // A former id of the sighting leads to it again.
    names.free(known.sighting, known.key)
    const record = this.catalogue.addEvent(known.sighting, known.key)
    this.move(known, record, swapped)
    for (const other of others) {
      this.move(other, record, swapped)
      // An id that it had before moves with it.
      const { ids, identities } = names.free(other.sighting, other.key)
      names.addFormer(record, ids, other.swapped ? [] : identities)
    }
    return record
  }

  /**
   * An event is named and timed by the first of its sightings that still has a quote.
   * @param known is about to have one
   */
  renameByNext(record: EventRecord, known: KnownSighting | undefined = undefined): void {
    const { sightings } = record
    const place = sightings.findIndex((each) => each === known || this.board.hasQuote(each))
    if (place > 0) record.sightings = [...sightings.slice(place), ...sightings.slice(0, place)]
    this.renameByFirst(record)
  }

  /** An event has the names and the kickoff of its first sighting; its id stays. */
  renameByFirst(record: EventRecord): void {
    const [owner] = record.sightings
    if (owner === undefined) return
    const { home, away, leagueKey, leagueName, kickoffAt } = rightWayRound(owner)
    const next: Event = { ...record.event, leagueKey, leagueName, homeTeam: home, awayTeam: away, kickoffAt }
    if (!isSameEvent(record.event, next)) this.renames.push({ record, next, key: owner.key })
  }

  /** Removes an event without quotes from the board, with its sightings. */
  removeEvent(record: EventRecord): void {
    for (const known of record.sightings) {
      this.capacity.remove()
      known.found.known = undefined
      this.bySourceKey.remove(known)
      this.matcher?.remove(record.number, known.key)
    }
    this.separated.delete(record)
    this.toRematch.delete(record)
    this.board.removeEvent(record)
  }

  // --- images

  save(image: ImageWriter): void {
    saveSightings(image, this, this.bySourceKey, this.lastNumber)
  }

  /** Into an object without sightings, after the board. */
  load(image: ImageReader): void {
    this.lastNumber = loadSightings(image, this, this.bySourceKey)
  }

  // --- inside

  /** The sighting of a source id that is not known yet. */
  private resolveNew(sighting: EventSighting, key: string, mayAdd: boolean): KnownSighting | undefined {
    const { catalogue } = this
    const { place, isNamedSo, isLacking, match } = this.newPlaceOf(sighting, key)
    if (isLacking) this.lacksDecision = true
    if (place !== undefined) {
      return isNamedSo
        ? this.attach(place.record, key, sighting, false)
        : this.attachNamed(place.record, key, sighting, place.swapped)
    }
    // If its id did not fit, every observation would add another event.
    if (!mayAdd || this.capacity.capacityLeft < 1) return undefined
    const record = catalogue.addEvent(sighting, key)
    if (match !== undefined && match.kind !== 'same') this.separated.add(record, match.kind, match.events)
    return this.attach(record, key, sighting, false)
  }

  /**
   * Which event a source id belongs to that is not known yet. Changes nothing.
   * @returns `isNamedSo`: by equal spelling; `isLacking`: some decision is not applied yet; `match`: the answer of the
   * rule for a new event
   */
  private newPlaceOf(sighting: EventSighting, key: string): NewPlace {
    const { catalogue } = this
    const { place, isLacking } = this.decidedPlaceOf(key, sighting)
    if (place !== undefined) return { place, isNamedSo: false, isLacking, match: undefined }
    const source = sourceOf(key)
    const isOther = (record: EventRecord): boolean =>
      this.isApart(record, key) || record.sightings.some((other) => other.source === source)
    const same = this.findSame(sighting, isOther)
    if (same !== undefined) {
      return { place: { record: same, swapped: false }, isNamedSo: true, isLacking, match: undefined }
    }
    const match = this.matcher?.match(sighting, (number) => isOther(catalogue.recordOf(number)!))
    const record = match?.kind === 'same' ? catalogue.recordOf(match.event) : undefined
    return { place: record && { record, swapped: false }, isNamedSo: false, isLacking, match }
  }

  /** The event with equal spelling, if a source still spells it so; undefined where there are several. */
  private findSame(sighting: EventSighting, isOther: (record: EventRecord) => boolean): EventRecord | undefined {
    const { catalogue } = this
    const same = catalogue.names.findSame(sighting)
    if (same === undefined || isOther(same)) return undefined
    // Each source means another match by it.
    if (isPlaceholder(sighting.home) || isPlaceholder(sighting.away)) return undefined
    const isSpelt = (known: KnownSighting): boolean => isSameSpelling(rightWayRound(known), sighting)
    // The name of the league may say that it is another team of the club. A source that leaves it open joins no others.
    const doAgree = (known: KnownSighting): boolean => doLeaguesAgree(known.sighting, sighting)
    // An event without source ids is identified by its spelling.
    if (same.sightings.length === 0 ? !doLeaguesAgree(same.event, sighting) : !same.sightings.some(isSpelt))
      return undefined
    if (!same.sightings.every(doAgree)) return undefined
    let isOnly = true
    catalogue.lists.visit(same.sportNumber, sighting.leagueKey, sighting.kickoffAt, (record) => {
      const { homeTeam, awayTeam, kickoffAt } = record.event
      if (kickoffAt !== sighting.kickoffAt) return false
      isOnly = record === same || homeTeam !== sighting.home || awayTeam !== sighting.away || isOther(record)
      return isOnly
    })
    return isOnly ? same : undefined
  }

  /** The event of a source key by decisions: that of its first partner on the board. */
  private decidedPlaceOf(key: string, sighting: EventSighting): Pick<NewPlace, 'place' | 'isLacking'> {
    let isLacking = false
    const partners = this.decisions.partnersOf(key).flatMap((partner): Place[] => {
      const known = this.bySourceKey.find(partner.key)
      if (known === undefined || known.record.event.sport !== sighting.sport) return []
      const isFree = !this.isApart(known.record, key)
      // A sighting that conflicts with a decision is there by the rule only: it is split off.
      if (!isFree) isLacking = true
      return isFree ? [{ record: known.record, swapped: known.swapped !== partner.swapped }] : []
    })
    const [first] = partners
    // They may still be in several events, or have swapped sides: this key was the missing link.
    if (!partners.every(({ record, swapped }) => record === first!.record && swapped === first!.swapped))
      isLacking = true
    return { place: first, isLacking }
  }

  /** As {@link attach}, for an event with another spelling: had this one arrived first, it would have given the id. */
  private attachNamed(record: EventRecord, key: string, sighting: EventSighting, swapped: boolean): KnownSighting {
    const known = this.attach(record, key, sighting, swapped)
    if (known.key !== '') this.catalogue.names.addSpelling(record, sighting)
    return known
  }

  /** Adds a source id to an event. */
  private attach(record: EventRecord, key: string, sighting: EventSighting, swapped: boolean): KnownSighting {
    // Beyond the bounds a sighting is still found by its spelling.
    if (record.sightings.length >= SIGHTINGS_MAX || this.capacity.capacityLeft < 1) return record.nameless
    this.capacity.add()
    const number = ++this.lastNumber
    const known = newSighting(key, sourceOf(key), number, record, sighting, swapped)
    record.sightings = record.sightings.concat(known)
    this.bySourceKey.add(known)
    this.spell(known)
    return known
  }

  /** Gives the matcher the names of a sighting, with the sides of the event. */
  private spell(known: KnownSighting): void {
    this.matcher?.add(known.record.number, known.key, rightWayRound(known))
  }

  /** A source renames or reschedules an event; the rule may match it with another one now. */
  private respell(known: KnownSighting, sighting: EventSighting): void {
    known.sighting = sighting
    this.spell(known)
    this.toRematch.add(known.record)
    this.renameByNext(known.record, known)
  }
}
