// P5 and P8 (bench/README.md): the board alone. Known quotes, new quotes and memory, against the least that can be done:
// an upsert into bare typed arrays with open addressing, of the same number of quotes, in the same order.
//
//   node dist/bench/board.js [--quotes 100000,10000000] [--rounds 9] [--rows]
//
// --rows: beside the least board, too, which does what a board cannot do without (bare-table.ts): how near to bare arrays that
// comes (leastKnownToBare, leastNewToBare) is how near a board can come.

import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { Bench } from 'tinybench'
import { Board } from '../src/board/board.ts'
import { QUOTE_STATUS } from '../src/domain/quote.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { BareRows, BareTable } from './bare-table.ts'
import { stayOnServerCore } from './process.ts'
import { machine, median, print, ratio, rounded } from './report.ts'

const START = 1_790_000_000_000
const SEED = 7
/** × 9 quotes: events of 45, as the simulated and the recorded ones have on average. */
const BOOKMAKERS = 5
const OUTCOMES = ['home', 'draw', 'away']
const MARKETS_PER_EVENT = 3
const ACCESSES = 2 ** 20
/** Places of the quotes that are done in one call, three numbers each: see {@link inParts}. */
const PART_PLACES = 3 * 1_024

const WARM_UP_ROUNDS = 2

/** New quotes, by rounds: so many are added in all, each round to a board of its own. One of 100 k takes 20 ms, which says little alone. */
const NEW_IN_ALL = 4_000_000
const NEW_ROUNDS_MAX = 9

/**
 * malloc hands out memory that was freed, which costs no first touch, up to a size that moves: whoever came second got pages that
 * somebody else had touched. Above this size all memory is the system's, as in a service that has just started.
 */
const FRESH_MEMORY = { MALLOC_MMAP_THRESHOLD_: '65536' }

if (process.env.MALLOC_MMAP_THRESHOLD_ === undefined) {
  const { status } = spawnSync(process.execPath, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, ...FRESH_MEMORY },
  })
  process.exit(status ?? 1)
}

stayOnServerCore()

const { values: flags } = parseArgs({
  options: {
    quotes: { type: 'string', default: '100000,1000000,10000000' },
    rounds: { type: 'string', default: '9' },
    rows: { type: 'boolean', default: false },
  },
})
const rounds = Number(flags.rounds)

/** CPU time of this process, ms: neighbours on the machine disturb it least. */
const cpuNow = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e3
}

/** CPU time of some work, ms. */
const cpuMs = (work: () => void): number => {
  const before = cpuNow()
  work()
  return cpuNow() - before
}

type Each<T> = Readonly<Record<'known' | 'bare', T> & Partial<Record<'rows', T>>>

/** One round: each in turn, once. @returns CPU time of each, ms */
const roundOf = (updates: Each<() => void>): Each<number> => {
  const bench = new Bench({ iterations: 1, time: 0, warmup: false, now: cpuNow })
  for (const [name, update] of Object.entries(updates)) bench.add(name, update)
  const times = bench.runSync().map(({ name, result }) => {
    if (!('latency' in result)) throw new Error(`${name} did not run`)
    return [name, result.latency.p50] as const
  })
  return Object.fromEntries(times) as Each<number>
}

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

type Part = (from: number, end: number) => void

/**
 * Calls `part` for each thousand of quotes, whose identities are from one place to another. One loop over all would run as V8 compiled
 * it in the middle of its first round: by chance well, or not at all in all other rounds, which took half as long again. The functions that do a part are made once: V8
 * learns what they do from all rounds.
 */
const inParts = (numbers: Uint32Array, part: Part): void => {
  for (let from = 0; from < numbers.length; from += PART_PLACES)
    part(from, Math.min(from + PART_PLACES, numbers.length))
}

const fillPart = ({ board, numbers }: Identities, from: number, end: number): void => {
  for (let place = from; place < end; place += 3) {
    const slot = board.add(numbers[place]!, numbers[place + 1]!, numbers[place + 2]!, 1.5, START)
    board.quotes.setStatus(slot, QUOTE_STATUS.open)
  }
}

const fillRowsPart = (rows: BareRows, numbers: Uint32Array, from: number, end: number): void => {
  for (let place = from; place < end; place += 3) {
    rows.upsert(numbers[place]!, numbers[place + 1]!, numbers[place + 2]!, 1.5, START)
  }
}

const fillBarePart = (bare: BareTable, numbers: Uint32Array, from: number, end: number): void => {
  for (let place = from; place < end; place += 3) {
    bare.upsert(numbers[place]!, numbers[place + 2]! * 8 + numbers[place + 1]!, 1.5, START)
  }
}

const fill = (identities: Identities): void =>
  inParts(identities.numbers, (from, end) => fillPart(identities, from, end))

const fillRows = (rows: BareRows, { numbers }: Identities): void =>
  inParts(numbers, (from, end) => fillRowsPart(rows, numbers, from, end))

const fillBare = (bare: BareTable, { numbers }: Identities): void =>
  inParts(numbers, (from, end) => fillBarePart(bare, numbers, from, end))

const WARM_UP_QUOTES = 200_000

/** Those that a board is compared with, filled, with the CPU time of each. */
const fillOthers = (quotes: number, identities: Identities) => {
  const bare = new BareTable(quotes)
  const rows = flags.rows ? new BareRows(quotes) : undefined
  const bareMs = cpuMs(() => fillBare(bare, identities))
  return { bare, rows, bareMs, rowsMs: rows === undefined ? 0 : cpuMs(() => fillRows(rows, identities)) }
}

