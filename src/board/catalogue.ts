// The catalogue: events in kickoff order, their markets and books, and which bookmakers have an open quote in which
// market, per transport, as bit sets. Lists are answered from here without touching quotes.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { BookmakerSet } from '../domain/audience.ts'
import type { Event, EventView } from '../domain/event.ts'
import type { EventSighting } from '../domain/observation.ts'
import { SPORT_NUMBER, SPORTS } from '../domain/sport.ts'
import { TRANSPORTS, type TransportNumber } from '../domain/transport.ts'
import { allocateBooks, allocateMarkets, type BookColumns, type MarketColumns, NO_LINE } from './columns.ts'
import type { Interner } from './interning.ts'
import { KickoffOrder } from './kickoff-order.ts'
import type { Holding } from './room.ts'

/** An event on the board. */
export interface EventRecord extends EventView {
  // Each list is assigned with its first entry: pushing into an empty array allocates seventeen places.
  readonly idNumber: number
  event: Event
  /** Market numbers by type, then line (none first). */
  markets: number[]
  /** Book numbers by bookmaker slug; of one bookmaker, rest before live. */
  books: number[]
  readonly versions: [number, number]
  /** Its sightings; the source of the first one may rename or reschedule it. */
  sightings: KnownSighting[]
  /** The sighting of sources that give no id. */
  readonly nameless: KnownSighting
  /** Finds it by spelling where no source id is known, see {@link keyOfIdentity}. */
  identity: string
  /** Other ids that lead here, such as those of events that were merged into it. */
  readonly formerIds: string[]
  /** The identities of those events. */
  readonly formerIdentities: string[]
}

/** A former id leads to an event from now on, or no longer. */
interface IdMove {
  readonly record: EventRecord
  readonly id: string
  readonly isLeading: boolean
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
  turned: boolean
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

const identityOfEvent = (event: Event): string =>
  identityOf(event.sport, event.leagueKey, event.homeTeam, event.awayTeam, event.kickoffAt)

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
const takeOut = (texts: string[], text: string): boolean => {
  const place = texts.indexOf(text)
  if (place !== -1) texts.splice(place, 1)
  return place !== -1
}

export class Catalogue {
  readonly books: BookColumns
  readonly markets: MarketColumns
  /** Former ids that have moved, for the engine to publish and clear. Not those of events that are added or removed. */
  readonly idMoves: IdMove[] = []
  private readonly order = new KickoffOrder<EventRecord>()
  private readonly sportOrders = SPORTS.map(() => new KickoffOrder<EventRecord>())
  private readonly leagueOrders = new Map<string, KickoffOrder<EventRecord>>()
  private readonly bookmakers: Interner
  private readonly room: Holding
  private readonly records: (EventRecord | undefined)[] = [undefined]
  private readonly freeRecords: number[] = []
  private readonly byId = new Map<string, EventRecord>()
  private readonly byIdentity = new Map<string, EventRecord>()
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

  /** @param room counts the events, and those at which a bookmaker has a quote */
  constructor(quotesMax: number, bookmakers: Interner, room: Holding) {
    this.bookmakers = bookmakers
    this.room = room
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
    // A league key may occur in two sports (`unknown` does).
    const isAsked = (record: EventRecord): boolean => sportNumber === undefined || record.sportNumber === sportNumber
    this.leagueOrders.get(leagueKey)?.visitFrom(kickoffAt, (record) => !isAsked(record) || visit(record))
  }

  /** Version of the lists of a sport (undefined: of all sports): changes with an event or its open markets. */
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

  /** The event of a number, undefined where there is none. The number of an event that is gone is reused. */
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

