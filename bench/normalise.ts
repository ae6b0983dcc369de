// Payloads through their normalisers and onto the board (bench/README.md), against utf8 decode and JSON.parse of the same
// bytes; for XML against the bare parser, as there is no JSON. All in one process, in turn, round by round. The repository's
// own fixtures always; recorded payloads of real sources where they are.
//
//   node dist/bench/normalise.js [--data ../shared/data] [--rounds 15]

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { SaxesParser } from 'saxes'
import { LIMITS } from '../src/limits.ts'
import type { Fixture, Observation } from '../src/domain/observation.ts'
import { Engine } from '../src/engine/engine.ts'
import { Account } from '../src/source/kit/account.ts'
import { FORMATS, type FormatName } from '../src/source/formats.ts'
import { isFormatFault, type Normaliser, NOTHING_KNOWN } from '../src/source/kit/normaliser.ts'
import { leaveOut } from './peer.ts'
import { machine, print, rounded, spread } from './report.ts'

// Compiled, this file is in dist/bench.
const FIXTURES = resolve(dirname(fileURLToPath(import.meta.url)), '../../fixtures')

const { values: flags } = parseArgs({
  options: {
    data: { type: 'string', default: '../shared/data' },
    rounds: { type: 'string', default: '15' },
  },
})

const WARM_UP_ROUNDS = Math.min(3, Number(flags.rounds))
const OBSERVATIONS_PER_TURN = 64
const DAY_MS = 86_400_000
const QUOTES_MAX = 5_000

/** A recording in memory: what arrives at a time, and how it is read. */
interface Payload {
  readonly name: string
  readonly format: FormatName
  readonly pieces: readonly Buffer[]
  /** Read first, not measured: what the pieces need to be understood. */
  readonly before: readonly string[]
}

const readFrom = (folder: string, ...path: string[]): Buffer => {
  const bytes = readFileSync(join(folder, ...path))
  return path.at(-1)!.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

const read = (...path: string[]): Buffer => readFrom(flags.data, ...path)

/** Matchups for markets whose own were not recorded. */
const matchupsFor = (straight: Buffer): string => {
  const markets = JSON.parse(straight.toString('utf8')) as { matchupId: number; cutoffAt: string }[]
  const starts = new Map<number, string>()
  for (const { matchupId, cutoffAt } of markets) {
    const known = starts.get(matchupId)
    if (known === undefined || Date.parse(cutoffAt) < Date.parse(known)) starts.set(matchupId, cutoffAt)
  }
  return JSON.stringify(
    Array.from(starts, ([id, startTime]) => ({
      id,
      type: 'matchup',
      units: 'Regular',
      startTime,
      league: { name: 'Unknown', sport: { id: 29 } },
      participants: [
        { alignment: 'home', name: `Home ${id}` },
        { alignment: 'away', name: `Away ${id}` },
      ],
    })),
  )
}

const linesOf = (bytes: Buffer): Buffer[] =>
  bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Buffer.from(line))

/** The messages of a text, each of which begins with the first column of a line; the bare parser reads one at a time. */
const messagesOf = (xml: Buffer): Buffer[] =>
  xml
    .toString('utf8')
    .replaceAll(/<\?xml[^>]*>\s*/g, '')
    .split(/\n(?=<[a-z])/)
    .map((message) => Buffer.from(message))

/** Payloads of our own, a few kilobytes each. */
const fixtures = (): Payload[] => {
  const own = (format: FormatName, path: string, before: readonly string[] = []): Payload => ({
    name: `fixtures/${path}`,
    format,
    pieces: [readFrom(FIXTURES, path)],
    before,
  })
  return [
    own('the-odds-api', 'the-odds-api/answer.json'),
    own('kambi', 'kambi/answer.json'),
    own('pinnacle', 'pinnacle/markets.json', [readFrom(FIXTURES, 'pinnacle/matchups.json').toString('utf8')]),
    { ...own('betfair', 'betfair/stream.jsonl'), pieces: linesOf(readFrom(FIXTURES, 'betfair/stream.jsonl')) },
    own('txline', 'txline/17588223.odds.json'),
    { ...own('uof', 'uof/messages.xml'), pieces: messagesOf(readFrom(FIXTURES, 'uof/messages.xml')) },
    {
      ...own('observations', 'observations/observations.jsonl'),
      pieces: linesOf(readFrom(FIXTURES, 'observations/observations.jsonl')),
    },
  ]
}