/** One round of new quotes, all in turn. */
const fillEach = (quotes: number) => {
  const identities = prepare(quotes)
  const boardMs = cpuMs(() => fill(identities))
  const { bareMs, rowsMs } = fillOthers(quotes, identities)
  return { boardMs, bareMs, rowsMs }
}

const measure = (quotes: number) => {
  // The code must be warm before; that of the others after the memory was measured.
  fill(prepare(WARM_UP_QUOTES))
  const rssBefore = process.memoryUsage().rss
  const identities = prepare(quotes)
  const { board, numbers } = identities
  const rssPrepared = process.memoryUsage().rss
  const boardMs = cpuMs(() => fill(identities))
  const rssFull = process.memoryUsage().rss
  fillEach(WARM_UP_QUOTES)
  const { bare, rows, ...others } = fillOthers(quotes, identities)
  const newRounds = Math.min(NEW_ROUNDS_MAX, Math.floor(NEW_IN_ALL / quotes))
  // A board of many quotes takes long enough to be measured once.
  const filled = newRounds === 0 ? [{ boardMs, ...others }] : Array.from({ length: newRounds }, () => fillEach(quotes))
  const newMs = filled.map((each) => each.boardMs)
  const newBareMs = filled.map((each) => each.bareMs)
  const newRowsMs = filled.map((each) => each.rowsMs)

  const random = new SeededRandom(SEED)
  const accessed = new Uint32Array(ACCESSES * 3)
  for (let place = 0; place < accessed.length; place += 3) {
    const quote = Math.floor(random.next() * quotes) * 3
    accessed.set(numbers.subarray(quote, quote + 3), place)
  }

  const columns = board.quotes
  let round = 0
  let written = 0
  let observedAt = START
  let odds = 0
  const knownPart: Part = (from, end) => {
    for (let place = from; place < end; place += 3) {
      const slot = board.find(accessed[place]!, accessed[place + 1]!, accessed[place + 2]!)
      if (columns.observedAtOf(slot) > observedAt) continue
      columns.setOdds(slot, odds)
      columns.setObservedAt(slot, observedAt)
      columns.setStatus(slot, QUOTE_STATUS.open)
      if (slot !== 0) written++
    }
  }
  const barePart: Part = (from, end) => {
    for (let place = from; place < end; place += 3) {
      const high = accessed[place + 2]! * 8 + accessed[place + 1]!
      bare.upsert(accessed[place]!, high, odds, observedAt)
    }
  }
  const rowsPart: Part = (from, end) => {
    for (let place = from; place < end; place += 3) {
      if (rows!.upsert(accessed[place]!, accessed[place + 1]!, accessed[place + 2]!, odds, observedAt)) written++
    }
  }
  const updateBy = (part: Part) => (): void => {
    observedAt = START + ++round
    // As sources give them, with two decimals: 1.5 + round / 100 has seventeen in some rounds.
    odds = (150 + round) / 100
    written = 0
    inParts(accessed, part)
    if (part !== barePart && written !== ACCESSES) throw new Error(`only ${written} of ${ACCESSES} quotes were written`)
  }
  const updates = {
    known: updateBy(knownPart),
    bare: updateBy(barePart),
    ...(rows !== undefined && { rows: updateBy(rowsPart) }),
  }
  const all = Array.from({ length: rounds + WARM_UP_ROUNDS }, () => roundOf(updates)).slice(WARM_UP_ROUNDS)
  const knownMs = all.map(({ known }) => known)
  const bareMs = all.map(({ bare: ms }) => ms)
  const rowsMs = all.flatMap((each) => each.rows ?? [])
  const perSecondM = (ms: number): number => rounded(ACCESSES / ms / 1e3)
  const newPerSecondM = (ms: readonly number[]): number => rounded(quotes / median(ms) / 1e3)
  return {
    quotes,
    knownPerSecondM: perSecondM(median(knownMs)),
    knownPerSecondMRounds: knownMs.map(perSecondM),
    bareKnownPerSecondM: perSecondM(median(bareMs)),
    ...ratio('knownToBare', bareMs, knownMs),
    ...(flags.rows && {
      leastKnownPerSecondM: perSecondM(median(rowsMs)),
      ...ratio('leastKnownToBare', bareMs, rowsMs),
      ...ratio('knownToLeast', rowsMs, knownMs),
      leastNewPerSecondM: newPerSecondM(newRowsMs),
      ...ratio('leastNewToBare', newBareMs, newRowsMs),
      ...ratio('newToLeast', newRowsMs, newMs),
    }),
    newPerSecondM: newPerSecondM(newMs),
    bareNewPerSecondM: newPerSecondM(newBareMs),
    ...ratio('newToBare', newBareMs, newMs),
    bytesPerQuote: rounded((rssFull - rssPrepared) / quotes),
    bytesPerQuoteWithEvents: rounded((rssFull - rssBefore - numbers.byteLength) / quotes),
    rssMb: Math.round((rssFull - numbers.byteLength) / 1e6),
    checksum: bare.checksum > 0,
  }
}

const sizes: object[] = []
for (const quotes of flags.quotes.split(',').map(Number)) sizes.push(measure(quotes))
print({
  bench: 'board',
  targets:
    'P5: known ≥ 12 M/s at 100 k, ≥ 3 M/s at random among 10 M; new ≥ 5 M/s; ≥ 0.75 of bare arrays. P8: ≤ 56 B a quote, 10 M ≤ 700 MB',
  rounds,
  seed: SEED,
  ...machine(),
  sizes,
})
