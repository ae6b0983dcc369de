// The catalogue: events in kickoff order, their markets and books, and which bookmakers have an open quote in which
// market, per transport, as bit sets. Lists are answered from here without touching quotes.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { BookmakerSet } from '../domain/audience.ts'
import type { Event, EventView } from '../domain/event.ts'
import type { ConflictReason, EventDecision, EventMatcher } from '../domain/event-identity.ts'
import type { EventSighting } from '../domain/observation.ts'
import { SPORT_NUMBER, SPORTS } from '../domain/sport.ts'
import { TRANSPORTS, type TransportNumber } from '../domain/transport.ts'
import { Decisions, type PairDecision } from './decisions.ts'
import { allocateBooks, allocateMarkets, type BookColumns, type MarketColumns, NO_LINE } from './columns.ts'
import type { Interner } from './interning.ts'
import { KickoffOrder } from './kickoff-order.ts'

/** An event on the board. */
export interface EventRecord extends EventView {
  readonly idNumber: number
  event: Event
  /** Market numbers by type, then line (none first). */
  readonly markets: number[]
  /** Book numbers by bookmaker slug; of one bookmaker, rest before live. */
  readonly books: number[]
  readonly versions: [number, number]
  /** As which sources know it; the first one's source may rename or reschedule it. */
  readonly sightings: KnownSighting[]
  /** What sightings without a source id are known as. */
  readonly nameless: KnownSighting
  /** By what it is found where no source id is known. */
  identity: string
  /** Ids under which it was known before another event was merged into it. */
  readonly formerIds: string[]
  /** By what those were found. */
  readonly formerIdentities: string[]
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
  /** As the source spells it now. */
  sighting: EventSighting
  /** Whether the source names home and away the other way round. */
  turned: boolean
}

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

const identityOf = (sport: string, leagueKey: string, home: string, away: string, kickoffAt: number): string =>
  `${sport}\n${leagueKey}\n${home}\n${away}\n${kickoffAt}`

const identityOfEvent = (event: Event): string =>
  identityOf(event.sport, event.leagueKey, event.homeTeam, event.awayTeam, event.kickoffAt)

const identityOfSighting = ({ sport, leagueKey, home, away, kickoffAt }: EventSighting): string =>
  identityOf(sport, leagueKey, home, away, kickoffAt)

const sourceOf = (key: string): string => key.slice(0, key.indexOf(':'))

const isSameSighting = (a: EventSighting, b: EventSighting): boolean =>
  a === b ||
  (a.kickoffAt === b.kickoffAt &&
    a.home === b.home &&
    a.away === b.away &&
    a.leagueKey === b.leagueKey &&
    a.leagueName === b.leagueName)

// 48 bits: 15 digits at most, exact as a double, and at 100 000 events a collision is one in 50 000 (then the next
// number is taken).
const ID_BYTES = 6

/**
 * The id of an event, from its first sighting: the same in every process and after every restart, so that a stored id
 * never answers for another event.
 */
const idNumberOf = (identity: string): number =>
  createHash('sha256').update(identity).digest().readUIntBE(0, ID_BYTES) || 1

export class Catalogue {
  readonly books: BookColumns
  readonly markets: MarketColumns
  private readonly order = new KickoffOrder<EventRecord>()
  private readonly sportOrders = SPORTS.map(() => new KickoffOrder<EventRecord>())
  private readonly leagueOrders = new Map<string, KickoffOrder<EventRecord>>()
  private readonly bookmakers: Interner
  private readonly records: (EventRecord | undefined)[] = [undefined]
  private readonly freeRecords: number[] = []
  private readonly byId = new Map<string, EventRecord>()
  private readonly byIdentity = new Map<string, EventRecord>()
  private readonly bySourceKey = new Map<string, KnownSighting>()
  // By number, for the column of books.
  private readonly sightings: (KnownSighting | undefined)[] = [undefined]
  private readonly freeSightings: number[] = []
  private readonly matcher: EventMatcher | undefined
  private readonly decisions = new Decisions()
  private readonly kept = new Map<EventRecord, Conflict>()
  /** Whether a sighting has come that decisions speak of: they are to be settled anew. */
  isUnsettled = false
  private booksUsed = 0
  private freeBook = 0
  private marketsUsed = 0
  private freeMarket = 0
  // Bit sets of open quotes: words of (market, transport) at (market * 2 + transport) * wordsPerSet.
  private open: Uint32Array
  private wordsPerSet = 1
  // Versions of lists: one per (transport, sport), and one per transport over all sports.
  private readonly listVersions = TRANSPORTS.map(() => new Float64Array(SPORTS.length + 1))
  private lastVersion = 0

