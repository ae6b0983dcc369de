// oddswire coverage: the bookmakers, their verified coverage, and its history.

import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type CoverageEffects, type CoverageRemoval, NOTICE_DAYS } from '../access/coverage-records.ts'
import { dateOf, lossesText } from '../access/coverage-rows.ts'
import { type Fault, fault, isFault, messageOf } from '../access/fault.ts'
import { holderOf } from '../access/holder.ts'
import { isHeld } from '../access/file-lock.ts'
import type { VerificationRecord } from '../access/verification-records.ts'
import * as clock from '../clock.ts'
import {
  type Coverage,
  COVERAGE_STATUSES,
  type CoverageStatus,
  isBookmakerSlug,
  parseCoverage,
  SOURCE_MODES,
} from '../domain/coverage.ts'
import { isSport, type Sport, SPORTS } from '../domain/sport.ts'
import { parseDateTime } from '../domain/time.ts'
import { type Action, type Given, noSuchValue, type Outcome, runAction } from './action.ts'
import { countOf, type Row, tally } from './table.ts'

/** How long `verify` waits for the next result of a running server. */
const SILENT_MS = 120_000
const LOOK_MS = 100

const readSport = (value: string | undefined): Sport | '*' | Fault => {
  if (value === undefined || value === '*' || isSport(value)) return value ?? '*'
  return noSuchValue('sport', value, [...SPORTS, '*'])
}

const readSwitch = (flag: string, value: string | undefined): boolean | undefined | Fault => {
  if (value === undefined || value === 'true' || value === 'false') return value && value === 'true'
  return fault(`--${flag} must be true or false, not "${value}"`)
}

const hasteOf = ({ flags }: Given) => ({ isNow: flags.now !== undefined, reason: flags.reason?.trim() || undefined })

const notesOn = ({ withdrawn, immediate }: CoverageEffects): string[] => [
  ...(immediate > 0
    ? ['note: customers have lost coverage without notice; oddswire coverage removals has the changelog entry']
    : []),
  ...(withdrawn > 0 ? [`note: withdrawn, because this coverage stays: ${withdrawn} announced removal(s)`] : []),
]

const load: Action = {
  creates: true,
  synopsis: 'FILE',
  summary: 'Adds or replaces the bookmakers of a coverage file, each with its whole coverage; others are unchanged.',
  details: [
    '',
    'FILE is JSON, as coverage/the-odds-api.json: {"bookmakers": [{…}, …]}, each with',
    '  "slug", "displayName", "region", "customerNote"   texts; the slug is that of the feeds',
    '  "countries"      ["MT", …], two-letter codes',
    `  "sourceMode"     ${SOURCE_MODES.join(', ')}`,
    '  "coverage"       [{…}, …], each with',
    '      "sports"         ["football", …], or ["*"] for all that are not named',
    `      "status"         ${COVERAGE_STATUSES.slice(0, 3).join(', ')},`,
    `                       ${COVERAGE_STATUSES.slice(3).join(', ')}`,
    '      "restAvailable", "liveAvailable"   true or false',
    '      "lastVerifiedAt" null; verify sets it',
  ],
  positionals: ['FILE'],
  act: ({ store, positionals, at }): Outcome => {
    const path = positionals[0]!
    let text: string
    try {
      text = readFileSync(path, 'utf8')
    } catch (error) {
      return fault(`${path} cannot be read (${messageOf(error)})`)
    }
    const bookmakers = parseCoverage(text)
    if ('message' in bookmakers) return fault(`${path} was not imported: ${bookmakers.field} ${bookmakers.message}`)
    const effects = store.coverage.import(bookmakers, at)
    return { auditId: effects.auditId, notes: [`${bookmakers.length} bookmakers imported`, ...notesOn(effects)] }
  },
}

