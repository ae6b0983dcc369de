// The AsyncAPI 3.0 document (LIVE, the whole page): made from the tables that the broker itself uses. It describes the
// service, so that `send` is what the service sends and `receive` what it takes; a client does the opposite.

import { CHANGES, type Change, QUOTE_STATUSES, type QuoteStatus } from '../domain/quote.ts'
import { FEED_STATES, type FeedState } from '../domain/feed-health.ts'
import { MARKET_TYPES } from '../domain/market.ts'
import { OTHERS, type Others } from '../domain/observation.ts'
import { REFUSAL_STATUS, type RefusalCode } from '../domain/refusal.ts'
import { SPORTS } from '../domain/sport.ts'
import { FED_TRANSPORTS, type FedTransport } from '../domain/transport.ts'
import { RESET_REASONS, type ResetReason } from './catch-up.ts'
import { TOPICS, type Topic } from './destination.ts'
import { type ErrorCode, PROTOCOL_CODES } from './session-fault.ts'
import type { LiveLimits } from './session-limits.ts'
import { ENCODINGS, type Kind } from './message.ts'
import { VERSIONS } from './connect.ts'
import { ACK_MODES, type AckMode } from './subscription.ts'
import { EVENT_CHANGES, type EventChange } from './visibility.ts'

/** Version of the live contract. */
export const LIVE_CONTRACT_VERSION = '1.0.0'

/** Limits that the document names: those of the channel, and those of observations and their sources. */
export interface DocumentLimits extends LiveLimits {
  /** Prices of one observation. */
  readonly pricesMax: number
  /** Quotes that a bookmaker may hold of one event on one transport. */
  readonly bookQuotesMax: number
  /** Characters of a name, label or key. */
  readonly textLengthMax: number
  /** How far a source's clock may run ahead, ms. */
  readonly skewMsMax: number
  readonly feedLateMs: number
  readonly feedDownMs: number
}

export interface LiveDocumentOptions {
  /** How customers reach the HTTP port: an absolute URL without a slash at its end. */
  readonly publicUrl: string
  /** The TCP port that was taken. */
  readonly stompPort: number
  /** Whether the TCP port speaks TLS. */
  readonly isTls: boolean
  readonly limits: DocumentLimits
}

/** A JSON Schema (draft 7, which AsyncAPI 3 builds on). */
export type Schema = { readonly [keyword: string]: unknown }

type Members = Readonly<Record<string, Schema>>

// --- words: what a member of a table means. A table that grows does not compile until its words are here.

type Words<Name extends string> = Readonly<Record<Name, string>>

const CHANGE_WORDS: Words<Change> = {
  added: 'a quote that was not there, open or suspended, or that had been closed',
  repriced: 'only the price is another',
  suspended: 'no longer tradable for now; brings the price of its moment, like all that follow',
  reopened: 'tradable again',
  closed: 'over; it leaves the board',
  aged_out: 'not seen for 24 hours; has the last status, and is told within a second',
}

const RESET_WORDS: Words<ResetReason> = {
  epoch: 'the point is of another log: the service has started anew',
  ahead: 'the log has not come to this point',
  too_old: 'the log no longer reaches back to this point',
  window: "it reaches back, but further than the plan's replay window",
  audience:
    'what the key may see has changed since the point, or may have (the point is from before the key was used, and other keys of the organization saw something else); or which events stand in the leagues asked for, or which event the id asked for leads to',
}

const EVENT_WORDS: Words<EventChange> = {
  appeared:
    'the first of the bookmakers that you see has begun to quote it live, or the former id that you named leads to it now',
  changed: 'kickoff, names or league are others, or it turns out to be another event (`mergedInto`)',
  gone: 'the last of them has ended, or the former id that you named no longer leads to it',
}

const feedWords = ({ feedLateMs, feedDownMs }: DocumentLimits): Words<FeedState> => ({
  starting: 'its source has been started and has not been heard yet',
  live: 'heard of just now',
  late: `silent for longer than its source is used to (${feedLateMs} ms where nothing else is configured), or what it says is that old when it comes`,
  down: `silent for much longer (${feedDownMs} ms): do not trust its prices; where the source has suspensions, they are suspended`,
})

const TRANSPORT_WORDS: Words<FedTransport> = {
  rest: 'the REST channel',
  live: 'the live channel',
  both: 'both, as two quotes',
}

const OTHERS_WORDS: Words<Others> = {
  keep: 'nothing',
  suspended: 'they are suspended; with no quotes at all: a bet stop',
  closed: 'they are closed',
}

const ACK_WORDS: Words<AckMode> = {
  auto: 'nothing is acknowledged',
  client: 'an ACK holds for all messages up to it',
  'client-individual': 'an ACK holds for its message',
}

const TOPIC_WORDS: Words<Topic> = {
  status: 'Status transitions of quotes: `suspended`, `reopened`, `closed`.',
  odds: 'Every change of quotes: transitions, new quotes, prices, and quotes that have aged out.',
  events: 'The events themselves: appeared, changed, gone.',
  feeds: 'The health of the sources behind the bookmakers, so that you know when a price is only the last one known.',
  lag: 'How far behind this session is, once a second.',
  refusals:
    'Feed keys only. While it is subscribed to, a SEND that is refused comes back here, its RECEIPT carries `refused: CODE`, and the session goes on; else it ends with an ERROR.',
}

