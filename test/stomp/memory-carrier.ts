// The live channel without sockets: carriers in memory whose clients read as many octets as the test says, and engine,
// gate and broker in this process, on a clock that the test turns.

import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { NO_PRODUCER } from '../../src/domain/feed-source.ts'
import { Accounts } from '../../src/access/accounts.ts'
import { Gate } from '../../src/access/gate.ts'
import { hashOf, type KeyKind, mintSecret } from '../../src/access/key.ts'
import { type Ledger, UNLIMITED } from '../../src/access/ledger.ts'
import type { Entitlement } from '../../src/access/organization.ts'
import { BUILT_IN_PLANS } from '../../src/access/plan.ts'
import { Registry } from '../../src/access/registry.ts'
import { type Scope, UNRESTRICTED } from '../../src/access/scope.ts'
import { LIMITS } from '../../src/limits.ts'
import type { Bookmaker } from '../../src/domain/coverage.ts'
import type { Settled } from '../../src/domain/input.ts'
import type { EventSighting, Observation, Price } from '../../src/domain/observation.ts'
import type { QuoteStatus } from '../../src/domain/quote.ts'
import { Engine } from '../../src/engine/engine.ts'
import { NO_LOG, type TurnLog, Turns } from '../../src/engine/turns.ts'
import { parseObservation } from '../../src/source/observations/observations.ts'
import { Broker } from '../../src/stomp/broker.ts'
import type { Carrier, Rooms } from '../../src/stomp/carrier.ts'
import { LiveHistory } from '../../src/stomp/live-history.ts'
import type { LiveLimits } from '../../src/stomp/session-limits.ts'
import type { Passes } from '../../src/stomp/passes.ts'
import { type Gathered, WebSocketRooms } from '../../src/stomp/websocket-rooms.ts'
import { assertNothingLeft, TimerWatch } from './leftovers.ts'
import type { Session } from '../../src/stomp/session.ts'
import { WORLD_START } from '../random-observations.ts'
import { clientFrame, type ServerFrame, StrictReader, shownFrame, type Version } from './strict-frames.ts'

interface Piece {
  readonly bytes: Buffer
  readonly isBinary: boolean
}

/** A frame that has arrived, and when (the room's time). */
export interface Arrived {
  readonly frame: ServerFrame
  readonly at: number
}

/** A connection whose client reads as much as it is allowed to. What it reads is parsed strictly. */
export class MemoryCarrier implements Carrier {
  readonly kind: Carrier['kind']
  /** Frames that have arrived and were not fetched yet. */
  readonly arrived: Arrived[] = []
  /** Octets written so far. */
  writtenBytes = 0
  bufferedBytes = 0
  /** The server has ended it: `fault` after an ERROR. */
  ending: 'none' | 'orderly' | 'fault' | 'destroyed' = 'none'
  isReading = true
  /** Called when the client has read what was written. */
  onDrained: () => void = () => {}
  private readonly now: () => number
  private readonly rooms: MemoryRooms
  private readonly reader = new StrictReader()
  private readonly waiting: Piece[] = []
  private takenOfFirst = 0
  private allowance = Number.POSITIVE_INFINITY

  constructor(kind: Carrier['kind'], now: () => number, rooms: MemoryRooms) {
    this.kind = kind
    this.now = now
    this.rooms = rooms
  }

  // --- as the session sees it

  connected(): void {}

  write(frame: Buffer, isBinary: boolean): void {
    if (this.kind === 'tcp') {
      this.push({ bytes: frame, isBinary })
      return
    }
    this.rooms.flush()
    this.push({ bytes: frame.length === 1 ? frame : frame.subarray(0, -1), isBinary })
  }

  writeRun(bytes: Buffer, ends: readonly number[], from: number, to: number, isBinary: boolean): void {
    assert(from < to && to <= ends.length, 'a run of no frames')
    if (this.kind === 'tcp') this.write(bytes.subarray(from === 0 ? 0 : ends[from - 1]!, ends[to - 1]), isBinary)
    else for (let n = from; n < to; n++) this.write(bytes.subarray(n === 0 ? 0 : ends[n - 1]!, ends[n]), isBinary)
  }

