// The bodies and headers of the live channel's frames as JSON Schemas, made from the tables that the broker uses.

import { CAUSES, CHANGES, type Change, QUOTE_STATUSES, type QuoteStatus } from '../domain/quote.ts'
import { FEED_STATES } from '../domain/feed-health.ts'
import { MARKET_TYPES } from '../domain/market.ts'
import { SPORTS } from '../domain/sport.ts'
import {
  BOOKMAKER as Bookmaker,
  LINE,
  listed,
  MARKET_TYPE,
  type Schema,
  SPORT,
  TIME as Time,
} from '../source/observations/observation-fields.ts'
import {
  ACK_WORDS,
  CAUSE_WORDS,
  CHANGE_WORDS,
  CODE_WORDS,
  EVENT_WORDS,
  FRAMES_WORDS,
  LIVE_CODES,
  ON_SLOW_WORDS,
  QUOTE_FORM_WORDS,
  RESET_WORDS,
} from './asyncapi-words.ts'
import { RESET_REASONS } from './catch-up.ts'
import { VERSIONS } from './connect.ts'
import { TOPIC_PREFIX, TOPICS, type Topic } from './destination.ts'
import { ENCODINGS, type Kind } from './message.ts'
import { CODES, type NumberedTopic, QUOTE_FORMS, type QuoteForm, SHORT_DESTINATIONS } from './numbers.ts'
import type { LiveLimits } from './session-limits.ts'
import { FRAMES, type Frames } from './subscribe.ts'
import { ACK_MODES, type AckMode, ON_SLOW, type OnSlow } from './subscription.ts'
import { EVENT_CHANGES } from './visibility.ts'

type Members = Readonly<Record<string, Schema>>

const among = (values: readonly string[], description: string): Schema => ({
  type: 'string',
  enum: [...values],
  description,
})

const matching = (pattern: string, description: string, example?: string): Schema => ({
  type: 'string',
  pattern,
  description,
  ...(example === undefined ? {} : { examples: [example] }),
})

const text = (description: string): Schema => ({ type: 'string', description })

const whole = (description: string): Schema => ({ type: 'integer', minimum: 0, description })

/** An object with all of these members. Members may be added later: clients must tolerate them. */
const object = (description: string, members: Members, optional: Members = {}): Schema => ({
  type: 'object',
  description,
  required: Object.keys(members),
  properties: { ...members, ...optional },
})

const either = (values: readonly string[]): string => `(${values.join('|')})`

const LOG_POINT = '[0-9A-Za-z]{1,32}-\\d{1,15}'
const SLUG = '[a-z0-9][a-z0-9_.-]{0,63}'
const DIGITS = '\\d{1,15}'

const Seq = matching(
  `^${LOG_POINT}$`,
  'Position in the log of changes, `EPOCH-SEQ`: the last change in the message. An epoch goes on over restarts; a new one begins where something may have been lost.',
  'mi8n2k4p-881234',
)
const Sport = SPORT.schema
const EventId = matching(`^${DIGITS}$`, 'Event id, the same as in REST.', '104217389912345')
const MarketType = MARKET_TYPE.schema
const Line = LINE.schema
const Odds: Schema = {
  type: 'number',
  exclusiveMinimum: 1,
  description: 'Decimal odds, exactly as the source gave them.',
}

/** Changes that the topic `status` carries; those that begin and end a quote only with numbers. */
const TRANSITIONS = CHANGES.filter((change) => change !== 'repriced')
const CURRENT = QUOTE_STATUSES.filter((status) => status !== 'closed')

const WhySuspended = among(
  CAUSES,
  `Of \`suspended\` and \`reopened\` only: why the quote is suspended, or was.\n\n${listed(CAUSES, CAUSE_WORDS)}`,
)

const QuoteNumber: Schema = {
  type: 'integer',
  minimum: 1,
  description:
    'With `quotes:numbered` only: the number of the quote in short updates. A quote of a snapshot, and `added`, give it its meaning; `closed` and `aged_out` end it, if it still means this quote.',
}

