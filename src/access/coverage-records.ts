// Coverage in the store: the rows, their history, and removals, which are announced first (docs/architecture.md 7.5: a
// dated changelog entry and a deprecation window).

import { isDeepStrictEqual } from 'node:util'
import {
  type Bookmaker,
  type Coverage,
  coverageOf,
  type CoverageStatus,
  type Loss,
  lossesOf,
} from '../domain/coverage.ts'
import { isSport, type Sport } from '../domain/sport.ts'
import { dateOf, isSame, isSameRow, merged, lossesText, without } from './coverage-rows.ts'
import { broken, type Fault, isFault } from './fault.ts'
import type { Tables, Written } from './tables.ts'

/** What changes coverage. */
export type CoverageChanger = 'import' | 'set' | 'remove' | 'verification'

/** One change of one row. */
export interface CoverageChange {
  readonly id: number
  /** Epoch ms. */
  readonly at: number
  readonly bookmaker: string
  readonly sport: Sport | '*'
  readonly before: Coverage | null
  readonly after: Coverage | null
  readonly reason: string
  readonly by: CoverageChanger
}

/** Coverage that customers lose, or have lost: the content of a changelog entry. */
export interface CoverageRemoval {
  readonly id: number
  /** Epoch ms, both. */
  readonly announcedAt: number
  readonly effectiveAt: number
  readonly bookmaker: string
  /** What is removed; `*`: all of the bookmaker's, or, without notice, what {@link losses} name. */
  readonly sport: Sport | '*'
  /** What customers lose by it, as of when this was written. */
  readonly losses: readonly Loss[]
  readonly notice: 'window' | 'immediate'
  readonly status: 'announced' | 'done' | 'withdrawn'
  readonly reason: string
}

/** Side effects of a change. */
export interface CoverageEffects extends Written {
  /** Announced removals that are withdrawn now. */
  readonly withdrawn: number
  /** Removals without notice. */
  readonly immediate: number
}

/** Permission to remove coverage without notice: at once, and why. */
export interface Haste {
  readonly isNow: boolean
  readonly reason: string | undefined
}

/** Origin, time and reason of a change of coverage. `isAnnounced`: the removal of its losses is announced already. */
export interface Cause {
  readonly at: number
  readonly by: CoverageChanger
  readonly reason: string
  readonly isAnnounced?: boolean
}

const DAY_MS = 24 * 3_600_000

/** Shortest time from the announcement of a removal to its effect. CHANGELOG.md promises it to customers. */
export const NOTICE_DAYS = 90

/** Removals take effect at the start of a UTC day, because a changelog entry gives dates. */
const earliestEffect = (at: number): number => Math.ceil((at + NOTICE_DAYS * DAY_MS) / DAY_MS) * DAY_MS

const UNEXPLAINED = 'no reason given'

export class CoverageRecords {
  private readonly tables: Tables

  constructor(tables: Tables) {
    this.tables = tables
  }

  // --- reading

  bookmakers(): Bookmaker[] {
    const { tables } = this
    const bySlug = new Map<string, Bookmaker & { readonly coverage: Coverage[] }>()
    for (const row of tables.all<BookmakerRow>('SELECT * FROM bookmakers ORDER BY slug')) {
      bySlug.set(row.slug, { ...row, countries: JSON.parse(row.countries) as string[], coverage: [] })
    }
    for (const row of tables.all<CoverageRow>('SELECT * FROM coverage ORDER BY bookmaker, sport')) {
      bySlug.get(row.bookmaker)!.coverage.push(coverageOfRow(row))
    }
    return [...bySlug.values()]
  }

  bookmakerOf(slug: string): Bookmaker | Fault {
    const row = this.tables.get<BookmakerRow>('SELECT * FROM bookmakers WHERE slug = ?', [slug])
    if (row === undefined) {
      return broken(
        'bookmaker exists',
        `there is no bookmaker "${slug}"; oddswire coverage list shows them all, oddswire coverage import adds one`,
      )
    }
    const rows = this.tables.all<CoverageRow>('SELECT * FROM coverage WHERE bookmaker = ? ORDER BY sport', [slug])
    return { ...row, countries: JSON.parse(row.countries) as string[], coverage: rows.map(coverageOfRow) }
  }

  /** Oldest first; of one bookmaker, or of all. */
  history(bookmaker?: string): CoverageChange[] {
    const where = bookmaker === undefined ? '' : 'WHERE bookmaker = ?'
    const rows = this.tables.all<HistoryRow>(
      `SELECT * FROM coverageHistory ${where} ORDER BY id`,
      bookmaker === undefined ? [] : [bookmaker],
    )
    return rows.map((row) => ({ ...row, before: parsed(row.before), after: parsed(row.after) }))
  }

