// The resources and parameters (docs/architecture.md 7) as schemas: the router validates against them, and the OpenAPI
// document shows them. `required` is the spec's; the service itself always sends every field.

import Type, { type TSchema } from 'typebox'
import { BOOKMAKER_SLUG, COVERAGE_STATUSES, SOURCE_MODES } from '../domain/coverage.ts'
import { MARKET_TYPES } from '../domain/market.ts'
import { QUOTE_STATUSES } from '../domain/quote.ts'
import { REFUSAL_STATUS, type RefusalCode } from '../domain/refusal.ts'
import { SPORTS } from '../domain/sport.ts'
import { TRANSPORTS } from '../domain/transport.ts'

const oneOf = (values: readonly string[], description: string): TSchema =>
  Type.Unsafe<string>({ type: 'string', enum: [...values], description })

const text = (description: string, examples?: readonly unknown[]): TSchema =>
  Type.String(examples === undefined ? { description } : { description, examples: [...examples] })

const dateTime = (description: string): TSchema =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-20T19:03:11.482Z'] })

const orNull = (type: string, options: object): TSchema => Type.Unsafe<unknown>({ type: [type, 'null'], ...options })

const Transport = oneOf(TRANSPORTS, 'Product channel. An API product, not a phase of the event.')
const Sport = oneOf(SPORTS, 'Sport slug.')
const CoverageStatus = oneOf(COVERAGE_STATUSES, 'Coverage status of a bookmaker.')
const LastVerifiedAt = orNull('string', {
  format: 'date',
  description: 'Date of the last end-to-end verification of source coverage; null until one has been recorded.',
  examples: ['2026-11-20'],
})
const BookmakerSlug = text('Bookmaker slug.', ['northbank'])
const DisplayName = text('Display name.', ['Northbank'])

const Meta = Type.Object(
  {
    total: Type.Integer({ minimum: 0, description: 'Total number of matching results.' }),
    limit: Type.Integer({ minimum: 1, maximum: 500, description: 'Page size in effect.' }),
    offset: Type.Integer({ minimum: 0, description: 'Number of results skipped.' }),
    transport: Transport,
    sport: Type.Optional(Sport),
  },
  { description: 'The page. `sport` is present where the query is sport-scoped.' },
)

const SportCoverageBookmaker = Type.Object({
  slug: BookmakerSlug,
  displayName: DisplayName,
  coverageStatus: CoverageStatus,
  restAvailable: Type.Boolean(),
  liveAvailable: Type.Boolean(),
  lastVerifiedAt: LastVerifiedAt,
})

const SportProductCoverage = Type.Object({
  transport: Transport,
  bookmakerCount: Type.Integer({ minimum: 1 }),
  bookmakers: Type.Array(SportCoverageBookmaker),
})

const SportEntry = Type.Object({ slug: Sport, name: DisplayName, coverage: SportProductCoverage })

const BookmakerProductCoverage = Type.Object({
  region: text('Region label.', ['Nordics']),
  countries: Type.Array(Type.String(), { description: 'Country codes.', examples: [['SE', 'FI']] }),
  restAvailable: Type.Boolean(),
  liveAvailable: Type.Boolean(),
  coverageStatus: CoverageStatus,
  sourceMode: oneOf(SOURCE_MODES, 'How the source is reached.'),
  lastVerifiedAt: LastVerifiedAt,
  customerNote: text('Note for customers.'),
})

const Bookmaker = Type.Object({ slug: BookmakerSlug, displayName: DisplayName, coverage: BookmakerProductCoverage })

const EventId = Type.String({ pattern: '^[0-9]+$', description: 'Numeric event id.', examples: ['104217389912345'] })

const Event = Type.Object({
  id: EventId,
  sport: Sport,
  leagueKey: text('League key, as in the `league` filter.', ['england_premier_league']),
  leagueName: text('League name.', ['Premier League']),
  homeTeam: text('Home side; for outright events the competition.', ['Arsenal']),
  awayTeam: text('Away side; empty for outright events.', ['Chelsea']),
  kickoffAt: dateTime('Kickoff, UTC.'),
  marketCount: Type.Integer({
    minimum: 0,
    description: 'Number of markets that the odds operation returns on the same transport.',
  }),
})

