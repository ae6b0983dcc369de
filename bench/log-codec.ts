// The codec of the log (bench/README.md): turns of one SEND with ten prices each, as binary records, and beside them as
// JSON and as MessagePack. `known`: all texts and sightings have a number; `fresh`: each record has a new dictionary.
//
//   node dist/bench/log-codec.js [--books 4000] [--rounds 7]

import { parseArgs } from 'node:util'
import { Packr } from 'msgpackr'
import type { Turn } from '../src/domain/input.ts'
import { TurnDecoder } from '../src/log/turn-decoder.ts'
import { TurnEncoder } from '../src/log/turn-encoder.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { observationOf } from './quotes.ts'
import { machine, print, spread } from './report.ts'

const START = 1_790_000_000_000
const SEED = 29
const PRICES = 10
const BOOKS_PER_EVENT = 8
const TURN_MS = 5
const PASSES = 10
const WARM_UP_ROUNDS = 2

const { values: flags } = parseArgs({
  options: { books: { type: 'string', default: '4000' }, rounds: { type: 'string', default: '7' } },
})

const random = new SeededRandom(SEED)

const turns: readonly Turn[] = Array.from({ length: Number(flags.books) }, (_, book) => {
  const at = START + book * TURN_MS
  const event = Math.floor(book / BOOKS_PER_EVENT)
  const observation = observationOf(event, book % BOOKS_PER_EVENT, at - 3, 'live', random)
  const sent = { ...observation, prices: observation.prices.slice(0, PRICES) }
  return { at, inputs: [{ kind: 'observe', observation: sent, producer: '', doubt: undefined }] }
})

/** A way to write turns: each function does its work on all of them. */
interface Way {
  readonly records: () => readonly Uint8Array[]
  readonly encode: () => void
  readonly decode: (records: readonly Uint8Array[]) => void
}

const wayOf = (write: (turn: Turn) => Uint8Array, read: (record: Uint8Array) => unknown): Way => ({
  records: () => turns.map((turn) => Uint8Array.from(write(turn))),
  encode: () => {
    for (const turn of turns) write(turn)
  },
  decode: (records) => {
    for (const record of records) read(record)
  },
})

/** Each text and sighting was written before: the records have only their numbers. */
const known = (): Way => {
  const encoder = new TurnEncoder()
  const decoder = new TurnDecoder()
  for (const turn of turns) decoder.decode(encoder.encode(turn))
  return wayOf(
    (turn) => encoder.encode(turn),
    (record) => decoder.decode(record),
  )
}

const fresh = (): Way => {
  const encoder = new TurnEncoder()
  const decoder = new TurnDecoder()
  return wayOf(
    (turn) => {
      encoder.begin()
      return encoder.encode(turn)
    },
    (record) => {
      decoder.begin()
      return decoder.decode(record)
    },
  )
}

const json = (): Way =>
  wayOf(
    (turn) => Buffer.from(JSON.stringify(turn)),
    (record) => JSON.parse((record as Buffer).toString()) as unknown,
  )

const messagePack = (): Way => {
  const packr = new Packr({ structures: [] })
  return wayOf(
    (turn) => packr.pack(turn),
    (record) => packr.unpack(record) as unknown,
  )
}

/** CPU time of all threads: a busy neighbour disturbs it least, and the garbage collector's is in it. */
const nsPerPrice = (work: () => void): number => {
  const before = process.cpuUsage()
  for (let pass = 0; pass < PASSES; pass++) work()
  const { user, system } = process.cpuUsage(before)
  return ((user + system) * 1000) / (PASSES * turns.length * PRICES)
}

const ways = Object.entries({ known: known(), fresh: fresh(), json: json(), msgpackr: messagePack() }).map(
  ([name, way]) => {
    const records = way.records().map((record) => Buffer.from(record))
    return { name, way, records, encodeNs: [] as number[], decodeNs: [] as number[] }
  },
)

for (let round = -WARM_UP_ROUNDS; round < Number(flags.rounds); round++) {
  for (const { way, records, encodeNs, decodeNs } of ways) {
    const encoded = nsPerPrice(way.encode)
    const decoded = nsPerPrice(() => way.decode(records))
    if (round < 0) continue
    encodeNs.push(encoded)
    decodeNs.push(decoded)
  }
}

print({
  bench: 'log-codec',
  machine: machine(),
  books: turns.length,
  pricesPerRecord: PRICES,
  rows: ways.map(({ name, records, encodeNs, decodeNs }) => ({
    name,
    octetsPerRecord: spread(records.map(({ length }) => length)),
    encodeNsPerPrice: spread(encodeNs),
    decodeNsPerPrice: spread(decodeNs),
  })),
})