  /** @param matcher finds events of other sources that are the same; none: only what is spelt the same is */
  constructor(quotesMax: number, bookmakers: Interner, matcher: EventMatcher | undefined) {
    this.bookmakers = bookmakers
    this.matcher = matcher
    this.books = allocateBooks(quotesMax)
    this.markets = allocateMarkets(quotesMax)
    this.open = new Uint32Array(this.markets.type.length * TRANSPORTS.length * this.wordsPerSet)
  }

  // --- reading

  get eventCount(): number {
    return this.order.size
  }

  eventOf(id: string): EventRecord | undefined {
    return this.byId.get(id)
  }

  eventOfBook(book: number): EventRecord {
    return this.records[this.books.event[book]!]!
  }

  /**
   * Visits the events of a sport and league (undefined: all) that kick off at `kickoffAt` or later, in the order of
   * lists, until `visit` returns false.
   */
  visit(
    sportNumber: number | undefined,
    leagueKey: string | undefined,
    kickoffAt: number,
    visit: (record: EventRecord) => boolean,
  ): void {
    if (leagueKey === undefined) {
      const order = sportNumber === undefined ? this.order : this.sportOrders[sportNumber]!
      order.visitFrom(kickoffAt, visit)
      return
    }
    // A league key may stand in two sports (`unknown` does).
    const isAsked = (record: EventRecord): boolean => sportNumber === undefined || record.sportNumber === sportNumber
    this.leagueOrders.get(leagueKey)?.visitFrom(kickoffAt, (record) => !isAsked(record) || visit(record))
  }

  /** Version of the lists of a sport (undefined: of all sports): moves when an event or its open markets change. */
  listVersion(transport: TransportNumber, sportNumber: number | undefined): number {
    return this.listVersions[transport]![sportNumber ?? SPORTS.length]!
  }

  /** Whether one of `bookmakers` has an open quote in a market. */
  isMarketOpen(market: number, transport: TransportNumber, bookmakers: BookmakerSet): boolean {
    const { open, wordsPerSet } = this
    const base = (market * TRANSPORTS.length + transport) * wordsPerSet
    const words = Math.min(wordsPerSet, bookmakers.length)
    for (let word = 0; word < words; word++) if ((open[base + word]! & bookmakers[word]!) !== 0) return true
    return false
  }

  /** How many markets of an event have an open quote of one of `bookmakers`. */
  marketCount(record: EventRecord, transport: TransportNumber, bookmakers: BookmakerSet): number {
    let count = 0
    for (const market of record.markets) if (this.isMarketOpen(market, transport, bookmakers)) count++
    return count
  }

  /** Whether an event has a market with an open quote of one of `bookmakers`. */
  hasOpenMarket(record: EventRecord, transport: TransportNumber, bookmakers: BookmakerSet): boolean {
    for (const market of record.markets) if (this.isMarketOpen(market, transport, bookmakers)) return true
    return false
  }

  findBook(record: EventRecord, bookmaker: number, transport: TransportNumber): number {
    const { books } = this
    for (const book of record.books) {
      if (books.bookmaker[book] === bookmaker && books.transport[book] === transport) return book
    }
    return 0
  }

  /** Numbers of the bookmakers that have a book at an event. */
  bookmakersOf(record: EventRecord, transport: TransportNumber): number[] {
    const { books } = this
    return record.books.filter((book) => books.transport[book] === transport).map((book) => books.bookmaker[book]!)
  }

  /** The event of a number, undefined where there is none. Numbers are given again when an event is gone. */
  recordOf(number: number): EventRecord | undefined {
    return this.records[number]
  }

  /** All events have numbers below this. */
  get recordsEnd(): number {
    return this.records.length
  }

  /** The market of a type and line, 0 where the event has none. `line` as in the column. */
  findMarket(record: EventRecord, type: number, line: number): number {
    const market = record.markets[this.placeOfMarket(record, type, line)]
    return market !== undefined && this.markets.type[market] === type && this.markets.line[market] === line ? market : 0
  }

  // --- writing (the engine only)