  cork(write: () => void): void {
    write()
  }

  join(room: string): boolean {
    if (this.kind === 'tcp') return false
    this.rooms.flush()
    this.rooms.join(room, this)
    return true
  }

  leave(room: string): void {
    this.rooms.flush()
    this.rooms.leave(room, this)
  }

  pauseReading(): void {
    this.isReading = false
  }

  readOn(): void {
    this.isReading = true
  }

  end(isFault: boolean): void {
    assert.equal(this.ending, 'none', 'ended twice')
    this.ending = isFault ? 'fault' : 'orderly'
  }

  destroy(): void {
    this.ending = 'destroyed'
    this.drop()
  }

  // --- as the test sees it

  /** From now on the client reads this many octets and no more. */
  allow(octets: number): void {
    this.allowance = octets
    const had = this.bufferedBytes
    this.deliver()
    // A socket reports when all was read; a WebSocket of the library when some was.
    const isTold = this.kind === 'tcp' ? this.bufferedBytes === 0 : this.bufferedBytes < had
    if (had > 0 && isTold) this.onDrained()
  }

  get isOpen(): boolean {
    return this.allowance === Number.POSITIVE_INFINITY
  }

  /** The connection breaks: what has not arrived, half a frame included, never will. */
  drop(): void {
    this.waiting.length = 0
    this.bufferedBytes = 0
    this.rooms.leaveAll(this)
  }

  /** A message that was published to a room. */
  push(piece: Piece): void {
    assert(this.ending === 'none', `written after the end: ${piece.bytes.toString().slice(0, 200)}`)
    // The library copies what it is given; a socket keeps what the system has not accepted, and relies on it.
    this.waiting.push(this.kind === 'tcp' ? piece : { ...piece, bytes: Buffer.from(piece.bytes) })
    this.writtenBytes += piece.bytes.length
    this.bufferedBytes += piece.bytes.length
    this.deliver()
  }

  private deliver(): void {
    while (this.waiting.length > 0 && this.allowance > 0) {
      const { bytes, isBinary } = this.waiting[0]!
      const from = this.takenOfFirst
      const to = Math.min(bytes.length, from + this.allowance)
      this.allowance -= to - from
      this.bufferedBytes -= to - from
      this.takenOfFirst = to
      if (this.kind === 'tcp') this.reader.pushBytes(bytes.subarray(from, to), this.take)
      if (to < bytes.length) return
      if (this.kind === 'websocket') this.reader.pushMessage(bytes, isBinary, this.take)
      this.waiting.shift()
      this.takenOfFirst = 0
    }
  }

  private readonly take = (frame: ServerFrame): void => {
    this.arrived.push({ frame, at: this.now() })
  }
}

/** Rooms of carriers, as the WebSocket library keeps them. */
export class MemoryRooms implements Rooms {
  isMoreDue: (() => boolean) | undefined
  private readonly members = new Map<string, Set<MemoryCarrier>>()
  private readonly rooms: WebSocketRooms

  /** @param gathered what is published in one iteration of the event loop; left out: all */
  constructor(gathered: Gathered = { messages: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY }) {
    const publish = (name: string, message: Buffer, isBinary: boolean): boolean => {
      for (const carrier of this.members.get(name) ?? []) carrier.push({ bytes: message, isBinary })
      return true
    }
    this.rooms = new WebSocketRooms({ publish }, gathered)
  }

  join(room: string, carrier: MemoryCarrier): void {
    const members = this.members.get(room) ?? new Set()
    members.add(carrier)
    this.members.set(room, members)
  }

  leave(room: string, carrier: MemoryCarrier): void {
    this.members.get(room)?.delete(carrier)
  }

  leaveAll(carrier: MemoryCarrier): void {
    for (const members of this.members.values()) members.delete(carrier)
  }

  get memberCount(): number {
    let count = 0
    for (const members of this.members.values()) count += members.size
    return count
  }

