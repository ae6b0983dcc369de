// Coverage: what is verified for a bookmaker and a sport (spec §2.6 to §2.8), and what follows from it.

import { isSport, type Sport } from './sport.ts'
import type { Transport } from './transport.ts'

export const COVERAGE_STATUSES = [
  'verified_rest_live',
  'verified_rest_only',
  'verified_live_only',
  'live_beta',
  'source_limited',
  'disabled_until_review',
] as const

export type CoverageStatus = (typeof COVERAGE_STATUSES)[number]

export const SOURCE_MODES = [
  'direct',
  'worker_proxy',
  'sidecar_proxy',
  'cdp_proxy',
  'credential_required',
  'disabled',
] as const

export type SourceMode = (typeof SOURCE_MODES)[number]

/** What is verified for one bookmaker in one sport, or in every sport that is not named (`*`). */
export interface Coverage {
  readonly sport: Sport | '*'
  readonly status: CoverageStatus
  readonly restAvailable: boolean
  readonly liveAvailable: boolean
  /** Date of the last end-to-end verification, `YYYY-MM-DD`; null until one has been recorded. */
  readonly lastVerifiedAt: string | null
}

/** A bookmaker as the registry knows it. */
export interface Bookmaker {
  readonly slug: string
  readonly displayName: string
  readonly region: string
  /** ISO 3166-1 alpha-2 codes. */
  readonly countries: readonly string[]
  readonly sourceMode: SourceMode
  readonly customerNote: string
  readonly coverage: readonly Coverage[]
}

/** The coverage that holds for a sport: a named sport beats `*`. */
export const coverageOf = (bookmaker: Bookmaker, sport: Sport): Coverage | undefined =>
  bookmaker.coverage.find((coverage) => coverage.sport === sport) ??
  bookmaker.coverage.find((coverage) => coverage.sport === '*')

const ELIGIBLE_STATUSES: Readonly<Record<Transport, ReadonlySet<CoverageStatus>>> = {
  rest: new Set(['verified_rest_live', 'verified_rest_only']),
  live: new Set(['verified_rest_live', 'verified_live_only']),
}

/** Whether coverage makes a bookmaker eligible for a transport; everything else is excluded everywhere (spec §1). */
export const isEligible = (coverage: Coverage | undefined, transport: Transport): boolean =>
  coverage !== undefined &&
  ELIGIBLE_STATUSES[transport].has(coverage.status) &&
  (transport === 'rest' ? coverage.restAvailable : coverage.liveAvailable)

/** Bookmaker slugs: lower case, digits, `_`, `.`, `-` (they stand in topics, where other characters have a meaning). */
export const isBookmakerSlug = (value: string): boolean => /^[a-z0-9][a-z0-9_.-]{0,63}$/.test(value)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isDate = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^\d{4}-\d{2}-\d{2}$/.test(value) &&
  !Number.isNaN(Date.parse(`${value}T00:00:00Z`)) &&
  new Date(`${value}T00:00:00Z`).toISOString().startsWith(value)

/** Why a coverage file was not taken: the place in the file and what is wrong there. */
export interface CoverageFault {
  readonly field: string
  readonly message: string
}

/**
 * Reads the content of a coverage file: `{"bookmakers":[{slug, displayName, region, countries, sourceMode,
 * customerNote, coverage:[{sports, status, restAvailable, liveAvailable, lastVerifiedAt}]}]}`.
 * The file is taken whole or, with one fault in it, not at all.
 */
export const parseCoverage = (text: string): Bookmaker[] | CoverageFault => {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch (error) {
    return { field: 'file', message: `is not JSON: ${(error as Error).message}` }
  }
  if (!isRecord(file) || !Array.isArray(file.bookmakers)) return { field: 'bookmakers', message: 'must be an array' }
  const bookmakers: Bookmaker[] = []
  const slugs = new Set<string>()
  for (const [index, entry] of file.bookmakers.entries()) {
    const bookmaker = parseBookmaker(entry, `bookmakers[${index}]`)
    if ('message' in bookmaker) return bookmaker
    if (slugs.has(bookmaker.slug)) return { field: `bookmakers[${index}].slug`, message: `repeats ${bookmaker.slug}` }
    slugs.add(bookmaker.slug)
    bookmakers.push(bookmaker)
  }
  return bookmakers
}

const parseBookmaker = (entry: unknown, at: string): Bookmaker | CoverageFault => {
  if (!isRecord(entry)) return { field: at, message: 'must be an object' }
  const { slug, displayName, region, countries, sourceMode, customerNote } = entry
  if (typeof slug !== 'string' || !isBookmakerSlug(slug)) {
    return { field: `${at}.slug`, message: 'must be lower-case letters, digits, _ . - (64 at most)' }
  }
  if (typeof displayName !== 'string' || displayName === '') {
    return { field: `${at}.displayName`, message: 'must be a text' }
  }
  if (typeof region !== 'string') return { field: `${at}.region`, message: 'must be a text' }
  if (!Array.isArray(countries) || !countries.every((code) => typeof code === 'string' && /^[A-Z]{2}$/.test(code))) {
    return { field: `${at}.countries`, message: 'must be an array of two-letter country codes' }
  }
  if (!SOURCE_MODES.includes(sourceMode as SourceMode)) {
    return { field: `${at}.sourceMode`, message: `must be one of ${SOURCE_MODES.join(', ')}` }
  }
  if (typeof customerNote !== 'string') return { field: `${at}.customerNote`, message: 'must be a text' }
  if (!Array.isArray(entry.coverage)) return { field: `${at}.coverage`, message: 'must be an array' }
  const coverage: Coverage[] = []
  const seen = new Set<string>()
  for (const [index, row] of entry.coverage.entries()) {
    const rowAt = `${at}.coverage[${index}]`
    if (!isRecord(row)) return { field: rowAt, message: 'must be an object' }
    const { sports, status, restAvailable, liveAvailable, lastVerifiedAt = null } = row
    if (!Array.isArray(sports) || sports.length === 0) {
      return { field: `${rowAt}.sports`, message: 'must be an array of sport slugs, or ["*"]' }
    }
    if (!COVERAGE_STATUSES.includes(status as CoverageStatus)) {
      return { field: `${rowAt}.status`, message: `must be one of ${COVERAGE_STATUSES.join(', ')}` }
    }
    if (typeof restAvailable !== 'boolean') return { field: `${rowAt}.restAvailable`, message: 'must be true or false' }
    if (typeof liveAvailable !== 'boolean') return { field: `${rowAt}.liveAvailable`, message: 'must be true or false' }
    if (lastVerifiedAt !== null && !isDate(lastVerifiedAt)) {
      return { field: `${rowAt}.lastVerifiedAt`, message: 'must be a date (YYYY-MM-DD) or null' }
    }
    for (const sport of sports) {
      if (typeof sport !== 'string' || (sport !== '*' && !isSport(sport))) {
        return { field: `${rowAt}.sports`, message: `names no sport: ${JSON.stringify(sport)}` }
      }
      if (seen.has(sport)) return { field: `${rowAt}.sports`, message: `repeats ${sport}` }
      seen.add(sport)
      coverage.push({
        sport: sport as Sport | '*',
        status: status as CoverageStatus,
        restAvailable,
        liveAvailable,
        lastVerifiedAt: lastVerifiedAt as string | null,
      })
    }
  }
  return {
    slug,
    displayName,
    region,
    countries: countries as string[],
    sourceMode: sourceMode as SourceMode,
    customerNote,
    coverage,
  }
}
