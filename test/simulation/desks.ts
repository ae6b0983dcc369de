// Desks: customers' programs on the live channel. What each knows is the picture that the changes give, as far as its customer may
// see it; what it gets is each of these changes once and in order, also across breaks of the connection and restarts.

import assert from 'node:assert/strict'
import * as clock from '../../src/clock.ts'
import type { Random } from '../random.ts'
import { Desk, readPoint } from '../stomp/desk.ts'
import { MemoryCarrier, MemoryClient } from '../stomp/memory-carrier.ts'
import { type ServerFrame, shownFrame } from '../stomp/strict-frames.ts'
import type { Customer } from './account-book.ts'
import type { Entry } from './record.ts'
import { TIME } from './time.ts'
import type { World } from './world.ts'
import { BOOKS, SPORTS } from './world-data.ts'

interface Wish {
  readonly topic: 'odds' | 'status'
  readonly destination: string
  readonly sport: string | undefined
  readonly bookmaker: string | undefined
  readonly eventId: string | undefined
  readonly types: readonly string[] | undefined
  readonly conflateMs: number
  /** Whether it gets only the latest prices while it is slow. */
  readonly mayDegrade: boolean
  /** It always keeps the state: without a snapshot, numbers mean nothing. */
  readonly isNumbered: boolean
}

interface Member {
  readonly customer: Customer
  readonly wish: Wish
  readonly desk: Desk
  readonly isBinary: boolean
  /** It has been compared with the changes up to this seq; undefined: what it gets next is not known exactly. */
  checkedSeq: number | undefined
  /** Why a reset may come. */
  readonly mayReset: Set<string>
  /** Whether a change of what it may see causes a reset. */
  keepsState: boolean
  resets: number
  /** Of the customer, when its state was made, and when it was asked for last. */
  rightsAt: number
  askedRightsAt: number
  /** End of the log when what it may see was changed last; what is not later may be of before. */
  rightsSeq: number
  /** Whether its next message refers to the last one. */
  isChained: boolean
  /** The point that it resumes from, until its first message. */
  resumesFrom: number | undefined
  /** When its last snapshot was complete, by the clock of the service; epoch ms. */
  shownAt: number
}

interface Connection {
  readonly client: MemoryClient
  readonly customer: Customer
  readonly members: Map<string, Member>
  isSlow: boolean
  /** When it last became one that reads everything. */
  fastMs: number
  idNext: number
}

/** Errors that nobody is to blame for. */
const EXPECTED_ERRORS = ['slow_consumer', 'server_shutdown', 'service_unavailable', 'invalid_api_key']
/** A subscription to a bookmaker that the customer may not see any more. */
const RIGHTS_ERRORS = ['forbidden', 'api_key_scope_denied']

export class Desks {
  private readonly world: World
  private connections: Connection[] = []
  private away: Member[] = []
  /** Changes of what a customer may see. */
  private readonly rights = new Map<Customer, number>()

  constructor(world: World) {
    this.world = world
  }

  // --- what happens to them

  connect(random: Random): Connection | undefined {
    const { server, book } = this.world
    if (server === undefined || server.isStopping || server.watch.isAway || this.connections.length >= 8)
      return undefined
    const customer = random.pick(book.customers)
    const version = random.pick(['1.0', '1.1', '1.2', '1.2'] as const)
    const carrier = new MemoryCarrier(random.pick(['tcp', 'websocket'] as const), () => TIME.nowMs, server.rooms)
    const client = new MemoryClient(carrier, server.broker.open(carrier), version, server.broker.passes)
    client.send('CONNECT', { 'accept-version': version, passcode: customer.secret })
    const connection = {
      client,
      customer,
      members: new Map<string, Member>(),
      isSlow: false,
      fastMs: TIME.nowMs,
      idNext: 0,
    }
    this.connections.push(connection)
    this.world.count('connect')
    return connection
  }

  subscribe(random: Random): void {
    const connection =
      this.connections.length > 0 && random.chance(0.7) ? random.pick(this.connections) : this.connect(random)
    if (connection !== undefined) this.subscribeAt(connection, random)
  }

