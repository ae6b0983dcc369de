// oddswire audit: who changed what, and which requests were refused.

import { fault, isFault, type Fault } from '../access/fault.ts'
import { type Action, type Given, type Outcome, runAction } from './action.ts'
import { countOf } from './table.ts'

const LIMIT = 1_000
const LIMIT_MAX = 100_000

const FILTERS = [
  '',
  '  --org NAME     what concerns this organization (name or id) only',
  '  --since TIME   from a time on, RFC 3339 (2026-11-23T12:00:00Z) or a date, or so long ago (90m, 12h, 7d)',
  `  --limit N      the newest N (default: ${LIMIT}; at most ${LIMIT_MAX})`,
]

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
const HOUR_MS = 3_600_000

const readSince = (given: string | undefined, at: number): number | Fault => {
  if (given === undefined) return 0
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(given) ?? []
  if (count !== undefined && unit !== undefined) return at - Number(count) * UNIT_MS[unit]!
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(given) ? Date.parse(given) : Number.NaN
  return Number.isNaN(time)
    ? fault(`--since must be a time such as 2026-11-23T12:00:00Z, or 90m, 12h, 7d, not "${given}"`)
    : time
}

const readLimit = (given: string | undefined): number | Fault => {
  if (given === undefined) return LIMIT
  const limit = /^\d{1,6}$/.test(given) ? Number(given) : 0
  return limit >= 1 && limit <= LIMIT_MAX
    ? limit
    : fault(`--limit must be a number from 1 to ${LIMIT_MAX}, not "${given}"`)
}

interface Filters {
  /** Id; null: all. */
  readonly organization: string | null
  readonly since: number
  readonly limit: number
}

const readFilters = ({ store, flags, at }: Given): Filters | Fault => {
  const organization = flags.org === undefined ? undefined : store.accounts.organizationOf(flags.org)
  if (isFault(organization)) return fault(`--org: ${organization.fault}`)
  const since = readSince(flags.since, at)
  if (isFault(since)) return since
  const limit = readLimit(flags.limit)
  if (isFault(limit)) return limit
  return { organization: organization?.id ?? null, since, limit }
}

/** Whether there may be more than what is shown. */
const summaryOf = (count: number, noun: string, limit: number): string =>
  `${countOf(count, noun)}${count === limit ? ', there may be more: --limit' : ''}`

const list: Action = {
  synopsis: '[--org NAME] [--by WHO] [--since TIME] [--limit N]',
  summary: 'Lists what commands, users of the portal and the server have changed, the newest first.',
  details: [...FILTERS, '  --by WHO       the email of a user, command, or server'],
  lists: true,
  optional: ['org', 'by', 'since', 'limit'],
  act: (given): Outcome => {
    const filters = readFilters(given)
    if (isFault(filters)) return filters
    const { store, flags } = given
    const { organization, since, limit } = filters
    const names = namesOf(given)
    const found = store.newestAudit(organization, limit, { since, ...(flags.by === undefined ? {} : { by: flags.by }) })
    const rows = found.map((row) => ({
      ...{ id: String(row.id), at: new Date(row.at).toISOString(), by: row.by, what: row.what, subject: row.subject },
      organization: row.organization === null ? null : (names.get(row.organization) ?? row.organization),
      detail: row.detail,
    }))
    return { rows, summary: summaryOf(rows.length, 'change', limit) }
  },
}

const refusals: Action = {
  synopsis: '[--org NAME] [--since TIME] [--limit N]',
  summary: 'Lists how many requests were refused, by hour, organization and code, the newest hour first; of 32 days.',
  details: [...FILTERS, '', 'A running server writes them once a minute.'],
  lists: true,
  optional: ['org', 'since', 'limit'],
  act: (given): Outcome => {
    const filters = readFilters(given)
    if (isFault(filters)) return filters
    const { organization, since, limit } = filters
    const names = namesOf(given)
    const rows = given.store.traffic.refused(organization, since - (since % HOUR_MS), limit).map((row) => ({
      ...{ id: new Date(row.hour).toISOString(), organization: names.get(row.organization) ?? row.organization },
      ...{ code: row.code, requests: row.count },
    }))
    const table = rows.map(({ id: hour, ...row }) => ({ hour, ...row }))
    return { rows, table, summary: summaryOf(rows.length, 'row', limit) }
  },
}

const namesOf = ({ store }: Given): ReadonlyMap<string, string> =>
  new Map(store.accounts.organizations().map(({ id, name }) => [id, name]))

/** Runs `oddswire audit …`. Resolves to the exit code. */
export const run = (argv: readonly string[]): Promise<number> => runAction('audit', { list, refusals }, argv)