/** Codes that an ERROR or a refusal may have. The channel is no HTTP: there are no methods. */
type LiveCode = Exclude<ErrorCode, 'method_not_allowed'>

const isLiveCode = (code: RefusalCode): code is Exclude<RefusalCode, 'method_not_allowed'> =>
  code !== 'method_not_allowed'

/** Every code that a client of the live channel may meet. */
export const LIVE_CODES: readonly LiveCode[] = [
  ...(Object.keys(REFUSAL_STATUS) as RefusalCode[]).filter(isLiveCode),
  ...PROTOCOL_CODES,
]

const CODE_WORDS: Words<LiveCode> = {
  validation_failed: 'A header or a body is not what it may be; `field` names it.',
  missing_api_key: 'CONNECT carries no key.',
  invalid_api_key:
    'The key is malformed, unknown, expired or revoked, also in the middle of a session; or credentials disagree.',
  live_not_enabled: 'The plan does not have the live channel.',
  forbidden:
    'A bookmaker that is named and not entitled; a SEND of a customer, or to a topic; a SUBSCRIBE of a feed key other than to lag and refusals.',
  api_key_scope_denied:
    "The key is restricted, and this lies outside: the live channel, the bookmaker, the sport, or a bookmaker that the feed key doesn't feed.",
  not_found: 'There is no such destination.',
  rate_limit_exceeded:
    'The plan allows no more live connections at the same time; or too many connections come from your address; or too many sessions of the key have ended with an ERROR: then `retry-after` says when it may connect again.',
  service_unavailable:
    'The service is starting, or rights cannot be checked just now (a session that is open goes on for `rightsUnknownMsMax`, and is told `resume-from`), or the board, or the share of it that one bookmaker may hold, is full, or there are too many connections. Try again.',
  protocol_error: 'The frames are not STOMP, or not in this order; or heart-beats that were promised did not come.',
  limit_exceeded: 'A limit of the channel was passed; `field` names it (see `x-limits`).',
  slow_consumer: 'The client did not keep up. `resume-from` tells where to go on.',
  server_shutdown: 'The service ends. Connect again, and go on from `resume-from`.',
}

type Unit = 'octets' | 'ms' | 'number'

// Null: a limit that no client can meet.
const LIMIT_WORDS: Readonly<Record<keyof LiveLimits, readonly [unit: Unit, words: string] | null>> = {
  commandBytesMax: ['octets', 'A command.'],
  headerLineBytesMax: ['octets', 'A header line.'],
  headersMax: ['number', 'Headers of a frame.'],
  headersBytesMax: ['octets', 'All header lines of a frame together, with their ends of line.'],
  bodyBytesMax: ['octets', 'A body that a customer sends.'],
  feedBodyBytesMax: ['octets', 'A body that a feed key sends.'],
  bytesBeforeConnectMax: ['octets', 'All that comes before CONNECT is complete.'],
  handshakeMsMax: ['ms', 'The TLS handshake, on TCP.'],
  connectMsMax: ['ms', 'From the connection to CONNECT.'],
  crowdedConnectMsMax: ['ms', 'The same on WebSocket, while others wait for their upgrade.'],
  upgradeMsMax: [
    'ms',
    'How long an upgrade may wait while many connections have not sent CONNECT; then: 503. One does not wait whose headers have a key that has a live connection left.',
  ],
  unconnectedBytesMax: null,
  subscriptionsMax: ['number', 'Subscriptions of a session.'],
  transactionsMax: ['number', 'Open transactions of a session.'],
  transactionFramesMax: ['number', 'Frames of a transaction.'],
  transactionBytesMax: ['octets', 'Bodies in all open transactions of a session.'],
  webSocketSlackBytes: ['octets', 'A WebSocket message may be larger than the largest frame by this much.'],
  unackedMax: ['number', 'Unacknowledged messages of a subscription; at this number it pauses, without an ERROR.'],
  sessionUnackedMax: ['number', 'The same of all subscriptions of a session; at this number all of them pause.'],
  shareMsMax: ['ms', 'How long a session is served before others are; what is left waits, and is not refused.'],
  passMsMax: [
    'ms',
    'How long all customers together, and beside them all feeds, are served before sockets are read and REST is answered.',
  ],
  inputBytesMax: [
    'octets',
    'What has come in over a WebSocket and waits to be read; over TCP the socket waits instead.',
  ],
  inputBytesTotalMax: ['octets', 'The same of all sessions: past it one that sends faster than it is read ends.'],
  ownSubscriptionsMax: ['number', 'Subscriptions of a session to `/topic/lag` and `/topic/refusals`.'],
  streamedPerTopicMax: [
    'number',
    'Subscriptions of a session to the same topics that are served at once; further ones come after what others wait for.',
  ],
  streamedIdBytesMax: ['octets', 'A subscription with a longer id is served like those.'],
  conflatingPerTopicMax: ['number', 'Subscriptions of a session with `conflate-ms` to the same topics.'],
  bytesPerSecondMax: ['octets', 'Messages of a session in a second.'],
  catchUpBytesMax: [
    'octets',
    'What the snapshots of a session may hold of events that change before they are read; above it: `slow_consumer`. A session gets one snapshot or replay after the other.',
  ],
  catchUpBytesTotalMax: ['octets', 'The same of all sessions: the one that holds the most ends first.'],
  conflationBytesMax: [
    'octets',
    'What conflation may remember for a session: 52 a quote delivered within `conflate-ms`.',
  ],
  conflationBytesTotalMax: ['octets', 'The same of all sessions: the one that takes the most ends first.'],
  conflateMsMax: ['ms', 'Longest `conflate-ms`; above it: `validation_failed`.'],
  pendingBytesMax: ['octets', 'What may wait for a session, messages and RECEIPTs alike; above it: `slow_consumer`.'],
  stalledMsMax: [
    'ms',
    'How long a session may take nothing of what waits for it, and how late a price that conflation held may be; above it: `slow_consumer`.',
  ],
  closeMsMax: ['ms', 'How long a connection that ends may take its last frames.'],
  heartBeatMs: ['ms', 'The heart-beat that the service offers, each way.'],
  silentMsMax: ['ms', 'A client without heart-beats that answers no probe for this long is gone.'],
  rightsUnknownMsMax: [
    'ms',
    'How long a session goes on while the service cannot check rights, where that may pass by itself; then: `service_unavailable` with `resume-from`.',
  ],
  replayBytesMax: ['octets', 'What the log of changes may take; what is older is `too_old`.'],
  replayTextBytesMax: [
    'octets',
    'Events that have ended or were renamed, and long labels, in the log of changes: 3 to 9 KB an event; what is older is `too_old`.',
  ],
  replayMsMax: ['ms', 'How far back the log of changes reaches; what is older is `too_old`.'],
  socketBytesMax: null,
  turnFramesMax: null,
  turnBytesMax: null,
  errorSessionsMax: [
    'number',
    'Sessions of one key that may end with an ERROR within `errorWindowMs`, beside one for each session that it has at the same time; above it CONNECT is refused for a while: `rate_limit_exceeded` with `retry-after`. Not counted: `server_shutdown`, `service_unavailable`, keys and rights that are no longer valid, and sessions of feed keys.',
  ],
  errorWindowMs: ['ms', 'The window of `errorSessionsMax`.'],
  throttleMs: [
    'ms',
    'How long CONNECT is refused the first time; twice as long whenever the error is repeated after it.',
  ],
  throttleMsMax: ['ms', 'The longest of these times.'],
  pauseMsMin: null,
  closeEveryMs: null,
}

