// What the server says and does at the start, by what it finds of the log.

import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as clock from '../../src/clock.ts'
import { command, newFolder, type RunningService, startService } from '../service.ts'

const folder = newFolder()
const original = join(folder.path, 'original')
const PORTS = ['--http-port', '0', '--stomp-port', '0', '--admin-port', '0']
let epoch = ''

interface LogLine {
  readonly level: number
  readonly source?: string
  readonly msg: string
}

const INFO = 30
const WARN = 40
const ERROR = 50

const linesOf = (stderr: string): LogLine[] =>
  stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LogLine)

/** Whether a server has written a turn since it began. */
const hasWritten = async ({ admin }: RunningService): Promise<boolean> => {
  const metrics = await (await fetch(`${admin}/metrics`)).text()
  return /^oddswire_log_appends_total [1-9]/m.test(metrics) && /^oddswire_log_unwritten_turns 0$/m.test(metrics)
}

/** Starts a server, ends it in order or by a kill, and returns its lines about the log. */
const start = async (dir: string, args: readonly string[] = [], isKilled = false): Promise<LogLine[]> => {
  const service = await startService(dir, ...args)
  if (isKilled) {
    // The line about the log follows the one that says that it is ready, and the first turn comes after both.
    while (!service.stderr().includes('"source":"log"') || !(await hasWritten(service)))
      await new Promise((resolve) => setTimeout(resolve, 5))
    await service.kill()
  }
  if (!isKilled) assert.equal(await service.stop(), 0)
  return linesOf(service.stderr()).filter(({ source }) => source === 'log')
}

/** The same log elsewhere: moved, because a copy begins an epoch. The original is then a copy of it. */
const moved = (name: string): string => {
  const dir = join(folder.path, name)
  cpSync(original, dir, { recursive: true })
  rmSync(join(dir, 'log'), { recursive: true })
  renameSync(join(original, 'log'), join(dir, 'log'))
  return dir
}

const giveBack = (dir: string): void => renameSync(join(dir, 'log'), join(original, 'log'))

const filesOf = (dir: string): string[] =>
  readdirSync(join(dir, 'log'), { recursive: true, encoding: 'utf8' }).toSorted()

const fileOf = (dir: string, ending: string): string =>
  join(dir, 'log', filesOf(dir).findLast((name) => name.endsWith(ending))!)

const flip = (path: string): void => {
  const octets = readFileSync(path)
  octets[Math.floor(octets.length / 2)]! ^= 1
  writeFileSync(path, octets)
}

before(async () => {
  const at = new Date(clock.now() - 60_000).toISOString()
  const lines = Array.from({ length: 3 }, (_, event) =>
    JSON.stringify({
      bookmaker: 'book',
      transport: 'rest',
      observedAt: at,
      event: { sport: 'football', league: { key: 'l', name: 'L' }, home: `H${event}`, away: 'A', kickoffAt: at },
      quotes: Array.from({ length: 10 }, (__, n) => ({ type: 'outright', outcome: `p${event} ${n}`, odds: 2 })),
    }),
  )
  const recording = join(folder.path, 'observations.jsonl')
  writeFileSync(recording, lines.join('\n'))
  const service = await startService(original, '--replay', recording, '--format', 'observations')
  assert.equal(await service.stop(), 0)
  const logged = linesOf(service.stderr())
  assert.equal(logged[0]!.level, INFO, 'a first start does not begin with a warning')
  const first = logged.find(({ source }) => source === 'log')
  epoch = /^the log is new: epoch (\w+) begins$/.exec(first!.msg)![1]!
})

after(() => folder.remove())

test('the log goes on: one line says where, and how long it took', async () => {
  const [line, ...others] = await start(original)
  assert.deepEqual(others, [])
  assert.equal(line!.level, INFO)
  const text = `^the log goes on in epoch ${epoch}: the board is that of turn (\\d+) \\(the checkpoint of turn \\1 and 0 turns in `
  assert.match(line!.msg, new RegExp(text))
})

