// Cost of the log on its own (bench/README.md): octets and CPU time per change, from a turn to the file. The ceiling is
// what it cannot do without: to encode the turn, and to write the same octets with node:fs. Turns of one SEND with ten known prices each.
//
//   node dist/bench/log-write.js [--sends 20000] [--rounds 5] [--folder /tmp] [--fsync off,interval,always]

import * as fs from 'node:fs'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Turn } from '../src/domain/input.ts'
import type { FileLog } from '../src/log/file-log.ts'
import type { FsyncMode } from '../src/log/segment-writer.ts'
import { TurnEncoder } from '../src/log/turn-encoder.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { openBenchLog } from './bench-log.ts'
import { observationOf } from './quotes.ts'
import { machine, print, rounded, spread } from './report.ts'

const START = 1_790_000_000_000
const SEED = 37
const PRICES = 10
const BOOKS = 2_000
const BOOKS_PER_EVENT = 8
const WARM_UP_ROUNDS = 1
/** SENDs of a turn: each alone, as when they come one by one; many, as when the socket is full. */
const SENDS_PER_TURN = [1, 64]

const { values: flags } = parseArgs({
  options: {
    sends: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    folder: { type: 'string', default: tmpdir() },
    fsync: { type: 'string', default: 'off,interval' },
  },
})
const sends = Number(flags.sends)
const rounds = Number(flags.rounds)

const random = new SeededRandom(SEED)
const inputs = Array.from({ length: BOOKS }, (_, book) => {
  const event = Math.floor(book / BOOKS_PER_EVENT)
  const observation = observationOf(event, book % BOOKS_PER_EVENT, START - 3, 'live', random)
  const prices = observation.prices.slice(0, PRICES)
  return { kind: 'observe', observation: { ...observation, prices }, producer: '', doubt: undefined } as const
})

const turnsOf = (sendsPerTurn: number): readonly Turn[] =>
  Array.from({ length: Math.ceil(sends / sendsPerTurn) }, (_, n) => ({
    at: START + n,
    inputs: Array.from({ length: sendsPerTurn }, (_, place) => inputs[(n * sendsPerTurn + place) % BOOKS]!),
  }))

const cpuUs = (): number => {
  const { user, system } = process.cpuUsage()
  return user + system
}

type Way = (turns: readonly Turn[]) => Promise<void>

/** Each turn is written before the next one is made, as far as it can be: the most that the log can cost. */
const oneByOne =
  (append: (turn: Turn, written: () => void) => void): Way =>
  (turns) =>
    new Promise((resolve) => {
      let n = 0
      const next = (): void => {
        if (n === turns.length) resolve()
        else append(turns[n++]!, () => setImmediate(next))
      }
      next()
    })

const folder = mkdtempSync(join(flags.folder, 'oddswire-bench-'))
const results: object[] = []
try {
  const logs = new Map<FsyncMode, FileLog>()
  for (const mode of flags.fsync.split(',') as FsyncMode[]) logs.set(mode, await openBenchLog(join(folder, mode), mode))
  const bareFile = fs.openSync(join(folder, 'bare'), 'w')
  for (const sendsPerTurn of SENDS_PER_TURN) {
    const turns = turnsOf(sendsPerTurn)
    const encoder = new TurnEncoder()
    for (const turn of turns) encoder.encode(turn)
    const octets = turns.reduce((sum, turn) => sum + encoder.encode(turn).length, 0)
    let position = 0
    const bareAppend = (record: Uint8Array, written: () => void): void => {
      fs.write(bareFile, record, 0, record.length, position, written)
      position += record.length
    }
    const records = turns.map((turn) => Uint8Array.from(encoder.encode(turn)))
    const recordOf = new Map(turns.map((turn, n) => [turn, records[n]!]))
    const ways: [name: string, way: Way][] = [
      ['nothing', oneByOne((_turn, written) => written())],
      [
        'encode',
        oneByOne((turn, written) => {
          encoder.encode(turn)
          written()
        }),
      ],
      ['bare', oneByOne((turn, written) => bareAppend(recordOf.get(turn)!, written))],
      ...Array.from(logs, ([mode, log]): [string, Way] => [
        mode,
        oneByOne((turn, written) => log.append(turn, written)),
      ]),
    ]
    const cpu = new Map<string, number[]>(ways.map(([name]) => [name, []]))
    const wall = new Map<string, number[]>(ways.map(([name]) => [name, []]))
    for (let round = 0; round < rounds + WARM_UP_ROUNDS; round++) {
      for (const [name, way] of ways) {
        const before = cpuUs()
        const startedMs = performance.now()
        await way(turns)
        if (round < WARM_UP_ROUNDS) continue
        cpu.get(name)!.push((cpuUs() - before) / turns.length)
        wall.get(name)!.push(((performance.now() - startedMs) * 1_000) / turns.length)
      }
    }
    const changes = sendsPerTurn * PRICES
    const idle = spread(cpu.get('nothing')!).median
    const ceiling = spread(cpu.get('bare')!).median + spread(cpu.get('encode')!).median - 2 * idle
    const each = <Value>(figure: (name: string) => Value) =>
      Object.fromEntries(ways.map(([name]) => [name, figure(name)]))
    results.push({
      sendsPerTurn,
      turns: turns.length,
      octetsPerChange: rounded(octets / (turns.length * changes)),
      cpuUsPerTurn: each((name) => spread(cpu.get(name)!)),
      cpuNsPerChange: each((name) => rounded(((spread(cpu.get(name)!).median - idle) * 1_000) / changes)),
      wallUsPerTurn: each((name) => spread(wall.get(name)!)),
      toCeiling: Object.fromEntries(
        [...logs.keys()].map((mode) => [mode, rounded(ceiling / (spread(cpu.get(mode)!).median - idle))]),
      ),
    })
  }
  print({
    bench: 'log-write',
    target: 'what P4 costs with the log is at most 10 % more than without',
    seed: SEED,
    rounds,
    ...machine(),
    results,
  })
  fs.closeSync(bareFile)
  for (const log of logs.values()) await log.close()
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
