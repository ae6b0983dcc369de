// Each poller after its source was down: what the board has suspended opens again, though the source has nothing new to say.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { elapsedMs, now } from '../../../src/clock.ts'
import { shownOf } from '../../../src/board/status.ts'
import { QUOTE_STATUS } from '../../../src/domain/quote.ts'
import { Engine } from '../../../src/engine/engine.ts'
import type { Connector, ConnectorContext } from '../../../src/source/kit/connector.ts'
import { KambiPoller } from '../../../src/source/kambi/kambi-poller.ts'
import { PinnaclePoller } from '../../../src/source/pinnacle/pinnacle-poller.ts'
import { TheOddsApiPoller } from '../../../src/source/the-odds-api/the-odds-api-poller.ts'
import { superviseOn } from '../../fed-engine.ts'
import { changed, DIRECT, QUICK, say, ScriptedSource, until } from './scripted-source.ts'

const START = `${new Date(now() + 3_600_000).toISOString().slice(0, 19)}Z`

const COMMON = {
  access: DIRECT,
  limits: QUICK,
  bookmaker: 'northbet',
  transport: null,
  payload: { pricesMax: 1_000, textLengthMax: 200 },
}

const EVENT = {
  id: 1,
  homeName: 'Harbour',
  awayName: 'Kestrel',
  start: START,
  path: [{ termKey: 'football' }, { termKey: 'northland' }],
}

const OFFER = {
  id: 10,
  eventId: 1,
  criterion: { id: 1001159858 },
  outcomes: [
    { type: 'OT_ONE', odds: 2_000, status: 'OPEN' },
    { type: 'OT_TWO', odds: 3_000, status: 'OPEN' },
  ],
}

const kambi = { ...COMMON, operator: 'nbuk', eventsMax: 9, horizonMs: 86_400_000, afterKickoffMs: 86_400_000 }

/** What starts a poller, and what its source says: names or lists first. */
const POLLERS: Readonly<
  Record<
    string,
    {
      readonly connect: (baseUrl: string, context: ConnectorContext) => Connector
      readonly bodies: readonly (readonly [path: RegExp, body: object])[]
    }
  >
