// What feeds send is compiled when it first comes, and a SEND cannot be interrupted: of the first one, a hundred quotes, the scanner
// took 7.4 ms, the log's encoder 1.3, its turn 5. So it is done before, in steps between which the sockets are looked at, on
// a board that is thrown away: most take 0.7 to 2 ms, and all 90 in a process where nothing has run. The quotes are new and of
// several forms, as those after a start: with a tenth as many, all of one form, the longest tick was 7.2 ms beside 5.6.
// No start waits for it: it begins when that is ready.

import { NO_PRODUCER } from '../domain/feed-source.ts'
import type { Observation, Price } from '../domain/observation.ts'
import type { Engine } from '../engine/engine.ts'
import { NO_LOG } from '../engine/turns.ts'
import { LIMITS } from '../limits.ts'
import { TurnEncoder } from '../log/turn-encoder.ts'
import { ObservationScanner } from '../source/observations/observation-scanner.ts'
import { parseObservationBytes, wireObservation } from '../source/observations/observations.ts'
import { State } from './state.ts'
import { BEGAN_AT, BOOKMAKERS, WarmChannel } from './warm-up.ts'

const QUOTES = 48
/** Quotes of each SEND, of an event each. The first ones are small: all of their code is compiled. */
const SENDS: readonly number[] = [1, 2, 4, 8, 16, ...Array.from({ length: 60 }, () => QUOTES)]

const [BOOKMAKER] = BOOKMAKERS

const RESULTS = ['home', 'draw', 'away'] as const

/** The quote of a place in a SEND: some without a line, which has another form in memory. */
const priceOf = (place: number, odds: number): Price => {
  const result = RESULTS[place]
  if (result !== undefined) return { type: 'match_result_1x2', line: null, outcome: result, odds, status: 'open' }
  const outcome = place % 2 === 0 ? 'over' : 'under'
  return { type: 'total_goals', line: (place >> 1) + 0.5, outcome, odds, status: 'open' }
}

/** The body of a SEND. */
const bodyOf = (number: number, quotes: number): string => {
  const observation: Observation = {
    bookmaker: BOOKMAKER,
    transport: 'live',
    observedAt: BEGAN_AT + number,
    event: {
      sport: 'football',
      leagueKey: 'warm_up',
      leagueName: 'Warm up',
      home: `Warm Home ${number}`,
      away: `Warm Away ${number}`,
      kickoffAt: BEGAN_AT,
      sourceKey: `${BOOKMAKER}:${number}`,
    },
    prices: Array.from({ length: quotes }, (_, place) => priceOf(place, 2 + number / 100 + place / 100)),
    others: 'keep',
  }
  return JSON.stringify({ ...wireObservation(observation), bookmaker: undefined })
}

/** @returns the engine of the board */
export function* feedSteps(): Generator<undefined, Engine> {
  const state = new State(
    { quotesMax: SENDS.length * QUOTES, eventsMax: SENDS.length, labelsMax: 64, bookmakerShare: 1 },
    BEGAN_AT,
  )
  yield
  const scanner = new ObservationScanner(LIMITS, { eventsMax: 16, headsMax: 256 })
  const encoder = new TurnEncoder()
  const log = {
    ...NO_LOG,
    append: (...[turn, written]: Parameters<typeof NO_LOG.append>): void => {
      encoder.encode(turn)
      written(turn)
    },
  }
  const channel = new WarmChannel(state, log, (body, bookmaker) => scanner.read(body, bookmaker))
  const feed = channel.openFeed()
  // The parts of a SEND by themselves, since together they take longer than a step may.
  const first = Buffer.from(bodyOf(0, 1))
  yield
  parseObservationBytes(first, BOOKMAKER, LIMITS)
  yield
  const observation = scanner.read(first, BOOKMAKER) as Observation
  yield
  encoder.encode({
    at: BEGAN_AT,
    inputs: [{ kind: 'observe', observation, producer: NO_PRODUCER, doubt: undefined }],
  })
  yield
  for (const [number, quotes] of SENDS.entries()) {
    const headers = [
      ['destination', `/feed/${BOOKMAKER}`],
      ['receipt', String(number)],
    ] as const
    feed.send('SEND', headers, bodyOf(number, quotes))
    channel.turns.end()
    yield
  }
  feed.end()
  channel.close()
  return state.engine
}