const OutcomeOdds = Type.Object({
  outcome: text('Outcome label.', ['home']),
  transport: Transport,
  odds: Type.Number({ exclusiveMinimum: 1, description: 'Decimal odds, exactly as the source gave them.' }),
  status: oneOf(QUOTE_STATUSES, 'Quote status; always `open` in REST answers.'),
  lastUpdatedAt: dateTime('When the source saw the price, UTC.'),
})

const BookmakerOdds = Type.Object({
  slug: BookmakerSlug,
  displayName: DisplayName,
  outcomes: Type.Array(OutcomeOdds),
})

const MarketOdds = Type.Object({
  type: oneOf(MARKET_TYPES, 'Market type.'),
  line: Type.Optional(orNull('number', { description: 'Market line; null for markets without one.', examples: [2.5] })),
  bookmakers: Type.Array(BookmakerOdds),
})

const EventOdds = Type.Object({ event: Event, markets: Type.Array(MarketOdds) })

const page = (entry: TSchema): TSchema => Type.Object({ meta: Meta, data: Type.Array(entry) })

const SportPage = page(SportEntry)
const EventPage = page(Event)
const BookmakerPage = page(Bookmaker)
const EventOddsReply = Type.Object({ data: EventOdds })
const EventStream = Type.String({ description: 'Server-sent events, see the operation.' })
const Contract = Type.Object({}, { additionalProperties: true, description: 'An OpenAPI 3.1 document.' })

const ErrorReply = Type.Object({
  error: Type.Object({
    code: oneOf(Object.keys(REFUSAL_STATUS) as RefusalCode[], 'What went wrong.'),
    message: text('What to do about it.'),
    upgradeUrl: Type.Optional(Type.String({ format: 'uri', description: 'Billing page (with `forbidden`).' })),
    docsUrl: Type.Optional(Type.String({ format: 'uri', description: 'Error reference (with `forbidden`).' })),
  }),
})

/** The schemas that the document names; all others are inline. */
export const COMPONENTS = {
  Transport,
  SportSlug: Sport,
  CoverageStatus,
  Meta,
  Sport: SportEntry,
  SportProductCoverage,
  SportCoverageBookmaker,
  Bookmaker,
  BookmakerProductCoverage,
  Event,
  EventOdds,
  MarketOdds,
  BookmakerOdds,
  OutcomeOdds,
  SportPage,
  EventPage,
  BookmakerPage,
  EventOddsReply,
  EventStream,
  Contract,
  Error: ErrorReply,
} as const satisfies Record<string, TSchema>

/** A query or path parameter: its schema, and its default. */
export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly description: string
  readonly schema: TSchema
  readonly isRequired?: boolean
  /** What a refusal says of it, where the schema does not say it as well. */
  readonly allowed?: string
}

const query = (
  name: string,
  description: string,
  schema: TSchema,
  more: Pick<Parameter, 'isRequired' | 'allowed'> = {},
): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
  ...more,
})

/** Largest offset that JSON carries exactly. */
const OFFSET_MAX = Number.MAX_SAFE_INTEGER

/** Topics of the live channel that a stream may carry. */
export const STREAM_TOPICS = ['odds', 'status', 'events', 'feeds', 'lag'] as const

/** As the header `on-slow` on the live channel. */
export const ON_SLOW = ['disconnect', 'conflate'] as const

/** As the header `quotes` on the live channel. */
export const QUOTE_FORMS = ['full', 'numbered'] as const

