// What a turn does is compiled when it is first done: of the first iteration of the event loop that aged quotes out, 7 to 13 ms, V8 was
// half the time compiling. So all of it is done once while a start waits 50 ms for the threads that read a large checkpoint.
// So are sessions: where ten thousand connected at once, the first iteration took 5.0 to 7.5 ms, and 2.6 where some had before.
// What feeds send follows when the start is ready (warm-feed.ts).

import { Accounts } from '../access/accounts.ts'
import { Gate } from '../access/gate.ts'
import { hashOf, mintSecret } from '../access/key.ts'
import { UNLIMITED } from '../access/ledger.ts'
import { BUILT_IN_PLANS } from '../access/plan.ts'
import { Registry } from '../access/registry.ts'
import { UNRESTRICTED } from '../access/scope.ts'
import type { Bookmaker } from '../domain/coverage.ts'
import { NO_PRODUCER } from '../domain/feed-source.ts'
import type { Input } from '../domain/input.ts'
import type { Observation } from '../domain/observation.ts'
import { FRESHNESS_MS, type QuoteStatus } from '../domain/quote.ts'
import { NO_LOG, type TurnLog, Turns } from '../engine/turns.ts'
import { LIMITS } from '../limits.ts'
import { Broker } from '../stomp/broker.ts'
import type { ChannelOptions } from '../stomp/channel.ts'
import { frameBytes } from '../stomp/frame-writer.ts'
import { WebSocketCarrier, type WebSocketHandle } from '../stomp/websocket.ts'
import { WebSocketRooms } from '../stomp/websocket-rooms.ts'
import { State } from './state.ts'

const SETTINGS = { quotesMax: 64, eventsMax: 8, labelsMax: 64, bookmakerShare: 1 }

/** Time of a board of its own. */
export const BEGAN_AT = Date.UTC(2000, 0, 1)

/** All is due then: it was observed a day before, within {@link STATEMENTS_MS}. */
const DUE_AT = BEGAN_AT + 10_000
const STATEMENTS_MS = 5_000
const DUE_TURNS = 2

const observationOf = (bookmaker: string, observedAt: number, odds: number, status: QuoteStatus): Observation => ({
  bookmaker,
  transport: 'both',
  observedAt,
  event: {
    sport: 'football',
    leagueKey: 'warm_up',
    leagueName: 'Warm up',
    home: 'Warm Home',
    away: 'Warm Away',
    kickoffAt: BEGAN_AT,
    sourceKey: `${bookmaker}:1`,
  },
  prices: (['home', 'draw', 'away'] as const).map((outcome) => ({
    ...{ type: 'match_result_1x2', line: null, outcome, odds, status },
  })),
  others: 'keep',
})

export const BOOKMAKERS = ['warm_one', 'warm_two'] as const

const registered = (slug: string): Bookmaker => ({
  ...{ slug, displayName: slug, region: '', countries: [], sourceMode: 'direct', customerNote: '' },
  coverage: [
    { sport: '*', status: 'verified_rest_live', restAvailable: true, liveAvailable: true, lastVerifiedAt: null },
  ],
})

/** A WebSocket that accepts everything at once and keeps nothing. */
const NOWHERE: WebSocketHandle = {
  send: () => 1,
  getBufferedAmount: () => 0,
  subscribe: () => true,
  unsubscribe: () => true,
  cork: (write) => write(),
  end: () => {},
  close: () => {},
}

/** Of each way to begin. */
const SESSIONS = 4

const nothingIsSent = (): never => {
  throw new Error('nothing is sent')
}

interface WarmSession {
  send(command: string, headers: readonly (readonly [string, string])[], body?: string): void
  end(): void
}

/** The live channel of a board that is thrown away, with callers whose keys no store has, and without sockets. */
export class WarmChannel {
  readonly broker: Broker
  readonly turns: Turns
  nowAt = BEGAN_AT
  private readonly rooms = new WebSocketRooms({ publish: () => true })
  private readonly accounts = new Accounts()
  private readonly secret: string
  private readonly state: State