const list: Action = {
  synopsis: '',
  summary: 'Lists the coverage of every bookmaker and sport; * means all sports that are not named.',
  lists: true,
  act: ({ store }): Outcome => {
    const bookmakers = store.coverage.bookmakers()
    const rows = bookmakers.flatMap(({ slug, coverage, ...bookmaker }) =>
      coverage.map((row) => ({ id: `${slug}:${row.sport}`, bookmaker: slug, ...row, ...bookmaker })),
    )
    const verified = rows.filter(({ lastVerifiedAt }) => lastVerifiedAt !== null).length
    return {
      rows,
      table: rows.map(({ bookmaker, sport, status, restAvailable, liveAvailable, lastVerifiedAt }) => ({
        ...{ bookmaker, sport, status, rest: restAvailable, live: liveAvailable, verified: lastVerifiedAt },
      })),
      summary:
        rows.length === 0
          ? 'no coverage yet: oddswire coverage import FILE adds bookmakers'
          : `${countOf(bookmakers.length, 'bookmaker')}, ${countOf(rows.length, 'row')} of coverage, ${verified} verified`,
    }
  },
}

const set: Action = {
  synopsis: 'BOOKMAKER --sport S|* [--status …] [--rest true|false] [--live true|false] [--now] [--reason TEXT]',
  summary: 'Changes the coverage of a bookmaker in a sport, or adds it; withdraws an announced removal of it.',
  details: [
    '',
    '  --sport S            the sport, or * for all that are not named',
    `  --status STATUS      ${COVERAGE_STATUSES.join(', ')}`,
    '  --rest true|false    whether there is data for REST',
    '  --live true|false    whether there is data for the live channel',
    '  --now                also where customers lose coverage, without notice; needs a --reason',
    '  --reason TEXT        for the history, and for the changelog entry',
    '',
    'Where customers lose anything it is a removal: announce it with oddswire coverage remove, or give --now.',
  ],
  positionals: ['BOOKMAKER'],
  required: ['sport'],
  optional: ['status', 'rest', 'live', 'reason'],
  switches: ['now'],
  act: (given): Outcome => {
    const { store, flags, positionals, at } = given
    const slug = positionals[0]!
    const sport = readSport(flags.sport)
    if (isFault(sport)) return sport
    const { status } = flags
    if (status !== undefined && !COVERAGE_STATUSES.includes(status as CoverageStatus)) {
      return noSuchValue('status', status, COVERAGE_STATUSES)
    }
    const restAvailable = readSwitch('rest', flags.rest)
    if (isFault(restAvailable)) return restAvailable
    const liveAvailable = readSwitch('live', flags.live)
    if (isFault(liveAvailable)) return liveAvailable
    const fields = {
      ...(status === undefined ? {} : { status: status as CoverageStatus }),
      ...(restAvailable === undefined ? {} : { restAvailable }),
      ...(liveAvailable === undefined ? {} : { liveAvailable }),
    }
    if (Object.keys(fields).length === 0) return { misused: 'nothing to set: give --status, --rest or --live' }
    const effects = store.coverage.set(slug, sport, fields, hasteOf(given), at)
    if (isFault(effects)) return effects
    const bookmaker = store.coverage.bookmakerOf(slug)
    const named = isFault(bookmaker) ? [] : bookmaker.coverage.map((row) => row.sport).filter((each) => each !== '*')
    const others =
      sport === '*' && named.length > 0
        ? [`note: these sports have coverage of their own, which is unchanged: ${named.join(', ')}`]
        : []
    return { auditId: effects.auditId, notes: [...notesOn(effects), ...others] }
  },
}

