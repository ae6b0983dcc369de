// From the JSON of some runs of the benches: the table of README.md, that of docs/benchmarks.md, and the plots in docs/.
//
//   npm run bench:report -- FILE.json… [--write] [--into FOLDER]
//
// Without --write the tables are printed. Between markers in the files nothing else stands. --into: another root than the
// repository, for tests.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { agree, goalOf, marksOf, type Measured, type Row, shownNoise } from './figures.ts'
import { type Plot, type Series, svgOf } from './plot.ts'
import { median } from './report.ts'
import { ROOT, type Run } from './run.ts'
import { markdownTable, shown } from './text-table.ts'

const { values: flags, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, into: { type: 'string', default: ROOT } },
})

const MARKS = { begin: '<!-- benches: begin -->', end: '<!-- benches: end -->' } as const

/** A figure in all runs that have it. */
interface Over {
  readonly id: string
  readonly what: string
  readonly runs: readonly Measured[]
}

const overRuns = (runs: readonly Run[]): readonly Over[] => {
  const over = new Map<string, { id: string; what: string; runs: Measured[] }>()
  for (const { id, what, figures } of runs.flatMap(({ targets }) => targets)) {
    for (const figure of figures) {
      const key = [id, figure.name, figure.beside, figure.unit].join('|')
      const entry = over.get(key) ?? { id, what, runs: [] }
      over.set(key, entry)
      entry.runs.push(figure)
    }
  }
  const number = ({ id }: Over): number => Number(id.slice(1))
  return [...over.values()].toSorted((a, b) => number(a) - number(b))
}

/** Reached in every run, in some, or in none. */
const reachedOf = (runs: readonly Measured[]): string => {
  if (runs[0]!.goal === undefined) return ''
  const count = runs.filter(({ reached }) => reached).length
  if (count === runs.length) return 'yes'
  return count === 0 ? 'no' : `${count} of ${runs.length}`
}

const medianOf = (runs: readonly Measured[], figure: (run: Measured) => number | undefined): number | undefined => {
  const values = runs.map(figure).filter((value) => value !== undefined)
  return values.length === 0 ? undefined : median(values)
}

/** Of how many figures the runs say the same. */
const agreementOf = (figures: readonly Over[]): string => {
  const count = figures.filter(({ runs }) => agree(runs)).length
  return `The runs agree within their noise in ${count} of ${figures.length} figures.`
}

/** All figures: docs/benchmarks.md. */
const wholeTable = (figures: readonly Over[]): string =>
  markdownTable(
    ['figure', 'runs', 'noise', 'target', 'reached', 'oddswire', 'ceiling or peer', 'marks'],
    figures.map(({ id, what, runs }, place) => {
      const [first] = runs as readonly [Measured]
      const ours = medianOf(runs, (run) => run.ours)
      const other = medianOf(runs, (run) => run.other)
      const title = figures[place - 1]?.id === id ? '' : `**${id}** ${what}: `
      return [
        ...[`${title}${first.name}`, runs.map(({ value }) => shown(value, first.unit)).join(' · ')],
        ...[shownNoise(runs), goalOf(first), reachedOf(runs), ours === undefined ? '' : shown(ours, first.of)],
        [first.beside, other === undefined ? undefined : shown(other, first.of)].filter(Boolean).join(': '),
        marksOf(runs),
      ]
    }),
  )

/** A row for each target, and in it a line for each figure that has one, with all its runs: README.md. */
const shortTable = (figures: readonly Over[]): string => {
  const line = ({ runs }: Over): string => {
    const [first] = runs as readonly [Measured]
    const values = `${runs.map(({ value }) => shown(value)).join(' · ')}${first.unit === undefined ? '' : ` ${first.unit}`}`
    const other = medianOf(runs, (run) => run.other)
    const measured = other === undefined ? '' : ` (${shown(other, first.of)})`
    const beside =
      first.beside === undefined ? '' : `${first.unit === undefined ? ' ×' : '; beside it'} ${first.beside}${measured}`
    const isReached = runs.every(({ reached }) => reached === true)
    return `${first.name} ${goalOf(first)}: ${isReached ? `**${values}**` : values}${beside}`
  }
  const withGoal = figures.filter(({ runs }) => runs[0]!.goal !== undefined)
  const ids = [...new Set(withGoal.map(({ id }) => id))]
  return markdownTable(
    ['', 'what', 'target: measured'],
    ids.map((id) => {
      const all = withGoal.filter((figure) => figure.id === id)
      return [id, all[0]!.what, all.map(line).join('<br>')]
    }),
  )
}

const describe = (runs: readonly Run[]): string => {
  const [{ machine, versions }] = runs as readonly [Run]
  const commits = [...new Set(runs.map(({ commit }) => commit))].join(', ')
  const busy = Math.max(...runs.map(({ othersBusy }) => othersBusy))
  const disturbed = busy > 0.1 ? ` **Other programs used up to ${shown(busy)} cores meanwhile.**` : ''
  const count = `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`
  return `${count} at ${commits} on ${machine.cores} cores of ${machine.cpu}, Node ${machine.node.slice(1)}, uWebSockets.js ${versions['uWebSockets.js']}.${disturbed}`
}

type Lookup = (row: Row) => number | undefined

/** The median of a figure over the rows of all runs that have it. */
const overRows = (runs: readonly Run[], id: string, figure: Lookup): number | undefined => {
  const rows = runs.flatMap(({ targets }) =>
    targets.filter((target) => target.id === id).flatMap((target) => target.rows),
  )
  const values = rows.map(figure).filter((value) => value !== undefined)
  return values.length === 0 ? undefined : median(values)
}

