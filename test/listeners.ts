// Both customers' ports and the admin port in this process, on the real clock, with limits that a test can reach.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { connect as connectTcp, type Socket } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { Accounts } from '../src/access/accounts.ts'
import { Gate } from '../src/access/gate.ts'
import { hashOf, mintSecret } from '../src/access/key.ts'
import { UNLIMITED } from '../src/access/ledger.ts'
import { BUILT_IN_PLANS } from '../src/access/plan.ts'
import { Registry } from '../src/access/registry.ts'
import { UNRESTRICTED } from '../src/access/scope.ts'
import * as clock from '../src/clock.ts'
import { LIMITS } from '../src/limits.ts'
import { isRefusal, refuse } from '../src/domain/refusal.ts'
import { Engine } from '../src/engine/engine.ts'
import { Turns } from '../src/engine/turns.ts'
import { Metrics } from '../src/metrics.ts'
import { parseObservation } from '../src/source/observations/observations.ts'
import { errorReply, okReply } from '../src/rest/reply.ts'
import { AdminServer } from '../src/server/admin-server.ts'
import { HttpServer } from '../src/server/http-server.ts'
import { Broker } from '../src/stomp/broker.ts'
import { LiveHistory } from '../src/stomp/live-history.ts'
import { type ConnectionLimits, Connections } from '../src/stomp/connections.ts'
import type { LiveLimits } from '../src/stomp/session-limits.ts'
import { TcpServer } from '../src/stomp/tcp.ts'
import type { Tls } from '../src/stomp/tls.ts'
import { assertNothingLeft } from './stomp/leftovers.ts'
import { bookmaker } from './stomp/memory-carrier.ts'

/** Any wait of a test; far above what a loaded machine needs. */
const LIMIT_MS = 15_000