  /** Many snapshots at once, at a reader that is slow. */
  subscribeOften(random: Random): void {
    const connection = this.connections.length > 0 ? random.pick(this.connections) : this.connect(random)
    if (connection === undefined) return
    this.setSlow(connection, random)
    for (let count = random.int(4, 12); count > 0 && this.connections.includes(connection); count--) {
      this.subscribeAt(connection, random)
    }
  }

  unsubscribe(random: Random): void {
    const connection = this.connections.length > 0 ? random.pick(this.connections) : undefined
    if (connection === undefined || connection.members.size === 0 || connection.isSlow) return
    this.take(connection)
    const [id, member] = random.pick([...connection.members])
    if (!this.connections.includes(connection)) return
    connection.client.send('UNSUBSCRIBE', { id })
    connection.members.delete(id)
    this.leave(member)
  }

  /** A reader becomes slow, or reads on. */
  pace(random: Random): void {
    if (this.connections.length === 0) return
    const connection = random.pick(this.connections)
    if (random.chance(0.5)) this.setSlow(connection, random)
    else if (connection.isSlow) {
      connection.isSlow = false
      connection.fastMs = TIME.nowMs
      connection.client.carrier.allow(Number.POSITIVE_INFINITY)
    }
  }

  cut(random: Random): void {
    if (this.connections.length === 0) return
    const connection = random.pick(this.connections)
    // Some of what has arrived was not read.
    if (random.chance(0.5)) this.take(connection)
    this.drop(connection)
  }

  /** The process has ended, and with it all connections. */
  ended(): void {
    for (const connection of [...this.connections]) {
      this.take(connection)
      if (this.connections.includes(connection)) this.drop(connection, true)
    }
  }

  /** What this customer may see changes; undefined: of all. */
  changeRights(of: Customer | undefined, change: () => void): void {
    this.check(false)
    for (const customer of this.world.book.customers) {
      if (of === undefined || of === customer) this.rights.set(customer, (this.rights.get(customer) ?? 0) + 1)
    }
    for (const { members, customer } of this.connections) {
      if (of !== undefined && of !== customer) continue
      for (const member of members.values()) {
        member.checkedSeq = undefined
        member.rightsSeq = this.world.record.seq
        member.mayReset.add('audience')
        if (!member.keepsState) member.isChained = false
      }
    }
    change()
  }

  /** Reads what has arrived. @param isQuiet the service has had time to deliver everything */
  check(isQuiet: boolean): void {
    for (const connection of [...this.connections]) {
      const { client, isSlow } = connection
      // It reads some octets, so that it is slow and not dead.
      if (isSlow) client.carrier.allow(100)
      this.take(connection)
      if (!isQuiet || isSlow || client.carrier.bufferedBytes > 0 || !this.connections.includes(connection)) continue
      for (const member of connection.members.values()) this.compare(member, connection.fastMs)
    }
  }

  // --- subscriptions

