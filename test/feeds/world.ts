// The world of the test of seven sources: local servers that replay the recordings, a real RabbitMQ, and the real service with
// a configuration of all of them. One for the process.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as clock from '../../src/clock.ts'
import { certificate, type Change, Exchange } from '../source/betfair/exchange.ts'
import { TOKEN } from '../source/uof/feed-stand-in.ts'
import { Publisher } from '../source/stomp/world.ts'
import { type Rabbit, startRabbit } from '../rabbitmq.ts'
import { done, newFolder, type RunningService, startService, writeCoverage } from '../service.ts'
import type { Expected } from './payloads.ts'
import { type Replays, replaysAsOf } from './recordings.ts'
import { betfairChanges, UOF_EVENTS, uofMessages } from './replay-push.ts'
import { Site } from './site.ts'
import { UOF_PRODUCTS, UofFeed } from './uof-feed.ts'

export const SLUGS = {
  kambi: 'kambi_book',
  pinnacle: 'pinnacle_book',
  betfair: 'exchange_book',
  uof: 'sportradar',
  txline: 'txline',
  upstream: 'upstream_book',
  flood: 'flood_book',
} as const

/** Silence after which a source is late and down, s. */
const [LATE, DOWN] = [3, 6]

const HEARTBEAT_MS = 500

/** Messages of the exchange's day before the first break: the market is open until the 2,904th. */
const PLAYED = 2_000
export const PLAYED_PER_BREAK = 100

export const FLOOD = { rounds: 6, lines: 500, perSecond: 400 }

export const folder = newFolder()
export let service: RunningService
export let key = ''
export let replays: Replays
let rabbit: Rabbit
let uofFeed: UofFeed
let publisher: Publisher
export let exchange: Exchange
let isExchangeUnsure = false
let heartbeats: NodeJS.Timeout
const changes: { pt: number; readonly mc: Change['mc'] }[] = []
export const theOddsSite = new Site({
  'x-requests-remaining': '1000000000',
  'x-requests-used': '0',
  'x-requests-last': '4',
})
export const kambiSite = new Site()
export const pinnacleSite = new Site()

// --- what is to be expected

/** Books that several sources feed, and those of which each quote is told beforehand. */
export const expectedQuotes = (): Expected[] => [
  ...replays.theOddsApi.expected,
  ...replays.footballData.flatMap(({ expected }) => expected),
  ...replays.kambi.expected,
  ...replays.pinnacle.expected,
  ...replays.txline.expected,
  ...bestBacks(),
  ...UPSTREAM_PRICES.map(([outcome, odds]): Expected => {
    const quote = { type: 'match_result_1x2', line: null, outcome, odds }
    return { key: UPSTREAM_KEY, bookmaker: SLUGS.upstream, ...quote, at: 0 }
  }),
]

/** By the ladders of the exchange: the highest price that is left. */
export const bestBacks = (): Expected[] => {
  const [market] = (exchange.image() as unknown as { readonly mc: Change['mc'] }).mc
  const { eventId, runners } = market!.marketDefinition as {
    readonly eventId: string
    readonly runners: readonly { readonly id: number; readonly name: string }[]
  }
  return market!.rc!.map(({ id, atb }) => ({
    key: `betfair:${eventId}`,
    bookmaker: SLUGS.betfair,
    type: 'match_winner',
    line: null,
    // "Cleveland Cavaliers @ Minnesota Timberwolves"
    outcome: runners.find((runner) => runner.id === id)!.name.startsWith('Cleveland') ? 'away' : 'home',
    odds: Math.max(...atb!.map(([price]) => price)),
    at: 0,
  }))
}

const UPSTREAM_KEY = `${SLUGS.upstream}:1`
export const UPSTREAM_PRICES = [
  ['home', 2.4],
  ['draw', 3.3],
  ['away', 3.05],
] as const

const upstreamMessage = (): string => {
  const nowAt = clock.now()
  const league = { key: 'testland_first', name: 'First of Testland' }
  return JSON.stringify({
    ...{ bookmaker: SLUGS.upstream, transport: 'both', observedAt: new Date(nowAt).toISOString() },
    event: {
      ...{ sport: 'football', league, home: 'Quarry Wanderers', away: 'Lighthouse Town' },
      ...{ kickoffAt: new Date(nowAt - (nowAt % 3_600_000) + 7_200_000).toISOString(), sourceId: '1' },
    },
    quotes: UPSTREAM_PRICES.map(([outcome, odds]) => ({ type: 'match_result_1x2', outcome, odds, status: 'open' })),
  })
}

const floodFile = (): string => {
  const lines: string[] = []
  const startAt = clock.now() - 60_000
  const league = { key: 'floodland', name: 'Floodland' }
  const event = {
    ...{ sport: 'football', league, home: 'Rapids Athletic', away: 'Weir Albion' },
    ...{ kickoffAt: new Date(startAt + 7_200_000).toISOString(), sourceId: '1' },
  }
  for (let round = 0; round < FLOOD.rounds; round++) {
    for (let from = 0; from < FLOOD.lines; from += 10) {
      const quotes = Array.from({ length: 10 }, (_, place) => from + place + 0.5).flatMap((line) =>
        ['over', 'under'].map((outcome) => ({
          ...{ type: 'total_goals', line, outcome, odds: 2 + round / 100, status: 'open' },
        })),
      )
      const observedAt = new Date(startAt + round * 1_000).toISOString()
      lines.push(JSON.stringify({ bookmaker: SLUGS.flood, transport: 'both', observedAt, event, quotes }))
    }
  }
  return lines.join('\n')
}

