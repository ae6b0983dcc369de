// oddswire feed status: the state of every source of the running server.

import { askServer } from '../access/admin-client.ts'
import { isFault } from '../access/fault.ts'
import { type Row, printRows } from './action.ts'
import { parseFlags, refused } from './arguments.ts'

const help = `oddswire feed status [--markets NAME] [--data-dir DIR]

Shows the state of every source of the running server: starting, live, late or down, since when, what it has delivered,
its problem, and which bookmakers and sports of it coverage does not show to customers. Sources that are never started
come last, with the reason. A table on a terminal, else one JSON object a source. Exit code 1 when a source is down.

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
}

interface NeverStarted {
  readonly name: string
  readonly kind: string
  readonly never: string
}

interface SourceMarket {
  readonly sourceMarket: string
  readonly [outcome: string]: number | string
}

const NAMES_SHOWN_MAX = 3

/** Runs `oddswire feed status`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(argv, help, { markets: { type: 'string' } }, { settings: ['data-dir'] })
  if (typeof parsed === 'number') return parsed
  const { markets: source } = parsed.flags
  const path = source === undefined ? '/feeds' : `/feeds/${encodeURIComponent(source)}/markets`
  const answer = await askServer(parsed.settings.dataDir, path)
  if (isFault(answer)) return refused(`${answer.fault}: start it, or name its folder with --data-dir`)
  if (source !== undefined && answer.status === 404) {
    return refused(`the running server has no source "${source}" that was started; oddswire feed status lists them`)
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
    printRows(markets.map(({ sourceMarket, ...outcomes }) => ({ id: sourceMarket, ...outcomes })))
    return 0
  }
  const rowOf = process.stdout.isTTY ? tableRow : wholeRow
  printRows([...feeds!.map(rowOf), ...neverStarted.map(neverRow)])
  return feeds!.some(({ state }) => state === 'down') ? 1 : 0
}

const neverRow = ({ name, kind, never }: NeverStarted): Row => ({
  id: name,
  kind,
  state: 'never started',
  problem: never,
})

const wholeRow = ({ name, ...rest }: Feed): Row => ({ id: name, ...rest })

const shortList = (names: readonly string[], what: string): string =>
  names.length > NAMES_SHOWN_MAX ? `${names.length} ${what}` : names.join(',')

const tableRow = (feed: Feed): Row => ({
  id: feed.name,
  kind: feed.kind,
  state: feed.state,
  since: feed.since,
  heardAt: feed.heardAt,
  suspended: feed.suspendedAt !== null,
  bookmakers: shortList(feed.bookmakers, 'bookmakers'),
  uncovered: shortList(feed.uncovered, 'uncovered'),
  observations: feed.observations,
  prices: feed.prices,
  refused: feed.refused,
  problem: feed.problem,
})