const resultOf = (row: Row, matches: (result: Row) => boolean): Row | undefined =>
  (Array.isArray(row.results) ? (row.results as readonly Row[]) : []).find(matches)

const medianIn = (result: Row | undefined, ...names: readonly string[]): number | undefined => {
  let value: unknown = result
  for (const name of [...names, 'median']) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name]
  return typeof value === 'number' ? value : undefined
}

/** On an axis where each step is a tenth of what is left: p50 at 0.3, p90 at 1, p99 at 2; the most stands behind them. */
const QUANTILES = [
  ['p50Us', 'p50', -Math.log10(0.5)],
  ['p90Us', 'p90', 1],
  ['p99Us', 'p99', 2],
  ['p999Us', 'p99.9', 3],
  ['maxUs', 'max', 4],
] as const

const withPoints = (series: Series): readonly Series[] => (series.points.length < 2 ? [] : [series])

const latencyPlot = (runs: readonly Run[]): Plot => {
  const line = (name: string, id: string, candidate: string, isDashed: boolean, matches: (result: Row) => boolean) =>
    withPoints({
      name,
      isDashed,
      points: QUANTILES.flatMap(([key, , x]) => {
        const y = overRows(runs, id, (row) => medianIn(resultOf(row, matches), key, candidate))
        return y === undefined ? [] : [[x, y] as const]
      }),
    })
  const sends = (rate: number) => (result: Row) => result.id === 'P7' && result.sendsPerSecond === rate
  const reads = (result: Row): boolean => result.id === 'P2'
  return {
    title: 'P7: from SEND to subscriber; P2: a request beside changes',
    yName: 'µs',
    xTicks: QUANTILES.map(([, name, x]) => [x, name]),
    series: [
      ...line('20 000 SEND/s × 50', 'P7', 'oddswire', false, sends(20_000)),
      ...line('… a bare relay', 'P7', 'relay', true, sends(20_000)),
      ...line('2 000 SEND/s × 50', 'P7', 'oddswire', false, sends(2_000)),
      ...line('… a bare relay', 'P7', 'relay', true, sends(2_000)),
      ...line('20 000 requests/s', 'P2', 'offered', false, reads),
      ...line('… bare uWebSockets.js', 'P2', 'ceilingOffered', true, reads),
    ],
  }
}

const SIZES = [
  [10_000, '10 k'],
  [100_000, '100 k'],
  [1_000_000, '1 M'],
  [10_000_000, '10 M'],
] as const

const sizeOf = (row: Row, quotes: number): Row | undefined =>
  (Array.isArray(row.sizes) ? (row.sizes as readonly Row[]) : []).find((size) => size.quotes === quotes)

const growthPlot = (runs: readonly Run[]): Plot => {
  const line = (name: string, id: string, isDashed: boolean, figure: (size: Row | undefined) => number | undefined) =>
    withPoints({
      name,
      isDashed,
      points: SIZES.flatMap(([quotes]) => {
        const y = overRows(runs, id, (row) => figure(sizeOf(row, quotes)))
        return y === undefined ? [] : [[Math.log10(quotes), y] as const]
      }),
    })
  /** From millions a second to ns each. */
  const nsOf = (name: string) => (size: Row | undefined) =>
    typeof size?.[name] === 'number' ? 1_000 / size[name] : undefined
  const ns = (name: string) => (size: Row | undefined) => medianIn(size, 'ns', name)
  return {
    title: 'P12 and P5: what a quote costs as the board grows',
    yName: 'ns of CPU time a quote',
    xTicks: SIZES.map(([quotes, name]) => [Math.log10(quotes), name]),
    series: [
      ...line('rendered as a message', 'P12', false, ns('message')),
      ...line('observed', 'P12', false, ns('quote')),
      ...line('… bare arrays', 'P12', true, ns('bare')),
      ...line('read for REST', 'P12', false, ns('read')),
      ...line('known, the board alone', 'P5', false, nsOf('knownPerSecondM')),
      ...line('… bare arrays', 'P5', true, nsOf('bareKnownPerSecondM')),
    ],
  }
}

/** Puts a text between the markers of a file. */
const insert = (file: string, text: string): void => {
  const before = readFileSync(file, 'utf8')
  const begin = before.indexOf(MARKS.begin)
  const end = before.indexOf(MARKS.end)
  if (begin === -1 || end < begin) throw new Error(`${file} has no line "${MARKS.begin}" with "${MARKS.end}" below it`)
  writeFileSync(file, `${before.slice(0, begin + MARKS.begin.length)}\n\n${text}\n\n${before.slice(end)}`)
}

if (files.length === 0) {
  process.stderr.write('name the JSON of one run or more: npm run bench -- --json dist/bench-1.json\n')
  process.exit(2)
}
const runs = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Run)
const figures = overRuns(runs)
const described = runs.length === 1 ? describe(runs) : `${describe(runs)} ${agreementOf(figures)}`
if (!flags.write) process.stdout.write(`${described}\n\n${shortTable(figures)}\n\n${wholeTable(figures)}\n`)
else {
  const plots = [
    ['latency.svg', 'Latencies by percentile', latencyPlot(runs)],
    ['growth.svg', 'Cost of a quote by the size of the board', growthPlot(runs)],
  ] as const
  const drawn = plots.filter(([, , { series }]) => series.length > 0)
  for (const [name, , plot] of drawn) writeFileSync(join(flags.into, 'docs', name), svgOf(plot))
  const images = drawn.map(([name, what]) => `![${what}](${name})`).join('\n')
  insert(join(flags.into, 'README.md'), `${shortTable(figures)}\n\n**Bold**: reached in every run. ${described}`)
  insert(join(flags.into, 'docs', 'benchmarks.md'), [described, wholeTable(figures), images].join('\n\n').trimEnd())
}
