// Verification in the store: the result of each run, its effect on coverage, and what commands request.

import {
  type Coverage,
  coverageOf,
  type CoverageStatus,
  FALLEN_STATUSES,
  outcomeOf,
  type Verification,
  type VerificationOutcome,
  type VerificationPolicy,
  type VerificationRequest,
} from '../domain/coverage.ts'
import type { Sport } from '../domain/sport.ts'
import type { CoverageRecords } from './coverage-records.ts'
import { dateOf } from './coverage-rows.ts'
import { isFault } from './fault.ts'
import type { Tables, Written } from './tables.ts'

/** A run as it was recorded. */
export interface VerificationRecord extends Verification {
  readonly id: number
  /** Epoch ms. */
  readonly at: number
  readonly outcome: VerificationOutcome
  /** Id of its request; null: on schedule. */
  readonly request: number | null
}

/** Effect of a run on coverage. */
export interface VerificationEffect {
  readonly outcome: VerificationOutcome
  /** The status that this run has lowered it to; null: unchanged. */
  readonly fellTo: CoverageStatus | null
}

/** When a bookmaker was last verified in a sport, epoch ms, whatever the result. */
export interface LastVerification {
  readonly bookmaker: string
  readonly sport: Sport
  readonly at: number
}

/** A request in the store. Lapsed: the server that it was meant for has ended. */
export interface RequestRecord extends VerificationRequest {
  readonly status: 'pending' | 'done' | 'lapsed'
  /** Why nothing, or not all, was verified; empty: nothing to say. */
  readonly detail: string
}

/** Runs and requests older than this are deleted; what they changed stays in the history of coverage. */
const KEPT_MS = 90 * 24 * 3_600_000

export class VerificationRecords {
  private readonly tables: Tables
  private readonly coverage: CoverageRecords

  constructor(tables: Tables, coverage: CoverageRecords) {
    this.tables = tables
    this.coverage = coverage
  }

  /**
   * Records a run. Passed: coverage was verified on the UTC date of `at`. Failed for the `failuresMax`-th time in a
   * row: its status is lowered as the policy says, and a removal without notice is written. Skipped: coverage is
   * unchanged.
   */
  record(run: Verification, policy: VerificationPolicy, request: number | null, at: number): VerificationEffect {
    const { tables } = this
    return tables.write(() => {
      const { bookmaker: slug, sport, channels } = run
      const outcome = outcomeOf(run)
      tables.run('DELETE FROM verifications WHERE bookmaker = ? AND sport = ? AND at < ?', [slug, sport, at - KEPT_MS])
      tables.run(
        'INSERT INTO verifications (at, bookmaker, sport, outcome, channels, request) VALUES (?, ?, ?, ?, ?, ?)',
        [at, slug, sport, outcome, JSON.stringify(channels), request],
      )
      const bookmaker = this.coverage.bookmakerOf(slug)
      // It may have been removed during its verification.
      const row = isFault(bookmaker) ? undefined : coverageOf(bookmaker, sport)
      if (row === undefined || outcome === 'skipped') return { outcome, fellTo: null }
      const said = channels.map(({ transport, detail }) => `${transport}: ${detail}`).join('; ')
      if (outcome === 'passed') {
        this.change(slug, row, { sport, lastVerifiedAt: dateOf(at) }, `verified (${said})`, at)
        return { outcome, fellTo: null }
      }
      const hasFallen = (FALLEN_STATUSES as readonly CoverageStatus[]).includes(row.status)
      if (hasFallen || this.failuresInRow(slug, sport, policy.failuresMax) < policy.failuresMax) {
        return { outcome, fellTo: null }
      }
      this.change(slug, row, { sport, status: policy.onFailure }, `verification failed (${said})`, at)
      return { outcome, fellTo: policy.onFailure }
    })
  }

