// P5 and P8 (bench/README.md): the board alone. Known quotes, new quotes and memory, against the least that can be done:
// an upsert into bare typed arrays with open addressing, of the same number of quotes, in the same order.
//
//   node dist/bench/board.js [--quotes 100000,10000000]

import { parseArgs } from 'node:util'
import { Bench } from 'tinybench'
import { Board } from '../src/board/board.ts'
import { QUOTE_STATUS } from '../src/domain/quote.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { BareTable } from './bare-table.ts'
import { machine, print, rounded } from './report.ts'

const START = 1_790_000_000_000
const SEED = 7
const BOOKMAKERS = 15
const OUTCOMES = ['home', 'draw', 'away']
const MARKETS_PER_EVENT = 3
const ACCESSES = 2 ** 20

const { values: flags } = parseArgs({ options: { quotes: { type: 'string', default: '100000,1000000,10000000' } } })

/** Identities of quotes, three numbers each, in the order of insertion. */
interface Identities {
  readonly board: Board
  readonly numbers: Uint32Array
}

/** Events, markets and books for `quotes` quotes; no quote yet. */
const prepare = (quotes: number): Identities => {
  const board = new Board({ quotesMax: quotes }, START)
  const { catalogue } = board
  const bookmakers = Array.from({ length: BOOKMAKERS }, (_, n) => board.bookmakers.intern(`book_${n}`))
  const outcomes = OUTCOMES.map((outcome) => board.outcomes.intern(outcome))
  const numbers = new Uint32Array(quotes * 3)
  let place = 0
  for (let event = 0; place < numbers.length; event++) {
    const sourceKey = `bench:${event}`
    const sighting = {
      sport: 'football',
      leagueKey: `league_${event % 100}`,
      leagueName: `League ${event % 100}`,
      home: `Home ${event}`,
      away: `Away ${event}`,
      kickoffAt: START + ((event * 7919) % 100_000) * 60_000,
      sourceKey,
    } as const
    const record = catalogue.addEvent(sighting, sourceKey)
    const markets = Array.from({ length: MARKETS_PER_EVENT }, (_, n) => catalogue.addMarket(record, 2, n + 0.5))
    for (const bookmaker of bookmakers) {
      const book = catalogue.addBook(record, bookmaker, 0)
      for (const market of markets) {
        for (const outcome of outcomes) {
          if (place === numbers.length) break
          numbers[place++] = market
          numbers[place++] = outcome
          numbers[place++] = book
        }
      }
    }
  }
  return { board, numbers }
}

const fill = ({ board, numbers }: Identities): void => {
  for (let place = 0; place < numbers.length; place += 3) {
    const slot = board.add(numbers[place]!, numbers[place + 1]!, numbers[place + 2]!, 1.5, START)
    board.quotes.status[slot] = QUOTE_STATUS.open
  }
}

const WARM_UP_QUOTES = 200_000

const measure = async (quotes: number) => {
  // New quotes are measured once, so the code must be warm before.
  fill(prepare(WARM_UP_QUOTES))
  const rssBefore = process.memoryUsage().rss
  const identities = prepare(quotes)
  const { board, numbers } = identities
  const rssPrepared = process.memoryUsage().rss
  const newStarted = performance.now()
  fill(identities)
  const newMs = performance.now() - newStarted
  const rssFull = process.memoryUsage().rss

  const random = new SeededRandom(SEED)
  const accessed = new Uint32Array(ACCESSES * 3)
  for (let place = 0; place < accessed.length; place += 3) {
    const quote = Math.floor(random.next() * quotes) * 3
    accessed.set(numbers.subarray(quote, quote + 3), place)
  }
  const bare = new BareTable(quotes)
  const bareNewStarted = performance.now()
  for (let place = 0; place < numbers.length; place += 3) {
    bare.upsert(numbers[place]!, numbers[place + 2]! * 8 + numbers[place + 1]!, 1.5, START)
  }
  const bareNewMs = performance.now() - bareNewStarted

  const columns = board.quotes
  let round = 0
  let written = 0
  const bench = new Bench({ iterations: 8, time: 0, warmupIterations: 2, warmupTime: 0 })
  bench.add('known', () => {
    const observedAt = START + ++round
    written = 0
    for (let place = 0; place < accessed.length; place += 3) {
      const slot = board.find(accessed[place]!, accessed[place + 1]!, accessed[place + 2]!)
      if (columns.observedAt[slot]! > observedAt) continue
      columns.odds[slot] = 1.5 + round / 100
      columns.observedAt[slot] = observedAt
      columns.status[slot] = QUOTE_STATUS.open
      if (slot !== 0) written++
    }
  })
  bench.add('bare', () => {
    const observedAt = START + ++round
    for (let place = 0; place < accessed.length; place += 3) {
      const high = accessed[place + 2]! * 8 + accessed[place + 1]!
      bare.upsert(accessed[place]!, high, 1.5 + round / 100, observedAt)
    }
  })
  await bench.run()
  if (written !== ACCESSES) throw new Error(`only ${written} of ${ACCESSES} quotes were found`)
  const perSecond = (name: string): number => {
    const result = bench.getTask(name)!.result
    if (!('latency' in result)) throw new Error(`${name} did not run`)
    return ACCESSES / (result.latency.p50 / 1000)
  }
  const known = perSecond('known')
  const bareKnown = perSecond('bare')
  return {
    quotes,
    knownPerSecondM: rounded(known / 1e6),
    bareKnownPerSecondM: rounded(bareKnown / 1e6),
    knownToBare: rounded(known / bareKnown),
    newPerSecondM: rounded(quotes / newMs / 1e3),
    bareNewPerSecondM: rounded(quotes / bareNewMs / 1e3),
    newToBare: rounded(bareNewMs / newMs),
    bytesPerQuote: rounded((rssFull - rssPrepared) / quotes),
    bytesPerQuoteWithEvents: rounded((rssFull - rssBefore - numbers.byteLength) / quotes),
    rssMb: Math.round((rssFull - numbers.byteLength) / 1e6),
    checksum: bare.checksum > 0,
  }
}

const sizes: object[] = []
for (const quotes of flags.quotes.split(',').map(Number)) sizes.push(await measure(quotes))
print({
  bench: 'board',
  targets: 'P5: known ≥ 12 M/s at 100 k, ≥ 3 M/s at random among 10 M; new ≥ 5 M/s. P8: ≤ 56 B a quote, 10 M ≤ 1 GB',
  seed: SEED,
  ...machine(),
  sizes,
})
