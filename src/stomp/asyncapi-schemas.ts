// The bodies of the live channel as JSON Schemas, made from the tables that the broker itself uses.

import { CHANGES, type Change, QUOTE_STATUSES, type QuoteStatus } from '../domain/quote.ts'
import { FEED_STATES } from '../domain/feed-health.ts'
import {
  BOOKMAKER,
  LINE,
  listed,
  MARKET_TYPE,
  type Schema,
  SPORT,
  TIME,
} from '../source/observations/observation-fields.ts'
import { CHANGE_WORDS, CODE_WORDS, EVENT_WORDS, LIVE_CODES, RESET_WORDS } from './asyncapi-words.ts'
import { RESET_REASONS } from './catch-up.ts'
import type { Topic } from './destination.ts'
import type { Kind } from './message.ts'
import { EVENT_CHANGES } from './visibility.ts'

type Members = Readonly<Record<string, Schema>>

export const among = (values: readonly string[], description: string): Schema => ({
  type: 'string',
  enum: [...values],
  description,
})

export const matching = (pattern: string, description: string, example?: string): Schema => ({
  type: 'string',
  pattern,
  description,
  ...(example === undefined ? {} : { examples: [example] }),
})

export const text = (description: string): Schema => ({ type: 'string', description })

const whole = (description: string): Schema => ({ type: 'integer', minimum: 0, description })

/** An object with all of these members. Others may be added in time: clients must tolerate them. */
export const object = (description: string, members: Members, optional: Members = {}): Schema => ({
  type: 'object',
  description,
  required: Object.keys(members),
  properties: { ...members, ...optional },
})

export const either = (values: readonly string[]): string => `(${values.join('|')})`

export const LOG_POINT = '[0-9A-Za-z]{1,32}-\\d{1,15}'
export const SLUG = '[a-z0-9][a-z0-9_.-]{0,63}'
export const DIGITS = '\\d{1,15}'

const Seq = matching(
  `^${LOG_POINT}$`,
  'Position in the log of changes, `EPOCH-SEQ`: the last change that the message tells. Every start of the service begins a new epoch.',
  'mi8n2k4p-881234',
)
const Time = TIME
const Sport = SPORT.schema
const Bookmaker = BOOKMAKER
const EventId = matching(`^${DIGITS}$`, 'Event id, the same as in REST.', '104217389912345')
const MarketType = MARKET_TYPE.schema
const Line = LINE.schema
const Odds: Schema = {
  type: 'number',
  exclusiveMinimum: 1,
  description: 'Decimal odds, exactly as the source gave them.',
}

/** Changes that the topic `status` carries. */
const TRANSITIONS = ['suspended', 'reopened', 'closed'] as const satisfies readonly Change[]
const STANDING = QUOTE_STATUSES.filter((status) => status !== 'closed')

const quote = (description: string, statuses: readonly QuoteStatus[], changes: readonly Change[]): Schema =>
  object(description, {
    type: MarketType,
    line: Line,
    outcome: text('Outcome label: `home`, `over`, `2-1`, a name.'),
    odds: Odds,
    status: among(statuses, 'Quote status.'),
    ...(changes.length === 0 ? {} : { change: among(changes, listed(changes, CHANGE_WORDS)) }),
    lastUpdatedAt: Time,
  })

const Transition = quote('A quote that has changed its status.', QUOTE_STATUSES, TRANSITIONS)
const ChangedQuote = quote('A quote that has changed.', QUOTE_STATUSES, CHANGES)
const StandingQuote = quote('A quote as it is: open or suspended.', STANDING, [])

const book = (description: string, item: Schema, itemsDescription: string): Schema =>
  object(description, {
    seq: Seq,
    eventId: EventId,
    sport: Sport,
    bookmaker: Bookmaker,
    observedAt: { ...Time, description: 'When the source saw the newest of them, UTC.' },
    recordedAt: { ...Time, description: 'When the service recorded them: its own clock, UTC.' },
    quotes: { type: 'array', minItems: 1, items: item, description: itemsDescription },
  })

const IN_ORDER = 'Every change in order; a quote may stand here twice.'
const TransitionsOfBook = book('Transitions at one bookmaker for one event.', Transition, IN_ORDER)
const ChangesOfBook = book('Changes at one bookmaker for one event.', ChangedQuote, IN_ORDER)
const BookState = book('What stands at one bookmaker for one event.', StandingQuote, 'All that match.')

