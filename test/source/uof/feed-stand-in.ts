// Sportradar for tests: a publisher to the exchange of a real RabbitMQ, and a local HTTP server that is the API for
// fixtures and recoveries. What a connector does with it is recorded, and can be waited for.

import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, connect as connectTcp, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib'
import type { Observation } from '../../../src/domain/observation.ts'
import { SKEW_MS_MAX } from '../../../src/domain/quote.ts'
import type { ConnectorContext } from '../../../src/source/kit/connector.ts'
import { UofConnector } from '../../../src/source/uof/uof-connector.ts'
import { UOF_LIMITS, type UofConnectorOptions, type UofLimits } from '../../../src/source/uof/uof-options.ts'
import { Account } from '../../../src/source/kit/account.ts'
import { SaidBoard, type SaidQuote } from '../kit/said-board.ts'
import type { Rabbit } from '../../rabbitmq.ts'

export const LIMITS: UofLimits = { pricesMax: 1_000, textLengthMax: 200, aheadMsMax: SKEW_MS_MAX, ...UOF_LIMITS }

export const EXCHANGE = 'unifiedfeed'
export const TOKEN = 'secret-token'

/** Where the fake clock begins. */
export const START = Date.parse('2026-11-20T18:00:00Z')

const WAIT_MS_MAX = 30_000
const GLANCE_MS = 20

/** Conditions that are looked at whenever something has happened that is told, and else now and then. */
class Watch {
  private readonly looks = new Set<() => void>()

  poke(): void {
    for (const look of this.looks) look()
  }

  until(what: string, isSo: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (then: () => void): void => {
        clearTimeout(patience)
        clearInterval(glances)
        this.looks.delete(look)
        then()
      }
      const look = (): void => {
        if (isSo()) end(resolve)
      }
      const patience = setTimeout(() => end(() => reject(new Error(`not seen: ${what}`))), WAIT_MS_MAX)
      const glances = setInterval(look, GLANCE_MS)
      this.looks.add(look)
      look()
    })
  }
}

export const fixtureXml = (id: string, home: string, away: string, sport = 'sr:sport:1'): string =>
  `<?xml version="1.0" encoding="UTF-8"?><fixtures_fixture xmlns="urn:test" generated_at="2026-11-20T17:00:00+00:00">
  <fixture id="${id}" scheduled="2026-11-20T20:00:00+00:00" status="not_started">
    <tournament id="sr:tournament:17" name="Premier League"><sport id="${sport}" name="Soccer"/>
      <category id="sr:category:1" name="England" country_code="ENG"/></tournament>
    <competitors><competitor id="sr:competitor:1" name="${home}" qualifier="home"/>
      <competitor id="sr:competitor:2" name="${away}" qualifier="away"/></competitors>
  </fixture></fixtures_fixture>`

/** An answer of the API: a status and a body, or a promise of one. */
type Answer = readonly [status: number, body: string]

export interface Recovery {
  readonly product: string
  readonly eventId: string | null
  readonly after: number | null
  readonly requestId: number
}

export class StandIn {
  readonly watch = new Watch()
  readonly recoveries: Recovery[] = []
  readonly fixturesAsked: string[] = []
  readonly faults: string[] = []
  /** By event; else a fixture `Home N` v `Away N`. */
  readonly fixtures = new Map<string, () => Answer | Promise<Answer>>()
  onRecovery: (recovery: Recovery) => Answer | Promise<Answer> = () => [202, '<response response_code="ACCEPTED"/>']
  private readonly rabbit: Rabbit
  private readonly server: Server
  private model: ChannelModel | undefined
  private channel!: ConfirmChannel

  private constructor(rabbit: Rabbit) {
    this.rabbit = rabbit
    this.server = createServer((request, response) => void this.answer(request, response))
  }

  static async start(rabbit: Rabbit): Promise<StandIn> {
    const standIn = new StandIn(rabbit)
    await new Promise<void>((resolve) => standIn.server.listen(0, '127.0.0.1', resolve))
    await standIn.connect()
    return standIn
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as { readonly port: number }).port}`
  }

  /** Opens the publisher's connection; again after the broker was gone. */
  async connect(): Promise<void> {
    this.model = await connect(this.rabbit.amqpUrl)
    // The broker is killed on purpose.
    this.model.on('error', () => {})
    this.channel = await this.model.createConfirmChannel()
    this.channel.on('error', () => {})
    await this.channel.assertExchange(EXCHANGE, 'topic', { durable: true })
  }

  /** Publishes messages, and resolves when the broker has them. */
  async publish(...messages: readonly (string | Buffer)[]): Promise<void> {
    for (const message of messages) this.channel.publish(EXCHANGE, 'hi.-.live.any.1.sr:match.1.-', Buffer.from(message))
    await this.channel.waitForConfirms()
  }

  async stop(): Promise<void> {
    await this.model?.close().catch(() => {})
    this.server.closeAllConnections()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    assert.equal(request.headers['x-access-token'], TOKEN)
    const url = new URL(request.url!, 'http://local')
    const [status, body] = await this.answerTo(request.method!, url)
    const isPacked = request.headers['accept-encoding']?.includes('gzip') === true
    response.writeHead(status, isPacked ? { 'content-encoding': 'gzip' } : {})
    response.end(isPacked ? gzipSync(body) : body)
  }

  private async answerTo(method: string, url: URL): Promise<Answer> {
    const path = decodeURIComponent(url.pathname)
    const fixture = /^\/v1\/sports\/en\/sport_events\/([^/]+)\/fixture\.xml$/.exec(path)?.[1]
    if (method === 'GET' && fixture !== undefined) {
      this.fixturesAsked.push(fixture)
      this.watch.poke()
      const digits = fixture.replace(/\D/g, '')
      return this.fixtures.get(fixture)?.() ?? [200, fixtureXml(fixture, `Home ${digits}`, `Away ${digits}`)]
    }
    const recovery = /^\/v1\/([^/]+)\/(?:recovery|odds\/events\/([^/]+))\/initiate_request$/.exec(path)
    if (method === 'POST' && recovery !== null) {
      const after = url.searchParams.get('after')
      const asked = {
        product: recovery[1]!,
        eventId: recovery[2] ?? null,
        after: after === null ? null : Number(after),
        requestId: Number(url.searchParams.get('request_id')),
      }
      this.recoveries.push(asked)
      this.watch.poke()
      return this.onRecovery(asked)
    }
    return [404, `no such path: ${method} ${path}`]
  }
}

/** The way to a broker, that can be cut. */
export class Wire {
  private readonly sockets = new Set<Socket>()
  private readonly server = createTcpServer()

  static async to(port: number): Promise<Wire> {
    const wire = new Wire()
    const { server, sockets } = wire
    server.on('connection', (near) => {
      const far = connectTcp(port, '127.0.0.1')
      sockets.add(near)
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        one.on('error', () => {})
        one.on('close', () => other.destroy())
        one.pipe(other)
      }
      near.on('close', () => sockets.delete(near))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return wire
  }

  get amqpUrl(): string {
    return `amqp://guest:guest@127.0.0.1:${(this.server.address() as AddressInfo).port}/%2f`
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy()
  }

  async stop(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.server.close(resolve))
  }
}