const quote = (description: string, statuses: readonly QuoteStatus[], changes: readonly Change[]): Schema =>
  object(
    description,
    {
      type: MarketType,
      line: Line,
      outcome: text('Outcome label: `home`, `over`, `2-1`, a name.'),
      odds: Odds,
      status: among(statuses, 'Quote status.'),
      ...(changes.length === 0 ? {} : { change: among(changes, listed(changes, CHANGE_WORDS)) }),
      lastUpdatedAt: Time,
    },
    { number: QuoteNumber, ...(changes.length === 0 ? {} : { cause: WhySuspended }) },
  )

const Transition = quote(
  'A quote that has changed its status. `added` and `aged_out` come with `quotes:numbered` only.',
  QUOTE_STATUSES,
  TRANSITIONS,
)
const ChangedQuote = quote('A quote that has changed.', QUOTE_STATUSES, CHANGES)
const QuoteState = quote('A current quote: open or suspended.', CURRENT, [])

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

const IN_ORDER = 'Every change in order; a quote may occur twice.'
const TransitionsOfBook = book('Transitions of quotes of one bookmaker for one event.', Transition, IN_ORDER)
const ChangesOfBook = book('Changes of quotes of one bookmaker for one event.', ChangedQuote, IN_ORDER)
const BookState = book('The quotes of one bookmaker for one event.', QuoteState, 'All that match.')

const EVENT_MEMBERS: Members = {
  id: EventId,
  sport: Sport,
  leagueKey: text('League key, as in the header `leagues`.'),
  leagueName: text('League name.'),
  homeTeam: text('Home side; for outright events the competition.'),
  awayTeam: text('Away side; empty for outright events.'),
  kickoffAt: { ...Time, description: 'Kickoff, UTC.' },
  marketCount: whole('Markets that are open live to you.'),
}
const EventChanged = object(
  'A change of an event.',
  {
    seq: Seq,
    change: among(EVENT_CHANGES, listed(EVENT_CHANGES, EVENT_WORDS)),
    ...EVENT_MEMBERS,
    recordedAt: Time,
  },
  { mergedInto: { ...EventId, description: 'The event that it was found to be: its quotes continue there.' } },
)
const EventState = object('The current state of an event.', { seq: Seq, ...EVENT_MEMBERS, recordedAt: Time })

const FeedHealth = object('The health of the source of a bookmaker.', {
  seq: Seq,
  bookmaker: Bookmaker,
  state: among(FEED_STATES, 'Its state; the description of the channel has the limits.'),
  since: { ...Time, description: 'Since when it is in this state, UTC.' },
  behindMs: whole('The age of its last observation when it arrived, ms.'),
  recordedAt: Time,
})

const SnapshotEnd = object('The snapshot is complete.', { seq: Seq, messages: whole('The number of its messages.') })
const Reset = object('It is not possible to resume from your point; a snapshot follows.', {
  reason: among(RESET_REASONS, listed(RESET_REASONS, RESET_WORDS)),
})
const MERGED = whole('Prices that were not delivered since then, because the quote had a later one or another status.')
const SINCE = whole('How long the subscription has been degraded, ms.')
const DegradedState = object(
  'The subscription is too far behind (`on-slow:conflate`): it gets all other changes first, and of each quote only the latest price. Repeated while that lasts. Everything up to `seq` was delivered.',
  {
    seq: Seq,
    behindMs: whole('The age of the oldest change that waits, ms.'),
    heldPrices: whole('Quotes of which a price waits.'),
    mergedPrices: MERGED,
    sinceMs: SINCE,
  },
)
const Restored = object(
  'The subscription keeps up, and gets every change again. Everything up to `seq` was delivered.',
  { seq: Seq, mergedPrices: MERGED, sinceMs: SINCE },
)
const Lag = object('How far behind this session is.', {
  seq: Seq,
  queuedBytes: whole('Octets that wait for the session.'),
  behindMs: whole('The age of the oldest change that waits for the session, ms.'),
  mergedPrices: whole('Prices that conflation has merged for this session.'),
})

