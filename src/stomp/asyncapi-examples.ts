// The examples of the AsyncAPI document: one evening at an invented bookmaker.

import type { Cause, Change, QuoteStatus } from '../domain/quote.ts'
import type { FeedState } from '../domain/feed-health.ts'
import type { RefusalCode } from '../domain/refusal.ts'
import { OF_SUBSCRIPTION } from './asyncapi-schemas.ts'
import { CODE_WORDS, type LiveCode } from './asyncapi-words.ts'
import type { ResetReason } from './catch-up.ts'
import { TOPIC_PREFIX, type Topic } from './destination.ts'
import { ENCODINGS, type Kind } from './message.ts'
import { type NumberedTopic, SHORT_DESTINATIONS } from './numbers.ts'
import type { EventChange } from './visibility.ts'

const EPOCH = 'mi8n2k4p'
export const EVENT_ID = '104217389912345'
export const BOOKMAKER = 'northbank'
const OBSERVED_AT = '2026-11-20T19:03:11.482Z'
const RECORDED_AT = '2026-11-20T19:03:11.503Z'
export const at = (seq: number): string => `${EPOCH}-${seq}`

const SUBJECT = { eventId: EVENT_ID, sport: 'football', bookmaker: BOOKMAKER }
const TIMES = { observedAt: OBSERVED_AT, recordedAt: RECORDED_AT }

const exampleQuote = (outcome: string, odds: number, status: QuoteStatus, change?: Change) => ({
  type: 'match_result_1x2',
  line: null,
  outcome,
  odds,
  status,
  ...(change === undefined ? {} : { change }),
  ...(change === 'suspended' ? { cause: 'book' satisfies Cause } : {}),
  lastUpdatedAt: OBSERVED_AT,
})

const EVENT = {
  id: EVENT_ID,
  sport: 'football',
  leagueKey: 'avaria_premier_league',
  leagueName: 'Avaria Premier League',
  homeTeam: 'Harbour Town',
  awayTeam: 'Millbrook United',
  kickoffAt: '2026-11-20T20:00:00.000Z',
  marketCount: 2,
}

interface Example {
  readonly name: string
  readonly summary: string
  readonly headers: Readonly<Record<string, string>>
  readonly payload?: unknown
}

const DESTINATIONS: Readonly<Record<Topic, string>> = {
  status: `/topic/status.football.${BOOKMAKER}.${EVENT_ID}`,
  odds: `/topic/odds.football.${BOOKMAKER}.${EVENT_ID}`,
  events: `/topic/events.football.${EVENT_ID}`,
  feeds: `/topic/feeds.${BOOKMAKER}`,
  lag: '/topic/lag',
  refusals: '/topic/refusals',
}

type Shape = readonly [summary: string, seq: number, members: object]

const END: Shape = ['The snapshot is complete', 881201, { messages: 1 }]
const RESTARTED: Shape = ['A new epoch has begun', 12, { reason: 'epoch' satisfies ResetReason }]

const DEGRADED: Shape = [
  'Prices are merged until the subscriber has caught up',
  881260,
  { behindMs: 2140, heldPrices: 310, mergedPrices: 1290, sinceMs: 4000 },
]
const AS_BEFORE: Shape = ['The subscriber has caught up', 881310, { mergedPrices: 1822, sinceMs: 6700 }]
const WITH_STATE = { 'snapshot-end': END, reset: RESTARTED, degraded: DEGRADED, restored: AS_BEFORE }

const SHAPES: Readonly<Record<Topic, Readonly<Partial<Record<Kind, Shape>>>>> = {
  status: {
    update: [
      'A bookmaker suspends a market',
      881234,
      {
        ...SUBJECT,
        ...TIMES,
        quotes: [
          exampleQuote('home', 2.1, 'suspended', 'suspended'),
          exampleQuote('draw', 3.4, 'suspended', 'suspended'),
          exampleQuote('away', 3.65, 'suspended', 'suspended'),
        ],
      },
    ],
    snapshot: [
      'A suspended market',
      881201,
      { ...SUBJECT, ...TIMES, quotes: [exampleQuote('home', 2.1, 'suspended')] },
    ],
    ...WITH_STATE,
  },
  odds: {
    update: [
      'A price changes, and another one is new',
      881240,
      {
        ...SUBJECT,
        ...TIMES,
        quotes: [exampleQuote('home', 2.05, 'open', 'repriced'), exampleQuote('draw', 3.4, 'open', 'added')],
      },
    ],
    snapshot: ['An open price', 881201, { ...SUBJECT, ...TIMES, quotes: [exampleQuote('home', 2.1, 'open')] }],
    ...WITH_STATE,
  },
  events: {
    update: [
      'The kickoff has moved',
      881236,
      { change: 'changed' satisfies EventChange, ...EVENT, recordedAt: RECORDED_AT },
    ],
    snapshot: ['An event', 881201, { ...EVENT, recordedAt: RECORDED_AT }],
    ...WITH_STATE,
  },
  feeds: {
    update: [
      'A source is late',
      881238,
      {
        bookmaker: BOOKMAKER,
        state: 'late' satisfies FeedState,
        since: RECORDED_AT,
        behindMs: 40,
        recordedAt: RECORDED_AT,
      },
    ],
    snapshot: [
      'A source is live',
      881201,
      {
        bookmaker: BOOKMAKER,
        state: 'live' satisfies FeedState,
        since: '2026-11-20T17:00:00.250Z',
        behindMs: 21,
        recordedAt: RECORDED_AT,
      },
    ],
    ...WITH_STATE,
  },
  lag: { lag: ['A session that keeps up', 881240, { queuedBytes: 0, behindMs: 0, mergedPrices: 0 }] },
  refusals: {
    refusal: [
      'An observation with an invalid price',
      881240,
      {
        code: 'validation_failed' satisfies RefusalCode,
        message: 'quotes[0].odds must be a number above 1',
        field: 'quotes[0].odds',
        receipt: 'send-17',
      },
    ],
  },
}

