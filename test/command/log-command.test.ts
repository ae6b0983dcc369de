// oddswire log on the folder of a real server, while it runs and after it.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { crc32 } from 'node:zlib'
import * as clock from '../../src/clock.ts'
import { endedWithTests } from '../children.ts'
import {
  command,
  type CommandResult,
  type Json,
  MAIN,
  newFolder,
  type RunningService,
  startService,
} from '../service.ts'

const folder = newFolder()
const dataDir = join(folder.path, 'data')
let service: RunningService

before(async () => {
  const at = new Date(clock.now() - 60_000).toISOString()
  const lines = Array.from({ length: 300 }, (_, event) =>
    JSON.stringify({
      bookmaker: 'book',
      transport: 'rest',
      observedAt: at,
      event: { sport: 'football', league: { key: 'l', name: 'L' }, home: `H${event}`, away: 'A', kickoffAt: at },
      quotes: Array.from({ length: 20 }, (__, n) => ({ type: 'outright', outcome: `p${n}`, odds: 2 + n / 100 })),
    }),
  )
  const recording = join(folder.path, 'observations.jsonl')
  writeFileSync(recording, lines.join('\n'))
  service = await startService(dataDir, '--replay', recording, '--format', 'observations')
})

after(async () => {
  await service.stop()
  folder.remove()
})

const log = (dir: string, ...args: string[]): CommandResult => command(dir, 'log', ...args)

const rowsIn = (stdout: string): Json[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json)

/** A copy of the data folder, which a test may damage. */
const copied = (name: string): { readonly dir: string; readonly segment: string } => {
  const dir = join(folder.path, name)
  cpSync(dataDir, dir, { recursive: true })
  const names = readdirSync(join(dir, 'log')).toSorted()
  return { dir, segment: join(dir, 'log', names.find((each) => each.endsWith('.seg'))!) }
}

/** One line on stderr, nothing on stdout. */
const refused = ({ code, stdout, stderr }: CommandResult, message: RegExp): void => {
  assert.equal(code, 1, stderr)
  assert.equal(stdout, '')
  assert.match(stderr, /^oddswire: [^\n]+\n$/)
  assert.match(stderr, message)
}

const flip = (path: string, offset: number): void => {
  const octets = readFileSync(path)
  octets[offset]! ^= 1
  writeFileSync(path, octets)
}

