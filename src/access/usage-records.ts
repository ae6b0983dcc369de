// Requests that organizations have used, in the store: in blocks that are recorded before they are used.

import type { Grant, Leftover, Want } from './reserving-ledger.ts'
import type { Tables } from './tables.ts'

/** Hours older than this are deleted: clocks are never set back so far. Months stay. */
const USAGE_KEPT_MS = 48 * 3_600_000

export class UsageRecords {
  private readonly tables: Tables

  constructor(tables: Tables) {
    this.tables = tables
  }

  /** Records blocks of requests before any of them is admitted: all of them, or none (and throws). */
  reserve(wants: readonly Want[]): Grant[] {
    return this.tables.write(() =>
      wants.map(({ organization, kind, start, limit, amount }) => {
        const row = this.tables.get<{ reserved: number }>(
          'SELECT reserved FROM usage WHERE organization = ? AND kind = ? AND start = ?',
          [organization, kind, start],
        )
        const before = row?.reserved ?? 0
        const granted = Math.max(0, Math.min(amount, limit - before))
        if (row === undefined && kind === 'hour') {
          this.tables.run(`DELETE FROM usage WHERE organization = ? AND kind = 'hour' AND start < ?`, [
            organization,
            start - USAGE_KEPT_MS,
          ])
        }
        this.tables.run(
          `INSERT INTO usage VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET reserved = reserved + excluded.reserved`,
          [organization, kind, start, granted],
        )
        return { before, granted }
      }),
    )
  }

  /** Gives back what was reserved and not used. */
  release(leftovers: readonly Leftover[]): void {
    this.tables.write(() => {
      for (const { organization, kind, start, amount } of leftovers) {
        this.tables.run(
          'UPDATE usage SET reserved = max(0, reserved - ?) WHERE organization = ? AND kind = ? AND start = ?',
          [amount, organization, kind, start],
        )
      }
    })
  }
}