  constructor(state: State, log: TurnLog = NO_LOG, readObservation: ChannelOptions['readObservation'] = nothingIsSent) {
    const { engine, history } = state
    this.state = state
    const registry = new Registry((slug) => engine.bookmakerNumber(slug))
    const ledger = { admit: () => UNLIMITED, close: () => Promise.resolve() }
    const gate = new Gate({ accounts: this.accounts, registry, ledger, credentialsMax: 2 })
    registry.replace(BOOKMAKERS.map(registered))
    this.secret = gate.internalKey()
    this.turns = new Turns(engine, LIMITS, () => this.nowAt, log)
    this.broker = new Broker({
      ...{ engine, history, turns: this.turns, gate, registry, limits: LIMITS },
      now: () => this.nowAt,
      elapsedMs: () => 0,
      server: '',
      readObservation,
      mintId: () => '',
    })
    this.broker.useRooms(this.rooms)
  }

  /** Sessions that begin with a snapshot, that resume, and that get what comes. @returns ends them */
  open(): () => void {
    const { epoch, seq, reader } = this.state.engine
    const begins = [[['snapshot', 'true']], [['from-seq', `${epoch}-${seq - 1}`]], []] as const
    const { id } = reader.eventAt(1)!.event
    const sessions = Array.from({ length: SESSIONS * begins.length }, (_, number) => {
      const session = this.connect(this.secret)
      const destination = `/topic/odds.football.${number % 2 === 0 ? '*' : 'warm_one'}.${id}`
      const subscribe = [
        ['id', 'sub'],
        ['destination', destination],
        ['receipt', 'r'],
      ] as const
      session.send('SUBSCRIBE', [...subscribe, ...begins[number % begins.length]!])
      return session
    })
    return () => {
      for (const session of sessions) session.end()
    }
  }

  /** A session of a feed. */
  openFeed(): WarmSession {
    const secret = mintSecret('feed')
    const organization = { id: 'warm_up', name: 'Warm up', plan: 'warm_up', entitlement: '*' } as const
    this.accounts.apply({
      auditId: 0,
      plans: [{ ...BUILT_IN_PLANS[0]!, name: organization.plan }],
      organizations: [organization],
      keys: [
        {
          ...{ id: 'warm_up', hash: hashOf(secret), kind: 'feed', organization: organization.id, name: '' },
          scope: { ...UNRESTRICTED, bookmakers: BOOKMAKERS },
          ...{ createdAt: BEGAN_AT, expiresAt: null, revokedAt: null, createdBy: 'server', lastUsedAt: null },
        },
      ],
      keysDeleted: [],
      bookmakers: null,
    })
    return this.connect(secret)
  }

  private connect(secret: string): WarmSession {
    const carrier = new WebSocketCarrier(
      NOWHERE,
      this.rooms,
      0,
      () => {},
      () => false,
    )
    const session = this.broker.open(carrier)
    const send: WarmSession['send'] = (command, headers, body) => {
      session.receive(frameBytes(command, headers, '1.2', body))
    }
    send('CONNECT', [
      ['accept-version', '1.2'],
      ['passcode', secret],
      ['heart-beat', '0,0'],
    ])
    const end = (): void => {
      send('DISCONNECT', [['receipt', 'end']])
      carrier.gone()
      session.closed()
    }
    return { send, end }
  }

  /** Ends a turn. */
  turn(nowAt: number, inputs: readonly Input[]): void {
    this.nowAt = nowAt
    for (const input of inputs) this.turns.add(input)
    this.turns.run()
  }

  close(): void {
    this.turns.stop()
    this.broker.close()
  }
}

/** Two bookmakers quote an event, change their prices, and age out, on a board that is thrown away; sessions read them. */
export const warmUp = (): { readonly state: State; readonly broker: Broker } => {
  const state = new State(SETTINGS, BEGAN_AT)
  const channel = new WarmChannel(state)
  const observe = (afterMs: number, odds: number, status: QuoteStatus): void => {
    const observedAt = DUE_AT - FRESHNESS_MS - STATEMENTS_MS + afterMs
    const inputs = BOOKMAKERS.map((bookmaker): Input => {
      const observation = observationOf(bookmaker, observedAt, odds, status)
      return { kind: 'observe', producer: NO_PRODUCER, observation, doubt: undefined }
    })
    channel.turn(BEGAN_AT + afterMs, inputs)
  }
  observe(0, 2.5, 'open')
  const end = channel.open()
  observe(1_000, 2.6, 'suspended')
  observe(2_000, 2.7, 'open')
  end()
  for (let turn = 1; turn <= DUE_TURNS; turn++) channel.turn(DUE_AT + turn * 1_000, [])
  channel.close()
  return { state, broker: channel.broker }
}
