// The texts of the AsyncAPI document: what each member of a table means. A member without a text does not compile.

import type { Cause, Change } from '../domain/quote.ts'
import type { FeedState } from '../domain/feed-health.ts'
import { REFUSAL_STATUS, type RefusalCode } from '../domain/refusal.ts'
import type { ObservationLimits } from '../source/observations/observation-fields.ts'
import type { ResetReason } from './catch-up.ts'
import type { Topic } from './destination.ts'
import { type ErrorCode, PROTOCOL_CODES } from './session-fault.ts'
import type { LiveLimits } from './session-limits.ts'
import type { QuoteForm } from './numbers.ts'
import type { Frames } from './subscribe.ts'
import type { AckMode, OnSlow } from './subscription.ts'
import type { EventChange } from './visibility.ts'

/** Limits that the document names: those of the channel, and those of observations and their sources. */
export interface DocumentLimits extends LiveLimits, ObservationLimits {
  readonly feedLateMs: number
  readonly feedDownMs: number
}

type Words<Name extends string> = Readonly<Record<Name, string>>

export const CHANGE_WORDS: Words<Change> = {
  added: 'a new quote, open or suspended, or one that had been closed',
  repriced: 'only the price has changed',
  suspended: 'not tradable for now; with the price of its moment, like all that follow',
  reopened: 'tradable again',
  closed: 'over; it leaves the board',
  aged_out: 'not observed for 24 hours; has the last status, and is sent within a second',
}

export const CAUSE_WORDS: Words<Cause> = {
  book: 'the bookmaker has suspended it',
  source_down: 'its source is silent, or was stopped',
  gap: 'its source may have missed something, or sent something that could not be recorded',
  clock: 'the clock of its source is ahead',
  operator: 'an operator has suspended it',
}

export const RESET_WORDS: Words<ResetReason> = {
  epoch: 'the point is of another log: a new epoch has begun, because something may have been lost',
  ahead: 'the log has not reached this point',
  too_old: 'the log no longer reaches back to this point',
  window: "it reaches back, but further than the plan's replay window",
  audience:
    'what the key may see has changed since the point, or may have (the point is from before the key was used, and other keys of the organization saw something else); or an event moved into or out of the leagues asked for; or the id asked for leads to another event',
  incomplete: 'the point is within a snapshot that was not complete; only of server-sent events',
}

export const EVENT_WORDS: Words<EventChange> = {
  appeared: 'the first bookmaker that you see quotes it live, or the former id that you named leads to it now',
  changed: 'kickoff, names or league have changed, or it was found to be another event (`mergedInto`)',
  gone: 'the last of those bookmakers no longer quotes it live, or the former id that you named no longer leads to it',
}

export const feedWords = ({ feedLateMs, feedDownMs }: DocumentLimits): Words<FeedState> => ({
  starting: 'its source has been started and has sent nothing yet',
  live: 'its source gives signs of life',
  late: `silent for longer than the cadence of its source allows (${feedLateMs} ms where nothing else is configured), or its observations are that old when they arrive`,
  down: `silent for much longer (${feedDownMs} ms): do not trust its prices; where the source has suspensions, they are suspended`,
})

export const ACK_WORDS: Words<AckMode> = {
  auto: 'nothing is acknowledged',
  client: 'an ACK holds for all messages up to it',
  'client-individual': 'an ACK holds for its message',
}

export const ON_SLOW_WORDS: Words<OnSlow> = {
  disconnect: 'a session that does not keep up ends with `slow_consumer`',
  conflate:
    'a subscription that is too far behind gets all changes of status and the latest price of each quote (`degraded`), until it keeps up (`restored`); its session ends only when it reads nothing at all',
}

export const QUOTE_FORM_WORDS: Words<QuoteForm> = {
  full: 'each names its quote and the event',
  numbered:
    'on `odds` and `status`, with an `id` and with `snapshot:true` or `from-seq`: quotes have a `number`, and most updates are messages `short`, of at most 120 octets for a price',
}

export const FRAMES_WORDS: Words<Frames> = {
  single: 'one',
  bundled: 'all that there are at that moment, up to `bundleBytesMax`, with an LF between',
}

export const TOPIC_WORDS: Words<Topic> = {
  status: 'Status transitions of quotes: `suspended`, `reopened`, `closed`.',
  odds: 'Every change of quotes: transitions, new quotes, prices, and quotes that have aged out.',
  events: 'The events themselves: appeared, changed, gone.',
  feeds: 'The health of the sources behind the bookmakers: whether a price is current, or only the last one known.',
  lag: 'How far behind this session is, once a second.',
  refusals:
    'Feed keys only. With a subscription, a refused SEND is reported here, its RECEIPT carries `refused: CODE`, and the session continues; without one, it ends the session with an ERROR.',
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
  validation_failed: 'A header or a body is not valid; `field` names it.',
  missing_api_key: 'CONNECT has no key.',
  invalid_api_key:
    'The key is malformed, unknown, expired or revoked, also in the middle of a session; or different keys are given.',
  live_not_enabled: 'The plan does not have the live channel.',
  forbidden:
    'A bookmaker that is named and that the organization may not see; a SEND of a customer, or to a topic; a SUBSCRIBE of a feed key to anything but lag and refusals.',
  api_key_scope_denied:
    'The scope of the key does not include this: the live channel, the bookmaker, the sport, or the bookmaker of a SEND.',
  not_found: 'There is no such destination.',
  rate_limit_exceeded:
    'The plan allows no more live connections at the same time; or too many connections come from your address; or too many sessions of the key have ended with an ERROR: then `retry-after` says when it may connect again.',
  service_unavailable:
    'The service is starting, or prices cannot be recorded, or rights cannot be checked just now (an open session continues for `rightsUnknownMsMax`, and ends with `resume-from`), or the board, or the share of it that one bookmaker may hold, is full, or there are too many connections. Try again.',
  protocol_error: 'The frames are not STOMP, or not in this order; or promised heart-beats did not arrive.',
  limit_exceeded: 'A limit of the channel was exceeded; `field` names it (see `x-limits`).',
  slow_consumer: 'The client did not keep up. `resume-from` is the point to resume from.',
  server_shutdown: 'The service ends. Connect again, and resume from `resume-from`.',
}
