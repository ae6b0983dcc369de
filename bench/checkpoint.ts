// P9 (bench/README.md): writing the state of a board of 5 M quotes to a checkpoint, and reading it in a new process. Seconds
// are CPU seconds of one process, page cache warm, but for `wallSeconds`.
//
//   node dist/bench/checkpoint.js [--quotes 5000000] [--per-event 500,45] [--folder /tmp] [--keep]

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Engine, type EngineOptions } from '../src/engine/engine.ts'
import { NameMatcher } from '../src/identity/matcher.ts'
import { CheckpointReader, CheckpointWriter } from '../src/log/checkpoint.ts'
import { DISK } from '../src/log/disk.ts'
import { ChecksumWriter } from '../src/log/checksum.ts'
import { SeededRandom } from '../src/source/simulator/random.ts'
import { observationOf, QUOTES_PER_BOOK } from './quotes.ts'
import { machine, print, rounded } from './report.ts'

const START = 1_790_000_000_000
const SEED = 7
const TEAMS = 40_000

const { values: flags } = parseArgs({
  options: {
    quotes: { type: 'string', default: '5000000' },
    'per-event': { type: 'string', default: '500,45' },
    folder: { type: 'string', default: tmpdir() },
    load: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
})

/** CPU seconds of this process since a former usage. */
const cpuSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

const measured = (work: () => void): number => {
  const before = process.cpuUsage()
  work()
  return rounded(cpuSince(before))
}

const SYLLABLES = 'ba ro ki ve lu dan ster mol gri hav nor sil tam wes zor pel'.split(' ')

const wordOf = (number: number): string => {
  let word = ''
  for (let left = number + 300; left > 0; left = Math.floor(left / SYLLABLES.length)) {
    word += SYLLABLES[left % SYLLABLES.length]
  }
  return word
}

const teamOf = (number: number): string => `${wordOf(number % 4_000)} ${wordOf(number % 7_001)} FC`

const fill = (quotes: number, perEvent: number): Engine => {
  const random = new SeededRandom(SEED)
  const books = Math.round(perEvent / QUOTES_PER_BOOK)
  const events = Math.floor(quotes / books / QUOTES_PER_BOOK)
  const engine = new Engine(optionsOf(quotes), START)
  for (let event = 0; event < events; event++) {
    const [home, away] = [teamOf(Math.floor(random.next() * TEAMS)), teamOf(Math.floor(random.next() * TEAMS))]
    for (let bookmaker = 0; bookmaker < books; bookmaker++) {
      const observation = observationOf(event, bookmaker, START + (event % 80_000) * 1_000, 'rest', random)
      // A third of the events is named by two sources.
      const isSecond = event % 3 === 0 && bookmaker === 1
      const source = isSecond ? 'second' : 'first'
      const names = { home: isSecond ? home.replace(' FC', '') : home, away, sourceKey: `${source}:${event}` }
      const part = engine.producerNumber(`${source} ${bookmaker % 4}`)
      engine.observe({ ...observation, event: { ...observation.event, ...names } }, START + 80_000_000, part)
    }
  }
  while (!engine.turn(START + 80_000_000));
  return engine
}

const optionsOf = (quotesMax: number): EngineOptions => ({
  quotesMax,
  skewMsMax: 5_000,
  bookmakersMax: 1_000,
  wheelVisitsMax: 10_000,
  matcher: new NameMatcher(),
})

const write = (path: string, engine: Engine): void => {
  const writer = new CheckpointWriter(path, {})
  engine.save(writer)
  writer.finish()
}

/** In a new process: what loading costs there. */
interface Loaded {
  readonly loadSeconds: number
  readonly wallSeconds: number
  readonly rss: number
  readonly digest: string
}

const digestOf = (engine: Engine): string => {
  const sum = new ChecksumWriter()
  engine.save(sum)
  return sum.digest()
}

/** Its CPU time is all that a load takes. */
const ONE_THREAD = { ...DISK, read: undefined }

const load = (path: string, quotesMax: number): Loaded => {
  const from = performance.now()
  let engine: Engine | undefined
  const loadSeconds = measured(() => {
    const reader = new CheckpointReader(path, ONE_THREAD)
    engine = new Engine(optionsOf(quotesMax), START)
    engine.load(reader)
    reader.end()
    reader.close()
  })
  const wallSeconds = rounded((performance.now() - from) / 1e3)
  return { loadSeconds, wallSeconds, rss: process.memoryUsage().rss, digest: digestOf(engine!) }
}

const loadElsewhere = (path: string, quotesMax: number): Loaded => {
  const args = [fileURLToPath(import.meta.url), '--load', path, '--quotes', String(quotesMax)]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

const bench = (quotes: number, perEvent: number): void => {
  const engine = fill(quotes, perEvent)
  const path = join(flags.folder, `bench-${process.pid}-${perEvent}.checkpoint`)
  try {
    const writeSeconds = measured(() => write(path, engine))
    let digest = ''
    const checksumSeconds = measured(() => {
      digest = digestOf(engine)
    })
    const reader = new CheckpointReader(path)
    const { size: octets } = reader
    const checkSeconds = measured(() => reader.checkRest())
    reader.close()
    const { digest: loadedDigest, ...loaded } = loadElsewhere(path, quotes)
    assert.equal(loadedDigest, digest, 'the loaded state is another one')
    // With another size the index is built again.
    const { loadSeconds: otherSizeSeconds } = loadElsewhere(path, quotes + 1)
    const { capacity, catalogue } = engine.board
    const size = { quotes: capacity.quotes.held, events: catalogue.eventCount, octets }
    print({ bench: 'checkpoint', ...size, ...loaded, otherSizeSeconds, writeSeconds, checksumSeconds, checkSeconds })
  } finally {
    if (!flags.keep) rmSync(path, { force: true })
  }
}

if (flags.load === undefined) {
  print(machine())
  for (const perEvent of flags['per-event'].split(',')) bench(Number(flags.quotes), Number(perEvent))
} else {
  print(load(flags.load, Number(flags.quotes)))
}
