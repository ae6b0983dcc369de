// The benches of P1 to P12, one, some or all of them, as JSON and as a table; and the comparison with the last landed
// commit (bench/README.md).
//
//   npm run bench -- [P1 … P12 | others | NAME]… [--short | --smoke] [--json FILE] [--compare] [--store [--runs 3]]
//                    [--list] [--help]

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildEarlier, type EarlierBuild } from './earlier-build.ts'
import { goalOf, marksOf, type Measured, shownNoise } from './figures.ts'
import { compare, type Comparison, type StoredRow, type StoredRows, storedFigures, storedOfOne } from './regression.ts'
import { median, rounded } from './report.ts'
import { ROOT, type Run, runProgram, runTargets } from './run.ts'
import { type Form, OTHERS, type Target, TARGETS, type Words } from './targets.ts'
import { alignedTable, shown } from './text-table.ts'

const HELP = `npm run bench                    P1 to P12, some 8 minutes
npm run bench -- p4              one of them, or some: p1 p6
npm run bench -- stream          another bench; others: all of those
npm run bench -- --list          what there is

--short      the short form: some 3 minutes for all
--smoke      only shows that the programs run: no figures
--json FILE  where the figures are written (dist/bench.json)
--compare    with the row of bench/last.json for this processor; what looks worse is measured beside a build of that
             row's commit, in turn; 1 where it is worse twice, and the machine was not busy with something else. No
             verdict, and 0, where that commit cannot be built or measured here
--store      writes that row, from --runs 3 runs
`

const LAST = join(ROOT, 'bench', 'last.json')
/** In how many pairs with the earlier build a figure must be worse. */
const PAIRS = 2
/** Cores that other processes may use before a run says so. */
const BUSY_NOTED = 0.1
/** While other processes use more cores than this, figures say that the machine is busy, and nothing of the program. */
const OTHERS_BUSY_MAX = 0.5

/** Of a figure that is so noisy a regression would hardly be seen. */
const TOLERANCE_MAX = 0.5

const refuse = (why: string): never => {
  process.stderr.write(`${why}\n\n${HELP}`)
  process.exit(2)
}

const readFlags = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        short: { type: 'boolean', default: false },
        smoke: { type: 'boolean', default: false },
        json: { type: 'string', default: join(ROOT, 'dist', 'bench.json') },
        compare: { type: 'boolean', default: false },
        store: { type: 'boolean', default: false },
        runs: { type: 'string', default: '3' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    return refuse((error as Error).message)
  }
}

const { values: flags, positionals } = readFlags()

/** Targets and others that are named; no name: all targets, which are what figures are given for. */
const chosen = () => {
  const names = positionals.map((name) => name.toLowerCase())
  const targets = TARGETS.filter(({ id }) => names.length === 0 || names.includes(id.toLowerCase()))
  const others = OTHERS.filter(({ name }) => names.includes(name) || names.includes('others'))
  for (const name of names) {
    const isKnown =
      name === 'others' ||
      [...targets.map(({ id }) => id.toLowerCase()), ...others.map((each) => each.name)].includes(name)
    if (!isKnown) refuse(`"${name}" is no bench; --list names them`)
  }
  return { targets, others }
}

const reachedOf = ({ reached }: Measured): string => (reached === undefined ? '' : reached ? 'reached' : 'no')

const table = ({ targets }: Run): string =>
  alignedTable(
    ['', 'figure', 'measured', 'noise', 'goal', '', 'oddswire', 'beside', '', 'marks'],
    targets.flatMap(({ id, figures }) =>
      figures.map((figure) => [
        id,
        figure.name,
        shown(figure.value, figure.unit),
        shownNoise([figure]),
        goalOf(figure),
        reachedOf(figure),
        figure.ours === undefined ? '' : shown(figure.ours, figure.of),
        figure.other === undefined ? '' : shown(figure.other, figure.of),
        figure.beside ?? '',
        marksOf([figure]),
      ]),
    ),
  )