  /** When each bookmaker was last verified in each sport. */
  last(): LastVerification[] {
    return this.tables.all('SELECT bookmaker, sport, max(at) AS at FROM verifications GROUP BY bookmaker, sport')
  }

  /** The newest runs, the newest first. */
  newest(limit: number): VerificationRecord[] {
    return this.tables.all<RunRow>('SELECT * FROM verifications ORDER BY id DESC LIMIT ?', [limit]).map(runOf)
  }

  /** The runs of a request after a run (its id; 0: all), in order. */
  runsOf(request: number, afterId: number): VerificationRecord[] {
    const sql = 'SELECT * FROM verifications WHERE request = ? AND id > ? ORDER BY id'
    return this.tables.all<RunRow>(sql, [request, afterId]).map(runOf)
  }

  // --- requests

  /** Requests a verification by the running server: a bookmaker or all, in a sport or all. */
  request(wanted: Omit<VerificationRequest, 'id'>, at: number): Written & { readonly id: number } {
    const { tables } = this
    return tables.write(() => {
      tables.run('DELETE FROM verificationRequests WHERE at < ?', [at - KEPT_MS])
      const { bookmaker, sport } = wanted
      const id = tables.run(
        `INSERT INTO verificationRequests (at, bookmaker, sport, status, detail) VALUES (?, ?, ?, 'pending', '')`,
        [at, bookmaker, sport],
      )
      return { id, ...tables.note(at, 'verification request', String(id), wanted) }
    })
  }

  requestOf(id: number): RequestRecord | undefined {
    return this.tables.get(`SELECT ${REQUEST} FROM verificationRequests WHERE id = ?`, [id])
  }

  /** Everything for `request` has been recorded, except for what `detail` says. */
  finish(id: number, detail: string): void {
    this.tables.run(`UPDATE verificationRequests SET status = 'done', detail = ? WHERE id = ?`, [detail, id])
  }

  /** Ends the requests that an earlier server has left: their callers no longer wait. @param before those made before, epoch ms */
  lapse(before = Number.MAX_SAFE_INTEGER): void {
    const left = `status = 'pending' AND at < ?`
    if (this.tables.get(`SELECT id FROM verificationRequests WHERE ${left}`, [before]) === undefined) return
    this.tables.run(`UPDATE verificationRequests SET status = 'lapsed' WHERE ${left}`, [before])
  }

  private change(slug: string, row: Coverage, fields: Partial<Coverage>, reason: string, at: number): void {
    const after = { ...row, ...fields }
    if (after.status === row.status && after.lastVerifiedAt === row.lastVerifiedAt) return
    // Of a bookmaker covered by `*`, this one sport gets a row of its own: the others were not verified.
    this.coverage.put(slug, after, { at, by: 'verification', reason })
    this.tables.note(at, 'coverage verify', slug, fields)
  }

  /** Failures since the last pass, or since this coverage was last set or imported; at most `max`. */
  private failuresInRow(slug: string, sport: Sport, max: number): number {
    const { since } = this.tables.get<{ since: number | null }>(
      `SELECT max(at) AS since FROM coverageHistory
         WHERE bookmaker = ? AND sport IN (?, '*') AND by IN ('set', 'import')`,
      [slug, sport],
    )!
    const runs = this.tables.all<{ outcome: VerificationOutcome }>(
      `SELECT outcome FROM verifications WHERE bookmaker = ? AND sport = ? AND at >= ? AND outcome <> 'skipped'
         ORDER BY id DESC LIMIT ?`,
      [slug, sport, since ?? 0, max],
    )
    const pass = runs.findIndex(({ outcome }) => outcome === 'passed')
    return pass === -1 ? runs.length : pass
  }
}

const REQUEST = 'id, bookmaker, sport, status, detail'

type RunRow = Omit<VerificationRecord, 'channels'> & { readonly channels: string }

const runOf = (row: RunRow): VerificationRecord => ({
  ...row,
  channels: JSON.parse(row.channels) as Verification['channels'],
})
