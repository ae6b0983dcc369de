// P9 (bench/README.md): writing the state of a board of 5 M quotes to a checkpoint, and reading it in a new process. The
// figures are CPU seconds of one process (page cache warm); octets are those of the file.
//
//   node dist/bench/checkpoint.js [--quotes 5000000] [--per-event 500,45] [--folder /tmp]

import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Board } from '../src/board/board.ts'
import { Engine } from '../src/engine/engine.ts'
import { NameMatcher } from '../src/identity/matcher.ts'
import { Sightings } from '../src/identity/sightings.ts'
import { CheckpointReader, CheckpointWriter } from '../src/log/checkpoint.ts'
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
    'quotes-max': { type: 'string' },
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
  const options = { quotesMax: quotes, skewMsMax: 5_000, bookmakersMax: 1_000, wheelVisitsMax: 10_000 }
  const engine = new Engine({ ...options, matcher: new NameMatcher() }, START)
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

const write = (path: string, { board, sightings }: Engine): void => {
  const writer = new CheckpointWriter(path, {})
  board.save(writer)
  sightings.save(writer)
  writer.finish()
}

if (flags.load === undefined) {
  print(machine())
  for (const perEvent of flags['per-event'].split(',').map(Number)) {
    const quotes = Number(flags.quotes)
    const engine = fill(quotes, perEvent)
    const path = join(flags.folder, `bench-${process.pid}.checkpoint`)
    try {
      const writeSeconds = measured(() => write(path, engine))
      const sum = new ChecksumWriter()
      const checksumSeconds = measured(() => {
        engine.board.save(sum)
        engine.sightings.save(sum)
      })
      const reader = new CheckpointReader(path)
      const checkSeconds = measured(() => reader.checkRest())
      const { eventCount } = engine.board.catalogue
      const held = engine.board.capacity.quotes.held
      print({
        bench: 'checkpoint',
        quotes: held,
        events: eventCount,
        octets: reader.size,
        writeSeconds,
        checksumSeconds,
        checkSeconds,
      })
      for (const quotesMax of [quotes, quotes + 1]) {
        const args = [fileURLToPath(import.meta.url), '--load', path, '--quotes-max', String(quotesMax)]
        process.stdout.write(execFileSync(process.execPath, args))
      }
      print({ digest: sum.digest() })
    } finally {
      rmSync(path, { force: true })
    }
  }
} else {
  const startedSeconds = rounded(cpuSince({ user: 0, system: 0 }))
  const from = performance.now()
  const reader = new CheckpointReader(flags.load)
  const board = new Board({ quotesMax: Number(flags['quotes-max']) }, START)
  const sightings = new Sightings(board, new NameMatcher())
  const boardSeconds = measured(() => board.load(reader))
  const sightingsSeconds = measured(() => sightings.load(reader))
  reader.end()
  const wallSeconds = rounded((performance.now() - from) / 1e3)
  const sum = new ChecksumWriter()
  board.save(sum)
  sightings.save(sum)
  print({
    load: flags['quotes-max'],
    startedSeconds,
    boardSeconds,
    sightingsSeconds,
    wallSeconds,
    digest: sum.digest(),
    rss: process.memoryUsage().rss,
  })
}