  /**
   * The event of a sighting, as its source knows it: by the source's own id, else by what has been decided, else by what it
   * is, else by what looks the same; a new one where it is none of these.
   */
  resolve(sighting: EventSighting, onRefresh: OnRefresh): KnownSighting {
    const key = sighting.sourceKey
    if (key !== null) {
      const known = this.bySourceKey.get(key)
      if (known !== undefined) {
        if (!isSameSighting(known.sighting, sighting)) this.respell(known, sighting, onRefresh)
        return known
      }
    }
    const identity = identityOfSighting(sighting)
    if (key === null) return (this.byIdentity.get(identity) ?? this.addEvent(sighting, identity)).nameless
    const source = sourceOf(key)
    const isExcluded = (record: EventRecord): boolean => this.isApart(record, key)
    for (const partner of this.decisions.partnersOf(key)) {
      const known = this.bySourceKey.get(partner.key)
      if (known === undefined || known.record.event.sport !== sighting.sport || isExcluded(known.record)) continue
      // Its partners may stand in several events as yet: it is the link that was missing.
      this.isUnsettled = true
      return this.attach(known.record, key, sighting, known.turned !== partner.turned)
    }
    const same = this.byIdentity.get(identity)
    if (same !== undefined && !isExcluded(same)) return this.attach(same, key, sighting, false)
    const match = this.matcher?.match(sighting, (number) => {
      const record = this.records[number]!
      return isExcluded(record) || record.sightings.some((known) => known.source === source)
    })
    if (match?.kind === 'same') return this.attach(this.records[match.event]!, key, sighting, false)
    const record = this.addEvent(sighting, same === undefined ? identity : `${identity}\n${key}`)
    if (match !== undefined) this.keepApart(record, match.kind, match.events)
    return this.attach(record, key, sighting, false)
  }

  /** The event as a source knows it; undefined where no source has that key. */
  sightingOf(key: string): KnownSighting | undefined {
    return this.bySourceKey.get(key)
  }

  /** The sighting of a number in the column of books. */
  sightingAt(number: number): KnownSighting | undefined {
    return this.sightings[number]
  }

  /** Events that were kept apart from others that look like them. */
  conflicts(): Conflict[] {
    return [...this.kept.values()].flatMap(({ reason, record, others }) => {
      const isSettled = (other: EventRecord): boolean => record.sightings.some(({ key }) => this.isApart(other, key))
      const left = others.filter(
        (other) => this.records[other.number] === other && other !== record && !isSettled(other),
      )
      return left.length === 0 ? [] : [{ reason, record, others: left }]
    })
  }

  /** Takes over what has been decided, all of it. */
  decide(decisions: readonly EventDecision[]): void {
    this.decisions.replace(decisions)
  }

  /** Whether somebody has said that a source's event is not this one. */
  isApart(record: EventRecord, key: string): boolean {
    const apart = this.decisions.apartFrom(key)
    return apart !== undefined && record.sightings.some((known) => apart.has(known.key))
  }

  /** Replaces the names of names; returns the events that they may concern. */
  setAliases(aliases: Parameters<EventMatcher['setAliases']>[0]): EventRecord[] {
    return (this.matcher?.setAliases(aliases) ?? []).map((number) => this.records[number]!)
  }

  /** The event that a known one turns out to be, by the rule, if there is exactly one. Brings its conflict up to date. */
  matchAnew(record: EventRecord): EventRecord | undefined {
    const [owner] = record.sightings
    if (owner === undefined) return undefined
    const match = this.matcher?.match(owner.sighting, (number) => {
      const other = this.records[number]!
      return (
        other === record ||
        record.sightings.some(
          (known) => this.isApart(other, known.key) || other.sightings.some((theirs) => theirs.source === known.source),
        )
      )
    })
    this.kept.delete(record)
    if (match?.kind === 'same') return this.records[match.event]
    if (match !== undefined) this.keepApart(record, match.kind, match.events)
    return undefined
  }

  /**
   * Makes the sightings of one event those of another; books and quotes are the caller's to move first.
   * @param turned whether `from` names home and away the other way round
   */
  moveSightings(from: EventRecord, into: EventRecord, turned: boolean): void {
    for (const known of [...from.sightings]) this.moveSighting(known, into, turned)
    this.kept.delete(from)
    into.formerIds.push(from.event.id, ...from.formerIds.splice(0))
    // What is named the other way round, without a source id, cannot be told from what is not.
    if (!turned) into.formerIdentities.push(from.identity, ...from.formerIdentities.splice(0))
  }

