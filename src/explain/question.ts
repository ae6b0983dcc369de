// The question: which quote, for which key, on which transport.

import { BOOKMAKER_SLUG, isBookmakerSlug } from '../domain/coverage.ts'
import { isMarketType, type MarketType, MARKET_TYPES } from '../domain/market.ts'
import { type Refusal, refuse } from '../domain/refusal.ts'
import { type Transport, TRANSPORTS } from '../domain/transport.ts'

export interface Question {
  /** Id of a key, its secret, or the SHA-256 of the secret in hexadecimal. */
  readonly key: string
  /** Id of an event, `SOURCE:ID`, or words of the names of its sides. */
  readonly event: string
  /** Slug. */
  readonly bookmaker: string
  readonly transport: Transport
  /** Left out: all markets of the book. */
  readonly market?: MarketType | undefined
  /** Left out: with any line, or none; null: without one. */
  readonly line?: number | null | undefined
  /** Left out: all outcomes. */
  readonly outcome?: string | undefined
}

export const QUESTION_FIELDS = ['key', 'event', 'bookmaker', 'market', 'line', 'outcome', 'transport'] as const

/** Characters of one field: names, labels and secrets are shorter. */
export const FIELD_LENGTH_MAX = 256

const fault = (field: string, message: string): Refusal => refuse('validation_failed', `${field} ${message}`, field)

/** A number as people write lines: `2.5`, `-1`, `+0.25`. */
const LINE = /^[+-]?\d{1,6}(\.\d{1,6})?$/

/** Reads a question from its fields as texts; an unknown field is ignored, a missing or wrong one is refused by name. */
export const readQuestion = (texts: Readonly<Record<string, string | undefined>>): Question | Refusal => {
  for (const field of QUESTION_FIELDS) {
    const text = texts[field]
    if (text !== undefined && text.length > FIELD_LENGTH_MAX) {
      return fault(field, `must have ${FIELD_LENGTH_MAX} characters at most`)
    }
  }
  const { key = '', event = '', bookmaker = '', market, line, outcome, transport = 'rest' } = texts
  if (key === '') return fault('key', 'is missing: give the id of a key, or its secret')
  if (event.trim() === '')
    return fault('event', 'is missing: give an id as GET /events has it, or the names of its sides')
  if (!isBookmakerSlug(bookmaker))
    return fault('bookmaker', `must be a slug (${BOOKMAKER_SLUG}), as GET /bookmakers has it`)
  if (!TRANSPORTS.includes(transport as Transport)) return fault('transport', `must be one of ${TRANSPORTS.join(', ')}`)
  if (market !== undefined && !isMarketType(market)) return fault('market', `must be one of ${MARKET_TYPES.join(', ')}`)
  if (line !== undefined && line !== 'none' && !LINE.test(line)) {
    return fault('line', 'must be a number such as 2.5, or none for markets without a line')
  }
  if (outcome === '') return fault('outcome', 'must not be empty; leave it out for all outcomes')
  return {
    key,
    event: event.trim(),
    bookmaker,
    transport: transport as Transport,
    market,
    line: line === undefined ? undefined : line === 'none' ? null : Number(line),
    outcome,
  }
}

/** The fields of a raw query. Refuses one that is given twice, or is not percent-encoded UTF-8. */
export const fieldsOf = (rawQuery: string): Record<string, string> | Refusal => {
  const fields: Record<string, string> = {}
  for (const part of rawQuery.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const [name, value] = equals === -1 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]
    if (!(QUESTION_FIELDS as readonly string[]).includes(name)) continue
    if (Object.hasOwn(fields, name)) return fault(name, 'is given more than once')
    try {
      fields[name] = decodeURIComponent(value)
    } catch {
      return fault(name, 'is not percent-encoded UTF-8')
    }
  }
  return fields
}