/** Recorded payloads of real sources, those that are there. */
const recordings = (): Payload[] => {
  if (!existsSync(flags.data)) {
    leaveOut('every recorded payload', `${flags.data} is not here`)
    return []
  }
  const made = (path: string, make: () => Payload): Payload[] => {
    if (existsSync(join(flags.data, path))) return [make()]
    leaveOut(path, `it is not in ${flags.data}`)
    return []
  }
  const whole = (name: string, format: FormatName, path: string): Payload[] =>
    made(path, () => ({ name, format, pieces: [read(path)], before: [] }))
  const streams = existsSync(join(flags.data, 'betfair-stream')) ? readdirSync(join(flags.data, 'betfair-stream')) : []
  if (streams.length === 0) leaveOut('betfair-stream', `it is not in ${flags.data}`)
  return [
    ...whole('the-odds-api/h2h', 'the-odds-api', 'the-odds-api/h2h.json.gz'),
    ...whole('kambi/betoffers', 'kambi', 'kambi/betoffers.json.gz'),
    ...whole('kambi/unibet-type2', 'kambi', 'kambi/unibet-type2.json.gz'),
    ...made('pinnacle/straight.json.gz', () => {
      const straight = read('pinnacle/straight.json.gz')
      return { name: 'pinnacle/straight', format: 'pinnacle', pieces: [straight], before: [matchupsFor(straight)] }
    }),
    ...streams.map((file) => ({
      name: `betfair-stream/${basename(file, '.jsonl.gz')}`,
      format: 'betfair' as const,
      pieces: linesOf(read('betfair-stream', file)),
      before: [],
    })),
    ...whole('txline/17588223', 'txline', 'txline/17588223.odds.json.gz'),
    ...whole('uof/odds_change', 'uof', 'uof/odds_change.xml'),
    ...whole('uof/feed_odds_change', 'uof', 'uof/feed_odds_change.xml'),
  ]
}

const fixtureOf = (id: string): Fixture => ({
  sport: 'football',
  leagueKey: 'unknown',
  leagueName: 'unknown',
  home: `Home ${id.replaceAll(/\D/g, '')}`,
  away: `Away ${id.replaceAll(/\D/g, '')}`,
  kickoffAt: 0,
})

const newNormaliser = ({ format, name, before }: Payload): Normaliser => {
  const normaliser = FORMATS[format].normaliser({
    account: new Account(),
    transport: null,
    // TxLINE's fixtures are known; UOF's are asked for.
    facts: { ...NOTHING_KNOWN, ...(format === 'uof' ? { fixtureOf } : {}), fileName: () => `${basename(name)}.json` },
    limits: LIMITS,
    onMalformed: (place, reason) => {
      throw new Error(`${name} ${place}: ${reason}`)
    },
  })
  for (const text of before) for (const _ of observationsOf(normaliser, text, 1)) continue
  return normaliser
}

const observationsOf = (normaliser: Normaliser, text: string, line: number): Iterable<Observation> => {
  const result = normaliser.read(text, line)
  if (isFormatFault(result)) throw new Error(result.fault)
  return result
}

/** The newest time of a recording: the engine lives then, so that nothing is of the future and little is stale. */
const newestOf = (payload: Payload): number => {
  const normaliser = newNormaliser(payload)
  let newestAt = 0
  for (const [line, piece] of payload.pieces.entries()) {
    for (const { observedAt } of observationsOf(normaliser, piece.toString('utf8'), line + 1)) {
      newestAt = Math.max(newestAt, observedAt)
    }
  }
  return newestAt
}

