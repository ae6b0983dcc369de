// SUBSCRIBE: what its headers ask for (docs/live-protocol.md 3), and whether the key allows it.

import type { Caller } from '../access/gate.ts'
import type { Registry } from '../access/registry.ts'
import { isMarketType, MARKET_TYPE_NUMBER, MARKET_TYPES } from '../domain/market.ts'
import { isRefusal, type Refusal, refuse } from '../domain/refusal.ts'
import { bookmakersOf, hasBookmaker } from '../domain/audience.ts'
import { SPORT_NUMBER, SPORTS } from '../domain/sport.ts'
import { TRANSPORT_NUMBER } from '../domain/transport.ts'
import { checkScope } from '../access/scope.ts'
import { feedOf, parseTopics, type Pattern } from './destination.ts'
import type { FlowFilter } from './flow.ts'
import type { FrameHeaders } from './frame-headers.ts'
import { ALL_TYPES, ENCODINGS, type MarketTypes } from './message.ts'
import { isNumberedTopic, QUOTE_FORMS, type QuoteForm } from './numbers.ts'
import { ACK_MODES, type AckMode, ON_SLOW, type OnSlow, type SubscribeRequest } from './subscription.ts'

/** A point of the log that a client has named. */
export interface LogPoint {
  readonly epoch: string
  readonly seq: number
  /** It is within a snapshot that was not complete (server-sent events only). */
  readonly isInSnapshot?: boolean
}

export interface SubscribeFrame extends SubscribeRequest {
  readonly wantsSnapshot: boolean
  readonly from: LogPoint | undefined
}

/** How many frames a WebSocket message has: one, or as many as there are. */
export const FRAMES = ['single', 'bundled'] as const

export type Frames = (typeof FRAMES)[number]

const fault = (field: string, allowed: string): Refusal => refuse('validation_failed', `${field} ${allowed}`, field)

/** Reads a SUBSCRIBE of a key; the session checks its id. */
export const readSubscribe = (
  headers: FrameHeaders,
  caller: Caller,
  registry: Registry,
  conflateMsMax: number,
): SubscribeFrame | Refusal => {
  const destination = headers.get('destination')
  if (destination === undefined) return fault('destination', 'is missing')
  if (feedOf(destination) !== undefined) return FEED_IS_FOR_SENDING
  const pattern = parseTopics(destination)
  if (isRefusal(pattern)) return pattern
  const denied = permit(pattern, caller, registry)
  if (denied !== undefined) return denied
  const ackMode = headers.get('ack') ?? 'auto'
  if (!ACK_MODES.includes(ackMode as AckMode)) return fault('ack', `must be one of ${ACK_MODES.join(', ')}`)
  const snapshot = headers.get('snapshot') ?? 'false'
  if (snapshot !== 'true' && snapshot !== 'false') return fault('snapshot', 'must be true or false')
  const from = readFrom(headers.get('from-seq'))
  if (from !== undefined && 'refused' in from) return from
  const conflateMs = readConflation(headers.get('conflate-ms'), conflateMsMax)
  if (typeof conflateMs === 'object') return conflateMs
  const onSlow = headers.get('on-slow') ?? 'disconnect'
  if (!isOnSlow(onSlow)) return fault('on-slow', `must be one of ${ON_SLOW.join(', ')}`)
  const types = readTypes(headers.get('types'))
  if (typeof types === 'object') return types
  const leagues = readLeagues(headers.get('leagues'))
  if (leagues !== null && 'refused' in leagues) return leagues
  const { topic, sport, bookmaker, eventId } = pattern
  const keepsState = snapshot === 'true' || from !== undefined
  const quotes = headers.get('quotes') ?? 'full'
  if (!isQuoteForm(quotes)) return fault('quotes', `must be one of ${QUOTE_FORMS.join(', ')}`)
  if (quotes === 'numbered') {
    if (!isNumberedTopic(topic)) return fault('quotes', 'must be left out: the topic has no quotes')
    if (!keepsState)
      return fault('quotes', 'can be numbered with a snapshot or a point to resume from only: they give the numbers')
    // Their destination says nothing.
    if (headers.get('id') === undefined) return fault('quotes', 'can be numbered with an id only')
  }
  const frames = headers.get('frames') ?? 'single'
  if (!isFrames(frames)) return fault('frames', `must be one of ${FRAMES.join(', ')}`)
  const filter: FlowFilter = {
    topic,
    sportNumber: sport === null ? null : SPORT_NUMBER.get(sport)!,
    // The registry has it: otherwise it would not be permitted.
    bookmaker: bookmaker === null ? null : (registry.numberOf(bookmaker) ?? null),
    // As given: the event that it leads to may change, so it is looked up for each change.
    eventId,
    types,
    leagues,
    // Only prices are merged; other topics have none.
    conflateMs: topic === 'odds' ? conflateMs : 0,
    isNumbered: quotes === 'numbered',
    privateTo: 0,
  }
  return {
    id: headers.get('id'),
    destination,
    pattern,
    filter,
    ackMode: ackMode as AckMode,
    onSlow,
    isBinary: asksForMessagePack(headers.get('content-type')),
    isBundled: frames === 'bundled',
    keepsState,
    wantsSnapshot: snapshot === 'true',
    from,
  }
}