const listed = <Name extends string>(names: readonly Name[], words: Words<Name>): string =>
  names.map((name) => `- \`${name}\`: ${words[name]}`).join('\n')

// --- schemas

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

/** An object with all of these members. Others may be added in time: clients must tolerate them. */
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
/** What a destination that was subscribed to may hold beside the letters of a topic. */
const SUBSCRIBED = '^/topic/[A-Za-z0-9._*#-]+$'

const Seq = matching(
  `^${LOG_POINT}$`,
  'Position in the log of changes, `EPOCH-SEQ`: the last change that the message tells. Every start of the service begins a new epoch.',
  'mi8n2k4p-881234',
)
const Time: Schema = {
  type: 'string',
  format: 'date-time',
  description: 'UTC, to the millisecond.',
  examples: ['2026-11-20T19:03:11.482Z'],
}
const Sport = among(SPORTS, 'Sport slug.')
const Bookmaker = matching(`^${SLUG}$`, 'Bookmaker slug.', 'northbank')
const EventId = matching(`^${DIGITS}$`, 'Event id, the same as in REST.', '104217389912345')
const MarketType = among(MARKET_TYPES, 'Market type.')
const Line: Schema = { type: ['number', 'null'], description: 'Market line; null for markets without one.' }
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

const Code = among(LIVE_CODES, listed(LIVE_CODES, CODE_WORDS))
const Field: Schema = { type: 'string', description: 'The header, field or limit at fault, where there is one.' }
const SendRefused = object('A SEND or a COMMIT of this session that was refused.', {
  seq: Seq,
  code: Code,
  message: text('What to do about it.'),
  field: { ...Field, type: ['string', 'null'] },
  receipt: { type: ['string', 'null'], description: 'The receipt that it asked for.' },
})
const ErrorBody = object('Why the session ends.', {
  error: object(
    'Like the error of a REST answer.',
    { code: Code, message: text('What to do about it.') },
    { field: Field },
  ),
})
/** What a frame has that has no body. */
const NO_BODY: Schema = { type: 'string', maxLength: 0, description: 'No body.' }

// No control character and no line separator: none would survive a header or a terminal.
const CLEAN = '[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]'

/**
 * What the body of a SEND must be (LIVE 3a). It says all that a schema can say; beyond it the service refuses what
 * depends on more than one place: a quote given twice, two sides with one name, a time ahead of the clock.
 */
