// The operations (docs/architecture.md 7): path, parameters, answers. The router and the document are made from
// this table.

import type { TSchema } from 'typebox'
import type { RefusalCode } from '../domain/refusal.ts'
import { COMPONENTS, PARAMETERS, type Parameter } from './schemas.ts'

/** The version prefix; part of the base URL. */
export const BASE_PATH = '/api/v1'

export interface Operation {
  readonly id: string
  /** Below {@link BASE_PATH}. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly answer: TSchema
  readonly answerDescription: string
  readonly isPublic: boolean
  /** It is answered with server-sent events, by the live channel. */
  readonly isStream?: boolean
  /** Refusals that the contract names for it. */
  readonly refusals: readonly RefusalCode[]
}

const AUTHENTICATED: readonly RefusalCode[] = [
  'validation_failed',
  'missing_api_key',
  'invalid_api_key',
  'live_not_enabled',
  'api_key_scope_denied',
  'rate_limit_exceeded',
  'service_unavailable',
]

const { transport, limit, offset, sport, sportOrFootball, league, dateFrom, dateTo, bookmaker, eventId } = PARAMETERS
const {
  topic,
  streamSport,
  streamBookmaker,
  event,
  snapshot,
  fromSeq,
  conflateMs,
  onSlow,
  quotes,
  types,
  leagues,
  lag,
} = PARAMETERS

export const OPERATIONS = {
  listSports: {
    id: 'listSports',
    path: '/sports',
    summary: 'List sports',
    description:
      'Sports that have at least one entitled bookmaker with product-verified coverage for the requested transport.',
    parameters: [transport, limit, offset],
    answer: COMPONENTS.SportPage,
    answerDescription: 'A page of sports, in the order of the sport enumeration.',
    isPublic: false,
    refusals: AUTHENTICATED,
  },
  listEvents: {
    id: 'listEvents',
    path: '/events',
    summary: 'List events',
    description:
      'Events with current odds from entitled bookmakers that have product-verified coverage for the requested transport, by kickoff.',
    parameters: [sport, league, dateFrom, dateTo, transport, limit, offset],
    answer: COMPONENTS.EventPage,
    answerDescription: 'A page of events, by kickoff, then id.',
    isPublic: false,
    refusals: AUTHENTICATED,
  },
  getEventOdds: {
    id: 'getEventOdds',
    path: '/events/{eventId}/odds',
    summary: 'Get event odds',
    description:
      'All open, fresh odds for one event, grouped by market, with bookmaker odds nested per market. An event that is unknown and one that the organization may not see give the same 404.',
    parameters: [eventId, bookmaker, transport],
    answer: COMPONENTS.EventOddsReply,
    answerDescription: 'The odds of the event. `markets` is empty while nothing is open.',
    isPublic: false,
    refusals: [...AUTHENTICATED, 'forbidden', 'not_found'],
  },
  listBookmakers: {
    id: 'listBookmakers',
    path: '/bookmakers',
    summary: 'List bookmakers',
    description: 'Entitled bookmakers with product-verified coverage of the sport for the requested transport.',
    parameters: [sportOrFootball, transport, limit, offset],
    answer: COMPONENTS.BookmakerPage,
    answerDescription: 'A page of bookmakers, by slug.',
    isPublic: false,
    refusals: AUTHENTICATED,
  },
  streamChanges: {
    id: 'streamChanges',
    path: '/stream',
    summary: 'Stream changes',
    description: [
      'What a topic of the live channel carries, as server-sent events (WHATWG HTML, 9.2): for clients behind proxies that block WebSocket. It needs the live channel, counts as one of the live connections of the plan and as no request, and has the limits of a live session.',
      'The type of an event is `update`, `short`, `snapshot`, `snapshot-end`, `reset`, `lag`, `degraded`, `restored` or `error`; its data is the body of the message in `/asyncapi.json` as one line, of an `update` and a `short` with `prev` as the first member; its id is the point to resume from. `error` is the last event of a response, and has the code of the live channel and `resumeFrom`.',
      'The key goes into a header, never into the URL: read the stream with `fetch`, or with an EventSource that sends headers.',
    ].join('\n\n'),
    parameters: [
      topic,
      streamSport,
      streamBookmaker,
      event,
      snapshot,
      fromSeq,
      conflateMs,
      onSlow,
      quotes,
      types,
      leagues,
      lag,
    ],
    answer: COMPONENTS.EventStream,
    answerDescription: 'Events until either side ends the response.',
    isPublic: false,
    isStream: true,
    refusals: [...AUTHENTICATED, 'forbidden'],
  },
  getSpec: {
    id: 'getSpec',
    path: '/spec',
    summary: 'Download the service contract',
    description: 'This OpenAPI 3.1 document. Public: no API key is required.',
    parameters: [],
    answer: COMPONENTS.Contract,
    answerDescription: 'The OpenAPI 3.1 document.',
    isPublic: true,
    // All operations refuse a GET with a body.
    refusals: ['validation_failed'],
  },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS
