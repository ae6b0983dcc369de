// Coverage: what is verified for a bookmaker and a sport (docs/architecture.md 7.5), and what follows from it.

import { isSport, type Sport, SPORTS } from './sport.ts'
import { type Transport, TRANSPORTS } from './transport.ts'
import { isRecord } from './record.ts'

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

/** The coverage that holds for a sport: a named sport takes precedence over `*`. */
export const coverageOf = (bookmaker: Bookmaker, sport: Sport): Coverage | undefined =>
  coverageIn(bookmaker.coverage, sport)

const coverageIn = (rows: readonly Coverage[], sport: Sport): Coverage | undefined =>
  rows.find((coverage) => coverage.sport === sport) ?? rows.find((coverage) => coverage.sport === '*')

const ELIGIBLE_STATUSES: Readonly<Record<Transport, ReadonlySet<CoverageStatus>>> = {
  rest: new Set(['verified_rest_live', 'verified_rest_only']),
  live: new Set(['verified_rest_live', 'verified_live_only']),
}

/**
 * Whether coverage makes a bookmaker eligible for a transport; everything else is excluded everywhere
 * (docs/architecture.md 7.5).
 */
export const isEligible = (coverage: Coverage | undefined, transport: Transport): boolean =>
  coverage !== undefined &&
  ELIGIBLE_STATUSES[transport].has(coverage.status) &&
  (transport === 'rest' ? coverage.restAvailable : coverage.liveAvailable)

/** What customers lose by a change of coverage: the same transports in each of the sports. */
export interface Loss {
  readonly sports: readonly Sport[]
  readonly transports: readonly Transport[]
}

/**
 * What customers lose by a change of coverage: where the bookmaker was eligible and is no longer, one loss for each set
 * of transports. This is what counts as a removal of coverage (docs/architecture.md 7.5), whatever the rows look like.
 */
export const lossesOf = (before: readonly Coverage[], after: readonly Coverage[]): Loss[] => {
  const losses = new Map<string, { readonly sports: Sport[]; readonly transports: readonly Transport[] }>()
  for (const sport of SPORTS) {
    const [was, is] = [coverageIn(before, sport), coverageIn(after, sport)]
    const transports = TRANSPORTS.filter((transport) => isEligible(was, transport) && !isEligible(is, transport))
    const known = losses.get(transports.join())
    if (known !== undefined) known.sports.push(sport)
    else if (transports.length > 0) losses.set(transports.join(), { sports: [sport], transports })
  }
  return [...losses.values()]
}

/** Statuses that a failed verification leads to. Only an operator can lift them. */
export const FALLEN_STATUSES = ['source_limited', 'disabled_until_review'] as const satisfies readonly CoverageStatus[]

/** How coverage is verified, from the configuration. */
export interface VerificationPolicy {
  /** Hours from one verification to the next. */
  readonly everyHours: number
  /** Failures in a row at which the status falls. */
  readonly failuresMax: number
  /** What it falls to. */
  readonly onFailure: (typeof FALLEN_STATUSES)[number]
}

/** Skipped: nothing could be compared, which is no failure of the bookmaker. */
export type VerificationOutcome = 'passed' | 'failed' | 'skipped'

/** The result of verifying a bookmaker in a sport on one product channel. */
export interface ChannelVerification {
  readonly transport: Transport
  readonly outcome: VerificationOutcome
  /** Prices that were compared. */
  readonly quotes: number
  /** One sentence for people. */
  readonly detail: string
}

/** One end-to-end run: fetched from the source, recorded, read back through REST, on each channel that coverage claims. */
export interface Verification {
  readonly bookmaker: string
  readonly sport: Sport
  readonly channels: readonly ChannelVerification[]
}

/** Failed with one channel; passed when all passed: what was not compared is not verified. */
export const outcomeOf = ({ channels }: Verification): VerificationOutcome =>
  channels.some(({ outcome }) => outcome === 'failed')
    ? 'failed'
    : channels.length > 0 && channels.every(({ outcome }) => outcome === 'passed')
      ? 'passed'
      : 'skipped'

/** The product channels that coverage claims: those it is eligible for, or, while its status is none of those, available. */
export const claimedTransports = (coverage: Coverage): Transport[] => {
  const eligible = TRANSPORTS.filter((transport) => isEligible(coverage, transport))
  if (coverage.status.startsWith('verified_')) return eligible
  return TRANSPORTS.filter((transport) => (transport === 'rest' ? coverage.restAvailable : coverage.liveAvailable))
}

/** A verification that was requested from the running server. Null: all. */
export interface VerificationRequest {
  readonly id: number
  readonly bookmaker: string | null
  readonly sport: Sport | null
}

/** Bookmaker slugs: lower case, digits, `_`, `.`, `-` (they occur in topics, where other characters have a meaning). */
export const BOOKMAKER_SLUG = '^[a-z0-9][a-z0-9_.-]{0,63}$'

const SLUG = new RegExp(BOOKMAKER_SLUG)

export const isBookmakerSlug = (value: string): boolean => SLUG.test(value)

const isDate = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^\d{4}-\d{2}-\d{2}$/.test(value) &&
  !Number.isNaN(Date.parse(`${value}T00:00:00Z`)) &&
  new Date(`${value}T00:00:00Z`).toISOString().startsWith(value)

/** Why a coverage file was refused: the place in the file and what is wrong there. */
export interface CoverageFault {
  readonly field: string
  readonly message: string
}

/**
 * Reads the content of a coverage file: `{"bookmakers":[{slug, displayName, region, countries, sourceMode,
 * customerNote, coverage:[{sports, status, restAvailable, liveAvailable, lastVerifiedAt}]}]}`.
 * The file is accepted whole or, with one fault in it, not at all.
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
