// How many requests organizations have made, by hour, in the store: for people. What is refused by a limit is counted in
// usage-records.ts.

import type { Tables } from './tables.ts'

/** Requests of an organization in an hour. */
export interface TrafficRow {
  /** Id. */
  readonly organization: string
  /** Its start, epoch ms. */
  readonly hour: number
  /** Why they were refused, a code of the interface; empty: all requests with a valid key, refused ones included. */
  readonly code: string
  readonly count: number
}

const DAY_MS = 24 * 3_600_000

/** Hours that are kept: the days of the longest month, and one. */
const KEPT_MS = 32 * DAY_MS

export class TrafficRecords {
  private readonly tables: Tables

  constructor(tables: Tables) {
    this.tables = tables
  }

  /** Adds to what is recorded, and drops what is old. */
  add(rows: readonly TrafficRow[], at: number): void {
    this.tables.write(() => {
      for (const organization of new Set(rows.map((row) => row.organization)))
        this.tables.run('DELETE FROM traffic WHERE organization = ? AND hour < ?', [organization, at - KEPT_MS])
      for (const { organization, hour, code, count } of rows)
        this.tables.run(
          'INSERT INTO traffic VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
          [organization, hour, code, count],
        )
    })
  }

  /** Refused requests of an organization (by id), or (null) of all, from an hour on; the newest hour first. */
  refused(organization: string | null, since: number, limit: number): TrafficRow[] {
    const [term, values] = organization === null ? ['', []] : ['AND organization = ?', [organization]]
    return this.tables.all(
      `SELECT * FROM traffic WHERE code <> '' AND hour >= ? ${term} ORDER BY hour DESC, organization, code LIMIT ?`,
      [since, ...values, limit],
    )
  }

  /** All of an organization (by id), oldest first: by hour from `hoursFrom` on, before by day (then `hour` is its start). */
  of(organization: string, hoursFrom: number): TrafficRow[] {
    return this.tables.all(
      `SELECT organization, hour, code, count FROM traffic WHERE organization = ? AND hour >= ?
         UNION ALL
       SELECT organization, hour - hour % ${DAY_MS} AS hour, code, sum(count) AS count
         FROM traffic WHERE organization = ? AND hour < ? GROUP BY hour - hour % ${DAY_MS}, code
         ORDER BY hour, code`,
      [organization, hoursFrom, organization, hoursFrom],
    )
  }
}