export const observationSchema = ({ pricesMax, bookQuotesMax, textLengthMax, skewMsMax }: DocumentLimits): Schema => {
  const closed = (schema: Schema): Schema => ({ ...schema, additionalProperties: false })
  const name = (description: string, pattern = `^(?=.*\\S)${CLEAN}+$`): Schema => ({
    type: 'string',
    pattern,
    maxLength: textLengthMax,
    description,
  })
  const label = (description: string): Schema => name(description, `^(?=\\S)${CLEAN}*(?<=\\S)$`)
  const orNull = (schema: Schema): Schema => ({ ...schema, type: ['string', 'null'] })
  const time = (description: string): Schema => ({ ...Time, description })
  const league = closed(
    object('The league.', {
      key: name('League key.', '^[A-Za-z0-9][A-Za-z0-9_.:/-]*$'),
      name: name('League name.'),
    }),
  )
  const event = closed(
    object(
      'The event as the source spells it.',
      {
        sport: Sport,
        league,
        home: name('Home side; for outright events the competition.'),
        away: name('Away side; empty for outright events.', `^((?=.*\\S)${CLEAN}+)?$`),
        kickoffAt: time('Kickoff: RFC 3339 with an offset.'),
      },
      { sourceId: orNull(label("The bookmaker's own id of the event; once resolved, it decides.")) },
    ),
  )
  const price: Schema = {
    ...closed(
      object(
        'A quote as the source sees it.',
        { type: MarketType, outcome: label('Outcome label.') },
        {
          line: { ...Line, default: null },
          odds: {
            type: ['number', 'null'],
            exclusiveMinimum: 1,
            description: 'Decimal odds. May be left out where the status is not `open`: then the last ones stay.',
          },
          status: { ...among(QUOTE_STATUSES, 'Quote status.'), default: 'open' satisfies QuoteStatus },
        },
      ),
    ),
    anyOf: [
      { required: ['odds'], properties: { odds: { type: 'number' } } },
      { required: ['status'], properties: { status: { enum: QUOTE_STATUSES.filter((status) => status !== 'open') } } },
    ],
  }
  return {
    ...closed(
      object(
        'What a source has seen of one event at one time.',
        {
          transport: among(
            FED_TRANSPORTS,
            `The product channels that it feeds.\n\n${listed(FED_TRANSPORTS, TRANSPORT_WORDS)}`,
          ),
          observedAt: time(
            `When the source saw it: RFC 3339 with an offset, at most ${skewMsMax} ms ahead. Of two observations of a quote the newer one wins, whichever comes first.`,
          ),
          event,
          quotes: {
            type: 'array',
            maxItems: pricesMax,
            items: price,
            description: `No quote may stand here twice. A bookmaker holds at most ${bookQuotesMax} quotes of one event on each channel, closed ones of the last 24 hours included; with more the observation is refused whole (\`service_unavailable\`).`,
          },
        },
        {
          bookmaker: { ...Bookmaker, description: 'That of the destination; may be left out.' },
          complete: { type: 'boolean', default: false, description: '`true` means `others: closed`.' },
          others: {
            ...among(
              OTHERS,
              `What becomes of the quotes of this bookmaker, event and transport that are not named.\n\n${listed(OTHERS, OTHERS_WORDS)}`,
            ),
            default: 'keep' satisfies Others,
          },
        },
      ),
    ),
    anyOf: [
      { properties: { complete: { const: false } } },
      { properties: { others: { const: 'closed' satisfies Others } } },
    ],
  }
}

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

// --- headers

const SEGMENTS = {
  sport: either(SPORTS),
  bookmaker: SLUG,
  eventId: DIGITS,
} as const

const TOPIC_PREFIX = '/topic/'

const addressOf = (topic: Topic): string =>
  `${TOPIC_PREFIX}${[topic, ...TOPICS[topic].map((segment) => `{${segment}}`)].join('.')}`

const destinationOf = (topic: Topic): string =>
  `^${TOPIC_PREFIX}${[topic, ...TOPICS[topic].map((segment) => SEGMENTS[segment])].join('\\.')}$`

/** Kinds whose message-id is a point from which a SUBSCRIBE can go on. */
const RESUME_POINTS: readonly Kind[] = ['update', 'snapshot-end']
/** Kinds that name the destination subscribed to, with its wildcards. */
const OF_SUBSCRIPTION: readonly Kind[] = ['snapshot-end', 'reset']

const AnyDestination = matching(SUBSCRIBED, 'The destination that was subscribed to.')
const LogPoint = matching(`^${LOG_POINT}$`, 'Where the log is after this message: what `from-seq` takes.')
const PartId = matching(`^${LOG_POINT}\\.\\d+$`, 'No resume point: `EPOCH-SEQ.N`.')
const Prev = matching(
  `^${LOG_POINT}$`,
  'The message before this one among those of the same topics and rights. If you have all up to S and this is greater than S, you have missed something.',
)
const ContentType = among(Object.values(ENCODINGS), 'As the SUBSCRIBE has asked for; the same body either way.')
const ContentLength = matching('^\\d+$', 'Length of the body in octets.')
const SubscriptionId = text('The id that the SUBSCRIBE gave. Missing only in STOMP 1.0, where it may give none.')
const AckId = matching(
  `^${LOG_POINT}(\\.\\d+)?/\\d+$`,
  'What ACK and NACK name; in STOMP 1.2, where messages are acknowledged. They may give the `message-id` instead, in `id` or in a header of that name, where one subscription of the session alone waits for it.',
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
      'message-id': RESUME_POINTS.includes(kind) ? LogPoint : PartId,
      ...(kind === 'update' ? { prev: Prev } : {}),
      kind: { const: kind },
      'content-type': ContentType,
      'content-length': ContentLength,
    },
    { subscription: SubscriptionId, ...(acknowledges ? { ack: AckId } : {}) },
  )
}