const remove: Action = {
  synopsis: 'BOOKMAKER [--sport S] [--effective YYYY-MM-DD] [--now] [--reason TEXT]',
  summary: `Announces the removal of coverage, in ${NOTICE_DAYS} days at the earliest; prints the data of its changelog entry.`,
  details: [
    '',
    '  --sport S               this sport only (default: all coverage of the bookmaker)',
    `  --effective YYYY-MM-DD  the UTC day of the removal (default: the first after ${NOTICE_DAYS} days)`,
    '  --now                   at once, without notice; needs a --reason',
    '  --reason TEXT           for the history, and for the changelog entry',
    '',
    'The server removes it on that day; oddswire coverage set or import of this coverage withdraws the removal. Coverage',
    'that no customer sees is removed at once.',
  ],
  positionals: ['BOOKMAKER'],
  optional: ['sport', 'effective', 'reason'],
  switches: ['now'],
  act: (given): Outcome => {
    const { store, flags, positionals, at } = given
    const sport = readSport(flags.sport)
    if (isFault(sport)) return sport
    const { effective } = flags
    if (effective !== undefined && flags.now !== undefined) return { misused: '--effective does not go with --now' }
    const day = effective === undefined ? undefined : parseDateTime(`${effective}T00:00:00Z`)
    if (effective !== undefined && day === undefined) return fault('--effective must be a day, like 2030-01-31')
    const removed = store.coverage.remove(positionals[0]!, sport, { ...hasteOf(given), effectiveAt: day?.epochMs }, at)
    if (isFault(removed)) return removed
    const { auditId, removal } = removed
    if (removal === undefined) return { auditId, notes: ['removed at once: no customer saw it'] }
    return { auditId, rows: [removalRow(removal, displayNamesOf(given))] }
  },
}

const displayNamesOf = ({ store }: Given): ReadonlyMap<string, string> =>
  new Map(store.coverage.bookmakers().map(({ slug, displayName }) => [slug, displayName]))

/** A removal as in a changelog entry. */
const removalRow = (removal: CoverageRemoval, names: ReadonlyMap<string, string>): Row => {
  const { id, announcedAt, effectiveAt, bookmaker, losses, notice, status, reason } = removal
  const displayName = names.get(bookmaker) ?? bookmaker
  const [date, effective] = [dateOf(announcedAt), dateOf(effectiveAt)]
  const what = `coverage of ${displayName} (\`${bookmaker}\`) in ${lossesText(losses)}`
  const how =
    status === 'withdrawn'
      ? `announced to end on ${effective} stays`
      : notice === 'immediate'
        ? `has ended on ${effective}, without notice`
        : `${status === 'done' ? 'has ended' : 'ends'} on ${effective}`
  return {
    id: String(id),
    date,
    kind: 'coverage_removal',
    bookmaker,
    displayName,
    sports: [...new Set(losses.flatMap(({ sports }) => sports))],
    transports: [...new Set(losses.flatMap(({ transports }) => transports))],
    effective,
    status,
    notice,
    reason,
    markdown: `- ${date}: ${what} ${how} (${reason}).`,
  }
}

const removals: Action = {
  synopsis: '',
  summary: 'Lists what customers have lost or are about to lose, each with its line for CHANGELOG.md.',
  lists: true,
  act: (given): Outcome => {
    const names = displayNamesOf(given)
    return { rows: given.store.coverage.removals().map((removal) => removalRow(removal, names)) }
  },
}

/** `verified_rest_live rest live 2026-11-20`, a minus before what is not available. */
const rowText = (row: Coverage | null): string | null =>
  row &&
  [
    row.status,
    `${row.restAvailable ? '' : '-'}rest`,
    `${row.liveAvailable ? '' : '-'}live`,
    row.lastVerifiedAt ?? 'unverified',
  ].join(' ')

const history: Action = {
  synopsis: '[--bookmaker SLUG]',
  summary: 'Lists every change of coverage, oldest first: what it was, what it became, why, and what changed it.',
  lists: true,
  optional: ['bookmaker'],
  act: ({ store, flags }): Outcome => ({
    rows: store.coverage.history(flags.bookmaker).map(({ id, at, before, after, reason, ...row }) => ({
      id: String(id),
      at: new Date(at).toISOString(),
      ...row,
      before: rowText(before),
      after: rowText(after),
      reason,
    })),
  }),
}