const EVENT_MEMBERS: Members = {
  id: EventId,
  sport: Sport,
  leagueKey: text('League key, as the header `leagues` takes it.'),
  leagueName: text('League name.'),
  homeTeam: text('Home side; for outright events the competition.'),
  awayTeam: text('Away side; empty for outright events.'),
  kickoffAt: { ...Time, description: 'Kickoff, UTC.' },
  marketCount: whole('Markets that are open live to you.'),
}
const EventChanged = object(
  'What has become of an event.',
  {
    seq: Seq,
    change: among(EVENT_CHANGES, listed(EVENT_CHANGES, EVENT_WORDS)),
    ...EVENT_MEMBERS,
    recordedAt: Time,
  },
  { mergedInto: { ...EventId, description: 'The event that it turns out to be: its quotes go on there.' } },
)
const EventState = object('An event as it is.', { seq: Seq, ...EVENT_MEMBERS, recordedAt: Time })

const FeedHealth = object('How the source of a bookmaker is.', {
  seq: Seq,
  bookmaker: Bookmaker,
  state: among(FEED_STATES, 'Its state; the limits stand in the description of the channel.'),
  since: { ...Time, description: 'Since when it is in this state, UTC.' },
  behindMs: whole('How old its last observation was when it came, ms.'),
  recordedAt: Time,
})

const SnapshotEnd = object('The snapshot is whole.', { seq: Seq, messages: whole('How many it had.') })
const Reset = object('You cannot go on from where you were; a snapshot follows.', {
  reason: among(RESET_REASONS, listed(RESET_REASONS, RESET_WORDS)),
})
const Lag = object('How far behind this session is.', {
  seq: Seq,
  queuedBytes: whole('Octets that wait for it.'),
  behindMs: whole('How long the oldest change that waits for it has been waiting, ms.'),
  mergedPrices: whole('Prices that conflation has merged in the flows of this session.'),
})

export const Code = among(LIVE_CODES, listed(LIVE_CODES, CODE_WORDS))
const Field: Schema = { type: 'string', description: 'The header, field or limit at fault, where there is one.' }
const SendRefused = object('A SEND or a COMMIT of this session that was refused.', {
  seq: Seq,
  code: Code,
  message: text('What to do about it.'),
  field: { ...Field, type: ['string', 'null'] },
  receipt: { type: ['string', 'null'], description: 'The receipt that it asked for.' },
})
export const ErrorBody = object('Why the session ends.', {
  error: object(
    'Like the error of a REST answer.',
    { code: Code, message: text('What to do about it.') },
    { field: Field },
  ),
})
/** What a frame has that has no body. */
export const NO_BODY: Schema = { type: 'string', maxLength: 0, description: 'No body.' }

const WITH_STATE = {
  'snapshot-end': SnapshotEnd,
  reset: Reset,
} as const satisfies Partial<Record<Kind, Schema>>

/** The bodies of MESSAGEs by topic and kind, whole: what is not here is not sent. Those in MessagePack are the same. */
export const PAYLOADS: Readonly<Record<Topic, Readonly<Partial<Record<Kind, Schema>>>>> = {
  status: { update: TransitionsOfBook, snapshot: BookState, ...WITH_STATE },
  odds: { update: ChangesOfBook, snapshot: BookState, ...WITH_STATE },
  events: { update: EventChanged, snapshot: EventState, ...WITH_STATE },
  feeds: { update: FeedHealth, snapshot: FeedHealth, ...WITH_STATE },
  lag: { lag: Lag },
  refusals: { refusal: SendRefused },
}

/** The schemas of bodies that the document names; everything else stands inline. */
export const BODIES = {
  Seq,
  Time,
  Sport,
  Bookmaker,
  EventId,
  MarketType,
  Transition,
  ChangedQuote,
  StandingQuote,
  TransitionsOfBook,
  ChangesOfBook,
  BookState,
  EventChanged,
  EventState,
  FeedHealth,
  SnapshotEnd,
  Reset,
  Lag,
  Code,
  SendRefused,
  Error: ErrorBody,
} as const satisfies Record<string, Schema>