const STREAM_PARAMETERS = {
  topic: query(
    'topic',
    'What the stream carries, as the topic of this name on the live channel.',
    Type.Unsafe<string>({ type: 'string', enum: [...STREAM_TOPICS] }),
    { isRequired: true },
  ),
  streamBookmaker: query(
    'bookmaker',
    'Only this bookmaker; for `odds`, `status`, `feeds`.',
    Type.String({ pattern: BOOKMAKER_SLUG }),
    { allowed: 'must be one bookmaker slug; open a stream for each, or leave it out for all' },
  ),
  streamSport: query(
    'sport',
    'Only this sport; for `odds`, `status`, `events`.',
    Type.Unsafe<string>({ type: 'string', enum: [...SPORTS] }),
  ),
  event: query(
    'event',
    'Only this event, by its id; for `odds`, `status`, `events`.',
    Type.String({ pattern: '^[0-9]{1,15}$' }),
    { allowed: 'must be an event id: 1 to 15 digits' },
  ),
  snapshot: query('snapshot', 'First the current state, then its changes.', Type.Boolean({ default: false })),
  lag: query(
    'lag',
    'Also how far this stream is behind, once a second, as events of type `lag`.',
    Type.Boolean({ default: false }),
  ),
  fromSeq: query(
    'fromSeq',
    'First everything after this point: the id of an event, or an `X-Odds-Seq`. `Last-Event-ID` takes precedence.',
    Type.String({ pattern: '^[0-9A-Za-z]{1,32}-[0-9]{1,15}([.][0-9]{1,15})?$', examples: ['mi8n2k4p-881234'] }),
    { allowed: 'must be the id of an event, or an X-Odds-Seq: EPOCH-SEQ' },
  ),
  conflateMs: query(
    'conflateMs',
    'Of each quote at most one price in so many ms, the latest; no other change is held. For `odds`.',
    Type.Integer({ minimum: 0, maximum: 10_000, default: 0 }),
  ),
  onSlow: query(
    'onSlow',
    'What becomes of a stream that falls behind: it ends, or it gets all other changes first and of each quote only the latest price.',
    Type.Unsafe<string>({ type: 'string', enum: [...ON_SLOW], default: 'disconnect' }),
  ),
  quotes: query(
    'quotes',
    'Whether each update names its quotes, or numbers them where it can, in events of type `short`. For `odds` and `status`, with a snapshot or a point to resume from.',
    Type.Unsafe<string>({ type: 'string', enum: [...QUOTE_FORMS], default: 'full' }),
  ),
  types: query(
    'types',
    'Only these market types, comma-separated.',
    Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...MARKET_TYPES] }), { minItems: 1, uniqueItems: true }),
    { allowed: `must be market types separated by commas, none twice: ${MARKET_TYPES.join(', ')}` },
  ),
  leagues: query(
    'leagues',
    'Only these leagues, by key, comma-separated.',
    Type.Array(Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.:/-]*$' }), { minItems: 1, uniqueItems: true }),
    { allowed: 'must be league keys separated by commas, none twice' },
  ),
} as const satisfies Record<string, Parameter>

/** All parameters of the service. An operation has those that it lists. */
export const PARAMETERS = {
  transport: query(
    'transport',
    'Single product channel to query.',
    Type.Unsafe<string>({ type: 'string', enum: [...TRANSPORTS], default: 'rest' }),
  ),
  limit: query('limit', 'Maximum results per page.', Type.Integer({ minimum: 1, maximum: 500, default: 50 })),
  offset: query('offset', 'Results to skip.', Type.Integer({ minimum: 0, maximum: OFFSET_MAX, default: 0 })),
  sport: query('sport', 'Filter by sport.', Type.Unsafe<string>({ type: 'string', enum: [...SPORTS] })),
  sportOrFootball: query(
    'sport',
    'Filter by sport.',
    Type.Unsafe<string>({ type: 'string', enum: [...SPORTS], default: 'football' }),
  ),
  league: query('league', 'Filter by league key.', Type.String({ minLength: 1 })),
  dateFrom: query(
    'dateFrom',
    'Earliest kickoff; not after `dateTo`.',
    Type.String({ format: 'date-time', examples: ['2026-11-20T00:00:00Z'] }),
  ),
  dateTo: query(
    'dateTo',
    'Latest kickoff; not before `dateFrom`.',
    Type.String({ format: 'date-time', examples: ['2026-11-27T00:00:00Z'] }),
  ),
  bookmaker: query(
    'bookmaker',
    'Bookmaker slugs, comma-separated. Entitlement and verified coverage still hold.',
    Type.Array(Type.String({ minLength: 1, pattern: '\\S' }), { minItems: 1, uniqueItems: true }),
  ),
  eventId: {
    name: 'eventId',
    in: 'path',
    description: 'Numeric event id from the events list.',
    schema: EventId,
  },
  ...STREAM_PARAMETERS,
} as const satisfies Record<string, Parameter>