const verify: Action = {
  synopsis: '[--bookmaker SLUG] [--sport S]',
  summary:
    'Has the running server verify coverage: prices fetched from the source must be equal when read back through REST.',
  lists: true,
  details: [
    '',
    '  --bookmaker SLUG   this bookmaker only',
    '  --sport S          this sport only',
    '',
    'Exit code 1 when anything failed. What passed on every channel that its coverage claims has a new lastVerifiedAt.',
  ],
  optional: ['bookmaker', 'sport'],
  act: async (given): Promise<Outcome> => {
    const { store, flags, at, dataDir } = given
    const { bookmaker = null } = flags
    const sport = readSport(flags.sport)
    if (isFault(sport)) return sport
    if (bookmaker !== null) {
      const known = isBookmakerSlug(bookmaker)
        ? store.coverage.bookmakerOf(bookmaker)
        : fault('--bookmaker must be a slug')
      if (isFault(known)) return known
    }
    if (!isHeld(dataDir)) {
      return fault(`no server runs with data folder ${dataDir}, and only a running server verifies: start it first`)
    }
    const { id } = store.verification.request({ bookmaker, sport: sport === '*' ? null : sport }, at)
    return await resultsOf(given, id)
  },
}

/** Waits until the running server has processed a request, and reports each result as it comes. */
const resultsOf = async ({ store, dataDir }: Given, request: number): Promise<Outcome> => {
  const runs: VerificationRecord[] = []
  let reportedMs = clock.elapsedMs()
  for (;;) {
    // Queried before the runs: those of a request that is done are complete.
    const { status, detail } = store.verification.requestOf(request)!
    for (const run of store.verification.runsOf(request, runs.at(-1)?.id ?? 0)) {
      runs.push(run)
      reportedMs = clock.elapsedMs()
      process.stderr.write(`${runs.length}: ${run.bookmaker} ${run.sport} ${run.outcome}\n`)
    }
    if (status === 'done') return outcomeOfRuns(runs, detail)
    if (status === 'lapsed' || !isHeld(dataDir))
      return fault('the server ended before the verification was complete; start it, and repeat the command')
    if (clock.elapsedMs() - reportedMs >= SILENT_MS) {
      const pid = holderOf(dataDir)?.pid ?? 'unknown'
      return fault(`the running server (process ${pid}) has reported nothing for ${SILENT_MS / 1000} s; see its log`)
    }
    await pause(LOOK_MS)
  }
}

const outcomeOfRuns = (runs: readonly VerificationRecord[], detail: string): Outcome => {
  if (runs.length === 0) return fault(`nothing was verified: ${detail || 'no coverage matches'}`)
  const rows = runs.flatMap(({ bookmaker, sport, channels }) =>
    channels.map((channel) => ({ id: `${bookmaker}:${sport}:${channel.transport}`, bookmaker, sport, ...channel })),
  )
  const failed = runs.filter(({ outcome }) => outcome === 'failed')
  const notes = detail === '' ? [] : [`note: ${detail}`]
  const list = {
    ...{ rows, notes },
    table: runs.flatMap(({ bookmaker, sport, channels }) =>
      channels.map(({ transport, outcome, quotes, detail }) => ({
        ...{ bookmaker, sport, channel: transport, outcome, quotes, detail },
      })),
    ),
    summary: `${countOf(runs.length, 'verification')}: ${tally(runs.map(({ outcome }) => outcome))}`,
  }
  if (failed.length === 0) return list
  return { ...list, failed: `verification failed: ${failed.length} of ${runs.length}, see their details` }
}

/** Runs `oddswire coverage …`. Resolves to the exit code. */
export const run = (argv: readonly string[]): Promise<number> =>
  runAction('coverage', { import: load, list, set, remove, removals, history, verify }, argv)
