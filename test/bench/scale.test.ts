// The model of what a large service needs: unit costs out of rows of benches, and the arithmetic with them.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  ASSUMED,
  type Assumptions,
  divided,
  dividedToFit,
  logPerSport,
  needsOf,
  oneLog,
  treeOf,
} from '../../bench/scale-model.ts'
import { plansOf } from '../../bench/scale-plans.ts'
import { MissingRow, Rows, unitsOf } from '../../bench/scale-units.ts'
import { fit, type StreamCost } from '../../bench/stream-costs.ts'
import { ROOT } from '../root.ts'
import { BENCH_OUTPUTS } from './scale-rows.ts'

const ROWS = new Rows(Object.values(BENCH_OUTPUTS))
const UNITS = unitsOf(ROWS, 'no', 'recording')

const near = (actual: number, expected: number, what: string): void =>
  assert(Math.abs(actual - expected) <= Math.abs(expected) * 1e-9, `${what}: ${actual}, not ${expected}`)

const WHOLE = oneLog()[0]!

test('unit costs are those of the rows', () => {
  // A SEND to 50 and a SEND to 2 differ by 48 writes.
  near(UNITS.writeUs, 4, 'a write')
  near(UNITS.turnUs, 50, 'a turn')
  // Decoded 100 ns, on the board (4000 - 1000) / 10 ns, into the file log 100 ns.
  near(UNITS.applyUs, 0.5, 'a price, applied')
  near(UNITS.ingestUs, 1, 'a price, read')
  near(UNITS.quoteOctets, 100, 'a quote')
  near(UNITS.baseOctets, 100 * 2 ** 20, 'a process')
  near(UNITS.loadUsPerQuote, 0.25, 'a quote, loaded')
  near(UNITS.checkpointOctetsPerQuote, 80, 'a quote in a checkpoint')
  near(UNITS.connectionOctets, 8_000, 'a connection')
  near(UNITS.logOctets.fresh, 20, 'a price in the log')
  near(UNITS.sendOctetsPerPrice, 100, 'a price in a SEND')
  near(UNITS.stream.memoryOctetsPerOctet, 1.2, 'memory of the stream')
  near(UNITS.stream.replicaOctets, 320, 'an entry on its way to a replica')
  near(UNITS.stream.beatUs, 10, 'a heart-beat')
  near(UNITS.stream.beatMemberUs, 0.5, 'a process in its answer')
  near(UNITS.quotesPerEvent, 100, 'quotes of an event, as recorded')
  assert.deepEqual(ROWS.machines, ['a processor'])
})

test('Redis costs what its fsync costs; sports are those of the chosen source', () => {
  const always = unitsOf(ROWS, 'always', 'recording')
  assert.equal(always.stream.appendUs, 240)
  assert.deepEqual(UNITS.doubts, [])
  // A second run, whose rows agree less, changes nothing.
  const worse = BENCH_OUTPUTS['stream']!.replaceAll('"errorMax":0', '"errorMax":7').replaceAll(
    /"appendUs":\d+/g,
    '"appendUs":9',
  )
  assert.equal(unitsOf(new Rows([...Object.values(BENCH_OUTPUTS), worse]), 'always', 'recording').stream.appendUs, 240)
  assert.deepEqual(UNITS.sports[0], { sport: 'football', quotes: 0.8, changes: 0.8 })
  const simulated = unitsOf(ROWS, 'no', 'simulator')
  assert.deepEqual(simulated.sports[0], { sport: 'football', quotes: 0.5, changes: 0.6 })
  assert.equal(simulated.quotesPerEvent, 900)
})

test('rows that a busy machine has disturbed are named', () => {
  const text = BENCH_OUTPUTS['live']!.replace(
    '"publisherLateMaxUs":{"oddswire":1000}',
    '"publisherLateMaxUs":{"oddswire":9000}',
  )
  const stream = BENCH_OUTPUTS['stream']!.replaceAll(/"errorMax":[\d.]+/g, '"errorMax":0.3')
  const { doubts } = unitsOf(new Rows([...Object.values({ ...BENCH_OUTPUTS, stream }), text]), 'no', 'recording')
  assert.match(doubts.join('\n'), /^P7 of bench\/live: .* late by 9000 µs.*\nbench\/stream: .* by 30 %$/)
})

test('a bench that was not run is named, with its command', () => {
  for (const [name, bench] of [
    ['live', 'live.js'],
    ['connections', 'connections.js'],
    ['http', 'http.js'],
    ['ingest', 'ingest.js'],
    ['codec', 'log-codec.js'],
    ['write', 'log-write.js'],
    ['large', 'restart.js'],
    ['stream', 'stream.js'],
    ['beats', 'beats.js'],
    ['sports', 'sports.js'],
  ] as const) {
    const others = Object.entries(BENCH_OUTPUTS).filter(([each]) => each !== name)
    assert.throws(
      () => unitsOf(new Rows(others.map(([, text]) => text)), 'no', 'recording'),
      (error) => error instanceof MissingRow && error.message.includes(`node dist/bench/${bench}`),
      name,
    )
  }
})

