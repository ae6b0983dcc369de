// The flags that describe a recording.

import { readFileSync } from 'node:fs'
import { type Fault, fault, isFault, messageOf } from '../access/fault.ts'
import { LIMITS } from '../limits.ts'
import { isBookmakerSlug } from '../domain/coverage.ts'
import { parseDateTime } from '../domain/time.ts'
import { FED_TRANSPORTS, type FedTransport } from '../domain/transport.ts'
import { factsOf, isFixtureFault, parseFixtures } from '../source/kit/fixture-list.ts'
import { FORMAT_NAMES, FORMATS, FORMATS_WITH_ODDS_FORMAT, type FormatName, isFormatName } from '../source/formats.ts'
import type { SourceFacts } from '../source/kit/normaliser.ts'
import { isOddsFormat, ODDS_FORMATS } from '../source/kit/odds-format.ts'

/** For `parseFlags`. */
export const RECORDING_FLAGS = {
  format: { type: 'string' },
  transport: { type: 'string' },
  bookmaker: { type: 'string' },
  fixtures: { type: 'string' },
  'received-at': { type: 'string' },
  'odds-format': { type: 'string' },
} as const

export type RecordingFlags = { readonly [Name in keyof typeof RECORDING_FLAGS]?: string }

/** Formats whose payloads do not state when a price was seen. */
const UNDATED = FORMAT_NAMES.filter((name) => FORMATS[name].isUndated)

/** For help. */
export const RECORDING_HELP = `  --format FORMAT     its format: ${FORMAT_NAMES.join(', ')}
  --transport T       the product channels of its prices: ${FED_TRANSPORTS.join(', ')} (default: what it states, else that
                      of the format: both for betfair and uof, rest for the others)
  --bookmaker SLUG    the bookmaker, where the payload names none (default: that of the format)
  --fixtures FILE     names of events, for payloads that have only ids (uof, txline, betfair as streamed):
                      {"fixtures":[{"id","sport","league":{"key","name"},"home","away","kickoffAt"}]}
                      for betfair, id is an event id or a market id, and runners need names; the name of a
                      runner that is a side is that of home or away: {"runners":{"SELECTION_ID":"NAME"},"fixtures":[…]}
  --received-at TIME  when it was received, RFC 3339, for payloads that do not state when a price was seen
                      (${UNDATED.join(', ')}; default: by the times in them)
  --odds-format F     ${ODDS_FORMATS.join(' or ')}, for ${FORMATS_WITH_ODDS_FORMAT.join(' and ')}, which do not state it; american
                      odds are converted (default: decimal; a recording whose prices prove otherwise is refused)`

/** A recording, as its flags describe it. */
export interface RecordingTerms {
  readonly format: FormatName
  readonly transport: FedTransport | null
  readonly facts: Partial<SourceFacts>
}

/** Reads a fixture list; a fault says what is wrong with it. */
const fixturesOf = (path: string): Partial<SourceFacts> | Fault => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    return fault(`--fixtures ${path} cannot be read (${messageOf(error)})`)
  }
  const fixtures = parseFixtures(text, LIMITS)
  return isFixtureFault(fixtures)
    ? fault(`--fixtures ${path}: ${fixtures.field} ${fixtures.message}`)
    : factsOf(fixtures)
}

/** Reads the flags; `format` is required. */
export const recordingTerms = (flags: RecordingFlags & { readonly format: string }): RecordingTerms | Fault => {
  const { format, transport, bookmaker, fixtures, 'received-at': received, 'odds-format': oddsFormat } = flags
  if (!isFormatName(format)) return fault(`--format must be one of ${FORMAT_NAMES.join(', ')}, not "${format}"`)
  if (transport !== undefined && !FED_TRANSPORTS.includes(transport as FedTransport)) {
    return fault(`--transport must be one of ${FED_TRANSPORTS.join(', ')}, not "${transport}"`)
  }
  if (bookmaker !== undefined && !isBookmakerSlug(bookmaker)) {
    return fault(`--bookmaker must be a slug (lower-case letters, digits, _ . -), not "${bookmaker}"`)
  }
  const receivedAt = received === undefined ? undefined : parseDateTime(received)?.epochMs
  if (received !== undefined && receivedAt === undefined) {
    return fault(`--received-at must be an RFC 3339 date-time like 2026-11-20T19:03:11Z, not "${received}"`)
  }
  if (oddsFormat !== undefined && !isOddsFormat(oddsFormat)) {
    return fault(`--odds-format must be ${ODDS_FORMATS.join(' or ')}, not "${oddsFormat}"`)
  }
  if (oddsFormat !== undefined && FORMATS[format].hasOddsFormat !== true) {
    return fault(`--odds-format is for ${FORMATS_WITH_ODDS_FORMAT.join(' and ')} only: ${format} has one kind of odds`)
  }
  const known = fixtures === undefined ? {} : fixturesOf(fixtures)
  if (isFault(known)) return known
  return {
    format,
    transport: (transport as FedTransport | undefined) ?? null,
    facts: {
      ...(bookmaker === undefined ? {} : { bookmaker }),
      ...known,
      ...(receivedAt === undefined ? {} : { receivedAt: () => receivedAt }),
      ...(oddsFormat === undefined ? {} : { oddsFormat }),
    },
  }
}