const Code = among(LIVE_CODES, listed(LIVE_CODES, CODE_WORDS))
const Field: Schema = { type: 'string', description: 'The header, field or limit at fault, where there is one.' }
const SendRefused = object('A SEND or a COMMIT of this session that was refused.', {
  seq: Seq,
  code: Code,
  message: text('What to do about it.'),
  field: { ...Field, type: ['string', 'null'] },
  receipt: { type: ['string', 'null'], description: 'The `receipt` of the frame.' },
})
export const ErrorBody = object('Why the session ends.', {
  error: object(
    'As the error of a REST response.',
    { code: Code, message: text('What to do about it.') },
    { field: Field },
  ),
})
const codeWords = CODES.map(([code, change, cause]) => `${code} ${change}${cause === undefined ? '' : ` (${cause})`}`)

/** The body of a short update. */
export const ShortUpdate: Schema = {
  type: 'array',
  minItems: 3,
  description: [
    'Changes of quotes of one bookmaker for one event, by number (`quotes:numbered`): `[recorded, age, change, …]`.',
    '`recorded`: when the service recorded them, ms since midnight UTC, of the day that brings it nearest to now. `age`: how much older the newest observation is, ms; negative where the clock of the source is ahead.',
    'A change is `[number, odds, code?, older?]`: `odds` in thousandths; `code` what has changed, 0 if left out; `older` how much older its own observation is than the newest, ms, 0 if left out.',
    `Codes: ${codeWords.join(', ')}.`,
  ].join('\n\n'),
  items: { type: ['integer', 'array'], minItems: 2, maxItems: 4, items: { type: 'integer' } },
}

/** The payload of a frame without a body. */
export const NO_BODY: Schema = { type: 'string', maxLength: 0, description: 'No body.' }

const WITH_STATE = {
  'snapshot-end': SnapshotEnd,
  reset: Reset,
  degraded: DegradedState,
  restored: Restored,
} as const satisfies Partial<Record<Kind, Schema>>

/** All bodies of MESSAGEs by topic and kind: others are not sent. MessagePack has the same members. */
export const PAYLOADS: Readonly<Record<Topic, Readonly<Partial<Record<Kind, Schema>>>>> = {
  status: { update: TransitionsOfBook, snapshot: BookState, ...WITH_STATE },
  odds: { update: ChangesOfBook, snapshot: BookState, ...WITH_STATE },
  events: { update: EventChanged, snapshot: EventState, ...WITH_STATE },
  feeds: { update: FeedHealth, snapshot: FeedHealth, ...WITH_STATE },
  lag: { lag: Lag },
  refusals: { refusal: SendRefused },
}

// --- headers

/** The form of a destination that was subscribed to, with wildcards. */
const SUBSCRIBED = '^/topic/[A-Za-z0-9._*#-]+$'

export const SEGMENTS = {
  sport: either(SPORTS),
  bookmaker: SLUG,
  eventId: DIGITS,
} as const

export const addressOf = (topic: Topic): string =>
  `${TOPIC_PREFIX}${[topic, ...TOPICS[topic].map((segment) => `{${segment}}`)].join('.')}`

const destinationOf = (topic: Topic): string =>
  `^${TOPIC_PREFIX}${[topic, ...TOPICS[topic].map((segment) => SEGMENTS[segment])].join('\\.')}$`

/** Kinds whose message-id is a point that a SUBSCRIBE can resume from. */
const RESUME_POINTS: readonly Kind[] = ['snapshot-end']
/** Kinds of which it may be one: those of a degraded subscription. */
const MAYBE_POINTS: readonly Kind[] = ['update', 'degraded', 'restored']
/** Kinds whose destination is that of the SUBSCRIBE, with its wildcards. */
export const OF_SUBSCRIPTION: readonly Kind[] = ['snapshot-end', 'reset', 'degraded', 'restored']

