// Coverage as the store keeps it: the rows, how they became what they are, and removals, which are announced first
// (docs/architecture.md 7.5: a dated changelog entry and a deprecation window).

import {
  type Bookmaker,
  type Coverage,
  coverageOf,
  type CoverageStatus,
  type Loss,
  lossesOf,
} from '../domain/coverage.ts'
import { isSport, type Sport } from '../domain/sport.ts'
import { dateOf, isSame, isSameRow, merged, toldLosses, without } from './coverage-rows.ts'
import { type Fault, fault, isFault } from './fault.ts'
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

/** Coverage that customers lose, or have lost: what a changelog entry tells. */
export interface CoverageRemoval {
  readonly id: number
  /** Epoch ms, both. */
  readonly announcedAt: number
  readonly effectiveAt: number
  readonly bookmaker: string
  /** What goes; `*`: all of the bookmaker's, or, without notice, what {@link losses} name. */
  readonly sport: Sport | '*'
  /** What customers lose by it, as it stood when this was written. */
  readonly losses: readonly Loss[]
  readonly notice: 'window' | 'immediate'
  readonly status: 'announced' | 'done' | 'withdrawn'
  readonly reason: string
}

/** What came of a change beyond what it was meant to do. */
export interface CoverageEffects extends Written {
  /** Removals that were announced and are withdrawn now. */
  readonly withdrawn: number
  /** Removals without notice. */
  readonly immediate: number
}

/** How a change that takes coverage away is meant: at once, and why. */
export interface Haste {
  readonly isNow: boolean
  readonly reason: string | undefined
}

/** Who changes coverage, when and why. `isAnnounced`: what customers lose by it has its removal already. */
export interface Cause {
  readonly at: number
  readonly by: CoverageChanger
  readonly reason: string
  readonly isAnnounced?: boolean
}

const DAY_MS = 24 * 3_600_000

/** From the announcement of a removal to its effect, at least. CHANGELOG.md promises it to customers. */
export const NOTICE_DAYS = 90

/** Removals take effect as a UTC day begins: a changelog entry gives dates. */
const earliestEffect = (at: number): number => Math.ceil((at + NOTICE_DAYS * DAY_MS) / DAY_MS) * DAY_MS

const UNEXPLAINED = 'no reason given'

export class CoverageRecords {
  private readonly tables: Tables

  constructor(tables: Tables) {
    this.tables = tables
  }

  // Phase: what is there.

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
      return fault(
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

  // Phase: changes.

  /**
   * Adds or replaces the bookmakers given, each with its whole coverage; others stay as they are. A null for
   * `lastVerifiedAt` keeps a date that is recorded. Where `isRepeat`, rows that say what the last import said already
   * change nothing: a server that imports the same file at every start does not undo what has become of it since.
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
   * Changes what is named of a bookmaker's coverage in a sport, or makes it: then it starts from what `*` gives there,
   * or from nothing. Refuses to take anything from customers but in haste, with a reason.
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
      if (status === undefined) return fault(`${slug} has no coverage in ${sport} yet: give its --status, too`)
      const after: Coverage = {
        ...(start || { restAvailable: false, liveAvailable: false, lastVerifiedAt: null }),
        ...fields,
        sport,
        status,
      }
      const coverage = [...before.filter((row) => row.sport !== sport), after]
      const losses = lossesOf(before, coverage)
      if (losses.length > 0 && !(isNow && reason)) {
        return fault(
          `this takes ${toldLosses(losses)} of ${slug} from customers: announce it with oddswire coverage remove, ` +
            'or give --now and a --reason',
        )
      }
      const cause = { at, by: 'set', reason: reason ?? UNEXPLAINED } as const
      const immediate = this.replace(slug, before, coverage, cause) === undefined ? 0 : 1
      // Who takes something away does not want the rest back.
      const withdrawn = losses.length === 0 ? this.withdraw(slug, sport) : 0
      return { ...this.tables.note(at, 'coverage set', slug, { after, reason }), withdrawn, immediate }
    })
  }

  /**
   * Announces that coverage goes: of a sport, or all of the bookmaker's (`*`). It goes when the window has passed, later
   * if `effectiveAt` says so, and at once where customers see nothing of it, or in haste with a reason.
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
        return fault(`${slug} has no coverage ${sport === '*' ? '' : `in ${sport} `}to remove`)
      const losses = lossesOf(before, coverage)
      const cause = { at, by: 'remove', reason: reason ?? UNEXPLAINED } as const
      if (losses.length === 0 || isNow) {
        if (losses.length > 0 && !reason) return fault('--now takes it from customers without notice: give a --reason')
        this.settleAnnounced(slug, sport)
        const removal = this.replace(slug, before, coverage, cause)
        return { removal, ...tables.note(at, 'coverage remove', slug, { sport, reason }) }
      }
      const earliest = earliestEffect(at)
      if (effectiveAt !== undefined && effectiveAt < earliest) {
        return fault(
          `customers have ${NOTICE_DAYS} days from the announcement: --effective ${dateOf(earliest)} at the earliest, ` +
            'or give --now and a --reason',
        )
      }
      const twice = this.announced(slug).find((each) => each.sport === sport)
      if (twice !== undefined) {
        return fault(`this is announced already, for ${dateOf(twice.effectiveAt)} (removal ${twice.id})`)
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

  /** Carries out the removals whose time has come; undefined where there are none. Looks without writing first. */
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

  /** Makes one row of a bookmaker another, inside a transaction. A removal without notice follows where customers lose. */
  put(slug: string, after: Coverage, cause: Cause): void {
    const before = this.rowsOf(slug)
    this.replace(slug, before, [...before.filter(({ sport }) => sport !== after.sport), after], cause)
  }

  /** Writes what differs, with its history. Returns the removal without notice that it comes to, where customers lose. */
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

  private announced(slug?: string): CoverageRemoval[] {
    const where = slug === undefined ? '' : 'AND bookmaker = ?'
    const sql = `SELECT * FROM coverageRemovals WHERE status = 'announced' ${where} ORDER BY effectiveAt, id`
    return this.tables.all<RemovalRow>(sql, slug === undefined ? [] : [slug]).map(removalOf)
  }

  /** What is announced for this coverage does not happen. Returns how many announcements that were. */
  private withdraw(slug: string, sport: Sport | '*' = '*'): number {
    // Who changes one row still wants the bookmaker, and who changes `*` means every sport.
    const touched = this.announced(slug).filter((each) => sport === '*' || each.sport === '*' || each.sport === sport)
    for (const { id } of touched) this.setRemovalStatus(id, 'withdrawn')
    return touched.length
  }

  /** What is announced and happens now goes into the removal without notice. */
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
