// The fields of an observation in our own format, with the values that each allows, in one place. The AsyncAPI document
// shows their schemas, and observations.ts reads by them: the documented pattern is the tested one.

import { MARKET_TYPES } from '../../domain/market.ts'
import { OTHERS, type Others } from '../../domain/observation.ts'
import { QUOTE_STATUSES, type QuoteStatus } from '../../domain/quote.ts'
import { SPORTS } from '../../domain/sport.ts'
import { FED_TRANSPORTS, type FedTransport } from '../../domain/transport.ts'
import type { NormaliserLimits } from '../kit/normaliser.ts'

/** A JSON Schema (draft 7, which AsyncAPI 3 builds on). */
export type Schema = { readonly [keyword: string]: unknown }

export interface Field<Value> {
  readonly schema: Schema
  /** Whether a JSON value matches the schema. */
  readonly holds: (value: unknown) => value is Value
  /** The text of a refusal of any other value. */
  readonly allowed: string
}

/** Limits that only the document shows, beside those that are tested here. */
export interface ObservationLimits extends NormaliserLimits {
  /** Quotes that a bookmaker may hold of one event on one transport. */
  readonly bookQuotesMax: number
  /** How far a source's clock may run ahead, ms. */
  readonly skewMsMax: number
}

const oneOf = <Value extends string>(values: readonly Value[], description: string): Field<Value> => ({
  schema: { type: 'string', enum: [...values], description },
  holds: (value): value is Value => typeof value === 'string' && values.includes(value as Value),
  allowed: `must be one of ${values.join(', ')}`,
})

/** A text of at most so many UTF-16 code units. */
const text = (pattern: string, maxLength: number, description: string, allowed: string): Field<string> => {
  const expression = new RegExp(pattern, 'u')
  return {
    schema: { type: 'string', pattern, maxLength, description },
    holds: (value): value is string => typeof value === 'string' && value.length <= maxLength && expression.test(value),
    allowed,
  }
}

const orNull = <Value>({ schema, holds, allowed }: Field<Value>): Field<Value | null> => ({
  schema: { ...schema, type: [schema.type, 'null'] },
  holds: (value): value is Value | null => value === null || holds(value),
  allowed: allowed.replace('must be', 'must be null, or'),
})

// No control character, no line separator, no unpaired surrogate: none would survive a header or a terminal.
const CLEAN = '[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff\\u2028\\u2029]'
const NAME = `(?=.*\\S)${CLEAN}+`
const LABEL = `(?=\\S)${CLEAN}*(?<=\\S)`

/** Fields whose values also occur in other messages. */
export const SPORT = oneOf(SPORTS, 'Sport slug.')
export const MARKET_TYPE = oneOf(MARKET_TYPES, 'Market type.')
export const LINE: Field<number | null> = {
  schema: { type: ['number', 'null'], description: 'Market line; null for markets without one.' },
  holds: (value): value is number | null => value === null || (typeof value === 'number' && Number.isFinite(value)),
  allowed: 'must be a number or null',
}
export const TIME: Schema = {
  type: 'string',
  format: 'date-time',
  description: 'UTC, to the millisecond.',
  examples: ['2026-11-20T19:03:11.482Z'],
}
export const BOOKMAKER: Schema = {
  type: 'string',
  pattern: '^[a-z0-9][a-z0-9_.-]{0,63}$',
  description: 'Bookmaker slug.',
  examples: ['northbank'],
}

const ODDS: Field<number | null> = {
  schema: {
    type: ['number', 'null'],
    exclusiveMinimum: 1,
    description: 'Decimal odds. May be left out where the status is not `open`: then the last ones are kept.',
  },
  holds: (value): value is number | null =>
    value === null || (typeof value === 'number' && value > 1 && Number.isFinite(value)),
  allowed: 'must be a number above 1',
}

const TRANSPORT_WORDS: Readonly<Record<FedTransport, string>> = {
  rest: 'the REST channel',
  live: 'the live channel',
  both: 'both, as two quotes',
}

const OTHERS_WORDS: Readonly<Record<Others, string>> = {
  keep: 'nothing',
  suspended: 'they are suspended; with no quotes at all: a bet stop',
  closed: 'they are closed',
}

/** Names with their descriptions, as a list in a description. */
export const listed = <Name extends string>(names: readonly Name[], words: Readonly<Record<Name, string>>): string =>
  names.map((name) => `- \`${name}\`: ${words[name]}`).join('\n')

const TRANSPORT = oneOf(
  FED_TRANSPORTS,
  `The product channels that it feeds.\n\n${listed(FED_TRANSPORTS, TRANSPORT_WORDS)}`,
)
const OTHERS_FIELD = oneOf(
  OTHERS,
  `What becomes of the quotes of this bookmaker, event and transport that are not named.\n\n${listed(OTHERS, OTHERS_WORDS)}`,
)
const STATUS = oneOf(QUOTE_STATUSES, 'Quote status.')

