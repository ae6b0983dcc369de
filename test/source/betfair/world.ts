// A stream and what became of what it said, for tests.

import type { Observation } from '../../../src/domain/observation.ts'
import type { BetfairOptions } from '../../../src/source/betfair/betfair-options.ts'
import { BetfairStream } from '../../../src/source/betfair/betfair-stream.ts'
import { Account } from '../../../src/source/kit/account.ts'
import { SaidBoard } from '../kit/said-board.ts'
import { certificate, type Change, Exchange, type ExchangeOptions } from './exchange.ts'

export const APP_KEY = 'app-key-4711'
export const SESSION = 'session-0815'

const KICKOFF = '2026-03-08T15:00:00.000Z'

export const HOME = 101
export const AWAY = 102
export const DRAW = 58_805

/** A football market of the script; without names where `named` is false. */
export const definition = (status: string, named = true, event = '301'): Change['mc'][number]['marketDefinition'] => ({
  eventId: event,
  eventTypeId: '1',
  marketType: 'MATCH_ODDS',
  bettingType: 'ODDS',
  status,
  inPlay: false,
  marketTime: KICKOFF,
  openDate: KICKOFF,
  timezone: 'GMT',
  numberOfActiveRunners: 3,
  ...(named ? { name: 'Match Odds', eventName: `Harbour Town ${event} v Kestrel Rovers` } : {}),
  runners: [
    { id: HOME, status: 'ACTIVE', sortPriority: 1, ...(named ? { name: `Harbour Town ${event}` } : {}) },
    { id: AWAY, status: 'ACTIVE', sortPriority: 2, ...(named ? { name: 'Kestrel Rovers' } : {}) },
    { id: DRAW, status: 'ACTIVE', sortPriority: 3, ...(named ? { name: 'The Draw' } : {}) },
  ],
})

export const T0 = Date.parse('2026-03-08T12:00:00.000Z')

/** A script of one market: opens with three prices, then the home price climbs by one tick a change. */
export const climbing = (count: number): Change[] => [
  {
    pt: T0,
    mc: [
      {
        id: '1.1',
        marketDefinition: definition('OPEN')!,
        rc: [
          { id: HOME, atb: [[2, 50]] },
          { id: AWAY, atb: [[4, 50]] },
          { id: DRAW, atb: [[3.5, 50]] },
        ],
      },
    ],
  },
  ...Array.from({ length: count }, (_, index): Change => {
    const price = (ticks: number): number => Math.round(200 + 2 * ticks) / 100
    return {
      pt: T0 + 1000 * (index + 1),
      mc: [
        {
          id: '1.1',
          rc: [
            {
              id: HOME,
              atb: [
                [price(index), 0],
                [price(index + 1), 50],
              ],
            },
          ],
        },
      ],
    }
  }),
]

export interface Quote {
  readonly odds: number | null
  readonly status: string
}

export class World {
  readonly exchange: Exchange
  readonly stream: BetfairStream
  readonly account = new Account()
  readonly said = new SaidBoard(() => this.exchange?.look())
  readonly observations: readonly Observation[] = this.said.observations
  readonly told: string[] = []
  readonly malformed: string[] = []
  heard = 0
  /** The clock. */
  nowAt = T0
  /** Set, nothing is taken until it resolves. */
  gate: Promise<void> | undefined
  /** Set, the next take fails with it. */
  failure: Error | undefined

  static async start(exchange: Omit<ExchangeOptions, 'port'>, changed: Partial<BetfairOptions> = {}): Promise<World> {
    return new World(await Exchange.listen(exchange), changed)
  }

  constructor(exchange: Exchange, changed: Partial<BetfairOptions>) {
    this.exchange = exchange
    this.said.onTake = async () => {
      await this.gate
      const { failure } = this
      this.failure = undefined
      if (failure !== undefined) throw failure
    }
    const options: BetfairOptions = {
      host: '127.0.0.1',
      port: exchange.port,
      appKey: APP_KEY,
      session: SESSION,
      caFile: certificate!.file,
      catalogueUrl: null,
      marketFilter: { eventTypeIds: ['1'], marketTypes: ['MATCH_ODDS'] },
      heartbeatMs: 5000,
      bookmaker: null,
      transport: null,
      ...changed,
      limits: {
        lineBytesMax: 1_000_000,
        openMsMax: 20_000,
        pauseMsMin: 1,
        pauseMsMax: 4,
        refusedPauseMs: 60_000,
        aheadMsMax: 365 * 86_400_000, // the world's clock stands still
        namesMsMin: 0,
        namesAgainMs: 60_000,
        restampMs: 3_600_000,
        pricesMax: 1000,
        textLengthMax: 200,
        ...changed.limits,
      },
    }
    this.stream = new BetfairStream(options, {
      name: 'exchange',
      account: this.account,
      now: () => this.nowAt,
      chance: () => 0,
      producer: this.said.producer,
      alive: () => {
        this.heard++
        exchange.look()
      },
      log: (level, message) => {
        this.told.push(`${level} ${message}`)
        exchange.look()
      },
      onMalformed: (place, reason) => this.malformed.push(`${place} ${reason}`),
    })
  }

  /** Resolves when the stream has done something that makes it so. */
  until(isSo: () => boolean): Promise<void> {
    return this.exchange.until(isSo)
  }

  /** Resolves when so many messages have come; looked at now and then. */
  untilMessages(count: number): Promise<void> {
    return new Promise((resolve) => {
      const look = setInterval(() => {
        if ((this.stream.facts().messages as number) < count) return
        clearInterval(look)
        resolve()
      }, 5)
    })
  }

  /** Resolves when the home price is this. */
  untilHome(odds: number): Promise<void> {
    return this.until(() => this.quote('home')?.odds === odds)
  }

  /** Of the only event with this outcome. */
  quote(outcome: string, event = '301'): Quote | undefined {
    const words = [`betfair:${event}`, 'match_result_1x2', 'null', outcome]
    const [found] = this.said.find(...words)
    return found === undefined ? undefined : { odds: found.odds, status: this.said.shown(...words)[0]! }
  }

  /** The board as it stands, without times: `key odds status`, in order. */
  board(): string[] {
    return this.said.lines()
  }

  async end(): Promise<void> {
    await this.stream.stop()
    await this.exchange.close()
  }
}
