// oddswire feed check: whether a configuration of sources is valid.

import { isFault } from '../access/fault.ts'
import { feedsSchema } from '../feed/feeds-file.ts'
import { type Row, printRows } from './action.ts'
import { parseFlags, refused, warned } from './arguments.ts'
import { FEEDS_FILE, loadFeeds } from './feeds-setup.ts'

const help = `oddswire feed check [--feeds FILE] [--schema]

Reads a configuration of sources as serve does, starts nothing, and lists the sources that would run, and those that never
would, with the reason. A fault names the field. Warns on stderr where a secret would cross a network unencrypted.

  --schema    print the JSON Schema of the configuration instead`

/** Runs `oddswire feed check`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(argv, help, { schema: { type: 'boolean' } }, { settings: ['feeds'] })
  if (typeof parsed === 'number') return parsed
  if (parsed.flags.schema === true) {
    process.stdout.write(`${JSON.stringify(feedsSchema(), undefined, 2)}\n`)
    return 0
  }
  const feeds = loadFeeds(parsed.settings.feeds, () => undefined)
  if (feeds === undefined) return refused(`there is no ${FEEDS_FILE} here; name one with --feeds`)
  if (isFault(feeds)) return refused(feeds.fault)
  for (const warning of feeds.warnings) warned(warning)
  printRows(
    feeds.plans.map(
      ({ terms, kind, bookmakers, budget, never }): Row => ({
        id: terms.name,
        kind,
        bookmakers,
        lateMs: terms.lateMs,
        downMs: terms.downMs,
        suspendMs: terms.suspendMs,
        pricesPerSecond: budget.pricesPerSecond,
        never,
      }),
    ),
  )
  return 0
}
