// oddswire feed status: how every source of the running server is.

import { askServer } from '../access/admin-client.ts'
import { isFault } from '../access/fault.ts'
import { type Row, printRows } from './action.ts'
import { parseFlags, refused } from './arguments.ts'

const help = `oddswire feed status [--data-dir DIR]

Tells how every source of the running server is: starting, live, late or down, since when, what it has brought, and what
is wrong with it. A table on a terminal, else one JSON object a source. Ends with 1 when a source is down, or was not
started.`

interface Feed {
  readonly name: string
  readonly kind: string
  readonly state: string
  readonly since: string
  readonly heardAt: string | null
  readonly suspendedAt: string | null
  readonly bookmakers: readonly string[]
  readonly observations: number
  readonly prices: number
  readonly refused: number
  readonly problem: string | null
  readonly notStarted: string | null
}

/** Runs `oddswire feed status`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(argv, help, {}, { settings: ['data-dir'] })
  if (typeof parsed === 'number') return parsed
  const answer = await askServer(parsed.settings.dataDir, '/feeds')
  if (isFault(answer)) return refused(`${answer.fault}: start it, or name its folder with --data-dir`)
  const { feeds } = (answer.body ?? {}) as { readonly feeds?: readonly Feed[] }
  if (answer.status !== 200 || feeds === undefined) {
    return refused(`the running server cannot tell (status ${answer.status}): it may be of another version`)
  }
  printRows(
    process.stdout.isTTY ? feeds.map(tableRow) : feeds.map(({ name, ...rest }) => ({ id: name, ...rest }) as Row),
  )
  return feeds.some(({ state, notStarted }) => state === 'down' || notStarted !== null) ? 1 : 0
}

const BOOKMAKERS_SHOWN_MAX = 3

const tableRow = (feed: Feed): Row => ({
  id: feed.name,
  kind: feed.kind,
  state: feed.notStarted === null ? feed.state : 'not started',
  since: feed.since,
  heardAt: feed.heardAt,
  suspended: feed.suspendedAt !== null,
  bookmakers:
    feed.bookmakers.length > BOOKMAKERS_SHOWN_MAX ? `${feed.bookmakers.length} bookmakers` : feed.bookmakers.join(','),
  observations: feed.observations,
  prices: feed.prices,
  refused: feed.refused,
  problem: feed.notStarted ?? feed.problem,
})