  private subscribeAt(connection: Connection, random: Random): void {
    const { world } = this
    const { server } = world
    if (server === undefined || server.isStopping) return
    const { customer, client, members } = connection
    const back = this.away.filter((member) => member.customer === customer)
    const member = back.length > 0 && random.chance(0.8) ? random.pick(back) : this.newMember(customer, random)
    const { desk, wish, isBinary } = member
    if (back.includes(member)) this.away.splice(this.away.indexOf(member), 1)
    const id = `sub-${connection.idNext++}`
    const headers: Record<string, string> = { id, destination: wish.destination }
    if (wish.types !== undefined) headers.types = wish.types.join()
    if (wish.conflateMs > 0) headers['conflate-ms'] = String(wish.conflateMs)
    if (wish.mayDegrade) headers['on-slow'] = 'conflate'
    if (isBinary) headers['content-type'] = 'application/msgpack'
    if (wish.isNumbered) headers.quotes = 'numbered'
    const { engine } = server.state
    const rightsNow = this.rights.get(customer) ?? 0
    member.mayReset.clear()
    const resumes =
      desk.seq !== undefined && (desk.phase === 'state' || member.rightsAt === rightsNow) && random.chance(0.9)
    if (resumes) {
      world.count('resume')
      headers['from-seq'] = `${desk.epoch}-${desk.seq}`
      // A conflated price is repeated, so it is not compared change by change anyhow.
      if (desk.epoch !== engine.epoch) member.mayReset.add('epoch')
      else {
        if (desk.seq! < server.state.history.ring.floorSeq) member.mayReset.add('too_old')
        if (customer.plan.liveReplayWindowSeconds < 3_600) member.mayReset.add('window')
        if (member.rightsAt !== rightsNow) member.mayReset.add('audience')
        // With nothing logged since the key's first use, the point may be another key's.
        if (!this.isKnownAt(customer, desk.seq!)) member.mayReset.add('audience')
      }
      if (member.mayReset.size > 0) member.checkedSeq = undefined
      desk.goOn()
    } else if (wish.topic === 'odds' || wish.isNumbered || random.chance(0.5)) {
      headers.snapshot = 'true'
      desk.awaitSnapshot()
      member.checkedSeq = undefined
    } else {
      desk.awaitChanges(engine.epoch, engine.seq)
      member.checkedSeq = engine.seq
    }
    if (world.options.hasIdentity) member.mayReset.add('audience')
    if (wish.mayDegrade) member.mayReset.add('too_old')
    member.resumesFrom = resumes ? desk.seq : undefined
    member.keepsState = resumes || headers.snapshot === 'true'
    if (!resumes) member.rightsAt = rightsNow
    member.askedRightsAt = rightsNow
    member.rightsSeq = -1
    member.isChained = true
    member.resets = desk.resets.length
    members.set(id, member)
    world.count('subscribe')
    client.send('SUBSCRIBE', headers)
  }

  /** Whether it is known that the key was in use before a seq; what the log does not have yet counts. */
  private isKnownAt({ organization, keyId }: Customer, seq: number): boolean {
    const { history } = this.world.server!.broker['channel'].rights
    const rights = history.audiencesAt(keyId, organization, seq, () => true)
    return rights !== undefined && rights.length === 1
  }

  private newMember(customer: Customer, random: Random): Member {
    const { book, record, options } = this.world
    const topic = random.pick(['odds', 'odds', 'odds', 'status'] as const)
    const sports = customer.scope.sports ?? SPORTS
    const sport = random.chance(0.6) || sports.length === 0 ? undefined : random.pick(sports)
    const mayName = (slug: string): boolean =>
      (customer.scope.bookmakers === null || customer.scope.bookmakers.includes(slug)) &&
      (customer.entitlement === '*' || customer.entitlement.includes(slug)) &&
      SPORTS.every((each) => (sport !== undefined && sport !== each) || book.sees(customer, slug, each, 'live'))
    const slugs = BOOKS.filter(mayName)
    const bookmaker = slugs.length === 0 || random.chance(0.6) ? undefined : random.pick(slugs)
    const { events } = record.twin
    const eventId =
      options.hasIdentity || events.length === 0 || random.chance(0.85) ? undefined : random.pick(events).id
    const conflateMs = topic === 'odds' && random.chance(0.35) ? random.pick([50, 1_000, 5_000, 10_000]) : 0
    const destination = `/topic/${topic}.${sport ?? '*'}.${bookmaker ?? '*'}.${eventId ?? '*'}`
    const types = random.chance(0.2) ? ['match_result_1x2', 'total_goals'] : undefined
    const mayDegrade = random.chance(0.4)
    const isNumbered = random.chance(0.4)
    const isBinary = random.chance(0.15)
    const name = `desk of ${customer.organization}, conflate-ms ${conflateMs}${mayDegrade ? ', on-slow' : ''}${isNumbered ? ', numbered' : ''}`
    const numbered = isNumbered ? { isBinary, now: () => clock.now() } : undefined
    return {
      customer,
      wish: { topic, destination, sport, bookmaker, eventId, types, conflateMs, mayDegrade, isNumbered },
      desk: new Desk({ destination, conflates: conflateMs > 0 || mayDegrade, numbered, name }),
      isBinary,
      checkedSeq: undefined,
      mayReset: new Set(),
      keepsState: false,
      resets: 0,
      rightsAt: 0,
      askedRightsAt: 0,
      rightsSeq: -1,
      isChained: true,
      resumesFrom: undefined,
      shownAt: Number.NEGATIVE_INFINITY,
    }
  }

