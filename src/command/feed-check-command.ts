// oddswire feed check: whether a configuration of sources is valid.

import { isFault } from '../access/fault.ts'
import { feedsSchema } from '../feed/feeds-file.ts'
import type { SourcePlan } from '../feed/running-source.ts'
import { parseFlags, refused, warned } from './arguments.ts'
import { faultLines, type Feeds, loadFeeds, NO_FEEDS_FILE } from './feeds-setup.ts'
import { countOf, LIST_HELP, printRows, type Row, type TableRow, tally } from './table.ts'

const help = `oddswire feed check [--feeds FILE] [--schema] [--json]

Reads a configuration of sources as serve does, and starts nothing. Lists the sources that can be read, and those that never
run, with the reason. Prints every fault on stderr, with its field; a variable that a secret needs and that is not set is one,
also if .env does not set it. Warns on stderr where a secret would cross a network unencrypted.
${LIST_HELP} Exit code 1 when there is a fault.

  --schema    print the JSON Schema of the configuration instead: every field of every kind

A source that only lacks a variable or a file is off when serve starts, and the others run; any other fault refuses the start.
A reload refuses all, except what keeps a source off that is off already.`

/** Runs `oddswire feed check`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const flags = { schema: { type: 'boolean' }, json: { type: 'boolean' } } as const
  const parsed = parseFlags(argv, help, flags, { settings: ['feeds'] })
  if (typeof parsed === 'number') return parsed
  if (parsed.flags.schema === true) {
    process.stdout.write(`${JSON.stringify(feedsSchema(), undefined, 2)}\n`)
    return 0
  }
  const feeds = loadFeeds(parsed.settings.feeds, () => undefined)
  if (feeds === undefined) return refused(NO_FEEDS_FILE)
  if (isFault(feeds)) return refused(feeds.fault)
  const faults = faultLines(feeds)
  printRows(feeds.plans.map(rowOf), {
    json: parsed.flags.json === true,
    table: feeds.plans.map(tableRow),
    summary: summaryOf(feeds, faults.length),
  })
  for (const warning of feeds.warnings) warned(warning)
  for (const fault of faults) refused(fault)
  return faults.length === 0 ? 0 : 1
}

const rowOf = ({ terms, kind, bookmakers, budget, never }: SourcePlan): Row => ({
  id: terms.name,
  kind,
  bookmakers,
  lateMs: terms.lateMs,
  downMs: terms.downMs,
  suspendMs: terms.suspendMs,
  pricesPerSecond: budget.pricesPerSecond,
  never,
})

const seconds = (ms: number | null): string => (ms === null ? 'never' : `${ms / 1_000} s`)

const tableRow = ({ terms, kind, bookmakers, budget, never, off }: SourcePlan): TableRow => ({
  source: terms.name,
  kind,
  bookmakers,
  runs: runsText(off, never),
  'late after': seconds(terms.lateMs),
  'down after': seconds(terms.downMs),
  suspends: seconds(terms.suspendMs),
  'prices/s': budget.pricesPerSecond,
})

const runsText = (off: SourcePlan['off'] = null, never: string | null): string =>
  off !== null ? 'off' : never === null ? 'yes' : 'never'

/** Those that never run, with the reason, and how many there are of each. What is off is among the faults. */
const summaryOf = ({ path, plans, textFaults, sourceFaults, sources }: Feeds, faults: number): string[] => {
  const never = plans.filter(({ never: reason, off = null }) => reason !== null && off === null)
  const states = plans.map(({ never: reason, off = null }) =>
    off !== null ? 'off' : reason === null ? 'fine' : 'never run',
  )
  const wrong = Array.from({ length: sources - plans.length }, () => 'wrong')
  const refuses = textFaults.length > 0 || sourceFaults.some(({ cause }) => cause === null)
  const total = [`${path}: ${countOf(sources, 'source')}`, tally([...states, ...wrong])]
    .filter((text) => text !== '')
    .join(': ')
  return [
    ...never.map(({ terms, never: reason }) => `${terms.name} ${reason}`),
    `${total}; ${countOf(faults, 'fault')}${refuses ? ', so that serve does not start' : ''}`,
  ]
}
