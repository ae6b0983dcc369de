// Runs benches as programs of their own, in turn, and keeps what they print.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Measured, measuredFigures, type Row } from './figures.ts'
import { SHARED_FOLDER } from './made-once.ts'
import { cpuSecondsOfMachine, cpuSecondsWithChildren } from './process.ts'
import { machine, rounded } from './report.ts'
import { type Form, PASSES, passesOf, type Target, type Words } from './targets.ts'

const here = dirname(fileURLToPath(import.meta.url))

/** Of the repository: compiled, this file is in dist/bench. */
export const ROOT = resolve(here, '../..')

/** A target of one run. */
export interface TargetRun {
  readonly id: string
  readonly what: string
  readonly figures: readonly Measured[]
  readonly rows: readonly Row[]
  /** Programs that failed. */
  readonly failed: readonly string[]
}

/** What dist/bench.json has. */
export interface Run {
  readonly form: Form
  readonly commit: string
  readonly startedAt: string
  readonly seconds: number
  readonly machine: ReturnType<typeof machine>
  readonly versions: Readonly<Record<string, string>>
  /** Cores that other processes of the machine used meanwhile: above some 0.1 the figures are not good ones. */
  readonly othersBusy: number
  readonly loadAverage: number
  readonly programs: readonly ProgramRun[]
  readonly targets: readonly TargetRun[]
}

/** Where the seconds of a run went: those of each pass. */
interface ProgramRun {
  readonly words: string
  readonly seconds: readonly number[]
}

interface Outcome {
  readonly rows: readonly Row[]
  readonly isFailed: boolean
  readonly seconds: number
}

/** Runs a program of dist/bench; what it says on stderr is seen, what it prints is kept. */
export const runProgram = ([program, ...args]: Words): Outcome => {
  const startedMs = performance.now()
  const { status, signal, stdout } = spawnSync(process.execPath, [join(here, `${program}.js`), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  })
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10
  const isFailed = status !== 0
  const end = isFailed ? ` FAILED: ${signal ?? `exit ${status}`}` : ''
  process.stderr.write(`${seconds.toFixed(1).padStart(6)} s  ${[program, ...args].join(' ')}${end}\n`)
  // What a failed program has printed before is no result.
  const lines = isFailed ? [] : stdout.split('\n').filter((line) => line.startsWith('{'))
  return { rows: lines.map((line) => JSON.parse(line) as Row), isFailed, seconds }
}

const commitOf = (): string => {
  try {
    const words = ['describe', '--always', '--dirty', '--abbrev=10', '--exclude=*']
    return execFileSync('git', words, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return 'unknown'
  }
}

const versions = (): Run['versions'] => {
  const { version, dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string
    readonly dependencies: Readonly<Record<string, string>>
    readonly devDependencies: Readonly<Record<string, string>>
  }
  return {
    oddswire: version,
    'uWebSockets.js': dependencies['uWebSockets.js']!,
    fastify: devDependencies.fastify!,
  }
}

/** Has a folder that programs share while some work is done. */
const withSharedFolder = <Result>(work: () => Result): Result => {
  const folder = mkdtempSync(join(tmpdir(), 'oddswire-bench-run-'))
  process.env[SHARED_FOLDER] = folder
  try {
    return work()
  } finally {
    delete process.env[SHARED_FOLDER]
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Runs the programs of some targets, those with the same words once a pass. Passes go through all of them, one after the other:
 * what is measured of a figure is of several processes, and of minutes that lie apart. A target without this form is left out.
 */
export const runTargets = (targets: readonly Target[], form: Form): Run => {
  const startedAt = new Date().toISOString()
  const startedMs = performance.now()
  const loadAverage = rounded(loadavg()[0]!)
  const [machineBefore, oursBefore] = [cpuSecondsOfMachine(), cpuSecondsWithChildren()]
  const measured = targets.filter((target) => target[form] !== undefined)
  const outcomes = new Map<string, Outcome[]>()
  const runOnce = (words: Words, pass: number): void => {
    const done = outcomes.get(words.join(' ')) ?? []
    outcomes.set(words.join(' '), done)
    if (done.length <= pass) done.push(runProgram(words))
  }
  withSharedFolder(() => {
    for (let pass = 0; pass < PASSES[form]; pass++) {
      const inPass = measured.flatMap((target) => target[form]!).filter((words) => pass < passesOf(form, words))
      for (const words of inPass) runOnce(words, pass)
    }
  })
  const runs = measured.map((target): TargetRun => {
    const { id, what, figures } = target
    const keys = target[form]!.map((words) => words.join(' '))
    const processes = keys.flatMap((key) => outcomes.get(key)!.map(({ rows }) => rows))
    const failed = keys.filter((key) => outcomes.get(key)!.some(({ isFailed }) => isFailed))
    // Goals are of the full form: others measure less.
    return { id, what, figures: measuredFigures(processes, figures, form === 'full'), rows: processes.flat(), failed }
  })
  const seconds = (performance.now() - startedMs) / 1e3
  const others = cpuSecondsOfMachine() - machineBefore - (cpuSecondsWithChildren() - oursBefore)
  return {
    form,
    commit: commitOf(),
    startedAt,
    seconds: Math.round(seconds),
    machine: machine(),
    versions: versions(),
    othersBusy: rounded(Math.max(0, others / seconds)),
    loadAverage,
    programs: Array.from(outcomes, ([words, of]) => ({ words, seconds: of.map((each) => each.seconds) })),
    targets: runs,
  }
}
