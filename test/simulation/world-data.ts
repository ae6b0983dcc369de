// The small world of a run: bookmakers, events that no rule takes for each other, sources, and what they report.

import type { Input } from '../../src/domain/input.ts'
import type { MarketType } from '../../src/domain/market.ts'
import type { EventSighting, Observation, Others, Price } from '../../src/domain/observation.ts'
import type { Doubt, QuoteStatus } from '../../src/domain/quote.ts'
import type { Sport } from '../../src/domain/sport.ts'
import type { FedTransport } from '../../src/domain/transport.ts'
import type { Random } from '../random.ts'
import { SIM_START } from './time.ts'

export const BOOKS: readonly string[] = Array.from({ length: 10 }, (_, n) => `book_${n}`)
export const SOURCES = ['alpha', 'beta', 'gamma'] as const
export const SPORTS: readonly Sport[] = ['football', 'tennis', 'golf']
const SIDES = [
  ['Harbour Town', 'Millbrook'],
  ['Quillon', 'Ostrava Petrol'],
  ['Zephyr', 'Lakewood'],
  ['Kestrel', 'Dunmore'],
  ['Vantaa', 'Brixham'],
  ['Jarrow', 'Pontevedra'],
  ['Umeda', 'Whitby'],
  ['Gdynia', 'Xalapa'],
  ['Thistle', 'Norrland'],
  ['Caldera', 'Eskimo Rovers'],
] as const
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DOUBTS: readonly Doubt[] = ['source_down', 'gap', 'clock']
const MARKETS: readonly [MarketType, (number | null)[], string[]][] = [
  ['match_result_1x2', [null], ['home', 'draw', 'away']],
  ['match_result_1x2', [null], ['home', 'draw', 'away']],
  ['total_goals', [0.5, 2.5], ['over', 'under']],
  ['spread', [-1.5, 0.25], ['home', 'away']],
  ['correct_score', [null], ['0-0', '1-0', '10-2', 'other']],
]

export const LEAGUES = ['league_0', 'league_1', 'league_2'] as const

/** The n-th event, as a source names it; null: one that gives no ids. */
export const sightingOf = (n: number, source: string | null, leagueName = `League ${n % 3}`): EventSighting => ({
  sport: SPORTS[n % SPORTS.length]!,
  leagueKey: LEAGUES[n % 3]!,
  leagueName,
  home: SIDES[n]![0],
  away: SIDES[n]![1],
  kickoffAt: SIM_START + n * 30 * HOUR_MS,
  sourceKey: source === null ? null : `${source}:${n}`,
})

const randomPrice = (random: Random): Price => {
  const [type, lines, outcomes] = random.pick(MARKETS)
  const status = random.chance(0.85) ? 'open' : random.pick<QuoteStatus>(['suspended', 'closed', 'open'])
  const hasOdds = status === 'open' || random.chance(0.6)
  return {
    type,
    line: random.pick(lines),
    outcome: random.pick(outcomes),
    odds: hasOdds ? 1 + random.int(1, 400) / 100 : null,
    status,
  }
}

const lagOf = (random: Random): number => {
  const kind = random.int(0, 99)
  if (kind < 70) return random.int(0, 1_000)
  if (kind < 82) return random.int(0, 60_000)
  if (kind < 88) return random.int(0, DAY_MS)
  // It ages out while the run lasts.
  if (kind < 95) return DAY_MS - random.int(0, 600_000)
  return kind < 98 ? random.int(-8_000, 0) : random.int(DAY_MS, DAY_MS + 60_000)
}

/** What sources have reported lately: some of it comes again, or comes late. */
export class Reports {
  private readonly recent: Observation[] = []

  observation(random: Random, nowAt: number, source: string | null): Observation {
    const again = this.recent.filter(({ event: { sourceKey } }) => (sourceKey?.split(':')[0] ?? null) === source)
    if (again.length > 0 && random.chance(0.15)) return random.pick(again)
    const n = random.int(0, SIDES.length - 1)
    const seen = again.filter(({ event }) => event.home === SIDES[n]![0])
    const before = seen.length > 0 && random.chance(0.6) ? random.pick(seen) : undefined
    const prices = new Map<string, Price>()
    for (let count = random.int(0, 5); count > 0; count--) {
      const price = randomPrice(random)
      prices.set(`${price.type} ${price.line} ${price.outcome}`, price)
    }
    for (const price of before?.prices ?? []) {
      if (random.chance(0.4)) continue
      const odds = random.chance(0.8) ? 1 + random.int(1, 400) / 100 : price.odds
      prices.set(`${price.type} ${price.line} ${price.outcome}`, {
        ...price,
        odds: price.status === 'open' ? (odds ?? 2) : odds,
      })
    }
    const others: Others = random.chance(0.85) ? 'keep' : random.pick(['suspended', 'closed'])
    const observation: Observation = {
      bookmaker: before?.bookmaker ?? this.bookOf(random, source),
      transport: before?.transport ?? random.pick<FedTransport>(['rest', 'live', 'both', 'live']),
      observedAt: nowAt - lagOf(random),
      event: sightingOf(n, source),
      prices: [...prices.values()],
      others,
    }
    this.recent.push(observation)
    if (this.recent.length > 60) this.recent.splice(random.int(0, 30), 1)
    return observation
  }

  /** Most bookmakers have one source; some have several. */
  private bookOf(random: Random, source: string | null): string {
    const place = source === null ? 3 : SOURCES.indexOf(source as never)
    return random.chance(0.15) ? random.pick(BOOKS) : BOOKS[(place * 3 + random.int(0, 2)) % BOOKS.length]!
  }

  /** An input of a source. */
  input(random: Random, nowAt: number): Input {
    const source = random.pick(SOURCES)
    const producer = random.chance(0.2) ? source : `${source} part ${random.int(0, 11)}`
    const kind = random.int(0, 99)
    if (kind < 80) {
      return { kind: 'observe', observation: this.observation(random, nowAt, source), producer, doubt: undefined }
    }
    if (kind < 86) return { kind: 'suspect', producer, doubt: random.pick(DOUBTS) }
    if (kind < 93) return { kind: 'confirm', producer, at: nowAt - random.int(-7_000, 8_000) }
    if (kind < 96) return { kind: 'end', producer, at: nowAt - random.int(0, 9_000) }
    if (kind < 98) {
      return { kind: 'leave', producer, doubt: random.chance(0.5) ? random.pick(DOUBTS) : undefined }
    }
    const health = { state: random.pick(['live', 'late', 'down'] as const), since: nowAt, behindMs: random.int(0, 9) }
    return { kind: 'health', health: { bookmaker: random.pick(BOOKS), ...health } }
  }
}