  get isFull(): boolean {
    return this.rooms.isFull
  }

  publish(room: string, bytes: Buffer, ends: readonly number[], isBinary: boolean): void {
    this.rooms.publish(room, bytes, ends, isBinary, 0)
  }

  flush(): void {
    this.rooms.flush()
  }
}

/** A client in memory: it sends frames, and finds what has arrived at its carrier. */
export class MemoryClient {
  readonly carrier: MemoryCarrier
  readonly version: Version
  readonly session: Session
  private readonly passes: Passes
  private receiptNext = 1

  constructor(carrier: MemoryCarrier, session: Session, version: Version, passes: Passes) {
    this.carrier = carrier
    this.session = session
    this.passes = passes
    this.version = version
    carrier.onDrained = () => session.drained()
  }

  send(command: string, headers: Readonly<Record<string, string | undefined>>, body: string | Uint8Array = ''): void {
    this.sendBytes(clientFrame(command, headers, this.version, body))
    // A session that is being served in shares reads on with the next one.
    while (this.session.hasInput && this.passes.waiting > 0) this.passes.pass()
  }

  /** Sends octets; what of them is read at once is the session's affair. */
  sendBytes(bytes: Uint8Array): void {
    this.session.receive(bytes)
  }

  /** Sends a frame that asks for a RECEIPT. Returns its id. */
  request(command: string, headers: Readonly<Record<string, string | undefined>>, body = ''): string {
    const receipt = `r${this.receiptNext++}`
    this.send(command, { ...headers, receipt }, body)
    return receipt
  }

  /** The frames that have arrived since the last call. */
  take(): ServerFrame[] {
    return this.carrier.arrived.splice(0).map(({ frame }) => frame)
  }

  /** The MESSAGEs among them; anything else but a RECEIPT fails. */
  messages(): ServerFrame[] {
    return this.take().filter((frame) => {
      if (frame.command === 'MESSAGE') return true
      assert(['RECEIPT', 'CONNECTED'].includes(frame.command), shownFrame(frame))
      return false
    })
  }

  /** SUBSCRIBE, by default as `sub-0`. */
  subscribe(destination: string, headers: Readonly<Record<string, string>> = {}): void {
    this.send('SUBSCRIBE', { id: 'sub-0', destination, ...headers })
  }

  /** The connection breaks. */
  cut(): void {
    this.carrier.drop()
    this.carrier.ending = 'destroyed'
    this.session.closed()
  }
}

export interface LiveRoomOptions {
  readonly limits?: Partial<LiveLimits>
  readonly quotesMax?: number
  readonly wheelVisitsMax?: number
  /** Left out: without a bound. */
  readonly walkVisitsMax?: number
  readonly collectYoung?: () => void
  readonly bookmakers?: readonly Bookmaker[]
  /** Counts the requests on REST; left out: there are no limits. */
  readonly ledger?: Ledger
  /** Left out: nothing is kept. */
  readonly log?: TurnLog
}

export interface Customer {
  readonly keyId: string
  readonly secret: string
  readonly organization: string
}

/** Covered everywhere on both transports. */
export const bookmaker = (slug: string, coverage: Partial<Bookmaker['coverage'][number]> = {}): Bookmaker => ({
  slug,
  displayName: slug.toUpperCase(),
  region: 'Europe',
  countries: ['SE'],
  sourceMode: 'direct',
  customerNote: '',
  coverage: [
    {
      sport: '*',
      status: 'verified_rest_live',
      restAvailable: true,
      liveAvailable: true,
      lastVerifiedAt: null,
      ...coverage,
    },
  ],
})

/** The n-th event of a small world. */
export const sighting = (n: number, over: Partial<EventSighting> = {}): EventSighting => ({
  sport: 'football',
  leagueKey: 'league',
  leagueName: 'League',
  home: `Home ${n}`,
  away: `Away ${n}`,
  kickoffAt: WORLD_START + 3_600_000,
  sourceKey: `source:${n}`,
  ...over,
})

