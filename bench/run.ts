// Runs benches as programs of their own, in turn, and keeps what they print.

import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Measured, measuredFigures, type Row } from './figures.ts'
import { cpuSecondsOfMachine, cpuSecondsWithChildren } from './process.ts'
import { machine, rounded } from './report.ts'
import type { Form, Target, Words } from './targets.ts'

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
  readonly targets: readonly TargetRun[]
}

interface Outcome {
  readonly rows: readonly Row[]
  readonly isFailed: boolean
}

/** Runs a program of dist/bench; what it says on stderr is seen, what it prints is kept. */
export const runProgram = ([program, ...args]: Words): Outcome => {
  const startedMs = performance.now()
  const { status, signal, stdout } = spawnSync(process.execPath, [join(here, `${program}.js`), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  })
  const seconds = Math.round((performance.now() - startedMs) / 1e3)
  const isFailed = status !== 0
  const end = isFailed ? ` FAILED: ${signal ?? `exit ${status}`}` : ''
  process.stderr.write(`${String(seconds).padStart(4)} s  ${[program, ...args].join(' ')}${end}\n`)
  // What a failed program has printed before is no result.
  const lines = isFailed ? [] : stdout.split('\n').filter((line) => line.startsWith('{'))
  return { rows: lines.map((line) => JSON.parse(line) as Row), isFailed }
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

/** Runs the programs of some targets, those with the same words once. A target without this form is left out. */
export const runTargets = (targets: readonly Target[], form: Form, change = (words: Words): Words => words): Run => {
  const startedAt = new Date().toISOString()
  const startedMs = performance.now()
  const loadAverage = rounded(loadavg()[0]!)
  const [machineBefore, oursBefore] = [cpuSecondsOfMachine(), cpuSecondsWithChildren()]
  const outcomes = new Map<string, Outcome>()
  const outcomeOf = (words: Words): Outcome => {
    const key = words.join(' ')
    const outcome = outcomes.get(key) ?? runProgram(words)
    outcomes.set(key, outcome)
    return outcome
  }
  const runs = targets.flatMap(({ id, what, figures, ...forms }): TargetRun[] => {
    const programs = forms[form]?.map(change)
    if (programs === undefined) return []
    const done = programs.map((words) => ({ words, ...outcomeOf(words) }))
    const rows = done.flatMap((each) => each.rows)
    const failed = done.filter(({ isFailed }) => isFailed).map(({ words }) => words.join(' '))
    // Goals are of the full form: others measure less.
    return [{ id, what, figures: measuredFigures(rows, figures, form === 'full'), rows, failed }]
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
    targets: runs,
  }
}
