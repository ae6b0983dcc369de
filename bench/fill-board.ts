// Fills the log of a data folder in the way the service does: turns are appended, applied and published. Then it ends as
// after SIGTERM (a checkpoint), or as after SIGKILL (none).
//
//   node dist/bench/fill-board.js DATA_DIR --quotes N --per-event N [--quotes-max N] [--tail N] [--kill]
//                                 [--due-after S --due-within S] [--ended-ago S]
//
// --tail: so many new prices of known quotes, ten at a time, instead of new quotes.
// --due-after, --due-within: the quotes were observed almost a day ago, and age out in this time.
// --ended-ago: all of it was so long ago.

import { parseArgs } from 'node:util'
import { isFault } from '../src/access/fault.ts'
import * as clock from '../src/clock.ts'
import { checkpointPath } from '../src/log/log-folder.ts'
import { LIMITS } from '../src/limits.ts'
import { readSettings, type Settings } from '../src/config.ts'
import { Turns } from '../src/engine/turns.ts'
import { logFolder, recover } from '../src/command/log-recovery.ts'
import { FRESHNESS_MS } from '../src/domain/quote.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { namedObservationOf, QUOTES_PER_BOOK } from './quotes.ts'
import { print } from './report.ts'

const SEED = 7
const PRICES_PER_SEND = 10

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quotes: { type: 'string', default: '5000000' },
    'per-event': { type: 'string', default: '500' },
    'quotes-max': { type: 'string' },
    tail: { type: 'string', default: '0' },
    kill: { type: 'boolean' },
    'due-after': { type: 'string', default: '0' },
    'due-within': { type: 'string', default: '0' },
    'ended-ago': { type: 'string', default: '0' },
  },
})

const quotes = Number(flags.quotes)
const books = Math.round(Number(flags['per-event']) / QUOTES_PER_BOOK)
const events = Math.floor(quotes / books / QUOTES_PER_BOOK)
const tail = Number(flags.tail)
const settings = readSettings({
  'data-dir': positionals[0]!,
  'quotes-max': flags['quotes-max'] ?? flags.quotes,
  'bookmaker-share': '1',
}) as Settings

const mark = clock.ours.mark()
clock.ours.resume({ ...mark, at: mark.at - Number(flags['ended-ago']) * 1_000 }, 0)

const random = new SeededRandom(SEED)
const recovered = await recover(settings, () => {})
if (isFault(recovered)) throw new Error(recovered.fault)
const { state, log } = recovered
const turns = new Turns(state.engine, LIMITS, clock.now, log)

/** Lets the log write: what it holds in memory is bounded. */
const settle = async (): Promise<void> => {
  await new Promise<void>((resolve) => turns.settle(resolve))
  while (log.isFull) await new Promise((resolve) => setTimeout(resolve, 1))
}

const startedAt = clock.now()

const observedAt = (): number => {
  const dueWithinMs = Number(flags['due-within']) * 1_000
  if (dueWithinMs === 0) return clock.now()
  return startedAt - FRESHNESS_MS + Number(flags['due-after']) * 1_000 + Math.floor(random.next() * dueWithinMs)
}

const observe = (event: number, bookmaker: number, pricesMax: number): void => {
  const observation = namedObservationOf(event, bookmaker, observedAt(), 'live', random)
  const prices = observation.prices.slice(0, pricesMax)
  const producer = `first ${bookmaker % 4}`
  turns.add({ kind: 'observe', observation: { ...observation, prices }, producer, doubt: undefined })
}

const startedMs = performance.now()
const observations = tail > 0 ? Math.ceil(tail / PRICES_PER_SEND) : events * books
for (let n = 0; n < observations; n++) {
  if (tail > 0) observe((n * 7) % events, n % books, PRICES_PER_SEND)
  else observe(Math.floor(n / books), n % books, QUOTES_PER_BOOK)
  if (n % 512 === 511) await settle()
}
await settle()
const { position } = log
print({
  bench: 'fill',
  observations,
  quotes: state.engine.board.capacity.quotes.held,
  events: state.engine.board.catalogue.eventCount,
  position,
  octets: log.counters.bytesWritten,
  seconds: Math.round((performance.now() - startedMs) / 100) / 10,
})
if (flags.kill === true) process.kill(process.pid, 'SIGKILL')
if (!(await log.close())) throw new Error('the log was not closed')
state.save(checkpointPath(logFolder(settings.dataDir), position), position)
