// The plan past one log, in figures (docs/scale.md): what a service of a given size needs in processes, memory and bandwidth, from
// the unit costs that the other benches have printed. It measures nothing itself.
//
//   node dist/bench/scale.js FILE.json… [--subscribers 1000000] [--quotes 100000000] [--changes-per-second 200000] [--regions 3]
//                            [--fsync no|everysec|always] [--sports recording|simulator] [--json] [--ASSUMPTION N]
//
// FILEs are outputs of: live, connections, http, ingest, log-codec, log-write, restart (two sizes), stream, beats, sports.

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { print, rounded } from './report.ts'
import { ASSUMED, type Assumptions } from './scale-model.ts'
import { holdsAlone, type Plan, plansOf } from './scale-plans.ts'
import { FSYNCS, type Fsync, MissingRow, Rows, type Units, unitsOf } from './scale-units.ts'

const flagOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const NAMES = Object.keys(ASSUMED) as (keyof Assumptions)[]

const refuse = (why: string): never => {
  process.stderr.write(`${why}\n`)
  process.exit(2)
}

const read = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        ...Object.fromEntries(NAMES.map((name) => [flagOf(name), { type: 'string' as const }])),
        fsync: { type: 'string', default: 'everysec' },
        sports: { type: 'string', default: 'recording' },
        json: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    return refuse(`${(error as Error).message}; assumptions are ${NAMES.map((name) => `--${flagOf(name)}`).join(', ')}`)
  }
}

const { values: flags, positionals: files } = read()

const assumedOf = (): Assumptions =>
  Object.fromEntries(
    NAMES.map((name) => {
      const text = (flags as Readonly<Record<string, string | boolean | undefined>>)[flagOf(name)]
      if (text === undefined) return [name, ASSUMED[name]]
      const value = Number(text)
      if (!(value >= 0) || text === '') refuse(`--${flagOf(name)}: "${text}" is no number from 0 on`)
      return [name, value]
    }),
  ) as Assumptions

/** Three digits of every number, in lists and objects, too. */
const roundedAll = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isInteger(value) || !Number.isFinite(value) ? value : rounded(value)
  if (Array.isArray(value)) return value.map(roundedAll)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, roundedAll(each)]))
}

const percent = (share: number): string => `${Math.round(share * 100)} %`
const short = (value: number): string => {
  if (value >= 1e6) return `${rounded(value / 1e6)} M`
  return value >= 1e4 ? `${rounded(value / 1e3)} k` : String(rounded(value))
}

/** Where no number of processes is enough, there is none to give. */
const isPossible = ({ processes, processBusy }: Plan, busyMax: number): boolean =>
  processes === 1 || processBusy <= busyMax

/** What follows from the number of processes. */
const OF_PROCESSES = ['processes', 'relays', 'cores', 'memory, GB', 'machines', 'from Redis, Gb/s', 'busiest Redis']

const LINES: readonly [what: string, figure: (plan: Plan) => string][] = [
  ['logs', ({ logs }) => String(logs)],
  ['processes', ({ processes }) => short(processes)],
  ['relays', ({ relays }) => String(relays)],
  ['Redis, with replicas', ({ redis }) => String(redis)],
  ['cores', ({ cores }) => short(Math.ceil(cores))],
  ['memory, GB', ({ memoryGb }) => short(memoryGb)],
  ['machines', ({ logs, machines, decidedBy }) => (logs === 0 ? String(machines) : `${machines} (${decidedBy})`)],
  ['connections', ({ connections }) => short(connections)],
  ['messages/s', ({ messagesPerSecond }) => short(messagesPerSecond)],
  ['feeds, Mb/s', ({ feedsMbps }) => short(feedsMbps)],
  ['log, Mb/s', ({ logMbps }) => short(logMbps)],
  ['from Redis, Gb/s', ({ redisOutGbps }) => short(redisOutGbps)],
  ['between regions, Mb/s', ({ betweenRegionsMbps }) => short(betweenRegionsMbps)],
  ['to customers, Gb/s', ({ subscribersGbps }) => short(subscribersGbps)],
  ['process: log alone', ({ applyBusy }) => percent(applyBusy)],
  ['process: all', ({ processBusy }) => percent(processBusy)],
  ['process, GB', ({ processGb }) => short(processGb)],
  ['busiest Redis', ({ redisBusy }) => percent(redisBusy)],
  ['new process, s', ({ catchUpSeconds }) => (Number.isFinite(catchUpSeconds) ? short(catchUpSeconds) : 'never')],
  ['added to a change, ms', ({ addedMs }) => short(addedMs)],
  ['works', ({ breaks }) => (breaks.length === 0 ? 'yes' : `no (${breaks.length})`)],
]

const show = (plans: readonly Plan[], machines: readonly string[], assumed: Assumptions, units: Units): void => {
  const lineOf = ([what, of]: (typeof LINES)[number]): string[] => [
    what,
    ...plans.map((plan) => (OF_PROCESSES.includes(what) && !isPossible(plan, assumed.busyMax) ? '-' : of(plan))),
  ]
  const rows = [['', ...plans.map(({ plan }) => plan)], ...LINES.map(lineOf)]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join(' | ')
      .trimEnd(),
  )
  const why = plans.flatMap(({ plan, breaks }) => breaks.map((each) => `${plan} does not work: ${each}`))
  const alone = holdsAlone(units, assumed)
  process.stdout.write(
    [
      ...lines,
      '',
      ...why,
      `one process alone: ${short(alone.subscribers)} subscribers of events at 20 k changes/s, or ${short(alone.changesPerSecond)} changes/s to 1 000 of them`,
      `sports by ${units.sportsFrom}; unit costs of ${machines.join(', ')}`,
      ...units.doubts.map((doubt) => `measure again: ${doubt}`),
      `assumed, not measured: ${NAMES.map((name) => `--${flagOf(name)} ${assumed[name]}`).join(' ')}`,
      '',
    ].join('\n'),
  )
}

if (files.length === 0)
  refuse('name the files that hold what the benches have printed: node dist/bench/scale.js FILE.json…')
if (!FSYNCS.includes(flags.fsync as Fsync)) refuse(`--fsync: give one of ${FSYNCS.join(', ')}`)
if (flags.sports !== 'recording' && flags.sports !== 'simulator') refuse('--sports: give recording or simulator')

try {
  const assumed = assumedOf()
  const rows = new Rows(files.map((file) => readFileSync(file, 'utf8')))
  const units = unitsOf(rows, flags.fsync as Fsync, flags.sports as 'recording' | 'simulator')
  const plans = plansOf(units, assumed)
  if (flags.json === true)
    print({
      bench: 'scale',
      fsync: flags.fsync,
      unitsOf: rows.machines,
      assumed,
      units: roundedAll(units),
      alone: holdsAlone(units, assumed),
      plans: roundedAll(plans) as object[],
    })
  else show(plans, rows.machines, assumed, units)
} catch (error) {
  if (error instanceof MissingRow || (error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError)
    refuse((error as Error).message)
  throw error
}
