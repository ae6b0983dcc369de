// What a turn does is compiled when it is first done: of the first iteration of the event loop that aged quotes out, 7 to 13 ms, V8 was
// half the time compiling. So all of it is done once while a start waits 50 ms for the threads that read a large checkpoint.

import type { Input } from '../domain/input.ts'
import { NO_PRODUCER } from '../domain/feed-source.ts'
import type { Observation } from '../domain/observation.ts'
import { FRESHNESS_MS, type QuoteStatus } from '../domain/quote.ts'
import { State } from './state.ts'

const SETTINGS = { quotesMax: 64, eventsMax: 8, labelsMax: 64, bookmakerShare: 1 }

/** Time of a board of its own. */
const BEGAN_AT = Date.UTC(2000, 0, 1)

/** All is due then: it was observed a day before, within {@link STATEMENTS_MS}. */
const DUE_AT = BEGAN_AT + 10_000
const STATEMENTS_MS = 5_000
const DUE_TURNS = 2

const observationOf = (bookmaker: string, observedAt: number, odds: number, status: QuoteStatus): Observation => ({
  bookmaker,
  transport: 'both',
  observedAt,
  event: {
    sport: 'football',
    leagueKey: 'warm_up',
    leagueName: 'Warm up',
    home: 'Warm Home',
    away: 'Warm Away',
    kickoffAt: BEGAN_AT,
    sourceKey: `${bookmaker}:1`,
  },
  prices: (['home', 'draw', 'away'] as const).map((outcome) => ({
    ...{ type: 'match_result_1x2', line: null, outcome, odds, status },
  })),
  others: 'keep',
})

/** Two bookmakers quote an event, change their prices, and age out, on a board that is thrown away. */
export const warmUp = (): State => {
  const state = new State(SETTINGS, BEGAN_AT)
  const observe = (afterMs: number, odds: number, status: QuoteStatus): void => {
    const observedAt = DUE_AT - FRESHNESS_MS - STATEMENTS_MS + afterMs
    const inputs = ['warm_one', 'warm_two'].map((bookmaker): Input => {
      const observation = observationOf(bookmaker, observedAt, odds, status)
      return { kind: 'observe', producer: NO_PRODUCER, observation, doubt: undefined }
    })
    state.apply({ at: BEGAN_AT + afterMs, inputs })
  }
  observe(0, 2.5, 'open')
  observe(1_000, 2.6, 'suspended')
  observe(2_000, 2.7, 'open')
  for (let turn = 1; turn <= DUE_TURNS; turn++) state.apply({ at: DUE_AT + turn * 1_000, inputs: [] })
  return state
}
