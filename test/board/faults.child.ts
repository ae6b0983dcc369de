// Damages a board in one way, uses it until an invariant finds that, and catches the error: the process ends all the
// same. Argument: the name of a fault. Without one, prints the names.

import { CHANGE } from '../../src/domain/quote.ts'
import type { Observation } from '../../src/domain/observation.ts'
import { Engine } from '../../src/engine/engine.ts'

const T0 = 1_790_000_000_000
const DAY_MS = 86_400_000

const observationOf = (outcomes: readonly string[]): Observation => ({
  bookmaker: 'northbet',
  transport: 'live',
  observedAt: T0,
  event: { sport: 'golf', leagueKey: 'l', leagueName: 'L', home: 'Open', away: '', kickoffAt: T0, sourceKey: 's:1' },
  prices: outcomes.map((outcome) => ({ type: 'outright', line: null, outcome, odds: 2, status: 'open' })),
  others: 'keep',
})

const FAULTS: Readonly<Record<string, (engine: Engine, producer: number) => void>> = {
  'a count of the board': ({ board }) => void board.counts[1]++,
  'a negative count': ({ board }) => void (board.counts[1] -= 3),
  'a slot counted twice': ({ board }) => board.capacity.quotes.add(),
  'an event counted twice': ({ board }) => board.capacity.events.add(),
  'a label without a use': (engine) => {
    engine.board.outcomes.release(1)
    engine.turn(T0 + DAY_MS)
  },
  'a change without a group': (engine) => {
    engine.observe(observationOf(['c']), T0)
    engine['transitions'].changes.count[0]!++
  },
  'a used slot in the free list': (engine) => {
    engine.board['freeSlot'] = 1
    engine.observe(observationOf(['c']), T0)
  },
  'a quote without a status': (engine) => {
    engine.board.quotes.setStatus(1, 0)
    engine.turn(T0 + DAY_MS)
  },
  'a book that counts too many': (engine) => {
    engine.board.catalogue.books.quotes[1]!++
    engine.turn(T0 + DAY_MS)
  },
  'a broken chain': (engine, producer) => {
    const { books } = engine.board.catalogue
    engine.board.quotes.setNext(books.head[1]!, 0)
    engine.suspect(producer, T0, 'gap')
  },
  'a status of no meaning': (engine) => void engine['transitions'].setStatus(1, 4, T0),
  'a seq that is not exact': (engine) => {
    engine['transitions'].changes.seqBefore = Number.MAX_SAFE_INTEGER
    engine.observe(observationOf(['c']), T0)
  },
}

const [name] = process.argv.slice(2)
if (name === undefined) {
  process.stdout.write(JSON.stringify(Object.keys(FAULTS)))
} else {
  const limits = { quotesMax: 10, skewMsMax: 5_000, bookmakersMax: 10, wheelVisitsMax: 1e6 }
  const engine = new Engine(limits, T0)
  const producer = engine.producerNumber('s one')
  engine.observe(observationOf(['a', 'b']), T0, producer)
  engine.turn(T0)
  if (engine.changeCounts[CHANGE.added] !== 2) throw new Error('two quotes are on the board')
  setTimeout(() => process.stdout.write('still alive'), 1_000)
  try {
    FAULTS[name]!(engine, producer)
    engine.turn(T0)
  } catch (error) {
    process.stdout.write((error as Error).message)
  }
}