const RECEIPT = text('Asks for a RECEIPT with this id, once the frame has taken effect.')

const subscribeHeaders = ({ conflateMsMax }: LiveLimits): Schema =>
  object(
    'Headers of the SUBSCRIBE frame. All are texts. Only those marked STOMP are from there.',
    {
      destination: matching(
        SUBSCRIBED,
        'STOMP. A topic; a segment may be `*`, the last one `#` for all that are left.',
      ),
    },
    {
      id: text('STOMP. Names the subscription; needed from 1.1 on.'),
      ack: { ...among(ACK_MODES, `STOMP.\n\n${listed(ACK_MODES, ACK_WORDS)}`), default: 'auto' satisfies AckMode },
      receipt: RECEIPT,
      snapshot: {
        ...among(['true', 'false'], 'First the present state of all that matches, then its changes.'),
        default: 'false',
      },
      'from-seq': matching(
        `^${LOG_POINT}$`,
        "First everything after this point, then what happens: a `message-id` of an `update` or a `snapshot-end`, a `resume-from`, or REST's `X-Odds-Seq`.",
      ),
      'conflate-ms': {
        ...matching(
          '^\\d{1,9}$',
          `0 to ${conflateMsMax}. Of each quote at most one price in this time, the latest. All other changes come at once, with the price of their moment. With it a message may have a lower id than one before: the greatest is the point to go on from. Only on \`odds\`.`,
        ),
        default: '0',
      },
      types: matching(`^${either(MARKET_TYPES)}(,${either(MARKET_TYPES)})*$`, 'Only these market types.'),
      leagues: matching(
        '^[A-Za-z0-9][A-Za-z0-9_.:/-]*(,[A-Za-z0-9][A-Za-z0-9_.:/-]*)*$',
        'Only these leagues, by key.',
      ),
      'content-type': {
        type: 'string',
        description: `How the bodies of its messages are to be written: \`${ENCODINGS.msgpack}\` (in any case, parameters are ignored) selects MessagePack, every other value JSON.`,
        default: ENCODINGS.json,
        examples: Object.values(ENCODINGS),
      },
    },
  )

const CONNECT_HEADERS = object(
  'Headers of the CONNECT frame (STOMP is taken for it, too). The key is needed once, in one of three headers.',
  {},
  {
    'accept-version': text(
      `Versions that the client speaks, with commas between; the highest of ${VERSIONS.join(', ')} wins. Without it: 1.0.`,
    ),
    host: text('Taken, and not looked at.'),
    'heart-beat': matching(
      '^ *\\d{1,9} *, *\\d{1,9} *$',
      'What the client sends and what it wants, ms; 0: none.',
      '10000,10000',
    ),
    login: text('Taken, and not looked at.'),
    passcode: text('The key.'),
    Authorization: text('`Bearer` and the key.'),
    'X-Api-Key': text('The key.'),
  },
)

const CONNECTED_HEADERS = object('Headers of the CONNECTED frame.', {
  version: among(VERSIONS, 'The version that is spoken.'),
  session: text('Names the session.'),
  server: matching('^oddswire/', 'Name and version of the service.'),
  'heart-beat': matching('^\\d+,\\d+$', 'What the service sends and what it wants, ms.'),
})

const RECEIPT_HEADERS = object(
  'Headers of the RECEIPT frame.',
  { 'receipt-id': text('The `receipt` of the frame that has taken effect.') },
  { refused: { ...Code, description: 'The SEND was refused; the refusal came before on `/topic/refusals`.' } },
)

const ERROR_HEADERS = object(
  'Headers of the ERROR frame.',
  {
    message: Code,
    detail: text(
      'The `message` of the body on one line, shortened where it is long: for clients that show headers only.',
    ),
    'content-type': { const: 'application/json' },
    'content-length': ContentLength,
  },
  {
    field: text('The `field` of the body, where there is one.'),
    'retry-after': matching('^\\d+$', 'Seconds until the key may connect again, where it connects too often.'),
    'receipt-id': text('The `receipt` of the frame that is at fault.'),
    'resume-from': matching(
      `^${LOG_POINT}$`,
      'Everything up to here was handed to the connection. Missing in the middle of a snapshot.',
    ),
    version: text('The versions that are spoken, where the client speaks none of them.'),
  },
)

const SEND_HEADERS = object(
  'Headers of the SEND frame. All are texts.',
  { destination: matching(`^/feed/${SLUG}$`, 'The bookmaker that was seen.') },
  {
    receipt: text(
      'Asks for a RECEIPT with this id: the observation is on the board. Without one, SEND it again after a reconnect; that is harmless.',
    ),
    transaction: text('The transaction that it is part of.'),
    'content-type': text(`Not looked at: the body is ${ENCODINGS.json}.`),
    'content-length': ContentLength,
  },
)

