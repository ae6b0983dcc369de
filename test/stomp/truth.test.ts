// The truth of the live channel: random observations over days, and desks that subscribe to all sorts of topics, are
// disconnected, resume, read slowly or not at all, and lose and gain rights. What a desk knows equals the naive twin and REST;
// what it gets is each change of the log, once and in order.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { Access } from '../../src/access/access.ts'
import type { Scope } from '../../src/access/scope.ts'
import { NO_LINE } from '../../src/board/columns.ts'
import { isEventNotice } from '../../src/board/changes.ts'
import type { Bookmaker } from '../../src/domain/coverage.ts'
import { type MarketType, MARKET_TYPES } from '../../src/domain/market.ts'
import type { Observation } from '../../src/domain/observation.ts'
import { CAUSES, CHANGES, QUOTE_STATUSES, type QuoteStatus } from '../../src/domain/quote.ts'
import type { Sport } from '../../src/domain/sport.ts'
import { TRANSPORTS } from '../../src/domain/transport.ts'
import { LIMITS } from '../../src/limits.ts'
import { Rest } from '../../src/rest/rest.ts'
import { changeText, NaiveEngine, type NaiveQuote } from '../naive-engine.ts'
import { newExchange } from '../rest/exchanges.ts'
import { Random, SEED } from '../random.ts'
import { randomObservation } from '../random-observations.ts'
import { type Json, list } from '../service.ts'
import { RESET_REASONS } from '../../src/stomp/catch-up.ts'
import { Desk, quoteName, readPoint } from './desk.ts'
import { bookmaker, type Customer, LiveRoom, type MemoryClient } from './memory-carrier.ts'
import { type ServerFrame, shownFrame, VERSIONS } from './strict-frames.ts'
import { checkInvariants } from '../board/invariants.ts'

const QUOTES_MAX = 1_500
const SKEW_MS = 5_000
const BOOKS = Array.from({ length: 40 }, (_, n) => `book_${n}`)
const SPORTS: readonly Sport[] = ['football', 'tennis', 'golf']
const HOUR_MS = 3_600_000

let room: LiveRoom

afterEach(() => room.close())

/** A change of the log, with what filters look at. */
interface Entry {
  readonly seq: number
  readonly text: string
  readonly change: string
  readonly eventId: string
  readonly sport: string
  readonly league: string
  readonly bookmaker: string
  readonly type: string
}

interface Due {
  readonly entry: Entry
  /** Rights have changed before it was delivered: it may come or not. */
  readonly isOptional: boolean
}

/** What a customer may see, by a naive rule. */
class Rights {
  readonly customer: Customer
  entitlement: '*' | readonly string[]
  scope: Scope

  constructor(customer: Customer, entitlement: '*' | readonly string[], scope: Scope) {
    this.customer = customer
    this.entitlement = entitlement
    this.scope = scope
  }

  has(slug: string): boolean {
    return this.entitlement === '*' || this.entitlement.includes(slug)
  }

  inScope(slug: string, sport: string): boolean {
    const { bookmakers, sports } = this.scope
    return (bookmakers === null || bookmakers.includes(slug)) && (sports === null || sports.includes(sport as Sport))
  }
}

interface Wish {
  readonly topic: 'odds' | 'status' | 'events'
  readonly destination: string
  readonly sport: string | null
  readonly bookmaker: string | null
  readonly eventId: string | null
  readonly types: readonly string[] | null
  readonly leagues: readonly string[] | null
  readonly conflateMs: number
  readonly ack: 'auto' | 'client' | 'client-individual'
  readonly isBinary: boolean
  readonly wantsState: boolean
  readonly isNumbered: boolean
}

/** A desk, what it wants, and what it has still to get. */
interface Member {
  readonly name: string
  readonly rights: Rights
  readonly wish: Wish
  readonly desk: Desk
  /** What it has to get next; not of topic `events`. */
  due: Due[]
  /** Whether the SUBSCRIBE in force asked for the state, so that a change of rights causes a reset. */
  keepsState: boolean
  /** It has got all up to this seq, or began here. */
  toldSeq: number
  /** What the customer could see when its state was made, as text; undefined: not known for sure. */
  view: string | undefined
  /** How often that has changed since. */
  viewChanges: number
  /** What it sees has changed, and messages from before may still come. */
  isMixed: boolean
  /** Why the next message is a reset; with `none`, it need not be one. Undefined: only rights cause one. */
  resets: readonly string[] | undefined
  /** A reset may be on its way. */
  mayReset: boolean
  /** For how many reasons there may be one, since the last. */
  resetReasons: number
  isAway: boolean
}

const expectReset = (member: Member): void => {
  member.mayReset = true
  member.resetReasons++
}

interface Connection {
  readonly client: MemoryClient
  readonly rights: Rights
  readonly members: Map<string, Member>
  /** Members that a MESSAGE of an id is for, as the receipts that have arrived say. */
  readonly routes: Map<string, Member>
  readonly receipts: Map<string, () => void>
  /** Acknowledgements that wait to be sent. */
  acks: { readonly frame: ServerFrame; readonly member: Member }[]
  idNext: number
  /** The session ended while it handled a SUBSCRIBE, which may have begun a snapshot. */
  hasEndedInSubscribe: boolean
}

const isIdle = ({ client: { carrier }, acks }: Connection): boolean =>
  carrier.bufferedBytes === 0 && carrier.arrived.length === 0 && acks.length === 0