  private setSlow(connection: Connection, random: Random): void {
    connection.isSlow = true
    connection.client.carrier.allow(random.int(0, 3_000))
  }

  private leave(member: Member): void {
    const { seq, phase } = member.desk
    // It knows what came up to its point, and nothing of what follows.
    if (seq !== undefined && phase !== 'snapshot' && member.checkedSeq !== undefined) this.compareTold(member, seq)
    if (phase === 'snapshot') member.desk.awaitSnapshot()
    member.desk.takeTold()
    if (this.away.length < 12) this.away.push(member)
  }

  /** @param isDead the process has ended, too */
  private drop(connection: Connection, isDead = false): void {
    this.connections.splice(this.connections.indexOf(connection), 1)
    if (isDead) connection.client.carrier.drop()
    else connection.client.cut()
    for (const member of connection.members.values()) {
      this.leave(member)
    }
  }

  // --- what they get

  private take(connection: Connection): void {
    const { client, members } = connection
    const { world } = this
    for (const frame of client.take()) {
      world.hash
        .update(frame.command)
        .update(frame.headers.get('message-id') ?? '')
        .update(frame.body)
      if (frame.command === 'ERROR') {
        this.takeError(connection, frame)
        return
      }
      if (frame.command !== 'MESSAGE') continue
      const id = frame.headers.get('subscription')!
      const member = members.get(id)
      if (member === undefined) continue
      world.count('message')
      if (frame.headers.get('kind') === 'degraded') world.count('degraded')
      // Its class has changed: the first message after that refers to what the new one has got.
      if (!member.isChained && readPoint(frame.headers.get('message-id')!).seq > member.rightsSeq) {
        member.desk.breakChain()
        member.isChained = true
      }
      member.desk.apply(frame)
      this.checkResets(member, frame)
    }
    if (client.carrier.ending !== 'none') this.drop(connection)
  }

  private checkResets(member: Member, frame: ServerFrame): void {
    const { desk } = member
    const { resumesFrom } = member
    member.resumesFrom = undefined
    if (desk.resets.length === member.resets) {
      if (frame.headers.get('kind') === 'snapshot-end') {
        member.shownAt = clock.now()
        member.rightsAt = member.askedRightsAt
        const isComparable = this.world.isKnown(desk.epoch) && desk.seq! > member.rightsSeq
        member.checkedSeq = isComparable ? desk.seq! : undefined
      }
      return
    }
    member.resets = desk.resets.length
    const reason = desk.resets.at(-1)!
    this.world.count(`reset ${reason}`)
    const { mayReset, wish, customer } = member
    // It has waited for a socket that was slow, and for others: the ring may have dropped its point meanwhile.
    const { floorSeq } = this.world.record.state.history.ring
    if (resumesFrom !== undefined && resumesFrom < floorSeq) mayReset.add('too_old')
    assert(
      mayReset.has(reason),
      `${customer.organization}, ${wish.destination}: reset ${reason}, and only ${[...mayReset].join(' or ') || 'none'} may come\n${shownFrame(frame)}`,
    )
    member.checkedSeq = undefined
  }

  private takeError(connection: Connection, frame: ServerFrame): void {
    const code = frame.headers.get('message')!
    this.world.count(`error ${code}`)
    const isRights = RIGHTS_ERRORS.includes(code) && (this.rights.get(connection.customer) ?? 0) > 0
    assert(isRights || EXPECTED_ERRORS.includes(code), shownFrame(frame))
    if (code === 'slow_consumer') assert(connection.isSlow || connection.members.size > 0, shownFrame(frame))
    const from = frame.headers.get('resume-from')
    if (from !== undefined) {
      const { epoch, seq } = readPoint(from)
      if (epoch === this.world.epoch) assert(seq <= this.world.record.seq, 'resume-from is a point of the log')
    }
    this.drop(connection)
  }

