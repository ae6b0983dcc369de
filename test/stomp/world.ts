// The world of the live tests: the real service with bookmakers, organizations and keys, a feed that sends it prices, and
// events of which each test has its own.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import * as clock from '../../src/clock.ts'
import type { MarketType } from '../../src/domain/market.ts'
import type { QuoteStatus } from '../../src/domain/quote.ts'
import type { Sport } from '../../src/domain/sport.ts'
import { done, get, list, MAIN, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'
import { type Endpoint, RawClient } from './raw-client.ts'
import { type ServerFrame, shownFrame } from './strict-frames.ts'

/** Bookmakers, each for one test. */
const POOL = Array.from({ length: 900 }, (_, place) => `book${String(place).padStart(3, '0')}`)

/** Bookmakers with a coverage that keeps them out of the live channel. */
export const REST_ONLY = 'restonly'
export const LIVE_BETA = 'livebeta'

export interface WorldOptions {
  /** More flags of `serve`. */
  readonly flags?: readonly string[]
  /** More environment of `serve`. */
  readonly environment?: Readonly<Record<string, string>>
  /** The certificate that clients trust, where the flags make the service speak TLS. */
  readonly ca?: string
}

interface ReadyLine {
  readonly http: number
  readonly stomp: number
}

const readyLineOf = (service: RunningService): ReadyLine => {
  const line = service
    .stdout()
    .split('\n')
    .find((each) => each.startsWith('{"ready"'))
  assert(line !== undefined)
  return JSON.parse(line) as ReadyLine
}

/** A price of an observation, as docs/live-protocol.md 7 writes it. */
export interface WireQuote {
  readonly type: MarketType
  readonly line?: number | null
  readonly outcome: string
  readonly odds?: number | null
  readonly status?: QuoteStatus
}

/** An observation, as docs/live-protocol.md 7 writes it. */
export interface WireObservation {
  readonly transport: string
  readonly observedAt: string
  readonly event: object
  readonly quotes: readonly WireQuote[]
  readonly complete?: boolean
  readonly others?: string
}

export const HOME = { type: 'match_result_1x2', line: null, outcome: 'home' } as const
export const DRAW = { type: 'match_result_1x2', line: null, outcome: 'draw' } as const
export const AWAY = { type: 'match_result_1x2', line: null, outcome: 'away' } as const
export const OVER = { type: 'total_goals', line: 2.5, outcome: 'over' } as const

/** Now or a while ago, as the wire writes it. */
export const timeText = (agoMs = 0): string => new Date(clock.now() - agoMs).toISOString()

export class World {
  readonly endpoint: Endpoint
  readonly service: RunningService
  /** A customer's key of an organization with the desk plan, entitled to all bookmakers. */
  readonly deskKey: string
  /** A feed key for all bookmakers of this world. */
  readonly feedKey: string
  private readonly removeFolder: () => void
  private readonly feed: Feed
  private booksTaken = 0
  private eventsMade = 0

  static async start(options: WorldOptions = {}): Promise<World> {
    const folder = newFolder()
    const coverage = writeCoverage(folder.path, [
      ...POOL.map((slug) => [slug, 'verified_rest_live', true, true] as const),
      [REST_ONLY, 'verified_rest_only', true, false],
      [LIVE_BETA, 'live_beta', true, true],
    ])
    done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
    const deskKey = done(folder.path, 'key', 'create', '--org', 'desk')
    const fed = [...POOL, REST_ONLY, LIVE_BETA].join()
    const feedKey = done(folder.path, 'key', 'create', '--org', 'desk', '--feed', fed)
    const before = { ...process.env }
    // The service inherits our environment.
    Object.assign(process.env, options.environment)
    try {
      const service = await startService(
        folder.path,
        ...['--stomp-port', '0', '--coverage', coverage, '--log-level', 'warn'],
        // Tests repeat errors on purpose, and come from one address.
        ...['--error-sessions-max', '1000000', '--address-unconnected-max', '1000', ...(options.flags ?? [])],
      )
      return new World(service, deskKey, feedKey, folder.remove, options.ca)
    } finally {
      for (const name of Object.keys(options.environment ?? {})) {
        if (before[name] === undefined) delete process.env[name]
        else process.env[name] = before[name]
      }
    }
  }

  private constructor(
    service: RunningService,
    deskKey: string,
    feedKey: string,
    removeFolder: () => void,
    ca: string | undefined,
  ) {
    const { http, stomp } = readyLineOf(service)
    this.service = service
    this.endpoint = ca === undefined ? { http, stomp } : { http, stomp, ca }
    this.deskKey = deskKey
    this.feedKey = feedKey
    this.removeFolder = removeFolder
    this.feed = new Feed(this.endpoint, feedKey)
  }

  /** Ends the service, which must end well. */
  async stop(): Promise<void> {
    this.feed.close()
    const code = await this.service.stop()
    this.removeFolder()
    assert.equal(code, 0, `the service ended with ${code}: ${this.service.stderr().slice(-2_000)}`)
  }

  /** Runs a command of the command line beside the service. Resolves to its last line. */
  command(...args: string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        [MAIN, ...args, '--data-dir', this.service.dataDir],
        { encoding: 'utf8' },
        (error, stdout, stderr) => {
          if (error === null) resolve(stdout.trimEnd().split('\n').at(-1)!)
          else reject(new Error(`oddswire ${args.join(' ')}: ${stderr}`))
        },
      )
    })
  }

  /** A key of the desk organization, narrowed by these flags. */
  key(...flags: string[]): Promise<string> {
    return this.command('key', 'create', '--org', 'desk', ...flags)
  }

  /** A key of a new organization. */
  async keyOfNewOrganization(
    plan: string,
    ...flags: string[]
  ): Promise<{ readonly name: string; readonly key: string }> {
    const name = `customer ${++this.eventsMade}`
    await this.command('org', 'create', name, '--plan', plan, ...flags)
    return { name, key: await this.command('key', 'create', '--org', name) }
  }

  /** Changes the coverage of bookmakers while the service runs. */
  async cover(slug: string, status: string, rest: boolean, live: boolean): Promise<void> {
    const folder = newFolder()
    await this.command('coverage', 'import', writeCoverage(folder.path, [[slug, status, rest, live]]))
    folder.remove()
  }

  /** A bookmaker that no other test has. */
  book(): string {
    const slug = POOL[this.booksTaken++]
    assert(slug !== undefined, 'the world has run out of bookmakers')
    return slug
  }

  /** The way an event is named that no other test has. */
  sighting(sport: Sport = 'football'): Sighting {
    const number = ++this.eventsMade
    return {
      sport,
      league: { key: `league_${number}`, name: `League ${number}` },
      home: `Home ${number}`,
      away: `Away ${number}`,
      kickoffAt: timeText(-3_600_000),
      sourceId: `source-${number}`,
    }
  }

  /** Sends an observation; resolves to its RECEIPT. */
  observe(book: string, observation: WireObservation): Promise<ServerFrame> {
    return this.feed.send(book, JSON.stringify(observation))
  }

  /** An event of its own, on the board with one open price of `odd_even`, whose id is known. */
  async event(book: string, sport: Sport = 'football'): Promise<Fixture> {
    const sighting = this.sighting(sport)
    const fixture = new Fixture(this, book, sighting, '')
    await fixture.observe([{ type: 'odd_even', outcome: 'odd', odds: 1.9 }])
    return new Fixture(this, book, sighting, await this.eventId(sighting))
  }

  /** The id of an event with an open price on the live transport. */
  async eventId({ sport, league }: Sighting): Promise<string> {
    const path = `/events?sport=${sport}&league=${league.key}&transport=live`
    const answer = await get(this.service, path, this.deskKey)
    const ids = list(answer.body.data).map((event) => String(event.id))
    assert.equal(ids.length, 1, `${path}: ${answer.text}`)
    return ids[0]!
  }

  /** Open odds of an event on REST: `type line outcome` to odds, of one bookmaker. */
  async oddsOnRest(eventId: string, book: string, transport: 'rest' | 'live'): Promise<Map<string, number>> {
    const path = `/events/${eventId}/odds?bookmaker=${book}&transport=${transport}`
    const answer = await get(this.service, path, this.deskKey)
    const odds = new Map<string, number>()
    for (const market of answer.status === 200 ? list(answer.body.data?.markets) : []) {
      for (const bookmaker of list(market.bookmakers)) {
        for (const outcome of list(bookmaker.outcomes)) {
          odds.set(`${market.type} ${market.line ?? null} ${outcome.outcome}`, Number(outcome.odds))
        }
      }
    }
    return odds
  }

  /** Sessions that the service has ended because they did not keep up. */
  async slowConsumers(): Promise<number> {
    const text = await (await fetch(`${this.service.admin}/metrics`)).text()
    return Number(/^oddswire_stomp_slow_consumers_total (\d+)/m.exec(text)?.[1] ?? 0)
  }

  /** The cursor that REST shows: EPOCH-SEQ. */
  async restSeq(): Promise<string> {
    const answer = await get(this.service, '/sports?transport=live', this.deskKey)
    const seq = answer.headers.get('x-odds-seq')
    assert(seq !== null, 'REST shows no X-Odds-Seq')
    return seq
  }
}