/** In 1.0 an ACK names a message and no subscription: two that have the same messages cannot be distinguished. */
const canAcknowledge = ({ client, members }: Connection, { wish }: Member): boolean =>
  client.version !== '1.0' || wish.ack === 'auto' || [...members.values()].every((other) => other.wish.ack === 'auto')

class World {
  /** When the frame that is being read arrived. */
  private readAt = 0
  readonly random: Random
  readonly twin = new NaiveEngine(QUOTES_MAX, SKEW_MS)
  readonly rest: Rest
  readonly customers: Rights[] = []
  readonly connections: Connection[] = []
  readonly away: Member[] = []
  /** Changes of transport live, in the order of their seqs. */
  readonly log: Entry[] = []
  /** Events that have been in more than one league. */
  readonly moved = new Set<string>()
  readonly counts = {
    checks: 0,
    rest: 0,
    told: 0,
    cuts: 0,
    slow: 0,
    refused: 0,
    short: 0,
    resets: new Map<string, number>(),
    changes: new Map<string, number>(),
  }
  private readonly seed: number
  private readonly jumpMsMax: number
  private readonly leagues = new Map<string, string>()
  // What was read from engine and twin since they were last compared.
  private engineTexts: string[] = []
  private twinTexts: string[] = []
  private readonly ineligible = new Set<string>()
  private step = 0
  private memberNext = 1

  constructor(seed: number, jumpMsMax: number) {
    this.seed = seed
    this.jumpMsMax = jumpMsMax
    this.random = new Random(seed)
    room.engine.onTurn((changes) => {
      let seq = changes.seqBefore
      for (let group = 0; group < changes.groups; group++) {
        const notice = changes.notice[group]
        if (notice !== undefined) {
          seq++
          if (isEventNotice(notice)) this.noteLeague(notice.event.id, notice.event.leagueKey)
          continue
        }
        const event = changes.event[group]!
        const transport = TRANSPORTS[changes.transport[group]!]!
        this.noteLeague(event.id, event.leagueKey)
        for (let n = changes.first[group]!; n !== -1; n = changes.next[n]!) {
          seq++
          const entry = {
            seq,
            change: CHANGES[changes.change[n]! - 1]!,
            eventId: event.id,
            sport: event.sport,
            league: event.leagueKey,
            bookmaker: room.engine.reader.bookmakerSlug(changes.bookmaker[group]!),
            type: MARKET_TYPES[changes.type[n]!]!,
          }
          const text = changeText(
            entry.change,
            entry.eventId,
            entry.bookmaker,
            transport,
            entry.type,
            changes.line[n] === NO_LINE ? null : changes.line[n]!,
            JSON.parse(Buffer.from(changes.outcome[n]!).toString()),
            changes.odds[n]!,
            QUOTE_STATUSES[changes.status[n]! - 1]!,
            changes.observedAt[n]!,
            ['', ...CAUSES][changes.cause[n]!]!,
          )
          this.engineTexts.push(text)
          if (transport === 'live') this.append({ ...entry, text })
        }
      }
    })
    this.rest = new Rest({
      engine: room.engine,
      // Nothing else of it is asked here.
      access: { gate: room.gate, registry: room.registry } as unknown as Access,
      publicUrl: 'http://localhost',
      documentUrl: '',
      targetsMax: 500,
      limits: LIMITS,
      cacheBytesMax: 1_000_000,
      pages: {},
      documents: {},
      now: () => room.nowAt,
      onFault: (error) => {
        throw error
      },
    } as ConstructorParameters<typeof Rest>[0])
  }

  get at(): string {
    return `seed ${this.seed}, step ${this.step}`
  }

  // --- rights

  /** By number some books are covered in football only, and some not at all on transport live. */
  private coverageOf(slug: string): Bookmaker {
    const n = Number(slug.slice('book_'.length))
    const isLive = n % 5 !== 0 && !this.ineligible.has(slug)
    return bookmaker(slug, {
      sport: n % 7 === 0 ? 'football' : '*',
      status: isLive ? 'verified_rest_live' : 'verified_rest_only',
      liveAvailable: isLive,
    })
  }

  private isEligible(slug: string, sport: string): boolean {
    const { coverage } = this.coverageOf(slug)
    return coverage[0]!.liveAvailable && (coverage[0]!.sport === '*' || coverage[0]!.sport === sport)
  }

  sees(rights: Rights, slug: string, sport: string): boolean {
    return rights.has(slug) && rights.inScope(slug, sport) && this.isEligible(slug, sport)
  }

  cover(): void {
    room.setBookmakers(BOOKS.map((slug) => this.coverageOf(slug)))
  }

  addCustomer(name: string, entitlement: '*' | readonly string[], windowS: number): void {
    const scope: Scope = { channels: null, bookmakers: null, sports: null }
    this.customers.push(new Rights(room.addCustomer(name, entitlement, scope, windowS), entitlement, scope))
  }

  private changeRights(change: () => void): void {
    room.turn()
    this.age()
    const here = this.connections.flatMap(({ members, routes }) => [...members.values(), ...routes.values()])
    const all = [...new Set([...here, ...this.away])]
    const before = new Map(all.map((member) => [member, this.viewOf(member)]))
    const idle = new Set(this.connections.filter(isIdle).flatMap(({ members }) => [...members.values()]))
    change()
    for (const member of all) {
      if (this.viewOf(member) === before.get(member)) continue
      member.viewChanges++
      if (member.isAway) continue
      if (member.keepsState) expectReset(member)
      else member.desk.breakChain()
      // Prices that were held back come once more, so that such a desk has messages from before, too.
      member.isMixed = !idle.has(member) || (!member.keepsState && member.wish.conflateMs > 0)
      // What it has not read yet was delivered already, or is delivered as it may be seen now.
      const due = new Map(member.due.map((each) => [each.entry.seq, each]))
      const isVisible = this.visibleTo(member)
      member.due = this.log
        .slice(this.firstAfter(member.toldSeq))
        .filter((entry) => this.isOfWish(member.wish, entry) && (due.has(entry.seq) || isVisible(entry)))
        .map((entry) => ({ entry, isOptional: due.get(entry.seq)?.isOptional !== false || !isVisible(entry) }))
    }
  }

