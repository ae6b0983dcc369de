// The simulated bookmakers and their behaviour. All names are invented.

import assert from 'node:assert/strict'
import type { Bookmaker, Coverage, CoverageStatus, SourceMode } from '../../domain/coverage.ts'
import type { Sport } from '../../domain/sport.ts'
import type { FedTransport } from '../../domain/transport.ts'
import type { Depth } from './match.ts'
import type { Rounding } from './prices.ts'

/** The kind of a bookmaker's source: its coverage, its transports, and its status semantics. */
interface Source {
  readonly status: CoverageStatus
  readonly transport: FedTransport
  readonly sourceMode: SourceMode
  /** Whether it has status semantics: without, it never sends `suspended`. */
  readonly suspends: boolean
  /** Whether it prices matches in play. */
  readonly inPlay: boolean
  readonly note: string
}

const FULL: Source = {
  status: 'verified_rest_live',
  transport: 'both',
  sourceMode: 'direct',
  suspends: true,
  inPlay: true,
  note: 'Simulated bookmaker.',
}

const SOURCES = {
  full: FULL,
  prematch: { ...FULL, inPlay: false, note: 'Simulated bookmaker: no prices once an event has begun.' },
  plain: { ...FULL, suspends: false, note: 'Simulated bookmaker without status semantics: it never suspends.' },
  polled: {
    ...FULL,
    status: 'verified_rest_only',
    transport: 'rest',
    sourceMode: 'worker_proxy',
    suspends: false,
    note: 'Simulated bookmaker: polled, without status semantics.',
  },
  pushed: {
    ...FULL,
    status: 'verified_live_only',
    transport: 'live',
    sourceMode: 'sidecar_proxy',
    note: 'Simulated bookmaker: live stream only.',
  },
  beta: { ...FULL, status: 'live_beta', note: 'Simulated bookmaker in beta: not shown to customers.' },
  limited: {
    ...FULL,
    status: 'source_limited',
    note: 'Simulated bookmaker with a limited source: not shown to customers.',
  },
} as const satisfies Record<string, Source>

type Row = readonly [
  slug: string,
  displayName: string,
  region: string,
  /** ISO codes, separated by blanks. */
  countries: string,
  source: keyof typeof SOURCES,
  marginPercent: number,
  /** Time between two looks at an event in play; longer before it begins. */
  requoteMs: number,
  /** Delay until it sees that something has happened. */
  reactionMs: number,
  rounding: Rounding,
  depth: Depth,
]

// biome-ignore format: a table reads best with one bookmaker a line
const ROWS: readonly Row[] = [
  ['aldermoor', 'Aldermoor', 'United Kingdom', 'GB IE', 'full', 5.5, 2_000, 900, 'fractional', 3],
  ['alpenpfad', 'Alpenpfad Wetten', 'Austria', 'AT DE', 'full', 6.5, 6_000, 2_200, 'twentieth', 2],
  ['apuesta_zarzal', 'Apuesta Zarzal', 'Spain', 'ES', 'full', 7, 8_000, 2_600, 'hundredth', 2],
  ['birkenquote', 'Birkenquote', 'Germany', 'DE', 'full', 5.8, 3_000, 1_400, 'hundredth', 3],
  ['brackenfold', 'Brackenfold', 'United Kingdom', 'GB', 'plain', 7.5, 12_000, 3_500, 'fractional', 1],
  ['copperquill', 'Copperquill', 'United Kingdom', 'GB IE', 'full', 4.8, 1_200, 700, 'fractional', 3],
  ['cota_brandusa', 'Cota Brândușa', 'Romania', 'RO', 'polled', 8, 45_000, 6_000, 'hundredth', 1],
  ['cote_verveine', 'Côte Verveine', 'France', 'FR', 'full', 8.5, 5_000, 2_000, 'twentieth', 2],
  ['cuota_brisa', 'Cuota Brisa', 'Spain', 'ES PT', 'plain', 7.2, 20_000, 4_000, 'hundredth', 1],
  ['emberquote', 'Emberquote', 'Europe', 'MT IE CY', 'full', 3.5, 500, 350, 'thousandth', 3],
  ['fjordrake', 'Fjordrake', 'Nordics', 'DK FI SE', 'full', 4.5, 1_500, 800, 'hundredth', 3],
  ['ginestra', 'Quota Ginestra', 'Italy', 'IT', 'full', 7.8, 7_000, 2_400, 'hundredth', 2],
  ['havrespel', 'Havrespel', 'Nordics', 'SE', 'prematch', 6, 10_000, 2_000, 'twentieth', 2],
  ['holdfeny', 'Holdfény Tipp', 'Hungary', 'HU', 'polled', 9, 60_000, 6_000, 'twentieth', 1],
  ['jarzebina', 'Stawka Jarzębina', 'Poland', 'PL', 'full', 8.8, 9_000, 3_000, 'twentieth', 2],
  ['kadakas', 'Kadakas', 'Baltics', 'EE LV LT', 'full', 5, 2_500, 1_100, 'hundredth', 3],
  ['klaverwed', 'Klaverwed', 'Netherlands', 'NL', 'full', 6.2, 4_000, 1_600, 'hundredth', 2],
  ['kurz_borovice', 'Kurz Borovice', 'Czechia', 'CZ SK', 'beta', 6.8, 5_000, 2_000, 'hundredth', 2],
  ['lupinella', 'Lupinella', 'Italy', 'IT', 'plain', 8.2, 15_000, 3_800, 'hundredth', 1],
  ['meltemi_odds', 'Meltemi Odds', 'Greece', 'CY GR', 'full', 7.4, 6_500, 2_300, 'hundredth', 2],
  ['mossevad', 'Mossevad', 'Nordics', 'DK', 'full', 5.4, 3_500, 1_500, 'american', 2],
  ['northlight', 'Northlight Exchange', 'Europe', 'GB IE MT', 'pushed', 2, 200, 200, 'ladder', 3],
  ['ostrel', 'Ostrel', 'Europe', 'MT', 'full', 2.4, 300, 250, 'thousandth', 3],
  ['pari_mirabelle', 'Pari Mirabelle', 'France', 'FR', 'polled', 9, 30_000, 5_000, 'twentieth', 1],
  ['polderkans', 'Polderkans', 'Netherlands', 'BE NL', 'plain', 6.6, 18_000, 4_200, 'hundredth', 1],
  ['revontuli', 'Revontuli Veto', 'Nordics', 'FI', 'limited', 5.6, 4_500, 1_700, 'hundredth', 2],
  ['tallowgate', 'Tallowgate', 'United Kingdom', 'GB', 'full', 6.4, 2_800, 1_300, 'fractional', 2],
  ['tannzapf', 'Tannzapf', 'Germany', 'AT DE', 'prematch', 7.1, 14_000, 2_500, 'twentieth', 2],
  ['vantern', 'Vantern', 'Europe', 'CY MT', 'full', 2.8, 400, 300, 'american', 3],
  ['vizbulite', 'Vizbulīte', 'Baltics', 'LV', 'plain', 6.9, 25_000, 4_500, 'hundredth', 1],
]

