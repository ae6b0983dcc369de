// Injects faults into the built server under load, and prints what was promised and what was seen.
//
//   npm run faults [-- NAME…] [--long] [--runs N] [--seed N]
//
// Several faults are tried in processes of their own: in the short form two at a time.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import * as clock from '../../src/clock.ts'
import { backups } from './backups.ts'
import { crowd } from './crowd.ts'
import { damage } from './damage.ts'
import type { Fault } from './fault.ts'
import { fullDisk } from './full-disk.ts'
import { kills } from './kills.ts'
import { makeStore } from './rig.ts'
import { sickDisk } from './sick-disk.ts'
import { soak } from './soak.ts'
import { clockSteps, stops } from './stops.ts'
import { upgrades } from './upgrades.ts'

const FAULTS: readonly Fault[] = [
  kills,
  upgrades,
  damage,
  backups,
  fullDisk,
  sickDisk,
  stops,
  clockSteps,
  ...crowd,
  soak,
]

const HELP = [
  'npm run faults -- [NAME…] [--long] [--runs N] [--seed N]',
  '',
  'Injects faults into the built server under load, and prints what was promised and what was seen. Without NAME, all:',
  '',
  ...FAULTS.map(({ name, promise }) => `  ${name.padEnd(16)}${promise}`),
  '',
  '  --long          1 000 kills, 500 damages, a soak of 30 minutes: hours',
  '  --runs N        so often, where a fault is tried repeatedly',
  '  --seed N        of what is chosen at random; printed at the start',
  '',
  'Exit codes: 0 all promises were kept, 1 one was not, 2 invalid command line.',
].join('\n')

const refuse = (reason: string): never => {
  process.stderr.write(`${reason}\n`)
  process.exit(2)
}

const readFlags = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        long: { type: 'boolean', default: false },
        runs: { type: 'string' },
        seed: { type: 'string', default: String(clock.now() % 1_000_000) },
        // Of a process for one fault.
        store: { type: 'string' },
      },
    })
  } catch (error) {
    return refuse(`${(error as Error).message}; --help for more`)
  }
}

const { values: flags, positionals } = readFlags()
if (flags.help) {
  process.stdout.write(`${HELP}\n`)
  process.exit(0)
}
const NAMES = FAULTS.map(({ name }) => name)
const unknown = positionals.filter((name) => !NAMES.includes(name))
if (unknown.length > 0) refuse(`no fault ${unknown.join(', ')}; there are ${NAMES.join(', ')}`)
for (const name of ['runs', 'seed'] as const) {
  if (!/^\d{1,9}$/.test(flags[name] ?? '0')) refuse(`--${name} must be a whole number, not "${flags[name]}"`)
}

const note = (line: string): void => void process.stderr.write(`${line}\n`)

interface Row {
  readonly name: string
  readonly runs: number
  readonly promise: string
  readonly seen: string
  readonly isKept: boolean
}

const tryHere = async ({ name, promise, run }: Fault, store: string): Promise<Row> => {
  const folder = mkdtempSync(join(tmpdir(), `oddswire-fault-${name}-`))
  const startedMs = clock.elapsedMs()
  const row = (runs: number, isKept: boolean, seen: string): Row => {
    const tookS = ((clock.elapsedMs() - startedMs) / 1_000).toFixed(0)
    // What is damaged is worth a look.
    if (!isKept) note(`${name}: the data is in ${folder}`)
    else rmSync(folder, { recursive: true, force: true })
    return { name, runs, promise, seen: `${seen}; ${tookS} s`, isKept }
  }
  try {
    const outcome = await run({
      isLong: flags.long,
      runs: flags.runs === undefined ? undefined : Number(flags.runs),
      seed: Number(flags.seed),
      folder,
      store,
      note: (line) => note(`${name}: ${line}`),
    })
    if ('skipped' in outcome) {
      note(`${name}: skipped: ${outcome.skipped}`)
      return row(0, true, `skipped: ${outcome.skipped}`)
    }
    const { violations, seen, runs } = outcome
    for (const line of violations) note(`${name}: NOT KEPT: ${line}`)
    const isKept = violations.length === 0
    return row(runs, isKept, `${isKept ? 'kept' : `NOT KEPT (${violations.length})`}: ${seen}`)
  } catch (error) {
    note(`${name}: ${(error as Error).stack}`)
    return row(0, false, `FAILED: ${(error as Error).message.split('\n')[0]}`)
  }
}

/** In a process of its own: this one's processor is the clients'. */
const tryApart = (name: string, store: string): Promise<Row> =>
  new Promise((resolve) => {
    const words = [fileURLToPath(import.meta.url), name, '--store', store, '--seed', flags.seed]
    if (flags.long) words.push('--long')
    if (flags.runs !== undefined) words.push('--runs', flags.runs)
    const child = spawn(process.execPath, ['--enable-source-maps', ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    child.once('close', (code) => {
      const failed: Row = { name, runs: 0, promise: '', seen: `FAILED: exit code ${code}`, isKept: false }
      const row = text === '' ? failed : (JSON.parse(text) as Row)
      note(`${name}: ${row.seen}`)
      resolve(row)
    })
  })

if (flags.store !== undefined) {
  const row = await tryHere(FAULTS.find(({ name }) => name === positionals[0])!, flags.store)
  process.stdout.write(JSON.stringify(row), () => process.exit(0))
} else {
  note(`seed ${flags.seed} (--seed ${flags.seed} makes the same choices)`)
  const store = mkdtempSync(join(tmpdir(), 'oddswire-fault-store-'))
  makeStore(store)
  const names = NAMES.filter((name) => positionals.length === 0 || positionals.includes(name))
  const rows = new Map<string, Row>()
  const waiting = [...names]
  const lane = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      rows.set(name, await tryApart(name, store))
    }
  }
  await Promise.all(Array.from({ length: flags.long ? 1 : 2 }, lane))
  rmSync(store, { recursive: true })
  process.stdout.write('| fault | runs | promised | seen |\n| --- | --- | --- | --- |\n')
  for (const { name, runs, promise, seen } of names.map((each) => rows.get(each)!)) {
    process.stdout.write(`| ${name} | ${runs} | ${promise} | ${seen} |\n`)
  }
  process.exitCode = [...rows.values()].every(({ isKept }) => isKept) ? 0 : 1
}