/** A connector under test, with what an engine would know from it. */
export class Tried {
  readonly account = new Account()
  readonly board = new SaidBoard(() => this.watch.poke())
  readonly observations: readonly Observation[] = this.board.observations
  readonly told: string[] = []
  readonly malformed: string[] = []
  /** Times that may be ahead. */
  readonly dates: number[] = []
  readonly connector: UofConnector
  /** What the next takes end with. */
  readonly faults: Error[] = []
  heard = 0
  now = START
  private readonly watch: Watch

  constructor(rabbit: Rabbit, standIn: StandIn, options: Partial<UofConnectorOptions> = {}) {
    this.watch = standIn.watch
    this.board.onTake = () => {
      const error = this.faults.shift()
      if (error !== undefined) throw error
    }
    const context: ConnectorContext = {
      name: 'uof',
      account: this.account,
      now: () => this.now,
      chance: () => 0.5,
      producer: this.board.producer,
      alive: () => {
        this.heard++
        this.watch.poke()
      },
      ahead: (at) => this.dates.push(at),
      log: (level, message) => {
        assert(!message.includes(TOKEN))
        this.told.push(`${level} ${message}`)
        this.watch.poke()
      },
      onMalformed: (place, reason) => {
        this.malformed.push(`${place} ${reason}`)
        this.watch.poke()
      },
    }
    this.connector = new UofConnector(
      {
        amqpUrl: rabbit.amqpUrl,
        exchange: EXCHANGE,
        apiUrl: standIn.apiUrl,
        apiToken: TOKEN,
        bookmaker: null,
        transport: null,
        products: [
          { id: 1, name: 'liveodds' },
          { id: 3, name: 'pre' },
        ],
        // The clock is ours; what is looked at often enough is seen at once.
        aliveMsMax: 400,
        ...options,
        limits: { ...LIMITS, pauseMsMin: 10, pauseMsMax: 50, ...options.limits },
      },
      context,
    )
  }

  /** As it is shown, by `N type line outcome`, N the digits of the event id. */
  quote(key: string): Pick<SaidQuote, 'odds' | 'status' | 'observation' | 'observedAt'> | undefined {
    const words = `uof:sr:match:${key}`.split(' ')
    const [found] = this.board.find(...words)
    return found === undefined ? undefined : { ...found, status: this.board.shown(...words)[0]! }
  }

  until(what: string, isSo: () => boolean): Promise<void> {
    return this.watch.until(`${what}; told: ${this.told.join(' | ')}`, isSo)
  }

  untilTold(part: string): Promise<void> {
    return this.watch.until(part, () => this.told.some((message) => message.includes(part)))
  }

  untilConnected(): Promise<void> {
    return this.untilTold('messages arrive')
  }

  untilStatus(key: string, status: string): Promise<void> {
    return this.watch.until(`${key} ${status}`, () => this.quote(key)?.status === status)
  }

  untilProduct(name: string, state: string): Promise<void> {
    return this.watch.until(`${name} ${state}`, () => this.connector.facts()[`product.${name}`] === state)
  }
}

// --- messages ---

export const alive = (product: number, at: number, isSubscribed = true): string =>
  `<alive product="${product}" timestamp="${at}" subscribed="${isSubscribed ? 1 : 0}"/>`

export const snapshotComplete = (product: number, at: number, requestId: number): string =>
  `<snapshot_complete product="${product}" timestamp="${at}" request_id="${requestId}"/>`

/** Over and under 2.5 goals. */
export const totals = (product: number, match: number, at: number, over: number, under: number, status = 1): string =>
  `<?xml version="1.0" encoding="UTF-8"?><odds_change product="${product}" event_id="sr:match:${match}" timestamp="${at}">` +
  `<odds><market id="18" specifiers="total=2.5" status="${status}"><outcome id="12" odds="${over}" active="1"/>` +
  `<outcome id="13" odds="${under}" active="1"/></market></odds></odds_change>`

export const betStop = (product: number, match: number, at: number): string =>
  `<bet_stop product="${product}" event_id="sr:match:${match}" timestamp="${at}" groups="all"/>`