const AnyDestination = matching(SUBSCRIBED, 'The destination that was subscribed to.')
const LogPoint = matching(`^${LOG_POINT}$`, 'The point of the log after this message, for `from-seq`.')
const MaybePoint = matching(
  `^${LOG_POINT}(\\.\\d+)?$`,
  'Without a dot, the point of the log after this message, for `from-seq`. While a subscription is degraded it may be `EPOCH-SEQ.N`: no resume point.',
)
const PartId = matching(`^${LOG_POINT}\\.\\d+$`, 'No resume point: `EPOCH-SEQ.N`.')
export const Prev = matching(
  `^${LOG_POINT}$`,
  'The message before this one among those of the same topics and rights. If you have everything up to S and this is greater than S, you have missed something.',
)
const ContentType = among(Object.values(ENCODINGS), 'As the SUBSCRIBE asked for; the members are the same in both.')
const ContentLength = matching('^\\d+$', 'Length of the body in octets.')
const SubscriptionId = text('The `id` of the SUBSCRIBE. Missing only in STOMP 1.0, where a SUBSCRIBE needs none.')
const AckId = matching(
  `^${LOG_POINT}(\\.\\d+)?/\\d+$`,
  'What ACK and NACK name in STOMP 1.2, where messages are acknowledged. They may name the `message-id` instead, in `id` or in a header of that name, if only one subscription of the session waits for it.',
)

/** The headers of a MESSAGE of a topic and kind. */
export const messageHeaders = (topic: Topic, kind: Kind): Schema => {
  const acknowledges = topic !== 'lag' && topic !== 'refusals'
  return object(
    'Headers of the MESSAGE frame. All are texts.',
    {
      destination: OF_SUBSCRIPTION.includes(kind)
        ? AnyDestination
        : matching(destinationOf(topic), 'What the message is about.'),
      'message-id': RESUME_POINTS.includes(kind) ? LogPoint : MAYBE_POINTS.includes(kind) ? MaybePoint : PartId,
      ...(kind === 'update' ? { prev: Prev } : {}),
      kind: { const: kind },
      'content-type': ContentType,
      'content-length': ContentLength,
    },
    { subscription: SubscriptionId, ...(acknowledges ? { ack: AckId } : {}) },
  )
}

/** The headers of a short update. */
export const shortHeaders = (topic: NumberedTopic): Schema =>
  object(
    'Headers of the MESSAGE frame. All are texts. There is no `kind`, and no `content-type`: the body is as the SUBSCRIBE asked for.',
    {
      destination: { const: SHORT_DESTINATIONS[topic] },
      'message-id': MaybePoint,
      subscription: SubscriptionId,
      prev: matching(
        '^-?\\d+$',
        'SEQ of this message - SEQ of the message before it among those of the same topics and rights; negative at a held price that later messages have overtaken.',
      ),
    },
    { ack: AckId, 'content-length': { ...ContentLength, description: 'With MessagePack only.' } },
  )

const RECEIPT = text('Asks for a RECEIPT with this id, once the frame has taken effect.')

export const subscribeHeaders = ({ conflateMsMax }: LiveLimits): Schema =>
  object(
    'Headers of the SUBSCRIBE frame. All are texts. Those marked STOMP are of the specification.',
    {
      destination: matching(
        SUBSCRIBED,
        'STOMP. A topic; a segment may be `*`, the last one `#` for all that are left.',
      ),
    },
    {
      id: text('STOMP. Names the subscription; required from 1.1 on.'),
      ack: { ...among(ACK_MODES, `STOMP.\n\n${listed(ACK_MODES, ACK_WORDS)}`), default: 'auto' satisfies AckMode },
      receipt: RECEIPT,
      snapshot: {
        ...among(['true', 'false'], 'First the current state of all that matches, then its changes.'),
        default: 'false',
      },
      'from-seq': matching(
        `^${LOG_POINT}$`,
        "First everything after this point, then every change: a `message-id` without a dot, a `resume-from`, or REST's `X-Odds-Seq`.",
      ),
      'conflate-ms': {
        ...matching(
          '^\\d{1,9}$',
          `0 to ${conflateMsMax}. Of each quote at most one price in this time, the latest. All other changes are delivered at once, with the price of their moment. With it a message may have a lower id than an earlier one: the greatest is the point to resume from. Only on \`odds\`.`,
        ),
        default: '0',
      },
      'on-slow': {
        ...among(ON_SLOW, listed(ON_SLOW, ON_SLOW_WORDS)),
        default: 'disconnect' satisfies OnSlow,
      },
      quotes: {
        ...among(QUOTE_FORMS, `Its updates.\n\n${listed(QUOTE_FORMS, QUOTE_FORM_WORDS)}`),
        default: 'full' satisfies QuoteForm,
      },
      frames: {
        ...among(FRAMES, `How many frames a WebSocket message has.\n\n${listed(FRAMES, FRAMES_WORDS)}`),
        default: 'single' satisfies Frames,
      },
      types: matching(`^${either(MARKET_TYPES)}(,${either(MARKET_TYPES)})*$`, 'Only these market types.'),
      leagues: matching(
        '^[A-Za-z0-9][A-Za-z0-9_.:/-]*(,[A-Za-z0-9][A-Za-z0-9_.:/-]*)*$',
        'Only these leagues, by key.',
      ),
      'content-type': {
        type: 'string',
        description: `The encoding of the bodies of its messages: \`${ENCODINGS.msgpack}\` (in any case, parameters are ignored) selects MessagePack, every other value JSON.`,
        default: ENCODINGS.json,
        examples: Object.values(ENCODINGS),
      },
    },
  )

