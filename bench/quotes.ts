// Quotes for benches: the same sequence for the same seed.

import type { Observation, Price } from '../src/domain/observation.ts'
import type { Transport } from '../src/domain/transport.ts'
import type { SeededRandom } from '../src/source/simulator/random.ts'

/** Seven markets of two and three outcomes: fifteen quotes of one book. */
const MARKETS: readonly [type: Price['type'], line: number | null, outcomes: readonly string[]][] = [
  ['match_result_1x2', null, ['home', 'draw', 'away']],
  ['total_goals', 1.5, ['over', 'under']],
  ['total_goals', 2.5, ['over', 'under']],
  ['total_goals', 3.5, ['over', 'under']],
  ['btts', null, ['yes', 'no']],
  ['spread', -0.5, ['home', 'away']],
  ['odd_even', null, ['odd', 'even']],
]

/** Quotes of one book of {@link observationOf}. */
export const QUOTES_PER_BOOK = MARKETS.reduce((count, [, , outcomes]) => count + outcomes.length, 0)

/** What bookmaker `bookmaker` says of event `event`: {@link QUOTES_PER_BOOK} prices, moved by `random`. */
export const observationOf = (
  event: number,
  bookmaker: number,
  observedAt: number,
  transport: Transport,
  random: SeededRandom,
): Observation => ({
  bookmaker: `book_${bookmaker}`,
  transport,
  observedAt,
  event: {
    sport: 'football',
    leagueKey: `league_${event % 100}`,
    leagueName: `League ${event % 100}`,
    home: `Home ${event}`,
    away: `Away ${event}`,
    kickoffAt: observedAt - (observedAt % 60_000) + (event % 10_000) * 60_000,
    sourceKey: `bench:${event}`,
  },
  prices: MARKETS.flatMap(([type, line, outcomes]) =>
    outcomes.map((outcome) => ({
      type,
      line,
      outcome,
      odds: 1 + Math.round(1 + random.next() * 900) / 100,
      status: 'open' as const,
    })),
  ),
  others: 'keep',
})
