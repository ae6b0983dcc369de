// oddswire feed explain: the result for each market of a recording.

import { grouped } from '../domain/grouped.ts'
import { isMarketType } from '../domain/market.ts'
import { isFault } from '../access/fault.ts'
import { LIMITS } from '../limits.ts'
import { type Explained, explain } from '../feed/explain.ts'
import { NAMED_MAX } from '../feed/replay.ts'
import type { SourceMarketRow } from '../source/kit/account.ts'
import { FORMAT_NAMES } from '../source/formats.ts'
import { aligned, parseFlags, refused, usage } from './arguments.ts'
import { RECORDING_FLAGS, RECORDING_HELP, recordingTerms } from './recording-flags.ts'
import { type Row, printRows } from './table.ts'

const help = `oddswire feed explain FILE… --format FORMAT [--transport T] [--bookmaker SLUG] [--fixtures FILE]
                     [--received-at TIME] [--odds-format F]

Reads recordings, and prints what became of every outcome in them, by sport and source market; nothing is sent anywhere.
Several files of one format are read in the given order, as if one source had sent them. A sport is ours, else the source's
word for it.

${RECORDING_HELP}

A table on a terminal, else one JSON object a source market (id "football/soccer.match_odds": sport and market, which may be
named "total", too) and, as the last, one for all together (id "total"). Exit code 1 when anything was malformed.`

/** Runs `oddswire feed explain …`. Resolves to the exit code. */
export const run = async (argv: readonly string[]): Promise<number> => {
  const parsed = parseFlags(argv, help, RECORDING_FLAGS, { settings: ['log-level'], positionals: ['FILE'], more: true })
  if (typeof parsed === 'number') return parsed
  const { flags, positionals } = parsed
  if (flags.format === undefined) return usage(`--format is missing, one of ${FORMAT_NAMES.join(', ')}`, help)
  const terms = recordingTerms({ ...flags, format: flags.format })
  if (isFault(terms)) return refused(terms.fault)
  let malformed = 0
  const explained = await explain({
    ...terms,
    paths: positionals,
    limits: LIMITS,
    onMalformed: (place, reason) => {
      if (++malformed <= NAMED_MAX) process.stderr.write(`${place}: ${reason}; skipped\n`)
    },
  })
  if ('fault' in explained) return refused(explained.fault)
  if (explained.unnamed !== undefined) process.stderr.write(`${positionals.join(', ')} ${explained.unnamed}\n`)
  if (process.stdout.isTTY) process.stdout.write(`${totalLines(explained).join('\n')}\n\n`)
  printRows(
    process.stdout.isTTY
      ? explained.sourceMarkets.map(marketRow)
      : [...explained.sourceMarkets.map(jsonRow), totalRow(explained)],
  )
  return malformed === 0 ? 0 : 1
}

const outcomesOf = ({ fates }: SourceMarketRow): number => [...fates.values()].reduce((sum, count) => sum + count, 0)

const mappedOf = ({ fates }: SourceMarketRow): number =>
  [...fates].reduce((sum, [fate, count]) => (isMarketType(fate) ? sum + count : sum), 0)

/** `62 %`; 0 and 100 only where it is none and all. */
const share = (part: number, whole: number): string => {
  const percent = (100 * part) / whole
  return `${percent > 0 && percent < 1 ? 1 : percent > 99 && percent < 100 ? 99 : Math.round(percent)} %`
}

interface SportFigures {
  readonly outcomes: number
  readonly mapped: number
}

/** Outcomes by sport, the largest first; `unknown` where nobody knows it. */
const bySport = (rows: readonly SourceMarketRow[]): [string, SportFigures][] => {
  const sports = new Map<string, SportFigures>()
  for (const row of rows) {
    const sport = row.sport ?? 'unknown'
    const { outcomes, mapped } = sports.get(sport) ?? { outcomes: 0, mapped: 0 }
    sports.set(sport, { outcomes: outcomes + outcomesOf(row), mapped: mapped + mappedOf(row) })
  }
  return [...sports].sort(([, a], [, b]) => b.outcomes - a.outcomes)
}

/** `total_goals 24, no_price 2`, the largest first. */
const marketRow = (row: SourceMarketRow): Row => ({
  id: row.sourceMarket,
  sport: row.sport,
  outcomes: outcomesOf(row),
  mapped: share(mappedOf(row), outcomesOf(row)),
  became: [...row.fates]
    .sort(([, a], [, b]) => b - a)
    .map(([fate, count]) => `${fate} ${count}`)
    .join(', '),
})

/** Sport and market: two sports may have a market of the same name, and any may be called like the sum. */
const jsonRow = (row: SourceMarketRow): Row =>
  ({
    id: `${row.sport ?? 'unknown'}/${row.sourceMarket}`,
    sport: row.sport,
    sourceMarket: row.sourceMarket,
    outcomes: outcomesOf(row),
    mapped: mappedOf(row),
    became: Object.fromEntries(row.fates),
  }) as unknown as Row

const totalRow = ({ totals, sourceMarkets, ...figures }: Explained): Row =>
  ({
    id: 'total',
    ...totals,
    unmappedBy: Object.fromEntries(totals.unmappedBy),
    ...figures,
    bySport: Object.fromEntries(bySport(sourceMarkets)),
  }) as unknown as Row

const listOf = (counts: Iterable<readonly [string, number]>): string =>
  [...counts]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${name} ${grouped(count)}`)
    .join(', ')

const totalLines = ({ totals, sourceMarkets, ...figures }: Explained): string[] =>
  aligned([
    ['outcomes', grouped(totals.read)],
    ['mapped', `${grouped(totals.mapped)} in ${grouped(figures.observations)} observations`],
    ['dated', `${grouped(totals.dated)} of the mapped: a day, and no time`],
    ['no price', grouped(totals.noPrice)],
    ['bad price', grouped(totals.badPrice)],
    ['unmapped', `${grouped(totals.unmapped)} ${totals.unmapped === 0 ? '' : `(${listOf(totals.unmappedBy)})`}`],
    ['malformed', grouped(totals.malformed)],
    [
      'by sport',
      bySport(sourceMarkets)
        .map(([sport, { outcomes, mapped }]) => `${sport} ${share(mapped, outcomes)} of ${grouped(outcomes)} mapped`)
        .join(', '),
    ],
    ['quotes', `${grouped(figures.quotes)} (${listOf(Object.entries(figures.byStatus))})`],
    ['by type', listOf(Object.entries(figures.byType))],
    ['events', grouped(figures.events)],
    ['bookmakers', grouped(figures.bookmakers)],
    ['markets', `${grouped(figures.markets)}, of bookmakers ${grouped(figures.bookMarkets)}`],
  ])