  private isOf({ customer, wish }: Member, entry: Entry): boolean {
    const { sport, bookmaker, eventId, transport, type } = entry
    return (
      transport === 'live' &&
      (wish.sport === undefined || wish.sport === sport) &&
      (wish.bookmaker === undefined || wish.bookmaker === bookmaker) &&
      (wish.eventId === undefined || wish.eventId === eventId) &&
      (wish.types === undefined || wish.types.includes(type)) &&
      this.world.book.sees(customer, bookmaker, sport, 'live')
    )
  }

  private compare(member: Member, fastMs: number): void {
    const { world } = this
    const { desk, wish } = member
    const { record } = world
    if (desk.phase === 'snapshot' || desk.epoch !== world.epoch) return
    if (desk.seq === undefined) return
    if (member.checkedSeq === undefined) {
      desk.takeTold()
      member.checkedSeq = record.seq
    } else this.compareTold(member, record.seq)
    if (desk.phase !== 'state' || wish.topic !== 'odds') return
    // A price may be held as long as that; of a desk that was slow, since it has read on.
    const heldFromMs = Math.max(record.changedMs, wish.mayDegrade ? fastMs : 0)
    if (wish.conflateMs > 0 && TIME.nowMs - heldFromMs < wish.conflateMs + 500) return
    world.count(wish.conflateMs > 0 ? 'conflated desk compared' : 'desk compared')
    const expected = new Map<string, Entry>()
    for (const entry of record.shown.values()) {
      if (this.isOf(member, entry)) expected.set(entry.name, entry)
    }
    const where = `${member.customer.organization}, ${wish.destination}, conflate-ms ${wish.conflateMs}, at ${desk.seq}`
    for (const [name, entry] of expected) {
      const known = desk.quotes.get(name)
      // Its 24 hours were over before the snapshot, which then leaves it out. That it has aged out is published with the next
      // turn: late, where the log cannot be written.
      if (known === undefined && record.staleAtOf(entry) <= member.shownAt) continue
      assert.equal(known && `${known.odds} ${known.status}`, `${entry.odds} ${entry.status}`, `${where}: ${name}`)
    }
    for (const name of desk.quotes.keys()) assert(expected.has(name), `${where}: ${name} is not there any more`)
  }

  /** Each change once, in order. */
  private compareTold(member: Member, upTo: number): void {
    const { desk, wish, checkedSeq } = member
    const told = desk.takeTold()
    if (checkedSeq === undefined) return
    member.checkedSeq = Math.max(checkedSeq, upTo)
    // Prices may be merged, and may come late; nothing else.
    const isExact = (change: string): boolean => (wish.conflateMs === 0 && !wish.mayDegrade) || change !== 'repriced'
    const expected: string[] = []
    for (let seq = checkedSeq + 1; seq <= upTo; seq++) {
      const entry = this.world.record.entries[seq]
      if (entry?.change === undefined || !isExact(entry.change) || !this.isOf(member, entry)) continue
      const isTransition = ['suspended', 'reopened', 'closed'].includes(entry.change)
      if (wish.topic === 'status' && !(wish.isNumbered ? entry.change !== 'repriced' : isTransition)) continue
      expected.push(entry.text)
    }
    // What a degraded desk has got after its point comes again.
    const later = told.filter(({ seq, change }) => seq > checkedSeq && seq <= upTo && isExact(change))
    const place = later.findIndex(({ text }, n) => text !== expected[n])
    if (place === -1 && later.length === expected.length) return
    const at = place === -1 ? later.length : place
    const where = `${member.customer.organization}, ${wish.destination}: of its changes from ${checkedSeq} to ${upTo}, number ${at}`
    assert.fail(`${where} is ${later[at]?.text} of ${later[at]?.seq}, and ought to be ${expected[at]}`)
  }
}