/** The schemas that the document names; everything else stands inline. */
const COMPONENTS = {
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
  AnyDestination,
  LogPoint,
  PartId,
  Prev,
  ContentType,
  ContentLength,
  SubscriptionId,
  AckId,
} as const satisfies Record<string, Schema>

const namesOfComponents = new Map<unknown, string>(Object.entries(COMPONENTS).map(([name, schema]) => [schema, name]))

/** A schema as the document shows it: named ones by reference. */
const shown = (schema: unknown, isDefinition = false): unknown => {
  const name = namesOfComponents.get(schema)
  if (name !== undefined && !isDefinition) return { $ref: `#/components/schemas/${name}` }
  if (Array.isArray(schema)) return schema.map((entry) => shown(entry))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, shown(value)]))
}

// --- examples: one evening at an invented bookmaker

const EPOCH = 'mi8n2k4p'
const EVENT_ID = '104217389912345'
const BOOKMAKER = 'northbank'
const OBSERVED_AT = '2026-11-20T19:03:11.482Z'
const RECORDED_AT = '2026-11-20T19:03:11.503Z'
const at = (seq: number): string => `${EPOCH}-${seq}`

const SUBJECT = { eventId: EVENT_ID, sport: 'football', bookmaker: BOOKMAKER }
const TIMES = { observedAt: OBSERVED_AT, recordedAt: RECORDED_AT }

