// What feeds send is compiled when it first comes, and a SEND cannot be interrupted: of the first one, a hundred quotes, the scanner
// took 7.4 ms, the log's encoder 1.3, its turn 5. So it is done before, in steps between which the sockets are looked at, on
// a board that is thrown away: 25 ms in all, 2.3 to 3.6 at most (four starts; with the other pages: first ticks of 6 ms instead of 16).
// No start waits for it: it begins when that is ready.

import { NO_PRODUCER } from '../domain/feed-source.ts'
import type { Observation } from '../domain/observation.ts'
import type { Engine } from '../engine/engine.ts'
import { NO_LOG } from '../engine/turns.ts'
import { LIMITS } from '../limits.ts'
import { TurnEncoder } from '../log/turn-encoder.ts'
import { ObservationScanner } from '../source/observations/observation-scanner.ts'
import { parseObservationBytes, wireObservation } from '../source/observations/observations.ts'
import { State } from './state.ts'
import { BEGAN_AT, BOOKMAKERS, WarmChannel } from './warm-up.ts'

/** Quotes of each SEND, of an event each. The first ones are small: all of their code is compiled. */
const SENDS: readonly number[] = [1, 2, 4, 8, 16, 32, 48, 48, 48, 48]

const QUOTES_MAX = SENDS.reduce((sum, quotes) => sum + quotes)

const [BOOKMAKER] = BOOKMAKERS

/** The body of a SEND; each has quotes of its own. */
const bodyOf = (number: number, quotes: number): string => {
  const observation: Observation = {
    bookmaker: BOOKMAKER,
    transport: 'live',
    observedAt: BEGAN_AT,
    event: {
      sport: 'football',
      leagueKey: 'warm_up',
      leagueName: 'Warm up',
      home: `Warm Home ${number}`,
      away: `Warm Away ${number}`,
      kickoffAt: BEGAN_AT,
      sourceKey: `${BOOKMAKER}:${number}`,
    },
    prices: Array.from({ length: quotes }, (_, quote) => ({
      type: 'total_goals',
      line: number + quote / 2,
      outcome: quote % 2 === 0 ? 'over' : 'under',
      odds: 2 + quote / 100,
      status: 'open',
    })),
    others: 'keep',
  }
  return JSON.stringify({ ...wireObservation(observation), bookmaker: undefined })
}

/** @returns the engine of the board */
export function* feedSteps(): Generator<undefined, Engine> {
  const state = new State({ quotesMax: QUOTES_MAX, eventsMax: 16, labelsMax: 64, bookmakerShare: 1 }, BEGAN_AT)
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