// --- the world

const timing = { lateSeconds: LATE, downSeconds: DOWN }

const config = (): object => ({
  sources: [
    {
      ...{ name: 'odds-api', kind: 'the-odds-api', baseUrl: `${theOddsSite.origin}/`, apiKey: '$SEVEN_ODDS_KEY' },
      ...{ transport: 'both', requestsPerSecond: 1_000, markets: ['h2h', 'spreads', 'totals', 'outrights'] },
      sports: [...replays.theOddsApi.bodies.keys()].map((sport) => ({ key: sport, intervalSeconds: 10 })),
      ...timing,
    },
    {
      ...{ name: 'kambi', kind: 'kambi', baseUrl: `${kambiSite.origin}/offering/v2018/`, operator: 'op' },
      ...{ bookmaker: SLUGS.kambi, transport: 'both', requestsPerSecond: 1_000 },
      lists: [{ path: '{operator}/listView/football.json', intervalSeconds: 5 }],
      event: { path: '{operator}/betoffer/event/{id}.json', intervalSeconds: 1, liveIntervalSeconds: 1 },
      pages: [
        {
          path: '{operator}/betoffer/group/1.json?type=2&range_start={start}&range_size={size}',
          ...{ size: 2_000, pagesMax: 5, intervalSeconds: 1 },
        },
      ],
      ...timing,
    },
    {
      ...{ name: 'pinnacle', kind: 'pinnacle', baseUrl: `${pinnacleSite.origin}/0.1/`, bookmaker: SLUGS.pinnacle },
      ...{ transport: 'both', requestsPerSecond: 1_000, straightIntervalSeconds: 1, matchupsIntervalSeconds: 5 },
      groups: [{ name: 'football', matchups: 'sports/29/matchups', straight: 'sports/29/markets/straight' }],
      // A moment after Kambi: what both have at once is nearly all that may wait for a session.
      ...{ lateSeconds: LATE, downSeconds: DOWN + 1 },
    },
    {
      ...{ name: 'betfair', kind: 'betfair', host: '127.0.0.1', port: exchange.port, bookmaker: SLUGS.betfair },
      ...{ appKey: '$SEVEN_APP_KEY', session: '$SEVEN_SESSION', caFile: certificate!.file, catalogueUrl: null },
      ...{ transport: 'both', heartbeatSeconds: 2, ...timing },
    },
    {
      ...{ name: 'uof', kind: 'uof', amqpUrl: '$SEVEN_AMQP_URL', apiUrl: uofFeed.standIn.apiUrl },
      ...{ apiToken: '$SEVEN_UOF_TOKEN', products: UOF_PRODUCTS, aliveSeconds: 4, transport: 'both', ...timing },
    },
    ...replays.footballData.map(({ season }) => ({
      ...{ name: `football-data-${season.toLowerCase()}`, kind: 'file', path: `${season}.csv` },
      ...{ format: 'football-data', transport: 'both' },
    })),
    {
      ...{ name: 'txline', kind: 'file', path: 'txline.json', format: 'txline', fixtures: 'fixtures.json' },
      ...{ transport: 'both', bookmaker: SLUGS.txline },
    },
    {
      ...{ name: 'upstream', kind: 'stomp', addresses: [`stomp://127.0.0.1:${rabbit.stompPort}`], login: 'guest' },
      ...{ passcode: '$SEVEN_PASSCODE', vhost: '/', destinations: ['/queue/odds'], heartbeatSeconds: 1, ...timing },
    },
    {
      ...{ name: 'flood', kind: 'file', path: 'flood.jsonl', format: 'observations' },
      ...{ pricesPerSecond: FLOOD.perSecond, pricesBurst: FLOOD.perSecond },
    },
  ],
})

export const secrets = (): Record<string, string> => ({
  SEVEN_ODDS_KEY: 'odds-key',
  SEVEN_APP_KEY: 'app-key',
  SEVEN_SESSION: 'session-token',
  SEVEN_AMQP_URL: rabbit.amqpUrl,
  SEVEN_UOF_TOKEN: TOKEN,
  SEVEN_PASSCODE: 'guest',
})

/** Plays on: what the exchange says now is published now. */
export const play = (count: number): void => {
  for (const change of changes.slice(exchange.played, exchange.played + count)) change.pt = clock.now()
  exchange.play(count)
}

export const UNSEEN_BACK = 990

export const isUnseenBack = ([name, { odds }]: readonly [string, { readonly odds: number }]): boolean =>
  name.split(' ')[1] === SLUGS.betfair && odds === UNSEEN_BACK