const EXCHANGE_NOTE = 'Betting exchange: prices before commission.'

const EXCHANGES: ReadonlySet<string> = new Set(['northlight'])

/** Bookmakers that price only some sports; the others price all. */
const SPECIALISTS: Readonly<Record<string, readonly Sport[]>> = {
  brackenfold: ['football', 'tennis'],
  cote_verveine: ['football', 'tennis', 'basketball', 'handball'],
  cuota_brisa: ['football', 'basketball', 'tennis'],
  havrespel: ['football', 'ice_hockey', 'handball'],
  holdfeny: ['football', 'handball', 'basketball'],
  jarzebina: ['football', 'combat_sport', 'tennis', 'handball'],
  vizbulite: ['ice_hockey', 'basketball', 'football'],
}

/** Where coverage of a sport differs from that of the bookmaker. */
const EXCEPTIONS: Readonly<Record<string, Readonly<Partial<Record<Sport, CoverageStatus>>>>> = {
  fjordrake: { esports: 'live_beta' },
  klaverwed: { combat_sport: 'disabled_until_review' },
  vantern: { baseball: 'source_limited' },
}

/** A bookmaker with its behaviour. */
export interface Book {
  readonly bookmaker: Bookmaker
  readonly transport: FedTransport
  readonly suspends: boolean
  readonly inPlay: boolean
  readonly margin: number
  readonly requoteMs: number
  readonly reactionMs: number
  readonly rounding: Rounding
  readonly depth: Depth
  /** Null: all sports. */
  readonly sports: ReadonlySet<Sport> | null
  /** Whether it offers the winner of a fight with a draw. */
  readonly draws: boolean
}

const coverageRow = (sport: Sport | '*', status: CoverageStatus, transport: FedTransport): Coverage => ({
  sport,
  status,
  restAvailable: transport !== 'live',
  liveAvailable: transport !== 'rest',
  lastVerifiedAt: null,
})

const bookOf = (row: Row, place: number): Book => {
  const [slug, displayName, region, countries, sourceName, marginPercent, requoteMs, reactionMs, rounding, depth] = row
  const source: Source = SOURCES[sourceName]
  // Else it would have to price markets that can no longer be priced, such as a double chance.
  assert(source.suspends || depth === 1, `${slug} cannot suspend a market, so it may offer the main ones only`)
  const exceptions = Object.entries(EXCEPTIONS[slug] ?? {}) as [Sport, CoverageStatus][]
  const sports = SPECIALISTS[slug]
  return {
    bookmaker: {
      slug,
      displayName,
      region,
      countries: countries.split(' '),
      sourceMode: source.sourceMode,
      customerNote: EXCHANGES.has(slug) ? `${EXCHANGE_NOTE} ${source.note}` : source.note,
      coverage: [
        ...exceptions.map(([sport, status]) => coverageRow(sport, status, source.transport)),
        ...(sports ?? (['*'] as const)).map((sport) => coverageRow(sport, source.status, source.transport)),
      ],
    },
    transport: source.transport,
    suspends: source.suspends,
    inPlay: source.inPlay,
    margin: marginPercent / 100,
    requoteMs,
    reactionMs,
    rounding,
    depth,
    sports: sports === undefined ? null : new Set(sports),
    draws: place % 2 === 0,
  }
}

/** The simulated bookmakers, sorted by slug. */
export const BOOKS: readonly Book[] = ROWS.map(bookOf)
