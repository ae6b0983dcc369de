// The words of the AsyncAPI document: what each member of a table means. A table that grows does not compile until its
// words are here.

import type { Change } from '../domain/quote.ts'
import type { FeedState } from '../domain/feed-health.ts'
import { REFUSAL_STATUS, type RefusalCode } from '../domain/refusal.ts'
import type { ObservationLimits } from '../source/observations/observation-fields.ts'
import type { ResetReason } from './catch-up.ts'
import type { Topic } from './destination.ts'
import { type ErrorCode, PROTOCOL_CODES } from './session-fault.ts'
import type { LiveLimits } from './session-limits.ts'
import type { AckMode } from './subscription.ts'
import type { EventChange } from './visibility.ts'

/** Limits that the document names: those of the channel, and those of observations and their sources. */
export interface DocumentLimits extends LiveLimits, ObservationLimits {
  readonly feedLateMs: number
  readonly feedDownMs: number
}

type Words<Name extends string> = Readonly<Record<Name, string>>

export const CHANGE_WORDS: Words<Change> = {
  added: 'a quote that was not there, open or suspended, or that had been closed',
  repriced: 'only the price is another',
  suspended: 'no longer tradable for now; brings the price of its moment, like all that follow',
  reopened: 'tradable again',
  closed: 'over; it leaves the board',
  aged_out: 'not seen for 24 hours; has the last status, and is told within a second',
}

export const RESET_WORDS: Words<ResetReason> = {
  epoch: 'the point is of another log: the service has started anew',
  ahead: 'the log has not come to this point',
  too_old: 'the log no longer reaches back to this point',
  window: "it reaches back, but further than the plan's replay window",
  audience:
    'what the key may see has changed since the point, or may have (the point is from before the key was used, and other keys of the organization saw something else); or which events stand in the leagues asked for, or which event the id asked for leads to',
}

export const EVENT_WORDS: Words<EventChange> = {
  appeared:
    'the first of the bookmakers that you see has begun to quote it live, or the former id that you named leads to it now',
  changed: 'kickoff, names or league are others, or it turns out to be another event (`mergedInto`)',
  gone: 'the last of them has ended, or the former id that you named no longer leads to it',
}

export const feedWords = ({ feedLateMs, feedDownMs }: DocumentLimits): Words<FeedState> => ({
  starting: 'its source has been started and has not been heard yet',
  live: 'heard of just now',
  late: `silent for longer than its source is used to (${feedLateMs} ms where nothing else is configured), or what it says is that old when it comes`,
  down: `silent for much longer (${feedDownMs} ms): do not trust its prices; where the source has suspensions, they are suspended`,
})

export const ACK_WORDS: Words<AckMode> = {
  auto: 'nothing is acknowledged',
  client: 'an ACK holds for all messages up to it',
  'client-individual': 'an ACK holds for its message',
}

export const TOPIC_WORDS: Words<Topic> = {
  status: 'Status transitions of quotes: `suspended`, `reopened`, `closed`.',
  odds: 'Every change of quotes: transitions, new quotes, prices, and quotes that have aged out.',
  events: 'The events themselves: appeared, changed, gone.',
  feeds: 'The health of the sources behind the bookmakers, so that you know when a price is only the last one known.',
  lag: 'How far behind this session is, once a second.',
  refusals:
    'Feed keys only. While it is subscribed to, a SEND that is refused comes back here, its RECEIPT carries `refused: CODE`, and the session goes on; else it ends with an ERROR.',
}

/** Codes that an ERROR or a refusal may have. The channel is no HTTP: there are no methods. */
export type LiveCode = Exclude<ErrorCode, 'method_not_allowed'>

const isLiveCode = (code: RefusalCode): code is Exclude<RefusalCode, 'method_not_allowed'> =>
  code !== 'method_not_allowed'

/** Every code that a client of the live channel may meet. */
export const LIVE_CODES: readonly LiveCode[] = [
  ...(Object.keys(REFUSAL_STATUS) as RefusalCode[]).filter(isLiveCode),
  ...PROTOCOL_CODES,
]

export const CODE_WORDS: Words<LiveCode> = {
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

/** The limits that a client can meet, as the document shows them. */
export const limitsShown = (limits: LiveLimits) =>
  Object.fromEntries(
    (Object.entries(LIMIT_WORDS) as [keyof LiveLimits, readonly [Unit, string] | null][]).flatMap(([name, words]) =>
      words === null ? [] : [[name, { value: limits[name], unit: words[0], description: words[1] }]],
    ),
  )
