// Random observations over a small world, so that everything happens often: same quotes, late and early times, events
// that are renamed, transports, bet stops, complete batches.

import type { MarketType } from '../src/domain/market.ts'
import type { EventSighting, Observation, Others, Price } from '../src/domain/observation.ts'
import type { QuoteStatus } from '../src/domain/quote.ts'
import type { Sport } from '../src/domain/sport.ts'
import type { FedTransport } from '../src/domain/transport.ts'
import type { Random } from './random.ts'
import { sameSighting } from './same-sighting.ts'

const MARKETS: readonly [MarketType, (number | null)[], string[]][] = [
  ['match_result_1x2', [null], ['home', 'draw', 'away']],
  ['total_goals', [0.5, 2.5, 3], ['over', 'under']],
  ['spread', [-1.5, -0, 0.25], ['home', 'away']],
  ['correct_score', [null], ['0-0', '1-0', '10-2', '2-10', 'other']],
  ['outright', [null], ['zoe', 'ärger "quoted"', 'alpha', 'no_goal']],
]

const SPORTS: readonly Sport[] = ['football', 'tennis', 'golf']
const HOUR_MS = 3_600_000
export const WORLD_START = 1_790_000_000_000

export const randomSighting = (random: Random): EventSighting => {
  const n = random.int(0, 14)
  const sport = SPORTS[n % SPORTS.length]!
  // A source that knows the event by id may rename and reschedule it; without an id the same names are the same event.
  const hasKey = n % 2 === 0
  const variant = hasKey && random.chance(0.05) ? random.int(1, 3) : 0
  const sighting: EventSighting = {
    sport,
    leagueKey: `league_${n % 4}${variant === 1 ? '_x' : ''}`,
    leagueName: `League ${n % 4}`,
    home: `Home ${n}`,
    away: variant === 2 ? `Away ${n} FC` : `Away ${n}`,
    kickoffAt: WORLD_START + (n % 5) * HOUR_MS + (variant === 3 ? 60_000 : 0),
    sourceKey: hasKey ? `source:${n}${random.chance(0.2) ? ':other' : ''}` : null,
  }
  return n % 4 === 2 ? sighting : sameSighting(sighting)
}

const randomPrice = (random: Random): Price => {
  const [type, lines, outcomes] = random.pick(MARKETS)
  const status = random.chance(0.8) ? 'open' : random.pick<QuoteStatus>(['suspended', 'closed', 'open'])
  return {
    type,
    line: random.pick(lines),
    outcome: random.pick(outcomes),
    odds: status !== 'open' && random.chance(0.4) ? null : 1 + random.int(1, 400) / (random.chance(0.1) ? 300 : 100),
    status,
  }
}

export const randomObservation = (random: Random, nowAt: number): Observation => {
  const lag = random.chance(0.7)
    ? random.int(0, 2_000)
    : random.chance(0.8)
      ? random.int(0, 24 * HOUR_MS)
      : random.int(-6_000, 26 * HOUR_MS)
  const others: Others = random.chance(0.85) ? 'keep' : random.pick(['suspended', 'closed'])
  return {
    bookmaker: `book_${random.int(0, 39)}`,
    transport: random.pick<FedTransport>(['rest', 'live', 'both']),
    observedAt: nowAt - lag,
    event: randomSighting(random),
    prices: Array.from({ length: random.int(0, 6) }, () => randomPrice(random)),
    others,
  }
}