/** An object of these fields and no others. */
const closed = (
  description: string,
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: 'object',
  description,
  required: Object.keys(required),
  properties: { ...required, ...optional },
  additionalProperties: false,
})

const newFields = ({ pricesMax, textLengthMax }: NormaliserLimits) => {
  const clean = `a text of 1 to ${textLengthMax} characters, none a control character`
  const name = (description: string): Field<string> => text(`^${NAME}$`, textLengthMax, description, `must be ${clean}`)
  const label = (description: string): Field<string> =>
    text(`^${LABEL}$`, textLengthMax, description, `must be ${clean}, without spaces at its ends`)
  const time = (description: string): Schema => ({ ...TIME, description })
  // League keys occur in query strings and in comma-separated headers.
  const keyPattern = '^[A-Za-z0-9][A-Za-z0-9_.:/-]*$'
  const league = {
    key: text(keyPattern, textLengthMax, 'League key.', `must be 1 to ${textLengthMax} letters, digits and _ . : / -`),
    name: name('League name.'),
  }
  // An outright has participants, but no sides.
  const awayWords = 'Away side; empty for outright events.'
  const event = {
    sport: SPORT,
    home: name('Home side; for outright events the competition.'),
    away: text(`^(${NAME})?$`, textLengthMax, awayWords, `must be empty, or ${clean}`),
    sourceId: orNull(label("The bookmaker's own id of the event; once resolved, it decides.")),
  }
  const quote = { type: MARKET_TYPE, line: LINE, outcome: label('Outcome label.'), odds: ODDS, status: STATUS }
  const { sport, home, away, sourceId } = event
  const leagueSchema = closed('The league.', { key: league.key.schema, name: league.name.schema })
  const eventSchema = closed(
    'The event as the source spells it.',
    {
      sport: sport.schema,
      league: leagueSchema,
      home: home.schema,
      away: away.schema,
      kickoffAt: time('Kickoff: RFC 3339 with an offset.'),
    },
    { sourceId: sourceId.schema },
  )
  const quoteSchema = {
    ...closed(
      'A quote as the source sees it.',
      { type: quote.type.schema, outcome: quote.outcome.schema },
      {
        line: { ...quote.line.schema, default: null },
        odds: quote.odds.schema,
        status: { ...quote.status.schema, default: 'open' satisfies QuoteStatus },
      },
    ),
    anyOf: [
      { required: ['odds'], properties: { odds: { type: 'number' } } },
      { required: ['status'], properties: { status: { enum: QUOTE_STATUSES.filter((status) => status !== 'open') } } },
    ],
  }
  const schemaOf = ({ bookQuotesMax, skewMsMax }: Pick<ObservationLimits, 'bookQuotesMax' | 'skewMsMax'>): Schema => ({
    ...closed(
      'What a source has seen of one event at one time. Texts are measured in UTF-16 code units.',
      {
        transport: TRANSPORT.schema,
        observedAt: time(
          `When the source saw it: RFC 3339 with an offset, at most ${skewMsMax} ms ahead. Of two observations of a quote the newer one wins, whichever comes first.`,
        ),
        event: eventSchema,
        quotes: {
          type: 'array',
          maxItems: pricesMax,
          items: quoteSchema,
          description: `No quote may occur twice. A bookmaker holds at most ${bookQuotesMax} quotes of one event on each channel, closed ones of the last 24 hours included; with more the observation is refused whole (\`service_unavailable\`).`,
        },
      },
      {
        bookmaker: { ...BOOKMAKER, description: 'That of the destination; may be left out.' },
        complete: { type: 'boolean', default: false, description: '`true` means `others: closed`.' },
        others: { ...OTHERS_FIELD.schema, default: 'keep' satisfies Others },
      },
    ),
    anyOf: [
      { properties: { complete: { const: false } } },
      { properties: { others: { const: 'closed' satisfies Others } } },
    ],
  })
  const namesIn = (schema: Schema): ReadonlySet<string> => new Set(Object.keys(schema.properties as object))
  return {
    league: { ...league, names: namesIn(leagueSchema) },
    event: { ...event, names: namesIn(eventSchema) },
    quote: { ...quote, names: namesIn(quoteSchema) },
    observation: {
      transport: TRANSPORT,
      others: OTHERS_FIELD,
      names: namesIn(schemaOf({ bookQuotesMax: 0, skewMsMax: 0 })),
    },
    schemaOf,
  }
}

export type ObservationFields = ReturnType<typeof newFields>

const known = new WeakMap<NormaliserLimits, ObservationFields>()

/** The fields under limits; created once for each limits object. */
export const fieldsUnder = (limits: NormaliserLimits): ObservationFields => {
  const made = known.get(limits) ?? newFields(limits)
  if (!known.has(limits)) known.set(limits, made)
  return made
}

/**
 * The schema of the body of a SEND. It states all that a schema can state; rules about more than one place are checked
 * beyond it: a quote given twice, two sides with one name, a time ahead of the clock.
 */
export const observationSchema = (limits: ObservationLimits): Schema => fieldsUnder(limits).schemaOf(limits)