  /** Gives a sighting an event of its own; books and quotes are the caller's to move. */
  splitOff(known: KnownSighting): EventRecord {
    const { record: from, sighting, key } = known
    const plain = identityOfSighting(sighting)
    const formerIdentity = from.formerIdentities.indexOf(plain)
    if (formerIdentity !== -1) {
      from.formerIdentities.splice(formerIdentity, 1)
      this.byIdentity.delete(plain)
    }
    const identity = this.byIdentity.has(plain) ? `${plain}\n${key}` : plain
    // An id that it had before it was merged stands for it again.
    const id = String(idNumberOf(identity))
    const former = from.formerIds.indexOf(id)
    if (former !== -1) {
      from.formerIds.splice(former, 1)
      this.byId.delete(id)
    }
    const record = this.addEvent(sighting, identity)
    this.moveSighting(known, record, known.turned)
    return record
  }

  /**
   * Makes a sighting one of another event; its quotes are the caller's to move.
   * @param isTurned whether the two events name home and away the other way round
   */
  moveSighting(known: KnownSighting, into: EventRecord, isTurned: boolean): void {
    const { record: from, key } = known
    from.sightings.splice(from.sightings.indexOf(known), 1)
    this.matcher?.remove(from.number, key)
    known.record = into
    known.turned = known.turned !== isTurned
    into.sightings.push(known)
    this.spell(known)
  }

  /** The sightings that decisions bind to one, itself first, as far as they stand in the same event. */
  groupOf(known: KnownSighting): KnownSighting[] {
    const partners = this.decisions.partnersOf(known.key).map(({ key }) => this.bySourceKey.get(key))
    return [known, ...partners.filter((each) => each !== undefined && each.record === known.record)] as KnownSighting[]
  }

  /** The decisions about pairs that hold. */
  get decidedPairs(): readonly PairDecision[] {
    return this.decisions.pairs
  }

  areApart(key: string, other: string): boolean {
    return this.decisions.apartFrom(key)?.has(other) ?? false
  }

  /** How many sightings of its event somebody has said a sighting is not of. */
  countApart({ record, key }: KnownSighting): number {
    const apart = this.decisions.apartFrom(key)
    return apart === undefined ? 0 : record.sightings.filter((each) => apart.has(each.key)).length
  }

  addBook(record: EventRecord, bookmaker: number, transport: TransportNumber): number {
    const { books } = this
    this.ensureWords(bookmaker)
    let book = this.freeBook
    if (book !== 0) this.freeBook = books.head[book]!
    else book = ++this.booksUsed
    assert(book < books.head.length, 'a book for every quote is enough')
    books.event[book] = record.number
    books.bookmaker[book] = bookmaker
    books.transport[book] = transport
    books.head[book] = 0
    books.source[book] = 0
    books.sighting[book] = 0
    const slug = this.bookmakers.textOf(bookmaker)
    const place = record.books.findIndex((other) => {
      const otherSlug = this.bookmakers.textOf(books.bookmaker[other]!)
      return otherSlug > slug || (otherSlug === slug && books.transport[other]! > transport)
    })
    record.books.splice(place === -1 ? record.books.length : place, 0, book)
    return book
  }

  /** Takes out a book without quotes. */
  removeBook(record: EventRecord, book: number): void {
    record.books.splice(record.books.indexOf(book), 1)
    this.books.event[book] = 0
    this.books.head[book] = this.freeBook
    this.freeBook = book
  }

  addMarket(record: EventRecord, type: number, line: number): number {
    const { markets } = this
    let market = this.freeMarket
    if (market !== 0) this.freeMarket = markets.quotes[market]!
    else market = ++this.marketsUsed
    assert(market < markets.quotes.length, 'a market for every quote is enough')
    markets.event[market] = record.number
    markets.type[market] = type
    markets.line[market] = line
    markets.quotes[market] = 0
    const words = TRANSPORTS.length * this.wordsPerSet
    this.open.fill(0, market * words, (market + 1) * words)
    record.markets.splice(this.placeOfMarket(record, type, line), 0, market)
    return market
  }

  /** Takes out a market without quotes. */
  removeMarket(record: EventRecord, market: number): void {
    record.markets.splice(record.markets.indexOf(market), 1)
    this.markets.event[market] = 0
    this.markets.quotes[market] = this.freeMarket
    this.freeMarket = market
    this.touchLists(record)
  }

