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

const SYLLABLES = 'ba ro ki ve lu dan ster mol gri hav nor sil tam wes zor pel'.split(' ')

const wordOf = (number: number): string => {
  let word = ''
  for (let left = number + 300; left > 0; left = Math.floor(left / SYLLABLES.length)) {
    word += SYLLABLES[left % SYLLABLES.length]
  }
  return word
}

/** The name of a team, one of {@link TEAMS}: in two words that other teams have, too. */
export const teamOf = (number: number): string => `${wordOf(number % 4_000)} ${wordOf(number % 7_001)} FC`

export const TEAMS = 40_000

const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS

/**
 * {@link observationOf} with names of teams, so that events have to be compared; a third is named by two sources. Each team plays
 * at home once in {@link TEAMS} events, against another one each time, a week later: no two events are of the same match.
 */
export const namedObservationOf = (
  event: number,
  bookmaker: number,
  observedAt: number,
  transport: Transport,
  random: SeededRandom,
): Observation => {
  const observation = observationOf(event, bookmaker, observedAt, transport, random)
  const isSecond = event % 3 === 0 && bookmaker === 1
  const home = teamOf((event * 7_919) % TEAMS)
  const round = Math.floor(event / TEAMS)
  const names = {
    home: isSecond ? home.replace(' FC', '') : home,
    away: teamOf((event * 104_729 + 13 + round * 4_999) % TEAMS),
    sourceKey: `${isSecond ? 'second' : 'first'}:${event}`,
    // The same in every run of a day.
    kickoffAt: observedAt - (observedAt % DAY_MS) + DAY_MS + (event % 10_000) * 60_000 + round * WEEK_MS,
  }
  return { ...observation, event: { ...observation.event, ...names } }
}