export interface Sighting {
  readonly sport: Sport
  readonly league: { readonly key: string; readonly name: string }
  readonly home: string
  readonly away: string
  readonly kickoffAt: string
  readonly sourceId: string
}

/** One event at one bookmaker. */
export class Fixture {
  readonly book: string
  readonly sighting: Sighting
  readonly id: string
  private readonly world: World

  constructor(world: World, book: string, sighting: Sighting, id: string) {
    this.world = world
    this.book = book
    this.sighting = sighting
    this.id = id
  }

  /** The topic of this event at this bookmaker. */
  topic(kind: 'odds' | 'status' = 'odds'): string {
    return `/topic/${kind}.${this.sighting.sport}.${this.book}.${this.id}`
  }

  /** An observation of this event, seen now. */
  observation(quotes: readonly WireQuote[], over: Partial<WireObservation> = {}): WireObservation {
    return { transport: 'live', observedAt: timeText(), event: this.sighting, quotes, ...over }
  }

  /** Sends an observation; resolves when it is on the board. */
  observe(quotes: readonly WireQuote[], over: Partial<WireObservation> = {}): Promise<ServerFrame> {
    return this.world.observe(this.book, this.observation(quotes, over))
  }

  /** The same event at another bookmaker. */
  at(book: string): Fixture {
    return new Fixture(this.world, book, this.sighting, this.id)
  }
}