/** Waits until something holds. */
export const until = async (what: string, holds: () => boolean): Promise<void> => {
  const endMs = clock.elapsedMs() + LIMIT_MS
  while (!holds()) {
    assert(clock.elapsedMs() < endMs, `${what} did not come about`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** A new certificate and key for the loopback, made out to a name; undefined where openssl is not installed. */
export const certificate = (folder: string, name: string): Tls | undefined => {
  const certFile = join(folder, `${name}.pem`)
  const keyFile = join(folder, `${name}.key`)
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const files = ['-keyout', keyFile, '-out', certFile]
  try {
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...files, ...subject], {
      stdio: 'ignore',
    })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  return { certFile, keyFile }
}

export const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

export const CONNECTION_LIMITS: ConnectionLimits = {
  connectionsMax: 1_000,
  httpConnectionsMax: 1_000,
  unconnectedMax: 1_000,
  addressUnconnectedMax: 1_000,
  unconnectedWebSocketsMax: 40,
  addressUnconnectedWebSocketsMax: 40,
}

export interface ListenersOptions {
  readonly limits?: Partial<LiveLimits>
  readonly connections?: Partial<ConnectionLimits>
  readonly tls?: Tls | null
  readonly adminHost?: string
  readonly adminNames?: readonly string[]
  readonly adminTls?: Tls | null
}

const NOTHING = { auditId: 0, plans: [], organizations: [], keys: [], keysDeleted: [], bookmakers: null } as const

export class Listeners {
  /** Keys of customers by plan, `pair` of one with two live connections; and one of a feed. */
  readonly keys: Readonly<Record<'desk' | 'starter' | 'pair' | 'feed', string>>
  readonly broker: Broker
  readonly connections: Connections
  readonly http: HttpServer
  readonly stomp: TcpServer
  readonly admin: AdminServer
  private readonly engine: Engine
  private readonly sockets: Socket[] = []
  private readonly isTls: boolean

  static async start(options: ListenersOptions = {}): Promise<Listeners> {
    const { tls = null } = options
    const limits = { ...LIMITS, replayBytesMax: 1024 * 1024, ...options.limits }
    const engine = new Engine(
      {
        quotesMax: 1_000,
        skewMsMax: 5_000,
        bookmakersMax: 100,
        wheelVisitsMax: 1_000,
      },
      clock.now(),
    )
    const registry = new Registry((slug) => engine.bookmakerNumber(slug))
    const gate = new Gate({
      accounts: new Accounts(),
      registry,
      ledger: { admit: () => UNLIMITED, close: () => Promise.resolve() },
      credentialsMax: 1_000,
    })
    const keys = {
      desk: mintSecret('customer'),
      starter: mintSecret('customer'),
      pair: mintSecret('customer'),
      feed: mintSecret('feed'),
    }
    const names = ['desk', 'starter', 'pair', 'feed'] as const
    gate.apply({
      ...NOTHING,
      plans: [...BUILT_IN_PLANS, { ...BUILT_IN_PLANS[1]!, name: 'pair', liveConnectionsMax: 2 }],
      bookmakers: [bookmaker('book')],
      organizations: names.map((name) => ({
        ...{ id: `org_${name}`, name, entitlement: '*' },
        plan: name === 'feed' ? 'starter' : name,
      })),
      keys: names.map((name) => ({
        ...{ id: `key_${name}`, hash: hashOf(keys[name]), organization: `org_${name}` },
        kind: name === 'feed' ? 'feed' : 'customer',
        scope: name === 'feed' ? { ...UNRESTRICTED, bookmakers: ['book'] } : UNRESTRICTED,
        ...{
          createdAt: clock.now(),
          expiresAt: null,
          revokedAt: null,
          name: '',
          createdBy: 'command',
          lastUsedAt: null,
        },
      })),
    })
    const connections = new Connections({ ...CONNECTION_LIMITS, ...options.connections })
    const broker = new Broker({
      engine,
      history: new LiveHistory(engine, limits),
      turns: new Turns(engine, limits, clock.now),
      gate,
      registry,
      limits,
      now: clock.now,
      elapsedMs: clock.elapsedMs,
      server: 'oddswire/0.0.0',
      readObservation: (body, slug) => parseObservation(body.toString('utf8'), slug, LIMITS),
      mintId: () => 'session',
      isCrowded: () => connections.places.hasWaiting,
    })
    const host = '127.0.0.1'
    const isReady = () => true
    const metrics = new Metrics()
    const ok = okReply(Buffer.from('{}'), '"1"')
    const missing = errorReply(refuse('not_found', 'There is no such page'))
    const http = await HttpServer.listen({
      bodyBytesNow: LIMITS.bodyBytesNow,
      answer: (exchange) => {
        exchange.reply = exchange.path === '/' ? ok : missing
        exchange.head = exchange.reply.head
        return undefined
      },
      isReady,
      metrics,
      host,
      port: 0,
      tls,
      connections,
      live: { broker, isOpen: isReady, limits, origins: [], compresses: false },
    })
    assert(!('busyPort' in http))
    const stomp = await TcpServer.listen({ broker, limits, connections, host, port: 0, tls, isReady })
    assert(!('busyPort' in stomp))
    const admin = await AdminServer.listen({
      metrics,
      host: options.adminHost ?? host,
      port: 0,
      tls: options.adminTls ?? null,
      names: options.adminNames ?? [],
      notReady: () => [],
      ask: (path) => (path === '/feeds' ? { feeds: [] } : undefined),
    })
    assert(!('busyPort' in admin))
    return new Listeners(engine, keys, broker, connections, http, stomp, admin, tls !== null)
  }

  private constructor(
    engine: Engine,
    keys: Listeners['keys'],
    broker: Broker,
    connections: Connections,
    http: HttpServer,
    stomp: TcpServer,
    admin: AdminServer,
    isTls: boolean,
  ) {
    this.engine = engine
    this.keys = keys
    this.broker = broker
    this.connections = connections
    this.http = http
    this.stomp = stomp
    this.admin = admin
    this.isTls = isTls
  }

  /** The key of a customer with the desk plan. */
  get key(): string {
    return this.keys.desk
  }

  /** Has an event appear, and a turn end. */
  observe(): void {
    const observedAt = new Date(clock.now()).toISOString()
    const event = {
      sport: 'football',
      league: { key: 'league', name: 'League' },
      home: 'Home',
      away: 'Away',
      kickoffAt: observedAt,
    }
    const quotes = [{ type: 'odd_even', outcome: 'odd', odds: 1.9 }]
    const text = JSON.stringify({ transport: 'both', observedAt, event, quotes })
    const observation = parseObservation(text, 'book', LIMITS)
    assert(!isRefusal(observation), JSON.stringify(observation))
    assert.equal(this.engine.observe(observation, clock.now()), undefined)
    this.engine.turn(clock.now())
  }

  /** A connection that sends nothing, TLS or not. */
  raw(port: number, localAddress = '127.0.0.1'): Promise<Wiretap> {
    return this.opened(connectTcp({ port, host: '127.0.0.1', localAddress }), 'connect')
  }

  /** A connection, over TLS where the ports use it; any certificate is accepted. */
  connect(port: number, localAddress = '127.0.0.1'): Promise<Wiretap> {
    if (!this.isTls) return this.raw(port, localAddress)
    const where = { port, host: '127.0.0.1', localAddress, rejectUnauthorized: false }
    return this.opened(connectTls(where), 'secureConnect')
  }

  /** Asks for an upgrade to a WebSocket, and sends nothing after it. */
  async upgrade(localAddress = '127.0.0.1', headers = '', connection = 'Upgrade'): Promise<Wiretap> {
    const tap = await this.connect(this.http.port, localAddress)
    const key = Buffer.alloc(16, 1).toString('base64')
    tap.socket.write(
      `GET /stomp HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: ${connection}\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n${headers}\r\n`,
    )
    return tap
  }

  private opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<Wiretap> {
    const tap = new Wiretap(socket)
    this.sockets.push(socket)
    return new Promise((resolve, reject) => {
      socket.once(event, () => resolve(tap))
      socket.once('close', () => reject(new Error('the connection was refused')))
    })
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    this.stomp.stopAccepting()
    this.admin.close()
    await this.stomp.close(1_000)
    await this.broker.drain(1_000)
    this.broker.close()
    this.http.close()
    assertNothingLeft(this.broker)
  }
}

/** One end of a connection, and all that came. */
export class Wiretap {
  readonly socket: Socket
  text = ''
  isClosed = false

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      this.text += chunk.toString('latin1')
    })
    socket.on('close', () => {
      this.isClosed = true
    })
  }

  /** Whom the certificate is made out to. */
  get certificateName(): string {
    return String((this.socket as TLSSocket).getPeerCertificate().subject.CN)
  }

  came(text: string): Promise<void> {
    return until(`${JSON.stringify(text)} among ${JSON.stringify(this.text)}`, () => this.text.includes(text))
  }

  closed(): Promise<void> {
    return until('the end of the connection', () => this.isClosed)
  }

  /** CONNECT in a frame of its own, as a WebSocket message where it is one. */
  sendConnect(key: string, isWebSocket: boolean): void {
    const frame = Buffer.from(`CONNECT\naccept-version:1.2\nhost:localhost\npasscode:${key}\n\n\0`)
    // Masked with zeros.
    const head = Buffer.from([0x81, 0x80 | 126, frame.length >> 8, frame.length & 255, 0, 0, 0, 0])
    this.socket.write(isWebSocket ? Buffer.concat([head, frame]) : frame)
  }
}