const exampleQuote = (outcome: string, odds: number, status: QuoteStatus, change?: Change) => ({
  type: 'match_result_1x2',
  line: null,
  outcome,
  odds,
  status,
  ...(change === undefined ? {} : { change }),
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

const END: Shape = ['All is told, up to here', 881201, { messages: 1 }]
const RESTARTED: Shape = ['The service has started anew', 12, { reason: 'epoch' satisfies ResetReason }]

const SHAPES: Readonly<Record<Topic, Readonly<Partial<Record<Kind, Shape>>>>> = {
  status: {
    update: [
      'A bookmaker takes a market down',
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
      'A market that is down, for now',
      881201,
      { ...SUBJECT, ...TIMES, quotes: [exampleQuote('home', 2.1, 'suspended')] },
    ],
    'snapshot-end': END,
    reset: RESTARTED,
  },
  odds: {
    update: [
      'A price moves, and another one is new',
      881240,
      {
        ...SUBJECT,
        ...TIMES,
        quotes: [exampleQuote('home', 2.05, 'open', 'repriced'), exampleQuote('draw', 3.4, 'open', 'added')],
      },
    ],
    snapshot: ['An open price', 881201, { ...SUBJECT, ...TIMES, quotes: [exampleQuote('home', 2.1, 'open')] }],
    'snapshot-end': END,
    reset: RESTARTED,
  },
  events: {
    update: [
      'The kickoff has moved',
      881236,
      { change: 'changed' satisfies EventChange, ...EVENT, recordedAt: RECORDED_AT },
    ],
    snapshot: ['An event', 881201, { ...EVENT, recordedAt: RECORDED_AT }],
    'snapshot-end': END,
    reset: RESTARTED,
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
    'snapshot-end': END,
    reset: RESTARTED,
  },
  lag: { lag: ['A session that keeps up', 881240, { queuedBytes: 0, behindMs: 0, mergedPrices: 0 }] },
  refusals: {
    refusal: [
      'A price of an observation is none',
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

/** How many messages of a snapshot, or of the session's own topics, have been before. */
const PARTS: Readonly<Partial<Record<Kind, number>>> = { reset: 0, snapshot: 1, lag: 1, refusal: 1 }

const exampleOf = (topic: Topic, kind: Kind): Example => {
  const [summary, seq, members] = SHAPES[topic][kind]!
  // A reset stands for no position.
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

const OBSERVATION_EXAMPLES: readonly Example[] = [
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
    summary: 'A bet stop: all that stands is suspended',
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

// --- the document

/** Where the HTTP port takes WebSockets. */
const WEBSOCKET_PATH = '/stomp'

const camel = (texts: readonly string[]): string =>
  texts
    .flatMap((each) => each.split('-'))
    .map((part) => part[0]!.toUpperCase() + part.slice(1))
    .join('')

const messagesOf = (topic: Topic) => {
  const kinds = Object.entries(PAYLOADS[topic]) as [Kind, Schema][]
  return Object.fromEntries(
    kinds.map(([kind, payload]) => [
      kind,
      {
        name: camel(kinds.length === 1 ? [kind] : [topic, kind]),
        title: `${topic}: ${kind}`,
        summary: payload.description,
        'x-stomp-command': 'MESSAGE',
        headers: shown(messageHeaders(topic, kind)),
        payload: shown(payload),
        examples: [exampleOf(topic, kind)],
      },
    ]),
  )
}

const ANY = '*'

const PARAMETERS: Readonly<Record<keyof typeof SEGMENTS, object>> = {
  sport: { enum: [...SPORTS, ANY], default: ANY, description: 'Sport slug; in a SUBSCRIBE also `*` for any.' },
  bookmaker: {
    default: ANY,
    description:
      'Bookmaker slug; in a SUBSCRIBE also `*` for any. What you may not see is left out in silence; one that you name is refused.',
    examples: [BOOKMAKER, ANY],
  },
  eventId: {
    default: ANY,
    description:
      'Event id; in a SUBSCRIBE also `*` for any. The id of an event that was merged into another leads to that one, as on ' +
      'REST, also if it is merged later. Who has asked for a snapshot, or goes on from a point before, is told how the former ' +
      'event ended, then `reset` (`audience`) and a snapshot of what it became.',
    examples: [EVENT_ID, ANY],
  },
}

const channelOf = (topic: Topic, limits: DocumentLimits) => {
  const segments = TOPICS[topic]
  const rest =
    segments.length === 0
      ? []
      : [
          `A segment of a SUBSCRIBE may be \`*\`, the last one \`#\` for all that are left: \`${TOPIC_PREFIX}${topic}.#\`.`,
        ]
  const states = topic === 'feeds' ? [listed(FEED_STATES, feedWords(limits))] : []
  return {
    address: addressOf(topic),
    title: topic,
    summary: TOPIC_WORDS[topic],
    ...(rest.length + states.length === 0 ? {} : { description: [...rest, ...states].join('\n\n') }),
    messages: messagesOf(topic),
    ...(segments.length === 0
      ? {}
      : { parameters: Object.fromEntries(segments.map((segment) => [segment, PARAMETERS[segment]])) }),
  }
}

const sessionMessages = (limits: DocumentLimits) => ({
  connect: {
    name: 'Connect',
    summary: 'The first frame of a client.',
    'x-stomp-command': 'CONNECT',
    headers: shown(CONNECT_HEADERS),
    payload: NO_BODY,
    examples: [
      {
        name: 'connect',
        headers: { 'accept-version': '1.2', host: 'localhost', 'heart-beat': '10000,10000', passcode: 'API_KEY' },
      },
    ],
  },
  connected: {
    name: 'Connected',
    summary: 'The key is good.',
    'x-stomp-command': 'CONNECTED',
    headers: shown(CONNECTED_HEADERS),
    payload: NO_BODY,
  },
  subscribe: {
    name: 'Subscribe',
    summary: 'Asks for topics: from now on, with a snapshot first, or from a point of the log on.',
    'x-stomp-command': 'SUBSCRIBE',
    headers: shown(subscribeHeaders(limits)),
    payload: NO_BODY,
    examples: [
      { name: 'snapshot', headers: { id: 'sub-0', destination: '/topic/odds.football.#', snapshot: 'true' } },
      { name: 'resume', headers: { id: 'sub-0', destination: '/topic/odds.football.#', 'from-seq': at(881240) } },
      {
        name: 'slowly',
        headers: { id: 'sub-0', destination: '/topic/odds.#', 'conflate-ms': '1000', types: 'match_result_1x2,total' },
      },
    ],
  },
  receipt: {
    name: 'Receipt',
    summary: 'A frame has taken effect.',
    'x-stomp-command': 'RECEIPT',
    headers: shown(RECEIPT_HEADERS),
    payload: NO_BODY,
  },
  error: {
    name: 'Error',
    summary: 'The session ends: this is its last frame.',
    'x-stomp-command': 'ERROR',
    headers: shown(ERROR_HEADERS),
    payload: shown(ErrorBody),
    examples: [
      exampleError('slow_consumer', `More than ${limits.pendingBytesMax} octets waited for this session`, {
        'resume-from': at(881240),
      }),
    ],
  },
})

const exampleError = (code: LiveCode, message: string, headers: Readonly<Record<string, string>>): Example => {
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

const reference = (...path: string[]) => ({ $ref: `#/${path.join('/')}` })

const messageOf = (channel: string, message: string) => reference('channels', channel, 'messages', message)

/** The answer of the session to a client's frame. */
const answeredBy = (...messages: readonly string[]) => ({
  channel: reference('channels', 'session'),
  messages: [...messages, 'error'].map((message) => messageOf('session', message)),
})

const operations = () => ({
  connect: {
    action: 'receive',
    channel: reference('channels', 'session'),
    summary: 'Take a session.',
    messages: [messageOf('session', 'connect')],
    reply: answeredBy('connected'),
  },
  subscribe: {
    action: 'receive',
    channel: reference('channels', 'session'),
    summary: 'Take a subscription.',
    description:
      'The RECEIPT comes first, then snapshot or replay, then what happens. Nothing is missing in between, and nothing comes twice.',
    messages: [messageOf('session', 'subscribe')],
    reply: answeredBy('receipt'),
  },
  observe: {
    action: 'receive',
    channel: reference('channels', 'feed'),
    summary: 'Take an observation.',
    messages: [messageOf('feed', 'observation')],
    reply: answeredBy('receipt'),
  },
  ...Object.fromEntries(
    (Object.keys(TOPICS) as Topic[]).map((topic) => [
      `send${camel([topic])}`,
      {
        action: 'send',
        channel: reference('channels', topic),
        summary: `Tell subscribers: ${topic}.`,
        messages: Object.keys(PAYLOADS[topic]).map((kind) => messageOf(topic, kind)),
      },
    ]),
  ),
})

/** The limits that a client can meet, as the document shows them. */
export const limitsShown = (limits: LiveLimits) =>
  Object.fromEntries(
    (Object.entries(LIMIT_WORDS) as [keyof LiveLimits, readonly [Unit, string] | null][]).flatMap(([name, words]) =>
      words === null ? [] : [[name, { value: limits[name], unit: words[0], description: words[1] }]],
    ),
  )

const SECURITY = {
  BearerKey: {
    type: 'http',
    scheme: 'bearer',
    description: '`Authorization: Bearer API_KEY`, a header of CONNECT; over WebSocket also of the upgrade.',
  },
  HeaderKey: {
    type: 'httpApiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: '`X-Api-Key: API_KEY`, a header of CONNECT; over WebSocket also of the upgrade.',
  },
  Passcode: { type: 'apiKey', in: 'password', description: '`passcode: API_KEY`, a header of CONNECT; any `login`.' },
} as const

const DESCRIPTION = [
  'Odds as they change, over STOMP: plain TCP, or WebSocket. REST and this channel come from one log: what is open by a snapshot and the messages after it is what REST answers with `transport=live` at the same seq.',
  'This document describes the service: where it says `send`, a client receives. Frames of clients that are not here (UNSUBSCRIBE, ACK, NACK, BEGIN, COMMIT, ABORT, DISCONNECT) are as STOMP has them.',
  '**Resume.** Keep the `message-id` of the last `update` or `snapshot-end` that you have worked off. After a reconnect, SUBSCRIBE with it as `from-seq`: you get everything after it, or a `reset` that says why not, and a snapshot. At a `reset`, forget what you had.',
  '**Slow consumers.** A client that does not keep up is never given a gap in silence: it gets ERROR `slow_consumer` with `resume-from`, and the connection is closed. `conflate-ms` and narrower topics make for less.',
  'Compatible additions may appear: clients must tolerate new members, headers and values.',
].join('\n\n')

const serversOf = ({ publicUrl, stompPort, isTls }: LiveDocumentOptions) => {
  const { protocol, host, hostname, pathname } = new URL(publicUrl)
  const security = Object.keys(SECURITY).map((name) => reference('components', 'securitySchemes', name))
  return {
    tcp: {
      host: `${hostname}:${stompPort}`,
      protocol: isTls ? 'stomps' : 'stomp',
      protocolVersion: VERSIONS[0],
      description: `STOMP ${VERSIONS.toReversed().join(', ')} over TCP${isTls ? ' with TLS' : ''}.`,
      security,
    },
    websocket: {
      host,
      pathname: `${pathname.replace(/\/$/, '')}${WEBSOCKET_PATH}`,
      protocol: protocol === 'https:' ? 'wss' : 'ws',
      description: `STOMP ${VERSIONS.toReversed().join(', ')} over WebSocket: one frame in each message of the service.`,
      security,
      'x-subprotocols': VERSIONS.map((version) => `v${version.replace('.', '')}.stomp`),
    },
  }
}

/** The document, ready for `JSON.stringify`. */
export const asyncApiDocument = (options: LiveDocumentOptions) => {
  const { publicUrl, limits } = options
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'oddswire live',
      version: LIVE_CONTRACT_VERSION,
      description: DESCRIPTION,
      license: { name: 'Proprietary', url: `${publicUrl}/` },
      contact: { name: 'The operator of this service', url: `${publicUrl}/` },
      externalDocs: { url: 'https://stomp.github.io/stomp-specification-1.2.html', description: 'STOMP 1.2' },
      tags: [{ name: 'Odds', description: 'Current odds and their status, as they change.' }],
    },
    defaultContentType: ENCODINGS.json,
    servers: serversOf(options),
    channels: {
      ...Object.fromEntries((Object.keys(TOPICS) as Topic[]).map((topic) => [topic, channelOf(topic, limits)])),
      feed: {
        address: '/feed/{bookmaker}',
        title: 'feed',
        summary: 'Observations of a bookmaker, from those who have a feed key for it.',
        description:
          'A body that is wrong in any point is refused whole. One that is older than what the board holds has its RECEIPT and no effect. Where the board is full, or the share of it that the bookmaker may hold (`service_unavailable`), what stands there already is brought up to date all the same.',
        messages: {
          observation: {
            name: 'Observation',
            summary: 'What a source has seen of one event at one time.',
            'x-stomp-command': 'SEND',
            headers: shown(SEND_HEADERS),
            payload: shown(observationSchema(limits)),
            examples: OBSERVATION_EXAMPLES,
          },
        },
        parameters: { bookmaker: { description: 'Bookmaker slug.', examples: [BOOKMAKER] } },
      },
      session: {
        address: null,
        title: 'session',
        summary: 'Frames that have no topic: they are about the session.',
        messages: sessionMessages(limits),
      },
    },
    operations: operations(),
    components: {
      securitySchemes: SECURITY,
      schemas: Object.fromEntries(Object.entries(COMPONENTS).map(([name, schema]) => [name, shown(schema, true)])),
    },
    'x-limits': limitsShown(limits),
    'x-error-codes': CODE_WORDS,
  }
}
