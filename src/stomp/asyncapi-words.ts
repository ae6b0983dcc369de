// The texts of the AsyncAPI document: what each member of a table means. A member without a text does not compile.

import type { Cause, Change } from '../domain/quote.ts'
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

export const CAUSE_WORDS: Words<Cause> = {
  book: 'the bookmaker said so',
  source_down: 'its source is silent, or was stopped',
  gap: 'its source may have missed something, or said something that could not be recorded',
  clock: 'the clock of its source is ahead',
  operator: 'an operator said so',
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

/** Codes that an ERROR or a refusal may have. The channel is not HTTP: it has no methods. */
export type LiveCode = Exclude<ErrorCode, 'method_not_allowed'>

const isLiveCode = (code: RefusalCode): code is Exclude<RefusalCode, 'method_not_allowed'> =>
  code !== 'method_not_allowed'

/** All codes that a client of the live channel may get. */
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