  /** All (bookmaker, sport) that a member's topic shows it, as text. */
  private viewOf({ rights, wish }: Member): string {
    return SPORTS.map((sport) =>
      (wish.sport === null || wish.sport === sport ? BOOKS : [])
        .filter((slug) => (wish.bookmaker === null || wish.bookmaker === slug) && this.sees(rights, slug, sport))
        .join(),
    ).join('|')
  }

  /** Whether a member may see an entry, as rights are now. */
  private visibleTo({ rights }: Member): (entry: Entry) => boolean {
    const seen = new Set(
      SPORTS.flatMap((sport) =>
        BOOKS.filter((slug) => this.sees(rights, slug, sport)).map((slug) => `${slug} ${sport}`),
      ),
    )
    return (entry) => seen.has(`${entry.bookmaker} ${entry.sport}`)
  }

  async randomRights(): Promise<void> {
    const { random } = this
    if (random.chance(0.5)) await this.drain(this.connections)
    const rights = random.pick(this.customers)
    const some = (): string[] => BOOKS.filter(() => random.chance(0.6))
    this.changeRights(() => {
      switch (random.int(0, 2)) {
        case 0:
          rights.entitlement = random.chance(0.3) ? '*' : some()
          return room.setEntitlement(rights.customer, rights.entitlement)
        case 1:
          rights.scope = {
            channels: null,
            bookmakers: random.chance(0.5) ? null : some(),
            sports: random.chance(0.5) ? null : SPORTS.filter(() => random.chance(0.7)),
          }
          return room.setScope(rights.customer, rights.scope)
        default: {
          const slug = random.pick(BOOKS)
          if (!this.ineligible.delete(slug)) this.ineligible.add(slug)
          return this.cover()
        }
      }
    })
  }

  // --- the log, and which desks have to get what

  private noteLeague(eventId: string, league: string): void {
    const known = this.leagues.get(eventId)
    this.leagues.set(eventId, league)
    if (known === undefined || known === league) return
    this.moved.add(eventId)
    for (const { members } of this.connections) {
      for (const member of members.values()) {
        const asked = member.wish.leagues
        if (member.keepsState && asked !== null && asked.includes(known) !== asked.includes(league)) expectReset(member)
      }
    }
  }

  private append(entry: Entry): void {
    this.log.push(entry)
    this.counts.changes.set(entry.change, (this.counts.changes.get(entry.change) ?? 0) + 1)
    for (const { members } of this.connections) {
      for (const member of members.values()) {
        if (this.isOfWish(member.wish, entry) && this.visibleTo1(member, entry)) {
          member.due.push({ entry, isOptional: false })
        }
      }
    }
  }

  private visibleTo1({ rights }: Member, entry: Entry): boolean {
    return this.sees(rights, entry.bookmaker, entry.sport)
  }

  /** Whether a topic and its filters include a change, apart from rights. Prices that may be merged are not counted. */
  private isOfWish(wish: Wish, entry: Entry): boolean {
    if (wish.topic === 'events') return false
    if (wish.topic === 'status' && wish.isNumbered && entry.change === 'repriced') return false
    const isTransition = ['suspended', 'reopened', 'closed'].includes(entry.change)
    if (wish.topic === 'status' && !wish.isNumbered && !isTransition) return false
    if (wish.conflateMs > 0 && entry.change === 'repriced') return false
    return (
      (wish.sport === null || wish.sport === entry.sport) &&
      (wish.bookmaker === null || wish.bookmaker === entry.bookmaker) &&
      (wish.eventId === null || wish.eventId === entry.eventId) &&
      (wish.types === null || wish.types.includes(entry.type)) &&
      (wish.leagues === null || wish.leagues.includes(entry.league))
    )
  }

