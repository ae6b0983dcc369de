// Lines of the server's log about what commands and users of the portal have changed, and about refused requests.

import type { AuditRow } from './tables.ts'

/** An import of coverage may have thousands of rows: the store has them all. */
const LINES_MAX = 50

const bounded = (lines: readonly string[], rest: string): string[] =>
  lines.length <= LINES_MAX
    ? [...lines]
    : [...lines.slice(0, LINES_MAX), `and ${lines.length - LINES_MAX} more: ${rest}`]

/** `key revoke key_1a2b by ada@example.com`. What the server does itself, it says elsewhere. */
export const auditLines = (rows: readonly AuditRow[]): string[] =>
  bounded(
    rows.filter(({ by }) => by !== 'server').map(({ what, subject, by }) => `${what} ${subject} by ${by}`),
    'oddswire audit list',
  )

export interface RefusedCount {
  /** Its name. */
  readonly organization: string
  readonly code: string
  readonly count: number
}

/** `organization acme: 12 requests refused (rate_limit_exceeded)`. */
export const refusalLines = (counts: readonly RefusedCount[]): string[] =>
  bounded(
    counts.map(
      ({ organization, code, count }) =>
        `organization ${organization}: ${count} ${count === 1 ? 'request' : 'requests'} refused (${code})`,
    ),
    'oddswire audit refusals',
  )