interface Fresh {
  readonly normaliser: Normaliser
  readonly engine: Engine
}

interface Round {
  readonly ceilingMs: number
  readonly firstMs: number
  readonly againMs: number
  readonly prices: number
}

const cpuMs = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

let sink = 0

const bareParse = ({ format, pieces }: Payload): void => {
  for (const piece of pieces) {
    const text = piece.toString('utf8')
    if (format !== 'uof') {
      sink += Object.keys(JSON.parse(text) as object).length
      continue
    }
    const parser = new SaxesParser()
    parser.on('opentag', () => sink++)
    parser.write(text.replace(/^\ufeff/, '')).close()
  }
}

const ingest = (payload: Payload, normaliser: Normaliser, engine: Engine, nowAt: number): number => {
  let prices = 0
  let pending = 0
  for (const [line, piece] of payload.pieces.entries()) {
    for (const observation of observationsOf(normaliser, piece.toString('utf8'), line + 1)) {
      prices += observation.prices.length
      // A recording of more than a day: each is recorded at its own time.
      engine.observe(observation, Math.min(nowAt, observation.observedAt + DAY_MS - 1))
      if (++pending === OBSERVATIONS_PER_TURN) {
        engine.turn(nowAt)
        pending = 0
      }
    }
  }
  engine.turn(nowAt)
  return prices
}

/** A few milliseconds at least: the CPU clock is coarse. */
const repeatsFor = (payload: Payload): number => {
  const ms = cpuMs(() => bareParse(payload))
  return Math.max(1, Math.ceil(20 / Math.max(ms, 0.05)))
}

const measure = (payload: Payload, rounds: number): Round[] => {
  const newestAt = newestOf(payload)
  const repeats = repeatsFor(payload)
  const results: Round[] = []
  for (let round = 0; round < rounds + WARM_UP_ROUNDS; round++) {
    const ceilingMs = cpuMs(() => {
      for (let n = 0; n < repeats; n++) bareParse(payload)
    })
    let prices = 0
    let firstMs = 0
    let last: Fresh | undefined
    for (let n = 0; n < repeats; n++) {
      const fresh = {
        normaliser: newNormaliser(payload),
        engine: new Engine({ ...LIMITS, quotesMax: QUOTES_MAX }, newestAt),
      }
      firstMs += cpuMs(() => {
        prices += ingest(payload, fresh.normaliser, fresh.engine, newestAt)
      })
      last = fresh
    }
    const { normaliser, engine } = last!
    const againMs = cpuMs(() => {
      for (let n = 0; n < repeats; n++) ingest(payload, normaliser, engine, newestAt)
    })
    if (round >= WARM_UP_ROUNDS) results.push({ ceilingMs, firstMs, againMs, prices })
  }
  return results
}

const rows = [...fixtures(), ...recordings()].map((payload) => {
  const rounds = measure(payload, Number(flags.rounds))
  const ratio = (pick: (round: Round) => number): object => spread(rounds.map((round) => round.ceilingMs / pick(round)))
  return {
    payload: payload.name,
    ceiling: payload.format === 'uof' ? 'saxes' : 'JSON.parse',
    /** 1: as fast as the bare parser. `first`: onto an empty board; `again`: the quotes that it has already. */
    first: ratio(({ firstMs }) => firstMs),
    again: ratio(({ againMs }) => againMs),
    pricesPerCpuSecond: rounded(
      rounds.reduce((sum, { prices }) => sum + prices, 0) /
        (rounds.reduce((sum, { firstMs }) => sum + firstMs, 0) / 1_000),
    ),
  }
})

print({ bench: 'normalise', machine: machine(), rows, sink: sink > 0 })