/** Part numbers of the examples, after the seq in the message-id. */
const PARTS: Readonly<Partial<Record<Kind, number>>> = { reset: 0, snapshot: 1, lag: 1, refusal: 1 }

export const exampleOf = (topic: Topic, kind: Kind): Example => {
  const [summary, seq, members] = SHAPES[topic][kind]!
  // The body of a reset has no seq.
  const payload = kind === 'reset' ? members : { seq: at(seq), ...members }
  const part = PARTS[kind]
  return {
    name: kind,
    summary,
    headers: {
      destination: OF_SUBSCRIPTION.includes(kind) ? `${TOPIC_PREFIX}${topic}.#` : DESTINATIONS[topic],
      'message-id': part === undefined ? at(seq) : `${at(seq)}.${part}`,
      subscription: 'sub-0',
      ...(kind === 'update' ? { prev: at(881201) } : {}),
      kind,
      'content-type': ENCODINGS.json,
      'content-length': String(Buffer.byteLength(JSON.stringify(payload))),
    },
    payload,
  }
}

const SINCE_MIDNIGHT = Date.parse(RECORDED_AT) % 86_400_000
const AGE = Date.parse(RECORDED_AT) - Date.parse(OBSERVED_AT)

export const shortExample = (topic: NumberedTopic): Example => ({
  name: 'short',
  summary:
    topic === 'odds' ? 'A price changes, and another quote is suspended' : 'A quote is suspended by its bookmaker',
  headers: {
    destination: SHORT_DESTINATIONS[topic],
    'message-id': at(881240),
    subscription: 'sub-0',
    prev: '39',
  },
  payload: [SINCE_MIDNIGHT, AGE, ...(topic === 'odds' ? [[123456, 2050]] : []), [123457, 3400, 31]],
})

export const OBSERVATION_EXAMPLES: readonly Example[] = [
  {
    name: 'prices',
    summary: 'Two prices of a market',
    headers: { destination: `/feed/${BOOKMAKER}`, receipt: 'send-16' },
    payload: {
      transport: 'live',
      observedAt: OBSERVED_AT,
      event: {
        sport: 'football',
        league: { key: EVENT.leagueKey, name: EVENT.leagueName },
        home: EVENT.homeTeam,
        away: EVENT.awayTeam,
        kickoffAt: EVENT.kickoffAt,
        sourceId: 'abc',
      },
      quotes: [
        { type: 'match_result_1x2', line: null, outcome: 'home', odds: 2.1, status: 'open' },
        { type: 'total_goals', line: 2.5, outcome: 'over', odds: 1.91 },
      ],
    },
  },
  {
    name: 'bet-stop',
    summary: 'A bet stop: all quotes of the book are suspended',
    headers: { destination: `/feed/${BOOKMAKER}`, receipt: 'send-17' },
    payload: {
      transport: 'live',
      observedAt: OBSERVED_AT,
      event: {
        sport: 'football',
        league: { key: EVENT.leagueKey, name: EVENT.leagueName },
        home: EVENT.homeTeam,
        away: EVENT.awayTeam,
        kickoffAt: EVENT.kickoffAt,
      },
      quotes: [],
      others: 'suspended',
    },
  },
]

export const exampleError = (code: LiveCode, message: string, headers: Readonly<Record<string, string>>): Example => {
  const payload = { error: { code, message } }
  return {
    name: code,
    summary: CODE_WORDS[code],
    headers: {
      message: code,
      detail: message,
      ...headers,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(JSON.stringify(payload))),
    },
    payload,
  }
}