test('while a server writes: stat, check and dump read what is written', () => {
  const stat = log(dataDir, 'stat')
  assert.equal(stat.code, 0, stat.stderr)
  const [segment, total] = rowsIn(stat.stdout)
  assert.equal(segment!.kind, 'segment')
  assert.equal(segment!.closed, false)
  assert.equal(total!.id, 'total')
  assert.equal(total!.first, 1)
  assert.deepEqual(total!.epochs, [segment!.epoch])
  assert.equal(total!.checkpoint, null)
  const check = log(dataDir, 'check')
  assert.equal(check.code, 0, check.stderr)
  assert.equal(check.stdout, '')
  assert.match(check.stderr, /^1 files, \d+ turns, [\d,]+ octets: sound\n$/)
  const dump = log(dataDir, 'dump')
  assert.equal(dump.code, 0, dump.stderr)
  const turns = rowsIn(dump.stdout)
  assert.deepEqual(
    turns.map(({ number }) => number as unknown as number),
    turns.map((_, place) => place + 1),
  )
  const inputs = turns.flatMap((turn) => turn.inputs as unknown as Json[])
  assert.equal(inputs.filter(({ kind }) => (kind as unknown as string) === 'observe').length, 300)
  for (const { at, file } of turns) {
    assert.match(at as unknown as string, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.equal(file as unknown as string, '0000000000000001.seg')
  }
  const part = rowsIn(log(dataDir, 'dump', '--from', '2', '--to', '3').stdout)
  assert.deepEqual(part, turns.slice(1, 3))
})

test('a reader that ends early ends a dump quietly', async () => {
  const child = endedWithTests(spawn(process.execPath, [MAIN, 'log', 'dump', '--data-dir', dataDir]))
  let stderr = ''
  child.stderr!.on('data', (text) => (stderr += text))
  child.stdout!.once('data', () => child.stdout!.destroy())
  const [code] = (await once(child, 'exit')) as [number]
  assert.equal(code, 0, stderr)
  assert.equal(stderr, '')
})

test('a command line that is not understood, a folder without a log, and help', () => {
  for (const args of [[], ['none'], ['stat', '--from', '1'], ['dump', '--from', '0'], ['dump', '--to', 'x']]) {
    const { code, stderr } = log(dataDir, ...args)
    assert.equal(code, 2, args.join(' '))
    assert.match(stderr, /^oddswire: .+\nusage: oddswire log /)
  }
  assert.equal(log(dataDir, 'dump', '--from', '3', '--to', '2').code, 2)
  for (const action of ['stat', 'check', 'dump']) {
    refused(log(folder.path, action), /there is no log in .*: name its folder with --data-dir$/m)
    const help = log(dataDir, action, '--help')
    assert.equal(help.code, 0)
    assert(help.stdout.startsWith(`oddswire log ${action} `), help.stdout)
  }
  assert.match(log(dataDir, '--help').stdout, /^oddswire log check\|dump\|stat …\n/)
})

test('what is damaged is named with file, offset, and what to do', () => {
  const { dir, segment } = copied('flipped')
  const damaged = Math.floor(readFileSync(segment).length / 2)
  flip(segment, damaged)
  const check = log(dir, 'check')
  assert.equal(check.code, 1)
  const [row, ...others] = rowsIn(check.stdout)
  assert.deepEqual(others, [])
  assert.equal(row!.file as unknown as string, segment)
  const offset = row!.offset as unknown as number
  assert(offset > 0 && offset <= damaged, `${offset}`)
  assert.match(row!.what as unknown as string, /^the (head|number|checksum) of a record is wrong; \d+ octets/)
  assert.match(row!.advice as unknown as string, /^check the disk/)
  assert.match(check.stderr, /damaged in 1 place\(s\)\n$/)
  const dump = log(dir, 'dump')
  assert.equal(dump.code, 1)
  assert.match(dump.stderr, /^oddswire: \S+\.seg at offset \d+: the .* is wrong: check the disk[^\n]+\n$/)

  const other = copied('beginning')
  flip(other.segment, 20)
  for (const action of ['check', 'stat', 'dump']) {
    const { code, stdout, stderr } = log(other.dir, action)
    assert.equal(code, 1, action)
    assert.match(stdout + stderr, /the checksum of the header is wrong/)
  }
})

test('a record that is just being written is a note', () => {
  const { dir, segment } = copied('torn')
  // It may know of the record: then that would be missing.
  rmSync(join(dir, 'log-position.json'))
  // The beginning of a record with a good head: the last one, without its end.
  const octets = readFileSync(segment)
  writeFileSync(segment, octets.subarray(0, -1))
  const check = log(dir, 'check')
  assert.equal(check.code, 0, check.stdout)
  assert.match(check.stderr, /^note: \S+\.seg at offset \d+: the last record is being written, or was interrupted\n/)
})

/** As a newer version writes it. */
const makeNewer = (path: string): void => {
  const octets = readFileSync(path)
  octets.writeUInt32LE(9, 8)
  const end = 16 + octets.readUInt32LE(12)
  octets.writeUInt32LE(crc32(octets.subarray(0, end)), end)
  writeFileSync(path, octets)
}

const PORTS = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0']

test('after the server: the checkpoint is checked, damage in it is named; a newer format is one line', async () => {
  assert.equal(await service.stop(), 0)
  const rows = rowsIn(log(dataDir, 'stat').stdout)
  const checkpoint = rows.find(({ kind }) => (kind as unknown as string) === 'checkpoint')!
  assert.equal(rows.at(-1)!.checkpoint, checkpoint.last)
  assert.equal(rows[0]!.closed as unknown as boolean, true)
  assert.equal(log(dataDir, 'check').code, 0)

  const { dir } = copied('checkpoint')
  const path = join(dir, 'log', checkpoint.id as unknown as string)
  for (const share of [0.2, 0.7]) {
    const offset = Math.floor(readFileSync(path).length * share)
    flip(path, offset)
    const check = log(dir, 'check')
    assert.equal(check.code, 1)
    const [row] = rowsIn(check.stdout)
    assert.equal(row!.file as unknown as string, path)
    assert((row!.offset as unknown as number) <= offset)
    flip(path, offset)
  }
  appendFileSync(path, 'x')
  assert.match(log(dir, 'check').stdout, /1 octets follow the end/)

  makeNewer(path)
  refused(log(dir, 'check'), /\.ckpt has format 9, and this version .*: start the version that has written it/)
  refused(command(dir, 'serve', ...PORTS), /\.ckpt has format 9/)
  const newer = copied('newer')
  makeNewer(newer.segment)
  for (const action of ['check', 'stat', 'dump']) refused(log(newer.dir, action), /\.seg: it has format 9/)
  refused(command(newer.dir, 'serve', ...PORTS), /\.seg: it has format 9/)
})

test('check misses what log-position.json knows of', () => {
  const { dir } = copied('incomplete')
  const names = readdirSync(join(dir, 'log')).filter((name) => name.endsWith('.seg'))
  rmSync(join(dir, 'log', names.toSorted().at(-1)!))
  const { code, stderr } = log(dir, 'check')
  assert.equal(code, 1, stderr)
  assert.match(stderr, /^the log ends at turn \d+, and was at \d+ before \(log-position\.json\): /m)
  assert.match(stderr, /: incomplete$/m)
})