  /** Takes out an event without books. Where it was merged into another, its id leads there. */
  removeEvent(record: EventRecord, mergedInto?: EventRecord): void {
    assert(record.books.length === 0 && record.markets.length === 0)
    for (const id of [record.event.id, ...record.formerIds]) this.byId.delete(id)
    for (const identity of [record.identity, ...record.formerIdentities]) this.byIdentity.delete(identity)
    if (mergedInto !== undefined) {
      for (const id of mergedInto.formerIds) this.byId.set(id, mergedInto)
      for (const identity of mergedInto.formerIdentities) this.byIdentity.set(identity, mergedInto)
    }
    for (const { key, number } of record.sightings) {
      this.bySourceKey.delete(key)
      this.matcher?.remove(record.number, key)
      this.sightings[number] = undefined
      this.freeSightings.push(number)
    }
    this.kept.delete(record)
    this.unlist(record)
    this.records[record.number] = undefined
    this.freeRecords.push(record.number)
    this.touchLists(record)
  }

  /** All books have numbers below this. */
  get booksEnd(): number {
    return this.booksUsed + 1
  }

  /** Notes that a bookmaker has (or no longer has) an open quote in a market. */
  setOpen(record: EventRecord, market: number, transport: TransportNumber, bookmaker: number, isOpen: boolean): void {
    const place = (market * TRANSPORTS.length + transport) * this.wordsPerSet + (bookmaker >>> 5)
    const bit = 1 << (bookmaker & 31)
    const word = this.open[place]!
    const next = (isOpen ? word | bit : word & ~bit) >>> 0
    if (next === word) return
    this.open[place] = next
    this.touchList(record, transport)
  }

  /** Whether a number stands for a book, a market, now. */
  isBook(book: number): boolean {
    return this.books.event[book] !== 0
  }

  isMarket(market: number): boolean {
    return this.markets.event[market] !== 0
  }

  hasOpen(market: number, transport: TransportNumber, bookmaker: number): boolean {
    const place = (market * TRANSPORTS.length + transport) * this.wordsPerSet + (bookmaker >>> 5)
    return (this.open[place]! & (1 << (bookmaker & 31))) !== 0
  }

  /** Notes that what an answer about the event holds may have changed. */
  touch(record: EventRecord, transport: TransportNumber): void {
    record.versions[transport] = ++this.lastVersion
  }

  // --- inside