/** A change that comes with the word that it may be old. */
export const sayUnsure = (level: readonly [price: number, size: number]): void => {
  const [market] = (exchange.image() as unknown as { readonly mc: Change['mc'] }).mc
  const rc = market!.rc!.slice(0, 1).map(({ id }) => ({ id, atb: [level] }))
  exchange.heartbeat({ ct: undefined, pt: clock.now(), status: 503, mc: [{ id: market!.id, rc }] })
}

const startServers = async (): Promise<void> => {
  await Promise.all([theOddsSite.start(), kambiSite.start(), pinnacleSite.start()])
  theOddsSite.put('/v4/sports', '[]')
  for (const [sport, body] of replays.theOddsApi.bodies) theOddsSite.put(`/v4/sports/${sport}/odds`, body)
  const { page, emptyPage, list, event, eventId } = replays.kambi
  kambiSite.put('/offering/v2018/op/betoffer/group/1.json', emptyPage)
  kambiSite.put('/offering/v2018/op/betoffer/group/1.json?type=2&range_start=0&range_size=2000', page)
  kambiSite.put('/offering/v2018/op/listView/football.json', list)
  kambiSite.put(`/offering/v2018/op/betoffer/event/${eventId}.json`, event)
  pinnacleSite.put('/0.1/sports/29/matchups', replays.pinnacle.matchups)
  pinnacleSite.put('/0.1/sports/29/markets/straight', replays.pinnacle.straight)

  changes.push(...betfairChanges(clock.now() + 5 * 3_600_000))
  exchange = await Exchange.listen({ changes })
  play(PLAYED)
  heartbeats = setInterval(
    () => exchange.heartbeat({ pt: clock.now(), ...(isExchangeUnsure ? { status: 503 } : {}) }),
    HEARTBEAT_MS,
  )
  uofFeed = await UofFeed.start(rabbit, () => uofMessages(clock.now()))
  // The recorded matches are far in the past: they get the names of two that The Odds API has.
  const free = replays.theOddsApi.matches.filter(({ kickoffAt }) => kickoffAt > clock.now() + 3_600_000)
  for (const [place, id] of Object.values(UOF_EVENTS).entries()) {
    const { home, away, kickoffAt } = free[place]!
    uofFeed.name(id, home, away, kickoffAt)
  }
  publisher = await Publisher.open(rabbit.stompPort)
}

const writeFiles = (): void => {
  for (const { season, text } of replays.footballData) writeFileSync(join(folder.path, `${season}.csv`), text)
  writeFileSync(join(folder.path, 'txline.json'), replays.txline.text)
  writeFileSync(join(folder.path, 'fixtures.json'), replays.txline.fixtures)
  writeFileSync(join(folder.path, 'flood.jsonl'), floodFile())
  writeFileSync(join(folder.path, 'oddswire.feeds.json'), JSON.stringify(config()))
}

/** Starts the broker, all servers, and the service that is fed by them. */
export const startWorld = async (): Promise<void> => {
  rabbit = await startRabbit({ stomp: true })
  replays = replaysAsOf(clock.now(), SLUGS)
  await startServers()
  writeFiles()
  Object.assign(process.env, secrets())
  const slugs = new Set([...expectedQuotes().map(({ bookmaker }) => bookmaker), ...Object.values(SLUGS)])
  const coverage = writeCoverage(
    folder.path,
    Array.from(slugs, (slug) => [slug, 'verified_rest_live', true, true] as const),
  )
  done(folder.path, 'org', 'create', 'desk', '--plan', 'desk')
  key = done(folder.path, 'key', 'create', '--org', 'desk')
  const feeds = join(folder.path, 'oddswire.feeds.json')
  // Tests look on while the board is filled.
  const flags = ['--coverage', coverage, '--feeds', feeds, '--log-level', 'warn', '--ready-after', '0']
  service = await startService(folder.path, ...flags)
  await publisher.publish('/queue/odds', upstreamMessage())
}

export const stopWorld = async (): Promise<void> => {
  clearInterval(heartbeats)
  await service?.stop()
  publisher?.close()
  await uofFeed?.stop()
  await Promise.all([exchange?.close(), theOddsSite.stop(), kambiSite.stop(), pinnacleSite.stop()])
  await rabbit?.stop()
  for (const name of Object.keys(secrets())) delete process.env[name]
}

/** The line dies in the middle of the next change. */
export const breakExchangeMidLine = (): void => {
  changes[exchange.played]!.pt = clock.now()
  exchange.breakMidLine()
}

/** Whether the exchange says with each heart-beat that its prices may be old. */
export const beUnsure = (isUnsure: boolean): void => {
  isExchangeUnsure = isUnsure
}

export const killBroker = async (): Promise<void> => {
  uofFeed.isGone()
  await rabbit.kill9()
}

/** The broker comes back, and with it those who publish to it. */
export const restartBroker = async (): Promise<void> => {
  await rabbit.restart()
  publisher.close()
  publisher = await Publisher.open(rabbit.stompPort)
  await uofFeed.isBack()
}

export const publishUpstream = (): Promise<void> => publisher.publish('/queue/odds', upstreamMessage())