  addBook(record: EventRecord, bookmaker: number, transport: TransportNumber): number {
    const { books } = this
    this.ensureWords(bookmaker)
    if (!this.isQuotedBy(record, bookmaker)) this.room.addOf(bookmaker)
    let book = this.freeBook
    if (book !== 0) this.freeBook = books.head[book]!
    else book = ++this.booksUsed
    assert(book < books.head.length, 'a book for every quote is enough')
    books.event[book] = record.number
    books.bookmaker[book] = bookmaker
    books.transport[book] = transport
    books.head[book] = 0
    books.quotes[book] = 0
    books.producer[book] = 0
    books.sighting[book] = 0
    books.endedAt[book] = Number.NEGATIVE_INFINITY
    const slug = this.bookmakers.textOf(bookmaker)
    const place = record.books.findIndex((other) => {
      const otherSlug = this.bookmakers.textOf(books.bookmaker[other]!)
      return otherSlug > slug || (otherSlug === slug && books.transport[other]! > transport)
    })
    if (record.books.length === 0) record.books = [book]
    else record.books.splice(place === -1 ? record.books.length : place, 0, book)
    return book
  }

  /** Removes a book without quotes. */
  removeBook(record: EventRecord, book: number): void {
    const bookmaker = this.books.bookmaker[book]!
    record.books.splice(record.books.indexOf(book), 1)
    if (!this.isQuotedBy(record, bookmaker)) this.room.removeOf(bookmaker)
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
    if (record.markets.length === 0) record.markets = [market]
    else record.markets.splice(this.placeOfMarket(record, type, line), 0, market)
    return market
  }

  /** Removes a market without quotes. */
  removeMarket(record: EventRecord, market: number): void {
    record.markets.splice(record.markets.indexOf(market), 1)
    this.markets.event[market] = 0
    this.markets.quotes[market] = this.freeMarket
    this.freeMarket = market
    this.touchLists(record)
  }

  /** The event of exactly this spelling and kickoff. */
  findSame(sighting: EventSighting): EventRecord | undefined {
    return this.byIdentity.get(keyOfIdentity(identityOfSighting(sighting)))
  }

  /** Adds an event. `key` distinguishes it from another one of the same spelling. */
  addEvent(sighting: EventSighting, key: string): EventRecord {
    const identity = this.freeIdentity(identityOfSighting(sighting), key)
    let idNumber = idNumberOf(identity)
    while (this.byId.has(String(idNumber))) idNumber++
    const number = this.freeRecords.pop() ?? this.records.length
    const nameless = { key: '', source: '', number: 0, sighting, spelledAt: 0, turned: false } as Omit<
      KnownSighting,
      'record'
    >
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
      identity: keyOfIdentity(identity),
      formerIds: [],
      formerIdentities: [],
    }
    record.nameless.record = record
    this.records[number] = record
    this.byId.set(record.event.id, record)
    this.byIdentity.set(record.identity, record)
    this.room.add()
    this.list(record)
    this.touchLists(record)
    return record
  }

  /** Adds an event for a sighting that was split off another one; a former id of the sighting leads to it again. */
  addSplit(sighting: EventSighting, key: string): EventRecord {
    this.freeNames(sighting, key)
    return this.addEvent(sighting, key)
  }

  /** A sighting is of an event with another spelling: the id that it would have had leads there, if it is free. */
  addName(record: EventRecord, sighting: EventSighting): void {
    this.addFormer(record, [String(idNumberOf(identityOfSighting(sighting)))], [])
  }

  /** A sighting was moved to another event: an id that it had before moves with it. */
  moveNames({ sighting, key, record, turned }: KnownSighting): void {
    const { ids, identities } = this.freeNames(sighting, key)
    this.addFormer(record, ids, turned ? [] : identities)
  }

  /** Renames and reschedules an event; its id stays. `key` distinguishes it from another one of the same spelling. */
  renameEvent(record: EventRecord, next: Event, key: string): void {
    if (!record.formerIdentities.includes(record.identity)) this.byIdentity.delete(record.identity)
    this.unlist(record)
    record.event = next
    const identity = identityOfEvent(next)
    // It may have had these names before.
    const plain = keyOfIdentity(identity)
    record.identity = this.byIdentity.get(plain) === record ? plain : keyOfIdentity(this.freeIdentity(identity, key))
    this.byIdentity.set(record.identity, record)
    this.list(record)
    this.touchLists(record)
  }