  /** Place in the log of the first entry after a seq. */
  private firstAfter(seq: number): number {
    let low = 0
    let high = this.log.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.log[middle]!.seq <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  /** All that a member has to get after a seq, as rights are now. */
  private dueAfter(member: Member, seq: number): Due[] {
    const isVisible = this.visibleTo(member)
    return this.log
      .slice(this.firstAfter(seq))
      .filter((entry) => this.isOfWish(member.wish, entry) && isVisible(entry))
      .map((entry) => ({ entry, isOptional: false }))
  }

  private hear(member: Member): void {
    for (const { text, change, seq } of member.desk.takeTold()) {
      this.counts.told++
      member.toldSeq = Math.max(member.toldSeq, seq)
      if (member.wish.conflateMs > 0 && change === 'repriced') continue
      while (member.due[0]?.isOptional === true && member.due[0].entry.text !== text) member.due.shift()
      assert.equal(text, member.due[0]?.entry.text, `${this.at}: ${member.name} gets each change once, in order`)
      member.due.shift()
    }
  }

  // --- desks

  randomWish(rights: Rights): Wish {
    const { random } = this
    const topic = random.pick(['odds', 'odds', 'odds', 'status', 'events'] as const)
    const pickSport = (): string | null => (random.chance(0.6) ? null : random.pick(SPORTS))
    const sport = pickSport()
    const books = BOOKS.filter((slug) => rights.has(slug) && rights.inScope(slug, sport ?? 'football'))
    const slug = topic === 'events' || random.chance(0.6) || books.length === 0 ? null : random.pick(books)
    const events = this.twin.events
    const eventId = random.chance(0.8) || events.length === 0 ? null : random.pick(events).id
    const segments = [sport ?? '*', ...(topic === 'events' ? [] : [slug ?? '*']), eventId ?? '*']
    // A last # means any number of segments that are left out.
    while (segments.at(-1) === '*' && random.chance(0.3)) segments.pop()
    const isShort = segments.length < (topic === 'events' ? 2 : 3)
    const wantsState = topic === 'events' || random.chance(0.7)
    const types: readonly MarketType[] = ['match_result_1x2', 'total_goals', 'spread', 'correct_score', 'outright']
    const isQuotes = topic !== 'events'
    return {
      topic,
      destination: `/topic/${[topic, ...segments, ...(isShort ? ['#'] : [])].join('.')}`,
      sport,
      bookmaker: slug,
      eventId,
      types: isQuotes && random.chance(0.25) ? types.filter(() => random.chance(0.5)) : null,
      leagues: random.chance(0.15) ? ['league_0', 'league_1', 'league_1_x'] : null,
      conflateMs: topic === 'odds' && random.chance(0.3) ? random.pick([1, 200, 1_000]) : 0,
      ack: random.pick(['auto', 'auto', 'auto', 'client', 'client-individual'] as const),
      isBinary: random.chance(0.15),
      wantsState,
      isNumbered: wantsState && isQuotes && random.chance(0.5),
    }
  }

  newMember(): Member {
    const rights = this.random.pick(this.customers)
    let wish = this.randomWish(rights)
    while (wish.types?.length === 0) wish = this.randomWish(rights)
    const name = `desk ${this.memberNext++} (${JSON.stringify(wish)})`
    return {
      name,
      rights,
      wish,
      desk: new Desk({
        destination: wish.destination,
        conflates: wish.conflateMs > 0,
        isPartial: wish.leagues !== null,
        numbered: wish.isNumbered ? { isBinary: wish.isBinary, now: () => this.readAt } : undefined,
        name: `${this.at}: ${name}`,
      }),
      due: [],
      keepsState: false,
      toldSeq: 0,
      view: undefined,
      viewChanges: 0,
      isMixed: false,
      resets: undefined,
      mayReset: false,
      resetReasons: 0,
      isAway: true,
    }
  }

  connect(rights: Rights): Connection {
    const { random } = this
    const client = room.connect(rights.customer, random.pick(['tcp', 'websocket'] as const), random.pick(VERSIONS))
    const connection: Connection = {
      client,
      rights,
      members: new Map(),
      routes: new Map(),
      receipts: new Map(),
      acks: [],
      idNext: 0,
      hasEndedInSubscribe: false,
    }
    this.connections.push(connection)
    return connection
  }

  /** Whether an explicit bookmaker or sport may be subscribed to (docs/live-protocol.md 2.3). */
  private mayAsk({ rights, wish }: Member): 'yes' | 'no' | 'nothing to see' {
    const { bookmakers, sports } = rights.scope
    if (wish.sport !== null && sports !== null && !sports.includes(wish.sport as Sport)) return 'no'
    const slug = wish.bookmaker
    if (slug === null) return 'yes'
    if ((bookmakers !== null && !bookmakers.includes(slug)) || !rights.has(slug)) return 'no'
    const asked = wish.sport === null ? SPORTS : [wish.sport]
    return asked.some((sport) => this.sees(rights, slug, sport)) ? 'yes' : 'nothing to see'
  }

  subscribe(connection: Connection, member: Member): void {
    const { random } = this
    const { wish, desk } = member
    const { client } = connection
    const id = `sub-${connection.idNext++}`
    const headers: Record<string, string> = { id, destination: wish.destination, ack: wish.ack }
    if (wish.types !== null) headers.types = wish.types.join()
    if (wish.leagues !== null) headers.leagues = wish.leagues.join()
    if (wish.conflateMs > 0 || random.chance(0.1)) headers['conflate-ms'] = String(wish.conflateMs)
    if (wish.isBinary) headers['content-type'] = 'application/msgpack'
    if (wish.isNumbered) headers.quotes = 'numbered'
    const view = this.viewOf(member)
    const isStateLost = desk.phase === 'state' && member.view !== view
    const isUnsure = desk.phase === 'state' && member.view === undefined
    const goesOn = desk.seq !== undefined && !isUnsure && random.chance(0.85)
    const { seq } = desk
    let resets: readonly string[] | undefined
    if (goesOn) {
      headers['from-seq'] = `${desk.epoch}-${seq}`
      desk.goOn()
      if (random.chance(0.05)) {
        resets = [random.pick(['epoch', 'ahead'])]
        headers['from-seq'] =
          resets[0] === 'epoch' ? `elsewhere-${seq}` : `${desk.epoch}-${room.engine.seq + 1_000_000}`
      }
    } else if (wish.wantsState) {
      headers.snapshot = 'true'
      desk.awaitSnapshot()
    }
    member.keepsState = goesOn || wish.wantsState
    const mayAsk = this.mayAsk(member)
    if (mayAsk === 'no') {
      this.counts.refused++
      client.send('SUBSCRIBE', headers)
      const error = client.carrier.arrived.at(-1)?.frame
      if (client.carrier.isOpen) {
        assert(error?.command === 'ERROR', `${this.at}: ${member.name} may not subscribe`)
        assert(['forbidden', 'api_key_scope_denied'].includes(error.headers.get('message')!), shownFrame(error))
      }
      client.carrier.arrived.length = 0
      this.drop(connection)
      return
    }
    const receipt = client.request('SUBSCRIBE', headers)
    if (client.carrier.ending !== 'none') {
      connection.hasEndedInSubscribe = true
      if (mayAsk === 'nothing to see') {
        // Entitled, but not covered: refused as well, or silent; never anything else.
        this.drop(connection)
        return
      }
      this.leave(member)
      return
    }
    // What is not published yet is after it.
    const now = room.engine.seq
    assert.equal(room.broker.ring.lastSeq, now, this.at)
    if (goesOn) {
      if (seq! < room.broker.ring.floorSeq) resets ??= ['too_old']
      else resets ??= isStateLost ? ['window', 'audience'] : ['window', 'none']
    } else {
      if (!wish.wantsState) desk.awaitChanges(room.engine.epoch, now)
      member.view = view
    }
    member.viewChanges = member.view === view ? 0 : 1
    member.resets = resets
    member.mayReset = resets !== undefined
    member.resetReasons = 0
    member.toldSeq = goesOn ? seq! : now
    member.due = resets?.includes('none') === true ? this.dueAfter(member, seq!) : []
    member.isAway = false
    member.isMixed = false
    connection.members.set(id, member)
    connection.receipts.set(receipt, () => connection.routes.set(id, member))
  }

  unsubscribe(connection: Connection): void {
    const { random } = this
    const [id, member] = random.pick([...connection.members])
    const receipt = connection.client.request('UNSUBSCRIBE', { id })
    connection.members.delete(id)
    connection.receipts.set(receipt, () => {
      connection.routes.delete(id)
      this.leave(member)
    })
    // Not yet away: what was on its way is still for it.
    member.isAway = true
    connection.acks = connection.acks.filter((ack) => ack.member !== member)
  }

  private leave(member: Member): void {
    member.isAway = true
    // In the middle of a snapshot nothing is known that could be gone on from.
    if (this.random.chance(0.7)) this.away.push(member)
  }

  /** The connection is gone: its members are away, those included whose UNSUBSCRIBE had not been confirmed. */
  drop(connection: Connection): void {
    this.connections.splice(this.connections.indexOf(connection), 1)
    connection.client.cut()
    room.sweep()
    const members = new Set([...connection.members.values(), ...connection.routes.values()])
    for (const member of members) {
      if (member.desk.phase === 'snapshot') member.desk.awaitSnapshot()
      this.leave(member)
    }
  }

  /** Reads what has arrived at a connection; of a connection that breaks perhaps not all of it. */
  take(connection: Connection, most = Number.POSITIVE_INFINITY): void {
    const { client } = connection
    for (const { frame, at } of client.carrier.arrived.splice(0, most)) {
      // A program that reads a day later what has arrived long ago is asleep, and has to connect again.
      this.readAt = at
      if (frame.command === 'ERROR') {
        this.takeError(connection, frame)
        return
      }
      if (frame.command === 'RECEIPT') {
        const id = frame.headers.get('receipt-id')!
        connection.receipts.get(id)?.()
        connection.receipts.delete(id)
        continue
      }
      const id = frame.headers.get('subscription')!
      const member = connection.routes.get(id)
      assert(
        member !== undefined,
        `${this.at}: a MESSAGE of ${id}, which nobody has subscribed to\n${shownFrame(frame)}`,
      )
      this.takeMessage(member, frame)
      if (member.wish.ack !== 'auto' && connection.members.get(id) === member) {
        connection.acks.push({ frame, member })
      }
    }
  }

  private takeMessage(member: Member, frame: ServerFrame): void {
    const { desk, wish, rights, resets } = member
    if (member.isMixed && !member.keepsState) desk.breakChain()
    const before = desk.resets.length
    desk.apply(frame)
    const reason = desk.resets.length > before ? desk.resets.at(-1)! : 'none'
    if (reason !== 'none') this.counts.resets.set(reason, (this.counts.resets.get(reason) ?? 0) + 1)
    // The log may have dropped its point while it waited to catch up: after SUBSCRIBE, or after a change of rights.
    // With conflate-ms its point is that of the last message, which may be long ago.
    const mayBeOld = member.toldSeq < room.broker.ring.floorSeq || wish.conflateMs > 0
    const isOverrun = reason === 'too_old' && mayBeOld
    assert(
      isOverrun || (resets === undefined ? ['audience', 'none'] : ['audience', ...resets]).includes(reason),
      `${this.at}: ${member.name}: reset ${reason}, expected ${resets?.join(' or ')}`,
    )
    if (reason !== 'none' || resets !== undefined) {
      // One that comes may not be the last.
      member.mayReset = member.resetReasons > (reason !== 'none' && resets === undefined ? 1 : 0)
      member.resetReasons = 0
    }
    if (reason !== 'none') {
      member.view = member.viewChanges > 1 ? undefined : this.viewOf(member)
      member.viewChanges = 0
    }
    member.resets = undefined
    const kind = frame.headers.get('kind') ?? 'short'
    if (kind === 'snapshot-end') {
      member.toldSeq = desk.seq!
      member.due = member.due.filter(({ entry }) => entry.seq > member.toldSeq)
    }
    this.hear(member)
    // What came before the RECEIPT of an UNSUBSCRIBE may be from before a change of rights.
    if (member.isMixed || member.isAway || wish.topic === 'events' || !['update', 'snapshot'].includes(kind)) return
    const [, sport, slug] = frame.headers.get('destination')!.split('.')
    assert(this.sees(rights, slug!, sport!), `${this.at}: ${member.name} may not see ${slug} in ${sport}`)
  }

  private takeError(connection: Connection, frame: ServerFrame): void {
    const code = frame.headers.get('message')!
    assert.equal(code, 'slow_consumer', `${this.at}: ${shownFrame(frame)}`)
    this.counts.slow++
    const text = frame.headers.get('resume-from')
    const members = [...connection.members.values()]
    const isInSnapshot =
      connection.hasEndedInSubscribe ||
      members.some(({ desk, mayReset }) => mayReset || desk.phase === 'snapshot') ||
      // The service may not have read an UNSUBSCRIBE yet, and be in the middle of the snapshot it would end.
      [...connection.routes.values()].some(({ isAway, keepsState }) => isAway && keepsState)
    if (text === undefined) assert(isInSnapshot, `${this.at}: no resume-from, and no snapshot is pending`)
    else {
      const { seq } = readPoint(text)
      for (const member of members) {
        const { name, desk, due } = member
        assert(desk.phase !== 'snapshot', `${this.at}: resume-from in the middle of the snapshot of ${name}`)
        const missed = due.find(({ entry, isOptional }) => !isOptional && entry.seq <= seq)
        assert(
          missed === undefined,
          `${this.at}: resume-from ${seq}, but ${name} was not given ${missed?.entry.seq} ${missed?.entry.text}`,
        )
        // Half of them believe it.
        if (desk.seq !== undefined && desk.seq < seq && this.random.chance(0.5)) desk.goOn(seq)
      }
    }
    this.drop(connection)
  }

  acknowledge(connection: Connection, most: number): void {
    const { client } = connection
    const acks = connection.acks.splice(0, most)
    for (const [n, { frame, member }] of acks.entries()) {
      const { headers } = frame
      // A cumulative one includes those before it.
      const isCovered = member.wish.ack === 'client' && acks.slice(n + 1).some((later) => later.member === member)
      if (isCovered) continue
      if (client.version === '1.2') client.send('ACK', { id: headers.get('ack') })
      else {
        const subscription = client.version === '1.1' ? headers.get('subscription') : undefined
        client.send('ACK', { 'message-id': headers.get('message-id'), subscription })
      }
    }
  }

  // --- what happens

  private age(): void {
    this.twinTexts.push(...this.twin.age(room.nowAt))
  }

  advance(ms: number): void {
    room.advance(ms)
    this.age()
  }

  observe(): void {
    const observation = this.random.chance(0.4) ? randomObservation(this.random, room.nowAt) : this.seenAgain()
    room.observe(observation, () => this.twinTexts.push(...this.twin.observe(observation, room.nowAt)))
  }

  /** Quotes of a book that are there already, seen again: most of them with another price. */
  private seenAgain(): Observation {
    const { random, twin } = this
    if (twin.quotes.length === 0) return randomObservation(random, room.nowAt)
    const { event, bookmaker: slug, transport } = random.pick(twin.quotes)
    const quotes = twin.quotes.filter(
      (quote) => quote.event === event && quote.bookmaker === slug && quote.transport === transport,
    )
    return {
      bookmaker: slug,
      transport: random.chance(0.3) ? 'both' : transport,
      observedAt: room.nowAt - random.int(0, 1_000),
      event: event.sighting,
      prices: quotes
        .filter(() => random.chance(0.5))
        .map(({ type, line, outcome, odds, status }) => ({
          type: type as MarketType,
          line,
          outcome,
          odds: random.chance(0.8) ? 1 + random.int(1, 900) / 100 : odds,
          status: (random.chance(0.7) ? status : random.pick(QUOTE_STATUSES)) as QuoteStatus,
        })),
      others: random.chance(0.9) ? 'keep' : random.pick(['suspended', 'closed'] as const),
    }
  }

  async run(steps: number): Promise<void> {
    const { random } = this
    for (this.step = 0; this.step < steps; this.step++) {
      this.advance(
        random.chance(0.9)
          ? random.int(0, 120)
          : random.chance(0.9)
            ? random.int(0, 1_500)
            : random.int(0, this.jumpMsMax),
      )
      for (let count = random.pick([0, 1, 1, 2, 4]); count > 0; count--) {
        this.observe()
        if (random.chance(0.2)) room.turn()
      }
      if (random.chance(0.5)) room.turn()
      for (let count = random.int(0, 2); count > 0; count--) await new Promise((resolve) => setImmediate(resolve))
      await this.actAtRandom()
      if (random.chance(0.03)) await this.check(random.chance(0.3) ? 1 : 0.5)
    }
    await this.check(1)
  }

  private async actAtRandom(): Promise<void> {
    const { random } = this
    if (this.connections.length < 8 && random.chance(0.3)) this.connect(random.pick(this.customers))
    for (const connection of [...this.connections]) {
      const { client, members } = connection
      if (random.chance(0.5)) this.take(connection)
      if (!this.connections.includes(connection)) continue
      if (client.carrier.ending !== 'none') {
        // The server has sent the reason; a second later it would have closed the connection.
        if (random.chance(0.5)) client.carrier.allow(Number.POSITIVE_INFINITY)
        continue
      }
      if (connection.acks.length > 0 && random.chance(0.5)) this.acknowledge(connection, random.int(1, 6))
      if (random.chance(0.1)) client.carrier.allow(Number.POSITIVE_INFINITY)
      else if (random.chance(0.08)) client.carrier.allow(random.int(0, 6_000))
      if (members.size < 4 && random.chance(0.15)) {
        const back = this.away.filter(({ rights }) => rights === connection.rights)
        const member = back.length > 0 && random.chance(0.8) ? random.pick(back) : this.newMember()
        if (member.rights !== connection.rights || !canAcknowledge(connection, member)) continue
        if (this.away.includes(member)) this.away.splice(this.away.indexOf(member), 1)
        this.subscribe(connection, member)
      } else if (members.size > 0 && random.chance(0.02)) this.unsubscribe(connection)
      else if (random.chance(0.03)) {
        this.counts.cuts++
        // What had arrived before the end was read up to some message.
        this.take(connection, random.int(0, client.carrier.arrived.length))
        if (this.connections.includes(connection)) this.drop(connection)
      }
    }
    if (random.chance(0.015)) await this.randomRights()
    if (this.away.length > 30) this.away.splice(0, 10)
  }

  // --- what must be true

  /** Makes connections read all that has arrived. */
  private async drain(connections: readonly Connection[]): Promise<void> {
    const all = [...connections]
    for (let isDone = false; !isDone; ) {
      for (const { client } of all) client.carrier.allow(Number.POSITIVE_INFINITY)
      await room.settle()
      isDone = true
      for (const connection of all) {
        if (!this.connections.includes(connection) || isIdle(connection)) continue
        isDone = false
        this.take(connection)
        this.acknowledge(connection, Number.POSITIVE_INFINITY)
      }
    }
  }

  /** Makes some connections read all that has arrived, and compares what their desks know with the twin and with REST. */
  private async check(share: number): Promise<void> {
    const { random } = this
    room.turn()
    this.age()
    const chosen = this.connections.filter(() => random.chance(share))
    await this.drain(chosen)
    // Prices that are held back come within this time.
    for (let ms = 0; ms < 1_100; ms += 50) this.advance(50)
    room.turn()
    this.age()
    await this.drain(chosen)
    assert.deepEqual(this.engineTexts.sort(), this.twinTexts.sort(), `${this.at}: the engine and its twin`)
    this.engineTexts = []
    this.twinTexts = []
    const left = chosen.filter((connection) => this.connections.includes(connection))
    for (const { members } of left) for (const member of members.values()) this.checkMember(member)
    if (left.length > 0) this.checkRest(random.pick(left))
  }

  private checkMember(member: Member): void {
    const { name, desk, wish, rights } = member
    this.counts.checks++
    const missing = member.due.filter(({ isOptional }) => !isOptional).map(({ entry }) => `${entry.seq} ${entry.text}`)
    assert.deepEqual(missing, [], `${this.at}: ${name} was not sent`)
    member.due = []
    if (member.isMixed && !member.keepsState) desk.breakChain()
    member.isMixed = false
    member.mayReset = false
    member.resetReasons = 0
    member.view = this.viewOf(member)
    member.viewChanges = 0
    if (!member.keepsState) return
    if (desk.phase === 'changes') return
    assert.equal(desk.phase, 'state', `${this.at}: ${name}`)
    if (wish.topic === 'events') return this.checkEvents(member)
    if (wish.topic !== 'odds' && !wish.isNumbered) return
    const hasOdds = wish.topic === 'odds'
    const expected = this.twin.quotes
      .filter((quote) => this.isShown(quote, wish) && this.sees(rights, quote.bookmaker, quote.event.sighting.sport))
      .map(({ event, bookmaker: slug, type, line, outcome, odds, status }) => {
        return `${quoteName(event.id, slug, type, line, outcome)}: ${hasOdds ? odds : ''} ${status}`
      })
    const known = [...desk.quotes].map(([quote, { odds, status }]) => `${quote}: ${hasOdds ? odds : ''} ${status}`)
    this.counts.short += desk.counts.short
    desk.counts.short = 0
    const isCertain = (text: string): boolean => wish.leagues === null || !this.moved.has(text.split(' ')[0]!)
    assert.deepEqual(known.filter(isCertain).sort(), expected.filter(isCertain).sort(), `${this.at}: state of ${name}`)
  }

  private isShown({ event, transport, status, bookmaker: slug, type }: NaiveQuote, wish: Wish): boolean {
    const { sport, leagueKey } = event.sighting
    return (
      transport === 'live' &&
      status !== 'closed' &&
      (wish.sport === null || wish.sport === sport) &&
      (wish.bookmaker === null || wish.bookmaker === slug) &&
      (wish.eventId === null || wish.eventId === event.id) &&
      (wish.types === null || wish.types.includes(type)) &&
      (wish.leagues === null || wish.leagues.includes(leagueKey))
    )
  }

  private checkEvents({ name, desk, wish, rights }: Member): void {
    const expected = this.twin.events
      .filter(
        (event) =>
          (wish.sport === null || wish.sport === event.sighting.sport) &&
          (wish.eventId === null || wish.eventId === event.id) &&
          (wish.leagues === null || wish.leagues.includes(event.sighting.leagueKey)) &&
          this.twin.isQuoted(event, 'live', (slug) => this.sees(rights, slug, event.sighting.sport)),
      )
      .map(({ id, sighting: { leagueKey, home, away, kickoffAt } }) =>
        [id, leagueKey, home, away, new Date(kickoffAt).toISOString()].join(' '),
      )
    const known = [...desk.events.values()].map((event) =>
      [event.id, event.leagueKey, event.homeTeam, event.awayTeam, event.kickoffAt].join(' '),
    )
    const isCertain = (text: string): boolean => wish.leagues === null || !this.moved.has(text.split(' ')[0]!)
    assert.deepEqual(known.filter(isCertain).sort(), expected.filter(isCertain).sort(), `${this.at}: ${name}`)
  }

  /** REST with the key of a connection gives the same as its desks know, at the same seq. */
  private checkRest({ rights, members }: Connection): void {
    const desks = [...members.values()].filter(
      ({ wish, desk, keepsState }) =>
        wish.topic === 'odds' && keepsState && desk.phase === 'state' && wish.leagues === null,
    )
    if (desks.length === 0) return
    for (const { id } of this.twin.events) {
      const open: [bookmaker: string, type: string, text: string][] = []
      const body = this.ask(`/events/${id}/odds`, rights)
      for (const market of body === undefined ? [] : list(body.data?.markets)) {
        for (const { slug, outcomes } of list(market.bookmakers)) {
          for (const { outcome, odds } of list(outcomes)) {
            const type = String(market.type)
            const line = market.line as unknown as number | null
            open.push([String(slug), type, `${quoteName(id, String(slug), type, line, String(outcome))}: ${odds}`])
          }
        }
      }
      for (const { name, desk, wish } of desks) {
        if (wish.eventId !== null && wish.eventId !== id) continue
        if (wish.sport !== null && body !== undefined && String(body.data?.event?.sport) !== wish.sport) continue
        const expected = open.filter(
          ([slug, type]) =>
            (wish.bookmaker === null || wish.bookmaker === slug) && (wish.types === null || wish.types.includes(type)),
        )
        const known = [...desk.quotes].filter(([quote, { status }]) => quote.startsWith(`${id} `) && status === 'open')
        assert.deepEqual(
          known.map(([quote, { odds }]) => `${quote}: ${odds}`).sort(),
          expected.map(([, , text]) => text).sort(),
          `${this.at}: REST and ${name}`,
        )
        this.counts.rest++
      }
    }
  }

  private ask(path: string, rights: Rights): Json | undefined {
    const exchange = newExchange(rights.customer.secret, path, 'transport=live')
    assert.equal(this.rest.answer(exchange, room.nowAt), undefined)
    const { head } = exchange
    assert([200, 403, 404].includes(head.status), `${this.at}: ${head.status} ${exchange.reply.body.toString()}`)
    if (head.status !== 200) return undefined
    assert.equal(head.seq, room.engine.seq)
    return JSON.parse(exchange.reply.body.toString()) as Json
  }
}

const run = async (seed: number, steps: number, replayBytesMax: number, jumpMsMax: number): Promise<World> => {
  room = new LiveRoom({
    quotesMax: QUOTES_MAX,
    limits: {
      replayBytesMax,
      socketBytesMax: 2_048,
      pendingBytesMax: 40_000,
      unackedMax: 4,
      streamedPerTopicMax: seed % 2 === 0 ? 8 : 0,
    },
  })
  const world = new World(seed, jumpMsMax)
  world.cover()
  world.addCustomer('all', '*', 3_600)
  world.addCustomer('some', BOOKS.slice(0, 25), 3_600)
  world.addCustomer('few', ['book_1', 'book_2', 'book_7', 'book_14'], 3_600)
  world.addCustomer('window', '*', 3)
  await world.run(steps)
  checkInvariants(room.engine)
  return world
}

const SEEDS = process.env.ODDSWIRE_TEST_SEED === undefined ? [SEED, SEED + 1, SEED + 2] : [SEED]

/** What has happened in all runs. */
const met = { checks: 0, rest: 0, told: 0, cuts: 0, slow: 0, refused: 0, short: 0 }
const metResets = new Set<string>()
const metChanges = new Map<string, number>()

const meet = ({ counts }: World): void => {
  for (const name of Object.keys(met) as (keyof typeof met)[]) met[name] += counts[name]
  for (const reason of counts.resets.keys()) metResets.add(reason)
  for (const [change, count] of counts.changes) metChanges.set(change, (metChanges.get(change) ?? 0) + count)
}

for (const [n, seed] of SEEDS.entries()) {
  test(`what desks know and get equals twin, log and REST (run ${n + 1})`, async () => {
    meet(await run(seed, 1_500, 8 * 1024 * 1024, 5 * HOUR_MS))
  })
}

test('what desks know and get is true where the log is short', async () => {
  // It holds 256 changes. No turn has more, because no hours pass at once.
  meet(await run(SEED, 1_500, 256 * 100, 120_000))
})

test('in these runs everything has happened', { skip: SEEDS.length < 3 }, () => {
  const at = `seed ${SEED}: ${JSON.stringify({ ...met, resets: [...metResets], changes: [...metChanges] })}`
  assert(met.checks > 200 && met.rest > 100 && met.told > 2_000, at)
  assert(met.cuts > 50 && met.slow > 0 && met.refused > 0 && met.short > 100, at)
  for (const change of CHANGES) assert((metChanges.get(change) ?? 0) > 10, `${change}: ${at}`)
  // `incomplete` is of server-sent events alone.
  for (const reason of RESET_REASONS) assert(reason === 'incomplete' || metResets.has(reason), `${reason}: ${at}`)
})