> = {
  'kambi, events': {
    connect: (baseUrl, context) =>
      new KambiPoller(
        {
          ...kambi,
          baseUrl,
          lists: [{ path: 'list.json', intervalMs: 20 }],
          event: { path: 'event/{id}.json', intervalMs: 5, liveIntervalMs: 5 },
          pages: [],
        },
        context,
      ),
    bodies: [
      [/list/, { events: [EVENT] }],
      [/event/, { betOffers: [OFFER], events: [EVENT] }],
    ],
  },
  'kambi, pages': {
    connect: (baseUrl, context) =>
      new KambiPoller(
        {
          ...kambi,
          baseUrl,
          lists: [],
          event: null,
          pages: [{ path: 'page.json?start={start}', size: 10, pagesMax: 1, intervalMs: 5 }],
        },
        context,
      ),
    bodies: [[/page/, { betOffers: [OFFER], events: [EVENT] }]],
  },
  pinnacle: {
    connect: (baseUrl, context) =>
      new PinnaclePoller(
        {
          ...COMMON,
          baseUrl,
          groups: [{ name: 'north', matchups: 'matchups', straight: 'straight', isComplete: true }],
          matchupsIntervalMs: 20,
          straightIntervalMs: 5,
        },
        context,
      ),
    bodies: [
      [
        /matchups/,
        [
          {
            id: 501,
            type: 'matchup',
            units: 'Regular',
            startTime: START,
            league: { id: 77, name: 'Northland - First Division', sport: { id: 29, name: 'Soccer' } },
            participants: [
              { alignment: 'home', name: 'Harbour' },
              { alignment: 'away', name: 'Kestrel' },
            ],
            periods: [{ period: 0, status: 'open' }],
          },
        ],
      ],
      [
        /straight/,
        [
          {
            matchupId: 501,
            key: 's;0;ou;2.5',
            type: 'total',
            period: 0,
            cutoffAt: START,
            prices: [
              { designation: 'over', points: 2.5, price: -110 },
              { designation: 'under', points: 2.5, price: 102 },
            ],
          },
        ],
      ],
    ],
  },
  'the-odds-api': {
    connect: (baseUrl, context) =>
      new TheOddsApiPoller(
        {
          ...COMMON,
          baseUrl,
          apiKey: 'key',
          sports: [{ key: 'soccer_epl', intervalMs: 5, priority: 1 }],
          markets: ['h2h'],
          regions: ['uk'],
          bookmakers: [],
          credits: { perMonth: null, reserve: 0, resetDay: 1 },
          creditsIntervalMs: 1_000,
        },
        context,
      ),
    bodies: [
      [
        /odds/,
        [
          {
            id: 'a1',
            sport_key: 'soccer_epl',
            sport_title: 'EPL',
            commence_time: START,
            home_team: 'Harbour',
            away_team: 'Kestrel',
            bookmakers: [
              {
                key: 'northbet',
                title: 'Northbet',
                last_update: `${new Date(now() - 60_000).toISOString().slice(0, 19)}Z`,
                markets: [
                  {
                    key: 'h2h',
                    outcomes: [
                      { name: 'Harbour', price: 2 },
                      { name: 'Kestrel', price: 3 },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      ],
      [/sports/, []],
    ],
  },
}

for (const [name, { connect, bodies }] of Object.entries(POLLERS)) {
  test(`${name}: what was suspended while the source was down opens again on word that nothing is new`, async (context) => {
    let isUp = true
    const source = await new ScriptedSource(({ url, headers }, response) => {
      const [, body] = bodies.find(([path]) => path.test(url))!
      if (!isUp) say(response, '', {}, 500)
      else if (headers['if-none-match'] !== undefined) response.writeHead(304).end()
      else say(response, JSON.stringify(body), { etag: '"1"' })
    }).start()
    const engine = new Engine(
      {
        quotesMax: 100,
        skewMsMax: 5_000,
        bookmakersMax: 10,
        wheelVisitsMax: 100,
      },
      now(),
    )
    const { supervisor, turns } = superviseOn(engine, {
      now,
      elapsedMs,
      chance: () => 0.5,
      isCovered: () => true,
      sourcesMax: 100,
      log: () => {},
    })
    const timer = setInterval(() => {
      while (!turns.run());
      changed()
    }, 5)
    context.after(async () => {
      await supervisor.stop(10_000)
      clearInterval(timer)
      await source.stop()
    })
    supervisor.start({
      terms: { name, lateMs: 100, downMs: 200, suspendMs: 0, behindMsMax: Number.POSITIVE_INFINITY },
      kind: 'polled',
      budget: { pricesPerSecond: 1e6, pricesBurst: 1e6 },
      bookmakers: [],
      never: null,
      input: null,
      connect: (given) => connect(`${source.origin}/`, given),
    })
    const statuses = (): string => {
      const { quotes, catalogue } = engine.board
      const all: number[] = []
      for (let book = 1; book <= catalogue['booksUsed']; book++) {
        if (!catalogue.isBook(book)) continue
        for (let slot = catalogue.books.head[book]!; slot !== 0; slot = quotes.nextOf(slot)) {
          all.push(shownOf(quotes.statusOf(slot)))
        }
      }
      return all.join()
    }
    const [OPEN, SUSPENDED] = [QUOTE_STATUS.open, QUOTE_STATUS.suspended].map((status) => `${status},${status}`)
    await until(() => statuses() === OPEN, 'prices')
    const asked = source.seen.length
    await until(() => source.seen.length >= asked + 5, 'word that nothing is new')
    isUp = false
    await until(() => statuses() === SUSPENDED, 'the suspension')
    isUp = true
    await until(() => statuses() === OPEN, 'the return')
    assert.equal(supervisor.statuses()[0]!.refused, 0)
  })
}