const ONLY_THE_LOG: Assumptions = {
  ...ASSUMED,
  subscribers: 0,
  requestsPerSecond: 0,
  quotes: 1_000_000,
  redisBusyMax: 0.501,
  changesPerSecond: 100_000,
  observedPerChange: 2,
}

test('who follows a log pays for its prices, its changes and its turns', () => {
  const needs = needsOf(WHOLE, UNITS, ONLY_THE_LOG, { share: 1, feeds: false })
  // 200 000 prices, 100 000 changes, 200 turns and reads, 4 MB of which each octet costs the client 1 ns.
  const us = 200_000 * 0.5 + 100_000 * 0.3 + 200 * (50 + 20) + 4_000_000 * 1e-3
  near(needs.applyBusy, us * 1e-6, 'one process')
  near(needs.logOctetsPerSecond, 4_000_000, 'octets of the log')
  assert.equal(needs.processes, 1)
  near(needs.processBusy, needs.applyBusy, 'nobody is served')
  near(needs.processOctets, 100 * 2 ** 20 + 1e8 + ASSUMED.cacheOctets, 'memory')
  near(needs.catchUpSeconds, 0.25 / (1 - needs.applyBusy), 'a new process')
  // An entry has 20 000 octets: 40 µs and 5 ns each to append, 10 µs and 0.5 ns each for a reader.
  near(needs.appendBusy, 200 * (40 + 100) * 1e-6, 'appends')
  near(needs.readerBusy, 200 * (10 + 10) * 1e-6, 'a reader')
  // One process beats four times a second, and its answer names one.
  near(needs.beatBusy, 4 * 10.5e-6, 'heart-beats')
  assert.equal(needs.readersMax, 118)
})

test('more prices end more turns', () => {
  const needs = needsOf(WHOLE, UNITS, { ...ONLY_THE_LOG, observedPerChange: 5 }, { share: 1, feeds: false })
  assert.equal(needs.turnsPerSecond, 500)
})

test('subscribers are served by as many processes as it takes, and no more', () => {
  const assumed: Assumptions = { ...ONLY_THE_LOG, subscribers: 100_000, leagueShare: 0, allShare: 0 }
  const needs = needsOf(WHOLE, UNITS, assumed, { share: 1, feeds: true })
  // 40 000 groups a second on 10 000 events, of which the watched ones change ten times as often: 40 a second, five each.
  near(needs.messagesPerSecond, 100_000 * 200, 'messages')
  assert(needs.processBusy <= assumed.busyMax)
  const fewer = needsOf(WHOLE, UNITS, assumed, { share: 1, feeds: true, processes: needs.processes - 1 })
  assert(fewer.processBusy > assumed.busyMax)
  assert.equal(fewer.breaks.length, 1)
  assert.deepEqual(needs.breaks, [])
})

test('where following the log is too much, no number of processes is enough, and it says so', () => {
  const needs = needsOf(WHOLE, UNITS, { ...ONLY_THE_LOG, changesPerSecond: 600_000 }, { share: 1, feeds: false })
  assert.match(needs.breaks.join(), /^to follow the log takes \d+ % of a core in every process/)
  const slow = needsOf(WHOLE, UNITS, { ...ONLY_THE_LOG, changesPerSecond: 2_000_000 }, { share: 1, feeds: false })
  assert.equal(slow.catchUpSeconds, Number.POSITIVE_INFINITY)
})

test('logs per sport, and parts of one, carry together what one log carried', () => {
  const sports = logPerSport(UNITS, ASSUMED)
  for (const parts of [sports, divided(WHOLE, 7, ASSUMED), dividedToFit(sports, UNITS, ASSUMED)]) {
    near(
      parts.reduce((sum, { quotes }) => sum + quotes, 0),
      1,
      'quotes',
    )
    near(
      parts.reduce((sum, { changes }) => sum + changes, 0),
      1,
      'changes',
    )
    const messages = parts.map((part) => needsOf(part, UNITS, ASSUMED, { share: 1, feeds: true }).messagesPerSecond)
    const whole = needsOf(WHOLE, UNITS, ASSUMED, { share: 1, feeds: true }).messagesPerSecond
    near(
      messages.reduce((sum, each) => sum + each, 0),
      whole,
      'messages',
    )
  }
  assert.deepEqual(divided(WHOLE, 1, ASSUMED), oneLog())
  // Each part is less than half of what a process may do.
  const fit = dividedToFit(sports, UNITS, ASSUMED)
  for (const part of fit) {
    const { applyBusy } = needsOf(part, UNITS, ASSUMED, { share: 1, feeds: true })
    assert(applyBusy <= ASSUMED.busyMax / 2, part.name)
  }
  assert(fit.length > sports.length)
})