export const CONNECT_HEADERS = object(
  'Headers of the CONNECT frame (STOMP is accepted as CONNECT). The key is required once, in one of three headers.',
  {},
  {
    'accept-version': text(
      `Versions that the client supports, with commas between; the highest of ${VERSIONS.join(', ')} is used. Without it: 1.0.`,
    ),
    host: text('Accepted, not used.'),
    'heart-beat': matching(
      '^ *\\d{1,9} *, *\\d{1,9} *$',
      'The intervals at which the client can send and wants to receive, ms; 0: none.',
      '10000,10000',
    ),
    login: text('Accepted, not used.'),
    passcode: text('The key.'),
    Authorization: text('`Bearer` and the key.'),
    'X-Api-Key': text('The key.'),
  },
)

export const CONNECTED_HEADERS = object('Headers of the CONNECTED frame.', {
  version: among(VERSIONS, 'The version that is used.'),
  session: text('Names the session.'),
  server: matching('^oddswire/', 'Name and version of the service.'),
  'heart-beat': matching('^\\d+,\\d+$', 'The intervals at which the service can send and wants to receive, ms.'),
})

export const RECEIPT_HEADERS = object(
  'Headers of the RECEIPT frame.',
  { 'receipt-id': text('The `receipt` of the frame that has taken effect.') },
  { refused: { ...Code, description: 'The SEND was refused; the refusal precedes on `/topic/refusals`.' } },
)

export const ERROR_HEADERS = object(
  'Headers of the ERROR frame.',
  {
    message: Code,
    detail: text('The `message` of the body on one line, truncated if it is long: for clients that show headers only.'),
    'content-type': { const: 'application/json' },
    'content-length': ContentLength,
  },
  {
    field: text('The `field` of the body, where there is one.'),
    'retry-after': matching('^\\d+$', 'Seconds until the key may connect again, if it has to wait.'),
    'receipt-id': text('The `receipt` of the frame that is at fault.'),
    'resume-from': matching(
      `^${LOG_POINT}$`,
      'Everything up to this point was written to the connection. Missing in the middle of a snapshot.',
    ),
    version: text('The supported versions, if the client supports none of them.'),
  },
)

export const SEND_HEADERS = object(
  'Headers of the SEND frame. All are texts.',
  { destination: matching(`^/feed/${SLUG}$`, 'The bookmaker of the observation.') },
  {
    receipt: text(
      'Asks for a RECEIPT with this id: the observation is on the board. If it does not arrive, SEND again after a reconnect; that is harmless.',
    ),
    transaction: text('The transaction of the frame.'),
    'content-type': text(`Not used: the body is ${ENCODINGS.json}.`),
    'content-length': ContentLength,
  },
)

/** The schemas that the document names; all others are inline. */
export const COMPONENTS = {
  Seq,
  Time,
  Sport,
  Bookmaker,
  EventId,
  MarketType,
  Transition,
  ChangedQuote,
  StandingQuote: QuoteState,
  TransitionsOfBook,
  ChangesOfBook,
  ShortUpdate,
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
  AnyDestination,
  LogPoint,
  PartId,
  Prev,
  ContentType,
  ContentLength,
  SubscriptionId,
  AckId,
} as const satisfies Record<string, Schema>