  /** Oldest first. */
  removals(): CoverageRemoval[] {
    return this.tables.all<RemovalRow>('SELECT * FROM coverageRemovals ORDER BY id').map(removalOf)
  }

  /** Whether an import of these would change nothing, and was made before. */
  isImported(bookmakers: readonly Bookmaker[]): boolean {
    return bookmakers.every(({ coverage, ...given }) => {
      const row = this.tables.get<BookmakerRow>('SELECT * FROM bookmakers WHERE slug = ?', [given.slug])
      if (row === undefined) return false
      const { slug, displayName, region, countries, sourceMode, customerNote } = given
      const same = { slug, displayName, region, countries: JSON.stringify(countries), sourceMode, customerNote }
      return isDeepStrictEqual({ ...row }, same) && isSame(this.importedOf(slug), coverage)
    })
  }

  // --- changes

  /**
   * Adds or replaces the given bookmakers, each with its whole coverage; others are unchanged. A null for
   * `lastVerifiedAt` keeps a recorded date. With `isRepeat`, rows that equal those of the last import change nothing: a
   * server that imports the same file at every start does not undo later changes.
   */
  import(bookmakers: readonly Bookmaker[], at: number, isRepeat = false): CoverageEffects {
    return this.tables.write(() => {
      const effects = { withdrawn: 0, immediate: 0 }
      for (const bookmaker of bookmakers) {
        const { slug } = bookmaker
        this.putBookmaker(bookmaker)
        const [before, last] = [this.rowsOf(slug), this.importedOf(slug)]
        const coverage = merged(before, bookmaker.coverage, isRepeat ? last : undefined)
        const changed = !isSame(before, coverage)
        if (this.replace(slug, before, coverage, { at, by: 'import', reason: 'import' })) effects.immediate += 1
        if (changed || !isRepeat) effects.withdrawn += this.withdraw(slug)
        this.tables.run('DELETE FROM imported WHERE bookmaker = ?', [slug])
        for (const row of bookmaker.coverage) {
          this.tables.run('INSERT INTO imported VALUES (?, ?, ?)', [slug, row.sport, JSON.stringify(row)])
        }
      }
      const slugs = bookmakers.map(({ slug }) => slug)
      return { ...this.tables.note(at, 'coverage import', '*', { bookmakers: slugs }), ...effects }
    })
  }

  /**
   * Changes the named fields of a bookmaker's coverage in a sport, or creates it: then it starts from what `*` gives
   * there, or from nothing. Refuses to remove anything from customers except in haste, with a reason.
   */
  set(
    slug: string,
    sport: Sport | '*',
    fields: Partial<Pick<Coverage, 'status' | 'restAvailable' | 'liveAvailable'>>,
    { isNow, reason }: Haste,
    at: number,
  ): CoverageEffects | Fault {
    return this.tables.write(() => {
      const bookmaker = this.bookmakerOf(slug)
      if (isFault(bookmaker)) return bookmaker
      const before = bookmaker.coverage
      const start = before.find((row) => row.sport === sport) ?? (isSport(sport) && coverageOf(bookmaker, sport))
      const status: CoverageStatus | undefined = fields.status ?? (start ? start.status : undefined)
      if (status === undefined) {
        const message = `${slug} has no coverage in ${sport} yet: give --status, too`
        return broken('new coverage has a status', message)
      }
      const after: Coverage = {
        ...(start || { restAvailable: false, liveAvailable: false, lastVerifiedAt: null }),
        ...fields,
        sport,
        status,
      }
      const coverage = [...before.filter((row) => row.sport !== sport), after]
      const losses = lossesOf(before, coverage)
      if (losses.length > 0 && !(isNow && reason)) {
        return broken(
          isNow ? 'haste has a reason' : 'customers have notice',
          `this removes ${lossesText(losses)} of ${slug} from customers: announce it with oddswire coverage remove, ` +
            'or give --now and a --reason',
          lossesText(losses),
        )
      }
      const cause = { at, by: 'set', reason: reason ?? UNEXPLAINED } as const
      const immediate = this.replace(slug, before, coverage, cause) === undefined ? 0 : 1
      // A change that removes something does not withdraw announced removals of the rest.
      const withdrawn = losses.length === 0 ? this.withdraw(slug, sport) : 0
      return { ...this.tables.note(at, 'coverage set', slug, { after, reason }), withdrawn, immediate }
    })
  }