/** A price of `match_result_1x2`. */
export const price = (outcome: string, odds: number | null, status: QuoteStatus = 'open'): Price => ({
  type: 'match_result_1x2',
  line: null,
  outcome,
  odds,
  status,
})

const NOTHING = { auditId: 0, plans: [], organizations: [], keys: [], keysDeleted: [], bookmakers: null } as const

/** Engine, gate and broker on a clock of their own. One at a time: it replaces the timers of the process. */
export class LiveRoom {
  nowAt = WORLD_START
  /** How long every piece of work lasts: as much each time that its end is checked. */
  lookMs = 0
  private elapsedMs = 0
  readonly engine: Engine
  readonly turns: Turns
  readonly registry: Registry
  readonly gate: Gate
  readonly history: LiveHistory
  readonly broker: Broker
  readonly rooms = new MemoryRooms()
  private readonly timers: TimerWatch
  private readonly clients: MemoryClient[] = []
  private mintedIds = 0

  constructor(options: LiveRoomOptions = {}) {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    this.timers = new TimerWatch()
    const { limits, quotesMax = 5_000, wheelVisitsMax = 100_000, bookmakers = [] } = options
    const { walkVisitsMax, collectYoung } = options
    const engineOptions = { quotesMax, skewMsMax: 5_000, bookmakersMax: 1_000, wheelVisitsMax }
    this.engine = new Engine({ ...engineOptions, ...(walkVisitsMax !== undefined && { walkVisitsMax }) }, this.nowAt)
    this.turns = new Turns(this.engine, { ...LIMITS, walkEveryMs: 0 }, () => this.nowAt, options.log ?? NO_LOG)
    this.registry = new Registry((slug) => this.engine.bookmakerNumber(slug))
    this.gate = new Gate({
      accounts: new Accounts(),
      registry: this.registry,
      ledger: options.ledger ?? { admit: () => UNLIMITED, close: () => Promise.resolve() },
      credentialsMax: 1_000,
    })
    this.gate.apply({ ...NOTHING, plans: BUILT_IN_PLANS, bookmakers })
    // A small log: the real one is 256 MiB. Tests repeat errors on purpose.
    const liveLimits = { ...LIMITS, replayBytesMax: 8 * 1024 * 1024, errorSessionsMax: 1_000_000, ...limits }
    this.history = new LiveHistory(this.engine, liveLimits)
    this.broker = new Broker({
      engine: this.engine,
      history: this.history,
      turns: this.turns,
      gate: this.gate,
      registry: this.registry,
      limits: liveLimits,
      now: () => this.nowAt,
      elapsedMs: () => (this.elapsedMs += this.lookMs),
      server: 'oddswire/0.0.0',
      readObservation: (body, slug) => parseObservation(body.toString('utf8'), slug, LIMITS),
      mintId: () => `session${++this.mintedIds}`,
      ...(collectYoung !== undefined && { collectYoung }),
    })
    this.broker.useRooms(this.rooms)
  }

  /** Ends all sessions and the timers; nothing may be left then. */
  close(): void {
    for (const { session } of this.clients) session.closed()
    this.broker.close()
    const timers = this.timers.count
    mock.timers.reset()
    assertNothingLeft(this.broker, timers)
    assert.equal(this.rooms.memberCount, 0, 'carriers are left in rooms')
  }

  // --- rights

  /** A customer of a new organization, which has a plan of its own. */
  addCustomer(
    name: string,
    entitlement: Entitlement = '*',
    scope: Scope = UNRESTRICTED,
    windowS = 3_600,
    kind: KeyKind = 'customer',
  ): Customer {
    const secret = mintSecret(kind)
    const customer = { keyId: `key_${name}`, secret, organization: `org_${name}` }
    const plan = BUILT_IN_PLANS.find((each) => each.name === 'desk')!
    this.gate.apply({
      ...NOTHING,
      plans: [{ ...plan, name: `plan-${name}`, liveReplayWindowSeconds: windowS }],
      organizations: [{ id: customer.organization, name, plan: `plan-${name}`, entitlement }],
      keys: [
        {
          id: customer.keyId,
          hash: hashOf(secret),
          kind,
          organization: customer.organization,
          scope,
          createdAt: this.nowAt,
          expiresAt: null,
          revokedAt: null,
          name: '',
          createdBy: 'command',
          lastUsedAt: null,
        },
      ],
    })
    this.use(customer)
    return customer
  }