test('a tree has no more readers of the Redis than it can serve', () => {
  const assumed: Assumptions = { ...ASSUMED, changesPerSecond: 150_000 }
  const needs = needsOf(WHOLE, UNITS, assumed, { share: 1, feeds: true })
  const tree = treeOf(needs, UNITS, assumed)
  assert(needs.processes > needs.readersMax)
  assert(tree.levels[0]! <= needs.readersMax)
  assert(tree.levels.at(-1)! * tree.degree >= needs.processes)
  near(tree.addedMs, tree.levels.length * 0.3, 'a level')
  assert.deepEqual(treeOf({ ...needs, processes: needs.readersMax }, UNITS, assumed).levels, [])
})

test('regions get the log once each; one region gets nothing from elsewhere', () => {
  const plans = new Map(plansOf(UNITS, ASSUMED).map((plan) => [plan.plan[0], plan]))
  const [home, regional] = [plans.get('3')!, plans.get('4')!]
  assert.equal(home.betweenRegionsMbps, 0)
  const entriesMbps = regional.logs * ASSUMED.turnsPerSecond * 320 * ASSUMED.wireShare * 8e-6
  near(regional.betweenRegionsMbps, 2 * (regional.logMbps + entriesMbps), 'two regions')
  assert(plans.get('1')!.breaks.length > 0)
})

test('costs of a stream are found in rows that have them', () => {
  const rows: StreamCost[] = [1_000, 10_000, 100_000].flatMap((octets) =>
    [1, 3, 10].map((readers) => {
      const us = 40 + 0.006 * octets + readers * (10 + 0.0003 * octets)
      return {
        octets,
        readers,
        mainUsPerEntry: us,
        allUsPerEntry: us,
        clientUsPerEntry: us,
        memoryOctetsPerEntry: octets,
      }
    }),
  )
  const found = fit(rows, ({ mainUsPerEntry }) => mainUsPerEntry)
  const { errorMax, ...costs } = found
  assert.deepEqual(costs, { appendUs: 40, appendNsPerOctet: 6, readUs: 10, readNsPerOctet: 0.3 })
  assert(errorMax < 1e-6)
  // A cost that would come out below nothing is left out.
  const flat = rows.map((row) => ({ ...row, mainUsPerEntry: 50 - row.octets / 1e5 }))
  assert.equal(fit(flat, ({ mainUsPerEntry }) => mainUsPerEntry).appendNsPerOctet, 0)
})

const folder = mkdtempSync(join(tmpdir(), 'oddswire-scale-test-'))
after(() => rmSync(folder, { recursive: true }))

const files = Object.entries(BENCH_OUTPUTS).map(([name, text]) => {
  const file = join(folder, `${name}.json`)
  writeFileSync(file, text)
  return file
})

const scale = (...args: string[]) =>
  spawnSync(process.execPath, [join(ROOT, 'dist', 'bench', 'scale.js'), ...args], { encoding: 'utf8' })

test('the command prints a table, or JSON, and refuses what it cannot use', () => {
  const table = scale(...files)
  assert.equal(table.status, 0, table.stderr)
  assert.match(table.stdout, /^processes +\| 1 /m)
  assert.match(table.stdout, /assumed, not measured: .*--subscribers 1000000 /)
  const json = scale(
    ...files,
    '--json',
    '--subscribers',
    '5',
    '--changes-per-second',
    '10',
    '--requests-per-second',
    '5',
  )
  const { assumed, plans } = JSON.parse(json.stdout) as { assumed: Assumptions; plans: { breaks: string[] }[] }
  assert.equal(assumed.subscribers, 5)
  assert.equal(assumed.changesPerSecond, 10)
  assert.deepEqual(plans[0]!.breaks, [])
  for (const [args, says] of [
    [[], /^name the files/],
    [[files[1]!], /^no row of bench\/live fits; run: node dist\/bench\//],
    [[join(folder, 'none')], /ENOENT/],
    [[...files, '--subscribers', 'many'], /^--subscribers: "many" is no number/],
    [[...files, '--fsync', 'often'], /^--fsync: give one of/],
    [[...files, '--users', '5'], /--users.*assumptions are --subscribers/],
  ] as const) {
    const refused = scale(...args)
    assert.equal(refused.status, 2)
    assert.match(refused.stderr, says)
    assert.equal(refused.stderr.trim().split('\n').length, 1)
  }
})

test('the tables of docs/scale.md are what the command prints of the rows that it names', () => {
  const document = readFileSync(join(ROOT, 'docs', 'scale.md'), 'utf8')
  const { stdout, stderr, status } = scale(join(ROOT, 'bench', 'scale-measured.jsonl'))
  assert.equal(status, 0, stderr)
  const table = stdout.slice(0, stdout.indexOf('assumed, not measured'))
  assert(document.includes(table), `docs/scale.md has another table than:\n${table}`)
})