  /**
   * Announces the removal of a sport, or of all of the bookmaker's coverage (`*`). It takes effect when the window
   * has ended, later if `effectiveAt` says so, and at once where customers see none of it, or in haste with a reason.
   * @returns the removal; undefined where customers lose nothing
   */
  remove(
    slug: string,
    sport: Sport | '*',
    { effectiveAt, isNow, reason }: Haste & { readonly effectiveAt: number | undefined },
    at: number,
  ): (Written & { readonly removal: CoverageRemoval | undefined }) | Fault {
    const { tables } = this
    return tables.write(() => {
      const bookmaker = this.bookmakerOf(slug)
      if (isFault(bookmaker)) return bookmaker
      const before = bookmaker.coverage
      const coverage = without(before, sport)
      if (isSame(before, coverage))
        return broken('coverage exists', `${slug} has no coverage ${sport === '*' ? '' : `in ${sport} `}to remove`)
      const losses = lossesOf(before, coverage)
      const cause = { at, by: 'remove', reason: reason ?? UNEXPLAINED } as const
      if (losses.length === 0 || isNow) {
        if (losses.length > 0 && !reason)
          return broken(
            'haste has a reason',
            '--now removes it from customers without notice: give a --reason',
            lossesText(losses),
          )
        this.settleAnnounced(slug, sport)
        const removal = this.replace(slug, before, coverage, cause)
        return { removal, ...tables.note(at, 'coverage remove', slug, { sport, reason }) }
      }
      const earliest = earliestEffect(at)
      if (effectiveAt !== undefined && effectiveAt < earliest) {
        return broken(
          'notice is long enough',
          `customers have ${NOTICE_DAYS} days from the announcement: --effective ${dateOf(earliest)} at the earliest, ` +
            'or give --now and a --reason',
          dateOf(earliest),
        )
      }
      const twice = this.announced(slug).find((each) => each.sport === sport)
      if (twice !== undefined) {
        return broken(
          'removal is announced once',
          `this removal is announced already, for ${dateOf(twice.effectiveAt)} (removal ${twice.id})`,
          dateOf(twice.effectiveAt),
        )
      }
      const removal = this.addRemoval({
        announcedAt: at,
        effectiveAt: effectiveAt ?? earliest,
        bookmaker: slug,
        sport,
        losses,
        notice: 'window',
        status: 'announced',
        reason: cause.reason,
      })
      return { removal, ...tables.note(at, 'removal announce', String(removal.id), { removal }) }
    })
  }

  /** Carries out the removals that are due; undefined: there are none. Reads first, and writes only if needed. */
  removeDue(at: number): Written | undefined {
    const { tables } = this
    const due = (): CoverageRemoval[] => this.announced().filter(({ effectiveAt }) => effectiveAt <= at)
    if (due().length === 0) return undefined
    return tables.write(() => {
      let written: Written | undefined
      for (const { id, bookmaker: slug, sport, reason } of due()) {
        const before = this.rowsOf(slug)
        this.replace(slug, before, without(before, sport), { at, by: 'remove', reason, isAnnounced: true })
        this.setRemovalStatus(id, 'done')
        written = tables.note(at, 'coverage remove', slug, { sport, reason, removal: id })
      }
      return written
    })
  }

  /** Replaces one row of a bookmaker, inside a transaction. A removal without notice follows where customers lose. */
  put(slug: string, after: Coverage, cause: Cause): void {
    const before = this.rowsOf(slug)
    this.replace(slug, before, [...before.filter(({ sport }) => sport !== after.sport), after], cause)
  }

  /** Writes what differs, with its history. Returns the removal without notice, if customers lose anything. */
  private replace(
    slug: string,
    before: readonly Coverage[],
    after: readonly Coverage[],
    cause: Cause,
  ): CoverageRemoval | undefined {
    const { at, by, reason } = cause
    for (const sport of new Set([...before, ...after].map((row) => row.sport))) {
      const [was, is] = [before, after].map((rows) => rows.find((row) => row.sport === sport))
      if (was && is && isSameRow(was, is)) continue
      this.tables.run('DELETE FROM coverage WHERE bookmaker = ? AND sport = ?', [slug, sport])
      if (is !== undefined) {
        const { status, restAvailable, liveAvailable, lastVerifiedAt } = is
        const values = [slug, sport, status, Number(restAvailable), Number(liveAvailable), lastVerifiedAt]
        this.tables.run('INSERT INTO coverage VALUES (?, ?, ?, ?, ?, ?)', values)
      }
      this.tables.run(
        'INSERT INTO coverageHistory (at, bookmaker, sport, before, after, reason, by) VALUES (?, ?, ?, ?, ?, ?, ?)',
        [at, slug, sport, was === undefined ? null : JSON.stringify(was), is ? JSON.stringify(is) : null, reason, by],
      )
    }
    const losses = cause.isAnnounced ? [] : lossesOf(before, after)
    if (losses.length === 0) return undefined
    const sports = losses.flatMap((loss) => loss.sports)
    return this.addRemoval({
      announcedAt: at,
      effectiveAt: at,
      bookmaker: slug,
      sport: sports.length === 1 ? sports[0]! : '*',
      losses,
      notice: 'immediate',
      status: 'done',
      reason,
    })
  }