  private placeOfMarket(record: EventRecord, type: number, line: number): number {
    const { markets } = this
    let low = 0
    let high = record.markets.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const market = record.markets[middle]!
      const otherType = markets.type[market]!
      if (otherType < type || (otherType === type && markets.line[market]! < line)) low = middle + 1
      else high = middle
    }
    return low
  }

  private addEvent(sighting: EventSighting, identity: string): EventRecord {
    let idNumber = idNumberOf(identity)
    while (this.byId.has(String(idNumber))) idNumber++
    const number = this.freeRecords.pop() ?? this.records.length
    const nameless = { key: '', source: '', number: 0, sighting, turned: false } as Omit<KnownSighting, 'record'>
    const record: EventRecord = {
      number,
      idNumber,
      event: {
        id: String(idNumber),
        sport: sighting.sport,
        leagueKey: sighting.leagueKey,
        leagueName: sighting.leagueName,
        homeTeam: sighting.home,
        awayTeam: sighting.away,
        kickoffAt: sighting.kickoffAt,
      },
      sportNumber: SPORT_NUMBER.get(sighting.sport)!,
      markets: [],
      books: [],
      versions: [0, 0],
      sightings: [],
      nameless: nameless as KnownSighting,
      identity,
      formerIds: [],
      formerIdentities: [],
    }
    record.nameless.record = record
    this.records[number] = record
    this.byId.set(record.event.id, record)
    this.byIdentity.set(identity, record)
    this.list(record)
    this.touchLists(record)
    return record
  }

  /** Makes a source's id known as that of an event. */
  private attach(record: EventRecord, key: string, sighting: EventSighting, turned: boolean): KnownSighting {
    // Past the bound an event is still known by what it is.
    if (record.sightings.length >= SIGHTINGS_MAX) return record.nameless
    const number = this.freeSightings.pop() ?? this.sightings.length
    const known: KnownSighting = { key, source: sourceOf(key), number, record, sighting, turned }
    this.sightings[number] = known
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
    this.kept.set(record, { reason, record, others: events.map((number) => this.records[number]!) })
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
    const identity = identityOfEvent(next)
    const taken = this.byIdentity.get(identity)
    // Two events cannot be one and the same: tried again with the next sighting, and people may merge them.
    if (taken !== undefined && taken !== record) return
    take()
    onRefresh(record, () => {
      this.byIdentity.delete(record.identity)
      this.unlist(record)
      record.event = next
      record.identity = identity
      this.byIdentity.set(identity, record)
      this.list(record)
      this.touchLists(record)
    })
  }

  private list(record: EventRecord): void {
    this.order.insert(record)
    this.sportOrders[record.sportNumber]!.insert(record)
    const league = this.leagueOrders.get(record.event.leagueKey) ?? new KickoffOrder<EventRecord>()
    this.leagueOrders.set(record.event.leagueKey, league)
    league.insert(record)
  }

  private unlist(record: EventRecord): void {
    this.order.remove(record)
    this.sportOrders[record.sportNumber]!.remove(record)
    const league = this.leagueOrders.get(record.event.leagueKey)!
    league.remove(record)
    if (league.size === 0) this.leagueOrders.delete(record.event.leagueKey)
  }

  private touchLists(record: EventRecord): void {
    for (const transport of [0, 1] as const) {
      this.touch(record, transport)
      this.touchList(record, transport)
    }
  }

  private touchList(record: EventRecord, transport: TransportNumber): void {
    const versions = this.listVersions[transport]!
    versions[record.sportNumber] = ++this.lastVersion
    versions[SPORTS.length] = this.lastVersion
  }

  /** Makes the bit sets wide enough for a bookmaker. Rare: once every 32 bookmakers. */
  private ensureWords(bookmaker: number): void {
    const words = (bookmaker >>> 5) + 1
    if (words <= this.wordsPerSet) return
    const wider = new Uint32Array(this.markets.type.length * TRANSPORTS.length * words)
    const sets = (this.marketsUsed + 1) * TRANSPORTS.length
    for (let set = 0; set < sets; set++) {
      for (let word = 0; word < this.wordsPerSet; word++) {
        wider[set * words + word] = this.open[set * this.wordsPerSet + word]!
      }
    }
    this.open = wider
    this.wordsPerSet = words
  }

  /** Test only: throws where the lists, maps and columns contradict each other. */
  checkInvariants(): void {
    const markets = new Set<number>()
    const books = new Set<number>()
    const listed: EventRecord[] = []
    this.order.visitFrom(Number.NEGATIVE_INFINITY, (record) => listed.push(record) > 0)
    assert.equal(listed.length, this.order.size)
    const ids = listed.flatMap(({ event, formerIds }) => [event.id, ...formerIds])
    assert.equal(this.byId.size, ids.length)
    const identities = new Set(listed.flatMap(({ identity, formerIdentities }) => [identity, ...formerIdentities]))
    assert.equal(this.byIdentity.size, identities.size)
    assert.equal(
      this.bySourceKey.size,
      listed.reduce((sum, { sightings }) => sum + sightings.length, 0),
    )
    for (const record of listed) {
      assert.equal(this.records[record.number], record)
      assert.equal(this.byIdentity.get(record.identity), record)
      assert(record.books.length > 0, `event ${record.event.id} has no book`)
      for (const id of [record.event.id, ...record.formerIds]) assert.equal(this.byId.get(id), record)
      for (const known of record.sightings) {
        assert.equal(known.record, record)
        assert.equal(this.bySourceKey.get(known.key), known)
        assert.equal(this.sightings[known.number], known)
      }
      for (const market of record.markets) {
        assert.equal(this.markets.event[market], record.number)
        assert(this.markets.quotes[market]! > 0, `market ${market} has no quote`)
        assert.equal(this.findMarket(record, this.markets.type[market]!, this.markets.line[market]!), market)
        markets.add(market)
      }
      for (const book of record.books) {
        assert.equal(this.books.event[book], record.number)
        assert(this.books.head[book] !== 0, `book ${book} has no quote`)
        books.add(book)
      }
    }
    let freeMarkets = 0
    for (let market = this.freeMarket; market !== 0; market = this.markets.quotes[market]!) freeMarkets++
    assert.equal(markets.size + freeMarkets, this.marketsUsed)
    let freeBooks = 0
    for (let book = this.freeBook; book !== 0; book = this.books.head[book]!) freeBooks++
    assert.equal(books.size + freeBooks, this.booksUsed)
  }
}

/** A line as the column holds it: none before every other, and no negative zero. */
export const columnLine = (line: number | null): number => (line === null ? NO_LINE : line + 0)