/** What a key may subscribe to (docs/live-protocol.md 2.3). */
const permit = (pattern: Pattern, caller: Caller, registry: Registry): Refusal | undefined => {
  const { topic, sport, bookmaker } = pattern
  if (topic === 'lag') return undefined
  if (caller.kind === 'feed') return topic === 'refusals' ? undefined : FEED_MAY_NOT_SUBSCRIBE
  if (topic === 'refusals') return CUSTOMER_HAS_NO_REFUSALS
  const denied = checkScope(caller.scope, {
    transport: 'live',
    sport: sport ?? undefined,
    bookmakers: bookmaker === null ? undefined : [bookmaker],
  })
  if (denied !== undefined || bookmaker === null) return denied
  // A bookmaker outside the audience would never send anything: the subscription is refused at once.
  const number = registry.numberOf(bookmaker)
  const isVisible =
    number !== undefined &&
    SPORTS.some(
      (each, sportNumber) =>
        (sport === null || each === sport) &&
        hasBookmaker(bookmakersOf(caller.audience, TRANSPORT_NUMBER.live, sportNumber), number),
    )
  return isVisible
    ? undefined
    : refuse('forbidden', `Your organization may not see bookmaker ${bookmaker} live`, 'destination')
}

const FEED_IS_FOR_SENDING = refuse('forbidden', 'A feed is for SEND; its prices are in /topic/…', 'destination')
const FEED_MAY_NOT_SUBSCRIBE = refuse(
  'forbidden',
  'This is a feed key: it may subscribe to /topic/refusals and /topic/lag only; use a customer key',
  'destination',
)
const CUSTOMER_HAS_NO_REFUSALS = refuse('forbidden', 'Only a feed key has refusals', 'destination')

/**
 * Whether a `content-type` asks for MessagePack. Any other value means JSON: a SUBSCRIBE has no body, and several
 * clients send `text/plain` on every frame. Media types are case-insensitive, and parameters (`;charset=utf-8`) are
 * ignored (RFC 9110, 8.3.1).
 */
const asksForMessagePack = (contentType: string | undefined): boolean =>
  contentType?.split(';', 1)[0]!.trim().toLowerCase() === ENCODINGS.msgpack

const readFrom = (text: string | undefined): LogPoint | Refusal | undefined => {
  if (text === undefined) return undefined
  const match = /^([0-9A-Za-z]{1,32})-(\d{1,15})$/.exec(text)
  if (match === null) return fault('from-seq', 'must be EPOCH-SEQ, as a message-id or X-Odds-Seq gives it')
  return { epoch: match[1]!, seq: Number(match[2]) }
}

const readConflation = (text: string | undefined, msMax: number): number | Refusal => {
  if (text === undefined) return 0
  const ms = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
  return ms <= msMax ? ms : fault('conflate-ms', `must be a whole number of 0 to ${msMax}`)
}

const isQuoteForm = (text: string): text is QuoteForm => (QUOTE_FORMS as readonly string[]).includes(text)

const isFrames = (text: string): text is Frames => (FRAMES as readonly string[]).includes(text)

const isOnSlow = (text: string): text is OnSlow => (ON_SLOW as readonly string[]).includes(text)

const readTypes = (text: string | undefined): MarketTypes | Refusal => {
  if (text === undefined) return ALL_TYPES
  let types = 0
  for (const type of text.split(',')) {
    if (!isMarketType(type))
      return fault('types', `must be market types with commas between: ${MARKET_TYPES.join(', ')}`)
    types |= 1 << MARKET_TYPE_NUMBER.get(type)!
  }
  return types
}

const readLeagues = (text: string | undefined): ReadonlySet<string> | null | Refusal => {
  if (text === undefined) return null
  const leagues = text.split(',')
  return leagues.every((key) => /^[A-Za-z0-9][A-Za-z0-9_.:/-]*$/.test(key))
    ? new Set(leagues)
    : fault('leagues', 'must be league keys with commas between')
}
