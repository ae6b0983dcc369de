// Requests that organizations have used, in the store: in blocks that are recorded before they are used.

import type { Grant, Want } from './block-window.ts'
import type { WindowKind } from './ledger.ts'
import type { Leftover } from './reserving-ledger.ts'
import type { Tables } from './tables.ts'

/**
 * Hours of an organization that are kept, the newest ones with the one that begins; months stay. By number, not by age: once the clock was wrong,
 * the hours before must not be forgotten, or they could be used again.
 */
const HOURS_KEPT = 48

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
          this.tables.run(
            `DELETE FROM usage WHERE organization = ? AND kind = 'hour' AND start <
             (SELECT start FROM usage WHERE organization = ? AND kind = 'hour' ORDER BY start DESC LIMIT 1 OFFSET ?)`,
            [organization, organization, HOURS_KEPT - 2],
          )
        }
        this.tables.run(
          `INSERT INTO usage VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET reserved = reserved + excluded.reserved`,
          [organization, kind, start, granted],
        )
        return { before, granted }
      }),
    )
  }

  /** Requests of a window that are reserved; 0: none, or it is no longer kept. */
  reservedOf(organization: string, kind: WindowKind, start: number): number {
    const sql = 'SELECT reserved FROM usage WHERE organization = ? AND kind = ? AND start = ?'
    return this.tables.get<{ reserved: number }>(sql, [organization, kind, start])?.reserved ?? 0
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
