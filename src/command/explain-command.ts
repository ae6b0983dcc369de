// oddswire explain: why a key sees a quote of the running server, or does not.

import { askServer } from '../access/admin-client.ts'
import { type Fault, fault, isFault } from '../access/fault.ts'
import { hashOf, isSecret } from '../access/key.ts'
import { isBookmakerSlug } from '../domain/coverage.ts'
import { MARKET_TYPES } from '../domain/market.ts'
import { isRecord } from '../domain/record.ts'
import { TRANSPORTS } from '../domain/transport.ts'
import type { Candidates } from '../explain/answer.ts'
import type { Explanation } from '../explain/explanation.ts'
import { QUESTION_FIELDS } from '../explain/question.ts'
import { noSuchValue } from './action.ts'
import { parseFlags, refused, usage } from './arguments.ts'
import { KEY_HELP, readKey } from './secret.ts'
import { countOf, isForPeople, printRows, type TableRow, tableOf, terminalWidth, textRowsOf, wrapped } from './table.ts'

/** Exit code: the quote is hidden. */
const HIDDEN = 3

const help = `oddswire explain --key KEY --event EVENT --bookmaker B [--market M] [--line L] [--outcome O]
                 [--transport rest|live] [--json] [--data-dir DIR]

Walks a quote of the running server through every rule that can hide it from a key, in the order in which the service
applies them, and names the one that does: the last line is "hidden by: RULE — …" or "visible: …". It counts no request.
A table on a terminal, else JSON; --json: JSON on a terminal, too.
Exit codes: 0 visible, 3 hidden, 1 the question could not be answered, 2 invalid command line.

  --key KEY         id of a key, or its secret (${KEY_HELP})
  --event EVENT     id as in GET /events, a source's own id (SOURCE:ID), or words of the names of its sides
                    ("Harbour Town v Millbrook"): of several events they are listed
  --bookmaker B     slug
  --market M        market type, such as total_goals (default: all; the quote is visible if one of them is)
  --line L          line, such as 2.5; none: without a line (default: with or without)
  --outcome O       outcome, such as over (default: all)
  --transport T     rest or live (default: rest). On live, a suspended quote is visible: subscribers see it suspended`

const TYPES = {
  key: { type: 'string' },
  event: { type: 'string' },
  bookmaker: { type: 'string' },
  market: { type: 'string' },
  line: { type: 'string' },
  outcome: { type: 'string' },
  transport: { type: 'string' },
  json: { type: 'boolean' },
} as const

/** Runs `oddswire explain …`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(withNegativeLine(argv), help, TYPES, { settings: ['data-dir'] })
  if (typeof parsed === 'number') return parsed
  const { json = false, ...flags } = parsed.flags
  for (const flag of ['event', 'bookmaker'] as const) {
    if (flags[flag] === undefined) return usage(`--${flag} is missing`, help)
  }
  const wrong = faultOf(flags)
  if (wrong !== undefined) return refused(wrong.fault)
  const given = await readKey(flags.key)
  if (given === undefined) return usage('--key is missing: the id of a key, or its secret', help)
  if (typeof given !== 'string') return refused(given.fault)
  if (given.startsWith('odds_') && !isSecret(given)) return refused('--key is an incomplete or mistyped secret')
  // The server knows only the hash, and a secret belongs into no URL.
  const fields: Record<string, string | undefined> = { ...flags, key: isSecret(given) ? hashOf(given) : given }
  const query = QUESTION_FIELDS.flatMap((name) => {
    const value = fields[name]
    return value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  })
  const asked = await askServer(parsed.settings.dataDir, `/explain?${query.join('&')}`)
  if (isFault(asked)) return refused(`${asked.fault}: start it, or name its folder with --data-dir`)
  const { status, body } = asked
  if (isRecord(body) && isRecord(body.error)) return refused(`--${String(body.error.message)}`)
  if (status === 200 && isRecord(body) && Array.isArray(body.candidates)) {
    return listed(body as unknown as Candidates, flags.event!, json)
  }
  if (status !== 200 || !isRecord(body) || !Array.isArray(body.steps)) {
    return refused(`the running server cannot explain (status ${status}): it may be of another version`)
  }
  const explanation = body as unknown as Explanation
  print(explanation, json)
  return explanation.hiddenBy === null ? 0 : HIDDEN
}

/** `--line -1.5` is taken for a flag. */
const withNegativeLine = (argv: readonly string[]): string[] => {
  const place = argv.indexOf('--line')
  const value = argv[place + 1]
  if (place === -1 || value === undefined || !/^-\d/.test(value)) return [...argv]
  return [...argv.slice(0, place), `--line=${value}`, ...argv.slice(place + 2)]
}

const faultOf = (flags: Readonly<Record<string, string | undefined>>): Fault | undefined => {
  const { bookmaker = '', market, transport } = flags
  if (!isBookmakerSlug(bookmaker)) return fault(`--bookmaker must be a slug (lower case), not "${bookmaker}"`)
  if (market !== undefined && !(MARKET_TYPES as readonly string[]).includes(market)) {
    return noSuchValue('market', market, MARKET_TYPES)
  }
  if (transport !== undefined && !(TRANSPORTS as readonly string[]).includes(transport)) {
    return noSuchValue('transport', transport, TRANSPORTS)
  }
  return undefined
}

const listed = ({ candidates, isCut }: Candidates, given: string, json: boolean): number => {
  if (candidates.length === 0) {
    return refused(
      isCut
        ? `none of the next events has these names: "${given}"; give its id, as GET /events has it`
        : `no event on the board has all these names: "${given}"; give fewer words, or an id`,
    )
  }
  const rows = candidates.map((candidate) => ({ ...candidate }))
  printRows(rows, { json, summary: [`${countOf(candidates.length, 'event')}${isCut ? ', there may be more' : ''}`] })
  return refused('several events have these names; give the id of one with --event')
}

const print = (explanation: Explanation, json: boolean): void => {
  if (!isForPeople(json)) {
    process.stdout.write(`${JSON.stringify(explanation)}\n`)
    return
  }
  const { steps, quotes, quoteCount, verdict } = explanation
  const width = terminalWidth()
  const rows = steps.map(({ rule, passed, detail }) => [rule, passed ? 'passes' : 'HIDES', detail])
  const lines = [
    ...textRowsOf(rows, width),
    '',
    ...(quoteCount > 1 ? [...tableOf(quotes.map(quoteRow), width), ...more(quotes.length, quoteCount), ''] : []),
    ...wrapped(verdict, width),
  ]
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

const more = (shown: number, count: number): string[] => (shown < count ? [`and ${count - shown} more quotes`] : [])

const quoteRow = ({ name, odds, status, cause, observedAt, shownBy }: Explanation['quotes'][number]): TableRow => ({
  quote: name,
  odds,
  status,
  cause,
  'observed at': observedAt,
  'shown by': shownBy.length === 0 ? 'nothing' : shownBy.join(', '),
})