const printRun = (run: Run): void => {
  process.stdout.write(`\n${table(run)}\n\n`)
  const busy = run.othersBusy > BUSY_NOTED ? ': the machine was busy, look at ratios by CPU time alone' : ''
  process.stdout.write(`${run.seconds} s; other processes used ${run.othersBusy} cores${busy}\n`)
  for (const { id, failed } of run.targets) for (const words of failed) process.stdout.write(`${id} FAILED: ${words}\n`)
}

const writeJson = (file: string, value: unknown): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`)
}

const readLast = (): StoredRows => (existsSync(LAST) ? (JSON.parse(readFileSync(LAST, 'utf8')) as StoredRows) : {})

const store = (runs: readonly Run[]): void => {
  const [{ machine, commit }] = runs as readonly [Run]
  const row: StoredRow = {
    commit,
    node: machine.node,
    cores: machine.cores,
    othersBusy: rounded(median(runs.map(({ othersBusy }) => othersBusy))),
    figures: storedFigures(runs.map(({ targets }) => targets)),
  }
  writeJson(LAST, { ...readLast(), [machine.cpu]: row })
  process.stdout.write(`\nbench/last.json has the row of ${machine.cpu}, from ${runs.length} runs\n`)
  if (row.othersBusy > BUSY_NOTED) process.stdout.write('Store it anew on a quiet machine: this one was busy\n')
}

const comparisonTable = (comparisons: readonly Comparison[]): string => {
  const percent = (share: number): string => `${share > 0 ? '+' : ''}${Math.round(share * 100)} %`
  return alignedTable(
    ['figure', 'last', 'now', 'change', 'tolerance', ''],
    comparisons.map(({ name, before, now, change, tolerance, isWorse }) => [
      ...[name, shown(before), shown(now), percent(change), `± ${Math.round(tolerance * 100)} %`],
      isWorse ? 'WORSE' : tolerance > TOLERANCE_MAX ? 'too noisy to tell' : '',
    ]),
  )
}

const compareAll = (run: Run, stored: StoredRow['figures']): readonly Comparison[] =>
  run.targets.flatMap(({ id, figures }) => compare(id, figures, stored))

const worseOf = (comparisons: readonly Comparison[]): ReadonlySet<string> =>
  new Set(comparisons.filter(({ isWorse }) => isWorse).map(({ name }) => name))

/** What pairs of runs say: which suspects are worse in each, whether this build failed, and how busy the machine was. */
interface Verdict {
  readonly worse: ReadonlySet<string>
  readonly hasFailed: boolean
  readonly busy: number
}

/** Measures suspects beside an earlier build, in turn. Throws where that leaves one without a figure. */
const measurePairs = (
  earlier: EarlierBuild,
  row: StoredRow,
  suspects: ReadonlySet<string>,
  targets: readonly Target[],
  form: Form,
): Verdict => {
  let worse = suspects
  let busy = 0
  for (let pair = 1; pair <= PAIRS && worse.size > 0; pair++) {
    const again = targets.filter(({ id }) => [...worse].some((name) => name.startsWith(`${id} `)))
    process.stderr.write(`Pair ${pair}, the earlier build and this one:\n`)
    const then = earlier.run(again.map(({ id }) => id))
    const now = runTargets(again, form)
    busy = Math.max(busy, then.othersBusy, now.othersBusy)
    if (now.targets.some(({ failed }) => failed.length > 0)) return { worse, hasFailed: true, busy }
    const stored = storedOfOne(then.targets, row.figures)
    const comparisons = compareAll(now, stored).filter(({ name }) => worse.has(name))
    process.stdout.write(`${comparisonTable(comparisons)}\n`)
    const missing = [...worse].filter((name) => !comparisons.some((each) => each.name === name))
    if (missing.length > 0) throw new Error(`${row.commit}, or this build, has no figure of ${missing.join('; ')}`)
    worse = worseOf(comparisons)
  }
  return { worse, hasFailed: false, busy }
}

/** Builds the commit of a row, and measures suspects beside it. */
const measureBeside = (
  row: StoredRow,
  suspects: ReadonlySet<string>,
  targets: readonly Target[],
  form: Form,
): Verdict => {
  const earlier = buildEarlier(ROOT, row.commit)
  try {
    return measurePairs(earlier, row, suspects, targets, form)
  } finally {
    earlier.remove()
  }
}

/** Compares a run with the stored row, and what looks worse with a build of the row's commit. Returns whether it is worse. */
const isWorse = (run: Run, targets: readonly Target[], form: Form): boolean => {
  const row = readLast()[run.machine.cpu]
  if (row === undefined) {
    process.stdout.write(`\nNothing is compared: bench/last.json has no row of ${run.machine.cpu} (--store)\n`)
    return false
  }
  const first = compareAll(run, row.figures)
  process.stdout.write(`\nBeside the row of ${row.commit}\n${comparisonTable(first)}\n`)
  const suspects = worseOf(first)
  if (suspects.size === 0) return false
  process.stdout.write(`\nWorse than stored: beside a build of ${row.commit} on this machine, in turn\n`)
  const withoutVerdict = (why: string): false => {
    process.stdout.write(`No verdict: ${why}\n`)
    return false
  }
  let verdict: Verdict
  try {
    verdict = measureBeside(row, suspects, targets, form)
  } catch (error) {
    return withoutVerdict((error as Error).message)
  }
  const { worse, hasFailed, busy } = verdict
  if (hasFailed) return true
  if (worse.size === 0) {
    process.stdout.write(`Not worse than ${row.commit} on this machine\n`)
    return false
  }
  const names = [...worse].join('; ')
  if (busy > OTHERS_BUSY_MAX)
    return withoutVerdict(`worse are ${names}, but other processes used ${busy} cores. Repeat it on a quiet machine`)
  process.stdout.write(`\nREGRESSION: ${names}\n`)
  return true
}

const smoke = (): boolean => {
  const { targets, others } = chosen()
  const words = new Map(
    [...targets, ...others].flatMap((each) => each.smoke.map((all) => [all.join(' '), all] as const)),
  )
  const failed = [...words.values()].filter((all) => runProgram(all).isFailed)
  process.stdout.write(`${words.size - failed.length} of ${words.size} programs run\n`)
  return failed.length > 0
}

const list = (): void => {
  const rows = [...TARGETS.map(({ id, ...rest }) => ({ name: id, ...rest })), ...OTHERS]
  const programs = (full: readonly Words[]): string => full.map((words) => words.join(' ')).join(', ')
  process.stdout.write(
    `${alignedTable(
      ['', 'what', 'programs of dist/bench'],
      rows.map(({ name, what, full }) => [name, what, programs(full)]),
    )}\n`,
  )
}

/** Returns whether something failed or has become worse. */
const measure = (): boolean => {
  const { targets, others } = chosen()
  const form: Form = flags.short ? 'short' : 'full'
  if (flags.store) {
    if (!flags.short || positionals.length > 0) refuse('--store needs --short, and all targets')
    const runs = Array.from({ length: Number(flags.runs) }, () => {
      const run = runTargets(targets, form)
      printRun(run)
      return run
    })
    store(runs)
    return runs.some((run) => run.targets.some(({ failed }) => failed.length > 0))
  }
  let isBad = false
  if (targets.length > 0) {
    const run = runTargets(targets, form)
    printRun(run)
    writeJson(flags.json, run)
    isBad = run.targets.some(({ failed }) => failed.length > 0)
    if (flags.compare && isWorse(run, targets, form)) isBad = true
  }
  for (const { full, name } of others) {
    for (const words of full) {
      const { rows, isFailed } = runProgram(words)
      for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`)
      if (isFailed) process.stdout.write(`${name} FAILED\n`)
      isBad ||= isFailed
    }
  }
  return isBad
}

if (flags.help) process.stdout.write(HELP)
else if (flags.list) list()
else process.exitCode = (flags.smoke ? smoke() : measure()) ? 1 : 0