  /** A feed of a new organization. */
  addFeed(name: string, ...bookmakers: string[]): Customer {
    return this.addCustomer(name, '*', { ...UNRESTRICTED, bookmakers }, 0, 'feed')
  }

  /** A request of a customer on REST: from now on points of the log may be its own. */
  use({ secret }: Customer): void {
    this.gate.identify(undefined, secret, this.nowAt)
  }

  setEntitlement({ organization }: Customer, entitlement: Entitlement): void {
    const name = organization.slice('org_'.length)
    this.gate.apply({ ...NOTHING, organizations: [{ id: organization, name, plan: `plan-${name}`, entitlement }] })
  }

  setScope({ keyId, secret, organization }: Customer, scope: Scope): void {
    const record = { id: keyId, hash: hashOf(secret), kind: 'customer', organization, scope } as const
    this.gate.apply({
      ...NOTHING,
      keys: [
        {
          ...record,
          createdAt: this.nowAt,
          expiresAt: null,
          revokedAt: null,
          name: '',
          createdBy: 'command',
          lastUsedAt: null,
        },
      ],
    })
  }

  setBookmakers(bookmakers: readonly Bookmaker[]): void {
    this.gate.apply({ ...NOTHING, bookmakers })
  }

  // --- time, and what happens

  /** Turns the clock, and lets the timers due until then fire. */
  advance(ms: number): void {
    this.nowAt += ms
    mock.timers.tick(ms)
  }

  /** Turns the clock only: the timers are late. */
  jump(ms: number): void {
    this.nowAt += ms
  }

  observe(observation: Observation, settled?: Settled): void {
    this.turns.add({ kind: 'observe', observation, producer: NO_PRODUCER, doubt: undefined }, settled)
  }

  /** Observes prices of the n-th event at a bookmaker, live and seen now; ends no turn. */
  tell(slug: string, n: number, prices: readonly Price[], over: Partial<Observation> = {}): void {
    const { transport = 'live', observedAt = this.nowAt, event = sighting(n), others = 'keep' } = over
    const observation = { bookmaker: slug, transport, observedAt, event, prices, others }
    this.observe(observation, (refusal) => assert.equal(refusal, undefined))
  }

  /** Ends the turn; all that is due has aged out then. */
  turn(): void {
    while (!this.turns.run());
  }

  /** Lets what was put off until after this turn of the loop happen, until nothing more is written. */
  async settle(): Promise<void> {
    let before = -1
    for (let quiet = 0; quiet < 2; ) {
      const written = this.clients.reduce((sum, { carrier }) => sum + carrier.writtenBytes, 0)
      quiet = written === before ? quiet + 1 : 0
      before = written
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  // --- clients

  /** A client that has sent nothing. */
  open(kind: Carrier['kind'] = 'tcp', version: Version = '1.2'): MemoryClient {
    const carrier = new MemoryCarrier(kind, () => this.nowAt, this.rooms)
    const client = new MemoryClient(carrier, this.broker.open(carrier), version, this.broker.passes)
    this.clients.push(client)
    return client
  }

  /** A client that is connected. */
  connect({ secret }: Customer, kind: Carrier['kind'] = 'tcp', version: Version = '1.2'): MemoryClient {
    const client = this.open(kind, version)
    client.send('CONNECT', { 'accept-version': version, passcode: secret })
    const [first] = client.take()
    assert.equal(first?.command, 'CONNECTED', first && shownFrame(first))
    return client
  }

  /** Forgets clients whose connection is gone. */
  sweep(): void {
    for (let n = this.clients.length - 1; n >= 0; n--) {
      if (this.clients[n]!.carrier.ending === 'destroyed') this.clients.splice(n, 1)
    }
  }
}