  /** Removes an event without books. */
  removeEvent(record: EventRecord): void {
    assert(record.books.length === 0 && record.markets.length === 0)
    for (const id of [record.event.id, ...record.formerIds]) this.byId.delete(id)
    for (const identity of [record.identity, ...record.formerIdentities]) this.byIdentity.delete(identity)
    this.unlist(record)
    this.room.remove()
    this.records[record.number] = undefined
    this.freeRecords.push(record.number)
    this.touchLists(record)
  }

  /**
   * Removes an event without books that was merged into another: its ids lead there.
   * @param isTurned whether it has swapped sides
   */
  replaceEvent(record: EventRecord, by: EventRecord, isTurned: boolean): void {
    this.removeEvent(record)
    // Without a source id, a sighting with swapped sides cannot be distinguished from one without.
    const identities = isTurned ? [] : [record.identity, ...record.formerIdentities]
    this.addFormer(by, [record.event.id, ...record.formerIds], identities)
  }

  /** Test only: all books have numbers below this. */
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

  /** Whether a number is that of a current book, or market. */
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

  /** Notes that an answer about the event may have changed. */
  touch(record: EventRecord, transport: TransportNumber): void {
    record.versions[transport] = ++this.lastVersion
  }

  // --- inside

  /** An identity; where it is used by another event, with a key appended. */
  private freeIdentity(identity: string, key: string): string {
    const isTaken = this.byIdentity.has(keyOfIdentity(identity))
    return isTaken ? this.freeIdentity(`${identity}\n${key}`, key) : identity
  }

  /** Makes ids and identities that are free lead to an event, too. */
  private addFormer(record: EventRecord, ids: readonly string[], identities: readonly string[]): void {
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

  /**
   * Removes the former id and identity that a sighting would have as its own event from the event that they lead to.
   */
  private freeNames(sighting: EventSighting, key: string): { readonly ids: string[]; readonly identities: string[] } {
    const plain = identityOfSighting(sighting)
    const both = [plain, `${plain}\n${key}`]
    const identities = both.map(keyOfIdentity).filter((identity) => {
      const owner = this.byIdentity.get(identity)
      const isFormer = owner !== undefined && takeOut(owner.formerIdentities, identity)
      // The event may have these names again.
      return isFormer && owner.identity !== identity && this.byIdentity.delete(identity)
    })
    const ids = both
      .map((identity) => String(idNumberOf(identity)))
      .filter((id) => {
        const owner = this.byId.get(id)
        if (owner === undefined || !takeOut(owner.formerIds, id)) return false
        this.idMoves.push({ record: owner, id, isLeading: false })
        return this.byId.delete(id)
      })
    return { ids, identities }
  }

  private isQuotedBy(record: EventRecord, bookmaker: number): boolean {
    const { books } = this
    for (const book of record.books) if (books.bookmaker[book] === bookmaker) return true
    return false
  }

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
    for (const record of listed) {
      assert.equal(this.records[record.number], record)
      assert.equal(this.byIdentity.get(record.identity), record)
      assert(record.books.length > 0, `event ${record.event.id} has no book`)
      for (const id of [record.event.id, ...record.formerIds]) assert.equal(this.byId.get(id), record)
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
    assert.equal(this.room.held, listed.length)
    const events = new Map<number, number>()
    for (const record of listed) {
      for (const bookmaker of new Set(record.books.map((book) => this.books.bookmaker[book]!))) {
        events.set(bookmaker, (events.get(bookmaker) ?? 0) + 1)
      }
    }
    for (let bookmaker = 1; bookmaker <= this.bookmakers.size; bookmaker++) {
      assert.equal(this.room.ownOf(bookmaker), events.get(bookmaker) ?? 0, `events of bookmaker ${bookmaker}`)
    }
  }
}

/** A line as the column holds it: none before every other, and no negative zero. */
export const columnLine = (line: number | null): number => (line === null ? NO_LINE : line + 0)