test('a limit that is too small for the checkpoint refuses the start, and nothing is moved', () => {
  const files = filesOf(original)
  for (const [flag, needed] of [
    ['--quotes-max', 30],
    ['--events-max', 3],
    ['--labels-max', 30],
  ] as const) {
    const { code, stdout, stderr } = command(original, 'serve', ...PORTS, flag, String(needed - 1))
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(stderr, new RegExp(`^oddswire: the saved state holds .*: ${flag} must be at least ${needed}\n$`))
    assert.deepEqual(filesOf(original), files)
  }
})

test('a checkpoint that cannot be read, and is not damaged, refuses the start', () => {
  const path = fileOf(original, '.ckpt')
  renameSync(path, `${path}.away`)
  mkdirSync(path)
  const { code, stderr } = command(original, 'serve', ...PORTS)
  assert.equal(code, 1)
  assert.match(stderr, /^oddswire: the log in \S+ cannot be opened \(EISDIR: [^\n]+\n$/)
  rmSync(path, { recursive: true })
  renameSync(`${path}.away`, path)
})

test('a damaged checkpoint is kept aside; where all turns are in segments the epoch goes on', async () => {
  const dir = moved('checkpoint')
  for (const name of filesOf(dir).filter((each) => each.endsWith('.ckpt'))) flip(join(dir, 'log', name))
  const [first, second, ...others] = await start(dir)
  const more = [first!, second!, ...others]
  assert.equal(first!.level, ERROR)
  assert.match(first!.msg, /\.ckpt at offset \d+: .*: check the disk and the memory; `oddswire log check`/)
  const aside = more.find(({ msg }) => msg.startsWith('damaged files'))!
  assert.match(aside.msg, /are kept in \S+\/log\/damaged-files: delete it when/)
  assert.equal(aside.level, WARN)
  assert.match(
    more.at(-1)!.msg,
    new RegExp(`^the log goes on in epoch ${epoch}: the board is that of turn \\d+ \\(\\d+ turns`),
  )
  giveBack(dir)
})

test('a damaged segment: what is before it is the board, in a new epoch', async () => {
  const dir = join(folder.path, 'segment')
  cpSync(original, dir, { recursive: true })
  for (const name of filesOf(dir).filter((each) => each.endsWith('.ckpt'))) rmSync(join(dir, 'log', name))
  flip(join(dir, 'log', '0000000000000001.seg'))
  const [fault, aside, line] = await start(dir)
  assert.match(fault!.msg, /0001\.seg at offset \d+: the \w+ of a record is wrong: check the disk/)
  const next = /log\/damaged-(\w+): delete it/.exec(aside!.msg)![1]!
  assert.equal(line!.level, WARN)
  assert.match(
    line!.msg,
    new RegExp(`^epoch ${next} begins, because the log is damaged: the board is that of turn \\d+ .*get a reset$`),
  )
  const [again] = await start(dir)
  assert.match(again!.msg, new RegExp(`^the log goes on in epoch ${next}: `))
})

test('a log that is missing, or was copied, begins an epoch', async () => {
  const dir = join(folder.path, 'copied')
  cpSync(original, dir, { recursive: true })
  const [copy] = await start(dir)
  assert.equal(copy!.level, WARN)
  assert.match(copy!.msg, /^epoch \w+ begins, because the log is a copy: the board is that of turn \d+ /)
  rmSync(join(dir, 'log'), { recursive: true })
  const [missing] = await start(dir)
  assert.equal(missing!.level, WARN)
  assert.match(missing!.msg, /^epoch \w+ begins, because the log is missing: the board is empty /)
})

test('other limits that are large enough begin an epoch only where turns are in no checkpoint', async () => {
  const [first] = await start(original, ['--quotes-max', '30'], true)
  assert.match(first!.msg, new RegExp(`^the log goes on in epoch ${epoch}: `))
  const [second] = await start(original)
  assert.match(second!.msg, /^epoch \w+ begins, because turns since the last checkpoint were applied by other rules: /)
})