interface Waiting {
  readonly resolve: (receipt: ServerFrame) => void
  readonly reject: (error: Error) => void
}

/** A feed that keeps its connection, and of which any number of SENDs may be under way. */
class Feed {
  private readonly endpoint: Endpoint
  private readonly key: string
  private readonly waiting = new Map<string, Waiting>()
  private client: Promise<RawClient> | undefined
  private isClosed = false
  private nextId = 1

  constructor(endpoint: Endpoint, key: string) {
    this.endpoint = endpoint
    this.key = key
  }

  async send(book: string, body: string): Promise<ServerFrame> {
    this.client ??= this.open()
    const client = await this.client
    const receipt = `feed-${this.nextId++}`
    return new Promise((resolve, reject) => {
      this.waiting.set(receipt, { resolve, reject })
      void client.frame('SEND', { destination: `/feed/${book}`, receipt }, body)
    })
  }

  close(): void {
    this.isClosed = true
    void this.client?.then((client) => client.destroy())
  }

  private async open(): Promise<RawClient> {
    const client = await RawClient.open(this.endpoint, 'tcp', '1.2')
    await client.connect({ passcode: this.key })
    this.read(client).catch((error: Error) => {
      this.client = undefined
      if (this.isClosed) return
      for (const { reject } of this.waiting.values()) reject(error)
      this.waiting.clear()
    })
    return client
  }

  private async read(client: RawClient): Promise<never> {
    for (;;) {
      const frame = await client.next(undefined, 2 ** 30)
      assert.equal(frame.command, 'RECEIPT', `the feed got ${shownFrame(frame)}`)
      const id = frame.headers.get('receipt-id')!
      this.waiting.get(id)?.resolve(frame)
      this.waiting.delete(id)
    }
  }
}
