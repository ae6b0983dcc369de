// oddswire feed status: the state of every source of the running server.

import { askServer } from '../access/admin-client.ts'
import { isFault } from '../access/fault.ts'
import * as clock from '../clock.ts'
import { grouped } from '../domain/grouped.ts'
import { parseFlags, refused } from './arguments.ts'
import { countOf, LIST_HELP, printRows, type Row, type TableRow, tally } from './table.ts'

const help = `oddswire feed status [--markets NAME] [--json] [--data-dir DIR]

Shows the state of every source of the running server: starting, live, late or down, since when, what it has delivered,
its problem, and which bookmakers and sports of it coverage does not show to customers. Of several servers with one Redis
each source runs in one: standby means that it does not run in this one. Sources that are not running come last, with the
reason: off where a variable or a file is missing, never started where the configuration says so.
${LIST_HELP} Exit code 1 when a source is down or off.

  --markets NAME    print what became of each source market of the source NAME, as feed explain does for a file`

interface Feed {
  readonly name: string
  readonly kind: string
  readonly state: string
  readonly since: string
  readonly heardAt: string | null
  readonly suspendedAt: string | null
  readonly bookmakers: readonly string[]
  readonly uncovered: readonly string[]
  readonly observations: number
  readonly prices: number
  readonly refused: number
  readonly problem: string | null
  /** The process that runs one on standby; null or missing: this one, or it is not known. */
  readonly holder?: string | null
}

interface NeverStarted {
  readonly name: string
  readonly kind: string
  readonly never: string
  /** Why it is off although it should run; null or missing: it is never to be started. */
  readonly off?: string | null
}

interface SourceMarket {
  readonly sourceMarket: string
  readonly [outcome: string]: number | string | null
}

const NAMES_SHOWN_MAX = 3

/** Runs `oddswire feed status`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const types = { markets: { type: 'string' }, json: { type: 'boolean' } } as const
  const parsed = parseFlags(argv, help, types, { settings: ['data-dir'] })
  if (typeof parsed === 'number') return parsed
  const { markets: source, json = false } = parsed.flags
  const path = source === undefined ? '/feeds' : `/feeds/${encodeURIComponent(source)}/markets`
  const answer = await askServer(parsed.settings.dataDir, path)
  if (isFault(answer)) return refused(`${answer.fault}: start it, or name its folder with --data-dir`)
  if (source !== undefined && answer.status === 404) {
    return refused(
      `the running server has no source "${source}" that was started, or another one runs it; oddswire feed status lists them`,
    )
  }
  const body = (answer.body ?? {}) as {
    readonly feeds?: readonly Feed[]
    readonly neverStarted?: readonly NeverStarted[]
    readonly markets?: readonly SourceMarket[]
  }
  const { feeds, neverStarted = [], markets } = body
  if (answer.status !== 200 || (feeds ?? markets) === undefined) {
    return refused(`the running server cannot list its sources (status ${answer.status}): it may be of another version`)
  }
  if (markets !== undefined) {
    printRows(
      markets.map(({ sourceMarket, ...outcomes }) => ({ id: sourceMarket, ...outcomes })),
      {
        json,
        table: markets.map(({ sourceMarket, ...outcomes }) => ({
          'source market': sourceMarket,
          outcomes: Object.values(outcomes).reduce<number>((sum, count) => sum + Number(count), 0),
          became: Object.entries(outcomes)
            .map(([fate, count]) => `${fate} ${count}`)
            .join(', '),
        })),
        summary: [countOf(markets.length, 'source market')],
      },
    )
    return 0
  }
  printRows([...feeds!.map(wholeRow), ...neverStarted.map(neverRow)], {
    json,
    table: [...feeds!.map(tableRow), ...neverStarted.map(neverTableRow)],
    summary: summaryOf(feeds!, neverStarted),
  })
  return feeds!.some(({ state }) => state === 'down') || neverStarted.some(isOff) ? 1 : 0
}

const isOff = ({ off = null }: NeverStarted): boolean => off !== null

const neverState = (source: NeverStarted): string => (isOff(source) ? 'off' : 'never started')

const neverRow = (source: NeverStarted): Row => ({
  id: source.name,
  kind: source.kind,
  state: neverState(source),
  problem: source.never,
})

const neverTableRow = (source: NeverStarted): TableRow => ({
  ...{ source: source.name, kind: source.kind, state: neverState(source), for: null, heard: null, bookmakers: null },
  ...{ observations: null, prices: null, refused: null },
})

/** What is wrong, in full, and how many sources are in which state. */
const summaryOf = (feeds: readonly Feed[], neverStarted: readonly NeverStarted[]): string[] => {
  const notes = [
    ...feeds.flatMap(({ name, state, holder = null, problem, uncovered, suspendedAt }) => [
      ...(state === 'standby' ? [`${name}: ${standbyText(holder)}`] : []),
      ...(problem === null ? [] : [`${name}: ${problem}`]),
      ...(suspendedAt === null ? [] : [`${name}: its open quotes are suspended, because it is down`]),
      ...(uncovered.length === 0
        ? []
        : [`${name}: not shown to customers by coverage: ${shortList(uncovered, 'pairs')}`]),
    ]),
    ...neverStarted.map(({ name, never }) => `${name} ${never}`),
  ]
  const states = [...feeds.map(({ state }) => state), ...neverStarted.map(neverState)]
  const prices = feeds.reduce((sum, feed) => sum + feed.prices, 0)
  const total = `${countOf(states.length, 'source')}${states.length === 0 ? '' : `: ${tally(states)}`}; ${grouped(prices)} prices`
  return notes.length === 0 ? [total] : [...notes, '', total]
}

const standbyText = (holder: string | null): string =>
  holder === null ? 'on standby, and no process is known to run it' : `on standby, process ${holder} runs it`

/** `12 s`, `3 min`, `5 h`, `2 d`. */
const ageOf = (time: string | null): string | null => {
  if (time === null) return null
  const seconds = Math.max(0, Math.round((clock.now() - Date.parse(time)) / 1_000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h` : `${Math.floor(seconds / 86_400)} d`
}

const wholeRow = ({ name, ...rest }: Feed): Row => ({ id: name, ...rest })

const shortList = (names: readonly string[], what: string): string =>
  names.length > NAMES_SHOWN_MAX ? `${names.length} ${what}` : names.join(', ')

const tableRow = (feed: Feed): TableRow => ({
  source: feed.name,
  kind: feed.kind,
  state: feed.state,
  for: ageOf(feed.since),
  heard: ageOf(feed.heardAt),
  bookmakers: shortList(feed.bookmakers, 'bookmakers'),
  observations: feed.observations,
  prices: feed.prices,
  refused: feed.refused,
})