  private putBookmaker({ slug, displayName, region, countries, sourceMode, customerNote }: Bookmaker): void {
    this.tables.run(
      `INSERT INTO bookmakers VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
         displayName = excluded.displayName, region = excluded.region, countries = excluded.countries,
         sourceMode = excluded.sourceMode, customerNote = excluded.customerNote`,
      [slug, displayName, region, JSON.stringify(countries), sourceMode, customerNote],
    )
  }

  private rowsOf(slug: string): readonly Coverage[] {
    const rows = this.tables.all<CoverageRow>('SELECT * FROM coverage WHERE bookmaker = ? ORDER BY sport', [slug])
    return rows.map(coverageOfRow)
  }

  private importedOf(slug: string): Coverage[] {
    const rows = this.tables.all<{ coverage: string }>('SELECT coverage FROM imported WHERE bookmaker = ?', [slug])
    return rows.map(({ coverage }) => JSON.parse(coverage) as Coverage)
  }

  /** Those that are announced, by the time at which they take effect; of one bookmaker, or of all. */
  announced(slug?: string): CoverageRemoval[] {
    const where = slug === undefined ? '' : 'AND bookmaker = ?'
    const sql = `SELECT * FROM coverageRemovals WHERE status = 'announced' ${where} ORDER BY effectiveAt, id`
    return this.tables.all<RemovalRow>(sql, slug === undefined ? [] : [slug]).map(removalOf)
  }

  /** Withdraws the announced removals of this coverage. Returns their number. */
  private withdraw(slug: string, sport: Sport | '*' = '*'): number {
    // A change of one row also keeps the bookmaker, and a change of `*` means every sport.
    const touched = this.announced(slug).filter((each) => sport === '*' || each.sport === '*' || each.sport === sport)
    for (const { id } of touched) this.setRemovalStatus(id, 'withdrawn')
    return touched.length
  }

  /** Announced removals that happen now become part of the removal without notice. */
  private settleAnnounced(slug: string, sport: Sport | '*'): void {
    const settled = this.announced(slug).filter((each) => sport === '*' || each.sport === sport)
    for (const { id } of settled) this.setRemovalStatus(id, 'withdrawn')
  }

  private setRemovalStatus(id: number, status: CoverageRemoval['status']): void {
    this.tables.run('UPDATE coverageRemovals SET status = ? WHERE id = ?', [status, id])
  }

  private addRemoval(removal: Omit<CoverageRemoval, 'id'>): CoverageRemoval {
    const { announcedAt, effectiveAt, bookmaker, sport, losses, notice, status, reason } = removal
    const id = this.tables.run(
      `INSERT INTO coverageRemovals (announcedAt, effectiveAt, bookmaker, sport, losses, notice, status, reason)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      [announcedAt, effectiveAt, bookmaker, sport, JSON.stringify(losses), notice, status, reason],
    )
    return { id, ...removal }
  }
}

const parsed = (text: string | null): Coverage | null => (text === null ? null : (JSON.parse(text) as Coverage))

type BookmakerRow = Omit<Bookmaker, 'countries' | 'coverage'> & { readonly countries: string }

type CoverageRow = Omit<Coverage, 'restAvailable' | 'liveAvailable'> & {
  readonly bookmaker: string
  readonly restAvailable: number
  readonly liveAvailable: number
}

const coverageOfRow = ({ sport, status, restAvailable, liveAvailable, lastVerifiedAt }: CoverageRow): Coverage => ({
  sport,
  status,
  restAvailable: restAvailable === 1,
  liveAvailable: liveAvailable === 1,
  lastVerifiedAt,
})

type HistoryRow = Omit<CoverageChange, 'before' | 'after'> & {
  readonly before: string | null
  readonly after: string | null
}

type RemovalRow = Omit<CoverageRemoval, 'losses'> & { readonly losses: string }

const removalOf = (row: RemovalRow): CoverageRemoval => ({
  ...row,
  losses: JSON.parse(row.losses) as Loss[],
})
