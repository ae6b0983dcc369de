// The stream with supervisor and board: what is on offer after the exchange's clock was wrong, and after it was away.

import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { shownOf } from '../../../src/board/status.ts'
import { Engine } from '../../../src/engine/engine.ts'
import type { Turns } from '../../../src/engine/turns.ts'
import { parseFeeds } from '../../../src/feed/feeds-file.ts'
import { plansOf } from '../../../src/feed/plans.ts'
import { superviseOn } from '../../fed-engine.ts'
import type { Supervisor } from '../../../src/feed/supervisor.ts'
import { certificate, Exchange, type ExchangeOptions } from './exchange.ts'
import { APP_KEY, climbing, definition, SESSION, T0 } from './world.ts'

const skip = certificate === undefined ? 'openssl is not installed' : false

const uncaught: unknown[] = []
process.on('uncaughtException', (error) => uncaught.push(error))
process.on('unhandledRejection', (error) => uncaught.push(error))
after(() => assert.deepEqual(uncaught, []))

const ending: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end()
})

const SKEW_MS_MAX = 5_000

class Desk {
  nowAt = T0
  readonly exchange: Exchange
  readonly engine: Engine
  readonly supervisor: Supervisor
  readonly turns: Turns
  readonly logged: string[] = []

  static async open(changed: Partial<ExchangeOptions> = {}): Promise<Desk> {
    const exchange = await Exchange.listen({ changes: climbing(1), ...changed })
    exchange.played = 1
    const desk = new Desk(exchange)
    ending.push(async () => {
      await desk.supervisor.stop(10_000)
      await exchange.close()
    })
    return desk
  }

  private constructor(exchange: Exchange) {
    this.exchange = exchange
    this.engine = new Engine(
      {
        quotesMax: 100,
        skewMsMax: SKEW_MS_MAX,
        bookmakersMax: 10,
        wheelVisitsMax: 100,
      },
      T0,
    )
    const { engine } = this
    const { supervisor, turns } = superviseOn(engine, {
      now: () => this.nowAt,
      elapsedMs: () => this.nowAt,
      chance: () => 0,
      isCovered: () => true,
      sourcesMax: 100,
      log: (level, _source, message) => this.logged.push(`${level} ${message}`),
    })
    this.supervisor = supervisor
    this.turns = turns
    const file = parseFeeds(
      JSON.stringify({
        sources: [
          {
            name: 'exchange',
            kind: 'betfair',
            host: '127.0.0.1',
            port: exchange.port,
            appKey: '$KEY',
            session: '$SESSION',
            caFile: certificate!.file,
            catalogueUrl: null,
            heartbeatSeconds: 5,
          },
        ],
      }),
    )
    assert('sources' in file, JSON.stringify(file))
    const { plans, faults } = plansOf(file, {
      path: '/feeds.json',
      secretOf: (name) => (name === 'KEY' ? APP_KEY : SESSION),
      sourceModeOf: () => undefined,
      limits: { pricesMax: 1_000, textLengthMax: 200, lineBytesMax: 1e6, documentBytesMax: 1e6 } as never,
      skewMsMax: SKEW_MS_MAX,
    })
    assert.deepEqual(faults, [])
    for (const plan of plans) this.supervisor.start(plan)
  }

  /** The statuses on the board. */
  statuses(): string[] {
    const { quotes } = this.engine.board
    return [1, 2, 3].map((slot) => ['free', 'open', 'suspended', 'closed'][shownOf(quotes.statusOf(slot))]!)
  }

  /** Resolves when it is so; time passes meanwhile only where `beatMs` says so. */
  async until(isSo: () => boolean, beatMs = 0, skewMs = 0): Promise<void> {
    while (!isSo()) {
      this.nowAt += beatMs
      if (beatMs > 0) this.exchange.heartbeat({ pt: this.nowAt + skewMs })
      while (!this.turns.run());
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  send(pt: number, status: string): void {
    const mc = [{ id: '1.1', marketDefinition: definition(status)! }]
    this.exchange.newest!.send({ op: 'mcm', id: 2, clk: `at-${pt}`, pt, mc })
  }

  areAll(status: string): boolean {
    return this.statuses().every((one) => one === status)
  }
}

test('a suspension of an older time suspends, and what comes after it does not open it', { skip }, async () => {
  const desk = await Desk.open()
  await desk.until(() => desk.areAll('open'))
  desk.send(T0 - 2_000, 'SUSPENDED')
  await desk.until(() => desk.areAll('suspended'))
  desk.send(T0 - 1_000, 'OPEN')
  await desk.until(() => desk.areAll('open'))
})

test('a suspension from a clock that is ahead suspends; what stands is back when the clock is right', {
  skip,
}, async () => {
  const desk = await Desk.open()
  await desk.until(() => desk.areAll('open'))
  desk.nowAt += 1_000
  desk.send(desk.nowAt + 6_000, 'SUSPENDED')
  await desk.until(() => desk.areAll('suspended'))
  desk.send(desk.nowAt + 6_001, 'OPEN')
  await desk.until(() => desk.supervisor.statuses()[0]!.refused === 2)
  assert(desk.areAll('suspended'), 'a price of a clock that cannot be believed is not on offer')
  // Right again, the exchange's clock is behind the time of ours at which the board was suspended.
  desk.nowAt += 100
  await desk.until(() => desk.areAll('open') && desk.supervisor.statuses()[0]!.problem === null, 100, -3_000)
})

test('what was suspended because the exchange was away is back with it, also where nothing has changed', {
  skip,
}, async () => {
  let isAway = false
  const desk = await Desk.open({
    script: (request, client) => {
      if (request.op !== 'authentication' || !isAway) return false
      client.socket.destroy()
      return true
    },
  })
  await desk.until(() => desk.areAll('open'))
  isAway = true
  desk.exchange.break()
  desk.nowAt += 60_000
  await desk.until(() => desk.areAll('suspended'))
  desk.nowAt += 60_000
  isAway = false
  await desk.until(() => desk.areAll('open') && desk.supervisor.statuses()[0]!.state === 'live', 10)
})
